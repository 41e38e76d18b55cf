#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// gcc would take 0.0 - x for -x, which is -0.0 where x is 0.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("rounding-math")
#endif

// What the launcher gives: pointers, and the memory that a group and its items have of their own.

// Who accessed a cell, and when: the group in the upper half, its phase in the lower one. Place 0 is nobody.
typedef struct okl_access {
    uint64_t when;
    uint32_t item, place;
} okl_access;

// What is known of a few bytes in a run. With a line of a cache to itself: what a launch has of them is in no cache.
typedef struct okl_cell {
    uint64_t run;      // its epoch in the upper 63 bits; the lowest one says that there are atomics
    uint64_t settled;  // two items have read it then, so that nothing can come that would have to be kept
    okl_access write, reads[2];
} okl_cell;

typedef struct okl_atomics {
    okl_access kept[2];
} okl_atomics;

enum { OKL_MEMORY, OKL_NULL, OKL_OF_GROUP };

typedef struct okl_pointer {
    unsigned char *bytes;  // where the space starts, from which the offsets count
    bool *written;         // null: all of it counts as written
    okl_cell *cells;       // null: nobody else can see it
    okl_atomics *atomics;  // one for each cell
    uint64_t epoch;
    int64_t at, lo, hi;
    int32_t shift;         // bytes of a cell, as a power of two
    int32_t kind;
} okl_pointer;

typedef struct okl_own {
    unsigned char *shared;
    bool *shared_written;
    okl_cell *shared_cells;
    okl_atomics *shared_atomics;
    unsigned char *exclusive;
    bool *exclusive_written;
    bool *done;
    uint64_t epoch;
} okl_own;

enum {
    OKL_OUT_OF_BOUNDS = 1, OKL_DIMENSION, OKL_UNINITIALISED, OKL_RACE, OKL_NULL_POINTER, OKL_GROUP_VARIABLE, OKL_NO_VALUE,
    OKL_OVERFLOW, OKL_DIVISION, OKL_SHIFT, OKL_CONVERSION, OKL_OFFSET, OKL_NOT_FINITE
};

typedef struct okl_fault {
    uint32_t kind, place, group, item;
    uint32_t other_place, other_group, other_item, writes;
    uint64_t values[3];
} okl_fault;

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(
    sizeof(okl_pointer) == 72 && sizeof(okl_cell) == 64 && sizeof(okl_atomics) == 32 && sizeof(okl_own) == 64
        && sizeof(okl_fault) == 56,
    "the launcher has them in this form"
);
#endif

// Where the run is, and where it ends when something is wrong. One run at a time.
enum {
    OKL_READ, OKL_WRITE, OKL_ATOMIC,
    OKL_LOOK  // a read of what nobody writes from the last barrier to the next one
};
#define OKL_GROUP_LEVEL 0xffffffffu
#define OKL_INLINE static inline __attribute__((always_inline, unused))
#define OKL_COLD static __attribute__((noinline, cold, noreturn, unused))
static uint64_t okl_now;  // as okl_access.when
static bool okl_met;      // the items of the last region have waited for each other
static uint32_t okl_item;
static okl_fault *okl_out;
static jmp_buf okl_exit;

OKL_COLD void okl_fail(uint32_t kind, uint32_t place, uint64_t a, uint64_t b, uint64_t c) {
    *okl_out = (okl_fault){kind, place, (uint32_t)(okl_now >> 32), okl_item, 0, 0, 0, 0, {a, b, c}};
    longjmp(okl_exit, 1);
}

OKL_COLD void okl_race(const okl_pointer *p, int64_t at, uint32_t place, int kind, okl_access other, bool other_writes) {
    const uint32_t writes = (kind != OKL_READ) | (uint32_t)other_writes << 1;
    *okl_out = (okl_fault){OKL_RACE, place, (uint32_t)(okl_now >> 32), okl_item,
                           other.place, (uint32_t)(other.when >> 32), other.item, writes,
                           {(uint64_t)(at - p->lo), (uint64_t)(p->hi - p->lo), 0}};
    longjmp(okl_exit, 1);
}

OKL_INLINE bool okl_is_unordered(const okl_access *other) {
    return other->place != 0
        && (other->when == okl_now ? other->item != okl_item : other->when >> 32 != okl_now >> 32);
}

