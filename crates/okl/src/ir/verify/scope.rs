//! Rules 1 and 5 to 8 of the IR: structure, levels, declarations and roles.

use super::module::verify_axis;
use super::typing::{Checked, Typing, ensure, literal};
use crate::ir::{
    Argument, Arm, AtomicOp, BinaryOp, Builtin, Dialect, Expr, ExprKind, Initializer, Loop, Meeting, Module, Place,
    Print, Region, Role, RootSpace, Scalar, Stmt, StmtKind, Type, VarId, Visitor, walk_expr, walk_place,
};
use std::collections::HashSet;

/// Where a statement stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Where {
    Group,
    Region,
    Loops,
    /// What a thread does for two groups.
    Coarsened,
    Function(Type),
}

/// What is visible and legal at a point.
pub(super) struct Scope<'m> {
    pub(super) typing: Typing<'m>,
    at: Where,
    /// Locals, indices and memory in scope.
    pub(super) visible: HashSet<VarId>,
    /// Locals of the group, which regions only read.
    of_group: HashSet<VarId>,
    /// Locals declared so far, in scope or not.
    declared: HashSet<VarId>,
    /// Variables of the loop whose update is checked.
    counted: HashSet<VarId>,
    loops: u32,
    switches: u32,
    /// Some statement writes through a parameter.
    pub(super) writes_params: bool,
    pub(super) prints: bool,
}

impl<'m> Scope<'m> {
    pub(super) fn new(typing: Typing<'m>, at: Where) -> Self {
        Self {
            typing,
            at,
            visible: HashSet::new(),
            of_group: HashSet::new(),
            declared: HashSet::new(),
            counted: HashSet::new(),
            loops: 0,
            switches: 0,
            writes_params: false,
            prints: false,
        }
    }

    /// Checks a list that is a scope of its own.
    fn scoped(&mut self, stmts: &[Stmt]) -> Checked {
        let visible = self.visible.clone();
        self.list(stmts)?;
        self.visible = visible;
        Ok(())
    }

    fn print(&mut self, print: &Print) -> Checked {
        self.prints = true;
        let forms: Vec<_> = print.conversions().collect();
        ensure(forms.len() == print.arguments.len(), || "a format for other arguments".into())?;
        ensure(self.at != Where::Group, || "a group prints".into())?;
        for (form, argument) in forms.into_iter().zip(&print.arguments) {
            self.value(argument)?;
            let is_taken = argument.ty.scalar().is_some_and(|ty| form.takes().contains(&ty));
            ensure(is_taken, || format!("`{}` prints {:?}", form.spelling(""), argument.ty))?;
        }
        Ok(())
    }

