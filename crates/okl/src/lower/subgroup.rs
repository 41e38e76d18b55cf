//! Subgroup functions: values that neighbouring items give each other.
//!
//! A subgroup of width `W` is `W` items that follow each other along the first inner axis, the first of them at a multiple
//! of `W`. The width is said in the call and not asked of the device, so that a call means the same everywhere, to the last
//! bit: all functions are made of one exchange, and reductions have one tree, pairs of lanes `W/2`, `W/4` … 1 apart.
//!
//! An exchange is what the language has already: each item writes its value to a hidden array of the group
//! ([`Role::Exchange`]), and reads another's behind a barrier. So regions are cut there (`cut`), which also refuses what not
//! every item would reach. The barriers are the exchange's own ([`Meeting::Exchange`]): they order nothing else.

use super::constants::{arithmetic, binary, constant, convert, implicit, integer_of, promoted, select};
use super::context::{Level, Lowering};
use super::expr::Value;
use super::uniformity::{cut_in, has_cut};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::value::ScalarValue;
use crate::ir::{
    AtomicOp, Axis, BinaryOp, Expr, ExprKind, Loop, Mark, MathFn, Meeting, Place, Projection, Role, Scalar, Stmt,
    StmtKind, Type, VarId, Visitor, for_regions, walk_stmt,
};
use crate::rules;
use crate::source::Span;
use std::collections::HashMap;

/// Most lanes of a subgroup: as many as CUDA's warps have, and a word has bits.
const MOST_LANES: i128 = 32;

/// What a subgroup function does.
#[derive(Clone, Copy, PartialEq)]
enum Function {
    /// The item's number in its subgroup.
    Lane,
    /// The value of the lane that is named.
    Shuffle,
    /// The value of the lane whose number differs in these bits.
    ShuffleXor,
    /// The value of the lane that many before.
    ShuffleUp,
    /// The value of the lane that many behind.
    ShuffleDown,
    Sum,
    Min,
    Max,
    /// A word with a bit for each lane.
    Ballot,
    Any,
    All,
}

const FUNCTIONS: [(&str, Function); 11] = [
    ("subgroup_lane", Function::Lane),
    ("subgroup_shuffle", Function::Shuffle),
    ("subgroup_shuffle_xor", Function::ShuffleXor),
    ("subgroup_shuffle_up", Function::ShuffleUp),
    ("subgroup_shuffle_down", Function::ShuffleDown),
    ("subgroup_sum", Function::Sum),
    ("subgroup_min", Function::Min),
    ("subgroup_max", Function::Max),
    ("subgroup_ballot", Function::Ballot),
    ("subgroup_any", Function::Any),
    ("subgroup_all", Function::All),
];

/// What other languages call them.
const ELSEWHERE: [&str; 10] =
    ["__shfl", "__ballot", "__any", "__all", "__reduce_", "__syncwarp", "sub_group_", "subgroup", "simd_", "warp"];

/// What to write for a function that another language has for subgroups.
pub(super) fn hint_for(name: &str) -> Option<String> {
    let is_known = ELSEWHERE.iter().any(|start| name.starts_with(start));
    let names: Vec<_> = FUNCTIONS.iter().map(|of| format!("`{}`", of.0)).collect();
    is_known.then(|| format!("the subgroup functions here are {}; their last argument is the width", names.join(", ")))
}

impl Function {
    /// What it takes before the width.
    fn takes(self) -> usize {
        match self {
            Self::Lane => 0,
            Self::Shuffle | Self::ShuffleXor | Self::ShuffleUp | Self::ShuffleDown => 2,
            _ => 1,
        }
    }

    fn arguments(self) -> &'static str {
        match self {
            Self::Lane => "the width of the subgroup",
            Self::Shuffle => "a value, a lane and the width of the subgroup",
            Self::ShuffleXor => "a value, the bits of the lane to change and the width of the subgroup",
            Self::ShuffleUp | Self::ShuffleDown => "a value, a distance and the width of the subgroup",
            Self::Ballot | Self::Any | Self::All => "a condition and the width of the subgroup",
            Self::Sum | Self::Min | Self::Max => "a value and the width of the subgroup",
        }
    }
}

/// What a nest knows of its subgroups.
#[derive(Debug, Default)]
pub(super) struct Subgroups {
    /// The calls that items meet at, by their places.
    calls: HashMap<Span, &'static str>,
    /// The arrays that values are exchanged through, one for each type and width.
    arrays: Vec<VarId>,
}

