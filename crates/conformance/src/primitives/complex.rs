//! Complex numbers in primitives: formulas, statements, trees, moves; and what of complex numbers is refused.

use super::definition;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Complex, Device, Element};
use ferrocca_primitives::{Operator, Primitives, formula};

cases!["primitives::complex"; formulas_and_statements, sums_and_products_have_the_bits_of_the_tree, doubles: F64,
    norms_and_moments, along_axes, scans_and_segments, moves, truth, refusals];

/// Numbers of many magnitudes, whose sums round differently in each order.
fn numbers(len: usize) -> Vec<Complex<f32>> {
    let part = |i: u32| {
        ((i.wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 24) as f32 - 0.4) * [1.0, 1e3, 1e-3][i as usize % 3]
    };
    (0..len as u32).map(|i| Complex::new(part(2 * i), part(2 * i + 1))).collect()
}

fn nought<T: Element>() -> T {
    T::zeroed()
}

fn formulas_and_statements(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = numbers(300);
    let (z, by) = (device.malloc_from(&host)?, Complex::new(0.5_f32, -2.0));
    let scale = device.malloc_from(&[2.0_f32])?;
    let mut out = device.malloc::<Complex<f32>>(300)?;
    p.map(formula!("z * by + conj(z) * scale", z = &z, by = &by, scale = &scale)).store(&mut out)?;
    let expected: Vec<_> = host.iter().map(|z| z * by + z.conj() * 2.0).collect();
    check::same("a map", &out.to_vec()?, &expected)?;
    let mut parts = device.malloc::<f32>(300)?;
    p.map(formula!("z.re - cimag(z)", z = &z)).store(&mut parts)?;
    check::same("parts", &parts.to_vec()?, &host.iter().map(|z| z.re - z.im).collect::<Vec<_>>())?;
    let (column, row) = (z.slice(..4)?, z.slice(4..9)?);
    let mut table = device.malloc::<Complex<f32>>(20)?;
    p.map(formula!("z * row", z = (&column, [4, 1]), row = (&row, [1, 5]))).store(&mut table)?;
    let expected: Vec<_> = (0..20).map(|i| host[i / 5] * host[4 + i % 5]).collect();
    check::same("a table", &table.to_vec()?, &expected)?;
    let twice = p
        .elementwise("Number w = z + by; out = w * w; big = norm(w) > 1;")
        .type_name("Number", ferrocca_primitives::ValueType::Complex64);
    let mut big = device.malloc::<u8>(300)?;
    twice.input("z", &z).input("by", &by).output("out", &out, None).output("big", &big, None).run()?;
    let expected: Vec<_> = host.iter().map(|z| (z + by) * (z + by)).collect();
    check::same("statements", &out.to_vec()?, &expected)?;
    let expected: Vec<u8> = host.iter().map(|z| u8::from((z + by).norm_sqr() > 1.0)).collect();
    check::same("truth values", &big.to_vec()?, &expected)?;
    p.map(formula!("i % 2 == 0 ? 1 : 0", i = &big)).store(&mut out)?;
    big.fill(0)?;
    check::same("real values", &out.slice(..1)?.to_vec()?, &[Complex::new(f32::from(1 - expected[0] % 2), 0.0)])
}

fn sums_and_products_have_the_bits_of_the_tree(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in [0, 1, 33, 4096, 4097, 3 * 4096 + 5] {
        let host = numbers(len);
        let z = device.malloc_from(&host)?;
        let sum: Complex<f32> = p.sum(&z).get()?;
        check::equal(&format!("sum of {len}"), sum, definition::reduce(&host, nought(), |a, b| a + b))?;
        let near: Vec<_> = host.iter().map(|z| z * 1e-6 + 1.0).collect();
        let one = Complex::new(1.0_f32, 0.0);
        let product: Complex<f32> = p.product(&device.malloc_from(&near)?).get()?;
        check::equal(&format!("product of {len}"), product, definition::reduce(&near, one, |a, b| a * b))?;
    }
    let host = numbers(5000);
    let z = device.malloc_from(&host)?;
    let dot: Complex<f32> = p.dot(&z, &z).get()?;
    let squares: Vec<_> = host.iter().map(|z| z * z).collect();
    check::equal("dot", dot, definition::reduce(&squares, nought(), |a, b| a + b))?;
    let real: f32 = p.sum(formula!("norm(z)", z = &z)).get()?;
    let norms: Vec<_> = host.iter().map(|z| z.norm_sqr()).collect();
    check::equal("sum of a real formula", real, definition::reduce(&norms, 0.0, |a, b| a + b))?;
    let user = p.reduce(&z, Operator::new("a + b * 0.5f", "0"));
    let expected = definition::reduce(&host, nought::<Complex<f32>>(), |a, b| a + b * 0.5);
    check::equal("a user's operator", user.get::<Complex<f32>>()?, expected)
}

