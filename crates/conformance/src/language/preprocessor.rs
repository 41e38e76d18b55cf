//! Macros, conditionals, includes and defines from props.

use super::{build_with, each, maps};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["preprocessor";
    object_and_function_macros, stringify_and_paste, conditionals, defines_from_props, mode_macros, include_from_a_directory,
    headers_from_props, variadic_macro, line_continuation, directive_attribute,
];

fn object_and_function_macros(device: &Device) -> Outcome {
    let prelude = "#define N_TERMS 3\n#define SQUARE(x) ((x) * (x))\n#define SUM(a, b) (SQUARE(a) + SQUARE(b))";
    maps(device, prelude, "out[i] = SUM(in[i], N_TERMS + 1);", |x| x * x + 16)
}

fn stringify_and_paste(device: &Device) -> Outcome {
    let prelude = "#define JOIN(a, b) a##b\n#define NAME(a) JOIN(value_, a)";
    maps(device, prelude, "int value_7 = in[i]; int value_8 = 3; out[i] = NAME(7) * JOIN(value_, 8);", |x| 3 * x)
}

fn conditionals(device: &Device) -> Outcome {
    let prelude = "#define LEVEL 2\n#if defined(MISSING) || LEVEL > 5\n#define R 1\n#elif LEVEL == 2 && !defined MISSING\n#define R 2\n#else\n#error not here\n#endif\n#ifdef R\n#ifndef MISSING\n#define S 10\n#endif\n#endif\n#undef LEVEL\n#ifdef LEVEL\n#error undefined\n#endif";
    maps(device, prelude, "out[i] = R + S + in[i];", |x| 12 + x)
}

fn defines_from_props(device: &Device) -> Outcome {
    let source = each("out[i] = SCALE(in[i]) + SHIFT + (int) FACTOR;");
    let kernel = build_with(device, &source, "defines: {'SCALE(x)': '(3 * (x))', SHIFT: -4, FACTOR: 2.5}")?;
    let input = device.malloc_from(&[1i32, 2, 3])?;
    let mut out = device.malloc_filled(3, 0i32)?;
    kernel.launch(args![3, &input, &mut out])?;
    check::same("out", &out.to_vec()?, &[1, 4, 7])
}

fn mode_macros(device: &Device) -> Outcome {
    let prelude = "#ifndef __OKL__\n#error __OKL__ is not defined\n#endif\n#ifndef OKL_MODE\n#error OKL_MODE is not defined\n#endif";
    maps(device, prelude, "out[i] = in[i];", |x| x)
}

fn include_from_a_directory(device: &Device) -> Outcome {
    let directory = tempfile::tempdir()?;
    let directory = directory.path();
    std::fs::create_dir(directory.join("inner"))?;
    std::fs::write(directory.join("scale.h"), "#pragma once\n#include \"inner/shift.h\"\n#define SCALE 3\n")?;
    std::fs::write(directory.join("inner/shift.h"), "#define SHIFT 100\n")?;
    let kernel_file = directory.join("kernel.okl");
    std::fs::write(
        &kernel_file,
        format!("#include \"scale.h\"\n#include \"scale.h\"\n{}", each("out[i] = SCALE * in[i] + SHIFT;")),
    )?;
    let launch = || -> Result<Vec<i32>, check::Failure> {
        let kernel = device.build_kernel(&kernel_file, "test", "")?;
        let input = device.malloc_from(&[1i32, 2])?;
        let mut out = device.malloc_filled(2, 0i32)?;
        kernel.launch(args![2, &input, &mut out])?;
        Ok(out.to_vec()?)
    };
    let first = launch();
    std::fs::write(directory.join("inner/shift.h"), "#define SHIFT 20000\n")?;
    let second = launch();
    check::same("out", &first?, &[103, 106])?;
    check::same("out after the header changed", &second?, &[20_003, 20_006])
}

fn headers_from_props(device: &Device) -> Outcome {
    let kernel = build_with(device, &each("out[i] = in[i] + EXTRA;"), "headers: ['#define EXTRA 5']")?;
    let input = device.malloc_from(&[1i32, 2])?;
    let mut out = device.malloc_filled(2, 0i32)?;
    kernel.launch(args![2, &input, &mut out])?;
    check::same("out", &out.to_vec()?, &[6, 7])
}

fn variadic_macro(device: &Device) -> Outcome {
    let prelude = "int add3(int a, int b, int c) { return a + b + c; }\n#define CALL(f, ...) f(__VA_ARGS__)";
    maps(device, prelude, "out[i] = CALL(add3, in[i], 2, 3);", |x| x + 5)
}

fn line_continuation(device: &Device) -> Outcome {
    maps(
        device,
        "#define LONG(a) \\\n  ((a) + \\\n   1)",
        "out[i] = LONG(in[i]); // a comment \\\n still the comment",
        |x| x + 1,
    )
}

fn directive_attribute(device: &Device) -> Outcome {
    let prelude = "@directive(\"#define N 3\") @directive(\"#define SQUARE(x) ((x) * (x))\")";
    let body =
        "@directive(\"#ifdef N\") out[i] = SQUARE(in[i]) + N; @directive(\"#else\") out[i] = 0; @directive(\"#endif\")";
    maps(device, prelude, body, |x| x * x + 3)
}
