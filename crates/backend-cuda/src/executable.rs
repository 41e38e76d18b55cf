//! Instantiated graphs.

use crate::context::Context;
use crate::driver::Code;
use crate::queue::Chain;
use crate::stream::CudaStream;
use cudarc::driver::sys::{
    CUDA_MEMSET_NODE_PARAMS, CUdeviceptr, CUgraphExec, CUgraphExecUpdateResult, CUgraphExecUpdateResultInfo,
    CUgraphNode,
};
use ferrocca_core::Result;
use std::sync::Arc;

/// `CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY`: nodes have the priority that they were given, not that of the stream.
const USE_NODE_PRIORITY: u64 = 8;

/// A graph that can be launched again and again.
pub(crate) struct Executable {
    raw: CUgraphExec,
    /// The graph that it was made of: the handles of nodes belong to it.
    _chain: Chain,
    /// The graph that it was updated by; its memory is in use.
    _updated: Option<Chain>,
    context: Arc<Context>,
}

// SAFETY: used by one thread at a time, which `&mut` says; the driver binds graphs to no thread.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

impl Executable {
    /// Of a graph. Its context is current.
    pub(crate) fn of(chain: Chain) -> Result<Self> {
        let context = chain.context().clone();
        let mut raw = std::ptr::null_mut();
        let flags = if chain.has_priorities() { USE_NODE_PRIORITY } else { 0 };
        // SAFETY: the graph is of the current context; the executable is destroyed in `drop`.
        let code = unsafe { (context.driver().graph_instantiate)(&mut raw, chain.raw(), flags) };
        context.check(code, "cuGraphInstantiate")?;
        Ok(Self { raw, _chain: chain, _updated: None, context })
    }

    /// Gives it the values of another graph of the same nodes; false: it cannot be updated. The context is current.
    pub(crate) fn update(&mut self, chain: Chain) -> Result<bool> {
        let mut info = CUgraphExecUpdateResultInfo {
            result: CUgraphExecUpdateResult::CU_GRAPH_EXEC_UPDATE_SUCCESS,
            errorNode: std::ptr::null_mut(),
            errorFromNode: std::ptr::null_mut(),
        };
        // SAFETY: both are of the current context.
        let code = unsafe { (self.context.driver().graph_exec_update)(self.raw, chain.raw(), &mut info) };
        if code.loses_context() {
            self.context.check(code, "cuGraphExecUpdate")?;
        }
        self._updated = Some(chain);
        Ok(code == Code::SUCCESS)
    }

    /// What a node of the graph sets a word of four bytes to; launches that are queued keep the value that they were queued with.
    pub(crate) fn set_word(&mut self, node: CUgraphNode, to: CUdeviceptr, value: u32) -> Result<()> {
        let params = CUDA_MEMSET_NODE_PARAMS { dst: to, pitch: 0, value, elementSize: 4, width: 1, height: 1 };
        let (context, driver) = (&self.context, self.context.driver());
        // SAFETY: the node is one of the graph that the executable was made of.
        let code = unsafe { (driver.graph_exec_memset_node_set_params)(self.raw, node, &params, context.raw()) };
        context.check(code, "cuGraphExecMemsetNodeSetParams")
    }

    /// Queues it.
    pub(crate) fn launch(&mut self, stream: &CudaStream) -> Result<()> {
        // SAFETY: executable and stream are of the current context.
        self.context.check(unsafe { (self.context.driver().graph_launch)(self.raw, stream.raw()) }, "cuGraphLaunch")
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        if let Ok(_current) = self.context.make_current() {
            // SAFETY: instantiated once, destroyed once; the driver lets launches that are queued end first.
            let _ = unsafe { (self.context.driver().graph_exec_destroy)(self.raw) };
        }
    }
}
