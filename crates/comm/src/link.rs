//! What carries messages from device to device beside the transport: a [`Link`], which queues them on the device's streams, so
//! that no host waits and a recorded loop is one graph.
//!
//! A transport says who the ranks are, carries what hosts tell each other, and learns who has failed. A link can do none of
//! that. Ranks agree on one for each device: all of them have it, or none.

use crate::comm::Comm;
use crate::nccl;
use ferrocca_core::backend::{BackendMailbox, MailMessage};
use ferrocca_core::{AnyMemory, Device, Error, Result};
use std::sync::{Arc, Weak};

/// A message of a link: the other rank, and the memory.
pub(crate) type Parcel = (usize, AnyMemory);

/// Carries messages between the devices of all ranks.
pub(crate) trait Link: Send + Sync {
    /// `NCCL 2.27.3`
    fn name(&self) -> &str;

    /// Queues messages on a stream of the device, given by its native handle, as one step in which none waits for another.
    /// Those between two ranks arrive in the order in which both name them. The memory lives until they are done.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`], also where another rank has failed.
    fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()>;

    /// Why nothing is sent any more.
    fn failure(&self) -> Option<Error> {
        None
    }

    /// Ends with this link's messages what waits in a mailbox.
    fn watch(&self, _mailbox: Weak<dyn BackendMailbox>) {}
}

/// Small messages by stores into the neighbours' memory where that is possible, the others by another link.
struct Near {
    mailbox: Option<Arc<dyn BackendMailbox>>,
    far: Arc<dyn Link>,
    name: String,
    device: Device,
}

impl Drop for Near {
    fn drop(&mut self) {
        // What waits for a rank that will not come does not hold up the end.
        let is_done = || self.device.finish_within(nccl::LAST_WORK).unwrap_or(false);
        if let Some(mailbox) = &self.mailbox
            && (self.failure().is_some() || !is_done())
        {
            mailbox.end();
        }
    }
}

impl Link for Near {
    fn name(&self) -> &str {
        &self.name
    }

    fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        let [small_sends, large_sends] = self.part(sends);
        let [small_receives, large_receives] = self.part(receives);
        if !(large_sends.is_empty() && large_receives.is_empty()) {
            self.far.exchange(stream, &large_sends, &large_receives)?;
        } else if let Some(error) = self.far.failure() {
            return Err(error);
        }
        match &self.mailbox {
            Some(mailbox) if !(small_sends.is_empty() && small_receives.is_empty()) => {
                let [room, _] = mailbox.room();
                mailbox.exchange(stream, &pieces(&small_sends, room), &pieces(&small_receives, room))
            }
            _ => Ok(()),
        }
    }

    fn failure(&self) -> Option<Error> {
        self.far.failure()
    }
}

impl Near {
    /// A link with mailboxes of all ranks beside it, or without and why. Collective.
    fn beside(comm: &Comm, device: &Device, far: Arc<dyn Link>) -> Result<Self> {
        let (mailbox, name) = match Self::mailboxes(comm, device)? {
            Ok(mailbox) => {
                far.watch(Arc::downgrade(&mailbox));
                (Some(mailbox), format!("stores and {}", far.name()))
            }
            Err(reason) => (None, format!("{} without stores ({reason})", far.name())),
        };
        Ok(Self { mailbox, far, name, device: device.clone() })
    }

