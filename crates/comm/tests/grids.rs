//! Exchanges, gathers and reductions on grids of every kind, by threads of this process.

use ferrocca_backend_cpu as _;
use ferrocca_backend_reference as _;
use ferrocca_comm::{Boundary, Comm, Grid, Layout, Operation, Plan, group, peers};
use ferrocca_core::{DType, Device, Memory, Result};

const OUTSIDE: f64 = -1.0;

/// What the point with these global indices holds.
fn value(index: &[i64]) -> f64 {
    index.iter().fold(0.0, |sum, index| sum * 100.0 + *index as f64 + 1.0)
}

/// Local indices of all elements of a layout, ghosts included.
fn indices(layout: &Layout) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for extent in layout.shape() {
        all = all.iter().flat_map(|index| (0..extent).map(|i| [&index[..], &[i]].concat())).collect();
    }
    all
}

/// A kind of grid and field.
#[derive(Clone, Copy, Debug)]
struct Case {
    shape: &'static [usize],
    cut: &'static [usize],
    halo: usize,
    periodic: &'static [bool],
    surplus: &'static [usize],
    corners: bool,
}

fn exchanged(comm: &Comm, device: &Device, case: Case) -> Result<()> {
    let grid = Grid::new(comm, case.shape, case.halo)?.parts(case.cut)?.periodic(case.periodic)?;
    let grid = if case.corners { grid } else { grid.without_corners() };
    let layout = grid.staggered(case.surplus)?;
    let mut expected = Vec::new();
    let mut values = Vec::new();
    for local in indices(&layout) {
        let mut global: Vec<i64> = local.iter().enumerate().map(|(axis, i)| grid.global_index(axis, *i)).collect();
        let mut ghosts = 0;
        let mut is_outside = false;
        for axis in 0..grid.axes() {
            let (shape, halo) = (case.shape[axis] as i64, case.halo);
            let interior = layout.extents()[axis] + case.surplus[axis];
            ghosts += usize::from(local[axis] < halo || local[axis] >= halo + interior);
            if case.periodic[axis] {
                global[axis] = global[axis].rem_euclid(shape);
            } else if global[axis] < 0 || global[axis] >= shape + case.surplus[axis] as i64 {
                is_outside = true;
            }
        }
        let known = if is_outside { OUTSIDE } else { value(&global) };
        values.push(if ghosts == 0 { known } else { OUTSIDE });
        expected.push(if ghosts <= 1 || case.corners { known } else { OUTSIDE });
    }
    let mut u = device.malloc_from(&values)?;
    let mut v = device.malloc_from(&values.iter().map(|value| *value as f32).collect::<Vec<_>>())?;
    let plan = Plan::new(&grid, device, &[(layout, DType::F64)])?;
    plan.exchange(&mut [&mut u])?;
    assert_eq!(u.to_vec()?, expected, "{case:?}, rank {}", comm.rank());
    // Two fields of different types, in one message.
    let mut u = device.malloc_from(&values)?.into_untyped();
    let plan = Plan::new(&grid, device, &[(layout, DType::F64), (layout, DType::F32)])?;
    let mut second = v.share().into_untyped();
    plan.exchange(&mut [&mut u, &mut second])?;
    assert_eq!(u.typed::<f64>()?.to_vec()?, expected, "{case:?}");
    let narrow: Vec<f32> = expected.iter().map(|value| *value as f32).collect();
    assert_eq!(v.to_vec()?, narrow, "{case:?}");
    v.fill(0.0)
}

const CASES: &[Case] = {
    const BASE: Case = Case { shape: &[10], cut: &[1], halo: 1, periodic: &[true], surplus: &[0], corners: true };
    const PLANE: Case =
        Case { shape: &[7, 9], cut: &[1, 1], halo: 2, periodic: &[true, false], surplus: &[0, 0], corners: true };
    const SPACE: Case = Case {
        shape: &[4, 5, 6],
        cut: &[1, 1, 1],
        halo: 1,
        periodic: &[false, true, true],
        surplus: &[0, 0, 0],
        corners: true,
    };
    &[
        BASE,
        Case { periodic: &[false], ..BASE },
        Case { cut: &[2], ..BASE },
        Case { cut: &[3], halo: 3, ..BASE },
        Case { cut: &[3], periodic: &[false], halo: 2, ..BASE },
        Case { cut: &[3], surplus: &[1], halo: 2, ..BASE },
        Case { cut: &[4], surplus: &[1], periodic: &[false], ..BASE },
        Case { cut: &[5], halo: 2, ..BASE },
        PLANE,
        Case { cut: &[2, 2], ..PLANE },
        Case { cut: &[3, 1], ..PLANE },
        Case { cut: &[1, 3], surplus: &[0, 1], ..PLANE },
        Case { cut: &[2, 2], surplus: &[1, 0], halo: 1, ..PLANE },
        Case { cut: &[2, 2], corners: false, ..PLANE },
        SPACE,
        Case { cut: &[2, 1, 2], ..SPACE },
        Case { cut: &[1, 2, 2], surplus: &[0, 0, 1], ..SPACE },
        Case { cut: &[2, 2, 1], corners: false, periodic: &[true, true, true], ..SPACE },
        Case { cut: &[2, 2, 2], ..SPACE },
    ]
};

