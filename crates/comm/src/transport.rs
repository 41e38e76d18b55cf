//! What carries bytes between ranks: [`Transport`], and what it moves.

use ferrocca_core::{AnyMemory, Error, ErrorKind, Result};
use std::time::Duration;

/// What is sent, or where what comes is put. A transport owns it from `send` or `receive` to the end of `wait`, so that
/// nobody changes or frees it meanwhile.
#[derive(Debug)]
pub enum Buffer {
    /// On the host.
    Host(Vec<u8>),
    /// Of a device. Only for transports and devices of which [`Capabilities::takes`] says so.
    Memory(AnyMemory),
}

impl Buffer {
    /// Its size.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Host(bytes) => bytes.len(),
            Self::Memory(memory) => memory.bytes(),
        }
    }

    /// The bytes on the host.
    /// # Errors
    /// [`ErrorKind::Internal`] for memory of a device.
    pub fn into_host(self) -> Result<Vec<u8>> {
        match self {
            Self::Host(bytes) => Ok(bytes),
            Self::Memory(_) => Err(Error::new(ErrorKind::Internal {
                message: "a transport returned memory of a device for a buffer on the host".into(),
            })),
        }
    }
}

/// A message under way, to be given to [`Transport::wait`] of the transport that made it.
#[derive(Debug)]
#[must_use = "a message is done only when it has been waited for"]
pub struct Request(pub u64);

/// What a transport can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Its name: `alone`, `peers`, `mpi`.
    pub name: &'static str,
    /// It takes memory of any device in place.
    pub device_memory: bool,
    /// It takes memory in place that the host addresses.
    pub mapped_memory: bool,
    /// A message is ordered by the device's stream: the host need not wait before it sends.
    pub stream_ordered: bool,
    /// Messages can be part of a captured graph of the device.
    pub capturable: bool,
}

impl Capabilities {
    /// Whether it takes this memory in place. That it does is no promise that the two devices of a message reach each other:
    /// a plan tries it.
    pub fn takes(&self, memory: &AnyMemory) -> bool {
        self.device_memory || self.mapped_memory && memory.mapped().is_some()
    }
}

/// How values of two ranks are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The sum.
    Sum,
    /// The lower value; a NaN wins.
    Min,
    /// The higher value; a NaN wins.
    Max,
}

impl Operation {
    /// `lower` is of the rank, or the index, that comes first.
    pub fn combine(self, lower: f64, upper: f64) -> f64 {
        match self {
            Self::Sum => lower + upper,
            Self::Min if lower.is_nan() || lower < upper => lower,
            Self::Max if lower.is_nan() || lower > upper => lower,
            Self::Min | Self::Max => upper,
        }
    }

    /// `sum`, `min`, `max`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
        }
    }
}

/// Carries bytes between ranks `0..size`. Whoever implements it runs [`conformance`](crate::conformance).
///
/// **Order.** Messages of one rank to another with one tag arrive in the order in which they were sent; others in any. A
/// message may be waited for in any order, and a rank may send to itself. `send` and `receive` return at once: two ranks that
/// both send and then receive make progress. **Tags** are below 2¹⁵. **Length.** A message that is not as long as what
/// receives it is an error that names both lengths; a message of any length is taken, in pieces where the engine below counts
/// in 31 bits.
///
/// **Faults.** Nobody waits for ever: `wait` ends with an error after its limit, and soon after another rank has
/// failed ([`end`](Self::end)) or died, where the transport learns of it.
pub trait Transport: Send + Sync {
    /// This rank, counted from 0.
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// What it can do; the same on every rank.
    fn capabilities(&self) -> Capabilities;

    /// Begins to send. Memory of a device holds what it shall, unless messages are ordered by streams.
    /// # Errors
    /// [`ErrorKind::Communication`].
    fn send(&self, to: usize, tag: u16, message: Buffer) -> Result<Request>;

    /// Begins to receive a message of as many bytes as `into` has.
    /// # Errors
    /// [`ErrorKind::Communication`].
    fn receive(&self, from: usize, tag: u16, into: Buffer) -> Result<Request>;

    /// Waits until a message has arrived, or what was sent may be used again; returns the buffer.
    /// # Errors
    /// [`ErrorKind::Communication`] after `limit`, for a message of another length, and when another rank has failed.
    fn wait(&self, request: Request, limit: Duration) -> Result<Buffer>;

    /// Why another rank is known to have failed, for those who wait for something else than a message; `None` also where nobody
    /// need be told, because the launcher ends all ranks.
    fn failed(&self) -> Option<Error> {
        None
    }

    /// The end of this rank: it is done, and lets the others come to their end too; or it has failed, says why, and ends all
    /// ranks. Where ranks are processes it does not return in the second case. Nothing is sent or received afterwards.
    fn end(&self, failure: Option<&Error>);
}

/// An [`ErrorKind::Communication`].
pub(crate) fn failure(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Communication { message: message.into() })
}
