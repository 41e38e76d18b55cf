//! What arguments are refused, in which words, and which numbers convert.

use super::{build, open, outcome, with_parameters};
use ferrocca_conformance::null::LaunchArgument;
use ferrocca_core::dtype::{DType, Element, FieldType, KernelStruct, StructType};
use ferrocca_core::{Arg, ErrorKind, Memory, args, bytemuck, f16, kernel_struct};
use okl::ir::Scalar;
use okl::signature::StructLayout;

#[test]
fn arguments_that_do_not_fit_are_named() {
    let (backend, device) = open();
    let (_, other_device) = open();
    let f64s = device.malloc::<f64>(4).unwrap();
    let f32s = device.malloc::<f32>(4).unwrap();
    let foreign = other_device.malloc::<f64>(4).unwrap();
    let (read, write) = ("const double *x", "double *x");
    let check = |got: String, expected: &str| assert_eq!(got, expected);
    check(outcome(&device, read, args![&f64s]), "ok");
    check(outcome(&device, read, args![&mut f64s.share()]), "ok");
    check(outcome(&device, write, args![&mut f64s.share()]), "ok");
    check(outcome(&device, write, args![Arg::null()]), "ok");
    check(outcome(&device, read, args![None::<&Memory<f64>>]), "ok");
    check(outcome(&device, read, args![]), "kernel `k`: it takes 1 argument (`x`), got 0");
    check(
        outcome(&device, read, args![&f32s]),
        "kernel `k`: argument 1 `x`: expected memory of f64, got memory of f32",
    );
    check(
        outcome(&device, write, args![&f64s]),
        "kernel `k`: argument 1 `x`: the kernel may write it: pass `&mut`, or declare the pointer `const` in the kernel",
    );
    check(outcome(&device, read, args![1.0]), "kernel `k`: argument 1 `x`: expected memory of f64, got a number (f64)");
    check(
        outcome(&device, "const double a", args![&f64s]),
        "kernel `k`: argument 1 `a`: expected a number (double), got memory of f64",
    );
    check(
        outcome(&device, "const double a", args![Arg::null()]),
        "kernel `k`: argument 1 `a`: expected a number (double), got a null pointer",
    );
    check(
        outcome(&device, "const int a", args![2.0]),
        "kernel `k`: argument 1 `a`: expected int (an integer), got the f64 2.0",
    );
    check(
        outcome(&device, "const int a", args![5_000_000_000i64]),
        "kernel `k`: argument 1 `a`: the i64 5000000000 does not fit `int`",
    );
    check(
        outcome(&device, "const float a", args![0.1]),
        "kernel `k`: argument 1 `a`: the f64 0.1 does not fit `float` exactly: pass an f32",
    );
    check(outcome(&device, "const half a", args![0.25]), "ok");
    check(outcome(&device, "const half a", args![f16::from_f32(0.1)]), "ok");
    check(
        outcome(&device, "const half a", args![0.1f32]),
        "kernel `k`: argument 1 `a`: the f32 0.1 does not fit `half` exactly: pass an f16",
    );
    check(
        outcome(&device, "const half a", args![65_536]),
        "kernel `k`: argument 1 `a`: the i32 65536 does not fit `half` exactly",
    );
    check(
        outcome(&device, "const int a", args![f16::ONE]),
        "kernel `k`: argument 1 `a`: expected int (an integer), got the f16 1.0",
    );
    let kernel = build(&device, &with_parameters(read)).unwrap();
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
    let two = |first: &str, second: &str| format!("{first} double *a, {second} double *b");
    let outcome = |parameters: String, arguments: [Arg<'_>; 2]| outcome(&device, &parameters, arguments);
    let refused = "kernel `k`: argument 2 `b`: it overlaps argument 1 `a`, and `@restrict` promises that they do not: pass memory of its own (`duplicate`)";
    assert_eq!(outcome(two("@restrict const", "@restrict"), args![&low, &mut high.share()]), "ok");
    assert_eq!(outcome(two("@restrict const", "@restrict"), args![&low, &mut middle.share()]), refused);
    assert_eq!(outcome(two("const", "@restrict"), args![&x, &mut x.share()]), refused);
    assert_eq!(outcome(two("@restrict const", ""), args![&x, &mut x.share()]), refused);
    assert_eq!(outcome(two("const", ""), args![&x, &mut x.share()]), "ok", "nobody promised");
    assert_eq!(outcome(two("@restrict const", "@restrict const"), args![&x, &x]), "ok", "nobody writes");
    let empty = x.slice(4..4).unwrap();
    assert_eq!(
        outcome(two("@restrict const", "@restrict"), args![&x, &mut empty.share()]),
        "ok",
        "nothing has no overlap"
    );
    // SAFETY: the null device takes handles of its own memory.
    let mut again = unsafe { device.wrap_memory::<f64>(x.handle().unwrap(), 10) }.unwrap();
    assert_eq!(
        outcome(two("@restrict const", "@restrict"), args![&x, &mut again]),
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
    StructLayout {
        name: "Particle".into(),
        bytes: 32,
        align: 8,
        vector_of: None,
        fields: position.chain(rest).collect(),
    }
}

#[test]
fn structs_are_compared_field_by_field() {
    let (backend, device) = open();
    let declared = "struct Particle { double position[3]; float mass; int id; };";
    let kernel = |parameter: &str, read: &str| {
        let source = format!(
            "{declared} @kernel void k({parameter}, double *sum) {{
                for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) {{ sum[0] = {read}; }}
            }}"
        );
        build(&device, &source).unwrap()
    };
    let (by_value, array) = (kernel("const Particle p", "p.mass"), kernel("const Particle *p", "p[0].mass"));
    let mut sum = device.malloc::<f64>(1).unwrap();
    let good = Particle { position: [1.0, 2.0, 3.0], mass: 4.0, id: 5 };
    let bad = Swapped { position: [0.0; 3], id: 0, mass: 0.0 };
    by_value.launch(args![&good, &mut sum]).unwrap();
    assert_eq!(backend.launches()[0].arguments[0], LaunchArgument::Value(bytemuck::bytes_of(&good).to_vec()));
    assert_eq!(
        by_value.launch(args![&bad, &mut sum]).unwrap_err().to_string(),
        "kernel `k`: argument 1 `p`: field 3: the kernel's `Particle` has `mass`: f32 at byte 24, `Swapped` has `id`: i32 at byte 24"
    );
    let (goods, bads) = (device.malloc_from(&[good]).unwrap(), device.malloc_from(&[bad]).unwrap());
    array.launch(args![&goods, &mut sum]).unwrap();
    array.launch(args![&goods, &mut sum]).unwrap();
    assert!(array.launch(args![&bads, &mut sum]).unwrap_err().to_string().contains("`mass`: f32 at byte 24"));
    let numbers = device.malloc::<f64>(4).unwrap();
    let error = array.launch(args![&numbers, &mut sum]).unwrap_err().to_string();
    assert_eq!(error, "kernel `k`: argument 1 `p`: expected memory of Particle, got memory of f64");
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

