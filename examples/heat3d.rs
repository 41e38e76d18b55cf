//! Heat in a box: a solver as an embedder writes it, with a step of 7 or of 27 points, two layers of ghosts, and faces that are
//! cold or periodic. A loop of steps is recorded once; on the CPU, and of 7 points with CUDA, several of them run in one pass through
//! memory, which `Graph::plan` tells. On several ranks each has a part of the box, and exchanges ghosts with its neighbours within the loop.
//!
//! cargo run --release --example heat3d -- "CPU, threads=4" 160
//! cargo build --release --example heat3d --features mpi && mpirun -n 4 target/release/examples/heat3d CPU 160

use ferrocca::comm::{Boundary, Comm, Grid, Operation, RecordExchange, run};
use ferrocca::{Device, Graph, Memory, Props, Result, args};
use std::f64::consts::PI;
use std::path::Path;
use std::process::ExitCode;

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/kernels/heat3d.okl");

/// The difference that stands for the Laplacian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stencil {
    Seven,
    TwentySeven,
}

/// What lies beyond the faces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Faces {
    /// They are kept at zero.
    Cold,
    /// The opposite side.
    Periodic,
}

/// A rank's part of a box of heat.
pub(crate) struct Heat {
    /// Points along z, y and x, without ghosts.
    grid: Grid,
    stencil: Stencil,
    faces: Faces,
    /// dt / h²
    r: f64,
    u: Memory<f64>,
    next: Memory<f64>,
    graph: Graph,
    steps: u64,
}

impl Heat {
    /// The slowest wave of a box of so many points along x, y and z, at time 0.
    pub(crate) fn new(
        comm: &Comm,
        device: &Device,
        [nx, ny, nz]: [usize; 3],
        stencil: Stencil,
        faces: Faces,
    ) -> Result<Self> {
        let grid = Grid::new(comm, &[nz, ny, nx], 2)?.boundaries(&[faces.boundary(); 3])?;
        let points = if stencil == Stencil::Seven { 7 } else { 27 };
        let props = Props::new().define("dfloat", "double").define("POINTS", points).define("TILE", 64);
        let rows = if device.capabilities().runs_on_processor { 1 } else { 4 };
        let props = props.define("ROWS", rows);
        let step = device.build_kernel(KERNELS, "heat_step", props.clone())?;
        let fill = device.build_kernel(KERNELS, "faces", props)?;
        let (r, is_periodic) = (0.125, i32::from(faces == Faces::Periodic));
        let start = values(&grid, faces);
        let (mut u, mut next) = (device.malloc_from(&start)?, device.malloc_from(&start)?);
        let [nz, ny, nx] = extents(&grid);
        let plan = grid.plan(&[&mut u])?;
        // The waves are what the ghosts hold anyway; but only nearly so.
        fill.launch(args![nx, ny, nz, is_periodic, &mut u])?;
        plan.exchange(&mut [&mut u])?;
        let graph = device.record(|recorder| {
            recorder.launch(&step, args![nx, ny, nz, r, &u, &mut next])?;
            recorder.launch(&fill, args![nx, ny, nz, is_periodic, &mut next])?;
            recorder.exchange(&plan, &mut [&mut next])?;
            recorder.rotate([&u, &next])
        })?;
        Ok(Self { grid, stencil, faces, r, u, next, graph, steps: 0 })
    }

    /// Does so many steps.
    pub(crate) fn advance(&mut self, steps: u64) -> Result<()> {
        self.graph.replay_rotating(steps, [&mut self.u, &mut self.next])?;
        self.steps += steps;
        Ok(())
    }

    /// The rank's part of the field with its ghosts, x fastest.
    pub(crate) fn field(&self) -> Result<Vec<f64>> {
        self.u.to_vec()
    }

    /// The whole field without ghosts, x fastest, on rank 0.
    pub(crate) fn whole(&self) -> Result<Option<Vec<f64>>> {
        self.grid.gather(&self.u)
    }

    /// The largest distance between the field and what it is: the wave is an eigenvector of the step, which multiplies it by
    /// 1 + r λ. Each neighbour at (±a, ±b, ±c) adds its weight times cos(a kx) cos(b ky) cos(c kz) to λ.
    pub(crate) fn error(&self) -> Result<f64> {
        let shape = self.grid.shape();
        let [cx, cy, cz] = [0, 1, 2].map(|axis| self.faces.angle(shape[axis]).cos());
        let sides = 2.0 * (cx + cy + cz);
        let (edges, corners) = (4.0 * (cx * cy + cx * cz + cy * cz), 8.0 * cx * cy * cz);
        let eigenvalue = match self.stencil {
            Stencil::Seven => sides - 6.0,
            Stencil::TwentySeven => (14.0 * sides + 3.0 * edges + corners - 128.0) / 30.0,
        };
        let left = (1.0 + self.r * eigenvalue).powi(self.steps as i32);
        let ([nz, ny, nx], field, start) = (extents(&self.grid), self.field()?, values(&self.grid, self.faces));
        let mut error = [0.0_f64];
        for k in 2..nz + 2 {
            for j in 2..ny + 2 {
                let row = 2 + (nx + 4) * (j + (ny + 4) * k);
                let differences =
                    field[row..][..nx].iter().zip(&start[row..]).map(|(u, start)| (u - left * start).abs());
                error[0] = differences.fold(error[0], f64::max);
            }
        }
        self.grid.comm().all_reduce(Operation::Max, &mut error)?;
        Ok(error[0])
    }

