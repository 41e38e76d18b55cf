//! Reductions and scans along an axis: of the first, the last and one between, of views, of axes longer than a segment.

use super::definition;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::Device;
use ferrocca_primitives::{Formula, Operand, Primitives, formula};

cases!["primitives::along"; sums_have_the_bits_of_the_tree, moments, indices_of_extremes, views, scans_go_in_order, no_elements, wrong_axes];

fn floats(len: usize) -> Vec<f32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-6 - 3.0).collect()
}

/// The lines of a table along an axis: for each index of the others, row by row, the values.
fn lines<T: Copy>(values: &[T], [before, length, behind]: [usize; 3]) -> Vec<Vec<T>> {
    let at = |line: usize, i: usize| values[(line / behind * length + i) * behind + line % behind];
    (0..before * behind).map(|line| (0..length).map(|i| at(line, i)).collect()).collect()
}

/// How many there are before, along and behind an axis.
const SHAPES: [[usize; 3]; 7] =
    [[1, 5, 3], [7, 9, 1], [3, 8, 5], [2, 1023, 1], [2, 1025, 3], [1, 2049, 200], [130, 1, 4]];

fn sums_have_the_bits_of_the_tree(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for shape in SHAPES {
        let host = floats(shape.iter().product());
        let x = device.malloc_from(&host)?;
        let mut out = device.malloc::<f32>(shape[0] * shape[2])?;
        p.sum(formula!("x * 3.0f", x = (&x, shape))).store_along(1, &mut out)?;
        let triple: Vec<f32> = host.iter().map(|x| x * 3.0).collect();
        let sum = |line: &Vec<f32>| definition::reduce_along(line, 0.0, |a, b| a + b);
        let expected: Vec<f32> = lines(&triple, shape).iter().map(sum).collect();
        p.finish()?;
        check::same(&format!("sums of {shape:?}"), &out.to_vec()?, &expected)?;
    }
    Ok(())
}

fn moments(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for shape in [[2, 1500, 3], [4, 6, 1]] {
        let host = floats(shape.iter().product());
        let x = device.malloc_from(&host)?;
        let mut out = device.malloc::<f32>(shape[0] * shape[2])?;
        p.variance(formula!("x", x = (&x, shape)), 1).store_along(1, &mut out)?;
        let length = shape[1] as f32;
        let variance = |line: &Vec<f32>| {
            let mean = definition::reduce_along(line, 0.0, |a, b| a + b) / length;
            let squares: Vec<f32> = line.iter().map(|x| (x - mean) * (x - mean)).collect();
            definition::reduce_along(&squares, 0.0, |a, b| a + b) / (length - 1.0)
        };
        let expected: Vec<f32> = lines(&host, shape).iter().map(variance).collect();
        p.finish()?;
        check::same(&format!("variances of {shape:?}"), &out.to_vec()?, &expected)?;
    }
    Ok(())
}

fn indices_of_extremes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for shape in [[3, 1100, 2], [5, 4, 1]] {
        let mut host = floats(shape.iter().product());
        host.iter_mut().for_each(|x| *x = (*x * 4.0).round());
        host[2] = f32::NAN;
        let x = device.malloc_from(&host)?;
        let mut out = device.malloc::<i32>(shape[0] * shape[2])?;
        p.arg_max(formula!("x", x = (&x, shape))).store_along(1, &mut out)?;
        let highest = |line: &Vec<f32>| {
            let most = line.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            line.iter()
                .position(|x| x.is_nan())
                .or_else(|| line.iter().position(|x| *x == most))
                .map_or(-1, |i| i as i32)
        };
        let expected: Vec<i32> = lines(&host, shape).iter().map(highest).collect();
        p.finish()?;
        check::same(&format!("indices of {shape:?}"), &out.to_vec()?, &expected)?;
    }
    Ok(())
}

/// Where in memory the values lie makes no difference.
fn views(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let (rows, columns) = (40, 37);
    let host = floats(rows * columns);
    let x = device.malloc_from(&host)?;
    let transposed = |x| Operand::strided(x, columns - 1, &[columns, rows], &[-1, columns as isize]);
    let mut out = device.malloc::<f32>(columns)?;
    p.sum(Formula::new("x").with("x", transposed(x.untyped())?)).store_along(1, &mut out)?;
    let column = |c: usize| -> Vec<f32> { (0..rows).map(|row| host[row * columns + columns - 1 - c]).collect() };
    let expected: Vec<f32> = (0..columns).map(|c| definition::reduce_along(&column(c), 0.0, |a, b| a + b)).collect();
    p.finish()?;
    check::same("sums", &out.to_vec()?, &expected)
}

fn scans_go_in_order(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for shape in [[3, 70, 1], [2, 5, 9], [1, 3, 200]] {
        let host = floats(shape.iter().product());
        let x = device.malloc_from(&host)?;
        let mut out = device.malloc::<f32>(host.len())?;
        p.cumulative_sum(formula!("x", x = (&x, shape))).store_along(1, &mut out)?;
        let mut expected = host.clone();
        let [before, length, behind] = shape;
        for line in 0..before * behind {
            let mut sum = 0.0;
            for i in 0..length {
                let place = &mut expected[(line / behind * length + i) * behind + line % behind];
                sum += *place;
                *place = sum;
            }
        }
        p.finish()?;
        check::same(&format!("sums of {shape:?}"), &out.to_vec()?, &expected)?;
    }
    Ok(())
}

fn no_elements(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc::<f32>(0)?;
    let mut out = device.malloc_filled(3, -7.0f32)?;
    p.product(formula!("x", x = (&x, [3, 0]))).store_along(1, &mut out)?;
    p.finish()?;
    check::same("products", &out.to_vec()?, &[1.0; 3])?;
    check::refused("a minimum", p.min(formula!("x", x = (&x, [3, 0]))).store_along(1, &mut out), &["no elements"])?;
    p.sum(formula!("x", x = (&x, [3, 0]))).store_along(0, &mut device.malloc::<f32>(0)?)?;
    Ok(())
}

fn wrong_axes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let x = device.malloc_from(&floats(6))?;
    let mut out = device.malloc::<f32>(2)?;
    let sum = p.sum(formula!("x", x = (&x, [2, 3])));
    check::refused("an axis", sum.store_along(2, &mut out), &["along axis 2", "[2, 3]", "no axis 2"])?;
    check::refused("a result", sum.store_along(0, &mut out), &["3 results", "memory 2 elements"])
}
