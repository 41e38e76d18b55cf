//! Accesses out of range that no launch can foresee do not happen, and are reported: by the launch, or by whoever waits.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Kernel, Memory, Result, args};

cases!["checks";
    reads_by_index, writes_by_index, updates_by_index, wide_indices, ranges_at_the_end_of_64_bits: I64, runs_by_index,
    arrays_by_index, functions_by_index, rows_by_index,
    faults_name_the_item,
    memory_that_is_never_read, replayed_graphs, waits_report_once, indices_are_right, launches_that_cannot_be_proven,
    all_nests_or_none, sums_that_leave_their_type, sums_that_leave_64_bits: I64, sums_of_a_region, floats_that_fit_no_integer,
    items_at_the_end_of_their_type, indices_that_somebody_vouches_for, no_fault_hides_another,
];

/// A device of the case's own: others wait for theirs meanwhile, and would be told.
fn own(device: &Device) -> Result<Device> {
    Device::open(device.props().clone())
}

/// What a launch and a wait behind it say.
fn waited(device: &Device, launched: Result<()>) -> Result<()> {
    launched.and_then(|()| device.finish())
}

fn gather(device: &Device) -> Result<Kernel> {
    let source = "@kernel void gather(const int n, const int *idx, const double *from, double *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            to[i] = from[idx[i]];
        }
    }";
    device.build_kernel_from_string(source, "gather", "")
}

fn reads_by_index(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let from = device.malloc_from(&(0..40).map(f64::from).collect::<Vec<_>>())?;
    let mut to = device.malloc_filled(4, -1.0)?;
    for bad in [30, -1, 1_000_000, i32::MAX, i32::MIN] {
        let idx = device.malloc_from(&[3, 29, bad, 7])?;
        let launched = kernel.launch(args![4, &idx, &from.slice(0..30)?, &mut to]);
        check::refused("a read out of range", waited(&device, launched), &[&bad.to_string(), "`from`", "30 elements"])?;
    }
    let idx = device.malloc_from(&[3, 29, 0, 7])?;
    let launched = kernel.launch(args![4, &idx, &from.slice(0..30)?, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[3.0, 29.0, 0.0, 7.0])
}

fn faults_name_the_item(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "float get(const float *from, const int k) { return from[k]; }
    @kernel void pick(const int *idx, const float *from, float *to) {
        for (int y = 2; y < 6; y += 2; @outer) {
            for (int x = 0; x < 3; ++x; @outer) {
                for (int j = 7; j > 3; --j; @inner) {
                    for (int i = 0; i < 4; ++i; @inner) {
                        const int n = ((y / 2 - 1) * 3 + x) * 16 + (7 - j) * 4 + i;
                        to[n] = READ;
                    }
                }
            }
        }
    }";
    let from = device.malloc_filled(10, 1.0f32)?;
    let mut to = device.malloc_filled(96, 0.0f32)?;
    for read in ["from[idx[n]]", "get(from, idx[n])"] {
        let kernel = device.build_kernel_from_string(&source.replace("READ", read), "pick", "")?;
        let mut indices = [3; 96];
        // y = 4, x = 2; j = 5, i = 3
        indices[(3 + 2) * 16 + 2 * 4 + 3] = 10;
        let idx = device.malloc_from(&indices)?;
        let launched = kernel.launch(args![&idx, &from, &mut to]);
        check::refused(read, waited(&device, launched), &["group [2, 1, 0], item [3, 2, 0]", "10 elements"])?;
    }
    Ok(())
}

fn writes_by_index(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void scatter(const int n, const int *idx, int *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            to[idx[i]] = i + 1;
        }
    }";
    let kernel = device.build_kernel_from_string(source, "scatter", "")?;
    let all = device.malloc_filled(100, 7)?;
    let mut part = all.slice(40..60)?;
    for bad in [20, -1, 59, -40, 100_000] {
        let idx = device.malloc_from(&[bad])?;
        let launched = kernel.launch(args![1, &idx, &mut part]);
        check::refused("a write", waited(&device, launched), &[&bad.to_string(), "`to`", "20 elements"])?;
    }
    check::same("nothing was written", &all.to_vec()?, &[7; 100])?;
    let idx = device.malloc_from(&[19, 0, 5])?;
    let launched = kernel.launch(args![3, &idx, &mut part]);
    waited(&device, launched)?;
    let part = part.to_vec()?;
    check::same("in range", &[part[19], part[0], part[5], part[1]], &[1, 2, 3, 7])
}

