//! Truth values that lead to elements are hidden from the C compiler.
//!
//! gcc (12 to 14, for AVX-512) makes a mask of `a > b` where a loop reads `x[a > b]`, and takes the elements' numbers from it as
//! if it had a byte for each: it reads `x` at random. Where a truth value becomes an integer that leads to an element, by way of
//! variables and functions too, the integer goes through [`MathFn::Opaque`]. So does a constant that a branch assigns to such a
//! variable, of which gcc makes a truth value by itself.

use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{
    Argument, BinaryOp, Expr, ExprKind, FunctionId, Initializer, MathFn, Module, Place, Projection, Scalar, Stmt,
    StmtKind, Type, VarId, Visitor, build, walk_expr, walk_stmt,
};
use std::collections::BTreeSet;

pub(crate) fn run(module: &mut Module) {
    let mut leads = Leads::default();
    // What leads to elements in one function decides about arguments and results in others.
    loop {
        let before = leads.size();
        for (number, kernel) in (0..).zip(&module.kernels) {
            let stmts = kernel.nests.iter().map(|nest| &nest.stmts);
            Finder { module, leads: &mut leads, owner: Owner::Kernel(number) }.lists(stmts);
        }
        for (number, function) in (0..).zip(&module.functions) {
            let owner = Owner::Function(FunctionId(number));
            Finder { module, leads: &mut leads, owner }.lists(std::iter::once(&function.stmts));
        }
        if leads.size() == before {
            break;
        }
    }
    let params: Vec<Vec<VarId>> = module.functions.iter().map(|function| function.params.clone()).collect();
    let (leads, params) = (&leads, &params);
    for (number, kernel) in (0..).zip(&mut module.kernels) {
        let mut hider = Hider { leads, params, owner: Owner::Kernel(number), branch: None };
        kernel.nests.iter_mut().for_each(|nest| hider.list(&mut nest.stmts));
    }
    for (number, function) in (0..).zip(&mut module.functions) {
        let owner = Owner::Function(FunctionId(number));
        Hider { leads, params, owner, branch: None }.list(&mut function.stmts);
    }
}

/// Whose variables are meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Kernel(u32),
    Function(FunctionId),
}

/// What leads to elements.
#[derive(Default)]
struct Leads {
    variables: BTreeSet<(Owner, VarId)>,
    /// Functions whose results do.
    results: BTreeSet<FunctionId>,
}

impl Leads {
    fn size(&self) -> usize {
        self.variables.len() + self.results.len()
    }
}

/// What an integer is made of that keeps the value of one of its parts, or a sum of them; not what it is compared or chosen by.
fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Cast { value, .. } => vec![value],
        ExprKind::Unary(_, a) => vec![a],
        ExprKind::Binary(op, ..) if op.is_comparison() => Vec::new(),
        ExprKind::Binary(BinaryOp::LogicAnd | BinaryOp::LogicOr, ..) => Vec::new(),
        ExprKind::Binary(_, a, b) | ExprKind::Select(_, a, b) => vec![a, b],
        ExprKind::Math(_, arguments) => arguments.iter().collect(),
        _ => Vec::new(),
    }
}

fn make_opaque(expr: &mut Expr, ty: Scalar) {
    // Functions compute with `int` at least.
    let computed = if ty.bytes() < 4 { Scalar::I32 } else { ty };
    let span = expr.span;
    let value = build::convert(std::mem::replace(expr, Expr::int(0, Scalar::I32, span)), computed);
    let hidden = Expr { kind: ExprKind::Math(MathFn::Opaque, vec![value]), ty: computed.into(), span };
    *expr = build::convert(hidden, ty);
}

/// Whether a truth value becomes an integer here: 1 or 0, or one of two other constants.
fn is_flag(expr: &Expr) -> bool {
    let is_integer = expr.ty.scalar().is_some_and(Scalar::is_integer);
    is_integer
        && match &expr.kind {
            ExprKind::Cast { value, .. } => value.ty == Type::from(Scalar::Bool) && value.literal().is_none(),
            ExprKind::Select(_, a, b) => a.literal().is_some() && b.literal().is_some(),
            _ => false,
        }
}

struct Finder<'a> {
    module: &'a Module,
    leads: &'a mut Leads,
    owner: Owner,
}

