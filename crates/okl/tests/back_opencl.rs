//! OpenCL text for devices that lack something: refused with the place and a way out, or made of what there is.

use okl::back::opencl::OpenClTarget;
use okl::target::opencl::Features;
use okl::{NoIncludes, Request};

fn compile(source: &str, features: Features) -> Result<String, String> {
    let request = Request { name: "k.okl", source, mode: "OpenCL", defines: &[], includes: &NoIncludes };
    let compiled = okl::compile(&request, &OpenClTarget(features));
    compiled.map(|compiled| compiled.text).map_err(|diagnostics| diagnostics.to_string())
}

fn kernel(parameters: &str, body: &str) -> String {
    format!(
        "@kernel void k({parameters}) {{\n  for (int o = 0; o < 4; ++o; @outer) {{\n    @shared long sums[4];\n    \
         for (int i = 0; i < 8; ++i; @inner) {{\n      {body}\n    }}\n  }}\n}}"
    )
}

#[test]
fn double_is_refused_where_there_is_none() {
    let without = || Features { f64: false, ..Features::ALL };
    let source = kernel("const int n, float *x, const double *y", "x[i] = (float)y[i];");
    let refusal = compile(&source, without()).expect_err("the device has no double");
    assert!(refusal.contains("k.okl:1:") && refusal.contains("cl_khr_fp64"), "{refusal}");
    assert!(refusal.contains("dfloat"), "a way out: {refusal}");
    assert_eq!(refusal.matches("error:").count(), 1, "one finding is enough: {refusal}");
    let inner = kernel("float *x", "x[i] = (float)(x[i] * 0.1);");
    let refusal = compile(&inner, without()).expect_err("the product is a double");
    assert!(refusal.contains("k.okl:5:"), "{refusal}");
    assert!(compile(&source, Features::ALL).is_ok());
    let plain = compile(&kernel("float *x", "x[i] = x[i] * 0.1f;"), without()).expect("no double in it");
    assert!(!plain.contains("cl_khr_fp64"), "{plain}");
}

#[test]
fn wide_updates_are_refused_where_there_are_none() {
    let without = || Features { int64_atomics: false, int64_extended_atomics: false, ..Features::ALL };
    for (parameters, body) in [
        ("long *x", "@atomic x[0] += i;"),
        ("double *x", "@atomic x[0] += i;"),
        ("unsigned long *x", "@atomic x[0] ^= 1;"),
        ("int *x", "@atomic sums[0] += i; x[0] = 1;"),
    ] {
        let source = kernel(parameters, body);
        let refusal = compile(&source, without()).expect_err("it needs 64-bit words");
        assert!(refusal.contains("k.okl:5:") && refusal.contains("cl_khr_int64_base_atomics"), "{refusal}");
        assert!(compile(&source, Features::ALL).is_ok());
    }
    for (parameters, body) in [("int *x", "@atomic x[0] += i;"), ("float *x", "@atomic x[0] += 1;")] {
        assert!(compile(&kernel(parameters, body), without()).is_ok());
    }
}

#[test]
fn updates_are_the_devices_own_or_loops() {
    let base = || Features { int64_extended_atomics: false, ..Features::ALL };
    let source = kernel("long *x", "@atomic x[0] += i; @atomic x[1] |= i;");
    let text = compile(&source, base()).expect("base updates do it");
    assert!(text.contains("atom_add(at, value)") && text.contains("atom_cmpxchg("), "{text}");
    assert!(!text.contains("atom_or(") && !text.contains("extended"), "{text}");
    let text = compile(&source, Features::ALL).expect("all updates are there");
    assert!(text.contains("atom_or(at, value)") && !text.contains("atom_cmpxchg("), "{text}");
    assert!(text.contains("cl_khr_int64_extended_atomics"), "{text}");
}

#[test]
fn a_group_larger_than_the_devices_is_left_to_the_launch() {
    let source = kernel("int *x", "x[i] = i;");
    let small = || Features { max_group: 4, ..Features::ALL };
    assert!(compile(&source, Features::ALL).expect("it fits").contains("reqd_work_group_size(8, 1, 1)"));
    assert!(!compile(&source, small()).expect("the launch says so").contains("reqd_work_group_size"));
}

#[test]
fn functions_have_a_version_for_each_combination_of_memories() {
    let source = "
        void copy(const double *from, double *to) { to[0] = from[0]; }
        void twice(double *to, const double *from) { copy(from, to); copy(from, &to[1]); }
        @kernel void k(const double *x, double *y) {
          for (int o = 0; o < 4; ++o; @outer) {
            @shared double s[8];
            for (int i = 0; i < 4; ++i; @inner) {
              double mine[2];
              twice(&s[2 * i], &x[i]);
              twice(mine, &x[i]);
              copy(mine, &y[i]);
            }
          }
        }";
    let text = compile(source, Features::ALL).expect("it compiles");
    for version in ["copy_global_local", "copy_global_private", "copy_private_global", "twice_local_global"] {
        assert!(text.contains(&format!("void {version}(")), "no `{version}` in {text}");
    }
    assert!(!text.contains("copy_local") && !text.contains("copy_global_global"), "{text}");
}
