//! Linear algebra of small matrices: each order of sums, in the plainest way.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Real};
use ferrocca_primitives::{Factor, Matrices, Primitives, Units, Update};
use std::ops::{Add, Div, Mul, Sub};

cases!["primitives::linear"; products, products_in_double: F64, symmetric_products, dense_factors, dense_factors_in_double: F64,
    band_factors, band_factors_in_double: F64, failed_pivots, solves, solves_in_double: F64, unit_columns, polar_factors,
    polar_factors_in_double: F64, no_polar_factor, wrong_batches];

trait Number: Real + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    const ENOUGH: f64;
    const LOWEST: f64;
    fn of(value: f64) -> Self;
    fn root(self) -> Self;
    fn magnitude(self) -> Self;
}

macro_rules! number {
    ($type:ty, $tolerance:literal, $lowest:literal) => {
        impl Number for $type {
            const ENOUGH: f64 = $tolerance;
            const LOWEST: f64 = $lowest;
            fn of(value: f64) -> Self {
                value as $type
            }
            fn root(self) -> Self {
                self.sqrt()
            }
            fn magnitude(self) -> Self {
                self.abs()
            }
        }
    };
}
number!(f32, 2e-4, 0.3);
number!(f64, 1e-8, 0.01);

/// Numbers of (-0.5, 0.5).
fn numbers<T: Number>(len: usize, seed: u32) -> Vec<T> {
    let hash = |i: u32| (i + 1).wrapping_mul(2_654_435_761).wrapping_add(seed.wrapping_mul(40_503));
    (0..len as u32).map(|i| T::of(f64::from(hash(i) ^ (hash(i) >> 15)) / 4_294_967_296.0 - 0.5)).collect()
}

/// `first + a[i] · b[j]`, in order, of rows and columns given by functions.
fn multiply<T: Number>(
    [m, n, k]: [usize; 3],
    sign: f64,
    first: impl Fn(usize, usize) -> T,
    a: impl Fn(usize, usize) -> T,
    b: impl Fn(usize, usize) -> T,
) -> Vec<T> {
    let sign = T::of(sign);
    let element = |i: usize, j: usize| (0..k).fold(first(i, j), |sum, k| sum + sign * (a(i, k) * b(k, j)));
    (0..m * n).map(|at| element(at / n, at % n)).collect()
}

fn products_of<T: Number>(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    const BATCH: usize = 3;
    for ([m, n, k], cases) in [([4, 17, 3], 0..2), ([67, 5, 18], 2..3), ([5, 18, 260], 5..6)] {
        let (a, b, c) =
            (numbers::<T>(BATCH * m * k, 1), numbers::<T>(BATCH * k * n, 2), numbers::<T>(BATCH * m * n, 3));
        let (x, y) = (device.malloc_from(&a)?, device.malloc_from(&b)?);
        for case in cases {
            let (x_transposed, y_transposed) = (case & 1 == 1, case & 2 == 2);
            let update = [Update::Set, Update::Add, Update::Subtract][case % 3];
            let left = if x_transposed { Matrices::new(&x, [k, m]).t() } else { Matrices::new(&x, [m, k]) };
            let right = if y_transposed { Matrices::new(&y, [n, k]).t() } else { Matrices::new(&y, [k, n]) };
            let mut out = device.malloc_from(&c)?;
            p.gemm(left, right, update, &mut out)?;
            let mut expected = Vec::new();
            for batch in 0..BATCH {
                let (a, b, c) = (&a[batch * m * k..], &b[batch * k * n..], &c[batch * m * n..]);
                expected.extend(multiply(
                    [m, n, k],
                    if update == Update::Subtract { -1.0 } else { 1.0 },
                    |i, j| if update == Update::Set { T::zeroed() } else { c[i * n + j] },
                    |i, k_at| if x_transposed { a[k_at * m + i] } else { a[i * k + k_at] },
                    |k_at, j| if y_transposed { b[j * k + k_at] } else { b[k_at * n + j] },
                ));
            }
            p.finish()?;
            check::same(&format!("{m} × {n} × {k}, case {case}"), &out.to_vec()?, &expected)?;
        }
    }
    Ok(())
}

fn products(device: &Device) -> Outcome {
    products_of::<f32>(device)
}

