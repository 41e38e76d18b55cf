//! `cargo xtask bench --table`: what the benchmark `kernels` measures on this machine, in docs/performance.md.

use crate::pages;
use crate::process::{Result, cargo, output_shown, root};

/// What stands around the tables, one a machine.
const BEGIN: &str = "<!-- cargo xtask bench --table -->\n";
const END: &str = "<!-- end of bench -->\n";

/// How the line with the machine begins, in what the benchmark prints and on the page.
const MACHINE: &str = "Machine: ";

/// Measures, and puts the table in the place of an older one of the same machine, or behind the others.
pub(crate) fn table() -> Result {
    let printed = output_shown(&mut cargo("bench --bench kernels"))?;
    let begin = printed.find(MACHINE).ok_or("the benchmark names no machine")?;
    let measured = &printed[begin..];
    pages::replace(&root().join("docs/performance.md"), BEGIN, END, |old| with(old, measured))
}

/// The tables of a page with one more, or another one of a machine that they have.
fn with(old: &str, measured: &str) -> String {
    let machine = |table: &str| table.lines().next().map(str::to_owned);
    let mut tables: Vec<&str> = old.split(MACHINE).skip(1).map(str::trim_end).collect();
    let new = measured.trim_start_matches(MACHINE).trim_end();
    match tables.iter_mut().find(|table| machine(table) == machine(new)) {
        Some(table) => *table = new,
        None => tables.push(new),
    }
    tables.iter().map(|table| format!("\n{MACHINE}{table}\n")).collect::<String>() + "\n"
}

#[cfg(test)]
mod tests {
    use super::with;

    #[test]
    fn a_table_replaces_that_of_its_machine_alone() {
        let one = with("", "Machine: a, 2 threads\n\n| x |\n");
        assert_eq!(one, "\nMachine: a, 2 threads\n\n| x |\n\n");
        let two = with(&one, "Machine: b, 2 threads\n\n| y |");
        assert_eq!(two, "\nMachine: a, 2 threads\n\n| x |\n\nMachine: b, 2 threads\n\n| y |\n\n");
        let new = with(&two, "Machine: a, 2 threads\n\n| z |");
        assert_eq!(new, two.replace("| x |", "| z |"));
    }
}
