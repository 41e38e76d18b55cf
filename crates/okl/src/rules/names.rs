//! Rules of names, types, constants and functions.

rules! {
    K030 UNDECLARED "undeclared" Error
    "A name is declared before it is used, or known to the language."
    wrong "x[i] = alpha;"
    right "const float alpha = 2;
x[i] = alpha;"
    why "What no host defines has no value. A name that a define gives comes with `-D NAME=VALUE` or the property `defines`.";

    K031 DECLARED_TWICE "declared-twice" Error
    "A name is declared once in a scope, and declarations of one function agree."
    wrong "int a = 1;
int a = 2;
p[i] = a;"
    right "int a = 1;
int b = 2;
p[i] = a + b;"
    why "A second declaration would hide the first one in the same lines.";

    K032 WRONG_NAME_KIND "wrong-name-kind" Error
    "A variable, a type and a function each stand where their kind belongs."
    wrong "
int f(int a) { return a + 1; }
---
p[i] = f;"
    right "
int f(int a) { return a + 1; }
---
p[i] = f(i);"
    why "A type has no value, and a function is called: devices have no pointers to functions.";

    K033 TYPE_MISMATCH "type-mismatch" Error
    "Operators, assignments and conversions get operands of types that they can work with."
    wrong "x[i] = x;"
    right "x[i] = x[i] * 2;"
    why "A conversion that loses what a value is, as from a pointer to a number, is never made silently.";

    K034 CONSTANT_EXPECTED "constant-expected" Error
    "Sizes of arrays, values of cases and file-scope constants are known to the compiler; those of `@shared` arrays may be made of a kernel's scalar parameters."
    wrong "float a[n];
a[0] = 1;
x[i] = a[0];"
    right "float a[8];
a[0] = 1;
x[i] = a[0];"
    why "Local arrays live in registers or in memory that is laid out before the kernel starts.";

    K035 WRITE_TO_CONSTANT "write-to-constant" Error
    "What is declared `const` is not written, and no pointer makes it writable."
    wrong "const int a = 1;
a = 2;
p[i] = a;"
    right "int a = 1;
a = 2;
p[i] = a;"
    why "Constant memory may be shared by all items, or lie where no device can write.";

    K036 NO_SUCH_FIELD "no-such-field" Error
    "Fields are those of the struct, vector or complex number at the left of the `.`."
    wrong "
struct Point { float x; float y; };
---
struct Point a = {1, 2};
x[i] = a.z;"
    right "
struct Point { float x; float y; };
---
struct Point a = {1, 2};
x[i] = a.y;"
    why "Only structs, vectors and complex numbers have fields, and a pointer leads to them with `->`.";

    K037 BAD_SUBSCRIPT "bad-subscript" Error
    "Arrays and pointers are subscripted, with an integer that a known size allows."
    wrong "float a[4] = {1, 2, 3, 4};
x[i] = a[4];"
    right "float a[4] = {1, 2, 3, 4};
x[i] = a[3];"
    why "An index that is always out of range is found before anything runs.";

    K038 BAD_ARRAY "bad-array" Error
    "An array has a positive number of elements, given by a size or by its initialiser."
    wrong "float a[];
x[i] = 1;"
    right "float a[] = {1, 2};
x[i] = a[0];"
    why "Its memory is laid out before the kernel starts.";

    K039 BAD_INITIALIZER "bad-initializer" Error
    "An initialiser has the form of what it initialises: one value for a number, a list for an array or struct."
    wrong "float a[2] = {1, 2, 3};
x[i] = a[0];"
    right "float a[3] = {1, 2, 3};
x[i] = a[0];"
    why "Values that have no place would be lost.";

    K040 BAD_DECLARATION "bad-declaration" Error
    "Variables, fields and parameters have types that values can have."
    wrong "void a;
x[i] = 1;"
    right "float a = 1;
x[i] = a;"
    why "`void` has no values, and a struct without fields has no size that all targets share.";

    K041 GLOBAL_VARIABLE "global-variable" Error
    "What a kernel uses of what is declared outside of all functions is constant and has a value."
    wrong "
int counter = 0;
---
p[i] = counter;"
    right "
const int first = 0;
---
p[i] = first;"
    why "Devices have no variables that outlive a launch. Pass memory to the kernel instead. A variable that only code of the \
         host uses may stand in the file.";

    K042 NULL_POINTER "null-pointer" Error
    "A pointer is set to memory, and not to null. Whether it is null may be asked of one that leads into a single parameter."
    wrong "float *q = 0;
x[i] = q[i];"
    right "float *q = x;
x[i] = q[i];"
    why "WebGPU has no addresses, so that a pointer is an array and an index into it. A launch may give null for a parameter, and \
         `if (q)` or `q == NULL` asks whether it did.";

    K043 POINTER_ROOT "pointer-root" Error
    "What a pointer points into is known where it is set, and lasts as long as it does: one array, or several parameters and \
     `@shared` arrays."
    wrong "float a[4];
float b[4];
a[0] = b[0] = 1;
float *q = a;
for (int j = 0; j < 2; ++j) { x[i] = q[0]; q = b; }"
    right "float a[8];
a[0] = a[4] = 1;
float *q = a;
for (int j = 0; j < 2; ++j) { x[i] = q[0]; q = a + 4; }"
    why "On OpenCL and WebGPU a pointer cannot change the memory that it leads into: each access chooses among the arrays, which \
         must all be there.";

    K044 NO_ADDRESS "no-address" Error
    "`&`, `=` and `++` are for variables and elements of memory."
    wrong "3 = n;
x[i] = 1;"
    right "int a = n;
a = 3;
x[i] = a;"
    why "A value that was computed lies nowhere, and the index of a parallel loop is no variable of the device.";

    K045 POINTER_CAST "pointer-cast" Error
    "A cast of a pointer keeps what it points to."
    wrong "int *bits = (int *) x;
p[i] = bits[i];"
    right "float *same = (float *) x;
p[i] = same[i];"
    why "Memory keeps its type on WebGPU, and elsewhere a compiler may reorder accesses of different types.";

    K046 BAD_SWITCH "bad-switch" Error
    "A `switch` is on an integer, and its labels are constants that differ, directly in its body."
    wrong "switch (n) { case 1: x[i] = 1; break; case 1: x[i] = 2; break; }"
    right "switch (n) { case 1: x[i] = 1; break; case 2: x[i] = 2; break; }"
    why "It is C's rule; WGSL has no jumps into a block.";

    K047 AUTO_TYPE "auto-type" Error
    "`auto` stands where a value gives the type: a variable with a value, what a function returns, what a lambda takes."
    wrong "auto a;"
    right "auto a = x[i];"
    why "Nothing else says what the type is.";

    K048 STATIC_ASSERT "static-assert" Error
    "What a `static_assert` says holds."
    wrong "static_assert(sizeof(float) == 8, \"wide numbers\");"
    right "static_assert(sizeof(float) == 4, \"narrow numbers\");"
    why "The source's author asked for it.";

    K049 TEMPLATE_ARGUMENT "template-argument" Error
    "Templates are given as many types and integer constants as they have parameters, in order."
    wrong "
template <typename T> struct Pair { T a, b; };
---
Pair<3> p;"
    right "
template <typename T> struct Pair { T a, b; };
---
Pair<float> p = {x[i], 1};
x[i] = p.a;"
    why "What a template makes must be a plain function or struct, which every target has.";

    K050 ARGUMENT_COUNT "argument-count" Error
    "A function is called with as many arguments as it has parameters."
    wrong "x[i] = sqrt(1, 2);"
    right "x[i] = sqrt(2);"
    why "It is C's rule.";

    K051 WRONG_ARGUMENT "wrong-argument" Error
    "An argument is what the function's parameter says: a value, or a pointer to its type and memory."
    wrong "
float first(const float *values) { return values[0]; }
---
x[i] = first(n);"
    right "
float first(const float *values) { return values[0]; }
---
x[i] = first(x + i);"
    why "A function is compiled once for each kind of memory that its pointers lead to.";

    K052 UNDEFINED_FUNCTION "undefined-function" Error
    "A function that is called is defined in the source or in a file that it includes."
    wrong "
float twice(float a);
---
x[i] = twice(x[i]);"
    right "
float twice(float a) { return 2 * a; }
---
x[i] = twice(x[i]);"
    why "Kernels are not linked with anything.";

    K053 RECURSION "recursion" Error
    "No function calls itself, directly or through others."
    wrong "
int f(int a) { return a < 1 ? 0 : f(a - 1); }
---
p[i] = f(i);"
    right "
int f(int a) { int sum = 0; for (; a > 0; --a) sum += a; return sum; }
---
p[i] = f(i);"
    why "OpenCL and WebGPU have no stack for it.";

    K054 KERNEL_CALL "kernel-call" Error
    "A `@kernel` returns `void`, is launched from the host, and is not called."
    wrong "
@kernel int k(int *p) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) p[i] = 1;
}"
    right "
