//! Pointers in structs. The IR's structs have none: each pointer of a local struct is a local pointer beside it, and a
//! device function that is given such a struct takes the pointers that it uses as parameters of their own.

use super::attributes::{Lower, Storage, lower_of};
use super::constants::integer_of;
use super::context::{Level, Lowering};
use super::local_pointer::{PointerId, PointerLocal, PointsTo};
use super::module::Head;
use super::place::Lvalue;
use super::pointer::PointerValue;
use super::scope::Symbol;
use super::types::element_of;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, Attribute, Declarator};
use crate::ir::{
    Argument, Expr, ExprKind, Initializer, Pointer, Projection, Role, Scalar, StmtKind, StructId, Type, VarId,
};
use crate::rules;
use crate::source::Span;
use std::collections::BTreeMap;

/// A pointer among a struct's fields.
#[derive(Clone, Debug)]
pub(super) struct PointerField {
    pub(super) name: String,
    pub(super) pointee: Type,
    pub(super) is_const: bool,
    /// Of an array of pointers, how many they are.
    pub(super) count: Option<u32>,
    /// `@restrict`
    pub(super) restrict: bool,
    /// Other fields before it.
    pub(super) before: usize,
}

impl PointerField {
    /// The parameter that stands for it.
    pub(super) fn parameter(&self) -> Pointer {
        let (element, dims) = match self.pointee.clone() {
            Type::Array(element, dims) => (element, dims),
            other => (Box::new(other), Vec::new()),
        };
        Pointer { element, dims, mutable: !self.is_const, restrict: self.restrict }
    }
}

/// A pointer of a struct that is, or lies in, a variable or what a parameter leads to: the fields on the way, and the
/// number among the last struct's pointers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RecordPath {
    pub(super) root: VarId,
    pub(super) fields: Vec<u32>,
    pub(super) number: usize,
}

/// A parameter that a function takes besides those that are written.
#[derive(Clone, Debug)]
pub(super) struct HiddenParam {
    /// The parameter that it belongs to.
    position: usize,
    pub(super) var: VarId,
    what: Hidden,
}

/// What such a parameter is for.
#[derive(Clone, Debug)]
enum Hidden {
    /// A pointer in the struct that the other parameter is or leads to.
    Field { fields: Vec<u32>, number: usize, ty: Pointer },
    /// Whether the other parameter is not null.
    Presence,
    /// The pointer of this number in the array of pointers that the other parameter is.
    Element { number: u32, ty: Pointer },
}

impl Lowering<'_, '_> {
    /// Whether a struct, or one in it, has pointers.
    pub(super) fn holds_pointers(&self, ty: &Type) -> bool {
        let Type::Struct(id) = element_of(ty) else { return false };
        !self.unit.pointer_fields[id.0 as usize].is_empty()
            || self.unit.module.structs[id.0 as usize].fields.iter().any(|field| self.holds_pointers(&field.ty))
    }

