//! The kernel property `math: native`: WGSL's own functions of `float`, within what WGSL demands of a driver.
//!
//! Source of the bounds: WGSL, section 15.7.4 (accuracy of concrete floating-point expressions).

use ferrocca_core::{BuildOrigin, Device, args};

fn device(props: &str) -> Option<Device> {
    // Naming the backend links it, and it then registers itself.
    let _ = ferrocca_backend_wgpu::WGPU;
    match Device::open(format!("mode=WebGPU{props}").as_str()) {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
            assert!(!required.split(',').any(|mode| mode.trim().eq_ignore_ascii_case("WebGPU")), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

fn source(call: &str) -> String {
    format!(
        "@kernel void test(const int n, const float *x, const float *y, float *out) {{
            for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{ out[i] = {call}; }}
        }}"
    )
}

/// A unit in the last place of a number near 1.
const ULP: f64 = 1.0 / (1 << 23) as f64;

/// Error of `log` and `log2`, the result of which is `value`.
fn log_error(x: f64, value: f64) -> f64 {
    if (0.5..=2.0).contains(&x) { 4.0 * ULP } else { 3.0 * ULP * value.abs() }
}

/// Relative error of `exp` and `exp2`.
fn exp_error(x: f64) -> f64 {
    (3.0 + 2.0 * x.abs()) * ULP
}

