//! The Burgers solver against a plain loop in Rust, to the same bits: in both precisions, on one thread and several,
//! across checkpoints, with hooks; and the step at which NaN appears.

mod keeping;
#[path = "../support/mod.rs"]
mod support;

use burgers::{Checkpoint, CheckpointPlan, Config, Limits, Outcome, Precision, RunOptions, Solver};
use ferrocca::Device;
use ferrocca::comm::{self, Comm};
use ferrocca::insitu::{Change, Control, Every, Frame, Hook, HookFn};
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

/// Devices that compute with the same bits: the processor's modes, and those of the others that are here.
fn devices() -> impl Iterator<Item = &'static str> {
    const PROCESSOR: [&str; 4] = ["mode=Serial", "mode=CPU, threads=1", "mode=CPU, threads=2", "mode=CPU, threads=3"];
    const OTHERS: [&str; 3] = ["mode=CUDA", "mode=OpenCL", "mode=WebGPU"];
    PROCESSOR.into_iter().chain(OTHERS.into_iter().filter(|device| support::has_device(device)))
}

/// The scheme as it is written in the kernel's header, and nothing else.
macro_rules! reference {
    ($name:ident, $ty:ty) => {
        fn $name(config: &Config, initial: &[f64], steps: u64) -> Vec<$ty> {
            let (c1, c2) = (config.advection_factor() as $ty, config.diffusion_factor() as $ty);
            let n = config.points as usize;
            let mut previous: Vec<$ty> = initial.iter().map(|value| *value as $ty).collect();
            let mut u = previous.clone();
            for _ in 0..steps {
                for i in 1..=n {
                    let (left, here, right) = (previous[i - 1], previous[i], previous[i + 1]);
                    u[i] = here + c2 * (right - 2.0 * here + left) - here * c1 * (right - left);
                }
                u[n + 1] = previous[1];
                u[0] = previous[n];
                std::mem::swap(&mut u, &mut previous);
            }
            previous
        }
    };
}

reference!(reference_f64, f64);
reference!(reference_f32, f32);

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn solve(device: &str, config: Config) -> Solver {
    let device = Device::open(device).unwrap();
    let mut solver = Solver::new(&device, config).unwrap();
    let summary = solver.run(&mut (), RunOptions::default()).unwrap();
    assert_eq!(summary.outcome, Outcome::Finished);
    solver
}

/// Ranks that are threads, each with a device of the processor.
fn on_ranks<R: Send>(size: usize, work: impl Fn(&Comm, &Device) -> ferrocca::Result<R> + Sync) -> Vec<R> {
    let device =
        |rank: usize| Device::open(if rank.is_multiple_of(2) { "mode=Serial" } else { "CPU, threads=1" }).unwrap();
    let devices: Vec<Device> = (0..size).map(device).collect();
    comm::peers(&devices, work).unwrap()
}

#[test]
fn ranks_have_the_bits_of_one() {
    if !support::has_c_compiler() {
        return;
    }
    for (points, precision) in [(256, Precision::F64), (23, Precision::F32), (1000, Precision::F64)] {
        let config = Config { points, precision, final_time: 0.7, ..Config::default() };
        let alone = solve("mode=Serial", config.clone());
        let expected = bits(&alone.u_to_vec().unwrap());
        let directory = tempfile::tempdir().unwrap();
        for size in [1, 2, 3, 7] {
            let path = directory.path().join(format!("state-{size}"));
            let found = on_ranks(size, |comm, device| {
                let mut solver = Solver::on_ranks(comm, device, config.clone())?;
                assert_eq!(solver.limits(), alone.limits());
                // Launches, replays, and a run to the end, which looks for NaN.
                solver.step()?;
                solver.steps(10)?;
                let every = std::num::NonZeroU64::new(300);
                let checkpoint = Some(CheckpointPlan { path: path.clone(), every });
                solver.run(&mut (), RunOptions { checkpoint, ..RunOptions::default() })?;
                solver.gather()
            });
            assert_eq!(bits(found[0].as_ref().unwrap()), expected, "{points} points, {precision}, {size} ranks");
            assert!(found[1..].iter().all(Option::is_none));
            // What any number of ranks has written, any other goes on from.
            let saved = Checkpoint::read(&path).unwrap();
            let longer = Config { final_time: 0.9, ..config.clone() };
            let again = on_ranks(8 - size, |comm, device| {
                let mut solver = Solver::resume_on_ranks(comm, device, longer.clone(), &saved)?;
                solver.run(&mut (), RunOptions::default())?;
                solver.gather()
            });
            let unbroken = solve("mode=Serial", longer.clone());
            assert_eq!(bits(again[0].as_ref().unwrap()), bits(&unbroken.u_to_vec().unwrap()), "{size} ranks before");
        }
    }
}

