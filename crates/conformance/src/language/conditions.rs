//! Conditions and comparisons of every type, constant ones among them.

use super::build;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["conditions";
    classified_floats, classified_doubles: F64, conditions_of_any_type, conditions_of_double: F64, constant_conditions,
    constant_conditions_of_double: F64, narrow_against_wide_constants: I64, local_arrays,
];

fn classified_floats(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const float *x, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            out[i] = isinf(x[i]) + 10 * isnan(x[i]) + 100 * isfinite(x[i]) + 1000 * (isinf(x[i]) == 1) + 10000 * (isinf(x[i]) == true);
        }
    }";
    let x = [f32::NEG_INFINITY, f32::INFINITY, f32::NAN, -f32::NAN, 0.0, -1.0, f32::MAX];
    let memory = device.malloc_from(&x)?;
    let mut out = device.malloc_filled(x.len(), 0)?;
    build(device, source)?.launch(args![x.len(), &memory, &mut out])?;
    check::same("classes", &out.to_vec()?, &[11001, 11001, 10, 10, 100, 100, 100])
}

fn classified_doubles(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const double *x, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            out[i] = isinf(x[i]) + 10 * isnan(x[i]) + 100 * isfinite(x[i]) + 1000 * (isinf(x[i]) == 1) + 10000 * (isinf(x[i]) == true);
        }
    }";
    let x = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, -f64::NAN, 0.0, -1.0, f64::MAX, 1e300];
    let memory = device.malloc_from(&x)?;
    let mut out = device.malloc_filled(x.len(), 0)?;
    build(device, source)?.launch(args![x.len(), &memory, &mut out])?;
    check::same("classes", &out.to_vec()?, &[11001, 11001, 10, 10, 100, 100, 100, 100])
}

fn conditions_of_any_type(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const float *x, const int *k, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const float f = x[i];
            int r = f ? 3 : 4;
            if (f) r += 10;
            if (!f) r += 20;
            if (f && k[i]) r += 100;
            if (f || k[i]) r += 200;
            while (k[i] && r < 1000) r += 1000;
            out[i] = k[i] ? r : -r;
        }
    }";
    let (x, k) = ([0.0f32, -0.0, 2.5, f32::NAN], [0, 1, 1, 0]);
    let (floats, integers) = (device.malloc_from(&x)?, device.malloc_from(&k)?);
    let mut out = device.malloc_filled(4, 0)?;
    build(device, source)?.launch(args![4, &floats, &integers, &mut out])?;
    check::same("chosen", &out.to_vec()?, &[-24, 1224, 1313, -213])
}

fn conditions_of_double(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const double *x, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const double f = x[i];
            out[i] = (f ? 3 : 4) + (x[i] ? 10 : 20) + (!f ? 100 : 200);
        }
    }";
    let x = device.malloc_from(&[0.0, 1e-300, -1.0])?;
    let mut out = device.malloc_filled(3, 0)?;
    build(device, source)?.launch(args![3, &x, &mut out])?;
    check::same("chosen", &out.to_vec()?, &[124, 213, 213])
}

fn constant_conditions(device: &Device) -> Outcome {
    let source = "#define p_eps 0.5f
    @kernel void test(float *out) {
        for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < 1; ++i; @inner) {
            const float tolerance = (p_eps > 0.0f ? 1e-6f : 1e-12f);
            const int sign = p_eps < 0.0f ? -1 : 1;
            out[0] = tolerance;
            out[1] = sign;
            out[2] = (float)(39.0f != 0 ? 11 : 61);
            out[3] = (p_eps && 2.0f) ? 5.0f : 6.0f;
        }
    }";
    let mut out = device.malloc_filled(4, 0f32)?;
    build(device, source)?.launch(args![&mut out])?;
    check::same("folded", &out.to_vec()?, &[1e-6, 1.0, 11.0, 5.0])
}

