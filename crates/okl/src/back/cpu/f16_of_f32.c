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
    // From 65,520 on everything is 65,536, which is infinite.
    const uint32_t bounded = rest < 0x477ff000u ? rest : 0x47800000u;
    const uint32_t normal = (bounded - 0x37fff001u + (bounded >> 13 & 1u)) >> 13;
    const uint32_t ordered = rest < 0x38800000u ? subnormal.bits - 0x3f000000u : normal;
    return (uint16_t)(sign | ordered | (rest > 0x7f800000u ? 0x0200u : 0u));
#endif
}
