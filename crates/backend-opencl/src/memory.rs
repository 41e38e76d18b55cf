//! Buffers. On devices that share memory with the host the storage is ours, and the buffer uses it in place.
//!
//! Invariant: `mapped` names the very memory that kernels use, or (staging memory) memory that only copies use. The
//! driver counts who still needs a buffer; its storage is freed when the driver says that the buffer is gone.

use crate::driver::{Context, Mem, Queue, ask, ask_handle, call, create, library};
use crate::{device::Shared, error};
use cl3::error_codes::{CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
use cl3::memory::{
    CL_MEM_ALLOC_HOST_PTR, CL_MEM_CONTEXT, CL_MEM_FLAGS, CL_MEM_HOST_PTR, CL_MEM_OBJECT_BUFFER, CL_MEM_READ_WRITE,
    CL_MEM_SIZE, CL_MEM_SVM_FINE_GRAIN_BUFFER, CL_MEM_TYPE, CL_MEM_USE_HOST_PTR,
};
use cl3::types::{CL_BLOCKING, cl_int, cl_mem};
use ferrocca_core::backend::{BackendMemory, NativeHandle, Placement};
use ferrocca_core::{Error, ErrorKind, Result};
use memmap2::{MmapMut, MmapOptions};
use std::alloc::Layout;
use std::any::Any;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Alignment of memory of ours in bytes: that of the largest OpenCL type, `long16`.
const ALIGNMENT: usize = 128;

/// From this size on memory comes as pages of its own, so that each is placed where the thread runs that first writes it.
const OWN_PAGES: usize = 1 << 20;

/// Size and alignment of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Large arrays begin at different distances from a page's boundary: processors let a load wait for an earlier store
/// whose address has the same low 12 bits. An odd number of alignments, so that 32 arrays differ.
const STAGGER: usize = 17 * ALIGNMENT;

/// Arrays after which the distances repeat.
const STAGGERED: usize = 16;

/// From this size on the system, or the driver, is asked how much it has.
const ASK_FIRST: u64 = 64 << 20;

/// Memory of a device of this backend.
pub(crate) struct ClMemory {
    mem: Mem,
    bytes: usize,
    mapped: Option<NonNull<u8>>,
    kind: Kind,
    shared: Arc<Shared>,
}

/// What may be done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A buffer.
    Plain,
    /// A buffer that may share bytes with others: it was made elsewhere.
    Foreign,
    /// Host memory, pinned, that commands copy from and to; kernels cannot use it.
    Staging,
}

// SAFETY: it is a handle and an address; who reads and writes when is decided by streams and by core's borrow rules.
unsafe impl Send for ClMemory {}
// SAFETY: as above; this type itself never changes after it was made.
unsafe impl Sync for ClMemory {}

/// Host memory of ours that a buffer uses.
pub(crate) enum Storage {
    Heap(NonNull<u8>, Layout),
    Pages(NonNull<u8>, #[allow(dead_code)] MmapMut),
    /// Memory of the driver that host and device share down to the byte.
    Shared(NonNull<u8>, Context),
}

// SAFETY: it is plain memory that is only freed here.
unsafe impl Send for Storage {}

impl Storage {
    /// Zeroed memory of the process.
    fn of_process(bytes: usize) -> Option<Self> {
        if bytes < OWN_PAGES {
            let layout = Layout::from_size_align(bytes, ALIGNMENT).ok()?;
            // SAFETY: the size is not zero.
            return Some(Self::Heap(NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?, layout));
        }
        let length = bytes.checked_add(HUGE_PAGE + STAGGER * STAGGERED).filter(|&l| isize::try_from(l).is_ok())?;
        let mut pages = MmapOptions::new().len(length).map_anon().ok()?;
        #[cfg(target_os = "linux")]
        // Only a wish: a system without huge pages answers with an error and gives small ones.
        let _ = pages.advise(memmap2::Advice::HugePage);
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let stagger = COUNT.fetch_add(1, Ordering::Relaxed) % STAGGERED * STAGGER;
        let slack = pages.as_ptr().align_offset(HUGE_PAGE) + stagger;
        let start = NonNull::from(&mut pages[slack..slack + bytes]).cast::<u8>();
        Some(Self::Pages(start, pages))
    }

