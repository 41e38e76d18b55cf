//! Preprocessor: source in, text of the tokens out.

use super::{Files, Preprocessed, preprocess_only};

#[track_caller]
fn check_with(source: &str, mode: &str, defines: &[(&str, &str)], files: &[(&'static str, &str)], expected: &str) {
    let Preprocessed { text, found, .. } = preprocess_only(source, mode, defines, &Files::of(files));
    assert_eq!(found.to_string(), "", "findings for:\n{source}");
    assert_eq!(text, expected, "for:\n{source}");
}

#[track_caller]
fn check(source: &str, expected: &str) {
    check_with(source, "Serial", &[], &[], expected);
}

#[test]
fn object_like_macros() {
    check("#define N 10\nN N+N", "10 10+10");
    check("#define A B\n#define B 3\nA", "3");
    check("#define EMPTY\n[EMPTY]", "[]");
    check("#define N 1\n#undef N\nN\n#undef NEVER", "N");
    check("#define F (x)\nF", "(x)");
    check("#define N 1\n#define N 1\nN", "1");
    check("#define L 1 \\\n  + 2\nL", "1 + 2");
    check("#define /* a\nb */ N /* c */ 7 // d\nN", "7");
}

#[test]
fn a_macro_does_not_call_itself() {
    check("#define x x + 1\nx", "x + 1");
    check("#define a b\n#define b a\na b", "a b");
    check("#define f(x) f(x + 1)\nf(f(0))", "f(f(0 + 1) + 1)");
    check("#define f f(1)\n#define g(x) x\ng(f)(2)", "f(1)(2)");
}

#[test]
fn function_like_macros() {
    check("#define SQ(x) ((x)*(x))\nSQ(a + 1)", "((a + 1)*(a + 1))");
    check("#define F(x, y) x - y\nF((a, b), c)", "(a, b) - c");
    check("#define F(x) x\nF", "F");
    check("#define F(x) <x>\nF\n(\n1\n)", "<1>");
    check("#define F() 1\nF() F( )", "1 1");
    check("#define F(x) [x]\nF()", "[]");
    check("#define F(a, b) a b\nF(,) F(1,) F(,2)", "1 2");
    check("#define N 4\n#define ID(x) x\nID(ID(N))", "4");
    check("#define F(x) x\n#define G F\nG(1)", "1");
    check("#define LP (\n#define F(x) x\nF LP 1)", "F ( 1)");
    check("#define F(x) x(2)\n#define G(x) <x>\nF(G)", "<2>");
    check("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2*9*g");
}

#[test]
fn the_examples_of_the_c_standard() {
    let definitions = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
        #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n\
        #define r(x,y) x ## y\n#define str(x) # x\n";
    let cases = [
        ("f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);", "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);"),
        ("g(x+(3,4)-w) | h 5) & m\n(f)^m(m);", "f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);"),
        ("p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };", "int i[] = { 1, 23, 4, 5, };"),
        ("char c[2][6] = { str(hello), str() };", "char c[2][6] = { \"hello\", \"\" };"),
    ];
    for (source, expected) in cases {
        check(&format!("{definitions}{source}"), expected);
    }
    check(
        "#define str(s) # s\n#define xstr(s) str(s)\n#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", x ## s, x ## t)\n\
         #define INCFILE(n) vers ## n\n#define glue(a, b) a ## b\n#define xglue(a, b) glue(a, b)\n#define HIGHLOW \"hello\"\n\
         #define LOW LOW \", world\"\ndebug(1, 2);\nstr(strncmp(\"abc\\0d\", \"abc\", '\\4') == 0) str(: @\\n);\n\
         xstr(INCFILE(2).h)\nglue(HIGH, LOW);\nxglue(HIGH, LOW)",
        "printf(\"x\" \"1\" \"= %d, x\" \"2\" \"= %s\", x1, x2);\n\
         \"strncmp(\\\"abc\\\\0d\\\", \\\"abc\\\", '\\\\4') == 0\" \": @\\n\";\n\"vers2.h\"\n\"hello\";\n\"hello\" \", world\"",
    );
    check(
        "#define hash_hash # ## #\n#define mkstr(a) # a\n#define in_between(a) mkstr(a)\n#define join(c, d) in_between(c hash_hash d)\njoin(x, y)",
        "\"x ## y\"",
    );
    check(
        "#define t(x,y,z) x ## y ## z\nint j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,),\nt(10,,), t(,11,), t(,,12), t(,,) };",
        "int j[] = { 123, 45, 67, 89,\n10, 11, 12, };",
    );
}

#[test]
fn quoting_and_pasting() {
    check("#define S(x) #x\nS( a  +\n b )", "\"a + b\"");
    check("#define S(x) #x\nS(\"a\\n\" '\\\"')", r#""\"a\\n\" '\\\"'""#);
    check("#define N 3\n#define S(x) #x\n#define XS(x) S(x)\nS(N) XS(N)", "\"N\" \"3\"");
    check("#define J(a, b) a##b\nJ(x, 1) J(1, e3) J(<, <=) J(0x, ff)", "x1 1e3 <<= 0xff");
    check("#define J(a, b) a##b\n#define xy 5\nJ(x, y)", "5");
    check("#define N 3\n#define F(n) v_##n[N##n]\nF(N)", "v_N[NN]");
    check("#define A(n) @##n(0)\nA(outer)", "@outer(0)");
    check("#define X a ## b\nX", "ab");
    check("#define H # x\nH", "# x");
}

#[test]
fn variadic_macros() {
    check("#define F(...) [__VA_ARGS__]\nF() F(1) F(1, (2, 3), 4)", "[] [1] [1, (2, 3), 4]");
    check("#define F(a, ...) a: __VA_ARGS__\nF(1, 2, 3) F(1,) F(1)", "1: 2, 3 1: 1:");
    check("#define F(a, ...) f(a, ## __VA_ARGS__)\nF(1) F(1, 2) F(1, 2, 3)", "f(1) f(1, 2) f(1, 2, 3)");
    check("#define F(a, rest...) a rest\nF(1, 2, 3)", "1 2, 3");
    check("#define S(...) #__VA_ARGS__\nS(a, \"b\")", r#""a, \"b\"""#);
}

#[test]
fn conditions() {
    let cases = [
        ("1", true),
        ("0", false),
        ("UNKNOWN", false),
        ("!UNKNOWN", true),
        ("true && !false", true),
        ("1 + 2 * 3 == 7", true),
        ("(1 + 2) * 3 == 9", true),
        ("10 - 4 - 3 == 3", true),
        ("7 / 2 == 3 && 7 % 4 == 3 && -7 / 2 == -3", true),
        ("1 << 40 == 0x10000000000", true),
        ("-1 >> 1 == -1", true),
        ("-1 < 0u", false),
        ("-1 > 0u", true),
        ("0xffffffffffffffff == -1", true),
        ("0xffffffff > 0", true),
        ("1 ? 0 : 1", false),
        ("0 ? 1 : 0 ? 0 : 2", true),
        ("1 || 1 / 0", true),
        ("0 && 1 / 0", false),
        ("1 ? 1 : 1 / 0", true),
        ("(2 | 1) == 3 && (6 & 3) == 2 && (6 ^ 3) == 5 && ~0 == -1", true),
        ("'a' == 97 && '\\n' == 10 && '\\xff' < 0", true),
        ("9223372036854775807 + 1 < 0", true),
        ("1 <= 1 && 1 >= 1 && 1 != 2", true),
        ("010 == 8 && 0b101 == 5 && 1ull == 1L", true),
        ("defined N && defined(N) && !defined M && !defined(M)", true),
        ("N == 3", true),
        ("SQ(N) == 9", true),
        ("HAS_N", true),
        ("defined __LINE__ && __LINE__ == 4", true),
        ("OKL_MODE == \"SERIAL\"", true),
        ("OKL_MODE != \"SERIAL\"", false),
        ("not 0 and 1 or 0", true),
    ];
    for (condition, holds) in cases {
        let source = format!(
            "#define N 3\n#define SQ(x) ((x)*(x))\n#define HAS_N defined(N)\n#if {condition}\nyes\n#else\nno\n#endif"
        );
        check(&source, if holds { "yes" } else { "no" });
    }
}

#[test]
fn groups_of_conditions() {
    let chain = "#if A == 1\none\n#elif A == 2\ntwo\n#elif A == 3\nthree\n#else\nmany\n#endif";
    for (value, expected) in [("1", "one"), ("2", "two"), ("3", "three"), ("4", "many")] {
        check_with(chain, "Serial", &[("A", value)], &[], expected);
    }
    check("#ifdef A\na\n#else\nb\n#endif\n#ifndef A\nc\n#endif", "b\nc");
    check("#if 0\n#if 1\na\n#else\nb\n#endif\nc\n#else\nd\n#endif", "d");
    check("#if 1\n#if 0\na\n#else\nb\n#endif\nc\n#else\nd\n#endif", "b\nc");
    check("#define A\n#ifdef X\n1\n#elifdef A\n2\n#elifndef A\n3\n#endif", "2");
    check("#if 0\ndon't read 'this\n#unknown\n#error no\n#include \"no\"\n#elif 1\nok\n#elif 1 / 0\n#endif", "ok");
    check("# if 1\n  #  define N 2\nN\n # endif\n#\n#/**/", "2");
    check("#define F(a, b) a b\nF(1,\n#if 1\n2\n#else\n3\n#endif\n)", "1 2");
}

#[test]
fn includes() {
    let files = [
        ("a.h", "#pragma once\n#define A 1\nfrom_a"),
        ("b.h", "#include \"a.h\"\nfrom_b __FILE__ __LINE__"),
        ("guard.h", "#ifndef G\n#define G\nonce\n#endif"),
        ("x.h", "X(1)"),
    ];
    check_with("#include \"a.h\"\n#include <a.h>\nA", "Serial", &[], &files, "from_a\n1");
    check_with(
        "#include \"b.h\"\nA __FILE__ __LINE__",
        "Serial",
        &[],
        &files,
        "from_a\nfrom_b \"b.h\" 2\n1 \"k.okl\" 2",
    );
    check_with("#include \"guard.h\"\n#include \"guard.h\"", "Serial", &[], &files, "once");
    check_with(
        "#define X(n) x##n\n#include \"x.h\"\n#undef X\n#define X(n) y##n\n#include \"x.h\"",
        "Serial",
        &[],
        &files,
        "x1\ny1",
    );
    check_with(
        "#define FILE \"x.h\"\n#define DIR(f) <f>\n#include FILE\n#include DIR(x.h)",
        "Serial",
        &[],
        &files,
        "X(1)\nX(1)",
    );
    check("#include <math.h>\n#include <limits.h>\n#include <float.h>\n#include <stdint.h>\nINT_MAX", "2147483647");

    let Preprocessed { includes, .. } = preprocess_only(
        "#include \"b.h\"\n#include \"x.h\"\n#include \"x.h\"\n#include <math.h>",
        "Serial",
        &[],
        &Files::of(&files),
    );
    assert_eq!(includes, ["b.h", "a.h", "x.h"], "each file once, built-in headers not at all");
}

#[test]
fn properties_define_macros() {
    let defines = [("N", "8"), ("dfloat", "double"), ("SQ(x)", "((x)*(x))"), ("ON", ""), ("TWO", "1 +\n1")];
    check_with("N dfloat SQ(3) [ON] TWO", "Serial", &defines, &[], "8 double ((3)*(3)) [] 1 + 1");
    check_with("#ifndef dfloat\n#define dfloat float\n#endif\ndfloat", "Serial", &defines, &[], "double");
}

#[test]
fn modes_define_macros() {
    let source = "OKL_MODE __OKL__ OCCA_USING_SERIAL OCCA_USING_OPENMP OCCA_USING_CPU OCCA_USING_CUDA OCCA_USING_OPENCL \
                  OCCA_USING_WEBGPU OCCA_USING_GPU";
    let cases = [
        ("Serial", [1, 0, 1, 0, 0, 0, 0], "SERIAL"),
        ("CPU", [0, 1, 1, 0, 0, 0, 0], "CPU"),
        ("CUDA", [0, 0, 0, 1, 0, 0, 1], "CUDA"),
        ("OpenCL", [0, 0, 0, 0, 1, 0, 1], "OPENCL"),
        ("WebGPU", [0, 0, 0, 0, 0, 1, 1], "WEBGPU"),
    ];
    for (mode, holds, name) in cases {
        let words = source.split_whitespace().skip(2).zip(holds);
        let words: Vec<_> =
            words.map(|(word, holds)| if holds == 1 { "1".to_owned() } else { word.to_owned() }).collect();
        check_with(source, mode, &[], &[], &format!("\"{name}\" 1 {}", words.join(" ")));
    }
}

#[test]
fn dynamic_macros() {
    check("__LINE__\n\n__LINE__", "1\n3");
    check("#define L __LINE__\n#define M L L\n\nM", "4 4");
    check("__COUNTER__ __COUNTER__", "0 1");
    check("__FILE__", "\"k.okl\"");
    check("_Pragma(\"unroll\") x", "x");
    check("#pragma unroll 4\nfor", "@unroll ( 4 )\nfor");
    check("#pragma omp 4\n#line 100 \"other\"\n# 7 \"gcc\"\n__LINE__", "4");
}

#[test]
fn text_is_cut_as_c_cuts_it() {
    check("a\\\nb", "ab");
    check("/* a */ b // c\n/* d\n e */ f", "b\nf");
    check("a /* b */c", "a c");
    check("x+++++y", "x+++++y");
    check("a//\\\nstill a comment\nb", "a\nb");
    check("\"a // b\" 'c'", "\"a // b\" 'c'");
    check("1.5e-3f .5 0x1.8p+3 1..2", "1.5e-3f .5 0x1.8p+3 1..2");
    check("@kernel @ outer", "@kernel @ outer");
    check("\u{feff}a\r\nb\r\n", "a\nb");
    check("#define PLUS +\n+PLUS -PLUS", "+ + -+");
    check("#define E 1e\nE+1", "1e +1");
}