fn doubles(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = numbers(9000);
    let wide: Vec<Complex<f64>> = host.iter().map(|z| Complex::new(f64::from(z.re) / 3.0, z.im.into())).collect();
    let sum: Complex<f64> = p.sum(&device.malloc_from(&wide)?).get()?;
    check::equal("sum", sum, definition::reduce(&wide, nought(), |a, b| a + b))?;
    let z = device.malloc_from(&host)?;
    let wide: Vec<Complex<f64>> = host.iter().map(|z| Complex::new(z.re.into(), z.im.into())).collect();
    let sum: Complex<f64> = p.sum(&z).get()?;
    check::equal("sum of floats in double", sum, definition::reduce(&wide, nought(), |a, b| a + b))?;
    let mut running = device.malloc::<Complex<f64>>(host.len())?;
    p.cumulative_sum(&z).store(&mut running)?;
    check::same("scan", &running.to_vec()?, &definition::scan(&wide, nought(), true, |a: Complex<f64>, b| a + b))?;
    let by = Complex::new(0.25_f64, 3.0);
    let mut out = device.malloc::<Complex<f64>>(host.len())?;
    p.map(formula!("z * by", z = &z, by = &by)).store(&mut out)?;
    check::same("products", &out.to_vec()?, &wide.iter().map(|z| z * by).collect::<Vec<_>>())
}

fn norms_and_moments(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host: Vec<Complex<f32>> =
        (0..800).map(|i| Complex::new((i % 7 - 3) as f32, (i % 5 - 2) as f32 * 0.5)).collect();
    let z = device.malloc_from(&host)?;
    let exact: Vec<Complex<f64>> = host.iter().map(|z| Complex::new(z.re.into(), z.im.into())).collect();
    let mean = exact.iter().sum::<Complex<f64>>() / 800.0;
    let got: Complex<f32> = p.mean(&z).get()?;
    check::close("mean", &[got.re.into(), got.im.into()], &[mean.re, mean.im], 8.0, f32::EPSILON.into())?;
    let variance = exact.iter().map(|z| (z - mean).norm_sqr()).sum::<f64>() / 799.0;
    let expected = [
        exact.iter().map(|z| z.norm()).sum(),
        exact.iter().map(|z| z.norm_sqr()).sum::<f64>().sqrt(),
        exact.iter().map(|z| z.norm()).fold(0.0, f64::max),
        variance,
        variance.sqrt(),
    ];
    let got = [p.norm_1(&z), p.norm_2(&z), p.norm_max(&z), p.variance(&z, 1), p.standard_deviation(&z, 1)];
    let got = got.iter().map(|reduction| reduction.get::<f32>().map(f64::from)).collect::<Result<Vec<_>, _>>()?;
    check::close("norms and variance", &got, &expected, 16.0, f32::EPSILON.into())
}

fn along_axes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let (rows, columns, host) = (1500, 6, numbers(9000));
    let z = device.malloc_from(&host)?;
    let table = || formula!("z", z = (&z, [rows, columns]));
    let mut sums = device.malloc::<Complex<f32>>(columns)?;
    p.sum(table()).store_along(0, &mut sums)?;
    let column = |c: usize| (0..rows).map(|r| host[r * columns + c]).collect::<Vec<_>>();
    let expected: Vec<_> =
        (0..columns).map(|c| definition::reduce_along(&column(c), nought(), |a: Complex<f32>, b| a + b)).collect();
    check::same("sums", &sums.to_vec()?, &expected)?;
    let mut variances = device.malloc::<f32>(rows)?;
    p.variance(table(), 0).store_along(1, &mut variances)?;
    let row = &host[..columns];
    let mean = row.iter().sum::<Complex<f32>>() / columns as f32;
    let expected = row.iter().map(|z| (z - mean).norm_sqr()).sum::<f32>() / columns as f32;
    let got = variances.slice(..1)?.to_vec()?[0];
    check::close("variance", &[got.into()], &[expected.into()], 32.0, f32::EPSILON.into())?;
    let mut running = device.malloc::<Complex<f32>>(host.len())?;
    p.cumulative_sum(table()).store_along(0, &mut running)?;
    let mut expected = host.clone();
    (columns..host.len()).for_each(|i| expected[i] = expected[i - columns] + host[i]);
    check::same("running sums", &running.to_vec()?, &expected)
}

