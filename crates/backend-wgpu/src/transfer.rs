//! Copies and fills of any length at any offset.
//!
//! WebGPU copies whole words at word offsets, and never within one buffer. What is aligned goes that way; the bytes at
//! the edges, and ranges that lie differently in their words, are moved by a small shader that changes their own bits
//! of a word and leaves the neighbours'. Copies within one buffer go through another.

use crate::context::Context;
use crate::error;
use crate::memory::{USAGES, next_id};
use crate::queue::{self, Arguments, Dispatch, Recorded};
use ferrocca_core::Result;
use std::time::Duration;

/// How long the answer to a finished submission may take to come from another thread.
const LONGEST_ANSWER: Duration = Duration::from_secs(60);

/// Host data travel in parts of this size, so that what is staged stays bounded.
const PART_BYTES: u64 = 64 << 20;

/// A fill is made of copies of a block of about this size.
const BLOCK_BYTES: usize = 1 << 20;

/// Bytes that one dispatch of the shader moves: within any binding, and few enough workgroups.
const SHADER_BYTES: u64 = 8 << 20;

/// Bindings begin at multiples of this.
const BINDING_ALIGN: u64 = 256;

/// A byte of a buffer.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// Tells buffers apart.
    pub(crate) id: u64,
    /// In bytes.
    pub(crate) offset: u64,
}

impl At<'_> {
    fn plus(self, bytes: u64) -> Self {
        Self { offset: self.offset + bytes, ..self }
    }
}

/// Host to device: queued when it returns.
pub(crate) fn copy_in(context: &Context, destination: &wgpu::Buffer, offset: u64, source: &[u8]) -> Result<()> {
    let to = At { buffer: destination, id: 0, offset };
    let mut done = 0;
    for part in source.chunks(PART_BYTES as usize) {
        let to = to.plus(done);
        let staged = stage(context, part, to.offset % 4)?;
        let from = At { buffer: &staged, id: next_id(), offset: to.offset % 4 };
        copy_disjoint(context, &mut context.queue.lock(), to, from, part.len() as u64)?;
        done += part.len() as u64;
        if source.len() as u64 > PART_BYTES {
            context.queue.submit(context)?;
        }
    }
    Ok(())
}

/// A buffer that holds `bytes` from `offset` on.
fn stage(context: &Context, bytes: &[u8], offset: u64) -> Result<wgpu::Buffer> {
    let descriptor = wgpu::BufferDescriptor {
        label: Some("staged"),
        size: (offset + bytes.len() as u64).next_multiple_of(16),
        usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::STORAGE,
        mapped_at_creation: true,
    };
    let (buffer, reported) = context.scoped(|| context.device.create_buffer(&descriptor));
    if let Some(error) = reported {
        return Err(match error {
            wgpu::Error::OutOfMemory { .. } => error::out_of_memory(descriptor.size),
            other => error::driver("createBuffer", error::describe(&other)),
        });
    }
    let mut view = buffer.slice(..).get_mapped_range_mut().map_err(|e| error::driver("getMappedRange", e))?;
    view.slice(offset as usize..offset as usize + bytes.len()).copy_from_slice(bytes);
    drop(view);
    buffer.unmap();
    Ok(buffer)
}

/// Device to host: done when it returns.
pub(crate) fn copy_out(context: &Context, source: &wgpu::Buffer, offset: u64, destination: &mut [u8]) -> Result<()> {
    let mut done = 0;
    let total = destination.len() as u64;
    if total == 0 {
        return Ok(());
    }
    let longest = (total.min(PART_BYTES) + 8).next_multiple_of(8);
    let readback = context.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("readback"),
        size: longest,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    for part in destination.chunks_mut(PART_BYTES as usize) {
        let begin = offset + done;
        let (first, end) = (begin / 4 * 4, (begin + part.len() as u64).next_multiple_of(4));
        {
            let mut recorded = context.queue.lock();
            recorded.encoder(context).copy_buffer_to_buffer(source, first, &readback, 0, end - first);
            recorded.submit(context);
        }
        let slice = readback.slice(..end - first);
        let (sender, receiver) = std::sync::mpsc::channel();
        slice.map_async(wgpu::MapMode::Read, move |result| {
            // The receiver is gone only where the wait below failed.
            let _ = sender.send(result);
        });
        queue::wait(context, None)?;
        // Another thread that waits may be the one that is about to tell.
        match receiver.recv_timeout(LONGEST_ANSWER) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(error::driver("mapAsync", error)),
            Err(_) => return Err(error::driver("mapAsync", "the device answered nothing")),
        }
        let view = slice.get_mapped_range().map_err(|e| error::driver("getMappedRange", e))?;
        let skipped = (begin - first) as usize;
        part.copy_from_slice(&view[skipped..skipped + part.len()]);
        drop(view);
        readback.unmap();
        done += part.len() as u64;
    }
    context.failure.check()
}

/// Device to device; the ranges may overlap.
pub(crate) fn copy(context: &Context, recorded: &mut Recorded, to: At<'_>, from: At<'_>, bytes: u64) -> Result<()> {
    if to.id != from.id {
        return copy_disjoint(context, recorded, to, from, bytes);
    }
    if to.offset == from.offset {
        return Ok(());
    }
    let between = context.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("between"),
        size: (bytes + 4).next_multiple_of(16),
        usage: USAGES,
        mapped_at_creation: false,
    });
    let middle = At { buffer: &between, id: next_id(), offset: from.offset % 4 };
    copy_disjoint(context, recorded, middle, from, bytes)?;
    copy_disjoint(context, recorded, to, middle, bytes)
}

