use crate::arguments::Arg;
use crate::build::Program;
use crate::dtype::KernelStruct;
use crate::null::{Call, LaunchArgument, NullBackend};
use crate::{BuildOrigin, Device, ErrorKind, Kernel, args, kernel_struct};
use okl::Signature;
use okl::ir::{BinaryOp, Literal, Scalar};
use okl::signature::{
    Element, HostExpr, HostExprKind, HostOp, NestArgument, NestSignature, Parameter, ParameterKind,
    StructLayout,
};
use okl::value::ScalarValue;
use proptest::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of each thread by itself, so that tests beside this one do not disturb.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's duties are the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's duties are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn int(value: i64, ty: Scalar) -> HostExpr {
    HostExpr {
        ty,
        kind: HostExprKind::Literal(Literal::Int(value)),
    }
}

fn param(position: u32, ty: Scalar) -> HostExpr {
    HostExpr {
        ty,
        kind: HostExprKind::Param(position),
    }
}

fn binary(op: BinaryOp, a: HostExpr, b: HostExpr) -> HostExpr {
    HostExpr {
        ty: a.ty,
        kind: HostExprKind::Binary(op, Box::new(a), Box::new(b)),
    }
}

fn scalar(name: &str, ty: Scalar) -> Parameter {
    Parameter {
        name: name.into(),
        kind: ParameterKind::Scalar(ty),
    }
}

fn pointer(name: &str, ty: Scalar, mutable: bool, restrict: bool) -> Parameter {
    Parameter {
        name: name.into(),
        kind: ParameterKind::Pointer {
            element: Element::Scalar(ty),
            mutable,
            restrict,
        },
    }
}

fn nest(outer: HostExpr, inner: HostExpr, arguments: Vec<NestArgument>) -> NestSignature {
    let one = || int(1, Scalar::I64);
    NestSignature {
        entry: "k_0".into(),
        outer: [outer, one(), one()],
        inner: [vec![inner], vec![one()], vec![]],
        arguments,
        shared_bytes: 0,
        exclusive_bytes: 0,
        max_inner: None,
        cost: 1,
    }
}

/// One nest over `(n + 255) / 256` groups of 256 where the first parameter is an `int`, else one group of one item.
fn signature(params: Vec<Parameter>) -> Signature {
    let has_n = matches!(
        params.first(),
        Some(Parameter {
            kind: ParameterKind::Scalar(Scalar::I32),
            ..
        })
    );
    let outer = if has_n {
        let sum = binary(BinaryOp::Add, param(0, Scalar::I32), int(255, Scalar::I32));
        let groups = binary(BinaryOp::Div, sum, int(256, Scalar::I32));
        HostExpr {
            ty: Scalar::I64,
            kind: HostExprKind::Cast(Box::new(groups)),
        }
    } else {
        int(1, Scalar::I64)
    };
    let arguments = (0..params.len() as u32).map(NestArgument::Param).collect();
    let inner = int(if has_n { 256 } else { 1 }, Scalar::I64);
    Signature {
        kernel: "k".into(),
        params,
        slots: vec![],
        host: vec![HostOp::Launch(0)],
        nests: vec![nest(outer, inner, arguments)],
    }
}

fn burgers() -> Signature {
    signature(vec![
        scalar("n", Scalar::I32),
        scalar("c1", Scalar::F64),
        pointer("u_prev", Scalar::F64, false, true),
        pointer("u", Scalar::F64, true, true),
    ])
}

fn load(device: &Device, signature: Signature) -> crate::Result<Kernel> {
    let artifact = crate::backend::Artifact {
        path: None,
        bytes: b"null artifact\n",
    };
    let kernels = device.inner.backend.load(&artifact, &signature)?;
    let plan = super::LaunchPlan::new(signature, kernels, &*device.inner.backend)?;
    Ok(Kernel::new(
        device.inner.clone(),
        plan.into(),
        Program::without_source(),
        BuildOrigin::Memory,
    ))
}

fn open() -> (NullBackend, Device) {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    backend.record_launches();
    (backend, device)
}

/// What a launch of a kernel with these parameters answers: `ok`, or the error's text.
fn outcome<'a>(
    device: &Device,
    params: Vec<Parameter>,
    arguments: impl AsRef<[Arg<'a>]>,
) -> String {
    let kernel = load(device, signature(params)).unwrap();
    kernel
        .launch(arguments)
        .map_or_else(|error| error.to_string(), |()| "ok".to_string())
}

