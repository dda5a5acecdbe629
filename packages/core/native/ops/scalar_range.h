// Numbers that an element type cannot hold are refused, not wrapped around.
#pragma once

#include <cmath>

#include "base/error.h"
#include "base/scalar.h"

namespace flambeau {

struct ScalarRange {
  double lowest, highest;
};

// Unsigned integers take the negatives of their numbers too: -1 is the largest.
inline ScalarRange range_of(DType d) {
  switch (d) {
    case FB_UINT8:
      return {-255, 255};
    case FB_INT8:
      return {-128, 127};
    case FB_INT16:
      return {-32768, 32767};
    case FB_INT32:
      return {-2147483648.0, 2147483647.0};
    case FB_INT64:
      return {-9223372036854775808.0, 9223372036854775807.0};
    case FB_UINT16:
      return {-65535, 65535};
    case FB_UINT32:
      return {-4294967295.0, 4294967295.0};
    case FB_UINT64:
      return {-18446744073709551615.0, 18446744073709551615.0};
    case FB_FLOAT16:
    case FB_COMPLEX32:
      return {-65504, 65504};
    case FB_BFLOAT16:
      return {-0x1.fep127, 0x1.fep127};
    case FB_FLOAT32:
    case FB_COMPLEX64:
      return {-0x1.fffffep127, 0x1.fffffep127};
    default:
      return {-HUGE_VAL, HUGE_VAL};
  }
}

inline bool holds(DType d, const Scalar& s) {
  if (d == FB_BOOL) return true;
  if (s.category == Category::Complex && s.imag != 0 && !is_complex(d)) return false;
  // Infinities and NaN are numbers of the floating-point types.
  if (is_differentiable(d) && !std::isfinite(s.f)) return true;
  const ScalarRange r = range_of(d);
  return s.f >= r.lowest && s.f <= r.highest;
}

// RuntimeError where the type cannot hold the number.
inline void check_holds(DType d, const Scalar& s) {
  if (!holds(d, s))
    fail(ErrorKind::Runtime, "value cannot be converted to type %s without overflow",
         info(d).legacy_name);
}

}  // namespace flambeau
