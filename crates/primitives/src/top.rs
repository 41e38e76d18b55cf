//! The highest keys, by a radix select: the last one that is wanted is found digit by digit, from the highest one on, and only
//! what is taken is sorted. The order is that of [`sort`](crate::sort), so that the result is the same on every device.

use crate::formula::scalar_of;
use crate::operator::Operator;
use crate::primitives::{Primitives, State};
use crate::program::{Args, Source};
use crate::sort::{Keys, Order, as_bits};
use ferrocca_core::{AnyMemory, Arg, Element, Error, IntoArg, Kernel, Memory, Result};
use okl::ir::Scalar;

const TEXT: &str = concat!(include_str!("../kernels/keys.okl"), include_str!("../kernels/top.okl"));

/// Keys of a group: what `top.okl` says.
const TILE: usize = 4096;

/// Bits of a digit, and how many values it has.
const BITS: usize = 8;
const DIGITS: usize = 1 << BITS;

/// Where more than one key of so many is wanted, all are sorted.
const MANY: usize = 4;

impl Primitives {
    /// Queues the highest keys, the highest first, into `out`, and their indices into `indices`; both have as many elements as
    /// keys are wanted. Of equal keys the first ones are taken; NaN is taken last. `out` must not be `keys`.
    /// # Errors
    /// As [`sort`](Self::sort); [`ferrocca_core::ErrorKind::OutOfBounds`] for more results than keys.
    pub fn top_k<T: Element>(&self, keys: &Memory<T>, out: &mut Memory<T>, indices: &mut Memory<i32>) -> Result<()> {
        let (n, wanted) = (keys.len(), out.len());
        if indices.len() != wanted || wanted > n {
            let others = indices.len();
            return Err(Error::out_of_bounds(format!("top_k: {wanted} of {n} keys, {others} of their indices")));
        }
        let scalar = scalar_of(keys.untyped(), "keys")?;
        if wanted == 0 {
            return Ok(());
        }
        let composed = &mut *self.composed();
        if n <= TILE || wanted > n / MANY {
            let mut order = composed.order.take::<i32>(&self.device, n)?;
            self.sort_indices(keys, Order::Descending, &mut order)?;
            let highest = order.slice(..wanted)?;
            self.gather(keys, &highest, out)?;
            return self.map(&highest).store(indices);
        }
        let own = Keys::of(scalar, Order::Descending);
        let (state, bits) = (&mut *self.state(), as_bits(keys, scalar)?);
        let mut taken = composed.sorted.take_any(&self.device, own.unsigned, wanted)?;
        let mut numbers = composed.order.take_any(&self.device, Scalar::I32, wanted)?;
        self.take_first(state, &bits, &own, wanted, (&mut taken, &mut numbers))?;
        let mut result = as_bits(out, scalar)?;
        self.sort_bits(state, (&taken, Some(&numbers)), own, Some(&mut result), Some(indices))
    }

    /// The keys that come first, and their indices, in the order in which they stand; those that equal the last one are behind
    /// the others.
    fn take_first(
        &self,
        state: &mut State,
        keys: &AnyMemory,
        own: &Keys,
        wanted: usize,
        (taken, numbers): (&mut AnyMemory, &mut AnyMemory),
    ) -> Result<()> {
        let (n, width) = (keys.len(), own.unsigned.bytes() * 8);
        if n > i32::MAX as usize - (1 << 20) {
            return Err(Error::unsupported(format!("taking the highest of {n} keys"), "they are counted with 32 bits"));
        }
        let tiles = n.div_ceil(TILE);
        let mut prefix = state.value.take_any(&self.device, own.unsigned, 1)?;
        let found = state.work.take::<i32>(&self.device, DIGITS + 1)?;
        let (mut left, mut found) = (found.slice(DIGITS..)?, found.slice(..DIGITS)?);
        let mut kernel = |name: &'static str| -> Result<Kernel> {
            state.programs.kernel(&self.device, &Source { text: TEXT, kernel: name }, |macros| {
                own.define(macros);
                Ok(())
            })
        };
        let (begin, digits, choose) = (kernel("begin")?, kernel("digits")?, kernel("choose")?);
        let (count, take) = (kernel("count")?, kernel("take")?);
        let start = [wanted.into_arg(), Arg::write(&mut prefix), (&mut left).into_arg(), (&mut found).into_arg()];
        begin.launch_on(&self.stream, start)?;
        for shift in (0..width).step_by(BITS).rev() {
            let [len, groups] = [n.into_arg(), tiles.into_arg()];
            let memory = [Arg::read(keys), Arg::read(&prefix), (&mut found).into_arg()];
            digits.launch_on(
                &self.stream,
                [len, groups, shift.into_arg()].into_iter().chain(memory).collect::<Args<'_>>(),
            )?;
            let arguments =
                [shift.into_arg(), Arg::write(&mut prefix), (&mut left).into_arg(), (&mut found).into_arg()];
            choose.launch_on(&self.stream, arguments)?;
        }
        let mut counts = state.counts.take::<i32>(&self.device, 2 * tiles)?;
        let mut starts = state.starts.take::<i32>(&self.device, 2 * tiles)?;
        let [len, groups] = [n.into_arg(), tiles.into_arg()];
        count.launch_on(&self.stream, [len, groups, Arg::read(keys), Arg::read(&prefix), (&mut counts).into_arg()])?;
        self.scan_exclusive(&counts, Operator::SUM).run(state, &mut starts)?;
        take.launch_on(
            &self.stream,
            [
                n.into_arg(),
                tiles.into_arg(),
                wanted.into_arg(),
                Arg::read(keys),
                Arg::read(&prefix),
                (&starts).into_arg(),
                Arg::write(taken),
                Arg::write(numbers),
            ],
        )
    }
}
