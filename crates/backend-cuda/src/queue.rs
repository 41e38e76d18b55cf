//! Where work goes: a stream, which does it, or a graph under construction, which keeps it for later.
//!
//! Both take the same few pieces, so that a graph holds exactly what its commands would be on a stream. Graphs are not
//! captured from a stream: while one is, a wait for the device by any thread of the process fails and spoils the capture. What
//! other libraries queue ([`Queue::native`]) has no other way into a graph.

use crate::context::Context;
use crate::driver::Code;
use crate::error;
use crate::memory::CudaMemory;
use crate::stream::CudaStream;
use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUdeviceptr, CUfunction, CUgraph, CUgraphNode,
    CUlaunchAttributeID, CUlaunchAttributeValue, CUmemorytype,
};
use ferrocca_core::Result;
use ferrocca_core::backend::{NativeWork, Placement};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

/// Bytes of the first piece of a fill whose pattern is longer than a word; the rest is copied from it.
const FIRST_FILL_BYTES: usize = 64 << 10;

/// `CU_STREAM_CAPTURE_MODE_RELAXED`: a library may allocate while it queues.
const RELAXED: u32 = 2;

/// The priority of what others wait for; the driver takes the highest that there is.
pub(crate) const URGENT: i32 = -1000;

/// Most bytes of one copy of a graph: rows of the driver's three-dimensional copies have a limit.
const MOST_NODE_BYTES: usize = 1 << 30;

/// One grid of a kernel.
pub(crate) struct Grid<'a> {
    pub(crate) function: CUfunction,
    /// The kernel's number in the logs of launches.
    pub(crate) number: u32,
    pub(crate) blocks: [u32; 3],
    pub(crate) threads: [u32; 3],
    /// Shared memory beside what the function declares.
    pub(crate) shared_bytes: u32,
    /// Addresses of the values, in the function's order.
    pub(crate) parameters: &'a mut [*mut c_void],
}

/// A word that the driver can fill with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    One(u8),
    Two(u16),
    Four(u32),
}

/// `height` rows of `width` words, each row `pitch` bytes behind the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set {
    pub(crate) to: CUdeviceptr,
    pub(crate) word: Word,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
}

