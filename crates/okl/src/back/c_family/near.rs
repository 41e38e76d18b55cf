//! Loops whose functions have a version without a branch that holds for common arguments alone.
//!
//! A compiler makes no vector of a loop where an iteration may take a branch to reduce a large angle. Such a loop is
//! printed three times: a first one computes the arguments and asks whether one of them is not common, and decides which of
//! the others runs, one with the functions for all arguments or one with those for common ones. They have the same bits.
//!
//! The first loop stores nothing. It sees what the others see only if no argument depends on what an iteration stored
//! before, so that other loops stay as they are. So do those that carry a variable from one iteration to the next, which are
//! no vectors anyway.

use super::stmt::JumpTargets;
use super::{Printer, type_name};
use crate::back::writer::Writer;
use crate::ir::rewrite::{Rewriter, rewrite_expr};
use crate::ir::{
    Argument, BinaryOp, Expr, ExprKind, FunctionId, Initializer, Loop, MathFn, Place, Scalar, Stmt, StmtKind, Type,
    Uses, VarId, Visitor, for_declarations, walk_expr, walk_place,
};
use std::collections::{BTreeMap, BTreeSet};

/// The variable that tells that an argument is not common.
const FAR: &str = "okl_far";

/// Where a piece of a loop begins and ends, and where the loop does.
const FIRST: &str = "okl_first";
const NEXT: &str = "okl_next";
const LAST: &str = "okl_last";

/// Most iterations of a piece: what they read stays in the first cache.
const PIECE: u32 = 1024;

/// Most nodes that calls in a loop's body may become.
const MOST_NODES: usize = 1000;

/// Fewest iterations of a loop that is worth versions.
const FEWEST: i64 = 4;

/// How the functions of a loop's body are printed.
#[derive(Clone, Default)]
pub(super) enum Arguments {
    /// As functions of all arguments.
    #[default]
    All,
    /// As functions of common ones.
    Common,
    /// Not at all, but questions whether their arguments are common; these variables are needed for that.
    Asked(BTreeSet<VarId>),
}

