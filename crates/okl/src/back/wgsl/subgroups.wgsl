// Vulkan takes 64-bit integers here only where the device says so (`shaderSubgroupExtendedTypes`), which wgpu does not ask for.
fn okl_shuffle_u64(value: u64, lane: u32) -> u64 {
    let low = subgroupShuffle(u32(value), lane);
    let high = subgroupShuffle(u32(value >> 32u), lane);
    return (u64(high) << 32u) | u64(low);
}

fn okl_shuffle_i64(value: i64, lane: u32) -> i64 {
    return bitcast<i64>(okl_shuffle_u64(bitcast<u64>(value), lane));
}
