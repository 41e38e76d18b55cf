//! Complex numbers: memory of the host's own type, operators, functions, arguments by value, memory of a group.

use super::build;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Complex, Device, args};

cases!["complex"; operators, doubles: F64, by_value_and_in_structs, of_a_group, functions, wrong_types];

const N: usize = 100;

/// Small integers and halves, whose products are exact.
fn numbers(scale: i32) -> Vec<Complex<f32>> {
    (0..N as i32).map(|i| Complex::new((i * scale % 17 - 8) as f32 * 0.5, (i * scale % 13 - 6) as f32)).collect()
}

fn operators(device: &Device) -> Outcome {
    let source =
        "@kernel void test(const int n, const float s, const complex64 *a, const float _Complex *b, complex64 *c) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            complex64 z = a[i] * b[i] - s * conj(a[i]);
            z += 1.5if;
            if (a[i] == b[i] || !a[i]) z = -z;
            c[i] = i % 3 == 0 ? z : z / 2.0f + s;
        }
    }";
    let (a, mut b) = (numbers(5), numbers(3));
    b[7] = a[7];
    let s = 3.0_f32;
    let of = |(i, (a, b)): (usize, (&Complex<f32>, &Complex<f32>))| {
        let mut z = a * b - a.conj() * s + Complex::new(0.0, 1.5);
        if a == b || *a == Complex::new(0.0, 0.0) {
            z = -z;
        }
        if i.is_multiple_of(3) { z } else { z / 2.0 + s }
    };
    let expected: Vec<_> = a.iter().zip(&b).enumerate().map(of).collect();
    let (a, b) = (device.malloc_from(&a)?, device.malloc_from(&b)?);
    let mut c = device.malloc::<Complex<f32>>(N)?;
    build(device, source)?.launch(args![N, s, &a, &b, &mut c])?;
    check::same("c", &c.to_vec()?, &expected)
}

/// A quotient is Smith's; a divisor with one part makes it exact.
fn doubles(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const complex128 *a, double _Complex *b, double *parts) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const complex128 turned = i % 2 == 0 ? complex128(0, 0.5) : complex128(-4, 0);
            b[i] = a[i] / turned;
            parts[i] = creal(a[i]) + 2 * cimag(a[i]) + norm(a[i]);
        }
    }";
    let a: Vec<Complex<f64>> = numbers(7).iter().map(|z| Complex::new(z.re.into(), z.im.into())).collect();
    let turned = |i: usize, z: &Complex<f64>| {
        if i.is_multiple_of(2) { Complex::new(z.im / 0.5, -z.re / 0.5) } else { Complex::new(z.re / -4.0, z.im / -4.0) }
    };
    let expected: Vec<_> = a.iter().enumerate().map(|(i, z)| turned(i, z)).collect();
    let parts_expected: Vec<f64> = a.iter().map(|z| z.re + 2.0 * z.im + (z.re * z.re + z.im * z.im)).collect();
    let a = device.malloc_from(&a)?;
    let (mut b, mut parts) = (device.malloc::<Complex<f64>>(N)?, device.malloc::<f64>(N)?);
    build(device, source)?.launch(args![N, &a, &mut b, &mut parts])?;
    check::same("b", &b.to_vec()?, &expected)?;
    check::same("parts", &parts.to_vec()?, &parts_expected)
}

ferrocca_core::kernel_struct! {
    /// As C lays it out: a complex number is aligned as its parts are.
    #[derive(PartialEq)]
    struct Wave { number: i32, amplitude: Complex<f32>, parts: [Complex<f32>; 2] }
}

fn by_value_and_in_structs(device: &Device) -> Outcome {
    let source = "struct Wave { int number; complex64 amplitude; complex64 parts[2]; };
    complex64 turned(const complex64 z) { return complex64(-z.im, z.re); }
    @kernel void test(const int n, const complex64 by, struct Wave *waves) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            waves[i].amplitude *= by;
            waves[i].parts[1] = turned(waves[i].amplitude) + waves[i].number;
            waves[i].parts[0].im = 1;
        }
    }";
    let amplitudes = numbers(3);
    let nought = Complex::new(0.0, 0.0);
    let waves: Vec<Wave> = amplitudes
        .iter()
        .enumerate()
        .map(|(i, &amplitude)| Wave { number: i as i32, amplitude, parts: [nought; 2] })
        .collect();
    let by = Complex::new(2.0_f32, -0.5);
    let changed = |wave: &Wave| {
        let amplitude = wave.amplitude * by;
        let last = Complex::new(-amplitude.im + wave.number as f32, amplitude.re);
        Wave { amplitude, parts: [Complex::new(0.0, 1.0), last], ..*wave }
    };
    let expected: Vec<Wave> = waves.iter().map(changed).collect();
    let mut waves = device.malloc_from(&waves)?;
    build(device, source)?.launch(args![N, &by, &mut waves])?;
    check::same("waves", &waves.to_vec()?, &expected)
}

