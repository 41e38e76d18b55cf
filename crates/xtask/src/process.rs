//! Running other programs: each is printed before it starts, with its time once it is done, and a failure says which one failed.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A chore's result; the message is for the user.
pub(crate) type Result<T = ()> = std::result::Result<T, String>;

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).to_path_buf()
}

/// `cargo`, the one that runs us, in the workspace's root; `arguments` are words between spaces.
pub(crate) fn cargo(arguments: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments.split_whitespace()).current_dir(root());
    // Cargo tells its children about the package that it runs; a cargo below us must not take those for its own, or
    // build scripts that watch them run again.
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a program and fails when it fails.
pub(crate) fn check(command: &mut Command) -> Result {
    let line = describe(command);
    println!("+ {line}");
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("`{line}` could not be started: {error}"))?;
    match status.success() {
        true => {
            say_time(start);
            Ok(())
        }
        false => Err(format!("`{line}` failed ({status})")),
    }
}

/// Runs a cargo that writes JSON, one message a line, to its standard output, and returns the messages.
pub(crate) fn messages(command: &mut Command) -> Result<Vec<Value>> {
    let line = describe(command);
    println!("+ {line}");
    let start = Instant::now();
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("`{line}` could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{line}` failed ({})", output.status));
    }
    say_time(start);
    let text = String::from_utf8_lossy(&output.stdout);
    let parsed: std::result::Result<_, _> = text.lines().map(serde_json::from_str).collect();
    parsed.map_err(|error| format!("`{line}` printed something that is not JSON: {error}"))
}

/// Runs a program that prints for the user, and returns what it has printed.
pub(crate) fn output_shown(command: &mut Command) -> Result<String> {
    let line = describe(command);
    println!("+ {line}");
    let failed = |error: std::io::Error| format!("`{line}`: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut text = String::new();
    for printed in BufReader::new(child.stdout.take().ok_or("no output")?).lines() {
        let printed = printed.map_err(failed)?;
        println!("{printed}");
        text += &printed;
        text.push('\n');
    }
    match child.wait().map_err(failed)? {
        status if status.success() => Ok(text),
        status => Err(format!("`{line}` failed ({status})")),
    }
}

/// Says how long something took, where that is worth a line.
fn say_time(start: Instant) {
    let seconds = start.elapsed().as_secs();
    if seconds >= 5 {
        println!("  ({} min {:02} s)", seconds / 60, seconds % 60);
    }
}

/// What a program prints, or `None` when it cannot be started or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The command as one would type it, with paths relative to the root.
fn describe(command: &Command) -> String {
    let root = format!("{}{}", root().display(), std::path::MAIN_SEPARATOR);
    let program = Path::new(command.get_program());
    let name = match program.file_stem() {
        Some(stem) if stem == "cargo" => "cargo".to_owned(),
        _ => program.display().to_string(),
    };
    let words = command.get_args().map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once(name).chain(words).collect::<Vec<_>>().join(" ").replace(&root, "")
}
