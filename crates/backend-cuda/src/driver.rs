//! The functions of the CUDA driver that are used, as a table that is filled when the driver is loaded.
//!
//! A table instead of cudarc's functions, for three reasons: a symbol that an older driver lacks is an error with its
//! name instead of a panic; a result code that this program does not know is a number instead of an invalid value of a
//! Rust enum; and tests fill a table of their own, with failures where they want them.
//! Only symbols that every driver since CUDA 12.0 has are in it.

use cudarc::driver::sys::{
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC,
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, CUDA_KERNEL_NODE_PARAMS, CUDA_MEMCPY3D,
    CUDA_MEMSET_NODE_PARAMS, CUcontext, CUdevice, CUdeviceptr, CUevent, CUexternalMemory, CUexternalSemaphore,
    CUfunction, CUgraph, CUgraphExec, CUgraphExecUpdateResultInfo, CUgraphNode, CUipcMemHandle, CUlaunchAttributeValue,
    CUmemPoolProps, CUmemoryPool, CUmodule, CUstream, CUuuid,
};
use libloading::Library;
use std::error::Error as _;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use std::fmt;

/// What a driver call answers; 0 is success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Code(pub(crate) u32);

impl Code {
    pub(crate) const SUCCESS: Self = Self(0);
    pub(crate) const OUT_OF_MEMORY: Self = Self(2);
    pub(crate) const NO_DEVICE: Self = Self(100);
    pub(crate) const ECC_UNCORRECTABLE: Self = Self(214);
    pub(crate) const NOT_READY: Self = Self(600);
    pub(crate) const ILLEGAL_ADDRESS: Self = Self(700);
    pub(crate) const LAUNCH_TIMEOUT: Self = Self(702);
    pub(crate) const CONTEXT_IS_DESTROYED: Self = Self(709);
    pub(crate) const ASSERT: Self = Self(710);
    pub(crate) const HARDWARE_STACK_ERROR: Self = Self(714);
    pub(crate) const ILLEGAL_INSTRUCTION: Self = Self(715);
    pub(crate) const MISALIGNED_ADDRESS: Self = Self(716);
    pub(crate) const INVALID_ADDRESS_SPACE: Self = Self(717);
    pub(crate) const INVALID_PC: Self = Self(718);
    pub(crate) const LAUNCH_FAILED: Self = Self(719);

    /// Whether the context is unusable from now on: every later call fails with the same code.
    pub(crate) fn loses_context(self) -> bool {
        matches!(
            self,
            Self::ECC_UNCORRECTABLE
                | Self::ILLEGAL_ADDRESS
                | Self::LAUNCH_TIMEOUT
                | Self::CONTEXT_IS_DESTROYED
                | Self::ASSERT
                | Self::HARDWARE_STACK_ERROR
                | Self::ILLEGAL_INSTRUCTION
                | Self::MISALIGNED_ADDRESS
                | Self::INVALID_ADDRESS_SPACE
                | Self::INVALID_PC
                | Self::LAUNCH_FAILED
        )
    }
}

/// Declares the table from the driver's prototypes: a field per function, the loader, and for tests a table of functions
/// that do nothing.
macro_rules! driver_table {
    ($($name:ident: $symbol:literal($($argument:ident: $ty:ty),* $(,)?);)*) => {
        /// The driver's functions, named as in cuda.h without `cu` and without the version at their end.
        #[allow(missing_docs)]
        pub(crate) struct Driver {
            $(pub(crate) $name: unsafe extern "C" fn($($ty),*) -> Code,)*
            /// Keeps the functions valid; absent in the tables of tests.
            _library: Option<Library>,
        }

        impl Driver {
            /// Fills the table.
            ///
            /// # Safety
            /// `library` is the CUDA driver.
            unsafe fn of(library: Library) -> Result<Self, String> {
                Ok(Self {
                    $(
                        $name: {
                            // SAFETY: the types are those of cuda.h.
                            let symbol = unsafe {
                                library.get::<unsafe extern "C" fn($($ty),*) -> Code>($symbol.as_bytes())
                            };
                            *symbol.map_err(|_| concat!("it has no function `", $symbol, "`").to_owned())?
                        },
                    )*
                    _library: Some(library),
                })
            }

            /// A table whose functions count their calls, succeed (unless told otherwise) and do nothing.
            #[cfg(test)]
            pub(crate) fn silent() -> Self {
                $(
                    unsafe extern "C" fn $name($($argument: $ty),*) -> Code {
                        $(let _ = $argument;)*
                        crate::fake::call(stringify!($name))
                    }
                )*
                Self { $($name,)* _library: None }
            }
        }
    };
}