/// Device to device, between two buffers.
fn copy_disjoint(context: &Context, recorded: &mut Recorded, to: At<'_>, from: At<'_>, bytes: u64) -> Result<()> {
    if to.offset % 4 != from.offset % 4 {
        return move_bytes(context, recorded, to, from, bytes);
    }
    let head = ((4 - to.offset % 4) % 4).min(bytes);
    let middle = (bytes - head) / 4 * 4;
    let tail = bytes - head - middle;
    if head > 0 {
        move_bytes(context, recorded, to, from, head)?;
    }
    if middle > 0 {
        let (to, from) = (to.plus(head), from.plus(head));
        recorded.encoder(context).copy_buffer_to_buffer(from.buffer, from.offset, to.buffer, to.offset, middle);
    }
    if tail > 0 {
        move_bytes(context, recorded, to.plus(head + middle), from.plus(head + middle), tail)?;
    }
    Ok(())
}

/// Repeats `pattern` over `bytes`, a multiple of its length.
pub(crate) fn fill(context: &Context, to: At<'_>, bytes: u64, pattern: &[u8]) -> Result<()> {
    if pattern.is_empty() || !bytes.is_multiple_of(pattern.len() as u64) {
        return Err(error::internal(format!("a fill of {bytes} bytes by a pattern of {}", pattern.len())));
    }
    if bytes == 0 {
        return Ok(());
    }
    if to.offset.is_multiple_of(4) && bytes.is_multiple_of(4) && pattern.iter().all(|byte| *byte == 0) {
        context.queue.lock().encoder(context).clear_buffer(to.buffer, to.offset, Some(bytes));
        return Ok(());
    }
    // Whole patterns and whole words, so that every copy of the block lies alike.
    let unit = if pattern.len().is_multiple_of(4) { pattern.len() } else { pattern.len() * 4 };
    let length = (unit * (BLOCK_BYTES / unit).max(1)).min(bytes as usize);
    let block: Vec<u8> = pattern.iter().copied().cycle().take(length).collect();
    let staged = stage(context, &block, to.offset % 4)?;
    let from = At { buffer: &staged, id: next_id(), offset: to.offset % 4 };
    let mut recorded = context.queue.lock();
    let mut done = 0;
    while done < bytes {
        let part = (length as u64).min(bytes - done);
        copy_disjoint(context, &mut recorded, to.plus(done), from, part)?;
        done += part;
    }
    Ok(())
}

const SHADER: &str = "
struct Args { from_byte: u32, to_byte: u32, count: u32 }
var<immediate> args: Args;
@group(0) @binding(0) var<storage, read_write> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> destination: array<atomic<u32>>;

@compute @workgroup_size(64)
fn move_bytes(@builtin(global_invocation_id) id: vec3<u32>) {
    let word = (args.to_byte >> 2u) + id.x;
    let end = args.to_byte + args.count;
    if (4u * word >= end) { return; }
    var mask = 0u;
    var value = 0u;
    for (var k = 0u; k < 4u; k++) {
        let to = 4u * word + k;
        if (to >= args.to_byte && to < end) {
            let at = to - args.to_byte + args.from_byte;
            mask |= 0xffu << (8u * k);
            value |= extractBits(source[at >> 2u], 8u * (at & 3u), 8u) << (8u * k);
        }
    }
    atomicAnd(&destination[word], ~mask);
    atomicOr(&destination[word], value);
}
";

/// The shader that moves bytes.
pub(crate) struct Mover {
    id: u64,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Mover {
    fn new(context: &Context) -> Self {
        let device = &context.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("move_bytes"),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let layout = crate::compile::storage_layout(device, &[0, 1]);
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("move_bytes"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 12,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("move_bytes"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("move_bytes"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { id: next_id(), pipeline, layout }
    }
}

/// Moves bytes one by one between two buffers, at any offsets.
fn move_bytes(context: &Context, recorded: &mut Recorded, to: At<'_>, from: At<'_>, bytes: u64) -> Result<()> {
    let mover = context.mover.get_or_init(|| Mover::new(context));
    let mut done = 0;
    while done < bytes {
        let part = SHADER_BYTES.min(bytes - done);
        let (to, from) = (to.plus(done), from.plus(done));
        let window = |at: At<'_>| {
            let begin = at.offset / BINDING_ALIGN * BINDING_ALIGN;
            let end = (at.offset + part).next_multiple_of(4).min(at.buffer.size());
            (begin, end - begin)
        };
        let entry = |binding, at| {
            let (offset, length) = window(at);
            wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: at.buffer,
                    offset,
                    size: std::num::NonZeroU64::new(length),
                }),
            }
        };
        let group = context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &mover.layout,
            entries: &[entry(0, from), entry(1, to)],
        });
        let arguments = [from.offset % BINDING_ALIGN, to.offset % BINDING_ALIGN, part].map(|value| value as u32);
        let arguments: Vec<u8> = arguments.iter().flat_map(|value| value.to_ne_bytes()).collect();
        let words = (to.offset + part).div_ceil(4) - to.offset / 4;
        recorded.dispatch(
            context,
            &Dispatch {
                pipeline: (mover.id, &mover.pipeline),
                group: (next_id(), &group),
                arguments: Arguments::Immediates(&arguments),
                groups: [words.div_ceil(64) as u32, 1, 1],
            },
        );
        done += part;
    }
    Ok(())
}
