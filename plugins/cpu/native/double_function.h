// Kernels made from functions of doubles: every floating dtype is computed in double.
#pragma once

#include "binary_kernel.h"
#include "entries.h"
#include "unary_kernel.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

template <double (*function)(double)>
struct InDouble : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(function(static_cast<double>(x)));
  }
};

template <double (*function)(double, double)>
struct BinaryInDouble : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(function(static_cast<double>(a), static_cast<double>(b)));
  }
};

template <double (*function)(double), int Cost>
static constexpr auto in_double(const char* id) {
  return floats<Unary<InDouble<function>, Cost>::template Of>(id);
}

template <double (*function)(double, double), int Cost>
static constexpr auto in_double(const char* id) {
  return floats<DearBinary<BinaryInDouble<function>, Cost>::template Of>(id);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
