//! Kernels that this crate writes by itself, compiled and loaded when they are first needed, once per device.

use crate::artifact::Parts;
use crate::compile::{Compiler, base_options};
use crate::context::Context;
use crate::kernel::{CudaKernel, Module};
use crate::nvrtc::Nvrtc;
use crate::persistent::Choice;
use crate::range;
use ferrocca_core::Result;
use ferrocca_core::backend::TilingSetting;
use ferrocca_core::cache::Cache;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What the device's own kernels are made with.
pub(crate) struct InternalKernels {
    pub(crate) compiler: Compiler,
    /// Largest grid.
    pub(crate) max_grid: [u64; 3],
    /// Where recorded loops run.
    pub(crate) loops: Choice,
    /// How many of their repetitions a pass does.
    pub(crate) tiling: TilingSetting,
    /// Keeps what is compiled; absent where there is no directory for it.
    pub(crate) cache: Option<Cache>,
    pub(crate) context: Arc<Context>,
    modules: Mutex<HashMap<String, Arc<Module>>>,
    copy_to_slot: OnceLock<Arc<CudaKernel>>,
}

/// Copies into the slot that a counter in device memory tells, so that a graph whose replays begin at different slots is
/// instantiated once.
pub(crate) const COPY_TO_SLOT: &str = r#"// Copies `bytes` from `from` to `to`, `stride` bytes further for each slot: `*first_slot + repetition` of them.
template <typename Word>
static __device__ void copy(const void *from, void *to, unsigned long long bytes) {
    const unsigned long long count = bytes / sizeof(Word);
    for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < count; i += gridDim.x * 256ull) {
        ((Word *)to)[i] = ((const Word *)from)[i];
    }
}

extern "C" __global__ void __launch_bounds__(256) okl_copy_to_slot(
    const unsigned char *from, unsigned char *to, unsigned long long bytes, unsigned long long stride,
    unsigned long long repetition, const unsigned int *first_slot
) {
    to += stride * (*first_slot + repetition);
    const unsigned long long alignment = (unsigned long long)from | (unsigned long long)to | bytes;
    if (alignment % 16 == 0) copy<uint4>(from, to, bytes);
    else if (alignment % 8 == 0) copy<uint2>(from, to, bytes);
    else if (alignment % 4 == 0) copy<unsigned int>(from, to, bytes);
    else copy<unsigned char>(from, to, bytes);
}
"#;

impl InternalKernels {
    pub(crate) fn new(
        compiler: Compiler,
        max_grid: [u64; 3],
        (loops, tiling): (Choice, TilingSetting),
        cache: Option<Cache>,
        context: Arc<Context>,
    ) -> Arc<Self> {
        let (modules, copy_to_slot) = (Mutex::default(), OnceLock::new());
        Arc::new(Self { compiler, max_grid, loops, tiling, cache, context, modules, copy_to_slot })
    }

    /// The kernel `okl_copy_to_slot`.
    pub(crate) fn copy_to_slot(&self) -> Result<Arc<CudaKernel>> {
        if let Some(kernel) = self.copy_to_slot.get() {
            return Ok(kernel.clone());
        }
        let options = base_options(&self.compiler.architecture, false);
        let kernel = self.kernel(COPY_TO_SLOT, "okl_copy_to_slot", 0, &options)?;
        Ok(self.copy_to_slot.get_or_init(|| kernel).clone())
    }

    /// Stands in for what NVRTC would compile.
    #[cfg(test)]
    pub(crate) fn put_copy_to_slot(&self, kernel: Arc<CudaKernel>) {
        let _ = self.copy_to_slot.set(kernel);
    }

    /// The function `entry` of a text; each of its launches gives it `shared_bytes`.
    pub(crate) fn kernel(
        &self,
        text: &str,
        entry: &str,
        shared_bytes: u64,
        options: &[String],
    ) -> Result<Arc<CudaKernel>> {
        let key = format!("{}\n{text}", options.join("\n"));
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let module = match modules.get(&key) {
            Some(module) => module.clone(),
            None => {
                let module = self.module(text, entry, options)?;
                modules.insert(key, module.clone());
                module
            }
        };
        Ok(Arc::new(CudaKernel::find(&module, entry, shared_bytes, self.max_grid)?))
    }

    fn module(&self, text: &str, entry: &str, options: &[String]) -> Result<Arc<Module>> {
        let found = self.compiler.found()?;
        let compile = || {
            let _range = range::open(c"build");
            let cubin = Nvrtc::of(&found)?.compile(text, options)?;
            Ok(Parts { cubin: &cubin, options: &options.join("\n"), text }.join())
        };
        let artifact = match &self.cache {
            Some(cache) => {
                let (major, minor) = self.compiler.driver;
                let fields = [
                    ("nvrtc", found.stamp()?),
                    ("driver", format!("{major}.{minor}")),
                    ("options", options.join("\n")),
                ];
                cache.compiled(entry, text, &fields, compile)?
            }
            None => compile()?,
        };
        Module::load(&self.context, &artifact)
    }
}
