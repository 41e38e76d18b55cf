//! Loops that run many steps in one pass through memory, against the same loops step by step: the same bits, whatever the
//! loop is made of.

use fastrand::Rng;
use ferrocca_backend_cpu as _;
use ferrocca_core::{Device, ErrorKind, Graph, Kernel, Memory, Recorder, Result, args};

/// Stencils whose offsets are arguments, and what stands beside them in loops.
const KERNELS: &str = "
@kernel void stencil(const int first, const int end, const int a, const int b, const double c,
                     @restrict const double *v, const double *w, @restrict double *u) {
  for (int i = first; i < end; ++i; @tile(16, @outer, @inner)) {
    u[i] = v[i] + c * (v[i + a] - 1.5 * v[i + b]) + 0.25 * w[i];
  }
}
// Ghosts of a step, which the two items write that own their neighbours across the boundary.
@kernel void periodic(const int n, const double c, @restrict const double *v, @restrict double *u) {
  for (int i = 1; i < n + 1; ++i; @tile(16, @outer, @inner)) {
    u[i] = v[i] + c * (v[i + 1] - 2 * v[i] + v[i - 1]);
    if (i == 1) { u[n + 1] = v[i]; }
    if (i == n) { u[0] = v[i]; }
  }
}
@kernel void wrapped(const int n, const double c, @restrict const double *v, @restrict double *u) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
    const int left = i == 0 ? n - 1 : i - 1;
    const int right = i == n - 1 ? 0 : i + 1;
    u[i] = v[i] - c * v[i] * (v[right] - v[left]);
  }
}
// Copies the first and last points into the ghosts on the other side.
@kernel void ghosts(const int n, const int h, double *u) {
  for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < h; ++i; @inner) { u[i] = u[n - 2 * h + i]; u[n - h + i] = u[h + i]; }
}
@kernel void add(const int n, const double c, const double *v, double *sum) {
  for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { sum[i] += c * v[i]; }
}
@kernel void shared_tile(const int n, const double *v, double *u) {
  for (int b = 0; b < n; b += 16; @outer) {
    @shared double s[18];
    for (int i = 0; i < 16; ++i; @inner) {
      s[i + 1] = b + i < n ? v[b + i] : 0.25;
      if (i == 0) { s[0] = b > 0 ? v[b - 1] : 0.5; s[17] = b + 16 < n ? v[b + 16] : 0.25; }
    }
    for (int i = 0; i < 16; ++i; @inner) { if (b + i < n) { u[b + i] = 0.3 * s[i] + 0.4 * s[i + 1] + 0.2 * s[i + 2]; } }
  }
}
// Depends on all of the step before.
@kernel void total(const int n, const double *v, double *out) {
  for (int b = 0; b < 1; ++b; @outer) for (int i = 0; i < 1; ++i; @inner) {
    double sum = 0;
    for (int k = 0; k < n; ++k) { sum += v[k]; }
    out[0] = sum;
  }
}
@kernel void shift(const int n, const double *mean, double *u) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { u[i] -= 1e-3 * mean[0]; }
}
@kernel void heat(const int nx, const int ny, const int nz, const double r, @restrict const double *v, @restrict double *u) {
  for (int k = 1; k < nz - 1; ++k; @outer(1)) for (int j = 1; j < ny - 1; ++j; @outer(0)) {
    for (int i = 1; i < nx - 1; ++i; @inner) {
      const int at = i + nx * (j + ny * k);
      u[at] = v[at] + r * (v[at - 1] + v[at + 1] + v[at - nx] + v[at + nx] + v[at - nx * ny] + v[at + nx * ny] - 6 * v[at]);
    }
  }
}
// Faces of a box, whose values are those of the opposite side.
@kernel void faces(const int nx, const int ny, const int nz, double *u) {
  for (int k = 1; k < nz - 1; ++k; @outer) for (int j = 1; j < ny - 1; ++j; @inner) {
    u[nx * (j + ny * k)] = u[nx - 2 + nx * (j + ny * k)];
    u[nx - 1 + nx * (j + ny * k)] = u[1 + nx * (j + ny * k)];
  }
  for (int j = 1; j < ny - 1; ++j; @outer) for (int i = 0; i < nx; ++i; @inner) {
    u[i + nx * j] = u[i + nx * (j + ny * (nz - 2))];
    u[i + nx * (j + ny * (nz - 1))] = u[i + nx * (j + ny)];
  }
}
@kernel void gather(const int n, const int *at, const double *v, double *u) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { u[i] = v[at[i]]; }
}
@kernel void in_place(const int n, double *u) {
  for (int i = 0; i < n - 1; ++i; @tile(16, @outer, @inner)) { u[i] = 0.5 * u[i + 1]; }
}
@kernel void count(const int n, const double *v, int *found) {
  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { if (v[i] > 0) { @atomic found[0] += 1; } }
}
";

