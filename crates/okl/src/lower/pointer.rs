//! Pointers as (root, element offset). A local pointer is no variable of the IR: its root is known at compile time,
//! its offset is an `I64` variable or, where nothing ever changes it, an expression.

use super::Lowered;
use super::constants::{binary, integer_of, select, zero};
use super::context::Lowering;
use super::place::Lvalue;
use super::types::{element_of, row_of};
use crate::ir::{BinaryOp, Expr, ExprKind, Place, Projection, Scalar, Type, VarId};
use crate::rules;
use crate::source::Span;

/// A pointer's value.
#[derive(Clone, Debug)]
pub(super) struct PointerValue {
    pub(super) root: VarId,
    /// The way to the array within the root; empty for the root itself.
    pub(super) prefix: Vec<Projection>,
    /// In scalar or struct elements; any integer type.
    pub(super) offset: Expr,
    /// What it points to: an element or, for `T (*)[4]`, a row.
    pub(super) pointee: Type,
    /// The pointee must not be written.
    pub(super) is_const: bool,
    pub(super) span: Span,
}

/// Whether two expressions compute the same, wherever they were written.
pub(super) fn same_expr(a: &Expr, b: &Expr) -> bool {
    use ExprKind as K;
    a.ty == b.ty
        && match (&a.kind, &b.kind) {
            (K::Literal(x), K::Literal(y)) => x == y,
            (K::Load(x), K::Load(y)) => x.root == y.root && same_path(&x.path, &y.path),
            (K::Unary(o, x), K::Unary(p, y)) => o == p && same_expr(x, y),
            (K::Cast { value: x, .. }, K::Cast { value: y, .. }) => same_expr(x, y),
            (K::Binary(o, x1, x2), K::Binary(p, y1, y2)) => o == p && same_expr(x1, y1) && same_expr(x2, y2),
            (K::Select(x1, x2, x3), K::Select(y1, y2, y3)) => {
                same_expr(x1, y1) && same_expr(x2, y2) && same_expr(x3, y3)
            }
            (K::Math(f, x), K::Math(g, y)) => {
                f == g && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same_expr(x, y))
            }
            _ => false,
        }
}

/// Whether two ways into an object are the same.
pub(super) fn same_path(a: &[Projection], b: &[Projection]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| match (a, b) {
            (Projection::Index(x), Projection::Index(y)) | (Projection::Flat(x), Projection::Flat(y)) => {
                same_expr(x, y)
            }
            (Projection::Field(x), Projection::Field(y)) => x == y,
            _ => false,
        })
}

/// `a + b`, without a trace of a zero, in `long` where both count.
pub(super) fn add_offsets(a: Expr, b: Expr, op: BinaryOp, span: Span) -> Expr {
    if integer_of(&b) == Some(0) {
        return a;
    }
    if integer_of(&a) == Some(0) && op == BinaryOp::Add {
        return b;
    }
    let wide = |e| super::constants::implicit(e, Scalar::I64);
    binary(op, wide(a), wide(b), span)
}

/// `index · stride` in elements.
pub(super) fn scale_offset(index: Expr, stride: u64, span: Span) -> Expr {
    if stride == 1 || integer_of(&index) == Some(0) {
        return index;
    }
    let wide = super::constants::implicit(index, Scalar::I64);
    binary(BinaryOp::Mul, wide, Expr::int(stride as i64, Scalar::I64, span), span)
}

impl Lowering<'_, '_> {
    /// What a path leads to from a variable.
    pub(super) fn type_at(&self, root: VarId, path: &[Projection]) -> Type {
        let mut ty = self.body.var(root).ty.clone();
        for projection in path {
            ty = match (projection, &ty) {
                (Projection::Field(n), Type::Struct(id)) => {
                    self.unit.module.structs[id.0 as usize].fields[*n as usize].ty.clone()
                }
                (Projection::Index(_), Type::Array(element, dims)) => row_of(element, dims),
                (Projection::Index(_), Type::Pointer(p)) => super::types::array_of((*p.element).clone(), &p.dims),
                _ => element_of(&ty).clone(),
            };
        }
        ty
    }

    /// `p + index` or `p - index`.
    pub(super) fn offset_pointer(
        &mut self,
        p: PointerValue,
        index: Expr,
        op: BinaryOp,
        span: Span,
    ) -> Lowered<PointerValue> {
        let index = self.subscript(index)?;
        let stride = p.pointee.len();
        let offset = match op {
            BinaryOp::Sub if integer_of(&p.offset) == Some(0) => {
                let zero = zero(Scalar::I64, span);
                add_offsets(zero, scale_offset(index, stride, span), op, span)
            }
            _ => add_offsets(p.offset, scale_offset(index, stride, span), op, span),
        };
        Ok(PointerValue { offset, span, ..p })
    }

    /// The object that a pointer points to.
    pub(super) fn deref(&mut self, p: PointerValue, span: Span) -> Lowered<Lvalue> {
        let container = self.type_at(p.root, &p.prefix);
        let mut path = p.prefix;
        match &container {
            // The whole array, as a reference stands for it.
            Type::Array(..) if container == p.pointee && integer_of(&p.offset) == Some(0) => {}
            Type::Pointer(pointer) if pointer.dims.is_empty() => path.push(Projection::Index(p.offset)),
            Type::Array(_, dims) if dims.len() == 1 => path.push(Projection::Index(p.offset)),
            Type::Pointer(_) | Type::Array(..) => path.push(Projection::Flat(p.offset)),
            _ if integer_of(&p.offset) == Some(0) => {}
            _ => {
                let name = self.called(p.root);
                return Err(self.error(
                    rules::POINTER_ROOT,
                    span,
                    format!("this pointer points to the single object `{name}`, not into an array"),
                ));
            }
        }
        Ok(Lvalue { root: p.root, path, ty: p.pointee, is_const: p.is_const, span })
    }

