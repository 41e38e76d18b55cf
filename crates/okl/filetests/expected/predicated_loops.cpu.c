// C11, made from OKL.
// @kernel escape: escape_0
// @kernel counted: counted_0
// @kernel collatz: collatz_0
// @kernel halves: halves_0
// @kernel least: least_0
// @kernel walks: walks_0
// @kernel leaves_twice: leaves_twice_0

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

// OKL_INDEPENDENT: the iterations of the loop do not depend on each other.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT
#endif

typedef struct complex64 {
    float re;
    float im;
} complex64;
_Static_assert(sizeof(complex64) == 8, "size of complex64");
_Static_assert(offsetof(complex64, re) == 0, "offset of complex64.re");
_Static_assert(offsetof(complex64, im) == 4, "offset of complex64.im");

static inline uint32_t okl_atomic_exchange_u32(uint32_t *at, uint32_t value) {
    return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline void report_fault_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    uint32_t before;
    before = okl_atomic_exchange_u32(&faults[0], 1);
    if (before == 0) {
        faults[1] = place;
        faults[2] = (uint32_t)index;
        faults[3] = (uint32_t)(index >> 31);
        faults[4] = length;
        faults[5] = 0;
        faults[6] = group_x;
        faults[9] = item_x;
    }
}

static inline int index_or_zero_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint32_t)index < length) {
        return index;
    }
    report_fault_int(index, length, place, group_x, item_x, faults);
    return 0;
}

static inline bool is_in_range_int(int index, uint32_t length, uint32_t place, uint32_t group_x, uint32_t item_x, uint32_t *restrict faults) {
    if ((uint32_t)index < length) {
        return true;
    }
    report_fault_int(index, length, place, group_x, item_x, faults);
    return false;
}

static inline void escape_0_groups(const int n, const int most, const complex64 *c, int *steps, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int64_t first = (int)(begin * 64); first < i_end; first += 32) {
        const int limit = most;
        const int64_t lanes = okl_min_i64(32, i_end - first);
        _Alignas(64) float own_re_lanes[32] = {0};
        _Alignas(64) float own_im_lanes[32] = {0};
        _Alignas(64) int taken_lanes[32] = {0};
        _Alignas(64) float z_re_lanes[32] = {0};
        _Alignas(64) float z_im_lanes[32] = {0};
        _Alignas(64) int alive_lanes[32] = {0};
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t i = first + lane;
            const complex64 complex = c[i];
            const complex64 own = {complex.re * 0.125f, complex.im * 0.125f};
            int taken = 0;
            complex64 z = {0.0f, 0.0f};
            bool alive = true;
            own_re_lanes[lane] = own.re;
            own_im_lanes[lane] = own.im;
            taken_lanes[lane] = taken;
            z_re_lanes[lane] = z.re;
            z_im_lanes[lane] = z.im;
            alive_lanes[lane] = alive;
        }
        while (true) {
            int any = 0;
            for (int64_t lane = 0; lane < 32; ++lane) {
                const complex64 own = {own_re_lanes[lane], own_im_lanes[lane]};
                int taken = taken_lanes[lane];
                complex64 z = {z_re_lanes[lane], z_im_lanes[lane]};
                bool alive = alive_lanes[lane] != 0;
                alive = alive && (taken < limit && z.re * z.re + z.im * z.im <= 4.0f);
                const complex64 value = {z.re * z.re - z.im * z.im + own.re, z.re * z.im + z.im * z.re + own.im};
                z.re = alive ? value.re : z.re;
                z.im = alive ? value.im : z.im;
                taken = alive ? (int)((uint32_t)taken + 1) : taken;
                any |= alive;
                taken_lanes[lane] = taken;
                z_re_lanes[lane] = z.re;
                z_im_lanes[lane] = z.im;
                alive_lanes[lane] = alive;
            }
            if (any == 0) {
                break;
            }
        }
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            int taken = taken_lanes[lane];
            const int64_t i = first + lane;
            steps[i] = taken;
        }
    }
}

