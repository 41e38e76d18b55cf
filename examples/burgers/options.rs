//! The command line.

use burgers::{Checkpoint, Config, Precision};
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// Solves u_t + u u_x = nu u_xx on [0, 2 pi) from u = sin x, periodic, with forward Euler and central differences.
#[derive(Parser)]
#[command(name = "burgers", version)]
pub(crate) struct Options {
    /// Device: `CPU`, `CPU, threads=2`, `Serial` … (`ferrocca info` lists them)
    #[arg(long, value_name = "DEVICE", default_value = "CPU")]
    pub(crate) device: String,
    /// Devices, each of which has a part of the points and a thread of this process: `CUDA:0,CUDA:1`, `CPU,CPU`. Ranks of
    /// `mpirun`, `srun` or `torchrun` take `--device`
    #[arg(long, value_name = "DEVICE,DEVICE", conflicts_with_all = ["device", "insitu", "live"])]
    pub(crate) devices: Option<String>,
    /// Grid points [default: 256]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count)]
    points: Option<u64>,
    /// Time at which the run ends [default: 2, and the one step more that adding up 0.001 takes]
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = number)]
    final_time: Option<f64>,
    /// Time step [default: 0.001]
    #[arg(long, value_name = "DT", allow_negative_numbers = true, value_parser = number)]
    dt: Option<f64>,
    /// Viscosity [default: 0.01]
    #[arg(long, value_name = "NU", allow_negative_numbers = true, value_parser = number)]
    nu: Option<f64>,
    /// Floating point type, f64 or f32 [default: f64]
    #[arg(long, value_name = "f64|f32")]
    precision: Option<Precision>,
    /// Python script with start(run), step(frame), finish(run), each optional; runs in the active python3. FILE.py:FUNCTION is
    /// a module whose function gets the array of each step
    #[arg(long, value_name = "FILE.py")]
    insitu: Option<PathBuf>,
    /// Functions of FILE.py:FUNCTION to call at the end, in the directory for results
    #[arg(long, value_name = "NAME,NAME", requires = "insitu", value_delimiter = ',')]
    then: Vec<String>,
    /// The function of FILE.py:FUNCTION only reads: the solver goes on, and the function gets the arrays of many steps
    /// one after the other
    #[arg(long, requires = "insitu")]
    pub(crate) observe: bool,
    /// Call the script's step(frame) every K steps
    #[arg(long, value_name = "K", default_value_t = 1, requires = "insitu", value_parser = interval)]
    pub(crate) every: u64,
    /// Serve a page on this machine that shows the run and steers it; prints its address. Any free port unless one is given
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    pub(crate) live: Option<u16>,
    /// Directory for the script's results and for the final field, u.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write the state to this file at the end, and when interrupted
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Write it every K steps too
    #[arg(long, value_name = "K", requires = "checkpoint", value_parser = steps)]
    pub(crate) checkpoint_every: Option<NonZeroU64>,
    /// Go on from a checkpoint; points, dt, nu and precision are its own unless given, and must then be the same
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
    /// Print the result and failures only
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// A Python script.
pub(crate) struct Script<'a> {
    pub(crate) path: &'a Path,
    /// The function that gets the array of each step, in a module that has no `step(frame)`.
    pub(crate) collect: Option<&'a str>,
    /// Functions that such a module wants called at the end.
    pub(crate) then: &'a [String],
}

impl Options {
    /// What the user asked for. Wrong usage ends the program here with exit code 2.
    pub(crate) fn from_command_line() -> Self {
        let options = Self::parse();
        let of_functions = [("--then", !options.then.is_empty()), ("--observe", options.observe)];
        for (option, _) in of_functions.into_iter().filter(|(_, is_given)| *is_given) {
            if options.script().is_some_and(|script| script.collect.is_none()) {
                let text = format!(
                    "{option} is for a module whose function gets the array of each step: --insitu FILE.py:FUNCTION"
                );
                Self::command().error(ErrorKind::MissingRequiredArgument, text).exit();
            }
        }
        if let Err(error) = options.config(None).validate() {
            Self::command().error(ErrorKind::ValueValidation, error.to_string()).exit();
        }
        options
    }

    /// The script to run, and how.
    pub(crate) fn script(&self) -> Option<Script<'_>> {
        let given = self.insitu.as_deref()?;
        // A file of that very name comes first.
        let parts = given.to_str().filter(|_| !given.exists()).and_then(|text| text.rsplit_once(':'));
        let is_name = |name: &&str| {
            name.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        };
        Some(match parts.filter(|(_, name)| is_name(name)) {
            Some((path, function)) => Script { path: Path::new(path), collect: Some(function), then: &self.then },
            None => Script { path: given, collect: None, then: &self.then },
        })
    }

    /// The problem: what is not given is the checkpoint's, or the default.
    pub(crate) fn config(&self, checkpoint: Option<&Checkpoint>) -> Config {
        let usual = Config::default();
        let final_time = self.final_time.unwrap_or(usual.final_time);
        let base = match checkpoint {
            Some(checkpoint) => checkpoint.config(final_time),
            None => Config { final_time, ..usual },
        };
        Config {
            ends_within_rounding: self.final_time.is_some(),
            points: self.points.unwrap_or(base.points),
            dt: self.dt.unwrap_or(base.dt),
            nu: self.nu.unwrap_or(base.nu),
            precision: self.precision.unwrap_or(base.precision),
            ..base
        }
    }
}

/// A number, `0.001`.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number, such as 0.001".to_owned())
}

/// Steps from one call, or checkpoint, to the next.
fn steps(text: &str) -> Result<NonZeroU64, String> {
    text.parse().map_err(|_| "expected a whole number of steps, 1 or more".to_owned())
}

fn interval(text: &str) -> Result<u64, String> {
    steps(text).map(NonZeroU64::get)
}

/// A whole number, `256` or `1e6`.
fn count(text: &str) -> Result<u64, String> {
    let whole = |value: &f64| value.fract() == 0.0 && (0.0..9e15).contains(value);
    let parsed = text.parse::<u64>().ok().or_else(|| text.parse::<f64>().ok().filter(whole).map(|value| value as u64));
    parsed.ok_or_else(|| "expected a whole number, such as 256 or 1e6".to_owned())
}
