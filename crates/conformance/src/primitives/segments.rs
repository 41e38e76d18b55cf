//! Segments of unlike lengths: reduced and scanned, in the order that the definition says.

use crate::check::{self, Outcome};
use crate::harness::{alone, cases};
use ferrocca_core::Device;
use ferrocca_primitives::{Operator, Primitives, formula};

cases!["primitives::segments"; short_sums, long_sums, extremes_and_empty_segments, own_operators, scans, few_long_segments,
    offsets_out_of_range,
    wrong_segments];

/// Values whose sum depends on their order.
fn values(len: usize) -> Vec<f32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-3 + 0.1).collect()
}

/// Offsets of segments whose lengths go around in `lengths`, until `len` elements are divided.
fn offsets(lengths: &[usize], len: usize) -> Vec<i32> {
    let mut offsets = vec![0];
    for length in lengths.iter().cycle() {
        let next = offsets[offsets.len() - 1] + *length as i32;
        if next as usize > len {
            return offsets;
        }
        offsets.push(next);
    }
    offsets
}

fn slices<'a>(values: &'a [f32], offsets: &'a [i32]) -> impl Iterator<Item = &'a [f32]> {
    offsets.windows(2).map(|pair| &values[pair[0] as usize..pair[1] as usize])
}

fn short_sums(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = values(5_000);
    let offsets = offsets(&[3, 0, 1, 17, 40], host.len());
    let (x, starts) = (device.malloc_from(&host)?, device.malloc_from(&offsets)?);
    let mut sums = device.malloc::<f32>(offsets.len() - 1)?;
    p.segments(formula!("x * 0.5f", x = &x), &starts).reduce(Operator::SUM, &mut sums)?;
    p.finish()?;
    let in_order = |values: &[f32]| values.iter().fold(0.0f32, |sum, x| sum + x * 0.5);
    check::same("sums", &sums.to_vec()?, &slices(&host, &offsets).map(in_order).collect::<Vec<_>>())
}

/// As 32 lanes.
fn by_lanes(values: &[f32]) -> f32 {
    let mut lanes: [f32; 32] = std::array::from_fn(|lane| values.iter().skip(lane).step_by(32).fold(0.0, |a, b| a + b));
    for half in [16, 8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
    }
    lanes[0]
}

fn long_sums(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = values(9_000);
    let offsets = offsets(&[31, 1, 0, 700, 33, 64], host.len());
    let (x, starts) = (device.malloc_from(&host)?, device.malloc_from(&offsets)?);
    let mut sums = device.malloc::<f32>(offsets.len() - 1)?;
    p.segments(&x, &starts).reduce(Operator::SUM, &mut sums)?;
    p.finish()?;
    check::same("sums", &sums.to_vec()?, &slices(&host, &offsets).map(by_lanes).collect::<Vec<_>>())
}

fn extremes_and_empty_segments(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc_from(&[3i32, -7, 5, 9])?;
    // The first element and the last one are in no segment.
    let starts = device.malloc_from(&[1u32, 3, 3])?;
    let mut highest = device.malloc::<i32>(2)?;
    p.segments(&x, &starts).reduce(Operator::MAX, &mut highest)?;
    p.finish()?;
    check::same("highest", &highest.to_vec()?, &[5, i32::MIN])?;
    p.segments(&x, &device.malloc_from(&[2u32])?).reduce(Operator::MAX, &mut device.malloc::<i32>(0)?)?;
    p.finish()?;
    Ok(())
}

fn own_operators(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc_from(&[1i32, 2, 3, 4, 5])?;
    let mut out = device.malloc::<i32>(2)?;
    // Not commutative: the values' order is the definition's.
    p.segments(&x, &device.malloc_from(&[0i16, 3, 5])?).reduce(Operator::new("10 * a + b", "0"), &mut out)?;
    p.finish()?;
    check::same("digits", &out.to_vec()?, &[123, 45])
}

