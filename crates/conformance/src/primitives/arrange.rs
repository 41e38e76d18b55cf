//! Elements moved to other places, and counted by value.

use crate::check::{self, Outcome};
use crate::harness::{alone, cases};
use ferrocca_core::Device;
use ferrocca_primitives::{Primitives, formula};

cases!["primitives::arrange"; compact_keeps_the_order, partition_keeps_all, no_room, gather_and_scatter, indices_out_of_range,
    transposes, counts_of_numbers, histograms, histograms_of_edges, long_counts: I64, wrong_histograms];

const LENGTHS: [usize; 8] = [0, 1, 2047, 2048, 2049, 4096, 4097, 9000];

fn numbers(len: usize) -> Vec<i32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 12) as i32 % 1000 - 300).collect()
}

fn compact_keeps_the_order(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in LENGTHS {
        let host = numbers(len);
        let x = device.malloc_from(&host)?;
        for limit in [-1000, 0, 1000] {
            let (mut out, mut count) = (device.malloc_filled(len, 77i32)?, device.malloc_filled(1, -1i32)?);
            let taken = p.compact(formula!("2 * x", x = &x), formula!("x > limit", x = &x, limit = limit));
            taken.store(&mut out, &mut count)?;
            let mut expected: Vec<i32> = host.iter().filter(|x| **x > limit).map(|x| 2 * x).collect();
            p.finish()?;
            check::same("count", &count.to_vec()?, &[expected.len() as i32])?;
            expected.resize(len, 77);
            check::same(&format!("{len} above {limit}"), &out.to_vec()?, &expected)?;
        }
    }
    Ok(())
}

fn partition_keeps_all(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in LENGTHS {
        let host = numbers(len);
        let x = device.malloc_from(&host)?;
        let (mut out, mut count) = (device.malloc::<i32>(len)?, device.malloc::<u32>(1)?);
        // A mask of fractions: what is not zero counts.
        p.partition(&x, formula!("(x & 1) * 0.25f", x = &x)).store(&mut out, &mut count)?;
        let (mut odd, even): (Vec<i32>, Vec<i32>) = host.iter().partition(|x| **x & 1 == 1);
        p.finish()?;
        check::same("count", &count.to_vec()?, &[odd.len() as u32])?;
        odd.extend(even);
        check::same(&format!("{len} elements"), &out.to_vec()?, &odd)?;
    }
    Ok(())
}

fn no_room(device: &Device) -> Outcome {
    // A wait tells whoever waits first.
    let device = &alone(device)?;
    let p = Primitives::new(device);
    let x = device.malloc_from(&numbers(600))?;
    let (mut out, mut count) = (device.malloc_filled(10, 0i32)?, device.malloc::<i32>(1)?);
    let all = p.compact(&x, formula!("index >= 0", x = &x));
    let outcome = all.store(&mut out, &mut count).and_then(|()| p.finish());
    check::refused("ten elements", outcome, &["results", "10 elements"])?;
    let lengths = p.compact(&x, &device.malloc_from(&[1, 0])?).store(&mut out, &mut count);
    check::refused("a short mask", lengths, &["[600]", "[2]"])?;
    let floats = p.compact(&x, &x).store(&mut out, &mut device.malloc::<f32>(1)?);
    check::refused("a count of floats", floats, &["memory of one integer"])
}

fn gather_and_scatter(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = numbers(5_000);
    let x = device.malloc_from(&host)?;
    // 1009 and 5000 have no common divisor: every index stands once.
    let places: Vec<u32> = (0..5_000).map(|i| i * 1009 % 5_000).collect();
    let indices = device.malloc_from(&places)?;
    let (mut gathered, mut scattered) = (device.malloc::<i32>(5_000)?, device.malloc::<i32>(5_000)?);
    p.gather(&x, &indices, &mut gathered)?;
    p.scatter(&gathered, &indices, &mut scattered)?;
    p.finish()?;
    let expected: Vec<i32> = places.iter().map(|at| host[*at as usize]).collect();
    check::same("gathered", &gathered.to_vec()?, &expected)?;
    check::same("scattered", &scattered.to_vec()?, &host)?;
    let mut few = device.malloc::<i32>(3)?;
    p.gather(&x, &device.malloc_from(&[4_999i16, 0, 7])?, &mut few)?;
    p.finish()?;
    check::same("few", &few.to_vec()?, &[host[4_999], host[0], host[7]])
}

fn indices_out_of_range(device: &Device) -> Outcome {
    // A wait tells whoever waits first.
    let device = &alone(device)?;
    let p = Primitives::new(device);
    let x = device.malloc_from(&[1.0f32, 2.0])?;
    for wrong in [2, -1] {
        let indices = device.malloc_from(&[0i32, wrong])?;
        let mut out = device.malloc::<f32>(2)?;
        let outcome = p.gather(&x, &indices, &mut out).and_then(|()| p.finish());
        check::refused("gather", outcome, &["`values`", &wrong.to_string(), "2 elements"])?;
    }
    let floats = p.gather(&x, &x.share(), &mut device.malloc::<f32>(2)?);
    check::refused("floats", floats, &["indices are integers, not f32"])?;
    let lengths = p.gather(&x, &device.malloc_from(&[0i32])?, &mut device.malloc::<f32>(2)?);
    check::refused("lengths", lengths, &["1 elements on one side, 2 on the other"])
}

