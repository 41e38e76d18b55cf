//! The elementary functions of kernels: how exact they are, and that every compiler, flag and mode computes the same bits.

use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, Element, ErrorKind, Result, args};
use std::fmt::Write as _;

const UNARY: [&str; 17] = [
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh", "tanh", "cbrt",
];
const BINARY: [&str; 2] = ["pow", "hypot"];
/// Those that are ours in `float` alone.
const SINGLE: [&str; 2] = ["erf", "erfc"];

/// A kernel for each function.
fn kernels(ty: &str) -> String {
    let mut text = String::new();
    let mut kernel = |name: &str, call: &str| {
        let _ = writeln!(
            text,
            "@kernel void of_{name}(const int n, @restrict const {ty} *x, @restrict const {ty} *y, @restrict {ty} *out) {{
               for (int i = 0; i < n; ++i; @tile(1024, @outer, @inner)) {{ out[i] = {call}; }}
             }}"
        );
    };
    for name in UNARY {
        kernel(name, &format!("{name}(x[i])"));
    }
    for name in BINARY {
        kernel(name, &format!("{name}(x[i], y[i])"));
    }
    if ty == "float" {
        SINGLE.iter().for_each(|name| kernel(name, &format!("{name}(x[i])")));
        kernel("atan2", "atan2(x[i], y[i])");
    }
    text
}

/// Values of one of the kernels on a device.
fn values<T: Element>(device: &Device, source: &str, props: &str, name: &str, x: &[T], y: &[T]) -> Result<Vec<T>> {
    let kernel = device.build_kernel_from_string(source, &format!("of_{name}"), props)?;
    let (x, y) = (device.malloc_from(x)?, device.malloc_from(y)?);
    let mut out = device.malloc_from(&x.to_vec()?)?;
    kernel.launch(args![x.len() as i32, &x, &y, &mut out])?;
    out.to_vec()
}

/// xorshift64*
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(2_685_821_657_736_338_717)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / 9_007_199_254_740_992.0
    }
}

const SPECIAL: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    5e-324,
    -1e-310,
    f64::MAX,
    f64::MIN,
    1e22,
    4_503_599_627_370_497.0,
    9_007_199_254_740_991.0,
    709.8,
    -745.2,
];

/// Numbers of all sizes, and more of those that functions are mostly called with.
fn doubles(count: usize) -> (Vec<f64>, Vec<f64>) {
    let mut draw = Draw(88_172_645_463_325_252);
    let pairs = SPECIAL.iter().flat_map(|&x| SPECIAL.iter().map(move |&y| (x, y)));
    let mut pairs: Vec<(f64, f64)> = pairs.collect();
    while pairs.len() < count {
        let pair = match pairs.len() / 1024 % 4 {
            0 => (f64::from_bits(draw.next()), f64::from_bits(draw.next())),
            1 => (2.0 * draw.unit() - 1.0, 2.0 * draw.unit() - 1.0),
            2 => (200.0 * draw.unit() - 100.0, 20.0 * draw.unit() - 10.0),
            _ => (20.0 * draw.unit(), 200.0 * draw.unit() - 100.0),
        };
        pairs.push(pair);
    }
    pairs.into_iter().unzip()
}

/// A unit in the last place of a float.
fn ulp_of_single(value: f64) -> f64 {
    let exponent = (value.abs().min(f64::from(f32::MAX)).to_bits() >> 52) as i32 - 1023;
    2f64.powi(exponent.max(-126) - 23)
}

