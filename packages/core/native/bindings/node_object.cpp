// The grad_fn object: a window onto a node of the graph.
#include <Python.h>
#include <structmember.h>

#include "bindings/bindings.h"

namespace flambeau {
namespace {

PyTypeObject* node_type = nullptr;

struct NodeObject {
  PyObject_HEAD Node* node;  // or nullptr, for a leaf's end of the graph
  Tensor* leaf;              // strong
  PyObject* metadata;
  PyObject* weakrefs;
};

NodeObject* self_of(PyObject* o) { return reinterpret_cast<NodeObject*>(o); }

const char* name_of(PyObject* o) {
  return self_of(o)->node ? self_of(o)->node->name() : "AccumulateGrad";
}

NodeObject* allocate() {
  auto* o = PyObject_New(NodeObject, node_type);
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

PyObject* get_next(PyObject* o, void*) {
  return guarded([&]() -> PyObject* {
    Node* n = self_of(o)->node;
    PyObject* all = checked(PyTuple_New(n ? n->n_edges : 0));
    for (int i = 0; n && i < n->n_edges; i++) {
      const Edge& e = n->edges[i];
      PyObject* next = Py_None;
      Py_INCREF(next);
      if (Node* m = e.node()) {
        Py_DECREF(next);
        next = node_object(m);
      } else if (Tensor* leaf = e.leaf()) {
        Py_DECREF(next);
        NodeObject* end = allocate();
        Py_INCREF(reinterpret_cast<PyObject*>(leaf));
        end->leaf = leaf;
        next = reinterpret_cast<PyObject*>(end);
      }
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
  if (!s->metadata) s->metadata = PyDict_New();
  Py_XINCREF(s->metadata);
  return s->metadata;
}

PyObject* get_sequence(PyObject* o, PyObject*) {
  return PyLong_FromUnsignedLongLong(self_of(o)->node ? self_of(o)->node->seq : UINT64_MAX);
}

PyObject* register_on(PyObject* o, PyObject* hook, bool before) {
  return guarded([&]() -> PyObject* {
    Node* n = self_of(o)->node;
    if (!n) fail(ErrorKind::Runtime, "hooks on a leaf's node: register them on the tensor itself");
    PyObject*& hooks = before ? n->more()->pre_hooks : n->more()->hooks;
    if (!hooks) hooks = checked(PyDict_New());
    return add_hook(hooks, hook);
  });
}
PyObject* register_hook(PyObject* o, PyObject* hook) { return register_on(o, hook, false); }
PyObject* register_prehook(PyObject* o, PyObject* hook) { return register_on(o, hook, true); }

PyGetSetDef attributes[] = {
    {"next_functions", get_next, nullptr, "((node, output), ...) that gradients go to", nullptr},
    {"variable", get_variable, nullptr, "the leaf tensor", nullptr},
    {"metadata", get_metadata, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"name", name, METH_NOARGS, "The name of the gradient function."},
                         {"register_hook", register_hook, METH_O, nullptr},
                         {"register_prehook", register_prehook, METH_O, nullptr},
                         {"_sequence_nr", get_sequence, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(NodeObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_getset, attributes},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"flambeau_core.autograd.Node", sizeof(NodeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

PyObject* node_object(Node* n) {
  NodeExtra* x = n->more();
  if (x->python_object) return Py_INCREF(x->python_object), x->python_object;
  NodeObject* o = allocate();
  retain(n);
  o->node = n;
  x->python_object = reinterpret_cast<PyObject*>(o);
  return x->python_object;
}

bool make_node_type(PyObject* module) {
  node_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return node_type &&
         PyObject_SetAttrString(module, "Node", reinterpret_cast<PyObject*>(node_type)) == 0;
}

}  // namespace flambeau
