//! What runs beside the solver, and when.

use crate::{Batch, Frame, Run};
use ferrocca_core::{Error, Result};
use std::num::NonZeroU64;

/// Whether the solver goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Control {
    /// On with the next step.
    #[default]
    Continue,
    /// The run ends here, in good order: the solver calls `finish`.
    Stop,
}

impl Control {
    /// `Stop` when either says so.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == Self::Stop { self } else { other }
    }
}

/// A parameter that a hook wants changed, before the next step.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its name: one of [`Run::steerable`].
    pub name: String,
    /// Its new value.
    pub value: f64,
}

/// What a solver calls while it runs. Every method does nothing unless it is written.
///
/// The solver calls `start` once, `step` after each step for which [`due`](Self::due) holds, and `finish` once when
/// the run ends in good order. After an error no further method is called.
///
/// A hook that only looks says so by [`observes`](Self::observes). It gets the same steps later and many at a time, by
/// [`observe`](Self::observe) instead of `step`, so that the solver need not stop for each: where a step is short, that
/// is most of the time of a run.
pub trait Hook {
    /// Called before the first step.
    /// # Errors
    /// Whatever the hook finds; the run does not start.
    fn start(&mut self, _run: &Run) -> Result<()> {
        Ok(())
    }

    /// Whether `step` or `observe` wants this step. A solver asks in the order of the steps, perhaps before it has done
    /// them and more than once: the answer depends on the arguments alone.
    fn due(&mut self, _step: u64, _time: f64) -> bool {
        true
    }

    /// Called after a step. The fields are the solver's own memory, which it leaves alone until this returns. Fields that
    /// the host addresses are at rest; work that wrote the others may still be queued on the device's current stream,
    /// and what the hook queues there comes after it.
    /// # Errors
    /// Whatever the hook finds; the run ends.
    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        // What a solver that knows no batches, or runs beside a hook that steers, makes of a hook that observes.
        if self.observes() {
            frame.as_batch(|batch| self.observe(batch))?;
        }
        Ok(Control::Continue)
    }

    /// The parameters that the last `step` wants changed, in the order in which it asked; each is told once. A solver that
    /// declares parameters as steerable asks after each `step` and applies them before the next one.
    fn changes(&mut self) -> Vec<Change> {
        Vec::new()
    }

    /// Whether the hook only observes: it changes no field and does not end the run, so that the solver may be further
    /// than what the hook sees. The answer never changes.
    fn observes(&self) -> bool {
        false
    }

    /// Whether `step` only looks: it changes no field and no parameter. A solver that makes sure of its field before a hook may
    /// have changed it need not. The answer never changes.
    fn only_looks(&self) -> bool {
        false
    }

    /// Called with steps in their order, each once: when a batch is full, and before `finish` with the rest. How many
    /// steps a batch has is the solver's choice. The hook does not write its fields, which the solver overwrites after
    /// this returns. They are at rest as far as those of a frame are.
    /// # Errors
    /// Whatever the hook finds; the run ends.
    fn observe(&mut self, _batch: &Batch<'_>) -> Result<()> {
        Ok(())
    }

    /// Called after the last step.
    /// # Errors
    /// Whatever the hook finds.
    fn finish(&mut self, _run: &Run) -> Result<()> {
        Ok(())
    }
}

/// No hook.
impl Hook for () {
    fn due(&mut self, _step: u64, _time: f64) -> bool {
        false
    }
}

macro_rules! forward_hook {
    ($($ty:ty),*) => {$(
        impl<H: Hook + ?Sized> Hook for $ty {
            fn start(&mut self, run: &Run) -> Result<()> {
                (**self).start(run)
            }
            fn due(&mut self, step: u64, time: f64) -> bool {
                (**self).due(step, time)
            }
            fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
                (**self).step(frame)
            }
            fn changes(&mut self) -> Vec<Change> {
                (**self).changes()
            }
            fn observes(&self) -> bool {
                (**self).observes()
            }
            fn only_looks(&self) -> bool {
                (**self).only_looks()
            }
            fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
                (**self).observe(batch)
            }
            fn finish(&mut self, run: &Run) -> Result<()> {
                (**self).finish(run)
            }
        }
    )*};
}

forward_hook!(&mut H, Box<H>);

