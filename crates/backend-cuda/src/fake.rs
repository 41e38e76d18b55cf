//! A driver for tests: memory is the host's, work is done when it is queued, kernels are noted
//! and run where a test gave their text to the host's compiler ([`crate::host`]), and any
//! call fails where a test wants it to.
//!
//! State is per thread, so that tests beside each other do not meet; a test uses one thread.

use crate::driver::{Code, Driver};
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::OnceLock;

/// Memory of the device, of which nothing else takes any.
pub(crate) const TOTAL_BYTES: usize = 1 << 30;

/// A context that is another library's.
pub(crate) const FOREIGN: usize = 0xf0e1;

#[derive(Default)]
struct State {
    counts: BTreeMap<&'static str, u64>,
    /// Which call, counted from 1, fails, and with what.
    failures: BTreeMap<&'static str, (u64, Code)>,
    /// What ended the context.
    lost: Option<Code>,
    retained: u32,
    current: usize,
    /// Functions that were called while another library's context was current.
    strays: BTreeSet<&'static str>,
    /// Sizes of live allocations.
    memory: BTreeMap<u64, usize>,
    /// Allocations of pools, and what of them was freed: whether the host has seen it done.
    pooled: BTreeMap<u64, Option<bool>>,
    #[cfg(unix)]
    external: external::External,
    streams: usize,
    launches: Vec<Launch>,
    first_at: Option<usize>,
    /// Graphs and executables by their handles.
    graphs: BTreeMap<usize, Vec<Work>>,
    next_graph: usize,
    /// The stream that is captured, and what it was given.
    captured: Option<(usize, Vec<Work>)>,
}

/// A piece of work that can be done again and again.
type Work = Rc<dyn Fn()>;

/// A new handle of a graph or executable.
fn keep(graph: Vec<Work>) -> usize {
    with(|state| {
        state.next_graph += 1;
        state.graphs.insert(state.next_graph, graph);
        state.next_graph
    })
}

fn graph(handle: usize) -> Vec<Work> {
    with(|state| state.graphs.get(&handle).cloned()).expect("the graph was not destroyed")
}

/// Number of graphs and executables that were not destroyed.
pub(crate) fn graphs() -> usize {
    with(|state| state.graphs.len())
}

/// Another library queues work on a stream: it is done at once, or becomes a part of what is captured.
pub(crate) fn queue(stream: u64, work: impl Fn() + 'static) {
    let work: Work = Rc::new(work);
    let is_captured = with(|state| match &mut state.captured {
        Some((captured, graph)) if *captured == stream as usize => {
            graph.push(work.clone());
            true
        }
        _ => false,
    });
    if !is_captured {
        work();
    }
}

/// A launch as the driver got it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Launch {
    pub(crate) kernel: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    /// The first group, where a test said at which position it is.
    pub(crate) first: Option<[i64; 3]>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

fn with<R>(work: impl FnOnce(&mut State) -> R) -> R {
    STATE.with_borrow_mut(work)
}

/// Makes the `nth` call of a function from now on fail (1: the next one).
pub(crate) fn fail(function: &'static str, nth: u64, code: Code) {
    with(|state| {
        let so_far = state.counts.get(function).copied().unwrap_or(0);
        state.failures.insert(function, (so_far + nth, code));
    });
}

/// How often a function was called.
pub(crate) fn count(function: &str) -> u64 {
    with(|state| state.counts.get(function).copied().unwrap_or(0))
}

/// Makes a context of another library the current one.
pub(crate) fn enter_foreign() {
    with(|state| state.current = FOREIGN);
}

/// The current context, and the functions that were called while it was another library's.
pub(crate) fn strays() -> (usize, Vec<&'static str>) {
    with(|state| (state.current, state.strays.iter().copied().collect()))
}

/// Every function that was called so far.
pub(crate) fn called() -> Vec<&'static str> {
    with(|state| state.counts.keys().copied().collect())
}

