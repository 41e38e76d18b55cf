//! Kernels of OpenCL C that are no OKL: each argument of a launch is one of the kernel's, and each group a work-group.

use crate::device::Shared;
use crate::driver::{Kernel, Program, ask, call, create, library};
use crate::kernel::{touches, usable};
use crate::memory::ClMemory;
use crate::{compile, error, stream};
use cl3::kernel::CL_KERNEL_WORK_GROUP_SIZE;
use ferrocca_core::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use ferrocca_core::{Error, Result};
use okl::signature::NestSignature;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

struct NativeKernel {
    /// Locked from the first argument to the launch: the driver keeps the arguments in it.
    kernel: Mutex<Kernel>,
    max_inner: u64,
    #[allow(dead_code)]
    program: Program,
}

/// Loads a binary and takes one kernel of it.
pub(crate) fn load(shared: &Arc<Shared>, binary: &[u8], name: &str) -> Result<Arc<dyn BackendKernel>> {
    let program = compile::load(shared, binary)?;
    let entry = CString::new(name).map_err(|_| Error::invalid("a kernel's name with a zero byte"))?;
    let kernel = create!(clCreateKernel(program.raw(), entry.as_ptr()))
        .map_err(|error| error.while_doing(format!("looking for kernel `{name}`")))?;
    // SAFETY: the kernel was just made, and its one reference is ours.
    let kernel = unsafe { Kernel::own(kernel) };
    let max_inner = ask::<usize>((&kernel, shared.candidate.id), CL_KERNEL_WORK_GROUP_SIZE)? as u64;
    Ok(Arc::new(NativeKernel { kernel: Mutex::new(kernel), max_inner, program }))
}

fn set(kernel: &Kernel, position: u32, argument: &PackedArgument<'_>) -> Result<()> {
    match *argument {
        PackedArgument::Memory { offset_bytes: 1.., .. } => Err(Error::unsupported(
            format!("argument {} of a native kernel", position + 1),
            "OpenCL C has no pointer into a slice: pass the whole memory, and where the slice starts as a number",
        )),
        PackedArgument::Memory { memory, .. } => {
            let mem = memory.map(usable).transpose()?.map_or(std::ptr::null_mut(), ClMemory::raw);
            call!(clSetKernelArg(kernel.raw(), position, size_of_val(&mem), (&raw const mem).cast()))
        }
        PackedArgument::Value(bytes) => {
            call!(clSetKernelArg(kernel.raw(), position, bytes.len(), bytes.as_ptr().cast()))
        }
    }
}

impl BackendKernel for NativeKernel {
    fn max_inner(&self) -> u64 {
        self.max_inner
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let (stream, library) = (stream::downcast(stream)?, library()?);
        let queue = stream.queue().raw();
        let size = |n: u64| usize::try_from(n).map_err(|_| error::internal("a size beyond the machine's"));
        let mut local = [1; 3];
        let mut global = [1; 3];
        for axis in 0..3 {
            local[axis] = size(dims.inner[axis])?;
            global[axis] = size(dims.outer[axis].saturating_mul(dims.inner[axis]))?;
        }
        let kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        for (position, argument) in (0..).zip(arguments) {
            set(&kernel, position, argument)?;
        }
        stream.enqueue(
            "clEnqueueNDRangeKernel",
            || touches(arguments),
            |count, list, event| {
                let (global, local) = (global.as_ptr(), local.as_ptr());
                library.clEnqueueNDRangeKernel(
                    queue,
                    kernel.raw(),
                    3,
                    std::ptr::null(),
                    global,
                    local,
                    count,
                    list,
                    event,
                )
            },
        )
    }
}
