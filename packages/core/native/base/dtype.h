// Element types: their names, sizes and categories.
#pragma once

#include <flambeau/backend.h>

#include <cstdint>

namespace flambeau {

using DType = fb_dtype;

// Ordered so that a higher category wins in type promotion.
enum class Category : uint8_t { Bool, Integer, Floating, Complex };

struct DTypeInfo {
  const char* name;
  uint8_t itemsize;
  Category category;
  const char* legacy_name;  // as error messages and legacy tensor types spell it
};

inline constexpr DTypeInfo dtype_table[FB_DTYPE_COUNT] = {
    {"bool", 1, Category::Bool, "Bool"},
    {"uint8", 1, Category::Integer, "Byte"},
    {"int8", 1, Category::Integer, "Char"},
    {"int16", 2, Category::Integer, "Short"},
    {"int32", 4, Category::Integer, "Int"},
    {"int64", 8, Category::Integer, "Long"},
    {"float16", 2, Category::Floating, "Half"},
    {"bfloat16", 2, Category::Floating, "BFloat16"},
    {"float32", 4, Category::Floating, "Float"},
    {"float64", 8, Category::Floating, "Double"},
    {"complex64", 8, Category::Complex, "ComplexFloat"},
    {"complex128", 16, Category::Complex, "ComplexDouble"},
    {"complex32", 4, Category::Complex, "ComplexHalf"},
    {"uint16", 2, Category::Integer, "UInt16"},
    {"uint32", 4, Category::Integer, "UInt32"},
    {"uint64", 8, Category::Integer, "UInt64"},
};

constexpr const DTypeInfo& info(int d) { return dtype_table[d]; }
constexpr int64_t itemsize(int d) { return dtype_table[d].itemsize; }
constexpr const char* dtype_name(int d) { return dtype_table[d].name; }
constexpr bool is_floating(int d) { return dtype_table[d].category == Category::Floating; }
constexpr bool is_complex(int d) { return dtype_table[d].category == Category::Complex; }
constexpr bool is_integral(int d) { return dtype_table[d].category == Category::Integer; }
constexpr bool is_wide_unsigned(int d) { return d >= FB_UINT16 && d <= FB_UINT64; }
constexpr bool is_unsigned(int d) { return d == FB_UINT8 || is_wide_unsigned(d); }
// Whether kernels are given another type in its place.
constexpr bool only_in_memory(int d) { return d >= FB_COMPLEX32; }
// The signed type of a wide unsigned type's size.
constexpr DType signed_twin(int d) {
  return d == FB_UINT16 ? FB_INT16 : d == FB_UINT32 ? FB_INT32 : FB_INT64;
}
constexpr bool is_differentiable(int d) { return dtype_table[d].category >= Category::Floating; }

// The real type of a complex type's parts; any other type itself.
constexpr DType real_dtype(DType d) {
  return d == FB_COMPLEX64    ? FB_FLOAT32
         : d == FB_COMPLEX128 ? FB_FLOAT64
         : d == FB_COMPLEX32  ? FB_FLOAT16
                              : d;
}
// The type that complex results of a real type are computed in.
constexpr DType complex_dtype(DType d) { return d == FB_FLOAT64 ? FB_COMPLEX128 : FB_COMPLEX64; }

}  // namespace flambeau