/// To C's compilers a sum that leaves its type has no meaning: they may drop the condition that keeps an index in range.
fn sums_that_leave_their_type(device: &Device) -> Outcome {
    let device = own(device)?;
    let all = device.malloc_filled(30, 7)?;
    let mut part = all.slice(10..20)?;
    let (least, stops) = (i32::MIN, device.capabilities().stops_at_faults);
    for (index, condition, number, is_reported) in [
        ("k + 5", "k >= 0", i32::MAX, false),
        ("k - 5", "k < 0", least, false),
        ("(k + 3) * 2", "k > 1000", 1 << 30, false),
        ("-k", "k < 0", least, false),
        ("k * k", "k > 0", 50_000, false),
        ("1 << k", "k > 31", 63, false),
        ("abs(k)", "true", least, true),
    ] {
        let above = if is_reported { "" } else { "j >= 0 && " };
        let source = format!(
            "@kernel void guarded(const int n, const int m, const int *number, int *to) {{
                for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {{
                    const int k = number[i];
                    if ({condition}) {{
                        const int j = {index};
                        if ({above}j < m) to[j] = 8 | j;
                    }}
                }}
            }}"
        );
        let kernel = device.build_kernel_from_string(&source, "guarded", "")?;
        let numbers = device.malloc_from(&[number])?;
        let launched = waited(&device, kernel.launch(args![1, 10, &numbers, &mut part]));
        match is_reported {
            _ if stops => check::refused(index, launched, &[])?,
            true => check::refused(index, launched, &["`to`", "10 elements"])?,
            false => launched?,
        }
        check::same(index, &all.to_vec()?, &[7; 30])?;
    }
    Ok(())
}

/// A float that no integer is near has no sign for compilers.
fn floats_that_fit_no_integer(device: &Device) -> Outcome {
    let device = own(device)?;
    let all = device.malloc_filled(30, 7)?;
    let mut part = all.slice(10..20)?;
    let source = "@kernel void truncated(const int n, const int m, const float *number, int *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const int j = (int)fabs(number[i]);
            if (j >= 0 && j < m) to[j] = 8 | j;
        }
    }";
    let kernel = device.build_kernel_from_string(source, "truncated", "")?;
    for number in [1e30f32, -1e30, f32::INFINITY] {
        let launched = kernel.launch(args![1, 10, &device.malloc_from(&[number])?, &mut part]);
        match waited(&device, launched) {
            launched if device.capabilities().stops_at_faults => check::refused("truncated", launched, &[])?,
            launched => launched?,
        }
        check::same("truncated", &all.to_vec()?, &[7; 30])?;
    }
    Ok(())
}

fn items_at_the_end_of_their_type(device: &Device) -> Outcome {
    let device = own(device)?;
    let all = device.malloc_filled(30, 7)?;
    let mut part = all.slice(10..20)?;
    let source = "@kernel void rows(const int n, const int m, const int *first, int *to) {
        for (int row = 0; row < n; ++row; @outer) {
            const int start = first[row];
            for (int j = start; j < start + 8; j += 2; @inner) {
                if (start >= 0 && j >= 0 && j < m) to[j] = 8 | j;
            }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "rows", "")?;
    let launched = kernel.launch(args![2, 10, &device.malloc_from(&[6, 100])?, &mut part]);
    waited(&device, launched)?;
    let mut expected = [7; 30];
    (expected[16], expected[18]) = (8 | 6, 8);
    check::same("rows", &all.to_vec()?, &expected)?;
    let launched = kernel.launch(args![1, 10, &device.malloc_from(&[i32::MAX - 1])?, &mut part]);
    match waited(&device, launched) {
        launched if device.capabilities().stops_at_faults => check::refused("rows", launched, &[])?,
        launched => launched?,
    }
    check::same("rows at the end", &all.to_vec()?, &expected)
}

