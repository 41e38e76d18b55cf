//! Ratios from interleaved samples: on a machine that drifts, what is measured at the same time can be compared.

#![allow(dead_code)] // Each benchmark uses its part.

use std::time::{Duration, Instant};

/// Something that is measured: a closure that does its work `times` times.
pub(crate) struct Contender<'a> {
    pub(crate) name: &'static str,
    pub(crate) run: Box<dyn FnMut(u64) + 'a>,
}

impl<'a> Contender<'a> {
    pub(crate) fn new(name: &'static str, mut once: impl FnMut() + 'a) -> Self {
        Self { name, run: Box::new(move |times| (0..times).for_each(|_| once())) }
    }
}

/// Samples of each contender, in seconds for one unit of work, sample `i` of all taken one after the other.
pub(crate) struct Samples {
    pub(crate) names: Vec<&'static str>,
    pub(crate) seconds: Vec<Vec<f64>>,
}

/// Takes `rounds` samples of about `sample` each, in turn, the order reversed every other round. Before each sample its
/// contender runs a little unmeasured: its data come back into the cache, and its threads wake up.
pub(crate) fn interleave(contenders: &mut [Contender<'_>], rounds: usize, sample: Duration) -> Samples {
    let times: Vec<u64> = contenders.iter_mut().map(|contender| calibrate(contender, sample)).collect();
    let mut seconds = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..rounds {
        for position in 0..contenders.len() {
            let index = if round % 2 == 0 { position } else { contenders.len() - 1 - position };
            (contenders[index].run)(times[index].div_ceil(8).min(times[index] - 1));
            let begin = Instant::now();
            (contenders[index].run)(times[index]);
            seconds[index].push(begin.elapsed().as_secs_f64() / times[index] as f64);
        }
    }
    Samples { names: contenders.iter().map(|contender| contender.name).collect(), seconds }
}

/// How often a contender does its work in a sample. The shortest of some trials counts: one in which the processor was another
/// program's for a while would make samples so short that reading the clock is a part of them.
fn calibrate(contender: &mut Contender<'_>, sample: Duration) -> u64 {
    let mut times = 1;
    loop {
        let trial = |_| {
            let begin = Instant::now();
            (contender.run)(times);
            begin.elapsed()
        };
        let took = (0..3).map(trial).min().unwrap_or_default();
        if took >= sample {
            return times;
        }
        let factor = sample.as_secs_f64() / took.as_secs_f64().max(1e-9);
        times = (times as f64 * factor.clamp(1.1, 10.0)).ceil() as u64;
    }
}

impl Samples {
    /// Median seconds of contender `index`.
    pub(crate) fn median(&self, index: usize) -> f64 {
        median(self.seconds[index].clone())
    }

    /// Median over the rounds of how much faster contender 0 was than contender `index`: 1 is equal, 2 is twice as fast.
    pub(crate) fn speed_against(&self, index: usize) -> f64 {
        median(self.seconds[0].iter().zip(&self.seconds[index]).map(|(own, other)| other / own).collect())
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Whether criterion was asked for anything but a measurement.
pub(crate) fn only_listed() -> bool {
    std::env::args().any(|argument| argument == "--list" || argument == "--test")
}

/// Whether a part of a benchmark is to run: all are, unless the command line names some.
pub(crate) fn is_wanted(part: &str, parts: &[&str]) -> bool {
    let named: Vec<String> = std::env::args().skip(1).filter(|word| parts.contains(&word.as_str())).collect();
    named.is_empty() || named.iter().any(|word| word == part)
}
