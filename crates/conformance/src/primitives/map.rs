//! A formula for every element: types, lengths around a tile's, operands that are repeated.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, f16};
use ferrocca_primitives::{Formula, Operand, Primitives, formula};
use okl::ir::Scalar;

cases!["primitives::map"; lengths_around_a_tile, slices_and_places, conversions, repeated_elements, repeated_axes, four_axes, long_rows, wrong_shapes, strides,
    statements];

fn floats(len: usize) -> Vec<f32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-6 - 3.0).collect()
}

fn lengths_around_a_tile(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for len in [0, 1, 255, 256, 257, 4095, 4096, 4097, 9000] {
        let (a, b) = (floats(len), floats(len + 7)[7..].to_vec());
        let (x, y) = (device.malloc_from(&a)?, device.malloc_from(&b)?);
        let out = device.malloc_filled(len + 2, -7.0f32)?;
        p.map(formula!("x * s + y / (index + 1)", x = &x, y = &y, s = 1.25f32)).store(&mut out.slice(1..len + 1)?)?;
        let mut expected = vec![-7.0; len + 2];
        for i in 0..len {
            expected[i + 1] = a[i] * 1.25 + b[i] / (i + 1) as f32;
        }
        p.finish()?;
        check::same(&format!("{len} elements"), &out.to_vec()?, &expected)?;
    }
    Ok(())
}

fn slices_and_places(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = floats(1_000);
    let mut x = device.malloc_from(&host)?;
    // In place, beside what must stay.
    let operand = x.slice(3..901)?;
    p.map(formula!("a > 0 ? sqrt(a) : a * a", a = &operand)).store(&mut x.slice(3..901)?)?;
    let map = |a: &f32| if *a > 0.0 { a.sqrt() } else { a * a };
    let expected: Vec<f32> =
        host.iter().enumerate().map(|(i, a)| if (3..901).contains(&i) { map(a) } else { *a }).collect();
    p.finish()?;
    check::same("x", &x.to_vec()?, &expected)?;
    p.map(formula!("2.5f")).store(&mut x)?;
    p.finish()?;
    check::same("a number", &x.to_vec()?, &[2.5; 1_000])
}

fn conversions(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = [-3.75f32, -0.0, 2.5, 200.0, f32::from_bits(0x3380_0000)];
    let x = device.malloc_from(&host)?;
    let mut integers = device.malloc::<i32>(5)?;
    let mut bytes = device.malloc::<u8>(5)?;
    let mut halves = device.malloc::<f16>(5)?;
    p.map(&x).store(&mut integers)?;
    p.map(formula!("x >= 0", x = &x)).store(&mut bytes)?;
    p.map(formula!("x / 3.0f", x = &x)).store(&mut halves)?;
    p.finish()?;
    check::same("integers", &integers.to_vec()?, &[-3, 0, 2, 200, 0])?;
    check::same("bytes", &bytes.to_vec()?, &[0, 1, 1, 1, 1])?;
    let expected: Vec<u16> = host.iter().map(|x| f16::from_f32(x / 3.0).to_bits()).collect();
    check::same("halves", &halves.to_vec()?.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), &expected)?;
    // What C cuts off.
    p.map(formula!("i + 255", i = &integers)).store(&mut bytes)?;
    p.finish()?;
    check::same("cut", &bytes.to_vec()?, &[252, 255, 1, 199, 255])
}

fn repeated_elements(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let host = floats(700);
    let (x, one) = (device.malloc_from(&host)?, device.malloc_from(&[3.0f32])?);
    let mut out = device.malloc::<f32>(700)?;
    p.map(formula!("x - one", x = &x, one = &one)).store(&mut out)?;
    p.finish()?;
    check::same("x - one", &out.to_vec()?, &host.iter().map(|x| x - 3.0).collect::<Vec<_>>())
}

/// `rows × columns` of `a[row] * b[column] + c[row][column]`.
fn table(device: &Device, rows: usize, columns: usize) -> Outcome {
    let p = Primitives::new(device);
    let (a, b, c) = (floats(rows), floats(columns), floats(rows * columns));
    let (x, y, z) = (device.malloc_from(&a)?, device.malloc_from(&b)?, device.malloc_from(&c)?);
    let mut out = device.malloc::<f32>(rows * columns)?;
    let text = "a * b + c";
    p.map(formula!(text, a = (&x, [rows, 1]), b = &y, c = (&z, [rows, columns]))).store(&mut out)?;
    let expected: Vec<f32> = (0..rows * columns).map(|i| a[i / columns] * b[i % columns] + c[i]).collect();
    p.finish()?;
    check::same(&format!("{rows} × {columns}"), &out.to_vec()?, &expected)
}

fn repeated_axes(device: &Device) -> Outcome {
    for (rows, columns) in [(1, 5), (5, 1), (40, 3), (3, 127), (7, 128), (2, 257), (3, 4097)] {
        table(device, rows, columns)?;
    }
    Ok(())
}

fn four_axes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for [d0, d1, d2, d3] in [[3, 4, 5, 6], [2, 3, 2, 130]] {
        let (a, b) = (floats(d0 * d2), floats(d1 * d3));
        let (x, y) = (device.malloc_from(&a)?, device.malloc_from(&b)?);
        let mut out = device.malloc::<f32>(d0 * d1 * d2 * d3)?;
        p.map(formula!("a - 2 * b", a = (&x, [d0, 1, d2, 1]), b = (&y, [d1, 1, d3]))).store(&mut out)?;
        let mut expected = Vec::new();
        for i0 in 0..d0 {
            for i1 in 0..d1 {
                for i2 in 0..d2 {
                    expected.extend((0..d3).map(|i3| a[i0 * d2 + i2] - 2.0 * b[i1 * d3 + i3]));
                }
            }
        }
        p.finish()?;
        check::same(&format!("{d0} × {d1} × {d2} × {d3}"), &out.to_vec()?, &expected)?;
    }
    Ok(())
}

