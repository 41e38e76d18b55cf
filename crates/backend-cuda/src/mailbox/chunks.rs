//! Larger messages, which kernels store into the memory of other GPUs by the chunk.
//!
//! All messages from one rank to another in one exchange have a place in the memory of the receiver. Each message has some
//! blocks, and each of these every so many chunks of it, with control words of its own (a lane). A block that sends waits until
//! the receiver has taken all that it was sent in exchanges before; it stores its chunks, and after each one how many there
//! are. A block that receives waits for that number, puts the chunk where it belongs, and acknowledges the last one. (NCCL's
//! protocol `Simple` does so with fewer chunks at a time.) Blocks that send come first and wait for nothing that the same
//! kernel does: what they have sent counts for the next exchange when the last of them is done.

use super::peer_memory::{Layout, PeerMemory};
use crate::compile::base_options;
use crate::error;
use crate::internal_kernels::InternalKernels;
use crate::kernel::CudaKernel;
use ferrocca_core::Result;
use ferrocca_core::backend::{BackendMailbox, MailMessage};
use std::sync::Arc;

/// What messages begin at a multiple of in their place.
const ALIGNMENT: usize = 256;
/// Bytes that a block sends before it says so: four words of sixteen bytes for each thread.
const CHUNK: usize = 64 * THREADS as usize;
const THREADS: u32 = 512;
/// Most blocks for a message, and most messages from one rank to another.
const MOST_BLOCKS: usize = 32;
const MOST_MESSAGES: usize = 8;
/// Most messages of a kernel.
const MOST: usize = 32;

/// The constants are those above. Control words besides those that [`PeerMemory`] knows: of the first lane, how many blocks have
/// sent; how many chunks have come; how many were sent, and received; and what the number of the last message that was sent
/// will be.
pub(super) const TEXT: &str = r#"typedef unsigned long long u64;

// Where the bytes are and go to; the control words of the first block: of this side, and the other side's that this one sets; the
// blocks of the message, and of all messages to the same rank, and the control words of all lanes to it.
struct okl_message { u64 from, to, bytes, own, other, blocks, all_blocks, lanes; };
struct okl_messages { okl_message messages[32]; u64 sends; };

// Other GPUs write what is received while this kernel runs.
static __device__ uint4 load(const uint4 *from) { return __ldcg(from); }
static __device__ uint2 load(const uint2 *from) { return __ldcg(from); }
static __device__ unsigned load(const unsigned *from) { return __ldcg(from); }
static __device__ unsigned char load(const unsigned char *from) { return __ldcg(from); }

template <typename Word>
static __device__ void copy(u64 from, u64 to, u64 bytes) {
    const unsigned count = (unsigned)(bytes / sizeof(Word));
    unsigned i = threadIdx.x;
    for (; i + 3 * 512 < count; i += 4 * 512) {
        Word words[4];
#pragma unroll
        for (int k = 0; k < 4; ++k) words[k] = load((const Word *)from + i + k * 512);
#pragma unroll
        for (int k = 0; k < 4; ++k) ((Word *)to)[i + k * 512] = words[k];
    }
    for (; i < count; i += 512) ((Word *)to)[i] = load((const Word *)from + i);
}