    /// A mailbox that those of all ranks reach and that reaches them, or why there is none. Collective.
    fn mailboxes(comm: &Comm, device: &Device) -> Result<std::result::Result<Arc<dyn BackendMailbox>, String>> {
        let is_off = std::env::var(STORES_VARIABLE).is_ok_and(|text| text == "off");
        let made = match is_off {
            true => Err(Error::invalid(format!("{STORES_VARIABLE}=off"))),
            false => device.backend().create_mailbox(comm.size()),
        };
        let made = made.and_then(|mailbox| Ok((mailbox.address()?, mailbox)));
        let (address, mailbox) = match comm.all_succeed(made) {
            Ok(made) => made,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let addresses = comm.all_gather(&address)?;
        let connected = comm.all_succeed(mailbox.connect(comm.rank(), &addresses));
        Ok(connected.map(|()| mailbox).map_err(|error| error.to_string()))
    }

    /// Messages that a mailbox takes, and the others: all of those from one rank to another, or none, because both ways take
    /// longer than either. Both ranks part them alike.
    fn part(&self, parcels: &[Parcel]) -> [Vec<Parcel>; 2] {
        let [room, lanes] = self.mailbox.as_ref().map_or([1, 0], |mailbox| mailbox.room());
        let mut parts: [Vec<Parcel>; 2] = [Vec::new(), Vec::new()];
        for (other, memory) in parcels.iter().filter(|(_, memory)| !memory.is_empty()) {
            let lanes_of = |(known, memory): &Parcel| if known == other { memory.bytes().div_ceil(room) } else { 0 };
            let is_large = parcels.iter().map(lanes_of).sum::<usize>() > lanes;
            parts[usize::from(is_large)].push((*other, memory.clone()));
        }
        parts
    }
}

/// Messages of a mailbox, each of at most `room` bytes.
fn pieces(parcels: &[Parcel], room: usize) -> Vec<MailMessage> {
    let of_parcel = |(other, memory): &Parcel| {
        let (other, begin, all) = (*other, memory.ptr() as usize as u64, memory.bytes());
        let piece = move |at: usize| MailMessage { other, address: begin + at as u64, bytes: room.min(all - at) };
        (0..all).step_by(room).map(piece)
    };
    parcels.iter().flat_map(of_parcel).collect()
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
mod tests {
    use super::*;
    use crate::{Grid, Operation, RecordExchange, SharedNodes, Way, group};
    use ferrocca_backend_cpu as _;
    use ferrocca_core::{Kernel, Memory, args};
    use std::collections::{HashMap, VecDeque};
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    /// Messages under way, by sender and receiver.
    #[derive(Default)]
    struct Wires {
        messages: Mutex<HashMap<[usize; 2], VecDeque<Vec<u8>>>>,
        changed: Condvar,
    }

    /// A link of devices whose work is done at once.
    struct Wire {
        rank: usize,
        wires: Arc<Wires>,
    }

    impl Link for Wire {
        fn name(&self) -> &str {
            "wires"
        }

        fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
            assert_eq!(stream, 0, "processors have no native streams");
            for (other, memory) in sends {
                let mut bytes = vec![0; memory.bytes()];
                memory.copy_to_bytes(&mut bytes)?;
                self.wires.messages.lock().unwrap().entry([self.rank, *other]).or_default().push_back(bytes);
                self.wires.changed.notify_all();
            }
            for (other, memory) in receives {
                let messages = self.wires.messages.lock().unwrap();
                let is_missing = |messages: &mut HashMap<[usize; 2], VecDeque<Vec<u8>>>| {
                    messages.get(&[*other, self.rank]).is_none_or(VecDeque::is_empty)
                };
                let limit = Duration::from_secs(30);
                let (mut messages, waited) =
                    self.wires.changed.wait_timeout_while(messages, limit, is_missing).unwrap();
                assert!(!waited.timed_out(), "rank {} waits for rank {other}", self.rank);
                let bytes = messages.get_mut(&[*other, self.rank]).and_then(VecDeque::pop_front).unwrap();
                drop(messages);
                memory.clone().copy_from_bytes(&bytes)?;
            }
            Ok(())
        }
    }

    const STEP: &str = "@kernel void step(const int rows, const int columns, const double *u, double *v) {
      for (int r = 1; r < rows - 1; ++r; @outer) {
        for (int c = 1; c < columns - 1; ++c; @inner) {
          const int i = r * columns + c;
          v[i] = 0.5 * u[i] + 0.1 * u[i - 1] + 0.15 * u[i + 1] + 0.05 * u[i - columns] + 0.2 * u[i + columns];
        }
      }
    }";

