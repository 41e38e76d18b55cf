//! What a launch proves of the accesses of a kernel, against what the interpreter sees the kernel do: on kernels made to
//! mislead the analysis.

// The fuzzing and the filetests use all of these; this needs only a part.
#[allow(dead_code)]
#[path = "fuzz/bounds.rs"]
mod bounds;
#[allow(dead_code)]
#[path = "filetests/setup.rs"]
mod setup;
#[allow(dead_code)]
#[path = "filetests/value.rs"]
mod value;

use bounds::Known;
use okl::interp::{Arg, Fault, Interpreter, Options, Report};
use okl::ir::Module;
use okl::ir::{Scalar, Type};
use okl::signature::ParameterKind;
use okl::value::ScalarValue;
use okl::{Checks, Compiled, NoIncludes, Request};
use setup::{Argument, Setup};

fn compile(source: &str) -> Result<Compiled, String> {
    compile_with(source, Checks::default())
}

fn compile_with(source: &str, checks: Checks) -> Result<Compiled, String> {
    let request = Request { name: "test.okl", source, mode: "Serial", defines: &[], includes: &NoIncludes };
    okl::compile_with(&request, &okl::back::cpu::CpuTarget, checks).map_err(|found| found.to_string())
}

/// Runs a kernel to its end or to the first access outside: races and values that were never written do not stop it.
fn interpret(module: &Module, setup: &mut Setup) -> Result<Report, Box<Fault>> {
    let mut buffers: Vec<_> = setup.buffers.iter_mut().map(Vec::as_mut_slice).collect();
    let arguments = setup.arguments.iter().map(|argument| match argument {
        Argument::Scalar(value) => Arg::Scalar(*value),
        Argument::Struct(bytes) => Arg::Struct(bytes),
        &Argument::Memory { buffer, offset, bytes } => Arg::Memory { buffer, offset, bytes },
        Argument::Null => Arg::Null,
    });
    let arguments: Vec<_> = arguments.collect();
    let options = Options { step_limit: 100_000, checks: false, ..Options::default() };
    Interpreter::new(module, options).run(&module.kernels[0].name, &mut buffers, &arguments)
}

/// Integers in order, and the numbers in each memory in order.
fn arguments(compiled: &Compiled, scalars: &[i64], memory: &[&[i64]]) -> Setup {
    let (mut scalars, mut memory) = (scalars.iter(), memory.iter());
    let mut setup = Setup { buffers: Vec::new(), arguments: Vec::new(), printed: Vec::new(), lines: Vec::new() };
    for (param, &id) in compiled.signatures[0].params.iter().zip(&compiled.module.kernels[0].params) {
        let argument = match &param.kind {
            ParameterKind::Scalar(ty) => {
                Argument::Scalar(ScalarValue::I64(*scalars.next().unwrap()).cast(*ty).unwrap_or(ScalarValue::zero(*ty)))
            }
            _ => {
                let Type::Pointer(pointer) = &compiled.module.kernels[0].body.var(id).ty else { unreachable!() };
                let of = |value: &i64| match pointer.element.scalar() {
                    Some(Scalar::U64) => value.to_le_bytes().to_vec(),
                    Some(ty) => ScalarValue::I64(*value).cast(ty).unwrap().to_bytes()[..ty.bytes()].to_vec(),
                    None => vec![0; value::size_of(&pointer.element, &compiled.module)],
                };
                let bytes: Vec<u8> = memory.next().unwrap().iter().flat_map(of).collect();
                setup.buffers.push(bytes);
                let bytes = setup.buffers.last().unwrap().len();
                Argument::Memory { buffer: setup.buffers.len() - 1, offset: 0, bytes }
            }
        };
        setup.arguments.push(argument);
    }
    setup
}

