//! What a plan makes of the commands that are short: the elements that they touch, and what the group of the ends does instead of them.

use super::binding::{Result, refuse};
use super::commands::{Access, Command, Ends, Inline, Short};
use super::plan::{Call, CallArgument, InlineCall, Message, Place};
use super::planner::Planner;
use super::row::{End, Row};
use crate::backend::{AccessKind, MailParcel};

/// Messages of a repetition.
const MOST_MESSAGES: usize = 16;

impl Planner {
    /// The buffer that an address lies in, and the element.
    fn element(&self, address: u64) -> Option<(usize, i64)> {
        let buffer = self.ranges.iter().position(|of| of.contains(&address))?;
        Some((buffer, (address - self.ranges[buffer].start) as i64 / self.buffers[buffer].element_bytes))
    }

    /// What a command that is short touches: each access with the buffer it lies in, and its first and last element.
    pub(super) fn touched(&self, accesses: &[Access]) -> Vec<(usize, [i64; 2], AccessKind)> {
        let mut touched = Vec::new();
        for Access { range, writes } in accesses {
            for (buffer, own) in self.ranges.iter().enumerate() {
                let (begin, end) = (range.start.max(own.start), range.end.min(own.end));
                if begin < end {
                    let element = |address: u64| (address - own.start) as i64 / self.buffers[buffer].element_bytes;
                    let kind = if *writes { AccessKind::Write } else { AccessKind::Read };
                    touched.push((buffer, [element(begin), element(end - 1)], kind));
                }
            }
        }
        touched
    }

    /// The buffers that a command names, each with a place in it, in an order that is the same in each phase.
    pub(super) fn places(&self, command: &Command<'_>) -> Vec<Option<(usize, i64)>> {
        match command {
            Command::Launch(launch) => launch.places.iter().map(|place| self.place(place.as_ref())).collect(),
            Command::Short(Short { accesses, inline }) => {
                let ends = |(buffer, [first, last], _): (usize, [i64; 2], AccessKind)| {
                    [first, last].map(|at| Some((buffer, at)))
                };
                let inline = inline.iter().flat_map(Inline::places).map(|(begin, _)| self.element(begin));
                self.touched(accesses).into_iter().flat_map(ends).chain(inline).collect()
            }
        }
    }

    /// Keeps where the messages of a repetition go; the same in each phase.
    pub(super) fn bind_messages(&mut self, phases: &[Vec<Command<'_>>], ends: Ends) -> Result<()> {
        let of = |phase: &[Command<'_>]| -> Vec<[u64; 4]> {
            let parcels = phase.iter().flat_map(Command::parcels);
            parcels.map(|of| [of.slots, of.own, of.other, of.ended]).collect()
        };
        if ends == Ends::Recorded {
            return Ok(());
        }
        self.binding.messages = of(&phases[0]);
        match phases.iter().all(|phase| of(phase) == self.binding.messages) {
            true if self.binding.messages.len() <= MOST_MESSAGES => Ok(()),
            true => refuse(format!("a repetition has {} messages", self.binding.messages.len())),
            false => refuse("its messages go other ways in other repetitions"),
        }
    }

    /// The elements at an address.
    fn elements(&self, begin: u64, bytes: u64) -> Result<Place> {
        let Some((buffer, first)) = self.element(begin) else {
            return refuse("what it copies or sends is none of its kernels' memory");
        };
        let (range, size) = (&self.ranges[buffer], self.buffers[buffer].element_bytes as u64);
        if self.buffers[buffer].in_place
            || begin + bytes > range.end
            || !(begin - range.start).is_multiple_of(size)
            || !bytes.is_multiple_of(size)
        {
            return refuse("what it copies or sends are no whole elements");
        }
        Ok(Place { buffer, first, count: (bytes / size) as i64 })
    }

    /// What the group of the ends does; `first` is the number of its first message.
    fn inline(&self, inline: &Inline, first: usize) -> Result<InlineCall> {
        match inline {
            Inline::Messages(parcels) => {
                let message =
                    |of: &MailParcel| Ok(Message { is_sent: of.is_sent, place: self.elements(of.address, of.bytes)? });
                Ok(InlineCall::Messages(parcels.iter().map(message).collect::<Result<_>>()?, first))
            }
            Inline::Copy { to, from, bytes } => {
                let places = [self.elements(*from, *bytes)?, self.elements(*to, *bytes)?];
                match places.map(|place| self.buffers[place.buffer].element_bytes) {
                    [one, other] if one == other => Ok(InlineCall::Copy(places)),
                    _ => refuse("it copies elements of one size to others"),
                }
            }
        }
    }

    /// A command that is short, as a call: an argument for each access. `first` is the number of its first message.
    pub(super) fn short(&self, Short { accesses, inline }: &Short, ends: Ends, first: usize) -> Result<Call> {
        let touched = self.touched(accesses).into_iter().filter(|(buffer, ..)| !self.buffers[*buffer].in_place);
        let (mut arguments, mut row) = (Vec::new(), Row::default());
        for (argument, (buffer, positions, kind)) in touched.enumerate() {
            arguments.push(CallArgument::Memory(buffer, 0));
            row.ends.push(End { argument, positions, items: 0..1, kind, is_whole: true });
        }
        let inline = inline.as_ref().filter(|_| ends == Ends::Shared);
        let inline = inline.map(|inline| self.inline(inline, first)).transpose()?;
        Ok(Call { items: None, inline, arguments, row })
    }
}