    pub(super) fn list(&mut self, stmts: &[Stmt]) -> Checked {
        stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn name(&self, var: VarId) -> &str {
        self.typing.body.vars.get(var.0 as usize).map_or("?", |v| v.name.as_str())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Checked {
        match &stmt.kind {
            StmtKind::Declare { var, init } => self.declare(*var, init.as_ref()),
            StmtKind::Assign { place, op, value } => {
                self.value(value)?;
                self.store(place)?;
                self.assigns(place, *op, value)
            }
            StmtKind::Atomic { place, op, value, expected, result } => {
                self.value(value)?;
                expected.iter().try_for_each(|e| self.value(e))?;
                let expects = expected.as_ref().is_none_or(|e| e.ty == place.ty);
                ensure(expects && expected.is_some() == (*op == AtomicOp::CompareExchange), || {
                    "an atomic update that expects another type".into()
                })?;
                self.store(place)?;
                // What a group shares may be a work-item's own, where that runs all of the group.
                let mut memory = matches!(
                    self.role(place.root)?,
                    Role::Shared | Role::Exchange(_) | Role::Param(_) | Role::Expanded | Role::Root(_)
                );
                memory |= self.at == Where::Loops && matches!(self.role(place.root)?, Role::Local | Role::Entry);
                ensure(memory && self.at != Where::Group, || {
                    format!("an atomic update of `{}`", self.name(place.root))
                })?;
                ensure(value.ty == place.ty, || "an atomic update of another type".into())?;
                self.result(*result, &place.ty)
            }
            StmtKind::Call { function, arguments, result } => self.call(function.0, arguments, *result),
            StmtKind::Print(print) => self.print(print),
            StmtKind::Prefetch { place, locality, .. } => {
                ensure(*locality <= 3, || format!("a prefetch of locality {locality}"))?;
                self.typing.place(place)?;
                let mut reads = Reads { scope: self, result: Ok(()) };
                walk_place(&mut reads, place);
                reads.result
            }
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition)?;
                self.typing.condition(condition)?;
                self.scoped(then)?;
                self.scoped(otherwise)
            }
            StmtKind::Loop(l) => self.loop_stmt(l),
            StmtKind::Switch { value, arms } => self.switch(value, arms),
            StmtKind::Break => ensure(self.loops + self.switches > 0, || "`break` outside of a loop or switch".into()),
            StmtKind::Continue => ensure(self.loops > 0, || "`continue` outside of a loop".into()),
            StmtKind::Return(value) => self.return_stmt(value.as_ref()),
            StmtKind::EndItem => {
                ensure(matches!(self.at, Where::Region | Where::Loops), || "an item ends outside of a region".into())
            }
            StmtKind::Block(stmts) => self.scoped(stmts),
            StmtKind::Inner(region) => self.region(region),
            StmtKind::Barrier => {
                let holds = self.at == Where::Group && self.typing.dialect == Dialect::Simt;
                ensure(holds, || format!("a barrier at {:?} of {:?} IR", self.at, self.typing.dialect))
            }
            StmtKind::Mark(mark) => Err(format!("lowering left a mark behind: {mark:?}")),
        }
    }

    fn declare(&mut self, var: VarId, init: Option<&Initializer>) -> Checked {
        self.role(var)?;
        match init {
            Some(Initializer::Value(value)) => {
                self.value(value)?;
                ensure(value.ty == self.typing.body.vars[var.0 as usize].ty, || {
                    format!("`{}` is initialised by {:?}", self.name(var), value.ty)
                })?;
            }
            Some(Initializer::List(values)) => self.initializer_list(var, values)?,
            None => {}
        }
        let role = self.role(var)?;
        let in_loops = self.at == Where::Loops;
        let holds = match role {
            Role::Local => true,
            Role::Outer(_) => in_loops || self.at == Where::Coarsened || self.is_simt() && self.at == Where::Group,
            Role::Inner(_) => in_loops || self.at == Where::Coarsened || self.is_simt() && self.at == Where::Region,
            Role::Expanded => in_loops,
            Role::Root(_) => self.is_private(var),
            _ => false,
        };
        ensure(holds, || format!("`{}` ({role:?}) is declared by a statement", self.name(var)))?;
        let again = in_loops || matches!(role, Role::Inner(_));
        let fresh = self.declared.insert(var) || again && !self.visible.contains(&var);
        ensure(fresh, || format!("`{}` is declared twice", self.name(var)))?;
        if self.at == Where::Group {
            self.of_group.insert(var);
        }
        self.visible.insert(var);
        Ok(())
    }

    fn assigns(&self, place: &Place, op: Option<BinaryOp>, value: &Expr) -> Checked {
        let refused = || format!("`{}` of {:?} is set to {:?}", self.name(place.root), place.ty, value.ty);
        ensure(matches!(place.ty, Type::Scalar(_) | Type::Struct(_)), refused)?;
        let Some(op) = op else { return ensure(value.ty == place.ty, refused) };
        let holds = !op.is_comparison() && !matches!(op, BinaryOp::LogicAnd | BinaryOp::LogicOr);
        ensure(holds, || format!("an assignment with `{}`", op.symbol()))?;
        let (Some(own), Some(of)) = (place.ty.scalar(), value.ty.scalar()) else { return Err(refused()) };
        super::typing::binary(op, own, of, own)
    }

