// What the elementary functions are made of. All of them are straight lines of + - * / sqrt, comparisons, choices and
// integer operations, so that compilers make vectors of loops that call them and every one of them computes the same
// bits; none is contracted where -ffp-contract=off stands. One definition a paragraph: a text has those that it uses.

static inline uint64_t okl_to_bits_f64(double x) {
    const union { double value; uint64_t bits; } given = {x};
    return given.bits;
}

static inline double okl_of_bits_f64(uint64_t bits) {
    const union { uint64_t bits; double value; } given = {bits};
    return given.value;
}

// The magnitude of the first with the sign of the second.
static inline double okl_with_sign(double x, double sign) {
    const uint64_t top = 0x8000000000000000u;
    return okl_of_bits_f64((okl_to_bits_f64(x) & ~top) | (okl_to_bits_f64(sign) & top));
}

static inline double okl_magnitude(double x) {
    return okl_of_bits_f64(okl_to_bits_f64(x) & 0x7fffffffffffffffu);
}

// The nearest whole number, for magnitudes below 2^51.
static inline double okl_whole(double x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

// 2^k for a whole k from -1022 to 1023.
static inline double okl_power_of_two(double k) {
    return okl_of_bits_f64((okl_to_bits_f64(k + 0x1.8p52) + 1023u) << 52);
}

// y times 2^k for a whole k from -2044 to 2046, rounded once, also where the result is subnormal.
static inline double okl_times_power(double y, double k) {
    const double half = okl_whole(0.5 * k);
    return y * okl_power_of_two(half) * okl_power_of_two(k - half);
}

// The first 21 digits.
static inline double okl_high_21(double x) {
    return okl_of_bits_f64(okl_to_bits_f64(x) & 0xffffffff00000000u);
}

// The first 26 digits: the product of two such numbers is exact.
static inline double okl_high_26(double x) {
    return okl_of_bits_f64(okl_to_bits_f64(x) & 0xfffffffff8000000u);
}

// A number as a sum of two.
typedef struct okl_pair {
    double high, low;
} okl_pair;

// a + b without an error (Knuth).
static inline okl_pair okl_exact_sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    const okl_pair result = {sum, (a - (sum - part)) + (b - part)};
    return result;
}

// a * b with an error of 2^-105 at most (Dekker).
static inline okl_pair okl_exact_product(double a, double b) {
    const double product = a * b, ah = okl_high_26(a), al = a - ah, bh = okl_high_26(b), bl = b - bh;
    const okl_pair result = {product, ((ah * bh - product) + ah * bl + al * bh) + al * bl};
    return result;
}
