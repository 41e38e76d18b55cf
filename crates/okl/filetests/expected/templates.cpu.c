// C11, made from OKL.
// @kernel functions: functions_0
// @kernel structs: structs_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

// OKL_INDEPENDENT_GUARDED: the same, where some iterations must not read what others read.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_GUARDED
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_GUARDED _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_GUARDED
#endif

typedef struct Pair_int {
    int a;
    int b;
} Pair_int;
_Static_assert(sizeof(Pair_int) == 8, "size of Pair_int");
_Static_assert(offsetof(Pair_int, a) == 0, "offset of Pair_int.a");
_Static_assert(offsetof(Pair_int, b) == 4, "offset of Pair_int.b");

typedef struct Pair_float {
    float a;
    float b;
} Pair_float;
_Static_assert(sizeof(Pair_float) == 8, "size of Pair_float");
_Static_assert(offsetof(Pair_float, a) == 0, "offset of Pair_float.a");
_Static_assert(offsetof(Pair_float, b) == 4, "offset of Pair_float.b");

typedef struct Row_float_2 {
    float values[2];
    Pair_float ends;
} Row_float_2;
_Static_assert(sizeof(Row_float_2) == 16, "size of Row_float_2");
_Static_assert(offsetof(Row_float_2, values) == 0, "offset of Row_float_2.values");
_Static_assert(offsetof(Row_float_2, ends) == 8, "offset of Row_float_2.ends");

typedef struct Pair_struct_Pair_int {
    Pair_int a;
    Pair_int b;
} Pair_struct_Pair_int;
_Static_assert(sizeof(Pair_struct_Pair_int) == 16, "size of Pair_struct_Pair_int");
_Static_assert(offsetof(Pair_struct_Pair_int, a) == 0, "offset of Pair_struct_Pair_int.a");
_Static_assert(offsetof(Pair_struct_Pair_int, b) == 8, "offset of Pair_struct_Pair_int.b");

typedef struct Row_struct_Pair_int_3 {
    Pair_int values[3];
    Pair_struct_Pair_int ends;
} Row_struct_Pair_int_3;
_Static_assert(sizeof(Row_struct_Pair_int_3) == 40, "size of Row_struct_Pair_int_3");
_Static_assert(offsetof(Row_struct_Pair_int_3, values) == 0, "offset of Row_struct_Pair_int_3.values");
_Static_assert(offsetof(Row_struct_Pair_int_3, ends) == 24, "offset of Row_struct_Pair_int_3.ends");

static inline int okl_i32_of_f32(float value) {
    return (int)(value < 2147483520.0f ? value : 2147483520.0f);
}

static inline int64_t okl_max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static inline int64_t okl_min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline float total(const float *x, int n) {
    float sum_2 = 0.0f;
    for (int i = 0; i < n; ++i) {
        sum_2 += x[i];
    }
    return sum_2;
}

static inline int total_1(const int *x, int n) {
    int sum_2 = 0;
    for (int i = 0; i < n; ++i) {
        sum_2 = (uint32_t)sum_2 + x[i];
    }
    return sum_2;
}

static inline int as(float x) {
    return okl_i32_of_f32(x);
}

static inline float square(float x) {
    return x * x;
}

static inline int n_larger(int a, int b) {
    return a > b ? a : b;
}

static inline int square_1(int x) {
    return x * x;
}

static inline float power(float x) {
    float result = 1.0f;
    for (int i = 0; i < 2; ++i) {
        result *= x;
    }
    return result;
}

static inline void put(float *to, float value) {
    to[0] = value;
}

static inline int sum(Pair_int p) {
    return (uint32_t)p.a + p.b;
}

static inline float sum_1(Pair_float p) {
    return p.a + p.b;
}

static inline void functions_0_groups(const float *x, const int *k, float *y, int64_t begin) {
    OKL_INDEPENDENT_GUARDED
    for (int64_t i = begin * 2; i < 1; ++i) {
        y[0] = total(x, 2);
        y[1] = total_1(k, 2);
        y[2] = as(x[0] + 2.0f);
        y[3] = square(2.5f) + 0.25f;
        y[4] = n_larger(3, 6);
        y[5] = square_1(3);
        y[6] = power(2.0f);
        put(&y[7], power(4.5f) + 2.25f);
    }
}

void functions_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)end; (void)scratch;
    functions_0_groups(arguments[0], arguments[1], arguments[2], begin);
}

static inline void structs_0_groups(const int n, const Pair_int *z, const Pair_float *w, float *out, int64_t begin, int64_t end) {
    if (begin * 2 <= 0 && 0 < n) {
        const int64_t i = 0;
        const Row_float_2 row = {{1.0f, 2.0f}, {3.0f, 4.0f}};
        Row_struct_Pair_int_3 pairs;
        pairs.values[i] = z[i];
        out[0] = sum(z[0]) + sum_1(w[0]) - row.ends.b - 1.0f;
        out[1] = row.values[0] + row.values[1] + pairs.values[0].a + 2.0f;
    }
    const int64_t i_end = okl_min_i64(end * 2, n);
    for (int64_t i = okl_max_i64(1, begin * 2); i < i_end; ++i) {
        const Row_float_2 row = {{1.0f, 2.0f}, {3.0f, 4.0f}};
        Row_struct_Pair_int_3 pairs;
        pairs.values[i] = z[i];
        out[2] = sum(pairs.values[1]);
        out[3] = sum_1(w[1]) - row.ends.a;
    }
}

void structs_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    structs_0_groups(*(const int *)arguments[0], arguments[1], arguments[2], arguments[3], begin, end);
}
