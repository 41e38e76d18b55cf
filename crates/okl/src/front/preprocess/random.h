#pragma once
// Random numbers, the same on every device: integer operations, and + - * sqrt of floating-point numbers, which all of them
// round alike.
//
// A stream has a seed and a number; streams with other numbers are independent. It gives 2^34 words. Give each item, or
// each thing that is simulated, a stream of its own:
//
//   random_stream rng = random_stream_of(seed, i);
//   const float x = random_uniform(rng);

// --- Philox4x32-10: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

#define PHILOX_M0 0xD2511F53u
#define PHILOX_M1 0xCD9E8D57u
#define PHILOX_W0 0x9E3779B9u
#define PHILOX_W1 0xBB67AE85u

// The upper half of a product.
unsigned int random_mul_high(const unsigned int a, const unsigned int b) {
#if OCCA_USING_WEBGPU && !RANDOM_HAS_INT64
  // Not all devices have integers of 64 bits; who knows that this one does defines RANDOM_HAS_INT64 as 1, and is faster.
  const unsigned int al = a & 0xffffu, ah = a >> 16, bl = b & 0xffffu, bh = b >> 16;
  const unsigned int low = al * bl;
  const unsigned int middle = ah * bl + (low >> 16);
  const unsigned int carried = al * bh + (middle & 0xffffu);
  return ah * bh + (middle >> 16) + (carried >> 16);
#else
  return (unsigned int) (((unsigned long) a * b) >> 32);
#endif
}

// Four words from a counter and a key.
uint4 philox4x32(const uint4 counter, const uint2 key) {
  unsigned int c0 = counter.x, c1 = counter.y, c2 = counter.z, c3 = counter.w, k0 = key.x, k1 = key.y;
  for (int round = 0; round < 10; ++round) {
    const unsigned int high0 = random_mul_high(PHILOX_M0, c0), low0 = PHILOX_M0 * c0;
    const unsigned int high1 = random_mul_high(PHILOX_M1, c2), low1 = PHILOX_M1 * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += PHILOX_W0;
    k1 += PHILOX_W1;
  }
  return make_uint4(c0, c1, c2, c3);
}

// --- From words to numbers.

// In [0, 1), a multiple of 2^-24.
float random_unit_float(const unsigned int word) {
  return (float) (word >> 8) * 5.9604644775390625e-8f;
}

// In [0, 1), a multiple of 2^-53.
double random_unit_double(const unsigned int low, const unsigned int high) {
  return ((double) high * 2097152.0 + (double) (low >> 11)) * 1.1102230246251565e-16;
}

// How many bits of a word that is not 0 are 0 before the first 1.
int random_leading_zeros(const unsigned int word) {
  unsigned int rest = word;
  int zeros = 0;
  if (rest < 0x10000u) { rest <<= 16; zeros += 16; }
  if (rest < 0x1000000u) { rest <<= 8; zeros += 8; }
  if (rest < 0x10000000u) { rest <<= 4; zeros += 4; }
  if (rest < 0x40000000u) { rest <<= 2; zeros += 2; }
  if (rest < 0x80000000u) zeros += 1;
  return zeros;
}

// -log(u) of u = word * 2^-32, cut to 24 digits; 2^-33 stands for 0. The polynomial is that of Cephes' `logf` (S. Moshier).
float random_minus_log_float(const unsigned int word) {
  const int zeros = word == 0u ? 32 : random_leading_zeros(word);
  const unsigned int digits = word == 0u ? 0x80000000u : word << zeros;
  float f = (float) (digits >> 8) * 5.9604644775390625e-8f;
  float exponent = (float) zeros;
  if (f < 0.707106781f) {
    f = f + f;
    exponent = exponent + 1.0f;
  }
  const float x = f - 1.0f;
  const float square = x * x;
  float p = 7.0376836292e-2f;
  p = p * x - 1.1514610310e-1f;
  p = p * x + 1.1676998740e-1f;
  p = p * x - 1.2420140846e-1f;
  p = p * x + 1.4249322787e-1f;
  p = p * x - 1.6668057665e-1f;
  p = p * x + 2.0000714765e-1f;
  p = p * x - 2.4999993993e-1f;
  p = p * x + 3.3333331174e-1f;
  const float log_f = x + ((p * x) * square - 0.5f * square);
  return exponent * 0.693147181f - log_f;
}

