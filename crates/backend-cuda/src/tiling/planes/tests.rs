//! Loops over planes, as texts and as what they compute, without a GPU.

use super::planner::{self, Limits, Planned};
use super::run::Planes;
use super::source;
use crate::emulator;
use crate::graph::set_value;
use crate::kernel::CudaKernel;
use crate::persistent::tests::{Setup, int, number, part, snapshot, whole};
use crate::tiling::tests::{Loop, Memory, ptx};
use ferrocca_core::backend::boxes::Tile;
use ferrocca_core::backend::rows::NoPlan;
use ferrocca_core::backend::{GraphArgument, GraphCommand, TilingSetting};
use std::slice;
use std::sync::Arc;

const LIMITS: Limits =
    Limits { shared_bytes: 227 << 10, multiprocessors: 132, cache_bytes: 50 << 20, free_bytes: 100 << 30 };

/// Blocks of few threads, each of which is one of the system.
const SMALL: [&[Tile]; 2] = [&[Tile { width: 40, rows: 1, points: 1 }], &[Tile { width: 16, rows: 8, points: 2 }]];

const HEAT: &str = include_str!("../../../../../examples/kernels/heat3d.okl");

/// A loop as the device would run it, or in small tiles.
fn planned(phases: &[Vec<GraphCommand>], setting: TilingSetting, is_small: bool) -> Planned {
    let planned = match is_small {
        true => planner::plan_in(phases, setting, LIMITS, SMALL),
        false => planner::plan(phases, setting, LIMITS),
    };
    match planned {
        Ok(planned) => planned,
        Err(NoPlan::Refused(reason)) => panic!("{reason}"),
        Err(NoPlan::Fault(error)) => panic!("{error}"),
    }
}

fn refusal(phases: &[Vec<GraphCommand>], setting: TilingSetting) -> String {
    refusal_with(phases, setting, LIMITS)
}

fn refusal_with(phases: &[Vec<GraphCommand>], setting: TilingSetting, limits: Limits) -> String {
    match planner::plan(phases, setting, limits) {
        Err(NoPlan::Refused(reason)) => reason,
        Err(NoPlan::Fault(error)) => panic!("{error}"),
        Ok(_) => panic!("it is not refused"),
    }
}

/// NVRTC takes the text and finds all offsets.
fn check_by_nvrtc(text: &str, options: &[String]) {
    let Some(ptx) = ptx(text, options) else { return };
    assert!(!ptx.contains("okl_offset_is_no_constant"), "offsets are not found:\n{text}");
    assert!(!ptx.contains(".local"), "columns lie in memory:\n{text}");
}

fn groups(points: usize, group: u64) -> u64 {
    (points as u64).div_ceil(group)
}

/// The loop of `examples/heat3d.rs`, whose numbers have so many bytes.
fn heat([nx, ny, nz]: [usize; 3], is_periodic: bool, bytes: usize) -> Loop {
    let ty = if bytes == 8 { "double" } else { "float" };
    let setup = Setup::of(&format!("#define dfloat {ty}\n#define POINTS 7\n#define TILE 32\n{HEAT}"));
    let len = (nx + 4) * (ny + 4) * (nz + 4);
    let value = |i: usize| (i * 7919 % 1009) as f64 / 1009.0 - 0.3;
    let memory = |shift: usize| match bytes {
        8 => setup.memory(&(0..len).map(|i| value(i + shift)).collect::<Vec<f64>>()),
        _ => {
            let pair = |i: usize| [2 * i, 2 * i + 1].map(|i| (value(i + shift) as f32).to_bits());
            let pairs = (0..len.div_ceil(2)).map(pair);
            setup.memory(&pairs.map(|[a, b]| f64::from_bits(u64::from(b) << 32 | u64::from(a))).collect::<Vec<f64>>())
        }
    };
    let u = [memory(0), memory(5)];
    let of = |memory: &Memory, mutable: bool| GraphArgument::Memory {
        memory: Some(memory.clone()),
        offset_bytes: 0,
        bytes: (len * bytes) as u64,
        element_bytes: bytes as u32,
        mutable,
    };
    let r = match bytes {
        8 => number(0.125),
        _ => GraphArgument::Value(0.125_f32.to_ne_bytes().to_vec()),
    };
    let [x, y, z] = [nx, ny, nz].map(|n| int(n as i32));
    let periodic = int(i32::from(is_periodic));
    let phase = |from: usize| {
        let (u, v) = (&u[from], &u[1 - from]);
        let (wide, group) = (groups(nx + 4, 32), [32, 1, 1]);
        let sizes = [&x, &y, &z].map(GraphArgument::clone);
        let step = [&sizes[..], &[r.clone(), of(u, false), of(v, true)]].concat();
        let faces = [&sizes[..], &[periodic.clone(), of(v, true)]].concat();
        vec![
            setup.launch_some(0, [groups(nx, 32), ny as u64, nz as u64], group, &step),
            setup.launch_some(1, [groups(ny, 32), nz as u64, 1], group, &faces),
            setup.launch_some(2, [wide, nz as u64, 1], group, &faces),
            setup.launch_some(3, [wide, ny as u64 + 4, 1], group, &faces),
            setup.launch_some(4, [wide, ny as u64 + 4, 1], group, &faces),
        ]
    };
    let phases = vec![phase(0), phase(1)];
    Loop { memory: u.to_vec(), phases, setup }
}

