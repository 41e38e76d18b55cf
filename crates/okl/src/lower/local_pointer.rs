//! Local pointers: what they point to, and the `I64` variables that hold the offsets of those that move.
//! Not here: arithmetic on pointers ([`super::pointer`]).

use super::attributes::Storage;
use super::constants::{implicit, zero};
use super::context::{Level, Lowering};
use super::place::Lvalue;
use super::pointer::{PointerValue, same_path};
use super::types::{Declared, array_of};
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{BinaryOp, Expr, ExprKind, Initializer, Place, Projection, Role, Scalar, StmtKind, Type, VarId};
use crate::rules;
use crate::source::Span;

/// Index into [`Lowering::pointers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PointerId(pub(super) u32);

/// A local pointer.
#[derive(Clone, Debug)]
pub(super) struct PointerLocal {
    pub(super) name: String,
    pub(super) span: Span,
    /// What it points to, as declared.
    pub(super) pointee: Type,
    /// The pointee is `const`.
    pub(super) is_const: bool,
    /// The `I64` variable that holds the offset of a pointer that moves; of an array of pointers, the array of offsets.
    pub(super) variable: Option<VarId>,
    /// For an element of an array of pointers: that array, and where its own offset lies.
    pub(super) element_of: Option<(PointerId, Place)>,
    /// Where it may lead into several arrays: what stands for them, and the variable like `variable` with their numbers.
    pub(super) choice: Option<(VarId, VarId)>,
    /// `None` until its first assignment.
    pub(super) points_to: Option<PointsTo>,
    /// It is one of the caller's array: it cannot be set.
    pub(super) is_callers: bool,
}

impl PointerLocal {
    /// One that leads nowhere yet and does not move.
    pub(super) fn new(name: String, span: Span, pointee: Type, is_const: bool) -> Self {
        let (variable, element_of, choice, points_to) = (None, None, None, None);
        Self { name, span, pointee, is_const, variable, element_of, choice, points_to, is_callers: false }
    }
}

/// Where a local pointer points.
#[derive(Clone, Debug)]
pub(super) struct PointsTo {
    /// The variable whose memory it points into.
    pub(super) root: VarId,
    /// The way to the array within it.
    pub(super) prefix: Vec<Projection>,
    /// The offset, in elements: an `I64` variable's value for pointers that move.
    pub(super) offset: Expr,
    /// Where that was written.
    pub(super) span: Span,
}

impl Lowering<'_, '_> {
    /// The value of a local pointer.
    pub(super) fn local_pointer(&mut self, id: PointerId, span: Span) -> Lowered<PointerValue> {
        let mut local = self.pointers[id.0 as usize].clone();
        if let Some((array, offset)) = &local.element_of {
            let load = |place: &Place| Expr { kind: ExprKind::Load(place.clone()), ty: place.ty.clone(), span };
            let points_to = self.pointers[array.0 as usize].points_to.clone();
            let number =
                local.choice.map(|(_, numbers)| load(&Place { ty: Scalar::I32.into(), ..offset.clone() }.at(numbers)));
            local.points_to = points_to.map(|to| PointsTo {
                offset: load(offset),
                prefix: number.map_or(to.prefix, |number| vec![Projection::Flat(number)]),
                ..to
            });
        } else if self.is_pointer_array(id) {
            let message = format!("`{}` is an array of pointers: name one of them, `{}[0]`", local.name, local.name);
            return Err(self.error(rules::TYPE_MISMATCH, span, message));
        }
        let Some(points_to) = local.points_to else {
            return Err(self.report(
                Diagnostic::error(
                    rules::POINTER_ROOT,
                    span,
                    format!("pointer `{}` is used before it is given a value", local.name),
                )
                .label(local.span, "declared here")
                .hint("give it a value where it is declared"),
            ));
        };
        let role = local.variable.map(|variable| self.body.var(variable).role);
        if role == Some(Role::Exclusive) && self.level == Level::Group {
            return Err(self.exclusive_outside(&local.name, span));
        }
        let frozen = points_to.prefix.iter().all(|p| match p {
            Projection::Index(e) | Projection::Flat(e) => match &e.kind {
                ExprKind::Load(place) => self.is_alive(place.root),
                _ => true,
            },
            Projection::Field(_) => true,
        });
        if !frozen || !self.is_alive(points_to.root) {
            let root = self.called(points_to.root);
            return Err(self.report(
                Diagnostic::error(
                    rules::POINTER_ROOT,
                    span,
                    format!("pointer `{}` points to `{root}`, whose scope has ended", local.name),
                )
                .label(points_to.span, "set here"),
            ));
        }
        let offset = Expr { span, ..points_to.offset };
        Ok(PointerValue {
            root: points_to.root,
            prefix: points_to.prefix,
            offset,
            pointee: local.pointee,
            is_const: local.is_const,
            span,
        })
    }

