//! Every rule of legality and every warning of the compiler: one table, in the order of the compiler's stages.
//!
//! A finding is made of a rule ([`Diagnostic::error`](crate::Diagnostic::error) takes one), so that there is none without a
//! code. A new rule is a row: code, name, sentence, an example that breaks it and one that keeps it, and why it is there.
//! `ferrocca explain` prints a row and `docs/rules.md` is made of all of them; the filetests show that the first example
//! breaks this rule, and that the second one compiles for every target.
//!
//! An example without `@kernel` is the body of [`KERNEL`]; lines before `---` stand before the kernel.
//! Codes are never used again: a rule that goes leaves a gap.

use crate::diagnostic::Severity;

/// Declares rules: `CODE CONSTANT "name" Severity "sentence" wrong "…" right "…" why "…";`. `on` before `wrong`'s text
/// names the target, in the words of the filetests, where a rule is one of a target's.
macro_rules! rules {
    ($($code:ident $id:ident $name:literal $severity:ident $sentence:literal
       wrong $(on $target:literal)? $wrong:literal right $right:literal why $why:literal;)*) => {
        $(
            #[doc = $sentence]
            pub const $id: &crate::rules::Rule = &crate::rules::Rule {
                code: stringify!($code),
                name: $name,
                severity: crate::Severity::$severity,
                sentence: $sentence,
                target: concat!("" $(, $target)?),
                wrong: $wrong,
                right: $right,
                why: $why,
            };
        )*
        pub(super) const ALL: &[&crate::rules::Rule] = &[$($id),*];
    };
}

mod complex;
mod device;
mod kernels;
mod levels;
mod memory;
mod names;
mod preprocess;
mod print;
mod race;
mod subgroup;
mod syntax;
mod values;

pub use complex::*;
pub use device::*;
pub use kernels::*;
pub use levels::{Level, Levels};
pub use memory::*;
pub use names::*;
pub use preprocess::*;
pub use print::*;
pub use race::*;
pub use subgroup::*;
pub use syntax::*;
pub use values::*;

/// A rule of the language, or a warning.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// `K012`
    pub code: &'static str,
    /// What it is called on a command line: `assignment-in-condition`.
    pub name: &'static str,
    /// Whether a kernel that breaks it is refused.
    pub severity: Severity,
    /// One sentence: what must hold.
    pub sentence: &'static str,
    /// The target whose rule it is, and what its device lacks: `wgsl without f64`. Empty for a rule of all.
    pub target: &'static str,
    /// An example that breaks it, perhaps without what all examples have: [`wrong_kernels`](Self::wrong_kernels).
    pub wrong: &'static str,
    /// An example that keeps it.
    pub right: &'static str,
    /// Why the rule is there.
    pub why: &'static str,
}

/// What the body of an example stands in.
pub const KERNEL: &str = "@kernel void k(const int n, float *x, int *p) {\n  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {\nBODY  }\n}\n";

impl Rule {
    /// Kernels that break the rule.
    pub fn wrong_kernels(&self) -> String {
        complete(self.wrong)
    }

    /// The same kernels without the fault.
    pub fn right_kernels(&self) -> String {
        complete(self.right)
    }

    /// The page of the rule, in Markdown.
    pub fn page(&self) -> String {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let target = match self.target {
            "" => String::new(),
            target => format!(" of the target `{target}`"),
        };
        format!(
            "## {} {}\n\n{}\n\nWrong ({severity}{target}):\n\n```c\n{}```\n\nRight:\n\n```c\n{}```\n\n{}\n",
            self.code,
            self.name,
            self.sentence,
            self.wrong_kernels(),
            self.right_kernels(),
            self.why
        )
    }
}

fn complete(example: &str) -> String {
    let example = example.trim_matches('\n');
    if example.contains("@kernel") || !example.contains(';') {
        return format!("{example}\n");
    }
    let (before, body) = example.split_once("---\n").unwrap_or(("", example));
    let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!("{before}{}", KERNEL.replace("BODY", &body))
}

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [
        preprocess::ALL,
        syntax::ALL,
        names::ALL,
        kernels::ALL,
        memory::ALL,
        values::ALL,
        print::ALL,
        subgroup::ALL,
        complex::ALL,
        race::ALL,
        device::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The rule of a code or name, in any case.
pub fn find(name: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.code.eq_ignore_ascii_case(name) || rule.name.eq_ignore_ascii_case(name))
}

/// All pages, as a document.
pub fn document() -> String {
    let mut text = String::from(
        "# Rules and warnings\n\nMade from the compiler's table (`okl::rules`): `FERROCCA_BLESS=1 cargo test -p \
         ferrocca-okl --test filetests rules_` writes it anew. `ferrocca explain K030` prints one of them.\n\n\
         `-W no-NAME` turns a warning off, `-W error=NAME` makes it an error, `-W error` all of them; the kernel property \
         `warnings: 'no-NAME, error=NAME'` does the same in a program.\n",
    );
    for rule in all() {
        text.push('\n');
        text.push_str(&rule.page());
    }
    text
}