    /// Values of a 9 × 12 grid after some steps of `ranks`, on rank 0, and how often the host had work to do in a step.
    fn run(ranks: usize, is_linked: bool, recorded: bool) -> (Vec<f64>, usize, String) {
        let wires = Arc::new(Wires::default());
        let outcomes = group(ranks, |comm| {
            let device = Device::open("mode=Serial")?;
            if is_linked {
                comm.keep_link(&device, Arc::new(Wire { rank: comm.rank(), wires: wires.clone() }));
            }
            let grid = Grid::new(comm, &[9, 12], 1)?.periodic(&[true, true])?;
            let layout = grid.centred();
            let kernel: Kernel = device.build_kernel_from_string(STEP, "step", ())?;
            let all: Vec<f64> = (0..9 * 12).map(|i| f64::from(i * i % 37)).collect();
            let mut u: Memory<f64> = device.malloc_filled(layout.len(), 0.0)?;
            let mut v = device.malloc_filled(layout.len(), 0.0)?;
            grid.scatter(&all, &mut u)?;
            let mut plan = grid.plan(&[&mut u])?;
            if is_linked && ranks > 1 {
                assert!(plan.measured().iter().any(|(way, _)| *way == Way::DeviceToDevice), "{plan}");
                plan = plan.by(Way::DeviceToDevice);
            }
            let sizes = [layout.extent(1) as i32, layout.extent(2) as i32];
            let mut host_steps = 0;
            if recorded {
                let mut graph = device.record(|r| {
                    r.exchange(&plan, &mut [&mut u])?;
                    r.launch(&kernel, args![sizes[0], sizes[1], &u, &mut v])?;
                    r.rotate([&u, &v])
                })?;
                host_steps = graph.host_steps();
                graph.replay_rotating(7, [&mut u, &mut v])?;
            } else {
                for _ in 0..7 {
                    plan.exchange(&mut [&mut u])?;
                    kernel.launch(args![sizes[0], sizes[1], &u, &mut v])?;
                    u.swap(&mut v);
                }
            }
            Ok((grid.gather(&u)?, host_steps, plan.to_string()))
        });
        let (values, host_steps, text) = outcomes.unwrap().swap_remove(0);
        (values.unwrap(), host_steps, text)
    }

    #[test]
    fn linked_ranks_have_the_bits_of_one_and_one_graph() {
        let (expected, ..) = run(1, false, false);
        assert!(expected.iter().any(|value| *value != expected[0]));
        for ranks in [2, 3, 4] {
            for recorded in [false, true] {
                let (values, host_steps, text) = run(ranks, true, recorded);
                assert!(values == expected, "{ranks} ranks, recorded: {recorded}");
                assert_eq!(host_steps, 0);
                assert!(text.contains(", from device to device by wires, "), "{text}");
                assert!(text.contains("; by way of the host "), "{text}");
                let (values, host_steps, _) = run(ranks, false, recorded);
                assert!(values == expected, "{ranks} ranks without a link, recorded: {recorded}");
                assert_eq!(host_steps, usize::from(recorded));
            }
        }
    }

    #[test]
    fn shared_nodes_are_combined_by_links() {
        let combined = |ranks: usize, is_linked: bool| {
            let wires = Arc::new(Wires::default());
            let outcomes = group(ranks, |comm| {
                let device = Device::open("mode=Serial")?;
                if is_linked {
                    comm.keep_link(&device, Arc::new(Wire { rank: comm.rank(), wires: wires.clone() }));
                }
                let own = 30 * comm.rank() / ranks..30 * (comm.rank() + 1) / ranks;
                let numbers: Vec<u64> = own.clone().map(|i| (i * i % 13) as u64).collect();
                let nodes = SharedNodes::new(comm, &device, &numbers)?;
                let mut field = device.malloc_from(&own.map(|i| 1.0 / (3.0 + i as f64)).collect::<Vec<_>>())?;
                nodes.combine(Operation::Sum, &mut field)?;
                field.to_vec()
            });
            outcomes.unwrap().concat()
        };
        let expected = combined(1, false);
        assert!(combined(3, false) == expected && combined(3, true) == expected && combined(4, true) == expected);
    }

    /// A mailbox of three messages of eight bytes between two ranks, on wires of its own.
    struct Box8(Wire);

