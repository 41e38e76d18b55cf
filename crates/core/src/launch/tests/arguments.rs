//! What arguments are refused, in which words, and which numbers convert.

use super::{load, open, outcome, pointer, scalar, signature};
use crate::arguments::Arg;
use crate::dtype::KernelStruct;
use crate::null::LaunchArgument;
use crate::{ErrorKind, args, kernel_struct};
use okl::ir::Scalar;
use okl::signature::{Element, Parameter, ParameterKind, StructLayout};
use okl::value::ScalarValue;
use proptest::prelude::*;

#[test]
fn arguments_that_do_not_fit_are_named() {
    let (backend, device) = open();
    let (_, other_device) = open();
    let f64s = device.malloc::<f64>(4).unwrap();
    let f32s = device.malloc::<f32>(4).unwrap();
    let foreign = other_device.malloc::<f64>(4).unwrap();
    let read = || vec![pointer("x", Scalar::F64, false, false)];
    let write = || vec![pointer("x", Scalar::F64, true, false)];
    let number = |ty| vec![scalar("a", ty)];
    let check = |got: String, expected: &str| assert_eq!(got, expected);
    check(outcome(&device, read(), args![&f64s]), "ok");
    check(outcome(&device, read(), args![&mut f64s.share()]), "ok");
    check(outcome(&device, write(), args![&mut f64s.share()]), "ok");
    check(outcome(&device, write(), args![Arg::null()]), "ok");
    check(outcome(&device, read(), args![None::<&crate::Memory<f64>>]), "ok");
    check(outcome(&device, read(), args![]), "kernel `k`: it takes 1 argument (`x`), got 0");
    check(outcome(&device, read(), args![&f32s]), "kernel `k`: argument 1 `x`: expected Memory<f64>, got Memory<f32>");
    check(
        outcome(&device, write(), args![&f64s]),
        "kernel `k`: argument 1 `x`: the kernel may write it: pass `&mut`, or declare the pointer `const` in the kernel",
    );
    check(outcome(&device, read(), args![1.0]), "kernel `k`: argument 1 `x`: expected Memory<f64>, got a number (f64)");
    check(
        outcome(&device, number(Scalar::F64), args![&f64s]),
        "kernel `k`: argument 1 `a`: expected a number (double), got Memory<f64>",
    );
    check(
        outcome(&device, number(Scalar::F64), args![Arg::null()]),
        "kernel `k`: argument 1 `a`: expected a number (double), got a null pointer",
    );
    check(
        outcome(&device, number(Scalar::I32), args![2.0]),
        "kernel `k`: argument 1 `a`: expected int (an integer), got the f64 2.0",
    );
    check(
        outcome(&device, number(Scalar::I32), args![5_000_000_000i64]),
        "kernel `k`: argument 1 `a`: the i64 5000000000 does not fit `int`",
    );
    check(
        outcome(&device, number(Scalar::F32), args![0.1]),
        "kernel `k`: argument 1 `a`: the f64 0.1 does not fit `float` exactly: pass an f32",
    );
    check(outcome(&device, number(Scalar::F16), args![0.25]), "ok");
    check(outcome(&device, number(Scalar::F16), args![crate::f16::from_f32(0.1)]), "ok");
    check(
        outcome(&device, number(Scalar::F16), args![0.1f32]),
        "kernel `k`: argument 1 `a`: the f32 0.1 does not fit `half` exactly: pass an f16",
    );
    check(
        outcome(&device, number(Scalar::F16), args![65_536]),
        "kernel `k`: argument 1 `a`: the i32 65536 does not fit `half` exactly",
    );
    check(
        outcome(&device, number(Scalar::I32), args![crate::f16::ONE]),
        "kernel `k`: argument 1 `a`: expected int (an integer), got the f16 1.0",
    );
    let kernel = load(&device, signature(read())).unwrap();
    let error = kernel.launch(args![&foreign]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongDevice { .. }), "{error}");
    assert!(error.to_string().starts_with("kernel `k`, argument 1 `x`: the memory belongs to device #"), "{error}");
    let error = kernel.launch_on(&other_device.stream(), args![&f64s]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WrongDevice { .. }), "{error}");
    assert_eq!(backend.launches().len(), 7, "none of the refused ones was launched");
}

#[test]
fn restrict_refuses_overlap_alone() {
    let (_, device) = open();
    let x = device.malloc::<f64>(10).unwrap();
    let (low, high, middle) = (x.slice(..5).unwrap(), x.slice(5..).unwrap(), x.slice(4..6).unwrap());
    let two = |first_mutable, first_restrict, second_mutable, second_restrict| {
        vec![
            pointer("a", Scalar::F64, first_mutable, first_restrict),
            pointer("b", Scalar::F64, second_mutable, second_restrict),
        ]
    };
    let refused = "kernel `k`: argument 2 `b`: it overlaps argument 1 `a`, and `@restrict` promises that they do not: pass memory of its own (`duplicate`)";
    assert_eq!(outcome(&device, two(false, true, true, true), args![&low, &mut high.share()]), "ok");
    assert_eq!(outcome(&device, two(false, true, true, true), args![&low, &mut middle.share()]), refused);
    assert_eq!(outcome(&device, two(false, false, true, true), args![&x, &mut x.share()]), refused);
    assert_eq!(outcome(&device, two(false, true, true, false), args![&x, &mut x.share()]), refused);
    assert_eq!(outcome(&device, two(false, false, true, false), args![&x, &mut x.share()]), "ok", "nobody promised");
    assert_eq!(outcome(&device, two(false, true, false, true), args![&x, &x]), "ok", "nobody writes");
    let empty = x.slice(4..4).unwrap();
    assert_eq!(
        outcome(&device, two(false, true, true, true), args![&x, &mut empty.share()]),
        "ok",
        "nothing has no overlap"
    );
    // SAFETY: the null device takes handles of its own memory.
    let mut again = unsafe { device.wrap_memory::<f64>(x.handle().unwrap(), 10) }.unwrap();
    assert_eq!(
        outcome(&device, two(false, true, true, true), args![&x, &mut again]),
        refused,
        "the same memory under another handle"
    );
}

