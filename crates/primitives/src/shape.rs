//! Shapes of up to four axes, and what repeating an operand along some of them means.

use ferrocca_core::{Error, Result};
use std::fmt;

/// Most axes of a shape.
pub(crate) const AXES: usize = 4;

/// Lengths along the axes, slowest first, right-aligned: axes that are missing have one element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    dims: [usize; AXES],
    rank: usize,
}

impl Shape {
    /// The shape of these lengths, at most four.
    pub(crate) fn new(lengths: &[usize]) -> Self {
        let mut dims = [1; AXES];
        dims[AXES - lengths.len()..].copy_from_slice(lengths);
        Self { dims, rank: lengths.len() }
    }

    /// The shape of a number.
    pub(crate) fn scalar() -> Self {
        Self::new(&[])
    }

    /// Number of elements; `None` where that overflows.
    pub(crate) fn len(&self) -> Option<usize> {
        self.dims.iter().try_fold(1usize, |len, dim| len.checked_mul(*dim))
    }

    /// What both are repeated to: axes are counted from the last one, and one of length 1 takes any length.
    pub(crate) fn broadcast(&self, other: &Self) -> Result<Self> {
        let mut dims = [1; AXES];
        for (axis, dim) in dims.iter_mut().enumerate() {
            *dim = match (self.dims[axis], other.dims[axis]) {
                (a, b) if a == b => a,
                (1, b) => b,
                (a, 1) => a,
                _ => return Err(Error::out_of_bounds(format!("the shapes {self} and {other} do not fit each other"))),
            };
        }
        Ok(Self { dims, rank: self.rank.max(other.rank) })
    }

    /// Elements from one to the next along each axis of `whole`; 0 where this shape is repeated.
    pub(crate) fn strides(&self) -> [usize; AXES] {
        let mut strides = [0; AXES];
        let mut stride = 1;
        for axis in (0..AXES).rev() {
            if self.dims[axis] != 1 {
                strides[axis] = stride;
            }
            stride *= self.dims[axis];
        }
        strides
    }

    /// Makes one axis of neighbours that all operands pass through in a row, and drops axes of one element. What is left
    /// is right-aligned; every stride along the last axis is then 1 or 0.
    pub(crate) fn merge_axes(&mut self, strides: &mut [[usize; AXES]]) {
        let old = self.dims;
        let mut last = AXES;
        self.dims = [1; AXES];
        for axis in (0..AXES).rev().filter(|&axis| old[axis] != 1) {
            let joins = last < AXES && strides.iter().all(|own| own[axis] == own[last] * self.dims[last]);
            if joins {
                self.dims[last] *= old[axis];
                continue;
            }
            last -= 1;
            self.dims[last] = old[axis];
            for own in strides.iter_mut() {
                own[last] = own[axis];
            }
        }
        for own in strides.iter_mut() {
            own[..last].fill(0);
        }
    }

    pub(crate) fn dims(&self) -> [usize; AXES] {
        self.dims
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.dims[AXES - self.rank..])
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_that_are_passed_through_in_a_row_become_one() {
        let check = |shape: &[usize], operands: &[&[usize]], dims: [usize; AXES], expected: &[[usize; AXES]]| {
            let mut merged = Shape::new(shape);
            let mut strides: Vec<_> = operands.iter().map(|operand| Shape::new(operand).strides()).collect();
            merged.merge_axes(&mut strides);
            assert_eq!((merged.dims, &strides[..]), (dims, expected), "{shape:?} {operands:?}");
        };
        check(&[2, 3, 4], &[&[2, 3, 4], &[]], [1, 1, 1, 24], &[[0, 0, 0, 1], [0; 4]]);
        check(&[2, 3, 4], &[&[2, 3, 4], &[4]], [1, 1, 6, 4], &[[0, 0, 4, 1], [0, 0, 0, 1]]);
        check(&[2, 3, 4], &[&[2, 1, 1], &[3, 4]], [1, 1, 2, 12], &[[0, 0, 1, 0], [0, 0, 0, 1]]);
        check(&[5, 1, 3, 1], &[&[5, 1, 1, 1], &[3, 1]], [1, 1, 5, 3], &[[0, 0, 1, 0], [0, 0, 0, 1]]);
        check(&[2, 3, 4, 5], &[&[2, 1, 4, 1], &[3, 1, 5]], [2, 3, 4, 5], &[[4, 0, 1, 0], [0, 5, 0, 1]]);
    }
}
