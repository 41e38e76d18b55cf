//! Two groups side by side in an entry of its own: see [`crate::passes::coarsen`].

use super::Printer;
use super::nest::{Numbers, fresh_name, outer_indices};
use crate::back::c_family::{index_declarations, number_variable};
use crate::back::writer::Writer;
use crate::ir::{BinaryOp, Body, Expr, Module, Nest, Scalar, Stmt, StmtKind, VarId};
use crate::source::Span;
use crate::{ir::build, passes::coarsen};

/// The items of two groups, with the names that this takes.
pub(super) struct Pair {
    body: Body,
    both: Both,
    /// Numbers of both groups along axes 1 and 2.
    others: [VarId; 2],
    items: coarsen::Pair,
}

/// Two groups along axis 0.
#[derive(Clone, Copy)]
pub(super) struct Both {
    first: VarId,
    next: VarId,
    /// One past the last.
    end: VarId,
}

impl Pair {
    /// Where it pays.
    pub(super) fn of(module: &Module, mut body: Body, nest: &Nest, items: &[VarId; 3]) -> Option<Self> {
        let StmtKind::Inner(region) = &nest.stmts.last()?.kind else { return None };
        let mut number = |stem: &str| {
            let name = fresh_name(module, &body, stem);
            number_variable(&mut body, name, Scalar::U32)
        };
        let [first, next, end, y, z] = ["group_x", "next_x", "end_x", "group_y", "group_z"].map(&mut number);
        let outer = outer_indices(&body, nest, &[first, y, z], &nest.stmts);
        let inner = index_declarations(&body, &region.axes, items, &region.body);
        let items = coarsen::of_nest(&mut body, nest, (outer, inner), &[first, y, z], &[next, y, z])?;
        Some(Self { body, both: Both { first, next, end }, others: [y, z], items })
    }

    /// The statements, the last of which is what both items do where both have something to do.
    pub(super) fn named(self, numbers: &Numbers) -> (Body, Vec<Stmt>, Both) {
        let Self { mut body, both, others, items } = self;
        for (axis, var) in [1, 2].into_iter().zip(others) {
            body.vars[var.0 as usize].name = numbers.argument(axis);
        }
        body.vars[both.end.0 as usize].name = format!("{}.end_x", numbers.args);
        let start = number_variable(&mut body, numbers.first_of_pair(), Scalar::U32);
        let one = Expr::int(1, Scalar::U32, Span::default());
        let after = build::binary(BinaryOp::Add, build::load(&body, both.first), one, Scalar::U32);
        let first = build::declare(&body, both.first, build::load(&body, start));
        let mut stmts = vec![first, build::declare(&body, both.next, after)];
        stmts.extend(items.heads.into_iter().flatten());
        let there_is = build::compare(BinaryOp::Lt, build::load(&body, both.next), build::load(&body, both.end));
        let condition = items.conditions.into_iter().flatten().fold(there_is, build::and);
        stmts.push(build::stmt(StmtKind::If { condition, then: items.stmts, otherwise: Vec::new() }));
        (body, stmts, both)
    }
}

/// Prints what [`Pair::named`] gave; `call` calls the function of one item, given its group along axis 0.
pub(super) fn print(
    out: &mut Writer<'_>,
    printer: &Printer<'_>,
    (stmts, both): (&[Stmt], Both),
    call: &dyn Fn(&str) -> String,
) {
    let Some((Stmt { kind: StmtKind::If { condition, then, .. }, .. }, before)) = stmts.split_last() else {
        unreachable!("a pair ends with what both items do")
    };
    let [first, next, end] = [both.first, both.next, both.end].map(|var| printer.name(var));
    printer.stmts(out, before);
    let condition = printer.value(condition);
    printer.flush(out);
    out.open(format!("if ({condition}) {{"));
    printer.stmts(out, then);
    out.reopen("} else {");
    out.line(call(first));
    out.open(format!("if ({next} < {end}) {{"));
    out.line(call(next));
    out.close("}");
    out.close("}");
}
