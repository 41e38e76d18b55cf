//! Two groups side by side in an entry of its own: see [`crate::passes::coarsen`].

use super::nest::Numbers;
use super::{Builtins, Printer};
use crate::back::namer::Locals;
use crate::back::writer::Writer;
use crate::ir::{Body, Builtin, Nest, Scalar, Stmt, StmtKind, build};
use crate::passes::{coarsen, simt};

/// The statements of two groups' items, where it pays; the last one is what both do where both have something to do.
pub(super) fn stmts(body: &mut Body, nest: &Nest, outer: Vec<Stmt>) -> Option<Vec<Stmt>> {
    let StmtKind::Inner(region) = &nest.stmts.last()?.kind else { return None };
    let item = |axis| build::builtin(Builtin::Item(axis), Scalar::U32);
    let inner = simt::index_declarations(body, &region.axes, item, &region.body);
    let pair = coarsen::of_nest(body, nest, outer, inner)?;
    let condition = pair.both(Scalar::U32);
    let mut stmts = pair.heads.concat();
    stmts.push(build::stmt(StmtKind::If { condition, then: pair.stmts, otherwise: Vec::new() }));
    Some(stmts)
}

/// The variables that hold the numbers of both groups along axis 0.
pub(super) struct Both {
    first: String,
    next: String,
}

impl Both {
    pub(super) fn new(locals: &mut Locals) -> Self {
        let [first, next] = ["group_x", "next_x"].map(|hint| locals.fresh(hint));
        Self { first, next }
    }

    /// The builtin values of an entry for pairs.
    pub(super) fn builtins(&self, numbers: &Numbers) -> Builtins {
        numbers.of_pair([self.first.clone(), self.next.clone()])
    }

    /// Prints what [`stmts`] gave; `call` calls the function of one item, given its group along axis 0.
    pub(super) fn print(
        &self,
        out: &mut Writer<'_>,
        printer: &Printer<'_>,
        numbers: &Numbers,
        stmts: &[Stmt],
        call: &dyn Fn(&str) -> String,
    ) {
        let Some((Stmt { kind: StmtKind::If { condition, then, .. }, .. }, before)) = stmts.split_last() else {
            unreachable!("a pair ends with what both items do")
        };
        let Self { first, next } = self;
        out.line(format!("let {first}: u32 = {};", numbers.first_of_pair()));
        out.line(format!("let {next}: u32 = {first} + 1u;"));
        printer.stmts(out, before);
        let condition = printer.value(condition);
        printer.flush(out);
        out.open(format!("if ({condition}) {{"));
        printer.stmts(out, then);
        out.reopen("} else {");
        out.line(call(first));
        out.open(format!("if ({}) {{", printer.value(&coarsen::Pair::there_is_next(Scalar::U32))));
        out.line(call(next));
        out.close("}");
        out.close("}");
    }
}
