//! What every transport must pass: [`suite`], called by all ranks of a group.

use crate::comm::Comm;
use crate::transport::{Buffer, Operation, failure};
use ferrocca_core::{AnyMemory, Device, Result};
use std::time::{Duration, Instant};

type Case = fn(&Comm) -> Result<()>;

/// Checks a transport. Collective. `device` is one of this rank whose memory the transport may take in place; none is needed.
/// # Errors
/// What it finds wrong, on the rank that finds it; [`ferrocca_core::ErrorKind::Communication`].
pub fn suite(comm: &Comm, device: Option<&Device>) -> Result<()> {
    let cases: &[(&str, Case)] = &[
        ("the ranks are numbered", ranks),
        ("messages of one tag keep their order", order),
        ("messages may be waited for in any order", any_order),
        ("a rank sends to itself", to_itself),
        ("both send before they receive", both_send),
        ("messages of no bytes and of many arrive", sizes),
        ("collective calls agree", collective),
        ("all-reduce has the bits of its tree", reduction),
        ("all-gather keeps the ranks apart", gathering),
    ];
    for (name, case) in cases {
        case(comm).and_then(|()| comm.barrier()).map_err(|error| error.while_doing(format!("case `{name}`")))?;
    }
    if let Some(device) = device {
        in_place(comm, device).map_err(|error| error.while_doing("case `memory of a device`"))?;
    }
    comm.barrier()
}

/// Checks that a rank that waits for a message that nobody sends gives up in time. Collective; what the transport does with
/// later messages is not said, so this comes last.
/// # Errors
/// Where the rank waits longer than twice the limit and a second, or gets a message.
pub fn limit(comm: &Comm, limit: Duration) -> Result<()> {
    let before = comm.limit();
    comm.set_limit(limit);
    let (start, next) = (Instant::now(), (comm.rank() + 1) % comm.size());
    let outcome = comm.receive(next, 9, 8);
    let elapsed = start.elapsed();
    comm.set_limit(before);
    check(outcome.is_err(), || "a message arrived that nobody sent".into())?;
    check(elapsed < 2 * limit + Duration::from_secs(1), || format!("it waited {elapsed:?} with a limit of {limit:?}"))
}

fn check(holds: bool, what: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(failure(what())) }
}

fn neighbours(comm: &Comm) -> (usize, usize) {
    let (rank, size) = (comm.rank(), comm.size());
    ((rank + size - 1) % size, (rank + 1) % size)
}

fn ranks(comm: &Comm) -> Result<()> {
    let (rank, size) = (comm.rank(), comm.size());
    check(rank < size, || format!("rank {rank} of {size}"))?;
    let all = comm.all_gather(&(rank as u64).to_le_bytes())?;
    let expected: Vec<_> = (0..size as u64).map(|rank| rank.to_le_bytes().to_vec()).collect();
    check(all == expected, || format!("the ranks are {all:?}"))?;
    check(comm.transport().send(size, 3, Buffer::Host(vec![1])).is_err(), || "a rank that is not there".into())
}

fn order(comm: &Comm) -> Result<()> {
    let (before, after) = neighbours(comm);
    let transport = comm.transport();
    let sends = (0..100_u8).map(|number| transport.send(after, 3, Buffer::Host(vec![number; 5])));
    let sends = sends.collect::<Result<Vec<_>>>()?;
    for number in 0..100 {
        let got = comm.receive(before, 3, 5)?;
        check(got == [number; 5], || format!("message {number} is {got:?}"))?;
    }
    sends.into_iter().try_for_each(|request| comm.wait(request, after).map(drop))
}

fn any_order(comm: &Comm) -> Result<()> {
    let (before, after) = neighbours(comm);
    let transport = comm.transport();
    let expect = |tag| transport.receive(before, tag, Buffer::Host(vec![0; 4]));
    let (first, second) = (expect(3)?, expect(4)?);
    let send = |tag: u8| transport.send(after, tag.into(), Buffer::Host(vec![tag; 4]));
    let sends = [send(3)?, send(4)?];
    for (request, tag) in [(second, 4), (first, 3)] {
        let got = comm.wait(request, before)?.into_host()?;
        check(got == [tag; 4], || format!("the message with tag {tag} is {got:?}"))?;
    }
    sends.into_iter().try_for_each(|request| comm.wait(request, after).map(drop))
}

fn to_itself(comm: &Comm) -> Result<()> {
    let rank = comm.rank();
    let sent = comm.transport().send(rank, 5, Buffer::Host(vec![7, 8]))?;
    let got = comm.receive(rank, 5, 2)?;
    comm.wait(sent, rank)?;
    check(got == [7, 8], || format!("{got:?}"))
}

