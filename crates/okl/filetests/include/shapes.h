#ifndef SHAPES_H
#define SHAPES_H
#include "deep/numbers.h"

double area(const double width, const double height) {
  return width * height * UNIT;
}

#endif
