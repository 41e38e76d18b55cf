//! Sorted keys and indices: types, lengths around a tile's, keys that are equal, and numbers that are none.

use crate::check::{self, Failure, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Element, bytemuck, f16};
use ferrocca_primitives::Primitives;

cases!["primitives::sort"; unsigned_keys, signed_and_narrow_keys, floats_with_nan_last, halves, long_keys: I64, doubles: F64,
    indices_are_stable, in_place, wrong_lengths];

fn random(len: usize) -> Vec<u32> {
    let mut state = 7u32;
    let next = |_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state ^ state >> 15
    };
    (0..len).map(next).collect()
}

/// Sorts keys on the device, and here by what `rank` makes of each; compares all bits, and the indices.
fn sorts<T: Element, R: Ord>(device: &Device, host: &[T], rank: impl Fn(&T) -> R) -> Result<(), Failure> {
    let p = Primitives::new(device);
    let keys = device.malloc_from(host)?;
    let (mut out, mut indices) = (device.malloc::<T>(host.len())?, device.malloc::<i32>(host.len())?);
    p.sort(&keys, &mut out)?;
    p.arg_sort(&keys, &mut indices)?;
    let mut order: Vec<i32> = (0..host.len() as i32).collect();
    order.sort_by_key(|i| rank(&host[*i as usize]));
    let expected: Vec<T> = order.iter().map(|i| host[*i as usize]).collect();
    p.finish()?;
    let what = format!("{} keys of {}", host.len(), T::DTYPE);
    check::same(&what, bytemuck::cast_slice::<T, u8>(&out.to_vec()?), bytemuck::cast_slice(&expected))?;
    check::same(&format!("indices of {what}"), &indices.to_vec()?, &order)
}

fn unsigned_keys(device: &Device) -> Outcome {
    for len in [0, 1, 2, 2047, 2049, 4_500] {
        sorts(device, &random(len), |key| *key)?;
    }
    Ok(())
}

fn signed_and_narrow_keys(device: &Device) -> Outcome {
    let keys = random(1_200);
    sorts(device, &keys.iter().map(|key| *key as i32).collect::<Vec<_>>(), |key| *key)?;
    sorts(device, &keys.iter().map(|key| *key as i16).collect::<Vec<_>>(), |key| *key)?;
    sorts(device, &keys.iter().map(|key| *key as i8).collect::<Vec<_>>(), |key| *key)?;
    sorts(device, &keys.iter().map(|key| *key as u8).collect::<Vec<_>>(), |key| *key)
}

/// The order of bits of a float of `width` bits, where a NaN is above all.
fn rank(bits: u64, width: u32, infinite: u64) -> u64 {
    let sign = 1u64 << (width - 1);
    match bits {
        bits if bits & (sign - 1) > infinite => u64::MAX,
        bits if bits & sign != 0 => sign - 1 - (bits & (sign - 1)),
        bits => bits | sign,
    }
}

fn floats_with_nan_last(device: &Device) -> Outcome {
    let mut keys: Vec<f32> = random(1_200).into_iter().map(|bits| (bits >> 8) as f32 - 8e6).collect();
    let special = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MIN_POSITIVE, -1e-40];
    for (i, value) in special.into_iter().enumerate() {
        (keys[i * 130 + 11], keys[i * 77 + 2]) = (value, value);
    }
    sorts(device, &keys, |key| rank(key.to_bits().into(), 32, 0x7f80_0000))?;
    // Any bits at all.
    let keys: Vec<f32> = random(1_200).into_iter().map(f32::from_bits).collect();
    sorts(device, &keys, |key| rank(key.to_bits().into(), 32, 0x7f80_0000))
}

fn halves(device: &Device) -> Outcome {
    let keys: Vec<f16> = random(1_200).into_iter().map(|bits| f16::from_bits(bits as u16)).collect();
    sorts(device, &keys, |key| rank(key.to_bits().into(), 16, 0x7c00))
}

fn wide() -> Vec<u64> {
    let halves = random(800);
    halves.chunks(2).map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1])).collect()
}

fn long_keys(device: &Device) -> Outcome {
    sorts(device, &wide(), |key| *key)?;
    sorts(device, &wide().iter().map(|key| *key as i64).collect::<Vec<_>>(), |key| *key)
}

fn doubles(device: &Device) -> Outcome {
    let keys: Vec<f64> = wide().into_iter().map(f64::from_bits).collect();
    sorts(device, &keys, |key| rank(key.to_bits(), 64, 0x7ff0_0000_0000_0000))
}

fn indices_are_stable(device: &Device) -> Outcome {
    let keys: Vec<u32> = random(2_500).into_iter().map(|key| key % 5 * 1_000_003).collect();
    sorts(device, &keys, |key| *key)
}

fn in_place(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = random(2_200);
    let bytes: Vec<u8> = host.iter().map(|key| *key as u8).collect();
    let (mut keys, mut narrow) = (device.malloc_from(&host)?, device.malloc_from(&bytes)?);
    // An odd slice of it, beside what must stay.
    p.sort(&keys.slice(3..2_199)?, &mut keys.slice(3..2_199)?)?;
    p.sort(&narrow.share(), &mut narrow)?;
    let (mut expected, mut expected_narrow) = (host.clone(), bytes.clone());
    expected[3..2_199].sort_unstable();
    expected_narrow.sort_unstable();
    p.finish()?;
    check::same("keys", &keys.to_vec()?, &expected)?;
    check::same("bytes", &narrow.to_vec()?, &expected_narrow)?;
    keys.fill(0)?;
    Ok(())
}

fn wrong_lengths(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let keys = device.malloc_from(&[3u32, 1, 2])?;
    check::refused("sort", p.sort(&keys, &mut device.malloc::<u32>(2)?), &["3 keys into memory of 2"])?;
    check::refused("arg_sort", p.arg_sort(&keys, &mut device.malloc::<i32>(4)?), &["3 keys, 4 indices"])
}
