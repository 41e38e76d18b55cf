//! A loop in windows whose kernel is loaded: its arguments and its passes.

use super::Launched;
use super::addresses::MemoryTable;
use super::draft::Made;
use super::kernel::{self, Param};
use super::origins;
use super::plan::Plan;
use super::values::Changing;
use crate::backend::rows::{self, Binding, Command, Ends, NoPlan, refuse};
use crate::backend::{BackendStream, GraphPlan, LaunchDims, PackedArgument, TilingSetting};
use crate::device::DeviceInner;
use crate::launch::LaunchPlan;
use crate::{Device, Result};

/// A loop whose kernel is loaded.
pub(super) struct Tiles {
    plan: Plan,
    binding: Binding,
    memory: MemoryTable,
    kernel: LaunchPlan,
    params: Vec<Param>,
    /// The buffers that the kernel writes.
    stored: Vec<usize>,
}

impl Tiles {
    /// Plans a loop and builds its kernel.
    pub(super) fn of(
        device: &Device,
        setting: TilingSetting,
        commands: &[Vec<Command<'_>>],
        launched: &[Launched],
        changing: &Changing,
        memory: MemoryTable,
    ) -> rows::Result<Self> {
        let (row, binding) = rows::plan(commands, Ends::Shared)?;
        let plan = Plan::of(row, setting, device.capabilities().max_shared_bytes)?;
        let origins = origins::of(device, launched)?;
        let mut sources = Vec::new();
        for ((command, origin), launched) in commands[0].iter().zip(&origins).zip(launched) {
            sources.push(match (command.launch(), origin, launched) {
                (Some(launch), Some(origin), Some(launched)) => Some(origins::items(origin, launched, launch)?),
                _ => None,
            });
        }
        let Made { module, params } =
            kernel::make(&plan, &sources, &binding.positions, changing).map_err(NoPlan::Refused)?;
        let Some(origin) = origins.iter().flatten().next() else { return refuse("it launches nothing") };
        // What the parts do each for itself they may not do together: a text may have too many parameters.
        let kernel = match origin.build(device, &kernel::name(&plan), module) {
            Ok(built) => built,
            Err(error) => return refuse(format!("the loop does not compile as windows: {error}")),
        };
        if kernel.max_inner() < plan.threads as u64 {
            return refuse(format!(
                "a group of its windows has room for {} items, not {}",
                kernel.max_inner(),
                plan.threads
            ));
        }
        let stored = plan.row.stored(plan.steps);
        Ok(Self { plan, binding, memory, kernel, params, stored })
    }

    pub(super) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Replaces a value; false where it is a constant of the kernel.
    pub(super) fn set_value(&mut self, command: usize, argument: usize, value: &[u8]) -> bool {
        let position = self.binding.positions.get(command).and_then(|arguments| arguments.get(argument));
        let Some(Some(position)) = position else { return true };
        let is_param = self.params.contains(&Param::Value(position.clone())) && position.len() == value.len();
        if is_param {
            self.binding.values[position.clone()].copy_from_slice(value);
        }
        is_param
    }

    /// Queues a pass of repetitions from a phase on.
    pub(super) fn launch(
        &self,
        device: &DeviceInner,
        first_phase: usize,
        steps: u64,
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let groups = 1 + self.plan.windows(steps) as u64;
        let (steps, count) = ((steps as i32).to_ne_bytes(), (groups as i32).to_ne_bytes());
        let param = |param: &Param| match param {
            Param::Buffer(buffer) => self.buffer(*buffer, first_phase),
            Param::Value(bytes) => Ok(PackedArgument::Value(&self.binding.values[bytes.clone()])),
            Param::Steps => Ok(PackedArgument::Value(&steps)),
            Param::Groups => Ok(PackedArgument::Value(&count)),
        };
        let params = self.params.iter().map(param).collect::<Result<Vec<_>>>()?;
        let dims = LaunchDims { outer: [groups, 1, 1], inner: [self.plan.threads as u64, 1, 1] };
        // SAFETY: the arguments are those of the kernel's parameters in order; buffers have the elements that the loop touches, and
        // the graph keeps their memory alive.
        unsafe { self.kernel.launch_made(device, &dims, &params, stream) }
    }

    /// A buffer in a pass from a phase on.
    fn buffer(&self, buffer: usize, first_phase: usize) -> Result<PackedArgument<'_>> {
        let of = &self.plan.row.buffers[buffer];
        let address = self.binding.addresses[self.plan.row.moved(buffer, first_phase)];
        let (memory, offset_bytes) = self.memory.at(address)?;
        Ok(PackedArgument::Memory {
            memory: Some(&**memory),
            offset_bytes,
            bytes: (of.elements * of.element_bytes) as u64,
            element_bytes: of.element_bytes as u32,
            mutable: self.stored.contains(&buffer),
        })
    }

    pub(super) fn describe(&self) -> GraphPlan {
        let (window, steps) = (self.plan.window(), self.plan.steps);
        let own = window - steps as i64 * self.plan.row.wrong();
        let reason = format!(
            "{} windows of {window} elements in the shared memory of a group, {own} of them its own",
            self.plan.windows(steps)
        );
        GraphPlan { steps_per_pass: steps, reason }
    }
}