/// Launches so far.
pub(crate) fn launches() -> Vec<Launch> {
    with(|state| state.launches.clone())
}

/// At which position, from now on, launches have the first group.
pub(crate) fn read_first_group_at(position: usize) {
    with(|state| state.first_at = Some(position));
}

/// Number and bytes of live allocations.
pub(crate) fn allocated() -> (usize, usize) {
    with(|state| (state.memory.len(), state.memory.values().sum()))
}

/// The calling thread is in the driver: what it allocates there is not the backend's.
pub(crate) struct Inside(bool);

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

impl Inside {
    pub(crate) fn enter() -> Self {
        Self(INSIDE.replace(true))
    }

    pub(crate) fn is_entered() -> bool {
        INSIDE.get()
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(self.0);
    }
}

/// Notes a call of a function and answers what it has to.
pub(crate) fn call(function: &'static str) -> Code {
    let _inside = Inside::enter();
    with(|state| {
        let count = state.counts.entry(function).or_default();
        *count += 1;
        let code = match state.failures.get(function) {
            Some((nth, code)) if nth == count => *code,
            _ => Code::SUCCESS,
        };
        if code.loses_context() {
            state.lost = Some(code);
        }
        let asks_nothing = ["ctx_get_current", "ctx_set_current"].contains(&function)
            || ["init", "device", "driver", "get_error"].iter().any(|prefix| function.starts_with(prefix));
        if state.current == FOREIGN && !asks_nothing {
            state.strays.insert(function);
        }
        match state.lost {
            Some(lost) if code == Code::SUCCESS && !asks_nothing => lost,
            _ => code,
        }
    })
}

/// The driver; a GPU of compute capability 9.0 and CUDA 13.0.
pub(crate) fn driver() -> Result<&'static Driver, String> {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    Ok(DRIVER.get_or_init(table))
}

/// Declares functions of the table that do something when they do not fail.
macro_rules! functions {
    ($driver:ident; $($name:ident($($argument:ident: $ty:ty),*) $body:block)*) => {$(
        unsafe extern "C" fn $name($($argument: $ty),*) -> Code {
            let _inside = Inside::enter();
            match call(stringify!($name)) {
                Code::SUCCESS => {
                    #[allow(unused_unsafe)]
                    // SAFETY: the callers are this crate's, and pass what the driver's documentation asks for.
                    unsafe { $body }
                    Code::SUCCESS
                }
                code => code,
            }
        }
        $driver.$name = $name;
    )*};
}

#[cfg(unix)]
mod external;
#[cfg(unix)]
pub(crate) use external::{TimelineEvent, imports, timeline_events};

fn table() -> Driver {
    let mut driver = Driver::silent();
    describe(&mut driver);
    contexts(&mut driver);
    memory(&mut driver);
    transfers(&mut driver);
    #[cfg(unix)]
    external::fill(&mut driver);
    handles(&mut driver);
    graph_functions(&mut driver);
    driver.mem_alloc = mem_alloc;
    driver.mem_alloc_async = mem_alloc_async;
    driver.mem_alloc_from_pool_async = mem_alloc_from_pool_async;
    driver
}

fn describe(driver: &mut Driver) {
    functions! { driver;
        driver_get_version(version: *mut i32) { *version = 13_000 }
        device_get_count(count: *mut i32) { *count = 2 }
        device_get(device: *mut i32, ordinal: i32) { *device = ordinal }
        device_get_name(name: *mut c_char, len: i32, _device: i32) {
            let text = b"Fake GPU\0";
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), name, text.len().min(len as usize));
        }
        device_total_mem(bytes: *mut usize, _device: i32) { *bytes = TOTAL_BYTES }
        device_get_uuid(uuid: *mut cudarc::driver::sys::CUuuid, device: i32) {
            // The first one is the null device's hardware.
            let bytes = if device == 0 { ferrocca_conformance::null::UUID } else { [device as u8; 16] };
            (*uuid).bytes = bytes.map(|byte| byte as c_char);
        }
        device_get_attribute(value: *mut i32, attribute: u32, _device: i32) { *value = attribute_value(attribute) }
        get_error_name(code: Code, text: *mut *const c_char) { *text = error_name(code).as_ptr() }
        get_error_string(_code: Code, text: *mut *const c_char) { *text = c"as the test wants".as_ptr() }
    }
}

