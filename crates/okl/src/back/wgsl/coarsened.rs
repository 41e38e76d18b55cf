//! Two groups side by side in an entry of its own: see [`crate::passes::coarsen`].

use super::nest::Numbers;
use super::{Builtins, Printer};
use crate::back::namer::Locals;
use crate::back::writer::Writer;
use crate::ir::{Coarsened, Scalar, Stmt, StmtKind, build};
use crate::passes::coarsen;

/// The statements of two groups' items in one list; the last one is what both do where both have something to do.
pub(super) fn stmts(of: Coarsened) -> Vec<Stmt> {
    let both = StmtKind::If { condition: of.condition, then: of.stmts, otherwise: Vec::new() };
    of.head.into_iter().chain([build::stmt(both)]).collect()
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
        out.open(format!("if ({}) {{", printer.value(&coarsen::there_is_next(Scalar::U32))));
        out.line(call(next));
        out.close("}");
        out.close("}");
    }
}
