//! Updates without `@atomic` that several items make to one element.
//!
//! An update is reported where several items certainly make it: an axis of the nest has several items (or groups), and
//! neither the element's index nor a condition on the way depends on that axis. Where only the launch knows how many there are
//! along an axis, it counts for updates that depend on no axis at all. What a condition may say stands for the axes
//! that it reads ([`Axes`]), except for the bound check `i < n`, which most items pass. What comes from memory, from atomics
//! or from calls may depend on everything. A nest that uses what an atomic returns is left alone: it may hold a lock.

use crate::Diagnostic;
use crate::ir::rewrite::without_spans;
use crate::ir::{
    Argument, AtomicOp, Axis, BinaryOp, Expr, ExprKind, Initializer, Kernel, Place, Projection, Role, Stmt, StmtKind,
    Type, UnaryOp, VarId, Visitor, walk_expr, walk_place, walk_stmt,
};
use crate::rules;
use std::collections::HashMap;

/// A set of axes: bits 0 to 2 are the outer ones, bits 3 to 5 the inner ones.
type Axes = u8;

const ALL: Axes = 0x3f;
const OUTER: Axes = 0x07;

/// Most walks over a nest until it is known what each variable depends on; a nest that takes more is left alone.
const MOST_WALKS: u32 = 16;

/// Checks one kernel.
pub(super) fn check(kernel: &Kernel, found: &mut Vec<Diagnostic>) {
    for nest in &kernel.nests {
        if !has_updates(kernel, &nest.stmts) || takes_results(&nest.stmts) {
            continue;
        }
        let mut walk = Walk {
            kernel,
            depends: HashMap::new(),
            several: 0,
            certain: 0,
            indices: [None; 6],
            changed: false,
            found: None,
        };
        for (number, axis) in nest.outer.iter().enumerate() {
            walk.axis(axis.as_ref(), number);
        }
        let is_known = (0..MOST_WALKS).any(|_| {
            walk.changed = false;
            walk.list(&nest.stmts, 0);
            !walk.changed
        });
        if is_known {
            walk.found = Some(&mut *found);
            walk.list(&nest.stmts, 0);
        }
    }
}

/// Whether some statement updates global or shared memory.
fn has_updates(kernel: &Kernel, stmts: &[Stmt]) -> bool {
    struct Find<'a>(&'a Kernel, bool);
    impl Visitor for Find<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Assign { place, op, value } = &stmt.kind {
                let variable = self.0.body.var(place.root);
                let is_memory = variable.role == Role::Shared || matches!(variable.ty, Type::Pointer(_));
                self.1 |= is_memory && (op.is_some() || reads(value, place));
            }
            walk_stmt(self, stmt);
        }
        fn expr(&mut self, _expr: &Expr) {}
    }
    let mut find = Find(kernel, false);
    stmts.iter().for_each(|stmt| find.stmt(stmt));
    find.1
}

/// Whether the old value of an atomic update is used, or memory exchanged.
fn takes_results(stmts: &[Stmt]) -> bool {
    struct Find(bool);
    impl Visitor for Find {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Atomic { op, result, .. } = &stmt.kind {
                self.0 |= result.is_some() || matches!(op, AtomicOp::Exchange | AtomicOp::CompareExchange);
            }
            walk_stmt(self, stmt);
        }
        fn expr(&mut self, _expr: &Expr) {}
    }
    let mut find = Find(false);
    stmts.iter().for_each(|stmt| find.stmt(stmt));
    find.0
}

struct Walk<'a> {
    kernel: &'a Kernel,
    /// What the values of variables depend on.
    depends: HashMap<VarId, Axes>,
    /// Axes of the nest that have several items or groups, as far as is known.
    several: Axes,
    /// Those of them that have several for certain.
    certain: Axes,
    /// The indices of the axes.
    indices: [Option<VarId>; 6],
    changed: bool,
    /// Where findings go, once all of `depends` is known.
    found: Option<&'a mut Vec<Diagnostic>>,
}

