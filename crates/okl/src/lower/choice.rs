//! Pointers that may lead into several arrays: a number says into which, and each access asks it.
//!
//! While a body is lowered, such a pointer leads into a variable that stands for all of its arrays; the first subscript
//! ([`Projection::Flat`]) is the number of the array that is meant. Once the body is complete and all arrays are known,
//! [`Lowering::expand_choices`] makes an `if` or a `?:` of each access, so that nothing behind this knows of choices.
//!
//! Which pointers need this is known only when a second array is met: the body is lowered again then.

use super::Lowered;
use super::constants::{binary, integer_of, select};
use super::context::{Level, Lowering};
use super::local_pointer::PointerId;
use super::pointer::{PointerValue, same_path};
use crate::diagnostic::Diagnostic;
use crate::ir::rewrite::{Rewriter, rewrite_expr, rewrite_stmt};
use crate::ir::{
    Argument, BinaryOp, Expr, ExprKind, Place, Pointer, Projection, Role, Scalar, Stmt, StmtKind, Type, Uses, VarId,
};
use crate::rules;
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Most nodes that the accesses of one body may grow by.
const MAX_GROWTH: usize = 1 << 16;

/// An array that some pointer may lead into.
#[derive(Clone, Debug)]
struct Target {
    root: VarId,
    prefix: Vec<Projection>,
}

/// The pointers of a body that may lead into several arrays.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    /// By number.
    targets: Vec<Target>,
    /// For each variable that stands for arrays, their numbers.
    arrays: BTreeMap<VarId, BTreeSet<usize>>,
    /// And the scopes around it.
    scopes: BTreeMap<VarId, Vec<u32>>,
    /// Which takes over what another one has.
    flows: Vec<(VarId, VarId)>,
    /// Those that memory is written through.
    written: BTreeSet<VarId>,
    /// What is known of the numbers of arrays of pointers, by the variable that holds them.
    elements: BTreeMap<VarId, Elements>,
}

/// The numbers that the pointers of an array get.
#[derive(Clone, Debug, Default)]
struct Elements {
    /// By index; `None` where it is not known.
    numbers: BTreeMap<i128, Option<BTreeSet<usize>>>,
    /// Some index is not known.
    any: bool,
}

impl Choices {
    /// Whether a variable stands for several arrays.
    pub(super) fn contains(&self, var: VarId) -> bool {
        self.arrays.contains_key(&var)
    }

    /// Notes that memory is written through a pointer.
    pub(super) fn note_write(&mut self, var: VarId) {
        self.written.insert(var);
    }

    /// Notes that one of an array of pointers gets this number.
    pub(super) fn note_number(&mut self, place: &Place, number: &Expr) {
        let elements = self.elements.entry(place.root).or_default();
        let Some(index) = element_index(place) else {
            elements.any = true;
            return;
        };
        let known = elements.numbers.entry(index).or_insert_with(|| Some(BTreeSet::new()));
        *known = known.take().zip(numbers_of(number)).map(|(mut known, more)| {
            known.extend(more);
            known
        });
    }

    /// The arrays that may have this number, where fewer are known than those of the choice.
    fn of_element(&self, number: &Expr) -> Option<Vec<usize>> {
        let ExprKind::Load(place) = &number.kind else { return None };
        let elements = self.elements.get(&place.root).filter(|elements| !elements.any)?;
        Some(elements.numbers.get(&element_index(place)?)?.as_ref()?.iter().copied().collect())
    }

    /// Passes on what pointers take over from each other.
    fn settle(&mut self) {
        let mut grows = true;
        while grows {
            grows = false;
            for (from, into) in &self.flows {
                let numbers = self.arrays.get(from).cloned().unwrap_or_default();
                let into = self.arrays.entry(*into).or_default();
                let before = into.len();
                into.extend(numbers);
                grows |= into.len() > before;
            }
        }
    }
}

impl Lowering<'_, '_> {
    /// A variable that stands for the arrays that a pointer may lead into.
    pub(super) fn choice(&mut self, name: &str, element: Type, is_const: bool, span: Span) -> VarId {
        let memory = Pointer { element: Box::new(element), dims: Vec::new(), mutable: !is_const, restrict: false };
        let ty = Type::Array(Box::new(Type::Pointer(memory)), vec![u32::MAX]);
        let var = self.roled(name, ty, Role::Local, span);
        self.choices.arrays.insert(var, BTreeSet::new());
        self.choices.scopes.insert(var, self.scopes.iter().map(|scope| scope.serial).collect());
        var
    }

