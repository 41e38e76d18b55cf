// C11, made from OKL.
// @kernel names: names_0

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct point_s {
    double x;
    int id;
} point_s;
_Static_assert(sizeof(point_s) == 16, "size of point_s");
_Static_assert(offsetof(point_s, x) == 0, "offset of point_s.x");
_Static_assert(offsetof(point_s, id) == 8, "offset of point_s.id");

static inline void names_0_groups(double *out, int64_t begin, int64_t end) {
    for (int o = begin; o < end; ++o) {
        for (int k = 0; k < 1; ++k) {
            point_s p;
            p.x = 2.5;
            p.id = 11;
            out[0] = 0.0;
            out[1] = 1.0;
            out[2ull] = 10.0;
            out[3] = p.id;
            out[4] = p.x;
            out[5] = 42.0;
        }
    }
}

void names_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)dims; (void)scratch;
    names_0_groups(arguments[0], begin, end);
}