fn scans_and_segments(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in [1, 2048, 5000] {
        let host = numbers(len);
        let z = device.malloc_from(&host)?;
        let mut out = device.malloc::<Complex<f32>>(len)?;
        p.scan_exclusive(&z, Operator::SUM).store(&mut out)?;
        let expected = definition::scan(&host, nought(), false, |a: Complex<f32>, b| a + b);
        check::same(&format!("scan of {len}"), &out.to_vec()?, &expected)?;
    }
    let host = numbers(100);
    let (z, starts) = (device.malloc_from(&host)?, device.malloc_from(&[0, 3, 3, 40, 100])?);
    let mut sums = device.malloc::<Complex<f32>>(4)?;
    p.segments(&z, &starts).reduce(Operator::SUM, &mut sums)?;
    let sum = |range: std::ops::Range<usize>| host[range].iter().sum::<Complex<f32>>();
    let (got, expected) = (sums.to_vec()?, [sum(0..3), nought(), sum(3..40), sum(40..100)]);
    let near = got.iter().zip(expected).all(|(a, b)| (a - b).norm() <= 1e-4 * (1.0 + b.norm()));
    check::that(near, format!("segments: {got:?}, expected {expected:?}"))
}

fn moves(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = numbers(60);
    let z = device.malloc_from(&host)?;
    let (mut out, mut count) = (device.malloc::<Complex<f32>>(60)?, device.malloc::<i32>(1)?);
    p.compact(&z, formula!("z.im > 0", z = &z)).store(&mut out, &mut count)?;
    let expected: Vec<_> = host.iter().copied().filter(|z| z.im > 0.0).collect();
    check::equal("count", count.to_vec()?[0], expected.len() as i32)?;
    check::same("compact", &out.slice(..expected.len())?.to_vec()?, &expected)?;
    let indices: Vec<i32> = (0..60).map(|i| i * 7 % 60).collect();
    let places = device.malloc_from(&indices)?;
    p.gather(&z, &places, &mut out)?;
    check::same("gather", &out.to_vec()?, &indices.iter().map(|&i| host[i as usize]).collect::<Vec<_>>())?;
    let mut back = device.malloc::<Complex<f32>>(60)?;
    p.scatter(&out, &places, &mut back)?;
    check::same("scatter", &back.to_vec()?, &host)?;
    p.transpose(&z, [6, 10], &mut out)?;
    check::same("transpose", &out.to_vec()?, &(0..60).map(|i| host[i % 6 * 10 + i / 6]).collect::<Vec<_>>())
}

/// A number is true where a part of it is not zero.
fn truth(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let of = |re: f32, im: f32| Complex::new(re, im);
    let z = device.malloc_from(&[of(0.0, 1.0), of(0.0, -0.0), of(f32::NAN, 0.0), of(0.0, 0.0), of(2.0, 0.0)])?;
    check::equal("any", p.any(&z).get::<i32>()?, 1)?;
    check::equal("all", p.all(&z).get::<i32>()?, 0)?;
    check::equal("all of one", p.all(&z.slice(..1)?).get::<i32>()?, 1)?;
    check::equal("any of one", p.any(&z.slice(1..2)?).get::<i32>()?, 0)?;
    let (mut out, mut count) = (device.malloc::<Complex<f32>>(5)?, device.malloc::<i32>(1)?);
    p.compact(&z, &z).store(&mut out, &mut count)?;
    check::equal("taken", count.to_vec()?[0], 3)?;
    check::equal("the last one", out.to_vec()?[2], of(2.0, 0.0))
}

fn refusals(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let z = device.malloc_from(&numbers(5))?;
    let (mut out, mut reals) = (device.malloc::<Complex<f32>>(5)?, device.malloc::<f32>(5)?);
    let mut one = device.malloc::<Complex<f32>>(1)?;
    check::refused("min", p.min(&z).store(&mut one), &["complex64", "no order", "abs(x)"])?;
    check::refused("sort", p.sort(&z, &mut out), &["`keys` is memory of complex64, not of real numbers"])?;
    check::refused("a norm", p.norm_1(&z).store(&mut one), &["the result is a float", "complex64"])?;
    check::refused("an index", p.arg_max(&z).get::<i32>(), &["expected `float`, got `complex64`"])?;
    check::refused("a map", p.map(&z).store(&mut reals), &["expected `float`, got `complex64`"])?;
    check::refused("a sum", p.sum(&z).get::<f32>(), &["expected `float`, got `complex64`"])?;
    check::refused("a scan", p.cumulative_sum(&z).store(&mut reals), &["expected `float`, got `complex64`"])?;
    let mut counts = device.malloc::<i32>(4)?;
    check::refused("a histogram", p.histogram(&z, 0.0, 1.0).store(&mut counts), &["expected `float`, got `complex64`"])
}
