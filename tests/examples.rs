//! The examples of a page each, on every device that this machine has, against what is known of their results.

mod support;

#[path = "../examples/game_of_life.rs"]
mod game_of_life;
#[path = "../examples/heat2d.rs"]
mod heat2d;
#[path = "../examples/heat3d.rs"]
mod heat3d;
#[path = "../examples/histogram.rs"]
mod histogram;
#[path = "../examples/mandelbrot.rs"]
mod mandelbrot;
#[path = "../examples/monte_carlo.rs"]
mod monte_carlo;
#[path = "../examples/nbody.rs"]
mod nbody;
#[path = "../examples/quadratic.rs"]
mod quadratic;
#[path = "../examples/wave.rs"]
mod wave;
#[path = "../examples/zmass.rs"]
mod zmass;

use ferrocca::Device;
use ferrocca::comm::{Comm, group};
use ferrocca::primitives::Primitives;

/// Every device that can be opened, besides the interpreter, which takes minutes.
fn devices() -> Vec<Device> {
    ["Serial", "CPU, threads=3", "OpenCL", "WebGPU", "CUDA"]
        .into_iter()
        .filter(|props| !["Serial", "CPU, threads=3"].contains(props) || support::has_c_compiler())
        .filter(|props| support::has_device(props))
        .map(|props| Device::open(props).expect("it was opened before"))
        .collect()
}

fn has_double(device: &Device) -> bool {
    device.capabilities().f64
}

#[test]
fn heat_decays_as_its_eigenvector() {
    for device in devices() {
        let (n, steps) = (37, 100);
        let exact = heat2d::expected(n, steps);
        let (hottest, change) = heat2d::solve::<f32>(&device, n, steps).unwrap();
        assert!((hottest - exact).abs() < 1e-5, "{device:?}: {hottest}, {exact}");
        let factor = heat2d::expected(n, 1) / heat2d::expected(n, 0);
        assert!((change - exact * (1.0 / factor - 1.0)).abs() < 1e-5, "{device:?}: {change}");
        if has_double(&device) {
            let (hottest, _) = heat2d::solve::<f64>(&device, n, steps).unwrap();
            assert!((hottest - exact).abs() < 1e-13, "{device:?}: {hottest}, {exact}");
        }
    }
}

#[test]
fn heat_in_a_box_decays_as_its_eigenvector() {
    use heat3d::{Faces, Heat, Stencil};
    for device in devices().iter().filter(|device| has_double(device)) {
        for stencil in [Stencil::Seven, Stencil::TwentySeven] {
            for faces in [Faces::Cold, Faces::Periodic] {
                let mut heat = Heat::new(&Comm::alone(), device, [20, 13, 30], stencil, faces).unwrap();
                for steps in [1, 20, 7] {
                    heat.advance(steps).unwrap();
                    let error = heat.error().unwrap();
                    assert!(error < 1e-13, "{device:?}, {stencil:?}, {faces:?}: {error}");
                }
            }
        }
    }
}

/// In tiles the bits are the same, ghosts included, and the loop does run in tiles.
#[test]
fn heat_in_a_box_has_the_same_bits_in_tiles() {
    use heat3d::{Faces, Heat, Stencil};
    if !support::has_c_compiler() {
        return;
    }
    for faces in [Faces::Cold, Faces::Periodic] {
        for stencil in [Stencil::Seven, Stencil::TwentySeven] {
            let fields = ["Serial, tiling=off", "Serial, tiling=4", "CPU, threads=3, tiling=3"].map(|props| {
                let device = Device::open(props).unwrap();
                let mut heat = Heat::new(&Comm::alone(), &device, [17, 9, 60], stencil, faces).unwrap();
                heat.advance(26).unwrap();
                let plan = heat.plan();
                assert!(plan.contains("one step a pass") == props.contains("off"), "{props}, {faces:?}: {plan}");
                heat.field().unwrap().into_iter().map(f64::to_bits).collect::<Vec<_>>()
            });
            assert!(fields[1] == fields[0] && fields[2] == fields[0], "{stencil:?}, {faces:?}");
        }
    }
}

