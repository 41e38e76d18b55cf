// C11, made from OKL.
// @kernel tally: tally_0
// @kernel by_value: by_value_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Tally {
    int count;
    double sum;
    int64_t most;
} Tally;
_Static_assert(sizeof(Tally) == 24, "size of Tally");
_Static_assert(offsetof(Tally, count) == 0, "offset of Tally.count");
_Static_assert(offsetof(Tally, sum) == 8, "offset of Tally.sum");
_Static_assert(offsetof(Tally, most) == 16, "offset of Tally.most");

typedef struct Pair {
    int a;
    double b;
} Pair;
_Static_assert(sizeof(Pair) == 16, "size of Pair");
_Static_assert(offsetof(Pair, a) == 0, "offset of Pair.a");
_Static_assert(offsetof(Pair, b) == 8, "offset of Pair.b");

typedef struct Outer {
    Pair pairs[2];
    int8_t tag;
} Outer;
_Static_assert(sizeof(Outer) == 40, "size of Outer");
_Static_assert(offsetof(Outer, pairs) == 0, "offset of Outer.pairs");
_Static_assert(offsetof(Outer, tag) == 32, "offset of Outer.tag");

static inline double okl_atomic_add_f64(double *at, double value) {
    double old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = old + value;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline int okl_atomic_add_i32(int *at, int value) {
    return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}

static inline int64_t okl_atomic_max_i64(int64_t *at, int64_t value) {
    int64_t old, next;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        next = value > old ? value : old;
    } while (!__atomic_compare_exchange(at, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline double total(Outer s) {
    double sum = s.tag;
    for (int k = 0; k < 2; ++k) {
        sum += s.pairs[k].a + s.pairs[k].b;
    }
    return sum;
}

static inline void tally_0_groups(const int n, const double *x, Tally *t, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int i = begin * 2; i < i_end; ++i) {
        okl_atomic_add_i32(&t[0].count, 1);
        okl_atomic_add_f64(&t[0].sum, x[i]);
        okl_atomic_max_i64(&t[0].most, (int64_t)x[i]);
    }
}

void tally_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    tally_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void by_value_0_groups(const Outer *o, const Outer s, double *out, int64_t begin, int64_t end) {
    for (int g = begin; g < end; ++g) {
        for (int i = 0; i < 1; ++i) {
            Outer mine = s;
            mine.pairs[1].b = 19.0;
            out[0] = total(s) + total(o[0]) - total(o[0]);
            out[1] = total(mine);
        }
    }
}

void by_value_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    by_value_0_groups(arguments[0], *(const Outer *)arguments[1], arguments[2], begin, end);
}
