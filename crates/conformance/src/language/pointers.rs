//! Pointers in structs, pointers that may lead into several arrays, references, and `@dim`.

use super::{build, maps};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["pointers";
    in_structs, structs_copied, into_several_parameters, arrays_of_pointers, passed_on, into_shared,
    references, dimensions,
];

fn in_structs(device: &Device) -> Outcome {
    let prelude = "struct point { int at; const int *from; @globalPtr int *to; };
        int read(const struct point *p, int k) { return p->from[p->at + k]; }
        void move(struct point *p, int add) { p->to[p->at] = read(p, 0) + read(p, p->at > 0 ? -1 : 0) + add; }";
    let body = "struct point p; p.at = i; p.to = out; p.from = in; move(&p, 5);";
    maps(device, prelude, body, |x| if x > -40 { 2 * x + 4 } else { 2 * x + 5 })
}

fn structs_copied(device: &Device) -> Outcome {
    let prelude =
        "struct view { int scale; int *data; }; void put(struct view v, int i, int x) { v.data[i] = v.scale * x; }";
    let body =
        "struct view a = {3, out}; struct view b = a; b.data += i; b.scale = 4; put(b, 0, in[i]); out[i] += a.scale;";
    maps(device, prelude, body, |x| 4 * x + 3)
}

/// `test(n, a, b, out)` on `a` = 0, 1, … and `b` = 100, 101, …, and on `out` of zeros.
fn of_two(device: &Device, source: &str, expected: [i32; 6]) -> Outcome {
    let kernel = build(device, source)?;
    let mut a = device.malloc_from(&[0, 1, 2, 3, 4, 5])?;
    let mut b = device.malloc_from(&[100, 101, 102, 103, 104, 105])?;
    let mut out = device.malloc_filled(6, 0i32)?;
    kernel.launch(args![6i32, &mut a, &mut b, &mut out])?;
    check::same("out", &out.to_vec()?, &expected)
}

fn into_several_parameters(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *a, int *b, int *out) {
        for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
            int *from = a; int *to = b;
            if (i % 3 == 0) { int *other = from; from = to; to = other + 1 - 1; }
            to[i] += from[i];
            out[i] = to[i] + 1000 * (i > 3 ? from : out)[i];
        }
    }";
    of_two(device, source, [100, 102, 104, 106, 4108, 5110])
}

fn arrays_of_pointers(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *a, int *b, int *out) {
        for (int i = 0; i < n; ++i; @tile(2, @outer, @inner)) {
            int *stage[3];
            stage[0] = a;
            for (int k = 0; k < 2; ++k) { stage[k + 1] = b + (k + i) % 3; }
            int sum = 0;
            for (int k = 0; k < 3; ++k) { sum += stage[k][k]; }
            out[i] = sum;
        }
    }";
    of_two(device, source, [204, 206, 205, 204, 206, 205])
}

fn passed_on(device: &Device) -> Outcome {
    let source = "int twice(const int *p, int i) { const int *q = p; if (i % 2) { q = p + 1; } return 2 * q[i]; }
    void put(int *p, const int *q, int i) { p[i] = twice(q, i) + (q == q + i ? 1 : 0); }
    @kernel void test(const int n, int *a, int *b, int *out) {
        for (int i = 0; i < n; ++i; @tile(2, @outer, @inner)) {
            const int *p = b;
            if (i < 3) { p = a; }
            if (i < 5) { put(i == 2 ? b : out, p, i); }
            if (i == 2) { out[i] = b[i]; }
        }
    }";
    of_two(device, source, [1, 4, 4, 208, 208, 0])
}

fn into_shared(device: &Device) -> Outcome {
    let source = "@kernel void test(const int n, int *a, int *b, int *out) {
        for (int o = 0; o < 1; ++o; @outer) {
            @shared int s[6];
            for (int i = 0; i < 6; ++i; @inner) { s[i] = 10 * b[i]; }
            for (int i = 0; i < 6; ++i; @inner) {
                const int *p = s;
                for (int k = 0; k < 2; ++k) { out[i] += p[i]; p = a; }
            }
        }
    }";
    of_two(device, source, [1000, 1011, 1022, 1033, 1044, 1055])
}

fn references(device: &Device) -> Outcome {
    let prelude = "void add(int &to, const int &x) { to += x; }
        int sum(const int (&of)[2], int &last) { last = of[1]; return of[0] + of[1]; }";
    let body = "int a[2] = {in[i], 1}; int last = 0; int &first = a[0]; add(first, 2); add(a[1], first + 1);
        out[i] = 0; add(out[i], sum(a, last)); int &here = out[i]; here += 1000 * last;";
    maps(device, prelude, body, |x| 2 * x + 6 + 1000 * (x + 4))
}

fn dimensions(device: &Device) -> Outcome {
    let source = "typedef int *block @dim(3, n);
    @kernel void test(const int n, const int *a @dim(2, 3), block b, int *out @dim(3, 2) @dimOrder(1, 0)) {
        for (int j = 0; j < 2; ++j; @outer) {
            @shared int s[6] @dim(3, n / 3);
            for (int i = 0; i < 3; ++i; @inner) { s(i, 1) = a(j, i); s(i, 0) = b(i, j); }
            for (int i = 0; i < 3; ++i; @inner) { out(2 - i, j) = s(2 - i, 1) + 10 * s(i, 0); }
        }
    }";
    of_two(device, source, [1020, 1051, 1012, 1043, 1004, 1035])
}