impl Finder<'_> {
    fn lists<'s>(&mut self, lists: impl Iterator<Item = &'s Vec<Stmt>>) {
        lists.flatten().for_each(|stmt| self.stmt(stmt));
    }

    fn does_lead(&self, var: VarId) -> bool {
        self.leads.variables.contains(&(self.owner, var))
    }

    /// An integer that leads to an element.
    fn lead(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Load(place) => {
                self.leads.variables.insert((self.owner, place.root));
            }
            ExprKind::Call(function, _) => {
                self.leads.results.insert(*function);
            }
            _ => parts(expr).into_iter().for_each(|part| self.lead(part)),
        }
    }

    fn elements(&mut self, place: &Place) {
        for projection in &place.path {
            if let Projection::Index(index) | Projection::Flat(index) = projection {
                self.lead(index);
                self.expr(index);
            }
        }
    }

    fn arguments(&mut self, function: FunctionId, arguments: &[Argument]) {
        let params = &self.module.functions[function.0 as usize].params;
        for (argument, param) in arguments.iter().zip(params) {
            if let Argument::Value(value) = argument
                && self.leads.variables.contains(&(Owner::Function(function), *param))
            {
                self.lead(value);
            }
        }
    }
}

impl Visitor for Finder<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(init) } if self.does_lead(*var) => match init {
                Initializer::Value(value) => self.lead(value),
                Initializer::List(values) => values.iter().for_each(|value| self.lead(value)),
            },
            StmtKind::Assign { place, value, .. } if self.does_lead(place.root) => self.lead(value),
            StmtKind::Return(Some(value)) if matches!(self.owner, Owner::Function(own) if self.leads.results.contains(&own)) =>
            {
                self.lead(value);
            }
            StmtKind::Call { function, arguments, result } => {
                if result.is_some_and(|var| self.does_lead(var)) {
                    self.leads.results.insert(*function);
                }
                self.arguments(*function, arguments);
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(function, arguments) = &expr.kind {
            self.arguments(*function, arguments);
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        self.elements(place);
    }

    fn store(&mut self, place: &Place) {
        self.elements(place);
    }
}

struct Hider<'a> {
    leads: &'a Leads,
    /// The parameters of each function.
    params: &'a [Vec<VarId>],
    owner: Owner,
    /// The variables of the branch of an `if` that is being changed: what it assigns to others says which branch was taken.
    branch: Option<BTreeSet<VarId>>,
}

impl Hider<'_> {
    fn does_lead(&self, var: VarId) -> bool {
        self.leads.variables.contains(&(self.owner, var))
    }

    /// Hides the truth values of an integer that leads to an element.
    fn hide(&mut self, expr: &mut Expr) {
        if let Some(ty) = expr.ty.scalar().filter(|_| is_flag(expr)) {
            return make_opaque(expr, ty);
        }
        match &mut expr.kind {
            ExprKind::Cast { value, .. } | ExprKind::Unary(_, value) => self.hide(value),
            ExprKind::Binary(op, ..) if op.is_comparison() || matches!(op, BinaryOp::LogicAnd | BinaryOp::LogicOr) => {}
            ExprKind::Binary(_, a, b) | ExprKind::Select(_, a, b) => {
                self.hide(a);
                self.hide(b);
            }
            ExprKind::Math(MathFn::Opaque, _) => {}
            ExprKind::Math(_, arguments) => arguments.iter_mut().for_each(|argument| self.hide(argument)),
            _ => {}
        }
    }

    fn arguments(&mut self, function: FunctionId, arguments: &mut [Argument]) {
        let params = self.params;
        for (argument, param) in arguments.iter_mut().zip(&params[function.0 as usize]) {
            if let Argument::Value(value) = argument
                && self.leads.variables.contains(&(Owner::Function(function), *param))
            {
                self.hide(value);
            }
        }
    }
}

impl Rewriter for Hider<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Declare { var, init: Some(init) } if self.does_lead(*var) => match init {
                Initializer::Value(value) => self.hide(value),
                Initializer::List(values) => values.iter_mut().for_each(|value| self.hide(value)),
            },
            StmtKind::Assign { place, value, .. } if self.does_lead(place.root) => {
                let is_choice = self.branch.as_ref().is_some_and(|own| !own.contains(&place.root));
                match value.ty.scalar().filter(|ty| is_choice && ty.is_integer() && value.literal().is_some()) {
                    Some(ty) => make_opaque(value, ty),
                    None => self.hide(value),
                }
            }
            StmtKind::Return(Some(value)) if matches!(self.owner, Owner::Function(own) if self.leads.results.contains(&own)) =>
            {
                self.hide(value);
            }
            StmtKind::Call { function, arguments, .. } => self.arguments(*function, arguments),
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                for stmts in [then, otherwise] {
                    let around = self.branch.replace(BTreeSet::new());
                    self.list(stmts);
                    self.branch = around;
                }
                return;
            }
            _ => {}
        }
        if let (StmtKind::Declare { var, .. }, Some(own)) = (&stmt.kind, &mut self.branch) {
            own.insert(*var);
        }
        rewrite_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Call(function, arguments) = &mut expr.kind {
            self.arguments(*function, arguments);
        }
        rewrite_expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        for projection in &mut place.path {
            if let Projection::Index(index) | Projection::Flat(index) = projection {
                self.hide(index);
                self.expr(index);
            }
        }
    }
}
