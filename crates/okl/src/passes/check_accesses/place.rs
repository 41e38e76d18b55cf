//! The places of a body: where a check stands in a path, and what it compares with.

use super::helpers::Check;
use super::{Extent, InBody};
use crate::ir::rewrite::rewrite_place;
use crate::ir::{
    BinaryOp, Expr, ExprKind, Initializer, Literal, Place, Projection, Role, Scalar, Stmt, StmtKind, StructId, Type,
    VarId, build,
};
use crate::source::Span;

/// What subscripts choose from.
#[derive(Clone, Copy)]
pub(super) enum Elements {
    /// An array of so many.
    Array(u64),
    /// What a pointer parameter leads to.
    Memory(VarId),
}

/// A part of a path.
enum Part {
    Field(u32),
    /// All subscripts of an array or pointer: as they stand, and as one number.
    Subscripts {
        elements: Elements,
        index: Expr,
        stand: Vec<Projection>,
    },
}

/// A path in parts, and what subscripts behind it would choose from.
struct Parts {
    parts: Vec<Part>,
    end: Option<Elements>,
}

impl InBody<'_, '_> {
    /// Checks a place that is read.
    pub(super) fn read(&mut self, place: &mut Place) {
        let is_checked = self.is_checked(place);
        let parts = self.parts(place).parts;
        self.read_parts(place, parts, is_checked);
    }

    /// The variables that hold the indices of a place that is written, and the conditions under which it may be.
    pub(super) fn written(&mut self, place: &mut Place) -> (Vec<Stmt>, Vec<Expr>) {
        if !self.is_checked(place) {
            self.read(place);
            return (Vec::new(), Vec::new());
        }
        let (mut stmts, mut conditions) = (Vec::new(), Vec::new());
        for part in self.parts(place).parts {
            place.path.push(match part {
                Part::Field(number) => Projection::Field(number),
                Part::Subscripts { elements, index, .. } => {
                    let variable = self.pass.variable(index.ty.clone(), Role::Local, place.span);
                    let at = build::fresh(self.body, "at", variable);
                    stmts.push(build::stmt(StmtKind::Declare { var: at, init: Some(Initializer::Value(index)) }));
                    let index = build::load(self.body, at);
                    conditions.push(self.check(Check::Inside, index, &elements, place.root, place.span));
                    Projection::Flat(build::load(self.body, at))
                }
            });
        }
        (stmts, conditions)
    }

    /// Checks what a place whose address is passed on leads through; where the pointer leads, the function asks.
    pub(super) fn passed(&mut self, place: &mut Place) {
        let is_checked = self.is_checked(place);
        let mut parts = self.parts(place).parts;
        let last = parts.pop_if(|part| matches!(part, Part::Subscripts { .. }));
        self.read_parts(place, parts, is_checked);
        self.read_parts(place, last, false);
        if let ([], Some(first)) = (place.path.as_slice(), self.first(place.root)) {
            place.path.push(Projection::Flat(first));
        }
    }

    /// The same for a function that is told how many elements lie before the pointer, and how many there are: it is
    /// given the address of the first one.
    pub(super) fn pointed(&mut self, place: &mut Place) -> [Expr; 2] {
        let is_checked = self.is_checked(place);
        let Parts { mut parts, end } = self.parts(place);
        let last = parts.pop_if(|part| matches!(part, Part::Subscripts { .. }));
        self.read_parts(place, parts, is_checked);
        let (ty, whole) = (self.pass.means.index, place.path.is_empty());
        let zero = || Expr::int(0, ty, Span::default());
        let (first, elements) = match (last, end) {
            (Some(Part::Subscripts { elements, index, .. }), _) => (build::convert(index, ty), elements),
            // A whole array, or all that a pointer leads to.
            (_, Some(elements)) => (self.first(place.root).filter(|_| whole).unwrap_or_else(zero), elements),
            // One variable, or a field of one.
            _ => return [zero(), Expr::int(1, ty, Span::default())],
        };
        place.path.push(Projection::Flat(zero()));
        [first, self.length(&elements)]
    }

