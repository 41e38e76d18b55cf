//! Rules of syntax.

rules! {
    K020 SYNTAX "syntax" Error
    "The source follows the grammar of C with OKL's attributes."
    wrong "x[i] = ;"
    right "x[i] = 1;"
    why "The message says what was expected, and what stands there instead.";

    K021 NOT_IN_OKL "not-in-okl" Error
    "The source uses what OKL has: C, and the parts of C++ that every target can be given."
    wrong "
if (x[i] < 0) throw 1;
x[i] = 1;"
    right "
if (x[i] < 0) p[0] = 1;
x[i] = 1;"
    why "One source serves CPUs, CUDA, OpenCL and WebGPU. What one of them cannot have at all is refused by name, with what \
         to write instead.";

    K022 BAD_LITERAL "bad-literal" Error
    "Numbers, characters and strings are written as in C, and their values fit a type."
    wrong "p[i] = 0x1G;"
    right "p[i] = 0x1F;"
    why "A number that is cut off would be another one.";

    K023 BAD_CHARACTER "bad-character" Error
    "Outside of strings and comments there are only the characters of C, and quotes and comments are closed."
    wrong "x[i] = 1 ` 2;"
    right "x[i] = 1 - 2;"
    why "It is often a character that an editor or a web page has put in place of another one.";

    K024 STRAY_SEMICOLON "stray-semicolon" Warning
    "There is no `;` within parentheses."
    wrong "x[i] = (1 + 2;);"
    right "x[i] = (1 + 2);"
    why "OCCA reads over it and so does Ferrocca, but C compilers refuse it.";

    K025 TRAILING_COMMA "trailing-comma" Warning
    "The last parameter of a function and the last argument of a macro have no `,` behind them."
    wrong "
@kernel void k(float *x, ) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    right "
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    why "OCCA reads over it and so does Ferrocca, but C compilers refuse it.";

    K026 UNKNOWN_ATTRIBUTE "unknown-attribute" Error
    "Attributes are those of the language: no other is read over."
    wrong "@exclusiv int a = 1;
p[i] = a;"
    right "int a = 1;
p[i] = a;"
    why "An attribute that is ignored would change what the kernel means, and nobody would see it.";

    K027 MISPLACED_ATTRIBUTE "misplaced-attribute" Error
    "An attribute stands at what it is for: a kernel, a parameter, a declaration, a loop or a statement."
    wrong "@restrict x[i] = 1;"
    right "
@kernel void k(@restrict float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    why "Elsewhere it would do nothing, although it looks as if it did.";

    K028 ATTRIBUTE_ARGUMENTS "attribute-arguments" Error
    "An attribute gets the arguments that it takes, and no others."
    wrong "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer(3)) {
    for (int i = 0; i < 4; ++i; @inner(0)) x[i] = o;
  }
}"
    right "
@kernel void k(float *x) {
  for (int o = 0; o < 4; ++o; @outer(0)) {
    for (int i = 0; i < 4; ++i; @inner(0)) x[o * 4 + i] = o;
  }
}"
    why "Devices have three axes of groups and three of items. What an attribute does not know would be ignored silently.";

    K029 LEFT_OUT "left-out" Warning
    "What is not in OKL is left out where no kernel uses it."
    wrong "
class Matrix { double *values; };
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    right "
struct Matrix { double *values; };
@kernel void k(float *x) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) x[i] = 1;
}"
    why "Kernels include headers that are written for C++ and for the host, too. A kernel uses what a word in it names, and what \
         that uses in turn.";
}
