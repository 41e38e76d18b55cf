//! Scalar types, promotions, casts, pointers, structs, enums and typedefs.

use super::{build, build_with, maps};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["types";
    integer_promotion, unsigned_arithmetic_wraps, narrow_types_wrap, narrow_elements_keep_their_neighbours, shifts, division_truncates,
    float_to_integer, float_arithmetic_is_float, double_arithmetic: F64, sixty_four_bit: I64, mixed_comparison, booleans, casts, typedefs_and_enums,
    struct_in_a_kernel, nested_struct, struct_memory, pointers_in_struct_parameters, pointer_arithmetic, pointer_walk, size_of, literals, define_chooses_a_type: F64,
    constant_table,
];

fn integer_promotion(device: &Device) -> Outcome {
    let body =
        "const char c = (char) in[i]; const unsigned char u = (unsigned char) in[i]; out[i] = c * c + u * 3 + (c < u);";
    maps(device, "", body, |x| {
        let (c, u) = (i32::from(x as i8), i32::from(x as u8));
        c * c + u * 3 + i32::from(c < u)
    })
}

fn unsigned_arithmetic_wraps(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "unsigned int u = in[i]; u = u * 2654435761u + 1u; u ^= u >> 15; out[i] = (int) (u % 1000u);",
        |x| {
            let mut u = (x as u32).wrapping_mul(2_654_435_761).wrapping_add(1);
            u ^= u >> 15;
            (u % 1000) as i32
        },
    )
}

fn narrow_types_wrap(device: &Device) -> Outcome {
    let body = "unsigned char b = in[i]; b += 200; unsigned short s = in[i]; s -= 50; out[i] = b * 100000 + s;";
    maps(device, "", body, |x| {
        i32::from((x as u8).wrapping_add(200)) * 100_000 + i32::from((x as u16).wrapping_sub(50))
    })
}

fn narrow_elements_keep_their_neighbours(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const unsigned char *a, unsigned char *b, short *c) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { if (i % 3 == 1) { b[i] = a[i] + 1; c[i] = (short) -i; } }
    }";
    let kernel = build(device, source)?;
    let host: Vec<u8> = (0..100).collect();
    let a = device.malloc_from(&host)?;
    let mut b = device.malloc_filled(100, 7u8)?;
    let mut c = device.malloc_filled(100, 5i16)?;
    kernel.launch(args![100, &a, &mut b, &mut c])?;
    check::same("b", &b.to_vec()?, &(0..100).map(|i| if i % 3 == 1 { i + 1 } else { 7 }).collect::<Vec<u8>>())?;
    check::same("c", &c.to_vec()?, &(0..100).map(|i| if i % 3 == 1 { -i } else { 5 }).collect::<Vec<i16>>())
}

fn shifts(device: &Device) -> Outcome {
    maps(device, "", "out[i] = (in[i] >> 2) + ((unsigned int) in[i] >> 28) + (1 << (i & 7));", |x| {
        (x >> 2) + ((x as u32) >> 28) as i32 + (1 << ((x + 40) & 7))
    })
}

fn division_truncates(device: &Device) -> Outcome {
    maps(device, "", "out[i] = in[i] / 7 * 100 + in[i] % 7;", |x| x / 7 * 100 + x % 7)
}

fn float_to_integer(device: &Device) -> Outcome {
    maps(device, "", "const float x = in[i] * 0.75f; out[i] = (int) x;", |x| (x as f32 * 0.75) as i32)
}

fn float_arithmetic_is_float(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const float *x, float *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { y[i] = (x[i] + 1.0f) / 3.0f - x[i] * 0.1f; }
    }";
    let kernel = build(device, source)?;
    let host: Vec<f32> = (0..100).map(|i| i as f32 * 0.37 - 5.0).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc::<f32>(100)?;
    kernel.launch(args![100, &x, &mut y])?;
    let expected: Vec<f64> = host.iter().map(|x| f64::from((x + 1.0) / 3.0 - x * 0.1)).collect();
    let got: Vec<f64> = y.to_vec()?.into_iter().map(f64::from).collect();
    // The difference of two products may cancel; a contracted one is off by an ulp of the larger term.
    for (k, (a, b)) in got.iter().zip(&expected).enumerate() {
        check::that((a - b).abs() <= 4.0 * f64::from(f32::EPSILON) * 20.0, format!("y[{k}] is {a}, expected {b}"))?;
    }
    Ok(())
}

