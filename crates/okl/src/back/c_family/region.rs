//! Regions where items are threads: the group's threads run them side by side and meet at barriers.

use super::Printer;
use super::stmt::JumpTargets;
use crate::back::writer::Writer;
use crate::ir::build;
use crate::ir::{BinaryOp, Builtin, Expr, Region, Scalar, Stmt, ends_item};
use crate::passes::coarsen::Pair;
use crate::passes::simt::{self, SimtForm};

/// How the threads of a group meet.
pub struct SimtLanguage {
    /// All threads of the group wait for each other.
    pub barrier: &'static str,
    /// A region that begins with a barrier ends with one too, although nothing comes after it: PoCL 3.1 makes a crash of a
    /// condition in which the last barrier is followed by code.
    pub closes: bool,
}

/// What the printer knows of a nest whose items are threads.
pub struct Threads<'a> {
    /// How threads meet.
    pub words: &'a SimtLanguage,
    /// What the nest is as threads.
    pub form: &'a SimtForm,
    /// Type of an item's numbers.
    pub item: Scalar,
}

/// The items of two groups side by side where both have something to do, else one after the other: `calls` call the
/// function of one item for the first group and for the next; numbers of groups have type `ty`.
pub(crate) fn pair(printer: &mut Printer<'_>, out: &mut Writer<'_>, pair: &Pair, ty: Scalar, calls: [String; 2]) {
    pair.heads.iter().for_each(|head| printer.stmts(out, head));
    out.open(format!("if ({}) {{", printer.condition(&pair.both(ty))));
    printer.stmts(out, &pair.stmts);
    out.reopen("} else {");
    let [first, next] = calls;
    out.line(first);
    out.open(format!("if ({}) {{", printer.condition(&Pair::there_is_next(ty))));
    out.line(next);
    out.close("}");
    out.close("}");
}

impl Printer<'_> {
    /// The statements of a nest whose items are threads.
    pub fn nest(&mut self, out: &mut Writer<'_>, stmts: &[Stmt]) {
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
        let item = |axis| build::builtin(Builtin::Item(axis), threads.item);
        let indices = simt::index_declarations(self.body, &region.axes, item, &region.body);
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
        let axes = (0..).zip(&region.axes).zip(threads.form.guarded).filter(|(_, guarded)| *guarded);
        let tests = axes.map(|((number, axis), _)| {
            let count = axis.as_ref().map_or_else(|| build::int(1), |axis| axis.count.clone());
            let item = build::builtin(Builtin::Item(number), threads.item);
            build::compare(BinaryOp::Lt, build::convert(item, Scalar::I64), count)
        });
        let condition: Option<Expr> = tests.reduce(build::and);
        condition.map(|condition| self.condition(&condition))
    }
}
