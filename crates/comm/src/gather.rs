//! Whole arrays on rank 0: gathered from all ranks, and scattered to them.

use crate::grid::Grid;
use crate::layout::{AXES, Block, Layout};
use crate::pack::{self, Packing, Queue};
use ferrocca_core::{AnyMemory, Element, Error, Memory, Result};

impl Grid {
    /// The values of all points, without ghosts, on rank 0, slowest axis first; `None` on the others. Collective. The layout
    /// follows from the length, as in [`exchange`](Self::exchange).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Communication`], failures of the device.
    pub fn gather<T: Element + Default>(&self, field: &Memory<T>) -> Result<Option<Vec<T>>> {
        let layout = self.comm().all_succeed(self.layout_of_len(field.len()))?;
        self.gather_layout(field, &layout)
    }

    /// As [`gather`](Self::gather), of a layout that the length does not tell.
    /// # Errors
    /// As [`gather`](Self::gather), [`ferrocca_core::ErrorKind::OutOfBounds`] for memory of another length.
    pub fn gather_layout<T: Element + Default>(&self, field: &Memory<T>, layout: &Layout) -> Result<Option<Vec<T>>> {
        let own = layout.check_len(field.len()).and_then(|()| read(field.untyped(), layout.owned_block()));
        let own = self.comm().all_succeed(own)?;
        let Some(parts) = self.comm().gather(&own)? else { return Ok(None) };
        let mut all = vec![T::default(); layout.global.iter().product()];
        let bytes = bytes_of_mut(&mut all);
        for (rank, part) in parts.iter().enumerate() {
            let from = self.layout_of(rank, layout.surplus);
            let block = in_global(&from, [0, 1, 2].map(|axis| from.owned(axis)));
            copy_rows(block, size_of::<T>(), |row, global| bytes[global].copy_from_slice(&part[row]));
        }
        Ok(Some(all))
    }

    /// Gives each rank its points of the values that rank 0 has for all; ghosts stay as they are. Collective; what other ranks
    /// give is left out.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for another number of values, [`ferrocca_core::ErrorKind::Communication`],
    /// failures of the device.
    pub fn scatter<T: Element>(&self, values: &[T], field: &mut Memory<T>) -> Result<()> {
        let layout = self.comm().all_succeed(self.layout_of_len(field.len()))?;
        self.scatter_layout(values, field, &layout)
    }

    /// As [`scatter`](Self::scatter), of a layout that the length does not tell.
    /// # Errors
    /// As [`scatter`](Self::scatter).
    pub fn scatter_layout<T: Element>(&self, values: &[T], field: &mut Memory<T>, layout: &Layout) -> Result<()> {
        let comm = self.comm();
        let count = layout.global.iter().product::<usize>();
        let fits = match comm.rank() == 0 && values.len() != count {
            true => Err(Error::out_of_bounds(format!("the grid has {count} values, {} were given", values.len()))),
            false => layout.check_len(field.len()),
        };
        comm.all_succeed(fits)?;
        let cut = |rank: usize| {
            let to = self.layout_of(rank, layout.surplus);
            let block = in_global(&to, [0, 1, 2].map(|axis| to.interior(axis)));
            let mut part = vec![0; block.len() * size_of::<T>()];
            let bytes = bytes_of(values);
            copy_rows(block, size_of::<T>(), |row, global| part[row].copy_from_slice(&bytes[global]));
            part
        };
        let own = if comm.rank() == 0 {
            (1..comm.size()).try_for_each(|rank| comm.send_sized(rank, cut(rank)))?;
            cut(0)
        } else {
            comm.receive_sized(0)?
        };
        write(field.untyped(), layout.interior_block(), &own)
    }
}

/// The box of a rank in the global array.
fn in_global(layout: &Layout, extents: [usize; AXES]) -> Block {
    let [_, e1, e2] = layout.global;
    let strides = [e1 * e2, e2];
    let base = layout.start[0] * strides[0] + layout.start[1] * strides[1] + layout.start[2];
    Block { base, extents, strides }
}

/// Calls `copy` with the bytes of each row: in the packed box, and in the array.
pub(crate) fn copy_rows(
    block: Block,
    size: usize,
    mut copy: impl FnMut(std::ops::Range<usize>, std::ops::Range<usize>),
) {
    let [n0, n1, n2] = block.extents;
    for row in 0..n0 * n1 {
        let global = (block.base + row / n1 * block.strides[0] + row % n1 * block.strides[1]) * size;
        let packed = row * n2 * size;
        copy(packed..packed + n2 * size, global..global + n2 * size);
    }
}

/// The elements of a box, on the host.
pub(crate) fn read(field: &AnyMemory, block: Block) -> Result<Vec<u8>> {
    let mut bytes = vec![0; block.len() * field.dtype().bytes()];
    if block.is_contiguous() {
        pack::slice(field, block)?.copy_to_bytes(&mut bytes)?;
        return Ok(bytes);
    }
    let device = field.device();
    let packed = device.malloc::<u8>(bytes.len())?.into_untyped().cast(field.dtype())?;
    Packing::new(&device, field.dtype(), field.len())?.pack(&mut Queue::Now, block, field, &packed)?;
    packed.copy_to_bytes(&mut bytes)?;
    Ok(bytes)
}

/// Puts elements from the host into a box.
pub(crate) fn write(field: &AnyMemory, block: Block, bytes: &[u8]) -> Result<()> {
    if block.is_contiguous() {
        return pack::slice(field, block)?.copy_from_bytes(bytes);
    }
    let device = field.device();
    let mut packed = device.malloc::<u8>(bytes.len())?.into_untyped().cast(field.dtype())?;
    packed.copy_from_bytes(bytes)?;
    Packing::new(&device, field.dtype(), field.len())?.unpack(&mut Queue::Now, block, field, &packed)?;
    // What the kernel reads must live until it is done.
    device.stream().finish()
}

pub(crate) fn bytes_of<T: Element>(values: &[T]) -> &[u8] {
    ferrocca_core::bytemuck::cast_slice(values)
}

pub(crate) fn bytes_of_mut<T: Element>(values: &mut [T]) -> &mut [u8] {
    ferrocca_core::bytemuck::cast_slice_mut(values)
}
