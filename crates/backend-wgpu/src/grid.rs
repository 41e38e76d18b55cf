//! A launch's groups as dispatches: no dispatch takes more than so many along an axis.

use ferrocca_core::backend::{GridPart, grid_parts};
use okl::back::wgsl::interface::ROW;

/// How the entry of a nest counts its groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counting {
    /// Groups lie along axis 0 alone and are counted through the rows of a dispatch.
    pub(crate) rows: bool,
    /// Each group of the dispatch runs two of the launch, along axis 0.
    pub(crate) coarsened: bool,
    /// The most groups that the device takes along an axis.
    pub(crate) most: u64,
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The number of its first group.
    pub(crate) first: [u32; 3],
    /// Its groups along the axes.
    pub(crate) groups: [u32; 3],
}

/// Calls `visit` for every dispatch of a launch of `outer` groups, whose numbers have 32 bits.
pub(crate) fn for_each_part(outer: [u64; 3], counting: Counting, mut visit: impl FnMut(Part)) {
    let Counting { rows, coarsened, most } = counting;
    let each = if coarsened { 2 } else { 1 };
    let along_x = outer[0].div_ceil(each);
    let row = u64::from(ROW);
    if rows && along_x > row && most >= row {
        let (whole, rest) = (along_x / row, along_x % row);
        for GridPart { first, groups, .. } in grid_parts([1, whole, 1], [most; 3]) {
            visit(part([first[1] * row * each, 0, 0], [row, groups[1], 1]));
        }
        if rest > 0 {
            visit(part([whole * row * each, 0, 0], [rest, 1, 1]));
        }
        return;
    }
    for GridPart { first: [x, y, z], groups, .. } in grid_parts([along_x, outer[1], outer[2]], [most; 3]) {
        visit(part([x * each, y, z], groups));
    }
}

fn part(first: [u64; 3], groups: [u64; 3]) -> Part {
    Part { first: first.map(|number| number as u32), groups: groups.map(|count| count as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every group that the entries of all dispatches run, in order.
    fn run(outer: [u64; 3], counting: Counting) -> (usize, Vec<[u64; 3]>) {
        let (mut count, mut groups) = (0, Vec::new());
        for_each_part(outer, counting, |part| {
            count += 1;
            assert!(part.groups.iter().all(|&groups| 0 < groups && u64::from(groups) <= counting.most));
            let [x, y, z] = part.groups.map(u64::from);
            let first = part.first.map(u64::from);
            for (gz, gy, gx) in (0..z).flat_map(|z| (0..y).flat_map(move |y| (0..x).map(move |x| (z, y, x)))) {
                let number = if counting.rows { [gx + u64::from(ROW) * gy, 0, 0] } else { [gx, gy, gz] };
                if counting.coarsened {
                    let x = first[0] + 2 * number[0];
                    groups.extend(
                        [x, x + 1]
                            .into_iter()
                            .filter(|&x| x < outer[0])
                            .map(|x| [x, first[1] + number[1], first[2] + number[2]]),
                    );
                } else {
                    groups.push([0, 1, 2].map(|axis| first[axis] + number[axis]));
                }
            }
        });
        groups.sort_unstable();
        (count, groups)
    }

    fn all([x, y, z]: [u64; 3]) -> Vec<[u64; 3]> {
        (0..x).flat_map(|x| (0..y).flat_map(move |y| (0..z).map(move |z| [x, y, z]))).collect()
    }

    #[test]
    fn every_group_is_run_once() {
        let row = u64::from(ROW);
        for coarsened in [false, true] {
            for x in [1, 2, 5, row - 1, row, row + 1, 2 * row, 2 * row + 1, 3 * row + 7, 781_250] {
                let counting = Counting { rows: true, coarsened, most: row };
                let (count, groups) = run([x, 1, 1], counting);
                assert!(count <= 2, "{x} groups: {count} dispatches");
                assert!(groups == all([x, 1, 1]), "{x} groups, {counting:?}");
            }
            for outer in [[7, 1, 1], [4, 4, 4], [9, 2, 5], [1, 9, 1]] {
                let (_, groups) = run(outer, Counting { rows: false, coarsened, most: 4 });
                assert!(groups == all(outer), "{outer:?}, coarsened: {coarsened}");
            }
        }
    }

    #[test]
    fn more_rows_than_a_dispatch_takes_are_several() {
        let mut parts = Vec::new();
        let most = u64::from(ROW);
        for_each_part([u64::from(u32::MAX) - 1, 1, 1], Counting { rows: true, coarsened: false, most }, |part| {
            parts.push(part)
        });
        let groups: u64 = parts.iter().map(|part| part.groups.iter().map(|&n| u64::from(n)).product::<u64>()).sum();
        assert_eq!((parts.len(), groups), (3, u64::from(u32::MAX) - 1));
    }
}
