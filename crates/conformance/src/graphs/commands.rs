//! Replays of launches, copies, fills and snapshots, on any stream, for as long as the graph lives.

use super::{POINTS, field, step};
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::{Device, Error, Graph, Memory, Result, args};

cases!["graphs";
    nothing_runs_while_recording, a_list_of_all_commands, slices_at_odd_offsets, host_part_is_evaluated_once,
    many_nests, snapshots_fill_a_ring, snapshots_begin_at_a_slot, values_change_between_replays,
    structs_change_between_replays, another_stream, current_stream_of_the_thread, graph_outlives_handles,
    graph_is_dropped_while_it_runs, empty_graphs_and_no_repetitions, many_repetitions, local_and_shared_memory,
    graph_moves_between_threads, two_graphs_take_turns, null_pointers, copies_that_overlap,
];

const ADD: &str = "@kernel void add(const int n, const int by, int *a) {
    for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { a[i] += by * (i + 1); }
}";

fn nothing_runs_while_recording(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(50, 7i32)?;
    let mut b = device.malloc_filled(50, 1i32)?;
    let mut ring = device.malloc_filled(100, -1i32)?;
    let graph = device.record(|r| {
        r.launch(&add, args![50, 1, &mut a])?;
        r.copy(&mut b, &a)?;
        r.snapshot(&a, &mut ring)?;
        r.fill(&mut a, 0)
    })?;
    device.finish()?;
    drop(graph);
    check::same("a", &a.to_vec()?, &[7; 50])?;
    check::same("b", &b.to_vec()?, &[1; 50])?;
    check::same("ring", &ring.to_vec()?, &[-1; 100])
}

fn a_list_of_all_commands(device: &Device) -> Outcome {
    let (step, add) = (step(device)?, device.build_kernel_from_string(ADD, "add", "")?);
    let floats = || -> Result<_> { Ok((device.malloc_from(&field())?, device.malloc_filled(POINTS, 0f32)?)) };
    let ints = || -> Result<_> { Ok((device.malloc_filled(300, 3i32)?, device.malloc_filled(300, 5i32)?)) };
    let ((mut u, mut v), (mut a, mut b)) = (floats()?, ints()?);
    for _ in 0..7 {
        step.launch(args![POINTS, 0.0625f32, &u, &mut v])?;
        add.launch(args![300, 2, &mut a])?;
        u.copy_from_memory(&v)?;
        b.copy_from_memory(&a)?;
        add.launch(args![300, -1, &mut b])?;
        a.fill(1)?;
        add.launch(args![200, 9, &mut a])?;
    }
    let expected = (u.to_vec()?, v.to_vec()?, a.to_vec()?, b.to_vec()?);

    let ((mut u, mut v), (mut a, mut b)) = (floats()?, ints()?);
    let mut graph = device.record(|r| {
        check_number(r.launch(&step, args![POINTS, 0.0625f32, &u, &mut v])?, 0)?;
        check_number(r.launch(&add, args![300, 2, &mut a])?, 1)?;
        r.copy(&mut u, &v)?;
        r.copy(&mut b, &a)?;
        r.launch(&add, args![300, -1, &mut b])?;
        r.fill(&mut a, 1)?;
        check_number(r.launch(&add, args![200, 9, &mut a])?, 3)
    })?;
    check::equal("launches", graph.launches(), 4usize)?;
    for times in [1, 4, 0, 2] {
        graph.replay(times)?;
    }
    check::same("u", &u.to_vec()?, &expected.0)?;
    check::same("v", &v.to_vec()?, &expected.1)?;
    check::same("a", &a.to_vec()?, &expected.2)?;
    check::same("b", &b.to_vec()?, &expected.3)
}

fn check_number(got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(Error::invalid(format!("launch number {got}, expected {expected}")))
}

