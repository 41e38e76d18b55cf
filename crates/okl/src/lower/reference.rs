//! References: parameters of device functions, which are pointers of the IR, and local names for what lies in memory.

use super::attributes::{Lower, lower_of};
use super::context::Lowering;
use super::expr::Value;
use super::local_pointer::{PointerId, PointerLocal};
use super::place::Object;
use super::pointer::PointerValue;
use super::scope::Symbol;
use super::types::{Declared, PointerQualifiers};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Attribute, Declarator, TypeName};
use crate::ir::{Argument, Expr, Initializer, Pointer, StmtKind, Type, VarId};
use crate::rules;
use crate::source::Span;

impl Lowering<'_, '_> {
    /// The type of a parameter that is a reference: the pointer that it is.
    pub(super) fn reference_type(&mut self, ty: &TypeName, is_kernel: bool) -> Lowered<Declared> {
        let span = ty.reference.unwrap_or(ty.span);
        if is_kernel {
            let finding = Diagnostic::error(rules::NOT_IN_OKL, span, "a parameter of a `@kernel` is no reference");
            return Err(self.report(finding.hint("pass the value (`const T &` is one), or a pointer to memory")));
        }
        let declared = self.resolve(&TypeName { reference: None, ..ty.clone() })?;
        if declared.pointer.is_some() {
            let finding = Diagnostic::error(rules::NOT_IN_OKL, span, "references to pointers are not in the language");
            return Err(self.report(finding.hint("pass the pointer, or an index into it")));
        }
        if !declared.dims.is_empty() {
            return Ok(declared);
        }
        Ok(Declared { pointer: Some(PointerQualifiers::default()), ..declared })
    }

    /// What a parameter that is a reference denotes.
    pub(super) fn referred(&mut self, var: VarId, span: Span) -> Lowered<Object> {
        let Object::Value(Value::Pointer(pointer)) = self.variable_object(var, span) else { return Err(Reported) };
        self.deref(pointer, span).map(Object::Lvalue)
    }

    /// The argument of a parameter that is a reference.
    pub(super) fn reference_argument(
        &mut self,
        label: &str,
        expected: &Pointer,
        written: bool,
        argument: &ast::Expr,
    ) -> Lowered<Argument> {
        let span = argument.span;
        let object = self.object(argument)?;
        let pointer = match object {
            Object::Lvalue(lvalue) if lvalue.ty == *expected.element || expected.mutable => {
                PointerValue { span, ..self.address_of(lvalue) }
            }
            _ if expected.mutable => {
                let finding = Diagnostic::error(
                    rules::NO_ADDRESS,
                    span,
                    format!("{label} may be written: a variable or an element of memory is expected"),
                );
                return Err(self.report(finding.hint("make the function's reference `const` if it only reads")));
            }
            other => {
                let value = self.load(other)?;
                let value = self.number_or_struct(value, span)?;
                let value = self.converted(value, &expected.element, span)?;
                self.address_of_value(value, span)
            }
        };
        self.pointer_for(label, expected, written, pointer, span)
    }

    fn address_of_value(&mut self, value: Expr, span: Span) -> PointerValue {
        let ty = value.ty.clone();
        let root = self.variable("value", ty.clone(), self.local_role(), false, span);
        self.emit(StmtKind::Declare { var: root, init: Some(Initializer::Value(value)) }, span);
        let offset = super::constants::zero(crate::ir::Scalar::I32, span);
        PointerValue { root, prefix: Vec::new(), offset, pointee: ty, is_const: true, span }
    }

    /// `T &name = object;`
    pub(super) fn declare_reference(&mut self, d: &Declarator, attributes: &[&Attribute], of: Span) -> Lowered<()> {
        let (name, span) = (&d.name.name, d.name.span);
        if let Some(attribute) = attributes.iter().find(|a| !matches!(lower_of(a), Lower::Dimensions)) {
            let message = format!("`@{}` is not for references", attribute.name.name);
            return Err(self.error(rules::MISPLACED_ATTRIBUTE, attribute.span, message));
        }
        let declared = self.resolve_local(&TypeName { reference: None, ..d.ty.clone() })?;
        let Some(ast::Initializer::Expr(init)) = &d.init else {
            return Err(self.error(rules::BAD_INITIALIZER, of, format!("reference `{name}` needs what it stands for")));
        };
        let dims: Option<Vec<u32>> = declared.dims.iter().copied().collect();
        let (Some(dims), None) = (dims, &declared.pointer) else {
            return Err(self.error(rules::NOT_IN_OKL, of, "references to pointers are not in the language"));
        };
        let ty = super::types::array_of(declared.element.clone(), &dims);
        let value = match self.object(init)? {
            Object::Lvalue(lvalue) => {
                if matches!(self.body.var(lvalue.root).role, crate::ir::Role::Outer(_) | crate::ir::Role::Inner(_)) {
                    let message = "the index of a parallel loop has no address; copy it to a variable";
                    return Err(self.error(rules::NO_ADDRESS, init.span, message));
                }
                self.address_of(lvalue)
            }
            _ => {
                let finding =
                    Diagnostic::error(rules::NO_ADDRESS, init.span, "a reference stands for a variable or memory");
                return Err(self.report(finding.hint("declare a variable, without the `&`")));
            }
        };
        let id = self.reference_to(d, ty, declared.is_const, value)?;
        self.bind(name, span, Symbol::LocalReference(id));
        Ok(())
    }

    fn reference_to(
        &mut self,
        d: &Declarator,
        pointee: Type,
        is_const: bool,
        value: PointerValue,
    ) -> Lowered<PointerId> {
        let (name, span) = (d.name.name.clone(), d.name.span);
        self.pointers.push(PointerLocal::new(name, span, pointee, is_const));
        let id = PointerId(self.pointers.len() as u32 - 1);
        self.assign_pointer(id, value, span)?;
        Ok(id)
    }
}
