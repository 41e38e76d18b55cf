//! Rules of kernels, parallel loops, barriers and jumps.

rules! {
    K060 NO_OUTER "no-outer" Warning
    "A `@kernel` has an `@outer` loop."
    wrong "
@kernel void k(float *x) {
  x[0] = 1;
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 1; ++o; @outer) {
    for (int i = 0; i < 1; ++i; @inner) x[0] = 1;
  }
}"
    why "The work of a device is done by groups of items; without such loops one item does all of it.";

    K061 NO_INNER "no-inner" Error
    "An `@outer` loop holds an `@inner` loop."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 64; ++o; @outer) {
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 64; ++o; @outer) {
    for (int i = 0; i < 1; ++i; @inner) x[o] = 1;
  }
}"
    why "A group is made of items, and only they write memory.";

    K062 LOOP_NESTING "loop-nesting" Error
    "`@inner` loops stand inside `@outer` loops, in a `@kernel`; tiles are made of loops in that order."
    wrong "
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @inner) x[i] = 1;
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 1; ++o; @outer) {
    for (int i = 0; i < 64; ++i; @inner) x[i] = 1;
  }
}"
    why "Groups are started by the device, and each starts its items.";

    K063 REGION_BESIDE_OUTER "region-beside-outer" Error
    "An `@inner` loop stands inside the innermost `@outer` loop around it."
    wrong "
@kernel void k(float *x, float *y) {
  for (int a = 0; a < 4; ++a; @outer(1)) {
    for (int b = 0; b < 4; ++b; @outer(0)) {
      for (int i = 0; i < 4; ++i; @inner) x[(a * 4 + b) * 4 + i] = 1;
    }
    for (int i = 0; i < 4; ++i; @inner) y[a * 4 + i] += 1;
  }
}"
    right "
@kernel void k(float *x, float *y) {
  for (int a = 0; a < 4; ++a; @outer(1)) {
    for (int b = 0; b < 4; ++b; @outer(0)) {
      for (int i = 0; i < 4; ++i; @inner) x[(a * 4 + b) * 4 + i] = 1;
    }
  }
  for (int a = 0; a < 4; ++a; @outer) {
    for (int i = 0; i < 4; ++i; @inner) y[a * 4 + i] += 1;
  }
}"
    why "All axes of groups start together, so that such a loop would run once for each inner group, not once.";

    K064 DEPTHS_DIFFER "depths-differ" Error
    "The innermost `@inner` loops within one `@inner` loop are equally deep."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int a = 0; a < 4; ++a; @inner(2)) {
      for (int b = 0; b < 4; ++b; @inner(0)) x[a * 4 + b] = 1;
      for (int c = 0; c < 4; ++c; @inner(1)) {
        for (int b = 0; b < 4; ++b; @inner(0)) x[a * 4 + b] = 2;
      }
    }
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int a = 0; a < 4; ++a; @inner(1)) {
      for (int b = 0; b < 4; ++b; @inner(0)) x[o * 16 + a * 4 + b] = 1;
    }
    for (int a = 0; a < 4; ++a; @inner(1)) {
      for (int b = 0; b < 4; ++b; @inner(0)) x[o * 16 + a * 4 + b] += 1;
    }
  }
}"
    why "Items are started in a grid, whose number of axes is one for the nest.";

    K065 PARALLEL_HEAD "parallel-head" Error
    "A parallel loop declares one integer index, compares it with a bound, and steps it."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o * o < 64; ++o; @outer) {
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = 1;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 8; ++o; @outer) {
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = 1;
  }
}"
    why "The number of iterations is computed before the loop starts: it becomes the size of a grid.";

    K066 LOOP_DIRECTION "loop-direction" Error
    "A parallel loop counts towards its bound."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 8; --o; @outer) {
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = 1;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 7; o >= 0; --o; @outer) {
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = 1;
  }
}"
    why "It would never end, or step over its bound.";

    K067 UNKNOWN_EXTENT "unknown-extent" Error
    "Where the extent of a parallel loop depends on memory, nothing in its body belongs to a certain item."
    wrong "
@kernel void k(const int n, const int *m, int *x) {
  for (int o = 0; o < n; ++o; @outer) {
    @exclusive int mine;
    for (int i = 0; i < 8; ++i; @inner) mine = i;
    for (int i = 0; i < m[o]; ++i; @inner) x[i] = mine;
  }
}"
    right "
@kernel void k(const int n, const int *m, int *x) {
  for (int o = 0; o < n; ++o; @outer) {
    @exclusive int mine;
    for (int i = 0; i < 8; ++i; @inner) mine = i;
    for (int i = 0; i < 8; ++i; @inner) {
      if (i < m[o]) x[o * 8 + i] = mine;
    }
  }
}"
    why "The host cannot know how many items such a loop needs, so that a fixed number of them share its iterations.";

    K068 BAD_TILE "bad-tile" Error
    "`@tile` takes a positive size that the host knows, then the two loops that it makes."
    wrong "
@kernel void k(const int n, float *x) {
  for (int i = 0; i < n; ++i; @tile(0, @outer, @inner)) x[i] = 1;
}"
    right "
