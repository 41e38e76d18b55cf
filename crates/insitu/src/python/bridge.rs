//! The host's side of the ABI: frames and runs as `repr(C)` structs, and the functions that the plugin calls back.

use crate::abi::{
    ABI_VERSION, BatchAbi, CopyAbi, ElementAbi, ErrorSink, FieldAbi, FrameAbi, HostTable, ParameterAbi, RunAbi, Status,
    Text,
};
use crate::{Batch, Change, Field, Frame, Location, Parameter, Run, Steerable, order, release};
use ferrocca_core::{AnyMemory, DType, Error, Result, Stream};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An error sink that keeps the text.
#[derive(Default)]
pub(super) struct Sink {
    text: String,
    abi: Option<ErrorSink>,
}

impl Sink {
    /// The sink as the plugin sees it; writes into `self`, which must not move while it is used.
    pub(super) fn abi(&mut self) -> &ErrorSink {
        let context = (&raw mut self.text).cast();
        self.abi.insert(ErrorSink { context, write: write_text })
    }

    pub(super) fn into_text(self) -> String {
        if self.text.is_empty() { "failed, and gave no reason".to_owned() } else { self.text }
    }
}

unsafe extern "C" fn write_text(context: *mut c_void, text: Text) {
    // SAFETY: the context is the `text` of a `Sink` that outlives the call, and the text is borrowed for it.
    unsafe { (*context.cast::<String>()).push_str(&text.read()) };
}

/// [`abi::TakeChange`](crate::abi::TakeChange), where the context is a list of changes.
pub(super) unsafe extern "C" fn take_change(context: *mut c_void, name: Text, value: f64) {
    // SAFETY: the context is the list of the caller of `changes`, and the name is borrowed for the call.
    unsafe { (*context.cast::<Vec<Change>>()).push(Change { name: name.read().into_owned(), value }) };
}

/// Memory for the fields of one frame or batch after the other, so that a step allocates nothing.
#[derive(Default)]
pub(super) struct FrameScratch {
    fields: Vec<FieldAbi>,
}

impl FrameScratch {
    /// Hands a frame, already checked, to the plugin.
    pub(super) fn with_frame<R>(&mut self, frame: &Frame<'_>, call: impl FnOnce(*const FrameAbi) -> R) -> R {
        self.fields.clear();
        self.fields.extend(frame.fields.iter().map(field_abi));
        let abi = FrameAbi {
            step: frame.step,
            time: frame.time,
            fields: self.fields.as_ptr(),
            field_count: self.fields.len(),
        };
        call(&raw const abi)
    }

    /// Hands a batch, already checked, to the plugin.
    pub(super) fn with_batch<R>(&mut self, batch: &Batch<'_>, call: impl FnOnce(*const BatchAbi) -> R) -> R {
        self.fields.clear();
        self.fields.extend(batch.fields.iter().map(field_abi));
        let abi = BatchAbi {
            steps: batch.steps.as_ptr(),
            times: batch.times.as_ptr(),
            count: batch.len(),
            fields: self.fields.as_ptr(),
            field_count: self.fields.len(),
        };
        call(&raw const abi)
    }
}

fn field_abi(field: &Field<'_>) -> FieldAbi {
    let location = field.location();
    FieldAbi {
        name: Text::new(field.name),
        // `retain` makes another handle of it while the call is under way.
        owner: std::ptr::from_ref(field.memory).cast(),
        data: location.data,
        byte_offset: location.byte_offset,
        memory_bytes: field.memory.bytes() as u64,
        shape: field.shape.as_ptr(),
        strides: field.strides.as_ptr(),
        dimensions: field.dimensions as u32,
        element: element_abi(field.memory.dtype()),
        device_type: location.device.0,
        device_id: location.device_id,
        read_only: u32::from(field.read_only),
        queued: u32::from(location.is_queued),
        stream: location.stream,
        kept: field.kept.map_or(std::ptr::null_mut(), |kept| kept.as_ptr().cast()),
    }
}

