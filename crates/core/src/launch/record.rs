//! A launch that is kept instead of queued: its arguments are checked and owned, its host part is evaluated.

use super::numbers::Numbers;
use super::{Expected, INLINE, LaunchPlan, check};
use crate::arguments::{Arg, ArgKind};
use crate::backend::{GraphArgument, GraphCommand, LaunchDims, LaunchFootprint};
use crate::device::DeviceInner;
use crate::graph::ArgumentKey;
use crate::memory::AnyMemory;
use crate::number::Number;
use crate::{Error, ErrorKind, Result};
use okl::signature::{HostExpr, HostParams, NestArgument, NestSignature};
use okl::value::ScalarValue;
use smallvec::SmallVec;
use std::sync::Arc;

/// The launches that a kernel's host part asks for with certain arguments.
pub(crate) struct RecordedLaunch {
    /// One per parameter.
    arguments: Vec<OwnedArgument>,
    nests: Vec<RecordedNest>,
}

/// An argument that has been checked; numbers are of the parameter's type.
enum OwnedArgument {
    Value(Vec<u8>),
    Memory(AnyMemory),
    Null,
}

struct RecordedNest {
    index: usize,
    signature: Arc<NestSignature>,
    dims: LaunchDims,
    /// Values of the host variables.
    slots: Vec<ScalarValue>,
    footprint: LaunchFootprint,
}

/// What came of a replaced value.
pub(crate) struct Replaced {
    pub(crate) bytes: Vec<u8>,
    pub(crate) footprints: Vec<(usize, LaunchFootprint)>,
}

impl RecordedLaunch {
    /// The memory that it names.
    pub(crate) fn memory(&self) -> impl Iterator<Item = &AnyMemory> {
        self.arguments.iter().filter_map(|argument| match argument {
            OwnedArgument::Memory(memory) => Some(memory),
            _ => None,
        })
    }

    /// Number of commands that it becomes.
    pub(crate) fn commands(&self) -> usize {
        self.nests.len()
    }

    /// The nest of each command.
    pub(crate) fn nests(&self) -> impl Iterator<Item = usize> {
        self.nests.iter().map(|nest| nest.index)
    }

    /// Where a parameter's value is found: each command, counted within this launch, and the argument of it.
    pub(crate) fn uses(&self, position: usize) -> impl Iterator<Item = (usize, usize)> {
        self.nests.iter().enumerate().flat_map(move |(command, nest)| {
            let arguments = nest.signature.arguments.iter().enumerate();
            arguments.filter_map(move |(index, argument)| {
                let uses = matches!(argument, NestArgument::Param(param) if *param as usize == position);
                uses.then_some((command, index))
            })
        })
    }
}

