// Elementwise functions of one input. What is rare or has no vector form is in special.cpp.
#include <cmath>
#include <type_traits>

#include "entries.h"
#include "unary_kernel.h"
#include "vector_math.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

// -- arithmetic ------------------------------------------------------------------------------

struct Negate : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(0u - static_cast<Unsigned<T>>(x));
    else
      return -x;
  }
};

struct Absolute : Plain {
  using Plain::Plain;
  float operator()(float x) const { return __builtin_fabsf(x); }
  double operator()(double x) const { return __builtin_fabs(x); }
  template <class T>
  T operator()(T x) const {
    return x < T(0) ? static_cast<T>(0u - static_cast<Unsigned<T>>(x)) : x;
  }
};

struct Sign : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(static_cast<T>(x > T(0)) - static_cast<T>(x < T(0)));
  }
};

struct Square : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_integral_v<T>) {
      const uint64_t wide = static_cast<uint64_t>(x);
      return static_cast<T>(wide * wide);
    } else {
      return x * x;
    }
  }
};

struct Reciprocal : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T x) const {
    return T(1) / x;
  }
};

struct SquareRoot : Plain {
  using Plain::Plain;
  float operator()(float x) const { return __builtin_sqrtf(x); }
  double operator()(double x) const { return __builtin_sqrt(x); }
};

struct ReciprocalRoot : Plain {
  using Plain::Plain;
  float operator()(float x) const { return 1.0f / __builtin_sqrtf(x); }
  double operator()(double x) const { return 1.0 / __builtin_sqrt(x); }
};

struct BitwiseNot : Plain {
  using Plain::Plain;
  bool operator()(bool x) const { return !x; }
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(~x);
  }
};

// -- rounding (integers are whole already) -----------------------------------------------------

#define ROUNDING(Name, function)                                           \
  struct Name : Plain {                                                    \
    using Plain::Plain;                                                    \
    float operator()(float x) const { return __builtin_##function##f(x); } \
    double operator()(double x) const { return __builtin_##function(x); }  \
    template <class T>                                                     \
    T operator()(T x) const {                                              \
      return x;                                                            \
    }                                                                      \
  };
ROUNDING(Floor, floor)
ROUNDING(Ceil, ceil)
ROUNDING(Truncate, trunc)
ROUNDING(Round, rint)
#undef ROUNDING

// -- elementary functions on vectors ------------------------------------------------------------

#define VECTOR_FUNCTION(Name, function) \
  struct Name : Plain {                 \
    using Plain::Plain;                 \
    template <class V>                  \
    V operator()(V x) const {           \
      return function(x);               \
    }                                   \
  };
VECTOR_FUNCTION(Exp, vexp)
VECTOR_FUNCTION(Exp2, vexp2)
VECTOR_FUNCTION(Expm1, vexpm1)
VECTOR_FUNCTION(Log, vlog)
VECTOR_FUNCTION(Log2, vlog2)
VECTOR_FUNCTION(Log10, vlog10)
VECTOR_FUNCTION(Log1p, vlog1p)
VECTOR_FUNCTION(Tanh, vtanh)
VECTOR_FUNCTION(Sigmoid, vsigmoid)
VECTOR_FUNCTION(Erf, verf)
#undef VECTOR_FUNCTION

// Arguments too large for the vector reduction go through the C library.
template <class V, class F>
V lane_by_lane(V x, F function) {
  Element<V> lanes[kLanes<V>];
  store(lanes, x);
  for (Element<V>& lane : lanes) lane = function(lane);
  return load(lanes);
}

struct Sin : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V x) const {
    if (__builtin_expect(any_lane(vabs(x) >= Element<V>(kTrigonometricLimit)), 0))
      return lane_by_lane(x, [](double lane) { return static_cast<Element<V>>(::sin(lane)); });
    return vsin(x);
  }
};

struct Cos : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V x) const {
    if (__builtin_expect(any_lane(vabs(x) >= Element<V>(kTrigonometricLimit)), 0))
      return lane_by_lane(x, [](double lane) { return static_cast<Element<V>>(::cos(lane)); });
    return vcos(x);
  }
};

// -- activations ------------------------------------------------------------------------------

struct Relu : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T x) const {
    return x <= T(0) ? T(0) : x;
  }
};

struct LeakyRelu {
  double slope;
  explicit LeakyRelu(const fb_param* params) : slope(params[0].f) {}
  template <class T>
  T operator()(T x) const {
    return x > T(0) ? x : x * static_cast<T>(slope);
  }
};

struct Silu : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V x) const {
    return x * vsigmoid(x);
  }
};

struct GeluErf : Plain {
  using Plain::Plain;
  vf operator()(vf x) const { return x * normal_parts(x).cdf; }
};

