//! Primitives: the same bits on every device. What is expected is computed here by the definition of each.

use crate::harness::Case;

mod arrange;
mod definition;
mod map;
mod reduce;
mod scan;
mod sort;

/// The cases, area by area.
pub(crate) fn areas() -> impl Iterator<Item = &'static [Case]> {
    [reduce::CASES, map::CASES, scan::CASES, arrange::CASES, sort::CASES].into_iter()
}
