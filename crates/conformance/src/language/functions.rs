//! Device functions: by value, through pointers to every kind of memory, nested, with effects.

use super::{build, integers, maps};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["functions";
    by_value, calls_a_function, early_returns, void_function_writes_through_a_pointer, pointer_to_global, pointer_to_shared,
    pointer_to_exclusive, pointer_to_local, pointer_to_one_variable, one_function_for_every_kind_of_memory, result_and_effect,
    prototype_before_definition, pointer_passed_on, loops_inside, templates_and_overloads, lambdas_and_namespaces,
];

fn by_value(device: &Device) -> Outcome {
    maps(
        device,
        "int poly(const int x, int y) { y = y * 2; return x * x + y; }",
        "out[i] = poly(in[i], 3) + poly(2, in[i]);",
        |x| x * x + 6 + 4 + 2 * x,
    )
}

fn calls_a_function(device: &Device) -> Outcome {
    let prelude = "int twice(int x) { return 2 * x; } int four_times(int x) { return twice(twice(x)); }";
    maps(device, prelude, "out[i] = four_times(in[i]) + twice(1);", |x| 4 * x + 2)
}

fn early_returns(device: &Device) -> Outcome {
    let prelude = "int sign(const int x) { if (x < 0) return -1; for (int k = 0; k < 3; ++k) { if (x == k) { return 10 * k; } } return 1; }";
    maps(device, prelude, "out[i] = sign(in[i]);", |x| match x {
        ..0 => -1,
        0..3 => 10 * x,
        _ => 1,
    })
}

fn void_function_writes_through_a_pointer(device: &Device) -> Outcome {
    maps(
        device,
        "void put(int *target, const int k, const int value) { target[k] = value; }",
        "put(out, i, in[i] + 1);",
        |x| x + 1,
    )
}

fn pointer_to_global(device: &Device) -> Outcome {
    let prelude = "int sum3(const int *p) { return p[-1] + *p + p[1]; }";
    maps(device, prelude, "out[i] = (i > 0 && i < n - 1) ? sum3(in + i) : sum3(&in[1]) * 0;", |x| {
        if x > -40 && x < 59 { 3 * x } else { 0 }
    })
}

fn pointer_to_shared(device: &Device) -> Outcome {
    let source =
        "int total(const int *s, const int n) { int t = 0; for (int k = 0; k < n; ++k) { t += s[k]; } return t; }
    @kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 4; @outer) {
            @shared int s[2][4];
            for (int i = 0; i < 4; ++i; @inner) { s[0][i] = in[o + i]; s[1][i] = 10 * in[o + i]; }
            for (int i = 0; i < 4; ++i; @inner) { out[o + i] = total(s[1], 4) + total(&s[0][0], i + 1); }
        }
    }";
    let expected: Vec<i32> = (0..8)
        .map(|x| {
            let o = x / 4 * 4;
            10 * (o..o + 4).sum::<i32>() + (o..=x).sum::<i32>()
        })
        .collect();
    check::same("out", &integers(device, source, &(0..8).collect::<Vec<_>>(), 8)?, &expected)
}

fn pointer_to_exclusive(device: &Device) -> Outcome {
    let source = "void scale(int *a, const int by) { for (int k = 0; k < 3; ++k) { a[k] *= by; } }
    @kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 4; @outer) {
            @exclusive int r[3];
            for (int i = 0; i < 4; ++i; @inner) { for (int k = 0; k < 3; ++k) { r[k] = in[o + i] + k; } scale(r, 2); }
            for (int i = 0; i < 4; ++i; @inner) { scale(r, 5); out[o + i] = r[0] + r[1] + r[2]; }
        }
    }";
    check::same("out", &integers(device, source, &[1, 2, 3, 4], 4)?, &[60, 90, 120, 150])
}

fn pointer_to_local(device: &Device) -> Outcome {
    let prelude = "void fill(int *a, const int n, const int x) { for (int k = 0; k < n; ++k) { a[k] = x * k; } }";
    maps(device, prelude, "int a[6]; fill(a, 3, in[i]); fill(a + 3, 3, 100); out[i] = a[2] + a[5] + a[4];", |x| {
        2 * x + 300
    })
}

fn pointer_to_one_variable(device: &Device) -> Outcome {
    let prelude =
        "void divide(const int a, const int b, int *quotient, int *rest) { *quotient = a / b; *rest = a % b; }";
    maps(device, prelude, "int q, r; divide(in[i], 7, &q, &r); out[i] = 100 * q + r;", |x| 100 * (x / 7) + x % 7)
}

