//! The commands of a recorded loop as a plan takes them: launches that windows do, and others, which touch a few bytes.

use super::binding::{Result, refuse};
use crate::backend::{
    BackendKernel, BackendMemory, Footprint, GraphArgument, GraphCommand, LaunchDims, Mail, MailParcel,
};
use okl::signature::NestSignature;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of one access of a command that is short.
const MOST_SHORT_BYTES: u64 = 2048;

/// Where memory lies: ranges of memory that overlap have addresses that do.
pub trait Addresses {
    /// The address of a byte.
    /// # Errors
    /// The memory is none of the backend's.
    fn address(&self, memory: &dyn BackendMemory, offset: usize) -> crate::Result<u64>;

    /// Everything that a command may touch. As given, all memory that a launch was given.
    /// # Errors
    /// As [`address`](Self::address).
    fn accesses(&self, command: &GraphCommand) -> crate::Result<Vec<Access>> {
        accesses_of(command, &|memory, offset| self.address(memory, offset))
    }
}

/// A range of addresses that a command touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The addresses.
    pub range: Range<u64>,
    /// They may be written.
    pub writes: bool,
}

impl Access {
    /// Whether both touch something that one of them writes.
    pub fn conflicts(&self, other: &Self) -> bool {
        (self.writes || other.writes) && self.range.start < other.range.end && other.range.start < self.range.end
    }
}

/// Everything that a command may touch; a launch all memory that it was given, and a copy into slots all of their ring.
/// # Errors
/// Those of `address`.
pub fn accesses_of(
    command: &GraphCommand,
    address: &dyn Fn(&dyn BackendMemory, usize) -> crate::Result<u64>,
) -> crate::Result<Vec<Access>> {
    let access = |memory: &dyn BackendMemory, offset: usize, bytes: usize, writes: bool| {
        let begin = address(memory, offset)?;
        Ok(Access { range: begin..begin + bytes as u64, writes })
    };
    match command {
        GraphCommand::Launch { arguments, .. } => {
            let of_argument = |argument: &GraphArgument| match argument {
                GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes, mutable, .. } => {
                    Some(access(&**memory, *offset_bytes as usize, *bytes as usize, *mutable))
                }
                _ => None,
            };
            arguments.iter().filter_map(of_argument).collect()
        }
        GraphCommand::Copy { destination, destination_offset, destination_stride, source, source_offset, bytes } => {
            let (offset, written) = match destination_stride {
                0 => (*destination_offset, *bytes),
                _ => (0, destination.bytes()),
            };
            let from = access(&**source, *source_offset, *bytes, false)?;
            Ok(vec![from, access(&**destination, offset, written, true)?])
        }
        GraphCommand::Fill { destination, offset, bytes, .. } => {
            Ok(vec![access(&**destination, *offset, *bytes, true)?])
        }
        GraphCommand::Native { memory, .. } | GraphCommand::Host { memory, .. } => {
            memory.iter().map(|part| access(&*part.memory, part.offset, part.bytes, part.mutable)).collect()
        }
    }
}

/// How the ends of the row are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// By a group that has them in shared memory.
    Shared,
    /// By the commands themselves, one after the other, of which large launches have the first and last groups.
    Recorded,
}

/// A command of a phase.
#[derive(Debug)]
pub enum Command<'a> {
    /// What windows do.
    Launch(Launch<'a>),
    /// What touches few bytes at a time.
    Short(Short),
}

/// What touches few bytes at a time.
#[derive(Debug)]
pub struct Short {
    /// What it touches.
    pub accesses: Vec<Access>,
    /// What the group does that has the ends in shared memory, where it can. Else the command runs as it was recorded.
    pub inline: Option<Inline>,
}

/// A command that a group can do by itself. Addresses are of the device.
#[derive(Debug)]
pub enum Inline {
    /// Messages to and from other devices.
    Messages(Vec<MailParcel>),
    /// Of two ranges that do not overlap.
    #[allow(missing_docs)] // the variant's line names its fields
    Copy { to: u64, from: u64, bytes: u64 },
}

/// Where the memory of an argument lies, and the size of an element.
pub type PlaceOfArgument = Option<(Range<u64>, i64)>;

