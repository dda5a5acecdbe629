// The grad_fn object: a window onto a node of the graph.
#include <Python.h>
#include <structmember.h>

#include <unordered_map>

#include "bindings/bindings.h"

namespace flambeau {
namespace {

PyTypeObject* node_type = nullptr;

struct NodeObject {
  PyObject_HEAD Node* node;  // or nullptr, for a leaf's end of the graph
  Tensor* leaf;              // strong
  PyObject* metadata;        // of a leaf's end; a node has its own
  PyObject* weakrefs;
};

NodeObject* self_of(PyObject* o) { return reinterpret_cast<NodeObject*>(o); }

const char* name_of(PyObject* o) {
  return self_of(o)->node ? self_of(o)->node->name() : "AccumulateGrad";
}

PyType_Slot no_slots[] = {{0, nullptr}};

// Each name of a node has a type of its own, so that type(grad_fn).__name__ tells it.
PyTypeObject* type_named(const char* name) {
  static std::unordered_map<std::string, PyTypeObject*> types;
  PyTypeObject*& type = types[name];
  if (type) return type;
  // Older Pythons keep a pointer into the spec's name.
  auto* full = new std::string("flambeau_core.autograd." + std::string(name));
  PyType_Spec spec = {full->c_str(), 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      no_slots};
  PyObject* bases = checked(PyTuple_Pack(1, node_type));
  type = reinterpret_cast<PyTypeObject*>(PyType_FromSpecWithBases(&spec, bases));
  Py_DECREF(bases);
  checked(reinterpret_cast<PyObject*>(type));
  return type;
}

NodeObject* allocate(const char* name) {
  auto* o = PyObject_New(NodeObject, type_named(name));
  if (!o) throw PythonError{};
  o->node = nullptr;
  o->leaf = nullptr;
  o->metadata = nullptr;
  o->weakrefs = nullptr;
  return o;
}

void dealloc(PyObject* o) {
  NodeObject* s = self_of(o);
  if (s->weakrefs) PyObject_ClearWeakRefs(o);
  if (s->node) {
    if (s->node->extra) s->node->extra->python_object = nullptr;
    release(s->node);
  }
  if (s->leaf && s->leaf->extra) s->leaf->extra->node_object = nullptr;
  Py_XDECREF(reinterpret_cast<PyObject*>(s->leaf));
  Py_XDECREF(s->metadata);
  PyTypeObject* type = Py_TYPE(o);
  PyObject_Free(o);
  Py_DECREF(type);
}

PyObject* repr(PyObject* o) {
  return PyUnicode_FromFormat("<%s object at %p>", name_of(o), static_cast<void*>(o));
}
PyObject* name(PyObject* o, PyObject*) { return PyUnicode_FromString(name_of(o)); }

// What a custom function left in its context is seen on its node too.
PyObject* get_attribute(PyObject* o, PyObject* attribute) {
  PyObject* found = PyObject_GenericGetAttr(o, attribute);
  Node* n = self_of(o)->node;
  if (found || !n || !n->context() || n->context() == Py_None) return found;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return nullptr;
  PyErr_Clear();
  return PyObject_GetAttr(n->context(), attribute);
}

int set_attribute(PyObject* o, PyObject* attribute, PyObject* value) {
  Node* n = self_of(o)->node;
  bool own = !n || !n->context() || n->context() == Py_None ||
             _PyType_Lookup(Py_TYPE(o), attribute) != nullptr;
  return own ? PyObject_GenericSetAttr(o, attribute, value)
             : PyObject_SetAttr(n->context(), attribute, value);
}

PyObject* get_next(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    Node* n = self_of(o)->node;
    PyObject* all = checked(PyTuple_New(n ? n->n_edges : 0));
    for (int i = 0; n && i < n->n_edges; i++) {
      const Edge& e = n->edges[i];
      PyObject* next = e.node()   ? node_object(e.node())
                       : e.leaf() ? leaf_node_object(e.leaf())
                                  : Py_NewRef(Py_None);
      PyTuple_SET_ITEM(all, i, Py_BuildValue("(NI)", next, e.nr));
    }
    return all;
  });
}

