//! The viscous Burgers equation from the command line, with in-situ analysis in Python.
//!
//! cargo run --release --example burgers -- --device mode=CPU --insitu examples/insitu/svd.py --output out
//!
//! Exit code: 0 when the run reached its end or its hook stopped it, 130 when it was interrupted, 2 for wrong usage,
//! 1 for any other failure, which is told on the standard error.

mod options;
mod output;
mod progress;

use burgers::{Checkpoint, CheckpointPlan, Config, Outcome, RunOptions, Solver};
use ferrocca::insitu::{Every, Hook, PythonHook};
use ferrocca::{Device, Error, Result};
use options::Options;
use output::say;
use progress::Display;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell expects of a program that ended on Ctrl-C: 128 + SIGINT.
const EXIT_INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let options = Options::from_command_line();
    match run(&options) {
        Ok(Outcome::Finished | Outcome::Stopped) => ExitCode::SUCCESS,
        Ok(Outcome::Interrupted) => ExitCode::from(EXIT_INTERRUPTED),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Outcome> {
    let checkpoint = options.resume.as_deref().map(Checkpoint::read).transpose()?;
    let config = options.config(checkpoint.as_ref());
    let device = Device::open(options.device.as_str())?;
    let mut solver = match &checkpoint {
        Some(checkpoint) => Solver::resume(&device, config, checkpoint)?,
        None => Solver::new(&device, config)?,
    };
    let mut hook: Box<dyn Hook> = match &options.insitu {
        Some(script) => Box::new(Every::new(options.every)?.of(PythonHook::load(script)?)),
        None => Box::new(()),
    };
    if !options.quiet {
        introduce(&solver, options);
    }
    if let Some(warning) = solver.limits().warning() {
        eprintln!("warning: {warning}");
    }
    finish_the_step_on_ctrl_c()?;

    let mut display = Display::new(options.quiet);
    let summary = solver.run(
        &mut hook,
        RunOptions {
            output_dir: options.output.clone().unwrap_or_default(),
            checkpoint: options.checkpoint.clone().map(|path| CheckpointPlan { path, every: options.checkpoint_every }),
            interrupt: Some(&INTERRUPTED),
            progress: Some(&mut |progress| display.show(progress)),
            ..RunOptions::default()
        },
    );
    // Before anything else is said: an error must not stand in the middle of a progress bar.
    drop(display);
    let summary = summary?;

    let u = solver.u_to_vec()?;
    if let Some(directory) = &options.output {
        output::write_field(directory, solver.config(), &u)?;
    }
    match summary.outcome {
        Outcome::Finished => {}
        Outcome::Stopped => eprintln!("stopped by the script at step {}", solver.step_count()),
        Outcome::Interrupted => eprintln!("interrupted at step {}", solver.step_count()),
    }
    let index = 10.min(u.len() - 1);
    let mean = output::six_digits(summary.mean_step_ms());
    say(&format!("mean wall time per step: {mean} ms, u[{index}] = {}", output::six_digits(u[index])));
    Ok(summary.outcome)
}

fn introduce(solver: &Solver, options: &Options) {
    let info = solver.device().info();
    let cores = match info.cores {
        0 => String::new(),
        1 => " 1 core,".to_owned(),
        cores => format!(" {cores} cores,"),
    };
    let mode = solver.device().mode();
    say(&format!("device: {mode} ({},{cores} {})", info.name, info.compiler));
    let Config { points, nu, dt, final_time, precision, .. } = solver.config();
    say(&format!("burgers: {points} points, nu = {nu}, dt = {dt}, until t = {final_time}, {precision}"));
    if let Some(path) = &options.resume {
        say(&format!("resumed from {} at step {}, t = {}", path.display(), solver.step_count(), solver.time()));
    }
}

/// The first Ctrl-C lets the current step and the hook's `finish` complete, the second one ends the program at once.
fn finish_the_step_on_ctrl_c() -> Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            eprintln!();
            std::process::exit(i32::from(EXIT_INTERRUPTED));
        }
    })
    .map_err(|error| Error::invalid(format!("Ctrl-C cannot be handled: {error}")))
}
