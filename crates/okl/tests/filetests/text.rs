//! What a file says of the text that is emitted for it: snapshots of the whole, and lines that it contains or lacks.

use std::path::{Path, PathBuf};

/// `// contains[cuda]: __syncthreads();`
pub(crate) struct TextCheck {
    /// Line of the directive.
    pub(crate) line: usize,
    /// Labels of the targets.
    pub(crate) targets: Vec<String>,
    pub(crate) demand: Demand,
}

pub(crate) enum Demand {
    /// The text has this behind what the `contains` before it found.
    Contains(String),
    /// The text has this so many times.
    Count(usize, String),
}

impl TextCheck {
    /// Reads a directive; `None` for a key of another kind.
    pub(crate) fn read(line: usize, key: &str, targets: &[String], value: &str) -> Result<Option<Self>, String> {
        let demand = match key {
            "contains" => Demand::Contains(value.into()),
            "lacks" => Demand::Count(0, value.into()),
            "count" => {
                let (number, part) = value.split_once(' ').ok_or("a count is `NUMBER text`")?;
                Demand::Count(number.parse().map_err(|e| format!("`{number}`: {e}"))?, part.into())
            }
            _ => return Ok(None),
        };
        if targets.is_empty() {
            return Err(format!("`{key}` is about the text of a target: `{key}[cuda]`"));
        }
        Ok(Some(Self { line, targets: targets.to_vec(), demand }))
    }
}

/// Holds a target's text against every demand on it.
pub(crate) fn check_text(checks: &[TextCheck], label: &str, text: &str) -> Result<(), String> {
    let mut from = 0;
    for check in checks.iter().filter(|check| check.targets.iter().any(|target| target == label)) {
        let wrong = match &check.demand {
            Demand::Contains(part) => match text[from..].find(part) {
                Some(at) => {
                    from += at + part.len();
                    continue;
                }
                None => format!("`{part}` is not there behind line {}", text[..from].lines().count()),
            },
            Demand::Count(count, part) => match text.matches(part).count() {
                found if found == *count => continue,
                found => format!("`{part}` is there {found} times, not {count}"),
            },
        };
        return Err(format!("line {}: in the text for {label}: {wrong}\n{text}", check.line));
    }
    Ok(())
}

pub(crate) fn is_blessing() -> bool {
    std::env::var_os("FERROCCA_BLESS").is_some()
}

/// Where the snapshot of a text lies.
pub(crate) fn snapshot(folder: &Path, name: &str, label: &str, ending: &str) -> PathBuf {
    folder.join("expected").join(format!("{name}.{label}.{ending}"))
}

/// Compares a text with its snapshot, or writes that.
pub(crate) fn compare(path: &Path, text: &str) -> Result<(), String> {
    if is_blessing() {
        return std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()));
    }
    let blessed =
        std::fs::read_to_string(path).map_err(|e| format!("{}: {e}\nFERROCCA_BLESS=1 writes it", path.display()))?;
    // A checkout may have turned line ends.
    let blessed = blessed.replace("\r\n", "\n");
    if blessed == text {
        return Ok(());
    }
    let (line, (was, is)) = blessed
        .lines()
        .chain(std::iter::repeat("<end>"))
        .zip(text.lines().chain(std::iter::repeat("<end>")))
        .enumerate()
        .find(|(_, (was, is))| was != is || *was == "<end>")
        .unwrap_or((0, ("", "")));
    Err(format!(
        "the emitted text differs from {} at line {}\n  was: {was}\n  is:  {is}\nFERROCCA_BLESS=1 accepts it",
        path.display(),
        line + 1
    ))
}

/// Snapshots that no file names; blessing removes them.
pub(crate) fn stale(folder: &Path, named: &[PathBuf]) -> Result<(), String> {
    let entries = std::fs::read_dir(folder.join("expected")).map_err(|e| e.to_string())?;
    let mut stale: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    stale.retain(|path| !named.contains(path));
    if is_blessing() {
        return stale.iter().try_for_each(|path| std::fs::remove_file(path).map_err(|e| e.to_string()));
    }
    if stale.is_empty() { Ok(()) } else { Err(format!("no `// text:` names {stale:?}; FERROCCA_BLESS=1 removes them")) }
}
