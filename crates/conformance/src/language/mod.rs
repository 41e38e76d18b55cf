//! Every feature of the kernel language, with its result in closed form.

use crate::check::Failure;
use crate::harness::Case;
use ferrocca_core::{Device, Kernel, args};

mod atomics;
mod complex;
mod conditions;
mod control;
mod functions;
mod half;
mod host;
mod loops;
mod math;
mod pointers;
mod preprocessor;
mod reference;
mod storage;
mod storage_float;
mod subgroups;
mod types;
mod vectors;

/// The cases, area by area.
pub(crate) fn areas() -> impl Iterator<Item = &'static [Case]> {
    [
        loops::CASES,
        storage::CASES,
        types::CASES,
        vectors::CASES,
        complex::CASES,
        half::CASES,
        storage_float::half::CASES,
        storage_float::bfloat16::CASES,
        conditions::CASES,
        control::CASES,
        functions::CASES,
        pointers::CASES,
        host::CASES,
        atomics::CASES,
        subgroups::CASES,
        preprocessor::CASES,
        math::CASES,
        reference::CASES,
    ]
    .into_iter()
}

/// Builds the kernel `test` of a source.
fn build(device: &Device, source: &str) -> Result<Kernel, Failure> {
    build_with(device, source, "")
}

/// Builds the kernel `test` of a source with props.
fn build_with(device: &Device, source: &str, props: &str) -> Result<Kernel, Failure> {
    Ok(device.build_kernel_from_string(source, "test", props)?)
}

/// Runs `kernel test(const int n, const int *in, int *out)` on `input`; `out` has `len` elements, -1 at first.
fn integers(device: &Device, source: &str, input: &[i32], len: usize) -> Result<Vec<i32>, Failure> {
    let kernel = build(device, source)?;
    let from = device.malloc_from(input)?;
    let mut out = device.malloc_filled(len, -1i32)?;
    kernel.launch(args![input.len(), &from, &mut out])?;
    Ok(out.to_vec()?)
}

/// The source of a kernel that runs `body` once for each `i` in `0..n`, with `in[i]` and `out[i]` at hand.
fn each(body: &str) -> String {
    format!(
        "@kernel void test(const int n, const int *in, int *out) {{\n  for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {{\n{body}\n  }}\n}}"
    )
}

/// Runs `each(body)` and compares with `expected` for every input.
fn maps(device: &Device, prelude: &str, body: &str, expected: impl Fn(i32) -> i32) -> Result<(), Failure> {
    let input: Vec<i32> = (-40..60).collect();
    let source = format!("{prelude}\n{}", each(body));
    let out = integers(device, &source, &input, input.len())?;
    crate::check::same("out", &out, &input.iter().map(|&x| expected(x)).collect::<Vec<_>>())
}
