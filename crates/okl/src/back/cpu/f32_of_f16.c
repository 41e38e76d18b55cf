// The value of a half.
static inline float okl_f32_of_f16(uint16_t half) {
#if defined(__clang__) && defined(__F16C__)
    const union { uint16_t bits; __fp16 value; } given = {half};
    return (float)given.value;
#else
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, rest = (uint32_t)(half & 0x7fffu) << 13;
    // A subnormal half is a multiple of 2^-24: what it adds to 2^-14.
    const union { uint32_t bits; float value; } more = {rest + 0x38800000u}, least = {0x38800000u};
    const union { float value; uint32_t bits; } subnormal = {more.value - least.value};
    const uint32_t finite = rest < 0x00800000u ? subnormal.bits : rest + 0x38000000u;
    // The exponent of infinities and NaNs is all ones in both types.
    const union { uint32_t bits; float value; } result = {sign | finite | (rest < 0x0f800000u ? 0u : 0x7f800000u)};
    return result.value;
#endif
}
