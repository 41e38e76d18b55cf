//! What Ferrocca is measured against: a plain C loop by the same compiler, and a plain Rust loop.

#![allow(dead_code)] // Each benchmark uses its part.

use ferrocca::props::Props;
use ferrocca::{Device, Kernel, Memory, Value, args};
use libloading::Library;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a user gets without asking; given to both sides by name.
pub(crate) const FLAGS: &str = "-O3 -march=native -fno-math-errno -fno-trapping-math";

/// What the backend adds to every build.
pub(crate) const FIXED_FLAGS: [&str; 4] = ["-std=c11", "-fPIC", "-shared", "-ffp-contract=off"];

/// The compilers of this machine.
pub(crate) fn compilers() -> Vec<&'static str> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    ["gcc", "clang"].into_iter().filter(works).collect()
}

/// A device of one or several threads whose kernels `compiler` builds.
pub(crate) fn open(compiler: &str, threads: usize) -> Device {
    open_with(compiler, threads, Props::new())
}

/// As [`open`], with a cache directory of its own.
pub(crate) fn open_with_cache(compiler: &str, threads: usize, cache: &Path) -> Device {
    let mut props = Props::new();
    props.set("cache_dir", Value::String(cache.display().to_string()));
    open_with(compiler, threads, props)
}

fn open_with(compiler: &str, threads: usize, mut props: Props) -> Device {
    props.set("mode", Value::String(if threads == 1 { "Serial" } else { "CPU" }.to_owned()));
    if threads > 1 {
        props.set("threads", Value::Int(threads as i64));
    }
    props.set("compiler", Value::String(compiler.to_owned()));
    props.set("compiler_flags", Value::String(FLAGS.to_owned()));
    Device::open(props).expect("the device opens")
}

/// A file of the package, wherever the benchmark is run from: where cargo says that the package is, which may be
/// elsewhere than where the benchmark was built.
pub(crate) fn file(path: &str) -> PathBuf {
    let directory = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&directory).join(path)
}

/// The path of the kernel.
pub(crate) fn kernel() -> PathBuf {
    file("kernels/burgers.okl")
}

/// Coefficients for which a step is stable and nothing overflows or fades out.
pub(crate) const C1: f64 = 1e-4;
/// As [`C1`].
pub(crate) const C2: f64 = 0.1;

/// The two arrays of a time loop, which every contender uses in turn.
pub(crate) struct Fields {
    pub(crate) n: usize,
    pub(crate) u_prev: Memory<f64>,
    pub(crate) u: Memory<f64>,
}

impl Fields {
    pub(crate) fn new(device: &Device, n: usize) -> Self {
        let wave: Vec<f64> = (0..n + 2).map(|i| (std::f64::consts::TAU * i as f64 / n as f64).sin()).collect();
        // By `malloc` first: its pages belong to the device's threads.
        let mut u = device.malloc(n + 2).expect("there is memory");
        let mut u_prev = device.malloc(n + 2).expect("there is memory");
        u.copy_from(&wave).expect("it copies");
        u_prev.copy_from(&wave).expect("it copies");
        Self { n, u_prev, u }
    }

    /// One step of Ferrocca.
    pub(crate) fn step(&mut self, kernel: &Kernel) {
        kernel.launch(args![self.n as i32, C1, C2, &self.u_prev, &mut self.u]).expect("it runs");
        self.u.swap(&mut self.u_prev);
    }

    /// One step of somebody who wants pointers.
    pub(crate) fn step_raw(&mut self, step: impl FnOnce(usize, *const f64, *mut f64)) {
        step(self.n, self.u_prev.ptr(), self.u.ptr());
        self.u.swap(&mut self.u_prev);
    }

    /// One step of somebody who wants slices.
    pub(crate) fn step_slices(&mut self, step: impl FnOnce(&[f64], &mut [f64])) {
        let len = self.n + 2;
        // SAFETY: both are host memory of `len` numbers, without overlap, and nothing else uses them during the call.
        let (u_prev, u) = unsafe {
            (std::slice::from_raw_parts(self.u_prev.ptr(), len), std::slice::from_raw_parts_mut(self.u.ptr(), len))
        };
        step(u_prev, u);
        self.u.swap(&mut self.u_prev);
    }
}

/// Makes a library of a C file of the package, as the backend makes one of a kernel.
pub(crate) fn compile(compiler: &str, options: &[&str], source: &str, library: &Path) {
    let mut command = Command::new(compiler);
    command.args(FIXED_FLAGS).args(FLAGS.split(' ')).args(options).arg(file(source)).arg("-o").arg(library);
    assert!(command.status().expect("the compiler starts").success(), "{compiler} fails on {source}");
}

