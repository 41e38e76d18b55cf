//! A call of a kernel on a device, with guards around its buffers.

use crate::setup::{Argument, Given, Setup};
use ferrocca::backend::{
    BackendDevice, BackendKernel, BackendMemory, BackendStream, LaunchDims, PackedArgument, Placement,
};
use ferrocca::okl::ir::{Kernel, Lines, Scalar};
use ferrocca::okl::signature::{NestArgument, NestLaunch, ParameterKind, Signature};
use ferrocca::okl::value::ScalarValue;
use std::sync::Arc;

/// Elements in front of a slice, of whatever size: no power of two, so that no alignment comes by itself.
const ELEMENTS_BEFORE: usize = 3;
/// Bytes behind a slice.
const BYTES_BEHIND: usize = 40;
/// What they hold.
const GUARD: u8 = 0xc5;

/// One call of a kernel, through the backend's contract alone.
pub(crate) struct Call<'a> {
    pub(crate) backend: &'a dyn BackendDevice,
    pub(crate) nests: &'a [Arc<dyn BackendKernel>],
    pub(crate) signature: &'a Signature,
}

/// A buffer on the device with guards around it.
struct Guarded {
    memory: Arc<dyn BackendMemory>,
    start: usize,
    bytes: usize,
}

impl Call<'_> {
    /// Runs the kernel on the setup's buffers.
    pub(crate) fn run(&self, setup: &mut Setup) -> Result<(), String> {
        let stream = self.backend.default_stream();
        let guarded: Vec<Guarded> = setup
            .buffers
            .iter()
            .enumerate()
            .map(|(index, buffer)| self.guarded(buffer, self.element_bytes(setup, index), &*stream))
            .collect::<Result<_, _>>()?;
        // Where the kernel has checks, the record of faults is one argument more.
        let mut guarded = guarded;
        let record = 4 * self.signature.record_words();
        guarded.push(self.guarded(&vec![0; record], size_of::<u32>(), &*stream)?);
        let mut slots = vec![ScalarValue::from_bytes(Scalar::Bool, &[0]).ok_or("a bool")?; self.signature.slots.len()];
        let mut arguments = setup.arguments.clone();
        arguments.push(Argument::Memory { buffer: guarded.len() - 1, offset: 0, bytes: record });
        let mut launch = |launch: &NestLaunch<'_>| self.launch(launch, &arguments, &guarded, &*stream);
        self.signature.run_host(&Given(self.signature, setup), &mut slots, &mut launch).map_err(|e| e.to_string())?;
        let mut found = vec![0; record];
        for (buffer, guarded) in setup.buffers.iter_mut().chain([&mut found]).zip(&guarded) {
            let mut all = vec![0; guarded.start + guarded.bytes + BYTES_BEHIND];
            stream.copy_out(&*guarded.memory, 0, &mut all).map_err(|e| e.to_string())?;
            let (front, rest) = all.split_at(guarded.start);
            let (middle, behind) = rest.split_at(guarded.bytes);
            if front.iter().chain(behind).any(|&byte| byte != GUARD) {
                return Err("the kernel wrote beside its buffer".into());
            }
            buffer.copy_from_slice(middle);
        }
        let words: Vec<u32> = found.chunks_exact(4).map(|word| word.try_into().map_or(0, u32::from_ne_bytes)).collect();
        if !self.signature.lines.is_empty() {
            setup.printed = Lines::of(&words).text(&words[Kernel::FIRST_LINE..], &self.signature.lines);
        }
        if found.iter().take(4 * Signature::FAULT_WORDS).any(|&byte| byte != 0) {
            return Err(format!("a check found an access out of range: {found:?}"));
        }
        Ok(())
    }

    /// Size of the elements that a buffer is seen as: the largest, where several arguments see it.
    fn element_bytes(&self, setup: &Setup, index: usize) -> usize {
        let sizes = setup.arguments.iter().zip(&self.signature.params).filter_map(|(argument, parameter)| {
            match (argument, &parameter.kind) {
                (Argument::Memory { buffer, .. }, ParameterKind::Pointer { element, .. }) if *buffer == index => {
                    Some(element.bytes())
                }
                _ => None,
            }
        });
        sizes.max().unwrap_or(1)
    }

    fn guarded(&self, bytes: &[u8], element: usize, stream: &dyn BackendStream) -> Result<Guarded, String> {
        let start = ELEMENTS_BEFORE * element;
        let mut all = vec![GUARD; start + bytes.len() + BYTES_BEHIND];
        all[start..start + bytes.len()].copy_from_slice(bytes);
        let memory = self.backend.allocate(all.len(), Placement::Device).map_err(|e| e.to_string())?;
        stream.copy_in(&*memory, 0, &all).map_err(|e| e.to_string())?;
        Ok(Guarded { memory, start, bytes: bytes.len() })
    }

    fn launch(
        &self,
        launch: &NestLaunch<'_>,
        arguments: &[Argument],
        guarded: &[Guarded],
        stream: &dyn BackendStream,
    ) -> Result<(), String> {
        let nest = &self.signature.nests[launch.nest];
        let bytes = |value: ScalarValue| value.to_bytes()[..value.ty().bytes()].to_vec();
        let value = |argument: &NestArgument| match *argument {
            NestArgument::Slot(slot) => bytes(launch.slots[slot as usize]),
            NestArgument::Param(position) => match &arguments[position as usize] {
                Argument::Scalar(value) => bytes(*value),
                Argument::Struct(bytes) => bytes.clone(),
                _ => Vec::new(),
            },
        };
        let values: Vec<Vec<u8>> = nest.arguments.iter().map(value).collect();
        let packed: Vec<PackedArgument<'_>> = nest
            .arguments
            .iter()
            .zip(&values)
            .map(|(argument, value)| self.pack(*argument, value, arguments, guarded))
            .collect();
        let dims = LaunchDims { outer: launch.outer, inner: launch.inner };
        // SAFETY: the arguments are those of the signature, the memory lives in `guarded`, and the interpreter has run the
        // same call without leaving its buffers.
        unsafe { self.nests[launch.nest].launch(nest, &dims, &packed, stream) }.map_err(|e| e.to_string())
    }

    fn pack<'b>(
        &self,
        argument: NestArgument,
        value: &'b [u8],
        arguments: &'b [Argument],
        guarded: &'b [Guarded],
    ) -> PackedArgument<'b> {
        let NestArgument::Param(position) = argument else { return PackedArgument::Value(value) };
        let ParameterKind::Pointer { element, mutable, .. } = self.signature.kind(position) else {
            return PackedArgument::Value(value);
        };
        let (memory, offset, bytes) = match arguments[position as usize] {
            Argument::Memory { buffer, offset, bytes } => {
                (Some(&*guarded[buffer].memory), guarded[buffer].start + offset, bytes)
            }
            _ => (None, 0, 0),
        };
        PackedArgument::Memory {
            memory,
            offset_bytes: offset as u64,
            bytes: bytes as u64,
            element_bytes: element.bytes() as u32,
            mutable: *mutable,
        }
    }
}
