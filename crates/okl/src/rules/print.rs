//! Rules of `printf`.

rules! {
    K090 PRINTF_FORMAT "printf-format" Error
    "Each `%` of a `printf` takes one value of its kind."
    wrong "printf(\"%d of %d\\n\", i, x[i]);"
    right "printf(\"%d of %g\\n\", i, x[i]);"
    why "C prints something else then, each device its own. There are %d, %i, %u, %o, %x, %X and %c for integers, %f, %e, %g \
         and %a for floating-point numbers, and %s for strings between quotes.";

    K091 PRINTF_SIZE "printf-size" Warning
    "A `printf` takes `long` with `%ld` or `%lu`, and smaller integers without `l`."
    wrong "long id = i;
printf(\"%d\\n\", id);"
    right "long id = i;
printf(\"%ld\\n\", id);"
    why "Elsewhere C prints a part of the number, or garbage. Ferrocca knows the type and prints all of it.";

    K092 PRINTF_PLACE "printf-place" Error
    "A `printf` is a statement of an item: it stands inside the innermost `@inner` loop, or in a device function that is called there."
    wrong "
@kernel void k(const int n) {
  for (int o = 0; o < n; ++o; @outer) {
    printf(\"group %d\\n\", o);
    for (int i = 0; i < 4; ++i; @inner) printf(\"item %d\\n\", i);
  }
}"
    right "
@kernel void k(const int n) {
  for (int o = 0; o < n; ++o; @outer) {
    for (int i = 0; i < 4; ++i; @inner) {
      if (i == 0) printf(\"group %d\\n\", o);
      printf(\"item %d\\n\", i);
    }
  }
}"
    why "On GPUs all items of a group run what stands around them, each of which would print.";
}
