//! Checks at accesses of which no launch can prove that they lie within their memory, and at divisions of integers of which
//! none can prove that they have a result.
//!
//! A read `a[idx[i]]` becomes `a[index_or_zero(idx[i], a_length, 3, g, i, faults)]`: the function answers the index, or leaves a
//! record in `faults` and answers 0; `g` and `i` are the numbers of the group and the item. A write `a[j] = v` becomes
//! `{ const at = j; if (is_in_range(at, a_length, 4, g, i, faults)) a[at] = v; }`, so that it does not happen out of range. Indices are evaluated once: another item that changes `idx` meanwhile changes
//! which element is meant, and never past the check.
//!
//! Lengths of parameters are host variables ([`Builtin::Length`]), and the record is a further parameter of the kernel
//! ([`Kernel::faults`]): `faults[0]` is 1 after a fault, then come the number of the place, the low and high halves of
//! the index and of the length, and the numbers of the group and the item along each axis. A parameter without elements has to lead to zeros that an element can be read from.
//!
//! A division `a / b` becomes `quotient(a, b, 5, g, i, faults)`, which answers 0 where there is none (`divisions`).
//!
//! Arithmetic that no launch proves to fit its type is made to wrap (`wrap`).
//!
//! Where device kernels cannot print, `printf` leaves a line in the record (`lines`).
//!
//! A device function with such accesses is given, behind its own parameters, for each pointer the number of elements
//! before it and the length of the memory, whose first element the pointer then leads to, and who calls it.

mod divisions;
mod helpers;
mod lines;
mod place;
pub(crate) mod wrap;

use crate::ir::divisor_of;
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{
    Argument, Axis, BinaryOp, Body, Builtin, Expr, ExprKind, FunctionId, HostStmt, Kernel, Line, Literal, MathFn,
    Module, Place, Places, Pointer, Projection, Region, Role, Scalar, Stmt, StmtKind, Struct, Type, VarId, Variable,
    Visitor, build, for_regions, rewrite, walk_expr, walk_place, walk_stmt,
};
use crate::source::Span;
pub(super) use helpers::forget_spans;
use helpers::{Check, Helper, Helpers};
use place::Elements;
use std::collections::BTreeMap;

/// What is checked, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Checked {
    pub(crate) what: What,
    pub(crate) span: Span,
}

/// What is checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// An index; what the user calls its memory.
    Index(String),
    /// A division of integers of a type.
    Division(Scalar),
}

/// What device kernels leave in the record, in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    /// What is checked.
    pub(crate) checked: Vec<Checked>,
    /// What is printed.
    pub(crate) lines: Vec<Line>,
}

/// What a target's text can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Means {
    /// The type that it has for indices: `I64`, or `I32` where it has no wider ones.
    pub(crate) index: Scalar,
    /// Device kernels can print.
    pub(crate) prints: bool,
    /// Signed arithmetic wraps.
    pub(crate) wraps: bool,
}

/// Adds checks to the places of a module that are listed, and spells out arithmetic that wraps.
pub(crate) fn run(module: &mut Module, places: &Places, means: Means) -> Recorded {
    let needs = Needs::of(module, places, means.prints);
    let Module { structs, functions, kernels, .. } = module;
    let (helpers, recorded) = (Helpers::default(), Recorded::default());
    let who = who(kernels);
    let mut pass = CheckAccesses { places, means, needs: &needs, structs, helpers, recorded, who: &who };
    for (number, function) in functions.iter_mut().enumerate() {
        pass.function(&mut function.body, &mut function.params, &mut function.stmts, &needs.functions[number]);
    }
    for kernel in kernels {
        pass.kernel(kernel);
    }
    let CheckAccesses { helpers, recorded, .. } = pass;
    renumber(module, &helpers);
    module.functions.splice(0..0, helpers.functions(&who));
    recorded
}

