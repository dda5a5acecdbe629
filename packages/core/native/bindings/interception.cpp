// Interception as Python switches it; see ops/interception.h.
#include "ops/interception.h"

#include "bindings/bindings.h"

namespace flambeau {

uint32_t interception_of(PyTypeObject* type) {
  PyObject* bits = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "_interception");
  if (!bits) return PyErr_Clear(), 0;
  long v = PyLong_AsLong(bits);
  Py_DECREF(bits);
  if (v == -1 && PyErr_Occurred()) throw PythonError{};
  return uint32_t(v) & kIntercepted;
}

namespace {

// attend(on, off): sets and clears bits of the thread's state; the state before.
PyObject* function_attend(PyObject*, PyObject* const* args, Py_ssize_t n) {
  unsigned long on = n == 2 ? PyLong_AsUnsignedLong(args[0]) : 0;
  unsigned long off = n == 2 ? PyLong_AsUnsignedLong(args[1]) : 0;
  if (PyErr_Occurred()) return nullptr;
  constexpr uint32_t changeable = kFunctionModes | kTransforms | kOverridesOff | kTransformsOff;
  uint32_t before = attention;
  attention = (attention | (uint32_t(on) & changeable)) & ~(uint32_t(off) & changeable);
  return PyLong_FromUnsignedLong(before & changeable);
}

// attended(state): back to what attend() returned.
PyObject* function_attended(PyObject*, PyObject* state) {
  unsigned long before = PyLong_AsUnsignedLong(state);
  if (PyErr_Occurred()) return nullptr;
  attention = (attention & kAutocast) | (uint32_t(before) & ~uint32_t(kAutocast));
  Py_RETURN_NONE;
}

PyObject* function_set_dual(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 2 || !is_tensor(args[0])) fail(ErrorKind::Type, "set_dual(tensor, on)");
    Tensor* t = as_tensor(args[0]);
    t->flags = args[1] == Py_True ? t->flags | kDual : t->flags & ~uint32_t(kDual);
    Py_RETURN_NONE;
  });
}

// intercepted(objects): whether one of them is a tensor that Python is to be shown.
PyObject* function_intercepted(PyObject*, PyObject* objects) {
  return guarded([&]() -> PyObject* {
    PyObject* items = checked(PySequence_Fast(objects, "intercepted() takes a sequence"));
    uint32_t seen = 0;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++)
      seen |= flags_now(PySequence_Fast_GET_ITEM(items, i));
    Py_DECREF(items);
    return PyLong_FromUnsignedLong(seen);
  });
}

// reclassed(tensor): its class is another since it was made; its flags follow.
PyObject* function_reclassed(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(o)) fail(ErrorKind::Type, "reclassed() takes a tensor");
    Tensor* t = as_tensor(o);
    t->flags = (t->flags & ~uint32_t(kOverrides)) | interception_of(Py_TYPE(o));
    Py_RETURN_NONE;
  });
}

template <class F>
PyCFunction fast(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

}  // namespace

PyMethodDef interception_functions[] = {
    {"attend", fast(function_attend), METH_FASTCALL, nullptr},
    {"attended", function_attended, METH_O, nullptr},
    {"set_dual", fast(function_set_dual), METH_FASTCALL, nullptr},
    {"intercepted", function_intercepted, METH_O, nullptr},
    {"reclassed", function_reclassed, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace flambeau
