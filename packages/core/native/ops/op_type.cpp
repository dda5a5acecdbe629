// The Python type of ops: its attributes, and what it tells about itself.
#include <Python.h>
#include <structmember.h>

#include <cstring>

#include "ops/op_call.h"
#include "ops/primitive.h"

namespace flambeau {

PyTypeObject* op_type = nullptr;

namespace {

PyObject* op_repr(PyObject* self) {
  return PyUnicode_FromFormat("<built-in function %s>", reinterpret_cast<Op*>(self)->name);
}

PyObject* op_get(PyObject* self, PyObject* instance, PyObject*) {
  if (!instance || instance == Py_None) return Py_INCREF(self), self;
  return PyMethod_New(self, instance);
}

PyObject* op_name(PyObject* self, void*) {
  return PyUnicode_FromString(reinterpret_cast<Op*>(self)->name);
}

// Documentation and signature are put together in Python, once somebody asks for them.
PyObject* described(PyObject* self, const char* function) {
  PyObject* module = PyImport_ImportModule("flambeau_core.op_documentation");
  if (!module) return nullptr;
  PyObject* result = PyObject_CallMethod(module, function, "O", self);
  Py_DECREF(module);
  return result;
}
PyObject* op_doc(PyObject* self, void*) { return described(self, "docstring"); }
PyObject* op_signature(PyObject* self, void*) { return described(self, "signature"); }
PyObject* op_definition(PyObject* self, void*) {
  PyObject* function = reinterpret_cast<Op*>(self)->documented;
  return Py_NewRef(function ? function : Py_None);
}

PyObject* op_schemas(PyObject* self, void*) {
  auto op = reinterpret_cast<Op*>(self);
  PyObject* t = PyTuple_New(Py_ssize_t(op->overloads->size()));
  for (size_t i = 0; i < op->overloads->size(); i++)
    PyTuple_SET_ITEM(t, Py_ssize_t(i),
                     PyUnicode_FromString(shown(op, (*op->overloads)[i].schema).c_str()));
  return t;
}

// Native ops and Python ones with a gradient of their own; composed ops are not.
PyObject* op_is_primitive(PyObject* self, void*) {
  const auto& overloads = *reinterpret_cast<Op*>(self)->overloads;
  for (const Overload& o : overloads)
    if (o.impl == run_python_op) Py_RETURN_FALSE;
  Py_RETURN_TRUE;
}

PyObject* op_gradient(PyObject* self, PyObject* function) {
  auto op = reinterpret_cast<Op*>(self);
  return guarded([&]() -> PyObject* {
    for (auto o = op->overloads->rbegin(); o != op->overloads->rend(); ++o)
      if (o->impl == run_primitive) {
        set_gradient(static_cast<const Primitive*>(o->row), function);
        return Py_NewRef(function);
      }
    fail(ErrorKind::Type, "%s is not a primitive declared in Python: it has a gradient already",
         op->name);
  });
}

// By name in flambeau_core; ops of other modules by a look-up that knows those.
PyObject* op_reduce(PyObject* self, PyObject*) {
  const char* name = reinterpret_cast<Op*>(self)->name;
  PyObject* core = PyImport_ImportModule("flambeau_core");
  PyObject* there = core ? PyObject_GetAttrString(core, name) : nullptr;
  if (!there) PyErr_Clear();
  Py_XDECREF(core);
  Py_XDECREF(there);
  if (there == self) return op_name(self, nullptr);
  PyObject* declare = PyImport_ImportModule("flambeau_core.declare");
  PyObject* named = declare ? PyObject_GetAttrString(declare, "op_named") : nullptr;
  Py_XDECREF(declare);
  return named ? Py_BuildValue("N(s)", named, name) : nullptr;
}

PyObject* op_inplace(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<Op*>(self)->inplace);
}
PyObject* op_elementwise(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<Op*>(self)->elementwise);
}
PyObject* op_functional(PyObject* self, void*) {
  auto op = reinterpret_cast<Op*>(self);
  if (!op->inplace) return Py_NewRef(self);
  Op* functional = find_op(std::string(op->name, std::strlen(op->name) - 1));
  return Py_NewRef(functional ? reinterpret_cast<PyObject*>(functional) : Py_None);
}
PyObject* op_get_asks(PyObject* self, void*) {
  return PyBool_FromLong(reinterpret_cast<Op*>(self)->asks_transforms);
}
PyObject* op_composition(PyObject* self, void*) {
  PyObject* definition = reinterpret_cast<Op*>(self)->composition;
  return Py_NewRef(definition ? definition : Py_None);
}
int op_set_asks(PyObject* self, PyObject* value, void*) {
  int v = value ? PyObject_IsTrue(value) : -1;
  if (v >= 0) reinterpret_cast<Op*>(self)->asks_transforms = v;
  return v < 0 ? -1 : 0;
}

PyGetSetDef op_getset[] = {
    {"inplace", op_inplace, nullptr, "Whether it writes into its first argument.", nullptr},
    {"composition", op_composition, nullptr, "Its definition in Python, or None.", nullptr},
    {"elementwise", op_elementwise, nullptr,
     "Whether each element of the result depends on the like-placed ones alone.", nullptr},
    {"functional", op_functional, nullptr,
     "The op of which this is the in-place form; itself otherwise.", nullptr},
    {"asks_transforms", op_get_asks, op_set_asks, "Whether active transforms are shown every call.",
     nullptr},
    {"__name__", op_name, nullptr, nullptr, nullptr},
    {"__qualname__", op_name, nullptr, nullptr, nullptr},
    {"__doc__", op_doc, nullptr, nullptr, nullptr},
    {"__signature__", op_signature, nullptr, nullptr, nullptr},
    {"definition", op_definition, nullptr, "The Python function that it is, or None.", nullptr},
    {"schemas", op_schemas, nullptr, nullptr, nullptr},
    {"is_primitive", op_is_primitive, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef op_methods[] = {
    {"gradient", op_gradient, METH_O,
     "gradient(function)\n\nRegisters the gradient of a primitive; "
     "see flambeau_core.declare."},
    {"__reduce__", op_reduce, METH_NOARGS, nullptr},
    {"_run", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(op_run)), METH_FASTCALL,
     nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef op_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Op, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Op, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot op_slots[] = {{Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                          {Py_tp_repr, reinterpret_cast<void*>(op_repr)},
                          {Py_tp_descr_get, reinterpret_cast<void*>(op_get)},
                          {Py_tp_getset, op_getset},
                          {Py_tp_methods, op_methods},
                          {Py_tp_members, op_members},
                          {0, nullptr}};
PyType_Spec op_spec = {"flambeau_core.Op", sizeof(Op), 0,
                       Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL |
                           Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                       op_slots};

}  // namespace

bool make_op_type() {
  op_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&op_spec));
  return op_type != nullptr;
}

}  // namespace flambeau
