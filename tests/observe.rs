//! Hooks that observe the Burgers solver: each step that they want, once, in order, with the bits that a hook which gets
//! them one by one sees; whatever the size of a batch, and whatever else goes on in the run.

mod support;

use burgers::{Checkpoint, CheckpointPlan, Config, Outcome, Precision, RunOptions, Solver};
use ferrocca::insitu::{Batch, Control, Every, Frame, Hook, HookFn, ObserveFn, Run};
use ferrocca::{Device, Result};
use std::cell::RefCell;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, Ordering};

/// Step, time and field, bit by bit.
type Moment = (u64, u64, Vec<u64>);

fn bits(values: &[f64]) -> impl Iterator<Item = u64> {
    values.iter().map(|value| value.to_bits())
}

/// What a hook that gets every `every`-th step by itself sees, and how the run ends.
fn one_by_one(device: &Device, config: &Config, every: u64) -> (Vec<Moment>, Vec<u64>) {
    let seen = RefCell::new(Vec::new());
    let mut hook = Every::new(every).unwrap().of(HookFn(|frame: &Frame<'_>| {
        let u = frame.fields[0].memory().typed::<f64>()?.to_vec()?;
        seen.borrow_mut().push((frame.step, frame.time.to_bits(), bits(&u).collect()));
        Ok(Control::Continue)
    }));
    let mut solver = Solver::new(device, config.clone()).unwrap();
    solver.run(&mut hook, RunOptions::default()).unwrap();
    let last = bits(&solver.u_to_vec().unwrap()).collect();
    (seen.into_inner(), last)
}

/// Keeps what it sees, and the sizes of its batches.
#[derive(Default)]
struct Observer {
    seen: Vec<Moment>,
    sizes: Vec<usize>,
    /// Overwrites the field of the batch after it has looked.
    scribbles: bool,
    finished: bool,
}

impl Hook for Observer {
    fn observes(&self) -> bool {
        true
    }

    fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
        batch.check()?;
        self.sizes.push(batch.len());
        let field = batch.field("u").unwrap();
        let mut memory = field.memory().typed::<f64>()?;
        let len = field.extents()[1] as usize;
        for (row, (step, time)) in batch.moments().enumerate() {
            let u = memory.slice(row * len..(row + 1) * len)?.to_vec()?;
            self.seen.push((step, time.to_bits(), bits(&u).collect()));
        }
        if self.scribbles { memory.fill(f64::NAN) } else { Ok(()) }
    }

    fn finish(&mut self, _run: &Run) -> Result<()> {
        self.finished = true;
        Ok(())
    }
}

fn batches_of<'a>(steps: usize) -> RunOptions<'a> {
    RunOptions { batch_steps: NonZeroUsize::new(steps), ..RunOptions::default() }
}

#[test]
fn every_size_of_a_batch_shows_the_same_moments() {
    if !support::has_c_compiler() {
        return;
    }
    let config = Config { final_time: 0.1, ..Config::default() };
    for device in ["mode=Serial", "mode=CPU, threads=2"] {
        let device = Device::open(device).unwrap();
        for every in [1, 3, 40] {
            let (expected, last) = one_by_one(&device, &config, every);
            for (most, scribbles) in [(1, false), (2, true), (7, false), (64, true), (10_000, false)] {
                let mut observer = Observer { scribbles, ..Observer::default() };
                let mut solver = Solver::new(&device, config.clone()).unwrap();
                solver.run(&mut Every::new(every).unwrap().of(&mut observer), batches_of(most)).unwrap();
                assert!(observer.seen == expected, "every {every}, batches of {most}");
                assert!(observer.finished && bits(&solver.u_to_vec().unwrap()).eq(last.iter().copied()));
                let (partial, full) = observer.sizes.split_last().unwrap();
                assert!(full.iter().all(|size| *size == most) && *partial <= most, "{:?}", observer.sizes);
            }
        }
    }
}

#[test]
fn the_original_problem_is_observed_in_few_batches() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=CPU, threads=2").unwrap();
    let (expected, last) = one_by_one(&device, &Config::default(), 1);
    let mut observer = Observer::default();
    let mut solver = Solver::new(&device, Config::default()).unwrap();
    let summary = solver.run(&mut observer, RunOptions::default()).unwrap();
    assert_eq!((summary.outcome, summary.steps), (Outcome::Finished, 2001));
    assert_eq!(observer.sizes, [512, 512, 512, 465]);
    assert!(observer.seen == expected);
    assert!(bits(&solver.u_to_vec().unwrap()).eq(last));
    // The solver can be run, and observed, again.
    solver.run(&mut observer, RunOptions::default()).unwrap();
    assert_eq!(observer.sizes.len(), 4, "there was no step left to see");
}

