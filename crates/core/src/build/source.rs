//! What a built kernel comes from, for kernels that are made of it.

use super::program::{self, Program};
use super::request::BuildRequest;
use crate::backend::Artifact;
use crate::device::Device;
use crate::launch::LaunchPlan;
use crate::{Error, ErrorKind, Result};
use okl::ir::Module;
use std::sync::Arc;

/// A source that was built, and its checked IR.
pub(crate) struct Source {
    program: Arc<Program>,
    request: Arc<BuildRequest>,
    pub(crate) module: Module,
}

impl Source {
    /// That of a program.
    /// # Errors
    /// A few words that say why it is not known.
    pub(crate) fn of(device: &Device, program: &Arc<Program>) -> std::result::Result<Self, String> {
        let Some(request) = program.request() else {
            return Err("comes from a bundle, which has no source".to_owned());
        };
        let target = device.inner.backend.target_for(&request.props).map_err(|error| error.to_string())?;
        let (compiled, _) = program::front_end(device.mode(), &*target, request)
            .map_err(|error| format!("has a source that is no longer there: {error}"))?;
        if compiled.text != program.text() {
            return Err("has a source that has changed since".to_owned());
        }
        Ok(Self { program: program.clone(), request: request.clone(), module: compiled.module })
    }

    /// Whether it is that of a program.
    pub(crate) fn is_of(&self, program: &Arc<Program>) -> bool {
        Arc::ptr_eq(&self.program, program)
    }

    /// Whether both are compiled with the same properties.
    pub(crate) fn has_options_of(&self, other: &Self) -> bool {
        self.request.compiler_props() == other.request.compiler_props()
    }

    /// Whether an operation has the same bits wherever it stands: no property lets the target's compiler choose.
    pub(crate) fn is_exact(&self, device: &Device) -> bool {
        let is_fast = matches!(self.request.props.get_str("fp_contract"), Ok(Some("fast")));
        !is_fast && [&self.request.props, device.props()].iter().all(|props| props.get("compiler_flags").is_none())
    }

    /// Builds a module of one kernel as this source was built.
    /// # Errors
    /// As [`Device::build_kernel`].
    pub(crate) fn build(&self, device: &Device, name: &str, module: Module) -> Result<LaunchPlan> {
        let backend = &device.inner.backend;
        let target = backend.target_for(&self.request.props)?;
        let compiled = okl::compile_module(name, module, &*target).map_err(Error::refused)?;
        let signature =
            compiled.signatures.first().cloned().ok_or_else(|| {
                Error::new(ErrorKind::Internal { message: "a module of no kernel was built".to_owned() })
            })?;
        let bytes = program::artifact(device, &self.request, compiled)?;
        let kernels = backend.load(&Artifact { bytes: &bytes }, &signature)?;
        LaunchPlan::new(signature, kernels, &**backend)
    }
}
