//! Statements.

use super::near::Arguments;
use super::{Printer, braces, format_string};
use crate::back::writer::Writer;
use crate::ir::build;
use crate::ir::{
    Arm, BinaryOp, Expr, Initializer, Loop, Meeting, Place, Print, Role, Scalar, Stmt, StmtKind, Type, VarId,
};
use crate::passes::dependence::{Independence, of_items};

/// Most iterations of a loop that counts as short.
const SHORT: u64 = 512;

/// What `break`, `continue` and the end of an item mean where a statement stands.
#[derive(Clone, Default)]
pub(super) struct JumpTargets {
    /// Label behind the body of the nearest loop over items or groups.
    item: Option<String>,
    /// Between that loop and the statement lies a sequential loop: a `continue` would belong to that one.
    in_loop: bool,
    /// Label in front of the update of the nearest sequential loop, where `continue` alone would miss it.
    next: Option<String>,
}

impl JumpTargets {
    /// Within a loop over items, where none ends early.
    pub(super) fn items() -> Self {
        Self { item: Some(String::new()), in_loop: false, next: None }
    }

    /// Within a region whose items are threads: an item ends behind `label`.
    pub(super) fn thread(label: Option<String>) -> Self {
        Self { item: Some(label.unwrap_or_default()), in_loop: true, next: None }
    }
}

