//! Sorting many long keys on a processor: `samplesort.okl` goes through memory twice, where a radix sort does once for each digit.

use crate::operator::Operator;
use crate::primitives::{Primitives, State};
use crate::program::Source;
use crate::sort::Keys;
use ferrocca_core::{AnyMemory, Arg, IntoArg, Memory, Result};
use okl::ir::Scalar;
use smallvec::SmallVec;

const TEXT: &str = concat!(include_str!("../kernels/keys.okl"), include_str!("../kernels/samplesort.okl"));
const SAMPLE: Source = Source { text: TEXT, kernel: "sample" };
const CLASSIFY: Source = Source { text: TEXT, kernel: "classify" };
const DISTRIBUTE: Source = Source { text: TEXT, kernel: "distribute" };
const FINISH: Source = Source { text: TEXT, kernel: "finish" };

// `samplesort.okl` says these, too.
const BUCKETS: usize = 2_048;
const SAMPLES: usize = 16_384;
const TILE: usize = 16_384;

/// Fewer keys stay in a cache from pass to pass.
const FEWEST: usize = 1 << 18;

impl Primitives {
    /// Whether samplesort is the faster way: on processors, for keys that a radix sort takes eight passes for.
    pub(crate) fn prefers_samplesort(&self, own: &Keys, n: usize) -> bool {
        self.is_processor() && own.unsigned == Scalar::U64 && n >= FEWEST
    }

    /// Queues the sorted keys into `out`, and the place that each had into `indices`, where these are wanted.
    pub(crate) fn samplesort(
        &self,
        state: &mut State,
        keys: &AnyMemory,
        own: Keys,
        out: Option<&mut AnyMemory>,
        mut indices: Option<&mut Memory<i32>>,
    ) -> Result<()> {
        let (n, tiles) = (keys.len(), keys.len().div_ceil(TILE));
        let mut picked = state.samples[0].take_any(&self.device, own.unsigned, SAMPLES)?;
        let mut sorted = state.samples[1].take_any(&self.device, own.unsigned, SAMPLES)?;
        let mut kernel = |source: &Source| {
            state.programs.kernel(&self.device, source, |macros| {
                own.define(macros);
                macros.set("INDICES", u8::from(indices.is_some()));
                Ok(())
            })
        };
        let [sample, classify, distribute, finish] =
            [kernel(&SAMPLE)?, kernel(&CLASSIFY)?, kernel(&DISTRIBUTE)?, kernel(&FINISH)?];
        sample.launch_on(&self.stream, [n.into_arg(), Arg::read(keys), Arg::write(&mut picked)])?;
        self.radix_sort(state, (&picked, None), own, Some(&mut sorted), None)?;

        let mut buckets = state.buckets.take::<u16>(&self.device, n)?;
        let mut counts = state.counts.take::<i32>(&self.device, tiles * BUCKETS)?;
        let mut starts = state.starts.take::<i32>(&self.device, tiles * BUCKETS)?;
        let sizes = [n.into_arg(), tiles.into_arg()];
        let mut arguments: SmallVec<[Arg<'_>; 10]> = SmallVec::from_slice(&sizes);
        arguments.extend([Arg::read(keys), Arg::read(&sorted), (&mut buckets).into_arg(), (&mut counts).into_arg()]);
        classify.launch_on(&self.stream, arguments)?;
        self.scan_exclusive(&counts, Operator::SUM).run(state, &mut starts)?;

        let [first, second, third] = &mut state.keys;
        let mut moved = first.take_any(&self.device, own.unsigned, n)?;
        let mut other = second.take_any(&self.device, own.unsigned, n)?;
        let mut result = match out {
            Some(out) => out.clone(),
            None => third.take_any(&self.device, own.unsigned, n)?,
        };
        let [first, second] = &mut state.indices;
        let mut numbers = match &mut indices {
            Some(indices) => Some((first.take::<i32>(&self.device, n)?, second.take::<i32>(&self.device, n)?, indices)),
            None => None,
        };
        let mut arguments: SmallVec<[Arg<'_>; 10]> = SmallVec::from_slice(&sizes);
        arguments.extend([Arg::read(keys), (&buckets).into_arg(), (&counts).into_arg(), (&starts).into_arg()]);
        arguments.push(Arg::write(&mut moved));
        arguments.extend(numbers.iter_mut().map(|(moved, ..)| moved.into_arg()));
        distribute.launch_on(&self.stream, arguments)?;

        let mut arguments: SmallVec<[Arg<'_>; 10]> = SmallVec::from_slice(&sizes);
        arguments.push((&starts).into_arg());
        arguments.extend([Arg::read(&moved), Arg::write(&mut other), Arg::write(&mut result)]);
        if let Some((moved, other, out)) = &mut numbers {
            arguments.extend([(&*moved).into_arg(), other.into_arg(), (&mut **out).into_arg()]);
        }
        finish.launch_on(&self.stream, arguments)
    }
}
