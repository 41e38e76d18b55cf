//! Runs a kernel's host part: evaluates bounds and host variables, and reports each launch with its sizes.
//! Invariant: allocates nothing, except stack for deep expressions where little is left, and never panics; the only loops
//! are those that the kernel's author wrote.

use super::{HostExpr, HostExprKind, HostOp, HostPlaces, NestSignature, Signature};
use crate::deep_stack::with_room;
use crate::ir::Scalar;
use crate::ir::value::{self, ScalarValue, Trap};
use std::fmt;

/// The scalar parameters of one call.
pub trait HostParams {
    /// Value of parameter `position`, of the type that the signature gives it; `None` for a pointer or struct.
    fn scalar(&self, position: u32) -> Option<ScalarValue>;

    /// The bits of that value, by which launches tell numbers apart; zero where there is none.
    fn bits(&self, position: u32) -> u64 {
        self.scalar(position).map_or(0, ScalarValue::bits)
    }

    /// Elements of the memory passed for parameter `position`, 0 for null; `None` where that is not known.
    fn length(&self, _position: u32) -> Option<u64> {
        None
    }

    /// The least and the greatest element of the memory passed for parameter `position`; `None` where that is not known, or
    /// may change.
    fn contents(&self, _position: u32) -> Option<[i64; 2]> {
        None
    }
}

impl HostParams for [ScalarValue] {
    fn scalar(&self, position: u32) -> Option<ScalarValue> {
        self.get(position as usize).copied()
    }
}

impl HostParams for [Option<ScalarValue>] {
    fn scalar(&self, position: u32) -> Option<ScalarValue> {
        self.get(position as usize).copied().flatten()
    }
}

/// One launch that the host part asks for.
#[derive(Clone, Copy, Debug)]
pub struct NestLaunch<'a> {
    /// Index into [`Signature::nests`].
    pub nest: usize,
    /// Groups along axes 0, 1, 2; all > 0, their product fits `i64`.
    pub outer: [u64; 3],
    /// Items of a group along axes 0, 1, 2; all > 0, their product fits `i64`.
    pub inner: [u64; 3],
    /// Values of the host variables, for [`super::NestArgument::Slot`].
    pub slots: &'a [ScalarValue],
}

/// Why a host part did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HostError<E> {
    /// Arithmetic without a result.
    Arithmetic(HostPart, Trap),
    /// More groups, or more items in a group, than `i64` counts.
    Size(HostPart),
    /// A parameter, slot or nest that the signature does not have, or too few slots.
    Signature(&'static str),
    /// The caller's launch failed.
    Launch(E),
}

/// What was being evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPart {
    /// Host variable number `n`.
    Slot(u32),
    /// The condition of an `if` or a loop.
    Condition,
    /// The size of a `@shared` array.
    SharedSize,
    /// Number of groups of nest `nest` along an axis.
    Outer {
        /// Index into [`Signature::nests`].
        nest: u32,
        /// 0, 1 or 2.
        axis: u8,
    },
    /// Number of items of nest `nest` along an axis.
    Inner {
        /// Index into [`Signature::nests`].
        nest: u32,
        /// 0, 1 or 2.
        axis: u8,
    },
}

impl fmt::Display for HostPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Slot(_) => f.write_str("a variable of the host part"),
            Self::Condition => f.write_str("a condition of the host part"),
            Self::SharedSize => f.write_str("the size of a `@shared` array"),
            Self::Outer { .. } => f.write_str("the bound of an `@outer` loop"),
            Self::Inner { .. } => f.write_str("the bound of an `@inner` loop"),
        }
    }
}

impl<E: fmt::Display> HostError<E> {
    /// The same with the place in the source, where that is known.
    pub fn at(&self, places: &HostPlaces) -> String {
        let (Self::Arithmetic(part, _) | Self::Size(part)) = self else { return self.to_string() };
        match places.of(*part) {
            Some(place) => format!("{place}: {self}"),
            None => self.to_string(),
        }
    }
}

