//! Loading a shared library and calling its entries.

use crate::error;
use crate::memory::Scratch;
use crate::team::{MAX_PARTS, Team};
use crate::updates::{self, Copies};
use ferrocca_core::Result;
use ferrocca_core::backend::{
    Artifact, BackendKernel, BackendMemory, BackendStream, Interrupt, LaunchDims, PackedArgument,
};
use libloading::Library;
use okl::back::cpu::{Copied, LaunchHints};
use okl::signature::{NestSignature, Signature};
use std::cell::RefCell;
use std::ffi::c_void;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Most items of a group: far more than any device has, and few enough that the scratch memory of a group is counted
/// without overflow.
pub(crate) const MAX_INNER: u64 = 1 << 24;

/// Operations (groups × items × [`NestSignature::cost`]) below which a launch stays on the calling thread: a second
/// member must have a full share to be worth being called.
const INLINE_OPERATIONS: u64 = 2 * OPERATIONS_PER_MEMBER;

/// Fewest operations of a member's share. Fork and join cost some 0.4 µs while the team is awake; this many operations
/// of a vectorised loop (5,000 points of a three-point update) take 0.5 to 1 µs, and several where it does not vectorise.
/// Measured: with two members the step takes 1.2 times as long at 5,000 points, as long at 10,000, and 0.6 times as
/// long at 50,000. A team that sleeps is woken in some 10 µs, during which the caller goes on by itself.
const OPERATIONS_PER_MEMBER: u64 = 250_000;

/// Operations below which the first launch after a pause is the caller's alone: 60,000 points of a three-point update are
/// done in the time that a worker needs to wake up.
const BRIEF_OPERATIONS: u64 = 12 * OPERATIONS_PER_MEMBER;

/// Arguments that fit on the stack.
const FEW: usize = 32;

/// The entry ABI of [`okl::back::cpu`].
pub(crate) type Entry = unsafe extern "C" fn(*const *const c_void, *const i64, i64, i64, *mut c_void);

thread_local! {
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

/// What any call may take of a stack without asking: registers, and arrays of little more than a page.
const SMALL_STACK: usize = 8 * 1024;

/// What a call needs of a stack that keeps so many bytes of arrays there: C compilers spill registers besides, and may
/// keep copies of what a loop works on.
pub(crate) fn needed_stack(array_bytes: u64) -> Result<usize> {
    let bytes = usize::try_from(array_bytes).ok().and_then(|bytes| bytes.checked_mul(2)?.checked_add(64 * 1024));
    let bytes = bytes.ok_or_else(|| error::out_of_memory(usize::MAX, None))?;
    Ok(if array_bytes <= SMALL_STACK as u64 { 0 } else { bytes })
}

/// A loaded library. The fields are dropped in order: some systems remove no file of a library that is loaded.
pub(crate) struct Loaded {
    library: Library,
    #[allow(dead_code)]
    file: Option<tempfile::TempPath>,
}

impl Loaded {
    /// A function of the library.
    ///
    /// # Safety
    /// `F` is its type, and it is called only while this value lives.
    pub(crate) unsafe fn entry<F: Copy>(&self, name: &str) -> Result<F> {
        // SAFETY: by the caller.
        let entry = unsafe { self.library.get::<F>(name.as_bytes()) };
        entry.map(|entry| *entry).map_err(|e| error::system("dlsym", format!("`{name}`: {e}")))
    }
}

/// One nest of a loaded kernel; a clone is another handle.
#[derive(Clone)]
pub(crate) struct CpuKernel {
    entry: Entry,
    /// Of a nest that updates memory of several groups.
    updates: Option<Updates>,
    /// Of each item, in scratch memory.
    exclusive_bytes: u64,
    /// What a call needs of its thread's stack.
    stack_bytes: usize,
    /// Keeps the code of `entry` mapped.
    #[allow(dead_code)]
    loaded: Arc<Loaded>,
    team: Option<Arc<Team>>,
}

/// How a nest updates memory of several groups.
#[derive(Clone)]
struct Updates {
    /// For a thread that has the memory for itself.
    alone: Entry,
    copies: Arc<[Copied]>,
}

/// Loads an artifact and finds the entry of each nest.
pub(crate) fn load(
    artifact: &Artifact<'_>,
    signature: &Signature,
    team: Option<&Arc<Team>>,
) -> Result<Vec<Arc<dyn BackendKernel>>> {
    let loaded = Arc::new(open(artifact.bytes)?);
    let kernel = |nest: &NestSignature| -> Result<Arc<dyn BackendKernel>> {
        // SAFETY: the artifact was made from text whose entries have this type; the pointer is used only while
        // `loaded` lives.
        let entry = unsafe { loaded.entry::<Entry>(&nest.entry) }?;
        let LaunchHints { exclusive_bytes, stack_bytes, updates } = nest.hints.read().map_err(error::internal)?;
        let updates = match updates {
            Some(updates) => {
                // SAFETY: as above.
                let alone = unsafe { loaded.entry::<Entry>(&updates.alone) }?;
                Some(Updates { alone, copies: updates.copies.into() })
            }
            None => None,
        };
        let stack_bytes = needed_stack(stack_bytes)?;
        let (loaded, team) = (Arc::clone(&loaded), team.cloned());
        Ok(Arc::new(CpuKernel { entry, updates, exclusive_bytes, stack_bytes, loaded, team }))
    };
    signature.nests.iter().map(kernel).collect()
}

/// A file that was cut short would be mapped beyond its end, and touching that ends the process: an ELF file's last
/// part is its section table, so that a whole file reaches to the end of that.
fn check_whole(bytes: &[u8]) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_pointer_width = "64", target_endian = "little")) {
        return Ok(());
    }
    let field = |at: usize, width: usize| -> Option<u64> {
        let raw = bytes.get(at..at + width)?;
        Some(raw.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
    };
    let end = (|| {
        let is_elf64 = bytes.starts_with(b"\x7fELF\x02\x01");
        let (table, width, count) = (field(0x28, 8)?, field(0x3a, 2)?, field(0x3c, 2)?);
        table.checked_add(width * count).filter(|_| is_elf64)
    })();
    match end {
        Some(end) if end <= bytes.len() as u64 => Ok(()),
        _ => Err(error::system("dlopen", format!("{} bytes that are not a complete shared library", bytes.len()))),
    }
}

