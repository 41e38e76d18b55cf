//! The table of lines per crate in ARCHITECTURE.md.

use crate::pages;
use crate::process::{Result, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What stands around the table.
const BEGIN: &str = "<!-- cargo xtask lines -->\n";
const END: &str = "<!-- end of lines -->\n";

/// Languages of the sources.
const EXTENSIONS: [&str; 4] = ["rs", "wgsl", "c", "py"];

/// Counts the lines of every crate and writes the table.
pub(crate) fn lines() -> Result {
    let mut directories = files(&root().join("crates"), 1)?;
    directories.retain(|directory| directory.join("Cargo.toml").is_file());
    directories.sort();
    directories.push(root());
    let mut table = String::from("| crate | src | tests |\n| --- | ---: | ---: |\n");
    let mut totals = [0, 0];
    for directory in directories {
        let counts = count(&directory)?;
        let name = directory.strip_prefix(root()).map_or(String::new(), |path| path.display().to_string());
        let name = if name.is_empty() { "." } else { &name };
        table += &format!("| `{name}` | {} | {} |\n", counts[0], counts[1]);
        totals = [totals[0] + counts[0], totals[1] + counts[1]];
    }
    table += &format!("| all | {} | {} |\n", totals[0], totals[1]);
    pages::replace(&root().join("ARCHITECTURE.md"), BEGIN, END, |_| table.clone())?;
    print!("{table}");
    Ok(())
}

/// Lines of a package: what is shipped, and what tests it.
fn count(package: &Path) -> Result<[usize; 2]> {
    let mut counts = [0, 0];
    let sources = files(&package.join("src"), usize::MAX)?;
    let mut test_modules = BTreeSet::new();
    let mut texts = Vec::new();
    for path in sources {
        let text = read(&path)?;
        test_modules.extend(declared_for_tests(&path, &text));
        texts.push((path, text));
    }
    for (path, text) in texts {
        let is_test = path.ancestors().any(|part| test_modules.contains(&part.with_extension("")));
        let lines = text.lines().count();
        // A module of tests inside a file is its last item.
        let shipped = match text.find("#[cfg(test)]\nmod tests {") {
            _ if is_test => 0,
            Some(at) => text[..at].lines().count(),
            None => lines,
        };
        counts = [counts[0] + shipped, counts[1] + lines - shipped];
    }
    for path in files(&package.join("tests"), usize::MAX)? {
        counts[1] += read(&path)?.lines().count();
    }
    Ok(counts)
}

/// Modules that a file declares for tests alone, as paths without an extension.
fn declared_for_tests(path: &Path, text: &str) -> Vec<PathBuf> {
    let is_root = path.file_stem().is_some_and(|stem| ["lib", "main", "mod"].iter().any(|root| stem == *root));
    let directory = if is_root { path.parent().unwrap_or(path).to_path_buf() } else { path.with_extension("") };
    let lines: Vec<&str> = text.lines().collect();
    let is_for_tests = |line: &str| line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test,");
    let named = lines.windows(2).filter(|pair| is_for_tests(pair[0]));
    named.filter_map(|pair| Some(directory.join(pair[1].strip_prefix("mod ")?.strip_suffix(';')?))).collect()
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// What lies in a directory, down to a depth; at the last level everything, else sources. Nothing where it is missing.
fn files(directory: &Path, depth: usize) -> Result<Vec<PathBuf>> {
    let Ok(entries) = fs::read_dir(directory) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| format!("{}: {error}", directory.display()))?.path();
        if depth == 1 {
            found.push(path);
        } else if path.is_dir() {
            found.extend(files(&path, depth - 1)?);
        } else if path.extension().is_some_and(|own| EXTENSIONS.iter().any(|extension| own == *extension)) {
            found.push(path);
        }
    }
    Ok(found)
}