fn products_in_double(device: &Device) -> Outcome {
    products_of::<f64>(device)
}

fn symmetric_products(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for ([n, k], is_transposed) in [([66, 5], false), ([17, 260], true)] {
        let a = numbers::<f32>(2 * n * k, 4);
        let x = device.malloc_from(&a)?;
        let c = numbers::<f32>(2 * n * n, 5);
        let matrices = if is_transposed { Matrices::new(&x, [k, n]).t() } else { Matrices::new(&x, [n, k]) };
        let mut out = device.malloc_from(&c)?;
        p.syrk(matrices, Update::Add, &mut out)?;
        let mut expected = Vec::new();
        for batch in 0..2 {
            let (a, c) = (&a[batch * n * k..], &c[batch * n * n..]);
            let row = |i: usize, k_at: usize| if is_transposed { a[k_at * n + i] } else { a[i * k + k_at] };
            let first = |i: usize, j: usize| c[i.max(j) * n + i.min(j)];
            expected.extend(multiply([n, n, k], 1.0, first, row, |k, j| row(j, k)));
        }
        p.finish()?;
        check::same(&format!("{n} of {k}, transposed: {is_transposed}"), &out.to_vec()?, &expected)?;
    }
    // Columns that begin further down.
    let (n, k) = (21, 70);
    let a: Vec<f32> =
        numbers(n * k, 6).into_iter().enumerate().map(|(at, a)| if at / n < 3 * (at % n) { 0.0 } else { a }).collect();
    let x = device.malloc_from(&a)?;
    let mut out = device.malloc::<f32>(n * n)?;
    p.syrk(Matrices::new(&x, [k, n]).with_skyline(3).t(), Update::Set, &mut out)?;
    let expected = multiply([n, n, k], 1.0, |_, _| 0.0, |i, k| a[k * n + i], |k, j| a[k * n + j]);
    p.finish()?;
    check::same("a skyline", &out.to_vec()?, &expected)
}

/// A symmetric matrix with a heavy diagonal.
fn definite<T: Number>(n: usize, seed: u32) -> Vec<T> {
    let numbers = numbers::<T>(n * n, seed);
    let heavy = |i: usize, j: usize| if i == j { T::of(n as f64 / 4.0 + 1.0) } else { T::zeroed() };
    (0..n * n).map(|at| (at / n, at % n)).map(|(i, j)| numbers[i.max(j) * n + i.min(j)] + heavy(i, j)).collect()
}

/// The lower factor, dense, of a matrix whose elements further than `width` from the diagonal are left out.
fn factor<T: Number>(matrix: &[T], n: usize, width: usize) -> Vec<T> {
    let mut l = vec![T::zeroed(); n * n];
    for r in 0..n {
        let first = r.saturating_sub(width);
        for c in first..=r {
            let from = c.saturating_sub(width).max(first);
            let left = (from..c).fold(matrix[r * n + c], |left, k| left - l[r * n + k] * l[c * n + k]);
            l[r * n + c] = if r == c { left.root() } else { left / l[c * n + c] };
        }
    }
    l
}

/// A dense matrix as a band; what lies left of it is -7.
fn band<T: Number>(matrix: &[T], n: usize, width: usize) -> Vec<T> {
    let element = |r: usize, d: usize| if r + d >= width { matrix[r * n + r + d - width] } else { T::of(-7.0) };
    (0..n * (width + 1)).map(|at| element(at / (width + 1), at % (width + 1))).collect()
}

fn dense_factors_of<T: Number>(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for n in [1, 35] {
        let matrices: Vec<Vec<T>> = (0..3).map(|seed| definite(n, seed)).collect();
        let mut out = device.malloc_from(&matrices.concat())?;
        let mut info = device.malloc_filled(3, -7)?;
        p.cholesky(&mut out, n, &mut info)?;
        let expected: Vec<T> = matrices.iter().flat_map(|matrix| factor(matrix, n, n)).collect();
        p.finish()?;
        check::same("info", &info.to_vec()?, &[0, 0, 0])?;
        check::same(&format!("{n} × {n}"), &out.to_vec()?, &expected)?;
        let mut inverses = device.malloc::<T>(3 * n * n)?;
        p.invert_lower(Factor::dense(&out, n), &mut inverses)?;
        let mut found = Vec::new();
        for l in expected.chunks(n * n) {
            let mut inverse = vec![T::zeroed(); n * n];
            for j in 0..n {
                let unit: Vec<T> = (0..n).map(|r| T::of(f64::from(u8::from(r == j)))).collect();
                let column = solve(l, n, &unit, false);
                (0..n).for_each(|r| inverse[r * n + j] = column[r]);
            }
            found.extend(inverse);
        }
        p.finish()?;
        check::same(&format!("the inverse of {n} × {n}"), &inverses.to_vec()?, &found)?;
    }
    Ok(())
}

