//! The trees of primitives, as their pages define them, in the plainest way.

/// The tree of `ferrocca_primitives::reduce`.
pub(super) fn reduce<T: Copy>(values: &[T], identity: T, combine: impl Fn(T, T) -> T) -> T {
    let tiles: Vec<T> = if values.is_empty() {
        vec![reduce_tile(values, identity, &combine)]
    } else {
        values.chunks(4096).map(|tile| reduce_tile(tile, identity, &combine)).collect()
    };
    if tiles.len() == 1 { tiles[0] } else { reduce(&tiles, identity, combine) }
}

fn reduce_tile<T: Copy>(tile: &[T], identity: T, combine: impl Fn(T, T) -> T) -> T {
    let mut lanes = [identity; 256];
    for (i, value) in tile.iter().enumerate() {
        let lane = &mut lanes[i / 512 * 32 + i % 32];
        *lane = combine(*lane, *value);
    }
    let mut half = 128;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = combine(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// The tree of `ferrocca_primitives::reduce` along an axis.
pub(super) fn reduce_along<T: Copy>(values: &[T], identity: T, combine: impl Fn(T, T) -> T + Copy) -> T {
    let segment = |values: &[T]| {
        let mut lanes = [identity; 8];
        values.iter().enumerate().for_each(|(i, value)| lanes[i % 8] = combine(lanes[i % 8], *value));
        for half in [4, 2, 1] {
            (0..half).for_each(|lane| lanes[lane] = combine(lanes[lane], lanes[lane + half]));
        }
        lanes[0]
    };
    match values.len() {
        0..=1024 => segment(values),
        _ => reduce_along(&values.chunks(1024).map(segment).collect::<Vec<_>>(), identity, combine),
    }
}

/// The tree of `ferrocca_primitives::scan`.
pub(super) fn scan<T: Copy>(values: &[T], identity: T, inclusive: bool, combine: impl Fn(T, T) -> T + Copy) -> Vec<T> {
    let chunks: Vec<Vec<T>> = values.chunks(2048).map(|tile| scan_chunks(tile, identity, combine)).collect();
    let totals: Vec<T> = chunks.iter().map(|chunks| chunks[255]).collect();
    let carries = if totals.len() <= 1 { vec![identity] } else { scan(&totals, identity, false, combine) };
    let mut results = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let (tile, chunk) = (i / 2048, i % 2048 / 8);
        let carry = carries[tile];
        let before = match (i % 8, chunk) {
            (0, 0) => carry,
            (0, chunk) => combine(carry, chunks[tile][chunk - 1]),
            _ => results.last().map_or(identity, |(_, after)| *after),
        };
        results.push((before, combine(before, *value)));
    }
    results.into_iter().map(|(before, after)| if inclusive { after } else { before }).collect()
}

/// The scan of the totals of a tile's 256 chunks.
fn scan_chunks<T: Copy>(tile: &[T], identity: T, combine: impl Fn(T, T) -> T) -> Vec<T> {
    let mut totals = vec![identity; 256];
    for (i, value) in tile.iter().enumerate() {
        totals[i / 8] = combine(totals[i / 8], *value);
    }
    let mut distance = 1;
    while distance < 256 {
        let before = totals.clone();
        for chunk in distance..256 {
            totals[chunk] = combine(before[chunk - distance], before[chunk]);
        }
        distance *= 2;
    }
    totals
}
