//! The time loop: steps, hooks, checkpoints, progress, and an orderly end.

use crate::advance::Collector;
use crate::clock::{Clock, Timing};
use crate::watch::Watch;
use crate::{Checkpoint, Config, Solver};
use ferrocca_comm::Operation;
use ferrocca_core::{Error, Result};
use ferrocca_insitu::{Change, Control, Frame, Hook, Run};
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Steps between two looks for NaN where nothing else calls for one.
const CHECK_EVERY: u64 = 512;
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
    /// Wall time of this run, set-up excluded.
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
    /// Where the wall time went. The hook's `finish` is in none of it.
    pub timing: Timing,
}

impl Summary {
    /// Mean wall time of a step in milliseconds, set-up excluded; 0 without steps.
    pub fn mean_step_ms(&self) -> f64 {
        match self.steps {
            0 => 0.0,
            steps => self.timing.wall.as_secs_f64() * 1e3 / steps as f64,
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
    /// Most steps of a batch, for a hook that observes. `None`: as many as 64 MiB of the device's memory hold, from 1 to
    /// 512.
    pub batch_steps: Option<NonZeroUsize>,
    /// Ends the run within some 40 ms of becoming true; where a hook gets every step, after that step. With several ranks, all
    /// end at the next step at which they look for NaN: after 512 steps at most.
    pub interrupt: Option<&'a AtomicBool>,
    /// Called about ten times a second, after a step, and once after the last.
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
}

impl RunOptions<'_> {
    fn checkpoint_every(&self) -> Option<NonZeroU64> {
        self.checkpoint.as_ref().and_then(|plan| plan.every)
    }
}

/// Steps that are done at once.
struct Segment {
    steps: u64,
    /// The hook is due: for a hook that observes after each of the steps, else after the last one.
    is_due: bool,
}

impl Solver {
    /// Steps until the time is at least `final_time`, the hook stops the run or it is interrupted.
    ///
    /// The hook's `start` comes first and its `finish` last, after an interrupt too. The hook sees each step for which
    /// it is due, with one field, `u`: `points + 2` values. What it writes there is what the next step starts from.
    /// It may change ν, Δt and the final time ([`set_parameter`](Self::set_parameter)), from the next step on.
    /// A hook that observes gets these steps in batches, whose field is a copy that is its own until it returns.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] when the field is not finite, with the step at which NaN appeared;
    /// whatever the hook, the checkpoint and the device meet. After an error the hook's `finish` is not called.
    pub fn run(&mut self, hook: &mut dyn Hook, options: RunOptions<'_>) -> Result<Summary> {
        let done = self.run_to_the_end(hook, options);
        let gone = self.buffers.let_go();
        let summary = done?;
        gone.map(|()| summary)
    }

    fn run_to_the_end(&mut self, hook: &mut dyn Hook, mut options: RunOptions<'_>) -> Result<Summary> {
        if let Some(plan) = options.checkpoint.as_ref().filter(|_| self.grid.comm().rank() == 0) {
            Checkpoint::check_destination(&plan.path)?;
        }
        let mut clock = Clock::start();
        let description = self.describe(&options)?;
        let mut watch = Watch::start(self, CHECK_EVERY)?;
        let observes = hook.observes();
        let mut collector = observes.then(|| Collector::new(self, options.batch_steps)).transpose()?;
        hook.start(&description)?;
        self.prepare(hook, collector.as_ref())?;
        let first_step = self.step;
        clock.begin_steps();
        let mut reporter = Reporter::new(self);
        let outcome = loop {
            if self.time >= self.config.end() {
                break Outcome::Finished;
            }
            if self.is_interrupted(&options, &watch)? {
                break Outcome::Interrupted;
            }
            let looks_at_clock = options.interrupt.is_some() || options.progress.is_some();
            let (look, latest) = reporter.steps_left(self, looks_at_clock);
            let most = watch.steps_left(self).min(if observes { look } else { latest });
            let mut segment = self.next_segment(hook, collector.as_ref(), options.checkpoint_every(), most);
            // The clock may be looked at with the next call of a hook: fewer and longer replays take less time.
            if !segment.is_due {
                segment.steps = segment.steps.min(look);
            }
            watch.before_steps(self, segment.steps)?;
            match &mut collector {
                Some(collector) if segment.is_due => collector.steps(self, segment.steps)?,
                _ => self.steps(segment.steps)?,
            }
            let control =
                self.after_segment(hook, segment.is_due, collector.as_mut(), &mut watch, &mut clock, &options)?;
            clock.after_steps(segment.steps);
            if control == Control::Stop {
                break Outcome::Stopped;
            }
            reporter.after_steps(self, &clock, options.progress.as_deref_mut());
        };
        watch.look(self)?;
        self.device.finish()?;
        if let Some(collector) = &mut collector {
            clock.hook(|| collector.deliver(hook, options.read_only))?;
        }
        let summary = Summary { outcome, steps: self.step - first_step, timing: clock.read() };
        if let Some(plan) = &options.checkpoint {
            self.write_checkpoint(plan)?;
        }
        if let Some(progress) = &mut options.progress {
            progress(&reporter.report(self, &clock, true));
        }
        // With the parameters that the hook has set.
        hook.finish(&self.describe(&options)?)?;
        Ok(summary)
    }

