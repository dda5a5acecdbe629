// Layer and batch normalization, whole where a backend can.
#include "ops/composed_gradient.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

// The kernels keep their statistics in the input's dtype, too narrow for 16 bits.
bool runs_whole(int kernel, Tensor* x, std::initializer_list<Tensor*> others) {
  if ((x->dtype() != FB_FLOAT32 && x->dtype() != FB_FLOAT64) || x->numel() == 0) return false;
  for (Tensor* t : others)
    if (t && (t->dtype() != x->dtype() || t->device != x->device)) return false;
  return has_kernel(x, kernel);
}

void check_floating(const char* op, Tensor* x) {
  if (!is_floating(x->dtype()))
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", op,
         info(x->dtype()).legacy_name);
}

Ref contiguous_values(Tensor* t) {
  GradModeGuard off(false);
  return t ? contiguous(t) : Ref();
}

void set_gradients(Backward& b, const std::vector<Ref>& gradients) {
  for (size_t i = 0; i < gradients.size(); i++) b.set(int(i), gradients[i]);
}

// The inputs whose gradients are wanted, for composed_gradient.
std::vector<Ref> wanted(const Backward& b, std::initializer_list<Ref> inputs) {
  std::vector<Ref> out;
  int i = 0;
  for (const Ref& t : inputs) out.push_back(b.needs(i++) ? t : Ref());
  return out;
}

// ---- layer ---------------------------------------------------------------------

Ref layer_norm_definition(const Ref& x, Ints shape, const Ref& weight, const Ref& bias,
                          double eps) {
  return composed("layer_norm",
                  {boxed(x), boxed_ints(shape), boxed(weight), boxed(bias), boxed_float(eps)});
}

void check_layer_norm(Tensor* x, Ints shape, Tensor* weight, Tensor* bias) {
  check_floating("layer_norm", x);
  if (shape.n == 0)
    fail(ErrorKind::Runtime,
         "layer_norm: Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
         "least one element, "
         "but got normalized_shape = []");
  if (x->ndim() < shape.n || Ints(x->arr.shape + x->ndim() - shape.n, shape.n) != shape) {
    std::string s = to_string(shape);
    fail(ErrorKind::Runtime,
         "Given normalized_shape=%s, expected input with shape [*, %s, but got input of size %s",
         s.c_str(), s.c_str() + 1, to_string(x->shape()).c_str());
  }
  for (Tensor* t : {weight, bias}) {
    check_same_device("layer_norm", x, t);
    if (t && t->shape() != shape)
      fail(ErrorKind::Runtime,
           "layer_norm: Expected %s to be of same shape as normalized_shape, but got %s of shape "
           "%s and "
           "normalized_shape = %s",
           t == weight ? "weight" : "bias", t == weight ? "weight" : "bias",
           to_string(t->shape()).c_str(), to_string(shape).c_str());
  }
}

// Rows to normalize, and what they are scaled by.
struct Rows {
  int64_t m, n;
  Ref of(const Ref& contiguous) const { return reshaped_alias(contiguous, {m, n}); }
  Ref scale(const Ref& contiguous) const {
    return contiguous ? reshaped_alias(contiguous, {n}) : Ref();
  }
};

void layer_norm_backward(Backward& b, const Rows& rows, Ints shape, const Ref& x, const Ref& weight,
                         const Ref& mean, const Ref& rstd) {
  Ref g = contiguous_values(b.grad()), w = contiguous_values(weight);
  Ref gx = empty_like(x, x->shape());
  Ref gw = b.needs(1) ? empty_like(x, {rows.n}) : Ref(),
      gb = b.needs(2) ? empty_like(x, {rows.n}) : Ref();
  launch(kernel_id("layer_norm_backward"), {rows.of(gx), gw, gb},
         {rows.of(g), rows.of(contiguous_values(x)), mean, rstd, rows.scale(w)});
  b.set(0, gx);
  if (gw) b.set(1, reshaped_alias(gw, shape));
  if (gb) b.set(2, reshaped_alias(gb, shape));
}

