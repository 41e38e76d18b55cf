//! Ranks that TCP connects: threads of this process, and processes that a launcher's variables describe.

use ferrocca_backend_reference as _;
use ferrocca_comm::{Comm, Grid, Operation, Tcp, conformance};
use ferrocca_core::{Device, Result};
use std::collections::BTreeSet;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(60);

/// An address that nobody uses, another one each time.
fn address() -> String {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut given = GIVEN.lock().expect("no panic");
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        if given.insert(port) {
            return format!("127.0.0.1:{port}");
        }
    }
}

/// Runs `body` on a thread for each rank, and returns what each said.
fn ranks<R: Send>(size: usize, body: impl Fn(&Comm) -> Result<R> + Sync) -> Vec<Result<R>> {
    let (address, body) = (address(), &body);
    std::thread::scope(|scope| {
        let rank = |rank: usize| {
            let address = address.clone();
            scope.spawn(move || {
                let comm = Comm::new(Tcp::start(rank, size, &address, LIMIT)?)?;
                comm.set_limit(LIMIT);
                let outcome = body(&comm);
                comm.transport().end(outcome.as_ref().err());
                outcome
            })
        };
        let threads: Vec<_> = (0..size).map(rank).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

fn device() -> Result<Device> {
    Device::open("mode=Reference")
}

#[test]
fn the_transport_passes_its_suite() {
    for size in [1, 2, 3, 5, 16] {
        let outcomes = ranks(size, |comm| conformance::suite(comm, Some(&device()?)));
        outcomes.into_iter().collect::<Result<Vec<_>>>().unwrap();
    }
}

#[test]
fn nobody_waits_longer_than_the_limit() {
    let outcomes = ranks(3, |comm| conformance::limit(comm, Duration::from_millis(200)));
    outcomes.into_iter().collect::<Result<Vec<_>>>().unwrap();
}

#[test]
fn messages_of_many_megabytes_arrive_whole() {
    let outcomes = ranks(2, |comm| {
        let other = 1 - comm.rank();
        let sent: Vec<u8> = (0..100_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_769) >> 24) as u8).collect();
        let request = comm.transport().send(other, 7, ferrocca_comm::Buffer::Host(sent.clone()))?;
        let got = comm.receive(other, 7, sent.len())?;
        let back = comm.wait(request, other)?.into_host()?;
        Ok(got == sent && back == sent)
    });
    assert!(outcomes.into_iter().all(|outcome| outcome.unwrap()));
}

fn errors(outcomes: Vec<Result<()>>) -> Vec<String> {
    outcomes.into_iter().map(|outcome| outcome.map_or_else(|error| error.to_string(), |()| "done".into())).collect()
}

#[test]
fn a_rank_that_fails_or_goes_is_named_to_those_who_wait() {
    let start = Instant::now();
    // A message that was taken is done; one whose sender has not yet learned of it is named in place of the next.
    let all_are_sent = Barrier::new(3);
    let texts = errors(ranks(3, |comm| match comm.rank() {
        2 => {
            let got = comm.receive(0, 5, 0).and_then(|_| comm.receive(1, 5, 0));
            all_are_sent.wait();
            got?;
            Err(ferrocca_core::Error::invalid("the disk is full"))
        }
        _ => {
            let sent = comm.send(2, 5, Vec::new());
            all_are_sent.wait();
            sent.and_then(|()| comm.receive(1 - comm.rank(), 9, 8)).map(drop)
        }
    }));
    // Rank 1 may have told rank 0 of it before rank 2 did.
    for (text, expected) in [
        (&texts[0], "while rank 0 waited for 8 bytes with tag 9 of rank 1"),
        (&texts[1], "while rank 1 waited for 8 bytes with tag 9 of rank 0"),
    ] {
        assert!(text.contains(expected) && text.contains("rank 2 failed while rank"), "{texts:?}");
        assert!(text.contains("the disk is full"), "{texts:?}");
    }
    // A rank that has come to its end sends nothing more.
    let texts = errors(ranks(2, |comm| match comm.rank() {
        1 => Ok(()),
        _ => comm.receive(1, 9, 8).map(drop),
    }));
    assert!(texts[0].contains("rank 1 came to its end while rank 0 waited"), "{texts:?}");
    let texts = errors(ranks(2, |comm| match comm.rank() {
        0 => comm.send(1, 3, vec![0; 10]),
        _ => comm.receive(0, 3, 12).map(drop),
    }));
    assert!(texts[1].contains("rank 0 sent 10 bytes where 12 were expected"), "{texts:?}");
    assert!(start.elapsed() < Duration::from_secs(30), "nobody waits for the limit");
}

#[test]
fn ranks_that_do_not_come_or_come_twice_are_told() {
    let short = Duration::from_millis(300);
    let error = Tcp::start(0, 3, &address(), short).err().expect("nobody comes").to_string();
    assert!(error.contains("and rank 1, 2 did not come"), "{error}");
    let error = Tcp::start(2, 3, &address(), short).err().expect("nobody listens").to_string();
    assert!(error.contains("rank 2 called rank 0 at 127.0.0.1:"), "{error}");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = taken.local_addr().expect("an address").to_string();
    let error = Tcp::start(0, 2, &at, short).err().expect("it is taken").to_string();
    assert!(error.contains("rank 0 cannot listen at") && error.contains("FERROCCA_COMM_ADDRESS"), "{error}");
    let error = Tcp::start(0, 2, "nowhere", short).err().expect("no port").to_string();
    assert!(error.contains("`nowhere`, is no `host:port`"), "{error}");
    assert!(Tcp::start(2, 2, &at, short).is_err());

    for (calls, expected) in
        [([(1, 3), (1, 3)], "rank 1 came twice"), ([(1, 3), (2, 4)], "rank 2 counts 4 ranks, rank 0 3")]
    {
        let address = address();
        std::thread::scope(|scope| {
            let first = scope.spawn(|| Tcp::start(0, 3, &address, LIMIT).err().expect("it is refused").to_string());
            let others = calls.map(|(rank, size)| {
                let address = &address;
                // Who calls when rank 0 has given up already calls in vain.
                let limit = Duration::from_secs(3);
                scope.spawn(move || Tcp::start(rank, size, address, limit).err().expect("it is refused").to_string())
            });
            let others = others.map(|thread| thread.join().expect("no panic"));
            let first = first.join().expect("no panic");
            assert!(first.contains(expected), "{first}");
            assert!(others.iter().any(|error| error.contains(expected)), "{others:?}");
        });
    }
}

#[test]
fn strangers_are_sent_away() {
    let address = address();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| Tcp::start(0, 2, &address, LIMIT).map(drop));
        let mut stranger = loop {
            match TcpStream::connect(&address) {
                Ok(stream) => break stream,
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        stranger.write_all(b"GET / HTTP/1.1\r\nHost: nobody\r\n\r\n").expect("it is heard");
        let second = scope.spawn(|| Tcp::start(1, 2, &address, LIMIT).map(drop));
        first.join().expect("no panic").unwrap();
        second.join().expect("no panic").unwrap();
    });
}

