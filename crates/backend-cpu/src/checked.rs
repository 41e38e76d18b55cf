//! Devices that check all that a kernel does, with what [`okl::back::checked`] emits: the memory and the reports of mode
//! `Reference`, at the speed of compiled code. One launch at a time, one thread.

use crate::compiler::{Finder, Toolchain};
use crate::device::is_native;
use crate::kernel::{Loaded, needed_stack, open};
use crate::{compile, error};
use ferrocca_backend_reference::{Engine, Regions, use_alone};
use ferrocca_core::backend::{
    Artifact, BackendDevice, BackendKernel, BackendStream, DeviceInfo, LaunchDims, PackedArgument,
};
use ferrocca_core::props::Props;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use okl::back::checked::{Atomics, Cell, CheckedPointer, CheckedTarget, FaultRecord, LaunchHints, Own, Program};
use okl::signature::{NestSignature, Signature};
use okl::target::Target;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Version of the entry ABI that [`okl::back::checked`] and this crate share.
const ENTRY_ABI: &str = "checked 1";

/// The ABI of an entry.
type Entry = unsafe extern "C" fn(*const *const c_void, *const i64, *const Own, *mut FaultRecord) -> u32;

/// The epochs of all launches: no two have one in common.
static EPOCH: AtomicU64 = AtomicU64::new(1);

/// A device of this kind; `finite`: a NaN or an infinity that is made of finite values is an error.
pub(crate) fn device(mut info: DeviceInfo, props: &Props, finite: bool) -> Arc<dyn BackendDevice> {
    info.name.push_str(" (checked)");
    let engine = CompiledEngine { finder: Finder::new(), props: props.clone(), target: CheckedTarget { finite } };
    ferrocca_backend_reference::open(info, Arc::new(engine))
}

struct CompiledEngine {
    finder: Finder,
    props: Props,
    target: CheckedTarget,
}

impl CompiledEngine {
    fn tools(&self, props: &Props) -> Result<Toolchain> {
        // There is nothing to vectorise, and more optimisation takes longer than it saves.
        Toolchain::resolve_at("-O1", &self.finder, &self.props, props)
    }
}

impl Engine for CompiledEngine {
    fn target(&self) -> Arc<dyn Target> {
        Arc::new(self.target)
    }

    fn identity(&self, props: &Props) -> Result<Vec<(&'static str, String)>> {
        if is_native(props)? {
            return Err(error::props("checked devices have our own functions alone: leave `math=native` out"));
        }
        let mut identity = self.tools(props)?.identity(&self.finder)?;
        identity.push(("entry", ENTRY_ABI.to_owned()));
        Ok(identity)
    }

    /// The program, behind its length, and then the library.
    fn compile(&self, compiled: &Compiled, props: &Props) -> Result<Vec<u8>> {
        let program = Program::text(compiled).ok_or_else(|| error::internal("a module of another target"))?;
        let library = compile::compile(&self.tools(props)?, compiled)?;
        let mut artifact = (program.len() as u64).to_le_bytes().to_vec();
        artifact.extend_from_slice(program.as_bytes());
        artifact.extend_from_slice(&library);
        Ok(artifact)
    }

    fn compile_limit(&self, props: &Props) -> Result<Duration> {
        self.tools(props).map(|tools| tools.timeout)
    }

    fn load(&self, artifact: &Artifact<'_>, signature: &Signature) -> Result<Vec<Arc<dyn BackendKernel>>> {
        let (program, library) =
            split(artifact.bytes).ok_or_else(|| error::internal("an artifact that was cut short"))?;
        let program = Arc::new(Program::read(program).map_err(error::internal)?);
        let loaded = Arc::new(open(library)?);
        let kernel = |nest: &NestSignature| -> Result<Arc<dyn BackendKernel>> {
            // SAFETY: the artifact was made from text whose entries have this type; the pointer is used only while
            // `loaded` lives.
            let entry = unsafe { loaded.entry::<Entry>(&nest.entry) }?;
            let hints: LaunchHints = nest.hints.read().map_err(error::internal)?;
            let (program, loaded) = (Arc::clone(&program), Arc::clone(&loaded));
            Ok(Arc::new(CheckedKernel { entry, hints, program, loaded }))
        };
        signature.nests.iter().map(kernel).collect()
    }
}

