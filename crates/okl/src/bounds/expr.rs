//! The values of integer expressions.

use super::condition::is_number;
use super::division::divides;
use super::space::{Key, literal};
use super::{Frame, MOST_CALLS, Walk};
use crate::ir::{Argument, BinaryOp, Expr, ExprKind, Literal, MathFn, Role, Scalar, Type, UnaryOp, VarId};
use crate::signature::bounds::{AccessKind, Alternative, Is, RangeOp, Sum};
use crate::source::Span;

/// Odd factors above this one are there to mix the bits of a word. The elements of a plane or a row are rarely as many.
const MOST_COUNTED: i64 = 1 << 20;

impl<'a> Walk<'a> {
    /// The value of an integer expression; visits all accesses in it.
    pub(super) fn value(&mut self, frame: &mut Frame<'a>, expr: &'a Expr) -> Sum {
        let ty = expr.ty.scalar().unwrap_or(Scalar::I64);
        if !self.step() {
            return self.space.unknown(ty);
        }
        if self.is_known(frame, expr) {
            if !self.on_host && divides(expr) {
                self.visit_divisions(frame, expr);
            }
            return self.space.known(expr);
        }
        match &expr.kind {
            ExprKind::Literal(value) => match literal(*value, ty) {
                Some(value) => Sum::number(value),
                None => self.space.unknown(ty),
            },
            ExprKind::Load(place) if place.path.is_empty() => self.variable(frame, place.root, ty),
            ExprKind::Load(place) => {
                let element = self.access(frame, place, AccessKind::Read);
                self.loaded(frame, place, ty, element)
            }
            ExprKind::Unary(UnaryOp::Negate, _)
            | ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) => {
                let sum = self.arithmetic(frame, expr);
                let value = match sum.clone() {
                    // Bits of a word: nobody counts with a number that fits for zero alone.
                    Some(sum) if !ty.is_signed() && is_negation(expr) => self.space.wrapped(sum, ty),
                    Some(sum) if mixes(expr, ty) => self.space.word(sum, ty),
                    sum => self.space.fitted(sum, ty, frame.guard, expr.span),
                };
                if ty.is_signed() && sum.as_ref() != Some(&value) {
                    self.unproven.insert_overflow(expr);
                }
                value
            }
            ExprKind::Unary(UnaryOp::Complement, a) => {
                let a = self.value(frame, a);
                let sum = Sum::number(-1).plus(&a, -1).filter(|_| ty.is_signed());
                self.space.fitted(sum, ty, frame.guard, expr.span)
            }
            ExprKind::Unary(UnaryOp::Not, _) => self.space.unknown(ty),
            ExprKind::Binary(op, a, b) => {
                let divisor = b.as_ref();
                let (a, b) = (self.operand(frame, *op, a), self.operand(frame, *op, b));
                self.division(frame, *op, [&a, &b], divisor, expr.span);
                self.operation(frame, *op, [&a, &b], ty, expr.span)
            }
            ExprKind::Cast { value, .. } => self.cast(frame, value, ty, expr),
            ExprKind::Select(condition, then, otherwise) => {
                let truth = self.truth(frame, condition);
                let outside = frame.guard;
                let mut alternatives = Vec::new();
                for (branch, is) in [(then, true), (otherwise, false)] {
                    frame.guard = self.under(outside, &truth, is);
                    let value = self.value(frame, branch);
                    alternatives.push(Alternative { value, guard: frame.guard });
                }
                frame.guard = outside;
                self.space.one_of(alternatives)
            }
            ExprKind::Math(function, arguments) => self.integer_function(frame, *function, arguments, expr),
            ExprKind::Call(function, arguments) => {
                let result = self.call(frame, *function, arguments);
                result.unwrap_or_else(|| self.space.unknown(ty))
            }
            ExprKind::Builtin(_) => self.space.unknown(ty),
        }
    }

    /// The value of what an operator is applied to. What is shifted upwards and joined to other bits bit by bit is meant to
    /// lose those that have no place.
    pub(super) fn operand(&mut self, frame: &mut Frame<'a>, op: BinaryOp, expr: &'a Expr) -> Sum {
        let ty = expr.ty.scalar().filter(|ty| !ty.is_signed());
        match (op, ty, &expr.kind) {
            (BinaryOp::BitXor | BinaryOp::BitOr, Some(ty), ExprKind::Binary(BinaryOp::Shl, a, by))
                if !self.is_known(frame, expr)
                    && let Some(power) = by.as_int().and_then(power) =>
            {
                let a = self.value(frame, a);
                match self.space.product(&a, &Sum::number(power)) {
                    Some(shifted) => self.space.word(shifted, ty),
                    None => self.space.unknown(ty),
                }
            }
            _ => self.value(frame, expr),
        }
    }

    /// Visits all accesses in an expression whose value is not followed.
    pub(super) fn visit(&mut self, frame: &mut Frame<'a>, expr: &'a Expr) {
        if !self.step() {
            return;
        }
        if is_number(expr) {
            self.value(frame, expr);
        } else if expr.ty == Type::Scalar(Scalar::Bool) {
            self.truth(frame, expr);
        } else {
            self.visit_parts(frame, expr);
        }
    }

    /// The same for what an expression consists of.
    pub(super) fn visit_parts(&mut self, frame: &mut Frame<'a>, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Builtin(_) => {}
            ExprKind::Load(place) => drop(self.access(frame, place, AccessKind::Read)),
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.visit(frame, a),
            ExprKind::Binary(_, a, b) => {
                self.visit(frame, a);
                self.visit(frame, b);
            }
            ExprKind::Select(condition, then, otherwise) => {
                let truth = self.truth(frame, condition);
                let outside = frame.guard;
                for (branch, is) in [(then, true), (otherwise, false)] {
                    frame.guard = self.under(outside, &truth, is);
                    self.visit(frame, branch);
                }
                frame.guard = outside;
            }
            ExprKind::Math(_, arguments) => arguments.iter().for_each(|e| self.visit(frame, e)),
            ExprKind::Call(function, arguments) => {
                self.call(frame, *function, arguments);
            }
        }
    }

    /// Whether a launch can evaluate an expression.
    pub(super) fn is_known(&self, frame: &Frame<'a>, expr: &Expr) -> bool {
        let own = std::ptr::eq(frame.body, &self.kernel.body);
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => {
                let variable = frame.body.var(place.root);
                let known = own && place.path.is_empty() && matches!(variable.role, Role::Param(_) | Role::Host);
                known && variable.ty.scalar().is_some() && !self.assigned.contains(&place.root)
            }
            ExprKind::Unary(_, a) | ExprKind::Cast { value: a, .. } => self.is_known(frame, a),
            ExprKind::Binary(_, a, b) => self.is_known(frame, a) && self.is_known(frame, b),
            ExprKind::Select(a, b, c) => [a, b, c].into_iter().all(|e| self.is_known(frame, e)),
            // Those on floats may be rounded otherwise where the kernel runs.
            ExprKind::Math(_, arguments) => arguments.iter().all(|e| is_number(e) && self.is_known(frame, e)),
            ExprKind::Call(..) | ExprKind::Builtin(_) => false,
        }
    }

    /// The value of a variable.
    fn variable(&mut self, frame: &mut Frame<'a>, var: VarId, ty: Scalar) -> Sum {
        if let Some(value) = frame.env.values.get(&var) {
            return value.clone();
        }
        match frame.body.var(var).role {
            Role::Constant(id) => {
                let value = self.module.constants[id.0 as usize].values.first();
                value.and_then(|value| literal(*value, ty)).map_or_else(|| self.space.unknown(ty), Sum::number)
            }
            // What all items share changes while an item looks.
            Role::Shared | Role::Exchange(_) => self.space.unknown(ty),
            _ => {
                let value = self.space.unknown(ty);
                frame.env.values.insert(var, value.clone());
                value
            }
        }
    }

    /// A sum before it is fitted into its type: only the last result has to fit, because what wraps on the way comes
    /// back.
    fn arithmetic(&mut self, frame: &mut Frame<'a>, expr: &'a Expr) -> Option<Sum> {
        let inner = |walk: &mut Self, frame: &mut Frame<'a>, e: &'a Expr| match &e.kind {
            ExprKind::Unary(UnaryOp::Negate, _)
            | ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
                if !walk.is_known(frame, e) =>
            {
                walk.arithmetic(frame, e)
            }
            _ => Some(walk.value(frame, e)),
        };
        match &expr.kind {
            ExprKind::Unary(_, a) => Sum::number(0).plus(&inner(self, frame, a)?, -1),
            ExprKind::Binary(op, a, b) => {
                // Both are visited, whatever comes of them.
                let (a, b) = (inner(self, frame, a), inner(self, frame, b));
                self.combined(*op, &a?, &b?)
            }
            _ => None,
        }
    }

    pub(super) fn combined(&mut self, op: BinaryOp, a: &Sum, b: &Sum) -> Option<Sum> {
        match op {
            BinaryOp::Add => a.plus(b, 1),
            BinaryOp::Sub => a.plus(b, -1),
            _ if a.is_known() || b.is_known() => self.space.product(a, b),
            _ => Some(self.of_ranges(RangeOp::Mul, a, b)),
        }
    }

    fn of_ranges(&mut self, op: RangeOp, a: &Sum, b: &Sum) -> Sum {
        let key = Key::Of(op, a.clone(), b.clone());
        self.space.numbered(key, |_, _| (Vec::new(), Is::Of(op, a.clone(), b.clone())))
    }

    /// The result of an operator on two values, in a type.
    pub(super) fn operation(
        &mut self,
        frame: &Frame<'a>,
        op: BinaryOp,
        [a, b]: [&Sum; 2],
        ty: Scalar,
        span: Span,
    ) -> Sum {
        let power = Some(b).filter(|b| b.terms.is_empty()).and_then(|b| power(b.constant)).map(Sum::number);
        let divisor = match op {
            BinaryOp::Shr => power.as_ref(),
            BinaryOp::Div => Some(b),
            _ => None,
        };
        if let Some(part) = divisor.and_then(|divisor| self.part_of_word(frame, a, divisor, ty)) {
            return part;
        }
        let sum = match (op, power.as_ref()) {
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, _) => self.combined(op, a, b),
            (BinaryOp::Div, _) if b.is_known() => Some(self.quotient(a, b, false)),
            (BinaryOp::Div, _) => Some(self.of_ranges(RangeOp::Div, a, b)),
            (BinaryOp::Rem, _)
                if b.is_known() && (ty.is_signed() || self.space.is_bounded_as_a_whole(a, frame.guard)) =>
            {
                let quotient = self.quotient(a, b, false);
                self.space.product(b, &quotient).and_then(|multiple| a.plus(&multiple, -1))
            }
            (BinaryOp::Rem, _) => Some(self.of_ranges(RangeOp::Rem, a, b)),
            (BinaryOp::Shl, Some(power)) => self.space.product(a, power),
            (BinaryOp::Shr, Some(power)) => Some(self.quotient(a, power, true)),
            (BinaryOp::BitAnd, _) => Some(self.masked(a, b)),
            (BinaryOp::BitOr | BinaryOp::BitXor, _) => Some(self.of_ranges(RangeOp::Bits, a, b)),
            _ => None,
        };
        match (op, sum) {
            (BinaryOp::Mul, Some(sum)) if [a, b].into_iter().any(|factor| is_mixing_factor(factor, ty)) => {
                self.space.word(sum, ty)
            }
            // Operands that are not negative have no larger result.
            (
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor,
                Some(sum),
            ) if !ty.is_signed() => sum,
            (_, sum) => self.space.fitted(sum, ty, frame.guard, span),
        }
    }

    fn quotient(&mut self, dividend: &Sum, divisor: &Sum, floor: bool) -> Sum {
        let key = Key::Quotient(dividend.clone(), divisor.clone(), floor);
        let is = Is::Quotient { dividend: dividend.clone(), divisor: divisor.clone(), floor };
        self.space.numbered(key, |_, _| (Vec::new(), is))
    }

    /// What is left of a number of an unsigned type, of which nothing else is known or which is limited, that is divided by a
    /// constant.
    fn part_of_word(&mut self, frame: &Frame<'a>, a: &Sum, divisor: &Sum, ty: Scalar) -> Option<Sum> {
        let by = divisor.terms.is_empty().then_some(divisor.constant).filter(|&by| by > 0)?;
        if ty.is_signed() || self.space.is_bounded_as_a_whole(a, frame.guard) {
            return None;
        }
        let most = (u64::MAX >> (64 - 8 * ty.bytes())) / by.unsigned_abs();
        // The range of a wide type proves no index.
        let most = i32::try_from(most).ok()?;
        let is = match self.space.is_provable(a, frame.guard) {
            true => Is::Quotient { dividend: a.clone(), divisor: divisor.clone(), floor: false },
            false => Is::Some,
        };
        let key = Key::Function(">>", vec![a.clone(), divisor.clone()]);
        Some(self.space.numbered(key, |_, this| {
            let below = Sum::number(most.into()).plus(this, -1);
            ([this.clone()].into_iter().chain(below).collect(), is)
        }))
    }

    /// `a & mask`: between zero and a mask that is not negative.
    fn masked(&mut self, a: &Sum, b: &Sum) -> Sum {
        let mask = [a, b].into_iter().find(|sum| sum.terms.is_empty() && sum.constant >= 0).map(|sum| sum.constant);
        let Some(mask) = mask else { return self.of_ranges(RangeOp::Bits, a, b) };
        let key = Key::Function("&", vec![a.clone(), b.clone()]);
        self.space.numbered(key, |_, this| {
            let below = Sum::number(mask).plus(this, -1);
            ([this.clone()].into_iter().chain(below).collect(), Is::Some)
        })
    }

    fn cast(&mut self, frame: &mut Frame<'a>, value: &'a Expr, to: Scalar, expr: &Expr) -> Sum {
        if value.ty == Type::Scalar(Scalar::Bool) {
            self.visit(frame, value);
            return self.space.ranged(0, 1);
        }
        let Some(from) = value.ty.scalar().filter(|ty| ty.is_integer()) else {
            self.visit(frame, value);
            return self.space.unknown(to);
        };
        let sum = self.value(frame, value);
        let keeps = match (from.is_signed(), to.is_signed()) {
            (true, true) | (false, false) => to.bytes() >= from.bytes(),
            (false, true) => to.bytes() > from.bytes(),
            (true, false) => false,
        };
        if keeps {
            sum
        } else if !to.is_signed() && is_negation(value) {
            // Bits of a word, as in `value`.
            self.space.wrapped(sum, to)
        } else {
            self.space.fitted(Some(sum), to, frame.guard, expr.span)
        }
    }

    fn integer_function(&mut self, frame: &mut Frame<'a>, function: MathFn, arguments: &'a [Expr], expr: &Expr) -> Sum {
        let ty = expr.ty.scalar().unwrap_or(Scalar::I64);
        if !arguments.iter().all(is_number) {
            arguments.iter().for_each(|argument| self.visit(frame, argument));
            return self.space.unknown(ty);
        }
        let mut values: Vec<Sum> = arguments.iter().map(|argument| self.value(frame, argument)).collect();
        let sign = match function {
            MathFn::IntMin => -1,
            MathFn::IntMax => 1,
            MathFn::IntAbs => {
                let negative = Sum::number(0).plus(&values[0], -1);
                let fitted = self.space.fitted(negative.clone(), ty, frame.guard, expr.span);
                // That of the least number is itself.
                if negative.as_ref() != Some(&fitted) {
                    return self.space.unknown(ty);
                }
                values.push(fitted);
                1
            }
            _ => return self.space.unknown(ty),
        };
        // One of the values, and none of them lies beyond.
        let key = Key::Function(function.name(), values.clone());
        self.space.numbered(key, |_, this| {
            let beyond = |value: &Sum| {
                let (larger, smaller) = if sign > 0 { (this, value) } else { (value, this) };
                larger.plus(smaller, -1)
            };
            let is_positive = (function == MathFn::IntAbs).then(|| this.clone());
            let constraints = values.iter().filter_map(beyond).chain(is_positive).collect();
            let alternatives = values.iter().map(|value| Alternative { value: value.clone(), guard: None });
            (constraints, Is::Between(alternatives.collect()))
        })
    }

    /// What a device function answers, walked with these arguments.
    pub(super) fn call(
        &mut self,
        frame: &mut Frame<'a>,
        function: crate::ir::FunctionId,
        arguments: &'a [Argument],
    ) -> Option<Sum> {
        let callee = &self.module.functions[function.0 as usize];
        let mut inside = Frame::new(&callee.body);
        for (&param, argument) in callee.params.iter().zip(arguments) {
            match argument {
                Argument::Value(value) if is_number(value) => {
                    let value = self.value(frame, value);
                    inside.env.values.insert(param, value);
                }
                Argument::Value(value) if value.ty == Type::Scalar(Scalar::Bool) => {
                    let truth = self.truth(frame, value);
                    inside.env.truths.insert(param, truth);
                }
                Argument::Value(value) => self.visit(frame, value),
                Argument::Pointer(place) => {
                    let base = self.pointed(frame, place);
                    inside.pointers.insert(param, base);
                }
            }
        }
        inside.guard = frame.guard;
        if self.calls == MOST_CALLS {
            self.steps = 0;
        }
        if !self.step() {
            return None;
        }
        let before = self.space.bounds.variables.len() as u32;
        self.calls += 1;
        self.stmts(&mut inside, &callee.stmts);
        self.calls -= 1;
        for argument in arguments {
            if let Argument::Pointer(place) = argument {
                frame.env.values.remove(&place.root);
                frame.env.truths.remove(&place.root);
            }
        }
        if inside.live && callee.result != Type::Void {
            inside.results.push(None);
        }
        let results: Option<Vec<Alternative>> = inside.results.into_iter().collect();
        let results = results.filter(|results| !results.is_empty())?;
        // What a loop in the function counts is one number for the caller, and not each.
        let is_free =
            |a: &Alternative| a.guard != frame.guard && a.value.variables().any(|variable| variable >= before);
        let is_one = results.iter().any(is_free);
        Some(if is_one { self.space.between(results) } else { self.space.one_of(results) })
    }
}

