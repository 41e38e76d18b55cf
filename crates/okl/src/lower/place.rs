//! Objects: what a name, `a[i]`, `s.x`, `*p` denote, and who may read and write them at which level.

use super::context::{Level, Lowering};
use super::expr::Value;
use super::local_pointer::PointerId;
use super::pointer::PointerValue;
use super::scope::Symbol;
use super::types::row_of;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{Expr, ExprKind, Place, Projection, Role, Type, VarId};
use crate::rules;
use crate::source::Span;

/// An object in memory or a variable.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    pub(super) root: VarId,
    pub(super) path: Vec<Projection>,
    /// A scalar, a struct, or an array that waits for more subscripts.
    pub(super) ty: Type,
    /// Must not be written.
    pub(super) is_const: bool,
    pub(super) span: Span,
}

impl Lvalue {
    /// As a place of the IR.
    pub(super) fn place(self) -> Place {
        Place { root: self.root, path: self.path, ty: self.ty, span: self.span }
    }

    /// The type of a number's place.
    pub(super) fn scalar(&self) -> crate::ir::Scalar {
        self.ty.scalar().unwrap_or(crate::ir::Scalar::I32)
    }

    /// Whether both are written alike, and so denote the same element.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.root == other.root && super::pointer::same_path(&self.path, &other.path)
    }
}

/// What an expression denotes before it is read.
#[derive(Clone, Debug)]
pub(super) enum Object {
    /// Something with a place.
    Lvalue(Lvalue),
    /// A local pointer's name: it can be set.
    Local(PointerId),
    /// A value without a place.
    Value(Value),
}

