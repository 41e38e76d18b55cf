//! Functions of CUDA C++ that are no OKL: one grid, which is not cut into parts, because such a function knows no first
//! group.

use crate::kernel::{CudaKernel, Module};
use ferrocca_core::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use ferrocca_core::{Error, Result};
use okl::signature::NestSignature;
use std::sync::Arc;

struct NativeKernel {
    kernel: CudaKernel,
    max_grid: [u64; 3],
}

/// Finds a function of a module.
pub(crate) fn load(module: &Arc<Module>, name: &str, max_grid: [u64; 3]) -> Result<Arc<dyn BackendKernel>> {
    Ok(Arc::new(NativeKernel { kernel: CudaKernel::find(module, name, 0, max_grid)?, max_grid }))
}

impl BackendKernel for NativeKernel {
    fn max_inner(&self) -> u64 {
        self.kernel.max_inner()
    }

    unsafe fn launch(
        &self,
        nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        if dims.outer.iter().zip(&self.max_grid).any(|(groups, most)| groups > most) {
            let (groups, most) = (dims.outer, self.max_grid);
            return Err(Error::unsupported(
                format!("a grid of {groups:?} blocks"),
                format!("this device takes {most:?} of a native kernel"),
            ));
        }
        // SAFETY: by the caller; the driver reads as many parameters as the function has, so that the first group, which
        // functions made from OKL take behind theirs, is not read.
        unsafe { self.kernel.launch(nest, dims, arguments, stream) }
    }
}
