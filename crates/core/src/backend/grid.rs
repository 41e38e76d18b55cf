//! Launches of more groups than a driver takes at once.

/// A part of a launch: so many groups along axes 0, 1, 2, from a first one on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GridPart {
    /// Its first group.
    pub first: [u64; 3],
    /// Its groups, each > 0.
    pub groups: [u64; 3],
}

impl GridPart {
    /// All of a launch of `outer` groups.
    pub fn whole(outer: [u64; 3]) -> Self {
        Self { first: [0; 3], groups: outer }
    }
}

/// Cuts a launch of `outer` groups into parts of at most `most` along each axis, nearly always one. Axis 0 runs fastest.
/// The text of a kernel adds the first group of its part to a group's number.
pub fn grid_parts(outer: [u64; 3], most: [u64; 3]) -> impl Iterator<Item = GridPart> {
    // Divisions cost what can be seen in a launch, and most launches need none.
    let fits = (0..3).all(|axis| outer[axis] <= most[axis]);
    let counts = if fits { [1; 3] } else { [0, 1, 2].map(|axis| outer[axis].div_ceil(most[axis])) };
    let part = move |first: [u64; 3]| GridPart {
        first,
        groups: [0, 1, 2].map(|axis| most[axis].min(outer[axis] - first[axis])),
    };
    let starts = move |axis: usize| (0..counts[axis]).map(move |k| k * most[axis]);
    starts(2).flat_map(move |z| starts(1).flat_map(move |y| starts(0).map(move |x| part([x, y, z]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_group_once() {
        let whole = GridPart { first: [0; 3], groups: [7, 3, 2] };
        assert_eq!(grid_parts([7, 3, 2], [7, 3, 2]).collect::<Vec<_>>(), [whole]);
        assert_eq!(grid_parts([7, 3, 2], [u64::MAX; 3]).collect::<Vec<_>>(), [whole]);
        let cases = [([7, 3, 2], [3, 3, 1]), ([1, 9, 1], [4; 3]), ([5, 7, 9], [2, 7, 4]), ([1, 1, 3], [1; 3])];
        for (outer, most) in cases {
            let mut groups = Vec::new();
            for GridPart { first, groups: count } in grid_parts(outer, most) {
                assert!((0..3).all(|axis| 0 < count[axis] && count[axis] <= most[axis]));
                let [x, y, z] = [0, 1, 2].map(|axis| first[axis]..first[axis] + count[axis]);
                groups.extend(z.flat_map(|z| {
                    let (x, y) = (x.clone(), y.clone());
                    y.flat_map(move |y| x.clone().map(move |x| [z, y, x]))
                }));
            }
            groups.sort_unstable();
            let [x, y, z] = outer;
            let all = (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| [z, y, x])));
            assert_eq!(groups, all.collect::<Vec<_>>(), "{outer:?} in parts of {most:?}");
        }
        let firsts: Vec<_> = grid_parts([3, 2, 1], [2, 1, 1]).map(|part| part.first).collect();
        assert_eq!(firsts, [[0, 0, 0], [2, 0, 0], [0, 1, 0], [2, 1, 0]]);
    }
}
