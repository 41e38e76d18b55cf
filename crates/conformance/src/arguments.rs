//! Kernel arguments: what fits is converted, what does not is named and refused before anything runs.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};

cases!["arguments";
    every_scalar_type: I64, scalars_convert_without_loss, lossy_scalars_are_refused, wrong_count, wrong_dtype, const_for_mutable,
    restrict_overlap, in_place_with_share, in_place_with_values_of_the_group, slices_at_any_offset, scalar_for_memory, memory_for_scalar, zero_length_memory,
    named_as_in_the_source,
];

const AXPY: &str = "@kernel void axpy(const int n, const float alpha, @restrict const float *x, @restrict float *y) {
    for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { y[i] += alpha * x[i]; }
}";

fn every_scalar_type(device: &Device) -> Outcome {
    let source = "@kernel void scalars(const char a, const unsigned char b, const short c, const unsigned short d, const int e,
            const unsigned int f, const long g, const unsigned long h, const float x, const bool t, long *out, float *real) {
        for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < 1; ++i; @inner) {
            out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = (long) h; out[8] = t;
            real[0] = x;
        } }
    }";
    let kernel = device.build_kernel_from_string(source, "scalars", "")?;
    let mut out = device.malloc_filled(9, 0i64)?;
    let mut real = device.malloc_filled(1, 0f32)?;
    kernel.launch(args![
        -5i8,
        250u8,
        -30_000i16,
        60_000u16,
        i32::MIN,
        u32::MAX,
        i64::MIN,
        u64::MAX,
        1.5f32,
        true,
        &mut out,
        &mut real
    ])?;
    let expected = [-5, 250, -30_000, 60_000, i64::from(i32::MIN), i64::from(u32::MAX), i64::MIN, -1, 1];
    check::same("integers", &out.to_vec()?, &expected)?;
    check::same("float", &real.to_vec()?, &[1.5])
}

fn scalars_convert_without_loss(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let x = device.malloc_filled(4, 1f32)?;
    let mut y = device.malloc_filled(4, 0f32)?;
    kernel.launch(args![4usize, 0.5f64, &x, &mut y])?;
    kernel.launch(args![4u64, 2i32, &x, &mut y])?;
    check::same("y", &y.to_vec()?, &[2.5; 4])
}

fn lossy_scalars_are_refused(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let x = device.malloc_filled(4, 1f32)?;
    let mut y = device.malloc_filled(4, 3f32)?;
    check::refused("2^40 as int", kernel.launch(args![1u64 << 40, 1f32, &x, &mut y]), &["axpy", "n", "1099511627776"])?;
    check::refused("0.1 as float", kernel.launch(args![4, 0.1f64, &x, &mut y]), &["alpha", "0.1"])?;
    check::refused("4.5 as int", kernel.launch(args![4.5f64, 1f32, &x, &mut y]), &["n", "4.5"])?;
    check::same("nothing ran", &y.to_vec()?, &[3.0; 4])
}

fn wrong_count(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    check::refused("too few", kernel.launch(args![4, 1f32]), &["axpy", "4", "2"])?;
    check::refused("too many", kernel.launch(args![1, 2, 3, 4, 5]), &["axpy", "4", "5"])
}

fn wrong_dtype(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let x = device.malloc_filled(4, 1f64)?;
    let mut y = device.malloc_filled(4, 3f32)?;
    check::refused(
        "f64 for float",
        kernel.launch(args![4, 1f32, &x, &mut y]),
        &["`x`", "memory of f32", "memory of f64"],
    )
}

fn const_for_mutable(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let x = device.malloc_filled(4, 1f32)?;
    let y = device.malloc_filled(4, 3f32)?;
    check::refused("& where the kernel writes", kernel.launch(args![4, 1f32, &x, &y]), &["`y`", "mut"])
}

