//! Tests whether a pointer is null. A launch knows that of a kernel's parameters: a host variable says it to the kernel, and
//! a device function that asks takes a parameter more. Every other pointer leads to memory.

use super::Lowered;
use super::constants::{binary, implicit, integer_of, not, zero};
use super::context::{Level, Lowering};
use super::expr::Value;
use super::pointer::PointerValue;
use crate::diagnostic::Diagnostic;
use crate::ir::{BinaryOp, Builtin, Expr, ExprKind, HostStmt, Role, Scalar, Type, VarId};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    /// Whether a pointer is not null.
    pub(super) fn is_not_null(&mut self, pointer: &PointerValue, span: Span) -> Lowered<Expr> {
        let present = self.presence(pointer.root, span)?;
        Ok(binary(BinaryOp::Ne, present, zero(Scalar::I32, span), span))
    }

    /// `a == 0`, `NULL != a` of a pointer; `None` where it is neither.
    pub(super) fn null_comparison(&mut self, op: BinaryOp, a: &Value, b: &Value, span: Span) -> Option<Lowered<Value>> {
        let (Value::Pointer(pointer), Value::Scalar(number)) = (match a {
            Value::Pointer(_) => (a, b),
            _ => (b, a),
        }) else {
            return None;
        };
        if !matches!(op, BinaryOp::Eq | BinaryOp::Ne) || integer_of(number) != Some(0) {
            return None;
        }
        let leads = self.is_not_null(pointer, span);
        Some(leads.map(|leads| Value::Scalar(if op == BinaryOp::Ne { leads } else { not(leads) })))
    }

    /// 1 where the memory that a root stands for is there, 0 where a launch gave null.
    pub(super) fn presence(&mut self, root: VarId, span: Span) -> Lowered<Expr> {
        if self.choices.contains(root) {
            let message = "this pointer may lead into several arrays: whether it is null is not known";
            let finding = Diagnostic::error(rules::NULL_POINTER, span, message);
            return Err(self.report(finding.hint("test the parameters that it is set to")));
        }
        let var = match (self.body.var(root).role, &self.body.var(root).ty) {
            (Role::Param(position), Type::Pointer(_)) if self.level == Level::Function => {
                self.presence_parameter(root, position)
            }
            (Role::Param(_), Type::Pointer(_)) => self.presence_variable(root),
            _ => return Ok(Expr::int(1, Scalar::I32, span)),
        };
        Ok(self.read(var, span))
    }

    fn presence_variable(&mut self, param: VarId) -> VarId {
        if let Some(&known) = self.presence.get(&param) {
            return known;
        }
        let name = format!("{}_present", self.called(param));
        let var = self.roled(&name, Scalar::I32.into(), Role::Host, self.body.var(param).span);
        self.info[var.0 as usize].level = Level::Host;
        self.body.generated.insert(var);
        self.presence.insert(param, var);
        var
    }

    /// What sets the host variables that say of parameters whether they are null. Memory without elements is as good as null.
    pub(super) fn set_presence(&mut self) -> Vec<HostStmt> {
        let presence = std::mem::take(&mut self.presence);
        let set = presence.into_iter().filter_map(|(param, var)| {
            let Role::Param(position) = self.body.var(param).role else { return None };
            let span = self.body.var(param).span;
            let length = Expr { kind: ExprKind::Builtin(Builtin::Length(position)), ty: Scalar::I64.into(), span };
            let is_there = binary(BinaryOp::Gt, length, zero(Scalar::I64, span), span);
            Some(HostStmt::Set { var, value: implicit(is_there, Scalar::I32) })
        });
        set.collect()
    }
}