fn slices_at_odd_offsets(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let all = device.malloc_filled(64, 1i32)?;
    let bytes = device.malloc_from(&(0..60u8).collect::<Vec<_>>())?;
    let mut graph = device.record(|r| {
        r.launch(&add, args![5, 1, &mut all.slice(3..8)?])?;
        r.copy(&mut all.slice(21..24)?, &all.slice(5..8)?)?;
        r.fill(&mut all.slice(31..34)?, 9)?;
        r.copy(&mut bytes.slice(41..48)?, &bytes.slice(1..8)?)?;
        r.fill(&mut bytes.slice(51..54)?, 200)
    })?;
    graph.replay(2)?;
    let mut expected = vec![1; 64];
    (0..5).for_each(|i| expected[3 + i] += 2 * (i as i32 + 1));
    (0..3).for_each(|i| expected[21 + i] = expected[5 + i]);
    expected[31..34].fill(9);
    check::same("ints", &all.to_vec()?, &expected)?;
    let mut expected: Vec<u8> = (0..60).collect();
    expected.copy_within(1..8, 41);
    expected[51..54].fill(200);
    check::same("bytes", &bytes.to_vec()?, &expected)
}

const SCAN: &str = "@kernel void scan(const int n, const int twice, int *a, int *b) {
    const int half = n / 2;
    for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] += 1; }
    if (twice) { for (int i = 0; i < half; ++i; @tile(16, @outer, @inner)) { a[i] += half; } }
    for (int stride = 1; stride < n; stride *= 2) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { b[i] = (i >= stride) ? a[i] + a[i - stride] : a[i]; }
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { a[i] = b[i] % 1000; }
    }
}";

fn host_part_is_evaluated_once(device: &Device) -> Outcome {
    let scan = device.build_kernel_from_string(SCAN, "scan", "")?;
    for twice in [0, 1] {
        let (mut a, mut b) = (device.malloc_filled(77, 2i32)?, device.malloc_filled(77, 0i32)?);
        for _ in 0..3 {
            scan.launch(args![77, twice, &mut a, &mut b])?;
        }
        let expected = a.to_vec()?;
        let (mut a, mut b) = (device.malloc_filled(77, 2i32)?, device.malloc_filled(77, 0i32)?);
        let mut graph = device.record(|r| r.launch(&scan, args![77, twice, &mut a, &mut b]).map(drop))?;
        graph.replay(3)?;
        check::same("a", &a.to_vec()?, &expected)?;
    }
    Ok(())
}

fn many_nests(device: &Device) -> Outcome {
    let scan = device.build_kernel_from_string(SCAN, "scan", "")?;
    let (mut a, mut b) = (device.malloc_filled(500, 1i32)?, device.malloc_filled(500, 0i32)?);
    for _ in 0..40 {
        scan.launch(args![500, 1, &mut a, &mut b])?;
    }
    let expected = a.to_vec()?;
    let (mut a, mut b) = (device.malloc_filled(500, 1i32)?, device.malloc_filled(500, 0i32)?);
    // Hundreds of commands in one list.
    let mut graph =
        device.record(|r| (0..20).try_for_each(|_| r.launch(&scan, args![500, 1, &mut a, &mut b]).map(drop)))?;
    graph.replay(2)?;
    check::same("a", &a.to_vec()?, &expected)
}

fn snapshots_fill_a_ring(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(5, 0i32)?;
    let room = device.malloc_filled(40, -1i32)?;
    let (mut before, mut after) = (room.slice(3..18)?, room.slice(19..39)?);
    let mut graph = device.record(|r| {
        r.snapshot(&a, &mut before)?;
        r.launch(&add, args![5, 1, &mut a])?;
        r.snapshot(&a, &mut after)
    })?;
    check::equal("slots", graph.slots(), Some(3))?;
    graph.replay(3)?;
    let mut expected = vec![-1; 40];
    for slot in 0..3 {
        for i in 0..5 {
            expected[3 + 5 * slot + i] = (slot * (i + 1)) as i32;
            expected[19 + 5 * slot + i] = ((slot + 1) * (i + 1)) as i32;
        }
    }
    check::same("rings", &room.to_vec()?, &expected)?;
    // Each replay begins at slot 0 again.
    graph.replay(1)?;
    let first: Vec<i32> = (1..6).map(|i| 3 * i).collect();
    check::same("slot 0 of the next replay", &before.slice(0..5)?.to_vec()?, &first)?;
    check::refused("a replay of more than the ring", graph.replay(4), &["4 repetitions", "3 slots"])?;
    check::same("a was not touched", &a.to_vec()?, &[4, 8, 12, 16, 20])
}

