//! A version of a function that ends where the arithmetic of its results begins.

use super::leaves::{Leaf, Leaves};
use crate::ir::rewrite::{Rewriter, rewrite_stmt};
use crate::ir::{
    Body, Expr, ExprKind, Field, Function, FunctionId, Initializer, Literal, Role, Scalar, Stmt, StmtKind, Struct,
    StructId, Type, Variable, Visitor, build, walk_stmt,
};
use crate::passes::lanes::{local, zero_of};
use crate::source::Span;
use std::ops::Range;
use std::vec::IntoIter;

/// Most returns of a function that compute elementary functions: each lane computes all of them.
const MOST_EXITS: usize = 4;

/// Most values that all of these read.
const MOST_LEAVES: usize = 16;

/// A version of a function, and what is left to compute of what it has found.
#[derive(Clone)]
pub(super) struct Search {
    pub(super) original: FunctionId,
    pub(super) function: Function,
    /// What it returns: the number of the return, from 1, or 0 for those that compute nothing, and what returns read.
    pub(super) found: Struct,
    pub(super) ty: Scalar,
    pub(super) exits: Vec<Exit>,
    /// What the others return, where there are any.
    pub(super) rest: Option<Rest>,
}

/// A return that computes elementary functions.
#[derive(Clone)]
pub(super) struct Exit {
    /// The fields that it reads.
    pub(super) fields: Range<usize>,
    /// What it computes, on variables that are the numbers of fields.
    pub(super) value: Expr,
}

/// What all other returns give.
#[derive(Clone)]
pub(super) enum Rest {
    Constant(Expr),
    Field(usize),
}

impl Search {
    /// `None` for a function without a loop that it leaves with an elementary function.
    pub(super) fn of(original: FunctionId, function: &Function, found: StructId) -> Option<Self> {
        let ty = function.result.scalar().filter(|ty| matches!(ty, Scalar::F32 | Scalar::F64))?;
        let mut returns = Returns { loops: 0, found: Vec::new() };
        function.stmts.iter().for_each(|stmt| returns.stmt(stmt));
        let is_work = |value: &Expr| {
            let mut leaves = Leaves::new(&function.body, 0);
            leaves.sunk(value);
            leaves.is_work
        };
        let (work, others): (Vec<_>, Vec<_>) = returns.found.iter().partition(|(value, _)| is_work(value));
        let is_search = function.is_pure && work.iter().any(|(_, in_loop)| *in_loop);
        if !is_search || work.len() > MOST_EXITS {
            return None;
        }
        let mut fields = Fields::default();
        fields.add("exit", Scalar::I32);
        let others: Vec<&Expr> = others.into_iter().map(|(value, _)| value).collect();
        let constant = others.first().filter(|first| others.iter().all(|other| is_same_constant(first, other)));
        let rest = match (constant, others.is_empty()) {
            (Some(constant), _) => Some(Rest::Constant((*constant).clone())),
            (None, true) => None,
            (None, false) => Some(Rest::Field(fields.add("rest", ty))),
        };
        let (mut exits, mut returned) = (Vec::new(), Vec::new());
        for (value, _) in &returns.found {
            let first = fields.list.len();
            let mut leaves = Leaves::new(&function.body, first);
            let sunk = leaves.sunk(value);
            returned.push(if leaves.is_work {
                for leaf in &leaves.leaves {
                    fields.add(&leaf.name, leaf.ty);
                }
                exits.push(Exit { fields: first..fields.list.len(), value: sunk });
                Returned { number: exits.len() as i64, first, leaves: leaves.leaves }
            } else {
                let leaf = Leaf { name: "rest".to_owned(), ty, value: value.clone() };
                let leaves = if let Some(Rest::Field(_)) = rest { vec![leaf] } else { Vec::new() };
                Returned { number: 0, first: 1, leaves }
            });
        }
        if fields.list.len() > 1 + MOST_LEAVES {
            return None;
        }
        let mut version = function.clone();
        version.name = format!("{}_search", function.name);
        version.result = Type::Struct(found);
        let (types, returned) = (fields.types(), returned.into_iter());
        Returning { body: &mut version.body, found, types, returned }.list(&mut version.stmts);
        let found = fields.into_struct(format!("{}_found", function.name), function.span);
        Some(Self { original, function: version, found, ty, exits, rest })
    }

