//! The warning of races.

rules! {
    K096 RACE "race" Warning
    "An item reads no element that another one writes, unless a barrier lies between. Barriers order the items of one group."
    wrong "
@kernel void k(const float *x, float *y) {
  for (int o = 0; o < 4; ++o; @outer) {
    @shared float s[65];
    for (int t = 0; t < 64; ++t; @inner) {
      s[t] = x[o * 64 + t];
      if (t == 0) s[64] = 0;
      y[o * 64 + t] = s[t + 1] - s[t];
    }
  }
}"
    right "
@kernel void k(const float *x, float *y) {
  for (int o = 0; o < 4; ++o; @outer) {
    @shared float s[65];
    for (int t = 0; t < 64; ++t; @inner) {
      s[t] = x[o * 64 + t];
      if (t == 0) s[64] = 0;
      @barrier;
      y[o * 64 + t] = s[t + 1] - s[t];
    }
  }
}"
    why "Items run side by side, in no order: what `s[t + 1]` holds when an item reads it depends on whether the next item has \
         been there. The results differ from device to device and from run to run. In global memory a barrier is no help \
         against other groups: `a[i] = a[i - 1] + a[i + 1]` needs a second array. The warning is given only where two items \
         that certainly exist meet at one element.";
}
