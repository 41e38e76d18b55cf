//! Eigenvalues and eigenvectors: the bits of the definition, and what makes them such.

use crate::check::{self, Failure, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Element, Real};
use ferrocca_primitives::Primitives;

cases!["primitives::eigen"; the_bits_of_the_definition, doubles: F64, known_ones, no_numbers, wrong_sizes];

/// Symmetric matrices whose elements are small fractions.
fn matrices(n: usize, batch: usize) -> Vec<f64> {
    let element = |m: usize, r: usize, c: usize| (((7 * m + 31 * r * c + 17 * (r + c)) % 23) as f64 - 11.0) / 8.0;
    let all = (0..batch).flat_map(|m| (0..n * n).map(move |at| (m, at / n, at % n)));
    all.map(|(m, r, c)| element(m, r.max(c), r.min(c))).collect()
}

/// The page of the kernel, for `f32`.
fn definition(a: &[f32], n: usize) -> (Vec<f32>, Vec<f32>) {
    let (mut a, mut u) = (a.to_vec(), vec![0.0f32; n * n]);
    (0..n).for_each(|i| u[i * n + i] = 1.0);
    let players = n.div_ceil(2) * 2;
    let last = players - 1;
    loop {
        let mut rotated = false;
        for round in 0..last {
            let mut rotations = Vec::new();
            for pair in 0..players / 2 {
                let (i, j) =
                    if pair == 0 { (round, last) } else { ((round + pair) % last, (round + last - pair) % last) };
                let (p, q) = (i.min(j), i.max(j));
                if q == n {
                    continue;
                }
                let (low, high, weight) = (a[p * n + p].abs(), a[q * n + q].abs(), 100.0 * a[p * n + q].abs());
                if low + weight != low || high + weight != high {
                    let ratio = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
                    let root = (1.0 + ratio * ratio).sqrt();
                    let tangent = 1.0 / if ratio < 0.0 { ratio - root } else { ratio + root };
                    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                    rotations.push((p, q, cosine, tangent * cosine));
                }
            }
            rotated |= !rotations.is_empty();
            for &(p, q, cosine, sine) in &rotations {
                for k in 0..n {
                    let (one, other) = (a[p * n + k], a[q * n + k]);
                    a[p * n + k] = one * cosine - other * sine;
                    a[q * n + k] = one * sine + other * cosine;
                }
            }
            for &(p, q, cosine, sine) in &rotations {
                for k in 0..n {
                    for matrix in [&mut a, &mut u] {
                        let (one, other) = (matrix[k * n + p], matrix[k * n + q]);
                        matrix[k * n + p] = one * cosine - other * sine;
                        matrix[k * n + q] = one * sine + other * cosine;
                    }
                }
                (a[p * n + q], a[q * n + p]) = (0.0, 0.0);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| a[i * n + i].total_cmp(&a[j * n + j]));
    let values = order.iter().map(|i| a[i * n + i]).collect();
    (values, (0..n * n).map(|at| u[at / n * n + order[at % n]]).collect())
}

type Found<T> = (Vec<T>, Vec<T>, Vec<i32>);

fn eigen<T: Real + Element>(device: &Device, a: &[T], n: usize) -> Result<Found<T>, Failure> {
    let p = Primitives::new(device);
    let batch = a.len() / (n * n);
    let (mut values, mut vectors) = (device.malloc::<T>(batch * n)?, device.malloc::<T>(a.len())?);
    let mut info = device.malloc::<i32>(batch)?;
    p.symmetric_eigen(&device.malloc_from(a)?, n, &mut values, &mut vectors, &mut info)?;
    p.finish()?;
    Ok((values.to_vec()?, vectors.to_vec()?, info.to_vec()?))
}

fn the_bits_of_the_definition(device: &Device) -> Outcome {
    for n in [1, 2, 5, 12] {
        let a: Vec<f32> = matrices(n, 3).into_iter().map(|x| x as f32).collect();
        let (values, vectors, info) = eigen(device, &a, n)?;
        check::same("info", &info, &[0; 3])?;
        for (m, own) in a.chunks(n * n).enumerate() {
            let (expected, turned) = definition(own, n);
            let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            check::same(&format!("values of {n}"), &bits(&values[m * n..][..n]), &bits(&expected))?;
            check::same(&format!("vectors of {n}"), &bits(&vectors[m * n * n..][..n * n]), &bits(&turned))?;
        }
    }
    Ok(())
}

fn doubles(device: &Device) -> Outcome {
    let n = 9;
    let a = matrices(n, 2);
    let (values, vectors, info) = eigen(device, &a, n)?;
    check::same("info", &info, &[0; 2])?;
    for m in 0..2 {
        let (own, turned) = (&a[m * n * n..][..n * n], &vectors[m * n * n..][..n * n]);
        let sum = |row: usize, column: usize| (0..n).map(|k| own[row * n + k] * turned[k * n + column]).sum::<f64>();
        for at in 0..n * n {
            let (row, column) = (at / n, at % n);
            let off = sum(row, column) - values[m * n + column] * turned[at];
            check::that(off.abs() < 1e-13, format!("the residual at {row}, {column} is {off}"))?;
            let product: f64 = (0..n).map(|k| turned[k * n + row] * turned[k * n + column]).sum();
            let unit = f64::from(u8::from(row == column));
            check::that((product - unit).abs() < 1e-14, format!("vectors {row} and {column}: {product}"))?;
        }
        check::that(values[m * n..][..n].is_sorted(), "they ascend")?;
    }
    Ok(())
}

fn known_ones(device: &Device) -> Outcome {
    // What is diagonal stays as it is, in order; what stands above the diagonal is not read.
    let (values, vectors, _) = eigen(device, &[3.0f32, 9.0, 0.0, -1.0], 2)?;
    check::same("values", &values, &[-1.0, 3.0])?;
    check::same("vectors", &vectors, &[0.0, 1.0, 1.0, 0.0])?;
    let (values, _, _) = eigen(device, &[2.0f32, 0.0, 1.0, 2.0], 2)?;
    check::that((values[0] - 1.0).abs() < 1e-6 && (values[1] - 3.0).abs() < 1e-6, format!("{values:?}"))?;
    // An element so small that its rotation turns nothing.
    let (values, _, info) = eigen(device, &[0.0f32, 0.0, 1e-30, 1.0], 2)?;
    check::same("tiny", &values, &[0.0, 1.0])?;
    check::same("info of that", &info, &[0])?;
    let (values, vectors, info) = eigen(device, &[0.0f32; 9], 3)?;
    check::same("of zeros", &values, &[0.0; 3])?;
    check::same("vectors of zeros", &vectors, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])?;
    check::same("info", &info, &[0])
}

fn no_numbers(device: &Device) -> Outcome {
    // The other matrix of the batch is none the worse.
    let (values, _, info) = eigen(device, &[f32::NAN, 0.0, 1.0, 2.0, 5.0, 0.0, 0.0, 4.0], 2)?;
    check::same("info", &info, &[1, 0])?;
    check::same("values", &values[2..], &[4.0, 5.0])
}

fn wrong_sizes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let a = device.malloc_from(&[1.0f32; 8])?;
    let (mut two, mut four, mut info) = (device.malloc::<f32>(2)?, device.malloc::<f32>(4)?, device.malloc::<i32>(1)?);
    let odd = p.symmetric_eigen(&a, 3, &mut two, &mut four, &mut info);
    check::refused("three rows", odd, &["8 elements are no whole number of 3 × 3 matrices"])?;
    let small = p.symmetric_eigen(&a, 2, &mut two, &mut four, &mut info);
    check::refused("results", small, &["2 matrices of 2 × 2", "[2, 4, 1]"])?;
    check::refused("no rows", p.symmetric_eigen(&a, 0, &mut two, &mut four, &mut info), &["0 × 0"])
}