#[test]
fn ranks_find_nan_where_one_rank_finds_it() {
    if !support::has_c_compiler() {
        return;
    }
    let config = Config { points: 64, dt: 0.5, final_time: 500.0, ..Config::default() };
    let message = |comm: &Comm, device: &Device| {
        let mut solver = Solver::on_ranks(comm, device, config.clone())?;
        Ok(solver.run(&mut (), RunOptions::default()).unwrap_err().to_string())
    };
    let expected = message(&Comm::alone(), &Device::open("mode=Serial").unwrap()).unwrap();
    assert!(expected.contains("NaN appeared at step"), "{expected}");
    assert_eq!(on_ranks(3, message), [&*expected; 3]);
}

#[test]
fn ranks_end_together_when_one_hook_stops_or_one_is_interrupted() {
    if !support::has_c_compiler() {
        return;
    }
    let outcomes = on_ranks(3, |comm, device| {
        let mut solver = Solver::on_ranks(comm, device, Config::default())?;
        let rank = comm.rank();
        let mut hook = HookFn(move |frame: &Frame| {
            Ok(if rank == 1 && frame.step == 30 { Control::Stop } else { Control::Continue })
        });
        let stopped = solver.run(&mut hook, RunOptions::default())?;
        let flag = AtomicBool::new(rank == 2);
        let interrupted = solver.run(&mut (), RunOptions { interrupt: Some(&flag), ..RunOptions::default() })?;
        Ok((stopped.outcome, interrupted.outcome, solver.step_count()))
    });
    assert_eq!(outcomes, [(Outcome::Stopped, Outcome::Interrupted, 30); 3]);
}

#[test]
fn the_original_problem_has_the_original_result() {
    if !support::has_c_compiler() {
        return;
    }
    let config = Config::default();
    let expected = reference_f64(&config, &config.initial_field(), 2001);
    assert_eq!(format!("{:.7}", expected[10]), "0.0733873", "the reference itself");
    for device in devices() {
        let solver = solve(device, config.clone());
        assert_eq!(solver.step_count(), 2001, "{device}");
        assert!(solver.time() >= 2.0 && solver.time() < 2.0011, "{device}: t = {}", solver.time());
        assert_eq!(bits(&solver.u_to_vec().unwrap()), bits(&expected), "{device}");
    }
}

#[test]
fn every_size_and_precision_has_the_reference_s_bits() {
    if !support::has_c_compiler() {
        return;
    }
    // Around the tile of 256 points, and large enough to be split among threads.
    for points in [2, 3, 255, 256, 257, 511, 513, 200_003] {
        let steps = if points > 1000 { 6 } else { 40 };
        let config = Config { points, dt: 1e-7, final_time: (steps as f64 - 0.5) * 1e-7, ..Config::default() };
        let single = Config { precision: Precision::F32, ..config.clone() };
        let initial = config.initial_field();
        let expected = reference_f64(&config, &initial, steps);
        let expected_single: Vec<f64> = reference_f32(&single, &initial, steps).into_iter().map(f64::from).collect();
        for device in devices() {
            let solver = solve(device, config.clone());
            assert_eq!(solver.step_count(), steps);
            assert_eq!(bits(&solver.u_to_vec().unwrap()), bits(&expected), "{device}, {points} points, f64");
            let solver = solve(device, single.clone());
            assert_eq!(bits(&solver.u_to_vec().unwrap()), bits(&expected_single), "{device}, {points} points, f32");
        }
    }
}

