//! The language reference: an example for each feature, of which `docs/language.md` is made and which every device runs.
//!
//! All are launched with `n` = 8, `in` = 1 … 8 and `out` = -1 at first.

use super::integers;
use crate::check::{self, Outcome};
use crate::harness::cases;
use ferrocca_core::Device;

/// A feature: its title, what holds, a kernel that shows it, and what that leaves in `out`.
#[cfg(test)]
struct Entry {
    title: &'static str,
    text: &'static str,
    source: &'static str,
    out: [i32; 8],
}

macro_rules! reference {
    ($($case:ident $title:literal $text:literal $source:literal = $out:expr;)*) => {
        $(
            fn $case(device: &Device) -> Outcome {
                let input: Vec<i32> = (1..=8).collect();
                check::same($title, &integers(device, $source, &input, 8)?, &$out)
            }
        )*
        #[cfg(test)]
        const ENTRIES: &[Entry] = &[$(Entry { title: $title, text: $text, source: $source, out: $out }),*];
        cases!["reference"; $($case),*];
    };
}

reference! {
    kernels "Kernels and parallel loops"
    "A `@kernel` is launched from the host. Its `@outer` loop makes groups, its `@inner` loop the items of a group. Both may have up to three axes, `@outer(0)` to `@outer(2)`."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int group = 0; group < n; group += 4; @outer) {
    for (int i = group; i < group + 4; ++i; @inner) {
      if (i < n) out[i] = 10 * in[i];
    }
  }
}" = [10, 20, 30, 40, 50, 60, 70, 80];
    tiles "Tiles"
    "`@tile(size, @outer, @inner)` cuts a loop into blocks, and checks its bound. `check=false` promises that every tile is full."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(3, @outer, @inner)) out[i] = in[i] + i;
}" = [1, 3, 5, 7, 9, 11, 13, 15];
    shared "Shared memory and barriers"
    "A `@shared` array belongs to a group. Between two `@inner` loops all items meet; `@barrier;` lets them meet within one."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int group = 0; group < 2; ++group; @outer) {
    @shared int s[4];
    for (int i = 0; i < 4; ++i; @inner) s[i] = in[4 * group + i];
    for (int i = 0; i < 4; ++i; @inner) out[4 * group + i] = s[3 - i];
  }
}" = [4, 3, 2, 1, 8, 7, 6, 5];
    sized "Shared memory sized at launch"
    "The size of a `@shared` array may be made of scalar parameters. A kernel is built once for each size that it is launched with; the property `sizes` says for which ones at first."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int group = 0; group < 2; ++group; @outer) {
    @shared int s[n / 2];
    for (int i = 0; i < n / 2; ++i; @inner) s[i] = in[n / 2 * group + i];
    for (int i = 0; i < n / 2; ++i; @inner) out[n / 2 * group + i] = s[n / 2 - 1 - i];
  }
}" = [4, 3, 2, 1, 8, 7, 6, 5];
    exclusive "Exclusive variables"
    "An `@exclusive` variable is an item's own, and keeps its value from one `@inner` loop to the next."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int group = 0; group < 2; ++group; @outer) {
    @exclusive int mine;
    for (int i = 0; i < 4; ++i; @inner) mine = in[4 * group + i];
    for (int i = 0; i < 4; ++i; @inner) out[4 * group + i] = mine * mine;
  }
}" = [1, 4, 9, 16, 25, 36, 49, 64];
    atomics "Atomic updates"
    "`@atomic` stands before one update of a 32-bit or 64-bit number in memory that several items write."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    @atomic out[i % 2] += in[i];
  }
}" = [15, 19, -1, -1, -1, -1, -1, -1];
    functions "Device functions"
    "Functions take and give values; arrays go by pointer."
    "int weighted(const int *values, int i) { return values[i] * (i + 1); }
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) out[i] = weighted(in, i);
}" = [1, 4, 9, 16, 25, 36, 49, 64];
    structs "Structs"
    "A `struct` has fields of numbers, arrays and structs."
    "typedef struct { int low; int high; } Range;
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    Range range = {in[i], in[i] + 2};
    out[i] = range.low * range.high;
  }
}" = [3, 8, 15, 24, 35, 48, 63, 80];
    pointers_in_structs "Structs with pointers"
    "A kernel takes a struct with pointers as its numbers, where it has any, and then each pointer by itself: this one is launched with `n`, `in` and `out`. Local structs have pointers too; memory has none."
    "struct arrays {
  const int *in;
  int *out;
};
void copy(struct arrays a, int i) { a.out[i] = a.in[i]; }
@kernel void test(const int n, const struct arrays a) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    struct arrays second = a;
    second.in = a.in + n - 1 - 2 * i;
    copy(second, i);
  }
}" = [8, 7, 6, 5, 4, 3, 2, 1];
    ragged "Records of uneven number"
    "A `@ragged` struct has a column for each of its fields, and offsets: `m.begin(e)` up to `m.end(e)` number the records of `e`. A kernel takes `const int *offsets`, one more than there are lists, and then each column; here a local one takes both from `in`."
    "@ragged struct records { int value; };
