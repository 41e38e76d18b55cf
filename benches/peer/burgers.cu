// The peer of kernels/burgers.okl on an NVIDIA GPU: what one would write in CUDA C++ without a library. The same
// arithmetic on the same memory; the time is taken by the caller.
//
//   nvcc -O3 -arch=native -fmad=false -shared -Xcompiler -fPIC burgers.cu -o peer.so
//
// Without contraction, because that is what Ferrocca's `fp_contract: off` gives: both make the same bits.
// Shapes: u_prev and u hold n + 2 values; see kernels/burgers.okl.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

static void check(cudaError_t status, const char *call) {
  if (status == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(status));
  abort();
}
#define CHECK(call) check(call, #call)

enum { BLOCK = 256, MOST_THREADS = 1024 };

static __global__ void __launch_bounds__(BLOCK)
    burgers_step(int n, double c1, double c2, const double *__restrict__ u_prev, double *__restrict__ u) {
  const int i = 1 + blockIdx.x * BLOCK + threadIdx.x;
  if (i > n) return;
  const double left = u_prev[i - 1], here = u_prev[i], right = u_prev[i + 1];
  u[i] = here + c2 * (right - 2 * here + left) - here * c1 * (right - left);
  if (i == 1) u[n + 1] = here;
  if (i == n) u[0] = here;
}

// Many steps in one block: a thread has one point and keeps its value, neighbours come from shared memory, of which
// there are two copies, so that one barrier a step is enough. With a ring, step k leaves its field in row k of it.
static __global__ void __launch_bounds__(MOST_THREADS)
    burgers_persistent(int n, double c1, double c2, double *__restrict__ u, long steps, double *__restrict__ ring) {
  extern __shared__ double fields[];
  double *now = fields, *next = fields + n + 2;
  for (int k = threadIdx.x; k < n + 2; k += blockDim.x) now[k] = u[k];
  __syncthreads();
  const int i = threadIdx.x + 1;
  double here = i <= n ? now[i] : 0;
  for (long step = 0; step < steps; ++step) {
    if (i <= n) {
      const double left = now[i - 1], right = now[i + 1];
      const double value = here + c2 * (right - 2 * here + left) - here * c1 * (right - left);
      next[i] = value;
      if (i == 1) next[n + 1] = here;
      if (i == n) next[0] = here;
      if (ring) {
        double *row = ring + step * (n + 2);
        row[i] = value;
        if (i == 1) row[n + 1] = here;
        if (i == n) row[0] = here;
      }
      here = value;
    }
    __syncthreads();
    double *const swapped = now;
    now = next, next = swapped;
  }
  for (int k = threadIdx.x; k < n + 2; k += blockDim.x) u[k] = now[k];
}

struct peer {
  cudaStream_t stream;
  cudaGraphExec_t graph;
};

extern "C" peer *peer_open(int device) {
  CHECK(cudaSetDevice(device));
  peer *p = new peer();
  CHECK(cudaStreamCreate(&p->stream));
  return p;
}

extern "C" void peer_close(peer *p) {
  if (p->graph) CHECK(cudaGraphExecDestroy(p->graph));
  CHECK(cudaStreamDestroy(p->stream));
  delete p;
}

extern "C" void peer_finish(peer *p) { CHECK(cudaStreamSynchronize(p->stream)); }

// Queues steps; after an odd number of them the newest field is in u, after an even one in u_prev.
extern "C" void peer_steps(peer *p, int n, double c1, double c2, double *u_prev, double *u, long steps) {
  const int blocks = (n + BLOCK - 1) / BLOCK;
  for (long step = 0; step < steps; ++step) {
    burgers_step<<<blocks, BLOCK, 0, p->stream>>>(n, c1, c2, u_prev, u);
    double *const swapped = u_prev;
    u_prev = u, u = swapped;
  }
  CHECK(cudaGetLastError());
}

// Makes a graph of an even number of steps, which leaves the newest field in u_prev.
extern "C" void peer_record(peer *p, int n, double c1, double c2, double *u_prev, double *u, long steps) {
  cudaGraph_t graph;
  if (p->graph) CHECK(cudaGraphExecDestroy(p->graph));
  CHECK(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal));
  peer_steps(p, n, c1, c2, u_prev, u, steps);
  CHECK(cudaStreamEndCapture(p->stream, &graph));
  CHECK(cudaGraphInstantiate(&p->graph, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphUpload(p->graph, p->stream));
}

extern "C" void peer_replay(peer *p, long times) {
  for (long time = 0; time < times; ++time) CHECK(cudaGraphLaunch(p->graph, p->stream));
}

// Steps the field in place, n at most 1024, with a ring of `steps` rows or without one.
extern "C" void peer_persist(peer *p, int n, double c1, double c2, double *u, long steps, double *ring) {
  const int threads = (n + 31) / 32 * 32;
  burgers_persistent<<<1, threads, 2 * (n + 2) * sizeof(double), p->stream>>>(n, c1, c2, u, steps, ring);
  CHECK(cudaGetLastError());
}

extern "C" void peer_copies(peer *p, double *to, const double *from, long len, long times) {
  for (long time = 0; time < times; ++time)
    CHECK(cudaMemcpyAsync(to, from, len * sizeof(double), cudaMemcpyDeviceToDevice, p->stream));
}
