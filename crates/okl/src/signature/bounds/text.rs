//! Requirements as a reader sees them.

use super::super::{HostExpr, HostExprKind, Signature};
use super::{Bounds, Condition, Is, Sum, Within};
use crate::deep_stack::with_room;
use crate::ir::Literal;
use std::fmt::Write as _;

impl Signature {
    /// What a launch must prove of each nest, in the words of the polyhedral model: for each variable (`v0`, `v1` …) its
    /// constraints, then the requirements, each with the guards below which it stands.
    pub fn bounds_text(&self) -> String {
        let mut out = String::new();
        for nest in &self.nests {
            let writer = Writer { signature: self, bounds: &nest.bounds, names: &|variable| format!("v{variable}") };
            let (all, unproven) = (nest.bounds.accesses, nest.bounds.unproven.len());
            let _ = write!(out, "{}: {all} accesses, {unproven} of them unproven", nest.entry);
            if let Some(constants) = &nest.bounds.with_constants {
                let names: Vec<String> = constants.params.iter().map(|&p| format!("`{}`", writer.param(p))).collect();
                let left = unproven - constants.accesses.len();
                let _ = write!(out, ", {left} with constant memory for {}", names.join(", "));
            }
            out.push('\n');
            writer.write(&mut out);
        }
        out
    }
}

pub(super) struct Writer<'a> {
    pub(super) signature: &'a Signature,
    pub(super) bounds: &'a Bounds,
    /// How variables are called.
    pub(super) names: &'a dyn Fn(u32) -> String,
}

impl Writer<'_> {
    fn write(&self, out: &mut String) {
        for (index, variable) in self.bounds.variables.iter().enumerate() {
            let mut facts: Vec<String> =
                variable.constraints.iter().map(|sum| format!("{} >= 0", self.sum(sum))).collect();
            facts.extend(self.is(&variable.is));
            let _ = writeln!(out, "  v{index}: {}", if facts.is_empty() { "any".into() } else { facts.join(", ") });
        }
        for requirement in &self.bounds.requirements {
            let [low, high] = requirement.constants;
            let index = self.sum(&requirement.index);
            let range = if low == high { format!("{index} + {low}") } else { format!("{index} + {low} ... {high}") };
            let access = &requirement.accesses[1];
            let line = if access.at.is_empty() { String::new() } else { format!("{}: ", access.at) };
            let within = match requirement.within {
                Within::Memory(param) => format!("0 <= {range} < length of {}", self.param(param)),
                Within::Array(length) => format!("0 <= {range} < {length}, the length of {}", access.name),
                Within::Type(ty) => format!("{range} is {}", ty.okl_name()),
                Within::Divisor { may_overflow } => {
                    format!("{range} is not 0{}: {}", if may_overflow { " or -1" } else { "" }, access.name)
                }
            };
            let guards = self.guards(requirement.guard);
            let below = if guards.is_empty() { String::new() } else { format!(" where {}", guards.join(", ")) };
            let _ = writeln!(out, "  {line}{within}{below}");
        }
        let constants = self.bounds.with_constants.as_ref();
        for (index, access) in (0..).zip(&self.bounds.unproven) {
            let line = if access.at.is_empty() { String::new() } else { format!("{}: ", access.at) };
            let needs_constants = constants.is_some_and(|constants| constants.accesses.contains(&index));
            let unless = if needs_constants { " without constant memory" } else { "" };
            let _ = writeln!(out, "  {line}nothing is known of the index of {}{unless}", access.name);
        }
        for division in &self.bounds.unproven_divisions {
            let line = if division.at.is_empty() { String::new() } else { format!("{}: ", division.at) };
            let _ = writeln!(out, "  {line}nothing is known of the divisor in {}", division.name);
        }
    }

    fn is(&self, is: &Is) -> Option<String> {
        Some(match is {
            Is::Any => return None,
            Is::Some => "some number".to_owned(),
            Is::Between(alternatives) => {
                let all: Vec<String> = alternatives.iter().map(|a| self.sum(&a.value)).collect();
                format!("between {}", all.join(" and "))
            }
            Is::OneOf(alternatives) => {
                let all: Vec<String> = alternatives.iter().map(|a| self.sum(&a.value)).collect();
                format!("one of {}", all.join(" and "))
            }
            Is::Quotient { dividend, divisor, floor } => {
                let how = if *floor { "rounded down" } else { "rounded towards zero" };
                format!("({}) / ({}), {how}", self.sum(dividend), self.sum(divisor))
            }
            Is::Of(op, a, b) => format!("{op:?}({}, {})", self.sum(a), self.sum(b)),
            Is::Wrapped(sum, ty) => format!("({}) in {}", self.sum(sum), ty.okl_name()),
        })
    }

    pub(super) fn guards(&self, guard: Option<u32>) -> Vec<String> {
        let of = |guard: u32| &self.bounds.guards[guard as usize];
        let upwards = std::iter::successors(guard.map(of), |guard| guard.parent.map(of));
        let mut all: Vec<String> = upwards
            .map(|guard| match &guard.condition {
                Some(Condition::NotNegative(sum)) => format!("{} >= 0", self.sum(sum)),
                Some(Condition::NotZero(sum)) => format!("{} != 0", self.sum(sum)),
                None => "data decide".to_owned(),
            })
            .collect();
        all.reverse();
        all
    }

    pub(super) fn sum(&self, sum: &Sum) -> String {
        let mut out = String::new();
        for term in &sum.terms {
            let sign = if term.factor < 0 { " - " } else { " + " };
            let mut factors = Vec::new();
            if term.factor.unsigned_abs() != 1 {
                factors.push(term.factor.unsigned_abs().to_string());
            }
            factors.extend(term.symbol.map(|symbol| self.host(&self.bounds.symbols[symbol as usize])));
            factors.extend(term.variable.map(self.names));
            let _ = write!(out, "{sign}{}", factors.join("*"));
        }
        if sum.constant != 0 || sum.terms.is_empty() {
            let sign = if sum.constant < 0 { " - " } else { " + " };
            let _ = write!(out, "{sign}{}", sum.constant.unsigned_abs());
        }
        out.trim_start_matches(" + ").trim_start().to_owned()
    }

    pub(super) fn param(&self, param: u32) -> &str {
        self.signature.params.get(param as usize).map_or("?", |param| &param.name)
    }

    fn host(&self, expr: &HostExpr) -> String {
        with_room(|| match &expr.kind {
            HostExprKind::Literal(Literal::Int(value)) => value.to_string(),
            HostExprKind::Literal(Literal::Bool(value)) => value.to_string(),
            HostExprKind::Literal(Literal::Float(value)) => value.to_string(),
            HostExprKind::Param(param) => self.param(*param).to_owned(),
            HostExprKind::Slot(slot) => format!("host{slot}"),
            HostExprKind::Length(param) => format!("len({})", self.param(*param)),
            HostExprKind::Lowest(param) => format!("lowest({})", self.param(*param)),
            HostExprKind::Highest(param) => format!("highest({})", self.param(*param)),
            HostExprKind::Unary(op, a) => format!("{op:?}({})", self.host(a)),
            HostExprKind::Binary(op, a, b) => format!("({} {} {})", self.host(a), op.symbol(), self.host(b)),
            HostExprKind::Cast(a) => self.host(a),
            HostExprKind::Select(a, b, c) => format!("({} ? {} : {})", self.host(a), self.host(b), self.host(c)),
            HostExprKind::Math(function, arguments) => {
                let all: Vec<String> = arguments.iter().map(|e| self.host(e)).collect();
                format!("{}({})", function.name(), all.join(", "))
            }
        })
    }
}
