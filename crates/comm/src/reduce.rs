//! Reductions of a grid's values whose bits depend on the grid alone, not on how many ranks share it or how.
//!
//! # The tree
//! Values are combined along the last axis, the results along the one before, and so on. Along an axis the tree is binary over
//! global indices: a node of level `k` and number `j` covers indices `j 2^k` to `(j + 1) 2^k - 1`. Its value is that of its
//! lower half combined with that of its upper one; halves beyond the end of the axis are left out.
//!
//! A rank computes the nodes that lie within its part, five levels at a time on its device. What is left, some nodes a row, the
//! host combines: on the first rank along the axis, which gets those of the others.

use crate::gather::{bytes_of, bytes_of_mut, read};
use crate::grid::Grid;
use crate::layout::{Block, Layout};
use crate::pack::Combining;
use crate::transport::{Operation, failure};
use ferrocca_core::{Element, Memory, Result};

/// Levels that the device combines in one launch.
const LEVELS: u32 = 5;
/// Values of a node of so many levels.
const NODE: usize = 1 << LEVELS;

/// Numbers that can be combined: `f32`, `f64`, `i32`, `i64`, of which sums wrap around.
pub trait Reduce: Element + Default + PartialOrd {
    /// `lower` is the value whose index comes first. As the device does it.
    fn combine(operation: Operation, lower: Self, upper: Self) -> Self;
}

macro_rules! floats {
    ($($ty:ty),*) => {$(
        impl Reduce for $ty {
            fn combine(operation: Operation, lower: Self, upper: Self) -> Self {
                match operation {
                    Operation::Sum => lower + upper,
                    Operation::Min if lower.is_nan() || lower < upper => lower,
                    Operation::Max if lower.is_nan() || lower > upper => lower,
                    Operation::Min | Operation::Max => upper,
                }
            }
        }
    )*};
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl Reduce for $ty {
            fn combine(operation: Operation, lower: Self, upper: Self) -> Self {
                match operation {
                    Operation::Sum => lower.wrapping_add(upper),
                    Operation::Min => lower.min(upper),
                    Operation::Max => lower.max(upper),
                }
            }
        }
    )*};
}

floats!(f32, f64);
integers!(i32, i64);

/// The same in the kernel language; `a != a` says NaN.
pub(crate) fn operator(operation: Operation) -> &'static str {
    match operation {
        Operation::Sum => "a + b",
        Operation::Min => "(a != a || a < b) ? a : b",
        Operation::Max => "(a != a || a > b) ? a : b",
    }
}

/// A node of the tree along an axis: its level and number.
type Node = (u32, usize);

impl Grid {
    /// All values of a field, combined; every rank gets the result. Collective. Ghosts do not count, and what two ranks have
    /// counts once. The bits are the same for every number of ranks and every cut, on every device.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`], what allocating and building kernels meets, failures of the device.
    pub fn reduce<T: Reduce>(&self, operation: Operation, field: &Memory<T>) -> Result<T> {
        let layout = self.comm().all_succeed(self.layout_of_len(field.len()))?;
        self.reduce_layout(operation, field, &layout)
    }

    /// As [`reduce`](Self::reduce), of a layout that the length does not tell.
    /// # Errors
    /// As [`reduce`](Self::reduce), [`ferrocca_core::ErrorKind::OutOfBounds`] for memory of another length.
    pub fn reduce_layout<T: Reduce>(&self, operation: Operation, field: &Memory<T>, layout: &Layout) -> Result<T> {
        let comm = self.comm();
        let what = || format!("{} of {} values", operation.name(), layout.global.iter().product::<usize>());
        let columns = layout.check_len(field.len()).and_then(|()| columns(operation, field, layout));
        let mut values = comm.all_succeed(columns.map_err(|error| error.while_doing(what())))?;
        for axis in (0..3).rev() {
            let Some(combined) = self.along(operation, axis, layout, values)? else {
                values = Vec::new();
                break;
            };
            values = combined;
        }
        // Only rank 0 has come to the end.
        let result = comm.broadcast(bytes_of(&values).to_vec())?;
        let mut value = [T::default()];
        bytes_of_mut(&mut value).copy_from_slice(&result);
        Ok(value[0])
    }

