//! Primitives: the same bits on every device. What is expected is computed here by the definition of each.

use crate::harness::Case;

mod along;
mod arrange;
mod complex;
mod definition;
mod eigen;
mod linear;
mod map;
mod random;
mod reduce;
mod scan;
mod segments;
mod sort;

/// The cases, area by area.
pub(crate) fn areas() -> impl Iterator<Item = &'static [Case]> {
    [
        reduce::CASES,
        along::CASES,
        map::CASES,
        scan::CASES,
        arrange::CASES,
        complex::CASES,
        sort::CASES,
        linear::CASES,
        eigen::CASES,
        random::CASES,
        segments::CASES,
    ]
    .into_iter()
}
