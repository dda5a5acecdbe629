// Kernel tables put together at compile time: (a + b).table() has the entries of both.
#pragma once

#include "half.h"
#include "isa.h"
#include "registry.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

template <int N>
struct Entries {
  KernelEntry list[N];
};

template <int N, int M>
static constexpr Entries<N + M> operator+(const Entries<N>& a, const Entries<M>& b) {
  Entries<N + M> sum = {};
  for (int i = 0; i < N; ++i) sum.list[i] = a.list[i];
  for (int i = 0; i < M; ++i) sum.list[N + i] = b.list[i];
  return sum;
}

// Kernel<T>::run serves dtype T. Maker is a template of one type parameter with `run`.
template <template <class> class Maker>
static constexpr Entries<2> single_double(const char* id) {
  return {{{id, bit(FB_FLOAT32), Maker<float>::run}, {id, bit(FB_FLOAT64), Maker<double>::run}}};
}

// The four floating dtypes; one function serves both halves.
template <template <class> class Maker>
static constexpr Entries<3> floats(const char* id) {
  return {{{id, bit(FB_FLOAT32), Maker<float>::run},
           {id, bit(FB_FLOAT64), Maker<double>::run},
           {id, kHalves, Maker<float16>::run}}};
}

template <template <class> class Maker>
static constexpr Entries<5> integers(const char* id) {
  return {{{id, bit(FB_UINT8), Maker<uint8_t>::run},
           {id, bit(FB_INT8), Maker<int8_t>::run},
           {id, bit(FB_INT16), Maker<int16_t>::run},
           {id, bit(FB_INT32), Maker<int32_t>::run},
           {id, bit(FB_INT64), Maker<int64_t>::run}}};
}

// For operations whose bits do not depend on the sign: sums, products, bitwise ones.
template <template <class> class Maker>
static constexpr Entries<4> unsigned_integers(const char* id) {
  return {{{id, bit(FB_UINT8) | bit(FB_INT8), Maker<uint8_t>::run},
           {id, bit(FB_INT16), Maker<uint16_t>::run},
           {id, bit(FB_INT32), Maker<uint32_t>::run},
           {id, bit(FB_INT64), Maker<uint64_t>::run}}};
}

template <template <class> class Maker>
static constexpr Entries<1> boolean(const char* id) {
  return {{{id, kBool, Maker<bool>::run}}};
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
