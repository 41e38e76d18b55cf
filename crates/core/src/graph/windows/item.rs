//! What one item of a loop's kernel does, as statements that stand in another kernel.

use super::layout::{Slots, int};
use crate::backend::LaunchDims;
use okl::ir::rewrite::{Rewriter, rewrite_expr, rewrite_place, rewrite_stmt};
use okl::ir::{
    Argument, Axis, BinaryOp, Body, Expr, ExprKind, Kernel, Loop, Module, Nest, Place, Projection, Region, Role,
    Scalar, Stmt, StmtKind, VarId, Variable, Visitor, build, walk_expr, walk_stmt,
};
use okl::source::Span;
use std::collections::BTreeMap;

/// A nest whose items can stand anywhere.
pub(super) struct Source<'a> {
    pub(super) module: &'a Module,
    pub(super) kernel: &'a Kernel,
    /// What the items of a group compute alike.
    head: &'a [Stmt],
    region: &'a Region,
    outer: [Option<&'a Axis>; 3],
    dims: LaunchDims,
    /// The variables of its arguments, in order.
    pub(super) captures: Vec<VarId>,
}

/// What an argument's memory has become.
pub(super) enum Memory {
    /// A shared array, and where its elements are in that.
    Shared(VarId, Slots),
    /// A parameter, in which the argument begins with this element.
    Parameter(VarId, i64),
}

impl<'a> Source<'a> {
    /// The items of a nest.
    /// # Errors
    /// The reason why its items do not run one by one.
    pub(super) fn of(module: &'a Module, kernel: &'a Kernel, nest: &'a Nest, dims: LaunchDims) -> Result<Self, String> {
        let name = &kernel.name;
        if !nest.shared.is_empty() || !nest.exclusive.is_empty() {
            return Err(format!("the items of a group of `{name}` share memory"));
        }
        let mut stmts = nest.stmts.as_slice();
        while let [Stmt { kind: StmtKind::Block(inner), .. }] = stmts {
            stmts = inner;
        }
        let Some((Stmt { kind: StmtKind::Inner(region), .. }, head)) = stmts.split_last() else {
            return Err(format!("the `@inner` loops of `{name}` stand in conditions or loops"));
        };
        let mut found = Obstacles { body: &kernel.body, within_loop: false, found: None };
        head.iter().chain(&region.body).for_each(|stmt| found.stmt(stmt));
        if head.iter().any(|stmt| has_region(stmt)) {
            found.found.get_or_insert("has several `@inner` loops");
        }
        match found.found {
            Some(obstacle) => Err(format!("`{name}` {obstacle}")),
            None => {
                let outer = nest.outer.each_ref().map(Option::as_ref);
                Ok(Self { module, kernel, head, region, outer, dims, captures: kernel.captures(nest) })
            }
        }
    }

    /// The statements of the item with this number, a 32-bit expression, in a body that gets their variables. `values` has the
    /// variables of value arguments, `memory` what others have become, both by the nest's own variables.
    pub(super) fn statements(
        &self,
        body: &mut Body,
        number: &Expr,
        values: &BTreeMap<VarId, VarId>,
        memory: &BTreeMap<VarId, Memory>,
    ) -> Vec<Stmt> {
        let mut inliner = Inliner { own: &self.kernel.body, body, names: values.clone(), memory };
        let items = self.dims.inner[0] as i64;
        let mut stmts = Vec::new();
        if let Some((outer, inner)) = self.flat(items) {
            // The item's number is all that is needed.
            stmts.push(inliner.index(inner, &outer.start, number.clone()));
        } else {
            let part = |op| build::binary(op, number.clone(), int(items), Scalar::I32);
            let (group, item) = (part(BinaryOp::Div), part(BinaryOp::Rem));
            for (axis, outer) in self.outer.iter().enumerate() {
                let Some(outer) = outer else { continue };
                let place = if axis == 0 { group.clone() } else { int(0) };
                stmts.push(inliner.axis(outer, place));
            }
            stmts.extend(inliner.copies(self.head));
            for (axis, inner) in self.region.axes.iter().enumerate() {
                let Some(inner) = inner else { continue };
                let place = if axis == 0 { item.clone() } else { int(0) };
                stmts.push(inliner.axis(inner, place));
            }
        }
        stmts.extend(inliner.copies(&self.region.body));
        stmts
    }