    /// Refuses an array that ends before a pointer that may lead into it.
    fn check_lifetimes(&mut self, choices: &Choices) -> Lowered<()> {
        for (&var, numbers) in &choices.arrays {
            let scopes = &choices.scopes[&var];
            let ends = |root: VarId| {
                let scope = self.info[root.0 as usize].scope;
                !matches!(self.body.var(root).role, Role::Constant(_)) && !scopes.contains(&scope)
            };
            let mut roots = numbers.iter().map(|&number| choices.targets[number].root);
            if let Some(root) = roots.find(|&root| ends(root)) {
                let (name, array, span) = (self.called(var), self.called(root), self.body.var(root).span);
                let message = format!("pointer `{name}` may lead into `{array}`, whose scope ends before its own");
                let finding = Diagnostic::error(rules::POINTER_ROOT, self.body.var(var).span, message);
                return Err(self.report(finding.label(span, "declared here")));
            }
        }
        Ok(())
    }

    /// Whether a pointer may lead here and elsewhere.
    pub(super) fn is_choosable(&self, value: &PointerValue) -> bool {
        let var = self.body.var(value.root);
        let is_memory = match var.role {
            _ if self.choices.contains(value.root) => return true,
            Role::Param(_) | Role::Shared | Role::Exchange(_) | Role::Constant(_) => true,
            // Elsewhere a barrier may come between the array and its use.
            Role::Local => self.level == Level::Function,
            _ => false,
        };
        let is_fixed = |step: &Projection| match step {
            Projection::Field(_) => true,
            Projection::Index(e) | Projection::Flat(e) => e.literal().is_some(),
        };
        is_memory
            && !matches!(value.pointee, Type::Array(..))
            && matches!(self.type_at(value.root, &value.prefix), Type::Array(..) | Type::Pointer(_))
            && value.prefix.iter().all(is_fixed)
    }

    /// The number of the array that a pointer leads into, one of those of `choice` from now on.
    pub(super) fn choose(&mut self, choice: VarId, value: &PointerValue) -> Expr {
        if self.choices.contains(value.root) {
            if value.root != choice {
                self.choices.flows.push((value.root, choice));
            }
            if let Some(Projection::Flat(number)) = value.prefix.first() {
                return number.clone();
            }
        }
        let targets = &mut self.choices.targets;
        let is_same = |target: &Target| target.root == value.root && same_path(&target.prefix, &value.prefix);
        let number = targets.iter().position(is_same).unwrap_or_else(|| {
            targets.push(Target { root: value.root, prefix: value.prefix.clone() });
            targets.len() - 1
        });
        self.choices.arrays.entry(choice).or_default().insert(number);
        Expr::int(number as i64, Scalar::I32, value.span)
    }

    /// `condition ? a : b` for pointers into two arrays.
    pub(super) fn choose_between(
        &mut self,
        condition: Expr,
        (a, b): (&PointerValue, &PointerValue),
        span: Span,
    ) -> (VarId, Vec<Projection>) {
        let is_const = a.is_const || b.is_const;
        let choice = self.choice("chosen", a.pointee.clone(), is_const, span);
        let (first, second) = (self.choose(choice, a), self.choose(choice, b));
        (choice, vec![Projection::Flat(select(condition, first, second, span))])
    }

    /// Has the pointer lowered again as one that may lead into several arrays, where it can be one.
    pub(super) fn choose_again(&mut self, id: PointerId, value: &PointerValue) -> bool {
        let local = &self.pointers[id.0 as usize];
        let owner = local.element_of.as_ref().map_or(id, |(array, _)| *array);
        let local = &self.pointers[owner.0 as usize];
        let Some(to) = local.points_to.as_ref().filter(|_| local.variable.is_some()) else { return false };
        let pointee = local.pointee.clone();
        let (root, prefix) = (to.root, to.prefix.clone());
        let before = PointerValue { root, prefix, pointee, ..value.clone() };
        if !self.is_choosable(&before) || !self.is_choosable(value) {
            return false;
        }
        self.unit.choosing.insert((local.span, local.name.clone()))
    }

