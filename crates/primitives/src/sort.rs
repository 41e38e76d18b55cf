//! Sorting: keys, their indices, values that belong to them; keys without repetition.
//!
//! The order is stable, and ascending unless a name says otherwise. Of floats, −0 is lower than +0, and NaN comes last in both
//! orders, all of them in the order in which they stood. A stable sort has one result, so that it is the same on every device.
//!
//! It is a radix sort with the least significant digit first; of many long keys on a processor, a samplesort.

use crate::formula::{Formula, scalar_of};
use crate::operator::Operator;
use crate::primitives::{Primitives, State};
use crate::program::{Macros, Source};
use ferrocca_core::{AnyMemory, Arg, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use smallvec::{SmallVec, smallvec};

const TEXT: &str = concat!(include_str!("../kernels/keys.okl"), include_str!("../kernels/sort.okl"));
const COUNT: Source = Source { text: TEXT, kernel: "count" };
const MOVE: Source = Source { text: TEXT, kernel: "move" };

/// Bits of a digit, and how many values it has.
const BITS: usize = 8;
const DIGITS: usize = 1 << BITS;

/// Keys of a group on a processor, which `sort.okl` says too. On a GPU whose items do not hold them in registers they are at most
/// so many bytes of shared memory, and a group has so many items.
const TILE: usize = 16_384;
const TILE_BYTES: usize = 16_384;
const LANES: usize = 256;

/// How the groups of a GPU go about a pass, as `sort.okl` defines it.
#[derive(Clone, Copy)]
struct Manner {
    rows: usize,
    rolled: bool,
    subgroups: bool,
}

impl Manner {
    /// What suits a device; keys and their numbers are so many words of shared memory.
    fn of(primitives: &Primitives, words: usize) -> Self {
        let capabilities = primitives.device.capabilities();
        let rows = if words > 2 { 8 } else { 16 };
        // Beside them stand the counters of each subgroup, of the group, and where its digits begin.
        let shared = 4 * (rows * LANES * words + LANES / 32 * DIGITS + LANES / 32 + DIGITS);
        if capabilities.subgroup_lanes == 32 && shared as u64 <= capabilities.max_shared_bytes {
            return Self { rows, rolled: false, subgroups: true };
        }
        let rolled = primitives.emulates_gpu();
        let rows = TILE_BYTES / 4 / words.next_power_of_two() / LANES / if rolled { 2 } else { 1 };
        Self { rows, rolled, subgroups: false }
    }
}

/// What moves, and how it is compared.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    /// Bits of a key, and its type in Rust.
    pub(crate) unsigned: Scalar,
    kind: u8,
    infinite: &'static str,
    order: Order,
}

/// Which keys come first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Ascending,
    Descending,
}

impl Keys {
    pub(crate) fn of(scalar: Scalar, order: Order) -> Self {
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
        Self { unsigned, kind, infinite, order }
    }

    /// Sets what `keys.okl` asks for.
    pub(crate) fn define(&self, macros: &mut Macros<'_>) {
        macros.set_type("KEY", self.unsigned);
        macros.set("WIDTH", self.unsigned.bytes() * 8);
        macros.set("KIND", self.kind);
        macros.set("INFINITE", self.infinite);
        macros.set("DESCENDING", u8::from(self.order == Order::Descending));
    }
}

impl Primitives {
    /// Queues the keys in ascending order into `out`, which may be `keys` itself.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] when `out` has another length;
    /// [`ferrocca_core::ErrorKind::Unsupported`] for more than 2³¹ − 2²⁰ keys; [`ferrocca_core::ErrorKind::Invalid`] for
    /// structs.
    pub fn sort<T: Element>(&self, keys: &Memory<T>, out: &mut Memory<T>) -> Result<()> {
        self.sort_keys(keys, Order::Ascending, out)
    }

    /// As [`sort`](Self::sort), the highest key first.
    /// # Errors
    /// As [`sort`](Self::sort).
    pub fn sort_descending<T: Element>(&self, keys: &Memory<T>, out: &mut Memory<T>) -> Result<()> {
        self.sort_keys(keys, Order::Descending, out)
    }

