//! Tiles that only stage memory: what items read from one is read from the memory itself.
//!
//! `tile[j][i] = x[(jb + j) * n + ib + i];` brings the items of a GPU's group what their neighbours read as well. On a
//! processor the caches do that; the tile costs a store and a load of each element, and a region of its own. Without it,
//! `tile[j - 1][i]` is `x[(jb + j - 1) * n + ib + i]`.
//!
//! A tile goes where one assignment fills it, each item its own element, from memory that the nest does not write: so the element
//! tells which item wrote it, and what that item read. If the item writes under a condition, the same has to follow from what
//! is asked around the read: an element that nobody wrote leads nowhere.
//!
//! A tile that turns columns into rows stays, since its rows are what vectors are loaded from. So does one that items read in
//! loops, as a small matrix, of which nothing but the first access is dear.

use super::counters::axis_limits;
use super::fold;
use super::mod_ref::is_unwritten;
use crate::ir::affine::{Affine, Facts};
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_place, rewrite_stmt, substitute};
use crate::ir::{
    Axis, BinaryOp, Body, Dialect, Expr, ExprKind, Kernel, Module, Nest, Place, Projection, Region, Role, Scalar, Stmt,
    StmtKind, Type, Uses, VarId, build, ends_item, for_declarations,
};
use std::collections::{BTreeMap, BTreeSet};

/// Shared arrays of a nest that are looked at: each look goes through all of it.
const MOST_TILES: usize = 64;

/// Most nodes of a value that is computed again for each element that is read.
const LONGEST: usize = 64;

pub(crate) fn run(module: &mut Module) {
    module.kernels.iter_mut().for_each(of_kernel);
}

fn of_kernel(kernel: &mut Kernel) {
    let body = &kernel.body;
    for nest in kernel.nests.iter_mut().filter(|nest| nest.dialect == Dialect::Lowered) {
        let is_tile = |var: &VarId| body.var(*var).role == Role::Shared && dims_of(body, *var).is_some();
        for tile in nest.shared.clone().into_iter().filter(is_tile).take(MOST_TILES) {
            if let Some(stmts) = without(body, nest, tile) {
                nest.stmts = stmts;
                nest.shared.retain(|var| *var != tile);
            }
        }
    }
}

/// The extents of an array.
fn dims_of(body: &Body, var: VarId) -> Option<&[u32]> {
    match &body.var(var).ty {
        Type::Array(_, dims) => Some(dims),
        _ => None,
    }
}

/// What a nest does without a tile.
fn without(body: &Body, nest: &Nest, tile: VarId) -> Option<Vec<Stmt>> {
    let uses = Uses::of(&nest.stmts);
    let written = uses.assigned.union(&uses.addressed).copied().collect();
    let mut stmts = nest.stmts.clone();
    Pass { body, written: &written, tile }.list(&mut stmts)?;
    Some(stmts)
}

struct Pass<'a> {
    body: &'a Body,
    /// What the nest writes or passes on.
    written: &'a BTreeSet<VarId>,
    tile: VarId,
}

impl Pass<'_> {
    fn is_in(&self, stmt: &Stmt) -> bool {
        Uses::of(std::slice::from_ref(stmt)).mentioned.contains(&self.tile)
    }

    /// Takes the tile out of statements of the group: the first region that mentions it fills it, what follows reads it.
    fn list(&self, stmts: &mut Vec<Stmt>) -> Option<()> {
        let first = stmts.iter().position(|stmt| self.is_in(stmt))?;
        let (StmtKind::Loop(_) | StmtKind::Block(_), 1) =
            (&stmts[first].kind, stmts.iter().filter(|stmt| self.is_in(stmt)).count())
        else {
            return self.filled(stmts, first);
        };
        match &mut stmts[first].kind {
            StmtKind::Loop(l) => self.list(&mut l.body),
            StmtKind::Block(inner) => self.list(inner),
            _ => None,
        }
    }

    fn filled(&self, stmts: &mut Vec<Stmt>, at: usize) -> Option<()> {
        let StmtKind::Inner(region) = &stmts[at].kind else { return None };
        let staged = Staged::of(self, region, stmts)?;
        let mut reads = Reads {
            staged: &staged,
            body: self.body,
            facts: Facts::default(),
            conditions: Vec::new(),
            fastest: None,
            is_left: false,
        };
        stmts[at + 1..].iter_mut().for_each(|stmt| reads.stmt(stmt));
        if reads.is_left {
            return None;
        }
        let StmtKind::Inner(region) = &mut stmts[at].kind else { return None };
        RemoveStores(self.tile).list(&mut region.body);
        fold::run(&mut region.body, &|_| None);
        if region.body.is_empty() {
            stmts.remove(at);
        }
        Some(())
    }
}