fn double_arithmetic(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const double *x, double *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { y[i] = x[i] / 3 + 1e-12 * i; }
    }";
    let kernel = build(device, source)?;
    let host: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.37 + 5.0).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc::<f64>(100)?;
    kernel.launch(args![100, &x, &mut y])?;
    let expected: Vec<f64> = host.iter().enumerate().map(|(i, x)| x / 3.0 + 1e-12 * i as f64).collect();
    check::close("y", &y.to_vec()?, &expected, 1.0, f64::EPSILON)
}

fn sixty_four_bit(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const long *x, unsigned long *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            unsigned long s = (unsigned long) x[i] * 6364136223846793005ul + 1442695040888963407ul;
            s ^= s >> 33; y[i] = s + (x[i] < 0 ? 1 : 0);
        }
    }";
    let kernel = build(device, source)?;
    let host: Vec<i64> = (0..50).map(|i| (i - 25) << 37).collect();
    let x = device.malloc_from(&host)?;
    let mut y = device.malloc::<u64>(50)?;
    kernel.launch(args![50, &x, &mut y])?;
    let expected: Vec<u64> = host
        .iter()
        .map(|&x| {
            let s = (x as u64).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (s ^ (s >> 33)) + u64::from(x < 0)
        })
        .collect();
    check::same("y", &y.to_vec()?, &expected)
}

fn mixed_comparison(device: &Device) -> Outcome {
    // C converts the signed side to unsigned: -1 is the largest number.
    maps(device, "", "const unsigned int u = 10; out[i] = (in[i] < u) + 2 * ((float) in[i] < 3.5f);", |x| {
        i32::from((x as u32) < 10) + 2 * i32::from((x as f32) < 3.5)
    })
}

fn booleans(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "bool b = in[i] & 4; bool c = !b || in[i] > 10; out[i] = b + 2 * c + 4 * (b && c) + (true ? 8 : 0);",
        |x| {
            let b = x & 4 != 0;
            let c = !b || x > 10;
            i32::from(b) + 2 * i32::from(c) + 4 * i32::from(b && c) + 8
        },
    )
}

fn casts(device: &Device) -> Outcome {
    maps(device, "", "out[i] = (int) (unsigned char) in[i] + (int) (short) (in[i] * 70000) + int(2.9f);", |x| {
        i32::from(x as u8) + i32::from((x * 70_000) as i16) + 2
    })
}

fn typedefs_and_enums(device: &Device) -> Outcome {
    let prelude = "typedef int index_t; enum Kind { Small = 3, Medium, Large = 10 }; typedef enum { A, B } Other;";
    maps(device, prelude, "index_t k = in[i]; out[i] = (k > Medium) ? Large + k : Small + B;", |x| {
        if x > 4 { 10 + x } else { 4 }
    })
}

fn struct_in_a_kernel(device: &Device) -> Outcome {
    let prelude = "struct Pair { int a; float b; }; typedef struct { int x, y; } Point;
        Point flip(Point p) { Point q; q.x = p.y; q.y = p.x; return q; }";
    let body = "struct Pair p; p.a = in[i]; p.b = 2.0f; Point q = {p.a, 7}; q = flip(q); q.x += 1; out[i] = q.x * 100 + q.y * (int) p.b;";
    maps(device, prelude, body, |x| 800 + 2 * x)
}

fn nested_struct(device: &Device) -> Outcome {
    let prelude = "struct Inner { short s[3]; int k; }; struct Outer { char tag; struct Inner in[2]; };";
    let body = "struct Outer o; for (int j = 0; j < 2; ++j) { o.in[j].k = in[i] + j; for (int m = 0; m < 3; ++m) { o.in[j].s[m] = 10 * j + m; } }
        o.tag = 'a'; out[i] = o.in[1].k * 1000 + o.in[1].s[2] + o.in[0].s[1] + o.tag;";
    maps(device, prelude, body, |x| (x + 1) * 1000 + 12 + 1 + 97)
}

fn struct_memory(device: &Device) -> Outcome {
    let source = "struct Particle { float x; int id; float v[2]; };
    @kernel void test(const int n, struct Particle *p) {
        for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) { p[i].x += p[i].v[1]; p[i].id = -p[i].id; }
    }";
    ferrocca_core::kernel_struct! {
        #[derive(PartialEq)]
        struct Particle { x: f32, id: i32, v: [f32; 2] }
    }
    let kernel = build(device, source)?;
    let host: Vec<Particle> = (0..20).map(|i| Particle { x: i as f32, id: i, v: [0.0, 0.5] }).collect();
    let mut p = device.malloc_from(&host)?;
    kernel.launch(args![20, &mut p])?;
    let expected: Vec<Particle> = (0..20).map(|i| Particle { x: i as f32 + 0.5, id: -i, v: [0.0, 0.5] }).collect();
    check::same("p", &p.to_vec()?, &expected)
}