fn sums_that_leave_64_bits(device: &Device) -> Outcome {
    let device = own(device)?;
    let expected: &[&str] = if device.capabilities().stops_at_faults { &[] } else { &["`to`", "10 elements"] };
    let numbers = device.malloc_from(&[i64::MAX, (1 << 62) + 1])?;
    let mut to = device.malloc_filled(10, 7i8)?;
    let item = "@kernel void guarded(const int n, const long m, const long *number, char *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            const long k = number[i];
            if (k >= 0) {
                const long j = k + 4611686018427387904L;
                if (j < m) to[j] = 8;
            }
        }
    }";
    let group = "@kernel void guarded(const int n, const long m, const long *number, char *to) {
        for (int o = 0; o < n; ++o; @outer) {
            const long k = number[o + 1];
            for (int i = 0; i < 8; ++i; @inner) to[2 * k + i] = 8;
        }
    }";
    for source in [item, group] {
        let kernel = device.build_kernel_from_string(source, "guarded", "")?;
        let launched = kernel.launch(args![1, 10i64, &numbers, &mut to]);
        check::refused(source, waited(&device, launched), expected)?;
        check::same(source, &to.to_vec()?, &[7; 10])?;
    }
    Ok(())
}

/// The items of a group lie side by side, and their first number is no index, by far or because it wraps.
fn sums_of_a_region(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void rows(const int n, const int *row, const int *from, int *to) {
        for (int o = 0; o < n; ++o; @outer) {
            const int k = row[o];
            for (int i = 0; i < 8; ++i; @inner) {
                const int id = k * 8 + i;
                to[id] = from[id] + 1;
            }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "rows", "")?;
    let from = device.malloc_from(&(0..32).collect::<Vec<i32>>())?;
    let all = device.malloc_filled(64, 7)?;
    let mut part = all.slice(16..48)?;
    let expected: Vec<i32> = (0..64).map(|i| if (24..40).contains(&i) { i - 15 } else { 7 }).collect();
    waited(&device, kernel.launch(args![2, &device.malloc_from(&[2, 1])?, &from, &mut part]))?;
    check::same("two rows", &all.to_vec()?, &expected)?;
    for number in [4, -1, i32::MAX, i32::MIN + 1, 1 << 28] {
        let launched = waited(&device, kernel.launch(args![1, &device.malloc_from(&[number])?, &from, &mut part]));
        // Some of these numbers are multiples of 2³² once they are multiplied: elements that are there.
        match number.wrapping_mul(8) {
            0 | 8 | -8 if launched.is_ok() => {}
            _ => check::refused(&format!("row {number}"), launched, &[])?,
        }
        let there = all.to_vec()?;
        check::same("before", &there[..16], &[7; 16])?;
        check::same("behind", &there[48..], &[7; 16])?;
    }
    Ok(())
}

fn updates_by_index(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void histogram(const int n, const int *bin, int *count) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            @atomic count[bin[i]] += 1;
        }
    }";
    let kernel = device.build_kernel_from_string(source, "histogram", "")?;
    let all = device.malloc_filled(12, 0)?;
    let mut count = all.slice(4..8)?;
    let bins = device.malloc_from(&[0, 3, 3, 4, -1, 1])?;
    let launched = kernel.launch(args![6, &bins, &mut count]);
    check::refused("a bin too many", waited(&device, launched), &["`count`", "4 elements"])?;
    if !device.capabilities().stops_at_faults {
        check::same("what was in range was counted", &all.to_vec()?, &[0, 0, 0, 0, 1, 1, 0, 2, 0, 0, 0, 0])?;
    }
    Ok(())
}

