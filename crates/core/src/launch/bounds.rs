//! Before a launch: whether its accesses lie within the memory that it was given, and its divisions have results.
//!
//! The compiler has found what must hold (`okl::signature::bounds`). The proof with the numbers of a launch takes
//! microseconds, so that the last numbers that it succeeded for are kept, and a launch with the same ones costs a
//! comparison. Invariant: whatever differs between two launches and may decide a proof is part of what is compared.

use okl::signature::bounds::{Bounds, Finding, Verdict, Within};
use okl::signature::{HostParams, NestSignature, ParameterKind, Signature};
use okl::value::ScalarValue;
use std::fmt::Write as _;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

/// What decides whether the accesses of a nest lie within their memory.
pub(super) struct NestBounds {
    /// What the requirements mention.
    sources: Box<[Source]>,
    proven: Memo,
    /// What the first launch that was not proven could not prove.
    obstacle: OnceLock<String>,
}

/// Where a number comes from that the requirements mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A scalar parameter.
    Param(u32),
    /// A host variable.
    Slot(u32),
    /// The bytes of the memory that is given for a parameter.
    Memory {
        param: u32,
        element_bytes: u64,
    },
    /// The least and the greatest element of the memory that is given for a parameter.
    Lowest(u32),
    Highest(u32),
}

impl NestBounds {
    pub(super) fn new(signature: &Signature, nest: &NestSignature) -> Self {
        let (mut params, mut slots, mut contents) = (Vec::new(), Vec::new(), Vec::new());
        for symbol in &nest.bounds.symbols {
            symbol.mentioned(&mut |param| params.push(param), &mut |slot| slots.push(slot));
            symbol.mentioned_contents(&mut |param| contents.push(param));
        }
        let memory = nest.bounds.requirements.iter().filter_map(|requirement| match requirement.within {
            Within::Memory(param) => Some(param),
            Within::Array(_) | Within::Type(_) | Within::Divisor { .. } => None,
        });
        let element_bytes = |param: u32| match &signature.params[param as usize].kind {
            ParameterKind::Pointer { element, .. } => element.bytes().max(1) as u64,
            _ => 1,
        };
        let memory = sorted(memory.collect());
        let memory = memory.iter().map(|&param| Source::Memory { param, element_bytes: element_bytes(param) });
        let (params, slots, contents) = (sorted(params), sorted(slots), sorted(contents));
        let contents = contents.iter().flat_map(|&param| [Source::Lowest(param), Source::Highest(param)]);
        let slots = slots.iter().map(|&slot| Source::Slot(slot));
        let sources: Box<[Source]> =
            params.iter().map(|&param| Source::Param(param)).chain(slots).chain(memory).chain(contents).collect();
        Self { proven: Memo::new(sources.len()), sources, obstacle: OnceLock::new() }
    }

    /// What stood in the way of the first launch that was not proven.
    pub(super) fn obstacle(&self) -> Option<&str> {
        self.obstacle.get().map(String::as_str)
    }

    /// Whether a replaced value of a parameter may change what is proven.
    pub(super) fn depends_on(&self, param: u32) -> bool {
        self.sources.contains(&Source::Param(param))
    }

    /// Whether the accesses lie within their memory: proven, or not known.
    /// `bytes` gives the size of the memory passed for a parameter, zero for null.
    /// # Errors
    /// The access that lies outside for certain, if there is one.
    #[inline]
    pub(super) fn are_proven(
        &self,
        bounds: &Bounds,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
        bytes: impl Fn(u32) -> u64,
    ) -> Result<bool, Finding> {
        if bounds.requirements.is_empty() {
            return Ok(true);
        }
        // A slice's own iterator: nothing that has several parts is compared as fast.
        let number = |source: &Source| match *source {
            Source::Param(param) => params.bits(param),
            Source::Slot(slot) => slots.get(slot as usize).map_or(0, |value| value.bits()),
            Source::Memory { param, .. } => bytes(param),
            // The least is greater than the greatest where they are not known.
            Source::Lowest(param) => params.contents(param).map_or(i64::MAX, |[lowest, _]| lowest).cast_unsigned(),
            Source::Highest(param) => params.contents(param).map_or(i64::MIN, |[_, highest]| highest).cast_unsigned(),
        };
        match self.proven.get(self.sources.iter().map(number)) {
            Some(is_proven) => Ok(is_proven),
            None => self.prove(bounds, params, slots, &bytes, self.sources.iter().map(number)),
        }
    }

