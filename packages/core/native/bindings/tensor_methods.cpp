// Methods that ask a tensor about itself, or hand out its values.
#include "bindings/bindings.h"
#include "bindings/tensor_docs.h"
#include "dispatch/shape_rules.h"
#include "ops/api.h"
#include "ops/arguments.h"
#include "ops/construct.h"
#include "ops/interception.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

Tensor* self_of(PyObject* o) { return as_tensor(o); }

// A tensor whose own memory holds its elements; sparse ones have methods of their own.
Tensor* dense(const char* method, PyObject* o) {
  if (self_of(o)->flags & kSparse)
    fail(ErrorKind::NotImplemented, "Tensor.%s is not implemented for sparse tensors", method);
  return self_of(o);
}

PyObject* method_item(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* { return number_from_scalar(dense("item", o)); });
}
PyObject* method_tolist(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* { return list_from_tensor(dense("tolist", o)); });
}
PyObject* method_dim(PyObject* o, PyObject*) { return PyLong_FromLong(self_of(o)->ndim()); }
PyObject* method_numel(PyObject* o, PyObject*) { return PyLong_FromLongLong(self_of(o)->numel()); }
PyObject* method_element_size(PyObject* o, PyObject*) {
  return PyLong_FromLongLong(itemsize(self_of(o)->arr.dtype));
}
PyObject* method_storage_offset(PyObject* o, PyObject*) {
  return PyLong_FromLongLong(self_of(o)->offset());
}
PyObject* method_data_ptr(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* { return PyLong_FromVoidPtr(dense("data_ptr", o)->arr.data); });
}
PyObject* method_floating(PyObject* o, PyObject*) {
  return PyBool_FromLong(is_floating(self_of(o)->arr.dtype));
}
PyObject* method_complex(PyObject* o, PyObject*) {
  return PyBool_FromLong(is_complex(self_of(o)->arr.dtype));
}
PyObject* method_signed(PyObject* o, PyObject*) {
  return PyBool_FromLong(self_of(o)->arr.dtype != FB_BOOL && !is_unsigned(self_of(o)->arr.dtype));
}
PyObject* method_false(PyObject*, PyObject*) { Py_RETURN_FALSE; }
PyObject* method_get_device(PyObject* o, PyObject*) {
  return PyLong_FromLong(self_of(o)->device == cpu_device() ? -1 : self_of(o)->device_index());
}

PyObject* method_contiguous(PyObject* o, PyObject* args, PyObject* kwargs) {
  PyObject* format = nullptr;
  static const char* names[] = {"memory_format", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$O:is_contiguous", const_cast<char**>(names),
                                   &format))
    return nullptr;
  const Tensor* t = self_of(o);
  if (!format) return PyBool_FromLong(t->contiguous());
  return guarded([&]() -> PyObject* {
    MemoryFormat f;
    if (memory_format_from(format, f) && f != MemoryFormat::Preserve)
      return PyBool_FromLong(lies_in(t, f));
    PyObject* repr = checked(PyObject_Repr(format));
    std::string name = PyUnicode_AsUTF8(repr);
    Py_DECREF(repr);
    fail(ErrorKind::Runtime, "is_contiguous: memory_format %s is not one that memory can have",
         name.c_str());
  });
}

// size() and stride(): all, or one dimension.
PyObject* one_or_all(PyObject* o, PyObject* args, PyObject* kwargs, bool sizes) {
  PyObject* dim = nullptr;
  static const char* names[] = {"dim", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &dim))
    return nullptr;
  Tensor* t = self_of(o);
  return guarded([&]() -> PyObject* {
    if (!dim || dim == Py_None) {
      if (sizes) return shape_object(t);
      PyObject* all = checked(PyTuple_New(t->ndim()));
      for (int i = 0; i < t->ndim(); i++)
        PyTuple_SET_ITEM(all, i, PyLong_FromLongLong(t->stride(i)));
      return all;
    }
    long d = PyLong_AsLong(dim);
    if (d == -1 && PyErr_Occurred()) throw PythonError{};
    if (t->ndim() == 0)
      fail(ErrorKind::Index, "Dimension specified as %ld but tensor has no dimensions", d);
    int i = wrap_dim(d, t->ndim());
    return PyLong_FromLongLong(sizes ? t->size(i) : t->stride(i));
  });
}
PyObject* method_size(PyObject* o, PyObject* args, PyObject* kwargs) {
  return one_or_all(o, args, kwargs, true);
}
PyObject* method_stride(PyObject* o, PyObject* args, PyObject* kwargs) {
  return one_or_all(o, args, kwargs, false);
}