    /// Makes an `if` or a `?:` of each access through a pointer that may lead into several arrays.
    pub(super) fn expand_choices(&mut self, lists: &mut [&mut Vec<Stmt>]) -> Lowered<()> {
        if self.choices.arrays.is_empty() {
            return Ok(());
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.settle();
        self.check_lifetimes(&choices)?;
        for var in &choices.written {
            for target in choices.arrays[var].iter().map(|&number| &choices.targets[number]) {
                if let (Role::Param(number), Type::Pointer(_)) =
                    (self.body.var(target.root).role, &self.body.var(target.root).ty)
                    && let Some(writes) = self.writes.get_mut(number as usize)
                {
                    *writes = true;
                }
            }
        }
        let mut expand = Expand { lowering: self, choices: &choices, growth: 0, refused: None };
        lists.iter_mut().for_each(|list| expand.list(list));
        if let Some(span) = expand.refused {
            let message = "accesses through pointers that may lead into several arrays make this function too large";
            return Err(self.report(
                Diagnostic::error(rules::LIMIT, span, message).hint("use fewer arrays, or an index into one"),
            ));
        }
        // Nothing mentions them any more.
        for var in choices.arrays.keys() {
            self.body.vars[var.0 as usize].ty = Scalar::I32.into();
        }
        Ok(())
    }
}

/// The constant subscript of a place in an array.
fn element_index(place: &Place) -> Option<i128> {
    match place.path.as_slice() {
        [Projection::Index(index)] => integer_of(index),
        _ => None,
    }
}

/// The numbers among which an expression chooses; `None` where they are not constants.
fn numbers_of(number: &Expr) -> Option<BTreeSet<usize>> {
    match &number.kind {
        ExprKind::Select(_, a, b) => Some(numbers_of(a)?.into_iter().chain(numbers_of(b)?).collect()),
        _ => usize::try_from(integer_of(number)?).ok().map(|number| BTreeSet::from([number])),
    }
}

/// Puts the arrays in the place of what stands for them.
struct Expand<'l, 'u, 'f> {
    lowering: &'l Lowering<'u, 'f>,
    choices: &'l Choices,
    growth: usize,
    /// Where it became too much.
    refused: Option<Span>,
}

impl Expand<'_, '_, '_> {
    /// The number that a place's array has, and the arrays that it may be.
    fn of(&self, place: &Place) -> Option<(Expr, Vec<usize>)> {
        let arrays = self.choices.arrays.get(&place.root)?;
        match place.path.first() {
            Some(Projection::Flat(number)) => {
                let arrays = self.choices.of_element(number).unwrap_or_else(|| arrays.iter().copied().collect());
                Some((number.clone(), arrays))
            }
            _ => None,
        }
    }

    /// The place in one of the arrays.
    fn aimed(&self, place: &Place, number: usize) -> Place {
        let Target { root, prefix } = self.choices.targets[number].clone();
        let is_row = match self.lowering.type_at(root, &prefix) {
            Type::Array(_, dims) => dims.len() == 1,
            Type::Pointer(pointer) => pointer.dims.is_empty(),
            _ => true,
        };
        let mut path = prefix;
        let mut rest = place.path.iter().skip(1).cloned();
        path.extend(rest.next().map(|step| match step {
            Projection::Index(offset) if !is_row => Projection::Flat(offset),
            step => step,
        }));
        path.extend(rest);
        Place { root, path, ..place.clone() }
    }

    fn spend(&mut self, nodes: usize, span: Span) -> bool {
        self.growth = self.growth.saturating_add(nodes);
        if self.growth > MAX_GROWTH {
            self.refused.get_or_insert(span);
        }
        self.refused.is_none()
    }

    /// An expression for each array, chosen among by the number.
    fn chosen(&mut self, (number, arrays): (Expr, Vec<usize>), make: &dyn Fn(&Self, usize) -> Expr) -> Option<Expr> {
        let (&last, others) = arrays.split_last()?;
        let mut value = make(self, last);
        let weight = Uses::of_expr(&value).weight + Uses::of_expr(&number).weight;
        if !self.spend(weight * arrays.len(), value.span) {
            return None;
        }
        for &array in others.iter().rev() {
            let other = make(self, array);
            let span = other.span;
            value = select(is_number(&number, array), other, value, span);
        }
        Some(value)
    }

    /// The first place of a statement, apart from what it reads, that needs an `if`.
    fn place_of<'s>(&self, stmt: &'s mut Stmt) -> Option<&'s mut Place> {
        let needs = |place: &Place| self.choices.contains(place.root);
        match &mut stmt.kind {
            StmtKind::Assign { place, .. } | StmtKind::Atomic { place, .. } | StmtKind::Prefetch { place, .. } => {
                needs(place).then_some(place)
            }
            StmtKind::Call { arguments, .. } => pointers_of(arguments).find(|place| needs(place)),
            _ => None,
        }
    }

    /// A statement as one for each array.
    fn branches(&mut self, mut stmt: Stmt) -> Option<Vec<Stmt>> {
        let span = stmt.span;
        let Some(place) = self.place_of(&mut stmt) else {
            self.stmt(&mut stmt);
            return Some(vec![stmt]);
        };
        let (place, weight) = (place.clone(), Uses::of(std::slice::from_ref(&stmt)).weight);
        let (mut number, arrays) = self.of(&place)?;
        self.expr(&mut number);
        if !self.spend(weight * arrays.len(), span) {
            return None;
        }
        let mut out: Option<Vec<Stmt>> = None;
        for &array in arrays.iter().rev() {
            let mut one = stmt.clone();
            if let Some(of) = self.place_of(&mut one) {
                *of = self.aimed(&place, array);
            }
            let then = self.branches(one)?;
            out = Some(match out {
                None => then,
                Some(otherwise) => {
                    let condition = is_number(&number, array);
                    vec![Stmt { kind: StmtKind::If { condition, then, otherwise }, span }]
                }
            });
        }
        out
    }
}

