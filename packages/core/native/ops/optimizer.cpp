// Steps of optimizers over whole lists of parameters, in place and outside the
// graph.
#include <cmath>

#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

// One entry of a list of tensors and Nones.
Tensor* tensor_at(const char* op, const char* what, PyObject* list, size_t i) {
  PyObject* o = PyList_Check(list) ? PyList_GET_ITEM(list, Py_ssize_t(i))
                                   : PyTuple_GET_ITEM(list, Py_ssize_t(i));
  if (o == Py_None) return nullptr;
  if (!is_tensor(o))
    fail(ErrorKind::Type, "%s: %s must hold tensors, not %s", op, what, Py_TYPE(o)->tp_name);
  return as_tensor(o);
}

void check_list(const char* op, const char* what, PyObject* list, size_t n) {
  if (!PyList_Check(list) && !PyTuple_Check(list))
    fail(ErrorKind::Type, "%s: %s must be a list, not %s", op, what, Py_TYPE(list)->tp_name);
  if (size_t(PySequence_Fast_GET_SIZE(list)) != n)
    fail(ErrorKind::Value, "%s: %s has %zd entries for %zu parameters", op, what,
         PySequence_Fast_GET_SIZE(list), n);
}

// The gradient in the parameter's dtype.
Ref checked_gradient(const char* op, Tensor* parameter, Tensor* grad) {
  if (grad->shape() != parameter->shape())
    fail(ErrorKind::Runtime, "%s: gradient of shape %s for a parameter of shape %s", op,
         to_string(grad->shape()).c_str(), to_string(parameter->shape()).c_str());
  check_same_device(op, parameter, grad);
  return grad->dtype() == parameter->dtype() ? Ref(grad) : cast_values(grad, parameter->dtype());
}

void check_state(const char* op, const char* what, Tensor* parameter, Tensor* state) {
  if (state->shape() != parameter->shape() || state->dtype() != parameter->dtype())
    fail(ErrorKind::Runtime,
         "%s: %s of shape %s and dtype %s for a parameter of shape %s and dtype %s", op, what,
         to_string(state->shape()).c_str(), dtype_name(state->dtype()),
         to_string(parameter->shape()).c_str(), dtype_name(parameter->dtype()));
  check_same_device(op, parameter, state);
}

// ---- gradient descent ------------------------------------------------------------

struct SgdOptions {
  double lr, momentum, dampening, weight_decay;
  bool nesterov, maximize;
};

void sgd_step(Tensor* p, Tensor* grad, Tensor* buffer, bool first, const SgdOptions& o) {
  if (p->numel() == 0) return;
  if (!has_kernel(grad, kernel_id("sgd_step"))) {
    Py_DECREF(compose(
        "sgd_step", {boxed(p), boxed(grad), boxed(buffer), boxed_float(o.lr),
                     boxed_float(o.momentum), boxed_float(o.dampening), boxed_float(o.weight_decay),
                     boxed_bool(o.nesterov), boxed_bool(o.maximize), boxed_bool(first)}));
    return;
  }
  launch(kernel_id("sgd_step"), {p, buffer}, {grad},
         {float_param(o.lr), float_param(o.momentum), float_param(o.dampening),
          float_param(o.weight_decay), int_param(o.nesterov), int_param(o.maximize),
          int_param(first)});
  bump_version(p);
  if (buffer) bump_version(buffer);
}

PyObject* run_sgd(Args& a) {
  const char* op = "sgd_step_";
  GradModeGuard off(false);
  auto parameters = a.tensors(0), grads = a.tensors(1);
  PyObject* buffers = a.object(2);
  check_list(op, "grads", a.object(1), parameters.size());
  check_list(op, "momentum_buffers", buffers, parameters.size());
  SgdOptions o{a.real(3), a.real(4), a.real(5), a.real(6), a.flag(7), a.flag(8)};
  std::vector<Ref> kept;
  for (size_t i = 0; i < parameters.size(); i++) {
    Tensor* p = parameters[i];
    Ref grad = checked_gradient(op, p, grads[i]);
    Ref buffer = tensor_at(op, "momentum_buffers", buffers, i);
    bool first = !buffer && o.momentum != 0;
    if (o.momentum == 0) {
      sgd_step(p, grad, nullptr, false, o);
    } else {
      if (first) buffer = empty_like(p, p->shape());
      check_state(op, "momentum buffer", p, buffer);
      sgd_step(p, grad, buffer, first, o);
    }
    kept.push_back(std::move(buffer));
  }
  PyObject* list = checked(PyList_New(Py_ssize_t(kept.size())));
  for (size_t i = 0; i < kept.size(); i++) PyList_SET_ITEM(list, Py_ssize_t(i), boxed(kept[i]));
  return list;
}

