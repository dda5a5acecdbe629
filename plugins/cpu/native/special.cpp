// Elementwise functions without a vector form: they go through the C library, an element at
// a time, and are compiled once.
#include <cmath>

#include "binary_kernel.h"
#include "entries.h"
#include "unary_kernel.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

#define LIBRARY_UNARY(Name, function)                            \
  struct Name : Plain {                                          \
    using Plain::Plain;                                          \
    float operator()(float x) const { return ::function##f(x); } \
    double operator()(double x) const { return ::function(x); }  \
  };
LIBRARY_UNARY(Exp2, exp2)
LIBRARY_UNARY(Log2, log2)
LIBRARY_UNARY(Log10, log10)
LIBRARY_UNARY(Tan, tan)
LIBRARY_UNARY(Asin, asin)
LIBRARY_UNARY(Acos, acos)
LIBRARY_UNARY(Atan, atan)
LIBRARY_UNARY(Sinh, sinh)
LIBRARY_UNARY(Cosh, cosh)
LIBRARY_UNARY(Asinh, asinh)
LIBRARY_UNARY(Acosh, acosh)
LIBRARY_UNARY(Atanh, atanh)
LIBRARY_UNARY(Erf, erf)
LIBRARY_UNARY(Erfc, erfc)
#undef LIBRARY_UNARY

#define LIBRARY_BINARY(Name, function)                                       \
  struct Name : Plain {                                                      \
    using Plain::Plain;                                                      \
    float operator()(float a, float b) const { return ::function##f(a, b); } \
    double operator()(double a, double b) const { return ::function(a, b); } \
  };
LIBRARY_BINARY(Fmod, fmod)
LIBRARY_BINARY(Atan2, atan2)
LIBRARY_BINARY(Hypot, hypot)
LIBRARY_BINARY(NextAfter, nextafter)
#undef LIBRARY_BINARY

inline float16 narrowed(float x, float16) { return to_float16(x); }
inline bfloat16 narrowed(float x, bfloat16) { return to_bfloat16(x); }

// A half is computed with as a float, but its neighbours are halves: one step in its own bits.
template <class Half>
struct NextHalf : Plain {
  using Plain::Plain;
  float operator()(float a, float b) const {
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    Half step = narrowed(a, Half{});
    if (a == 0)
      step.bits = b > 0 ? 1 : 0x8001;
    else
      step.bits += (b > a) == (a > 0) ? 1 : -1;
    return to_float(step);
  }
};

// Of a real number: pi where it is negative.
struct Angle : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T x) const {
    return x != x ? x : x < T(0) ? T(3.14159265358979323846) : T(0);
  }
};

// -- Python's division on floating numbers ---------------------------------------------------

// The remainder has the divisor's sign.
struct Remainder : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    const T r = static_cast<T>(::fmod(a, b));
    return (r != T(0)) & ((r < T(0)) != (b < T(0))) ? r + b : r;
  }
};

// The quotient of what the remainder leaves, rounded to the whole number that it is.
struct DivideFloor : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    if (b == T(0)) return a / b;
    const T r = static_cast<T>(::fmod(a, b));
    T quotient = (a - r) / b;
    if ((r != T(0)) & ((r < T(0)) != (b < T(0)))) quotient -= T(1);
    if (quotient == T(0)) return static_cast<T>(::copysign(0.0, a / b));
    const T whole = static_cast<T>(::floor(quotient));
    return quotient - whole > T(0.5) ? whole + T(1) : whole;
  }
};

template <class Half>
constexpr Entries<1> next_half(fb_dtype half) {
  return {{{"nextafter", bit(half), DearBinary<NextHalf<Half>, 4>::template Of<Half>::run}}};
}

// Only float64: float32 and the halves have vector forms.
template <template <class> class Maker>
constexpr Entries<1> doubles(const char* id) {
  return {{{id, bit(FB_FLOAT64), Maker<double>::run}}};
}

template <class Op>
constexpr auto library(const char* id) {
  return floats<Unary<Op, 16>::template Of>(id);
}

constexpr auto entries =
    doubles<Unary<Exp2, 6>::Of>("exp2") + doubles<Unary<Log2, 6>::Of>("log2") +
    doubles<Unary<Log10, 6>::Of>("log10") + doubles<Unary<Erf, 8>::Of>("erf") +
    library<Tan>("tan") + library<Asin>("asin") + library<Acos>("acos") + library<Atan>("atan") +
    library<Sinh>("sinh") + library<Cosh>("cosh") + library<Asinh>("asinh") +
    library<Acosh>("acosh") + library<Atanh>("atanh") + library<Erfc>("erfc") +
    floats<Unary<Angle>::Of>("angle") + floats<DearBinary<Fmod>::Of>("fmod") +
    floats<DearBinary<Remainder>::Of>("remainder") +
    floats<DearBinary<DivideFloor>::Of>("div_floor") + floats<DearBinary<Atan2>::Of>("atan2") +
    floats<DearBinary<Hypot>::Of>("hypot") +
    single_double<DearBinary<NextAfter, 2>::Of>("nextafter") + next_half<float16>(FB_FLOAT16) +
    next_half<bfloat16>(FB_BFLOAT16);

}  // namespace

KernelTable special_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
