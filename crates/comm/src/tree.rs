//! Values of all ranks, combined: messages along a tree that every transport carries in the same way.

use crate::transport::{Buffer, Operation, Transport};
use ferrocca_core::Result;
use std::time::Duration;

/// Combines the values of all ranks, position by position; every rank gets the result.
///
/// Ranks of an even number take those of the odd number after it, then each half as many again. The bits are the same with
/// every transport.
/// # Errors
/// As [`Transport::wait`].
pub(crate) fn all_reduce(
    transport: &dyn Transport,
    operation: Operation,
    values: &mut [f64],
    tag: u16,
    limit: Duration,
) -> Result<()> {
    let (rank, size) = (transport.rank(), transport.size());
    let to_bytes = |values: &[f64]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    let receive = |from: usize| -> Result<Vec<f64>> {
        let request = transport.receive(from, tag, Buffer::Host(vec![0; size_of_val(values)]))?;
        let bytes = transport.wait(request, limit)?.into_host()?;
        Ok(bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect())
    };
    let send = |to: usize, values: &[f64]| -> Result<()> {
        let request = transport.send(to, tag, Buffer::Host(to_bytes(values)))?;
        transport.wait(request, limit).map(drop)
    };
    let mut stride = 1;
    let mut combined = values.to_vec();
    while stride < size && rank.is_multiple_of(2 * stride) {
        if rank + stride < size {
            for (own, other) in combined.iter_mut().zip(receive(rank + stride)?) {
                *own = operation.combine(*own, other);
            }
        }
        stride *= 2;
    }
    if rank > 0 {
        send(rank - stride, &combined)?;
        combined = receive(rank - stride)?;
    }
    while stride > 1 {
        stride /= 2;
        if rank + stride < size {
            send(rank + stride, &combined)?;
        }
    }
    values.copy_from_slice(&combined);
    Ok(())
}