fn attribute_value(attribute: u32) -> i32 {
    let values = [
        (Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9),
        (Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0),
        (Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, i32::MAX),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65_535),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65_535),
        (Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 << 10),
        (Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1),
        (Attribute::CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED, 1),
    ];
    values.iter().find(|(known, _)| *known as u32 == attribute).map_or(0, |(_, value)| *value)
}

fn error_name(code: Code) -> &'static CStr {
    match code {
        Code::OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
        Code::ILLEGAL_ADDRESS => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        _ => c"CUDA_ERROR_OF_A_TEST",
    }
}

fn contexts(driver: &mut Driver) {
    functions! { driver;
        device_primary_ctx_retain(context: *mut cudarc::driver::sys::CUcontext, device: i32) {
            with(|state| state.retained += 1);
            *context = (0x1000 + device as usize) as _;
        }
        device_primary_ctx_release(_device: i32) {
            with(|state| {
                state.retained -= 1;
                if state.retained == 0 {
                    state.lost = None;
                }
            })
        }
        ctx_synchronize() { observe() }
        stream_synchronize(_stream: cudarc::driver::sys::CUstream) { observe() }
        ctx_get_current(context: *mut cudarc::driver::sys::CUcontext) { *context = with(|state| state.current) as _ }
        ctx_set_current(context: cudarc::driver::sys::CUcontext) { with(|state| state.current = context as usize) }
    }
}

/// Memory of the host, where there is room for it.
fn allocate(bytes: usize) -> Option<u64> {
    let used = allocated().1;
    if bytes > TOTAL_BYTES - used {
        return None;
    }
    let layout = Layout::from_size_align(bytes.max(1), 256).ok()?;
    // SAFETY: the size is not zero.
    let address = unsafe { std::alloc::alloc(layout) } as u64;
    with(|state| state.memory.insert(address, bytes));
    Some(address)
}

fn free(address: u64) {
    let bytes = with(|state| state.memory.remove(&address)).expect("memory is freed once, and is the driver's");
    let layout = Layout::from_size_align(bytes.max(1), 256).expect("it was allocated with it");
    // SAFETY: allocated with the same layout.
    unsafe { std::alloc::dealloc(address as *mut u8, layout) };
}

/// # Safety
/// `pointer` may be written.
unsafe fn allocate_to(function: &'static str, pointer: *mut u64, bytes: usize) -> Code {
    match (call(function), allocate(bytes)) {
        (Code::SUCCESS, Some(address)) => {
            // SAFETY: by the caller.
            unsafe { *pointer = address };
            Code::SUCCESS
        }
        (Code::SUCCESS, None) => Code::OUT_OF_MEMORY,
        (code, address) => {
            address.into_iter().for_each(free);
            code
        }
    }
}

unsafe extern "C" fn mem_alloc(pointer: *mut u64, bytes: usize) -> Code {
    // SAFETY: as the driver's.
    unsafe { allocate_to("mem_alloc", pointer, bytes) }
}

unsafe extern "C" fn mem_alloc_async(pointer: *mut u64, bytes: usize, _: cudarc::driver::sys::CUstream) -> Code {
    // SAFETY: as the driver's.
    unsafe { allocate_to("mem_alloc_async", pointer, bytes) }
}

unsafe extern "C" fn mem_alloc_from_pool_async(
    pointer: *mut u64,
    bytes: usize,
    _: cudarc::driver::sys::CUmemoryPool,
    _: cudarc::driver::sys::CUstream,
) -> Code {
    give_back(|_| true);
    // SAFETY: as the driver's.
    let code = unsafe { allocate_to("mem_alloc_from_pool_async", pointer, bytes) };
    if code == Code::SUCCESS {
        // SAFETY: it was written above.
        with(|state| state.pooled.insert(unsafe { *pointer }, None));
    }
    code
}