kernel_struct! {
    /// As the kernel has it.
    struct Particle { position: [f64; 3], mass: f32, id: i32 }
}
kernel_struct! {
    /// Two fields exchanged.
    struct Swapped { position: [f64; 3], id: i32, mass: f32 }
}

fn particle() -> StructLayout {
    let position = (0..3).map(|i| (format!("position[{i}]"), Scalar::F64, i * 8));
    let rest = [("mass".to_string(), Scalar::F32, 24), ("id".to_string(), Scalar::I32, 28)];
    StructLayout { name: "Particle".into(), bytes: 32, fields: position.chain(rest).collect() }
}

#[test]
fn structs_are_compared_field_by_field() {
    let (backend, device) = open();
    let by_value = || vec![Parameter { name: "p".into(), kind: ParameterKind::Struct(particle()) }];
    let array = || {
        let kind = ParameterKind::Pointer { element: Element::Struct(particle()), mutable: false, restrict: false };
        vec![Parameter { name: "p".into(), kind }]
    };
    let good = Particle { position: [1.0, 2.0, 3.0], mass: 4.0, id: 5 };
    let bad = Swapped { position: [0.0; 3], id: 0, mass: 0.0 };
    assert_eq!(outcome(&device, by_value(), args![&good]), "ok");
    assert_eq!(backend.launches()[0].arguments, [LaunchArgument::Value(bytemuck::bytes_of(&good).to_vec())]);
    assert_eq!(
        outcome(&device, by_value(), args![&bad]),
        "kernel `k`: argument 1 `p`: field 3: the kernel's `Particle` has `mass`: f32 at byte 24, `Swapped` has `id`: i32 at byte 24"
    );
    let (goods, bads) = (device.malloc_from(&[good]).unwrap(), device.malloc_from(&[bad]).unwrap());
    let kernel = load(&device, signature(array())).unwrap();
    kernel.launch(args![&goods]).unwrap();
    kernel.launch(args![&goods]).unwrap();
    assert!(kernel.launch(args![&bads]).unwrap_err().to_string().contains("`mass`: f32 at byte 24"));
    let numbers = device.malloc::<f64>(4).unwrap();
    let error = kernel.launch(args![&numbers]).unwrap_err().to_string();
    assert_eq!(error, "kernel `k`: argument 1 `p`: expected Memory<Particle>, got Memory<f64>");
    assert_eq!(
        Particle::LAYOUT.check(&StructLayout { bytes: 40, ..particle() }).unwrap_err(),
        "`Particle` has 32 bytes, the kernel's `Particle` 40"
    );
    let mut longer = particle();
    longer.fields.push(("charge".into(), Scalar::F64, 32));
    assert_eq!(Particle::LAYOUT.check(&longer).unwrap_err(), "`Particle` has no field for `charge` (double)");
    let mut shorter = particle();
    shorter.fields.pop();
    assert_eq!(Particle::LAYOUT.check(&shorter).unwrap_err(), "the kernel's `Particle` has no field `id`");
}

/// Every scalar type.
const SCALARS: [Scalar; 12] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::F16,
    Scalar::F32,
    Scalar::F64,
];

fn number() -> impl Strategy<Value = ScalarValue> {
    prop_oneof![
        any::<bool>().prop_map(ScalarValue::Bool),
        any::<i8>().prop_map(ScalarValue::I8),
        any::<u16>().prop_map(ScalarValue::U16),
        any::<i32>().prop_map(ScalarValue::I32),
        any::<u32>().prop_map(ScalarValue::U32),
        any::<i64>().prop_map(ScalarValue::I64),
        (-300i64..300).prop_map(ScalarValue::I64),
        any::<u64>().prop_map(ScalarValue::U64),
        any::<u16>().prop_map(|bits| ScalarValue::F16(crate::f16::from_bits(bits))),
        any::<f32>().prop_map(ScalarValue::F32),
        any::<f64>().prop_map(ScalarValue::F64),
        (-300i32..300).prop_map(|x| ScalarValue::F64(f64::from(x) / 4.0)),
    ]
}

/// A value as a sum of an integer and a fraction, exact for all types; `None` for what is not finite.
fn exact(value: ScalarValue) -> Option<(i128, u64)> {
    let float = match value {
        ScalarValue::F16(x) => f64::from(x),
        ScalarValue::F32(x) => f64::from(x),
        ScalarValue::F64(x) => x,
        other => return other.integer().map(|integer| (integer, 0)),
    };
    (float.is_finite() && float.abs() < 1e38).then(|| (float.trunc() as i128, float.fract().to_bits() & !(1 << 63)))
}

proptest! {
    #[test]
    fn a_converted_number_is_the_same_number(value in number(), to in prop::sample::select(&SCALARS[..])) {
        match super::super::check::convert(value, to) {
            Ok(converted) => {
                prop_assert_eq!(converted.ty(), to);
                prop_assert_eq!(exact(converted), exact(value));
                prop_assert!(to.is_float() || value.ty().is_integer(), "a float became an integer");
            }
            Err(_) if value.ty() == to => prop_assert!(false, "refused its own type"),
            // Refused: C's own conversion must then lose something (or be one from float to integer).
            Err(_) => if let (true, Ok(cast)) = (value.ty().is_integer(), value.cast(to)) {
                prop_assert_ne!(exact(cast), exact(value));
            },
        }
    }
}