    /// `T *p = value;`
    pub(super) fn declare_pointer(
        &mut self,
        name: &ast::Ident,
        declared: &Declared,
        storage: Storage,
        init: Option<&ast::Expr>,
    ) -> Lowered<PointerId> {
        let qualifiers = declared.pointer.unwrap_or_default();
        let fixed = qualifiers.is_const || !self.assigned.contains(&name.name);
        let local = PointerLocal::new(name.name.clone(), name.span, declared.pointee(), declared.is_const);
        let value = match init {
            Some(init) => Some(self.pointer(init)?),
            None => None,
        };
        // The value may have made pointers of its own.
        let id = PointerId(self.pointers.len() as u32);
        self.pointers.push(local);
        if !fixed {
            self.declare_offset(id, &[], storage);
        }
        match value {
            Some(value) if storage == Storage::Exclusive && !fixed => {
                self.exclusive_values(name.span, |s| s.assign_pointer(id, value, name.span))?;
            }
            Some(value) => self.assign_pointer(id, value, name.span)?,
            None => {}
        }
        Ok(id)
    }

    /// `T *p[len];`: one root, an offset each.
    pub(super) fn declare_pointers(
        &mut self,
        name: &ast::Ident,
        declared: &Declared,
        storage: Storage,
        len: u32,
    ) -> Lowered<PointerId> {
        let span = name.span;
        if self.level == Level::Host {
            return Err(self.error(rules::HOST_STATEMENT, span, "arrays of pointers belong inside the `@outer` loops"));
        }
        self.pointers.push(PointerLocal::new(name.name.clone(), span, declared.pointee(), declared.is_const));
        let id = PointerId(self.pointers.len() as u32 - 1);
        self.declare_offset(id, &[len], storage);
        Ok(id)
    }

    /// Declares the offset of a pointer that moves, or those of an array of pointers: here and not where it is first set,
    /// which may be an inner block. Then the number of the array that it leads into, where it may be several.
    pub(super) fn declare_offset(&mut self, id: PointerId, dims: &[u32], storage: Storage) {
        let PointerLocal { name, span, .. } = self.pointers[id.0 as usize].clone();
        let key = (span, name);
        let stem = key.1.replace('.', "_");
        let variable = self.kept(&format!("{stem}_offset"), array_of(Scalar::I64.into(), dims), storage, span);
        self.pointers[id.0 as usize].variable = Some(variable);
        if self.unit.choosing.contains(&key) {
            self.declare_choice(id, dims, storage);
        }
    }

    /// Declares what stands for the arrays that a pointer, or one of an array of pointers, may lead into, and which it is.
    fn declare_choice(&mut self, id: PointerId, dims: &[u32], storage: Storage) {
        let PointerLocal { name, span, pointee, is_const, .. } = self.pointers[id.0 as usize].clone();
        let stem = name.replace('.', "_");
        let numbers = self.kept(&format!("{stem}_array"), array_of(Scalar::I32.into(), dims), storage, span);
        let choice = self.choice(&stem, pointee, is_const, span);
        self.pointers[id.0 as usize].choice = Some((choice, numbers));
    }