/// DLPack's description of an element. `Field::check` has refused other structs than complex numbers.
fn element_abi(dtype: DType) -> ElementAbi {
    let code = match dtype.scalar() {
        _ if dtype == DType::BF16 => 4,
        _ if dtype.complex_of().is_some() => 5,
        Some(scalar) if scalar.is_float() => 2,
        Some(scalar) if scalar.is_signed() => 0,
        _ => 1,
    };
    ElementAbi { code, bits: 8 * dtype.bytes() as u8, lanes: 1 }
}

/// Hands a run to the plugin.
pub(super) fn with_run<R>(run: &Run, call: impl FnOnce(*const RunAbi) -> R) -> Result<R> {
    let Some(output_dir) = run.output_dir.to_str() else {
        let shown = run.output_dir.display();
        return Err(Error::invalid(format!(
            "the output directory {shown} is not UTF-8 and cannot be passed to a script"
        )));
    };
    let parameters = run.parameters.iter().map(|(name, value)| {
        let abi = parameter_abi(name, value);
        match run.steerable.iter().find(|steerable| steerable.name == *name) {
            Some(&Steerable { least, greatest, .. }) => ParameterAbi { steerable: 1, least, greatest, ..abi },
            None => abi,
        }
    });
    let parameters: Vec<ParameterAbi> = parameters.collect();
    let abi = RunAbi {
        name: Text::new(&run.name),
        output_dir: Text::new(output_dir),
        mode: Text::new(&run.mode),
        device: Text::new(&run.device),
        parameters: parameters.as_ptr(),
        parameter_count: parameters.len(),
    };
    Ok(call(&raw const abi))
}

fn parameter_abi(name: &str, value: &Parameter) -> ParameterAbi {
    let (name, text) = (Text::new(name), Text::new(""));
    let empty = ParameterAbi { name, kind: 0, steerable: 0, int: 0, float: 0.0, text, least: 0.0, greatest: 0.0 };
    match value {
        Parameter::Int(int) => ParameterAbi { int: *int, ..empty },
        Parameter::Float(float) => ParameterAbi { kind: 1, float: *float, ..empty },
        Parameter::Text(text) => ParameterAbi { kind: 2, text: Text::new(text), ..empty },
    }
}

/// What this program offers to the plugin.
pub(super) fn host_table() -> *const HostTable {
    static TABLE: HostTable = HostTable {
        abi_version: ABI_VERSION,
        bytes: size_of::<HostTable>() as u32,
        package_version: Text::new(env!("CARGO_PKG_VERSION")),
        retain,
        release: release_handle,
        copy_to_host,
        copy_from_host,
        synchronize,
        hand_over,
        take_back,
        finish_device,
        duplicate,
    };
    &raw const TABLE
}

/// What a handle of the plugin's stands for: memory, and the stream whose work wrote it. Which stream that is belongs to
/// the solver's thread, and the plugin may ask from any other.
struct Retained {
    memory: AnyMemory,
    stream: Stream,
}

impl Retained {
    fn new(memory: &AnyMemory) -> Self {
        Self { memory: memory.clone(), stream: memory.device().stream() }
    }

    fn into_handle(self) -> *mut c_void {
        Box::into_raw(Box::new(self)).cast()
    }

    /// Runs `work` with the memory's stream as the calling thread's current one.
    fn on_stream<R>(&self, work: impl FnOnce(&AnyMemory) -> Result<R>) -> Result<R> {
        let device = self.memory.device();
        let current = device.stream();
        if current == self.stream {
            return work(&self.memory);
        }
        device.set_stream(&self.stream)?;
        let done = work(&self.memory);
        device.set_stream(&current)?;
        done
    }
}

unsafe extern "C" fn retain(owner: *const c_void) -> *mut c_void {
    // SAFETY: the plugin passes the owner of a field of the call under way, whose memory is borrowed for that call.
    Retained::new(unsafe { &*owner.cast::<AnyMemory>() }).into_handle()
}

