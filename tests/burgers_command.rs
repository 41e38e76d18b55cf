//! The command line of `examples/burgers`: results, wrong usage, failures, checkpoints, Ctrl-C.

mod support;

use std::path::Path;
use std::process::{Command, Output};

fn burgers(arguments: &[&str]) -> Output {
    Command::new(support::programs::burgers()).args(arguments).output().expect("the example starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn several_devices_print_the_result_of_one() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let fields = ["Serial", "CPU,CPU", "CPU, threads=1; Serial; CPU, threads=1; Serial; Serial"].map(|devices| {
        let path = directory.path().join(devices.len().to_string());
        let output = burgers(&["--devices", devices, "--output", path.to_str().unwrap()]);
        let text = stdout(&output);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(text.ends_with("u[10] = 0.0733873\n"), "{text}");
        let ranks = devices.split([',', ';']).filter(|part| !part.contains('=')).count();
        let line = format!("{ranks} ranks; halo exchange of 1 field by peers: this rank sends 2 messages, 16 bytes, ");
        assert_eq!(text.contains(&line), ranks > 1, "{text}");
        std::fs::read(path.join("u.csv")).unwrap()
    });
    assert!(fields[0] == fields[1] && fields[0] == fields[2]);
    for (devices, expected) in [("CPU,,CPU", "an entry of the devices `CPU,,CPU` is empty"), ("CPU,nothing", "nothing")]
    {
        let output = burgers(&["--devices", devices]);
        assert!(output.status.code() == Some(1) && stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let both = burgers(&["--devices", "CPU,CPU", "--device", "CPU"]);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn the_default_run_prints_device_progress_and_result() {
    if !support::has_c_compiler() {
        return;
    }
    for device in ["Serial", "CPU, threads=1", "mode=CPU", "{mode: 'CPU', threads: 2}"] {
        let output = burgers(&["--device", device]);
        let text = stdout(&output);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(text.starts_with("device: "), "{text}");
        assert!(text.contains("step 2001/2001, t = 2.001"), "{text}");
        assert!(text.contains(" steps/s, 0.0 s left"), "{text}");
        let last = text.lines().last().expect("a last line");
        assert!(last.starts_with("mean wall time per step: ") && last.ends_with("u[10] = 0.0733873"), "{last}");
        assert!(text.contains("\nset-up: ") && text.contains("(device and kernels "), "{text}");
        assert!(text.contains("\ntime of a step: median ") && !text.contains("script"), "{text}");
        let warning = stderr(&output);
        assert!(
            warning.starts_with("warning: the cell Péclet number max|u| dx/ν = 2.45 is greater than 2: "),
            "{warning}"
        );
        assert!(warning.lines().count() == 1 && warning.ends_with("choose points ≥ 315\n"), "{warning}");
        assert!(
            text.contains("ended at t = 2.001: 2000 times 0.001 adds up to less than 2 in floating point"),
            "{text}"
        );
    }
    let quiet = burgers(&["--quiet"]);
    assert_eq!(stdout(&quiet).lines().count(), 1, "{}", stdout(&quiet));
    assert_eq!(stderr(&quiet), "", "no warning either");
    let at_rest = burgers(&["--device", "Serial", "--quiet", "--final-time", "0"]);
    let text = stdout(&at_rest);
    assert!(text.starts_with("no step was left; a value to compare runs by: u[10] = "), "{text}");
    for (option, expected) in [
        (["--dt", "x"], "expected a number, such as 0.001"),
        (["--checkpoint-every", "0"], "expected a whole number of steps, 1 or more"),
        (["--every", "0"], "expected a whole number of steps, 1 or more"),
    ] {
        let output = burgers(&option);
        assert!(output.status.code() == Some(2) && stderr(&output).contains(expected), "{}", stderr(&output));
    }
    assert!(stdout(&burgers(&["--version"])).starts_with("burgers "));
    // Who names the time gets it.
    let output = burgers(&["--device", "Serial", "--final-time", "2", "--points", "315"]);
    let text = stdout(&output);
    assert!(text.contains("step 2000/2000, t = 2,") && !text.contains("adds up"), "{text}");
    assert_eq!(stderr(&output), "", "nothing to warn about");
    let output = burgers(&["--device", "Serial", "--points", "1e1", "--final-time", "0.01"]);
    assert!(stdout(&output).contains("burgers: 10 points"), "{}", stdout(&output));
}

#[test]
fn a_checkpoint_that_cannot_be_written_is_found_out_before_the_run() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state").display().to_string();
    let output = burgers(&["--checkpoint", "/no/such/directory/state"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(
        text.ends_with(
            "error: writing a checkpoint: /no/such/directory/state: there is no directory /no/such/directory\n"
        ),
        "{text}"
    );
    assert!(!stdout(&output).contains("step "), "nothing was computed");
    let run = |arguments: &[&str]| {
        let output = burgers(&[&["--points", "320"], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    run(&["--final-time", "0.5", "--checkpoint", &state]);
    let text = run(&["--final-time", "0.25", "--resume", &state]);
    assert!(text.starts_with("note: ") && text.contains("no step is left until t = 0.25"), "{text}");
    assert_eq!(run(&["--final-time", "0.6", "--resume", &state]), "");
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_expected() {
    let cases: &[(&[&str], &str)] = &[
        (&["--frobnicate"], "--frobnicate"),
        (&["--points"], "--points <N>"),
        (&["--points", "many"], "expected a whole number"),
        (&["--points", "-5"], "expected a whole number"),
        (&["--points", "1"], "points must be between 2 and"),
        (&["--points", "99999999999"], "points must be between 2 and"),
        (&["--dt", "-1"], "dt must be positive and finite, not -1"),
        (&["--dt", "0"], "dt must be positive"),
        (&["--dt", "nan"], "dt must be positive"),
        (&["--dt", "1e-30"], "too small for final_time"),
        (&["--nu", "-0.1"], "nu must not be negative"),
        (&["--final-time", "inf"], "final_time must not be negative and must be finite"),
        (&["--precision", "f16"], "`f32` or `f64`, not `f16`"),
        (&["--every", "5"], "--insitu"),
        (&["--insitu", "x.py", "--every", "0"], "expected a whole number of steps, 1 or more"),
        (&["--checkpoint-every", "5"], "--checkpoint"),
        (&["--checkpoint", "x", "--checkpoint-every", "0"], "expected a whole number of steps, 1 or more"),
    ];
    for (arguments, expected) in cases {
        let output = burgers(arguments);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.starts_with("error: ") && text.contains(expected), "{arguments:?}: {text}");
    }
}

#[test]
fn a_failure_ends_with_1_and_one_error() {
    let cases: &[(&[&str], &str)] = &[
        (&["--device", "mode=Abacus"], "Abacus"),
        (&["--device", "mode=CPU, treads=2"], "threads"),
        (&["--device", "mode=CPU, threads=many"], "threads"),
        (&["--device", "{mode: 'CPU'"], "expected `,` or `}`"),
        (&["--device", "threads=2"], "mode"),
        (&["--resume", "no/such/file"], "no/such/file"),
        (&["--resume", "README.md"], "README.md"),
        (&["--insitu", "no/such/script.py"], "no/such/script.py"),
    ];
    for (arguments, expected) in cases {
        let output = Command::new(support::programs::burgers())
            .args(*arguments)
            .current_dir(support::package_directory())
            .output()
            .expect("the example starts");
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.starts_with("error: ") && text.contains(expected), "{arguments:?}: {text}");
        assert!(!stdout(&output).contains("u[10]"), "no result after an error");
    }
}

#[test]
fn an_unstable_step_is_warned_of_and_ends_with_the_step_of_nan() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let state = directory.path().join("state");
    let paths = [out.to_str().unwrap(), state.to_str().unwrap()];
    let output = burgers(&["--dt", "0.05", "--final-time", "50", "--output", paths[0], "--checkpoint", paths[1]]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in ["warning: dt = 0.05 is unstable", "CFL limit", "diffusion limit", "error: NaN appeared at step "] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!out.join("u.csv").exists() && !state.exists(), "nothing is left behind");
}

#[test]
fn a_resumed_run_ends_in_the_same_field() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (whole, resumed, state) = (path("whole"), path("resumed"), path("state"));
    let problem = ["--points", "300", "--nu", "0.02", "--precision", "f32"];
    let run = |more: &[&str]| {
        let output = burgers(&[more, &["--quiet"]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    };
    run(&[&problem[..], &["--output", &whole]].concat());
    let half = ["--final-time", "1", "--checkpoint", &state, "--checkpoint-every", "300"];
    run(&[&problem[..], &half].concat());
    run(&["--resume", &state, "--output", &resumed]);
    let field = |directory: &str| std::fs::read_to_string(Path::new(directory).join("u.csv")).unwrap();
    assert_eq!(field(&whole), field(&resumed));
    assert_eq!(field(&whole).lines().count(), 301, "a head and one line a point");

    let other = burgers(&["--resume", &state, "--nu", "0.03"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(stderr(&other).contains("nu is 0.02 in the checkpoint and 0.03 in this run"), "{}", stderr(&other));
}

/// Starts a run that would take for ever, sends Ctrl-C after its first report, and gives its exit code, the rest of its
/// standard output and its standard error.
#[cfg(unix)]
fn interrupt(arguments: &[&str]) -> (Option<i32>, String, String) {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;
    let mut child = Command::new(support::programs::burgers())
        .args(["--final-time", "1e9"])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    while !line.starts_with("step ") {
        line.clear();
        let read = lines.read_line(&mut line).unwrap();
        assert!(read > 0, "it ended before its first report");
    }
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.expect("kill starts").success());
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), rest, stderr(&output))
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_with_130_in_good_order() {
    if !support::has_c_compiler() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("state");
    let (code, rest, text) = interrupt(&["--checkpoint", state.to_str().unwrap()]);
    assert_eq!(code, Some(130), "{text}");
    let told = text.lines().last().expect("a last line");
    let (step, how) = told.strip_prefix("interrupted at step ").and_then(|rest| rest.split_once(": ")).expect("a step");
    assert_eq!(how, format!("go on with --resume {}", state.display()));
    let last = rest.lines().last().expect("a last line");
    assert!(last.contains("u[10] = "), "{rest}");
    assert_eq!(burgers::Checkpoint::read(&state).unwrap().step.to_string(), step);
}

/// The number behind `label`.
fn number_behind(text: &str, label: &str) -> f64 {
    let rest = text.split_once(label).unwrap_or_else(|| panic!("no `{label}` in {text}")).1;
    rest.split([' ', ',']).next().and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no number: {rest}"))
}

#[test]
fn what_a_script_does_once_is_not_in_the_time_of_a_step() {
    if !support::has_c_compiler() || !support::has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script.py");
    // As an import within the first call takes its time.
    let text = "import time\ntime.sleep(0.2)\ndef start(run): time.sleep(0.2)\n\
                def step(frame): time.sleep(0.6 if frame.step == 1 else 0.002)\n";
    std::fs::write(&script, text).unwrap();
    let output = burgers(&["--final-time", "0.05", "--insitu", script.to_str().unwrap()]);
    let text = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(number_behind(&text, "\nset-up: ") >= 1.0, "{text}");
    assert!(number_behind(&text, "(device and kernels ") > 0.0, "{text}");
    assert!(number_behind(&text, ", script ") >= 0.2, "{text}");
    assert!(number_behind(&text, "first call of the script ") >= 0.8, "{text}");
    for label in ["median ", ", mean ", "mean wall time per step: "] {
        let milliseconds = number_behind(&text, label);
        // With the first call of 600 ms the mean of 50 steps would be 14 ms.
        assert!((1.9..10.0).contains(&milliseconds), "{label}{milliseconds}: {text}");
    }
    assert!(number_behind(&text, "solver ") + number_behind(&text, "%, script ") == 100.0, "{text}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_lets_the_script_finish() {
    if !support::has_c_compiler() || !support::has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script.py");
    std::fs::write(&script, "def finish(run):\n    print('finished', run.name, flush=True)\n").unwrap();
    let (code, rest, text) = interrupt(&["--insitu", script.to_str().unwrap()]);
    assert_eq!(code, Some(130), "{text}");
    assert!(rest.contains("finished burgers"), "{rest}");
    assert!(text.contains(": with --checkpoint FILE the next run could go on from there"), "{text}");
}

#[test]
fn a_script_s_exception_ends_the_run_and_leaves_nothing() {
    if !support::has_c_compiler() || !support::has_python() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (script, out, state) = (path("script.py"), path("out"), path("state"));
    std::fs::write(&script, "def step(frame):\n    if frame.step == 7:\n        raise ValueError('seven')\n").unwrap();
    let output = burgers(&["--insitu", &script, "--output", &out, "--checkpoint", &state]);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in ["error: ", "Traceback (most recent call last)", "line 3, in step", "ValueError: seven"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!stdout(&output).contains("u[10]"), "no result after an error");
    let left = std::fs::read_dir(&out).unwrap().count();
    assert!(left == 0 && !Path::new(&state).exists(), "nothing is left behind");
}