/// The loop as kernels that run on the host, in small tiles, where there is a compiler.
fn planes(of: &Loop, steps: u64) -> Option<Planes> {
    let mut planned = planned(&of.phases, TilingSetting::Steps(steps), true);
    planned.plan.chunk = 5;
    let text = source::text(&planned.plan).unwrap_or_else(|reason| panic!("{reason}"));
    check_by_nvrtc(&text, planned.plan.program.options());
    let entries = source::entries(&planned.plan);
    if !emulator::load(
        &text,
        &entries.iter().map(String::as_str).collect::<Vec<_>>(),
        planned.plan.shared_bytes() as u64,
    ) {
        return None;
    }
    let find = |entry: &String| CudaKernel::find(&of.setup.module, entry, 0, [1 << 30; 3]).expect("it is there");
    let kernels = entries.iter().map(find).map(Arc::new).collect();
    let context = of.setup.stream.context();
    Some(Planes::bound(kernels, planned, of.phases.len(), context).expect("there is memory"))
}

/// Runs replays of so many repetitions by single commands and in passes, and compares all memory bit by bit.
fn same(of: &Loop, steps: u64, replays: &[u64]) {
    if !of.setup.run_on_host() {
        return;
    }
    let Some(planes) = planes(of, steps) else { return };
    let (before, stream) = (of.read(), &of.setup.stream);
    let (mut phase, mut passes) = (0, 0);
    for &times in replays {
        of.single(phase, times);
        phase += times as usize;
    }
    let expected = of.read();
    assert_ne!(expected, before);
    of.write(&before);
    phase = 0;
    for &times in replays {
        let mut left = times;
        planes.begin(stream).expect("it copies");
        while let Some(steps) = planes.plan().pass(left) {
            let first = phase % of.phases.len();
            // They run beside each other.
            if passes % 2 == 0 {
                planes.tiles(first, stream).expect("it runs");
            }
            planes.shell(&of.phases, first, stream).expect("it runs");
            if passes % 2 == 1 {
                planes.tiles(first, stream).expect("it runs");
            }
            phase += steps as usize;
            left -= steps;
            passes += 1;
        }
        of.single(phase, left);
        phase += left as usize;
    }
    assert!(passes > 0, "no replay has a pass");
    for (number, (own, expected)) in of.read().iter().zip(&expected).enumerate() {
        let first = own.iter().zip(expected).position(|(own, other)| own != other);
        assert_eq!(first, None, "memory {number}, {replays:?}, {steps} steps a pass");
    }
}

#[test]
fn heat_in_a_box_has_the_bits_of_single_launches() {
    for (extents, is_periodic, bytes) in [([21, 18, 13], false, 8), ([25, 21, 17], true, 8), ([23, 19, 16], true, 4)] {
        same(&heat(extents, is_periodic, bytes), 3, &[4, 7, 1]);
    }
}

/// A loop of a kernel that writes `v` from `u` in a box of points that two arrays have, and of others that may follow it, each
/// launched over these groups of these items. `k` is read in place, and `r` a value.
fn looped(source: &str, points: [usize; 3], of: &[([u64; 3], [u64; 3])]) -> Loop {
    let setup = Setup::of(source);
    let len = points.iter().product::<usize>();
    let values =
        |shift: usize| (0..len + 3).map(|i| ((i + shift) * 7919 % 1009) as f64 / 1009.0 - 0.3).collect::<Vec<_>>();
    let (u, k) = ([setup.memory(&values(0)), setup.memory(&values(5))], setup.memory(&values(9)));
    let sizes = points.map(|n| int(n as i32));
    let phase = |from: usize| {
        // The arrays begin at an odd place of their memory.
        let [u, v] =
            [(from, false), (1 - from, true)].map(|(of, is_mutable)| part(&u[of], 24, 8 * len as u64, is_mutable));
        let params = [&sizes[..], &[number(0.125), whole(&k, false), u, v]].concat();
        let launch =
            |(nest, &(outer, inner)): (usize, &([u64; 3], [u64; 3]))| setup.launch_some(nest, outer, inner, &params);
        of.iter().enumerate().map(launch).collect::<Vec<_>>()
    };
    let phases = vec![phase(0), phase(1)];
    Loop { memory: vec![u[0].clone(), u[1].clone(), k], phases, setup }
}