/// Loads a library from memory: a file could be another one by now than the one that was checked.
pub(crate) fn open(bytes: &[u8]) -> Result<Loaded> {
    check_whole(bytes)?;
    #[cfg(target_os = "linux")]
    if let Some(library) = open_in_memory(bytes) {
        return Ok(Loaded { library, file: None });
    }
    // A file that nobody else can write.
    let directory = ferrocca_core::cache::temporary_directory().unwrap_or_else(|_| std::env::temp_dir());
    let failed = |e: std::io::Error| ferrocca_core::Error::io(&directory, &e);
    let mut file = tempfile::Builder::new().prefix("ferrocca-").tempfile_in(&directory).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    let file = file.into_temp_path();
    let library = open_path(&file).map_err(|e| error::system("dlopen", e))?;
    Ok(Loaded { library, file: Some(file) })
}

/// As a memory file; `None` where the system has none, or refuses to execute it.
#[cfg(target_os = "linux")]
fn open_in_memory(bytes: &[u8]) -> Option<Library> {
    use rustix::fs::{MemfdFlags, memfd_create};
    use std::os::fd::AsRawFd as _;
    static LOADED: AtomicU64 = AtomicU64::new(0);
    let mut file = std::fs::File::from(memfd_create(c"ferrocca-kernel", MemfdFlags::CLOEXEC).ok()?);
    file.write_all(bytes).ok()?;
    // The loader takes a name that it knows for the library that it knows, and numbers of closed files are used again: each
    // load spells the name in its own way, by the bits of a counter.
    let number = LOADED.fetch_add(1, Ordering::Relaxed);
    let bits = (0..64 - number.leading_zeros()).map(|bit| if number >> bit & 1 == 1 { "./" } else { "/" });
    let path = format!("/proc/self/fd/./{}{}", bits.collect::<String>(), file.as_raw_fd());
    open_path(Path::new(&path)).ok()
}

fn open_path(path: &Path) -> std::result::Result<Library, libloading::Error> {
    #[cfg(unix)]
    {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // SAFETY: the library was compiled from a kernel's text, which is trusted as FFI is and has no initialisers.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
    }
    #[cfg(not(unix))]
    {
        // SAFETY: the library was compiled from a kernel's text, which is trusted as FFI is and has no initialisers.
        unsafe { Library::new(path) }
    }
}

