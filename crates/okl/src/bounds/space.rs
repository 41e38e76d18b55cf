//! The bounds that a walk is building: symbols, variables, guards and requirements, each of them once.

use super::division::Reach;
use super::limits::Limits;
use crate::ir::{BinaryOp, Expr, Kernel, Literal, Scalar, Uses};
use crate::signature::HostExpr;
use crate::signature::HostExprKind;
use crate::signature::bounds::{
    Access, AccessKind, Alternative, Bounds, Condition, Guard, Is, RangeOp, Requirement, Sum, Term, Touched, Variable,
    Within,
};
use crate::source::{SourceMap, Span};
use std::collections::{HashMap, HashSet};

/// Symbols of a nest, and nodes of each one's expression.
const MOST_SYMBOLS: usize = 2_000;
const MOST_NODES: usize = 200;
/// Guards and constraints that may be looked at to find out what is bounded.
const MOST_WORK: usize = 1_000_000;
/// Constants of the accesses that differ in nothing else; of more, only the least and the greatest are kept.
const MOST_CONSTANTS: usize = 64;
/// Variables that depend on each other one after the other.
pub(super) const MOST_DEPTH: u32 = 100;
/// Characters of a division that messages show.
const MOST_TEXT: usize = 80;

/// What makes two variables the same.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// A quotient, rounded down or not.
    Quotient(Sum, Sum, bool),
    /// A result of which only the range is known.
    Of(RangeOp, Sum, Sum),
    /// A number in the range of a type, made of another one.
    Wrapped(Sum, Scalar),
    /// The bits of a word.
    Word(Sum, Scalar),
    /// A named function of numbers.
    Function(&'static str, Vec<Sum>),
    /// The element of constant memory that is passed for a parameter, at an index.
    Element(u32, Sum),
}

/// Parameter, kind, index without its constant, and guard.
type TouchedKey = (u32, AccessKind, Option<Vec<Term>>, Option<u32>);

pub(super) struct Space<'a> {
    pub(super) bounds: Bounds,
    host: &'a dyn Fn(&Expr) -> HostExpr,
    map: &'a SourceMap,
    numbered: HashMap<Key, u32>,
    guards: HashMap<(Option<u32>, Option<Condition>, bool), u32>,
    requirements: HashMap<(Vec<Term>, Option<u32>, Within), usize>,
    touched: HashMap<TouchedKey, usize>,
    pub(super) ends: HashMap<(u32, Option<u32>, Limits), [bool; 2]>,
    /// Nodes of each symbol's expression.
    nodes: Vec<usize>,
    /// The variables that are bits of a word, or made of them.
    words: HashSet<u32>,
    /// The variables that are differences of limited numbers, or made of them.
    pub(super) differences: HashSet<u32>,
    /// Elements of constant memory: what none of that memory is below, and what none exceeds.
    pub(super) elements: HashMap<u32, [Sum; 2]>,
    /// How far values reach upwards (with a 1) and downwards.
    pub(super) reaches: HashMap<(u32, Option<u32>, i8), Reach>,
    /// Work that may still be spent on finding out what is bounded, and how deep that is at the moment.
    pub(super) work: usize,
    pub(super) depth: u32,
}

impl<'a> Space<'a> {
    pub(super) fn new(host: &'a dyn Fn(&Expr) -> HostExpr, map: &'a SourceMap) -> Self {
        Self {
            bounds: Bounds { touched: Some(Vec::new()), ..Bounds::default() },
            host,
            map,
            numbered: HashMap::new(),
            guards: HashMap::new(),
            requirements: HashMap::new(),
            touched: HashMap::new(),
            ends: HashMap::new(),
            nodes: Vec::new(),
            words: HashSet::new(),
            differences: HashSet::new(),
            elements: HashMap::new(),
            reaches: HashMap::new(),
            work: MOST_WORK,
            depth: 0,
        }
    }

    /// Nothing is known of a nest that was too large to be walked.
    pub(super) fn gave_up(self, kernel: &Kernel, span: Span) -> Bounds {
        let access = Access { name: kernel.name.clone(), at: self.at(span) };
        Bounds { accesses: 1, unproven: vec![access], ..Bounds::default() }
    }

