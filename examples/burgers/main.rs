//! The viscous Burgers equation from the command line, with in-situ analysis in Python.
//!
//! cargo run --release --example burgers -- --device CPU --insitu examples/insitu/svd.py --output out
//!
//! Exit code: 0 when the run reached its end or its hook stopped it, 130 when it was interrupted, 2 for wrong usage,
//! 1 for any other failure, which is told on the standard error.

mod options;
mod output;
mod progress;

use burgers::{Checkpoint, CheckpointPlan, Config, Outcome, RunOptions, Solver};
use ferrocca::comm::{self, Comm};
use ferrocca::insitu::{Every, Hook, PythonHook};
use ferrocca::{Device, Error, Result};
use options::{Options, Script};
use output::{SetUp, say};
use progress::Display;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// What a shell expects of a program that ended on Ctrl-C: 128 + SIGINT.
const EXIT_INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let options = Options::from_command_line();
    let mut outcome = Outcome::Finished;
    let code = comm::run(|comm| {
        finish_the_step_on_ctrl_c()?;
        outcome = match &options.devices {
            None => run(&options, comm, || comm.open_device(options.device.as_str()))?,
            Some(devices) => {
                let devices = comm::device_list(devices)?.into_iter().map(Device::open).collect::<Result<Vec<_>>>()?;
                let outcomes = comm::peers(&devices, |comm, device| run(&options, comm, || Ok(device.clone())))?;
                outcomes.into_iter().next().unwrap_or(Outcome::Finished)
            }
        };
        Ok(())
    });
    match outcome {
        Outcome::Interrupted => ExitCode::from(EXIT_INTERRUPTED),
        Outcome::Finished | Outcome::Stopped => code,
    }
}

fn run(options: &Options, comm: &Comm, open: impl FnOnce() -> Result<Device>) -> Result<Outcome> {
    let is_first = comm.rank() == 0;
    let quiet = options.quiet || !is_first;
    let checkpoint = options.resume.as_deref().map(Checkpoint::read).transpose()?;
    let config = options.config(checkpoint.as_ref());
    let mut set_up = SetUp::start();
    let device = open()?;
    let mut solver = match &checkpoint {
        Some(checkpoint) => Solver::resume_on_ranks(comm, &device, config, checkpoint)?,
        None => Solver::on_ranks(comm, &device, config)?,
    };
    set_up.device = set_up.lap();
    let mut hooks: Vec<Box<dyn Hook>> = Vec::new();
    if let Some(Script { path, collect, then }) = options.script() {
        let hook = match collect {
            Some(function) if options.observe => PythonHook::load_observing_functions(path, function, then)?,
            Some(function) => PythonHook::load_functions(path, function, then)?,
            None => PythonHook::load(path)?,
        };
        hooks.push(Box::new(Every::new(options.every)?.of(hook)));
    }
    if let Some(port) = options.live {
        hooks.push(Box::new(PythonHook::load_live_page(port)?));
    }
    let has_script = !hooks.is_empty();
    set_up.script = set_up.lap();
    if !quiet {
        introduce(&solver, options);
    }
    for warning in [solver.limits().warning(), solver.limits().overshoot()].into_iter().flatten().filter(|_| !quiet) {
        eprintln!("warning: {warning}");
    }
    if let Some(path) = &options.resume
        && solver.steps_left() == 0
        && !quiet
    {
        let (time, end) = (output::six_digits(solver.time()), solver.config().final_time);
        eprintln!(
            "note: {} is at t = {time} already: no step is left until t = {end} (see --final-time)",
            path.display()
        );
    }
    let mut display = Display::new(quiet);
    let summary = solver.run(
        &mut hooks,
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

    // Rank 0 has the points of all.
    let Some(u) = solver.gather()? else { return Ok(summary.outcome) };
    if let Some(directory) = &options.output {
        output::write_field(directory, solver.config(), &u)?;
    }
    match summary.outcome {
        Outcome::Finished => {
            if !quiet {
                explain_end(&solver);
            }
        }
        Outcome::Stopped => eprintln!("stopped by the script at step {}", solver.step_count()),
        Outcome::Interrupted => {
            let how = match &options.checkpoint {
                Some(path) => format!("go on with --resume {}", path.display()),
                None => "with --checkpoint FILE the next run could go on from there".to_owned(),
            };
            eprintln!("interrupted at step {}: {how}", solver.step_count());
        }
    }
    if !quiet {
        set_up.tell(has_script, &summary);
    }
    let index = 10.min(u.len() - 1);
    let time = match summary.steps {
        0 => "no step was left".to_owned(),
        _ => format!("mean wall time per step: {} ms", output::six_digits(summary.mean_step_ms())),
    };
    say(&format!("{time}; a value to compare runs by: u[{index}] = {}", output::six_digits(u[index])));
    Ok(summary.outcome)
}

/// Why the run went beyond its end, where rounding is the reason.
fn explain_end(solver: &Solver) {
    let Config { final_time, dt, .. } = *solver.config();
    let before = solver.step_count().saturating_sub(1);
    if solver.time() > final_time + dt / 2.0 && (before as f64 * dt - final_time).abs() < dt / 2.0 {
        say(&format!(
            "ended at t = {}: {before} times {dt} adds up to less than {final_time} in floating point; --final-time \
             {final_time} ends before",
            output::six_digits(solver.time())
        ));
    }
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
    let comm = solver.grid().comm();
    if comm.size() > 1 {
        say(&format!("{} ranks; {}", comm.size(), solver.exchange_plan()));
    }
    if let Some(path) = &options.resume {
        let time = output::six_digits(solver.time());
        say(&format!("resumed from {} at step {}, t = {time}", path.display(), solver.step_count()));
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
