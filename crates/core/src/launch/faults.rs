//! The record that device kernels leave of an access out of range, or of a division without a result
//! (`okl::signature::Signature::faults`), and of the lines of those that cannot print (`okl::signature::Signature::lines`); and
//! who reads it.
//!
//! Each kernel with checks or such lines has a record. Where a launch has run when it returns, the launch reads it. Elsewhere the device
//! lists the records that queued work may write, with the stream of that work, and whoever waits for the work reads them.

use crate::backend::{BackendDevice, BackendMemory, BackendStream, GraphArgument, PackedArgument, Placement};
use crate::{Error, Result};
use okl::Signature;
use okl::ir::{Kernel, Line, Lines};
use okl::signature::bounds::Access;
use okl::signature::{Check, ParameterKind};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Bytes of what a record says of faults.
const BYTES: usize = Signature::FAULT_WORDS * size_of::<u32>();

/// Bytes of a record before its lines.
const BEFORE_LINES: usize = Kernel::FIRST_LINE * size_of::<u32>();

/// The greatest length that an index of 32 bits is compared with.
const MOST_NARROW: i64 = 1 << 31;

/// The zeros that parameters without elements lead to begin at a multiple of this.
const ZEROS_ALIGN: u64 = 256;

/// The record of a kernel.
pub(crate) struct FaultRecord {
    kernel: String,
    checked: Vec<Check>,
    lines: Vec<Line>,
    /// Held while lines are read and printed, so that two threads do not print the same ones.
    printing: Mutex<()>,
    /// Of the record.
    bytes: u64,
    /// Iterations that the device lets the loops of an item run.
    max_loop_iterations: Option<u64>,
    /// The record, and behind it zeros.
    memory: Arc<dyn BackendMemory>,
    /// The stream that it is listed for, and no other; else zero.
    listed_for: AtomicU64,
}

impl FaultRecord {
    /// A record for a kernel that asks for one.
    pub(super) fn new(signature: &Signature, device: &dyn BackendDevice) -> Result<Option<Arc<Self>>> {
        if !signature.faults {
            return Ok(None);
        }
        let elements = signature.params.iter().filter_map(|parameter| match &parameter.kind {
            ParameterKind::Pointer { element, .. } => Some(element.bytes()),
            _ => None,
        });
        let bytes = (signature.record_words() * size_of::<u32>()) as u64;
        // An element that begins at a multiple of its size, behind the record.
        let all = bytes.next_multiple_of(ZEROS_ALIGN) as usize + 2 * elements.max().unwrap_or(0).next_multiple_of(8);
        let mapped = device.allocate(all, Placement::Mapped);
        let memory = mapped.or_else(|_| device.allocate(all, Placement::Device))?;
        let stream = device.default_stream();
        stream.copy_in(&*memory, 0, &vec![0; all])?;
        stream.finish()?;
        Ok(Some(Arc::new(Self {
            kernel: signature.kernel.clone(),
            checked: signature.checked.clone(),
            lines: signature.lines.clone(),
            printing: Mutex::default(),
            bytes,
            max_loop_iterations: device.capabilities().max_loop_iterations,
            memory,
            listed_for: AtomicU64::new(0),
        })))
    }

