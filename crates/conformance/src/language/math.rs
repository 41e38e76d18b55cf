//! Built-in functions against Rust's, in `float` and `double`.

use super::build;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["math"; float_functions, double_functions: F64, exact_functions, double_exact_functions: F64, integer_functions, overloads_by_type, special_values: F64, float_zeros, double_zeros: F64];

type Function = (&'static str, fn(f64) -> f64, f64, f64);

/// Name, reference, and the range from which arguments are taken.
const FUNCTIONS: &[Function] = &[
    ("exp", f64::exp, -20.0, 20.0),
    ("exp2", f64::exp2, -20.0, 20.0),
    ("expm1", f64::exp_m1, -1.0, 5.0),
    ("log", f64::ln, 0.01, 100.0),
    ("log2", f64::log2, 0.01, 100.0),
    ("log10", f64::log10, 0.01, 100.0),
    ("log1p", f64::ln_1p, -0.5, 10.0),
    ("sin", f64::sin, -10.0, 10.0),
    ("cos", f64::cos, -10.0, 10.0),
    ("tan", f64::tan, -1.4, 1.4),
    ("asin", f64::asin, -1.0, 1.0),
    ("acos", f64::acos, -1.0, 1.0),
    ("atan", f64::atan, -20.0, 20.0),
    ("sinh", f64::sinh, -5.0, 5.0),
    ("cosh", f64::cosh, -5.0, 5.0),
    ("tanh", f64::tanh, -5.0, 5.0),
    ("asinh", f64::asinh, -5.0, 5.0),
    ("acosh", f64::acosh, 1.1, 50.0),
    ("atanh", f64::atanh, -0.9, 0.9),
    ("cbrt", f64::cbrt, -100.0, 100.0),
];

const EXACT: &[Function] = &[
    ("sqrt", f64::sqrt, 0.0, 100.0),
    ("fabs", f64::abs, -10.0, 10.0),
    ("floor", f64::floor, -10.0, 10.0),
    ("ceil", f64::ceil, -10.0, 10.0),
    ("trunc", f64::trunc, -10.0, 10.0),
    ("round", f64::round, -10.0, 10.0),
    ("rint", f64::round_ties_even, -10.0, 10.0),
];

const POINTS: usize = 200;

fn arguments(low: f64, high: f64) -> Vec<f64> {
    (0..POINTS).map(|k| low + (high - low) * (k as f64 + 0.5) / POINTS as f64).collect()
}

fn source(ty: &str, calls: &str) -> String {
    format!(
        "@kernel void test(const int n, const {ty} *x, {ty} *y) {{
            for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {{ {calls} }}
        }}"
    )
}

fn double_against(device: &Device, functions: &[Function], ulp: f64) -> Outcome {
    for (name, reference, low, high) in functions {
        let host = arguments(*low, *high);
        let x = device.malloc_from(&host)?;
        let mut y = device.malloc::<f64>(POINTS)?;
        build(device, &source("double", &format!("y[i] = {name}(x[i]);")))?.launch(args![POINTS, &x, &mut y])?;
        let expected: Vec<f64> = host.iter().map(|&x| reference(x)).collect();
        check::close(name, &y.to_vec()?, &expected, ulp, f64::EPSILON)?;
    }
    Ok(())
}

fn float_against(device: &Device, functions: &[Function], ulp: f64) -> Outcome {
    for (name, reference, low, high) in functions {
        let host: Vec<f32> = arguments(*low, *high).into_iter().map(|x| x as f32).collect();
        let x = device.malloc_from(&host)?;
        let mut y = device.malloc::<f32>(2 * POINTS)?;
        // By overload and by C's own name for the float version.
        let calls = format!("y[2 * i] = {name}(x[i]); y[2 * i + 1] = {name}f(x[i]);");
        build(device, &source("float", &calls))?.launch(args![POINTS, &x, &mut y])?;
        let expected: Vec<f64> = host.iter().flat_map(|&x| [reference(f64::from(x)); 2]).collect();
        let got: Vec<f64> = y.to_vec()?.into_iter().map(f64::from).collect();
        check::close(name, &got, &expected, ulp, f64::from(f32::EPSILON))?;
    }
    Ok(())
}

fn float_functions(device: &Device) -> Outcome {
    float_against(device, FUNCTIONS, 4.0)
}

fn double_functions(device: &Device) -> Outcome {
    double_against(device, FUNCTIONS, 4.0)
}

fn exact_functions(device: &Device) -> Outcome {
    float_against(device, EXACT, 0.5)
}

fn double_exact_functions(device: &Device) -> Outcome {
    double_against(device, EXACT, 0.0)
}