unsafe extern "C" fn release_handle(handle: *mut c_void) {
    // SAFETY: the handle is one of `retain`'s, and the plugin gives it back once.
    release::pending().push(unsafe { Box::from_raw(handle.cast::<Retained>()) });
}

unsafe extern "C" fn copy_to_host(
    handle: *const c_void,
    destination: *mut u8,
    bytes: usize,
    sink: *const ErrorSink,
) -> Status {
    // SAFETY: the handle is live, the plugin owns `bytes` initialised bytes at `destination`, the sink outlives the call.
    unsafe {
        let destination = std::slice::from_raw_parts_mut(destination, bytes);
        with_handle(handle, sink, |kept| kept.on_stream(|memory| memory.copy_to_bytes(destination)))
    }
}

unsafe extern "C" fn copy_from_host(
    handle: *const c_void,
    source: *const u8,
    bytes: usize,
    sink: *const ErrorSink,
) -> Status {
    // SAFETY: the handle is live, the plugin lends `bytes` initialised bytes at `source`, the sink outlives the call.
    unsafe {
        let source = std::slice::from_raw_parts(source, bytes);
        with_handle(handle, sink, |kept| kept.on_stream(|memory| memory.clone().copy_from_bytes(source)))
    }
}

unsafe extern "C" fn synchronize(handle: *const c_void, sink: *const ErrorSink) -> Status {
    // SAFETY: the handle is live, and the sink outlives the call.
    unsafe { with_handle(handle, sink, |kept| kept.stream.finish()) }
}

unsafe extern "C" fn hand_over(handle: *const c_void, stream: u64, sink: *const ErrorSink) -> Status {
    // SAFETY: as above; the plugin guarantees the stream.
    unsafe { with_handle(handle, sink, |kept| order::hand_over(&kept.stream, stream)) }
}

unsafe extern "C" fn take_back(handle: *const c_void, stream: u64, sink: *const ErrorSink) -> Status {
    // SAFETY: as above.
    unsafe { with_handle(handle, sink, |kept| order::take_back(&kept.stream, stream)) }
}

unsafe extern "C" fn finish_device(handle: *const c_void, sink: *const ErrorSink) -> Status {
    // SAFETY: the handle is live, and the sink outlives the call.
    unsafe { with_handle(handle, sink, |kept| order::finish_device(&kept.memory.device())) }
}

unsafe extern "C" fn duplicate(handle: *const c_void, copy: *mut CopyAbi, sink: *const ErrorSink) -> Status {
    // SAFETY: as above; `copy` is the plugin's to be written.
    unsafe {
        with_handle(handle, sink, |kept| {
            let memory = kept.on_stream(AnyMemory::duplicate)?;
            let Location { data, byte_offset, .. } = Location::of(&memory);
            let handle = Retained { memory, stream: kept.stream.clone() }.into_handle();
            copy.write(CopyAbi { handle, data, byte_offset });
            Ok(())
        })
    }
}

/// Calls `function` with what a handle stands for.
///
/// # Safety
/// `handle` is one of `retain`'s and live, and `sink` outlives the call.
unsafe fn with_handle(
    handle: *const c_void,
    sink: *const ErrorSink,
    function: impl FnOnce(&Retained) -> Result<()>,
) -> Status {
    // SAFETY: the caller's duty.
    unsafe { report(sink, || function(&*handle.cast::<Retained>())) }
}

/// Runs a callback; a failure or a panic becomes a text in the sink.
///
/// # Safety
/// `sink` points to a sink that outlives the call.
unsafe fn report(sink: *const ErrorSink, function: impl FnOnce() -> Result<()>) -> Status {
    let text = match catch_unwind(AssertUnwindSafe(function)) {
        Ok(Ok(())) => return Status::DONE,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the program that runs the solver panicked in this call".to_owned(),
    };
    // SAFETY: the caller guarantees the sink; the text is borrowed for the call.
    unsafe { ((*sink).write)((*sink).context, Text::new(&text)) };
    Status::FAILED
}
