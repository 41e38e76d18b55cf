//! What the items of a block have found: the slots that it is kept in, and what is computed of it.

use super::search::{Rest, Search};
use super::{ITEMS, STEP};
use crate::ir::rewrite::rename_expr;
use crate::ir::{
    Argument, BinaryOp, Body, Expr, ExprKind, FunctionId, Place, Projection, Role, Scalar, Stmt, Struct, StructId,
    Type, VarId, Variable, build,
};
use crate::passes::lanes::{Block, Lanes, local};
use crate::source::Span;
use std::collections::BTreeMap;

/// The variables of an item, and of its block.
pub(super) struct Found<'a> {
    search: &'a Search,
    /// For each field of what the search returns; the first one is the number of the return.
    fields: Vec<VarId>,
    /// The slot that an item has taken.
    slot: VarId,
    exits: Vec<Exit>,
}

struct Exit {
    number: i64,
    /// What it reads.
    leaves: Vec<VarId>,
    value: Expr,
    returned: VarId,
    /// How many items of the block have come to it.
    taken: VarId,
}

impl<'a> Found<'a> {
    pub(super) fn new(body: &mut Body, search: &'a Search) -> Self {
        let constant = |ty: Scalar| Variable { is_const: true, ..local(ty) };
        let fields: Vec<VarId> = search.fields().map(|(name, ty)| build::fresh(body, name, constant(ty))).collect();
        let slot = build::fresh(body, "slot", local(Scalar::I32));
        let of_fields: BTreeMap<VarId, VarId> = (0..).map(VarId).zip(fields.iter().copied()).collect();
        let exits = (1..).zip(&search.exits).map(|(number, exit)| {
            let mut value = exit.value.clone();
            rename_expr(&mut value, &of_fields);
            let returned = build::fresh(body, "returned", constant(search.ty));
            let taken = build::fresh(body, "taken", local(Scalar::I32));
            Exit { number, leaves: fields[exit.fields.clone()].to_vec(), value, returned, taken }
        });
        let exits = exits.collect();
        Self { search, fields, slot, exits }
    }

    /// What lives on with an item.
    pub(super) fn kept(&self) -> Vec<VarId> {
        let rest = match self.search.rest {
            Some(Rest::Field(number)) => Some(self.fields[number]),
            _ => None,
        };
        [self.fields[0], self.slot].into_iter().chain(rest).collect()
    }

    /// The arrays of the slots.
    pub(super) fn slots(&self, structs: &[Struct], body: &mut Body, blocks: &Block) -> Option<Lanes> {
        let vars = self.exits.iter().flat_map(|exit| exit.leaves.iter().copied().chain([exit.returned]));
        let vars: Vec<VarId> = vars.collect();
        Lanes::new(structs, body, (blocks.first, blocks.first), &vars, ITEMS)
    }

    /// No slot is taken when a block begins.
    pub(super) fn declarations(&self, body: &Body) -> Vec<Stmt> {
        self.exits.iter().map(|exit| build::declare(body, exit.taken, build::int(0))).collect()
    }

    /// The search of an item, which takes a slot for what it finds.
    pub(super) fn search(
        &self,
        body: &mut Body,
        slots: &Lanes,
        (function, result): (FunctionId, StructId),
        arguments: Vec<Argument>,
    ) -> Vec<Stmt> {
        let ty = Type::Struct(result);
        let found = Variable { ty: ty.clone(), is_const: true, ..local(Scalar::I32) };
        let found = build::fresh(body, "found", found);
        let call = Expr { kind: ExprKind::Call(function, arguments), ty, span: Span::default() };
        let of_field = |body: &Body, var: VarId| {
            let number = self.fields.iter().zip(0..).find(|(of, _)| **of == var).map_or(0, |(_, number)| number);
            let (path, ty) = (vec![Projection::Field(number)], body.var(var).ty.clone());
            build::declare(body, var, build::load_place(Place { root: found, path, ty, span: Span::default() }))
        };
        let mut stmts = vec![build::declare(body, found, call)];
        stmts.extend(self.kept().into_iter().filter(|var| *var != self.slot).map(|var| of_field(body, var)));
        stmts.push(build::declare(body, self.slot, build::int(0)));
        let mut otherwise = Vec::new();
        for exit in self.exits.iter().rev() {
            let slot = build::load(body, exit.taken);
            let mut then: Vec<Stmt> = exit.leaves.iter().map(|&leaf| of_field(body, leaf)).collect();
            then.extend(exit.leaves.iter().flat_map(|&leaf| slots.store(leaf, &slot)));
            then.push(build::assign(body, self.slot, slot));
            then.push(build::advance(body, exit.taken, 1));
            otherwise = build::when(self.is_at(body, exit), then, otherwise).into_iter().collect();
        }
        stmts.append(&mut otherwise);
        stmts
    }

    fn is_at(&self, body: &Body, exit: &Exit) -> Expr {
        let number = Expr::int(exit.number, Scalar::I32, Span::default());
        build::compare(BinaryOp::Eq, build::load(body, self.fields[0]), number)
    }

    /// What stands in the slots, computed some at a time.
    pub(super) fn compute(&self, body: &mut Body, slots: &Lanes, role: Role, span: Span) -> Vec<Stmt> {
        let mut loops = Vec::new();
        for exit in &self.exits {
            let first = build::fresh(body, "first_slot", local(Scalar::I32));
            let step = build::fresh(body, "step", Variable { role, ..local(Scalar::I32) });
            let slot = build::fresh(body, "slot", Variable { is_const: true, ..local(Scalar::I32) });
            let sum = build::binary(BinaryOp::Add, build::load(body, first), build::load(body, step), Scalar::I32);
            let number = build::load(body, slot);
            let mut stmts = vec![build::declare(body, slot, sum)];
            stmts.extend(exit.leaves.iter().map(|&leaf| slots.load(body, leaf, &number)));
            stmts.push(build::declare(body, exit.returned, exit.value.clone()));
            stmts.extend(slots.store(exit.returned, &number));
            stmts.iter_mut().for_each(|stmt| stmt.span = span);
            let all = Expr::int(STEP.into(), Scalar::I32, Span::default());
            let steps = build::for_loop(
                build::declare(body, step, build::int(0)),
                build::compare(BinaryOp::Lt, build::load(body, step), all),
                build::advance(body, step, 1),
                stmts,
            );
            loops.push(build::for_loop(
                build::declare(body, first, build::int(0)),
                build::compare(BinaryOp::Lt, build::load(body, first), build::load(body, exit.taken)),
                build::advance(body, first, STEP.into()),
                vec![steps],
            ));
        }
        loops
    }

    /// The value of an item.
    pub(super) fn choose(&self, body: &mut Body, slots: &Lanes, value: VarId) -> Vec<Stmt> {
        let slot = build::load(body, self.slot);
        let mut stmts: Vec<Stmt> = self.exits.iter().map(|exit| slots.load(body, exit.returned, &slot)).collect();
        let mut chosen = self.search.rest.as_ref().map(|rest| match rest {
            Rest::Constant(constant) => constant.clone(),
            Rest::Field(number) => build::load(body, self.fields[*number]),
        });
        for exit in self.exits.iter().rev() {
            let returned = build::load(body, exit.returned);
            chosen = Some(match chosen {
                Some(other) => build::select(self.is_at(body, exit), returned, other),
                None => returned,
            });
        }
        stmts.extend(chosen.map(|chosen| build::declare(body, value, chosen)));
        stmts
    }
}