fn integer_functions(device: &Device) -> Outcome {
    super::maps(device, "", "out[i] = abs(in[i]) * 10000 + min(in[i], 7) + 100 * max(in[i], -3);", |x| {
        x.abs() * 10_000 + x.min(7) + 100 * x.max(-3)
    })
}

fn overloads_by_type(device: &Device) -> Outcome {
    let calls = "y[i] = min(x[i], 2.5f) + 10.0f * max(x[i], 1.0f) + 100.0f * fmin(x[i], 3.0f) + fmod(x[i], 2.0f) + fma(x[i], 2.0f, 0.5f)
        + pow(2.0f, floor(x[i])) + copysign(1000.0f, x[i]) + hypot(3.0f, 4.0f) + atan2(0.0f, 1.0f);";
    let host: Vec<f32> = (-16..16).map(|k| k as f32 * 0.25).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc::<f32>(host.len())?;
    build(device, &source("float", calls))?.launch(args![host.len(), &x, &mut y])?;
    let expected = host.iter().map(|&x| {
        let x = f64::from(x);
        x.min(2.5)
            + 10.0 * x.max(1.0)
            + 100.0 * x.min(3.0)
            + x % 2.0
            + x.mul_add(2.0, 0.5)
            + x.floor().exp2()
            + 1000f64.copysign(x)
            + 5.0
    });
    let got: Vec<f64> = y.to_vec()?.into_iter().map(f64::from).collect();
    for (k, (got, expected)) in got.iter().zip(expected).enumerate() {
        check::that((got - expected).abs() < 1e-3, format!("y[{k}] is {got}, expected {expected}"))?;
    }
    Ok(())
}

fn special_values(device: &Device) -> Outcome {
    let calls = "y[7 * i] = exp(x[i]); y[7 * i + 1] = sqrt(x[i]); y[7 * i + 2] = tanh(x[i]); y[7 * i + 3] = isnan(x[i]) ? 1.0 : 0.0;
        y[7 * i + 4] = isinf(x[i]) ? 1.0 : 0.0; y[7 * i + 5] = fmax(x[i], 0.0); y[7 * i + 6] = 1.0 / x[i];";
    let host = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310, -1.0];
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc::<f64>(7 * host.len())?;
    build(device, &source("double", calls))?.launch(args![host.len(), &x, &mut y])?;
    let expected: Vec<f64> = host
        .iter()
        .flat_map(|&x| {
            let flag = |b: bool| if b { 1.0 } else { 0.0 };
            [x.exp(), x.sqrt(), x.tanh(), flag(x.is_nan()), flag(x.is_infinite()), x.max(0.0), 1.0 / x]
        })
        .collect();
    check::close("y", &y.to_vec()?, &expected, 2.0, f64::EPSILON)
}

/// Products with constant zeros: of what is no number or infinite it is no number, else a zero of both factors' sign.
const PRODUCTS: &str = "y[6 * i] = x[i] * 0.0; y[6 * i + 1] = -0.0 * x[i]; y[6 * i + 2] = x[i] / 0.0 * 0.0;
    y[6 * i + 3] = x[i]; y[6 * i + 3] *= 0.0; const ZERO none = 0; y[6 * i + 4] = none * x[i]; y[6 * i + 5] = (x[i] + 1) * (3.0 - 3.0);";

const FACTORS: [f64; 6] = [2.5, -3.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

fn check_products(got: impl Iterator<Item = f64>) -> Outcome {
    let products = |x: f64| [x * 0.0, x * -0.0, f64::NAN, x * 0.0, x * 0.0, (x + 1.0) * 0.0];
    // Every NaN counts as the same.
    let bits = |value: f64| (!value.is_nan()).then(|| value.to_bits());
    let expected: Vec<_> = FACTORS.iter().flat_map(|&x| products(x)).map(bits).collect();
    check::same("y", &got.map(bits).collect::<Vec<_>>(), &expected)
}

fn float_zeros(device: &Device) -> Outcome {
    let x = device.malloc_from(&FACTORS.map(|x| x as f32))?;
    let mut y = device.malloc::<f32>(6 * FACTORS.len())?;
    let products = PRODUCTS.replace("0.0", "0.0f").replace("ZERO", "float");
    build(device, &source("float", &products))?.launch(args![FACTORS.len(), &x, &mut y])?;
    check_products(y.to_vec()?.into_iter().map(f64::from))
}

fn double_zeros(device: &Device) -> Outcome {
    let x = device.malloc_from(&FACTORS)?;
    let mut y = device.malloc::<f64>(6 * FACTORS.len())?;
    build(device, &source("double", &PRODUCTS.replace("ZERO", "double")))?.launch(args![FACTORS.len(), &x, &mut y])?;
    check_products(y.to_vec()?.into_iter())
}