    #[cold]
    fn prove(
        &self,
        bounds: &Bounds,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
        bytes: &dyn Fn(u32) -> u64,
        numbers: impl Iterator<Item = u64>,
    ) -> Result<bool, Finding> {
        let element_bytes = |of: u32| {
            let size = |source: &Source| match *source {
                Source::Memory { param, element_bytes } if param == of => Some(element_bytes),
                _ => None,
            };
            self.sources.iter().find_map(size).unwrap_or(1)
        };
        let is_proven = match bounds.check(params, slots, &|param| bytes(param) / element_bytes(param)) {
            Verdict::Violated(finding) => return Err(finding),
            Verdict::Proven => true,
            Verdict::Unproven(finding) => {
                let access = finding.access(bounds);
                let _ = self.obstacle.set(match access.name.as_str() {
                    "" => format!("that the number at {} fits its type", access.at),
                    name => format!("that `{name}` at {} is in range", access.at),
                });
                false
            }
        };
        self.proven.keep(numbers, is_proven);
        Ok(is_proven)
    }
}

/// A finding as a sentence.
pub(super) fn describe(bounds: &Bounds, finding: &Finding) -> String {
    let access = finding.access(bounds);
    let mut text = String::new();
    let at = if access.at.is_empty() { String::new() } else { format!(" ({})", access.at) };
    if is_division(bounds, finding) {
        return format!("it would divide by zero in `{}`{at}", access.name);
    }
    match finding.index {
        Some(index) => drop(write!(text, "it would access element {index} of `{}`{at}", access.name)),
        None => drop(write!(text, "it would access `{}` out of range{at}", access.name)),
    }
    match finding.length {
        Some(0) => text.push_str(", which is null or empty"),
        Some(1) => text.push_str(", which has 1 element"),
        Some(length) => drop(write!(text, ", which has {length} elements")),
        None => {}
    }
    text
}

/// Whether a finding is of a division.
pub(super) fn is_division(bounds: &Bounds, finding: &Finding) -> bool {
    matches!(bounds.requirements[finding.requirement].within, Within::Divisor { .. })
}

pub(super) fn sorted(mut all: Vec<u32>) -> Box<[u32]> {
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// An answer for some numbers, which many threads compare with theirs, and some replace: a sequence lock.
struct Memo {
    /// Odd while somebody writes; zero before the first time.
    version: AtomicU64,
    numbers: Box<[AtomicU64]>,
    answer: AtomicBool,
}

impl Memo {
    fn new(length: usize) -> Self {
        let numbers = (0..length).map(|_| AtomicU64::new(0)).collect();
        Self { version: AtomicU64::new(0), numbers, answer: AtomicBool::new(false) }
    }

    /// The answer, where these numbers are the ones that were kept last.
    #[inline]
    fn get(&self, numbers: impl Iterator<Item = u64>) -> Option<bool> {
        let version = self.version.load(Ordering::Acquire);
        if version == 0 || !version.is_multiple_of(2) {
            return None;
        }
        let same = self.numbers.iter().zip(numbers).all(|(kept, number)| kept.load(Ordering::Relaxed) == number);
        let answer = self.answer.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        (same && self.version.load(Ordering::Relaxed) == version).then_some(answer)
    }

    /// Keeps these numbers with their answer, unless another thread is keeping its own.
    fn keep(&self, numbers: impl Iterator<Item = u64>, answer: bool) {
        let version = self.version.load(Ordering::Relaxed);
        let is_mine = version.is_multiple_of(2)
            && self.version.compare_exchange(version, version + 1, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if !is_mine {
            return;
        }
        fence(Ordering::Release);
        for (kept, number) in self.numbers.iter().zip(numbers) {
            kept.store(number, Ordering::Relaxed);
        }
        self.answer.store(answer, Ordering::Relaxed);
        self.version.store(version + 2, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_holds_what_was_kept_last() {
        let memo = Memo::new(2);
        let get = |a, b| memo.get([a, b].into_iter());
        assert_eq!(get(0, 0), None, "nothing was kept yet");
        memo.keep([3, 4].into_iter(), true);
        assert_eq!([get(3, 4), get(3, 5)], [Some(true), None]);
        memo.keep([3, 5].into_iter(), false);
        assert_eq!([get(3, 5), get(3, 4)], [Some(false), None]);
    }

    #[test]
    fn threads_never_see_a_mixture() {
        let memo = Memo::new(2);
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let memo = &memo;
                scope.spawn(move || {
                    for round in 0..if cfg!(miri) { 100 } else { 20_000 } {
                        let (number, other) = ((thread + round) % 2, (thread + round + 1) % 2);
                        memo.keep([number, number].into_iter(), number == 0);
                        assert_eq!(memo.get([number, other].into_iter()), None);
                        assert_ne!(memo.get([number, number].into_iter()), Some(number != 0));
                    }
                });
            }
        });
    }
}