@kernel void test(const int n, const int *in, int *out) {
  for (int e = 0; e < n; ++e; @tile(4, @outer, @inner)) {
    struct records m;
    m.offsets = in;
    m.value = in;
    int sum = 0;
    for (int i = m.begin(e % 3) - 1; i < m.end(e % 3) - 1; ++i) sum += m.value[i];
    out[e] = sum;
  }
}" = [1, 2, 3, 1, 2, 3, 1, 2];
    vectors "Vectors"
    "`float2`, `int4` and their like have 2, 3 or 4 components; operators work on all of them. `dot`, `length` and `normalize` take vectors of floats; `clamp(v, low, high)` takes vectors, with limits that are numbers or vectors, and numbers."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    int2 a = make_int2(in[i], i);
    int2 b = clamp(a * 2 + a, 0, 22);
    out[i] = b.x - b.y;
  }
}" = [3, 3, 3, 3, 3, 3, 3, 1];
    complex "Complex numbers"
    "`complex64` has two `float`s, `re` and `im`, and `complex128` two `double`s, as in NumPy; C's names `float _Complex` and `double _Complex` mean the same. `complex64(re, im)` makes one, `1.5if` is an imaginary number, and `<complex.h>` defines `I`. Operators are `+ - * /`, `==` and `!=`, also with real numbers, which a complex number becomes by `creal(z)` or a cast alone. A product is (ac − bd, ad + bc) and a quotient Smith's, in NumPy's order of operations; neither mends infinities as C's annex G does. Functions are `creal cimag cabs carg conj cexp clog csqrt cpow csin ccos ctan csinh ccosh ctanh`, with `f` for `float`; `abs exp log sqrt pow sin …` take complex numbers too, and `real imag arg norm` are C++'s, `norm` the square of the magnitude."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    complex64 z = complex64(in[i], 1);
    z = z * z + 2.0if;
    out[i] = (int) (creal(z) + cimag(z));
  }
}" = [4, 9, 16, 25, 36, 49, 64, 81];
    constants "Constants and tables"
    "What is declared outside of all functions is `const`; a constant array is a table on the device."
    "const int SCALE = 3;
const int WEIGHTS[4] = {1, 0, 2, 0};
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) out[i] = SCALE * in[i] * WEIGHTS[i % 4];
}" = [3, 0, 18, 0, 15, 0, 42, 0];
    macros "The preprocessor"
    "Macros, conditions and includes are C's. Programs give macros with the property `defines`."
    "#define SQUARE(x) ((x) * (x))
#ifndef SHIFT
#define SHIFT 1
#endif
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) out[i] = SQUARE(in[i]) + SHIFT;
}" = [2, 5, 10, 17, 26, 37, 50, 65];
    control "Control flow"
    "`if`, `for`, `while`, `do`, `switch`, `break` and `continue` are C's. `continue` and `return` in an `@inner` loop end one item."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    if (in[i] == 5) continue;
    int steps = 0;
    for (int a = in[i]; a > 1; a /= 2) ++steps;
    out[i] = steps;
  }
}" = [0, 1, 1, 2, -1, 2, 2, 3];
    host "The host part"
    "What stands outside of the `@outer` loops runs on the host: scalars, loops and conditions that decide what is launched."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int width = n / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i; @tile(4, @outer, @inner)) out[i] = in[i] * width;
  }
}" = [1, 4, 12, 16, -1, -1, -1, -1];
    lambdas "Lambdas"
    "A lambda is a function of the place where it stands. `[=]` takes the values of the names around it as they are, `[&]` as they will be."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    auto scaled = [=](int x) { return x * (i + 1); };
    out[i] = scaled(in[i]) + scaled(1);
  }
}" = [2, 6, 12, 20, 30, 42, 56, 72];
    templates "Templates and overloads"
    "A template is made for the types and numbers of each call. Functions of one name differ by their parameters."
    "template <typename T> T twice(T x) { return x + x; }