/// Says of a launch what is known; the error says how the interpreter sees something else.
fn known(compiled: &Compiled, scalars: &[i64], memory: &[&[i64]]) -> Result<Known, String> {
    let mut setup = arguments(compiled, scalars, memory);
    let known = bounds::known(&compiled.signatures[0], &setup);
    let mut again = setup.clone();
    if known == Known::Within
        && let Ok(report) = setup.clone().trace(&compiled.module, &compiled.module.kernels[0].name)
    {
        let signature = &compiled.signatures[0];
        let footprints = bounds::footprints(signature, &setup);
        bounds::compare_footprints(signature, &setup, &footprints, &report.accesses)
            .map_err(|error| format!("{error}\nwith {scalars:?} {memory:?}\n{}", signature.footprint_text()))?;
    }
    let run = interpret(&compiled.module, &mut setup);
    let checked = interpret(&compiled.with_checks, &mut again);
    let text = || compiled.signatures[0].bounds_text();
    // A pointer to a field leads to that field alone, and for the interpreter to all of the array.
    let leads_to_fields = compiled.text.contains("&s[0].a");
    let agreed = bounds::compare(known, &run).and_then(|()| match leads_to_fields {
        true => Ok(()),
        false => bounds::compare_checked(known, &run, &checked),
    });
    agreed.map_err(|error| format!("{error}\nwith {scalars:?} {memory:?}\n{}", text()))?;
    Ok(known)
}

/// Compares a kernel of `n`, `m`, `in` and `out` with what the interpreter sees, for many arguments; counts what is known. So
/// it does where `in` is constant memory.
fn compare(source: &str, counts: &mut [u32; 4]) -> Result<(), String> {
    compare_with(source, Checks::Unproven, counts)?;
    compare_with(source, Checks::UnprovenOfConstants, &mut [0; 4])
}

fn compare_with(source: &str, checks: Checks, counts: &mut [u32; 4]) -> Result<(), String> {
    let compiled = compile_with(source, checks)?;
    for (n, m) in [(5, 5), (6, 2), (3, -1), (1, 0), (8, 3)] {
        for length in [0, 1, 2, 5, 6, 7, 10, 256] {
            for first in [0, 1, 7] {
                let input: Vec<i64> = (0..length).map(|k| (k * 3 + first) % 8).collect();
                let output = vec![0; length as usize];
                let known = known(&compiled, &[n, m], &[&input, &output]).map_err(|e| format!("{source}\n{e}"))?;
                counts[known as usize] += 1;
            }
        }
    }
    Ok(())
}

/// A kernel of one group with `body` for item `i` of `n`.
fn one(body: &str) -> String {
    format!(
        "@kernel void k(const int n, const int m, const int *in, int *out) {{
           for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {{
{body}
           }}
         }}"
    )
}

