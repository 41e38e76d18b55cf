//! Loops that a backend may run several repetitions at a time, in pieces of the row or of the box: more points than a piece has, odd
//! sizes, replays in parts, and whatever may stand in such a loop.

use crate::check::{self, Failure, Outcome};
use crate::harness::cases;
use ferrocca_core::{Arg, Device, ErrorKind, Graph, Kernel, Memory, Recorder, Result, args};

cases!["graphs::tiles";
    ghosts_by_their_neighbours, ghosts_that_are_copied, copies_alone, a_wrap_that_is_chosen,
    wide_stencils_of_one_buffer, fluxes_walls_and_a_table,
    two_rotations, single_launches_between, values_change, several_steps_a_repetition: F64, sizes_change,
    loops_and_functions, groups_by_hand, integers_change, reasons_why_not, data_decide_what_is_written, a_box_with_ghosts, a_box_with_walls, a_plane_of_doubles: F64,
];

/// No multiple of anything that is a power of two.
const POINTS: usize = 2103;

/// Repetitions of the replays of a loop, one after the other.
const REPLAYS: [u64; 6] = [7, 1, 12, 2, 6, 5];

/// The same device with the property `tiling`, where it has that: a loop as small as these would run otherwise.
pub(super) fn tiled(device: &Device, steps: u64) -> Result<Device> {
    match Device::open(device.props().clone().with("tiling", steps)) {
        Err(error) if matches!(error.kind(), ErrorKind::Props { .. }) => Ok(device.clone()),
        opened => opened,
    }
}

/// Whether a loop that was replayed is tiled: in these modes, and in no others.
fn is_tiled(device: &Device, graph: &Graph, modes: &[&str]) -> Outcome {
    // A device that checks everything runs loops as they are.
    if device.capabilities().stops_at_faults {
        return Ok(());
    }
    let plan = graph.plan();
    let is_it = device.props().get("tiling").is_some() && plan.steps_per_pass > 1;
    let what = format!("tiled: {is_it} in mode {}, modes that shall: {modes:?}; {plan}", device.mode());
    check::that(is_it == modes.contains(&device.mode()), &what)
}

/// Modes that tile.
const ALL: &[&str] = &["Serial", "CPU", "CUDA", "OpenCL", "WebGPU", "Vulkan"];

/// Modes in which whatever is short may stand in a tiled loop.
const ANYTHING_SHORT: &[&str] = &["Serial", "CPU", "CUDA"];

/// Modes that tile kernels too whose items use their numbers for more than an address.
const BY_THEIR_CODE: &[&str] = &["Serial", "CPU", "OpenCL", "WebGPU", "Vulkan"];

/// Modes that tile loops in which data decide what is written.
const PROCESSORS: &[&str] = &["Serial", "CPU"];

fn field() -> Vec<f32> {
    (0..POINTS).map(|i| ((i * i) % 97) as f32 / 97.0 - 0.4).collect()
}

/// Two fields, which are not the same.
fn pair(device: &Device) -> Result<[Memory<f32>; 2]> {
    let other: Vec<f32> = field().iter().map(|value| 0.5 - value).collect();
    Ok([device.malloc_from(&field())?, device.malloc_from(&other)?])
}

/// Compares a loop that rotates two fields with the commands that it is made of.
fn same_as_commands(device: &Device, modes: &[&str], body: &Body<'_>) -> Outcome {
    same_fields_as_commands(device, modes, [pair(device)?, pair(device)?], &REPLAYS, body)
}

/// The same with two pairs of fields that are alike.
fn same_fields_as_commands(
    device: &Device,
    modes: &[&str],
    [[mut u, mut v], [mut expected, mut other]]: [[Memory<f32>; 2]; 2],
    replays: &[u64],
    body: &Body<'_>,
) -> Outcome {
    let mut graph = device.record(|recorder| {
        body(&u, &mut v, &mut Commands::Recorded(recorder))?;
        recorder.rotate([&u, &v])
    })?;
    let mut done = 0;
    for &times in replays {
        graph.replay_rotating(times, [&mut u, &mut v])?;
        done += times;
        for _ in 0..times {
            body(&expected, &mut other, &mut Commands::Now)?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same(&format!("u after {done} steps"), &u.to_vec()?, &expected.to_vec()?)?;
        check::same(&format!("the other after {done} steps"), &v.to_vec()?, &other.to_vec()?)?;
    }
    is_tiled(device, &graph, modes)
}

/// The commands of a repetition from a field to the other.
type Body<'a> = dyn Fn(&Memory<f32>, &mut Memory<f32>, &mut Commands<'_>) -> Result<()> + 'a;