/// However the box is cut, ghosts at edges and corners included.
#[test]
fn heat_in_a_box_has_the_same_bits_on_any_number_of_ranks() {
    use heat3d::{Faces, Heat, Stencil};
    let device = Device::open("Reference").unwrap();
    for (stencil, faces) in
        [(Stencil::Seven, Faces::Cold), (Stencil::TwentySeven, Faces::Cold), (Stencil::TwentySeven, Faces::Periodic)]
    {
        let solve = |comm: &Comm| {
            let mut heat = Heat::new(comm, &device, [9, 8, 10], stencil, faces)?;
            heat.advance(5)?;
            assert!(heat.error()? < 1e-14);
            Ok(heat.whole()?.map(|field| field.into_iter().map(f64::to_bits).collect::<Vec<_>>()))
        };
        let alone = solve(&Comm::alone()).unwrap().expect("this rank is the first");
        for ranks in [2, 3, 4, 8] {
            let parts = group(ranks, solve).unwrap();
            assert_eq!(parts.iter().flatten().collect::<Vec<_>>(), [&alone], "{stencil:?}, {faces:?}, {ranks} ranks");
        }
    }
}

/// The middle of the box is the warmest, and its corners are cold.
#[test]
fn the_picture_of_a_box_shows_its_middle_plane() {
    use heat3d::{Faces, Heat, Stencil};
    let Some(device) = devices().into_iter().find(has_double) else { return };
    let mut heat = Heat::new(&Comm::alone(), &device, [21, 11, 9], Stencil::Seven, Faces::Cold).unwrap();
    heat.advance(10).unwrap();
    let picture = heat.picture().unwrap().expect("this rank is the first");
    let head = b"P6\n21 11\n255\n";
    assert!(picture.starts_with(head) && picture.len() == head.len() + 3 * 21 * 11);
    let shade = |i: usize, j: usize| <[u8; 3]>::try_from(&picture[head.len() + 3 * (i + 21 * j)..][..3]).unwrap();
    assert_eq!(shade(10, 5), [255, 0, 0]);
    let [red, green, blue] = shade(0, 0);
    assert!(red == 255 && green > 200 && green == blue, "{:?}", shade(0, 0));
}

#[test]
fn waves_swing_as_cosines() {
    for device in devices().iter().filter(|device| has_double(device)) {
        let u = wave::solve(device, 301, 500).unwrap();
        for (u, exact) in u.iter().zip(wave::expected(301, 500)) {
            assert!((u - exact).abs() < 1e-9, "{device:?}: {u}, {exact}");
        }
    }
}

#[test]
fn bodies_keep_their_energy_and_momentum() {
    let bodies = 150;
    let (at_start, moving) = nbody::disc(bodies);
    let before = nbody::energy(&at_start, &moving);
    let mut first: Option<Vec<f32>> = None;
    for device in devices() {
        let (positions, velocities) = nbody::solve(&device, bodies, 50, 0.01).unwrap();
        let after = nbody::energy(&positions, &velocities);
        assert!((after - before).abs() < 2e-3 * before.abs(), "{device:?}: {before}, {after}");
        let moved = positions.iter().zip(&at_start).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(moved > 0.2, "{device:?}: they move");
        for axis in 0..3 {
            let sum = |v: &[f32]| v.iter().skip(axis).step_by(4).map(|&v| f64::from(v)).sum::<f64>() / bodies as f64;
            assert!((sum(&velocities) - sum(&moving)).abs() < 1e-5, "{device:?}: momentum along {axis}");
        }
        let first = first.get_or_insert_with(|| positions.clone());
        let apart = positions.iter().zip(first.iter()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart < 1e-3, "{device:?} is {apart} away from the first device");
    }
}