/// The axes of groups (0, 1, 2) and items (3, 4, 5) that some kernel has; the first of each always.
fn who(kernels: &[Kernel]) -> Vec<usize> {
    let mut has = [true, false, false, true, false, false];
    for nest in kernels.iter().flat_map(|kernel| &kernel.nests) {
        for (axis, of) in nest.outer.iter().enumerate() {
            has[axis] |= of.is_some();
        }
        for_regions(&nest.stmts, &mut |region| {
            for (axis, of) in region.axes.iter().enumerate() {
                has[3 + axis] |= of.is_some();
            }
        });
    }
    (0..6).filter(|&axis| has[axis]).collect()
}

/// Adds checks to all places.
pub(crate) fn run_on_all(module: &mut Module) {
    run(module, &Places::all(module), Means { index: Scalar::I64, prints: true, wraps: true });
}

/// What a function has to be given.
#[derive(Clone, Debug, Default)]
struct Need {
    /// Positions of the pointer parameters whose memory it has to know.
    pointers: Vec<u32>,
    /// It leaves records of faults.
    faults: bool,
}

/// What each function has to be given.
struct Needs {
    functions: Vec<Need>,
}

/// Looks at what the statements of a body need.
struct Look<'a> {
    places: &'a Places,
    /// By function; callees come first.
    known: &'a [Need],
    roots: Vec<VarId>,
    /// Those whose length is compared with indices of 32 bits, and those for which that does not do.
    narrow: Vec<VarId>,
    wide: Vec<VarId>,
    faults: bool,
    /// Device kernels can print.
    prints: bool,
}

impl Needs {
    fn of(module: &Module, places: &Places, prints: bool) -> Self {
        let mut functions: Vec<Need> = Vec::new();
        for function in &module.functions {
            let look = Look::at(places, prints, &functions, &function.stmts);
            let is_needed = |param: &&VarId| {
                look.roots.contains(param) && matches!(function.body.var(**param).ty, Type::Pointer(_))
            };
            let positions = function.params.iter().zip(0..).filter(|(param, _)| is_needed(param));
            functions.push(Need { pointers: positions.map(|of| of.1).collect(), faults: look.faults });
        }
        Self { functions }
    }
}

impl<'a> Look<'a> {
    fn at(places: &'a Places, prints: bool, known: &'a [Need], stmts: &[Stmt]) -> Self {
        let (roots, narrow, wide) = (Vec::new(), Vec::new(), Vec::new());
        let mut look = Self { places, known, roots, narrow, wide, faults: false, prints };
        stmts.iter().for_each(|stmt| look.stmt(stmt));
        look
    }

    fn call(&mut self, function: FunctionId, arguments: &[Argument]) {
        let Need { pointers, faults } = &self.known[function.0 as usize];
        self.faults |= faults;
        for (argument, position) in arguments.iter().zip(0..) {
            if let Argument::Pointer(place) = argument
                && pointers.contains(&position)
            {
                self.roots.push(place.root);
                self.wide.push(place.root);
            }
        }
    }
}

impl Visitor for Look<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Call { function, arguments, .. } = &stmt.kind {
            self.call(*function, arguments);
        }
        self.faults |= matches!(stmt.kind, StmtKind::Print(_)) && !self.prints;
        self.faults |= divisor_of(stmt).is_some_and(|divisor| self.places.contains_divisor(divisor));
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Call(function, arguments) => self.call(*function, arguments),
            ExprKind::Binary(_, _, divisor) => self.faults |= self.places.contains_divisor(divisor),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        self.store(place);
    }

    fn store(&mut self, place: &Place) {
        if self.places.contains(place) {
            self.roots.push(place.root);
            let list = if place::narrow_subscript(place).is_some() { &mut self.narrow } else { &mut self.wide };
            list.push(place.root);
            self.faults = true;
        }
        walk_place(self, place);
    }
}

/// The pass at work.
struct CheckAccesses<'a> {
    places: &'a Places,
    means: Means,
    needs: &'a Needs,
    structs: &'a [Struct],
    helpers: Helpers,
    recorded: Recorded,
    /// As [`who`].
    who: &'a [usize],
}

