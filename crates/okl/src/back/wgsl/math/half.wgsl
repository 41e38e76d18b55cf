// The value of a half, which is held as its bits. WGSL's own conversions may lose subnormals, and round as they like.
fn okl_f32_of_f16(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let rest = half & 0x7fffu;
    let normal = (rest << 13u) + 0x38000000u;
    // A subnormal half is a multiple of 2^-24.
    let subnormal = bitcast<u32>(f32(rest) * 5.9604644775390625e-8f);
    let finite = select(normal, subnormal, rest < 0x400u);
    // The exponent of infinities and NaNs is all ones in both types.
    return bitcast<f32>(sign | finite | select(0u, 0x7f800000u, rest >= 0x7c00u));
}

// The nearest half, ties to even; infinite beyond the largest, NaN for a NaN.
fn okl_f16_of_f32(number: f32) -> u32 {
    let bits = bitcast<u32>(number);
    let sign = (bits >> 16u) & 0x8000u;
    let rest = bits & 0x7fffffffu;
    // From 65,520 on everything is 65,536, which is infinite.
    let bounded = select(rest, 0x47800000u, rest >= 0x477ff000u);
    let normal = (bounded - 0x37fff001u + ((bounded >> 13u) & 1u)) >> 13u;
    // Below 2^-14 a half counts multiples of 2^-24: all bits behind those are rounded off.
    let shift = 126u - clamp(rest >> 23u, 101u, 112u);
    let whole = (rest & 0x7fffffu) | 0x800000u;
    let subnormal = (whole + (1u << (shift - 1u)) - 1u + ((whole >> shift) & 1u)) >> shift;
    let ordered = select(normal, subnormal, rest < 0x38800000u);
    return sign | ordered | select(0u, 0x0200u, rest > 0x7f800000u);
}

// Rounded once: the last of the 21 bits that go through f32 says whether any behind it is set.
fn okl_f16_of_f64(number: f64) -> u32 {
    let bits = bitcast<u64>(number);
    let rest = bits & 0xfffffffflu;
    let kept = (bits - rest) | select(0lu, 0x100000000lu, rest != 0lu);
    return okl_f16_of_f32(f32(bitcast<f64>(kept)));
}
