//! The memory that a launch works on.

use crate::error;
use crate::memory::{Cells, Memory, ours};
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMemory, PackedArgument};
use okl::back::checked::{Atomics, Cell};
use okl::interp::Buffer;
use std::ops::Range;

/// The memory of a launch: stretches of addresses that do not overlap. Arguments that lie in one allocation, or in memory
/// that overlaps, are parts of one region, so that races between them are seen.
pub struct Regions<'a>(Vec<Region<'a>>);

struct Region<'a> {
    addresses: Range<usize>,
    /// The one allocation that it is; `None` where several overlap, which are then somebody else's.
    memory: Option<&'a Memory>,
    /// What is known of it during the launch.
    written: Option<Vec<bool>>,
    cells: Option<Cells>,
}

/// A region for compiled code.
#[derive(Debug)]
pub struct Stretch {
    /// Its first byte.
    pub bytes: *mut u8,
    /// For each byte whether it was written; null where all count as written.
    pub written: *mut bool,
    /// A cell for every `1 << shift` bytes; null where there are none.
    pub cells: *mut Cell,
    /// What belongs to each cell.
    pub atomics: *mut Atomics,
}

impl<'a> Regions<'a> {
    /// The memory that arguments name.
    /// # Errors
    /// [`ErrorKind::Internal`](ferrocca_core::ErrorKind::Internal) for memory of another backend.
    pub fn of(arguments: &[PackedArgument<'a>]) -> Result<Self> {
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
                _ => regions.push(Region { addresses, memory: Some(memory), written: None, cells: None }),
            }
        }
        for region in &mut regions {
            region.written = region.memory.and_then(Memory::take_written);
        }
        Ok(Self(regions))
    }

    /// The region in which an argument's memory lies, and where it begins in it.
    /// # Errors
    /// [`ErrorKind::Internal`](ferrocca_core::ErrorKind::Internal) for memory of no argument.
    pub fn locate(&self, memory: &dyn BackendMemory, offset_bytes: u64) -> Result<(usize, usize)> {
        let start = ours(memory)?.address() + offset_bytes as usize;
        let lies_in = |region: &Region<'_>| region.addresses.start <= start && start <= region.addresses.end;
        // The last one: an empty slice at the end of one region may be the start of the next.
        let found = self.0.iter().rposition(lies_in).ok_or_else(|| error::internal("memory without a region"))?;
        Ok((found, start - self.0[found].addresses.start))
    }

    /// The bytes of every region.
    ///
    /// # Safety
    /// Nobody else uses the memory while the result lives.
    pub(crate) unsafe fn buffers(&mut self) -> Vec<Buffer<'_>> {
        let mut buffers = Vec::with_capacity(self.0.len());
        for Region { addresses, written, .. } in &mut self.0 {
            let start = std::ptr::with_exposed_provenance_mut(addresses.start);
            // SAFETY: by the caller; regions lie in live memory, all of it initialised, and do not overlap.
            let bytes = unsafe { std::slice::from_raw_parts_mut(start, addresses.len()) };
            buffers.push(Buffer { bytes, written: written.as_deref_mut() });
        }
        buffers
    }

    /// A region for as long as this value lives. It has a cell for every `1 << shift` bytes, the size of its smallest scalar;
    /// without a shift it has none.
    /// # Errors
    /// [`ErrorKind::OutOfMemory`](ferrocca_core::ErrorKind::OutOfMemory): the cells take 64 bytes for each scalar, and 32 more for
    /// atomic updates.
    pub fn stretch(&mut self, number: usize, shift: Option<u32>) -> Result<Stretch> {
        let region = &mut self.0[number];
        if let Some(shift) = shift.filter(|_| region.cells.is_none()) {
            let known = region.memory.and_then(Memory::take_cells).filter(|cells| cells.shift() == shift);
            region.cells = Some(known.map_or_else(|| Cells::new(region.addresses.len(), shift), Ok)?);
        }
        let no_cells = || (std::ptr::null_mut(), std::ptr::null_mut());
        let (cells, atomics) = region.cells.as_mut().map_or_else(no_cells, Cells::pointers);
        Ok(Stretch {
            bytes: std::ptr::with_exposed_provenance_mut(region.addresses.start),
            written: region.written.as_mut().map_or(std::ptr::null_mut(), |written| written.as_mut_ptr()),
            cells,
            atomics,
        })
    }

    /// The address at which a region begins.
    pub fn address(&self, number: usize) -> usize {
        self.0[number].addresses.start
    }

    /// Keeps what is known of the memory for later launches.
    pub fn give_back(self) {
        for Region { memory, written, cells, .. } in self.0 {
            if let Some(memory) = memory {
                memory.restore_written(written);
                // Memory that was only read keeps those of an earlier launch.
                cells.into_iter().for_each(|cells| memory.keep_cells(cells));
            }
        }
    }
}
