//! A frame as Conduit's Mesh Blueprint describes it.

use crate::conduit::{Node, Values, type_name};
use crate::grid::UniformGrid;
use ferrocca_core::{Error, Result};
use ferrocca_insitu::{DeviceKind, Field, Frame};

/// Names of the axes of coordinates, and of those of counts.
const AXES: [(&str, &str); 3] = [("x", "i"), ("y", "j"), ("z", "k")];

/// How fields reach the library.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transfer {
    /// By address, where the host addresses the memory; other memory is refused.
    #[default]
    InPlace,
    /// By address, on the host or on a CUDA device: for implementations that take device pointers (VTK-m, Ascent on the same
    /// GPU). The host waits until the field is written.
    DevicePointers,
    /// By a copy on the host, without gaps, once a step.
    Copy,
}

/// Copies of fields, which are kept from step to step; words, so that any element is aligned.
pub(crate) type Buffers = Vec<Vec<u64>>;

/// Puts a frame into a node below `prefix` (empty, or with a slash at its end).
///
/// # Safety
/// Nobody writes the fields or the buffers while the node is used.
/// # Errors
/// Those of [`UniformGrid::points`] and [`values_of`]; fields of different shapes, or with a name that is a path.
pub(crate) unsafe fn describe(
    node: &Node<'_>,
    prefix: &str,
    frame: &Frame<'_>,
    grid: &UniformGrid,
    transfer: Transfer,
    buffers: &mut Buffers,
) -> Result<()> {
    let at = |path: &str| format!("{prefix}{path}");
    node.set_int(&at("state/cycle"), frame.step as i64)?;
    node.set_float(&at("state/time"), frame.time)?;
    let Some(first) = frame.fields.first() else {
        return Err(Error::invalid("a frame without fields has no mesh"));
    };
    let points = grid.points(first.name(), first.extents())?;
    node.set_text(&at("coordsets/coords/type"), "uniform")?;
    for (axis, &count) in points.iter().enumerate() {
        let ((name, letter), (origin, spacing)) = (AXES[axis], grid.along(axis));
        node.set_int(&at(&format!("coordsets/coords/dims/{letter}")), count as i64)?;
        node.set_float(&at(&format!("coordsets/coords/origin/{name}")), origin)?;
        node.set_float(&at(&format!("coordsets/coords/spacing/d{name}")), spacing)?;
    }
    node.set_text(&at("topologies/mesh/type"), "uniform")?;
    node.set_text(&at("topologies/mesh/coordset"), "coords")?;
    buffers.resize_with(frame.fields.len(), Vec::new);
    for (field, buffer) in frame.fields.iter().zip(buffers) {
        let name = field.name();
        if name.is_empty() || name.contains('/') {
            return Err(Error::invalid(format!("field `{name}`: in Conduit a name is a part of a path")));
        }
        if field.extents() != first.extents() {
            let (one, other) = (first.extents(), field.extents());
            let text =
                format!("fields `{}` of shape {one:?} and `{name}` of shape {other:?}: a mesh has one", first.name());
            return Err(Error::invalid(text));
        }
        let values = values_of(field, grid, transfer, buffer)?;
        node.set_text(&at(&format!("fields/{name}/association")), "vertex")?;
        node.set_text(&at(&format!("fields/{name}/topology")), "mesh")?;
        // SAFETY: `Field::check` has made sure that the elements lie in the field's memory, which the frame borrows; for the
        // rest the caller vouches.
        unsafe { node.set_external(&at(&format!("fields/{name}/values")), &values)? };
    }
    Ok(())
}

