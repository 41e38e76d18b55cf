//! Launches whose accesses would leave their memory for certain are refused before anything runs.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Memory, args};

cases!["bounds";
    memory_that_is_too_short, null_that_is_read, nothing_to_do_needs_no_memory, guards_count, slices_have_their_own_length,
    arrays_have_bounds, sizes_of_the_host_part, recorded_launches, rows_of_memory,
];

const SHIFT: &str = "@kernel void shift(const int n, const int by, const double *from, double *to) {
    for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) {
        to[i] = from[i + by];
    }
}";

fn memory_that_is_too_short(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(SHIFT, "shift", "")?;
    let from = device.malloc_from(&[1.0, 2.0, 3.0, 4.0])?;
    let mut to = device.malloc_filled(4, 0.0)?;
    kernel.launch(args![3, 1, &from, &mut to])?;
    kernel.launch(args![4, 0, &from, &mut to])?;
    let needles = ["shift", "element 4", "`from`", "4 elements", ":3"];
    check::refused("one element further", kernel.launch(args![4, 1, &from, &mut to]), &needles)?;
    check::refused("one element before", kernel.launch(args![4, -1, &from, &mut to]), &["element -1", "`from`"])?;
    check::refused("too short", kernel.launch(args![5, -1, &from, &mut to]), &["shift", "element"])?;
    kernel.launch(args![4, 0, &from, &mut to])?;
    check::same("to", &to.to_vec()?, &[1.0, 2.0, 3.0, 4.0])
}

fn null_that_is_read(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(SHIFT, "shift", "")?;
    let mut to = device.malloc_filled(4, 7.0)?;
    let none: Option<&Memory<f64>> = None;
    check::refused("null", kernel.launch(args![4, 0, none, &mut to]), &["`from`", "null"])?;
    check::same("to", &to.to_vec()?, &[7.0; 4])
}

fn nothing_to_do_needs_no_memory(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(SHIFT, "shift", "")?;
    let (from, mut to) = (device.malloc::<f64>(0)?, device.malloc::<f64>(0)?);
    kernel.launch(args![0, 100, &from, &mut to])?;
    kernel.launch(args![-5, 100, &from, &mut to])?;
    Ok(())
}

fn guards_count(device: &Device) -> Outcome {
    let source = "@kernel void inner(const int n, const int *from, int *to) {
        for (int o = 0; o < n; o += 32; @outer) { for (int i = o; i < o + 32; ++i; @inner) {
            if (i > 0 && i < n - 1) { to[i] = from[i - 1] + from[i + 1]; }
        } }
    }";
    let kernel = device.build_kernel_from_string(source, "inner", "")?;
    let from = device.malloc_filled(40, 2)?;
    let mut to = device.malloc_filled(39, 0)?;
    kernel.launch(args![40, &from, &mut to])?;
    check::same("to", &to.to_vec()?, &[&[0][..], &[4; 38]].concat())?;
    let short = from.slice(0..39)?;
    check::refused("one point too many", kernel.launch(args![40, &short, &mut to]), &["element 39", "`from`"])
}

fn slices_have_their_own_length(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(SHIFT, "shift", "")?;
    let all = device.malloc_filled(100, 3.0)?;
    let mut to = device.malloc_filled(50, 0.0)?;
    kernel.launch(args![50, 0, &all.slice(50..100)?, &mut to])?;
    let needles = ["element 49", "49 elements"];
    check::refused("a shorter slice", kernel.launch(args![50, 0, &all.slice(50..99)?, &mut to]), &needles)
}

fn arrays_have_bounds(device: &Device) -> Outcome {
    let source = "@kernel void reverse(const int n, const int *from, int *to) {
        for (int o = 0; o < 1; ++o; @outer) {
            @shared int s[64];
            for (int i = 0; i < n; ++i; @inner) { s[i] = from[i]; }
            for (int i = 0; i < n; ++i; @inner) { to[i] = s[n - 1 - i]; }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "reverse", "")?;
    let from = device.malloc_from(&(0..100).collect::<Vec<i32>>())?;
    let mut to = device.malloc_filled(100, -1)?;
    kernel.launch(args![64, &from, &mut to])?;
    check::same("to", &to.to_vec()?[..3], &[63, 62, 61])?;
    check::refused("100 in an array of 64", kernel.launch(args![100, &from, &mut to]), &["`s`", "64 elements"])
}

fn sizes_of_the_host_part(device: &Device) -> Outcome {
    let source = "@kernel void halves(const int n, int *a) {
        int m = n;
        while (m > 1) {
            m = m / 2;
            for (int i = 0; i < m; ++i; @tile(16, @outer, @inner)) { a[i] += a[m + i]; }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "halves", "")?;
    let mut a = device.malloc_filled(64, 1)?;
    kernel.launch(args![64, &mut a])?;
    check::same("sum", &a.to_vec()?[..1], &[64])?;
    check::refused("128 of 64", kernel.launch(args![128, &mut a]), &["`a`", "64 elements"])
}

fn recorded_launches(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(SHIFT, "shift", "")?;
    let from = device.malloc_from(&[1.0, 2.0, 3.0, 4.0])?;
    let mut to = device.malloc_filled(2, 0.0)?;
    let refused = device.record(|r| r.launch(&kernel, args![2, 3, &from, &mut to]).map(drop));
    check::refused("recorded", refused.map(drop), &["shift", "element 4", "`from`"])?;
    let mut graph = device.record(|r| r.launch(&kernel, args![2, 0, &from, &mut to]).map(drop))?;
    check::refused("replaced", graph.set_argument(0, "by", 3), &["shift", "element 4", "`from`"])?;
    graph.replay(1)?;
    check::same("as recorded", &to.to_vec()?, &[1.0, 2.0])?;
    graph.set_argument(0, "by", 2)?;
    graph.replay(1)?;
    check::same("replaced", &to.to_vec()?, &[3.0, 4.0])
}

fn rows_of_memory(device: &Device) -> Outcome {
    let source = "@kernel void rows(const int n, const double m[][4], double *sums) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            double sum = 0;
            for (int j = 0; j < 4; ++j) { sum += m[i][j]; }
            sums[i] = sum;
        }
    }";
    let kernel = device.build_kernel_from_string(source, "rows", "")?;
    let matrix = device.malloc_filled(12, 2.0)?;
    let mut sums = device.malloc_filled(4, 0.0)?;
    kernel.launch(args![3, &matrix, &mut sums])?;
    check::same("sums", &sums.to_vec()?, &[8.0, 8.0, 8.0, 0.0])?;
    check::refused("a fourth row", kernel.launch(args![4, &matrix, &mut sums]), &["element 15", "`m`", "12 elements"])
}