    /// A list has a scalar for each scalar element, or for the first ones.
    fn initializer_list(&self, var: VarId, values: &[Expr]) -> Checked {
        let mut scalars = Vec::new();
        scalars_of(self.typing.module, &self.typing.body.var(var).ty, values.len(), &mut scalars);
        ensure(scalars.len() >= values.len(), || format!("`{}` has no {} elements", self.name(var), values.len()))?;
        for (value, scalar) in values.iter().zip(scalars) {
            self.value(value)?;
            ensure(value.ty == Type::Scalar(scalar), || {
                format!("{scalar:?} of `{}` is initialised by {:?}", self.name(var), value.ty)
            })?;
        }
        Ok(())
    }

    /// Values are of the switch's type, each stands once; the last arm has nothing to fall into.
    fn switch(&mut self, value: &Expr, arms: &[Arm]) -> Checked {
        self.value(value)?;
        let scalar = value.ty.scalar().filter(|s| s.is_integer() && super::typing::promoted(*s));
        let scalar = scalar.ok_or_else(|| format!("a switch over {:?}", value.ty))?;
        let mut seen = Vec::new();
        for value in arms.iter().flat_map(|arm| &arm.values) {
            literal(*value, scalar)?;
            ensure(!seen.contains(value), || format!("two arms for {value:?}"))?;
            seen.push(*value);
        }
        ensure(arms.iter().filter(|arm| arm.is_default).count() <= 1, || "two default arms".into())?;
        ensure(arms.iter().all(|arm| arm.is_default || !arm.values.is_empty()), || "an arm without values".into())?;
        ensure(arms.last().is_none_or(|arm| !arm.falls_through), || "the last arm falls through".into())?;
        self.switches += 1;
        arms.iter().try_for_each(|arm| self.scoped(&arm.body))?;
        self.switches -= 1;
        Ok(())
    }

    fn loop_stmt(&mut self, l: &Loop) -> Checked {
        let visible = self.visible.clone();
        self.list(&l.init)?;
        if l.test_last {
            self.in_loop(&l.body)?;
            self.update(l)?;
        }
        // What the head declares is seen by the test alone where that comes last, else by the whole iteration.
        self.list(&l.head)?;
        if let Some(condition) = &l.condition {
            self.value(condition)?;
            self.typing.condition(condition)?;
        }
        if !l.test_last {
            self.in_loop(&l.body)?;
            self.update(l)?;
        }
        self.visible = visible;
        Ok(())
    }

