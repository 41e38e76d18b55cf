//! Exchanges within recorded loops: the bits of the loop without ranks, for every cut.

use ferrocca_backend_cpu as _;
use ferrocca_backend_reference as _;
use ferrocca_comm::{Comm, Grid, RecordExchange, group};
use ferrocca_core::{Device, Props, Result, args};

const HEAT: &str = "
@kernel void heat(const int rows, const int columns, const double r, @restrict const double *u, @restrict double *v) {
  for (int i = 1; i < rows + 1; ++i; @outer) {
    for (int j = 1; j < columns + 1; ++j; @inner) {
      const int w = columns + 2;
      const int at = i * w + j;
      v[at] = u[at] + r * SCALE * (u[at - 1] + u[at + 1] + u[at - w] + u[at + w] - 4 * u[at]);
    }
  }
}";
const SHAPE: [usize; 2] = [12, 9];
const STEPS: u64 = 13;

/// The field after some steps, on rank 0: recorded, or step by step.
fn solve(comm: &Comm, device: &Device, cut: &[usize], recorded: bool) -> Result<Option<Vec<f64>>> {
    let grid = Grid::new(comm, &SHAPE, 1)?.parts(cut)?.periodic(&[true, true])?.without_corners();
    let heat = device.build_kernel_from_string(HEAT, "heat", Props::new().define("SCALE", "0.5"))?;
    let layout = grid.centred();
    let start: Vec<f64> = (0..SHAPE[0] * SHAPE[1]).map(|i| ((i * 37) % 101) as f64 / 7.0).collect();
    let mut u = device.malloc_filled(layout.len(), 0.0)?;
    let mut v = device.malloc_filled(layout.len(), 0.0)?;
    grid.scatter(&start, &mut u)?;
    grid.exchange(&mut [&mut u])?;
    let (rows, columns) = (layout.extents()[0] as i32, layout.extents()[1] as i32);
    if recorded {
        let plan = grid.plan(&[&mut v])?;
        let mut ring = device.malloc::<f64>(4 * layout.len())?;
        let mut graph = device.record(|r| {
            r.launch(&heat, args![rows, columns, 0.125, &u, &mut v])?;
            r.exchange(&plan, &mut [&mut v])?;
            r.snapshot(&v, &mut ring)?;
            r.rotate([&u, &v])
        })?;
        assert_eq!(graph.host_steps(), usize::from(comm.size() > 1));
        graph.set_argument(0, "r", 0.25)?;
        for times in [4, 1, 4, 4] {
            graph.replay_rotating(times, [&mut u, &mut v])?;
            let slot = ring.slice((times as usize - 1) * layout.len()..times as usize * layout.len())?;
            assert_eq!(slot.to_vec()?, u.to_vec()?);
        }
    } else {
        for _ in 0..STEPS {
            heat.launch(args![rows, columns, 0.25, &u, &mut v])?;
            grid.exchange(&mut [&mut v])?;
            u.swap(&mut v);
        }
    }
    grid.gather(&u)
}

#[test]
fn a_recorded_loop_has_the_same_bits_for_every_cut() {
    let device = Device::open("mode=Reference").unwrap();
    let expected = solve(&Comm::alone(), &device, &[1, 1], false).unwrap().unwrap();
    assert!(expected.iter().any(|value| *value != expected[0]));
    for (mode, cut) in [
        ("mode=Reference", [1, 1]),
        ("mode=Serial", [1, 1]),
        ("mode=Reference", [2, 1]),
        ("CPU, threads=1", [2, 2]),
        ("mode=Serial", [1, 3]),
        ("mode=Serial", [4, 2]),
    ] {
        for recorded in [false, true] {
            let run = |comm: &Comm| solve(comm, &Device::open(mode)?, &cut, recorded);
            let found = group(cut.iter().product(), run).unwrap().remove(0).unwrap();
            let is_same = found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(is_same, "{mode} {cut:?} {recorded}");
        }
    }
}