    fn is_checked(&self, place: &Place) -> bool {
        self.pass.places.contains(place)
    }

    /// Puts parts back behind a place's path.
    fn read_parts(&mut self, place: &mut Place, parts: impl IntoIterator<Item = Part>, is_checked: bool) {
        for part in parts {
            match part {
                Part::Field(number) => place.path.push(Projection::Field(number)),
                Part::Subscripts { elements, index, .. } if is_checked => {
                    let index = self.check(Check::Index, index, &elements, place.root, place.span);
                    place.path.push(Projection::Flat(index));
                }
                Part::Subscripts { elements: Elements::Memory(var), index, .. } if self.first(var).is_some() => {
                    place.path.push(Projection::Flat(index));
                }
                Part::Subscripts { stand, .. } => place.path.extend(stand),
            }
        }
    }

    /// Takes the path of a place apart, once what stands in its subscripts is checked.
    fn parts(&mut self, place: &mut Place) -> Parts {
        rewrite_place(self, place);
        let ty = &self.body.var(place.root).ty;
        let (mut ty, mut elements) = (ty.clone(), elements_of(ty, place.root));
        let mut parts = Vec::new();
        let mut path = std::mem::take(&mut place.path).into_iter().peekable();
        while let Some(projection) = path.next() {
            if let Projection::Field(number) = projection {
                let Type::Struct(StructId(id)) = element_of(&ty) else { unreachable!("a field belongs to a struct") };
                ty = self.pass.structs[*id as usize].fields[number as usize].ty.clone();
                elements = elements_of(&ty, place.root);
                parts.push(Part::Field(number));
                continue;
            }
            let mut stand = vec![projection];
            while let Some(next) = path.next_if(|next| !matches!(next, Projection::Field(_))) {
                stand.push(next);
            }
            let Some(elements) = elements.take() else { unreachable!("subscripts stand behind an array or pointer") };
            let index = self.linear(&ty, elements, &stand);
            parts.push(Part::Subscripts { elements, index, stand });
        }
        Parts { parts, end: elements }
    }

    /// Subscripts as the number of elements from the start of the memory.
    fn linear(&self, ty: &Type, elements: Elements, stand: &[Projection]) -> Expr {
        let strides = if matches!(stand, [Projection::Flat(_)]) { vec![1] } else { strides_of(ty) };
        // Memory may have its length in 32 bits, too; an array has few elements.
        let is_short = match elements {
            Elements::Array(length) => strides == [1] && length <= 1 << 31,
            Elements::Memory(var) => self.extents.get(&var).is_some_and(|extent| extent.narrow.is_some()),
        };
        if let Some(narrow) = narrow(stand).filter(|_| is_short) {
            return narrow.clone();
        }
        let subscripts = stand.iter().filter_map(subscript);
        let moved = subscripts.zip(strides).map(|(subscript, stride)| {
            let subscript = build::convert(subscript.clone(), Scalar::I64);
            if stride == 1 { subscript } else { times(subscript, stride, Scalar::I64) }
        });
        let first = match elements {
            Elements::Memory(var) => self.first(var).map(|first| build::convert(first, Scalar::I64)),
            Elements::Array(_) => None,
        };
        let sum = first.into_iter().chain(moved).reduce(|a, b| build::binary(BinaryOp::Add, a, b, Scalar::I64));
        let sum = sum.unwrap_or_else(|| Expr::int(0, Scalar::I64, Span::default()));
        if self.pass.means.index == Scalar::I64 { sum } else { in_32_bits(&sum) }
    }

    /// The number of elements before the one that a variable leads to, where a function was told one.
    fn first(&self, var: VarId) -> Option<Expr> {
        let Extent { first, .. } = self.extents.get(&var)?;
        first.map(|first| build::load(self.body, first))
    }

