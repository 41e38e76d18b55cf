//! Initialisers: values, and lists flattened to scalars in memory order under C's rules of elided braces.

use super::context::Lowering;
use super::expr::Value;
use super::types::row_of;
use super::{Lowered, Reported};
use crate::front::ast;
use crate::ir::{Expr, Initializer, Projection, Scalar, Type};
use crate::rules;
use crate::source::Span;

/// Most scalars that a list may spell out, zeros between them included.
const MAX_LIST: u64 = 1 << 20;

/// Most scalars of a struct that are set one by one.
const MAX_SPELLED_OUT: u64 = 4096;

/// Values and the position among a type's scalars that each goes to.
type Placed = Vec<(u64, Expr)>;

impl Lowering<'_, '_> {
    /// The initialiser of a variable of type `ty`.
    pub(super) fn initializer(&mut self, ty: &Type, init: &ast::Initializer) -> Lowered<Initializer> {
        match (ty, init) {
            (Type::Array(..), ast::Initializer::Expr(e)) => {
                Err(self.error(rules::BAD_INITIALIZER, e.span, "an array is initialised by a list: `{ … }`"))
            }
            (_, ast::Initializer::Expr(e)) => {
                let value = match self.value(e)? {
                    Value::Vector(vector) if *ty == Type::Struct(vector.id) => {
                        return Ok(Initializer::List(vector.parts));
                    }
                    value if self.converts_to_complex(&value, ty) => {
                        let (id, _) = self.as_complex(ty).ok_or(Reported)?;
                        return Ok(Initializer::List(self.converted_to_complex(value, id, e.span)?.parts));
                    }
                    value => self.number_or_struct(value, e.span)?,
                };
                self.converted(value, ty, e.span).map(Initializer::Value)
            }
            (Type::Scalar(scalar), ast::Initializer::List(list, span)) => match list.as_slice() {
                [] => Ok(Initializer::Value(self.zero_of(*scalar, *span))),
                [one] => self.initializer(ty, one),
                _ => Err(self.error(rules::BAD_INITIALIZER, *span, "a number is initialised by one value")),
            },
            (_, ast::Initializer::List(list, span)) => {
                let mut placed = Placed::new();
                self.fill_from(ty, list, 0, *span, &mut placed)?;
                self.flatten(ty, placed, *span).map(Initializer::List)
            }
        }
    }

    /// How many rows a list gives to an array whose first dimension is left out.
    pub(super) fn rows_of(&self, list: &[ast::Initializer], row: &Type) -> u32 {
        let per_row =
            if matches!(list.first(), Some(ast::Initializer::List(..))) { 1 } else { self.values_in(row).max(1) };
        u32::try_from((list.len() as u64).div_ceil(per_row)).unwrap_or(u32::MAX)
    }