fn dense_factors(device: &Device) -> Outcome {
    dense_factors_of::<f32>(device)
}

fn dense_factors_in_double(device: &Device) -> Outcome {
    dense_factors_of::<f64>(device)
}

fn band_factors_of<T: Number>(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for (n, width) in [(5, 0), (20, 17), (3, 7), (12, 20), (90, 40), (105, 100)] {
        let matrices: Vec<Vec<T>> = (0..2).map(|seed| definite(n, seed)).collect();
        let bands: Vec<T> = matrices.iter().flat_map(|matrix| band(matrix, n, width)).collect();
        let mut out = device.malloc_from(&bands)?;
        let mut info = device.malloc_filled(2, -7)?;
        p.band_cholesky(&mut out, n, width, &mut info)?;
        let expected: Vec<T> = matrices.iter().flat_map(|matrix| band(&factor(matrix, n, width), n, width)).collect();
        p.finish()?;
        check::same("info", &info.to_vec()?, &[0, 0])?;
        check::same(&format!("{n}, half-width {width}"), &out.to_vec()?, &expected)?;
    }
    Ok(())
}

fn band_factors(device: &Device) -> Outcome {
    band_factors_of::<f32>(device)
}

fn band_factors_in_double(device: &Device) -> Outcome {
    band_factors_of::<f64>(device)
}

fn failed_pivots(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let n = 20;
    let good = definite::<f32>(n, 1);
    let (mut negative, mut zero) = (good.clone(), good.clone());
    negative[6 * n + 6] = -1.0;
    zero[..n].fill(0.0);
    (0..n).for_each(|r| zero[r * n] = 0.0);
    let mut out = device.malloc_from(&[&good[..], &negative, &good, &zero].concat())?;
    let mut info = device.malloc::<i32>(4)?;
    p.cholesky(&mut out, n, &mut info)?;
    p.finish()?;
    check::same("info", &info.to_vec()?, &[0, 7, 0, 1])?;
    check::same("the one between", &out.to_vec()?[2 * n * n..3 * n * n], &factor(&good, n, n))?;
    let mut out = device.malloc_from(&[band(&negative, n, 3), band(&good, n, 3)].concat())?;
    let mut info = device.malloc::<i32>(2)?;
    p.band_cholesky(&mut out, n, 3, &mut info)?;
    p.finish()?;
    check::same("info of bands", &info.to_vec()?, &[7, 0])
}

/// One column.
fn solve<T: Number>(l: &[T], n: usize, b: &[T], is_transposed: bool) -> Vec<T> {
    let mut x = b.to_vec();
    for step in 0..n {
        let r = if is_transposed { n - 1 - step } else { step };
        let value = match is_transposed {
            true => (r + 1..n).fold(x[r], |left, k| left - l[k * n + r] * x[k]),
            false => (0..r).fold(x[r], |left, k| left - l[r * n + k] * x[k]),
        };
        x[r] = value / l[r * n + r];
    }
    x
}

fn solves_of<T: Number>(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for (n, width, columns) in [(18, 17, 1), (12, 4, 35)] {
        let factors: Vec<Vec<T>> = (0..2).map(|seed| factor(&definite(n, seed), n, width)).collect();
        let b = numbers::<T>(2 * n * columns, 8);
        let dense = device.malloc_from(&factors.concat())?;
        let bands: Vec<T> = factors.iter().flat_map(|l| band(l, n, width)).collect();
        let bands = device.malloc_from(&bands)?;
        for is_transposed in [false, true] {
            let mut expected = b.clone();
            for (l, x) in factors.iter().zip(expected.chunks_mut(n * columns)) {
                for j in 0..columns {
                    let column: Vec<T> = (0..n).map(|r| x[r * columns + j]).collect();
                    let solved = solve(l, n, &column, is_transposed);
                    (0..n).for_each(|r| x[r * columns + j] = solved[r]);
                }
            }
            for l in [Factor::dense(&dense, n), Factor::band(&bands, n, width)] {
                let mut x = device.malloc_from(&b)?;
                match is_transposed {
                    true => p.solve_lower_transposed(l, columns, &mut x)?,
                    false => p.solve_lower(l, columns, &mut x)?,
                }
                p.finish()?;
                check::same(&format!("{n}, {columns} columns, {is_transposed}"), &x.to_vec()?, &expected)?;
            }
        }
    }
    Ok(())
}

