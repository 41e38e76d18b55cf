//! Kernels: pipelines and bind groups, found again at the next launch.

use crate::compile::{self, Contents, Layouts, Shader, Wanted};
use crate::context::Context;
use crate::error;
use crate::grid::{Counting, for_each_part};
use crate::memory::{WgpuMemory, next_id};
use crate::queue::{Arguments, Dispatch, Recorded};
use ferrocca_core::backend::{Artifact, BackendKernel, BackendStream, LaunchDims, PackedArgument};
use ferrocca_core::{Error, Result};
use okl::back::wgsl::interface::{FieldKind, Interface, interface};
use okl::back::wgsl::{LaunchHints, Windows, windows_of};
use okl::ir::Scalar;
use okl::signature::{ElementType, NestArgument, NestSignature, ParameterKind, Signature};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bind groups that a kernel remembers: a ring of buffers that swap roles needs a few.
const MOST_GROUPS: usize = 64;

/// Launches of at least this many groups are coarsened: with fewer, half as many would not fill a large GPU, and WebGPU
/// does not tell how large it is.
const MANY_GROUPS: u64 = 2048;

/// Bindings begin at multiples of this, and of the element.
const BINDING_ALIGN: u64 = 256;

/// A text, compiled; the one for large memory when it is first needed.
struct Program {
    context: Arc<Context>,
    shader: Shader,
    precise: bool,
    /// How the text for large memory sees it.
    windows: Option<Windows>,
    paged_text: String,
    paged_shader: OnceLock<Result<Shader>>,
    cache: Option<wgpu::PipelineCache>,
}

/// One nest.
pub(crate) struct WgpuKernel {
    program: Arc<Program>,
    interface: Interface,
    /// For each of the interface's bindings: the parameter's element is a struct.
    structs: Vec<bool>,
    entry: String,
    /// The coarsened entry: each group of the dispatch runs two of the launch.
    coarsened: Option<String>,
    sized_at_launch: bool,
    layouts: Layouts,
    paged: Option<(Windows, Layouts)>,
    /// Of [`crate::queue::Queue::arguments`], where the arguments are too long for immediates.
    arguments: Option<wgpu::BindGroup>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    pipelines: Vec<(Shape, Arc<Identified<wgpu::ComputePipeline>>)>,
    groups: Vec<(GroupKey, Arc<Identified<wgpu::BindGroup>>)>,
}

/// Something that is told from others by a number.
pub(crate) struct Identified<T> {
    pub(crate) id: u64,
    pub(crate) value: T,
}

/// What a pipeline is made for: one group or two, sizes of a group where the text leaves them open, windows of each
/// pointer where some memory is larger than a binding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Shape {
    coarsened: bool,
    inner: [u32; 3],
    windows: SmallVec<[u32; 4]>,
}

/// Buffers by their ids (0: none), where their first binding begins, and its length.
type GroupKey = SmallVec<[(u64, u64); 8]>;

/// A launch that is ready to be recorded.
pub(crate) struct Ready {
    pub(crate) pipeline: Arc<Identified<wgpu::ComputePipeline>>,
    pub(crate) group: Arc<Identified<wgpu::BindGroup>>,
    /// The structure of arguments.
    pub(crate) bytes: SmallVec<[u8; 128]>,
    pub(crate) outer: [u64; 3],
    /// The pipeline is the coarsened one.
    coarsened: bool,
}

/// The nests of a kernel.
pub(crate) fn load(
    context: &Arc<Context>,
    artifact: &Artifact<'_>,
    signature: &Signature,
) -> Result<Vec<Arc<dyn BackendKernel>>> {
    let contents = Contents::from_bytes(artifact.bytes)?;
    let program = Arc::new(Program {
        shader: Shader::new(context, &contents.text, contents.precise)?,
        precise: contents.precise,
        cache: compile::pipeline_cache(context, &contents.pipelines),
        windows: windows_of(&context.text, contents.params).filter(|_| !contents.paged_text.is_empty()),
        paged_text: contents.paged_text,
        paged_shader: OnceLock::new(),
        context: Arc::clone(context),
    });
    let nests = signature.nests.iter();
    nests.map(|nest| Ok(Arc::new(WgpuKernel::new(&program, signature, nest)?) as Arc<dyn BackendKernel>)).collect()
}

