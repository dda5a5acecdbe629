#include "ops/destination.h"

#include <cstring>

#include "dispatch/promotion.h"
#include "ops/api.h"
#include "ops/elementwise.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

bool any_requires_grad(const Args& a) {
  if (!grad_mode.enabled) return false;
  for (int i = 0; i < a.n; i++) {
    if (a.slot[i].tag == Slot::Tensor_ && requires_grad(a.slot[i].tensor)) return true;
    if (a.schema->params[size_t(i)].kind == Kind::Tensors)
      for (Tensor* t : a.tensors(i))
        if (requires_grad(t)) return true;
  }
  return false;
}

// One op in place takes on its result's shape instead of refusing it, as in PyTorch.
bool resizes(const char* op) { return !std::strcmp(op, "addbmm"); }

void check_fits(const char* op, Tensor* self, Tensor* result) {
  if (self->shape() != result->shape() && resizes(op)) resize(self, result->shape());
  if (self->shape() != result->shape())
    fail(ErrorKind::Runtime, "%s_: output with shape %s doesn't match the broadcast shape %s", op,
         to_string(self->shape()).c_str(), to_string(result->shape()).c_str());
  if (!can_cast(result->dtype(), self->dtype()))
    fail(ErrorKind::Runtime, "%s_: result type %s can't be cast to the desired output type %s", op,
         info(result->dtype()).legacy_name, info(self->dtype()).legacy_name);
}

}  // namespace

PyObject* run_inplace(const Overload& o, Args& a) {
  const char* name = o.schema.name.c_str();
  if (!a.tensor(0))
    fail(ErrorKind::Type, "%s_(): argument 'input' (position 1) must be Tensor, not a number",
         name);
  Ref self(a.tensor(0));
  check_inplace(name, self);
  if (any_requires_grad(a)) {
    check_followed(name, self);
    // The gradient may need what the write is about to destroy, so the value is
    // computed from a stand-in that keeps the old contents and the old history.
    Ref old = stand_in(self);
    a.slot[0].tensor = old;
    PyObject* object = o.impl(a);
    Ref result = Ref::steal(as_tensor(object));
    a.slot[0].tensor = self;
    check_fits(name, self, result);
    if (result->dtype() != self->dtype()) result = to_dtype(result, self->dtype());
    copy_values(self, result);
    bump_version(self);
    rebase_history(self, result);
  } else {
    a.destination = self;
    Ref result = Ref::steal(as_tensor(o.impl(a)));
    if (result.get() != self.get()) {
      check_fits(name, self, result);
      copy_values(self, result);
    }
    bump_version(self);
  }
  return self.object();
}

namespace {

void write_out(const Schema& schema, Tensor* out, Tensor* result) {
  const char* op = schema.name.c_str();
  for (int i = 0; i < out->ndim(); i++)
    if (out->stride(i) == 0 && out->size(i) > 1 && out->numel())
      fail(ErrorKind::Runtime,
           "%s: unsupported operation: more than one element of the written-to tensor refers to a "
           "single memory location. Please clone() the tensor before performing the operation. "
           "(shape %s, strides %s)",
           op, to_string(out->shape()).c_str(), to_string(out->strides()).c_str());
  if (out == result) return;
  if (schema.exact_out && out->dtype() != result->dtype())
    fail(ErrorKind::Runtime, "%s: expected out of type %s, but got %s", op,
         info(result->dtype()).legacy_name, info(out->dtype()).legacy_name);
  if (!can_cast(result->dtype(), out->dtype()))
    fail(ErrorKind::Runtime, "%s: result type %s can't be cast to the desired output type %s", op,
         info(result->dtype()).legacy_name, info(out->dtype()).legacy_name);
  if (out->device != result->device)
    fail(ErrorKind::Runtime, "%s: expected out tensor to be on %s, but found it on %s", op,
         result->device->name.c_str(), out->device->name.c_str());
  if (out->shape() != result->shape()) {
    if (out->numel() != 0 &&
        PyErr_WarnFormat(PyExc_UserWarning, 1,
                         "%s: an output with one or more elements was resized since it had shape "
                         "%s, which does not match the required output shape %s",
                         op, to_string(out->shape()).c_str(), to_string(result->shape()).c_str()))
      throw PythonError{};
    resize(out, result->shape());
  }
  copy_values(out, result);
}

// Kernels write straight into out=, so it must live where the inputs do; a
// 0-dimensional input decides only where there is no other.
void check_out_device(const char* op, const Args& a) {
  Tensor* decisive = nullptr;
  for (int i = 0; i < a.n; i++) {
    Tensor* t = a.tensor(i);
    if (t && (!decisive || (decisive->ndim() == 0 && t->ndim() > 0))) decisive = t;
  }
  if (decisive) check_same_device(op, decisive, a.destination);
}

// What makes numbers in any dtype makes them in that of out=, unless another is asked for.
void take_dtype(const Schema& schema, Args& a, DType out) {
  for (int i = 0; i < a.n; i++)
    if (schema.params[i].kind == Kind::DType && schema.params[i].name == "dtype" && !a.given(i)) {
      a.slot[i].tag = Slot::DType_;
      a.slot[i].i = out;
    }
}

}  // namespace

PyObject* run_out(const Overload& o, Args& a) {
  const char* name = o.schema.name.c_str();
  bool single = is_tensor(a.out);
  if (!single && !PyTuple_Check(a.out) && !PyList_Check(a.out))
    fail(ErrorKind::Type, "%s(): argument 'out' must be Tensor, not %s", name,
         Py_TYPE(a.out)->tp_name);
  if (any_requires_grad(a) || (single && grad_mode.enabled && requires_grad(as_tensor(a.out))))
    fail(ErrorKind::Runtime,
         "%s(): functions with out=... arguments don't support automatic differentiation, but one "
         "of the arguments requires grad.",
         name);
  if (single) {
    check_normal(name, as_tensor(a.out));
    a.destination = as_tensor(a.out);
    if (o.schema.exact_out) take_dtype(o.schema, a, a.destination->dtype());
    check_out_device(name, a);
  }
  PyObject* result = o.impl(a);
  if (single && is_tensor(result)) {
    Ref r = Ref::steal(as_tensor(result));
    write_out(o.schema, as_tensor(a.out), r);
    bump_version(as_tensor(a.out));
    Py_INCREF(a.out);
    return a.out;
  }
  Py_ssize_t n = single ? -1 : PySequence_Fast_GET_SIZE(a.out);
  bool fits = PyTuple_Check(result) && PyTuple_GET_SIZE(result) == n;
  for (Py_ssize_t i = 0; fits && i < n; i++) {
    PyObject* to = PySequence_Fast_GET_ITEM(a.out, i);
    if (!is_tensor(to)) fits = false;
    if (fits) write_out(o.schema, as_tensor(to), as_tensor(PyTuple_GET_ITEM(result, i)));
    // The named tuple handed back holds the caller's own tensors.
    if (fits) {
      Py_INCREF(to);
      PyObject* old = PyTuple_GET_ITEM(result, i);
      PyTuple_SET_ITEM(result, i, to);
      Py_DECREF(old);
    }
  }
  if (!fits) {
    Py_DECREF(result);
    fail(ErrorKind::Type, "%s(): argument 'out' does not fit the op's results", name);
  }
  return result;
}

}  // namespace flambeau
