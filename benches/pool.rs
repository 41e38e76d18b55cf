//! Whose threads mode `CPU` runs on: Rayon's, which visit, against threads of the device's own (`pool=own`).
//!
//! Three tables from interleaved samples, on all cores: launches one after the other, launches after a pause, and an
//! application that alternates launches with a `par_iter` over the same memory, as it would without a kernel for that.
//! With the argument `hot` there is nothing but launches, for `strace -f -c -e trace=futex`: as many as the next argument
//! says.

mod compare;

use compare::{Contender, interleave, median};
use ferrocca::{Device, Kernel, Memory, args};
use rayon::prelude::*;
use std::cell::RefCell;
use std::time::{Duration, Instant};

const SOURCE: &str = "
@kernel void step(const int n, const double c, @restrict const double *u_prev, @restrict double *u) {
  for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) {
    const int left = i > 0 ? i - 1 : 0, right = i < n - 1 ? i + 1 : n - 1;
    u[i] = u_prev[i] + c * (u_prev[right] - 2.0 * u_prev[i] + u_prev[left]);
  }
}
";

const RAYON: &str = "mode=CPU";
const OWN: &str = "mode=CPU, pool=own";

struct Application {
    n: usize,
    kernel: Kernel,
    u_prev: Memory<f64>,
    u: Memory<f64>,
}

impl Application {
    fn new(props: &str, n: usize) -> RefCell<Self> {
        let device = Device::open(props).expect("it opens");
        let kernel = device.build_kernel_from_string(SOURCE, "step", ()).expect("it builds");
        let mut u = device.malloc(n).expect("there is memory");
        let mut u_prev = device.malloc(n).expect("there is memory");
        u.fill(1.0).expect("it fills");
        u_prev.fill(1.0).expect("it fills");
        RefCell::new(Self { n, kernel, u_prev, u })
    }

    fn launch(&mut self) {
        self.kernel.launch(args![self.n as i32, 0.25, &self.u_prev, &mut self.u]).expect("it runs");
        self.u.swap(&mut self.u_prev);
    }

    /// What an application does on the host.
    fn tasks(&mut self) {
        // SAFETY: it is host memory of `n` numbers, and no launch is under way.
        let u = unsafe { std::slice::from_raw_parts_mut(self.u_prev.ptr(), self.n) };
        let size = self.n.div_ceil(4 * rayon::current_num_threads());
        u.par_chunks_mut(size).for_each(|chunk| chunk.iter_mut().for_each(|u| *u = 0.999 * *u + 0.001));
    }
}

fn warm() {
    println!(
        "\nlaunches one after the other, microseconds (median), and Rayon's threads against own ones (1 is equal)"
    );
    println!("{:>10}{:>10}{:>10}{:>10}", "points", "Rayon's", "own", "speed");
    for n in [256, 10_000, 50_000, 200_000, 1_000_000] {
        let (rayon, own) = (Application::new(RAYON, n), Application::new(OWN, n));
        let mut contenders = [
            Contender::new("Rayon's", || rayon.borrow_mut().launch()),
            Contender::new("own", || own.borrow_mut().launch()),
        ];
        let samples = interleave(&mut contenders, 201, Duration::from_millis(2));
        let [rayon, own] = [0, 1].map(|index| samples.median(index) * 1e6);
        println!("{n:>10}{rayon:>10.3}{own:>10.3}{:>10.3}", samples.speed_against(1));
    }
}

fn cold() {
    println!("\na launch after a pause of 1 ms, microseconds (median)");
    println!("{:>10}{:>10}{:>10}", "points", "Rayon's", "own");
    for n in [50_000, 1_000_000] {
        let applications = [Application::new(RAYON, n), Application::new(OWN, n)];
        let mut samples = [Vec::new(), Vec::new()];
        for _ in 0..300 {
            for (application, samples) in applications.iter().zip(&mut samples) {
                std::thread::sleep(Duration::from_millis(1));
                let begin = Instant::now();
                application.borrow_mut().launch();
                samples.push(begin.elapsed().as_secs_f64() * 1e6);
            }
        }
        let [rayon, own] = samples.map(median);
        println!("{n:>10}{rayon:>10.1}{own:>10.1}");
    }
}

fn mixed() {
    println!("\na launch, then a `par_iter` over the same memory, microseconds (median), and one pool against two");
    println!("{:>10}{:>10}{:>10}{:>10}", "points", "one pool", "two", "speed");
    for n in [50_000, 200_000, 1_000_000] {
        let (one, two) = (Application::new(RAYON, n), Application::new(OWN, n));
        let step = |application: &RefCell<Application>| {
            let mut application = application.borrow_mut();
            application.launch();
            application.tasks();
        };
        let mut contenders = [Contender::new("one pool", || step(&one)), Contender::new("two", || step(&two))];
        let samples = interleave(&mut contenders, 101, Duration::from_millis(10));
        let [one, two] = [0, 1].map(|index| samples.median(index) * 1e6);
        println!("{n:>10}{one:>10.1}{two:>10.1}{:>10.2}", samples.speed_against(1));
    }
}

/// The same loop within the pool, as a solver that is one of the application's tasks.
fn mixed_within() {
    println!("\nthe same as one task of the pool (`install`)");
    println!("{:>10}{:>10}{:>10}{:>10}", "points", "one pool", "two", "speed");
    for n in [50_000, 200_000, 1_000_000] {
        let (one, two) = (Application::new(RAYON, n).into_inner(), Application::new(OWN, n).into_inner());
        let steps = |application: &mut Application, times: u64| {
            rayon::scope(|_| {
                for _ in 0..times {
                    application.launch();
                    application.tasks();
                }
            });
        };
        let (mut one, mut two) = (one, two);
        let mut contenders = [
            Contender { name: "one pool", run: Box::new(|times| steps(&mut one, times)) },
            Contender { name: "two", run: Box::new(|times| steps(&mut two, times)) },
        ];
        let samples = interleave(&mut contenders, 101, Duration::from_millis(10));
        let [one, two] = [0, 1].map(|index| samples.median(index) * 1e6);
        println!("{n:>10}{one:>10.1}{two:>10.1}{:>10.2}", samples.speed_against(1));
    }
}

/// How often threads of this process have waited in the system (on Linux): each wait on a futex is one.
fn sleeps() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let count = |status: String| -> Option<u64> {
        let line = status.lines().find(|line| line.starts_with("voluntary_ctxt_switches"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    tasks.filter_map(|task| count(std::fs::read_to_string(task.path().join("status")).ok()?)).sum()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "hot") {
        let launches: u64 = words.get(at + 1).and_then(|word| word.parse().ok()).unwrap_or(100_000);
        let application = Application::new(RAYON, 200_000);
        // The threads come in before it is counted.
        (0..1000).for_each(|_| application.borrow_mut().launch());
        let before = sleeps();
        (0..launches).for_each(|_| application.borrow_mut().launch());
        println!("{launches} launches, in which threads went to sleep {} times", sleeps() - before);
        return;
    }
    if !compare::only_listed() {
        println!("{} threads", rayon::current_num_threads());
        warm();
        cold();
        mixed();
        mixed_within();
    }
}
