//! Host memory: aligned, zeroed, its pages touched first by the threads that will use them.

use crate::team::Team;
use crate::{error, processor};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, NativeHandle};
use memmap2::{MmapMut, MmapOptions};
use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Alignment of every allocation in bytes: a cache line, and the widest vector register.
pub(crate) const ALIGNMENT: usize = 64;

/// From this size on memory comes as pages of its own, so that each is placed where its thread runs.
const OWN_PAGES: usize = 1 << 20;

/// Size and alignment of a huge page, which saves most misses of the address translation on large arrays.
const HUGE_PAGE: usize = 2 << 20;

/// Large arrays begin at different distances from a page's boundary. When all begin at one, a load from one array that
/// follows a store to another at the same place has the same low 12 address bits, and processors let it wait for the
/// store: 10 % of a three-point update's time in cache. An odd number of cache lines, so that 64 arrays differ.
const STAGGER: usize = 17 * ALIGNMENT;

/// Arrays after which the distances repeat, so that the slack stays small.
const STAGGERED: usize = 16;

/// From this size on the system is asked how much it has, because it hands out pages that it cannot back.
const ASK_FIRST: usize = 64 << 20;

/// Memory of a device of this backend.
pub(crate) struct CpuMemory {
    pointer: NonNull<u8>,
    bytes: usize,
    storage: Storage,
}

enum Storage {
    Heap(Layout),
    /// Kept for its drop: it unmaps.
    Pages(#[allow(dead_code)] MmapMut),
    Foreign,
}

// SAFETY: it is plain memory; who reads and writes it when is decided by the kernels and by core's borrow rules.
unsafe impl Send for CpuMemory {}
// SAFETY: as above; this type itself never changes after it was made.
unsafe impl Sync for CpuMemory {}

impl CpuMemory {
    /// `bytes` > 0 of zeroed memory; with a team, each member touches its share of the pages first.
    pub(crate) fn allocate(bytes: usize, team: Option<&Team>) -> Result<Self> {
        if bytes >= ASK_FIRST {
            let free = processor::memory().free;
            if bytes as u64 > free {
                return Err(error::out_of_memory(bytes, Some(free)));
            }
        }
        let exhausted = || error::out_of_memory(bytes, Some(processor::memory().free));
        if bytes < OWN_PAGES {
            let layout = Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| exhausted())?;
            // SAFETY: `bytes` > 0 by the contract of `BackendDevice::allocate`.
            let pointer = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).ok_or_else(exhausted)?;
            return Ok(Self { pointer, bytes, storage: Storage::Heap(layout) });
        }
        // A mapping begins at any page; the slack up to a huge page's boundary is never touched and costs nothing.
        let length = bytes
            .checked_add(HUGE_PAGE + STAGGER * STAGGERED)
            .filter(|&l| isize::try_from(l).is_ok())
            .ok_or_else(exhausted)?;
        let mut pages = MmapOptions::new().len(length).map_anon().map_err(|_| exhausted())?;
        #[cfg(target_os = "linux")]
        // Only a wish: a system without huge pages answers with an error and gives small ones.
        let _ = pages.advise(memmap2::Advice::HugePage);
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let stagger = COUNT.fetch_add(1, Ordering::Relaxed) % STAGGERED * STAGGER;
        let slack = pages.as_ptr().align_offset(HUGE_PAGE) + stagger;
        let pointer = NonNull::from(&mut pages[slack..slack + bytes]).cast::<u8>();
        touch(pointer, bytes, team);
        Ok(Self { pointer, bytes, storage: Storage::Pages(pages) })
    }

    /// Memory that somebody else owns.
    ///
    /// # Safety
    /// `address` is `bytes` of readable and writable memory for as long as the result lives.
    pub(crate) unsafe fn wrap(address: u64, bytes: usize) -> Result<Self> {
        let pointer =
            usize::try_from(address).ok().and_then(|a| NonNull::new(std::ptr::with_exposed_provenance_mut(a)));
        let pointer =
            pointer.ok_or_else(|| ferrocca_core::Error::invalid("a null pointer cannot be wrapped as memory"))?;
        Ok(Self { pointer, bytes, storage: Storage::Foreign })
    }
}

