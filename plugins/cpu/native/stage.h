// Reading runs of a strided, possibly half-precision array as contiguous values of the type
// that is computed in.
#pragma once

#include "elementwise.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// n elements of stored type T from `data` (element offset `offset`); `buffer` holds n values
// and is used only where the values are not there to be read in place.
template <class T>
static inline const Compute<T>* read_run(const void* data, uint8_t dtype, int64_t offset,
                                         int64_t stride, int64_t n, Compute<T>* buffer) {
  const T* source = static_cast<const T*>(data) + offset;
  if constexpr (kIsHalf<T>) {
    if (dtype == FB_FLOAT16) {
      const float16* half = reinterpret_cast<const float16*>(source);
      if (stride == 1)
        widen(buffer, half, n);
      else
        for (int64_t i = 0; i < n; ++i) buffer[i] = to_float(half[i * stride]);
    } else {
      const bfloat16* half = reinterpret_cast<const bfloat16*>(source);
      for (int64_t i = 0; i < n; ++i) buffer[i] = to_float(half[i * stride]);
    }
    return buffer;
  } else {
    if (stride == 1) return source;
    for (int64_t i = 0; i < n; ++i) buffer[i] = source[i * stride];
    return buffer;
  }
}

// Stores one value at an element offset.
template <class T, class V>
static inline void write_value(void* data, uint8_t dtype, int64_t offset, V value) {
  if constexpr (kIsHalf<T>) {
    const float f = static_cast<float>(value);
    static_cast<uint16_t*>(data)[offset] =
        dtype == FB_FLOAT16 ? to_float16(f).bits : to_bfloat16(f).bits;
  } else {
    static_cast<T*>(data)[offset] = static_cast<T>(value);
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
