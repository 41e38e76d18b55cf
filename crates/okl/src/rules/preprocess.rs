//! Rules of the preprocessor.

rules! {
    K001 BAD_DIRECTIVE "bad-directive" Error
    "A line that begins with `#` holds a directive that the preprocessor knows, written in full."
    wrong "
#defin WIDTH 64
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    right "
#define WIDTH 64
@kernel void k(float *x) {
  for (int i = 0; i < WIDTH; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    why "A directive that is read over would leave the kernel without what it defines, and the error would show far away.";

    K002 MACRO_DEFINITION "macro-definition" Error
    "A macro has a name and parameters that differ, and `#` and `##` stand where they have something to work on."
    wrong "
#define TWICE(x, x) (x + x)
---
x[i] = 1;"
    right "
#define TWICE(x) (x + x)
---
x[i] = TWICE(1);"
    why "It is C's rule: with a second `x`, no call could say which argument it means.";

    K003 MACRO_CALL "macro-call" Error
    "A macro is called with as many arguments as it has parameters, and what it pastes together is one token."
    wrong "
#define AT(a, b) ((a) * 8 + (b))
---
x[AT(i)] = 1;"
    right "
#define AT(a, b) ((a) * 8 + (b))
---
x[AT(i, 0)] = 1;"
    why "A missing argument would silently be nothing.";

    K004 BAD_CONDITION "bad-condition" Error
    "The condition of `#if` is made of integers, `defined(NAME)` and C's operators."
    wrong "
#if WIDTH >
#endif
---
x[i] = 1;"
    right "
#define WIDTH 64
#if WIDTH > 32
#endif
---
x[i] = 1;"
    why "The condition decides what is compiled at all: it is never guessed.";

    K005 UNBALANCED_IF "unbalanced-if" Error
    "Each `#if` has one `#endif`, and `#elif` and `#else` stand between the two."
    wrong "
#else
---
x[i] = 1;"
    right "
#ifdef DOUBLE
#else
#endif
---
x[i] = 1;"
    why "What the condition covers must be known before anything is left out.";

    K006 INCLUDE "include" Error
    "The file that `#include` names can be read, and files do not include each other without end."
    wrong "
#include \"no-such-file.h\"
---
x[i] = 1;"
    right "
#include <math.h>
---
x[i] = sqrt(x[i]);"
    why "Files are looked for beside the one that includes them, then in `include_dirs`. C's own headers are empty here: \
         their functions are known without them.";

    K007 USER_ERROR "user-error" Error
    "A source that reaches an `#error` is refused with its text."
    wrong "
#ifndef p_N
#error \"p_N must be defined\"
#endif
---
x[i] = 1;"
    right "
#define p_N 7
#ifndef p_N
#error \"p_N must be defined\"
#endif
---
x[i] = p_N;"
    why "The author of the source asks for it. Give the define that it misses: `-D p_N=7`, or the property `defines`.";

    K008 LIMIT "limit" Error
    "Sources, arrays, lists and nesting stay below the compiler's limits, which each message names."
    wrong "float big[65536][65536];
x[i] = 1;"
    right "float small[16][16];
small[0][0] = 1;
x[i] = small[0][0];"
    why "Limits keep the time and memory of the compiler in proportion to the source, so that a slip in a macro cannot \
         fill a machine.";

    K010 MACRO_REDEFINED "macro-redefined" Warning
    "A macro is not defined again with another meaning."
    wrong "
#define WIDTH 32
#define WIDTH 64
---
x[i] = WIDTH;"
    right "
#define WIDTH 32
#undef WIDTH
#define WIDTH 64
---
x[i] = WIDTH;"
    why "The later definition counts from there on; text that both files share would mean two things.";

    K011 STRAY_BACKSLASH "stray-backslash" Warning
    "A `\\` that joins lines is the last character of its line."
    wrong "
#define SUM(a, b) a \\ + b
---
x[i] = SUM(1, 2);"
    right "
#define SUM(a, b) a \\
  + b
---
x[i] = SUM(1, 2);"
    why "OCCA reads over it and so does Ferrocca, but C compilers refuse it.";

    K012 ASSIGNMENT_IN_CONDITION "assignment-in-condition" Warning
    "A condition of the preprocessor compares with `==`."
    wrong "
#define ORDER 1
#if ORDER = 1
#endif
---
x[i] = 1;"
    right "
#define ORDER 1
#if ORDER == 1
#endif
---
x[i] = 1;"
    why "OCCA takes `=` for `==` there and so does Ferrocca, but C compilers refuse it.";

    K013 UNCLOSED_IF "unclosed-if" Warning
    "A condition of which a group is read is closed with `#endif`."
    wrong "
#if 1
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    right "
#if 1
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}
#endif"
    why "The end of the file closes it. Where none of its groups is read, it is an error: more may be missing than was meant.";

    K014 TEXT_AFTER_DIRECTIVE "text-after-directive" Warning
    "Nothing but a comment follows `#else`, `#endif` and their like on their line."
    wrong "
#ifdef DOUBLE
#endif DOUBLE
---
x[i] = 1;"
    right "
#ifdef DOUBLE
#endif // DOUBLE
---
x[i] = 1;"
    why "It is ignored, although it looks as if it meant something.";

    K015 USER_WARNING "user-warning" Warning
    "A source that reaches a `#warning` says its text."
    wrong "
#warning \"p_N is not set: 7 is taken\"
---
x[i] = 7;"
    right "
#define p_N 7
#ifndef p_N
#warning \"p_N is not set: 7 is taken\"
#endif
---
x[i] = p_N;"
    why "The author of the source asks for it.";

    K016 UNUSED_UNROLL "unused-unroll" Warning
    "`#pragma unroll` and `@unroll` stand before a sequential loop, with a positive constant as factor."
    wrong "
#pragma unroll
x[i] = 1;"
    right "
float sum = 0;
#pragma unroll 4
for (int j = 0; j < 8; ++j) sum += j;
x[i] = sum;"
    why "Elsewhere the wish is read over, and nothing becomes faster.";

    K017 UNUSED_ATTRIBUTE "unused-attribute" Warning
    "An attribute or `#pragma` does something here."
    wrong "
for (int j = 0; j < 8; ++j; @simd_length(4)) x[i] += j;"
    right "
for (int j = 0; j < 8; ++j) x[i] += j;"
    why "`@simd_length` is for Intel's SYCL compiler, and no `#pragma` but `unroll` reaches a compiler: whoever relies on one \
         must know.";
}
