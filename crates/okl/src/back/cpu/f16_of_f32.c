// The nearest half, ties to even; infinite beyond the largest, NaN for a NaN.
static inline uint16_t okl_f16_of_f32(float number) {
#if defined(__clang__) && defined(__F16C__)
    const union { __fp16 value; uint16_t bits; } result = {(__fp16)number};
    return result.bits;
#else
    const union { float value; uint32_t bits; } given = {number};
    const uint32_t sign = given.bits >> 16 & 0x8000u, rest = given.bits & 0x7fffffffu;
    // Below 2^-14 a half is a multiple of 2^-24, to which the sum with 0.5 rounds.
    const union { uint32_t bits; float value; } magnitude = {rest};
    const union { float value; uint32_t bits; } subnormal = {magnitude.value + 0.5f};
    const uint32_t normal = (rest - 0x37fff001u + (rest >> 13 & 1u)) >> 13;
    const uint32_t finite = rest < 0x38800000u ? subnormal.bits - 0x3f000000u : normal;
    const uint32_t least_infinite = 0x477ff000u, infinity = 0x7f800000u;
    const uint32_t ordered = rest < least_infinite ? finite : 0x7c00u;
    return (uint16_t)(sign | (rest > infinity ? 0x7e00u : ordered));
#endif
}
