//! Handles that a replay rotates together with the buffers.

use crate::dtype::Element;
use crate::memory::{AnyMemory, Memory};
use crate::{Error, Result};
use sealed::Sealed;
use smallvec::SmallVec;

type Visitor<'v> = dyn FnMut(&mut [&mut AnyMemory]) -> Result<()> + 'v;

/// The handles of a graph's rotations: an array `[&mut u, &mut u_prev]` or a `&mut` slice, array or `Vec` of memories
/// for a graph with one rotation, a tuple of such for several; of memory without a static type `&mut [Vec<AnyMemory>]`, with a
/// `Vec` for each rotation.
pub trait RotatingHandles: Sealed {}

mod sealed {
    use super::{AnyMemory, Result};

    pub trait Sealed {
        /// Calls the visitor with the handles of each rotation, whose elements are all of one type.
        fn visit(&mut self, visitor: &mut dyn FnMut(&mut [&mut AnyMemory]) -> Result<()>) -> Result<()>;
    }
}

impl<T: Element, const N: usize> RotatingHandles for [&mut Memory<T>; N] {}

impl<T: Element, const N: usize> Sealed for [&mut Memory<T>; N] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) -> Result<()> {
        visitor(&mut self.each_mut().map(|memory| memory.untyped_mut()))
    }
}

impl<T: Element> RotatingHandles for &mut [Memory<T>] {}

impl<T: Element> Sealed for &mut [Memory<T>] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) -> Result<()> {
        let mut handles: SmallVec<[&mut AnyMemory; 8]> = self.iter_mut().map(Memory::untyped_mut).collect();
        visitor(&mut handles)
    }
}

impl<T: Element, const N: usize> RotatingHandles for &mut [Memory<T>; N] {}

impl<T: Element, const N: usize> Sealed for &mut [Memory<T>; N] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) -> Result<()> {
        self.as_mut_slice().visit(visitor)
    }
}

impl<T: Element> RotatingHandles for &mut Vec<Memory<T>> {}

impl<T: Element> Sealed for &mut Vec<Memory<T>> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) -> Result<()> {
        self.as_mut_slice().visit(visitor)
    }
}

/// A rotation each, for memory whose element type is known at run time.
impl RotatingHandles for &mut [Vec<AnyMemory>] {}

impl Sealed for &mut [Vec<AnyMemory>] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) -> Result<()> {
        self.iter_mut().try_for_each(|rotation| {
            let mut handles: SmallVec<[&mut AnyMemory; 8]> = rotation.iter_mut().collect();
            visitor(&mut handles)
        })
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+)),+ $(,)?) => {$(
        impl<$($name: RotatingHandles),+> RotatingHandles for ($($name,)+) {}

        impl<$($name: RotatingHandles),+> Sealed for ($($name,)+) {
            fn visit(&mut self, visitor: &mut Visitor<'_>) -> Result<()> {
                $(self.$index.visit(visitor)?;)+
                Ok(())
            }
        }
    )+};
}

tuples! {
    (A 0),
    (A 0, B 1),
    (A 0, B 1, C 2),
    (A 0, B 1, C 2, D 3),
    (A 0, B 1, C 2, D 3, E 4),
    (A 0, B 1, C 2, D 3, E 4, F 5),
}

/// Calls `look` with the number of each rotation and its handles.
pub(super) fn look(
    handles: &mut impl RotatingHandles,
    mut look: impl FnMut(usize, &[&mut AnyMemory]) -> Result<()>,
) -> Result<usize> {
    let mut count = 0;
    handles.visit(&mut |rotation| {
        look(count, rotation)?;
        count += 1;
        Ok(())
    })?;
    Ok(count)
}

/// Rotates the handles of each rotation to the left, `times` times.
pub(super) fn rotate(handles: &mut impl RotatingHandles, times: u64) {
    let outcome: Result<(), Error> = handles.visit(&mut |rotation| {
        let count = rotation.len();
        for _ in 0..times % count.max(1) as u64 {
            for next in 1..count {
                let (left, right) = rotation.split_at_mut(next);
                std::mem::swap(&mut *left[next - 1], &mut *right[0]);
            }
        }
        Ok(())
    });
    debug_assert!(outcome.is_ok(), "the visitor never fails");
}
