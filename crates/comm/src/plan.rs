//! The exchange of the halos of some fields: what goes where is decided once, and which way it goes is measured.
//!
//! Axes are exchanged one after the other, each with the ghosts that the axes before it have brought, so that edges and
//! corners arrive without messages of their own; or all at once, where nobody needs those ([`Grid::without_corners`]). All
//! fields travel in one message a neighbour. A box of one field whose elements lie side by side is sent from, and received in,
//! the field itself; any other is packed by a kernel.

use crate::grid::Grid;
use crate::layout::{AXES, Block, Layout};
use crate::link::Linked;
use crate::message::{Kind, Round, Transfer, round};
use crate::pack::{self, Packing, Queue};
use crate::transport::{Buffer, Operation, Request, failure};
use ferrocca_core::{AnyMemory, DType, Device, Element, Error, ErrorKind, Memory, Recorder, Result};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What an exchange takes: a [`Memory`] or an [`AnyMemory`].
pub trait Field {
    /// A handle of its memory.
    fn memory(&self) -> AnyMemory;
}

impl<T: Element> Field for Memory<T> {
    fn memory(&self) -> AnyMemory {
        self.untyped().clone()
    }
}

impl Field for AnyMemory {
    fn memory(&self) -> AnyMemory {
        self.clone()
    }
}

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The transport takes the device's memory.
    InPlace,
    /// By way of a buffer on the host.
    ViaHost,
    /// From device to device by NCCL, in the order of their streams: no host waits.
    DeviceToDevice,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InPlace => "in place",
            Self::ViaHost => "by way of the host",
            Self::DeviceToDevice => "from device to device",
        })
    }
}

/// The exchange of fields of given types and layouts on one device. A clone is another handle of the same plan.
///
/// Its `Display` says what is sent, which way, and how long a round of messages takes.
#[derive(Clone)]
pub struct Plan {
    inner: Arc<Inner>,
}

struct Inner {
    grid: Grid,
    device: Device,
    fields: Vec<Kind>,
    rounds: Vec<Round>,
    way: Way,
    /// What carries messages from device to device, or why nothing does.
    link: Linked,
    /// Of a round of all messages, the slowest rank's best of a few, by each way that there is.
    measured: Vec<(Way, Duration)>,
    /// Locked from start to finish.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By round: what is under way.
    requests: Vec<Pending>,
    /// Buffers on the host that are kept for the next exchange.
    spare: Vec<Vec<u8>>,
    is_under_way: bool,
}

#[derive(Default)]
struct Pending {
    receives: Vec<Request>,
    sends: Vec<Request>,
}

/// An exchange that has begun: [`finish`](Self::finish) ends it.
#[must_use = "an exchange is done only when it is finished"]
pub struct Exchange<'a> {
    plan: &'a Plan,
    fields: Vec<AnyMemory>,
}

/// Exchanges of each way that are timed.
const TRIALS: usize = 5;

impl Plan {
    /// The plan for fields of these layouts and types on a device of this rank. Collective.
    ///
    /// Each way that messages can go is tried a few times; all ranks take the one whose slowest rank is the fastest.
    /// # Errors
    /// [`ErrorKind::Communication`] on every rank where the ranks do not agree on the grid or the fields;
    /// [`ErrorKind::Unsupported`] for fields of structs; what allocating and building kernels meets, of any rank.
    pub fn new(grid: &Grid, device: &Device, fields: &[(Layout, DType)]) -> Result<Self> {
        let comm = grid.comm();
        let describe =
            |(layout, dtype): &(Layout, DType)| format!("{dtype} {:?}", &layout.global[AXES - layout.axes..]);
        let text = format!("{} with {}", grid.describe(), fields.iter().map(describe).collect::<Vec<_>>().join(", "));
        comm.agree("an exchange", &text)?;
        let mut plan = comm.all_succeed(Self::prepare(grid, device, fields))?;
        let mut messages =
            [plan.rounds.iter().map(|round| round.sends.len() + round.receives.len()).sum::<usize>() as f64];
        comm.all_reduce(Operation::Sum, &mut messages)?;
        if messages[0] > 0.0 {
            plan.link = comm.link(device)?;
            if let Ok(link) = &plan.link {
                let lengths = |round: &Round| round.sends.iter().map(|sent| (sent.other, sent.bytes)).collect();
                link.reserve(comm, &plan.rounds.iter().map(lengths).collect::<Vec<_>>())?;
            }
            plan.measure()?;
        }
        Ok(Self { inner: Arc::new(plan) })
    }

