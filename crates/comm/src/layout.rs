//! Where the elements of a field lie: in the global array, and in the memory of a rank.

use ferrocca_core::{Error, Result};

/// Axes of the widest grid. Grids of fewer axes have leading ones of one point without a halo.
pub(crate) const AXES: usize = 3;

/// Of one rank: which elements of a field's global array it has, and where they lie in its memory.
///
/// Memory is row by row (the last axis is the fastest), each axis with its halo on both sides: element `0` of an axis is a
/// ghost, element `halo` the first that belongs to the rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub(crate) axes: usize,
    /// Extents of the global array.
    pub(crate) global: [usize; AXES],
    /// Global index of the first element.
    pub(crate) start: [usize; AXES],
    /// Points of the grid that the rank has.
    pub(crate) points: [usize; AXES],
    /// Elements beyond those of the grid: 1 where a field lies on the faces between the points and at both ends.
    pub(crate) surplus: [usize; AXES],
    pub(crate) halo: [usize; AXES],
    /// Whether the rank is the last one along an axis.
    pub(crate) is_last: [bool; AXES],
}

/// A box of elements of a rank's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Of its first element, in elements from the start of the memory.
    pub(crate) base: usize,
    pub(crate) extents: [usize; AXES],
    /// Of the memory: elements from one index of the axis to the next; that of the last axis is 1.
    pub(crate) strides: [usize; 2],
}

impl Layout {
    /// Elements of the rank along each axis, without the halo.
    pub fn extents(&self) -> &[usize] {
        &self.points[AXES - self.axes..]
    }

    /// Elements along each axis, of all ranks together and without ghosts.
    pub fn global_shape(&self) -> Vec<usize> {
        self.global[AXES - self.axes..].to_vec()
    }

    /// Elements of the rank along an axis, without the halo and with those beyond the grid's.
    pub(crate) fn interior(&self, axis: usize) -> usize {
        self.points[axis] + self.surplus[axis]
    }

    /// Elements along an axis of the memory.
    pub(crate) fn extent(&self, axis: usize) -> usize {
        self.interior(axis) + 2 * self.halo[axis]
    }

    /// Elements that the rank counts as its own: one that two ranks have belongs to the one that comes later.
    pub(crate) fn owned(&self, axis: usize) -> usize {
        if self.is_last[axis] { self.interior(axis) } else { self.points[axis] }
    }

    /// Extents of the memory, halos included, slowest axis first.
    pub fn shape(&self) -> Vec<usize> {
        (AXES - self.axes..AXES).map(|axis| self.extent(axis)).collect()
    }

    /// Number of elements of the memory, halos included.
    #[allow(clippy::len_without_is_empty)] // A part has at least one point.
    pub fn len(&self) -> usize {
        (0..AXES).map(|axis| self.extent(axis)).product()
    }

    pub(crate) fn strides(&self) -> [usize; 2] {
        [self.extent(1) * self.extent(2), self.extent(2)]
    }

    /// A box from local indices (halo included) and extents.
    pub(crate) fn block(&self, first: [usize; AXES], extents: [usize; AXES]) -> Block {
        let strides = self.strides();
        Block { base: first[0] * strides[0] + first[1] * strides[1] + first[2], extents, strides }
    }

    /// What the rank counts as its own.
    pub(crate) fn owned_block(&self) -> Block {
        self.block(self.halo, [0, 1, 2].map(|axis| self.owned(axis)))
    }

    /// All but the halo.
    pub(crate) fn interior_block(&self) -> Block {
        self.block(self.halo, [0, 1, 2].map(|axis| self.interior(axis)))
    }

    /// Checks that memory of so many elements has this layout.
    pub(crate) fn check_len(&self, len: usize) -> Result<()> {
        if len == self.len() {
            return Ok(());
        }
        Err(Error::out_of_bounds(format!(
            "this rank's part has {} elements ({:?} with its halo), the memory {len}",
            self.len(),
            self.shape()
        )))
    }
}

impl Block {
    pub(crate) fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Whether its elements lie side by side.
    pub(crate) fn is_contiguous(&self) -> bool {
        let [n0, n1, n2] = self.extents;
        let rows_touch = n1 == 1 || n2 == self.strides[1];
        let planes_touch = n0 == 1 || n1 * n2 == self.strides[0];
        let is_row_or_more = n0 == 1 || n1 == 1 || n2 == self.strides[1];
        rows_touch && planes_touch && is_row_or_more
    }
}

/// What part `index` of `parts` has of `count` points: first and one past the last. Parts differ by one point at most.
pub(crate) fn part(count: usize, parts: usize, index: usize) -> (usize, usize) {
    let at = |index: usize| (count as u128 * index as u128 / parts as u128) as usize;
    (at(index), at(index + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_points_and_differ_by_one() {
        for (count, parts) in [(10, 3), (7, 7), (1 << 40, 3), (100, 1)] {
            let bounds: Vec<_> = (0..parts).map(|index| part(count, parts, index)).collect();
            assert_eq!((bounds[0].0, bounds[parts - 1].1), (0, count));
            assert!(bounds.windows(2).all(|pair| pair[0].1 == pair[1].0));
            let sizes: Vec<_> = bounds.iter().map(|(first, end)| end - first).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }

    #[test]
    fn contiguous_boxes_are_known_as_such() {
        let block = |extents| Block { base: 0, extents, strides: [20, 5] };
        let cases = [
            ([1, 1, 3], true),
            ([1, 2, 5], true),
            ([1, 2, 3], false),
            ([2, 4, 5], true),
            ([2, 3, 5], false),
            ([2, 1, 1], false),
            ([3, 1, 5], false),
        ];
        for (extents, expected) in cases {
            assert_eq!(block(extents).is_contiguous(), expected, "{extents:?}");
        }
    }
}
