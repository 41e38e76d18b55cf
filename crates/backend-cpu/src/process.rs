//! Runs a program such as a compiler: with a limit on its time and on what is kept of its output, and so that nothing of
//! it is left when this process is killed.
//! Not here: what the output means.

use crate::error;
use ferrocca_core::Result;
use std::fmt;
use std::io::{PipeReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A compiler may say a lot about one mistake; more than this helps nobody.
const MOST_OUTPUT: usize = 64 << 10;

/// How long a program that has ended may have output on its way. Something that it started may keep the pipe for ever.
const GRACE: Duration = Duration::from_millis(100);

/// Longest time in which the end of a program is not noticed.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How a program that was run ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It ended by itself, or by a signal.
    Done { success: bool, status: ExitStatus, output: String },
    /// It was ended after the limit.
    TimedOut { limit: Duration },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // `ExitStatus` itself says `exit status: 1`, `signal: 11 (SIGSEGV)`.
            Self::Done { status, .. } => write!(f, "ended with {}", status.to_string().replacen(": ", " ", 1)),
            Self::TimedOut { limit } => write!(
                f,
                "did not finish within {} s and was stopped; the property `compiler_timeout` sets the limit",
                limit.as_secs_f64()
            ),
        }
    }
}

/// Runs a program without input and collects what it says on both outputs. If this process is killed meanwhile, the
/// program is ended, and `directory`, in which it works, is removed.
pub(crate) fn run(mut command: Command, directory: Option<&Path>, limit: Duration) -> Result<Outcome> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| error::compiler(format!("`{program}` could not be run: {e}"));
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    command.stdin(Stdio::null()).stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    let group = Group::new(directory);
    group.take_in(&mut command);
    let mut child = command.spawn().map_err(failed)?;
    // The writing ends live in `command` too; the pipe ends only when all are closed.
    drop(command);
    let output = Output::collect(reader);
    match wait(&mut child, &output.end, limit) {
        Ok(Some(status)) => Ok(Outcome::Done { success: status.success(), status, output: output.finish() }),
        stopped => {
            group.kill(&child);
            // It may have ended in between: then there is nothing to stop.
            let _ = child.kill();
            let _ = child.wait();
            stopped.map(|_| Outcome::TimedOut { limit }).map_err(failed)
        }
    }
}

/// Waits for the program itself, whatever it does with its outputs; `None` at the limit.
fn wait(child: &mut Child, end_of_output: &Receiver<()>, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let shortest = Duration::from_millis(1);
    let (begin, mut pause, mut is_open) = (Instant::now(), shortest, true);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let Some(left) = limit.checked_sub(begin.elapsed()).filter(|left| !left.is_zero()) else {
            return Ok(None);
        };
        pause = pause.min(left);
        if !is_open {
            std::thread::sleep(pause);
        } else if end_of_output.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
            // Most programs close their outputs by ending, so that the end is seen at once.
            (is_open, pause) = (false, shortest);
            continue;
        }
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// What a program says: a thread reads it to its end, and keeps the beginning.
struct Output {
    kept: Arc<Mutex<Kept>>,
    /// Disconnected at the end.
    end: Receiver<()>,
}

#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    left_out: u64,
}

impl Output {
    fn collect(mut reader: PipeReader) -> Self {
        let (kept, (sender, end)) = (Arc::<Mutex<Kept>>::default(), channel());
        let shared = Arc::clone(&kept);
        std::thread::spawn(move || {
            let _sender: std::sync::mpsc::Sender<()> = sender;
            let mut buffer = [0; 8 << 10];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let room = count.min(MOST_OUTPUT - kept.bytes.len());
                kept.bytes.extend_from_slice(&buffer[..room]);
                kept.left_out += (count - room) as u64;
            }
        });
        Self { kept, end }
    }

    fn finish(self) -> String {
        let _ = self.end.recv_timeout(GRACE);
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        let mut text = String::from_utf8_lossy(&kept.bytes).into_owned();
        if kept.left_out > 0 {
            text.push_str(&format!("\n… ({} more bytes)", kept.left_out));
        }
        text
    }
}

