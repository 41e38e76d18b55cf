//! Values of expressions, and the memory that places name.

use super::fault::{Fault, FaultKind};
use super::layout::{BodyLayout, Home, Layouts, size_of};
use super::memory::{Memory, Pointer, Space};
use super::race::{Access, GROUP_LEVEL, Kind, Shadow};
use super::{Options, Report};
use crate::ir::{
    Argument, BinaryOp, Body, Expr, ExprKind, FunctionId, Literal, MathFn, Module, Place,
    Projection, Type, UnaryOp, VarId,
};
use crate::source::Span;
use crate::value::{self, ScalarValue, Trap};

pub(super) type Result<T> = std::result::Result<T, Box<Fault>>;

/// Deepest nesting of calls, statements and expressions together; it bounds the native stack.
const MAX_DEPTH: u32 = 700;

/// The state of a run.
pub(super) struct Machine<'a, 'b> {
    pub(super) module: &'a Module,
    pub(super) layouts: &'a Layouts,
    pub(super) options: Options,
    pub(super) memory: Memory<'a, 'b>,
    pub(super) shadow: Option<Shadow<Span>>,
    pub(super) at: Position,
    pub(super) report: Report,
    pub(super) depth: u32,
    /// Value of the function that returned last.
    pub(super) result: Option<Value>,
    /// Items that have executed `return`.
    pub(super) done: Vec<bool>,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// Groups and items of the nest that runs.
    pub(super) outer: [u64; 3],
    pub(super) inner: [u64; 3],
    pub(super) group: u32,
    /// Barriers passed in this group.
    pub(super) phase: u32,
    /// `None` outside of regions.
    pub(super) item: Option<u32>,
    /// `false` in the host part.
    pub(super) in_nest: bool,
    /// Variables of the frame below this byte belong to the group.
    pub(super) item_start: usize,
}

/// The variables of one activation.
pub(super) struct Frame<'a> {
    pub(super) body: &'a Body,
    pub(super) layout: &'a BodyLayout,
    /// First byte on the stack.
    pub(super) base: usize,
    /// What its pointer parameters point to.
    pub(super) pointers: Vec<Pointer>,
}

impl<'a> Frame<'a> {
    pub(super) fn name(&self, id: VarId) -> &'a str {
        self.body.vars.get(id.0 as usize).map_or("?", |v| &v.name)
    }

    pub(super) fn home(&self, id: VarId) -> Home {
        self.layout
            .homes
            .get(id.0 as usize)
            .copied()
            .unwrap_or(Home::Nowhere)
    }
}

/// A scalar, or a struct's bytes.
#[derive(Debug)]
pub(super) enum Value {
    Scalar(ScalarValue),
    /// The bytes and, where known, which of them were written.
    Struct(Vec<u8>, Option<Vec<bool>>),
}

/// What a path has reached: elements, the dimensions still to be subscripted, and whether rows come first.
struct Cursor<'a> {
    element: &'a Type,
    dims: &'a [u32],
    rows: bool,
}

impl<'a> Cursor<'a> {
    fn new(ty: &'a Type) -> Self {
        match ty {
            Type::Array(element, dims) => Self {
                element,
                dims,
                rows: false,
            },
            Type::Pointer(pointer) => Self {
                element: &pointer.element,
                dims: &pointer.dims,
                rows: true,
            },
            _ => Self {
                element: ty,
                dims: &[],
                rows: false,
            },
        }
    }
}

impl<'a, 'b> Machine<'a, 'b> {
    pub(super) fn new(
        module: &'a Module,
        layouts: &'a Layouts,
        options: Options,
        memory: Memory<'a, 'b>,
    ) -> Self {
        let shadow = options.checks.then(|| Shadow::new(memory.buffer_bytes()));
        Self {
            module,
            layouts,
            options,
            memory,
            shadow,
            at: Position::default(),
            report: Report::default(),
            depth: 0,
            result: None,
            done: Vec::new(),
        }
    }

    /// A fault of whoever runs now.
    pub(super) fn fault<T>(&self, kind: FaultKind, span: Span) -> Result<T> {
        let mut fault = Fault::new(kind, span);
        fault.item = self.at.item.map(|item| {
            (
                indices(u64::from(self.at.group), self.at.outer),
                indices(u64::from(item), self.at.inner),
            )
        });
        Err(fault)
    }