impl Printer<'_> {
    /// Prints a loop in three versions where it has functions with a version for common arguments, and these are known before
    /// its effects; answers whether it did.
    pub(super) fn has_versions(&mut self, out: &mut Writer<'_>, l: &Loop) -> bool {
        let is_short = iterations(l).is_some_and(|iterations| iterations < FEWEST);
        if self.words.common.is_none() || !matches!(self.arguments, Arguments::All) || is_short {
            return false;
        }
        let mut inline = Inline { printer: self, left: MOST_NODES };
        let mut inlined = l.clone();
        inline.list(&mut inlined.body);
        let needed = self.variables_of_arguments(&inlined);
        if let Some(needed) = needed {
            self.versions(out, &inlined, needed);
            return true;
        }
        false
    }

    /// The variables that those arguments need which may not be common, where they are known before the effects of the loop;
    /// `None` where there is no such argument, or where that is not known.
    fn variables_of_arguments(&self, l: &Loop) -> Option<BTreeSet<VarId>> {
        let asks = |stmts: &[Stmt]| {
            let mut asks = Asks { printer: self, arguments: Vec::new() };
            stmts.iter().for_each(|stmt| asks.stmt(stmt));
            asks.arguments
        };
        let arguments = asks(&l.body);
        let is_in_head = !asks(&l.init).is_empty() || !asks(&l.update).is_empty();
        if arguments.is_empty() || is_in_head {
            return None;
        }
        let mut needed: BTreeSet<VarId> =
            arguments.iter().flat_map(|(.., argument)| Uses::of_expr(argument).mentioned).collect();
        self.conditions_of_questions(&l.body, &mut needed);
        let mut declared = BTreeSet::new();
        for_declarations(&l.body, &mut |var, _| {
            declared.insert(var);
        });
        loop {
            let before = needed.len();
            need(&l.body, &mut needed);
            if needed.len() == before {
                break;
            }
        }
        let (stored, is_possible) = (BTreeSet::new(), true);
        let mut scan = Scan { printer: self, needed, declared, stored, is_possible, is_needed: false, conditions: 0 };
        l.body.iter().for_each(|stmt| scan.stmt(stmt));
        scan.is_possible.then_some(scan.needed)
    }

    /// Adds what the conditions mention under which an argument is asked about: they are printed with the questions.
    fn conditions_of_questions(&self, stmts: &[Stmt], needed: &mut BTreeSet<VarId>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::If { condition, then, otherwise } => {
                    if then.iter().chain(otherwise).any(|stmt| self.is_asked(stmt, &BTreeSet::new())) {
                        needed.extend(Uses::of_expr(condition).mentioned);
                    }
                    self.conditions_of_questions(then, needed);
                    self.conditions_of_questions(otherwise, needed);
                }
                StmtKind::Block(stmts) => self.conditions_of_questions(stmts, needed),
                _ => {}
            }
        }
    }

    /// The loop in three versions, a piece of it at a time: what the first one has read is in a cache when another one reads it.
    fn versions(&mut self, out: &mut Writer<'_>, l: &Loop, needed: BTreeSet<VarId>) {
        let is_piece = self.is_short(l) || iterations(l).is_some_and(|iterations| iterations <= PIECE.into());
        let counted = counted(l).filter(|_| !is_piece);
        out.open("{");
        if let Some((var, start, end)) = counted {
            let ty = type_name(self.words, self.names, &self.body.var(var).ty);
            let end_ty = type_name(self.words, self.names, &end.ty);
            out.line(format!("const {end_ty} {LAST} = {};", self.value(end)));
            let start = self.value(start);
            out.open(format!("for ({ty} {FIRST} = {start}, {NEXT}; {FIRST} < {LAST}; {FIRST} = {NEXT}) {{"));
            out.line(format!("{NEXT} = (int64_t){LAST} - {FIRST} > {PIECE} ? {FIRST} + {PIECE} : {LAST};"));
        }
        out.line(format!("int {FAR} = 0;"));
        self.version(out, l, Arguments::Asked(needed), counted.is_some());
        out.open(format!("if ({FAR} != 0) {{"));
        self.version(out, l, Arguments::All, counted.is_some());
        out.reopen("} else {");
        self.version(out, l, Arguments::Common, counted.is_some());
        self.arguments = Arguments::All;
        out.close("}");
        if counted.is_some() {
            out.close("}");
        }
        out.close("}");
    }

    /// One of them; `piece`: of the iterations between two variables.
    fn version(&mut self, out: &mut Writer<'_>, l: &Loop, arguments: Arguments, piece: bool) {
        if l.is_parallel(self.body) && !matches!(arguments, Arguments::All) {
            self.mark_independent(out, l);
        }
        self.arguments = arguments;
        let inside = JumpTargets::items();
        match counted(l).filter(|_| piece) {
            Some((var, ..)) => {
                let (ty, name) = (type_name(self.words, self.names, &self.body.var(var).ty), self.name(var));
                out.open(format!("for ({ty} {name} = {FIRST}; {name} < {NEXT}; ++{name}) {{"));
                self.list(out, &l.body, &inside);
                out.close("}");
            }
            None => self.for_loop(out, l, &l.init, &inside),
        }
    }

    /// What a statement does for the arguments that are asked about.
    pub(super) fn ask(&mut self, out: &mut Writer<'_>, stmt: &Stmt, needed: &BTreeSet<VarId>) {
        match &stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                self.questions(out, |asks| asks.expr(condition));
                let is_needed = |stmts: &[Stmt]| stmts.iter().any(|stmt| self.is_asked(stmt, needed));
                let (then_needed, otherwise_needed) = (is_needed(then), is_needed(otherwise));
                if then_needed || otherwise_needed {
                    out.open(format!("if ({}) {{", self.condition(condition)));
                    then.iter().for_each(|stmt| self.ask(out, stmt, needed));
                    if otherwise_needed {
                        out.reopen("} else {");
                        otherwise.iter().for_each(|stmt| self.ask(out, stmt, needed));
                    }
                    out.close("}");
                }
            }
            StmtKind::Block(stmts) => {
                out.open("{");
                stmts.iter().for_each(|stmt| self.ask(out, stmt, needed));
                out.close("}");
            }
            _ => {
                self.questions(out, |asks| asks.stmt(stmt));
                if set(stmt).is_some_and(|var| needed.contains(&var)) {
                    self.plain(out, stmt, &JumpTargets::default());
                }
            }
        }
    }

    fn is_asked(&self, stmt: &Stmt, needed: &BTreeSet<VarId>) -> bool {
        let mut asks = Asks { printer: self, arguments: Vec::new() };
        asks.stmt(stmt);
        let mut found = !asks.arguments.is_empty();
        for_each_set(std::slice::from_ref(stmt), &mut |var, _| found |= needed.contains(&var));
        found
    }

    fn questions(&self, out: &mut Writer<'_>, visit: impl FnOnce(&mut Asks<'_, '_>)) {
        let mut asks = Asks { printer: self, arguments: Vec::new() };
        visit(&mut asks);
        for (function, ty, argument) in asks.arguments {
            let Some([_, is_far]) = self.words.common.and_then(|common| common(function, ty)) else { continue };
            let name = self.callee(is_far);
            out.line(format!("{FAR} |= {name}({});", self.value(&argument)));
        }
    }
}