    /// Queues the indices of the keys in ascending order into `indices`: `keys[indices[0]]` is the lowest key. Values that
    /// belong to keys are then [gathered](Self::gather).
    /// # Errors
    /// As [`sort`](Self::sort).
    pub fn arg_sort<T: Element>(&self, keys: &Memory<T>, indices: &mut Memory<i32>) -> Result<()> {
        self.sort_indices(keys, Order::Ascending, indices)
    }

    /// As [`arg_sort`](Self::arg_sort), the highest key first.
    /// # Errors
    /// As [`sort`](Self::sort).
    pub fn arg_sort_descending<T: Element>(&self, keys: &Memory<T>, indices: &mut Memory<i32>) -> Result<()> {
        self.sort_indices(keys, Order::Descending, indices)
    }

    /// Queues the keys in ascending order into `out_keys`, and the value of each into `out_values`. The results must not be
    /// `values`.
    /// # Errors
    /// As [`sort`](Self::sort), for either length.
    pub fn sort_pairs<T: Element, V: Element>(
        &self,
        keys: &Memory<T>,
        values: &Memory<V>,
        out_keys: &mut Memory<T>,
        out_values: &mut Memory<V>,
    ) -> Result<()> {
        let (n, others) = (keys.len(), [values.len(), out_keys.len(), out_values.len()]);
        if others != [n; 3] {
            return Err(Error::out_of_bounds(format!("sort_pairs: {n} keys, and {others:?} values and results")));
        }
        let scalar = scalar_of(keys.untyped(), "keys")?;
        let composed = &mut *self.composed();
        let mut order = composed.order.take::<i32>(&self.device, n)?;
        let (own, mut result) = (Keys::of(scalar, Order::Ascending), as_bits(out_keys, scalar)?);
        self.sort_bits(&mut self.state(), (&as_bits(keys, scalar)?, None), own, Some(&mut result), Some(&mut order))?;
        self.gather(values, &order, out_values)
    }

    /// Queues the keys without repetition, in ascending order, into `out`, and their number into `count`, one integer. Of −0
    /// and +0 the first in that order is kept, and one NaN. `out` must have room for all of them, and must not be `keys`.
    /// # Errors
    /// As [`sort`](Self::sort), and as [`Selection::store`](crate::Selection::store).
    pub fn unique<T: Element, C: Element>(
        &self,
        keys: &Memory<T>,
        out: &mut Memory<T>,
        count: &mut Memory<C>,
    ) -> Result<()> {
        let n = keys.len();
        let composed = &mut *self.composed();
        let mut sorted = composed.sorted.take::<T>(&self.device, n)?;
        let is_new = composed.is_new.take::<u8>(&self.device, n)?;
        if n > 0 {
            self.sort(keys, &mut sorted)?;
            let (before, after) = (sorted.slice(..n - 1)?, sorted.slice(1..)?);
            // NaN differs from itself.
            let differs = crate::formula!("a != b && (a == a || b == b)", a = &before, b = &after);
            self.map(Formula::new("1")).store(&mut is_new.slice(..1)?)?;
            self.map(differs).store(&mut is_new.slice(1..)?)?;
        }
        self.compact(&sorted, &is_new).store(out, count)
    }

    fn sort_keys<T: Element>(&self, keys: &Memory<T>, order: Order, out: &mut Memory<T>) -> Result<()> {
        if keys.len() != out.len() {
            return Err(Error::out_of_bounds(format!("sort: {} keys into memory of {}", keys.len(), out.len())));
        }
        let scalar = scalar_of(keys.untyped(), "keys")?;
        let state = &mut *self.state();
        let mut result = as_bits(out, scalar)?;
        self.sort_bits(state, (&as_bits(keys, scalar)?, None), Keys::of(scalar, order), Some(&mut result), None)
    }

    pub(crate) fn sort_indices<T: Element>(
        &self,
        keys: &Memory<T>,
        order: Order,
        indices: &mut Memory<i32>,
    ) -> Result<()> {
        if keys.len() != indices.len() {
            return Err(Error::out_of_bounds(format!("arg_sort: {} keys, {} indices", keys.len(), indices.len())));
        }
        let scalar = scalar_of(keys.untyped(), "keys")?;
        let state = &mut *self.state();
        self.sort_bits(state, (&as_bits(keys, scalar)?, None), Keys::of(scalar, order), None, Some(indices))
    }