/// The field after some steps of a loop that exchanges in each, on rank 0, and the repetitions of a pass; 40 rows.
fn solve_in_passes(comm: &Comm, device: &Device, cut: &[usize]) -> Result<(Option<Vec<f64>>, u64)> {
    let shape = [40, SHAPE[1]];
    let grid = Grid::new(comm, &shape, 1)?.parts(cut)?.periodic(&[true, true])?.without_corners();
    let heat = device.build_kernel_from_string(HEAT, "heat", Props::new().define("SCALE", "0.5"))?;
    let layout = grid.centred();
    let start: Vec<f64> = (0..shape[0] * shape[1]).map(|i| ((i * 37) % 101) as f64 / 7.0).collect();
    let mut u = device.malloc_filled(layout.len(), 0.0)?;
    let mut v = device.malloc_filled(layout.len(), 0.0)?;
    grid.scatter(&start, &mut u)?;
    grid.exchange(&mut [&mut u])?;
    let plan = grid.plan(&[&mut v])?;
    let mut graph = device.record(|r| {
        r.launch(&heat, args![layout.extents()[0] as i32, layout.extents()[1] as i32, 0.125, &u, &mut v])?;
        r.exchange(&plan, &mut [&mut v])?;
        r.rotate([&u, &v])
    })?;
    // Not all ranks replay as many at a time.
    let replays: &[u64] = if comm.rank() == 1 { &[5, 4, 1, 10] } else { &[9, 11] };
    for &times in replays {
        graph.replay_rotating(times, [&mut u, &mut v])?;
    }
    Ok((grid.gather(&u)?, graph.plan().steps_per_pass))
}

#[test]
fn several_repetitions_in_a_pass_have_the_same_bits() {
    let reference = Device::open("mode=Reference").unwrap();
    let expected = solve_in_passes(&Comm::alone(), &reference, &[1, 1]).unwrap().0.unwrap();
    let (serial, threads) = ("mode=Serial, tiling=4", "mode=CPU, threads=2, tiling=4");
    for (modes, cut, steps) in [
        (&[serial, serial][..], [2, 1], 4),
        (&[threads, threads, threads], [3, 1], 4),
        // Ranks that do not do the same would wait for each other.
        (&[serial, "mode=Serial, tiling=3"], [2, 1], 1),
        (&[serial, threads], [2, 1], 1),
        (&[serial, "mode=Serial, tiling=off"], [2, 1], 1),
        // One has no graphs that run work of the host.
        (&[serial, "mode=Reference"], [2, 1], 1),
        // The neighbours' columns lie everywhere, so that tiles have little to do.
        (&[serial, serial], [1, 2], 4),
        (&[serial, serial, serial, serial], [2, 2], 4),
    ] {
        let run = |comm: &Comm| solve_in_passes(comm, &Device::open(modes[comm.rank()])?, &cut);
        let found = group(modes.len(), run).unwrap();
        let passes: Vec<u64> = found.iter().map(|(_, steps)| *steps).collect();
        assert!(passes.iter().all(|of| *of == steps), "{modes:?} {cut:?}: {steps} expected, {passes:?}");
        let values = found[0].0.as_ref().unwrap();
        let is_same = values.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(is_same, "{modes:?} {cut:?}");
    }
}

#[test]
fn kernels_that_differ_are_found_at_the_first_exchange() {
    let record = |scale: &'static str, text: &'static str| {
        group(2, move |comm| {
            let device = Device::open("mode=Reference")?;
            let grid = Grid::new(comm, &SHAPE, 1)?;
            let (scale, text) = if comm.rank() == 1 { (scale, text) } else { ("0.5", "") };
            let source = format!("{HEAT}{text}");
            let heat = device.build_kernel_from_string(&source, "heat", Props::new().define("SCALE", scale))?;
            let layout = grid.centred();
            let u = device.malloc_filled(layout.len(), 0.0)?;
            let mut v = device.malloc_filled(layout.len(), 0.0)?;
            let plan = grid.plan(&[&mut v])?;
            device.record(|r| {
                r.launch(&heat, args![layout.extents()[0] as i32, layout.extents()[1] as i32, 0.1, &u, &mut v])?;
                r.exchange(&plan, &mut [&mut v])
            })
        })
    };
    record("0.5", "").unwrap();
    for (scale, text) in [("0.25", ""), ("0.5", "\n// A comment.")] {
        let error = record(scale, text).expect_err("kernels that differ").to_string();
        assert!(
            error.contains("do not agree on the kernels of a recorded loop") && error.contains("`heat` of source"),
            "{error}"
        );
    }
}