fn snapshots_begin_at_a_slot(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(2, 0i32)?;
    let mut ring = device.malloc_filled(12, -1i32)?;
    let mut graph = device.record(|r| {
        r.launch(&add, args![2, 1, &mut a])?;
        r.snapshot(&a, &mut ring)
    })?;
    graph.set_first_slot(4);
    graph.replay(2)?;
    graph.set_first_slot(1);
    graph.replay(3)?;
    graph.replay(0)?;
    check::same("ring", &ring.to_vec()?, &[-1, -1, 3, 6, 4, 8, 5, 10, 1, 2, 2, 4])?;
    check::refused("slots beyond the ring", graph.replay(6), &["from slot 1", "6 slots"])?;
    graph.set_first_slot(u64::MAX);
    check::refused("a slot that overflows", graph.replay(1), &["6 slots"])
}

const AXPB: &str = "@kernel void axpb(const int n, const float x, const int b, float *a) {
    for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { a[i] = x * a[i] + b; }
    for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { a[i] += x * i; }
}";

fn values_change_between_replays(device: &Device) -> Outcome {
    let axpb = device.build_kernel_from_string(AXPB, "axpb", "")?;
    let mut a = device.malloc_filled(70, 1f32)?;
    for (x, b) in [(0.5f32, 1), (0.25, 2), (0.25, 2), (-1.5, 3)] {
        axpb.launch(args![70, x, b, &mut a])?;
        axpb.launch(args![70, 0.75f32, -1, &mut a])?;
    }
    let expected = a.to_vec()?;

    let mut a = device.malloc_filled(70, 1f32)?;
    let mut first = 0;
    let mut graph = device.record(|r| {
        first = r.launch(&axpb, args![70, 0.5f32, 1, &mut a])?;
        r.launch(&axpb, args![70, 0.75f32, -1, &mut a]).map(drop)
    })?;
    graph.replay(1)?;
    graph.set_argument(first, "x", 0.25f32)?;
    graph.set_argument(first, 2, 2)?;
    graph.replay(2)?;
    graph.set_argument(first, 1, -1.5f64)?; // exact in the parameter's type
    graph.set_argument(first, "b", 3u64)?;
    graph.replay(1)?;
    check::same("a", &a.to_vec()?, &expected)
}

ferrocca_core::kernel_struct! {
    struct Affine {
        factor: f32,
        offset: i32,
    }
}

fn structs_change_between_replays(device: &Device) -> Outcome {
    let source = "struct Affine { float factor; int offset; };
        @kernel void affine(const int n, const struct Affine f, float *a) {
            for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { a[i] = f.factor * a[i] + f.offset; }
        }";
    let kernel = device.build_kernel_from_string(source, "affine", "")?;
    let mut a = device.malloc_filled(40, 1f32)?;
    let mut graph =
        device.record(|r| r.launch(&kernel, args![40, &Affine { factor: 2.0, offset: 3 }, &mut a]).map(drop))?;
    graph.replay(2)?; // 5, 13
    graph.set_argument(0, "f", &Affine { factor: -0.5, offset: 1 })?;
    graph.replay(1)?;
    check::same("a", &a.to_vec()?, &[-5.5; 40])
}

fn another_stream(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(20_000, 0i32)?;
    let mut graph = device.record(|r| r.launch(&add, args![20_000, 1, &mut a]).map(drop))?;
    device.finish()?;
    let (first, second) = (device.create_stream()?, device.create_stream()?);
    for _ in 0..5 {
        graph.replay_on(&first, 3)?;
        second.wait(&first.tag()?)?;
        add.launch_on(&second, args![20_000, -1, &mut a])?;
        first.wait(&second.tag()?)?;
    }
    first.finish()?;
    let expected: Vec<i32> = (1..=20_000).map(|i| 10 * i).collect();
    check::same("a", &a.to_vec()?, &expected)
}

