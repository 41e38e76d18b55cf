//! `__builtin_prefetch`: a processor's caches are asked for memory that is needed soon.

use super::constants::integer_of;
use super::context::{Level, Lowering};
use super::expr::Value;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{StmtKind, Type};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    /// `__builtin_prefetch(address, for_write, locality)`, as gcc and clang have it.
    pub(super) fn prefetch(&mut self, arguments: &[ast::Expr], span: Span, wanted: bool) -> Lowered<Value> {
        const NAME: &str = "__builtin_prefetch";
        let Some((address, hints)) = arguments.split_first().filter(|(_, hints)| hints.len() <= 2) else {
            return Err(self.wrong_arguments(NAME, "an address, and may take two numbers", arguments, span));
        };
        if wanted || !matches!(self.level, Level::Item | Level::Function) {
            let (message, hint) = match wanted {
                true => ("gives no value", "write it as a statement of its own"),
                false => ("stands outside of the `@inner` loops", "move it into an `@inner` loop"),
            };
            let finding = Diagnostic::error(rules::WRONG_ARGUMENT, span, format!("`{NAME}` {message}"));
            return Err(self.report(finding.hint(hint)));
        }
        let pointer = self.pointer(address)?;
        if !matches!(self.body.var(pointer.root).ty, Type::Pointer(_)) {
            let message = format!("`{NAME}` takes the address of an element of memory");
            let finding = Diagnostic::error(rules::WRONG_ARGUMENT, address.span, message);
            return Err(self.report(finding.hint("local variables and `@shared` arrays are in the caches already")));
        }
        let place = self.deref(pointer, address.span)?.place();
        let mut hint = |at: usize, most: i128, default: u8| match hints.get(at) {
            None => Ok(default),
            Some(given) => self.hint(given, most),
        };
        let (for_write, locality) = (hint(0, 1, 0)? == 1, hint(1, 3, 3)?);
        self.emit(StmtKind::Prefetch { place, for_write, locality }, span);
        Ok(Value::Void)
    }

    fn hint(&mut self, given: &ast::Expr, most: i128) -> Lowered<u8> {
        let (value, _) = self.number(given)?;
        let known = integer_of(&value).filter(|known| (0..=most).contains(known));
        known.and_then(|known| u8::try_from(known).ok()).ok_or_else(|| -> Reported {
            self.error(rules::WRONG_ARGUMENT, given.span, format!("a constant from 0 to {most} is expected here"))
        })
    }
}
