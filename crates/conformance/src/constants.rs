//! Constant memory: what launches prove by its contents, and that nobody writes it.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Arg, Device, Kernel, Memory, Result, args};

cases!["constants";
    gathers_are_proven, rows_are_proven, indices_out_of_range_are_found, casts_are_no_indices, writes_are_refused,
    recorded_writes_are_refused, graphs_of_gathers,
];

/// A device of the case's own: others wait for theirs meanwhile, and would be told of faults.
fn own(device: &Device) -> Result<Device> {
    Device::open(device.props().clone())
}

fn gather(device: &Device) -> Result<Kernel> {
    let source = "@kernel void gather(const int n, const int *idx, const float *from, float *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            to[i] = from[idx[i]];
        }
    }";
    device.build_kernel_from_string(source, "gather", "")
}

/// Whether a launch checks accesses when it runs, or does on every device: what checks all that kernels do has no other way.
fn is_checked<'a>(device: &Device, kernel: &Kernel, arguments: impl AsRef<[Arg<'a>]>, expected: bool) -> Outcome {
    let is_checked = kernel.is_checked(arguments)?;
    check::equal("checked", is_checked, expected && !device.capabilities().stops_at_faults)
}

fn gathers_are_proven(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let from = device.malloc_from(&(0..40).map(|i| i as f32).collect::<Vec<_>>())?;
    let mut to = device.malloc_filled(4, -1.0f32)?;
    let (constant, variable) =
        (device.malloc_constant_from(&[3, 39, 0, 7, 1])?, device.malloc_from(&[3, 39, 0, 7, 1])?);
    check::that(constant.is_constant() && !variable.is_constant(), "one of them is constant")?;
    check::equal("contents", constant.untyped().contents(), Some(0..=39))?;
    let expected = [3.0, 39.0, 0.0, 7.0];
    for (idx, is_known) in [(&constant, true), (&variable, false), (&constant, true)] {
        is_checked(&device, &kernel, args![4, idx, &from, &mut to], !is_known)?;
        to.fill(-1.0)?;
        kernel.launch(args![4, idx, &from, &mut to])?;
        check::same("to", &to.to_vec()?, &expected)?;
    }
    // Any part of it, another handle of it, and memory that holds as much as its greatest element asks for.
    let part = constant.slice(2..)?;
    for (idx, first) in [(part, 0.0), (constant.share(), 3.0)] {
        is_checked(&device, &kernel, args![3, &idx, &from, &mut to], false)?;
        kernel.launch(args![3, &idx, &from, &mut to])?;
        check::equal("the first", to.to_vec()?[0], first)?;
    }
    is_checked(&device, &kernel, args![4, &constant, &from.slice(..39)?, &mut to], true)?;
    is_checked(&device, &kernel, args![4, &constant.duplicate()?, &from, &mut to], true)
}

fn rows_are_proven(device: &Device) -> Outcome {
    let device = own(device)?;
    let source =
        "@kernel void product(const int n, const int *first, const int *columns, const float *a, const float *x,
                                       float *y) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) {
            float sum = 0;
            for (int j = first[i]; j < first[i + 1]; ++j) { sum += a[j] * x[columns[j]]; }
            y[i] = sum;
        }
    }";
    let kernel = device.build_kernel_from_string(source, "product", "")?;
    let first = device.malloc_constant_from(&[0, 2, 2, 5])?;
    let columns = device.malloc_constant_from(&[0, 3, 1, 2, 0])?;
    let a = device.malloc_from(&[1.0f32, 2.0, 3.0, 4.0, 5.0])?;
    let x = device.malloc_from(&[1.0f32, 10.0, 100.0, 1000.0])?;
    let mut y = device.malloc_filled(3, 0.0f32)?;
    is_checked(&device, &kernel, args![3, &first, &columns, &a, &x, &mut y], false)?;
    kernel.launch(args![3, &first, &columns, &a, &x, &mut y])?;
    check::same("y", &y.to_vec()?, &[2001.0, 0.0, 435.0])?;
    // Where one of them may change nothing is known.
    is_checked(&device, &kernel, args![3, &first, &columns.duplicate()?, &a, &x, &mut y], true)?;
    kernel.launch(args![3, &first.duplicate()?, &columns, &a, &x, &mut y])?;
    check::same("y", &y.to_vec()?, &[2001.0, 0.0, 435.0])
}

fn indices_out_of_range_are_found(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let from = device.malloc_filled(30, 2.0f32)?;
    let mut to = device.malloc_filled(4, -1.0f32)?;
    for bad in [30, -1, i32::MAX, i32::MIN] {
        let idx = device.malloc_constant_from(&[3, 29, bad, 7])?;
        let launched = kernel.launch(args![4, &idx, &from, &mut to]).and_then(|()| device.finish());
        check::refused("a read out of range", launched, &[&bad.to_string(), "`from`", "30 elements"])?;
        // What no item reads is no fault.
        kernel.launch(args![2, &idx, &from, &mut to])?;
        device.finish()?;
        check::same("to", &to.to_vec()?[..2], &[2.0, 2.0])?;
    }
    Ok(())
}