/// Kernels, each with numbers and memory, whose paths and values mislead.
const MISLEADING: &[&str] = &[
    // Limits in either order, of which one may be beyond the other.
    "out[min(max(in[i], 0), m - 1)] = 1;",
    "out[max(min(in[i], m - 1), 0)] = 1;",
    "out[m - min(max(in[i], 1), 5)] = 1;",
    "const int a = min(max(in[i], 0), n); const int b = min(in[0], m); for (int j = a; j < b; ++j) out[j] = 1;",
    // Steps of a loop that nobody limits, until they wrap.
    "int w = 0; const int lim = in[0] + 5000; for (int y = 0; y < lim; ++y) { if (w >= 0 && w < 10) out[y] = 1; w += 1048576; }",
    "int w = 0; int y = 0; do { if (w >= 0 && w < 10) { out[y] = 1; } w += 1048576; ++y; } while (y < in[0] + 5000);",
    "const int lim = in[0] + 2147480000; for (int k = 5; k < lim; k += 1048573) { if (k < 10) out[k] = 1; }",
    // What begins with a limited number, or is made of one, and wraps.
    "int j = min(max(in[0] + 2147483640, 0), 2147483647); const int f = j; do { if (j < 3) { out[f] = 1; break; } ++j; } while (in[0] >= 0);",
    "int j = min(max(in[0] + 2147483640, 0), 2147483647); const int f = j; for (; j != 7; ++j) { if (j < 3) { out[f] = 1; break; } }",
    "int j = min(max(in[0] + 2147483640, 0), 2147483647); const int f = j; for (int k = 0; k < 9 + in[0]; ++k) { if (j < 3) out[f] = 1; j += 1; }",
    "const int j = min(max(in[0] + 2147483640, 0), 2147483647); if (j + 8 < 3) out[j] = 1;",
    "const unsigned int j = (unsigned int)min(max(in[i] - 4, -1), m); if (j < 8u) out[j] = 1; else out[j + 1u] = 1;",
    "const unsigned long u = (unsigned long)min(in[i] - 5, 7); const long j = (long)(u + 1ul); if (j < 3) out[j] = 1;",
    "const int a = min(max(in[i], 0), m), b = min(max(in[0], 0), n); for (int j = 0; j < b - a; ++j) out[a + j] = 1;",
    // Loops that do not run to the end that their condition allows, or not at all.
    "for (int j = 0; j > m; ++j) out[j] = 1;",
    "for (int j = i - 1; j >= 0 && j < n; ++j) out[j + 2] = 1;",
    "for (int j = 0; j != m && j < 10; ++j) out[j] = 1;",
    "int j = 0; while (j < m && in[j] > 0) ++j; out[i] = j;",
    "int j = 0; while (j < m && in[j] > 0) { out[j] = 1; ++j; }",
    "int j = 0; do { if (j > 3) out[j] = 1; ++j; } while (j < 2);",
    "int j = 0; do { if (j > 3) out[j] = 1; ++j; } while (j < m);",
    "int j = m; do { out[j] = 1; --j; } while (j >= 0);",
    "int j = 0; do { j += 1; } while (out[j]++ < 0 && j < 6); out[j] = 0;",
    "for (int j = 0; j < m; j += 2) { if (j == 3) out[100] = 1; }",
    "for (int j = 0; j < m; ++j) { if (j * 2 == 5) out[100] = 1; }",
    "if (2 * i == 5) out[100] = 1;",
    "if (i > 2 && i < 2) out[100] = 1;",
    "if (i != 2 && i == 2) out[100] = 1;",
    "if (i >= n) out[100] = 1;",
    "int t = 0; for (int j = 0; j < 5; j += m) { out[j] = 1; if (++t > 10) break; }",
    "int t = 0; for (int j = 5; j >= 0; j -= m) { out[j] = 1; if (++t > 3) break; }",
    "int t = 0; for (int j = 0; j < 5; j += m - 3) { if (++t > 10) return; } out[100] = 1;",
    "for (unsigned int j = m; j >= 0u; --j) { out[j] = 1; }",
    "for (unsigned int j = m; j-- > 0u; ) { out[j] = 1; }",
    "for (unsigned char j = 0; j < 300; ++j) { out[j] = 1; if (in[j] < 0) break; }",
    "for (long j = m; j >= 0; --j) out[j] = 1;",
    "int j; for (j = 0; j < m; ++j) out[j] = 1; out[j - 1] = 1;",
    "int j; for (j = 0; j < m; ++j) out[j] = 1; out[j] = 1;",
    "int j; for (j = 0; j < m; j += 3) { if (in[j] > 5) break; } out[j] = 1;",
    "int j = 0; while (true) { if (j >= m) break; out[j] = 1; ++j; } out[j] = 2;",
    "int j = 0; while (true) { if (in[i] < 0) continue; ++j; if (j > m) return; out[j] = 1; }",
    "int j = 0; for (int k = 0; k < m; ++k) { if (k == 2) continue; j += 1; out[j] = 1; }",
    "int j = 0; for (int k = 0; k < m; ++k) { j += 1; if (k == 2) continue; out[j] = 1; }",
    "int j = 0; for (int k = 0; k < m; ++k) { for (int l = 0; l < 2; ++l) { j += 1; if (l == 0) break; } out[j] = 1; }",
    "int j = 0; for (int k = 0; k < m; ++k) { switch (k) { case 1: continue; case 2: j += 1; break; default: j += 2; } out[j] = 1; }",
    "int j = 0; for (int k = 0; k < m; ++k) { switch (k) { case 1: j += 1; case 2: j += 1; break; default: ; } } out[j] = 1;",
    "int j = 0; switch (m) { case 1: j = 100; case 2: out[j] = 1; break; default: return; } out[i] = 1;",
    "int j = 0; switch (m) { case 5: if (i == 0) break; return; default: out[100] = 1; } out[i] = 1;",
    "int j = 0; switch (i) { default: j = 7; break; case 0: j = 100; break; } if (i > 0) out[j] = 1;",
    "int j = 0; for (int k = 0; k < 3; ++k) { out[j] = 1; j = m; }",
    "int j = 0; for (int k = 0; k < 3; ++k) { out[j] = 1; j += k; }",
    "int j = 0, s = 1; for (int k = 0; k < 3; ++k) { out[j] = 1; j += s; s = m; }",
    "int j = 0; int s = m; for (int k = 0; k < 3; ++k) { out[j] = 1; j += s; s = 0; }",
    "int j = 0, a = 0; for (int k = 0; k < 3; ++k) { a = j; j += 2; out[a] = 1; }",
    "int k = 0; for (; k < m; ) { k += 2; out[k] = 1; }",
    "int k = 10; for (; k > 1; k /= 2) out[k] = 1; out[k] = 2;",
    "int k = 1; for (; k < m; k *= 3) out[k] = 1; out[k] = 2;",
    "int k = -9; for (; k < -1; k /= 2) out[-k] = 1; out[-k] = 2;",
    "int k = -9; for (; k < -1; k >>= 1) { out[-k] = 1; if (k > -4) break; }",
    "bool b = true; for (int k = 0; k < 3; ++k) { if (b) out[0] = 1; else out[i + 100] = 1; b = k == 7; }",
    "bool b = i < 2; int j = i; j += 100; if (b) out[j - 100] = 1;",
    "bool b = false; for (int k = 0; k < 3; ++k) { if (b) out[100] = 1; b = in[k] > 100; }",
    "int j = 0; if (in[i] > 2 || (j = 5) > 0) out[j] = 1;",
    "int j = 0; const int x = in[i] > 2 ? (j = 6) : 3; out[j] = x;",
    "if (in[i] > 0) { if (in[i] > 1) return; } else { out[1] = 1; } out[100] = 1;",
    "for (;;) { out[i] = 1; if (out[i] == 1) return; } out[100] = 1;",
    "while (i >= 0) { if (in[i] >= 0) return; } out[100] = 1;",
    "for (int k = 0; k < m; ++k) { if (k == 1) return; out[k + 4] = 1; }",
    // Values
    "out[i % m] = 1;",
    "out[(i - 3) % 3 + 2] = 1;",
    "out[(i - 3) / 2 + 1] = 1;",
    "out[i / (m - 5)] = 1;",
    "out[-i / -2] = 1;",
    "out[i % -3] = 1;",
    "out[(i - 5) >> 1] = 1;",
    "out[((i - 5) >> 1) + 3] = 1;",
    "out[i << 1] = 1;",
    "out[(i - 3) & 7] = 1;",
    "out[i ^ 1] = 1;",
    "out[(i | 4) - 4] = 1;",
    "out[~i + 6] = 1;",
    "out[(char)(i + 127) + 128] = 1;",
    "out[(unsigned char)(i - 1)] = 1;",
    "const unsigned char j = i; out[j] = 0; const unsigned char l = j - 1; out[l] = 1;",
    "unsigned char c = 250; c += i; out[c] = 1;",
    "unsigned char c = 250; c++; c += m; out[c] = 1;",
    "unsigned short c = 65535; c += m; out[c] = 1;",
    "signed char c = 127; c += i; if (c < 10) out[c + 128] = 1;",
    "out[(bool)i] = 1;",
    "out[(int)(bool)(i * 256)] = 1;",
    "out[i > 2] = 1;",
    "out[!i] = 1;",
    "out[(int)(i * 1.5)] = 1;",
    "out[(int)(m * 1.5f)] = 1;",
    "out[(unsigned int)(i - 2) / 2u] = 1;",
    "out[(unsigned int)(i - 2) % 5u] = 1;",
    "out[(unsigned int)(i - 2) >> 30] = 1;",
    "out[(unsigned int)(i * 65536) * 65536u] = 1;",
    "const unsigned long u = in[i]; const long j = (long)u; if (j < 10) out[j] = 1;",
    "const unsigned long u = (unsigned long)(in[i] - 5); const long j = (long)u; if (j < 3) out[j] = 1;",
    "const unsigned long u = (unsigned long)(in[i] - 5); const long j = (long)(u + 1ul); if (j < 3) out[j] = 1;",
    "const unsigned long u = (unsigned long)(in[i] - 5); if ((long)u < 3) out[u & 7ul] = 1;",
    "const unsigned long u = (unsigned long)i * 6148914691236517205ul; const long j = (long)u; if (j < 3 && i == 3) out[j] = 1;",
    "const unsigned int u = (unsigned int)(in[i] - 5); const int j = (int)u; if (j < 3) out[j] = 1;",
    "const long j = (long)(unsigned int)(i - 1); if (j < 10) out[j] = 1;",
    "const long a = (long)m << 62; out[a + i] = 1;",
    "const long a = (long)i * (long)m * 4611686018427387904l; if (a < 3) out[a] = 1;",
    "const unsigned long a = (unsigned long)i * 9223372036854775808ul; out[a * 2ul] = 1;",
    "const int a = min(i, m), b = max(i, m); out[a * b] = 1;",
    "out[abs(m - i)] = 1;",
    "out[i * i - 3 * i + 3] = 1;",
    "out[(i - 2) * (i - 2)] = 1;",
    "out[i * (m - i)] = 1;",
    "const int a[3] = {1, 7, 3}; out[a[i % 3]] = 1;",
    "int a[4]; a[i] = 1; out[a[i]] = 1;",
    "int a[2][3]; a[1][i] = 1; out[0] = a[1][0];",
    "int a[2][3]; a[0][i] = 1; out[0] = a[0][0];",
    "const int *p = in + i; p += m; out[i] = *p;",
    "const int *p = in; for (int k = 0; k < m; ++k) { out[i] += *p; p += 1; }",
    "const int *p = in + m; while (p > in) { --p; out[i] += *p; }",
    "const int *p = &in[i]; const int *q = p - 2; out[i] = q[2] + q[0];",
    "@atomic out[i + m] += 1;",
    "float f = i; if (f > 1.0f) out[i - 2] = 1;",
    "const float f = m; if (f > 1.0f) out[100] = 1;",
    "if (m > 1.5) out[i] = 1; else out[100] = 1;",
];

