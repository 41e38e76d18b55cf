//! Text to a shared library, by the host's C compiler in a directory of its own.

use crate::compiler::Toolchain;
use crate::error;
use crate::process::{Outcome, run};
use crate::ziglang;
use ferrocca_core::cache::temporary_directory;
use ferrocca_core::{Error, Result};
use okl::Compiled;
use okl::back::cpu::has_elementary_functions;
use std::path::Path;
use std::process::Command;

/// What the text is called in what the compiler says about lines that come from no source line.
const TEXT_NAME: &str = "<emitted text>";

/// Compiles `text` and answers the bytes of the shared library.
pub(crate) fn compile(tools: &Toolchain, text: &Compiled) -> Result<Vec<u8>> {
    let failed = |path: &Path, e: &std::io::Error| Error::io(path, e).while_doing("compiling a kernel");
    // Where somebody else has taken its name, nobody removes what a power cut leaves.
    let parent = temporary_directory().unwrap_or_else(|_| std::env::temp_dir());
    let directory =
        tempfile::Builder::new().prefix("ferrocca-").tempdir_in(&parent).map_err(|e| failed(&parent, &e))?;
    let source = directory.path().join("kernel.c");
    let library = directory.path().join("kernel.so");
    std::fs::write(&source, text.with_line_directives()).map_err(|e| failed(&source, &e))?;

    let mut command = Command::new(&tools.compiler.path);
    command.args(&tools.compiler.arguments);
    // `-x c`, because a compiler may have been named by its C++ name; libraries follow what needs them.
    command.args(["-x", "c"]).arg(&source).args(["-x", "none"]).args(&tools.flags);
    command.args(tools.vector_flag(has_elementary_functions(&text.text)));
    command.arg("-o").arg(&library);
    if ziglang::is(&tools.compiler.path, &tools.compiler.arguments) {
        let library = ziglang::prepare(&mut command, directory.path());
        command.args(library);
    } else {
        command.arg("-lm");
    }
    // What passes hand to each other goes with the directory, too.
    command.env("TMPDIR", directory.path());
    let outcome = run(command, Some(directory.path()), tools.timeout)?;
    let name = tools.named();
    match outcome {
        Outcome::Done { success: true, output, .. } => std::fs::read(&library)
            .map_err(|e| error::compiler(format!("{name} succeeded but wrote no library: {e}{}", tail(&output)))),
        Outcome::Done { ref output, .. } => {
            let output = output.replace(&source.display().to_string(), TEXT_NAME);
            if blames_text(&output, &text.files) {
                let words = "refused the text that was emitted for this kernel";
                Err(error::refused(format!("{name} {words}{}", tail(&output))))
            } else {
                let flags = tools.named_flags();
                Err(error::compiler(format!("{name} {outcome}; its flags were {flags}{}", tail(&output))))
            }
        }
        Outcome::TimedOut { .. } => Err(error::compiler(format!("{name} {outcome}"))),
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
    let output = output.trim_end();
    if output.is_empty() { String::new() } else { format!(":\n{output}") }
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
}