/// A hook that may be absent.
impl<H: Hook> Hook for Option<H> {
    fn start(&mut self, run: &Run) -> Result<()> {
        self.as_mut().map_or(Ok(()), |hook| hook.start(run))
    }

    fn due(&mut self, step: u64, time: f64) -> bool {
        self.as_mut().is_some_and(|hook| hook.due(step, time))
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        self.as_mut().map_or(Ok(Control::Continue), |hook| hook.step(frame))
    }

    fn changes(&mut self) -> Vec<Change> {
        self.as_mut().map_or_else(Vec::new, Hook::changes)
    }

    fn observes(&self) -> bool {
        self.as_ref().is_some_and(Hook::observes)
    }

    fn only_looks(&self) -> bool {
        self.as_ref().is_none_or(Hook::only_looks)
    }

    fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.as_mut().map_or(Ok(()), |hook| hook.observe(batch))
    }

    fn finish(&mut self, run: &Run) -> Result<()> {
        self.as_mut().map_or(Ok(()), |hook| hook.finish(run))
    }
}

/// Several hooks, called in order; each sees the steps for which it is due, one `Stop` stops the run. They observe when
/// all of them do; beside one that steers, the others get batches of one step.
impl<H: Hook> Hook for Vec<H> {
    fn start(&mut self, run: &Run) -> Result<()> {
        self.iter_mut().try_for_each(|hook| hook.start(run))
    }

    fn due(&mut self, step: u64, time: f64) -> bool {
        self.iter_mut().any(|hook| hook.due(step, time))
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        let mut control = Control::Continue;
        for hook in self.iter_mut() {
            if hook.due(frame.step, frame.time) {
                control = control.or(hook.step(frame)?);
            }
        }
        Ok(control)
    }

    fn changes(&mut self) -> Vec<Change> {
        self.iter_mut().flat_map(Hook::changes).collect()
    }

    fn observes(&self) -> bool {
        !self.is_empty() && self.iter().all(Hook::observes)
    }

    fn only_looks(&self) -> bool {
        self.iter().all(|hook| hook.observes() || hook.only_looks())
    }

    fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.iter_mut().try_for_each(|hook| {
            let due: Vec<bool> = batch.moments().map(|(step, time)| hook.due(step, time)).collect();
            batch.runs(&due, |part| hook.observe(part))
        })
    }

    fn finish(&mut self, run: &Run) -> Result<()> {
        self.iter_mut().try_for_each(|hook| hook.finish(run))
    }
}

/// A hook made of a closure over frames.
pub struct HookFn<F>(pub F);

impl<F: FnMut(&Frame<'_>) -> Result<Control>> Hook for HookFn<F> {
    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        (self.0)(frame)
    }
}

/// A hook made of a closure over batches: it observes.
pub struct ObserveFn<F>(pub F);

impl<F: FnMut(&Batch<'_>) -> Result<()>> Hook for ObserveFn<F> {
    fn observes(&self) -> bool {
        true
    }

    fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
        (self.0)(batch)
    }
}

/// Decides which steps a hook sees. The answer depends on its arguments alone: it may be asked twice.
pub trait Schedule {
    /// Whether the step is one of them.
    fn due(&self, step: u64, time: f64) -> bool;
}

/// Every k-th step: those whose number is a multiple of k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every(NonZeroU64);

impl Every {
    /// Every `steps`-th step.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for 0.
    pub fn new(steps: u64) -> Result<Self> {
        let steps = NonZeroU64::new(steps);
        steps.map(Self).ok_or_else(|| Error::invalid("a schedule of every 0 steps: expected at least 1"))
    }

    /// This schedule for a hook.
    pub fn of<H: Hook>(self, hook: H) -> Scheduled<H, Self> {
        Scheduled { hook, schedule: self }
    }
}

impl Schedule for Every {
    fn due(&self, step: u64, _time: f64) -> bool {
        step % self.0 == 0
    }
}

impl<F: Fn(u64, f64) -> bool> Schedule for F {
    fn due(&self, step: u64, time: f64) -> bool {
        self(step, time)
    }
}

/// A hook that sees only the steps of a schedule.
#[derive(Clone, Debug)]
pub struct Scheduled<H, S> {
    /// The hook.
    pub hook: H,
    /// Its steps.
    pub schedule: S,
}