// Keeps two accesses of a kind: what comes later conflicts with one of them, or with none.
OKL_INLINE void okl_keep(okl_access kept[2], okl_access access) {
    if (kept[0].place == 0) {
        kept[0] = access;
    } else if (kept[1].place != 0 && kept[1].when >> 32 != kept[0].when >> 32) {
        return;
    } else if (kept[0].when >> 32 != access.when >> 32) {
        kept[1] = access;
    } else if (kept[0].when != access.when) {
        kept[1].place = 0;
        kept[0] = access;
    } else if (kept[1].place == 0 && kept[0].item != access.item) {
        kept[1] = access;
    }
}

// The first access conflicts with none.
OKL_INLINE void okl_begin_cell(const okl_pointer *p, int64_t number, int kind, uint32_t place) {
    okl_cell *const cell = p->cells + number;
    const okl_access access = {okl_now, okl_item, place}, none = {0, 0, 0};
    cell->run = p->epoch << 1 | (kind == OKL_ATOMIC);
    cell->settled = 0;
    cell->write = kind == OKL_WRITE ? access : none;
    cell->reads[0] = kind == OKL_READ ? access : none;
    cell->reads[1] = none;
    if (kind == OKL_ATOMIC) {
        p->atomics[number] = (okl_atomics){{access, none}};
    }
}

// The item has written it since the last barrier: whoever else comes conflicts with that.
OKL_INLINE bool okl_is_own(const okl_cell *cell) {
    return cell->write.when == okl_now && cell->write.item == okl_item;
}

// The item has read it since the last barrier, and nobody else has touched it.
OKL_INLINE bool okl_is_read_alone(const okl_cell *cell) {
    return cell->write.place == 0 && (cell->run & 1) == 0 && cell->reads[1].place == 0
        && cell->reads[0].when == okl_now && cell->reads[0].item == okl_item;
}

// An item of the same group had it before the last barrier, or nobody.
OKL_INLINE bool okl_is_past(const okl_access *access) {
    return access->place == 0 || (access->when != okl_now && access->when >> 32 == okl_now >> 32);
}

// All of its accesses are of that kind.
OKL_INLINE bool okl_is_all_past(const okl_cell *cell) {
    return (cell->run & 1) == 0 && okl_is_past(&cell->write) && okl_is_past(&cell->reads[0])
        && okl_is_past(&cell->reads[1]);
}

OKL_INLINE void okl_note_cell(const okl_pointer *p, int64_t number, int64_t at, int kind, uint32_t place) {
    okl_cell *const cell = p->cells + number;
    okl_atomics *const atomics = p->atomics + number;
    const okl_access access = {okl_now, okl_item, place};
    if (cell->run >> 1 != p->epoch) {
        okl_begin_cell(p, number, kind, place);
        return;
    }
    if (okl_is_unordered(&cell->write)) {
        okl_race(p, at, place, kind, cell->write, true);
    }
    const bool has_atomics = cell->run & 1;
    for (int k = 0; k < 2 && has_atomics; ++k) {
        if (kind != OKL_ATOMIC && okl_is_unordered(&atomics->kept[k])) {
            okl_race(p, at, place, kind, atomics->kept[k], true);
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (kind != OKL_READ && okl_is_unordered(&cell->reads[k])) {
            okl_race(p, at, place, kind, cell->reads[k], false);
        }
    }
    if (kind == OKL_READ) {
        okl_keep(cell->reads, access);
        if (cell->reads[1].place != 0 && cell->reads[0].when == okl_now && cell->reads[1].when == okl_now) {
            cell->settled = okl_now;
        }
    } else if (kind == OKL_ATOMIC) {
        if (!has_atomics) {
            *atomics = (okl_atomics){{{0, 0, 0}, {0, 0, 0}}};
            cell->run |= 1;
        }
        okl_keep(atomics->kept, access);
    } else if (cell->write.place == 0 || cell->write.when != okl_now) {
        cell->write = access;
    }
}

// The first of the cells of an access, and one past the last.
OKL_INLINE int64_t okl_first_cell(const okl_pointer *p, int64_t at) {
    return at >> p->shift;
}

OKL_INLINE int64_t okl_end_cell(const okl_pointer *p, int64_t at, int64_t bytes) {
    return ((at + bytes - 1) >> p->shift) + 1;
}

#define OKL_NOTE(name, kind) \
    static __attribute__((noinline, unused)) void okl_note_##name( \
        const okl_pointer *p, int64_t at, int64_t bytes, uint32_t place \
    ) { \
        const int64_t end = okl_end_cell(p, at, bytes); \
        for (int64_t number = okl_first_cell(p, at); number < end; ++number) { \
            okl_note_cell(p, number, at, kind, place); \
        } \
    }

