// The largest or smallest value of a block; a NaN wins.
#pragma once

#include "simd.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// What is kept of the value so far and the next one. A NaN is taken and then stays: nothing
// is larger or smaller than it.
template <bool kLargest, class T>
static inline T extreme_of(T best, T x) {
  const bool better = kLargest ? x > best : x < best;
  return better | (x != x) ? x : best;
}

// Vectors are compared lane by lane.
template <bool kLargest, class V>
static inline V extreme_vector(V best, V x) {
  const auto better = kLargest ? x > best : x < best;
  return better | (x != x) ? x : best;
}

template <bool kLargest, class T>
static inline T extreme_of_floats(const T* x, int64_t n) {
  using V = typename Vector<T>::Type;
  constexpr int64_t W = kLanes<V>;
  T result = x[0];
  int64_t i = 1;
  if (n >= 4 * W) {
    V a = load(x), b = load(x + W), c = load(x + 2 * W), d = load(x + 3 * W);
    for (i = 4 * W; i + 4 * W <= n; i += 4 * W) {
      a = extreme_vector<kLargest>(a, load(x + i));
      b = extreme_vector<kLargest>(b, load(x + i + W));
      c = extreme_vector<kLargest>(c, load(x + i + 2 * W));
      d = extreme_vector<kLargest>(d, load(x + i + 3 * W));
    }
    T lanes[W];
    store(lanes,
          extreme_vector<kLargest>(extreme_vector<kLargest>(a, b), extreme_vector<kLargest>(c, d)));
    for (int64_t l = 0; l < W; ++l) result = extreme_of<kLargest>(result, lanes[l]);
  }
  for (; i < n; ++i) result = extreme_of<kLargest>(result, x[i]);
  return result;
}

// n >= 1 values.
template <bool kLargest>
static inline float extreme_of_block(const float* x, int64_t n) {
  return extreme_of_floats<kLargest>(x, n);
}
template <bool kLargest>
static inline double extreme_of_block(const double* x, int64_t n) {
  return extreme_of_floats<kLargest>(x, n);
}
template <bool kLargest, class T>
static inline T extreme_of_block(const T* x, int64_t n) {
  T result = x[0];
  for (int64_t i = 1; i < n; ++i)
    result = (kLargest ? x[i] > result : x[i] < result) ? x[i] : result;
  return result;
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
