//! What is said on the standard error: for people, or as JSON, an object a line, for editors.

use ferrocca::Error;
use ferrocca::okl::Diagnostics;
use serde_json::json;

/// How findings, notes and errors are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Sentences, with the line of the source.
    #[default]
    Human,
    /// An object a line: `severity`, `code`, `message`, `file`, `line`, `column`, `hint`, `notes`, `rendered` …
    Json,
}

impl Format {
    /// What the compiler has found.
    pub(crate) fn findings(self, found: &Diagnostics) {
        match self {
            Self::Human => eprint!("{found}"),
            Self::Json => found.list.iter().for_each(|finding| eprintln!("{}", finding.to_json(&found.map))),
        }
    }

    /// What is good to know.
    pub(crate) fn note(self, message: &str) {
        match self {
            Self::Human => eprintln!("note: {message}"),
            Self::Json => eprintln!("{}", json!({ "severity": "note", "message": message })),
        }
    }

    /// Why the command fails. A kernel's findings say `FILE:LINE:COLUMN: error: …` at the beginning of a line, where
    /// editors look for it.
    pub(crate) fn error(self, error: &Error) {
        match error.findings().filter(|_| error.context().is_empty()) {
            Some(found) => self.findings(found),
            None if self == Self::Json => eprintln!("{}", json!({ "severity": "error", "message": error.to_string() })),
            None => eprintln!("error: {error}"),
        }
    }
}