fn pointers_in_struct_parameters(device: &Device) -> Outcome {
    let source = "struct view { float *values; };
    struct operand { @restrict const float *values; int first; struct view more; float scale; };
    float at(const struct operand *x, int i) { return x->scale * x->values[i + x->first]; }
    @kernel void test(const int n, const struct operand x, struct view y) {
        for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) {
            struct operand local = x;
            local.first += 1;
            x.more.values[i] = at(&local, i);
            y.values[i] += at(&x, i);
        }
    }";
    // The struct's numbers, without what has pointers alone.
    ferrocca_core::kernel_struct! { struct Numbers { first: i32, scale: f32 } }
    let kernel = build(device, source)?;
    let host: Vec<f32> = (0..23).map(|i| i as f32).collect();
    let values = device.malloc_from(&host)?;
    let (mut more, mut y) = (device.malloc::<f32>(20)?, device.malloc_filled(20, 1f32)?);
    let x = Numbers { first: 2, scale: 0.5 };
    kernel.launch(args![20, &x, &values, &mut more, &mut y])?;
    check::same("more", &more.to_vec()?, &(0..20).map(|i| 0.5 * (i + 3) as f32).collect::<Vec<_>>())?;
    check::same("y", &y.to_vec()?, &(0..20).map(|i| 1.0 + 0.5 * (i + 2) as f32).collect::<Vec<_>>())?;
    let overlapping = kernel.launch(args![20, &x, &values, &mut values.share(), &mut y]);
    check::that(overlapping.is_err(), "`x.values` is `@restrict`, and was given the memory of `x.more.values` too")
}

fn pointer_arithmetic(device: &Device) -> Outcome {
    let body = "const int *p = in + i; int *q = &out[i]; const int *first = in; *q = p[0] + (int) (p - first) + *(first + 1) + (p == first);";
    maps(device, "", body, |x| x + (x + 40) - 39 + i32::from(x == -40))
}

fn pointer_walk(device: &Device) -> Outcome {
    let body = "int a[5] = {1, 2, 3, 4, 5}; int *p = a; int sum = 0; for (int k = 0; k < 4; ++k) { sum = 10 * sum + *p++; } p -= 2; *p += in[i];
        out[i] = sum + a[2];";
    maps(device, "", body, |x| 1234 + 3 + x)
}

fn size_of(device: &Device) -> Outcome {
    let prelude = "struct S { char c; double d; short s; };";
    let body = "out[i] = (int) (sizeof(char) + 10 * sizeof(int) + 100 * sizeof(float) + 1000 * sizeof(long) + 10000 * sizeof(struct S)) + in[i];";
    maps(device, prelude, body, |x| 248_441 + x)
}

fn literals(device: &Device) -> Outcome {
    maps(
        device,
        "",
        "out[i] = 0x1F + 010 + 'A' + '\\n' + (int) 1.5e1f + (int) .5e1f + (int) (100u + 20L) + in[i];",
        |x| 31 + 8 + 65 + 10 + 15 + 5 + 120 + x,
    )
}

fn define_chooses_a_type(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, const dfloat a, dfloat *x) {
        for (int i = 0; i < n; ++i; @tile(8, @outer, @inner)) { x[i] = a / 3; }
    }";
    let mut single = device.malloc::<f32>(5)?;
    build_with(device, source, "defines: {dfloat: float}")?.launch(args![5, 1.0f32, &mut single])?;
    check::same("float", &single.to_vec()?, &[1.0 / 3.0; 5])?;
    let mut double = device.malloc::<f64>(5)?;
    build_with(device, source, "defines: {dfloat: double}")?.launch(args![5, 1.0f64, &mut double])?;
    check::same("double", &double.to_vec()?, &[1.0 / 3.0; 5])
}

fn constant_table(device: &Device) -> Outcome {
    let prelude = "const int table[2][3] = {{1, 2, 3}, {40, 50, 60}}; const int shift = 1000;";
    maps(device, prelude, "out[i] = table[i & 1][i % 3] + shift + in[i];", |x| {
        let i = (x + 40) as usize;
        [[1, 2, 3], [40, 50, 60]][i & 1][i % 3] + 1000 + x
    })
}
