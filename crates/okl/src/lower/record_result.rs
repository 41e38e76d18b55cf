//! Structs with pointers as results of device functions. The IR's result is a struct of the value and of each pointer's offset
//! from the parameter that it leads into; the caller makes pointers into its arguments of them.

use super::constants::implicit;
use super::context::{Level, Lowering};
use super::expr::Value;
use super::module::Head;
use super::place::Lvalue;
use super::pointer::PointerValue;
use super::record::RecordPath;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::ir::{
    Argument, BinaryOp, Expr, ExprKind, Field, FunctionId, Place, Projection, Role, Scalar, StmtKind, Struct, StructId,
    Type,
};
use crate::rules;
use crate::source::Span;

/// A result that has pointers.
#[derive(Clone, Debug)]
pub(super) struct RecordResult {
    /// The IR's: the value, and then the offsets of each pointer.
    id: StructId,
    pointers: Vec<ResultPointer>,
}

/// A pointer, or an array of pointers, of a result.
#[derive(Clone, Debug)]
struct ResultPointer {
    /// The fields on the way to the struct that it is one of, and its number among that one's pointers.
    fields: Vec<u32>,
    number: usize,
    name: String,
    count: Option<u32>,
    /// The parameter that it leads into; `None` until a `return` says it.
    leads_into: Option<usize>,
}

impl RecordResult {
    /// The IR's type of the result.
    pub(super) fn ty(&self) -> Type {
        Type::Struct(self.id)
    }
}

impl Lowering<'_, '_> {
    /// What a function returns whose result has pointers.
    pub(super) fn record_result(&mut self, name: &str, result: &Type, span: Span) -> Lowered<Option<RecordResult>> {
        let Type::Struct(value) = *result else { return Ok(None) };
        if !self.holds_pointers(result) {
            return Ok(None);
        }
        if self.level != Level::File {
            let message = "overloads, templates and lambdas return no structs with pointers yet";
            let finding = Diagnostic::error(rules::NOT_IN_OKL, span, message)
                .hint("let the function fill a struct that it is given a pointer to");
            return Err(self.report(finding));
        }
        let mut pointers = Vec::new();
        self.result_pointers(value, &mut Vec::new(), &mut pointers);
        let offsets = pointers.iter().enumerate().map(|(number, pointer)| {
            let ty = super::types::array_of(Scalar::I64.into(), pointer.count.as_slice());
            Field { name: format!("offset{number}_{}", pointer.name), ty, offset: 0 }
        });
        let mut fields = vec![Field { name: "value".to_owned(), ty: result.clone(), offset: 0 }];
        fields.extend(offsets);
        let (bytes, align) = self.pack(&mut fields);
        let scalars = fields.iter().map(|field| self.scalars(&field.ty)).sum();
        let id = StructId(self.unit.module.structs.len() as u32);
        let name = format!("{name}_result");
        self.unit.module.structs.push(Struct { name, fields, bytes, align, is_vector: false, span });
        self.unit.struct_scalars.push(scalars);
        self.unit.pointer_fields.push(Vec::new());
        Ok(Some(RecordResult { id, pointers }))
    }

    /// The pointers of a struct and of those in it.
    fn result_pointers(&self, id: StructId, fields: &mut Vec<u32>, pointers: &mut Vec<ResultPointer>) {
        pointers.extend(self.unit.pointer_fields[id.0 as usize].iter().enumerate().map(|(number, field)| {
            let (name, count) = (field.name.clone(), field.count);
            ResultPointer { fields: fields.clone(), number, name, count, leads_into: None }
        }));
        for (number, field) in self.unit.module.structs[id.0 as usize].fields.iter().enumerate() {
            if let Type::Struct(inner) = field.ty {
                fields.push(number as u32);
                self.result_pointers(inner, fields, pointers);
                fields.pop();
            }
        }
    }

