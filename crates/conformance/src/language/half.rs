//! The 16-bit float: every value of it, how numbers round to it, and everywhere it may stand.

use super::{build, build_with};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args, f16};

cases!["half";
    every_value, floats_round_once, doubles_round_once: F64, integers_round, arithmetic_is_float, conditions, neighbours_are_kept,
    slices_at_any_element, scalars, local_memory, structs, functions, math_functions, host_part, constant_table, fills,
    define_chooses_half, no_atomics,
];

/// The nearest halves.
fn halves(values: &[f32]) -> Vec<f16> {
    values.iter().copied().map(f16::from_f32).collect()
}

/// Bits, such that every NaN has the same.
fn bits(values: &[f16]) -> Vec<u16> {
    values.iter().map(|value| if value.is_nan() { f16::NAN.to_bits() } else { value.to_bits() }).collect()
}

fn every_value(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, float *f, half *y, half *copy) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { f[i] = x[i]; y[i] = f[i]; copy[i] = x[i]; }
    }";
    let kernel = build(device, source)?;
    let host: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
    let x = device.malloc_from(&host)?;
    let mut f = device.malloc::<f32>(host.len())?;
    let (mut y, mut copy) = (device.malloc::<f16>(host.len())?, device.malloc::<f16>(host.len())?);
    kernel.launch(args![host.len(), &x, &mut f, &mut y, &mut copy])?;
    let single = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    let got: Vec<u32> = f.to_vec()?.into_iter().map(single).collect();
    check::same("f", &got, &host.iter().map(|x| single(x.to_f32())).collect::<Vec<_>>())?;
    check::same("y", &bits(&y.to_vec()?), &bits(&host))?;
    // A copy converts nothing, and keeps what a NaN carries.
    let raw = |values: Vec<f16>| values.into_iter().map(f16::to_bits).collect::<Vec<_>>();
    check::same("copy", &raw(copy.to_vec()?), &raw(host))
}

/// Numbers at and beside every half and every middle between two, with the bits that they round to.
fn boundaries() -> Vec<(f64, u16)> {
    let next = |x: f64| f64::from_bits(x.to_bits() + 1);
    let previous = |x: f64| f64::from_bits(x.to_bits() - 1);
    // The same in single precision.
    let next_single = |x: f64| f64::from(f32::from_bits((x as f32).to_bits() + 1));
    let previous_single = |x: f64| f64::from(f32::from_bits((x as f32).to_bits() - 1));
    let value = |bits: u16| f64::from(f16::from_bits(bits));
    let mut all = vec![
        (f64::INFINITY, 0x7c00),
        (f64::MAX, 0x7c00),
        (f64::from(f32::MAX), 0x7c00),
        (1e-30, 0),
        (f64::from(f32::from_bits(1)), 0),
        (f64::from_bits(1), 0),
    ];
    for bits in 0..0x7c00 {
        let below = value(bits);
        // Behind the largest half comes 65,536, whose bits are those of the infinity.
        let above = if bits == 0x7bff { 65_536.0 } else { value(bits + 1) };
        let middle = (below + above) / 2.0;
        all.extend([(below, bits), (next(below), bits), (next_single(below), bits)]);
        all.extend([(previous(middle), bits), (previous_single(middle), bits), (middle, bits + (bits & 1))]);
        all.extend([(next(middle), bits + 1), (next_single(middle), bits + 1), (previous_single(above), bits + 1)]);
    }
    let negative: Vec<(f64, u16)> = all.iter().map(|&(x, bits)| (-x, bits | 0x8000)).collect();
    all.extend(negative);
    all.push((f64::NAN, f16::NAN.to_bits()));
    all
}

fn floats_round_once(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const float *x, half *y) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { y[i] = x[i]; }
    }";
    let kernel = build(device, source)?;
    let singles: Vec<(f32, u16)> = boundaries()
        .into_iter()
        .filter(|(x, _)| x.is_nan() || f64::from(*x as f32) == *x)
        .map(|(x, bits)| (x as f32, bits))
        .collect();
    let x = device.malloc_from(&singles.iter().map(|(x, _)| *x).collect::<Vec<_>>())?;
    let mut y = device.malloc::<f16>(singles.len())?;
    kernel.launch(args![singles.len(), &x, &mut y])?;
    check::same("y", &bits(&y.to_vec()?), &singles.iter().map(|(_, bits)| *bits).collect::<Vec<_>>())
}

