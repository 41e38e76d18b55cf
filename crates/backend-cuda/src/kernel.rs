//! Loaded kernels and their launch: one driver call, nothing on the heap, no lock.

use crate::artifact;
use crate::context::Context;
use crate::error;
use crate::memory::downcast;
use crate::queue::{Grid, Queue};
use crate::range;
use crate::stream::downcast_stream;
use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUmodule};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendKernel, BackendStream, GridPart, LaunchDims, PackedArgument, grid_parts};
use okl::signature::NestSignature;
use smallvec::SmallVec;
use std::any::Any;
use std::ffi::{CString, c_void};
use std::sync::Arc;

/// Arguments that fit on the stack.
const FEW: usize = 32;
/// The same with the first group and the end behind them; a size that there is a `SmallVec` for.
const FEW_AND_HIDDEN: usize = 36;

/// Launches of at least this many groups for each multiprocessor are coarsened: with fewer, half as many blocks would
/// leave multiprocessors idle.
const MANY_GROUPS: u64 = 16;

/// A loaded binary and the text that it was made from; unloaded with its last kernel.
pub(crate) struct Module {
    raw: CUmodule,
    text: String,
    options: Vec<String>,
    context: Arc<Context>,
}

// SAFETY: the driver takes calls on a module from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads an artifact.
    pub(crate) fn load(context: &Arc<Context>, bytes: &[u8]) -> Result<Arc<Self>> {
        let parts = artifact::split(bytes)?;
        let _current = context.make_current()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `split` found an ELF file, which core has compared with its hash.
        let code = unsafe { (context.driver().module_load_data)(&mut raw, parts.cubin.as_ptr().cast()) };
        context.check(code, "cuModuleLoadData")?;
        let options = parts.options.lines().map(str::to_owned).collect();
        Ok(Arc::new(Self { raw, text: parts.text.to_owned(), options, context: context.clone() }))
    }

    /// The function of a name, and the most threads of a block of it.
    fn function(&self, name: &CString) -> Result<(CUfunction, u64)> {
        let _current = self.context.make_current()?;
        let (context, driver) = (&self.context, self.context.driver());
        let (mut function, mut max_threads) = (std::ptr::null_mut(), 0);
        // SAFETY: the module is loaded.
        let code = unsafe { (driver.module_get_function)(&mut function, self.raw, name.as_ptr()) };
        context.check(code, "cuModuleGetFunction").map_err(|error| error.while_doing(format!("loading {name:?}")))?;
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK as u32;
        // SAFETY: as above.
        let code = unsafe { (driver.func_get_attribute)(&mut max_threads, attribute, function) };
        context.check(code, "cuFuncGetAttribute")?;
        Ok((function, u64::from(max_threads.unsigned_abs())))
    }
}

impl Module {
    /// The text that it was compiled from.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The options that it was compiled with.
    pub(crate) fn options(&self) -> &[String] {
        &self.options
    }

    /// Whether none of its options lets the compiler choose other bits where another text stands around its functions.
    pub(crate) fn has_exact_options(&self) -> bool {
        let is_exact = |option: &String| {
            option.starts_with("--gpu-architecture=")
                || ["--std=c++17", "--fmad=false", "--generate-line-info"].contains(&option.as_str())
        };
        self.options.iter().all(is_exact)
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Kernels of it may be queued still.
        if let Ok(_current) = self.context.make_current()
            && self.context.finish().is_ok()
        {
            // SAFETY: loaded once, unloaded once, after the last kernel of it.
            let _ = unsafe { (self.context.driver().module_unload)(self.raw) };
        }
    }
}

/// A function of a module.
pub(crate) struct CudaKernel {
    function: CUfunction,
    /// The coarsened function, whose blocks run two groups each, and from how many groups on it is launched.
    coarsened: Option<(CUfunction, u64)>,
    name: CString,
    /// Its number in the logs of launches.
    number: u32,
    max_threads: u64,
    max_grid: [u64; 3],
    /// Shared memory that a launch gives beside what the function declares.
    shared_bytes: u32,
    module: Arc<Module>,
}

// SAFETY: the driver takes launches of a function from any thread.
unsafe impl Send for CudaKernel {}
// SAFETY: as above.
unsafe impl Sync for CudaKernel {}

impl CudaKernel {
    /// The function `name` of a module, whose launches give it `shared_bytes`; `max_grid` is the largest grid of the
    /// device.
    pub(crate) fn find(module: &Arc<Module>, name: &str, shared_bytes: u64, max_grid: [u64; 3]) -> Result<Self> {
        let c_name = CString::new(name).map_err(|_| error::internal("a kernel's name has a NUL byte"))?;
        let _current = module.context.make_current()?;
        let (function, max_threads) = module.function(&c_name)?;
        if shared_bytes > 0 {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
            // SAFETY: the function is of a loaded module, whose context is current.
            let code =
                unsafe { (module.context.driver().func_set_attribute)(function, attribute, shared_bytes as i32) };
            module.context.check(code, "cuFuncSetAttribute")?;
        }
        Ok(Self {
            function,
            coarsened: None,
            name: c_name,
            number: module.context.number_of(name),
            max_threads,
            max_grid,
            shared_bytes: shared_bytes as u32,
            module: module.clone(),
        })
    }

