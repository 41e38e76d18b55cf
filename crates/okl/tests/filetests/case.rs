//! A filetest's directives.

use super::text::TextCheck;
use super::value::{Operand, Reader};
use std::path::Path;

/// What `// target: all` means.
pub(crate) const ALL: [&str; 5] = ["cpu", "cuda", "opencl", "opencl_loops", "wgsl"];

/// One file with what it demands.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) source: String,
    pub(crate) mode: String,
    /// Labels of the targets that the file is emitted for.
    pub(crate) targets: Vec<String>,
    /// Those whose text is kept as a snapshot.
    pub(crate) texts: Vec<String>,
    pub(crate) text_checks: Vec<TextCheck>,
    pub(crate) defines: Vec<(String, String)>,
    /// What `@shared` arrays are built for whose sizes a launch decides.
    pub(crate) sizes: okl::Sizes,
    pub(crate) tolerance: Option<u32>,
    pub(crate) runs: Vec<Run>,
    pub(crate) errors: Vec<Finding>,
    /// What single targets refuse, each with its label.
    pub(crate) target_errors: Vec<(String, Finding)>,
    pub(crate) warnings: Vec<Finding>,
    /// The pass that a file of IR is a test of.
    pub(crate) pass: Option<String>,
}

/// One call of a kernel.
pub(crate) struct Run {
    /// Line of the directive.
    pub(crate) line: usize,
    pub(crate) kernel: String,
    pub(crate) arguments: Vec<(String, Operand)>,
    pub(crate) expected: Expected,
    /// What it prints.
    pub(crate) printed: Option<String>,
}

/// What a call gives.
pub(crate) enum Expected {
    /// These values; of other memory, and where there are none, the interpreter's.
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
    /// What the file is compiled with.
    pub(crate) fn options(&self, checks: okl::Checks) -> okl::Options {
        okl::Options { sizes: self.sizes.clone(), ..checks.into() }
    }

    /// Reads a file's directives: the comment lines at its head.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let source = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut case = Self {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            source: source.clone(),
            mode: "Serial".into(),
            targets: Vec::new(),
            texts: Vec::new(),
            text_checks: Vec::new(),
            defines: Vec::new(),
            sizes: okl::Sizes::new(),
            tolerance: None,
            runs: Vec::new(),
            errors: Vec::new(),
            target_errors: Vec::new(),
            warnings: Vec::new(),
            pass: None,
        };
        for (line, text) in directives(&source) {
            case.directive(line, &text).map_err(|e| format!("line {line}: {e}"))?;
        }
        if path.extension().is_some_and(|extension| extension == "ir") != case.pass.is_some() {
            return Err("`// pass:` belongs into a file of IR, and into each of them".into());
        }
        case.consistent()?;
        Ok(case)
    }

    fn consistent(&self) -> Result<(), String> {
        let demands = self.runs.len() + self.errors.len() + self.target_errors.len() + self.text_checks.len();
        if demands == 0 && self.pass.is_none() {
            return Err("the file demands nothing: it needs `// run:`, `// error:` or `// contains[target]:`".into());
        }
        if !self.errors.is_empty() && demands + self.targets.len() > self.errors.len() {
            return Err("a refused file can neither run nor have targets".into());
        }
        let labels = (self.texts.iter())
            .chain(self.text_checks.iter().flat_map(|check| &check.targets))
            .chain(self.target_errors.iter().map(|(label, _)| label));
        match labels.into_iter().find(|label| !self.targets.contains(label)) {
            Some(label) => Err(format!("`{label}` is none of the file's targets")),
            None => Ok(()),
        }
    }

    fn directive(&mut self, line: usize, text: &str) -> Result<(), String> {
        let Some((key, value)) = text.split_once(": ") else {
            return Ok(());
        };
        let value = value.trim();
        let (key, labels) = key.strip_suffix(']').and_then(|key| key.split_once('[')).unwrap_or((key, ""));
        let labels: Vec<String> = list(labels).collect();
        if let Some(check) = TextCheck::read(line, key, &labels, value)? {
            self.text_checks.push(check);
            return Ok(());
        }
        match key {
            "error" if !labels.is_empty() => {
                let finding = finding(value)?;
                self.target_errors.extend(labels.into_iter().map(|label| (label, finding.clone())));
            }
            _ if !labels.is_empty() => return Err(format!("`{key}` is not about single targets")),
            "mode" => self.mode = value.into(),
            "pass" => self.pass = Some(value.into()),
            "target" if value == "all" => self.targets.extend(ALL.map(Into::into)),
            "target" => self.targets.extend(list(value)),
            "text" => self.texts.extend(list(value)),
            "define" => {
                let (name, body) = value.split_once('=').ok_or("a define is `NAME=replacement`")?;
                self.defines.push((name.into(), body.into()));
            }
            "sizes" => {
                let (kernel, sizes) = value.split_once('=').ok_or("sizes are `kernel = 8, 4`")?;
                let sizes = sizes.split(',').map(|size| size.trim().parse().map_err(|e| format!("`{size}`: {e}")));
                self.sizes.insert(kernel.trim().into(), sizes.collect::<Result<_, String>>()?);
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

/// What stands between commas.
fn list(text: &str) -> impl Iterator<Item = String> {
    text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty())
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

/// `kernel(a=1, b=[…]) -> b=[…], c=[…]`, `… -> fault: text @line:column`, or the call alone.
/// ` prints "…"` may stand behind it, with `\\n` for the end of a line.
fn run(line: usize, text: &str) -> Result<Run, String> {
    let (text, printed) = match text.rsplit_once(" prints ") {
        Some((call, printed)) => {
            let printed = printed.trim().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            (call, Some(printed.ok_or("what is printed stands between quotes")?.replace("\\n", "\n")))
        }
        None => (text, None),
    };
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
    if reader.is_done() {
        return Ok(Run { line, kernel, arguments, expected: Expected::Values(Vec::new()), printed });
    }
    reader.expect("->")?;
    if reader.eat("fault:") {
        let expected = Expected::Fault(finding(reader.rest())?);
        return Ok(Run { line, kernel, arguments, expected, printed });
    }
    let mut expected = Vec::new();
    loop {
        expected.push(binding(&mut reader)?);
        if reader.is_done() {
            break;
        }
        reader.expect(",")?;
    }
    Ok(Run { line, kernel, arguments, expected: Expected::Values(expected), printed })
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
