//! Host memory that knows which of its bytes were written.

use crate::error;
use ferrocca_core::backend::{BackendMemory, NativeHandle};
use ferrocca_core::{Error, Result};
use okl::back::checked::{Atomics, Cell};
use std::alloc::Layout;
use std::any::Any;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Alignment of every allocation in bytes: that of the modes of the CPU.
const ALIGNMENT: usize = 64;

/// Held by whoever reads or writes memory of this backend: one launch or copy after the other.
static IN_USE: Mutex<()> = Mutex::new(());

/// Waits until nobody uses memory of this backend.
pub fn use_alone() -> MutexGuard<'static, ()> {
    lock(&IN_USE)
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A launch that panicked has left no memory half written that anything relies on.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory of this backend.
pub(crate) struct Memory {
    pointer: NonNull<u8>,
    bytes: usize,
    /// Of memory that is ours.
    layout: Option<Layout>,
    /// For each byte, whether it was written; `None` where that cannot be known, and all counts as written.
    written: Mutex<Option<Vec<bool>>>,
    /// The host was given its address: from then on all counts as written.
    is_exposed: AtomicBool,
    /// What compiled launches have left; what is in it counts for no other launch.
    cells: Mutex<Option<Cells>>,
}

/// A cell for every `1 << shift` bytes, and what belongs to each, all zero at first.
#[derive(Debug)]
pub(crate) struct Cells {
    pointer: NonNull<u8>,
    layout: Layout,
    count: usize,
    shift: u32,
}

/// Bytes of a line of the caches, at which each cell begins.
const LINE: usize = size_of::<Cell>();

// SAFETY: it is plain memory.
unsafe impl Send for Cells {}

impl Cells {
    /// Cells for so many bytes. What is not touched takes no memory.
    pub(crate) fn new(bytes: usize, shift: u32) -> Result<Self> {
        let count = (bytes >> shift) + 1;
        let size = count.saturating_mul(size_of::<Cell>() + size_of::<Atomics>()).saturating_add(LINE);
        let exhausted = || error::out_of_memory(size);
        // An allocator that is asked for more than this alignment clears the memory by itself, and so touches it.
        let layout = Layout::from_size_align(size, align_of::<Cell>()).map_err(|_| exhausted())?;
        // SAFETY: there is at least one cell.
        let pointer = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).ok_or_else(exhausted)?;
        Ok(Self { pointer, layout, count, shift })
    }

    pub(crate) fn shift(&self) -> u32 {
        self.shift
    }

    /// The cells, and what belongs to them.
    pub(crate) fn pointers(&mut self) -> (*mut Cell, *mut Atomics) {
        let first = self.pointer.as_ptr();
        // A multiple of eight, as the allocation is aligned.
        let cells = first.wrapping_add(first.align_offset(LINE)).cast::<Cell>();
        (cells, cells.wrapping_add(self.count).cast())
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, freed once.
        unsafe { std::alloc::dealloc(self.pointer.as_ptr(), self.layout) };
    }
}