    /// Sorts keys, and with them their numbers: those of their places, or other ones.
    pub(crate) fn sort_bits(
        &self,
        state: &mut State,
        (keys, numbers): (&AnyMemory, Option<&AnyMemory>),
        own: Keys,
        out: Option<&mut AnyMemory>,
        indices: Option<&mut Memory<i32>>,
    ) -> Result<()> {
        let n = keys.len();
        if n > i32::MAX as usize - (1 << 20) {
            return Err(Error::unsupported(format!("sorting {n} keys"), "they are counted with 32 bits"));
        }
        if n == 0 {
            return Ok(());
        }
        match numbers {
            None if self.prefers_samplesort(&own, n) => self.samplesort(state, keys, own, out, indices),
            _ => self.radix_sort(state, (keys, numbers), own, out, indices),
        }
    }

    /// The same, pass by pass.
    pub(crate) fn radix_sort(
        &self,
        state: &mut State,
        (keys, numbers): (&AnyMemory, Option<&AnyMemory>),
        own: Keys,
        mut out: Option<&mut AnyMemory>,
        mut indices: Option<&mut Memory<i32>>,
    ) -> Result<()> {
        let n = keys.len();
        // Keys and their numbers stand as words in shared memory.
        let words = own.unsigned.bytes().div_ceil(4) + usize::from(indices.is_some());
        let manner = Manner::of(self, words);
        let tile = if self.is_processor() { TILE } else { manner.rows * LANES };
        let passes = own.unsigned.bytes();
        let mut from = (keys.clone(), numbers.cloned());
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
            self.pass(state, &own, (pass * BITS, n.div_ceil(tile), manner), &from, &mut to, to_indices.as_mut())?;
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
            macros.set_type("RESULT", scalar);
            macros.set_value(scalar.into(), &formula)?;
            macros.set_formula(&formula, n)
        })?;
        kernel.launch_on(&self.stream, [n.into_arg(), Arg::read(from), Arg::write(to)])
    }

    fn pass(
        &self,
        state: &mut State,
        own: &Keys,
        (shift, tiles, manner): (usize, usize, Manner),
        (keys, indices): &(AnyMemory, Option<AnyMemory>),
        moved: &mut AnyMemory,
        moved_indices: Option<&mut AnyMemory>,
    ) -> Result<()> {
        let mut counts = state.counts.take::<i32>(&self.device, tiles * DIGITS)?;
        let mut starts = state.starts.take::<i32>(&self.device, tiles * DIGITS)?;
        let mut kernel = |source: &Source| {
            state.programs.kernel(&self.device, source, |macros| {
                own.define(macros);
                macros.set("ROWS", manner.rows);
                macros.set("ROLLED", u8::from(manner.rolled));
                macros.set("SUBGROUPS", u8::from(manner.subgroups));
                macros.set("INDICES", u8::from(moved_indices.is_some()));
                macros.set("FIRST", u8::from(indices.is_none() && moved_indices.is_some()));
                Ok(())
            })
        };
        let (count, move_keys) = (kernel(&COUNT)?, kernel(&MOVE)?);
        let sizes = [keys.len().into_arg(), tiles.into_arg(), shift.into_arg()];
        let mut arguments: SmallVec<[Arg<'_>; 8]> = smallvec![Arg::read(keys), (&mut counts).into_arg()];
        arguments.insert_many(0, sizes);
        count.launch_on(&self.stream, arguments)?;
        self.scan_exclusive(&counts, Operator::SUM).run(state, &mut starts)?;
        let mut arguments: SmallVec<[Arg<'_>; 10]> = SmallVec::from_slice(&sizes);
        match self.is_processor() {
            true => arguments.extend([Arg::read(keys), (&counts).into_arg()]),
            false => arguments.extend([0.into_arg(), Arg::read(keys)]),
        }
        arguments.extend([(&starts).into_arg(), Arg::write(moved)]);
        if let Some(moved_indices) = moved_indices {
            arguments.push(indices.as_ref().map_or(Arg::null(), Arg::read));
            arguments.push(Arg::write(moved_indices));
        }
        move_keys.launch_on(&self.stream, arguments)
    }
}

/// The same memory as unsigned numbers.
pub(crate) fn as_bits<T: Element>(memory: &Memory<T>, scalar: Scalar) -> Result<AnyMemory> {
    Ok(match scalar.bytes() {
        1 => memory.cast::<u8>()?.into_untyped(),
        2 => memory.cast::<u16>()?.into_untyped(),
        4 => memory.cast::<u32>()?.into_untyped(),
        _ => memory.cast::<u64>()?.into_untyped(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use okl::back::cuda::CudaTarget;
    use okl::back::wgsl::WgslTarget;
    use okl::signature::ParameterKind;
    use okl::signature::bounds::Verdict;
    use okl::target::{Target, wgsl};
    use okl::value::ScalarValue;
    use okl::{NoIncludes, Request};

    /// A launch that cannot be proven runs with a check at every access, and takes half as long again.
    #[test]
    fn launches_on_gpus_are_proven() {
        are_proven("CUDA", &CudaTarget, true);
        are_proven("WebGPU", &WgslTarget(wgsl::Features { subgroups: true, ..wgsl::Features::ALL }), true);
        are_proven("WebGPU", &WgslTarget(wgsl::Features::ALL), false);
    }

    fn are_proven(mode: &str, target: &dyn Target, subgroups: bool) {
        let kinds =
            [Scalar::U8, Scalar::I16, Scalar::F16, Scalar::U32, Scalar::I32, Scalar::F32, Scalar::I64, Scalar::F64];
        for (scalar, order) in kinds.iter().flat_map(|kind| [(*kind, Order::Ascending), (*kind, Order::Descending)]) {
            let keys = Keys::of(scalar, order);
            let texts = [
                ("KEY", keys.unsigned.okl_name().to_owned()),
                ("WIDTH", (8 * keys.unsigned.bytes()).to_string()),
                ("KIND", keys.kind.to_string()),
                ("INFINITE", keys.infinite.to_owned()),
                ("DESCENDING", u8::from(order == Order::Descending).to_string()),
                ("ROWS", "16".to_owned()),
                ("ROLLED", "0".to_owned()),
                ("SUBGROUPS", u8::from(subgroups).to_string()),
                ("INDICES", "1".to_owned()),
                ("FIRST", "1".to_owned()),
            ];
            let defines = texts.map(|(name, text)| (name.to_owned(), text));
            let request = Request { name: "sort.okl", source: TEXT, mode, defines: &defines, includes: &NoIncludes };
            let compiled = okl::compile(&request, target).unwrap_or_else(|found| panic!("{found}"));
            assert_eq!(compiled.signatures.len(), 2);
            for (signature, n) in compiled.signatures.iter().flat_map(|of| [(of, 1), (of, 100_000_000_i64)]) {
                let tiles = (n as usize).div_ceil(16 * LANES) as i64;
                let number = |name: &str| if name == "n" { n } else { i64::from(name == "tiles") * tiles };
                let length = |name: &str| {
                    if name == "counts" || name == "starts" { tiles as u64 * DIGITS as u64 } else { n as u64 }
                };
                let value = |ty: Scalar, name: &str| ScalarValue::I64(number(name)).cast(ty);
                let params: Vec<Option<ScalarValue>> = signature
                    .params
                    .iter()
                    .map(|param| match param.kind {
                        ParameterKind::Scalar(ty) => Some(value(ty, &param.name).expect("it fits")),
                        _ => None,
                    })
                    .collect();
                let slots = vec![ScalarValue::Bool(false); signature.slots.len()];
                let bounds = &signature.nests[0].bounds;
                let verdict =
                    bounds.check(params.as_slice(), &slots, &|of| length(&signature.params[of as usize].name));
                assert!(matches!(verdict, Verdict::Proven), "{} of {scalar:?}, {n}: {verdict:?}", signature.kernel);
            }
        }
    }
}