extern "C" __global__ void __launch_bounds__(512) okl_mail_chunks(const okl_messages all, const volatile u64 *ended) {
    const okl_message message = all.messages[blockIdx.y];
    if (blockIdx.x >= message.blocks) return;
    const bool sends = blockIdx.y < all.sends;
    volatile u64 *own = (volatile u64 *)message.own + 8 * blockIdx.x;
    volatile u64 *other = (volatile u64 *)message.other + 8 * blockIdx.x;
    volatile u64 *lane = (volatile u64 *)message.lanes + 8 * threadIdx.x;
    u64 chunks = own[sends ? 5 : 6];
    bool is_lost = false;
    if (sends && threadIdx.x < 256) {
        for (unsigned turns = 1; lane[1] < lane[2] && !is_lost; ++turns) is_lost = turns % 1024 == 0 && *ended;
    }
    for (u64 at = 32768ull * blockIdx.x; at < message.bytes; at += 32768ull * message.blocks) {
        chunks += 1;
        if (!sends && threadIdx.x == 0) {
            for (unsigned turns = 1; own[4] < chunks && !is_lost; ++turns) is_lost = turns % 1024 == 0 && *ended;
            __threadfence_system();
        }
        if (__syncthreads_or(is_lost)) return;
        const u64 rest = message.bytes - at, bytes = rest < 32768 ? rest : 32768;
        const u64 from = message.from + at, to = message.to + at, alignment = from | to | bytes;
        if (alignment % 16 == 0) copy<uint4>(from, to, bytes);
        else if (alignment % 8 == 0) copy<uint2>(from, to, bytes);
        else if (alignment % 4 == 0) copy<unsigned>(from, to, bytes);
        else copy<unsigned char>(from, to, bytes);
        if (sends) {
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence_system();
                other[4] = chunks;
            }
        }
    }
    if (!sends) {
        __syncthreads();
        if (threadIdx.x == 0) {
            own[6] = chunks;
            own[3] += 1;
            __threadfence_system();
            other[1] = own[3];
        }
        return;
    }
    bool is_last = false;
    if (threadIdx.x == 0) {
        own[5] = chunks;
        own[7] += 1;
        __threadfence();
        is_last = atomicAdd((u64 *)message.lanes, 1ull) + 1 == message.all_blocks;
        if (is_last) *(volatile u64 *)message.lanes = 0;
        __threadfence();
    }
    if (__syncthreads_or(is_last) && threadIdx.x < 256) lane[2] = lane[7];
}
"#;

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Message {
    from: u64,
    to: u64,
    bytes: u64,
    own: u64,
    other: u64,
    blocks: u64,
    all_blocks: u64,
    lanes: u64,
}

#[repr(C)]
struct Messages {
    messages: [Message; MOST],
    sends: u64,
}

/// A mailbox into which kernels of other ranks store chunks.
pub(crate) struct ChunkMailbox {
    memory: PeerMemory,
    kernel: Arc<CudaKernel>,
    /// Bytes from one rank to another in an exchange.
    room: usize,
}

impl ChunkMailbox {
    /// A mailbox for so many bytes from each of so many ranks.
    pub(crate) fn new(internal: &InternalKernels, ranks: usize, bytes: usize) -> Result<Self> {
        let options = base_options(&internal.compiler.architecture, false);
        let kernel = internal.kernel(TEXT, "okl_mail_chunks", 0, &options)?;
        let room = bytes.next_multiple_of(ALIGNMENT);
        let layout = Layout { ranks, lanes: MOST_MESSAGES * MOST_BLOCKS, contents: room };
        Ok(Self { memory: PeerMemory::new(&internal.context, layout)?, kernel, room })
    }

    fn launch(&self, stream: u64, messages: &[Message], sends: usize) -> Result<()> {
        let mut all = Messages { messages: [Message::default(); MOST], sends: sends as u64 };
        all.messages[..messages.len()].copy_from_slice(messages);
        let mut ended = self.memory.ended();
        let mut parameters = [(&raw mut all).cast(), (&raw mut ended).cast()];
        let most = messages.iter().map(|message| message.blocks).max().unwrap_or(1);
        let blocks = [most as u32, messages.len() as u32];
        // SAFETY: the kernel takes the messages and the address; the stream is a live one of this device, by the caller.
        unsafe { self.memory.launch(&self.kernel, blocks, THREADS, &mut parameters, stream) }
    }

    fn check(&self, messages: &[MailMessage], own: usize) -> Result<()> {
        for message in messages {
            let lengths: Vec<usize> = of_rank(messages, message.other).map(|message| message.bytes).collect();
            if message.other >= self.memory.layout.ranks || message.other == own || !self.takes(&lengths) {
                return Err(error::internal(format!("messages of {lengths:?} bytes for rank {}", message.other)));
            }
        }
        Ok(())
    }
}

fn of_rank(messages: &[MailMessage], other: usize) -> impl Iterator<Item = &MailMessage> {
    messages.iter().filter(move |message| message.other == other)
}