fn current_stream_of_the_thread(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(100, 0i32)?;
    let mut graph = device.record(|r| r.launch(&add, args![100, 1, &mut a]).map(drop))?;
    device.finish()?;
    let (stream, default) = (device.create_stream()?, device.stream());
    device.set_stream(&stream)?;
    let outcome = graph.replay(3).and_then(|()| add.launch(args![100, 1, &mut a]));
    let finished = stream.finish();
    device.set_stream(&default)?;
    outcome.and(finished)?;
    check::same("a", &a.to_vec()?, &(1..=100).map(|i| 4 * i).collect::<Vec<_>>())
}

/// A graph whose handles, but for the one of the result, are gone.
fn orphan(device: &Device) -> Result<(Graph, Memory<i32>)> {
    let pool = device.create_memory_pool()?;
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = pool.reserve::<i32>(200)?;
    a.fill(0)?;
    let ten = device.malloc_filled(200, 10i32)?;
    let result = device.malloc_filled(200, 0i32)?;
    let graph = device.record(|r| {
        r.launch(&add, args![200, 1, &mut a])?;
        r.copy(&mut result.slice(0..100)?, &a.slice(0..100)?)?;
        r.copy(&mut result.slice(100..200)?, &ten.slice(0..100)?)
    })?;
    Ok((graph, result))
}

fn graph_outlives_handles(device: &Device) -> Outcome {
    let (mut graph, result) = orphan(device)?;
    // What takes the place of memory that was wrongly freed.
    let others: Vec<_> = (0..20).map(|_| device.malloc_filled(200, -7i32)).collect::<Result<_, _>>()?;
    graph.replay(2)?;
    let expected: Vec<i32> = (0..200).map(|i| if i < 100 { 2 * (i + 1) } else { 10 }).collect();
    check::same("result", &result.to_vec()?, &expected)?;
    others.iter().try_for_each(|other| check::same("other memory", &other.to_vec()?, &[-7; 200]))
}

fn graph_is_dropped_while_it_runs(device: &Device) -> Outcome {
    let (mut graph, result) = orphan(device)?;
    graph.replay(500)?;
    drop(graph);
    let others: Vec<_> = (0..20).map(|_| device.malloc_filled(200, -7i32)).collect::<Result<_, _>>()?;
    let expected: Vec<i32> = (0..200).map(|i| if i < 100 { 500 * (i + 1) } else { 10 }).collect();
    check::same("result", &result.to_vec()?, &expected)?;
    others.iter().try_for_each(|other| check::same("other memory", &other.to_vec()?, &[-7; 200]))
}

fn empty_graphs_and_no_repetitions(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(10, 1i32)?;
    let none = device.malloc::<i32>(0)?;
    device.record(|_| Ok(()))?.replay(5)?;
    let mut graph = device.record(|r| {
        r.launch(&add, args![0, 1, &mut a])?;
        r.launch(&add, args![-3, 1, &mut a])?;
        r.fill(&mut a.slice(3..3)?, 9)?;
        r.copy(&mut none.share(), &none)
    })?;
    graph.replay(3)?;
    check::equal("launches", graph.launches(), 2usize)?;
    let mut graph = device.record(|r| r.launch(&add, args![10, 1, &mut a]).map(drop))?;
    graph.replay(0)?;
    check::same("a", &a.to_vec()?, &[1; 10])
}

fn many_repetitions(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const float *u, float *v) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) { v[i] = 0.999f * u[i] + 0.001f * i; }
    }";
    let kernel = device.build_kernel_from_string(source, "step", "")?;
    let (mut u, mut v) = (device.malloc_filled(258, 1f32)?, device.malloc_filled(258, 0f32)?);
    for _ in 0..5003 {
        kernel.launch(args![258, &u, &mut v])?;
        u.copy_from_memory(&v)?;
    }
    let expected = u.to_vec()?;
    u.fill(1.0)?;
    let mut graph = device.record(|r| {
        r.launch(&kernel, args![258, &u, &mut v])?;
        r.copy(&mut u, &v)
    })?;
    graph.replay(5000)?;
    (0..3).try_for_each(|_| graph.replay(1))?;
    check::same("u", &u.to_vec()?, &expected)
}