/// The values of a field within its halo.
/// # Errors
/// [`ferrocca_core::ErrorKind::Unsupported`] for memory that is not handed over in this way, with the way that is left;
/// failures of the device.
fn values_of(field: &Field<'_>, grid: &UniformGrid, transfer: Transfer, buffer: &mut Vec<u64>) -> Result<Values> {
    field.check()?;
    let (name, dtype, memory) = (field.name(), field.memory().dtype(), field.memory());
    let refuse = |what: String, reason: &str| Err(Error::unsupported(format!("field `{name}` {what}"), reason));
    if type_name(dtype).is_none() {
        return refuse(format!("of {dtype}"), "Conduit has no such type of elements");
    }
    let size = dtype.bytes();
    let (extents, strides) = (field.extents(), field.strides());
    let halo = grid.halo();
    let count: usize = grid.points(name, extents)?.iter().product();
    if transfer == Transfer::Copy {
        let mut all = vec![0; memory.bytes()];
        memory.copy_to_bytes(&mut all)?;
        buffer.resize((count * size).div_ceil(size_of::<u64>()), 0);
        let mut places = bytemuck::cast_slice_mut::<u64, u8>(buffer).chunks_exact_mut(size);
        each_element(extents, strides, halo, |element| {
            if let Some(place) = places.next() {
                place.copy_from_slice(&all[element * size..][..size]);
            }
        });
        return Ok(Values { dtype, address: buffer.as_ptr() as usize as u64, count, offset: 0, stride: size });
    }
    let Some(stride) = single_stride(extents, strides, halo) else {
        return refuse(
            format!("of shape {extents:?} and strides {strides:?}, with a halo of {halo}"),
            "its values are not at equal distances: Transfer::Copy hands a copy without gaps",
        );
    };
    let location = field.location();
    let is_device = location.device == DeviceKind::CUDA && transfer == Transfer::DevicePointers;
    if !location.device.is_host() && !is_device {
        let reason = match location.device == DeviceKind::CUDA {
            true => "Transfer::DevicePointers is for implementations that take them, Transfer::Copy for others",
            false => "Transfer::Copy hands a copy on the host",
        };
        return refuse(format!("is memory of {}, which the host does not address", memory.device().mode()), reason);
    }
    if is_device && location.is_queued {
        memory.device().stream().finish()?;
    }
    let offset = strides.iter().map(|stride| halo * *stride as usize).sum::<usize>() * size;
    Ok(Values { dtype, address: location.data + location.byte_offset, count, offset, stride: stride * size })
}

/// The distance of two neighbours in row-major order within the halo, in elements, where it is the same throughout.
fn single_stride(extents: &[i64], strides: &[i64], halo: usize) -> Option<usize> {
    let mut axes = extents.iter().zip(strides).rev().map(|(extent, stride)| (extent - 2 * halo as i64, *stride));
    let (mut count, step) = axes.next()?;
    for (extent, stride) in axes {
        if extent > 1 && stride != step * count {
            return None;
        }
        count *= extent;
    }
    usize::try_from(step).ok()
}

/// Calls `visit` with the number of each element within the halo, in row-major order.
fn each_element(extents: &[i64], strides: &[i64], halo: usize, mut visit: impl FnMut(usize)) {
    let inside = |axis: usize| halo..extents[axis] as usize - halo;
    let mut index: Vec<usize> = vec![halo; extents.len()];
    loop {
        visit(index.iter().zip(strides).map(|(i, stride)| i * *stride as usize).sum());
        let mut axis = extents.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if inside(axis).contains(&index[axis]) {
                break;
            }
            index[axis] = halo;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_neighbours() {
        type Case<'a> = (&'a [i64], &'a [i64], usize, Option<usize>);
        let cases: [Case<'_>; 8] = [
            (&[5], &[1], 0, Some(1)),
            (&[5], &[3], 1, Some(3)),
            (&[4, 5], &[5, 1], 0, Some(1)),
            (&[4, 5], &[10, 2], 0, Some(2)),
            (&[4, 5], &[6, 1], 0, None),
            (&[4, 5], &[5, 1], 1, None),
            (&[3, 5], &[5, 1], 1, Some(1)),
            (&[1, 4, 5], &[0, 5, 1], 0, Some(1)),
        ];
        for (extents, strides, halo, expected) in cases {
            assert_eq!(single_stride(extents, strides, halo), expected, "{extents:?} {strides:?} {halo}");
        }
    }

    #[test]
    fn elements_within_a_halo() {
        let mut seen = Vec::new();
        each_element(&[4, 5], &[10, 1], 1, |element| seen.push(element));
        assert_eq!(seen, [11, 12, 13, 21, 22, 23]);
        seen.clear();
        each_element(&[3], &[2], 0, |element| seen.push(element));
        assert_eq!(seen, [0, 2, 4]);
    }
}