/// The interpreter has no compiler that could contract or reorder: its bits are the scheme's, and those of the C text.
#[test]
fn the_interpreter_has_the_bits_of_the_c_text() {
    if !support::has_c_compiler() || !support::has_device("mode=Reference") {
        return;
    }
    for precision in [Precision::F64, Precision::F32] {
        let config = Config { points: 60, final_time: 0.03, precision, ..Config::default() };
        let [serial, reference] = ["mode=Serial", "mode=Reference"].map(|device| solve(device, config.clone()));
        assert!(serial.step_count() > 10, "{}", serial.step_count());
        assert_eq!(reference.step_count(), serial.step_count());
        assert_eq!(reference.time().to_bits(), serial.time().to_bits());
        let (ours, theirs) = (reference.u_to_vec().unwrap(), serial.u_to_vec().unwrap());
        assert_ne!(bits(&ours), bits(&config.initial_field()), "the field has changed");
        assert_eq!(bits(&ours), bits(&theirs), "{precision}");
    }
}

#[test]
fn steps_at_once_are_single_steps() {
    if !support::has_c_compiler() {
        return;
    }
    for device in devices() {
        let device = Device::open(device).unwrap();
        for precision in [Precision::F64, Precision::F32] {
            let config = Config { precision, ..Config::default() };
            let mut one_by_one = Solver::new(&device, config.clone()).unwrap();
            let mut at_once = Solver::new(&device, config).unwrap();
            for count in [1, 2, 0, 7, 1, 30] {
                (0..count).for_each(|_| one_by_one.step().unwrap());
                at_once.steps(count).unwrap();
                assert_eq!(at_once.step_count(), one_by_one.step_count());
                assert_eq!(at_once.time().to_bits(), one_by_one.time().to_bits());
                assert_eq!(bits(&at_once.u_to_vec().unwrap()), bits(&one_by_one.u_to_vec().unwrap()));
            }
            // Other memory may take the field's place.
            for solver in [&mut at_once, &mut one_by_one] {
                match solver.u_mut() {
                    burgers::FieldMut::F32(u) => *u = u.duplicate().unwrap(),
                    burgers::FieldMut::F64(u) => *u = u.duplicate().unwrap(),
                }
            }
            (0..5).for_each(|_| one_by_one.step().unwrap());
            at_once.steps(5).unwrap();
            assert_eq!(bits(&at_once.u_to_vec().unwrap()), bits(&one_by_one.u_to_vec().unwrap()));
        }
    }
}

#[test]
fn a_resumed_run_has_the_bits_of_an_unbroken_one() {
    if !support::has_c_compiler() {
        return;
    }
    for precision in [Precision::F64, Precision::F32] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state");
        let whole = Config { precision, ..Config::default() };
        let unbroken = solve("mode=Serial", whole.clone());

        let device = Device::open("mode=CPU, threads=2").unwrap();
        let mut first = Solver::new(&device, Config { final_time: 0.7, ..whole.clone() }).unwrap();
        let plan = CheckpointPlan { path: path.clone(), every: None };
        first.run(&mut (), RunOptions { checkpoint: Some(plan), ..RunOptions::default() }).unwrap();

        let checkpoint = Checkpoint::read(&path).unwrap();
        assert_eq!(checkpoint.step, first.step_count());
        let mut second = Solver::resume(&device, whole.clone(), &checkpoint).unwrap();
        second.run(&mut (), RunOptions::default()).unwrap();
        assert_eq!(second.step_count(), unbroken.step_count());
        assert_eq!(second.time().to_bits(), unbroken.time().to_bits());
        assert_eq!(bits(&second.u_to_vec().unwrap()), bits(&unbroken.u_to_vec().unwrap()), "{precision}");

        let other = Config { nu: 0.02, ..whole };
        let message = Solver::resume(&device, other, &checkpoint).err().unwrap().to_string();
        assert!(message.contains("nu is 0.01 in the checkpoint and 0.02 in this run"), "{message}");
    }
}