    /// In loops, the update alone counts on what the loop declares.
    fn update(&mut self, l: &Loop) -> Checked {
        let declared = l.init.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Declare { var, .. } if self.at == Where::Loops => Some(*var),
            _ => None,
        });
        let outer = std::mem::replace(&mut self.counted, declared.collect());
        let result = self.scoped(&l.update);
        self.counted = outer;
        result
    }

    fn in_loop(&mut self, body: &[Stmt]) -> Checked {
        self.loops += 1;
        self.scoped(body)?;
        self.loops -= 1;
        Ok(())
    }

    fn return_stmt(&mut self, value: Option<&Expr>) -> Checked {
        value.iter().try_for_each(|v| self.value(v))?;
        let result = value.map_or(Type::Void, |v| v.ty.clone());
        match &self.at {
            Where::Function(expected) => {
                ensure(*expected == result, || format!("a function of {expected:?} returns {result:?}"))
            }
            Where::Region => ensure(value.is_none(), || "a region returns a value".into()),
            Where::Group => Err("a group returns".into()),
            Where::Loops => Err("loops return".into()),
            Where::Coarsened => Err("two items return".into()),
        }
    }

    fn region(&mut self, region: &Region) -> Checked {
        ensure(self.at != Where::Loops, || "loops with a region".into())?;
        ensure(self.at == Where::Group, || "a region within a region".into())?;
        ensure(region.axes.iter().any(Option::is_some) != self.is_simt(), || {
            let which = if self.is_simt() { "with" } else { "without" };
            format!("a region {which} axes")
        })?;
        let visible = self.visible.clone();
        for (index, axis) in region.axes.iter().enumerate() {
            let Some(axis) = axis else { continue };
            verify_axis(&self.typing, axis, Role::Inner(index as u8))?;
            self.value(&axis.start)?;
            self.visible.insert(axis.var);
        }
        let outside = (std::mem::replace(&mut self.loops, 0), std::mem::replace(&mut self.switches, 0));
        self.at = Where::Region;
        self.list(&region.body)?;
        self.at = Where::Group;
        (self.loops, self.switches) = outside;
        self.visible = visible;
        Ok(())
    }

    fn call(&mut self, id: u32, arguments: &[Argument], result: Option<VarId>) -> Checked {
        let function = self.typing.function(id)?;
        let (ty, name) = (function.result.clone(), function.name.clone());
        self.typing.arguments(function, arguments)?;
        for argument in arguments {
            match argument {
                Argument::Value(value) => self.value(value)?,
                Argument::Pointer(place) => {
                    self.subscripts(place)?;
                    // Which of its pointers an impure function writes is not in the IR: only the root is checked.
                    self.readable(place.root)?;
                }
            }
        }
        ensure(result.is_none() || ty != Type::Void, || format!("a result of `{name}`, which has none"))?;
        self.result(result, &ty)
    }

    fn result(&mut self, result: Option<VarId>, ty: &Type) -> Checked {
        let Some(var) = result else { return Ok(()) };
        self.readable(var)?;
        let of = &self.typing.body.vars[var.0 as usize];
        let holds = self.is_private(var) || of.role == Role::Local && self.may_write_local(var);
        ensure(holds, || format!("a result goes to `{}` ({:?}) at {:?}", of.name, of.role, self.at))?;
        ensure(of.ty == *ty, || format!("a result of {ty:?} goes to `{}`", of.name))
    }

    /// A region does not write the group's locals, and nobody what is constant.
    fn may_write_local(&self, var: VarId) -> bool {
        let is_foreign = self.at == Where::Region && self.of_group.contains(&var);
        !is_foreign && (!self.typing.body.var(var).is_const || self.counted.contains(&var))
    }

    /// Whether a variable is memory at module scope that each item has for itself.
    fn is_private(&self, var: VarId) -> bool {
        let Role::Root(id) = self.typing.body.var(var).role else { return false };
        self.typing.module.roots.get(id.0 as usize).is_some_and(|root| root.space == RootSpace::Private)
    }

    fn is_simt(&self) -> bool {
        self.typing.dialect == Dialect::Simt
    }

    fn role(&self, var: VarId) -> Result<Role, String> {
        self.typing
            .body
            .vars
            .get(var.0 as usize)
            .map(|v| v.role)
            .ok_or_else(|| "a variable that does not exist".to_owned())
    }

    /// Whether a variable may be read here.
    fn readable(&self, var: VarId) -> Checked {
        let role = self.role(var)?;
        let holds = match role {
            Role::Param(_) | Role::Constant(_) | Role::Host | Role::Root(_) => true,
            Role::Entry => self.at == Where::Loops,
            Role::Exclusive => self.visible.contains(&var) && self.at == Where::Region,
            Role::Local | Role::Outer(_) | Role::Inner(_) | Role::Shared | Role::Exchange(_) | Role::Expanded => {
                self.visible.contains(&var)
            }
        };
        ensure(holds, || format!("`{}` ({role:?}) is not visible at {:?}", self.name(var), self.at))
    }

    pub(super) fn value(&self, expr: &Expr) -> Checked {
        self.typing.expr(expr)?;
        let mut reads = Reads { scope: self, result: Ok(()) };
        reads.expr(expr);
        reads.result
    }

    fn subscripts(&self, place: &Place) -> Checked {
        let mut reads = Reads { scope: self, result: Ok(()) };
        walk_place(&mut reads, place);
        reads.result
    }

    fn store(&mut self, place: &Place) -> Checked {
        self.typing.place(place)?;
        self.subscripts(place)?;
        self.readable(place.root)?;
        let var = &self.typing.body.vars[place.root.0 as usize];
        let holds = match (var.role, &var.ty) {
            (Role::Param(_), Type::Pointer(p)) => {
                self.writes_params = true;
                p.mutable && self.at != Where::Group
            }
            (Role::Root(_), ty) => {
                let may = !matches!(ty, Type::Pointer(pointer) if !pointer.mutable);
                may && (self.at != Where::Group || self.is_private(place.root))
            }
            (Role::Param(_), _) => matches!(self.at, Where::Function(_)),
            (Role::Shared | Role::Exchange(_) | Role::Exclusive | Role::Expanded, _) => self.at != Where::Group,
            (Role::Entry, ty) => matches!(ty, Type::Pointer(_)),
            (Role::Outer(_) | Role::Inner(_), _) => self.counted.contains(&place.root),
            (Role::Local, _) => self.may_write_local(place.root),
            (Role::Host | Role::Constant(_), _) => false,
        };
        ensure(holds, || format!("`{}` ({:?}) is written at {:?}", var.name, var.role, self.at))
    }
}

