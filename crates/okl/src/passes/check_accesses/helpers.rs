//! The functions that checks call, as textual IR.

use crate::ir::rewrite::{Rewriter, at_span, rewrite_place, rewrite_stmt};
use crate::ir::{Expr, Function, FunctionId, Place, Scalar, Stmt, parse};
use crate::source::Span;

/// A function that checks an index of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// The index, or 0 where it is out of range.
    Index,
    /// Whether it lies within.
    Inside,
}

/// Functions of the helpers for one type of index: the report, then one for each check.
const EACH: usize = 3;

/// A fault leaves a record, unless there is one that nobody has read: 1, the number of the place, the index and the length,
/// low half first, the group's number along each axis and the item's. An index below zero is a large number without sign.
/// `TYPE` is the index's type, `_SUFFIX` tells the functions apart, `HIGH` shifts the high half down.
const TEXT: &str = "\
fn report_fault_SUFFIX(index: TYPE, length: uTYPE, place: u32, WHO_PARAMS, faults: *u32 restrict) -> void
  var before: u32
  before = old of atomic faults[0] = 1u32
  if (before == 0u32)
    faults[1] = place
    faults[2] = ((u32) index)
    faults[3] = ((u32) (index >> HIGH))
    faults[4] = LOWER
    faults[5] = UPPER
WHO_STORES
pure reports fn index_or_zero_SUFFIX(index: TYPE, length: uTYPE, place: u32, WHO_PARAMS, faults: *u32 restrict) -> TYPE
  if (((uTYPE) index) < length)
    return index
  call report_fault_SUFFIX(index, length, place, WHO_NAMES, &faults[0])
  return 0TYPE
pure reports fn is_in_range_SUFFIX(index: TYPE, length: uTYPE, place: u32, WHO_PARAMS, faults: *u32 restrict) -> bool
  if (((uTYPE) index) < length)
    return true
  call report_fault_SUFFIX(index, length, place, WHO_NAMES, &faults[0])
  return false
";

/// What the numbers of a group and an item along the axes are called: those that some kernel of the module has.
pub(super) const WHO: [&str; 6] = ["group_x", "group_y", "group_z", "item_x", "item_y", "item_z"];

/// Word of the record in which the first of them stands.
const FIRST_OF_WHO: usize = 6;

/// The functions for indices of 64 bits, or of 32 bits, whose high half is their sign.
fn text(is_narrow: bool, who: &[usize]) -> String {
    let (suffix, ty, high) = if is_narrow { ("_int", "32", "31") } else { ("", "64", "32") };
    let (lower, upper) = if is_narrow { ("length", "0u32") } else { ("((u32) length)", "((u32) (length >> 32u64))") };
    let names: Vec<&str> = who.iter().map(|&axis| WHO[axis]).collect();
    let params: Vec<String> = names.iter().map(|name| format!("{name}: u32")).collect();
    let stores: Vec<String> =
        who.iter().map(|&axis| format!("    faults[{}] = {}", FIRST_OF_WHO + axis, WHO[axis])).collect();
    TEXT.replace("WHO_PARAMS", &params.join(", "))
        .replace("WHO_NAMES", &names.join(", "))
        .replace("WHO_STORES", &stores.join("\n"))
        .replace("_SUFFIX", suffix)
        .replace("uTYPE", &format!("u{ty}"))
        .replace("TYPE", &format!("i{ty}"))
        .replace("HIGH", high)
        .replace("LOWER", lower)
        .replace("UPPER", upper)
}

/// Which helpers a module needs. Until all of it has been seen they go by numbers that no function has.
#[derive(Default)]
pub(super) struct Helpers {
    wide: bool,
    narrow: bool,
}

impl Helpers {
    /// Stands for the function that checks indices of a type.
    pub(super) fn get(&mut self, check: Check, index: Scalar) -> FunctionId {
        let is_narrow = index == Scalar::I32;
        *(if is_narrow { &mut self.narrow } else { &mut self.wide }) = true;
        FunctionId(u32::MAX - 2 * u32::from(is_narrow) - check as u32)
    }

    /// The functions, which come before all others.
    pub(super) fn functions(&self, who: &[usize]) -> Vec<Function> {
        let wide = self.wide.then(|| text(false, who));
        let text: String = wide.into_iter().chain(self.narrow.then(|| text(true, who))).collect();
        let module = parse(&text).unwrap_or_else(|error| unreachable!("the helpers are IR: {error}"));
        let mut functions = module.functions;
        functions.iter_mut().for_each(forget_spans);
        functions
    }

    /// The number that a function, or what stands for one, has behind the helpers.
    pub(super) fn number(&self, function: FunctionId) -> FunctionId {
        let wide = if self.wide { EACH as u32 } else { 0 };
        let narrow = if self.narrow { EACH as u32 } else { 0 };
        FunctionId(match u32::MAX - function.0 {
            check @ 0..2 => 1 + check,
            check @ 2..4 => wide + 1 + (check - 2),
            _ => wide + narrow + function.0,
        })
    }
}

/// What stands in no source has no place there.
pub(in crate::passes) fn forget_spans(function: &mut Function) {
    struct Forget;
    impl Rewriter for Forget {
        fn stmt(&mut self, stmt: &mut Stmt) {
            stmt.span = Span::default();
            rewrite_stmt(self, stmt);
        }
        fn expr(&mut self, expr: &mut Expr) {
            *expr = at_span(expr, Span::default());
        }
        fn place(&mut self, place: &mut Place) {
            place.span = Span::default();
            rewrite_place(self, place);
        }
    }
    function.span = Span::default();
    function.body.vars.iter_mut().for_each(|var| var.span = Span::default());
    Forget.list(&mut function.stmts);
}
