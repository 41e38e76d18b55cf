//! Statements.

use super::body::Body;
use super::expr::literal;
use crate::back::c_family::{Callee, fixed_width, format_string};
use crate::back::cpu::LANGUAGE;
use crate::ir::{Arm, AtomicOp, BinaryOp, Expr, Loop, MathFn, Place, Scalar, Stmt, StmtKind, VarId};

impl<'m> Body<'_, 'm, '_, '_> {
    pub(super) fn stmts(&mut self, stmts: &'m [Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &'m Stmt) {
        self.out.at(stmt.span);
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(*var, init.as_ref()),
            StmtKind::Assign { place, op, value } => self.assign(place, *op, value),
            StmtKind::Atomic { place, op, value, expected, result } => {
                self.atomic(place, (*op, value, expected.as_ref()), *result)
            }
            StmtKind::Call { function, arguments, result } => {
                let call = self.call(*function, arguments, stmt.span);
                match result {
                    Some(result) => {
                        let ty = Self::value_type(&self.body.var(*result).ty);
                        let value = self.hold(&ty, call);
                        self.result(*result, &value);
                    }
                    None => self.out.line(format!("{call};")),
                }
            }
            StmtKind::Print(print) => {
                let mut arguments = String::new();
                for value in &print.arguments {
                    let cast = match value.ty.scalar() {
                        Some(Scalar::I64) => "long long",
                        Some(Scalar::U64) => "unsigned long long",
                        Some(ty) => fixed_width(ty),
                        None => unreachable!("numbers are printed"),
                    };
                    arguments += &format!(", ({cast})({})", self.value(value));
                }
                self.out.line(format!("printf({}{arguments});", format_string(print, "ll")));
                self.out.line("fflush(stdout);");
            }
            // The caches of what checks do not matter.
            StmtKind::Prefetch { .. } => {}
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.value(condition);
                self.out.open(format!("if ({condition}) {{"));
                self.stmts(then);
                self.out.reopen("} else {");
                self.stmts(otherwise);
                self.out.close("}");
            }
            StmtKind::Loop(l) => self.sequential(l),
            StmtKind::Switch { value, arms } => self.switch(value, arms),
            StmtKind::Break => self.out.line("break;"),
            StmtKind::Continue => {
                let label = self.loops.last().copied().unwrap_or_default();
                self.out.line(format!("goto next_{label};"));
            }
            StmtKind::EndItem => self.end_item(),
            StmtKind::Return(value) => self.give_back(value.as_ref()),
            StmtKind::Block(stmts) => {
                self.out.open("{");
                self.stmts(stmts);
                self.out.close("}");
            }
            StmtKind::Inner(region) => self.region(region),
            StmtKind::Barrier => self.out.line("++okl_now;"),
            StmtKind::Mark(_) => unreachable!("finished IR has no marks"),
        }
    }

    /// A variable takes what a call or an atomic update answers.
    fn result(&mut self, var: VarId, value: &str) {
        if self.region.is_some() && self.of_group.contains(&var) {
            let site = self.access(var, self.body.var(var).span);
            self.out.line(format!("okl_fail(OKL_GROUP_VARIABLE, {site}u, 0, 0, 0);"));
        }
        self.set(var, value);
    }

    fn assign(&mut self, place: &'m Place, op: Option<BinaryOp>, value: &'m Expr) {
        let text = self.value(value);
        let Some(op) = op else { return self.store(place, None, &text) };
        let (Some(ty), Some(right)) = (place.ty.scalar(), value.ty.scalar()) else {
            unreachable!("operators have scalars")
        };
        if self.is_register(place) {
            let old = self.load(place);
            let new = self.binary(op, (&old, ty), (&text, right), place.span);
            return self.store(place, None, &new);
        }
        let spot = self.spot(place);
        let call = format!("okl_load_{}({}, {}, {}u)", ty.tag(), spot.pointer, spot.offset, spot.site);
        let old = self.hold(super::c_type(ty), call);
        let new = self.binary(op, (&old, ty), (&text, right), place.span);
        self.store(place, Some(spot), &new);
    }

    fn atomic(
        &mut self,
        place: &'m Place,
        (op, value, expected): (AtomicOp, &'m Expr, Option<&'m Expr>),
        result: Option<VarId>,
    ) {
        let value = self.value(value);
        let expected = expected.map(|e| self.value(e));
        let Some(ty) = place.ty.scalar() else { unreachable!("an atomic update is of a scalar") };
        if self.is_register(place) {
            let old = self.load(place);
            let new = self.updated(op, &old, &value, expected.as_deref(), place);
            self.store(place, None, &new);
            return result.into_iter().for_each(|result| self.result(result, &old));
        }
        let spot = self.spot(place);
        let is_read = op != AtomicOp::Exchange || result.is_some();
        let (tag, at) = (ty.tag(), format!("{}, {}", spot.pointer, spot.offset));
        let old = self.hold(super::c_type(ty), format!("okl_old_{tag}({at}, {is_read}, {}u)", spot.site));
        let new = self.updated(op, &old, &value, expected.as_deref(), place);
        self.out.line(format!("okl_new_{tag}({at}, {new});"));
        result.into_iter().for_each(|result| self.result(result, &old));
    }

    /// The new value of an atomic update. Integers wrap, as C's atomics do.
    fn updated(&mut self, op: AtomicOp, old: &str, value: &str, expected: Option<&str>, place: &Place) -> String {
        let Some(ty) = place.ty.scalar() else { unreachable!("an atomic update is of a scalar") };
        let symbol = match op {
            AtomicOp::Exchange => return value.to_owned(),
            AtomicOp::CompareExchange => {
                let (c, expected) = (super::c_type(ty), expected.unwrap_or(old));
                let same = format!("__builtin_memcmp(&({c}){{{old}}}, &({c}){{{expected}}}, sizeof({c})) == 0");
                return self.hold(c, format!("{same} ? {value} : {old}"));
            }
            AtomicOp::Min | AtomicOp::Max => {
                let function = match (op, ty.is_float()) {
                    (AtomicOp::Min, true) => MathFn::Fmin,
                    (AtomicOp::Min, false) => MathFn::IntMin,
                    (_, true) => MathFn::Fmax,
                    (_, false) => MathFn::IntMax,
                };
                let callee: Callee = (LANGUAGE.math)(function, ty);
                let callee = self.text.callee(callee);
                return self.hold(super::c_type(ty), format!("{callee}({old}, {value})"));
            }
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Sub => BinaryOp::Sub,
            AtomicOp::Mul => BinaryOp::Mul,
            AtomicOp::Div => BinaryOp::Div,
            AtomicOp::And => BinaryOp::BitAnd,
            AtomicOp::Or => BinaryOp::BitOr,
            AtomicOp::Xor => BinaryOp::BitXor,
        };
        if ty.is_integer() && matches!(op, AtomicOp::Add | AtomicOp::Sub | AtomicOp::Mul) {
            let (c, symbol) = (super::c_type(ty), symbol.symbol());
            return self.hold(c, format!("({c})((uint64_t){old} {symbol} (uint64_t){value})"));
        }
        self.binary(symbol, (old, ty), (value, ty), place.span)
    }

    fn sequential(&mut self, l: &'m Loop) {
        self.labels += 1;
        let label = self.labels;
        self.out.open("{");
        self.stmts(&l.init);
        if l.test_last {
            self.out.line(format!("bool is_tested_{label} = false;"));
        }
        self.out.open("for (;;) {");
        if l.test_last {
            self.out.open(format!("if (is_tested_{label}) {{"));
        }
        self.stmts(&l.head);
        if let Some(condition) = &l.condition {
            let condition = self.value(condition);
            self.out.line(format!("if (!{condition}) break;"));
        }
        if l.test_last {
            self.out.close("}");
            self.out.line(format!("is_tested_{label} = true;"));
        }
        self.loops.push(label);
        self.out.open("{");
        self.stmts(&l.body);
        self.out.close("}");
        self.loops.pop();
        self.out.line(format!("next_{label}: __attribute__((unused));"));
        self.stmts(&l.update);
        self.out.close("}");
        self.out.close("}");
    }

    fn switch(&mut self, value: &'m Expr, arms: &'m [Arm]) {
        let ty = value.ty.scalar().unwrap_or(Scalar::I32);
        let value = self.value(value);
        self.out.open(format!("switch ({value}) {{"));
        for arm in arms {
            for value in &arm.values {
                self.out.line(format!("case {}:", literal(*value, ty)));
            }
            if arm.is_default {
                self.out.line("default:");
            }
            self.out.open("{");
            self.stmts(&arm.body);
            if !arm.falls_through {
                self.out.line("break;");
            }
            self.out.close("}");
        }
        self.out.close("}");
    }

    fn end_item(&mut self) {
        let region = self.region.unwrap_or_default();
        self.out.line(format!("goto item_{region};"));
    }

    /// `return`: of a function, or of an item for all later regions.
    fn give_back(&mut self, value: Option<&'m Expr>) {
        if self.is_nest {
            self.out.line("own->done[okl_item] = true;");
            return self.end_item();
        }
        match value {
            Some(value) => {
                let value = self.value(value);
                self.out.line(format!("return {value};"));
            }
            None => self.out.line("return;"),
        }
    }
}