    /// The steps up to and with the next one after which the host has something to do, at most `most`.
    fn next_segment(
        &self,
        hook: &mut dyn Hook,
        collector: Option<&Collector>,
        checkpoint_every: Option<NonZeroU64>,
        most: u64,
    ) -> Segment {
        let (mut step, mut time) = (self.step, self.time);
        let mut segment = Segment { steps: 0, is_due: false };
        while segment.steps < most && time < self.config.end() {
            (step, time) = (step + 1, time + self.config.dt);
            let is_due = hook.due(step, time);
            if segment.steps == 0 {
                segment.is_due = is_due;
            } else if collector.is_some() && segment.is_due != is_due {
                // Steps that are kept and steps that are not are replays of two graphs.
                break;
            }
            segment.steps += 1;
            match collector {
                None if is_due => return Segment { is_due, ..segment },
                Some(collector) if is_due && segment.steps == collector.free() => break,
                _ => {}
            }
            if checkpoint_every.is_some_and(|every| step % every == 0) {
                break;
            }
        }
        segment
    }

    /// Looks for NaN, calls the hook and writes a checkpoint, each when it is due.
    fn after_segment(
        &mut self,
        hook: &mut dyn Hook,
        hook_is_due: bool,
        collector: Option<&mut Collector>,
        watch: &mut Watch,
        clock: &mut Clock,
        options: &RunOptions<'_>,
    ) -> Result<Control> {
        let full = collector.filter(|collector| collector.free() == 0);
        let steers = hook_is_due && !hook.observes();
        let checkpoint_is_due = options.checkpoint_every().is_some_and(|every| self.step % every == 0);
        let may_write = steers && !hook.only_looks();
        let precedes_hook = may_write && watch.precedes_hooks();
        if precedes_hook || full.is_some() || checkpoint_is_due || watch.is_due(self) {
            watch.look(self)?;
        }
        if let Some(collector) = full {
            clock.hook(|| collector.deliver(hook, options.read_only))?;
        }
        let mut control = Control::Continue;
        if steers {
            let field = self.buffers.field("u", !may_write);
            let fields = [if options.read_only { field.read_only() } else { field }];
            let frame = Frame { step: self.step, time: self.time, fields: &fields };
            frame.settle()?;
            control = clock.hook(|| hook.step(&frame))?;
            let changes = hook.changes();
            control = self.agree_with_ranks(control, &changes)?;
            let writes = may_write && !options.read_only || !changes.is_empty();
            for Change { name, value } in changes {
                self.set_parameter(&name, value)?;
            }
            if writes {
                watch.after_writer(self);
            }
        }
        // After the hook, so that what it wrote into the field is saved too.
        if let Some(plan) = options.checkpoint.as_ref().filter(|_| checkpoint_is_due) {
            self.write_checkpoint(plan)?;
        }
        Ok(control)
    }

    /// Does before the clock starts what the first steps would do once: the kernel's first launch, and the recording of a
    /// step where several will be done at once.
    fn prepare(&mut self, hook: &mut dyn Hook, collector: Option<&Collector>) -> Result<()> {
        if self.time >= self.config.end() {
            return Ok(());
        }
        self.buffers.rehearse(&self.scheme)?;
        let several = 2;
        let segment = self.next_segment(hook, collector, None, several);
        if segment.steps == several {
            // A collector has recorded its own.
            if collector.is_none() || !segment.is_due {
                self.buffers.record_step(&self.device, &self.scheme)?;
            }
            self.buffers.save_current()?;
        }
        self.device.finish()
    }

