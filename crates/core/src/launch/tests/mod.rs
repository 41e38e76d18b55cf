//! Launches on the null device: what reaches the backend, what is allocated, what sizes are refused.

mod arguments;

use crate::arguments::Arg;
use crate::build::Program;
use crate::null::{Call, LaunchArgument, NullBackend};
use crate::{BuildOrigin, Device, ErrorKind, Kernel, args};
use okl::Signature;
use okl::ir::{BinaryOp, Literal, Scalar};
use okl::signature::{Element, HostExpr, HostExprKind, HostOp, NestArgument, NestSignature, Parameter, ParameterKind};
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
    HostExpr { ty, kind: HostExprKind::Literal(Literal::Int(value)) }
}

fn param(position: u32, ty: Scalar) -> HostExpr {
    HostExpr { ty, kind: HostExprKind::Param(position) }
}

fn binary(op: BinaryOp, a: HostExpr, b: HostExpr) -> HostExpr {
    HostExpr { ty: a.ty, kind: HostExprKind::Binary(op, Box::new(a), Box::new(b)) }
}

fn scalar(name: &str, ty: Scalar) -> Parameter {
    Parameter { name: name.into(), kind: ParameterKind::Scalar(ty) }
}

fn pointer(name: &str, ty: Scalar, mutable: bool, restrict: bool) -> Parameter {
    Parameter { name: name.into(), kind: ParameterKind::Pointer { element: Element::Scalar(ty), mutable, restrict } }
}

fn nest(outer: HostExpr, inner: HostExpr, arguments: Vec<NestArgument>) -> NestSignature {
    let one = || int(1, Scalar::I64);
    NestSignature {
        entry: "k_0".into(),
        outer: [outer, one(), one()],
        inner: [vec![inner], vec![one()], vec![]],
        arguments,
        shared_bytes: 0,
        pairs: None,
        dynamic_shared_bytes: 0,
        in_turn: false,
        exclusive_bytes: 0,
        items_meet: false,
        max_inner: None,
        cost: 1,
    }
}

/// One nest over `(n + 255) / 256` groups of 256 where the first parameter is an `int`, else one group of one item.
fn signature(params: Vec<Parameter>) -> Signature {
    let has_n = matches!(params.first(), Some(Parameter { kind: ParameterKind::Scalar(Scalar::I32), .. }));
    let outer = if has_n {
        let sum = binary(BinaryOp::Add, param(0, Scalar::I32), int(255, Scalar::I32));
        let groups = binary(BinaryOp::Div, sum, int(256, Scalar::I32));
        HostExpr { ty: Scalar::I64, kind: HostExprKind::Cast(Box::new(groups)) }
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
    let artifact = crate::backend::Artifact { path: None, bytes: b"null artifact\n" };
    let kernels = device.inner.backend.load(&artifact, &signature)?;
    let plan = super::LaunchPlan::new(signature, kernels, &*device.inner.backend)?;
    Ok(Kernel::new(device.inner.clone(), plan.into(), Program::without_source(), BuildOrigin::Memory))
}

fn open() -> (NullBackend, Device) {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    backend.record_launches();
    (backend, device)
}

/// What a launch of a kernel with these parameters answers: `ok`, or the error's text.
fn outcome<'a>(device: &Device, params: Vec<Parameter>, arguments: impl AsRef<[Arg<'a>]>) -> String {
    let kernel = load(device, signature(params)).unwrap();
    kernel.launch(arguments).map_or_else(|error| error.to_string(), |()| "ok".to_string())
}

#[test]
fn sizes_and_arguments_reach_the_backend() {
    let (backend, device) = open();
    let kernel = load(&device, burgers()).unwrap();
    let u_prev = device.malloc::<f64>(300).unwrap();
    let mut u = device.malloc::<f64>(310).unwrap();
    kernel.launch(args![300, 0.5, &u_prev, &mut u.slice(10..).unwrap()]).unwrap();
    kernel.launch(args![300usize, 0.5f32, &u_prev, &mut u]).unwrap();
    let stream = device.create_stream().unwrap();
    kernel.launch_on(&stream, args![513i64, 1, &u_prev, &mut u]).unwrap();
    let launches = backend.launches();
    assert_eq!((launches[0].dims.outer, launches[0].dims.inner), ([2, 1, 1], [256, 1, 1]));
    let (a, b) = (u_prev.handle().unwrap().raw(), u.handle().unwrap().raw());
    let expected = vec![
        LaunchArgument::Value(300i32.to_ne_bytes().to_vec()),
        LaunchArgument::Value(0.5f64.to_ne_bytes().to_vec()),
        LaunchArgument::Memory(Some(a), 0, 2400, false),
        LaunchArgument::Memory(Some(b), 80, 2400, true),
    ];
    assert_eq!(launches[0].arguments, expected);
    assert_eq!(launches[1].arguments[..3], expected[..3], "values arrive in the parameter's own type");
    assert_eq!((launches[0].stream, launches[2].stream), (0, stream.handle()));
}