#[test]
fn misleading_kernels() {
    let mut counts = [0; 4];
    let wrong: Vec<String> = MISLEADING.iter().filter_map(|body| compare(&one(body), &mut counts).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.iter().all(|&count| count > 200), "{counts:?}");
}

/// The same where constant memory decides.
const GATHERS: &[&str] = &[
    "out[in[i]] = 1;",
    "out[in[in[i]]] = 1;",
    "out[in[i] * 2 + 1 - in[0]] = 1;",
    "if (in[i] < m) out[in[i]] = 1;",
    "if (in[i] >= m) out[in[i] - m] = 1;",
    "if (in[i] > in[0]) out[in[i] - in[0]] = 1;",
    "out[in[i + 1] - in[i] + 7] = 1;",
    "out[in[i] % 5] = in[i] / 2;",
    "out[(in[i] - 3) / 2 + 1] = 1;",
    "out[(in[i] - 3) % 3 + 2] = 1;",
    "out[min(in[i], in[m & 3])] = 1;",
    "out[in[i] & 3] = 1; out[in[i] | 1] = 2; out[in[i] ^ 1] = 3;",
    "out[in[i] << 1] = 1; out[in[i] >> 1] = 1;",
    "out[in[i] * in[0]] = 1;",
    "out[i] = m / in[i]; out[i] = m % (in[i] + 1);",
    "for (int j = in[i]; j < in[i + 1]; ++j) out[j] = 1;",
    "for (int j = in[i]; j <= in[i + 1]; j += 2) out[j] = 1;",
    "for (int j = in[i] - 1; j >= in[0]; --j) out[j] = 1;",
    "for (int j = in[i]; j != in[i + 1] && j < 10; ++j) out[j] = 1;",
    "for (int j = 0; j < in[j]; ++j) out[in[j]] = 1;",
    "int j = 0; while (in[j] > 0) { out[in[j]] = 1; ++j; }",
    "int j = in[i]; for (int k = 0; k < 3; ++k) { out[j] = 1; j = in[j]; }",
    "for (int k = 0; k < in[i]; ++k) for (int j = in[k]; j < in[k + 1]; ++j) out[in[j]] = k;",
    "for (int k = in[i]; k < in[i + 1]; ++k) { const int j = in[k]; if (j < n) { out[j] = in[j + 1]; } else { out[j - n] = 1; } }",
    "const int *p = in + 1; out[p[i]] = 1; out[p[in[i]]] = 1;",
    "int j = i; if (in[i] > 2) { j = in[i]; } out[j] = 1; out[in[j]] = 2;",
    "const long j = in[i]; out[j * m] = 1; out[j * 1000000] = 1;",
    "const unsigned int j = (unsigned int)in[i]; out[j] = 1; out[j - 1u] = 2;",
    "const int h = in[i] * 2147483 + 7; if (h >= 0 && h < 8) out[h] = 1;",
    "if (i == 0) { out[in[i + 100]] = 1; } out[in[i]] = 1;",
    "if (m > 3 && in[m] < 2) { out[in[m]] = 1; } out[in[m]] = 2;",
    "switch (in[i]) { case 1: out[in[i] + 1] = 1; break; case 4: out[in[i]] = 1; }",
    "out[in[i] > 3 ? in[i] - 3 : in[i]] = 1;",
    "out[i] = 5; out[out[i]] = in[out[i]]; out[in[out[i]]] = 1;",
];