    fn prepare(grid: &Grid, device: &Device, fields: &[(Layout, DType)]) -> Result<Inner> {
        let kind = |(layout, dtype): &(Layout, DType)| {
            let packing = Packing::new(device, *dtype, layout.len())?;
            Ok(Kind { layout: *layout, dtype: *dtype, packing })
        };
        let fields = fields.iter().map(kind).collect::<Result<Vec<_>>>()?;
        let first_tag = grid.comm().take_tags(2 * AXES);
        let per_axis = (AXES - grid.axes()..AXES).map(|axis| round(grid, &fields, axis, first_tag + 2 * axis as u16));
        let mut rounds: Vec<Round> = match grid.has_corners() {
            true => per_axis.collect(),
            false => vec![per_axis.fold(Round::default(), |mut all, round| {
                all.sends.extend(round.sends);
                all.receives.extend(round.receives);
                all.moves.extend(round.moves);
                all
            })],
        };
        // A link has no tags: ranks name the messages between them in one order.
        for round in &mut rounds {
            round.sends.sort_by_key(|transfer| (transfer.other, transfer.tag));
            round.receives.sort_by_key(|transfer| (transfer.other, transfer.tag));
        }
        rounds.retain(|round| !(round.sends.is_empty() && round.receives.is_empty() && round.moves.is_empty()));
        for transfer in rounds.iter_mut().flat_map(|round| round.sends.iter_mut().chain(&mut round.receives)) {
            if !transfer.is_direct {
                transfer.staging = Some(device.malloc::<u8>(transfer.bytes)?.into_untyped());
            }
        }
        let state = State { requests: rounds.iter().map(|_| Pending::default()).collect(), ..State::default() };
        let (grid, device, state) = (grid.clone(), device.clone(), Mutex::new(state));
        let link = Err("nothing is sent".to_owned());
        Ok(Inner { grid, device, fields, rounds, way: Way::ViaHost, link, measured: Vec::new(), state })
    }

    /// The grid that it is of.
    pub fn grid(&self) -> &Grid {
        &self.inner.grid
    }

    /// Which way its messages go.
    pub fn way(&self) -> Way {
        self.inner.way
    }

    /// How long a round of messages takes by each way that was tried: of the slowest rank the best of a few. Empty where
    /// nothing is sent.
    pub fn measured(&self) -> &[(Way, Duration)] {
        &self.inner.measured
    }

    /// Bytes that this rank sends to other ranks in an exchange.
    pub fn bytes_sent(&self) -> usize {
        self.inner.rounds.iter().flat_map(|round| &round.sends).map(|transfer| transfer.bytes).sum()
    }

    /// Messages that this rank sends to other ranks in an exchange.
    pub fn messages_sent(&self) -> usize {
        self.inner.rounds.iter().map(|round| round.sends.len()).sum()
    }

    /// Exchanges the halos of fields, given in the order of the plan: afterwards the ghosts hold the values of the neighbours.
    /// Collective. Ordered with the work of the device's current stream; on devices of the host's own memory all is done when
    /// it returns.
    /// # Errors
    /// [`ErrorKind::Invalid`] for other fields than the plan is for; [`ErrorKind::Communication`] for a rank that has failed or
    /// does not answer within [`Comm::limit`](crate::Comm::limit); failures of the device.
    pub fn exchange<F: Field + ?Sized>(&self, fields: &mut [&mut F]) -> Result<()> {
        if self.inner.rounds.is_empty() {
            return self.inner.check(fields.iter().map(|field| field.memory()));
        }
        self.start(fields)?.finish()
    }

