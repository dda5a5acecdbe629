// Questions about the graph that transforms ask.
#include <unordered_set>

#include "bindings/bindings.h"

namespace flambeau {
namespace {

std::vector<Tensor*> tensors_in(PyObject* list) {
  std::vector<Tensor*> out;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
    PyObject* o = PyList_GET_ITEM(list, i);
    if (!is_tensor(o)) fail(ErrorKind::Type, "reaches_beyond takes lists of tensors");
    out.push_back(as_tensor(o));
  }
  return out;
}

// reaches_beyond(outputs, own): whether the history of the outputs leads to leaves
// other than `own`.
PyObject* function_reaches_beyond(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 2 || !PyList_Check(args[0]) || !PyList_Check(args[1]))
      fail(ErrorKind::Type, "reaches_beyond(outputs, own) takes two lists");
    std::unordered_set<const void*> own, seen;
    for (Tensor* t : tensors_in(args[1])) own.insert(t);
    std::vector<Node*> open;
    auto visit = [&](Node* node) {
      if (node && seen.insert(node).second) open.push_back(node);
    };
    for (Tensor* t : tensors_in(args[0])) {
      if (!requires_grad(t)) continue;
      if (!t->grad_fn && !own.count(t)) Py_RETURN_TRUE;
      if (t->grad_fn) visit(as_node(t->grad_fn));
    }
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      for (int i = 0; i < node->n_edges; i++) {
        if (Tensor* leaf = node->edges[i].leaf(); leaf && !own.count(leaf)) Py_RETURN_TRUE;
        visit(node->edges[i].node());
      }
    }
    Py_RETURN_FALSE;
  });
}

}  // namespace

PyMethodDef graph_search_functions[] = {
    {"reaches_beyond",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function_reaches_beyond)),
     METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace flambeau
