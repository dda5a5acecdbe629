// Elementwise ops of one tensor: a row each, with the gradient beside it.
#include <cmath>
#include <cstring>

#include "ops/elementwise.h"
#include "ops/special.h"
#include "ops/unary.h"

namespace flambeau {
namespace {

using Type = UnaryType;

Ref g_times(const Ref& g, const Ref& factor) { return mul(g, conjugate(factor)); }
Ref zero(const Ref& g, const Ref&) { return zeros_like(g); }
// 1 / sqrt(1 + sign * x^2), the derivative of many inverse functions.
Ref inverse_root(const Ref& x, double one, double sign) {
  return unary("rsqrt", add(mul(unary("square", x), sign), one));
}

// x / |x|, and 0 at 0.
Ref direction(Tensor* x) {
  if (!is_complex(x->dtype())) return unary("sign", x);
  Ref length = unary("abs", x);
  Ref at_zero = binary("eq", length, 0);
  return where(at_zero, Scalar(0.0), div(x, where(at_zero, Scalar(1.0), length)));
}
// The angle of a complex number turns by i x / |x|^2 times its displacement.
Ref angle_gradient(const Ref& g, const Ref& x) {
  if (!is_complex(x->dtype())) return zeros_like(g);
  Ref square = unary("square", unary("abs", x));
  Ref at_zero = binary("eq", square, 0);
  Ref across = mul(x, Operand(Scalar(std::complex<double>(0, 1))));
  return mul(g, where(at_zero, Scalar(0.0), div(across, where(at_zero, Scalar(1.0), square))));
}

UnaryRow rows[] = {
    {"neg", Type::Same, Keep::Nothing, "NegBackward0",
     [](const Ref& g, const Ref&) { return neg(g); }, "negative"},
    {"abs", Type::Same, Keep::Input, "AbsBackward0",
     [](const Ref& g, const Ref& x) { return mul(g, direction(x)); }, "absolute"},
    {"sign", Type::Same, Keep::Nothing, "SignBackward0", zero},
    {"square", Type::Same, Keep::Input, "PowBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, mul(x, 2)); }},
    {"reciprocal", Type::Floating, Keep::Output, "ReciprocalBackward0",
     [](const Ref& g, const Ref& y) { return g_times(g, neg(mul(y, y))); }},
    {"sqrt", Type::Floating, Keep::Output, "SqrtBackward0",
     [](const Ref& g, const Ref& y) { return div(g, conjugate(mul(y, 2))); }},
    {"rsqrt", Type::Floating, Keep::Output, "RsqrtBackward0",
     [](const Ref& g, const Ref& y) { return g_times(g, mul(mul(mul(y, y), y), -0.5)); }},
    {"exp", Type::Floating, Keep::Output, "ExpBackward0", g_times},
    {"exp2", Type::Floating, Keep::Output, "Exp2Backward0",
     [](const Ref& g, const Ref& y) { return g_times(g, mul(y, M_LN2)); }},
    {"expm1", Type::Floating, Keep::Output, "Expm1Backward0",
     [](const Ref& g, const Ref& y) { return g_times(g, add(y, 1)); }},
    {"log", Type::Floating, Keep::Input, "LogBackward0",
     [](const Ref& g, const Ref& x) { return div(g, conjugate(x)); }},
    {"log2", Type::Floating, Keep::Input, "Log2Backward0",
     [](const Ref& g, const Ref& x) { return div(g, conjugate(mul(x, M_LN2))); }},
    {"log10", Type::Floating, Keep::Input, "Log10Backward0",
     [](const Ref& g, const Ref& x) { return div(g, conjugate(mul(x, M_LN10))); }},
    {"log1p", Type::Floating, Keep::Input, "Log1PBackward0",
     [](const Ref& g, const Ref& x) { return div(g, conjugate(add(x, 1))); }},
    {"sin", Type::Floating, Keep::Input, "SinBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, unary("cos", x)); }},
    {"cos", Type::Floating, Keep::Input, "CosBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, neg(unary("sin", x))); }},
    {"tan", Type::Floating, Keep::Output, "TanBackward0",
     [](const Ref& g, const Ref& y) { return g_times(g, add(mul(y, y), 1)); }},
    {"asin", Type::Floating, Keep::Input, "AsinBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, inverse_root(x, 1, -1)); }, "arcsin"},
    {"acos", Type::Floating, Keep::Input, "AcosBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, neg(inverse_root(x, 1, -1))); }, "arccos"},
    {"atan", Type::Floating, Keep::Input, "AtanBackward0",
     [](const Ref& g, const Ref& x) { return div(g, conjugate(add(mul(x, x), 1))); }, "arctan"},
    {"sinh", Type::Floating, Keep::Input, "SinhBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, unary("cosh", x)); }},
    {"cosh", Type::Floating, Keep::Input, "CoshBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, unary("sinh", x)); }},
    {"asinh", Type::Floating, Keep::Input, "AsinhBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, inverse_root(x, 1, 1)); }, "arcsinh"},
    {"acosh", Type::Floating, Keep::Input, "AcoshBackward0",
     [](const Ref& g, const Ref& x) { return g_times(g, inverse_root(x, -1, 1)); }, "arccosh"},
    {"atanh", Type::Floating, Keep::Input, "AtanhBackward0",
     [](const Ref& g, const Ref& x) { return div(g, conjugate(sub(1, mul(x, x)))); }, "arctanh"},
    {"erf", Type::Floating, Keep::Input, "ErfBackward0",
     [](const Ref& g, const Ref& x) { return mul(g, mul(exp(neg(mul(x, x))), M_2_SQRTPI)); }},
    {"erfc", Type::Floating, Keep::Input, "ErfcBackward0",
     [](const Ref& g, const Ref& x) { return mul(g, mul(exp(neg(mul(x, x))), -M_2_SQRTPI)); }},
    {"erfinv", Type::Floating, Keep::Output, "ErfinvBackward0",
     [](const Ref& g, const Ref& y) { return mul(g, mul(exp(mul(y, y)), 1 / M_2_SQRTPI)); }},
    {"lgamma", Type::Floating, Keep::Input, "LgammaBackward0",
     [](const Ref& g, const Ref& x) { return mul(g, unary("digamma", x)); }},
    {"digamma", Type::Floating, Keep::Input, "DigammaBackward0",
     [](const Ref& g, const Ref& x) { return mul(g, trigamma(x)); }},
    {"floor", Type::Same, Keep::Nothing, "FloorBackward0", zero},
    {"ceil", Type::Same, Keep::Nothing, "CeilBackward0", zero},
    {"trunc", Type::Same, Keep::Nothing, "TruncBackward0", zero, "fix"},
    {"bitwise_not", Type::Same, Keep::Nothing, nullptr, nullptr},
    {"conj_physical", Type::Same, Keep::Nothing, "ConjPhysicalBackward0",
     [](const Ref& g, const Ref&) { return conjugate(g); }},
    {"angle", Type::Floating, Keep::Input, "AngleBackward0", angle_gradient},
};

UnaryRow* find(const char* name) {
  for (UnaryRow& r : rows)
    if (!std::strcmp(r.name, name)) return &r;
  return nullptr;
}

bool is_rounding(const char* name) {
  return !std::strcmp(name, "floor") || !std::strcmp(name, "ceil") || !std::strcmp(name, "trunc");
}

void check_type(const UnaryRow& r, Tensor* x) {
  DType d = x->dtype();
  if (d == FB_BOOL && r.kernel == kernel_id("neg"))
    fail(ErrorKind::Runtime,
         "neg: Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
         "invert a mask, use the `~` or `logical_not()` operator instead.");
  if (is_differentiable(d) && r.kernel == kernel_id("bitwise_not"))
    fail(ErrorKind::NotImplemented, "bitwise_not: expects integer or bool tensors, got %s",
         info(d).legacy_name);
  if (is_complex(d) && is_rounding(r.name))
    fail(ErrorKind::NotImplemented, "%s: is not supported for complex tensors", r.name);
  if (is_complex(d) && r.kernel == kernel_id("sign"))
    fail(ErrorKind::NotImplemented,
         "sign: is not supported for complex tensors; sgn gives x / |x|");
}

Ref apply(const UnaryRow& r, Tensor* x, Tensor* destination) {
  if (!is_floating(x->dtype())) {
    check_type(r, x);
    if (r.kernel == kernel_id("conj_physical") && !is_complex(x->dtype())) return Ref(x);
    if (is_rounding(r.name) && !is_complex(x->dtype())) return clone(x);
    if (x->dtype() == FB_BOOL && r.kernel == kernel_id("sign")) return clone(x);
    if (x->dtype() == FB_BOOL && r.kernel == kernel_id("square")) return cast_values(x, FB_INT64);
  } else if (r.kernel == kernel_id("conj_physical")) {
    return Ref(x);
  } else if (r.kernel == kernel_id("bitwise_not")) {
    check_type(r, x);
  }
  DType compute = r.type == Type::Same ? x->dtype() : floating_type(x->dtype());
  bool real_out =
      is_complex(compute) && (r.kernel == kernel_id("abs") || r.kernel == kernel_id("angle"));
  DType out = real_out ? real_dtype(compute) : compute;
  Ref y = destination || x->dtype() != compute ? Ref() : elementwise_plain(r.kernel, out, x);
  if (!y) {
    Operand in[] = {x};
    y = elementwise({r.name, r.kernel, compute, out, nullptr, destination}, in, 1);
  }
  if (r.gradient && records(x)) {
    auto* gradient = r.gradient;
    switch (r.keep) {
      case Keep::Nothing:
        record(r.node, {x}, y, [gradient](Backward& b) { b.set(0, gradient(b.grad(), nullptr)); });
        break;
      case Keep::Input:
        record(r.node, {x}, y,
               [gradient, s = Saved(x)](Backward& b) { b.set(0, gradient(b.grad(), b.get(s))); });
        break;
      case Keep::Output:
        record(r.node, {x}, y, [gradient, s = Saved::output(y)](Backward& b) {
          b.set(0, gradient(b.grad(), b.get(s)));
        });
    }
  }
  return y;
}

// ---- tests: bool out ----

struct TestRow {
  const char* name;
  int kernel;
};
TestRow tests[] = {{"logical_not", 0}, {"isnan", 0}, {"isinf", 0}, {"isfinite", 0}, {"signbit", 0}};

PyObject* run_test(Args& a) {
  auto& r = *static_cast<const TestRow*>(a.row);
  Operand in[] = {a.tensor(0)};
  DType d = a.tensor(0)->dtype();
  return object(elementwise({r.name, r.kernel, d, FB_BOOL, nullptr, a.destination}, in, 1));
}

// ---- round has a second argument ----

PyObject* run_round(Args& a) {
  Tensor* x = a.tensor(0);
  int64_t decimals = a.integer(1);
  if (!is_floating(x->dtype())) {
    if (is_complex(x->dtype()) || decimals != 0)
      fail(ErrorKind::NotImplemented, "round: not implemented for '%s'",
           info(x->dtype()).legacy_name);
    return object(clone(x));
  }
  Operand in[] = {x};
  constexpr int kernel = kernel_id("round");
  Ref y;
  if (decimals == 0) {
    y = elementwise({"round", kernel, x->dtype(), x->dtype(), nullptr, a.destination}, in, 1);
  } else {
    GradModeGuard off(false);
    double ten = std::pow(10.0, double(std::llabs(decimals)));
    Ref scaled = decimals > 0 ? mul(x, ten) : div(x, ten);
    Operand s[] = {scaled};
    Ref whole = elementwise({"round", kernel, x->dtype(), x->dtype()}, s, 1);
    y = decimals > 0 ? div(whole, ten) : mul(whole, ten);
  }
  if (records(x))
    record("RoundBackward0", {x}, y, [](Backward& b) { b.set(0, zeros_like(b.grad())); });
  return object(std::move(y));
}

PyObject* run_sgn(Args& a) { return object(direction(a.tensor(0))); }

PyObject* run_conj(Args& a) { return object(conjugate(a.tensor(0))); }

PyObject* run_positive(Args& a) {
  if (a.tensor(0)->dtype() == FB_BOOL)
    fail(ErrorKind::Runtime, "positive: The `+` operator, on a bool tensor is not supported.");
  return boxed(a.tensor(0));
}

}  // namespace

Ref unary(const UnaryRow& row, Tensor* x, Tensor* destination) {
  return apply(row, x, destination);
}

PyObject* run_unary(Args& a) {
  if (a.op->inplace && is_complex(a.tensor(0)->dtype()) &&
      (!std::strcmp(a.op->name, "abs_") || !std::strcmp(a.op->name, "absolute_")))
    fail(ErrorKind::Runtime, "In-place abs is not supported for complex tensors.");
  return object(apply(*static_cast<const UnaryRow*>(a.row), a.tensor(0), a.destination));
}

Ref unary(const char* name, Tensor* x) {
  if (UnaryRow* r = find(name)) return apply(*r, x, nullptr);
  fail(ErrorKind::Runtime, "no unary op named %s", name);
}

Ref neg(Tensor* x) {
  static UnaryRow* row = find("neg");
  return apply(*row, x, nullptr);
}
Ref exp(Tensor* x) {
  static UnaryRow* row = find("exp");
  return apply(*row, x, nullptr);
}
Ref log(Tensor* x) {
  static UnaryRow* row = find("log");
  return apply(*row, x, nullptr);
}

void declare_unary() {
  for (UnaryRow& r : rows) {
    r.kernel = find_kernel_id(r.name);
    declare(std::string(r.name) + "(Tensor self)", run_unary, kElementwise, &r);
    if (r.alias) declare(std::string(r.alias) + "(Tensor self)", run_unary, kElementwise, &r);
  }
  for (TestRow& r : tests) {
    r.kernel = find_kernel_id(r.name);
    declare(std::string(r.name) + "(Tensor self)", run_test,
            kBoth | kOut | kPointwise |
                (r.kernel == kernel_id("logical_not") ? uint32_t(kInPlace) : 0u),
            &r);
  }
  declare("round(Tensor self, *, int decimals=0)", run_round, kElementwise);
  declare("positive(Tensor self)", run_positive, kBoth | kPointwise);
  declare("sgn(Tensor self)", run_sgn, kElementwise);
  declare("conj(Tensor self)", run_conj, kBoth | kPointwise);
}

}  // namespace flambeau
