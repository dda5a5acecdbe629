// Nodes whose gradient is a Python function: what autograd.Function records.
#include <algorithm>

#include "bindings/bindings.h"
#include "dispatch/shape_rules.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

class FunctionNode final : public Node {
 public:
  FunctionNode(std::string name, int n_edges, int n_outputs, PyObject* backward, PyObject* context)
      : Node(n_edges, n_outputs), name_(std::move(name)), backward_(backward), context_(context) {
    Py_INCREF(backward_);
    Py_INCREF(context_);
    link_ = PyCapsule_New(this, nullptr, nullptr);
    if (link_) PyCapsule_SetContext(link_, this);
  }
  ~FunctionNode() override {
    if (link_) PyCapsule_SetContext(link_, nullptr);
    Py_XDECREF(link_);
    Py_DECREF(backward_);
    Py_DECREF(context_);
  }
  const char* name() const override { return name_.c_str(); }
  int traverse(visitproc visit, void* arg) const override {
    Py_VISIT(backward_);
    Py_VISIT(context_);
    return Node::traverse(visit, arg);
  }
  PyObject* context() const override { return context_; }
  void release_saved() override {
    freed_ = freed_ || !saved_.empty();
    saved_.clear();
  }
  void apply(Backward& b) override;

  void save(PyObject* tensors, const std::vector<Ref>& outputs);
  PyObject* saved_tensors();
  // By which the context finds its node as long as that lives.
  PyObject* link() const { return link_; }

 private:
  void take(Backward& b, PyObject* const* gradients, Py_ssize_t n) const;

  std::string name_;
  PyObject *backward_, *context_, *link_;
  std::vector<Saved> saved_;
  bool freed_ = false;
};

void FunctionNode::save(PyObject* tensors, const std::vector<Ref>& outputs) {
  const Py_ssize_t n = PyTuple_Check(tensors) ? PyTuple_GET_SIZE(tensors) : 0;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject* o = PyTuple_GET_ITEM(tensors, i);
    if (o == Py_None) {
      saved_.emplace_back();
      continue;
    }
    if (!is_tensor(o))
      fail(ErrorKind::Type,
           "save_for_backward can only save variables, but argument %zd is of type %s", i,
           Py_TYPE(o)->tp_name);
    auto at = std::find_if(outputs.begin(), outputs.end(),
                           [o](const Ref& r) { return r.get() == as_tensor(o); });
    saved_.push_back(at == outputs.end()
                         ? Saved(as_tensor(o))
                         : Saved::output(as_tensor(o), uint32_t(at - outputs.begin())));
  }
}

PyObject* FunctionNode::saved_tensors() {
  if (freed_) fail_second_backward();
  Backward reader(this, nullptr, nullptr);
  PyObject* all = checked(PyTuple_New(Py_ssize_t(saved_.size())));
  try {
    for (size_t i = 0; i < saved_.size(); i++)
      PyTuple_SET_ITEM(all, Py_ssize_t(i), boxed(reader.get(saved_[i])));
  } catch (...) {
    Py_DECREF(all);
    throw;
  }
  return all;
}

void FunctionNode::apply(Backward& b) {
  std::vector<PyObject*> grads;
  for (int i = 0; i < n_outputs; i++)
    grads.push_back(b.grad(i) ? reinterpret_cast<PyObject*>(b.grad(i).get()) : Py_None);
  PyObject* result = checked(PyObject_Vectorcall(backward_, grads.data(), grads.size(), nullptr));
  const bool several = PyTuple_Check(result) || PyList_Check(result);
  try {
    take(b, several ? PySequence_Fast_ITEMS(result) : &result,
         several ? PySequence_Fast_GET_SIZE(result) : 1);
  } catch (...) {
    Py_DECREF(result);
    throw;
  }
  Py_DECREF(result);
}

// A gradient may be broader than its input, as after broadcasting, and is summed then.
void check_gradient_shape(const char* name, int index, const Edge& e, Tensor* g) {
  if (!e.shape) return;
  int64_t strides[max_dims];
  const Ints wanted(*e.shape);
  if (wanted.n <= g->ndim() && broadcast_strides(wanted, wanted, g->shape(), strides)) return;
  fail(
      ErrorKind::Runtime,
      "Function %s returned an invalid gradient at index %d - got %s but expected shape compatible "
      "with %s",
      name, index, to_string(g->shape()).c_str(), to_string(wanted).c_str());
}