fn wide_indices(device: &Device) -> Outcome {
    if !device.capabilities().i64 {
        return Ok(());
    }
    let device = own(device)?;
    let source = "@kernel void wide(const long *idx, const unsigned long *at, const int *from, int *to) {
        for (int i = 0; i < 2; ++i; @tile(16, @outer, @inner)) {
            to[i] = from[idx[i]] + from[at[i]];
        }
    }";
    let kernel = device.build_kernel_from_string(source, "wide", "")?;
    let from = device.malloc_from(&[10, 20, 30])?;
    let mut to = device.malloc_filled(2, 0)?;
    let (good, at) = (device.malloc_from(&[2i64, 0])?, device.malloc_from(&[1u64, 2])?);
    let launched = kernel.launch(args![&good, &at, &from, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[50, 40])?;
    for bad in [1i64 << 32, (1 << 32) + 1, -(1 << 40)] {
        let idx = device.malloc_from(&[0, bad])?;
        let launched = kernel.launch(args![&idx, &at, &from, &mut to]);
        check::refused("64 bits", waited(&device, launched), &[&bad.to_string(), "`from`", "3 elements"])?;
    }
    for bad in [i64::MIN, i64::MAX] {
        let launched = kernel.launch(args![&device.malloc_from(&[0, bad])?, &at, &from, &mut to]);
        check::refused("an end of the type", waited(&device, launched), &["from"])?;
    }
    let far = device.malloc_from(&[1u64 << 63, 0])?;
    let launched = kernel.launch(args![&good, &far, &from, &mut to]);
    check::refused("an unsigned index", waited(&device, launched), &["from"])
}

/// Of these ranges the first element is below the largest number, and the last one is the smallest.
fn ranges_at_the_end_of_64_bits(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void rows(const long *off, const int *from, int *to) {
        for (int row = 0; row < 2; ++row; @outer) {
            for (int i = 0; i < 16; ++i; @inner) {
                const long begin = off[row];
                to[16 * row + i] = from[begin + i];
            }
        }
    }
    @kernel void runs(const long *off, const int *from, int *to) {
        for (int row = 0; row < 2; ++row; @outer) {
            for (int once = 0; once < 1; ++once; @inner) {
                const long begin = off[row];
                for (int i = 0; i < 16; ++i) { to[16 * row + i] = from[begin + i]; }
            }
        }
    }";
    let from = device.malloc_from(&(0..40).collect::<Vec<i32>>())?;
    let mut to = device.malloc_filled(32, 0)?;
    for name in ["rows", "runs"] {
        let kernel = device.build_kernel_from_string(source, name, "")?;
        for bad in [25, -1, i64::MAX - 7, i64::MAX - 14, i64::MAX, i64::MIN, i64::MIN + 3] {
            let off = device.malloc_from(&[20, bad])?;
            let launched = kernel.launch(args![&off, &from, &mut to]);
            // The interpreter says that the sum leaves its type.
            check::refused(name, waited(&device, launched), &["from"])?;
        }
        let launched = kernel.launch(args![&device.malloc_from(&[24i64, 0])?, &from, &mut to]);
        waited(&device, launched)?;
        check::same(name, &to.to_vec()?, &(24..40).chain(0..16).collect::<Vec<i32>>())?;
    }
    Ok(())
}