fn of_a_group(device: &Device) -> Outcome {
    let source = "@kernel void test(const complex64 *a, complex64 *sums) {
        for (int o = 0; o < 5; ++o; @outer) {
            @shared complex64 s[16];
            @exclusive complex64 own;
            for (int i = 0; i < 16; ++i; @inner) {
                own = a[16 * o + i];
                s[i] = own;
            }
            for (int i = 0; i < 16; ++i; @inner) {
                complex64 pair[2] = {s[15 - i], own};
                pair[i % 2] -= 1;
                sums[16 * o + i] = pair[0] + pair[1] * I;
            }
        }
    }";
    let source = format!("#include <complex.h>\n{source}");
    let a = numbers(11);
    let of = |at: usize| {
        let (i, first) = (at % 16, at - at % 16);
        let mut pair = [a[first + 15 - i], a[at]];
        pair[i % 2] -= 1.0;
        pair[0] + pair[1] * Complex::new(0.0, 1.0)
    };
    let expected: Vec<_> = (0..80).map(of).collect();
    let a = device.malloc_from(&a)?;
    let mut sums = device.malloc::<Complex<f32>>(80)?;
    build(device, &source)?.launch(args![&a, &mut sums])?;
    check::same("sums", &sums.to_vec()?, &expected)
}

/// Functions give what their definitions make of the parts' functions, but for the last bits of those.
fn functions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const complex64 *a, complex64 *b, float *x) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const complex64 z = a[i];
            complex64 *y = b + 10 * i;
            y[0] = csqrt(z);
            y[1] = cexp(z);
            y[2] = clog(z);
            y[3] = cpow(z, complex64(0.5f, 0.25f));
            y[4] = csin(z);
            y[5] = ccos(z);
            y[6] = ctan(z);
            y[7] = csinh(z);
            y[8] = ccosh(z);
            y[9] = ctanh(z);
            x[2 * i] = cabs(z);
            x[2 * i + 1] = carg(z);
        }
    }";
    let numbers: Vec<Complex<f32>> = numbers(3).iter().map(|z| z / 4.0 + Complex::new(0.0625, 0.125)).collect();
    let a = device.malloc_from(&numbers)?;
    let (mut b, mut x) = (device.malloc::<Complex<f32>>(10 * N)?, device.malloc::<f32>(2 * N)?);
    build(device, source)?.launch(args![N, &a, &mut b, &mut x])?;
    let (b, x) = (b.to_vec()?, x.to_vec()?);
    for (i, z) in numbers.iter().enumerate() {
        let z = Complex::<f64>::new(z.re.into(), z.im.into());
        let expected = [
            z.sqrt(),
            z.exp(),
            z.ln(),
            z.powc(Complex::new(0.5, 0.25)),
            z.sin(),
            z.cos(),
            z.tan(),
            z.sinh(),
            z.cosh(),
            z.tanh(),
        ];
        for (k, expected) in expected.iter().enumerate() {
            let found = b[10 * i + k];
            let error = (Complex::<f64>::new(found.re.into(), found.im.into()) - expected).norm();
            let what = format!("function {k} of {z}: {found}, not {expected}");
            check::that(error <= 4e-6 * expected.norm().max(0.25), what)?;
        }
        check::that((f64::from(x[2 * i]) - z.norm()).abs() <= 2e-6 * z.norm(), format!("cabs of {z}"))?;
        check::that((f64::from(x[2 * i + 1]) - z.arg()).abs() <= 2e-6, format!("carg of {z}"))?;
    }
    Ok(())
}

/// Memory of other types is no memory of complex numbers.
fn wrong_types(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const complex64 by, complex64 *a) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) a[i] *= by;
    }";
    let kernel = build(device, source)?;
    let by = Complex::new(1.0_f32, 2.0);
    let mut floats = device.malloc::<f32>(8)?;
    check::refused(
        "floats",
        kernel.launch(args![4, &by, &mut floats]),
        &["expected memory of complex64, got memory of f32"],
    )?;
    let mut a = device.malloc::<Complex<f32>>(4)?;
    check::refused("a number", kernel.launch(args![4, 1.0_f32, &mut a]), &["argument 2 `by`", "`complex64`"])?;
    let wide = Complex::new(1.0_f64, 2.0);
    check::refused("a wide one", kernel.launch(args![4, &wide, &mut a]), &["argument 2 `by`", "f64"])
}