    /// A variable of the compiler's own without a value, in the memory that the pointer is declared in.
    fn kept(&mut self, name: &str, ty: Type, storage: Storage, span: Span) -> VarId {
        match &mut self.nest {
            Some(_) if storage == Storage::Exclusive => {
                let var = self.variable(name, ty, Role::Exclusive, false, span);
                self.info[var.0 as usize].fixed = false;
                self.body.generated.insert(var);
                if let Some(draft) = &mut self.nest {
                    draft.nest.exclusive.push(var);
                }
                var
            }
            _ => self.temporary(name, ty, None, false, span),
        }
    }

    /// How many pointers it is.
    pub(super) fn pointer_count(&self, id: PointerId) -> usize {
        match self.pointers[id.0 as usize].variable {
            Some(offsets) if self.is_pointer_array(id) => self.body.var(offsets).ty.len() as usize,
            _ => 1,
        }
    }

    /// Whether it is an array of pointers.
    pub(super) fn is_pointer_array(&self, id: PointerId) -> bool {
        let local = &self.pointers[id.0 as usize];
        let is_array = |var: VarId| matches!(self.body.var(var).ty, Type::Array(..));
        local.element_of.is_none() && local.variable.is_some_and(is_array)
    }

    /// `p[index]` of an array of pointers, as a pointer that can be read and set.
    pub(super) fn pointer_element(&mut self, array: PointerId, index: Expr, span: Span) -> Lowered<PointerId> {
        let local = self.pointers[array.0 as usize].clone();
        let Some(root) = local.variable else { return Err(Reported) };
        let offsets = Lvalue { root, path: Vec::new(), ty: self.body.var(root).ty.clone(), is_const: false, span };
        let offset = self.index_array(offsets, index, span)?.place();
        self.pointers.push(PointerLocal { span, element_of: Some((array, offset)), points_to: None, ..local });
        Ok(PointerId(self.pointers.len() as u32 - 1))
    }

    /// The pointers of an array; a pointer that is none is the only one.
    pub(super) fn each_pointer(&mut self, id: PointerId, span: Span) -> Lowered<Vec<PointerId>> {
        if !self.is_pointer_array(id) {
            return Ok(vec![id]);
        }
        let index = |number: usize| Expr::int(number as i64, Scalar::I32, span);
        (0..self.pointer_count(id)).map(|number| self.pointer_element(id, index(number), span)).collect()
    }

    /// A parameter that is an array of pointers: a local array of those that a call gives, each a parameter of its own.
    pub(super) fn pointer_array_parameter(&mut self, first: VarId, name: &ast::Ident, len: u32) -> Lowered<PointerId> {
        let span = name.span;
        let Type::Pointer(ty) = self.body.var(first).ty.clone() else { return Err(Reported) };
        let (pointee, is_const) = (array_of((*ty.element).clone(), &ty.dims), !ty.mutable);
        let mut roots = vec![first];
        roots.extend((1..len).map(|number| self.element_parameter(first, number, &ty)));
        self.pointers.push(PointerLocal::new(name.name.clone(), span, pointee.clone(), is_const));
        let id = PointerId(self.pointers.len() as u32 - 1);
        self.declare_offset(id, &[len], Storage::Plain);
        self.declare_choice(id, &[len], Storage::Plain);
        for (root, element) in roots.into_iter().zip(self.each_pointer(id, span)?) {
            let (prefix, offset) = (Vec::new(), zero(Scalar::I32, span));
            let value = PointerValue { root, prefix, offset, pointee: pointee.clone(), is_const, span };
            self.assign_pointer(element, value, span)?;
        }
        self.pointers[id.0 as usize].is_callers = true;
        Ok(id)
    }