fn transposes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for (rows, columns) in [(0, 3), (1, 1), (1, 100), (33, 1), (32, 32), (31, 65), (100, 70)] {
        let host = numbers(rows * columns);
        let mut out = device.malloc::<i32>(rows * columns)?;
        p.transpose(&device.malloc_from(&host)?, [rows, columns], &mut out)?;
        let expected: Vec<i32> = (0..columns)
            .flat_map(|column| (0..rows).map(move |row| (row, column)))
            .map(|(r, c)| host[r * columns + c])
            .collect();
        p.finish()?;
        check::same(&format!("{rows} × {columns}"), &out.to_vec()?, &expected)?;
    }
    let wrong = p.transpose(&device.malloc_from(&[1, 2])?, [2, 2], &mut device.malloc::<i32>(4)?);
    check::refused("a shape", wrong, &["2 × 2 elements of memory of 2 into memory of 4"])
}

fn counts_of_numbers(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for (len, bins) in [(0, 3), (1, 1), (5_000, 700), (5_000, 3_000)] {
        let host = numbers(len);
        let mut counts = device.malloc_filled(bins, 9i32)?;
        p.bincount(&device.malloc_from(&host)?).store(&mut counts)?;
        let count = |bin: usize| host.iter().filter(|x| **x == bin as i32).count() as i32;
        p.finish()?;
        check::same(&format!("{len} in {bins}"), &counts.to_vec()?, &(0..bins).map(count).collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Values below, on and above the limits, and what is no number.
fn values() -> Vec<f32> {
    let mut values: Vec<f32> = numbers(5_000).iter().map(|x| *x as f32 * 0.25).collect();
    values.extend([0.0, 120.0, -0.0, 119.999_99, 120.000_01, f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    values
}

fn histograms(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = values();
    for bins in [1usize, 75, 120, 1200, 2500] {
        let mut counts = device.malloc::<u32>(bins)?;
        p.histogram(&device.malloc_from(&host)?, 0.0, 120.0).store(&mut counts)?;
        let mut expected = vec![0u32; bins];
        let scale = (bins as f64 / 120.0) as f32;
        for x in host.iter().filter(|x| (0.0..=120.0).contains(*x)) {
            expected[((x * scale) as usize).min(bins - 1)] += 1;
        }
        p.finish()?;
        check::same(&format!("{bins} bins"), &counts.to_vec()?, &expected)?;
    }
    Ok(())
}

fn histograms_of_edges(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = values();
    let edges = [-10.0f32, 0.0, 0.25, 30.5, 100.0, 120.0];
    let memory = device.malloc_from(&edges)?;
    let mut counts = device.malloc::<i32>(5)?;
    p.histogram_of_edges(&device.malloc_from(&host)?, &memory).store(&mut counts)?;
    let is_in = |bin: usize, x: f32| edges[bin] <= x && (x < edges[bin + 1] || bin == 4 && x == edges[5]);
    let expected: Vec<i32> = (0..5).map(|bin| host.iter().filter(|x| is_in(bin, **x)).count() as i32).collect();
    p.finish()?;
    check::same("counts", &counts.to_vec()?, &expected)
}

fn long_counts(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let mut counts = device.malloc::<i64>(3)?;
    p.bincount(formula!("x % 3", x = &device.malloc_from(&(0..7_000i64).collect::<Vec<_>>())?)).store(&mut counts)?;
    p.finish()?;
    check::same("counts", &counts.to_vec()?, &[2334, 2333, 2333])
}

fn wrong_histograms(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc_from(&[1.0f32, 2.0])?;
    let mut counts = device.malloc::<i32>(3)?;
    check::refused("floats", p.bincount(&x).store(&mut counts), &["numbers of bins are integers, not f32"])?;
    check::refused("an empty range", p.histogram(&x, 1.0, 1.0).store(&mut counts), &["a histogram from 1 to 1"])?;
    let edges = device.malloc_from(&[1.0f32, 2.0, 3.0])?;
    check::refused("edges", p.histogram_of_edges(&x, &edges).store(&mut counts), &["3 bins have 4 edges, not 3"])?;
    let wide = device.malloc_from(&[1i32, 2, 3, 4])?;
    check::refused("integer edges", p.histogram_of_edges(&x, &wide).store(&mut counts), &["memory of i32", "as f32"])?;
    let bytes = p.bincount(formula!("1")).store(&mut device.malloc::<u8>(3)?);
    check::refused("counts of bytes", bytes, &["counts are integers of 32 or 64 bits, not u8"])
}