fn one_function_for_every_kind_of_memory(device: &Device) -> Outcome {
    let source = "int dot(const int *a, const int *b) { return a[0] * b[0] + a[1] * b[1]; }
    @kernel void test(const int n, const int *in, int *out) {
        for (int o = 0; o < n; o += 2; @outer) {
            @shared int s[2];
            @exclusive int e[2];
            for (int i = 0; i < 2; ++i; @inner) { s[i] = in[o + i] + 1; e[0] = i; e[1] = 3; }
            for (int i = 0; i < 2; ++i; @inner) {
                int local[2] = {10, 100};
                out[o + i] = dot(in + o, s) + dot(s, e) + dot(e, local) + dot(local, in + o);
            }
        }
    }";
    let mut expected = Vec::new();
    for (o, i) in [(0, 0), (0, 1), (2, 0), (2, 1)] {
        let dot = |a: [i32; 2], b: [i32; 2]| a[0] * b[0] + a[1] * b[1];
        let (g, s, e, l) = ([o, o + 1], [o + 1, o + 2], [i, 3], [10, 100]);
        expected.push(dot(g, s) + dot(s, e) + dot(e, l) + dot(l, g));
    }
    check::same("out", &integers(device, source, &[0, 1, 2, 3], 4)?, &expected)
}

fn result_and_effect(device: &Device) -> Outcome {
    let prelude = "int take(int *counter) { *counter += 1; return *counter * 10; }";
    maps(
        device,
        prelude,
        "int c = in[i]; int sum = take(&c); sum = sum + take(&c); if (in[i] > 0 && take(&c) > 50) { sum += 1; } out[i] = sum * 100 + c;",
        |x| {
            let mut sum = (x + 1) * 10 + (x + 2) * 10;
            let mut c = x + 2;
            if x > 0 {
                c += 1;
                if c * 10 > 50 {
                    sum += 1;
                }
            }
            sum * 100 + c
        },
    )
}

fn prototype_before_definition(device: &Device) -> Outcome {
    let prelude = "int later(int x); int first(int x) { return later(x) + 1; } int later(int x) { return 3 * x; }";
    maps(device, prelude, "out[i] = first(in[i]);", |x| 3 * x + 1)
}

fn pointer_passed_on(device: &Device) -> Outcome {
    let prelude = "void set(int *a, int v) { a[0] = v; } void set_second(int *a, int v) { set(a + 1, v); int *p = a; p += 2; set(p, v + 1); }";
    maps(device, prelude, "int a[3] = {1, 0, 0}; set_second(a, in[i]); out[i] = a[0] + a[1] + 100 * a[2];", |x| {
        1 + x + 100 * (x + 1)
    })
}

fn loops_inside(device: &Device) -> Outcome {
    let prelude = "int gcd(int a, int b) { while (b != 0) { const int t = a % b; a = b; b = t; } return a; }";
    maps(device, prelude, "out[i] = gcd(in[i] < 0 ? -in[i] : in[i], 36);", |x| {
        let (mut a, mut b) = (x.abs(), 36);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    })
}

/// Templates of functions and structs, overloads, default arguments, `auto`.
fn templates_and_overloads(device: &Device) -> Outcome {
    let source = "template <typename T> struct Pair { T a, b; };
    template <typename T> T sum(Pair<T> p) { return p.a + p.b; }
    template <int N, typename T = float> T power(T x) { T r = 1; for (int i = 0; i < N; ++i) { r *= x; } return r; }
    template <typename T> void add(T *to, T value) { *to += value; }
    int kind(int x) { return 10; }
    int kind(float x) { return 20; }
    int kind(const float *x, int more = 5) { return 30 + more; }
    @kernel void test(const int n, const float *x, float *y) {
        for (auto i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const Pair<float> p = {x[i], 2};
            auto q = p;
            q.a += 1;
            y[i] = sum(q) + power<3>(2.0f) + kind(i) + kind(x[i]) + kind(x) + kind(x, i);
            add(&y[i], 0.5f);
        }
    }";
    let host: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc_filled(100, 0f32)?;
    build(device, source)?.launch(args![100, &x, &mut y])?;
    let expected: Vec<f32> = host.iter().map(|x| x + 3.0 + 8.0 + 10.0 + 20.0 + 35.0 + 30.0 + x + 0.5).collect();
    check::same("y", &y.to_vec()?, &expected)
}

/// Lambdas that capture values, global and shared memory; names of namespaces.
fn lambdas_and_namespaces(device: &Device) -> Outcome {
    let source = "namespace a { const int scale = 3; namespace b { int twice(int x) { return 2 * x * scale; } } }
    using namespace a::b;
    auto plus = [](int x, int y) { return x + y; };
    @kernel void test(const int n, const int k, const int *x, int *y) {
        for (int o = 0; o < n / 8; ++o; @outer) {
            @shared int s[8];
            for (int i = 0; i < 8; ++i; @inner) {
                auto at = [=](int j) { return x[8 * o + j] * k; };
                auto put = [&](auto v) { s[i] = plus(v, at(i)); };
                put(twice(i));
            }
            for (int i = 0; i < 8; ++i; @inner) {
                auto mirrored = [&] { return s[7 - i]; };
                y[8 * o + i] = mirrored() + a::scale;
            }
        }
    }";
    let host: Vec<i32> = (0..64).map(|i| i * i).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc_filled(64, 0i32)?;
    build(device, source)?.launch(args![64, 5, &x, &mut y])?;
    let expected = |i: usize| {
        let j = 7 - i % 8;
        6 * j as i32 + 5 * host[i / 8 * 8 + j] + 3
    };
    check::same("y", &y.to_vec()?, &(0..64).map(expected).collect::<Vec<_>>())
}
