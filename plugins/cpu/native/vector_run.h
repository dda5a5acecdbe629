// Runs of neighbouring values, a vector at a time and the rest as a part of one.
#pragma once

#include "vector_math.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

template <typename W>
using VectorOf = typename Vector<W>::Type;

// Calls fn(offset, count) for each whole vector of n values and then for what is left.
template <typename W, typename F>
static inline void for_vectors(int64_t n, const F& fn) {
  constexpr int64_t lanes = Vector<W>::kLanes;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) fn(i, lanes);
  if (i < n) fn(i, n - i);
}

template <typename W>
static inline VectorOf<W> fetch(const W* p, int64_t count) {
  return count == Vector<W>::kLanes ? load(p) : load_part<VectorOf<W>>(p, count);
}

template <typename W>
static inline void put(W* p, VectorOf<W> v, int64_t count) {
  if (count == Vector<W>::kLanes)
    store(p, v);
  else
    store_part<VectorOf<W>>(p, v, count);
}

// A part of a vector with the other lanes zero.
template <typename W>
static inline VectorOf<W> keep(VectorOf<W> v, int64_t count) {
  if (count == Vector<W>::kLanes) return v;
  W lanes[Vector<W>::kLanes];
  store(lanes, v);
  return load_part<VectorOf<W>>(lanes, count);
}

static inline float log_of(float x) { return __builtin_logf(x); }
static inline double log_of(double x) { return __builtin_log(x); }

// The largest value; NaN may or may not be found, the sum of exponentials finds it anyway.
template <typename W>
static inline W largest(const W* x, int64_t n) {
  if (n == 0) return 0;
  constexpr int64_t lanes = Vector<W>::kLanes;
  W best = x[0];
  int64_t i = 0;
  if (n >= 2 * lanes) {
    VectorOf<W> a = load(x), b = load(x + lanes);
    for (i = 2 * lanes; i + 2 * lanes <= n; i += 2 * lanes) {
      const VectorOf<W> c = load(x + i), d = load(x + i + lanes);
      a = c > a ? c : a;
      b = d > b ? d : b;
    }
    a = b > a ? b : a;
    for (int64_t j = 0; j < lanes; ++j) best = a[j] > best ? a[j] : best;
  }
  for (; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

// y = exp(x - top), where wanted, and the sum.
template <bool Store, typename W>
static inline W exponentials(const W* x, W top, int64_t n, W* y) {
  VectorOf<W> sum = {};
  for_vectors<W>(n, [&](int64_t i, int64_t count) {
    const VectorOf<W> e = vexp_nonpositive(fetch(x + i, count) - top);
    if (Store) put(y + i, e, count);
    sum += keep<W>(e, count);
  });
  return sum_lanes(sum);
}

template <typename W>
static inline W sum_run(const W* x, int64_t n) {
  VectorOf<W> sum = {};
  for_vectors<W>(n, [&](int64_t i, int64_t count) { sum += fetch(x + i, count); });
  return sum_lanes(sum);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