fn doubles_round_once(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const double *x, half *y, double *back) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { y[i] = x[i]; back[i] = y[i]; }
    }";
    let kernel = build(device, source)?;
    let doubles = boundaries();
    let x = device.malloc_from(&doubles.iter().map(|(x, _)| *x).collect::<Vec<_>>())?;
    let mut y = device.malloc::<f16>(doubles.len())?;
    let mut back = device.malloc::<f64>(doubles.len())?;
    kernel.launch(args![doubles.len(), &x, &mut y, &mut back])?;
    let y = y.to_vec()?;
    check::same("y", &bits(&y), &doubles.iter().map(|(_, bits)| *bits).collect::<Vec<_>>())?;
    let wide = |value: f64| if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() };
    let back: Vec<u64> = back.to_vec()?.into_iter().map(wide).collect();
    check::same("back", &back, &doubles.iter().map(|(_, b)| wide(f16::from_bits(*b).to_f64())).collect::<Vec<_>>())
}

fn integers_round(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *k, half *y, half *z, int *back) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            y[i] = k[i]; z[i] = (unsigned int) k[i] >> 1; const half least = k[i] > 0; back[i] = (int) y[i] + (k[i] < 9 ? (int) least : 0);
        }
    }";
    let kernel = build(device, source)?;
    let k = [0i32, 1, -1, 2047, 2049, 2051, -4098, -4102, 4097, 40_000, 65_519, -65_519];
    let expected = [0.0, 1.0, -1.0, 2047.0, 2048.0, 2052.0, -4096.0, -4104.0, 4096.0, 40_000.0, 65_504.0, -65_504.0];
    let x = device.malloc_from(&k)?;
    let (mut y, mut z) = (device.malloc::<f16>(k.len())?, device.malloc::<f16>(k.len())?);
    let mut back = device.malloc::<i32>(k.len())?;
    kernel.launch(args![k.len(), &x, &mut y, &mut z, &mut back])?;
    check::same("y", &bits(&y.to_vec()?), &bits(&halves(&expected)))?;
    let shifted: Vec<f32> = k.iter().map(|&k| (k.cast_unsigned() >> 1) as f32).collect();
    check::same("z", &bits(&z.to_vec()?), &bits(&halves(&shifted)))?;
    let back_expected: Vec<i32> = k.iter().zip(expected).map(|(&k, y)| y as i32 + i32::from(k == 1)).collect();
    check::same("back", &back.to_vec()?, &back_expected)
}

fn arithmetic_is_float(device: &Device) -> Outcome {
    // Products of halves are exact in `float`, so that contraction changes nothing.
    let source = "@kernel void test(const int n, const half a, const half *x, half *y, float *wide) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) {
            wide[i] = x[i] * x[i] - a;
            y[i] = a * x[i] + y[i];
            y[i] += x[i];
            y[i]--;
            y[i] = -y[i];
        }
    }";
    let kernel = build(device, source)?;
    let host: Vec<f16> = (0..1000).map(|i| f16::from_f32(i as f32 * 0.37 - 50.0)).collect();
    let start: Vec<f16> = (0..1000).map(|i| f16::from_f32(200.0 - i as f32 * 0.11)).collect();
    let a = f16::from_f32(0.1);
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc_from(&start)?;
    let mut wide = device.malloc::<f32>(host.len())?;
    kernel.launch(args![host.len(), a, &x, &mut y, &mut wide])?;
    let expected = |x: f16, y: f16| {
        let y = f16::from_f32(a.to_f32() * x.to_f32() + y.to_f32());
        let y = f16::from_f32(y.to_f32() + x.to_f32());
        -f16::from_f32(y.to_f32() - 1.0)
    };
    let expected: Vec<f16> = host.iter().zip(&start).map(|(&x, &y)| expected(x, y)).collect();
    check::same("y", &bits(&y.to_vec()?), &bits(&expected))?;
    let squares: Vec<f32> = host.iter().map(|x| x.to_f32() * x.to_f32() - a.to_f32()).collect();
    check::same("wide", &wide.to_vec()?, &squares)
}

fn conditions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            int k = 0;
            if (x[i]) { k += 1; }
            if (!x[i]) { k += 2; }
            k += x[i] ? 4 : 8;
            k += (x[i] < 1) * 16 + (x[i] == x[i]) * 32 + (x[i] != x[0]) * 64;
            const bool b = x[i];
            out[i] = k + b * 128 + (x[i] && x[1]) * 256;
        }
    }";
    let kernel = build(device, source)?;
    let values = [0.0, -0.0, 1.0, -1.0, f32::from_bits(0x3380_0000), f32::INFINITY, f32::NAN];
    let x = device.malloc_from(&halves(&values))?;
    let mut out = device.malloc::<i32>(values.len())?;
    kernel.launch(args![values.len(), &x, &mut out])?;
    let expected = values.map(|x| {
        let k = if x != 0.0 { 1 + 4 + 128 } else { 2 + 8 };
        k + i32::from(x < 1.0) * 16 + i32::from(!x.is_nan()) * 32 + i32::from(x != 0.0) * 64
    });
    check::same("out", &out.to_vec()?, &expected)
}

