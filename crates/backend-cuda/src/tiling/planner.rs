//! Whether a recorded loop can run in windows, and how: how large windows are and how many repetitions a pass does.

use super::plan::{Plan, WARP};
use crate::access::DeviceAddresses;
use crate::error;
use crate::kernel::{Module, downcast_kernel};
use ferrocca_core::backend::rows::{self, Binding, Command, Ends, NoPlan, Result, RowLoop, refuse};
use ferrocca_core::backend::{GraphCommand, TilingSetting};
use okl::back::cuda::LaunchHints;
use std::sync::Arc;

/// Elements that a thread holds of each buffer, most of them first. Odd, so that threads meet no bank of shared memory twice.
const PER_THREAD: [i64; 4] = [31, 23, 15, 7];

/// Registers that the elements of a thread may take, of the 255 that there are.
const MOST_REGISTERS: i64 = 128;

/// The part of a window that `auto` gives away to what neighbours compute too: a sixteenth costs as much as it saves there.
const OVERLAP: i64 = 16;

/// Windows below which `auto` makes them smaller.
const FEW_WINDOWS: i64 = 8;

/// What the ends take of shared memory, and windows while they are loaded.
const MOST_SHARED_BYTES: i64 = 48 << 10;

/// Bytes of the middle of the row below which `auto` leaves a loop as it was recorded whose ends run beside windows: a repetition of
/// the ends takes some microseconds.
const FEWEST_BYTES_BESIDE: i64 = 24 << 20;

/// Plans a loop. Where its ends do not run in shared memory they may run as they were recorded.
pub(super) fn plan(phases: &[Vec<GraphCommand>], setting: TilingSetting) -> Result<(Plan, Binding)> {
    match plan_with(phases, setting, Ends::Shared) {
        Err(NoPlan::Refused(reason)) => match plan_with(phases, setting, Ends::Recorded) {
            Err(NoPlan::Refused(other)) if other != reason => {
                refuse(format!("{reason}; with its ends as recorded: {other}"))
            }
            planned => planned,
        },
        planned => planned,
    }
}

/// The commands of all phases.
pub(super) fn commands(phases: &[Vec<GraphCommand>], ends: Ends) -> Result<Vec<Vec<Command<'_>>>> {
    let command = |command| Command::of(command, ends, &DeviceAddresses);
    phases.iter().map(|phase| phase.iter().map(command).collect()).collect()
}

fn plan_with(phases: &[Vec<GraphCommand>], setting: TilingSetting, ends: Ends) -> Result<(Plan, Binding)> {
    let commands = commands(phases, ends)?;
    let programs = programs(&commands[0])?;
    let (row, binding) = rows::plan(&commands, ends)?;
    let (per_thread, steps) = shape(&row, setting)?;
    let mut plan = Plan {
        options: programs.first().map_or_else(Vec::new, |(program, _)| program.options().to_vec()),
        programs: Vec::new(),
        program_of: vec![0; commands[0].len()],
        row,
        ends,
        per_thread,
        steps,
        value_bytes: binding.values.len(),
        messages: binding.messages.len(),
    };
    for (program, commands) in programs {
        commands.into_iter().for_each(|command| plan.program_of[command] = plan.programs.len());
        plan.programs.push(program);
    }
    match ends {
        Ends::Shared => match plan.ends_bytes() {
            0..=MOST_SHARED_BYTES => {}
            bytes => return refuse(format!("the ends of its buffers take {bytes} bytes of shared memory")),
        },
        Ends::Recorded => {
            let bytes = plan.row.window_bytes() * (plan.row.middle.end - plan.row.middle.start);
            if setting == TilingSetting::Auto && bytes < FEWEST_BYTES_BESIDE {
                return refuse(format!("its {bytes} bytes are gone through before the ends would be done"));
            }
            if plan.parts(steps).is_none() {
                return refuse("there are fewer windows than the ends touch");
            }
        }
    }
    Ok((plan, binding))
}

/// The texts of a phase's launches, each with the commands whose kernels are in it.
pub(super) fn programs(commands: &[Command<'_>]) -> Result<Vec<(Arc<Module>, Vec<usize>)>> {
    let mut programs: Vec<(Arc<Module>, Vec<usize>)> = Vec::new();
    for (number, command) in commands.iter().enumerate() {
        let Some(launch) = command.launch() else { continue };
        let (module, nest) = (downcast_kernel(&**launch.kernel)?.module(), launch.nest);
        let (entry, hints) = (&nest.entry, nest.hints.read::<LaunchHints>().map_err(error::internal)?);
        if hints.needs_group || hints.dynamic_shared_bytes > 0 || nest.shared_bytes > 0 {
            return refuse(format!("the items of a group of `{entry}` share memory"));
        }
        if module.text().is_empty() || !module.has_exact_options() {
            let options = module.options().join(" ");
            return refuse(format!(
                "`{entry}` was compiled with options with which the bits depend on the text around it: {options}"
            ));
        }
        if programs.first().is_some_and(|(first, _)| first.options() != module.options()) {
            return refuse(format!("`{entry}` was compiled with other options than the kernels before it"));
        }
        // On the wrong numbers at the edge of a window a loop might never end; lanes of a warp are other items there.
        for (word, what) in [("for (", "loop"), ("while (", "loop"), ("do {", "loop"), ("_sync(", "subgroup")] {
            if module.text().contains(word) {
                return refuse(format!("the text of `{entry}` and the kernels beside it has a {what}"));
            }
        }
        match programs.iter_mut().find(|(known, _)| known.text() == module.text()) {
            Some((_, commands)) => commands.push(number),
            None => programs.push((Arc::clone(module), vec![number])),
        }
    }
    Ok(programs)
}

/// Elements of a thread, and repetitions of a pass.
fn shape(row: &RowLoop, setting: TilingSetting) -> Result<(i64, u64)> {
    row.check_writable()?;
    let registers = row.window_bytes() / 4;
    let (elements, each) = (row.middle.end - row.middle.start, row.wrong());
    for per_thread in PER_THREAD.into_iter().filter(|per_thread| per_thread * registers <= MOST_REGISTERS) {
        let window = WARP * per_thread;
        // Shuffles reach the next lane only.
        let is_far = row.shrink.iter().any(|&shrink| shrink > per_thread);
        let (most, windows) = match setting {
            TilingSetting::Steps(steps) => (steps as i64, 1),
            _ => ((window / OVERLAP).checked_div(each).unwrap_or(64).min(64), FEW_WINDOWS),
        };
        let most = most.clamp(0, TilingSetting::MOST_STEPS as i64) as u64;
        let steps = (2..=most).rev().find(|&steps| row.can_write_after(steps));
        let Some(steps) = steps.filter(|&steps| 2 * steps as i64 * each <= window && !is_far) else { continue };
        if elements >= windows * window {
            return Ok((per_thread, steps));
        }
    }
    refuse(format!("windows do not fit: {elements} elements, {each} of which a repetition makes wrong in each window"))
}
