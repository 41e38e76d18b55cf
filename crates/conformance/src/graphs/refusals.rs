//! What a graph must refuse: everything that the direct calls refuse, when it is recorded; and what only graphs know.

use super::{POINTS, step};
use crate::check::{self, Outcome};
use crate::harness::{alone, cases};
use ferrocca_core::{Device, ErrorKind, args};

cases!["graphs::refusals";
    arguments_are_checked_while_recording, sizes_are_checked_while_recording, other_devices, copies_of_other_lengths,
    rings_that_do_not_fit, restrict_among_rotating_buffers, rotations_that_cannot_be, handles_that_are_not_the_recorded,
    memory_whose_role_is_unknown, values_that_cannot_change, ignored_errors,
];

fn arguments_are_checked_while_recording(device: &Device) -> Outcome {
    let step = step(device)?;
    let (mut u, mut v) = (device.malloc_filled(POINTS, 0f32)?, device.malloc_filled(POINTS, 0f32)?);
    let mut wrong = device.malloc_filled(POINTS, 0f64)?;
    check::refused(
        "too few arguments",
        device.record(|r| r.launch(&step, args![POINTS, 0.5f32, &u]).map(drop)),
        &["step", "4 arguments", "got 3"],
    )?;
    check::refused(
        "another type",
        device.record(|r| r.launch(&step, args![POINTS, 0.5f32, &u, &mut wrong]).map(drop)),
        &["argument 4 `u_next`", "memory of f64"],
    )?;
    check::refused(
        "memory that is not mutable",
        device.record(|r| r.launch(&step, args![POINTS, 0.5f32, &u, &v]).map(drop)),
        &["argument 4 `u_next`", "&mut"],
    )?;
    check::refused(
        "a number that does not fit",
        device.record(|r| r.launch(&step, args![1u64 << 40, 0.5f32, &u, &mut v]).map(drop)),
        &["argument 1 `n`"],
    )?;
    // The device and the memory are as they were.
    step.launch(args![POINTS, 0.5f32, &v, &mut u])?;
    check::that(u.to_vec()?.iter().all(|&value| value == 0.0), "a refused recording wrote memory")
}

fn sizes_are_checked_while_recording(device: &Device) -> Outcome {
    let source = "@kernel void sized(const int m, int *a) {
        for (int g = 0; g < 1; ++g; @outer) { for (int i = 0; i < m; ++i; @inner) { if (i == 0) a[g] = m; } }
    }";
    let kernel = device.build_kernel_from_string(source, "sized", "")?;
    let mut a = device.malloc_filled(1, 0i32)?;
    let too_many = device.capabilities().max_inner.0.saturating_mul(2).min(i32::MAX as u64) as i32;
    let direct = kernel.launch(args![too_many, &mut a]).expect_err("no device has so many").to_string();
    let recorded = device.record(|r| r.launch(&kernel, args![too_many, &mut a]).map(drop));
    check::refused("too many items", recorded, &[&direct])
}

fn other_devices(device: &Device) -> Outcome {
    let other = alone(device)?;
    let (here, there) = (step(device)?, step(&other)?);
    let (u, mut v) = (device.malloc_filled(POINTS, 0f32)?, device.malloc_filled(POINTS, 0f32)?);
    let mut foreign = other.malloc_filled(POINTS, 0f32)?;
    let foreign_source = other.malloc_filled(POINTS, 0f32)?;
    let mut ring = other.malloc_filled(2 * POINTS, 0f32)?;
    let refused = |what: &str, outcome: ferrocca_core::Result<ferrocca_core::Graph>| match outcome {
        Err(error) if matches!(error.kind(), ErrorKind::WrongDevice { .. }) => Ok(()),
        Err(error) => Err(check::Failure(format!("{what}: {error}"))),
        Ok(_) => Err(check::Failure(format!("{what} of another device was accepted"))),
    };
    refused("a kernel", device.record(|r| r.launch(&there, args![POINTS, 0.5f32, &u, &mut v]).map(drop)))?;
    refused("memory", device.record(|r| r.launch(&here, args![POINTS, 0.5f32, &u, &mut foreign]).map(drop)))?;
    refused("a destination", device.record(|r| r.copy(&mut foreign, &u)))?;
    refused("both sides", device.record(|r| r.copy(&mut foreign, &foreign_source)))?;
    refused("filled memory", device.record(|r| r.fill(&mut foreign, 1.0)))?;
    refused("a ring", device.record(|r| r.snapshot(&u, &mut ring)))?;
    refused("a buffer", device.record(|r| r.rotate([&u, &foreign])))?;
    let mut graph = device.record(|r| r.fill(&mut v, 1.0))?;
    check::refused("a stream", graph.replay_on(&other.create_stream()?, 1), &["a stream of device"])
}

