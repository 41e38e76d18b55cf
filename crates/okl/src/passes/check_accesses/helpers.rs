//! The functions that checks call, as textual IR.

use crate::ir::rewrite::{Rewriter, at_span, rewrite_place, rewrite_stmt};
use crate::ir::{BinaryOp, Expr, Function, FunctionId, Place, Scalar, Stmt, parse};
use crate::source::Span;

/// A function that checks an index of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// The index, or 0 where it is out of range.
    Index,
    /// Whether it lies within.
    Inside,
}

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

/// A text with what tells who runs: numbers along these axes.
fn with_who(text: &str, who: &[usize]) -> String {
    let names: Vec<&str> = who.iter().map(|&axis| WHO[axis]).collect();
    let params: Vec<String> = names.iter().map(|name| format!("{name}: u32")).collect();
    let stores: Vec<String> =
        who.iter().map(|&axis| format!("    faults[{}] = {}", FIRST_OF_WHO + axis, WHO[axis])).collect();
    text.replace("WHO_PARAMS", &params.join(", "))
        .replace("WHO_NAMES", &names.join(", "))
        .replace("WHO_STORES", &stores.join("\n"))
}

/// The functions for indices of 64 bits, or of 32 bits, whose high half is their sign.
fn text(is_narrow: bool) -> String {
    let (suffix, ty, high) = if is_narrow { ("_int", "32", "31") } else { ("", "64", "32") };
    let (lower, upper) = if is_narrow { ("length", "0u32") } else { ("((u32) length)", "((u32) (length >> 32u64))") };
    TEXT.replace("_SUFFIX", suffix)
        .replace("uTYPE", &format!("u{ty}"))
        .replace("TYPE", &format!("i{ty}"))
        .replace("HIGH", high)
        .replace("LOWER", lower)
        .replace("UPPER", upper)
}

/// A division without a result leaves a record, too: 1, the number of the place, and the divisor.
const DIVISION: &str = "\
fn report_division(divisor: u32, place: u32, WHO_PARAMS, faults: *u32 restrict) -> void
  var before: u32
  before = old of atomic faults[0] = 1u32
  if (before == 0u32)
    faults[1] = place
    faults[2] = divisor
WHO_STORES
";

const DIVISOR: &str = "\
pure reports fn is_divisor(is_zero: bool, place: u32, WHO_PARAMS, faults: *u32 restrict) -> bool
  if (!is_zero)
    return true
  call report_division(0u32, place, WHO_NAMES, &faults[0])
  return false
";

/// The quotient, or 0 where there is none: divided by zero, or the least integer by -1.
const SIGNED: &str = "\
pure reports fn DIVIDED_SUFFIX(dividend: TYPE, divisor: TYPE, place: u32, WHO_PARAMS, faults: *u32 restrict) -> TYPE
  if ((((uTYPE) divisor) + 1uTYPE) > 1uTYPE)
    return (dividend OP divisor)
  if ((divisor != 0TYPE) && (dividend != LEAST))
    return OPPOSITE
  call report_division(((u32) divisor), place, WHO_NAMES, &faults[0])
  return 0TYPE
";

const UNSIGNED: &str = "\
pure reports fn DIVIDED_SUFFIX(dividend: uTYPE, divisor: uTYPE, place: u32, WHO_PARAMS, faults: *u32 restrict) -> uTYPE
  if (divisor != 0uTYPE)
    return (dividend OP divisor)
  call report_division(0u32, place, WHO_NAMES, &faults[0])
  return 0uTYPE
";

/// A function that divides, of a type.
fn quotient(op: BinaryOp, ty: Scalar) -> String {
    let bits = 8 * ty.bytes();
    let (name, opposite) = if op == BinaryOp::Rem { ("remainder", "0TYPE") } else { ("quotient", "-(dividend)") };
    let least = if bits == 32 { i64::from(i32::MIN) } else { i64::MIN };
    let text = if ty.is_signed() { SIGNED } else { UNSIGNED };
    text.replace("DIVIDED", name)
        .replace("SUFFIX", ty.okl_name().replace(' ', "_").as_str())
        .replace("OPPOSITE", opposite)
        .replace("LEAST", &format!("{least}TYPE"))
        .replace(" OP ", &format!(" {} ", op.symbol()))
        .replace("uTYPE", &format!("u{bits}"))
        .replace("TYPE", &format!("i{bits}"))
}

