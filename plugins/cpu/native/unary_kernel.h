// Kernels of one input made from an operation.
#pragma once

#include "elementwise.h"
#include "vector_block.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// A plain loop, which the compiler turns into vectors where it can. R is the result's type.
template <class T, class R, class Op>
static void unary_block(void* out, const void* const* in, int64_t n, unsigned,
                        const fb_param* params) {
  const Op op(params);
  R* o = static_cast<R*>(out);
  const T* a = static_cast<const T*>(in[0]);
  FLAMBEAU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(op(a[i]));
}

template <class T>
static int run_unary(Block block, uint8_t cost, fb_array* const* out, const fb_array* const* in,
                     const fb_param* params) {
  if (!kIsHalf<T> && direct(out[0], in[0])) {
    const void* data = in[0]->data;
    block(out[0]->data, &data, out[0]->numel, 0, params);
    return FB_OK;
  }
  return run_elementwise({block, 1, cost, false}, out[0], 1, in, params);
}

// Makers for entries.h: an operation on scalars, on vectors, and a test (bool result).
template <class Op, int Cost = 1>
struct Unary {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return run_unary<T>(unary_block<Compute<T>, Compute<T>, Op>, Cost, out, in, params);
    }
  };
};

template <class Op, int Cost = 8>
struct VectorUnary {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return run_unary<T>(vector_unary_block<Compute<T>, Op>, Cost, out, in, params);
    }
  };
};

template <class Op>
struct Test {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return run_unary<T>(unary_block<Compute<T>, bool, Op>, 1, out, in, params);
    }
  };
};

}  // namespace flambeau_cpu::FLAMBEAU_ISA
