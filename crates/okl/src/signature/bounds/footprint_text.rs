//! The footprint as a reader sees it.

use super::super::Signature;
use super::text::Writer;
use super::{AccessKind, Bounds, Sum, Term};
use std::collections::BTreeMap;
use std::fmt::Write as _;

impl Signature {
    /// What an item of each nest reads and writes of the memory that a launch is given: for each parameter an index, made
    /// of the position of its group (`g0`, `g1`, `g2`), its own within the group (`i0`, `i1`, `i2`) and of variables such
    /// as counts of iterations (`v5`), the offsets from it, and the conditions below which that happens.
    pub fn footprint_text(&self) -> String {
        let mut out = String::new();
        for nest in &self.nests {
            let _ = writeln!(out, "{}:", nest.entry);
            let names = |variable| name(&nest.bounds, variable);
            let writer = Writer { signature: self, bounds: &nest.bounds, names: &names };
            write(&writer, &mut out);
        }
        out
    }
}

fn name(bounds: &Bounds, variable: u32) -> String {
    let among = |variables: &[Option<u32>; 3]| variables.iter().position(|of| *of == Some(variable));
    match (among(&bounds.groups), among(&bounds.items)) {
        (Some(axis), _) => format!("g{axis}"),
        (_, Some(axis)) => format!("i{axis}"),
        _ => format!("v{variable}"),
    }
}

/// An index that differs from item to item, below a guard, and the offsets from it.
type Lines = BTreeMap<(u32, AccessKind, Option<Vec<Term>>, Option<u32>), Vec<Sum>>;

fn write(writer: &Writer<'_>, out: &mut String) {
    let Some(all) = &writer.bounds.touched else {
        out.push_str("  not known\n");
        return;
    };
    let mut lines = Lines::new();
    for touched in all {
        let split = touched
            .index
            .as_ref()
            .map(|index| index.terms.iter().cloned().partition::<Vec<Term>, _>(|term| term.variable.is_some()));
        let (varying, known) = split.unzip();
        let offsets = lines.entry((touched.param, touched.kind, varying, touched.guard)).or_default();
        let terms = known.unwrap_or_default();
        offsets.extend(touched.constants.iter().map(|&constant| Sum { constant, terms: terms.clone() }));
    }
    for ((param, kind, varying, guard), offsets) in lines {
        let verb = match kind {
            AccessKind::Read => "reads",
            AccessKind::Write => "writes",
            AccessKind::Update => "updates",
        };
        let elements = varying.map_or("any".to_owned(), |terms| elements(writer, terms, &offsets));
        let guards = writer.guards(guard);
        let below = if guards.is_empty() { String::new() } else { format!(" where {}", guards.join(", ")) };
        let _ = writeln!(out, "  {verb} {}[{elements}]{below}", writer.param(param));
    }
}

/// `256*g0 + i0 + {-1, 0, 1}`
fn elements(writer: &Writer<'_>, terms: Vec<Term>, offsets: &[Sum]) -> String {
    let base = writer.sum(&Sum { constant: 0, terms: terms.clone() });
    let all: Vec<String> = offsets.iter().map(|offset| writer.sum(offset)).collect();
    match (terms.as_slice(), all.as_slice()) {
        ([], [one]) => one.clone(),
        (_, [one]) if one == "0" => base,
        (_, [one]) => format!("{base} + {one}").replace(" + - ", " - "),
        ([], all) => format!("{{{}}}", all.join(", ")),
        (_, all) => format!("{base} + {{{}}}", all.join(", ")),
    }
}