/// Behind each region of threads that something of the nest follows, these wait for each other.
pub(super) fn barriers(stmts: &[Stmt], is_last: bool) -> Checked {
    for (index, stmt) in stmts.iter().enumerate() {
        let next = stmts.get(index + 1);
        let last = is_last && next.is_none();
        match &stmt.kind {
            StmtKind::Inner(region) => {
                let meets = last
                    || region.meeting == Meeting::Exchange
                    || next.is_some_and(|next| next.kind == StmtKind::Barrier);
                ensure(meets, || "a region without a barrier behind it".into())?;
            }
            StmtKind::Block(stmts) => barriers(stmts, last)?,
            StmtKind::If { then, otherwise, .. } => {
                [then, otherwise].into_iter().try_for_each(|b| barriers(b, last))?
            }
            StmtKind::Loop(l) => barriers(&l.body, false)?,
            StmtKind::Switch { arms, .. } => arms.iter().try_for_each(|arm| barriers(&arm.body, false))?,
            _ => {}
        }
    }
    Ok(())
}

/// Checks that everything an expression reads is visible.
struct Reads<'s, 'm> {
    scope: &'s Scope<'m>,
    result: Checked,
}

impl Visitor for Reads<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        let holds = match expr.kind {
            ExprKind::Builtin(Builtin::Item(_)) => self.scope.at != Where::Group,
            ExprKind::Builtin(Builtin::NextGroup | Builtin::GroupEnd) => self.scope.at == Where::Coarsened,
            _ => true,
        };
        if !holds {
            self.result = Err(format!("{:?} at {:?}", expr.kind, self.scope.at));
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        if self.result.is_ok() {
            self.result = self.scope.readable(place.root);
        }
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.load(place);
    }
}

/// The first `most` scalars of a type in memory order.
fn scalars_of(module: &Module, ty: &Type, most: usize, out: &mut Vec<Scalar>) {
    match ty {
        _ if out.len() >= most => {}
        Type::Scalar(scalar) => out.push(*scalar),
        Type::Struct(id) => {
            module.structs[id.0 as usize].fields.iter().for_each(|field| scalars_of(module, &field.ty, most, out));
        }
        Type::Array(element, _) => (0..ty.len().min(most as u64)).for_each(|_| scalars_of(module, element, most, out)),
        Type::Void | Type::Pointer(_) => {}
    }
}
