// Losses. Those over classes run whole on [N, C]: further dimensions of the
// input are moved into N.
#include <cstring>

#include "ops/composed_gradient.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/softmax.h"

namespace flambeau {
namespace {

enum class Reduction : int64_t { None = 0, Mean = 1, Sum = 2 };  // as the kernels number them

Reduction reduction_from(const char* text) {
  if (!std::strcmp(text, "mean")) return Reduction::Mean;
  if (!std::strcmp(text, "sum")) return Reduction::Sum;
  if (!std::strcmp(text, "none")) return Reduction::None;
  fail(ErrorKind::Value, "%s is not a valid value for reduction", text);
}

const char* reduction_text(Reduction r) {
  return r == Reduction::Mean ? "mean" : r == Reduction::Sum ? "sum" : "none";
}

// ---- losses over classes ----------------------------------------------------

struct ClassLoss {
  bool from_logits;  // cross_entropy; otherwise nll_loss, from log-probabilities
  Reduction reduction;
  int64_t ignore_index;
  double label_smoothing = 0;

  const char* name() const { return from_logits ? "cross_entropy" : "nll_loss"; }
  int kernel() const { return from_logits ? kernel_id("cross_entropy") : kernel_id("nll_loss"); }
  int backward_kernel() const {
    return from_logits ? kernel_id("cross_entropy_backward") : kernel_id("nll_loss_backward");
  }
};

Ref by_definition(const ClassLoss& l, Tensor* x, Tensor* target, Tensor* weight) {
  if (l.from_logits)
    return composed("cross_entropy",
                    {boxed(x), boxed(target), boxed(weight), boxed_int(l.ignore_index),
                     boxed_text(reduction_text(l.reduction)), boxed_float(l.label_smoothing)});
  return composed("nll_loss", {boxed(x), boxed(target), boxed(weight), boxed_int(l.ignore_index),
                               boxed_text(reduction_text(l.reduction))});
}

void check_class_target(const ClassLoss& l, Tensor* x, Tensor* target) {
  auto text = [](Tensor* t) { return to_string(t->shape()); };
  if (x->ndim() == 0) fail(ErrorKind::Value, "%s: Expected 1 or more dimensions (got 0)", l.name());
  if (x->ndim() > 1 && (target->ndim() == 0 || target->size(0) != x->size(0)))
    fail(ErrorKind::Value,
         "%s: Expected input batch_size (%lld) to match target batch_size (%lld), input %s, target "
         "%s",
         l.name(), static_cast<long long>(x->size(0)),
         static_cast<long long>(target->ndim() ? target->size(0) : 0), text(x).c_str(),
         text(target).c_str());
  if (x->ndim() == 1 && target->numel() != 1)
    fail(ErrorKind::Value,
         "%s: For 1D input, 1D target must have size 1, but got target size: %lld", l.name(),
         static_cast<long long>(target->numel()));
  if (x->ndim() == 1 ? target->ndim() > 1 : x->ndim() == 2 && target->ndim() != 1)
    fail(ErrorKind::Runtime,
         "%s: 0D or 1D target tensor expected, multi-target not supported (input %s, target %s)",
         l.name(), text(x).c_str(), text(target).c_str());
  if (x->ndim() > 2) {
    Dims expected(x->shape());
    for (int i = 1; i + 1 < expected.n; i++) expected[i] = expected[i + 1];
    expected.n--;
    if (target->shape() != Ints(expected))
      fail(ErrorKind::Runtime, "%s: Expected target size %s, got %s (input %s)", l.name(),
           to_string(expected).c_str(), text(target).c_str(), text(x).c_str());
  }
  if (target->dtype() != FB_INT64 && target->dtype() != FB_UINT8)
    fail(ErrorKind::Runtime, "%s: expected target dtype to be Long or Byte, but got %s", l.name(),
         info(target->dtype()).legacy_name);
}

void check_class_weight(const ClassLoss& l, Tensor* x, Tensor* weight, int64_t classes) {
  if (!weight) return;
  if (weight->ndim() != 1 || weight->numel() != classes)
    fail(ErrorKind::Runtime,
         "%s: weight tensor should be defined either for all %lld classes or no classes but got "
         "weight tensor of shape: %s",
         l.name(), static_cast<long long>(classes), to_string(weight->shape()).c_str());
  if (weight->dtype() != x->dtype())
    fail(ErrorKind::Runtime, "%s: expected scalar type %s but found %s for weight", l.name(),
         info(x->dtype()).legacy_name, info(weight->dtype()).legacy_name);
  check_same_device(l.name(), x, weight);
}

// The kernels keep their statistics in the input's dtype, too narrow for 16 bits.
bool runs_whole(const ClassLoss& l, Tensor* x) {
  return (x->dtype() == FB_FLOAT32 || x->dtype() == FB_FLOAT64) && x->numel() > 0 &&
         has_kernel(x, l.kernel());
}

// x [N, C], target [N] int64: the loss [N], or 0-D where reduced.
Ref class_loss(const ClassLoss& l, Tensor* x, Tensor* target, Tensor* weight) {
  int64_t n = x->size(0);
  Ref loss = l.reduction == Reduction::None ? empty_like(x, {n}) : empty_like(x, Ints());
  Ref total = empty_like(x, Ints()), logsumexp;
  fb_param reduction = int_param(int64_t(l.reduction)), ignored = int_param(l.ignore_index);
  if (l.from_logits) {
    logsumexp = empty_like(x, {n});
    launch(l.kernel(), {loss, logsumexp, total}, {x, target, weight},
           {reduction, ignored, float_param(l.label_smoothing)});
  } else {
    launch(l.kernel(), {loss, total}, {x, target, weight}, {reduction, ignored});
  }
  if (!records(x)) return loss;
  record("NllLossBackward0", {x}, loss,
         [l, reduction, ignored, sx = Saved(x), st = Saved(target), sw = Saved(weight),
          lse = Saved(logsumexp), sum = Saved(total)](Backward& b) {
           Ref x = b.get(sx), target = b.get(st), weight = b.get(sw);
           if (grad_mode.enabled || !has_kernel(x, l.backward_kernel())) {
             b.set(0, composed_gradient(b.grad(), {x}, [&](const std::vector<Ref>& in) {
                     return by_definition(l, in[0], target, weight);
                   })[0]);
             return;
           }
           Ref gx = empty_like(x, x->shape());
           if (l.from_logits) {
             launch(l.backward_kernel(), {gx},
                    {b.grad(), x, b.get(lse), target, weight, b.get(sum)},
                    {reduction, ignored, float_param(l.label_smoothing)});
           } else {
             launch(l.backward_kernel(), {gx}, {b.grad(), target, weight, b.get(sum)},
                    {reduction, ignored});
           }
           b.set(0, std::move(gx));
         });
  return loss;
}

Ref loss_of_classes(const ClassLoss& l, Tensor* x, Tensor* given_target, Tensor* weight) {
  check_class_target(l, x, given_target);
  check_same_device(l.name(), x, given_target);
  check_class_weight(l, x, weight, x->size(x->ndim() == 1 ? 0 : 1));
  Ref target =
      given_target->dtype() == FB_INT64 ? Ref(given_target) : cast_values(given_target, FB_INT64);
  if (x->ndim() == 1 && target->ndim() == 1) target = reshape(target, Ints());
  if (!runs_whole(l, x)) return by_definition(l, x, target, weight);
  if (x->ndim() == 2) return class_loss(l, x, target, weight);
  // [C] and [N, C, d1, ..] as [N d1 .., C]
  Ref rows;
  if (x->ndim() == 1) {
    rows = unsqueeze(x, 0);
  } else {
    Dims order;
    order.push(0);
    for (int i = 2; i < x->ndim(); i++) order.push(i);
    order.push(1);
    rows = reshape(permute(x, order), {-1, x->size(1)});
  }
  Ref loss = class_loss(l, rows, reshape(target, {-1}), weight);
  return l.reduction == Reduction::None ? reshape(loss, target->shape()) : loss;
}

void check_probabilities(Tensor* x, Tensor* target, Tensor* weight, int64_t ignore_index) {
  if (!is_floating(target->dtype()))
    fail(ErrorKind::Runtime,
         "cross_entropy: Expected floating point type for target with class probabilities, got %s "
         "(shape %s)",
         info(target->dtype()).legacy_name, to_string(target->shape()).c_str());
  if (ignore_index >= 0)
    fail(ErrorKind::Runtime,
         "cross_entropy: ignore_index is not supported for floating point target");
  check_same_device("cross_entropy", x, target);
  int64_t classes = x->ndim() == 0 ? 1 : x->size(x->ndim() == 1 ? 0 : 1);
  if (weight && (weight->ndim() != 1 || weight->numel() != classes))
    fail(ErrorKind::Runtime,
         "cross_entropy: weight tensor should be defined either for all %lld classes or no classes "
         "but got weight tensor of shape: %s",
         static_cast<long long>(classes), to_string(weight->shape()).c_str());
}

PyObject* run_cross_entropy(Args& a) {
  Tensor *x = a.tensor(0), *target = a.tensor(1), *weight = a.tensor(2);
  ClassLoss l{true, reduction_from(a.text(4)), a.integer(3), a.real(5)};
  if (!(l.label_smoothing >= 0 && l.label_smoothing <= 1))
    fail(ErrorKind::Runtime, "cross_entropy: label_smoothing must be between 0.0 and 1.0. Got: %g",
         l.label_smoothing);
  if (!is_floating(x->dtype()))
    fail(ErrorKind::NotImplemented, "\"cross_entropy\" not implemented for '%s'",
         info(x->dtype()).legacy_name);
  if (x->shape() != target->shape()) return object(loss_of_classes(l, x, target, weight));
  check_probabilities(x, target, weight, l.ignore_index);
  return object(by_definition(l, x, target, weight));
}

PyObject* run_nll_loss(Args& a) {
  ClassLoss l{false, reduction_from(a.text(4)), a.integer(3)};
  if (!is_floating(a.tensor(0)->dtype()))
    fail(ErrorKind::NotImplemented, "\"nll_loss\" not implemented for '%s'",
         info(a.tensor(0)->dtype()).legacy_name);
  return object(loss_of_classes(l, a.tensor(0), a.tensor(1), a.tensor(2)));
}

// ---- losses over elements -----------------------------------------------------

Ref reduced(Ref loss, Reduction r) {
  if (r == Reduction::None) return loss;
  return r == Reduction::Mean ? mean(loss, Ints(), false) : sum(loss);
}

Ref mse_loss(Tensor* x, Tensor* target, Reduction r) {
  Ref y;
  Dims shape;
  {
    GradModeGuard off(false);
    Ref squares = unary("square", sub(x, target));
    shape = squares->shape();
    y = reduced(squares, r);
  }
  if (!records(x, target)) return y;
  double scale = r == Reduction::Mean ? 2 / double(numel_of(shape)) : 2;
  Node* node = record("MseLossBackward0", {x, target}, y,
                      [scale, sx = Saved(x), st = Saved(target)](Backward& b) {
                        Ref slope = mul(mul(sub(b.get(sx), b.get(st)), scale), b.grad());
                        if (b.needs(0)) b.set(0, slope);
                        if (b.needs(1)) b.set(1, neg(slope));
                      });
  // One of them may have been broadcast to the other.
  node->edges[0].expect_shape(x->shape());
  node->edges[1].expect_shape(target->shape());
  return y;
}

PyObject* run_mse_loss(Args& a) {
  Reduction r = reduction_from(a.text(2));
  Tensor *x = a.tensor(0), *target = a.tensor(1);
  const Operand both[] = {x, target};
  common_device("mse_loss", both, 2);
  DType common = result_type(x, target);
  if (!is_floating(common))
    fail(ErrorKind::NotImplemented, "\"mse_loss\" not implemented for '%s'",
         info(common).legacy_name);
  auto number = [&](Tensor* t) { return t->dtype() == FB_BOOL ? to_dtype(t, common) : Ref(t); };
  return object(mse_loss(number(x), number(target), r));
}

PyObject* run_binary_cross_entropy_with_logits(Args& a) {
  Tensor *x = a.tensor(0), *target = a.tensor(1);
  reduction_from(a.text(4));
  if (x->shape() != target->shape())
    fail(ErrorKind::Value,
         "binary_cross_entropy_with_logits: Target size (%s) must be the same as input size (%s)",
         to_string(target->shape()).c_str(), to_string(x->shape()).c_str());
  check_same_device("binary_cross_entropy_with_logits", x, target);
  return compose("binary_cross_entropy_with_logits", {boxed(x), boxed(target), boxed(a.tensor(2)),
                                                      boxed(a.tensor(3)), boxed_text(a.text(4))});
}

// The bare op numbers its reductions.
PyObject* run_numbered_binary_cross_entropy(Args& a) {
  int64_t n = a.integer(4);
  if (n < 0 || n > 2)
    fail(ErrorKind::Value, "%lld is not a valid value for reduction", static_cast<long long>(n));
  a.slot[4].tag = Slot::Str_;
  a.slot[4].text = reduction_text(Reduction(n));
  return run_binary_cross_entropy_with_logits(a);
}

}  // namespace

void declare_loss() {
  constexpr uint32_t neural = kFunction | kNeural;
  declare(
      "cross_entropy(Tensor input, Tensor target, Tensor? weight=None, int ignore_index=-100, "
      "str reduction='mean', float label_smoothing=0.0)",
      run_cross_entropy, neural);
  declare(
      "nll_loss(Tensor input, Tensor target, Tensor? weight=None, int ignore_index=-100, "
      "str reduction='mean')",
      run_nll_loss, neural);
  declare("mse_loss(Tensor input, Tensor target, str reduction='mean')", run_mse_loss, neural);
  const std::string tensors =
      "(Tensor input, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, ";
  declare("binary_cross_entropy_with_logits" + tensors + "str reduction='mean')",
          run_binary_cross_entropy_with_logits, kFunction | kNeuralToo);
  declare("binary_cross_entropy_with_logits" + tensors + "int reduction)",
          run_numbered_binary_cross_entropy, kFunction | kNeuralToo);
  set_autocast(Autocast::Full,
               {"cross_entropy", "nll_loss", "mse_loss", "binary_cross_entropy_with_logits"});
}

}  // namespace flambeau