/// The variable of a loop that counts by ones, where it starts, and the end.
fn counted(l: &Loop) -> Option<(VarId, &Expr, &Expr)> {
    let [Stmt { kind: StmtKind::Declare { var, init: Some(Initializer::Value(start)) }, .. }] = l.init.as_slice()
    else {
        return None;
    };
    let ExprKind::Binary(BinaryOp::Lt, left, end) = &l.condition.as_ref()?.kind else { return None };
    let left = match &left.kind {
        ExprKind::Cast { value, implicit: true } => value,
        _ => left,
    };
    let ExprKind::Load(place) = &left.kind else { return None };
    let [Stmt { kind: StmtKind::Assign { place: stepped, op: Some(BinaryOp::Add), value }, .. }] = l.update.as_slice()
    else {
        return None;
    };
    let is_var = |place: &Place| place.root == *var && place.path.is_empty();
    (is_var(place) && is_var(stepped) && value.as_int() == Some(1)).then_some((*var, start, end))
}

/// How many iterations a loop makes, where that is a constant.
fn iterations(l: &Loop) -> Option<i64> {
    let (_, start, end) = counted(l)?;
    end.as_int()?.checked_sub(start.as_int()?)
}

/// The local scalar that a statement sets.
fn set(stmt: &Stmt) -> Option<VarId> {
    match &stmt.kind {
        StmtKind::Declare { var, .. } => Some(*var),
        StmtKind::Assign { place, .. } => place.path.is_empty().then_some(place.root),
        _ => None,
    }
}

/// The statements that set a variable, at any depth, with the conditions above them.
fn for_each_set<'a>(stmts: &'a [Stmt], visit: &mut dyn FnMut(VarId, &[&'a Expr])) {
    fn each<'a>(stmts: &'a [Stmt], above: &mut Vec<&'a Expr>, visit: &mut dyn FnMut(VarId, &[&'a Expr])) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::If { condition, then, otherwise } => {
                    above.push(condition);
                    each(then, above, visit);
                    each(otherwise, above, visit);
                    above.pop();
                }
                StmtKind::Block(stmts) => each(stmts, above, visit),
                StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
                    above.push(value);
                    visit(*var, above);
                    above.pop();
                }
                StmtKind::Assign { place, value, .. } if place.path.is_empty() => {
                    above.push(value);
                    visit(place.root, above);
                    above.pop();
                }
                StmtKind::Declare { var, .. } => visit(*var, above),
                _ => {}
            }
        }
    }
    each(stmts, &mut Vec::new(), visit);
}