PyObject* get_variable(PyObject* o, void*) {
  Tensor* leaf = self_of(o)->leaf;
  if (!leaf) {
    PyErr_Format(PyExc_AttributeError, "'%s' object has no attribute 'variable'", name_of(o));
    return nullptr;
  }
  return boxed(leaf);
}

PyObject* get_metadata(PyObject* o, void*) {
  NodeObject* s = self_of(o);
  PyObject*& notes = s->node ? s->node->more()->metadata : s->metadata;
  if (!notes) notes = PyDict_New();
  Py_XINCREF(notes);
  return notes;
}

PyObject* get_sequence(PyObject* o, PyObject*) {
  return PyLong_FromUnsignedLongLong(self_of(o)->node ? self_of(o)->node->seq : UINT64_MAX);
}

PyObject* register_on(PyObject* o, PyObject* hook, bool before) {
  return guarded([&]() -> PyObject* {
    PyObject** hooks;
    if (Node* n = self_of(o)->node) {
      hooks = before ? &n->more()->pre_hooks : &n->more()->hooks;
    } else {
      TensorExtra* x = extra_of(self_of(o)->leaf);
      hooks = before ? &x->node_pre_hooks : &x->node_hooks;
    }
    if (!*hooks) *hooks = checked(PyDict_New());
    return add_hook(*hooks, hook);
  });
}
PyObject* register_hook(PyObject* o, PyObject* hook) { return register_on(o, hook, false); }
PyObject* register_prehook(PyObject* o, PyObject* hook) { return register_on(o, hook, true); }

PyGetSetDef attributes[] = {
    {"next_functions", get_next, nullptr,
     "The nodes that gradients go to, each with the number of its output.", nullptr},
    {"variable", get_variable, nullptr, "The leaf tensor that gradients are added to.", nullptr},
    {"metadata", get_metadata, nullptr, "A dict for the program's own notes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"name", name, METH_NOARGS, "The name of the gradient function."},
    {"register_hook", register_hook, METH_O,
     "register_hook(hook) -> handle\n\nCalls hook(grad_inputs, grad_outputs) after the gradient "
     "was computed; a tuple\nthat it returns takes the place of grad_inputs."},
    {"register_prehook", register_prehook, METH_O,
     "register_prehook(hook) -> handle\n\nCalls hook(grad_outputs) before the gradient is "
     "computed; "
     "a tuple that it\nreturns takes the place of grad_outputs."},
    {"_sequence_nr", get_sequence, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(NodeObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                       {Py_tp_setattro, reinterpret_cast<void*>(set_attribute)},
                       {Py_tp_getset, attributes},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"flambeau_core.autograd.Node", sizeof(NodeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

}  // namespace

PyObject* node_object(Node* n) {
  NodeExtra* x = n->more();
  if (x->python_object) return Py_NewRef(x->python_object);
  NodeObject* o = allocate(n->name());
  retain(n);
  o->node = n;
  x->python_object = reinterpret_cast<PyObject*>(o);
  return x->python_object;
}

PyObject* leaf_node_object(Tensor* leaf) {
  TensorExtra* x = extra_of(leaf);
  if (x->node_object) return Py_NewRef(x->node_object);
  NodeObject* o = allocate("AccumulateGrad");
  Py_INCREF(reinterpret_cast<PyObject*>(leaf));
  o->leaf = leaf;
  x->node_object = reinterpret_cast<PyObject*>(o);
  return x->node_object;
}

NodeEnd node_end(PyObject* o) {
  if (!PyObject_TypeCheck(o, node_type))
    fail(ErrorKind::Type, "expected a node of the graph, got %s", Py_TYPE(o)->tp_name);
  return {self_of(o)->node, self_of(o)->leaf};
}

bool make_node_type(PyObject* module) {
  node_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return node_type &&
         PyObject_SetAttrString(module, "Node", reinterpret_cast<PyObject*>(node_type)) == 0;
}

}  // namespace flambeau