    /// A pointer parameter that is set or moved: its value is a local pointer that starts where the parameter does.
    pub(super) fn moving_parameter(&mut self, root: VarId, name: &ast::Ident) -> PointerId {
        let span = name.span;
        let start = Some(zero(Scalar::I64, span));
        let variable = self.temporary(&format!("{}_offset", name.name), Scalar::I64.into(), start, false, span);
        let pointee = self.type_at(root, &[]);
        let (pointee, is_const) = match &pointee {
            Type::Pointer(p) => (array_of((*p.element).clone(), &p.dims), !p.mutable),
            other => (other.clone(), true),
        };
        let offset = self.read(variable, span);
        let points_to = Some(PointsTo { root, prefix: Vec::new(), offset, span });
        let local = PointerLocal::new(name.name.clone(), span, pointee, is_const);
        self.pointers.push(PointerLocal { variable: Some(variable), points_to, ..local });
        let id = PointerId(self.pointers.len() as u32 - 1);
        self.choose_parameter(id, span);
        id
    }

    /// `p = value`
    pub(super) fn assign_pointer(&mut self, id: PointerId, value: PointerValue, span: Span) -> Lowered<()> {
        if self.is_pointer_array(id) {
            return Err(self.error(
                rules::TYPE_MISMATCH,
                span,
                "an array of pointers cannot be assigned; assign its elements",
            ));
        }
        let local = &self.pointers[id.0 as usize];
        let owner = local.element_of.as_ref().map_or(id, |(array, _)| *array);
        if local.is_callers {
            let message = format!("a function cannot set pointers of its caller's array `{}`", local.name);
            let hint = "set them where the array is declared, or copy them to a local array";
            return Err(self.report(Diagnostic::error(rules::POINTER_ROOT, span, message).hint(hint)));
        }
        if let Some(choice) = local.choice {
            return self.assign_choice(id, choice, value, span);
        }
        let Some(points_to) = self.pointers[owner.0 as usize].points_to.clone() else {
            return self.settle(id, value, span);
        };
        let name = local.name.clone();
        let is_given = local.variable.is_none() && self.level != Level::Function;
        if is_given && self.records.values().any(|&known| known == id) {
            let message = format!("pointer `{name}` is given by the launch and cannot be set");
            let hint = "copy the struct to a local one, and set the copy's pointer";
            return Err(self.report(Diagnostic::error(rules::WRITE_TO_CONSTANT, span, message).hint(hint)));
        }
        self.check_pointee(id, &value, span)?;
        if points_to.root != value.root || !same_path(&points_to.prefix, &value.prefix) {
            if self.choose_again(id, &value) {
                return Ok(());
            }
            if self.hidden.iter().any(|hidden| hidden.var == points_to.root) {
                let message = format!("a function cannot set pointer `{name}` of its caller's struct");
                let hint = "set it where the struct is declared, or copy the struct";
                return Err(self.report(Diagnostic::error(rules::POINTER_ROOT, span, message).hint(hint)));
            }
            let (old, new) = (self.called(points_to.root), self.called(value.root));
            return Err(self.report(
                Diagnostic::error(
                    rules::POINTER_ROOT,
                    span,
                    format!("pointer `{name}` may point into `{old}` or into `{new}`; a pointer has one root"),
                )
                .label(points_to.span, format!("it points into `{old}` here"))
                .hint("use a second pointer, or an index into one array"),
            ));
        }
        self.set_offset(id, value.offset, span)
    }

