//! Sorted keys and indices: types, lengths around a tile's, keys that are equal, and numbers that are none.

use crate::check::{self, Failure, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Element, bytemuck, f16};
use ferrocca_primitives::Primitives;

cases!["primitives::sort"; unsigned_keys, signed_and_narrow_keys, floats_with_nan_last, halves, long_keys: I64, doubles: F64,
    indices_are_stable, in_place, descending, pairs, equal_keys_of_many_tiles, highest_keys, highest_of_many,
    unique_keys, wrong_lengths];

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

/// Floats, so that these cases share their kernels with the others, of which some drivers take long to compile each.
fn floats(len: usize, most: u32) -> Vec<f32> {
    random(len).iter().map(|key| (key % most) as f32 - 20.0).collect()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn descending(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let mut host = vec![1.0f32, f32::NAN, -0.0, 7.5, 0.0, f32::NEG_INFINITY, -3.0, 7.5];
    let (mut out, mut indices) = (device.malloc::<f32>(8)?, device.malloc::<i32>(8)?);
    let keys = device.malloc_from(&host)?;
    p.sort_descending(&keys, &mut out)?;
    p.arg_sort_descending(&keys, &mut indices)?;
    p.finish()?;
    let expected = [7.5, 7.5, 1.0, 0.0, -0.0, -3.0, f32::NEG_INFINITY, f32::NAN];
    check::same("keys", &bits(&out.to_vec()?), &bits(&expected))?;
    check::same("indices", &indices.to_vec()?, &[3, 7, 0, 4, 2, 6, 5, 1])?;
    host = floats(3_000, 5_000);
    let (keys, mut out) = (device.malloc_from(&host)?, device.malloc::<f32>(3_000)?);
    p.sort_descending(&keys, &mut out)?;
    host.sort_by(|a, b| b.total_cmp(a));
    p.finish()?;
    check::same("numbers", &out.to_vec()?, &host)
}

fn pairs(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = floats(2_500, 100);
    let values: Vec<i16> = (0..2_500).collect();
    let (mut keys, values_here) = (device.malloc_from(&host)?, device.malloc_from(&values)?);
    let mut sorted_values = device.malloc::<i16>(2_500)?;
    p.sort_pairs(&keys.share(), &values_here, &mut keys, &mut sorted_values)?;
    let mut order: Vec<usize> = (0..2_500).collect();
    order.sort_by(|a, b| host[*a].total_cmp(&host[*b]));
    p.finish()?;
    check::same("keys", &keys.to_vec()?, &order.iter().map(|i| host[*i]).collect::<Vec<_>>())?;
    check::same("values", &sorted_values.to_vec()?, &order.iter().map(|i| values[*i]).collect::<Vec<_>>())
}

fn highest_keys(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let keys = device.malloc_from(&[3.0f32, 9.0, -4.0, 9.0, 0.0, 7.0])?;
    for wanted in [0usize, 1, 4, 6] {
        let (mut out, mut indices) = (device.malloc::<f32>(wanted)?, device.malloc::<i32>(wanted)?);
        p.top_k(&keys, &mut out, &mut indices)?;
        p.finish()?;
        check::same("keys", &out.to_vec()?, &[9.0, 9.0, 7.0, 3.0, 0.0, -4.0][..wanted])?;
        check::same("indices", &indices.to_vec()?, &[1, 3, 5, 0, 4, 2][..wanted])?;
    }
    let (mut out, mut indices) = (device.malloc::<f32>(7)?, device.malloc::<i32>(7)?);
    check::refused("seven", p.top_k(&keys, &mut out, &mut indices), &["7 of 6 keys"])
}

/// Tiles of each width, and the last one not full; the many equal keys keep their order.
fn equal_keys_of_many_tiles(device: &Device) -> Outcome {
    let keys = random(8_300);
    sorts(device, &keys.iter().map(|key| (*key >> 9) as u8 % 3 * 100).collect::<Vec<_>>(), |key| *key)?;
    sorts(device, &keys.iter().map(|key| (*key >> 9) as u16 % 3 * 30_000).collect::<Vec<_>>(), |key| *key)?;
    sorts(device, &vec![5u32; 4_097], |key| *key)
}

/// Enough keys that only some of them are sorted.
fn highest_of_many(device: &Device) -> Outcome {
    fn check<T: Element>(device: &Device, host: &[T], rank: impl Fn(&T) -> u64) -> Outcome {
        let p = Primitives::new(device);
        let mut order: Vec<i32> = (0..host.len() as i32).collect();
        order.sort_by_key(|i| rank(&host[*i as usize]));
        let keys = device.malloc_from(host)?;
        for wanted in [1, 700, 2_000] {
            let (mut out, mut indices) = (device.malloc::<T>(wanted)?, device.malloc::<i32>(wanted)?);
            p.top_k(&keys, &mut out, &mut indices)?;
            p.finish()?;
            let expected: Vec<T> = order[..wanted].iter().map(|i| host[*i as usize]).collect();
            let what = format!("{wanted} of {}", T::DTYPE);
            check::same(&what, bytemuck::cast_slice::<T, u8>(&out.to_vec()?), bytemuck::cast_slice(&expected))?;
            check::same(&format!("indices of {what}"), &indices.to_vec()?, &order[..wanted])?;
        }
        Ok(())
    }
    let mut values: Vec<f32> = random(8_200).iter().map(|key| (*key % 900) as f32 - 450.0).collect();
    (values[5], values[4_200], values[17]) = (f32::NAN, f32::INFINITY, -0.0);
    // A NaN comes last in this order, too.
    check(device, &values, |x| match x.is_nan() {
        true => u64::MAX,
        false => u64::from(u32::MAX) - rank(u64::from(x.to_bits()), 32, 0x7f80_0000),
    })?;
    let bytes: Vec<i8> = random(8_200).iter().map(|key| (*key >> 7) as i8).collect();
    check(device, &bytes, |x| (127 - i64::from(*x)) as u64)?;
    check(device, &[3u32; 8_200], |_| 0)
}

fn unique_keys(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = [2.5f32, f32::NAN, 0.0, -1.0, 2.5, -0.0, f32::NAN, -1.0];
    let (mut out, mut count) = (device.malloc_filled(8, 7.0f32)?, device.malloc::<i32>(1)?);
    p.unique(&device.malloc_from(&host)?, &mut out, &mut count)?;
    p.finish()?;
    check::same("count", &count.to_vec()?, &[4])?;
    check::same("keys", &bits(&out.to_vec()?), &bits(&[-1.0, -0.0, 2.5, f32::NAN, 7.0, 7.0, 7.0, 7.0]))?;
    for len in [0, 1, 2, 4_500] {
        let mut host = floats(len, 1_000);
        let (mut out, mut count) = (device.malloc::<f32>(len)?, device.malloc::<i32>(1)?);
        p.unique(&device.malloc_from(&host)?, &mut out, &mut count)?;
        host.sort_by(f32::total_cmp);
        host.dedup();
        p.finish()?;
        check::same("count", &count.to_vec()?, &[host.len() as i32])?;
        check::same("keys", &out.to_vec()?[..host.len()], &host)?;
    }
    Ok(())
}

fn wrong_lengths(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let keys = device.malloc_from(&[3u32, 1, 2])?;
    check::refused("sort", p.sort(&keys, &mut device.malloc::<u32>(2)?), &["3 keys into memory of 2"])?;
    check::refused("arg_sort", p.arg_sort(&keys, &mut device.malloc::<i32>(4)?), &["3 keys, 4 indices"])
}