fn single_reference(name: &str, x: f64, y: f64) -> f64 {
    match name {
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "expm1" => x.exp_m1(),
        "log" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "log1p" => x.ln_1p(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "cbrt" => x.cbrt(),
        "erf" => libm::erf(x),
        "erfc" => libm::erfc(x),
        "pow" => x.powf(y),
        "hypot" => x.hypot(y),
        "atan2" => x.atan2(y),
        _ => unreachable!("{name}"),
    }
}

/// Against functions of `f64`: the whole range of `float`, by its bits.
#[test]
fn functions_of_float_are_within_six_tenths_of_a_unit() -> Result<()> {
    let device = Device::open("mode=Serial")?;
    let source = kernels("float");
    let mut x: Vec<f32> = (0..=u32::MAX).step_by(9973).map(f32::from_bits).collect();
    let mut draw = Draw(1);
    let mut y: Vec<f32> = x.iter().map(|_| (draw.unit() * 40.0 - 20.0) as f32).collect();
    for &a in &SPECIAL {
        for &b in &SPECIAL {
            x.push(a as f32);
            y.push(b as f32);
        }
    }
    for name in UNARY.into_iter().chain(BINARY).chain(SINGLE).chain(["atan2"]) {
        let got = values(&device, &source, "", name, &x, &y)?;
        let mut worst = (0.0, 0.0f32, 0.0f32);
        for ((&x, &y), &got) in x.iter().zip(&y).zip(&got) {
            let expected = single_reference(name, f64::from(x), f64::from(y));
            let rounded = expected as f32;
            let is_special = expected.is_nan() || expected.is_infinite() || expected == 0.0;
            let matches = got.is_nan() && expected.is_nan() || got.to_bits() == rounded.to_bits();
            assert!(!is_special || matches, "{name}({x:e}, {y:e}) is {got:e}, not {expected:e}");
            if !is_special {
                assert_eq!(got.is_sign_negative(), expected.is_sign_negative(), "{name}({x:e}, {y:e}) is {got:e}");
                let bound = |value: f64| value.clamp(-2f64.powi(128), 2f64.powi(128));
                let ulp = (bound(f64::from(got)) - bound(expected)).abs() / ulp_of_single(expected);
                if ulp > worst.0 {
                    worst = (ulp, x, y);
                }
            }
        }
        assert!(worst.0 < 0.6, "{name}({:e}, {:e}) is off by {} ulp", worst.1, worst.2, worst.0);
    }
    Ok(())
}

/// Against values with 30 digits (`data/functions.py`).
#[test]
fn functions_of_double_are_within_a_unit() -> Result<()> {
    let device = Device::open("mode=Serial")?;
    let source = kernels("double");
    let table = include_str!("data/functions.txt");
    for name in UNARY.into_iter().chain(BINARY) {
        let rows: Vec<Vec<f64>> = table
            .lines()
            .filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
            .map(|row| {
                let number = |text| f64::from_bits(u64::from_str_radix(text, 16).expect("hexadecimal digits"));
                row.split(' ').map(number).collect()
            })
            .collect();
        assert!(rows.len() >= 90, "{name}: {} rows", rows.len());
        let x: Vec<f64> = rows.iter().map(|row| row[0]).collect();
        let y: Vec<f64> = rows.iter().map(|row| row[row.len() - 3]).collect();
        let got = values(&device, &source, "", name, &x, &y)?;
        for (row, got) in rows.iter().zip(got) {
            let [high, low] = [row[row.len() - 2], row[row.len() - 1]];
            let ulp = f64::from_bits(high.abs().to_bits() + 1) - high.abs();
            let off = ((got - high) - low).abs() / ulp;
            assert!(off < 1.0, "{name}{:?} is {got:e}, off by {off} ulp", &row[..row.len() - 2]);
        }
    }
    Ok(())
}

fn has(program: &str) -> bool {
    let found = std::process::Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no {program}");
    }
    found
}

/// Vectors of any length, what they leave over, and functions one by one, of either compiler.
#[test]
fn every_build_computes_the_same_bits() -> Result<()> {
    let mut devices = vec![Device::open("mode=CPU, threads=3")?, Device::open("mode=Serial, checked=true")?];
    for compiler in ["gcc", "clang"].into_iter().filter(|name| has(name)) {
        for flags in
            ["-O3 -march=native -fno-math-errno -fno-trapping-math", "-O3 -fno-math-errno -fno-trapping-math", "-O1"]
        {
            let native = cfg!(target_arch = "x86_64") || !flags.contains("native");
            if native {
                let props = format!("mode=Serial, compiler={compiler}, compiler_flags='{flags}'");
                devices.push(Device::open(props.as_str())?);
            }
        }
    }
    let one = Device::open("mode=Serial")?;
    let (x, y) = doubles(20_011);
    let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    let source = kernels("double");
    for name in UNARY.into_iter().chain(BINARY) {
        let expected = values(&one, &source, "", name, &x, &y)?;
        for device in &devices {
            let got = values(device, &source, "", name, &x, &y)?;
            let differs = (0..x.len()).find(|&i| !same(got[i], expected[i]));
            assert_eq!(differs.map(|i| (x[i], y[i], got[i], expected[i])), None, "{name}, {device:?}");
        }
    }
    let (x, y): (Vec<f32>, Vec<f32>) = x.iter().zip(&y).map(|(&x, &y)| (x as f32, y as f32)).unzip();
    let source = kernels("float");
    for name in UNARY.into_iter().chain(BINARY).chain(SINGLE).chain(["atan2"]) {
        let expected = values(&one, &source, "", name, &x, &y)?;
        for device in &devices {
            let got = values(device, &source, "", name, &x, &y)?;
            let differs = (0..x.len()).find(|&i| !same(f64::from(got[i]), f64::from(expected[i])));
            assert_eq!(differs.map(|i| (x[i], y[i], got[i], expected[i])), None, "{name} of float, {device:?}");
        }
    }
    Ok(())
}