impl<E: fmt::Display> fmt::Display for HostError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arithmetic(part, trap) => write!(f, "{part}: {trap}"),
            Self::Size(part) => {
                write!(f, "{part}: the sizes of all axes together overflow 64 bits")
            }
            Self::Signature(what) => write!(f, "the signature does not fit itself: {what}"),
            Self::Launch(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for HostError<E> {}

enum Flow {
    Next,
    Return,
}

impl Signature {
    /// Runs the host part and calls `on_launch` for every nest that has something to do: one with no groups or no
    /// items is skipped. `slots` is scratch of at least `self.slots.len()` values; what it holds does not matter.
    /// # Errors
    /// The first arithmetic or size that has no value, and whatever `on_launch` answers.
    pub fn run_host<E>(
        &self,
        params: &(impl HostParams + ?Sized),
        slots: &mut [ScalarValue],
        on_launch: &mut dyn FnMut(&NestLaunch<'_>) -> Result<(), E>,
    ) -> Result<(), HostError<E>> {
        let slots = slots.get_mut(..self.slots.len()).ok_or(HostError::Signature("too few slots"))?;
        for (slot, &ty) in slots.iter_mut().zip(&self.slots) {
            *slot = ScalarValue::zero(ty);
        }
        self.run_ops(&self.host, params, slots, on_launch).map(|_| ())
    }

    fn run_ops<E>(
        &self,
        ops: &[HostOp],
        params: &(impl HostParams + ?Sized),
        slots: &mut [ScalarValue],
        on_launch: &mut dyn FnMut(&NestLaunch<'_>) -> Result<(), E>,
    ) -> Result<Flow, HostError<E>> {
        for op in ops {
            let flow = match op {
                HostOp::Set(slot, value) => {
                    let value =
                        evaluate(value, params, slots).map_err(|t| HostError::Arithmetic(HostPart::Slot(*slot), t))?;
                    *slots.get_mut(*slot as usize).ok_or(HostError::Signature("no such slot"))? = value;
                    Flow::Next
                }
                HostOp::If(condition, then, otherwise) => {
                    let branch = if holds(condition, params, slots)? { then } else { otherwise };
                    with_room(|| self.run_ops(branch, params, slots, on_launch))?
                }
                HostOp::Loop(condition, body) => {
                    let mut flow = Flow::Next;
                    while matches!(flow, Flow::Next) && holds(condition, params, slots)? {
                        flow = with_room(|| self.run_ops(body, params, slots, on_launch))?;
                    }
                    flow
                }
                HostOp::Launch(nest) => {
                    let signature = self.nests.get(*nest as usize).ok_or(HostError::Signature("no such nest"))?;
                    if let Some([outer, inner]) = signature.sizes(*nest, params, slots)? {
                        on_launch(&NestLaunch { nest: *nest as usize, outer, inner, slots })
                            .map_err(HostError::Launch)?;
                    }
                    Flow::Next
                }
                HostOp::Return => Flow::Return,
            };
            if matches!(flow, Flow::Return) {
                return Ok(Flow::Return);
            }
        }
        Ok(Flow::Next)
    }
}

impl NestSignature {
    /// Groups and items along each axis; `None` where there are none.
    fn sizes<E>(
        &self,
        nest: u32,
        params: &(impl HostParams + ?Sized),
        slots: &[ScalarValue],
    ) -> Result<Option<[[u64; 3]; 2]>, HostError<E>> {
        let mut sizes = [[0u64; 3]; 2];
        for axis in 0..3u8 {
            let part = HostPart::Outer { nest, axis };
            sizes[0][usize::from(axis)] = count(&self.outer[usize::from(axis)], params, slots, part)?;
            let part = HostPart::Inner { nest, axis };
            for region in &self.inner[usize::from(axis)] {
                let items = count(region, params, slots, part)?;
                let most = &mut sizes[1][usize::from(axis)];
                *most = (*most).max(items);
            }
            if self.inner[usize::from(axis)].is_empty() {
                sizes[1][usize::from(axis)] = 1;
            }
        }
        if sizes.as_flattened().contains(&0) {
            return Ok(None);
        }
        for (which, part) in
            [HostPart::Outer { nest, axis: 0 }, HostPart::Inner { nest, axis: 0 }].into_iter().enumerate()
        {
            let total = sizes[which].iter().try_fold(1u64, |product, &n| product.checked_mul(n));
            if total.is_none_or(|total| i64::try_from(total).is_err()) {
                return Err(HostError::Size(part));
            }
        }
        Ok(Some(sizes))
    }
}

/// A count below zero is zero; a count above `i64` cannot be.
fn count<E>(
    expr: &HostExpr,
    params: &(impl HostParams + ?Sized),
    slots: &[ScalarValue],
    part: HostPart,
) -> Result<u64, HostError<E>> {
    let value = evaluate(expr, params, slots).map_err(|trap| HostError::Arithmetic(part, trap))?;
    let value = value.integer().ok_or(HostError::Signature("a bound that is no integer"))?;
    i64::try_from(value.max(0)).map(i64::cast_unsigned).map_err(|_| HostError::Size(part))
}

fn holds<E>(expr: &HostExpr, params: &(impl HostParams + ?Sized), slots: &[ScalarValue]) -> Result<bool, HostError<E>> {
    let value = evaluate(expr, params, slots).map_err(|trap| HostError::Arithmetic(HostPart::Condition, trap))?;
    Ok(value.is_true())
}

/// Levels of an expression that are evaluated without a look at the stack, which takes as long as one of them.
const LEVELS: u32 = 8;

/// The value of a host expression. A parameter or slot that does not exist is a [`Trap::Type`].
/// # Errors
/// Arithmetic that C leaves undefined.
pub fn evaluate(expr: &HostExpr, params: &(impl HostParams + ?Sized), slots: &[ScalarValue]) -> value::Result {
    below(expr, params, slots, 1)
}

/// The value of a part that stands so many levels deep.
fn part(expr: &HostExpr, params: &(impl HostParams + ?Sized), slots: &[ScalarValue], level: u32) -> value::Result {
    if level.is_multiple_of(LEVELS) {
        return with_room(|| below(expr, params, slots, level + 1));
    }
    below(expr, params, slots, level + 1)
}

/// The value of an expression whose parts stand so many levels deep.
fn below(expr: &HostExpr, params: &(impl HostParams + ?Sized), slots: &[ScalarValue], level: u32) -> value::Result {
    use crate::ir::BinaryOp::{LogicAnd, LogicOr};
    let part = |expr: &HostExpr| part(expr, params, slots, level);
    match &expr.kind {
        HostExprKind::Literal(literal) => Ok(ScalarValue::from_literal(*literal, expr.ty)),
        HostExprKind::Param(position) => params.scalar(*position).ok_or(Trap::Type(expr.ty)),
        HostExprKind::Slot(slot) => slots.get(*slot as usize).copied().ok_or(Trap::Type(expr.ty)),
        HostExprKind::Length(position) => {
            let most =
                if expr.ty == Scalar::I32 { u64::from(i32::MAX.unsigned_abs()) } else { i64::MAX.unsigned_abs() };
            let length = params.length(*position).ok_or(Trap::Type(expr.ty))?.min(most);
            Ok(ScalarValue::from_integer(length.into(), expr.ty))
        }
        HostExprKind::Lowest(position) | HostExprKind::Highest(position) => {
            let [lowest, highest] = params.contents(*position).ok_or(Trap::Type(expr.ty))?;
            let is_lowest = matches!(expr.kind, HostExprKind::Lowest(_));
            Ok(ScalarValue::I64(if is_lowest { lowest } else { highest }))
        }
        HostExprKind::Unary(op, a) => part(a)?.unary(*op),
        HostExprKind::Binary(op @ (LogicAnd | LogicOr), a, b) => {
            let first = part(a)?.is_true();
            let decided = first == (*op == LogicOr);
            Ok(ScalarValue::Bool(if decided { first } else { part(b)?.is_true() }))
        }
        HostExprKind::Binary(op, a, b) => part(a)?.binary(*op, part(b)?),
        HostExprKind::Cast(a) => part(a)?.cast(expr.ty),
        HostExprKind::Select(condition, then, otherwise) => {
            part(if part(condition)?.is_true() { then } else { otherwise })
        }
        HostExprKind::Math(function, arguments) => {
            let mut values = [ScalarValue::Bool(false); 3];
            let values = values.get_mut(..arguments.len()).ok_or(Trap::Type(expr.ty))?;
            for (value, argument) in values.iter_mut().zip(arguments) {
                *value = part(argument)?;
            }
            value::math(*function, values)?.cast(expr.ty)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::HostOps;
    use super::*;
    use crate::ir::{BinaryOp, Literal, Scalar};

    fn int(value: i64, ty: Scalar) -> HostExpr {
        HostExpr { ty, kind: HostExprKind::Literal(Literal::Int(value)) }
    }

    fn binary(op: BinaryOp, a: HostExpr, b: HostExpr, ty: Scalar) -> HostExpr {
        HostExpr { ty, kind: HostExprKind::Binary(op, Box::new(a), Box::new(b)) }
    }

    fn param(position: u32, ty: Scalar) -> HostExpr {
        HostExpr { ty, kind: HostExprKind::Param(position) }
    }

    fn slot(slot: u32, ty: Scalar) -> HostExpr {
        HostExpr { ty, kind: HostExprKind::Slot(slot) }
    }

    fn signature(host: Vec<HostOp>, outer: HostExpr, inner: Vec<HostExpr>) -> Signature {
        let mut nest = NestSignature::new("k_0");
        nest.outer[0] = outer;
        nest.inner[0] = inner;
        Signature {
            kernel: "k".into(),
            params: vec![],
            slots: vec![Scalar::I32],
            host,
            nests: vec![nest],
            sizes: Vec::new(),
            faults: false,
            lines: Vec::new(),
            prints: false,
            checked: vec![],
            places: super::super::HostPlaces::default(),
        }
    }

    type Sizes = ([u64; 3], [u64; 3]);

    fn launches(signature: &Signature, params: &[ScalarValue]) -> Result<Vec<Sizes>, HostError<&'static str>> {
        let mut slots = [ScalarValue::Bool(false); 4];
        let mut seen = Vec::new();
        signature.run_host(params, &mut slots, &mut |launch| {
            seen.push((launch.outer, launch.inner));
            Ok(())
        })?;
        Ok(seen)
    }

    #[test]
    fn a_loop_launches_with_sizes_that_follow_its_variable() {
        let update = binary(BinaryOp::Add, slot(0, Scalar::I32), int(1, Scalar::I32), Scalar::I32);
        let below = binary(BinaryOp::Lt, slot(0, Scalar::I32), param(0, Scalar::I32), Scalar::Bool);
        let host = vec![
            HostOp::Set(0, int(0, Scalar::I32)),
            HostOp::Loop(below, vec![HostOp::Launch(0), HostOp::Set(0, update)].into()),
        ];
        let signature = signature(host, slot(0, Scalar::I32), vec![int(4, Scalar::I64), int(6, Scalar::I64)]);
        // The launch with no groups is skipped; regions of 4 and 6 items need 6.
        assert_eq!(launches(&signature, &[3i32.into()]), Ok(vec![([1, 1, 1], [6, 1, 1]), ([2, 1, 1], [6, 1, 1])]));
    }

    #[test]
    fn return_ends_the_kernel_from_within_a_branch() {
        let condition = binary(BinaryOp::Gt, param(0, Scalar::I32), int(0, Scalar::I32), Scalar::Bool);
        let host = vec![HostOp::If(condition, vec![HostOp::Return].into(), HostOps::default()), HostOp::Launch(0)];
        let signature = signature(host, int(1, Scalar::I64), vec![int(1, Scalar::I64)]);
        assert_eq!(launches(&signature, &[1i32.into()]), Ok(vec![]));
        assert_eq!(launches(&signature, &[0i32.into()]).map(|l| l.len()), Ok(1));
    }

    #[test]
    fn undefined_sizes_are_named() {
        let by_zero = binary(BinaryOp::Div, int(8, Scalar::I32), param(0, Scalar::I32), Scalar::I32);
        let divided = signature(vec![HostOp::Launch(0)], by_zero, vec![int(1, Scalar::I64)]);
        let error = launches(&divided, &[0i32.into()]).unwrap_err();
        assert_eq!(error, HostError::Arithmetic(HostPart::Outer { nest: 0, axis: 0 }, Trap::DivisionByZero));
        assert_eq!(error.to_string(), "the bound of an `@outer` loop: integer division by zero");

        let mut huge = signature(vec![HostOp::Launch(0)], int(1 << 40, Scalar::I64), vec![int(1, Scalar::I64)]);
        huge.nests[0].outer[1] = int(1 << 40, Scalar::I64);
        assert_eq!(launches(&huge, &[]), Err(HostError::Size(HostPart::Outer { nest: 0, axis: 0 })));

        let unsigned = signature(vec![HostOp::Launch(0)], int(-1, Scalar::U64), vec![int(1, Scalar::I64)]);
        assert_eq!(launches(&unsigned, &[]), Err(HostError::Size(HostPart::Outer { nest: 0, axis: 0 })));
    }

    #[test]
    fn a_guarded_division_is_not_evaluated() {
        let n = || param(0, Scalar::I32);
        let nonzero = binary(BinaryOp::Ne, n(), int(0, Scalar::I32), Scalar::Bool);
        let quotient = binary(BinaryOp::Div, int(8, Scalar::I32), n(), Scalar::I32);
        let guarded = HostExpr {
            ty: Scalar::I32,
            kind: HostExprKind::Select(Box::new(nonzero), Box::new(quotient), Box::new(int(0, Scalar::I32))),
        };
        let params: &[ScalarValue] = &[0i32.into()];
        assert_eq!(evaluate(&guarded, params, &[]), Ok(0i32.into()));
    }

    #[test]
    fn a_failed_launch_ends_the_run() {
        let signature = signature(vec![HostOp::Launch(0), HostOp::Launch(0)], int(1, Scalar::I64), vec![]);
        let mut slots = [ScalarValue::Bool(false)];
        let mut calls = 0;
        let params: &[ScalarValue] = &[];
        let got = signature.run_host(params, &mut slots, &mut |_| {
            calls += 1;
            Err("device lost")
        });
        assert_eq!((got, calls), (Err(HostError::Launch("device lost")), 1));
    }

    #[test]
    fn too_few_slots_are_refused() {
        let signature = signature(vec![], int(1, Scalar::I64), vec![]);
        let params: &[ScalarValue] = &[];
        let got = signature.run_host(params, &mut [], &mut |_| Ok::<(), ()>(()));
        assert_eq!(got, Err(HostError::Signature("too few slots")));
    }
}