const PARAMETERS: &str =
    "const int nx, const int ny, const int nz, const double r, const double *k, const double *u, double *v";

/// Groups along two axes, coordinates in what is computed, a coefficient for each point, walls that nobody writes.
#[test]
fn items_may_use_their_numbers() {
    let source = format!(
        "@kernel void step({PARAMETERS}) {{
          for (int z = 1; z < nz - 1; ++z; @outer(2)) {{
            for (int b = 1; b < ny - 1; b += 4; @outer(1)) {{
              for (int x = 1; x < nx - 1; ++x; @tile(8, @outer(0), @inner(0))) {{
                for (int y = b; y < b + 4; ++y; @inner(1)) {{
                  if (y < ny - 1) {{
                    const int at = x + nx * (y + ny * z);
                    const double w = x == 9 && y != 8 ? 0.5 * r : r;
                    v[at] = k[x - 1 + (nx - 2) * (y - 1 + (ny - 2) * (z - 1))] * u[at] + w * (u[at - 1] - u[at + 1])
                          + 0.25 * (u[at - nx] + u[at + nx - 1] - u[at + nx]) + 0.125 * (u[at + nx * ny] - u[at - nx * ny])
                          + 0.001 * (x % 7) + 0.002 * (y - b) + 0.003 * (z * y % 5);
                  }}
                }}
              }}
            }}
          }}
        }}"
    );
    let numbered = looped(&source, [31, 27, 17], &[([4, 7, 15], [8, 4, 1])]);
    same(&numbered, 3, &[4, 7, 1]);
}

/// Over two axes, whose faces repeat each other.
#[test]
fn planes_of_two_axes() {
    let source = format!(
        "@kernel void step({PARAMETERS}) {{
          for (int z = 2; z < nz - 2; ++z; @outer(1)) {{
            for (int x = 2; x < nx - 2; ++x; @tile(16, @outer(0), @inner(0))) {{
              v[x + nx * z] = u[x + nx * z] + r * (u[x - 2 + nx * z] - u[x + 1 + nx * z]) + 0.25 * (u[x + nx * (z - 1)] - u[x + nx * (z + 2)]);
            }}
          }}
          for (int z = 2; z < nz - 2; ++z; @tile(16, @outer, @inner)) {{
            v[nx * z] = v[nx - 4 + nx * z];
            v[1 + nx * z] = v[nx - 3 + nx * z];
            v[nx - 2 + nx * z] = v[2 + nx * z];
            v[nx - 1 + nx * z] = v[3 + nx * z];
          }}
          for (int x = 0; x < nx; ++x; @tile(16, @outer, @inner)) {{
            v[x] = v[x + nx * (nz - 4)];
            v[x + nx] = v[x + nx * (nz - 3)];
            v[x + nx * (nz - 2)] = v[x + nx * 2];
            v[x + nx * (nz - 1)] = v[x + nx * 3];
          }}
        }}"
    );
    let items = [16, 1, 1];
    let of = [([5, 41, 1], items), ([3, 1, 1], items), ([5, 1, 1], items)];
    let planes = looped(&source, [77, 1, 45], &of);
    same(&planes, 3, &[4, 6]);
}

#[test]
fn the_middle_keeps_away_from_what_others_write() {
    let heat = heat([250, 250, 62], false, 8);
    let plan = planned(&heat.phases, TilingSetting::Steps(4), false).plan;
    let of = &plan.recorded;
    assert_eq!((plan.steps, of.reach, of.depth(3), of.points.clone()), (3, [1; 3], 2, [2..252, 2..252, 2..64]));
    assert_eq!([0, 1, 2].map(|step| of.layers(3, step)), [4, 3, 2]);
    assert_eq!((plan.tile.size(), plan.own(), plan.shared_bytes()), ([64, 32], [58, 26], 6 * (64 * 34 + 2) * 8));
    assert_eq!([1, 3, 4, 100].map(|left| plan.pass(left)), [None, None, Some(3), Some(3)]);
    // Tiles of few steps beside each other, and chunks for all multiprocessors.
    assert_eq!(plan.blocks(), [5, 10, 2]);
    // Tiles read as far behind a point as before it.
    let source = format!(
        "@kernel void step({PARAMETERS}) {{
          for (int z = 1; z < nz; ++z; @outer(2)) for (int y = 0; y < ny; ++y; @outer(1))
          for (int x = 0; x < nx; ++x; @tile(32, @outer(0), @inner(0))) {{
            v[x + nx * (y + ny * z)] = u[x + nx * (y + ny * z)] - r * u[x + nx * (y + ny * (z - 1))];
          }}
        }}"
    );
    let upwind = looped(&source, [80, 50, 40], &[([3, 50, 39], [32, 1, 1])]);
    let upwind = planned(&upwind.phases, TilingSetting::Steps(3), false).plan.recorded;
    assert_eq!((upwind.reach, upwind.depth(3), upwind.middle(3)), ([0, 0, 1], 3, [3..77, 3..47, 4..37]));
    let five = planned(&heat.phases, TilingSetting::Steps(5), false).plan;
    assert_eq!((five.steps, five.tile, five.recorded.depth(5)), (5, plan.tile, 4));
}

