//! The memory that places name.

use super::body::{Body, Home};
use super::sites::What;
use crate::ir::{Expr, Place, Pointer, Projection, Scalar, Type, bytes_of};

/// Where a place lies: a pointer, and the bytes from it on.
pub(super) struct Spot {
    pub(super) pointer: String,
    pub(super) offset: String,
    pub(super) site: usize,
}

/// What a path has reached.
struct Cursor<'m> {
    element: &'m Type,
    dims: &'m [u32],
    rows: bool,
}

impl<'m> Cursor<'m> {
    fn new(ty: &'m Type) -> Self {
        match ty {
            Type::Array(element, dims) => Self { element, dims, rows: false },
            Type::Pointer(Pointer { element, dims, .. }) => Self { element, dims, rows: true },
            _ => Self { element: ty, dims: &[], rows: false },
        }
    }
}

impl<'m> Body<'_, 'm, '_, '_> {
    /// Whether a place is a variable in a register.
    pub(super) fn is_register(&self, place: &Place) -> bool {
        place.path.is_empty() && self.home(place.root) == Home::Register
    }

    /// Where a place lies.
    pub(super) fn spot(&mut self, place: &'m Place) -> Spot {
        let site = self.access(place.root, place.span);
        let mut cursor = Cursor::new(&self.body.var(place.root).ty);
        let (mut fixed, mut moving): (u64, Option<String>) = (0, None);
        for projection in &place.path {
            let moved = match projection {
                Projection::Index(index) => {
                    let index = self.integer(index);
                    self.subscript(place, &mut cursor, &index, site)
                }
                Projection::Flat(index) => {
                    let index = self.integer(index);
                    cursor = Cursor { element: cursor.element, dims: &[], rows: false };
                    format!("okl_scaled({index}, {}, {site}u)", bytes_of(self.text.module, cursor.element))
                }
                Projection::Field(number) => {
                    let Type::Struct(id) = cursor.element else { unreachable!("a field belongs to a struct") };
                    let field = &self.text.module.structs[id.0 as usize].fields[*number as usize];
                    cursor = Cursor::new(&field.ty);
                    fixed += field.offset as u64;
                    continue;
                }
            };
            moving = Some(match moving {
                Some(before) => format!("okl_sum({before}, {moved}, {site}u)"),
                None => moved,
            });
        }
        let offset = match (moving, fixed) {
            (None, fixed) => fixed.to_string(),
            (Some(moving), 0) => self.hold("int64_t", moving),
            (Some(moving), fixed) => self.hold("int64_t", format!("okl_sum({moving}, {fixed}, {site}u)")),
        };
        Spot { pointer: format!("&{}", self.pointer(place.root)), offset, site }
    }

    /// Bytes that one subscript moves by.
    fn subscript(&mut self, place: &Place, cursor: &mut Cursor<'m>, index: &str, site: usize) -> String {
        let element = bytes_of(self.text.module, cursor.element);
        let stride = |dims: &[u32]| dims.iter().fold(element, |n, &dim| n.saturating_mul(u64::from(dim)));
        if cursor.rows {
            cursor.rows = false;
            return format!("okl_scaled({index}, {}, {site}u)", stride(cursor.dims));
        }
        let Some((&size, rest)) = cursor.dims.split_first() else { unreachable!("a subscript has a dimension") };
        cursor.dims = rest;
        let name = self.body.var(place.root).name.clone();
        let dimension = self.site(place.span, What::Dimension { name, size });
        format!("okl_dimension({index}, {size}, {dimension}u) * {}", stride(rest))
    }

    /// An integer as a 64-bit one.
    fn integer(&mut self, index: &'m Expr) -> String {
        let value = self.value(index);
        if index.ty == Type::Scalar(Scalar::U64) {
            let site = self.site(index.span, What::Index { ty: Scalar::I64 });
            return format!("okl_index_of_u64({value}, {site}u)");
        }
        format!("(int64_t){value}")
    }

    /// The value of a place.
    pub(super) fn load(&mut self, place: &'m Place) -> String {
        if self.is_register(place) {
            let name = self.register(place.root);
            if let Some(flag) = self.flag(place.root) {
                let site = self.access(place.root, place.span);
                self.out.line(format!("if (!{flag}) okl_fail(OKL_UNINITIALISED, {site}u, 0, 0, 0);"));
            }
            return name;
        }
        let Spot { pointer, offset, site } = self.spot(place);
        let is_settled = self.settled.contains(&place.root) && place.ty.scalar().is_some();
        let load = if is_settled { "look" } else { "load" };
        let call = format!("okl_{load}_{}({pointer}, {offset}, {site}u)", Self::tag(&place.ty));
        self.hold(&Self::value_type(&place.ty), call)
    }

    /// Writes a value to a place.
    pub(super) fn store(&mut self, place: &'m Place, spot: Option<Spot>, value: &str) {
        if self.is_register(place) {
            if self.region.is_some() && self.of_group.contains(&place.root) {
                let site = self.access(place.root, place.span);
                self.out.line(format!("okl_fail(OKL_GROUP_VARIABLE, {site}u, 0, 0, 0);"));
            }
            return self.set(place.root, value);
        }
        let spot = spot.unwrap_or_else(|| self.spot(place));
        let Spot { pointer, offset, site } = spot;
        let hole = match &place.ty {
            Type::Struct(_) => {
                let name = format!("a field of the struct that `{}` takes", self.body.var(place.root).name);
                format!(", {}u", self.site(place.span, What::Access { name, element: 1 }))
            }
            _ => String::new(),
        };
        let tag = Self::tag(&place.ty);
        self.out.line(format!("okl_store_{tag}({pointer}, {offset}, {value}, {site}u{hole});"));
    }
}