    /// Combines along an axis: `values` are this rank's nodes, row by row, a row for each index of the axes before. `None` on
    /// ranks that have given theirs away.
    fn along<T: Reduce>(
        &self,
        operation: Operation,
        axis: usize,
        layout: &Layout,
        values: Vec<T>,
    ) -> Result<Option<Vec<T>>> {
        let comm = self.comm();
        let rows: usize = (0..axis).map(|before| layout.owned(before)).product();
        let own = self.coordinate(comm.rank());
        let at = |index: usize| {
            let mut at = own;
            at[axis] = index;
            self.rank_at(at)
        };
        if own[axis] > 0 {
            comm.send_sized(at(0), bytes_of(&values).to_vec())?;
            return Ok(None);
        }
        let mut parts: Vec<(Vec<Node>, Vec<T>)> = Vec::new();
        let mut own_values = Some(values);
        for index in 0..self.cuts()[axis] {
            let part = self.layout_of(at(index), layout.surplus);
            let (first, end) = (part.start[axis], part.start[axis] + part.owned(axis));
            let nodes =
                if axis == 2 { nodes_of_row(first, end) } else { (first..end).map(|index| (0, index)).collect() };
            let values = match own_values.take() {
                Some(values) => values,
                None => {
                    let mut values = vec![T::default(); nodes.len() * rows];
                    let bytes = comm.receive_sized(at(index))?;
                    let own = bytes_of_mut(&mut values);
                    if own.len() != bytes.len() {
                        let (got, expected) = (bytes.len(), own.len());
                        return Err(failure(format!("rank {} sent {got} bytes of nodes, not {expected}", at(index))));
                    }
                    own.copy_from_slice(&bytes);
                    values
                }
            };
            parts.push((nodes, values));
        }
        let row = |row: usize| {
            let of_part = |(nodes, values): &(Vec<Node>, Vec<T>)| {
                let values = &values[row * nodes.len()..(row + 1) * nodes.len()];
                nodes.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>()
            };
            root(operation, parts.iter().flat_map(of_part).collect())
        };
        Ok(Some((0..rows).map(row).collect()))
    }
}

/// The numbers of the nodes of some levels that lie within `first..end`, as far as a device combines them: of each level what
/// the next one leaves over, as two ranges.
fn levels_of_row(first: usize, end: usize) -> Vec<[(usize, usize); 2]> {
    let (mut first, mut end) = (first, end);
    let mut levels = Vec::new();
    loop {
        let (low, high) = (first.div_ceil(NODE), end / NODE);
        // A launch for fewer is not worth its while.
        if high < low + 2 {
            levels.push([(first, end), (end, end)]);
            return levels;
        }
        levels.push([(first, low * NODE), (high * NODE, end)]);
        (first, end) = (low, high);
    }
}

/// The nodes of a row in the order in which [`columns`] has their values.
fn nodes_of_row(first: usize, end: usize) -> Vec<Node> {
    let of_level = |(level, ranges): (usize, [(usize, usize); 2])| {
        ranges.into_iter().flat_map(move |(first, end)| (first..end).map(move |index| (level as u32 * LEVELS, index)))
    };
    levels_of_row(first, end).into_iter().enumerate().flat_map(of_level).collect()
}

