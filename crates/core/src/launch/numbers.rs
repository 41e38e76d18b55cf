//! The arguments of one launch, with the numbers that were converted to the kernel's types.

use super::{INLINE, contents_of};
use crate::arguments::{Arg, ArgKind};
use crate::number::Number;
use okl::signature::HostParams;
use okl::value::ScalarValue;
use smallvec::SmallVec;

/// Arguments, and what replaces some of them.
pub(super) struct Numbers<'a> {
    /// As the caller gave them.
    pub(super) given: &'a [Arg<'a>],
    /// Numbers of another type than their parameter's: position, and the same value in that type.
    pub(super) converted: SmallVec<[(u32, Number); INLINE]>,
    /// Elements of memory, by position, where the kernel sees others than the caller: vectors.
    pub(super) lengths: SmallVec<[(u32, u64); INLINE]>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(given: &'a [Arg<'a>]) -> Self {
        Self { given, converted: SmallVec::new(), lengths: SmallVec::new() }
    }

    /// The number at a position, in its parameter's type; `None` where there is no number.
    #[inline]
    pub(super) fn get(&self, position: u32) -> Option<&Number> {
        if !self.converted.is_empty()
            && let Some((_, number)) = self.converted.iter().find(|(p, _)| *p == position)
        {
            return Some(number);
        }
        match &self.given.get(position as usize)?.0 {
            ArgKind::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl HostParams for Numbers<'_> {
    fn scalar(&self, position: u32) -> Option<ScalarValue> {
        self.get(position).map(Number::value)
    }

    #[inline]
    fn bits(&self, position: u32) -> u64 {
        self.get(position).map_or(0, Number::bits)
    }

    fn length(&self, position: u32) -> Option<u64> {
        if let Some((_, length)) = self.lengths.iter().find(|(p, _)| *p == position) {
            return Some(*length);
        }
        match &self.given.get(position as usize)?.0 {
            ArgKind::Memory { memory, .. } => Some(memory.len() as u64),
            ArgKind::Null => Some(0),
            _ => None,
        }
    }

    #[inline]
    fn contents(&self, position: u32) -> Option<[i64; 2]> {
        contents_of(self.given.get(position as usize)?)
    }
}