/// What is known of the memory that a variable leads to.
#[derive(Clone)]
struct Extent {
    /// Holds the number of elements before the one that the variable leads to.
    first: Option<VarId>,
    /// Holds the number of elements of the memory.
    length: Option<VarId>,
    /// The same, at most 2³¹, for indices of 32 bits where the target has wider ones.
    narrow: Option<VarId>,
}

impl CheckAccesses<'_> {
    /// A hidden variable.
    fn variable(&self, ty: Type, role: Role, span: Span) -> Variable {
        Variable { name: String::new(), ty, role, is_const: true, span }
    }

    fn faults_param(&self, body: &mut Body, params: &mut Vec<VarId>, span: Span) -> VarId {
        let pointer =
            Pointer { element: Box::new(Scalar::U32.into()), dims: Vec::new(), mutable: true, restrict: true };
        let role = Role::Param(params.len() as u32);
        let faults = build::fresh(body, "faults", self.variable(Type::Pointer(pointer), role, span));
        params.push(faults);
        faults
    }

    fn function(&mut self, body: &mut Body, params: &mut Vec<VarId>, stmts: &mut Vec<Stmt>, need: &Need) {
        let mut extents = BTreeMap::new();
        for &position in &need.pointers {
            let param = params[position as usize];
            let (name, span) = (body.var(param).name.clone(), body.var(param).span);
            let mut hidden = |what: &str| {
                let role = Role::Param(params.len() as u32);
                let variable = self.variable(self.means.index.into(), role, span);
                params.push(build::fresh(body, &format!("{name}_{what}"), variable));
                params[params.len() - 1]
            };
            extents
                .insert(param, Extent { first: Some(hidden("first")), length: Some(hidden("length")), narrow: None });
        }
        let mut who = Vec::new();
        for &axis in self.who.iter().filter(|_| need.faults) {
            let variable = self.variable(Scalar::U32.into(), Role::Param(params.len() as u32), Span::default());
            let param = build::fresh(body, helpers::WHO[axis], variable);
            params.push(param);
            who.push(build::load(body, param));
        }
        let faults = need.faults.then(|| self.faults_param(body, params, Span::default()));
        InBody { pass: self, body, extents, faults, who, is_nest: false }.list(stmts);
    }

    fn kernel(&mut self, kernel: &mut Kernel) {
        let look = |stmts: &[Stmt]| Look::at(self.places, self.means.prints, &self.needs.functions, stmts);
        divisions::on_host(kernel);
        let looks: Vec<Look<'_>> = kernel.nests.iter().map(|nest| look(&nest.stmts)).collect();
        if looks.iter().all(|look| !look.faults) {
            let (body, extents, who) = (&mut kernel.body, BTreeMap::new(), Vec::new());
            let mut plain = InBody { pass: self, body, extents, faults: None, who, is_nest: false };
            return kernel.nests.iter_mut().for_each(|nest| plain.list(&mut nest.stmts));
        }
        let mut extents = BTreeMap::new();
        for (param, position) in kernel.params.clone().into_iter().zip(0..) {
            let Variable { name, ty: Type::Pointer(pointer), span, .. } = kernel.body.var(param).clone() else {
                continue;
            };
            let asks = |of: &dyn Fn(&Look<'_>) -> bool| looks.iter().any(of);
            // Rows are counted in elements, which 32 bits need not hold.
            let can_be_narrow = self.means.index == Scalar::I64 && pointer.dims.is_empty();
            let is_narrow = can_be_narrow && asks(&|look| look.narrow.contains(&param));
            let is_wide = asks(&|look| look.wide.contains(&param)) || !can_be_narrow;
            if !asks(&|look| look.roots.contains(&param)) {
                continue;
            }
            let length = build::builtin(Builtin::Length(position), self.means.index);
            let most = build::extreme(MathFn::IntMin, length.clone(), build::int(1 << 31));
            let mut host = |ty: Scalar, value: Expr| {
                let variable = self.variable(ty.into(), Role::Host, span);
                let var = build::fresh(&mut kernel.body, &format!("{name}_length"), variable);
                kernel.host.insert(0, HostStmt::Set { var, value });
                var
            };
            // No index of 32 bits that is less than zero is, without sign, below 2³¹.
            let narrow = is_narrow.then(|| host(Scalar::U32, build::convert(most, Scalar::U32)));
            let length = is_wide.then(|| host(self.means.index, length));
            extents.insert(param, Extent { first: None, length, narrow });
        }
        let faults = self.faults_param(&mut kernel.body, &mut kernel.params, kernel.span);
        kernel.faults = true;
        for nest in &mut kernel.nests {
            let body = &mut kernel.body;
            let who = self.who_of(body, &nest.outer, None);
            let extents = extents.clone();
            InBody { pass: self, body, extents, faults: Some(faults), who, is_nest: true }.list(&mut nest.stmts);
        }
    }

    /// The numbers of the group, and of the item where there is one, in the order of `who`.
    fn who_of(&self, body: &Body, outer: &[Option<Axis>; 3], inner: Option<&[Option<Axis>; 3]>) -> Vec<Expr> {
        let none = Expr::int(i64::from(u32::MAX), Scalar::U32, Span::default());
        let number = |&axis: &usize| match (axis, inner) {
            (0..3, _) => self.position(body, outer[axis].as_ref()),
            (_, Some(inner)) => self.position(body, inner[axis - 3].as_ref()),
            (_, None) => none.clone(),
        };
        self.who.iter().map(number).collect()
    }

    /// Which value of an axis its variable has, counted from 0.
    fn position(&self, body: &Body, axis: Option<&Axis>) -> Expr {
        let Some(Axis { var, start, step, .. }) = axis else {
            return Expr::int(0, Scalar::U32, Span::default());
        };
        // A distance from the start may be no number of the axis's own type; where that wraps it is the right one without sign.
        let own = body.var(*var).ty.scalar().unwrap_or(Scalar::I64);
        let ty = if self.means.wraps && own.bytes() == 4 { own } else { Scalar::I64 };
        let wide = |value: &Expr| build::convert(rewrite::without_spans(value), ty);
        let mut position = build::load(body, *var);
        if start.as_int() != Some(0) {
            position = build::binary(BinaryOp::Sub, wide(&position), wide(start), ty);
        }
        if step.as_int() != Some(1) {
            position = build::binary(BinaryOp::Div, wide(&position), wide(step), ty);
        }
        build::convert(position, Scalar::U32)
    }

    /// The number of a place that is checked.
    fn number(&mut self, what: What, span: Span) -> Expr {
        let checked = Checked { what, span };
        let number = number_in(&mut self.recorded.checked, checked);
        Expr::int(i64::from(number), Scalar::U32, Span::default())
    }

    /// What stands for a line in the record: its number, counted from 1.
    fn line(&mut self, line: Line) -> u32 {
        number_in(&mut self.recorded.lines, line) + 1
    }
}

