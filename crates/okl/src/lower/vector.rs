//! Vector types: `float4`, `make_float4(…)`, and operators that work on each component.
//!
//! A vector is a struct of the IR, `x`, `y`, `z` and `w`, aligned as in CUDA. What is computed with vectors is computed with
//! their components, so that nothing behind this knows of vectors; a load or store of a whole one stays a single one.

use super::constants::{common, convert, implicit};
use super::context::{Level, Lowering};
use super::expr::Value;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{
    BinaryOp, Expr, ExprKind, Field, Initializer, MathFn, Place, Projection, Scalar, StmtKind, Struct, StructId, Type,
};
use crate::rules;
use crate::source::Span;

/// Names of the components.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// A vector's value as its components, in order.
#[derive(Clone, Debug)]
pub(super) struct VectorValue {
    pub(super) id: StructId,
    pub(super) parts: Vec<Expr>,
    pub(super) span: Span,
}

/// A value as a component. The cast is written out: C++ takes no narrower number between braces unasked.
fn component(value: Expr, scalar: Scalar) -> Expr {
    convert(value, scalar, false)
}

/// `min(max(value, low), high)`, computed in `ty`.
fn between(value: Expr, low: Expr, high: Expr, ty: Scalar, span: Span) -> Expr {
    let (max, min) = if ty.is_float() { (MathFn::Fmax, MathFn::Fmin) } else { (MathFn::IntMax, MathFn::IntMin) };
    let [value, low, high] = [value, low, high].map(|number| implicit(number, ty));
    let above = super::constants::math(max, vec![value, low], span);
    super::constants::math(min, vec![above, high], span)
}

impl Lowering<'_, '_> {
    /// The struct that a vector type's name stands for.
    pub(super) fn vector_type(&mut self, name: &str, span: Span) -> Option<StructId> {
        let (scalar, len) = Struct::vector_of_name(name)?;
        let same = |of: &Struct| of.is_vector && of.fields.len() == len && of.fields[0].ty == scalar.into();
        if let Some(known) = self.unit.module.structs.iter().position(same) {
            return Some(StructId(known as u32));
        }
        let field = |(number, name): (usize, &str)| Field {
            name: name.to_owned(),
            ty: scalar.into(),
            offset: number * scalar.bytes(),
        };
        let fields = COMPONENTS.into_iter().take(len).enumerate().map(field).collect();
        let (bytes, align) = (len * scalar.bytes(), Struct::vector_align(scalar, len));
        let name = name.to_owned();
        self.unit.module.structs.push(Struct { name, fields, bytes, align, is_vector: true, span });
        self.unit.struct_scalars.push(len as u64);
        self.unit.pointer_fields.push(Vec::new());
        Some(StructId(self.unit.module.structs.len() as u32 - 1))
    }

    /// The vector type that a type is, and the type of its components.
    pub(super) fn as_vector(&self, ty: &Type) -> Option<(StructId, Scalar)> {
        let Type::Struct(id) = ty else { return None };
        let of = &self.unit.module.structs[id.0 as usize];
        let scalar = of.fields.first()?.ty.scalar()?;
        of.is_vector.then_some((*id, scalar))
    }

    fn len_of(&self, id: StructId) -> usize {
        self.unit.module.structs[id.0 as usize].fields.len()
    }

    fn scalar_of(&self, id: StructId) -> Scalar {
        self.as_vector(&Type::Struct(id)).map_or(Scalar::I32, |(_, scalar)| scalar)
    }

    /// A vector as a value that statements take: a variable that is initialised with the components.
    pub(super) fn composed(&mut self, vector: VectorValue) -> Lowered<Expr> {
        let VectorValue { id, parts, span } = vector;
        if matches!(self.level, Level::Host | Level::File) {
            let message = match self.unit.parts_of_complex(id) {
                Some(_) if self.level == Level::File => return Err(self.not_constant(span)),
                Some(_) => super::complex::ON_THE_HOST,
                None => "vectors are not computed on the host, where loop bounds and code outside `@outer` loops run",
            };
            return Err(self.error(rules::HOST_READ, span, message));
        }
        let var = self.temporary("value", Type::Struct(id), None, true, span);
        if let Some(StmtKind::Declare { init, .. }) = self.out.last_mut().map(|stmt| &mut stmt.kind) {
            *init = Some(Initializer::List(parts));
        }
        Ok(self.read(var, span))
    }