impl Walk<'_> {
    /// Enters an axis: its index differs from item to item where there are several.
    fn axis(&mut self, axis: Option<&Axis>, number: usize) {
        let Some(axis) = axis else { return };
        let own = if axis.count.as_int().is_some_and(|count| count <= 1) { 0 } else { 1 << number };
        self.several |= own;
        self.certain |= axis.count.as_int().map_or(0, |_| own);
        self.indices[number] = Some(axis.var);
        let mask = own | self.mask(&axis.start) | self.mask(&axis.step);
        self.note(axis.var, mask);
    }

    fn note(&mut self, var: VarId, mask: Axes) {
        let known = self.depends.entry(var).or_insert(0);
        self.changed |= *known | mask != *known;
        *known |= mask;
    }

    /// What a value may depend on.
    fn mask(&self, expr: &Expr) -> Axes {
        struct Mask<'a, 'w>(&'a Walk<'w>, Axes);
        impl Visitor for Mask<'_, '_> {
            fn expr(&mut self, expr: &Expr) {
                let is_any = match &expr.kind {
                    ExprKind::Builtin(_) => true,
                    ExprKind::Call(_, arguments) => arguments.iter().any(|a| matches!(a, Argument::Pointer(_))),
                    _ => false,
                };
                self.1 |= if is_any { ALL } else { 0 };
                walk_expr(self, expr);
            }
            fn load(&mut self, place: &Place) {
                self.1 |= self.0.variable(place.root);
                walk_place(self, place);
            }
        }
        let mut mask = Mask(self, 0);
        mask.expr(expr);
        mask.1
    }

    fn variable(&self, var: VarId) -> Axes {
        let variable = self.kernel.body.var(var);
        match variable.role {
            Role::Param(_) if matches!(variable.ty, Type::Pointer(_)) => ALL,
            Role::Param(_) | Role::Host | Role::Constant(_) => 0,
            Role::Local | Role::Outer(_) | Role::Inner(_) => self.depends.get(&var).copied().unwrap_or(0),
            Role::Shared | Role::Exchange(_) | Role::Exclusive | Role::Expanded | Role::Entry | Role::Root(_) => ALL,
        }
    }

    fn of_path(&self, place: &Place) -> Axes {
        let subscripts = place.path.iter().filter_map(|projection| match projection {
            Projection::Index(e) | Projection::Flat(e) => Some(e),
            Projection::Field(_) => None,
        });
        subscripts.fold(0, |mask, e| mask | self.mask(e))
    }

    /// The axes along which a condition may pick few items; `holds` says for which outcome.
    fn guard(&self, condition: &Expr, holds: bool) -> Axes {
        match &condition.kind {
            ExprKind::Unary(UnaryOp::Not, value) => self.guard(value, !holds),
            ExprKind::Binary(BinaryOp::LogicAnd, a, b) if holds => self.guard(a, true) | self.guard(b, true),
            ExprKind::Binary(BinaryOp::LogicOr, a, b) if !holds => self.guard(a, false) | self.guard(b, false),
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let op = if holds { *op } else { inverted(*op) };
                let (of_a, of_b) = (self.mask(a), self.mask(b));
                let is_bound = of_b == 0 && passes_most(op, a, b) || of_a == 0 && passes_most(op.mirrored(), b, a);
                if is_bound { 0 } else { of_a | of_b }
            }
            _ => self.mask(condition),
        }
    }

    /// What decides whether an item goes on behind statements, where some path through them leaves.
    fn leaving(&self, stmts: &[Stmt]) -> Axes {
        stmts.iter().fold(0, |mask, stmt| mask | self.leaving_one(stmt))
    }

    fn leaving_one(&self, stmt: &Stmt) -> Axes {
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let stays = |leaves, holds| if leaves { self.guard(condition, holds) } else { 0 };
                let here = stays(leaves(then), false) | stays(leaves(otherwise), true);
                here | self.leaving(then) | self.leaving(otherwise)
            }
            StmtKind::Loop(l) if leaves(&l.body) => {
                l.condition.as_ref().map_or(0, |c| self.mask(c)) | self.leaving(&l.body)
            }
            StmtKind::Switch { value, arms } if arms.iter().any(|arm| leaves(&arm.body)) => self.mask(value),
            StmtKind::Block(stmts) => self.leaving(stmts),
            StmtKind::Inner(region) => self.leaving(&region.body),
            _ => 0,
        }
    }

    /// Walks through statements that items reach for whom the axes in `guard` decide.
    fn list(&mut self, stmts: &[Stmt], mut guard: Axes) {
        for stmt in stmts {
            self.one(stmt, guard);
            guard |= self.leaving_one(stmt);
        }
    }

    fn one(&mut self, stmt: &Stmt, guard: Axes) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                let values: &[Expr] = match init {
                    None => &[],
                    Some(Initializer::Value(value)) => std::slice::from_ref(value),
                    Some(Initializer::List(values)) => values.as_slice(),
                };
                let mask = values.iter().fold(0, |mask, value| mask | self.mask(value));
                self.note(*var, mask);
            }
            StmtKind::Assign { place, op, value } => self.assign(stmt, place, *op, value, guard),
            StmtKind::Call { arguments, result, .. } => {
                let written = arguments.iter().filter_map(|argument| match argument {
                    Argument::Pointer(place) => Some(place.root),
                    Argument::Value(_) => None,
                });
                let written: Vec<VarId> = written.chain(*result).collect();
                written.into_iter().for_each(|var| self.note(var, ALL));
            }
            StmtKind::If { condition, then, otherwise } => {
                self.list(then, guard | self.guard(condition, true));
                self.list(otherwise, guard | self.guard(condition, false));
            }
            StmtKind::Loop(l) => {
                self.list(&l.init, guard);
                self.list(&l.head, guard);
                let guard = guard | l.condition.as_ref().map_or(0, |condition| self.guard(condition, true));
                self.list(&l.body, guard);
                self.list(&l.update, guard);
            }
            StmtKind::Switch { value, arms } => {
                let guard = guard | self.mask(value);
                arms.iter().for_each(|arm| self.list(&arm.body, guard));
            }
            StmtKind::Block(stmts) => self.list(stmts, guard),
            StmtKind::Inner(region) => {
                let outside = (self.several, self.certain);
                for (number, axis) in region.axes.iter().enumerate() {
                    self.axis(axis.as_ref(), 3 + number);
                }
                self.list(&region.body, guard);
                (self.several, self.certain) = outside;
            }
            _ => {}
        }
    }

    fn assign(&mut self, stmt: &Stmt, place: &Place, op: Option<BinaryOp>, value: &Expr, guard: Axes) {
        let variable = self.kernel.body.var(place.root);
        let reach = match (variable.role, &variable.ty) {
            (Role::Param(_), Type::Pointer(_)) => ALL,
            // Each group has its own.
            (Role::Shared, _) => ALL & !OUTER,
            _ => {
                let mask = guard | self.of_path(place) | self.mask(value);
                return self.note(place.root, mask);
            }
        };
        let told_apart = guard | self.of_path(place);
        let several = if told_apart == 0 { self.several } else { self.certain };
        let unguarded = several & reach & !told_apart;
        if unguarded == 0 || !(op.is_some() || reads(value, place)) {
            return;
        }
        let element = self.element(place);
        let who = if unguarded & !OUTER == 0 { "several groups update" } else { "several items update" };
        // Of items, where there are several.
        let axis = unguarded & if unguarded & !OUTER == 0 { OUTER } else { !OUTER };
        let index = self.indices.get(axis.trailing_zeros() as usize).copied().flatten();
        let index = index.map_or("i", |index| &self.kernel.body.var(index).name);
        let atomic = match op {
            Some(op) => format!("`@atomic {element} {}= …`", op.symbol()),
            None => "`@atomic` before the assignment".to_owned(),
        };
        let hint = format!("write {atomic}, or let one of them do it: `if ({index} == 0)`");
        if let Some(found) = &mut self.found {
            let message = format!("{who} `{element}` at the same time: updates get lost");
            let finding = Diagnostic::warning(rules::LOST_UPDATE, stmt.span, message);
            found.push(finding.hint(hint));
        }
    }

    /// An element as the source writes it, where that is short.
    fn element(&self, place: &Place) -> String {
        let mut text = self.kernel.body.var(place.root).name.clone();
        for projection in &place.path {
            match projection {
                Projection::Index(e) | Projection::Flat(e) => match (&e.kind, e.as_int()) {
                    (_, Some(index)) => text.push_str(&format!("[{index}]")),
                    (ExprKind::Load(place), _) if place.path.is_empty() => {
                        text.push_str(&format!("[{}]", self.kernel.body.var(place.root).name));
                    }
                    _ => text.push_str("[…]"),
                },
                Projection::Field(_) => break,
            }
        }
        text
    }
}