/// The nodes along the last axis that this rank has, row by row.
fn columns<T: Reduce>(operation: Operation, field: &Memory<T>, layout: &Layout) -> Result<Vec<T>> {
    let device = field.device();
    let (first, end) = (layout.start[2], layout.start[2] + layout.owned(2));
    let levels = levels_of_row(first, end);
    let count = nodes_of_row(first, end).len();
    let rows = layout.owned(0) * layout.owned(1);
    let mut columns = vec![T::default(); rows * count];
    let mut block = layout.owned_block();
    let mut values = field.untyped().clone();
    let mut combining = None;
    // Number of the first value of a row of `block`, and of the first column that is not filled.
    let (mut start, mut column) = (first, 0);
    for (level, ranges) in levels.iter().enumerate() {
        for (from, to) in ranges {
            let mut part = block;
            part.base += from - start;
            part.extents[2] = to - from;
            let mut read_values = vec![T::default(); part.len()];
            bytes_of_mut(&mut read_values).copy_from_slice(&read(&values, part)?);
            for (row, read_values) in read_values.chunks_exact((to - from).max(1)).enumerate() {
                columns[row * count + column..][..to - from].copy_from_slice(read_values);
            }
            column += to - from;
        }
        if level + 1 < levels.len() {
            let (low, high) = (ranges[0].1 / NODE, ranges[1].0 / NODE);
            let combining: &Combining = match &combining {
                Some(combining) => combining,
                None => combining.insert(Combining::new(&device, T::DTYPE, field.len(), operator(operation))?),
            };
            let mut results = block;
            results.base += low * NODE - start;
            results.extents[2] = high - low;
            let mut nodes = device.malloc::<T>(results.len())?.into_untyped();
            combining.run(results, &values, &mut nodes)?;
            // From here on rows of nodes, without anything between them.
            let [n0, n1, n2] = results.extents;
            block = Block { base: 0, extents: [n0, n1, n2], strides: [n1 * n2, n2] };
            values = nodes;
            start = low;
        }
    }
    Ok(columns)
}

/// The root of the tree over nodes that cover an axis from its first index to its last.
fn root<T: Reduce>(operation: Operation, mut nodes: Vec<(Node, T)>) -> T {
    nodes.sort_unstable_by_key(|((level, index), _)| index << level);
    let mut level = 0;
    while nodes.len() > 1 {
        let mut above: Vec<(Node, T)> = Vec::with_capacity(nodes.len());
        let mut pending = nodes.into_iter().peekable();
        while let Some(((own_level, index), value)) = pending.next() {
            if own_level > level {
                above.push(((own_level, index), value));
                continue;
            }
            let upper = pending
                .next_if(|((other_level, other), _)| *other_level == level && *other == index + 1 && index % 2 == 0);
            let value = upper.map_or(value, |(_, upper)| T::combine(operation, value, upper));
            above.push(((level + 1, index / 2), value));
        }
        nodes = above;
        level += 1;
    }
    nodes.pop().map(|(_, value)| value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(range: std::ops::Range<usize>) -> Vec<(Node, f64)> {
        range.map(|index| ((0, index), 1.0 / (index as f64 + 0.3))).collect()
    }

    /// The tree as its definition says it.
    fn defined(level: u32, number: usize, count: usize) -> Option<f64> {
        if level == 0 {
            return (number < count).then(|| 1.0 / (number as f64 + 0.3));
        }
        let lower = defined(level - 1, 2 * number, count)?;
        Some(defined(level - 1, 2 * number + 1, count).map_or(lower, |upper| lower + upper))
    }

    #[test]
    fn the_root_is_that_of_the_definition() {
        for count in [1, 2, 3, 31, 32, 33, 100, 1023] {
            let expected = defined(11, 0, count).unwrap();
            assert_eq!(root(Operation::Sum, leaves(0..count)).to_bits(), expected.to_bits(), "{count}");
        }
    }

    #[test]
    fn nodes_of_parts_have_the_same_root() {
        let count = 5000;
        let expected = root(Operation::Sum, leaves(0..count));
        for bounds in [vec![0, 5000], vec![0, 1, 5000], vec![0, 1700, 3300, 5000], vec![0, 4999, 5000]] {
            let mut nodes = Vec::new();
            for pair in bounds.windows(2) {
                for (level, index) in nodes_of_row(pair[0], pair[1]) {
                    let size = 1 << level;
                    let own = leaves(index * size..(index + 1) * size);
                    let own = own.iter().map(|((_, leaf), value)| ((0, leaf - index * size), *value)).collect();
                    nodes.push(((level, index), root(Operation::Sum, own)));
                }
            }
            assert_eq!(root(Operation::Sum, nodes).to_bits(), expected.to_bits(), "{bounds:?}");
        }
    }
}