OKL_NOTE(read, OKL_READ)
OKL_NOTE(write, OKL_WRITE)
OKL_NOTE(atomic, OKL_ATOMIC)

// The pointers of a body stay in registers: what is called gets a copy.
OKL_INLINE void okl_note(const okl_pointer *p, int64_t at, int64_t bytes, int kind, uint32_t place) {
    const int64_t first = okl_first_cell(p, at);
    okl_cell *const cell = p->cells + first;
    const bool is_one = first + 1 == okl_end_cell(p, at, bytes), has_begun = cell->run >> 1 == p->epoch;
    if (is_one && kind != OKL_ATOMIC) {
        if (!has_begun) {
            okl_begin_cell(p, first, kind, place);
            return;
        }
        if (okl_is_own(cell) || (kind == OKL_READ && cell->settled == okl_now)) {
            return;
        }
        if (kind == OKL_WRITE && (okl_is_read_alone(cell) || okl_is_all_past(cell))) {
            cell->write = (okl_access){okl_now, okl_item, place};
            return;
        }
    }
    const okl_pointer copy = *p;
    if (kind == OKL_ATOMIC) {
        okl_note_atomic(&copy, at, bytes, place);
    } else if (kind == OKL_READ) {
        okl_note_read(&copy, at, bytes, place);
    } else {
        okl_note_write(&copy, at, bytes, place);
    }
}

// Where an access lies, once it is known to be allowed.
OKL_INLINE int64_t okl_touch(const okl_pointer *p, int64_t offset, int64_t bytes, int kind, uint32_t place) {
    int64_t at;
    if (p->kind == OKL_NULL) {
        okl_fail(OKL_NULL_POINTER, place, 0, 0, 0);
    }
    if (__builtin_add_overflow(p->at, offset, &at)) {
        okl_fail(OKL_OFFSET, place, 0, 0, 0);
    }
    if (at < p->lo || at > p->hi - bytes) {
        okl_fail(OKL_OUT_OF_BOUNDS, place, (uint64_t)(at - p->lo), (uint64_t)(p->hi - p->lo), 0);
    }
    if (kind != OKL_READ && kind != OKL_LOOK && p->kind == OKL_OF_GROUP && okl_item != OKL_GROUP_LEVEL) {
        okl_fail(OKL_GROUP_VARIABLE, place, 0, 0, 0);
    }
    if (kind != OKL_LOOK && p->cells) {
        okl_note(p, at, bytes, kind, place);
    }
    return at;
}

OKL_INLINE bool okl_is_written(const okl_pointer *p, int64_t at, int64_t bytes) {
    static const bool all[8] = {true, true, true, true, true, true, true, true};
    return !p->written || memcmp(p->written + at, all, (size_t)bytes) == 0;
}

OKL_INLINE void okl_must_be_written(const okl_pointer *p, int64_t at, int64_t bytes, uint32_t place) {
    if (!okl_is_written(p, at, bytes)) {
        okl_fail(OKL_UNINITIALISED, place, 0, 0, 0);
    }
}

OKL_INLINE void okl_mark(const okl_pointer *p, int64_t at, int64_t bytes) {
    if (p->written) {
        memset(p->written + at, 1, (size_t)bytes);
    }
}

OKL_INLINE okl_pointer okl_moved(okl_pointer p, int64_t offset, uint32_t place) {
    if (__builtin_add_overflow(p.at, offset, &p.at)) {
        okl_fail(OKL_OFFSET, place, 0, 0, 0);
    }
    return p;
}

// Memory of one variable.
OKL_INLINE okl_pointer okl_variable(void *bytes, bool *written, int64_t size, int32_t kind) {
    return (okl_pointer){bytes, written, NULL, NULL, 0, 0, 0, size, 0, kind};
}

OKL_INLINE int64_t okl_dimension(int64_t index, int64_t size, uint32_t place) {
    if (index < 0 || index >= size) {
        okl_fail(OKL_DIMENSION, place, (uint64_t)index, 0, 0);
    }
    return index;
}

OKL_INLINE int64_t okl_scaled(int64_t index, int64_t stride, uint32_t place) {
    int64_t moved;
    if (__builtin_mul_overflow(index, stride, &moved)) {
        okl_fail(OKL_OFFSET, place, 0, 0, 0);
    }
    return moved;
}