    /// Begins an exchange: what the neighbours need is sent. Until it is finished the ghosts are not to be used, and the
    /// elements that neighbours need not to be written.
    /// # Errors
    /// As [`exchange`](Self::exchange); [`ErrorKind::Invalid`] where the plan has one under way.
    pub fn start<F: Field + ?Sized>(&self, fields: &mut [&mut F]) -> Result<Exchange<'_>> {
        let fields: Vec<AnyMemory> = fields.iter().map(|field| field.memory()).collect();
        self.check(&fields)?;
        self.start_checked(fields)
    }

    fn start_checked(&self, fields: Vec<AnyMemory>) -> Result<Exchange<'_>> {
        let mut state = self.inner.lock();
        if std::mem::replace(&mut state.is_under_way, true) {
            return Err(Error::invalid("an exchange of this plan is under way: finish it first"));
        }
        if !self.inner.rounds.is_empty()
            && let Err(error) = self.inner.begin(&mut state, 0, &fields)
        {
            state.is_under_way = false;
            return Err(error.while_doing("exchanging halos"));
        }
        drop(state);
        Ok(Exchange { plan: self, fields })
    }

    /// As [`exchange`](Self::exchange), of fields that were checked before.
    pub(crate) fn exchange_checked(&self, fields: &[AnyMemory]) -> Result<()> {
        self.start_checked(fields.to_vec())?.finish()
    }

    /// Checks that the plan is for such fields.
    pub(crate) fn check(&self, fields: &[AnyMemory]) -> Result<()> {
        self.inner.check(fields.iter().cloned())
    }

    /// Whether it is for such fields.
    pub(crate) fn fits<F: Field + ?Sized>(&self, fields: &[&mut F]) -> bool {
        self.inner.check(fields.iter().map(|field| field.memory())).is_ok()
    }

    /// Whether nothing leaves the rank: an exchange is copies on its device.
    pub fn is_local(&self) -> bool {
        self.inner.rounds.iter().all(|round| round.sends.is_empty() && round.receives.is_empty())
    }

    /// The plan with another way, of those that are possible.
    #[cfg(test)]
    pub(crate) fn by(mut self, way: Way) -> Self {
        Arc::get_mut(&mut self.inner).expect("the only handle").way = way;
        self
    }

    /// Whether messages can go from device to device, so that an exchange is a part of a recorded graph.
    pub(crate) fn is_linked(&self) -> bool {
        self.inner.link.is_ok()
    }

    /// Records an exchange of a plan that [`is_linked`](Self::is_linked).
    pub(crate) fn record_linked(&self, recorder: &mut Recorder, fields: &[AnyMemory]) -> Result<()> {
        let inner = &self.inner;
        for (number, round) in inner.rounds.iter().enumerate() {
            inner.pack(&mut Queue::Recorded(recorder), round, fields)?;
            let memory = round.device_sides(fields)?;
            let memory: Vec<&AnyMemory> = memory.iter().collect();
            let (sent, received) = memory.split_at(round.sends.len());
            let [plan, sender] = [inner.clone(), inner.clone()];
            let mail = move |sent: &[AnyMemory], received: &[AnyMemory]| {
                let (sends, receives) = plan.rounds[number].parcels(sent, received);
                plan.link.as_ref().ok()?.mail(&sends, &receives)
            };
            recorder.messages(sent, received, mail, move |stream, sent, received| {
                sender.send_linked(&sender.rounds[number], stream, sent, received)
            })?;
            inner.queue_moves(&mut Queue::Recorded(recorder), round, fields)?;
            inner.unpack(&mut Queue::Recorded(recorder), round, fields)?;
        }
        Ok(())
    }

    /// The parts of some fields that an exchange reads and writes, and perhaps elements between those.
    pub(crate) fn touched(&self, fields: &[AnyMemory]) -> Result<(Vec<AnyMemory>, Vec<AnyMemory>)> {
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for round in &self.inner.rounds {
            for (transfers, parts) in [(&round.sends, &mut read), (&round.receives, &mut written)] {
                for transfer in transfers {
                    for (field, block) in fields.iter().zip(&transfer.blocks) {
                        parts.push(pack::stretch(field, *block)?);
                    }
                }
            }
            for (block, field, to) in &round.moves {
                read.push(pack::stretch(&fields[*field], *block)?);
                written.push(pack::stretch(&fields[*field], Block { base: *to, ..*block })?);
            }
        }
        Ok((read, written))
    }

    /// Queues the copies of an exchange that [`is_local`](Self::is_local).
    pub(crate) fn queue_local(&self, queue: &mut Queue<'_>, fields: &[AnyMemory]) -> Result<()> {
        self.inner.rounds.iter().try_for_each(|round| self.inner.queue_moves(queue, round, fields))
    }
}

