// Elementwise functions of two inputs that have a vector form; the others are in
// special.cpp and integer_division.cpp. Integers wrap.
#include <cmath>
#include <type_traits>

#include "binary_kernel.h"
#include "entries.h"
#include "vector_math.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// Unsigned arithmetic wide enough not to be promoted to int.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

#define ARITHMETIC(Name, operation, boolean_operation)                                            \
  struct Name : Plain {                                                                           \
    using Plain::Plain;                                                                           \
    bool operator()(bool a, bool b) const { return a boolean_operation b; }                       \
    template <class T>                                                                            \
    T operator()(T a, T b) const {                                                                \
      if constexpr (std::is_integral_v<T>)                                                        \
        return static_cast<T>(static_cast<Wrapping<T>>(a) operation static_cast<Wrapping<T>>(b)); \
      else                                                                                        \
        return a operation b;                                                                     \
    }                                                                                             \
  };
ARITHMETIC(Add, +, |)
ARITHMETIC(Subtract, -, ^)
ARITHMETIC(Multiply, *, &)
#undef ARITHMETIC

struct Divide : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return a / b;
  }
};

struct DivideTruncating : Plain {
  using Plain::Plain;
  float operator()(float a, float b) const { return __builtin_truncf(a / b); }
  double operator()(double a, double b) const { return __builtin_trunc(a / b); }
};

// -- extremes: maximum and minimum give NaN where either is, fmax and fmin only where both are

struct Maximum : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return (a > b) | (a != a) ? a : b;
  }
};

struct Minimum : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return (a < b) | (a != a) ? a : b;
  }
};

struct NumberMaximum : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return (a > b) | (b != b) ? a : b;
  }
};

struct NumberMinimum : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return (a < b) | (b != b) ? a : b;
  }
};

struct CopySign : Plain {
  using Plain::Plain;
  float operator()(float a, float b) const { return __builtin_copysignf(a, b); }
  double operator()(double a, double b) const { return __builtin_copysign(a, b); }
};

// -- bits -----------------------------------------------------------------------------------

#define BITWISE(Name, operation)            \
  struct Name : Plain {                     \
    using Plain::Plain;                     \
    template <class T>                      \
    T operator()(T a, T b) const {          \
      return static_cast<T>(a operation b); \
    }                                       \
  };
BITWISE(BitwiseAnd, &)
BITWISE(BitwiseOr, |)
BITWISE(BitwiseXor, ^)
#undef BITWISE

// Counts outside the type's width push every bit out.
struct ShiftLeft : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T count) const {
    constexpr T kWidth = 8 * sizeof(T);
    const bool inside = (count >= T(0)) & (count < kWidth);
    return inside ? static_cast<T>(static_cast<Wrapping<T>>(a) << (inside ? count : 0)) : T(0);
  }
};

struct ShiftRight : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T count) const {
    constexpr T kLast = 8 * sizeof(T) - 1;
    const bool inside = (count >= T(0)) & (count <= kLast);
    if constexpr (std::is_unsigned_v<T>)
      return inside ? static_cast<T>(a >> count) : T(0);
    else
      return static_cast<T>(a >> (inside ? count : kLast));
  }
};

// -- powers and logarithms ------------------------------------------------------------------

// b log a in double: float results are exact to the last bit but one. Lanes where the
// logarithm does not serve go through the C library.
struct PowerVector : Plain {
  using Plain::Plain;
  vf operator()(vf a, vf b) const {
    const vi regular = (a > 0.0f) & (a < kInfinity) & (vabs(b) < kInfinity);
    if (__builtin_expect(any_lane(~regular), 0)) {
      float x[kLanes<vf>], y[kLanes<vf>];
      store(x, a);
      store(y, b);
      for (int i = 0; i < kLanes<vf>; ++i) x[i] = ::powf(x[i], y[i]);
      return load(x);
    }
    return narrow(vexp(widen_low(b) * vlog(widen_low(a))),
                  vexp(widen_high(b) * vlog(widen_high(a))));
  }
};

struct PowerDouble : Plain {
  using Plain::Plain;
  double operator()(double a, double b) const { return ::pow(a, b); }
};

struct Cube : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T) const {
    return a * a * a;
  }
};

