//! Statements.
//!
//! `switch` has no fall-through in WGSL: an arm that falls through has the next one's statements at its end. A `for`
//! is printed where its parts fit; any other loop is `loop { … continuing { … } }`.

use super::expr::{Before, is_inline};
use super::place::Access;
use super::types;
use super::{Printer, Threads};
use crate::back::writer::Writer;
use crate::ir::build;
use crate::ir::{
    Arm, AtomicOp, BinaryOp, Expr, ExprKind, Initializer, Literal, Loop, Meeting, Place, Region, Scalar, Stmt,
    StmtKind, Type, VarId,
};
use crate::passes::simt;
use crate::passes::specialise_pointers::{reaches_written_storage, writes_storage};

impl Printer<'_> {
    /// Prints the statements of a function or nest.
    pub(super) fn stmts(&self, out: &mut Writer<'_>, stmts: &[Stmt]) {
        for stmt in stmts {
            out.at(stmt.span);
            self.stmt(out, stmt);
        }
    }

    fn stmt(&self, out: &mut Writer<'_>, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(out, *var, init.as_ref()),
            StmtKind::Assign { place, op, value } => self.assign(out, place, *op, value),
            StmtKind::Atomic { place, value, .. } if self.lanes(place.root).is_some() => {
                let line = format!("{} = {};", self.name(place.root), self.value(value));
                self.line(out, line);
            }
            StmtKind::Atomic { place, op, value, expected, result } => {
                self.atomic(out, place, (*op, value, expected.as_ref()), *result)
            }
            StmtKind::Call { function, arguments, result } => {
                let call = self.call(*function, arguments);
                let returns = self.module.functions[function.0 as usize].result != Type::Void;
                let line = match result {
                    Some(var) => format!("{} = {call};", self.name(*var)),
                    None if returns => format!("_ = {call};"),
                    None => format!("{call};"),
                };
                self.line(out, line);
            }
            StmtKind::Print(_) => unreachable!("`check_accesses` leaves it in the record"),
            // WGSL has no word for it.
            StmtKind::Prefetch { .. } => {}
            StmtKind::If { condition, then, otherwise } => self.branch(out, condition, then, otherwise),
            StmtKind::Loop(l) => self.sequence(out, l),
            StmtKind::Switch { value, arms } => self.switch(out, value, arms),
            StmtKind::Break => out.line("break;"),
            StmtKind::Continue => out.line("continue;"),
            StmtKind::Return(Some(value)) => {
                let value = self.value(value);
                self.line(out, format!("return {value};"));
            }
            // In a region this stands only where nothing of the entry follows: see `passes::exit_flags`.
            StmtKind::Return(None) | StmtKind::EndItem => out.line("return;"),
            StmtKind::Block(stmts) => {
                out.open("{");
                self.stmts(out, stmts);
                out.close("}");
            }
            StmtKind::Inner(region) => self.region(out, region),
            StmtKind::Barrier => self.barrier(out, stmt),
            StmtKind::Mark(mark) => unreachable!("finished IR holds no {mark:?}"),
        }
    }

    /// A line, behind the statements that compute parts of it.
    fn line(&self, out: &mut Writer<'_>, line: impl AsRef<str>) {
        self.flush(out);
        out.line(line);
    }

    /// Prints the statements that compute parts of the next line.
    pub(super) fn flush(&self, out: &mut Writer<'_>) {
        for before in self.before.borrow_mut().drain(..) {
            match before {
                Before::Line(line) => out.line(line),
                Before::Open(line) => out.open(line),
                Before::Reopen(line) => out.reopen(line),
                Before::Close => out.close("}"),
            }
        }
    }

    fn declare(&self, out: &mut Writer<'_>, var: VarId, init: Option<&Initializer>) {
        let variable = self.body.var(var);
        let ty = types::name(self.names, &variable.ty);
        if let (true, Some(Initializer::Value(value))) = (variable.is_const, init) {
            let zero = self.known_zero(value);
            self.zeros.borrow_mut().extend(zero.map(|zero| (var, zero)));
        }
        let value = init.map(|init| self.initial(&variable.ty, init));
        let name = self.name(var);
        let text = match value {
            // A variable at module scope was declared there.
            Some(value) if self.root(var).is_some() => format!("{name} = {value};"),
            None if self.root(var).is_some() => return,
            Some(value) if variable.is_const => format!("let {name}: {ty} = {value};"),
            Some(value) => format!("var {name}: {ty} = {value};"),
            None => format!("var {name}: {ty};"),
        };
        self.line(out, text);
    }

    fn initial(&self, ty: &Type, init: &Initializer) -> String {
        match init {
            Initializer::Value(value) => self.value(value),
            Initializer::List(values) => {
                let mut values = values.iter().map(|value| self.value(value));
                types::construct(self.module, self.names, ty, &mut values)
            }
        }
    }

    fn assign(&self, out: &mut Writer<'_>, place: &Place, op: Option<BinaryOp>, value: &Expr) {
        let whole = |op| {
            let old = Expr { kind: ExprKind::Load(place.clone()), ty: place.ty.clone(), span: place.span };
            Expr {
                kind: ExprKind::Binary(op, Box::new(old), Box::new(value.clone())),
                ty: place.ty.clone(),
                span: place.span,
            }
        };
        let narrow = place.ty.scalar().is_some_and(|ty| ty.bytes() < 4);
        let line = match (self.access(place), op) {
            (Access::Direct(target), None) => format!("{target} = {};", self.value(value)),
            (Access::Direct(target), Some(op)) if !narrow && self.known_zero(value).is_none() => {
                let shifted = place.ty.scalar().unwrap_or(Scalar::I32);
                let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let value = if is_shift { self.shift_amount(value, shifted) } else { self.value(value) };
                format!("{target} {}= {value};", op.symbol())
            }
            (Access::Direct(target), Some(op)) => format!("{target} = {};", self.narrowed(&whole(op), place)),
            (access, op) => {
                let text = match op {
                    None => self.value(value),
                    Some(op) => self.narrowed(&whole(op), place),
                };
                match access {
                    Access::Element { root, at } => {
                        let stored = self.memory.stored_of(root, &text, &place.ty);
                        self.memory.store(root, at.as_deref(), &stored)
                    }
                    Access::Bytes { root, at } => self.memory.store_at(root, &at, &place.ty, &text),
                    Access::Direct(_) => unreachable!("handled above"),
                }
            }
        };
        self.line(out, line);
    }

    /// The value of a compound assignment, cut to the range of a narrow place.
    fn narrowed(&self, expr: &Expr, place: &Place) -> String {
        super::memory::wrap(&self.value(expr), place.ty.scalar().unwrap_or(Scalar::I32))
    }

    fn atomic(
        &self,
        out: &mut Writer<'_>,
        place: &Place,
        (op, value, expected): (AtomicOp, &Expr, Option<&Expr>),
        result: Option<VarId>,
    ) {
        let ty = place.ty.scalar().unwrap_or(Scalar::I32);
        // What a compare-and-swap expects stands before the value, in calls too.
        let operands = expected.map(|e| self.value(e)).into_iter().chain([self.value(value)]);
        let operands: Vec<String> = operands.collect();
        let operand = operands.join(", ");
        let update = match self.access(place) {
            Access::Element { root, at } => self.memory.update(root, at.as_deref(), op, ty, &operand),
            Access::Bytes { root, at } => self.memory.update_at(root, &at, op, ty, &operand),
            // An item's own memory: nobody else sees it.
            Access::Direct(target) => {
                self.flush(out);
                if let Some(var) = result {
                    out.line(format!("{} = {target};", self.name(var)));
                }
                let operands: Vec<&str> = operands.iter().map(String::as_str).collect();
                return out.line(format!("{target} = {};", super::memory::next(op, &target, &operands, ty)));
            }
        };
        let line = match result {
            Some(var) => format!("{} = {};", self.name(var), update.call),
            None if update.is_builtin => format!("{};", update.call),
            None => format!("_ = {};", update.call),
        };
        self.line(out, line);
    }

    fn branch(&self, out: &mut Writer<'_>, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let text = self.value(condition);
        self.flush(out);
        out.open(format!("if ({text}) {{"));
        self.stmts(out, then);
        let mut rest = otherwise;
        while let [Stmt { kind: StmtKind::If { condition, then, otherwise }, span }] = rest {
            if !is_inline(condition) {
                // What the condition needs is computed first, so it cannot stand in an `else if`.
                break;
            }
            out.at(*span);
            out.reopen(format!("}} else if ({}) {{", self.value(condition)));
            self.stmts(out, then);
            rest = otherwise;
        }
        if !rest.is_empty() {
            out.reopen("} else {");
            self.stmts(out, rest);
        }
        out.close("}");
    }

    fn switch(&self, out: &mut Writer<'_>, value: &Expr, arms: &[Arm]) {
        let ty = value.ty.scalar().unwrap_or(Scalar::I32);
        let wide = ty.bytes() == 8;
        let text = self.value(value);
        let selector = if wide {
            // WGSL switches on 32 bits: here on the number of the arm.
            let name = self.temporary();
            let push = |line| self.before.borrow_mut().push(Before::Line(line));
            push(format!("var {name}: i32 = -1;"));
            for (index, arm) in arms.iter().enumerate() {
                for case in &arm.values {
                    push(format!("if ({text} == {}) {{ {name} = {index}; }}", self.case(*case, ty)));
                }
            }
            name
        } else if ty == Scalar::Bool {
            format!("select(0, 1, {text})")
        } else {
            text
        };
        self.flush(out);
        out.open(format!("switch ({selector}) {{"));
        for (index, arm) in arms.iter().enumerate() {
            let mut labels: Vec<String> = match (wide, arm.values.is_empty()) {
                (_, true) => Vec::new(),
                (true, false) => vec![index.to_string()],
                (false, false) if ty == Scalar::Bool => {
                    arm.values.iter().map(|v| i32::from(types::literal(*v, ty).is_true()).to_string()).collect()
                }
                (false, false) => arm.values.iter().map(|value| self.case(*value, ty)).collect(),
            };
            if arm.is_default {
                labels.push("default".into());
            }
            let word = if labels == ["default"] { "" } else { "case " };
            out.open(format!("{word}{}: {{", labels.join(", ")));
            self.stmts(out, &arm.body);
            let mut next = index;
            while arms[next].falls_through && next + 1 < arms.len() {
                next += 1;
                out.line("// falls through");
                out.open("{");
                self.stmts(out, &arms[next].body);
                out.close("}");
            }
            out.close("}");
        }
        if !arms.iter().any(|arm| arm.is_default) {
            out.line("default: {}");
        }
        out.close("}");
    }

    fn case(&self, value: Literal, ty: Scalar) -> String {
        self.constant(types::literal(value, ty)).text
    }

    fn sequence(&self, out: &mut Writer<'_>, l: &Loop) {
        let simple = l.head.is_empty() && !l.test_last && l.update.len() <= 1 && l.init.len() <= 1;
        if simple && let Some(head) = self.for_head(l) {
            out.open(head);
            self.stmts(out, &l.body);
            return out.close("}");
        }
        let scoped = !l.init.is_empty();
        if scoped {
            out.open("{");
            self.stmts(out, &l.init);
        }
        out.open("loop {");
        if !l.test_last {
            self.stmts(out, &l.head);
            if let Some(condition) = &l.condition {
                let over = self.value(&build::not(condition.clone()));
                self.line(out, format!("if ({over}) {{ break; }}"));
            }
        }
        self.stmts(out, &l.body);
        let tests = l.test_last && (l.condition.is_some() || !l.head.is_empty());
        if !l.update.is_empty() || tests {
            out.open("continuing {");
            self.stmts(out, &l.update);
            if l.test_last {
                self.stmts(out, &l.head);
                if let Some(condition) = &l.condition {
                    let over = self.value(&build::not(condition.clone()));
                    self.line(out, format!("break if {over};"));
                }
            }
            out.close("}");
        }
        out.close("}");
        if scoped {
            out.close("}");
        }
    }

    /// `for (var k: i32 = 0; k < n; k += 1) {`, where each part is one that a `for` takes.
    fn for_head(&self, l: &Loop) -> Option<String> {
        let parts = || l.init.iter().chain(&l.update);
        if !parts().all(|stmt| self.is_for_part(stmt)) || !l.condition.iter().all(is_inline) {
            return None;
        }
        let init = l.init.first().map_or_else(String::new, |stmt| self.for_part(stmt));
        let condition = l.condition.as_ref().map(|condition| self.value(condition));
        let update = l.update.first().map_or_else(String::new, |stmt| self.for_part(stmt));
        let space = |text: String| if text.is_empty() { text } else { format!(" {text}") };
        Some(match condition {
            None if init.is_empty() && update.is_empty() => "loop {".into(),
            Some(condition) if init.is_empty() && update.is_empty() => format!("while ({condition}) {{"),
            condition => format!("for ({init};{};{}) {{", space(condition.unwrap_or_default()), space(update)),
        })
    }

    /// Whether a statement can be a part of a `for`.
    fn is_for_part(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
                self.root(*var).is_none() && is_inline(value)
            }
            StmtKind::Assign { place, op, value } => {
                let is_narrow = place.ty.scalar().is_none_or(|ty| ty.bytes() < 4);
                self.is_local(place) && is_inline(value) && !(is_narrow && op.is_some())
            }
            _ => false,
        }
    }

    fn for_part(&self, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
                let ty = types::name(self.names, &self.body.var(*var).ty);
                format!("var {}: {ty} = {}", self.name(*var), self.value(value))
            }
            StmtKind::Assign { place, op, value } => {
                let (target, ty) = (self.name(place.root), place.ty.scalar().unwrap_or(Scalar::I32));
                match op {
                    None => format!("{target} = {}", self.value(value)),
                    Some(op @ (BinaryOp::Shl | BinaryOp::Shr)) => {
                        format!("{target} {}= {}", op.symbol(), self.shift_amount(value, ty))
                    }
                    Some(op) => format!("{target} {}= {}", op.symbol(), self.value(value)),
                }
            }
            _ => unreachable!("asked before"),
        }
    }

    /// A whole variable of the function itself.
    fn is_local(&self, place: &Place) -> bool {
        place.path.is_empty() && matches!(self.access(place), Access::Direct(_))
    }

    /// One region: what a thread does for its item.
    fn region(&self, out: &mut Writer<'_>, region: &Region) {
        let several = self.threads.is_some_and(|threads| threads.regions > 1);
        let is_block = several && simt::of_item(&region.body).is_none();
        if is_block {
            out.open("{");
        }
        self.stmts(out, &region.body);
        if is_block {
            out.close("}");
        }
    }

    fn barrier(&self, out: &mut Writer<'_>, barrier: &Stmt) {
        out.line("workgroupBarrier();");
        if self.threads.is_some_and(|threads| self.shares_storage(threads, barrier)) {
            out.line("storageBarrier();");
        }
    }

    /// Whether storage that a thread writes before a barrier is touched behind it. A barrier within a loop has all of that before
    /// it and behind it.
    fn shares_storage(&self, threads: Threads<'_>, barrier: &Stmt) -> bool {
        let Threads { stmts, storage_writers, .. } = threads;
        if region_before(stmts, barrier).is_some_and(|region| region.meeting == Meeting::Shared) {
            return false;
        }
        let writes = |stmts: &[Stmt]| writes_storage(self.module, storage_writers, self.body, stmts);
        let touches = |stmts: &[Stmt]| reaches_written_storage(self.module, storage_writers, self.body, stmts);
        let [before, behind] = around(stmts, barrier, &writes, &touches).unwrap_or([true, true]);
        before && behind
    }
}