    /// Zeroed fine-grained shared memory of a context.
    fn of_driver(context: &Context, bytes: usize) -> Result<Self> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
        let start = library()?
            .clSVMAlloc(context.raw(), flags, bytes, ALIGNMENT as u32)
            .ok_or_else(|| error::no_such_call("clSVMAlloc"))?;
        let start = NonNull::new(start.cast::<u8>()).ok_or_else(|| out_of_memory(bytes as u64, None))?;
        // SAFETY: the memory is fresh, has `bytes`, and the host may write it without mapping.
        unsafe { start.as_ptr().write_bytes(0, bytes) };
        // SAFETY: `context` is alive.
        Ok(Self::Shared(start, unsafe { Context::retain(context.raw()) }?))
    }

    fn start(&self) -> NonNull<u8> {
        match self {
            Self::Heap(start, _) | Self::Pages(start, _) | Self::Shared(start, _) => *start,
        }
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        match self {
            // SAFETY: it was allocated with this layout and is freed once.
            Self::Heap(start, layout) => unsafe { std::alloc::dealloc(start.as_ptr(), *layout) },
            Self::Pages(..) => {}
            Self::Shared(start, context) => {
                if let Ok(library) = library() {
                    let _ = library.clSVMFree(context.raw(), start.as_ptr().cast());
                }
            }
        }
    }
}

/// What is freed, and taken out of the accounts, when the driver has let go of a buffer.
struct Held {
    #[allow(dead_code)] // kept for its drop
    storage: Option<Storage>,
    bytes: u64,
    allocated: Arc<AtomicU64>,
}

unsafe extern "C" fn release(_mem: cl_mem, held: *mut c_void) {
    // SAFETY: the pointer was made of a box when the callback was set, and the driver calls back once.
    let held = unsafe { Box::from_raw(held.cast::<Held>()) };
    held.allocated.fetch_sub(held.bytes, Ordering::Relaxed);
}

/// Memory is exhausted, or a limit of the device is exceeded.
fn out_of_memory(bytes: u64, free: Option<u64>) -> Error {
    Error::new(ErrorKind::OutOfMemory { requested: bytes, free })
}

impl ClMemory {
    /// `bytes` > 0 of memory at a place.
    pub(crate) fn allocate(shared: &Arc<Shared>, bytes: usize, placement: Placement) -> Result<Self> {
        check_size(shared, bytes as u64)?;
        let fine_grain = shared.candidate.limits.fine_grain;
        match placement {
            _ if shared.in_place => Self::in_place(shared, bytes, shared.is_cpu()),
            Placement::Device => Self::new(shared, bytes, CL_MEM_READ_WRITE, None, Kind::Plain),
            _ if fine_grain => Self::in_place(shared, bytes, false),
            Placement::HostPinned => Self::staging(shared, bytes),
            Placement::Mapped => Err(Error::unsupported(
                "mapped memory",
                format!(
                    "`{}` has separate memory and no fine-grained shared buffers, so that host and kernels cannot share \
                     bytes; use pinned memory and copies",
                    shared.candidate.info.name
                ),
            )),
        }
    }

    /// A buffer over memory that the host addresses.
    pub(crate) fn in_place(shared: &Arc<Shared>, bytes: usize, of_process: bool) -> Result<Self> {
        let storage = if of_process {
            Storage::of_process(bytes).ok_or_else(|| out_of_memory(bytes as u64, None))?
        } else {
            Storage::of_driver(&shared.context, bytes)?
        };
        Self::new(shared, bytes, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, Some(storage), Kind::Plain)
    }