impl Exchange<'_> {
    /// Waits for what the neighbours send and puts it into the ghosts.
    /// # Errors
    /// As [`Plan::exchange`].
    pub fn finish(self) -> Result<()> {
        let inner = &self.plan.inner;
        let mut state = inner.lock();
        let outcome = (0..inner.rounds.len()).try_for_each(|round| {
            if round > 0 {
                inner.begin(&mut state, round, &self.fields)?;
            }
            inner.end(&mut state, round, &self.fields)
        });
        state.is_under_way = false;
        outcome.map_err(|error| error.while_doing("exchanging halos"))
    }
}

impl fmt::Debug for Exchange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, under way", self.plan)
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, fields: impl ExactSizeIterator<Item = AnyMemory>) -> Result<()> {
        if fields.len() != self.fields.len() {
            return Err(Error::invalid(format!(
                "the plan exchanges {} fields, {} were given",
                self.fields.len(),
                fields.len()
            )));
        }
        for (number, (field, kind)) in fields.zip(&self.fields).enumerate() {
            if field.dtype() != kind.dtype || field.len() != kind.layout.len() {
                return Err(Error::invalid(format!(
                    "field {} of the plan is {} {}, {} {} were given",
                    number + 1,
                    kind.layout.len(),
                    kind.dtype,
                    field.len(),
                    field.dtype()
                )));
            }
            if field.device() != self.device {
                return Err(Error::new(ErrorKind::WrongDevice {
                    message: format!("field {} is of {:?}, the plan of {:?}", number + 1, field.device(), self.device),
                }));
            }
            field.check_writable()?;
        }
        Ok(())
    }

    /// Sends what this round sends.
    fn begin(&self, state: &mut State, round: usize, fields: &[AnyMemory]) -> Result<()> {
        let transport = self.grid.comm().transport();
        let round_index = round;
        let round = &self.rounds[round];
        self.pack(&mut Queue::Now, round, fields)?;
        if self.way == Way::DeviceToDevice {
            let memory = round.device_sides(fields)?;
            let (sent, received) = memory.split_at(round.sends.len());
            let queue = |stream| self.send_linked(round, stream, sent, received);
            self.grid.comm().queue_linked(&self.device, queue)?;
            return self.queue_moves(&mut Queue::Now, round, fields);
        }
        let pending = &mut state.requests[round_index];
        for transfer in &round.receives {
            let buffer = match self.way {
                Way::ViaHost => Buffer::Host(take(&mut state.spare, transfer.bytes)),
                _ => Buffer::Memory(transfer.device_side(fields)?),
            };
            pending.receives.push(transport.receive(transfer.other, transfer.tag, buffer)?);
        }
        if self.way == Way::InPlace && !round.sends.is_empty() && !self.grid.comm().capabilities().stream_ordered {
            self.device.stream().finish()?;
        }
        for transfer in &round.sends {
            let memory = transfer.device_side(fields)?;
            let buffer = match self.way {
                Way::ViaHost => {
                    let mut bytes = take(&mut state.spare, transfer.bytes);
                    memory.copy_to_bytes(&mut bytes)?;
                    Buffer::Host(bytes)
                }
                _ => Buffer::Memory(memory),
            };
            pending.sends.push(transport.send(transfer.other, transfer.tag, buffer)?);
        }
        self.queue_moves(&mut Queue::Now, round, fields)
    }

    /// Waits for what this round receives.
    fn end(&self, state: &mut State, round: usize, fields: &[AnyMemory]) -> Result<()> {
        let comm = self.grid.comm();
        let pending = std::mem::take(&mut state.requests[round]);
        let round = &self.rounds[round];
        // All are waited for, so that no message is left over for the next exchange.
        let mut outcome = Ok(());
        for (transfer, request) in round.receives.iter().zip(pending.receives) {
            let received = comm.wait(request, transfer.other).and_then(|buffer| {
                if let Buffer::Host(bytes) = buffer {
                    transfer.device_side(fields)?.copy_from_bytes(&bytes)?;
                    state.spare.push(bytes);
                }
                Ok(())
            });
            outcome = outcome.and(received);
            if let Err(error) = &outcome
                && matches!(error.kind(), ErrorKind::Communication { .. })
            {
                return outcome;
            }
        }
        if outcome.is_err() {
            for (transfer, request) in round.sends.iter().zip(pending.sends) {
                comm.wait(request, transfer.other)?;
            }
            return outcome;
        }
        self.unpack(&mut Queue::Now, round, fields)?;
        for (transfer, request) in round.sends.iter().zip(pending.sends) {
            if let Buffer::Host(bytes) = comm.wait(request, transfer.other)? {
                state.spare.push(bytes);
            }
        }
        Ok(())
    }

    fn pack(&self, queue: &mut Queue<'_>, round: &Round, fields: &[AnyMemory]) -> Result<()> {
        round.sends.iter().filter(|transfer| !transfer.is_direct).try_for_each(|transfer| {
            self.each_part(transfer, fields, |field, block, part| {
                self.fields[field].packing.pack(queue, block, &fields[field], part)
            })
        })
    }

    fn unpack(&self, queue: &mut Queue<'_>, round: &Round, fields: &[AnyMemory]) -> Result<()> {
        round.receives.iter().filter(|transfer| !transfer.is_direct).try_for_each(|transfer| {
            self.each_part(transfer, fields, |field, block, part| {
                self.fields[field].packing.unpack(queue, block, &fields[field], part)
            })
        })
    }

    /// Queues a round's messages.
    fn send_linked(&self, round: &Round, stream: u64, sent: &[AnyMemory], received: &[AnyMemory]) -> Result<()> {
        let link = self.link.as_ref().map_err(|reason| failure(reason.clone()))?;
        let (sends, receives) = round.parcels(sent, received);
        link.exchange(stream, &sends, &receives)
    }

    fn queue_moves(&self, queue: &mut Queue<'_>, round: &Round, fields: &[AnyMemory]) -> Result<()> {
        round
            .moves
            .iter()
            .filter(|(_, field, _)| !fields[*field].is_empty())
            .try_for_each(|(block, field, to)| self.fields[*field].packing.shift(queue, *block, *to, &fields[*field]))
    }

    /// Calls `work` with each field's number, box and part of the staging memory.
    fn each_part(
        &self,
        transfer: &Transfer,
        fields: &[AnyMemory],
        mut work: impl FnMut(usize, Block, &AnyMemory) -> Result<()>,
    ) -> Result<()> {
        // While ways are tried there are no fields.
        let Some(staging) = transfer.staging.as_ref().filter(|_| !fields[0].is_empty()) else { return Ok(()) };
        for (field, (block, offset)) in transfer.blocks.iter().zip(&transfer.offsets).enumerate() {
            let dtype = self.fields[field].dtype;
            let part = staging.slice(*offset..*offset + block.len() * dtype.bytes())?.cast(dtype)?;
            work(field, *block, &part)?;
        }
        Ok(())
    }

    /// Tries each way and takes the best. Collective.
    fn measure(&mut self) -> Result<()> {
        let comm = self.grid.comm().clone();
        // What is sent does not matter; fields are needed only where they are the messages.
        let is_used = self.rounds.iter().any(|round| round.sends.iter().chain(&round.receives).any(|t| t.is_direct));
        let scratch = self.fields.iter().map(|kind| {
            let len = if is_used { kind.layout.len() * kind.dtype.bytes() } else { 0 };
            self.device.malloc_filled::<u8>(len, 0)?.into_untyped().cast(kind.dtype)
        });
        let scratch = comm.all_succeed(scratch.collect::<Result<Vec<_>>>())?;
        let mut best: Option<(Way, Duration)> = None;
        for way in [Way::DeviceToDevice, Way::InPlace, Way::ViaHost] {
            self.way = way;
            let mut seconds = [self.time(&scratch, way)?];
            comm.all_reduce(Operation::Max, &mut seconds)?;
            let Ok(elapsed) = Duration::try_from_secs_f64(seconds[0]) else { continue };
            self.measured.push((way, elapsed));
            if best.is_none_or(|(_, least)| elapsed < least) {
                best = Some((way, elapsed));
            }
        }
        self.way = best.map(|(way, _)| way).ok_or_else(|| {
            Error::new(ErrorKind::Communication { message: "there is no way for a message of this device".into() })
        })?;
        Ok(())
    }

    /// Seconds of a round of all messages, the least of a few; infinite where this way cannot be gone. All ranks send what the
    /// others expect, whatever happens.
    fn time(&self, fields: &[AnyMemory], way: Way) -> Result<f64> {
        let comm = self.grid.comm();
        let capabilities = comm.capabilities();
        let transfers = || self.rounds.iter().flat_map(|round| round.sends.iter().chain(&round.receives));
        let is_possible = match way {
            Way::ViaHost => true,
            Way::InPlace => transfers().all(|t| t.device_side(fields).is_ok_and(|memory| capabilities.takes(&memory))),
            Way::DeviceToDevice => self.link.is_ok(),
        };
        let mut possible = [f64::from(u8::from(is_possible))];
        comm.all_reduce(Operation::Min, &mut possible)?;
        if possible[0] == 0.0 {
            return Ok(f64::INFINITY);
        }
        let mut least = f64::INFINITY;
        comm.barrier()?;
        for _ in 0..TRIALS {
            let mut state = self.lock();
            let start = Instant::now();
            let mut outcome = Ok(());
            for round in 0..self.rounds.len() {
                self.begin(&mut state, round, fields)?;
                let ended = self.end(&mut state, round, fields);
                outcome = outcome.and(ended);
            }
            self.device.finish()?;
            drop(state);
            let elapsed = start.elapsed().as_secs_f64();
            // Devices that do not reach each other's memory are no failure of the program.
            let mut succeeded = [match outcome.as_ref().map_err(Error::kind) {
                Ok(()) => 1.0,
                Err(ErrorKind::WrongDevice { .. } | ErrorKind::Unsupported { .. }) => 0.0,
                Err(_) => return outcome.map(|()| 0.0),
            }];
            comm.all_reduce(Operation::Min, &mut succeeded)?;
            if succeeded[0] == 0.0 {
                return Ok(f64::INFINITY);
            }
            least = least.min(elapsed);
        }
        Ok(least)
    }
}

