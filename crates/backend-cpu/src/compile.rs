//! Text to a shared library, by the host's C compiler in a directory of its own.

use crate::compiler::Toolchain;
use crate::error;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// A compiler may say a lot about one mistake; more than this helps nobody.
const MOST_OUTPUT: usize = 16 << 10;

/// What the text is called in what the compiler says about lines that come from no source line.
const TEXT_NAME: &str = "<emitted text>";

/// Compiles `text` and answers the bytes of the shared library.
pub(crate) fn compile(tools: &Toolchain, text: &Compiled) -> Result<Vec<u8>> {
    let failed = |path: &Path, e: &std::io::Error| Error::io(path, e).while_doing("compiling a kernel");
    let directory =
        tempfile::Builder::new().prefix("ferrocca-").tempdir().map_err(|e| failed(&std::env::temp_dir(), &e))?;
    let source = directory.path().join("kernel.c");
    let library = directory.path().join("kernel.so");
    std::fs::write(&source, text.with_line_directives()).map_err(|e| failed(&source, &e))?;

    let mut command = Command::new(&tools.compiler.path);
    command.args(&tools.compiler.arguments);
    // `-x c`, because a compiler may have been named by its C++ name; libraries follow what needs them.
    command.args(["-x", "c"]).arg(&source).args(["-x", "none"]).args(&tools.flags);
    command.arg("-o").arg(&library).arg("-lm");
    let outcome = run(command, tools.timeout)?;
    let name = tools.compiler.path.display();
    match outcome {
        Outcome::Done { success: true, output, .. } => std::fs::read(&library)
            .map_err(|e| error::compiler(format!("`{name}` succeeded but wrote no library: {e}{}", tail(&output)))),
        Outcome::Done { ref output, .. } => {
            let output = output.replace(&source.display().to_string(), TEXT_NAME);
            if blames_text(&output, &text.files) {
                let words = "refused the text that was emitted for this kernel";
                Err(error::refused(format!("the C compiler `{name}` {words}:\n{}", shorten(&output))))
            } else {
                let flags = tools.flags.join(" ");
                Err(error::compiler(format!(
                    "the C compiler `{name}` {outcome}; its flags were `{flags}`{}",
                    tail(&output)
                )))
            }
        }
        Outcome::TimedOut { .. } => Err(error::compiler(format!("the C compiler `{name}` {outcome}"))),
    }
}

/// Whether the output has an error at a line of the text, rather than one of the compiler's own.
fn blames_text(output: &str, files: &[String]) -> bool {
    let own_fault = ["internal compiler error", "PLEASE submit a bug report", "No space left on device"];
    if own_fault.iter().any(|words| output.contains(words)) {
        return false;
    }
    output.lines().any(|line| {
        let at = files.iter().map(String::as_str).chain([TEXT_NAME]).find_map(|file| line.strip_prefix(file));
        at.is_some_and(|rest| rest.starts_with(':') && rest.contains("error:"))
    })
}

fn tail(output: &str) -> String {
    if output.trim().is_empty() { String::new() } else { format!(":\n{}", shorten(output)) }
}

fn shorten(output: &str) -> String {
    let output = output.trim_end();
    if output.len() <= MOST_OUTPUT {
        return output.to_owned();
    }
    let end = (0..=MOST_OUTPUT).rfind(|&at| output.is_char_boundary(at)).unwrap_or(0);
    format!("{}\n… ({} more bytes)", &output[..end], output.len() - end)
}

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
            Self::Done { status, .. } => write!(f, "ended with {status}"),
            Self::TimedOut { limit } => write!(
                f,
                "did not finish within {} s and was stopped; the property `compiler_timeout` sets the limit",
                limit.as_secs_f64()
            ),
        }
    }
}

/// Runs a program without input and collects what it says on both outputs.
pub(crate) fn run(mut command: Command, limit: Duration) -> Result<Outcome> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| error::compiler(format!("`{program}` could not be run: {e}"));
    let (mut reader, writer) = std::io::pipe().map_err(failed)?;
    command.stdin(Stdio::null()).stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    // A group of its own, so that the passes that a compiler driver starts end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(failed)?;
    // The writing ends live in `command` too; the pipe ends only when all are closed.
    drop(command);
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut output = Vec::new();
        let _ = reader.read_to_end(&mut output);
        // The receiver is gone after the limit.
        let _ = sender.send(output);
    });
    let output = match receiver.recv_timeout(limit) {
        Ok(output) => String::from_utf8_lossy(&output).into_owned(),
        Err(RecvTimeoutError::Disconnected) => String::new(),
        Err(RecvTimeoutError::Timeout) => {
            stop(&mut child);
            return Ok(Outcome::TimedOut { limit });
        }
    };
    let status = child.wait().map_err(failed)?;
    Ok(Outcome::Done { success: status.success(), status, output })
}

fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        // SAFETY: `kill` takes any number; the group is the child's own, and the child has not been waited for.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
    // It may have ended in between: then there is nothing to stop.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_at_a_line_of_the_text_is_the_texts() {
        let files = ["a.okl".to_owned(), "b.h".to_owned()];
        for (output, expected) in [
            ("a.okl:3:5: error: unknown type name 'foo'\n", true),
            ("b.h:1:1: fatal error: no\n", true),
            ("In file included from x\n<emitted text>:9:1: error: expected ';'\n", true),
            ("a.okl:3:5: warning: unused\ncc1: error: bad value 'x' for '-march='\n", false),
            ("gcc: error: unrecognized command-line option '-fnope'\n", false),
            ("a.okl:3:5: internal compiler error: Segmentation fault\n", false),
            ("", false),
        ] {
            assert_eq!(blames_text(output, &files), expected, "{output}");
        }
    }

    #[test]
    fn long_output_is_cut_at_a_character() {
        let long = "é".repeat(MOST_OUTPUT);
        let short = shorten(&long);
        assert!(short.len() < MOST_OUTPUT + 60 && short.contains("more bytes"));
        assert_eq!(shorten("a\n"), "a");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_hangs_is_stopped_with_what_it_started() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "sleep 60 & sleep 60; echo never"]);
        let begin = std::time::Instant::now();
        let outcome = run(command, Duration::from_millis(200)).expect("a shell starts");
        assert!(matches!(outcome, Outcome::TimedOut { .. }), "{outcome:?}");
        assert!(begin.elapsed() < Duration::from_secs(20));
        assert!(outcome.to_string().contains("compiler_timeout"));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_crashes_says_how() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "echo to stdout; echo to stderr >&2; kill -SEGV $$"]);
        let outcome = run(command, Duration::from_secs(60)).expect("a shell starts");
        assert!(outcome.to_string().contains("signal: 11"), "{outcome}");
        let Outcome::Done { success: false, output, .. } = outcome else { panic!("{outcome:?}") };
        assert!(output.contains("to stdout") && output.contains("to stderr"), "{output}");
    }
}