#[test]
fn single_precision_is_observed_in_single_precision() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    let config = Config { precision: Precision::F32, final_time: 0.05, ..Config::default() };
    let last = RefCell::new(Vec::new());
    let mut hook = ObserveFn(|batch: &Batch<'_>| {
        let memory = batch.fields[0].memory().typed::<f32>()?;
        let len = batch.fields[0].extents()[1] as usize;
        *last.borrow_mut() = memory.slice((batch.len() - 1) * len..batch.len() * len)?.to_vec()?;
        Ok(())
    });
    let mut solver = Solver::new(&device, config).unwrap();
    solver.run(&mut hook, batches_of(8)).unwrap();
    let last: Vec<f64> = last.take().into_iter().map(f64::from).collect();
    assert!(bits(&solver.u_to_vec().unwrap()).eq(bits(&last)));
}

#[test]
fn checkpoints_progress_and_batches_go_together() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state");
    let device = Device::open("mode=Serial").unwrap();
    let config = Config { final_time: 0.2, ..Config::default() };
    let (expected, last) = one_by_one(&device, &config, 2);
    let mut saved = Vec::new();
    let mut observer = Observer::default();
    let mut solver = Solver::new(&device, config.clone()).unwrap();
    let look = |batch: &Batch<'_>| -> Result<()> {
        saved.push((*batch.steps.last().unwrap(), Checkpoint::read(&path).map_or(0, |checkpoint| checkpoint.step)));
        observer.observe(batch)
    };
    let options = RunOptions {
        checkpoint: Some(CheckpointPlan { path: path.clone(), every: NonZeroU64::new(30) }),
        progress: Some(&mut |_| ()),
        ..batches_of(5)
    };
    solver.run(&mut Every::new(2).unwrap().of(ObserveFn(look)), options).unwrap();
    assert!(observer.seen == expected && bits(&solver.u_to_vec().unwrap()).eq(last));
    assert_eq!(Checkpoint::read(&path).unwrap().step, solver.step_count());
    for (step, saved) in &saved[..saved.len() - 1] {
        assert_eq!(*saved, (step - 1) / 30 * 30, "seen when the batch that ends with step {step} came");
    }
}

#[test]
fn an_interrupt_delivers_what_there_is() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    let flag = AtomicBool::new(false);
    let mut observer = Observer::default();
    let mut solver = Solver::new(&device, Config::default()).unwrap();
    let mut hook = ObserveFn(|batch: &Batch<'_>| {
        flag.store(batch.steps.contains(&40), Ordering::Relaxed);
        observer.observe(batch)
    });
    let summary = solver.run(&mut hook, RunOptions { interrupt: Some(&flag), ..batches_of(25) }).unwrap();
    assert_eq!((summary.outcome, summary.steps), (Outcome::Interrupted, 50));
    assert_eq!((observer.sizes, observer.seen.len()), (vec![25, 25], 50));
}

#[test]
fn nan_is_found_at_its_step_and_never_observed() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=CPU, threads=2").unwrap();
    for config in [
        Config { dt: 0.05, final_time: 100.0, ..Config::default() },
        Config { points: 1024, dt: 0.003, final_time: 100.0, ..Config::default() },
    ] {
        let alone = Solver::new(&device, config.clone()).unwrap().run(&mut (), RunOptions::default()).unwrap_err();
        for (every, most) in [(1, 1), (1, 2), (1, 64), (1, 10_000), (7, 3), (1_000_000, 5)] {
            let mut observer = Observer::default();
            let mut solver = Solver::new(&device, config.clone()).unwrap();
            let mut hook = Every::new(every).unwrap().of(&mut observer);
            let error = solver.run(&mut hook, batches_of(most)).unwrap_err();
            assert_eq!(error.to_string(), alone.to_string(), "every {every}, batches of {most}");
            let is_finite = |value: &u64| f64::from_bits(*value).is_finite();
            assert!(observer.seen.iter().all(|(_, _, u)| u.iter().all(is_finite)), "every {every}, {most}");
            assert!(!observer.finished, "finish is not called after an error");
        }
    }
}

#[test]
fn beside_a_hook_that_steers_the_steps_come_one_by_one() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    let config = Config { final_time: 0.05, ..Config::default() };
    let (expected, _) = one_by_one(&device, &config, 2);
    let mut observer = Observer::default();
    let mut hooks: Vec<Box<dyn Hook + '_>> = vec![
        Box::new(Every::new(2).unwrap().of(&mut observer)),
        Box::new(HookFn(|frame: &Frame<'_>| Ok(if frame.step == 20 { Control::Stop } else { Control::Continue }))),
    ];
    let mut solver = Solver::new(&device, config).unwrap();
    let summary = solver.run(&mut hooks, RunOptions::default()).unwrap();
    drop(hooks);
    assert_eq!((summary.outcome, summary.steps), (Outcome::Stopped, 20));
    assert_eq!(observer.sizes, [1; 10]);
    assert!(observer.seen == expected[..10]);
}

#[test]
fn an_error_of_an_observer_is_the_run_s() {
    if !support::has_c_compiler() {
        return;
    }
    let device = Device::open("mode=Serial").unwrap();
    let mut solver = Solver::new(&device, Config::default()).unwrap();
    let mut hook = ObserveFn(|_: &Batch<'_>| Err(ferrocca::Error::invalid("the analysis failed")));
    let error = solver.run(&mut hook, RunOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the analysis failed"), "{error}");
}