#[test]
fn values_can_be_replaced_and_sizes_make_it_anew() {
    let mut heat = heat([21, 18, 13], false, 8);
    if !heat.setup.run_on_host() {
        return;
    }
    let Some(mut planes) = planes(&heat, 3) else { return };
    let before = heat.read();
    let value = 0.0625_f64.to_ne_bytes();
    assert!(planes.set_value(0, 2, &value));
    set_value(&mut heat.phases, 0, 2, &value).expect("it is a value");
    let stream = &heat.setup.stream;
    planes.begin(stream).expect("it copies");
    planes.tiles(0, stream).expect("it runs");
    planes.shell(&heat.phases, 0, stream).expect("it runs");
    let own = heat.setup.read(&heat.memory[1]);
    heat.write(&before);
    heat.single(0, 3);
    assert!(own == heat.setup.read(&heat.memory[1]));
    assert!(!planes.set_value(0, 0, &20_i32.to_ne_bytes()), "a constant of the text");
    assert!(planes.set_value(1, 2, &1_i32.to_ne_bytes()), "of a launch beside it");
}

#[test]
fn what_cannot_run_over_planes_is_refused_with_the_reason() {
    let steps = |phases: &[Vec<GraphCommand>]| refusal(phases, TilingSetting::Steps(3));
    let Loop { setup, memory, phases } = heat([70, 50, 40], false, 8);
    assert!(refusal(&phases, TilingSetting::Auto).contains("not much more than the cache"));
    let full = Limits { cache_bytes: 1 << 10, free_bytes: 4 << 20, ..LIMITS };
    assert!(
        refusal_with(&phases, TilingSetting::Auto, full).contains("are over half of the 4194304 bytes that are free")
    );
    assert!(refusal(&phases, TilingSetting::Steps(2)).contains("do not fit"));
    assert!(steps(&heat([20, 50, 40], false, 8).phases).contains("do not fit"));
    let [step, faces @ ..] = &phases[0][..] else { panic!("launches") };
    assert!(steps(&[[faces, slice::from_ref(step)].concat()]).contains("writes several places"));
    assert!(steps(&[vec![step.clone()]]).contains("does not rotate with one other buffer"));
    let more = |command: GraphCommand| {
        steps(&[0, 1].map(|phase: usize| [&phases[phase][..], slice::from_ref(&command)].concat()))
    };
    assert!(more(snapshot(&memory[1], &memory[0])).contains("a snapshot of each repetition"));
    let again = |phase: usize| [&phases[phase][..], &phases[phase][..1]].concat();
    assert!(steps(&[again(0), again(1)]).contains("more than points near a face"));
    drop(setup);

    let of = |body: &str| {
        let source = format!(
            "@kernel void step({PARAMETERS}) {{
              for (int z = 1; z < nz - 1; ++z; @outer(2)) for (int y = 1; y < ny - 1; ++y; @outer(1))
              for (int x = 1; x < nx - 1; ++x; @tile(32, @outer(0), @inner(0))) {{
                const int at = x + nx * (y + ny * z);
                {body}
              }}
            }}"
        );
        steps(&looped(&source, [72, 50, 40], &[([3, 48, 38], [32, 1, 1])]).phases)
    };
    let refused = [
        ("if (u[at] > 0) v[at] = u[at + nx * ny];", "may depend on data"),
        ("v[at] = u[at + nx * ny + 1];", "neither in an item's plane nor in its column"),
        ("v[at] = u[at - 1] + u[at + nx];", "no neighbours in other planes"),
        ("v[at] = u[at + nx * ny] + u[nx];", "more than points near a face"),
        ("v[at] = u[at + nx * ny]; v[at + 1] = 0;", "writes several places"),
        ("v[at] = v[at - 1] + u[at + nx * ny];", "touch what others of it write"),
    ];
    for (body, reason) in refused {
        let said = of(body);
        assert!(said.contains(reason), "{body}: {said}");
    }
}