    /// The record as an argument.
    pub(super) fn argument(&self) -> PackedArgument<'_> {
        let element_bytes = size_of::<u32>() as u32;
        PackedArgument::Memory {
            memory: Some(&*self.memory),
            offset_bytes: 0,
            bytes: self.bytes,
            element_bytes,
            mutable: true,
        }
    }

    /// Memory without elements as zeros that one can be read from; other arguments as they are.
    pub(super) fn or_zeros<'a>(&'a self, argument: PackedArgument<'a>) -> PackedArgument<'a> {
        match argument {
            PackedArgument::Memory { bytes: 0, element_bytes, mutable, .. } => {
                let (offset_bytes, bytes) = self.zeros(element_bytes);
                PackedArgument::Memory { memory: Some(&*self.memory), offset_bytes, bytes, element_bytes, mutable }
            }
            argument => argument,
        }
    }

    /// The record as an argument of a graph's launch.
    pub(super) fn graph_argument(&self) -> GraphArgument {
        let element_bytes = size_of::<u32>() as u32;
        let memory = Some(self.memory.clone());
        GraphArgument::Memory { memory, offset_bytes: 0, bytes: self.bytes, element_bytes, mutable: true }
    }

    /// As [`or_zeros`](Self::or_zeros), for a graph's launch.
    pub(super) fn graph_argument_or_zeros(&self, argument: GraphArgument) -> GraphArgument {
        match argument {
            GraphArgument::Memory { bytes: 0, element_bytes, mutable, .. } => {
                let (offset_bytes, bytes) = self.zeros(element_bytes);
                let memory = Some(self.memory.clone());
                GraphArgument::Memory { memory, offset_bytes, bytes, element_bytes, mutable }
            }
            argument => argument,
        }
    }

    /// Where zeros begin for elements of so many bytes, and how many bytes they are.
    fn zeros(&self, element_bytes: u32) -> (u64, u64) {
        let bytes = u64::from(element_bytes.max(1));
        (self.bytes.next_multiple_of(ZEROS_ALIGN).next_multiple_of(bytes), bytes)
    }

    /// Prints the lines of the record, and answers the fault that it tells of as an error. The record is then empty again.
    pub(crate) fn read(&self, stream: &dyn BackendStream) -> Result<()> {
        if !self.lines.is_empty() {
            self.print(stream)?;
        }
        let mut bytes = [0; BYTES];
        self.load(stream, 0, &mut bytes)?;
        if bytes[..4] == [0; 4] {
            return Ok(());
        }
        self.store(stream, 0, &[0; BYTES])?;
        Err(self.error(&bytes))
    }

    fn print(&self, stream: &dyn BackendStream) -> Result<()> {
        let _alone = self.printing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut head = [0; BEFORE_LINES];
        self.load(stream, 0, &mut head)?;
        let lines = Lines::of(&words(&head));
        if lines == Lines::default() {
            return Ok(());
        }
        let mut left = vec![0; lines.words * size_of::<u32>()];
        self.load(stream, BEFORE_LINES, &mut left)?;
        let text = lines.text(&words(&left), &self.lines);
        left.fill(0);
        self.store(stream, BEFORE_LINES, &left)?;
        self.store(stream, BYTES, &[0; BEFORE_LINES - BYTES])?;
        let mut out = std::io::stdout().lock();
        // Where nobody reads the output, the lines are lost as the program's are.
        let _ = out.write_all(&text).and_then(|()| out.flush());
        Ok(())
    }

    /// Reads from the record, at a multiple of a word.
    fn load(&self, stream: &dyn BackendStream, at: usize, bytes: &mut [u8]) -> Result<()> {
        match self.memory.mapped() {
            Some(address) => {
                let first = address.as_ptr().cast::<u8>();
                for (word, offset) in bytes.chunks_exact_mut(4).zip((at..).step_by(4)) {
                    // SAFETY: the memory is at least as long as the record and lives; what a kernel writes meanwhile are single
                    // words, and what the record tells of is complete once the work has been waited for.
                    let read = unsafe { first.add(offset).cast::<[u8; 4]>().read_volatile() };
                    word.copy_from_slice(&read);
                }
                Ok(())
            }
            None => stream.copy_out(&*self.memory, at, bytes),
        }
    }

    /// Writes into the record, at a multiple of a word.
    fn store(&self, stream: &dyn BackendStream, at: usize, bytes: &[u8]) -> Result<()> {
        match self.memory.mapped() {
            Some(address) => {
                let first = address.as_ptr().cast::<u8>();
                for (word, offset) in bytes.chunks_exact(4).zip((at..).step_by(4)) {
                    // SAFETY: as above.
                    unsafe { first.add(offset).cast::<[u8; 4]>().write_volatile([word[0], word[1], word[2], word[3]]) };
                }
                Ok(())
            }
            None => stream.copy_in(&*self.memory, at, bytes),
        }
    }

    fn error(&self, bytes: &[u8; BYTES]) -> Error {
        let words = words(bytes);
        let long = |at: usize| i64::from(words[at]) | i64::from(words[at + 1].cast_signed()) << 32;
        if words[1] == Signature::ENDED_LOOPS {
            let (kernel, most) = (&self.kernel, self.max_loop_iterations);
            let most = most.map_or_else(|| "so many".to_owned(), |most| format!("more than {most}"));
            return Error::unsupported(
                format!("kernel `{kernel}`: an item whose loops run {most} iterations"),
                "this driver ended them, and what the kernel computed is wrong. Let an item do less, or use another device",
            );
        }
        let (group, item) = (&words[6..9], &words[9..12]);
        let who = match item[0] {
            u32::MAX => format!("group {group:?}"),
            _ => format!("group {group:?}, item {item:?}"),
        };
        let kernel = &self.kernel;
        match self.checked.get(words[1] as usize) {
            Some(Check::Division(division, ty)) => {
                let (name, at) = (&division.name, place(division));
                let what = match words[2] {
                    0 => "division by zero".to_owned(),
                    _ => format!("the least `{}` was divided by -1, whose result it cannot hold,", ty.okl_name()),
                };
                Error::division(format!(
                    "kernel `{kernel}`: {what} in `{name}`{at}, by {who}; the kernel ran on with 0 as the result"
                ))
            }
            check => {
                let access = check.map(|check| match check {
                    Check::Index(access) | Check::Division(access, _) => access,
                });
                let (name, at) = access.map_or(("?", String::new()), |access| (access.name.as_str(), place(access)));
                let (index, length) = (long(2), long(4));
                let elements = match length {
                    0 => "is null or empty".into(),
                    1 => "has 1 element".into(),
                    // Indices of 32 bits are compared with no greater length.
                    MOST_NARROW => format!("has {length} elements or more"),
                    length => format!("has {length} elements"),
                };
                Error::out_of_bounds(format!(
                    "kernel `{kernel}`: element {index} of `{name}` is out of range{at}: `{name}` {elements}; {who} wanted it. \
                     The kernel ran on without such accesses"
                ))
            }
        }
    }
}