/// The region that stands right before a barrier.
fn region_before<'a>(stmts: &'a [Stmt], barrier: &Stmt) -> Option<&'a Region> {
    stmts.iter().enumerate().find_map(|(at, stmt)| match &stmt.kind {
        _ if std::ptr::eq(stmt, barrier) => match &stmts[at.checked_sub(1)?].kind {
            StmtKind::Inner(region) => Some(&**region),
            _ => None,
        },
        StmtKind::If { then, otherwise, .. } => {
            region_before(then, barrier).or_else(|| region_before(otherwise, barrier))
        }
        StmtKind::Block(stmts) => region_before(stmts, barrier),
        StmtKind::Loop(l) => region_before(&l.body, barrier),
        StmtKind::Switch { arms, .. } => arms.iter().find_map(|arm| region_before(&arm.body, barrier)),
        _ => None,
    })
}

/// Whether something holds for statements.
type Holds<'a> = &'a dyn Fn(&[Stmt]) -> bool;

/// Whether something holds for what runs before a statement, and another thing for what runs behind it; `None` where the statement
/// is none of these, nor in them.
fn around(stmts: &[Stmt], of: &Stmt, before: Holds<'_>, behind: Holds<'_>) -> Option<[bool; 2]> {
    stmts.iter().enumerate().find_map(|(at, stmt)| {
        let within = |stmts| around(stmts, of, before, behind);
        let inner = match &stmt.kind {
            _ if std::ptr::eq(stmt, of) => [false, false],
            StmtKind::If { then, otherwise, .. } => within(then).or_else(|| within(otherwise))?,
            StmtKind::Block(stmts) => within(stmts)?,
            StmtKind::Loop(l) => within(&l.body).map(|_| {
                let all = std::slice::from_ref(stmt);
                [before(all), behind(all)]
            })?,
            StmtKind::Switch { arms, .. } => arms.iter().find_map(|arm| within(&arm.body)).map(|_| {
                let all = std::slice::from_ref(stmt);
                [before(all), behind(all)]
            })?,
            _ => return None,
        };
        Some([inner[0] || before(&stmts[..at]), inner[1] || behind(&stmts[at + 1..])])
    })
}