#[test]
fn constant_memory_that_decides() {
    let (mut counts, mut of_constants) = ([0; 4], [0; 4]);
    for body in GATHERS {
        let source = one(body);
        for (checks, counts) in [(Checks::Unproven, &mut counts), (Checks::UnprovenOfConstants, &mut of_constants)] {
            compare_with(&source, checks, counts).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    let within = Known::Within as usize;
    assert!(of_constants[within] > counts[within] + 500, "{counts:?}, {of_constants:?}");
}

/// Whole kernels with functions, regions and structs.
const KERNELS: &[&str] = &[
    // Items that a smaller region leaves out keep what they had.
    "@kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) {
         @exclusive int e; @exclusive bool b;
         for (int i = 0; i < 8; ++i; @inner) { e = 100; b = false; }
         for (int i = 0; i < 4; ++i; @inner) { e = i; b = true; }
         for (int i = 0; i < 8; ++i; @inner) { if (n > 3) out[e] = 1; if (!b) out[50] = 1; }
       } }",
    "@kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) {
         @exclusive int e;
         for (int i = 0; i < 4; ++i; @inner) { e = 100 + i; }
         for (int i = 2; i < 6; ++i; @inner) { if (e > 101) out[e - 100] = i; }
         for (int i = 0; i < 4; ++i; @inner) { out[e - 100] = i; e = i; }
         for (int t = 0; t < n; ++t) for (int i = 0; i < m; ++i; @inner) { out[e] = 1; e = i + 1; }
       } }",
    "@kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) {
         @exclusive int e;
         for (int i = 0; i < n; ++i; @inner) { e = i; if (in[i] > 3) return; e = 0; }
         if (m > 2) { for (int i = 0; i < n; ++i; @inner) { out[e + 1] = 1; } }
         for (int t = 0; t < 3; ++t) { for (int i = 0; i < n; ++i; @inner) { if (t == 1) return; out[t + 4] = 1; } }
         for (int i = 0; i < n; ++i; @inner) { out[100] = 1; }
       } }",
    "@kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < n; ++o; @outer) {
         @shared int s[8]; @shared int x;
         int g = 0;
         for (int t = 0; t < m; ++t) {
           for (int i = 0; i < 8; ++i; @inner) { s[i] = g; x = i; if (i == 9) out[200] = 1; }
           g += 2;
           for (int i = 0; i < 2; ++i; @inner) { out[g + i] = s[i]; }
         }
         for (int i = 0; i < 8; ++i; @inner) { out[g] = x; if (x < 3) out[300 + x] = 1; }
       } }",
    "@kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < n; ++o; @outer) {
         if (o == 2) continue;
         for (int i = 0; i < 8; ++i; @inner) { out[o] = 1; }
         if (o == 1) { for (int i = 0; i < 8; ++i; @inner) { out[o + i] = 1; @barrier; out[o] = 2; } }
       } }",
    "@kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < n; o += 4; @outer) for (int i = o; i < o + 4; ++i; @inner) {
         if (i >= n) return;
         @barrier;
         out[i] = 1;
         if (in[i] > 3) { continue; }
         @barrier;
         out[i + 1] = 1;
       } }",
    "@kernel void k(const int n, const int m, const int *in, int *out) {
       int h = 1;
       for (int r = 0; r < m; ++r) {
         for (int i = 0; i < h; ++i; @tile(4, @outer, @inner)) out[i] = r;
         h = h * 2 + (h & 1);
         for (int i = n; i > h; i -= 2; @tile(2, @outer, @inner)) out[i - 1] = r;
       }
       if (h > 5) { for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) out[h] = 1; }
     }",
    // Functions
    "void bump(int *p) { *p = *p + 40; }
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {
         int p = 0; for (int j = 0; j < 3; ++j) { out[p] = 1; p += 1; bump(&p); }
         int q = 0; if (i > 1) { bump(&q); } out[q] = 1;
         int r = 0; for (int j = 0; j < 2; ++j) { out[r] = 1; if (j == 0) bump(&r); }
       } }",
    "int first(const int *p, const int count) { int k = 0; while (true) { if (p[k] > 0 || k + 1 >= count) return k; ++k; } return 0; }
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {
         const int j = first(in, n); if (j < 3) out[j] = 1;
       } }",
    "int search(const int *p) { for (int k = 0; ; ++k) { if (p[k] > 0) return k; } return 0; }
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {
         const int j = search(in); if (j < 3) out[j] = 1;
       } }",
    "int always() { for (int k = 0; ; ++k) { return k; } return 0; }
     int clamp(const int i, const int n) { if (i < 0) return 0; if (i >= n) return n - 1; return i; }
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {
         const int j = always(); if (j < 3) out[j] = in[clamp(i - m, n)];
       } }",
    "void put(int *p, const int at) { if (at < 4) p[at] = 1; }
     void both(int *p, const int at) { put(p + at, at - 1); put(p, at); }
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {
         both(out + m, i); int a[3]; put(a, min(i, 2)); both(&out[i], 0 - m);
       } }",
    // Structs and rows
    "struct S { int a; int b[3]; int c; };
     void set(int *p, const int at) { p[at] = 1; }
     void of(struct S *p, const int at) { p[at].b[at] = 1; p[at].c = 2; }
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {
         struct S s[2]; struct S t;
         s[0].a = 0; s[i % 2].b[m & 3] = 1; t.b[0] = 2; t.a = 1;
         set(&t.a, 0); set(s[1].b, i); set(&s[0].c, 0); of(s, i & 1); of(&t, 0);
         out[t.a] = s[1].a;
       } }",
    "struct S { int a; int b; };
     void set(int *p, const int at) { p[at] = 1; }
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) {
         struct S s[2]; struct S t; set(&s[0].a, 1); set(&s[1].a, m); set(&s[0].b, 1); set(&t.a, 1);
         out[i] = s[0].b;
       } }",
    "const int table[4] = {1, 0, 7};
     @kernel void k(const int n, const int m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) { out[table[i & 3]] = table[3]; }
     }",
    "@kernel void k(const int n, const int m, const int in[][3], int out[][2][3]) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < n; ++i; @inner) { out[i / 4][m & 1][i % 3] = in[i / 3][i % 3]; }
     }",
    "@kernel void k(const unsigned int n, const long m, const unsigned long *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (unsigned int i = 0; i < n; ++i; @inner) {
         const unsigned long u = in[i] - 5ul; const long j = (long)u; if (j < 3) out[j] = 1;
         out[n - 1u - i] = 1; out[i - n + 8u] = 1; out[m * m - m * m] = 1;
       } }",
    "@kernel void k(const unsigned long n, const char m, const int *in, int *out) {
       for (int o = 0; o < 1; ++o; @outer) for (int i = 0; i < 3; ++i; @inner) {
         out[n - 3ul + (unsigned long)i] = 1; out[(unsigned long)m + n] = 1;
         for (char c = m; c < 5; ++c) out[c + 1] = 1;
         out[(char)(m * 64)] = 1; out[(unsigned char)m] = 2;
       } }",
];