impl Printer<'_> {
    /// Prints the statements of a function or nest.
    pub fn stmts(&mut self, out: &mut Writer<'_>, stmts: &[Stmt]) {
        self.list(out, stmts, &JumpTargets::default());
    }

    pub(super) fn list(&mut self, out: &mut Writer<'_>, stmts: &[Stmt], targets: &JumpTargets) {
        for (index, stmt) in stmts.iter().enumerate() {
            out.at(stmt.span);
            let before = index.checked_sub(1).map(|before| &stmts[before].kind);
            match (&stmt.kind, before) {
                (StmtKind::Barrier, Some(StmtKind::Inner(region))) if region.meeting == Meeting::Shared => {
                    out.line(self.words.shared_barrier);
                }
                _ => self.stmt(out, stmt, targets),
            }
        }
    }

    fn stmt(&mut self, out: &mut Writer<'_>, stmt: &Stmt, targets: &JumpTargets) {
        match &self.arguments {
            Arguments::Asked(needed) => self.ask(out, stmt, &needed.clone()),
            _ => self.plain(out, stmt, targets),
        }
    }

    pub(super) fn plain(&mut self, out: &mut Writer<'_>, stmt: &Stmt, targets: &JumpTargets) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => out.line(format!("{};", self.declaration(*var, init.as_ref(), false))),
            StmtKind::Assign { place, op, value } => out.line(format!("{};", self.assignment(place, *op, value))),
            StmtKind::Atomic { place, value, .. } if self.register(place.root).is_some() => {
                out.line(format!("{} = {};", self.name(place.root), self.value(value)));
            }
            StmtKind::Atomic { place, op, value, expected, result } => {
                let ty = place.ty.scalar().unwrap_or(Scalar::I32);
                let name = self.callee((self.words.atomic)(*op, ty, self.space(place.root)));
                let expected = expected.as_ref().map_or(String::new(), |e| format!("{}, ", self.value(e)));
                let call = format!("{name}(&{}, {expected}{})", self.place(place), self.value(value));
                out.line(self.with_result(*result, call));
            }
            StmtKind::Call { function, arguments, result } => {
                let call = self.call(*function, arguments);
                out.line(self.with_result(*result, call));
            }
            StmtKind::Print(print) => out.line(self.print(print)),
            StmtKind::Prefetch { place, for_write, locality } => {
                if let Some(prefetch) = self.words.prefetch {
                    out.line(format!("{prefetch}(&{}, {}, {locality});", self.place(place), u8::from(*for_write)));
                }
            }
            StmtKind::If { condition, then, otherwise } => self.branch(out, condition, then, otherwise, targets),
            StmtKind::Loop(l) => self.sequence(out, l, targets),
            StmtKind::Switch { value, arms } => self.switch(out, value, arms, targets),
            StmtKind::Break => out.line("break;"),
            StmtKind::Continue => match &targets.next {
                Some(label) => out.line(format!("goto {label};")),
                None => out.line("continue;"),
            },
            StmtKind::Return(Some(value)) => out.line(format!("return {};", self.value(value))),
            StmtKind::Return(None) if targets.item.is_none() => out.line("return;"),
            StmtKind::Return(None) | StmtKind::EndItem => match &targets.item {
                Some(label) if targets.in_loop => out.line(format!("goto {label};")),
                _ => out.line("continue;"),
            },
            StmtKind::Block(stmts) => {
                out.open("{");
                self.list(out, stmts, targets);
                out.close("}");
            }
            StmtKind::Inner(region) => self.region(out, region),
            StmtKind::Barrier => out.line(self.words.barrier),
            StmtKind::Mark(mark) => unreachable!("finished IR holds no {mark:?}"),
        }
    }

    /// `printf("%d of %g\n", i, x);`
    fn print(&self, print: &Print) -> String {
        self.needs.borrow_mut().prints = true;
        let arguments = print.arguments.iter().map(|value| {
            let cast = match value.ty.scalar() {
                Some(Scalar::I64) => self.words.print_long[1],
                Some(Scalar::U64) => self.words.print_long[2],
                _ => "",
            };
            format!(", {}", self.of_exact_type(value, cast))
        });
        let arguments: String = arguments.collect();
        format!("printf({}{arguments});", format_string(print, self.words.print_long[0]))
    }

    fn with_result(&self, result: Option<VarId>, call: String) -> String {
        result.map_or(format!("{call};"), |var| format!("{} = {call};", self.name(var)))
    }

    /// `in_head`: the variable counts the iterations of a loop.
    fn declaration(&self, var: VarId, init: Option<&Initializer>, in_head: bool) -> String {
        let variable = self.body.var(var);
        let mut text = String::new();
        if variable.role.is_shared() || variable.role == Role::Expanded {
            text.push_str(self.words.shared);
        }
        let fixed = variable.is_const || variable.role.is_index();
        if fixed && init.is_some() && !in_head {
            text.push_str("const ");
        }
        text.push_str(&self.declarator(var));
        match init {
            None => {}
            Some(Initializer::Value(value)) => text.push_str(&format!(" = {}", self.value(value))),
            Some(Initializer::List(values)) => {
                let mut elements = values.iter().map(|value| self.listed(value));
                text.push_str(&format!(" = {}", braces(self.module, &variable.ty, &mut elements)));
            }
        }
        text
    }

    fn assignment(&self, place: &Place, op: Option<BinaryOp>, value: &Expr) -> String {
        let target = match self.register(place.root) {
            Some((name, _)) => name.to_owned(),
            None => self.place(place),
        };
        match (op, value.as_int()) {
            (None, _) => format!("{target} = {}", self.value(value)),
            (Some(BinaryOp::Add), Some(1)) => format!("++{target}"),
            (Some(BinaryOp::Sub), Some(1)) => format!("--{target}"),
            (Some(op), _) => {
                let ty = place.ty.scalar().unwrap_or(Scalar::I32);
                self.note(op, ty);
                format!("{target} {}= {}", op.symbol(), self.compound(value, ty))
            }
        }
    }

    fn branch(
        &mut self,
        out: &mut Writer<'_>,
        condition: &Expr,
        then: &[Stmt],
        otherwise: &[Stmt],
        targets: &JumpTargets,
    ) {
        out.open(format!("if ({}) {{", self.condition(condition)));
        self.list(out, then, targets);
        let mut rest = otherwise;
        while let [Stmt { kind: StmtKind::If { condition, then, otherwise }, span }] = rest {
            out.at(*span);
            out.reopen(format!("}} else if ({}) {{", self.condition(condition)));
            self.list(out, then, targets);
            rest = otherwise;
        }
        if !rest.is_empty() {
            out.reopen("} else {");
            self.list(out, rest, targets);
        }
        out.close("}");
    }

    fn switch(&mut self, out: &mut Writer<'_>, value: &Expr, arms: &[Arm], targets: &JumpTargets) {
        let ty = value.ty.scalar().unwrap_or(Scalar::I32);
        out.open(format!("switch ({}) {{", self.value(value)));
        for (index, arm) in arms.iter().enumerate() {
            let mut labels: Vec<String> =
                arm.values.iter().map(|value| format!("case {}:", self.constant(*value, ty))).collect();
            if arm.is_default {
                labels.push("default:".into());
            }
            let last = labels.pop().unwrap_or_default();
            labels.iter().for_each(|label| out.line(label));
            out.open(format!("{last} {{"));
            self.list(out, &arm.body, targets);
            let leaves = arm.body.last().is_some_and(|last| {
                matches!(last.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::EndItem)
            });
            if !leaves && !arm.falls_through {
                out.line("break;");
            }
            out.close("}");
            if arm.falls_through && index + 1 < arms.len() {
                out.line("// fall through");
            }
        }
        out.close("}");
    }

    fn sequence(&mut self, out: &mut Writer<'_>, l: &Loop, targets: &JumpTargets) {
        let parallel = l.is_parallel(self.body);
        if self.fits_for(l)
            && self.fits_head(&l.init)
            && (!parallel || of_items(self.independence, self.body, &l.body) != Independence::Unknown)
            && self.has_versions(out, l)
        {
            return;
        }
        let mut inside = targets.clone();
        if self.fits_for(l) && self.fits_head(&l.init) {
            self.mark_written_out(out, l);
        }
        if parallel {
            self.mark_independent(out, l);
            let label = self.needs_item_label(&l.body).then(|| self.fresh_label("next"));
            inside = JumpTargets { item: Some(label.unwrap_or_default()), in_loop: false, next: None };
        } else {
            inside.in_loop = true;
            inside.next = None;
        }
        if !self.fits_for(l) {
            self.general_loop(out, l, inside);
        } else if self.fits_head(&l.init) {
            self.for_loop(out, l, &l.init, &inside);
        } else {
            out.open("{");
            self.list(out, &l.init, &inside);
            self.for_loop(out, l, &[], &inside);
            out.close("}");
        }
    }

    /// A `for` takes declarations of one type, and expressions; what does not fit is written around it.
    fn fits_for(&self, l: &Loop) -> bool {
        l.head.is_empty() && l.update.iter().all(is_step) && !l.test_last
    }

    /// Whether the first part of a `for` can hold what runs before its iterations.
    fn fits_head(&self, init: &[Stmt]) -> bool {
        let declared = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(_)) } => self.body.var(*var).ty.scalar(),
            _ => None,
        };
        let all_alike = init.windows(2).all(|pair| declared(&pair[0]) == declared(&pair[1]));
        init.iter().all(|stmt| declared(stmt).is_some() || is_step(stmt)) && all_alike
    }

    pub(super) fn for_loop(&mut self, out: &mut Writer<'_>, l: &Loop, init: &[Stmt], inside: &JumpTargets) {
        let condition = l.condition.as_ref().map_or(String::new(), |c| self.condition(c));
        if let (Some(word), Some(factor)) = (self.words.unroll, l.unroll) {
            out.line(if factor == 0 { word.to_owned() } else { format!("{word} {factor}") });
        }
        if init.is_empty() && l.update.is_empty() {
            let condition = if condition.is_empty() { "true".into() } else { condition };
            out.open(format!("while ({condition}) {{"));
        } else {
            let update: Vec<String> = l.update.iter().map(|stmt| self.expression(stmt, false)).collect();
            let space = |text: &str| {
                if text.is_empty() { String::new() } else { format!(" {text}") }
            };
            let (condition, update) = (space(&condition), space(&update.join(", ")));
            let init: Vec<String> = init.iter().enumerate().map(|(k, stmt)| self.expression(stmt, k > 0)).collect();
            out.open(format!("for ({};{condition};{update}) {{", init.join(", ")));
        }
        self.list(out, &l.body, inside);
        self.close_body(out, inside);
    }

    /// Any loop, with its parts written out in order.
    fn general_loop(&mut self, out: &mut Writer<'_>, l: &Loop, mut inside: JumpTargets) {
        let scoped = !l.init.is_empty();
        if scoped {
            out.open("{");
            self.list(out, &l.init, &inside);
        }
        let tail_is_empty = l.update.is_empty() && (l.head.is_empty() || !l.test_last);
        if !tail_is_empty && contains_continue(&l.body) {
            inside.next = Some(self.fresh_label("update"));
        }
        let plain_do = l.test_last && l.head.is_empty() && l.condition.is_some();
        out.open(if plain_do { "do {" } else { "while (true) {" });
        if !l.test_last {
            self.list(out, &l.head, &inside);
            self.break_unless(out, l.condition.as_ref());
        }
        if inside.next.is_some() {
            out.open("{");
        }
        self.list(out, &l.body, &inside);
        if let Some(label) = &inside.next {
            out.close("}");
            out.margin(format!("{label}:;"));
        }
        self.list(out, &l.update, &inside);
        if l.test_last && !plain_do {
            self.list(out, &l.head, &inside);
            self.break_unless(out, l.condition.as_ref());
        }
        match &l.condition {
            Some(condition) if plain_do => out.close(format!("}} while ({});", self.condition(condition))),
            _ => self.close_body(out, &inside),
        }
        if scoped {
            out.close("}");
        }
    }

    fn break_unless(&self, out: &mut Writer<'_>, condition: Option<&Expr>) {
        if let Some(condition) = condition {
            let over = build::not(condition.clone());
            out.line(format!("if ({}) break;", self.condition(&over)));
        }
    }

    /// Closes a loop; behind the body of a loop over items stands the label that ends an item.
    fn close_body(&self, out: &mut Writer<'_>, inside: &JumpTargets) {
        if let Some(label) = inside.item.as_ref().filter(|label| !label.is_empty() && !inside.in_loop) {
            out.margin(format!("{label}:;"));
        }
        out.close("}");
    }

    /// A statement as a part of a `for`; `continued`: another declaration of the same type stands before it.
    fn expression(&self, stmt: &Stmt, continued: bool) -> String {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } if continued => {
                format!("{} = {}", self.name(*var), self.value(value))
            }
            StmtKind::Declare { var, init } => self.declaration(*var, init.as_ref(), true),
            StmtKind::Assign { place, op, value } => self.assignment(place, *op, value),
            _ => unreachable!("the head of a loop takes declarations and assignments"),
        }
    }

    pub(super) fn mark_independent(&self, out: &mut Writer<'_>, l: &Loop) {
        let line = match of_items(self.independence, self.body, &l.body) {
            Independence::Full if self.is_short(l) && !is_round(l) => self.words.independent_short,
            Independence::Full => self.words.independent,
            Independence::Guarded => self.words.independent_guarded,
            Independence::Unknown => None,
        };
        if let Some(line) = line {
            self.needs.borrow_mut().marks.insert(line);
            out.line(line);
        }
    }

    /// Whether a loop over items makes so few iterations that those left over by a vector count.
    pub(super) fn is_short(&self, l: &Loop) -> bool {
        let role = l.variable().map(|var| self.body.var(var).role);
        let (Some(Role::Inner(axis)), Some(launch)) = (role, self.launch) else { return false };
        launch.most_items(usize::from(axis)).is_some_and(|most| most <= SHORT)
    }

    /// Whether an item ends within a sequential loop, where C's `continue` would not end it.
    fn needs_item_label(&self, body: &[Stmt]) -> bool {
        fn within(printer: &Printer<'_>, stmts: &[Stmt], in_loop: bool) -> bool {
            stmts.iter().any(|stmt| match &stmt.kind {
                StmtKind::EndItem | StmtKind::Return(None) => in_loop,
                StmtKind::If { then, otherwise, .. } => {
                    within(printer, then, in_loop) || within(printer, otherwise, in_loop)
                }
                StmtKind::Block(stmts) => within(printer, stmts, in_loop),
                StmtKind::Switch { arms, .. } => arms.iter().any(|arm| within(printer, &arm.body, in_loop)),
                StmtKind::Loop(l) if l.is_parallel(printer.body) => false,
                StmtKind::Loop(l) => within(printer, &l.body, true),
                _ => false,
            })
        }
        within(self, body, false)
    }

    pub(super) fn fresh_label(&mut self, stem: &str) -> String {
        self.labels += 1;
        format!("{stem}_{}", self.labels)
    }
}

/// Whether a loop makes a constant number of iterations that no vector length leaves a rest of.
fn is_round(l: &Loop) -> bool {
    let start = match l.init.first().map(|stmt| &stmt.kind) {
        Some(StmtKind::Declare { init: Some(Initializer::Value(value)), .. }) => value.as_int(),
        _ => None,
    };
    let end = match l.condition.as_ref().map(|condition| &condition.kind) {
        Some(crate::ir::ExprKind::Binary(BinaryOp::Lt, _, end)) => end.as_int(),
        _ => None,
    };
    start.zip(end).is_some_and(|(start, end)| (end - start) % 32 == 0)
}

fn is_step(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Assign { place, .. } if matches!(place.ty, Type::Scalar(_)))
}

/// Whether a `continue` of this very loop occurs.
fn contains_continue(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Continue => true,
        StmtKind::If { then, otherwise, .. } => contains_continue(then) || contains_continue(otherwise),
        StmtKind::Block(stmts) => contains_continue(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| contains_continue(&arm.body)),
        _ => false,
    })
}
