//! The elements that places name.

use super::contents::{Element, element};
use super::{Base, Frame, Walk};
use crate::ir::{Place, Projection, Role, Scalar, StructId, Type};
use crate::signature::bounds::{AccessKind, Sum, Within};

/// Where a path has come to.
struct Cursor<'a> {
    base: Base,
    /// What the elements are.
    element: &'a Type,
    /// Elements that the next subscript moves by, and those after it.
    strides: Vec<u64>,
    /// The index within the base; `None`: not followed.
    index: Option<Sum>,
    /// The place is an element of the base: there is an index at all.
    is_element: bool,
}

impl<'a> Walk<'a> {
    /// Registers the access to a place, and visits its subscripts; answers which element of a parameter's memory that is, where
    /// a launch can prove that there is one.
    pub(super) fn access(&mut self, frame: &mut Frame<'a>, place: &'a Place, kind: AccessKind) -> Option<Element> {
        let cursor = self.walk_path(frame, place, kind).filter(|cursor| cursor.is_element)?;
        self.record(frame, &cursor.base, cursor.index.as_ref(), (place, kind));
        let is_provable = self.register(frame, &cursor.base, cursor.index.clone(), (place, kind));
        element(cursor.base.within, cursor.index.filter(|_| is_provable))
    }

    /// Answers whether a launch can prove that there is such an element.
    fn register(
        &mut self,
        frame: &Frame<'a>,
        base: &Base,
        index: Option<Sum>,
        (place, kind): (&'a Place, AccessKind),
    ) -> bool {
        if matches!(frame.body.var(place.root).role, Role::Exchange(_)) {
            return false;
        }
        if let Within::Memory(param) = base.within {
            self.space.touch(param, kind, index.as_ref(), frame.guard);
        }
        let is_provable = self.space.access(index, frame.guard, base.within, &base.name, place.span);
        if !is_provable {
            self.unproven.insert(place);
        }
        is_provable
    }

    /// What a function that is given the address of a place can reach.
    pub(super) fn pointed(&mut self, frame: &mut Frame<'a>, place: &'a Place) -> Base {
        let name = || frame.body.var(place.root).name.clone();
        let is_field = matches!(place.path.last(), Some(Projection::Field(_)));
        // What lies in an element that is passed through is a world of its own for the function, which may write it.
        match self.walk_path(frame, place, AccessKind::Update) {
            Some(cursor) if cursor.is_element => {
                let offset = cursor.index.unwrap_or_else(|| self.space.unknown(Scalar::I64));
                let is_field = cursor.base.is_field || is_field && !matches!(place.ty, Type::Array(..));
                Base { offset, is_field, ..cursor.base }
            }
            Some(_) => Base { within: Within::Array(1), offset: Sum::number(0), name: name(), is_field, shared: None },
            None => {
                let offset = self.space.unknown(Scalar::I64);
                Base { within: Within::Array(0), offset, name: name(), is_field, shared: None }
            }
        }
    }

    /// Follows a path; accesses to the elements that it passes through are registered. `None`: no memory with elements.
    fn walk_path(&mut self, frame: &mut Frame<'a>, place: &'a Place, kind: AccessKind) -> Option<Cursor<'a>> {
        let variable = frame.body.var(place.root);
        let mut cursor = match &variable.ty {
            Type::Pointer(pointer) => {
                let base = frame.pointers.get(&place.root).cloned()?;
                let mut strides = strides(&pointer.dims);
                strides.insert(0, pointer.dims.iter().map(|&dim| u64::from(dim)).product());
                let index = Some(base.offset.clone());
                Cursor { base, element: &pointer.element, strides, index, is_element: true }
            }
            other => {
                let mut cursor = cursor_of(other, &variable.name);
                cursor.base.shared = (variable.role == Role::Shared).then_some(place.root);
                cursor
            }
        };
        for (position, projection) in place.path.iter().enumerate() {
            match projection {
                Projection::Index(expr) => {
                    let index = self.value(frame, expr);
                    let stride = if cursor.strides.is_empty() { 1 } else { cursor.strides.remove(0) };
                    cursor.index = self.moved(&cursor, &index, stride);
                }
                Projection::Flat(expr) => {
                    let index = self.value(frame, expr);
                    cursor.index = self.moved(&cursor, &index, 1);
                    cursor.strides.clear();
                }
                Projection::Field(number) => {
                    let Type::Struct(StructId(id)) = cursor.element else { return None };
                    let field = self.module.structs[*id as usize].fields.get(*number as usize)?;
                    let is_last = place.path[position..].iter().all(|p| matches!(p, Projection::Field(_)));
                    if is_last && !matches!(field.ty, Type::Array(..)) {
                        break;
                    }
                    if cursor.is_element {
                        let index = cursor.index.take();
                        self.register(frame, &cursor.base, index, (place, kind));
                    }
                    cursor = cursor_of(&field.ty, &cursor.base.name);
                }
            }
        }
        Some(cursor)
    }

    fn moved(&mut self, cursor: &Cursor<'a>, index: &Sum, stride: u64) -> Option<Sum> {
        if cursor.base.is_field && *index != Sum::number(0) {
            return None;
        }
        cursor.index.as_ref()?.plus(index, i64::try_from(stride).ok()?)
    }
}

fn cursor_of<'a>(ty: &'a Type, name: &str) -> Cursor<'a> {
    let base = |length| Base {
        within: Within::Array(length),
        offset: Sum::number(0),
        name: name.to_owned(),
        is_field: false,
        shared: None,
    };
    let index = Some(Sum::number(0));
    match ty {
        Type::Array(element, dims) => {
            Cursor { base: base(ty.len()), element, strides: strides(dims), index, is_element: true }
        }
        other => Cursor { base: base(1), element: other, strides: Vec::new(), index, is_element: false },
    }
}

/// Elements that each subscript of a row-major array moves by.
fn strides(dims: &[u32]) -> Vec<u64> {
    let mut strides = vec![1; dims.len()];
    for at in (1..dims.len()).rev() {
        strides[at - 1] = strides[at] * u64::from(dims[at]);
    }
    strides
}