/// What a tile stages.
struct Staged<'a> {
    tile: VarId,
    dims: &'a [u32],
    /// For each dimension the axis of the items that write along it, and what they add to their number.
    along: Vec<(Axis, i64)>,
    /// Under which conditions an item writes its element.
    conditions: Vec<Expr>,
    /// What it writes.
    value: Expr,
    /// What changes while the tile is read.
    changing: BTreeSet<VarId>,
}

impl<'a> Staged<'a> {
    /// What a region stages; `stmts`: those among which it stands.
    fn of(pass: &Pass<'a>, region: &Region, stmts: &[Stmt]) -> Option<Self> {
        let mut found =
            Found { tile: pass.tile, body: pass.body, definitions: BTreeMap::new(), conditions: Vec::new() };
        let (place, value) = (!ends_item(&region.body)).then(|| found.assignment(&region.body)).flatten()?;
        let settled = |expr: &Expr| substitute(expr, &found.definitions);
        let (value, conditions): (_, Vec<Expr>) = (settled(value), found.conditions.iter().map(settled).collect());
        let dims = dims_of(pass.body, pass.tile)?;
        let ExprKind::Load(source) = &value.kind else { return None };
        let is_whole = value.ty == place.ty && place.path.len() == dims.len();
        if !is_whole
            || value.ty.scalar().is_none_or(Scalar::is_storage)
            || !is_unwritten(pass.body, pass.written, source.root)
        {
            return None;
        }
        let axes: Vec<&Axis> = region.axes.iter().flatten().collect();
        let mut along = Vec::new();
        for projection in &place.path {
            let Projection::Index(subscript) = projection else { return None };
            let form = Facts::default().affine(&settled(subscript))?;
            let axis = axes.iter().find(|axis| form.coefficient(axis.var) == 1)?;
            along.push(((*axis).clone(), form.without_var(axis.var).as_constant()?));
        }
        let vars: BTreeSet<VarId> = along.iter().map(|(axis, _)| axis.var).collect();
        let is_own = vars.len() == axes.len() && along.len() == axes.len();
        let counts_on = axes.iter().all(|axis| axis.step.as_int() == Some(1) && axis.start.as_int().is_some());
        let changing = Uses::of(stmts).assigned;
        let mut declared = BTreeSet::new();
        for_declarations(&region.body, &mut |var, _| declared.extend([var]));
        let is_settled = |var: &VarId| match pass.body.var(*var).role {
            Role::Param(_) | Role::Host | Role::Outer(_) | Role::Constant(_) => true,
            Role::Inner(_) => vars.contains(var),
            Role::Local => !declared.contains(var) && !changing.contains(var),
            _ => false,
        };
        let is_known = |expr: &Expr| expr.is_speculatable() && Uses::of_expr(expr).mentioned.iter().all(is_settled);
        let last = along.last()?.0.var;
        let mut reads_rows = false;
        for projection in &source.path {
            let (Projection::Index(subscript) | Projection::Flat(subscript)) = projection else { return None };
            reads_rows = Facts::default().affine(subscript)?.coefficient(last) == 1;
            if !is_known(subscript) {
                return None;
            }
        }
        (is_own && counts_on && reads_rows && conditions.iter().all(is_known)).then_some(Self {
            tile: pass.tile,
            dims,
            along,
            conditions,
            value,
            changing,
        })
    }

