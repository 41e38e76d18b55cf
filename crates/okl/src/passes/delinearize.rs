//! Delinearization: where items take the number of an element apart into row and column, a group runs them row by row.
//!
//! `y = i / n; x = i % n;` gives each item of a row of groups an element of a matrix. Such items divide twice each, and no other
//! pass can tell that neighbours have neighbouring columns. Within a row they do: of the items from `first` on, up to the end of
//! its row, all have the row `first / n`, and item `k` of them has the column `first % n + k`. A group's loop goes from row to row,
//! and asks only once for each.
//!
//! Planes are made of whole rows: within one, `i / (n * m)` is the same too, and `i % (n * m)` goes up by one.
//!
//! Rows have to be longer than a few elements, else the items stay as they are, and so do numbers that may be below zero. Both are
//! asked once a group, before there is any division.

use crate::ir::rewrite::{Rewriter, rename, replace_regions, rewrite_expr, rewrite_stmt, substitute, without_spans};
use crate::ir::{
    Axis, BinaryOp, Body, Dialect, Expr, ExprKind, Initializer, Literal, Loop, MathFn, Meeting, Module, Nest, Region,
    Role, Scalar, Stmt, StmtKind, Type, Uses, VarId, Variable, Visitor, build, ends_item, for_declarations, walk_expr,
    walk_stmt,
};
use crate::passes::fold::free_definition;
use crate::passes::loops::wide;
use std::collections::{BTreeMap, BTreeSet};

/// Shortest rows that are run by themselves.
const SHORTEST_ROW: i64 = 16;

/// Shortest rows whose length is a number: a compiler divides by that without a division.
const SHORTEST_KNOWN_ROW: i64 = 64;

/// Fewest items of a group that are divided into rows.
const FEWEST_ITEMS: i64 = 16;

/// Largest region, in nodes, of which there are two.
const MOST_NODES: usize = 4000;

pub(crate) fn run(module: &mut Module) {
    for kernel in &mut module.kernels {
        for nest in kernel.nests.iter_mut().filter(|nest| nest.dialect == Dialect::Lowered) {
            let natural = natural_axes(nest);
            replace_regions(&mut nest.stmts, &mut |region| match Rows::of(&kernel.body, &region) {
                Some(rows) => vec![rows.split(&mut kernel.body, &natural, region)],
                None => vec![build::stmt(StmtKind::Inner(Box::new(region)))],
            });
        }
    }
}

/// Axes of groups that count up from zero or more.
fn natural_axes(nest: &Nest) -> BTreeSet<VarId> {
    let counts_up = |axis: &&Axis| {
        axis.start.as_int().is_some_and(|start| start >= 0) && axis.step.as_int().is_some_and(|step| step > 0)
    };
    nest.outer.iter().flatten().filter(counts_up).map(|axis| axis.var).collect()
}

/// What a region divides, and by what.
struct Rows {
    /// The axis of the items.
    axis: Axis,
    items: i64,
    /// The number of an element, which goes up by one from item to item.
    number: VarId,
    /// That number, computed from the axis's variable and what is the same for all items.
    value: Expr,
    /// Length of a row.
    length: Expr,
    /// The type of rows and columns: that of the number, or a wider one of the length.
    ty: Scalar,
    /// What the number is divided by that should be a number of rows. It is not where a product wraps.
    wholes: Vec<Expr>,
    /// What the number is below, of all items that do anything, and what those do.
    guard: Option<(Expr, Vec<Stmt>)>,
    /// Integers that are the same for all items.
    uniform: BTreeMap<VarId, Expr>,
}

