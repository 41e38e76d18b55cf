//! The commands of a recorded loop as a plan takes them: launches that windows do, and others, which touch a few bytes.

use crate::access::Access;
use crate::graph::pointer_to;
use crate::kernel::{Module, downcast_kernel};
use crate::loop_plan::{Result, refuse};
use crate::overlap;
use ferrocca_core::backend::{Footprint, GraphArgument, GraphCommand, LaunchDims};
use okl::signature::NestSignature;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of one access of a command that is short.
const MOST_SHORT_BYTES: u64 = 2048;

/// A command of a phase.
pub(super) enum Command<'a> {
    Launch(Launch<'a>),
    /// What it touches, few bytes each: it runs as it was recorded.
    Short(Vec<Access>),
}

pub(super) struct Launch<'a> {
    pub(super) module: &'a Arc<Module>,
    pub(super) nest: &'a NestSignature,
    pub(super) dims: LaunchDims,
    pub(super) arguments: &'a [GraphArgument],
    pub(super) footprint: &'a Footprint,
}

impl<'a> Command<'a> {
    /// A command of a loop. A launch is short only where the ends run as they were `recorded`.
    pub(super) fn of(command: &'a GraphCommand, recorded: bool) -> Result<Self> {
        let GraphCommand::Launch { kernel, nest, dims, arguments, footprint } = command else {
            return Self::short(command)?.map_or_else(|| refuse(why_not(command)), Ok);
        };
        let footprint = match footprint {
            Ok(footprint) => footprint,
            Err(reason) => return refuse(reason.to_string()),
        };
        if recorded && let Some(short) = Self::short(command)? {
            return Ok(short);
        }
        let module = downcast_kernel(&**kernel)?.module();
        Ok(Self::Launch(Launch { module, nest, dims: *dims, arguments, footprint }))
    }

    /// `None` where it touches more.
    fn short(command: &GraphCommand) -> Result<Option<Self>> {
        if matches!(command, GraphCommand::Copy { destination_stride: 1.., .. } | GraphCommand::Host { .. }) {
            return Ok(None);
        }
        let accesses = overlap::accesses(command)?;
        let is_short = |access: &Access| access.range.end - access.range.start <= MOST_SHORT_BYTES;
        Ok(accesses.iter().all(is_short).then_some(Self::Short(accesses)))
    }

    pub(super) fn launch(&self) -> Option<&Launch<'a>> {
        match self {
            Self::Launch(launch) => Some(launch),
            Self::Short(_) => None,
        }
    }

    /// Of a launch.
    pub(super) fn arguments(&self) -> &'a [GraphArgument] {
        self.launch().map_or(&[], |launch| launch.arguments)
    }
}

impl Launch<'_> {
    /// Items of all groups.
    pub(super) fn items(&self) -> u64 {
        self.dims.outer[0].saturating_mul(self.dims.inner[0])
    }
}

/// Why a command that is no launch does not run in windows.
fn why_not(command: &GraphCommand) -> &'static str {
    match command {
        GraphCommand::Launch { .. } => "a launch touches too much",
        GraphCommand::Copy { destination_stride: 1.., .. } => "it keeps a snapshot of each repetition",
        GraphCommand::Copy { .. } => "it copies memory in each repetition, more than ghosts would be",
        GraphCommand::Fill { .. } => "it fills memory in each repetition, more than ghosts would be",
        GraphCommand::Native { .. } => "another library works in each repetition, on more than ghosts would be",
        GraphCommand::Host { .. } => "the host works in each repetition",
    }
}

/// Memory that an argument names: where it begins, how many bytes, and of an element.
pub(super) fn memory(argument: &GraphArgument) -> Result<Option<(Range<u64>, i64)>> {
    Ok(match argument {
        GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes: bytes @ 1.., element_bytes, .. } => {
            let begin = pointer_to(&**memory, *offset_bytes as usize)?;
            Some((begin..begin + bytes, i64::from(*element_bytes)))
        }
        _ => None,
    })
}
