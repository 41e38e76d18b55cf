//! The CUDA backend's bars, each measured beside its peer in this run, and printed as one table.
//!
//! The peers are plain CUDA C++ (`benches/peer/burgers.cu`), which `nvcc` compiles here, on the same memory. Samples of
//! both are interleaved; what is printed are medians. `cargo bench --bench cuda -- launches throughput` measures these
//! rows alone. Without a GPU or without nvcc nothing is measured, and that is said; it is a failure where
//! `FERROCCA_REQUIRE_DEVICES` names CUDA.

mod build;
#[path = "../compare/mod.rs"]
mod compare;
#[path = "../gather/mod.rs"]
mod gather;
mod insitu;
#[path = "../peer/mod.rs"]
mod peer;
mod plain;
mod stepping;
mod table;
mod throughput;

use ferrocca::Device;
use ferrocca::insitu::PythonHook;
use plain::Plain;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use table::Row;

/// What a benchmark of this table answers; an error says what could not be measured and why.
type Measured<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A device and its peer.
struct Bench {
    /// Scripts that were run. Python's exit handlers, among them CuPy's, run when the last one is dropped, and the next
    /// script must find CuPy alive.
    scripts: RefCell<Vec<PythonHook>>,
    device: Device,
    plain: Plain,
}

/// Rows that are measured together, by the name that the command line knows.
type Group = (&'static str, fn(&Bench, &mut dyn FnMut(Row)) -> Measured);

const GROUPS: [Group; 9] = [
    ("launches", stepping::launches),
    ("finish", stepping::launch_and_finish),
    ("graph", stepping::graph),
    ("persistent", stepping::persistent),
    ("throughput", throughput::measure),
    ("checks", throughput::checks),
    ("build", build::measure),
    ("insitu", insitu::runs),
    ("handoff", insitu::handoff),
];

fn main() -> ExitCode {
    if build::is_child() {
        return build::be_child();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    if !is_bench || compare::only_listed() {
        println!("the table of the CUDA backend is measured by `cargo bench --bench cuda`");
        return ExitCode::SUCCESS;
    }
    let named: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    if let Some(unknown) = named.iter().find(|name| GROUPS.iter().all(|(group, _)| *group != name.as_str())) {
        let known = GROUPS.map(|(group, _)| group).join(", ");
        eprintln!("error: there are no rows `{unknown}`; there are {known}");
        return ExitCode::from(2);
    }
    let bench = match open() {
        Ok(bench) => bench,
        Err(error) => return not_measured("the table", &error.to_string()),
    };
    let info = bench.device.info();
    println!("{} ({}, {}); {}", info.name, info.compiler, info.driver, bench.plain.describe());
    table::head();
    let mut outcome = ExitCode::SUCCESS;
    for (name, measure) in GROUPS {
        if !named.is_empty() && !named.iter().any(|wanted| *wanted == name) {
            continue;
        }
        // What cannot be measured must not cost the rows after it.
        let measured = catch_unwind(AssertUnwindSafe(|| measure(&bench, &mut |row| row.print())));
        let failure = match measured {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it panicked, see above".to_owned(),
        };
        if not_measured(name, &failure) != ExitCode::SUCCESS {
            outcome = ExitCode::FAILURE;
        }
    }
    outcome
}

fn open() -> Measured<Bench> {
    let device = Device::open("mode=CUDA")?;
    let plain = Plain::build()?;
    Ok(Bench { scripts: RefCell::default(), device, plain })
}

/// Says that something was not measured; a failure where CUDA was promised.
fn not_measured(what: &str, why: &str) -> ExitCode {
    println!("{what}: not measured: {why}");
    let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default();
    match required.split(',').any(|mode| mode.trim().eq_ignore_ascii_case("CUDA")) {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}
