//! What carries messages from device to device beside the transport: a [`Link`], which queues them on the device's streams, so
//! that no host waits and a recorded loop is one graph.
//!
//! A transport says who the ranks are, carries what hosts tell each other, and learns who has failed. A link can do none of
//! that. Ranks agree on one for each device: all of them have it, or none.

use crate::comm::Comm;
use crate::nccl;
use crate::transport::Operation;
use ferrocca_core::backend::{BackendMailbox, Delivery, Mail, MailMessage};
use ferrocca_core::{AnyMemory, Device, Error, Result};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};

/// A message of a link: the other rank, and the memory.
pub(crate) type Parcel = (usize, AnyMemory);

/// A message of a link before there is memory: the other rank, and the length in bytes.
pub(crate) type Length = (usize, usize);

/// Carries messages between the devices of all ranks.
pub(crate) trait Link: Send + Sync {
    /// `NCCL 2.27.3`
    fn name(&self) -> String;

    /// Makes room for the messages that this rank sends in each of some exchanges. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`].
    fn reserve(&self, _comm: &Comm, _exchanges: &[Vec<Length>]) -> Result<()> {
        Ok(())
    }

    /// Queues messages on a stream of the device, given by its native handle, as one step in which none waits for another.
    /// Those between two ranks arrive in the order in which both name them. The memory lives until they are done.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`], also where another rank has failed.
    fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()>;

    /// The messages of a mailbox that carry all of these, if such do.
    fn mail(&self, _sends: &[Parcel], _receives: &[Parcel]) -> Option<Mail> {
        None
    }

    /// Why nothing is sent any more.
    fn failure(&self) -> Option<Error> {
        None
    }

    /// Ends with this link's messages what waits in a mailbox.
    fn watch(&self, _mailbox: Weak<dyn BackendMailbox>) {}
}

/// Messages by stores into the neighbours' memory where that is possible, the others by another link.
struct Near {
    /// For small messages.
    words: Option<Arc<dyn BackendMailbox>>,
    /// For larger ones. The last one is used; the others are of graphs that were recorded before it.
    chunks: RwLock<Vec<Arc<dyn BackendMailbox>>>,
    far: Arc<dyn Link>,
    /// Why there are no stores.
    reason: String,
    /// Why there are none of some messages that are not small.
    no_room: OnceLock<String>,
    device: Device,
}

/// Most bytes from one rank to another in an exchange that are stored: as many of the device's memory are needed for each rank.
const MOST_STORED: usize = 256 << 20;

/// What a message takes of a mailbox is a multiple of it at most.
const MESSAGE_ALIGNMENT: usize = 256;

/// Which way messages go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Far,
    Chunks,
    Words,
}

impl Drop for Near {
    fn drop(&mut self) {
        // What waits for a rank that will not come does not hold up the end.
        let is_done = || self.device.finish_within(nccl::LAST_WORK).unwrap_or(false);
        if self.words.is_some() && (self.failure().is_some() || !is_done()) {
            let chunks = self.chunks.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.words.iter().chain(chunks.iter()).for_each(|mailbox| mailbox.end());
        }
    }
}

impl Link for Near {
    fn name(&self) -> String {
        let far = self.far.name();
        match (&self.words, self.no_room.get()) {
            (Some(_), None) => format!("stores and {far}"),
            (Some(_), Some(reason)) => format!("stores and {far} without room for larger ones ({reason})"),
            (None, _) => format!("{far} without stores ({})", self.reason),
        }
    }