impl Rows {
    /// `None` where nothing is divided into rows, or it may not be.
    fn of(body: &Body, region: &Region) -> Option<Self> {
        let [Some(axis), None, None] = &region.axes else { return None };
        let items = axis.count.as_int().filter(|&count| count >= FEWEST_ITEMS)?;
        let uses = Uses::of(&region.body);
        let is_kept = |var: &VarId| matches!(body.var(*var).role, Role::Exclusive | Role::Exchange(_));
        if axis.step.as_int() != Some(1)
            || region.meeting != Meeting::Barrier
            || ends_item(&region.body)
            || uses.weight > MOST_NODES
            || !uses.builtins.is_empty()
            || uses.mentioned.iter().any(is_kept)
        {
            return None;
        }
        let mut own = BTreeSet::from([axis.var]);
        for_declarations(&region.body, &mut |var, _| own.extend([var]));
        let numbers = BTreeMap::from([(axis.var, build::load(body, axis.var))]);
        let (assigned, uniform) = (uses.assigned, BTreeMap::new());
        let mut found = Divisions {
            body,
            own,
            assigned,
            uniform,
            numbers,
            parts: BTreeMap::new(),
            copies: BTreeMap::new(),
            divided: Vec::new(),
        };
        region.body.iter().for_each(|stmt| found.stmt(stmt));
        let is_long = |of: &&Division| of.divisor.as_int().is_none_or(|length| length >= SHORTEST_KNOWN_ROW);
        let is_of_number = |of: &&Division| found.multiples(of).any(|other| other.is_whole);
        let candidates = found.divided.iter().filter(is_long).filter(is_of_number).rev();
        let division = candidates.max_by_key(|of| found.multiples(of).count())?;
        let (number, length) = (division.number, division.divisor.clone());
        let value = found.numbers.get(&number)?.clone();
        // Else the items' own numbers might leave their type.
        if number != axis.var && !axis.start.as_int().is_some_and(|start| (0..1 << 30).contains(&start)) {
            return None;
        }
        let guard = found.guard(&region.body, number);
        let wider = |a: Scalar, b: Scalar| if a.bytes() < b.bytes() { b } else { a };
        let ty = wider(value.ty.scalar()?, length.ty.scalar()?);
        let divisors = found.multiples(division).map(|of| &of.divisor);
        let mut wholes: Vec<Expr> = divisors.filter(|of| **of != length && of.as_int().is_none()).cloned().collect();
        wholes.dedup();
        Some(Self { axis: axis.clone(), items, number, value, length, ty, wholes, guard, uniform: found.uniform })
    }

    /// The region row by row, where rows are long and numbers are not below zero.
    fn split(&self, body: &mut Body, natural: &BTreeSet<VarId>, region: Region) -> Stmt {
        let mut conditions = Vec::new();
        if self.length.as_int().is_none() {
            conditions.push(build::compare(BinaryOp::Ge, wide(self.length.clone()), build::int(SHORTEST_ROW)));
        }
        let first = wide(self.at(self.axis.start.clone()));
        if !is_natural(natural, &first) {
            conditions.push(build::compare(BinaryOp::Ge, first.clone(), build::int(0)));
        }
        let is_bounded = self.guard.as_ref().is_some_and(|(bound, _)| bound.ty == self.value.ty);
        if !is_bounded && self.value.ty == Scalar::I32.into() {
            let last = build::add(first, build::int(self.items - 1));
            conditions.push(build::compare(BinaryOp::Lt, last, build::int(i32::MAX.into())));
        }
        for whole in &self.wholes {
            let [whole, length] = [whole, &self.length].map(|value| wide(value.clone()));
            let rest = build::binary(BinaryOp::Rem, whole, length, Scalar::I64);
            conditions.push(build::compare(BinaryOp::Eq, rest, build::int(0)));
        }
        let stmts = self.row_by_row(body, &region);
        match conditions.into_iter().reduce(build::and) {
            Some(condition) => {
                let otherwise = vec![build::stmt(StmtKind::Inner(Box::new(region)))];
                build::stmt(StmtKind::If { condition, then: stmts, otherwise })
            }
            None => build::stmt(StmtKind::Block(stmts)),
        }
    }

    /// The number of the element of an item.
    fn at(&self, item: Expr) -> Expr {
        substitute(&self.value, &BTreeMap::from([(self.axis.var, item)]))
    }

