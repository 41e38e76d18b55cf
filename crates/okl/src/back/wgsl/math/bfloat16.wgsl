// The value of a bfloat16, which is the upper half of a float.
fn okl_f32_of_bf16(held: u32) -> f32 {
    return bitcast<f32>(held << 16u);
}

// The nearest bfloat16, ties to even. A carry into the exponent is right for numbers, and would make a NaN something else.
fn okl_bf16_of_f32(number: f32) -> u32 {
    let bits = bitcast<u32>(number);
    let rounded = (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
    return select(rounded, (bits >> 16u) | 0x0040u, (bits & 0x7fffffffu) > 0x7f800000u);
}

// The same of a double, rounded once.
fn okl_bf16_of_f64(number: f64) -> u32 {
    let bits = bitcast<u64>(number);
    let sign = u32(bits >> 48u) & 0x8000u;
    let rest = bits & 0x7ffffffffffffffflu;
    // Everything from 2^128 on is infinite.
    let bounded = select(rest, 0x47f0000000000000lu, rest >= 0x47f0000000000000lu);
    let normal = (bounded - 0x3800000000000000lu + 0xffffffffffflu + ((bounded >> 45u) & 1lu)) >> 45u;
    // Below 2^-126 it counts multiples of 2^-133: all bits behind those are rounded off.
    let shift = 942u - clamp(u32(rest >> 52u), 888u, 896u);
    let whole = (rest & 0xffffffffffffflu) | 0x10000000000000lu;
    let subnormal = (whole + (1lu << (shift - 1u)) - 1lu + ((whole >> shift) & 1lu)) >> shift;
    let ordered = u32(select(normal, subnormal, rest < 0x3810000000000000lu));
    return sign | ordered | select(0u, 0x0040u, rest > 0x7ff0000000000000lu);
}
