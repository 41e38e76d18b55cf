//! Streams and tags.

use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, args};
use std::time::{Duration, Instant};

cases!["streams"; work_is_ordered_by_a_tag, tags_tell_when_they_are_reached, time_does_not_run_backwards, current_stream_is_per_thread, launch_on_a_named_stream, finish_waits, finish_waits_for_streams_that_are_gone];

const ADD: &str = "@kernel void add(const int n, const int by, int *a) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) { a[i] += by; }
}";

fn work_is_ordered_by_a_tag(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(100_000, 0i32)?;
    device.finish()?;
    let (first, second) = (device.create_stream()?, device.create_stream()?);
    for k in 1..=5 {
        kernel.launch_on(&first, args![a.len(), k, &mut a])?;
        second.wait(&first.tag()?)?;
        kernel.launch_on(&second, args![a.len(), k, &mut a])?;
        first.wait(&second.tag()?)?;
    }
    first.finish()?;
    check::that(a.to_vec()? == vec![30; 100_000], "work of two streams was lost or reordered")
}

fn tags_tell_when_they_are_reached(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(100_000, 0i32)?;
    kernel.launch(args![a.len(), 1, &mut a])?;
    let waited_for = device.tag_stream()?;
    device.wait_for(&waited_for)?;
    check::that(waited_for.is_reached()?, "a tag that was waited for is not reached")?;
    kernel.launch(args![a.len(), 1, &mut a])?;
    let asked = device.tag_stream()?;
    // Nobody waits for this one: to ask is enough.
    let begin = Instant::now();
    while !asked.is_reached()? {
        check::that(begin.elapsed() < Duration::from_secs(60), "a tag is not reached within a minute")?;
        std::thread::yield_now();
    }
    check::that(a.to_vec()? == vec![2; 100_000], "a tag was reached before the work in front of it was done")
}

fn time_does_not_run_backwards(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(10_000, 0i32)?;
    let start = device.tag_stream()?;
    kernel.launch(args![a.len(), 1, &mut a])?;
    let end = device.tag_stream()?;
    device.wait_for(&end)?;
    let seconds = device.time_between(&start, &end)?;
    check::that((0.0..60.0).contains(&seconds), format!("{seconds} s between two tags"))
}

fn current_stream_is_per_thread(device: &Device) -> Outcome {
    let other = device.create_stream()?;
    let default = device.stream();
    device.set_stream(&other)?;
    let seen = std::thread::scope(|scope| scope.spawn(|| device.stream() == default).join());
    let here = device.stream() == other;
    device.set_stream(&default)?;
    check::equal("another thread keeps the default", seen.ok(), Some(true))?;
    check::that(here, "set_stream did not change this thread's stream")
}

fn launch_on_a_named_stream(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(1000, 0i32)?;
    device.finish()?;
    let stream = device.create_stream()?;
    kernel.launch_on(&stream, args![1000, 4, &mut a])?;
    stream.finish()?;
    check::same("a", &a.to_vec()?, &[4; 1000])
}

fn finish_waits(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(1000, 0i32)?;
    for _ in 0..100 {
        kernel.launch(args![1000, 1, &mut a])?;
    }
    device.finish()?;
    check::same("a", &a.to_vec()?, &[100; 1000])
}

fn finish_waits_for_streams_that_are_gone(device: &Device) -> Outcome {
    let kernel = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(1_000_000, 0i32)?;
    device.finish()?;
    let stream = device.create_stream()?;
    let begin = Instant::now();
    kernel.launch_on(&stream, args![a.len(), 1, &mut a])?;
    // Launches that return at once are queued in numbers; a device that takes its time for each has none in flight.
    let times = if begin.elapsed() < Duration::from_millis(100) { 50 } else { 2 };
    for _ in 1..times {
        kernel.launch_on(&stream, args![a.len(), 1, &mut a])?;
    }
    drop(stream);
    device.finish()?;
    check::that(a.to_vec()? == vec![times; 1_000_000], "work of a stream that was dropped was not waited for")
}