@kernel void k(int *p) {
  for (int i = 0; i < 64; ++i; @tile(64, @outer, @inner)) p[i] = 1;
}"
    why "Nobody could take the value: a launch returns before the kernel has run.";

    K055 RETURN_VALUE "return-value" Error
    "`return` gives a value where the function has one, and none where it has none."
    wrong "
float f(float a) { return; }
---
x[i] = f(1);"
    right "
float f(float a) { return a; }
---
x[i] = f(1);"
    why "The caller would get whatever lies in a register.";

    K056 MISSING_RETURN "missing-return" Warning
    "Every way through a function that has a value ends with `return`."
    wrong "
float f(float a) { if (a > 0) return a; }
---
x[i] = f(1);"
    right "
float f(float a) { if (a > 0) return a; return 0; }
---
x[i] = f(1);"
    why "Without one the value is undefined in C; Ferrocca returns zero.";

    K057 OWN_INITIALIZER "own-initializer" Warning
    "A variable's initialiser does not use an outer variable of the same name."
    wrong "int offset = 4;
{ int offset = offset * 2; p[i] = offset; }"
    right "int offset = 4;
{ int twice = offset * 2; p[i] = twice; }"
    why "C reads the new variable, which has no value yet; Ferrocca reads the outer one, which is what authors mean.";
    K058 OVERLOAD "overload" Error
    "Of the functions of a name, one takes a call's arguments better than all others."
    wrong "
int f(int a, float b) { return 1; }
int f(float a, int b) { return 2; }
---
p[i] = f(1, 1);"
    right "
int f(int a, float b) { return 1; }
int f(float a, int b) { return 2; }
---
p[i] = f(1, 1.0f);"
    why "It is C++'s rule: exact types win, then promotions, then conversions.";

    K059 LAMBDA "lambda" Error
    "A lambda has a name, stands inside the `@outer` loops or at file scope, and is called and nothing else."
    wrong "
auto f = [=](int v) { return v + i; };
p[i] = f;"
    right "
auto f = [=](int v) { return v + i; };
p[i] = f(1);"
    why "It becomes a device function, and devices have no pointers to functions.";

}
