//! Legality: what a kernel's author can still get wrong once types and levels hold, and what a device cannot do.
//!
//! - [`check`] finds what is wrong for every target. Findings that need the tree (types, levels, pointers) were made by
//!   [`crate::lower`]; here are those that need the whole kernel, and warnings of what is certainly not meant.
//! - [`opencl`] and [`wgsl`] are the only places where a kernel is refused for a device.
//!
//! Not here: whether we kept the IR's own rules ([`crate::ir::verify`]).

mod expansion;
mod kernel;
mod launch;
mod lost_update;
pub(crate) mod opencl;
mod race;
mod uninitialised;
pub(crate) mod wgsl;
mod zero_divisor;

use crate::Diagnostic;
use crate::ir::{self, Module, Type};
use crate::rules;
use crate::source::SourceMap;
use std::collections::HashSet;

/// Checks what holds for every target.
pub(crate) fn check(module: &Module, map: &SourceMap, found: &mut Vec<Diagnostic>) {
    let stack = ir::StackBytes::new(module);
    let mut of_kernels = Vec::new();
    for kernel in &module.kernels {
        kernel::check(module, &stack, kernel, &mut of_kernels);
        launch::check(kernel, &mut of_kernels);
        lost_update::check(kernel, &mut of_kernels);
        race::check(module, kernel, map, &mut of_kernels);
    }
    uninitialised::check(module, &mut of_kernels);
    zero_divisor::check(module, &mut of_kernels);
    let mut seen = HashSet::new();
    found.extend(of_kernels.into_iter().filter(|finding| seen.insert((finding.span, finding.message.clone()))));
    check_struct_parameters(module, found);
    debug_assert_eq!(ir::verify(module), Ok(()), "lowering broke a rule of the IR");
}

/// Most bytes of the structs that the parameters of all kernels of a file have or point to: a signature lists each of
/// their scalars.
const MAX_STRUCT_PARAMETER_BYTES: u64 = 1 << 23;

fn check_struct_parameters(module: &Module, found: &mut Vec<Diagnostic>) {
    let mut total: u64 = 0;
    let params = module.kernels.iter().flat_map(|kernel| kernel.params.iter().map(|&param| kernel.body.var(param)));
    for param in params {
        let element = match &param.ty {
            Type::Pointer(pointer) => &pointer.element,
            ty => ty,
        };
        let Type::Struct(_) = element else { continue };
        total = total.saturating_add(ir::bytes_of(module, element));
        if total > MAX_STRUCT_PARAMETER_BYTES {
            let message = format!(
                "the structs that parameters of kernels have, or point to, take {MAX_STRUCT_PARAMETER_BYTES} bytes in \
                 total at most; those up to here take {total}"
            );
            return found
                .push(Diagnostic::error(rules::LIMIT, param.span, message).hint("pass large arrays by pointer"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;
    use std::time::{Duration, Instant};

    /// A kernel with so many nests that start no groups.
    fn empty_nests(count: u32) -> Module {
        let text = "kernel k(a: *i32)\n  launch 0\n  nest 0\n    outer(0) o: i32 from 0 step 1 count 0i64\n    region\n      \
                    inner(0) i: i32 from 0 step 1 count 4i64\n      a[i] = 1\n";
        let mut module = ir::parse(text).expect("it is IR");
        let nest = module.kernels[0].nests[0].clone();
        let at = |number: u32| {
            let mut nest = nest.clone();
            if let Some(axis) = &mut nest.outer[0] {
                axis.span = Span { start: number, end: number + 1, ..Span::default() };
            }
            nest
        };
        module.kernels[0].nests = (0..count).map(at).collect();
        module
    }

    fn time(count: u32) -> Duration {
        let (module, mut found) = (empty_nests(count), Vec::new());
        let start = Instant::now();
        check(&module, &SourceMap::default(), &mut found);
        assert_eq!(found.len(), count as usize);
        start.elapsed()
    }

    #[test]
    fn many_warnings_take_no_longer_than_as_many_warnings() {
        let is_linear = |_| time(16_000) < (time(1_000) * 40).max(Duration::from_millis(300));
        assert!((0..3).any(is_linear));
    }

    #[test]
    fn a_thing_is_reported_once() {
        let (mut module, mut found) = (empty_nests(1), Vec::new());
        let nest = module.kernels[0].nests[0].clone();
        module.kernels[0].nests.push(nest);
        check(&module, &SourceMap::default(), &mut found);
        assert_eq!(found.len(), 1, "{found:?}");
    }
}