    /// The axes, where an item's index is that of the first one plus its number, and nothing else asks for its group: as `@tile`
    /// makes them.
    fn flat(&self, items: i64) -> Option<(&'a Axis, &'a Axis)> {
        let [Some(outer), None, None] = self.outer else { return None };
        let [Some(inner), None, None] = &self.region.axes else { return None };
        let starts = |expr: &Expr| matches!(&expr.kind, ExprKind::Load(place) if place.root == outer.var && place.path.is_empty());
        let is_flat = self.head.is_empty()
            && outer.step.as_int() == Some(items)
            && inner.step.as_int() == Some(1)
            && starts(&inner.start)
            && !mentions(&self.region.body, outer.var);
        is_flat.then_some((outer, inner))
    }
}

fn has_region(stmt: &Stmt) -> bool {
    let mut any = false;
    okl::ir::for_regions(std::slice::from_ref(stmt), &mut |_| any = true);
    any
}

fn mentions(stmts: &[Stmt], var: VarId) -> bool {
    struct Mentions(VarId, bool);
    impl Visitor for Mentions {
        fn load(&mut self, place: &Place) {
            self.store(place);
        }
        fn store(&mut self, place: &Place) {
            self.1 |= place.root == self.0;
            okl::ir::walk_place(self, place);
        }
    }
    let mut mentions = Mentions(var, false);
    stmts.iter().for_each(|stmt| mentions.stmt(stmt));
    mentions.1
}

/// Looks for what an item cannot do elsewhere.
struct Obstacles<'a> {
    body: &'a Body,
    within_loop: bool,
    found: Option<&'static str>,
}

impl Obstacles<'_> {
    fn arguments(&mut self, arguments: &[Argument]) {
        if arguments.iter().any(|argument| matches!(argument, Argument::Pointer(_))) {
            self.found.get_or_insert("gives a function a pointer");
        }
    }

    /// On wrong numbers at the edge of a window a loop that data decide might never end.
    fn check_loop(&mut self, l: &Loop) {
        let mut reads = ReadsMemory(false);
        l.init.iter().chain(&l.head).chain(&l.update).for_each(|stmt| reads.stmt(stmt));
        l.condition.iter().for_each(|condition| reads.expr(condition));
        let variable = l.variable();
        let is_counted =
            l.head.is_empty() && l.condition.is_some() && variable.is_some_and(|var| !writes(&l.body, var));
        if reads.0 || !is_counted || !l.condition.iter().all(|condition| is_of_index(self.body, condition, variable)) {
            self.found.get_or_insert("has a loop of which data may decide how long it runs");
        }
    }
}

impl Visitor for Obstacles<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Atomic { .. } => _ = self.found.get_or_insert("updates memory atomically"),
            StmtKind::Print(_) => _ = self.found.get_or_insert("prints"),
            StmtKind::Barrier | StmtKind::Mark(_) => _ = self.found.get_or_insert("waits for other items"),
            StmtKind::Call { arguments, .. } => self.arguments(arguments),
            StmtKind::Return(_) | StmtKind::EndItem if self.within_loop => {
                self.found.get_or_insert("ends an item within a loop");
            }
            StmtKind::Loop(l) => {
                self.check_loop(l);
                let outside = std::mem::replace(&mut self.within_loop, true);
                walk_stmt(self, stmt);
                self.within_loop = outside;
                return;
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(_, arguments) = &expr.kind {
            self.arguments(arguments);
        }
        walk_expr(self, expr);
    }
}

/// Whether memory is read.
struct ReadsMemory(bool);

impl Visitor for ReadsMemory {
    fn load(&mut self, place: &Place) {
        self.0 |= !place.path.is_empty();
    }
}

