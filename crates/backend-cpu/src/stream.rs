//! Streams and tags. A stream does its work when it is asked, so that `finish` and `wait` have nothing to wait for.

use crate::error;
use crate::team::Team;
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, BackendStream, BackendTag};
use std::any::Any;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes from which on a copy or fill is shared by the team: below, one core's caches are as fast.
const SHARED_BYTES: usize = 1 << 20;

/// Unit in which a copy is split: a page, so that no two threads write to one.
const SPLIT_BYTES: usize = 4096;

/// A stream of a CPU device.
pub(crate) struct CpuStream {
    team: Option<Arc<Team>>,
}

impl CpuStream {
    /// A stream whose large copies are shared by `team`.
    pub(crate) fn new(team: Option<Arc<Team>>) -> Self {
        Self { team }
    }

    /// Runs `body` over byte ranges that partition `0..bytes`, whose inner boundaries are multiples of `unit`.
    fn split(&self, bytes: usize, unit: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
        match &self.team {
            Some(team) if bytes >= SHARED_BYTES => {
                let units = bytes.div_ceil(unit) as u64;
                team.run(units, team.threads(), 4, &|range| {
                    body(range.start as usize * unit..(range.end as usize * unit).min(bytes));
                });
            }
            _ => body(0..bytes),
        }
    }

    /// Copies between ranges that may overlap.
    pub(crate) fn copy_bytes(&self, to: Address, from: Address, bytes: usize) {
        // Wrapped memory may overlap other memory too, so that the addresses decide, not the objects.
        if to.0.addr().abs_diff(from.0.addr()) < bytes {
            // SAFETY: core has checked both ranges; `copy` allows them to overlap.
            unsafe { std::ptr::copy(from.0, to.0, bytes) };
        } else {
            self.copy_disjoint(to, from, bytes);
        }
    }

    /// Repeats a pattern over `bytes`, a multiple of its length.
    pub(crate) fn fill_bytes(&self, address: Address, bytes: usize, pattern: &[u8]) -> Result<()> {
        if pattern.is_empty() || !bytes.is_multiple_of(pattern.len()) {
            return Err(error::internal(format!("a fill of {bytes} bytes by a pattern of {}", pattern.len())));
        }
        // Whole patterns in each part, and no more parts than pages.
        let unit = pattern.len() * (SPLIT_BYTES / pattern.len()).max(1);
        self.split(bytes, unit, &|range| {
            // SAFETY: core has checked the range, and the ranges of a partition are disjoint.
            unsafe { repeat(address.at(range.start), range.len(), pattern) };
        });
        Ok(())
    }

    /// Copies between ranges that do not overlap.
    fn copy_disjoint(&self, destination: Address, source: Address, bytes: usize) {
        self.split(bytes, SPLIT_BYTES, &|range| {
            // SAFETY: the caller of `copy_in`, `copy_out` or `copy` vouches for both ranges (core has checked them), and
            // the ranges of a partition are disjoint.
            unsafe {
                std::ptr::copy_nonoverlapping(source.at(range.start), destination.at(range.start), range.len());
            }
        });
    }
}

/// An address that may be sent to the team's threads.
#[derive(Clone, Copy)]
pub(crate) struct Address(*mut u8);

// SAFETY: it is only a number until it is used, and every use states why it is sound.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    pub(crate) fn of(memory: &dyn BackendMemory, offset: usize) -> Result<Self> {
        match memory.mapped() {
            Some(pointer) => Ok(Self(pointer.as_ptr().wrapping_add(offset))),
            None => Err(error::internal("memory without a host address reached a CPU stream")),
        }
    }

    /// The address `offset` bytes further.
    pub(crate) fn plus(self, offset: usize) -> Self {
        Self(self.at(offset))
    }

    /// Copies on this thread, between ranges that may overlap.
    ///
    /// # Safety
    /// Both ranges lie in their memory.
    pub(crate) unsafe fn copy_here(self, from: Self, bytes: usize) {
        // SAFETY: by the caller.
        unsafe { std::ptr::copy(from.0, self.0, bytes) };
    }

    /// Repeats a pattern on this thread.
    ///
    /// # Safety
    /// The range lies in its memory; `bytes` is a multiple of the pattern's length, which is not 0.
    pub(crate) unsafe fn fill_here(self, bytes: usize, pattern: &[u8]) {
        // SAFETY: by the caller.
        unsafe { repeat(self.0, bytes, pattern) };
    }

    fn at(self, offset: usize) -> *mut u8 {
        self.0.wrapping_add(offset)
    }
}

