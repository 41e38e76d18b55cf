// A float that rounds to the half to which the double rounds: the last of its 21 bits says whether any behind it is set.
static inline float okl_f32_toward_f16(double number) {
    const union { double value; uint64_t bits; } given = {number};
    const uint64_t rest = given.bits & 0xffffffffull;
    const union { uint64_t bits; double value; } kept = {(given.bits - rest) | (uint64_t)(rest != 0) << 32};
    return (float)kept.value;
}