/// The place of a value in a list, which has it then.
fn number_in<T: PartialEq>(list: &mut Vec<T>, value: T) -> u32 {
    let known = list.iter().position(|other| *other == value);
    known.unwrap_or_else(|| {
        list.push(value);
        list.len() - 1
    }) as u32
}

/// The pass in one function or nest.
struct InBody<'a, 'p> {
    pass: &'a mut CheckAccesses<'p>,
    body: &'a mut Body,
    /// Of parameters. Arrays say themselves how long they are.
    extents: BTreeMap<VarId, Extent>,
    faults: Option<VarId>,
    /// Who runs here: numbers along the axes of [`CheckAccesses::who`].
    who: Vec<Expr>,
    is_nest: bool,
}

impl Rewriter for InBody<'_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        let span = stmt.span;
        let divides = divisor_of(stmt).is_some_and(|divisor| self.pass.places.contains_divisor(divisor));
        match &mut stmt.kind {
            _ if divides => self.dividing(stmt),
            StmtKind::Assign { place, op, value } => {
                let overflows = !self.pass.means.wraps && self.pass.places.contains_update(value);
                self.expr(value);
                if matches!(op, Some(BinaryOp::Shl | BinaryOp::Shr)) {
                    wrap::shifted(value, &place.ty);
                }
                let (mut before, conditions) = self.written(place);
                if overflows {
                    before.extend(self.update(place, op, value));
                }
                self.guard(stmt, (before, conditions), None);
            }
            StmtKind::Atomic { place, value, expected, result, .. } => {
                self.expr(value);
                expected.iter_mut().for_each(|e| self.expr(e));
                let (result, guard) = (*result, self.written(place));
                self.guard(stmt, guard, result);
            }
            StmtKind::Call { function, arguments, .. } => self.call(*function, arguments),
            StmtKind::Print(_) if !self.pass.means.prints => self.leave_line(stmt),
            // Nobody has proven that its subscripts lie within its memory, which an address has to for a compiler.
            StmtKind::Prefetch { .. } if self.faults.is_some() => stmt.kind = StmtKind::Block(Vec::new()),
            StmtKind::Inner(region) if self.is_nest => {
                let mut before = self.starts(region);
                let sums = self.count_from_zero(region, &mut before);
                // Of the group's numbers nothing changes.
                let groups = self.pass.who.iter().filter(|&&axis| axis < 3).count();
                let items = self.pass.who_of(self.body, &[None, None, None], Some(&region.axes)).split_off(groups);
                let outside = self.who.splice(groups.., items).collect::<Vec<_>>();
                self.region(region, sums);
                self.who.splice(groups.., outside);
                divisions::behind(stmt, before);
            }
            StmtKind::Inner(region) => {
                let mut before = Vec::new();
                let sums = self.count_from_zero(region, &mut before);
                self.region(region, sums);
                divisions::behind(stmt, before);
            }
            _ => rewrite_stmt(self, stmt),
        }
        stmt.span = span;
    }

    fn expr(&mut self, expr: &mut Expr) {
        let overflows = !self.pass.means.wraps && self.pass.places.contains_overflow(expr);
        match &mut expr.kind {
            ExprKind::Call(function, arguments) => self.call(*function, arguments),
            ExprKind::Binary(_, _, divisor) if self.pass.places.contains_divisor(divisor) => self.divided(expr),
            _ => rewrite_expr(self, expr),
        }
        match &mut expr.kind {
            _ if overflows => wrap::arithmetic(expr),
            ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, value, count) => wrap::shifted(count, &value.ty),
            _ => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        self.read(place);
    }
}

