//! What the 16-bit float `half` has of its own; the rest is in `storage_float`.

use super::{build, build_with};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args, f16};

cases!["half";
    integers_round, structs, constant_table, define_chooses_half,
];

/// The nearest halves.
fn halves(values: &[f32]) -> Vec<f16> {
    values.iter().copied().map(f16::from_f32).collect()
}

/// Bits, such that every NaN has the same.
fn bits(values: &[f16]) -> Vec<u16> {
    values.iter().map(|value| if value.is_nan() { f16::NAN.to_bits() } else { value.to_bits() }).collect()
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
