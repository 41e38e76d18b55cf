//! WGSL: what a device may lack is refused with its place and a hint, and nothing else is.

use okl::back::wgsl::WgslTarget;
use okl::target::wgsl::Features;
use okl::{NoIncludes, Request};

/// The rendered findings, or the text.
fn compile(source: &str, features: Features) -> Result<String, String> {
    let request = Request { name: "case.okl", source, mode: "WebGPU", defines: &[], includes: &NoIncludes };
    okl::compile(&request, &WgslTarget(features)).map(|compiled| compiled.text).map_err(|found| found.to_string())
}

fn check(source: &str, features: Features, expected: &[&str]) {
    match (compile(source, features), expected) {
        (Ok(_), []) => {}
        (Ok(text), parts) => panic!("accepted, expected {parts:?}:\n{text}"),
        (Err(found), []) => panic!("refused:\n{found}"),
        (Err(found), parts) => {
            for part in parts {
                assert!(found.contains(part), "`{part}` is missing in:\n{found}");
            }
        }
    }
}

const AXPY: &str = "typedef REAL real;
@kernel void axpy(const long n, const real a, const real *x, real *y) {
  for (long i = 0; i < n; ++i; @tile(64, @outer, @inner)) { y[i] += a * x[i]; }
}";

#[test]
fn double_is_refused_where_there_is_none() {
    let without = Features { f64: false, ..Features::ALL };
    let source = AXPY.replace("REAL", "double");
    check(&source, without.clone(), &["no `double`", "case.okl:2:", "defines: {dfloat: float}"]);
    check(&source, Features::ALL, &[]);
    check(&AXPY.replace("REAL", "float"), without, &[]);
}

#[test]
fn sixty_four_bit_integers_are_refused_where_there_are_none() {
    let without = Features { i64: false, i64_atomics: false, ..Features::ALL };
    let source = "@kernel void sum(const int n, const long *x, long *y) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { y[i] = x[i] + 1; }
}";
    check(source, without.clone(), &["64-bit integers", "case.okl:1:"]);
    // Sizes and sums of indices are 64 bits wide for the host alone.
    let source = "@kernel void shift(const int n, const int m, const float *x, float *y) {
  for (int o = 0; o < n; ++o; @outer) { for (int i = 0; i < m; ++i; @inner) { const float *p = x + o; y[i] = p[i]; } }
}";
    check(source, without.clone(), &[]);
    let source = "@kernel void wave(const int n, double *x) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { x[i] = sin(x[i]); }
}";
    check(source, without, &["`double`", "64-bit integers", "case.okl:2:"]);
}

/// Panics where naga refuses a text, on a device with these capabilities besides those of WebGPU itself.
fn naga_takes(text: &str, capabilities: naga::valid::Capabilities) {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
}

#[test]
fn halves_are_words_where_there_are_no_integers_of_16_bits() {
    let without = Features { i16: false, i64: false, i64_atomics: false, ..Features::ALL };
    let source = AXPY.replace("REAL", "half").replace("long", "int");
    let text = compile(&source, without.clone()).expect("it compiles");
    assert!(text.contains("y: array<atomic<u32>>;"), "{text}");
    naga_takes(&text, naga::valid::Capabilities::IMMEDIATES);
    let text = compile(&source, Features { i16: true, ..without.clone() }).expect("it compiles");
    assert!(text.contains("y: array<u16>;"), "{text}");
    naga_takes(&text, naga::valid::Capabilities::IMMEDIATES | naga::valid::Capabilities::SHADER_INT16);
    let doubles = source.replace("const real a", "const double a");
    check(&doubles, without, &["64-bit integers", "case.okl:3:"]);
}

#[test]
fn loads_stand_in_a_branch_of_their_own_where_branches_are_masks() {
    let masks = Features { masks: true, coarsen: false, ..Features::ALL };
    let branches = |source: &str, features: &Features| {
        let text = compile(source, features.clone()).expect("it compiles");
        naga_takes(&text, naga::valid::Capabilities::all());
        text.matches("if (i < ").count()
    };
    let item = |work: &str| {
        format!(
            "@kernel void k(const int n, const int *from, int *to) {{
                for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {{ {work} }}
            }}"
        )
    };
    let moves = item("const int a = from[i]; to[i] = a + from[n - i]; to[n + i] = a;");
    assert_eq!((branches(&moves, &masks), branches(&moves, &Features { masks: false, ..masks.clone() })), (2, 1));
    // Nothing is loaded, or the condition would be another one the second time.
    assert_eq!(branches(&item("to[i] = i;"), &masks), 1);
    assert_eq!(branches(&item("for (int k = 0; k < 3; ++k) { to[i] += from[k]; }"), &masks), 1);
    let other = item("if (i < to[0]) { to[i] = from[i]; }")
        .replace("@tile(64, @outer, @inner)", "@tile(64, @outer, @inner, check=false)");
    assert_eq!(branches(&other, &masks), 1);
}

#[test]
fn wide_updates_are_refused_where_there_are_none() {
    let without = Features { i64_atomics: false, ..Features::ALL };
    let source = "@kernel void sum(const int n, const double *x, double *s) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { @atomic s[0] += x[i]; }
}";
    check(source, without, &["atomics", "case.okl:2:", "32-bit"]);
    check(source, Features::ALL, &[]);
}

#[test]
fn functions_are_copied_for_each_piece_of_memory() {
    let source =
        "float total(const float *p, const int n) { float t = 0; for (int k = 0; k < n; ++k) { t += p[k]; } return t; }
@kernel void sums(const float *x, const float *z, float *y) {
  for (int o = 0; o < 4; ++o; @outer) {
    @shared float s[8];
    for (int i = 0; i < 8; ++i; @inner) { s[i] = x[i]; }
    for (int i = 0; i < 8; ++i; @inner) { y[i] = total(x + i, 2) + total(z, 2) + total(s, 8) + total(x, 1); }
  }
}";
    let text = compile(source, Features::ALL).expect("it compiles");
    for name in ["fn total_of_x(", "fn total_of_z(", "fn total_of_s("] {
        assert_eq!(text.matches(name).count(), 1, "{name} in:\n{text}");
    }
}

#[test]
fn native_math_calls_what_wgsl_has_for_float_alone() {
    let source = "@kernel void all(const int n, float *x, double *d) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
    x[i] = sqrt(x[i]) + rsqrt(x[i]) + exp(x[i]) + pow(x[i], 2.5f) + erf(x[i]) + fmin(x[i], 1.0f);
    d[i] = exp(d[i]);
  }
}";
    let exact = compile(source, Features::ALL).expect("it compiles");
    assert!(["okl_sqrt_f32(", "okl_rsqrt_f32(", "okl_exp_f32(", "okl_pow_f32("].iter().all(|f| exact.contains(f)));
    let native = compile(source, Features { native_math: true, ..Features::ALL }).expect("it compiles");
    for part in [" sqrt(", " inverseSqrt(", " exp(", " pow(", "okl_erf_f32(", "okl_fmin_f32(", "okl_exp_f64("] {
        assert!(native.contains(part), "{part} is missing in\n{native}");
    }
    let own = ["okl_sqrt_f32(x[", "okl_rsqrt_f32(x[", "okl_exp_f32(x[", "okl_pow_f32(x["];
    assert!(!own.iter().any(|function| native.contains(function)), "{native}");
    naga_takes(&native, naga::valid::Capabilities::all());
}