impl InBody<'_, '_> {
    /// What items do, and where they begin; counts and steps are the host's. Settled statements come first.
    fn region(&mut self, region: &mut Region, first: Vec<Stmt>) {
        region.axes.iter_mut().flatten().for_each(|axis| self.expr(&mut axis.start));
        self.list(&mut region.body);
        region.body.splice(0..0, first);
    }

    /// Lets a statement happen only where its indices are in range; else its result is zero.
    fn guard(&mut self, stmt: &mut Stmt, (mut stmts, conditions): (Vec<Stmt>, Vec<Expr>), result: Option<VarId>) {
        let Some(condition) = conditions.into_iter().reduce(build::and) else {
            return divisions::behind(stmt, stmts);
        };
        let span = stmt.span;
        let zero = |var: VarId| {
            let ty = self.body.var(var).ty.scalar().unwrap_or(Scalar::I32);
            let literal = if ty.is_float() { Literal::Float(0.0) } else { Literal::Int(0) };
            build::assign(self.body, var, Expr { kind: ExprKind::Literal(literal), ty: ty.into(), span })
        };
        let otherwise = result.map(zero).into_iter().collect();
        let kind = std::mem::replace(&mut stmt.kind, StmtKind::Break);
        stmts.push(Stmt { kind: StmtKind::If { condition, then: vec![Stmt { kind, span }], otherwise }, span });
        stmts.iter_mut().for_each(|stmt| stmt.span = span);
        stmt.kind = StmtKind::Block(stmts);
    }

