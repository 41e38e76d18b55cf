//! The project's chores: `cargo xtask run | test | site | bench | bless | lines | bundle | package | release`.
//!
//! Every command may be repeated: what is up to date is left alone. A failure names what to install or to run.

mod bundle;
mod chores;
mod lines;
mod pages;
mod process;
mod python;
mod release;
mod site;
mod table;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  run      set up .venv, build, run Burgers with examples/insitu/svd.py on the CPU, write the pictures to out/
  test     set up .venv and run every check: format, lints, Rust tests, Python tests, the wheel, documentation
  site     make a site of docs/, with mdBook, into target/book
  bench    run the benchmarks against their peers (further arguments go to cargo bench)
           (--table: users' kernels beside loops in C, into docs/performance.md)
  bless    rewrite the compiler's expected outputs; look at the difference before you commit it
  lines    count the lines of every crate and renew the table in ARCHITECTURE.md
  bundle   pack tests, benchmarks, programs and the wheel for a machine without Rust, into target/bundle
           (--out DIR: elsewhere)
  package  build every published crate from its package alone
  release  --dry-run: do all of a release but publish, and say what is left to do
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("", &[][..]),
    };
    let outcome = match (command, rest) {
        ("run", []) => chores::run(),
        ("test", []) => chores::test(),
        ("site", []) => site::site(),
        ("bench", [option]) if option == "--table" => table::table(),
        ("bench", rest) => chores::bench(rest),
        ("bless", []) => chores::bless(),
        ("lines", []) => lines::lines(),
        ("bundle", []) => bundle::bundle(None),
        ("bundle", [option, directory]) if option == "--out" => bundle::bundle(Some(directory.as_ref())),
        ("package", []) => release::package(),
        ("release", [option]) if option == "--dry-run" => release::dry_run(),
        ("help" | "--help" | "-h", _) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
