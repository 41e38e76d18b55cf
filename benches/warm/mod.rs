//! Builds that find what was built before: on the disk, in a new process; in memory, by the device that built it.
//!
//! Drivers keep what they compile in caches of their own. A warm build is therefore measured twice: as a user has it,
//! and with drivers told to forget; what differs is what the cache directory alone does not give. So that no work hides
//! behind the build, the first launch is measured too.

use crate::compare::median;
use ferrocca::{Device, args};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Set in a process that this one starts: the props of the device that it opens.
const CHILD: &str = "FERROCCA_BENCH_WARM";

/// What tells drivers to keep nothing: PoCL, Mesa, NVIDIA's.
const FORGETFUL: [(&str, &str); 4] = [
    ("POCL_KERNEL_CACHE", "0"),
    ("MESA_SHADER_CACHE_DISABLE", "true"),
    ("CUDA_CACHE_DISABLE", "1"),
    ("__GL_SHADER_DISK_CACHE", "0"),
];

const ROUNDS: usize = 15;

/// The kernel of every benchmark here.
pub(crate) fn kernel_path() -> PathBuf {
    // Where cargo, or a bundle's script, says that the package is.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package).join("kernels/burgers.okl")
}

/// Milliseconds of opening a device, of building the kernel, of its first launch.
type Times = [f64; 3];

/// Whether this process was started to measure one build; it has done so then.
pub(crate) fn is_child() -> bool {
    let Ok(props) = std::env::var(CHILD) else { return false };
    let begin = Instant::now();
    let device = Device::open(props.as_str()).expect("it opened before");
    let opened = begin.elapsed();
    let kernel = device.build_kernel(kernel_path(), "burgers_step", ()).expect("it builds");
    let built = begin.elapsed();
    let (u_prev, mut u) = (device.malloc::<f64>(258).expect("memory"), device.malloc::<f64>(258).expect("memory"));
    let allocated = begin.elapsed();
    kernel.launch(args![256, 1e-3, 2e-3, &u_prev, &mut u]).expect("it launches");
    device.finish().expect("it ends");
    let launched = begin.elapsed();
    let times = [opened, built - opened, launched - allocated].map(|time| time.as_secs_f64() * 1e3);
    println!("{} {} {}", times[0], times[1], times[2]);
    true
}

fn child(props: &str, environment: &[(&str, &str)]) -> Times {
    let this = std::env::current_exe().expect("this program has a path");
    let output = Command::new(this).env(CHILD, props).envs(environment.iter().copied()).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let mut numbers = text.split_whitespace().map(|word| word.parse().expect("a number"));
    [0; 3].map(|_| numbers.next().expect("three numbers"))
}

fn medians(samples: &[Times]) -> Times {
    [0, 1, 2].map(|which| median(samples.iter().map(|times| times[which]).collect()))
}

/// Prints what builds cost on a device that `props` open, and the bar for a warm one in milliseconds.
pub(crate) fn table(props: &str, bar_ms: f64) {
    let directory = tempfile::tempdir().expect("a directory");
    let props = format!("{props}, cache_dir='{}'", directory.path().display());
    println!("\nbuild of kernels/burgers.okl, milliseconds (median of {ROUNDS} new processes)");
    println!("  {:<32}{:>10}{:>10}{:>14}", "", "open", "build", "first launch");
    let print = |what: &str, [open, build, launch]: Times| {
        println!("  {what:<32}{open:>10.2}{build:>10.3}{launch:>14.3}");
    };
    print("cold", child(&props, &FORGETFUL));
    // The driver's caches, if it has any, are filled once more than the first process filled them.
    child(&props, &[]);
    let warm = |environment: &[(&str, &str)]| {
        let samples: Vec<Times> = (0..ROUNDS).map(|_| child(&props, environment)).collect();
        medians(&samples)
    };
    print("from disk", warm(&[]));
    print("from disk, the driver forgetful", warm(&FORGETFUL));
    let device = Device::open(props.as_str()).expect("it opened before");
    let build = || {
        let begin = Instant::now();
        let kernel = device.build_kernel(kernel_path(), "burgers_step", ()).expect("it builds");
        let took = begin.elapsed().as_secs_f64();
        drop(kernel);
        took
    };
    build();
    let again = median((0..1001).map(|_| build()).collect());
    println!("  again, in the same process: {:.2} µs (the bars: {bar_ms} ms from disk, 20 µs again)", again * 1e6);
}
