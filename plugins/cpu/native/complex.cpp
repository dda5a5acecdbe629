// Elementwise functions of complex numbers. Copies, fills and choices are with the other
// dtypes, which they only move.
#include <cmath>

#include "binary_kernel.h"
#include "complex_number.h"
#include "unary_kernel.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// -- one input ----------------------------------------------------------------------------------

#define COMPLEX_UNARY(Name, expression) \
  struct Name : Plain {                 \
    using Plain::Plain;                 \
    template <class C>                  \
    auto operator()(C x) const {        \
      using T = typename C::value_type; \
      (void)sizeof(T);                  \
      return expression;                \
    }                                   \
  };
COMPLEX_UNARY(Negate, -x)
COMPLEX_UNARY(Conjugate, std::conj(x))
COMPLEX_UNARY(Square, product(x, x))
COMPLEX_UNARY(Reciprocal, quotient(C(1), x))
COMPLEX_UNARY(SquareRoot, std::sqrt(x))
COMPLEX_UNARY(ReciprocalRoot, quotient(C(1), std::sqrt(x)))
COMPLEX_UNARY(Exp, std::exp(x))
COMPLEX_UNARY(Exp2, std::exp(x* T(0.69314718055994530942)))
COMPLEX_UNARY(Expm1, std::exp(x) - T(1))
COMPLEX_UNARY(Log, std::log(x))
COMPLEX_UNARY(Log2, std::log(x) / T(0.69314718055994530942))
COMPLEX_UNARY(Log10, std::log10(x))
COMPLEX_UNARY(Log1p, std::log(x + T(1)))
COMPLEX_UNARY(Sin, std::sin(x))
COMPLEX_UNARY(Cos, std::cos(x))
COMPLEX_UNARY(Tan, std::tan(x))
COMPLEX_UNARY(Sinh, std::sinh(x))
COMPLEX_UNARY(Cosh, std::cosh(x))
COMPLEX_UNARY(Tanh, std::tanh(x))
COMPLEX_UNARY(Asin, std::asin(x))
COMPLEX_UNARY(Acos, std::acos(x))
COMPLEX_UNARY(Atan, std::atan(x))
COMPLEX_UNARY(Asinh, std::asinh(x))
COMPLEX_UNARY(Acosh, std::acosh(x))
COMPLEX_UNARY(Atanh, std::atanh(x))
COMPLEX_UNARY(Sigmoid, quotient(C(1), C(1) + std::exp(-x)))
COMPLEX_UNARY(Silu, product(x, quotient(C(1), C(1) + std::exp(-x))))
// The unit number of the same direction.
COMPLEX_UNARY(Sign, x == C(0) ? C(0) : C(x / std::abs(x)))
// Real results.
COMPLEX_UNARY(Absolute, std::abs(x))
COMPLEX_UNARY(Angle, std::arg(x))
// Tests.
COMPLEX_UNARY(LogicalNot, x == C(0))
COMPLEX_UNARY(IsNan, std::isnan(x.real()) || std::isnan(x.imag()))
COMPLEX_UNARY(IsInf, std::isinf(x.real()) || std::isinf(x.imag()))
COMPLEX_UNARY(IsFinite, std::isfinite(x.real()) && std::isfinite(x.imag()))
#undef COMPLEX_UNARY

template <class Op>
struct RealUnary {
  template <class C>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return run_unary<C>(unary_block<C, typename C::value_type, Op>, 8, out, in, params);
    }
  };
};

// -- two inputs ---------------------------------------------------------------------------------

#define COMPLEX_BINARY(Name, expression) \
  struct Name : Plain {                  \
    using Plain::Plain;                  \
    template <class C>                   \
    auto operator()(C a, C b) const {    \
      return expression;                 \
    }                                    \
  };
COMPLEX_BINARY(Add, a + b)
COMPLEX_BINARY(Subtract, a - b)
COMPLEX_BINARY(Multiply, product(a, b))
COMPLEX_BINARY(Divide, quotient(a, b))
COMPLEX_BINARY(Equal, a == b)
COMPLEX_BINARY(NotEqual, a != b)
COMPLEX_BINARY(LogicalAnd, a != C(0) && b != C(0))
COMPLEX_BINARY(LogicalOr, a != C(0) || b != C(0))
COMPLEX_BINARY(LogicalXor, (a != C(0)) != (b != C(0)))
#undef COMPLEX_BINARY