/// The kernels on a device; `None` where no compiler is.
struct Kernels(Device);

impl Kernels {
    fn on(props: &str) -> Option<Self> {
        let device = Device::open(props).expect(props);
        match device.build_kernel_from_string(KERNELS, "stencil", ()) {
            Err(error) if matches!(error.kind(), ErrorKind::Compiler { .. }) => {
                println!("skipped: {error}");
                None
            }
            kernel => kernel.map(|_| Self(device)).map_err(|error| panic!("{error}")).ok(),
        }
    }

    fn get(&self, name: &str) -> Kernel {
        self.0.build_kernel_from_string(KERNELS, name, ()).expect(name)
    }
}

/// What the commands of a loop work on.
struct Buffers {
    rotating: Vec<Memory<f64>>,
    fixed: Memory<f64>,
    sum: Memory<f64>,
    one: Memory<f64>,
    ring: Memory<f64>,
}

/// Most repetitions that snapshots have slots for.
const SLOTS: usize = 40;

impl Buffers {
    fn new(device: &Device, count: usize, len: usize) -> Self {
        let field = |seed: usize| -> Vec<f64> { (0..len).map(|i| ((i * i + seed) % 97) as f64 / 97.0 - 0.4).collect() };
        let memory = |seed| device.malloc_from(&field(seed)).expect("memory");
        Self {
            rotating: (0..count).map(memory).collect(),
            fixed: memory(50),
            sum: memory(51),
            one: device.malloc_filled(1, 0.0).expect("memory"),
            ring: device.malloc_filled(SLOTS * len, 0.0).expect("memory"),
        }
    }

    /// All bits.
    fn bits(&self) -> Vec<u64> {
        let all = self.rotating.iter().chain([&self.fixed, &self.sum, &self.one, &self.ring]);
        all.flat_map(|memory| memory.to_vec().expect("a copy")).map(f64::to_bits).collect()
    }
}

/// A buffer to read and another one to write.
fn two(buffers: &mut [Memory<f64>], from: usize, to: usize) -> (&Memory<f64>, &mut Memory<f64>) {
    let (head, tail) = buffers.split_at_mut(from.max(to));
    if from < to { (&head[from], &mut tail[0]) } else { (&tail[0], &mut head[to]) }
}

/// Launches of a loop whose values can be replaced.
#[derive(Default)]
struct Launches {
    /// With a factor `c`.
    scaled: Vec<usize>,
    /// With an offset `a`, and the greatest that it may have.
    moved: Vec<(usize, i64)>,
}

