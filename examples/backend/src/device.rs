//! The device: what it says of itself, allocation, compilation by `cc`.

use crate::dialect::WorkerTarget;
use crate::kernel::WorkerKernel;
use crate::memory::{Buffer, WorkerMemory};
use crate::stream::WorkerStream;
use ferrocca_core::backend::{
    Artifact, BackendDevice, BackendKernel, BackendMemory, BackendStream, Capabilities, DeviceInfo, MemoryInfo,
    NativeHandle, Placement,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, ErrorKind, Result};
use libloading::Library;
use okl::Compiled;
use okl::signature::Signature;
use okl::target::Target;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError};

const FLAGS: &[&str] = &["-std=c11", "-O2", "-ffp-contract=off", "-fPIC", "-shared"];

pub(crate) struct WorkerDevice {
    info: DeviceInfo,
    capabilities: Capabilities,
    default_stream: Arc<WorkerStream>,
    /// Every stream, for `finish`; one that nobody else has any more stays until it has been waited for.
    streams: Mutex<Vec<Arc<WorkerStream>>>,
}

/// What the device is, or why there is none.
pub(crate) fn describe() -> Result<DeviceInfo, String> {
    let output = Command::new("cc").arg("--version").output().map_err(|error| format!("`cc --version`: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
    let mut info = DeviceInfo::new("Worker", "host threads");
    info.cores = 1;
    info.compiler = version;
    Ok(info)
}

impl WorkerDevice {
    pub(crate) fn new(info: DeviceInfo) -> Arc<Self> {
        let default_stream = WorkerStream::start();
        let capabilities = Capabilities::new((4096, [4096; 3]), [i64::MAX as u64; 3])
            .with_separate_memory(true)
            .with_f64(true)
            .with_i64(true)
            .with_max_shared_bytes(256 << 10)
            .with_concurrent_streams(true);
        let streams = Mutex::new(vec![default_stream.clone()]);
        Arc::new(Self { info, capabilities, default_stream, streams })
    }
}

impl BackendDevice for WorkerDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        Arc::new(WorkerTarget)
    }

    fn identity(&self, _props: &Props) -> Result<Vec<(&'static str, String)>> {
        Ok(vec![("compiler", self.info.compiler.clone()), ("flags", FLAGS.join(" "))])
    }

    fn allocate(&self, bytes: usize, _placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        Ok(Arc::new(WorkerMemory { buffer: Buffer::allocate(bytes)?, bytes }))
    }

    unsafe fn wrap(&self, handle: NativeHandle, _bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        Err(Error::unsupported(format!("wrapping {handle}"), "memory of mode `Worker` has no foreign handles"))
    }

    fn compile(&self, text: &Compiled, _props: &Props) -> Result<Vec<u8>> {
        let directory = tempfile::tempdir().map_err(|error| Error::io("temporary directory", &error))?;
        let (source, library) = (directory.path().join("kernel.c"), directory.path().join("kernel.so"));
        std::fs::write(&source, text.with_line_directives()).map_err(|error| Error::io(&source, &error))?;
        let output = Command::new("cc").args(FLAGS).arg("-o").arg(&library).arg(&source).arg("-lm").output();
        let output = output.map_err(|error| Error::new(ErrorKind::Compiler { message: format!("cc: {error}") }))?;
        if !output.status.success() {
            let diagnostics = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Error::new(ErrorKind::Kernel { diagnostics }));
        }
        std::fs::read(&library).map_err(|error| Error::io(&library, &error))
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        let file = tempfile::NamedTempFile::new().map_err(|error| Error::io("temporary file", &error))?;
        std::fs::write(file.path(), artifact.bytes).map_err(|error| Error::io(file.path(), &error))?;
        // SAFETY: the artifact was compiled by `compile`; its initialisers do nothing.
        let library = unsafe { Library::new(file.path()) }.map_err(|error| Error::invalid(error.to_string()))?;
        let library = Arc::new(library);
        let find = |nest| Ok(Arc::new(WorkerKernel::find(&library, nest)?) as Arc<dyn BackendKernel>);
        signature.nests.iter().map(find).collect()
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        self.default_stream.clone()
    }

    fn create_stream(&self, _props: &Props) -> Result<Arc<dyn BackendStream>> {
        let stream = WorkerStream::start();
        self.streams.lock().unwrap_or_else(PoisonError::into_inner).push(stream.clone());
        Ok(stream)
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Err(Error::unsupported("asking for free memory", "mode `Worker` does not track it"))
    }

    fn finish(&self) -> Result<()> {
        let list = || self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        // Who queues on a stream has a handle of it, so that one which only the list has gets no more work.
        let streams: Vec<_> = list().iter().map(|stream| (Arc::strong_count(stream) == 1, stream.clone())).collect();
        streams.iter().try_for_each(|(_, stream)| stream.finish())?;
        let is_done = |own: &Arc<_>| streams.iter().any(|(is_left, stream)| *is_left && Arc::ptr_eq(stream, own));
        list().retain(|stream| !is_done(stream));
        Ok(())
    }
}
