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
            Self::Human => anstream::eprint!("{}", painted(&found.to_string())),
            Self::Json => found.list.iter().for_each(|finding| eprintln!("{}", finding.to_json(&found.map))),
        }
    }

    /// What is good to know.
    pub(crate) fn note(self, message: &str) {
        match self {
            Self::Human => anstream::eprintln!("{}", painted(&format!("note: {message}"))),
            Self::Json => eprintln!("{}", json!({ "severity": "note", "message": message })),
        }
    }

    /// What is probably not meant.
    pub(crate) fn warning(self, message: &str) {
        match self {
            Self::Human => anstream::eprintln!("{}", painted(&format!("warning: {message}"))),
            Self::Json => eprintln!("{}", json!({ "severity": "warning", "message": message })),
        }
    }

    /// Why the command fails. A kernel's findings say `FILE:LINE:COLUMN: error: …` at the beginning of a line, where
    /// editors look for it.
    pub(crate) fn error(self, error: &Error) {
        match error.findings().filter(|_| error.context().is_empty()) {
            Some(found) => self.findings(found),
            None if self == Self::Json => eprintln!("{}", json!({ "severity": "error", "message": error.to_string() })),
            None => anstream::eprintln!("{}", painted(&place_first(&error.to_string()))),
        }
    }
}

/// The words by which messages begin, behind a place or at the start of a line, and their colours: red, yellow, cyan.
const COLOURS: [(&str, &str); 4] =
    [("error:", "\x1b[1;31m"), ("warning:", "\x1b[1;33m"), ("note:", "\x1b[1;36m"), ("= hint:", "\x1b[1;36m")];

/// The text with colours, which the stream leaves out where it is no terminal or `NO_COLOR` is set.
fn painted(text: &str) -> String {
    const RESET: &str = "\x1b[0m";
    let paint = |line: &str| {
        // `FILE:LINE:COLUMN: error: …`, `error: …`, `  = hint: …`, and the line of carets.
        let found = COLOURS.iter().filter_map(|(word, colour)| line.find(word).map(|at| (at, word, colour))).min();
        match found {
            Some((at, word, colour)) if is_head(&line[..at]) => {
                format!("{}{colour}{word}{RESET}{}", &line[..at], &line[at + word.len()..])
            }
            _ if is_carets(line) => format!("\x1b[1;32m{line}{RESET}"),
            _ => line.to_owned(),
        }
    };
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => paint(line) + "\n",
            None => paint(line),
        })
        .collect()
}

/// An error as it is printed: `error: …`, or `FILE:LINE:COLUMN: error: …` where it begins with a place.
fn place_first(error: &str) -> String {
    match error.split_once(": ") {
        Some((place, rest)) if !place.contains(['\n', '`']) && is_head(&format!("{place}: ")) => {
            match rest.starts_with("error: ") {
                true => error.trim_end().to_owned(),
                false => format!("{place}: error: {rest}"),
            }
        }
        _ => format!("error: {error}"),
    }
}

/// Whether a message's word may stand behind this: nothing, white space, or `FILE:LINE:COLUMN: `.
fn is_head(before: &str) -> bool {
    let mut numbers = before.trim_end_matches(": ").rsplitn(3, ':');
    let is_place = before.ends_with(": ") && (0..2).all(|_| numbers.next().is_some_and(|n| n.parse::<u32>().is_ok()));
    before.trim().is_empty() || is_place
}

fn is_carets(line: &str) -> bool {
    line.split_once('|').is_some_and(|(front, rest)| {
        front.trim().is_empty() && rest.contains('^') && rest.chars().all(|c| c == '^' || c.is_whitespace() || c == '…')
    })
}

#[cfg(test)]
mod tests {
    use super::{painted, place_first};

    #[test]
    fn a_place_stands_before_the_word_and_the_word_stands_once() {
        for (error, expected) in [
            ("a.okl:1:2: error: race\n", "a.okl:1:2: error: race"),
            ("a.okl:1:2: kernel `k` is not supported: x", "a.okl:1:2: error: kernel `k` is not supported: x"),
            ("the compiler `cc` failed:\na.h:1:2: error: x", "error: the compiler `cc` failed:\na.h:1:2: error: x"),
            ("kernel `k`: a.okl:1:2: x", "error: kernel `k`: a.okl:1:2: x"),
            ("a.okl: No such file", "error: a.okl: No such file"),
        ] {
            assert_eq!(place_first(error), expected);
        }
    }

    #[test]
    fn colours_stand_on_the_words_that_begin_messages_alone() {
        let text = "a.okl:1:2: error: no `error: x`\n 1 | error: y\n   |   ^^\n  = hint: z\n";
        let expected = "a.okl:1:2: \x1b[1;31merror:\x1b[0m no `error: x`\n 1 | error: y\n\
                        \x1b[1;32m   |   ^^\x1b[0m\n  \x1b[1;36m= hint:\x1b[0m z\n";
        assert_eq!(painted(text), expected);
    }
}
