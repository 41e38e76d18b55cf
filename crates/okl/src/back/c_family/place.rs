//! Places: variables, elements, fields and their addresses.

use super::{Printer, types};
use crate::ir::{Place, Pointer, Projection, Role, Type, VarId};

impl Printer<'_> {
    /// `x`, `u[i + 1]`, `q[e].weights[2]`
    pub(super) fn place(&self, place: &Place) -> String {
        self.walk(place).0
    }

    /// What an item holds of an array that its subgroup exchanges through registers ([`Role::Exchange`]), and how many lanes
    /// that has; `None` for any other place.
    pub(super) fn register(&self, root: VarId) -> Option<(&str, u8)> {
        match self.body.var(root).role {
            Role::Exchange(lanes) if self.in_registers => Some((self.name(root), lanes)),
            _ => None,
        }
    }

    /// A value that is read: `x`, `u[i + 1]`, `okl_shuffle_32(exchanged, from)`
    pub(super) fn loaded(&self, place: &Place) -> String {
        let (Some((name, lanes)), Some(exchange)) = (self.register(place.root), self.words.exchange) else {
            return self.place(place);
        };
        match place.path.as_slice() {
            [_, Projection::Index(lane)] => {
                format!("{}({name}, {})", self.callee(exchange(lanes, false)), self.subscript(lane))
            }
            _ => format!("{}({name})", self.callee(exchange(lanes, true))),
        }
    }

    /// The text of a place and what it is: the type that its path leads to.
    fn walk(&self, place: &Place) -> (String, Type) {
        let mut text = self.name(place.root).to_owned();
        let mut ty = self.body.var(place.root).ty.clone();
        for projection in &place.path {
            match projection {
                Projection::Index(index) => {
                    text = format!("{text}[{}]", self.subscript(index));
                    ty = element_of(ty);
                }
                Projection::Flat(index) => {
                    let first = first_element(&text, &ty);
                    text = format!("{first}[{}]", self.subscript(index));
                    ty = innermost(ty);
                }
                Projection::Field(number) => {
                    let Type::Struct(id) = ty else { unreachable!("a field belongs to a struct") };
                    text = format!("{text}.{}", self.names.field(id, *number));
                    ty = self.module.structs[id.0 as usize].fields[*number as usize].ty.clone();
                }
            }
        }
        (text, ty)
    }

    /// The address of a place, as an argument for a parameter of type `pointer`.
    pub(super) fn address(&self, place: &Place, pointer: &Pointer) -> String {
        let zero = |e: &crate::ir::Expr| e.as_int() == Some(0);
        let path = match place.path.as_slice() {
            // The start of an array is its name.
            [head @ .., Projection::Flat(e)] if zero(e) => head,
            [Projection::Index(e)] if zero(e) => &[],
            path => path,
        };
        let (text, ty) = self.walk(&Place { path: path.to_vec(), ..place.clone() });
        match &ty {
            Type::Array(_, dims) if dims[1..] == pointer.dims => text,
            Type::Pointer(from) if from.dims == pointer.dims => text,
            Type::Array(..) | Type::Pointer(_) => {
                if !pointer.dims.is_empty() {
                    return self.recast(&first_element(&text, &ty), pointer, place.root);
                }
                first_address(&text, &ty).unwrap_or(text)
            }
            _ if pointer.dims.is_empty() => format!("&{text}"),
            _ => self.recast(&format!("(&{text})"), pointer, place.root),
        }
    }

    fn recast(&self, text: &str, pointer: &Pointer, root: VarId) -> String {
        let space = (self.words.space)(self.space(root));
        format!("{}{text}", types::pointer_cast(self.words, self.names, pointer, space))
    }
}

/// `a` for one dimension, `(&a[0][0])` for more: a pointer to the first scalar.
fn first_element(text: &str, ty: &Type) -> String {
    first_address(text, ty).map_or_else(|| text.to_owned(), |address| format!("({address})"))
}

/// The address of the first scalar; of an array of one dimension that is its name.
fn first_address(text: &str, ty: &Type) -> Option<String> {
    let dims = match ty {
        Type::Array(_, dims) => dims.len(),
        Type::Pointer(pointer) => 1 + pointer.dims.len(),
        _ => return Some(format!("&{text}")),
    };
    (dims != 1).then(|| format!("&{text}{}", "[0]".repeat(dims)))
}

fn element_of(ty: Type) -> Type {
    match ty {
        Type::Array(element, dims) if dims.len() == 1 => *element,
        Type::Array(element, dims) => Type::Array(element, dims[1..].to_vec()),
        Type::Pointer(pointer) if pointer.dims.is_empty() => *pointer.element,
        Type::Pointer(pointer) => Type::Array(pointer.element, pointer.dims),
        other => unreachable!("{other:?} has no elements"),
    }
}

fn innermost(ty: Type) -> Type {
    match ty {
        Type::Array(element, _) => *element,
        Type::Pointer(pointer) => *pointer.element,
        other => other,
    }
}
