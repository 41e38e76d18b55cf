//! Launches: arguments become buffers of the interpreter, a fault becomes a kernel error.

use crate::error;
use crate::memory::use_alone;
use crate::regions::Regions;
use crate::target::Program;
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use okl::interp::{Arg, Interpreter, Options};
use okl::ir::{Kernel, Type};
use okl::on_deep_stack;
use okl::signature::NestSignature;
use okl::value::ScalarValue;
use std::io::Write as _;
use std::sync::Arc;

/// One nest of a loaded kernel.
pub(crate) struct ReferenceKernel {
    program: Arc<Program>,
    kernel: usize,
    nest: u32,
    finite: bool,
}

impl ReferenceKernel {
    pub(crate) fn new(program: &Arc<Program>, (kernel, nest): (usize, u32), finite: bool) -> Self {
        Self { program: program.clone(), kernel, nest, finite }
    }

    fn run(&self, arguments: &[PackedArgument<'_>]) -> Result<()> {
        let Program { module, map } = &*self.program;
        let kernel = &module.kernels[self.kernel];
        let _alone = use_alone();
        let mut regions = Regions::of(arguments)?;
        let (params, slots) = arguments.split_at(kernel.params.len());
        let params =
            kernel.params.iter().zip(params).map(|(&var, argument)| bind(&regions, &kernel.body.var(var).ty, argument));
        let params = params.collect::<Result<Vec<_>>>()?;
        let slots = slots_of(kernel, slots)?;
        // SAFETY: `use_alone`: no other launch or copy of this backend touches the memory, and that the host leaves it
        // alone during the launch is the caller's promise; the regions do not overlap.
        let buffers = unsafe { regions.buffers() };
        let options = Options { finite: self.finite, step_limit: u64::MAX, ..Options::default() };
        let interpreter = Interpreter::new(module, options);
        let result = interpreter.run_nest((self.kernel, self.nest), buffers, &params, &slots);
        print(&interpreter.take_printed());
        regions.give_back();
        match result {
            Ok(_) => Ok(()),
            Err(fault) => Err(error::fault(&fault, map)),
        }
    }
}

/// Prints as the program does.
fn print(text: &[u8]) {
    if !text.is_empty() {
        let mut out = std::io::stdout().lock();
        // Where nobody reads the output, the lines are lost as the program's are.
        let _ = out.write_all(text).and_then(|()| out.flush());
    }
}

impl BackendKernel for ReferenceKernel {
    fn max_inner(&self) -> u64 {
        crate::device::MAX_INNER
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        _dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        _stream: &dyn BackendStream,
    ) -> Result<()> {
        // The sizes follow from the arguments, by the same expressions that core has evaluated.
        on_deep_stack(|| self.run(arguments))
    }
}

fn slots_of(kernel: &Kernel, values: &[PackedArgument<'_>]) -> Result<Vec<ScalarValue>> {
    let value = |(var, argument): (okl::ir::VarId, &PackedArgument<'_>)| match argument {
        PackedArgument::Value(bytes) => {
            let ty = kernel.body.var(var).ty.scalar();
            ty.and_then(|ty| ScalarValue::from_bytes(ty, bytes))
                .ok_or_else(|| error::internal("a value of another type"))
        }
        PackedArgument::Memory { .. } => Err(error::internal("memory for a number")),
    };
    kernel.host_variables().zip(values).map(value).collect()
}

/// An argument as the interpreter takes it.
fn bind<'v>(regions: &Regions<'_>, ty: &Type, argument: &PackedArgument<'v>) -> Result<Arg<'v>> {
    match (argument, ty) {
        (&PackedArgument::Memory { memory, offset_bytes, bytes, .. }, _) => match memory {
            Some(memory) => {
                let (buffer, offset) = regions.locate(memory, offset_bytes)?;
                Ok(Arg::Memory { buffer, offset, bytes: bytes as usize })
            }
            None => Ok(Arg::Null),
        },
        (PackedArgument::Value(bytes), Type::Scalar(ty)) => {
            let value = ScalarValue::from_bytes(*ty, bytes);
            value.map(Arg::Scalar).ok_or_else(|| error::internal("a value of another type"))
        }
        (PackedArgument::Value(bytes), _) => Ok(Arg::Struct(bytes)),
    }
}
