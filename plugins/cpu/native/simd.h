// Vectors of the unit's instruction set, over the compilers' vector extensions. Arithmetic
// and comparisons are the language's operators; a comparison gives a mask for `?:`.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

typedef float vf __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES)));
typedef int32_t vi __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES)));
typedef uint32_t vui __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES)));
typedef double vd __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES)));
typedef int64_t vl __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES)));
typedef uint64_t vul __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES)));

// A vector of as many floats as there are doubles in a vd.
typedef float vf_half __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES / 2)));

// The vector of T and the integer vector that its comparisons give.
template <class T>
struct Vector;
template <>
struct Vector<float> {
  using Type = vf;
  using Mask = vi;
  using Int = int32_t;
  static constexpr int kLanes = FLAMBEAU_VECTOR_BYTES / 4;
};
template <>
struct Vector<double> {
  using Type = vd;
  using Mask = vl;
  using Int = int64_t;
  static constexpr int kLanes = FLAMBEAU_VECTOR_BYTES / 8;
};

template <class V>
struct ElementOf;
template <>
struct ElementOf<vf> {
  using Type = float;
};
template <>
struct ElementOf<vd> {
  using Type = double;
};
template <class V>
using Element = typename ElementOf<V>::Type;
template <class V>
using MaskOf = typename Vector<Element<V>>::Mask;
template <class V>
constexpr int kLanes = Vector<Element<V>>::kLanes;

static inline vf load(const float* p) {
  vf v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
static inline vd load(const double* p) {
  vd v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
static inline void store(float* p, vf v) { std::memcpy(p, &v, sizeof v); }
static inline void store(double* p, vd v) { std::memcpy(p, &v, sizeof v); }

// The first n lanes; the others are zero.
template <class V>
static inline V load_part(const Element<V>* p, int64_t n) {
#ifdef __AVX512F__
  if constexpr (sizeof(Element<V>) == 4)
    return (V)_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), p);
  else
    return (V)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), p);
#endif
  Element<V> lanes[kLanes<V>] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return load(lanes);
}
template <class V>
static inline void store_part(Element<V>* p, V v, int64_t n) {
#ifdef __AVX512F__
  if constexpr (sizeof(Element<V>) == 4)
    return _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
  else
    return _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << n) - 1), (__m512d)v);
#endif
  Element<V> lanes[kLanes<V>];
  store(lanes, v);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
}

template <class V>
static inline V splat(Element<V> x) {
  return x - V{};
}

// Reinterpreted bits.
static inline vi bits(vf v) { return (vi)v; }
static inline vl bits(vd v) { return (vl)v; }
static inline vf from_bits(vi v) { return (vf)v; }
static inline vd from_bits(vl v) { return (vd)v; }

template <class V>
static inline V vabs(V x) {
  using Int = typename Vector<Element<V>>::Int;
  constexpr Int kMagnitude = static_cast<Int>(~(static_cast<uint64_t>(1) << (8 * sizeof(Int) - 1)));
  return from_bits(bits(x) & kMagnitude);
}

// The magnitude of x with the sign of s.
template <class V>
static inline V vcopysign(V x, V s) {
  using Int = typename Vector<Element<V>>::Int;
  constexpr Int kMagnitude = static_cast<Int>(~(static_cast<uint64_t>(1) << (8 * sizeof(Int) - 1)));
  return from_bits((bits(x) & kMagnitude) | (bits(s) & ~kMagnitude));
}

// Whether any lane of a mask is set.
template <class M>
static inline bool any_lane(M mask) {
  uint64_t words[sizeof(M) / 8];
  std::memcpy(words, &mask, sizeof mask);
  uint64_t all = 0;
  for (uint64_t word : words) all |= word;
  return all != 0;
}

static inline vd widen_low(vf v) {
  vf_half half;
  std::memcpy(&half, &v, sizeof half);
  return __builtin_convertvector(half, vd);
}
static inline vd widen_high(vf v) {
  vf_half half;
  std::memcpy(&half, reinterpret_cast<const char*>(&v) + sizeof half, sizeof half);
  return __builtin_convertvector(half, vd);
}
static inline vf narrow(vd low, vd high) {
  const vf_half halves[2] = {__builtin_convertvector(low, vf_half),
                             __builtin_convertvector(high, vf_half)};
  vf v;
  std::memcpy(&v, halves, sizeof v);
  return v;
}

static inline float sum_lanes(vf v) {
  float lanes[kLanes<vf>];
  store(lanes, v);
  for (int width = kLanes<vf> / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}
static inline double sum_lanes(vd v) {
  double lanes[kLanes<vd>];
  store(lanes, v);
  for (int width = kLanes<vd> / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
