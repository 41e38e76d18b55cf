//! `@ragged struct muons { float pt; int charge; };`: records of uneven number, as columns and offsets.
//!
//! Such a struct is one of pointers: `const int *offsets`, and for each field a `const` column. `muons.begin(e)` is
//! `muons.offsets[e]`, `muons.end(e)` is `muons.offsets[e + 1]`; the records of `e` lie between. Nothing else of the compiler
//! knows of it.

use super::{Parsed, Parser};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{Attribute, BaseType, Declaration, Declarator, Ident, PointerLevel, TypeName};
use crate::ir::Scalar;
use crate::rules;
use crate::source::Span;

/// The pointer that a `@ragged` struct has besides its columns.
pub(crate) const OFFSETS: &str = "offsets";

impl Parser<'_> {
    /// Takes `@ragged` out of the attributes before a declaration: the struct that follows has it.
    pub(super) fn take_ragged(&mut self, attributes: &mut Vec<Attribute>) {
        let found = attributes.iter().position(|attribute| attribute.name.name == "ragged");
        self.ragged = found.map(|at| attributes.remove(at).span);
    }

    /// What `@ragged` stood before has no struct in it.
    pub(super) fn check_ragged(&mut self) -> Parsed<()> {
        let Some(span) = self.ragged.take() else { return Ok(()) };
        let finding =
            Diagnostic::error(rules::MISPLACED_ATTRIBUTE, span, "`@ragged` stands before the definition of a struct");
        self.fail(finding.hint("write `@ragged struct events { float energy; int kind; };`"))
    }

    /// The fields of a struct as they are, where it may be `ragged`.
    pub(super) fn columns(
        &mut self,
        fields: Vec<Declaration>,
        ragged: Option<Span>,
        name: Span,
    ) -> Parsed<Vec<Declaration>> {
        if ragged.is_none() {
            return Ok(fields);
        }
        let int = TypeName {
            base: BaseType::Scalar(Scalar::I32),
            is_const: true,
            is_volatile: false,
            pointers: vec![PointerLevel::default()],
            reference: None,
            dims: Vec::new(),
            span: name,
        };
        let offsets = Ident { name: OFFSETS.to_owned(), span: name };
        let offsets = Declarator { name: offsets, ty: int, attributes: Vec::new(), init: None };
        let mut all = vec![Declaration { attributes: Vec::new(), declarators: vec![offsets], span: name }];
        for mut field in fields {
            for column in &mut field.declarators {
                if !column.ty.pointers.is_empty() || !column.ty.dims.is_empty() || column.ty.reference.is_some() {
                    let message =
                        format!("`{}` is a column of a `@ragged` struct, and written as its element", column.name.name);
                    let finding = Diagnostic::error(rules::MISPLACED_ATTRIBUTE, column.name.span, message);
                    return self.fail(finding.hint(format!("write `float {};`", column.name.name)));
                }
                column.ty.is_const = true;
                column.ty.pointers.push(PointerLevel::default());
            }
            all.push(field);
        }
        Ok(all)
    }

    /// Whether a name is that of the first record of a list, or of the one behind the last.
    pub(super) fn is_bound(name: &Ident) -> bool {
        matches!(name.name.as_str(), "begin" | "end")
    }
}