void escape_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    escape_0_groups(*(const int *)arguments[0], *(const int *)arguments[1], arguments[2], arguments[3], begin, end);
}

static inline void counted_0_groups(const int n, const float *x, int *steps, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int64_t first = (int)(begin * 64); first < i_end; first += 32) {
        const int64_t lanes = okl_min_i64(32, i_end - first);
        _Alignas(64) float y_lanes[32] = {0};
        _Alignas(64) int taken_lanes[32] = {0};
        _Alignas(64) int alive_lanes[32] = {0};
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t i = first + lane;
            float y = x[i];
            int taken = 20;
            bool alive = true;
            y_lanes[lane] = y;
            taken_lanes[lane] = taken;
            alive_lanes[lane] = alive;
        }
        for (int k = 0; k < 20; k += 2) {
            int any = 0;
            for (int64_t lane = 0; lane < 32; ++lane) {
                float y = y_lanes[lane];
                int taken = taken_lanes[lane];
                bool alive = alive_lanes[lane] != 0;
                const bool taken_1 = alive && y > 100.0f;
                taken = taken_1 ? k : taken;
                alive = alive && !taken_1;
                const float half_step = y * 0.5f;
                y = alive ? y + half_step : y;
                any |= alive;
                y_lanes[lane] = y;
                taken_lanes[lane] = taken;
                alive_lanes[lane] = alive;
            }
            if (any == 0) {
                break;
            }
        }
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            int taken = taken_lanes[lane];
            const int64_t i = first + lane;
            steps[i] = taken;
        }
    }
}

void counted_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    counted_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void collatz_0_groups(const int n, int *steps, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int64_t first = (int)(begin * 64); first < i_end; first += 32) {
        const int64_t lanes = okl_min_i64(32, i_end - first);
        _Alignas(64) uint32_t m_lanes[32] = {0};
        _Alignas(64) int taken_lanes[32] = {0};
        _Alignas(64) int alive_lanes[32] = {0};
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int i = first + lane;
            uint32_t m = i + 1;
            int taken = 0;
            bool alive = true;
            m_lanes[lane] = m;
            taken_lanes[lane] = taken;
            alive_lanes[lane] = alive;
        }
        while (true) {
            int any = 0;
            for (int64_t lane = 0; lane < 32; ++lane) {
                uint32_t m = m_lanes[lane];
                int taken = taken_lanes[lane];
                bool alive = alive_lanes[lane] != 0;
                alive = alive && m != 1;
                const bool taken_1 = alive && m % 2 == 0;
                const bool other = alive && !taken_1;
                m = taken_1 ? m / 2 : m;
                m = other ? 3 * m + 1 : m;
                taken = alive ? (int)((uint32_t)taken + 1) : taken;
                any |= alive;
                m_lanes[lane] = m;
                taken_lanes[lane] = taken;
                alive_lanes[lane] = alive;
            }
            if (any == 0) {
                break;
            }
        }
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            int taken = taken_lanes[lane];
            const int64_t i = first + lane;
            steps[i] = taken;
        }
    }
}

void collatz_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    collatz_0_groups(*(const int *)arguments[0], arguments[1], begin, end);
}

static inline void halves_0_groups(const int n, const float *x, float *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int64_t first = (int)(begin * 64); first < i_end; first += 32) {
        const int64_t lanes = okl_min_i64(32, i_end - first);
        _Alignas(64) float a_lanes[32] = {0};
        _Alignas(64) float last_lanes[32] = {0};
        _Alignas(64) int alive_lanes[32] = {0};
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t i = first + lane;
            float a = fabsf(x[i]);
            float last = 0.0f;
            bool alive = true;
            a_lanes[lane] = a;
            last_lanes[lane] = last;
            alive_lanes[lane] = alive;
        }
        while (true) {
            int any = 0;
            for (int64_t lane = 0; lane < 32; ++lane) {
                float a = a_lanes[lane];
                float last = last_lanes[lane];
                bool alive = alive_lanes[lane] != 0;
                last = alive ? a : last;
                a = alive ? a / 2.0f : a;
                alive = alive && a > 1.0f;
                any |= alive;
                a_lanes[lane] = a;
                last_lanes[lane] = last;
                alive_lanes[lane] = alive;
            }
            if (any == 0) {
                break;
            }
        }
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            float last = last_lanes[lane];
            const int64_t i = first + lane;
            y[i] = last;
        }
    }
}