/// The subgroups of a region.
struct Subgroup {
    width: u32,
    /// Of all items of a region.
    count: u32,
    /// Which subgroup the item belongs to, an `int`.
    number: Expr,
    /// Its number there, an `unsigned int`.
    lane: Expr,
}

fn word(value: u32, span: Span) -> Expr {
    constant(ScalarValue::U32(value), span)
}

impl Lowering<'_, '_> {
    /// A call of a subgroup function; `None` where `name` is none.
    pub(super) fn subgroup_call(&mut self, name: &str, arguments: &[ast::Expr], span: Span) -> Option<Lowered<Value>> {
        let &(name, function) = FUNCTIONS.iter().find(|of| of.0 == name)?;
        Some(self.subgroup_function(name, function, arguments, span).map(Value::Scalar))
    }

    fn subgroup_function(
        &mut self,
        name: &'static str,
        function: Function,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Lowered<Expr> {
        self.check_subgroup_place(name, span)?;
        let (Some((width, operands)), true) = (arguments.split_last(), arguments.len() == function.takes() + 1) else {
            let message =
                format!("`{name}` takes {}; the number of arguments here is {}", function.arguments(), arguments.len());
            return Err(self.error(rules::ARGUMENT_COUNT, span, message));
        };
        let group = self.subgroup_of(name, width, span)?;
        match (function, operands) {
            (Function::Lane, _) => Ok(convert(group.lane, Scalar::I32, true)),
            (Function::Ballot | Function::Any | Function::All, [condition]) => {
                let condition = self.condition(condition)?;
                let ballot = self.ballot(name, &group, condition, span);
                let full = word(u32::MAX >> (32 - group.width), span);
                Ok(match function {
                    Function::Any => binary(BinaryOp::Ne, ballot, word(0, span), span),
                    Function::All => binary(BinaryOp::Eq, ballot, full, span),
                    _ => ballot,
                })
            }
            (_, [value]) => {
                let value = self.exchanged_value(value)?;
                let combine = |a, b| combined(function, a, b, span);
                Ok(self.reduce(name, &group, value, combine, span))
            }
            (_, [value, lane]) => {
                let value = self.exchanged_value(value)?;
                let lane = self.source_lane(name, function, &group, lane, span)?;
                Ok(self.exchange(name, &group, value, lane, span))
            }
            _ => Err(Reported),
        }
    }

    fn check_subgroup_place(&mut self, name: &str, span: Span) -> Lowered<()> {
        let (place, hint) = match self.level {
            Level::Item => return Ok(()),
            Level::Function => (
                "in a device function, whose callers might not all reach it",
                "call it in the kernel and pass the value on, or make the function a macro",
            ),
            Level::Between => ("between two nested `@inner` loops", "move it into the innermost `@inner` loop"),
            Level::Group => ("outside of the `@inner` loops, where no item runs", "move it into an `@inner` loop"),
            Level::Host | Level::File => ("outside of the `@outer` loops", "move it into an `@inner` loop"),
        };
        let message = format!("`{name}` stands {place}");
        Err(self.report(Diagnostic::error(rules::SUBGROUP_PLACE, span, message).hint(hint)))
    }

    /// A number as it is exchanged: small integers and 16-bit floats as what C computes with.
    fn exchanged_value(&mut self, value: &ast::Expr) -> Lowered<Expr> {
        let (value, scalar) = self.number(value)?;
        Ok(implicit(value, promoted(scalar)))
    }

    /// The subgroups of this width in the region.
    fn subgroup_of(&mut self, name: &str, width: &ast::Expr, span: Span) -> Lowered<Subgroup> {
        let lanes = self.subgroup_width(name, width)?;
        if self.region.as_ref().is_some_and(|region| !region.folded.is_empty()) {
            let message = format!("`{name}` cannot stand in more than three nested `@inner` loops");
            return Err(self.error(rules::SUBGROUP_WIDTH, span, message));
        }
        let axes: Vec<Axis> = self.region.iter().flat_map(|r| &r.region.axes).flatten().cloned().collect();
        let mut counts = Vec::new();
        for axis in &axes {
            let Some(count) = integer_of(&axis.count).and_then(|count| u32::try_from(count).ok()) else {
                let message = format!("`{name}` needs `@inner` loops whose number of items is a constant");
                let finding = Diagnostic::error(rules::SUBGROUP_WIDTH, span, message);
                return Err(self.report(
                    finding
                        .label(axis.span, "this one depends on the launch")
                        .hint("run it over a constant number of items, and let those beyond the end pass a zero"),
                ));
            };
            counts.push(count);
        }
        let items = counts.iter().try_fold(1_u32, |product, &count| product.checked_mul(count)).ok_or(Reported)?;
        if let Some((&first, axis)) = counts.first().zip(axes.first()).filter(|of| of.0 % lanes != 0) {
            let message = format!("subgroups of {lanes} lanes do not divide {first} items");
            let finding = Diagnostic::error(rules::SUBGROUP_WIDTH, width.span, message)
                .label(axis.span, "lanes are neighbours along this `@inner` loop");
            return Err(
                self.report(finding.hint("the width must divide the number of items of the first `@inner` loop"))
            );
        }
        let position = axes.iter().map(|axis| self.position_on(axis, span)).collect::<Option<Vec<_>>>();
        let found = position.and_then(|position| self.subgroup_at(&position, &counts, lanes, items / lanes, span));
        found.ok_or(Reported)
    }

    /// The number of lanes.
    fn subgroup_width(&mut self, name: &str, width: &ast::Expr) -> Lowered<u32> {
        let (effects, value) = self.captured(|s| s.number(width));
        let value = self.expanded(&value?.0);
        let known = integer_of(&value).filter(|_| effects.is_empty());
        if let Some(lanes) = known.filter(|&n| (2..=MOST_LANES).contains(&n) && n & (n - 1) == 0) {
            return Ok(lanes as u32);
        }
        let message = match known {
            Some(n) => format!("a subgroup cannot have {n} lanes"),
            None => format!("the width that `{name}` takes last must be a constant"),
        };
        let finding = Diagnostic::error(rules::SUBGROUP_WIDTH, width.span, message);
        Err(self.report(finding.hint("the width is 2, 4, 8, 16 or 32")))
    }

    /// The subgroup and lane of the item at a position.
    fn subgroup_at(&self, position: &[Expr], counts: &[u32], width: u32, count: u32, span: Span) -> Option<Subgroup> {
        let int = |value: u32| Expr::int(i64::from(value), Scalar::I32, span);
        let short = |value: &Expr| implicit(value.clone(), Scalar::I32);
        let mut number: Option<Expr> = None;
        // From the slowest axis to the first one, of which a step is a subgroup.
        for (axis, (at, &items)) in position.iter().zip(counts).enumerate().rev() {
            let (at, items) = match axis {
                0 => (arithmetic(BinaryOp::Div, short(at), int(width), span)?, items / width),
                _ => (short(at), items),
            };
            number = Some(match number {
                None => at,
                Some(slower) => {
                    let row = arithmetic(BinaryOp::Mul, slower, int(items), span)?;
                    arithmetic(BinaryOp::Add, row, at, span)?
                }
            });
        }
        let first = convert(position.first()?.clone(), Scalar::U32, true);
        let lane = arithmetic(BinaryOp::BitAnd, first, word(width - 1, span), span)?;
        Some(Subgroup { width, count, number: number?, lane })
    }

    /// The lane whose value a shuffle takes, below the width.
    fn source_lane(
        &mut self,
        name: &str,
        function: Function,
        group: &Subgroup,
        argument: &ast::Expr,
        span: Span,
    ) -> Lowered<Expr> {
        let (value, scalar) = self.among_bits(|s| s.number(argument))?;
        if scalar.is_float() {
            let message = format!("`{name}` needs an integer here, not `{}`", scalar.okl_name());
            return Err(self.error(rules::WRONG_ARGUMENT, argument.span, message));
        }
        let own = || group.lane.clone();
        let value = convert(value, Scalar::U32, true);
        let of = |op, a, b| arithmetic(op, a, b, span).ok_or(Reported);
        let lane = match function {
            Function::Shuffle => value,
            Function::ShuffleXor => of(BinaryOp::BitXor, own(), value)?,
            _ => {
                // Beyond either end an item keeps its value. The conditions show that neither lane wraps around.
                let distance = self.held(value, "distance");
                let (is_lane, far) = match function {
                    Function::ShuffleUp => {
                        (binary(BinaryOp::Le, distance.clone(), own(), span), of(BinaryOp::Sub, own(), distance)?)
                    }
                    _ => (
                        binary(
                            BinaryOp::Lt,
                            distance.clone(),
                            of(BinaryOp::Sub, word(group.width, span), own())?,
                            span,
                        ),
                        of(BinaryOp::Add, own(), distance)?,
                    ),
                };
                select(is_lane, far, own(), span)
            }
        };
        of(BinaryOp::BitAnd, lane, word(group.width - 1, span))
    }

    /// A word with the bits of the lanes where a condition holds. Lane 0 clears the subgroup's word, each lane sets its bit,
    /// and each takes the word.
    fn ballot(&mut self, name: &'static str, group: &Subgroup, condition: Expr, span: Span) -> Expr {
        let bit = binary(BinaryOp::Shl, word(1, span), group.lane.clone(), span);
        let value = self.held(select(condition, bit, word(0, span), span), "vote");
        let (root, ty) = (self.exchange_array(Scalar::U32, &[group.count], group.width, span), Type::from(Scalar::U32));
        let votes = || {
            let path = vec![Projection::Index(group.number.clone())];
            Place { root, path, ty: Type::from(Scalar::U32), span }
        };
        let clear = Stmt { kind: StmtKind::Assign { place: votes(), op: None, value: word(0, span) }, span };
        let is_first = binary(BinaryOp::Eq, group.lane.clone(), word(0, span), span);
        self.emit(StmtKind::If { condition: is_first, then: vec![clear], otherwise: Vec::new() }, span);
        self.meet(name, span);
        self.emit(StmtKind::Atomic { place: votes(), op: AtomicOp::Or, value, expected: None, result: None }, span);
        self.meet(name, span);
        let taken = Expr { kind: ExprKind::Load(votes()), ty: ty.clone(), span };
        self.taken(name, taken, span)
    }

    /// What an item reads of the others, before the array is used again.
    fn taken(&mut self, name: &'static str, value: Expr, span: Span) -> Expr {
        let taken = self.temporary("taken", value.ty.clone(), Some(value), false, span);
        self.meet(name, span);
        self.read(taken, span)
    }

    /// All lanes' values combined, in pairs that are half the width apart, then a quarter, and so on.
    fn reduce(
        &mut self,
        name: &'static str,
        group: &Subgroup,
        value: Expr,
        combine: impl Fn(Expr, Expr) -> Expr,
        span: Span,
    ) -> Expr {
        let mut value = self.held(value, "part");
        let mut apart = group.width / 2;
        while apart > 0 {
            let lane = binary(BinaryOp::BitXor, group.lane.clone(), word(apart, span), span);
            let lane = binary(BinaryOp::BitAnd, lane, word(group.width - 1, span), span);
            let other = self.exchange(name, group, value.clone(), lane, span);
            value = self.held(combine(value, other), "part");
            apart /= 2;
        }
        value
    }

    /// The value of another lane. Every item takes its value before the array is used again.
    fn exchange(&mut self, name: &'static str, group: &Subgroup, value: Expr, lane: Expr, span: Span) -> Expr {
        let ty = value.ty.clone();
        let scalar = ty.scalar().unwrap_or(Scalar::I32);
        let root = self.exchange_array(scalar, &[group.count, group.width], group.width, span);
        // The lane is taken before the first barrier, with what it is made of.
        let lane = self.held(lane, "from");
        let element = |lane: Expr| {
            let path = vec![Projection::Index(group.number.clone()), Projection::Index(lane)];
            Place { root, path, ty: ty.clone(), span }
        };
        self.emit(StmtKind::Assign { place: element(group.lane.clone()), op: None, value }, span);
        self.meet(name, span);
        let taken = Expr { kind: ExprKind::Load(element(lane)), ty: ty.clone(), span };
        self.taken(name, taken, span)
    }

    fn meet(&mut self, name: &'static str, span: Span) {
        if let Some(draft) = &mut self.nest {
            draft.subgroups.calls.insert(span, name);
        }
        self.emit(StmtKind::Mark(Mark::Barrier(Meeting::Exchange)), span);
    }

    fn exchange_array(&mut self, scalar: Scalar, dims: &[u32], width: u32, span: Span) -> VarId {
        let (ty, role) = (Type::Array(Box::new(scalar.into()), dims.to_vec()), Role::Exchange(width as u8));
        let known = self.nest.iter().flat_map(|draft| &draft.subgroups.arrays);
        if let Some(var) = known.copied().find(|&var| (&self.body.var(var).ty, self.body.var(var).role) == (&ty, role))
        {
            return var;
        }
        let var = self.variable("exchanged", ty, role, false, span);
        self.body.generated.insert(var);
        if let Some(draft) = &mut self.nest {
            draft.subgroups.arrays.push(var);
            draft.nest.shared.push(var);
        }
        var
    }

    /// Whether a region has subgroup functions.
    pub(super) fn has_exchange(&self, stmts: &[Stmt]) -> bool {
        first(stmts, &|stmt| matches!(stmt.kind, StmtKind::Mark(Mark::Barrier(Meeting::Exchange)))).is_some()
    }

    /// The subgroup function whose barrier stands at a place.
    pub(super) fn subgroup_at_cut(&self, cut: Span) -> Option<&'static str> {
        self.nest.as_ref()?.subgroups.calls.get(&cut).copied()
    }

