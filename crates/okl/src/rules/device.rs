//! Rules of single targets: what a device may lack.

rules! {
    K100 NO_DOUBLE "no-double" Error
    "A device without `double` gets kernels without it."
    wrong on "wgsl without f64" "
@kernel void k(double *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    right "
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    why "Many GPUs have none. Write a macro for the type, and build with `defines: {dfloat: 'float'}`.";

    K101 NO_LONG "no-long" Error
    "A device without 64-bit integers gets kernels without them."
    wrong on "wgsl without i64" "
@kernel void k(long *p) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) p[i] = 1;
}"
    right "
@kernel void k(int *p) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) p[i] = 1;
}"
    why "Browsers and some GPUs have none. Sizes that only the host reads may be 64-bit everywhere.";

    K102 NO_LONG_ATOMICS "no-long-atomics" Error
    "A device without 64-bit atomics gets kernels whose atomic updates are of 32-bit numbers."
    wrong on "opencl without int64_atomics" "
@kernel void k(long *p) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) {
    @atomic p[0] += 1;
  }
}"
    right "
@kernel void k(int *p) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) {
    @atomic p[0] += 1;
  }
}"
    why "There is no way to make one of two 32-bit updates.";

    K103 NO_SPECIAL_TABLE "no-special-table" Error
    "Tables of constants for WebGPU hold finite numbers."
    wrong on "wgsl" "
const float TABLE[2] = {1.0f, 1.0f / 0.0f};
---
x[i] = TABLE[i & 1];"
    right "
const float TABLE[2] = {1.0f, 2.0f};
---
x[i] = TABLE[i & 1];"
    why "WGSL has no way to write an infinity or a NaN in a constant.";
}
