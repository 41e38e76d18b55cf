//! Regions where items are threads: the group's threads run them side by side and meet at barriers.

use super::Printer;
use super::stmt::JumpTargets;
use crate::back::writer::Writer;
use crate::ir::{Coarsened, Region, Scalar, Stmt, ends_item, for_regions};
use crate::passes::{coarsen, simt};

/// The items of two groups side by side where both have something to do, else one after the other: `calls` call the
/// function of one item for the first group and for the next; numbers of groups have type `ty`.
pub(crate) fn coarsened(
    printer: &mut Printer<'_>,
    out: &mut Writer<'_>,
    of: &Coarsened,
    ty: Scalar,
    calls: [String; 2],
) {
    printer.stmts(out, &of.head);
    out.open(format!("if ({}) {{", printer.condition(&of.condition)));
    printer.stmts(out, &of.stmts);
    out.reopen("} else {");
    let [first, next] = calls;
    out.line(first);
    out.open(format!("if ({}) {{", printer.condition(&coarsen::there_is_next(ty))));
    out.line(next);
    out.close("}");
    out.close("}");
}

impl Printer<'_> {
    /// The statements of a nest whose items are threads.
    pub fn nest(&mut self, out: &mut Writer<'_>, stmts: &[Stmt]) {
        self.regions = 0;
        for_regions(stmts, &mut |_| self.regions += 1);
        self.stmts(out, stmts);
    }

    /// One region: what a thread does for its item.
    pub(super) fn region(&mut self, out: &mut Writer<'_>, region: &Region) {
        // C++ lets no jump pass an initialisation of its own block, so the label stands behind one.
        let label = ends_item(&region.body).then(|| self.fresh_label("next"));
        let is_block = simt::of_item(&region.body).is_none() && (label.is_some() || self.regions > 1);
        if is_block {
            out.open("{");
        }
        self.list(out, &region.body, &JumpTargets::thread(label.clone()));
        if is_block {
            out.close("}");
        }
        if let Some(label) = label {
            out.margin(format!("{label}:;"));
        }
    }
}
