//! Mailboxes: small messages that kernels store into the memory of other GPUs, without a library in between.
//!
//! For each rank that it may hear of, and for each message between the two in one exchange (a *lane*), a mailbox has two slots
//! and a control word set. A block of one kernel sends a message: it waits until the receiver has taken the message before the
//! last one, and stores the message, every four bytes of it together with its number in one store of eight, so that no fence
//! is needed (the protocol that NCCL calls LL). Another block receives one: it waits for the number in each of these, puts the
//! bytes into their place, and acknowledges. Numbers count on the device, so that a graph may hold exchanges. Blocks that send
//! come first and wait for nothing that the same kernel does.
//!
//! Other processes of the machine open a mailbox by a handle of the driver's; within a process its address will do.

use crate::compile::base_options;
use crate::context::Context;
use crate::driver::Code;
use crate::error;
use crate::internal_kernels::InternalKernels;
use crate::kernel::CudaKernel;
use crate::memory::CudaMemory;
use crate::stream::CudaStream;
use cudarc::driver::sys::{CUcontext, CUdevice, CUdeviceptr, CUipcMemHandle, CUstream};
use ferrocca_core::backend::{BackendMailbox, BackendStream, MailMessage, Placement};
use ferrocca_core::{Error, Result};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Most bytes of a message.
const ROOM: usize = 16 << 10;
/// Most messages from one rank to another in an exchange.
const LANES: usize = 16;
/// Bytes of a lane's control words: one that is not used, the number of the last message that the other side has taken, of the
/// last one that was sent, and of the last one that was received.
const CONTROL: usize = 64;
/// Most messages of a kernel.
const MOST: usize = 32;
/// What the driver opens for other processes begins at multiples of this.
const GRANULARITY: usize = 2 << 20;
/// How long the end waits for others to take what they were sent.
const LAST_WAIT: Duration = Duration::from_secs(10);
/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`.
const LAZY_PEER_ACCESS: u32 = 1;
/// `CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED`.
const ALREADY_ENABLED: Code = Code(704);

/// Bytes of a slot: eight bytes of a message take sixteen.
const SLOT: usize = 2 * ROOM;

/// The constants are those above.
pub(crate) const TEXT: &str = r#"typedef unsigned long long u64;

struct okl_parcel {
    // Where the bytes are and go to; of the two the one that is a mailbox's is the first of its two slots.
    u64 from, to, bytes;
    // Control words of this side, and the one of the other side that acknowledges.
    u64 own, other;
};
struct okl_parcels { okl_parcel parcels[32]; u64 sends; };

static __device__ u64 load(u64 from, u64 bytes) {
    if (bytes >= 8 && from % 8 == 0) return *(const u64 *)from;
    u64 word = 0;
    for (u64 i = 0; i < bytes && i < 8; ++i) word |= (u64)((const unsigned char *)from)[i] << 8 * i;
    return word;
}

static __device__ void store(u64 to, u64 bytes, u64 word) {
    if (bytes >= 8 && to % 8 == 0) {
        *(u64 *)to = word;
        return;
    }
    for (u64 i = 0; i < bytes && i < 8; ++i) ((unsigned char *)to)[i] = (unsigned char)(word >> 8 * i);
}

extern "C" __global__ void __launch_bounds__(256) okl_mail(const okl_parcels all, const volatile u64 *ended) {
    const okl_parcel parcel = all.parcels[blockIdx.x];
    const bool sends = blockIdx.x < all.sends;
    volatile u64 *own = (volatile u64 *)parcel.own;
    const u64 number = own[sends ? 2 : 3] + 1, slot = number % 2 * 32768;
    const unsigned mark = (unsigned)number;
    bool is_lost = false;
    if (sends) {
        const u64 least = number < 3 ? 0 : number - 2;
        for (unsigned turns = 1; own[1] < least && !is_lost; ++turns) is_lost = turns % 1024 == 0 && *ended;
    }
    for (u64 at = 8 * threadIdx.x; at < parcel.bytes && !is_lost; at += 8 * blockDim.x) {
        const u64 bytes = parcel.bytes - at;
        if (sends) {
            const u64 word = load(parcel.from + at, bytes), to = parcel.to + slot + 2 * at;
            asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                         :: "l"(to), "r"((unsigned)word), "r"(mark), "r"((unsigned)(word >> 32)), "r"(mark) : "memory");
        } else {
            unsigned low, low_mark, high, high_mark;
            unsigned turns = 0;
            do {
                asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                             : "=r"(low), "=r"(low_mark), "=r"(high), "=r"(high_mark)
                             : "l"(parcel.from + slot + 2 * at) : "memory");
                is_lost = ++turns % 1024 == 0 && *ended;
            } while ((low_mark != mark || high_mark != mark) && !is_lost);
            if (!is_lost) store(parcel.to + at, bytes, (u64)high << 32 | low);
        }
    }
    if (__syncthreads_or(is_lost)) return;
    if (threadIdx.x == 0) {
        own[sends ? 2 : 3] = number;
        if (!sends) *(volatile u64 *)parcel.other = number;
    }
}
"#;

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Parcel {
    from: u64,
    to: u64,
    bytes: u64,
    own: u64,
    other: u64,
}

#[repr(C)]
struct Parcels {
    parcels: [Parcel; MOST],
    sends: u64,
}

/// A mailbox and those of the other ranks.
pub(crate) struct CudaMailbox {
    /// Freed only where it is known that nobody will write it.
    memory: ManuallyDrop<CudaMemory>,
    ranks: usize,
    kernel: Arc<CudaKernel>,
    others: OnceLock<Others>,
    /// By which the end is told while kernels wait.
    aside: CudaStream,
    is_ended: Mutex<bool>,
    context: Arc<Context>,
}

struct Others {
    rank: usize,
    /// By rank, where its mailbox is for this device; the own one among them.
    bases: Vec<CUdeviceptr>,
    /// Those of other processes, which are closed.
    opened: Vec<CUdeviceptr>,
}

/// How another rank reaches a mailbox.
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

impl CudaMailbox {
    /// A mailbox for messages between so many ranks.
    pub(crate) fn new(internal: &InternalKernels, ranks: usize) -> Result<Self> {
        let context = &internal.context;
        let _current = context.make_current()?;
        let options = base_options(&internal.compiler.architecture, false);
        let kernel = internal.kernel(TEXT, "okl_mail", 0, &options)?;
        let bytes = (Self::end_of(ranks) + 8).next_multiple_of(GRANULARITY);
        let memory = CudaMemory::allocate(context, &OnceLock::new(), bytes, Placement::Device)?;
        let aside = CudaStream::create(context, false)?;
        aside.fill(&memory, 0, bytes, &[0])?;
        aside.finish()?;
        Ok(Self {
            memory: ManuallyDrop::new(memory),
            ranks,
            kernel,
            others: OnceLock::new(),
            aside,
            is_ended: Mutex::default(),
            context: context.clone(),
        })
    }

    /// Where the control words of a lane are in a mailbox.
    fn control(other: usize, lane: usize) -> u64 {
        ((other * LANES + lane) * CONTROL) as u64
    }

    /// Where the slots of a lane are in a mailbox of so many ranks.
    fn slots(ranks: usize, other: usize, lane: usize) -> u64 {
        (ranks * LANES * CONTROL + (other * LANES + lane) * 2 * SLOT) as u64
    }

    /// Where the word is that ends all waiting.
    fn end_of(ranks: usize) -> usize {
        ranks * LANES * (CONTROL + 2 * SLOT)
    }

    /// Where this device finds another mailbox.
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
        let mut is_possible = 0;
        // SAFETY: writes one number.
        let code = unsafe { (driver.device_can_access_peer)(&mut is_possible, context.device(), address.device) };
        context.check(code, "cuDeviceCanAccessPeer")?;
        if is_possible == 0 {
            return Err(unsupported("the two GPUs do not reach each other's memory"));
        }
        // SAFETY: the context is a live one of this process: its device has the mailbox.
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
        let mut control = vec![0_u8; self.ranks * LANES * CONTROL];
        let start = Instant::now();
        loop {
            self.aside.copy_out(&*self.memory, 0, &mut control)?;
            let words: Vec<u64> = control.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
            let is_taken = |lane: &[u64]| lane[1] >= lane[2];
            let is_own = |at: usize| at / LANES == others.rank;
            if words.chunks(CONTROL / 8).enumerate().all(|(at, lane)| is_own(at) || is_taken(lane)) {
                return Ok(true);
            }
            if start.elapsed() > LAST_WAIT {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    fn launch(&self, stream: u64, parcels: &[Parcel], sends: usize) -> Result<()> {
        let mut all = Parcels { parcels: [Parcel::default(); MOST], sends: sends as u64 };
        all.parcels[..parcels.len()].copy_from_slice(parcels);
        let mut ended = self.memory.pointer() + Self::end_of(self.ranks) as u64;
        let mut parameters = [(&raw mut all).cast(), (&raw mut ended).cast()];
        // Each moves eight bytes at a time.
        let longest = parcels.iter().map(|parcel| parcel.bytes).max().unwrap_or(0);
        let threads = (longest.div_ceil(8).next_multiple_of(32) as u32).clamp(32, 256);
        let grid = self.kernel.grid([parcels.len() as u32, 1, 1], [threads, 1, 1], &mut parameters);
        // SAFETY: the kernel takes the parcels and the address; the stream is a live one of this device, by the caller.
        let code = unsafe {
            (self.context.driver().launch_kernel)(
                grid.function,
                grid.blocks[0],
                1,
                1,
                grid.threads[0],
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
}

impl BackendMailbox for CudaMailbox {
    fn room(&self) -> [usize; 2] {
        [ROOM, LANES]
    }

    fn address(&self) -> Result<Vec<u8>> {
        let _current = self.context.make_current()?;
        let mut handle = CUipcMemHandle { reserved: [0; 64] };
        let pointer = self.memory.pointer();
        // A mailbox that other processes cannot open serves the threads of this one.
        // SAFETY: the pointer is where an allocation begins; writes a handle.
        let _ = unsafe { (self.context.driver().ipc_get_mem_handle)(&mut handle, pointer) };
        let (device, context) = (self.context.device(), self.context.raw() as usize as u64);
        Ok(Address { machine: machine(), process: process(), device, context, pointer, handle }.to_bytes())
    }

    fn connect(&self, rank: usize, addresses: &[Vec<u8>]) -> Result<()> {
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
        if bases.len() != self.ranks || self.others.set(Others { rank, bases, opened }).is_err() {
            return Err(error::internal("a mailbox is connected once, with all ranks"));
        }
        Ok(())
    }

    fn exchange(&self, stream: u64, sends: &[MailMessage], receives: &[MailMessage]) -> Result<()> {
        let others = self.others.get().ok_or_else(|| error::internal("a mailbox was not connected"))?;
        let own = self.memory.pointer();
        // The lane of each message is its number among those of the same two ranks.
        let lane = |all: &[MailMessage], at: usize| all[..at].iter().filter(|m| m.other == all[at].other).count();
        let mut parcels: Vec<(bool, Parcel)> = Vec::with_capacity(sends.len() + receives.len());
        for (is_sent, all) in [(true, sends), (false, receives)] {
            for (at, message) in all.iter().enumerate() {
                let (other, lane) = (message.other, lane(all, at));
                if message.bytes > ROOM || lane >= LANES || other >= self.ranks || other == others.rank {
                    return Err(error::internal(format!("message {lane} of {} bytes for a mailbox", message.bytes)));
                }
                let theirs = others.bases[other];
                let (bytes, control) = (message.bytes as u64, Self::control(other, lane));
                // What the other side has of this one.
                let (slots, word) = (Self::slots(self.ranks, others.rank, lane), Self::control(others.rank, lane));
                let own_slots = own + Self::slots(self.ranks, other, lane);
                parcels.push((
                    is_sent,
                    match is_sent {
                        true => Parcel {
                            from: message.address,
                            to: theirs + slots,
                            bytes,
                            own: own + control,
                            other: theirs + word,
                        },
                        false => Parcel {
                            from: own_slots,
                            to: message.address,
                            bytes,
                            own: own + control,
                            other: theirs + word + 8,
                        },
                    },
                ));
            }
        }
        let _current = self.context.make_current()?;
        for part in parcels.chunks(MOST) {
            let sends = part.iter().filter(|(is_sent, _)| *is_sent).count();
            let part: Vec<Parcel> = part.iter().map(|(_, parcel)| *parcel).collect();
            self.launch(stream, &part, sends)?;
        }
        Ok(())
    }

    fn end(&self) {
        let mut is_ended = self.is_ended.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *is_ended, true) {
            // A device that has failed runs no kernel that waits.
            let _ = self.aside.fill(&*self.memory, Self::end_of(self.ranks), 8, &[1]);
            let _ = self.aside.finish();
        }
    }
}

impl Drop for CudaMailbox {
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
    fn places_of_lanes_do_not_overlap_and_the_text_knows_their_sizes() {
        let ranks = 5;
        let mut places: Vec<Range<u64>> = Vec::new();
        for other in 0..ranks {
            for lane in 0..LANES {
                let (control, slots) = (CudaMailbox::control(other, lane), CudaMailbox::slots(ranks, other, lane));
                places.extend([control..control + CONTROL as u64, slots..slots + 2 * SLOT as u64]);
            }
        }
        let end = CudaMailbox::end_of(ranks) as u64;
        places.push(end..end + 8);
        places.sort_by_key(|place| place.start);
        assert_eq!(places[0].start, 0);
        assert!(places.windows(2).all(|pair| pair[0].end == pair[1].start), "{places:?}");
        assert!(TEXT.contains(&format!("number % 2 * {SLOT};")) && TEXT.contains(&format!("parcels[{MOST}]")));
        assert_eq!(size_of::<Parcels>(), 40 * MOST + 8);
    }
}
