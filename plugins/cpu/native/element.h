// Element types by their dtype: the type computed in, and conversions one value at a time.
#pragma once

#include "flambeau/backend.h"
#include "half.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// The halves are computed in float, everything else in itself.
template <typename T>
struct ComputeType {
  using Type = T;
};
template <>
struct ComputeType<float16> {
  using Type = float;
};
template <>
struct ComputeType<bfloat16> {
  using Type = float;
};
template <typename T>
using Compute = typename ComputeType<T>::Type;

template <typename T>
constexpr bool kIsHalf = sizeof(T) == 2;

static inline float value_of(float x) { return x; }
static inline double value_of(double x) { return x; }
static inline float value_of(float16 x) { return to_float(x); }
static inline float value_of(bfloat16 x) { return to_float(x); }

static inline void assign(float& to, float x) { to = x; }
static inline void assign(double& to, double x) { to = x; }
static inline void assign(float16& to, float x) { to = to_float16(x); }
static inline void assign(bfloat16& to, float x) { to = to_bfloat16(x); }

// Element `i` of a one-dimensional (or 0-D) floating array of whatever dtype.
static inline double read_value(const fb_array* x, int64_t i) {
  const int64_t at = x->ndim ? i * x->strides[x->ndim - 1] : 0;
  switch (x->dtype) {
    case FB_FLOAT64:
      return static_cast<const double*>(x->data)[at];
    case FB_FLOAT32:
      return static_cast<const float*>(x->data)[at];
    case FB_FLOAT16:
      return to_float(static_cast<const float16*>(x->data)[at]);
    default:
      return to_float(static_cast<const bfloat16*>(x->data)[at]);
  }
}

static inline void write_value(const fb_array* x, int64_t i, double value) {
  const int64_t at = x->ndim ? i * x->strides[x->ndim - 1] : 0;
  const float single = static_cast<float>(value);
  switch (x->dtype) {
    case FB_FLOAT64:
      static_cast<double*>(x->data)[at] = value;
      break;
    case FB_FLOAT32:
      static_cast<float*>(x->data)[at] = single;
      break;
    case FB_FLOAT16:
      static_cast<float16*>(x->data)[at] = to_float16(single);
      break;
    default:
      static_cast<bfloat16*>(x->data)[at] = to_bfloat16(single);
      break;
  }
}

// A run of n values at a stride, converted to the type computed in, and back.
template <typename T>
static inline void gather_run(const T* in, int64_t stride, int64_t n, Compute<T>* out) {
  if constexpr (kIsHalf<T>) {
    if (stride == 1) return widen(out, in, n);
  }
  for (int64_t i = 0; i < n; ++i) out[i] = value_of(in[i * stride]);
}

template <typename T>
static inline void scatter_run(const Compute<T>* in, int64_t stride, int64_t n, T* out) {
  if constexpr (kIsHalf<T>) {
    if (stride == 1) return narrow(out, in, n);
  }
  for (int64_t i = 0; i < n; ++i) assign(out[i * stride], in[i]);
}

// Whether a run can be computed in place of memory, without a copy in between.
template <typename T>
static inline bool is_plain_run(int64_t stride, int64_t n) {
  return !kIsHalf<T> && (stride == 1 || n <= 1);
}

// A run as the type computed in: the memory itself or a copy in `buffer`.
template <typename T>
static inline const Compute<T>* read_run(const T* in, int64_t stride, int64_t n,
                                         Compute<T>* buffer) {
  if constexpr (!kIsHalf<T>) {
    if (is_plain_run<T>(stride, n)) return in;
  }
  gather_run(in, stride, n, buffer);
  return buffer;
}

// Where a run's results may be written: finish_run() then brings them home.
template <typename T>
static inline Compute<T>* result_run(T* out, int64_t stride, int64_t n, Compute<T>* buffer) {
  if constexpr (!kIsHalf<T>) {
    if (is_plain_run<T>(stride, n)) return out;
  }
  return buffer;
}

template <typename T>
static inline void finish_run(const Compute<T>* result, int64_t stride, int64_t n, T* out) {
  if (static_cast<const void*>(result) != static_cast<const void*>(out))
    scatter_run(result, stride, n, out);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
