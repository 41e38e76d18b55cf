//! Messages between devices without the host: mailboxes, into which kernels of other devices store.

use crate::Result;
use std::sync::Arc;

/// Memory of a device in which kernels of other devices leave messages, each device being one of some ranks.
///
/// It is dropped when all that it was to receive has come; it waits until others have taken what it was to send.
pub trait BackendMailbox: Send + Sync {
    /// Whether messages of these lengths in bytes, all those from one rank to another in an exchange, have room. The same on
    /// every rank.
    fn takes(&self, lengths: &[usize]) -> bool;
    /// By which other ranks find it.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn address(&self) -> Result<Vec<u8>>;
    /// Finds those of all ranks, given by rank; once, before anything is sent.
    /// # Errors
    /// `Unsupported` where one of them is not in reach.
    fn connect(&self, rank: usize, addresses: &[Vec<u8>]) -> Result<()>;
    /// Queues messages on a stream of the device, given by its native handle. Those between two ranks arrive in the order in
    /// which both name them.
    /// # Errors
    /// [`crate::ErrorKind::Driver`].
    fn exchange(&self, stream: u64, sends: &[MailMessage], receives: &[MailMessage]) -> Result<()>;
    /// How kernels of this device exchange such messages by themselves, what is sent first; `None` where they cannot. What lies at
    /// the addresses is a matter between the mailbox and the kernels of its backend. Numbers count there, so that an exchange may follow
    /// in either way.
    /// # Errors
    /// [`crate::ErrorKind::Internal`] for messages that the mailbox does not [take](Self::takes).
    fn parcels(&self, _sends: &[MailMessage], _receives: &[MailMessage]) -> Result<Option<Vec<MailParcel>>> {
        Ok(None)
    }
    /// Ends all that waits, whatever it has received.
    fn end(&self);
}

/// Messages of a mailbox in a recorded loop.
#[derive(Clone)]
pub struct Mail {
    /// The mailbox.
    pub mailbox: Arc<dyn BackendMailbox>,
    /// What is sent.
    pub sends: Vec<MailMessage>,
    /// What is received.
    pub receives: Vec<MailMessage>,
}

/// A message, or a piece of one, as a kernel moves it. Addresses are those of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MailParcel {
    /// It is sent.
    pub is_sent: bool,
    /// Where the bytes are, or come to.
    pub address: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// The first of the two slots of the mailbox that it goes through.
    pub slots: u64,
    /// Control words of this side.
    pub own: u64,
    /// The word of the other side that acknowledges.
    pub other: u64,
    /// The word that ends all waiting.
    pub ended: u64,
}

/// How messages are put into a mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Each word with a mark: the fastest for some kilobytes.
    Words,
    /// By the chunk, up to so many bytes from one rank to another in an exchange.
    Chunks {
        /// Bytes.
        bytes: usize,
    },
}

/// A message of a mailbox: memory of its device that is sent, or in which a message is put.
#[derive(Clone, Copy, Debug)]
pub struct MailMessage {
    /// The other rank.
    pub other: usize,
    /// Where, as the device addresses it.
    pub address: u64,
    /// Length in bytes.
    pub bytes: usize,
}
