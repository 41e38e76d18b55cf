//! `#pragma unroll` and `@unroll`: what the source asks of a loop. It is a wish: what is wrong about it is a warning.

use super::attributes::{Lower, lower_of};
use super::constants::integer_of;
use super::context::Lowering;
use crate::diagnostic::Diagnostic;
use crate::front::ast::{Attribute, AttributeArgument};
use crate::rules;

impl Lowering<'_, '_> {
    /// How often a loop is to be unrolled; 0 says as far as it goes.
    pub(super) fn unroll_of(&mut self, attributes: &[Attribute]) -> Option<u32> {
        let attribute = attributes.iter().find(|a| matches!(lower_of(a), Lower::Unroll))?;
        let factor = match attribute.arguments.as_slice() {
            [] => return Some(0),
            [AttributeArgument::Expr(factor)] => factor,
            _ => {
                self.no_unroll(attribute, "`unroll` takes one factor");
                return None;
            }
        };
        let findings = self.unit.found.len();
        let (_, value) = self.captured(|s| s.expr(factor));
        self.unit.found.truncate(findings);
        let factor = value.ok().and_then(|value| integer_of(&value)).and_then(|value| u32::try_from(value).ok());
        if factor.is_none_or(|factor| factor == 0) {
            self.no_unroll(attribute, "the factor of `unroll` is no positive integer constant");
            return None;
        }
        factor
    }

    /// Warns where a loop that becomes groups or items is to be unrolled.
    pub(super) fn warn_of_unroll(&mut self, attributes: &[Attribute]) {
        if let Some(attribute) = attributes.iter().find(|a| matches!(lower_of(a), Lower::Unroll)) {
            self.no_unroll(attribute, "parallel loops are not unrolled");
        }
    }

    fn no_unroll(&mut self, attribute: &Attribute, message: &str) {
        let message = format!("{message}: `unroll` is read over");
        self.report(Diagnostic::warning(rules::UNUSED_UNROLL, attribute.span, message));
    }
}