    fn new(shared: &Arc<Shared>, bytes: usize, flags: u64, storage: Option<Storage>, kind: Kind) -> Result<Self> {
        let mapped = storage.as_ref().map(Storage::start);
        let address = mapped.map_or(std::ptr::null_mut(), NonNull::as_ptr).cast::<c_void>();
        let mem = create!(clCreateBuffer(shared.context.raw(), flags, bytes, address));
        let mem = mem.map_err(|error| exhausted(error, shared, bytes))?;
        // SAFETY: the buffer was just made, and its one reference is ours.
        let mem = unsafe { Mem::own(mem) };
        let held = Held { storage, bytes: bytes as u64, allocated: Arc::clone(&shared.allocated) };
        let held = Box::into_raw(Box::new(held));
        if let Err(error) = call!(clSetMemObjectDestructorCallback(mem.raw(), Some(release), held.cast())) {
            drop(mem);
            // SAFETY: the callback was not set, so that the box is still ours; the buffer is gone.
            drop(unsafe { Box::from_raw(held) });
            return Err(error);
        }
        shared.allocated.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(Self { mem, bytes, mapped, kind, shared: Arc::clone(shared) })
    }

    /// Pinned memory of the driver, mapped for as long as it lives.
    fn staging(shared: &Arc<Shared>, bytes: usize) -> Result<Self> {
        let flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
        let mut memory = Self::new(shared, bytes, flags, None, Kind::Staging)?;
        let address = create!(clEnqueueMapBuffer(
            shared.queue.raw(),
            memory.mem.raw(),
            CL_BLOCKING,
            cl3::memory::CL_MAP_READ | cl3::memory::CL_MAP_WRITE,
            0,
            bytes,
            0,
            std::ptr::null(),
            std::ptr::null_mut(),
        ))?;
        memory.mapped = NonNull::new(address.cast::<u8>());
        if let Some(start) = memory.mapped {
            // SAFETY: `bytes` from here are mapped for writing, and nobody else knows them yet.
            unsafe { start.as_ptr().write_bytes(0, bytes) };
        }
        Ok(memory)
    }

    /// A buffer of this context that somebody else made.
    ///
    /// # Safety
    /// `raw` is a live `cl_mem`.
    pub(crate) unsafe fn wrap(shared: &Arc<Shared>, raw: cl_mem, bytes: usize) -> Result<Self> {
        // SAFETY: by the caller.
        let mem = unsafe { Mem::retain(raw) }?;
        if ask::<u32>(&mem, CL_MEM_TYPE)? != CL_MEM_OBJECT_BUFFER {
            return Err(Error::invalid("this `cl_mem` is an image or a pipe, not a buffer"));
        }
        if ask_handle(&mem, CL_MEM_CONTEXT)? != shared.context.raw() {
            return Err(Error::invalid(
                "this `cl_mem` belongs to another context than the device's; open the device in that context \
                 (`InContext`), or make the buffer in the device's",
            ));
        }
        let size = ask::<usize>(&mem, CL_MEM_SIZE)?;
        if size < bytes {
            return Err(Error::out_of_bounds(format!("this `cl_mem` has {size} bytes, {bytes} were named")));
        }
        let in_host = shared.in_place && ask::<u64>(&mem, CL_MEM_FLAGS)? & CL_MEM_USE_HOST_PTR != 0;
        let mapped = if in_host { NonNull::new(ask_handle(&mem, CL_MEM_HOST_PTR)?.cast()) } else { None };
        Ok(Self { mem, bytes, mapped, kind: Kind::Foreign, shared: Arc::clone(shared) })
    }

    /// Host memory that somebody else owns.
    ///
    /// # Safety
    /// `address` is `bytes` of readable and writable memory for as long as the result, and what was queued with it, lives.
    pub(crate) unsafe fn wrap_host(shared: &Arc<Shared>, address: u64, bytes: usize) -> Result<Self> {
        if !(shared.in_place && shared.is_cpu()) {
            return Err(Error::unsupported(
                "wrapping host memory",
                format!(
                    "kernels of `{}` cannot use memory of the process in place: copy it with `malloc_from`",
                    shared.candidate.info.name
                ),
            ));
        }
        let address = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
        let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
        let mem = create!(clCreateBuffer(shared.context.raw(), flags, bytes, address.cast()))?;
        // SAFETY: the buffer was just made, and its one reference is ours.
        let mem = unsafe { Mem::own(mem) };
        Ok(Self { mem, bytes, mapped: NonNull::new(address), kind: Kind::Foreign, shared: Arc::clone(shared) })
    }

    /// The driver's handle.
    pub(crate) fn raw(&self) -> cl_mem {
        self.mem.raw()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }
}

