//! Loaded kernels and their launch: one driver call, nothing on the heap, no lock.

use crate::artifact;
use crate::context::Context;
use crate::error;
use crate::memory::downcast;
use crate::range;
use crate::stream::{CudaStream, downcast_stream};
use cudarc::driver::sys::{CUfunction, CUfunction_attribute, CUmodule};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use okl::signature::NestSignature;
use smallvec::SmallVec;
use std::any::Any;
use std::ffi::{CString, c_void};
use std::sync::Arc;

/// Arguments that fit on the stack.
const FEW: usize = 32;
/// The same with the first group behind them; a size that there is a `SmallVec` for.
const FEW_AND_FIRST: usize = 36;

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
        context.make_current()?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: `split` found an ELF file, which core has compared with its hash.
        let code = unsafe { (context.driver().module_load_data)(&mut raw, parts.cubin.as_ptr().cast()) };
        context.check(code, "cuModuleLoadData")?;
        let options = parts.options.lines().map(str::to_owned).collect();
        Ok(Arc::new(Self { raw, text: parts.text.to_owned(), options, context: context.clone() }))
    }

    /// The function of a name.
    fn function(&self, name: &CString) -> Result<CUfunction> {
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is loaded.
        let code = unsafe { (self.context.driver().module_get_function)(&mut function, self.raw, name.as_ptr()) };
        self.context
            .check(code, "cuModuleGetFunction")
            .map_err(|error| error.while_doing(format!("loading {name:?}")))?;
        Ok(function)
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
        if self.context.finish().is_ok() {
            // SAFETY: loaded once, unloaded once, after the last kernel of it.
            let _ = unsafe { (self.context.driver().module_unload)(self.raw) };
        }
    }
}

/// A function of a module.
pub(crate) struct CudaKernel {
    function: CUfunction,
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
        module.context.make_current()?;
        let function = module.function(&c_name)?;
        let (context, driver) = (&module.context, module.context.driver());
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK as u32;
        let mut max_threads = 0;
        // SAFETY: the function is of a loaded module.
        let code = unsafe { (driver.func_get_attribute)(&mut max_threads, attribute, function) };
        context.check(code, "cuFuncGetAttribute")?;
        if shared_bytes > 0 {
            let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as u32;
            // SAFETY: as above.
            let code = unsafe { (driver.func_set_attribute)(function, attribute, shared_bytes as i32) };
            context.check(code, "cuFuncSetAttribute")?;
        }
        Ok(Self {
            function,
            name: c_name,
            number: module.context.number_of(name),
            max_threads: u64::from(max_threads.unsigned_abs()),
            max_grid,
            shared_bytes: shared_bytes as u32,
            module: module.clone(),
        })
    }

    /// Its module.
    pub(crate) fn module(&self) -> &Arc<Module> {
        &self.module
    }

    /// Its number in the logs of launches.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Launches one grid.
    ///
    /// # Safety
    /// `parameters` point to values of the function's own types, in its order; grid and block are within the device's
    /// limits.
    pub(crate) unsafe fn launch_grid(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        parameters: &mut [*mut c_void],
        stream: &CudaStream,
    ) -> Result<()> {
        let context = &self.module.context;
        stream.log().note(self.number);
        // SAFETY: by the caller.
        let code = unsafe {
            (context.driver().launch_kernel)(
                self.function,
                grid[0],
                grid[1],
                grid[2],
                block[0],
                block[1],
                block[2],
                self.shared_bytes,
                stream.raw(),
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        context.check(code, "cuLaunchKernel")
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
        self.module.context.make_current()?;
        let mut pointers: SmallVec<[u64; FEW]> = SmallVec::with_capacity(arguments.len());
        for argument in arguments {
            pointers.push(match argument {
                PackedArgument::Memory { memory: Some(memory), offset_bytes, .. } => {
                    downcast(*memory)?.pointer() + offset_bytes
                }
                PackedArgument::Memory { memory: None, .. } | PackedArgument::Value(_) => 0,
            });
        }
        let mut first = [0_i64; 3];
        let mut parameters: SmallVec<[*mut c_void; FEW_AND_FIRST]> = SmallVec::with_capacity(arguments.len() + 1);
        for (argument, pointer) in arguments.iter().zip(&mut pointers) {
            parameters.push(match argument {
                PackedArgument::Memory { .. } => (&raw mut *pointer).cast(),
                PackedArgument::Value(value) => value.as_ptr().cast_mut().cast(),
            });
        }
        let first_address = &raw mut first;
        parameters.push(first_address.cast());
        let block = dims.inner.map(|items| items as u32);
        for_each_part(dims.outer, self.max_grid, |from, groups| {
            // SAFETY: the driver reads the numbers during the call only; they live here.
            unsafe { *first_address = from.map(|group| group as i64) };
            // SAFETY: the arguments fit the nest (by the caller), whose function takes the first group behind them; the
            // part fits a grid, and core has compared the block with the limits.
            unsafe { self.launch_grid(groups.map(|count| count as u32), block, &mut parameters, stream) }
        })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Cuts a space of groups into grids that the device can launch, nearly always one: the first group and the number of
/// groups of each.
pub(crate) fn for_each_part(
    outer: [u64; 3],
    max_grid: [u64; 3],
    mut part: impl FnMut([u64; 3], [u64; 3]) -> Result<()>,
) -> Result<()> {
    if (0..3).all(|axis| outer[axis] <= max_grid[axis]) {
        return part([0; 3], outer);
    }
    let mut first = [0; 3];
    while first[2] < outer[2] {
        part(first, std::array::from_fn(|axis| (outer[axis] - first[axis]).min(max_grid[axis])))?;
        for axis in 0..3 {
            first[axis] += max_grid[axis];
            if first[axis] < outer[axis] || axis == 2 {
                break;
            }
            first[axis] = 0;
        }
    }
    Ok(())
}

/// The kernel behind a contract reference.
pub(crate) fn downcast_kernel(kernel: &dyn BackendKernel) -> Result<&CudaKernel> {
    kernel
        .as_any()
        .downcast_ref()
        .ok_or_else(|| error::internal("a kernel of another backend reached the CUDA backend"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_every_group_once() {
        let cases = [
            ([5, 1, 1], [100, 100, 100]),
            ([5, 7, 9], [2, 7, 4]),
            ([4, 4, 4], [2, 2, 2]),
            ([1, 1, 3], [1, 1, 1]),
            ([3, 5, 2], [3, 2, 2]),
        ];
        for (outer, limit) in cases {
            let mut seen = vec![0; (outer[0] * outer[1] * outer[2]) as usize];
            for_each_part(outer, limit, |first, groups| {
                assert!((0..3).all(|axis| groups[axis] >= 1 && groups[axis] <= limit[axis]), "{groups:?} of {outer:?}");
                for z in first[2]..first[2] + groups[2] {
                    for y in first[1]..first[1] + groups[1] {
                        for x in first[0]..first[0] + groups[0] {
                            seen[(x + outer[0] * (y + outer[1] * z)) as usize] += 1;
                        }
                    }
                }
                Ok(())
            })
            .expect("nothing fails");
            assert!(seen.iter().all(|&times| times == 1), "{outer:?} by {limit:?}: {seen:?}");
        }
    }
}