/// Ends the hold of pools on what was freed, as far as it is meant.
fn give_back(is_meant: impl Fn(bool) -> bool) {
    let mut freed = Vec::new();
    with(|state| {
        state.pooled.retain(|&address, state| {
            let ends = state.is_some_and(&is_meant);
            freed.extend(ends.then_some(address));
            !ends
        });
    });
    freed.into_iter().for_each(free);
}

/// The host has waited for what was queued.
fn observe() {
    with(|state| state.pooled.values_mut().flatten().for_each(|seen| *seen = true));
}

fn memory(driver: &mut Driver) {
    functions! { driver;
        mem_get_info(free: *mut usize, total: *mut usize) {
            *free = TOTAL_BYTES - allocated().1;
            *total = TOTAL_BYTES;
        }
        mem_free(pointer: u64) { free(pointer) }
        mem_free_async(pointer: u64, _stream: cudarc::driver::sys::CUstream) {
            match with(|state| state.pooled.get_mut(&pointer).map(|freed| *freed = Some(false))) {
                Some(()) => {}
                None => free(pointer),
            }
        }
        mem_pool_trim_to(_pool: cudarc::driver::sys::CUmemoryPool, _keep: usize) { give_back(|seen| seen) }
        mem_pool_destroy(_pool: cudarc::driver::sys::CUmemoryPool) { give_back(|_| true) }
        mem_host_alloc(pointer: *mut *mut c_void, bytes: usize, _flags: u32) {
            *pointer = allocate(bytes).map_or(null_mut(), |address| address as *mut c_void)
        }
        mem_free_host(pointer: *mut c_void) { free(pointer as u64) }
        mem_host_get_device_pointer(device: *mut u64, host: *mut c_void, _flags: u32) { *device = host as u64 }
        mem_pool_create(
            pool: *mut cudarc::driver::sys::CUmemoryPool, _props: *const cudarc::driver::sys::CUmemPoolProps
        ) { *pool = 0x7000 as _ }
    }
}

/// Writes `word` to `height` rows of `width` words.
///
/// # Safety
/// The words may be written.
unsafe fn set<T: Copy>(to: u64, pitch: usize, word: T, width: usize, height: usize) {
    assert!(to.is_multiple_of(align_of::<T>() as u64) && pitch.is_multiple_of(align_of::<T>()), "words are aligned");
    for row in 0..height {
        for column in 0..width {
            // SAFETY: by the caller.
            unsafe { ((to as *mut u8).add(row * pitch) as *mut T).add(column).write(word) };
        }
    }
}

fn transfers(driver: &mut Driver) {
    use cudarc::driver::sys::{CUcontext, CUstream};
    functions! { driver;
        memcpy_async(to: u64, from: u64, bytes: usize, _stream: CUstream) {
            assert!(to.abs_diff(from) >= bytes as u64, "the driver's copies do not overlap");
            std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes);
        }
        memcpy_peer_async(to: u64, to_context: CUcontext, from: u64, from_context: CUcontext, bytes: usize, _stream: CUstream) {
            assert!(to_context != from_context, "a copy on one device is no copy between two");
            std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes);
        }
        memcpy_htod_async(to: u64, from: *const c_void, bytes: usize, _stream: CUstream) {
            std::ptr::copy_nonoverlapping(from.cast(), to as *mut u8, bytes)
        }
        memcpy_dtoh_async(to: *mut c_void, from: u64, bytes: usize, _stream: CUstream) {
            std::ptr::copy_nonoverlapping(from as *const u8, to.cast(), bytes)
        }
        memset_d8_async(to: u64, value: u8, count: usize, _stream: CUstream) { set(to, 0, value, count, 1) }
        memset_d16_async(to: u64, value: u16, count: usize, _stream: CUstream) { set(to, 0, value, count, 1) }
        memset_d32_async(to: u64, value: u32, count: usize, _stream: CUstream) { set(to, 0, value, count, 1) }
        memset_d2d8_async(to: u64, pitch: usize, value: u8, width: usize, height: usize, _stream: CUstream) {
            set(to, pitch, value, width, height);
        }
        memset_d2d32_async(to: u64, pitch: usize, value: u32, width: usize, height: usize, _stream: CUstream) {
            set(to, pitch, value, width, height);
        }
    }
}