    fn reserve(&self, comm: &Comm, exchanges: &[Vec<Length>]) -> Result<()> {
        let Some(words) = &self.words else { return Ok(()) };
        let mut most = [0.0];
        for lengths in exchanges.iter().flat_map(|exchange| by_rank(exchange)) {
            let sum = lengths.iter().map(|bytes| bytes.next_multiple_of(MESSAGE_ALIGNMENT)).sum::<usize>();
            if sum <= MOST_STORED && !words.takes(&lengths) {
                most[0] = f64::max(most[0], sum as f64);
            }
        }
        comm.all_reduce(Operation::Max, &mut most)?;
        let bytes = (most[0] as usize).next_power_of_two();
        // The same answer on every rank.
        if most[0] == 0.0 || self.last_chunks().is_some_and(|known| known.takes(&[bytes])) {
            return Ok(());
        }
        match connected(comm, self.device.backend().create_mailbox(comm.size(), Delivery::Chunks { bytes }))? {
            Ok(mailbox) => {
                self.far.watch(Arc::downgrade(&mailbox));
                self.chunks.write().unwrap_or_else(PoisonError::into_inner).push(mailbox);
            }
            // The other link has these messages.
            Err(reason) => _ = self.no_room.set(reason),
        }
        Ok(())
    }

    fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        let (sends, receives) = (self.part(sends), self.part(receives));
        let of = |parcels: &[(By, Parcel)], way: By| -> Vec<Parcel> {
            parcels.iter().filter(|(by, _)| *by == way).map(|(_, parcel)| parcel.clone()).collect()
        };
        // All ranks take the ways in one order, so that none waits in one for a rank that waits in another.
        let [far_sends, far_receives] = [&sends, &receives].map(|parcels| of(parcels, By::Far));
        if !(far_sends.is_empty() && far_receives.is_empty()) {
            self.far.exchange(stream, &far_sends, &far_receives)?;
        } else if let Some(error) = self.far.failure() {
            return Err(error);
        }
        for (way, mailbox) in [(By::Chunks, self.last_chunks()), (By::Words, self.words.clone())] {
            let [sends, receives] = [&sends, &receives].map(|parcels| messages(&of(parcels, way)));
            if let Some(mailbox) = mailbox
                && !(sends.is_empty() && receives.is_empty())
            {
                mailbox.exchange(stream, &sends, &receives)?;
            }
        }
        Ok(())
    }

    fn mail(&self, sends: &[Parcel], receives: &[Parcel]) -> Option<Mail> {
        let mailbox = self.words.clone()?;
        let of = |parcels: &[Parcel]| -> Option<Vec<MailMessage>> {
            let parts = self.part(parcels);
            let all: Vec<Parcel> = parts.iter().map(|(_, parcel)| parcel.clone()).collect();
            parts.iter().all(|(by, _)| *by == By::Words).then(|| messages(&all))
        };
        Some(Mail { mailbox, sends: of(sends)?, receives: of(receives)? })
    }

    fn failure(&self) -> Option<Error> {
        self.far.failure()
    }
}

impl Near {
    /// A link with mailboxes of all ranks beside it, or without and why. Collective.
    fn beside(comm: &Comm, device: &Device, far: Arc<dyn Link>) -> Result<Self> {
        let made = match std::env::var(STORES_VARIABLE).is_ok_and(|text| text == "off") {
            true => Err(Error::invalid(format!("{STORES_VARIABLE}=off"))),
            false => device.backend().create_mailbox(comm.size(), Delivery::Words),
        };
        let made = connected(comm, made)?;
        if let Ok(mailbox) = &made {
            far.watch(Arc::downgrade(mailbox));
        }
        let reason = made.as_ref().err().cloned().unwrap_or_default();
        Ok(Self {
            words: made.ok(),
            chunks: RwLock::default(),
            far,
            reason,
            no_room: OnceLock::new(),
            device: device.clone(),
        })
    }

    fn last_chunks(&self) -> Option<Arc<dyn BackendMailbox>> {
        self.chunks.read().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }

    /// Which way each message goes: all of those from one rank to another go the same, because both ways take longer
    /// than either. Both ranks part them alike. What has no bytes is not sent.
    fn part(&self, parcels: &[Parcel]) -> Vec<(By, Parcel)> {
        let chunks = self.last_chunks();
        let takes = |mailbox: &Option<Arc<dyn BackendMailbox>>, lengths: &[usize]| {
            mailbox.as_ref().is_some_and(|mailbox| mailbox.takes(lengths))
        };
        let way_to = |other: usize| {
            let of_rank = parcels.iter().filter(|(known, _)| *known == other);
            let lengths: Vec<usize> = of_rank.map(|(_, memory)| memory.bytes()).collect();
            match () {
                () if takes(&self.words, &lengths) => By::Words,
                () if takes(&chunks, &lengths) => By::Chunks,
                () => By::Far,
            }
        };
        let is_sent = |(_, memory): &&Parcel| !memory.is_empty();
        parcels.iter().filter(is_sent).map(|parcel| (way_to(parcel.0), parcel.clone())).collect()
    }
}

/// A mailbox that those of all ranks reach and that reaches them, or why there is none. Collective.
fn connected(
    comm: &Comm,
    made: Result<Arc<dyn BackendMailbox>>,
) -> Result<std::result::Result<Arc<dyn BackendMailbox>, String>> {
    let made = made.and_then(|mailbox| Ok((mailbox.address()?, mailbox)));
    let (address, mailbox) = match comm.all_succeed(made) {
        Ok(made) => made,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let addresses = comm.all_gather(&address)?;
    let connected = comm.all_succeed(mailbox.connect(comm.rank(), &addresses));
    Ok(connected.map(|()| mailbox).map_err(|error| error.to_string()))
}

/// The lengths of the messages to each rank.
fn by_rank(exchange: &[Length]) -> impl Iterator<Item = Vec<usize>> {
    let mut lengths: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (other, bytes) in exchange {
        lengths.entry(*other).or_default().push(*bytes);
    }
    lengths.into_values()
}

fn messages(parcels: &[Parcel]) -> Vec<MailMessage> {
    let message = |(other, memory): &Parcel| MailMessage {
        other: *other,
        address: memory.ptr() as usize as u64,
        bytes: memory.bytes(),
    };
    parcels.iter().map(message).collect()
}

/// The variable by which messages are not stored into the neighbours' memory: `off`.
const STORES_VARIABLE: &str = "FERROCCA_STORES";

/// A link, or why there is none.
pub(crate) type Linked = std::result::Result<Arc<dyn Link>, String>;

/// What a rank says of its device: that it has a link already, or what one can be made of, or why not.
const KNOWN: &str = "known";
const ABLE: &str = "able ";
const UNABLE: &str = "unable ";

impl Comm {
    /// The link of a device: the same kind on every rank, or none and why. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`].
    pub(crate) fn link(&self, device: &Device) -> Result<Linked> {
        let known = self.known_link(device);
        let own = match (&known, nccl::description(device)) {
            (Some(_), _) => KNOWN.to_owned(),
            (None, Ok(description)) => format!("{ABLE}{description}"),
            (None, Err(reason)) => format!("{UNABLE}{reason}"),
        };
        let all: Vec<String> =
            self.all_gather(own.as_bytes())?.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
        if let Some(known) = known.filter(|_| all.iter().all(|text| text == KNOWN)) {
            return Ok(Ok(known));
        }
        let refused = all.iter().enumerate().find_map(|(rank, text)| Some((rank, text.strip_prefix(UNABLE)?)));
        if let Some((rank, reason)) = refused {
            return Ok(Err(format!("rank {rank}: {reason}")));
        }
        let descriptions: Vec<&str> = all.iter().filter_map(|text| text.strip_prefix(ABLE)).collect();
        if descriptions.len() < all.len() {
            return Ok(Err("some ranks have another device than before".to_owned()));
        }
        if let Err(reason) = nccl::fit(&descriptions) {
            return Ok(Err(reason));
        }
        let made = match nccl::Nccl::start(self, device)? {
            Ok(far) => Arc::new(Near::beside(self, device, far)?) as Arc<dyn Link>,
            Err(reason) => return Ok(Err(reason)),
        };
        self.keep_link(device, made.clone());
        Ok(Ok(made))
    }
}

#[cfg(test)]
mod tests;