OKL_INLINE int64_t okl_sum(int64_t a, int64_t b, uint32_t place) {
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum)) {
        okl_fail(OKL_OFFSET, place, 0, 0, 0);
    }
    return sum;
}

OKL_INLINE int64_t okl_index_of_u64(uint64_t index, uint32_t place) {
    if (index > INT64_MAX) {
        okl_fail(OKL_OFFSET, place, 0, 0, 0);
    }
    return (int64_t)index;
}

#define OKL_LOAD_OF(T, name, kind) \
    OKL_INLINE T name(const okl_pointer *p, int64_t offset, uint32_t place) { \
        T value; \
        const int64_t at = okl_touch(p, offset, sizeof value, kind, place); \
        okl_must_be_written(p, at, sizeof value, place); \
        memcpy(&value, p->bytes + at, sizeof value); \
        return value; \
    }

#define OKL_MEMORY_OF(T, tag) \
    OKL_LOAD_OF(T, okl_load_##tag, OKL_READ) \
    OKL_LOAD_OF(T, okl_look_##tag, OKL_LOOK) \
    OKL_INLINE void okl_store_##tag(const okl_pointer *p, int64_t offset, T value, uint32_t place) { \
        const int64_t at = okl_touch(p, offset, sizeof value, OKL_WRITE, place); \
        memcpy(p->bytes + at, &value, sizeof value); \
        okl_mark(p, at, sizeof value); \
    } \
    OKL_INLINE T okl_old_##tag(const okl_pointer *p, int64_t offset, bool is_read, uint32_t place) { \
        T value; \
        const int64_t at = okl_touch(p, offset, sizeof value, OKL_ATOMIC, place); \
        if (is_read) { \
            okl_must_be_written(p, at, sizeof value, place); \
        } \
        memcpy(&value, p->bytes + at, sizeof value); \
        return value; \
    } \
    OKL_INLINE void okl_new_##tag(const okl_pointer *p, int64_t offset, T value) { \
        memcpy(p->bytes + p->at + offset, &value, sizeof value); \
        okl_mark(p, p->at + offset, sizeof value); \
    }

// Signed arithmetic, which must not leave its type.
#define OKL_SIGNED(T, U, tag, least) \
    OKL_INLINE T okl_add_##tag(T a, T b, uint32_t place) { \
        T value; \
        if (__builtin_add_overflow(a, b, &value)) okl_fail(OKL_OVERFLOW, place, (uint64_t)a, (uint64_t)b, 0); \
        return value; \
    } \
    OKL_INLINE T okl_sub_##tag(T a, T b, uint32_t place) { \
        T value; \
        if (__builtin_sub_overflow(a, b, &value)) okl_fail(OKL_OVERFLOW, place, (uint64_t)a, (uint64_t)b, 0); \
        return value; \
    } \
    OKL_INLINE T okl_mul_##tag(T a, T b, uint32_t place) { \
        T value; \
        if (__builtin_mul_overflow(a, b, &value)) okl_fail(OKL_OVERFLOW, place, (uint64_t)a, (uint64_t)b, 0); \
        return value; \
    } \
    OKL_INLINE void okl_divides_##tag(T a, T b, uint32_t place) { \
        if (b == 0) okl_fail(OKL_DIVISION, place, (uint64_t)a, (uint64_t)b, 0); \
        if (b == -1 && a == least) okl_fail(OKL_OVERFLOW, place, (uint64_t)a, (uint64_t)b, 0); \
    } \
    OKL_INLINE T okl_neg_##tag(T a, uint32_t place) { \
        if (a == least) okl_fail(OKL_OVERFLOW, place, (uint64_t)a, 0, 0); \
        return (T)-a; \
    } \
    OKL_INLINE T okl_absolute_##tag(T a, uint32_t place) { \
        return a < 0 ? okl_neg_##tag(a, place) : a; \
    } \
    OKL_INTEGER(T, U, tag)

// Unsigned arithmetic wraps.
#define OKL_UNSIGNED(T, tag) \
    OKL_INLINE T okl_add_##tag(T a, T b, uint32_t place) { return (void)place, (T)(a + b); } \
    OKL_INLINE T okl_sub_##tag(T a, T b, uint32_t place) { return (void)place, (T)(a - b); } \
    OKL_INLINE T okl_mul_##tag(T a, T b, uint32_t place) { return (void)place, (T)((uint64_t)a * b); } \
    OKL_INLINE void okl_divides_##tag(T a, T b, uint32_t place) { \
        if (b == 0) okl_fail(OKL_DIVISION, place, (uint64_t)a, (uint64_t)b, 0); \
    } \
    OKL_INLINE T okl_neg_##tag(T a, uint32_t place) { return (void)place, (T)(0 - a); } \
    OKL_INLINE T okl_absolute_##tag(T a, uint32_t place) { return (void)place, a; } \
    OKL_INTEGER(T, T, tag)

