//! Finds accesses that nothing orders: a shadow of five access numbers for every byte of global and shared memory.
//!
//! Two accesses conflict when they are of different groups, or of different items of one group in one *phase* (the
//! time between two barriers), and their kinds are not both [`Kind::Read`] or both [`Kind::Atomic`].
//!
//! It suffices to keep two reads, two atomics and one write per byte. Groups run in order, and so do phases, so that
//! - two accesses of different groups conflict with whatever comes later, because that is of at most one of them;
//! - of one group only its latest phase matters, and there two accesses of different items conflict with any third;
//! - a write that did not conflict with the one before it takes its place.

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    Atomic,
}

/// Who accesses, from where; `T` is the place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access<T> {
    pub(super) place: T,
    pub(super) kind: Kind,
    pub(super) group: u32,
    pub(super) phase: u32,
    /// [`GROUP_LEVEL`] for a statement outside of regions, which every item of the group executes.
    pub(super) item: u32,
}

/// The item number of statements outside of regions.
pub(super) const GROUP_LEVEL: u32 = u32::MAX;

impl<T> Access<T> {
    fn is_unordered_with(&self, other: &Self) -> bool {
        self.group != other.group || (self.phase == other.phase && self.item != other.item)
    }
}

/// Numbers of accesses in [`Shadow::accesses`], plus one; 0 is none.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    reads: [u32; 2],
    atomics: [u32; 2],
    write: u32,
}

const PAGE: usize = 512;

/// Shadow of one stretch of memory, in pages that exist once they are touched.
type Pages = Vec<Option<Box<[Cell; PAGE]>>>;

/// Shadow of all buffers (by number) and of shared memory (the last).
#[derive(Debug)]
pub(super) struct Shadow<T> {
    spaces: Vec<Pages>,
    accesses: Vec<Access<T>>,
}

impl<T: Copy> Shadow<T> {
    /// For buffers of the given lengths in bytes.
    pub(super) fn new(buffers: impl Iterator<Item = usize>) -> Self {
        let mut spaces: Vec<Pages> = buffers.map(pages).collect();
        spaces.push(Pages::new());
        Self { spaces, accesses: Vec::new() }
    }

    /// Forgets everything: a new nest begins.
    pub(super) fn clear(&mut self) {
        self.accesses.clear();
        for space in &mut self.spaces {
            space.fill_with(|| None);
        }
    }

    /// Forgets what happened to shared memory: a new group begins, with `bytes` of its own.
    pub(super) fn clear_shared(&mut self, bytes: usize) {
        if let Some(shared) = self.spaces.last_mut() {
            *shared = pages(bytes);
        }
    }

    /// Records an access to `bytes` bytes from `at` on; `buffer` is `None` for shared memory.
    /// # Errors
    /// The earlier access that it conflicts with.
    pub(super) fn record(
        &mut self,
        buffer: Option<usize>,
        at: usize,
        bytes: usize,
        access: Access<T>,
    ) -> Result<(), Access<T>> {
        let Some(space) = buffer.unwrap_or(self.spaces.len() - 1).checked_add(0).and_then(|n| self.spaces.get_mut(n))
        else {
            return Ok(());
        };
        // The access gets its number when the first cell has to remember it.
        let mut number = 0;
        for byte in at..at.saturating_add(bytes) {
            let Some(page) = space.get_mut(byte / PAGE) else {
                return Ok(());
            };
            let cell = &mut page.get_or_insert_with(|| Box::new([Cell::default(); PAGE]))[byte % PAGE];
            if let Some(other) = conflict(cell, &access, &self.accesses) {
                return Err(other);
            }
            let slot = match access.kind {
                Kind::Write => slot_for_write(cell, &access, &self.accesses),
                Kind::Read => slot_among(&mut cell.reads, &access, &self.accesses),
                Kind::Atomic => slot_among(&mut cell.atomics, &access, &self.accesses),
            };
            if let Some(slot) = slot {
                if number == 0 {
                    self.accesses.push(access);
                    // Four thousand million accesses would need a hundred gigabytes first.
                    number = u32::try_from(self.accesses.len()).unwrap_or(u32::MAX);
                }
                *slot = number;
            }
        }
        Ok(())
    }
}