/// Whether a value reads the place that it is assigned to.
fn reads(value: &Expr, place: &Place) -> bool {
    let own = without_spans(&crate::ir::build::load_place(place.clone()));
    !value.every(&|e| !matches!(&e.kind, ExprKind::Load(read) if read.root == place.root) || without_spans(e) != own)
}

/// Whether `item op bound` holds for most items: the check that an index lies before an end. A bound that is a small number
/// may leave one item.
fn passes_most(op: BinaryOp, item: &Expr, bound: &Expr) -> bool {
    let is_index = matches!(&item.kind, ExprKind::Load(place) if place.path.is_empty());
    match (op, bound.as_int()) {
        (BinaryOp::Lt | BinaryOp::Le, None) => true,
        (BinaryOp::Lt | BinaryOp::Le, Some(bound)) => is_index && bound >= 2,
        (BinaryOp::Ge, Some(bound)) => is_index && bound <= 0,
        _ => false,
    }
}

/// The comparison that holds where the other does not.
fn inverted(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        other => other,
    }
}

/// Whether some path through statements leaves the item, or the loop around them.
fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::EndItem | StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        StmtKind::Loop(l) => leaves(&l.body),
        StmtKind::Block(stmts) => leaves(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| leaves(&arm.body)),
        _ => false,
    })
}