/// Loops whose place and length memory tells.
fn runs_by_index(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void runs(const int n, const int *begins, const int *ends, const int *places, const float *from, float *to) {
        for (int run = 0; run < n; ++run; @outer) {
            for (int once = 0; once < 1; ++once; @inner) {
                const int begin = begins[run];
                const int end = ends[run];
                const int place = places[run] - begin;
                for (int k = begin; k < end; ++k) { to[place + k] = from[k]; }
            }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "runs", "")?;
    let from = device.malloc_from(&(0..100).map(|i| i as f32).collect::<Vec<_>>())?;
    let mut to = device.malloc_filled(100, -1.0_f32)?;
    let run = |to: &mut Memory<f32>, [begin, end, place]: [i32; 3]| {
        let [begins, ends, places] = [begin, end, place].map(|number| device.malloc_from(&[number]));
        let launched = kernel.launch(args![1, &begins?, &ends?, &places?, &from, to]);
        waited(&device, launched)
    };
    let outside = [([10, 60, 51], "`to`"), ([10, 60, -1], "`to`"), ([90, 101, 0], "`from`"), ([-3, 5, 20], "`from`")];
    let far = [([0, 40, i32::MAX - 5], "`to`"), ([0, 40, i32::MIN], "`to`"), ([i32::MAX - 9, i32::MAX, 0], "`from`")];
    for (bad, name) in outside.into_iter().chain(far) {
        check::refused("a run", run(&mut to, bad), &[name, "100 elements"])?;
    }
    to.fill(-1.0)?;
    for [begin, end, place] in [[50, 90, 0], [7, 7, 1_000_000], [9, -9, -5], [99, 100, 50]] {
        run(&mut to, [begin, end, place])?;
    }
    let expected = (0..100).map(|i| match i {
        0..40 => i as f32 + 50.0,
        50 => 99.0,
        _ => -1.0,
    });
    check::same("to", &to.to_vec()?, &expected.collect::<Vec<_>>())
}

fn arrays_by_index(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "struct Cell { int k; int v[3]; };
    @kernel void arrays(const int *idx, struct Cell *cells, int *to) {
        for (int o = 0; o < 1; ++o; @outer) {
            @shared int s[8];
            for (int i = 0; i < 8; ++i; @inner) { s[i] = 10 * i; }
            for (int i = 0; i < 1; ++i; @inner) {
                int mine[2][2] = {{1, 2}, {3, 4}};
                mine[0][idx[1]] += 100;
                cells[idx[2]].v[idx[3]] = 5;
                to[0] = s[idx[0]] + mine[1][1];
            }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "arrays", "")?;
    ferrocca_core::kernel_struct! { struct Cell { k: i32, v: [i32; 3] } }
    let mut cells = device.malloc_from(&[Cell { k: 1, v: [0; 3] }, Cell { k: 2, v: [0; 3] }])?;
    let mut to = device.malloc_filled(1, 0)?;
    let bad = [([8, 1, 0, 0], "`s`", "8"), ([-1, 1, 0, 0], "`s`", "8"), ([0, 4, 0, 0], "`mine`", "4")];
    for (indices, name, number) in bad.into_iter().chain([([0, 1, 2, 0], "`cells`", "2"), ([0, 1, 1, 3], "cells", "3")])
    {
        let idx = device.malloc_from(&indices)?;
        let launched = kernel.launch(args![&idx, &mut cells, &mut to]);
        check::refused("an array", waited(&device, launched), &[name, number])?;
    }
    cells.fill(Cell { k: 1, v: [0; 3] })?;
    let idx = device.malloc_from(&[7, 1, 1, 2])?;
    let launched = kernel.launch(args![&idx, &mut cells, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[74])?;
    let cells = cells.to_vec()?;
    check::same("cells", &[cells[0].v, cells[1].v], &[[0; 3], [0, 0, 5]])
}

fn functions_by_index(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "double pick(const double *x, const int *at, const int k) { return x[at[k]]; }
    double through(const double *x, const int *at) { return pick(x + 1, at, 0) + pick(x, at + 1, 0); }
    void put(double *x, const int at, const double value) { x[at] = value; }
    @kernel void functions(const int *idx, const double *from, double *to) {
        for (int o = 0; o < 1; ++o; @outer) {
            @shared double s[4];
            for (int i = 0; i < 4; ++i; @inner) { s[i] = i; }
            for (int i = 0; i < 1; ++i; @inner) {
                put(to + idx[2], idx[3], through(from + 1, idx) + pick(s, idx, 1));
            }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "functions", "")?;
    let all = device.malloc_from(&(0..20).map(f64::from).collect::<Vec<_>>())?;
    let mut to = device.malloc_filled(4, 0.0)?;
    let from = all.slice(5..10)?;
    // from = 5 … 9: `through` reads from[1 + 1 + idx[0]] and from[1 + idx[1]].
    let launched = kernel.launch(args![&device.malloc_from(&[-2, 3, 3, -2])?, &from, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[0.0, 5.0 + 9.0 + 3.0, 0.0, 0.0])?;
    let bad = [([-3, 3, 0, 0], "5 elements"), ([3, 3, 0, 0], "5 elements"), ([0, 4, 0, 0], "elements")];
    for (indices, elements) in bad.into_iter().chain([([0, 0, 4, 0], "4 elements"), ([0, 0, 1, -2], "4 elements")]) {
        let launched = kernel.launch(args![&device.malloc_from(&indices)?, &from, &mut to]);
        check::refused("in a function", waited(&device, launched), &[elements])?;
    }
    check::same("all", &all.to_vec()?[..6], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
}

fn rows_by_index(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void rows(const int *idx, const int m[][4], int *to) {
        for (int i = 0; i < 2; ++i; @tile(16, @outer, @inner)) { to[i] = m[idx[i]][3]; }
    }";
    let kernel = device.build_kernel_from_string(source, "rows", "")?;
    let matrix = device.malloc_from(&(0..12).collect::<Vec<i32>>())?;
    let mut to = device.malloc_filled(2, 0)?;
    let launched = kernel.launch(args![&device.malloc_from(&[2, 0])?, &matrix, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[11, 3])?;
    let launched = kernel.launch(args![&device.malloc_from(&[2, 3])?, &matrix, &mut to]);
    check::refused("a row too many", waited(&device, launched), &["15", "`m`", "12 elements"])
}

/// Null is no error where no item reads it.
fn memory_that_is_never_read(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void perhaps(const int n, const int *idx, const double *from, double *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            if (idx[i] >= 0) { to[i] = from[idx[i]]; } else { to[i] = 1; }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "perhaps", "")?;
    let none: Option<&Memory<f64>> = None;
    let mut to = device.malloc_filled(2, 0.0)?;
    let launched = kernel.launch(args![2, &device.malloc_from(&[-1, -2])?, none, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[1.0, 1.0])?;
    let launched = kernel.launch(args![2, &device.malloc_from(&[-1, 0])?, none, &mut to]);
    check::refused("null", waited(&device, launched), &["`from`", "null"])?;
    let empty = device.malloc::<f64>(0)?;
    let launched = kernel.launch(args![2, &device.malloc_from(&[-1, 5])?, &empty, &mut to]);
    check::refused("empty", waited(&device, launched), &["`from`"])
}

fn replayed_graphs(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let from = device.malloc_filled(10, 2.0)?;
    let mut to = device.malloc_filled(3, 0.0)?;
    let mut idx = device.malloc_from(&[1, 2, 3])?;
    let mut graph = device.record(|r| r.launch(&kernel, args![3, &idx, &from, &mut to]).map(drop))?;
    graph.replay(2)?;
    device.finish()?;
    idx.copy_from(&[1, 10, 3])?;
    let replayed = graph.replay(2);
    check::refused("a replay", waited(&device, replayed), &["10", "`from`", "10 elements"])?;
    idx.copy_from(&[4, 5, 6])?;
    graph.replay(1)?;
    device.finish()?;
    check::same("to", &to.to_vec()?, &[2.0; 3])
}

/// Each way to wait tells of a fault, and nobody is told twice.
fn waits_report_once(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let from = device.malloc_filled(10, 2.0)?;
    let idx = device.malloc_from(&[99])?;
    let mut to = device.malloc_filled(1, 0.0)?;
    let parts = ["99", "`from`", "10 elements"];
    let stream = device.stream();
    let launched = kernel.launch(args![1, &idx, &from, &mut to]);
    check::refused("a stream's end", launched.and_then(|()| stream.finish()), &parts)?;
    let launched = kernel.launch(args![1, &idx, &from, &mut to]);
    check::refused("a tag", launched.and_then(|()| stream.tag()?.wait()), &parts)?;
    let launched = kernel.launch(args![1, &idx, &from, &mut to]);
    check::refused("a copy to the host", launched.and_then(|()| to.to_vec().map(drop)), &parts)?;
    stream.finish()?;
    device.finish()?;
    to.to_vec()?;
    Ok(())
}

/// What is checked gives what it gave without.
fn indices_are_right(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let n = 10_000;
    let from: Vec<f64> = (0..n).map(|i| f64::from(i) * 0.5).collect();
    let idx: Vec<i32> = (0..n).map(|i| i * 7919 % n).collect();
    let mut to = device.malloc_filled(n as usize, 0.0)?;
    kernel.launch(args![n, &device.malloc_from(&idx)?, &device.malloc_from(&from)?, &mut to])?;
    device.finish()?;
    let expected: Vec<f64> = idx.iter().map(|&i| from[i as usize]).collect();
    check::same("to", &to.to_vec()?, &expected)
}

/// What a proof cannot follow runs with checks, and is right where it is right.
fn launches_that_cannot_be_proven(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void pairs(const int n, const int *from, int *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { to[i] = from[i ^ 1]; }
    }";
    let kernel = device.build_kernel_from_string(source, "pairs", "")?;
    let from = device.malloc_from(&[1, 2, 3, 4, 5, 6])?;
    let mut to = device.malloc_filled(6, 0)?;
    let launched = kernel.launch(args![6, &from, &mut to]);
    waited(&device, launched)?;
    check::same("to", &to.to_vec()?, &[2, 1, 4, 3, 6, 5])?;
    let short = from.slice(0..5)?;
    let launched = kernel.launch(args![5, &short, &mut to]);
    check::refused("the last of five", waited(&device, launched), &["5", "`from`", "5 elements"])?;
    let mut graph = device.record(|r| r.launch(&kernel, args![6, &from, &mut to]).map(drop))?;
    to.fill(0)?;
    graph.replay(1)?;
    device.finish()?;
    check::same("replayed", &to.to_vec()?, &[2, 1, 4, 3, 6, 5])?;
    let mut graph = device.record(|r| r.launch(&kernel, args![5, &short, &mut to]).map(drop))?;
    let replayed = graph.replay(1);
    check::refused("a replay", waited(&device, replayed), &["5", "`from`", "5 elements"])
}

fn all_nests_or_none(device: &Device) -> Outcome {
    let source = "@kernel void two(const int n, const int m, int *a, int *b) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] = 1; }
        for (int i = 0; i < m; ++i; @tile(16, @outer, @inner)) { b[i] = 2; }
    }";
    let kernel = device.build_kernel_from_string(source, "two", "")?;
    let (mut a, mut b) = (device.malloc_filled(4, 0)?, device.malloc_filled(4, 0)?);
    check::refused("the second nest", kernel.launch(args![4, 5, &mut a, &mut b]), &["element 4", "`b`"])?;
    check::same("the first one has not run", &a.to_vec()?, &[0; 4])?;
    kernel.launch(args![4, 4, &mut a, &mut b])?;
    check::same("a and b", &[a.to_vec()?, b.to_vec()?].concat(), &[1, 1, 1, 1, 2, 2, 2, 2])
}

fn indices_that_somebody_vouches_for(device: &Device) -> Outcome {
    let kernel = gather(device)?;
    // SAFETY: the indices below are within their memory.
    let unchecked = unsafe { kernel.assume_in_bounds()? };
    check::that(unchecked.signature().checked.is_empty(), "no place is checked")?;
    let from = device.malloc_from(&[1.0, 2.0, 3.0])?;
    let mut to = device.malloc_filled(3, 0.0)?;
    unchecked.launch(args![3, &device.malloc_from(&[2, 1, 0])?, &from, &mut to])?;
    check::same("to", &to.to_vec()?, &[3.0, 2.0, 1.0])?;
    let again = device.build_kernel_from_string(
        "@kernel void k(const int *idx, int *to) {
            for (int i = 0; i < 2; ++i; @tile(16, @outer, @inner)) { to[idx[i]] = i; }
        }",
        "k",
        "checks='none'",
    )?;
    check::that(again.signature().checked.is_empty(), "no place is checked")?;
    check::refused(
        "a property",
        device.build_kernel_from_string("@kernel void k() {}", "k", "checks='some'"),
        &["checks", "'unproven', 'all' or 'none'"],
    )
}

fn no_fault_hides_another(device: &Device) -> Outcome {
    let device = own(device)?;
    let source = "@kernel void first(const int *idx, int *to) {
        for (int i = 0; i < 1; ++i; @tile(16, @outer, @inner)) { to[idx[i]] = i; }
    }
    @kernel void second(const int *idx, int *to) {
        for (int i = 0; i < 1; ++i; @tile(16, @outer, @inner)) { to[idx[i]] = i; }
    }";
    let idx = device.malloc_from(&[7])?;
    let mut to = device.malloc_filled(2, 0)?;
    let mut told = Vec::new();
    for name in ["first", "second"] {
        let kernel = device.build_kernel_from_string(source, name, "")?;
        told.extend(kernel.launch(args![&idx, &mut to]).err());
    }
    (0..3).for_each(|_| told.extend(device.finish().err()));
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    check::equal("errors", told.len(), 2)?;
    check::that(["first", "second"].iter().all(|name| told.iter().any(|text| text.contains(name))), "each is named")
}