@kernel void k(const int n, float *x) {
  for (int i = 0; i < n; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    why "The size is the step of the loop over blocks.";

    K069 UNSTRUCTURED_GOTO "unstructured-goto" Error
    "A `goto` leads out of blocks, to a label of its function. What stands between has no parallel loop, and no declaration where it \
     is skipped."
    wrong "
if (x[i] < 0) goto negative;
if (x[i] > 1) {
negative:
  x[i] = 0;
}"
    right "
again:
x[i] += 1;
if (x[i] < 0) goto again;
for (int j = 0; j < 8; ++j) {
  if (x[i] < j) goto done;
  x[i] += 1;
}
done:
p[i] = 1;"
    why "Targets such as WGSL have no jumps. One that leads forward is a loop that runs once, and is left; one that leads back is a \
         loop that runs again. One into a block has no such form.";

    K070 PARALLEL_EXIT "parallel-exit" Error
    "`break`, `continue` and `return` do not leave loops whose iterations run side by side."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) {
      if (i == 2) break;
      x[o * 4 + i] = 1;
    }
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) {
      if (i == 2) continue;
      x[o * 4 + i] = 1;
    }
  }
}"
    why "The other iterations may have run already, or run now.";

    K071 EXIT_OUTSIDE_LOOP "exit-outside-loop" Error
    "`break` and `continue` stand in a loop, `break` also in a `switch`."
    wrong "
float f(float a) { break; return a; }
---
x[i] = f(1);"
    right "
float f(float a) { while (a > 1) { a /= 2; if (a == 3) break; } return a; }
---
x[i] = f(1);"
    why "There is nothing to leave.";

    K072 HOST_STATEMENT "host-statement" Error
    "Outside of the `@outer` loops a kernel declares scalars, assigns them, and has loops and conditions on them."
    wrong "
@kernel void k(float *x) {
  float a[4];
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) x[o * 4 + i] = 1;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) {
      float a[4];
      a[0] = 1;
      x[o * 4 + i] = a[0];
    }
  }
}"
    why "That part runs on the host, once for a launch.";

    K073 HOST_READ "host-read" Error
    "Bounds of `@outer` loops, and what stands outside of them, read no device memory and call no device functions."
    wrong "
@kernel void k(const int *counts, float *x) {
  int count = counts[0];
  for (int o = 0; o < count; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) x[o * 4 + i] = 1;
  }
}"
    right "
@kernel void k(const int count, float *x) {
  for (int o = 0; o < count; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) x[o * 4 + i] = 1;
  }
}"
    why "The host would have to wait for the device before each launch.";

    K074 DIVERGENT_BARRIER "divergent-barrier" Error
    "All items of a group reach a `@barrier`, and equally often."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    @shared float s[8];
    for (int i = 0; i < 8; ++i; @inner) {
      s[i] = i;
      if (i < 4) {
        @barrier;
        x[o * 8 + i] = s[7 - i];
      }
    }
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    @shared float s[8];
    for (int i = 0; i < 8; ++i; @inner) {
      s[i] = i;
      @barrier;
      if (i < 4) x[o * 8 + i] = s[7 - i];
    }
  }
}"
    why "Items that wait for others that never come hang a GPU, or go on with values that are not there yet.";

    K075 BARRIER_PLACE "barrier-place" Error
    "A `@barrier` stands in `@inner` loops of a kernel, not in a function or a `switch`."
    wrong "
void wait() { @barrier; }
---
wait();
x[i] = 1;"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    @shared float s[8];
    for (int i = 0; i < 8; ++i; @inner) {
      s[i] = i;
      @barrier;
      x[o * 8 + i] = s[7 - i];
    }
  }
}"
    why "Where it stands decides how the items' work is cut in parts, on processors too.";

    K076 EMPTY_LOOP "empty-loop" Warning
    "A parallel loop has at least one iteration."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 0; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) x[o * 4 + i] = 1;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 1; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) x[o * 4 + i] = 1;
  }
}"
    why "It starts nothing; perhaps a define is missing.";

    K077 LARGE_GROUP "large-group" Warning
    "A group has at most 1024 items."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 2048; ++i; @inner) x[o * 2048 + i] = 1;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 8; ++o; @outer) {
    for (int i = 0; i < 1024; ++i; @inner) x[o * 1024 + i] = 1;
  }
}"
    why "Processors run it, GPUs run at most 1024.";

    K078 GROUP_TOO_LARGE "group-too-large" Error
    "A group has no more items than any target can number, nor than `@max_inner_dims` promises."
    wrong "
@kernel @max_inner_dims(32) void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 64; ++i; @inner) x[o * 64 + i] = 1;
  }
}"
    right "
@kernel @max_inner_dims(64) void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 64; ++i; @inner) x[o * 64 + i] = 1;
  }
}"
    why "The device's compiler gives each item as many registers as the promise allows.";

    K079 ITERATIONS_SHARED "iterations-shared" Warning
    "The extent of a parallel loop is known before the launch."
    wrong "
@kernel void k(const int *counts, float *x) {
  for (int o = 0; o < counts[0]; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) x[o * 4 + i] = 1;
  }
}"
    right "
@kernel void k(const int count, float *x) {
  for (int o = 0; o < count; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) x[o * 4 + i] = 1;
  }
}"
    why "Otherwise a fixed number of groups or items share the iterations: right, but slower where they are few or many.";
}