fn scans(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = values(3_000);
    let offsets = offsets(&[5, 0, 300, 1], host.len());
    let (x, starts) = (device.malloc_from(&host)?, device.malloc_from(&offsets)?);
    let last = offsets[offsets.len() - 1] as usize;
    for is_inclusive in [true, false] {
        let mut out = device.malloc_filled(host.len(), -1.0f32)?;
        let segments = p.segments(&x, &starts);
        match is_inclusive {
            true => segments.scan_inclusive(Operator::SUM, &mut out)?,
            false => segments.scan_exclusive(Operator::SUM, &mut out)?,
        }
        let mut expected = vec![-1.0; host.len()];
        for pair in offsets.windows(2) {
            let mut sum = 0.0;
            for i in pair[0] as usize..pair[1] as usize {
                let before = sum;
                sum += host[i];
                expected[i] = if is_inclusive { sum } else { before };
            }
        }
        p.finish()?;
        check::that(last < host.len(), "some elements are in no segment")?;
        check::same("sums", &out.to_vec()?, &expected)?;
    }
    Ok(())
}

/// Segments that are cut into chunks.
fn few_long_segments(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = values(17_000);
    let offsets = [3i32, 3, 8_200, 8_201, 16_990];
    let (x, starts) = (device.malloc_from(&host)?, device.malloc_from(&offsets)?);
    let mut sums = device.malloc::<f32>(4)?;
    p.segments(&x, &starts).reduce(Operator::SUM, &mut sums)?;
    p.finish()?;
    let in_chunks = |values: &[f32]| by_lanes(&values.chunks(2048).map(by_lanes).collect::<Vec<_>>());
    check::same("sums", &sums.to_vec()?, &slices(&host, &offsets).map(in_chunks).collect::<Vec<_>>())?;
    for is_inclusive in [true, false] {
        let mut out = device.malloc_filled(host.len(), -1.0f32)?;
        let segments = p.segments(&x, &starts);
        match is_inclusive {
            true => segments.scan_inclusive(Operator::SUM, &mut out)?,
            false => segments.scan_exclusive(Operator::SUM, &mut out)?,
        }
        let mut expected = vec![-1.0; host.len()];
        for pair in offsets.windows(2) {
            let mut carry = 0.0f32;
            for start in (pair[0] as usize..pair[1] as usize).step_by(256) {
                let (mut sum, mut total) = (carry, 0.0f32);
                for i in start..(start + 256).min(pair[1] as usize) {
                    let before = sum;
                    sum += host[i];
                    total += host[i];
                    expected[i] = if is_inclusive { sum } else { before };
                }
                carry += total;
            }
        }
        p.finish()?;
        check::same("running sums", &out.to_vec()?, &expected)?;
    }
    let all = device.malloc_from(&[0u32, 17_000])?;
    let mut last = device.malloc::<i32>(17_000)?;
    p.segments(formula!("index % 7 == 0 ? 1 : 0", x = &x), &all).scan_inclusive(Operator::SUM, &mut last)?;
    p.finish()?;
    check::that(last.to_vec()?.iter().enumerate().all(|(i, count)| *count as usize == i / 7 + 1), "counts")
}

fn offsets_out_of_range(device: &Device) -> Outcome {
    // A wait tells whoever waits first.
    let device = &alone(device)?;
    let p = Primitives::new(device);
    let x = device.malloc_from(&[1.0f32, 2.0])?;
    let starts = device.malloc_from(&[0i32, 3])?;
    let mut out = device.malloc::<f32>(1)?;
    let outcome = p.segments(&x, &starts).reduce(Operator::SUM, &mut out).and_then(|()| p.finish());
    check::refused("an offset", outcome, &["2 elements"])
}

fn wrong_segments(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc_from(&[1.0f32, 2.0])?;
    let mut out = device.malloc::<f32>(1)?;
    let floats = p.segments(&x, &x).reduce(Operator::SUM, &mut out);
    check::refused("floats", floats, &["offsets are integers, not f32"])?;
    let starts = device.malloc_from(&[0i32, 1, 2])?;
    let lengths = p.segments(&x, &starts).reduce(Operator::SUM, &mut out);
    check::refused("lengths", lengths, &["2 segments into memory of 1"])?;
    let none = p.segments(&x, &device.malloc::<i32>(0)?).reduce(Operator::SUM, &mut out);
    check::refused("no offsets", none, &["one offset"])?;
    check::refused(
        "a scan",
        p.segments(&x, &starts).scan_inclusive(Operator::SUM, &mut out),
        &["2 elements into memory of 1"],
    )
}
