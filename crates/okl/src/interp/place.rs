//! The memory that places name: where it lies, and its checked reads and writes.

use super::Accessed;
use super::fault::FaultKind;
use super::layout::{Home, for_each_scalar, size_of};
use super::machine::{Frame, Machine, Result, Value, indices};
use super::memory::{Pointer, Space};
use super::race::{Access, GROUP_LEVEL, Kind};
use crate::ir::value::{ScalarValue, Trap};
use crate::ir::{Expr, Place, Projection, Role, Scalar, Type, VarId};
use crate::source::Span;

/// What a path has reached: elements, the dimensions still to be subscripted, and whether rows come first.
struct Cursor<'a> {
    element: &'a Type,
    dims: &'a [u32],
    rows: bool,
}

impl<'a> Cursor<'a> {
    fn new(ty: &'a Type) -> Self {
        match ty {
            Type::Array(element, dims) => Self { element, dims, rows: false },
            Type::Pointer(pointer) => Self { element: &pointer.element, dims: &pointer.dims, rows: true },
            _ => Self { element: ty, dims: &[], rows: false },
        }
    }
}

impl<'a> Machine<'a> {
    /// Reads a scalar from where a place leads.
    pub(super) fn load_scalar(&mut self, frame: &Frame<'a>, place: &'a Place) -> Result<ScalarValue> {
        let Type::Scalar(ty) = place.ty else {
            return self.fault(FaultKind::Invalid("a scalar place is expected here"), place.span);
        };
        let pointer = self.resolve(frame, place)?;
        self.touch(frame, place, &pointer, ty.bytes(), Kind::Read)?;
        if !self.memory.is_written(&pointer, ty.bytes()) {
            return self.fault(FaultKind::Uninitialised { name: frame.name(place.root).into() }, place.span);
        }
        match ScalarValue::from_bytes(ty, self.memory.read(&pointer, ty.bytes())) {
            Some(value) => Ok(value),
            None => self.fault(FaultKind::Invalid("a place without memory"), place.span),
        }
    }

    /// Writes a scalar or struct to where a place leads.
    pub(super) fn store(&mut self, frame: &Frame<'a>, place: &'a Place, value: &Value) -> Result<()> {
        let pointer = self.resolve(frame, place)?;
        let bytes = size_of(&place.ty, self.module);
        self.touch(frame, place, &pointer, bytes, Kind::Write)?;
        self.write(frame, place, &pointer, value)
    }

    /// Writes what [`Self::touch`] has allowed.
    pub(super) fn write(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
        pointer: &Pointer,
        value: &Value,
    ) -> Result<()> {
        let stored = match value {
            Value::Scalar(value) if place.ty == Type::Scalar(value.ty()) => {
                self.memory.write(pointer, &value.to_bytes()[..value.ty().bytes()])
            }
            Value::Struct(bytes, written) if bytes.len() == size_of(&place.ty, self.module) => {
                let stored = self.memory.write(pointer, bytes);
                if let Some(written) = written {
                    self.refuse_holes_in_global(frame, place, pointer, written)?;
                    self.memory.mark(pointer, written);
                }
                stored
            }
            _ => {
                return self.fault(FaultKind::Invalid("a value of another type is assigned"), place.span);
            }
        };
        if stored { Ok(()) } else { self.fault(FaultKind::Invalid("constant memory is assigned"), place.span) }
    }

    /// Where global memory counts as written, a struct may go there only when all its fields were.
    fn refuse_holes_in_global(
        &self,
        frame: &Frame<'a>,
        place: &'a Place,
        pointer: &Pointer,
        written: &[bool],
    ) -> Result<()> {
        let mut has_hole = false;
        for_each_scalar(&place.ty, self.module, 0, &mut |ty, at| {
            has_hole |= written.get(at..at + ty.bytes()).is_none_or(|flags| flags.contains(&false));
        });
        let counts_as_written = matches!(pointer.space, Space::Global(_)) && self.memory.written(pointer, 0).is_none();
        if has_hole && self.options.checks && counts_as_written {
            let name = format!("a field of the struct that `{}` takes", frame.name(place.root));
            return self.fault(FaultKind::Uninitialised { name }, place.span);
        }
        Ok(())
    }

