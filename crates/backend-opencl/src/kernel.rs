//! A nest as a `cl_kernel`, launched in parts where its grid is larger than the device takes.

use crate::device::Shared;
use crate::driver::{DeviceId, Kernel, Program, ask, ask_bytes, call, create, library};
use crate::hazard::Touch;
use crate::memory::{self, ClMemory};
use crate::select::Limits;
use crate::stream::{self, reads, writes};
use crate::{compile, error};
use cl3::kernel::{CL_KERNEL_COMPILE_WORK_GROUP_SIZE, CL_KERNEL_WORK_GROUP_SIZE};
use cl3::types::cl_kernel;
use ferrocca_core::backend::{BackendKernel, BackendStream, GridPart, LaunchDims, PackedArgument, grid_parts};
use ferrocca_core::{Error, Result};
use okl::back::opencl::LaunchHints;
use okl::signature::{NestArgument, NestSignature, ParameterKind, Signature};
use std::any::Any;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};

/// Most items of a group that loops run: far more than any device has.
const MAX_ITEMS: u64 = 1 << 24;

/// Stretches of a large launch for each core.
const STRETCHES_PER_UNIT: u64 = 4;

/// Fewest operations (groups × items × [`NestSignature::cost`]) of a stretch: some five microseconds of work, several
/// times what it costs to hand it to another core.
const OPERATIONS_PER_STRETCH: u64 = 500_000;

/// Launches of at least this many groups for each compute unit are coarsened: with fewer, half as many work-groups would
/// leave compute units idle.
const MANY_GROUPS: u64 = 16;

/// What runs the items of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    WorkItems,
    /// The same, where a work-group may run two groups.
    Coarsened,
    Loops,
}

/// One nest of a loaded kernel.
pub(crate) struct ClKernel {
    /// Locked from the first argument to the launch: the driver keeps the arguments in the kernel's object.
    state: Mutex<State>,
    form: Form,
    max_inner: u64,
    shared: Arc<Shared>,
    program: Arc<Program>,
    entry: CString,
}

/// A driver's kernel and what is known of its arguments.
struct State {
    kernel: Kernel,
    /// The value of each argument of the nest, where it is short: what has not changed is not set again.
    values: Vec<Short>,
    /// Where the launch's own numbers are one argument: starts of slices, then those of the tail.
    numbers: Option<Numbers>,
    /// What followed the nest's arguments at the last launch.
    tail: Option<Tail>,
}

/// The numbers of a launch that are one argument.
#[derive(Clone, Debug)]
struct Numbers {
    all: Vec<u64>,
    /// How many of them are starts.
    pointers: usize,
    /// Some of them have changed since they were set.
    is_stale: bool,
}

/// A value of up to 16 bytes; of none where none was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Short {
    bytes: [u8; 16],
    length: u8,
}

impl Short {
    fn of(value: &[u8]) -> Option<Self> {
        let mut bytes = [0; 16];
        bytes.get_mut(..value.len())?.copy_from_slice(value);
        Some(Self { bytes, length: value.len() as u8 })
    }
}

/// Loads a binary and takes the kernel of each nest.
pub(crate) fn load(shared: &Arc<Shared>, binary: &[u8], signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
    let program = Arc::new(compile::load(shared, binary)?);
    let kernel = |nest: &NestSignature| -> Result<Arc<dyn BackendKernel>> {
        let entry = CString::new(nest.entry.as_str()).map_err(|_| error::internal("a nest's name with a zero byte"))?;
        let form = Form::of(nest)?;
        let state = State::new(&program, &entry, (nest, form), pointers(signature, nest))?;
        let max_inner = match form {
            Form::WorkItems | Form::Coarsened => max_group(&state.kernel, shared.candidate.id)?,
            Form::Loops => MAX_ITEMS,
        };
        let (shared, program) = (Arc::clone(shared), Arc::clone(&program));
        Ok(Arc::new(ClKernel { state: Mutex::new(state), form, max_inner, shared, program, entry }))
    };
    signature.nests.iter().map(kernel).collect()
}

