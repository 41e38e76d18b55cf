//! One moment of a run: step, time, and the fields where they lie.

use crate::{Batch, Location};
use ferrocca_core::{AnyMemory, DType, Element, Error, Memory, Result};
use std::sync::atomic::{AtomicBool, Ordering};

/// Most dimensions of a field.
pub const MAX_DIMENSIONS: usize = 8;

/// What a hook gets after a step.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Number of steps done.
    pub step: u64,
    /// Time reached, in the solver's unit.
    pub time: f64,
    /// The fields, each under a name of its own.
    pub fields: &'a [Field<'a>],
}

impl<'a> Frame<'a> {
    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Waits for the queued work of each device whose fields the host addresses. Fields elsewhere need no wait: what a
    /// hook queues on the solver's stream comes after the work that made them.
    /// # Errors
    /// Failures of that work.
    pub fn settle(&self) -> Result<()> {
        settle(self.fields)
    }

    /// This moment as a batch of one.
    pub fn as_batch<R>(&self, call: impl FnOnce(&Batch<'_>) -> R) -> R {
        let fields: Vec<Field<'_>> = self.fields.iter().map(|field| field.stacked()).collect();
        call(&Batch { steps: &[self.step], times: &[self.time], fields: &fields })
    }

    /// Checks every field, and that no name occurs twice.
    /// # Errors
    /// Those of [`Field::check`]; [`ferrocca_core::ErrorKind::Invalid`] for a name that occurs twice.
    pub fn check(&self) -> Result<()> {
        check_fields(self.fields)
    }
}

/// See [`Frame::settle`].
pub(crate) fn settle(fields: &[Field<'_>]) -> Result<()> {
    for field in fields {
        let location = Location::on_own_device(field.memory);
        if location.is_queued && location.device.is_host() {
            field.memory.device().stream().finish()?;
        }
    }
    Ok(())
}

pub(crate) fn check_fields(fields: &[Field<'_>]) -> Result<()> {
    for (index, field) in fields.iter().enumerate() {
        field.check()?;
        if fields[..index].iter().any(|other| other.name == field.name) {
            return Err(Error::invalid(format!("field `{}` occurs twice in one frame", field.name)));
        }
    }
    Ok(())
}

/// A named view of device memory. Making one copies and allocates nothing.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    pub(crate) name: &'a str,
    pub(crate) memory: &'a AnyMemory,
    pub(crate) dimensions: usize,
    pub(crate) shape: [i64; MAX_DIMENSIONS],
    pub(crate) strides: [i64; MAX_DIMENSIONS],
    pub(crate) read_only: bool,
    /// Where it is said that a hook keeps the memory, if the solver lets it.
    pub(crate) kept: Option<&'a AtomicBool>,
}

impl<'a> Field<'a> {
    /// The whole of `memory` as one dimension, writable by hooks unless it is constant.
    pub fn new<T: Element>(name: &'a str, memory: &'a Memory<T>) -> Self {
        Self::untyped(name, memory.untyped())
    }

    /// As [`new`](Self::new), for memory whose element type is known at run time.
    pub fn untyped(name: &'a str, memory: &'a AnyMemory) -> Self {
        let one = [1; MAX_DIMENSIONS];
        let read_only = memory.is_constant();
        Self { name, memory, dimensions: 1, shape: one, strides: one, read_only, kept: None }.shape(&[memory.len()])
    }

    /// The same memory in row-major order: the last index is the fastest. `shape` counts elements;
    /// whether it fits the memory is checked when the frame is handed over.
    #[must_use]
    pub fn shape(mut self, shape: &[usize]) -> Self {
        self.set_shape(shape);
        let mut stride = 1_i64;
        for axis in (0..self.dimensions.min(MAX_DIMENSIONS)).rev() {
            self.strides[axis] = stride;
            stride = stride.saturating_mul(self.shape[axis].max(1));
        }
        self
    }

    /// A view with strides in elements, such as a field without its halo (slice the memory for the first element).
    /// Strides are not negative; whether they fit the memory is checked when the frame is handed over.
    #[must_use]
    pub fn strided(mut self, shape: &[usize], strides: &[usize]) -> Self {
        self.set_shape(shape);
        if strides.len() != shape.len() {
            // An impossible count of dimensions makes `check` refuse the field.
            self.dimensions = MAX_DIMENSIONS + 1;
        }
        for (stride, &given) in self.strides.iter_mut().zip(strides) {
            *stride = i64::try_from(given).unwrap_or(i64::MAX);
        }
        self
    }

    /// Hooks may look, but not write.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Hooks may keep it; `kept` becomes true when one does.
    pub(crate) fn keepable(mut self, kept: &'a AtomicBool) -> Self {
        self.kept = Some(kept);
        self
    }

    /// Whether [`keep`](Self::keep) answers.
    pub fn may_be_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// The memory as it is now, without a copy: the solver writes to other memory until the last handle of it is gone. It
    /// goes on reading this one, so nobody writes to it. `None` where the solver has no other memory, or the hook is one
    /// that may change the field ([`Keepable`](crate::Keepable)).
    pub fn keep(&self) -> Option<AnyMemory> {
        self.kept?.store(true, Ordering::Relaxed);
        Some(self.memory.clone())
    }

    /// Its name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Its memory.
    pub fn memory(&self) -> &'a AnyMemory {
        self.memory
    }

    /// Where its first element lies.
    pub fn location(&self) -> Location {
        Location::of(self.memory)
    }

    /// Elements along each axis, the slowest first.
    pub fn extents(&self) -> &[i64] {
        &self.shape[..self.dimensions.min(MAX_DIMENSIONS)]
    }

    /// Elements from one index to the next along each axis.
    pub fn strides(&self) -> &[i64] {
        &self.strides[..self.dimensions.min(MAX_DIMENSIONS)]
    }

    /// Whether hooks may not write it.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Checks that shape and strides stay inside the memory.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] naming the field, its shape and its memory's length;
    /// [`ferrocca_core::ErrorKind::Invalid`] for more than [`MAX_DIMENSIONS`] dimensions, or strides of another
    /// number than the shape's; [`ferrocca_core::ErrorKind::Unsupported`] for elements that are structs other than complex
    /// numbers, which array libraries do not exchange.
    pub fn check(&self) -> Result<()> {
        let Self { name, shape, strides, .. } = self;
        if self.dimensions > MAX_DIMENSIONS {
            return Err(Error::invalid(format!(
                "field `{name}`: a shape of at most {MAX_DIMENSIONS} dimensions and as many strides are expected"
            )));
        }
        if let (DType::Struct(layout), None) = (self.memory.dtype(), self.memory.dtype().complex_of()) {
            return Err(Error::unsupported(
                format!("field `{name}` of structs `{}`", layout.name),
                "a hook takes numbers: cast the memory, or hand over each component",
            ));
        }
        let shape = &shape[..self.dimensions];
        if shape.contains(&0) {
            return Ok(());
        }
        let last = shape
            .iter()
            .zip(strides)
            .try_fold(0_i64, |last, (&extent, &stride)| extent.checked_sub(1)?.checked_mul(stride)?.checked_add(last));
        match last {
            Some(last) if (last as u64) < self.memory.len() as u64 => Ok(()),
            _ => Err(Error::out_of_bounds(format!(
                "field `{name}` of shape {shape:?} and strides {:?} reaches past its memory of {} elements",
                &strides[..self.dimensions],
                self.memory.len()
            ))),
        }
    }

    /// The same memory with one axis more, of extent 1, before the others.
    fn stacked(&self) -> Self {
        let mut field = *self;
        field.dimensions += 1;
        let axes = 1..field.dimensions.min(MAX_DIMENSIONS);
        field.shape[axes.clone()].copy_from_slice(&self.shape[..axes.len()]);
        field.strides[axes.clone()].copy_from_slice(&self.strides[..axes.len()]);
        (field.shape[0], field.strides[0]) = (1, self.shape[0].saturating_mul(self.strides[0]));
        field
    }

    /// The memory from entry `row` of the first axis on.
    pub(crate) fn first_row_on(&self, row: usize) -> Result<AnyMemory> {
        let start = row.saturating_mul(self.strides[0] as usize);
        self.memory.slice(start..self.memory.len())
    }

    /// The same view of other memory, with another extent of the first axis.
    pub(crate) fn rows_in<'m>(&self, memory: &'m AnyMemory, rows: usize) -> Field<'m>
    where
        'a: 'm,
    {
        let mut field = Field { memory, ..*self };
        field.shape[0] = rows as i64;
        field
    }