fn handles(driver: &mut Driver) {
    use cudarc::driver::sys::{CUevent, CUfunction, CUmodule, CUstream};
    functions! { driver;
        stream_create_with_priority(stream: *mut CUstream, _flags: u32, _priority: i32) {
            *stream = with(|state| {
                state.streams += 1;
                state.streams
            }) as _;
        }
        stream_create(stream: *mut CUstream, _flags: u32) {
            *stream = with(|state| {
                state.streams += 1;
                0x2000 + 16 * state.streams
            }) as _
        }
        event_create(event: *mut CUevent, _flags: u32) { *event = 0x3000 as _ }
        event_elapsed_time(milliseconds: *mut f32, _start: CUevent, _end: CUevent) { *milliseconds = 0.25 }
        module_load_data(module: *mut CUmodule, _image: *const c_void) { *module = 0x4000 as _ }
        module_get_function(function: *mut CUfunction, _module: CUmodule, name: *const c_char) {
            // A function is its name; tests are few enough for it to stay.
            *function = CStr::from_ptr(name).to_owned().into_raw().cast();
        }
        func_get_attribute(value: *mut i32, attribute: u32, _function: CUfunction) {
            let local = cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES as u32;
            *value = if attribute == local { 0 } else { 640 }
        }
        launch_kernel(
            function: CUfunction, grid_x: u32, grid_y: u32, grid_z: u32, block_x: u32, block_y: u32, block_z: u32,
            shared_bytes: u32, _stream: CUstream, parameters: *mut *mut c_void, _extra: *mut *mut c_void
        ) {
            let launch = Launch {
                kernel: CStr::from_ptr(function.cast()).to_string_lossy().into_owned(),
                grid: [grid_x, grid_y, grid_z],
                block: [block_x, block_y, block_z],
                shared_bytes,
                first: with(|state| state.first_at).map(|at| *(*parameters.add(at)).cast::<[i64; 3]>()),
            };
            let (kernel, grid, block) = (launch.kernel.clone(), launch.grid, launch.block);
            with(|state| state.launches.push(launch));
            if kernel == "okl_copy_to_slot" {
                let values: [u64; 6] = std::array::from_fn(|position| *(*parameters.add(position)).cast());
                copy_to_slot(values);
            } else {
                crate::emulator::run(&kernel, grid, block, parameters);
            }

        }
    }
}

/// What `okl_copy_to_slot` does.
fn copy_to_slot([from, to, bytes, stride, repetition, counter]: [u64; 6]) {
    // SAFETY: the counter and both ranges are memory of this driver.
    unsafe {
        let slot = u64::from(*(counter as *const u32)) + repetition;
        std::ptr::copy_nonoverlapping(from as *const u8, (to + slot * stride) as *mut u8, bytes as usize);
    }
}

/// Adds work to a graph; answers the node.
fn add(graph: usize, work: impl Fn() + 'static) -> cudarc::driver::sys::CUgraphNode {
    with(|state| {
        let nodes = state.graphs.get_mut(&graph).expect("the graph was not destroyed");
        nodes.push(Rc::new(work));
        nodes.len() as _
    })
}