fn constant_conditions_of_double(device: &Device) -> Outcome {
    let source = "#define p_eps 0.5
    @kernel void test(double *out) {
        for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < 1; ++i; @inner) {
            const float tolerance = (p_eps > 0.0 ? 1e-6 : 1e-12);
            out[0] = tolerance;
            out[1] = (double)(39.1 != 0 ? 11 : 61L);
            out[2] = (float)(p_eps + 0.1 > 0.55 ? 0.1 : 0.2);
        }
    }";
    let mut out = device.malloc_filled(3, 0.0)?;
    build(device, source)?.launch(args![&mut out])?;
    check::same("folded", &out.to_vec()?, &[f64::from(1e-6f32), 11.0, f64::from(0.1f32)])
}

fn narrow_against_wide_constants(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int *x, const short *s, int *out) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const long limit = 50;
            int bits = 0;
            bits |= (x[i] >= 50L) << 0;
            bits |= (x[i] < 50L) << 1;
            bits |= (x[i] == 50L) << 2;
            bits |= (50L <= x[i]) << 3;
            bits |= (x[i] < limit) << 4;
            bits |= (s[i] < 20L) << 5;
            bits |= (x[i] < 0L) << 6;
            bits |= (x[i] < 5000000000L) << 7;
            bits |= (x[i] == 5000000000L) << 8;
            bits |= (n >= 2L) << 9;
            bits |= (x[i] > -5000000000L) << 10;
            bits |= ((unsigned int)x[i] < 50L) << 11;
            long k = i;
            if (k < 2) bits |= 1 << 12;
            out[i] = bits;
        }
    }";
    let (x, s) = ([49, 50, -1, i32::MAX, i32::MIN], [19i16, 20, -1, i16::MAX, i16::MIN]);
    let (wide, narrow) = (device.malloc_from(&x)?, device.malloc_from(&s)?);
    let mut out = device.malloc_filled(x.len(), 0)?;
    build(device, source)?.launch(args![x.len(), &wide, &narrow, &mut out])?;
    let expected = (0i64..).zip(x.iter().zip(s)).map(|(i, (&x, s))| {
        let (a, s) = (i64::from(x), i64::from(s));
        let bits = [
            a >= 50,
            a < 50,
            a == 50,
            50 <= a,
            a < 50,
            s < 20,
            a < 0,
            true,
            false,
            true,
            true,
            i64::from(x.cast_unsigned()) < 50,
            i < 2,
        ];
        (0..).zip(bits).map(|(bit, is)| i32::from(is) << bit).sum::<i32>()
    });
    check::same("bits", &out.to_vec()?, &expected.collect::<Vec<_>>())
}

/// Local arrays of a few KiB work everywhere; one that the device has no room for is refused, and nothing else happens.
fn local_arrays(device: &Device) -> Outcome {
    let run = |length: u32| -> ferrocca_core::Result<Vec<u32>> {
        let source = format!(
            "@kernel void test(const int n, const unsigned int *x, unsigned int *out) {{
                for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {{
                    unsigned int t[{length}];
                    for (int k = 0; k < {length}; ++k) t[k] = x[i] + k;
                    unsigned int sum = 0;
                    for (int k = 0; k < {length}; ++k) sum += t[{length} - 1 - k] ^ x[i];
                    out[i] = sum;
                }}
            }}"
        );
        let kernel = device.build_kernel_from_string(&source, "test", "")?;
        let x = device.malloc_from(&[0u32, 1, 2])?;
        let mut out = device.malloc_filled(3, 0u32)?;
        kernel.launch(args![3, &x, &mut out])?;
        out.to_vec()
    };
    let expected = |length: u32| -> Vec<u32> {
        let sum = |x: u32| (0..length).fold(0u32, |sum, k| sum.wrapping_add((x + k) ^ x));
        (0..3).map(sum).collect()
    };
    check::same("256 bytes", &run(64)?, &expected(64))?;
    if let Ok(sums) = run(8_000_000) {
        check::same("32 MB", &sums, &expected(8_000_000))?;
    }
    check::same("256 bytes again", &run(64)?, &expected(64))
}