    /// The same, which launches the coarsened function `name` where there are many groups.
    pub(crate) fn with_coarsened(self, name: &str, multiprocessors: u32) -> Result<Self> {
        let name = CString::new(name).map_err(|_| error::internal("a kernel's name has a NUL byte"))?;
        let (function, max_threads) = self.module.function(&name)?;
        let many = u64::from(multiprocessors) * MANY_GROUPS;
        Ok(Self { coarsened: Some((function, many)), max_threads: max_threads.min(self.max_threads), ..self })
    }

    /// Its module.
    pub(crate) fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// Bytes of memory that each thread has for what is not in registers.
    pub(crate) fn local_bytes(&self) -> Result<u64> {
        let (context, mut bytes) = (&self.module.context, 0);
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES as u32;
        let _current = context.make_current()?;
        // SAFETY: the function is of a loaded module.
        let code = unsafe { (context.driver().func_get_attribute)(&mut bytes, attribute, self.function) };
        context.check(code, "cuFuncGetAttribute")?;
        Ok(u64::from(bytes.unsigned_abs()))
    }

    /// Its number in the logs of launches.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// A grid of it.
    pub(crate) fn grid<'a>(&self, blocks: [u32; 3], threads: [u32; 3], parameters: &'a mut [*mut c_void]) -> Grid<'a> {
        let Self { function, number, shared_bytes, .. } = *self;
        Grid { function, number, blocks, threads, shared_bytes, parameters }
    }

    /// Queues a launch as core asks for it: one grid nearly always, several where the groups are more than a grid takes.
    ///
    /// # Safety
    /// As [`BackendKernel::launch`]; the context is current.
    #[inline]
    pub(crate) unsafe fn enqueue(
        &self,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        queue: &impl Queue,
    ) -> Result<()> {
        // SAFETY: by the caller.
        unsafe { self.enqueue_part(GridPart::whole(dims.outer), dims.inner, arguments, queue) }
    }

    /// Queues some groups of a launch.
    ///
    /// # Safety
    /// As [`enqueue`](Self::enqueue), for a launch that has these groups, of `inner` items each.
    #[inline]
    pub(crate) unsafe fn enqueue_part(
        &self,
        part: GridPart,
        inner: [u64; 3],
        arguments: &[PackedArgument<'_>],
        queue: &impl Queue,
    ) -> Result<()> {
        let mut pointers: SmallVec<[u64; FEW]> = SmallVec::with_capacity(arguments.len());
        for argument in arguments {
            pointers.push(match argument {
                PackedArgument::Memory { memory: Some(memory), offset_bytes, .. } => {
                    downcast(*memory)?.pointer() + offset_bytes
                }
                PackedArgument::Memory { memory: None, .. } | PackedArgument::Value(_) => 0,
            });
        }
        let (mut first, mut end) = ([0_i64; 3], 0_i64);
        let mut parameters: SmallVec<[*mut c_void; FEW_AND_HIDDEN]> = SmallVec::with_capacity(arguments.len() + 2);
        for (argument, pointer) in arguments.iter().zip(&mut pointers) {
            parameters.push(match argument {
                PackedArgument::Memory { .. } => (&raw mut *pointer).cast(),
                PackedArgument::Value(value) => value.as_ptr().cast_mut().cast(),
            });
        }
        let (first_address, end_address) = (&raw mut first, &raw mut end);
        parameters.extend([first_address.cast(), end_address.cast()]);
        let threads = inner.map(|items| items as u32);
        let groups = part.groups.iter().product::<u64>();
        let coarsened = self.coarsened.filter(|&(_, many)| part.groups[0] > 1 && groups >= many);
        for GridPart { first: from, groups, .. } in grid_parts(part.groups, self.max_grid) {
            let from: [u64; 3] = std::array::from_fn(|axis| part.first[axis] + from[axis]);
            // SAFETY: the driver reads the numbers during the call only; they live here.
            unsafe {
                *first_address = from.map(|group| group as i64);
                *end_address = (from[0] + groups[0]) as i64;
            }
            let mut blocks = groups.map(|count| count as u32);
            let mut function = self.function;
            if let Some((coarsened, _)) = coarsened {
                (function, blocks[0]) = (coarsened, blocks[0].div_ceil(2));
            }
            let grid = Grid { function, ..self.grid(blocks, threads, &mut parameters) };
            // SAFETY: the arguments fit the nest (by the caller), whose function takes the first group behind them, and
            // the coarsened one also the end; the part fits a grid, and core has compared the block with the limits.
            unsafe { queue.run(grid) }?;
        }
        Ok(())
    }
}

impl BackendKernel for CudaKernel {
    fn max_inner(&self) -> u64 {
        self.max_threads
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let _range = range::open(&self.name);
        let stream = downcast_stream(stream)?;
        let _current = self.module.context.make_current()?;
        // SAFETY: by the caller.
        unsafe { self.enqueue(dims, arguments, stream) }
    }
}

/// The kernel behind a contract reference.
pub(crate) fn downcast_kernel(kernel: &dyn BackendKernel) -> Result<&CudaKernel> {
    (kernel as &dyn Any)
        .downcast_ref()
        .ok_or_else(|| error::internal("a kernel of another backend reached the CUDA backend"))
}