// SAFETY: it is plain memory, used under `use_alone`, or by the host, whose program orders that.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// `bytes` > 0 of memory, nothing of it written as far as kernels can know (it is zeroed all the same).
    pub(crate) fn allocate(bytes: usize) -> Result<Self> {
        let exhausted = || error::out_of_memory(bytes);
        let layout = Layout::from_size_align(bytes, ALIGNMENT).map_err(|_| exhausted())?;
        let mut written = Vec::new();
        written.try_reserve_exact(bytes).map_err(|_| exhausted())?;
        written.resize(bytes, false);
        // SAFETY: `bytes` > 0 by the contract of `BackendDevice::allocate`.
        let pointer = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).ok_or_else(exhausted)?;
        Ok(Self {
            pointer,
            bytes,
            layout: Some(layout),
            written: Mutex::new(Some(written)),
            is_exposed: AtomicBool::new(false),
            cells: Mutex::default(),
        })
    }

    /// Memory that somebody else owns.
    ///
    /// # Safety
    /// `address` is `bytes` of readable and writable memory for as long as the result lives.
    pub(crate) unsafe fn wrap(address: u64, bytes: usize) -> Result<Self> {
        let address = usize::try_from(address).ok();
        let pointer = address.and_then(|address| NonNull::new(std::ptr::with_exposed_provenance_mut(address)));
        let pointer = pointer.ok_or_else(|| Error::invalid("a null pointer cannot be wrapped as memory"))?;
        let (written, is_exposed) = (Mutex::new(None), AtomicBool::new(true));
        Ok(Self { pointer, bytes, layout: None, written, is_exposed, cells: Mutex::default() })
    }

    /// The address of its first byte.
    pub(crate) fn address(&self) -> usize {
        self.pointer.expose_provenance().get()
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes
    }

    /// The address of a byte.
    pub(crate) fn at(&self, offset: usize) -> *mut u8 {
        self.pointer.as_ptr().wrapping_add(offset)
    }

    /// From now on all of it counts as written.
    pub(crate) fn count_as_written(&self) {
        self.is_exposed.store(true, Ordering::Relaxed);
        *lock(&self.written) = None;
    }

    /// Notes that the bytes from `offset` on were written.
    pub(crate) fn mark(&self, offset: usize, bytes: usize) {
        self.mark_as(offset, bytes, |_| true);
    }

    /// Notes which bytes were written, counted from `offset`.
    pub(crate) fn mark_as(&self, offset: usize, bytes: usize, is_written: impl Fn(usize) -> bool) {
        if let Some(flags) = lock(&self.written).as_mut().and_then(|flags| flags.get_mut(offset..offset + bytes)) {
            flags.iter_mut().enumerate().for_each(|(index, flag)| *flag = is_written(index));
        }
    }

    /// Which of the bytes from `offset` on were written; `None` where all count as written.
    pub(crate) fn written(&self, offset: usize, bytes: usize) -> Option<Vec<bool>> {
        lock(&self.written).as_ref().and_then(|flags| flags.get(offset..offset + bytes)).map(<[bool]>::to_vec)
    }

    /// Takes out what is known, for a launch that gives it back.
    pub(crate) fn take_written(&self) -> Option<Vec<bool>> {
        lock(&self.written).take()
    }

    /// Takes out the cells, for a launch that gives them back.
    pub(crate) fn take_cells(&self) -> Option<Cells> {
        lock(&self.cells).take()
    }

    /// Keeps cells for the next launch.
    pub(crate) fn keep_cells(&self, cells: Cells) {
        *lock(&self.cells) = Some(cells);
    }

    /// Gives it back.
    pub(crate) fn restore_written(&self, written: Option<Vec<bool>>) {
        let mut known = lock(&self.written);
        // The host may have been given the address meanwhile.
        *known = written.filter(|_| !self.is_exposed.load(Ordering::Relaxed));
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(layout) = self.layout {
            // SAFETY: allocated with this layout, freed once.
            unsafe { std::alloc::dealloc(self.pointer.as_ptr(), layout) };
        }
    }
}

impl BackendMemory for Memory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        NativeHandle::host(self.pointer.expose_provenance().get() as u64)
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        Some(self.pointer)
    }

    fn expose(&self) {
        // What the application does with the address is not seen.
        self.count_as_written();
    }
}

/// The memory behind a contract reference.
pub(crate) fn ours(memory: &dyn BackendMemory) -> Result<&Memory> {
    (memory as &dyn Any).downcast_ref().ok_or_else(|| error::internal("memory of another backend"))
}

/// The memory that a device has allocated, so that what is wrapped can be found in it.
#[derive(Default)]
pub(crate) struct Registry(Mutex<Vec<Weak<Memory>>>);

impl Registry {
    pub(crate) fn add(&self, memory: &Arc<Memory>) {
        let mut list = lock(&self.0);
        // Swept when it is full, so that it is as long as what lives, or twice that.
        if list.len() == list.capacity() {
            list.retain(|memory| memory.strong_count() > 0);
        }
        list.push(Arc::downgrade(memory));
    }

    /// The memory in which a range lies counts as written.
    pub(crate) fn expose(&self, address: u64, bytes: usize) {
        let list = lock(&self.0);
        let overlaps = |memory: &Memory| {
            let start = memory.address() as u64;
            address < start + memory.bytes as u64 && start < address + bytes as u64
        };
        list.iter()
            .filter_map(Weak::upgrade)
            .filter(|memory| overlaps(memory))
            .for_each(|memory| memory.count_as_written());
    }
}
