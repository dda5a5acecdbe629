// Blocks of operations that are written on vectors.
#pragma once

#include "elementwise.h"
#include "simd.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// One input. Two vectors at a time hide the latency of long polynomials.
template <class T, class Op>
static void vector_unary_block(void* out, const void* const* in, int64_t n, unsigned,
                               const fb_param* params) {
  using V = typename Vector<T>::Type;
  constexpr int64_t W = kLanes<V>;
  const Op op(params);
  T* o = static_cast<T*>(out);
  const T* a = static_cast<const T*>(in[0]);
  int64_t i = 0;
  for (; i + 2 * W <= n; i += 2 * W) {
    const V x = load(a + i), y = load(a + i + W);
    const V p = op(x), q = op(y);
    store(o + i, p);
    store(o + i + W, q);
  }
  for (; i < n; i += W) {
    const int64_t m = n - i;
    if (m >= W)
      store(o + i, op(load(a + i)));
    else
      store_part<V>(o + i, op(load_part<V>(a + i, m)), m);
  }
}

// Two inputs, neither spread.
template <class T, class Op>
static void vector_binary_block(void* out, const void* const* in, int64_t n, unsigned,
                                const fb_param* params) {
  using V = typename Vector<T>::Type;
  constexpr int64_t W = kLanes<V>;
  const Op op(params);
  T* o = static_cast<T*>(out);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  for (int64_t i = 0; i < n; i += W) {
    const int64_t m = n - i;
    if (m >= W)
      store(o + i, op(load(a + i), load(b + i)));
    else
      store_part<V>(o + i, op(load_part<V>(a + i, m), load_part<V>(b + i, m)), m);
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