template <int N> int sum(const int *x) {
  int total = 0;
  for (int k = 0; k < N; ++k) total += x[k];
  return total;
}
int kind(int x) { return 1; }
int kind(float x) { return 2; }
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    if (i % 2 == 0) out[i] = twice(in[i]) + kind(1.0f);
    else out[i] = sum<2>(in + i - 1) + kind(1);
  }
}" = [4, 4, 8, 8, 12, 12, 16, 16];
    namespaces "Namespaces"
    "Names of a namespace have its name in front, or come in by `using`."
    "namespace units {
constexpr int dozen = 12;
int of(int x) { return dozen * x; }
}
using units::of;
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) out[i] = of(in[i]) - units::dozen;
}" = [0, 12, 24, 36, 48, 60, 72, 84];
    references "References"
    "A parameter of a device function that is a reference stands for the caller's own variable. `const T &` of a kernel is the value."
    "void order(int &low, int &high) {
  if (low > high) { int other = low; low = high; high = other; }
}
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n / 2; ++i; @tile(4, @outer, @inner)) {
    int a = in[7 - 2 * i], b = in[6 - 2 * i];
    order(a, b);
    out[2 * i] = a;
    out[2 * i + 1] = b;
  }
}" = [7, 8, 5, 6, 3, 4, 1, 2];
    dimensions "Arrays of several dimensions"
    "`@dim(columns, rows)` lets `a(i, j)` name an element, the first index fastest; `@dimOrder(1, 0)` lets the second one be it."
    "@kernel void test(const int n, const int *in @dim(4, 2), int *out @dim(4, 2) @dimOrder(1, 0)) {
  for (int j = 0; j < 2; ++j; @outer) {
    for (int i = 0; i < 4; ++i; @inner) out(i, j) = in(i, j);
  }
}" = [1, 5, 2, 6, 3, 7, 4, 8];
    pointers "Pointers"
    "Pointers move through the array that they were given, and may lead into one of several; there are arrays of them, which functions take by their size, and `@exclusive` ones. `if (p)` and `p == NULL` ask whether a launch gave null."
    "int sum(const int *rows[2], const int i) {
  return rows[0][i] + rows[1][i];
}
@kernel void test(const int n, const int *in, int *out) {
  for (int group = 0; group < 2; ++group; @outer) {
    @exclusive const int *row = in + 4 * group;
    for (int i = 0; i < 4; ++i; @inner) row += i;
    for (int i = 0; i < 4; ++i; @inner) {
      const int *rows[2] = {row, in + 4};
      out[4 * group + 3 - i] = in == NULL ? 0 : sum(rows, 0);
    }
  }
}" = [9, 8, 7, 6, 13, 12, 11, 10];
    old_values "Atomic updates that give a value"
    "`@atomic old = x++` and its like give the value from before: a place in a list, for instance. `atomic_cas(&x, expected, value)` exchanges where `x` is as expected."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    int before = 0;
    @atomic before = out[0]++;
    if (before == 6) out[1] = before;
  }
}" = [7, 6, -1, -1, -1, -1, -1, -1];
    subgroups "Subgroups"
    "Subgroup functions take values from neighbouring items: `subgroup_shuffle(x, lane, width)`, `subgroup_shuffle_xor(x, bits, width)`, `subgroup_shuffle_up(x, distance, width)` and `_down`, `subgroup_sum(x, width)`, `_min` and `_max`, `subgroup_ballot(condition, width)`, `_any` and `_all`, and `subgroup_lane(width)`. A subgroup is 2, 4, 8, 16 or 32 items that follow each other along the first `@inner` loop. The width is part of the call, so that the result is the same on every device, to the last bit; a sum adds pairs half the width apart, then a quarter, and so on. They give values and order no memory: what lanes write for each other takes a `@barrier`. On CUDA they are the hardware's own instructions, and in mode `WebGPU` [where the device allows it](webgpu.md#how-it-computes)."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int group = 0; group < 1; ++group; @outer) {
    for (int i = 0; i < 8; ++i; @inner) {
      const int sum = subgroup_sum(in[i], 4);
      const int neighbour = subgroup_shuffle_down(in[i], 1, 8);
      out[i] = subgroup_lane(4) == 0 ? sum : neighbour;
    }
  }
}" = [10, 3, 4, 5, 26, 7, 8, 8];
    bits "Bits"
    "`popcount(x)`, `clz(x)` and `ctz(x)` count the bits of an integer that are set, and the zeros before the first and behind the last of them: of zero all of its bits. CUDA's and compilers' names (`__popc`, `__clz`, `__ffs`, `__builtin_ctzll` …) are known too."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) out[i] = 100 * popcount(in[i]) + 10 * ctz(in[i]) + __ffs(in[i]) - clz(in[i]) + 31;
}" = [101, 113, 202, 125, 203, 214, 303, 137];
    prefetched "Memory that is needed soon"
    "`__builtin_prefetch(&x[j])` asks a processor's caches for an element ahead of time, as in gcc and clang; `__builtin_prefetch(&x[j], 1)` where it will be written, and a third number from 0 to 3 says how long it is needed (3 unless given). It is a wish and no access: the element may lie outside of the memory. Modes `Serial` and `CPU` pass it on where no access of the kernel is [checked](safety.md); elsewhere it means nothing."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    __builtin_prefetch(&in[i + 256]);
    out[i] = 2 * in[i];
  }
}" = [2, 4, 6, 8, 10, 12, 14, 16];
    reinterpreted "Bits of another type"
    "`as_int(x)`, `as_uint`, `as_float`, `as_long`, `as_ulong` and `as_double` take the bits of a number of the same size for those of another type. CUDA's names, `__float_as_int` and the others, say what they take. Which bits a NaN has may differ between devices."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    const int exponent = (as_int((float) in[i]) >> 23) - 127;
    out[i] = exponent + (int) as_float(as_uint(1.0f * in[i]) + (1u << 23));
  }
}" = [2, 5, 7, 10, 12, 14, 16, 19];
    printed "Printing"
    "`printf` prints in every mode, in [whole lines](debugging.md#printf); its format is compared with its values when the kernel is compiled."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    if (in[i] > 8) printf(\"element %d is %d\\n\", i, in[i]);
    out[i] = in[i] * in[i];
  }
}" = [1, 4, 9, 16, 25, 36, 49, 64];
    bfloats "Small numbers"
    "`half` and `bfloat16` are 16-bit floats in memory; kernels compute with them as `float`."
    "@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    half x = in[i] * 0.25f;
    out[i] = (int)(8.0f * x);
  }
}" = [2, 4, 6, 8, 10, 12, 14, 16];
    header "Random numbers"
    "`#include <ferrocca/random.h>` has streams of random numbers, the same on every device: `random_bits`, `random_below`, `random_uniform`, `random_normal` and `random_exponential`, the last three also as `…_double`. [The guide](guide.md#reductions-scans-sorting) says what each returns."
    "#include <ferrocca/random.h>
