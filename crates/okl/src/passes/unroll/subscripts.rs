//! Constant subscripts that lead out of their array.

use crate::ir::{Body, Place, Projection, Stmt, Struct, Type, Visitor, walk_place};

/// Whether statements have one, anywhere.
pub(super) fn leaves_array(structs: &[Struct], body: &Body, stmts: &[Stmt]) -> bool {
    let mut leaves = Leaves { structs, body, found: false };
    stmts.iter().for_each(|stmt| leaves.stmt(stmt));
    leaves.found
}

struct Leaves<'a> {
    structs: &'a [Struct],
    body: &'a Body,
    found: bool,
}

impl Leaves<'_> {
    fn place(&mut self, place: &Place) {
        let mut ty = &self.body.var(place.root).ty;
        // Subscripts behind those that an array has had.
        let mut position = 0;
        for projection in &place.path {
            let (length, subscript) = match (projection, ty) {
                (Projection::Field(number), Type::Struct(id)) => {
                    ty = &self.structs[id.0 as usize].fields[*number as usize].ty;
                    continue;
                }
                (Projection::Flat(subscript), Type::Array(element, _)) => {
                    let length = ty.len();
                    ty = element;
                    (length, subscript)
                }
                (Projection::Index(subscript), Type::Array(element, dims)) => {
                    let length = u64::from(dims[position]);
                    position += 1;
                    if position == dims.len() {
                        (ty, position) = (element, 0);
                    }
                    (length, subscript)
                }
                // Of memory nobody knows the length.
                (_, Type::Pointer(pointer)) if pointer.dims.is_empty() => {
                    ty = &pointer.element;
                    continue;
                }
                _ => break,
            };
            let is_inside = |index: i64| u64::try_from(index).is_ok_and(|index| index < length);
            self.found |= subscript.as_int().is_some_and(|index| !is_inside(index));
        }
        walk_place(self, place);
    }
}

impl Visitor for Leaves<'_> {
    fn load(&mut self, place: &Place) {
        self.place(place);
    }

    fn store(&mut self, place: &Place) {
        self.place(place);
    }
}