    /// Behind the last item of the group that does anything.
    fn end(&self) -> Expr {
        let start = &self.axis.start;
        let end = build::add(wide(start.clone()), build::int(self.items));
        let Some((bound, _)) = &self.guard else { return end };
        let left = build::sub(wide(bound.clone()), wide(self.at(start.clone())));
        let bound = if self.number == self.axis.var { bound.clone() } else { build::add(wide(start.clone()), left) };
        build::extreme(MathFn::IntMin, end, bound)
    }

    fn row_by_row(&self, body: &mut Body, region: &Region) -> Vec<Stmt> {
        let vars = RowVars::new(body, self);
        let of_row = self.of_row(body, region, &vars);
        let load = |var| build::load(body, var);
        let declare = |var, value| build::declare(body, var, value);
        let length = || build::convert(self.length.clone(), self.ty);
        let left = build::binary(BinaryOp::Sub, load(vars.end), load(vars.at), vars.item_ty);
        let in_row = build::binary(BinaryOp::Sub, length(), load(vars.column), self.ty);
        let advance =
            StmtKind::Assign { place: build::place(body, vars.at), op: Some(BinaryOp::Add), value: load(vars.len) };
        let rows = Loop {
            init: vec![declare(vars.at, self.axis.start.clone())],
            head: Vec::new(),
            condition: Some(build::compare(BinaryOp::Lt, load(vars.at), load(vars.end))),
            update: Vec::new(),
            body: vec![
                declare(vars.first, self.at(load(vars.at))),
                declare(vars.row, build::binary(BinaryOp::Div, load(vars.first), length(), self.ty)),
                declare(vars.column, build::binary(BinaryOp::Rem, load(vars.first), length(), self.ty)),
                declare(vars.len, build::extreme(MathFn::IntMin, wide(left), wide(in_row))),
                build::stmt(StmtKind::Inner(Box::new(of_row))),
                build::stmt(advance),
            ],
            test_last: false,
            unroll: None,
        };
        vec![declare(vars.end, self.end()), build::stmt(StmtKind::Loop(Box::new(rows)))]
    }

    /// The region's items that are in one row.
    fn of_row(&self, body: &mut Body, region: &Region, vars: &RowVars) -> Region {
        let mut stmts = self.guard.as_ref().map_or(&region.body, |(_, stmts)| stmts).clone();
        let steps = BTreeMap::from([(self.number, build::load(body, vars.first))]);
        Rewriting { rows: self, body, vars, steps, quotients: BTreeMap::new() }.list(&mut stmts);
        let mut copies = BTreeMap::from([(self.axis.var, vars.own)]);
        for_declarations(&stmts, &mut |var, _| copies.extend([(var, body.add(body.var(var).clone()))]));
        rename(&mut stmts, &copies);
        let load = |var| build::load(body, var);
        let of_item = build::binary(BinaryOp::Add, load(vars.at), load(vars.item), vars.item_ty);
        let then = [vec![build::declare(body, vars.own, of_item)], stmts].concat();
        let condition = build::compare(BinaryOp::Lt, load(vars.item), load(vars.len));
        let span = self.axis.span;
        let axis = Axis {
            var: vars.item,
            start: Expr::int(0, vars.item_ty, span),
            step: Expr::int(1, Scalar::I32, span),
            count: build::int(self.items),
            span,
        };
        let of_items = build::stmt(StmtKind::If { condition, then, otherwise: Vec::new() });
        Region { axes: [Some(axis), None, None], body: vec![of_items], meeting: region.meeting }
    }
}

/// The variables of a loop over rows.
struct RowVars {
    /// The item behind the last one.
    end: VarId,
    /// The first item of a row.
    at: VarId,
    /// Its number, row and column.
    first: VarId,
    row: VarId,
    column: VarId,
    /// How many items of the group are in the row.
    len: VarId,
    /// The item's place among these.
    item: VarId,
    /// The item.
    own: VarId,
    item_ty: Scalar,
}

