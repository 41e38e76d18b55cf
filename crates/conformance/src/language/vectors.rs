//! Vector types: whole loads and stores, operators, memory of numbers as memory of vectors.

use super::build;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["vectors"; memory_of_numbers, of_three, narrow, by_value_and_in_structs, doubles: F64, lengths];

const N: usize = 100;

fn memory_of_numbers(device: &Device) -> Outcome {
    let source = "float4 mixed(float4 a, const float s) { a.x += s; return a * s - a; }
    @kernel void test(const int n, const float s, const float4 *a, float4 *b, float *dots) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const float4 v = a[i];
            float4 w = mixed(v, s);
            w += v * make_float4(0, 1, 2, 3);
            b[i] = -w;
            dots[i] = dot(v, w);
        }
    }";
    let a: Vec<f32> = (0..4 * N).map(|i| (i % 37) as f32 - 18.0).collect();
    let s = 3.0_f32;
    let mut expected = Vec::new();
    let mut dots_expected = Vec::new();
    for v in a.chunks(4) {
        let first = [v[0] + s, v[1], v[2], v[3]];
        let w: Vec<f32> = (0..4).map(|k| first[k] * s - first[k] + v[k] * k as f32).collect();
        dots_expected.push(v.iter().zip(&w).map(|(v, w)| v * w).sum::<f32>());
        expected.extend(w.iter().map(|w| -w));
    }
    let a = device.malloc_from(&a)?;
    let (mut b, mut dots) = (device.malloc::<f32>(4 * N)?, device.malloc::<f32>(N)?);
    build(device, source)?.launch(args![N, s, &a, &mut b, &mut dots])?;
    check::same("b", &b.to_vec()?, &expected)?;
    check::same("dots", &dots.to_vec()?, &dots_expected)
}

fn of_three(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const int3 *a, int3 *b) {
        for (int o = 0; o < (n + 15) / 16; ++o; @outer) {
            @shared int3 s[16];
            @exclusive int3 own;
            for (int i = 0; i < 16; ++i; @inner) {
                const int at = min(16 * o + i, n - 1);
                s[i] = a[at];
                own = a[at] % 5;
            }
            for (int i = 0; i < 16; ++i; @inner) {
                int3 pair[2] = {s[15 - i], own};
                pair[i % 2] += make_int3(1, 2, 3);
                if (16 * o + i < n) b[16 * o + i] = pair[0] - pair[1];
            }
        }
    }";
    let a: Vec<i32> = (0..3 * N as i32).map(|i| i * i % 101).collect();
    let mut expected = Vec::new();
    for at in 0..N {
        let (i, first) = (at % 16, at - at % 16);
        let other = (first + 15 - i).min(N - 1);
        for k in 0..3 {
            let step = (k as i32 + 1) * if i % 2 == 0 { 1 } else { -1 };
            expected.push(a[3 * other + k] - a[3 * at + k] % 5 + step);
        }
    }
    let a = device.malloc_from(&a)?;
    let mut b = device.malloc::<i32>(3 * N)?;
    build(device, source)?.launch(args![N, &a, &mut b])?;
    check::same("b", &b.to_vec()?, &expected)
}

fn narrow(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const uchar4 *a, short2 *b) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const uchar4 v = a[i] + a[i];
            b[i] = make_short2(v.x - v.y, v.z * v.w);
        }
    }";
    let a: Vec<u8> = (0..4 * N).map(|i| (i * 7 % 256) as u8).collect();
    let twice = |v: u8| i32::from(v.wrapping_add(v));
    let expected: Vec<i16> = a
        .chunks(4)
        .flat_map(|v| [twice(v[0]) - twice(v[1]), twice(v[2]) * twice(v[3])])
        .map(|value| value as i16)
        .collect();
    let a = device.malloc_from(&a)?;
    let mut b = device.malloc::<i16>(2 * N)?;
    build(device, source)?.launch(args![N, &a, &mut b])?;
    check::same("b", &b.to_vec()?, &expected)
}

ferrocca_core::kernel_struct! {
    /// C aligns a `float4` to 16 bytes.
    #[derive(PartialEq)]
    struct Body { mass: f32, _padding: [f32; 3], at: Float4, speed: [f32; 4] }
}
ferrocca_core::kernel_struct! {
    /// A `float4`.
    #[derive(PartialEq)]
    struct Float4 { x: f32, y: f32, z: f32, w: f32 }
}

fn by_value_and_in_structs(device: &Device) -> Outcome {
    let source = "struct Body { float mass; float4 at; float speed[4]; };
    @kernel void test(const int n, const float4 shift, struct Body *bodies) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            bodies[i].at += shift * bodies[i].mass;
            bodies[i].speed[3] = length(bodies[i].at);
        }
    }";
    let body = |i: usize| Body {
        mass: i as f32,
        _padding: [0.0; 3],
        at: Float4 { x: 3.0, y: 4.0, z: 0.0, w: 0.0 },
        speed: [0.0; 4],
    };
    let mut bodies = device.malloc_from(&(0..N).map(body).collect::<Vec<_>>())?;
    let shift = Float4 { x: 0.0, y: 0.0, z: 2.0, w: -2.0 };
    build(device, source)?.launch(args![N, &shift, &mut bodies])?;
    let found = bodies.to_vec()?;
    for (i, found) in found.iter().enumerate() {
        let z = 2.0 * i as f32;
        check::same("at", &[found.at], &[Float4 { x: 3.0, y: 4.0, z, w: -z }])?;
    }
    check::same("speed", &[found[0].speed[3]], &[5.0])
}

fn doubles(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const double2 *a, double4 *b) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const double2 v = a[i] / 2.0;
            b[i] = make_double4(v.x, v.y, v.y - v.x, 1);
        }
    }";
    let a: Vec<f64> = (0..2 * N).map(|i| i as f64 * 1.5).collect();
    let halves = |v: &[f64]| [v[0] / 2.0, v[1] / 2.0, v[1] / 2.0 - v[0] / 2.0, 1.0];
    let expected: Vec<f64> = a.chunks(2).flat_map(halves).collect();
    let a = device.malloc_from(&a)?;
    let mut b = device.malloc::<f64>(4 * N)?;
    build(device, source)?.launch(args![N, &a, &mut b])?;
    check::same("b", &b.to_vec()?, &expected)
}

/// Elements are counted as the kernel counts them.
fn lengths(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, float2 *a) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] += 1; }
    }";
    let kernel = build(device, source)?;
    let mut a = device.malloc_filled(2 * N, 0.5_f32)?;
    kernel.launch(args![N, &mut a])?;
    check::same("a", &a.to_vec()?, &[1.5; 2 * N])?;
    check::refused("beyond", kernel.launch(args![N + 1, &mut a]), &["which has 100 elements"])?;
    let odd = device.malloc::<f32>(7)?;
    check::refused("odd", kernel.launch(args![3, &mut odd.share()]), &["no whole number of `float2`"])
}
