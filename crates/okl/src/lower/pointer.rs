//! Pointers as (root, element offset). A local pointer is no variable of the IR: its root is known at compile time,
//! its offset is an `I64` variable or, where nothing ever changes it, an expression.

use super::Lowered;
use super::body::Lowering;
use super::constants::{arithmetic, binary, integer_of, scalar_of, select, zero};
use super::place::Lvalue;
use super::types::{Declared, element_of, row_of};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{
    BinaryOp, Expr, ExprKind, Initializer, Place, Projection, Scalar, StmtKind, Type, VarId,
};
use crate::source::Span;

/// Index into [`Lowering::pointers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PointerId(pub(super) u32);

/// A local pointer.
#[derive(Clone, Debug)]
pub(super) struct PointerLocal {
    pub(super) name: String,
    pub(super) span: Span,
    /// What it points to, as declared.
    pub(super) pointee: Type,
    /// The pointee is `const`.
    pub(super) is_const: bool,
    /// The `I64` variable that holds the offset of a pointer that moves.
    pub(super) variable: Option<VarId>,
    /// `None` until its first assignment.
    pub(super) aim: Option<Aim>,
}

/// Where a local pointer points.
#[derive(Clone, Debug)]
pub(super) struct Aim {
    /// The variable whose memory it points into.
    pub(super) root: VarId,
    /// The way to the array within it.
    pub(super) prefix: Vec<Projection>,
    /// The offset, in elements: an `I64` variable's value for pointers that move.
    pub(super) offset: Expr,
    /// Where it was aimed.
    pub(super) span: Span,
}

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
            (K::Binary(o, x1, x2), K::Binary(p, y1, y2)) => {
                o == p && same_expr(x1, y1) && same_expr(x2, y2)
            }
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
            (Projection::Index(x), Projection::Index(y))
            | (Projection::Flat(x), Projection::Flat(y)) => same_expr(x, y),
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
    binary(
        BinaryOp::Mul,
        wide,
        Expr::int(stride as i64, Scalar::I64, span),
        span,
    )
}

impl Lowering<'_, '_> {
    /// What a path leads to from a variable.
    pub(super) fn type_at(&self, root: VarId, path: &[Projection]) -> Type {
        let mut ty = self.body.var(root).ty.clone();
        for projection in path {
            ty = match (projection, &ty) {
                (Projection::Field(n), Type::Struct(id)) => self.unit.module.structs[id.0 as usize]
                    .fields[*n as usize]
                    .ty
                    .clone(),
                (Projection::Index(_), Type::Array(element, dims)) => row_of(element, dims),
                (Projection::Index(_), Type::Pointer(p)) => {
                    super::types::array_of((*p.element).clone(), &p.dims)
                }
                _ => element_of(&ty).clone(),
            };
        }
        ty
    }