// (1 + tanh(u)) / 2 is sigmoid(2u).
struct GeluTanh : Plain {
  using Plain::Plain;
  template <class V>
  V operator()(V x) const {
    using T = Element<V>;
    const V u = x * (x * x * T(0.044715) + T(1)) * T(2 * 0.79788456080286535588);
    return x * vsigmoid(u);
  }
};

struct Softplus {
  double beta, threshold;
  explicit Softplus(const fb_param* params) : beta(params[0].f), threshold(params[1].f) {}
  template <class V>
  V operator()(V x) const {
    using T = Element<V>;
    const V z = x * static_cast<T>(beta);
    const V y = ((z > V{} ? z : V{}) + vlog1p(vexp(-vabs(z)))) / static_cast<T>(beta);
    return z > static_cast<T>(threshold) ? x : (z != z ? z : y);
  }
};

struct Elu {
  double alpha, scale, input_scale;
  explicit Elu(const fb_param* params)
      : alpha(params[0].f), scale(params[1].f), input_scale(params[2].f) {}
  template <class V>
  V operator()(V x) const {
    using T = Element<V>;
    const V negative = vexpm1(x * static_cast<T>(input_scale)) * static_cast<T>(alpha);
    return (x > V{} ? x : negative) * static_cast<T>(scale);
  }
};

struct GeluErfDouble : Plain {
  using Plain::Plain;
  double operator()(double x) const { return 0.5 * x * ::erfc(-x * 0.70710678118654752440); }
};

// The first parameter chooses the formula.
template <class T>
struct Gelu {
  static int run(void* ctx, int n_out, fb_array* const* out, int n_in, const fb_array* const* in,
                 const fb_param* params) {
    fb_kernel kernel = VectorUnary<GeluTanh, 8>::Of<T>::run;
    if (!params[0].i) {
      if constexpr (sizeof(T) == 8)
        kernel = Unary<GeluErfDouble, 16>::Of<T>::run;
      else
        kernel = VectorUnary<GeluErf, 8>::Of<T>::run;
    }
    return kernel(ctx, n_out, out, n_in, in, params);
  }
};

template <class Op>
constexpr auto rounding(const char* id) {
  return floats<Unary<Op>::template Of>(id) + integers<Unary<Op>::template Of>(id);
}

// float32 and the halves only.
template <template <class> class Maker>
constexpr Entries<2> singles(const char* id) {
  return {{{id, bit(FB_FLOAT32), Maker<float>::run}, {id, kHalves, Maker<float16>::run}}};
}

constexpr auto entries =
    floats<Unary<Negate>::Of>("neg") + integers<Unary<Negate>::Of>("neg") +
    floats<Unary<Absolute>::Of>("abs") + integers<Unary<Absolute>::Of>("abs") +
    floats<Unary<Sign>::Of>("sign") + integers<Unary<Sign>::Of>("sign") +
    floats<Unary<Square>::Of>("square") + integers<Unary<Square>::Of>("square") +
    floats<Unary<Reciprocal, 2>::Of>("reciprocal") + floats<Unary<SquareRoot, 2>::Of>("sqrt") +
    floats<Unary<ReciprocalRoot, 4>::Of>("rsqrt") + rounding<Floor>("floor") +
    rounding<Ceil>("ceil") + rounding<Truncate>("trunc") + rounding<Round>("round") +
    integers<Unary<BitwiseNot>::Of>("bitwise_not") + boolean<Unary<BitwiseNot>::Of>("bitwise_not") +
    floats<VectorUnary<Exp, 6>::Of>("exp") + singles<VectorUnary<Exp2, 6>::Of>("exp2") +
    floats<VectorUnary<Expm1>::Of>("expm1") + floats<VectorUnary<Log, 6>::Of>("log") +
    singles<VectorUnary<Log2, 6>::Of>("log2") + singles<VectorUnary<Log10, 6>::Of>("log10") +
    floats<VectorUnary<Log1p>::Of>("log1p") + floats<VectorUnary<Sin>::Of>("sin") +
    floats<VectorUnary<Cos>::Of>("cos") + floats<VectorUnary<Tanh>::Of>("tanh") +
    singles<VectorUnary<Erf>::Of>("erf") + floats<VectorUnary<Sigmoid>::Of>("sigmoid") +
    floats<Unary<Relu>::Of>("relu") + integers<Unary<Relu>::Of>("relu") +
    floats<VectorUnary<Silu>::Of>("silu") + floats<Gelu>("gelu") +
    floats<VectorUnary<Softplus, 12>::Of>("softplus") + floats<Unary<LeakyRelu>::Of>("leaky_relu") +
    floats<VectorUnary<Elu>::Of>("elu");

}  // namespace

KernelTable unary_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