#[test]
fn sizes_and_arguments_reach_the_backend() {
    let (backend, device) = open();
    let kernel = load(&device, burgers()).unwrap();
    let u_prev = device.malloc::<f64>(300).unwrap();
    let mut u = device.malloc::<f64>(310).unwrap();
    kernel
        .launch(args![300, 0.5, &u_prev, &mut u.slice(10..).unwrap()])
        .unwrap();
    kernel
        .launch(args![300usize, 0.5f32, &u_prev, &mut u])
        .unwrap();
    let stream = device.create_stream().unwrap();
    kernel
        .launch_on(&stream, args![513i64, 1, &u_prev, &mut u])
        .unwrap();
    let launches = backend.launches();
    assert_eq!(
        (launches[0].dims.outer, launches[0].dims.inner),
        ([2, 1, 1], [256, 1, 1])
    );
    let (a, b) = (u_prev.handle().unwrap().raw(), u.handle().unwrap().raw());
    let expected = vec![
        LaunchArgument::Value(300i32.to_ne_bytes().to_vec()),
        LaunchArgument::Value(0.5f64.to_ne_bytes().to_vec()),
        LaunchArgument::Memory(Some(a), 0, 2400, false),
        LaunchArgument::Memory(Some(b), 80, 2400, true),
    ];
    assert_eq!(launches[0].arguments, expected);
    assert_eq!(
        launches[1].arguments[..3],
        expected[..3],
        "values arrive in the parameter's own type"
    );
    assert_eq!(
        (launches[0].stream, launches[2].stream),
        (0, stream.handle())
    );
}

#[test]
fn the_current_stream_is_each_threads_own() {
    let (backend, device) = open();
    let kernel = load(&device, signature(vec![])).unwrap();
    let stream = device.create_stream().unwrap();
    device.set_stream(&stream).unwrap();
    kernel.launch(args![]).unwrap();
    std::thread::scope(|scope| {
        scope
            .spawn(|| kernel.launch(args![]).unwrap())
            .join()
            .unwrap()
    });
    device.set_stream(&device.default_stream()).unwrap();
    kernel.launch(args![]).unwrap();
    let streams: Vec<u64> = backend
        .launches()
        .iter()
        .map(|launch| launch.stream)
        .collect();
    assert_eq!(streams, [stream.handle(), 0, 0]);
}

#[test]
fn a_launch_allocates_nothing() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let kernel = load(&device, burgers()).unwrap();
    let (u_prev, mut u) = (
        device.malloc::<f64>(258).unwrap(),
        device.malloc::<f64>(258).unwrap(),
    );
    let stream = device.create_stream().unwrap();
    let before = ALLOCATIONS.get();
    for n in 0..100 {
        kernel.launch(args![n, 0.5, &u_prev, &mut u]).unwrap();
        kernel
            .launch_on(&stream, args![n as i64, 0.5f32, &u_prev, &mut u])
            .unwrap();
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert_eq!(
        backend.count(Call::Launch),
        198,
        "both loops but the two launches of nothing"
    );
    // The counter counts: this would be seen.
    drop(std::hint::black_box(vec![1u8]));
    assert_eq!(ALLOCATIONS.get() - before, 1);
}

