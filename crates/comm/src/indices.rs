//! Exchanges on grids without structure: elements by their indices, and values at nodes that several elements have.
//!
//! [`IndexPlan`] sends lists of elements; [`SharedNodes`] is the gather-scatter of finite and spectral elements: it combines
//! what all ranks have at a node, and gives the result to each. A rank's contributions to a node are sent as they are, and
//! combined everywhere in the same order, first those of the lowest rank, each in the order of its memory. So elements that are
//! dealt to ranks in order have the same bits on any number of them.

use crate::comm::Comm;
use crate::link::Linked;
use crate::pack;
use crate::reduce::{Reduce, operator};
use crate::transport::{Buffer, Operation, failure};
use ferrocca_core::{AnyMemory, DType, Device, Element, Error, Kernel, Memory, Result, args};
use std::collections::BTreeMap;

const SOURCE: &str = include_str!("../kernels/indices.okl");

/// Bytes of the largest element for whose messages a link makes room.
const LARGEST_ELEMENT: usize = 8;

/// Elements that go to another rank, or come from it: local indices, in the order of the message.
pub type RankIndices = (usize, Vec<usize>);

/// The exchange of listed elements of a field.
pub struct IndexPlan {
    comm: Comm,
    device: Device,
    len: usize,
    tag: u16,
    link: Linked,
    sends: Vec<(usize, Memory<i32>)>,
    receives: Vec<(usize, Memory<i32>)>,
}

impl IndexPlan {
    /// A plan for fields of `len` elements: which of them go to which rank, and where what comes of which rank is put. What a
    /// rank sends to another must be as many as that receives of it. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`] where two ranks do not agree on a number, with both;
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for an index that the field does not have, and fields of 2³¹ elements or more;
    /// [`ferrocca_core::ErrorKind::Invalid`] for a rank that does not exist or is named twice, or an element that is received
    /// twice.
    pub fn new(
        comm: &Comm,
        device: &Device,
        len: usize,
        sends: &[RankIndices],
        receives: &[RankIndices],
    ) -> Result<Self> {
        let own = check_len(len)
            .and_then(|()| check_indices(comm, len, sends, "sent to"))
            .and_then(|()| check_indices(comm, len, receives, "received of"))
            .and_then(|()| check_once(receives));
        comm.all_succeed(own)?;
        let counts = (0..comm.size()).map(|rank| {
            let list = sends.iter().find(|(other, _)| *other == rank);
            (list.map_or(0, |(_, list)| list.len()) as u64).to_le_bytes().to_vec()
        });
        let announced = comm.all_to_all(counts.collect())?;
        let mut outcome = Ok(());
        for (rank, bytes) in announced.iter().enumerate() {
            let sent = bytes.as_chunks().0.first().map_or(0, |chunk| u64::from_le_bytes(*chunk)) as usize;
            let expected = receives.iter().find(|(other, _)| *other == rank).map_or(0, |(_, list)| list.len());
            if sent != expected {
                let text =
                    format!("rank {rank} sends {sent} elements to rank {}, which expects {expected}", comm.rank());
                outcome = Err(failure(text));
            }
        }
        let lists = |lists: &[RankIndices]| {
            let kept = lists.iter().filter(|(_, list)| !list.is_empty());
            kept.map(|(rank, list)| Ok((*rank, device.malloc_from(&to_i32(list))?))).collect::<Result<Vec<_>>>()
        };
        let lists = outcome.and_then(|()| Ok((lists(sends)?, lists(receives)?)));
        let (sends, receives) = comm.all_succeed(lists)?;
        Self::of_lists(comm, device, len, sends, receives)
    }

    /// Collective.
    fn of_lists(
        comm: &Comm,
        device: &Device,
        len: usize,
        sends: Vec<(usize, Memory<i32>)>,
        receives: Vec<(usize, Memory<i32>)>,
    ) -> Result<Self> {
        let link = match comm.size() {
            1 => Err("there is one rank".to_owned()),
            _ => comm.link(device)?,
        };
        if let Ok(link) = &link {
            let lengths = sends.iter().map(|(rank, indices)| (*rank, indices.len() * LARGEST_ELEMENT));
            link.reserve(comm, &[lengths.collect()])?;
        }
        let (comm, device, tag) = (comm.clone(), device.clone(), comm.take_tags(1));
        Ok(Self { comm, device, len, tag, link, sends, receives })
    }