    /// A pointer parameter that may lead into other arrays starts with its own.
    fn choose_parameter(&mut self, id: PointerId, span: Span) {
        let PointerLocal { name, pointee, is_const, points_to, .. } = self.pointers[id.0 as usize].clone();
        let Some(points_to) = points_to.filter(|_| self.unit.choosing.contains(&(span, name.clone()))) else { return };
        let PointsTo { root, prefix, offset, span } = points_to;
        let choice = self.choice(&name, pointee.clone(), is_const, span);
        let own = PointerValue { root, prefix, offset: offset.clone(), pointee, is_const, span };
        let number = self.choose(choice, &own);
        let numbers = self.temporary(&format!("{name}_array"), Scalar::I32.into(), Some(number), false, span);
        let prefix = vec![Projection::Flat(self.read(numbers, span))];
        let local = &mut self.pointers[id.0 as usize];
        local.choice = Some((choice, numbers));
        local.points_to = Some(PointsTo { root: choice, prefix, offset, span });
    }

    /// `p = value` for a pointer that may lead into several arrays.
    fn assign_choice(
        &mut self,
        id: PointerId,
        (choice, numbers): (VarId, VarId),
        value: PointerValue,
        span: Span,
    ) -> Lowered<()> {
        self.check_pointee(id, &value, span)?;
        if !self.is_choosable(&value) {
            let (name, root) = (self.pointers[id.0 as usize].name.clone(), self.called(value.root));
            let message = format!("pointer `{name}` may lead into several arrays, but not into `{root}`");
            let finding = Diagnostic::error(rules::POINTER_ROOT, span, message);
            return Err(self.report(finding.hint("let it lead into parameters and `@shared` arrays alone")));
        }
        let number = self.choose(choice, &value);
        let mut offset = implicit(value.offset, Scalar::I64);
        if crate::ir::Uses::of_expr(&offset).mentioned.iter().any(|&var| var == choice || var == numbers) {
            offset = self.held(offset, "offset");
        }
        let element = self.pointers[id.0 as usize].element_of.clone();
        let owner = element.as_ref().map_or(id, |(array, _)| *array);
        let read = |s: &Self| match element {
            Some(_) => zero(Scalar::I32, span),
            None => s.read(numbers, span),
        };
        let prefix = vec![Projection::Flat(read(self))];
        let PointerLocal { name, variable, .. } = self.pointers[id.0 as usize].clone();
        let Some(variable) = variable else { return Err(Reported) };
        self.check_pointer_write(variable, &name, span)?;
        if self.pointers[owner.0 as usize].points_to.is_none() {
            let offset = if element.is_some() { zero(Scalar::I64, span) } else { self.read(variable, span) };
            self.pointers[owner.0 as usize].points_to = Some(PointsTo { root: choice, prefix, offset, span });
        }
        match &element {
            Some((_, place)) => {
                let place = Place { ty: Scalar::I32.into(), ..place.clone() }.at(numbers);
                self.choices.note_number(&place, &number);
                self.emit(StmtKind::Assign { place, op: None, value: number }, span);
            }
            None => self.emit_set(numbers, number, span),
        }
        self.set_offset(id, offset, span)
    }

    fn set_offset(&mut self, id: PointerId, offset: Expr, span: Span) -> Lowered<()> {
        let PointerLocal { name, variable, .. } = self.pointers[id.0 as usize].clone();
        let Some(variable) = variable else {
            return Err(self.error(
                rules::WRITE_TO_CONSTANT,
                span,
                format!("pointer `{name}` is constant and cannot be set again"),
            ));
        };
        self.check_pointer_write(variable, &name, span)?;
        let offset = implicit(offset, Scalar::I64);
        if let Some((_, place)) = self.pointers[id.0 as usize].element_of.clone() {
            self.emit(StmtKind::Assign { place, op: None, value: offset }, span);
            return Ok(());
        }
        match self.out.last_mut().map(|s| &mut s.kind) {
            Some(StmtKind::Declare { var, init: init @ None }) if *var == variable => {
                *init = Some(Initializer::Value(offset))
            }
            _ => self.emit_set(variable, offset, span),
        }
        Ok(())
    }

    /// Whether a pointer may be set here.
    fn check_pointer_write(&mut self, variable: VarId, name: &str, span: Span) -> Lowered<()> {
        match self.body.var(variable).role {
            Role::Exclusive => self.check_memory_write(name, "an `@exclusive` pointer", span),
            _ => self.check_variable_write(variable, name, span),
        }
    }