fn solves(device: &Device) -> Outcome {
    solves_of::<f32>(device)
}

fn solves_in_double(device: &Device) -> Outcome {
    solves_of::<f64>(device)
}

fn unit_columns(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let (n, width, units) = (47, 11, Units { first: 1, count: 3, step: 4, columns: 11 });
    let l = factor(&definite::<f32>(n, 3), n, width);
    let bands = device.malloc_from(&band(&l, n, width))?;
    let mut x = device.malloc::<f32>(3 * n * 11)?;
    p.solve_units(Factor::band(&bands, n, width), units, &mut x)?;
    let mut expected = vec![0.0; 3 * n * 11];
    for o in 0..3 {
        for j in 0..11 {
            let unit: Vec<f32> = (0..n).map(|r| f32::from(u8::from(r == 1 + o + 4 * j))).collect();
            let column = solve(&l, n, &unit, false);
            (0..n).for_each(|r| expected[(o * n + r) * 11 + j] = column[r]);
        }
    }
    p.finish()?;
    check::same("columns of the inverse", &x.to_vec()?, &expected)?;
    let beyond = Units { columns: 12, ..units };
    let wrong = p.solve_units(Factor::band(&bands, n, width), beyond, &mut device.malloc::<f32>(3 * n * 12)?);
    check::refused("a unit vector", wrong, &["row 47 of 47"])
}

/// The iteration of `polar.okl`.
fn polar<T: Number>(a: &[T], n: usize) -> (Vec<T>, i32) {
    let one = T::of(1.0);
    let scale_of = |low: T| (T::of(3.0) / (one + low + low * low)).root();
    let highest = |values: Vec<T>| values.into_iter().fold(T::zeroed(), |high, v| if v > high { v } else { high });
    let sum = |at: &dyn Fn(usize) -> usize| (0..n).fold(T::zeroed(), |sum, k| sum + a[at(k)].magnitude());
    let widest = highest((0..n).map(|i| sum(&|k| i * n + k)).collect());
    let tallest = highest((0..n).map(|j| sum(&|k| k * n + j)).collect());
    let bound = widest.root() * tallest.root();
    let mut x: Vec<T> = a.iter().map(|a| *a / bound).collect();
    let mut low = T::of(T::LOWEST);
    for number in 1..=60 {
        let gram = multiply([n, n, n], 1.0, |_, _| T::zeroed(), |i, k| x[k * n + i], |k, j| x[k * n + j]);
        let off = |i: usize, j: usize| gram[i * n + j] - if i == j { one } else { T::zeroed() };
        let square = |j: usize| (0..n).fold(T::zeroed(), |sum, i| sum + off(i, j) * off(i, j));
        let off = (0..n).fold(T::zeroed(), |sum, j| sum + square(j)).root();
        if low >= T::of(0.99) && off >= one {
            low = T::of(T::LOWEST);
        }
        let is_last = off < T::of(T::ENOUGH);
        let scale = if is_last { one } else { scale_of(low) };
        let (own, other) = (T::of(1.5) * scale, T::of(0.5) * scale * scale * scale);
        let weight = |k: usize, j: usize| (if k == j { own } else { T::zeroed() }) - other * gram[k * n + j];
        x = multiply([n, n, n], 1.0, |_, _| T::zeroed(), |i, k| x[i * n + k], weight);
        let scale = scale_of(low);
        let after = T::of(0.5) * scale * low * (T::of(3.0) - scale * scale * low * low);
        low = if after < one { after } else { one };
        if is_last {
            return (x, number);
        }
    }
    (x, -1)
}

