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

use clap::{CommandFactory, Parser};
use ferrocca::{Error, Result};
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
        Command::Info { output } if output.json => Ok(lines(&devices::info_json())),
        Command::Info { .. } => Ok(devices::info()),
        Command::Modes { output } if output.json => Ok(lines(&devices::modes_json())),
        Command::Modes { .. } => Ok(devices::modes()),
        Command::Translate { source, ir, bounds, footprint, any_device, output } => {
            let (bounds, footprint, any_device) = (*bounds, *footprint, *any_device);
            let view = kernels::View { ir: ir.as_deref(), bounds, footprint, any_device };
            let text = kernels::translate(source, &view)?;
            let Some(path) = output else { return Ok(text) };
            std::fs::write(path, text).map_err(|error| Error::writing(path, &error)).map(|()| String::new())
        }
        Command::Compile { source, bundle: Some(file), bundle_for, .. } => kernels::bundle(source, file, bundle_for),
        Command::Compile { source, kernels, .. } => kernels::compile(source, kernels),
        Command::Run { source, checked, kernel, repeat, arguments } => {
            run::run(source, *checked, kernel.as_deref(), *repeat, arguments)
        }
        Command::Explain { rule } => explain::explain(rule.as_deref()),
        Command::Clear { yes } => cache::clear(*yes),
        Command::Env { output } if output.json => Ok(lines(&environment::json())),
        Command::Env { .. } => Ok(environment::table()),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Options::command(), "ferrocca", &mut text);
            Ok(String::from_utf8_lossy(&text).into_owned())
        }
        Command::Version => Ok(format!("ferrocca {}\n", env!("CARGO_PKG_VERSION"))),
    }
}

/// JSON as people read it too.
fn lines(json: &serde_json::Value) -> String {
    format!("{json:#}\n")
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