@kernel void test(const int n, const int *in, int *out) {
  for (int i = 0; i < n; ++i; @tile(4, @outer, @inner)) {
    random_stream rng = random_stream_of(12, i);
    float x = random_uniform(rng);
    out[i] = x >= 0.0f && x < 1.0f ? in[i] : 0;
  }
}" = [1, 2, 3, 4, 5, 6, 7, 8];
}

#[cfg(test)]
mod tests {
    use super::ENTRIES;
    use std::fmt::Write as _;

    #[test]
    fn the_page_is_made_of_the_examples() {
        let mut page = String::from(
            "# The language, by example\n\nOKL is C with attributes. Each example here is run on every device by the conformance \
             suite. It is launched with `n` = 8, `in` = 1 … 8 and `out` = -1 at first. What is not allowed is \
             in [rules.md](rules.md).\n",
        );
        for entry in ENTRIES {
            let out = entry.out.map(|value| value.to_string()).join(" ");
            let _ =
                write!(page, "\n## {}\n\n{}\n\n```c\n{}\n```\n\n`out`: {out}\n", entry.title, entry.text, entry.source);
        }
        let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let path = std::path::Path::new(&here).join("../../docs/language.md");
        if std::env::var_os("FERROCCA_BLESS").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        assert!(there == page, "docs/language.md is not made of these examples: FERROCCA_BLESS=1 writes it anew");
    }
}
