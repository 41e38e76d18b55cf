//! The device: memory, artifacts and streams, all counted.

use super::kernel::{NullGraph, NullKernel};
use super::memory::{Buffer, NullMemory, own};
use super::stream::NullStream;
use super::{API, Call, MAGIC, State, lock};
use ferrocca_core::backend::{
    Artifact, BackendDevice, BackendGraph, BackendKernel, BackendMemory, BackendStream, BackendTimeline, Capabilities,
    DeviceInfo, Exported, GraphCommand, MemoryInfo, NativeHandle, Placement,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, ErrorKind, Result};
use okl::Compiled;
use okl::back::cpu::CpuTarget;
use okl::signature::{NestSignature, Signature};
use okl::target::Target;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

pub(super) struct NullDevice {
    pub(super) state: Arc<State>,
    pub(super) info: DeviceInfo,
    pub(super) capabilities: Capabilities,
    pub(super) stream: Arc<NullStream>,
}

impl NullDevice {
    fn memory(&self, buffer: Arc<Buffer>, start: usize, bytes: usize) -> Arc<dyn BackendMemory> {
        Arc::new(NullMemory { state: self.state.clone(), buffer, start, bytes })
    }
}

impl BackendDevice for NullDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn target(&self) -> Arc<dyn Target> {
        Arc::new(CpuTarget)
    }

    fn identity(&self, _props: &Props) -> Result<Vec<(&'static str, String)>> {
        self.state.enter(Call::Identity)?;
        Ok(vec![("compiler", lock(&self.state.identity).clone())])
    }

    fn allocate(&self, bytes: usize, _placement: Placement) -> Result<Arc<dyn BackendMemory>> {
        self.state.enter(Call::Allocate)?;
        let mut data = Vec::new();
        data.try_reserve_exact(bytes)
            .map_err(|_| Error::new(ErrorKind::OutOfMemory { requested: bytes as u64, free: None }))?;
        data.resize(bytes, 0);
        let handle = self.state.next_handle.fetch_add(1, Ordering::Relaxed) + 1;
        let buffer = Arc::new(Buffer { handle, data: Mutex::new(data) });
        lock(&self.state.memory).insert(handle, Arc::downgrade(&buffer));
        Ok(self.memory(buffer, 0, bytes))
    }

    /// Takes the handles of its own memory.
    unsafe fn wrap(&self, handle: NativeHandle, bytes: usize) -> Result<Arc<dyn BackendMemory>> {
        self.state.enter(Call::Wrap)?;
        if handle.api() != lock(&self.state.api).unwrap_or(API) {
            let reason = "mode `Null` knows handles of its own memory alone";
            return Err(Error::unsupported(format!("wrapping {handle}"), reason));
        }
        let known: Vec<Arc<Buffer>> = lock(&self.state.memory).values().filter_map(Weak::upgrade).collect();
        let found = known.into_iter().find_map(|buffer| {
            let start = match handle.address() {
                Some(address) => address.checked_sub(buffer.address())?,
                None => (buffer.handle == handle.raw()).then_some(0)?,
            };
            let end = start.checked_add(bytes as u64)?;
            let fits = end <= lock(&buffer.data).len() as u64;
            fits.then(|| self.memory(buffer, start as usize, bytes))
        });
        found.ok_or_else(|| Error::invalid(format!("{handle} is no memory of {bytes} bytes")))
    }

    fn reaches(&self, source: &dyn BackendMemory) -> bool {
        self.state.reaches_peers.load(Ordering::Relaxed) && own(source).is_ok()
    }

    fn exports_memory(&self) -> bool {
        self.info.uuid.is_some()
    }

    #[cfg(unix)]
    fn export(&self, memory: &dyn BackendMemory) -> Result<Exported> {
        self.state.enter(Call::Export)?;
        if !self.exports_memory() {
            return Err(Error::unsupported("exporting memory", "this null device exports nothing"));
        }
        super::export::memory(&own(memory)?.buffer)
    }

    #[cfg(unix)]
    fn create_timeline(&self) -> Result<(Arc<dyn BackendTimeline>, Exported)> {
        self.state.enter(Call::CreateTimeline)?;
        super::export::timeline(&self.state)
    }

    fn compile(&self, text: &Compiled, _props: &Props) -> Result<Vec<u8>> {
        self.state.enter(Call::Compile)?;
        let compile_time = *lock(&self.state.compile_time);
        std::thread::sleep(compile_time);
        Ok([MAGIC, lock(&self.state.identity).as_bytes(), b"\n", text.text.as_bytes()].concat())
    }

    fn compile_limit(&self, _props: &Props) -> Result<Duration> {
        Ok(lock(&self.state.compile_limit).unwrap_or(Duration::from_secs(600)))
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        self.state.enter(Call::Load)?;
        let identity = lock(&self.state.identity).clone();
        let body = artifact.bytes.strip_prefix(MAGIC).and_then(|rest| rest.strip_prefix(identity.as_bytes()));
        if body.is_none() {
            return Err(Error::driver("load", None, "this artifact is not of this device"));
        }
        let kernel =
            |_: &NestSignature| -> Arc<dyn BackendKernel> { Arc::new(NullKernel { state: self.state.clone() }) };
        Ok(signature.nests.iter().map(kernel).collect())
    }

    fn default_stream(&self) -> Arc<dyn BackendStream> {
        self.stream.clone()
    }

    fn create_stream(&self, _props: &Props) -> Result<Arc<dyn BackendStream>> {
        self.state.enter(Call::CreateStream)?;
        let handle = self.state.next_handle.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Arc::new(NullStream { state: self.state.clone(), handle }))
    }

    /// Any number is a stream.
    unsafe fn wrap_stream(&self, handle: u64) -> Result<Arc<dyn BackendStream>> {
        Ok(Arc::new(NullStream { state: self.state.clone(), handle }))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        self.state.enter(Call::MemoryInfo)?;
        Ok(MemoryInfo::new(self.info.memory_bytes, self.info.memory_bytes))
    }

    unsafe fn lower_graph(&self, phases: &[Vec<GraphCommand>]) -> Result<Option<Box<dyn BackendGraph>>> {
        self.state.enter(Call::LowerGraph)?;
        if !self.state.lowers_graphs.load(Ordering::Relaxed) {
            return Ok(None);
        }
        Ok(Some(Box::new(NullGraph { state: self.state.clone(), phases: phases.len(), commands: phases[0].len() })))
    }

    fn finish(&self) -> Result<()> {
        self.state.enter(Call::Finish)
    }
}
