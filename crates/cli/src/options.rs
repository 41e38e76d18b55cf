//! The command line.

use crate::messages::Format;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Portable kernels: devices, translation, cache.
#[derive(Parser)]
#[command(name = "ferrocca", version)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the devices of this machine, and why others are missing
    Info {
        #[command(flatten)]
        output: Output,
    },
    /// List the modes of this build, and the properties of devices, kernels and streams
    Modes {
        #[command(flatten)]
        output: Output,
    },
    /// Print what the kernels of a file become in a mode
    Translate {
        #[command(flatten)]
        source: Source,
        /// Print the IR instead of the text: once checked, or after this pass of the mode
        #[arg(long, value_name = "PASS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
        ir: Option<String>,
        /// Print what a launch must prove so that every access lies within its memory
        #[arg(long, conflicts_with = "ir")]
        bounds: bool,
        /// Print which elements of its memory an item reads and writes
        #[arg(long, conflicts_with_all = ["ir", "bounds"])]
        footprint: bool,
        /// Print the text for any device of the mode, whatever devices there are
        #[arg(long)]
        any_device: bool,
        /// Write to this file instead of the standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Build the kernels of a file, so that the programs that use them find them in the cache
    Compile {
        #[command(flatten)]
        source: Source,
        /// Build this kernel only; more than once for several
        #[arg(long = "kernel", short = 'k', value_name = "NAME")]
        kernels: Vec<String>,
        /// Write the kernels to a file instead, which programs load where there is no compiler
        #[arg(long, value_name = "FILE", conflicts_with = "kernels")]
        bundle: Option<PathBuf>,
        /// A mode, with properties of a device behind it, that the bundle is for; more than once for several [default: that of --mode]
        #[arg(long = "for", value_name = "MODE", requires = "bundle")]
        bundle_for: Vec<String>,
    },
    /// Launch a kernel of a file with arguments that are made here, and say what it leaves in memory
    ///
    /// A number is given as `n=1000`. Memory is given as its number of elements and what they are: `u=1000:random` (floats
    /// from 0 to 1, integers below the number of elements), `u=1000:random(20)`, `u=8*8*100:index` (0, 1, 2 …), `u=1000:2.5`,
    /// `u=1000:unset` (nothing was written), `u=null`. Where nothing is said, memory that the kernel only reads is random
    /// and other memory is unset.
    Run {
        #[command(flatten)]
        source: Source,
        /// Check all that the kernel does, and stop at the first fault, with its line, item and values
        #[arg(long)]
        checked: bool,
        /// The kernel, where the file has several
        #[arg(long, short, value_name = "NAME")]
        kernel: Option<String>,
        /// Launch it so many times, each on what the one before has left
        #[arg(long, value_name = "TIMES", default_value_t = 1, value_parser = times)]
        repeat: u32,
        /// The kernel's arguments
        #[arg(value_name = "NAME=VALUE")]
        arguments: Vec<String>,
    },
    /// Explain a rule or warning of the compiler, with an example that breaks it and one that keeps it
    Explain {
        /// Its code or name, as messages show it: `K030`, `undeclared`. All are listed where none is given
        rule: Option<String>,
    },
    /// Empty the kernel cache
    Clear {
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// List the environment variables that matter, and their values
    Env {
        #[command(flatten)]
        output: Output,
    },
    /// Print what a shell completes of this command: `ferrocca completions bash > ~/.local/share/bash-completion/completions/ferrocca`
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the version
    Version,
}

/// How a list is printed.
#[derive(Args)]
pub(crate) struct Output {
    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

impl Command {
    /// How what is wrong is printed.
    pub(crate) fn message_format(&self) -> Format {
        match self {
            Self::Translate { source, .. } | Self::Compile { source, .. } | Self::Run { source, .. } => {
                source.message_format
            }
            _ => Format::Human,
        }
    }
}

/// A file of kernels, and how it is to be read.
#[derive(Args)]
pub(crate) struct Source {
    /// The file, in OKL; `-` for the standard input
    pub(crate) file: PathBuf,
    /// Mode, with properties of a device behind it: `CPU`, `CPU, compiler=gcc`
    #[arg(long, short, default_value = "CPU")]
    pub(crate) mode: String,
    /// Define a macro; without a value it is 1
    #[arg(long = "define", short = 'D', value_name = "NAME[=VALUE]", value_parser = define)]
    pub(crate) defines: Vec<(String, String)>,
    /// Look for included files here too
    #[arg(long = "include", short = 'I', value_name = "DIR")]
    pub(crate) include_dirs: Vec<PathBuf>,
    /// Further properties of the build: `fp_contract=fast`
    #[arg(long, short, visible_alias = "properties", value_name = "PROPERTIES", default_value = "")]
    pub(crate) props: String,
    /// Turn a warning off, or make an error of it: `no-NAME`, `error=NAME`, `error` for all
    #[arg(long = "warning", short = 'W', value_name = "WISH")]
    pub(crate) warnings: Vec<String>,
    /// How findings are printed on the standard error
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) message_format: Format,
}

fn times(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|&times| times > 0).ok_or_else(|| "expected a whole number, 1 or more".to_owned())
}

fn define(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    match name.is_empty() {
        true => Err("a name is missing before `=`".to_owned()),
        false => Ok((name.to_owned(), value.to_owned())),
    }
}
