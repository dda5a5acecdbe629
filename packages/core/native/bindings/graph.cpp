// The graph as Python looks into it: saved-tensor hooks, edges, versions, counts.
#include "autograd/engine.h"
#include "bindings/bindings.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

PyObject* function_push_hooks(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 2 || !PyCallable_Check(args[0]) || !PyCallable_Check(args[1]))
      fail(ErrorKind::Type,
           "saved_tensors_hooks: expected two callables, pack_hook and unpack_hook");
    push_saved_tensors_hooks(args[0], args[1]);
    Py_RETURN_NONE;
  });
}

PyObject* function_pop_hooks(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    pop_saved_tensors_hooks();
    Py_RETURN_NONE;
  });
}

PyObject* function_disable_hooks(PyObject*, PyObject* message) {
  return guarded([&]() -> PyObject* {
    PyObject* before = disable_saved_tensors_hooks(message == Py_None ? nullptr : message);
    if (before) return before;
    Py_RETURN_NONE;
  });
}

PyObject* function_set_write_watcher(PyObject*, PyObject* watcher) {
  set_write_watcher(watcher == Py_None ? nullptr : watcher);
  Py_RETURN_NONE;
}

PyObject* function_is_write_watched(PyObject*, PyObject*) {
  return PyBool_FromLong(grad_mode.watches_writes);
}

PyObject* function_increment_version(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(o))
      fail(ErrorKind::Type, "increment_version: expected a Tensor, got %s", Py_TYPE(o)->tp_name);
    if (as_tensor(o)->storage->inference)
      fail(ErrorKind::Runtime,
           "increment_version: inference tensors do not track a version counter");
    bump_version(as_tensor(o));
    Py_RETURN_NONE;
  });
}

// stand_in(node, output_nr, like): a tensor at that place of the graph, with the values of
// `like`, or without any where it is None.
PyObject* function_stand_in(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 3) fail(ErrorKind::Type, "stand_in takes 3 arguments");
    NodeEnd end = node_end(args[0]);
    if (end.leaf) return boxed(end.leaf);
    long nr = PyLong_AsLong(args[1]);
    if (nr < 0 || nr >= end.node->n_outputs)
      fail(ErrorKind::Index, "%s has no output %ld", end.node->name(), nr);
    Ref t = is_tensor(args[2]) ? alias(as_tensor(args[2])) : empty({}, FB_FLOAT32, Device{});
    attach(t, end.node, uint32_t(nr));
    return object(std::move(t));
  });
}

// The node that a tensor's gradient goes to: its grad_fn, or the one that stands for a leaf.
PyObject* function_gradient_node(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(o) || !requires_grad(as_tensor(o)))
      fail(ErrorKind::Runtime,
           "It is not possible to get the gradient edge for a Tensor that does "
           "not require gradients");
    Tensor* t = as_tensor(o);
    return t->grad_fn ? node_object(as_node(t->grad_fn)) : leaf_node_object(t);
  });
}

PyObject* function_current_backward(PyObject*, PyObject*) {
  return PyLong_FromLongLong(current_backward());
}

PyObject* function_backward_has_inputs(PyObject*, PyObject*) {
  return PyBool_FromLong(backward_has_inputs());
}

PyObject* function_will_execute(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    NodeEnd end = node_end(o);
    return PyBool_FromLong(backward_reaches(end.node, end.leaf));
  });
}

PyObject* function_live_nodes(PyObject*, PyObject*) { return PyLong_FromLongLong(live_nodes); }

template <class F>
PyCFunction fast(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

}  // namespace

PyMethodDef autograd_graph_functions[] = {
    {"push_saved_tensors_hooks", fast(function_push_hooks), METH_FASTCALL, nullptr},
    {"pop_saved_tensors_hooks", function_pop_hooks, METH_NOARGS, nullptr},
    {"disable_saved_tensors_hooks", function_disable_hooks, METH_O, nullptr},
    {"set_write_watcher", function_set_write_watcher, METH_O, nullptr},
    {"is_write_watched", function_is_write_watched, METH_NOARGS, nullptr},
    {"increment_version", function_increment_version, METH_O, nullptr},
    {"stand_in", fast(function_stand_in), METH_FASTCALL, nullptr},
    {"gradient_node", function_gradient_node, METH_O, nullptr},
    {"current_backward", function_current_backward, METH_NOARGS, nullptr},
    {"backward_has_inputs", function_backward_has_inputs, METH_NOARGS, nullptr},
    {"will_execute", function_will_execute, METH_O, nullptr},
    {"_live_nodes", function_live_nodes, METH_NOARGS,
     "How many nodes of graphs are alive in this process."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace flambeau