    /// Names and types of what it returns.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&str, Scalar)> {
        self.found.fields.iter().filter_map(|field| Some((field.name.as_str(), field.ty.scalar()?)))
    }
}

/// Two zeros may differ in their signs.
fn is_same_constant(a: &Expr, b: &Expr) -> bool {
    match (a.literal(), b.literal()) {
        (Some(Literal::Float(a)), Some(Literal::Float(b))) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}

/// What a function returns, in order, and whether a loop is left by it.
struct Returns {
    loops: u32,
    found: Vec<(Expr, bool)>,
}

impl Visitor for Returns {
    fn stmt(&mut self, stmt: &Stmt) {
        let in_loop = u32::from(matches!(stmt.kind, StmtKind::Loop(_)));
        self.loops += in_loop;
        if let StmtKind::Return(Some(value)) = &stmt.kind {
            self.found.push((value.clone(), self.loops > 0));
        }
        walk_stmt(self, stmt);
        self.loops -= in_loop;
    }

    fn expr(&mut self, _expr: &Expr) {}
}

/// The fields of the struct that a version returns.
#[derive(Default)]
struct Fields {
    list: Vec<Field>,
    bytes: usize,
}

impl Fields {
    /// The number of a new one.
    fn add(&mut self, name: &str, ty: Scalar) -> usize {
        let offset = self.bytes.next_multiple_of(ty.bytes());
        self.bytes = offset + ty.bytes();
        let numbered = (1..).map(|number| if number == 1 { name.to_owned() } else { format!("{name}_{number}") });
        let mut names = numbered.filter(|name| self.list.iter().all(|field| field.name != *name));
        let name = names.next().unwrap_or_default();
        self.list.push(Field { name, ty: ty.into(), offset });
        self.list.len() - 1
    }

    fn types(&self) -> Vec<Scalar> {
        self.list.iter().filter_map(|field| field.ty.scalar()).collect()
    }

    fn into_struct(self, name: String, span: Span) -> Struct {
        let align = self.list.iter().filter_map(|field| field.ty.scalar()).map(Scalar::bytes).max().unwrap_or(1);
        Struct { name, fields: self.list, bytes: self.bytes.next_multiple_of(align), align, is_vector: false, span }
    }
}

/// What a return of a version gives.
struct Returned {
    number: i64,
    /// The field of the first leaf.
    first: usize,
    leaves: Vec<Leaf>,
}

/// Makes the returns of a version.
struct Returning<'a> {
    body: &'a mut Body,
    found: StructId,
    types: Vec<Scalar>,
    /// In the order of the returns.
    returned: IntoIter<Returned>,
}

impl Returning<'_> {
    /// `const float pt = pts[i]; const struct found found = {1, pt}; return found;`
    fn give(&mut self, returned: Returned) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let mut values = vec![Expr::int(returned.number, Scalar::I32, Span::default())];
        if !returned.leaves.is_empty() {
            values.extend(self.types[1..returned.first].iter().map(|&ty| zero_of(ty, Span::default())));
        }
        for Leaf { name, ty, value } in returned.leaves {
            let is_plain = matches!(&value.kind, ExprKind::Load(place) if place.path.is_empty());
            values.push(if is_plain {
                value
            } else {
                let var = build::fresh(self.body, &name, Variable { is_const: true, ..local(ty) });
                stmts.push(build::declare(self.body, var, value));
                build::load(self.body, var)
            });
        }
        let variable = Variable {
            name: String::new(),
            ty: Type::Struct(self.found),
            role: Role::Local,
            is_const: true,
            span: Span::default(),
        };
        let found = build::fresh(self.body, "found", variable);
        stmts.push(build::stmt(StmtKind::Declare { var: found, init: Some(Initializer::List(values)) }));
        stmts.push(build::stmt(StmtKind::Return(Some(build::load(self.body, found)))));
        stmts
    }
}

impl Rewriter for Returning<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            let returned = match stmt.kind {
                StmtKind::Return(Some(_)) => self.returned.next(),
                _ => None,
            };
            match returned {
                Some(returned) => {
                    stmts.extend(self.give(returned).into_iter().map(|new| Stmt { span: stmt.span, ..new }))
                }
                None => {
                    rewrite_stmt(self, &mut stmt);
                    stmts.push(stmt);
                }
            }
        }
    }

    fn expr(&mut self, _expr: &mut Expr) {}
}
