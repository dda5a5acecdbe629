// Kernels of two inputs made from an operation.
#pragma once

#include "elementwise.h"
#include "vector_block.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// A loop each for: no input spread, the first, the second.
template <class T, class R, class Op>
static void binary_block(void* out, const void* const* in, int64_t n, unsigned scalars,
                         const fb_param* params) {
  const Op op(params);
  R* o = static_cast<R*>(out);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  if (scalars == 0) {
    FLAMBEAU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(op(a[i], b[i]));
  } else if (scalars == 1) {
    const T x = *a;
    FLAMBEAU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(op(x, b[i]));
  } else {
    const T y = *b;
    FLAMBEAU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(op(a[i], y));
  }
}

// For operations so dear that spreading a value costs nothing beside them.
template <class T, class R, class Op>
static void dear_binary_block(void* out, const void* const* in, int64_t n, unsigned,
                              const fb_param* params) {
  const Op op(params);
  R* o = static_cast<R*>(out);
  const T* a = static_cast<const T*>(in[0]);
  const T* b = static_cast<const T*>(in[1]);
  FLAMBEAU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = static_cast<R>(op(a[i], b[i]));
}

template <class T>
static int run_binary(Block block, uint16_t accepts, uint8_t cost, fb_array* const* out,
                      const fb_array* const* in, const fb_param* params) {
  if constexpr (!kIsHalf<T>) {
    const void* data[2] = {in[0]->data, in[1]->data};
    if (direct(out[0], in[0], in[1])) {
      block(out[0]->data, data, out[0]->numel, 0, params);
      return FB_OK;
    }
    if ((accepts & 4u) && is_host_scalar(in[1]) && direct(out[0], in[0])) {
      block(out[0]->data, data, out[0]->numel, 2, params);
      return FB_OK;
    }
  }
  return run_elementwise({block, accepts, cost, false}, out[0], 2, in, params);
}

// Makers for entries.h. The result has the inputs' type, or is bool for a comparison.
template <class Op, int Cost = 1>
struct Binary {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      using C = Compute<T>;
      return run_binary<T>(binary_block<C, C, Op>, 7, Cost, out, in, params);
    }
  };
};

template <class Op, int Cost = 16>
struct DearBinary {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      using C = Compute<T>;
      return run_binary<T>(dear_binary_block<C, C, Op>, 1, Cost, out, in, params);
    }
  };
};

template <class Op, int Cost = 8>
struct VectorBinary {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return run_binary<T>(vector_binary_block<Compute<T>, Op>, 1, Cost, out, in, params);
    }
  };
};

template <class Op>
struct Comparison {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return run_binary<T>(binary_block<Compute<T>, bool, Op>, 7, 1, out, in, params);
    }
  };
};

}  // namespace flambeau_cpu::FLAMBEAU_ISA
