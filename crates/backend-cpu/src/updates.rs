//! Launches that update memory of several groups atomically.
//!
//! An atomic instruction costs several nanoseconds where nobody else has the memory, and a hundred where two threads want the same
//! line of the cache. So the thread of a launch that is [`alone`] updates as if there were no others. Where several threads take part,
//! a range of groups may do so in copies of the memory that the thread then combines with it, if the order of the updates does not
//! matter: [`Copies`]. What is left takes atomic instructions.

use crate::memory::{ALIGNMENT, Scratch};
use okl::back::cpu::Copied;
use okl::ir::{AtomicOp, Scalar};
use std::cell::RefCell;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Most arguments of which a kernel's threads have copies.
const MAX_COPIES: usize = 4;

/// Most bytes of these: more would leave no room in the second cache for what is counted.
const MAX_BYTES: usize = 256 * 1024;

/// Fewest items that are to update a copy, for each of its elements: it has to be cleared and combined.
const ITEMS_PER_ELEMENT: u64 = 4;

/// Arguments that fit on the stack.
const FEW: usize = 32;

/// Locked by launches that update memory: for all of them, or for one alone. Of the whole process, because devices may share memory.
static UPDATES: RwLock<()> = RwLock::new(());

/// The right to update memory by plain loads and stores; `None` while another launch updates any.
pub(crate) fn alone() -> Option<RwLockWriteGuard<'static, ()>> {
    match UPDATES.try_write() {
        Ok(guard) => Some(guard),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(std::sync::TryLockError::WouldBlock) => None,
    }
}

/// The right to update memory by atomic instructions; waits for a launch that is alone. Whoever has it may ask again: nobody queues to
/// be alone.
pub(crate) fn together() -> RwLockReadGuard<'static, ()> {
    UPDATES.read().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static COPIES: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

/// Memory of which each thread may have a copy during a launch.
#[derive(Clone, Copy)]
pub(crate) struct Copies {
    /// Bytes of each, in the order of [`okl::back::cpu::Updates::copies`].
    bytes: [usize; MAX_COPIES],
    elements: u64,
}

impl Copies {
    /// `None` where copies are not worth it, or where an argument shows the same memory as another one. `bytes` tells the length of
    /// an argument's memory.
    pub(crate) fn new(of: &[Copied], arguments: &[*const c_void], bytes: impl Fn(usize) -> usize) -> Option<Self> {
        if of.is_empty() || of.len() > MAX_COPIES {
            return None;
        }
        let mut copies = Self { bytes: [0; MAX_COPIES], elements: 0 };
        for (copied, place) in of.iter().zip(&mut copies.bytes) {
            *place = bytes(copied.argument);
            if *place == 0 || *place > MAX_BYTES {
                return None;
            }
            copies.elements += (*place / copied.scalar.bytes()) as u64;
            let range = |argument: usize| -> Range<usize> {
                let start = arguments[argument].addr();
                start..start.saturating_add(bytes(argument))
            };
            let own = range(copied.argument);
            let mut others = (0..arguments.len()).filter(|&argument| argument != copied.argument).map(range);
            if others.any(|other| other.start < own.end && own.start < other.end) {
                return None;
            }
        }
        (copies.bytes.iter().sum::<usize>() <= MAX_BYTES).then_some(copies)
    }

    /// Whether it is worth it for so many items.
    pub(crate) fn pay(&self, items: u64) -> bool {
        items / ITEMS_PER_ELEMENT >= self.elements
    }

    /// Calls `run` with arguments in which this thread's copies stand for the memory, and combines them with it. False, and nothing
    /// is called, where there is no memory for copies.
    ///
    /// # Safety
    /// The copies were made for these arguments, which are a launch's.
    pub(crate) unsafe fn run(
        &self,
        of: &[Copied],
        arguments: &[*const c_void],
        run: impl FnOnce(&[*const c_void]),
    ) -> bool {
        let starts = |base: *mut u8| {
            let mut start = 0;
            self.bytes.map(|bytes| {
                let this = base.wrapping_add(start);
                start += bytes.next_multiple_of(ALIGNMENT);
                this
            })
        };
        let total = self.bytes.iter().map(|bytes| bytes.next_multiple_of(ALIGNMENT)).sum();
        let on_copies = |scratch: &mut Scratch| {
            let Ok(base) = scratch.get(total) else { return false };
            let starts = starts(base);
            let (mut few, mut many) = ([std::ptr::null(); FEW], Vec::new());
            let own = match few.get_mut(..arguments.len()) {
                Some(few) => few,
                None => {
                    many.resize(arguments.len(), std::ptr::null());
                    &mut many[..]
                }
            };
            own.copy_from_slice(arguments);
            let parts = || of.iter().zip(starts).zip(self.bytes);
            for ((copied, start), bytes) in parts() {
                // SAFETY: `total` bytes were allocated for the copies, which lie there one behind the other.
                unsafe { Elements::of(copied.scalar).clear(copied.op, start, bytes) };
                own[copied.argument] = start.cast_const().cast();
            }
            run(own);
            for ((copied, start), bytes) in parts() {
                let memory = arguments[copied.argument].cast_mut().cast();
                // SAFETY: as above; the memory has as many bytes as its copy, by the caller.
                unsafe { Elements::of(copied.scalar).combine(copied.op, start, memory, bytes) };
            }
            true
        };
        // In the destructor of another thread-local it may have gone.
        let gone = COPIES.try_with(|_| ()).is_err();
        !gone && COPIES.with_borrow_mut(on_copies)
    }
}