PyObject* run_layer_norm(Args& a) {
  Ref x = a.tensor(0), weight = a.tensor(2), bias = a.tensor(3);
  Ints shape = a.ints(1);
  double eps = a.real(4);
  check_layer_norm(x, shape, weight, bias);
  if (!runs_whole(kernel_id("layer_norm"), x, {weight, bias}))
    return object(layer_norm_definition(x, shape, weight, bias, eps));
  Rows rows{x->numel() / numel_of(shape), numel_of(shape)};
  Ref y = empty_like(x, x->shape()), mean = empty_like(x, {rows.m}), rstd = empty_like(x, {rows.m});
  launch(kernel_id("layer_norm"), {rows.of(y), mean, rstd},
         {rows.of(contiguous_values(x)), rows.scale(contiguous_values(weight)),
          rows.scale(contiguous_values(bias))},
         {float_param(eps)});
  if (!records(x, weight, bias)) return object(y);
  record("NativeLayerNormBackward0", {x, weight, bias}, y,
         [rows, eps, shape = shape.vec(), sx = Saved(x), sw = Saved(weight), sb = Saved(bias),
          mean = Saved(mean), rstd = Saved(rstd)](Backward& b) {
           Ref x = b.get(sx), weight = b.get(sw), bias = b.get(sb);
           if (!grad_mode.enabled && has_kernel(x, kernel_id("layer_norm_backward")))
             return layer_norm_backward(b, rows, shape, x, weight, b.get(mean), b.get(rstd));
           set_gradients(b, composed_gradient(b.grad(), wanted(b, {x, weight, bias}),
                                              [&](const std::vector<Ref>& in) {
                                                return layer_norm_definition(
                                                    in[0] ? in[0] : x, shape,
                                                    in[1] ? in[1] : weight, in[2] ? in[2] : bias,
                                                    eps);
                                              }));
         });
  return object(y);
}

// ---- batch -----------------------------------------------------------------------

struct BatchNorm {
  bool training;
  double momentum, eps;
};

Ref batch_norm_definition(const Ref& x, Tensor* mean, Tensor* var, const Ref& weight,
                          const Ref& bias, const BatchNorm& n) {
  return composed("batch_norm",
                  {boxed(x), boxed(mean), boxed(var), boxed(weight), boxed(bias),
                   boxed_bool(n.training), boxed_float(n.momentum), boxed_float(n.eps)});
}

void check_batch_norm(Args& a, const BatchNorm& n) {
  Tensor* x = a.tensor(0);
  check_floating("batch_norm", x);
  if (x->ndim() < 2)
    fail(ErrorKind::Index,
         "batch_norm: Dimension out of range: expected at least 2 dimensions, got shape %s",
         to_string(x->shape()).c_str());
  const char* names[] = {"running_mean", "running_var", "weight", "bias"};
  for (int i = 0; i < 4; i++) {
    Tensor* t = a.tensor(1 + i);
    if (i < 2 && !t && !n.training)
      fail(ErrorKind::Runtime, "batch_norm: %s must be defined in evaluation mode", names[i]);
    if (t && t->numel() != x->size(1))
      fail(ErrorKind::Runtime, "batch_norm: %s should contain %lld elements not %lld", names[i],
           static_cast<long long>(x->size(1)), static_cast<long long>(t->numel()));
    check_same_device("batch_norm", x, t);
  }
}

// [N, C, ..] as [N, C, L]
Ref channels_of(const Ref& contiguous) {
  int64_t n = contiguous->size(0), c = contiguous->size(1);
  return reshaped_alias(contiguous, {n, c, contiguous->numel() / (n * c)});
}

