//! If-conversion: an iteration of a loop as straight code for all lanes, in which a mask chooses between a variable's new value
//! and its old one.
//!
//! Lanes that are not meant compute all the same, from the values that they have. So there is nothing here but arithmetic that
//! neither traps, nor reads or writes memory, nor is undefined for some values: signed integers are added as unsigned ones.

use crate::ir::rewrite::{Rewriter, rewrite_expr};
use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Initializer, Loop, Place, Projection, Scalar, Stmt, StmtKind, Struct, Type,
    UnaryOp, VarId, Variable, build,
};
use crate::passes::lanes::{is_instruction, local, zero};

/// An iteration of the loop, for lanes of which `alive` says whether they are in it; `None` where it is something else than
/// arithmetic on variables. Of one that is counted for all lanes the head stays where it is.
pub(super) fn iteration(
    structs: &[Struct],
    body: &mut Body,
    alive: VarId,
    repeated: &Loop,
    is_counted: bool,
) -> Option<Vec<Stmt>> {
    let mut masked = Masked { structs, body, alive, stmts: Vec::new() };
    if is_counted {
        masked.list(&repeated.body, alive)?;
        return Some(masked.stmts);
    }
    if !repeated.test_last {
        masked.test(repeated)?;
    }
    masked.list(&repeated.body, alive)?;
    masked.list(&repeated.update, alive)?;
    if repeated.test_last {
        masked.test(repeated)?;
    }
    Some(masked.stmts)
}

struct Masked<'a> {
    structs: &'a [Struct],
    body: &'a mut Body,
    alive: VarId,
    stmts: Vec<Stmt>,
}

impl Masked<'_> {
    fn load(&self, var: VarId) -> Expr {
        build::load(self.body, var)
    }

    /// The test of a loop.
    fn test(&mut self, l: &Loop) -> Option<()> {
        self.list(&l.head, self.alive)?;
        if let Some(condition) = &l.condition {
            self.stay(total(condition)?);
        }
        Some(())
    }

    /// Lanes leave for which the condition does not hold.
    fn stay(&mut self, condition: Expr) {
        let still = build::and(self.load(self.alive), condition);
        self.stmts.push(build::assign(self.body, self.alive, still));
    }

    /// What the lanes of a mask do. Whether some of them may leave the loop.
    fn list(&mut self, stmts: &[Stmt], mask: VarId) -> Option<bool> {
        let mut leaves = false;
        for (index, stmt) in stmts.iter().enumerate() {
            let begin = self.stmts.len();
            let left = self.stmt(stmt, mask)?;
            if left && mask != self.alive && index + 1 < stmts.len() {
                self.body.vars[mask.0 as usize].is_const = false;
                let still = build::and(self.load(mask), self.load(self.alive));
                self.stmts.push(build::assign(self.body, mask, still));
            }
            self.stmts[begin..].iter_mut().for_each(|new| new.span = stmt.span);
            leaves |= left;
        }
        Some(leaves)
    }

    fn stmt(&mut self, stmt: &Stmt, mask: VarId) -> Option<bool> {
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(*var, init.as_ref()).map(|()| false),
            StmtKind::Assign { place, op, value } => self.assign(place, *op, value, mask).map(|()| false),
            StmtKind::If { condition, then, otherwise } => {
                let taken = self.mask("taken", build::and(self.load(mask), total(condition)?));
                let other = (!otherwise.is_empty())
                    .then(|| self.mask("other", build::and(self.load(mask), build::not(self.load(taken)))));
                let leaves = self.list(then, taken)?;
                match other {
                    Some(other) => self.list(otherwise, other).map(|leaves_too| leaves || leaves_too),
                    None => Some(leaves),
                }
            }
            StmtKind::Block(stmts) => self.list(stmts, mask),
            StmtKind::Break => {
                self.stay(if mask == self.alive { build::bool(false) } else { build::not(self.load(mask)) });
                Some(true)
            }
            _ => None,
        }
    }

    fn mask(&mut self, name: &str, value: Expr) -> VarId {
        let mask = build::fresh(self.body, name, Variable { is_const: true, ..local(Scalar::Bool) });
        self.stmts.push(build::declare(self.body, mask, value));
        mask
    }

    /// A variable of the iteration: no lane that is not meant reads it.
    fn declare(&mut self, var: VarId, init: Option<&Initializer>) -> Option<()> {
        let init = match init {
            _ if matches!(self.body.var(var).ty, Type::Array(..)) => return None,
            Some(Initializer::Value(value)) => Initializer::Value(total(value)?),
            Some(Initializer::List(values)) => Initializer::List(values.iter().map(total).collect::<Option<_>>()?),
            None => zero(self.body, var),
        };
        self.stmts.push(build::stmt(StmtKind::Declare { var, init: Some(init) }));
        Some(())
    }

    fn assign(&mut self, place: &Place, op: Option<BinaryOp>, value: &Expr, mask: VarId) -> Option<()> {
        if !is_variable(place) {
            return None;
        }
        match (&place.ty, &value.kind) {
            (Type::Scalar(ty), _) => {
                let old = build::load_place(place.clone());
                let value = match op {
                    Some(op) => build::binary(op, old.clone(), value.clone(), *ty),
                    None => value.clone(),
                };
                self.choose(place.clone(), total(&value)?, mask);
                Some(())
            }
            (Type::Struct(id), ExprKind::Load(from)) if is_variable(from) && from.root != place.root => {
                let fields = self.structs[id.0 as usize].fields.iter().zip(0..);
                let fields = fields.map(|(field, number)| field.ty.scalar().map(|ty| (number, ty)));
                for (number, ty) in fields.collect::<Option<Vec<_>>>()? {
                    let field = |of: &Place| {
                        let path = [of.path.as_slice(), &[Projection::Field(number)]].concat();
                        Place { path, ty: ty.into(), ..of.clone() }
                    };
                    self.choose(field(place), total(&build::load_place(field(from)))?, mask);
                }
                Some(())
            }
            _ => None,
        }
    }

    /// `place = mask ? value : place`
    fn choose(&mut self, place: Place, value: Expr, mask: VarId) {
        let old = build::load_place(place.clone());
        let (ty, span) = (place.ty.clone(), value.span);
        let kind = ExprKind::Select(Box::new(self.load(mask)), Box::new(value), Box::new(old));
        let value = Expr { kind, ty, span };
        self.stmts.push(build::stmt(StmtKind::Assign { place, op: None, value }));
    }
}

