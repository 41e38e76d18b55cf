//! One value of many: each kind, each type, lengths around a tile's.

use super::definition;
use crate::check::{self, Failure, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Element, f16};
use ferrocca_primitives::{Operator, Primitives, Reduction, formula};

cases!["primitives::reduce"; float_sum_has_the_bits_of_the_tree, double_sum_has_the_bits_of_the_tree: F64,
    sum_of_floats_in_double: F64, products_and_extremes, nan_and_zeros, extremes_of_many_tiles, integers_wrap, long_integers: I64, narrow_types,
    any_and_all, indices_of_extremes, dot_norms_and_moments, fused_formula, users_operator, odd_slices, no_elements];

/// Around a strip, a tile, and several tiles.
const LENGTHS: [usize; 9] = [1, 31, 33, 511, 513, 4095, 4096, 4097, 3 * 4096 + 5];

/// Numbers of many magnitudes, whose sums round differently in each order.
fn floats(len: usize) -> Vec<f32> {
    let mut state = 12_345u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.4
    };
    (0..len).map(|i| next() * [1.0, 1e3, 1e-3, 37.0][i % 4]).collect()
}

/// Stores a reduction in memory and reads that, and asks for the value, which must be the same.
fn value<T: Element + PartialEq>(device: &Device, reduction: Reduction<'_>) -> Result<T, Failure> {
    let mut out = device.malloc_filled(3, T::zeroed())?;
    reduction.store(&mut out.slice(1..2)?)?;
    device.finish()?;
    let stored = out.to_vec()?;
    check::that(bytes(&stored[0]) == bytes(&T::zeroed()), "the element before the result was written")?;
    check::that(bytes(&stored[2]) == bytes(&T::zeroed()), "the element behind the result was written")?;
    let value = reduction.get::<T>()?;
    check::that(bytes(&value) == bytes(&stored[1]), "`get` and `store` differ")?;
    out.copy_from(&[T::zeroed(); 3])?;
    Ok(value)
}

fn bytes<T: Element>(value: &T) -> &[u8] {
    ferrocca_core::bytemuck::bytes_of(value)
}

fn float_sum_has_the_bits_of_the_tree(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in LENGTHS {
        let host = floats(len);
        let sum: f32 = value(device, p.sum(&device.malloc_from(&host)?))?;
        check::equal(&format!("sum of {len}"), sum.to_bits(), definition::reduce(&host, 0.0, |a, b| a + b).to_bits())?;
    }
    Ok(())
}

fn double_sum_has_the_bits_of_the_tree(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in LENGTHS {
        let host: Vec<f64> = floats(len).into_iter().map(|x| f64::from(x) / 3.0).collect();
        let sum: f64 = value(device, p.sum(&device.malloc_from(&host)?))?;
        check::equal(&format!("sum of {len}"), sum.to_bits(), definition::reduce(&host, 0.0, |a, b| a + b).to_bits())?;
    }
    Ok(())
}

fn sum_of_floats_in_double(device: &Device) -> Outcome {
    let host = floats(9_000);
    let wide: Vec<f64> = host.iter().map(|x| f64::from(*x)).collect();
    let sum: f64 = value(device, Primitives::new(device).sum(&device.malloc_from(&host)?))?;
    check::equal("sum", sum.to_bits(), definition::reduce(&wide, 0.0, |a, b| a + b).to_bits())
}

fn products_and_extremes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host: Vec<f32> = floats(5_000).into_iter().map(|x| 1.0 + x * 1e-6).collect();
    let x = device.malloc_from(&host)?;
    let product: f32 = value(device, p.product(&x))?;
    check::equal("product", product.to_bits(), definition::reduce(&host, 1.0, |a, b| a * b).to_bits())?;
    check::equal("min", value::<f32>(device, p.min(&x))?, host.iter().copied().fold(f32::INFINITY, f32::min))?;
    check::equal("max", value::<f32>(device, p.max(&x))?, host.iter().copied().fold(f32::NEG_INFINITY, f32::max))
}