void batch_norm_backward(Backward& b, const Ref& x, const Ref& weight, const Ref& mean,
                         const Ref& rstd, bool training) {
  Ref g = contiguous_values(b.grad()), gx, gw, gb;
  int64_t channels = x->size(1);
  if (b.needs(0)) gx = empty_like(x, x->shape());
  if (b.needs(1)) gw = empty_like(x, {channels});
  if (b.needs(2)) gb = empty_like(x, {channels});
  launch(kernel_id("batch_norm_backward"), {gx ? channels_of(gx) : Ref(), gw, gb},
         {channels_of(g), channels_of(contiguous_values(x)), mean, rstd, contiguous_values(weight)},
         {int_param(training)});
  set_gradients(b, {gx, gw, gb});
}

PyObject* run_batch_norm(Args& a) {
  Ref x = a.tensor(0), weight = a.tensor(3), bias = a.tensor(4);
  Tensor *running_mean = a.tensor(1), *running_var = a.tensor(2);
  BatchNorm n{a.flag(5), a.real(6), a.real(7)};
  if (x->ndim() < 2 && x->numel() == 0) return object(mul(x, 1));  // there is nothing to normalize
  check_batch_norm(a, n);
  if (!runs_whole(kernel_id("batch_norm"), x, {running_mean, running_var, weight, bias}))
    return object(batch_norm_definition(x, running_mean, running_var, weight, bias, n));
  int64_t channels = x->size(1);
  Ref y = empty_like(x, x->shape()), mean = empty_like(x, {channels}),
      rstd = empty_like(x, {channels});
  launch(kernel_id("batch_norm"), {channels_of(y), mean, rstd, running_mean, running_var},
         {channels_of(contiguous_values(x)), contiguous_values(weight), contiguous_values(bias)},
         {int_param(n.training), float_param(n.momentum), float_param(n.eps)});
  if (n.training)
    for (Tensor* t : {running_mean, running_var})
      if (t) bump_version(t);
  if (!records(x, weight, bias)) return object(y);
  // In training the running statistics play no part in the result.
  Saved kept_mean(n.training ? nullptr : running_mean),
      kept_var(n.training ? nullptr : running_var);
  record("NativeBatchNormBackward0", {x, weight, bias}, y,
         [n, sx = Saved(x), sw = Saved(weight), sb = Saved(bias), mean = Saved(mean),
          rstd = Saved(rstd), kept_mean = std::move(kept_mean),
          kept_var = std::move(kept_var)](Backward& b) {
           Ref x = b.get(sx), weight = b.get(sw), bias = b.get(sb);
           if (!grad_mode.enabled && has_kernel(x, kernel_id("batch_norm_backward")))
             return batch_norm_backward(b, x, weight, b.get(mean), b.get(rstd), n.training);
           Ref running_mean = b.get(kept_mean), running_var = b.get(kept_var);
           set_gradients(b, composed_gradient(b.grad(), wanted(b, {x, weight, bias}),
                                              [&](const std::vector<Ref>& in) {
                                                return batch_norm_definition(
                                                    in[0] ? in[0] : x, running_mean, running_var,
                                                    in[1] ? in[1] : weight, in[2] ? in[2] : bias,
                                                    n);
                                              }));
         });
  return object(y);
}

// The bare op names the parameters before the running statistics.
PyObject* run_parameters_first(Args& a) {
  std::swap(a.slot[1], a.slot[3]);
  std::swap(a.slot[2], a.slot[4]);
  return run_batch_norm(a);
}

}  // namespace

void declare_norm() {
  declare(
      "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
      "float eps=1e-5, "
      "bool cudnn_enable=True)",
      run_layer_norm, kFunction | kNeuralToo);
  declare(
      "batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, "
      "Tensor? bias=None, "
      "bool training=False, float momentum=0.1, float eps=1e-5)",
      run_batch_norm, kFunction | kNeuralToo);
  declare(
      "batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
      "Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled)",
      run_parameters_first, kFunction | kNeuralToo);
}

}  // namespace flambeau