#[test]
fn several_nests_with_host_variables_allocate_nothing_either() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let mut signature = burgers();
    signature.slots = vec![Scalar::I32];
    let slot = || HostExpr {
        ty: Scalar::I32,
        kind: HostExprKind::Slot(0),
    };
    let body = vec![
        HostOp::Launch(0),
        HostOp::Set(0, binary(BinaryOp::Add, slot(), int(1, Scalar::I32))),
    ];
    let condition = HostExpr {
        ty: Scalar::Bool,
        kind: HostExprKind::Binary(
            BinaryOp::Lt,
            Box::new(slot()),
            Box::new(int(3, Scalar::I32)),
        ),
    };
    signature.host = vec![
        HostOp::Set(0, int(0, Scalar::I32)),
        HostOp::Loop(condition, body),
    ];
    signature.nests[0].arguments.push(NestArgument::Slot(0));
    let kernel = load(&device, signature).unwrap();
    let (u_prev, mut u) = (
        device.malloc::<f64>(258).unwrap(),
        device.malloc::<f64>(258).unwrap(),
    );
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    let before = ALLOCATIONS.get();
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    assert_eq!(ALLOCATIONS.get() - before, 0);
    backend.record_launches();
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    let slots: Vec<_> = backend
        .launches()
        .iter()
        .map(|launch| launch.arguments[4].clone())
        .collect();
    assert_eq!(
        slots,
        [0i32, 1, 2].map(|value| LaunchArgument::Value(value.to_ne_bytes().to_vec()))
    );
}

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
    check(
        outcome(&device, read(), args![None::<&crate::Memory<f64>>]),
        "ok",
    );
    check(
        outcome(&device, read(), args![]),
        "kernel `k`: it takes 1 argument (`x`), got 0",
    );
    check(
        outcome(&device, read(), args![&f32s]),
        "kernel `k`: argument 1 `x`: expected Memory<f64>, got Memory<f32>",
    );
    check(
        outcome(&device, write(), args![&f64s]),
        "kernel `k`: argument 1 `x`: the kernel may write it: pass `&mut`, or declare the pointer `const` in the kernel",
    );
    check(
        outcome(&device, read(), args![1.0]),
        "kernel `k`: argument 1 `x`: expected Memory<f64>, got a number (f64)",
    );
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
    let kernel = load(&device, signature(read())).unwrap();
    let error = kernel.launch(args![&foreign]).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::WrongDevice { .. }),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .starts_with("kernel `k`, argument 1 `x`: the memory belongs to device #"),
        "{error}"
    );
    let error = kernel
        .launch_on(&other_device.stream(), args![&f64s])
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::WrongDevice { .. }),
        "{error}"
    );
    assert_eq!(
        backend.launches().len(),
        5,
        "none of the refused ones was launched"
    );
}