    /// A value with its components put together.
    pub(super) fn settled(&mut self, value: Value) -> Lowered<Value> {
        match value {
            Value::Vector(vector) => self.composed(vector).map(Value::Scalar),
            other => Ok(other),
        }
    }

    /// The components of a vector, or the parts of a complex number, each of which can be evaluated on its own. Memory is read as a whole, once.
    pub(super) fn components(&mut self, value: Value) -> Option<VectorValue> {
        let expr = match value {
            Value::Vector(vector) => return Some(vector),
            Value::Scalar(expr) => expr,
            Value::Pointer(_) | Value::Void => return None,
        };
        let (id, scalar) = self.as_vector(&expr.ty).or_else(|| self.as_complex(&expr.ty))?;
        let span = expr.span;
        let name = if self.as_complex(&expr.ty).is_some() { "complex" } else { "vector" };
        let of_variable = |place: &Place| {
            let role = self.body.var(place.root).role;
            let is_value = matches!(self.body.var(place.root).ty, Type::Struct(_));
            is_value && !role.is_shared() && place.path.iter().all(|p| matches!(p, Projection::Field(_)))
        };
        let place = match &expr.kind {
            ExprKind::Load(place) if of_variable(place) => place.clone(),
            _ => match self.held(expr, name).kind {
                ExprKind::Load(place) => place,
                _ => return None,
            },
        };
        let part = |number| {
            let mut path = place.path.clone();
            path.push(Projection::Field(number));
            let place = Place { root: place.root, path, ty: scalar.into(), span };
            Expr { kind: ExprKind::Load(place), ty: scalar.into(), span }
        };
        Some(VectorValue { id, parts: (0..self.len_of(id) as u32).map(part).collect(), span })
    }

    /// A number for every component.
    fn spread(&mut self, id: StructId, number: Expr, span: Span) -> Lowered<VectorValue> {
        let scalar = self.scalar_of(id);
        let Some(own) = number.ty.scalar() else {
            let (vector, got) = (self.type_name(&Type::Struct(id)), self.type_name(&number.ty));
            return Err(self.error(rules::TYPE_MISMATCH, span, format!("`{vector}` cannot be computed with `{got}`")));
        };
        if own.is_float() && scalar.is_integer() {
            let (vector, got) = (self.type_name(&Type::Struct(id)), own.okl_name());
            return Err(self.report(
                Diagnostic::error(
                    rules::TYPE_MISMATCH,
                    span,
                    format!("a `{got}` would lose its fraction in a `{vector}`"),
                )
                .hint("convert it: `(int) x`"),
            ));
        }
        let number = implicit(number, scalar);
        let is_plain = matches!(&number.kind, ExprKind::Load(place) if place.path.is_empty());
        let number = if is_plain { number } else { self.held(number, "number") };
        Ok(VectorValue { id, parts: vec![number; self.len_of(id)], span })
    }

    /// A number for every component, converted as a cast does.
    pub(super) fn spread_cast(&mut self, id: StructId, number: Expr, span: Span) -> Lowered<Value> {
        let number = convert(number, self.scalar_of(id), true);
        self.spread(id, number, span).map(Value::Vector)
    }

    /// Whether a value is a vector.
    pub(super) fn is_vector(&self, value: &Value) -> bool {
        match value {
            Value::Vector(vector) => self.as_vector(&Type::Struct(vector.id)).is_some(),
            Value::Scalar(expr) => self.as_vector(&expr.ty).is_some(),
            Value::Pointer(_) | Value::Void => false,
        }
    }

    /// `a op b`, where one side is a vector at least.
    pub(super) fn vector_arithmetic(&mut self, op: BinaryOp, a: Value, b: Value, span: Span) -> Lowered<Value> {
        if op.is_comparison() {
            return Err(self.report(
                Diagnostic::error(rules::TYPE_MISMATCH, span, format!("`{}` does not compare vectors", op.symbol()))
                    .hint("compare their components: `a.x == b.x && a.y == b.y`"),
            ));
        }
        let (a, b) = match (self.is_vector(&a), self.is_vector(&b)) {
            (true, true) => (self.parts_of(a)?, self.parts_of(b)?),
            (true, false) => {
                let a = self.parts_of(a)?;
                let b = self.scalar_operand(b, span)?;
                let b = self.spread(a.id, b, span)?;
                (a, b)
            }
            _ => {
                let a = self.scalar_operand(a, span)?;
                let b = self.parts_of(b)?;
                (self.spread(b.id, a, span)?, b)
            }
        };
        if a.id != b.id {
            let (a, b) = (self.type_name(&Type::Struct(a.id)), self.type_name(&Type::Struct(b.id)));
            return Err(self.error(
                rules::TYPE_MISMATCH,
                span,
                format!("`{}` cannot be applied to `{a}` and `{b}`", op.symbol()),
            ));
        }
        let scalar = self.scalar_of(a.id);
        let mut parts = Vec::with_capacity(a.parts.len());
        for (x, y) in a.parts.into_iter().zip(b.parts) {
            parts.push(component(self.arithmetic(op, x, y, span)?, scalar));
        }
        Ok(Value::Vector(VectorValue { id: a.id, parts, span }))
    }