    /// The value of a local pointer.
    pub(super) fn local_pointer(&mut self, id: PointerId, span: Span) -> Lowered<PointerValue> {
        let local = self.pointers[id.0 as usize].clone();
        let Some(aim) = local.aim else {
            return Err(self.report(
                Diagnostic::error(
                    span,
                    format!(
                        "pointer `{}` is used before it is given a value",
                        local.name
                    ),
                )
                .label(local.span, "declared here")
                .hint("give it a value where it is declared"),
            ));
        };
        let frozen = aim.prefix.iter().all(|p| match p {
            Projection::Index(e) | Projection::Flat(e) => match &e.kind {
                ExprKind::Load(place) => self.is_alive(place.root),
                _ => true,
            },
            Projection::Field(_) => true,
        });
        if !frozen || !self.is_alive(aim.root) {
            let root = self.called(aim.root);
            return Err(self.report(
                Diagnostic::error(
                    span,
                    format!(
                        "pointer `{}` points to `{root}`, whose scope has ended",
                        local.name
                    ),
                )
                .label(aim.span, "set here"),
            ));
        }
        let offset = Expr { span, ..aim.offset };
        Ok(PointerValue {
            root: aim.root,
            prefix: aim.prefix,
            offset,
            pointee: local.pointee,
            is_const: local.is_const,
            span,
        })
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
            Type::Pointer(pointer) if pointer.dims.is_empty() => {
                path.push(Projection::Index(p.offset))
            }
            Type::Array(_, dims) if dims.len() == 1 => path.push(Projection::Index(p.offset)),
            Type::Pointer(_) | Type::Array(..) => path.push(Projection::Flat(p.offset)),
            _ if integer_of(&p.offset) == Some(0) => {}
            _ => {
                let name = self.called(p.root);
                return Err(self.error(
                    span,
                    format!("this pointer points to the single object `{name}`, not into an array"),
                ));
            }
        }
        Ok(Lvalue {
            root: p.root,
            path,
            ty: p.pointee,
            is_const: p.is_const,
            span,
        })
    }

    /// `p[index]`, by rows and columns where the pointer is a parameter that was declared with them.
    pub(super) fn index_pointer(
        &mut self,
        p: PointerValue,
        index: Expr,
        span: Span,
    ) -> Lowered<Lvalue> {
        let direct = match &self.body.var(p.root).ty {
            Type::Pointer(declared) => {
                !declared.dims.is_empty()
                    && p.prefix.is_empty()
                    && p.pointee.len() == declared.dims.iter().map(|&d| u64::from(d)).product()
            }
            _ => false,
        };
        if direct && integer_of(&p.offset) == Some(0) {
            let path = vec![Projection::Index(self.subscript(index)?)];
            return Ok(Lvalue {
                root: p.root,
                path,
                ty: p.pointee,
                is_const: p.is_const,
                span,
            });
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
        PointerValue {
            pointee,
            ..self.address_of(array)
        }
    }

    /// `&object`.
    pub(super) fn address_of(&self, object: Lvalue) -> PointerValue {
        let Lvalue {
            root,
            mut path,
            ty: pointee,
            is_const,
            span,
        } = object;
        if let Some(Projection::Flat(offset)) = path.last() {
            let offset = offset.clone();
            path.pop();
            return PointerValue {
                root,
                prefix: path,
                offset,
                pointee,
                is_const,
                span,
            };
        }
        let subscripts = path
            .iter()
            .rev()
            .take_while(|p| matches!(p, Projection::Index(_)))
            .count();
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
                offset = add_offsets(
                    offset,
                    scale_offset(index, stride, span),
                    BinaryOp::Add,
                    span,
                );
            }
        }
        PointerValue {
            root,
            prefix: path,
            offset,
            pointee,
            is_const,
            span,
        }
    }

    /// The place that is handed to a function's pointer parameter.
    pub(super) fn argument_place(&mut self, p: PointerValue, span: Span) -> Lowered<Place> {
        let element = element_of(&p.pointee).clone();
        let Lvalue { root, path, .. } = self.deref(p, span)?;
        Ok(Place {
            root,
            path,
            ty: element,
            span,
        })
    }

    /// `a - b`, `a < b` … for pointers into one object.
    pub(super) fn pointer_pair(
        &mut self,
        op: BinaryOp,
        a: PointerValue,
        b: PointerValue,
        span: Span,
    ) -> Lowered<Expr> {
        self.same_root(&a, &b, span, "compared or subtracted")?;
        let stride = a.pointee.len();
        let (left, right) = (a.offset, b.offset);
        let wide = |e| super::constants::implicit(e, Scalar::I64);
        let value = match (op, integer_of(&right)) {
            (BinaryOp::Sub, Some(0)) => wide(left),
            _ => binary(op, wide(left), wide(right), span),
        };
        Ok(match op {
            BinaryOp::Sub if stride > 1 => binary(
                BinaryOp::Div,
                value,
                Expr::int(stride as i64, Scalar::I64, span),
                span,
            ),
            _ => value,
        })
    }

    fn same_root(
        &mut self,
        a: &PointerValue,
        b: &PointerValue,
        span: Span,
        what: &str,
    ) -> Lowered<()> {
        if a.root == b.root && same_path(&a.prefix, &b.prefix) {
            return Ok(());
        }
        let (first, second) = (self.called(a.root), self.called(b.root));
        Err(self.error(span, format!("pointers into `{first}` and `{second}` cannot be {what}; they must point into one object")))
    }

    /// `condition ? a : b` for pointers into one object.
    pub(super) fn select_pointer(
        &mut self,
        condition: Expr,
        a: PointerValue,
        b: PointerValue,
        span: Span,
    ) -> Lowered<PointerValue> {
        self.same_root(&a, &b, span, "chosen between")?;
        let wide = |e| super::constants::implicit(e, Scalar::I64);
        let offset = select(condition, wide(a.offset.clone()), wide(b.offset), span);
        Ok(PointerValue {
            offset,
            is_const: a.is_const || b.is_const,
            span,
            ..a
        })
    }

    /// `T *p = value;`
    pub(super) fn declare_pointer(
        &mut self,
        name: &ast::Ident,
        declared: &Declared,
        init: Option<&ast::Expr>,
    ) -> Lowered<PointerId> {
        let qualifiers = declared.pointer.unwrap_or_default();
        let fixed = qualifiers.is_const || !self.assigned.contains(&name.name);
        let local = PointerLocal {
            name: name.name.clone(),
            span: name.span,
            pointee: declared.pointee(),
            is_const: declared.is_const,
            variable: None,
            aim: None,
        };
        let id = PointerId(self.pointers.len() as u32);
        let value = match init {
            Some(init) => Some(self.pointer(init)?),
            None => None,
        };
        self.pointers.push(local);
        if !fixed {
            // Declared here and not where it is first set, which may be an inner block.
            let variable = self.temporary(
                &format!("{}_offset", name.name),
                Scalar::I64.into(),
                None,
                false,
                name.span,
            );
            self.pointers[id.0 as usize].variable = Some(variable);
        }
        if let Some(value) = value {
            self.aim(id, value, name.span)?;
        }
        Ok(id)
    }

    /// A pointer parameter that is set or moved: its value is a local pointer that starts where the parameter does.
    pub(super) fn moving_parameter(&mut self, root: VarId, name: &ast::Ident) -> PointerId {
        let span = name.span;
        let start = Some(zero(Scalar::I64, span));
        let variable = self.temporary(
            &format!("{}_offset", name.name),
            Scalar::I64.into(),
            start,
            false,
            span,
        );
        let pointee = self.type_at(root, &[]);
        let (pointee, is_const) = match &pointee {
            Type::Pointer(p) => (
                super::types::array_of((*p.element).clone(), &p.dims),
                !p.mutable,
            ),
            other => (other.clone(), true),
        };
        let offset = self.read(variable, span);
        let aim = Some(Aim {
            root,
            prefix: Vec::new(),
            offset,
            span,
        });
        let name = name.name.clone();
        self.pointers.push(PointerLocal {
            name,
            span,
            pointee,
            is_const,
            variable: Some(variable),
            aim,
        });
        PointerId(self.pointers.len() as u32 - 1)
    }

    /// `p = value`
    pub(super) fn assign_pointer(
        &mut self,
        id: PointerId,
        value: PointerValue,
        span: Span,
    ) -> Lowered<()> {
        let local = &self.pointers[id.0 as usize];
        let Some(aim) = local.aim.clone() else {
            return self.aim(id, value, span);
        };
        let name = local.name.clone();
        self.check_pointee(id, &value, span)?;
        if aim.root != value.root || !same_path(&aim.prefix, &value.prefix) {
            let (old, new) = (self.called(aim.root), self.called(value.root));
            return Err(self.report(
                Diagnostic::error(span, format!("pointer `{name}` may point into `{old}` or into `{new}`; a pointer has one root"))
                    .label(aim.span, format!("it points into `{old}` here"))
                    .hint("use a second pointer, or an index into one array"),
            ));
        }
        self.set_offset(id, value.offset, span)
    }

    fn set_offset(&mut self, id: PointerId, offset: Expr, span: Span) -> Lowered<()> {
        let PointerLocal { name, variable, .. } = self.pointers[id.0 as usize].clone();
        let Some(variable) = variable else {
            return Err(self.error(
                span,
                format!("pointer `{name}` is constant and cannot be set again"),
            ));
        };
        self.check_variable_write(variable, &name, span)?;
        let offset = super::constants::implicit(offset, Scalar::I64);
        match self.out.last_mut().map(|s| &mut s.kind) {
            Some(StmtKind::Declare {
                var,
                init: init @ None,
            }) if *var == variable => *init = Some(Initializer::Value(offset)),
            _ => self.emit_set(variable, offset, span),
        }
        Ok(())
    }

    fn check_pointee(&mut self, id: PointerId, value: &PointerValue, span: Span) -> Lowered<()> {
        let local = &self.pointers[id.0 as usize];
        let (name, pointee, is_const) = (local.name.clone(), local.pointee.clone(), local.is_const);
        if pointee != value.pointee {
            let (expected, got) = (self.type_name(&pointee), self.type_name(&value.pointee));
            return Err(self.error(
                span,
                format!("pointer `{name}` points to `{expected}`, not to `{got}`"),
            ));
        }
        if value.is_const && !is_const {
            return Err(self.error(
                span,
                format!("pointer `{name}` would make constant memory writable; declare it `const`"),
            ));
        }
        Ok(())
    }

    /// The first time that a pointer gets a value: its root is settled.
    fn aim(&mut self, id: PointerId, value: PointerValue, span: Span) -> Lowered<()> {
        self.check_pointee(id, &value, span)?;
        let PointerLocal { name, variable, .. } = self.pointers[id.0 as usize].clone();
        let mut prefix = value.prefix;
        for projection in &mut prefix {
            if let Projection::Index(index) | Projection::Flat(index) = projection {
                let frozen = self.freeze(std::mem::replace(index, zero(Scalar::I32, span)), &name);
                *index = frozen;
            }
        }
        let span_of_value = value.span;
        let settle = |s: &mut Self, offset: Expr| {
            let aim = Aim {
                root: value.root,
                prefix,
                offset,
                span: span_of_value,
            };
            s.pointers[id.0 as usize].aim = Some(aim);
        };
        match variable {
            None => {
                let offset = self.freeze(value.offset, &format!("{name}_offset"));
                settle(self, offset);
                Ok(())
            }
            Some(variable) => {
                // Settled before the level is checked, so that a refused write leads to one finding.
                let offset = self.read(variable, span);
                settle(self, offset);
                self.set_offset(id, value.offset, span)
            }
        }
    }

    /// An expression that gives the same value for ever: itself where it is a constant or a fixed variable.
    pub(super) fn freeze(&mut self, value: Expr, name: &str) -> Expr {
        let simple = match &value.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => {
                place.path.is_empty() && self.info[place.root.0 as usize].fixed
            }
            _ => false,
        };
        if simple {
            return value;
        }
        let span = value.span;
        let known = self.is_stable(&value).then(|| value.clone());
        let var = self.temporary(name, value.ty.clone(), Some(value), true, span);
        self.info[var.0 as usize].known = known;
        self.read(var, span)
    }

    /// `p++`, `p += n` …: the new value; the old one is what `local_pointer` gave before.
    pub(super) fn move_pointer(
        &mut self,
        id: PointerId,
        index: Expr,
        op: BinaryOp,
        span: Span,
    ) -> Lowered<()> {
        let value = self.local_pointer(id, span)?;
        let moved = self.offset_pointer(value, index, op, span)?;
        self.assign_pointer(id, moved, span)
    }

    /// A subscript: any integer type but `bool`, as C promotes it.
    pub(super) fn subscript(&mut self, index: Expr) -> Lowered<Expr> {
        match index.ty.scalar() {
            Some(scalar) if scalar.is_integer() => Ok(super::constants::implicit(
                index,
                super::constants::promoted(scalar),
            )),
            _ => {
                let got = self.type_name(&index.ty);
                Err(self.error(
                    index.span,
                    format!("a subscript must be an integer, not `{got}`"),
                ))
            }
        }
    }

    /// The pointer as it is now, whatever moves afterwards.
    pub(super) fn keep_offset(&mut self, p: PointerValue, name: &str) -> PointerValue {
        let offset = super::constants::implicit(p.offset, Scalar::I64);
        let span = p.span;
        let var = self.temporary(name, Scalar::I64.into(), Some(offset), true, span);
        let offset = self.read(var, span);
        PointerValue { offset, ..p }
    }

    /// Whether an expression is arithmetic on values that never change: no memory, no calls.
    pub(super) fn is_stable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => {
                place.path.is_empty() && self.info[place.root.0 as usize].fixed
            }
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.is_stable(a),
            ExprKind::Binary(_, a, b) => self.is_stable(a) && self.is_stable(b),
            ExprKind::Select(a, b, c) => {
                self.is_stable(a) && self.is_stable(b) && self.is_stable(c)
            }
            ExprKind::Math(_, arguments) => arguments.iter().all(|a| self.is_stable(a)),
            ExprKind::Call(..) => false,
        }
    }

    /// `left op right` under C's conversions, or a finding.
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Lowered<Expr> {
        let (Some(a), Some(b)) = (left.ty.scalar(), right.ty.scalar()) else {
            let (a, b) = (self.type_name(&left.ty), self.type_name(&right.ty));
            return Err(self.error(
                span,
                format!("`{}` cannot be applied to `{a}` and `{b}`", op.symbol()),
            ));
        };
        debug_assert!(scalar_of(&left) == a && scalar_of(&right) == b);
        match arithmetic(op, left, right, span) {
            Some(value) => Ok(value),
            None => Err(self.report(
                Diagnostic::error(
                    span,
                    format!(
                        "`{}` needs integers, not `{}` and `{}`",
                        op.symbol(),
                        a.okl_name(),
                        b.okl_name()
                    ),
                )
                .hint(if op == BinaryOp::Rem {
                    "use `fmod` for floating-point numbers"
                } else {
                    "convert the operands to an integer type"
                }),
            )),
        }
    }
}