#[test]
fn ghosts_hold_what_the_neighbours_have() {
    for case in CASES {
        let size = case.cut.iter().product();
        group(size, |comm| exchanged(comm, &Device::open("mode=Reference")?, *case)).unwrap();
    }
}

#[test]
fn devices_of_different_modes_exchange() {
    let devices = ["mode=Reference", "mode=Serial", "CPU, threads=1", "mode=Reference"];
    let devices: Vec<Device> = devices.iter().map(|props| Device::open(*props).unwrap()).collect();
    for case in CASES.iter().filter(|case| case.cut.iter().product::<usize>() == 4) {
        peers(&devices, |comm, device| exchanged(comm, device, *case)).unwrap();
    }
}

/// The field of a grid: interior values from `of`, ghosts that would show.
fn field<T: ferrocca_core::Element>(
    device: &Device,
    grid: &Grid,
    ghost: T,
    of: impl Fn(usize) -> T,
) -> Result<Memory<T>> {
    let layout = grid.centred();
    let values = indices(&layout).into_iter().map(|local| {
        let mut number = 0;
        for (axis, local) in local.into_iter().enumerate() {
            let global = grid.global_index(axis, local);
            let is_own = local >= grid.halo() && local < grid.halo() + layout.extents()[axis];
            if !is_own {
                return ghost;
            }
            number = number * grid.shape()[axis] + global as usize;
        }
        of(number)
    });
    device.malloc_from(&values.collect::<Vec<_>>())
}

#[test]
fn reductions_have_the_same_bits_for_every_cut() {
    let cuts: &[(&[usize], &[&[usize]])] = &[
        (&[5000], &[&[1], &[2], &[3], &[7]]),
        (&[40, 130], &[&[1, 1], &[2, 1], &[1, 3], &[3, 2]]),
        (&[6, 7, 70], &[&[1, 1, 1], &[2, 1, 2], &[1, 3, 1], &[2, 2, 2]]),
    ];
    for (shape, cuts) in cuts {
        let mut all: Vec<(u64, f32, i64)> = Vec::new();
        for cut in *cuts {
            let results = group(cut.iter().product(), |comm| {
                let device = Device::open("mode=Reference")?;
                let grid = Grid::new(comm, shape, 1)?.parts(cut)?;
                let u = field(&device, &grid, f64::NAN, |i| 1.0 / (i as f64 + 0.3))?;
                let v = field(&device, &grid, -1e9, |i| ((i * 7919) % 1009) as f32)?;
                let w = field(&device, &grid, 1 << 60, |i| i as i64 * 3)?;
                let sum = grid.reduce(Operation::Sum, &u)?.to_bits();
                Ok((sum, grid.reduce(Operation::Min, &v)?, grid.reduce(Operation::Sum, &w)?))
            });
            all.extend(results.unwrap());
        }
        assert!(all.iter().all(|result| *result == all[0]), "{shape:?}: {all:?}");
        let count: usize = shape.iter().product();
        assert_eq!(all[0].2, (0..count as i64).map(|i| i * 3).sum::<i64>());
        let sum: f64 = (0..count).map(|i| 1.0 / (i as f64 + 0.3)).sum();
        assert!((f64::from_bits(all[0].0) - sum).abs() < 1e-11 * sum);
    }
}