fn copies_of_other_lengths(device: &Device) -> Outcome {
    let (a, mut b) = (device.malloc_filled(10, 0i32)?, device.malloc_filled(9, 0i32)?);
    check::refused("another length", device.record(|r| r.copy(&mut b, &a)), &["9", "10"])
}

fn rings_that_do_not_fit(device: &Device) -> Outcome {
    let mut u = device.malloc_filled(10, 0i32)?;
    let mut ring = device.malloc_filled(35, 0i32)?;
    check::refused("a part of a slot", device.record(|r| r.snapshot(&u, &mut ring)), &["35", "10"])?;
    check::refused(
        "a ring smaller than a slot",
        device.record(|r| r.snapshot(&u, &mut ring.slice(0..5)?)),
        &["5 elements", "10 elements"],
    )?;
    check::refused("an empty ring", device.record(|r| r.snapshot(&u, &mut ring.slice(0..0)?)), &["0 elements"])?;
    check::refused(
        "an empty source",
        device.record(|r| r.snapshot(&u.slice(0..0)?, &mut ring)),
        &["without elements"],
    )?;
    check::refused(
        "a ring that holds its source",
        device.record(|r| r.snapshot(&ring.slice(5..10)?, &mut ring.share())),
        &["overlaps"],
    )?;
    let mut other = device.malloc_filled(10, 0i32)?;
    let outcome = device.record(|r| {
        r.snapshot(&ring.slice(0..5)?, &mut u)?;
        r.rotate([&u, &other])
    });
    check::refused("a ring that rotates", outcome, &["rotates"])?;
    let mut graph = device.record(|r| r.snapshot(&u, &mut ring.slice(0..30)?))?;
    check::refused("too many repetitions", graph.replay(4), &["4 repetitions", "3 slots"])?;
    let mut two = device.record(|r| {
        r.snapshot(&u, &mut ring.slice(0..30)?)?;
        r.snapshot(&ring.slice(30..35)?, &mut other)
    })?;
    check::refused("more than the smaller ring has", two.replay(3), &["2 slots"])
}

fn restrict_among_rotating_buffers(device: &Device) -> Outcome {
    let source = "@kernel void copy(const int n, @restrict const int *a, @restrict int *b) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { b[i] = a[i]; }
    }";
    let kernel = device.build_kernel_from_string(source, "copy", "")?;
    let (mut a, mut b) = (device.malloc_from(&[1, 2, 3, 4])?, device.malloc_filled(4, 0i32)?);
    let outcome = device.record(|r| {
        r.launch(&kernel, args![3, &a.slice(0..3)?, &mut a.slice(1..4)?])?;
        r.rotate([&a, &b])
    });
    check::refused("parts of one buffer that overlap", outcome, &["@restrict", "argument 3 `b`"])?;
    // The halves are disjoint in every phase.
    let mut graph = device.record(|r| {
        r.launch(&kernel, args![2, &a.slice(0..2)?, &mut a.slice(2..4)?])?;
        r.launch(&kernel, args![4, &a, &mut b])?;
        r.rotate([&a, &b])
    })?;
    graph.replay_rotating(3, [&mut a, &mut b])?;
    check::same("a", &a.to_vec()?, &[1, 2, 1, 2])
}

fn rotations_that_cannot_be(device: &Device) -> Outcome {
    let (a, b) = (device.malloc_filled(10, 0i32)?, device.malloc_filled(10, 0i32)?);
    let short = device.malloc_filled(9, 0i32)?;
    check::refused("one buffer", device.record(|r| r.rotate([&a])), &["at least 2"])?;
    check::refused(
        "another length",
        device.record(|r| r.rotate([&a, &short])),
        &["swap roles", "one type and length: buffer 1 has 10 elements of i32, buffer 2 has 9 elements of i32"],
    )?;
    check::refused("a buffer twice", device.record(|r| r.rotate([&a, &a])), &["1 and 2"])?;
    check::refused(
        "buffers that overlap",
        device.record(|r| r.rotate([&a.slice(0..5)?, &a.slice(4..9)?])),
        &["overlap"],
    )?;
    let outcome = device.record(|r| {
        r.rotate([&a, &b])?;
        r.rotate([&short.slice(0..5)?, &b.slice(5..10)?])
    });
    check::refused("a buffer in two rotations", outcome, &["two rotations"])?;
    let many: Vec<_> = (0..60).map(|_| device.malloc_filled(4, 0i32)).collect::<Result<_, _>>()?;
    let outcome = device.record(|r| {
        r.rotate(&many[..11])?;
        r.rotate(&many[11..24])?;
        r.rotate(&many[24..41])
    });
    check::refused("a period of 2431", outcome, &["11, 13, 17"])
}