/// How long a piece of a launch that may be interrupted takes at most, where its groups take alike.
const PIECE: Duration = Duration::from_millis(10);

/// A launch in pieces: ranges of groups, between which somebody may end it.
struct Pieces<'a> {
    call: Call<'a>,
    interrupt: Interrupt,
}

impl Pieces<'_> {
    /// # Safety
    /// As for [`Call::run`].
    unsafe fn run(&self, range: Range<u64>) -> Result<()> {
        // Nobody knows beforehand how long a group takes.
        let (mut begin, mut groups, mut started) = (range.start, 1_u64, Instant::now());
        while begin < range.end {
            self.interrupt.check()?;
            let end = range.end.min(begin.saturating_add(groups));
            // SAFETY: by the caller.
            unsafe { self.call.run(begin, end)? };
            begin = end;
            let now = Instant::now();
            match now - started {
                took if took < PIECE / 4 => groups = groups.saturating_mul(4),
                took if took > PIECE => groups = (groups / 2).max(1),
                _ => {}
            }
            started = now;
        }
        Ok(())
    }
}

/// A launch of certain sizes: everything about it but its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    dims: [i64; 6],
    groups: u64,
    /// Of a group.
    items: u64,
    scratch_bytes: usize,
    stack_bytes: usize,
    /// Members of the team that take part, 1 for the calling thread alone, and parts of each one's share.
    members: usize,
    is_brief: bool,
    parts: u64,
}

/// What every part of a launch shares.
#[derive(Clone, Copy)]
struct Call<'a> {
    entry: Entry,
    arguments: &'a [*const c_void],
    sizes: &'a Sizes,
    /// What the threads may have copies of, and how they then run.
    copies: Option<(&'a Updates, Copies)>,
}

// SAFETY: the pointers are to memory and values that core keeps alive and unchanged during the launch; that items write
// to different elements, or atomically, is the kernel's promise.
unsafe impl Sync for Call<'_> {}

impl Call<'_> {
    /// Runs groups `begin..end` on this thread.
    ///
    /// # Safety
    /// `arguments` and `sizes` fit the nest of `entry`.
    unsafe fn run(&self, begin: u64, end: u64) -> Result<()> {
        if let Some((updates, copies)) = &self.copies
            && copies.pay((end - begin).saturating_mul(self.sizes.items))
        {
            let mut result = Ok(());
            let run = |arguments: &[*const c_void]| {
                let on_copies = Call { entry: updates.alone, arguments, copies: None, ..*self };
                // SAFETY: by the caller: copies are as long as the memory.
                result = unsafe { on_copies.run(begin, end) };
            };
            // SAFETY: by the caller.
            if unsafe { copies.run(&updates.copies, self.arguments, run) } {
                return result;
            }
        }
        let call = |scratch: *mut u8| {
            let (arguments, dims) = (self.arguments.as_ptr(), self.sizes.dims.as_ptr());
            // SAFETY: by the caller; the entry is loaded as long as the kernel that is launched.
            let run = || unsafe { (self.entry)(arguments, dims, begin as i64, end as i64, scratch.cast()) };
            if self.sizes.stack_bytes <= SMALL_STACK {
                run();
            } else {
                // Threads of other libraries and languages may have small stacks: the call then gets one of its own.
                stacker::maybe_grow(self.sizes.stack_bytes, self.sizes.stack_bytes, run);
            }
        };
        if self.sizes.scratch_bytes == 0 {
            call(std::ptr::null_mut());
            return Ok(());
        }
        let run = |scratch: &mut Scratch| scratch.get(self.sizes.scratch_bytes).map(call);
        // In the destructor of another thread-local it may have gone.
        let gone = SCRATCH.try_with(|_| ()).is_err();
        if gone { run(&mut Scratch::new()) } else { SCRATCH.with_borrow_mut(run) }
    }
}

