//! The rule of complex numbers.

rules! {
    K095 COMPLEX "complex-operation" Error
    "Complex numbers are added, subtracted, multiplied, divided, compared with `==` and `!=`, and given to the functions that take them."
    wrong "complex64 z = complex64(x[i], 1.0f);
if (z < 2.0f) x[i] = 0;"
    right "complex64 z = complex64(x[i], 1.0f);
if (cabs(z) < 2.0f) x[i] = 0;"
    why "They have no order, no remainder and no bits: what is meant is the magnitude, or one of the parts.";
}
