//! Buffers that swap roles: any number of repetitions from any phase, mixed with single launches.

use super::{POINTS, field, step};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Kernel, Memory, Result, args};

cases!["graphs::rotations";
    two_buffers_any_count, single_launches_between, three_buffers, two_rotations_of_two_types, a_vector_of_buffers,
    slices_take_part, snapshots_of_what_rotates, unrolled_steps, values_change_in_every_phase,
    reservations_of_a_pool, on_another_stream, no_repetitions_leave_the_handles,
];

/// The field after each of `count` steps, by single launches.
fn steps(device: &Device, count: usize) -> Result<Vec<Vec<f32>>, check::Failure> {
    let step = step(device)?;
    let (mut u, mut next) = (device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?);
    let mut states = vec![u.to_vec()?];
    for _ in 0..count {
        step.launch(args![POINTS, 0.0625f32, &u, &mut next])?;
        std::mem::swap(&mut u, &mut next);
        states.push(u.to_vec()?);
    }
    Ok(states)
}

fn two_buffers_any_count(device: &Device) -> Outcome {
    let expected = steps(device, 20)?;
    let step = step(device)?;
    let (mut u, mut next) = (device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?);
    let mut graph = device.record(|r| {
        r.launch(&step, args![POINTS, 0.0625f32, &u, &mut next])?;
        r.rotate([&u, &next])
    })?;
    let mut done = 0;
    for times in [1, 1, 2, 3, 0, 4, 5, 1, 3] {
        graph.replay_rotating(times, [&mut u, &mut next])?;
        done += times as usize;
        check::same(&format!("u after {done} steps"), &u.to_vec()?, &expected[done])?;
        if times > 0 {
            check::same(&format!("the other after {done} steps"), &next.to_vec()?, &expected[done - 1])?;
        }
    }
    Ok(())
}

fn single_launches_between(device: &Device) -> Outcome {
    let expected = steps(device, 12)?;
    let step = step(device)?;
    let (mut u, mut next) = (device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?);
    let mut graph = device.record(|r| {
        r.launch(&step, args![POINTS, 0.0625f32, &u, &mut next])?;
        r.rotate([&u, &next])
    })?;
    let mut done = 0;
    for (singles, times) in [(1, 1), (0, 2), (1, 3), (2, 0), (1, 1)] {
        for _ in 0..singles {
            step.launch(args![POINTS, 0.0625f32, &u, &mut next])?;
            std::mem::swap(&mut u, &mut next);
        }
        graph.replay_rotating(times, [&mut u, &mut next])?;
        done += singles + times as usize;
        check::same(&format!("u after {done} steps"), &u.to_vec()?, &expected[done])?;
    }
    Ok(())
}

const LEAPFROG: &str = "@kernel void leapfrog(const int n, const float *old, const float *u, float *next) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
        const int left = (i == 0) ? n - 1 : i - 1;
        const int right = (i == n - 1) ? 0 : i + 1;
        next[i] = 2.0f * u[i] - old[i] + 0.3f * (u[right] - 2.0f * u[i] + u[left]);
    }
}";

/// The three fields after `count` steps by single launches.
fn leapfrog(device: &Device, kernel: &Kernel, count: u64) -> Result<[Vec<f32>; 3]> {
    let (mut old, mut u, mut next) = three(device)?;
    for _ in 0..count {
        kernel.launch(args![POINTS, &old, &u, &mut next])?;
        std::mem::swap(&mut old, &mut u);
        std::mem::swap(&mut u, &mut next);
    }
    Ok([old.to_vec()?, u.to_vec()?, next.to_vec()?])
}

fn three(device: &Device) -> Result<(Memory<f32>, Memory<f32>, Memory<f32>)> {
    let later: Vec<f32> = field().iter().map(|value| value * 0.99).collect();
    Ok((device.malloc_from(&field())?, device.malloc_from(&later)?, device.malloc_filled(POINTS, 0f32)?))
}

fn three_buffers(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(LEAPFROG, "leapfrog", "")?;
    let (mut old, mut u, mut next) = three(device)?;
    let mut graph = device.record(|r| {
        r.launch(&kernel, args![POINTS, &old, &u, &mut next])?;
        r.rotate([&old, &u, &next])
    })?;
    let mut done = 0;
    for times in [1, 2, 3, 4, 5, 1] {
        graph.replay_rotating(times, [&mut old, &mut u, &mut next])?;
        done += times;
        let expected = leapfrog(device, &kernel, done)?;
        for (name, memory, expected) in [("old", &old, &expected[0]), ("u", &u, &expected[1])] {
            check::same(&format!("{name} after {done} steps"), &memory.to_vec()?, expected)?;
        }
    }
    Ok(())
}