fn is_number(number: &Expr, array: usize) -> Expr {
    let span = number.span;
    binary(BinaryOp::Eq, number.clone(), Expr::int(array as i64, Scalar::I32, span), span)
}

fn pointers_of(arguments: &mut [Argument]) -> impl Iterator<Item = &mut Place> {
    arguments.iter_mut().filter_map(|argument| match argument {
        Argument::Pointer(place) => Some(place),
        Argument::Value(_) => None,
    })
}

impl Rewriter for Expand<'_, '_, '_> {
    fn list(&mut self, stmts: &mut Vec<Stmt>) {
        for mut stmt in std::mem::take(stmts) {
            if self.refused.is_some() {
                return;
            }
            if self.place_of(&mut stmt).is_some() {
                stmts.extend(self.branches(stmt).into_iter().flatten());
            } else {
                rewrite_stmt(self, &mut stmt);
                stmts.push(stmt);
            }
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if self.refused.is_some() {
            return;
        }
        rewrite_expr(self, expr);
        let chosen = match &expr.kind {
            ExprKind::Load(place) => self.of(place).and_then(|of| {
                let load = |s: &Self, array| Expr { kind: ExprKind::Load(s.aimed(place, array)), ..expr.clone() };
                self.chosen(of, &load)
            }),
            ExprKind::Call(function, arguments) => {
                let position = arguments.iter().position(
                    |argument| matches!(argument, Argument::Pointer(place) if self.choices.contains(place.root)),
                );
                position.and_then(|position| {
                    let Argument::Pointer(place) = &arguments[position] else { return None };
                    let of = self.of(place)?;
                    let call = |s: &Self, array| {
                        let mut arguments = arguments.clone();
                        arguments[position] = Argument::Pointer(s.aimed(place, array));
                        Expr { kind: ExprKind::Call(*function, arguments), ..expr.clone() }
                    };
                    self.chosen(of, &call)
                })
            }
            _ => None,
        };
        if let Some(chosen) = chosen {
            *expr = chosen;
            // Other arguments of calls; a chosen place leads to no choice.
            if !matches!(expr.kind, ExprKind::Load(_)) {
                self.expr_again(expr);
            }
        }
    }
}

impl Expand<'_, '_, '_> {
    /// Calls with a second such pointer.
    fn expr_again(&mut self, expr: &mut Expr) {
        struct Left<'a>(&'a Choices, bool);
        impl crate::ir::Visitor for Left<'_> {
            fn load(&mut self, place: &Place) {
                self.1 |= self.0.contains(place.root);
                crate::ir::walk_place(self, place);
            }

            fn store(&mut self, place: &Place) {
                self.load(place);
            }
        }
        let mut left = Left(self.choices, false);
        crate::ir::Visitor::expr(&mut left, expr);
        if left.1 {
            self.expr(expr);
        }
    }
}
