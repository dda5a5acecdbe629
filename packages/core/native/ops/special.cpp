// Special functions and the number-theoretic ones: rows like those of unary.cpp and binary.cpp.
// What is in neither the main namespace nor among the methods is called special_<name>.
#include "ops/special.h"

#include <cmath>
#include <cstring>

#include "ops/binary.h"
#include "ops/elementwise.h"
#include "ops/unary.h"

namespace flambeau {
namespace {

Ref special(const char* name, Tensor* x);
constexpr double kRootTwoPi = 2.50662827463100050242;

// x with ones in place of zeros, for quotients that are replaced there.
Ref divisor(const Ref& x, const Ref& at_zero) { return where(at_zero, Scalar(1.0), x); }

// I1' = I0 - I1 / x, with the limit 1/2 at 0.
Ref i1_gradient(const Ref& g, const Ref& x) {
  Ref at_zero = binary("eq", x, 0);
  Ref slope = sub(special("i0", x), div(special("i1", x), divisor(x, at_zero)));
  return mul(g, where(at_zero, Scalar(0.5), slope));
}

Ref i1e_gradient(const Ref& g, const Ref& x) {
  Ref at_zero = binary("eq", x, 0);
  Ref rate = add(unary("sign", x), unary("reciprocal", divisor(x, at_zero)));
  Ref slope = sub(special("i0e", x), mul(special("i1e", x), rate));
  return mul(g, where(at_zero, Scalar(0.5), slope));
}

UnaryRow unary_rows[] = {
    {"entr", UnaryType::Floating, Keep::Input, "SpecialEntrBackward0",
     [](const Ref& g, const Ref& x) { return mul(g, sub(neg(log(x)), 1)); }},
    {"erfcx", UnaryType::Floating, Keep::Input, "SpecialErfcxBackward0",
     [](const Ref& g, const Ref& x) {
       return mul(g, sub(mul(mul(x, special("erfcx", x)), 2), M_2_SQRTPI));
     }},
    {"ndtri", UnaryType::Floating, Keep::Output, "SpecialNdtriBackward0",
     [](const Ref& g, const Ref& y) {
       return mul(g, mul(exp(mul(unary("square", y), 0.5)), kRootTwoPi));
     }},
    {"i0", UnaryType::Floating, Keep::Input, "I0Backward0",
     [](const Ref& g, const Ref& x) { return mul(g, special("i1", x)); }},
    {"i0e", UnaryType::Floating, Keep::Input, "SpecialI0EBackward0",
     [](const Ref& g, const Ref& x) {
       return mul(g, sub(special("i1e", x), mul(unary("sign", x), special("i0e", x))));
     }},
    {"i1", UnaryType::Floating, Keep::Input, "SpecialI1Backward0", i1_gradient},
    {"i1e", UnaryType::Floating, Keep::Input, "SpecialI1EBackward0", i1e_gradient},
    {"scaled_modified_bessel_k0", UnaryType::Floating, Keep::Nothing, nullptr, nullptr},
    {"scaled_modified_bessel_k1", UnaryType::Floating, Keep::Nothing, nullptr, nullptr},
    {"bessel_j0", UnaryType::Floating, Keep::Nothing, nullptr, nullptr},
    {"bessel_j1", UnaryType::Floating, Keep::Nothing, nullptr, nullptr},
    {"bessel_y0", UnaryType::Floating, Keep::Nothing, nullptr, nullptr},
    {"bessel_y1", UnaryType::Floating, Keep::Nothing, nullptr, nullptr},
    {"airy_ai", UnaryType::Floating, Keep::Nothing, nullptr, nullptr},
};

Ref special(const char* name, Tensor* x) {
  for (const UnaryRow& r : unary_rows)
    if (!std::strcmp(r.name, name)) return unary(r, x);
  fail(ErrorKind::Runtime, "no special function named %s", name);
}

[[noreturn]] void no_derivative(const char* of) {
  fail(ErrorKind::NotImplemented, "the derivative for '%s' is not implemented.", of);
}

// The density of the gamma distribution of shape a, which is igamma's derivative by x.
Ref gamma_density(const Given& v) {
  Ref power = binary("xlogy", sub(v.a, 1), v.b);
  return exp(sub(sub(power, v.b), unary("lgamma", v.a.t)));
}

Ref zeta_gradient(const Given& v) {
  if (v.a.t) return mul(v.g, neg(mul(v.a, zeta(add(v.a, 1), v.b))));
  return mul(v.g, mul(zeta(Scalar(v.a.s.f + 1), v.b), Scalar(-v.a.s.f)));
}

BinaryRow binary_rows[] = {
    {"gcd", BinaryType::Bits, nullptr, false, false, false, nullptr, nullptr},
    {"lcm", BinaryType::Bits, nullptr, false, false, false, nullptr, nullptr},
    {"igamma", BinaryType::Arithmetic, "IgammaBackward0", true, true, false,
     [](const Given&) -> Ref { no_derivative("igamma: input"); },
     [](const Given& v) { return mul(v.g, gamma_density(v)); }},
    {"igammac", BinaryType::Arithmetic, "IgammacBackward0", true, true, false,
     [](const Given&) -> Ref { no_derivative("igammac: input"); },
     [](const Given& v) { return mul(v.g, neg(gamma_density(v))); }},
    {"zeta", BinaryType::Floating, "SpecialZetaBackward0", true, true, false,
     [](const Given&) -> Ref { no_derivative("zeta"); }, zeta_gradient},
    {"xlog1py", BinaryType::Floating, "SpecialXlog1PyBackward0", true, true, false,
     [](const Given& v) {
       Ref zero_log = binary("logical_and", binary("eq", v.a, 0), binary("le", v.b, -1));
       return mul(v.g, where(zero_log, Scalar(0.0), unary("log1p", mul(v.b, 1.0))));
     },
     [](const Given& v) { return mul(v.g, div(v.a, add(v.b, 1))); }},
    {"chebyshev_polynomial_t", BinaryType::Floating, nullptr, false, false, false, nullptr,
     nullptr},
    {"chebyshev_polynomial_u", BinaryType::Floating, nullptr, false, false, false, nullptr,
     nullptr},
    {"chebyshev_polynomial_v", BinaryType::Floating, nullptr, false, false, false, nullptr,
     nullptr},
    {"chebyshev_polynomial_w", BinaryType::Floating, nullptr, false, false, false, nullptr,
     nullptr},
    {"hermite_polynomial_h", BinaryType::Floating, nullptr, false, false, false, nullptr, nullptr},
    {"hermite_polynomial_he", BinaryType::Floating, nullptr, false, false, false, nullptr, nullptr},
    {"laguerre_polynomial_l", BinaryType::Floating, nullptr, false, false, false, nullptr, nullptr},
    {"legendre_polynomial_p", BinaryType::Floating, nullptr, false, false, false, nullptr, nullptr},
};

bool is_main(const std::string& name) {
  return name == "i0" || name == "igamma" || name == "igammac" || name == "gcd" || name == "lcm";
}

}  // namespace

Ref zeta(const Operand& s, const Operand& q) {
  static const BinaryRow& row = *[] {
    for (const BinaryRow& r : binary_rows)
      if (!std::strcmp(r.name, "zeta")) return &r;
    return static_cast<const BinaryRow*>(nullptr);
  }();
  return binary(row, s, q);
}

Ref trigamma(const Ref& x) {
  Ref at_infinity = binary("eq", x, Scalar(HUGE_VAL));
  return where(at_infinity, Scalar(0.0), zeta(2, x));
}

void declare_special() {
  for (UnaryRow& r : unary_rows) {
    r.kernel = find_kernel_id(r.name);
    std::string name = r.name;
    // PyTorch's names of the arguments, too.
    bool is_x = name == "airy_ai" || name.compare(0, 7, "scaled_") == 0;
    std::string arguments = is_x ? "(Tensor x)" : "(Tensor self)";
    if (is_main(name))
      declare(name + arguments, run_unary, kElementwise, &r);
    else
      declare("special_" + name + arguments, run_unary, kOut | kPointwise, &r);
  }
  for (BinaryRow& r : binary_rows) {
    r.kernel = find_kernel_id(r.name);
    std::string name = r.name;
    bool polynomial = name.find("polynomial") != std::string::npos;
    if (is_main(name))
      declare(name + "(Tensor self, Tensor other)", run_binary, kElementwise, &r);
    else
      declare("special_" + name +
                  (polynomial ? "(Operand x, Operand n)" : "(Operand self, Operand other)"),
              run_binary, kOut | kPointwise, &r);
  }
}

}  // namespace flambeau