impl Lowering<'_, '_> {
    /// What an expression denotes.
    pub(super) fn object(&mut self, expr: &ast::Expr) -> Lowered<Object> {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Name(name) => self.named_object(name, span),
            ast::ExprKind::Index(base, index) => self.deeper(span, |s| s.indexed_object(base, index, span)),
            ast::ExprKind::Member { base, field, arrow } => {
                self.deeper(span, |s| s.member_object(base, field, *arrow, span))
            }
            ast::ExprKind::Unary(ast::UnaryOp::Deref, pointer) => self.deeper(span, |s| {
                let pointer = s.dereferenced(pointer)?;
                s.deref(pointer, span).map(Object::Lvalue)
            }),
            ast::ExprKind::Call(name, indices) => match self.dim_object(name, indices, span) {
                Some(object) => object,
                None => self.value(expr).map(Object::Value),
            },
            ast::ExprKind::Comma(first, second) => self.deeper(span, |s| {
                s.discard(first)?;
                s.object(second)
            }),
            _ => self.value(expr).map(Object::Value),
        }
    }

    fn named_object(&mut self, name: &str, span: Span) -> Lowered<Object> {
        let symbol = match self.lookup(name) {
            Some(symbol) => {
                self.warn_of_own_name(name, span);
                symbol
            }
            None => match super::math::named_constant(name) {
                Some(value) => {
                    return Ok(Object::Value(Value::Scalar(super::constants::constant(value, span))));
                }
                None => return Err(self.undeclared(name, span, "name")),
            },
        };
        Ok(match symbol {
            Symbol::Var(var) => self.variable_object(var, span),
            Symbol::Pointer(id) => Object::Local(id),
            Symbol::Reference(var) => self.referred(var, span)?,
            Symbol::LocalReference(id) => {
                let to = self.local_pointer(id, span)?;
                self.deref(to, span).map(Object::Lvalue)?
            }
            Symbol::Literal(literal, scalar) => {
                Object::Value(Value::Scalar(Expr { kind: ExprKind::Literal(literal), ty: scalar.into(), span }))
            }
            Symbol::Complex(id, parts) => Object::Value(self.complex_literal(id, parts, span)),
            Symbol::Table(id) => {
                let root = self.table(id);
                Object::Lvalue(Lvalue {
                    root,
                    path: Vec::new(),
                    ty: self.body.var(root).ty.clone(),
                    is_const: true,
                    span,
                })
            }
            Symbol::HostVariable(declared) => {
                let message = format!("`{name}` is a global variable, which devices do not have");
                let finding = Diagnostic::error(rules::GLOBAL_VARIABLE, span, message).label(declared, "declared here");
                return Err(self.report(finding.hint("declare it `const`, or pass it to the kernel")));
            }
            Symbol::Lambda(_) => {
                return Err(self.error(
                    rules::LAMBDA,
                    span,
                    format!("lambda `{name}` is not called; it cannot be passed on"),
                ));
            }
            Symbol::Function => {
                return Err(self.error(
                    rules::WRONG_NAME_KIND,
                    span,
                    format!("function `{name}` is not called; function pointers are not in the language yet"),
                ));
            }
            Symbol::Struct(_) | Symbol::Typedef(_) => {
                return Err(self.error(rules::WRONG_NAME_KIND, span, format!("`{name}` is a type, not a value")));
            }
            Symbol::Refused => return Err(Reported),
        })
    }

    /// C knows a new variable within its own initialiser, where it has no value yet; here the outer one is meant.
    fn warn_of_own_name(&mut self, name: &str, span: Span) {
        let Some(declared) = self.declaring.take_if(|declared| declared.name == name) else { return };
        let message = format!("`{name}` is the outer variable here; C would read the new one, which has no value yet");
        let finding = Diagnostic::warning(rules::OWN_INITIALIZER, span, message)
            .label(declared.span, "the new one is declared here");
        self.report(finding.hint("give the new variable another name"));
    }

    pub(super) fn variable_object(&mut self, root: VarId, span: Span) -> Object {
        match &self.body.var(root).ty {
            Type::Pointer(p) => {
                let pointee = super::types::array_of((*p.element).clone(), &p.dims);
                let offset = super::constants::zero(crate::ir::Scalar::I32, span);
                let value = PointerValue { root, prefix: Vec::new(), offset, pointee, is_const: !p.mutable, span };
                Object::Value(Value::Pointer(value))
            }
            ty => {
                let is_const = self.info[root.0 as usize].is_const;
                Object::Lvalue(Lvalue { root, path: Vec::new(), ty: ty.clone(), is_const, span })
            }
        }
    }

    fn indexed_object(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Lowered<Object> {
        let base_object = self.object(base)?;
        let index = self.among_bits(|s| s.expr(index))?;
        if let Object::Local(id) = base_object
            && self.is_pointer_array(id)
        {
            return self.pointer_element(id, index, span).map(Object::Local);
        }
        self.indexed_lvalue(base_object, base, index, span).map(Object::Lvalue)
    }

    fn indexed_lvalue(&mut self, base_object: Object, base: &ast::Expr, index: Expr, span: Span) -> Lowered<Lvalue> {
        match base_object {
            Object::Lvalue(array) if matches!(array.ty, Type::Array(..)) => self.index_array(array, index, span),
            Object::Lvalue(_) | Object::Value(Value::Scalar(_) | Value::Vector(_) | Value::Void) => Err(self.error(
                rules::BAD_SUBSCRIPT,
                base.span,
                "this is neither an array nor a pointer and cannot be subscripted",
            )),
            Object::Local(id) => {
                let pointer = self.local_pointer(id, base.span)?;
                self.index_pointer(pointer, index, span)
            }
            Object::Value(Value::Pointer(pointer)) => self.index_pointer(pointer, index, span),
        }
    }

    /// An element of an array or of what a pointer leads to.
    pub(super) fn indexed_by(&mut self, base: &ast::Expr, index: Expr, span: Span) -> Lowered<Object> {
        let object = self.object(base)?;
        self.indexed_lvalue(object, base, index, span).map(Object::Lvalue)
    }

    pub(super) fn index_array(&mut self, array: Lvalue, index: Expr, span: Span) -> Lowered<Lvalue> {
        let Type::Array(element, dims) = &array.ty else {
            return Ok(array);
        };
        let index = self.subscript(index)?;
        if let (Some(value), Some(&dim)) = (super::constants::integer_of(&index), dims.first())
            && !(0..i128::from(dim)).contains(&value)
            // What a launch decides it looks at itself.
            && !self.sizes.arrays.contains(&array.root)
        {
            let message = format!("subscript {value} is outside of the array's 0..{dim}");
            return Err(self.error(rules::BAD_SUBSCRIPT, index.span, message));
        }
        let row = row_of(element, dims);
        let mut path = array.path;
        if let Some(Projection::Flat(offset)) = path.last_mut() {
            let whole = std::mem::replace(offset, super::constants::zero(crate::ir::Scalar::I32, span));
            let step = super::pointer::scale_offset(index, row.len(), span);
            *offset = super::pointer::add_offsets(whole, step, crate::ir::BinaryOp::Add, span);
        } else {
            path.push(Projection::Index(index));
        }
        Ok(Lvalue { path, ty: row, span, ..array })
    }

    fn member_object(&mut self, base: &ast::Expr, field: &ast::Ident, arrow: bool, span: Span) -> Lowered<Object> {
        let object = if arrow {
            let pointer = self.pointer(base)?;
            Object::Lvalue(self.deref(pointer, base.span)?)
        } else {
            self.object(base)?
        };
        let object = match object {
            Object::Lvalue(lvalue) => lvalue,
            Object::Value(Value::Vector(vector)) => return self.named_component(vector, field).map(Object::Value),
            // A struct that a function returned needs a place before one of its fields can be read.
            Object::Value(Value::Scalar(value)) if matches!(value.ty, Type::Struct(_)) => {
                let ty = value.ty.clone();
                let root = self.temporary("result", ty.clone(), Some(value), true, span);
                Lvalue { root, path: Vec::new(), ty, is_const: true, span }
            }
            Object::Local(_) | Object::Value(Value::Pointer(_)) => {
                let hint = format!("write `->{}`", field.name);
                return Err(
                    self.report(Diagnostic::error(rules::NO_SUCH_FIELD, span, "a pointer has no fields").hint(hint))
                );
            }
            Object::Value(_) => {
                return Err(self.error(rules::NO_SUCH_FIELD, base.span, "this has no fields; only structs have"));
            }
        };
        let Type::Struct(id) = object.ty else {
            let name = self.type_name(&object.ty);
            return Err(self.error(
                rules::NO_SUCH_FIELD,
                base.span,
                format!("`{name}` has no fields; only structs have"),
            ));
        };
        if let Some(number) = self.unit.pointer_fields[id.0 as usize].iter().position(|f| f.name == field.name) {
            return self.record_pointer(&object, id, number, span).map(Object::Local);
        }
        let of = &self.unit.module.structs[id.0 as usize];
        let Some(number) = of.fields.iter().position(|f| f.name == field.name) else {
            let pointers = self.unit.pointer_fields[id.0 as usize].iter().map(|f| f.name.as_str());
            let near = super::scope::nearest(&field.name, of.fields.iter().map(|f| f.name.as_str()).chain(pointers));
            if self.unit.parts_of_complex(id).is_some() {
                let message = format!("`{}` has no part `{}`", of.name, field.name);
                let finding = Diagnostic::error(rules::NO_SUCH_FIELD, field.span, message);
                return Err(self.report(finding.hint("its parts are `re` and `im`")));
            }
            let message = format!("struct `{}` has no field `{}`", of.name, field.name);
            let diagnostic = Diagnostic::error(rules::NO_SUCH_FIELD, field.span, message)
                .label(of.span, "the struct is defined here");
            return Err(self.report(match near {
                _ if field.name == crate::front::parse::OFFSETS => diagnostic
                    .hint("`begin(e)` and `end(e)` are of structs that are defined as `@ragged struct … { … };`"),
                Some(near) => diagnostic.hint(format!("did you mean `{near}`?")),
                None => diagnostic,
            }));
        };
        let ty = of.fields[number].ty.clone();
        let mut path = object.path;
        path.push(Projection::Field(number as u32));
        Ok(Object::Lvalue(Lvalue { path, ty, span, ..object }))
    }

    /// The value of an object: what it holds, or a pointer to its first element for an array.
    pub(super) fn load(&mut self, object: Object) -> Lowered<Value> {
        match object {
            Object::Value(value) => Ok(value),
            Object::Local(id) => {
                let span = self.pointers[id.0 as usize].span;
                self.local_pointer(id, span).map(Value::Pointer)
            }
            Object::Lvalue(lvalue) if matches!(lvalue.ty, Type::Array(..)) => Ok(Value::Pointer(self.decay(lvalue))),
            Object::Lvalue(lvalue) => {
                self.check_read(lvalue.root, lvalue.span)?;
                if lvalue.path.is_empty() {
                    let known = self.info[lvalue.root.0 as usize].known.as_ref();
                    if let Some(literal) = known.and_then(Expr::literal) {
                        return Ok(Value::Scalar(Expr {
                            kind: ExprKind::Literal(literal),
                            ty: lvalue.ty,
                            span: lvalue.span,
                        }));
                    }
                }
                let (ty, span) = (lvalue.ty.clone(), lvalue.span);
                Ok(Value::Scalar(Expr { kind: ExprKind::Load(lvalue.place()), ty, span }))
            }
        }
    }

    /// Whether `root` may be read at this level.
    pub(super) fn check_read(&mut self, root: VarId, span: Span) -> Lowered<()> {
        let var = self.body.var(root);
        let name = self.called(root);
        match (self.level, var.role, &var.ty) {
            (Level::Host, Role::Constant(_), Type::Array(element, _)) if self.as_complex(element).is_some() => {
                Err(self.error(rules::HOST_READ, span, super::complex::ON_THE_HOST))
            }
            (Level::Host, Role::Constant(_), _) | (Level::Host, Role::Param(_) | Role::Host, Type::Scalar(_)) => Ok(()),
            (Level::Host, Role::Param(_), Type::Struct(_)) => Err(self.report(
                Diagnostic::error(rules::HOST_READ, span, format!("struct `{name}` cannot be read on the host, where loop bounds and code outside `@outer` loops run"))
                    .hint("pass the number as a parameter of its own"),
            )),
            (Level::Host, ..) => Err(self.report(
                Diagnostic::error(rules::HOST_READ, span, format!("device memory `{name}` cannot be read on the host, where bounds of `@outer` loops and code outside them run"))
                    .hint("pass the value as a scalar parameter"),
            )),
            (Level::Group, Role::Exclusive, _) => Err(self.exclusive_outside(&name, span)),
            _ => Ok(()),
        }
    }

    pub(super) fn exclusive_outside(&mut self, name: &str, span: Span) -> super::Reported {
        let message = format!(
            "`@exclusive` variable `{name}` has a value per item and cannot be read outside of the `@inner` loops"
        );
        let hint = "move the statement into an `@inner` loop, or keep the value in `@shared` memory";
        self.report(Diagnostic::error(rules::EXCLUSIVE_OUTSIDE, span, message).hint(hint))
    }

    /// Whether an object may be written at this level; notes writes behind parameters.
    pub(super) fn check_write(&mut self, object: &Lvalue) -> Lowered<()> {
        let Lvalue { root, span, .. } = *object;
        let var = self.body.var(root);
        let name = self.called(root);
        if self.choices.contains(root) && !object.is_const {
            self.check_memory_write(&name, "memory that a pointer leads to", span)?;
            self.choices.note_write(root);
            return Ok(());
        }
        if object.is_const && !matches!(var.role, Role::Outer(_) | Role::Inner(_)) {
            let diagnostic = Diagnostic::error(
                rules::WRITE_TO_CONSTANT,
                span,
                format!("`{name}` is constant and cannot be written"),
            );
            return Err(self.report(diagnostic.label(var.span, "declared here")));
        }
        match (var.role, &var.ty) {
            (Role::Param(number), Type::Pointer(_)) => {
                self.check_memory_write(&name, "global memory", span)?;
                if let Some(writes) = self.writes.get_mut(number as usize) {
                    *writes = true;
                }
                Ok(())
            }
            (Role::Shared, _) => self.check_memory_write(&name, "`@shared` memory", span),
            (Role::Exclusive, _) => self.check_memory_write(&name, "an `@exclusive` variable", span),
            _ => self.check_variable_write(root, &name, span),
        }
    }

    pub(super) fn check_memory_write(&mut self, name: &str, what: &str, span: Span) -> Lowered<()> {
        let (message, hint) = match self.level {
            Level::Item | Level::Function => return Ok(()),
            Level::Between if self.row_writes.is_some() && !what.starts_with("an") => {
                self.row_writes = Some(true);
                return Ok(());
            }
            Level::Between => (
                format!(
                    "`{name}` is {what}, written between two nested `@inner` loops: every item of the inner loop would write it"
                ),
                "move the statement into the innermost `@inner` loop",
            ),
            Level::Group => match self.nest.as_ref().is_some_and(|nest| nest.has_items) {
                true => (
                    format!("`{name}` is {what} and cannot be written outside of the `@inner` loops: no item does it"),
                    "move the statement into an `@inner` loop",
                ),
                false => (
                    format!("no loop here is `@inner`, so that no item can write `{name}`"),
                    "mark the loop over the items: `@tile(256, @outer, @inner)`, or `for (…; @outer) for (…; @inner)`",
                ),
            },
            Level::Host | Level::File => (
                format!("`{name}` is {what} and cannot be written outside of the `@outer` loops"),
                "move the statement into an `@inner` loop",
            ),
        };
        let diagnostic = Diagnostic::error(rules::SHARED_WRITE, span, message).hint(hint);
        let without_items = self.nest.as_ref().filter(|nest| !nest.has_items).map(|nest| nest.nest.span);
        Err(self.report(match without_items {
            Some(nest) => diagnostic.label(nest, "this is the `@outer` loop"),
            None => diagnostic,
        }))
    }

    /// Whether a variable that is no memory of the group may be written here.
    pub(super) fn check_variable_write(&mut self, root: VarId, name: &str, span: Span) -> Lowered<()> {
        let (declared, place) = (self.info[root.0 as usize].level, self.body.var(root).span);
        let refuse = |message: String, hint: &str| {
            Diagnostic::error(rules::SHARED_WRITE, span, message).label(place, "declared here").hint(hint)
        };
        let diagnostic = match (self.body.var(root).role, declared, self.level) {
            (Role::Outer(_) | Role::Inner(_), ..) => refuse(
                format!("`{name}` is the index of a parallel loop and cannot be written"),
                "copy it to another variable",
            ),
            (_, Level::Host, Level::Group | Level::Between | Level::Item) => refuse(
                format!(
                    "`{name}` belongs to the host part and cannot be written in `@outer` loops, whose groups run in any order"
                ),
                "declare a variable inside the `@outer` loop",
            ),
            (_, Level::Group, Level::Between | Level::Item) => refuse(
                format!("`{name}` is declared outside of the `@inner` loop and cannot be written by its items"),
                "declare it `@exclusive` (one value per item) or `@shared` (one per group), or inside the `@inner` loop",
            ),
            _ => return Ok(()),
        };
        Err(self.report(diagnostic))
    }

    /// A subscript: any integer type but `bool`, as C promotes it.
    pub(super) fn subscript(&mut self, index: Expr) -> Lowered<Expr> {
        match index.ty.scalar() {
            Some(scalar) if scalar.is_integer() => {
                Ok(super::constants::implicit(index, super::constants::promoted(scalar)))
            }
            _ => {
                let got = self.type_name(&index.ty);
                Err(self.error(
                    rules::BAD_SUBSCRIPT,
                    index.span,
                    format!("a subscript must be an integer, not `{got}`"),
                ))
            }
        }
    }
}
