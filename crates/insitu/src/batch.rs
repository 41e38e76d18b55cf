//! Many moments of a run at a time, for hooks that only look.

use crate::Field;
use crate::frame::{check_fields, settle};
use ferrocca_core::{AnyMemory, Error, Result};
use std::ops::Range;

/// Consecutive steps among those that a hook wants, and the fields after each of them.
///
/// The first axis of every field counts the steps: a field that has shape `[n, m]` in a [`Frame`](crate::Frame) has
/// `[steps.len(), n, m]` here.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// Number of steps done, for each moment.
    pub steps: &'a [u64],
    /// Time reached, in the solver's unit, for each moment.
    pub times: &'a [f64],
    /// The fields, each under a name of its own.
    pub fields: &'a [Field<'a>],
}

impl<'a> Batch<'a> {
    /// Number of moments.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there is no moment.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The field of that name.
    pub fn field(&self, name: &str) -> Option<&Field<'a>> {
        self.fields.iter().find(|field| field.name() == name)
    }

    /// Step and time of each moment.
    pub fn moments(&self) -> impl Iterator<Item = (u64, f64)> + use<'_, 'a> {
        self.steps.iter().copied().zip(self.times.iter().copied())
    }

    /// As [`Frame::settle`](crate::Frame::settle).
    /// # Errors
    /// Failures of the queued work.
    pub fn settle(&self) -> Result<()> {
        settle(self.fields)
    }

    /// Checks every field, that no name occurs twice, and that each field has as many moments as the batch.
    /// # Errors
    /// Those of [`Field::check`]; [`ferrocca_core::ErrorKind::Invalid`] for a name that occurs twice or another number
    /// of moments.
    pub fn check(&self) -> Result<()> {
        check_fields(self.fields)?;
        let count = self.len();
        if self.times.len() != count {
            return Err(Error::invalid(format!("a batch of {count} steps has {} times", self.times.len())));
        }
        match self.fields.iter().find(|field| field.extents().first() != Some(&(count as i64))) {
            None => Ok(()),
            Some(field) => Err(Error::invalid(format!(
                "field `{}` of shape {:?} in a batch of {count} steps: the first axis counts them",
                field.name(),
                field.extents()
            ))),
        }
    }

    /// Calls `call` with each run of moments for which `due` holds, which has one entry for each moment.
    pub(crate) fn runs(&self, due: &[bool], mut call: impl FnMut(&Batch<'_>) -> Result<()>) -> Result<()> {
        if due.iter().all(|due| *due) {
            return if self.is_empty() { Ok(()) } else { call(self) };
        }
        let mut start = 0;
        for run in due.chunk_by(|a, b| a == b) {
            let moments = start..start + run.len();
            start = moments.end;
            if run[0] {
                self.part(moments, &mut call)?;
            }
        }
        Ok(())
    }

    fn part(&self, moments: Range<usize>, call: &mut impl FnMut(&Batch<'_>) -> Result<()>) -> Result<()> {
        let slices = self.fields.iter().map(|field| field.first_row_on(moments.start));
        let slices = slices.collect::<Result<Vec<AnyMemory>>>()?;
        let rows = self.fields.iter().zip(&slices).map(|(field, memory)| field.rows_in(memory, moments.len()));
        let fields: Vec<Field<'_>> = rows.collect();
        call(&Batch { steps: &self.steps[moments.clone()], times: &self.times[moments], fields: &fields })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frame;
    use ferrocca_core::Device;

    #[test]
    fn parts_of_a_batch_show_their_own_rows() {
        let device = Device::open_with(&ferrocca_conformance::null::NullBackend::new(), ()).unwrap();
        let values: Vec<i32> = (0..20).collect();
        let (memory, wide) = (device.malloc_from(&values).unwrap(), device.malloc_from(&values).unwrap());
        let fields = [Field::new("u", &memory).shape(&[5, 4]), Field::new("v", &wide).strided(&[5, 2, 1], &[4, 2, 1])];
        let batch = Batch { steps: &[10, 11, 12, 13, 14], times: &[0.0, 0.1, 0.2, 0.3, 0.4], fields: &fields };
        batch.check().unwrap();
        let mut seen = Vec::new();
        let mut look = |part: &Batch<'_>| {
            part.check()?;
            for (index, field) in part.fields.iter().enumerate() {
                let mut first = vec![0_i32; field.memory().len()];
                field.memory().typed::<i32>()?.copy_to(&mut first)?;
                seen.push((index, part.steps.to_vec(), field.extents().to_vec(), first[0]));
            }
            Ok(())
        };
        batch.runs(&[false, true, true, false, true], &mut look).unwrap();
        let expected = [
            (0, vec![11, 12], vec![2, 4], 4),
            (1, vec![11, 12], vec![2, 2, 1], 4),
            (0, vec![14], vec![1, 4], 16),
            (1, vec![14], vec![1, 2, 1], 16),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn a_batch_whose_parts_do_not_fit_is_refused() {
        let device = Device::open_with(&ferrocca_conformance::null::NullBackend::new(), ()).unwrap();
        let memory = device.malloc::<f64>(12).unwrap();
        let refusal = |steps: &[u64], times: &[f64], shape: &[usize]| {
            let fields = [Field::new("u", &memory).shape(shape)];
            Batch { steps, times, fields: &fields }.check().unwrap_err().to_string()
        };
        assert!(refusal(&[1, 2], &[0.0, 0.1], &[3, 4]).contains("`u` of shape [3, 4] in a batch of 2 steps"));
        assert!(refusal(&[1, 2], &[0.0], &[2, 4]).contains("2 steps has 1 times"));
        assert!(refusal(&[1, 2], &[0.0, 0.1], &[]).contains("shape []"));
        assert!(refusal(&[1, 2], &[0.0, 0.1], &[2, 7]).contains("reaches past"));
    }

    #[test]
    fn a_frame_is_a_batch_of_one() {
        let device = Device::open_with(&ferrocca_conformance::null::NullBackend::new(), ()).unwrap();
        let memory = device.malloc::<f64>(12).unwrap();
        for shape in [&[3, 4][..], &[12], &[]] {
            let fields = [Field::new("u", &memory).shape(shape)];
            let frame = Frame { step: 7, time: 0.7, fields: &fields };
            frame.as_batch(|batch| {
                batch.check().unwrap();
                let expected: Vec<i64> = std::iter::once(1).chain(shape.iter().map(|&n| n as i64)).collect();
                assert_eq!((batch.steps, batch.times), (&[7][..], &[0.7][..]));
                assert_eq!(batch.field("u").unwrap().extents(), expected);
            });
        }
        let fields = [Field::new("u", &memory).shape(&[1; 8])];
        let refused = Frame { step: 1, time: 0.0, fields: &fields }.as_batch(|batch| batch.check());
        assert!(refused.unwrap_err().to_string().contains("at most 8 dimensions"));
    }
}
