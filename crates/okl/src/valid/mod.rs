//! Legality of lowered IR.
use crate::{Diagnostic, back::Target, ir::Module};
/// Checks what holds for every target.
pub fn check(_module: &Module, _found: &mut Vec<Diagnostic>) {}
/// Checks what the target can do.
pub fn check_capabilities(_module: &Module, _target: &Target, _found: &mut Vec<Diagnostic>) {}