void FunctionNode::take(Backward& b, PyObject* const* gradients, Py_ssize_t n) const {
  for (Py_ssize_t i = 0; i < std::max<Py_ssize_t>(n, n_edges); i++) {
    PyObject* g = i < n ? gradients[i] : nullptr;
    if (i < n && i >= n_edges && g == Py_None) continue;
    if (i >= n || i >= n_edges)
      fail(ErrorKind::Runtime,
           "function %s returned an incorrect number of gradients (expected %d, got %zd)", name(),
           int(n_edges), n);
    if (g == Py_None) continue;
    if (!is_tensor(g))
      fail(ErrorKind::Runtime, "function %s: expected Variable or None as a gradient, got %s",
           name(), Py_TYPE(g)->tp_name);
    check_gradient_shape(name(), int(i), edges[i], as_tensor(g));
    b.set(int(i), Ref(as_tensor(g)));
  }
}

// An output written in place becomes the new value of its input, or of what that views.
void place_output(Tensor* t, const std::vector<Ref>& inputs, Node* node, uint32_t nr) {
  bool written =
      std::any_of(inputs.begin(), inputs.end(), [t](const Ref& x) { return x.get() == t; });
  if (!written) {
    attach(t, node, nr);
    t->rebase_count++;
    if (t->flags & kView) t->flags = (t->flags & ~uint32_t(kFromNoGrad)) | kFromFunction;
    return;
  }
  Ref result = alias(t);
  attach(result, node, nr);
  rebase_history(t, result);
}

// record_function(name, inputs, outputs, backward, context, saved): `backward` becomes the
// gradient of every output (None: not differentiable) for every input. An output that is one of
// the inputs was written in place. `saved` is None or a tuple of what saved_tensors() gives
// again, by the link that is returned.
PyObject* function_record(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 6) fail(ErrorKind::Type, "record_function takes 6 arguments");
    auto inputs = tensors_of("inputs", args[1]), outputs = tensors_of("outputs", args[2]);
    auto* node = new FunctionNode(checked_text(args[0]), int(inputs.size()), int(outputs.size()),
                                  args[3], args[4]);
    PyObject* link;
    try {
      link = checked(node->link());
      for (size_t i = 0; i < inputs.size(); i++)
        if (inputs[i]) {
          node->edges[i].point_at(inputs[i]);
          node->edges[i].expect_shape(inputs[i]->shape());
        }
      if (grad_mode.anomaly) note_traceback(node);
      node->save(args[5], outputs);
      for (size_t i = 0; i < outputs.size(); i++)
        if (outputs[i]) place_output(outputs[i], inputs, node, uint32_t(i));
    } catch (...) {
      release(node);
      throw;
    }
    Py_INCREF(link);
    release(node);
    return link;
  });
}

// saved_tensors(link): what a function saved, unpacked and checked.
PyObject* function_saved_tensors(PyObject*, PyObject* link) {
  return guarded([&]() -> PyObject* {
    if (!PyCapsule_CheckExact(link)) fail(ErrorKind::Type, "saved_tensors: not a link to a node");
    auto* node = static_cast<FunctionNode*>(PyCapsule_GetContext(link));
    if (!node) fail_second_backward();
    return node->saved_tensors();
  });
}

PyObject* function_mark_inplace(PyObject*, PyObject* o) {
  return guarded([&]() -> PyObject* {
    if (!is_tensor(o))
      fail(ErrorKind::Type, "mark_dirty can only accept variables, but got %s",
           Py_TYPE(o)->tp_name);
    check_inplace("Function", as_tensor(o));
    bump_version(as_tensor(o));
    Py_RETURN_NONE;
  });
}

template <class F>
PyCFunction fast(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

}  // namespace

PyMethodDef function_node_functions[] = {
    {"record_function", fast(function_record), METH_FASTCALL, nullptr},
    {"saved_tensors", function_saved_tensors, METH_O, nullptr},
    {"mark_inplace", function_mark_inplace, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace flambeau
