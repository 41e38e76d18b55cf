/* The peer of kernels/burgers.okl: the loop that one would write without a library, on one thread and on several.
   The same arithmetic, on the same memory, by the same compiler with the same flags. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static void points(long begin, long end, double c1, double c2, const double *restrict u_prev, double *restrict u) {
  for (long i = begin; i < end; ++i)
    u[i] = u_prev[i] + c2 * (u_prev[i + 1] - 2 * u_prev[i] + u_prev[i - 1]) - u_prev[i] * c1 * (u_prev[i + 1] - u_prev[i - 1]);
}

void peer_step(long n, double c1, double c2, const double *u_prev, double *u) {
  points(1, n + 1, c1, c2, u_prev, u);
  u[n + 1] = u_prev[1];
  u[0] = u_prev[n];
}

/* Several threads: the caller and `threads - 1` others, each with one contiguous part, as a static OpenMP loop has it.
   A thread looks out for the next step for a while before it sleeps, as OpenMP's do. */
enum { LOOK_OUT = 10000, MOST = 256 };

struct team {
  atomic_ulong epoch;
  atomic_int running;
  int threads, sleeping, stop;
  long n;
  double c1, c2;
  const double *u_prev;
  double *u;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  struct member {
    struct team *team;
    int index;
    pthread_t thread;
  } members[MOST];
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

static void part(struct team *t, int index) {
  points(1 + t->n * index / t->threads, 1 + t->n * (index + 1) / t->threads, t->c1, t->c2, t->u_prev, t->u);
}

static void *work(void *argument) {
  struct member *me = argument;
  struct team *t = me->team;
  unsigned long seen = 0;
  for (;;) {
    for (int round = 0; round < LOOK_OUT && atomic_load(&t->epoch) == seen; ++round) pause_briefly();
    if (atomic_load(&t->epoch) == seen) {
      pthread_mutex_lock(&t->lock);
      t->sleeping++;
      while (atomic_load(&t->epoch) == seen) pthread_cond_wait(&t->wake, &t->lock);
      t->sleeping--;
      pthread_mutex_unlock(&t->lock);
    }
    seen++;
    if (t->stop) return NULL;
    part(t, me->index);
    atomic_fetch_sub(&t->running, 1);
  }
}

static void publish(struct team *t) {
  pthread_mutex_lock(&t->lock);
  atomic_fetch_add(&t->epoch, 1);
  if (t->sleeping) pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
}

struct team *peer_team_new(int threads) {
  struct team *t = calloc(1, sizeof *t);
  if (!t || threads < 1 || threads > MOST) abort();
  t->threads = threads;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  for (int index = 1; index < threads; ++index) {
    t->members[index].team = t;
    t->members[index].index = index;
    if (pthread_create(&t->members[index].thread, NULL, work, &t->members[index])) abort();
  }
  return t;
}

void peer_team_step(struct team *t, long n, double c1, double c2, const double *u_prev, double *u) {
  t->n = n, t->c1 = c1, t->c2 = c2, t->u_prev = u_prev, t->u = u;
  atomic_store(&t->running, t->threads - 1);
  publish(t);
  part(t, 0);
  u[n + 1] = u_prev[1];
  u[0] = u_prev[n];
  while (atomic_load(&t->running)) pause_briefly();
}

void peer_team_free(struct team *t) {
  t->stop = 1;
  publish(t);
  for (int index = 1; index < t->threads; ++index) pthread_join(t->members[index].thread, NULL);
  free(t);
}