    /// Checks bounds, group variables and races for an access to `bytes` bytes.
    pub(super) fn touch(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
        pointer: &Pointer,
        bytes: usize,
        kind: Kind,
    ) -> Result<()> {
        let name = || frame.name(place.root).to_owned();
        if pointer.space == Space::Null {
            return self.fault(FaultKind::Null { name: name() }, place.span);
        }
        if !pointer.covers(bytes) {
            let element = self.element_bytes(frame, place.root);
            let (byte, bytes) = (pointer.at.saturating_sub(pointer.lo), pointer.hi - pointer.lo);
            return self.fault(FaultKind::OutOfBounds { name: name(), byte, bytes, element }, place.span);
        }
        if kind != Kind::Read && self.is_group_variable(pointer) {
            return self.fault(FaultKind::GroupVariable { name: name() }, place.span);
        }
        match pointer.space {
            Space::Global(buffer) => self.record(frame, place, pointer, Some(buffer), bytes, kind),
            Space::Shared => self.record(frame, place, pointer, None, bytes, kind),
            _ => Ok(()),
        }
    }

    /// Size of what a variable points to, or is an array of.
    fn element_bytes(&self, frame: &Frame<'a>, root: VarId) -> i64 {
        let element = frame.body.vars.get(root.0 as usize).map(|variable| match &variable.ty {
            Type::Pointer(pointer) => pointer.element.as_ref(),
            Type::Array(element, _) => element.as_ref(),
            other => other,
        });
        element.map_or(1, |element| size_of(element, self.module).max(1) as i64)
    }

    /// Records an access that other items can see; `buffer` is `None` for shared memory.
    fn record(
        &mut self,
        frame: &Frame<'a>,
        place: &'a Place,
        pointer: &Pointer,
        buffer: Option<usize>,
        bytes: usize,
        kind: Kind,
    ) -> Result<()> {
        if let (true, Some(buffer)) = (self.options.trace, buffer) {
            let (launch, group) = (self.report.launches.len().saturating_sub(1), self.at.group);
            let (byte, writes) = (pointer.at as usize, kind != Kind::Read);
            self.report.accesses.push(Accessed { launch, group, buffer, byte, writes });
        }
        if matches!(frame.body.var(place.root).role, Role::Exchange(_)) {
            return Ok(());
        }
        let (group, phase, item) = (self.at.group, self.at.phase, self.at.item.unwrap_or(GROUP_LEVEL));
        let access = Access { place: place.span, kind, group, phase, item };
        let recorded = self.shadow.as_mut().map_or(Ok(()), |s| s.record(buffer, pointer.at as usize, bytes, access));
        recorded.or_else(|other| {
            let other_item = self.describe(&other);
            let (writes, other_writes) = (kind != Kind::Read, other.kind != Kind::Read);
            let (byte, element) = (pointer.at.saturating_sub(pointer.lo), self.element_bytes(frame, place.root));
            let has_several = pointer.hi - pointer.lo > element;
            self.fault(
                FaultKind::Race {
                    name: frame.name(place.root).to_owned(),
                    index: has_several.then(|| byte.div_euclid(element)),
                    writes,
                    other: other.place,
                    other_item,
                    other_writes,
                },
                place.span,
            )
        })
    }

    fn describe(&self, access: &Access<Span>) -> String {
        let group = indices(u64::from(access.group), self.at.outer);
        match access.item {
            GROUP_LEVEL => format!("group {group:?} outside of its inner loops"),
            item => format!("group {group:?}, item {:?}", indices(u64::from(item), self.at.inner)),
        }
    }

    /// Where a place lies. Subscripts of known dimensions are checked here, the whole extent by [`Self::touch`].
    pub(super) fn resolve(&mut self, frame: &Frame<'a>, place: &'a Place) -> Result<Pointer> {
        let mut pointer = self.root(frame, place)?;
        if place.path.is_empty() {
            return Ok(pointer);
        }
        let Some(variable) = frame.body.vars.get(place.root.0 as usize) else {
            return self.fault(FaultKind::Invalid("no such variable"), place.span);
        };
        let mut cursor = Cursor::new(&variable.ty);
        for projection in &place.path {
            let moved = match projection {
                Projection::Index(index) => {
                    let k = self.index(frame, index)?;
                    self.subscript(frame, place, &mut cursor, k)?
                }
                Projection::Flat(index) => {
                    let k = self.index(frame, index)?;
                    cursor = Cursor { element: cursor.element, dims: &[], rows: false };
                    k.checked_mul(size_of(cursor.element, self.module) as i64)
                }
                Projection::Field(number) => {
                    let field = match cursor.element {
                        Type::Struct(id) => self.module.structs.get(id.0 as usize),
                        _ => None,
                    }
                    .and_then(|s| s.fields.get(*number as usize));
                    let Some(field) = field else {
                        return self.fault(FaultKind::Invalid("no such field"), place.span);
                    };
                    cursor = Cursor::new(&field.ty);
                    i64::try_from(field.offset).ok()
                }
            };
            match moved.and_then(|bytes| pointer.at.checked_add(bytes)) {
                Some(at) => pointer.at = at,
                None => {
                    let trap = Trap::Overflow(Scalar::I64);
                    return self.fault(FaultKind::Arithmetic(trap), place.span);
                }
            }
        }
        Ok(pointer)
    }