fn local_and_shared_memory(device: &Device) -> Outcome {
    let source = "@kernel void mirror(const int n, int *a) {
        for (int group = 0; group < n; group += 32; @outer) {
            @shared int s[32];
            @exclusive int mine;
            for (int i = 0; i < 32; ++i; @inner) {
                mine = (group + i < n) ? a[group + i] : 0;
                s[i] = mine;
            }
            for (int i = 0; i < 32; ++i; @inner) { if (group + i < n) a[group + i] = s[31 - i] - 2 * mine; }
        }
    }";
    let kernel = device.build_kernel_from_string(source, "mirror", "")?;
    let host: Vec<i32> = (0..333).map(|i| i * 7 % 50).collect();
    let mut a = device.malloc_from(&host)?;
    (0..5).try_for_each(|_| kernel.launch(args![333, &mut a]))?;
    let expected = a.to_vec()?;
    a.copy_from(&host)?;
    let mut graph = device.record(|r| r.launch(&kernel, args![333, &mut a]).map(drop))?;
    graph.replay(5)?;
    check::same("a", &a.to_vec()?, &expected)
}

fn graph_moves_between_threads(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let mut a = device.malloc_filled(100, 0i32)?;
    let mut graph = device.record(|r| r.launch(&add, args![100, 1, &mut a]).map(drop))?;
    graph.replay(1)?;
    let outcome = std::thread::scope(|scope| scope.spawn(|| graph.replay(2)).join());
    outcome.map_err(|_| check::Failure("a thread panicked".into()))??;
    graph.replay(1)?;
    device.finish()?;
    check::same("a", &a.to_vec()?, &(1..=100).map(|i| 4 * i).collect::<Vec<_>>())
}

fn two_graphs_take_turns(device: &Device) -> Outcome {
    let add = device.build_kernel_from_string(ADD, "add", "")?;
    let (mut a, mut b) = (device.malloc_filled(60, 1i32)?, device.malloc_filled(60, 0i32)?);
    let mut forth = device.record(|r| {
        r.copy(&mut b, &a)?;
        r.launch(&add, args![60, 1, &mut b]).map(drop)
    })?;
    let mut back = device.record(|r| {
        r.copy(&mut a, &b)?;
        r.launch(&add, args![60, 2, &mut a]).map(drop)
    })?;
    for _ in 0..10 {
        forth.replay(1)?;
        back.replay(1)?;
    }
    check::same("a", &a.to_vec()?, &(1..=60).map(|i| 1 + 30 * i).collect::<Vec<_>>())
}

fn null_pointers(device: &Device) -> Outcome {
    let source = "@kernel void may(const int n, const int *add, int *a) {
        for (int i = 0; i < n; ++i; @tile(16, @outer, @inner)) { if (add) a[i] += add[i]; else a[i] += 100; }
    }";
    // Not every target knows null pointers; what it says of the kernel alone is not a graph's business.
    let Ok(kernel) = device.build_kernel_from_string(source, "may", "") else { return Ok(()) };
    let mut a = device.malloc_filled(30, 1i32)?;
    let one = device.malloc_filled(30, 1i32)?;
    let none: Option<&Memory<i32>> = None;
    let mut graph = device.record(|r| {
        r.launch(&kernel, args![30, none, &mut a])?;
        r.launch(&kernel, args![30, &one, &mut a]).map(drop)
    })?;
    graph.replay(2)?;
    check::same("a", &a.to_vec()?, &[203; 30])
}

fn copies_that_overlap(device: &Device) -> Outcome {
    let host: Vec<i32> = (0..1000).collect();
    for (to, from) in [(100, 0), (0, 100)] {
        let memory = device.malloc_from(&host)?;
        let mut graph =
            device.record(|r| r.copy(&mut memory.slice(to..to + 900)?, &memory.slice(from..from + 900)?))?;
        graph.replay(2)?;
        let mut expected = host.clone();
        (0..2).for_each(|_| expected.copy_within(from..from + 900, to));
        check::same("moved", &memory.to_vec()?, &expected)?;
    }
    Ok(())
}
