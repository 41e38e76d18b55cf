//! Elementary functions in modes `Serial` and `CPU`: our own, those of the C library (`math=native`), and a loop in C with
//! `gcc -O3 -march=native -ffast-math`, which calls the vector functions of glibc; from interleaved samples in one run.
//!
//! `speed` is how much faster Ferrocca is than the contender in that row: the median of the ratios of neighbouring samples.

mod compare;

use compare::{Contender, interleave, only_listed};
use ferrocca::primitives::{Primitives, formula};
use ferrocca::{Device, Element, args};
use libloading::Library;
use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

const FUNCTIONS: [(&str, &str); 8] = [
    ("exp", "exp(x[i])"),
    ("log", "log(x[i])"),
    ("sin", "sin(x[i])"),
    ("cos", "cos(x[i])"),
    ("tan", "tan(x[i])"),
    ("tanh", "tanh(x[i])"),
    ("atan", "atan(x[i])"),
    ("pow", "pow(x[i], y[i])"),
];

fn okl(name: &str, call: &str, ty: &str) -> String {
    format!(
        "@kernel void of_{name}(const int n, @restrict const {ty} *x, @restrict const {ty} *y, @restrict {ty} *out) {{
           for (int i = 0; i < n; ++i; @tile(4096, @outer, @inner)) {{ out[i] = {call}; }}
         }}"
    )
}

/// The same loops in C, and the library that they are in.
fn loops(directory: &std::path::Path) -> Library {
    let mut text = "#include <math.h>\n".to_owned();
    for (ty, suffix) in [("double", ""), ("float", "f")] {
        for (name, call) in FUNCTIONS {
            let call = call.replacen(name, &format!("{name}{suffix}"), 1);
            let _ = writeln!(
                text,
                "void {name}_{ty}(long n, const {ty} *restrict x, const {ty} *restrict y, {ty} *restrict out) {{
                   for (long i = 0; i < n; i++) out[i] = {call};
                 }}"
            );
        }
    }
    let (source, library) = (directory.join("loops.c"), directory.join("loops.so"));
    std::fs::write(&source, text).expect("it is written");
    let flags = ["-O3", "-march=native", "-ffast-math", "-fPIC", "-shared", "-o"];
    let status = Command::new("gcc").args(flags).arg(&library).arg(&source).args(["-lmvec", "-lm"]).status();
    assert!(status.expect("gcc starts").success(), "gcc failed");
    // SAFETY: the library was made just now, of loops alone.
    unsafe { Library::new(&library) }.expect("it loads")
}

fn report(what: &str, contenders: &mut [Contender<'_>]) {
    let samples = interleave(contenders, 15, Duration::from_millis(40));
    for (index, name) in samples.names.iter().enumerate() {
        println!("| {what} | {name} | {:.3} | {:.2} |", samples.median(index) * 1e3, samples.speed_against(index));
    }
}

fn functions<T: Element>(library: &Library, ty: &str, of: fn(f64) -> T) {
    let device = Device::open("mode=Serial").expect("it opens");
    let n = 1_000_000;
    let values = |scale: f64| {
        (0..n).map(|i| of(scale * ((i64::from(i) * 7919) % i64::from(n) + 1) as f64 / f64::from(n))).collect::<Vec<T>>()
    };
    let (x, y) =
        (device.malloc_from(&values(20.0)).expect("memory"), device.malloc_from(&values(4.0)).expect("memory"));
    let memory = || device.malloc_from(&values(1.0)).expect("memory");
    let (mut first, mut second, third) = (memory(), memory(), memory());
    for (name, call) in FUNCTIONS {
        let build = |props| device.build_kernel_from_string(&okl(name, call, ty), &format!("of_{name}"), props);
        let (own, native) = (build("").expect("it builds"), build("math=native").expect("it builds"));
        type Entry<T> = unsafe extern "C" fn(i64, *const T, *const T, *const T);
        // SAFETY: `loops` declares the functions so.
        let entry = *unsafe { library.get::<Entry<T>>(format!("{name}_{ty}").as_bytes()) }.expect("it is there");
        report(
            &format!("{name} of {ty}, 10^6"),
            &mut [
                Contender::new("Ferrocca", || own.launch(args![n, &x, &y, &mut first]).expect("it runs")),
                Contender::new("Ferrocca, math=native", || {
                    native.launch(args![n, &x, &y, &mut second]).expect("it runs")
                }),
                Contender::new("C with glibc's vector functions", || {
                    // SAFETY: each memory has `n` elements.
                    unsafe { entry(i64::from(n), x.ptr(), y.ptr(), third.ptr()) }
                }),
            ],
        );
    }
}

fn sum_of_cosines(props: &str) {
    let device = Device::open(props).expect("it opens");
    let p = Primitives::new(&device);
    let len = 4096 * 4096;
    let values = |factor: u32| (0..len).map(|i: u32| (i.wrapping_mul(factor) >> 8) as f32 * 1e-6).collect::<Vec<f32>>();
    let (a, b) =
        (device.malloc_from(&values(7919)).expect("memory"), device.malloc_from(&values(104_729)).expect("memory"));
    let mut out = device.malloc::<f32>(1).expect("memory");
    report(
        &format!("sum(cos(a * b)), 4096 x 4096 float, {props}"),
        &mut [Contender::new("Ferrocca", || {
            p.sum(formula!("cos(a * b)", a = &a, b = &b)).store(&mut out).expect("a sum");
        })],
    );
}

fn main() {
    if only_listed() {
        return;
    }
    println!("| what | contender | ms | speed |\n| --- | --- | ---: | ---: |");
    let directory = tempfile::tempdir().expect("a directory");
    let library = loops(directory.path());
    sum_of_cosines("mode=Serial");
    sum_of_cosines("mode=CPU");
    functions::<f32>(&library, "float", |value| value as f32);
    functions::<f64>(&library, "double", |value| value);
}