#[test]
fn restrict_refuses_overlap_alone() {
    let (_, device) = open();
    let x = device.malloc::<f64>(10).unwrap();
    let (low, high, middle) = (
        x.slice(..5).unwrap(),
        x.slice(5..).unwrap(),
        x.slice(4..6).unwrap(),
    );
    let two = |first_mutable, first_restrict, second_mutable, second_restrict| {
        vec![
            pointer("a", Scalar::F64, first_mutable, first_restrict),
            pointer("b", Scalar::F64, second_mutable, second_restrict),
        ]
    };
    let refused = "kernel `k`: argument 2 `b`: it overlaps argument 1 `a`, and `@restrict` promises that they do not: pass memory of its own (`duplicate`)";
    assert_eq!(
        outcome(
            &device,
            two(false, true, true, true),
            args![&low, &mut high.share()]
        ),
        "ok"
    );
    assert_eq!(
        outcome(
            &device,
            two(false, true, true, true),
            args![&low, &mut middle.share()]
        ),
        refused
    );
    assert_eq!(
        outcome(
            &device,
            two(false, false, true, true),
            args![&x, &mut x.share()]
        ),
        refused
    );
    assert_eq!(
        outcome(
            &device,
            two(false, true, true, false),
            args![&x, &mut x.share()]
        ),
        refused
    );
    assert_eq!(
        outcome(
            &device,
            two(false, false, true, false),
            args![&x, &mut x.share()]
        ),
        "ok",
        "nobody promised"
    );
    assert_eq!(
        outcome(&device, two(false, true, false, true), args![&x, &x]),
        "ok",
        "nobody writes"
    );
    let empty = x.slice(4..4).unwrap();
    assert_eq!(
        outcome(
            &device,
            two(false, true, true, true),
            args![&x, &mut empty.share()]
        ),
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
    let rest = [
        ("mass".to_string(), Scalar::F32, 24),
        ("id".to_string(), Scalar::I32, 28),
    ];
    StructLayout {
        name: "Particle".into(),
        bytes: 32,
        fields: position.chain(rest).collect(),
    }
}

#[test]
fn structs_are_compared_field_by_field() {
    let (backend, device) = open();
    let by_value = || {
        vec![Parameter {
            name: "p".into(),
            kind: ParameterKind::Struct(particle()),
        }]
    };
    let array = || {
        let kind = ParameterKind::Pointer {
            element: Element::Struct(particle()),
            mutable: false,
            restrict: false,
        };
        vec![Parameter {
            name: "p".into(),
            kind,
        }]
    };
    let good = Particle {
        position: [1.0, 2.0, 3.0],
        mass: 4.0,
        id: 5,
    };
    let bad = Swapped {
        position: [0.0; 3],
        id: 0,
        mass: 0.0,
    };
    assert_eq!(outcome(&device, by_value(), args![&good]), "ok");
    assert_eq!(
        backend.launches()[0].arguments,
        [LaunchArgument::Value(bytemuck::bytes_of(&good).to_vec())]
    );
    assert_eq!(
        outcome(&device, by_value(), args![&bad]),
        "kernel `k`: argument 1 `p`: field 3: the kernel's `Particle` has `mass`: f32 at byte 24, `Swapped` has `id`: i32 at byte 24"
    );
    let (goods, bads) = (
        device.malloc_from(&[good]).unwrap(),
        device.malloc_from(&[bad]).unwrap(),
    );
    let kernel = load(&device, signature(array())).unwrap();
    kernel.launch(args![&goods]).unwrap();
    kernel.launch(args![&goods]).unwrap();
    assert!(
        kernel
            .launch(args![&bads])
            .unwrap_err()
            .to_string()
            .contains("`mass`: f32 at byte 24")
    );
    let numbers = device.malloc::<f64>(4).unwrap();
    let error = kernel.launch(args![&numbers]).unwrap_err().to_string();
    assert_eq!(
        error,
        "kernel `k`: argument 1 `p`: expected Memory<Particle>, got Memory<f64>"
    );
    assert_eq!(
        Particle::LAYOUT
            .check(&StructLayout {
                bytes: 40,
                ..particle()
            })
            .unwrap_err(),
        "`Particle` has 32 bytes, the kernel's `Particle` 40"
    );
    let mut longer = particle();
    longer.fields.push(("charge".into(), Scalar::F64, 32));
    assert_eq!(
        Particle::LAYOUT.check(&longer).unwrap_err(),
        "`Particle` has no field for `charge` (double)"
    );
    let mut shorter = particle();
    shorter.fields.pop();
    assert_eq!(
        Particle::LAYOUT.check(&shorter).unwrap_err(),
        "the kernel's `Particle` has no field `id`"
    );
}

#[test]
fn a_launch_of_nothing_does_nothing_but_check() {
    let (backend, device) = open();
    let kernel = load(&device, burgers()).unwrap();
    let (u_prev, mut u) = (
        device.malloc::<f64>(0).unwrap(),
        device.malloc::<f64>(0).unwrap(),
    );
    for n in [0, -1, i32::MIN] {
        kernel.launch(args![n, 0.5, &u_prev, &mut u]).unwrap();
    }
    assert_eq!(backend.launches(), []);
    assert!(kernel.launch(args![0, 0.5, &u_prev, &u]).is_err());
}

#[test]
fn bounds_that_have_no_value_or_are_too_large_are_errors() {
    let (_, device) = open();
    let launch = |signature: Signature, n: i32| {
        let (u_prev, mut u) = (
            device.malloc::<f64>(1).unwrap(),
            device.malloc::<f64>(1).unwrap(),
        );
        load(&device, signature)
            .unwrap()
            .launch(args![n, 0.5, &u_prev, &mut u])
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        launch(burgers(), i32::MAX),
        "kernel `k`: the bound of `@outer(0)` in loop nest 0: the result does not fit `int`"
    );
    let with = |outer: HostExpr, inner: HostExpr| {
        let mut signature = burgers();
        signature.nests[0].outer[0] = outer;
        signature.nests[0].inner[0] = vec![inner];
        signature
    };
    let (one, n) = (|| int(1, Scalar::I64), || param(0, Scalar::I32));
    let by_zero = binary(BinaryOp::Div, int(1, Scalar::I32), n());
    assert_eq!(
        launch(with(by_zero, one()), 0),
        "kernel `k`: the bound of `@outer(0)` in loop nest 0: integer division by zero"
    );
    assert_eq!(
        launch(with(one(), n()), 2000),
        "this launch of kernel `k` is not supported: 2000 items of a group along axis 0 are asked for, at most 1024 can be had"
    );
    assert_eq!(
        launch(with(one(), n()), 600),
        "this launch of kernel `k` is not supported: 600 items of a group are asked for, this kernel allows 512"
    );
    let mut huge = with(int(1 << 40, Scalar::I64), one());
    assert_eq!(
        launch(huge.clone(), 1),
        "this launch of kernel `k` is not supported: 1099511627776 groups along axis 0 are asked for, at most 2147483648 can be had"
    );
    huge.nests[0].outer[1] = int(1 << 40, Scalar::I64);
    assert_eq!(
        launch(huge, 1),
        "kernel `k`: the bound of `@outer(0)` in loop nest 0: the sizes of all axes together overflow 64 bits"
    );
    let mut declared = with(one(), n());
    declared.nests[0].max_inner = Some([128, 1, 1]);
    assert_eq!(
        launch(declared, 200),
        "this launch of kernel `k` is not supported: 200 items of a group along axis 0 are asked for, at most 128 can be had"
    );
    let mut shared = burgers();
    shared.nests[0].shared_bytes = 1 << 20;
    assert_eq!(
        load(&device, shared).unwrap_err().to_string(),
        "kernel `k` is not supported: it needs 1048576 bytes of shared memory per group, the device has 49152"
    );
}

#[test]
fn a_signature_that_does_not_fit_itself_is_refused_at_load() {
    let (_, device) = open();
    let mut signature = burgers();
    signature.nests[0].arguments.push(NestArgument::Slot(0));
    let error = load(&device, signature).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Internal { .. }),
        "{error}"
    );
}