/// The program's text and the library.
fn split(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (program, library) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((std::str::from_utf8(program).ok()?, library))
}

/// One nest of a loaded kernel.
struct CheckedKernel {
    entry: Entry,
    hints: LaunchHints,
    program: Arc<Program>,
    /// Keeps the code of `entry` mapped.
    #[allow(dead_code)]
    loaded: Arc<Loaded>,
}

impl BackendKernel for CheckedKernel {
    fn max_inner(&self) -> u64 {
        ferrocca_backend_reference::MAX_INNER
    }

    unsafe fn launch(
        &self,
        _nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        _stream: &dyn BackendStream,
    ) -> Result<()> {
        let groups = number_of(dims.outer).ok_or_else(|| too_many("groups", dims.outer))?;
        let items = number_of(dims.inner).ok_or_else(|| too_many("items", dims.inner))?;
        let epoch = EPOCH.fetch_add(u64::from(groups) + 1, Ordering::Relaxed);
        let _alone = use_alone();
        let mut regions = Regions::of(arguments)?;
        let pointers = self.pointers(&mut regions, arguments, epoch)?;
        let mut given = pointers.iter();
        let arguments: Vec<*const c_void> = arguments
            .iter()
            .map(|argument| match argument {
                PackedArgument::Memory { .. } => {
                    given.next().map_or(std::ptr::null(), |of| std::ptr::from_ref(of).cast())
                }
                PackedArgument::Value(bytes) => bytes.as_ptr().cast(),
            })
            .collect();
        let mut own = OwnMemory::new(&self.hints, items)?;
        let mut record = FaultRecord::default();
        let [x, y, z] = dims.outer.map(|n| n as i64);
        let [a, b, c] = dims.inner.map(|n| n as i64);
        let dims_of_entry = [x, y, z, a, b, c];
        let stack_bytes = needed_stack(self.hints.stack_bytes)?;
        let own = own.pointers(epoch);
        // SAFETY: the arguments fit the nest by the caller's promise, the pointers cover the memory that they name, and
        // nobody else uses it; the entry is loaded as long as this kernel.
        let run =
            || unsafe { (self.entry)(arguments.as_ptr(), dims_of_entry.as_ptr(), &raw const own, &raw mut record) };
        let has_failed = stacker::maybe_grow(stack_bytes, stack_bytes, run) != 0;
        regions.give_back();
        if !has_failed {
            return Ok(());
        }
        let fault = self.program.fault(&record, [dims.outer, dims.inner]);
        let fault = fault.ok_or_else(|| error::internal(format!("a record of another text: {record:?}")))?;
        Err(ferrocca_backend_reference::fault(&fault, self.program.map()))
    }
}

