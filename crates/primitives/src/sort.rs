//! Sorting: keys, and their indices.
//!
//! The order is ascending and stable. Of floats, −0 comes before +0, and NaN last, all of them in the order in which they
//! stood. A stable sort has one result, so that it is the same on every device.
//!
//! It is a radix sort with the least significant digit first.

use crate::formula::scalar_of;
use crate::operator::Operator;
use crate::primitives::{Primitives, State};
use crate::program::Source;
use ferrocca_core::{AnyMemory, Arg, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use smallvec::{SmallVec, smallvec};

const TEXT: &str = include_str!("../kernels/sort.okl");
const COUNT: Source = Source { text: TEXT, kernel: "count" };
const MOVE: Source = Source { text: TEXT, kernel: "move" };

/// Bits of a digit and keys of a group: what `sort.okl` says for processors, and for GPUs.
const PROCESSOR: (usize, usize) = (8, 16_384);
const GPU: (usize, usize) = (4, 2048);

/// What moves, and how it is compared.
struct Keys {
    /// Bits of a key, and its type in Rust.
    unsigned: Scalar,
    kind: u8,
    infinite: &'static str,
}

impl Keys {
    fn of(scalar: Scalar) -> Self {
        let unsigned = match scalar.bytes() {
            1 => Scalar::U8,
            2 => Scalar::U16,
            4 => Scalar::U32,
            _ => Scalar::U64,
        };
        let infinite = match scalar {
            Scalar::F16 => "0x7c00",
            Scalar::BF16 => "0x7f80",
            Scalar::F32 => "0x7f800000",
            Scalar::F64 => "0x7ff0000000000000",
            _ => "0",
        };
        let kind = match scalar.is_float() {
            true => 2,
            false => u8::from(scalar.is_signed()),
        };
        Self { unsigned, kind, infinite }
    }
}

impl Primitives {
    /// Queues the keys in ascending order into `out`, which may be `keys` itself.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] when `out` has another length;
    /// [`ferrocca_core::ErrorKind::Unsupported`] for more than 2³¹ − 2²⁰ keys; [`ferrocca_core::ErrorKind::Invalid`] for
    /// structs.
    pub fn sort<T: Element>(&self, keys: &Memory<T>, out: &mut Memory<T>) -> Result<()> {
        if keys.len() != out.len() {
            return Err(Error::out_of_bounds(format!("sort: {} keys into memory of {}", keys.len(), out.len())));
        }
        let scalar = scalar_of(keys.untyped(), "keys")?;
        let state = &mut *self.state();
        let mut result = as_bits(out, scalar)?;
        self.passes(state, &as_bits(keys, scalar)?, scalar, Some(&mut result), None)
    }

    /// Queues the indices of the keys in ascending order into `indices`: `keys[indices[0]]` is the lowest key. Values that
    /// belong to keys are then [gathered](Self::gather).
    /// # Errors
    /// As [`sort`](Self::sort).
    pub fn arg_sort<T: Element>(&self, keys: &Memory<T>, indices: &mut Memory<i32>) -> Result<()> {
        if keys.len() != indices.len() {
            return Err(Error::out_of_bounds(format!("arg_sort: {} keys, {} indices", keys.len(), indices.len())));
        }
        let scalar = scalar_of(keys.untyped(), "keys")?;
        let state = &mut *self.state();
        self.passes(state, &as_bits(keys, scalar)?, scalar, None, Some(indices))
    }

    fn passes(
        &self,
        state: &mut State,
        keys: &AnyMemory,
        scalar: Scalar,
        mut out: Option<&mut AnyMemory>,
        mut indices: Option<&mut Memory<i32>>,
    ) -> Result<()> {
        let n = keys.len();
        if n > i32::MAX as usize - (1 << 20) {
            return Err(Error::unsupported(format!("sorting {n} keys"), "they are counted with 32 bits"));
        }
        if n == 0 {
            return Ok(());
        }
        let is_processor = ["Serial", "CPU", "Reference"].contains(&self.device.mode());
        let (bits, tile) = if is_processor { PROCESSOR } else { GPU };
        let own = Keys::of(scalar);
        let passes = scalar.bytes() * 8 / bits;
        let mut from = (keys.clone(), None::<AnyMemory>);
        for pass in 0..passes {
            let is_last = pass + 1 == passes;
            let mut to = match &mut out {
                // A key must not be overwritten before it is read.
                Some(out) if is_last && passes > 1 => out.clone(),
                _ => state.keys[pass % 2].take_any(&self.device, own.unsigned, n)?,
            };
            let mut to_indices = match &mut indices {
                Some(indices) if is_last => Some(indices.share().into_untyped()),
                Some(_) => Some(state.indices[pass % 2].take_any(&self.device, Scalar::I32, n)?),
                None => None,
            };
            self.pass(state, &own, (pass * bits, bits, n.div_ceil(tile)), &from, &mut to, to_indices.as_mut())?;
            from = (to, to_indices);
        }
        match out {
            Some(out) if passes == 1 => self.copy_bits(state, own.unsigned, &from.0, out),
            _ => Ok(()),
        }
    }

    fn copy_bits(&self, state: &mut State, scalar: Scalar, from: &AnyMemory, to: &mut AnyMemory) -> Result<()> {
        const SOURCE: Source = Source { text: include_str!("../kernels/map.okl"), kernel: "map" };
        let n = from.len();
        let formula = from.into();
        let kernel = state.programs.kernel(&self.device, &SOURCE, |macros| {
            macros.set("BROADCAST", 0);
            macros.set("INDEX", "int");
            macros.set_type("VALUE", scalar);
            macros.set_type("RESULT", scalar);
            macros.set_formula(&formula, n)
        })?;
        kernel.launch_on(&self.stream, [n.into_arg(), Arg::read(from), Arg::write(to)])
    }

    fn pass(
        &self,
        state: &mut State,
        own: &Keys,
        (shift, bits, tiles): (usize, usize, usize),
        (keys, indices): &(AnyMemory, Option<AnyMemory>),
        moved: &mut AnyMemory,
        moved_indices: Option<&mut AnyMemory>,
    ) -> Result<()> {
        let mut counts = state.counts.take::<i32>(&self.device, tiles << bits)?;
        let mut starts = state.starts.take::<i32>(&self.device, tiles << bits)?;
        let mut kernel = |source: &Source| {
            state.programs.kernel(&self.device, source, |macros| {
                macros.set_type("KEY", own.unsigned);
                macros.set("WIDTH", own.unsigned.bytes() * 8);
                macros.set("KIND", own.kind);
                macros.set("INFINITE", own.infinite);
                macros.set("INDICES", u8::from(moved_indices.is_some()));
                macros.set("FIRST", u8::from(shift == 0 && moved_indices.is_some()));
                Ok(())
            })
        };
        let (count, move_keys) = (kernel(&COUNT)?, kernel(&MOVE)?);
        let sizes = [keys.len().into_arg(), tiles.into_arg(), shift.into_arg()];
        let mut arguments: SmallVec<[Arg<'_>; 8]> = smallvec![Arg::read(keys), (&mut counts).into_arg()];
        arguments.insert_many(0, sizes);
        count.launch_on(&self.stream, arguments)?;
        self.scan_exclusive(&counts, Operator::SUM).run(state, &mut starts)?;
        let mut arguments: SmallVec<[Arg<'_>; 8]> = SmallVec::from_slice(&sizes);
        arguments.extend([Arg::read(keys), (&starts).into_arg(), Arg::write(moved)]);
        if let Some(moved_indices) = moved_indices {
            arguments.push(indices.as_ref().map_or(Arg::null(), Arg::read));
            arguments.push(Arg::write(moved_indices));
        }
        move_keys.launch_on(&self.stream, arguments)
    }
}

/// The same memory as unsigned numbers.
fn as_bits<T: Element>(memory: &Memory<T>, scalar: Scalar) -> Result<AnyMemory> {
    Ok(match scalar.bytes() {
        1 => memory.cast::<u8>()?.into_untyped(),
        2 => memory.cast::<u16>()?.into_untyped(),
        4 => memory.cast::<u32>()?.into_untyped(),
        _ => memory.cast::<u64>()?.into_untyped(),
    })
}