    /// The bounds, with those symbols alone that a proof needs: a launch compares them with those of the one before.
    pub(super) fn finish(mut self) -> Bounds {
        let mut used = vec![false; self.bounds.symbols.len()];
        for_sums(&mut self.bounds, &mut |sum| {
            sum.terms.iter().filter_map(|term| term.symbol).for_each(|symbol| used[symbol as usize] = true);
        });
        let numbers: Vec<u32> =
            used.iter().scan(0, |next, &used| Some(std::mem::replace(next, *next + u32::from(used)))).collect();
        for_sums(&mut self.bounds, &mut |sum| {
            sum.terms
                .iter_mut()
                .filter_map(|term| term.symbol.as_mut())
                .for_each(|symbol| *symbol = numbers[*symbol as usize]);
        });
        let mut used = used.into_iter();
        self.bounds.symbols.retain(|_| used.next() == Some(true));
        self.bounds
    }

    fn at(&self, span: Span) -> String {
        column(self.map, span)
    }

    /// An expression of the host's.
    pub(super) fn known(&mut self, expr: &Expr) -> Sum {
        match expr.as_int() {
            Some(value) if value >= 0 || expr.ty.scalar().is_some_and(Scalar::is_signed) => Sum::number(value),
            _ => match self.symbol((self.host)(expr), Uses::of_expr(expr).weight) {
                Some(symbol) => Sum::symbol(symbol),
                None => self.unknown(expr.ty.scalar().unwrap_or(Scalar::I64)),
            },
        }
    }

    /// The symbol of an expression with so many nodes; `None` where it is too large, or there are too many.
    pub(super) fn symbol(&mut self, expr: HostExpr, nodes: usize) -> Option<u32> {
        if nodes > MOST_NODES {
            return None;
        }
        let known = self.bounds.symbols.iter().position(|symbol| *symbol == expr);
        let symbol = match known {
            Some(known) => known,
            None if self.nodes.len() == MOST_SYMBOLS => return None,
            None => {
                self.bounds.symbols.push(expr);
                self.nodes.push(nodes);
                self.nodes.len() - 1
            }
        };
        u32::try_from(symbol).ok()
    }

    /// The product of two sums, of which one is known to the launch.
    pub(super) fn product(&mut self, a: &Sum, b: &Sum) -> Option<Sum> {
        let (known, other) = if a.is_known() { (a, b) } else { (b, a) };
        if !known.is_known() {
            return None;
        }
        let mut product = Sum::default().plus(other, known.constant)?;
        for factor in &known.terms {
            let times = Sum { constant: 0, terms: vec![factor.clone()] };
            product = product.plus(&times, other.constant)?;
            for term in &other.terms {
                let symbol = match (factor.symbol, term.symbol) {
                    (Some(a), Some(b)) => Some(self.symbol_product(a, b)?),
                    (a, b) => a.or(b),
                };
                let factor = factor.factor.checked_mul(term.factor)?;
                product.add(Term { variable: term.variable, symbol, factor })?;
            }
        }
        Some(product)
    }

    fn symbol_product(&mut self, a: u32, b: u32) -> Option<u32> {
        let nodes = self.nodes[a as usize] + self.nodes[b as usize] + 3;
        if nodes > MOST_NODES {
            return None;
        }
        let wide = |symbol: u32| {
            let expr = self.bounds.symbols[symbol as usize].clone();
            if expr.ty == Scalar::I64 {
                expr
            } else {
                HostExpr { ty: Scalar::I64, kind: HostExprKind::Cast(expr.into()) }
            }
        };
        let kind = HostExprKind::Binary(BinaryOp::Mul, wide(a.min(b)).into(), wide(a.max(b)).into());
        self.symbol(HostExpr { ty: Scalar::I64, kind }, nodes)
    }

    /// A new variable.
    pub(super) fn variable(&mut self, constraints: Vec<Sum>, is: Is) -> u32 {
        let variable = self.next();
        let sources = is.sources();
        if matches!(is, Is::Wrapped(..)) || sources.iter().any(|sum| holds_any(sum, &self.words)) {
            self.words.insert(variable);
        }
        if sources.iter().any(|sum| holds_any(sum, &self.differences)) {
            self.differences.insert(variable);
        }
        self.bounds.variables.push(Variable { constraints, is });
        variable
    }