impl LaunchPlan {
    /// Does all that a launch does, but queues nothing. `None`: every access has to be checked.
    pub(crate) fn record(&self, device: &Arc<DeviceInner>, arguments: &[Arg<'_>]) -> Result<Option<RecordedLaunch>> {
        let mut numbers = Numbers::new(arguments);
        self.check(device, &mut numbers)?;
        let mut slots: SmallVec<[ScalarValue; INLINE]> =
            SmallVec::from_elem(ScalarValue::Bool(false), self.signature.slots.len());
        let (mut nests, mut is_proven) = (Vec::new(), true);
        self.run_host(&numbers, &mut slots, &mut |launch| {
            let dims = super::dims_of(launch);
            is_proven &= self.proves(launch.nest, &dims, &numbers, launch.slots)?;
            let signature = Arc::new(self.signature.nests[launch.nest].clone());
            let footprint = self.footprint(launch.nest, &numbers, launch.slots, &dims);
            nests.push(RecordedNest { index: launch.nest, slots: launch.slots.to_vec(), signature, dims, footprint });
            Ok(())
        })?;
        if !is_proven {
            return Ok(None);
        }
        let owned = (0..).zip(arguments).map(|(position, argument)| match argument.0 {
            ArgKind::Number(number) => OwnedArgument::Value(numbers.get(position).unwrap_or(&number).bytes().to_vec()),
            ArgKind::Struct(_, bytes) => OwnedArgument::Value(bytes.to_vec()),
            ArgKind::Memory { memory, .. } => OwnedArgument::Memory(memory.clone()),
            ArgKind::Null => OwnedArgument::Null,
        });
        Ok(Some(RecordedLaunch { arguments: owned.collect(), nests }))
    }

    /// The commands of a recorded launch whose memory is exchanged by `resolve`, for memory of the same type and
    /// length that overlaps where the recorded one does.
    /// # Errors
    /// What `resolve` answers.
    pub(crate) fn commands(
        &self,
        launch: &RecordedLaunch,
        resolve: &dyn Fn(&AnyMemory) -> Result<AnyMemory>,
    ) -> Result<Vec<GraphCommand>> {
        let resolved = launch.arguments.iter().map(|argument| match argument {
            OwnedArgument::Memory(memory) => resolve(memory).map(Some),
            _ => Ok(None),
        });
        let resolved = resolved.collect::<Result<Vec<Option<AnyMemory>>>>()?;
        let arguments = |nest: &RecordedNest| -> Vec<GraphArgument> {
            let argument = |argument: &NestArgument| match *argument {
                NestArgument::Slot(slot) => {
                    GraphArgument::Value(Number::new(nest.slots[slot as usize]).bytes().to_vec())
                }
                NestArgument::Param(position) => {
                    let position = position as usize;
                    let own =
                        |expected: &Expected| expected.own(&launch.arguments[position], resolved[position].as_ref());
                    match (self.expected.get(position).map(own), &self.faults) {
                        (Some(argument), None) => argument,
                        (Some(argument), Some(record)) => record.graph_argument_or_zeros(argument),
                        (None, Some(record)) => record.graph_argument(),
                        (None, None) => unreachable!("`check_references` has seen that every parameter exists"),
                    }
                }
            };
            nest.signature.arguments.iter().map(argument).collect()
        };
        let command = |nest: &RecordedNest| GraphCommand::Launch {
            kernel: self.nests[nest.index].kernel.clone(),
            nest: nest.signature.clone(),
            dims: nest.dims,
            arguments: arguments(nest),
            footprint: nest.footprint.clone(),
        };
        Ok(launch.nests.iter().map(command).collect())
    }

    /// Replaces the value of a parameter of a recorded launch; answers its bytes, and the commands whose footprints may be
    /// others now, counted within the launch.
    /// # Errors
    /// [`ErrorKind::Argument`] for a pointer, for a value of another type, and for a number that the host part reads:
    /// the number of launches and their sizes stay as they were recorded. [`ErrorKind::OutOfBounds`] for one with which
    /// the launch would access memory out of range. The value then stays as it was.
    pub(crate) fn replace(&self, launch: &mut RecordedLaunch, position: usize, value: Arg<'_>) -> Result<Replaced> {
        let bytes = self.new_value(position, value)?;
        let old = std::mem::replace(&mut launch.arguments[position], OwnedArgument::Value(bytes.clone()));
        if let Err(error) = self.check_recorded(launch, position as u32) {
            launch.arguments[position] = old;
            return Err(error);
        }
        let params = self.params(&launch.arguments);
        let mut footprints = Vec::new();
        for (command, nest) in launch.nests.iter_mut().enumerate() {
            if self.nests[nest.index].bounds.depends_on(position as u32) {
                nest.footprint = self.footprint(nest.index, &params, &nest.slots, &nest.dims);
                footprints.push((command, nest.footprint.clone()));
            }
        }
        Ok(Replaced { bytes, footprints })
    }

    fn params<'a>(&'a self, arguments: &'a [OwnedArgument]) -> RecordedParams<'a> {
        RecordedParams { expected: &self.expected, arguments }
    }

    /// What the groups of a launch touch, for a backend that asks.
    fn footprint(
        &self,
        index: usize,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
        dims: &LaunchDims,
    ) -> LaunchFootprint {
        if !self.reads_footprints {
            return Err("nobody asks for it".into());
        }
        let kernel = &self.signature.kernel;
        // A record may be there for the driver's sake alone, which ends long loops.
        if !self.signature.checked.is_empty() {
            return Err(format!("kernel `{kernel}` checks its accesses while it runs").into());
        }
        if self.signature.prints {
            return Err(format!("kernel `{kernel}` prints").into());
        }
        let nest = &self.signature.nests[index];
        let name = |param: u32| self.signature.params.get(param as usize).map_or("?", |param| param.name.as_str());
        let unknown = |param: Option<u32>| match param.map(name) {
            Some(name) => format!("which elements of `{name}` kernel `{kernel}` touches is not known"),
            None => format!("what kernel `{kernel}` touches is not known"),
        };
        let mut footprint = nest.bounds.footprint(params, slots, dims.outer, dims.inner).map_err(unknown)?;
        let spans = footprint.spans.iter_mut().chain(footprint.items.iter_mut().flatten()).map(|span| &mut span.param);
        for param in spans.chain(footprint.boxes.iter_mut().flatten().map(|span| &mut span.param)) {
            let is_this = |argument: &NestArgument| matches!(argument, NestArgument::Param(of) if of == param);
            let argument = nest.arguments.iter().position(is_this).ok_or_else(|| unknown(Some(*param)))?;
            *param = argument as u32;
        }
        Ok(Arc::new(footprint))
    }

    /// Checks the bounds of a recorded launch again, whose parameter at `position` has another value.
    fn check_recorded(&self, launch: &RecordedLaunch, position: u32) -> Result<()> {
        let params = self.params(&launch.arguments);
        let bytes = |param: u32| match &launch.arguments[param as usize] {
            OwnedArgument::Memory(memory) => memory.bytes as u64,
            _ => 0,
        };
        let depends = |nest: &&RecordedNest| self.nests[nest.index].bounds.depends_on(position);
        for nest in launch.nests.iter().filter(depends) {
            if !self.check_bounds(nest.index, &params, &nest.slots, bytes)? {
                return Err(self.refuse(
                    position as usize,
                    "the accesses of the launch cannot be proven with this value: record the graph again with it",
                ));
            }
        }
        Ok(())
    }

    fn new_value(&self, position: usize, value: Arg<'_>) -> Result<Vec<u8>> {
        match (&self.expected[position], &value.0) {
            (Expected::Pointer { .. }, _) => {
                Err(self.refuse(position, "the memory of a recorded launch cannot be replaced: record the graph again"))
            }
            (Expected::Scalar(_), ArgKind::Number(_)) if self.host_reads(position) => Err(self.refuse(
                position,
                "the kernel's sizes or conditions depend on it: record the graph again with its new value",
            )),
            (Expected::Scalar(scalar), ArgKind::Number(number)) => {
                let converted = check::convert(number.value(), *scalar);
                let converted = converted.map_err(|reason| self.refuse(position, reason))?;
                Ok(Number::new(converted).bytes().to_vec())
            }
            (Expected::Struct(known), ArgKind::Struct(given, bytes)) => {
                known.check_value(given, bytes.len()).map_err(|difference| self.refuse(position, difference))?;
                Ok(bytes.to_vec())
            }
            (_, other) => Err(self.wrong_kind(position, *other)),
        }
    }

    /// Position of the parameter that the key names.
    /// # Errors
    /// [`ErrorKind::Argument`] for a parameter that the kernel does not have.
    pub(crate) fn position_of(&self, key: ArgumentKey<'_>) -> Result<usize> {
        let params = &self.signature.params;
        let found = match key {
            ArgumentKey::Name(name) => params.iter().position(|parameter| parameter.name == name),
            ArgumentKey::Position(position) => (position < params.len()).then_some(position),
        };
        found.ok_or_else(|| {
            let names: Vec<String> = params.iter().map(|p| format!("`{}`", p.name)).collect();
            let what = match key {
                ArgumentKey::Name(name) => format!("argument `{name}`"),
                ArgumentKey::Position(position) => format!("argument at position {position}, counted from 0"),
            };
            let message = format!("it has no {what}: it takes {} ({})", names.len(), names.join(", "));
            Error::new(ErrorKind::Argument { kernel: self.signature.kernel.clone(), message })
        })
    }

    /// Whether any bound, condition or host variable is computed from a parameter.
    fn host_reads(&self, position: usize) -> bool {
        let reads = |expr: &HostExpr| reads(expr, position);
        let mut host_reads = false;
        self.signature.host_expressions(&mut |expr| host_reads |= reads(expr));
        self.signature.nests.iter().any(|nest| nest.outer.iter().chain(nest.inner.iter().flatten()).any(reads))
            || self.signature.sizes.iter().any(|size| reads(&size.value))
            || host_reads
    }
}

/// What a proof may ask of the arguments of a recorded launch.
struct RecordedParams<'a> {
    expected: &'a [Expected],
    arguments: &'a [OwnedArgument],
}