fn pages(bytes: usize) -> Pages {
    let mut pages = Pages::new();
    pages.resize_with(bytes.div_ceil(PAGE), || None);
    pages
}

fn get<T: Copy>(number: u32, accesses: &[Access<T>]) -> Option<Access<T>> {
    accesses.get((number as usize).checked_sub(1)?).copied()
}

fn conflict<T: Copy>(cell: &Cell, access: &Access<T>, accesses: &[Access<T>]) -> Option<Access<T>> {
    let none = [0; 2];
    let reads = if access.kind == Kind::Read { none } else { cell.reads };
    let atomics = if access.kind == Kind::Atomic { none } else { cell.atomics };
    [cell.write, atomics[0], atomics[1], reads[0], reads[1]]
        .into_iter()
        .filter_map(|number| get(number, accesses))
        .find(|other| access.is_unordered_with(other))
}

fn slot_for_write<'c, T: Copy>(cell: &'c mut Cell, access: &Access<T>, accesses: &[Access<T>]) -> Option<&'c mut u32> {
    let known = get(cell.write, accesses).is_some_and(|w| w.phase == access.phase && w.group == access.group);
    (!known).then_some(&mut cell.write)
}

/// Which of two remembered accesses of the same kind gives way, if any.
fn slot_among<'c, T: Copy>(kept: &'c mut [u32; 2], access: &Access<T>, accesses: &[Access<T>]) -> Option<&'c mut u32> {
    let Some(first) = get(kept[0], accesses) else {
        return Some(&mut kept[0]);
    };
    match get(kept[1], accesses) {
        // Two groups are known already: whatever comes conflicts with one of them.
        Some(second) if second.group != first.group => None,
        _ if first.group != access.group => Some(&mut kept[1]),
        _ if first.phase != access.phase => {
            kept[1] = 0;
            Some(&mut kept[0])
        }
        None if first.item != access.item => Some(&mut kept[1]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::{Atomic, Read, Write};
    use proptest::prelude::*;

    fn access(kind: Kind, group: u32, phase: u32, item: u32) -> Access<u32> {
        Access { place: 0, kind, group, phase, item }
    }

    /// Whether the last of `list` conflicts with one before it, by definition.
    fn naive(list: &[Access<u32>]) -> bool {
        let Some((last, before)) = list.split_last() else {
            return false;
        };
        before.iter().any(|other| {
            let harmless = last.kind == other.kind && last.kind != Write;
            !harmless && last.is_unordered_with(other)
        })
    }

    #[test]
    fn reads_of_two_groups_and_atomics_of_two_items_agree() {
        let mut shadow = Shadow::new([8].into_iter());
        for group in 0..3 {
            assert!(shadow.record(Some(0), 0, 8, access(Read, group, 0, 0)).is_ok());
        }
        assert!(shadow.record(None, 0, 0, access(Atomic, 2, 0, 0)).is_ok());
        assert!(shadow.record(Some(0), 7, 1, access(Write, 2, 0, 0)).is_err(), "groups 0 and 1 have read it");
    }

    proptest! {
        /// Keeping two reads, two atomics and a write finds exactly the first conflict that keeping everything finds.
        #[test]
        fn shadow_finds_what_the_full_history_finds(
            steps in prop::collection::vec((0u32..3, 0u32..3, 0u32..3, 0u32..3), 1..24)
        ) {
            let mut history: Vec<Access<u32>> = steps
                .into_iter()
                .map(|(kind, group, phase, item)| access([Read, Write, Atomic][kind as usize], group, phase, item))
                .collect();
            // Groups run in order, and phases within a group.
            history.sort_by_key(|a| (a.group, a.phase));
            let mut shadow = Shadow::new([1].into_iter());
            for end in 1..=history.len() {
                let found = shadow.record(Some(0), 0, 1, history[end - 1]).is_err();
                prop_assert_eq!(found, naive(&history[..end]), "after {:?}", &history[..end]);
                if found {
                    break;
                }
            }
        }
    }
}