    /// Whether a sum has limits, and no bits of a word in it.
    pub(super) fn is_number(&mut self, sum: &Sum, guard: Option<u32>) -> bool {
        !holds_any(sum, &self.words) && self.is_bounded(sum, guard)
    }

    fn next(&self) -> u32 {
        self.bounds.variables.len() as u32
    }

    /// A new variable that counts from zero.
    pub(super) fn count(&mut self) -> u32 {
        let least = Sum::variable(self.next());
        self.variable(vec![least], Is::Any)
    }

    /// A new variable of which nothing but its type is known.
    pub(super) fn unknown(&mut self, ty: Scalar) -> Sum {
        let constraints = self.range_of(ty);
        Sum::variable(self.variable(constraints, Is::Some))
    }

    /// The range of a type, for the next variable. That of a wide type says nothing: no index is proven by it.
    pub(super) fn range_of(&self, ty: Scalar) -> Vec<Sum> {
        let this = Sum::variable(self.next());
        let bits = 8 * ty.bytes() as u32;
        let [least, most] = match (ty, ty.is_signed()) {
            (Scalar::Bool, _) => [Some(0), Some(1)],
            (_, true) if bits <= 16 => [Some(-(1 << (bits - 1))), Some((1 << (bits - 1)) - 1)],
            (_, false) => [Some(0), (bits <= 16).then(|| (1i64 << bits) - 1)],
            _ => [None, None],
        };
        self.limits(&this, least, most)
    }

    fn limits(&self, this: &Sum, least: Option<i64>, most: Option<i64>) -> Vec<Sum> {
        let above = least.and_then(|least| this.plus(&Sum::number(least), -1));
        let below = most.and_then(|most| Sum::number(most).plus(this, -1));
        above.into_iter().chain(below).collect()
    }

    /// A new variable between two numbers.
    pub(super) fn ranged(&mut self, least: i64, most: i64) -> Sum {
        let constraints = self.limits(&Sum::variable(self.next()), Some(least), Some(most));
        Sum::variable(self.variable(constraints, Is::Some))
    }

    /// The variable that a key stands for; `make` gives its constraints, which may mention `next`.
    pub(super) fn numbered(&mut self, key: Key, make: impl FnOnce(&Self, &Sum) -> (Vec<Sum>, Is)) -> Sum {
        if let Some(&variable) = self.numbered.get(&key) {
            return Sum::variable(variable);
        }
        let (constraints, is) = make(self, &Sum::variable(self.next()));
        let variable = self.variable(constraints, is);
        self.numbered.insert(key, variable);
        Sum::variable(variable)
    }

    /// A value that is one of several.
    pub(super) fn one_of(&mut self, alternatives: Vec<Alternative>) -> Sum {
        match alternatives.as_slice() {
            [first, rest @ ..] if rest.iter().all(|other| other.value == first.value) => first.value.clone(),
            _ => Sum::variable(self.variable(Vec::new(), Is::OneOf(alternatives))),
        }
    }

    /// A new variable that lies between several values, and is no other than the one that the item has.
    pub(super) fn between(&mut self, alternatives: Vec<Alternative>) -> Sum {
        Sum::variable(self.variable(Vec::new(), Is::Between(alternatives)))
    }

    /// A guard below `parent`.
    pub(super) fn guard(&mut self, parent: Option<u32>, condition: Option<Condition>, exact: bool) -> Option<u32> {
        let exact = exact && condition.is_some();
        match &condition {
            Some(Condition::NotNegative(sum)) if sum.terms.is_empty() && sum.constant >= 0 => return parent,
            Some(Condition::NotZero(sum)) if sum.terms.is_empty() && sum.constant != 0 => return parent,
            _ => {}
        }
        if condition.is_none() && parent.is_some_and(|parent| self.is_opaque(parent)) {
            return parent;
        }
        let key = (parent, condition.clone(), exact);
        if let Some(&guard) = self.guards.get(&key) {
            return Some(guard);
        }
        self.bounds.guards.push(Guard { parent, condition, exact });
        let guard = self.bounds.guards.len() as u32 - 1;
        self.guards.insert(key, guard);
        Some(guard)
    }