#[test]
fn kernels_of_several_parts() {
    let mut counts = [0; 4];
    let wrong: Vec<String> = KERNELS.iter().filter_map(|source| compare(source, &mut counts).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}

/// `text` for each number, with `#` replaced by it and `@` by the one before.
fn repeated(count: usize, text: &str) -> String {
    let line = |k: usize| text.replace('#', &(k + 1).to_string()).replace('@', &k.to_string());
    (0..count).map(|k| line(k) + "\n").collect()
}

/// Bodies that would take very long, or much memory, if nothing ended the analysis.
fn exhausting() -> Vec<String> {
    let functions = |count, call: &str| {
        let chain = repeated(count, &format!("int f#(const int i) {{ {call} }}"));
        format!("int f0(const int i) {{ return i; }}\n{chain}").replace("fN", &format!("f{count}"))
    };
    let calling = |count, call: &str| functions(count, call) + &one(&format!("out[f{count}(i)] = 1;"));
    let columns = repeated(100, "int v# = in[#];");
    let arms = repeated(100, "case #: v7 += 1; v8 += v7; v# = 3;");
    let sums = repeated(100, "v# = v# + v@;").replace("v0", "m");
    vec![
        one(&("long x = m;\n".to_owned() + &repeated(60, "x = x * x;") + "out[x] = 1;")),
        one(&("long x = m + i;\n".to_owned() + &repeated(60, "x = x * (m + #);") + "out[x] = 1;")),
        one(&("long x = i * m;\n".to_owned()
            + &repeated(600, "if (in[#] == #) return; x = x / 3 + 7;")
            + "out[x] = 1;")),
        one(&("int j = i;\n".to_owned() + &repeated(600, "if (in[#] > #) j = #; out[j] = 1;"))),
        one(&("int j = i;\n".to_owned() + &repeated(600, "j = in[j & 7] > # ? j + 1 : j + 2;") + "out[j] = 1;")),
        one(&("int j = i;\n".to_owned() + &repeated(600, "j = min(j + m, n * #);") + "out[j] = 1;")),
        one(&("int j = i;\n".to_owned() + &repeated(600, "j = j / 2 + j % 3;") + "out[j] = 1;")),
        one(&("long j = i;\n".to_owned() + &repeated(600, "j += in[#] & 3; out[j] = 1;"))),
        one(&repeated(4000, "out[i + # * m] = in[i - #];")),
        one(&repeated(3000, "out[m + #] = 1;")),
        one(&repeated(150, "if (i + m > #) { out[i * #] = 1; } else if (i < #) return;")),
        one(&format!("{columns}\nswitch (m) {{ {arms} default: ; }} out[v7] = 1;")),
        one(&format!("{columns}\n{}\nout[v9] = 1;", sums.repeat(4))),
        one(&(repeated(90, "for (int l# = 0; l# < m; ++l#) {") + "out[l9 + l90] = 1;" + &"}".repeat(90))),
        calling(17, "return f@(i) + f@(i + 1);"),
        calling(150, "return f@(i) / 2 + i;"),
        calling(60, "for (int k = 0; k < i; ++k) { if (k > 5) return f@(k); } return i;"),
    ]
}

#[test]
fn no_kernel_takes_the_analysis_long() {
    for source in exhausting() {
        let head: String = source.lines().take(6).collect::<Vec<_>>().join("\n");
        let start = std::time::Instant::now();
        let compiled = compile(&source).unwrap_or_else(|found| panic!("{found}\n{head}"));
        let compiling = start.elapsed();
        let memory = vec![1; 5000];
        let setup = arguments(&compiled, &[5, 3], &[&memory, &memory]);
        let start = std::time::Instant::now();
        let known = bounds::known(&compiled.signatures[0], &setup);
        let checking = start.elapsed();
        eprintln!("{compiling:?}, {checking:?}, {known:?}: {}", source.lines().nth(3).unwrap_or_default());
        // A debug build on a busy machine; without limits, hours.
        assert!(checking.as_secs() < 20, "{checking:?}\n{head}");
    }
}

/// Loops that change a number from where the launch says on, which nothing limits, until it wraps.
#[test]
fn numbers_that_begin_near_the_end_of_their_type() {
    for (body, m) in [
        (
            "unsigned int j = (unsigned int)m; for (int k = 0; k < in[4]; ++k) { if (j > 100u) { out[m + 100] = 1; } j -= 1u; }",
            3,
        ),
        (
            "unsigned long j = (unsigned long)m; for (int k = 0; k < in[4]; ++k) { if (j > 100ul) { out[m + 100] = 1; } j -= 1ul; }",
            3,
        ),
        ("int j = m; for (int k = 0; k < in[4]; ++k) { if (j < 3) { out[m] = 1; } j += 1; }", 2147483645),
        ("int j = m; do { if (j < 3) { out[m] = 1; break; } ++j; } while (in[0] >= 0);", 2147483645),
        ("for (int j = m; j != 7; ++j) { if (j < 3) { out[m] = 1; break; } }", 2147483645),
        ("int j = 3 - m; for (int k = 0; k < in[4]; ++k) { if (j > 3) { out[m] = 1; } j -= 1; }", 2147483647),
    ] {
        for checks in [Checks::Unproven, Checks::UnprovenOfConstants] {
            let compiled = compile_with(&one(body), checks).expect("it compiles");
            let memory: [&[i64]; 2] = [&[1, 2, 3, 4, 5], &[0; 8]];
            assert_eq!(known(&compiled, &[5, m], &memory), Ok(Known::Neither), "{body}");
            // Far from the end it is proven.
            assert_ne!(known(&compiled, &[5, if m == 3 { 0 } else { 4 }], &memory), Ok(Known::Outside), "{body}");
        }
    }
}