impl BackendStream for CpuStream {
    fn handle(&self) -> u64 {
        0
    }

    /// A library of the host works at once, as everything does here.
    fn queue_native(&self, work: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        work(0)
    }

    fn copy_in(&self, destination: &dyn BackendMemory, offset: usize, source: &[u8]) -> Result<()> {
        let source_address = Address(source.as_ptr().cast_mut());
        self.copy_disjoint(Address::of(destination, offset)?, source_address, source.len());
        Ok(())
    }

    fn copy_out(&self, source: &dyn BackendMemory, offset: usize, destination: &mut [u8]) -> Result<()> {
        self.copy_disjoint(Address(destination.as_mut_ptr()), Address::of(source, offset)?, destination.len());
        Ok(())
    }

    fn copy(
        &self,
        destination: &dyn BackendMemory,
        destination_offset: usize,
        source: &dyn BackendMemory,
        source_offset: usize,
        bytes: usize,
    ) -> Result<()> {
        let (to, from) = (Address::of(destination, destination_offset)?, Address::of(source, source_offset)?);
        self.copy_bytes(to, from, bytes);
        Ok(())
    }

    fn fill(&self, destination: &dyn BackendMemory, offset: usize, bytes: usize, pattern: &[u8]) -> Result<()> {
        self.fill_bytes(Address::of(destination, offset)?, bytes, pattern)
    }

    fn tag(&self) -> Result<Arc<dyn BackendTag>> {
        Ok(Arc::new(CpuTag(Instant::now())))
    }

    fn wait(&self, _tag: &dyn BackendTag) -> Result<()> {
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        Ok(())
    }

    fn finish_within(&self, _limit: Duration) -> Result<bool> {
        Ok(true)
    }
}

/// Writes `pattern` over and over.
///
/// # Safety
/// `bytes` from `to` on may be written; `bytes` is a multiple of the pattern's length.
unsafe fn repeat(to: *mut u8, bytes: usize, pattern: &[u8]) {
    if pattern.iter().all(|byte| *byte == pattern[0]) {
        // SAFETY: by the caller.
        return unsafe { to.write_bytes(pattern[0], bytes) };
    }
    if let Ok(pattern) = <[u8; 8]>::try_from(pattern) {
        for index in 0..bytes / 8 {
            // SAFETY: by the caller; the address need not be aligned.
            unsafe { to.add(index * 8).cast::<[u8; 8]>().write_unaligned(pattern) };
        }
        return;
    }
    let mut done = pattern.len().min(bytes);
    // SAFETY: by the caller; what is done is a whole number of patterns, and source and destination are disjoint.
    unsafe {
        std::ptr::copy_nonoverlapping(pattern.as_ptr(), to, done);
        while done < bytes {
            // A block stays in the first cache, so that only the destination's lines travel.
            let block = (pattern.len() * (SPLIT_BYTES / pattern.len()).max(1)).min(done).min(bytes - done);
            std::ptr::copy_nonoverlapping(to, to.add(done), block);
            done += block;
        }
    }
}

/// A point in time: what was queued before it is done.
pub(crate) struct CpuTag(Instant);

impl BackendTag for CpuTag {
    fn wait(&self) -> Result<()> {
        Ok(())
    }

    fn is_reached(&self) -> Result<bool> {
        Ok(true)
    }

