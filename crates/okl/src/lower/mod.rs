//! AST to IR.
use crate::{Diagnostic, front::ast::Unit, ir::Module};
/// Lowers.
pub fn lower(_unit: &Unit, _found: &mut Vec<Diagnostic>) -> Module {
    todo!()
}