/// How copies of one type are made and combined: the bytes of a copy, and its first one.
struct Elements {
    clear: unsafe fn(AtomicOp, *mut u8, usize),
    combine: unsafe fn(AtomicOp, *const u8, *mut u8, usize),
}

impl Elements {
    fn of(scalar: Scalar) -> Self {
        match scalar {
            Scalar::I32 => i32::elements(),
            Scalar::I64 => i64::elements(),
            Scalar::U32 => u32::elements(),
            Scalar::U64 => u64::elements(),
            other => unreachable!("copies of {other:?}"),
        }
    }

    unsafe fn clear(&self, op: AtomicOp, copy: *mut u8, bytes: usize) {
        // SAFETY: by the caller, as for `Integer::clear`.
        unsafe { (self.clear)(op, copy, bytes) };
    }

    unsafe fn combine(&self, op: AtomicOp, copy: *const u8, memory: *mut u8, bytes: usize) {
        // SAFETY: by the caller, as for `Integer::combine`.
        unsafe { (self.combine)(op, copy, memory, bytes) };
    }
}

trait Integer: Copy + PartialEq {
    /// What changes nothing when it is combined.
    fn identity(op: AtomicOp) -> Self;

    /// Combines a value with an element.
    ///
    /// # Safety
    /// `at` is aligned, and may be written; others update it atomically alone.
    unsafe fn update(op: AtomicOp, at: *mut Self, value: Self);

    fn elements() -> Elements {
        Elements { clear: Self::clear, combine: Self::combine }
    }

    /// # Safety
    /// So many bytes of whole elements lie at `copy`, aligned, for this thread alone.
    unsafe fn clear(op: AtomicOp, copy: *mut u8, bytes: usize) {
        for element in 0..bytes / size_of::<Self>() {
            // SAFETY: by the caller.
            unsafe { copy.cast::<Self>().add(element).write(Self::identity(op)) };
        }
    }

    /// # Safety
    /// As for [`clear`](Self::clear), and `memory` has as many, which others update atomically alone.
    unsafe fn combine(op: AtomicOp, copy: *const u8, memory: *mut u8, bytes: usize) {
        for element in 0..bytes / size_of::<Self>() {
            // SAFETY: by the caller.
            let value = unsafe { copy.cast::<Self>().add(element).read() };
            if value != Self::identity(op) {
                // SAFETY: by the caller.
                unsafe { Self::update(op, memory.cast::<Self>().add(element), value) };
            }
        }
    }
}

macro_rules! integer {
    ($($ty:ident as $atomic:ident,)*) => {$(
        impl Integer for $ty {
            fn identity(op: AtomicOp) -> Self {
                match op {
                    AtomicOp::Min => Self::MAX,
                    AtomicOp::Max => Self::MIN,
                    AtomicOp::And => !0,
                    _ => 0,
                }
            }

            unsafe fn update(op: AtomicOp, at: *mut Self, value: Self) {
                // SAFETY: by the caller.
                let at = unsafe { $atomic::from_ptr(at) };
                match op {
                    AtomicOp::Min => at.fetch_min(value, Ordering::Relaxed),
                    AtomicOp::Max => at.fetch_max(value, Ordering::Relaxed),
                    AtomicOp::And => at.fetch_and(value, Ordering::Relaxed),
                    AtomicOp::Or => at.fetch_or(value, Ordering::Relaxed),
                    AtomicOp::Xor => at.fetch_xor(value, Ordering::Relaxed),
                    _ => at.fetch_add(value, Ordering::Relaxed),
                };
            }
        }
    )*};
}
integer! {
    i32 as AtomicI32,
    i64 as AtomicI64,
    u32 as AtomicU32,
    u64 as AtomicU64,
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPIED: Copied = Copied { argument: 1, op: AtomicOp::Add, scalar: Scalar::U32 };

    #[test]
    fn memory_that_two_arguments_show_has_no_copy() {
        let memory = [0_u32; 16];
        let at = |element: usize| memory.as_ptr().wrapping_add(element).cast::<c_void>();
        let copies = |arguments: &[*const c_void], bytes: usize| Copies::new(&[COPIED], arguments, |_| bytes).is_some();
        assert!(copies(&[at(0), at(8)], 32));
        assert!(!copies(&[at(0), at(7)], 32));
        assert!(!copies(&[at(15), at(8)], 32));
        assert!(copies(&[at(0), at(8), std::ptr::null()], 32));
        assert!(!copies(&[at(0), at(8), at(8)], 32));
        assert!(!copies(&[std::ptr::null(), at(0)], 0), "nothing to copy");
        assert!(!copies(&[std::ptr::null(), at(0)], MAX_BYTES + 4), "too much");
    }

    #[test]
    fn copies_pay_for_four_items_an_element() {
        let memory = [0_u32; 8];
        let copies = Copies::new(&[COPIED], &[std::ptr::null(), memory.as_ptr().cast()], |k| 32 * k).expect("they do");
        assert!(!copies.pay(31));
        assert!(copies.pay(32));
    }

    #[test]
    fn one_launch_is_alone_or_several_are_together() {
        // Other tests may launch at the same time, so that only what one guard excludes can be told.
        let guard = together();
        assert!(alone().is_none());
        drop((together(), guard));
    }
}