fn polar_factors_of<T: Number>(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for n in [7, 18] {
        // An inverse triangle, whose singular values spread, and a matrix near an orthogonal one.
        let mut spread = factor(&definite::<T>(n, 9), n, n);
        (0..n).for_each(|i| spread[i * n + i] = spread[i * n + i] / T::of((i + 1) as f64));
        let matrices = [spread, definite(n, 2)];
        let a = device.malloc_from(&matrices.concat())?;
        for is_transposed in [false, true] {
            let (mut u, mut steps) = (device.malloc::<T>(2 * n * n)?, device.malloc::<i32>(2)?);
            let given = Matrices::new(&a, [n, n]);
            p.polar(if is_transposed { given.t() } else { given }, &mut u, &mut steps)?;
            let (mut expected, mut expected_steps) = (Vec::new(), Vec::new());
            for a in &matrices {
                let turned: Vec<T> = (0..n * n).map(|at| a[at % n * n + at / n]).collect();
                let (u, steps) = polar(if is_transposed { &turned } else { a }, n);
                expected.extend(u);
                expected_steps.push(steps);
            }
            p.finish()?;
            check::same(&format!("steps of {n}"), &steps.to_vec()?, &expected_steps)?;
            check::that(expected_steps.iter().all(|steps| *steps > 0), format!("{expected_steps:?} steps"))?;
            check::same(&format!("{n} × {n}"), &u.to_vec()?, &expected)?;
            for u in expected.chunks(n * n) {
                let gram = multiply([n, n, n], 1.0, |_, _| T::zeroed(), |i, k| u[k * n + i], |k, j| u[k * n + j]);
                for (at, value) in gram.into_iter().enumerate() {
                    let off = value - T::of(f64::from(u8::from(at / n == at % n)));
                    check::that(off.magnitude() < T::of(T::ENOUGH * 0.1), format!("{n}: {value:?} at {at}"))?;
                }
            }
        }
    }
    Ok(())
}

fn polar_factors(device: &Device) -> Outcome {
    polar_factors_of::<f32>(device)
}

fn polar_factors_in_double(device: &Device) -> Outcome {
    polar_factors_of::<f64>(device)
}

fn no_polar_factor(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    // The second one has a row of zeros.
    let a = device.malloc_from(&[2.0f32, 0.0, 0.0, 3.0, 1.0, 2.0, 0.0, 0.0])?;
    let (mut u, mut steps) = (device.malloc::<f32>(8)?, device.malloc::<i32>(2)?);
    p.polar(Matrices::new(&a, [2, 2]), &mut u, &mut steps)?;
    p.finish()?;
    let steps = steps.to_vec()?;
    check::that(steps[0] > 0 && steps[1] == -1, format!("{steps:?} steps"))
}

fn wrong_batches(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let (a, mut c) = (device.malloc::<f32>(12)?, device.malloc::<f32>(8)?);
    let of = |shape| Matrices::new(&a, shape);
    let wrong = p.gemm(of([2, 3]), of([2, 3]), Update::Set, &mut c);
    check::refused("shapes", wrong, &["2 × 3", "times matrices of 2 × 3"])?;
    let wrong = p.gemm(of([2, 2]), of([2, 2]), Update::Set, &mut c);
    check::refused("batches", wrong, &["a: 12 elements", "2 matrices of 4"])?;
    let wrong = p.cholesky(&mut c, 3, &mut device.malloc::<i32>(1)?);
    check::refused("a batch", wrong, &["8 elements", "matrices of 9"])?;
    let wrong = p.cholesky(&mut c, 2, &mut device.malloc::<i32>(3)?);
    check::refused("info", wrong, &["info: 3 elements"])?;
    let wrong = p.polar(of([2, 3]), &mut c, &mut device.malloc::<i32>(2)?);
    check::refused("a rectangle", wrong, &["2 × 3 is not square"])?;
    let (none, mut nothing) = (device.malloc::<f32>(0)?, device.malloc::<f32>(0)?);
    p.gemm(Matrices::new(&none, [2, 3]), Matrices::new(&none, [3, 2]), Update::Set, &mut nothing)?;
    p.cholesky(&mut nothing, 4, &mut device.malloc::<i32>(0)?)?;
    Ok(())
}
