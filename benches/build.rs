//! What a build costs: cold (against the compiler alone), warm from the disk in a new process, again in one process.

mod compare;
mod peer;

use compare::median;
use criterion::Criterion;
use ferrocca::Device;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Set in a process that this one starts to measure a warm build: the compiler whose kernel is built.
const CHILD: &str = "FERROCCA_BENCH_BUILD";

const CACHE: &str = "FERROCCA_CACHE_DIR";

fn build(device: &Device) -> ferrocca::Kernel {
    device.build_kernel(peer::kernel(), "burgers_step", ()).expect("it builds")
}

/// Seconds of one cold build, in a new process with an empty cache, and of the compiler alone on the same text.
fn cold(compiler: &str) -> (f64, f64) {
    let cache = tempfile::tempdir().expect("a temporary directory");
    let own = child(compiler, cache.path()).build;
    // A new device has an empty in-memory cache, and finds on the disk what the child has built.
    let device = peer::open_with_cache(compiler, 1, cache.path());
    let text = cache.path().join("text.c");
    std::fs::write(&text, build(&device).source()).expect("it is written");
    let mut command = Command::new(compiler);
    command
        .args(peer::FIXED_FLAGS)
        .args(peer::FLAGS.split(' '))
        .arg(&text)
        .arg("-o")
        .arg(cache.path().join("text.so"))
        .arg("-lm");
    let begin = Instant::now();
    assert!(command.status().expect("the compiler starts").success());
    (own, begin.elapsed().as_secs_f64())
}

struct Child {
    open: f64,
    build: f64,
}

/// Opens a device and builds the kernel in a new process; seconds of each.
fn child(compiler: &str, cache: &Path) -> Child {
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new(this).env(CHILD, compiler).env(CACHE, cache).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let mut numbers = text.split_whitespace().map(|word| word.parse().expect("two numbers"));
    Child { open: numbers.next().expect("a number"), build: numbers.next().expect("a number") }
}

fn be_child(compiler: &str) {
    let begin = Instant::now();
    let device = peer::open(compiler, 1);
    let open = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let kernel = build(&device);
    let build = begin.elapsed().as_secs_f64();
    assert_eq!(kernel.name(), "burgers_step");
    println!("{open} {build}");
}

fn groups(criterion: &mut Criterion, cache: &Path) {
    let mut group = criterion.benchmark_group("build");
    for compiler in peer::compilers() {
        let device = peer::open_with_cache(compiler, 1, cache);
        let _kept = build(&device);
        group.bench_function(format!("{compiler}/same-process"), |b| b.iter(|| build(&device)));
        group.bench_function(format!("{compiler}/warm-from-disk"), |b| {
            b.iter_custom(|times| (0..times).map(|_| Duration::from_secs_f64(child(compiler, cache).build)).sum());
        });
    }
    group.finish();
}

fn table(cache: &Path) {
    println!("\nBuild of kernels/burgers.okl (median)");
    let heads = ["cold, ms", "compiler, ms", "more, ms", "warm, ms", "open, ms", "again, µs"];
    println!("{:<9}{}", "compiler", heads.map(|head| format!("{head:>14}")).concat());
    for compiler in peer::compilers() {
        let colds: Vec<(f64, f64)> = (0..15).map(|_| cold(compiler)).collect();
        let own = median(colds.iter().map(|cold| cold.0).collect()) * 1e3;
        let alone = median(colds.iter().map(|cold| cold.1).collect()) * 1e3;
        let more = median(colds.iter().map(|cold| cold.0 - cold.1).collect()) * 1e3;
        let device = peer::open_with_cache(compiler, 1, cache);
        let _kept = build(&device);
        let warms: Vec<Child> = (0..41).map(|_| child(compiler, cache)).collect();
        let warm = median(warms.iter().map(|warm| warm.build).collect()) * 1e3;
        let open = median(warms.iter().map(|warm| warm.open).collect()) * 1e3;
        let again = median((0..1001).map(|_| time(|| drop(build(&device)))).collect()) * 1e6;
        println!("{compiler:<9}{own:>14.2}{alone:>14.2}{more:>14.2}{warm:>14.3}{open:>14.3}{again:>14.2}");
    }
    println!("the bars: at most 5 ms more than the compiler, 0.28 ms warm, 20 µs again");
}

fn time(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn main() {
    if let Ok(compiler) = std::env::var(CHILD) {
        return be_child(&compiler);
    }
    let cache = tempfile::tempdir().expect("a temporary directory");
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500))
        .configure_from_args();
    groups(&mut criterion, cache.path());
    criterion.final_summary();
    if !compare::only_listed() {
        table(cache.path());
    }
}