    fn index(&mut self, frame: &Frame<'a>, index: &'a Expr) -> Result<i64> {
        match self.scalar(frame, index)?.as_i64() {
            Some(value) => Ok(value),
            None => self.fault(FaultKind::Arithmetic(Trap::Overflow(Scalar::I64)), index.span),
        }
    }

    /// Bytes that one subscript moves by; `None` where they overflow.
    fn subscript(
        &self,
        frame: &Frame<'a>,
        place: &'a Place,
        cursor: &mut Cursor<'a>,
        index: i64,
    ) -> Result<Option<i64>> {
        if cursor.rows {
            cursor.rows = false;
        } else if let Some((&size, rest)) = cursor.dims.split_first() {
            if index < 0 || index >= i64::from(size) {
                let name = frame.name(place.root).to_owned();
                return self.fault(FaultKind::Dimension { name, index, size }, place.span);
            }
            cursor.dims = rest;
        } else {
            return self.fault(FaultKind::Invalid("a subscript too many"), place.span);
        }
        let element = size_of(cursor.element, self.module) as i64;
        let stride = cursor.dims.iter().try_fold(element, |n, &d| n.checked_mul(i64::from(d)));
        Ok(stride.and_then(|stride| stride.checked_mul(index)))
    }

    fn root(&self, frame: &Frame<'a>, place: &'a Place) -> Result<Pointer> {
        self.variable(frame, place.root, place.span)
    }

    /// The memory of a variable; for a pointer parameter, what it points to.
    pub(super) fn variable(&self, frame: &Frame<'a>, id: VarId, span: Span) -> Result<Pointer> {
        let (space, base, offset, bytes) = match frame.home(id) {
            Home::Frame { offset, bytes } => (Space::Stack, frame.base, offset, bytes),
            Home::Pointer(number) => {
                let pointer = frame.pointers.get(number).copied();
                return pointer.map_or_else(|| self.fault(FaultKind::Invalid("a pointer was not passed"), span), Ok);
            }
            Home::Shared { offset, bytes } => (Space::Shared, 0, offset, bytes),
            Home::Exclusive { offset, bytes } => match self.at.item {
                Some(item) => (Space::Exclusive, item as usize * frame.layout.exclusive_bytes, offset, bytes),
                None => {
                    return self.fault(FaultKind::Invalid("an exclusive variable outside of inner loops"), span);
                }
            },
            Home::Storage(number) => {
                let pointer = self.pointers.get(number).copied();
                return pointer.map_or_else(|| self.fault(FaultKind::Invalid("a pointer was not passed"), span), Ok);
            }
            Home::Private { offset, bytes } => {
                let item = self.at.item.map_or(self.at.inner.iter().product::<u64>() as usize, |item| item as usize);
                (Space::Exclusive, item * self.at.exclusive_bytes, offset, bytes)
            }
            Home::Scratch { before, bytes } => {
                let items = self.at.inner.iter().product::<u64>() as usize;
                (Space::Exclusive, 0, before.saturating_mul(items), bytes.saturating_mul(items))
            }
            Home::Constant { offset, bytes } => (Space::Constant, 0, offset, bytes),
            Home::Nowhere => {
                return self.fault(FaultKind::Invalid("a variable without memory"), span);
            }
        };
        let lo = (base + offset) as i64;
        Ok(Pointer { space, at: lo, lo, hi: lo + bytes as i64 })
    }

    /// Whether a write there would be one item's to what its group has in common.
    pub(super) fn is_group_variable(&self, pointer: &Pointer) -> bool {
        pointer.space == Space::Stack && self.at.item.is_some() && (pointer.at as usize) < self.at.item_start
    }
}