/// A launch whose footprint is known.
pub struct Launch<'a> {
    /// The nest's kernel.
    pub kernel: &'a Arc<dyn BackendKernel>,
    /// Its signature.
    pub nest: &'a NestSignature,
    /// Its sizes.
    pub dims: LaunchDims,
    /// Its arguments.
    pub arguments: &'a [GraphArgument],
    /// Of each argument; `None` where it names no memory.
    pub places: Vec<PlaceOfArgument>,
    /// What its items touch.
    pub footprint: &'a Footprint,
}

impl std::fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Launch({}, {:?}, {:?})", self.nest.entry, self.dims, self.places)
    }
}

impl<'a> Command<'a> {
    /// A command of a loop. A launch is short only where the ends run as they were recorded, others have to be inline where not.
    /// # Errors
    /// What is in the way of a plan.
    pub fn of(command: &'a GraphCommand, ends: Ends, addresses: &dyn Addresses) -> Result<Self> {
        let GraphCommand::Launch { kernel, nest, dims, arguments, footprint } = command else {
            return match Short::of(command, addresses)? {
                Some(short) if ends == Ends::Recorded || short.inline.is_some() => Ok(Self::Short(short)),
                Some(_) => refuse(why_not_short(command)),
                None => refuse(why_not(command)),
            };
        };
        let footprint = match footprint {
            Ok(footprint) => footprint,
            Err(reason) => return refuse(reason.to_string()),
        };
        if ends == Ends::Recorded
            && let Some(short) = Short::of(command, addresses)?
        {
            return Ok(Self::Short(short));
        }
        let places = arguments.iter().map(|argument| place(argument, addresses)).collect::<Result<_>>()?;
        Ok(Self::Launch(Launch { kernel, nest, dims: *dims, arguments, places, footprint }))
    }

    /// The launch, where it is one.
    pub fn launch(&self) -> Option<&Launch<'a>> {
        match self {
            Self::Launch(launch) => Some(launch),
            Self::Short(_) => None,
        }
    }

    /// The memory of what a group may do by itself: where it begins, and how many bytes.
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

    /// The memory of a launch's arguments.
    pub(super) fn memory(&self) -> impl Iterator<Item = &(Range<u64>, i64)> {
        self.launch().into_iter().flat_map(|launch| launch.places.iter().flatten())
    }
}

impl Short {
    /// `None` where a command touches more.
    fn of(command: &GraphCommand, addresses: &dyn Addresses) -> Result<Option<Self>> {
        if matches!(command, GraphCommand::Copy { destination_stride: 1.., .. } | GraphCommand::Host { .. }) {
            return Ok(None);
        }
        let accesses = addresses.accesses(command)?;
        let is_short = |access: &Access| access.range.end - access.range.start <= MOST_SHORT_BYTES;
        if !accesses.iter().all(is_short) {
            return Ok(None);
        }
        let inline = match command {
            GraphCommand::Copy { destination, destination_offset, source, source_offset, bytes, .. } => {
                let to = addresses.address(&**destination, *destination_offset)?;
                let from = addresses.address(&**source, *source_offset)?;
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
    pub fn items(&self) -> u64 {
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

/// Why a command that touches few bytes is none that a group does by itself.
fn why_not_short(command: &GraphCommand) -> &'static str {
    match command {
        GraphCommand::Copy { .. } => "it copies memory onto itself in each repetition",
        GraphCommand::Fill { .. } => "it fills memory in each repetition",
        GraphCommand::Native { .. } => "another library works in each repetition",
        GraphCommand::Launch { .. } | GraphCommand::Host { .. } => why_not(command),
    }
}

/// Memory that an argument names: where it begins, how many bytes, and of an element.
fn place(argument: &GraphArgument, addresses: &dyn Addresses) -> Result<PlaceOfArgument> {
    Ok(match argument {
        GraphArgument::Memory { memory: Some(memory), offset_bytes, bytes: bytes @ 1.., element_bytes, .. } => {
            let begin = addresses.address(&**memory, *offset_bytes as usize)?;
            Some((begin..begin + bytes, i64::from(*element_bytes)))
        }
        _ => None,
    })
}
