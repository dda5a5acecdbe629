#include "ops/interception.h"

#include "ops/op.h"

namespace flambeau {

thread_local uint32_t attention = 0;

namespace {

// A function of a Python module, looked up once.
PyObject* function_of(const char* module, const char* name) {
  PyObject* m = checked(PyImport_ImportModule(module));
  PyObject* f = PyObject_GetAttrString(m, name);
  Py_DECREF(m);
  return checked(f);
}

PyObject* boxed_arguments(Args& a) {
  PyObject* all = checked(PyTuple_New(a.n));
  for (int i = 0; i < a.n; i++) PyTuple_SET_ITEM(all, i, box(a.slot[i]));
  return all;
}

}  // namespace

uint32_t flags_now(const Args& a) {
  uint32_t seen = a.seen;
  if (!(attention & kTransforms)) return seen;
  for (int i = 0; i < a.n; i++) {
    if (const Tensor* t = a.tensor(i))
      if (shows_dual(t)) seen |= kDual;
    if (a.schema->params[size_t(i)].kind == Kind::Tensors && a.given(i))
      for (const Tensor* t : a.tensors(i))
        if (t && shows_dual(t)) seen |= kDual;
  }
  return seen;
}

PyObject* call_overrides(PyObject* function, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* kwnames) {
  static PyObject* handler = function_of("flambeau_core.overrides", "call");
  PyObject* positional = checked(PyTuple_New(nargs));
  for (Py_ssize_t i = 0; i < nargs; i++) PyTuple_SET_ITEM(positional, i, Py_NewRef(args[i]));
  PyObject* keywords = checked(PyDict_New());
  for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++)
    PyDict_SetItem(keywords, PyTuple_GET_ITEM(kwnames, k), args[nargs + k]);
  PyObject* result = PyObject_CallFunctionObjArgs(handler, function, positional, keywords, nullptr);
  Py_DECREF(positional);
  Py_DECREF(keywords);
  return checked(result);
}

PyObject* call_transforms(const Op* op, size_t overload, Args& a) {
  static PyObject* handler = function_of("flambeau_core.transforms.dispatch", "call");
  PyObject* arguments = boxed_arguments(a);
  PyObject* index = PyLong_FromSize_t(overload);
  auto self = reinterpret_cast<PyObject*>(const_cast<Op*>(op));
  PyObject* result = PyObject_CallFunctionObjArgs(handler, self, index, arguments,
                                                  a.out ? a.out : Py_None, nullptr);
  Py_DECREF(index);
  Py_DECREF(arguments);
  return checked(result);
}

bool has_override(PyObject* o, int depth) {
  if (is_tensor(o)) return false;
  if (PyTuple_Check(o) || PyList_Check(o)) {
    if (depth == 0) return false;  // lists may hold themselves
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++)
      if (has_override(PySequence_Fast_GET_ITEM(o, i), depth - 1)) return true;
    return false;
  }
  auto type = reinterpret_cast<PyObject*>(Py_TYPE(o));
  return PyObject_HasAttrString(type, "__flambeau_function__") ||
         PyObject_HasAttrString(type, "__torch_function__");
}

PyObject* show_foreign(const char* name, PyObject* x, PyObject* y) {
  if (!has_override(x, 0) && !has_override(y, 0)) Py_RETURN_NOTIMPLEMENTED;
  auto op = reinterpret_cast<PyObject*>(find_op(name));
  return checked(PyObject_CallFunctionObjArgs(op, x, y, nullptr));
}

PyObject* show_operator(const char* name, PyObject* x, PyObject* y) {
  uint32_t seen = flags_now(x) | flags_now(y);
  if (!overridden(seen) && !transformed(seen)) return nullptr;
  auto op = reinterpret_cast<PyObject*>(find_op(name));
  return checked(PyObject_CallFunctionObjArgs(op, x, y, nullptr));
}

PyObject* show_operator(const char* name, PyObject* x) {
  uint32_t seen = flags_now(x);
  if (!overridden(seen) && !transformed(seen)) return nullptr;
  return checked(PyObject_CallOneArg(reinterpret_cast<PyObject*>(find_op(name)), x));
}

PyObject* show_get_item(PyObject* x, PyObject* index) {
  static PyObject* handler = function_of("flambeau_core.interception", "get_item");
  return checked(PyObject_CallFunctionObjArgs(handler, x, index, nullptr));
}

PyObject* show_set_item(PyObject* x, PyObject* index, PyObject* value) {
  static PyObject* handler = function_of("flambeau_core.interception", "set_item");
  return checked(PyObject_CallFunctionObjArgs(handler, x, index, value, nullptr));
}

void share_tangents(PyObject* from, PyObject* to) {
  static PyObject* handler = function_of("flambeau_core.transforms.duals", "share_tangents");
  Py_DECREF(checked(PyObject_CallFunctionObjArgs(handler, from, to, nullptr)));
}

void check_readable(Tensor* t) {
  if (t->flags & kBatched && !(attention & kTransformsOff))
    fail(
        ErrorKind::Runtime,
        "vmap: a value was asked of a tensor that stands for a whole batch (.item(), bool(), int() "
        "or an argument that must be a number), which has one value an example");
}

}  // namespace flambeau
