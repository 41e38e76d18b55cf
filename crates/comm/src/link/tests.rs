//! Links on wires of this process, their messages parted by length, and rings of ranks that share a GPU.

use super::*;
use crate::{Grid, Operation, RecordExchange, SharedNodes, Way, group};
use ferrocca_backend_cpu as _;
use ferrocca_backend_cuda as _;
use ferrocca_core::{Element, IntoArg, Kernel, Memory, Props, args};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// Messages under way, by sender and receiver.
#[derive(Default)]
struct Wires {
    messages: Mutex<HashMap<[usize; 2], VecDeque<Vec<u8>>>>,
    changed: Condvar,
    sent: AtomicUsize,
}

impl Wires {
    fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }
}

/// A link of devices whose work is done at once.
struct Wire {
    rank: usize,
    wires: Arc<Wires>,
}

impl Link for Wire {
    fn name(&self) -> String {
        "wires".to_owned()
    }

    fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        assert_eq!(stream, 0, "processors have no native streams");
        for (other, memory) in sends {
            let mut bytes = vec![0; memory.bytes()];
            memory.copy_to_bytes(&mut bytes)?;
            self.wires.messages.lock().unwrap().entry([self.rank, *other]).or_default().push_back(bytes);
            self.wires.sent.fetch_add(1, Ordering::Relaxed);
            self.wires.changed.notify_all();
        }
        for (other, memory) in receives {
            let messages = self.wires.messages.lock().unwrap();
            let is_missing = |messages: &mut HashMap<[usize; 2], VecDeque<Vec<u8>>>| {
                messages.get(&[*other, self.rank]).is_none_or(VecDeque::is_empty)
            };
            let limit = Duration::from_secs(30);
            let (mut messages, waited) = self.wires.changed.wait_timeout_while(messages, limit, is_missing).unwrap();
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

/// A mailbox of some times eight bytes between two ranks, on wires of its own.
struct Box8(Wire, usize);

impl BackendMailbox for Box8 {
    fn takes(&self, lengths: &[usize]) -> bool {
        lengths.iter().map(|bytes| bytes.div_ceil(8)).sum::<usize>() <= self.1
    }
    fn address(&self) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }
    fn connect(&self, _: usize, _: &[Vec<u8>]) -> Result<()> {
        Ok(())
    }
    fn exchange(&self, stream: u64, sends: &[MailMessage], receives: &[MailMessage]) -> Result<()> {
        for list in [sends, receives] {
            assert!(self.takes(&list.iter().map(|message| message.bytes).collect::<Vec<_>>()));
        }
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
    let wires = [(); 3].map(|()| Arc::new(Wires::default()));
    let outcomes = group(2, |comm| {
        let device = Device::open("mode=Serial")?;
        let wire = |way: usize| Wire { rank: comm.rank(), wires: wires[way].clone() };
        let mailbox = |way: usize, eights: usize| -> Arc<dyn BackendMailbox> { Arc::new(Box8(wire(way), eights)) };
        let link = Near {
            words: Some(mailbox(0, 3)),
            chunks: RwLock::new(vec![mailbox(1, 6)]),
            far: Arc::new(wire(2)),
            reason: String::new(),
            no_room: OnceLock::new(),
            device: device.clone(),
        };
        assert_eq!(link.name(), "stores and wires");
        // What the mailboxes take needs no other one; that the device has no larger one is no error.
        link.reserve(comm, &[vec![(1 - comm.rank(), 24)]])?;
        assert_eq!(link.name(), "stores and wires");
        link.reserve(comm, &[vec![(1 - comm.rank(), 100)]])?;
        let reason = "stores and wires without room for larger ones (a mailbox is not supported: ";
        assert!(link.name().starts_with(reason), "{}", link.name());
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
        // By words; nothing of no bytes; by chunks, because they are long or many; neither.
        for (sizes, way) in [(&[9, 0, 3][..], 0), (&[25], 1), (&[1, 2, 7, 8], 1), (&[30, 19], 2), (&[8], 0)] {
            let before = wires.each_ref().map(|wires| wires.sent());
            let (some, into) = (parcels(own, sizes)?, parcels(200, sizes)?);
            for _ in 0..3 {
                link.exchange(0, &some, &into)?;
            }
            for (other, before) in before.into_iter().enumerate() {
                assert_eq!(wires[other].sent() > before, other == way, "{sizes:?}");
            }
            comm.barrier()?;
            sent.extend(some);
            received.extend(into);
        }
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

const ROW: &str = "@kernel void step(const int n, const TYPE c, const TYPE *u, TYPE *v) {
  for (int i = 1; i < n + 1; ++i; @tile(256, @outer, @inner)) {
    v[i] = u[i] + (TYPE)0.2 * (u[i + 1] - 2 * u[i] + u[i - 1]) - c * u[i] * (u[i + 1] - u[i - 1]);
  }
}";

/// Values of a ring after some steps on a GPU, on rank 0, and what is done in a pass through memory.
fn ring<T: Element + Default + From<f32> + IntoArg<'static>>(
    comm: &Comm,
    device: &Device,
    halo: usize,
) -> Result<(Option<Vec<T>>, String)> {
    let points = 70_001;
    let grid = Grid::new(comm, &[points], halo)?.periodic(&[true])?;
    let own = grid.extents()[0];
    let ty = T::DTYPE.scalar().expect("a number").okl_name();
    let kernel = device.build_kernel_from_string(ROW, "step", Props::new().define("TYPE", ty))?;
    let mut u: Memory<T> = device.malloc_filled(own + 2 * halo, T::default())?;
    let mut v = device.malloc_filled(own + 2 * halo, T::default())?;
    grid.scatter(&(0..points).map(|i| T::from((i * i % 97) as f32 / 97.0)).collect::<Vec<_>>(), &mut u)?;
    let plan = grid.plan(&[&mut u])?;
    plan.exchange(&mut [&mut u])?;
    let inside = halo - 1..own + halo + 1;
    let mut graph = device.record(|r| {
        let (from, mut to) = (u.slice(inside.clone())?, v.slice(inside)?);
        r.launch(&kernel, args![own as i32, T::from(0.01), &from, &mut to])?;
        r.exchange(&plan, &mut [&mut v])?;
        r.rotate([&u, &v])
    })?;
    assert_eq!(graph.host_steps(), 0, "{plan}");
    // What does not divide by the repetitions of a pass is left to single steps; another value makes other graphs.
    for (times, c) in [(41, 0.01), (3, 0.01), (34, 0.02), (34, 0.01)] {
        graph.set_argument(0, "c", T::from(c))?;
        graph.replay_rotating(times, [&mut u, &mut v])?;
    }
    Ok((grid.gather(&u)?, graph.plan().to_string()))
}

/// Two ranks of processes that share a GPU, which NCCL would not link, against one. Messages go by a mailbox that kernels know, or
/// by one that they do not.
fn rings<T: Element + Default + From<f32> + PartialEq + IntoArg<'static>>(comm: &Comm, is_known: bool) -> Result<()> {
    let open = |tiling: &str| Device::open(format!("CUDA, tiling={tiling}").as_str());
    let (expected, _) = ring::<T>(&Comm::alone(), &open("off")?, 1)?;
    for (halo, tiling) in [(1, "off"), (1, "9"), (3, "31"), (1, "4")] {
        let device = open(tiling)?;
        let far = Arc::new(Wire { rank: comm.rank(), wires: Arc::default() });
        let near = Near::beside(comm, &device, far)?;
        let link: Arc<dyn Link> = if is_known { Arc::new(near) } else { Arc::new(Unknown(near)) };
        comm.keep_link(&device, link);
        let (values, plan) = ring::<T>(comm, &device, halo)?;
        let does = match (tiling, is_known) {
            ("off", _) => "one step a pass",
            (_, true) => "the block of the ends sends and receives",
            (_, false) => "the ends run as they were recorded",
        };
        assert!(plan.contains(does), "{plan}");
        assert!(comm.rank() > 0 || values == expected, "halo {halo}, {tiling}: {plan}");
    }
    Ok(())
}

/// A link whose messages no kernel knows.
struct Unknown(Near);

impl Link for Unknown {
    fn name(&self) -> String {
        self.0.name()
    }

    fn exchange(&self, stream: u64, sends: &[Parcel], receives: &[Parcel]) -> Result<()> {
        self.0.exchange(stream, sends, receives)
    }
}

/// Without a GPU the test says so, unless `FERROCCA_REQUIRE_DEVICES` names CUDA.
#[test]
fn messages_are_sent_beside_many_steps_in_a_pass_through_memory() {
    if std::env::var_os("WORLD_SIZE").is_some() {
        let comm = Comm::from_environment().unwrap();
        rings::<f64>(&comm, true).and_then(|()| rings::<f32>(&comm, true)).unwrap();
        return rings::<f64>(&comm, false).unwrap();
    }
    if let Err(error) = Device::open("CUDA") {
        let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
        assert!(!required.to_lowercase().contains("cuda"), "{error}");
        return println!("skipped: {error}");
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let name = "link::tests::messages_are_sent_beside_many_steps_in_a_pass_through_memory";
    let ranks = ["0", "1"].map(|rank| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", name, "--nocapture"]).envs([("RANK", rank), ("WORLD_SIZE", "2")]);
        command.envs([("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", &port.to_string())]).spawn().unwrap()
    });
    for mut rank in ranks {
        assert!(rank.wait().unwrap().success());
    }
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
