//! Launches: arguments become buffers of the interpreter, a fault becomes a kernel error.

use crate::error;
use crate::memory::{Memory, ours, use_alone};
use crate::target::Program;
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendKernel, BackendStream, LaunchDims, PackedArgument};
use okl::interp::{Arg, Buffer, Interpreter, Options};
use okl::ir::{Kernel, Type};
use okl::on_deep_stack;
use okl::signature::NestSignature;
use okl::value::ScalarValue;
use std::ops::Range;
use std::sync::Arc;

/// One nest of a loaded kernel.
pub(crate) struct ReferenceKernel {
    program: Arc<Program>,
    kernel: usize,
    nest: u32,
}

impl ReferenceKernel {
    pub(crate) fn new(program: &Arc<Program>, kernel: usize, nest: u32) -> Self {
        Self { program: program.clone(), kernel, nest }
    }

    fn run(&self, arguments: &[PackedArgument<'_>]) -> Result<()> {
        let Program { module, map } = &*self.program;
        let kernel = &module.kernels[self.kernel];
        let _alone = use_alone();
        let mut regions = Regions::of(arguments)?;
        let (params, slots) = arguments.split_at(kernel.params.len());
        let params =
            kernel.params.iter().zip(params).map(|(&var, argument)| regions.bind(&kernel.body.var(var).ty, argument));
        let params = params.collect::<Result<Vec<_>>>()?;
        let slots = slots_of(kernel, slots)?;
        // SAFETY: `use_alone`: no other launch or copy of this backend touches the memory, and that the host leaves it
        // alone during the launch is the caller's promise; the regions do not overlap.
        let buffers = unsafe { regions.buffers() };
        let options = Options { checks: true, step_limit: u64::MAX };
        let result = Interpreter::new(module, options).run_nest((self.kernel, self.nest), buffers, &params, &slots);
        regions.give_back();
        match result {
            Ok(_) => Ok(()),
            Err(fault) => Err(error::kernel(fault.diagnostic().render(map))),
        }
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

/// The memory of a launch: stretches of addresses that do not overlap. Arguments that lie in one allocation, or in memory
/// that overlaps, are parts of one region, so that races between them are seen.
struct Regions<'a>(Vec<Region<'a>>);

struct Region<'a> {
    addresses: Range<usize>,
    /// The one allocation that it is; `None` where several overlap, which are then somebody else's.
    memory: Option<&'a Memory>,
    /// What is known of it during the launch.
    written: Option<Vec<bool>>,
}

impl<'a> Regions<'a> {
    fn of(arguments: &[PackedArgument<'a>]) -> Result<Self> {
        let memory = |argument: &PackedArgument<'a>| match argument {
            PackedArgument::Memory { memory, .. } => *memory,
            PackedArgument::Value(_) => None,
        };
        let mut all: Vec<&Memory> = arguments.iter().filter_map(memory).map(ours).collect::<Result<_>>()?;
        all.sort_by_key(|memory| memory.address());
        all.dedup_by(|a, b| std::ptr::eq(*a, *b));
        let mut regions: Vec<Region<'a>> = Vec::new();
        for memory in all {
            let addresses = memory.address()..memory.address() + memory.size();
            match regions.last_mut() {
                Some(last) if addresses.start < last.addresses.end => {
                    last.addresses.end = last.addresses.end.max(addresses.end);
                    last.memory = None;
                }
                _ => regions.push(Region { addresses, memory: Some(memory), written: None }),
            }
        }
        for region in &mut regions {
            region.written = region.memory.and_then(Memory::take_written);
        }
        Ok(Self(regions))
    }

    /// An argument as the interpreter takes it.
    fn bind<'v>(&self, ty: &Type, argument: &PackedArgument<'v>) -> Result<Arg<'v>> {
        match (argument, ty) {
            (PackedArgument::Memory { memory: None, .. }, _) => Ok(Arg::Null),
            (&PackedArgument::Memory { memory: Some(memory), offset_bytes, bytes, .. }, _) => {
                let start = ours(memory)?.address() + offset_bytes as usize;
                let lies_in = |region: &Region<'_>| region.addresses.start <= start && start <= region.addresses.end;
                // The last one: an empty slice at the end of one region may be the start of the next.
                let found =
                    self.0.iter().rposition(lies_in).ok_or_else(|| error::internal("memory without a region"))?;
                Ok(Arg::Memory { buffer: found, offset: start - self.0[found].addresses.start, bytes: bytes as usize })
            }
            (PackedArgument::Value(bytes), Type::Scalar(ty)) => {
                let value = ScalarValue::from_bytes(*ty, bytes);
                value.map(Arg::Scalar).ok_or_else(|| error::internal("a value of another type"))
            }
            (PackedArgument::Value(bytes), _) => Ok(Arg::Struct(bytes)),
        }
    }

    /// The bytes of every region.
    ///
    /// # Safety
    /// Nobody else uses the memory while the result lives.
    unsafe fn buffers(&mut self) -> Vec<Buffer<'_>> {
        let mut buffers = Vec::with_capacity(self.0.len());
        for Region { addresses, written, .. } in &mut self.0 {
            let start = std::ptr::with_exposed_provenance_mut(addresses.start);
            // SAFETY: by the caller; regions lie in live memory, all of it initialised, and do not overlap.
            let bytes = unsafe { std::slice::from_raw_parts_mut(start, addresses.len()) };
            buffers.push(Buffer { bytes, written: written.as_deref_mut() });
        }
        buffers
    }

    /// Keeps what is known of the memory for later launches.
    fn give_back(self) {
        for Region { memory, written, .. } in self.0 {
            if let Some(memory) = memory {
                memory.restore_written(written);
            }
        }
    }
}
