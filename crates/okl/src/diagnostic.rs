//! What the compiler says to the author of a kernel: one [`Diagnostic`] per finding, many per run.

use crate::rules::Rule;
use crate::source::{SourceMap, Span};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The kernel is refused.
    Error,
    /// The kernel is built; the author should look.
    Warning,
}

/// One finding, with its place, further places and a hint.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The rule that is broken; `None` for a fault of a kernel that runs.
    pub rule: Option<&'static Rule>,
    /// One sentence without a full stop: what is wrong, what was expected.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Further places that matter, each with a note.
    pub labels: Vec<(Span, String)>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error at `span`: something breaks `rule`, one of [`crate::rules`].
    pub fn error(rule: &'static Rule, span: Span, message: impl Into<String>) -> Self {
        debug_assert_eq!(rule.severity, Severity::Error, "`{}` is a warning", rule.name);
        Self { rule: Some(rule), ..Self::fault(span, message) }
    }

    /// A warning at `span`.
    pub fn warning(rule: &'static Rule, span: Span, message: impl Into<String>) -> Self {
        debug_assert_eq!(rule.severity, Severity::Warning, "`{}` is an error", rule.name);
        Self { severity: Severity::Warning, rule: Some(rule), ..Self::fault(span, message) }
    }

    /// What a kernel did wrong when it ran: no rule of the compiler's.
    pub fn fault(span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity: Severity::Error, rule: None, message, span, labels: Vec::new(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a further place.
    #[must_use]
    pub fn label(mut self, span: Span, note: impl Into<String>) -> Self {
        self.labels.push((span, note.into()));
        self
    }

    /// The finding as text: `file:line:column: error: message [code]`, the source line, a caret, notes and hint.
    pub fn render(&self, map: &SourceMap) -> String {
        let mut out = String::new();
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        // The user wrote the macro call; what it expanded to follows as a note.
        let at = map.call_site(self.span);
        let code = self.rule.map_or_else(String::new, |rule| format!(" [{}]", rule.code));
        snippet(&mut out, map, at, word, &format!("{}{code}", self.message));
        expansions(&mut out, map, self.span);
        for (span, note) in &self.labels {
            snippet(&mut out, map, map.call_site(*span), "note", note);
            expansions(&mut out, map, *span);
        }
        if let Some(hint) = &self.hint {
            let _ = writeln!(out, "  = hint: {hint}");
        }
        out
    }
}

impl Diagnostic {
    /// The finding as an object: `severity`, `code` and `name` of its rule, `message`, its place (`file`, `line`, `column`,
    /// `end_line`, `end_column`; from 1, columns in characters, the end is one past), `hint`, `notes` with places of their
    /// own, and `rendered`, what [`render`](Self::render) says. What is not there is null.
    pub fn to_json(&self, map: &SourceMap) -> Value {
        let note = |(span, note): &(Span, String)| with_place(json!({ "message": note }), map, *span);
        let finding = json!({
            "severity": if self.severity == Severity::Error { "error" } else { "warning" },
            "code": self.rule.map(|rule| rule.code),
            "name": self.rule.map(|rule| rule.name),
            "message": self.message,
            "hint": self.hint,
            "notes": self.labels.iter().map(note).collect::<Vec<_>>(),
            "rendered": self.render(map),
        });
        with_place(finding, map, self.span)
    }
}

/// Where the user wrote what a span covers, as further fields of an object.
fn with_place(mut object: Value, map: &SourceMap, span: Span) -> Value {
    let span = map.call_site(span);
    let file = map.file(span);
    let (start, end) =
        file.map(|file| (file.line_column(span.start), file.line_column(span.end.max(span.start)))).unzip();
    object["file"] = json!(file.map(|file| &file.name));
    object["line"] = json!(start.map(|(line, _)| line));
    object["column"] = json!(start.map(|(_, column)| column));
    object["end_line"] = json!(end.map(|(line, _)| line));
    object["end_column"] = json!(end.map(|(_, column)| column));
    object
}

/// Of a chain of macros that call each other, so many are shown.
const MAX_EXPANSIONS_SHOWN: usize = 6;
/// Characters of a source line that are shown, around the place in question.
const MAX_COLUMNS: usize = 160;

/// The macros that a place was written by, innermost first.
fn expansions(out: &mut String, map: &SourceMap, mut span: Span) {
    let mut shown = 0;
    while let Some(expansion) = span.expansion.checked_sub(1).and_then(|e| map.expansions.get(e as usize)) {
        if shown == MAX_EXPANSIONS_SHOWN {
            let _ = writeln!(out, "  = note: further expansions are not shown");
            return;
        }
        let place = Span { expansion: 0, ..span };
        snippet(out, map, place, "note", &format!("in expansion of macro `{}`", expansion.name));
        span = expansion.call;
        shown += 1;
    }
}

/// `file:line:column: word: message`, the source line, a caret.
fn snippet(out: &mut String, map: &SourceMap, span: Span, word: &str, message: &str) {
    let Some(file) = map.file(span) else {
        let _ = writeln!(out, "{word}: {message}");
        return;
    };
    let (line, column) = file.line_column(span.start);
    let _ = writeln!(out, "{}:{line}:{column}: {word}: {message}", file.name);
    let (end_line, end_column) = file.line_column(span.end.max(span.start));
    let text = file.line(line);
    let columns = text.chars().count();
    let start = column as usize - 1;
    let end = if end_line == line { end_column as usize - 1 } else { columns };
    // Of a long line, the part around the place.
    let first = if columns > MAX_COLUMNS { start.saturating_sub(MAX_COLUMNS / 2) } else { 0 };
    let last = columns.min(first + MAX_COLUMNS);
    let front = if first > 0 { "… " } else { "" };
    let back = if last < columns { " …" } else { "" };
    let part: String = text.chars().skip(first).take(last - first).collect();
    // Tabs are kept so that the caret stands under its character.
    let lead: String =
        front.chars().chain(part.chars().take(start - first)).map(|c| if c == '\t' { c } else { ' ' }).collect();
    let carets = "^".repeat(end.min(last).saturating_sub(start).max(1));
    let gutter = line.to_string();
    let pad = " ".repeat(gutter.len());
    let _ = writeln!(out, " {gutter} | {front}{part}{back}");
    let _ = writeln!(out, " {pad} | {lead}{carets}");
}

/// Of many findings so many are shown, errors first.
const MAX_SHOWN: usize = 100;

/// The findings of one run, and the sources they point into.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    /// Findings in the order in which they were made.
    pub list: Vec<Diagnostic>,
    /// The files and macro expansions.
    pub map: SourceMap,
}

impl Diagnostics {
    /// Whether any finding is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }
}

impl std::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of = |severity: Severity| self.list.iter().filter(move |d| d.severity == severity);
        let (errors, warnings) = (of(Severity::Error).count(), of(Severity::Warning).count());
        let mut errors_left = errors.min(MAX_SHOWN);
        let mut warnings_left = warnings.min(MAX_SHOWN - errors_left);
        let hidden = [(errors - errors_left, "errors"), (warnings - warnings_left, "warnings")];
        let mut is_first = true;
        for diagnostic in &self.list {
            let left = match diagnostic.severity {
                Severity::Error => &mut errors_left,
                Severity::Warning => &mut warnings_left,
            };
            let Some(fewer) = left.checked_sub(1) else { continue };
            *left = fewer;
            if !std::mem::take(&mut is_first) {
                writeln!(f)?;
            }
            f.write_str(&diagnostic.render(&self.map))?;
        }
        for (count, what) in hidden.into_iter().filter(|(count, _)| *count > 0) {
            writeln!(f, "\n… and {count} more {what}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