    fn is_opaque(&self, guard: u32) -> bool {
        let guard = &self.bounds.guards[guard as usize];
        guard.condition.is_none() && !guard.exact
    }

    /// The result of arithmetic in a type: as computed where it does not leave the type's range, which the launch then
    /// has to prove, else any number of the type. Of a limited number it need not prove that: it may be masked, as that of a
    /// hash.
    pub(super) fn fitted(&mut self, sum: Option<Sum>, ty: Scalar, guard: Option<u32>, span: Span) -> Sum {
        let Some(sum) = sum else { return self.unknown(ty) };
        if sum.terms.is_empty() && fits(sum.constant, ty) {
            return sum;
        }
        if !self.is_bounded(&sum, guard) {
            return self.wrapped(sum, ty);
        }
        if self.is_limited(&sum, guard) || holds_any(&sum, &self.words) {
            let is_difference = self.is_difference(&sum, guard);
            let word = self.word(sum, ty);
            if is_difference {
                self.differences.extend(word.variables());
            }
            return word;
        }
        self.require(&sum, guard, Within::Type(ty), "", span);
        sum
    }

    /// Arithmetic in a type that is meant to wrap, as that of a hash: no launch has to prove that it does not, and what is
    /// made of it may wrap as well.
    pub(super) fn word(&mut self, sum: Sum, ty: Scalar) -> Sum {
        self.numbered(Key::Word(sum.clone(), ty), |space, _| (space.range_of(ty), Is::Wrapped(sum, ty)))
    }

    /// A number of a type that depends on another one in a way that is not followed.
    pub(super) fn wrapped(&mut self, sum: Sum, ty: Scalar) -> Sum {
        self.numbered(Key::Wrapped(sum, ty), |space, _| (space.range_of(ty), Is::Some))
    }

    /// An access at an index; answers whether a launch can prove something of it. It cannot where the index is a difference of
    /// limited numbers: whether that is in range is for the one who made them to know.
    pub(super) fn access(
        &mut self,
        index: Option<Sum>,
        guard: Option<u32>,
        within: Within,
        name: &str,
        span: Span,
    ) -> bool {
        self.bounds.accesses += 1;
        let bounded = index.filter(|index| self.is_provable(index, guard));
        let Some(index) = bounded else {
            let access = Access { name: name.to_owned(), at: self.at(span) };
            self.bounds.unproven.push(access);
            return false;
        };
        if let Within::Array(length) = within
            && index.terms.is_empty()
            && u64::try_from(index.constant).is_ok_and(|index| index < length)
        {
            return true;
        }
        self.require(&index, guard, within, name, span);
        true
    }

    /// That an element of the memory passed for a parameter is read or written.
    pub(super) fn touch(&mut self, param: u32, kind: AccessKind, index: Option<&Sum>, guard: Option<u32>) {
        let index = index.filter(|index| self.is_bounded(index, guard));
        let terms = index.map(|index| index.terms.clone());
        let key = (param, kind, terms, guard);
        let all = self.bounds.touched.get_or_insert_default();
        let known = self.touched.get(&key).copied().unwrap_or_else(|| {
            let index = key.2.as_ref().map(|terms| Sum { constant: 0, terms: terms.clone() });
            all.push(Touched { param, kind, index, constants: Vec::new(), guard });
            self.touched.insert(key, all.len() - 1);
            all.len() - 1
        });
        let constants = &mut all[known].constants;
        let Some(constant) = index.map(|index| index.constant) else { return };
        if let Err(at) = constants.binary_search(&constant) {
            constants.insert(at, constant);
            if constants.len() > MOST_CONSTANTS {
                // The least and the greatest are enough to say what lies between.
                constants.drain(1..constants.len() - 1);
            }
        }
    }

    fn require(&mut self, index: &Sum, guard: Option<u32>, within: Within, name: &str, span: Span) {
        let access = Access { name: name.to_owned(), at: self.at(span) };
        self.require_of(index, guard, within, access);
    }

    /// That a number lies in the range of its type.
    pub(super) fn require_number(&mut self, number: &Sum, guard: Option<u32>, ty: Scalar, span: Span) {
        self.require(number, guard, Within::Type(ty), "", span);
    }

