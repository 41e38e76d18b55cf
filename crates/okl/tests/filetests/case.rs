//! A filetest's directives.

use crate::value::{Operand, Reader};
use std::path::Path;

/// One file with what it demands.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) mode: String,
    pub(crate) targets: Vec<String>,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) tolerance: Option<u32>,
    pub(crate) runs: Vec<Run>,
    pub(crate) errors: Vec<Finding>,
    pub(crate) warnings: Vec<Finding>,
}

/// One call of a kernel.
pub(crate) struct Run {
    /// Line of the directive.
    pub(crate) line: usize,
    pub(crate) kernel: String,
    pub(crate) arguments: Vec<(String, Operand)>,
    pub(crate) expected: Expected,
}

/// What a call gives.
pub(crate) enum Expected {
    Values(Vec<(String, Operand)>),
    Fault(Finding),
}

/// A message: part of its text, and the line and column that it points to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finding {
    pub(crate) text: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl Case {
    /// Reads a file's directives: the comment lines at its head.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let source = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut case = Self {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            source: source.clone(),
            mode: "Serial".into(),
            targets: Vec::new(),
            defines: Vec::new(),
            tolerance: None,
            runs: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
        };
        for (line, text) in directives(&source) {
            case.directive(line, &text).map_err(|e| format!("line {line}: {e}"))?;
        }
        if case.runs.is_empty() && case.errors.is_empty() {
            return Err("the file demands nothing: it needs `// run:` or `// error:`".into());
        }
        if !case.errors.is_empty() && (!case.runs.is_empty() || !case.targets.is_empty()) {
            return Err("a refused file can neither run nor have targets".into());
        }
        Ok(case)
    }

    fn directive(&mut self, line: usize, text: &str) -> Result<(), String> {
        let Some((key, value)) = text.split_once(": ") else {
            return Ok(());
        };
        let value = value.trim();
        match key {
            "mode" => self.mode = value.into(),
            "target" => self.targets.push(value.into()),
            "define" => {
                let (name, body) = value.split_once('=').ok_or("a define is `NAME=replacement`")?;
                self.defines.push((name.into(), body.into()));
            }
            "tolerance" => {
                let number = value.strip_suffix(" ulp").ok_or("a tolerance is `N ulp`")?;
                self.tolerance = Some(number.parse().map_err(|e| format!("`{number}`: {e}"))?);
            }
            "run" => self.runs.push(run(line, value)?),
            "error" => self.errors.push(finding(value)?),
            "warning" => self.warnings.push(finding(value)?),
            // Prose may hold a colon; a misspelt directive must not pass for prose.
            _ if key.chars().all(|c| c.is_ascii_lowercase()) => {
                return Err(format!("unknown directive `{key}`"));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The comment lines at the head of a file, each with its line number; a line that goes on with three or more
/// spaces belongs to the one before it.
fn directives(source: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let Some(text) = line.strip_prefix("//") else {
            break;
        };
        match found.last_mut() {
            Some((_, last)) if text.starts_with("   ") => {
                last.push(' ');
                last.push_str(text.trim());
            }
            _ => found.push((index + 1, text.trim().to_owned())),
        }
    }
    found
}

/// `kernel(a=1, b=[…]) -> b=[…], c=[…]` or `… -> fault: text @line:column`
fn run(line: usize, text: &str) -> Result<Run, String> {
    let mut reader = Reader::new(text);
    let kernel = reader.word()?;
    reader.expect("(")?;
    let mut arguments = Vec::new();
    while !reader.eat(")") {
        if !arguments.is_empty() {
            reader.expect(",")?;
        }
        arguments.push(binding(&mut reader)?);
    }
    reader.expect("->")?;
    if reader.eat("fault:") {
        let expected = Expected::Fault(finding(reader.rest())?);
        return Ok(Run { line, kernel, arguments, expected });
    }
    let mut expected = Vec::new();
    loop {
        expected.push(binding(&mut reader)?);
        if reader.is_done() {
            break;
        }
        reader.expect(",")?;
    }
    Ok(Run { line, kernel, arguments, expected: Expected::Values(expected) })
}

fn binding(reader: &mut Reader<'_>) -> Result<(String, Operand), String> {
    let name = reader.word()?;
    reader.expect("=")?;
    Ok((name, reader.operand()?))
}

fn finding(text: &str) -> Result<Finding, String> {
    let (text, at) = text.rsplit_once('@').ok_or("a finding is `part of its text @line:column`")?;
    let (line, column) = at.split_once(':').ok_or("a place is `line:column`")?;
    let number = |s: &str| s.trim().parse().map_err(|e| format!("`{s}`: {e}"));
    Ok(Finding { text: text.trim().into(), line: number(line)?, column: number(column)? })
}
