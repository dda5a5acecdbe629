// Writing around the caches, for results too large to be found in them again: the memory is
// then not read before it is overwritten.
#pragma once

#include <cstdint>
#include <cstring>

#include "isa.h"

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace flambeau_cpu::FLAMBEAU_ISA {

// Results of at least this many bytes are streamed.
constexpr int64_t kStreamBytes = int64_t{32} << 20;

#if defined(__SSE2__)
constexpr bool kCanStream = true;

// Copies to a target whose address is a multiple of 16. Call stream_end() after the last.
static inline void stream_copy(char* target, const char* source, int64_t bytes) {
  int64_t i = 0;
#if defined(__AVX512F__)
  for (; i < bytes && (reinterpret_cast<uintptr_t>(target + i) & 63) && i + 16 <= bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
  for (; i + 64 <= bytes; i += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + i), _mm512_loadu_si512(source + i));
#endif
  for (; i + 16 <= bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i)));
  std::memcpy(target + i, source + i, static_cast<size_t>(bytes - i));
}
static inline void stream_end() { _mm_sfence(); }
#else
constexpr bool kCanStream = false;
static inline void stream_copy(char* target, const char* source, int64_t bytes) {
  std::memcpy(target, source, static_cast<size_t>(bytes));
}
static inline void stream_end() {}
#endif

}  // namespace flambeau_cpu::FLAMBEAU_ISA
