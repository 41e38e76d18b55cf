//! Every value combined with all before it: both kinds, lengths around a chunk's, a tile's and a level's.

use super::definition;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, f16};
use ferrocca_primitives::{Operator, Primitives, formula};

cases!["primitives::scan"; float_sums_have_the_bits_of_the_tree, many_tiles, few_tiles_of_totals, integers, operators, in_place_and_formulas, doubles: F64, halves, no_elements];

const LENGTHS: [usize; 8] = [1, 7, 9, 2047, 2048, 2049, 3 * 2048 + 13, 9000];

fn floats(len: usize) -> Vec<f32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-6 - 3.0).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn float_sums_have_the_bits_of_the_tree(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in LENGTHS {
        let host = floats(len);
        let x = device.malloc_from(&host)?;
        let out = device.malloc_filled(len + 2, -1.0f32)?;
        for inclusive in [true, false] {
            let scan = if inclusive { p.cumulative_sum(&x) } else { p.scan_exclusive(&x, Operator::SUM) };
            scan.store(&mut out.slice(1..len + 1)?)?;
            p.finish()?;
            let mut expected = vec![-1.0];
            expected.extend(definition::scan(&host, 0.0, inclusive, |a, b| a + b));
            expected.push(-1.0);
            check::same(&format!("{len}, inclusive: {inclusive}"), &bits(&out.to_vec()?), &bits(&expected))?;
        }
    }
    Ok(())
}

/// From so many tiles on, a processor that emulates a GPU has a kernel of its own for whole ones.
fn many_tiles(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    // Begins anew at values below -2: neither commutative nor associative.
    let own = Operator::new("b < -2 ? b : a + b", "0");
    for len in [64 * 2048, 67 * 2048 + 77] {
        let host = floats(len);
        let mut x = device.malloc_from(&host)?;
        let mut out = device.malloc::<f32>(len)?;
        p.scan_inclusive(&x, own).store(&mut out)?;
        let operand = x.share();
        p.scan_exclusive(formula!("2 * x", x = &operand), Operator::SUM).store(&mut x)?;
        p.finish()?;
        let expected = definition::scan(&host, 0.0, true, |a, b| if b < -2.0 { b } else { a + b });
        check::same(&format!("{len}, own operator"), &bits(&out.to_vec()?), &bits(&expected))?;
        let twice: Vec<f32> = host.iter().map(|x| 2.0 * x).collect();
        let expected = definition::scan(&twice, 0.0, false, |a, b| a + b);
        check::same(&format!("{len}, in place"), &bits(&x.to_vec()?), &bits(&expected))?;
    }
    Ok(())
}

/// Where groups are large one of them scans the totals, of which there are more than a tile has values. The interpreter, which has
/// no such kernel, would take a minute for so many.
fn few_tiles_of_totals(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let tiles = if device.mode() == "Reference" { 25 } else { 2500 };
    let host = floats(tiles * 2048 + 9);
    let mut out = device.malloc::<f32>(host.len())?;
    p.cumulative_sum(&device.malloc_from(&host)?).store(&mut out)?;
    p.finish()?;
    let expected = definition::scan(&host, 0.0, true, |a, b| a + b);
    check::same("sums", &bits(&out.to_vec()?), &bits(&expected))
}

fn integers(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host: Vec<i32> = (0..5_000).map(|i: i32| i.wrapping_mul(1_103_515_245)).collect();
    let x = device.malloc_from(&host)?;
    let mut out = device.malloc::<i32>(host.len())?;
    p.cumulative_sum(&x).store(&mut out)?;
    let mut sum = 0i32;
    let sums = host.iter().map(|x| {
        sum = sum.wrapping_add(*x);
        sum
    });
    p.finish()?;
    check::same("sums", &out.to_vec()?, &sums.collect::<Vec<_>>())?;
    p.scan_exclusive(&x, Operator::MAX).store(&mut out)?;
    let mut most = i32::MIN;
    let highest = host.iter().map(|x| {
        let before = most;
        most = most.max(*x);
        before
    });
    p.finish()?;
    check::same("highest before", &out.to_vec()?, &highest.collect::<Vec<_>>())
}

fn operators(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    // Neither commutative nor associative: each step must be in its place.
    let host: Vec<u32> = (0..6_200).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
    let x = device.malloc_from(&host)?;
    let mut out = device.malloc::<u32>(host.len())?;
    p.scan_inclusive(&x, Operator::new("a * 31u + (b ^ a >> 3)", "7u")).store(&mut out)?;
    let step = |a: u32, b: u32| a.wrapping_mul(31).wrapping_add(b ^ (a >> 3));
    p.finish()?;
    check::same("hash", &out.to_vec()?, &definition::scan(&host, 7, true, step))?;
    let gaps: Vec<u32> = (0..6_200).map(|i: u32| if i % 700 == 5 { i } else { 0 }).collect();
    p.scan_inclusive(&device.malloc_from(&gaps)?, Operator::new("b != 0u ? b : a", "0u")).store(&mut out)?;
    let mut last = 0;
    let filled = gaps.iter().map(|x| {
        last = if *x == 0 { last } else { *x };
        last
    });
    p.finish()?;
    check::same("the last that is not zero", &out.to_vec()?, &filled.collect::<Vec<_>>())
}

fn in_place_and_formulas(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = floats(4_500);
    let mut x = device.malloc_from(&host)?;
    let operand = x.share();
    p.cumulative_sum(formula!("a * a + s", a = &operand, s = 0.5f32)).store(&mut x)?;
    let values: Vec<f32> = host.iter().map(|a| a * a + 0.5).collect();
    p.finish()?;
    check::same("sums", &bits(&x.to_vec()?), &bits(&definition::scan(&values, 0.0, true, |a, b| a + b)))?;
    let mut counts = device.malloc::<i32>(host.len())?;
    p.cumulative_sum(formula!("a > 0", a = &device.malloc_from(&host)?)).store(&mut counts)?;
    let expected =
        definition::scan(&host.iter().map(|a| i32::from(*a > 0.0)).collect::<Vec<_>>(), 0, true, |a, b| a + b);
    p.finish()?;
    check::same("counts", &counts.to_vec()?, &expected)
}

fn doubles(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = floats(5_000);
    let wide: Vec<f64> = host.iter().map(|x| f64::from(*x)).collect();
    let mut out = device.malloc::<f64>(host.len())?;
    p.scan_exclusive(&device.malloc_from(&host)?, Operator::SUM).store(&mut out)?;
    p.finish()?;
    let expected = definition::scan(&wide, 0.0, false, |a, b| a + b);
    check::same("sums", &out.to_vec()?, &expected)
}

fn halves(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host: Vec<f16> = floats(2_100).into_iter().map(f16::from_f32).collect();
    let wide: Vec<f32> = host.iter().map(|x| x.to_f32()).collect();
    let mut out = device.malloc::<f16>(host.len())?;
    p.cumulative_sum(&device.malloc_from(&host)?).store(&mut out)?;
    p.finish()?;
    let expected = definition::scan(&wide, 0.0, true, |a, b| a + b);
    let expected: Vec<u16> = expected.into_iter().map(|x| f16::from_f32(x).to_bits()).collect();
    check::same("sums", &out.to_vec()?.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), &expected)
}

fn no_elements(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc::<f32>(0)?;
    p.cumulative_sum(&x).store(&mut device.malloc::<f32>(0)?)?;
    let wrong = p.cumulative_sum(&x).store(&mut device.malloc::<f32>(1)?);
    check::refused("a longer result", wrong, &["scanning `x`", "0 elements, the result 1"])
}