struct Power : Plain {
  using Plain::Plain;
  template <class C>
  C operator()(C a, C b) const {
    if (b == C(0)) return C(1);
    if (b == C(2)) return product(a, a);
    if (a == C(0)) return b.real() > 0 ? C(0) : C(NAN, NAN);
    return std::exp(product(b, std::log(a)));
  }
};

// -- three and four inputs ----------------------------------------------------------------------

// a + b * c, a + value * b * c or a + value * (b / c).
enum class Fused { kAddScaled, kAddCMul, kAddCDiv };

template <Fused kKind>
struct FusedOf {
  template <class C>
  struct Of {
    static void block(void* out, const void* const* in, int64_t n, unsigned, const fb_param*) {
      C* o = static_cast<C*>(out);
      const C* a = static_cast<const C*>(in[0]);
      const C* b = static_cast<const C*>(in[1]);
      const C* c = static_cast<const C*>(in[2]);
      const C* value = static_cast<const C*>(in[3]);
      for (int64_t i = 0; i < n; ++i) {
        if constexpr (kKind == Fused::kAddScaled)
          o[i] = a[i] + product(b[i], c[i]);
        else if constexpr (kKind == Fused::kAddCMul)
          o[i] = a[i] + product(value[i], product(b[i], c[i]));
        else
          o[i] = a[i] + product(value[i], quotient(b[i], c[i]));
      }
    }
    static int run(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
                   const fb_param* params) {
      return run_elementwise({block, 1, 4, false}, out[0], n_in, in, params);
    }
  };
};

template <class Op>
constexpr auto library(const char* id) {
  return complexes<Unary<Op, 32>::template Of>(id);
}

constexpr auto entries =
    complexes<Unary<Negate>::Of>("neg") + complexes<Unary<Conjugate>::Of>("conj_physical") +
    complexes<Unary<Square>::Of>("square") + complexes<Unary<Reciprocal, 4>::Of>("reciprocal") +
    complexes<Unary<Sign, 8>::Of>("sign") + library<SquareRoot>("sqrt") +
    library<ReciprocalRoot>("rsqrt") + library<Exp>("exp") + library<Exp2>("exp2") +
    library<Expm1>("expm1") + library<Log>("log") + library<Log2>("log2") +
    library<Log10>("log10") + library<Log1p>("log1p") + library<Sin>("sin") + library<Cos>("cos") +
    library<Tan>("tan") + library<Sinh>("sinh") + library<Cosh>("cosh") + library<Tanh>("tanh") +
    library<Asin>("asin") + library<Acos>("acos") + library<Atan>("atan") +
    library<Asinh>("asinh") + library<Acosh>("acosh") + library<Atanh>("atanh") +
    library<Sigmoid>("sigmoid") + library<Silu>("silu") +
    complexes<RealUnary<Absolute>::Of>("abs") + complexes<RealUnary<Angle>::Of>("angle") +
    complexes<Test<LogicalNot>::Of>("logical_not") + complexes<Test<IsNan>::Of>("isnan") +
    complexes<Test<IsInf>::Of>("isinf") + complexes<Test<IsFinite>::Of>("isfinite") +
    complexes<Binary<Add>::Of>("add") + complexes<Binary<Subtract>::Of>("sub") +
    complexes<Binary<Multiply, 2>::Of>("mul") + complexes<DearBinary<Divide, 8>::Of>("div") +
    complexes<DearBinary<Power, 64>::Of>("pow") + complexes<Comparison<Equal>::Of>("eq") +
    complexes<Comparison<NotEqual>::Of>("ne") +
    complexes<Comparison<LogicalAnd>::Of>("logical_and") +
    complexes<Comparison<LogicalOr>::Of>("logical_or") +
    complexes<Comparison<LogicalXor>::Of>("logical_xor") +
    complexes<FusedOf<Fused::kAddScaled>::Of>("add_scaled") +
    complexes<FusedOf<Fused::kAddCMul>::Of>("addcmul") +
    complexes<FusedOf<Fused::kAddCDiv>::Of>("addcdiv");

}  // namespace

KernelTable complex_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