driver_table! {
    init: "cuInit"(flags: c_uint);
    driver_get_version: "cuDriverGetVersion"(version: *mut c_int);
    get_error_name: "cuGetErrorName"(code: Code, text: *mut *const c_char);
    get_error_string: "cuGetErrorString"(code: Code, text: *mut *const c_char);
    device_get_count: "cuDeviceGetCount"(count: *mut c_int);
    device_get: "cuDeviceGet"(device: *mut CUdevice, ordinal: c_int);
    device_get_name: "cuDeviceGetName"(name: *mut c_char, len: c_int, device: CUdevice);
    device_total_mem: "cuDeviceTotalMem_v2"(bytes: *mut usize, device: CUdevice);
    device_get_attribute: "cuDeviceGetAttribute"(value: *mut c_int, attribute: c_uint, device: CUdevice);
    device_get_uuid: "cuDeviceGetUuid_v2"(uuid: *mut CUuuid, device: CUdevice);
    device_primary_ctx_retain: "cuDevicePrimaryCtxRetain"(context: *mut CUcontext, device: CUdevice);
    device_primary_ctx_release: "cuDevicePrimaryCtxRelease_v2"(device: CUdevice);
    ctx_get_current: "cuCtxGetCurrent"(context: *mut CUcontext);
    ctx_set_current: "cuCtxSetCurrent"(context: CUcontext);
    ctx_synchronize: "cuCtxSynchronize"();
    ctx_enable_peer_access: "cuCtxEnablePeerAccess"(peer: CUcontext, flags: c_uint);
    device_can_access_peer: "cuDeviceCanAccessPeer"(answer: *mut c_int, device: CUdevice, peer: CUdevice);
    ipc_get_mem_handle: "cuIpcGetMemHandle"(handle: *mut CUipcMemHandle, pointer: CUdeviceptr);
    ipc_open_mem_handle: "cuIpcOpenMemHandle_v2"(pointer: *mut CUdeviceptr, handle: CUipcMemHandle, flags: c_uint);
    ipc_close_mem_handle: "cuIpcCloseMemHandle"(pointer: CUdeviceptr);
    mem_get_info: "cuMemGetInfo_v2"(free: *mut usize, total: *mut usize);
    mem_alloc: "cuMemAlloc_v2"(pointer: *mut CUdeviceptr, bytes: usize);
    mem_free: "cuMemFree_v2"(pointer: CUdeviceptr);
    mem_host_alloc: "cuMemHostAlloc"(pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
    mem_free_host: "cuMemFreeHost"(pointer: *mut c_void);
    mem_host_get_device_pointer: "cuMemHostGetDevicePointer_v2"(
        device: *mut CUdeviceptr, host: *mut c_void, flags: c_uint
    );
    pointer_get_attributes: "cuPointerGetAttributes"(
        count: c_uint, attributes: *mut c_uint, values: *mut *mut c_void, pointer: CUdeviceptr
    );
    mem_pool_create: "cuMemPoolCreate"(pool: *mut CUmemoryPool, props: *const CUmemPoolProps);
    mem_pool_destroy: "cuMemPoolDestroy"(pool: CUmemoryPool);
    mem_pool_set_attribute: "cuMemPoolSetAttribute"(pool: CUmemoryPool, attribute: c_uint, value: *mut c_void);
    mem_pool_trim_to: "cuMemPoolTrimTo"(pool: CUmemoryPool, bytes_to_keep: usize);
    mem_alloc_from_pool_async: "cuMemAllocFromPoolAsync"(
        pointer: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream
    );
    mem_alloc_async: "cuMemAllocAsync"(pointer: *mut CUdeviceptr, bytes: usize, stream: CUstream);
    mem_free_async: "cuMemFreeAsync"(pointer: CUdeviceptr, stream: CUstream);
    import_external_memory: "cuImportExternalMemory"(
        memory: *mut CUexternalMemory, description: *const CUDA_EXTERNAL_MEMORY_HANDLE_DESC
    );
    external_memory_get_mapped_buffer: "cuExternalMemoryGetMappedBuffer"(
        pointer: *mut CUdeviceptr, memory: CUexternalMemory, description: *const CUDA_EXTERNAL_MEMORY_BUFFER_DESC
    );
    destroy_external_memory: "cuDestroyExternalMemory"(memory: CUexternalMemory);
    import_external_semaphore: "cuImportExternalSemaphore"(
        semaphore: *mut CUexternalSemaphore, description: *const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC
    );
    signal_external_semaphores_async: "cuSignalExternalSemaphoresAsync"(
        semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS, count: c_uint,
        stream: CUstream,
    );
    wait_external_semaphores_async: "cuWaitExternalSemaphoresAsync"(
        semaphores: *const CUexternalSemaphore, params: *const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS, count: c_uint,
        stream: CUstream,
    );
    destroy_external_semaphore: "cuDestroyExternalSemaphore"(semaphore: CUexternalSemaphore);
    memcpy_peer_async: "cuMemcpyPeerAsync"(
        to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, bytes: usize, stream: CUstream,
    );
    memcpy_async: "cuMemcpyAsync"(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    memcpy_htod_async: "cuMemcpyHtoDAsync_v2"(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    memcpy_dtoh_async: "cuMemcpyDtoHAsync_v2"(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    memset_d8_async: "cuMemsetD8Async"(to: CUdeviceptr, value: u8, count: usize, stream: CUstream);
    memset_d16_async: "cuMemsetD16Async"(to: CUdeviceptr, value: u16, count: usize, stream: CUstream);
    memset_d32_async: "cuMemsetD32Async"(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
    memset_d2d8_async: "cuMemsetD2D8Async"(
        to: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, stream: CUstream
    );
    memset_d2d32_async: "cuMemsetD2D32Async"(
        to: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize, stream: CUstream
    );
    stream_create: "cuStreamCreate"(stream: *mut CUstream, flags: c_uint);
    stream_create_with_priority: "cuStreamCreateWithPriority"(stream: *mut CUstream, flags: c_uint, priority: c_int);
    stream_destroy: "cuStreamDestroy_v2"(stream: CUstream);
    stream_synchronize: "cuStreamSynchronize"(stream: CUstream);
    stream_wait_event: "cuStreamWaitEvent"(stream: CUstream, event: CUevent, flags: c_uint);
    event_create: "cuEventCreate"(event: *mut CUevent, flags: c_uint);
    event_destroy: "cuEventDestroy_v2"(event: CUevent);
    event_record: "cuEventRecord"(event: CUevent, stream: CUstream);
    event_synchronize: "cuEventSynchronize"(event: CUevent);
    event_query: "cuEventQuery"(event: CUevent);
    event_elapsed_time: "cuEventElapsedTime"(milliseconds: *mut f32, start: CUevent, end: CUevent);
    module_load_data: "cuModuleLoadData"(module: *mut CUmodule, image: *const c_void);
    module_unload: "cuModuleUnload"(module: CUmodule);
    module_get_function: "cuModuleGetFunction"(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    func_get_attribute: "cuFuncGetAttribute"(value: *mut c_int, attribute: c_uint, function: CUfunction);
    func_set_attribute: "cuFuncSetAttribute"(function: CUfunction, attribute: c_uint, value: c_int);
    launch_kernel: "cuLaunchKernel"(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared_bytes: c_uint, stream: CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    );
    graph_create: "cuGraphCreate"(graph: *mut CUgraph, flags: c_uint);
    graph_add_kernel_node: "cuGraphAddKernelNode_v2"(
        node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
        params: *const CUDA_KERNEL_NODE_PARAMS,
    );
    graph_kernel_node_set_attribute: "cuGraphKernelNodeSetAttribute"(
        node: CUgraphNode, attribute: c_uint, value: *const CUlaunchAttributeValue,
    );
    graph_add_memcpy_node: "cuGraphAddMemcpyNode"(
        node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: *const CUDA_MEMCPY3D,
        context: CUcontext,
    );
    graph_add_memset_node: "cuGraphAddMemsetNode"(
        node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize,
        params: *const CUDA_MEMSET_NODE_PARAMS, context: CUcontext,
    );
    graph_add_child_graph_node: "cuGraphAddChildGraphNode"(
        node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph,
    );
    stream_begin_capture: "cuStreamBeginCapture_v2"(stream: CUstream, mode: c_uint);
    stream_end_capture: "cuStreamEndCapture"(stream: CUstream, graph: *mut CUgraph);
    graph_destroy: "cuGraphDestroy"(graph: CUgraph);
    graph_instantiate: "cuGraphInstantiateWithFlags"(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
    graph_exec_update: "cuGraphExecUpdate_v2"(
        exec: CUgraphExec, graph: CUgraph, info: *mut CUgraphExecUpdateResultInfo
    );
    graph_exec_memset_node_set_params: "cuGraphExecMemsetNodeSetParams"(
        exec: CUgraphExec, node: CUgraphNode, params: *const CUDA_MEMSET_NODE_PARAMS,
        context: CUcontext,
    );
    graph_launch: "cuGraphLaunch"(exec: CUgraphExec, stream: CUstream);
    graph_exec_destroy: "cuGraphExecDestroy"(exec: CUgraphExec);
}

impl Driver {
    /// Loads the driver that is installed.
    /// # Errors
    /// A sentence that says why not.
    pub(crate) fn load() -> Result<Self, String> {
        let names: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };
        let mut reason = String::new();
        for name in names {
            // SAFETY: the driver's library has no requirement when it is opened.
            match unsafe { Library::new(*name) } {
                Ok(library) => {
                    // SAFETY: the names belong to the CUDA driver.
                    return unsafe { Self::of(library) }.map_err(|what| {
                        format!(
                            "the NVIDIA driver is too old ({what}); CUDA 12.0 or newer is needed: update the driver"
                        )
                    });
                }
                // The loader's own words are what the error is made of.
                Err(error) if reason.is_empty() => {
                    reason = error.source().map_or_else(|| error.to_string(), |cause| cause.to_string());
                }
                Err(_) => {}
            }
        }
        Err(format!("the NVIDIA driver is not installed ({reason})"))
    }

    /// `CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered`
    pub(crate) fn describe(&self, code: Code) -> String {
        let text = |function: unsafe extern "C" fn(Code, *mut *const c_char) -> Code| {
            let mut text = std::ptr::null();
            // SAFETY: writes one pointer, to a text that is never freed.
            let found = unsafe { function(code, &mut text) } == Code::SUCCESS && !text.is_null();
            // SAFETY: as above.
            found.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        match (text(self.get_error_name), text(self.get_error_string)) {
            (Some(name), Some(text)) => format!("{name}: {text}"),
            (Some(name), None) => name,
            _ => format!("error {}", code.0),
        }
    }
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Driver")
    }
}
