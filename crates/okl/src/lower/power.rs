//! `^` where a power was most likely meant. In C it is the exclusive or.

use super::context::Lowering;
use crate::diagnostic::Diagnostic;
use crate::front::ast::{Expr, ExprKind as A};
use crate::ir::{BinaryOp, Scalar};
use crate::rules;
use crate::source::Span;

/// Operators beside which `^` is one of bits.
pub(super) const fn is_of_bits(op: BinaryOp) -> bool {
    use BinaryOp::{BitAnd, BitOr, BitXor, Rem, Shl, Shr};
    matches!(op, BitAnd | BitOr | BitXor | Shl | Shr | Rem)
}

/// A number in decimal digits without a suffix. The tree has no spelling: it is one where the span is as long as the digits.
fn decimal(expr: &Expr) -> Option<u64> {
    match expr.kind {
        A::Int(value, Scalar::I32) => {
            let digits = value.checked_ilog10().unwrap_or(0) + 1;
            (expr.span.end.checked_sub(expr.span.start) == Some(digits)).then_some(value)
        }
        _ => None,
    }
}

impl Lowering<'_, '_> {
    /// Warns of `left ^ right` that looks like a power; `of` is the type of the left side.
    pub(super) fn warn_of_power(&mut self, left: &Expr, right: &Expr, of: Option<Scalar>, span: Span) {
        if self.bits > 0 || !of.is_some_and(|of| of.is_integer() && of.is_signed()) {
            return;
        }
        let (message, hint) = match (decimal(left), decimal(right)) {
            (Some(base @ (2 | 10)), Some(exponent)) => {
                let instead = match base {
                    2 => format!("for the power write `1 << {exponent}`"),
                    _ => format!("for the power write `1e{exponent}`, or the number with all its zeros"),
                };
                (format!("`^` is the exclusive or: `{base} ^ {exponent}` is {}", base ^ exponent), instead)
            }
            (None, Some(exponent @ (2 | 3))) if !is_of_bit_operation(left) => {
                let name = match &left.kind {
                    A::Name(name) => name.as_str(),
                    _ => "x",
                };
                let product = vec![name; exponent as usize].join(" * ");
                let message = format!("`^` is the exclusive or, not a power: `3 ^ {exponent}` is {}", 3 ^ exponent);
                (message, format!("for the power write `{product}` or `pow({name}, {exponent})`"))
            }
            _ => return,
        };
        let hint = format!(
            "{hint}; if bits are meant, write the number in hexadecimal: `0x{:x}`",
            decimal(right).unwrap_or(0)
        );
        self.report(Diagnostic::warning(rules::XOR_AS_POWER, span, message).hint(hint));
    }
}

fn is_of_bit_operation(expr: &Expr) -> bool {
    match &expr.kind {
        A::Binary(op, ..) => is_of_bits(super::expr::operator(*op)),
        A::Unary(op, _) => *op == crate::front::ast::UnaryOp::Complement,
        _ => false,
    }
}