fn nan_and_zeros(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for at in [0, 40, 4_999] {
        let mut host = floats(5_000);
        host[at] = f32::NAN;
        let x = device.malloc_from(&host)?;
        for (name, reduction) in [("sum", p.sum(&x)), ("min", p.min(&x)), ("max", p.max(&x)), ("mean", p.mean(&x))] {
            let found: f32 = reduction.get()?;
            check::that(found.is_nan(), format!("{name} with a NaN at {at} is {found}"))?;
        }
        check::equal("argmin", value::<i32>(device, p.arg_min(&x))?, at as i32)?;
        check::equal("argmax", value::<i32>(device, p.arg_max(&x))?, at as i32)?;
    }
    let infinite = device.malloc_from(&[1.0, f32::INFINITY, -2.0, f32::INFINITY])?;
    check::equal("sum", value::<f32>(device, p.sum(&infinite))?, f32::INFINITY)?;
    check::equal("max", value::<f32>(device, p.max(&infinite))?, f32::INFINITY)?;
    check::equal("argmax", value::<i32>(device, p.arg_max(&infinite))?, 1)?;
    // Lane 0 has the first, lane 32 the one of the next strip: the first in the tree's order wins.
    let mut zeros = vec![1.0f32; 600];
    (zeros[0], zeros[512]) = (-0.0, 0.0);
    let least: f32 = value(device, p.min(&device.malloc_from(&zeros)?))?;
    check::equal("min of zeros", least.to_bits(), (-0.0f32).to_bits())
}

/// The index is looked for in the first tile that has the extreme value.
fn extremes_of_many_tiles(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let mut host: Vec<f32> = (0..13_000).map(|i| ((i * 7_919) % 4_001) as f32).collect();
    (host[4_500], host[4_600], host[9_000], host[0]) = (5_000.0, 5_000.0, 5_000.0, 0.5);
    (host[8_191], host[8_192]) = (-7.0, -7.0);
    let check = |host: &[f32], lowest: i64, highest: i64| {
        let x = device.malloc_from(host)?;
        check::equal("argmin", i64::from(value::<i32>(device, p.arg_min(&x))?), lowest)?;
        check::equal("argmax", i64::from(value::<i32>(device, p.arg_max(&x))?), highest)?;
        let shifted = formula!("index >= 4601 ? x : -x", x = &x);
        check::equal(
            "of a formula",
            i64::from(value::<i32>(device, p.arg_max(shifted))?),
            if lowest == highest { lowest } else { 9_000 },
        )
    };
    check(&host, 8_191, 4_500)?;
    host[12_999] = f32::NAN;
    check(&host, 12_999, 12_999)?;
    host[6_000] = f32::NAN;
    check(&host, 6_000, 6_000)
}

fn integers_wrap(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host: Vec<i32> = (0..5_000).map(|i: i32| i.wrapping_mul(1_103_515_245)).collect();
    let x = device.malloc_from(&host)?;
    check::equal("sum", value::<i32>(device, p.sum(&x))?, host.iter().fold(0, |a: i32, b| a.wrapping_add(*b)))?;
    let odd: Vec<i32> = host.iter().map(|x| x | 1).collect();
    let product = value::<i32>(device, p.product(&device.malloc_from(&odd)?))?;
    check::equal("product", product, odd.iter().fold(1, |a: i32, b| a.wrapping_mul(*b)))?;
    check::equal("min", value::<i32>(device, p.min(&x))?, host.iter().copied().min().unwrap_or(0))?;
    let unsigned: Vec<u32> = host.iter().map(|x| *x as u32).collect();
    let most: u32 = value(device, p.max(&device.malloc_from(&unsigned)?))?;
    check::equal("max of u32", most, unsigned.iter().copied().max().unwrap_or(0))?;
    let count: i32 = value(device, p.sum(formula!("x > limit", x = &x, limit = 5i32)))?;
    check::equal("count", count, host.iter().filter(|x| **x > 5).count() as i32)
}

