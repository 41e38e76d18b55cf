//! The shares of a job: who begins where, and who takes what others have not begun.

use super::gate::Line;
use super::sync::{AtomicU64, Ordering};
use std::ops::Range;

/// Most parts of a member's share: what one member has not begun, another can take.
pub(crate) const MAX_PARTS: u64 = 8;

/// How `0..total` is cut into shares and parts.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// Counts the jobs of the team.
    pub(crate) number: u64,
    pub(crate) total: u64,
    /// Members that take part, the caller included.
    pub(crate) members: u64,
    /// Parts of each member's share.
    pub(crate) parts: u64,
}

/// For each member `job number · 256 + next part of its share that nobody has begun`; with an older job's number it
/// means part 0, so that the caller need not touch every member's line.
pub(crate) struct Shares(Box<[Line<AtomicU64>]>);

impl Shares {
    pub(crate) fn new(members: usize) -> Self {
        Self((0..members).map(|_| Line(AtomicU64::new(0))).collect())
    }

    pub(crate) fn members(&self) -> usize {
        self.0.len()
    }

    /// Runs the member's own share, then what is left of the others'.
    pub(crate) fn take(&self, member: usize, cut: &Cut, mut body: impl FnMut(Range<u64>)) {
        let &Cut { total, members, parts, .. } = cut;
        for step in 0..members {
            let owner = (member as u64 + step) % members;
            while let Some(part) = self.next_part(owner, cut) {
                let (index, all) = (owner * parts + part, members * parts);
                body(boundary(total, index, all)..boundary(total, index + 1, all));
            }
        }
    }

    /// Takes the next part of a member's share, if there is one left.
    fn next_part(&self, owner: u64, cut: &Cut) -> Option<u64> {
        let next = &self.0[owner as usize].0;
        let mut seen = next.load(Ordering::Relaxed);
        loop {
            let part = if seen >> 8 == cut.number { seen & 0xff } else { 0 };
            if part >= cut.parts {
                return None;
            }
            let taken = (cut.number << 8) | (part + 1);
            // What a part works on is ordered by the gate: at the job's opening and when its members go out.
            match next.compare_exchange_weak(seen, taken, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(part),
                Err(now) => seen = now,
            }
        }
    }
}

/// Where part `index` of `parts` begins in `0..total`.
pub(crate) fn boundary(total: u64, index: u64, parts: u64) -> u64 {
    (u128::from(total) * u128::from(index) / u128::from(parts)) as u64
}