    fn scalar_operand(&mut self, value: Value, span: Span) -> Lowered<Expr> {
        match value {
            Value::Scalar(expr) => Ok(expr),
            _ => Err(self.error(rules::TYPE_MISMATCH, span, "a vector is computed with vectors and numbers alone")),
        }
    }

    fn parts_of(&mut self, value: Value) -> Lowered<VectorValue> {
        self.components(value).ok_or(Reported)
    }

    /// `-v`, `+v`, `~v`
    pub(super) fn vector_prefix(&mut self, op: ast::UnaryOp, value: Value, span: Span) -> Lowered<Value> {
        if op == ast::UnaryOp::Not {
            return Err(self.error(rules::TYPE_MISMATCH, span, "`!` needs a number, not a vector"));
        }
        let VectorValue { id, parts, .. } = self.parts_of(value)?;
        let scalar = self.scalar_of(id);
        let mut signed = Vec::with_capacity(parts.len());
        for part in parts {
            signed.push(component(self.signed(op, part, span)?, scalar));
        }
        Ok(Value::Vector(VectorValue { id, parts: signed, span }))
    }

    /// `make_float4(x, y, z, w)`, `(float4)(x, y, z, w)`, or one number for all components.
    pub(super) fn make_vector(&mut self, id: StructId, parts: &[&ast::Expr], span: Span) -> Lowered<Value> {
        let (len, scalar) = (self.len_of(id), self.scalar_of(id));
        if let [all] = parts {
            let (number, _) = self.number(all)?;
            return self.spread_cast(id, number, span);
        }
        if parts.len() != len {
            let name = self.type_name(&Type::Struct(id));
            let message = format!("`{name}` has {len} components, not {}", parts.len());
            return Err(self.report(
                Diagnostic::error(rules::ARGUMENT_COUNT, span, message).hint("give all of them, or one number for all"),
            ));
        }
        let mut values = Vec::with_capacity(len);
        for part in parts {
            values.push(component(self.number(part)?.0, scalar));
        }
        Ok(Value::Vector(VectorValue { id, parts: values, span }))
    }

