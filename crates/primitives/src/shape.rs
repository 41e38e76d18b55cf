//! Shapes, and what repeating an operand along some of their axes means.

use ferrocca_core::{Error, Result};
use std::fmt;

/// Most axes of a shape.
pub(crate) const AXES: usize = 8;

/// Most axes that a kernel counts, after [`Shape::merge_axes`].
pub(crate) const LOOPS: usize = 4;

/// Lengths along the axes, slowest first, right-aligned: axes that are missing have one element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    dims: [usize; AXES],
    rank: usize,
}

impl Shape {
    /// The shape of these lengths.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] for more than eight.
    pub(crate) fn checked(lengths: &[usize]) -> Result<Self> {
        if lengths.len() > AXES {
            return Err(Error::unsupported(format!("the shape {lengths:?}"), format!("it has more than {AXES} axes")));
        }
        Ok(Self::new(lengths))
    }

    /// The shape of these lengths, at most eight.
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

    /// Elements from one to the next along each axis, row by row; 0 along axes of one element, which may be repeated.
    pub(crate) fn strides(&self) -> [isize; AXES] {
        let mut strides = [0; AXES];
        let mut stride = 1_usize;
        for axis in (0..AXES).rev() {
            if self.dims[axis] != 1 {
                strides[axis] = stride as isize;
            }
            // No memory is that long: the caller compares lengths.
            stride = stride.saturating_mul(self.dims[axis]);
        }
        strides
    }

    /// Makes one axis of neighbours that all operands pass through in a row, and drops axes of one element. What is left
    /// is right-aligned.
    pub(crate) fn merge_axes(&mut self, strides: &mut [[isize; AXES]]) {
        let old = self.dims;
        let mut last = AXES;
        self.dims = [1; AXES];
        for axis in (0..AXES).rev().filter(|&axis| old[axis] != 1) {
            let joins = last < AXES && strides.iter().all(|own| own[axis] == own[last] * self.dims[last] as isize);
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

    /// The last axes, of shapes that have no others: those that a kernel counts.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] for more.
    pub(crate) fn loops(&self) -> Result<[usize; LOOPS]> {
        if self.dims[..AXES - LOOPS].iter().any(|&dim| dim != 1) {
            return Err(Error::unsupported(
                format!("the shape {self}"),
                format!("no more than {LOOPS} axes are left where those that lie in a row are made one"),
            ));
        }
        Ok(last(&self.dims))
    }

    /// The lengths that it was made of.
    pub(crate) fn lengths(&self) -> &[usize] {
        &self.dims[AXES - self.rank..]
    }

    /// The same without an axis, counted from the first one; and without its stride.
    pub(crate) fn without(&self, axis: usize, strides: &mut [[isize; AXES]]) -> Self {
        let place = AXES - self.rank + axis;
        let mut shape = Self { dims: [1; AXES], rank: self.rank - 1 };
        let kept = (0..AXES).rev().filter(|&own| own != place);
        for (to, from) in (1..AXES).rev().zip(kept) {
            shape.dims[to] = self.dims[from];
            strides.iter_mut().for_each(|own| own[to] = own[from]);
        }
        strides.iter_mut().for_each(|own| own[0] = 0);
        shape
    }
}

/// The last entries, which a kernel counts.
pub(crate) fn last<T: Copy>(all: &[T; AXES]) -> [T; LOOPS] {
    std::array::from_fn(|axis| all[AXES - LOOPS + axis])
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.lengths())
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

    fn check(shape: &[usize], operands: &[&[usize]], dims: [usize; LOOPS], expected: &[[isize; LOOPS]]) {
        let mut merged = Shape::new(shape);
        let mut strides: Vec<_> = operands.iter().map(|operand| Shape::new(operand).strides()).collect();
        merged.merge_axes(&mut strides);
        let strides: Vec<_> = strides.iter().map(last).collect();
        assert_eq!((merged.loops().ok(), &strides[..]), (Some(dims), expected), "{shape:?} {operands:?}");
    }

    #[test]
    fn axes_that_are_passed_through_in_a_row_become_one() {
        check(&[2, 3, 4], &[&[2, 3, 4], &[]], [1, 1, 1, 24], &[[0, 0, 0, 1], [0; 4]]);
        check(&[2, 3, 4], &[&[2, 3, 4], &[4]], [1, 1, 6, 4], &[[0, 0, 4, 1], [0, 0, 0, 1]]);
        check(&[2, 3, 4], &[&[2, 1, 1], &[3, 4]], [1, 1, 2, 12], &[[0, 0, 1, 0], [0, 0, 0, 1]]);
        check(&[5, 1, 3, 1], &[&[5, 1, 1, 1], &[3, 1]], [1, 1, 5, 3], &[[0, 0, 1, 0], [0, 0, 0, 1]]);
        check(&[2, 3, 4, 5], &[&[2, 1, 4, 1], &[3, 1, 5]], [2, 3, 4, 5], &[[4, 0, 1, 0], [0, 5, 0, 1]]);
        check(&[2, 3, 2, 2, 2, 2], &[&[2, 3, 2, 2, 2, 2], &[]], [1, 1, 1, 96], &[[0, 0, 0, 1], [0; 4]]);
    }

    #[test]
    fn an_axis_is_taken_out() {
        let (shape, mut strides) = (Shape::new(&[2, 3, 4]), [Shape::new(&[2, 3, 4]).strides()]);
        let kept = shape.without(1, &mut strides);
        assert_eq!((kept.lengths(), last(&strides[0])), (&[2, 4][..], [0, 0, 12, 1]));
    }
}