impl RowVars {
    fn new(body: &mut Body, rows: &Rows) -> Self {
        let of_axis = Variable { role: Role::Local, is_const: true, ..body.var(rows.axis.var).clone() };
        let item_ty = of_axis.ty.scalar().unwrap_or(Scalar::I64);
        let of_number = Variable { ty: rows.ty.into(), ..of_axis.clone() };
        let end = build::fresh(body, "end", of_axis.clone());
        let at = build::fresh(body, "at", Variable { is_const: false, ..of_axis.clone() });
        let [first, row, column] = ["first", "row", "column"].map(|hint| build::fresh(body, hint, of_number.clone()));
        let len = build::fresh(body, "len", of_axis.clone());
        let item = build::fresh(body, "item", Variable { role: Role::Inner(0), ..of_axis.clone() });
        let own = body.add(of_axis);
        Self { end, at, first, row, column, len, item, own, item_ty }
    }
}

/// Whether a number is known not to be below zero.
fn is_natural(natural: &BTreeSet<VarId>, value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Literal(Literal::Int(value)) => *value >= 0,
        ExprKind::Load(place) => place.path.is_empty() && natural.contains(&place.root),
        ExprKind::Cast { value: inner, .. } => !std::ptr::eq(unwidened(value), value) && is_natural(natural, inner),
        _ => false,
    }
}

fn is_signed(value: &Expr) -> bool {
    matches!(value.ty, Type::Scalar(Scalar::I32 | Scalar::I64))
}

/// The value without conversions that keep every number.
fn unwidened(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Cast { value: inner, .. }
            if is_signed(inner) && is_signed(value) && value.ty != Scalar::I32.into() =>
        {
            unwidened(inner)
        }
        _ => value,
    }
}

/// The variable whose value this is, but for its type.
fn variable(value: &Expr) -> Option<VarId> {
    match &unwidened(value).kind {
        ExprKind::Load(place) if place.path.is_empty() => Some(place.root),
        _ => None,
    }
}

/// What a product is made of.
fn factors(value: &Expr) -> Vec<Expr> {
    match &unwidened(value).kind {
        ExprKind::Binary(BinaryOp::Mul, a, b) => [factors(a), factors(b)].concat(),
        _ => vec![without_spans(unwidened(value))],
    }
}

/// Whether a product, and each factor of it, is of this type.
fn is_product_of(value: &Expr, ty: Scalar) -> bool {
    value.ty == ty.into()
        && match &value.kind {
            ExprKind::Binary(BinaryOp::Mul, a, b) => is_product_of(a, ty) && is_product_of(b, ty),
            ExprKind::Cast { .. } => false,
            _ => true,
        }
}

/// Whether `value` is a product with all factors of `of`.
fn is_multiple(value: &Expr, of: &Expr) -> bool {
    if let (Some(value), Some(of)) = (value.as_int(), of.as_int()) {
        return of != 0 && value % of == 0;
    }
    without(factors(value), &factors(of)).is_some()
}

/// The factors that are left.
fn without(mut all: Vec<Expr>, some: &[Expr]) -> Option<Vec<Expr>> {
    for factor in some {
        all.remove(all.iter().position(|other| other == factor)?);
    }
    Some(all)
}

/// Finds what items divide.
struct Divisions<'a> {
    body: &'a Body,
    /// Variables of items.
    own: BTreeSet<VarId>,
    assigned: BTreeSet<VarId>,
    uniform: BTreeMap<VarId, Expr>,
    /// Variables that go up by one from item to item, as they are computed from the axis's variable.
    numbers: BTreeMap<VarId, Expr>,
    /// Remainders, and what they are remainders of; copies of a number, and what they are copies of.
    parts: BTreeMap<VarId, VarId>,
    copies: BTreeMap<VarId, VarId>,
    divided: Vec<Division>,
}

/// A number, or a remainder of it, is divided.
#[derive(Clone)]
struct Division {
    number: VarId,
    divisor: Expr,
    /// The number itself is.
    is_whole: bool,
}

