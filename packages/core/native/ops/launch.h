// Kernel calls on whole tensors, and calls of Python definitions from C++ values.
#pragma once

#include "dispatch/call.h"
#include "ops/api.h"
#include "ops/op.h"

namespace flambeau {

inline fb_param int_param(int64_t v) {
  fb_param p;
  p.i = v;
  return p;
}
inline fb_param float_param(double v) {
  fb_param p;
  p.f = v;
  return p;
}
inline fb_param list_param(Ints v) {
  fb_param p;
  p.list.p = v.p;
  p.list.n = v.n;
  return p;
}

// Null tensors are absent arguments. The first input, or else the first output,
// says which device and dtype.
inline void launch(int kernel, std::initializer_list<Tensor*> outs,
                   std::initializer_list<Tensor*> ins, std::initializer_list<fb_param> params = {},
                   int64_t work = -1) {
  constexpr int most = 8;
  fb_array* out[most];
  const fb_array* in[most];
  int n_out = 0, n_in = 0;
  for (Tensor* t : outs) out[n_out++] = t ? &t->arr : nullptr;
  for (Tensor* t : ins) in[n_in++] = t ? &t->arr : nullptr;
  Tensor* key = n_in ? *ins.begin() : *outs.begin();
  call_kernel(key->device, {kernel, key->dtype(), out, n_out, in, n_in, params.begin(), work});
}

// Whether the tensor's device has a kernel for its dtype.
inline bool has_kernel(Tensor* t, int kernel) { return has_kernel(t->device, kernel, t->dtype()); }

// Contiguous memory seen at another shape, outside the graph.
inline Ref reshaped_alias(Tensor* contiguous, Ints shape) {
  Dims strides;
  strides.n = shape.n;
  contiguous_strides(shape, strides.v);
  return alias(contiguous, shape, strides, contiguous->arr.data);
}

// The tensor, or a copy of it where the one to be written shares its memory: kernels that write
// at chosen places would read back what they wrote.
inline Ref apart_from(Tensor* written, Tensor* read) {
  if (read->storage != written->storage) return Ref(read);
  GradModeGuard off(false);
  return clone(read);
}

// Kernels that work along a dimension see a 0-dimensional tensor as one of size 1.
inline Ref at_least_1d(Tensor* t) { return t->ndim() ? Ref(t) : reshaped_alias(t, {1}); }

// ---- arguments of a Python definition ----

inline PyObject* boxed_int(int64_t v) { return PyLong_FromLongLong(v); }
inline PyObject* boxed_float(double v) { return PyFloat_FromDouble(v); }
inline PyObject* boxed_bool(bool v) { return PyBool_FromLong(v); }
inline PyObject* boxed_text(const char* v) { return PyUnicode_FromString(v); }
inline PyObject* boxed_ints(Ints v) {
  PyObject* list = checked(PyList_New(v.n));
  for (int i = 0; i < v.n; i++) PyList_SET_ITEM(list, i, PyLong_FromLongLong(v[i]));
  return list;
}

// The Python definition of a kernel that gives one tensor.
inline Ref composed(const char* name, std::initializer_list<PyObject*> owned_args) {
  return Ref::steal(as_tensor(compose(name, owned_args)));
}

}  // namespace flambeau