impl Drop for ClMemory {
    fn drop(&mut self) {
        if self.kind != Kind::Staging {
            return;
        }
        // Copies that read or write the mapped address are not counted by the driver: they must have ended.
        let _ = self.shared.finish();
        if let (Ok(library), Some(address)) = (library(), self.mapped) {
            let (none, address) = (std::ptr::null_mut(), address.as_ptr().cast());
            let _ = library.clEnqueueUnmapMemObject(
                self.shared.queue.raw(),
                self.mem.raw(),
                address,
                0,
                std::ptr::null(),
                none,
            );
            let _ = self.shared.queue.finish();
        }
    }
}

impl BackendMemory for ClMemory {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn handle(&self) -> NativeHandle {
        NativeHandle::opencl(self.mem.raw() as u64)
    }

    fn mapped(&self) -> Option<NonNull<u8>> {
        self.mapped
    }

    fn may_overlap(&self) -> bool {
        self.kind() == Kind::Foreign
    }
}

/// The memory behind a contract reference.
pub(crate) fn downcast(memory: &dyn BackendMemory) -> Result<&ClMemory> {
    (memory as &dyn Any).downcast_ref().ok_or_else(|| error::internal("memory of another backend reached OpenCL"))
}

/// Drivers promise memory that they do not have: the limits that they tell are checked before they are asked.
fn check_size(shared: &Shared, bytes: u64) -> Result<()> {
    let limits = &shared.candidate.limits;
    if bytes > limits.allocation {
        return Err(out_of_memory(bytes, None).while_doing(format!(
            "the device gives at most {} bytes in one piece (CL_DEVICE_MAX_MEM_ALLOC_SIZE), and has {} in all \
             (CL_DEVICE_GLOBAL_MEM_SIZE)",
            limits.allocation, limits.memory
        )));
    }
    // What the system has is asked for large pieces alone: the question takes longer than a small allocation.
    let free = if bytes >= ASK_FIRST { shared.free_memory() } else { shared.not_given_out() };
    if bytes > free {
        return Err(out_of_memory(bytes, Some(free))
            .while_doing(format!("the device has {} bytes in all (CL_DEVICE_GLOBAL_MEM_SIZE)", limits.memory)));
    }
    Ok(())
}

/// A failed allocation as what it is.
fn exhausted(error: Error, shared: &Shared, bytes: usize) -> Error {
    const STATUSES: [cl_int; 3] = [CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES];
    if STATUSES.iter().any(|&status| error::is_status(&error, status)) {
        return out_of_memory(bytes as u64, Some(shared.free_memory())).while_doing(error.to_string());
    }
    error
}