/// Whether statements write a variable.
fn writes(stmts: &[Stmt], var: VarId) -> bool {
    struct Writes(VarId, bool);
    impl Visitor for Writes {
        fn store(&mut self, place: &Place) {
            self.1 |= place.root == self.0;
        }
    }
    let mut writes = Writes(var, false);
    stmts.iter().for_each(|stmt| writes.stmt(stmt));
    writes.1
}

/// Whether a condition is of the variable of a loop, the item's index and the launch's values alone.
fn is_of_index(body: &Body, condition: &Expr, variable: Option<VarId>) -> bool {
    struct Others<'a>(&'a Body, Option<VarId>, bool);
    impl Visitor for Others<'_> {
        fn load(&mut self, place: &Place) {
            let role = self.0.var(place.root).role;
            let is_given = role.is_index() || matches!(role, Role::Param(_) | Role::Host | Role::Constant(_));
            self.2 |= Some(place.root) != self.1 && !is_given;
        }
    }
    let mut others = Others(body, variable, false);
    others.expr(condition);
    !others.2
}

/// Copies statements into another body.
struct Inliner<'a> {
    own: &'a Body,
    body: &'a mut Body,
    /// What variables are called there.
    names: BTreeMap<VarId, VarId>,
    memory: &'a BTreeMap<VarId, Memory>,
}

impl Inliner<'_> {
    fn copies(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut copies = stmts.to_vec();
        self.list(&mut copies);
        copies
    }

    fn copy(&mut self, expr: &Expr) -> Expr {
        let mut copy = expr.clone();
        self.expr(&mut copy);
        copy
    }

    /// `const int i = start + place · step`
    fn axis(&mut self, axis: &Axis, place: Expr) -> Stmt {
        let step = axis.step.as_int();
        let step = step.map_or_else(|| self.copy(&axis.step), int);
        let way = match step.as_int() {
            Some(1) => place,
            _ => build::binary(BinaryOp::Mul, place, build::convert(step, Scalar::I32), Scalar::I32),
        };
        self.index(axis, &axis.start, way)
    }

    /// `const int i = start + way`
    fn index(&mut self, axis: &Axis, start: &Expr, way: Expr) -> Stmt {
        let ty = self.own.var(axis.var).ty.scalar().unwrap_or(Scalar::I32);
        let start = self.copy(start);
        let way = build::convert(way, ty);
        let value = match start.as_int() {
            Some(0) => way,
            _ => build::binary(BinaryOp::Add, build::convert(start, ty), way, ty),
        };
        let var = self.var(axis.var);
        build::declare(self.body, var, value)
    }

    fn var(&mut self, var: VarId) -> VarId {
        if let Some(known) = self.names.get(&var) {
            return *known;
        }
        let own = self.own.var(var);
        let role = match own.role {
            Role::Constant(_) => own.role,
            _ => Role::Local,
        };
        let copy = self.body.add(Variable { role, span: Span::default(), ..own.clone() });
        self.names.insert(var, copy);
        copy
    }
}

impl Rewriter for Inliner<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        stmt.span = Span::default();
        match &mut stmt.kind {
            StmtKind::Declare { var, .. } | StmtKind::Call { result: Some(var), .. } => *var = self.var(*var),
            // The loop over items goes on.
            StmtKind::EndItem | StmtKind::Return(_) => stmt.kind = StmtKind::Continue,
            _ => {}
        }
        rewrite_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &mut Expr) {
        expr.span = Span::default();
        rewrite_expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        place.span = Span::default();
        rewrite_place(self, place);
        let Some(memory) = self.memory.get(&place.root) else {
            place.root = self.var(place.root);
            return;
        };
        let Some(Projection::Index(index) | Projection::Flat(index)) = place.path.first_mut() else { return };
        match memory {
            Memory::Shared(var, slots) => {
                let index = slots.of(build::convert(build::narrow(index), Scalar::I32));
                (place.root, place.path[0]) = (*var, Projection::Index(index));
            }
            Memory::Parameter(var, first) => {
                if *first != 0 {
                    let ty = index.ty.scalar().unwrap_or(Scalar::I32);
                    let first = Expr::int(*first, ty, Span::default());
                    *index = build::binary(BinaryOp::Add, index.clone(), first, ty);
                }
                place.root = *var;
            }
        }
    }
}