    /// A field that is a pointer; `None` where it is something else.
    pub(super) fn pointer_field<'a>(
        &mut self,
        declarator: &Declarator,
        attributes: impl Iterator<Item = &'a Attribute>,
        before: usize,
    ) -> Lowered<Option<PointerField>> {
        let declared = self.resolve_local(&declarator.ty)?;
        let (name, span) = (&declarator.name.name, declarator.name.span);
        let Some(qualifiers) = declared.pointer else {
            for attribute in attributes.filter(|a| matches!(lower_of(a), Lower::Global | Lower::Restrict)) {
                self.error(
                    rules::MISPLACED_ATTRIBUTE,
                    attribute.span,
                    format!("`@{}` is for pointers; `{name}` is none", attribute.name.name),
                );
            }
            return Ok(None);
        };
        let restrict = attributes.into_iter().any(|a| matches!(lower_of(a), Lower::Restrict)) || qualifiers.is_restrict;
        let count = match declared.dims.as_slice() {
            [] => None,
            &[Some(count)] => Some(count),
            _ => {
                let message = "an array of pointers in a struct has one dimension, and a size";
                return Err(self.error(rules::NOT_IN_OKL, span, message));
            }
        };
        if declared.element == Type::Void {
            return Err(self.error(rules::NOT_IN_OKL, span, "`void *` is not in the language; say what it points to"));
        }
        if let Some(init) = &declarator.init {
            return Err(self.error(
                rules::BAD_INITIALIZER,
                init.span(),
                "a field of a struct cannot have an initialiser",
            ));
        }
        let (pointee, is_const) = (declared.pointee(), declared.is_const);
        Ok(Some(PointerField { name: name.clone(), pointee, is_const, count, restrict, before }))
    }

    /// A local struct with pointers.
    pub(super) fn declare_record(&mut self, d: &Declarator, ty: Type, storage: Storage, is_const: bool) -> Lowered<()> {
        let span = d.name.span;
        let what = match (&ty, storage, self.level) {
            (Type::Array(..), ..) => "arrays of structs with pointers",
            (_, Storage::Shared | Storage::Exclusive, _) => "`@shared` and `@exclusive` structs with pointers",
            (.., Level::Host | Level::File) => "structs with pointers outside of the `@outer` loops",
            _ => "",
        };
        if !what.is_empty() {
            return Err(self.error(rules::NOT_IN_OKL, span, format!("{what} are not in the language yet")));
        }
        let Type::Struct(id) = ty else { return Err(Reported) };
        let (values, pointers) = self.split_initializer(id, d.init.as_ref())?;
        let source = match &values {
            Some(Initializer::Value(value)) => Some(value.clone()),
            _ => None,
        };
        let var = self.variable(&d.name.name, ty.clone(), self.local_role(), is_const, span);
        if self.unit.is_placeholder(id) {
            self.body.generated.insert(var);
        }
        self.bind(&d.name.name, span, Symbol::Var(var));
        self.emit(StmtKind::Declare { var, init: values }, span);
        self.declare_pointers_of(var, &ty, &mut Vec::new(), &d.name.name, span);
        let place = Lvalue { root: var, path: Vec::new(), ty, is_const, span };
        if let Some(source) = source {
            self.copy_pointers(&place, &source, span)?;
        }
        for (number, value) in pointers {
            let pointer = self.record_pointer(&place, id, number, span)?;
            self.assign_pointer(pointer, value, span)?;
        }
        Ok(())
    }

    /// An initialiser without its pointers, and those with their numbers. Each member has one item of a list.
    #[allow(clippy::type_complexity)] // two lists of what stood in one
    fn split_initializer(
        &mut self,
        id: StructId,
        init: Option<&ast::Initializer>,
    ) -> Lowered<(Option<Initializer>, Vec<(usize, PointerValue)>)> {
        let ty = Type::Struct(id);
        let (list, span) = match init {
            Some(ast::Initializer::List(list, span)) => (list, *span),
            Some(init) => return Ok((Some(self.initializer(&ty, init)?), Vec::new())),
            None => return Ok((None, Vec::new())),
        };
        let fields = self.unit.pointer_fields[id.0 as usize].clone();
        let (mut rest, mut pointers) = (Vec::new(), Vec::new());
        for item in list {
            let next = pointers.len();
            match fields.get(next).filter(|field| field.before == rest.len()) {
                Some(PointerField { count: Some(_), .. }) => {
                    let finding = Diagnostic::error(
                        rules::NOT_IN_OKL,
                        item.span(),
                        "arrays of pointers in structs have no initialiser yet",
                    );
                    return Err(self.report(finding.hint("assign each pointer behind the declaration")));
                }
                Some(_) => match item {
                    ast::Initializer::Expr(value) => pointers.push((next, self.pointer(value)?)),
                    ast::Initializer::List(_, span) => {
                        return Err(self.error(
                            rules::BAD_INITIALIZER,
                            *span,
                            "a pointer is not initialised by a list",
                        ));
                    }
                },
                None => rest.push(item.clone()),
            }
        }
        let rest = self.initializer(&ty, &ast::Initializer::List(rest, span))?;
        Ok((Some(rest), pointers))
    }

    /// Declares the local pointers beside a struct, and those beside the structs in it.
    pub(super) fn declare_pointers_of(
        &mut self,
        root: VarId,
        ty: &Type,
        fields: &mut Vec<u32>,
        name: &str,
        span: Span,
    ) {
        let Type::Struct(id) = ty else { return };
        for (number, field) in self.unit.pointer_fields[id.0 as usize].clone().into_iter().enumerate() {
            let pointer = self.add_pointer(format!("{name}.{}", field.name), &field, None, span);
            self.declare_offset(pointer, field.count.as_slice(), Storage::Plain);
            self.records.insert(RecordPath { root, fields: fields.clone(), number }, pointer);
        }
        for (number, field) in self.unit.module.structs[id.0 as usize].fields.clone().into_iter().enumerate() {
            fields.push(number as u32);
            self.declare_pointers_of(root, &field.ty, fields, &format!("{name}.{}", field.name), span);
            fields.pop();
        }
    }

    fn add_pointer(&mut self, name: String, field: &PointerField, to: Option<PointsTo>, span: Span) -> PointerId {
        let PointerField { pointee, is_const, .. } = field.clone();
        self.pointers.push(PointerLocal { points_to: to, ..PointerLocal::new(name, span, pointee, is_const) });
        PointerId(self.pointers.len() as u32 - 1)
    }

    /// `s.p` or `s->p`
    pub(super) fn record_pointer(
        &mut self,
        object: &Lvalue,
        id: StructId,
        number: usize,
        span: Span,
    ) -> Lowered<PointerId> {
        let Some(fields) = self.fields_of(object.root, &object.path) else {
            let message = "pointers in arrays of structs are not in the language yet";
            return Err(self.error(rules::NOT_IN_OKL, span, message));
        };
        let path = RecordPath { root: object.root, fields, number };
        if let Some(&known) = self.records.get(&path) {
            return Ok(known);
        }
        let field = self.unit.pointer_fields[id.0 as usize][number].clone();
        match self.body.var(object.root).role {
            Role::Param(_) if field.count.is_some() => {
                let message = format!("`{}` is an array of pointers in a struct of the caller", field.name);
                let finding = Diagnostic::error(rules::NOT_IN_OKL, span, message);
                Err(self.report(finding.hint("pass the array itself: a parameter `T *name[3]` takes it")))
            }
            Role::Param(position) if self.level == Level::Function => {
                Ok(self.hidden_parameter(path, position as usize, &field, span))
            }
            _ => Err(self.error(
                rules::POINTER_ROOT,
                span,
                format!("pointer `{}` is not known here: name a local struct", field.name),
            )),
        }
    }

    /// The fields on the way to a struct; `None` where it is one of an array.
    fn fields_of(&self, root: VarId, path: &[Projection]) -> Option<Vec<u32>> {
        let path = match (&self.body.var(root).ty, path.first()) {
            (Type::Pointer(_), Some(Projection::Index(first))) if integer_of(first) == Some(0) => &path[1..],
            (Type::Pointer(_), _) => return None,
            _ => path,
        };
        let field = |step: &Projection| match step {
            Projection::Field(number) => Some(*number),
            Projection::Index(_) | Projection::Flat(_) => None,
        };
        path.iter().map(field).collect()
    }

    fn hidden_parameter(&mut self, path: RecordPath, position: usize, field: &PointerField, span: Span) -> PointerId {
        let ty = Pointer { restrict: false, ..field.parameter() };
        let name = format!("{}_{}", self.called(path.root), field.name);
        let what = Hidden::Field { fields: path.fields.clone(), number: path.number, ty: ty.clone() };
        let var = self.add_hidden(&name, Type::Pointer(ty), (path.root, position), what);
        let name = format!("{}.{}", self.called(path.root), field.name);
        self.pointer_behind(path, field, name, var, span)
    }

    /// A parameter behind those that are there, which belongs to the one of this variable at this position.
    fn add_hidden(&mut self, name: &str, ty: Type, (of, position): (VarId, usize), what: Hidden) -> VarId {
        let span = self.body.var(of).span;
        let var = self.variable(name, ty, Role::Param(self.writes.len() as u32), false, span);
        // It lives as long as the parameters as written, wherever it is met first.
        self.info[var.0 as usize].scope = self.info[of.0 as usize].scope;
        self.writes.push(false);
        self.leads_to.push(None);
        self.hidden.push(HiddenParam { position, var, what });
        var
    }

    /// The parameter that stands for one of an array of pointers, of which another parameter is the first.
    pub(super) fn element_parameter(&mut self, first: VarId, number: u32, ty: &Pointer) -> VarId {
        let Role::Param(position) = self.body.var(first).role else { return first };
        let name = format!("{}_{number}", self.called(first));
        let what = Hidden::Element { number, ty: ty.clone() };
        self.add_hidden(&name, Type::Pointer(ty.clone()), (first, position as usize), what)
    }

    /// The parameter of a function that says whether another one, a pointer, is not null.
    pub(super) fn presence_parameter(&mut self, of: VarId, position: u32) -> VarId {
        let position = position as usize;
        let is_it = |hidden: &&HiddenParam| hidden.position == position && matches!(hidden.what, Hidden::Presence);
        match self.hidden.iter().find(is_it) {
            Some(hidden) => hidden.var,
            None => {
                let name = format!("{}_present", self.called(of));
                self.add_hidden(&name, Scalar::I32.into(), (of, position), Hidden::Presence)
            }
        }
    }

    /// A struct's pointer that a parameter gives.
    pub(super) fn pointer_behind(
        &mut self,
        path: RecordPath,
        field: &PointerField,
        name: String,
        root: VarId,
        span: Span,
    ) -> PointerId {
        let offset = super::constants::zero(Scalar::I32, span);
        let to = PointsTo { root, prefix: Vec::new(), offset, span };
        let pointer = self.add_pointer(name, field, Some(to), span);
        self.records.insert(path, pointer);
        pointer
    }

    /// Adds what a call gives to the hidden parameters of a function.
    pub(super) fn hidden_arguments(
        &mut self,
        name: &str,
        head: &Head,
        arguments: &mut Vec<Argument>,
        arrays: &BTreeMap<usize, PointerId>,
        span: Span,
    ) -> Lowered<()> {
        for (number, hidden) in head.hidden.iter().enumerate() {
            let argument = arguments[hidden.position].clone();
            let written = head.writes.get(head.params.len() + number).copied().unwrap_or(true);
            arguments.push(match &hidden.what {
                Hidden::Field { fields, number: field, ty } => {
                    let (pointer, value) = self.field_argument(&argument, fields, *field, span)?;
                    let label = format!("pointer `{}` for `{name}`", self.pointers[pointer.0 as usize].name);
                    self.pointer_for(&label, ty, written, value, span)?
                }
                Hidden::Element { number, ty } => {
                    let array = *arrays.get(&hidden.position).ok_or(Reported)?;
                    let label = format!("pointer {number} of argument {} of `{name}`", hidden.position + 1);
                    self.element_argument(&label, ty, written, (array, *number), span)?
                }
                Hidden::Presence => {
                    let Argument::Pointer(place) = argument else { return Err(Reported) };
                    Argument::Value(self.presence(place.root, span)?)
                }
            });
        }
        Ok(())
    }

    /// A pointer in the struct that an argument is or leads to.
    fn field_argument(
        &mut self,
        argument: &Argument,
        fields: &[u32],
        number: usize,
        span: Span,
    ) -> Lowered<(PointerId, PointerValue)> {
        let place = match argument {
            Argument::Pointer(place) => place.clone(),
            Argument::Value(Expr { kind: ExprKind::Load(place), .. }) => place.clone(),
            Argument::Value(value) => {
                return Err(self.error(
                    rules::POINTER_ROOT,
                    value.span,
                    "the pointers of this struct are not known: name a variable",
                ));
            }
        };
        let record = Lvalue { root: place.root, path: place.path, ty: place.ty, is_const: false, span };
        let pointer = self.pointer_at(&record, fields, number, span)?;
        Ok((pointer, self.local_pointer(pointer, span)?))
    }

    /// The pointer of this number in a struct within another one.
    pub(super) fn pointer_at(
        &mut self,
        record: &Lvalue,
        fields: &[u32],
        number: usize,
        span: Span,
    ) -> Lowered<PointerId> {
        let mut object = record.clone();
        object.path.extend(fields.iter().map(|&field| Projection::Field(field)));
        let Type::Struct(id) = self.type_at(object.root, &object.path) else { return Err(Reported) };
        self.record_pointer(&object, id, number, span)
    }

    /// `a = b` of structs with pointers: each pointer that `b` has.
    pub(super) fn copy_pointers(&mut self, to: &Lvalue, value: &Expr, span: Span) -> Lowered<()> {
        let ty = to.ty.clone();
        if !self.holds_pointers(&ty) {
            return Ok(());
        }
        let ExprKind::Load(place) = &value.kind else {
            return Err(self.error(
                rules::POINTER_ROOT,
                span,
                "a struct with pointers is copied from a variable alone",
            ));
        };
        let from = Lvalue { root: place.root, path: place.path.clone(), ty: ty.clone(), is_const: false, span };
        self.copy_pointers_below(to, &from, &ty, span)
    }

    /// `p = q` of pointers, or of arrays of as many.
    fn copy_pointer(&mut self, to: PointerId, from: PointerId, span: Span) -> Lowered<()> {
        for (to, from) in self.each_pointer(to, span)?.into_iter().zip(self.each_pointer(from, span)?) {
            let value = self.local_pointer(from, span)?;
            self.assign_pointer(to, value, span)?;
        }
        Ok(())
    }

    fn copy_pointers_below(&mut self, to: &Lvalue, from: &Lvalue, ty: &Type, span: Span) -> Lowered<()> {
        let Type::Struct(id) = *ty else { return Ok(()) };
        for number in 0..self.unit.pointer_fields[id.0 as usize].len() {
            let source = self.record_pointer(from, id, number, span)?;
            if self.pointers[source.0 as usize].points_to.is_some() {
                let target = self.record_pointer(to, id, number, span)?;
                self.copy_pointer(target, source, span)?;
            }
        }
        for (number, field) in self.unit.module.structs[id.0 as usize].fields.clone().into_iter().enumerate() {
            let below = |of: &Lvalue| {
                let mut of = of.clone();
                of.path.push(Projection::Field(number as u32));
                of
            };
            self.copy_pointers_below(&below(to), &below(from), &field.ty, span)?;
        }
        Ok(())
    }

    /// Refuses the size of what only a host would lay out.
    pub(super) fn check_size_known(&mut self, ty: &Type, span: Span) -> Lowered<()> {
        if self.holds_pointers(ty) {
            return Err(self.error(rules::NOT_IN_OKL, span, "a struct with pointers has no size on devices"));
        }
        Ok(())
    }
}