    fn elapsed_ms(&self, earlier: &dyn BackendTag) -> Result<f64> {
        let Some(Self(begin)) = (earlier as &dyn Any).downcast_ref() else {
            return Err(error::internal("a tag of another backend reached a CPU tag"));
        };
        let forward = self.0.saturating_duration_since(*begin).as_secs_f64();
        let backward = begin.saturating_duration_since(self.0).as_secs_f64();
        Ok((forward - backward) * 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::CpuMemory;

    fn streams() -> [CpuStream; 2] {
        [CpuStream::new(None), CpuStream::new(Some(Arc::new(Team::own(3).expect("threads start"))))]
    }

    #[allow(clippy::mut_from_ref)]
    fn bytes(memory: &CpuMemory) -> &mut [u8] {
        let pointer = memory.mapped().expect("host memory").as_ptr();
        // SAFETY: all of it is initialised; the tests use one slice at a time.
        unsafe { std::slice::from_raw_parts_mut(pointer, memory.bytes()) }
    }

    #[test]
    fn copies_go_where_they_are_sent() {
        for stream in streams() {
            for len in [0, 1, 1000, 3 * SHARED_BYTES + 17] {
                let data: Vec<u8> = (0..len).map(|i| (i * 7 % 251) as u8).collect();
                let memory = CpuMemory::allocate(len + 5, None).expect("there is memory");
                let other = CpuMemory::allocate(len + 9, None).expect("there is memory");
                stream.copy_in(&memory, 5, &data).expect("it copies");
                stream.copy(&other, 2, &memory, 5, len).expect("it copies");
                let mut back = vec![0; len];
                stream.copy_out(&other, 2, &mut back).expect("it copies");
                assert!(back == data);
                assert_eq!(bytes(&other)[..2], [0; 2]);
                assert_eq!(bytes(&other)[len + 2..], [0; 7]);
            }
        }
    }

    #[test]
    fn overlapping_copies_move() {
        for stream in streams() {
            for (len, from, to) in
                [(100, 0, 3), (100, 3, 0), (2 * SHARED_BYTES, 0, 8), (2 * SHARED_BYTES, 8, 0), (9, 4, 4)]
            {
                let memory = CpuMemory::allocate(len + 16, None).expect("there is memory");
                bytes(&memory).iter_mut().enumerate().for_each(|(i, b)| *b = (i * 7 % 251) as u8);
                let mut expected = bytes(&memory).to_vec();
                expected.copy_within(from..from + len, to);
                stream.copy(&memory, to, &memory, from, len).expect("it copies");
                assert!(bytes(&memory) == expected);
            }
        }
    }

    #[test]
    fn fills_repeat_every_pattern() {
        for stream in streams() {
            for width in [1, 2, 3, 4, 8, 12, 16, 24, 5000] {
                for (count, same) in
                    [(0, false), (1, false), (3, true), (1001, false), (2 * SHARED_BYTES / width + 3, false)]
                {
                    let pattern: Vec<u8> = (0..width).map(|i| if same { 7 } else { (i % 250 + 1) as u8 }).collect();
                    let memory = CpuMemory::allocate(width * count + 6, None).expect("there is memory");
                    stream.fill(&memory, 3, width * count, &pattern).expect("it fills");
                    let expected = [vec![0; 3], pattern.repeat(count), vec![0; 3]].concat();
                    assert!(bytes(&memory) == expected, "width {width}, count {count}");
                }
            }
        }
    }

    #[test]
    fn tags_tell_time_in_milliseconds() {
        let stream = CpuStream::new(None);
        let first = stream.tag().expect("a tag");
        std::thread::sleep(std::time::Duration::from_millis(20));
        let second = stream.tag().expect("a tag");
        let elapsed = second.elapsed_ms(&*first).expect("both are ours");
        assert!((20.0..10_000.0).contains(&elapsed), "{elapsed}");
        assert_eq!(first.elapsed_ms(&*second).expect("both are ours"), -elapsed);
        assert_eq!(first.elapsed_ms(&*first).expect("both are ours"), 0.0);
    }
}