/// Takes pieces of work, each after the one before. The context is current.
pub(crate) trait Queue {
    /// A copy between ranges of the device that do not overlap.
    fn copy_disjoint(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()>;

    /// A copy between ranges that overlap, by way of other memory.
    fn copy_overlapping(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()>;

    /// Writes words.
    fn set(&self, set: Set) -> Result<()>;

    /// Runs a grid.
    ///
    /// # Safety
    /// The parameters fit the function; grid and block are within the device's limits.
    unsafe fn run(&self, grid: Grid<'_>) -> Result<()>;

    /// Takes what another library queues on the stream whose handle it gets.
    fn native(&self, work: &NativeWork) -> Result<()>;
}

/// Copies between two ranges, of which core has checked that they are inside their memory.
pub(crate) fn copy(queue: &impl Queue, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()> {
    if to == from || bytes == 0 {
        return Ok(());
    }
    // Wrapped memory may overlap other memory too, so that the addresses decide, not the objects.
    if to.abs_diff(from) < bytes as u64 {
        return queue.copy_overlapping(to, from, bytes);
    }
    queue.copy_disjoint(to, from, bytes)
}

/// Repeats `pattern` over a range that core has checked: as a word of the driver's, or laid down once by strided words
/// and then copied again and again, twice as much each time. No host memory is read, so that a graph can hold the work.
pub(crate) fn fill(queue: &impl Queue, start: CUdeviceptr, bytes: usize, pattern: &[u8]) -> Result<()> {
    if pattern.is_empty() || !bytes.is_multiple_of(pattern.len()) {
        return Err(error::internal(format!("a fill of {bytes} bytes by a pattern of {}", pattern.len())));
    }
    if bytes == 0 {
        return Ok(());
    }
    if let Some(word) = Word::of(start, pattern) {
        return queue.set(Set { to: start, word, width: bytes / word.bytes(), height: 1, pitch: 0 });
    }
    let pitch = pattern.len();
    let rows = (FIRST_FILL_BYTES / pitch).clamp(1, bytes / pitch);
    let word_bytes = if start.is_multiple_of(4) && pitch.is_multiple_of(4) { 4 } else { 1 };
    for (position, value) in pattern.chunks_exact(word_bytes).enumerate() {
        let word = match *value {
            [a, b, c, d] => Word::Four(u32::from_ne_bytes([a, b, c, d])),
            [byte] => Word::One(byte),
            _ => return Err(error::internal("a piece of a pattern is neither a word nor a byte")),
        };
        queue.set(Set { to: start + (position * word_bytes) as u64, word, width: 1, height: rows, pitch })?;
    }
    let mut done = rows * pitch;
    while done < bytes {
        let next = done.min(bytes - done);
        queue.copy_disjoint(start + done as u64, start, next)?;
        done += next;
    }
    Ok(())
}

impl Word {
    /// The shortest word of which `pattern` is a repetition, where there is one and `start` is aligned for it.
    fn of(start: CUdeviceptr, pattern: &[u8]) -> Option<Self> {
        let repeats = |bytes: usize| {
            start.is_multiple_of(bytes as u64)
                && pattern.len().is_multiple_of(bytes)
                && pattern.chunks(bytes).all(|piece| *piece == pattern[..bytes])
        };
        match *pattern {
            [a, ..] if repeats(1) => Some(Self::One(a)),
            [a, b, ..] if repeats(2) => Some(Self::Two(u16::from_ne_bytes([a, b]))),
            [a, b, c, d, ..] if repeats(4) => Some(Self::Four(u32::from_ne_bytes([a, b, c, d]))),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Two(_) => 2,
            Self::Four(_) => 4,
        }
    }

    fn value(self) -> u32 {
        match self {
            Self::One(value) => value.into(),
            Self::Two(value) => value.into(),
            Self::Four(value) => value,
        }
    }
}

impl Queue for CudaStream {
    fn copy_disjoint(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()> {
        // SAFETY: core has checked both ranges, and they are disjoint.
        let code = unsafe { (self.context().driver().memcpy_async)(to, from, bytes, self.raw()) };
        self.context().check(code, "cuMemcpyAsync")
    }

    /// The memory between lives in the stream's order.
    fn copy_overlapping(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()> {
        let (context, driver) = (self.context(), self.context().driver());
        let mut between = 0;
        // SAFETY: context and stream live; the memory is freed behind its last use.
        let code = unsafe { (driver.mem_alloc_async)(&mut between, bytes, self.raw()) };
        if code != Code::SUCCESS {
            return Err(context.allocation_failure(code, "cuMemAllocAsync", bytes));
        }
        let copied = self.copy_disjoint(between, from, bytes).and_then(|()| self.copy_disjoint(to, between, bytes));
        // SAFETY: as above.
        let freed = context.check(unsafe { (driver.mem_free_async)(between, self.raw()) }, "cuMemFreeAsync");
        copied.and(freed)
    }

    fn set(&self, Set { to, word, width, height, pitch }: Set) -> Result<()> {
        let (driver, stream) = (self.context().driver(), self.raw());
        // SAFETY: core has checked the range that the rows lie in; words are aligned.
        let code = unsafe {
            match word {
                Word::One(value) if height == 1 => (driver.memset_d8_async)(to, value, width, stream),
                Word::Two(value) if height == 1 => (driver.memset_d16_async)(to, value, width, stream),
                Word::Four(value) if height == 1 => (driver.memset_d32_async)(to, value, width, stream),
                Word::One(value) => (driver.memset_d2d8_async)(to, pitch, value, width, height, stream),
                Word::Two(_) => return Err(error::internal("rows are set by bytes or by words of four")),
                Word::Four(value) => (driver.memset_d2d32_async)(to, pitch, value, width, height, stream),
            }
        };
        self.context().check(code, "cuMemsetAsync")
    }

    #[inline]
    unsafe fn run(&self, grid: Grid<'_>) -> Result<()> {
        self.log().note(grid.number);
        let ([x, y, z], [threads_x, threads_y, threads_z]) = (grid.blocks, grid.threads);
        // SAFETY: by the caller.
        let code = unsafe {
            (self.context().driver().launch_kernel)(
                grid.function,
                x,
                y,
                z,
                threads_x,
                threads_y,
                threads_z,
                grid.shared_bytes,
                self.raw(),
                grid.parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        self.context().check(code, "cuLaunchKernel")
    }

    fn native(&self, work: &NativeWork) -> Result<()> {
        work(self.raw() as u64)
    }
}

/// Nodes that the next one follows.
pub(crate) type Ends = SmallVec<[CUgraphNode; 2]>;

/// A graph under construction: a chain of nodes, of which some lie beside each other.
pub(crate) struct Chain {
    raw: CUgraph,
    first: Cell<CUgraphNode>,
    /// What the next node follows.
    ends: RefCell<Ends>,
    /// Kernels that are added go before those that run beside them; whether any did.
    is_urgent: Cell<bool>,
    was_urgent: Cell<bool>,
    /// What copies between overlapping ranges go through.
    between: RefCell<Vec<CudaMemory>>,
    captured: RefCell<Vec<Captured>>,
    context: Arc<Context>,
}

impl Chain {
    /// An empty one. The context is current.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the flags must be 0; the graph is destroyed in `drop`.
        context.check(unsafe { (context.driver().graph_create)(&mut raw, 0) }, "cuGraphCreate")?;
        let (first, ends) = (Cell::new(std::ptr::null_mut()), RefCell::default());
        let (is_urgent, was_urgent) = (Cell::new(false), Cell::new(false));
        let (between, captured) = (RefCell::default(), RefCell::default());
        Ok(Self { raw, first, ends, is_urgent, was_urgent, between, captured, context: context.clone() })
    }

    pub(crate) fn raw(&self) -> CUgraph {
        self.raw
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The node that was added first; null where there is none.
    pub(crate) fn first(&self) -> CUgraphNode {
        self.first.get()
    }

    /// What the next node follows.
    pub(crate) fn ends(&self) -> Ends {
        self.ends.borrow().clone()
    }

    /// The next node follows others. Answers what it followed so far.
    pub(crate) fn replace_ends(&self, ends: Ends) -> Ends {
        self.ends.replace(ends)
    }

    /// Whether kernels that are added from now on go before those that run beside them.
    pub(crate) fn set_urgent(&self, is_urgent: bool) {
        self.is_urgent.set(is_urgent);
        self.was_urgent.set(self.was_urgent.get() || is_urgent);
    }

    /// Whether nodes have priorities.
    pub(crate) fn has_priorities(&self) -> bool {
        self.was_urgent.get()
    }

    /// The next node follows these nodes, too.
    pub(crate) fn join(&self, ends: Ends) {
        self.ends.borrow_mut().extend(ends);
    }

    /// Adds a node. `add` gets the graph, the nodes it follows and how many these are.
    fn add(
        &self,
        call: &'static str,
        add: impl FnOnce(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize) -> Code,
    ) -> Result<()> {
        let (mut node, mut ends) = (std::ptr::null_mut(), self.ends.borrow_mut());
        self.context.check(add(&mut node, self.raw, ends.as_ptr(), ends.len()), call)?;
        if self.first.get().is_null() {
            self.first.set(node);
        }
        ends.clear();
        ends.push(node);
        Ok(())
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.make_current() {
            // SAFETY: created once, destroyed once.
            let _ = unsafe { (self.context.driver().graph_destroy)(self.raw) };
        }
    }
}

impl Queue for Chain {
    fn copy_disjoint(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()> {
        for begin in (0..bytes).step_by(MOST_NODE_BYTES) {
            let length = MOST_NODE_BYTES.min(bytes - begin);
            let params = one_row(to + begin as u64, from + begin as u64, length);
            self.add("cuGraphAddMemcpyNode", |node, graph, after, count| {
                // SAFETY: core has checked both ranges; the driver copies the parameters.
                unsafe {
                    let (driver, context) = (self.context.driver(), self.context.raw());
                    (driver.graph_add_memcpy_node)(node, graph, after, count, &params, context)
                }
            })?;
        }
        Ok(())
    }

    fn copy_overlapping(&self, to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> Result<()> {
        let between = CudaMemory::allocate(&self.context, &OnceLock::new(), bytes, Placement::Device)?;
        self.copy_disjoint(between.pointer(), from, bytes)?;
        self.copy_disjoint(to, between.pointer(), bytes)?;
        self.between.borrow_mut().push(between);
        Ok(())
    }

    fn set(&self, Set { to, word, width, height, pitch }: Set) -> Result<()> {
        let params = CUDA_MEMSET_NODE_PARAMS {
            dst: to,
            pitch,
            value: word.value(),
            elementSize: word.bytes() as u32,
            width,
            height,
        };
        self.add("cuGraphAddMemsetNode", |node, graph, after, count| {
            // SAFETY: core has checked the range that the rows lie in; the driver copies the parameters.
            unsafe {
                let (driver, context) = (self.context.driver(), self.context.raw());
                (driver.graph_add_memset_node)(node, graph, after, count, &params, context)
            }
        })
    }

    unsafe fn run(&self, grid: Grid<'_>) -> Result<()> {
        let ([x, y, z], [threads_x, threads_y, threads_z]) = (grid.blocks, grid.threads);
        let params = CUDA_KERNEL_NODE_PARAMS {
            func: grid.function,
            gridDimX: x,
            gridDimY: y,
            gridDimZ: z,
            blockDimX: threads_x,
            blockDimY: threads_y,
            blockDimZ: threads_z,
            sharedMemBytes: grid.shared_bytes,
            kernelParams: grid.parameters.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: std::ptr::null_mut(),
            ctx: std::ptr::null_mut(),
        };
        self.add("cuGraphAddKernelNode", |node, graph, after, count| {
            // SAFETY: by the caller; the driver copies the values of the parameters.
            unsafe { (self.context.driver().graph_add_kernel_node)(node, graph, after, count, &params) }
        })?;
        if !self.is_urgent.get() {
            return Ok(());
        }
        let value = CUlaunchAttributeValue { priority: URGENT };
        let node = self.ends.borrow().last().copied().unwrap_or(std::ptr::null_mut());
        let attribute = CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PRIORITY as u32;
        // SAFETY: the node was added above, and the value is of the attribute's type.
        let code = unsafe { (self.context.driver().graph_kernel_node_set_attribute)(node, attribute, &value) };
        self.context.check(code, "cuGraphKernelNodeSetAttribute")
    }

    /// What was queued becomes one node, a graph of its own. Work that comes again is captured once.
    fn native(&self, work: &NativeWork) -> Result<()> {
        let mut captured = self.captured.borrow_mut();
        let is_urgent = self.is_urgent.get();
        let child = match captured.iter().find(|known| Arc::ptr_eq(&known.work, work) && known.is_urgent == is_urgent) {
            Some(child) => child.raw,
            None => {
                // Kernels of several priorities take longer to follow each other.
                let stream = match is_urgent {
                    true => CudaStream::urgent(&self.context)?,
                    false => CudaStream::create(&self.context, false)?,
                };
                captured.push(Captured::of(&stream, work, is_urgent)?);
                captured[captured.len() - 1].raw
            }
        };
        self.add("cuGraphAddChildGraphNode", |node, graph, after, count| {
            // SAFETY: the driver copies the child.
            unsafe { (self.context.driver().graph_add_child_graph_node)(node, graph, after, count, child) }
        })
    }
}

/// What a stream was given while it was captured.
struct Captured {
    raw: CUgraph,
    work: NativeWork,
    is_urgent: bool,
    context: Arc<Context>,
}

impl Captured {
    /// Captures a stream on which nothing else is queued. Nobody waits for the whole device meanwhile, which would spoil the
    /// capture; other libraries may allocate.
    fn of(stream: &CudaStream, work: &NativeWork, is_urgent: bool) -> Result<Self> {
        let (context, driver) = (stream.context(), stream.context().driver());
        let _no_wait = context.while_capturing();
        // SAFETY: the stream lives and is not captured.
        context.check(unsafe { (driver.stream_begin_capture)(stream.raw(), RELAXED) }, "cuStreamBeginCapture")?;
        let queued = work(stream.raw() as u64);
        let mut raw = std::ptr::null_mut();
        // SAFETY: the capture was begun above; the graph is destroyed in `drop`.
        let ended = context.check(unsafe { (driver.stream_end_capture)(stream.raw(), &mut raw) }, "cuStreamEndCapture");
        let captured = Self { raw, work: work.clone(), is_urgent, context: context.clone() };
        // An error of the work is the cause of what the driver says of the capture.
        queued.and(ended).map(|()| captured)
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if !self.raw.is_null()
            && let Ok(_current) = self.context.make_current()
        {
            // SAFETY: created once, destroyed once.
            let _ = unsafe { (self.context.driver().graph_destroy)(self.raw) };
        }
    }
}

/// A copy of one row between addresses of any memory.
fn one_row(to: CUdeviceptr, from: CUdeviceptr, bytes: usize) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        srcXInBytes: 0,
        srcY: 0,
        srcZ: 0,
        srcLOD: 0,
        srcMemoryType: CUmemorytype::CU_MEMORYTYPE_UNIFIED,
        srcHost: std::ptr::null(),
        srcDevice: from,
        srcArray: std::ptr::null_mut(),
        reserved0: std::ptr::null_mut(),
        srcPitch: bytes,
        srcHeight: 1,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: CUmemorytype::CU_MEMORYTYPE_UNIFIED,
        dstHost: std::ptr::null_mut(),
        dstDevice: to,
        dstArray: std::ptr::null_mut(),
        reserved1: std::ptr::null_mut(),
        dstPitch: bytes,
        dstHeight: 1,
        WidthInBytes: bytes,
        Height: 1,
        Depth: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_aligned_word_is_found() {
        let cases: [(u64, &[u8], Option<Word>); 8] = [
            (1, &[7; 8], Some(Word::One(7))),
            (2, &[1, 2, 1, 2], Some(Word::Two(u16::from_ne_bytes([1, 2])))),
            (1, &[1, 2, 1, 2], None),
            (4, &[1, 2, 3, 4, 1, 2, 3, 4], Some(Word::Four(u32::from_ne_bytes([1, 2, 3, 4])))),
            (2, &[1, 2, 3, 4], None),
            (8, &[1, 2, 3, 4, 5, 6, 7, 8], None),
            (4, &[1, 2, 3], None),
            (4, &[0, 0, 0, 0, 0, 0, 240, 63], None),
        ];
        for (start, pattern, expected) in cases {
            assert_eq!(Word::of(start, pattern), expected, "{pattern:?} at {start}");
        }
    }
}