    /// A requirement on a divisor.
    pub(super) fn require_divisor(&mut self, divisor: &Sum, guard: Option<u32>, may_overflow: bool, span: Span) {
        let division = division(self.map, span);
        self.require_of(divisor, guard, Within::Divisor { may_overflow }, division);
    }

    /// A division of which nothing is known.
    pub(super) fn unproven_division(&mut self, span: Span) {
        let division = division(self.map, span);
        if !self.bounds.unproven_divisions.contains(&division) {
            self.bounds.unproven_divisions.push(division);
        }
    }

    fn require_of(&mut self, index: &Sum, guard: Option<u32>, within: Within, access: Access) {
        let key = (index.terms.clone(), guard, within);
        if let Some(&known) = self.requirements.get(&key) {
            let Requirement { constants: [low, high], accesses: [lowest, highest], .. } =
                &mut self.bounds.requirements[known];
            if index.constant < *low {
                (*low, *lowest) = (index.constant, access);
            } else if index.constant > *high {
                (*high, *highest) = (index.constant, access);
            }
            return;
        }
        let requirement = Requirement {
            index: Sum { constant: 0, terms: index.terms.clone() },
            constants: [index.constant; 2],
            guard,
            within,
            accesses: [access.clone(), access],
        };
        self.requirements.insert(key, self.bounds.requirements.len());
        self.bounds.requirements.push(requirement);
    }
}

/// `file.okl:33:12`; nothing where that is not known.
pub(crate) fn column(map: &SourceMap, span: Span) -> String {
    let site = map.call_site(span);
    let at = map.file(site).map(|file| (&file.name, file.line_column(site.start)));
    at.map_or(String::new(), |(name, (line, column))| format!("{name}:{line}:{column}"))
}

/// A division as it is written, on one line, and where.
pub(crate) fn division(map: &SourceMap, span: Span) -> Access {
    let text = map.text(map.call_site(span)).split_whitespace().collect::<Vec<_>>().join(" ");
    let name = match text.char_indices().nth(MOST_TEXT) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    };
    Access { name, at: column(map, span) }
}

/// Calls a function for every sum of some bounds.
fn for_sums(bounds: &mut Bounds, visit: &mut dyn FnMut(&mut Sum)) {
    for variable in &mut bounds.variables {
        variable.constraints.iter_mut().for_each(&mut *visit);
        match &mut variable.is {
            Is::Any | Is::Some => {}
            Is::Between(alternatives) | Is::OneOf(alternatives) => {
                alternatives.iter_mut().for_each(|alternative| visit(&mut alternative.value));
            }
            Is::Quotient { dividend: a, divisor: b, .. } | Is::Of(_, a, b) => [a, b].into_iter().for_each(&mut *visit),
            Is::Wrapped(sum, _) => visit(sum),
        }
    }
    for guard in &mut bounds.guards {
        if let Some(Condition::NotNegative(sum) | Condition::NotZero(sum)) = &mut guard.condition {
            visit(sum);
        }
    }
    bounds.requirements.iter_mut().for_each(|requirement| visit(&mut requirement.index));
    bounds.touched.iter_mut().flatten().filter_map(|touched| touched.index.as_mut()).for_each(visit);
}

/// Whether one of these variables is in a sum.
pub(super) fn holds_any(sum: &Sum, variables: &HashSet<u32>) -> bool {
    !variables.is_empty() && sum.variables().any(|variable| variables.contains(&variable))
}

fn fits(value: i64, ty: Scalar) -> bool {
    let bits = 8 * ty.bytes() as u32;
    match (ty.is_signed(), bits) {
        (true, 64) => true,
        (false, 64) => value >= 0,
        (true, _) => (-(1i64 << (bits - 1))..1 << (bits - 1)).contains(&value),
        (false, _) => (0..1i64 << bits).contains(&value),
    }
}

/// Whether a literal is the number it shows: unsigned 64-bit ones are kept as their bits.
pub(super) fn literal(value: Literal, ty: Scalar) -> Option<i64> {
    match value {
        Literal::Int(value) if ty != Scalar::U64 || value >= 0 => Some(value),
        Literal::Bool(value) => Some(value.into()),
        _ => None,
    }
}
