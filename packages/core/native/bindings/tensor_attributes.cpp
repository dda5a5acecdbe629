// The attributes of a tensor.
#include "bindings/bindings.h"
#include "bindings/tensor_docs.h"
#include "ops/api.h"
#include "ops/interception.h"
#include "ops/view.h"

namespace flambeau {
namespace {

Tensor* self_of(PyObject* o) { return as_tensor(o); }

PyObject* get_shape(PyObject* o, void*) { return shape_object(self_of(o)); }
PyObject* get_dtype(PyObject* o, void*) { return dtype_object(self_of(o)->arr.dtype); }
PyObject* get_ndim(PyObject* o, void*) { return PyLong_FromLong(self_of(o)->ndim()); }
PyObject* get_itemsize(PyObject* o, void*) {
  return PyLong_FromLongLong(itemsize(self_of(o)->arr.dtype));
}
PyObject* get_nbytes(PyObject* o, void*) {
  return PyLong_FromLongLong(self_of(o)->numel() * itemsize(self_of(o)->arr.dtype));
}

PyObject* get_device(PyObject* o, void*) {
  Tensor* t = self_of(o);
  return device_object(Device{t->device, t->device == cpu_device() ? -1 : t->device_index()});
}

PyObject* get_requires_grad(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    Tensor* t = self_of(o);
    // A view that has lost its history is refused where it is used, not where it is looked at.
    const bool lost = (t->flags & kRestricted) && t->base &&
                      t->base->rebase_count != t->seen_rebase && requires_grad(t->base);
    return PyBool_FromLong(lost || requires_grad(t));
  });
}

int set_requires_grad(PyObject* o, PyObject* value, void*) {
  return guarded(
      [&]() -> int {
        Tensor* t = self_of(o);
        int on = value ? PyObject_IsTrue(value) : -1;
        if (on < 0) throw PythonError{};
        if (t->grad_fn && !on)
          fail(ErrorKind::Runtime,
               "you can only change requires_grad flags of leaf variables. If you want to use a "
               "computed variable in a "
               "subgraph that doesn't require differentiation use var_no_grad = var.detach().");
        if (on && !is_differentiable(t->dtype()))
          fail(ErrorKind::Runtime,
               "only Tensors of floating point and complex dtype can require gradients");
        if (on && t->storage->inference && !inference_memory)
          fail(ErrorKind::Runtime,
               "Setting requires_grad=True on an inference tensor outside of inference mode is not "
               "allowed.");
        if (!t->grad_fn)
          t->flags = on ? t->flags | kRequiresGrad : t->flags & ~uint32_t(kRequiresGrad);
        return 0;
      },
      -1);
}

PyObject* get_grad_fn(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    if (!requires_grad(self_of(o)) || !self_of(o)->grad_fn) Py_RETURN_NONE;
    return node_object(as_node(self_of(o)->grad_fn));
  });
}

PyObject* get_is_leaf(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    return PyBool_FromLong(!requires_grad(self_of(o)) || !self_of(o)->grad_fn);
  });
}

PyObject* get_retains_grad(PyObject* o, void*) {
  return PyBool_FromLong(self_of(o)->flags & kRetainsGrad);
}
PyObject* get_output_nr(PyObject* o, void*) { return PyLong_FromLong(long(self_of(o)->output_nr)); }
PyObject* get_version(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    const Storage* s = self_of(o)->storage;
    if (s->inference) fail(ErrorKind::Runtime, "Inference tensors do not track a version counter.");
    return PyLong_FromUnsignedLong(s->version);
  });
}
PyObject* get_base(PyObject* o, void*) { return boxed(self_of(o)->base); }

PyObject* get_grad(PyObject* o, void*) {
  Tensor* t = self_of(o);
  if (!t->grad && t->grad_fn && !(t->flags & kRetainsGrad) && requires_grad(t)) {
    if (PyErr_WarnEx(PyExc_UserWarning,
                     "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. "
                     "Its .grad attribute "
                     "won't be populated during autograd.backward(). If you indeed want the .grad "
                     "field to be populated "
                     "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor.",
                     1))
      return nullptr;
  }
  return boxed(t->grad);
}

