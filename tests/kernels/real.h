typedef dfloat real;