/// Most work-items of a kernel's groups. Where the text asks for a size, the driver has compiled the kernel for that one; NVIDIA's
/// names 256 as the limit of such a kernel, too.
fn max_group(kernel: &Kernel, device: DeviceId) -> Result<u64> {
    let any = ask::<usize>((kernel, device), CL_KERNEL_WORK_GROUP_SIZE)? as u64;
    let sizes = ask_bytes((kernel, device), CL_KERNEL_COMPILE_WORK_GROUP_SIZE)?;
    let sizes =
        sizes.chunks_exact(size_of::<usize>()).map(|size| size.try_into().map_or(0, usize::from_ne_bytes) as u64);
    Ok(any.max(sizes.product()))
}

/// How many arguments of a nest are pointers.
fn pointers(signature: &Signature, nest: &NestSignature) -> usize {
    let is_pointer = |argument: &&NestArgument| match argument {
        NestArgument::Param(position) => {
            matches!(signature.kind(*position), ParameterKind::Pointer { .. })
        }
        NestArgument::Slot(_) => false,
    };
    nest.arguments.iter().filter(is_pointer).count()
}

/// One launch as the driver takes it: sizes, and the arguments that follow those of the nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) axes: u32,
    pub(crate) global: [usize; 3],
    pub(crate) local: [usize; 3],
    tail: Tail,
}

/// The numbers of a launch, besides where its slices start: see [`okl::back::opencl`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    /// Items are work-items: the first group.
    First([u64; 3]),
    /// The same, and one past the last group along axis 0 where each work-group runs two, else 0.
    Coarsened([u64; 3], u64),
    /// Groups are run by loops: counts of groups and items, and how many groups a work-item runs.
    Stretches { dims: [u64; 6], stretch: u64 },
}

impl Form {
    fn of(nest: &NestSignature) -> Result<Self> {
        Ok(match nest.hints.read().map_err(error::internal)? {
            LaunchHints { serial_items: true, .. } => Self::Loops,
            LaunchHints { coarsened: true, .. } => Self::Coarsened,
            LaunchHints { .. } => Self::WorkItems,
        })
    }

    /// The parts of a launch: one, where the device takes its grid.
    fn parts(self, dims: &LaunchDims, nest: &NestSignature, limits: &Limits) -> impl Iterator<Item = Part> {
        let dims = *dims;
        let in_loops = (self == Self::Loops).then(|| stretches(&dims, nest.cost, limits.units));
        let grid = if in_loops.is_some() { [u64::MAX; 3] } else { limits.grid };
        let many = dims.outer.iter().product::<u64>() >= u64::from(limits.units) * MANY_GROUPS;
        grid_parts(dims.outer, grid).map(move |GridPart { first, groups, .. }| {
            if let Some(part) = in_loops {
                return part;
            }
            let local = dims.inner.map(|n| n as usize);
            let coarsened = self == Self::Coarsened && many;
            let work_groups = if coarsened { [groups[0].div_ceil(2), groups[1], groups[2]] } else { groups };
            let global = [0, 1, 2].map(|axis| work_groups[axis] as usize * local[axis]);
            let axes = (1..=3).rfind(|&axes: &u32| axes == 1 || global[axes as usize - 1] > 1).unwrap_or(1);
            let tail = match self {
                Self::Coarsened => Tail::Coarsened(first, if coarsened { first[0] + groups[0] } else { 0 }),
                Self::WorkItems | Self::Loops => Tail::First(first),
            };
            Part { axes, global, local, tail }
        })
    }
}

/// Work-items that run a stretch of the groups each: one for a small launch, a few for each core for a large one, so
/// that a core that is late leaves less to wait for.
fn stretches(dims: &LaunchDims, cost: u32, units: u32) -> Part {
    let groups: u64 = dims.outer.iter().product();
    let items: u64 = dims.inner.iter().product();
    let operations = groups.saturating_mul(items).saturating_mul(u64::from(cost));
    let most = (u64::from(units) * STRETCHES_PER_UNIT).min(operations / OPERATIONS_PER_STRETCH).clamp(1, groups);
    let stretch = groups.div_ceil(most);
    let ([x, y, z], [a, b, c]) = (dims.outer, dims.inner);
    let tail = Tail::Stretches { dims: [x, y, z, a, b, c], stretch };
    Part { axes: 1, global: [groups.div_ceil(stretch) as usize, 1, 1], local: [1; 3], tail }
}