int set_grad(PyObject* o, PyObject* value, void*) {
  return guarded(
      [&]() -> int {
        Tensor* t = self_of(o);
        if (value && value != Py_None) {
          if (!is_tensor(value))
            fail(ErrorKind::Type,
                 "assigned grad expected to be a Tensor or None but got grad of type '%s'",
                 Py_TYPE(value)->tp_name);
          if (transformed(flags_of(value) & kBatched))
            fail(ErrorKind::Runtime,
                 "vmap: grad cannot be set to a tensor that stands for a whole batch");
          Tensor* g = as_tensor(value);
          if (g == t) fail(ErrorKind::Runtime, "can't assign Variable as its own grad");
          if (g->shape() != t->shape())
            fail(ErrorKind::Runtime,
                 "assigned grad has data of a different size: the tensor has shape %s and the grad "
                 "%s",
                 to_string(t->shape()).c_str(), to_string(g->shape()).c_str());
          if (g->dtype() != t->dtype())
            fail(ErrorKind::Runtime,
                 "assigned grad has data of a different type: the tensor has dtype %s and the grad "
                 "%s",
                 info(t->dtype()).name, info(g->dtype()).name);
          if (g->device != t->device)
            fail(ErrorKind::Runtime, "assigned grad has data located on a different device");
        }
        Ref old = Ref::steal(t->grad);
        t->grad = value && value != Py_None ? Ref(as_tensor(value)).release() : nullptr;
        return 0;
      },
      -1);
}

PyObject* get_data(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    Ref data = alias(self_of(o));
    data->flags |= kUnversioned;
    return object(std::move(data));
  });
}

int set_data(PyObject* o, PyObject* value, void*) {
  return guarded(
      [&]() -> int {
        if (!value || !is_tensor(value))
          fail(ErrorKind::Type, "data must be a Tensor, not %s",
               value ? Py_TYPE(value)->tp_name : "nothing");
        if (transformed(flags_now(o) | flags_now(value)))
          fail(ErrorKind::Runtime,
               "data cannot be assigned inside vmap or forward mode; use copy_() to write values");
        if (as_tensor(value) != self_of(o)) replace_contents(self_of(o), as_tensor(value));
        return 0;
      },
      -1);
}

// Attributes that are ops are shown to whom those would be shown.
bool is_shown(PyObject* o) { return overridden(flags_of(o)) || transformed(flags_now(o)); }
PyObject* call_op(const char* name, PyObject* self, int64_t first, int64_t second) {
  auto op = reinterpret_cast<PyObject*>(find_op(name));
  return checked(PyObject_CallFunction(op, "OLL", self, static_cast<long long>(first),
                                       static_cast<long long>(second)));
}

// The adjoint of two dimensions by ops that everybody sees.
PyObject* shown_adjoint(PyObject* o, int64_t first, int64_t second) {
  PyObject* transposed = call_op("transpose", o, first, second);
  PyObject* result = PyObject_CallOneArg(reinterpret_cast<PyObject*>(find_op("conj")), transposed);
  Py_DECREF(transposed);
  return checked(result);
}

PyObject* get_T(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    Tensor* t = self_of(o);
    if (is_shown(o)) {
      PyObject* dims = checked(PyTuple_New(t->ndim()));
      for (int i = 0; i < t->ndim(); i++)
        PyTuple_SET_ITEM(dims, i, PyLong_FromLong(t->ndim() - 1 - i));
      PyObject* result = PyObject_CallFunctionObjArgs(
          reinterpret_cast<PyObject*>(find_op("permute")), o, dims, nullptr);
      Py_DECREF(dims);
      return checked(result);
    }
    Dims back;
    for (int i = t->ndim() - 1; i >= 0; i--) back.push(i);
    return object(permute(t, back));
  });
}
PyObject* get_mT(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    if (self_of(o)->ndim() < 2)
      fail(ErrorKind::Runtime,
           "tensor.mT is only supported on matrices or batches of matrices. Got %d-D tensor.",
           self_of(o)->ndim());
    if (is_shown(o)) return call_op("transpose", o, -2, -1);
    return object(transpose(self_of(o), -2, -1));
  });
}
PyObject* get_H(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    if (self_of(o)->ndim() != 2 && self_of(o)->ndim() != 0)
      fail(ErrorKind::Runtime,
           "tensor.H is only supported on matrices (2-D tensors). Got %d-D tensor.",
           self_of(o)->ndim());
    if (is_shown(o) && self_of(o)->ndim()) return shown_adjoint(o, 0, 1);
    return object(
        unary("conj_physical", self_of(o)->ndim() ? transpose(self_of(o), 0, 1) : Ref(self_of(o))));
  });
}
PyObject* get_mH(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    if (self_of(o)->ndim() < 2)
      fail(ErrorKind::Runtime,
           "tensor.mH is only supported on matrices or batches of matrices. Got %d-D tensor.",
           self_of(o)->ndim());
    if (is_shown(o)) return shown_adjoint(o, -2, -1);
    return object(unary("conj_physical", transpose(self_of(o), -2, -1)));
  });
}

