// Elementwise kernels: a block function over contiguous runs, and the driver that brings
// operands of any layout, and the half-precision ones, to it.
#pragma once

#include "half.h"
#include "isa.h"
#include "registry.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

constexpr int kMaxInputs = 4;

// Computes n contiguous results. Bit k of `scalars` says that in[k] points at one value for
// all of them. An absent input is NULL. out may be exactly one of the inputs.
using Block = void (*)(void* out, const void* const* in, int64_t n, unsigned scalars,
                       const fb_param* params);

struct Elementwise {
  Block block;
  uint16_t accepts;  // bit m: the block takes `scalars` == m; others are spread out for it
  uint8_t cost;      // of an element, in cheap operations
  bool raw_halves;   // float16 and bfloat16 are moved as they are, not computed in float32
};

// Runs the block over the whole of `out`, in parallel where that pays.
int run_elementwise(const Elementwise& kernel, const fb_array* out, int n_in,
                    const fb_array* const* in, const fb_param* params);

// Arrays of at most this many elements, if contiguous, skip the driver.
constexpr int64_t kDirect = 2048;

static inline bool direct(const fb_array* out, const fb_array* a) {
  return out->numel <= kDirect && (out->flags & a->flags & FB_CONTIGUOUS) && a->numel == out->numel;
}
static inline bool direct(const fb_array* out, const fb_array* a, const fb_array* b) {
  return out->numel <= kDirect && (out->flags & a->flags & b->flags & FB_CONTIGUOUS) &&
         a->numel == out->numel && b->numel == out->numel;
}

// The type in which T's arithmetic is done.
template <class T>
struct ComputeOf {
  using Type = T;
};
template <>
struct ComputeOf<float16> {
  using Type = float;
};
template <>
struct ComputeOf<bfloat16> {
  using Type = float;
};
template <class T>
using Compute = typename ComputeOf<T>::Type;

template <class T>
constexpr bool kIsHalf = sizeof(Compute<T>) != sizeof(T);

// Tells the compiler that iterations are independent: an output that is exactly an input
// would otherwise fall into the serial version of a vectorised loop.
#if defined(__clang__)
#define FLAMBEAU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define FLAMBEAU_INDEPENDENT _Pragma("GCC ivdep")
#endif

// An operation without parameters. Operations are objects made from the kernel's
// parameters and called with the elements (or vectors of them).
struct Plain {
  explicit Plain(const fb_param*) {}
};

}  // namespace flambeau_cpu::FLAMBEAU_ISA
