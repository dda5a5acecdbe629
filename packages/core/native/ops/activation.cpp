// Activation functions: elementwise ops of one tensor that a backend may supply
// whole, forward and backward.
#include "ops/activation.h"

#include <cmath>
#include <cstring>

#include "ops/elementwise.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

constexpr int max_activation_params = 3;
constexpr int no_kernel = -1;
using Parameters = fb_param[max_activation_params];
// From the result's gradient and what the row keeps: its input or its output.
using Gradient = Ref (*)(const Ref& g, const Ref& kept, const fb_param* p);

struct ActivationRow {
  const char* name;
  const char* node;
  const char* params;  // a letter each: i integer, f floating
  bool promotes;       // integers compute in the default floating type
  bool keeps_output;
  int kernel, backward_kernel;
  Gradient gradient;
};

Ref relu_gradient(const Ref& g, const Ref& y, const fb_param*) {
  return where(binary("le", y, 0), Scalar(0.0), g);
}

Ref sigmoid_gradient(const Ref& g, const Ref& y, const fb_param*) {
  return mul(g, conjugate(mul(y, sub(1, y))));
}

Ref tanh_gradient(const Ref& g, const Ref& y, const fb_param*) {
  return mul(g, conjugate(sub(1, mul(y, y))));
}

Ref gelu_gradient(const Ref& g, const Ref& x, const fb_param* p) {
  if (p[0].i) {
    constexpr double cubic = 0.044715;
    const double scale = std::sqrt(2 / M_PI);
    Ref square = mul(x, x);
    Ref t = flambeau::tanh(mul(mul(x, add(mul(square, cubic), 1)), scale));
    Ref inner_slope = mul(add(mul(square, 3 * cubic), 1), scale);
    Ref slope = mul(mul(x, sub(1, mul(t, t))), inner_slope);
    return mul(g, mul(add(add(t, 1), slope), 0.5));
  }
  Ref distribution = mul(unary("erfc", mul(x, -M_SQRT1_2)), 0.5);
  Ref density = mul(exp(mul(mul(x, x), -0.5)), 0.5 * M_SQRT1_2 * M_2_SQRTPI);
  return mul(g, add(distribution, mul(x, density)));
}

Ref silu_gradient(const Ref& g, const Ref& x, const fb_param*) {
  Ref s = sigmoid(x);
  return mul(g, conjugate(mul(s, add(mul(x, sub(1, s)), 1))));
}

Ref softplus_gradient(const Ref& g, const Ref& x, const fb_param* p) {
  Ref scaled = mul(x, p[0].f);
  return where(binary("gt", scaled, p[1].f), g, mul(g, sigmoid(scaled)));
}

Ref leaky_relu_gradient(const Ref& g, const Ref& x, const fb_param* p) {
  return where(binary("gt", x, 0), g, mul(g, p[0].f));
}

Ref elu_gradient(const Ref& g, const Ref& x, const fb_param* p) {
  double alpha = p[0].f, scale = p[1].f, input_scale = p[2].f;
  Ref positive = binary("gt", x, 0);
  // Without the mask the exponential of a large x would turn into NaN further on.
  Ref power = exp(mul(masked_fill(x, positive, 0), input_scale));
  return where(positive, mul(g, scale), mul(g, mul(power, alpha * scale * input_scale)));
}

constexpr ActivationRow relu_row{
    "relu",       "ReluBackward0", "", false, true, kernel_id("relu"), kernel_id("relu_backward"),
    relu_gradient};
constexpr ActivationRow sigmoid_row{"sigmoid",
                                    "SigmoidBackward0",
                                    "",
                                    true,
                                    true,
                                    kernel_id("sigmoid"),
                                    kernel_id("sigmoid_backward"),
                                    sigmoid_gradient};
constexpr ActivationRow tanh_row{
    "tanh",       "TanhBackward0", "", true, true, kernel_id("tanh"), kernel_id("tanh_backward"),
    tanh_gradient};
constexpr ActivationRow gelu_row{
    "gelu",       "GeluBackward0", "i", false, false, kernel_id("gelu"), kernel_id("gelu_backward"),
    gelu_gradient};
constexpr ActivationRow silu_row{
    "silu",       "SiluBackward0", "", false, false, kernel_id("silu"), kernel_id("silu_backward"),
    silu_gradient};
constexpr ActivationRow softplus_row{
    "softplus", "SoftplusBackward0",   "ff",      false,
    false,      kernel_id("softplus"), no_kernel, softplus_gradient};
constexpr ActivationRow leaky_relu_row{
    "leaky_relu", "LeakyReluBackward0",    "f",       false,
    false,        kernel_id("leaky_relu"), no_kernel, leaky_relu_gradient};
constexpr ActivationRow elu_row{"elu", "EluBackward0",   "fff",     false,
                                false, kernel_id("elu"), no_kernel, elu_gradient};

void check_type(const ActivationRow& r, DType d) {
  if (&r == &relu_row && d == FB_BOOL)
    fail(ErrorKind::Runtime, "Boolean inputs not supported for relu");
  bool takes_integers = r.promotes || &r == &relu_row;
  bool takes_complex = r.promotes || &r == &silu_row;
  if (is_complex(d) ? !takes_complex : !is_floating(d) && !takes_integers)
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", r.name, info(d).legacy_name);
}

