//! Behind which commands of a loop the block waits for itself.

use super::plan::{Step, Work};
use ferrocca_core::backend::rows::Access;

/// Adds the barriers. The cycle is run again and again, so that its end is followed by its beginning.
pub(super) fn with_barriers(works: Vec<Vec<Work>>, accesses: &[Vec<Vec<Access>>]) -> Vec<Vec<Step>> {
    let cycle: Vec<&[Access]> = accesses.iter().flatten().map(Vec::as_slice).collect();
    let mut barriers = vec![false; cycle.len()];
    // Each pass adds one barrier; none makes another one necessary, so that this ends.
    while let Some(before) = first_conflict(&cycle, &barriers) {
        barriers[before] = true;
    }
    let mut barriers = barriers.into_iter();
    let mut step = |work| Step { work, barrier_after: barriers.next().unwrap_or(true) };
    works.into_iter().map(|phase| phase.into_iter().map(&mut step).collect()).collect()
}

/// The command behind which a barrier is missing: the next one is in conflict with a command since the last barrier. Two
/// cycles are looked at, one behind the other.
fn first_conflict(cycle: &[&[Access]], barriers: &[bool]) -> Option<usize> {
    let mut since: Vec<&Access> = Vec::new();
    let mut before = None;
    for index in (0..cycle.len()).chain(0..cycle.len()) {
        if before.is_some() && conflicts(&since, cycle[index]) {
            return before;
        }
        since.extend(cycle[index]);
        if barriers[index] {
            since.clear();
        }
        before = Some(index);
    }
    None
}

fn conflicts(before: &[&Access], after: &[Access]) -> bool {
    before.iter().any(|a| after.iter().any(|b| a.conflicts(b)))
}
