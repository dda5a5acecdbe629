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

// The sum of term(offset, count) over all vectors of n values. Four sums go side by side, since
// each addition waits for the one before it.
template <typename W, typename F>
static inline VectorOf<W> sum_vectors(int64_t n, const F& term) {
  constexpr int64_t lanes = Vector<W>::kLanes;
  VectorOf<W> a = {}, b = {}, c = {}, d = {};
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a += term(i, lanes);
    b += term(i + lanes, lanes);
    c += term(i + 2 * lanes, lanes);
    d += term(i + 3 * lanes, lanes);
  }
  for (; i + lanes <= n; i += lanes) a += term(i, lanes);
  if (i < n) b += keep<W>(term(i, n - i), n - i);
  return (a + b) + (c + d);
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
  return sum_lanes(sum_vectors<W>(n, [=](int64_t i, int64_t count) {
    const VectorOf<W> e = vexp_nonpositive(fetch(x + i, count) - top);
    if (Store) put(y + i, e, count);
    return e;
  }));
}

template <typename W>
static inline W sum_run(const W* x, int64_t n) {
  return sum_lanes(
      sum_vectors<W>(n, [=](int64_t i, int64_t count) { return fetch(x + i, count); }));
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