    /// Reports a subgroup function that not every item of a group reaches.
    pub(super) fn not_all_reach(&mut self, name: &str, call: Span, why: &str, at: Span) -> Reported {
        let message = format!("not every item of the group reaches this `{name}`");
        self.report(
            Diagnostic::error(rules::SUBGROUP_PLACE, call, message)
                .label(at, why)
                .hint("let all items call it, and let those that have nothing to give pass a zero: `i < n ? x[i] : 0`"),
        )
    }

    /// Subgroup functions in the head of a loop: no region can be cut there.
    pub(super) fn check_loop_head(&mut self, l: &Loop) -> Lowered<()> {
        let Some(cut) = [&l.init, &l.head, &l.update].into_iter().find_map(|list| cut_in(list)) else { return Ok(()) };
        let Some(name) = self.subgroup_at_cut(cut) else { return Ok(()) };
        let message = format!("`{name}` stands in the head of a loop");
        let finding = Diagnostic::error(rules::SUBGROUP_PLACE, cut, message);
        Err(self.report(finding.hint("call it in the loop's body, or before the loop")))
    }

    /// Refuses subgroup functions of a nest some of whose items may have ended.
    pub(super) fn check_ended_items(&mut self, stmts: &[Stmt]) {
        let Some(calls) = self.nest.as_ref().map(|draft| draft.subgroups.calls.clone()) else { return };
        if calls.is_empty() {
            return;
        }
        let returned = first(stmts, &|stmt| matches!(stmt.kind, StmtKind::Return(_)));
        for_regions(stmts, &mut |region| {
            let call = first(&region.body, &|stmt| calls.contains_key(&stmt.span) && has_cut(stmt));
            let end = first(&region.body, &|stmt| matches!(stmt.kind, StmtKind::EndItem)).or(returned);
            if let (Some(call), Some(end)) = (call, end) {
                self.not_all_reach(calls[&call], call, "an item may end here", end);
            }
        });
    }
}

/// The place of the first statement of a kind.
fn first(stmts: &[Stmt], is_such: &impl Fn(&Stmt) -> bool) -> Option<Span> {
    struct First<'a, F>(&'a F, Option<Span>);
    impl<F: Fn(&Stmt) -> bool> Visitor for First<'_, F> {
        fn stmt(&mut self, stmt: &Stmt) {
            if self.1.is_none() && (self.0)(stmt) {
                self.1 = Some(stmt.span);
            }
            walk_stmt(self, stmt);
        }
    }
    let mut look = First(is_such, None);
    stmts.iter().for_each(|stmt| look.stmt(stmt));
    look.1
}

/// What a reduction does with two values.
fn combined(function: Function, a: Expr, b: Expr, span: Span) -> Expr {
    let is_float = a.ty.scalar().is_some_and(Scalar::is_float);
    let extreme = |float, integer| if is_float { float } else { integer };
    match function {
        Function::Min => super::constants::math(extreme(MathFn::Fmin, MathFn::IntMin), vec![a, b], span),
        Function::Max => super::constants::math(extreme(MathFn::Fmax, MathFn::IntMax), vec![a, b], span),
        _ => binary(BinaryOp::Add, a, b, span),
    }
}
