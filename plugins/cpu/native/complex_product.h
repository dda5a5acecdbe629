// Matrix products of complex numbers: four real products would be faster, this is short.
#pragma once

#include <cstdint>

#include "gemm.h"
#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// A complex number as core lays it out: real part, imaginary part.
template <typename T>
struct Complex {
  T re, im;
};

// Row by row: C's row is a sum of B's rows, each times one value of A.
template <typename T>
static inline void complex_rows(const Product<Complex<T>>& x, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    Complex<T>* row = x.c + i * x.ldc;
    for (int64_t j = 0; j < x.n; ++j) row[j] = x.bias ? x.bias[j] : Complex<T>{0, 0};
    for (int64_t p = 0; p < x.k; ++p) {
      const Complex<T> a = *x.a.at(i, p);
      const Complex<T>* b = x.b.at(p, 0);
      const int64_t step = x.b.column_stride;
      for (int64_t j = 0; j < x.n; ++j) {
        const Complex<T> value = b[j * step];
        row[j].re += a.re * value.re - a.im * value.im;
        row[j].im += a.re * value.im + a.im * value.re;
      }
    }
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