const LOOPS: &str = "
double wave(const double x) { const double twice = 2 * x; return twice + sin(twice); }
@kernel void in_place(const int n, double *x, double *y) {
  for (int i = 0; i < n; ++i; @tile(4096, @outer, @inner)) { x[i] = cos(x[i]); }
}
@kernel void after_store(const int n, double *x, double *y) {
  for (int i = 0; i < n; ++i; @tile(4096, @outer, @inner)) { y[i] = 1e6 * x[i]; x[i] = cos(x[i]) + sin(y[i]); }
}
@kernel void guarded(const int n, @restrict double *x, @restrict double *y) {
  for (int i = 0; i < n; ++i; @tile(4096, @outer, @inner)) {
    if (x[i] > 0) { const double s = x[i] * 3; y[i] = tan(s); } else { y[i] = x[i] < -1 ? sin(x[i] * x[i]) : 7; }
  }
}
@kernel void called(const int n, @restrict double *x, @restrict double *y) {
  for (int i = 0; i < n; ++i; @tile(4096, @outer, @inner)) { y[i] = wave(wave(x[i])); }
}
@kernel void rows(const int n, @restrict double *x, @restrict double *y) {
  for (int b = 0; b < n / 32; ++b; @outer) for (int j = 0; j < 1; ++j; @inner) {
    double sums[32];
    for (int k = 0; k < 32; ++k) { sums[k] = 1; }
    for (int k = 0; k < 32; ++k) { sums[k] += cos(wave(x[32 * b + k])); }
    for (int k = 1; k < 32; ++k) { sums[k] = sin(sums[k] + 3e6 * sums[k - 1]); }
    for (int k = 0; k < 32; ++k) { y[32 * b + k] = sums[k]; }
  }
}
@kernel void indexed(const int n, @restrict double *x, @restrict double *y) {
  for (int i = 0; i < n; ++i; @tile(4096, @outer, @inner)) {
    const int j = (int) (0.49 * n * (1 + sin(x[i])));
    y[i] = cos(x[j]);
  }
}";

/// Loops that decide by their arguments which version runs, with few large angles: what a device says that has no versions.
#[test]
fn a_large_angle_anywhere_is_reduced_as_if_it_were_alone() -> Result<()> {
    let checked = Device::open("mode=Serial, checked=true")?;
    let mut draw = Draw(5);
    let mut x: Vec<f64> = (0..8192).map(|_| draw.unit() * 200.0 - 100.0).collect();
    for (at, value) in [(7, 1e22), (1023, -3e9), (1024, 1e300), (5000, f64::INFINITY), (6001, f64::NAN), (8191, 2e6)] {
        x[at] = value;
    }
    for props in ["mode=Serial", "mode=CPU, threads=3"] {
        let device = Device::open(props)?;
        for name in ["in_place", "after_store", "guarded", "called", "rows", "indexed"] {
            if name == "indexed" {
                // An index of what is no number has no meaning.
                x.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = 1e200);
            }
            let run = |device: &Device| -> Result<Vec<u64>> {
                let kernel = device.build_kernel_from_string(LOOPS, name, ())?;
                let (mut a, mut b) = (device.malloc_from(&x)?, device.malloc_from(&vec![0.0; x.len()])?);
                kernel.launch(args![x.len() as i32, &mut a, &mut b])?;
                let all = a.to_vec()?.into_iter().chain(b.to_vec()?);
                Ok(all.map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect())
            };
            let (got, expected) = (run(&device)?, run(&checked)?);
            let differs = (0..got.len()).find(|&i| got[i] != expected[i]);
            assert_eq!(differs, None, "{name}, {props}");
        }
    }
    Ok(())
}

#[test]
fn the_c_librarys_functions_are_there_for_whoever_asks() -> Result<()> {
    let device = Device::open("mode=Serial")?;
    let source = kernels("double");
    let x: Vec<f64> = (1..1000).map(|i| f64::from(i) * 0.37).collect();
    let got = values(&device, &source, "math=native", "log", &x, &x)?;
    assert!(x.iter().zip(got).all(|(x, got)| (x.ln() - got).abs() <= 1e-15 * got.abs()));
    let error = device.build_kernel_from_string(&source, "of_log", "math=fast").expect_err("there is no such value");
    assert!(matches!(error.kind(), ErrorKind::Props { .. }), "{error}");
    let checked = Device::open("mode=Serial, checked=true")?;
    let error = checked.build_kernel_from_string(&source, "of_log", "math=native").expect_err("it has ours alone");
    assert!(matches!(error.kind(), ErrorKind::Props { .. }), "{error}");
    Ok(())
}
