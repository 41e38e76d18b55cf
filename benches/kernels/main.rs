//! Kernels as users bring them, in modes `Serial` and `CPU`, beside the loops that one would write by hand in C, by each C compiler
//! with the same flags, on one thread and on all: from interleaved samples in one run, as a Markdown table.
//!
//! Each kernel's result is compared with its loop's before anything is measured. `cargo bench --bench kernels -- transpose dot`
//! measures some; `cargo xtask bench --table` puts the table into docs/performance.md.

#[path = "../compare/mod.rs"]
mod compare;
#[path = "../peer/mod.rs"]
mod peer;

use compare::{Contender, interleave, is_wanted, only_listed};
use ferrocca::props::Props;
use ferrocca::{Device, Element, Kernel, Memory, args};
use libloading::Library;
use std::cell::RefCell;
use std::ffi::{c_double, c_int, c_long, c_uint};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const KERNELS: [&str; 10] = [
    "copy",
    "axpby",
    "dot",
    "histogram_global",
    "histogram_shared",
    "transpose",
    "stencil",
    "stencil_shared",
    "laplacian",
    "gradient",
];

/// Degrees of an element's polynomials.
const DEGREES: [usize; 3] = [1, 3, 7];

/// Items of a group, and groups, of kernels whose groups share an array.
const BLOCK: usize = 256;
const GROUPS: usize = 256;

const BINS: usize = 256;

/// A compiler, threads, and what runs on them.
struct Setup {
    compiler: &'static str,
    threads: usize,
    device: Device,
    pool: Option<rayon::ThreadPool>,
    library: Library,
}

/// Where the threads of a loop write, each its own part.
struct Target<T>(*mut T);

// SAFETY: `Setup::row` gives each thread its part.
unsafe impl<T> Sync for Target<T> {}

/// A thread's part of a loop: the thread's number, begin and end, and where results go.
type Part<'a, T> = &'a (dyn Fn(usize, c_long, c_long, *mut T) + Sync);

/// What both sides of a row are given besides.
struct Row<'a> {
    name: &'a str,
    /// What the loop's threads share: elements, rows of tiles, layers.
    parts: usize,
    /// Elements of the results.
    len: usize,
    /// Results are compared after sums of all elements whose numbers leave the same rest by this.
    fold: usize,
}

impl Setup {
    fn new(compiler: &'static str, threads: usize, degree: usize, directory: &Path) -> Self {
        let threads_start = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
        let pool = (threads > 1).then(threads_start);
        let path = directory.join(format!("loops-{compiler}-{degree}.so"));
        if !path.exists() {
            peer::compile(compiler, &["-D", &format!("P={degree}")], "benches/kernels/loops.c", &path);
        }
        // SAFETY: the library has no initialisers.
        let library = unsafe { Library::new(&path) }.expect("it loads");
        Self { compiler, threads, device: peer::open(compiler, threads), pool, library }
    }

    fn kernel(&self, name: &str, degree: usize) -> Kernel {
        let props = Props::new().define("P", degree as i64).define("BLOCK", BLOCK as i64);
        self.device.build_kernel(peer::file("benches/kernels/kernels.okl"), name, props).expect("it builds")
    }

    /// A function of the C library.
    fn function<F: Copy>(&self, name: &str) -> F {
        // SAFETY: whoever asks names the function's type as loops.c has it.
        *unsafe { self.library.get::<F>(name.as_bytes()) }.expect("it is there")
    }

    /// Runs a loop on the threads.
    fn run<T>(&self, parts: usize, target: &Target<T>, part: Part<'_, T>) {
        let run = |thread: usize| {
            let bound = |thread: usize| (parts * thread / self.threads) as c_long;
            part(thread, bound(thread), bound(thread + 1), target.0);
        };
        match &self.pool {
            Some(pool) => drop(pool.broadcast(|context| run(context.index()))),
            None => run(0),
        }
    }

