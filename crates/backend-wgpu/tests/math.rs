//! The built-in functions on a WebGPU device against correctly rounded results, over their whole range:
//! `math/double.txt` and `math/single.txt`, which `math/generate.py` writes.

use ferrocca_core::{Device, Element, args};
use std::collections::BTreeMap;

/// How far results may be from the correctly rounded ones, in units in the last place.
fn tolerance(function: &str, is_double: bool) -> u64 {
    match function {
        "fmod" => 0,
        // The gamma function is no part of the promise, which its tolerance everywhere reflects.
        "tgamma" | "lgamma" => 16,
        _ if is_double => 2,
        _ => 4,
    }
}

fn device() -> Option<Device> {
    // Naming the backend links it, and it then registers itself.
    let _ = ferrocca_backend_wgpu::WGPU;
    match Device::open("mode=WebGPU") {
        Ok(device) => Some(device),
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
            assert!(!required.split(',').any(|mode| mode.trim().eq_ignore_ascii_case("WebGPU")), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

/// Lines of a table by function: arguments and result as bits.
fn table(text: &str) -> BTreeMap<&str, Vec<Vec<u64>>> {
    let mut table: BTreeMap<&str, Vec<Vec<u64>>> = BTreeMap::new();
    for line in text.lines() {
        let (function, numbers) = line.split_once(' ').expect("a function and numbers");
        let bits = numbers.split(' ').map(|bits| u64::from_str_radix(bits, 16).expect("bits")).collect();
        table.entry(function).or_default().push(bits);
    }
    table
}

fn run<T: Element>(device: &Device, ty: &str, function: &str, lines: &[Vec<u64>], make: fn(u64) -> T) -> Vec<T> {
    let pairs = lines[0].len() == 3;
    let call = if pairs { format!("{function}(x[i], y[i])") } else { format!("{function}(x[i])") };
    let source = format!(
        "@kernel void test(const int n, const {ty} *x, const {ty} *y, {ty} *out) {{
            for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{ out[i] = {call}{}; }}
        }}",
        if pairs { "" } else { " + 0 * y[0]" }
    );
    let source =
        if pairs { source } else { source.replace(" + 0 * y[0]", "").replace(&format!("const {ty} *y, "), "") };
    let column = |k: usize| lines.iter().map(|line| make(line[k])).collect::<Vec<T>>();
    let kernel = device.build_kernel_from_string(&source, "test", "").unwrap_or_else(|e| panic!("{function}: {e}"));
    let x = device.malloc_from(&column(0)).expect("memory");
    let mut out = device.malloc::<T>(lines.len()).expect("memory");
    if pairs {
        let y = device.malloc_from(&column(1)).expect("memory");
        kernel.launch(args![lines.len(), &x, &y, &mut out]).expect("it runs");
    } else {
        kernel.launch(args![lines.len(), &x, &mut out]).expect("it runs");
    }
    out.to_vec().expect("results")
}

/// The number of representable numbers between two, with the sign folded away.
fn distance(a: u64, b: u64, sign: u64) -> u64 {
    let order = |bits: u64| if bits & sign == 0 { bits as i128 } else { -((bits ^ sign) as i128) };
    u64::try_from((order(a) - order(b)).unsigned_abs()).unwrap_or(u64::MAX)
}

/// One type's numbers.
struct Format {
    sign: u64,
    infinity: u64,
    /// The smallest number that is not subnormal.
    normal: u64,
}

/// Everything that is wrong with one function's results.
fn compare(function: &str, lines: &[Vec<u64>], got: &[u64], format: &Format, most: u64) -> Vec<String> {
    let magnitude = |bits: u64| bits & !format.sign;
    let is_nan = |bits| magnitude(bits) > format.infinity;
    let mut wrong = Vec::new();
    let mut worst = 0;
    for (line, &got) in lines.iter().zip(got) {
        let (&expected, arguments) = line.split_last().expect("a result");
        // Hardware may take subnormal numbers for zero; a function's value there is then that at zero, or zero.
        let flushed = magnitude(expected) < format.normal && magnitude(got) == 0;
        let subnormal_argument = arguments.iter().any(|&a| magnitude(a) != 0 && magnitude(a) < format.normal);
        let fine = if is_nan(expected) {
            is_nan(got)
        } else if magnitude(expected) == 0 {
            got == expected || magnitude(got) == 0 && function == "fmod"
        } else {
            !is_nan(got) && distance(got, expected, format.sign) <= most || flushed
        };
        if !is_nan(expected) && !is_nan(got) && !flushed {
            worst = worst.max(distance(got, expected, format.sign));
        }
        if !(fine || subnormal_argument && function == "fmod") {
            wrong.push(format!("{function} of {arguments:x?}: got {got:x}, expected {expected:x}"));
        }
    }
    println!("{function}: {worst} ulp at most, {} of {} wrong", wrong.len(), lines.len());
    wrong
}

fn check(report: Vec<String>) {
    for line in report.iter().take(60) {
        println!("{line}");
    }
    assert!(report.is_empty(), "{} results are wrong", report.len());
}

#[test]
fn double_precision_is_within_two_units() {
    let Some(device) = device().filter(|device| device.capabilities().f64) else { return };
    let format = Format { sign: 1 << 63, infinity: 0x7ff << 52, normal: 1 << 52 };
    let mut wrong = Vec::new();
    for (function, lines) in table(include_str!("math/double.txt")) {
        let got = run(&device, "double", function, &lines, f64::from_bits);
        let got: Vec<u64> = got.into_iter().map(f64::to_bits).collect();
        wrong.extend(compare(function, &lines, &got, &format, tolerance(function, true)).into_iter().take(6));
    }
    check(wrong);
}

#[test]
fn single_precision_is_within_four_units() {
    let Some(device) = device() else { return };
    let format = Format { sign: 1 << 31, infinity: 0xff << 23, normal: 1 << 23 };
    let mut wrong = Vec::new();
    for (function, lines) in table(include_str!("math/single.txt")) {
        let got = run(&device, "float", function, &lines, |bits| f32::from_bits(bits as u32));
        let got: Vec<u64> = got.into_iter().map(|value| u64::from(value.to_bits())).collect();
        wrong.extend(compare(function, &lines, &got, &format, tolerance(function, false)).into_iter().take(6));
    }
    check(wrong);
}

#[test]
fn single_precision_roots_are_correctly_rounded() {
    let Some(device) = device() else { return };
    const SPREAD: u32 = 2_039;
    let ends = [0, 1, 0x007f_ffff, 0x0080_0000, 0x3f7f_ffff, 0x3f80_0000, 0x3f80_0001, 0x7f7f_ffff, 0x7f80_0000];
    let positive = (0..=0x7f80_0000 / SPREAD).map(|k| k * SPREAD).chain(ends);
    let others = [-0.0_f32, -1.0, -f32::MIN_POSITIVE, f32::NEG_INFINITY, f32::NAN].map(f32::to_bits);
    let lines: Vec<Vec<u64>> = positive.chain(others).map(|bits| vec![u64::from(bits), 0]).collect();
    let got = run(&device, "float", "sqrt", &lines, |bits| f32::from_bits(bits as u32));
    for (line, got) in lines.iter().zip(got) {
        let x = f32::from_bits(line[0] as u32);
        let expected = x.sqrt();
        let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
        assert!(same, "sqrt({x:e}): got {got:e}, expected {expected:e}");
    }
}