    /// `p[index]`, by rows and columns where the pointer is a parameter that was declared with them.
    pub(super) fn index_pointer(&mut self, p: PointerValue, index: Expr, span: Span) -> Lowered<Lvalue> {
        let direct = match &self.body.var(p.root).ty {
            Type::Pointer(declared) => {
                !declared.dims.is_empty()
                    && p.prefix.is_empty()
                    && p.pointee.len() == declared.dims.iter().map(|&d| u64::from(d)).product::<u64>()
            }
            _ => false,
        };
        if direct && integer_of(&p.offset) == Some(0) {
            let path = vec![Projection::Index(self.subscript(index)?)];
            return Ok(Lvalue { root: p.root, path, ty: p.pointee, is_const: p.is_const, span });
        }
        let moved = self.offset_pointer(p, index, BinaryOp::Add, span)?;
        self.deref(moved, span)
    }

    /// What an array's name means as a value: a pointer to its first row or element.
    pub(super) fn decay(&self, array: Lvalue) -> PointerValue {
        let pointee = match &array.ty {
            Type::Array(element, dims) => row_of(element, dims),
            other => other.clone(),
        };
        PointerValue { pointee, ..self.address_of(array) }
    }

    /// `&object`.
    pub(super) fn address_of(&self, object: Lvalue) -> PointerValue {
        let Lvalue { root, mut path, ty: pointee, is_const, span } = object;
        if let Some(Projection::Flat(offset)) = path.last() {
            let offset = offset.clone();
            path.pop();
            return PointerValue { root, prefix: path, offset, pointee, is_const, span };
        }
        let subscripts = path.iter().rev().take_while(|p| matches!(p, Projection::Index(_))).count();
        let indices = path.split_off(path.len() - subscripts);
        let dims = match self.type_at(root, &path) {
            Type::Array(_, dims) => dims.get(1..).unwrap_or(&[]).to_vec(),
            Type::Pointer(p) => p.dims,
            _ => Vec::new(),
        };
        let mut offset = zero(Scalar::I32, span);
        for (position, index) in indices.into_iter().enumerate() {
            let stride = dims.iter().skip(position).map(|&d| u64::from(d)).product();
            if let Projection::Index(index) = index {
                offset = add_offsets(offset, scale_offset(index, stride, span), BinaryOp::Add, span);
            }
        }
        PointerValue { root, prefix: path, offset, pointee, is_const, span }
    }

    /// The place that is handed to a function's pointer parameter.
    pub(super) fn argument_place(&mut self, p: PointerValue, span: Span) -> Lowered<Place> {
        let element = element_of(&p.pointee).clone();
        let Lvalue { root, path, .. } = self.deref(p, span)?;
        Ok(Place { root, path, ty: element, span })
    }

    /// `a - b`, `a < b` … for pointers into one object.
    pub(super) fn pointer_pair(&mut self, op: BinaryOp, a: PointerValue, b: PointerValue, span: Span) -> Lowered<Expr> {
        self.same_root(&a, &b, span, "compared or subtracted")?;
        let stride = a.pointee.len();
        let (left, right) = (a.offset, b.offset);
        let wide = |e| super::constants::implicit(e, Scalar::I64);
        let value = match (op, integer_of(&right)) {
            (BinaryOp::Sub, Some(0)) => wide(left),
            _ => binary(op, wide(left), wide(right), span),
        };
        Ok(match op {
            BinaryOp::Sub if stride > 1 => {
                binary(BinaryOp::Div, value, Expr::int(stride as i64, Scalar::I64, span), span)
            }
            _ => value,
        })
    }

    fn same_root(&mut self, a: &PointerValue, b: &PointerValue, span: Span, what: &str) -> Lowered<()> {
        if a.root == b.root && same_path(&a.prefix, &b.prefix) {
            return Ok(());
        }
        let (first, second) = (self.called(a.root), self.called(b.root));
        Err(self.error(
            rules::POINTER_ROOT,
            span,
            format!("pointers into `{first}` and `{second}` cannot be {what}; they must point into one object"),
        ))
    }

    /// `condition ? a : b` for pointers.
    pub(super) fn select_pointer(
        &mut self,
        condition: Expr,
        a: PointerValue,
        b: PointerValue,
        span: Span,
    ) -> Lowered<PointerValue> {
        let is_const = a.is_const || b.is_const;
        let is_one = a.root == b.root && same_path(&a.prefix, &b.prefix);
        if is_one || a.pointee != b.pointee || !self.is_choosable(&a) || !self.is_choosable(&b) {
            self.same_root(&a, &b, span, "chosen between")?;
        }
        let wide = |e| super::constants::implicit(e, Scalar::I64);
        let offset = if same_expr(&a.offset, &b.offset) {
            a.offset.clone()
        } else {
            select(condition.clone(), wide(a.offset.clone()), wide(b.offset.clone()), span)
        };
        if is_one {
            return Ok(PointerValue { offset, is_const, span, ..a });
        }
        let (root, prefix) = self.choose_between(condition, (&a, &b), span);
        Ok(PointerValue { root, prefix, offset, pointee: a.pointee, is_const, span })
    }
}