    pub(super) fn length(&self, elements: &Elements) -> Expr {
        match elements {
            Elements::Array(length) => Expr::int(*length as i64, self.pass.means.index, Span::default()),
            Elements::Memory(var) => match self.extents.get(var).and_then(|extent| extent.length) {
                Some(length) => build::load(self.body, length),
                None => unreachable!("whoever asks for a length has been given it"),
            },
        }
    }
}

/// The subscript of 32 bits with which a place begins, where no other one follows it.
pub(super) fn narrow_subscript(place: &Place) -> Option<&Expr> {
    let end = place.path.iter().position(|projection| matches!(projection, Projection::Field(_)));
    narrow(&place.path[..end.unwrap_or(place.path.len())])
}

fn narrow(stand: &[Projection]) -> Option<&Expr> {
    match stand {
        [Projection::Index(subscript) | Projection::Flat(subscript)] if subscript.ty == Type::Scalar(Scalar::I32) => {
            Some(subscript)
        }
        _ => None,
    }
}

fn subscript(projection: &Projection) -> Option<&Expr> {
    match projection {
        Projection::Index(subscript) | Projection::Flat(subscript) => Some(subscript),
        Projection::Field(_) => None,
    }
}

/// A sum of 64 bits for a target without them: -1 where it does not fit 32. Its low half is exact, and differs from it by a
/// multiple of 2³², which `float` tells from none as long as the parts of the sum are below 2⁵⁴.
fn in_32_bits(sum: &Expr) -> Expr {
    let low = build::narrow(sum);
    let is_sum = matches!(low.kind, ExprKind::Binary(..));
    let low = build::convert(low, Scalar::I32);
    if !is_sum {
        return low;
    }
    let stored = build::convert(build::convert(low.clone(), Scalar::U32), Scalar::F32);
    let lost = build::binary(BinaryOp::Sub, in_float(sum), stored, Scalar::F32);
    let bound = |of: f64| Expr { kind: ExprKind::Literal(Literal::Float(of)), ty: Scalar::F32.into(), span: sum.span };
    let half = 2f64.powi(31);
    let fits = build::and(
        build::compare(BinaryOp::Lt, lost.clone(), bound(half)),
        build::compare(BinaryOp::Gt, lost, bound(-half)),
    );
    build::select(fits, low, Expr::int(-1, Scalar::I32, sum.span))
}

/// A sum of 64 bits, rounded.
fn in_float(sum: &Expr) -> Expr {
    let is_wide = sum.ty.scalar().is_some_and(|ty| ty.bytes() == 8);
    match &sum.kind {
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b) if is_wide => {
            build::binary(*op, in_float(a), in_float(b), Scalar::F32)
        }
        ExprKind::Cast { value, .. } if is_wide && value.ty.scalar().is_some_and(Scalar::is_integer) => in_float(value),
        _ => build::convert(sum.clone(), Scalar::F32),
    }
}

fn elements_of(ty: &Type, root: VarId) -> Option<Elements> {
    match ty {
        Type::Array(..) => Some(Elements::Array(ty.len())),
        Type::Pointer(_) => Some(Elements::Memory(root)),
        _ => None,
    }
}

fn element_of(ty: &Type) -> &Type {
    match ty {
        Type::Array(element, _) => element,
        Type::Pointer(pointer) => &pointer.element,
        other => other,
    }
}

/// Elements that each subscript moves by.
fn strides_of(ty: &Type) -> Vec<u64> {
    let (dims, is_pointer) = match ty {
        Type::Array(_, dims) => (dims.as_slice(), false),
        Type::Pointer(pointer) => (pointer.dims.as_slice(), true),
        _ => (&[] as &[u32], false),
    };
    let mut strides: Vec<u64> =
        (0..dims.len()).map(|at| dims[at + 1..].iter().map(|&dim| u64::from(dim)).product()).collect();
    if is_pointer {
        strides.insert(0, dims.iter().map(|&dim| u64::from(dim)).product());
    }
    strides
}

fn times(value: Expr, factor: u64, ty: Scalar) -> Expr {
    build::binary(BinaryOp::Mul, value, Expr::int(factor as i64, ty, Span::default()), ty)
}
