//! How large the windows of a loop are, and how many repetitions a pass does.

use crate::backend::TilingSetting;
use crate::backend::rows::{Result, RowLoop, refuse};

/// Items of a group.
const THREADS: i64 = 128;

/// Elements of a window that an item computes, most of them first. Odd, so that items meet no bank of shared memory twice.
const PER_THREAD: [i64; 4] = [11, 7, 5, 3];

/// The part of a window that `auto` gives away to what neighbours compute too.
const OVERLAP: i64 = 16;

/// Repetitions of a pass that `auto` takes at most.
const MOST_STEPS: i64 = 64;

/// Windows below which `auto` makes them smaller.
const FEW_WINDOWS: i64 = 8;

/// Bytes of shared memory of a group, of which several shall find room on a multiprocessor.
const MOST_SHARED_BYTES: i64 = 48 << 10;

/// A loop in windows.
pub(super) struct Plan {
    pub(super) row: RowLoop,
    /// Items of a group.
    pub(super) threads: i64,
    pub(super) per_thread: i64,
    pub(super) steps: u64,
    /// For each buffer how many elements beside a window are read at its left and at its right, of which none is right.
    pub(super) beside: Vec<[i64; 2]>,
}

impl Plan {
    /// # Errors
    /// Why there are no windows.
    pub(super) fn of(row: RowLoop, setting: TilingSetting, shared_bytes: u64) -> Result<Self> {
        row.check_writable()?;
        let shared_bytes = MOST_SHARED_BYTES.min(i64::try_from(shared_bytes).unwrap_or(i64::MAX));
        let (elements, each) = (row.middle.end - row.middle.start, row.wrong());
        let beside = beside(&row);
        let mut plan = Self { row, threads: THREADS, per_thread: 0, steps: 0, beside };
        for per_thread in PER_THREAD {
            plan.per_thread = per_thread;
            let window = plan.window();
            let (most, windows) = match setting {
                TilingSetting::Steps(steps) => (steps as i64, 1),
                _ => ((window / OVERLAP).checked_div(each).unwrap_or(MOST_STEPS).min(MOST_STEPS), FEW_WINDOWS),
            };
            let most = most.clamp(0, TilingSetting::MOST_STEPS as i64) as u64;
            let Some(steps) = (2..=most).rev().find(|&steps| plan.row.can_write_after(steps)) else { continue };
            plan.steps = steps;
            let has_room = plan.shared_bytes() <= shared_bytes && 2 * steps as i64 * each <= window;
            if has_room && elements >= windows * window {
                return Ok(plan);
            }
        }
        refuse(format!(
            "windows do not fit: {elements} elements, {each} of which a repetition makes wrong in each window, in {shared_bytes} \
             bytes of shared memory"
        ))
    }

    /// Elements of a window.
    pub(super) fn window(&self) -> i64 {
        self.threads * self.per_thread
    }

    /// Windows of a pass.
    pub(super) fn windows(&self, steps: u64) -> i64 {
        let overlap = steps as i64 * self.row.wrong();
        let own = self.window() - overlap;
        (self.row.middle.end - self.row.middle.start - overlap + own - 1) / own
    }

    /// Repetitions of the next pass, if there are `left` of them.
    pub(super) fn pass(&self, left: u64) -> Option<u64> {
        let most = self.steps.min(left.checked_sub(self.row.last)?);
        // A text stores one set of buffers.
        let period = self.row.period as u64;
        (2..=most).rev().find(|steps| steps % period == self.steps % period)
    }

    /// Elements of the shared array of a buffer: room for its window, and for its ends.
    pub(super) fn length(&self, buffer: usize) -> i64 {
        let of = &self.row.buffers[buffer];
        let [left, right] = self.beside[buffer];
        let window = if of.in_windows { left + self.window() + right } else { 0 };
        window.max(self.row.end_elements(of, self.steps))
    }

    /// The buffers that have a shared array.
    pub(super) fn shared(&self) -> impl Iterator<Item = usize> {
        (0..self.row.buffers.len()).filter(|&buffer| !self.row.buffers[buffer].in_place)
    }

    fn shared_bytes(&self) -> i64 {
        self.shared().map(|buffer| self.length(buffer) * self.row.buffers[buffer].element_bytes).sum()
    }
}

/// For each buffer how far items read it beside what they write, in any repetition.
fn beside(row: &RowLoop) -> Vec<[i64; 2]> {
    let mut beside = vec![[0_i64; 2]; row.buffers.len()];
    let calls = (0..row.period).flat_map(|repetition| row.calls.iter().map(move |call| row.beside(call, repetition)));
    for (buffer, [left, right]) in calls.flatten() {
        beside[buffer] = [beside[buffer][0].max(left), beside[buffer][1].max(right)];
    }
    beside
}