/// Records a random command.
fn command(
    kernels: &Kernels,
    r: &mut Recorder,
    random: &mut Rng,
    buffers: &mut Buffers,
    launches: &mut Launches,
    kind: u64,
) -> Result<()> {
    let n = buffers.fixed.len() as i64;
    let c = 0.01 * random.i64(1..=9) as f64;
    let count = buffers.rotating.len();
    let from = random.u64(..count as u64) as usize;
    let to = (from + 1 + random.u64(..count as u64 - 1) as usize) % count;
    let (v, u) = two(&mut buffers.rotating, from, to);
    match kind {
        0 | 1 => {
            let reach = random.i64(1..=5);
            let (a, b) = (random.i64(-reach..=reach), random.i64(-reach..=reach));
            let arguments = args![reach, n - reach, a, b, c, v, &buffers.fixed, u];
            let launch = r.launch(&kernels.get("stencil"), arguments)?;
            launches.scaled.push(launch);
            launches.moved.push((launch, reach));
        }
        2 => launches.scaled.push(r.launch(&kernels.get("periodic"), args![n - 2, c, v, u])?),
        3 => launches.scaled.push(r.launch(&kernels.get("wrapped"), args![n, c, v, u])?),
        4 => drop(r.launch(&kernels.get("ghosts"), args![n, random.i64(1..=3), u])?),
        5 => launches.scaled.push(r.launch(&kernels.get("add"), args![n, c, v, &mut buffers.sum])?),
        6 => drop(r.launch(&kernels.get("shared_tile"), args![n, v, u])?),
        7 => r.snapshot(v, &mut buffers.ring)?,
        8 => r.copy(u, v)?,
        9 => {
            let (first, end) = (random.u64(..n as u64) as usize, n as usize);
            r.fill(&mut buffers.sum.slice(first..end)?, c)?;
        }
        10 => {
            let half = n as usize / 2;
            r.copy(&mut buffers.sum.slice(..half)?, &v.slice(half..2 * half)?)?;
        }
        _ => {
            r.launch(&kernels.get("total"), args![n, v, &mut buffers.one])?;
            r.launch(&kernels.get("shift"), args![n, &buffers.one, u])?;
        }
    }
    Ok(())
}

/// A random loop.
fn record(kernels: &Kernels, buffers: &mut Buffers, random: &mut Rng) -> (Graph, Launches) {
    let mut launches = Launches::default();
    let graph = kernels.0.record(|r| {
        command(kernels, r, random, buffers, &mut launches, 0)?;
        let mut has_snapshot = false;
        for _ in 0..random.u64(..4) {
            let most = if random.u64(..8) == 0 { 12 } else { 11 };
            let kind = random.u64(..most);
            // A ring takes one snapshot of a repetition.
            if kind != 7 || !std::mem::replace(&mut has_snapshot, true) {
                command(kernels, r, random, buffers, &mut launches, kind)?;
            }
        }
        r.rotate(&buffers.rotating)
    });
    (graph.unwrap_or_else(|error| panic!("{error}")), launches)
}

/// Records a loop and replays it several times, with other values in between; all bits after each replay, and the most steps
/// of a pass.
fn run(kernels: &Kernels, seed: u64) -> (Vec<Vec<u64>>, u64) {
    let mut random = Rng::with_seed(seed);
    // From less than a group to many.
    let len = [random.i64(12..=40), random.i64(100..=700), random.i64(700..=3000)][random.u64(..3) as usize];
    let mut buffers = Buffers::new(&kernels.0, random.i64(2..=3) as usize, len as usize);
    let (mut graph, launches) = record(kernels, &mut buffers, &mut random);
    let (mut states, mut steps) = (Vec::new(), 1);
    for _ in 0..3 {
        let times = random.i64(1..=SLOTS as i64 / 2);
        graph.set_first_slot(random.u64(..SLOTS as u64 / 2));
        graph
            .replay_rotating(times as u64, buffers.rotating.as_mut_slice())
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        states.push(buffers.bits());
        steps = graph.plan().steps_per_pass.max(steps);
        for &launch in &launches.scaled {
            graph.set_argument(launch, "c", 0.01 * random.i64(1..=9) as f64).expect("a factor");
        }
        for &(launch, reach) in &launches.moved {
            graph.set_argument(launch, "a", random.i64(-reach..=reach)).expect("an offset");
        }
    }
    (states, steps)
}