fn neighbours_are_kept(device: &Device) -> Outcome {
    // Every third element by one launch, the others stay; then every element by an item of another group.
    let source = "@kernel void test(const int n, const int step, const int first, half *y) {
        for (int i = first; i < n; i += step; @outer) {
            for (int k = 0; k < 1; ++k; @inner) { y[i] = -i; }
        }
    }";
    let kernel = build(device, source)?;
    let mut y = device.malloc_filled(1001, f16::from_f32(0.5))?;
    kernel.launch(args![1001, 3, 1, &mut y])?;
    let expected = |i: usize| if i % 3 == 1 { -(i as f32) } else { 0.5 };
    check::same("y", &bits(&y.to_vec()?), &bits(&halves(&(0..1001).map(expected).collect::<Vec<_>>())))?;
    kernel.launch(args![1000, 1, 0, &mut y])?;
    // The last one is as the first launch left it.
    let expected: Vec<f32> = (0..1001).map(|i| 0.0 - i as f32).collect();
    check::same("y", &bits(&y.to_vec()?), &bits(&halves(&expected)))
}

fn slices_at_any_element(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, half *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { y[i] = 2 * x[i]; }
    }";
    let kernel = build(device, source)?;
    let host: Vec<f32> = (0..64).map(|i| i as f32 + 0.5).collect();
    let x = device.malloc_from(&halves(&host))?;
    for (from, to, n) in [(1, 0, 7), (0, 3, 8), (5, 1, 33)] {
        let y = device.malloc_filled(64, f16::from_f32(-1.0))?;
        kernel.launch(args![n, &x.slice(from..from + n)?, &mut y.slice(to..to + n)?])?;
        let expected = |i: usize| if (to..to + n).contains(&i) { 2.0 * host[i - to + from] } else { -1.0 };
        check::same("y", &bits(&y.to_vec()?), &bits(&halves(&(0..64).map(expected).collect::<Vec<_>>())))?;
    }
    Ok(())
}

fn scalars(device: &Device) -> Outcome {
    let source = "@kernel void test(const half a, const char c, const half b, const int n, const half d, half *y) {
        for (int o = 0; o < 1; ++o; @outer) {
            for (int i = 0; i < 3; ++i; @inner) { y[i] = i == 0 ? a : i == 1 ? b + c : d + n; }
        }
    }";
    let kernel = build(device, source)?;
    let mut y = device.malloc::<f16>(3)?;
    let b = f16::from_f32(0.1);
    kernel.launch(args![f16::from_bits(1), 3i8, b, -7, 1024.0, &mut y])?;
    check::same(
        "y",
        &bits(&y.to_vec()?),
        &bits(&[f16::from_bits(1), f16::from_f32(b.to_f32() + 3.0), f16::from_f32(1017.0)]),
    )?;
    let refused = kernel.launch(args![0.1, 3i8, b, -7, 1024.0, &mut y]);
    check::that(refused.is_err(), "0.1 is no half")
}

fn local_memory(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, half *y) {
        for (int o = 0; o < n; o += 16; @outer) {
            @shared half tile[2][8];
            @shared half sum;
            @exclusive half mine[2];
            @exclusive half twice;
            for (int i = 0; i < 16; ++i; @inner) {
                tile[i / 8][i % 8] = x[o + i];
                mine[0] = x[o + i] + 1;
                mine[1] = i;
                twice = 2 * x[o + i];
            }
            for (int i = 0; i < 16; ++i; @inner) {
                if (i == 0) {
                    sum = 0;
                    for (int k = 0; k < 16; ++k) { sum += tile[k / 8][k % 8]; }
                }
            }
            for (int i = 0; i < 16; ++i; @inner) {
                half local[3] = {mine[0], mine[1], twice};
                for (int k = 1; k < 3; ++k) { local[0] += local[k]; }
                y[o + i] = local[0] + sum + tile[1 - i / 8][7 - i % 8];
            }
        }
    }";
    let kernel = build(device, source)?;
    let host: Vec<f16> = (0..64).map(|i| f16::from_f32(i as f32 * 0.3 - 4.0)).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc::<f16>(64)?;
    kernel.launch(args![64, &x, &mut y])?;
    let add = |a: f16, b: f16| f16::from_f32(a.to_f32() + b.to_f32());
    let expected: Vec<f16> = (0..64)
        .map(|at| {
            let (group, i) = (at / 16 * 16, at % 16);
            let sum = host[group..group + 16].iter().fold(f16::ZERO, |sum, &x| add(sum, x));
            let mine =
                add(add(add(host[at], f16::ONE), f16::from_f32(i as f32)), f16::from_f32(2.0 * host[at].to_f32()));
            let other = host[group + 15 - i];
            f16::from_f32(mine.to_f32() + sum.to_f32() + other.to_f32())
        })
        .collect();
    check::same("y", &bits(&y.to_vec()?), &bits(&expected))
}