    /// Compares a kernel with a loop, and prints how fast both are.
    fn row<T: Element + Into<f64> + Default>(
        &self,
        row: &Row<'_>,
        mut launch: impl FnMut(&mut Memory<T>),
        part: Part<'_, T>,
    ) {
        let own = RefCell::new(self.device.malloc_filled(row.len, T::default()).expect("there is memory"));
        let plain = self.device.malloc_filled(row.len, T::default()).expect("there is memory");
        let target = Target(plain.ptr());
        launch(&mut own.borrow_mut());
        self.run(row.parts, &target, part);
        let [mine, theirs] =
            [&own.borrow(), &plain].map(|memory| folded(&memory.to_vec().expect("it copies"), row.fold));
        for (index, (mine, theirs)) in mine.iter().zip(&theirs).enumerate() {
            let allowed = 1e-11 * theirs.abs().max(1.0);
            assert!((mine - theirs).abs() <= allowed, "{}: result {index} is {mine}, by the loop {theirs}", row.name);
        }
        let samples = interleave(
            &mut [
                Contender::new("Ferrocca", || launch(&mut own.borrow_mut())),
                Contender::new("C", || self.run(row.parts, &target, part)),
            ],
            11,
            Duration::from_millis(40),
        );
        let [mine, theirs] = [0, 1].map(|index| samples.median(index) * 1e3);
        let speed = samples.speed_against(1);
        println!("| {} | {} | {} | {mine:.2} | {theirs:.2} | {speed:.2} |", row.name, self.compiler, self.threads);
    }

    fn memory<T: Element>(&self, len: usize, value: impl Fn(usize) -> T) -> Memory<T> {
        self.device.malloc_from(&(0..len).map(value).collect::<Vec<_>>()).expect("there is memory")
    }

    fn streams(&self) {
        let n = 8_000_000;
        let (x, y) = (self.memory(n, wave), self.memory(n, |i| wave(i + 17)));
        let [x_in, y_in] = [slice(&x), slice(&y)];
        if wanted("copy") {
            type Copy = unsafe extern "C" fn(c_long, c_long, *const c_double, *mut c_double);
            let (kernel, plain) = (self.kernel("copy", 1), self.function::<Copy>("copy"));
            self.row(
                &Row { name: "copy", parts: n, len: n, fold: n },
                |a| kernel.launch(args![n as c_int, &x, a]).expect("it runs"),
                // SAFETY: both arrays have n elements.
                &|_, begin, end, a| unsafe { plain(begin, end, x_in.as_ptr(), a) },
            );
        }
        if wanted("axpby") {
            type Axpby = unsafe extern "C" fn(c_long, c_long, c_double, *const c_double, c_double, *mut c_double);
            let (kernel, plain) = (self.kernel("axpby", 1), self.function::<Axpby>("axpby"));
            self.row(
                &Row { name: "axpby", parts: n, len: n, fold: n },
                |a| kernel.launch(args![n as c_int, 0.75, &x, 0.25, a]).expect("it runs"),
                // SAFETY: both arrays have n elements.
                &|_, begin, end, a| unsafe { plain(begin, end, 0.75, x_in.as_ptr(), 0.25, a) },
            );
        }
        if wanted("dot") {
            type Dot = unsafe extern "C" fn(c_long, c_long, *const c_double, *const c_double) -> c_double;
            let (kernel, plain) = (self.kernel("dot", 1), self.function::<Dot>("dot"));
            self.row(
                &Row { name: "dot", parts: n, len: GROUPS, fold: 1 },
                |sums| kernel.launch(args![n as c_int, GROUPS as c_int, &x, &y, sums]).expect("it runs"),
                // SAFETY: both arrays have n elements, and there are no more threads than sums.
                &|thread, begin, end, sums: *mut f64| unsafe {
                    *sums.add(thread) = plain(begin, end, x_in.as_ptr(), y_in.as_ptr());
                },
            );
        }
    }

    fn histograms(&self) {
        type Histogram = unsafe extern "C" fn(c_long, c_long, *const c_int, *mut c_uint);
        let n = 4_000_000;
        // The highest bits: the lower ones of numbers at a power of two apart are the same.
        let x = self.memory(n, |i| ((i as u32).wrapping_mul(2_654_435_769) >> 20).cast_signed());
        let values = slice(&x);
        let plain = self.function::<Histogram>("histogram");
        for name in ["histogram_global", "histogram_shared"].into_iter().filter(|name| wanted(name)) {
            let kernel = self.kernel(name, 1);
            self.row::<u32>(
                &Row { name, parts: n, len: self.threads * BINS, fold: BINS },
                |bins| {
                    bins.fill(0).expect("it fills");
                    match name {
                        "histogram_global" => kernel.launch(args![n as c_int, &x, bins]),
                        _ => kernel.launch(args![n as c_int, GROUPS as c_int, &x, bins]),
                    }
                    .expect("it runs");
                },
                // SAFETY: each thread has its own bins.
                &|thread, begin, end, bins| unsafe { plain(begin, end, values.as_ptr(), bins.add(thread * BINS)) },
            );
        }
    }