/// Where something stands, in parentheses; nothing where that is not known.
fn place(access: &Access) -> String {
    if access.at.is_empty() { String::new() } else { format!(" ({})", access.at) }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| word.try_into().map_or(0, u32::from_ne_bytes)).collect()
}

/// A record, and the stream of the work that may write it.
type Listed = (Arc<FaultRecord>, u64);

/// The records that queued work may write.
#[derive(Default)]
pub(crate) struct QueuedFaults {
    list: Mutex<Vec<Listed>>,
    /// Number of records in the list, and one more where `lost` is set.
    count: AtomicU64,
    /// Why nothing that the device holds is what the program thinks.
    lost: OnceLock<Error>,
}

/// What tells streams apart.
fn identity(stream: &dyn BackendStream) -> u64 {
    std::ptr::from_ref(stream).cast::<()>().addr() as u64
}

impl QueuedFaults {
    /// Lets every wait fail from now on; of several errors the first one is told.
    pub(crate) fn lose(&self, error: Error) {
        let _ = self.lost.set(error);
        self.recount(&self.list.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn recount(&self, list: &[Listed]) {
        let count = list.len() + usize::from(self.lost.get().is_some());
        self.count.store(count as u64, Ordering::Release);
    }

    /// Lists the record of a kernel that was queued on a stream.
    pub(crate) fn add(&self, record: &Arc<FaultRecord>, stream: &dyn BackendStream) {
        let stream = identity(stream);
        if record.listed_for.load(Ordering::Acquire) == stream {
            return;
        }
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(known, of): &Listed| Arc::ptr_eq(known, record) && *of == stream;
        if !list.iter().any(same) {
            let is_only = !list.iter().any(|(known, _)| Arc::ptr_eq(known, record));
            record.listed_for.store(if is_only { stream } else { 0 }, Ordering::Release);
            list.push((record.clone(), stream));
            self.recount(&list);
        }
    }

    /// After all work of a stream was waited for: reads the records that it may have written.
    /// # Errors
    /// The first fault; what the device says.
    #[inline]
    pub(crate) fn after(&self, stream: &dyn BackendStream) -> Result<()> {
        if self.count.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        self.read(stream, |of| of == identity(stream), true)
    }

    /// After all work of a device was waited for.
    /// # Errors
    /// As [`after`](Self::after).
    #[inline]
    pub(crate) fn after_all(&self, stream: &dyn BackendStream) -> Result<()> {
        if self.count.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        self.read(stream, |_| true, true)
    }

    /// After some work was waited for: what is queued behind it may still write.
    /// # Errors
    /// As [`after`](Self::after).
    #[inline]
    pub(crate) fn after_some(&self, stream: &dyn BackendStream) -> Result<()> {
        if self.count.load(Ordering::Acquire) == 0 {
            return Ok(());
        }
        self.read(stream, |_| true, false)
    }

    #[cold]
    fn read(&self, stream: &dyn BackendStream, of: impl Fn(u64) -> bool, is_done: bool) -> Result<()> {
        if let Some(error) = self.lost.get() {
            return Err(error.clone());
        }
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let mut records: Vec<Listed> = list.iter().filter(|(_, stream)| of(*stream)).cloned().collect();
        if is_done {
            records.iter().for_each(|(record, _)| record.listed_for.store(0, Ordering::Release));
            list.retain(|(_, stream)| !of(*stream));
            self.recount(&list);
        }
        drop(list);
        while let Some((record, _)) = records.pop() {
            let read = record.read(stream);
            if read.is_err() {
                self.put_back(records, is_done);
                return read;
            }
        }
        Ok(())
    }

    /// What one wait does not tell of, because it tells of another fault, is left to the next one.
    fn put_back(&self, records: Vec<Listed>, were_taken: bool) {
        if were_taken {
            let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
            list.extend(records);
            self.recount(&list);
        }
    }
}