const COUNT: &str = "@kernel void count(const int n, const int *a, int *b) {
    for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { b[i] = 3 * a[i] % 1001 + i; }
}";

fn two_rotations_of_two_types(device: &Device) -> Outcome {
    let leapfrog_kernel = device.build_kernel_from_string(LEAPFROG, "leapfrog", "")?;
    let count = device.build_kernel_from_string(COUNT, "count", "")?;
    let (mut old, mut u, mut next) = three(device)?;
    let (mut a, mut b) = (device.malloc_filled(90, 1i32)?, device.malloc_filled(90, 0i32)?);
    let mut graph = device.record(|r| {
        r.launch(&leapfrog_kernel, args![POINTS, &old, &u, &mut next])?;
        r.rotate([&old, &u, &next])?;
        r.launch(&count, args![90, &a, &mut b])?;
        r.rotate([&a, &b])
    })?;
    let mut done = 0;
    let mut expected_a: Vec<i32> = vec![1; 90];
    for times in [1, 4, 7, 6, 5, 2] {
        graph.replay_rotating(times, ([&mut old, &mut u, &mut next], [&mut a, &mut b]))?;
        done += times;
        for _ in 0..times {
            expected_a = (0..).zip(&expected_a).map(|(i, a)| 3 * a % 1001 + i).collect();
        }
        let expected = leapfrog(device, &leapfrog_kernel, done)?;
        check::same(&format!("u after {done} steps"), &u.to_vec()?, &expected[1])?;
        check::same(&format!("a after {done} steps"), &a.to_vec()?, &expected_a)?;
    }
    check::refused(
        "rotations in another order",
        graph.replay_rotating(1, ([&mut a, &mut b], [&mut old, &mut u, &mut next])),
        &["rotation 1", "3 buffers"],
    )
}

fn a_vector_of_buffers(device: &Device) -> Outcome {
    let count = device.build_kernel_from_string(COUNT, "count", "")?;
    let mut history: Vec<Memory<i32>> = (0..4).map(|k| device.malloc_filled(40, k)).collect::<Result<_>>()?;
    let mut graph = device.record(|r| {
        let mut target = history[3].share();
        r.launch(&count, args![40, &history[0], &mut target])?;
        r.rotate(&history)
    })?;
    let mut expected: Vec<Vec<i32>> = (0..4).map(|k| vec![k; 40]).collect();
    for times in [1, 5, 2] {
        graph.replay_rotating(times, &mut history)?;
        for _ in 0..times {
            expected[3] = (0..).zip(&expected[0]).map(|(i, a)| 3 * a % 1001 + i).collect();
            expected.rotate_left(1);
        }
        for (k, (memory, expected)) in history.iter().zip(&expected).enumerate() {
            check::same(&format!("buffer {k}"), &memory.to_vec()?, expected)?;
        }
    }
    Ok(())
}

fn slices_take_part(device: &Device) -> Outcome {
    let count = device.build_kernel_from_string(COUNT, "count", "")?;
    // Both buffers are slices themselves, at odd offsets of one allocation.
    let room = device.malloc_filled(100, 0i32)?;
    let (mut a, mut b) = (room.slice(1..31)?, room.slice(51..81)?);
    a.copy_from(&(0..30).collect::<Vec<_>>())?;
    let mut graph = device.record(|r| {
        r.copy(&mut b, &a)?;
        r.launch(&count, args![7, &a.slice(3..10)?, &mut b.slice(20..27)?])?;
        r.fill(&mut b.slice(0..1)?, -5)?;
        r.rotate([&a, &b])
    })?;
    graph.replay_rotating(5, [&mut a, &mut b])?;
    let mut expected: Vec<i32> = (0..30).collect();
    for _ in 0..5 {
        let mut next = expected.clone();
        (0..7).for_each(|i| next[20 + i] = 3 * expected[3 + i] % 1001 + i as i32);
        next[0] = -5;
        expected = next;
    }
    check::same("a", &a.to_vec()?, &expected)?;
    let all = room.to_vec()?;
    let outside = [&all[..1], &all[31..51], &all[81..]].concat();
    check::that(outside.iter().all(|&value| value == 0), "memory outside of the slices was written")
}

