//! The command line.

use burgers::{Checkpoint, Config, Precision};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Solves u_t + u u_x = nu u_xx on [0, 2 pi) from u = sin x, periodic, with forward Euler and central differences.
#[derive(Parser)]
#[command(name = "burgers")]
pub(crate) struct Options {
    /// Device: `mode=CPU, threads=2`, `mode=Serial` … (`ferrocca info` lists them)
    #[arg(long, value_name = "PROPS", default_value = "mode=CPU")]
    pub(crate) device: String,
    /// Grid points [default: 256]
    #[arg(long, value_name = "N")]
    points: Option<u64>,
    /// Time at which the run ends
    #[arg(long, value_name = "T", default_value_t = 2.0, allow_negative_numbers = true)]
    final_time: f64,
    /// Time step [default: 0.001]
    #[arg(long, value_name = "DT", allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Viscosity [default: 0.01]
    #[arg(long, value_name = "NU", allow_negative_numbers = true)]
    nu: Option<f64>,
    /// Floating point type, f64 or f32 [default: f64]
    #[arg(long, value_name = "f64|f32")]
    precision: Option<Precision>,
    /// Python script with start(run), step(frame), finish(run), each optional; runs in the active python3
    #[arg(long, value_name = "FILE.py")]
    pub(crate) insitu: Option<PathBuf>,
    /// Call the script's step(frame) every K steps
    #[arg(long, value_name = "K", default_value_t = 1, requires = "insitu", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) every: u64,
    /// Directory for the script's results and for the final field, u.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write the state to this file at the end, and when interrupted
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write it every K steps too
    #[arg(long, value_name = "K", requires = "checkpoint")]
    pub(crate) checkpoint_every: Option<NonZeroU64>,
    /// Go on from a checkpoint; points, dt, nu and precision are its own unless given, and must then be the same
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Print the result and failures only
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl Options {
    /// What the user asked for. Wrong usage ends the program here with exit code 2.
    pub(crate) fn from_command_line() -> Self {
        let options = Self::parse();
        if let Err(error) = options.config(None).validate() {
            Self::command().error(ErrorKind::ValueValidation, error.to_string()).exit();
        }
        options
    }

    /// The problem: what is not given is the checkpoint's, or the default.
    pub(crate) fn config(&self, checkpoint: Option<&Checkpoint>) -> Config {
        let base = match checkpoint {
            Some(checkpoint) => checkpoint.config(self.final_time),
            None => Config { final_time: self.final_time, ..Config::default() },
        };
        Config {
            points: self.points.unwrap_or(base.points),
            dt: self.dt.unwrap_or(base.dt),
            nu: self.nu.unwrap_or(base.nu),
            precision: self.precision.unwrap_or(base.precision),
            ..base
        }
    }
}
