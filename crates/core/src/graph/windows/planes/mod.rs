//! Loops over two or three axes: groups that stream along the slowest one.
//!
//! **The data's way.** A group has a *tile* of points along x and y, and goes along z plane by plane. Each item holds the columns of its
//! points around the plane that it is in, for each step of the pass; what it reads of neighbours in the plane comes by shared
//! memory. So a plane is loaded once, and stored once, after all steps. Tiles overlap by what neighbours would have sent
//! meanwhile, which is computed twice instead.
//!
//! **The shell.** Tiles write the *middle* of the box. The layers outside of it are done before them, by single steps: a kernel that
//! calls the items near the faces, and then the launches that the loop has beside the main one (ghosts, periodic faces), as they
//! were recorded. They work on other memory for all states but the first and the last of a pass, since tiles read the first one until
//! the end, and write the last one.
//!
//! What such a loop is says [`crate::backend::boxes`]. [`tile`](mod@tile) and [`shell`]: the kernels in the compiler's IR. [`run`]: they are
//! built, and passes are queued.

mod maker;
mod run;
mod shell;
mod tile;

use crate::backend::TilingSetting;
use crate::backend::boxes::{BoxLoop, Tile, check_memory};
use crate::backend::rows::{Result, refuse};
pub(super) use run::Planes;

/// Steps of a pass that `auto` takes over three axes, and over two.
const STEPS_OF_VOLUMES: u64 = 3;
const STEPS_OF_PLANES: u64 = 7;

/// Tiles for loops over three axes, the largest ones first.
const TILES_OF_VOLUMES: [Tile; 6] = [
    Tile { width: 64, rows: 8, points: 4 },
    Tile { width: 64, rows: 8, points: 3 },
    Tile { width: 32, rows: 8, points: 4 },
    Tile { width: 32, rows: 8, points: 3 },
    Tile { width: 32, rows: 8, points: 2 },
    Tile { width: 32, rows: 16, points: 1 },
];

/// And over two: small groups wait for few others. On an H200 they take 0.8 of the time of those of twice the width.
const TILES_OF_PLANES: [Tile; 2] = [Tile { width: 128, rows: 1, points: 1 }, Tile { width: 256, rows: 1, points: 1 }];

/// Bytes of shared memory of a group.
const MOST_SHARED_BYTES: u64 = 48 << 10;

/// Groups that a device is thought to run at a time.
const AT_ONCE: i64 = 256;

/// What a plan has to know of a device.
#[derive(Clone, Copy, Debug)]
struct Limits {
    shared_bytes: u64,
    items: u64,
    free_bytes: u64,
    takes_volumes: bool,
}

/// A loop over planes.
struct Plan {
    of: BoxLoop,
    steps: u64,
    tile: Tile,
    /// Planes of a group.
    chunk: i64,
}

impl Plan {
    /// # Errors
    /// Why the loop does not run over planes. `state_bytes` has each of the two states.
    fn of(of: BoxLoop, setting: TilingSetting, limits: Limits, state_bytes: u64) -> Result<Self> {
        if setting == TilingSetting::Auto {
            if of.is_volume() && !limits.takes_volumes {
                let bytes = of.element_bytes;
                return refuse(format!(
                    "single steps over three axes are faster in this mode where elements have {bytes} bytes: `tiling` can be a number"
                ));
            }
            check_memory(state_bytes, 0, limits.free_bytes)?;
        }
        let (tiles, usual) = match of.is_volume() {
            true => (&TILES_OF_VOLUMES[..], STEPS_OF_VOLUMES),
            false => (&TILES_OF_PLANES[..], STEPS_OF_PLANES),
        };
        let shared = limits.shared_bytes.min(MOST_SHARED_BYTES) as i64;
        let fits = |steps: u64, tile: Tile| {
            tile.shared_bytes(steps, of.reach, of.element_bytes) <= shared && tile.threads() as u64 <= limits.items
        };
        let (steps, tile) = of.shape(setting, usual, tiles, &fits)?;
        let chunk = of.chunk(steps, tile, AT_ONCE);
        Ok(Self { of, steps, tile, chunk })
    }

    /// Repetitions of the next pass, if there are `left` of them. The last one runs as it was recorded: it writes all of the buffer
    /// that the pass has left behind.
    fn pass(&self, left: u64) -> Option<u64> {
        (left > self.steps).then_some(self.steps)
    }

    /// Groups along x, y and z.
    fn groups(&self) -> [i64; 3] {
        self.of.blocks(self.steps, self.tile, self.chunk)
    }
}
