//! `@shared float s[n]` with a parameter `n`: sizes that a launch decides. A kernel is lowered for certain ones, as if they were
//! constants, and says what they are of; whoever launches it with others has it built again.

use super::Lowered;
use super::constants::{implicit, integer_of};
use super::context::{Lowering, VarInfo};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::rewrite::{self, Rewriter};
use crate::ir::{Expr, ExprKind, LaunchSize, MAX_LAUNCH_LEVELS, Role, Scalar, Type, VarId};
use crate::rules;
use std::collections::BTreeSet;

/// Variables that a size may be made of, each counted as often as it occurs.
const MAX_EXPANSIONS: u32 = 256;

const PASS_IT: &str = "pass the size as a parameter, which the kernel does not assign";

/// The sizes of a kernel that launches decide.
#[derive(Debug, Default)]
pub(super) struct LaunchSizes {
    /// What the kernel is built for, in order.
    pub(super) built: Vec<u32>,
    /// The array being declared, where it may have such a size.
    pub(super) array: Option<String>,
    /// In order.
    pub(super) found: Vec<LaunchSize>,
    /// The arrays that have such sizes.
    pub(super) arrays: BTreeSet<VarId>,
    /// Those of `found` whose arrays are known.
    known: usize,
}

impl LaunchSizes {
    /// That an array was declared.
    pub(super) fn note(&mut self, var: VarId) {
        if self.found.len() > self.known {
            self.arrays.insert(var);
            self.known = self.found.len();
        }
    }
}

impl Lowering<'_, '_> {
    /// The expression without the host's own variables, where these never change, and whether it is within the limits: else
    /// some of them are left.
    fn of_parameters(&self, value: &Expr) -> (Expr, bool) {
        struct Expand<'a> {
            info: &'a [VarInfo],
            left: u32,
            level: u32,
            fits: bool,
        }
        impl Rewriter for Expand<'_> {
            fn expr(&mut self, expr: &mut Expr) {
                if self.level == MAX_LAUNCH_LEVELS {
                    self.fits = false;
                    return;
                }
                self.level += 1;
                let known = match &expr.kind {
                    ExprKind::Load(place) if place.path.is_empty() => self.info[place.root.0 as usize].known.as_ref(),
                    _ => None,
                };
                match known {
                    Some(known) if self.left > 0 => {
                        *expr = known.clone();
                        self.left -= 1;
                        self.expr(expr);
                    }
                    Some(_) => self.fits = false,
                    None => rewrite::rewrite_expr(self, expr),
                }
                self.level -= 1;
            }
        }
        let mut value = value.clone();
        let mut expand = Expand { info: &self.info, left: MAX_EXPANSIONS, level: 0, fits: true };
        expand.expr(&mut value);
        (self.expanded(&value), expand.fits)
    }

    /// What a dimension is built for that a launch decides; `None` for one that is a constant, or is of another array.
    pub(super) fn launch_size(&mut self, expr: &ast::Expr) -> Lowered<Option<u32>> {
        let Some(array) = self.sizes.array.clone() else { return Ok(None) };
        let (effects, value) = self.captured(|s| s.expr(expr));
        let (value, fits) = self.of_parameters(&value?);
        let is_integer = value.ty.scalar().is_some_and(Scalar::is_integer);
        if integer_of(&value).is_some() || !is_integer {
            return Ok(None);
        }
        let is_of_parameters = value.every(&|e| match &e.kind {
            ExprKind::Load(place) => {
                let var = self.body.var(place.root);
                place.path.is_empty() && matches!((var.role, &var.ty), (Role::Param(_), Type::Scalar(_)))
            }
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
            _ => true,
        });
        if !is_of_parameters && !fits {
            let message = format!(
                "the size of `{array}` is made of more than {MAX_EXPANSIONS} constants, or of more than {MAX_LAUNCH_LEVELS} \
                 levels of operators"
            );
            return Err(self.report(Diagnostic::error(rules::LIMIT, expr.span, message).hint(PASS_IT)));
        }
        if !is_of_parameters || !effects.is_empty() {
            let message =
                format!("the size of `{array}` must be made of constants and scalar parameters of the kernel");
            let finding = Diagnostic::error(rules::CONSTANT_EXPECTED, expr.span, message);
            return Err(self.report(finding.hint(PASS_IT)));
        }
        let built = self.sizes.built.get(self.sizes.found.len()).copied().unwrap_or(1).max(1);
        let value = rewrite::at_span(&implicit(value, Scalar::I64), expr.span);
        self.sizes.found.push(LaunchSize { array, value, built });
        Ok(Some(built))
    }
}