impl Divisions<'_> {
    /// An integer that is the same for all items of the group, as the group can compute it.
    fn uniform(&self, value: &Expr) -> Option<Expr> {
        let of_group = |var: &VarId| {
            let is_own = self.own.contains(var) || self.assigned.contains(var);
            !is_own && !matches!(self.body.var(*var).role, Role::Exclusive | Role::Shared | Role::Exchange(_))
        };
        let value = substitute(value, &self.uniform);
        let is_uniform = is_signed(&value) && value.is_speculatable();
        (is_uniform && Uses::of_expr(&value).mentioned.iter().all(of_group)).then_some(value)
    }

    /// A sum that goes up by one from item to item.
    fn number(&self, value: &Expr) -> Option<Expr> {
        let sum = |op, a, b| build::binary(op, a, b, value.ty.scalar().unwrap_or(Scalar::I64));
        match &value.kind {
            ExprKind::Load(place) if place.path.is_empty() => self.numbers.get(&place.root).cloned(),
            ExprKind::Cast { value: inner, .. } if !std::ptr::eq(unwidened(value), value) => {
                Some(build::convert(self.number(inner)?, value.ty.scalar()?))
            }
            ExprKind::Binary(op @ BinaryOp::Add, a, b) if is_signed(value) => {
                let left = self.number(a).zip(self.uniform(b));
                let (a, b) = left.or_else(|| self.uniform(a).zip(self.number(b)))?;
                Some(sum(*op, a, b))
            }
            ExprKind::Binary(op @ BinaryOp::Sub, a, b) if is_signed(value) => {
                Some(sum(*op, self.number(a)?, self.uniform(b)?))
            }
            _ => None,
        }
    }

    /// What a number is a copy of, or it itself.
    fn original(&self, number: VarId) -> VarId {
        *self.copies.get(&number).unwrap_or(&number)
    }

    /// What a number is a remainder of, or it itself.
    fn whole(&self, number: VarId) -> VarId {
        *self.parts.get(&number).unwrap_or(&self.original(number))
    }

    /// The divisions by whole rows, if one divides by the length of a row.
    fn multiples(&self, of: &Division) -> impl Iterator<Item = &Division> {
        self.divided.iter().filter(|other| other.number == of.number && is_multiple(&other.divisor, &of.divisor))
    }

    /// What the number is below where items do anything, and what they do then.
    fn guard(&self, stmts: &[Stmt], number: VarId) -> Option<(Expr, Vec<Stmt>)> {
        let (last, definitions) = stmts.split_last()?;
        let StmtKind::If { condition, then, otherwise } = &last.kind else { return None };
        let ExprKind::Binary(BinaryOp::Lt, a, b) = &condition.kind else { return None };
        let are_definitions = definitions.iter().all(|stmt| free_definition(self.body, stmt).is_some());
        if !otherwise.is_empty() || !are_definitions || variable(a).map(|var| self.original(var)) != Some(number) {
            return None;
        }
        Some((self.uniform(b)?, [definitions, then].concat()))
    }
}

/// A variable that keeps its value.
fn definition<'a>(body: &Body, stmt: &'a Stmt) -> Option<(VarId, &'a Expr)> {
    match &stmt.kind {
        StmtKind::Declare { var, init: Some(Initializer::Value(value)) }
            if body.var(*var).is_const && is_signed(value) =>
        {
            Some((*var, value))
        }
        _ => None,
    }
}

impl Visitor for Divisions<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let Some((var, value)) = definition(self.body, stmt) {
            if let Some(value) = self.uniform(value) {
                self.uniform.insert(var, value);
            } else if let Some(number) = self.number(value) {
                self.numbers.insert(var, number);
                self.copies.extend(variable(value).map(|of| (var, self.original(of))));
            } else if let ExprKind::Binary(BinaryOp::Rem | BinaryOp::Sub, a, _) = &value.kind
                && let Some(whole) = variable(a)
            {
                self.parts.insert(var, self.whole(whole));
            } else if let Some(part) = variable(value).filter(|of| self.parts.contains_key(of)) {
                self.parts.insert(var, self.whole(part));
            }
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, a, b) = &expr.kind
            && let Some(divided) = variable(a)
            && let Some(divisor) = self.uniform(b)
        {
            let divisor = without_spans(&divisor);
            let is_whole = !self.parts.contains_key(&divided);
            self.divided.push(Division { number: self.whole(divided), divisor, is_whole });
        }
        walk_expr(self, expr);
    }
}

