//! Ranks with a GPU each, whose messages NCCL carries. Where there are not two GPUs or there is no NCCL the tests say so and are
//! skipped, unless `FERROCCA_REQUIRE_NCCL` is set.

use ferrocca_backend_cuda as _;
use ferrocca_comm::{Comm, Grid, Operation, RecordExchange, SharedNodes, Way, peers};
use ferrocca_core::{Device, Element, Error, Memory, Props, Result, args};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A test's turn: CUDA loads no module while a kernel waits for another rank, and that one may wait for a third to load its own.
static TURN: Mutex<()> = Mutex::new(());

/// Two GPUs that NCCL links, which no other test has until the turn is over.
fn gpus() -> Option<([Device; 2], MutexGuard<'static, ()>)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = |id: i64| Device::open(format!("CUDA, device_id={id}").as_str());
    let linked = open(0).and_then(|first| Ok([first, open(1)?])).and_then(|devices| {
        let lines = peers(&devices, |comm, device| {
            let grid = Grid::new(comm, &[64], 1)?;
            let mut u = device.malloc_filled(grid.centred().len(), 0.0)?;
            Ok(grid.plan(&[&mut u])?.to_string())
        })?;
        match !lines[0].contains("from device to device is not possible") {
            true => Ok(devices),
            false => Err(Error::invalid(lines[0].clone())),
        }
    });
    match linked {
        Ok(devices) => Some((devices, turn)),
        Err(error) if std::env::var_os("FERROCCA_REQUIRE_NCCL").is_some() => panic!("{error}"),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

/// All 26 neighbours count, so that edges and corners have to come.
const BOX: &str = "
@kernel void step(const int n0, const int n1, const int n2, const TYPE *u, TYPE *v) {
  for (int i = H; i < n0 + H; ++i; @outer(1)) for (int j = H; j < n1 + H; ++j; @outer(0)) {
    for (int k = H; k < n2 + H; ++k; @inner) {
      const int w = n2 + 2 * H, p = (n1 + 2 * H) * w;
      TYPE sum = 0;
      for (int a = -H; a <= H; ++a) for (int b = -H; b <= H; ++b) for (int c = -H; c <= H; ++c) {
        sum = (sum + u[(i + a) * p + (j + b) * w + k + c]) MIX;
      }
      v[i * p + j * w + k] = sum FINISH;
    }
  }
}";

/// A box, and how it is solved.
#[derive(Clone, Copy, Debug)]
struct Case {
    shape: [usize; 3],
    cut: [usize; 3],
    halo: usize,
    recorded: bool,
    /// Whether most of a step runs beside the messages.
    overlaps: bool,
}

/// Values on rank 0 after some steps.
fn solve<T: Element + Default>(
    comm: &Comm,
    device: &Device,
    case: Case,
    value: impl Fn(usize) -> T,
) -> Result<Option<Vec<T>>> {
    let Case { shape, cut, halo, recorded, overlaps } = case;
    let grid = Grid::new(comm, &shape, halo)?.parts(&cut)?.periodic(&[true, false, true])?;
    let layout = grid.centred();
    let scalar = T::DTYPE.scalar().expect("a number").okl_name();
    // Values stay as large as they are.
    let [mix, finish] = if scalar == "int" { ["* 3 % 1000003", ""] } else { ["* (TYPE)0.9", "* (TYPE)0.1"] };
    let props = Props::new().define("TYPE", scalar).define("H", halo).define("MIX", mix).define("FINISH", finish);
    let step = device.build_kernel_from_string(BOX, "step", props)?;
    let mut u = device.malloc_filled(layout.len(), T::default())?;
    let mut v = device.malloc_filled(layout.len(), T::default())?;
    let all: Vec<T> = (0..shape.iter().product()).map(value).collect();
    grid.scatter(&all, &mut u)?;
    let plan = grid.plan(&[&mut u])?;
    let [n0, n1, n2] = [0, 1, 2].map(|axis| layout.extents()[axis] as i32);
    plan.exchange(&mut [&mut u])?;
    if recorded {
        let mut graph = device.record(|r| {
            r.launch(&step, args![n0, n1, n2, &u, &mut v])?;
            r.exchange(&plan, &mut [&mut v])?;
            r.rotate([&u, &v])
        })?;
        assert_eq!(graph.host_steps(), 0, "{plan}");
        let text = graph.plan().to_string();
        assert_eq!(text.contains("run beside the messages"), overlaps && comm.size() > 1, "{case:?}: {text}");
        for times in [1, 2, 40, 3] {
            graph.replay_rotating(times, [&mut u, &mut v])?;
        }
    } else {
        for _ in 0..46 {
            step.launch(args![n0, n1, n2, &u, &mut v])?;
            plan.exchange(&mut [&mut v])?;
            u.swap(&mut v);
        }
    }
    grid.gather(&u)
}

fn compare<T: Element + Default + PartialEq>(devices: &[Device; 2], cases: &[Case], value: impl Fn(usize) -> T + Sync) {
    let alone = Case { cut: [1; 3], recorded: false, ..cases[0] };
    let expected = solve(&Comm::alone(), &devices[0], alone, &value).unwrap().unwrap();
    assert!(expected.iter().any(|other| *other != expected[0]), "{:?}", T::DTYPE);
    for case in cases {
        let found = peers(devices, |comm, device| solve(comm, device, *case, &value)).unwrap().remove(0).unwrap();
        assert!(found == expected, "{:?}, {case:?}", T::DTYPE);
    }
}

/// Small boxes, cut along each axis, at once and recorded.
fn small(halo: usize) -> Vec<Case> {
    let cuts = [[2, 1, 1], [1, 2, 1], [1, 1, 2]];
    let case = |cut, recorded| Case { shape: [7, 6, 10], cut, halo, recorded, overlaps: false };
    cuts.into_iter().flat_map(|cut| [false, true].map(|recorded| case(cut, recorded))).collect()
}

#[test]
fn grids_have_the_bits_of_one_gpu() {
    let Some((devices, _turn)) = gpus() else { return };
    compare(&devices, &small(1), |i| (i * i % 101) as f64 / 7.0);
    compare(&devices, &small(2), |i| (i * i % 37) as f32 / 7.0);
    compare(&devices, &small(1), |i| (i * i % 89) as i32);
}

#[test]
fn what_runs_beside_messages_has_the_bits_of_one_gpu() {
    let Some((devices, _turn)) = gpus() else { return };
    for halo in [1, 2] {
        let case = Case { shape: [180, 200, 250], cut: [2, 1, 1], halo, recorded: true, overlaps: true };
        compare(&devices, &[case; 2], |i| (i * i % 1009) as f64 / 7.0);
    }
}

/// A ring of points, all steps of which but the last ones are done by passes.
#[test]
fn many_steps_in_a_pass_through_memory_have_the_bits_of_one_gpu() {
    let Some((devices, _turn)) = gpus() else { return };
    let tiled = |device: &Device, steps: u64| Device::open(device.props().clone().with("tiling", steps)).unwrap();
    let step = "@kernel void step(const int n, const double *u, double *v) {
      for (int i = 1; i < n + 1; ++i; @tile(128, @outer, @inner)) {
        v[i] = u[i] + 0.2 * (u[i + 1] - 2.0 * u[i] + u[i - 1]) - 0.01 * u[i] * (u[i + 1] - u[i - 1]);
      }
    }";
    let solve = |comm: &Comm, device: &Device| -> Result<(Option<Vec<f64>>, String)> {
        let grid = Grid::new(comm, &[200_003], 1)?.periodic(&[true])?;
        let step = device.build_kernel_from_string(step, "step", ())?;
        let len = grid.centred().len();
        let (mut u, mut v) = (device.malloc_filled(len, 0.0)?, device.malloc_filled(len, 0.0)?);
        grid.scatter(&(0..200_003_u64).map(|i| (i * i % 97) as f64 / 97.0).collect::<Vec<_>>(), &mut u)?;
        let plan = grid.plan(&[&mut u])?;
        plan.exchange(&mut [&mut u])?;
        let mut graph = device.record(|r| {
            r.launch(&step, args![grid.extents()[0] as i32, &u, &mut v])?;
            r.exchange(&plan, &mut [&mut v])?;
            r.rotate([&u, &v])
        })?;
        for times in [300, 5, 77, 2] {
            graph.replay_rotating(times, [&mut u, &mut v])?;
        }
        Ok((grid.gather(&u)?, graph.plan().to_string()))
    };
    let (expected, _) = solve(&Comm::alone(), &devices[0]).unwrap();
    for steps in [3, 10, 31, 101] {
        let devices = devices.each_ref().map(|device| tiled(device, steps));
        let (values, plan) = peers(&devices, solve).unwrap().swap_remove(0);
        assert!(plan.contains("the block of the ends sends and receives"), "{plan}");
        assert!(values == expected, "{steps}: {plan}");
    }
}

#[test]
fn shared_nodes_have_the_bits_of_one_gpu() {
    let Some((devices, _turn)) = gpus() else { return };
    let combine = |comm: &Comm, device: &Device| {
        let ranks = comm.size();
        let own = 3000 * comm.rank() / ranks..3000 * (comm.rank() + 1) / ranks;
        let numbers: Vec<u64> = own.clone().map(|i| (i * i % 1009) as u64).collect();
        let nodes = SharedNodes::new(comm, device, &numbers)?;
        let mut field = device.malloc_from(&own.map(|i| 1.0 / (3.0 + i as f64)).collect::<Vec<_>>())?;
        for _ in 0..5 {
            nodes.combine(Operation::Sum, &mut field)?;
        }
        field.to_vec()
    };
    let expected = combine(&Comm::alone(), &devices[0]).unwrap();
    assert!(peers(&devices, combine).unwrap().concat() == expected);
}

#[test]
fn several_fields_travel_together_and_start_before_they_finish() {
    let Some((devices, _turn)) = gpus() else { return };
    let sums = peers(&devices, |comm, device| {
        let grid = Grid::new(comm, &[1 << 20], 3)?.periodic(&[true])?;
        let len = grid.centred().len();
        let mut fields: Vec<Memory<f64>> = (0..4)
            .map(|k| device.malloc_filled(len, f64::from(k) + 10.0 * comm.rank() as f64))
            .collect::<Result<_>>()?;
        let plan = grid.plan(&fields.iter_mut().collect::<Vec<_>>())?;
        plan.start(&mut fields.iter_mut().collect::<Vec<_>>())?.finish()?;
        let ghost = |field: &Memory<f64>| Ok(field.slice(len - 3..)?.to_vec()?[1]);
        fields.iter().map(ghost).collect::<Result<Vec<f64>>>()
    });
    assert_eq!(sums.unwrap(), [[10.0, 11.0, 12.0, 13.0], [0.0, 1.0, 2.0, 3.0]]);
}

/// Halos of which two messages go from each rank to the other: by words, and by chunks of lengths that no word fits.
fn halos_come<T: Element + PartialEq + std::fmt::Debug>(devices: &[Device; 2], value: impl Fn(i64) -> T + Sync) {
    let plans = peers(devices, |comm, device| {
        let mut plans = String::new();
        for halo in [1_001, 70_001, 300_003, 1_200_001] {
            let all = 2 * halo as i64 + 5;
            let grid = Grid::new(comm, &[2 * halo + 5], halo)?.periodic(&[true])?;
            let len = grid.centred().len();
            let at = |local: usize| grid.global_index(0, local).rem_euclid(all);
            let own = halo..len - halo;
            let mut u = device.malloc::<T>(len)?;
            let plan = grid.plan(&[&mut u])?;
            let mut graph = device.record(|r| r.exchange(&plan, &mut [&mut u]))?;
            for turn in 0..4 {
                let of = |local: usize| value(at(local) + 7 * turn);
                let begin: Vec<T> = (0..len).map(|i| if own.contains(&i) { of(i) } else { value(-1) }).collect();
                u.copy_from(&begin)?;
                // Twice at once, so that the second has to wait until the first has been taken.
                if turn % 2 == 0 {
                    graph.replay(2)?
                } else {
                    (0..2).try_for_each(|_| plan.exchange(&mut [&mut u]))?
                }
                let wrong = u.to_vec()?.iter().enumerate().position(|(local, found)| *found != of(local));
                assert_eq!(wrong, None, "halo {halo} of {:?}, turn {turn}: {plan}", T::DTYPE);
            }
            plans = plan.to_string();
        }
        Ok(plans)
    });
    println!("{}", plans.unwrap()[0]);
}

#[test]
fn messages_of_any_length_come_whole() {
    let Some((devices, _turn)) = gpus() else { return };
    halos_come(&devices, |i| (i * i % 251) as u8);
    halos_come(&devices, |i| (i * i % 10_007) as i16);
    halos_come(&devices, |i| (i * i % 1_000_003) as f32);
    halos_come(&devices, |i| (i * i) as f64);
}

#[test]
fn a_rank_that_fails_ends_what_the_other_waits_for() {
    let Some((devices, _turn)) = gpus() else { return };
    let start = Instant::now();
    let error = peers(&devices, |comm, device| {
        let grid = Grid::new(comm, &[4096], 1)?.periodic(&[true])?;
        let mut u = device.malloc_filled(grid.centred().len(), 0.0)?;
        let plan = grid.plan(&[&mut u])?;
        if comm.rank() == 1 {
            return Err(Error::invalid("the disk is full"));
        }
        if plan.way() != Way::DeviceToDevice {
            println!("{plan}");
        }
        let mut graph = device.record(|r| r.exchange(&plan, &mut [&mut u]))?;
        graph.replay(100)?;
        // What was received is nothing: nobody may go on with it.
        let waits = [device.finish(), u.to_vec().map(drop)].map(|wait| wait.unwrap_err().to_string());
        let is_told = |text: &String| text.contains("rank 1") && text.contains("the disk is full");
        if waits.iter().all(is_told) { plan.exchange(&mut [&mut u]) } else { Err(Error::invalid(format!("{waits:?}"))) }
    });
    let error = error.expect_err("a rank has failed").to_string();
    assert_eq!(error, "rank 1 of 2: the disk is full");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_rank_that_hangs_ends_what_the_other_waits_for() {
    let Some((devices, _turn)) = gpus() else { return };
    let error = peers(&devices, |comm, device| {
        let grid = Grid::new(comm, &[4096], 1)?.periodic(&[true])?;
        let mut u = device.malloc_filled(grid.centred().len(), 0.0)?;
        let plan = grid.plan(&[&mut u])?;
        let mut graph = device.record(|r| r.exchange(&plan, &mut [&mut u]))?;
        comm.set_limit(Duration::from_secs(2));
        if comm.rank() == 1 {
            std::thread::sleep(Duration::from_secs(8));
            return Ok(());
        }
        let start = Instant::now();
        graph.replay(100)?;
        let waited = device.finish();
        assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
        waited
    });
    let error = error.expect_err("a rank hangs").to_string();
    assert!(error.contains("rank 0 on ") && error.contains("waited 2.0s for its device"), "{error}");
}

/// Not a test of its own: what a process of the test below runs.
#[test]
#[ignore = "a rank that another test starts"]
fn rank() {
    let code = ferrocca_comm::run(|comm| {
        let device = Device::open(format!("CUDA, device_id={}", comm.rank()).as_str())?;
        // One field whose messages are small, and one whose messages are not.
        let (line, cube) = (Grid::new(comm, &[8192], 1)?.periodic(&[true])?, Grid::new(comm, &[8, 512, 512], 1)?);
        let (line, cube) = (line, cube.periodic(&[true; 3])?);
        let mut u = device.malloc_filled(line.centred().len(), 1.0)?;
        let mut v = device.malloc_filled(cube.centred().len(), 1.0)?;
        let (small, large) = (line.plan(&[&mut u])?, cube.plan(&[&mut v])?);
        let mut graph = device.record(|r| {
            r.exchange(&small, &mut [&mut u])?;
            r.exchange(&large, &mut [&mut v])
        })?;
        println!("by {:?} and {:?}", small.way(), large.way());
        loop {
            graph.replay(500)?;
            device.finish()?;
        }
    });
    std::process::exit(i32::from(code != std::process::ExitCode::SUCCESS));
}

#[test]
fn processes_that_are_killed_or_stopped_end_the_others() {
    let Some((_, _turn)) = gpus() else { return };
    for (signal, expected) in [("-KILL", "rank 1"), ("-STOP", "waited 4.0s")] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        drop(listener);
        let mut ranks = ["0", "1"].map(|rank| {
            let mut command = Command::new(std::env::current_exe().expect("this program"));
            command.args(["--ignored", "--exact", "rank", "--nocapture"]);
            command.env("FERROCCA_COMM_ADDRESS", &address).env("FERROCCA_COMM_LIMIT", "4");
            command.env("RANK", rank).env("WORLD_SIZE", "2").env("LOCAL_RANK", rank);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
        });
        for rank in &mut ranks {
            let mut lines = BufReader::new(rank.stdout.take().expect("it is piped")).lines();
            assert!(lines.any(|line| line.is_ok_and(|line| line.contains("by DeviceToDevice"))), "{signal}");
        }
        std::thread::sleep(Duration::from_secs(1));
        let [mut other, mut odd] = ranks;
        let sent = Command::new("kill").args([signal, &odd.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let start = Instant::now();
        let ended = loop {
            match other.try_wait().expect("it can be waited for") {
                None if start.elapsed() < Duration::from_secs(30) => std::thread::sleep(Duration::from_millis(50)),
                ended => break ended,
            }
        };
        let _ = (odd.kill(), other.kill(), odd.wait());
        let mut text = String::new();
        let _ = other.stderr.take().expect("it is piped").read_to_string(&mut text);
        println!("{signal}: {ended:?} after {:.1?}: {text}", start.elapsed());
        assert!(ended.is_some_and(|status| !status.success()), "{signal}: {ended:?} {text}");
        assert!(text.contains(expected), "{signal}: {text}");
    }
}
