//! Finds the step at which NaN appeared, at a small part of the cost of looking at every step.
//!
//! A value that is not finite stays so: u_i takes part in its own update. So it is enough to look now and then, and
//! to go back to the last state known to be good when something is found: the steps from there are done again, with a
//! look at each. The state to go back to is the one before a step, which is still in the other buffer; it is copied
//! only when a second step follows without a look between.
//!
//! A hook may change the field, so a look precedes each call of a hook that steers. Where the device's memory is not the
//! host's, a look makes the host wait for the device and costs more than the step: there it is left out, and when
//! something is found after a hook may have written, the error says between which steps it began, and no more.

use crate::Solver;
use crate::limits::short;
use ferrocca_core::{Error, Result};

/// What is known to be good.
pub(crate) struct Watch {
    /// Step and time of the last state that was looked at, or handed to a hook.
    good_step: u64,
    good_time: f64,
    /// Most steps between two looks.
    every: u64,
    /// A look costs the host nothing but the look.
    is_cheap: bool,
    /// A hook may have written a state after the good one: doing the steps again is then no proof.
    is_steered: bool,
}

/// A value that is not finite, where and when.
struct Appearance {
    step: u64,
    time: f64,
    index: usize,
}

impl Watch {
    /// Starts at the solver's state.
    /// # Errors
    /// When that is not finite already.
    pub(crate) fn start(solver: &mut Solver, every: u64) -> Result<Self> {
        let is_cheap = !solver.device().has_separate_memory_space();
        let watch = Self { good_step: solver.step, good_time: solver.time, every, is_cheap, is_steered: false };
        match solver.is_finite()? {
            true => Ok(watch),
            false => Err(Error::invalid(format!("u is not finite at step {}, before the run", solver.step))),
        }
    }

    /// To be called before `count` steps that are done at once: keeps the good state before it is overwritten.
    pub(crate) fn before_steps(&self, solver: &mut Solver, count: u64) -> Result<()> {
        match solver.step - self.good_step {
            0 if count > 1 => solver.buffers.save_current(),
            1 => solver.buffers.save_previous(),
            _ => Ok(()),
        }
    }

    /// Steps until a look is due; never 0 between segments.
    pub(crate) fn steps_left(&self, solver: &Solver) -> u64 {
        self.every.saturating_sub(solver.step - self.good_step)
    }

    /// Whether the current state has been looked at: at the same steps on all ranks.
    pub(crate) fn has_looked(&self, solver: &Solver) -> bool {
        solver.step == self.good_step
    }

    /// Whether a look is due.
    pub(crate) fn is_due(&self, solver: &Solver) -> bool {
        self.steps_left(solver) == 0
    }

    /// Whether a look precedes each call of a hook that steers.
    pub(crate) fn precedes_hooks(&self) -> bool {
        self.is_cheap
    }

    /// To be called after a hook that may have written the current state.
    pub(crate) fn after_writer(&mut self, solver: &Solver) {
        // What is written at the good step itself is in the state that the steps are done again from.
        self.is_steered |= solver.step != self.good_step;
    }

    /// Looks at the current state, which is known to be good afterwards.
    /// # Errors
    /// When it is not finite: with the step at which that began. The solver is then left at that step.
    pub(crate) fn look(&mut self, solver: &mut Solver) -> Result<()> {
        if solver.step != self.good_step && !solver.is_finite()? {
            return Err(if self.is_steered { self.enclose(solver)? } else { self.locate(solver)? });
        }
        self.is_steered = false;
        self.good_step = solver.step;
        self.good_time = solver.time;
        Ok(())
    }

    /// Says between which steps a value appeared that is not finite.
    fn enclose(&self, solver: &Solver) -> Result<Error> {
        let (good, step, time) = (self.good_step, solver.step, solver.time);
        let index = solver.everywhere()?.iter().position(|value| !value.is_finite()).unwrap_or_default();
        Ok(Error::invalid(format!(
            "u is not finite at step {step} (t = {time}), index {index}, but was at step {good}; a hook may have \
             changed it in between, so repeating the steps would not show where it began: {}",
            solver.limits()
        )))
    }

    /// Does the steps since the last good state again and looks at each.
    fn locate(&self, solver: &mut Solver) -> Result<Error> {
        let last = solver.step;
        solver.buffers.restore(last > self.good_step + 1)?;
        (solver.step, solver.time) = (self.good_step, self.good_time);
        let mut infinite = None;
        loop {
            // Most steps are good, which the device finds out without a copy of the field.
            if !solver.is_finite()? {
                let u = solver.everywhere()?;
                let find = |matches: fn(&f64) -> bool| {
                    u.iter().position(matches).map(|index| Appearance { step: solver.step, time: solver.time, index })
                };
                if let Some(nan) = find(|value| value.is_nan()) {
                    return Ok(self.explain(solver, Some(nan), infinite));
                }
                infinite = infinite.or_else(|| find(|value| value.is_infinite()));
            }
            // An infinite value makes NaN in the next step, which tells the user more; a run that ends here has none.
            if solver.step > last || (solver.step == last && solver.time >= solver.config.end()) {
                return Ok(self.explain(solver, None, infinite));
            }
            solver.step()?;
        }
    }

    fn explain(&self, solver: &Solver, nan: Option<Appearance>, infinite: Option<Appearance>) -> Error {
        let place = |at: &Appearance| format!("at step {} (t = {}), index {}", at.step, short(at.time), at.index);
        let what = match (&nan, &infinite) {
            (Some(nan), None) => format!("NaN appeared {}", place(nan)),
            (Some(nan), Some(infinite)) => {
                format!("NaN appeared {}; the first infinite value {}", place(nan), place(infinite))
            }
            (None, Some(infinite)) => format!("an infinite value appeared {}", place(infinite)),
            (None, None) => {
                return Error::new(ferrocca_core::ErrorKind::Internal {
                    message: format!(
                        "u was not finite at step {}, but is when the steps are computed again",
                        solver.step
                    ),
                });
            }
        };
        let first = infinite.as_ref().or(nan.as_ref());
        let cause = match first.is_some_and(|first| first.step == self.good_step) {
            true => "it was written by a hook".to_owned(),
            false => solver.limits().cause(),
        };
        Error::invalid(format!("{what}: {cause}"))
    }
}
