// The context managers that switch gradient recording.
#include "bindings/bindings.h"

namespace flambeau {
namespace {

// What a context does; a subclass names it in its attribute `kind`.
enum Kind { NoGrad = 0, EnableGrad = 1, Inference = 2, Normal = 3 };

struct Context {
  PyObject_HEAD int kind;
  bool enabled_before, inference_before;
};

PyObject* create(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* kind = PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "kind");
  if (!kind) return nullptr;
  auto* c = reinterpret_cast<Context*>(type->tp_alloc(type, 0));
  if (c) c->kind = int(PyLong_AsLong(kind));
  Py_DECREF(kind);
  // @no_grad without parentheses decorates right away.
  if (c && PyTuple_GET_SIZE(args) == 1 && PyCallable_Check(PyTuple_GET_ITEM(args, 0))) {
    PyObject* decorated =
        PyObject_CallOneArg(reinterpret_cast<PyObject*>(c), PyTuple_GET_ITEM(args, 0));
    Py_DECREF(c);
    return decorated;
  }
  return reinterpret_cast<PyObject*>(c);
}

PyObject* enter(PyObject* self, PyObject*) {
  auto* c = reinterpret_cast<Context*>(self);
  c->enabled_before = grad_mode.enabled;
  c->inference_before = inference_memory;
  grad_mode.enabled = c->kind == EnableGrad || c->kind == Normal;
  if (c->kind >= Inference) inference_memory = c->kind == Inference;
  Py_RETURN_NONE;
}

PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) {
  auto* c = reinterpret_cast<Context*>(self);
  grad_mode.enabled = c->enabled_before;
  inference_memory = c->inference_before;
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"__enter__", enter, METH_NOARGS, nullptr},
    {"__exit__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(leave)), METH_FASTCALL,
     nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(create)}, {Py_tp_methods, methods}, {0, nullptr}};
PyType_Spec spec = {"flambeau_core._C.GradContext", sizeof(Context), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

}  // namespace

bool make_grad_context_type(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  return type && PyModule_AddObject(module, "GradContext", type) == 0;
}

}  // namespace flambeau
