//! Warnings of races: what they are `bounds::races` finds.

use crate::Diagnostic;
use crate::bounds::{Items, Race, races};
use crate::ir::{Kernel, Module, VarId};
use crate::rules;
use crate::source::{SourceMap, Span};

/// Characters of an element that a message shows.
const MOST_TEXT: usize = 40;

/// Checks one kernel. What is known to be a lost update is not told again.
pub(super) fn check(module: &Module, kernel: &Kernel, map: &SourceMap, found: &mut Vec<Diagnostic>) {
    let is_told = |race: &Race| {
        let mut lost = found.iter().filter(|finding| finding.rule == Some(rules::LOST_UPDATE));
        lost.any(|finding| contains(finding.span, race.read))
    };
    let untold: Vec<Race> = races(module, kernel).into_iter().filter(|race| !is_told(race)).collect();
    found.extend(untold.iter().map(|race| finding(kernel, race, map)));
}

fn finding(kernel: &Kernel, race: &Race, map: &SourceMap) -> Diagnostic {
    let element = |span| element(map, span, &race.memory);
    let read = element(race.read);
    let of_groups = matches!(race.items, Items::Apart { of_groups: true, .. });
    let (who, order) =
        if of_groups { ("group", "and groups run in no order") } else { ("item", "with no barrier between") };
    let which = match &race.items {
        Items::Apart { axis, distance: Some(distance), .. } => {
            format!("the {who} whose `{}` is {}", kernel.body.var(*axis).name, beside(*distance))
        }
        Items::These(indices) if !indices.is_empty() => format!("the item with {}", values(kernel, indices, 0)),
        _ => format!("another {who}"),
    };
    let and = match &race.items {
        Items::These(indices) if !indices.is_empty() => {
            format!(", and the one with {} reads it", values(kernel, indices, 1))
        }
        _ => String::new(),
    };
    let (message, does) = match race.are_updates {
        true => (format!("{read} is updated while another {who} updates it: updates get lost"), "updates"),
        false => (format!("{read} is read while another {who} writes it"), "writes"),
    };
    let hint = match (race.are_updates, race.is_shared) {
        (true, _) => "write `@atomic` before both updates".to_owned(),
        (false, true) if are_one_statement(map, race) => {
            format!("read it into a variable, write `@barrier;`, and only then write {}", element(race.write))
        }
        (false, true) => "write `@barrier;` between the two, or end the `@inner` loop and begin another one".to_owned(),
        (false, false) => {
            format!("write the results to other memory than `{}`, and swap the two for the next launch", race.memory)
        }
    };
    let note = format!("{which} {does} it here{and}, {order}");
    Diagnostic::warning(rules::RACE, race.read, message).label(race.write, note).hint(hint)
}

/// `i = 0, j = 1`: what an item's indices are.
fn values(kernel: &Kernel, indices: &[(VarId, [i64; 2])], which: usize) -> String {
    let index = |(axis, values): &(VarId, [i64; 2])| format!("`{} = {}`", kernel.body.var(*axis).name, values[which]);
    indices.iter().map(index).collect::<Vec<_>>().join(", ")
}

/// `greater by 1`
fn beside(distance: i64) -> String {
    let word = if distance < 0 { "less" } else { "greater" };
    format!("{word} by {}", distance.unsigned_abs())
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Whether what is read is assigned in the same statement.
fn are_one_statement(map: &SourceMap, race: &Race) -> bool {
    let between = Span { start: race.write.end, end: race.read.start, ..race.read };
    let are_near = race.write.file == race.read.file && between.start <= between.end;
    are_near && !map.text(between).contains([';', '{'])
}

/// An element as the source writes it, where that is short.
fn element(map: &SourceMap, span: Span, name: &str) -> String {
    let text = map.text(span).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.starts_with(name) && text.chars().count() <= MOST_TEXT {
        format!("`{text}`")
    } else {
        format!("an element of `{name}`")
    }
}