/// Takes commands, which are recorded or done.
pub(super) enum Commands<'a> {
    Recorded(&'a mut Recorder),
    Now,
}

impl Commands<'_> {
    pub(super) fn launch<'m>(&mut self, kernel: &Kernel, arguments: impl AsRef<[Arg<'m>]>) -> Result<()> {
        match self {
            Self::Recorded(recorder) => recorder.launch(kernel, arguments).map(drop),
            Self::Now => kernel.launch(arguments),
        }
    }

    pub(super) fn copy(&mut self, mut to: Memory<f32>, from: &Memory<f32>) -> Result<()> {
        match self {
            Self::Recorded(recorder) => recorder.copy(&mut to, from),
            Self::Now => to.copy_from_memory(from),
        }
    }

    pub(super) fn fill(&mut self, mut to: Memory<f32>, value: f32) -> Result<()> {
        match self {
            Self::Recorded(recorder) => recorder.fill(&mut to, value),
            Self::Now => to.fill(value),
        }
    }
}

fn ghosts_by_their_neighbours(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const float c, const float *u, float *v) {
        for (int i = 1; i < n + 1; ++i; @tile(96, @outer, @inner)) {
            const float here = u[i];
            v[i] = here + 0.125f * (u[i + 1] - 2.0f * here + u[i - 1]) - here * c * (u[i + 1] - u[i - 1]);
            if (i == 1) { v[n + 1] = here; }
            if (i == n) { v[0] = here; }
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    same_as_commands(&device, ALL, &|u, v, commands| commands.launch(&step, args![POINTS - 2, 0.0625f32, u, v]))
}

/// A wall that a fill keeps, the mean of some values by a kernel that no window could run, and a copy at the other end.
fn ghosts_that_are_copied(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const float *u, float *v) {
        for (int i = 2; i < n - 1; ++i; @tile(96, @outer, @inner)) {
            v[i] = u[i] + 0.125f * (u[i + 1] - 2.0f * u[i] + u[i - 1]) - 0.0625f * u[i] * (u[i] - u[i - 2]);
        }
    }";
    let mean = "@kernel void mean(float *v) {
        for (int i = 0; i < 1; ++i; @outer) for (int j = 0; j < 1; ++j; @inner) {
            float sum = 0.0f;
            for (int k = 2; k < 10; ++k) { sum += v[k]; }
            v[1] = 0.125f * sum;
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    let mean = device.build_kernel_from_string(mean, "mean", "")?;
    same_as_commands(&device, ANYTHING_SHORT, &|u, v, commands| {
        commands.launch(&step, args![POINTS, u, &mut *v])?;
        commands.fill(v.slice(..1)?, 0.75)?;
        commands.launch(&mean, args![&mut *v])?;
        commands.copy(v.slice(POINTS - 1..)?, &v.slice(5..6)?)
    })
}

/// Three values of each end, which are copied to behind the other one.
fn copies_alone(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const float *u, float *v) {
        for (int i = 3; i < n - 3; ++i; @tile(64, @outer, @inner)) {
            v[i] = u[i] + 0.0625f * (u[i + 3] - 2.0f * u[i] + u[i - 3]) - 0.125f * u[i] * (u[i] - u[i - 1]);
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    same_as_commands(&device, ALL, &|u, v, commands| {
        commands.launch(&step, args![POINTS, u, &mut *v])?;
        commands.copy(v.slice(..3)?, &v.slice(POINTS - 6..POINTS - 3)?)?;
        commands.copy(v.slice(POINTS - 3..)?, &v.slice(3..6)?)
    })
}

const WRAP: &str = "@kernel void step(const int n, const float c, const float *u, float *v) {
    for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
        const int left = (i == 0) ? n - 1 : i - 1;
        const int right = (i == n - 1) ? 0 : i + 1;
        v[i] = u[i] - c * u[i] * (u[right] - u[left]) + 0.125f * (u[right] - 2.0f * u[i] + u[left]);
    }
}";

