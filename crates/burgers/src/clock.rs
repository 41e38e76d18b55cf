//! What the wall time of a run went to: set-up, the steps, the hook.
//!
//! A hook's first call imports libraries and makes its first views, and so do the first launch of a kernel and the first
//! replay of a recorded step: none of it is what a step costs. Kernels are made ready before the clock starts; the hook's
//! first call is taken out of the loop's time and added to the set-up.

use std::time::{Duration, Instant};

/// Wall times of a run, as the host sees them: on a device that works asynchronously a step ends, for the host, when it
/// is queued, and the time that it takes appears where the host waits. Sums and means hold all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// What was done once: kernels made ready, the hook's `start`, and its first call.
    pub set_up: Duration,
    /// The time loop without the set-up: steps, hooks and checkpoints.
    pub wall: Duration,
    /// The part of [`wall`](Self::wall) that the hook took.
    pub hook: Duration,
    /// Median of a step with its share of the hook, to within 1 %. Steps that are done at once count with their mean.
    pub median_step: Duration,
}

impl Timing {
    /// The hook's part of the time loop, from 0 to 1.
    pub fn hook_share(&self) -> f64 {
        match self.wall.is_zero() {
            true => 0.0,
            false => self.hook.as_secs_f64() / self.wall.as_secs_f64(),
        }
    }
}

/// Measures a run.
pub(crate) struct Clock {
    began: Instant,
    /// Set-up before the first step.
    preparation: Duration,
    /// The end of the steps that were counted last.
    mark: Instant,
    first_call: Option<Duration>,
    /// What of the first call is not yet taken out of the steps that it came after.
    to_take_out: Duration,
    hook: Duration,
    steps: Histogram,
}

impl Clock {
    /// Starts with the set-up.
    pub(crate) fn start() -> Self {
        let now = Instant::now();
        Self {
            began: now,
            preparation: Duration::ZERO,
            mark: now,
            first_call: None,
            to_take_out: Duration::ZERO,
            hook: Duration::ZERO,
            steps: Histogram::default(),
        }
    }

    /// The set-up ends, the first step begins.
    pub(crate) fn begin_steps(&mut self) {
        let now = Instant::now();
        self.preparation = now - self.began;
        (self.began, self.mark) = (now, now);
    }

    /// Times a call of the hook.
    pub(crate) fn hook<R>(&mut self, call: impl FnOnce() -> R) -> R {
        let before = Instant::now();
        let answer = call();
        let took = before.elapsed();
        if self.first_call.is_some() {
            self.hook += took;
        } else {
            self.first_call = Some(took);
            self.to_take_out = took;
        }
        answer
    }

    /// `count` steps are done, with what the hook did after them.
    pub(crate) fn after_steps(&mut self, count: u64) {
        let now = Instant::now();
        let took = (now - self.mark).saturating_sub(std::mem::take(&mut self.to_take_out));
        self.mark = now;
        self.steps.add(took.as_secs_f64() / count.max(1) as f64, count);
    }

    /// Time of the steps so far, without set-up.
    pub(crate) fn wall(&self) -> Duration {
        self.began.elapsed().saturating_sub(self.first_call.unwrap_or_default())
    }

    /// What was measured until now.
    pub(crate) fn read(&self) -> Timing {
        Timing {
            set_up: self.preparation + self.first_call.unwrap_or_default(),
            wall: self.wall(),
            hook: self.hook,
            median_step: Duration::from_secs_f64(self.steps.median()),
        }
    }
}

/// How often which time occurred, in bins of a width of 1/128 and less: the first 16 bits of an `f32` above zero, which are
/// its exponent and seven digits of its fraction.
#[derive(Default)]
struct Histogram {
    /// Empty until the first entry.
    bins: Vec<u64>,
    total: u64,
}

impl Histogram {
    fn add(&mut self, seconds: f64, count: u64) {
        if self.bins.is_empty() {
            self.bins = vec![0; 1 << 15];
        }
        let bin = (seconds.max(0.0) as f32).to_bits() >> 16;
        self.bins[bin as usize] += count;
        self.total += count;
    }

    /// The middle of the bin of the median; 0 without entries.
    fn median(&self) -> f64 {
        let mut below = 0;
        let bin = self.bins.iter().position(|count| {
            below += count;
            2 * below >= self.total && self.total > 0
        });
        match bin {
            Some(0) | None => 0.0,
            Some(bin) => f64::from(f32::from_bits((bin as u32) << 16 | 1 << 15)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_counts_steps_and_is_within_a_hundredth() {
        let mut times = Histogram::default();
        assert_eq!(times.median(), 0.0);
        times.add(3e-7, 1000);
        times.add(1e-3, 999);
        assert!((times.median() / 3e-7 - 1.0).abs() < 0.01, "{}", times.median());
        times.add(1e-3, 2);
        assert!((times.median() / 1e-3 - 1.0).abs() < 0.01, "{}", times.median());
        let mut none = Histogram::default();
        none.add(0.0, 5);
        assert_eq!(none.median(), 0.0);
    }

    #[test]
    fn the_first_call_of_a_hook_is_set_up_and_the_others_are_its_share() {
        let nap = |milliseconds| std::thread::sleep(Duration::from_millis(milliseconds));
        let mut clock = Clock::start();
        nap(20);
        clock.begin_steps();
        for step in 0..3 {
            nap(4);
            clock.hook(|| nap(if step == 0 { 200 } else { 8 }));
            clock.after_steps(1);
        }
        let read = clock.read();
        assert!(read.set_up >= Duration::from_millis(220), "{read:?}");
        assert!(read.hook >= Duration::from_millis(16) && read.hook < read.wall, "{read:?}");
        assert!(read.wall >= Duration::from_millis(28) && read.wall < Duration::from_millis(200), "{read:?}");
        assert!(
            read.median_step >= Duration::from_millis(11) && read.median_step < Duration::from_millis(100),
            "{read:?}"
        );
        assert!((read.hook_share() - read.hook.as_secs_f64() / read.wall.as_secs_f64()).abs() < 1e-12);
    }
}
