//! The choice for a loop that others run, too, whose work of the host meets theirs in each repetition.
//!
//! If one did many repetitions in a pass and another one did not, each would wait while the other works. So they choose
//! together. They do not replay equally many repetitions at a time, perhaps, but all come to each repetition in turn: what they
//! agree on, and when, depends on the number of repetitions so far and on what they have agreed on before, and on nothing else. Hence
//! a value that is replaced leaves the choice as it is, and what was decided for other loops does not count.

use super::access::Op;
use super::choice::{Candidate, Choice, ENOUGH_STEPS, Loop, TOO_DEPENDENT, Trials};
use ferrocca_core::Result;
use ferrocca_core::backend::{Agreement, TilingSetting};
use std::time::Duration;

/// What is shared.
pub(super) struct Shared {
    agreement: Agreement,
    /// Repetitions that the present trial still has to do.
    left: u64,
    /// Of the longest replay so far.
    longest: u64,
    /// Most repetitions that a candidate may have.
    most_steps: u64,
}

impl Shared {
    pub(super) fn new(agreement: Agreement) -> Self {
        Self { agreement, left: 0, longest: 0, most_steps: ENOUGH_STEPS }
    }

    /// Comes to a choice, where this repetition is one to choose at; it is the first one of `times`. `ops` as [`Choice::of`] takes them; the error says why this
    /// one does without tiles.
    pub(super) fn choose(
        &mut self,
        choice: &mut Choice,
        setting: TilingSetting,
        ops: std::result::Result<&[Vec<Op>], &str>,
        threads: usize,
        times: u64,
    ) -> Result<()> {
        self.longest = self.longest.max(times);
        if let Choice::Trials(trials) = choice
            && trials.are_done()
        {
            let mut longest = [-(self.longest as f64)];
            (self.agreement)(&mut longest)?;
            (self.agreement)(trials.times_mut())?;
            let longest = -longest[0] as u64;
            *choice = match trials.times_mut().iter().all(|time| time.is_finite()) {
                // Somebody's replays were too short for a candidate.
                false if (2..self.most_steps).contains(&longest) => {
                    self.most_steps = longest;
                    Choice::default()
                }
                _ => trials.decided(),
            };
        }
        if let Choice::Open { .. } = choice {
            *choice = self.proposed(setting, ops, threads)?;
            if let Choice::Trials(trials) = choice {
                self.begin(trials);
            }
        }
        Ok(())
    }

    /// What all propose, each with as many repetitions as all can do.
    fn proposed(
        &self,
        setting: TilingSetting,
        ops: std::result::Result<&[Vec<Op>], &str>,
        threads: usize,
    ) -> Result<Choice> {
        let own = ops.map_err(str::to_owned).map(|ops| Loop::new(ops, threads));
        let proposed = own.and_then(|own| Ok((own.proposals(setting, self.most_steps)?, own)));
        // The greatest of these is the least number of repetitions, and 0 where somebody proposes nothing.
        let steps =
            |candidate: &Option<Candidate>| candidate.as_ref().map_or(0.0, |candidate| -(candidate.steps as f64));
        let mut agreed = proposed.as_ref().map_or([0.0; 4], |(proposals, _)| proposals.each_ref().map(steps));
        (self.agreement)(&mut agreed)?;
        let (mut proposals, own) = match proposed {
            Ok(proposed) => proposed,
            Err(reason) => return Ok(Choice::Plain(reason)),
        };
        for (proposal, agreed) in proposals.iter_mut().zip(agreed) {
            *proposal = proposal.take().filter(|_| agreed < 0.0);
            if let Some(candidate) = proposal {
                candidate.steps = -agreed as u64;
            }
        }
        let [modelled @ .., asked] = proposals;
        if let Some(asked) = asked {
            return Ok(own.as_asked(asked));
        }
        let candidates: Vec<Candidate> = modelled.into_iter().flatten().collect();
        Ok(match candidates.is_empty() {
            true => Choice::Plain(format!("{TOO_DEPENDENT}, here or where others run the loop")),
            false => Choice::Trials(own.trials(candidates, None)),
        })
    }

    /// Repetitions of the present trial that are left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// A pass of a trial was done; it counts if it was all of the trial.
    pub(super) fn done(&mut self, trials: &mut Trials, steps: u64, whole: Option<(usize, Duration)>) {
        self.left -= steps;
        if self.left > 0 {
            return;
        }
        let (trial, elapsed) = whole.map_or((trials.next(), None), |(trial, elapsed)| (trial, Some(elapsed)));
        trials.took(trial, elapsed);
        self.begin(trials);
    }

    /// The next trial.
    fn begin(&mut self, trials: &Trials) {
        self.left = trials.candidates[trials.next()].steps;
    }
}