// -log(u) of u = (high * 2^32 + low) * 2^-64, cut to 53 digits; 2^-64 stands for 0. As in the C library of FreeBSD (Sun
// Microsystems, 1993).
double random_minus_log_double(const unsigned int low, const unsigned int high) {
  const unsigned int upper = high == 0u ? low | 1u : high;
  const unsigned int lower = high == 0u ? 0u : low;
  const int zeros = random_leading_zeros(upper);
  const unsigned int leading = zeros == 0 ? upper : (upper << zeros) | (lower >> (32 - zeros));
  const unsigned int digits = lower << zeros;
  double f = random_unit_double(digits, leading);
  double exponent = (double) (high == 0u ? zeros + 32 : zeros);
  if (f < 0.70710678118654752) {
    f = f + f;
    exponent = exponent + 1.0;
  }
  const double x = f - 1.0;
  const double s = x / (2.0 + x);
  const double z = s * s;
  const double w = z * z;
  const double even = w * (3.999999999940941908e-1 + w * (2.222219843214978396e-1 + w * 1.531383769920937332e-1));
  const double odd = z * (6.666666666666735130e-1 + w * (2.857142874366239149e-1
      + w * (1.818357216161805012e-1 + w * 1.479819860511658591e-1)));
  const double half_square = 0.5 * x * x;
  const double log_f = x - (half_square - s * (half_square + (even + odd)));
  return exponent * 6.93147180369123816490e-1 - (log_f - exponent * 1.90821492927058770002e-10);
}

// The point of the unit circle at the angle 2 pi * word * 2^-32. Polynomials of Cephes' `sinf`.
float2 random_direction_float(const unsigned int word) {
  const unsigned int octant = word >> 29;
  const float t = (float) ((word & 0x1fffffffu) >> 5) * 5.9604644775390625e-8f;
  const float x = ((octant & 1u) != 0u ? 1.0f - t : t) * 0.785398163f;
  const float z = x * x;
  const float c = 1.0f - 0.5f * z + z * z * ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f);
  const float s = x + x * z * ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f);
  const bool is_swapped = ((octant + 1u) & 2u) != 0u;
  const float first = is_swapped ? s : c, second = is_swapped ? c : s;
  return make_float2(((octant + 2u) & 4u) != 0u ? -first : first, octant > 3u ? -second : second);
}

// The same with 53 digits. Polynomials of Cephes' `sin`.
double2 random_direction_double(const unsigned int low, const unsigned int high) {
  const unsigned int octant = high >> 29;
  const double t = ((double) (high & 0x1fffffffu) * 4294967296.0 + (double) low) * 4.3368086899420177e-19;
  const double x = ((octant & 1u) != 0u ? 1.0 - t : t) * 7.85398163397448309616e-1;
  const double z = x * x;
  double p = -1.13585365213876817300e-11;
  p = p * z + 2.08757008419747316778e-9;
  p = p * z - 2.75573141792967388112e-7;
  p = p * z + 2.48015872888517045348e-5;
  p = p * z - 1.38888888888730564116e-3;
  p = p * z + 4.16666666666665929218e-2;
  const double c = 1.0 - 0.5 * z + z * z * p;
  double q = 1.58962301576546568060e-10;
  q = q * z - 2.50507477628578072866e-8;
  q = q * z + 2.75573136213857245213e-6;
  q = q * z - 1.98412698295895385996e-4;
  q = q * z + 8.33333333332211858878e-3;
  q = q * z - 1.66666666666666307295e-1;
  const double s = x + x * z * q;
  const bool is_swapped = ((octant + 1u) & 2u) != 0u;
  const double first = is_swapped ? s : c, second = is_swapped ? c : s;
  return make_double2(((octant + 2u) & 4u) != 0u ? -first : first, octant > 3u ? -second : second);
}

// Two independent numbers of the normal distribution with mean 0 and variance 1: G. Box, M. Muller, 1958.
float2 random_normals_float(const unsigned int radius, const unsigned int angle) {
  const float r = sqrt(2.0f * random_minus_log_float(radius));
  const float2 direction = random_direction_float(angle);
  return make_float2(r * direction.x, r * direction.y);
}