impl CpuKernel {
    /// Prepares launches of these sizes: who takes part, and how much scratch memory a group needs.
    #[inline]
    pub(crate) fn sizes(&self, nest: &NestSignature, dims: &LaunchDims) -> Result<Sizes> {
        let (groups, items) = (product(&dims.outer, nest)?, product(&dims.inner, nest)?);
        let [x, y, z] = dims.outer.map(|n| n as i64);
        let [a, b, c] = dims.inner.map(|n| n as i64);
        let scratch_bytes = self.exclusive_bytes.checked_mul(items).and_then(|bytes| usize::try_from(bytes).ok());
        let scratch_bytes = scratch_bytes.ok_or_else(|| error::out_of_memory(usize::MAX, None))?;

        let operations = groups.saturating_mul(items).saturating_mul(u64::from(nest.cost.max(1)));
        let (members, parts) = match &self.team {
            Some(team) if operations >= INLINE_OPERATIONS && groups > 1 => {
                let members = (operations / OPERATIONS_PER_MEMBER).min(team.threads() as u64);
                // What costs less than a fork and join is not worth a part of its own.
                (members as usize, operations / members / OPERATIONS_PER_MEMBER)
            }
            _ => (1, 1),
        };
        let is_brief = operations <= BRIEF_OPERATIONS;
        let stack_bytes = self.stack_bytes;
        Ok(Sizes { dims: [x, y, z, a, b, c], groups, items, scratch_bytes, stack_bytes, members, is_brief, parts })
    }

    /// Of what each thread may have a copy, in a launch with these arguments; `bytes` tells the length of an argument's memory.
    #[inline]
    pub(crate) fn copies(&self, arguments: &[*const c_void], bytes: impl Fn(usize) -> usize) -> Option<Copies> {
        self.updates.as_ref().and_then(|updates| Copies::new(&updates.copies, arguments, bytes))
    }

    /// Runs all groups.
    ///
    /// # Safety
    /// `arguments` and `sizes` fit the nest that this kernel was loaded for, `copies` the arguments.
    #[inline]
    pub(crate) unsafe fn run(&self, sizes: &Sizes, arguments: &[*const c_void], copies: Option<Copies>) -> Result<()> {
        let call = Call { entry: self.entry, arguments, sizes, copies: None };
        match &self.updates {
            // SAFETY: by the caller.
            None => unsafe { self.run_call(&call) },
            Some(updates) => {
                let alone = if sizes.members == 1 { updates::alone() } else { None };
                if alone.is_some() {
                    // SAFETY: by the caller.
                    return unsafe { self.run_call(&Call { entry: updates.alone, ..call }) };
                }
                let _together = updates::together();
                // SAFETY: by the caller.
                unsafe { self.run_call(&Call { copies: copies.map(|copies| (updates, copies)), ..call }) }
            }
        }
    }

    /// # Safety
    /// As for [`Call::run`].
    #[inline]
    unsafe fn run_call(&self, call: &Call<'_>) -> Result<()> {
        let sizes = call.sizes;
        if let Some(interrupt) = Interrupt::of_this_thread() {
            // SAFETY: by the caller.
            return unsafe { self.run_interruptibly(call, interrupt) };
        }
        match &self.team {
            // SAFETY: by the caller.
            Some(team) if sizes.members > 1 => unsafe { launch_on_team(call, team) },
            // SAFETY: by the caller.
            _ => unsafe { call.run(0, sizes.groups) },
        }
    }

    /// Runs some of the groups, on this thread.
    ///
    /// # Safety
    /// As for [`run`](Self::run); the range lies within the groups of the sizes.
    pub(crate) unsafe fn run_groups(
        &self,
        sizes: &Sizes,
        arguments: &[*const c_void],
        groups: Range<u64>,
    ) -> Result<()> {
        let _together = self.updates.as_ref().map(|_| updates::together());
        // SAFETY: by the caller.
        unsafe { Call { entry: self.entry, arguments, sizes, copies: None }.run(groups.start, groups.end) }
    }

    /// The same in pieces, between which somebody may end the launch.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    #[cold]
    unsafe fn run_interruptibly(&self, call: &Call<'_>, interrupt: Interrupt) -> Result<()> {
        // A thread that runs a part when the others have none left does not ask, so parts are small.
        let sizes = Sizes { parts: MAX_PARTS, ..*call.sizes };
        let pieces = Pieces { call: Call { sizes: &sizes, ..*call }, interrupt };
        match &self.team {
            Some(team) if sizes.members > 1 => {
                // SAFETY: by the caller.
                launch_in_ranges(&sizes, team, &|range| unsafe { pieces.run(range) })
            }
            // SAFETY: by the caller.
            _ => unsafe { pieces.run(0..sizes.groups) },
        }
    }
}

