//! What a group of threads has of a plane, and which tiles and steps suit a loop.

use super::plan::BoxLoop;
use crate::backend::TilingSetting;
use crate::backend::rows::{Result, refuse};
use std::ops::Range;

/// Planes of a group at least, where there are many.
const FEWEST_PLANES: i64 = 16;

/// How much larger than the cache the state is from which on `auto` runs over planes, and where nobody says how large that is.
const CACHES: u64 = 4;
const USUAL_CACHE: u64 = 32 << 20;

/// Tiles along an axis from which on `auto` runs over planes.
const FEW_TILES: i64 = 3;

/// The threads of a group, side by side along x and y, and the points of each, one behind the other along y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Threads along x.
    pub width: i64,
    /// Threads along y.
    pub rows: i64,
    /// Points of a thread.
    pub points: i64,
}

impl Tile {
    /// Points along x and y.
    pub fn size(self) -> [i64; 2] {
        [self.width, self.rows * self.points]
    }

    /// Threads of the group.
    pub fn threads(self) -> i64 {
        self.width * self.rows
    }

    /// Points along x and y that are right after so many steps, each of which reads so far.
    pub fn own(self, steps: u64, reach: [i64; 3]) -> [i64; 2] {
        let [x, y] = self.size();
        [x - 2 * steps as i64 * reach[0], y - 2 * steps as i64 * reach[1]]
    }

    /// Bytes of shared memory: planes of each stage, with what is read beyond their edges.
    pub fn shared_bytes(self, steps: u64, reach: [i64; 3], element_bytes: i64) -> i64 {
        steps as i64 * (reach[2] + 1) * self.plane(reach) * element_bytes
    }

    /// Elements of a plane in shared memory.
    pub fn plane(self, reach: [i64; 3]) -> i64 {
        let [x, y] = self.size();
        x * (y + 2 * reach[1]) + 2 * reach[0]
    }
}

/// Refuses a loop whose state of so many bytes `auto` leaves as it was recorded: it is in the cache anyway, or it leaves too little
/// memory free. `cache_bytes` is 0, and `free_bytes` `u64::MAX`, where nobody says how many there are.
/// # Errors
/// The reason.
pub fn check_memory(state_bytes: u64, cache_bytes: u64, free_bytes: u64) -> Result<()> {
    let cache = if cache_bytes == 0 { USUAL_CACHE } else { cache_bytes };
    if state_bytes < CACHES * cache {
        return refuse(format!("its state of {state_bytes} bytes is not much more than the cache of {cache} bytes"));
    }
    // Half of what is free stays so: what runs beside tiles works on two arrays more.
    let more = 2 * state_bytes;
    if more > free_bytes / 2 {
        return refuse(format!(
            "the {more} bytes more that it would take are over half of the {free_bytes} bytes that are free"
        ));
    }
    Ok(())
}

impl BoxLoop {
    /// Steps of a pass, an odd number, and the tiles of its groups: the first ones that `fits` takes and for which there is room.
    /// `auto` takes `usual` steps at most, and at least a few tiles along x and y.
    /// # Errors
    /// That none fits.
    pub fn shape(
        &self,
        setting: TilingSetting,
        usual: u64,
        tiles: &[Tile],
        fits: &dyn Fn(u64, Tile) -> bool,
    ) -> Result<(u64, Tile)> {
        let (most, few) = match setting {
            TilingSetting::Steps(steps) => (steps, 1),
            _ => (usual, FEW_TILES),
        };
        for steps in (3..=most).rev().filter(|steps| steps % 2 == 1) {
            let fitting = tiles.iter().copied().find(|&tile| fits(steps, tile) && self.has_room(steps, tile, few));
            if let Some(tile) = fitting {
                return Ok((steps, tile));
            }
        }
        refuse(format!(
            "tiles of 3 steps or more, an odd number, do not fit: its launches write {:?} points, up to {} layers of which are \
             done beside tiles",
            self.points.clone().map(|range| range.end - range.start),
            self.depth(3)
        ))
    }

    /// Whether at least half of a tile along x and y is its own, there are so many of them, and the launches beside them leave a
    /// hole in each step.
    fn has_room(&self, steps: u64, tile: Tile, few: i64) -> bool {
        let ([width, height], [x, y]) = (tile.size(), tile.own(steps, self.reach));
        let middle = self.middle(steps);
        let is_large = |range: &Range<i64>, own: i64| range.end - range.start >= few * own;
        2 * x >= width
            && 2 * y >= height
            && is_large(&middle[0], x)
            && (!self.is_volume() || is_large(&middle[1], y))
            && self.hole(steps, 0).iter().all(|range| !range.is_empty())
    }

    /// Groups of tiles along x and y, and of so many planes along z.
    pub fn blocks(&self, steps: u64, tile: Tile, chunk: i64) -> [i64; 3] {
        let [x, y, z] = self.middle(steps).map(|range| range.end - range.start);
        let [own_x, own_y] = tile.own(steps, self.reach);
        let blocks = |all: i64, own: i64| (all + own - 1) / own;
        [blocks(x, own_x), blocks(y, own_y), blocks(z, chunk)]
    }

    /// Planes of a group: so many that the last groups leave few multiprocessors idle, of a device that runs `at_once` groups at a
    /// time.
    pub fn chunk(&self, steps: u64, tile: Tile, at_once: i64) -> i64 {
        let [x, y, z] = self.blocks(steps, tile, 1);
        let overlap = 2 * steps as i64 * self.reach[2];
        let cost = |chunks: &i64| {
            let chunk = (z + chunks - 1) / chunks;
            (x * y * chunks + at_once - 1) / at_once * (chunk + overlap)
        };
        let chunks = (1..=(z / FEWEST_PLANES).max(1)).min_by_key(cost).unwrap_or(1);
        (z + chunks - 1) / chunks
    }
}