    /// Gives a call what its function has to know.
    fn call(&mut self, function: FunctionId, arguments: &mut Vec<Argument>) {
        let Need { pointers, faults } = self.pass.needs.functions[function.0 as usize].clone();
        let mut hidden = Vec::new();
        for (argument, position) in arguments.iter_mut().zip(0..) {
            match argument {
                Argument::Value(value) => self.expr(value),
                Argument::Pointer(place) if pointers.contains(&position) => {
                    hidden.extend(self.pointed(place).map(Argument::Value));
                }
                Argument::Pointer(place) => self.passed(place),
            }
        }
        arguments.extend(hidden);
        arguments.extend(self.who.iter().filter(|_| faults).cloned().map(Argument::Value));
        arguments.extend(self.faults.filter(|_| faults).map(|faults| self.record(faults)));
    }

    /// The record of whoever leaves something in it.
    fn given_faults(&self) -> VarId {
        self.faults.unwrap_or_else(|| unreachable!("whoever leaves something in the record is given it"))
    }

    /// The record as an argument.
    fn record(&self, faults: VarId) -> Argument {
        let path = vec![Projection::Flat(build::int(0))];
        Argument::Pointer(Place { root: faults, path, ty: Scalar::U32.into(), span: Span::default() })
    }

    /// `index_or_zero(index, length, place, who, faults)`, or `is_in_range` with the same arguments.
    fn check(&mut self, check: Check, index: Expr, elements: &Elements, root: VarId, span: Span) -> Expr {
        let ty = index.ty.scalar().unwrap_or(Scalar::I64);
        let length = match (ty, elements) {
            (Scalar::I32, Elements::Memory(var)) => match self.extents.get(var).and_then(|extent| extent.narrow) {
                Some(narrow) => build::load(self.body, narrow),
                None => build::convert(self.length(elements), Scalar::U32),
            },
            (Scalar::I32, _) => build::convert(self.length(elements), Scalar::U32),
            _ => build::convert(self.length(elements), Scalar::U64),
        };
        let name = self.body.var(root).name.clone();
        let number = self.pass.number(What::Index(name), span);
        let width = if ty == Scalar::I32 { Scalar::I32 } else { Scalar::I64 };
        let helper = Helper::Index(check, width);
        let ty = if check == Check::Inside { Scalar::Bool } else { ty };
        self.helped(helper, [index, length, number], ty, span)
    }

    /// A call of a helper: its own arguments, then who calls it and the record.
    fn helped(&mut self, helper: Helper, own: impl IntoIterator<Item = Expr>, ty: Scalar, span: Span) -> Expr {
        let faults = self.given_faults();
        let function = self.pass.helpers.get(helper);
        let values = own.into_iter().chain(self.who.iter().cloned()).map(Argument::Value);
        let arguments = values.chain([self.record(faults)]).collect();
        Expr { kind: ExprKind::Call(function, arguments), ty: ty.into(), span }
    }
}

/// Gives every function that is called the number that it has behind the helpers.
fn renumber(module: &mut Module, helpers: &Helpers) {
    struct Renumber<F>(F);
    impl<F: Fn(FunctionId) -> FunctionId> Rewriter for Renumber<F> {
        fn stmt(&mut self, stmt: &mut Stmt) {
            if let StmtKind::Call { function, .. } = &mut stmt.kind {
                *function = (self.0)(*function);
            }
            rewrite_stmt(self, stmt);
        }
        fn expr(&mut self, expr: &mut Expr) {
            if let ExprKind::Call(function, _) = &mut expr.kind {
                *function = (self.0)(*function);
            }
            rewrite_expr(self, expr);
        }
    }
    let mut renumber = Renumber(helpers.numbers());
    module.functions.iter_mut().for_each(|function| renumber.list(&mut function.stmts));
    module.kernels.iter_mut().flat_map(|kernel| &mut kernel.nests).for_each(|nest| renumber.list(&mut nest.stmts));
}