    /// How many values of a list a type takes where braces are left out: a complex number is one.
    fn values_in(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(element, _) => ty.len().saturating_mul(self.values_in(element)),
            Type::Struct(_) if self.as_complex(ty).is_some() => 1,
            Type::Struct(id) => {
                let fields = self.unit.module.structs[id.0 as usize].fields.iter();
                fields.map(|field| self.values_in(&field.ty)).fold(0, u64::saturating_add)
            }
            _ => 1,
        }
    }

    /// Number of scalars in a type.
    fn scalars_in(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(element, _) => ty.len().saturating_mul(self.scalars_in(element)),
            Type::Struct(id) => self.unit.module.structs[id.0 as usize]
                .fields
                .iter()
                .map(|f| self.scalars_in(&f.ty))
                .fold(0, u64::saturating_add),
            _ => 1,
        }
    }

    /// The parts that a braced list of a type initialises in turn.
    fn component(&self, ty: &Type, index: u64) -> Option<Type> {
        match ty {
            Type::Array(element, dims) => (index < u64::from(*dims.first()?)).then(|| row_of(element, dims)),
            Type::Struct(id) => {
                let fields = &self.unit.module.structs[id.0 as usize].fields;
                fields.get(usize::try_from(index).ok()?).map(|f| f.ty.clone())
            }
            _ => (index == 0).then(|| ty.clone()),
        }
    }

    /// Places the items of a braced list, which must not be more than `ty` has parts.
    fn fill_from(
        &mut self,
        ty: &Type,
        list: &[ast::Initializer],
        base: u64,
        span: Span,
        out: &mut Placed,
    ) -> Lowered<()> {
        let mut rest = list;
        self.deeper(span, |s| s.fill(ty, &mut rest, base, out))?;
        match rest.first() {
            None => Ok(()),
            Some(extra) => {
                let name = self.type_name(ty);
                Err(self.error(
                    rules::BAD_INITIALIZER,
                    extra.span(),
                    format!("this is one value too many for `{name}`"),
                ))
            }
        }
    }

    /// Takes as many items as `ty` has parts.
    fn fill(&mut self, ty: &Type, rest: &mut &[ast::Initializer], base: u64, out: &mut Placed) -> Lowered<()> {
        let mut position = base;
        let mut index = 0;
        while let (Some(part), Some(item)) = (self.component(ty, index), rest.first()) {
            match item {
                ast::Initializer::List(list, span) => {
                    *rest = &rest[1..];
                    self.fill_from(&part, list, position, *span, out)?;
                }
                ast::Initializer::Expr(e) if matches!(part, Type::Scalar(_)) => {
                    *rest = &rest[1..];
                    let value = self.expr(e)?;
                    out.push((position, self.converted(value, &part, e.span)?));
                }
                ast::Initializer::Expr(e) if self.as_complex(&part).is_some() => {
                    *rest = &rest[1..];
                    let (value, complex) = (self.value(e)?, self.as_complex(&part));
                    let (id, _) = complex.ok_or(Reported)?;
                    out.extend((position..).zip(self.converted_to_complex(value, id, e.span)?.parts));
                }
                ast::Initializer::Expr(e) if self.as_vector(&part).is_some() && self.gives_vector(e)? => {
                    *rest = &rest[1..];
                    let value = self.value(e)?;
                    let value = self.number_or_struct(value, e.span)?;
                    let value = self.converted(value, &part, e.span)?;
                    let parts = self.components(Value::Scalar(value)).into_iter().flat_map(|vector| vector.parts);
                    out.extend((position..).zip(parts));
                }
                // Elided braces: the part takes what it needs from the same list.
                ast::Initializer::Expr(e) => self.deeper(e.span, |s| s.fill(&part, rest, position, out))?,
            }
            position += self.scalars_in(&part);
            index += 1;
        }
        Ok(())
    }

    /// Whether a value is a number of another type than a complex one that it initialises.
    fn converts_to_complex(&self, value: &Value, ty: &Type) -> bool {
        let is_number = match value {
            Value::Scalar(of) => of.ty.scalar().is_some(),
            _ => false,
        };
        let is_other = !matches!(value, Value::Scalar(of) if of.ty == *ty);
        self.as_complex(ty).is_some() && is_other && (is_number || self.is_complex(value))
    }

    /// Whether an expression is a vector; it is not evaluated.
    fn gives_vector(&mut self, expr: &ast::Expr) -> Lowered<bool> {
        let (_, value) = self.captured(|s| s.value(expr));
        value.map(|value| self.is_vector(&value))
    }

    fn flatten(&mut self, ty: &Type, placed: Placed, span: Span) -> Lowered<Vec<Expr>> {
        let Some(&(last, _)) = placed.last() else {
            return Ok(Vec::new());
        };
        if last >= MAX_LIST {
            return Err(self.error(rules::LIMIT, span, format!("an initialiser list has at most {MAX_LIST} values")));
        }
        let mut values = Vec::with_capacity(last as usize + 1);
        let mut placed = placed.into_iter().peekable();
        for position in 0..=last {
            match placed.next_if(|(at, _)| *at == position) {
                Some((_, value)) => values.push(value),
                None => {
                    let scalar = self.scalar_at(ty, position);
                    values.push(self.zero_of(scalar, span));
                }
            }
        }
        Ok(values)
    }

    /// The type of the scalar at a position.
    fn scalar_at(&self, ty: &Type, position: u64) -> Scalar {
        match ty {
            Type::Scalar(scalar) => *scalar,
            Type::Array(element, _) => self.scalar_at(element, position % self.scalars_in(element).max(1)),
            Type::Struct(id) => {
                let mut position = position;
                for field in &self.unit.module.structs[id.0 as usize].fields {
                    let count = self.scalars_in(&field.ty);
                    if position < count {
                        return self.scalar_at(&field.ty, position);
                    }
                    position -= count;
                }
                Scalar::I32
            }
            _ => Scalar::I32,
        }
    }

    /// Whether setting every scalar of a type would take more statements than is sane. Arrays of numbers are set in a
    /// loop; only structs are spelled out.
    pub(super) fn is_spelled_out(&self, ty: &Type) -> bool {
        super::types::element_of(ty).scalar().is_none() && self.scalars_in(ty) > MAX_SPELLED_OUT
    }

    /// The way to every scalar of a type, in memory order.
    pub(super) fn leaves(&self, ty: &Type) -> Vec<(Vec<Projection>, Scalar)> {
        let mut out = Vec::new();
        self.leaves_below(ty, &mut Vec::new(), &mut out);
        out
    }

    fn leaves_below(&self, ty: &Type, path: &mut Vec<Projection>, out: &mut Vec<(Vec<Projection>, Scalar)>) {
        match ty {
            Type::Scalar(scalar) => out.push((path.clone(), *scalar)),
            Type::Array(element, dims) => {
                let row = row_of(element, dims);
                for index in 0..dims.first().copied().unwrap_or(0) {
                    path.push(Projection::Index(Expr::int(i64::from(index), Scalar::I32, Span::default())));
                    self.leaves_below(&row, path, out);
                    path.pop();
                }
            }
            Type::Struct(id) => {
                for (number, field) in self.unit.module.structs[id.0 as usize].fields.iter().enumerate() {
                    path.push(Projection::Field(number as u32));
                    self.leaves_below(&field.ty, path, out);
                    path.pop();
                }
            }
            Type::Void | Type::Pointer(_) => {}
        }
    }
}
