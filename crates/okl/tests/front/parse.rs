//! Parser: source in, tree as text out ([`super::print`]).

use super::{Files, print, run};
use okl::front::ast::{ExprKind, Item, StmtKind};

#[track_caller]
fn check(source: &str, expected: &str) {
    let first = run(source, "Serial", &[], &Files::default());
    assert_eq!(first.found.to_string(), "", "findings for:\n{source}");
    let text = print::unit(&first.unit);
    assert_eq!(text, expected, "for:\n{source}");
    // What is printed is OKL with the same tree.
    let second = run(&text, "Serial", &[], &Files::default());
    assert_eq!(second.found.to_string(), "", "findings for the printed:\n{text}");
    assert_eq!(print::unit(&second.unit), text, "the printed text parses to another tree");
}

/// A statement within a function.
#[track_caller]
fn check_stmt(source: &str, expected: &str) {
    check(&format!("void f() {{ {source} }}"), &format!("void f() {{ {expected} }}"));
}

/// An expression.
#[track_caller]
fn check_expr(source: &str, expected: &str) {
    check_stmt(&format!("{source};"), &format!("{expected};"));
}

#[test]
fn precedence() {
    let cases = [
        ("a + b * c", "(a + (b * c))"),
        ("a * b + c", "((a * b) + c)"),
        ("a - b - c", "((a - b) - c)"),
        ("a / b % c * d", "(((a / b) % c) * d)"),
        ("a << b + c >> d", "((a << (b + c)) >> d)"),
        ("a < b == c > d", "((a < b) == (c > d))"),
        ("a & b == c", "(a & (b == c))"),
        ("a | b ^ c & d", "(a | (b ^ (c & d)))"),
        ("a || b && c || d", "((a || (b && c)) || d)"),
        ("a && b | c && d", "((a && (b | c)) && d)"),
        ("a = b = c + 1", "(a = (b = (c + 1)))"),
        ("a += b ? c : d", "(a += (b ? c : d))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ? b, c : d", "(a ? (b, c) : d)"),
        ("a, b = 1, c", "((a, (b = 1)), c)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("-a * !b + ~c", "(((-a) * (!b)) + (~c))"),
        ("- -a - -b", "((-(-a)) - (-b))"),
        ("*p++", "(*(p++))"),
        ("++*p", "(++(*p))"),
        ("&a[i].b->c", "(&a[i].b->c)"),
        ("a[b, c]", "a[(b, c)]"),
        ("f() + f(a) + f(a, (b, c))", "((f() + f(a)) + f(a, (b, c)))"),
        ("a++ + ++b - --c - d--", "((((a++) + (++b)) - (--c)) - (d--))"),
        (
            "a %= b <<= c >>= d &= e |= g ^= h -= i *= j /= k",
            "(a %= (b <<= (c >>= (d &= (e |= (g ^= (h -= (i *= (j /= k)))))))))",
        ),
    ];
    for (source, expected) in cases {
        check_expr(source, expected);
    }
}

#[test]
fn casts_and_sizes() {
    let cases = [
        ("(float) a * b", "(((float) a) * b)"),
        ("(unsigned long long) -a", "((unsigned long) (-a))"),
        ("(const double *) p", "((const double *) p)"),
        ("(int) (float) a[0]", "((int) ((float) a[0]))"),
        ("(a) + b", "(a + b)"),
        ("(a) * b", "(a * b)"),
        ("float(a) + int(b + c)", "(((float) a) + ((int) (b + c)))"),
        ("unsigned(a)", "((unsigned int) a)"),
        ("static_cast<double>(a + b)", "((double) (a + b))"),
        ("size_t(a) + (int8_t) b + (uint16_t) c", "((((unsigned long) a) + ((char) b)) + ((unsigned short) c))"),
        ("sizeof(double)", "sizeof(double)"),
        ("sizeof(float *) + sizeof(int[3])", "(sizeof(float *) + sizeof(int[3]))"),
        ("sizeof a", "(sizeof a)"),
        ("sizeof(a) * 2", "((sizeof a) * 2)"),
    ];
    for (source, expected) in cases {
        check_expr(source, expected);
    }
}

#[test]
fn sizes_of_structs() {
    check(
        "struct S { int a; }; void f() { sizeof(struct S) + sizeof(S); }",
        "struct S { int a; };\nvoid f() { (sizeof(S) + sizeof(S)); }",
    );
}

#[test]
fn literals_in_expressions() {
    check_expr(
        "1 + 2u + 3l + 0xfful + 1.5 + 2.5f + 'a' + 1e10",
        "(((((((1 + 2u) + 3l) + 255ul) + 1.5) + 2.5f) + 97) + 10000000000.0)",
    );
    check_expr("true && !false", "(true && (!false))");
    check_expr("printf(\"%d\" \" and \\n\", 1)", "printf(\"%d and \\n\", 1)");
}

#[test]
fn types() {
    let cases = [
        ("int a, *b, c[3][4];", "int a; int *b; int c[3][4];"),
        (
            "unsigned a; unsigned int b; long c; long long int d; unsigned long long e; long unsigned int f;",
            "unsigned int a; unsigned int b; long c; long d; unsigned long e; unsigned long f;",
        ),
        (
            "short a; unsigned short int b; signed char c; unsigned char d; char e; signed f;",
            "short a; unsigned short b; char c; unsigned char d; char e; int f;",
        ),
        ("bool a; _Bool b; float c; double d;", "bool a; bool b; float c; double d;"),
        ("const int a = 1; int const b = 2;", "const int a = 1; const int b = 2;"),
        (
            "const float *a; float const *b; float *const c; const float *const d;",
            "const float *a; const float *b; float *const c; const float *const d;",
        ),
        (
            "int * restrict a; int *__restrict__ b; int * const __restrict c;",
            "int *restrict a; int *restrict b; int *const restrict c;",
        ),
        ("int **a; int *const *b;", "int **a; int *const *b;"),
        (
            "volatile int a; static const int b = 3; register int c; constexpr int d = 4;",
            "volatile int a; const int b = 3; int c; const int d = 4;",
        ),
        (
            "int32_t a; uint64_t b; size_t c; ptrdiff_t d; uchar e;",
            "int a; unsigned long b; unsigned long c; long d; unsigned char e;",
        ),
        (
            "int a[2] = {1, 2}, b[2][2] = {{1, 2}, {3, 4},}, c[] = {1}, d[3] = {};",
            "int a[2] = {1, 2}; int b[2][2] = {{1, 2}, {3, 4}}; int c[] = {1}; int d[3] = {};",
        ),
        ("float x = 1, y = x + 1;", "float x = 1; float y = (x + 1);"),
    ];
    for (source, expected) in cases {
        check_stmt(source, expected);
    }
}

#[test]
fn typedefs_structs_and_enums() {
    check(
        "typedef double dfloat; dfloat f(dfloat x) { return (dfloat) x; }",
        "typedef double dfloat;\ndfloat f(dfloat x) { return ((dfloat) x); }",
    );
    check(
        "struct S { float x, y; int n[3]; }; struct S f(S a);",
        "struct S { float x; float y; int n[3]; };\nS f(S a);",
    );
    check("typedef struct { float x; } P;", "struct P { float x; };");
    check("typedef struct P { float x; } P;", "struct P { float x; };");
    check("typedef struct p { float x; } P, *Q;", "struct p { float x; };\ntypedef p P;\ntypedef p *Q;");
    check("struct S { int a; } g;", "struct S { int a; };\nS g;");
    check("struct A { struct B { int b; } b; };", "struct B { int b; };\nstruct A { B b; };");
    check("struct S; typedef struct S S; struct S { int a; };", "struct S { int a; };");
    check("enum E { A, B = 3, C = B + 1, }; enum E f(E e);", "enum E { A, B = 3, C = (B + 1) };\nE f(E e);");
    check("enum { A }; typedef enum { B } F; F g;", "enum { A };\nenum { B };\ntypedef int F;\nF g;");
    check("typedef int row[4]; row a[3];", "typedef int row[4];\nrow a[3];");
    check("typedef int int32_t; int32_t a;", "typedef int int32_t;\nint32_t a;");
    check_stmt("struct L { int a; } l; l.a = 1;", "struct L { int a; }; L l; (l.a = 1);");
    check_stmt("typedef float T; T a; enum { X = 2 };", "typedef float T; T a; enum { X = 2 };");
}

#[test]
fn a_variable_hides_a_type() {
    check("typedef int T; void f(int T) { T * 2; (T) + 1; }", "typedef int T;\nvoid f(int T) { (T * 2); (T + 1); }");
    check(
        "typedef int T; void f() { T a; { int T; T * a; } T * b; }",
        "typedef int T;\nvoid f() { T a; { int T; (T * a); } T *b; }",
    );
    check(
        "typedef int T; void f() { for (int T = 0; T < 1; ++T) T * 2; (T) + 1; }",
        "typedef int T;\nvoid f() { for (int T = 0; (T < 1); (++T)) (T * 2); ((T) (+1)); }",
    );
    check_stmt("int size_t = 3; size_t * 2;", "int size_t = 3; (size_t * 2);");
}

#[test]
fn statements() {
    let cases = [
        ("if (a) b; else if (c) d; else { e; }", "if (a) b; else if (c) d; else { e; }"),
        ("if (a) if (b) c; else d;", "if (a) if (b) c; else d;"),
        ("while (a < 3) a++;", "while ((a < 3)) (a++);"),
        ("do { a; } while (b);", "do { a; } while (b);"),
        ("do a; while (b);", "do a; while (b);"),
        ("for (int i = 0; i < 3; ++i) { continue; }", "for (int i = 0; (i < 3); (++i)) { continue; }"),
        ("for (i = 0, j = 1; ; i++, j--) break;", "for (((i = 0), (j = 1));; ((i++), (j--))) break;"),
        ("for (;;) ;", "for (;;) ;"),
        (
            "switch (a) { case 1: case 2 + 3: b; break; default: { c; } }",
            "switch (a) { case 1: case (2 + 3): b; break; default: { c; } }",
        ),
        ("return;", "return;"),
        ("return a ? b : c;", "return (a ? b : c);"),
        (";;", "; ;"),
        ("{ { } }", "{ { } }"),
    ];
    for (source, expected) in cases {
        check_stmt(source, expected);
    }
}

#[test]
fn attributes_of_loops() {
    let cases = [
        ("for (int i = 0; i < n; ++i; @outer) ;", "@outer"),
        ("for (int i = 0; i < n; ++i; @outer(1)) ;", "@outer(1)"),
        ("@outer for (int i = 0; i < n; ++i) ;", "@outer"),
        (
            "@max_inner_dims(16, 4) for (int i = 0; i < n; ++i; @outer @nobarrier) ;",
            "@max_inner_dims(16, 4) @outer @nobarrier",
        ),
        ("for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) ;", "@tile(16, @outer, @inner)"),
        (
            "for (int i = 0; i < n; ++i; @tile(2*B, @outer(0), @inner(1), check=false)) ;",
            "@tile((2 * B), @outer(0), @inner(1), check=false)",
        ),
        ("for (int i = 0; i < n; ++i; @ outer ( 0 )) ;", "@outer(0)"),
    ];
    for (source, attributes) in cases {
        check_stmt(source, &format!("for (int i = 0; (i < n); (++i); {attributes}) ;"));
    }
    check_stmt("for (;;; @outer) ;", "for (;;; @outer) ;");
    check_stmt("@inner while (a) ;", "@inner while (a) ;");
}

#[test]
fn attributes_of_statements_and_declarations() {
    let cases = [
        ("@barrier;", "@barrier ;"),
        ("@barrier(\"local\");", "@barrier(\"local\") ;"),
        ("@barrier();", "@barrier ;"),
        ("@atomic x += 1;", "@atomic (x += 1);"),
        ("@atomic (*p)++;", "@atomic ((*p)++);"),
        ("@atomic { x += 1; y = x; }", "@atomic { (x += 1); (y = x); }"),
        ("@shared float s[16][17];", "@shared float s[16][17];"),
        ("@exclusive int a = 1, b[3];", "@exclusive int a = 1; @exclusive int b[3];"),
        ("const @shared float s[2];", "@shared const float s[2];"),
        ("float @shared s[2];", "@shared float s[2];"),
        ("float s @shared [2];", "@shared float s[2];"),
        ("float s[2] @shared = {1, 2};", "@shared float s[2] = {1, 2};"),
        ("const double *@ restrict p;", "@restrict const double *p;"),
        ("float a @exclusive, b;", "@exclusive float a; float b;"),
    ];
    for (source, expected) in cases {
        check_stmt(source, expected);
    }
}

#[test]
fn functions_and_kernels() {
    let cases = [
        ("void f(void);", "void f();"),
        (
            "int f(int, float *p, double a[], const int m[3][4]);",
            "int f(int, float *p, double a[], const int m[3][4]);",
        ),
        ("static inline float f(float x) { return x; }", "float f(float x) { return x; }"),
        ("extern \"C\" void f();", "void f();"),
        ("const float *f(const float *p) { return p; }", "const float *f(const float *p) { return p; }"),
        (
            "@kernel void k(const int n, @restrict const double *x, const double * @restrict y, double *z @restrict) {}",
            "@kernel void k(const int n, @restrict const double *x, @restrict const double *y, @restrict double *z) { }",
        ),
        ("void @kernel k() {}", "@kernel void k() { }"),
        (
            "@kernel\nvoid k(float *a @dim(4, n)) @max_inner_dims(256) {}",
            "@kernel @max_inner_dims(256) void k(@dim(4, n) float *a) { }",
        ),
        ("const double w[2] = {1.0, -1.0};", "const double w[2] = {1.0, (-1.0)};"),
    ];
    for (source, expected) in cases {
        check(source, expected);
    }
}

#[test]
fn a_whole_kernel_survives_printing() {
    let kernel = "typedef struct { float x, y; } pair;\n\
        @kernel void k(const int n, const pair *in, float *out) {\n\
          for (int o = 0; o < n; o += 16; @outer) {\n\
            @shared float s[16]; @exclusive float r;\n\
            for (int i = 0; i < 16; ++i; @inner) { r = in[o + i].x; s[i] = r; }\n\
            @barrier;\n\
            for (int i = 0; i < 16; ++i; @inner) { if (o + i < n) out[o + i] = s[15 - i] + r; }\n\
          }\n\
        }";
    check(
        kernel,
        "struct pair { float x; float y; };\n\
         @kernel void k(const int n, const pair *in, float *out) { for (int o = 0; (o < n); (o += 16); @outer) { \
         @shared float s[16]; @exclusive float r; \
         for (int i = 0; (i < 16); (++i); @inner) { (r = in[(o + i)].x); (s[i] = r); } \
         @barrier ; \
         for (int i = 0; (i < 16); (++i); @inner) { if (((o + i) < n)) (out[(o + i)] = (s[(15 - i)] + r)); } } }",
    );
}

#[test]
fn spans_cover_what_was_written() {
    let source = "void f() { x = (a + b)[1] * g(c , d); }";
    let run = run(source, "Serial", &[], &Files::default());
    let Some(Item::Function(function)) = run.unit.items.first() else { panic!("no function") };
    let Some(StmtKind::Expr(expr)) = function.body.as_ref().and_then(|body| body.stmts.first()).map(|stmt| &stmt.kind)
    else {
        panic!("no expression")
    };
    let text = |expr: &okl::front::ast::Expr| run.found.map.text(expr.span).to_owned();
    assert_eq!(text(expr), "x = (a + b)[1] * g(c , d)");
    let ExprKind::Assign(None, _, value) = &expr.kind else { panic!("no assignment") };
    assert_eq!(text(value), "(a + b)[1] * g(c , d)");
    let ExprKind::Binary(_, left, right) = &value.kind else { panic!("no product") };
    assert_eq!((text(left), text(right)), ("(a + b)[1]".into(), "g(c , d)".into()));
    assert_eq!(run.found.map.text(function.span), "void f()");
}