#[test]
fn checkpoints_on_the_way_hold_their_step() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    let device = Device::open("mode=Serial").unwrap();
    let config = Config { final_time: 0.1, ..Config::default() };
    let mut solver = Solver::new(&device, config.clone()).unwrap();
    let mut seen = Vec::new();
    let hook_path = path.clone();
    let mut hook = HookFn(|frame: &Frame<'_>| {
        if let Ok(checkpoint) = Checkpoint::read(&hook_path) {
            seen.push((frame.step, checkpoint.step));
        }
        Ok(Control::Continue)
    });
    let plan = CheckpointPlan { path: path.clone(), every: std::num::NonZeroU64::new(30) };
    solver.run(&mut hook, RunOptions { checkpoint: Some(plan), ..RunOptions::default() }).unwrap();
    for (step, saved) in seen {
        assert_eq!(saved, (step - 1) / 30 * 30, "seen in step {step}");
    }
    let last = Checkpoint::read(&path).unwrap();
    assert_eq!(last.step, solver.step_count());
}

/// The first step at which the reference has NaN, and the first with an infinite value.
fn first_nan(config: &Config) -> (u64, u64) {
    let initial = config.initial_field();
    let has = |step: u64, what: fn(&f64) -> bool| reference_f64(config, &initial, step).iter().any(what);
    let nan = (1..).find(|step| has(*step, |value| value.is_nan())).unwrap();
    let infinite = (1..=nan).find(|step| has(*step, |value| !value.is_finite())).unwrap();
    (nan, infinite)
}

#[test]
fn nan_is_found_at_its_step_however_often_one_looks() {
    if !support::has_c_compiler() {
        return;
    }
    let problems = [
        Config { dt: 0.05, final_time: 100.0, ..Config::default() },
        Config { dt: 0.035, final_time: 100.0, ..Config::default() },
        Config { dt: 0.5, final_time: 100.0, ..Config::default() },
        Config { points: 1024, dt: 0.003, final_time: 100.0, ..Config::default() },
    ];
    for config in problems {
        let (nan, infinite) = first_nan(&config);
        for every in [1, 2, 7, 1_000_000] {
            let device = Device::open("mode=CPU, threads=2").unwrap();
            let mut solver = Solver::new(&device, config.clone()).unwrap();
            let warning = solver.limits().warning().expect("the step is unstable");
            let choice = warning.rsplit("; ").next().expect("a step that is stable");
            let finished = AtomicBool::new(false);
            let mut hook = Every::new(every).unwrap().of(Finish(&finished));
            let error = solver.run(&mut hook, RunOptions::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("NaN appeared at step {nan} ")), "every {every}: {error}, not {nan}");
            assert!(error.ends_with(choice), "{error}");
            if infinite < nan {
                assert!(error.contains(&format!("infinite value at step {infinite} ")), "{error}");
            }
            assert_eq!(solver.step_count(), nan, "the solver is left where NaN appeared");
            assert!(!finished.load(Ordering::Relaxed), "finish is not called after an error");
        }
    }
}

struct Finish<'a>(&'a AtomicBool);

impl Hook for Finish<'_> {
    fn finish(&mut self, _run: &ferrocca::insitu::Run) -> ferrocca::Result<()> {
        self.0.store(true, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn nan_in_the_state_at_the_start_is_told_from_one_that_appears() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    let mut solver = Solver::new(&device, Config::default()).unwrap();
    let burgers::FieldMut::F64(u) = solver.u_mut() else { panic!("f64 is the default") };
    u.copy_from_at(17, &[f64::NAN]).unwrap();
    let error = solver.run(&mut (), RunOptions::default()).unwrap_err().to_string();
    assert!(error.contains("not finite at step 0, before the run"), "{error}");
}

#[test]
fn a_hook_sees_its_steps_stops_the_run_and_finishes() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    let mut solver = Solver::new(&device, Config::default()).unwrap();
    let steps = RefCell::new(Vec::new());
    let mut hook = Every::new(10).unwrap().of(HookFn(|frame: &Frame<'_>| {
        steps.borrow_mut().push(frame.step);
        assert_eq!(frame.fields.len(), 1);
        Ok(if frame.step == 50 { Control::Stop } else { Control::Continue })
    }));
    let summary = solver.run(&mut hook, RunOptions::default()).unwrap();
    assert_eq!(summary.outcome, Outcome::Stopped);
    assert_eq!((summary.steps, solver.step_count()), (50, 50));
    assert_eq!(*steps.borrow(), [10, 20, 30, 40, 50]);
    // The run goes on from where it was stopped.
    let summary = solver.run(&mut (), RunOptions::default()).unwrap();
    assert_eq!((summary.outcome, summary.steps, solver.step_count()), (Outcome::Finished, 1951, 2001));
}