    fn set_shape(&mut self, shape: &[usize]) {
        self.dimensions = shape.len();
        for (extent, &given) in self.shape.iter_mut().zip(shape) {
            *extent = i64::try_from(given).unwrap_or(i64::MAX);
        }
    }
}

impl std::fmt::Debug for Field<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let access = if self.read_only { " read-only" } else { "" };
        write!(f, "Field({} {} {:?}{access})", self.name, self.memory.dtype(), self.extents())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ferrocca_core::Device;

    fn refusal(field: Field<'_>) -> String {
        field.check().unwrap_err().to_string()
    }

    #[test]
    fn a_view_stays_inside_its_memory() {
        let device = Device::open_with(&ferrocca_conformance::null::NullBackend::new(), ()).unwrap();
        let memory = device.malloc::<f64>(12).unwrap();
        let field = || Field::new("u", &memory);
        assert_eq!((field().extents(), field().strides()), (&[12][..], &[1][..]));
        assert_eq!(field().shape(&[3, 4]).strides(), [4, 1]);
        for good in [
            field(),
            field().shape(&[3, 4]),
            field().shape(&[0, 5]),
            field().shape(&[]),
            field().strided(&[2, 2], &[6, 5]),
            field().strided(&[3, 4], &[1, 3]),
        ] {
            good.check().unwrap();
        }
        assert!(refusal(field().shape(&[3, 5])).contains("shape [3, 5]"));
        assert!(refusal(field().strided(&[2, 2], &[6, 6])).contains("12 elements"));
        assert!(refusal(field().shape(&[usize::MAX, 2])).contains("reaches past"));
        assert!(refusal(field().shape(&[1; MAX_DIMENSIONS + 1])).contains("at most 8"));
        assert!(refusal(field().strided(&[2, 2], &[1])).contains("as many strides"));
    }

    #[test]
    fn names_of_a_frame_are_distinct() {
        let device = Device::open_with(&ferrocca_conformance::null::NullBackend::new(), ()).unwrap();
        let memory = device.malloc::<f32>(1).unwrap();
        let fields = [Field::new("u", &memory), Field::new("u", &memory).read_only()];
        let frame = Frame { step: 1, time: 0.0, fields: &fields };
        assert!(frame.check().unwrap_err().to_string().contains("`u` occurs twice"));
        assert!(frame.field("u").is_some() && frame.field("v").is_none());
    }
}