impl WgpuKernel {
    fn new(program: &Arc<Program>, signature: &Signature, nest: &NestSignature) -> Result<Self> {
        let context = &program.context;
        let interface = interface(signature, nest).map_err(error::internal)?;
        let is_struct = |(position, _): &(usize, u32)| match nest.arguments[*position] {
            NestArgument::Param(param) => {
                matches!(signature.kind(param), ParameterKind::Pointer { element: ElementType::Struct(_), .. })
            }
            NestArgument::Slot(_) => false,
        };
        let paged = program.windows.map(|windows| (windows, Layouts::new(context, &interface, windows.count)));
        let arguments = (!interface.is_immediate(&context.text)).then(|| {
            context.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("arguments"),
                layout: &context.queue.arguments_layout,
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer: &context.queue.arguments,
                        offset: 0,
                        size: std::num::NonZeroU64::new(u64::from(interface.bytes)),
                    }),
                }],
            })
        });
        let kernel = Self {
            program: Arc::clone(program),
            structs: interface.bindings.iter().map(is_struct).collect(),
            layouts: Layouts::new(context, &interface, 1),
            entry: nest.entry.clone(),
            coarsened: nest.hints.read::<LaunchHints>().map_err(error::internal)?.coarsened,
            sized_at_launch: compile::is_sized_at_launch(nest),
            interface,
            paged,
            arguments,
            known: Mutex::default(),
        };
        if !kernel.sized_at_launch {
            // Its pipeline is the same for every launch with small memory, and its errors are errors of the build.
            kernel.pipeline(&mut kernel.lock(), Shape::default())?;
        }
        Ok(kernel)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pipeline(&self, known: &mut Known, shape: Shape) -> Result<Arc<Identified<wgpu::ComputePipeline>>> {
        if let Some((_, pipeline)) = known.pipelines.iter().find(|(other, _)| *other == shape) {
            return Ok(Arc::clone(pipeline));
        }
        let context = &self.program.context;
        let names = compile::size_names(&self.entry);
        let mut constants: Vec<(&str, f64)> = Vec::new();
        if self.sized_at_launch {
            constants.extend(names.iter().zip(shape.inner).map(|(name, size)| (name.as_str(), f64::from(size))));
        }
        let names: Vec<String> =
            self.interface.bindings.iter().map(|(_, binding)| format!("okl_windows_{binding}")).collect();
        let entry = self.coarsened.as_ref().filter(|_| shape.coarsened).unwrap_or(&self.entry);
        let interface = &self.interface;
        let value = if shape.windows.is_empty() {
            let cache = self.program.cache.as_ref();
            let (layouts, constants) = (&self.layouts, &constants);
            let wanted = Wanted { interface, layouts, windows: 1, entry, constants, cache };
            compile::pipeline(context, &self.program.shader, &wanted)?
        } else {
            let Some((windows, layouts)) = &self.paged else {
                return Err(error::internal("windows without their text"));
            };
            let (text, precise) = (&self.program.paged_text, self.program.precise);
            let shader = self.program.paged_shader.get_or_init(|| Shader::new(context, text, precise));
            constants.extend(names.iter().zip(&shape.windows).map(|(name, count)| (name.as_str(), f64::from(*count))));
            let windows = windows.count;
            let wanted = Wanted { interface, layouts, windows, entry, constants: &constants, cache: None };
            compile::pipeline(context, shader.as_ref().map_err(Clone::clone)?, &wanted)?
        };
        let pipeline = Arc::new(Identified { id: next_id(), value });
        known.pipelines.push((shape, Arc::clone(&pipeline)));
        Ok(pipeline)
    }

    /// Finds pipeline and bind group, and lays out the arguments.
    pub(crate) fn prepare(&self, dims: &LaunchDims, arguments: &[PackedArgument<'_>]) -> Result<Ready> {
        let context = &self.program.context;
        self.check(dims)?;
        let mut bound: SmallVec<[Bound<'_>; 8]> = SmallVec::new();
        for ((position, _), is_struct) in self.interface.bindings.iter().zip(&self.structs) {
            bound.push(Bound::new(
                context,
                &arguments[*position],
                *is_struct,
                self.paged.as_ref().map(|paged| paged.0),
            )?);
        }
        let is_paged = bound.iter().any(|bound| bound.windows > 1);
        let coarsened =
            self.coarsened.is_some() && dims.outer[0] > 1 && dims.outer.iter().product::<u64>() >= MANY_GROUPS;
        let mut shape = Shape { coarsened, ..Shape::default() };
        if self.sized_at_launch {
            shape.inner = dims.inner.map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        }
        if is_paged {
            shape.windows = bound.iter().map(|bound| bound.windows).collect();
        }
        let mut known = self.lock();
        let pipeline = self.pipeline(&mut known, shape)?;
        let key: GroupKey =
            bound.iter().map(|bound| (bound.memory.map_or(0, |memory| memory.id), bound.base)).collect();
        let group = match known.groups.iter().position(|(other, _)| *other == key) {
            Some(index) => Arc::clone(&known.groups[index].1),
            None => {
                let value = self.bind(&bound, is_paged);
                let group = Arc::new(Identified { id: next_id(), value });
                if known.groups.len() >= MOST_GROUPS {
                    known.groups.remove(0);
                }
                known.groups.push((key, Arc::clone(&group)));
                group
            }
        };
        drop(known);
        let mut bytes = SmallVec::from_elem(0, self.interface.bytes as usize);
        for field in &self.interface.fields {
            let at = field.offset as usize;
            match field.kind {
                FieldKind::Start(position) => {
                    let index = self.interface.bindings.iter().position(|(p, _)| *p == position);
                    let start = index.map_or(0, |index| bound[index].start);
                    bytes[at..at + 4].copy_from_slice(&start.to_ne_bytes());
                }
                FieldKind::Scalar(position, ty) => widen(&mut bytes[at..], &arguments[position], ty)?,
                FieldKind::Struct(position) => {
                    let value = value_of(&arguments[position])?;
                    bytes[at..at + value.len()].copy_from_slice(value);
                }
                // The number of groups was compared with 32 bits.
                FieldKind::End => bytes[at..at + 4].copy_from_slice(&(dims.outer[0] as u32).to_ne_bytes()),
                FieldKind::First(_) => {}
            }
        }
        Ok(Ready { pipeline, group, bytes, outer: dims.outer, coarsened })
    }

    /// Whether the device takes groups of this size.
    fn check(&self, dims: &LaunchDims) -> Result<()> {
        let limits = &self.program.context.limits;
        let along = [
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ];
        let items: u64 = dims.inner.iter().product();
        let most = u64::from(limits.max_compute_invocations_per_workgroup);
        if items > most || dims.inner.iter().zip(along).any(|(&size, most)| size > u64::from(most)) {
            let [x, y, z] = dims.inner;
            let what = format!("a group of {x} × {y} × {z} items");
            return Err(Error::unsupported(
                what,
                format!("this device runs at most {most}, and {along:?} along the axes"),
            ));
        }
        if let Some(groups) = dims.outer.iter().find(|&&groups| groups > u64::from(u32::MAX)) {
            let reason = format!("groups are numbered in 32 bits: at most {}", u32::MAX);
            return Err(Error::unsupported(format!("{groups} groups along an axis"), reason));
        }
        Ok(())
    }

    fn bind(&self, bound: &[Bound<'_>], is_paged: bool) -> wgpu::BindGroup {
        let context = &self.program.context;
        let paged = self.paged.as_ref().filter(|_| is_paged);
        let windows = paged.map_or(1, |(windows, _)| windows.count);
        let mut entries: Vec<wgpu::BindGroupEntry<'_>> = Vec::new();
        for (bound, (_, binding)) in bound.iter().zip(&self.interface.bindings) {
            for window in 0..windows {
                let part = match bound.memory {
                    Some(memory) => {
                        let step = paged.map_or(0, |(windows, _)| windows.bytes);
                        let most = paged.map_or(context.limits.max_storage_buffer_binding_size, |_| step);
                        let offset = bound.base + u64::from(window) * step;
                        let length = memory.buffer.size().saturating_sub(offset).min(most) / 4 * 4;
                        (length > 0).then_some((&memory.buffer, offset, length))
                    }
                    None => None,
                };
                let (buffer, offset, length) = part.unwrap_or((&context.nothing, 0, context.nothing.size()));
                entries.push(wgpu::BindGroupEntry {
                    binding: binding * windows + window,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset,
                        size: std::num::NonZeroU64::new(length),
                    }),
                });
            }
        }
        let layout = paged.map_or(&self.layouts.buffers, |(_, layouts)| &layouts.buffers);
        context.device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
    }

    /// Records a launch, in parts where it has more groups than a dispatch.
    pub(crate) fn record(&self, recorded: &mut Recorded, ready: &mut Ready) {
        let context = &self.program.context;
        let most = u64::from(context.limits.max_compute_workgroups_per_dimension);
        let counting = Counting { rows: self.interface.counts_rows(), coarsened: ready.coarsened, most };
        for_each_part(ready.outer, counting, |part| {
            for field in &self.interface.fields {
                if let FieldKind::First(axis) = field.kind {
                    let at = field.offset as usize;
                    ready.bytes[at..at + 4].copy_from_slice(&part.first[axis].to_ne_bytes());
                }
            }
            let arguments = match &self.arguments {
                _ if ready.bytes.is_empty() => Arguments::None,
                None => Arguments::Immediates(&ready.bytes),
                Some(group) => Arguments::Memory(group, &ready.bytes),
            };
            let (pipeline, group) = (&ready.pipeline, &ready.group);
            recorded.dispatch(
                context,
                &Dispatch {
                    pipeline: (pipeline.id, &pipeline.value),
                    group: (group.id, &group.value),
                    arguments,
                    groups: part.groups,
                },
            );
        });
    }

    /// Puts another value into a prepared launch.
    pub(crate) fn update(&self, ready: &mut Ready, position: usize, value: &[u8]) -> Result<()> {
        for field in &self.interface.fields {
            let at = field.offset as usize;
            match field.kind {
                FieldKind::Scalar(p, ty) if p == position => {
                    widen(&mut ready.bytes[at..], &PackedArgument::Value(value), ty)?;
                }
                FieldKind::Struct(p) if p == position => {
                    ready.bytes[at..at + value.len()].copy_from_slice(value);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// A pointer argument and how it is bound.
struct Bound<'a> {
    memory: Option<&'a WgpuMemory>,
    /// Where the first binding begins, in bytes.
    base: u64,
    /// Elements from there to the argument's first.
    start: u32,
    /// Bindings that the memory takes.
    windows: u32,
}

impl<'a> Bound<'a> {
    fn new(
        context: &Context,
        argument: &PackedArgument<'a>,
        is_struct: bool,
        windows: Option<Windows>,
    ) -> Result<Self> {
        let PackedArgument::Memory { memory, offset_bytes, bytes, element_bytes, .. } = *argument else {
            return Err(error::internal("a value where the kernel takes memory"));
        };
        let Some(memory) = memory else { return Ok(Self { memory: None, base: 0, start: 0, windows: 1 }) };
        let memory = WgpuMemory::of(memory)?;
        let most = context.limits.max_storage_buffer_binding_size;
        let element = u64::from(element_bytes.max(1));
        let at = |base: u64, windows: u32| {
            // In bounds: less than 2³² elements lie within what bindings reach.
            Ok(Self { memory: Some(memory), base, start: ((offset_bytes - base) / element) as u32, windows })
        };
        if memory.buffer.size() <= most {
            return at(0, 1);
        }
        // A whole number of elements before the argument's first.
        let step = least_common_multiple(BINDING_ALIGN, element);
        let base = offset_bytes / step * step;
        let reached = offset_bytes - base + bytes;
        if reached <= most {
            return at(base, 1);
        }
        let refused = |limit: String| {
            let what = format!("a kernel argument of {bytes} bytes");
            Error::unsupported(what, format!("one binding of this device reaches {most} bytes, {limit}"))
        };
        let Some(windows) = windows else { return Err(refused("and it has no bindings for more".into())) };
        let count = reached.div_ceil(windows.bytes);
        if count > u64::from(windows.count) {
            let all = u64::from(windows.count) * windows.bytes;
            return Err(refused(format!("and {} of them for each pointer of this kernel {all}", windows.count)));
        }
        // Addresses of bytes and numbers of elements have 32 bits.
        let is_by_bytes = is_struct || element < 4;
        let numbers = if is_by_bytes { reached } else { reached / element };
        if numbers > u64::from(u32::MAX) {
            return Err(refused("and addresses have 32 bits".into()));
        }
        at(base, count as u32)
    }
}

fn least_common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

fn value_of<'a>(argument: &PackedArgument<'a>) -> Result<&'a [u8]> {
    match argument {
        PackedArgument::Value(value) => Ok(value),
        PackedArgument::Memory { .. } => Err(error::internal("memory where the kernel takes a value")),
    }
}

/// A scalar in at least 32 bits.
fn widen(to: &mut [u8], argument: &PackedArgument<'_>, ty: Scalar) -> Result<()> {
    let value = value_of(argument)?;
    let low = |n: usize| value.get(n).copied().unwrap_or_default();
    let widened = match ty.held_as() {
        Scalar::Bool => u32::from(low(0) != 0),
        Scalar::U8 => u32::from(low(0)),
        Scalar::I8 => i32::from(low(0) as i8) as u32,
        Scalar::U16 => u32::from(u16::from_ne_bytes([low(0), low(1)])),
        Scalar::I16 => i32::from(i16::from_ne_bytes([low(0), low(1)])) as u32,
        _ => {
            to[..value.len()].copy_from_slice(value);
            return Ok(());
        }
    };
    to[..4].copy_from_slice(&widened.to_ne_bytes());
    Ok(())
}

impl BackendKernel for WgpuKernel {
    fn max_inner(&self) -> u64 {
        u64::from(self.program.context.limits.max_compute_invocations_per_workgroup)
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        _stream: &dyn BackendStream,
    ) -> Result<()> {
        let context = &self.program.context;
        context.failure.check()?;
        let mut ready = self.prepare(dims, arguments)?;
        self.record(&mut context.queue.lock(), &mut ready);
        Ok(())
    }
}