fn snapshots_of_what_rotates(device: &Device) -> Outcome {
    let expected = steps(device, 9)?;
    let step = step(device)?;
    let (mut u, mut next) = (device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?);
    let mut ring = device.malloc_filled(5 * POINTS, 0f32)?;
    let mut graph = device.record(|r| {
        r.launch(&step, args![POINTS, 0.0625f32, &u, &mut next])?;
        r.snapshot(&next, &mut ring)?;
        r.rotate([&u, &next])
    })?;
    let mut done = 0;
    for (first, times) in [(0, 5), (2, 3), (4, 1)] {
        graph.set_first_slot(first);
        graph.replay_rotating(times, [&mut u, &mut next])?;
        for r in 0..times as usize {
            let slot = first as usize + r;
            let snapshot = ring.slice(slot * POINTS..(slot + 1) * POINTS)?.to_vec()?;
            check::same(&format!("slot {slot}"), &snapshot, &expected[done + r + 1])?;
        }
        done += times as usize;
    }
    check::same("u", &u.to_vec()?, &expected[done])
}

fn unrolled_steps(device: &Device) -> Outcome {
    let expected = steps(device, 15)?;
    let step = step(device)?;
    let (mut u, mut next) = (device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?);
    // Three steps a repetition: the handles swap while it is recorded, and the buffers after each repetition.
    let mut graph = device.record(|r| {
        let (mut from, mut to) = (u.share(), next.share());
        for _ in 0..3 {
            r.launch(&step, args![POINTS, 0.0625f32, &from, &mut to])?;
            std::mem::swap(&mut from, &mut to);
        }
        r.rotate([&u, &next])
    })?;
    graph.replay_rotating(2, [&mut u, &mut next])?;
    check::same("u after 6 steps", &u.to_vec()?, &expected[6])?;
    graph.replay_rotating(3, [&mut u, &mut next])?;
    check::same("u after 15 steps", &u.to_vec()?, &expected[15])
}

fn values_change_in_every_phase(device: &Device) -> Outcome {
    let step = step(device)?;
    let factors = [0.0625f32, 0.0625, 0.0625, 0.03125, 0.03125, 0.125];
    let (mut u, mut next) = (device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?);
    for c in factors {
        step.launch(args![POINTS, c, &u, &mut next])?;
        std::mem::swap(&mut u, &mut next);
    }
    let expected = u.to_vec()?;
    u.copy_from(&field())?;
    let mut graph = device.record(|r| {
        r.launch(&step, args![POINTS, 0.0625f32, &u, &mut next])?;
        r.rotate([&u, &next])
    })?;
    graph.replay_rotating(3, [&mut u, &mut next])?;
    graph.set_argument(0, "c", 0.03125f32)?;
    graph.replay_rotating(2, [&mut u, &mut next])?;
    graph.set_argument(0, "c", 0.125f32)?;
    graph.replay_rotating(1, [&mut u, &mut next])?;
    check::same("u", &u.to_vec()?, &expected)
}

fn reservations_of_a_pool(device: &Device) -> Outcome {
    let expected = steps(device, 5)?;
    let step = step(device)?;
    let pool = device.create_memory_pool()?;
    // One chunk holds both, so that they differ in their offsets alone.
    let (mut u, mut next) = (pool.reserve::<f32>(POINTS)?, pool.reserve::<f32>(POINTS)?);
    u.copy_from(&field())?;
    let mut graph = device.record(|r| {
        r.launch(&step, args![POINTS, 0.0625f32, &u, &mut next])?;
        r.rotate([&u, &next])
    })?;
    graph.replay_rotating(5, [&mut u, &mut next])?;
    check::same("u", &u.to_vec()?, &expected[5])
}

fn on_another_stream(device: &Device) -> Outcome {
    let expected = steps(device, 7)?;
    let step = step(device)?;
    let (mut u, mut next) = (device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?);
    let mut graph = device.record(|r| {
        r.launch(&step, args![POINTS, 0.0625f32, &u, &mut next])?;
        r.rotate([&u, &next])
    })?;
    device.finish()?;
    let stream = device.create_stream()?;
    graph.replay_rotating_on(&stream, 7, [&mut u, &mut next])?;
    stream.finish()?;
    check::same("u", &u.to_vec()?, &expected[7])
}

fn no_repetitions_leave_the_handles(device: &Device) -> Outcome {
    let (mut a, mut b) = (device.malloc_filled(3, 1i32)?, device.malloc_filled(3, 2i32)?);
    let mut graph = device.record(|r| {
        r.fill(&mut b, 5)?;
        r.rotate([&a, &b])
    })?;
    graph.replay_rotating(0, [&mut a, &mut b])?;
    check::same("a", &a.to_vec()?, &[1; 3])?;
    graph.replay_rotating(1, [&mut a, &mut b])?;
    check::same("the new first", &a.to_vec()?, &[5; 3])?;
    check::same("the new second", &b.to_vec()?, &[1; 3])
}