fn both_send(comm: &Comm) -> Result<()> {
    let (before, after) = neighbours(comm);
    let large = vec![comm.rank() as u8; 1 << 20];
    let sent = comm.transport().send(after, 6, Buffer::Host(large))?;
    let got = comm.receive(before, 6, 1 << 20)?;
    comm.wait(sent, after)?;
    check(got.iter().all(|byte| *byte == before as u8), || "a large message is damaged".into())
}

fn sizes(comm: &Comm) -> Result<()> {
    let (before, after) = neighbours(comm);
    for bytes in [0, 1, 255, 4096, 5_000_001] {
        let pattern = |rank: usize| (0..bytes).map(|index| (index * 7 + rank) as u8).collect::<Vec<u8>>();
        let sent = comm.transport().send(after, 7, Buffer::Host(pattern(comm.rank())))?;
        let got = comm.receive(before, 7, bytes)?;
        comm.wait(sent, after)?;
        check(got == pattern(before), || format!("a message of {bytes} bytes is damaged"))?;
    }
    Ok(())
}

fn collective(comm: &Comm) -> Result<()> {
    comm.agree("a text", "the same everywhere")?;
    if comm.size() > 1 {
        let text = if comm.rank() + 1 == comm.size() { "b" } else { "a" };
        let error = comm.agree("a letter", text).err().map(|error| error.to_string()).unwrap_or_default();
        let (last, host) = (comm.size() - 1, comm.host(comm.size() - 1));
        check(error.contains(&format!("rank {last} on {host}: b")), || format!("the disagreement reads `{error}`"))?;
    }
    let text = comm.broadcast(if comm.rank() == 0 { b"from 0".to_vec() } else { Vec::new() })?;
    check(text == b"from 0", || format!("broadcast: {text:?}"))
}

fn reduction(comm: &Comm) -> Result<()> {
    let value = |rank: usize| 1.0 / (rank as f64 + 0.7);
    fn tree(value: &dyn Fn(usize) -> f64, first: usize, size: usize, width: usize) -> f64 {
        if width == 1 {
            return value(first);
        }
        let lower = tree(value, first, size, width / 2);
        if first + width / 2 < size { lower + tree(value, first + width / 2, size, width / 2) } else { lower }
    }
    let expected = tree(&value, 0, comm.size(), comm.size().next_power_of_two());
    let mut values = [value(comm.rank()), comm.rank() as f64];
    comm.all_reduce(Operation::Sum, &mut values)?;
    check(values[0].to_bits() == expected.to_bits(), || format!("sum {} instead of {expected}", values[0]))?;
    let mut values = [comm.rank() as f64, -(comm.rank() as f64)];
    comm.all_reduce(Operation::Max, &mut values)?;
    check(values == [(comm.size() - 1) as f64, 0.0], || format!("maxima {values:?}"))?;
    let mut values = [if comm.rank() == comm.size() / 2 { f64::NAN } else { 1.0 }];
    comm.all_reduce(Operation::Min, &mut values)?;
    check(values[0].is_nan(), || format!("a NaN is lost: {values:?}"))
}

fn gathering(comm: &Comm) -> Result<()> {
    let own = vec![comm.rank() as u8; comm.rank() * 3];
    let all = comm.all_gather(&own)?;
    let expected: Vec<_> = (0..comm.size()).map(|rank| vec![rank as u8; rank * 3]).collect();
    check(all == expected, || format!("gathered {all:?}"))
}

/// Memory of a device in place, both ends and one end; a message of another length is an error and takes nothing with it.
fn in_place(comm: &Comm, device: &Device) -> Result<()> {
    let (before, after) = neighbours(comm);
    let transport = comm.transport();
    let source = device.malloc_from(&[comm.rank() as f64; 1000])?.into_untyped();
    let mut can = [if comm.capabilities().takes(&source) { 1.0 } else { 0.0 }];
    comm.all_reduce(Operation::Min, &mut can)?;
    if can[0] == 0.0 {
        return Ok(());
    }
    let target = device.malloc_filled(1000, -1.0)?;
    device.finish()?;
    let part = |memory: &AnyMemory| memory.slice(100..900);
    let request = transport.receive(before, 8, Buffer::Memory(part(target.untyped())?))?;
    let sent = transport.send(after, 8, Buffer::Memory(part(&source)?))?;
    comm.wait(request, before)?;
    comm.wait(sent, after)?;
    let mut expected = vec![before as f64; 1000];
    expected[..100].fill(-1.0);
    expected[900..].fill(-1.0);
    check(target.to_vec()? == expected, || "memory of a device is damaged".into())?;
    let sent = transport.send(after, 8, Buffer::Memory(source.slice(0..1)?))?;
    let got = comm.receive(before, 8, 8)?;
    comm.wait(sent, after)?;
    check(got == (before as f64).to_le_bytes(), || format!("memory of a device to the host: {got:?}"))
}