#[test]
fn the_current_stream_is_each_threads_own() {
    let (backend, device) = open();
    let kernel = load(&device, signature(vec![])).unwrap();
    let stream = device.create_stream().unwrap();
    device.set_stream(&stream).unwrap();
    kernel.launch(args![]).unwrap();
    std::thread::scope(|scope| scope.spawn(|| kernel.launch(args![]).unwrap()).join().unwrap());
    device.set_stream(&device.default_stream()).unwrap();
    kernel.launch(args![]).unwrap();
    let streams: Vec<u64> = backend.launches().iter().map(|launch| launch.stream).collect();
    assert_eq!(streams, [stream.handle(), 0, 0]);
}

#[test]
fn a_launch_allocates_nothing() {
    let backend = NullBackend::new();
    let device = Device::open_with(&backend, ()).unwrap();
    let kernel = load(&device, burgers()).unwrap();
    let (u_prev, mut u) = (device.malloc::<f64>(258).unwrap(), device.malloc::<f64>(258).unwrap());
    let stream = device.create_stream().unwrap();
    let before = ALLOCATIONS.get();
    for n in 0..100 {
        kernel.launch(args![n, 0.5, &u_prev, &mut u]).unwrap();
        kernel.launch_on(&stream, args![n as i64, 0.5f32, &u_prev, &mut u]).unwrap();
    }
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert_eq!(backend.count(Call::Launch), 198, "both loops but the two launches of nothing");
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
    let slot = || HostExpr { ty: Scalar::I32, kind: HostExprKind::Slot(0) };
    let body = vec![HostOp::Launch(0), HostOp::Set(0, binary(BinaryOp::Add, slot(), int(1, Scalar::I32)))];
    let condition = HostExpr {
        ty: Scalar::Bool,
        kind: HostExprKind::Binary(BinaryOp::Lt, Box::new(slot()), Box::new(int(3, Scalar::I32))),
    };
    signature.host = vec![HostOp::Set(0, int(0, Scalar::I32)), HostOp::Loop(condition, body)];
    signature.nests[0].arguments.push(NestArgument::Slot(0));
    let kernel = load(&device, signature).unwrap();
    let (u_prev, mut u) = (device.malloc::<f64>(258).unwrap(), device.malloc::<f64>(258).unwrap());
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    let before = ALLOCATIONS.get();
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    assert_eq!(ALLOCATIONS.get() - before, 0);
    backend.record_launches();
    kernel.launch(args![258, 0.5, &u_prev, &mut u]).unwrap();
    let slots: Vec<_> = backend.launches().iter().map(|launch| launch.arguments[4].clone()).collect();
    assert_eq!(slots, [0i32, 1, 2].map(|value| LaunchArgument::Value(value.to_ne_bytes().to_vec())));
}

#[test]
fn a_launch_of_nothing_does_nothing_but_check() {
    let (backend, device) = open();
    let kernel = load(&device, burgers()).unwrap();
    let (u_prev, mut u) = (device.malloc::<f64>(0).unwrap(), device.malloc::<f64>(0).unwrap());
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
        let (u_prev, mut u) = (device.malloc::<f64>(1).unwrap(), device.malloc::<f64>(1).unwrap());
        load(&device, signature).unwrap().launch(args![n, 0.5, &u_prev, &mut u]).unwrap_err().to_string()
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
    assert!(matches!(error.kind(), ErrorKind::Internal { .. }), "{error}");
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
    let (u_prev, mut u) = (device.malloc::<f64>(1000).unwrap(), device.malloc::<f64>(1000).unwrap());
    for _ in 0..3 {
        kernel.launch(args![1000, 0.5, &u_prev, &mut u]).unwrap();
    }
    device.set_profiling(false);
    kernel.launch(args![1000, 0.5, &u_prev, &mut u]).unwrap();
    let profile = device.profile().unwrap();
    let row = &profile.kernels[0];
    assert_eq!((profile.kernels.len(), row.name.as_str(), row.count, row.bytes), (1, "k", 3, 48_000));
    assert!(
        row.min_seconds <= row.mean_seconds()
            && row.mean_seconds() <= row.max_seconds
            && row.total_seconds >= row.max_seconds
    );
    assert!(profile.to_string().starts_with("kernel       count"), "{profile}");
    assert!(profile.to_string().lines().nth(1).unwrap().starts_with("k                3"), "{profile}");
    device.reset_profile();
    assert_eq!(device.profile().unwrap().kernels, []);
}