    /// The plane in the middle along z as a picture (PPM) on rank 0, cold points blue and warm ones red.
    pub(crate) fn picture(&self) -> Result<Option<Vec<u8>>> {
        let Some(whole) = self.whole()? else { return Ok(None) };
        let [nz, ny, nx] = [0, 1, 2].map(|axis| self.grid.shape()[axis]);
        let plane = &whole[nz / 2 * ny * nx..][..ny * nx];
        let most = plane.iter().fold(f64::MIN_POSITIVE, |most, u| most.max(u.abs()));
        let mut picture = format!("P6\n{nx} {ny}\n255\n").into_bytes();
        for u in plane {
            let (warm, cold) = ((u / most).max(0.0), (-u / most).max(0.0));
            let shade = |dims: f64| (255.0 * (1.0 - dims)).round() as u8;
            picture.extend([shade(cold), shade(warm.max(cold)), shade(warm)]);
        }
        Ok(Some(picture))
    }

    /// How the loop is run.
    pub(crate) fn plan(&self) -> String {
        self.graph.plan().to_string()
    }
}

impl Faces {
    /// The phase from one point to the next.
    fn angle(self, n: usize) -> f64 {
        match self {
            Self::Cold => PI / (n + 1) as f64,
            Self::Periodic => 2.0 * PI / n as f64,
        }
    }

    /// The slowest wave along an axis, at a point that may be a ghost.
    fn wave(self, point: i64, n: usize) -> f64 {
        (self.angle(n) * (point + 1) as f64).sin()
    }

    /// The kernel fills the ghosts of a part as if it were the whole box; what neighbours have comes from them.
    fn boundary(self) -> Boundary {
        match self {
            Self::Cold => Boundary::Open,
            Self::Periodic => Boundary::Wrapped,
        }
    }
}

/// Points of the rank's part along z, y and x.
fn extents(grid: &Grid) -> [usize; 3] {
    grid.centred().extents().try_into().expect("a box has three axes")
}

/// The wave at time 0 in the rank's part, ghosts included.
fn values(grid: &Grid, faces: Faces) -> Vec<f64> {
    let extents = extents(grid);
    let waves = [0, 1, 2].map(|axis| {
        let wave = |at: usize| faces.wave(grid.global_index(axis, at), grid.shape()[axis]);
        (0..extents[axis] + 4).map(wave).collect::<Vec<_>>()
    });
    let rows = waves[0].iter().flat_map(|z| waves[1].iter().map(move |y| (y, z)));
    rows.flat_map(|(y, z)| waves[2].iter().map(move |x| x * y * z)).collect()
}

#[allow(dead_code)] // The tests call `Heat`.
fn main() -> ExitCode {
    run(|comm| {
        let mut arguments = std::env::args().skip(1);
        let device = comm.open_device(arguments.next().unwrap_or("CPU".into()))?;
        let n: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(128);
        [(Stencil::Seven, Faces::Cold), (Stencil::TwentySeven, Faces::Periodic)]
            .into_iter()
            .try_for_each(|(stencil, faces)| show(comm, &device, n, stencil, faces))
    })
}

/// Runs a box of n³ points for a while, and tells how that went.
fn show(comm: &Comm, device: &Device, n: usize, stencil: Stencil, faces: Faces) -> Result<()> {
    let steps = 200;
    let mut heat = Heat::new(comm, device, [n, n, n], stencil, faces)?;
    comm.barrier()?;
    let start = std::time::Instant::now();
    heat.advance(steps)?;
    device.finish()?;
    comm.barrier()?;
    let (elapsed, error, picture) = (start.elapsed(), heat.error()?, heat.picture()?);
    // Rank 0 has the picture, and speaks for all.
    let Some(picture) = picture else { return Ok(()) };
    println!("{stencil:?} points, {faces:?}: {n}³ points, {steps} steps on {} in {elapsed:.2?}", device.info().name);
    println!("  {}", heat.plan());
    println!("  farthest from the exact decay: {error:.2e}");
    let path = std::env::temp_dir().join(format!("heat3d_{faces:?}.ppm").to_lowercase());
    std::fs::write(&path, picture).map_err(|error| ferrocca::Error::io(Path::new(&path), &error))?;
    println!("  the middle plane: {}", path.display());
    Ok(())
}
