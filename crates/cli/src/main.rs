//! `ferrocca`: what devices there are, what a kernel becomes, what the cache holds.
//!
//! Exit code: 0; 1 with `error: …`, or `FILE:LINE:COLUMN: error: …` for kernels, on the standard error; 2 for wrong usage.

mod cache;
mod devices;
mod environment;
mod explain;
mod kernels;
mod messages;
mod options;
mod run;
mod table;

use clap::Parser;
use ferrocca::Result;
use options::{Command, Options};
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let command = Options::parse().command;
    match run(&command) {
        Ok(text) => print(&text),
        Err(error) => {
            command.message_format().error(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<String> {
    match command {
        Command::Info => Ok(devices::info()),
        Command::Modes => Ok(devices::modes()),
        Command::Translate { source, ir, bounds, any_device } => {
            let view = kernels::View { ir: ir.as_deref(), bounds: *bounds, any_device: *any_device };
            kernels::translate(source, &view)
        }
        Command::Compile { source, bundle: Some(file), bundle_for, .. } => kernels::bundle(source, file, bundle_for),
        Command::Compile { source, kernels, .. } => kernels::compile(source, kernels),
        Command::Run { source, checked, kernel, repeat, arguments } => {
            run::run(source, *checked, kernel.as_deref(), *repeat, arguments)
        }
        Command::Explain { rule } => explain::explain(rule.as_deref()),
        Command::Clear { yes } => cache::clear(*yes),
        Command::Env => Ok(environment::table()),
        Command::Version => Ok(format!("ferrocca {}\n", env!("CARGO_PKG_VERSION"))),
    }
}

/// Prints to the standard output. A reader that has gone away (`| head`) is no failure, a full disk is one.
fn print(text: &str) -> ExitCode {
    let mut output = std::io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprintln!("error: the standard output cannot be written: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}