/// Writes to every page, each member of the team to its share.
fn touch(pointer: NonNull<u8>, bytes: usize, team: Option<&Team>) {
    /// The smallest page of any system; a larger one is touched more than once, which is cheap.
    const PAGE: usize = 4096;
    let address = pointer.expose_provenance().get();
    let body = |range: std::ops::Range<u64>| {
        for page in range {
            let byte = std::ptr::with_exposed_provenance_mut::<u8>(address + page as usize * PAGE);
            // SAFETY: it lies in the fresh mapping, which nobody else knows yet; volatile, so that the write is made.
            unsafe { byte.write_volatile(0) };
        }
    };
    let pages = bytes.div_ceil(PAGE) as u64;
    match team {
        Some(team) => team.run(pages, team.threads(), 1, &body),
        None => body(0..pages),
    }
}

impl Drop for CpuMemory {
    fn drop(&mut self) {
        if let Storage::Heap(layout) = self.storage {
            // SAFETY: it was allocated with this layout and is freed once.
            unsafe { std::alloc::dealloc(self.pointer.as_ptr(), layout) };
        }
    }
}

impl BackendMemory for CpuMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        NativeHandle::host(self.pointer.expose_provenance().get() as u64)
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        Some(self.pointer)
    }
}

/// A thread's own memory that grows on demand and is kept: its contents are lost when it grows.
pub(crate) struct Scratch {
    memory: Option<CpuMemory>,
}

impl Scratch {
    /// Nothing yet.
    pub(crate) const fn new() -> Self {
        Self { memory: None }
    }

    /// At least `bytes`, aligned to [`ALIGNMENT`]; null when `bytes` is 0.
    pub(crate) fn get(&mut self, bytes: usize) -> Result<*mut u8> {
        if bytes == 0 {
            return Ok(std::ptr::null_mut());
        }
        if self.memory.as_ref().is_none_or(|memory| memory.bytes < bytes) {
            // The old memory goes first, so that the two are never held together.
            self.memory = None;
            self.memory = Some(CpuMemory::allocate(bytes.checked_next_power_of_two().unwrap_or(bytes), None)?);
        }
        Ok(self.memory.as_ref().map_or(std::ptr::null_mut(), |memory| memory.pointer.as_ptr()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrocca_core::ErrorKind;

    #[test]
    fn memory_is_aligned_and_zeroed_at_every_size() {
        let team = Team::own(2).expect("threads start");
        for bytes in [1, 63, 64, 4096, OWN_PAGES - 1, OWN_PAGES, OWN_PAGES + 1, 5 * HUGE_PAGE + 3] {
            let memory = CpuMemory::allocate(bytes, Some(&team)).expect("there is memory");
            assert_eq!(memory.bytes(), bytes);
            assert_eq!(memory.pointer.as_ptr().align_offset(ALIGNMENT), 0);
            // SAFETY: the memory has `bytes` initialised bytes, and nobody else knows it.
            let slice = unsafe { std::slice::from_raw_parts_mut(memory.pointer.as_ptr(), bytes) };
            assert!(slice.iter().all(|&b| b == 0));
            slice.fill(0xff);
        }
    }

    #[test]
    fn too_much_memory_is_an_error() {
        for bytes in [1 << 50, isize::MAX as usize - 10, isize::MAX as usize, usize::MAX] {
            let error = CpuMemory::allocate(bytes, None).map(|_| ()).expect_err("no machine has it");
            let ErrorKind::OutOfMemory { requested, free: Some(free) } = error.kind() else { panic!("{error:?}") };
            assert_eq!(*requested, bytes as u64);
            assert!(*free > 0 && *free < *requested);
        }
    }

    #[test]
    fn wrapped_memory_is_the_callers() {
        let mut mine = [1_u8, 2, 3];
        // SAFETY: `mine` outlives `memory`.
        let memory = unsafe { CpuMemory::wrap(mine.as_mut_ptr().expose_provenance() as u64, 3) }.expect("it wraps");
        assert_eq!(memory.mapped().map(NonNull::as_ptr), Some(mine.as_mut_ptr()));
        drop(memory);
        assert_eq!(mine, [1, 2, 3]);
        // SAFETY: null is refused before anything is done with it.
        assert!(unsafe { CpuMemory::wrap(0, 3) }.is_err());
    }

    #[test]
    fn scratch_grows_and_is_kept() {
        let mut scratch = Scratch::new();
        assert!(scratch.get(0).expect("nothing is enough").is_null());
        let first = scratch.get(1000).expect("there is memory");
        assert_eq!(scratch.get(1024).expect("it is there"), first);
        assert!(scratch.get(usize::MAX).is_err());
        assert!(!scratch.get(5000).expect("there is memory").is_null());
    }
}