#[test]
fn a_failed_launch_says_which_kernel() {
    let (backend, device) = open();
    let kernel = load(&device, signature(vec![])).unwrap();
    backend.fail(Call::Launch, 1);
    assert_eq!(
        kernel.launch(args![]).unwrap_err().to_string(),
        "launching `k`: null: injected failure of Launch number 1"
    );
    kernel.launch(args![]).unwrap();
}

#[test]
fn profiles_count_time_and_bytes() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, "profile=true").unwrap();
    let kernel = load(&device, burgers()).unwrap();
    let (u_prev, mut u) = (
        device.malloc::<f64>(1000).unwrap(),
        device.malloc::<f64>(1000).unwrap(),
    );
    for _ in 0..3 {
        kernel.launch(args![1000, 0.5, &u_prev, &mut u]).unwrap();
    }
    device.set_profiling(false);
    kernel.launch(args![1000, 0.5, &u_prev, &mut u]).unwrap();
    let profile = device.profile().unwrap();
    let row = &profile.kernels[0];
    assert_eq!(
        (
            profile.kernels.len(),
            row.name.as_str(),
            row.count,
            row.bytes
        ),
        (1, "k", 3, 48_000)
    );
    assert!(
        row.min_seconds <= row.mean_seconds()
            && row.mean_seconds() <= row.max_seconds
            && row.total_seconds >= row.max_seconds
    );
    assert!(
        profile.to_string().starts_with("kernel       count"),
        "{profile}"
    );
    assert!(
        profile
            .to_string()
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("k                3"),
        "{profile}"
    );
    device.reset_profile();
    assert_eq!(device.profile().unwrap().kernels, []);
}

/// Every scalar type.
const SCALARS: [Scalar; 11] = [
    Scalar::Bool,
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
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
        any::<f32>().prop_map(ScalarValue::F32),
        any::<f64>().prop_map(ScalarValue::F64),
        (-300i32..300).prop_map(|x| ScalarValue::F64(f64::from(x) / 4.0)),
    ]
}

/// A value as a sum of an integer and a fraction, exact for all types; `None` for what is not finite.
fn exact(value: ScalarValue) -> Option<(i128, u64)> {
    let float = match value {
        ScalarValue::F32(x) => f64::from(x),
        ScalarValue::F64(x) => x,
        other => return other.integer().map(|integer| (integer, 0)),
    };
    (float.is_finite() && float.abs() < 1e38)
        .then(|| (float.trunc() as i128, float.fract().to_bits() & !(1 << 63)))
}

proptest! {
    #[test]
    fn a_converted_number_is_the_same_number(value in number(), to in prop::sample::select(&SCALARS[..])) {
        match super::check::convert(value, to) {
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