struct FirstSquared : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T) const {
    return a * a;
  }
};

struct FirstRoot : Plain {
  using Plain::Plain;
  float operator()(float a, float) const { return __builtin_sqrtf(a); }
  double operator()(double a, double) const { return __builtin_sqrt(a); }
};

struct FirstReciprocal : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T) const {
    return T(1) / a;
  }
};

// The exponent where there is one for all elements; NaN otherwise.
double common_exponent(const fb_array* b) {
  if (!is_host_scalar(b) && b->numel != 1) return __builtin_nan("");
  switch (b->dtype) {
    case FB_FLOAT32:
      return *static_cast<const float*>(b->data);
    case FB_FLOAT64:
      return *static_cast<const double*>(b->data);
    case FB_FLOAT16:
      return to_float(*static_cast<const float16*>(b->data));
    case FB_BFLOAT16:
      return to_float(*static_cast<const bfloat16*>(b->data));
    default:
      return __builtin_nan("");
  }
}

template <class T>
struct Power {
  static int run(void* ctx, int n_out, fb_array* const* out, int n_in, const fb_array* const* in,
                 const fb_param* params) {
    const double exponent = common_exponent(in[1]);
    fb_kernel kernel;
    if (exponent == 2)
      kernel = Binary<FirstSquared>::Of<T>::run;
    else if (exponent == 3)
      kernel = Binary<Cube>::Of<T>::run;
    else if (exponent == 0.5)
      kernel = Binary<FirstRoot, 2>::Of<T>::run;
    else if (exponent == -1)
      kernel = Binary<FirstReciprocal, 2>::Of<T>::run;
    else if constexpr (sizeof(T) == 8)
      kernel = DearBinary<PowerDouble, 30>::Of<T>::run;
    else
      kernel = VectorBinary<PowerVector, 12>::Of<T>::run;
    return kernel(ctx, n_out, out, n_in, in, params);
  }
};

struct LogAddExp : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V a, V b) const {
    const V larger = (a > b) | (a != a) ? a : b;
    // Equal infinities have no difference.
    const V y = larger + vlog1p(vexp(-vabs(a - b)));
    return (a == b) & (vabs(a) == Element<V>(kInfinity)) ? a : y;
  }
};

struct XLogY : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V a, V b) const {
    return (a == V{}) & (b == b) ? V{} : a * vlog(b);
  }
};

template <class Op>
constexpr auto arithmetic(const char* id) {
  return floats<Binary<Op>::template Of>(id) + unsigned_integers<Binary<Op>::template Of>(id) +
         boolean<Binary<Op>::template Of>(id);
}

template <class Op>
constexpr auto bitwise(const char* id) {
  return unsigned_integers<Binary<Op>::template Of>(id) + boolean<Binary<Op>::template Of>(id);
}

template <class Op>
constexpr auto extreme(const char* id) {
  return floats<Binary<Op>::template Of>(id) + integers<Binary<Op>::template Of>(id) +
         boolean<Binary<Op>::template Of>(id);
}

constexpr auto entries =
    arithmetic<Add>("add") + arithmetic<Subtract>("sub") + arithmetic<Multiply>("mul") +
    floats<Binary<Divide, 2>::Of>("div") + floats<Binary<DivideTruncating, 2>::Of>("div_trunc") +
    extreme<Maximum>("maximum") + extreme<Minimum>("minimum") +
    floats<Binary<NumberMaximum>::Of>("fmax") + integers<Binary<Maximum>::Of>("fmax") +
    floats<Binary<NumberMinimum>::Of>("fmin") + integers<Binary<Minimum>::Of>("fmin") +
    floats<Binary<CopySign>::Of>("copysign") + bitwise<BitwiseAnd>("bitwise_and") +
    bitwise<BitwiseOr>("bitwise_or") + bitwise<BitwiseXor>("bitwise_xor") +
    integers<Binary<ShiftLeft>::Of>("lshift") + integers<Binary<ShiftRight>::Of>("rshift") +
    floats<Power>("pow") + floats<VectorBinary<LogAddExp, 16>::Of>("logaddexp") +
    floats<VectorBinary<XLogY>::Of>("xlogy");

}  // namespace

KernelTable binary_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
