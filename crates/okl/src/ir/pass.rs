//! Steps that change a module, one after the other.

use super::{Module, verify};

/// A step that changes a module: the meaning of a kernel stays, item for item.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// What `ferrocca translate --ir=NAME` and filetests call it.
    pub name: &'static str,
    /// Makes the step.
    pub run: fn(&mut Module),
}

/// Runs passes in order, up to and with the one that is called `last` where that is given. A debug build verifies what
/// each of them leaves behind.
pub fn run_passes(passes: &[Pass], last: Option<&str>, module: &mut Module) {
    for pass in passes {
        (pass.run)(module);
        debug_assert_eq!(verify(module), Ok(()), "the pass `{}` broke a rule of the IR", pass.name);
        if last == Some(pass.name) {
            break;
        }
    }
}