    /// Sends and receives the elements of a field. Collective. From device to device by NCCL where that links the ranks'; else
    /// by way of the host, unless the transport takes the device's memory.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for a field of another length, as [`Plan::exchange`](crate::Plan::exchange).
    pub fn exchange<T: Element>(&self, field: &mut Memory<T>) -> Result<()> {
        if field.len() != self.len {
            let (own, given) = (self.len, field.len());
            return Err(Error::out_of_bounds(format!("the plan is for fields of {own} elements, not of {given}")));
        }
        field.untyped().check_writable()?;
        let messages = self.trade(field)?;
        let scatter = self.device.build_kernel_from_string(SOURCE, "scatter", pack::props(T::DTYPE, self.len)?)?;
        for ((_, indices), message) in self.receives.iter().zip(messages) {
            scatter.launch(args![indices.len() as i32, indices, &message, &mut *field])?;
        }
        Ok(())
    }

    /// What comes of each rank, as memory of the device.
    fn trade<T: Element>(&self, field: &Memory<T>) -> Result<Vec<Memory<T>>> {
        let gather = self.device.build_kernel_from_string(SOURCE, "gather", pack::props(T::DTYPE, self.len)?)?;
        let gathered = |indices: &Memory<i32>| -> Result<AnyMemory> {
            let mut message = self.device.malloc::<T>(indices.len())?;
            gather.launch(args![indices.len() as i32, indices, field, &mut message])?;
            Ok(message.into_untyped())
        };
        if let Ok(link) = &self.link {
            let sends = self.sends.iter().map(|(rank, indices)| Ok((*rank, gathered(indices)?)));
            let sends = sends.collect::<Result<Vec<_>>>()?;
            let messages = self.receives.iter().map(|(_, indices)| self.device.malloc::<T>(indices.len()));
            let messages = messages.collect::<Result<Vec<_>>>()?;
            let ranks = self.receives.iter().map(|(rank, _)| *rank);
            let receives: Vec<_> = ranks.zip(messages.iter().map(|memory| memory.untyped().clone())).collect();
            self.comm.queue_linked(&self.device, |stream| link.exchange(stream, &sends, &receives))?;
            return Ok(messages);
        }
        let transport = self.comm.transport();
        let in_place = |memory: &Memory<T>| transport.capabilities().takes(memory.untyped());
        let mut expected = Vec::new();
        for (rank, indices) in &self.receives {
            let memory = self.device.malloc::<T>(indices.len())?;
            let buffer = match in_place(&memory) {
                true => Buffer::Memory(memory.untyped().clone()),
                false => Buffer::Host(vec![0; memory.bytes()]),
            };
            expected.push((*rank, memory, transport.receive(*rank, self.tag, buffer)?));
        }
        let mut sent = Vec::new();
        for (rank, indices) in &self.sends {
            let message = gathered(indices)?;
            let buffer = if transport.capabilities().takes(&message) {
                if !transport.capabilities().stream_ordered {
                    self.device.stream().finish()?;
                }
                Buffer::Memory(message)
            } else {
                let mut bytes = vec![0; message.bytes()];
                message.copy_to_bytes(&mut bytes)?;
                Buffer::Host(bytes)
            };
            sent.push((*rank, transport.send(*rank, self.tag, buffer)?));
        }
        let mut messages = Vec::new();
        for (rank, memory, request) in expected {
            if let Buffer::Host(bytes) = self.comm.wait(request, rank)? {
                memory.untyped().clone().copy_from_bytes(&bytes)?;
            }
            messages.push(memory);
        }
        for (rank, request) in sent {
            self.comm.wait(request, rank)?;
        }
        Ok(messages)
    }
}