fn long_integers(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host: Vec<i32> = (0..5_000).map(|i| 2_000_000_000 - i).collect();
    let x = device.malloc_from(&host)?;
    let sum = host.iter().map(|x| i64::from(*x)).sum::<i64>();
    check::equal("sum", value::<i64>(device, p.sum(&x))?, sum)?;
    let wide: Vec<i64> = host.iter().map(|x| i64::from(*x) * -4_000_000_000).collect();
    let x = device.malloc_from(&wide)?;
    check::equal("min", value::<i64>(device, p.min(&x))?, wide.iter().copied().min().unwrap_or(0))?;
    check::equal("max", value::<i64>(device, p.max(&x))?, wide.iter().copied().max().unwrap_or(0))?;
    check::equal("argmin", value::<u64>(device, p.arg_min(&x))?, 0)?;
    let unsigned = device.malloc_from(&[u64::MAX, 3])?;
    check::equal("sum of u64", value::<u64>(device, p.sum(&unsigned))?, 2)
}

fn narrow_types(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let bytes: Vec<i8> = (0..700).map(|i| (i * 37 % 256) as u8 as i8).collect();
    let x = device.malloc_from(&bytes)?;
    check::equal("sum", value::<i8>(device, p.sum(&x))?, bytes.iter().fold(0i8, |a, b| a.wrapping_add(*b)))?;
    check::equal("wide sum", value::<i32>(device, p.sum(&x))?, bytes.iter().map(|x| i32::from(*x)).sum::<i32>())?;
    check::equal("min", value::<i8>(device, p.min(&x))?, -128)?;
    let words: Vec<u16> = (0..700).map(|i| i * 91).collect();
    let x = device.malloc_from(&words)?;
    check::equal("max of u16", value::<u16>(device, p.max(&x))?, words.iter().copied().max().unwrap_or(0))?;
    // A half is summed as a float, and rounded once.
    let halves: Vec<f16> = floats(700).into_iter().map(f16::from_f32).collect();
    let wide: Vec<f32> = halves.iter().map(|x| x.to_f32()).collect();
    let sum = definition::reduce(&wide, 0.0, |a, b| a + b);
    let x = device.malloc_from(&halves)?;
    check::equal("sum of halves", value::<f32>(device, p.sum(&x))?.to_bits(), sum.to_bits())?;
    check::equal("half of that", value::<f16>(device, p.sum(&x))?.to_bits(), f16::from_f32(sum).to_bits())
}

fn any_and_all(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let mut host = vec![0u8; 5_000];
    let answer = |host: &[u8]| -> Result<(u8, u8), Failure> {
        let x = device.malloc_from(host)?;
        Ok((value(device, p.any(&x))?, value(device, p.all(&x))?))
    };
    check::equal("zeros", answer(&host)?, (0, 0))?;
    host[4_321] = 4;
    check::equal("one", answer(&host)?, (1, 0))?;
    host.fill(2);
    check::equal("twos", answer(&host)?, (1, 1))?;
    host[4_999] = 0;
    check::equal("all but one", answer(&host)?, (1, 0))?;
    let fractions = device.malloc_from(&[0.25f32, f32::NAN])?;
    check::equal("fractions", value::<i32>(device, p.all(&fractions))?, 1)
}

fn indices_of_extremes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in LENGTHS {
        let mut host: Vec<i32> = (0..len as i32).map(|i| i * 7919 % 1009).collect();
        if len > 600 {
            // Several extremes, in lanes of which the second comes first in the tree.
            (host[500], host[520], host[len - 1]) = (-5, -5, -5);
            (host[33], host[512], host[540]) = (5_000, 5_000, 5_000);
        }
        let lowest = host.iter().copied().min().and_then(|least| host.iter().position(|x| *x == least));
        let highest = host.iter().copied().max().and_then(|most| host.iter().position(|x| *x == most));
        let x = device.malloc_from(&host)?;
        check::equal(&format!("argmin of {len}"), Some(value::<i32>(device, p.arg_min(&x))? as usize), lowest)?;
        check::equal(&format!("argmax of {len}"), Some(value::<u32>(device, p.arg_max(&x))? as usize), highest)?;
    }
    Ok(())
}