    /// What is read instead of an element of the tile, where that is sure to have been written.
    fn read(&self, place: &Place, facts: &Facts, around: &[Expr], fastest: Option<VarId>) -> Option<Expr> {
        let mut items = BTreeMap::new();
        for (number, ((axis, offset), dim)) in self.along.iter().zip(self.dims).enumerate() {
            let Some(Projection::Index(subscript)) = place.path.get(number) else { return None };
            let form = facts.affine(subscript)?;
            let is_last = number + 1 == self.dims.len();
            let step = fastest.map_or(0, |fastest| form.coefficient(fastest));
            let rest = fastest.map_or_else(|| form.clone(), |fastest| form.without_var(fastest));
            if !(step == 0 || is_last && step == 1) || fastest.is_some_and(|var| rest.variables().contains(&var)) {
                return None;
            }
            // Elements `first..end` are written.
            let first = axis.start.as_int()?.checked_add(*offset)?;
            let end = first.checked_add(axis.count.as_int()?)?;
            let is_all = first <= 0 && end >= i64::from(*dim);
            let is_within = || Some(facts.smallest(&form)? >= first && facts.largest(&form)? < end);
            if !is_all && is_within() != Some(true) {
                return None;
            }
            items.insert(axis.var, item(subscript, *offset, axis.start.ty.scalar()?));
        }
        let wrote = self.conditions.iter().map(|condition| substitute(condition, &items));
        let is_still = |expr: &Expr| Uses::of_expr(expr).mentioned.is_disjoint(&self.changing);
        let known: Vec<Affine> =
            around.iter().filter(|expr| is_still(expr)).flat_map(|expr| least(facts, expr)).collect();
        for condition in wrote {
            let holds = |wanted: &Affine| {
                let follows = |known: &Affine| wanted.sub(known).and_then(|d| d.as_constant()).is_some_and(|d| d >= 0);
                facts.smallest(wanted).is_some_and(|least| least >= 0) || known.iter().any(follows)
            };
            let parts = conjuncts(&condition);
            let wanted: Vec<Affine> = parts.iter().filter_map(|part| at_least_zero(facts, part)).collect();
            if wanted.len() != parts.len() || !is_still(&condition) || !wanted.iter().all(holds) {
                return None;
            }
        }
        Some(substitute(&self.value, &items))
    }
}

/// The number of the item that writes where a subscript leads.
fn item(subscript: &Expr, offset: i64, ty: Scalar) -> Expr {
    let subscript = build::convert(subscript.clone(), ty);
    let by = |distance: i64| Expr::int(distance, ty, subscript.span);
    match offset {
        0 => subscript,
        1.. => build::binary(BinaryOp::Sub, subscript.clone(), by(offset), ty),
        _ => build::binary(BinaryOp::Add, subscript.clone(), by(-offset), ty),
    }
}

/// The parts of `a && b && …`.
fn conjuncts(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary(BinaryOp::LogicAnd, a, b) => [conjuncts(a), conjuncts(b)].concat(),
        _ => vec![expr],
    }
}

/// What is not below zero where a comparison of integers holds.
fn at_least_zero(facts: &Facts, expr: &Expr) -> Option<Affine> {
    let ExprKind::Binary(op, a, b) = &expr.kind else { return None };
    let (a, b) = (facts.affine(a)?, facts.affine(b)?);
    match op {
        BinaryOp::Lt => b.sub(&a)?.offset(-1),
        BinaryOp::Le => b.sub(&a),
        BinaryOp::Gt => a.sub(&b)?.offset(-1),
        BinaryOp::Ge => a.sub(&b),
        _ => None,
    }
}

/// The same for each part of a condition.
fn least(facts: &Facts, condition: &Expr) -> Vec<Affine> {
    conjuncts(condition).into_iter().filter_map(|part| at_least_zero(facts, part)).collect()
}

/// Looks for the one assignment to a tile.
struct Found<'a> {
    tile: VarId,
    body: &'a Body,
    definitions: BTreeMap<VarId, Expr>,
    /// Those around it.
    conditions: Vec<Expr>,
}

