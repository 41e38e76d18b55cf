//! Native kernels in each mode that has them, and OCCA's settings of kernels.

use ferrocca::{Device, ErrorKind, Props, Result, args};

const C: &str = "void add(const int *n, const float *scale, const float *a, const float *b, float *sum) {
    for (int i = 0; i < *n; ++i) sum[i] = *scale * (a[i] + b[i]) + SHIFT;
}";
const CUDA: &str = "extern \"C\" __global__ void add(int n, float scale, const float *a, const float *b, float *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = scale * (a[i] + b[i]) + SHIFT;
}";
const OPENCL: &str =
    "__kernel void add(int n, float scale, __global const float *a, __global const float *b, __global float *sum) {
    int i = get_global_id(0);
    if (i < n) sum[i] = scale * (a[i] + b[i]) + SHIFT;
}";

const PROPS: &str = "okl: {enabled: false}, defines: {SHIFT: 3}";

/// The device of a mode, unless this machine has none.
fn device(mode: &str) -> Option<Device> {
    Device::open(format!("mode={mode}")).map_err(|error| println!("skipped: {error}")).ok()
}

#[test]
fn native_kernels_run_with_the_sizes_that_are_set() -> Result<()> {
    for (mode, source) in [("Serial", C), ("CPU", C), ("CUDA", CUDA), ("OpenCL", OPENCL)] {
        let Some(device) = device(mode) else { continue };
        let mut kernel = device.build_native_kernel_from_string(source, "add", PROPS)?;
        let a = device.malloc_from(&(0..100).map(|i| i as f32).collect::<Vec<_>>())?;
        let b = device.malloc_filled(100, 1.5f32)?;
        let mut sum = device.malloc_filled(100, -1.0f32)?;
        // SAFETY: nothing runs before sizes are set.
        let unset = unsafe { kernel.launch(args![70i32, 2.0f32, &a, &b, &mut sum]) };
        assert!(unset.unwrap_err().to_string().contains("set_run_dims"), "{mode}");
        assert!(kernel.set_run_dims([0, 1, 1], [1, 1, 1]).is_err(), "{mode}");
        kernel.set_run_dims([9, 1, 1], [8, 1, 1])?;
        // SAFETY: these are the function's arguments, and it writes 70 elements of 100.
        unsafe { kernel.launch(args![70i32, 2.0f32, &a, &b, &mut sum]) }?;
        let expected: Vec<f32> = (0..100).map(|i| if i < 70 { 2.0 * (i as f32 + 1.5) + 3.0 } else { -1.0 }).collect();
        assert_eq!(sum.to_vec()?, expected, "{mode}");
    }
    Ok(())
}

#[test]
fn a_slice_is_an_address_and_in_opencl_refused() -> Result<()> {
    for (mode, source) in [("Serial", C), ("CUDA", CUDA), ("OpenCL", OPENCL)] {
        let Some(device) = device(mode) else { continue };
        let mut kernel = device.build_native_kernel_from_string(source, "add", PROPS)?;
        kernel.set_run_dims([1, 1, 1], [8, 1, 1])?;
        let a = device.malloc_from(&[1.0f32, 2.0, 3.0, 4.0])?;
        let mut sum = device.malloc_filled(2, 0.0f32)?;
        // SAFETY: these are the function's arguments, and it reads and writes two elements of each.
        let launched = unsafe { kernel.launch(args![2i32, 1.0f32, &a.slice(2..4)?, &a.slice(0..2)?, &mut sum]) };
        if mode == "OpenCL" {
            assert!(launched.unwrap_err().to_string().contains("argument 3"));
        } else {
            launched?;
            assert_eq!(sum.to_vec()?, [7.0, 9.0], "{mode}");
        }
    }
    Ok(())
}

#[test]
fn what_is_wrong_is_named() -> Result<()> {
    let device = Device::open("mode=Serial")?;
    let build = |source: &str, name: &str, props: &str| {
        device.build_native_kernel_from_string(source, name, props).map(|_| ()).unwrap_err().to_string()
    };
    assert!(build(C, "add", "").contains("okl/enabled: false"));
    assert!(build(C, "add", "okl: {enabled: false}, checks: 'all'").contains("unknown kernel property `checks`"));
    assert!(build(C, "missing", PROPS).contains("missing"));
    let broken = build(&C.replace("SHIFT", "NOTHING"), "add", PROPS);
    assert!(broken.contains(":2:") && broken.contains("NOTHING"), "{broken}");
    let okl = device.build_kernel_from_string(C, "add", PROPS).map(|_| ()).unwrap_err().to_string();
    assert!(okl.contains("build_native_kernel"), "{okl}");
    let reference = Device::open("mode=Reference")?;
    let refused = reference.build_native_kernel_from_string(C, "add", PROPS).map(|_| ()).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::Unsupported { .. }) && refused.to_string().contains("Reference"));
    Ok(())
}

const OKL: &str = "#include \"shift.h\"
@kernel void shift(const int n, @restrict const int *in, @restrict int *out) {
    for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { out[i] = in[i] + SHIFT; }
}";

#[test]
fn settings_of_occa_are_kept_or_refused() -> Result<()> {
    let device = Device::open("mode=Serial")?;
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("shift.h"), "#define SHIFT 4\n").expect("a file");
    let path = directory.path().to_string_lossy().into_owned();
    let props = || Props::new().with("okl/include_paths", vec![ferrocca::Value::from(path.clone())]);
    let with = |name: &str, value: ferrocca::Value| props().with(format!("okl/{name}"), value);
    let launch = |props: Props| -> Result<Vec<i32>> {
        let kernel = device.build_kernel_from_string(OKL, "shift", props)?;
        let mut memory = device.malloc_from(&[1, 2, 3])?;
        kernel.launch(args![3, &memory.share(), &mut memory])?;
        memory.to_vec()
    };
    let overlap = launch(props()).unwrap_err().to_string();
    assert!(overlap.contains("overlap"), "{overlap}");
    let disabled = || with("restrict", "disabled".into()).with("okl/add_barriers", false).with("okl/validate", false);
    assert_eq!(launch(disabled())?, [5, 6, 7]);
    assert_eq!(launch(disabled().with("okl/strict_headers", true).with("okl/enabled", true))?, [5, 6, 7]);
    for (name, value, message) in [
        ("strict_headers", ferrocca::Value::from(false), "okl/include_paths"),
        ("restrict", "noalias".into(), "'disabled'"),
        ("add_barriers", 3.into(), "add_barriers"),
        ("include_path", "x".into(), "include_paths"),
    ] {
        let refused = launch(with(name, value)).unwrap_err().to_string();
        assert!(refused.contains(message), "{name}: {refused}");
    }
    Ok(())
}