PyObject* part(PyObject* o, int64_t which) {
  return guarded([&]() -> PyObject* {
    Tensor* t = self_of(o);
    if (is_complex(t->dtype()) && is_shown(o)) {
      auto as_real = reinterpret_cast<PyObject*>(find_op("view_as_real"));
      PyObject* pairs = checked(PyObject_CallOneArg(as_real, o));
      PyObject* result = call_op("select", pairs, -1, which);
      Py_DECREF(pairs);
      return result;
    }
    if (is_complex(t->dtype())) return object(select(real_view(t), -1, which));
    if (which == 1)
      fail(ErrorKind::Runtime, "imag is not implemented for tensors with non-complex dtypes.");
    return boxed(t);
  });
}
PyObject* get_real(PyObject* o, void*) { return part(o, 0); }
PyObject* get_imag(PyObject* o, void*) { return part(o, 1); }
int set_part(PyObject* o, PyObject* value, int64_t which) {
  PyObject* target = part(o, which);
  if (!target) return -1;
  PyObject* done = PyObject_CallMethod(target, "copy_", "O", value);
  Py_DECREF(target);
  Py_XDECREF(done);
  return done ? 0 : -1;
}
int set_real(PyObject* o, PyObject* v, void*) { return set_part(o, v, 0); }
int set_imag(PyObject* o, PyObject* v, void*) { return set_part(o, v, 1); }

// The closure names a device type.
PyObject* get_is_on(PyObject* o, void* type) {
  return PyBool_FromLong(self_of(o)->device->name == static_cast<const char*>(type));
}
PyObject* get_false(PyObject*, void*) { Py_RETURN_FALSE; }
PyObject* get_layout(PyObject*, void*) {
  PyObject* module = PyImport_ImportModule("flambeau_core.layout");
  PyObject* strided = module ? PyObject_GetAttrString(module, "strided") : nullptr;
  Py_XDECREF(module);
  return strided;
}
PyObject* get_hooks(PyObject* o, void*) {
  Tensor* t = self_of(o);
  PyObject* hooks = t->extra ? t->extra->hooks : nullptr;
  return hooks ? (Py_INCREF(hooks), hooks) : (Py_INCREF(Py_None), Py_None);
}

}  // namespace

PyGetSetDef tensor_attributes[] = {
    {"shape", get_shape, nullptr, docs::shape, nullptr},
    {"dtype", get_dtype, nullptr, docs::dtype, nullptr},
    {"device", get_device, nullptr, docs::device, nullptr},
    {"ndim", get_ndim, nullptr, docs::ndim, nullptr},
    {"itemsize", get_itemsize, nullptr, docs::itemsize, nullptr},
    {"nbytes", get_nbytes, nullptr, docs::nbytes, nullptr},
    {"requires_grad", get_requires_grad, set_requires_grad, docs::requires_grad, nullptr},
    {"grad", get_grad, set_grad, docs::grad, nullptr},
    {"grad_fn", get_grad_fn, nullptr, docs::grad_fn, nullptr},
    {"is_leaf", get_is_leaf, nullptr, docs::is_leaf, nullptr},
    {"retains_grad", get_retains_grad, nullptr, docs::retains_grad, nullptr},
    {"output_nr", get_output_nr, nullptr, docs::output_nr, nullptr},
    {"_version", get_version, nullptr, "How often the memory was written in place.", nullptr},
    {"_base", get_base, nullptr, "Of a view: the tensor whose memory it shows.", nullptr},
    {"_backward_hooks", get_hooks, nullptr, nullptr, nullptr},
    {"data", get_data, set_data, docs::data, nullptr},
    {"T", get_T, nullptr, docs::T, nullptr},
    {"mT", get_mT, nullptr, docs::mT, nullptr},
    {"H", get_H, nullptr, docs::H, nullptr},
    {"mH", get_mH, nullptr, docs::mH, nullptr},
    {"real", get_real, set_real, docs::real, nullptr},
    {"imag", get_imag, set_imag, docs::imag, nullptr},
    {"is_cpu", get_is_on, nullptr, "Whether it lies on the CPU.", const_cast<char*>("cpu")},
    {"is_cuda", get_is_on, nullptr, "Whether it lies on a CUDA device.", const_cast<char*>("cuda")},
    {"is_sparse", get_false, nullptr, "Whether only some elements are stored, with their places.",
     nullptr},
    {"is_quantized", get_false, nullptr, "False: there are no quantized tensors.", nullptr},
    {"is_meta", get_false, nullptr, "False: there are no tensors without memory.", nullptr},
    {"is_mps", get_is_on, nullptr, "Whether it lies on a device of type mps.",
     const_cast<char*>("mps")},
    {"is_xpu", get_is_on, nullptr, "Whether it lies on a device of type xpu.",
     const_cast<char*>("xpu")},
    {"is_mkldnn", get_false, nullptr, "False: there is one layout.", nullptr},
    {"is_nested", get_false, nullptr, "False: there are no nested tensors.", nullptr},
    {"layout", get_layout, nullptr, "How the elements are stored: strided, or sparse_coo.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace flambeau