impl State {
    fn new(program: &Program, entry: &CString, (nest, form): (&NestSignature, Form), pointers: usize) -> Result<Self> {
        let numbers = Numbers { all: vec![0; pointers], pointers, is_stale: true };
        let (arguments, numbers) = if form == Form::Loops {
            (nest.arguments.len(), Some(numbers))
        } else {
            (nest.arguments.len() + pointers, None)
        };
        Self::with(program, entry, vec![Short::default(); arguments], numbers)
    }

    fn with(program: &Program, entry: &CString, values: Vec<Short>, numbers: Option<Numbers>) -> Result<Self> {
        let kernel = create!(clCreateKernel(program.raw(), entry.as_ptr()))?;
        // SAFETY: the kernel was just made, and its one reference is ours.
        let kernel = unsafe { Kernel::own(kernel) };
        Ok(Self { kernel, values, numbers, tail: None })
    }

    /// Another kernel of the same entry, of which nothing is set.
    fn unset_copy(&self, program: &Program, entry: &CString) -> Result<Self> {
        let numbers = self.numbers.clone().map(|numbers| Numbers { is_stale: true, ..numbers });
        Self::with(program, entry, vec![Short::default(); self.values.len()], numbers)
    }

    /// Sets the arguments of the nest, and sets or notes where the slices start.
    fn set(&mut self, arguments: &[PackedArgument<'_>]) -> Result<()> {
        let (mut position, mut pointer) = (0, 0);
        for argument in arguments {
            match argument {
                PackedArgument::Memory { memory, offset_bytes, element_bytes, .. } => {
                    let mem = memory.map(usable).transpose()?.map_or(std::ptr::null_mut(), ClMemory::raw);
                    self.set_one(position, &mem)?;
                    let start = offset_bytes / u64::from((*element_bytes).max(1));
                    match &mut self.numbers {
                        Some(numbers) => numbers.note(pointer, start),
                        None => {
                            position += 1;
                            self.set_value(position, &start.to_ne_bytes())?;
                        }
                    }
                    pointer += 1;
                }
                PackedArgument::Value(bytes) => self.set_value(position, bytes)?,
            }
            position += 1;
        }
        Ok(())
    }

    /// Sets a number or struct, unless it has this value. (A buffer is always set: another may have got its handle.)
    fn set_value(&mut self, position: u32, bytes: &[u8]) -> Result<()> {
        let short = Short::of(bytes);
        if short.is_some_and(|short| self.values[position as usize] == short) {
            return Ok(());
        }
        call!(clSetKernelArg(self.kernel.raw(), position, bytes.len(), bytes.as_ptr().cast()))?;
        self.values[position as usize] = short.unwrap_or_default();
        Ok(())
    }

    fn set_one<T: Copy>(&self, position: u32, value: &T) -> Result<()> {
        call!(clSetKernelArg(self.kernel.raw(), position, size_of::<T>(), std::ptr::from_ref(value).cast()))
    }

    /// Sets what follows the nest's arguments.
    fn set_tail(&mut self, tail: Tail) -> Result<()> {
        let position = self.values.len() as u32;
        if let (Some(numbers), Tail::Stretches { dims: [x, y, z, a, b, c], stretch }) = (&mut self.numbers, &tail) {
            if numbers.complete(&[*x, *y, *z, *a, *b, *c, *stretch]) {
                let bytes = size_of_val(&numbers.all[..]);
                call!(clSetKernelArg(self.kernel.raw(), position, bytes, numbers.all.as_ptr().cast()))?;
                numbers.is_stale = false;
            }
            return Ok(());
        }
        if self.tail == Some(tail) {
            return Ok(());
        }
        // A `long3` has the size of a `long4`.
        match tail {
            Tail::First([x, y, z]) => self.set_one(position, &[x, y, z, 0])?,
            Tail::Coarsened([x, y, z], end) => {
                self.set_one(position, &[x, y, z, 0])?;
                self.set_one(position + 1, &end)?;
            }
            Tail::Stretches { .. } => return Err(error::internal("loops whose numbers are no struct")),
        }
        self.tail = Some(tail);
        Ok(())
    }
}

impl Numbers {
    /// The start of slice `pointer`.
    fn note(&mut self, pointer: usize, start: u64) {
        self.is_stale |= self.all[pointer] != start;
        self.all[pointer] = start;
    }

