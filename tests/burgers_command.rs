//! The command line of `examples/burgers`: results, wrong usage, failures, checkpoints, Ctrl-C.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The example's program: that of `FERROCCA_BURGERS`, else built once with the profile of this test.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        if let Some(program) = std::env::var_os("FERROCCA_BURGERS") {
            return program.into();
        }
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--example", "burgers"]).current_dir(support::package_directory());
        // …/target/PROFILE/deps/this_test
        let test = std::env::current_exe().expect("a test knows its file");
        let directory = test.ancestors().nth(2).expect("a profile's directory");
        if directory.file_name().is_some_and(|name| name == "release") {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo starts").success(), "the example builds");
        directory.join("examples").join(format!("burgers{}", std::env::consts::EXE_SUFFIX))
    })
}

fn burgers(arguments: &[&str]) -> Output {
    Command::new(program()).args(arguments).output().expect("the example starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn the_default_run_prints_device_progress_and_result() {
    if !support::has_c_compiler() {
        return;
    }
    for device in ["mode=Serial", "mode=CPU", "{mode: 'CPU', threads: 2}"] {
        let output = burgers(&["--device", device]);
        let text = stdout(&output);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(text.starts_with("device: "), "{text}");
        assert!(text.contains("step 2001/2001, t = 2.001"), "{text}");
        assert!(text.contains(" steps/s, 0.0 s left"), "{text}");
        let last = text.lines().last().expect("a last line");
        assert!(last.starts_with("mean wall time per step: ") && last.ends_with("u[10] = 0.0733873"), "{last}");
        assert_eq!(stderr(&output), "", "nothing to warn about");
    }
    let quiet = burgers(&["--quiet"]);
    assert_eq!(stdout(&quiet).lines().count(), 1, "{}", stdout(&quiet));
}

#[test]
fn wrong_usage_ends_with_2_and_says_what_is_expected() {
    let cases: &[(&[&str], &str)] = &[
        (&["--frobnicate"], "--frobnicate"),
        (&["--points"], "--points <N>"),
        (&["--points", "many"], "invalid digit"),
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
        (&["--insitu", "x.py", "--every", "0"], "0 is not in 1.."),
        (&["--checkpoint-every", "5"], "--checkpoint"),
        (&["--checkpoint", "x", "--checkpoint-every", "0"], "zero"),
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
        let output = Command::new(program())
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
    let mut child = Command::new(program())
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
    assert!(text.starts_with("interrupted at step "), "{text}");
    let last = rest.lines().last().expect("a last line");
    assert!(last.contains("u[10] = "), "{rest}");
    let step: u64 = text.trim().rsplit(' ').next().unwrap().parse().unwrap();
    assert_eq!(burgers::Checkpoint::read(&state).unwrap().step, step);
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
