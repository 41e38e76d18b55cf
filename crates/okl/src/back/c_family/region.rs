//! Regions where items are threads: the group's threads run them side by side and meet at barriers.

use super::Printer;
use super::stmt::JumpTargets;
use crate::back::writer::Writer;
use crate::ir::Uses;
use crate::ir::build;
use crate::ir::{Axis, BinaryOp, Body, Expr, Module, Region, Role, Scalar, Stmt, VarId, Variable, ends_item};
use crate::passes::coarsen::Pair;
use crate::passes::simt::SimtForm;
use crate::source::Span;

/// How the threads of a group meet.
pub(crate) struct SimtLanguage {
    /// All threads of the group wait for each other.
    pub(crate) barrier: &'static str,
    /// A region that begins with a barrier ends with one too, although nothing comes after it: PoCL 3.1 makes a crash of a
    /// condition in which the last barrier is followed by code.
    pub(crate) closes: bool,
}

/// What the printer knows of a nest whose items are threads.
pub(crate) struct Threads<'a> {
    pub(crate) words: &'a SimtLanguage,
    pub(crate) form: &'a SimtForm,
    /// Variables that stand for the numbers of the thread, see [`number_variable`].
    pub(crate) items: [VarId; 3],
}

/// A variable that prints as an expression such as `item.x`: a value that nobody declares or assigns.
pub(crate) fn number_variable(body: &mut Body, text: String, ty: Scalar) -> VarId {
    body.add(Variable { name: text, ty: ty.into(), role: Role::Local, is_const: true, span: Default::default() })
}

/// A new variable for a 64-bit number, whose name nothing of the body and of the module has.
pub(crate) fn fresh_number(module: &Module, body: &mut Body, stem: &str, span: Span) -> VarId {
    let is_global = |name: &str| {
        module.functions.iter().any(|function| function.name == name)
            || module.structs.iter().any(|definition| definition.name == name)
            || module.constants.iter().any(|constant| constant.name == name)
    };
    let stem = (0..).map(|n| if n == 0 { stem.to_owned() } else { format!("{stem}_{n}") });
    let stem = stem.filter(|name| !is_global(name)).find(|name| body.vars.iter().all(|other| other.name != *name));
    let ty = Scalar::I64.into();
    body.add(Variable { name: stem.unwrap_or_default(), ty, role: Role::Local, is_const: true, span })
}

/// Declarations of those axes' variables that the statements mention.
pub(crate) fn index_declarations(
    body: &Body,
    axes: &[Option<Axis>; 3],
    numbers: &[VarId; 3],
    stmts: &[Stmt],
) -> Vec<Stmt> {
    let mentioned = Uses::of(stmts).mentioned;
    let axes = axes.iter().zip(numbers).filter_map(|(axis, number)| Some((axis.as_ref()?, *number)));
    axes.filter(|(axis, _)| mentioned.contains(&axis.var))
        .map(|(axis, number)| index_declaration(body, axis, number))
        .collect()
}

/// The declaration of an axis's variable from the number of its value: `const int i = start + step * number;`.
fn index_declaration(body: &Body, axis: &Axis, number: VarId) -> Stmt {
    let ty = body.var(axis.var).ty.scalar().unwrap_or(Scalar::I32);
    let mut value = build::convert(build::load(body, number), ty);
    if axis.step.as_int() != Some(1) {
        value = build::binary(BinaryOp::Mul, value, build::convert(axis.step.clone(), ty), ty);
    }
    if axis.start.as_int() != Some(0) {
        value = build::binary(BinaryOp::Add, build::convert(axis.start.clone(), ty), value, ty);
    }
    Stmt { span: axis.span, ..build::declare(body, axis.var, value) }
}

/// The items of two groups side by side where both have something to do, else one after the other: `calls` call the
/// function of one item for the first group and for the next, and `there_is` tells whether there is a next one.
pub(crate) fn pair(printer: &mut Printer<'_>, out: &mut Writer<'_>, pair: &Pair, there_is: &str, calls: [String; 2]) {
    pair.heads.iter().for_each(|head| printer.stmts(out, head));
    let mut both = vec![there_is.to_owned()];
    both.extend(pair.conditions.iter().flatten().map(|condition| printer.conjunct(condition)));
    out.open(format!("if ({}) {{", both.join(" && ")));
    printer.stmts(out, &pair.stmts);
    out.reopen("} else {");
    let [first, next] = calls;
    out.line(first);
    out.open(format!("if ({there_is}) {{"));
    out.line(next);
    out.close("}");
    out.close("}");
}

impl Printer<'_> {
    /// The statements of a nest whose items are threads.
    pub(crate) fn nest(&mut self, out: &mut Writer<'_>, stmts: &[Stmt]) {
        let Some((threads, behind)) =
            self.threads.and_then(|threads| Some((threads, threads.form.barrier_before_last?)))
        else {
            return self.stmts(out, stmts);
        };
        let (before, rest) = stmts.split_at(stmts.len() - behind);
        self.stmts(out, before);
        out.line(threads.words.barrier);
        self.stmts(out, rest);
    }

    /// One region: a guard where the block is larger than it, the items' indices, their statements, barriers.
    pub(super) fn region(&mut self, out: &mut Writer<'_>, region: &Region) {
        let Some(threads) = self.threads else { unreachable!("regions have become loops") };
        let barriers_here = threads.form.barriers[self.regions];
        self.regions += 1;
        if barriers_here.before {
            out.line(threads.words.barrier);
        }
        // C++ lets no jump pass an initialisation of its own block, so the label stands behind one.
        let label = ends_item(&region.body).then(|| self.fresh_label("next"));
        let guard = self.guard(region);
        let is_block = guard.is_some() || label.is_some() || threads.form.barriers.len() > 1;
        match guard {
            Some(condition) => out.open(format!("if ({condition}) {{")),
            None if is_block => out.open("{"),
            None => {}
        }
        let indices = index_declarations(self.body, &region.axes, &threads.items, &region.body);
        let targets = JumpTargets::thread(label.clone());
        self.list(out, &indices, &targets);
        self.list(out, &region.body, &targets);
        if is_block {
            out.close("}");
        }
        if let Some(label) = label {
            out.margin(format!("{label}:;"));
        }
        if barriers_here.after || barriers_here.before && threads.words.closes {
            out.line(threads.words.barrier);
        }
    }

    /// `item.x < 8 && item.y < n`, for the axes along which some region is larger than others.
    fn guard(&self, region: &Region) -> Option<String> {
        let threads = self.threads?;
        let tests = (0..3).zip(threads.items).filter(|&(axis, _)| threads.form.guarded[axis]).map(|(axis, item)| {
            let count = region.axes[axis].as_ref().map_or_else(|| build::int(1), |axis| axis.count.clone());
            build::compare(BinaryOp::Lt, build::convert(build::load(self.body, item), Scalar::I64), count)
        });
        let condition: Option<Expr> = tests.reduce(build::and);
        condition.map(|condition| self.condition(&condition))
    }
}