/// Not a test of its own: what a process of the tests below runs, as a program would.
#[test]
#[ignore = "a rank that other tests start"]
fn rank() {
    let code = ferrocca_comm::run(|comm| {
        let device = device()?;
        let grid = Grid::new(comm, &[60], 1)?.periodic(&[true])?;
        let start = grid.start()[0];
        let values: Vec<f64> = (0..grid.extents()[0] + 2).map(|i| 1.0 / (start + i) as f64).collect();
        let mut u = device.malloc_from(&values)?;
        grid.exchange(&mut [&mut u])?;
        let sum = grid.reduce(Operation::Sum, &u)?;
        comm.barrier()?;
        let dies = std::env::var("DIES").unwrap_or_default();
        if !dies.is_empty() && comm.rank() == 1 {
            std::thread::sleep(Duration::from_millis(if dies == "late" { 500 } else { 0 }));
            std::process::abort();
        }
        if dies == "early" {
            comm.receive(1, 9, 8)?;
        }
        println!("rank {} of {}: {sum:?}", comm.rank(), comm.size());
        Ok(())
    });
    // Libtest would say that all is well.
    std::process::exit(i32::from(code != std::process::ExitCode::SUCCESS));
}

fn start(size: usize, variables: &[(&str, &str)]) -> Vec<(bool, String)> {
    let start = |rank: usize| -> Child {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--ignored", "--exact", "rank", "--nocapture", "--quiet"]).envs(variables.iter().copied());
        command.env("RANK", rank.to_string()).env("WORLD_SIZE", size.to_string());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let children: Vec<Child> = (0..size).map(start).collect();
    let end = |child: Child| {
        let output = child.wait_with_output().expect("it ends");
        let text = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&text).into_owned())
    };
    children.into_iter().map(end).collect()
}

#[test]
fn processes_have_the_results_of_one_rank() {
    let sum_of = |text: &str| text.lines().find_map(|line| line.split_once(": ").map(|of| of.1.to_owned()));
    let alone = start(1, &[]);
    assert!(alone[0].0, "{alone:?}");
    let expected = sum_of(&alone[0].1).expect("a sum");
    for size in [2, 4] {
        let address = address();
        let (host, port) = address.rsplit_once(':').expect("a port");
        let before = (port.parse::<u16>().expect("a number") - 1).to_string();
        for variables in [
            vec![("FERROCCA_COMM_ADDRESS", address.as_str())],
            vec![("MASTER_ADDR", host), ("MASTER_PORT", before.as_str())],
        ] {
            let ranks = start(size, &variables);
            for (rank, (is_well, text)) in ranks.iter().enumerate() {
                assert!(*is_well && text.contains(&format!("rank {rank} of {size}: ")), "{ranks:?}");
                assert_eq!(sum_of(text).as_deref(), Some(expected.as_str()), "{ranks:?}");
            }
        }
    }
}

#[test]
fn a_process_that_dies_ends_the_others() {
    let address = address();
    let start_time = Instant::now();
    let ranks = start(3, &[("FERROCCA_COMM_ADDRESS", address.as_str()), ("DIES", "early")]);
    assert!(ranks.iter().all(|(is_well, _)| !is_well), "{ranks:?}");
    for (_, text) in [&ranks[0], &ranks[2]] {
        assert!(text.contains("rank 1 failed") && text.contains("it has died, or was ended"), "{ranks:?}");
    }
    // Those who have come to their end do not wait for it for ever.
    let ranks = start(3, &[("FERROCCA_COMM_ADDRESS", self::address().as_str()), ("DIES", "late")]);
    assert_eq!(ranks.iter().map(|(is_well, _)| *is_well).collect::<Vec<_>>(), [true, false, true], "{ranks:?}");
    assert!(start_time.elapsed() < Duration::from_secs(30), "nobody waits for the limit");
}