/// A variable, or a field of one.
fn is_variable(place: &Place) -> bool {
    place.path.iter().all(|of| matches!(of, Projection::Field(_)))
}

/// An expression in a form that has a value for all lanes; `None` where it has none.
fn total(expr: &Expr) -> Option<Expr> {
    struct Wrap;
    impl Rewriter for Wrap {
        fn expr(&mut self, expr: &mut Expr) {
            rewrite_expr(self, expr);
            wrap(expr);
        }
    }
    expr.every(&is_total).then(|| {
        let mut expr = expr.clone();
        Wrap.expr(&mut expr);
        expr
    })
}

fn is_total(expr: &Expr) -> bool {
    let is_signed = |expr: &Expr| expr.ty.scalar().is_some_and(|ty| ty.is_integer() && ty.is_signed());
    let is_float = |expr: &Expr| expr.ty.scalar().is_some_and(Scalar::is_float);
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Builtin(_) | ExprKind::Select(..) => true,
        ExprKind::Load(place) => is_variable(place) && !place.ty.scalar().is_some_and(Scalar::is_storage),
        ExprKind::Unary(UnaryOp::Negate, _) => !is_signed(expr),
        ExprKind::Unary(..) => true,
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => b.divides_anything(),
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, a, b) => {
            let bits = a.ty.scalar().map_or(0, Scalar::bytes) as i64 * 8;
            !is_signed(a) && b.as_int().is_some_and(|by| (0..bits).contains(&by))
        }
        ExprKind::Binary(..) => true,
        ExprKind::Cast { value, .. } => !is_float(value) || is_float(expr) || expr.ty == Scalar::Bool.into(),
        ExprKind::Math(function, _) => is_instruction(*function),
        ExprKind::Call(..) => false,
    }
}

/// Signed `+`, `-` and `*` by way of unsigned integers, which have a result for all values.
fn wrap(expr: &mut Expr) {
    let unsigned = match expr.ty.scalar() {
        Some(Scalar::I32) => Scalar::U32,
        Some(Scalar::I64) => Scalar::U64,
        _ => return,
    };
    let cast = |value: Expr, ty: Scalar| match value.as_int() {
        Some(number) if number >= 0 => Expr::int(number, ty, value.span),
        _ => Expr { span: value.span, kind: ExprKind::Cast { value: Box::new(value), implicit: false }, ty: ty.into() },
    };
    if let ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) = &expr.kind {
        let sum = build::binary(*op, cast((**a).clone(), unsigned), cast((**b).clone(), unsigned), unsigned);
        let span = expr.span;
        *expr = Expr { span, ..cast(sum, if unsigned == Scalar::U32 { Scalar::I32 } else { Scalar::I64 }) };
    }
}
