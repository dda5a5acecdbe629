// float16 and bfloat16: conversions to and from float32, rounding to nearest even.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __F16C__
#include <immintrin.h>
#endif

#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

struct float16 {
  uint16_t bits;
};
struct bfloat16 {
  uint16_t bits;
};

static inline uint32_t float_bits(float x) {
  uint32_t u;
  std::memcpy(&u, &x, 4);
  return u;
}

static inline float bits_float(uint32_t u) {
  float x;
  std::memcpy(&x, &u, 4);
  return x;
}

static inline float to_float(bfloat16 x) { return bits_float(static_cast<uint32_t>(x.bits) << 16); }

static inline bfloat16 to_bfloat16(float x) {
  const uint32_t u = float_bits(x);
  const uint32_t rounded = (u + 0x7FFFu + ((u >> 16) & 1u)) >> 16;
  const uint32_t nan = (u >> 16) | 0x40u;
  return {static_cast<uint16_t>((u & 0x7FFFFFFFu) > 0x7F800000u ? nan : rounded)};
}

static inline float to_float(float16 x) {
#ifdef __F16C__
  return _cvtsh_ss(x.bits);
#else
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000u) << 16;
  const uint32_t magnitude = x.bits & 0x7FFFu;
  // Shifted into place the exponent is 112 too small; a product with 2^112 mends it and
  // makes normal numbers of subnormal ones.
  const uint32_t special = magnitude >= 0x7C00u ? 0x7F800000u : 0u;
  const uint32_t scaled = float_bits(bits_float(magnitude << 13) * 0x1p112f);
  return bits_float(sign | scaled | special);
#endif
}

static inline float16 to_float16(float x) {
#ifdef __F16C__
  return {static_cast<uint16_t>(_cvtss_sh(x, 0))};
#else
  const uint32_t u = float_bits(x);
  const uint32_t sign = (u >> 16) & 0x8000u;
  const uint32_t magnitude = u & 0x7FFFFFFFu;
  uint32_t h;
  if (magnitude > 0x7F800000u) {
    h = 0x7E00u | ((magnitude >> 13) & 0x3FFu);
  } else if (magnitude >= 0x477FF000u) {  // rounds to 65536 or more
    h = 0x7C00u;
  } else if (magnitude < 0x38800000u) {  // subnormal: let the float adder round at 2^-24
    h = float_bits(bits_float(magnitude) + 0.5f) - 0x3F000000u;
  } else {
    h = (magnitude - 0x38000000u + 0xFFFu + ((magnitude >> 13) & 1u)) >> 13;
  }
  return {static_cast<uint16_t>(sign | h)};
#endif
}

// Blocks of n values.
static inline void widen(float* out, const float16* in, int64_t n) {
  int64_t i = 0;
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(out + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
#endif
  for (; i < n; ++i) out[i] = to_float(in[i]);
}

static inline void widen(float* out, const bfloat16* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = to_float(in[i]);
}

static inline void narrow(float16* out, const float* in, int64_t n) {
  int64_t i = 0;
#ifdef __AVX512F__
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm512_cvtps_ph(_mm512_loadu_ps(in + i), 0));
#endif
#ifdef __F16C__
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(in + i), 0));
#endif
  for (; i < n; ++i) out[i] = to_float16(in[i]);
}

static inline void narrow(bfloat16* out, const float* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = to_bfloat16(in[i]);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
