//! What becomes of warnings: `no-NAME` turns one off, `error=NAME` makes an error of it.

use super::Rule;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};

/// What becomes of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Nothing is said.
    Off,
    /// The kernel is built; the author should look.
    Warning,
    /// The kernel is refused.
    Error,
}

/// What becomes of each warning: as they are, where nothing else was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    all: Option<Level>,
    named: Vec<(&'static Rule, Level)>,
}

impl Levels {
    /// Adds a wish: `NAME`, `no-NAME`, `error=NAME`, or `error` for all. A later one counts, and one with a name counts
    /// before one for all. A code is as good as a name.
    /// # Errors
    /// A sentence that says which warnings there are.
    pub fn add(&mut self, wish: &str) -> Result<(), String> {
        let (name, level) = match wish.trim() {
            "error" => {
                self.all = Some(Level::Error);
                return Ok(());
            }
            wish => match (wish.strip_prefix("no-"), wish.strip_prefix("error=")) {
                (Some(name), _) => (name, Level::Off),
                (_, Some(name)) => (name, Level::Error),
                _ => (wish, Level::Warning),
            },
        };
        let rule = super::find(name).filter(|rule| rule.severity == Severity::Warning).ok_or_else(|| unknown(name))?;
        self.named.push((rule, level));
        Ok(())
    }

    /// What becomes of a warning.
    pub fn of(&self, rule: &Rule) -> Level {
        let named = self.named.iter().rev().find(|(other, _)| *other == rule).map(|(_, level)| *level);
        named.or(self.all).unwrap_or(Level::Warning)
    }

    /// Leaves out the warnings that are off, and makes errors of those that are to be.
    pub fn apply(&self, found: &mut Diagnostics) {
        let level = |finding: &Diagnostic| finding.rule.map_or(Level::Warning, |rule| self.of(rule));
        found.list.retain(|finding| finding.severity == Severity::Error || level(finding) != Level::Off);
        for finding in &mut found.list {
            if finding.severity == Severity::Warning && level(finding) == Level::Error {
                finding.severity = Severity::Error;
            }
        }
    }
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> =
        super::all().filter(|rule| rule.severity == Severity::Warning).map(|rule| rule.name).collect();
    let refused = super::find(name).map_or("", |_| ", which is an error and stays one");
    format!("there is no warning `{name}`{refused}; the warnings are: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{Level, Levels};
    use crate::rules;

    fn levels(wishes: &[&str]) -> Levels {
        let mut levels = Levels::default();
        wishes.iter().for_each(|wish| levels.add(wish).unwrap());
        levels
    }

    #[test]
    fn the_last_wish_counts_and_a_name_before_all() {
        let of = |wishes: &[&str]| levels(wishes).of(rules::EMPTY_LOOP);
        assert_eq!(of(&[]), Level::Warning);
        assert_eq!(of(&["error"]), Level::Error);
        assert_eq!(of(&["no-empty-loop", "error"]), Level::Off);
        assert_eq!(of(&["error=K076", "no-large-group"]), Level::Error);
        assert_eq!(of(&["error=empty-loop", "empty-loop"]), Level::Warning);
    }

    #[test]
    fn what_is_no_warning_is_refused() {
        let refused = Levels::default().add("no-emptyloop").unwrap_err();
        assert!(
            refused.starts_with("there is no warning `emptyloop`; the warnings are: macro-redefined, "),
            "{refused}"
        );
        let refused = Levels::default().add("no-undeclared").unwrap_err();
        assert!(refused.contains("`undeclared`, which is an error and stays one"), "{refused}");
    }
}
