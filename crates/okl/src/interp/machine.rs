//! The state of a run, and what every part of the walk needs of it.

use super::fault::{Fault, FaultKind, operation};
use super::layout::{BodyLayout, Home, Layouts};
use super::memory::{Memory, Pointer};
use super::race::Shadow;
use super::{Options, Report};
use crate::ir::value::{self, ScalarValue};
use crate::ir::{Body, Module, VarId};
use crate::source::Span;
use std::sync::Mutex;

pub(super) type Result<T> = std::result::Result<T, Box<Fault>>;

/// Deepest nesting of calls, statements and expressions together; it bounds the native stack.
const MAX_DEPTH: u32 = 700;

/// The state of a run.
pub(super) struct Machine<'a> {
    pub(super) module: &'a Module,
    pub(super) layouts: &'a Layouts,
    pub(super) options: Options,
    pub(super) memory: Memory<'a>,
    pub(super) shadow: Option<Shadow<Span>>,
    pub(super) at: Position,
    pub(super) report: Report,
    pub(super) depth: u32,
    /// Value of the function that returned last.
    pub(super) result: Option<Value>,
    /// What the kernel's pointer parameters point to, by position.
    pub(super) pointers: Vec<Pointer>,
    /// Items that have executed `return`, or that ran beside those of another group.
    pub(super) done: Vec<bool>,
    /// What `printf` has printed.
    pub(super) printed: &'a Mutex<Vec<u8>>,
}

/// Where a run is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// Groups and items of the nest that runs.
    pub(super) outer: [u64; 3],
    pub(super) inner: [u64; 3],
    pub(super) group: u32,
    /// The number along axis 0 of the group whose items run beside those of this one.
    pub(super) next: Option<u64>,
    /// The groups that loops run.
    pub(super) range: [u64; 2],
    /// Barriers passed in this group: one before each region and one after it.
    pub(super) phase: u32,
    /// The items of the last region meet for an exchange only.
    pub(super) exchanged: bool,
    /// `None` outside of regions.
    pub(super) item: Option<u32>,
    /// `false` in the host part.
    pub(super) in_nest: bool,
    /// Bytes of the memory that an item keeps from region to region.
    pub(super) exclusive_bytes: usize,
    /// Variables of the frame below this byte belong to the group.
    pub(super) item_start: usize,
}

/// The variables of one activation.
pub(super) struct Frame<'a> {
    pub(super) body: &'a Body,
    pub(super) layout: &'a BodyLayout,
    /// First byte on the stack.
    pub(super) base: usize,
    /// What its pointer parameters point to, by the position of the parameter.
    pub(super) pointers: Vec<Pointer>,
}

impl<'a> Frame<'a> {
    pub(super) fn name(&self, id: VarId) -> &'a str {
        self.body.vars.get(id.0 as usize).map_or("?", |v| &v.name)
    }

    pub(super) fn home(&self, id: VarId) -> Home {
        self.layout.homes.get(id.0 as usize).copied().unwrap_or(Home::Nowhere)
    }
}

/// A scalar, or a struct's bytes.
#[derive(Debug)]
pub(super) enum Value {
    Scalar(ScalarValue),
    /// The bytes and, where known, which of them were written.
    Struct(Vec<u8>, Option<Vec<bool>>),
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        module: &'a Module,
        layouts: &'a Layouts,
        options: Options,
        memory: Memory<'a>,
        printed: &'a Mutex<Vec<u8>>,
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
            pointers: Vec::new(),
            done: Vec::new(),
            printed,
        }
    }

    /// A fault of whoever runs now.
    pub(super) fn fault<T>(&self, kind: FaultKind, span: Span) -> Result<T> {
        let mut fault = Fault::new(kind, span);
        fault.item = self
            .at
            .item
            .map(|item| (indices(u64::from(self.at.group), self.at.outer), indices(u64::from(item), self.at.inner)));
        Err(fault)
    }

    pub(super) fn trap(&self, result: value::Result, span: Span) -> Result<ScalarValue> {
        match result {
            Ok(value) => Ok(value),
            Err(trap) => self.fault(FaultKind::Arithmetic(trap), span),
        }
    }

    /// The result of arithmetic on values, which a fault tells.
    pub(super) fn computed(
        &self,
        result: value::Result,
        symbol: &str,
        operands: &[ScalarValue],
        span: Span,
    ) -> Result<ScalarValue> {
        match result {
            Ok(value) if self.options.finite => self.finite(value, operands, span),
            Err(_) => self.trap(result, span).map_err(|mut fault| {
                fault.operation = Some(operation(symbol, operands));
                fault
            }),
            ok => self.trap(ok, span),
        }
    }

    /// Refuses a NaN or an infinity that is made of finite values.
    fn finite(&self, value: ScalarValue, operands: &[ScalarValue], span: Span) -> Result<ScalarValue> {
        let is_finite = |value: &ScalarValue| value.float().is_some_and(f64::is_finite);
        match value.float() {
            Some(number) if !number.is_finite() && operands.iter().all(is_finite) => {
                self.fault(FaultKind::NotFinite { value: number }, span)
            }
            _ => Ok(value),
        }
    }

    /// Counts a step of the run.
    pub(super) fn step(&mut self, span: Span) -> Result<()> {
        self.report.steps += 1;
        if self.report.steps > self.options.step_limit {
            let limit = self.options.step_limit;
            return self.fault(FaultKind::Limit(format!("the run does not end within {limit} steps")), span);
        }
        Ok(())
    }

    /// Goes one level deeper; the caller takes `depth` back when it succeeds, and a failure ends the run.
    pub(super) fn enter(&mut self, span: Span) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fault(FaultKind::Limit(format!("nesting deeper than {MAX_DEPTH} levels")), span);
        }
        Ok(())
    }
}

/// Indices along axes 0, 1, 2 of a linear number, axis 0 fastest.
pub(super) fn indices(linear: u64, sizes: [u64; 3]) -> [u64; 3] {
    let (x, y) = (sizes[0].max(1), sizes[1].max(1));
    [linear % x, linear / x % y, linear / x / y]
}