/// The nodes of elements, of which several may be the same: on this rank and on others.
pub struct SharedNodes {
    plan: IndexPlan,
    /// Of the groups of equal nodes: where each begins in `places`.
    starts: Memory<i32>,
    places: Memory<i32>,
    groups: usize,
    received: usize,
}

impl SharedNodes {
    /// Nodes by their numbers: those with the same number are the same node, on all ranks. 0 is a node that nobody shares.
    /// Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for 2³¹ nodes or more on a rank; [`ferrocca_core::ErrorKind::Communication`];
    /// what allocating meets.
    pub fn new(comm: &Comm, device: &Device, numbers: &[u64]) -> Result<Self> {
        comm.all_succeed(check_len(numbers.len()))?;
        let mut own: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (index, number) in numbers.iter().enumerate().filter(|(_, number)| **number != 0) {
            own.entry(*number).or_default().push(index);
        }
        let sharers = sharers(comm, &own)?;
        // By rank the nodes that are shared with it, in the order of their numbers; the other rank has the same order.
        let mut sends: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        let mut places_of: BTreeMap<(u64, usize), (usize, usize)> = BTreeMap::new();
        for (number, ranks) in &sharers {
            for (rank, count) in ranks.iter().filter(|(rank, _)| *rank != comm.rank()) {
                sends.entry(*rank).or_default().extend(&own[number]);
                let before = counts.entry(*rank).or_default();
                places_of.insert((*number, *rank), (*before, *count));
                *before += count;
            }
        }
        // What is received stands rank after rank.
        let mut offsets = BTreeMap::new();
        let mut received = 0;
        for (rank, count) in &counts {
            offsets.insert(*rank, received);
            received += count;
        }
        let (mut starts, mut places) = (vec![0_i32], Vec::new());
        for (number, indices) in &own {
            match sharers.get(number) {
                Some(ranks) => {
                    for (rank, _) in ranks {
                        if *rank == comm.rank() {
                            places.extend(to_i32(indices));
                        } else {
                            let (first, count) = places_of[&(*number, *rank)];
                            let first = offsets[rank] + first;
                            places.extend((first..first + count).map(|place| -(place as i32) - 1));
                        }
                    }
                }
                None if indices.len() > 1 => places.extend(to_i32(indices)),
                None => continue,
            }
            starts.push(places.len() as i32);
        }
        let sends: Vec<RankIndices> = sends.into_iter().collect();
        // Nothing is put into the field: the messages stay apart.
        let lists = || {
            let to_device = |(rank, list): &RankIndices| Ok((*rank, device.malloc_from(&to_i32(list))?));
            let receive = |(rank, count): (&usize, &usize)| Ok((*rank, device.malloc_filled(*count, 0)?));
            let sends = sends.iter().map(to_device).collect::<Result<Vec<_>>>()?;
            let receives = counts.iter().map(receive).collect::<Result<Vec<_>>>()?;
            Ok((sends, receives, device.malloc_from(&starts)?, device.malloc_from(&places)?))
        };
        let (sends, receives, starts_memory, places) = comm.all_succeed(lists())?;
        let plan = IndexPlan::of_lists(comm, device, numbers.len(), sends, receives)?;
        Ok(Self { plan, groups: starts.len() - 1, starts: starts_memory, places, received })
    }

    /// Combines the values at each node that occurs more than once, and gives the result to all its occurrences. Collective.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for a field of another length, [`ferrocca_core::ErrorKind::Communication`],
    /// failures of the device.
    pub fn combine<T: Reduce>(&self, operation: Operation, field: &mut Memory<T>) -> Result<()> {
        let device = &self.plan.device;
        if field.len() != self.plan.len {
            let (own, given) = (self.plan.len, field.len());
            return Err(Error::out_of_bounds(format!("there are {own} nodes, the field has {given} elements")));
        }
        field.untyped().check_writable()?;
        let messages = self.plan.trade(field)?;
        let mut received = device.malloc::<T>(self.received.max(1))?;
        let mut at = 0;
        for message in &messages {
            received.copy_from_memory_at(at, message, 0, message.len())?;
            at += message.len();
        }
        if self.groups == 0 {
            return Ok(());
        }
        let kernel = kernel(device, T::DTYPE, self.plan.len, operation)?;
        kernel.launch(args![self.groups as i32, &self.starts, &self.places, &received, field])
    }