impl HostParams for RecordedParams<'_> {
    fn scalar(&self, position: u32) -> Option<ScalarValue> {
        match (self.expected.get(position as usize)?, self.arguments.get(position as usize)?) {
            (Expected::Scalar(ty), OwnedArgument::Value(bytes)) => ScalarValue::from_bytes(*ty, bytes),
            _ => None,
        }
    }

    fn contents(&self, position: u32) -> Option<[i64; 2]> {
        match self.arguments.get(position as usize)? {
            OwnedArgument::Memory(memory) => memory.content_ends(),
            _ => None,
        }
    }
}

impl Expected {
    fn own(&self, given: &OwnedArgument, resolved: Option<&AnyMemory>) -> GraphArgument {
        match (self, given) {
            (Self::Pointer { element_bytes, mutable, .. }, _) => GraphArgument::Memory {
                memory: resolved.and_then(|memory| memory.allocation.backend.clone()),
                offset_bytes: resolved.map_or(0, |memory| memory.offset_bytes as u64),
                bytes: resolved.map_or(0, |memory| memory.bytes as u64),
                element_bytes: *element_bytes,
                mutable: *mutable,
            },
            (_, OwnedArgument::Value(bytes)) => GraphArgument::Value(bytes.clone()),
            // `check` has refused this; a value of no bytes keeps the function total.
            _ => GraphArgument::Value(Vec::new()),
        }
    }
}

fn reads(expr: &HostExpr, position: usize) -> bool {
    let mut reads = false;
    expr.mentioned(&mut |param| reads |= param as usize == position, &mut |_| {});
    reads
}