/// Puts row and column where items divide.
struct Rewriting<'a> {
    rows: &'a Rows,
    body: &'a Body,
    /// Variables that go up by one from item to item of a row, and stay in theirs: what the first item has.
    steps: BTreeMap<VarId, Expr>,
    /// Variables that are such a one divided by a number of rows.
    quotients: BTreeMap<VarId, (VarId, Expr)>,
    vars: &'a RowVars,
}

impl Rewriting<'_> {
    /// What is divided, and by which number of rows, if that is so.
    fn division(&self, a: &Expr, b: &Expr) -> Option<(VarId, Expr)> {
        let number = variable(a).filter(|var| self.steps.contains_key(var))?;
        let divisor = without_spans(&substitute(b, &self.rows.uniform));
        is_multiple(&divisor, &self.rows.length).then_some((number, divisor))
    }

    /// What the first item of the row has of a remainder, if it is one of whole rows.
    fn step(&self, value: &Expr) -> Option<Expr> {
        let ty = value.ty.scalar()?;
        match &value.kind {
            ExprKind::Load(place) if place.path.is_empty() => self.steps.get(&place.root).cloned(),
            ExprKind::Cast { value: inner, .. } if !std::ptr::eq(unwidened(value), value) => {
                Some(build::convert(self.step(inner)?, ty))
            }
            ExprKind::Binary(BinaryOp::Rem, a, b) => {
                let (number, divisor) = self.division(a, b)?;
                Some(self.remainder(number, &divisor, ty))
            }
            // `i - i / n * n`
            ExprKind::Binary(BinaryOp::Sub, a, b) => {
                let number = variable(a).filter(|var| self.steps.contains_key(var))?;
                let product = substitute(b, &self.rows.uniform);
                let all = factors(&product);
                let quotient = all.iter().find_map(|factor| self.quotients.get(&variable(factor)?));
                let (_, divisor) = quotient.filter(|(of, _)| *of == number)?;
                let [factor] = without(all, &factors(divisor))?.try_into().ok()?;
                let is_it = self.quotients.get(&variable(&factor)?) == quotient;
                // Of one type, products wrap alike.
                let is_it = is_it && is_product_of(&product, ty) && is_product_of(divisor, ty);
                is_it.then(|| self.remainder(number, divisor, ty))
            }
            _ => None,
        }
    }

    fn remainder(&self, number: VarId, divisor: &Expr, ty: Scalar) -> Expr {
        if *divisor == self.rows.length {
            return build::convert(build::load(self.body, self.vars.column), ty);
        }
        let [first, divisor] = [&self.steps[&number], divisor].map(|value| build::convert(value.clone(), ty));
        build::binary(BinaryOp::Rem, first, divisor, ty)
    }
}

impl Rewriter for Rewriting<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        if let Some((var, value)) = definition(self.body, stmt) {
            if let Some(first) = self.step(value) {
                self.steps.insert(var, first);
            } else if let ExprKind::Binary(BinaryOp::Div, a, b) = &unwidened(value).kind
                && let Some(quotient) = self.division(a, b)
            {
                self.quotients.insert(var, quotient);
            }
        }
        rewrite_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b) = &expr.kind
            && let Some((number, divisor)) = self.division(a, b)
            && let Some(ty) = expr.ty.scalar()
        {
            let of_item = build::convert(build::load(self.body, self.vars.item), ty);
            let of_row = match op {
                BinaryOp::Rem => build::binary(BinaryOp::Add, self.remainder(number, &divisor, ty), of_item, ty),
                _ if number == self.rows.number && divisor == self.rows.length => {
                    build::convert(build::load(self.body, self.vars.row), ty)
                }
                _ => build::binary(*op, build::convert(self.steps[&number].clone(), ty), (**b).clone(), ty),
            };
            *expr = Expr { span: expr.span, ..of_row };
            return;
        }
        rewrite_expr(self, expr);
    }
}