/// A function: its name, what arguments it is tried on, its value, and how far from that the result may be.
type Row = (&'static str, [f64; 2], fn(f64) -> f64, fn(f64) -> f64);

const TABLE: &[Row] = &[
    ("sqrt", [0.01, 1000.0], f64::sqrt, |x| 5.0 * ULP * x.sqrt()),
    ("rsqrt", [0.01, 1000.0], |x| 1.0 / x.sqrt(), |x| 2.0 * ULP / x.sqrt()),
    ("exp", [-20.0, 20.0], f64::exp, |x| exp_error(x) * x.exp()),
    ("exp2", [-20.0, 20.0], f64::exp2, |x| exp_error(x) * x.exp2()),
    ("log", [0.01, 1000.0], f64::ln, |x| log_error(x, x.ln())),
    ("log2", [0.01, 1000.0], f64::log2, |x| log_error(x, x.log2())),
    ("sin", [-3.1, 3.1], f64::sin, |_| 2.0_f64.powi(-11)),
    ("cos", [-3.1, 3.1], f64::cos, |_| 2.0_f64.powi(-11)),
    ("tan", [-1.0, 1.0], f64::tan, |x| 2.0_f64.powi(-10) / x.cos().powi(2)),
    ("asin", [-1.0, 1.0], f64::asin, |x| 4096.0 * ULP * x.asin().abs() + 6.81e-5),
    ("acos", [-1.0, 1.0], f64::acos, |x| 4096.0 * ULP * x.acos().abs() + 6.81e-5),
    ("atan", [-10.0, 10.0], f64::atan, |x| 4096.0 * ULP * x.atan().abs()),
    ("sinh", [-5.0, 5.0], f64::sinh, |x| exp_error(x.abs() + 1.0) * x.abs().exp()),
    ("cosh", [-5.0, 5.0], f64::cosh, |x| exp_error(x.abs() + 1.0) * x.abs().exp()),
    ("tanh", [-5.0, 5.0], f64::tanh, |x| 2.0 * exp_error(x.abs() + 1.0) * (2.0 * x.abs()).exp().min(10.0) + 1e-5),
    // log(x + sqrt(x² + 1)), where a negative x nearly cancels.
    ("asinh", [-10.0, 10.0], f64::asinh, |x| {
        let (root, sum) = ((x * x + 1.0).sqrt(), x + (x * x + 1.0).sqrt());
        (x.abs() + 8.0 * root) * ULP / sum + log_error(sum, sum.ln())
    }),
    ("acosh", [1.1, 50.0], f64::acosh, |x| 16.0 * ULP / (x * x - 1.0).sqrt() * x + log_error(2.0 * x, x.acosh())),
    ("atanh", [-0.9, 0.9], f64::atanh, |x| 8.0 * ULP + log_error((1.0 + x) / (1.0 - x), 2.0 * x.atanh())),
];

fn run(device: &Device, call: &str, x: &[f32], y: &[f32]) -> Vec<f32> {
    let kernel = device.build_kernel_from_string(&source(call), "test", "math=native").expect("it builds");
    let (x, y) = (device.malloc_from(x).expect("memory"), device.malloc_from(y).expect("memory"));
    let mut out = device.malloc::<f32>(x.len()).expect("memory");
    kernel.launch(args![x.len(), &x, &y, &mut out]).expect("it runs");
    out.to_vec().expect("results")
}

#[test]
fn native_functions_are_as_precise_as_wgsl_demands() {
    let Some(device) = device("") else { return };
    const COUNT: usize = 1000;
    let mut wrong = Vec::new();
    for &(function, [low, high], value, bound) in TABLE {
        let x: Vec<f32> = (0..=COUNT).map(|k| (low + (high - low) * k as f64 / COUNT as f64) as f32).collect();
        let got = run(&device, &format!("{function}(x[i])"), &x, &x);
        let off = |&(&x, &got): &(&f32, &f32)| (f64::from(got) - value(f64::from(x))).abs() / bound(f64::from(x));
        let worst = x.iter().zip(&got).max_by(|a, b| off(a).total_cmp(&off(b))).expect("there are some");
        println!("{function}: at most {:.3} of the bound, at {}", off(&worst), worst.0);
        // False of a NaN.
        let is_within = off(&worst) <= 1.0;
        if !is_within {
            wrong.push(format!("{function}({}) = {}", worst.0, worst.1));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn native_powers_and_angles() {
    let Some(device) = device("") else { return };
    let (x, y): (Vec<f32>, Vec<f32>) =
        (1..=30).flat_map(|a| (-30..=30).map(move |b| (a as f32 * 0.3, b as f32 * 0.1))).unzip();
    for ((&x, &y), got) in x.iter().zip(&y).zip(run(&device, "pow(x[i], y[i])", &x, &y)) {
        let (x, y) = (f64::from(x), f64::from(y));
        // exp2(y * log2(x)): an error of the exponent is a relative one of the power.
        let exponent = y * x.log2();
        let error = y.abs() * log_error(x, x.log2()) + ULP * exponent.abs() + exp_error(exponent);
        assert!((f64::from(got) - x.powf(y)).abs() <= error * x.powf(y), "pow({x}, {y}) = {got}");
    }
    for ((&x, &y), got) in x.iter().zip(&y).zip(run(&device, "atan2(y[i], x[i])", &x, &y)) {
        let expected = f64::from(y).atan2(f64::from(x));
        assert!((f64::from(got) - expected).abs() <= 4096.0 * ULP * expected.abs(), "atan2({y}, {x}) = {got}");
    }
}

#[test]
fn native_and_exact_kernels_are_kept_apart() {
    let directory = tempfile::tempdir().expect("a directory");
    let Some(device) = device(&format!(", cache_dir='{}'", directory.path().display())) else { return };
    let source = source("exp(x[i]) + y[i]");
    let build = |props: &str| device.build_kernel_from_string(&source, "test", props);
    for props in ["", "math=native"] {
        let kernel = build(props).expect("it builds");
        assert!(matches!(kernel.origin(), BuildOrigin::Compiled { .. }), "`{props}`: {:?}", kernel.origin());
    }
    // The property's default is the same text, found by what it became.
    assert!(matches!(build("math=native").expect("it builds").origin(), BuildOrigin::Memory));
    let error = build("math=fast").expect_err("there is no such math").to_string();
    assert!(error.contains("`math` takes 'exact' or 'native', got 'fast'"), "{error}");
}