#[test]
fn an_interrupt_ends_the_run_in_good_order() {
    if !support::has_c_compiler() {
        return;
    }
    struct Interrupter<'a> {
        flag: &'a AtomicBool,
        finished: bool,
    }
    impl Hook for Interrupter<'_> {
        fn step(&mut self, frame: &Frame<'_>) -> ferrocca::Result<Control> {
            self.flag.store(frame.step == 5, Ordering::Relaxed);
            Ok(Control::Continue)
        }
        fn finish(&mut self, _run: &ferrocca::insitu::Run) -> ferrocca::Result<()> {
            self.finished = true;
            Ok(())
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    let device = Device::open("mode=Serial").unwrap();
    let mut solver = Solver::new(&device, Config::default()).unwrap();
    let flag = AtomicBool::new(false);
    let mut hook = Interrupter { flag: &flag, finished: false };
    let mut last = None;
    let summary = solver
        .run(
            &mut hook,
            RunOptions {
                interrupt: Some(&flag),
                checkpoint: Some(CheckpointPlan { path: path.clone(), every: None }),
                progress: Some(&mut |progress| last = Some(*progress)),
                ..RunOptions::default()
            },
        )
        .unwrap();
    assert_eq!((summary.outcome, summary.steps), (Outcome::Interrupted, 5));
    assert!(hook.finished, "finish runs after an interrupt");
    assert_eq!(Checkpoint::read(&path).unwrap().step, 5);
    let last = last.expect("progress is told at the end");
    assert_eq!((last.step, last.steps_of_run, last.steps_left), (5, 5, 1995));
}

#[test]
fn an_error_of_the_hook_is_the_run_s() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    let device = Device::open("mode=Serial").unwrap();
    let mut solver = Solver::new(&device, Config::default()).unwrap();
    let mut hook = HookFn(|_: &Frame<'_>| Err(ferrocca::Error::invalid("the analysis failed")));
    let plan = CheckpointPlan { path: path.clone(), every: None };
    let error = solver.run(&mut hook, RunOptions { checkpoint: Some(plan), ..RunOptions::default() }).unwrap_err();
    assert!(error.to_string().contains("the analysis failed"), "{error}");
    assert!(!path.exists(), "nothing is written after an error");
}

/// A hook that writes `value` to index 100 at one step, and looks at every `every`-th.
fn steer(at_step: u64, every: u64, value: f64) -> impl Hook {
    Every::new(every).unwrap().of(HookFn(move |frame: &Frame<'_>| {
        if frame.step == at_step {
            let mut u = frame.field("u").unwrap().memory().typed::<f64>()?;
            u.copy_from_at(100, &[value])?;
        }
        Ok(Control::Continue)
    }))
}

#[test]
fn what_a_hook_writes_is_what_the_next_step_starts_from() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=CPU, threads=2").unwrap();
    // The second value overflows after some steps: the replay must start from what the hook wrote.
    for (value, final_time) in [(0.25, 0.2), (1e60, 0.2)] {
        let config = Config { final_time, ..Config::default() };
        let mut expected = reference_f64(&config, &config.initial_field(), 30);
        expected[100] = value;
        let after = |steps: u64| reference_f64(&config, &expected, steps);
        for every in [1, 10, 30] {
            let mut solver = Solver::new(&device, config.clone()).unwrap();
            let outcome = solver.run(&mut steer(30, every, value), RunOptions::default());
            match (1..170).find(|steps| after(*steps).iter().any(|value| value.is_nan())) {
                None => {
                    outcome.unwrap();
                    let steps = solver.step_count() - 30;
                    assert_eq!(bits(&solver.u_to_vec().unwrap()), bits(&after(steps)));
                }
                Some(steps) => {
                    let error = outcome.unwrap_err().to_string();
                    let expected = format!("NaN appeared at step {} ", 30 + steps);
                    assert!(error.contains(&expected), "every {every}: {error}, not {expected}");
                }
            }
        }
    }
}

