//! Rules of memory: who writes what, shared and exclusive variables, atomics.

rules! {
    K080 SHARED_WRITE "shared-write" Error
    "Items write their own variables and memory; what belongs to the group, the host or a parallel loop they only read."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    float sum = 0;
    for (int i = 0; i < 8; ++i; @inner) sum += x[o * 8 + i];
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = sum;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    @exclusive float mine;
    for (int i = 0; i < 8; ++i; @inner) mine = x[o * 8 + i];
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = mine + 1;
  }
}"
    why "All items of a group run side by side: which of them would write last, nobody can say.";

    K081 STORAGE "storage" Error
    "`@shared` and `@exclusive` variables are declared between the `@outer` and the `@inner` loops; `@shared` ones have no \
     initialiser."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    for (int i = 0; i < 8; ++i; @inner) {
      @shared float s[8];
      s[i] = 1;
      x[o * 8 + i] = s[i];
    }
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    @shared float s[8];
    for (int i = 0; i < 8; ++i; @inner) {
      s[i] = 1;
      x[o * 8 + i] = s[i];
    }
  }
}"
    why "They belong to a group, or to an item of it for as long as the group runs; no item runs where they are declared.";

    K082 EXCLUSIVE_OUTSIDE "exclusive-outside" Error
    "An `@exclusive` variable is read inside `@inner` loops."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    @exclusive float mine;
    for (int i = 0; i < 8; ++i; @inner) mine = i;
    float first = mine;
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = first;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer) {
    @exclusive float mine;
    for (int i = 0; i < 8; ++i; @inner) mine = i;
    for (int i = 0; i < 8; ++i; @inner) x[o * 8 + i] = mine;
  }
}"
    why "Each item has a value of its own; outside of the items none of them is meant.";

    K083 BAD_ATOMIC "bad-atomic" Error
    "`@atomic` stands before one update of a 32-bit or 64-bit number in global or `@shared` memory."
    wrong "@atomic p[0] = p[0] * 3 + 1;"
    right "@atomic p[0] += 3;"
    why "Devices have atomic operations for single updates only; another one would be a lock, which GPUs cannot hold safely.";

    K084 MEMORY_TOO_LARGE "memory-too-large" Error
    "The variables of a group, and the local arrays of an item, fit the memory that devices have for them."
    wrong "float big[100000];
big[0] = 1;
big[n] = 2;
x[i] = big[0];"
    right "float small[100];
small[0] = 1;
x[i] = small[0];"
    why "GPUs have little memory for each item, and CPUs keep it on the stack. Pass memory to the kernel, of which each item \
         uses a part of its own.";

    K085 ATOMIC_BLOCK "atomic-block" Warning
    "The updates of an `@atomic` block are atomic one by one: another item may see one of them without the others."
    wrong "@atomic { p[0] += 3; p[n] += 1; }"
    right "@atomic p[0] += 3;
@atomic p[n] += 1;"
    why "A block looks like a transaction, which no device has. Sums and counts come out right all the same. Updates that depend on \
         each other are refused.";

    K086 LOST_UPDATE "lost-update" Warning
    "An element that several items update is updated with `@atomic`, or by one of them."
    wrong "p[0] += i;"
    right "@atomic p[0] += i;"
    why "Each item reads the element, computes, and writes it back. Items that do so at the same time overwrite what others have \
         written. The warning is given only where neither the index nor a condition tells the items apart.";
}