Ref by_definition(const ActivationRow& r, Tensor* x, const fb_param* p) {
  switch (std::strlen(r.params)) {
    case 0:
      return composed(r.name, {boxed(x)});
    case 1:
      return composed(r.name,
                      {boxed(x), r.params[0] == 'i' ? boxed_int(p[0].i) : boxed_float(p[0].f)});
    case 2:
      return composed(r.name, {boxed(x), boxed_float(p[0].f), boxed_float(p[1].f)});
    default:
      return composed(r.name,
                      {boxed(x), boxed_float(p[0].f), boxed_float(p[1].f), boxed_float(p[2].f)});
  }
}

Ref gradient(const ActivationRow& r, const Ref& g, const Ref& kept, const fb_param* p) {
  DType d = kept->dtype();
  bool fused = !grad_mode.enabled && r.backward_kernel != no_kernel &&
               has_kernel(kept->device, r.backward_kernel, d);
  if (!fused) return r.gradient(g, kept, p);
  if (!*r.params)
    if (Ref y = elementwise_plain(r.backward_kernel, d, d, g, kept)) return y;
  Operand in[] = {g, kept};
  return elementwise({r.node, r.backward_kernel, d, d, p}, in, 2);
}

Ref apply(const ActivationRow& r, Tensor* x, const Parameters& p, Tensor* destination) {
  DType compute = r.promotes ? floating_type(x->dtype()) : x->dtype();
  check_type(r, x->dtype());
  if (!has_kernel(x->device, r.kernel, compute))
    return by_definition(r, compute == x->dtype() ? Ref(x) : to_dtype(x, compute), p);
  Ref y = destination || compute != x->dtype() ? Ref() : elementwise_plain(r.kernel, compute, x, p);
  if (!y) {
    Operand in[] = {x};
    y = elementwise({r.name, r.kernel, compute, compute, p, destination}, in, 1);
  }
  if (!records(x)) return y;
  Saved kept = r.keeps_output ? Saved::output(y) : Saved(x);
  if (!*r.params) {
    record(r.node, {x}, y, [&r, kept = std::move(kept)](Backward& b) {
      b.set(0, gradient(r, b.grad(), b.get(kept), nullptr));
    });
  } else {
    record(r.node, {x}, y,
           [&r, kept = std::move(kept), p0 = p[0], p1 = p[1], p2 = p[2]](Backward& b) {
             fb_param p[] = {p0, p1, p2};
             b.set(0, gradient(r, b.grad(), b.get(kept), p));
           });
  }
  return y;
}

PyObject* run_plain(Args& a) {
  return object(
      apply(*static_cast<const ActivationRow*>(a.row), a.tensor(0), Parameters{}, a.destination));
}

PyObject* run_gelu(Args& a) {
  bool tanh = !std::strcmp(a.text(1), "tanh");
  if (!tanh && std::strcmp(a.text(1), "none") != 0)
    fail(ErrorKind::Runtime, "gelu: approximate argument must be either none or tanh, got '%s'",
         a.text(1));
  return object(apply(gelu_row, a.tensor(0), {int_param(tanh)}, a.destination));
}

PyObject* run_softplus(Args& a) {
  return object(apply(softplus_row, a.tensor(0), {float_param(a.real(1)), float_param(a.real(2))},
                      a.destination));
}

PyObject* run_leaky_relu(Args& a) {
  return object(apply(leaky_relu_row, a.tensor(0), {float_param(a.real(1))}, a.destination));
}

Ref elu(Args& a, double alpha, double scale, double input_scale) {
  return apply(elu_row, a.tensor(0),
               {float_param(alpha), float_param(scale), float_param(input_scale)}, a.destination);
}

PyObject* run_elu(Args& a) { return object(elu(a, a.real(1), a.real(2), a.real(3))); }

PyObject* run_celu(Args& a) {
  if (a.real(1) == 0) fail(ErrorKind::Runtime, "celu: ZeroDivisionError: alpha cannot be 0");
  return object(elu(a, a.real(1), 1, 1 / a.real(1)));
}

// The constants of Klambauer et al., 2017, under which activations keep mean 0
// and variance 1.
PyObject* run_selu(Args& a) {
  return object(elu(a, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1));
}

}  // namespace

Ref relu(Tensor* x) { return apply(relu_row, x, {}, nullptr); }
Ref sigmoid(Tensor* x) { return apply(sigmoid_row, x, {}, nullptr); }
Ref tanh(Tensor* x) { return apply(tanh_row, x, {}, nullptr); }

void declare_activation() {
  constexpr uint32_t neural = kFunction | kNeural | kInPlace | kOut | kPointwise;
  declare("relu(Tensor self)", run_plain, kBoth | kInPlace | kNeuralToo | kPointwise, &relu_row);
  declare("sigmoid(Tensor self)", run_plain, kElementwise | kNeuralToo, &sigmoid_row);
  declare("tanh(Tensor self)", run_plain, kElementwise | kNeuralToo, &tanh_row);
  declare("silu(Tensor self)", run_plain, neural, &silu_row);
  declare("gelu(Tensor self, *, str approximate='none')", run_gelu, neural);
  declare("softplus(Tensor self, float beta=1, float threshold=20)", run_softplus,
          kFunction | kNeural | kOut | kPointwise);
  declare("leaky_relu(Tensor self, float negative_slope=0.01)", run_leaky_relu, neural);
  declare("elu(Tensor self, float alpha=1, float scale=1, float input_scale=1)", run_elu, neural);
  declare("celu(Tensor self, float alpha=1)", run_celu,
          kFunction | kInPlace | kNeuralToo | kPointwise);
  declare("selu(Tensor self)", run_selu, kFunction | kInPlace | kNeuralToo | kPointwise);
}

}  // namespace flambeau
