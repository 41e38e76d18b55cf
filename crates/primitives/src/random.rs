//! Random numbers, the same on every device.
//!
//! They are Philox4x32-10's (J. Salmon, M. Moraes, R. Dror, D. Shaw, SC 2011): a function of seed and position, so that it does
//! not matter which item computes one. Kernels that draw numbers of their own include `<ferrocca/random.h>`.

use crate::formula::scalar_of;
use crate::primitives::Primitives;
use crate::program::{Args, Source, index_type};
use ferrocca_core::{Arg, Element, Error, IntoArg, Memory, Result};
use okl::ir::Scalar;
use okl::value::ScalarValue;

const TEXT: &str = include_str!("../kernels/random.okl");

/// Each piece of a Poisson distribution has at most this mean, so that a product of `float`s holds it.
const PIECE: f64 = 12.0;

/// Largest mean of a Poisson distribution.
const LARGEST_MEAN: f64 = 10_000.0;

/// A sequence of random numbers: a seed, and how far it was used.
///
/// Each call takes the blocks of four 32-bit words that it needs from the sequence. Seed, position and call determine the
/// numbers; two sequences with different seeds are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random {
    seed: u64,
    position: u64,
}

impl Random {
    /// The sequence of a seed, from its beginning.
    pub fn new(seed: u64) -> Self {
        Self { seed, position: 0 }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many blocks were taken.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The same sequence at another position: that of a checkpoint, say.
    #[must_use]
    pub fn at(self, position: u64) -> Self {
        Self { position, ..self }
    }

    /// The states of generators `xoroshiro128+` as `numba.cuda.random.create_xoroshiro128p_states` makes them: both words of
    /// the first are SplitMix64's first number for `seed`; each further one is 2⁶⁴ numbers ahead. In kernels that include
    /// `<ferrocca/random.h>` they are `xoroshiro128p *`.
    pub fn xoroshiro128p_states(seed: u64, count: usize) -> Vec<Xoroshiro128p> {
        let mut state = Xoroshiro128p::seeded(seed);
        let mut states = Vec::with_capacity(count);
        for _ in 0..count {
            states.push(state);
            state.jump();
        }
        states
    }
}

ferrocca_core::kernel_struct! {
    /// The state of a generator `xoroshiro128+` (D. Blackman, S. Vigna, 2016), with its first constants 55, 14 and 36.
    pub struct Xoroshiro128p {
        /// The first word.
        pub s0: u64,
        /// The second word.
        pub s1: u64,
    }
}

impl Xoroshiro128p {
    fn seeded(seed: u64) -> Self {
        // SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014).
        let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        Self { s0: z, s1: z }
    }

    /// The next 64 bits, as `xoroshiro128p_next` computes them in kernels.
    pub fn next_word(&mut self) -> u64 {
        let Self { s0, mut s1 } = *self;
        let word = s0.wrapping_add(s1);
        s1 ^= s0;
        *self = Self { s0: s0.rotate_left(55) ^ s1 ^ (s1 << 14), s1: s1.rotate_left(36) };
        word
    }

    /// Goes 2⁶⁴ numbers ahead.
    fn jump(&mut self) {
        let mut ahead = Self { s0: 0, s1: 0 };
        for word in [0xbeac_0467_eba5_facb_u64, 0xd86b_048b_86aa_9922] {
            for bit in 0..64 {
                if word >> bit & 1 == 1 {
                    ahead.s0 ^= self.s0;
                    ahead.s1 ^= self.s1;
                }
                self.next_word();
            }
        }
        *self = ahead;
    }
}

/// What a distribution takes of a block, and makes.
struct Drawn {
    kernel: &'static str,
    /// What is computed.
    real: Scalar,
    per_block: usize,
}

impl Primitives {
    /// Fills memory of floats with numbers of the uniform distribution on `[low, high)`: `low + (high - low) · u`, where `u`
    /// is a multiple of 2⁻⁵³ for `double`, of 2⁻²⁴ otherwise. Rounding can give `high`, unless that is 1 and `low` 0.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for limits that are not finite, or not in order, and memory that is not of floats.
    pub fn uniform<T: Element>(&self, random: &mut Random, low: f64, high: f64, out: &mut Memory<T>) -> Result<()> {
        if !(low <= high && (high - low).is_finite()) {
            return Err(Error::invalid(format!("a uniform distribution from {low} to {high}")));
        }
        self.draw_floats("uniform", random, &[low, high - low], out)
    }

    /// Fills memory of floats with numbers of the normal distribution with this mean and standard deviation (G. Box and
    /// M. Muller's method, 1958).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for parameters that are not finite, a negative deviation, and memory that is not
    /// of floats.
    pub fn normal<T: Element>(
        &self,
        random: &mut Random,
        mean: f64,
        deviation: f64,
        out: &mut Memory<T>,
    ) -> Result<()> {
        if !(mean.is_finite() && deviation.is_finite() && deviation >= 0.0) {
            return Err(Error::invalid(format!("a normal distribution of mean {mean} and deviation {deviation}")));
        }
        self.draw_floats("normal", random, &[mean, deviation], out)
    }

    /// Fills memory of floats with numbers of the exponential distribution with this mean: `-mean · log(u)`.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for a mean that is negative or not finite, and memory that is not of floats.
    pub fn exponential<T: Element>(&self, random: &mut Random, mean: f64, out: &mut Memory<T>) -> Result<()> {
        if !(mean.is_finite() && mean >= 0.0) {
            return Err(Error::invalid(format!("an exponential distribution of mean {mean}")));
        }
        self.draw_floats("exponential", random, &[mean], out)
    }