/// A look makes the host wait for such a device, so there is none before each call of a hook.
#[test]
fn where_a_look_is_dear_the_error_says_between_which_steps() {
    let opened = ["mode=CUDA", "mode=OpenCL"].map(Device::open);
    let Some(device) = opened.into_iter().flatten().find(Device::has_separate_memory_space) else {
        println!("skipped: there is no device with memory of its own");
        return;
    };
    let run = |read_only: bool, hook: &mut dyn Hook| {
        let config = Config { dt: 0.1, final_time: 100.0, ..Config::default() };
        let config = if read_only { config } else { Config { dt: 0.001, final_time: 2.0, ..config } };
        let mut solver = Solver::new(&device, config).unwrap();
        solver.run(hook, RunOptions { read_only, ..RunOptions::default() }).unwrap_err().to_string()
    };
    let error = run(false, &mut steer(20, 1, f64::NAN));
    for part in ["u is not finite at step ", "was at step 0", "a hook may have changed it in between"] {
        assert!(error.contains(part), "`{part}` is missing in: {error}");
    }
    // Nobody wrote, so that the steps can be done again.
    let error = run(true, &mut HookFn(|_: &Frame<'_>| Ok(Control::Continue)));
    let (nan, _) = first_nan(&Config { dt: 0.1, final_time: 100.0, ..Config::default() });
    assert!(error.contains(&format!("NaN appeared at step {nan} ")), "{error}, not {nan}");
}

#[test]
fn a_hook_that_writes_nan_is_told_so() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    for every in [1, 10] {
        let mut solver = Solver::new(&device, Config::default()).unwrap();
        let mut hook = steer(20, every, f64::NAN);
        let error = solver.run(&mut hook, RunOptions::default()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("NaN appeared at step 20 ") && error.contains("index 100"), "{error}");
        assert!(error.contains("it was written by a hook"), "{error}");
    }
}

/// Sets ν after a step.
struct Thicken {
    at: u64,
    nu: f64,
    is_due: bool,
}

impl Hook for Thicken {
    fn step(&mut self, frame: &Frame<'_>) -> ferrocca::Result<Control> {
        self.is_due = frame.step == self.at;
        Ok(Control::Continue)
    }

    fn changes(&mut self) -> Vec<Change> {
        let name = "nu".to_owned();
        if std::mem::take(&mut self.is_due) { vec![Change { name, value: self.nu }] } else { Vec::new() }
    }
}

#[test]
fn a_parameter_that_a_hook_sets_holds_from_the_next_step_on() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    let config = Config { final_time: 0.1, ..Config::default() };
    let run = |every| {
        let mut solver = Solver::new(&device, config.clone()).unwrap();
        let mut hook = Every::new(every).unwrap().of(Thicken { at: 32, nu: 0.05, is_due: false });
        solver.run(&mut hook, RunOptions::default()).unwrap();
        assert_eq!(solver.config().nu, 0.05);
        solver.u_to_vec().unwrap()
    };
    let mut expected = Solver::new(&device, config.clone()).unwrap();
    expected.steps(32).unwrap();
    expected.set_parameter("nu", 0.05).unwrap();
    assert_eq!(expected.limits().diffusion, Limits::new(expected.config(), 1.0).diffusion);
    expected.run(&mut (), RunOptions::default()).unwrap();
    // Single launches, and a recorded step whose argument is replaced.
    assert_eq!(run(1), expected.u_to_vec().unwrap());
    assert_eq!(run(16), expected.u_to_vec().unwrap());
    let mut plain = Solver::new(&device, config.clone()).unwrap();
    plain.run(&mut (), RunOptions::default()).unwrap();
    assert_ne!(run(1), plain.u_to_vec().unwrap());
    for (name, value, said) in
        [("points", 5.0, "`points` cannot be changed"), ("dt", 0.0, "dt must be positive"), ("nu", -1.0, "nu must not")]
    {
        let error = plain.set_parameter(name, value).unwrap_err().to_string();
        assert!(error.contains(said) && plain.config().nu == 0.01, "{error}");
    }
}
