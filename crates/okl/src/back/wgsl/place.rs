//! Places: how each is reached.
//!
//! What subgroups exchange through registers ([`Role::Exchange`]) is a variable of each item, whatever its path says.

use super::Printer;
use super::memory::Form;
use crate::ir::{Builtin, Place, Projection, Role, Root, RootSpace, Scalar, Type, VarId};
use crate::passes::specialise_pointers::unsigned;

/// How a place is reached.
pub(super) enum Access<'a> {
    /// Text that can be read and assigned.
    Direct(String),
    /// A stored element, or (without `at`) the whole root.
    Element { root: &'a Root, at: Option<String> },
    /// A value at a byte address of a root of words.
    Bytes { root: &'a Root, at: String },
}

impl<'a> Printer<'a> {
    pub(super) fn access(&self, place: &Place) -> Access<'a> {
        if self.lanes(place.root).is_some() {
            return Access::Direct(self.name(place.root).to_owned());
        }
        match self.root(place.root).map(|root| (root, self.memory.form(root))) {
            Some((root, Form::Words { .. })) => Access::Bytes { root, at: self.address(root, place) },
            Some((root, Form::Atomic(_) | Form::Flag | Form::Short(_))) => {
                Access::Element { root, at: self.first_index(place) }
            }
            Some((root, Form::Plain)) if self.memory.by_function(root) => {
                Access::Element { root, at: self.first_index(place) }
            }
            _ => Access::Direct(self.direct(place)),
        }
    }

    /// How many lanes the subgroups have that exchange this variable through registers; `None` for any other one.
    pub(super) fn lanes(&self, root: VarId) -> Option<u8> {
        match self.body.var(root).role {
            Role::Exchange(lanes) => Some(lanes),
            _ => None,
        }
    }

    /// What a lane of an item's subgroup holds, or the votes of all of them.
    pub(super) fn exchanged(&self, place: &Place, lanes: u8) -> String {
        let (name, first) = (self.name(place.root), self.first_lane(lanes));
        let [_, Projection::Index(lane)] = place.path.as_slice() else {
            let votes = format!("subgroupBallot({name} != 0u).x");
            let mask = u32::MAX >> (32 - lanes);
            return first.map_or_else(|| votes.clone(), |first| format!("(({votes} >> ({first})) & {mask:#x}u)"));
        };
        let lane = unsigned(lane.clone());
        let lane = first.map_or_else(|| self.value(&lane), |first| format!("({first}) + {}", self.operand(&lane)));
        let shuffle = match place.ty.scalar() {
            Some(ty @ (Scalar::I64 | Scalar::U64)) => {
                let helper = format!("okl_shuffle_{}", ty.tag());
                self.needs.borrow_mut().insert(helper.clone());
                helper
            }
            _ => "subgroupShuffle".to_owned(),
        };
        format!("{shuffle}({name}, {lane})")
    }

    /// The first lane of an item's subgroup among those of the hardware's, which has 32; `None` where these are the same.
    fn first_lane(&self, lanes: u8) -> Option<String> {
        if lanes == 32 {
            return None;
        }
        let [x, y, z] = self.threads.and_then(|threads| threads.block).unwrap_or([1; 3]);
        let item = |axis| self.builtin(Builtin::Item(axis)).text;
        let number = match (x % 32, y, z) {
            (0, ..) | (_, 1, 1) => item(0),
            (_, _, 1) => format!("({} + {x}u * {})", item(0), item(1)),
            _ => format!("({} + {x}u * ({} + {y}u * {}))", item(0), item(1), item(2)),
        };
        Some(format!("{number} & {}u", 32 - lanes))
    }

    /// `u[args.u_start + u32(i)]`, `p.weights[2u]`
    fn direct(&self, place: &Place) -> String {
        let mut text = self.name(place.root).to_owned();
        let mut ty = self.body.var(place.root).ty.clone();
        for projection in &place.path {
            match projection {
                Projection::Index(index) | Projection::Flat(index) => {
                    text = format!("{text}[{}]", self.value(index));
                    ty = match ty {
                        Type::Array(element, _) => *element,
                        Type::Pointer(pointer) => *pointer.element,
                        other => other,
                    };
                }
                Projection::Field(number) => {
                    let Type::Struct(id) = ty else { unreachable!("a field belongs to a struct") };
                    text = format!("{text}.{}", self.names.field(id, *number));
                    ty = self.module.structs[id.0 as usize].fields[*number as usize].ty.clone();
                }
            }
        }
        text
    }

    /// The index of an element of scalars.
    fn first_index(&self, place: &Place) -> Option<String> {
        match place.path.first() {
            Some(Projection::Flat(index) | Projection::Index(index)) => Some(self.value(&unsigned(index.clone()))),
            _ => None,
        }
    }

    /// The byte address of a place in words.
    fn address(&self, root: &Root, place: &Place) -> String {
        let mut terms: Vec<String> = Vec::new();
        let mut constant = 0;
        let mut ty = root.element.clone();
        let mut first = root.len.is_some() || matches!(root.space, RootSpace::Storage(_));
        for projection in &place.path {
            match projection {
                Projection::Field(number) => {
                    let Type::Struct(id) = &ty else { unreachable!("a field belongs to a struct") };
                    let field = &self.module.structs[id.0 as usize].fields[*number as usize];
                    constant += field.offset as u64;
                    ty = field.ty.clone();
                }
                Projection::Flat(index) | Projection::Index(index) => {
                    if !first && let Type::Array(element, _) = &ty {
                        ty = (**element).clone();
                    }
                    first = false;
                    let bytes = self.memory.bytes(&ty);
                    let index = unsigned(index.clone());
                    match index.as_int() {
                        Some(value) => constant += bytes * u64::from(value as u32),
                        None if bytes == 1 => terms.push(self.value(&index)),
                        None => terms.push(format!("{bytes}u * {}", self.operand(&index))),
                    }
                }
            }
        }
        if constant > 0 || terms.is_empty() {
            terms.push(format!("{constant}u"));
        }
        terms.join(" + ")
    }
}