    /// `return value;` of a struct with pointers.
    pub(super) fn return_record(&mut self, mut returned: RecordResult, value: Expr, span: Span) -> Lowered<()> {
        let ExprKind::Load(Place { root, path, ty, .. }) = &value.kind else {
            let message = "a struct with pointers is returned from a variable alone";
            return Err(self.error(rules::NOT_IN_OKL, span, message));
        };
        let from = Lvalue { root: *root, path: path.clone(), ty: ty.clone(), is_const: false, span };
        let result = self.temporary("result", returned.ty(), None, false, span);
        let part =
            |number: usize, ty: Type| Place { root: result, path: vec![Projection::Field(number as u32)], ty, span };
        if !matches!(value.ty, Type::Struct(id) if self.unit.is_placeholder(id)) {
            let place = part(0, value.ty.clone());
            self.emit(StmtKind::Assign { place, op: None, value }, span);
        }
        for (number, pointer) in returned.pointers.iter_mut().enumerate() {
            let source = self.pointer_at(&from, &pointer.fields, pointer.number, span)?;
            for (index, element) in self.each_pointer(source, span)?.into_iter().enumerate() {
                let value = match self.pointers[source.0 as usize].points_to {
                    None => super::constants::zero(Scalar::I64, span),
                    Some(_) => {
                        let to = self.local_pointer(element, span)?;
                        self.check_result_root(pointer, &to, span)?;
                        implicit(to.offset, Scalar::I64)
                    }
                };
                let mut place = part(number + 1, Scalar::I64.into());
                if pointer.count.is_some() {
                    place.path.push(Projection::Index(Expr::int(index as i64, Scalar::I32, span)));
                }
                self.emit(StmtKind::Assign { place, op: None, value }, span);
            }
        }
        self.emit(StmtKind::Return(Some(self.read(result, span))), span);
        self.returned = Some(returned);
        Ok(())
    }

    /// A pointer that is returned leads into one parameter, whichever `return` is taken.
    fn check_result_root(&mut self, pointer: &mut ResultPointer, to: &PointerValue, span: Span) -> Lowered<()> {
        let param = match (self.body.var(to.root).role, &self.body.var(to.root).ty) {
            (Role::Param(position), Type::Pointer(_)) if to.prefix.is_empty() => Some(position as usize),
            _ => None,
        };
        if param.is_some_and(|param| *pointer.leads_into.get_or_insert(param) == param) {
            return Ok(());
        }
        let message = format!("pointer `{}` of the result must lead into one parameter of the function", pointer.name);
        let finding = Diagnostic::error(rules::NOT_IN_OKL, span, message);
        Err(self.report(finding.hint("let it lead into memory that the function is given by a single pointer")))
    }

    /// A call of a function whose result has pointers.
    pub(super) fn call_for_record(
        &mut self,
        (function, head, returned): (FunctionId, &Head, &RecordResult),
        arguments: Vec<Argument>,
        span: Span,
    ) -> Lowered<Value> {
        let mut bases = Vec::with_capacity(returned.pointers.len());
        for pointer in &returned.pointers {
            bases.push(match pointer.leads_into.map(|param| &arguments[param]) {
                Some(Argument::Pointer(Place { root, path, ty, .. })) => {
                    let to = Lvalue { root: *root, path: path.clone(), ty: ty.clone(), is_const: false, span };
                    let base = self.address_of(to);
                    // The call may change what it is made of.
                    let offset = self.freeze(base.offset, "offset");
                    Some(PointerValue { offset, ..base })
                }
                _ => None,
            });
        }
        let result = self.temporary("result", returned.ty(), None, false, span);
        self.emit(StmtKind::Call { function, arguments, result: Some(result) }, span);
        self.declare_pointers_of(result, &returned.ty(), &mut Vec::new(), "result", span);
        let is_set = returned.pointers.iter().zip(bases).enumerate();
        for (number, (pointer, base)) in is_set.filter_map(|(number, (pointer, base))| Some((number, (pointer, base?))))
        {
            let path =
                RecordPath { root: result, fields: [&[0], pointer.fields.as_slice()].concat(), number: pointer.number };
            let target = *self.records.get(&path).ok_or(Reported)?;
            for (index, element) in self.each_pointer(target, span)?.into_iter().enumerate() {
                let mut path = vec![Projection::Field(number as u32 + 1)];
                if pointer.count.is_some() {
                    path.push(Projection::Index(Expr::int(index as i64, Scalar::I32, span)));
                }
                let ty: Type = Scalar::I64.into();
                let place = Place { root: result, path, ty: ty.clone(), span };
                let moved_by = Expr { kind: ExprKind::Load(place), ty, span };
                let offset = super::pointer::add_offsets(base.offset.clone(), moved_by, BinaryOp::Add, span);
                let of = &self.pointers[element.0 as usize];
                let (pointee, is_const) = (of.pointee.clone(), of.is_const);
                let value = PointerValue { offset, pointee, is_const, ..base.clone() };
                self.assign_pointer(element, value, span)?;
            }
        }
        let place = Place { root: result, path: vec![Projection::Field(0)], ty: head.result.clone(), span };
        Ok(Value::Scalar(Expr { kind: ExprKind::Load(place), ty: head.result.clone(), span }))
    }
}