#define OKL_INTEGER(T, U, tag) \
    OKL_INLINE T okl_div_##tag(T a, T b, uint32_t place) { return okl_divides_##tag(a, b, place), (T)(a / b); } \
    OKL_INLINE T okl_rem_##tag(T a, T b, uint32_t place) { return okl_divides_##tag(a, b, place), (T)(a % b); } \
    OKL_INLINE T okl_shl_##tag(T a, int64_t bits, uint32_t place) { \
        if (bits < 0 || bits >= (int64_t)(8 * sizeof a)) okl_fail(OKL_SHIFT, place, (uint64_t)a, (uint64_t)bits, 0); \
        return (T)((U)a << bits); \
    } \
    OKL_INLINE T okl_shr_##tag(T a, int64_t bits, uint32_t place) { \
        if (bits < 0 || bits >= (int64_t)(8 * sizeof a)) okl_fail(OKL_SHIFT, place, (uint64_t)a, (uint64_t)bits, 0); \
        return (T)(a >> bits); \
    }

// The integer part of a float, which must fit: `low` < x < `high`.
#define OKL_TRUNCATE(T, tag, low, compare, high) \
    OKL_INLINE T okl_##tag##_of(double x, uint64_t bits, uint32_t place) { \
        if (!(x compare low && x < high)) okl_fail(OKL_CONVERSION, place, bits, 0, 0); \
        return (T)x; \
    }

#define OKL_BITS(T, U, tag) \
    OKL_INLINE uint64_t okl_bits_##tag(T x) { \
        U bits; \
        memcpy(&bits, &x, sizeof bits); \
        return bits; \
    } \
    OKL_INLINE T okl_born_##tag(T value, bool from_finite, uint32_t place) { \
        if (from_finite && !isfinite(value)) okl_fail(OKL_NOT_FINITE, place, okl_bits_##tag(value), 0, 0); \
        return value; \
    }

OKL_MEMORY_OF(bool, bool)
OKL_MEMORY_OF(int8_t, i8)
OKL_MEMORY_OF(uint8_t, u8)
OKL_MEMORY_OF(int16_t, i16)
OKL_MEMORY_OF(uint16_t, u16)
OKL_MEMORY_OF(int32_t, i32)
OKL_MEMORY_OF(uint32_t, u32)
OKL_MEMORY_OF(int64_t, i64)
OKL_MEMORY_OF(uint64_t, u64)
OKL_MEMORY_OF(uint16_t, f16)
OKL_MEMORY_OF(uint16_t, bf16)
OKL_MEMORY_OF(float, f32)
OKL_MEMORY_OF(double, f64)
OKL_SIGNED(int8_t, uint8_t, i8, INT8_MIN)
OKL_SIGNED(int16_t, uint16_t, i16, INT16_MIN)
OKL_SIGNED(int32_t, uint32_t, i32, INT32_MIN)
OKL_SIGNED(int64_t, uint64_t, i64, INT64_MIN)
OKL_UNSIGNED(uint8_t, u8)
OKL_UNSIGNED(uint16_t, u16)
OKL_UNSIGNED(uint32_t, u32)
OKL_UNSIGNED(uint64_t, u64)
OKL_TRUNCATE(int8_t, i8, -129.0, >, 128.0)
OKL_TRUNCATE(uint8_t, u8, -1.0, >, 256.0)
OKL_TRUNCATE(int16_t, i16, -32769.0, >, 32768.0)
OKL_TRUNCATE(uint16_t, u16, -1.0, >, 65536.0)
OKL_TRUNCATE(int32_t, i32, -2147483649.0, >, 2147483648.0)
OKL_TRUNCATE(uint32_t, u32, -1.0, >, 4294967296.0)
OKL_TRUNCATE(int64_t, i64, -9223372036854775808.0, >=, 9223372036854775808.0)
OKL_TRUNCATE(uint64_t, u64, -1.0, >, 18446744073709551616.0)
OKL_BITS(float, uint32_t, f32)
OKL_BITS(double, uint64_t, f64)
