//! A loop whose kernel is loaded: its parameters, whether a replay may run on it, and its launches.

use crate::internal_kernels::InternalKernels;
use crate::kernel::CudaKernel;
use crate::persistent::limits::MOST_REPETITIONS;
use crate::persistent::plan::{self, Plan, Ring};
use crate::persistent::source;
use crate::queue::Queue;
use crate::stream::CudaStream;
use ferrocca_core::backend::rows::{Binding, NoPlan};
use ferrocca_core::backend::{GraphCommand, GraphReplay};
use ferrocca_core::{Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the parameters before the addresses: repetitions, first phase, first slot, nothing.
const HEAD_BYTES: usize = 32;

/// Where recorded loops run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Choice {
    /// On one multiprocessor where that is possible and not slower.
    #[default]
    Auto,
    /// There, even where that may be slower; where it is not possible, recording them is an error.
    On,
    /// As graphs.
    Off,
}

/// A loop whose kernel is loaded.
pub(crate) struct PersistentLoop {
    kernel: Arc<CudaKernel>,
    threads: u32,
    rings: Vec<Ring>,
    /// Bytes of each segment.
    segments: Vec<u64>,
    binding: Binding,
    /// As the kernel takes them.
    parameters: Vec<u8>,
}

impl PersistentLoop {
    /// Composes, compiles and loads the kernel of a loop; `None` where it is left to the graph.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] with the reason where [`Choice::On`] is not possible.
    pub(crate) fn new(
        internal: &InternalKernels,
        phases: &[Vec<GraphCommand>],
        choice: Choice,
    ) -> Result<Option<Self>> {
        if choice == Choice::Off {
            return Ok(None);
        }
        let (plan, binding) = match plan::plan(phases, internal.compiler.max_shared_bytes, choice == Choice::On) {
            Ok(planned) => planned,
            Err(NoPlan::Refused(reason)) if choice == Choice::On => {
                return Err(Error::unsupported("a persistent loop", reason));
            }
            Err(NoPlan::Refused(_)) => return Ok(None),
            Err(NoPlan::Fault(error)) => return Err(error),
        };
        let name = source::entry(&plan);
        match internal.kernel(&source::text(&plan), &name, plan.dynamic_bytes, &plan.options) {
            Ok(kernel) => Ok(Some(Self::bound(kernel, plan, binding))),
            // What the parts take by themselves they may not take together (static shared memory at its edge): the graph
            // is made of the kernels as they are.
            Err(_) if choice == Choice::Auto => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn bound(kernel: Arc<CudaKernel>, plan: Plan, binding: Binding) -> Self {
        let mut parameters = vec![0; HEAD_BYTES];
        let addresses = if binding.addresses.is_empty() { &[0][..] } else { &binding.addresses };
        addresses.iter().for_each(|address| parameters.extend(address.to_ne_bytes()));
        parameters.resize(parameters.len().next_multiple_of(16), 0);
        let values_at = parameters.len();
        parameters.extend(&binding.values);
        parameters.resize(parameters.len().max(values_at + 16), 0);
        let mut made = Self {
            kernel,
            threads: plan.threads as u32,
            rings: plan.rings,
            segments: plan.segments.iter().map(|segment| segment.bytes).collect(),
            binding,
            parameters,
        };
        // From now on positions are in the parameters.
        for position in made.binding.positions.iter_mut().flatten().flatten() {
            *position = position.start + values_at..position.end + values_at;
        }
        made
    }

    /// Replaces a value from the next launch on.
    pub(crate) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) {
        let position = self.binding.positions.get(command).and_then(|arguments| arguments.get(argument));
        if let Some(Some(position)) = position
            && position.len() == value.len()
        {
            self.parameters[position.clone()].copy_from_slice(value);
        }
    }

    /// Whether the slots of a replay are disjoint from the state and from each other.
    pub(crate) fn can_run(&self, replay: GraphReplay) -> bool {
        let (states, rings) = self.binding.addresses.split_at(self.segments.len());
        let states = states.iter().zip(&self.segments).map(|(&start, bytes)| start..start + bytes);
        let slots = rings.iter().zip(&self.rings).map(|(&address, ring)| {
            let first = address + replay.first_slot * ring.stride;
            first..first + (replay.times - 1) * ring.stride + ring.bytes
        });
        let slots: Vec<Range<u64>> = slots.collect();
        let disjoint = |a: &Range<u64>, b: &Range<u64>| a.end <= b.start || b.end <= a.start;
        let rings_are_disjoint = slots.iter().enumerate().all(|(n, a)| slots[n + 1..].iter().all(|b| disjoint(a, b)));
        rings_are_disjoint && states.into_iter().all(|state| slots.iter().all(|slot| disjoint(&state, slot)))
    }

    /// Queues repetitions for which [`can_run`](Self::can_run).
    pub(crate) fn launch(&mut self, replay: GraphReplay, phases: usize, stream: &CudaStream) -> Result<()> {
        let (mut done, mut phase) = (0, replay.first_phase as u64);
        while done < replay.times {
            let times = (replay.times - done).min(MOST_REPETITIONS);
            let head = [times, phase, replay.first_slot + done, 0].map(u64::to_ne_bytes);
            self.parameters[..HEAD_BYTES].copy_from_slice(head.as_flattened());
            // SAFETY: the kernel takes one structure, whose bytes these are; a block is within its bounds.
            unsafe {
                let parameter = self.parameters.as_mut_ptr().cast();
                stream.run(self.kernel.grid([1; 3], [self.threads, 1, 1], &mut [parameter]))?;
            }
            done += times;
            phase = (phase + times) % phases as u64;
        }
        Ok(())
    }
}