fn graph_functions(driver: &mut Driver) {
    use cudarc::driver::sys::{
        CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D, CUDA_MEMSET_NODE_PARAMS, CUcontext, CUgraph, CUgraphExec,
        CUgraphExecUpdateResultInfo, CUgraphNode, CUstream,
    };
    functions! { driver;
        graph_create(graph: *mut CUgraph, _flags: u32) { *graph = keep(Vec::new()) as _ }
        graph_add_memcpy_node(
            node: *mut CUgraphNode, graph: CUgraph, _after: *const CUgraphNode, _count: usize,
            params: *const CUDA_MEMCPY3D, _context: CUcontext
        ) {
            let CUDA_MEMCPY3D { dstDevice: to, srcDevice: from, WidthInBytes: bytes, .. } = *params;
            assert!(to.abs_diff(from) >= bytes as u64, "the driver's copies do not overlap");
            // SAFETY: ranges of this driver's memory.
            *node = add(graph as usize, move || unsafe {
                std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, bytes)
            });
        }
        graph_add_memset_node(
            node: *mut CUgraphNode, graph: CUgraph, _after: *const CUgraphNode, _count: usize,
            params: *const CUDA_MEMSET_NODE_PARAMS, _context: CUcontext
        ) {
            let CUDA_MEMSET_NODE_PARAMS { dst, pitch, value, elementSize, width, height } = *params;
            // SAFETY: words of this driver's memory.
            *node = add(graph as usize, move || unsafe {
                match elementSize {
                    1 => set(dst, pitch, value as u8, width, height),
                    2 => set(dst, pitch, value as u16, width, height),
                    _ => set(dst, pitch, value, width, height),
                }
            });
        }
        graph_add_kernel_node(
            node: *mut CUgraphNode, graph: CUgraph, _after: *const CUgraphNode, _count: usize,
            params: *const CUDA_KERNEL_NODE_PARAMS
        ) {
            let CUDA_KERNEL_NODE_PARAMS { func, kernelParams: parameters, .. } = *params;
            assert_eq!(CStr::from_ptr(func.cast()), c"okl_copy_to_slot", "the only kernel of this driver's graphs");
            let values: [u64; 6] = std::array::from_fn(|position| *(*parameters.add(position)).cast());
            *node = add(graph as usize, move || copy_to_slot(values));
        }
        graph_add_child_graph_node(
            node: *mut CUgraphNode, raw: CUgraph, _after: *const CUgraphNode, _count: usize, child: CUgraph
        ) {
            let child = graph(child as usize);
            *node = add(raw as usize, move || child.iter().for_each(|work| work()));
        }
        stream_begin_capture(stream: CUstream, _mode: u32) {
            let before = with(|state| state.captured.replace((stream as usize, Vec::new())));
            assert!(before.is_none(), "one stream is captured at a time");
        }
        stream_end_capture(stream: CUstream, raw: *mut CUgraph) {
            let (captured, work) = with(|state| state.captured.take()).expect("a stream is captured");
            assert_eq!(captured, stream as usize, "the stream that is captured");
            *raw = keep(work) as _;
        }
        graph_instantiate(exec: *mut CUgraphExec, raw: CUgraph, _flags: u64) { *exec = keep(graph(raw as usize)) as _ }
        graph_exec_update(exec: CUgraphExec, raw: CUgraph, _info: *mut CUgraphExecUpdateResultInfo) {
            let new = graph(raw as usize);
            with(|state| state.graphs.insert(exec as usize, new));
        }
        graph_exec_memset_node_set_params(
            exec: CUgraphExec, _node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS, _context: CUcontext
        ) {
            let CUDA_MEMSET_NODE_PARAMS { dst, value, .. } = *params;
            let mut work = graph(exec as usize);
            work[0] = Rc::new(move || set(dst, 0, value, 1, 1));
            with(|state| state.graphs.insert(exec as usize, work));
        }
        graph_launch(exec: CUgraphExec, _stream: CUstream) { graph(exec as usize).iter().for_each(|work| work()) }
        graph_destroy(raw: CUgraph) { drop(with(|state| state.graphs.remove(&(raw as usize)))) }
        graph_exec_destroy(exec: CUgraphExec) { drop(with(|state| state.graphs.remove(&(exec as usize)))) }
    }
}
