//! Random numbers: those of Philox and of the definition of each distribution, the same on every device.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Element, Memory, args, f16};
use ferrocca_primitives::{Primitives, Random};

cases!["primitives::random"; uniform_floats, uniform_doubles: F64, integers_of_ranges, long_integers: I64, normal_numbers,
    normal_doubles: F64, exponential_numbers, poisson_numbers, states_of_numba: I64, wrong_parameters];

const SEED: u64 = 0x0123_4567_89ab_cdef;

/// Philox4x32-10, written down a second time.
fn philox(mut c: [u32; 4], seed: u64) -> [u32; 4] {
    let mut key = [seed as u32, (seed >> 32) as u32];
    for _ in 0..10 {
        let products = [0xD251_1F53u64 * u64::from(c[0]), 0xCD9E_8D57u64 * u64::from(c[2])];
        c = [
            (products[1] >> 32) as u32 ^ c[1] ^ key[0],
            products[1] as u32,
            (products[0] >> 32) as u32 ^ c[3] ^ key[1],
            products[0] as u32,
        ];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    c
}

/// The words of the blocks from `position` on.
fn words(position: u64, blocks: u64) -> Vec<u32> {
    let block = |at: u64| philox([at as u32, (at >> 32) as u32, 0, 1], SEED);
    (0..blocks).flat_map(|i| block(position.wrapping_add(i))).collect()
}

/// Memory that a distribution fills, and what it took.
fn drawn<T: Element + Copy + Default>(
    device: &Device,
    len: usize,
    position: u64,
    fill: impl FnOnce(&Primitives, &mut Random, &mut Memory<T>) -> ferrocca_core::Result<()>,
) -> ferrocca_core::Result<(Vec<T>, u64)> {
    let p = Primitives::new(device);
    let mut random = Random::new(SEED).at(position);
    let mut memory = device.malloc::<T>(len)?;
    fill(&p, &mut random, &mut memory)?;
    p.finish()?;
    Ok((memory.to_vec()?, random.position().wrapping_sub(position)))
}

fn uniform_floats(device: &Device) -> Outcome {
    // The last block's number has 64 bits.
    for (len, position) in [(0, 5), (1, 0), (5, 7), (1030, u64::from(u32::MAX) - 3)] {
        let (numbers, taken) = drawn(device, len, position, |p, random, out| p.uniform(random, -1.0, 1.0, out))?;
        let expected: Vec<f32> = words(position, len.div_ceil(4) as u64)
            .iter()
            .map(|word| -1.0 + 2.0 * ((word >> 8) as f32 / 16_777_216.0))
            .take(len)
            .collect();
        check::same(&format!("{len} floats"), &numbers, &expected)?;
        check::same("blocks", &[taken], &[len.div_ceil(4) as u64])?;
    }
    let (halves, _) = drawn::<f16>(device, 8, 0, |p, random, out| p.uniform(random, 0.0, 4.0, out))?;
    let expected: Vec<f16> =
        words(0, 2).iter().map(|word| f16::from_f32(4.0 * ((word >> 8) as f32 / 16_777_216.0))).collect();
    check::same("halves", &halves, &expected)
}

fn uniform_doubles(device: &Device) -> Outcome {
    let (numbers, taken) = drawn(device, 7, 2, |p, random, out| p.uniform(random, 0.0, 1.0, out))?;
    let expected: Vec<f64> = words(2, 4)
        .chunks(2)
        .map(|pair| ((u64::from(pair[1]) << 32 | u64::from(pair[0])) >> 11) as f64 / 9_007_199_254_740_992.0)
        .take(7)
        .collect();
    check::same("doubles", &numbers, &expected)?;
    check::same("blocks", &[taken], &[4])
}

/// What `integers` gives: a word decides, or that of the next attempt.
fn integer(position: u64, i: usize, count: u64) -> u64 {
    let least = (1u64 << 32) % count;
    let block = position + i as u64 / 4;
    let attempts = (0..).map(|attempt| philox([block as u32, (block >> 32) as u32, attempt, 1], SEED)[i % 4]);
    let products = attempts.map(|word| u64::from(word) * count);
    products.into_iter().find(|product| u64::from(*product as u32) >= least).map_or(0, |product| product >> 32)
}

fn integers_of_ranges(device: &Device) -> Outcome {
    let ranges = [
        (0i64, 6i64),
        (-3, 4),
        (5, 6),
        (i64::from(i32::MIN), i64::from(i32::MAX) + 1),
        (-1_500_000_000, 1_500_000_000),
    ];
    for (low, high) in ranges {
        let (numbers, _) = drawn::<i32>(device, 301, 9, |p, random, out| p.integers(random, low, high, out))?;
        let expected: Vec<i32> = (0..301).map(|i| (low + integer(9, i, (high - low) as u64) as i64) as i32).collect();
        check::same(&format!("{low} … {high}"), &numbers, &expected)?;
    }
    let (bytes, _) = drawn::<u8>(device, 50, 0, |p, random, out| p.integers(random, 0, 256, out))?;
    let expected: Vec<u8> = (0..50).map(|i| integer(0, i, 256) as u8).collect();
    check::same("bytes", &bytes, &expected)
}

fn long_integers(device: &Device) -> Outcome {
    let low = -5_000_000_000i64;
    let (numbers, _) = drawn::<i64>(device, 41, 0, |p, random, out| p.integers(random, low, low + (1 << 32), out))?;
    let expected: Vec<i64> = (0..41).map(|i| low + integer(0, i, 1 << 32) as i64).collect();
    check::same("integers", &numbers, &expected)
}

/// All bits of floats, in one number.
fn fingerprint(bits: impl Iterator<Item = u64>) -> u64 {
    bits.fold(0xcbf2_9ce4_8422_2325, |hash, bits| (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Mean and variance of numbers, where those of the distribution are given: within five standard errors.
fn moments(what: &str, numbers: &[f64], mean: f64, variance: f64, fourth: f64) -> Outcome {
    let n = numbers.len() as f64;
    let got = numbers.iter().sum::<f64>() / n;
    let spread = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    check::that((got - mean).abs() < 5.0 * (variance / n).sqrt(), format!("the mean of {what} is {got}"))?;
    let error = ((fourth - variance * variance) / n).sqrt();
    check::that((spread - variance).abs() < 5.0 * error, format!("the variance of {what} is {spread}"))
}

fn normal_numbers(device: &Device) -> Outcome {
    let (numbers, _) = drawn::<f32>(device, 20_001, 0, |p, random, out| p.normal(random, 0.0, 1.0, out))?;
    moments("normal numbers", &numbers.iter().map(|x| f64::from(*x)).collect::<Vec<_>>(), 0.0, 1.0, 3.0)?;
    for (pair, numbers) in words(0, 5000).chunks(2).zip(numbers.chunks(2)) {
        // 24 digits of the radius' number count.
        let cut = 8u32.saturating_sub(pair[0].leading_zeros());
        let [radius, angle] = [pair[0] >> cut << cut, pair[1]].map(|word| f64::from(word) / 4_294_967_296.0);
        let (r, phi) = ((-2.0 * radius.ln()).sqrt(), std::f64::consts::TAU * angle);
        let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 2e-6;
        check::that(
            near(numbers[0], r * phi.cos()) && near(numbers[1], r * phi.sin()),
            format!("{numbers:?} is not {r} at the angle {phi}"),
        )?;
    }
    check::same("bits", &[fingerprint(numbers.iter().map(|x| u64::from(x.to_bits())))], &[1_375_720_014_700_860_939])
}

fn normal_doubles(device: &Device) -> Outcome {
    let (numbers, _) = drawn::<f64>(device, 20_001, 0, |p, random, out| p.normal(random, 10.0, 3.0, out))?;
    moments("normal numbers", &numbers, 10.0, 9.0, 3.0 * 81.0)?;
    check::same("bits", &[fingerprint(numbers.iter().map(|x| x.to_bits()))], &[7_119_345_002_999_897_822])
}

fn exponential_numbers(device: &Device) -> Outcome {
    let (numbers, _) = drawn::<f32>(device, 20_001, 0, |p, random, out| p.exponential(random, 2.0, out))?;
    moments("exponential numbers", &numbers.iter().map(|x| f64::from(*x)).collect::<Vec<_>>(), 2.0, 4.0, 9.0 * 16.0)?;
    for (word, number) in words(0, 5000).iter().zip(&numbers) {
        let expected = -2.0 * (f64::from(*word) / 4_294_967_296.0).ln();
        check::that(
            (f64::from(*number) - expected).abs() < 1e-6 * expected.max(1.0),
            format!("{number} is not {expected}"),
        )?;
    }
    check::same("bits", &[fingerprint(numbers.iter().map(|x| u64::from(x.to_bits())))], &[2_179_083_416_600_810_019])
}

fn poisson_numbers(device: &Device) -> Outcome {
    for mean in [0.0, 0.5, 4.0, 30.0] {
        let (numbers, _) = drawn::<i32>(device, 4_000, 3, |p, random, out| p.poisson(random, mean, out))?;
        let pieces = (mean / 12.0f64).ceil().max(1.0);
        let limit = (-mean / pieces).exp() as f32;
        let expected: Vec<i32> = (0..4_000u64)
            .map(|i| {
                let block = 3 + i;
                let words = (0..).flat_map(|attempt| philox([block as u32, 0, attempt, 1], SEED));
                let mut units = words.map(|word| ((word >> 8) + 1) as f32 / 16_777_216.0);
                let piece = |_| {
                    let products = units.by_ref().scan(1.0f32, |product, unit| {
                        *product *= unit;
                        Some(*product)
                    });
                    products.take_while(|product| *product >= limit).count() as i32
                };
                (0..pieces as i32).map(piece).sum()
            })
            .collect();
        check::same(&format!("mean {mean}"), &numbers, &expected)?;
        if mean > 0.0 {
            let numbers: Vec<f64> = numbers.iter().map(|x| f64::from(*x)).collect();
            moments("Poisson numbers", &numbers, mean, mean, mean + 3.0 * mean * mean)?;
        }
    }
    Ok(())
}

const XOROSHIRO: &str = "
    #include <ferrocca/random.h>
    @kernel void draw(const int n, xoroshiro128p *states, float *first, unsigned long *second) {
      for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
        first[i] = xoroshiro128p_uniform_float32(states, i);
        second[i] = xoroshiro128p_next(states, i);
      }
    }";

fn states_of_numba(device: &Device) -> Outcome {
    let mut host = Random::xoroshiro128p_states(12345, 100);
    let mut states = device.malloc_from(&host)?;
    let (mut first, mut second) = (device.malloc::<f32>(100)?, device.malloc::<u64>(100)?);
    let kernel = device.build_kernel_from_string(XOROSHIRO, "draw", "")?;
    kernel.launch(args![100, &mut states, &mut first, &mut second])?;
    let floats: Vec<f32> =
        host.iter_mut().map(|state| ((state.next_word() >> 11) as f64 / 9_007_199_254_740_992.0) as f32).collect();
    let words: Vec<u64> = host.iter_mut().map(|state| state.next_word()).collect();
    check::same("floats", &first.to_vec()?, &floats)?;
    check::same("words", &second.to_vec()?, &words)?;
    let after: Vec<u64> = states.to_vec()?.iter().flat_map(|state| [state.s0, state.s1]).collect();
    check::same("states", &after, &host.iter().flat_map(|state| [state.s0, state.s1]).collect::<Vec<_>>())
}

fn wrong_parameters(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let mut random = Random::new(1);
    let (mut floats, mut bytes) = (device.malloc::<f32>(4)?, device.malloc::<u8>(4)?);
    check::refused("limits", p.uniform(&mut random, 1.0, 0.0, &mut floats), &["uniform", "from 1 to 0"])?;
    check::refused("a NaN", p.normal(&mut random, 0.0, f64::NAN, &mut floats), &["normal", "NaN"])?;
    check::refused("integers", p.normal(&mut random, 0.0, 1.0, &mut bytes), &["normal", "memory of u8"])?;
    check::refused("no range", p.integers(&mut random, 3, 3, &mut bytes), &["there are none"])?;
    check::refused("a range", p.integers(&mut random, 0, 257, &mut bytes), &["memory of u8 does not hold"])?;
    check::refused("floats", p.integers(&mut random, 0, 2, &mut floats), &["the memory is of f32"])?;
    check::refused("a mean", p.poisson(&mut random, -1.0, &mut bytes), &["mean -1"])?;
    check::same("the position", &[random.position()], &[0])
}
