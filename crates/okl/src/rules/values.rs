//! Warnings of values that are most likely not what was meant.

rules! {
    K087 UNINITIALISED "uninitialised" Warning
    "A local variable has a value before it is read."
    wrong "
float sum;
sum += x[i];
x[i] = sum;"
    right "
float sum = 0;
sum += x[i];
x[i] = sum;"
    why "Its value differs from device to device and from launch to launch. The warning is given only where no statement on any \
         path to the read gives the variable a value.";

    K088 ZERO_DIVISOR "zero-divisor" Warning
    "An integer is divided by something other than the constant 0."
    wrong "p[i] = p[i] / 0;"
    right "p[i] = p[i] / 2;"
    why "Such a division has no result; a kernel that executes it fails. Perhaps a define has the value 0.";

    K089 XOR_AS_POWER "xor-as-power" Warning
    "A power is written as a product or with `pow`; `^` is the exclusive or."
    wrong "p[i] = i ^ 2;"
    right "p[i] = i * i;"
    why "`3 ^ 2` is 1, not 9. The warning is given where the right side is a decimal 2 or 3 and the left side is signed, and for a \
         decimal 2 or 10 `^` a decimal number. It is not given in subscripts, where `t ^ 2` names a neighbour, nor where bits are \
         meant for certain: for unsigned numbers, beside other operations on bits, and for numbers in hexadecimal such as `0x2`.";
}