#[test]
fn vectors_are_taken_from_memory_of_their_components() {
    let (_, device) = open();
    let source = "@kernel void k(const int n, const double2 *p, double *sum) {
        for (int b = 0; b < n; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) { sum[0] = p[b].y; }
    }";
    let kernel = build(&device, source).unwrap();
    let (mut sum, numbers) = (device.malloc::<f64>(1).unwrap(), device.malloc::<f64>(10).unwrap());
    let mut outcome = |n: i32, p: &Memory<f64>| match kernel.launch(args![n, p, &mut sum]) {
        Ok(()) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(outcome(5, &numbers), "");
    assert!(outcome(6, &numbers).contains("which has 5 elements"), "{}", outcome(6, &numbers));
    assert!(outcome(2, &numbers.slice(1..5).unwrap()).contains("are no whole number of `double2` (16 bytes each)"));
    assert!(outcome(2, &numbers.slice(2..5).unwrap()).contains("3 elements of f64 from byte 16"));
    let wrong = device.malloc::<f32>(8).unwrap();
    let error = kernel.launch(args![2, &wrong, &mut device.malloc::<f64>(1).unwrap()]).unwrap_err().to_string();
    assert!(error.contains("expected memory of double2, got memory of f32"), "{error}");
}

/// A struct whose layout says more than it has.
#[repr(C)]
#[derive(Clone, Copy)]
struct Liar([f64; 1]);

const LIE: &StructType = &StructType {
    name: "Liar",
    bytes: 80_000,
    align: 8,
    fields: &[FieldType { name: "v", offset: 0, element: DType::F64, dims: &[10_000] }],
};

// SAFETY: an array of doubles is plain data, of which zeros are a value.
unsafe impl bytemuck::Zeroable for Liar {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Liar {}
// SAFETY: none: this is what the launch must not believe.
unsafe impl Element for Liar {
    const DTYPE: DType = DType::Struct(LIE);
}
// SAFETY: as above.
unsafe impl KernelStruct for Liar {
    const LAYOUT: &'static StructType = LIE;
}

#[test]
fn a_struct_of_fewer_bytes_than_its_layout_says_is_refused() {
    let (backend, device) = open();
    let source = "struct Many { double v[10000]; };
        @kernel void k(const Many p, double *sum) {
            for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) { sum[0] = p.v[9999]; }
        }";
    let (kernel, mut sum) = (build(&device, source).unwrap(), device.malloc::<f64>(1).unwrap());
    for _ in 0..2 {
        let error = kernel.launch(args![&Liar([1.0]), &mut sum]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "kernel `k`: argument 1 `p`: the value has 8 bytes, its layout `Liar` says 80000"
        );
    }
    assert!(backend.launches().is_empty());
}