impl Found<'_> {
    fn assignment<'s>(&mut self, stmts: &'s [Stmt]) -> Option<(&'s Place, &'s Expr)> {
        let is_in = |stmt: &&Stmt| Uses::of(std::slice::from_ref(*stmt)).mentioned.contains(&self.tile);
        let mut mentions = stmts.iter().filter(is_in);
        let (only, None) = (mentions.next()?, mentions.next()) else { return None };
        let before = stmts.iter().take_while(|stmt| !std::ptr::eq(*stmt, only));
        for (var, value) in before.filter_map(|stmt| fold::free_definition(self.body, stmt)) {
            let value = substitute(value, &self.definitions);
            // Values that mention values may double at every step.
            if Uses::of_expr(&value).weight <= LONGEST {
                self.definitions.insert(var, value);
            }
        }
        let reads = |expr: &Expr| Uses::of_expr(expr).mentioned.contains(&self.tile);
        match &only.kind {
            StmtKind::Assign { place, op: None, value } if place.root == self.tile && !reads(value) => {
                let subscripts = place.path.iter().all(|of| matches!(of, Projection::Index(index) if !reads(index)));
                subscripts.then_some((place, value))
            }
            StmtKind::If { condition, then, otherwise }
                if !reads(condition) && !otherwise.iter().any(|stmt| is_in(&stmt)) =>
            {
                self.conditions.push(condition.clone());
                self.assignment(then)
            }
            StmtKind::Block(stmts) => self.assignment(stmts),
            _ => None,
        }
    }
}

/// Puts what was staged in the place of what is read.
struct Reads<'a> {
    staged: &'a Staged<'a>,
    body: &'a Body,
    facts: Facts,
    /// What holds where something is read.
    conditions: Vec<Expr>,
    /// The axis whose items lie side by side.
    fastest: Option<VarId>,
    /// The tile is mentioned where it cannot be replaced.
    is_left: bool,
}

impl Reads<'_> {
    fn under(&mut self, condition: &Expr, work: impl FnOnce(&mut Self)) {
        self.conditions.push(condition.clone());
        work(self);
        self.conditions.pop();
    }
}

impl Rewriter for Reads<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Inner(region) => {
                let around = (self.facts.clone(), self.fastest);
                self.fastest = region.axes.iter().flatten().next().map(|axis| axis.var);
                for axis in region.axes.iter().flatten() {
                    self.facts.limits.extend(axis_limits(axis).map(|limits| (axis.var, limits)));
                }
                rewrite_stmt(self, stmt);
                (self.facts, self.fastest) = around;
            }
            StmtKind::Loop(_) if self.fastest.is_some() => {
                self.is_left |= Uses::of(std::slice::from_ref(stmt)).mentioned.contains(&self.staged.tile);
            }
            StmtKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.under(condition, |reads| reads.list(then));
                self.list(otherwise);
            }
            _ => rewrite_stmt(self, stmt),
        }
        if let Some((var, value)) = fold::free_definition(self.body, stmt)
            && Uses::of_expr(value).mentioned.is_disjoint(&self.staged.changing)
        {
            self.facts.definitions.insert(var, value.clone());
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Load(place) if place.root == self.staged.tile => {
                match self.staged.read(place, &self.facts, &self.conditions, self.fastest) {
                    Some(value) => *expr = value,
                    None => self.is_left = true,
                }
            }
            ExprKind::Select(condition, then, otherwise) => {
                self.expr(condition);
                self.under(condition, |reads| reads.expr(then));
                self.expr(otherwise);
            }
            _ => rewrite_expr(self, expr),
        }
    }

    fn place(&mut self, place: &mut Place) {
        self.is_left |= place.root == self.staged.tile;
        rewrite_place(self, place);
    }
}

/// Removes the assignment to a tile.
struct RemoveStores(VarId);

impl Rewriter for RemoveStores {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        stmts.retain(|stmt| !matches!(&stmt.kind, StmtKind::Assign { place, .. } if place.root == self.0));
        stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn expr(&mut self, _expr: &mut Expr) {}
}