    /// Whether the run is to end early. Ranks end at the same step: they ask each other where all have looked for NaN.
    fn is_interrupted(&self, options: &RunOptions<'_>, watch: &Watch) -> Result<bool> {
        let own = options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let comm = self.grid.comm();
        if comm.size() == 1 {
            return Ok(own);
        }
        if options.interrupt.is_none() || !watch.has_looked(self) {
            return Ok(false);
        }
        let mut any = [f64::from(u8::from(own))];
        comm.all_reduce(Operation::Max, &mut any)?;
        Ok(any[0] > 0.0)
    }

    /// What the hooks of all ranks ask for: the end, where one asks for it; and the same changes of parameters.
    fn agree_with_ranks(&self, control: Control, changes: &[Change]) -> Result<Control> {
        let comm = self.grid.comm();
        if comm.size() == 1 {
            return Ok(control);
        }
        let text = changes.iter().map(|change| format!("{} = {}", change.name, change.value)).collect::<Vec<_>>();
        comm.agree("the parameters that hooks set", &format!("[{}]", text.join(", ")))?;
        let mut stop = [f64::from(u8::from(control == Control::Stop))];
        comm.all_reduce(Operation::Max, &mut stop)?;
        Ok(if stop[0] > 0.0 { Control::Stop } else { control })
    }

    fn write_checkpoint(&mut self, plan: &CheckpointPlan) -> Result<()> {
        if !self.is_finite()? {
            let message = format!("a hook wrote a value that is not finite at step {}", self.step);
            return Err(Error::invalid(message).while_doing("writing a checkpoint"));
        }
        let comm = self.grid.comm();
        let checkpoint = self.checkpoint()?;
        let written = if comm.rank() == 0 { checkpoint.write(&plan.path) } else { Ok(()) };
        comm.all_succeed(written)
    }

    /// The run as its hook knows it.
    fn describe(&self, options: &RunOptions<'_>) -> Result<Run> {
        let directory = &options.output_dir;
        if !directory.as_os_str().is_empty() {
            std::fs::create_dir_all(directory).map_err(|error| Error::writing(directory, &error))?;
        }
        let Config { points, length, nu, dt, final_time, precision, .. } = self.config;
        Ok(Run::new("burgers")
            .on(&self.device)
            .output_dir(directory)
            .parameter("points", points)
            .parameter("length", length)
            .steerable("nu", nu, 0.0..=f64::MAX)
            .steerable("dt", dt, f64::MIN_POSITIVE..=f64::MAX)
            .steerable("final_time", final_time, 0.0..=f64::MAX)
            .parameter("precision", precision.name()))
    }
}

/// Reports progress without asking for the time after every step.
struct Reporter {
    first_step: u64,
    looked: Instant,
    reported: Instant,
    stride: u64,
    next_look: u64,
}

impl Reporter {
    fn new(solver: &Solver) -> Self {
        let now = Instant::now();
        let step = solver.step;
        Self { first_step: step, looked: now, reported: now, stride: 1, next_look: step + 1 }
    }

    /// Steps until the clock is looked at, where somebody wants that, and until it has to be; never 0 between segments.
    fn steps_left(&self, solver: &Solver, looks_at_clock: bool) -> (u64, u64) {
        if !looks_at_clock {
            return (u64::MAX, u64::MAX);
        }
        let look = self.next_look.saturating_sub(solver.step).max(1);
        (look, look.saturating_add(self.stride))
    }

    fn after_steps(&mut self, solver: &Solver, clock: &Clock, progress: Option<&mut (dyn FnMut(&Progress) + '_)>) {
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
        // Multiples of a power of two, so that segments have few lengths: devices prepare each length once.
        self.next_look = (solver.step / self.stride + 1) * self.stride;
        if let Some(progress) = progress
            && now - self.reported >= REPORT_INTERVAL
        {
            self.reported = now;
            progress(&self.report(solver, clock, false));
        }
    }

    fn report(&self, solver: &Solver, clock: &Clock, is_last: bool) -> Progress {
        Progress {
            step: solver.step,
            time: solver.time,
            final_time: solver.config.final_time,
            steps_of_run: solver.step - self.first_step,
            wall: clock.wall(),
            steps_left: solver.steps_left(),
            is_last,
        }
    }
}
