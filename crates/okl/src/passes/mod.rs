//! Passes.
use crate::{back::Target, ir::Module};
/// Prepares.
pub fn prepare(_module: &mut Module, _target: &Target) {
    todo!()
}
