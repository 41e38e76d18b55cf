//! Rules of subgroups.

rules! {
    K093 SUBGROUP_PLACE "subgroup-place" Error
    "Every item of a group reaches a subgroup function: it stands in the innermost `@inner` loop of a kernel, in no branch or loop that depends on the item, and no item has ended before."
    wrong "
@kernel void k(const int n, const float *x, float *sums) {
  for (int o = 0; o < n; o += 64; @outer) {
    for (int i = o; i < o + 64; ++i; @inner) {
      if (i < n) {
        float sum = subgroup_sum(x[i], 32);
        if (subgroup_lane(32) == 0) sums[i / 32] = sum;
      }
    }
  }
}"
    right "
@kernel void k(const int n, const float *x, float *sums) {
  for (int o = 0; o < n; o += 64; @outer) {
    for (int i = o; i < o + 64; ++i; @inner) {
      float sum = subgroup_sum(i < n ? x[i] : 0.0f, 32);
      if (i < n && subgroup_lane(32) == 0) sums[i / 32] = sum;
    }
  }
}"
    why "What a lane gives that does not take part differs from device to device. `@tile` with a bound check leaves items out, too: \
         write its two loops, or `check=false` where every tile is full.";

    K094 SUBGROUP_WIDTH "subgroup-width" Error
    "The width of a subgroup is 2, 4, 8, 16 or 32, and divides the number of items of the first `@inner` loop, which is a constant as those of the others."
    wrong "
@kernel void k(const float *x, float *sums) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 48; ++i; @inner) sums[o * 48 + i] = subgroup_sum(x[o * 48 + i], 32);
  }
}"
    right "
@kernel void k(const float *x, float *sums) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 48; ++i; @inner) sums[o * 48 + i] = subgroup_sum(x[o * 48 + i], 16);
  }
}"
    why "Devices have subgroups of different widths, and processors none. The width that a kernel names means the same on all of them.";
}