/// Loops that are tried.
const CASES: u64 = 150;

#[test]
fn random_loops_have_the_bits_of_one_step_a_pass() {
    let Some(plain) = Kernels::on("mode=Serial, tiling=off") else { return };
    let tiled = ["mode=Serial, tiling=4", "mode=CPU, threads=3, pool=own, tiling=3", "mode=CPU, threads=4, tiling=16"];
    let mut tiled = tiled.map(|props| (props, Kernels::on(props).expect("the compiler is still there"), [0; 2]));
    for seed in 0..CASES {
        let (expected, steps) = run(&plain, seed);
        assert_eq!(steps, 1);
        for (props, kernels, counts) in &mut tiled {
            let (states, steps) = run(kernels, seed);
            counts[usize::from(steps > 1)] += 1;
            for (replay, (state, expected)) in states.iter().zip(&expected).enumerate() {
                let first = state.iter().zip(expected).position(|(a, b)| a != b);
                assert_eq!(
                    first,
                    None,
                    "{props}, seed {seed}: replay {replay} of {} differs from this number on",
                    states.len()
                );
            }
        }
    }
    for (props, _, [one, many]) in tiled {
        assert!(many > one, "{props}: {many} loops were tiled, {one} were not");
    }
}

/// A box with fixed or periodic faces, of fewer planes than tiles and of many.
#[test]
fn boxes_have_the_bits_of_one_step_a_pass() {
    let Some(plain) = Kernels::on("mode=Serial, tiling=off") else { return };
    let run = |kernels: &Kernels, [nx, ny, nz]: [usize; 3], is_periodic: bool| {
        let field: Vec<f64> = (0..nx * ny * nz).map(|i| ((i * i) % 89) as f64 / 89.0).collect();
        let device = &kernels.0;
        let (mut u, mut v) = (device.malloc_from(&field).expect("u"), device.malloc_from(&field).expect("v"));
        let (heat, faces) = (kernels.get("heat"), kernels.get("faces"));
        let mut graph = device
            .record(|r| {
                r.launch(&heat, args![nx, ny, nz, 0.1, &u, &mut v])?;
                if is_periodic {
                    r.launch(&faces, args![nx, ny, nz, &mut v])?;
                }
                r.rotate([&u, &v])
            })
            .expect("a graph");
        for times in [7, 1, 20] {
            graph.replay_rotating(times, [&mut u, &mut v]).expect("a replay");
        }
        (u.to_vec().expect("a copy").into_iter().map(f64::to_bits).collect::<Vec<_>>(), graph.plan())
    };
    for props in ["mode=Serial, tiling=3", "mode=CPU, threads=3, tiling=5"] {
        let tiled = Kernels::on(props).expect("the compiler is still there");
        for sizes in [[9, 8, 5], [6, 7, 40], [5, 5, 3]] {
            for is_periodic in [false, true] {
                let (bits, plan) = run(&tiled, sizes, is_periodic);
                let (expected, _) = run(&plain, sizes, is_periodic);
                assert!(bits == expected, "{props}, {sizes:?}, periodic: {is_periodic}, {plan}");
                assert!(plan.steps_per_pass > 1 || sizes[2] < 40, "{sizes:?}, periodic: {is_periodic}, {plan}");
            }
        }
    }
}

