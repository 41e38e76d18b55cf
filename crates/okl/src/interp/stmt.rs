//! Statements and calls.

use super::fault::FaultKind;
use super::layout::{Home, for_each_scalar, size_of};
use super::machine::{Frame, Machine, Result, Value};
use super::memory::{Pointer, Space};
use super::race::Kind;
use crate::ir::value::{self, ScalarValue};
use crate::ir::{
    Argument, Arm, AtomicOp, BinaryOp, Expr, FunctionId, Initializer, Loop, MathFn, Place, Print, Scalar, Stmt,
    StmtKind, Type, VarId,
};
use crate::source::Span;
use std::sync::PoisonError;

/// Largest stack of frames, in bytes.
const MAX_STACK: usize = 1 << 28;

/// What happens after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
    EndItem,
    Return,
}

impl<'a> Machine<'a> {
    /// Executes statements until one does not go on to the next.
    pub(super) fn run(&mut self, frame: &Frame<'a>, stmts: &'a [Stmt]) -> Result<Flow> {
        for stmt in stmts {
            let flow = self.stmt(frame, stmt)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn stmt(&mut self, frame: &Frame<'a>, stmt: &'a Stmt) -> Result<Flow> {
        self.step(stmt.span)?;
        self.enter(stmt.span)?;
        let flow = match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(frame, *var, init.as_ref(), stmt.span)?,
            StmtKind::Assign { place, op, value } => self.assign(frame, place, *op, value)?,
            StmtKind::Atomic { place, op, value, expected, result } => {
                self.atomic(frame, place, (*op, value, expected.as_ref()), *result)?
            }
            StmtKind::Call { function, arguments, result } => {
                self.call_for(frame, *function, arguments, *result, stmt.span)?
            }
            StmtKind::Print(print) => self.print(frame, print)?,
            StmtKind::Prefetch { .. } => Flow::Next,
            StmtKind::If { condition, then, otherwise } => self.run_if(frame, condition, then, otherwise)?,
            StmtKind::Loop(l) => self.run_loop(frame, l, stmt.span)?,
            StmtKind::Switch { value, arms } => self.switch(frame, value, arms)?,
            StmtKind::Break => Flow::Break,
            StmtKind::Continue => Flow::Continue,
            StmtKind::Return(value) => self.return_from(frame, value.as_ref())?,
            StmtKind::EndItem => Flow::EndItem,
            StmtKind::Block(stmts) => self.run(frame, stmts)?,
            StmtKind::Inner(region) => self.region(frame, region, stmt.span)?,
            // What came before is seen by what comes behind.
            StmtKind::Barrier => {
                self.at.phase = self.at.phase.saturating_add(1);
                Flow::Next
            }
            StmtKind::Mark(_) => return self.fault(FaultKind::Invalid("a mark of unfinished lowering"), stmt.span),
        };
        self.depth -= 1;
        Ok(flow)
    }

    fn call_for(
        &mut self,
        frame: &Frame<'a>,
        function: FunctionId,
        arguments: &'a [Argument],
        result: Option<VarId>,
        span: Span,
    ) -> Result<Flow> {
        let value = self.call(frame, function, arguments, span)?;
        if let Some(result) = result {
            let Some(value) = value else {
                return self.fault(FaultKind::Invalid("the call gives no value"), span);
            };
            self.set_variable(frame, result, value, span)?;
        }
        Ok(Flow::Next)
    }

    fn print(&mut self, frame: &Frame<'a>, print: &'a Print) -> Result<Flow> {
        let mut values = Vec::with_capacity(print.arguments.len());
        for argument in &print.arguments {
            values.push(self.scalar(frame, argument)?);
        }
        self.printed.lock().unwrap_or_else(PoisonError::into_inner).extend(print.text(&values));
        Ok(Flow::Next)
    }

    fn run_if(
        &mut self,
        frame: &Frame<'a>,
        condition: &'a Expr,
        then: &'a [Stmt],
        otherwise: &'a [Stmt],
    ) -> Result<Flow> {
        let branch = if self.condition(frame, condition)? { then } else { otherwise };
        self.run(frame, branch)
    }

    fn return_from(&mut self, frame: &Frame<'a>, value: Option<&'a Expr>) -> Result<Flow> {
        self.result = match value {
            Some(value) => Some(self.value(frame, value)?),
            None => None,
        };
        Ok(Flow::Return)
    }

    fn declare(&mut self, frame: &Frame<'a>, var: VarId, init: Option<&'a Initializer>, span: Span) -> Result<Flow> {
        let (Home::Frame { bytes, .. } | Home::Private { bytes, .. }, Some(variable)) =
            (frame.home(var), frame.body.vars.get(var.0 as usize))
        else {
            return self.fault(FaultKind::Invalid("the declaration of no local variable"), span);
        };
        let pointer = self.variable(frame, var, span)?;
        match init {
            None => self.memory.forget(&pointer, bytes),
            Some(Initializer::Value(value)) => {
                let value = self.value(frame, value)?;
                self.memory.forget(&pointer, bytes);
                self.set_variable(frame, var, value, span)?;
            }
            Some(Initializer::List(list)) => {
                let mut values = Vec::with_capacity(list.len());
                for value in list {
                    values.push(self.scalar(frame, value)?);
                }
                let mut image = vec![0; bytes];
                let mut values = values.into_iter();
                let mut fits = true;
                for_each_scalar(&variable.ty, self.module, 0, &mut |ty, at| {
                    if let Some(value) = values.next() {
                        fits &= value.ty() == ty;
                        image[at..at + ty.bytes()].copy_from_slice(&value.to_bytes()[..ty.bytes()]);
                    }
                });
                if !fits || values.next().is_some() {
                    return self.fault(FaultKind::Invalid("an initialiser that does not fit its variable"), span);
                }
                self.memory.write(&pointer, &image);
            }
        }
        Ok(Flow::Next)
    }

    /// A stretch of the stack becomes unwritten.
    pub(super) fn forget(&mut self, start: usize, bytes: usize) {
        if let Some(flags) = self.memory.stack.written.get_mut(start..start.saturating_add(bytes)) {
            flags.fill(false);
        }
    }

    /// Sets a variable that is not reached through a pointer.
    pub(super) fn set_variable(&mut self, frame: &Frame<'a>, var: VarId, value: Value, span: Span) -> Result<()> {
        let pointer = self.variable(frame, var, span)?;
        if self.is_group_variable(&pointer) {
            return self.fault(FaultKind::GroupVariable { name: frame.name(var).into() }, span);
        }
        let bytes = (pointer.hi - pointer.lo) as usize;
        let ty = frame.body.vars.get(var.0 as usize).map(|v| &v.ty);
        match value {
            Value::Scalar(value) if ty == Some(&Type::Scalar(value.ty())) => {
                self.memory.write(&pointer, &value.to_bytes()[..bytes]);
            }
            Value::Struct(image, written) if matches!(ty, Some(Type::Struct(_))) && image.len() == bytes => {
                self.memory.write(&pointer, &image);
                if let Some(written) = written {
                    self.memory.mark(&pointer, &written);
                }
            }
            _ => {
                return self.fault(FaultKind::Invalid("a variable takes a value of another type"), span);
            }
        }
        Ok(())
    }

    fn assign(&mut self, frame: &Frame<'a>, place: &'a Place, op: Option<BinaryOp>, value: &'a Expr) -> Result<Flow> {
        let mut value = self.value(frame, value)?;
        if let Some(op) = op {
            let Value::Scalar(right) = value else {
                return self.fault(FaultKind::Invalid("an operator on structs"), place.span);
            };
            let old = self.load_scalar(frame, place)?;
            value = Value::Scalar(self.computed(old.binary(op, right), op.symbol(), &[old, right], place.span)?);
        }
        self.store(frame, place, &value)?;
        Ok(Flow::Next)
    }

    fn atomic(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
        (op, value, expected): (AtomicOp, &'a Expr, Option<&'a Expr>),
        result: Option<VarId>,
    ) -> Result<Flow> {
        let value = self.scalar(frame, value)?;
        let expected = expected.map(|e| self.scalar(frame, e)).transpose()?;
        let Type::Scalar(ty) = place.ty else {
            return self.fault(FaultKind::Invalid("an atomic update of no scalar"), place.span);
        };
        let pointer = self.resolve(frame, place)?;
        self.touch(frame, place, &pointer, ty.bytes(), Kind::Atomic)?;
        let is_read = op != AtomicOp::Exchange || result.is_some();
        if is_read && !self.memory.is_written(&pointer, ty.bytes()) {
            return self.fault(FaultKind::Uninitialised { name: frame.name(place.root).into() }, place.span);
        }
        let Some(old) = ScalarValue::from_bytes(ty, self.memory.read(&pointer, ty.bytes())) else {
            return self.fault(FaultKind::Invalid("a place without memory"), place.span);
        };
        let is_expected = expected.is_none_or(|expected| expected.bits() == old.bits());
        let new = if is_expected { update(op, old, value) } else { Ok(old) };
        let new = self.computed(new, "/", &[old, value], place.span)?;
        self.write(frame, place, &pointer, &Value::Scalar(new))?;
        if let Some(result) = result {
            self.set_variable(frame, result, Value::Scalar(old), place.span)?;
        }
        Ok(Flow::Next)
    }

    fn run_loop(&mut self, frame: &Frame<'a>, l: &'a Loop, span: Span) -> Result<Flow> {
        let flow = self.run(frame, &l.init)?;
        if flow != Flow::Next {
            return Ok(flow);
        }
        let mut is_tested = !l.test_last;
        loop {
            self.step(span)?;
            if is_tested {
                let flow = self.run(frame, &l.head)?;
                if flow != Flow::Next {
                    return Ok(flow);
                }
                if let Some(condition) = &l.condition
                    && !self.condition(frame, condition)?
                {
                    return Ok(Flow::Next);
                }
            }
            is_tested = true;
            match self.run(frame, &l.body)? {
                Flow::Next | Flow::Continue => {}
                Flow::EndItem if l.is_parallel(frame.body) => {}
                Flow::Break => return Ok(Flow::Next),
                flow @ (Flow::EndItem | Flow::Return) => return Ok(flow),
            }
            let flow = self.run(frame, &l.update)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
    }

    fn switch(&mut self, frame: &Frame<'a>, value: &'a Expr, arms: &'a [Arm]) -> Result<Flow> {
        let value = self.scalar(frame, value)?;
        let matches = |arm: &Arm| arm.values.iter().any(|&v| ScalarValue::from_literal(v, value.ty()) == value);
        let start = arms.iter().position(matches).or_else(|| arms.iter().position(|arm| arm.is_default));
        for arm in start.map_or(&[][..], |start| &arms[start..]) {
            match self.run(frame, &arm.body)? {
                Flow::Next if arm.falls_through => {}
                Flow::Next | Flow::Break => break,
                flow => return Ok(flow),
            }
        }
        Ok(Flow::Next)
    }

    /// Calls a device function; `None` where it returns nothing.
    pub(super) fn call(
        &mut self,
        frame: &Frame<'a>,
        id: FunctionId,
        arguments: &'a [Argument],
        span: Span,
    ) -> Result<Option<Value>> {
        let (module, layouts) = (self.module, self.layouts);
        let number = id.0 as usize;
        let (Some(function), Some(layout)) = (module.functions.get(number), layouts.functions.get(number)) else {
            return self.fault(FaultKind::Invalid("no such function"), span);
        };
        let base = self.memory.stack.bytes.len();
        if base.saturating_add(layout.frame_bytes) > MAX_STACK {
            let what = format!("the variables of `{}` and of those that call it need too much memory", function.name);
            return self.fault(FaultKind::Limit(what), span);
        }
        // Arguments are evaluated in the caller's frame, before the callee's exists.
        let (pointers, values) = self.arguments(frame, &function.params, arguments, span)?;
        self.memory.set_stack(base + layout.frame_bytes);
        let callee = Frame { body: &function.body, layout, base, pointers };
        for (param, value) in values {
            self.set_variable(&callee, param, value, span)?;
        }
        self.result = None;
        self.enter(span)?;
        self.run(&callee, &function.stmts)?;
        self.depth -= 1;
        self.memory.set_stack(base);
        match (self.result.take(), &function.result) {
            (_, Type::Void) => Ok(None),
            (Some(value), _) => Ok(Some(value)),
            (None, _) => self.fault(FaultKind::NoValue { name: function.name.clone() }, span),
        }
    }

    /// What is passed: pointers by position, and values with their parameters.
    #[allow(clippy::type_complexity)] // two lists
    fn arguments(
        &mut self,
        frame: &Frame<'a>,
        params: &'a [VarId],
        arguments: &'a [Argument],
        span: Span,
    ) -> Result<(Vec<Pointer>, Vec<(VarId, Value)>)> {
        if arguments.len() != params.len() {
            return self.fault(FaultKind::Invalid("a call with another number of arguments"), span);
        }
        let mut pointers = Vec::new();
        let mut values = Vec::with_capacity(arguments.len());
        for (position, (&param, argument)) in params.iter().zip(arguments).enumerate() {
            match argument {
                Argument::Value(value) => values.push((param, self.value(frame, value)?)),
                Argument::Pointer(place) => {
                    pointers.resize(position, Pointer::null());
                    pointers.push(self.resolve(frame, place)?);
                }
            }
        }
        Ok((pointers, values))
    }
}

/// The new value of an atomic update. Integers wrap, as C's atomics do.
fn update(op: AtomicOp, old: ScalarValue, value: ScalarValue) -> value::Result {
    let choose = |float, integer| value::math(if is_float(old) { float } else { integer }, &[old, value]);
    let wrapping = |op| old.binary_wrapping(op, value);
    match op {
        AtomicOp::Add => wrapping(BinaryOp::Add),
        AtomicOp::Sub => wrapping(BinaryOp::Sub),
        AtomicOp::Mul => wrapping(BinaryOp::Mul),
        AtomicOp::Div => wrapping(BinaryOp::Div),
        AtomicOp::And => wrapping(BinaryOp::BitAnd),
        AtomicOp::Or => wrapping(BinaryOp::BitOr),
        AtomicOp::Xor => wrapping(BinaryOp::BitXor),
        AtomicOp::Min => choose(MathFn::Fmin, MathFn::IntMin),
        AtomicOp::Max => choose(MathFn::Fmax, MathFn::IntMax),
        AtomicOp::Exchange | AtomicOp::CompareExchange => Ok(value),
    }
}

fn is_float(value: ScalarValue) -> bool {
    matches!(value.ty(), Scalar::F32 | Scalar::F64)
}

/// Bytes of a parameter's value as they are bound to a kernel's frame.
pub(super) fn place_bytes<'a>(machine: &mut Machine<'a>, frame: &Frame<'a>, var: VarId, bytes: &[u8]) {
    if let Home::Frame { offset, bytes: size } = frame.home(var)
        && size == bytes.len()
        && size == frame.body.vars.get(var.0 as usize).map_or(0, |v| size_of(&v.ty, machine.module))
    {
        let at = (frame.base + offset) as i64;
        machine.memory.write(&Pointer { space: Space::Stack, at, lo: at, hi: at + size as i64 }, bytes);
    }
}