// ---- Adam -------------------------------------------------------------------------

struct AdamOptions {
  double lr, beta1, beta2, eps, weight_decay;
  bool decoupled, maximize;
};

struct AdamState {
  Tensor *average, *square, *max_square;  // max_square: AMSGrad only
  double correction1, correction2;
};

void adam_step(Tensor* p, Tensor* grad, const AdamState& s, const AdamOptions& o) {
  if (p->numel() == 0) return;
  if (!has_kernel(grad, kernel_id("adam_step"))) {
    Py_DECREF(
        compose("adam_step",
                {boxed(p), boxed(grad), boxed(s.average), boxed(s.square), boxed(s.max_square),
                 boxed_float(o.lr), boxed_float(o.beta1), boxed_float(o.beta2), boxed_float(o.eps),
                 boxed_float(o.weight_decay), boxed_float(s.correction1),
                 boxed_float(s.correction2), boxed_bool(o.decoupled), boxed_bool(o.maximize)}));
    return;
  }
  launch(kernel_id("adam_step"), {p, s.average, s.square, s.max_square}, {grad},
         {float_param(o.lr), float_param(o.beta1), float_param(o.beta2), float_param(o.eps),
          float_param(o.weight_decay), float_param(s.correction1), float_param(s.correction2),
          int_param(o.decoupled), int_param(o.maximize)});
  for (Tensor* t : {p, s.average, s.square, s.max_square})
    if (t) bump_version(t);
}

PyObject* run_adam(Args& a) {
  const char* op = "adam_step_";
  GradModeGuard off(false);
  auto parameters = a.tensors(0), grads = a.tensors(1), averages = a.tensors(2),
       squares = a.tensors(3);
  auto max_squares = a.tensors(4);
  bool amsgrad = a.flag(12);
  Ints steps = a.ints(5);
  check_list(op, "grads", a.object(1), parameters.size());
  check_list(op, "exp_avgs", a.object(2), parameters.size());
  check_list(op, "exp_avg_sqs", a.object(3), parameters.size());
  if (amsgrad) check_list(op, "max_exp_avg_sqs", a.object(4), parameters.size());
  if (size_t(steps.n) != parameters.size())
    fail(ErrorKind::Value, "%s: steps has %d entries for %zu parameters", op, steps.n,
         parameters.size());
  AdamOptions o{a.real(6), a.real(7), a.real(8), a.real(9), a.real(10), a.flag(11), a.flag(13)};
  for (size_t i = 0; i < parameters.size(); i++) {
    Tensor* p = parameters[i];
    Ref grad = checked_gradient(op, p, grads[i]);
    double t = double(steps[int(i)]);
    AdamState s{averages[i], squares[i], amsgrad ? max_squares[i] : nullptr,
                1 - std::pow(o.beta1, t), 1 - std::pow(o.beta2, t)};
    check_state(op, "exp_avg", p, s.average);
    check_state(op, "exp_avg_sq", p, s.square);
    if (s.max_square) check_state(op, "max_exp_avg_sq", p, s.max_square);
    adam_step(p, grad, s, o);
  }
  Py_RETURN_NONE;
}

}  // namespace

void declare_optimizer() {
  constexpr uint32_t optimizer = kFunction | kOptimizer;
  declare(
      "sgd_step_(Tensor[] params, Tensor[] grads, any momentum_buffers, float lr, float momentum, "
      "float dampening, "
      "float weight_decay, bool nesterov, bool maximize)",
      run_sgd, optimizer);
  declare(
      "adam_step_(Tensor[] params, Tensor[] grads, Tensor[] exp_avgs, Tensor[] exp_avg_sqs, "
      "Tensor[] max_exp_avg_sqs, "
      "int[] steps, float lr, float beta1, float beta2, float eps, float weight_decay, bool "
      "decoupled, bool amsgrad, "
      "bool maximize)",
      run_adam, optimizer);
}

}  // namespace flambeau