fn handles_that_are_not_the_recorded(device: &Device) -> Outcome {
    let memory = || device.malloc_filled(10, 1i32);
    let (mut a, mut b, mut c, mut stranger) = (memory()?, memory()?, memory()?, memory()?);
    let mut fixed = device.record(|r| r.fill(&mut a, 1))?;
    check::refused("handles of no rotation", fixed.replay_rotating(1, [&mut a, &mut b]), &["0 rotations"])?;
    let mut graph = device.record(|r| {
        r.fill(&mut a, 9)?;
        r.rotate([&a, &b, &c])
    })?;
    check::refused("a replay without handles", graph.replay(1), &["replay_rotating"])?;
    check::refused(
        "no rotation's handles",
        graph.replay_rotating(1, ([&mut a, &mut b, &mut c], [&mut stranger])),
        &["1 rotation"],
    )?;
    check::refused("too few", graph.replay_rotating(1, [&mut a, &mut b]), &["3 buffers", "2 handles"])?;
    check::refused(
        "a stranger",
        graph.replay_rotating(1, [&mut a, &mut stranger, &mut c]),
        &["handle 2", "rotation 1"],
    )?;
    check::refused("an order that is not reached", graph.replay_rotating(1, [&mut b, &mut a, &mut c]), &["order"])?;
    let mut part = c.slice(0..9)?;
    check::refused("a slice", graph.replay_rotating(1, [&mut a, &mut b, &mut part]), &["handle 3"])?;
    for memory in [&a, &b, &c, &stranger] {
        check::same("a refused replay wrote nothing", &memory.to_vec()?, &[1; 10])?;
    }
    graph.replay_rotating(1, [&mut b, &mut c, &mut a])?;
    check::same("what was the second buffer", &a.to_vec()?, &[9; 10])?;
    let mut pairs = device.record(|r| {
        r.rotate([&a, &b])?;
        r.rotate([&c, &stranger])
    })?;
    let parted = pairs.replay_rotating(1, ([&mut b, &mut a], [&mut c, &mut stranger]));
    check::refused("rotations that have gone different ways", parted, &["no number of repetitions"])
}

fn memory_whose_role_is_unknown(device: &Device) -> Outcome {
    let room = device.malloc_filled(30, 0i32)?;
    let (a, b) = (room.slice(0..10)?, room.slice(10..20)?);
    let outcome = device.record(|r| {
        r.fill(&mut room.slice(5..15)?, 1)?;
        r.rotate([&a, &b])
    });
    check::refused("memory across two buffers", outcome, &["rotates", "role"])?;
    let outcome = device.record(|r| {
        r.fill(&mut room.slice(20..30)?, 1)?;
        r.rotate([&a, &b])
    });
    check::that(outcome.is_ok(), "memory beside the buffers was refused")
}

fn values_that_cannot_change(device: &Device) -> Outcome {
    let step = step(device)?;
    let (u, mut v) = (device.malloc_filled(POINTS, 0f32)?, device.malloc_filled(POINTS, 0f32)?);
    let mut graph = device.record(|r| r.launch(&step, args![POINTS, 0.5f32, &u, &mut v]).map(drop))?;
    check::refused("a size", graph.set_argument(0, "n", 5), &["argument 1 `n`", "record the graph again"])?;
    check::refused("memory", graph.set_argument(0, "u", &u), &["argument 3 `u`", "record the graph again"])?;
    check::refused("another type", graph.set_argument(0, "c", &u), &["argument 2 `c`", "memory of f32"])?;
    check::refused("a value that is not exact", graph.set_argument(0, "c", 0.1f64), &["argument 2 `c`", "exactly"])?;
    check::refused("no such name", graph.set_argument(0, "d", 1.0f32), &["`d`", "`u_next`"])?;
    check::refused("no such position", graph.set_argument(0, 4, 1.0f32), &["position 4", "4"])?;
    check::refused("no such launch", graph.set_argument(1, "c", 1.0f32), &["launch 1", "1 launches"])?;
    let source = "@kernel void host(const int n, const int k, int *a) {
        const int half = k / 2;
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] = half; }
    }";
    let host = device.build_kernel_from_string(source, "host", "")?;
    let mut a = device.malloc_filled(10, 0i32)?;
    let mut graph = device.record(|r| r.launch(&host, args![10, 6, &mut a]).map(drop))?;
    check::refused("what a host variable is made of", graph.set_argument(0, "k", 8), &["record the graph again"])?;
    graph.replay(1)?;
    check::same("a", &a.to_vec()?, &[3; 10])
}

fn ignored_errors(device: &Device) -> Outcome {
    let (a, mut b) = (device.malloc_filled(10, 0i32)?, device.malloc_filled(9, 0i32)?);
    let outcome = device.record(|r| {
        let _ = r.copy(&mut b, &a);
        r.fill(&mut b, 1)
    });
    check::refused("a graph that lacks a command", outcome, &["ignored", "9"])
}
