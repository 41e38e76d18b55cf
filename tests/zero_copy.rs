//! Memory of a WebGPU device that CUDA has too, on the same GPU: both work on it alternately. Nothing is copied, and nothing
//! waits on the host.
//!
//! `FERROCCA_REQUIRE_DEVICES=WebGPU,CUDA` fails where there is no such pair of devices.

mod support;

use ferrocca::{Device, Memory, args};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// One test at a time: what one of them frees or times, another one's work would hold up.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const EXPORTING: &str = "mode=WebGPU, exportable=true";

/// A device that exports its memory, and CUDA's of the same GPU, for one test at a time.
fn devices() -> Option<(Device, Device, MutexGuard<'static, ()>)> {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if !support::has_device(EXPORTING) || !support::has_device("mode=CUDA") {
        return None;
    }
    let webgpu = Device::open(EXPORTING).expect("it was opened before");
    match webgpu.peer("CUDA") {
        Ok(cuda) => Some((webgpu, cuda, guard)),
        Err(error) => {
            let required = std::env::var("FERROCCA_REQUIRE_DEVICES").unwrap_or_default().to_lowercase();
            assert!(!(required.contains("webgpu") && required.contains("cuda")), "{error}");
            eprintln!("skipped: {error}");
            None
        }
    }
}

const NEXT: &str = "@kernel void next(const int n, const int a, const int c, int *x) {
    for (int i = 0; i < n; ++i; @tile(256, @outer, @inner)) { x[i] = (x[i] * a + c) % 1000003; }
}";

/// Every step depends on the one before, of the other device: one that began too early would show in the numbers.
#[test]
fn the_devices_take_turns_a_thousand_times() {
    let Some((webgpu, cuda, _turn)) = devices() else { return };
    let n = 1 << 20;
    let mut expected: Vec<i32> = (0..n).map(|i| i % 1009).collect();
    let mut there = webgpu.malloc_from(&expected).expect("memory");
    let mut here: Memory<i32> = cuda.import_memory(there.untyped()).expect("it is imported").typed().expect("a type");
    let build = |device: &Device| device.build_kernel_from_string(NEXT, "next", "").expect("it builds");
    let (on_webgpu, on_cuda) = (build(&webgpu), build(&cuda));
    let begin = Instant::now();
    for round in 0..1000 {
        on_webgpu.launch(args![n, 3, round, &mut there]).expect("it runs");
        cuda.default_stream().wait_stream(&webgpu.default_stream()).expect("order");
        on_cuda.launch(args![n, 5, round + 1, &mut here]).expect("it runs");
        webgpu.default_stream().wait_stream(&cuda.default_stream()).expect("order");
    }
    let queued = begin.elapsed();
    let seen_by_webgpu = there.to_vec().expect("results");
    println!("1,000 rounds queued in {queued:?}, done after {:?}", begin.elapsed());
    for x in &mut expected {
        for round in 0..1000 {
            *x = (*x * 3 + round) % 1_000_003;
            *x = (*x * 5 + round + 1) % 1_000_003;
        }
    }
    assert_eq!(seen_by_webgpu, expected);
    assert_eq!(here.to_vec().expect("results"), expected);
}

const SLOWLY: &str = "@kernel void put_slowly(const int rounds, const float value, float *x) {
    for (int o = 0; o < 1; ++o; @outer) {
        for (int i = 0; i < 64; ++i; @inner) {
            float s = 0.0f;
            for (int k = 0; k < rounds; ++k) { s = s * 0.999f + 0.001f; }
            x[i] = (s < 2.0f) ? value : s;
        }
    }
}";

/// Queues a kernel on `first` that takes long, and what reads its result on `second`. The host has not waited where the kernel
/// still runs when all is queued, which an event tells; on a machine that was busy elsewhere for as long as the kernel took, a
/// longer one is tried.
fn check_that_nobody_waits(first: &Device, second: &Device, memory: [&Memory<f32>; 2], value: f32) {
    let kernel = first.build_kernel_from_string(SLOWLY, "put_slowly", "").expect("it builds");
    let [mut written, read] = memory.map(Memory::share);
    let mut target = second.malloc_filled(64, 0.0_f32).expect("memory");
    let order = || second.default_stream().wait_stream(&first.default_stream()).expect("order");
    // Once in vain, so that nothing is made while it counts.
    order();
    kernel.launch(args![1, 1.0_f32, &mut written]).expect("it runs");
    target.copy_from_memory(&read).expect("a copy");
    first.finish().expect("it ends");
    second.finish().expect("it is idle");
    let (mut rounds, begin) = (1 << 22, Instant::now());
    let runs = loop {
        kernel.launch(args![rounds, value, &mut written]).expect("it runs");
        let end = first.default_stream().tag().expect("a tag");
        order();
        target.copy_from_memory(&read).expect("a copy");
        let runs = !end.is_reached().expect("it runs");
        assert_eq!(target.to_vec().expect("results"), [value; 64]);
        if runs || begin.elapsed() > Duration::from_secs(5) {
            break runs;
        }
        rounds *= 2;
    };
    println!("{} to {}: the kernel of {rounds} rounds ran when all was queued: {runs}", first.mode(), second.mode());
    assert!(runs, "the host waited");
}

#[test]
fn nobody_waits_on_the_host() {
    let Some((webgpu, cuda, _turn)) = devices() else { return };
    let there = webgpu.malloc_filled(64, 0.0_f32).expect("memory");
    let here = cuda.import_memory(there.untyped()).expect("it is imported").typed().expect("a type");
    check_that_nobody_waits(&webgpu, &cuda, [&there, &here], 2.0);
    check_that_nobody_waits(&cuda, &webgpu, [&here, &there], 3.0);
}

#[test]
fn there_is_one_mapping_and_it_keeps_the_memory() {
    let Some((webgpu, cuda, _turn)) = devices() else { return };
    // No size that an allocation has.
    let values: Vec<f64> = (0..100_003).map(f64::from).collect();
    let there = webgpu.malloc_from(&values).expect("memory");
    let import = |memory: &Memory<f64>| -> Memory<f64> {
        cuda.import_memory(memory.untyped()).expect("it is imported").typed().expect("a type")
    };
    let (first, second) = (import(&there), import(&there));
    let part = import(&there.slice(50_000..).expect("a slice"));
    assert!(!first.ptr().is_null() && first.ptr() == second.ptr());
    assert_eq!(part.ptr(), first.ptr().wrapping_add(50_000));
    drop((there, first, second));
    assert_eq!(webgpu.memory_allocated(), 8 * 100_003, "the import keeps it");
    assert_eq!(part.to_vec().expect("results"), values[50_000..]);
    drop(part);
    assert_eq!(webgpu.memory_allocated(), 0);
    let plain = Device::open("mode=WebGPU").expect("it was opened before").malloc::<f64>(8).expect("memory");
    let error = cuda.import_memory(plain.untyped()).expect_err("it was not allocated for that").to_string();
    assert!(error.contains("exportable: true"), "{error}");
}
