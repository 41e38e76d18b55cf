//! Primitives on one core and on all, against plain loops of Rust, the same in C (`gcc -O3 -march=native -ffast-math`), and
//! Rayon, from interleaved samples in one run.
//!
//! `speed` is how much faster Ferrocca is than the contender in that row: the median of the ratios of neighbouring samples.

mod compare;

use compare::{Contender, interleave, only_listed};
use ferrocca::primitives::{Primitives, formula};
use ferrocca::{Device, Memory};
use libloading::Library;
use rayon::prelude::*;
use std::hint::black_box;
use std::process::Command;
use std::time::Duration;

const LOOPS: &str = "
double sum(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i]; return s; }
double dot(const double *x, const double *y, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i] * y[i]; return s; }
void axpy(const double *x, double *y, long n) { for (long i = 0; i < n; i++) y[i] = 2 * x[i] + y[i]; }
void scan(const float *x, float *y, long n) { float s = 0; for (long i = 0; i < n; i++) y[i] = s += x[i]; }
";

type Sum = unsafe extern "C" fn(*const f64, i64) -> f64;
type Dot = unsafe extern "C" fn(*const f64, *const f64, i64) -> f64;
type Axpy = unsafe extern "C" fn(*const f64, *mut f64, i64);
type Scan = unsafe extern "C" fn(*const f32, *mut f32, i64);

/// The loops in C, compiled into a directory that goes with them.
struct Loops {
    library: Library,
    _directory: tempfile::TempDir,
}

impl Loops {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let (source, library) = (directory.path().join("loops.c"), directory.path().join("loops.so"));
        std::fs::write(&source, LOOPS).expect("it is written");
        let flags = ["-O3", "-march=native", "-ffast-math", "-fPIC", "-shared", "-o"];
        let status = Command::new("gcc").args(flags).arg(&library).arg(&source).status().expect("gcc starts");
        assert!(status.success(), "gcc failed");
        // SAFETY: the library was made just now, of loops alone.
        let library = unsafe { Library::new(&library) }.expect("it loads");
        Self { library, _directory: directory }
    }

    fn get<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the caller names the function by the type that `LOOPS` declares.
        *unsafe { self.library.get::<F>(name.as_bytes()) }.expect("it is there")
    }
}

fn report(what: &str, len: usize, contenders: &mut [Contender<'_>]) {
    let samples = interleave(contenders, 15, Duration::from_millis(40));
    for (index, name) in samples.names.iter().enumerate() {
        let ms = samples.median(index) * 1e3;
        println!("| {what} | {len} | {name} | {ms:.3} | {:.2} |", samples.speed_against(index));
    }
}

fn of<T: ferrocca::Element>(memory: &Memory<T>) -> (*const T, i64) {
    (memory.ptr(), memory.len() as i64)
}

fn reductions(props: &str, loops: &Loops, len: usize) {
    let device = Device::open(props).expect("it opens");
    let p = Primitives::new(&device);
    let host: Vec<f64> = (0..len).map(|i| (i % 1000) as f64 * 1e-3).collect();
    let (x, y) = (device.malloc_from(&host).expect("memory"), device.malloc_from(&host).expect("memory"));
    let mut out = device.malloc::<f64>(1).expect("memory");
    let (sum, dot) = (loops.get::<Sum>("sum"), loops.get::<Dot>("dot"));
    let ((a, n), (b, _)) = (of(&x), of(&y));
    report(
        &format!("sum of f64, {props}"),
        len,
        &mut [
            Contender::new("Ferrocca", || p.sum(&x).store(&mut out).expect("a sum")),
            Contender::new("C loop, one core", || {
                // SAFETY: `a` has `n` elements.
                black_box(unsafe { sum(a, n) });
            }),
            Contender::new("Rayon's sum", || {
                black_box(host.par_iter().sum::<f64>());
            }),
        ],
    );
    let mut out = device.malloc::<f64>(1).expect("memory");
    report(
        &format!("dot of f64, {props}"),
        len,
        &mut [
            Contender::new("Ferrocca", || p.dot(&x, &y).store(&mut out).expect("a product")),
            Contender::new("C loop, one core", || {
                // SAFETY: both have `n` elements.
                black_box(unsafe { dot(a, b, n) });
            }),
        ],
    );
}

fn fused(props: &str, loops: &Loops, len: usize) {
    let device = Device::open(props).expect("it opens");
    let p = Primitives::new(&device);
    let x = device.malloc_filled(len, 1.0f64).expect("memory");
    let mut y = device.malloc_filled(len, 0.5f64).expect("memory");
    let axpy = loops.get::<Axpy>("axpy");
    let mut other = vec![0.5f64; len];
    let (a, n) = of(&x);
    report(
        &format!("2 x + y in place, f64, {props}"),
        len,
        &mut [
            Contender::new("Ferrocca", || {
                let operand = y.share();
                p.map(formula!("2 * x + y", x = &x, y = &operand)).store(&mut y).expect("it runs");
            }),
            // SAFETY: both have `n` elements.
            Contender::new("C loop, one core", || unsafe { axpy(a, other.as_mut_ptr(), n) }),
        ],
    );
}

fn scans(props: &str, loops: &Loops, len: usize) {
    let device = Device::open(props).expect("it opens");
    let p = Primitives::new(&device);
    let x = device.malloc_filled(len, 1.0f32).expect("memory");
    let mut y = device.malloc::<f32>(len).expect("memory");
    let mut other = vec![0f32; len];
    let scan = loops.get::<Scan>("scan");
    let (a, n) = of(&x);
    report(
        &format!("inclusive scan of f32, {props}"),
        len,
        &mut [
            Contender::new("Ferrocca", || p.cumulative_sum(&x).store(&mut y).expect("it runs")),
            // SAFETY: both have `n` elements.
            Contender::new("C loop, one core", || unsafe { scan(a, other.as_mut_ptr(), n) }),
        ],
    );
}

fn main() {
    if only_listed() {
        return;
    }
    let loops = Loops::new();
    println!("| what | elements | who | ms | speed |\n| --- | ---: | --- | ---: | ---: |");
    for props in ["mode=Serial", "mode=CPU"] {
        for len in [1_000_000, 10_000_000] {
            reductions(props, &loops, len);
            fused(props, &loops, len);
            scans(props, &loops, len);
        }
    }
}