/// Threads that lose their cores now and then: many replays of one loop.
#[test]
fn many_replays_on_many_threads_agree() {
    let Some(plain) = Kernels::on("mode=Serial, tiling=off") else { return };
    let tiled = Kernels::on("mode=CPU, threads=8, pool=own, tiling=6").expect("the compiler is still there");
    let run = |kernels: &Kernels| {
        let mut buffers = Buffers::new(&kernels.0, 2, 2000);
        let [u, v] = &mut buffers.rotating[..] else { unreachable!("there are two") };
        let step = kernels.get("periodic");
        let mut graph = kernels.0.record(|r| {
            r.launch(&step, args![1998, 0.1, &*u, &mut *v])?;
            r.rotate([&*u, &*v])
        });
        let graph = graph.as_mut().expect("a graph");
        for _ in 0..300 {
            graph.replay_rotating(13, buffers.rotating.as_mut_slice()).expect("a replay");
        }
        (buffers.bits(), graph.plan().steps_per_pass)
    };
    let ((bits, steps), (expected, _)) = (run(&tiled), run(&plain));
    assert_eq!(steps, 6);
    assert!(bits == expected);
}

/// Records the commands of a loop.
type Record = dyn Fn(&mut Recorder, &mut Buffers) -> Result<()>;

/// Why a loop is replayed as it was recorded.
#[test]
fn the_plan_says_what_is_in_the_way() {
    let Some(kernels) = Kernels::on("mode=Serial, tiling=4") else { return };
    let n = 600;
    let reason = |kernels: &Kernels, record: &Record| {
        let mut buffers = Buffers::new(&kernels.0, 2, n);
        let mut graph = kernels.0.record(|r| {
            record(r, &mut buffers)?;
            r.rotate(&buffers.rotating)
        });
        let graph = graph.as_mut().expect("a graph");
        graph.replay_rotating(12, buffers.rotating.as_mut_slice()).expect("a replay");
        graph.plan().to_string()
    };
    let step = |kernels: &Kernels| {
        let kernel = kernels.get("periodic");
        move |r: &mut Recorder, buffers: &mut Buffers| {
            let (v, u) = two(&mut buffers.rotating, 0, 1);
            r.launch(&kernel, args![n - 2, 0.1, v, u]).map(drop)
        }
    };
    let cases: [(&str, Box<Record>); 4] = [
        ("4 steps a pass: ", Box::new(step(&kernels))),
        ("groups of command 0 touch what others of it write", {
            let kernel = kernels.get("in_place");
            Box::new(move |r, buffers| r.launch(&kernel, args![n, &mut buffers.rotating[0]]).map(drop))
        }),
        ("groups of command 0 touch what others of it write", {
            let (kernel, found) = (kernels.get("count"), kernels.0.malloc_filled(1, 0_i32).expect("memory"));
            Box::new(move |r, buffers| r.launch(&kernel, args![n, &buffers.rotating[0], &mut found.share()]).map(drop))
        }),
        ("kernel `gather` checks its accesses while it runs", {
            let at = kernels.0.malloc_from(&(0..n as i32).rev().collect::<Vec<_>>()).expect("memory");
            let kernel = kernels.get("gather");
            Box::new(move |r, buffers| {
                let (v, u) = two(&mut buffers.rotating, 0, 1);
                r.launch(&kernel, args![n, &at, v, u]).map(drop)
            })
        }),
    ];
    for (expected, record) in cases {
        let plan = reason(&kernels, &*record);
        assert!(plan.contains(expected), "{plan}");
    }
    for (props, expected) in [
        ("mode=Serial, tiling=off", "one step a pass: the property `tiling` is `off`"),
        ("mode=Serial", "KiB, which the second cache of"),
        ("mode=Reference", "this mode replays the commands in order"),
    ] {
        let Ok(device) = Device::open(props) else { continue };
        let kernels = Kernels(device);
        let plan = reason(&kernels, &step(&kernels));
        assert!(plan.contains(expected), "{props}: {plan}");
    }
}

#[test]
fn a_bad_property_is_refused() {
    for value in ["1", "257", "on", "true", "-3"] {
        let error = Device::open(format!("mode=Serial, tiling={value}").as_str()).expect_err(value);
        let ErrorKind::Props { message } = error.kind() else { panic!("{error:?}") };
        assert!(message.contains("expected `auto`, `off` or a number from 2 to 256"), "{message}");
    }
}