    /// Fills memory of integers with numbers from `low` to `high - 1`, each as probable as the others (D. Lemire's method,
    /// ACM TOMACS 29, 2019).
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for an empty range, one of more than 2³² numbers or of numbers that the memory
    /// cannot hold, and memory that is not of integers.
    pub fn integers<T: Element>(&self, random: &mut Random, low: i64, high: i64, out: &mut Memory<T>) -> Result<()> {
        let scalar = scalar_of(out.untyped(), "out")?;
        let wrong = |why: &str| Err(Error::invalid(format!("integers from {low} to below {high}: {why}")));
        if scalar.is_float() || scalar == Scalar::Bool {
            return wrong(&format!("the memory is of {}", scalar.tag()));
        }
        let count = i128::from(high) - i128::from(low);
        if count < 1 {
            return wrong("there are none");
        }
        if count > 1 << 32 {
            return wrong("there are more than 2³²");
        }
        let holds =
            |number: i64| ScalarValue::I64(number).cast(scalar).is_ok_and(|cast| cast.integer() == Some(number.into()));
        if !holds(low) || !holds(high - 1) {
            return wrong(&format!("memory of {} does not hold all of them", scalar.tag()));
        }
        // 2³² becomes 0, which the kernel takes for it.
        let count = count as u32;
        let least = if count == 0 { 0 } else { count.wrapping_neg() % count };
        let low = ScalarValue::I64(low).cast(scalar).map_err(|error| Error::invalid(format!("{error:?}")))?;
        let drawn = Drawn { kernel: "integers", real: Scalar::F32, per_block: 4 };
        self.draw(&drawn, scalar, random, &[low.into_arg(), count.into_arg(), least.into_arg()], out)
    }

    /// Fills memory of integers or floats with numbers of the Poisson distribution of this mean. The time grows with the mean.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Invalid`] for a mean that is not between 0 and 10,000, and memory of structs.
    pub fn poisson<T: Element>(&self, random: &mut Random, mean: f64, out: &mut Memory<T>) -> Result<()> {
        if !(0.0..=LARGEST_MEAN).contains(&mean) {
            return Err(Error::invalid(format!(
                "a Poisson distribution of mean {mean}, which is not in 0 … {LARGEST_MEAN}"
            )));
        }
        let scalar = scalar_of(out.untyped(), "out")?;
        let pieces = (mean / PIECE).ceil().max(1.0);
        let limit = (-mean / pieces).exp() as f32;
        let drawn = Drawn { kernel: "poisson", real: Scalar::F32, per_block: 1 };
        self.draw(&drawn, scalar, random, &[(pieces as i32).into_arg(), limit.into_arg()], out)
    }

    fn draw_floats<T: Element>(
        &self,
        kernel: &'static str,
        random: &mut Random,
        parameters: &[f64],
        out: &mut Memory<T>,
    ) -> Result<()> {
        let scalar = scalar_of(out.untyped(), "out")?;
        if !scalar.is_float() {
            return Err(Error::invalid(format!("the {kernel} distribution in memory of {}", scalar.tag())));
        }
        let real = if scalar == Scalar::F64 { Scalar::F64 } else { Scalar::F32 };
        let drawn = Drawn { kernel, real, per_block: if real == Scalar::F64 { 2 } else { 4 } };
        let parameters: Vec<Arg<'_>> =
            parameters.iter().map(|number| ScalarValue::from_float(*number, real).into_arg()).collect();
        self.draw(&drawn, scalar, random, &parameters, out)
    }

    fn draw<T: Element>(
        &self,
        drawn: &Drawn,
        scalar: Scalar,
        random: &mut Random,
        parameters: &[Arg<'_>],
        out: &mut Memory<T>,
    ) -> Result<()> {
        let n = out.len();
        if n == 0 {
            return Ok(());
        }
        let blocks = n.div_ceil(drawn.per_block);
        let source = Source { text: TEXT, kernel: drawn.kernel };
        let kernel = self.state().programs.kernel(&self.device, &source, |macros| {
            macros.set_type("INDEX", index_type(n));
            macros.set("RANDOM_HAS_INT64", u8::from(self.device.capabilities().i64));
            macros.set("LONG_INDEX", u8::from(index_type(n) == Scalar::I64));
            macros.set("IS_DOUBLE", u8::from(drawn.real == Scalar::F64));
            macros.set_type("REAL", drawn.real);
            macros.set_type("RESULT", scalar);
            macros.set_type("UNSIGNED", if scalar.bytes() == 8 { Scalar::U64 } else { Scalar::U32 });
            Ok(())
        })?;
        let mut arguments = Args::new();
        arguments.extend([n.into_arg(), blocks.into_arg()]);
        for word in [random.seed, random.position] {
            arguments.extend([(word as u32).into_arg(), ((word >> 32) as u32).into_arg()]);
        }
        arguments.extend(parameters.iter().cloned());
        arguments.push(out.into_arg());
        kernel.launch_on(&self.stream, arguments)?;
        random.position = random.position.wrapping_add(blocks as u64);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_those_of_numba() {
        let mut states = Random::xoroshiro128p_states(12345, 2);
        let words: Vec<u64> = states.iter_mut().flat_map(|state| [state.next_word(), state.next_word()]).collect();
        assert_eq!(
            words,
            [
                4_909_773_178_422_829_888,
                14_992_774_260_258_564_232,
                10_799_700_523_726_587_470,
                14_536_687_174_110_443_773
            ]
        );
    }
}
