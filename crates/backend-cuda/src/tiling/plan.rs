//! A loop in windows, as its text and its passes need it. [`super::planner`] makes it.
//!
//! What the loop is says [`RowLoop`]; here is how large windows are, and whose texts run it.

use crate::kernel::Module;
use ferrocca_core::backend::rows::{Buffer, Call, Ends, Items, RowLoop};
use std::ops::Range;
use std::sync::Arc;

/// Lanes of a warp.
pub(super) const WARP: i64 = 32;

/// Warps of a block.
pub(super) const WARPS: i64 = 4;

/// A loop in windows.
pub(super) struct Plan {
    pub(super) row: RowLoop,
    pub(super) programs: Vec<Arc<Module>>,
    /// For each call the program whose text it is; of those that have no items any.
    pub(super) program_of: Vec<usize>,
    pub(super) options: Vec<String>,
    pub(super) ends: Ends,
    pub(super) per_thread: i64,
    pub(super) steps: u64,
    pub(super) value_bytes: usize,
    /// Messages of a repetition that the block of the ends exchanges.
    pub(super) messages: usize,
}

impl Plan {
    /// Repetitions of the next pass, if there are `left` of them.
    pub(super) fn pass(&self, left: u64) -> Option<u64> {
        let most = self.steps.min(left.checked_sub(self.row.last)?);
        // A text stores one set of buffers.
        let rest = self.steps % self.row.period as u64;
        let is_possible = |steps: &u64| {
            steps % self.row.period as u64 == rest && (self.ends == Ends::Shared || self.parts(*steps).is_some())
        };
        (2..=most).rev().find(is_possible)
    }

    /// Elements of a window.
    pub(super) fn window(&self) -> i64 {
        WARP * self.per_thread
    }

    /// Windows of a pass.
    pub(super) fn windows(&self, steps: u64) -> i64 {
        let overlap = steps as i64 * self.row.wrong();
        let own = self.window() - overlap;
        (self.row.middle.end - self.row.middle.start - overlap + own - 1) / own
    }

    /// What the ends take of shared memory.
    pub(super) fn ends_bytes(&self) -> i64 {
        let of_buffer = |of: &Buffer| self.row.end_elements(of, self.steps) * of.element_bytes + 16;
        self.row.buffers.iter().filter(|buffer| !buffer.in_place).map(of_buffer).sum()
    }

    /// Where a window of a pass begins.
    fn start(&self, window: i64, own: i64) -> i64 {
        (self.row.middle.start + window * own).min(self.row.middle.end - self.window())
    }

    /// The parts of a pass whose ends run as they were recorded; `None` where there are too few windows.
    pub(super) fn parts(&self, steps: u64) -> Option<Parts> {
        let Range { start: begin, end } = self.row.middle;
        let wrong = steps as i64 * self.row.wrong();
        let (own, windows) = (self.window() - wrong, self.windows(steps));
        // What the ends write lies before `low`, and from `high` on.
        let (mut low, mut high) = (begin, end);
        let mut groups = Vec::new();
        for Call { items, row, .. } in &self.row.calls {
            groups.push(match (items, row.written) {
                (Some(Items { group, .. }), Some(written)) => {
                    let group = *group as i64;
                    let first = (begin + wrong - written).max(0).div_euclid(group) + 1;
                    let last = (end - wrong - written).div_euclid(group);
                    if first >= last {
                        return None;
                    }
                    low = low.max(first * group + written);
                    high = high.min(last * group + written);
                    Some([0..first as u64, last as u64..(row.items / group) as u64])
                }
                _ => None,
            });
        }
        let first = (low - begin).div_euclid(own) + 1;
        let last = (high - self.window() - begin).div_euclid(own);
        if first > last {
            return None;
        }
        let saved = [begin..self.start(first - 1, own) + self.window(), self.start(last, own)..end];
        Some(Parts { groups, beside: first..last, windows, saved })
    }
}

/// What a pass has whose ends run as they were recorded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// For each command the first and the last groups; `None`: all of it.
    pub(super) groups: Vec<Option<[Range<u64>; 2]>>,
    /// The windows that touch nothing of the ends.
    pub(super) beside: Range<i64>,
    /// Windows of the pass.
    pub(super) windows: i64,
    /// The positions of the windows before and behind those.
    pub(super) saved: [Range<i64>; 2],
}