#[test]
fn a_glider_goes_around_the_torus() {
    for device in devices() {
        let board = game_of_life::Board::with_glider(9, 9);
        let later = game_of_life::play(&device, &board, 4).unwrap();
        let mut moved = vec![0; 81];
        for (index, &cell) in board.cells.iter().enumerate() {
            let (row, column) = (index / 9, index % 9);
            moved[(row + 1) % 9 * 9 + (column + 1) % 9] = cell;
        }
        assert_eq!(later.cells, moved, "{device:?}:\n{later}");
        assert_eq!(game_of_life::play(&device, &board, 36).unwrap().cells, board.cells, "{device:?}");
    }
}

#[test]
fn points_are_counted_alike() {
    let states = ferrocca::primitives::Random::xoroshiro128p_states(12345, 3000);
    let hits = |trials: usize| -> i64 {
        let mut states = states.clone();
        let mut hits = 0;
        for state in &mut states {
            let mut coordinate = || 2.0 * ((state.next_word() >> 11) as f64 / 9_007_199_254_740_992.0) as f32 - 1.0;
            for _ in 0..trials {
                let (x, y) = (coordinate(), coordinate());
                hits += i64::from(x * x + y * y < 1.0);
            }
        }
        hits
    };
    let expected = vec![hits(1), hits(10)];
    for device in devices().iter().filter(|device| device.capabilities().i64) {
        assert_eq!(monte_carlo::count(device, 3000, &[1, 10]).unwrap(), expected, "{device:?}");
    }
}

#[test]
fn roots_have_the_bits_of_a_plain_loop() {
    for device in devices().iter().filter(|device| has_double(device)) {
        let primitives = Primitives::new(device);
        let given = quadratic::coefficients(&primitives, 3001).unwrap();
        let mut roots = device.malloc(3001).unwrap();
        quadratic::solve(&primitives, &given, &mut roots).unwrap();
        let [a, b, c] = given.map(|memory| memory.to_vec().unwrap());
        assert!(a.iter().all(|a| (5.0..10.0).contains(a)) && c.iter().all(|c| (-0.1..0.1).contains(c)));
        let mut expected = vec![0.0; 3001];
        quadratic::reference([&a, &b, &c], &mut expected);
        assert_eq!(roots.to_vec().unwrap(), expected, "{device:?}");
        assert!(expected.iter().zip(&a).zip(&b).zip(&c).all(|(((x, a), b), c)| (a * x * x + b * x + c).abs() < 1e-12));
    }
}

#[test]
fn pairs_have_the_mass_of_what_they_come_from() {
    let events = zmass::Events::made_up(2000);
    for device in devices().iter().filter(|device| has_double(device)) {
        let (mass, counts) = zmass::masses(device, &events).unwrap();
        for (event, &mass) in mass.iter().enumerate() {
            assert!((mass - events.mass(event)).abs() < 1e-9, "{device:?}: event {event}");
            assert!(event % 4 == 3 || (mass - 91.2).abs() < 6.1, "{device:?}: event {event} has {mass}");
        }
        assert!(mass.contains(&-1.0));
        let in_bin = |bin: usize| mass.iter().filter(|mass| (bin as f64..(bin + 1) as f64).contains(*mass)).count();
        assert!(counts.iter().enumerate().all(|(bin, &count)| in_bin(bin) == count as usize), "{device:?}");
    }
}

#[test]
fn bins_are_counted_as_in_a_loop() {
    for device in devices() {
        let primitives = Primitives::new(&device);
        let numbers = histogram::numbers(&primitives, 20_000).unwrap();
        let on_host = numbers.to_vec().unwrap();
        for bins in [1200, 75, 1] {
            let counts = histogram::count(&primitives, &numbers, bins).unwrap();
            assert_eq!(counts, histogram::reference(&on_host, bins), "{device:?}: {bins} bins");
        }
    }
}

/// The steps of every point, in and around the set.
#[test]
fn mandelbrots_steps_are_those_of_rust() {
    let grid = mandelbrot::Grid::of_all(37, 300);
    let expected = mandelbrot::expected(grid, 100);
    assert!(expected.contains(&100) && expected.contains(&1));
    for device in devices() {
        assert!(mandelbrot::steps(&device, grid, 100).unwrap() == expected, "{device:?}");
    }
}