/// A function that the pass calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helper {
    /// A check of an index, of 32 bits or of 64.
    Index(Check, Scalar),
    /// `quotient(a, b, place, who, faults)` or `remainder`, by the type of the operands.
    Quotient(BinaryOp, Scalar),
    /// Whether a divisor is not zero, given whether it is.
    Divisor,
    /// The report of a division without a result, given the divisor's low half.
    Report,
    /// The first of so many words for a line, given their number.
    BeginLine,
}

/// Which helpers a module needs. Until all of it has been seen they go by numbers that no function has.
#[derive(Default)]
pub(super) struct Helpers {
    needed: Vec<Helper>,
}

impl Helpers {
    /// Stands for a function.
    pub(super) fn get(&mut self, helper: Helper) -> FunctionId {
        let known = self.needed.iter().position(|other| *other == helper);
        let number = known.unwrap_or_else(|| {
            self.needed.push(helper);
            self.needed.len() - 1
        });
        FunctionId(u32::MAX - number as u32)
    }

    /// What stands before all other functions: texts in order, each with the helpers that are its last functions.
    fn texts(&self) -> Vec<(String, Vec<Helper>)> {
        let mut texts = Vec::new();
        for (is_narrow, index) in [(false, Scalar::I64), (true, Scalar::I32)] {
            let both = [Check::Index, Check::Inside].map(|check| Helper::Index(check, index));
            if both.iter().any(|helper| self.needed.contains(helper)) {
                texts.push((text(is_narrow), both.to_vec()));
            }
        }
        let divides = |helper: &Helper| matches!(helper, Helper::Quotient(..) | Helper::Divisor | Helper::Report);
        if self.needed.iter().any(divides) {
            texts.push((DIVISION.to_owned(), vec![Helper::Report]));
        }
        if self.needed.contains(&Helper::Divisor) {
            texts.push((DIVISOR.to_owned(), vec![Helper::Divisor]));
        }
        if self.needed.contains(&Helper::BeginLine) {
            texts.push((super::lines::text(), vec![Helper::BeginLine]));
        }
        let mut quotients: Vec<&Helper> = self.needed.iter().filter(|helper| divides(helper)).collect();
        quotients.sort_by_key(|helper| format!("{helper:?}"));
        for helper in quotients {
            if let Helper::Quotient(op, ty) = helper {
                texts.push((quotient(*op, *ty), vec![*helper]));
            }
        }
        texts
    }

    /// The functions, which come before all others.
    pub(super) fn functions(&self, who: &[usize]) -> Vec<Function> {
        let text: String = self.texts().into_iter().map(|(text, _)| with_who(&text, who)).collect();
        let mut module = parse(&text).unwrap_or_else(|error| unreachable!("the helpers are IR: {error}"));
        let mut functions = std::mem::take(&mut module.functions);
        functions.iter_mut().for_each(forget_spans);
        functions
    }

    /// The number that each function, or what stands for one, has behind the helpers.
    pub(super) fn numbers(&self) -> impl Fn(FunctionId) -> FunctionId + use<> {
        let order: Vec<Option<Helper>> = (self.texts().into_iter())
            .flat_map(|(text, helpers)| {
                let reports = text.matches("fn ").count() - helpers.len();
                std::iter::repeat_n(None, reports).chain(helpers.into_iter().map(Some))
            })
            .collect();
        let place = |helper: &Helper| order.iter().position(|other| *other == Some(*helper));
        let places: Vec<Option<usize>> = self.needed.iter().map(place).collect();
        move |function| {
            let helper = places.get((u32::MAX - function.0) as usize).copied().flatten();
            FunctionId(helper.map_or_else(|| order.len() as u32 + function.0, |at| at as u32))
        }
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
