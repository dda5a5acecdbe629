// A Python number on its way into a kernel, and single elements in memory.
#pragma once

#include <complex>

#include "base/dtype.h"
#include "base/half.h"

namespace flambeau {

struct Scalar {
  Category category = Category::Integer;
  int64_t i = 0;  // of an integer beyond int64: wrapped around, while f keeps its size
  double f = 0, imag = 0;

  Scalar() = default;
  Scalar(bool v) : category(Category::Bool), i(v), f(v) {}
  Scalar(int64_t v) : category(Category::Integer), i(v), f(double(v)) {}
  Scalar(int v) : Scalar(int64_t(v)) {}
  // A conversion out of range is undefined in C++; integers read `i` only where checked.
  Scalar(double v)
      : category(Category::Floating), i(v > -9e18 && v < 9e18 ? int64_t(v) : 0), f(v) {}
  Scalar(std::complex<double> v)
      : category(Category::Complex), i(int64_t(v.real())), f(v.real()), imag(v.imag()) {}

  bool truth() const { return category <= Category::Integer ? i != 0 : f != 0 || imag != 0; }
  bool is_zero() const { return !truth(); }
  bool equals(double x) const { return imag == 0 && f == x; }
  double real() const { return f; }
};

// Writes a number as one element of a type.
inline void store_scalar(void* p, int dtype, const Scalar& s) {
  bool whole = s.category <= Category::Integer;
  int64_t i = s.i;
  switch (dtype) {
    case FB_BOOL:
      *static_cast<uint8_t*>(p) = s.truth();
      break;
    case FB_UINT8:
      *static_cast<uint8_t*>(p) = uint8_t(i);
      break;
    case FB_INT8:
      *static_cast<int8_t*>(p) = int8_t(i);
      break;
    case FB_INT16:
      *static_cast<int16_t*>(p) = int16_t(i);
      break;
    case FB_INT32:
      *static_cast<int32_t*>(p) = int32_t(i);
      break;
    case FB_INT64:
      *static_cast<int64_t*>(p) = i;
      break;
    case FB_UINT16:
      *static_cast<uint16_t*>(p) = uint16_t(i);
      break;
    case FB_UINT32:
      *static_cast<uint32_t*>(p) = uint32_t(i);
      break;
    case FB_UINT64:
      *static_cast<int64_t*>(p) = i;
      break;
    case FB_FLOAT16:
      *static_cast<uint16_t*>(p) = float_to_float16(float(s.f));
      break;
    case FB_BFLOAT16:
      *static_cast<uint16_t*>(p) = float_to_bfloat16(float(s.f));
      break;
    case FB_FLOAT32:
      *static_cast<float*>(p) = whole ? float(i) : float(s.f);
      break;
    case FB_FLOAT64:
      *static_cast<double*>(p) = whole ? double(i) : s.f;
      break;
    case FB_COMPLEX64: {
      auto c = static_cast<float*>(p);
      c[0] = float(s.f), c[1] = float(s.imag);
      break;
    }
    case FB_COMPLEX128: {
      auto c = static_cast<double*>(p);
      c[0] = s.f, c[1] = s.imag;
      break;
    }
    case FB_COMPLEX32: {
      auto c = static_cast<uint16_t*>(p);
      c[0] = float_to_float16(float(s.f)), c[1] = float_to_float16(float(s.imag));
      break;
    }
    default:
      break;
  }
}

inline Scalar load_scalar(const void* p, int dtype) {
  switch (dtype) {
    case FB_BOOL:
      return Scalar(*static_cast<const uint8_t*>(p) != 0);
    case FB_UINT8:
      return Scalar(int64_t(*static_cast<const uint8_t*>(p)));
    case FB_INT8:
      return Scalar(int64_t(*static_cast<const int8_t*>(p)));
    case FB_INT16:
      return Scalar(int64_t(*static_cast<const int16_t*>(p)));
    case FB_INT32:
      return Scalar(int64_t(*static_cast<const int32_t*>(p)));
    case FB_INT64:
      return Scalar(*static_cast<const int64_t*>(p));
    case FB_UINT16:
      return Scalar(int64_t(*static_cast<const uint16_t*>(p)));
    case FB_UINT32:
      return Scalar(int64_t(*static_cast<const uint32_t*>(p)));
    case FB_UINT64: {
      Scalar s(*static_cast<const int64_t*>(p));
      s.f = double(*static_cast<const uint64_t*>(p));
      return s;
    }
    case FB_FLOAT16:
      return Scalar(double(float16_to_float(*static_cast<const uint16_t*>(p))));
    case FB_BFLOAT16:
      return Scalar(double(bfloat16_to_float(*static_cast<const uint16_t*>(p))));
    case FB_FLOAT32:
      return Scalar(double(*static_cast<const float*>(p)));
    case FB_FLOAT64:
      return Scalar(*static_cast<const double*>(p));
    case FB_COMPLEX64: {
      auto c = static_cast<const float*>(p);
      return Scalar(std::complex<double>(c[0], c[1]));
    }
    case FB_COMPLEX32: {
      auto c = static_cast<const uint16_t*>(p);
      return Scalar(std::complex<double>(float16_to_float(c[0]), float16_to_float(c[1])));
    }
    default: {
      auto c = static_cast<const double*>(p);
      return Scalar(std::complex<double>(c[0], c[1]));
    }
  }
}

}  // namespace flambeau