PyObject* method_set_contents(PyObject* o, PyObject* source) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(source))
      fail(ErrorKind::Type, "set_(): argument 'source' must be Tensor, not %s",
           Py_TYPE(source)->tp_name);
    if (as_tensor(source)->dtype() != self_of(o)->dtype())
      fail(ErrorKind::Runtime, "set_: expected a tensor of dtype %s but got %s",
           info(self_of(o)->dtype()).name, info(as_tensor(source)->dtype()).name);
    if (transformed(flags_now(o) | flags_now(source)))
      fail(ErrorKind::Runtime, "set_() cannot be used inside vmap or forward mode");
    if (source != o) replace_contents(self_of(o), as_tensor(source));
    return boxed(self_of(o));
  });
}

PyObject* method_same_size(PyObject* o, PyObject* other) {
  if (!is_tensor(other)) {
    PyErr_SetString(PyExc_TypeError, "is_same_size(): argument 'other' must be Tensor");
    return nullptr;
  }
  return PyBool_FromLong(self_of(o)->shape() == as_tensor(other)->shape());
}

// ---- the storage beneath, for serialisation ----

PyObject* method_storage_key(PyObject* o, PyObject*) {
  return PyLong_FromVoidPtr(self_of(o)->storage);
}
PyObject* method_storage_nbytes(PyObject* o, PyObject*) {
  return PyLong_FromLongLong(self_of(o)->storage->nbytes);
}

PyObject* method_storage_bytes(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* {
    Storage* s = self_of(o)->storage;
    if (s->device->host_memory)
      return PyMemoryView_FromMemory(static_cast<char*>(s->data), Py_ssize_t(s->nbytes),
                                     PyBUF_WRITE);
    PyObject* bytes = checked(PyByteArray_FromStringAndSize(nullptr, Py_ssize_t(s->nbytes)));
    s->device->opened()->copy_to_host(s->device_index, s->data, s->buffer, 0,
                                      PyByteArray_AS_STRING(bytes), s->nbytes);
    PyObject* view = PyMemoryView_FromObject(bytes);
    Py_DECREF(bytes);
    return view;
  });
}

template <class F>
PyCFunction with_keywords(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

}  // namespace

PyMethodDef tensor_methods[] = {
    {"item", method_item, METH_NOARGS, docs::item},
    {"tolist", method_tolist, METH_NOARGS, docs::tolist},
    {"dim", method_dim, METH_NOARGS, docs::dim},
    {"ndimension", method_dim, METH_NOARGS, docs::ndimension},
    {"numel", method_numel, METH_NOARGS, docs::numel},
    {"nelement", method_numel, METH_NOARGS, docs::nelement},
    {"element_size", method_element_size, METH_NOARGS, docs::element_size},
    {"storage_offset", method_storage_offset, METH_NOARGS, docs::storage_offset},
    {"data_ptr", method_data_ptr, METH_NOARGS, docs::data_ptr},
    {"is_floating_point", method_floating, METH_NOARGS, docs::is_floating_point},
    {"is_complex", method_complex, METH_NOARGS, docs::is_complex},
    {"is_signed", method_signed, METH_NOARGS, docs::is_signed},
    {"is_conj", method_false, METH_NOARGS, docs::is_conj},
    {"is_neg", method_false, METH_NOARGS, docs::is_neg},
    {"get_device", method_get_device, METH_NOARGS, docs::get_device},
    {"is_contiguous", with_keywords(method_contiguous), METH_VARARGS | METH_KEYWORDS,
     docs::is_contiguous},
    {"size", with_keywords(method_size), METH_VARARGS | METH_KEYWORDS, docs::size},
    {"stride", with_keywords(method_stride), METH_VARARGS | METH_KEYWORDS, docs::stride},
    {"set_", method_set_contents, METH_O, docs::set_},
    {"is_same_size", method_same_size, METH_O, docs::is_same_size},
    {"_storage_key", method_storage_key, METH_NOARGS, nullptr},
    {"_storage_nbytes", method_storage_nbytes, METH_NOARGS, nullptr},
    {"_storage_bytes", method_storage_bytes, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace flambeau