/// `-a` or `0 - a`.
fn is_negation(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Negate, _) => true,
        ExprKind::Binary(BinaryOp::Sub, a, _) => matches!(a.kind, ExprKind::Literal(Literal::Int(0))),
        _ => false,
    }
}

/// Whether sums and products hold one that no index has: hashes and generators of random numbers multiply so, to have the bits
/// of their words mixed.
fn mixes(expr: &Expr, ty: Scalar) -> bool {
    let is_factor = |e: &Expr| e.as_int().is_some_and(|number| is_mixing_factor(&Sum::number(number), ty));
    match &expr.kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) => [a, b].into_iter().any(|e| is_factor(e) || mixes(e, ty)),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => mixes(a, ty) || mixes(b, ty),
        _ => false,
    }
}

/// A number that products of a type hardly have room for: a large odd one of unsigned types, one of more than a half of the
/// widest type's bits.
pub(super) fn is_mixing_factor(sum: &Sum, ty: Scalar) -> bool {
    let factor = sum.constant;
    sum.terms.is_empty()
        && match ty {
            Scalar::I64 => factor.unsigned_abs() > 1 << 32,
            _ => !ty.is_signed() && factor % 2 != 0 && factor > MOST_COUNTED,
        }
}

/// What a shift by so many bits multiplies with.
pub(super) fn power(bits: i64) -> Option<i64> {
    (0..62).contains(&bits).then(|| 1 << bits)
}
