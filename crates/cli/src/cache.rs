//! `clear`: empties the kernel cache.

use ferrocca::cache::Cache;
use ferrocca::{Error, Result};
use std::io::{BufRead, IsTerminal, Write};

/// Removes every entry, after asking unless `yes`.
pub(crate) fn clear(yes: bool) -> Result<String> {
    let cache = Cache::open_default()?;
    let directory = cache.directory().display().to_string();
    let entries = cache.entries()?.len();
    if entries == 0 && cache.bytes() == 0 {
        return Ok(format!("{directory} is empty\n"));
    }
    if !yes && !confirm(&format!("remove {entries} built kernel files from {directory}? [y/N] "))? {
        return Ok("nothing was removed\n".to_owned());
    }
    let cleared = cache.clear()?;
    let mebibytes = cleared.bytes as f64 / (1u64 << 20) as f64;
    Ok(format!("removed {} built kernel files, {mebibytes:.1} MiB, from {directory}\n", cleared.entries))
}

/// Asks on the terminal.
fn confirm(question: &str) -> Result<bool> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return Err(Error::invalid("there is no terminal to ask on: pass `--yes` to empty the cache"));
    }
    let failed = |error: std::io::Error| Error::io("terminal", &error);
    let mut answer = String::new();
    eprint!("{question}");
    std::io::stderr().flush().map_err(failed)?;
    input.lock().read_line(&mut answer).map_err(failed)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}