impl CheckedKernel {
    /// What the memory arguments are for the text, in order.
    fn pointers(
        &self,
        regions: &mut Regions<'_>,
        arguments: &[PackedArgument<'_>],
        epoch: u64,
    ) -> Result<Vec<CheckedPointer>> {
        let mut located = Vec::new();
        for (argument, &shift) in arguments.iter().zip(&self.hints.shifts) {
            if let &PackedArgument::Memory { memory, offset_bytes, bytes, mutable, .. } = argument {
                let found = memory.map(|memory| regions.locate(memory, offset_bytes)).transpose()?;
                located.push(Located { found, bytes, shift, mutable });
            }
        }
        let lead_to = |region: usize| {
            located.iter().filter(move |argument| argument.found.is_some_and(|(number, _)| number == region))
        };
        // Reads alone do not conflict. Else the smallest scalar of all that lead to a region counts; a byte where its start is no
        // multiple of that.
        let shift_of = |region: usize, regions: &Regions<'_>| {
            let smallest = lead_to(region).map(|argument| argument.shift).min().unwrap_or(0);
            let shift = if regions.address(region).is_multiple_of(1 << smallest) { smallest } else { 0 };
            lead_to(region).any(|argument| argument.mutable).then_some(shift)
        };
        let pointer = |&Located { found, bytes, .. }: &Located| {
            let Some((region, offset)) = found else {
                let (bytes, written) = (std::ptr::null_mut(), std::ptr::null_mut());
                let (cells, atomics) = (std::ptr::null_mut(), std::ptr::null_mut());
                let (at, lo, hi, shift) = (0, 0, 0, 0);
                return Ok(CheckedPointer { bytes, written, cells, atomics, epoch, at, lo, hi, shift, kind: 1 });
            };
            let shift = shift_of(region, regions);
            let stretch = regions.stretch(region, shift)?;
            let (lo, hi) = (offset as i64, offset as i64 + bytes as i64);
            Ok(CheckedPointer {
                bytes: stretch.bytes,
                written: stretch.written,
                cells: stretch.cells,
                atomics: stretch.atomics,
                epoch,
                at: lo,
                lo,
                hi,
                shift: shift.unwrap_or(0) as i32,
                kind: 0,
            })
        };
        located.iter().map(pointer).collect()
    }
}

/// A memory argument of a launch.
struct Located {
    /// Its region, and where it begins there; `None` for a null pointer.
    found: Option<(usize, usize)>,
    bytes: u64,
    /// The bytes of its smallest scalar, as a power of two.
    shift: u32,
    /// The kernel may write it.
    mutable: bool,
}

/// Groups or items in all, as far as they can be told apart.
fn number_of(sizes: [u64; 3]) -> Option<u32> {
    let product = sizes.iter().try_fold(1_u64, |product, &n| product.checked_mul(n))?;
    u32::try_from(product).ok().filter(|&n| n < u32::MAX)
}

fn too_many(what: &str, sizes: [u64; 3]) -> Error {
    Error::unsupported(format!("a launch of {sizes:?} {what}"), "a checked launch has fewer than 4,294,967,295 of them")
}

/// Memory of a group and its items.
struct OwnMemory {
    shared: Vec<u64>,
    shared_written: Vec<bool>,
    shared_cells: Vec<Cell>,
    shared_atomics: Vec<Atomics>,
    exclusive: Vec<u64>,
    exclusive_written: Vec<bool>,
    done: Vec<bool>,
}

impl OwnMemory {
    fn new(hints: &LaunchHints, items: u32) -> Result<Self> {
        let exhausted = || error::out_of_memory(usize::MAX, None);
        let size = |bytes: u64| usize::try_from(bytes).map_err(|_| exhausted());
        let shared = size(hints.shared_bytes)?;
        let cells = (shared >> hints.shared_shift) + 1;
        let exclusive = size(hints.exclusive_bytes.checked_mul(u64::from(items)).ok_or_else(exhausted)?)?;
        Ok(Self {
            shared: vec![0; shared.div_ceil(8)],
            shared_written: vec![false; shared],
            shared_cells: vec![Cell::default(); cells],
            shared_atomics: vec![Atomics::default(); cells],
            exclusive: vec![0; exclusive.div_ceil(8)],
            exclusive_written: vec![false; exclusive],
            done: vec![false; items as usize],
        })
    }

    fn pointers(&mut self, epoch: u64) -> Own {
        Own {
            shared: self.shared.as_mut_ptr().cast(),
            shared_written: self.shared_written.as_mut_ptr(),
            shared_cells: self.shared_cells.as_mut_ptr(),
            shared_atomics: self.shared_atomics.as_mut_ptr(),
            exclusive: self.exclusive.as_mut_ptr().cast(),
            exclusive_written: self.exclusive_written.as_mut_ptr(),
            done: self.done.as_mut_ptr(),
            epoch,
        }
    }
}