ferrocca_core::kernel_struct! {
    /// Halves at even and odd places, alone and in a row.
    struct Sample { value: f16, kind: u16, count: i32, pair: [f16; 2], last: f16, _padding: u16 }
}

fn structs(device: &Device) -> Outcome {
    let source = "struct Sample { half value; unsigned short kind; int count; half pair[2]; half last; };
    @kernel void test(const int n, const struct Sample s, struct Sample *p) {
        for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) {
            struct Sample q = p[i];
            q.value = q.value * s.value;
            q.kind++;
            q.pair[1] += s.pair[0];
            p[i].last = q.last - s.last;
            q.last = p[i].last;
            if (i % 2 == 0) { p[i] = q; }
        }
    }";
    let kernel = build(device, source)?;
    let half = f16::from_f32;
    let at = |i: i32| Sample {
        value: half(i as f32 * 0.5),
        kind: 7,
        count: i,
        pair: [half(1.0), half(2.5)],
        last: half(3.0),
        _padding: 0,
    };
    let s =
        Sample { value: half(0.25), kind: 1, count: 0, pair: [half(-1.0), half(9.0)], last: half(0.125), _padding: 0 };
    let host: Vec<Sample> = (0..20).map(at).collect();
    let mut p = device.malloc_from(&host)?;
    kernel.launch(args![20, &s, &mut p])?;
    let flat = |p: &Sample| [p.value, p.pair[0], p.pair[1], p.last, half(f32::from(p.kind)), half(p.count as f32)];
    let expected = |i: i32| {
        let old = Sample { last: half(2.875), ..at(i) };
        if i % 2 == 1 {
            return flat(&old);
        }
        flat(&Sample { value: half(i as f32 * 0.125), kind: 8, pair: [half(1.0), half(1.5)], ..old })
    };
    let got: Vec<f16> = p.to_vec()?.iter().flat_map(flat).collect();
    check::same("p", &bits(&got), &bits(&(0..20).flat_map(expected).collect::<Vec<_>>()))
}

fn functions(device: &Device) -> Outcome {
    let source = "half scaled(const half x, const float by) { return x * by; }
    void raise(half *x, const half by) { x[1] += by; *x = scaled(*x, 2.0f); }
    half larger(const half a, const half b) { return a > b ? a : b; }
    @kernel void test(const int n, half *x) {
        for (int o = 0; o < n; o += 8; @outer) {
            @shared half tile[16];
            for (int i = 0; i < 8; ++i; @inner) { tile[2 * i] = x[o + i]; tile[2 * i + 1] = 1; }
            for (int i = 0; i < 8; ++i; @inner) {
                half own[2] = {0.5f, larger(x[o + i], 3)};
                raise(own, 1);
                raise(tile + 2 * i, own[1]);
                x[o + i] = tile[2 * i] + tile[2 * i + 1] + own[0];
            }
            for (int i = 0; i < 4; ++i; @inner) { raise(&x[o + 2 * i], 0.5f); }
        }
    }";
    let kernel = build(device, source)?;
    let mut x = device.malloc_from(&halves(&(0..16).map(|i| i as f32 * 0.5).collect::<Vec<_>>()))?;
    kernel.launch(args![16, &mut x])?;
    let expected = |i: usize| {
        let x = i as f32 * 0.5;
        let y = 2.0 * x + (1.0 + x.max(3.0) + 1.0) + 1.0;
        if i.is_multiple_of(2) { 2.0 * y } else { y + 0.5 }
    };
    check::same("x", &bits(&x.to_vec()?), &bits(&halves(&(0..16).map(expected).collect::<Vec<_>>())))
}