/// Whether kernels and the host see each other's writes in memory of the process: tried, not believed.
pub(crate) fn is_seen_by_both(context: &Context, queue: &Queue, of_process: bool) -> Result<bool> {
    const BYTES: usize = 4096;
    let storage = if of_process {
        Storage::of_process(BYTES).ok_or_else(|| out_of_memory(BYTES as u64, None))?
    } else {
        Storage::of_driver(context, BYTES)?
    };
    let start = storage.start().as_ptr();
    let flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
    let mem = create!(clCreateBuffer(context.raw(), flags, BYTES, start.cast()))?;
    // SAFETY: the buffer was just made, and its one reference is ours.
    let mem = unsafe { Mem::own(mem) };
    let (pattern, none, no_event) = (0x5a_u8, std::ptr::null(), std::ptr::null_mut());
    call!(clEnqueueFillBuffer(queue.raw(), mem.raw(), (&raw const pattern).cast(), 1, 0, BYTES, 0, none, no_event))?;
    queue.finish()?;
    // SAFETY: `BYTES` from here are ours and initialised; the device has ended.
    let device_is_seen = (0..BYTES).all(|at| unsafe { start.add(at).read_volatile() } == pattern);
    // SAFETY: as above.
    (0..BYTES).for_each(|at| unsafe { start.add(at).write_volatile(at as u8) });
    let mut back = [0_u8; BYTES];
    let to = back.as_mut_ptr().cast();
    call!(clEnqueueReadBuffer(queue.raw(), mem.raw(), CL_BLOCKING, 0, BYTES, to, 0, none, no_event))?;
    let host_is_seen = back.iter().enumerate().all(|(at, &byte)| byte == at as u8);
    drop(mem);
    drop(storage);
    Ok(device_is_seen && host_is_seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ClDevice;
    use ferrocca_core::backend::BackendDevice as _;

    #[test]
    fn memory_of_ours_is_aligned_and_zeroed_at_every_size() {
        for bytes in [8, 136, OWN_PAGES - 8, OWN_PAGES, OWN_PAGES + 8, 3 * HUGE_PAGE + 24] {
            let storage = Storage::of_process(bytes).expect("there is memory");
            assert_eq!(storage.start().as_ptr().align_offset(ALIGNMENT), 0);
            // SAFETY: the memory has `bytes` initialised bytes, and nobody else knows it.
            let slice = unsafe { std::slice::from_raw_parts(storage.start().as_ptr(), bytes) };
            assert!(slice.iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn buffers_leave_the_accounts_when_the_driver_lets_go() {
        let Some(device) = ClDevice::for_tests() else { return };
        let stream = device.default_stream();
        for bytes in [100, 5 << 20] {
            let memory = ClMemory::allocate(&device.shared, bytes, Placement::Device).expect("memory");
            assert_eq!(device.shared.allocated.load(Ordering::Relaxed), bytes as u64);
            // It may be dropped while it is still filled.
            stream.fill(&memory, 0, bytes, &[1]).expect("it fills");
            drop(memory);
            stream.finish().expect("it ends");
            let left = || device.shared.allocated.load(Ordering::Relaxed);
            let limit = std::time::Instant::now() + std::time::Duration::from_secs(10);
            while left() > 0 && std::time::Instant::now() < limit {
                std::thread::yield_now();
            }
            assert_eq!(left(), 0);
        }
    }

    #[test]
    fn shared_memory_of_the_driver_is_seen_by_both() {
        let Some(device) = ClDevice::for_tests() else { return };
        if !device.shared.candidate.limits.fine_grain {
            eprintln!("skipped: the device has no fine-grained shared buffers");
            return;
        }
        assert!(is_seen_by_both(&device.shared.context, &device.shared.queue, false).expect("it can be tried"));
        let memory = ClMemory::in_place(&device.shared, 1000, false).expect("memory");
        let address = memory.mapped().expect("the host addresses it").as_ptr();
        let stream = device.default_stream();
        stream.fill(&memory, 10, 980, &[3]).expect("it fills");
        stream.finish().expect("it ends");
        // SAFETY: 1000 bytes are there, and nothing is queued.
        let seen: Vec<u8> = (0..1000).map(|at| unsafe { address.add(at).read() }).collect();
        assert_eq!(seen, [vec![0; 10], vec![3; 980], vec![0; 10]].concat());
    }

    /// Pinned memory of a device with memory of its own: copies in every direction, in the order of the stream.
    #[test]
    fn staging_memory_is_copied_from_and_to() {
        let Some(device) = ClDevice::for_tests() else { return };
        let stream = device.default_stream();
        let bytes: Vec<u8> = (0..=250).collect();
        let pinned = ClMemory::staging(&device.shared, 251).expect("memory");
        let other = ClMemory::staging(&device.shared, 300).expect("memory");
        let plain = ClMemory::allocate(&device.shared, 251, Placement::Device).expect("memory");
        assert!(pinned.mapped().is_some());
        stream.copy_in(&pinned, 0, &bytes).expect("host to pinned");
        stream.copy(&plain, 0, &pinned, 0, 251).expect("pinned to device");
        stream.copy(&other, 7, &plain, 0, 251).expect("device to pinned");
        stream.copy(&other, 40, &other, 7, 200).expect("pinned to pinned");
        stream.fill(&other, 0, 6, &[1, 2]).expect("a fill");
        let mut back = vec![0; 300];
        stream.copy_out(&other, 0, &mut back).expect("pinned to host");
        let mut expected = [vec![0; 7], bytes, vec![0; 42]].concat();
        expected.copy_within(7..207, 40);
        expected[..6].copy_from_slice(&[1, 2, 1, 2, 1, 2]);
        assert_eq!(back, expected);
    }
}
