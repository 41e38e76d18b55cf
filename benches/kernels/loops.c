/* The peers of kernels.okl: the loops that one would write by hand for a processor, by the same compiler with the same flags. Each does
   the parts `begin` to `end` of its work, so that threads may share it. P is the degree of an element's polynomials. */
#include <string.h>

#define Q (P + 1)

void copy(long begin, long end, const double *restrict x, double *restrict a) {
  for (long i = begin; i < end; ++i) a[i] = x[i];
}

void axpby(long begin, long end, double alpha, const double *restrict x, double beta, double *restrict a) {
  for (long i = begin; i < end; ++i) a[i] = alpha * x[i] + beta * a[i];
}

/* Sixteen sums side by side: compilers do not change the order of one. */
double dot(long begin, long end, const double *restrict x, const double *restrict y) {
  double sums[16] = {0};
  long i = begin;
  for (; i + 16 <= end; i += 16)
    for (int k = 0; k < 16; ++k) sums[k] += x[i + k] * y[i + k];
  for (; i < end; ++i) sums[0] += x[i] * y[i];
  double sum = 0;
  for (int k = 0; k < 16; ++k) sum += sums[k];
  return sum;
}

/* `counts` are the thread's own. */
void histogram(long begin, long end, const int *restrict x, unsigned *restrict counts) {
  memset(counts, 0, 256 * sizeof *counts);
  for (long i = begin; i < end; ++i) counts[x[i] & 255]++;
}

/* Rows of tiles. */
void transpose(long begin, long end, long n, const double *restrict x, double *restrict a) {
  for (long row = 32 * begin; row < 32 * end; row += 32)
    for (long column = 0; column < n; column += 32)
      for (long j = column; j < column + 32; ++j)
        for (long i = row; i < row + 32; ++i) a[j * n + i] = x[i * n + j];
}

/* Layers, counted from the first inner one. */
void stencil(long begin, long end, long n, const double *restrict x, double *restrict a) {
  for (long k = begin + 1; k < end + 1; ++k)
    for (long j = 1; j < n - 1; ++j)
      for (long i = 1; i < n - 1; ++i) {
        const long c = (k * n + j) * n + i;
        a[c] = 0.4 * x[c] + 0.1 * (x[c - 1] + x[c + 1] + x[c - n] + x[c + n] + x[c - n * n] + x[c + n * n]);
      }
}

/* Elements. */
void laplacian(long begin, long end, const double *restrict D, const double *restrict g, const double *restrict q, double *restrict a) {
  for (long e = begin; e < end; ++e) {
    const double *restrict u = q + e * Q * Q * Q, *restrict f = g + e * 6 * Q * Q * Q;
    double *restrict out = a + e * Q * Q * Q;
    double r[Q][Q][Q], s[Q][Q][Q], t[Q][Q][Q];
    for (int k = 0; k < Q; ++k)
      for (int j = 0; j < Q; ++j)
        for (int i = 0; i < Q; ++i) {
          double qr = 0, qs = 0, qt = 0;
          for (int m = 0; m < Q; ++m) {
            qr += D[i * Q + m] * u[(k * Q + j) * Q + m];
            qs += D[j * Q + m] * u[(k * Q + m) * Q + i];
            qt += D[k * Q + m] * u[(m * Q + j) * Q + i];
          }
          const int c = (k * Q + j) * Q + i;
          const double grr = f[c], grs = f[c + Q * Q * Q], grt = f[c + 2 * Q * Q * Q];
          const double gss = f[c + 3 * Q * Q * Q], gst = f[c + 4 * Q * Q * Q], gtt = f[c + 5 * Q * Q * Q];
          r[k][j][i] = grr * qr + grs * qs + grt * qt;
          s[k][j][i] = grs * qr + gss * qs + gst * qt;
          t[k][j][i] = grt * qr + gst * qs + gtt * qt;
        }
    for (int k = 0; k < Q; ++k)
      for (int j = 0; j < Q; ++j)
        for (int i = 0; i < Q; ++i) {
          double sum = 0;
          for (int m = 0; m < Q; ++m) sum += D[m * Q + i] * r[k][j][m] + D[m * Q + j] * s[k][m][i] + D[m * Q + k] * t[m][j][i];
          out[(k * Q + j) * Q + i] = sum;
        }
  }
}

void gradient(long begin, long end, const double *restrict D, const double *restrict g, const double *restrict q, double *restrict a) {
  for (long e = begin; e < end; ++e) {
    const double *restrict u = q + e * Q * Q * Q, *restrict f = g + e * 9 * Q * Q * Q;
    double *restrict out = a + e * 3 * Q * Q * Q;
    for (int k = 0; k < Q; ++k)
      for (int j = 0; j < Q; ++j)
        for (int i = 0; i < Q; ++i) {
          double qr = 0, qs = 0, qt = 0;
          for (int m = 0; m < Q; ++m) {
            qr += D[i * Q + m] * u[(k * Q + j) * Q + m];
            qs += D[j * Q + m] * u[(k * Q + m) * Q + i];
            qt += D[k * Q + m] * u[(m * Q + j) * Q + i];
          }
          const int c = (k * Q + j) * Q + i;
          for (int axis = 0; axis < 3; ++axis)
            out[c + axis * Q * Q * Q] = f[c + axis * Q * Q * Q] * qr + f[c + (axis + 3) * Q * Q * Q] * qs + f[c + (axis + 6) * Q * Q * Q] * qt;
        }
  }
}