fn math_functions(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const half *x, float *exact, half *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            exact[i] = sqrt(fabs(x[i])) + floor(x[i]) * 4 + fma(x[i], x[i], 1) + max(x[i], 0.5f) + (isnan(x[i]) ? 1 : 0);
            y[i] = sin(x[i]) * exp(-fabs(x[i])) + pow(fabs(x[i]), 0.5f);
        }
    }";
    let kernel = build(device, source)?;
    let host: Vec<f16> = (0..200).map(|i| f16::from_f32(i as f32 * 0.043 - 4.0)).collect();
    let x = device.malloc_from(&host)?;
    let (mut exact, mut y) = (device.malloc::<f32>(host.len())?, device.malloc::<f16>(host.len())?);
    kernel.launch(args![host.len(), &x, &mut exact, &mut y])?;
    let value = |x: &f16| {
        let x = x.to_f32();
        f64::from(x.abs().sqrt() + x.floor() * 4.0 + x.mul_add(x, 1.0) + x.max(0.5))
    };
    let got: Vec<f64> = exact.to_vec()?.into_iter().map(f64::from).collect();
    check::close("exact", &got, &host.iter().map(value).collect::<Vec<_>>(), 8.0, f64::from(f32::EPSILON))?;
    let value = |x: &f16| {
        let x = x.to_f64();
        x.sin() * (-x.abs()).exp() + x.abs().sqrt()
    };
    let got: Vec<f64> = y.to_vec()?.into_iter().map(f64::from).collect();
    // Rounded to nearest: half of the last of 11 bits, and a little for the functions.
    check::close("y", &got, &host.iter().map(value).collect::<Vec<_>>(), 1.01, 0.5 / 1024.0)
}

fn host_part(device: &Device) -> Outcome {
    let source = "@kernel void test(const half scale, half *x) {
        const half doubled = 2 * scale;
        if (doubled > 1) {
            for (int o = 0; o < (int) (scale * 4); ++o; @outer) {
                for (int i = 0; i < 4; ++i; @inner) { x[4 * o + i] = doubled + i; }
            }
        }
    }";
    let kernel = build(device, source)?;
    let mut x = device.malloc_filled(16, f16::ZERO)?;
    kernel.launch(args![0.5, &mut x])?;
    check::same("x", &bits(&x.to_vec()?), &[0; 16])?;
    kernel.launch(args![f16::from_f32(0.75), &mut x])?;
    let expected = |i: usize| if i < 12 { 1.5 + (i % 4) as f32 } else { 0.0 };
    check::same("x", &bits(&x.to_vec()?), &bits(&halves(&(0..16).map(expected).collect::<Vec<_>>())))
}

fn constant_table(device: &Device) -> Outcome {
    let source = "const half table[2][3] = {{0.1f, -2, 65504}, {-INFINITY, 6e-8, 1e6}};
    @kernel void test(half *x) {
        for (int o = 0; o < 1; ++o; @outer) {
            for (int i = 0; i < 6; ++i; @inner) { x[i] = table[i / 3][i % 3]; }
        }
    }";
    let kernel = build(device, source)?;
    let mut x = device.malloc::<f16>(6)?;
    kernel.launch(args![&mut x])?;
    check::same("x", &bits(&x.to_vec()?), &bits(&halves(&[0.1, -2.0, 65504.0, f32::NEG_INFINITY, 6e-8, f32::INFINITY])))
}

fn fills(device: &Device) -> Outcome {
    let mut x = device.malloc_filled(33, f16::from_f32(-1.5))?;
    check::same("filled", &bits(&x.to_vec()?), &[0xbe00; 33])?;
    x.slice(1..4)?.fill(f16::from_bits(1))?;
    let mut expected = [0xbe00; 33];
    expected[1..4].fill(1);
    check::same("slice", &bits(&x.to_vec()?), &expected)?;
    x.copy_from(&halves(&[2.0; 33]))?;
    check::same("copied", &bits(&x.to_vec()?), &[0x4000; 33])
}

fn define_chooses_half(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const dfloat a, dfloat *x) {
        for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) { const dfloat third = a / 3; x[i] = third; }
    }";
    let kernel = build_with(device, source, "defines: {dfloat: half}")?;
    let mut x = device.malloc::<f16>(5)?;
    kernel.launch(args![5, f16::ONE, &mut x])?;
    check::same("x", &bits(&x.to_vec()?), &[0x3555; 5])?;
    let mut wrong = device.malloc::<f32>(5)?;
    check::that(kernel.launch(args![5, f16::ONE, &mut wrong]).is_err(), "memory of another type was taken")
}

fn no_atomics(device: &Device) -> Outcome {
    let source = "@kernel void test(half *x) {
        for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < 4; ++i; @inner) { @atomic x[0] += 1; } }
    }";
    check::refused("the update", device.build_kernel_from_string(source, "test", ""), &["32-bit", "not on `half`"])
}