    /// Adds what follows the starts; whether anything has to be set.
    fn complete(&mut self, rest: &[u64]) -> bool {
        if self.all[self.pointers..] != *rest {
            self.all.truncate(self.pointers);
            self.all.extend(rest);
            self.is_stale = true;
        }
        self.is_stale
    }
}

/// Memory that a kernel can use.
pub(crate) fn usable(memory: &dyn ferrocca_core::backend::BackendMemory) -> Result<&ClMemory> {
    let memory = memory::downcast(memory)?;
    if memory.kind() == memory::Kind::Staging {
        return Err(Error::unsupported(
            "pinned memory as a kernel's argument",
            "this device sees it only through copies; copy it to memory of the device",
        ));
    }
    Ok(memory)
}

/// How a launch touches its memory.
pub(crate) fn touches<'a>(arguments: &'a [PackedArgument<'a>]) -> impl Iterator<Item = Touch> + 'a {
    arguments.iter().filter_map(|argument| match argument {
        PackedArgument::Memory { memory: Some(memory), mutable, .. } => {
            let memory = memory::downcast(*memory).ok()?;
            Some(if *mutable { writes(memory) } else { reads(memory) })
        }
        _ => None,
    })
}

impl ClKernel {
    /// Calls `launch` for each part of a launch, with the driver's kernel whose arguments are set for it.
    pub(crate) fn with_parts(
        &self,
        dims: &LaunchDims,
        nest: &NestSignature,
        arguments: &[PackedArgument<'_>],
        mut launch: impl FnMut(cl_kernel, Part) -> Result<()>,
    ) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.set(arguments)?;
        for part in self.form.parts(dims, nest, &self.shared.candidate.limits) {
            state.set_tail(part.tail)?;
            launch(state.kernel.raw(), part)?;
        }
        Ok(())
    }

    /// The parts of a launch, each with a kernel's object of its own whose arguments stay as they are set: what a
    /// recorded command needs, since drivers (PoCL 3.1) look at a kernel's arguments when the command is replayed.
    pub(crate) fn prepare(
        &self,
        dims: &LaunchDims,
        nest: &NestSignature,
        arguments: &[PackedArgument<'_>],
    ) -> Result<Vec<(Kernel, Part)>> {
        let model = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let parts = self.form.parts(dims, nest, &self.shared.candidate.limits);
        parts
            .map(|part| {
                let mut state = model.unset_copy(&self.program, &self.entry)?;
                state.set(arguments)?;
                state.set_tail(part.tail)?;
                Ok((state.kernel, part))
            })
            .collect()
    }
}

impl BackendKernel for ClKernel {
    fn max_inner(&self) -> u64 {
        self.max_inner
    }

    unsafe fn launch(
        &self,
        nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        stream: &dyn BackendStream,
    ) -> Result<()> {
        let (stream, library) = (stream::downcast(stream)?, library()?);
        let queue = stream.queue().raw();
        self.with_parts(dims, nest, arguments, |kernel, Part { axes, global, local, .. }| {
            stream.enqueue(
                "clEnqueueNDRangeKernel",
                || touches(arguments),
                |count, list, event| {
                    let (global, local) = (global.as_ptr(), local.as_ptr());
                    library.clEnqueueNDRangeKernel(
                        queue,
                        kernel,
                        axes,
                        std::ptr::null(),
                        global,
                        local,
                        count,
                        list,
                        event,
                    )
                },
            )
        })
    }
}

/// The kernel behind a contract reference.
pub(crate) fn downcast(kernel: &dyn BackendKernel) -> Result<&ClKernel> {
    (kernel as &dyn Any).downcast_ref().ok_or_else(|| error::internal("a kernel of another backend reached OpenCL"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ClDevice;
    use ferrocca_core::backend::{Artifact, BackendDevice as _, Placement};
    use ferrocca_core::props::Props;

    fn nest(cost: u32) -> NestSignature {
        let request = okl::Request {
            name: "k",
            source: "@kernel void k(int *x) { for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < 1; ++i; @inner) { x[0] = 1; } } }",
            mode: "OpenCL",
            defines: &[],
            includes: &okl::NoIncludes,
        };
        let target = okl::back::opencl::OpenClTarget(okl::target::opencl::Features::ALL);
        let mut compiled = okl::compile(&request, &target).expect("it compiles");
        let mut nest = compiled.signatures.remove(0).nests.remove(0);
        nest.cost = cost;
        nest
    }

    fn limits(grid: [u64; 3]) -> Limits {
        Limits {
            allocation: 0,
            memory: 0,
            grid,
            units: 2,
            fine_grain: false,
            out_of_order: false,
            profiling: false,
            exact_f32_division: false,
            language: (1, 2),
            says_free: false,
            command_buffers: false,
        }
    }

    #[test]
    fn a_large_grid_is_launched_in_parts_that_cover_it() {
        let dims = LaunchDims { outer: [5, 7, 2], inner: [8, 1, 1] };
        let parts = |grid| Form::WorkItems.parts(&dims, &nest(1), &limits(grid)).collect::<Vec<Part>>();
        let whole = Part { axes: 3, global: [40, 7, 2], local: [8, 1, 1], tail: Tail::First([0; 3]) };
        assert_eq!(parts([100; 3]), [whole]);
        let cut = parts([2, 3, 2]);
        assert_eq!(cut.len(), 3 * 3);
        let groups: usize = cut.iter().map(|part| part.global[0] / 8 * part.global[1] * part.global[2]).sum();
        assert_eq!(groups, 5 * 7 * 2);
        assert_eq!(cut[8].tail, Tail::First([4, 6, 0]));
        assert_eq!(cut[8].global, [8, 1, 2]);
    }

    #[test]
    fn many_groups_are_coarsened() {
        let parts = |groups, grid| {
            let dims = LaunchDims { outer: [groups, 1, 1], inner: [8, 1, 1] };
            Form::Coarsened
                .parts(&dims, &nest(1), &limits(grid))
                .map(|part| (part.global[0] / 8, part.tail))
                .collect::<Vec<_>>()
        };
        assert_eq!(parts(31, [100; 3]), [(31, Tail::Coarsened([0; 3], 0))]);
        assert_eq!(parts(32, [100; 3]), [(16, Tail::Coarsened([0; 3], 32))]);
        let second = Tail::Coarsened([25, 0, 0], 41);
        assert_eq!(parts(41, [25; 3]), [(13, Tail::Coarsened([0; 3], 25)), (8, second)]);
    }

    #[test]
    fn axes_of_one_are_left_out() {
        let limits = limits([100; 3]);
        let axes = |outer, inner| {
            Form::WorkItems.parts(&LaunchDims { outer, inner }, &nest(1), &limits).next().map(|part| part.axes)
        };
        assert_eq!(axes([1, 1, 1], [1, 1, 1]), Some(1));
        assert_eq!(axes([9, 1, 1], [4, 1, 1]), Some(1));
        assert_eq!(axes([9, 1, 1], [4, 2, 1]), Some(2));
        assert_eq!(axes([1, 1, 3], [1, 1, 1]), Some(3));
    }

    #[test]
    fn stretches_cover_all_groups_and_small_launches_stay_whole() {
        let limits = limits([1; 3]);
        for (outer, cost, most) in
            [([1, 1, 1], 1, 1), ([40, 5, 1], 1, 1), ([100_000, 3, 7], 20, 8), ([9, 1, 1], 1 << 20, 8)]
        {
            let dims = LaunchDims { outer, inner: [64, 1, 1] };
            let parts: Vec<Part> = Form::Loops.parts(&dims, &nest(cost), &limits).collect();
            let [Part { global, local: [1, 1, 1], axes: 1, tail: Tail::Stretches { dims: numbers, stretch } }] =
                parts[..]
            else {
                panic!("{parts:?}")
            };
            let all: u64 = outer.iter().product();
            assert_eq!(numbers, [outer[0], outer[1], outer[2], 64, 1, 1]);
            assert!(global[0] as u64 * stretch >= all && (global[0] as u64 - 1) * stretch < all, "{parts:?}");
            assert!(global[0] <= most, "{parts:?}");
        }
    }

    /// On the device itself: a grid that it does not take at once, and one in which loops run several groups.
    #[test]
    fn parts_and_stretches_run_every_group_once() {
        let source = "@kernel void count(const int nx, const int ny, const int nz, int *x) {
            for (int k = 0; k < nz; ++k; @outer(2)) {
                for (int j = 0; j < ny; ++j; @outer(1)) {
                    for (int i = 0; i < nx; ++i; @outer(0)) {
                        for (int t = 0; t < 3; ++t; @inner) {
                            x[((k * ny + j) * nx + i) * 3 + t] += 100 * k + 10 * j + i + 1000 * t;
                        }
                    }
                }
            }
        }";
        for form in [okl::target::opencl::Form::WorkItems, okl::target::opencl::Form::Loops] {
            let device = ClDevice::for_tests_with(|candidate| {
                candidate.limits.grid = [4, 3, 2];
                candidate.features.form = form;
            });
            let Some(device) = device else { return };
            let request = okl::Request { name: "k", source, mode: "OpenCL", defines: &[], includes: &okl::NoIncludes };
            let compiled = okl::compile(&request, &*device.target()).expect("it compiles");
            let binary = device.compile(&compiled, &Props::new()).expect("it builds");
            let artifact = Artifact { bytes: &binary };
            let signature = &compiled.signatures[0];
            let kernels = device.load(&artifact, signature).expect("it loads");
            let (stream, sizes) = (device.default_stream(), [7_i32, 5, 3]);
            let memory = device.allocate(7 * 5 * 3 * 3 * 4, Placement::Device).expect("memory");
            stream.fill(&*memory, 0, memory.bytes(), &[0]).expect("it fills");
            let numbers = sizes.map(i32::to_ne_bytes);
            let argument = |argument: &NestArgument| match *argument {
                NestArgument::Param(3) => PackedArgument::Memory {
                    memory: Some(&*memory),
                    offset_bytes: 0,
                    bytes: memory.bytes() as u64,
                    element_bytes: 4,
                    mutable: true,
                },
                NestArgument::Param(number) => PackedArgument::Value(&numbers[number as usize]),
                NestArgument::Slot(_) => unreachable!("the kernel has no host variables"),
            };
            let arguments: Vec<PackedArgument<'_>> = signature.nests[0].arguments.iter().map(argument).collect();
            let mut nest = signature.nests[0].clone();
            nest.cost = 1 << 20;
            let dims = LaunchDims { outer: [7, 5, 3], inner: [3, 1, 1] };
            // SAFETY: the arguments are those of the kernel, and its indices stay inside the memory.
            unsafe { kernels[0].launch(&nest, &dims, &arguments, &*stream) }.expect("it launches");
            let mut got = vec![0; memory.bytes()];
            stream.copy_out(&*memory, 0, &mut got).expect("it reads");
            let got: Vec<i32> = got.chunks(4).map(|b| i32::from_ne_bytes([b[0], b[1], b[2], b[3]])).collect();
            let expected: Vec<i32> = (0..3)
                .flat_map(|k| (0..5).flat_map(move |j| (0..7).map(move |i| 100 * k + 10 * j + i)))
                .flat_map(|group| (0..3).map(move |t| group + 1000 * t))
                .collect();
            assert_eq!(got, expected, "{form:?}");
        }
    }
}
