//! The time loop: steps, hooks, checkpoints, progress, and an orderly end.

use crate::watch::Watch;
use crate::{Config, Solver};
use ferrocca_core::{Error, Result};
use ferrocca_insitu::{Control, Frame, Hook, Run};
use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Steps between two looks for NaN where nothing else calls for one.
const CHECK_EVERY: u64 = 128;
/// Time between two reports of progress.
const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// Where and when the state is written: at the end of the run, however it ends unless by an error, and on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointPlan {
    /// The file; each checkpoint replaces the one before.
    pub path: PathBuf,
    /// Every how many steps on the way: those whose number is a multiple of it. `None`: at the end only.
    pub every: Option<NonZeroU64>,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps done since time 0.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// Time at which the run ends.
    pub final_time: f64,
    /// Steps of this run.
    pub steps_of_run: u64,
    /// Wall time of this run.
    pub wall: Duration,
    /// Steps that are still to do.
    pub steps_left: u64,
    /// The run is over, and this its last report: the hook's `finish` comes next.
    pub is_last: bool,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The final time is reached.
    Finished,
    /// The hook asked for the end.
    Stopped,
    /// [`RunOptions::interrupt`] was set.
    Interrupted,
}

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Why it ended.
    pub outcome: Outcome,
    /// Steps of this run.
    pub steps: u64,
    /// Wall time of the time loop: steps, hooks and checkpoints, without the hook's `start` and `finish`.
    pub wall: Duration,
}

impl Summary {
    /// Mean wall time of a step in milliseconds; 0 without steps.
    pub fn mean_step_ms(&self) -> f64 {
        match self.steps {
            0 => 0.0,
            steps => self.wall.as_secs_f64() * 1e3 / steps as f64,
        }
    }
}

/// What accompanies a run. The default is nothing.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// Directory for a hook's results; made when it is not there. Empty: the working directory.
    pub output_dir: PathBuf,
    /// Writes the state.
    pub checkpoint: Option<CheckpointPlan>,
    /// Hooks may read the field, not write it.
    pub read_only: bool,
    /// Ends the run after the step during which it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Called about ten times a second, after a step, and once after the last.
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
}

impl Solver {
    /// Steps until the time is at least `final_time`, the hook stops the run or it is interrupted.
    ///
    /// The hook's `start` comes first and its `finish` last, after an interrupt too. The hook sees each step for which
    /// it is due, with one field, `u`: `points + 2` values. What it writes there is what the next step starts from.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] when the field is not finite, with the step at which NaN appeared;
    /// whatever the hook, the checkpoint and the device meet. After an error the hook's `finish` is not called.
    pub fn run(&mut self, hook: &mut dyn Hook, mut options: RunOptions<'_>) -> Result<Summary> {
        let description = self.describe(&options)?;
        let mut watch = Watch::start(self, CHECK_EVERY)?;
        hook.start(&description)?;
        let mut reporter = Reporter::new(self);
        let outcome = loop {
            if self.time >= self.config.final_time {
                break Outcome::Finished;
            }
            if options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                break Outcome::Interrupted;
            }
            watch.before_step(self)?;
            self.step()?;
            if self.after_step(hook, &mut watch, &options)?.is_break() {
                break Outcome::Stopped;
            }
            if let Some(progress) = &mut options.progress {
                reporter.after_step(self, progress);
            }
        };
        watch.look(self)?;
        self.device.finish()?;
        let summary = Summary { outcome, steps: self.step - reporter.first_step, wall: reporter.started.elapsed() };
        if let Some(plan) = &options.checkpoint {
            self.write_checkpoint(plan)?;
        }
        if let Some(progress) = &mut options.progress {
            progress(&reporter.report(self, true));
        }
        hook.finish(&description)?;
        Ok(summary)
    }

    /// Looks for NaN, calls the hook and writes a checkpoint, each when it is due.
    fn after_step(
        &mut self,
        hook: &mut dyn Hook,
        watch: &mut Watch,
        options: &RunOptions<'_>,
    ) -> Result<ControlFlow<()>> {
        let hook_is_due = hook.due(self.step, self.time);
        let plan = options.checkpoint.as_ref().filter(|plan| plan.every.is_some_and(|k| self.step % k == 0));
        if hook_is_due || plan.is_some() || watch.is_due(self) {
            watch.look(self)?;
        }
        let mut control = Control::Continue;
        if hook_is_due {
            let field = self.buffers.field("u");
            let fields = [if options.read_only { field.read_only() } else { field }];
            let frame = Frame { step: self.step, time: self.time, fields: &fields };
            frame.settle()?;
            control = hook.step(&frame)?;
        }
        // After the hook, so that what it wrote into the field is saved too.
        if let Some(plan) = plan {
            self.write_checkpoint(plan)?;
        }
        Ok(match control {
            Control::Stop => ControlFlow::Break(()),
            Control::Continue => ControlFlow::Continue(()),
        })
    }

    fn write_checkpoint(&mut self, plan: &CheckpointPlan) -> Result<()> {
        if !self.is_finite()? {
            let message = format!("a hook wrote a value that is not finite at step {}", self.step);
            return Err(Error::invalid(message).while_doing("writing a checkpoint"));
        }
        self.checkpoint()?.write(&plan.path)
    }

    /// The run as its hook knows it.
    fn describe(&self, options: &RunOptions<'_>) -> Result<Run> {
        let directory = &options.output_dir;
        if !directory.as_os_str().is_empty() {
            std::fs::create_dir_all(directory).map_err(|error| Error::io(directory, &error))?;
        }
        let Config { points, length, nu, dt, final_time, precision } = self.config;
        Ok(Run::new("burgers")
            .on(&self.device)
            .output_dir(directory)
            .parameter("points", points)
            .parameter("length", length)
            .parameter("nu", nu)
            .parameter("dt", dt)
            .parameter("final_time", final_time)
            .parameter("precision", precision.name()))
    }
}

/// Reports progress without asking for the time after every step.
struct Reporter {
    first_step: u64,
    started: Instant,
    looked: Instant,
    reported: Instant,
    stride: u64,
    next_look: u64,
}

impl Reporter {
    fn new(solver: &Solver) -> Self {
        let now = Instant::now();
        let step = solver.step;
        Self { first_step: step, started: now, looked: now, reported: now, stride: 1, next_look: step + 1 }
    }

    fn after_step(&mut self, solver: &Solver, progress: &mut dyn FnMut(&Progress)) {
        if solver.step < self.next_look {
            return;
        }
        let now = Instant::now();
        // The clock is looked at every 1 to 20 ms, however long a step takes.
        match now - self.looked {
            short if short < Duration::from_millis(1) => self.stride *= 2,
            long if long > Duration::from_millis(20) => self.stride = (self.stride / 2).max(1),
            _ => {}
        }
        self.looked = now;
        self.next_look = solver.step + self.stride;
        if now - self.reported >= REPORT_INTERVAL {
            self.reported = now;
            progress(&self.report(solver, false));
        }
    }

    fn report(&self, solver: &Solver, is_last: bool) -> Progress {
        let Config { dt, final_time, .. } = solver.config;
        Progress {
            step: solver.step,
            time: solver.time,
            final_time,
            steps_of_run: solver.step - self.first_step,
            wall: self.started.elapsed(),
            // Negative once the final time is reached, which the conversion makes 0.
            steps_left: ((final_time - solver.time) / dt).ceil() as u64,
            is_last,
        }
    }
}