fn long_rows(device: &Device) -> Outcome {
    table(device, 300, 129)
}

fn wrong_shapes(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    let (x, y) = (device.malloc_from(&floats(6))?, device.malloc_from(&floats(4))?);
    let mut out = device.malloc::<f32>(6)?;
    let parts = ["mapping `a + b`", "operand `b`", "[6]", "[4]"];
    check::refused("lengths", p.map(formula!("a + b", a = &x, b = &y)).store(&mut out), &parts)?;
    let shaped = p.map(formula!("a", a = (&x, [2, 2]))).store(&mut out);
    check::refused("a shape", shaped, &["`a` has the shape [2, 2], but 6 elements"])?;
    check::refused("a result", p.map(&y).store(&mut out), &["the shape [4], the result 6 elements"])?;
    let beyond = Operand::strided(x.untyped(), 3, &[2, 2], &[2, 1]);
    check::refused("places", beyond, &["elements 3 to 6", "[2, 2]", "memory of 6"])?;
    let before = Operand::strided(x.untyped(), 1, &[3], &[-1]);
    check::refused("places", before, &["elements -1 to 1"])
}

/// Every other column of a table backwards, transposed, and a row that is repeated.
fn strides(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for (rows, columns) in [(5, 8), (300, 6), (3, 300)] {
        let (a, b) = (floats(rows * columns), floats(rows));
        let (x, y) = (device.malloc_from(&a)?, device.malloc_from(&b)?);
        let half = columns / 2;
        let lengths = [half, rows];
        let view = Operand::strided(x.untyped(), columns - 1, &lengths, &[-2, columns as isize])?;
        let row = Operand::strided(y.untyped(), 0, &lengths, &[0, 1])?;
        let mut out = device.malloc::<f32>(half * rows)?;
        let formula = Formula::new("x - 2 * y").with("x", view).with("y", row);
        p.map(formula.clone()).store(&mut out)?;
        let value = |i: usize| a[i % rows * columns + columns - 1 - i / rows * 2] - 2.0 * b[i % rows];
        let expected: Vec<f32> = (0..half * rows).map(value).collect();
        p.finish()?;
        check::same(&format!("{rows} × {columns}"), &out.to_vec()?, &expected)?;
        let sum: f32 = p.sum(formula.clone()).get()?;
        let dense: f32 = p.sum(&out).get()?;
        check::equal("a sum", sum.to_bits(), dense.to_bits())?;
        let (mut scanned, mut of_dense) = (device.malloc::<f32>(out.len())?, device.malloc::<f32>(out.len())?);
        p.cumulative_sum(formula).store(&mut scanned)?;
        p.cumulative_sum(&out).store(&mut of_dense)?;
        p.finish()?;
        check::same("a scan", &scanned.to_vec()?, &of_dense.to_vec()?)?;
    }
    Ok(())
}

/// Two results, one of them in every third element of memory, and a table that is read at places of its own.
fn statements(device: &Device) -> Outcome {
    let p = Primitives::new(device);
    for (rows, columns) in [(1, 700), (40, 3), (2, 257)] {
        let n = rows * columns;
        let (a, b) = (floats(n), floats(columns));
        let places: Vec<i32> = (0..n as i32).map(|i| i * 7 % columns as i32).collect();
        let (x, y, at) = (device.malloc_from(&a)?, device.malloc_from(&b)?, device.malloc_from(&places)?);
        let (mut low, sparse) = (device.malloc::<f32>(n)?, device.malloc_filled(3 * n, -7.0f32)?);
        let shape = [rows, columns];
        let place = Operand::strided(sparse.untyped(), 1, &shape, &[3 * columns as isize, 3])?;
        p.elementwise(
            "real other = table[at] * two(i < n); if (x < y) { low = x; sum = y + other; } else { low = y; sum = x; }",
        )
        .functions("float two(const bool is) { return is ? 2.0f : 0.0f; }")
        .type_name("real", Scalar::F32)
        .input("x", (&x, shape))
        .input("y", &y)
        .input("at", (&at, shape))
        .raw("table", y.untyped())
        .output("low", (&low, shape), None)
        .output("sum", place, None)
        .run()?;
        let mut expected = (vec![0.0; n], vec![-7.0; 3 * n]);
        for i in 0..n {
            let (x, y, other) = (a[i], b[i % columns], b[places[i] as usize] * 2.0);
            expected.0[i] = if x < y { x } else { y };
            expected.1[3 * i + 1] = if x < y { y + other } else { x };
        }
        p.finish()?;
        check::same("low", &low.to_vec()?, &expected.0)?;
        check::same("sum", &sparse.to_vec()?, &expected.1)?;
        // At places that the statements compute.
        let mut table = low.untyped().clone();
        p.elementwise("table[n - 1 - i] = at;").input("at", (&at, shape)).raw_output("table", &mut table).run()?;
        for (i, place) in places.into_iter().enumerate() {
            expected.0[n - 1 - i] = place as f32;
        }
        p.finish()?;
        check::same("scattered", &low.to_vec()?, &expected.0)?;
        low.fill(0.0)?;
    }
    let mut out = device.malloc::<f32>(3)?;
    let short = p.elementwise("y = 1;").shape(&[4, 3])?.output("y", &out, None).run();
    check::refused("a shape", short, &["`y` has the shape [3], and not [4, 3]"])?;
    check::refused("text", p.elementwise("y = z;").output("y", &out, None).run(), &["computing `y = z;`", "`z`"])?;
    out.fill(0.0)?;
    Ok(())
}