    impl BackendMailbox for Box8 {
        fn room(&self) -> [usize; 2] {
            [8, 3]
        }
        fn address(&self) -> Result<Vec<u8>> {
            Ok(Vec::new())
        }
        fn connect(&self, _: usize, _: &[Vec<u8>]) -> Result<()> {
            Ok(())
        }
        fn exchange(&self, stream: u64, sends: &[MailMessage], receives: &[MailMessage]) -> Result<()> {
            assert!(sends.iter().chain(receives).all(|message| message.bytes <= 8));
            let device = Device::open("mode=Serial")?;
            let parcels = |all: &[MailMessage]| -> Result<Vec<Parcel>> {
                let memory = |message: &MailMessage| {
                    let handle = ferrocca_core::backend::NativeHandle::host(message.address);
                    // SAFETY: a message of memory that lives.
                    #[allow(unsafe_code)]
                    let memory = unsafe { device.wrap_memory::<u8>(handle, message.bytes) }?;
                    Ok((message.other, memory.into_untyped()))
                };
                all.iter().map(memory).collect()
            };
            self.0.exchange(stream, &parcels(sends)?, &parcels(receives)?)
        }
        fn end(&self) {}
    }

    #[test]
    fn messages_are_parted_alike_on_both_sides() {
        let (near, far) = (Arc::new(Wires::default()), Arc::new(Wires::default()));
        let outcomes = group(2, |comm| {
            let device = Device::open("mode=Serial")?;
            let wire = |wires: &Arc<Wires>| Wire { rank: comm.rank(), wires: wires.clone() };
            let mailbox: Arc<dyn BackendMailbox> = Arc::new(Box8(wire(&near)));
            let link =
                Near { mailbox: Some(mailbox), far: Arc::new(wire(&far)), name: String::new(), device: device.clone() };
            let other = 1 - comm.rank();
            let parcels = |first: u8, sizes: &[usize]| -> Result<Vec<Parcel>> {
                let parcel = |(at, size): (usize, &usize)| {
                    let values: Vec<u8> = (0..*size).map(|i| first.wrapping_add((10 * at + i) as u8)).collect();
                    Ok((other, device.malloc_from(&values)?.into_untyped()))
                };
                sizes.iter().enumerate().map(parcel).collect()
            };
            let own = comm.rank() as u8 * 100;
            let (mut sent, mut received) = (Vec::new(), Vec::new());
            // Two pieces and one; nothing of no bytes; too much for a mailbox; more messages than it takes.
            for sizes in [&[9, 0, 3][..], &[25], &[1, 2, 7, 8], &[8]] {
                let (some, into) = (parcels(own, sizes)?, parcels(200, sizes)?);
                for _ in 0..3 {
                    link.exchange(0, &some, &into)?;
                }
                sent.extend(some);
                received.extend(into);
            }
            let by_mail = near.messages.lock().unwrap().len();
            assert!(by_mail > 0 && !far.messages.lock().unwrap().is_empty(), "both ways are taken");
            let bytes = |(_, memory): &Parcel| {
                let mut bytes = vec![0; memory.bytes()];
                memory.copy_to_bytes(&mut bytes).map(|()| bytes)
            };
            let [sent, received] = [sent, received].map(|all| all.iter().map(bytes).collect::<Result<Vec<_>>>());
            Ok((sent?, received?))
        });
        let [(sent_by_0, received_by_0), (sent_by_1, received_by_1)] = outcomes.unwrap().try_into().expect("two ranks");
        assert!(sent_by_0 == received_by_1 && sent_by_1 == received_by_0 && sent_by_0 != sent_by_1);
    }

    #[test]
    fn a_link_is_for_all_ranks_or_none() {
        let wires = Arc::new(Wires::default());
        let reasons = group(2, |comm| {
            let device = Device::open("mode=Serial")?;
            if comm.rank() == 1 {
                comm.keep_link(&device, Arc::new(Wire { rank: 1, wires: wires.clone() }));
            }
            Ok(comm.link(&device)?.err())
        });
        let expected = "rank 0: a device of mode `Serial` is none of NCCL's";
        assert_eq!(reasons.unwrap(), [Some(expected.to_owned()), Some(expected.to_owned())]);
    }

    #[test]
    fn ranks_with_one_gpu_or_other_libraries_are_not_linked() {
        assert_eq!(nccl::fit(&["2.27.3 aa", "2.27.3 bb"]), Ok(()));
        assert_eq!(nccl::fit(&["2.27.3 aa", "2.27.3 bb", "2.27.3 aa"]), Err("ranks 0 and 2 have one GPU".to_owned()));
        assert_eq!(nccl::fit(&["2.27.3 aa", "2.26.2 bb"]), Err("rank 0 has NCCL 2.27.3, rank 1 has 2.26.2".to_owned()));
    }
}
