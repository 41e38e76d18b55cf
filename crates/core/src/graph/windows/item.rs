//! What one item of a loop's kernel does, as statements that stand in another kernel.

use super::layout::{Slots, int, less, load, plus};
use super::linear::{Known, Linear};
use crate::backend::LaunchDims;
use okl::ir::rewrite::{Rewriter, rewrite_expr, rewrite_place, rewrite_stmt};
use okl::ir::{
    Argument, Axis, BinaryOp, Body, Expr, ExprKind, Initializer, Kernel, Literal, Loop, Module, Nest, Place,
    Projection, Region, Role, Scalar, Stmt, StmtKind, UnaryOp, VarId, Variable, Visitor, build, walk_expr, walk_place,
    walk_stmt,
};
use okl::source::Span;
use std::collections::BTreeMap;
use std::ops::Range;

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

/// What an argument's value has become.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// A parameter of the kernel.
    Parameter(VarId),
    /// An integer that is as it is now.
    Constant(i64),
}

/// What an argument's memory has become.
pub(super) enum Memory<'a> {
    /// A shared array, where its elements are in that, and the item's neighbourhood in registers.
    Shared(VarId, Slots, Option<Near>),
    /// A parameter, in which the argument begins with this element.
    Parameter(VarId, i64),
    /// What lies at a constant offset from an element of the argument that the item's numbers say.
    Around(Linear, &'a dyn Fn(i64) -> Option<Place>),
}

/// The elements around those of an item, in an array of its own.
#[derive(Clone, Copy)]
pub(super) struct Near {
    pub(super) array: VarId,
    /// Elements of it.
    pub(super) length: i64,
    /// Counts the item's elements.
    pub(super) k: VarId,
    /// The place in the array of argument element `number` for the first of these.
    pub(super) first: i64,
    /// How many elements the item has.
    pub(super) count: i64,
}

