// C11, made from OKL.
// @kernel ax: ax_0

#include <stdbool.h>
#include <stdint.h>

// OKL_INDEPENDENT_SHORT: the same, of a few hundred iterations at most.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define OKL_INDEPENDENT_SHORT _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")
#elif defined(__GNUC__)
#define OKL_INDEPENDENT_SHORT _Pragma("GCC ivdep")
#else
#define OKL_INDEPENDENT_SHORT
#endif

static inline void ax_0_groups(const double *G, const double *D, const double *q, double *Aq, const int64_t *dims, int64_t begin, int64_t end) {
    for (int e = begin; e < end; ++e) {
        if (dims[0] > 1024) {
            for (int64_t line = 0; line < 512; line += 8) {
                __builtin_prefetch(&G[(int64_t)e * 512 + 512 + line], 0, 2);
                __builtin_prefetch(&q[(int64_t)e * 512 + 512 + line], 0, 2);
            }
        }
        _Alignas(64) double s_D[8][8];
        _Alignas(64) double s_q[8][8];
        _Alignas(64) double s_r[8][8];
        _Alignas(64) double r_q[8][8][8];
        _Alignas(64) double r_Aq[8][8][8];
        for (int64_t j = 0; j < 8; ++j) {
            OKL_INDEPENDENT_SHORT
            for (int64_t i = 0; i < 8; ++i) {
                s_D[j][i] = D[j * 8 + i];
            }
        }
        for (int64_t k = 0; k < 8; ++k) {
            for (int64_t j = 0; j < 8; ++j) {
                OKL_INDEPENDENT_SHORT
                for (int64_t i = 0; i < 8; ++i) {
                    r_q[k][j][i] = q[e * 8 * 8 * 8 + k * 8 * 8 + j * 8 + i];
                    r_Aq[k][j][i] = 0.0;
                }
            }
        }
        for (int64_t k = 0; k < 8; ++k) {
            for (int64_t j = 0; j < 8; ++j) {
                OKL_INDEPENDENT_SHORT
                for (int64_t i = 0; i < 8; ++i) {
                    s_q[j][i] = r_q[k][j][i];
                }
            }
            for (int64_t j = 0; j < 8; ++j) {
                OKL_INDEPENDENT_SHORT
                for (int64_t i = 0; i < 8; ++i) {
                    double qr = 0.0;
                    for (int64_t m = 0; m < 8; ++m) {
                        qr += s_D[i][m] * s_q[j][m];
                    }
                    s_r[j][i] = G[e * 8 * 8 * 8 + k * 8 * 8 + j * 8 + i] * qr;
                }
            }
            for (int64_t j = 0; j < 8; ++j) {
                OKL_INDEPENDENT_SHORT
                for (int64_t i = 0; i < 8; ++i) {
                    for (int64_t m = 0; m < 8; ++m) {
                        r_Aq[k][j][i] += s_D[m][i] * s_r[j][m];
                    }
                }
            }
        }
        for (int64_t k = 0; k < 8; ++k) {
            for (int64_t j = 0; j < 8; ++j) {
                OKL_INDEPENDENT_SHORT
                for (int64_t i = 0; i < 8; ++i) {
                    Aq[e * 8 * 8 * 8 + k * 8 * 8 + j * 8 + i] = r_Aq[k][j][i];
                }
            }
        }
    }
}

void ax_0(void *const *arguments, const int64_t *dims, int64_t begin, int64_t end, void *scratch) {
    (void)scratch;
    ax_0_groups(arguments[0], arguments[1], arguments[2], arguments[3], dims, begin, end);
}
