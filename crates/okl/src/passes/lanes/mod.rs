//! Blocks of items in place of a loop over items: an item is a lane of its block.
//!
//! What an item does is cut into parts, and each part becomes a loop over the lanes ([`Block`]). Legal, because items do not
//! depend on each other. A variable that lives from one part to the next gets an element per lane ([`Lanes`]).

mod arrays;
mod functions;
mod items;

use super::loops::wide;
use crate::ir::{
    BinaryOp, Body, Expr, ExprKind, Initializer, Literal, Loop, MathFn, Role, Scalar, Stmt, StmtKind, Struct, Uses,
    VarId, Variable, build,
};
use crate::source::Span;
pub(in crate::passes) use arrays::Lanes;
pub(in crate::passes) use functions::is_instruction;
pub(crate) use functions::is_of_vectors;
pub(in crate::passes) use items::{Items, declared, flat, runs_items, split_common};
use std::collections::BTreeSet;

/// Fewest items that are worth a block: some vectors of each type.
pub(in crate::passes) const LANES: u32 = 32;

/// The blocks that items are run in.
pub(in crate::passes) struct Block {
    items: Items,
    /// What the loops over lanes with an item count.
    pub(in crate::passes) role: Role,
    /// The item of the first lane.
    pub(in crate::passes) first: VarId,
    /// How many lanes have an item: fewer than all in the last block.
    count: VarId,
    pub(in crate::passes) lanes: Lanes,
    len: u32,
}

impl Block {
    /// Blocks of `len` items, with arrays for some variables of an item; `None` as of [`Lanes::new`].
    pub(in crate::passes) fn new(
        structs: &[Struct],
        body: &mut Body,
        items: Items,
        kept: &[VarId],
        len: u32,
    ) -> Option<Self> {
        let role = body.var(items.var).role;
        let first = build::fresh(body, "first", Variable { role, ..local(Scalar::I64) });
        let lanes = Lanes::new(structs, body, (items.var, first), kept, len)?;
        let count = build::fresh(body, "lanes", Variable { is_const: true, ..local(Scalar::I64) });
        Some(Self { items, role, first, count, lanes, len })
    }

    /// How many lanes have an item.
    pub(in crate::passes) fn declare_count(&self, body: &Body) -> Stmt {
        let left = build::sub(wide(self.items.end.clone()), build::load(body, self.first));
        build::declare(body, self.count, build::extreme(MathFn::IntMin, build::int(self.len.into()), left))
    }

    /// A loop over the lanes that have an item, as [`Lanes::each`].
    pub(in crate::passes) fn each_item(
        &self,
        body: &mut Body,
        read: &[VarId],
        stmts: Vec<Stmt>,
        kept: &[VarId],
    ) -> Stmt {
        let count = build::load(body, self.count);
        self.lanes.each(body, (self.role, count), read, stmts, kept)
    }

    /// The same, where a lane changes what the next one sees.
    pub(in crate::passes) fn each_in_order(&self, body: &mut Body, stmts: Vec<Stmt>, kept: &[VarId]) -> Stmt {
        let count = build::load(body, self.count);
        self.lanes.each(body, (Role::Local, count), &[], stmts, kept)
    }

    /// The loop over blocks.
    pub(in crate::passes) fn into_loop(self, body: &Body, stmts: Vec<Stmt>) -> Loop {
        let Self { items, first, len, .. } = self;
        let condition = build::compare(BinaryOp::Lt, build::load(body, first), wide(items.end));
        let init = vec![build::declare(body, first, wide(items.first))];
        let update = vec![build::advance(body, first, len.into())];
        Loop { init, update, ..around(Some(condition), stmts) }
    }
}

/// A loop without declarations and steps.
pub(in crate::passes) fn around(condition: Option<Expr>, body: Vec<Stmt>) -> Loop {
    Loop { init: Vec::new(), head: Vec::new(), condition, update: Vec::new(), body, test_last: false, unroll: None }
}

/// Variables that are declared in a part and live on in a later one.
pub(in crate::passes) fn live(before: &[Stmt], later: &[Stmt]) -> Vec<VarId> {
    let mentioned = Uses::of(later).mentioned;
    before.iter().filter_map(declared).filter(|var| mentioned.contains(var)).collect()
}

/// A variable of `kept` that is declared without a value begins as zero: all lanes are read.
pub(in crate::passes) fn give_value(body: &Body, stmt: &mut Stmt, kept: &BTreeSet<VarId>) {
    if let StmtKind::Declare { var, init: None } = stmt.kind
        && kept.contains(&var)
    {
        stmt.kind = StmtKind::Declare { var, init: Some(zero(body, var)) };
    }
}

/// What a variable begins as that is given no value.
pub(in crate::passes) fn zero(body: &Body, var: VarId) -> Initializer {
    match body.var(var).ty.scalar() {
        Some(ty) => Initializer::Value(zero_of(ty, body.var(var).span)),
        None => Initializer::List(Vec::new()),
    }
}

/// The zero of a type.
pub(in crate::passes) fn zero_of(ty: Scalar, span: Span) -> Expr {
    let literal = match ty {
        Scalar::Bool => Literal::Bool(false),
        _ if ty.is_float() => Literal::Float(0.0),
        _ => Literal::Int(0),
    };
    Expr { kind: ExprKind::Literal(literal), ty: ty.into(), span }
}

/// A variable of the block or of a lane.
pub(in crate::passes) fn local(ty: Scalar) -> Variable {
    Variable { name: String::new(), ty: ty.into(), role: Role::Local, is_const: false, span: Span::default() }
}
