//! Two groups side by side in an entry of its own: see [`crate::passes::coarsen`].

use super::nest::Numbers;
use super::{Builtins, Printer};
use crate::back::namer::Locals;
use crate::back::writer::Writer;
use crate::ir::{Coarsened, Scalar};
use crate::passes::coarsen;

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

    /// The builtin values of an entry that runs two groups.
    pub(super) fn builtins(&self, numbers: &Numbers) -> Builtins {
        numbers.of_pair([self.first.clone(), self.next.clone()])
    }

    /// Prints what both do; `call` calls the function of one item, given its group along axis 0.
    pub(super) fn print(
        &self,
        out: &mut Writer<'_>,
        printer: &Printer<'_>,
        numbers: &Numbers,
        of: &Coarsened,
        call: &dyn Fn(&str) -> String,
    ) {
        let Self { first, next } = self;
        out.line(format!("let {first}: u32 = {};", numbers.first_of_pair()));
        out.line(format!("let {next}: u32 = {first} + 1u;"));
        printer.stmts(out, &of.head);
        let condition = printer.value(&of.condition);
        printer.flush(out);
        out.open(format!("if ({condition}) {{"));
        printer.stmts(out, &of.stmts);
        out.reopen("} else {");
        out.line(call(first));
        out.open(format!("if ({}) {{", printer.value(&coarsen::there_is_next(Scalar::U32))));
        out.line(call(next));
        out.close("}");
        out.close("}");
    }
}