    /// Number of nodes of this rank that occur more than once, here or elsewhere.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// Ranks with which this one shares nodes.
    pub fn neighbours(&self) -> usize {
        self.plan.sends.len()
    }
}

fn kernel(device: &Device, dtype: DType, len: usize, operation: Operation) -> Result<Kernel> {
    let props = pack::props(dtype, len)?.define("OPERATOR", operator(operation));
    device.build_kernel_from_string(SOURCE, "combine_groups", props)
}

/// Of each of this rank's numbers that others have too: all ranks that have it, in order, and how often.
///
/// Each number has a rank that keeps its list, so that nobody needs all of them.
fn sharers(comm: &Comm, own: &BTreeMap<u64, Vec<usize>>) -> Result<BTreeMap<u64, Vec<(usize, usize)>>> {
    let size = comm.size() as u64;
    let mut asked = vec![Vec::new(); comm.size()];
    for (number, indices) in own {
        asked[(number % size) as usize].extend([*number, indices.len() as u64]);
    }
    let to_bytes = |lists: Vec<Vec<u64>>| -> Vec<Vec<u8>> {
        lists.iter().map(|list| list.iter().flat_map(|value| value.to_le_bytes()).collect()).collect()
    };
    let to_numbers =
        |bytes: &[u8]| -> Vec<u64> { bytes.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect() };
    let mut kept: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
    for (rank, bytes) in comm.all_to_all(to_bytes(asked))?.iter().enumerate() {
        for entry in to_numbers(bytes).chunks_exact(2) {
            kept.entry(entry[0]).or_default().push((rank, entry[1] as usize));
        }
    }
    // To each rank that has a number: the number, how many ranks have it, and each with its count.
    let mut answers = vec![Vec::new(); comm.size()];
    for (number, ranks) in kept.iter().filter(|(_, ranks)| ranks.len() > 1) {
        for (rank, _) in ranks {
            answers[*rank].extend([*number, ranks.len() as u64]);
            answers[*rank].extend(ranks.iter().flat_map(|(rank, count)| [*rank as u64, *count as u64]));
        }
    }
    let mut found = BTreeMap::new();
    for bytes in comm.all_to_all(to_bytes(answers))? {
        let mut numbers = to_numbers(&bytes).into_iter();
        while let (Some(number), Some(ranks)) = (numbers.next(), numbers.next()) {
            let pair = |_| Some((numbers.next()? as usize, numbers.next()? as usize));
            found.insert(number, (0..ranks).map_while(pair).collect());
        }
    }
    Ok(found)
}

fn check_len(len: usize) -> Result<()> {
    match i32::try_from(len) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::out_of_bounds(format!("{len} elements: indices of a rank are counted in 31 bits"))),
    }
}

fn check_indices(comm: &Comm, len: usize, lists: &[RankIndices], what: &str) -> Result<()> {
    for (number, (rank, list)) in lists.iter().enumerate() {
        if *rank >= comm.size() {
            return Err(Error::invalid(format!("elements are {what} rank {rank} of {}", comm.size())));
        }
        if lists[..number].iter().any(|(other, _)| other == rank) {
            return Err(Error::invalid(format!("elements {what} rank {rank} are listed twice")));
        }
        if let Some(index) = list.iter().find(|index| **index >= len) {
            return Err(Error::out_of_bounds(format!("element {index} is {what} rank {rank}, the field has {len}")));
        }
    }
    Ok(())
}

/// An element that two messages write would have the value of either.
fn check_once(receives: &[RankIndices]) -> Result<()> {
    let mut all: Vec<usize> = receives.iter().flat_map(|(_, list)| list.iter().copied()).collect();
    all.sort_unstable();
    match all.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::invalid(format!("element {} is received twice", pair[0]))),
        None => Ok(()),
    }
}

/// The caller has checked that they fit.
fn to_i32(indices: &[usize]) -> Vec<i32> {
    indices.iter().map(|index| *index as i32).collect()
}