/// Adds what the variables among `needed` are computed from.
fn need(stmts: &[Stmt], needed: &mut BTreeSet<VarId>) {
    let mut found = Vec::new();
    for_each_set(stmts, &mut |var, from| {
        if needed.contains(&var) {
            found.extend(from.iter().flat_map(|expr| Uses::of_expr(expr).mentioned));
        }
    });
    needed.extend(found);
}

/// Puts in place of a call what the function returns, where that has functions with a version for common arguments and is
/// made of its parameters and of constants that it names.
struct Inline<'a, 'p> {
    printer: &'a Printer<'p>,
    /// How many nodes may still be added.
    left: usize,
}

impl Inline<'_, '_> {
    fn returned(&mut self, function: FunctionId, arguments: &[Argument]) -> Option<Expr> {
        let function = &self.printer.module.functions[function.0 as usize];
        let mut values = BTreeMap::new();
        for (&param, argument) in function.params.iter().zip(arguments) {
            let Argument::Value(value) = argument else { return None };
            values.insert(param, value.clone());
        }
        let (last, named) = function.stmts.split_last()?;
        for stmt in named {
            let StmtKind::Declare { var, init: Some(Initializer::Value(value)) } = &stmt.kind else { return None };
            let value = self.substituted(value, &values)?;
            values.insert(*var, value);
        }
        let StmtKind::Return(Some(value)) = &last.kind else { return None };
        let value = self.substituted(value, &values)?;
        let mut asks = Asks { printer: self.printer, arguments: Vec::new() };
        asks.expr(&value);
        (!asks.arguments.is_empty()).then_some(value)
    }

    fn substituted(&mut self, expr: &Expr, values: &BTreeMap<VarId, Expr>) -> Option<Expr> {
        let mut substitute = Substitute { values, is_possible: true };
        let mut expr = expr.clone();
        substitute.expr(&mut expr);
        self.left = self.left.checked_sub(Uses::of_expr(&expr).weight)?;
        substitute.is_possible.then_some(expr)
    }
}

impl Rewriter for Inline<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        rewrite_expr(self, expr);
        if let ExprKind::Call(function, arguments) = &expr.kind
            && let Some(value) = self.returned(*function, arguments)
        {
            *expr = value;
        }
    }
}

struct Substitute<'a> {
    values: &'a BTreeMap<VarId, Expr>,
    is_possible: bool,
}

impl Rewriter for Substitute<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        match &expr.kind {
            ExprKind::Load(place) => match self.values.get(&place.root).filter(|_| place.path.is_empty()) {
                Some(value) => *expr = value.clone(),
                None => self.is_possible = false,
            },
            // A function that calls another one stays a call.
            ExprKind::Call(..) => self.is_possible = false,
            _ => rewrite_expr(self, expr),
        }
    }
}

/// Collects the arguments to be asked about, in the order of evaluation.
struct Asks<'a, 'p> {
    printer: &'a Printer<'p>,
    arguments: Vec<(MathFn, Scalar, Expr)>,
}

impl Visitor for Asks<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        walk_expr(self, expr);
        if let Some((function, ty, argument)) = self.printer.uncommon(expr) {
            self.arguments.push((function, ty, argument.clone()));
        }
    }
}

/// Whether the arguments are known before the effects: a walk in the order in which an iteration runs.
struct Scan<'a, 'p> {
    printer: &'a Printer<'p>,
    needed: BTreeSet<VarId>,
    /// Variables of an iteration.
    declared: BTreeSet<VarId>,
    /// What was stored to so far, other than those.
    stored: BTreeSet<VarId>,
    is_possible: bool,
    /// Arguments need what is looked at.
    is_needed: bool,
    /// Conditions within an expression above what is looked at.
    conditions: u32,
}