#[test]
fn what_is_scattered_is_gathered() {
    let cases: &[(&[usize], &[usize], &[usize])] = &[
        (&[11], &[3], &[0]),
        (&[11], &[3], &[1]),
        (&[5, 6], &[2, 2], &[0, 0]),
        (&[5, 6], &[2, 2], &[1, 0]),
        (&[3, 4, 5], &[1, 2, 2], &[0, 0, 1]),
    ];
    for (shape, cut, surplus) in cases {
        let count: usize = shape.iter().zip(*surplus).map(|(points, surplus)| points + surplus).product();
        let all: Vec<i32> = (0..count as i32).collect();
        let gathered = group(cut.iter().product(), |comm| {
            let device = Device::open("mode=Reference")?;
            let grid = Grid::new(comm, shape, 2)?.parts(cut)?;
            let layout = grid.staggered(surplus)?;
            let mut u = device.malloc_filled(layout.len(), -1)?;
            let given = if comm.rank() == 0 { &all[..] } else { &[] };
            grid.scatter_layout(given, &mut u, &layout)?;
            grid.gather_layout(&u, &layout)
        });
        let gathered = gathered.unwrap();
        assert_eq!(gathered[0].as_ref(), Some(&all), "{shape:?} {cut:?} {surplus:?}");
        assert!(gathered[1..].iter().all(Option::is_none));
    }
}

#[test]
fn a_grid_knows_whose_its_points_are() {
    group(3, |comm| {
        let grid = Grid::new(comm, &[10, 4], 1)?;
        assert_eq!(grid.cut(), [3, 1], "the slower axis is cut");
        let owners: usize =
            (0..10).flat_map(|i| (0..4).map(move |j| [i, j])).filter(|index| grid.owns(index).is_some()).count();
        assert_eq!(owners, grid.extents().iter().product::<usize>());
        let first = grid.start()[0];
        assert_eq!(grid.owns(&[first, 2]), Some(6 + 3));
        assert_eq!(grid.x_global(0, 1, 0.5), first as f64 * 0.5);
        assert_eq!(grid.global_index(0, 0), first as i64 - 1);
        Ok(())
    })
    .unwrap();
}

/// Kernels that wrap around their own part, as a scheme does whose ghosts are those of the step before.
#[test]
fn wrapped_ends_swap_the_ghosts_that_the_kernels_wrote() {
    group(3, |comm| {
        let device = Device::open("mode=Reference")?;
        let grid = Grid::new(comm, &[9], 1)?.boundaries(&[Boundary::Wrapped])?;
        let mut u = device.malloc_from(&[-(comm.rank() as f64) - 10.0, 1.0, 2.0, 3.0, comm.rank() as f64 + 20.0])?;
        grid.exchange(&mut [&mut u])?;
        let (low, high) = match comm.rank() {
            0 => (-12.0, 1.0),
            1 => (3.0, 1.0),
            _ => (3.0, 20.0),
        };
        assert_eq!(u.to_vec()?, [low, 1.0, 2.0, 3.0, high]);
        Ok(())
    })
    .unwrap();
    let grid = Grid::new(&Comm::alone(), &[3], 1).unwrap().boundaries(&[Boundary::Wrapped]).unwrap();
    let device = Device::open("mode=Reference").unwrap();
    let mut u = device.malloc_from(&[9.0, 1.0, 2.0, 3.0, 8.0]).unwrap();
    grid.exchange(&mut [&mut u]).unwrap();
    assert_eq!(u.to_vec().unwrap(), [9.0, 1.0, 2.0, 3.0, 8.0]);
}

#[test]
fn work_runs_between_start_and_finish() {
    group(2, |comm| {
        let device = Device::open("mode=Reference")?;
        let grid = Grid::new(comm, &[8], 1)?.periodic(&[true])?;
        let own = comm.rank() as f64;
        let mut u = device.malloc_from(&[-1.0, own, own, own, own, -1.0])?;
        let plan = grid.plan(&[&mut u])?;
        assert_eq!((plan.messages_sent(), plan.bytes_sent()), (2, 16));
        let text = plan.to_string();
        assert!(
            text.contains("by peers: this rank sends 2 messages, 16 bytes") && text.contains("by way of the host"),
            "{text}"
        );
        let running = plan.start(&mut [&mut u])?;
        let twice = plan.start(&mut [&mut u.share()]).expect_err("one at a time").to_string();
        assert!(twice.contains("under way"), "{twice}");
        running.finish()?;
        let other = 1.0 - own;
        assert_eq!(u.to_vec()?, [other, own, own, own, own, other]);
        Ok(())
    })
    .unwrap();
}