type Step = unsafe extern "C" fn(std::ffi::c_long, f64, f64, *const f64, *mut f64);
type TeamNew = unsafe extern "C" fn(std::ffi::c_int) -> *mut c_void;
type TeamStep = unsafe extern "C" fn(*mut c_void, std::ffi::c_long, f64, f64, *const f64, *mut f64);
type TeamFree = unsafe extern "C" fn(*mut c_void);

/// The plain C loop.
pub(crate) struct CPeer {
    library: Library,
    team: *mut c_void,
    _directory: tempfile::TempDir,
}

impl CPeer {
    pub(crate) fn new(compiler: &str, threads: usize) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let library = directory.path().join("peer.so");
        compile(compiler, &["-pthread"], "benches/peer/burgers.c", &library);
        // SAFETY: the library has no initialisers.
        let library = unsafe { Library::new(&library) }.expect("it loads");
        let mut peer = Self { library, team: std::ptr::null_mut(), _directory: directory };
        if threads > 1 {
            // SAFETY: the function has this type.
            peer.team = unsafe { peer.library.get::<TeamNew>(b"peer_team_new").expect("it is there")(threads as i32) };
        }
        peer
    }

    /// One step.
    pub(crate) fn stepper(&self) -> impl Fn(usize, *const f64, *mut f64) + '_ {
        // SAFETY: the functions have these types.
        let (step, team_step) = unsafe {
            let step = self.library.get::<Step>(b"peer_step").expect("it is there");
            (step, self.library.get::<TeamStep>(b"peer_team_step").expect("it is there"))
        };
        let (step, team_step) = (*step, *team_step);
        move |n, u_prev, u| {
            // SAFETY: both arrays have n + 2 numbers and do not overlap.
            unsafe {
                if self.team.is_null() {
                    step(n as _, C1, C2, u_prev, u);
                } else {
                    team_step(self.team, n as _, C1, C2, u_prev, u);
                }
            }
        }
    }
}

impl Drop for CPeer {
    fn drop(&mut self) {
        if !self.team.is_null() {
            // SAFETY: the function has this type, and the team is freed once.
            unsafe { self.library.get::<TeamFree>(b"peer_team_free").expect("it is there")(self.team) };
        }
    }
}

/// The plain Rust loop, compiled once per set of instructions, because `rustc` builds for any processor unless told
/// otherwise while `-march=native` builds for this one.
macro_rules! rust_points {
    ($name:ident $(, $features:literal)?) => {
        $(#[target_feature(enable = $features)])?
        fn $name(u_prev: &[f64], u: &mut [f64]) {
            for (u, near) in u.iter_mut().zip(u_prev.windows(3)) {
                let (left, here, right) = (near[0], near[1], near[2]);
                *u = here + C2 * (right - 2.0 * here + left) - here * C1 * (right - left);
            }
        }
    };
}

rust_points!(points_baseline);
#[cfg(target_arch = "x86_64")]
rust_points!(points_avx2, "avx2,fma,bmi1,bmi2");
#[cfg(target_arch = "x86_64")]
rust_points!(points_avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2");

/// `u` of the inner points from `u_prev` of these and one neighbour on each side.
fn points(u_prev: &[f64], u: &mut [f64]) {
    #[cfg(target_arch = "x86_64")]
    {
        let wide = std::arch::is_x86_feature_detected!("avx512vl") && std::arch::is_x86_feature_detected!("avx512dq");
        if wide && std::arch::is_x86_feature_detected!("avx512bw") {
            // SAFETY: the features are there; whoever has AVX-512 has the older ones.
            return unsafe { points_avx512(u_prev, u) };
        }
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            // SAFETY: the features are there; whoever has AVX2 has BMI.
            return unsafe { points_avx2(u_prev, u) };
        }
    }
    points_baseline(u_prev, u);
}

/// One step in plain Rust, in `pool` where there is one.
pub(crate) fn rust_step(u_prev: &[f64], u: &mut [f64], pool: Option<&rayon::ThreadPool>) {
    let n = u.len() - 2;
    match pool {
        None => points(u_prev, &mut u[1..=n]),
        Some(pool) => split(pool.current_num_threads(), u_prev, &mut u[1..=n], pool),
    }
    u[n + 1] = u_prev[1];
    u[0] = u_prev[n];
}

fn split(parts: usize, u_prev: &[f64], u: &mut [f64], pool: &rayon::ThreadPool) {
    use rayon::prelude::*;
    let size = u.len().div_ceil(parts);
    pool.install(|| {
        u.par_chunks_mut(size).enumerate().for_each(|(part, u)| {
            points(&u_prev[part * size..part * size + u.len() + 2], u);
        });
    });
}