impl<H: Hook, S: Schedule> Hook for Scheduled<H, S> {
    fn start(&mut self, run: &Run) -> Result<()> {
        self.hook.start(run)
    }

    fn due(&mut self, step: u64, time: f64) -> bool {
        self.schedule.due(step, time) && self.hook.due(step, time)
    }

    fn step(&mut self, frame: &Frame<'_>) -> Result<Control> {
        if self.due(frame.step, frame.time) { self.hook.step(frame) } else { Ok(Control::Continue) }
    }

    fn changes(&mut self) -> Vec<Change> {
        self.hook.changes()
    }

    fn observes(&self) -> bool {
        self.hook.observes()
    }

    fn only_looks(&self) -> bool {
        self.hook.only_looks()
    }

    fn observe(&mut self, batch: &Batch<'_>) -> Result<()> {
        let due: Vec<bool> = batch.moments().map(|(step, time)| self.due(step, time)).collect();
        batch.runs(&due, |part| self.hook.observe(part))
    }

    fn finish(&mut self, run: &Run) -> Result<()> {
        self.hook.finish(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps_seen(hook: &mut dyn Hook, seen: impl Fn() -> Vec<u64>, last: u64) -> Vec<u64> {
        for step in 1..=last {
            let frame = Frame { step, time: step as f64, fields: &[] };
            if hook.due(step, frame.time) && hook.step(&frame).unwrap() == Control::Stop {
                break;
            }
        }
        seen()
    }

    #[test]
    fn every_sees_multiples_and_stop_stops() {
        let seen = std::cell::RefCell::new(Vec::new());
        let mut hook = Every::new(3).unwrap().of(HookFn(|frame: &Frame<'_>| {
            seen.borrow_mut().push(frame.step);
            Ok(if frame.step == 9 { Control::Stop } else { Control::Continue })
        }));
        assert_eq!(steps_seen(&mut hook, || seen.borrow().clone(), 20), [3, 6, 9]);
        assert!(Every::new(0).unwrap_err().to_string().contains("at least 1"));
    }

    #[test]
    fn hooks_in_a_list_keep_their_own_schedules() {
        let seen = std::cell::RefCell::new(Vec::new());
        let record = |tag: u64| {
            let seen = &seen;
            HookFn(move |frame: &Frame<'_>| {
                seen.borrow_mut().push(tag + frame.step);
                Ok(Control::Continue)
            })
        };
        let mut hooks: Vec<Box<dyn Hook + '_>> =
            vec![Box::new(Every::new(2).unwrap().of(record(100))), Box::new(Every::new(3).unwrap().of(record(200)))];
        assert_eq!(steps_seen(&mut hooks, || seen.borrow().clone(), 6), [102, 203, 104, 106, 206]);
        let mut none: Option<Box<dyn Hook>> = None;
        assert!(!none.due(1, 0.0) && none.start(&Run::new("x")).is_ok() && !none.observes());
    }

    #[test]
    fn observers_get_the_steps_that_are_theirs_and_one_by_one_beside_a_hook_that_steers() {
        let seen = std::cell::RefCell::new(Vec::new());
        let observer = |every: u64| {
            let seen = &seen;
            Every::new(every).unwrap().of(ObserveFn(move |batch: &Batch<'_>| {
                seen.borrow_mut().push((every, batch.steps.to_vec()));
                Ok(())
            }))
        };
        let mut hooks: Vec<Box<dyn Hook + '_>> = vec![Box::new(observer(1)), Box::new(observer(3))];
        assert!(hooks.observes() && hooks.only_looks());
        let (steps, times) = ([2, 3, 4, 5, 6], [0.0; 5]);
        hooks.observe(&Batch { steps: &steps, times: &times, fields: &[] }).unwrap();
        assert_eq!(seen.take(), [(1, vec![2, 3, 4, 5, 6]), (3, vec![3]), (3, vec![6])]);

        hooks.push(Box::new(HookFn(|frame: &Frame<'_>| {
            Ok(if frame.step == 3 { Control::Stop } else { Control::Continue })
        })));
        assert!(!hooks.observes() && !hooks.only_looks());
        assert_eq!(steps_seen(&mut hooks, Vec::new, 9), [0; 0]);
        assert_eq!(seen.take(), [(1, vec![1]), (1, vec![2]), (1, vec![3]), (3, vec![3])]);
    }
}