fn dot_norms_and_moments(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let (a, b) = (floats(5_001), floats(6_000)[999..].to_vec());
    let (x, y) = (device.malloc_from(&a)?, device.malloc_from(&b)?);
    let tree = |values: Vec<f32>| definition::reduce(&values, 0.0, |a, b| a + b);
    let products = a.iter().zip(&b).map(|(a, b)| a * b).collect();
    check::equal("dot", value::<f32>(device, p.dot(&x, &y))?.to_bits(), tree(products).to_bits())?;
    let absolute = tree(a.iter().map(|x| x.abs()).collect());
    check::equal("norm_1", value::<f32>(device, p.norm_1(&x))?.to_bits(), absolute.to_bits())?;
    let squares = tree(a.iter().map(|x| x * x).collect());
    check::equal("norm_2", value::<f32>(device, p.norm_2(&x))?.to_bits(), squares.sqrt().to_bits())?;
    let largest = a.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    check::equal("norm_max", value::<f32>(device, p.norm_max(&x))?, largest)?;
    let mean = tree(a.clone()) / a.len() as f32;
    check::equal("mean", value::<f32>(device, p.mean(&x))?.to_bits(), mean.to_bits())?;
    let spread = tree(a.iter().map(|x| (x - mean) * (x - mean)).collect());
    let variance = spread / (a.len() - 1) as f32;
    check::equal("variance", value::<f32>(device, p.variance(&x, 1))?.to_bits(), variance.to_bits())?;
    let deviation = value::<f32>(device, p.standard_deviation(&x, 1))?;
    check::equal("standard deviation", deviation.to_bits(), variance.sqrt().to_bits())
}

fn fused_formula(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let (a, b) = (floats(4_200), floats(4_300)[100..].to_vec());
    let (x, y, scale) = (device.malloc_from(&a)?, device.malloc_from(&b)?, device.malloc_from(&[0.75f32])?);
    let text = "x < y ? x * s :\n y * t + index % 2";
    let sum = p.sum(formula!(text, x = &x, y = &y, s = &scale, t = 3.0f32));
    let host = a.iter().zip(&b).enumerate();
    let host: Vec<f32> = host.map(|(i, (x, y))| if x < y { x * 0.75 } else { y * 3.0 + (i % 2) as f32 }).collect();
    let expected = definition::reduce(&host, 0.0, |a, b| a + b);
    check::equal("sum", value::<f32>(device, sum)?.to_bits(), expected.to_bits())
}

fn users_operator(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host: Vec<u32> = (0..5_000).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
    let x = device.malloc_from(&host)?;
    let parity: u32 = value(device, p.reduce(&x, Operator::new("a ^ b", "0u")))?;
    check::equal("exclusive or", parity, host.iter().fold(0, |a, b| a ^ b))?;
    // Not associative, so that each step must be in its place.
    let mixed: u32 = value(device, p.reduce(&x, Operator::new("a * 31u + (b ^ a >> 3)", "7u")))?;
    let step = |a: u32, b: u32| a.wrapping_mul(31).wrapping_add(b ^ (a >> 3));
    check::equal("hash", mixed, definition::reduce(&host, 7, step))
}

fn odd_slices(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = floats(9_000);
    let x = device.malloc_from(&host)?;
    for range in [1..2, 3..4_100, 7..8_999, 4_095..8_192] {
        let sum: f32 = value(device, p.sum(&x.slice(range.clone())?))?;
        let expected = definition::reduce(&host[range.clone()], 0.0, |a, b| a + b);
        check::equal(&format!("sum of {range:?}"), sum.to_bits(), expected.to_bits())?;
    }
    Ok(())
}

fn no_elements(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc::<f32>(0)?;
    check::equal("sum", value::<f32>(device, p.sum(&x))?.to_bits(), 0)?;
    check::equal("product", value::<f32>(device, p.product(&x))?, 1.0)?;
    check::equal("norm_max", value::<f32>(device, p.norm_max(&x))?, 0.0)?;
    check::equal("any, all", (value::<u8>(device, p.any(&x))?, value::<u8>(device, p.all(&x))?), (0, 1))?;
    let mean: f32 = p.mean(&x).get()?;
    let variance: f32 = p.variance(&device.malloc_from(&[1.0f32])?, 1).get()?;
    check::that(mean.is_nan() && variance.is_nan(), format!("mean {mean}, variance {variance}"))?;
    check::refused("min", p.min(&x).get::<f32>(), &["no elements"])?;
    check::refused("argmax", p.arg_max(&x).get::<i32>(), &["no elements"])
}