    /// `make_float4`, `dot`, `length`, `normalize` and `clamp`, which takes numbers, too; `None` where `name` is none of them.
    pub(super) fn vector_call(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Option<Lowered<Value>> {
        if let Some(id) = name.strip_prefix("make_").and_then(|of| self.vector_type(of, span)) {
            return Some(self.make_vector(id, &arguments.iter().collect::<Vec<_>>(), span));
        }
        match (name, arguments) {
            ("dot", [a, b]) => Some(self.dot(a, Some(b), span).map(Value::Scalar)),
            ("length", [a]) => Some(self.dot(a, None, span).map(|squares| {
                let scalar = squares.ty.scalar().unwrap_or(Scalar::F64);
                Value::Scalar(super::constants::math(MathFn::Sqrt, vec![implicit(squares, scalar)], span))
            })),
            ("normalize", [a]) => Some(self.normalized(a, span)),
            ("clamp", [value, low, high]) => Some(self.clamped(value, low, high, span)),
            _ => None,
        }
    }

    /// A vector divided by its length.
    fn normalized(&mut self, of: &ast::Expr, span: Span) -> Lowered<Value> {
        let vector = self.float_vector(of)?;
        let (id, whole) = (vector.id, self.composed(vector)?);
        let vector = self.parts_of(Value::Scalar(whole))?;
        let squares = self.sum_of_products(vector.clone(), vector.clone(), span)?;
        let scalar = self.scalar_of(id);
        let length = self.held(super::constants::math(MathFn::Sqrt, vec![implicit(squares, scalar)], span), "length");
        let mut parts = Vec::with_capacity(vector.parts.len());
        for part in vector.parts {
            parts.push(component(self.arithmetic(BinaryOp::Div, part, length.clone(), span)?, scalar));
        }
        Ok(Value::Vector(VectorValue { id, parts, span }))
    }

    /// `min(max(value, low), high)`; of a vector each component, between numbers or between components.
    fn clamped(&mut self, value: &ast::Expr, low: &ast::Expr, high: &ast::Expr, span: Span) -> Lowered<Value> {
        let of = self.value(value)?;
        let Some(vector) = self.components(of.clone()) else {
            let (of, ty) = self.number_of(of, value.span)?;
            let ((low, low_ty), (high, high_ty)) = (self.number(low)?, self.number(high)?);
            return Ok(Value::Scalar(between(of, low, high, common(common(ty, low_ty), high_ty), span)));
        };
        let (id, scalar) = (vector.id, self.scalar_of(vector.id));
        let (low, high) = (self.limit(low, id)?, self.limit(high, id)?);
        let limits = low.into_iter().zip(high);
        let parts = vector.parts.into_iter().zip(limits);
        let parts = parts.map(|(part, (low, high))| between(part, low, high, scalar, span)).collect();
        Ok(Value::Vector(VectorValue { id, parts, span }))
    }

    /// A vector of type `id`, or one that has a number in each component.
    fn limit(&mut self, expr: &ast::Expr, id: StructId) -> Lowered<Vec<Expr>> {
        let value = self.value(expr)?;
        match self.components(value.clone()) {
            Some(vector) if vector.id == id => Ok(vector.parts),
            Some(_) => {
                let name = self.type_name(&Type::Struct(id));
                Err(self.error(rules::TYPE_MISMATCH, expr.span, format!("a number or a `{name}` is expected here")))
            }
            None => {
                let (number, _) = self.number_of(value, expr.span)?;
                self.spread(id, number, expr.span).map(|vector| vector.parts)
            }
        }
    }

    /// The sum of the products of components, in their order; of one vector with itself where there is no other.
    fn dot(&mut self, a: &ast::Expr, b: Option<&ast::Expr>, span: Span) -> Lowered<Expr> {
        let left = self.float_vector(a)?;
        let right = match b {
            Some(b) => self.float_vector(b)?,
            None => {
                let whole = self.composed(left.clone())?;
                let parts = self.parts_of(Value::Scalar(whole))?;
                return self.sum_of_products(parts.clone(), parts, span);
            }
        };
        self.sum_of_products(left, right, span)
    }

    fn sum_of_products(&mut self, a: VectorValue, b: VectorValue, span: Span) -> Lowered<Expr> {
        if a.id != b.id {
            let (a, b) = (self.type_name(&Type::Struct(a.id)), self.type_name(&Type::Struct(b.id)));
            return Err(self.error(rules::TYPE_MISMATCH, span, format!("`dot` cannot be applied to `{a}` and `{b}`")));
        }
        let mut sum: Option<Expr> = None;
        for (x, y) in a.parts.into_iter().zip(b.parts) {
            let product = self.arithmetic(BinaryOp::Mul, x, y, span)?;
            sum = Some(match sum {
                Some(sum) => self.arithmetic(BinaryOp::Add, sum, product, span)?,
                None => product,
            });
        }
        sum.ok_or(Reported)
    }

    fn float_vector(&mut self, expr: &ast::Expr) -> Lowered<VectorValue> {
        let value = self.value(expr)?;
        match self.components(value) {
            Some(vector) if self.scalar_of(vector.id).is_float() => Ok(vector),
            _ => Err(self.error(rules::TYPE_MISMATCH, expr.span, "a vector of `float` or `double` is expected here")),
        }
    }

    /// The component of a vector that has no place.
    pub(super) fn named_component(&mut self, vector: VectorValue, field: &ast::Ident) -> Lowered<Value> {
        let fields = &self.unit.module.structs[vector.id.0 as usize].fields;
        match fields.iter().position(|of| of.name == field.name) {
            Some(number) => Ok(Value::Scalar(vector.parts[number].clone())),
            None => {
                let name = self.type_name(&Type::Struct(vector.id));
                let what = if self.unit.parts_of_complex(vector.id).is_some() { "part" } else { "component" };
                let message = format!("`{name}` has no {what} `{}`", field.name);
                Err(self.error(rules::NO_SUCH_FIELD, field.span, message))
            }
        }
    }
}
