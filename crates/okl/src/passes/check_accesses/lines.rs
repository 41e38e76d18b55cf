//! Lines of a target whose device kernels cannot print: an item leaves the number of its `printf` and the values in the record,
//! behind what it says of faults ([`Kernel::FAULT_WORDS`]), and whoever waits for the work prints them
//! ([`Line`]).
//!
//! An item takes as many words as its line needs with one atomic addition, so that lines are whole, and those of an item
//! stand in their order. A line for which no room is left is counted.

use super::{Helper, InBody};
use crate::ir::rewrite::Rewriter;
use crate::ir::{
    Argument, BinaryOp, Body, Expr, ExprKind, Kernel, Line, MathFn, Place, Print, Projection, Role, Scalar, Stmt,
    StmtKind, VarId, Variable, build,
};
use crate::source::Span;

/// The first of so many words of the record for the lines, or 0 where there is no room for them.
pub(super) fn text() -> String {
    let Lines { used, lost, first, most } = LINES;
    format!(
        "\
fn begin_line(words: u32, faults: *u32 restrict) -> u32
  var used: u32
  used = old of atomic faults[{used}] += 0u32
  if (used < {most}u32)
    used = old of atomic faults[{used}] += words
    if ((used + words) <= {most}u32)
      return (used + {first}u32)
  atomic faults[{lost}] += 1u32
  return 0u32
"
    )
}

/// Words of the record.
struct Lines {
    /// Holds how many words are used, or more where some found no room.
    used: usize,
    /// Holds how many lines found no room.
    lost: usize,
    /// Where the lines begin.
    first: usize,
    /// How many words of lines there is room for.
    most: usize,
}

const LINES: Lines = Lines {
    used: Kernel::FAULT_WORDS,
    lost: Kernel::FAULT_WORDS + 1,
    first: Kernel::FIRST_LINE,
    most: Kernel::LINE_WORDS,
};

impl InBody<'_, '_> {
    /// Leaves a line in the record instead of printing it.
    pub(super) fn leave_line(&mut self, stmt: &mut Stmt) {
        let StmtKind::Print(print) = std::mem::replace(&mut stmt.kind, StmtKind::Break) else { return };
        let Print { pieces, arguments } = *print;
        let values = arguments.iter().map(|value| value.ty.scalar().unwrap_or(Scalar::I32)).collect();
        let faults = self.given_faults();
        let line = Line { pieces, values };
        let words = line.words();
        let number = self.pass.line(line);

        let mut stmts = Vec::new();
        let mut stored = vec![word(number)];
        for mut value in arguments {
            self.expr(&mut value);
            let held = bits(value);
            let var = self.local("printed", held.ty.scalar().unwrap_or(Scalar::U32));
            stmts.push(build::declare(self.body, var, held));
            stored.extend(halves(self.body, var));
        }
        let at = self.local("line", Scalar::U32);
        stmts.push(build::stmt(StmtKind::Declare { var: at, init: None }));
        let function = self.pass.helpers.get(Helper::BeginLine);
        let words = Argument::Value(word(words as u32));
        let arguments = vec![words, self.record(faults)];
        stmts.push(build::stmt(StmtKind::Call { function, arguments, result: Some(at) }));
        let store = |(value, place): (Expr, u32)| {
            let begin = build::load(self.body, at);
            let index = match place {
                0 => begin,
                _ => build::binary(BinaryOp::Add, begin, word(place), Scalar::U32),
            };
            let path = vec![Projection::Flat(index)];
            let place = Place { root: faults, path, ty: Scalar::U32.into(), span: Span::default() };
            build::stmt(StmtKind::Assign { place, op: None, value })
        };
        let stores = stored.into_iter().zip(0..).map(store).collect();
        let condition = build::compare(BinaryOp::Ne, build::load(self.body, at), word(0));
        stmts.push(build::stmt(StmtKind::If { condition, then: stores, otherwise: Vec::new() }));
        stmts.iter_mut().for_each(|of| of.span = stmt.span);
        stmt.kind = StmtKind::Block(stmts);
    }

    fn local(&mut self, name: &str, ty: Scalar) -> VarId {
        let variable =
            Variable { name: String::new(), ty: ty.into(), role: Role::Local, is_const: false, span: Span::default() };
        build::fresh(self.body, name, variable)
    }
}

fn word(value: u32) -> Expr {
    Expr::int(i64::from(value), Scalar::U32, Span::default())
}

/// A number's bits, as an unsigned integer.
fn bits(value: Expr) -> Expr {
    let ty = value.ty.scalar().unwrap_or(Scalar::I32);
    let span = value.span;
    match ty {
        Scalar::F32 | Scalar::F64 => {
            let result = MathFn::BitsOf.result(ty);
            Expr { kind: ExprKind::Math(MathFn::BitsOf, vec![value]), ty: result.into(), span }
        }
        _ if ty.bytes() == 8 => build::convert(value, Scalar::U64),
        _ => build::convert(value, Scalar::U32),
    }
}

/// The words of a variable, low half first.
fn halves(body: &Body, var: VarId) -> Vec<Expr> {
    let value = build::load(body, var);
    if value.ty == Scalar::U32.into() {
        return vec![value];
    }
    let shift = Expr::int(32, Scalar::U64, Span::default());
    let high = build::binary(BinaryOp::Shr, value.clone(), shift, Scalar::U64);
    vec![build::convert(value, Scalar::U32), build::convert(high, Scalar::U32)]
}