impl BackendKernel for CpuKernel {
    fn max_inner(&self) -> u64 {
        MAX_INNER
    }

    unsafe fn launch(
        &self,
        nest: &NestSignature,
        dims: &LaunchDims,
        arguments: &[PackedArgument<'_>],
        _stream: &dyn BackendStream,
    ) -> Result<()> {
        let sizes = self.sizes(nest, dims)?;
        let mut copies = AlignedCopies::new();
        let (mut few, mut many) = ([std::ptr::null(); FEW], Vec::new());
        let pointers = match few.get_mut(..arguments.len()) {
            Some(few) => few,
            None => {
                many.resize(arguments.len(), std::ptr::null());
                &mut many[..]
            }
        };
        for (pointer, argument) in pointers.iter_mut().zip(arguments) {
            *pointer = match *argument {
                PackedArgument::Memory { memory, offset_bytes, .. } => address(memory, offset_bytes)?,
                PackedArgument::Value(bytes) => aligned(bytes, &mut copies),
            };
        }
        let bytes = |argument: usize| match arguments[argument] {
            PackedArgument::Memory { bytes, .. } => bytes as usize,
            PackedArgument::Value(_) => 0,
        };
        let copies = self.copies(pointers, bytes);
        // SAFETY: by the caller.
        unsafe { self.run(&sizes, pointers, copies) }
    }
}

/// # Safety
/// As for [`Call::run`].
unsafe fn launch_on_team(call: &Call<'_>, team: &Team) -> Result<()> {
    // SAFETY: by the caller.
    launch_in_ranges(call.sizes, team, &|range| unsafe { call.run(range.start, range.end) })
}

#[inline]
fn launch_in_ranges(sizes: &Sizes, team: &Team, run: &(impl Fn(Range<u64>) -> Result<()> + Sync)) -> Result<()> {
    let failure = OnceLock::new();
    let &Sizes { groups, members, parts, is_brief, .. } = sizes;
    let body = |range: Range<u64>| {
        if let Err(error) = run(range) {
            // The first failure is the one that is reported.
            let _ = failure.set(error);
        }
    };
    if is_brief {
        team.run_brief(groups, members, parts, &body)
    } else {
        team.run(groups, members, parts, &body)
    }
    failure.into_inner().map_or(Ok(()), Err)
}

fn product(sizes: &[u64; 3], nest: &NestSignature) -> Result<u64> {
    let product = sizes.iter().try_fold(1_u64, |product, &size| product.checked_mul(size));
    product.filter(|&p| i64::try_from(p).is_ok()).ok_or_else(|| {
        ferrocca_core::Error::out_of_bounds(format!(
            "`{}`: {sizes:?} groups or items are more than 2^63 - 1",
            nest.entry
        ))
    })
}

/// Values whose bytes do not lie at an address that C may read them from. Core packs them aligned, so that this stays
/// empty and allocates nothing.
type AlignedCopies = Vec<Box<[u128]>>;

/// Where a memory argument starts.
#[inline]
pub(crate) fn address(memory: Option<&dyn BackendMemory>, offset_bytes: u64) -> Result<*const c_void> {
    match memory.map(BackendMemory::mapped) {
        None => Ok(std::ptr::null()),
        Some(Some(pointer)) => Ok(pointer.as_ptr().wrapping_add(offset_bytes as usize).cast_const().cast()),
        Some(None) => Err(error::internal("memory without a host address reached a CPU kernel")),
    }
}

/// Where a value lies, or an aligned copy of it.
#[inline]
pub(crate) fn aligned(bytes: &[u8], copies: &mut AlignedCopies) -> *const c_void {
    // No C type that a kernel takes is aligned to more than 16 bytes, and the size of each is a multiple of its alignment.
    let needed = 1_usize << bytes.len().trailing_zeros().min(4);
    if bytes.as_ptr().align_offset(needed) == 0 {
        return bytes.as_ptr().cast();
    }
    let mut copy = vec![0_u128; bytes.len().div_ceil(16)].into_boxed_slice();
    // SAFETY: the copy is at least as long, and does not overlap.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), copy.as_mut_ptr().cast(), bytes.len()) };
    let pointer = copy.as_ptr().cast();
    copies.push(copy);
    pointer
}
