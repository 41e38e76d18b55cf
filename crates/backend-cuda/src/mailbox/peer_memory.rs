//! Memory of each of some ranks that the others read and write.
//!
//! It begins with a set of control words for each *lane* between two ranks: the first is the kernels', then come the number of the
//! last message that the other side has taken, of the last one that was sent, and of the last one that was received. Others follow
//! as the owner likes. A word at the end of all lanes ends all waiting.
//!
//! Other processes of the machine open the memory by a handle of the driver's; within a process its address will do.

use crate::context::Context;
use crate::driver::Code;
use crate::error;
use crate::kernel::CudaKernel;
use crate::memory::CudaMemory;
use crate::stream::CudaStream;
use cudarc::driver::sys::{CUcontext, CUdevice, CUdeviceptr, CUipcMemHandle, CUstream};
use ferrocca_core::backend::{BackendStream, Placement};
use ferrocca_core::{Error, Result};
use std::ffi::c_void;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a lane's control words.
pub(super) const CONTROL: usize = 64;
/// What the bytes of a rank begin at a multiple of.
const ALIGNMENT: usize = 256;
/// What the driver opens for other processes begins at multiples of this.
const GRANULARITY: usize = 2 << 20;
/// How long the end waits for others to take what they were sent.
const LAST_WAIT: Duration = Duration::from_secs(10);
/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`.
const LAZY_PEER_ACCESS: u32 = 1;
/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
const ALREADY_ENABLED: Code = Code(704);

/// How another rank reaches the memory.
#[derive(Clone, Copy)]
struct Address {
    /// Of the machine since it was started, and of the process.
    machine: u64,
    process: u64,
    device: CUdevice,
    context: u64,
    pointer: CUdeviceptr,
    handle: CUipcMemHandle,
}

impl Address {
    fn to_bytes(self) -> Vec<u8> {
        let handle: Vec<u8> = self.handle.reserved.iter().map(|byte| *byte as u8).collect();
        let words = [self.machine, self.process, self.context, self.pointer].map(u64::to_le_bytes).concat();
        [words, self.device.to_le_bytes().to_vec(), handle].concat()
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (words, rest) = bytes.split_at_checked(32)?;
        let [machine, process, context, pointer]: [u64; 4] =
            words.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>().try_into().ok()?;
        let (device, handle) = rest.split_first_chunk()?;
        let mut reserved = [0; 64];
        if handle.len() != reserved.len() {
            return None;
        }
        reserved.iter_mut().zip(handle).for_each(|(to, from)| *to = *from as _);
        let device = CUdevice::from_le_bytes(*device);
        Some(Self { machine, process, device, context, pointer, handle: CUipcMemHandle { reserved } })
    }
}

/// This machine since it was started; 0 where nobody says.
fn machine() -> u64 {
    let id = std::fs::read("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.iter().fold(0, |hash: u64, byte| hash.wrapping_mul(0x100_0000_01b3) ^ u64::from(*byte))
}

/// This process, as no other one.
fn process() -> u64 {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    *PROCESS.get_or_init(|| {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        hasher.finish()
    })
}

fn unsupported(reason: impl Into<String>) -> Error {
    Error::unsupported("storing into the memory of another GPU", reason)
}

/// Where what is in the memory of a rank.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) ranks: usize,
    /// Between two ranks.
    pub(super) lanes: usize,
    /// Bytes for what each rank sends, a multiple of [`ALIGNMENT`].
    pub(super) contents: usize,
}

impl Layout {
    /// The control words of a lane.
    pub(super) fn control(self, other: usize, lane: usize) -> u64 {
        ((other * self.lanes + lane) * CONTROL) as u64
    }

    /// The word that ends all waiting.
    fn end(self) -> usize {
        self.ranks * self.lanes * CONTROL
    }

    /// What a rank sends.
    pub(super) fn contents(self, other: usize) -> u64 {
        ((self.end() + 8).next_multiple_of(ALIGNMENT) + other * self.contents) as u64
    }

    fn bytes(self) -> usize {
        self.contents(self.ranks) as usize
    }
}

/// The memory of this rank, and where those of the others are.
pub(super) struct PeerMemory {
    /// Freed only where it is known that nobody will write it.
    memory: ManuallyDrop<CudaMemory>,
    pub(super) layout: Layout,
    others: OnceLock<Others>,
    /// By which the end is told while kernels wait.
    aside: CudaStream,
    is_ended: Mutex<bool>,
    pub(super) context: Arc<Context>,
}

pub(super) struct Others {
    pub(super) rank: usize,
    /// By rank, where its memory is for this device; the own one among them.
    pub(super) bases: Vec<CUdeviceptr>,
    /// Those of other processes, which are closed.
    opened: Vec<CUdeviceptr>,
}

impl PeerMemory {
    /// Filled with zeros.
    pub(super) fn new(context: &Arc<Context>, layout: Layout) -> Result<Self> {
        let _current = context.make_current()?;
        let bytes = layout.bytes().next_multiple_of(GRANULARITY);
        let memory = CudaMemory::allocate(context, &OnceLock::new(), bytes, Placement::Device)?;
        let aside = CudaStream::create(context, false)?;
        aside.fill(&memory, 0, bytes, &[0])?;
        aside.finish()?;
        let (memory, others, context) = (ManuallyDrop::new(memory), OnceLock::new(), context.clone());
        Ok(Self { memory, layout, others, aside, is_ended: Mutex::default(), context })
    }

    /// Where it is, and those of the others.
    pub(super) fn connected(&self) -> Result<(CUdeviceptr, &Others)> {
        let others = self.others.get().ok_or_else(|| error::internal("a mailbox was not connected"))?;
        Ok((self.memory.pointer(), others))
    }

    /// The address of the word that is set when nobody is to wait any more.
    pub(super) fn ended(&self) -> u64 {
        self.memory.pointer() + self.layout.end() as u64
    }

    /// Queues a kernel on a stream of the device, given by its native handle.
    ///
    /// # Safety
    /// The parameters are the kernel's; the stream is a live one of this device, whose context is current.
    pub(super) unsafe fn launch(
        &self,
        kernel: &CudaKernel,
        blocks: [u32; 2],
        threads: u32,
        parameters: &mut [*mut c_void],
        stream: u64,
    ) -> Result<()> {
        let grid = kernel.grid([blocks[0], blocks[1], 1], [threads, 1, 1], parameters);
        // SAFETY: by the caller.
        let code = unsafe {
            (self.context.driver().launch_kernel)(
                grid.function,
                blocks[0],
                blocks[1],
                1,
                threads,
                1,
                1,
                0,
                stream as usize as CUstream,
                grid.parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        self.context.check(code, "cuLaunchKernel")
    }

    /// By which other ranks find it.
    pub(super) fn address(&self) -> Result<Vec<u8>> {
        let _current = self.context.make_current()?;
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        let pointer = self.memory.pointer();
        // Memory that other processes cannot open serves the threads of this one.
        // SAFETY: the pointer is where an allocation begins; writes a handle.
        let _ = unsafe { (self.context.driver().ipc_get_mem_handle)(&mut handle, pointer) };
        let (device, context) = (self.context.device(), self.context.raw() as usize as u64);
        Ok(Address { machine: machine(), process: process(), device, context, pointer, handle }.to_bytes())
    }

    /// Finds those of all ranks; once.
    pub(super) fn connect(&self, rank: usize, addresses: &[Vec<u8>]) -> Result<()> {
        let _current = self.context.make_current()?;
        let address = |(other, bytes): (usize, &Vec<u8>)| {
            Address::of_bytes(bytes).ok_or_else(|| unsupported(format!("rank {other} has no mailbox")))
        };
        let addresses = addresses.iter().enumerate().map(address).collect::<Result<Vec<_>>>()?;
        let (mut bases, mut opened) = (Vec::new(), Vec::new());
        for (other, address) in addresses.iter().enumerate() {
            let reached = if other == rank { Ok(self.memory.pointer()) } else { self.reach(address, &mut opened) };
            bases.push(reached.inspect_err(|_| self.close(&opened))?);
        }
        if bases.len() != self.layout.ranks || self.others.set(Others { rank, bases, opened }).is_err() {
            return Err(error::internal("a mailbox is connected once, with all ranks"));
        }
        Ok(())
    }

    /// Where this device finds the memory of another rank.
    fn reach(&self, address: &Address, opened: &mut Vec<CUdeviceptr>) -> Result<CUdeviceptr> {
        let (context, driver) = (&self.context, self.context.driver());
        if address.machine != machine() || address.machine == 0 {
            return Err(unsupported("the GPUs are not of one machine"));
        }
        if address.process != process() {
            let mut pointer = 0;
            // SAFETY: the handle is of a live allocation of another process; what is opened is closed in `drop`.
            let code = unsafe { (driver.ipc_open_mem_handle)(&mut pointer, address.handle, LAZY_PEER_ACCESS) };
            if code.loses_context() {
                context.check(code, "cuIpcOpenMemHandle")?;
            }
            if code != Code::SUCCESS {
                return Err(unsupported(format!("cuIpcOpenMemHandle: {}", driver.describe(code))));
            }
            opened.push(pointer);
            return Ok(pointer);
        }
        // It is this very context's.
        if address.context == context.raw() as usize as u64 {
            return Ok(address.pointer);
        }
        let mut is_possible = 0;
        // SAFETY: writes one number.
        let code = unsafe { (driver.device_can_access_peer)(&mut is_possible, context.device(), address.device) };
        context.check(code, "cuDeviceCanAccessPeer")?;
        if is_possible == 0 {
            return Err(unsupported("the two GPUs do not reach each other's memory"));
        }
        // SAFETY: the context is a live one of this process: its device has the memory.
        match unsafe { (driver.ctx_enable_peer_access)(address.context as usize as CUcontext, 0) } {
            Code::SUCCESS | ALREADY_ENABLED => Ok(address.pointer),
            code => Err(unsupported(format!("cuCtxEnablePeerAccess: {}", driver.describe(code)))),
        }
    }

    /// Closes what is of other processes.
    fn close(&self, opened: &[CUdeviceptr]) {
        for pointer in opened {
            // SAFETY: opened once, closed once, after the last kernel that uses it.
            let _ = unsafe { (self.context.driver().ipc_close_mem_handle)(*pointer) };
        }
    }

    /// Waits until others have taken all that they were sent; they write into this memory when they do. Whether they have.
    fn wait_for_others(&self, others: &Others) -> Result<bool> {
        let mut control = vec![0_u8; self.layout.end()];
        let start = Instant::now();
        loop {
            self.aside.copy_out(&*self.memory, 0, &mut control)?;
            let words: Vec<u64> = control.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            let is_taken = |lane: &[u64]| lane[1] >= lane[2];
            let is_own = |at: usize| at / self.layout.lanes == others.rank;
            if words.chunks(CONTROL / 8).enumerate().all(|(at, lane)| is_own(at) || is_taken(lane)) {
                return Ok(true);
            }
            if start.elapsed() > LAST_WAIT {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// Ends all waiting.
    pub(super) fn end(&self) {
        let mut is_ended = self.is_ended.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *is_ended, true) {
            // A device that has failed runs no kernel that waits.
            let _ = self.aside.fill(&*self.memory, self.layout.end(), 8, &[1]);
            let _ = self.aside.finish();
        }
    }
}

impl Drop for PeerMemory {
    fn drop(&mut self) {
        let Ok(_current) = self.context.make_current() else { return };
        let is_ended = *self.is_ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let is_unused = match self.others.take() {
            None => true,
            // A rank has failed, or takes its time: kernels may still use what is here and there, so that all of it stays.
            Some(_) if is_ended => false,
            Some(others) => self.context.finish().is_ok_and(|()| {
                self.close(&others.opened);
                self.wait_for_others(&others).unwrap_or(false)
            }),
        };
        if is_unused {
            // SAFETY: it is not used again.
            unsafe { ManuallyDrop::drop(&mut self.memory) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    #[test]
    fn addresses_are_read_as_they_were_written() {
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        for (value, byte) in handle.reserved.iter_mut().enumerate() {
            *byte = value as _;
        }
        let address = Address { machine: 1, process: 2, device: 3, context: 4, pointer: 5, handle };
        let bytes = address.to_bytes();
        let read = Address::of_bytes(&bytes).expect("it is one");
        assert_eq!(read.to_bytes(), bytes);
        assert_eq!((read.machine, read.process, read.device, read.context, read.pointer), (1, 2, 3, 4, 5));
        for wrong in [0, 31, 36, bytes.len() - 1] {
            assert!(Address::of_bytes(&bytes[..wrong]).is_none(), "{wrong}");
        }
        assert!(Address::of_bytes(&[&bytes[..], &[0]].concat()).is_none());
    }

    #[test]
    fn places_of_lanes_do_not_overlap() {
        let layout = Layout { ranks: 5, lanes: 3, contents: 1 << 10 };
        let mut places: Vec<Range<u64>> = Vec::new();
        places.push(layout.end() as u64..layout.end() as u64 + 8);
        for other in 0..5 {
            let lanes = (0..3).map(|lane| layout.control(other, lane)).map(|begin| begin..begin + CONTROL as u64);
            places.extend(lanes);
            places.push(layout.contents(other)..layout.contents(other) + 1024);
        }
        places.sort_by_key(|place| place.start);
        assert_eq!((places[0].start, places[places.len() - 1].end), (0, layout.bytes() as u64));
        assert!(places.windows(2).all(|pair| pair[0].end <= pair[1].start), "{places:?}");
        assert!(layout.contents(0).is_multiple_of(ALIGNMENT as u64));
    }
}
