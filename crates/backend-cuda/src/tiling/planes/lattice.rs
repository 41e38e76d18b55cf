//! Points of a box in memory: elements as coordinates x, y, z, of which x runs fastest, and offsets between them.
//!
//! A loop over two axes has points along x and z, and one along y.

use ferrocca_core::backend::BoxSpan;
use std::ops::Range;

/// Coordinates from one to another along each axis.
pub(super) type Box3 = [Range<i64>; 3];

/// How elements lie: from one point to the next along x, y, z, and how many points there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lattice {
    pub(super) strides: [i64; 3],
    pub(super) extents: [i64; 3],
}

impl Lattice {
    /// That of memory of so many elements in which neighbours along the axes of a launch lie so far apart, with the axis of the
    /// launch that runs along each coordinate.
    pub(super) fn of(slopes: [i64; 3], elements: i64) -> Option<(Self, [Option<usize>; 3])> {
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
    pub(super) fn point(&self, element: i64) -> [i64; 3] {
        let (z, rest) = (element.div_euclid(self.strides[2]), element.rem_euclid(self.strides[2]));
        [rest % self.strides[1], rest / self.strides[1], z]
    }

    /// What an offset is along each axis, where it is as near as can be.
    pub(super) fn offset(&self, elements: i64) -> [i64; 3] {
        let nearest = |elements: i64, stride: i64| (elements + stride / 2).div_euclid(stride);
        let z = nearest(elements, self.strides[2]);
        let rest = elements - z * self.strides[2];
        let y = nearest(rest, self.strides[1]);
        [rest - y * self.strides[1], y, z]
    }

    /// The least box that has all elements that a span touches, in memory that begins `origin` elements before the point 0, 0, 0;
    /// `None` where its items do not step along the axes of the box, or leave it.
    pub(super) fn hull(&self, span: &BoxSpan, origin: i64) -> Option<Box3> {
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
    pub(super) fn all(&self) -> Box3 {
        self.extents.map(|extent| 0..extent)
    }

    /// Whether a box lies in the memory.
    pub(super) fn has(&self, of: &Box3) -> bool {
        of.iter().zip(self.extents).all(|(range, extent)| range.start >= 0 && range.end <= extent)
    }

    /// The axes along which there are several points.
    pub(super) fn axes(&self) -> impl Iterator<Item = usize> + use<> {
        let extents = self.extents;
        (0..3).filter(move |&axis| extents[axis] > 1)
    }
}

/// Layers of a box, counted from its faces inwards, that another box lies in, by the face that it is nearest to; negative where it
/// lies outside.
pub(super) fn layers(of: &Box3, inside: &Box3, axes: impl Iterator<Item = usize>) -> Option<i64> {
    let of_axis = |axis: usize| {
        let (of, inside) = (&of[axis], &inside[axis]);
        (of.end - inside.start).min(inside.end - of.start)
    };
    axes.map(of_axis).min()
}

/// Points of a box.
pub(super) fn volume(of: &Box3) -> i64 {
    of.iter().map(|range| range.end - range.start).product()
}

/// A box without so many layers along some axes.
pub(super) fn shrunk(of: &Box3, layers: i64, axes: impl Iterator<Item = usize>) -> Box3 {
    let mut shrunk = of.clone();
    for axis in axes {
        let Range { start, end } = of[axis];
        shrunk[axis] = start + layers..end - layers;
    }
    shrunk
}
