//! Constant memory: its contents never change once it is made, so that launches may rely on them.
//!
//! Invariant: whatever changes bytes of memory asks [`AnyMemory::check_writable`] first: copies, fills, launches, recorded commands,
//! messages, and whoever hands out a view to be written. The bytes are there before anybody has the memory. What writes through a
//! native handle or an address answers for that itself.

use super::{AnyMemory, Memory};
use crate::device::Device;
use crate::dtype::{DType, Element};
use crate::{Error, Result};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What is known of an allocation that nobody writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constant {
    contents: Option<Contents>,
}

/// The least and the greatest element of a whole allocation, as elements of a type.
#[derive(Clone, Copy, Debug)]
struct Contents {
    dtype: DType,
    ends: [i64; 2],
}

impl Device {
    /// Memory that holds a copy of `source` and never changes: whatever would write it is refused.
    ///
    /// Of integers the least and the greatest are found here, once, and launches know them: where such memory is passed for a
    /// `const` pointer and read for an index, as in `out[i] = a[idx[i]]`, a launch proves that the index is in range, and nothing
    /// is checked when the kernel runs. When this returns, the copy is done, for every stream.
    /// # Errors
    /// As [`malloc_from`](Self::malloc_from), failures of the work before it.
    pub fn malloc_constant_from<T: Element>(&self, source: &[T]) -> Result<Memory<T>> {
        let mut memory = self.malloc_from(source)?;
        self.stream().finish()?;
        let constant = Constant { contents: Contents::of(source) };
        match Arc::get_mut(&mut memory.untyped_mut().allocation) {
            Some(allocation) => allocation.constant = Some(constant),
            None => unreachable!("nobody else has memory that has just been made"),
        }
        Ok(memory)
    }
}

impl AnyMemory {
    /// Whether its contents never change: [`Device::malloc_constant_from`].
    pub fn is_constant(&self) -> bool {
        self.allocation.constant.is_some()
    }

    /// The least and the greatest element where that is known, of constant memory of integers. Those of a slice lie between those of
    /// the whole. `None` after a cast to another type.
    pub fn contents(&self) -> Option<RangeInclusive<i64>> {
        self.content_ends().map(|[lowest, highest]| lowest..=highest)
    }

    pub(crate) fn content_ends(&self) -> Option<[i64; 2]> {
        let contents = self.allocation.constant?.contents?;
        (contents.dtype == self.dtype).then_some(contents.ends)
    }

    /// Refuses constant memory. To be asked by whoever writes into memory in a way of its own: through its address, for instance.
    /// # Errors
    /// [`crate::ErrorKind::Invalid`].
    pub fn check_writable(&self) -> Result<()> {
        match self.is_constant() {
            true => Err(self.refuse_write()),
            false => Ok(()),
        }
    }

    #[cold]
    fn refuse_write(&self) -> Error {
        Error::invalid(format!("{self:?} is constant and cannot be written: write a copy of it (`duplicate`)"))
    }
}

impl<T: Element> Memory<T> {
    /// Whether its contents never change: [`Device::malloc_constant_from`].
    pub fn is_constant(&self) -> bool {
        self.untyped().is_constant()
    }
}

impl Contents {
    fn of<T: Element>(source: &[T]) -> Option<Self> {
        /// Elements that do not fit 64 bits with a sign are those of no index.
        fn ends<I: Element + Ord + TryInto<i64>, T: Element>(source: &[T]) -> Option<[i64; 2]> {
            let integers: &[I] = bytemuck::cast_slice(source);
            // One loop that compilers make vectors of.
            let first = *integers.first()?;
            let [least, most] = integers.iter().fold([first; 2], |[least, most], &x| [least.min(x), most.max(x)]);
            Some([least.try_into().ok()?, most.try_into().ok()?])
        }
        let ends = match T::DTYPE {
            DType::I8 => ends::<i8, T>(source),
            DType::U8 => ends::<u8, T>(source),
            DType::I16 => ends::<i16, T>(source),
            DType::U16 => ends::<u16, T>(source),
            DType::I32 => ends::<i32, T>(source),
            DType::U32 => ends::<u32, T>(source),
            DType::I64 => ends::<i64, T>(source),
            DType::U64 => ends::<u64, T>(source),
            _ => None,
        };
        ends.map(|ends| Self { dtype: T::DTYPE, ends })
    }
}