    fn check_pointee(&mut self, id: PointerId, value: &PointerValue, span: Span) -> Lowered<()> {
        let local = &self.pointers[id.0 as usize];
        let (name, pointee, is_const) = (local.name.clone(), local.pointee.clone(), local.is_const);
        if pointee != value.pointee {
            let (expected, got) = (self.type_name(&pointee), self.type_name(&value.pointee));
            return Err(self.error(
                rules::TYPE_MISMATCH,
                span,
                format!("pointer `{name}` points to `{expected}`, not to `{got}`"),
            ));
        }
        if value.is_const && !is_const {
            return Err(self.error(
                rules::WRITE_TO_CONSTANT,
                span,
                format!("pointer `{name}` would make constant memory writable; declare it `const`"),
            ));
        }
        Ok(())
    }

    /// The first time that a pointer gets a value: its root is settled.
    fn settle(&mut self, id: PointerId, value: PointerValue, span: Span) -> Lowered<()> {
        self.check_pointee(id, &value, span)?;
        let PointerLocal { name, variable, .. } = self.pointers[id.0 as usize].clone();
        let stem = name.replace('.', "_");
        let mut prefix = value.prefix;
        for projection in &mut prefix {
            if let Projection::Index(index) | Projection::Flat(index) = projection {
                let frozen = self.freeze(std::mem::replace(index, zero(Scalar::I32, span)), &stem);
                *index = frozen;
            }
        }
        let span_of_value = value.span;
        let point = |s: &mut Self, offset: Expr| {
            let points_to = PointsTo { root: value.root, prefix, offset, span: span_of_value };
            let owner = s.pointers[id.0 as usize].element_of.as_ref().map_or(id, |(array, _)| *array);
            s.pointers[owner.0 as usize].points_to = Some(points_to);
        };
        match variable {
            None => {
                let offset = self.freeze(value.offset, &format!("{stem}_offset"));
                point(self, offset);
                Ok(())
            }
            Some(variable) => {
                // Settled before the level is checked, so that a refused write leads to one finding.
                // Of an array, each element's own offset is read in its place.
                let is_element = self.pointers[id.0 as usize].element_of.is_some();
                let offset = if is_element { zero(Scalar::I64, span) } else { self.read(variable, span) };
                point(self, offset);
                self.set_offset(id, value.offset, span)
            }
        }
    }

    /// An expression that gives the same value for ever: itself where it is a constant or a fixed variable.
    pub(super) fn freeze(&mut self, value: Expr, name: &str) -> Expr {
        let simple = match &value.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Load(place) => place.path.is_empty() && self.info[place.root.0 as usize].fixed,
            _ => false,
        };
        if simple {
            return value;
        }
        let span = value.span;
        let known = self.is_stable(&value).then(|| value.clone());
        let var = self.temporary(name, value.ty.clone(), Some(value), true, span);
        self.info[var.0 as usize].known = known;
        self.read(var, span)
    }

    /// `p++`, `p += n` …: the new value; the old one is what `local_pointer` gave before.
    pub(super) fn move_pointer(&mut self, id: PointerId, index: Expr, op: BinaryOp, span: Span) -> Lowered<()> {
        let value = self.local_pointer(id, span)?;
        let moved = self.offset_pointer(value, index, op, span)?;
        self.assign_pointer(id, moved, span)
    }

    /// The pointer as it is now, whatever moves afterwards.
    pub(super) fn keep_offset(&mut self, p: PointerValue, name: &str) -> PointerValue {
        let offset = implicit(p.offset, Scalar::I64);
        let span = p.span;
        let var = self.temporary(name, Scalar::I64.into(), Some(offset), true, span);
        let offset = self.read(var, span);
        PointerValue { offset, ..p }
    }
}