/// A buffer of that many bytes, of those that are kept.
fn take(spare: &mut Vec<Vec<u8>>, bytes: usize) -> Vec<u8> {
    match spare.iter().position(|buffer| buffer.len() == bytes) {
        Some(index) => spare.swap_remove(index),
        None => vec![0; bytes],
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.inner.fields.len();
        let plural = if fields == 1 { "" } else { "s" };
        write!(f, "halo exchange of {fields} field{plural}")?;
        if self.is_local() {
            return f.write_str(": nothing leaves this rank");
        }
        let name = self.inner.grid.comm().capabilities().name;
        let (messages, bytes) = (self.messages_sent(), self.bytes_sent());
        write!(f, " by {name}: this rank sends {messages} messages, {bytes} bytes, {}", self.inner.way)?;
        let link = &self.inner.link;
        if let (Way::DeviceToDevice, Ok(link)) = (self.inner.way, link) {
            write!(f, " by {}", link.name())?;
        }
        let time = |way: Way| self.inner.measured.iter().find(|(tried, _)| *tried == way).map(|(_, time)| *time);
        if let Some(time) = time(self.inner.way) {
            write!(f, ", {time:.1?}")?;
        }
        let others = [Way::DeviceToDevice, Way::InPlace, Way::ViaHost].into_iter().filter(|way| *way != self.inner.way);
        let others: Vec<String> = others
            .filter_map(|way| match (time(way), way, link) {
                (Some(time), ..) => Some(format!("{way} {time:.1?}")),
                (None, Way::InPlace, _) => Some(format!("{way} is not possible")),
                // Nobody expects it of a processor.
                (None, Way::DeviceToDevice, Err(reason)) if self.inner.device.has_separate_memory_space() => {
                    Some(format!("{way} is not possible: {reason}"))
                }
                (None, ..) => None,
            })
            .collect();
        if others.is_empty() { Ok(()) } else { write!(f, " ({})", others.join("; ")) }
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
