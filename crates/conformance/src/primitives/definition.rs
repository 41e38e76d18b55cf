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
