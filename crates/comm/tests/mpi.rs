//! The transport `mpi`: started by `mpirun`, this program is a rank and checks; started alone, it starts `mpirun` with itself.
//!
//! cargo test -p ferrocca-comm --features mpi --test mpi
//!
//! Open MPI and MPICH pass, each with a build of its own.

use ferrocca_backend_cpu as _;
use ferrocca_backend_reference as _;
use ferrocca_comm::{Comm, Grid, Launch, Mpi, Operation, conformance};
use ferrocca_core::{BuildOrigin, Device, Error, Props, Result};
use std::io::Read;
use std::process::{Command, ExitCode, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long mpirun may take for any case.
const LIMIT: Duration = Duration::from_secs(90);

/// What a rank does: the case that the first argument names.
fn rank(case: &str) -> ExitCode {
    if case == "pieces" {
        // Messages in pieces of a few bytes, as those beyond 2^30 bytes are.
        let comm = Mpi::start().map(|transport| transport.with_pieces(1000)).and_then(Comm::new).unwrap();
        return match conformance::suite(&comm, None) {
            Ok(()) => {
                comm.transport().end(None);
                let late = comm.send(0, 3, vec![1]).unwrap_err().to_string();
                assert!(late.contains("has ended"), "{late}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    ferrocca_comm::run(|comm| {
        comm.set_limit(Duration::from_secs(30));
        match case {
            "suite" => conformance::suite(comm, Some(&Device::open("mode=Reference")?)),
            "limit" => conformance::limit(comm, Duration::from_millis(300)),
            "sum" => sum(comm),
            "cold" => cold(comm),
            _ => fault(comm, case),
        }
    })
}

/// The bits of a reduction, printed by rank 0.
fn sum(comm: &Comm) -> Result<()> {
    let device = comm.open_device("mode=Reference")?;
    let grid = Grid::new(comm, &[1000], 1)?.periodic(&[true])?;
    let values: Vec<f64> = (0..1000).map(|i| 1.0 / (i as f64 + 0.3)).collect();
    let mut u = device.malloc_filled(grid.centred().len(), 0.0)?;
    grid.scatter(&values, &mut u)?;
    grid.exchange(&mut [&mut u])?;
    let own = u.to_vec()?;
    let last = grid.start()[0] + own.len() - 2;
    assert_eq!((own[0], own[own.len() - 1]), (values[(grid.start()[0] + 999) % 1000], values[last % 1000]));
    let sum = grid.reduce(Operation::Sum, &u)?;
    if comm.rank() == 0 {
        println!("sum {:x}", sum.to_bits());
    }
    Ok(())
}

/// All ranks build a kernel that no cache has: one compiles it, the others find it.
fn cold(comm: &Comm) -> Result<()> {
    let cache = std::env::var("FERROCCA_TEST_CACHE").expect("a directory");
    let device = Device::open(Props::new().with("mode", "Serial").with("cache_dir", cache))?;
    let source =
        "@kernel void f(const int n, double *x) { for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) x[i] = 1; }";
    comm.barrier()?;
    let kernel = device.build_kernel_from_string(source, "f", ())?;
    let mut counts = [f64::from(u8::from(matches!(kernel.origin(), BuildOrigin::Compiled { .. }))), 1.0];
    comm.all_reduce(Operation::Sum, &mut counts)?;
    if comm.rank() == 0 {
        println!("{} of {} ranks compiled", counts[0], counts[1]);
    }
    Ok(())
}

/// Rank 1 does not do what the others do.
fn fault(comm: &Comm, case: &str) -> Result<()> {
    let device = Device::open("mode=Reference")?;
    let grid = Grid::new(comm, &[12], 1)?.periodic(&[true])?;
    let mut u = device.malloc_filled(grid.centred().len(), 0.0)?;
    let plan = grid.plan(&[&mut u])?;
    comm.set_limit(Duration::from_secs(2));
    for step in 0..1000 {
        if step == 3 && comm.rank() == 1 {
            match case {
                "error" => return Err(Error::invalid("the disk is full")),
                "panic" => panic!("index 7"),
                "exit" => std::process::exit(3),
                "kill" => drop(Command::new("kill").args(["-9", &std::process::id().to_string()]).status()),
                "hang" => std::thread::sleep(Duration::from_secs(120)),
                "length" => return comm.send(0, 77, vec![0; 10]),
                _ => return Err(Error::invalid(format!("no case `{case}`"))),
            }
        }
        if step == 3 && comm.rank() == 0 && case == "length" {
            return comm.receive(1, 77, 12).map(drop);
        }
        plan.exchange(&mut [&mut u])?;
    }
    Ok(())
}

fn mpirun(ranks: usize, case: &str) -> Output {
    mpirun_with(ranks, case, None)
}

fn mpirun_with(ranks: usize, case: &str, cache: Option<&std::path::Path>) -> Output {
    let own = std::env::current_exe().expect("the path of this test");
    let mut command = Command::new("mpirun");
    command.args(["-n", &ranks.to_string()]);
    // Open MPI's refuses to start as the superuser of a container, or more ranks than cores, unless told.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
    if let Some(cache) = cache {
        command.env("FERROCCA_TEST_CACHE", cache);
    }
    let mut child =
        command.arg(own).arg(case).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun starts");
    let (stdout, stderr) = (read(child.stdout.take()), read(child.stderr.take()));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("mpirun is a child of this test") {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill().expect("mpirun can be ended");
            break child.wait().expect("mpirun has ended");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let is_late = start.elapsed() > LIMIT;
    let mut output = Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() };
    if is_late {
        output.stderr.extend(format!("mpirun did not end within {LIMIT:?}").bytes());
    }
    output
}

/// All that comes out of a pipe, read beside the rest.
fn read(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.expect("a pipe").read_to_end(&mut bytes).expect("bytes");
        bytes
    })
}

fn main() -> ExitCode {
    if let Ok(Some(_)) = Launch::from_environment() {
        return rank(&std::env::args().nth(1).unwrap_or_default());
    }
    if Command::new("mpirun").arg("--version").output().is_err() {
        eprintln!("skipped: there is no mpirun");
        return match std::env::var_os("FERROCCA_REQUIRE_MPI") {
            Some(_) => ExitCode::FAILURE,
            None => ExitCode::SUCCESS,
        };
    }
    let said = |output: &Output| {
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    };
    for (ranks, case) in [(1, "suite"), (2, "suite"), (4, "suite"), (16, "suite"), (3, "pieces"), (3, "limit")] {
        let start = Instant::now();
        let output = mpirun(ranks, case);
        assert!(output.status.success(), "{ranks} ranks, {case}: {}", said(&output));
        println!("{case} with {ranks} ranks: ok, {:.1?}", start.elapsed());
    }
    let mut sums: Vec<String> = [1, 2, 3, 4, 7].iter().map(|ranks| said(&mpirun(*ranks, "sum"))).collect();
    assert!(sums[0].starts_with("sum "), "{sums:?}");
    sums.dedup();
    assert_eq!(sums.len(), 1, "sums of several numbers of ranks: {sums:?}");
    println!("the same bits for 1, 2, 3, 4 and 7 ranks: ok");
    let cache = tempfile::tempdir().expect("a directory");
    let start = Instant::now();
    let text = said(&mpirun_with(16, "cold", Some(cache.path())));
    assert!(text.contains("1 of 16 ranks compiled"), "{text}");
    println!("16 ranks with an empty cache compile once: ok, {:.1?}", start.elapsed());
    let faults = [
        ("error", "error on rank 1 of 3"),
        ("panic", "error on rank 1 of 3"),
        // These are told by the launcher: Open MPI's in words, MPICH's by its own exit code, or in other words.
        ("exit", "exited"),
        ("kill", "signal 9"),
        ("hang", "waited 2."),
        ("length", "where 12 were expected"),
    ];
    for (case, expected) in faults {
        // Open MPI ends now and then before it has passed on a word of what the ranks said: then once more.
        let is_told = (0..3).any(|_| {
            let start = Instant::now();
            let output = mpirun(3, case);
            let text = said(&output);
            assert!(!output.status.success(), "{case}: {text}");
            assert!(start.elapsed() < Duration::from_secs(30), "{case}");
            let is_told = match case {
                "exit" => {
                    text.contains(expected) || text.contains("BAD TERMINATION") || output.status.code() == Some(3)
                }
                "kill" => text.to_lowercase().replace("signal:", "signal").contains(expected),
                _ => text.contains(expected),
            };
            assert!(is_told || text.is_empty(), "{case} does not say `{expected}`: {text}, {}", output.status);
            println!(
                "fault `{case}` ends all ranks{}: {:.1?}",
                if is_told { "" } else { " in silence" },
                start.elapsed()
            );
            is_told
        });
        assert!(is_told, "{case} says nothing");
    }
    ExitCode::SUCCESS
}