    pub(super) fn trap(&self, result: value::Result, span: Span) -> Result<ScalarValue> {
        match result {
            Ok(value) => Ok(value),
            Err(trap) => self.fault(FaultKind::Arithmetic(trap), span),
        }
    }

    /// Counts a step of the run.
    pub(super) fn step(&mut self, span: Span) -> Result<()> {
        self.report.steps += 1;
        if self.report.steps > self.options.step_limit {
            let limit = self.options.step_limit;
            return self.fault(
                FaultKind::Limit(format!("the run does not end within {limit} steps")),
                span,
            );
        }
        Ok(())
    }

    /// Goes one level deeper; the caller takes `depth` back when it succeeds, and a failure ends the run.
    pub(super) fn enter(&mut self, span: Span) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fault(
                FaultKind::Limit(format!("nesting deeper than {MAX_DEPTH} levels")),
                span,
            );
        }
        Ok(())
    }

    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<ScalarValue> {
        self.enter(expr.span)?;
        let value = self.scalar_inner(frame, expr)?;
        self.depth -= 1;
        if expr.ty != Type::Scalar(value.ty()) {
            return self.fault(
                FaultKind::Invalid("an expression's type is not that of its value"),
                expr.span,
            );
        }
        Ok(value)
    }

    // One call per arm: in a build without optimisation a frame holds the temporaries of all arms.
    fn scalar_inner(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<ScalarValue> {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(*literal, expr),
            ExprKind::Load(place) => self.load_scalar(frame, place),
            ExprKind::Unary(op, a) => self.unary(frame, *op, a, expr),
            ExprKind::Binary(op, a, b) => self.binary(frame, *op, a, b, expr),
            ExprKind::Cast { value, .. } => self.cast(frame, value, expr),
            ExprKind::Select(condition, then, otherwise) => {
                self.select(frame, condition, then, otherwise)
            }
            ExprKind::Math(function, arguments) => self.math(frame, *function, arguments, expr),
            ExprKind::Call(function, arguments) => {
                self.scalar_call(frame, *function, arguments, expr)
            }
        }
    }

    fn literal(&self, literal: Literal, expr: &'a Expr) -> Result<ScalarValue> {
        match expr.ty {
            Type::Scalar(ty) => Ok(ScalarValue::from_literal(literal, ty)),
            _ => self.fault(FaultKind::Invalid("a literal that is no scalar"), expr.span),
        }
    }

    fn unary(
        &mut self,
        frame: &Frame<'a>,
        op: UnaryOp,
        a: &'a Expr,
        expr: &'a Expr,
    ) -> Result<ScalarValue> {
        let a = self.scalar(frame, a)?;
        self.trap(a.unary(op), expr.span)
    }

    fn binary(
        &mut self,
        frame: &Frame<'a>,
        op: BinaryOp,
        a: &'a Expr,
        b: &'a Expr,
        expr: &'a Expr,
    ) -> Result<ScalarValue> {
        let first = self.scalar(frame, a)?;
        match op {
            BinaryOp::LogicAnd if !first.is_true() => return Ok(ScalarValue::Bool(false)),
            BinaryOp::LogicOr if first.is_true() => return Ok(ScalarValue::Bool(true)),
            _ => {}
        }
        let second = self.scalar(frame, b)?;
        match op {
            BinaryOp::LogicAnd | BinaryOp::LogicOr => Ok(ScalarValue::Bool(second.is_true())),
            _ => self.trap(first.binary(op, second), expr.span),
        }
    }

    fn cast(&mut self, frame: &Frame<'a>, value: &'a Expr, expr: &'a Expr) -> Result<ScalarValue> {
        let value = self.scalar(frame, value)?;
        let ty = expr.ty.scalar().unwrap_or(value.ty());
        self.trap(value.cast(ty), expr.span)
    }

    fn select(
        &mut self,
        frame: &Frame<'a>,
        condition: &'a Expr,
        then: &'a Expr,
        otherwise: &'a Expr,
    ) -> Result<ScalarValue> {
        let branch = if self.condition(frame, condition)? {
            then
        } else {
            otherwise
        };
        self.scalar(frame, branch)
    }

    fn scalar_call(
        &mut self,
        frame: &Frame<'a>,
        function: FunctionId,
        arguments: &'a [Argument],
        expr: &'a Expr,
    ) -> Result<ScalarValue> {
        match self.call(frame, function, arguments, expr.span)? {
            Some(Value::Scalar(value)) => Ok(value),
            _ => self.fault(FaultKind::Invalid("the call gives no scalar"), expr.span),
        }
    }

    pub(super) fn condition(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<bool> {
        Ok(self.scalar(frame, expr)?.is_true())
    }

    fn math(
        &mut self,
        frame: &Frame<'a>,
        function: MathFn,
        arguments: &'a [Expr],
        expr: &'a Expr,
    ) -> Result<ScalarValue> {
        let mut values = [ScalarValue::Bool(false); 3];
        let Some(values) = values.get_mut(..arguments.len()) else {
            return self.fault(
                FaultKind::Invalid("a function with more than three arguments"),
                expr.span,
            );
        };
        for (value, argument) in values.iter_mut().zip(arguments) {
            *value = self.scalar(frame, argument)?;
        }
        self.report.tolerance_ulp = self
            .report
            .tolerance_ulp
            .max(value::tolerance_ulp(function));
        let value = self.trap(value::math(function, values), expr.span)?;
        // C's `isnan` is an `int`, ours a `Bool`; the expression says which is meant.
        let ty = expr.ty.scalar().unwrap_or(value.ty());
        self.trap(value.cast(ty), expr.span)
    }

    /// The value of any expression.
    pub(super) fn value(&mut self, frame: &Frame<'a>, expr: &'a Expr) -> Result<Value> {
        if !matches!(expr.ty, Type::Struct(_)) {
            return self.scalar(frame, expr).map(Value::Scalar);
        }
        self.enter(expr.span)?;
        let value = match &expr.kind {
            ExprKind::Load(place) => {
                let pointer = self.resolve(frame, place)?;
                let bytes = size_of(&place.ty, self.module);
                self.touch(frame, place, &pointer, bytes, Kind::Read)?;
                let written = self.memory.written(&pointer, bytes).map(<[bool]>::to_vec);
                Value::Struct(self.memory.read(&pointer, bytes).to_vec(), written)
            }
            ExprKind::Select(condition, then, otherwise) => {
                let branch = if self.condition(frame, condition)? {
                    then
                } else {
                    otherwise
                };
                self.value(frame, branch)?
            }
            ExprKind::Call(function, arguments) => match self
                .call(frame, *function, arguments, expr.span)?
            {
                Some(value) => value,
                None => {
                    return self.fault(FaultKind::Invalid("the call gives no struct"), expr.span);
                }
            },
            _ => return self.fault(FaultKind::Invalid("an operator on structs"), expr.span),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Reads a scalar from where a place leads.
    pub(super) fn load_scalar(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
    ) -> Result<ScalarValue> {
        let Type::Scalar(ty) = place.ty else {
            return self.fault(
                FaultKind::Invalid("a scalar place is expected here"),
                place.span,
            );
        };
        let pointer = self.resolve(frame, place)?;
        self.touch(frame, place, &pointer, ty.bytes(), Kind::Read)?;
        if !self.memory.is_written(&pointer, ty.bytes()) {
            return self.fault(
                FaultKind::Uninitialised {
                    name: frame.name(place.root).into(),
                },
                place.span,
            );
        }
        match ScalarValue::from_bytes(ty, self.memory.read(&pointer, ty.bytes())) {
            Some(value) => Ok(value),
            None => self.fault(FaultKind::Invalid("a place without memory"), place.span),
        }
    }

    /// Writes a scalar or struct to where a place leads.
    pub(super) fn store(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
        value: &Value,
    ) -> Result<()> {
        let pointer = self.resolve(frame, place)?;
        let bytes = size_of(&place.ty, self.module);
        self.touch(frame, place, &pointer, bytes, Kind::Write)?;
        self.write(frame, place, &pointer, value)
    }

    /// Writes what [`Self::touch`] has allowed.
    pub(super) fn write(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
        pointer: &Pointer,
        value: &Value,
    ) -> Result<()> {
        let stored = match value {
            Value::Scalar(value) if place.ty == Type::Scalar(value.ty()) => self
                .memory
                .write(pointer, &value.to_bytes()[..value.ty().bytes()]),
            Value::Struct(bytes, written) if bytes.len() == size_of(&place.ty, self.module) => {
                let stored = self.memory.write(pointer, bytes);
                if let Some(written) = written {
                    self.refuse_holes_in_global(frame, place, pointer, written)?;
                    self.memory.mark(pointer, written);
                }
                stored
            }
            _ => {
                return self.fault(
                    FaultKind::Invalid("a value of another type is assigned"),
                    place.span,
                );
            }
        };
        if stored {
            Ok(())
        } else {
            self.fault(
                FaultKind::Invalid("constant memory is assigned"),
                place.span,
            )
        }
    }

    /// Global memory counts as written, so that a struct may go there only when all its fields were.
    fn refuse_holes_in_global(
        &self,
        frame: &Frame<'a>,
        place: &'a Place,
        pointer: &Pointer,
        written: &[bool],
    ) -> Result<()> {
        let mut has_hole = false;
        super::layout::for_each_scalar(&place.ty, self.module, 0, &mut |ty, at| {
            has_hole |= written
                .get(at..at + ty.bytes())
                .is_none_or(|flags| flags.contains(&false));
        });
        if has_hole && self.options.checks && matches!(pointer.space, Space::Global(_)) {
            let name = format!(
                "a field of the struct that `{}` takes",
                frame.name(place.root)
            );
            return self.fault(FaultKind::Uninitialised { name }, place.span);
        }
        Ok(())
    }

    /// Checks bounds, group variables and races for an access to `bytes` bytes.
    pub(super) fn touch(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
        pointer: &Pointer,
        bytes: usize,
        kind: Kind,
    ) -> Result<()> {
        let name = || frame.name(place.root).to_owned();
        if pointer.space == Space::Null {
            return self.fault(FaultKind::Null { name: name() }, place.span);
        }
        if !pointer.covers(bytes) {
            let (byte, bytes) = (
                pointer.at.saturating_sub(pointer.lo),
                pointer.hi - pointer.lo,
            );
            return self.fault(
                FaultKind::OutOfBounds {
                    name: name(),
                    byte,
                    bytes,
                },
                place.span,
            );
        }
        if kind != Kind::Read && self.is_group_variable(pointer) {
            return self.fault(FaultKind::GroupVariable { name: name() }, place.span);
        }
        let buffer = match pointer.space {
            Space::Global(buffer) => Some(buffer),
            Space::Shared => None,
            _ => return Ok(()),
        };
        let (group, phase, item) = (
            self.at.group,
            self.at.phase,
            self.at.item.unwrap_or(GROUP_LEVEL),
        );
        let access = Access {
            place: place.span,
            kind,
            group,
            phase,
            item,
        };
        let recorded = self.shadow.as_mut().map_or(Ok(()), |s| {
            s.record(buffer, pointer.at as usize, bytes, access)
        });
        recorded.or_else(|other| {
            let other_item = self.describe(&other);
            let (writes, other_writes) = (kind != Kind::Read, other.kind != Kind::Read);
            self.fault(
                FaultKind::Race {
                    name: name(),
                    writes,
                    other: other.place,
                    other_item,
                    other_writes,
                },
                place.span,
            )
        })
    }

    fn describe(&self, access: &Access<Span>) -> String {
        let group = indices(u64::from(access.group), self.at.outer);
        match access.item {
            GROUP_LEVEL => format!("group {group:?} outside of its inner loops"),
            item => format!(
                "group {group:?}, item {:?}",
                indices(u64::from(item), self.at.inner)
            ),
        }
    }

    /// Where a place lies. Subscripts of known dimensions are checked here, the whole extent by [`Self::touch`].
    pub(super) fn resolve(&mut self, frame: &Frame<'a>, place: &'a Place) -> Result<Pointer> {
        let mut pointer = self.root(frame, place)?;
        if place.path.is_empty() {
            return Ok(pointer);
        }
        let Some(variable) = frame.body.vars.get(place.root.0 as usize) else {
            return self.fault(FaultKind::Invalid("no such variable"), place.span);
        };
        let mut cursor = Cursor::new(&variable.ty);
        for projection in &place.path {
            let moved = match projection {
                Projection::Index(index) => {
                    let k = self.index(frame, index)?;
                    self.subscript(frame, place, &mut cursor, k)?
                }
                Projection::Flat(index) => {
                    let k = self.index(frame, index)?;
                    cursor = Cursor {
                        element: cursor.element,
                        dims: &[],
                        rows: false,
                    };
                    k.checked_mul(size_of(cursor.element, self.module) as i64)
                }
                Projection::Field(number) => {
                    let field = match cursor.element {
                        Type::Struct(id) => self.module.structs.get(id.0 as usize),
                        _ => None,
                    }
                    .and_then(|s| s.fields.get(*number as usize));
                    let Some(field) = field else {
                        return self.fault(FaultKind::Invalid("no such field"), place.span);
                    };
                    cursor = Cursor::new(&field.ty);
                    i64::try_from(field.offset).ok()
                }
            };
            match moved.and_then(|bytes| pointer.at.checked_add(bytes)) {
                Some(at) => pointer.at = at,
                None => {
                    let trap = Trap::Overflow(crate::ir::Scalar::I64);
                    return self.fault(FaultKind::Arithmetic(trap), place.span);
                }
            }
        }
        Ok(pointer)
    }

    fn index(&mut self, frame: &Frame<'a>, index: &'a Expr) -> Result<i64> {
        match self.scalar(frame, index)?.as_i64() {
            Some(value) => Ok(value),
            None => self.fault(
                FaultKind::Arithmetic(Trap::Overflow(crate::ir::Scalar::I64)),
                index.span,
            ),
        }
    }

    /// Bytes that one subscript moves by; `None` where they overflow.
    fn subscript(
        &self,
        frame: &Frame<'a>,
        place: &'a Place,
        cursor: &mut Cursor<'a>,
        index: i64,
    ) -> Result<Option<i64>> {
        if cursor.rows {
            cursor.rows = false;
        } else if let Some((&size, rest)) = cursor.dims.split_first() {
            if index < 0 || index >= i64::from(size) {
                let name = frame.name(place.root).to_owned();
                return self.fault(FaultKind::Dimension { name, index, size }, place.span);
            }
            cursor.dims = rest;
        } else {
            return self.fault(FaultKind::Invalid("a subscript too many"), place.span);
        }
        let element = size_of(cursor.element, self.module) as i64;
        let stride = cursor
            .dims
            .iter()
            .try_fold(element, |n, &d| n.checked_mul(i64::from(d)));
        Ok(stride.and_then(|stride| stride.checked_mul(index)))
    }

    fn root(&self, frame: &Frame<'a>, place: &'a Place) -> Result<Pointer> {
        self.variable(frame, place.root, place.span)
    }

    /// The memory of a variable; for a pointer parameter, what it points to.
    pub(super) fn variable(&self, frame: &Frame<'a>, id: VarId, span: Span) -> Result<Pointer> {
        let (space, base, offset, bytes) = match frame.home(id) {
            Home::Frame { offset, bytes } => (Space::Stack, frame.base, offset, bytes),
            Home::Pointer(number) => {
                let pointer = frame.pointers.get(number).copied();
                return pointer.map_or_else(
                    || self.fault(FaultKind::Invalid("a pointer was not passed"), span),
                    Ok,
                );
            }
            Home::Shared { offset, bytes } => (Space::Shared, 0, offset, bytes),
            Home::Exclusive { offset, bytes } => match self.at.item {
                Some(item) => (
                    Space::Exclusive,
                    item as usize * frame.layout.exclusive_bytes,
                    offset,
                    bytes,
                ),
                None => {
                    return self.fault(
                        FaultKind::Invalid("an exclusive variable outside of inner loops"),
                        span,
                    );
                }
            },
            Home::Constant { offset, bytes } => (Space::Constant, 0, offset, bytes),
            Home::Nowhere => {
                return self.fault(FaultKind::Invalid("a variable without memory"), span);
            }
        };
        let lo = (base + offset) as i64;
        Ok(Pointer {
            space,
            at: lo,
            lo,
            hi: lo + bytes as i64,
        })
    }

    /// Whether a write there would be one item's to what its group has in common.
    pub(super) fn is_group_variable(&self, pointer: &Pointer) -> bool {
        pointer.space == Space::Stack
            && self.at.item.is_some()
            && (pointer.at as usize) < self.at.item_start
    }
}

/// Indices along axes 0, 1, 2 of a linear number, axis 0 fastest.
pub(super) fn indices(linear: u64, sizes: [u64; 3]) -> [u64; 3] {
    let (x, y) = (sizes[0].max(1), sizes[1].max(1));
    [linear % x, linear / x % y, linear / x / y]
}