fn restrict_overlap(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let memory = device.malloc_filled(10, 1f32)?;
    let (x, mut y) = (memory.slice(0..6)?, memory.slice(4..10)?);
    check::refused("overlap", kernel.launch(args![4, 1f32, &x, &mut y]), &["`x`", "`y`", "restrict"])?;
    let (x, mut y) = (memory.slice(0..5)?, memory.slice(5..10)?);
    kernel.launch(args![5, 1f32, &x, &mut y])?;
    check::same("neighbours", &memory.to_vec()?, &[1., 1., 1., 1., 1., 2., 2., 2., 2., 2.])
}

fn in_place_with_share(device: &Device) -> Outcome {
    let source = "@kernel void square(const int n, const float *x, float *y) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { y[i] = x[i] * x[i]; }
    }";
    let kernel = device.build_kernel_from_string(source, "square", "")?;
    let mut u = device.malloc_from(&[1f32, 2.0, 3.0])?;
    kernel.launch(args![3, &u.share(), &mut u])?;
    check::same("u", &u.to_vec()?, &[1.0, 4.0, 9.0])
}

/// A value of the group is read before any item writes, also where both arguments are one memory.
fn in_place_with_values_of_the_group(device: &Device) -> Outcome {
    let source = "@kernel void spread(const int groups, const int *x, int *y) {
        for (int o = 0; o < groups; ++o; @outer) {
            const int first = x[o];
            for (int i = 0; i < 256; ++i; @inner) { y[o + i * groups] = first + i + 1; }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "spread", "")?;
    let groups = 100;
    let start: Vec<i32> = (0..256 * groups).map(|k| k * 5 % 97).collect();
    let mut u = device.malloc_from(&start)?;
    kernel.launch(args![groups, &u.share(), &mut u])?;
    let expected: Vec<i32> = (0..256 * groups).map(|k| start[(k % groups) as usize] + k / groups + 1).collect();
    check::same("u", &u.to_vec()?, &expected)
}

fn slices_at_any_offset(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let host: Vec<f32> = (0..200).map(|i| i as f32).collect();
    for offset in [1, 2, 3, 17, 31] {
        let source = device.malloc_from(&host)?;
        let target = device.malloc_filled(200, 0f32)?;
        let mut y = target.slice(offset + 1..offset + 101)?;
        kernel.launch(args![100, 1f32, &source.slice(offset..offset + 100)?, &mut y])?;
        let mut expected = vec![0.0; 200];
        expected[offset + 1..offset + 101].copy_from_slice(&host[offset..offset + 100]);
        check::same("target", &target.to_vec()?, &expected)?;
    }
    Ok(())
}

fn scalar_for_memory(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let mut y = device.malloc_filled(4, 3f32)?;
    check::refused("a number for a pointer", kernel.launch(args![4, 1f32, 7, &mut y]), &["`x`", "memory of f32"])
}

fn memory_for_scalar(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let x = device.malloc_filled(4, 3f32)?;
    let mut y = device.malloc_filled(4, 3f32)?;
    check::refused("memory for a number", kernel.launch(args![&x, 1f32, &x, &mut y]), &["`n`", "int"])
}

fn zero_length_memory(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(AXPY, "axpy", "")?;
    let x = device.malloc::<f32>(0)?;
    let mut y = device.malloc::<f32>(0)?;
    kernel.launch(args![0, 1f32, &x, &mut y])?;
    device.finish()?;
    Ok(())
}

fn named_as_in_the_source(device: &Device) -> Outcome {
    // Names that are words of some target's language.
    let source = "@kernel void test(const int in, const float half, int *out) {
        for (int o = 0; o < 1; ++o; @outer) { for (int i = 0; i < 1; ++i; @inner) { out[0] = in + (int) half; } }
    }";
    let kernel = device.build_kernel_from_string(source, "test", "")?;
    let mut out = device.malloc_filled(1, 0i32)?;
    check::refused("a long for `in`", kernel.launch(args![1u64 << 40, 1f32, &mut out]), &["`in`"])?;
    check::refused("memory for `half`", kernel.launch(args![1, &out.share(), &mut out]), &["`half`"])?;
    kernel.launch(args![1, 2f32, &mut out])?;
    check::same("out", &out.to_vec()?, &[3])
}