void halves_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    halves_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void least_0_groups(const int n, const int *x, int *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int64_t first = (int)(begin * 64); first < i_end; first += 32) {
        const int64_t lanes = okl_min_i64(32, i_end - first);
        _Alignas(64) int a_lanes[32] = {0};
        _Alignas(64) int alive_lanes[32] = {0};
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t i = first + lane;
            int a = x[i];
            bool alive = true;
            a_lanes[lane] = a;
            alive_lanes[lane] = alive;
        }
        while (true) {
            int any = 0;
            for (int64_t lane = 0; lane < 32; ++lane) {
                int a = a_lanes[lane];
                bool alive = alive_lanes[lane] != 0;
                alive = alive && a < 2147483000;
                a = alive ? (int)((uint32_t)a + 600) : a;
                any |= alive;
                a_lanes[lane] = a;
                alive_lanes[lane] = alive;
            }
            if (any == 0) {
                break;
            }
        }
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            int a = a_lanes[lane];
            const int64_t i = first + lane;
            y[i] = a;
        }
    }
}

void least_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    least_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}

static inline void walks_0_groups(const int n, int *x, const int *next, uint32_t *restrict faults, const uint32_t next_length, int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
        const int i_block = group * 64;
        const int64_t i_end = okl_min_i64(i_block + 64, n);
        for (int i = i_block; i < i_end; ++i) {
            int at = i;
            while (at < 30) {
                at = next[index_or_zero_int(at, next_length, 0, (int64_t)i_block / 64, (int64_t)i - i_block, faults)];
            }
            x[i] = at;
        }
    }
}

void walks_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    walks_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], *(const uint32_t *)arguments[4], begin, end);
}

static inline void leaves_twice_0_groups(const int n, const float *x, float *y, int64_t begin, int64_t end) {
    const int64_t i_end = okl_min_i64(end * 64, n);
    for (int64_t first = (int)(begin * 64); first < i_end; first += 32) {
        const int64_t lanes = okl_min_i64(32, i_end - first);
        _Alignas(64) float a_lanes[32] = {0};
        _Alignas(64) float b_lanes[32] = {0};
        _Alignas(64) int alive_lanes[32] = {0};
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t i = first + lane;
            float a = x[i];
            float b = 1.0f;
            bool alive = true;
            a_lanes[lane] = a;
            b_lanes[lane] = b;
            alive_lanes[lane] = alive;
        }
        for (int64_t k = 0; k < 30; ++k) {
            int any = 0;
            for (int64_t lane = 0; lane < 32; ++lane) {
                float a = a_lanes[lane];
                float b = b_lanes[lane];
                bool alive = alive_lanes[lane] != 0;
                bool taken = alive && a < 0.0f;
                bool other = alive && !taken;
                b = taken ? b + a : b;
                const bool taken_1 = taken && b < -50.0f;
                alive = alive && !taken_1;
                taken = taken && alive;
                a = taken ? a + 0.5f : a;
                b = other ? b * 1.5f : b;
                const bool taken_2 = other && b > a * 8.0f;
                alive = alive && !taken_2;
                other = other && alive;
                a = other ? a - 0.25f : a;
                b = alive ? b + 0.125f : b;
                any |= alive;
                a_lanes[lane] = a;
                b_lanes[lane] = b;
                alive_lanes[lane] = alive;
            }
            if (any == 0) {
                break;
            }
        }
        OKL_INDEPENDENT
        for (int64_t lane = 0; lane < lanes; ++lane) {
            float a = a_lanes[lane];
            float b = b_lanes[lane];
            const int64_t i = first + lane;
            y[i] = a + b;
        }
    }
}

void leaves_twice_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    leaves_twice_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], begin, end);
}
