//! The whole in-situ run: the solver of `crates/burgers`, its 2,001 steps, and a Python script that keeps every field.

use crate::compare::median;
use crate::peer::file;
use crate::table::{Bar, Row};
use crate::{Bench, Measured};
use burgers::{Config, RunOptions, Solver};
use ferrocca::insitu::{Hook, PythonHook};
use std::path::Path;

/// Runs of a script that are measured, after one that is not: it loads CuPy and compiles what that compiles.
const RUNS: usize = 7;

/// Mean microseconds of a step of one run of a script from the beginning, and the field at its end.
fn run(bench: &Bench, hook: &mut dyn Hook, output: &Path) -> Measured<(f64, Vec<f64>)> {
    let mut solver = Solver::new(&bench.device, Config::default())?;
    let summary = solver.run(hook, RunOptions { output_dir: output.to_owned(), ..RunOptions::default() })?;
    Ok((summary.mean_step_ms() * 1e3, solver.u_to_vec()?))
}

/// Runs a script of `benches/insitu` several times; the median of the mean microseconds of a step.
fn script(bench: &Bench, name: &str, output: &Path) -> Measured<(f64, Vec<f64>)> {
    let mut hook = PythonHook::load(file("benches/insitu").join(name))?;
    let (_, field) = run(bench, &mut hook, output)?;
    let mut steps = Vec::new();
    for _ in 0..RUNS {
        steps.push(run(bench, &mut hook, output)?.0);
    }
    bench.scripts.borrow_mut().push(hook);
    Ok((median(steps), field))
}

/// A script that copies every field, step by step and fed in batches; beside them the run without a script.
pub(crate) fn runs(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    let output = tempfile::tempdir()?;
    let alone = (0..=RUNS).map(|_| Ok(run(bench, &mut (), output.path())?.0)).collect::<Measured<Vec<f64>>>()?;
    let alone = ("without a script", median(alone[1..].to_vec()));
    let bars = [
        ("step.py", "in-situ run, a Python step on every step", 12.0),
        ("observe.py", "in-situ run, observed in batches", 1.0),
    ];
    for (name, what, most) in bars {
        let (own, field) = script(bench, name, output.path())?;
        check_history(output.path(), &field).map_err(|error| format!("{name}: {error}"))?;
        // Copying step by step is CuPy's work for the most part: that is what it has to be compared with.
        let peer = match std::fs::read_to_string(output.path().join("copies")) {
            Ok(nanoseconds) => ("CuPy's copies", nanoseconds.trim().parse::<f64>()? / 1e3),
            Err(_) => alone,
        };
        // The next script has a peer of its own.
        let _ = std::fs::remove_file(output.path().join("copies"));
        let what = format!("{what}, a step");
        print(Row { what, unit: "µs", own, peer: Some(peer), bar: Bar::AtMost(most) });
    }
    Ok(())
}

/// The script has kept 2,001 fields, the last of which is the solver's.
fn check_history(output: &Path, field: &[f64]) -> Measured {
    let bytes = std::fs::read(output.join("history"))?;
    let (values, rest) = bytes.as_chunks();
    let history: Vec<f64> = values.iter().map(|value| f64::from_ne_bytes(*value)).collect();
    let rows = history.len() / field.len();
    if !rest.is_empty() || rows != 2001 || history.len() != rows * field.len() {
        return Err(format!("{} values were kept, not 2,001 fields of {}", history.len(), field.len()).into());
    }
    match history[(rows - 1) * field.len()..] == *field {
        true => Ok(()),
        false => Err("the last field that was kept is not the solver's".into()),
    }
}

/// What it takes a script to get a CuPy array of the field.
pub(crate) fn handoff(bench: &Bench, print: &mut dyn FnMut(Row)) -> Measured {
    let output = tempfile::tempdir()?;
    let mut hook = PythonHook::load(file("benches/insitu/handoff.py"))?;
    run(bench, &mut hook, output.path())?;
    bench.scripts.borrow_mut().push(hook);
    let ways = [
        ("array", "hand-off of a field to CuPy, field.array()", Bar::AtMost(5.0)),
        ("interface", "hand-off of a field, cupy.asarray(field)", Bar::None),
        ("dlpack", "hand-off of a field, cupy.from_dlpack(field)", Bar::None),
    ];
    let text = std::fs::read_to_string(output.path().join("handoff"))?;
    for (name, what, bar) in ways {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("the script has not written it")?;
        let own = line.trim().parse::<f64>()? / 1e3;
        print(Row { what: what.to_owned(), unit: "µs", own, peer: None, bar });
    }
    Ok(())
}
