//! The kernels of the conformance suite: its cases run on a device that keeps their texts for CUDA and computes nothing.
//! The texts are compiled after that, on all processors.
//!
//! A case whose results were checked would end at its first check, and its later kernels would not be built; a dry run
//! takes every result for right.

use super::{Job, OFTEN_MEANT, Text, compile, compiler, nvrtc, ways};
use crate::CUDA;
use crate::compile::Compiler;
use ferrocca_conformance::null::NullBackend;
use ferrocca_core::backend::{
    Artifact, Backend, BackendDevice, BackendKernel, BackendMemory, BackendStream, Capabilities, DeviceInfo,
    LaunchDims, MemoryInfo, Mode, NativeHandle, PackedArgument, Placement,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Device, Result, register_backend};
use okl::Compiled;
use okl::back::cuda::CudaTarget;
use okl::signature::{NestSignature, Signature};
use okl::target::Target;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How many different texts the suite comes to, less a few that may go.
const FEWEST_TEXTS: usize = 180;

/// The texts, each with the options that the case asks for, and the kernel that it has first.
type Seen = BTreeMap<(String, Vec<String>), String>;

/// The null backend, with texts for CUDA.
struct DryRun {
    modes: &'static [Mode],
    null: NullBackend,
    seen: Arc<Mutex<Seen>>,
}

impl Backend for DryRun {
    fn modes(&self) -> &'static [Mode] {
        self.modes
    }

    fn probe(&self, _mode: &str) -> Result<Vec<DeviceInfo>> {
        self.null.probe("Null")
    }

    fn open(&self, _mode: &str, _props: &Props) -> Result<Arc<dyn BackendDevice>> {
        let null = self.null.open("Null", &Props::new())?;
        let compiler = compiler(super::NEW);
        let capabilities =
            null.capabilities().clone().with_max_shared_bytes(compiler.max_shared_bytes).with_subgroup_lanes(32);
        Ok(Arc::new(DryRunDevice { null, capabilities, compiler, seen: self.seen.clone() }))
    }
}

struct DryRunDevice {
    null: Arc<dyn BackendDevice>,
    capabilities: Capabilities,
    compiler: Compiler,
    seen: Arc<Mutex<Seen>>,
}

impl BackendDevice for DryRunDevice {
    fn target(&self) -> Arc<dyn Target> {
        Arc::new(CudaTarget)
    }

    fn compile(&self, text: &Compiled, props: &Props) -> Result<Vec<u8>> {
        let options = self.compiler.options(props)?;
        let name = text.signatures.first().map_or_else(String::new, |signature| signature.kernel.clone());
        let mut seen = self.seen.lock().expect("no case panics here");
        seen.insert((text.with_line_directives(), options), format!("kernel `{name}` of the conformance suite"));
        drop(seen);
        self.null.compile(text, props)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        self.null.load(artifact, signature)?;
        Ok(signature.nests.iter().map(|_| -> Arc<dyn BackendKernel> { Arc::new(NoWork) }).collect())
    }

    fn info(&self) -> &DeviceInfo {
        self.null.info()
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>> {
        self.null.identity(props)
    }

    fn allocate(&self, bytes: usize, placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        self.null.allocate(bytes, placement)
    }

    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        // SAFETY: by the caller.
        unsafe { self.null.wrap(handle, bytes) }
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        self.null.default_stream()
    }

    fn create_stream(&self, props: &Props) -> Result<Arc<dyn BackendStream>> {
        self.null.create_stream(props)
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.null.memory_info()
    }

    fn finish(&self) -> Result<()> {
        self.null.finish()
    }
}

/// A kernel that takes as many items as CUDA does.
struct NoWork;

impl BackendKernel for NoWork {
    fn max_inner(&self) -> u64 {
        1024
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        _dims: &LaunchDims,
        _arguments: &[PackedArgument<'_>],
        _stream: &dyn BackendStream,
    ) -> Result<()> {
        Ok(())
    }
}

#[test]
fn nvrtc_takes_every_kernel_of_the_conformance_suite() {
    let Some(nvrtc) = nvrtc() else { return };
    // Cases open further devices of their mode, so that it must have a name of its own and be registered.
    let [mut mode, ..] = *CUDA.modes() else { panic!("it has a mode") };
    mode.name = "CUDAText";
    let modes: &'static [Mode] = vec![mode.with_aliases(&[])].leak();
    let (null, seen) = (NullBackend::new(), Arc::<Mutex<Seen>>::default());
    register_backend(Box::leak(Box::new(DryRun { modes, null, seen: seen.clone() }))).expect("the name is free");
    // What a cache has is not compiled.
    let cache = tempfile::tempdir().expect("a directory");
    let props = Props::new().with("mode", "CUDAText").with("cache_dir", cache.path().display().to_string());
    let ended_early = ferrocca_conformance::dry_run(&Device::open(props).expect("it opens"));

    let seen = std::mem::take(&mut *seen.lock().expect("no case panicked there"));
    assert_eq!(ended_early, [], "kernels that come after these places were not built");
    let [_, oldest] = ways(nvrtc);
    let texts: Vec<(Text, [Vec<String>; 2])> = seen
        .into_iter()
        .map(|((text, mut options), name)| {
            options.extend(OFTEN_MEANT.map(str::to_owned));
            (Text { name, text }, [options, oldest.clone()])
        })
        .collect();
    assert!(texts.len() >= FEWEST_TEXTS, "only {} texts were built", texts.len());
    let jobs: Vec<Job<'_>> =
        texts.iter().flat_map(|(text, ways)| ways.iter().map(move |way| (text, way.as_slice()))).collect();
    compile(nvrtc, &jobs);
    println!("NVRTC took {} texts as their cases ask, and each with: {}", texts.len(), oldest.join(" "));
}