impl Scan<'_, '_> {
    fn value(&mut self, value: &Expr, is_needed: bool) {
        let outer = std::mem::replace(&mut self.is_needed, is_needed);
        self.expr(value);
        self.is_needed = outer;
    }

    fn conditional(&mut self, scan: impl FnOnce(&mut Self)) {
        self.conditions += 1;
        scan(self);
        self.conditions -= 1;
    }

    /// Whether a read may see what was stored.
    fn sees_store(&self, root: VarId) -> bool {
        let pointer = |var: VarId| match &self.printer.body.var(var).ty {
            Type::Pointer(pointer) => Some(pointer),
            _ => None,
        };
        self.stored.iter().any(|&stored| {
            let may_overlap = pointer(root).zip(pointer(stored)).is_some_and(|(a, b)| !a.restrict && !b.restrict);
            stored == root || may_overlap
        })
    }
}

impl Visitor for Scan<'_, '_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                self.is_possible &= matches!(self.printer.body.var(*var).ty, Type::Scalar(_));
                match init {
                    Some(Initializer::Value(value)) => self.value(value, self.needed.contains(var)),
                    Some(Initializer::List(_)) => self.is_possible = false,
                    None => {}
                }
            }
            StmtKind::Assign { place, value, .. } => {
                let root = place.root;
                self.value(value, self.needed.contains(&root));
                if !self.declared.contains(&root) {
                    // An element is the iteration's own; a variable from outside could be another's.
                    self.is_possible &= !place.path.is_empty();
                    self.stored.insert(root);
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition, true);
                then.iter().chain(otherwise).for_each(|stmt| self.stmt(stmt));
            }
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            _ => self.is_possible = false,
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Select(condition, a, b) => {
                self.expr(condition);
                self.conditional(|scan| [a, b].into_iter().for_each(|e| scan.expr(e)));
            }
            ExprKind::Binary(BinaryOp::LogicAnd | BinaryOp::LogicOr, a, b) => {
                self.expr(a);
                self.conditional(|scan| scan.expr(b));
            }
            // What takes no address has no effect.
            ExprKind::Call(_, arguments) => {
                self.is_possible &= arguments.iter().all(|argument| matches!(argument, Argument::Value(_)));
                walk_expr(self, expr);
            }
            _ => match self.printer.uncommon(expr) {
                Some((.., argument)) => {
                    // It is asked about also where the source does not evaluate it.
                    self.is_possible &= self.conditions == 0 || is_harmless(argument);
                    self.value(argument, true);
                }
                None => walk_expr(self, expr),
            },
        }
    }

    fn load(&mut self, place: &Place) {
        self.is_possible &= !self.is_needed || !self.sees_store(place.root);
        walk_place(self, place);
    }
}

/// Whether nothing can happen when it is evaluated: arithmetic of floats.
fn is_harmless(expr: &Expr) -> bool {
    let is_float = expr.ty.scalar().is_some_and(Scalar::is_float);
    is_float
        && match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => place.path.is_empty(),
            ExprKind::Unary(_, a) => is_harmless(a),
            ExprKind::Binary(_, a, b) => is_harmless(a) && is_harmless(b),
            ExprKind::Cast { value, .. } => is_harmless(value),
            _ => false,
        }
}

impl Printer<'_> {
    /// The function, type and argument of a call that has a version for common arguments.
    fn uncommon<'e>(&self, expr: &'e Expr) -> Option<(MathFn, Scalar, &'e Expr)> {
        let ExprKind::Math(function, arguments) = &expr.kind else { return None };
        let argument = arguments.first()?;
        let ty = argument.ty.scalar()?;
        (self.words.common?)(*function, ty).map(|_| (*function, ty, argument))
    }
}
