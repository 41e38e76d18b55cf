//! Sizes of a kernel: items of a group, shared and exclusive memory, and loops that never run.

use crate::diagnostic::Diagnostic;
use crate::ir::{Axis, Expr, Kernel, Literal, Module, Nest, Region, StackBytes, VarId, bytes_of, for_regions};
use crate::rules;

/// Most items of a group that any GPU runs.
const USUAL_ITEMS: i64 = 1024;
/// Most items of a group; each may need scratch memory.
const MAX_ITEMS: i64 = 1 << 24;
/// Most bytes of one group's shared memory, and of one item's exclusive memory.
const MAX_BYTES: u64 = 1 << 30;

/// Most bytes of arrays and structs that an item declares, in the functions that it calls too: GPUs have 512 KiB for each
/// thread, CPUs keep them on the stack.
const MAX_LOCAL_BYTES: u64 = 256 * 1024;

/// Checks one kernel. Regions that were split share their axes, so that a thing may be found several times.
pub(super) fn check(module: &Module, stack: &StackBytes<'_>, kernel: &Kernel, found: &mut Vec<Diagnostic>) {
    for nest in &kernel.nests {
        for axis in nest.outer.iter().flatten() {
            check_count(axis, "groups", found);
        }
        for_regions(&nest.stmts, &mut |region| check_region(kernel, region, found));
        check_memory(module, kernel, nest, &nest.shared, "`@shared` memory of a group", found);
        check_memory(module, kernel, nest, &nest.exclusive, "`@exclusive` variables of an item", found);
        let bytes = stack.of(&kernel.body, &nest.stmts);
        if bytes > MAX_LOCAL_BYTES {
            let message =
                format!("the local arrays of an item take {bytes} bytes; at most {MAX_LOCAL_BYTES} are possible");
            let finding = Diagnostic::error(rules::MEMORY_TOO_LARGE, nest.span, message);
            found.push(finding.hint("pass memory to the kernel, of which each item uses a part of its own"));
        }
    }
}

fn constant(count: &Expr) -> Option<i64> {
    match count.literal()? {
        Literal::Int(value) => Some(value),
        _ => None,
    }
}

fn check_count(axis: &Axis, what: &str, found: &mut Vec<Diagnostic>) {
    if let Some(count) = constant(&axis.count).filter(|count| *count <= 0) {
        let message = format!("this loop has {count} iterations: it starts no {what}");
        let finding = Diagnostic::warning(rules::EMPTY_LOOP, axis.span, message);
        found.push(finding);
    }
}

fn check_region(kernel: &Kernel, region: &Region, found: &mut Vec<Diagnostic>) {
    let mut items: i64 = 1;
    let mut span = kernel.span;
    for (index, axis) in region.axes.iter().enumerate() {
        let Some(axis) = axis else { continue };
        check_count(axis, "items", found);
        span = axis.span;
        let Some(count) = constant(&axis.count) else {
            continue;
        };
        items = items.saturating_mul(count.max(1));
        let limit = kernel.max_inner_dims.map(|dims| i64::from(dims[index]));
        if let Some(limit) = limit.filter(|limit| count > *limit) {
            let message = format!("this loop has {count} items, `@max_inner_dims` promises at most {limit}");
            found.push(
                Diagnostic::error(rules::GROUP_TOO_LARGE, axis.span, message)
                    .label(kernel.span, "the kernel is declared here"),
            );
        }
    }
    if items > MAX_ITEMS {
        let message = format!("a group has {items} items here; at most {MAX_ITEMS} are possible");
        found.push(Diagnostic::error(rules::GROUP_TOO_LARGE, span, message).hint("run more groups of fewer items"));
    } else if items > USUAL_ITEMS {
        let message = format!("a group has {items} items here; GPUs run at most {USUAL_ITEMS}");
        found.push(Diagnostic::warning(rules::LARGE_GROUP, span, message).hint("run more groups of fewer items"));
    }
}

fn check_memory(
    module: &Module,
    kernel: &Kernel,
    nest: &Nest,
    vars: &[VarId],
    what: &str,
    found: &mut Vec<Diagnostic>,
) {
    let bytes = vars.iter().map(|v| bytes_of(module, &kernel.body.var(*v).ty)).fold(0u64, u64::saturating_add);
    if bytes > MAX_BYTES {
        let span = vars.last().map_or(nest.span, |v| kernel.body.var(*v).span);
        let message = format!("{what} needs {bytes} bytes; at most {MAX_BYTES} are possible");
        found.push(Diagnostic::error(rules::MEMORY_TOO_LARGE, span, message));
    }
}
