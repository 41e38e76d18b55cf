//! The commands of a recorded loop as a plan takes them: launches that windows do, and others, which touch a few bytes.

use super::plan::Ends;
use crate::access::Access;
use crate::graph::pointer_to;
use crate::kernel::{Module, downcast_kernel};
use crate::loop_plan::{Result, refuse};
use crate::overlap;
use ferrocca_core::backend::{Footprint, GraphArgument, GraphCommand, LaunchDims, Mail, MailParcel};
use okl::signature::NestSignature;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of one access of a command that is short.
const MOST_SHORT_BYTES: u64 = 2048;

/// A command of a phase.
pub(super) enum Command<'a> {
    Launch(Launch<'a>),
    Short(Short),
}

/// What touches few bytes at a time.
pub(super) struct Short {
    pub(super) accesses: Vec<Access>,
    /// What the block does that has the ends in shared memory, where it can. Else the command runs as it was recorded.
    pub(super) inline: Option<Inline>,
}

/// A command that a block can do by itself. Addresses are of the device.
pub(super) enum Inline {
    Messages(Vec<MailParcel>),
    Copy { to: u64, from: u64, bytes: u64 },
}

pub(super) struct Launch<'a> {
    pub(super) module: &'a Arc<Module>,
    pub(super) nest: &'a NestSignature,
    pub(super) dims: LaunchDims,
    pub(super) arguments: &'a [GraphArgument],
    pub(super) footprint: &'a Footprint,
}

impl<'a> Command<'a> {
    /// A command of a loop. A launch is short only where the ends run as they were recorded, others have to be inline where not.
    pub(super) fn of(command: &'a GraphCommand, ends: Ends) -> Result<Self> {
        let GraphCommand::Launch { kernel, nest, dims, arguments, footprint } = command else {
            let short = Short::of(command)?.filter(|short| ends == Ends::Recorded || short.inline.is_some());
            return short.map_or_else(|| refuse(why_not(command)), |short| Ok(Self::Short(short)));
        };
        let footprint = match footprint {
            Ok(footprint) => footprint,
            Err(reason) => return refuse(reason.to_string()),
        };
        if ends == Ends::Recorded
            && let Some(short) = Short::of(command)?
        {
            return Ok(Self::Short(short));
        }
        let module = downcast_kernel(&**kernel)?.module();
        Ok(Self::Launch(Launch { module, nest, dims: *dims, arguments, footprint }))
    }

    pub(super) fn launch(&self) -> Option<&Launch<'a>> {
        match self {
            Self::Launch(launch) => Some(launch),
            Self::Short(_) => None,
        }
    }

    /// The memory of what a block may do by itself: where it begins, and how many bytes.
    pub(super) fn places(&self) -> Vec<(u64, u64)> {
        match self {
            Self::Short(Short { inline: Some(inline), .. }) => inline.places(),
            _ => Vec::new(),
        }
    }

    /// Of messages that a kernel exchanges.
    pub(super) fn parcels(&self) -> &[MailParcel] {
        match self {
            Self::Short(Short { inline: Some(Inline::Messages(parcels)), .. }) => parcels,
            _ => &[],
        }
    }

    /// Of a launch.
    pub(super) fn arguments(&self) -> &'a [GraphArgument] {
        self.launch().map_or(&[], |launch| launch.arguments)
    }
}

impl Short {
    /// `None` where a command touches more.
    fn of(command: &GraphCommand) -> Result<Option<Self>> {
        if matches!(command, GraphCommand::Copy { destination_stride: 1.., .. } | GraphCommand::Host { .. }) {
            return Ok(None);
        }
        let accesses = overlap::accesses(command)?;
        let is_short = |access: &Access| access.range.end - access.range.start <= MOST_SHORT_BYTES;
        if !accesses.iter().all(is_short) {
            return Ok(None);
        }
        let inline = match command {
            GraphCommand::Copy { destination, destination_offset, source, source_offset, bytes, .. } => {
                let to = pointer_to(&**destination, *destination_offset)?;
                let from = pointer_to(&**source, *source_offset)?;
                let bytes = *bytes as u64;
                (to.abs_diff(from) >= bytes).then_some(Inline::Copy { to, from, bytes })
            }
            GraphCommand::Native { mail: Some(Mail { mailbox, sends, receives }), .. } => {
                mailbox.parcels(sends, receives)?.map(Inline::Messages)
            }
            _ => None,
        };
        Ok(Some(Self { accesses, inline }))
    }
}

impl Inline {
    /// The memory of this device: where it begins, and how many bytes.
    pub(super) fn places(&self) -> Vec<(u64, u64)> {
        match self {
            Self::Messages(parcels) => parcels.iter().map(|parcel| (parcel.address, parcel.bytes)).collect(),
            Self::Copy { to, from, bytes } => vec![(*from, *bytes), (*to, *bytes)],
        }
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
