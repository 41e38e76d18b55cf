//! What an exchange sends along each axis: messages, the boxes of each field that they are made of, and where these lie.

use crate::grid::{Boundary, Grid};
use crate::layout::{AXES, Block, Layout};
use crate::link::Parcel;
use crate::pack::{self, Packing};
use ferrocca_core::{AnyMemory, DType, Result};

/// A field of a plan.
pub(crate) struct Kind {
    pub(crate) layout: Layout,
    pub(crate) dtype: DType,
    pub(crate) packing: Packing,
}

/// What is exchanged at the same time.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) sends: Vec<Transfer>,
    pub(crate) receives: Vec<Transfer>,
    /// Box, field and destination of copies from one end of the rank's part to the other.
    pub(crate) moves: Vec<(Block, usize, usize)>,
}

impl Round {
    /// The messages as memory of the device: those that are sent, then those that are received.
    pub(crate) fn device_sides(&self, fields: &[AnyMemory]) -> Result<Vec<AnyMemory>> {
        self.sends.iter().chain(&self.receives).map(|transfer| transfer.device_side(fields)).collect()
    }

    /// What is sent and what is received by a link, with this memory.
    pub(crate) fn parcels(&self, sent: &[AnyMemory], received: &[AnyMemory]) -> (Vec<Parcel>, Vec<Parcel>) {
        let of = |transfers: &[Transfer], memory: &[AnyMemory]| -> Vec<Parcel> {
            transfers.iter().map(|transfer| transfer.other).zip(memory.iter().cloned()).collect()
        };
        (of(&self.sends, sent), of(&self.receives, received))
    }
}

/// A message: a box of each field.
pub(crate) struct Transfer {
    pub(crate) other: usize,
    pub(crate) tag: u16,
    pub(crate) blocks: Vec<Block>,
    /// Of each field's part in the message, in bytes.
    pub(crate) offsets: Vec<usize>,
    pub(crate) bytes: usize,
    /// The field's own elements are the message.
    pub(crate) is_direct: bool,
    /// On the device, unless the message is direct.
    pub(crate) staging: Option<AnyMemory>,
}

/// Parts of a message begin at multiples of this.
const ALIGNMENT: usize = 256;

impl Transfer {
    /// The message as memory of the device.
    pub(crate) fn device_side(&self, fields: &[AnyMemory]) -> Result<AnyMemory> {
        match &self.staging {
            Some(staging) => Ok(staging.clone()),
            None => pack::slice(&fields[0], self.blocks[0]),
        }
    }
}

/// What is exchanged along an axis. `tag` is of messages upwards, the next one of those downwards.
pub(crate) fn round(grid: &Grid, fields: &[Kind], axis: usize, tag: u16) -> Round {
    let mut round = Round::default();
    let own = grid.comm().rank();
    for upwards in [true, false] {
        let Some((other, crosses)) = grid.neighbour(axis, upwards) else { continue };
        let is_wrapped = crosses && grid.boundary(axis) == Boundary::Wrapped;
        // Messages in one direction have one tag: what goes upwards comes from below.
        let (send_tag, receive_tag) = (tag + u16::from(!upwards), tag + u16::from(upwards));
        let strip = |place| move |kind: &Kind| strip(&kind.layout, axis, grid.has_corners(), place);
        let ghost = if upwards { Place::HighGhost } else { Place::LowGhost };
        let inner = if upwards { Place::High } else { Place::Low };
        let opposite = if upwards { Place::LowGhost } else { Place::HighGhost };
        if other == own {
            if !is_wrapped {
                // The ghost at this end is the first or last element at the other.
                let source = if upwards { Place::Low } else { Place::High };
                round.moves.extend(
                    fields
                        .iter()
                        .enumerate()
                        .map(|(number, kind)| (strip(source)(kind), number, strip(ghost)(kind).base)),
                );
            }
            continue;
        }
        // Across such an end goes what the kernels have left in the ghosts of the other end. It is packed, because those are
        // received in too.
        let sent = if is_wrapped { opposite } else { inner };
        round.sends.push(transfer(fields, other, send_tag, strip(sent), !is_wrapped));
        round.receives.push(transfer(fields, other, receive_tag, strip(ghost), true));
    }
    round
}

fn transfer(fields: &[Kind], other: usize, tag: u16, block: impl Fn(&Kind) -> Block, may_be_direct: bool) -> Transfer {
    let blocks: Vec<Block> = fields.iter().map(block).collect();
    let is_direct = may_be_direct && blocks.len() == 1 && blocks[0].is_contiguous();
    let mut bytes = 0;
    let offsets = blocks.iter().zip(fields).map(|(block, kind)| {
        let offset = usize::next_multiple_of(bytes, ALIGNMENT);
        bytes = offset + block.len() * kind.dtype.bytes();
        offset
    });
    let offsets = offsets.collect();
    Transfer { other, tag, blocks, offsets, bytes, is_direct, staging: None }
}

#[derive(Clone, Copy)]
enum Place {
    LowGhost,
    /// What the neighbour below needs.
    Low,
    /// What the neighbour above needs.
    High,
    HighGhost,
}

/// The box at an end of an axis. With corners it covers the whole memory along the other axes, ghosts included; without it
/// what belongs to the rank.
fn strip(layout: &Layout, axis: usize, has_corners: bool, place: Place) -> Block {
    let (mut first, mut extents) = (layout.halo, [0, 1, 2].map(|axis| layout.interior(axis)));
    if has_corners {
        (first, extents) = ([0; AXES], [0, 1, 2].map(|axis| layout.extent(axis)));
    }
    let (halo, points, surplus) = (layout.halo[axis], layout.points[axis], layout.surplus[axis]);
    first[axis] = match place {
        Place::LowGhost => 0,
        // The neighbour has what lies on the face between.
        Place::Low => halo + surplus,
        Place::High => points,
        Place::HighGhost => halo + layout.interior(axis),
    };
    extents[axis] = halo;
    layout.block(first, extents)
}
