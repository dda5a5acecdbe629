#include "dispatch/promotion.h"

#include <algorithm>

#include "base/error.h"

namespace flambeau {
namespace {

DType default_float = FB_FLOAT32;

// A lower category yields to a higher one; the higher keeps its own width.
int combine(int higher, int lower) {
  if (higher < 0) return lower;
  if (lower < 0) return higher;
  if (info(lower).category <= info(higher).category) return higher;
  return is_floating(higher) ? complex_dtype(DType(higher)) : promote(DType(higher), DType(lower));
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  Category ca = info(a).category, cb = info(b).category;
  if (ca < cb) {
    std::swap(a, b);
    std::swap(ca, cb);
  }
  if (ca == Category::Complex) {
    const DType parts = promote(real_dtype(a), real_dtype(b));
    return parts == FB_FLOAT64 ? FB_COMPLEX128 : parts == FB_FLOAT16 ? FB_COMPLEX32 : FB_COMPLEX64;
  }
  if (ca != cb) return a;
  if (ca == Category::Floating)
    return (a == FB_FLOAT16 && b == FB_BFLOAT16) || (a == FB_BFLOAT16 && b == FB_FLOAT16)
               ? FB_FLOAT32
               : std::max(a, b);
  if (is_wide_unsigned(a) || is_wide_unsigned(b))
    fail(ErrorKind::Runtime, "promotion of %s and %s is not supported", dtype_name(a),
         dtype_name(b));
  // uint8 and int8 need int16; otherwise the wider integer holds the other.
  if (std::min(a, b) == FB_UINT8 && std::max(a, b) == FB_INT8) return FB_INT16;
  return std::max(a, b);
}

bool can_cast(DType from, DType to) {
  if (info(from).category == Category::Complex) return is_complex(to);
  if (info(from).category == Category::Floating) return is_differentiable(to);
  return !(info(from).category == Category::Integer && to == FB_BOOL);
}

DType default_dtype() { return default_float; }
void set_default_dtype(DType d) { default_float = d; }

DType ResultType::get() const {
  int r = combine(combine(dimensioned_, scalar_), number_);
  return r < 0 ? default_float : DType(r);
}

}  // namespace flambeau