/// Each message with its number among those of the same two ranks, and its place.
fn placed(messages: &[MailMessage]) -> impl Iterator<Item = (&MailMessage, usize, u64)> {
    messages.iter().enumerate().map(|(at, message)| {
        let before = of_rank(&messages[..at], message.other).map(|message| message.bytes.next_multiple_of(ALIGNMENT));
        let (number, place) = before.fold((0, 0), |(number, place), bytes| (number + 1, place + bytes));
        (message, number, place as u64)
    })
}

fn blocks_for(message: &MailMessage) -> u64 {
    message.bytes.div_ceil(CHUNK).clamp(1, MOST_BLOCKS) as u64
}

impl BackendMailbox for ChunkMailbox {
    fn takes(&self, lengths: &[usize]) -> bool {
        let add = |sum: usize, bytes: &usize| sum.checked_add(bytes.checked_next_multiple_of(ALIGNMENT)?);
        let sum = lengths.iter().try_fold(0, add);
        lengths.len() <= MOST_MESSAGES && sum.is_some_and(|sum| sum <= self.room)
    }

    fn address(&self) -> Result<Vec<u8>> {
        self.memory.address()
    }

    fn connect(&self, rank: usize, addresses: &[Vec<u8>]) -> Result<()> {
        self.memory.connect(rank, addresses)
    }

    fn exchange(&self, stream: u64, sends: &[MailMessage], receives: &[MailMessage]) -> Result<()> {
        let (own, others) = self.memory.connected()?;
        let layout = self.memory.layout;
        self.check(sends, others.rank)?;
        self.check(receives, others.rank)?;
        let _current = self.memory.context.make_current()?;
        let mut all: Vec<(bool, Message)> = Vec::with_capacity(sends.len() + receives.len());
        for (is_sent, messages) in [(true, sends), (false, receives)] {
            for (message, number, place) in placed(messages) {
                let (rank, lane) = (message.other, number * MOST_BLOCKS);
                let theirs = others.bases[rank];
                let (from, to) = match is_sent {
                    true => (message.address, theirs + layout.contents(others.rank) + place),
                    false => (own + layout.contents(rank) + place, message.address),
                };
                let message = Message {
                    from,
                    to,
                    bytes: message.bytes as u64,
                    own: own + layout.control(rank, lane),
                    other: theirs + layout.control(others.rank, lane),
                    blocks: blocks_for(message),
                    all_blocks: of_rank(messages, rank).map(blocks_for).sum(),
                    lanes: own + layout.control(rank, 0),
                };
                all.push((is_sent, message));
            }
        }
        for part in all.chunks(MOST) {
            let sends = part.iter().filter(|(is_sent, _)| *is_sent).count();
            self.launch(stream, &part.iter().map(|(_, message)| *message).collect::<Vec<_>>(), sends)?;
        }
        Ok(())
    }

    fn end(&self) {
        self.memory.end();
    }
}

#[cfg(test)]
mod tests {
    use super::super::peer_memory::CONTROL;
    use super::*;

    #[test]
    fn the_text_knows_the_sizes() {
        assert!(TEXT.contains(&format!("threadIdx.x < {}", MOST_MESSAGES * MOST_BLOCKS)));
        assert!(TEXT.contains(&format!("messages[{MOST}]")) && TEXT.matches(&format!("{CHUNK}")).count() == 4);
        assert!(TEXT.matches(&format!("{THREADS}")).count() == 6 && CONTROL == size_of::<[u64; 8]>());
        assert_eq!(size_of::<Messages>(), 64 * MOST + 8);
    }

    #[test]
    fn messages_to_a_rank_lie_one_behind_the_other() {
        let message = |other: usize, bytes: usize| MailMessage { other, address: 0, bytes };
        let all = [message(2, 100), message(1, 7), message(2, 256), message(2, 1), message(1, 3)];
        let places: Vec<_> = placed(&all).map(|(_, number, place)| (number, place)).collect();
        assert_eq!(places, [(0, 0), (0, 0), (1, 256), (2, 512), (1, 256)]);
        let blocks = [1, CHUNK, CHUNK + 1, usize::MAX / 2].map(|bytes| blocks_for(&message(0, bytes)));
        assert_eq!(blocks, [1, 1, 2, MOST_BLOCKS as u64]);
    }
}
