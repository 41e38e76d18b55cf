//! A formula for every element: types, lengths around a tile's, operands that are repeated.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, f16};
use ferrocca_primitives::{Primitives, formula};

cases!["primitives::map"; lengths_around_a_tile, slices_and_places, conversions, repeated_elements, repeated_axes, four_axes, long_rows, wrong_shapes];

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
    let sum = p.sum(formula!("a * b", a = (&x, [6, 1]), b = &y)).get::<f32>();
    check::refused("a sum", sum, &["only `map` repeats"])
}