/// What the shell of a [`Group`] does. `read` ends when this process is gone. First everything is asked to end, because
/// the last line ends the shell too.
#[cfg(unix)]
const AFTER_DEATH: &str = r#"
read -r _
trap '' TERM
kill -TERM 0
[ -z "$1" ] || rm -rf -- "$1" || rm -rf -- "$1"
kill -KILL 0
"#;

/// A process group for a program and the passes that it starts, so that all of them can be ended. Its first member is a
/// shell, which ends the group when this process is killed: signals for this process do not reach the group, and a signal
/// at a parent's death would reach the program alone, not its passes. Without a shell in `/bin/sh` nothing does that.
struct Group {
    #[cfg(unix)]
    shell: Option<Child>,
}

#[cfg(unix)]
impl Group {
    fn new(directory: Option<&Path>) -> Self {
        use std::os::unix::process::CommandExt as _;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", AFTER_DEATH, "sh"]).arg(directory.unwrap_or(Path::new(""))).process_group(0);
        shell.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { shell: shell.spawn().ok() }
    }

    fn take_in(&self, command: &mut Command) {
        let leader = self.shell.as_ref().map_or(0, Child::id);
        std::os::unix::process::CommandExt::process_group(command, leader.cast_signed());
    }

    /// Ends the shell, the program and all that it started.
    fn kill(&self, program: &Child) {
        // Neither has been waited for, so that the number is still theirs.
        let leader = self.shell.as_ref().unwrap_or(program).id().cast_signed();
        if let Some(group) = rustix::process::Pid::from_raw(leader) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        if let Some(shell) = &mut self.shell {
            // Before the pipe is closed; what a compiler leaves running, such as a server of its own, goes on.
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}

#[cfg(not(unix))]
impl Group {
    fn new(_directory: Option<&Path>) -> Self {
        Self {}
    }

    fn take_in(&self, _command: &mut Command) {}

    fn kill(&self, _program: &Child) {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> (Outcome, Duration) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        let begin = Instant::now();
        let outcome = run(command, None, limit).expect("a shell starts");
        (outcome, begin.elapsed())
    }

    #[test]
    fn a_program_that_hangs_is_stopped_with_what_it_started() {
        for script in ["sleep 60 & sleep 60; echo never", "exec >/dev/null 2>&1; sleep 60", "trap '' TERM; sleep 60"] {
            let (outcome, elapsed) = shell(script, Duration::from_millis(200));
            assert!(matches!(outcome, Outcome::TimedOut { .. }), "{script}: {outcome:?}");
            assert!(elapsed < Duration::from_secs(20), "{script}: {elapsed:?}");
            assert!(outcome.to_string().contains("compiler_timeout"));
        }
    }

    #[test]
    fn a_program_that_has_ended_is_finished_whoever_keeps_its_outputs() {
        let (outcome, elapsed) = shell("echo said; sleep 30 & echo $!", Duration::from_secs(15));
        let Outcome::Done { success: true, output, .. } = outcome else { panic!("{outcome:?}") };
        assert!(elapsed < Duration::from_secs(10), "{elapsed:?}");
        let number = output.strip_prefix("said\n").expect("its output is there").trim();
        // Which goes on: it may be a server.
        let left = Command::new("kill").arg(number).status().expect("`kill` is a program");
        assert!(left.success());
    }

    #[test]
    fn the_beginning_of_long_output_is_kept() {
        let (outcome, _) = shell("echo begin; head -c 10000000 /dev/zero | tr '\\0' x", Duration::from_secs(60));
        let Outcome::Done { success: true, output, .. } = outcome else { panic!("{outcome:?}") };
        assert!(output.starts_with("begin\nxxx"));
        assert!(output.ends_with(&format!("\n… ({} more bytes)", 10_000_006 - MOST_OUTPUT)), "{} bytes", output.len());
        assert!(output.len() < MOST_OUTPUT + 40);
    }

    #[test]
    fn a_program_that_crashes_says_how() {
        let (outcome, _) = shell("echo to stdout; echo to stderr >&2; kill -SEGV $$", Duration::from_secs(60));
        assert!(outcome.to_string().contains("ended with signal 11"), "{outcome}");
        let Outcome::Done { success: false, output, .. } = outcome else { panic!("{outcome:?}") };
        assert!(output.contains("to stdout") && output.contains("to stderr"), "{output}");
    }
}