    fn grids(&self) {
        type Plain = unsafe extern "C" fn(c_long, c_long, c_long, *const c_double, *mut c_double);
        for (name, n, len) in
            [("transpose", 2048, 2048 * 2048), ("stencil", 256, 1 << 24), ("stencil_shared", 256, 1 << 24)]
        {
            if !wanted(name) {
                continue;
            }
            let x = self.memory(len, wave);
            let values = slice(&x);
            let plain = self.function::<Plain>(name.trim_end_matches("_shared"));
            let kernel = self.kernel(name, 1);
            let parts = if name == "transpose" { n / 32 } else { n - 2 };
            self.row(
                &Row { name, parts, len, fold: len },
                |a| kernel.launch(args![n as c_int, &x, a]).expect("it runs"),
                // SAFETY: both arrays have as many elements as the loop touches.
                &|_, begin, end, a| unsafe { plain(begin, end, n as c_long, values.as_ptr(), a) },
            );
        }
    }

    /// Elements with Q³ values each.
    fn elements(&self, degree: usize) {
        type Plain =
            unsafe extern "C" fn(c_long, c_long, *const c_double, *const c_double, *const c_double, *mut c_double);
        let nodes = (degree + 1).pow(3);
        let count = 1_000_000 / nodes;
        for (name, factors, fields) in [("laplacian", 6, 1), ("gradient", 9, 3)] {
            if !wanted(name) {
                continue;
            }
            let d = self.memory((degree + 1).pow(2), |i| wave(3 * i));
            let (g, q) = (self.memory(count * nodes * factors, wave), self.memory(count * nodes, |i| wave(i + 5)));
            let [d_in, g_in, q_in] = [slice(&d), slice(&g), slice(&q)];
            let (kernel, plain) = (self.kernel(name, degree), self.function::<Plain>(name));
            let len = fields * count * nodes;
            self.row(
                &Row { name: &format!("{name}, N = {degree}"), parts: count, len, fold: len },
                |a| kernel.launch(args![count as c_int, &d, &g, &q, a]).expect("it runs"),
                // SAFETY: the arrays have the sizes that loops.c says.
                &|_, begin, end, a| unsafe { plain(begin, end, d_in.as_ptr(), g_in.as_ptr(), q_in.as_ptr(), a) },
            );
        }
    }
}

/// Numbers between -1 and 1 that do not repeat soon.
fn wave(i: usize) -> f64 {
    ((i * 7919) % 10_007) as f64 / 5003.5 - 1.0
}

fn wanted(name: &str) -> bool {
    is_wanted(name, &KERNELS)
}

/// Host memory that nobody writes while it is read.
fn slice<T: Element>(memory: &Memory<T>) -> &[T] {
    // SAFETY: the devices of this benchmark have their memory on the host, and inputs are never written.
    unsafe { std::slice::from_raw_parts(memory.ptr(), memory.len()) }
}

/// The sums of all elements whose numbers leave the same rest.
fn folded<T: Element + Into<f64>>(values: &[T], by: usize) -> Vec<f64> {
    let mut sums = vec![0.0; by];
    for (index, &value) in values.iter().enumerate() {
        sums[index % by] += value.into();
    }
    sums
}

/// The processor, its threads, and the compilers.
fn machine(threads: usize) -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = model.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let version = |compiler: &&str| {
        let output = Command::new(compiler).arg("-dumpversion").output().expect("it was started before");
        format!("{compiler} {}", String::from_utf8_lossy(&output.stdout).trim())
    };
    let compilers: Vec<String> = peer::compilers().iter().map(version).collect();
    format!("{name}, {threads} threads, {}", compilers.join(", "))
}

fn main() {
    if only_listed() {
        return;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let directory = tempfile::tempdir().expect("a directory");
    println!("Machine: {}", machine(threads));
    println!(
        "\n| kernel | compiler | threads | Ferrocca, ms | C, ms | speed |\n| --- | --- | ---: | ---: | ---: | ---: |"
    );
    for compiler in peer::compilers() {
        for threads in if threads > 1 { vec![1, threads] } else { vec![1] } {
            let setup = |degree| Setup::new(compiler, threads, degree, directory.path());
            let any = setup(DEGREES[0]);
            any.streams();
            any.histograms();
            any.grids();
            DEGREES.into_iter().for_each(|degree| setup(degree).elements(degree));
        }
    }
}
