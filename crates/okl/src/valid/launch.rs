//! How high the expressions are that a launch evaluates.

use crate::Diagnostic;
use crate::ir::{Expr, HostStmt, Kernel, MAX_LAUNCH_LEVELS, for_regions};
use crate::rules;
use crate::source::Span;

/// Checks the host part of a kernel, the counts of its axes, and sizes that a launch decides.
pub(super) fn check(kernel: &Kernel, found: &mut Vec<Diagnostic>) {
    check_host(&kernel.host, found);
    for nest in &kernel.nests {
        for axis in nest.outer.iter().flatten() {
            check_levels(&axis.count, axis.span, found);
        }
        for_regions(&nest.stmts, &mut |region| {
            region.axes.iter().flatten().for_each(|axis| check_levels(&axis.count, axis.span, found));
        });
    }
    kernel.sizes.iter().for_each(|size| check_levels(&size.value, size.value.span, found));
}

fn check_host(stmts: &[HostStmt], found: &mut Vec<Diagnostic>) {
    for stmt in stmts {
        match stmt {
            HostStmt::Set { value, .. } => check_levels(value, value.span, found),
            HostStmt::If { condition, then, otherwise } => {
                check_levels(condition, condition.span, found);
                check_host(then, found);
                check_host(otherwise, found);
            }
            HostStmt::Loop { condition, body, update } => {
                check_levels(condition, condition.span, found);
                check_host(body, found);
                check_host(update, found);
            }
            HostStmt::Launch(_) | HostStmt::Return => {}
        }
    }
}

fn check_levels(expr: &Expr, span: Span, found: &mut Vec<Diagnostic>) {
    let levels = expr.levels();
    if levels > MAX_LAUNCH_LEVELS {
        let message = format!(
            "what a launch computes here has {levels} levels of operators once constants stand for their values; \
             {MAX_LAUNCH_LEVELS} are possible"
        );
        let finding = Diagnostic::error(rules::LIMIT, span, message);
        found.push(finding.hint("assign parts of it to variables of the host part that are not `const`, or pass it"));
    }
}