double2 random_normals_double(const uint4 words) {
  const double r = sqrt(2.0 * random_minus_log_double(words.x, words.y));
  const double2 direction = random_direction_double(words.z, words.w);
  return make_double2(r * direction.x, r * direction.y);
}

// --- Streams.

typedef struct {
  uint2 key;
  uint4 counter;
  uint4 words;
  unsigned int used;
} random_stream;

// The stream of a number, with a seed of 64 bits and a number of 64 bits, both as low and high words.
random_stream random_stream_of_words(const uint2 seed, const uint2 number) {
  random_stream stream;
  stream.key = seed;
  stream.counter = make_uint4(0u, number.x, number.y, 0u);
  stream.words = make_uint4(0u, 0u, 0u, 0u);
  stream.used = 4u;
  return stream;
}

random_stream random_stream_of(const unsigned int seed, const unsigned int number) {
  return random_stream_of_words(make_uint2(seed, 0u), make_uint2(number, 0u));
}

// A word whose bits are independent.
unsigned int random_bits(random_stream &stream) {
  if (stream.used == 4u) {
    stream.words = philox4x32(stream.counter, stream.key);
    stream.counter.x += 1u;
    stream.used = 0u;
  }
  const unsigned int which = stream.used;
  stream.used += 1u;
  return which == 0u ? stream.words.x : which == 1u ? stream.words.y : which == 2u ? stream.words.z : stream.words.w;
}

// Uniform in [0, 1).
float random_uniform(random_stream &stream) {
  return random_unit_float(random_bits(stream));
}

double random_uniform_double(random_stream &stream) {
  const unsigned int low = random_bits(stream);
  const unsigned int high = random_bits(stream);
  return random_unit_double(low, high);
}

// Of the normal distribution with mean 0 and variance 1.
float random_normal(random_stream &stream) {
  const unsigned int radius = random_bits(stream);
  const unsigned int angle = random_bits(stream);
  return random_normals_float(radius, angle).x;
}

double random_normal_double(random_stream &stream) {
  uint4 words;
  words.x = random_bits(stream);
  words.y = random_bits(stream);
  words.z = random_bits(stream);
  words.w = random_bits(stream);
  return random_normals_double(words).x;
}

// Of the exponential distribution with mean 1.
float random_exponential(random_stream &stream) {
  return random_minus_log_float(random_bits(stream));
}

double random_exponential_double(random_stream &stream) {
  const unsigned int low = random_bits(stream);
  const unsigned int high = random_bits(stream);
  return random_minus_log_double(low, high);
}

// Uniform in 0 ... n - 1, each exactly as often: D. Lemire, "Fast random integer generation in an interval", 2019.
// `n` is not 0.
unsigned int random_below(random_stream &stream, const unsigned int n) {
  unsigned int word = random_bits(stream);
  if (word * n < n) {
    const unsigned int least = (0u - n) % n;
    while (word * n < least) word = random_bits(stream);
  }
  return random_mul_high(word, n);
}

// --- xoroshiro128+ (D. Blackman, S. Vigna, 2016; its first constants, 55, 14, 36), as in `numba.cuda.random`.

typedef struct {
  unsigned long s0;
  unsigned long s1;
} xoroshiro128p;

unsigned long xoroshiro128p_next(xoroshiro128p *states, const int index) {
  const unsigned long s0 = states[index].s0;
  const unsigned long s1 = states[index].s1 ^ s0;
  const unsigned long result = s0 + states[index].s1;
  states[index].s0 = ((s0 << 55) | (s0 >> 9)) ^ s1 ^ (s1 << 14);
  states[index].s1 = (s1 << 36) | (s1 >> 28);
  return result;
}

// Uniform in [0, 1).
double xoroshiro128p_uniform_float64(xoroshiro128p *states, const int index) {
  return (double) (xoroshiro128p_next(states, index) >> 11) * 1.1102230246251565e-16;
}

// Uniform in [0, 1]: a number of 53 digits, rounded.
float xoroshiro128p_uniform_float32(xoroshiro128p *states, const int index) {
  return (float) xoroshiro128p_uniform_float64(states, index);
}
