//! Small messages, which kernels store into the memory of other GPUs.
//!
//! For each rank that it may hear of, and for each message between the two in one exchange (a lane), a mailbox has two slots.
//! A block of one kernel sends a message: it waits until the receiver has taken the message before the last one, and stores
//! the message, every four bytes of it together with its number in one store of eight, so that no fence is needed (the
//! protocol that NCCL calls LL). Another block receives one: it waits for the number in each of these, puts the
//! bytes into their place, and acknowledges. Blocks that send come first and wait for nothing that the same kernel does.

use super::peer_memory::{Layout, PeerMemory};
use crate::compile::base_options;
use crate::error;
use crate::internal_kernels::InternalKernels;
use crate::kernel::CudaKernel;
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMailbox, MailMessage, MailParcel};
use std::sync::Arc;

/// Most bytes in a lane; longer messages take several.
const ROOM: usize = 16 << 10;
/// Most lanes from one rank to another.
const LANES: usize = 16;
/// Most lanes of a kernel.
const MOST: usize = 32;
/// Bytes of a slot: eight bytes of a message take sixteen.
pub(crate) const SLOT: usize = 2 * ROOM;

/// The constants are those above.
pub(super) const TEXT: &str = r#"typedef unsigned long long u64;

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

impl Parcel {
    fn of(parcel: &MailParcel) -> Self {
        let MailParcel { is_sent, address, bytes, slots, own, other, .. } = *parcel;
        let (from, to) = if is_sent { (address, slots) } else { (slots, address) };
        Self { from, to, bytes, own, other }
    }
}

#[repr(C)]
struct Parcels {
    parcels: [Parcel; MOST],
    sends: u64,
}

/// A mailbox into which kernels of other ranks store single words.
pub(crate) struct WordMailbox {
    memory: PeerMemory,
    kernel: Arc<CudaKernel>,
}

impl WordMailbox {
    /// A mailbox for messages between so many ranks.
    pub(crate) fn new(internal: &InternalKernels, ranks: usize) -> Result<Self> {
        let options = base_options(&internal.compiler.architecture, false);
        let kernel = internal.kernel(TEXT, "okl_mail", 0, &options)?;
        let layout = Layout { ranks, lanes: LANES, contents: LANES * 2 * SLOT };
        Ok(Self { memory: PeerMemory::new(&internal.context, layout)?, kernel })
    }

    /// Messages in pieces, each with its way, what is sent first.
    fn all_parcels(&self, sends: &[MailMessage], receives: &[MailMessage]) -> Result<Vec<MailParcel>> {
        let (own, others) = self.memory.connected()?;
        let (layout, ended) = (self.memory.layout, self.memory.ended());
        // The lane of each piece is its number among those of the same two ranks.
        let lane = |all: &[MailMessage], at: usize| all[..at].iter().filter(|m| m.other == all[at].other).count();
        let mut parcels = Vec::new();
        for (is_sent, all) in [(true, pieces(sends)), (false, pieces(receives))] {
            for (at, message) in all.iter().enumerate() {
                let (other, lane) = (message.other, lane(&all, at));
                if lane >= LANES || other >= layout.ranks || other == others.rank {
                    return Err(error::internal(format!("message {lane} for rank {other} in a mailbox")));
                }
                let theirs = others.bases[other];
                let (address, bytes) = (message.address, message.bytes as u64);
                // What the other side has of this one.
                let slots = |of: usize| layout.contents(of) + (2 * lane * SLOT) as u64;
                let word = layout.control(others.rank, lane);
                let own_words = own + layout.control(other, lane);
                let (slots, other) = match is_sent {
                    true => (theirs + slots(others.rank), theirs + word),
                    false => (own + slots(other), theirs + word + 8),
                };
                parcels.push(MailParcel { is_sent, address, bytes, slots, own: own_words, other, ended });
            }
        }
        Ok(parcels)
    }

    fn launch(&self, stream: u64, parcels: &[Parcel], sends: usize) -> Result<()> {
        let mut all = Parcels { parcels: [Parcel::default(); MOST], sends: sends as u64 };
        all.parcels[..parcels.len()].copy_from_slice(parcels);
        let mut ended = self.memory.ended();
        let mut parameters = [(&raw mut all).cast(), (&raw mut ended).cast()];
        // Each moves eight bytes at a time.
        let longest = parcels.iter().map(|parcel| parcel.bytes).max().unwrap_or(0);
        let threads = (longest.div_ceil(8).next_multiple_of(32) as u32).clamp(32, 256);
        // SAFETY: the kernel takes the parcels and the address; the stream is a live one of this device, by the caller.
        unsafe { self.memory.launch(&self.kernel, [parcels.len() as u32, 1], threads, &mut parameters, stream) }
    }
}

/// Messages in pieces that a lane takes.
fn pieces(messages: &[MailMessage]) -> Vec<MailMessage> {
    let of_message = |message: &MailMessage| {
        let MailMessage { other, address, bytes } = *message;
        let piece = move |at: usize| MailMessage { other, address: address + at as u64, bytes: ROOM.min(bytes - at) };
        (0..bytes).step_by(ROOM).map(piece)
    };
    messages.iter().flat_map(of_message).collect()
}

impl BackendMailbox for WordMailbox {
    fn takes(&self, lengths: &[usize]) -> bool {
        lengths.iter().map(|bytes| bytes.div_ceil(ROOM)).sum::<usize>() <= LANES
    }

    fn address(&self) -> Result<Vec<u8>> {
        self.memory.address()
    }

    fn connect(&self, rank: usize, addresses: &[Vec<u8>]) -> Result<()> {
        self.memory.connect(rank, addresses)
    }

    fn parcels(&self, sends: &[MailMessage], receives: &[MailMessage]) -> Result<Option<Vec<MailParcel>>> {
        self.all_parcels(sends, receives).map(Some)
    }

    fn exchange(&self, stream: u64, sends: &[MailMessage], receives: &[MailMessage]) -> Result<()> {
        let parcels = self.all_parcels(sends, receives)?;
        let _current = self.memory.context.make_current()?;
        for part in parcels.chunks(MOST) {
            let sends = part.iter().filter(|parcel| parcel.is_sent).count();
            self.launch(stream, &part.iter().map(Parcel::of).collect::<Vec<_>>(), sends)?;
        }
        Ok(())
    }

    fn end(&self) {
        self.memory.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_knows_the_sizes() {
        assert!(TEXT.contains(&format!("number % 2 * {SLOT};")) && TEXT.contains(&format!("parcels[{MOST}]")));
        assert_eq!(size_of::<Parcels>(), 40 * MOST + 8);
    }

    #[test]
    fn long_messages_are_cut() {
        let message = |address: u64, bytes: usize| MailMessage { other: 3, address, bytes };
        let cut = pieces(&[message(100, 2 * ROOM + 1), message(9, 0), message(50, ROOM)]);
        let places: Vec<_> = cut.iter().map(|piece| (piece.other, piece.address, piece.bytes)).collect();
        let room = ROOM as u64;
        assert_eq!(places, [(3, 100, ROOM), (3, 100 + room, ROOM), (3, 100 + 2 * room, 1), (3, 50, ROOM)]);
    }
}