/// The numbers that a constant memory holds in one type are not those that it holds in another.
fn casts_are_no_indices(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let from = device.malloc_filled(30, 2.0f32)?;
    let mut to = device.malloc_filled(4, -1.0f32)?;
    let words = device.malloc_constant_from(&[3u32, 29, 0, 7])?;
    let idx = words.cast::<i32>()?;
    check::that(idx.is_constant() && idx.untyped().contents().is_none(), "of the cast nothing is known")?;
    is_checked(&device, &kernel, args![4, &idx, &from, &mut to], true)?;
    kernel.launch(args![4, &idx, &from, &mut to])?;
    check::same("to", &to.to_vec()?, &[2.0; 4])?;
    check::equal("cast back", idx.cast::<u32>()?.untyped().contents(), Some(0..=29))
}

fn is_refused(what: &str, result: Result<()>, parts: &[&str]) -> Outcome {
    check::refused(what, result, &[&["is constant"], parts].concat())
}

fn fill(device: &Device) -> Result<Kernel> {
    let source = "@kernel void fill(const int n, int *to) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { to[i] = 1; }
    }";
    device.build_kernel_from_string(source, "fill", "")
}

fn writes_are_refused(device: &Device) -> Outcome {
    let constant = device.malloc_constant_from(&[3, 1, 2])?;
    let source = device.malloc_filled(3, 9)?;
    let shown = format!("{constant:?}");
    let check_handle = |mut handle: Memory<i32>| -> Outcome {
        let len = handle.len();
        is_refused("a copy from the host", handle.copy_from(&vec![9; len]), &[])?;
        is_refused("a copy of a part", handle.copy_from_at(1, &[9]), &[])?;
        is_refused("a copy", handle.copy_from_memory(&source.slice(..len)?), &[])?;
        is_refused("a copy by way of the host", handle.copy_from_memory_via_host(&source.slice(..len)?), &[])?;
        is_refused("a copy of a part", handle.copy_from_memory_at(0, &source, 1, 1), &[])?;
        is_refused("a fill", handle.fill(9), &[])?;
        is_refused("a launch", fill(device)?.launch(args![2, &mut handle]), &["`to`"])
    };
    is_refused("its name", constant.share().fill(9), &[&shown])?;
    check_handle(constant.share())?;
    check_handle(constant.slice(1..)?)?;
    check_handle(constant.cast::<u32>()?.cast()?)?;
    check_handle(constant.untyped().lent(Box::new(())).typed()?)?;
    check::same("the memory", &constant.to_vec()?, &[3, 1, 2])?;
    let mut copy = constant.duplicate()?;
    fill(device)?.launch(args![3, &mut copy])?;
    check::same("a copy of it", &copy.to_vec()?, &[1; 3])
}

fn recorded_writes_are_refused(device: &Device) -> Outcome {
    let mut constant = device.malloc_constant_from(&[3, 1, 2])?;
    let source = device.malloc_filled(3, 9)?;
    is_refused("a copy", device.record(|r| r.copy(&mut constant, &source)).map(drop), &[])?;
    is_refused("a fill", device.record(|r| r.fill(&mut constant, 9)).map(drop), &[])?;
    is_refused("a ring", device.record(|r| r.snapshot(&source, &mut constant)).map(drop), &[])?;
    is_refused("a rotation", device.record(|r| r.rotate([&constant, &source])).map(drop), &[])?;
    let kernel = fill(device)?;
    is_refused("a launch", device.record(|r| r.launch(&kernel, args![3, &mut constant]).map(drop)).map(drop), &["`to`"])
}

fn graphs_of_gathers(device: &Device) -> Outcome {
    let device = own(device)?;
    let kernel = gather(&device)?;
    let from = device.malloc_from(&[1.0f32, 2.0, 3.0])?;
    let mut to = device.malloc_filled(3, 0.0f32)?;
    let idx = device.malloc_constant_from(&[2, 1, 0])?;
    let mut graph = device.record(|r| r.launch(&kernel, args![3, &idx, &from, &mut to]).map(drop))?;
    drop(idx);
    graph.replay(2)?;
    device.finish()?;
    check::same("to", &to.to_vec()?, &[3.0, 2.0, 1.0])?;
    let idx = device.malloc_constant_from(&[2, 3, 0])?;
    let mut graph = device.record(|r| r.launch(&kernel, args![3, &idx, &from, &mut to]).map(drop))?;
    let replayed = graph.replay(1).and_then(|()| device.finish());
    check::refused("a replay", replayed, &["3", "`from`", "3 elements"])
}
