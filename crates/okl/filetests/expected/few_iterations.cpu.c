// C11, made from OKL.
// @kernel ghosts: ghosts_0
// @kernel in_place: in_place_0
// @kernel two_pointers: two_pointers_0
// @kernel changed: changed_0
// @kernel after_another: after_another_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void ghosts_0_groups(const int n, const double *restrict u_prev, double *restrict u, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2 + 1, n + 1);
    OKL_INDEPENDENT
    for (int64_t i = begin * 2 + 1; i < i_end; ++i) {
        const double here = u_prev[i];
        u[i] = here + 1.0;
    }
    if (begin * 2 + 1 <= 1 && 1 < n + 1) {
        const int64_t i = 1;
        const double here = u_prev[i];
        u[n + 1] = here;
    }
    if (begin * 2 + 1 <= n && n < end * 2 + 1) {
        const int64_t i = n;
        const double here = u_prev[i];
        u[0] = here;
    }
}

void ghosts_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    ghosts_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void in_place_0_groups(const int n, double *restrict u, double *restrict first, int64_t begin, int64_t end) {
    if (begin * 2 <= 0 && 0 < n) {
        const int64_t i = 0;
        const double here = u[i];
        u[i] = 2.0 * here;
        first[0] = here;
    }
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = okl_max_i64(1, begin * 2); i < i_end; ++i) {
        const double here = u[i];
        u[i] = 2.0 * here;
    }
}

void in_place_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    in_place_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void two_pointers_0_groups(const int n, const double *from, double *to, double *first, int64_t begin, int64_t end) {
    if (begin * 2 <= 0 && 0 < n) {
        const int64_t i = 0;
        const double here = from[i];
        to[i] = 2.0 * here;
        first[0] = here;
    }
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = okl_max_i64(1, begin * 2); i < i_end; ++i) {
        const double here = from[i];
        to[i] = 2.0 * here;
    }
}

void two_pointers_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    two_pointers_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void changed_0_groups(const int n, const double *restrict from, double *restrict to, double *restrict first, int64_t begin, int64_t end) {
    if (begin * 2 <= 0 && 0 < n) {
        const int64_t i = 0;
        double x = from[i];
        x += 1.0;
        const double here = x;
        to[i] = here;
        first[0] = here;
    }
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = okl_max_i64(1, begin * 2); i < i_end; ++i) {
        double x = from[i];
        x += 1.0;
        const double here = x;
        to[i] = here;
    }
}

void changed_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    changed_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void after_another_0_groups(const int n, const double *restrict from, double *restrict to, double *restrict ends, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 2, n);
    OKL_INDEPENDENT
    for (int64_t i = begin * 2; i < i_end; ++i) {
        const double here = from[i];
        to[i] = here;
    }
    if (begin * 2 <= 0 && 0 < n) {
        const int64_t i = 0;
        const double here = from[i];
        ends[0] = here;
    }
    if (begin * 2 <= n - 1 && 1 <= n - 1 && n - 1 < end * 2) {
        const int64_t i = n - 1;
        const double here = from[i];
        ends[1] = here;
    }
}

void after_another_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    after_another_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