/// A step by [`WRAP`], recorded, after which the fields swap roles.
fn recorded_wrap(device: &Device, step: &Kernel, u: &Memory<f32>, v: &mut Memory<f32>) -> Result<Graph> {
    device.record(|recorder| {
        recorder.launch(step, args![POINTS, 0.0625f32, u, &mut *v])?;
        recorder.rotate([u, &*v])
    })
}

fn a_wrap_that_is_chosen(device: &Device) -> Outcome {
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(WRAP, "step", "")?;
    same_as_commands(&device, ALL, &|u, v, commands| commands.launch(&step, args![POINTS, 0.0625f32, u, v]))
}

/// Three neighbours on each side, walls that keep what they have, and an item's own number in what it computes.
fn wide_stencils_of_one_buffer(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const float *u, float *v) {
        for (int b = 0; b < n; b += 50; @outer) {
            for (int i = b; i < b + 50; ++i; @inner) {
                if (i >= 3 && i < n - 3) {
                    v[i] = 0.25f * (u[i - 3] + u[i + 3]) + 0.25f * (u[i - 1] - u[i + 2]) + 0.001f * (i % 7) + 0.002f * (i - b);
                }
            }
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    same_as_commands(&device, BY_THEIR_CODE, &|u, v, commands| commands.launch(&step, args![POINTS, u, v]))
}

const FLUXES: &str = "
    @kernel void flux(const int n, const float *u, const float *k, float *f) {
        for (int i = 1; i < n; ++i; @tile(32, @outer, @inner)) { f[i] = k[i] * (u[i] - u[i - 1]); }
    }
    @kernel void add(const int n, const float *table, const float *u, const float *f, float *v) {
        for (int i = 1; i < n - 1; ++i; @tile(48, @outer, @inner)) {
            v[i] = table[2] * u[i] + table[0] * (f[i + 1] - f[i]);
        }
    }
    @kernel void wall(const int n, float *v, float *seen) {
        for (int i = 0; i < 1; ++i; @tile(1, @outer, @inner)) { v[0] = 0.5f * v[n - 2]; seen[0] += v[1]; }
    }";

fn fluxes_walls_and_a_table(device: &Device) -> Outcome {
    let device = tiled(device, 5)?;
    let build = |name| device.build_kernel_from_string(FLUXES, name, "");
    let (flux, add, wall) = (build("flux")?, build("add")?, build("wall")?);
    let k: Vec<f32> = (0..POINTS).map(|i| 0.125 + (i % 11) as f32 / 64.0).collect();
    let (k, f) = (device.malloc_from(&k)?, device.malloc_filled(POINTS + 3, 0f32)?);
    let (table, seen) = (device.malloc_from(&[0.5f32, 9.0, 0.75])?, device.malloc_filled(1, 0f32)?);
    let n = POINTS;
    same_as_commands(&device, ALL, &|u, v, commands| {
        let mut fluxes = f.slice(3..POINTS + 3)?;
        commands.launch(&flux, args![n, u, &k, &mut fluxes])?;
        commands.launch(&add, args![n, &table, u, &fluxes, &mut *v])?;
        commands.launch(&wall, args![n, v, &mut seen.share()])
    })?;
    // Both ways have added to it, each the same in each step.
    check::that(seen.to_vec()?[0].is_finite(), "the sum is a number")
}

/// A field and numbers of another type, each pair with its own kernel.
fn two_rotations(device: &Device) -> Outcome {
    let source = "@kernel void count(const int n, const int *a, int *b) {
        for (int i = 0; i < n; ++i; @tile(32, @outer, @inner)) {
            b[i] = i > 0 ? (a[i - 1] + 3 * a[i]) % 1001 + i : 7;
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(WRAP, "step", "")?;
    let count = device.build_kernel_from_string(source, "count", "")?;
    let numbers: Vec<i32> = (0..1500).map(|i| i * 37 % 91).collect();
    let ([mut u, mut v], [mut expected, mut other]) = (pair(&device)?, pair(&device)?);
    let (mut a, mut b) = (device.malloc_from(&numbers)?, device.malloc_filled(1500, 0i32)?);
    let (mut expected_a, mut other_a) = (device.malloc_from(&numbers)?, device.malloc_filled(1500, 0i32)?);
    let mut graph = device.record(|recorder| {
        recorder.launch(&step, args![POINTS, 0.0625f32, &u, &mut v])?;
        recorder.rotate([&u, &v])?;
        recorder.launch(&count, args![1500, &a, &mut b])?;
        recorder.rotate([&a, &b])
    })?;
    for times in REPLAYS {
        graph.replay_rotating(times, ([&mut u, &mut v], [&mut a, &mut b]))?;
        for _ in 0..times {
            step.launch(args![POINTS, 0.0625f32, &expected, &mut other])?;
            count.launch(args![1500, &expected_a, &mut other_a])?;
            std::mem::swap(&mut expected, &mut other);
            std::mem::swap(&mut expected_a, &mut other_a);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
        check::same("a", &a.to_vec()?, &expected_a.to_vec()?)?;
        check::same("the other a", &b.to_vec()?, &other_a.to_vec()?)?;
    }
    is_tiled(&device, &graph, ALL)
}

/// A loop of one field with a single step after each replay.
fn single_launches_between(device: &Device) -> Outcome {
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(WRAP, "step", "")?;
    let ([mut u, mut v], [mut expected, mut other]) = (pair(&device)?, pair(&device)?);
    let mut graph = recorded_wrap(&device, &step, &u, &mut v)?;
    for times in [6, 9, 4] {
        graph.replay_rotating(times, [&mut u, &mut v])?;
        step.launch(args![POINTS, 0.125f32, &u, &mut v])?;
        std::mem::swap(&mut u, &mut v);
        for repetition in 0..=times {
            let c = if repetition == times { 0.125f32 } else { 0.0625 };
            step.launch(args![POINTS, c, &expected, &mut other])?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
        check::same("the other", &v.to_vec()?, &other.to_vec()?)?;
    }
    is_tiled(&device, &graph, ALL)
}

fn values_change(device: &Device) -> Outcome {
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(WRAP, "step", "")?;
    let ([mut u, mut v], [mut expected, mut other]) = (pair(&device)?, pair(&device)?);
    let mut graph = recorded_wrap(&device, &step, &u, &mut v)?;
    for (times, c) in [(6, 0.0625f32), (8, 0.03125), (1, 0.25), (7, 0.125)] {
        graph.set_argument(0, "c", c)?;
        graph.replay_rotating(times, [&mut u, &mut v])?;
        for _ in 0..times {
            step.launch(args![POINTS, c, &expected, &mut other])?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
    }
    is_tiled(&device, &graph, ALL)
}

/// Two steps forth and one more make a repetition; `double`, and a replay that is not rotated.
fn several_steps_a_repetition(device: &Device) -> Outcome {
    let device = tiled(device, 5)?;
    let source = WRAP.replace("float", "double").replace("0.125f", "0.125").replace("2.0f", "2.0");
    let step = device.build_kernel_from_string(&source, "step", "")?;
    let start: Vec<f64> = field().iter().map(|&value| f64::from(value)).collect();
    let fields = || Ok::<_, Failure>((device.malloc_from(&start)?, device.malloc_filled(POINTS, 0f64)?));
    let ((mut u, mut v), (mut expected, mut other)) = (fields()?, fields()?);
    let mut graph = device.record(|recorder| {
        let (mut from, mut to) = (u.share(), v.share());
        for _ in 0..3 {
            recorder.launch(&step, args![POINTS, 0.0625, &from, &mut to])?;
            std::mem::swap(&mut from, &mut to);
        }
        recorder.rotate([&u, &v])
    })?;
    for times in [4, 3, 6] {
        graph.replay_rotating(times, [&mut u, &mut v])?;
        for _ in 0..3 * times {
            step.launch(args![POINTS, 0.0625, &expected, &mut other])?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
        check::same("the other", &v.to_vec()?, &other.to_vec()?)?;
    }
    is_tiled(&device, &graph, ALL)
}

/// An integer that decides where items read, which may be changed because it decides no size.
fn sizes_change(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const int shift, const float *u, float *v) {
        for (int i = 8; i < n - 8; ++i; @tile(64, @outer, @inner)) { v[i] = 0.75f * u[i] + 0.25f * u[i + shift]; }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    let ([mut u, mut v], [mut expected, mut other]) = (pair(&device)?, pair(&device)?);
    let mut graph = device.record(|recorder| {
        recorder.launch(&step, args![POINTS, 1, &u, &mut v])?;
        recorder.rotate([&u, &v])
    })?;
    for (times, shift) in [(6, 1), (8, -3), (7, 5), (6, 0)] {
        graph.set_argument(0, "shift", shift)?;
        graph.replay_rotating(times, [&mut u, &mut v])?;
        for _ in 0..times {
            step.launch(args![POINTS, shift, &expected, &mut other])?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
        check::same("the other", &v.to_vec()?, &other.to_vec()?)?;
    }
    is_tiled(&device, &graph, ALL)
}

/// What an item computes in a loop, by a function, and from a table of the source.
fn loops_and_functions(device: &Device) -> Outcome {
    let source = "
    const float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    float limited(const float value, const float most) {
        if (value > most) { return most; }
        return value < -most ? -most : value;
    }
    @kernel void step(const int n, const float most, const float *u, float *v) {
        for (int i = 2; i < n - 2; ++i; @tile(64, @outer, @inner)) {
            float sum = 0.0f;
            for (int j = 0; j < 5; ++j) { sum += weights[j] * u[i + j - 2]; }
            v[i] = limited(1.03125f * sum, most);
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    same_as_commands(&device, BY_THEIR_CODE, &|u, v, commands| commands.launch(&step, args![POINTS, 0.375f32, u, v]))
}

/// An index of the number of the group and of the item, as one writes it for GPUs.
fn groups_by_hand(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const int groups, const float *u, float *v) {
        for (int b = 0; b < groups; ++b; @outer) for (int t = 0; t < 96; ++t; @inner) {
            const long i = 1 + b * 96 + t;
            if (i > n - 2) { return; }
            v[i] = 0.5f * u[i] + 0.25f * (u[i - 1] + u[i + 1]) - 0.125f * u[i] * (u[i + 1] - u[i - 1]);
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    let groups = POINTS.div_ceil(96);
    same_as_commands(&device, BY_THEIR_CODE, &|u, v, commands| commands.launch(&step, args![POINTS, groups, u, v]))
}

/// An integer that each replay has another value of.
fn integers_change(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const int time, const float *u, float *v) {
        for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) {
            const int left = (i == 0) ? n - 1 : i - 1;
            v[i] = 0.5f * (u[i] + u[left]) + 0.0625f * (time % 3);
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    let ([mut u, mut v], [mut expected, mut other]) = (pair(&device)?, pair(&device)?);
    let mut graph = device.record(|recorder| {
        recorder.launch(&step, args![POINTS, 0, &u, &mut v])?;
        recorder.rotate([&u, &v])
    })?;
    for (time, times) in [(0, 6), (1, 8), (5, 1), (4, 7), (3, 9)] {
        graph.set_argument(0, "time", time)?;
        graph.replay_rotating(times, [&mut u, &mut v])?;
        for _ in 0..times {
            step.launch(args![POINTS, time, &expected, &mut other])?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
    }
    is_tiled(&device, &graph, ALL)
}

/// Loops that no window could run with the same bits, and what is said of them.
fn reasons_why_not(device: &Device) -> Outcome {
    let step = |body: &str| {
        format!(
            "float at(const float *u, const int i) {{ return u[i]; }}
            @kernel void step(const int n, const float *u, float *v) {{
                for (int i = 1; i < n - 1; ++i; @tile(64, @outer, @inner)) {{ {body} }}
            }}"
        )
    };
    let device = tiled(device, 5)?;
    let modes: &[&str] = &["OpenCL", "WebGPU", "Vulkan"];
    let cases = [
        ("v[i] = 0.5f * (at(u, i - 1) + u[i + 1]);", "", "gives a function a pointer"),
        ("v[i] = 0.5f * (u[i - 1] + u[i + 1]);", "fp_contract: fast", "the bits may depend on the text around it"),
        (
            "float s = 0.0f; for (int j = 0; s + u[i] < 1.0f && j < 3; ++j) { s += 0.5f; } v[i] = 0.5f * u[i - 1] + s;",
            "",
            "has a loop of which data may decide how long it runs",
        ),
    ];
    for (body, props, reason) in cases {
        let step = device.build_kernel_from_string(&step(body), "step", props)?;
        let ([mut u, mut v], [mut expected, mut other]) = (pair(&device)?, pair(&device)?);
        let mut graph = device.record(|recorder| {
            recorder.launch(&step, args![POINTS, &u, &mut v])?;
            recorder.rotate([&u, &v])
        })?;
        graph.replay_rotating(12, [&mut u, &mut v])?;
        for _ in 0..12 {
            step.launch(args![POINTS, &expected, &mut other])?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
        let plan = graph.plan();
        let is_said = plan.steps_per_pass == 1 && plan.reason.contains(reason);
        check::that(is_said || !modes.contains(&device.mode()), format!("`{reason}` is said: {plan}"))?;
    }
    Ok(())
}

fn data_decide_what_is_written(device: &Device) -> Outcome {
    let source = "@kernel void step(const int n, const float *u, float *v) {
        for (int i = 1; i < n - 1; ++i; @tile(64, @outer, @inner)) {
            const float next = 0.5f * (u[i - 1] + u[i + 1]);
            if (next > 0.0f) { v[i] = next; }
        }
    }";
    let device = tiled(device, 5)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    same_as_commands(&device, PROCESSORS, &|u, v, commands| commands.launch(&step, args![POINTS, u, v]))
}

/// Points along x, y and z, ghosts or walls included: more than a tile has, and no multiple of one.
const BOX: [usize; 3] = [61, 34, 23];

/// Repetitions of the replays of a loop in a box.
const BOX_REPLAYS: [u64; 4] = [4, 1, 9, 5];

/// Two pairs of fields in a box, of which each has its own ghosts.
fn boxes(device: &Device) -> Result<[[Memory<f32>; 2]; 2]> {
    let field =
        |shift: usize| (0..BOX.iter().product()).map(move |i: usize| ((i + shift) * 7919 % 1009) as f32 / 1009.0 - 0.3);
    let fields = [0, 5].map(|shift| field(shift).collect::<Vec<f32>>());
    let pair = || Ok::<_, ferrocca_core::Error>([device.malloc_from(&fields[0])?, device.malloc_from(&fields[1])?]);
    Ok([pair()?, pair()?])
}

/// Faces that repeat each other along x, and mirrors along y and z; edges and corners come along.
fn a_box_with_ghosts(device: &Device) -> Outcome {
    let source = "
    #define AT(x, y, z) ((x) + nx * ((y) + ny * (z)))
    @kernel void step(const int nx, const int ny, const int nz, const float r, const float *u, float *v) {
        for (int z = 2; z < nz - 2; ++z; @outer(2)) for (int y = 2; y < ny - 2; ++y; @outer(1))
        for (int x = 2; x < nx - 2; ++x; @tile(32, @outer(0), @inner(0))) {
            const float here = u[AT(x, y, z)];
            const float sides = (u[AT(x - 1, y, z)] + u[AT(x + 1, y, z)]) + (u[AT(x, y - 1, z)] + u[AT(x, y + 1, z)]);
            v[AT(x, y, z)] = here + r * (sides + (u[AT(x, y, z - 1)] + u[AT(x, y, z + 1)]) - 6.0f * here);
        }
    }
    @kernel void ghosts(const int nx, const int ny, const int nz, float *v) {
        for (int z = 2; z < nz - 2; ++z; @outer(1)) for (int y = 2; y < ny - 2; ++y; @tile(32, @outer(0), @inner(0))) {
            v[AT(0, y, z)] = v[AT(nx - 4, y, z)];
            v[AT(1, y, z)] = v[AT(nx - 3, y, z)];
            v[AT(nx - 2, y, z)] = v[AT(2, y, z)];
            v[AT(nx - 1, y, z)] = v[AT(3, y, z)];
        }
        for (int z = 2; z < nz - 2; ++z; @outer(1)) for (int x = 0; x < nx; ++x; @tile(32, @outer(0), @inner(0))) {
            v[AT(x, 1, z)] = -v[AT(x, 2, z)];
            v[AT(x, ny - 2, z)] = 0.5f * v[AT(x, ny - 3, z)];
        }
        for (int y = 1; y < ny - 1; ++y; @outer(1)) for (int x = 0; x < nx; ++x; @tile(32, @outer(0), @inner(0))) {
            v[AT(x, y, 1)] = v[AT(x, y, 3)];
            v[AT(x, y, nz - 2)] = v[AT(x, y, nz - 3)];
        }
    }";
    let device = tiled(device, 3)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    let ghosts = device.build_kernel_from_string(source, "ghosts", "")?;
    let [nx, ny, nz] = BOX;
    same_fields_as_commands(&device, ALL, boxes(&device)?, &BOX_REPLAYS, &|u, v, commands| {
        commands.launch(&step, args![nx, ny, nz, 0.125f32, u, &mut *v])?;
        commands.launch(&ghosts, args![nx, ny, nz, v])
    })
}

/// Rows that repeat each other, a wall, and neighbours two rows away.
fn a_plane_of_doubles(device: &Device) -> Outcome {
    let source = "
    @kernel void step(const int nx, const int ny, const double *u, double *v) {
        for (int y = 2; y < ny - 2; ++y; @outer) for (int x = 1; x < nx - 1; ++x; @tile(64, @outer, @inner)) {
            const int at = x + nx * y;
            v[at] = u[at] + 0.125 * (u[at - 1] + u[at + 1] - 2.0 * u[at]) + 0.0625 * (u[at - 2 * nx] - 2.0 * u[at] + u[at + 2 * nx]);
        }
    }
    @kernel void ghosts(const int nx, const int ny, double *v) {
        for (int x = 0; x < nx; ++x; @tile(64, @outer, @inner)) {
            v[x] = v[x + (ny - 4) * nx];
            v[x + nx] = v[x + (ny - 3) * nx];
            v[x + (ny - 2) * nx] = v[x + 2 * nx];
            v[x + (ny - 1) * nx] = v[x + 3 * nx];
        }
        for (int y = 0; y < ny; ++y; @tile(64, @outer, @inner)) { v[y * nx] = 0.5 * v[y * nx + 1]; }
    }";
    let device = tiled(device, 3)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    let ghosts = device.build_kernel_from_string(source, "ghosts", "")?;
    let (nx, ny) = (601, 83);
    let start: Vec<f64> = (0..nx * ny).map(|i: usize| (i * 7919 % 1009) as f64 / 1009.0 - 0.3).collect();
    let fields = || Ok::<_, Failure>((device.malloc_from(&start)?, device.malloc_from(&start)?));
    let ((mut u, mut v), (mut expected, mut other)) = (fields()?, fields()?);
    let mut graph = device.record(|recorder| {
        recorder.launch(&step, args![nx, ny, &u, &mut v])?;
        recorder.launch(&ghosts, args![nx, ny, &mut v])?;
        recorder.rotate([&u, &v])
    })?;
    for times in BOX_REPLAYS {
        graph.replay_rotating(times, [&mut u, &mut v])?;
        for _ in 0..times {
            step.launch(args![nx, ny, &expected, &mut other])?;
            ghosts.launch(args![nx, ny, &mut other])?;
            std::mem::swap(&mut expected, &mut other);
        }
        check::same("u", &u.to_vec()?, &expected.to_vec()?)?;
        check::same("the other", &v.to_vec()?, &other.to_vec()?)?;
    }
    is_tiled(&device, &graph, ALL)
}

/// Walls that keep what they have, a coefficient for each point, and an item's own numbers in what it computes.
fn a_box_with_walls(device: &Device) -> Outcome {
    let source =
        "@kernel void step(const int nx, const int ny, const int nz, const float *k, const float *u, float *v) {
        for (int z = 1; z < nz - 1; ++z; @outer(2)) for (int y = 1; y < ny - 1; ++y; @tile(4, @outer(0), @inner(0)))
        for (int x = 1; x < nx - 1; ++x; @tile(16, @outer(1), @inner(1))) {
            const int at = x + nx * (y + ny * z);
            v[at] = k[x - 1 + (nx - 2) * (y - 1 + (ny - 2) * (z - 1))] * u[at] + 0.25f * (u[at - 1] - u[at + nx])
                  + 0.125f * (u[at + nx * ny] - u[at - nx * ny]) + 0.001f * (x % 7) + 0.002f * (x == 9 ? y : z % 5);
        }
    }";
    let device = tiled(device, 3)?;
    let step = device.build_kernel_from_string(source, "step", "")?;
    let [nx, ny, nz] = BOX;
    let k: Vec<f32> = (0..(nx - 2) * (ny - 2) * (nz - 2)).map(|i| 0.25 + (i % 11) as f32 / 64.0).collect();
    let k = device.malloc_from(&k)?;
    same_fields_as_commands(&device, ALL, boxes(&device)?, &BOX_REPLAYS, &|u, v, commands| {
        commands.launch(&step, args![nx, ny, nz, &k, u, v])
    })
}