/// Where an item of a nest stands in another kernel.
pub(super) struct Spot<'a> {
    /// The variables of its numbers along the axes that the nest has, of type `int`.
    pub(super) numbers: [Option<VarId>; 3],
    /// The numbers that it may have, where these are known.
    pub(super) ranges: [Option<Range<i64>>; 3],
    /// By the nest's own variables.
    pub(super) values: &'a BTreeMap<VarId, Value>,
    pub(super) memory: &'a BTreeMap<VarId, Memory<'a>>,
    /// It stands in a loop over items, which goes on where an item ends.
    pub(super) in_loop: bool,
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
        if head.iter().any(has_region) {
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

    /// The statements of an item, in a body that gets their variables.
    /// # Errors
    /// The reason why they cannot stand there.
    pub(super) fn statements(&self, body: &mut Body, spot: &Spot<'_>) -> Result<Vec<Stmt>, String> {
        let items = self.dims.inner.map(|items| items as i64);
        let mut known = Known { numbers: spot.ranges.clone(), items, ..Known::default() };
        for (axis, number) in spot.numbers.iter().enumerate() {
            number.map(|number| known.variables.insert(number, Linear::number(axis)));
        }
        let mut inliner =
            Inliner { own: &self.kernel.body, body, names: BTreeMap::new(), spot, known, is_lost: false, ends: false };
        let mut stmts = Vec::new();
        let mut inner = Vec::new();
        for (axis, number) in spot.numbers.iter().enumerate() {
            let number = number.map_or_else(|| int(0), load);
            match (self.outer[axis], &self.region.axes[axis]) {
                (None, None) => {}
                (Some(only), None) => stmts.push(inliner.axis(only, number)),
                (None, Some(only)) => inner.push((only, number)),
                (Some(outer), Some(own)) if self.is_flat(axis, outer, own) => {
                    // The item's number is all that is needed.
                    stmts.push(inliner.index(own, &outer.start, number));
                }
                (Some(outer), Some(own)) => {
                    let part = |op| build::binary(op, number.clone(), int(items[axis]), Scalar::I32);
                    let (group, group_is) = inliner.declare("group", part(BinaryOp::Div), Linear::group(axis));
                    let (item, item_is) = inliner.declare("item", part(BinaryOp::Rem), Linear::item(axis));
                    stmts.extend([group_is, item_is, inliner.axis(outer, load(group))]);
                    inner.push((own, load(item)));
                }
            }
        }
        stmts.extend(inliner.copies(self.head));
        for (axis, place) in inner {
            stmts.push(inliner.axis(axis, place));
        }
        stmts.extend(inliner.copies(&self.region.body));
        match inliner {
            Inliner { is_lost: true, .. } => {
                Err(format!("which neighbours an item of `{}` reads is not known", self.kernel.name))
            }
            Inliner { ends: true, .. } if !spot.in_loop => Ok(vec![inliner.once(stmts)]),
            _ => Ok(stmts),
        }
    }

    /// Whether an item's index along an axis is that of the first one plus its number, and nothing else asks for its group: as `@tile`
    /// makes them.
    fn is_flat(&self, axis: usize, outer: &Axis, inner: &Axis) -> bool {
        let is_outer =
            |expr: &Expr| matches!(&expr.kind, ExprKind::Load(of) if of.root == outer.var && of.path.is_empty());
        outer.step.as_int() == Some(self.dims.inner[axis] as i64)
            && inner.step.as_int() == Some(1)
            && is_outer(&inner.start)
            && !mentions(self.head, outer.var)
            && !mentions(&self.region.body, outer.var)
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
            walk_place(self, place);
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

    fn store(&mut self, place: &Place) {
        if place.path.is_empty() && matches!(self.body.var(place.root).role, Role::Param(_)) {
            self.found.get_or_insert("changes a parameter of its own");
        }
        walk_place(self, place);
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

/// Copies statements into another body, and leaves out what cannot happen there.
struct Inliner<'a> {
    own: &'a Body,
    body: &'a mut Body,
    /// What variables are called there.
    names: BTreeMap<VarId, VarId>,
    spot: &'a Spot<'a>,
    known: Known,
    /// An access has found no place.
    is_lost: bool,
    /// The item may end before its last statement.
    ends: bool,
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

    /// `const int name = value;`
    fn declare(&mut self, name: &str, value: Expr, is: Linear) -> (VarId, Stmt) {
        let (ty, role) = (Scalar::I32.into(), Role::Local);
        let var = Variable { name: name.to_owned(), ty, role, is_const: true, span: Span::default() };
        let var = self.body.add_generated(var);
        self.known.variables.insert(var, is);
        (var, build::declare(self.body, var, value))
    }

    /// A loop that runs once, so that something can end it.
    fn once(self, stmts: Vec<Stmt>) -> Stmt {
        let (ty, role) = (Scalar::I32.into(), Role::Local);
        let once = Variable { name: "once".to_owned(), ty, role, is_const: false, span: Span::default() };
        let once = self.body.add_generated(once);
        let init = build::declare(self.body, once, int(0));
        build::for_loop(init, less(load(once), int(1)), build::advance(self.body, once, 1), stmts)
    }

    /// `const int i = start + place · step`
    fn axis(&mut self, axis: &Axis, place: Expr) -> Stmt {
        let step = self.copy(&axis.step);
        let step = step.as_int().map_or_else(|| build::convert(step, Scalar::I32), int);
        let way = match step.as_int() {
            Some(1) => place,
            _ => build::binary(BinaryOp::Mul, place, step, Scalar::I32),
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
        self.known.learn(var, &ty.into(), &value);
        build::declare(self.body, var, value)
    }

    fn var(&mut self, var: VarId) -> VarId {
        if let Some(known) = self.names.get(&var) {
            return *known;
        }
        let own = self.own.var(var);
        if let Some(Value::Parameter(param)) = self.spot.values.get(&var) {
            return *param;
        }
        let role = match own.role {
            Role::Constant(_) => own.role,
            _ => Role::Local,
        };
        let copy = self.body.add(Variable { role, span: Span::default(), ..own.clone() });
        self.names.insert(var, copy);
        copy
    }

    /// What an expression is that has been copied, where that is known.
    fn decided(&self, expr: &Expr) -> Option<Expr> {
        let yes = |expr: &Expr| matches!(expr.literal(), Some(Literal::Bool(true)));
        let no = |expr: &Expr| matches!(expr.literal(), Some(Literal::Bool(false)));
        match &expr.kind {
            ExprKind::Select(condition, then, otherwise) => match condition.literal() {
                Some(Literal::Bool(holds)) => Some((if holds { then } else { otherwise }).as_ref().clone()),
                _ => None,
            },
            ExprKind::Unary(UnaryOp::Not, a) => match a.literal() {
                Some(Literal::Bool(holds)) => Some(build::bool(!holds)),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::LogicAnd, a, b) if no(a) || no(b) => Some(build::bool(false)),
            ExprKind::Binary(BinaryOp::LogicOr, a, b) if yes(a) || yes(b) => Some(build::bool(true)),
            ExprKind::Binary(BinaryOp::LogicAnd, a, b) if yes(a) => Some(b.as_ref().clone()),
            ExprKind::Binary(BinaryOp::LogicAnd, a, b) if yes(b) => Some(a.as_ref().clone()),
            ExprKind::Binary(BinaryOp::LogicOr, a, b) if no(a) => Some(b.as_ref().clone()),
            ExprKind::Binary(BinaryOp::LogicOr, a, b) if no(b) => Some(a.as_ref().clone()),
            ExprKind::Binary(op, a, b) if op.is_comparison() => self.known.compare(*op, a, b).map(build::bool),
            ExprKind::Literal(_) => None,
            _ => {
                let constant = self.known.linear(expr)?.as_constant()?;
                Some(Expr::int(constant, expr.ty.scalar()?, Span::default()))
            }
        }
    }

    /// The register of a neighbour's element.
    fn register(&mut self, place: &Place) -> Option<Place> {
        let Some(Memory::Shared(_, _, Some(near))) = self.spot.memory.get(&place.root) else { return None };
        let [Projection::Index(index) | Projection::Flat(index)] = place.path.as_slice() else { return None };
        let index = self.copy(index);
        let first = self.known.linear(&index)?.offset_from(Linear::number(0))?.checked_add(near.first)?;
        let is_there = (0..near.length).contains(&first) && first + near.count <= near.length;
        let path = vec![Projection::Index(plus(load(near.k), int(first)))];
        is_there.then(|| Place { root: near.array, path, ty: place.ty.clone(), span: Span::default() })
    }
}

impl Rewriter for Inliner<'_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            if let StmtKind::If { condition, then, otherwise } = &mut stmt.kind {
                self.expr(condition);
                if let Some(Literal::Bool(holds)) = condition.literal() {
                    let mut taken = std::mem::take(if holds { then } else { otherwise });
                    self.list(&mut taken);
                    stmts.extend(taken);
                    continue;
                }
                self.list(then);
                self.list(otherwise);
                stmt.span = Span::default();
            } else {
                self.stmt(&mut stmt);
            }
            stmts.push(stmt);
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        stmt.span = Span::default();
        match &mut stmt.kind {
            StmtKind::Declare { var, .. } | StmtKind::Call { result: Some(var), .. } => *var = self.var(*var),
            // The loop over items goes on.
            StmtKind::EndItem | StmtKind::Return(_) => (stmt.kind, self.ends) = (StmtKind::Continue, true),
            _ => {}
        }
        rewrite_stmt(self, stmt);
        if let StmtKind::Declare { var, init: Some(Initializer::Value(value)) } = &stmt.kind
            && self.body.var(*var).is_const
        {
            let ty = self.body.var(*var).ty.clone();
            self.known.learn(*var, &ty, value);
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Load(place) = &expr.kind {
            if let (Some(Value::Constant(value)), Some(ty)) = (self.spot.values.get(&place.root), expr.ty.scalar()) {
                *expr = Expr::int(*value, ty, Span::default());
                return;
            }
            if let Some(register) = self.register(place) {
                *expr = build::load_place(register);
                return;
            }
        }
        expr.span = Span::default();
        rewrite_expr(self, expr);
        if let Some(decided) = self.decided(expr) {
            *expr = decided;
        }
    }

    fn place(&mut self, place: &mut Place) {
        place.span = Span::default();
        rewrite_place(self, place);
        let Some(memory) = self.spot.memory.get(&place.root) else {
            place.root = self.var(place.root);
            return;
        };
        let Some(Projection::Index(index) | Projection::Flat(index)) = place.path.first_mut() else { return };
        match memory {
            Memory::Shared(var, slots, _) => {
                let index = slots.of(build::convert(build::narrow(index), Scalar::I32));
                (place.root, place.path[0]) = (*var, Projection::Index(index));
            }
            Memory::Around(own, place_at) => {
                let offset = self.known.linear(index).and_then(|index| index.offset_from(*own));
                match offset.and_then(place_at) {
                    Some(found) => *place = found,
                    None => self.is_lost = true,
                }
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
