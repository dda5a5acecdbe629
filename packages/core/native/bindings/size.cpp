// flambeau.Size: the tuple that a shape is.
#include "bindings/bindings.h"
#include "bindings/type_docs.h"

namespace flambeau {
namespace {

PyTypeObject* size_type = nullptr;

PyObject* new_size(Ints shape) {
  PyObject* t = size_type->tp_alloc(size_type, shape.n);
  if (!t) return nullptr;
  for (int i = 0; i < shape.n; i++) PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(shape[i]));
  return t;
}

PyObject* size_repr(PyObject* self) {
  PyObject* list = PySequence_List(self);
  PyObject* text = list ? PyUnicode_FromFormat("flambeau.Size(%R)", list) : nullptr;
  Py_XDECREF(list);
  return text;
}

PyObject* size_numel(PyObject* self, PyObject*) {
  int64_t n = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(self); i++)
    n *= PyLong_AsLongLong(PyTuple_GET_ITEM(self, i));
  return PyLong_FromLongLong(n);
}

// Parts and sums of sizes are sizes again.
PyObject* as_size(PyObject* o) {
  if (!o || !PyTuple_Check(o)) return o;
  PyObject* s = PyObject_CallOneArg(reinterpret_cast<PyObject*>(size_type), o);
  Py_DECREF(o);
  return s;
}

PyObject* size_subscript(PyObject* self, PyObject* key) {
  return as_size(PyTuple_Type.tp_as_mapping->mp_subscript(self, key));
}
PyObject* size_concat(PyObject* a, PyObject* b) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_concat(a, b));
}
PyObject* size_repeat(PyObject* a, Py_ssize_t n) {
  return as_size(PyTuple_Type.tp_as_sequence->sq_repeat(a, n));
}

PyObject* size_reduce(PyObject* self, PyObject*) {
  PyObject* plain = PyTuple_GetSlice(self, 0, PyTuple_GET_SIZE(self));
  if (plain && Py_TYPE(plain) == size_type) {
    Py_DECREF(plain);
    PyObject* list = PySequence_List(self);
    plain = list ? PyList_AsTuple(list) : nullptr;
    Py_XDECREF(list);
  }
  return plain ? Py_BuildValue("(O(N))", size_type, plain) : nullptr;
}

// Size(iterable of int): what has an index counts as its integer.
PyObject* size_create(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* given = PyTuple_Type.tp_new(&PyTuple_Type, args, kwargs);
  if (!given) return nullptr;
  PyObject* whole = PyTuple_New(PyTuple_GET_SIZE(given));
  for (Py_ssize_t i = 0; whole && i < PyTuple_GET_SIZE(given); i++) {
    PyObject* v = PyNumber_Index(PyTuple_GET_ITEM(given, i));
    if (!v)
      Py_CLEAR(whole);
    else
      PyTuple_SET_ITEM(whole, i, v);
  }
  Py_DECREF(given);
  PyObject* only = whole ? PyTuple_Pack(1, whole) : nullptr;
  PyObject* size = only ? PyTuple_Type.tp_new(type, only, nullptr) : nullptr;
  Py_XDECREF(only);
  Py_XDECREF(whole);
  return size;
}

PyMethodDef methods[] = {
    {"numel", size_numel, METH_NOARGS, "The number of elements of a tensor of this size."},
    {"__reduce__", size_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(size_create)},
                       {Py_tp_repr, reinterpret_cast<void*>(size_repr)},
                       {Py_tp_methods, methods},
                       {Py_mp_subscript, reinterpret_cast<void*>(size_subscript)},
                       {Py_sq_concat, reinterpret_cast<void*>(size_concat)},
                       {Py_sq_repeat, reinterpret_cast<void*>(size_repeat)},
                       {Py_tp_doc, const_cast<char*>(docs::size_class)},
                       {0, nullptr}};
PyType_Spec spec = {"flambeau_core.Size", 0, 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

bool make_size_type(PyObject* module) {
  PyObject* bases = PyTuple_Pack(1, reinterpret_cast<PyObject*>(&PyTuple_Type));
  size_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases));
  Py_XDECREF(bases);
  make_size = new_size;
  return size_type &&
         PyObject_SetAttrString(module, "Size", reinterpret_cast<PyObject*>(size_type)) == 0;
}

}  // namespace flambeau
