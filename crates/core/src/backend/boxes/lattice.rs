//! Points of a box in memory: elements as coordinates x, y, z, of which x runs fastest, and offsets between them.
//!
//! A loop over two axes has points along x and z, and one along y.

use crate::backend::BoxSpan;
use std::ops::Range;

/// Coordinates from one to another along each axis.
pub type Box3 = [Range<i64>; 3];

/// How elements lie: from one point to the next along x, y, z, and how many points there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice {
    /// Elements from one point to the next.
    pub strides: [i64; 3],
    /// Points.
    pub extents: [i64; 3],
}

impl Lattice {
    /// That of memory of so many elements in which neighbours along the axes of a launch lie so far apart, with the axis of the
    /// launch that runs along each coordinate.
    pub fn of(slopes: [i64; 3], elements: i64) -> Option<(Self, [Option<usize>; 3])> {
        let mut axes: Vec<usize> = (0..3).filter(|&axis| slopes[axis] != 0).collect();
        axes.sort_by_key(|&axis| slopes[axis]);
        let (strides, axes) = match axes[..] {
            [x, z] => ([1, slopes[z], slopes[z]], [Some(x), None, Some(z)]),
            [x, y, z] => ([1, slopes[y], slopes[z]], [Some(x), Some(y), Some(z)]),
            _ => return None,
        };
        let x = axes[0].map(|axis| slopes[axis]);
        let is_nested = strides[1] > 1 && strides[2] % strides[1] == 0 && x == Some(1);
        let extents = [strides[1], strides[2] / strides[1], elements / strides[2]];
        (is_nested && extents.iter().all(|&extent| extent < i64::from(i32::MAX)))
            .then_some((Self { strides, extents }, axes))
    }

    /// The coordinates of an element.
    pub fn point(&self, element: i64) -> [i64; 3] {
        let (z, rest) = (element.div_euclid(self.strides[2]), element.rem_euclid(self.strides[2]));
        [rest % self.strides[1], rest / self.strides[1], z]
    }

    /// What an offset is along each axis, where it is as near as can be.
    pub fn offset(&self, elements: i64) -> [i64; 3] {
        let nearest = |elements: i64, stride: i64| (elements + stride / 2).div_euclid(stride);
        let z = nearest(elements, self.strides[2]);
        let rest = elements - z * self.strides[2];
        let y = nearest(rest, self.strides[1]);
        [rest - y * self.strides[1], y, z]
    }

    /// The least box that has all elements that a span touches, in memory that begins `origin` elements before the point 0, 0, 0;
    /// `None` where its items do not step along the axes of the box, or leave it.
    pub fn hull(&self, span: &BoxSpan, origin: i64) -> Option<Box3> {
        let mut least = span.reach[0] - origin;
        let mut grown = [[0_i64; 2]; 3];
        for (places, slope) in span.places.iter().zip(span.slopes) {
            least += slope * places.start as i64;
            for (step, grown) in self.offset(slope).into_iter().zip(&mut grown) {
                let all = step * (places.end - places.start - 1) as i64;
                *grown = [grown[0] + all.min(0), grown[1] + all.max(0)];
            }
        }
        let (first, last) = (self.point(least), self.point(least + span.reach[1] - span.reach[0]));
        let mut hull = [0, 1, 2].map(|axis| first[axis].min(last[axis])..first[axis].max(last[axis]) + 1);
        // Elements one behind the other go on in the next row.
        for axis in [2, 1] {
            if first[axis] != last[axis] {
                hull[..axis].iter_mut().zip(self.extents).for_each(|(range, extent)| *range = 0..extent);
            }
        }
        for (range, grown) in hull.iter_mut().zip(grown) {
            *range = range.start + grown[0]..range.end + grown[1];
        }
        self.has(&hull).then_some(hull)
    }

    /// All points.
    pub fn all(&self) -> Box3 {
        self.extents.map(|extent| 0..extent)
    }

    /// Whether a box lies in the memory.
    pub fn has(&self, of: &Box3) -> bool {
        of.iter().zip(self.extents).all(|(range, extent)| range.start >= 0 && range.end <= extent)
    }

    /// The axes along which there are several points.
    pub fn axes(&self) -> impl Iterator<Item = usize> + use<> {
        let extents = self.extents;
        (0..3).filter(move |&axis| extents[axis] > 1)
    }
}

/// Layers of a box, counted from its faces inwards, that another box lies in, by the face that it is nearest to; negative where it
/// lies outside.
pub fn layers(of: &Box3, inside: &Box3, axes: impl Iterator<Item = usize>) -> Option<i64> {
    let of_axis = |axis: usize| {
        let (of, inside) = (&of[axis], &inside[axis]);
        (of.end - inside.start).min(inside.end - of.start)
    };
    axes.map(of_axis).min()
}

/// Points of a box.
pub fn volume(of: &Box3) -> i64 {
    of.iter().map(|range| range.end - range.start).product()
}

/// A box without so many layers along some axes.
pub fn shrunk(of: &Box3, layers: i64, axes: impl Iterator<Item = usize>) -> Box3 {
    let mut shrunk = of.clone();
    for axis in axes {
        let Range { start, end } = of[axis];
        shrunk[axis] = start + layers..end - layers;
    }
    shrunk
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::AccessKind;

    #[test]
    fn elements_are_points() {
        let (lattice, axes) = Lattice::of([70, 1, 3500], 3500 * 40 + 9).expect("a box");
        assert_eq!(
            (lattice.strides, lattice.extents, axes),
            ([1, 70, 3500], [70, 50, 40], [Some(1), Some(0), Some(2)])
        );
        assert_eq!(lattice.point(3500 * 7 + 70 * 6 + 5), [5, 6, 7]);
        assert_eq!(
            [3500 - 70 + 2, -3500 - 3, 70 - 1, -1].map(|offset| lattice.offset(offset)),
            [[2, -1, 1], [-3, 0, -1], [-1, 1, 0], [-1, 0, 0]]
        );
        let span = |places: [Range<u64>; 3], reach: [i64; 2]| BoxSpan {
            param: 0,
            kind: AccessKind::Read,
            places,
            slopes: [70, 1, -3500],
            reach,
            certain: true,
        };
        let hull = |places, reach| lattice.hull(&span(places, reach), 0);
        let last = 3500 * 39;
        assert_eq!(hull([2..5, 1..70, 0..40], [last; 2]), Some([1..70, 2..5, 0..40]));
        assert_eq!(hull([2..5, 1..71, 0..40], [last; 2]), None, "it leaves a row");
        assert_eq!(
            hull([0..1, 0..1, 1..2], [last + 60, last + 80]),
            Some([0..70, 0..2, 38..39]),
            "it goes on in the next row"
        );
        assert_eq!(Lattice::of([1, 70, 3501], 1 << 20), None);
        assert_eq!(Lattice::of([2, 70, 3500], 1 << 20), None);
    }
}
