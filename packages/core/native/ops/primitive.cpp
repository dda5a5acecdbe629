#include "ops/primitive.h"

#include <algorithm>
#include <cctype>

#include "base/dtype.h"
#include "ops/interception.h"

namespace flambeau {
namespace {

// A value that the gradient may read: a tensor, a list of them, or anything else.
struct SavedValue {
  Saved tensor;
  std::vector<Saved> list;
  PyObject* other = nullptr;  // owned
  bool is_list = false;
};

// "_linalg_eigh" is LinalgEighBackward0 in the graph.
std::string node_name(const std::string& op) {
  std::string name;
  bool starts_word = true;
  for (char c : op) {
    if (c != '_') name += starts_word ? char(toupper(c)) : c;
    starts_word = c == '_';
  }
  return name + "Backward0";
}

class PrimitiveNode final : public Node {
 public:
  PrimitiveNode(std::string name, int n_edges, int n_outputs, const Primitive* primitive)
      : Node(n_edges, n_outputs), name_(std::move(name)), primitive_(primitive) {}
  ~PrimitiveNode() override { PrimitiveNode::release_saved(); }
  const char* name() const override { return name_.c_str(); }
  int traverse(visitproc visit, void* arg) const override {
    for (const SavedValue& v : inputs) Py_VISIT(v.other);
    return Node::traverse(visit, arg);
  }
  void release_saved() override {
    live_ = false;
    for (SavedValue& v : inputs) Py_CLEAR(v.other);
    inputs.clear();
    outputs.clear();
  }
  void apply(Backward& b) override;

  std::vector<SavedValue> inputs;   // every argument, in the schema's order
  std::vector<SavedValue> outputs;  // every result
  std::vector<int> counts;          // per tensor parameter: -1, or the length of its list

 private:
  PyObject* needs(const Backward& b) const;
  void take(Backward& b, PyObject* gradients) const;
  void take_one(Backward& b, int edge, PyObject* gradient) const;
  [[noreturn]] void fail_count(Py_ssize_t got) const;

  std::string name_;
  const Primitive* primitive_;
  bool live_ = true;
};

// ---- what the gradient sees of saved values: a sequence that unpacks what is asked for ----

struct SavedValues {
  PyObject_HEAD PrimitiveNode* node;
  bool of_outputs;
};

PyTypeObject* saved_values_type = nullptr;

const std::vector<SavedValue>& values_of(PyObject* o) {
  auto* s = reinterpret_cast<SavedValues*>(o);
  return s->of_outputs ? s->node->outputs : s->node->inputs;
}

PyObject* unpacked(Node* node, const SavedValue& v) {
  Backward reader(node, nullptr, nullptr);
  if (v.is_list) {
    PyObject* list = checked(PyList_New(Py_ssize_t(v.list.size())));
    for (size_t i = 0; i < v.list.size(); i++)
      PyList_SET_ITEM(list, Py_ssize_t(i), boxed(reader.get(v.list[i])));
    return list;
  }
  if (v.tensor) return object(reader.get(v.tensor));
  PyObject* other = v.other ? v.other : Py_None;
  Py_INCREF(other);
  return other;
}

Py_ssize_t saved_length(PyObject* o) { return Py_ssize_t(values_of(o).size()); }
PyObject* saved_item(PyObject* o, Py_ssize_t i) {
  return guarded([&]() -> PyObject* {
    const auto& values = values_of(o);
    if (i < 0 || i >= Py_ssize_t(values.size()))
      fail(ErrorKind::Index, "there are %zu saved values", values.size());
    return unpacked(reinterpret_cast<SavedValues*>(o)->node, values[size_t(i)]);
  });
}
void saved_free(PyObject* o) {
  release(reinterpret_cast<SavedValues*>(o)->node);
  PyTypeObject* type = Py_TYPE(o);
  type->tp_free(o);
  Py_DECREF(type);
}

PyType_Slot saved_slots[] = {{Py_sq_length, reinterpret_cast<void*>(saved_length)},
                             {Py_sq_item, reinterpret_cast<void*>(saved_item)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(saved_free)},
                             {0, nullptr}};
PyType_Spec saved_spec = {"flambeau_core._C.SavedValues", sizeof(SavedValues), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, saved_slots};

PyObject* saved_values(PrimitiveNode* node, bool of_outputs) {
  auto* s = PyObject_New(SavedValues, saved_values_type);
  if (!s) throw PythonError{};
  retain(node);
  s->node = node;
  s->of_outputs = of_outputs;
  return reinterpret_cast<PyObject*>(s);
}

// ---- backward ----

PyObject* PrimitiveNode::needs(const Backward& b) const {
  PyObject* all = checked(PyTuple_New(Py_ssize_t(counts.size())));
  int edge = 0;
  for (size_t p = 0; p < counts.size(); p++) {
    PyObject* one = counts[p] < 0 ? PyBool_FromLong(b.needs(edge)) : PyTuple_New(counts[p]);
    for (int i = 0; i < counts[p]; i++)
      PyTuple_SET_ITEM(one, i, PyBool_FromLong(b.needs(edge + i)));
    edge += counts[p] < 0 ? 1 : counts[p];
    PyTuple_SET_ITEM(all, Py_ssize_t(p), one);
  }
  return all;
}

void PrimitiveNode::apply(Backward& b) {
  if (!live_) fail_second_backward();
  if (!primitive_->gradient)
    fail(ErrorKind::NotImplemented, "%s: the derivative of this op is not implemented", name());
  PyObject* grads = checked(PyTuple_New(n_outputs));
  for (int i = 0; i < n_outputs; i++) PyTuple_SET_ITEM(grads, i, boxed(b.grad(i)));
  PyObject* args[] = {grads, saved_values(this, false), saved_values(this, true), needs(b)};
  PyObject* found;
  {
    AttentionGuard whole(0, kAutocast);
    found = PyObject_Vectorcall(primitive_->gradient, args, 4, nullptr);
  }
  for (PyObject* o : args) Py_DECREF(o);
  checked(found);
  try {
    take(b, found);
  } catch (...) {
    Py_DECREF(found);
    throw;
  }
  Py_DECREF(found);
}

void PrimitiveNode::take(Backward& b, PyObject* found) const {
  bool several = PyTuple_Check(found) || PyList_Check(found);
  // One tensor alone may come without a tuple.
  if (!several || (counts.size() == 1 && counts[0] >= 0 && PyList_Check(found))) {
    if (counts.size() != 1) fail_count(1);
    if (!several) return take_one(b, 0, found);
    for (int i = 0; i < counts[0] && i < PyList_GET_SIZE(found); i++)
      take_one(b, i, PyList_GET_ITEM(found, i));
    return;
  }
  if (PySequence_Fast_GET_SIZE(found) != Py_ssize_t(counts.size()))
    fail_count(PySequence_Fast_GET_SIZE(found));
  int edge = 0;
  for (size_t p = 0; p < counts.size(); p++) {
    PyObject* item = PySequence_Fast_GET_ITEM(found, Py_ssize_t(p));
    bool is_list = PyTuple_Check(item) || PyList_Check(item);
    if (counts[p] < 0) {
      take_one(b, edge++, item);
      continue;
    }
    if (item != Py_None && (!is_list || PySequence_Fast_GET_SIZE(item) != counts[p]))
      fail(ErrorKind::Runtime, "%s: expected a list of %d gradients for a list of tensors", name(),
           counts[p]);
    for (int i = 0; i < counts[p]; i++, edge++)
      if (item != Py_None) take_one(b, edge, PySequence_Fast_GET_ITEM(item, i));
  }
}

void PrimitiveNode::take_one(Backward& b, int edge, PyObject* gradient) const {
  if (gradient == Py_None) return;
  if (!is_tensor(gradient))
    fail(ErrorKind::Type, "%s: a gradient is of type %s, expected a tensor or None", name(),
         Py_TYPE(gradient)->tp_name);
  if (b.needs(edge)) b.set(edge, Ref(as_tensor(gradient)));
}

void PrimitiveNode::fail_count(Py_ssize_t got) const {
  fail(ErrorKind::Runtime,
       "function %s returned an incorrect number of gradients (expected %zu, got %zd)", name(),
       counts.size(), got);
}

// ---- forward ----

// The tensor inputs, one an edge, with those of lists in their places.
std::vector<Tensor*> tensor_inputs(const Args& a, std::vector<int>& counts) {
  std::vector<Tensor*> all;
  for (int i = 0; i < a.n; i++) {
    Kind kind = a.schema->params[size_t(i)].kind;
    if (kind == Kind::Tensors) {
      auto list = a.tensors(i);
      all.insert(all.end(), list.begin(), list.end());
      counts.push_back(int(list.size()));
    } else if (kind == Kind::Tensor || kind == Kind::Operand) {
      all.push_back(a.tensor(i));
      counts.push_back(-1);
    }
  }
  return all;
}

std::vector<SavedValue> saved_inputs(const Args& a) {
  std::vector<SavedValue> saved(size_t(a.n));
  for (int i = 0; i < a.n; i++) {
    SavedValue& v = saved[size_t(i)];
    v.is_list = a.schema->params[size_t(i)].kind == Kind::Tensors && a.given(i);
    if (v.is_list) {
      for (Tensor* t : a.tensors(i)) v.list.emplace_back(t);
    } else if (Tensor* t = a.tensor(i)) {
      v.tensor = Saved(t);
    } else {
      v.other = box(a.slot[i]);
    }
  }
  return saved;
}

SavedValue saved_output(PyObject* o, Tensor* tracked, uint32_t nr) {
  SavedValue v;
  if (tracked) {
    v.tensor = Saved::output(tracked, nr);
  } else if (is_tensor(o)) {
    v.tensor = Saved(as_tensor(o));
  } else {
    Py_INCREF(o);
    v.other = o;
  }
  return v;
}

// The tensors among the results that have a gradient; null for the others.
std::vector<Tensor*> differentiable(PyObject* const* results, Py_ssize_t n) {
  std::vector<Tensor*> tracked;
  for (Py_ssize_t i = 0; i < n; i++) {
    Tensor* t = is_tensor(results[i]) ? as_tensor(results[i]) : nullptr;
    tracked.push_back(t && is_differentiable(t->dtype()) ? t : nullptr);
  }
  return tracked;
}

void record_primitive(Args& a, const std::vector<Tensor*>& inputs, std::vector<int> counts,
                      PyObject* const* results, Py_ssize_t n) {
  auto tracked = differentiable(results, n);
  if (std::none_of(tracked.begin(), tracked.end(), [](Tensor* t) { return t != nullptr; })) return;
  auto* node = new PrimitiveNode(node_name(a.op->name), int(inputs.size()), int(n),
                                 static_cast<const Primitive*>(a.row));
  for (size_t i = 0; i < inputs.size(); i++)
    if (inputs[i]) {
      node->edges[i].point_at(inputs[i]);
      node->edges[i].expect_shape(inputs[i]->shape());
    }
  if (grad_mode.anomaly) note_traceback(node);
  try {
    node->inputs = saved_inputs(a);
    for (Py_ssize_t i = 0; i < n; i++)
      node->outputs.push_back(saved_output(results[i], tracked[size_t(i)], uint32_t(i)));
  } catch (...) {
    release(node);
    throw;
  }
  node->counts = std::move(counts);
  for (Py_ssize_t i = 0; i < n; i++)
    if (tracked[size_t(i)]) attach(tracked[size_t(i)], node, uint32_t(i));
  release(node);
}

// An output that is an input itself must not take that one's place in the graph.
PyObject* apart_from(PyObject* result, const std::vector<Tensor*>& inputs) {
  if (!is_tensor(result)) return result;
  if (std::find(inputs.begin(), inputs.end(), as_tensor(result)) == inputs.end()) return result;
  PyObject* stand_in = object(alias(as_tensor(result)));
  Py_DECREF(result);
  return stand_in;
}

}  // namespace

const Primitive* new_primitive(PyObject* function) {
  Py_INCREF(function);
  return new Primitive{function};
}

void set_gradient(const Primitive* primitive, PyObject* gradient) {
  auto* p = const_cast<Primitive*>(primitive);
  Py_INCREF(gradient);
  Py_XSETREF(p->gradient, gradient);
}

PyObject* run_primitive(Args& a) {
  PyObject* result;
  {
    GradModeGuard off(false);
    AttentionGuard whole(0, kAutocast);
    result = call_boxed(static_cast<const Primitive*>(a.row)->function, a);
  }
  if (!grad_mode.enabled) return result;
  std::vector<int> counts;
  auto inputs = tensor_inputs(a, counts);
  if (std::none_of(inputs.begin(), inputs.end(), [](Tensor* t) { return t && requires_grad(t); }))
    return result;
  try {
    if (PyTuple_Check(result) || PyList_Check(result)) {
      PyObject** items = PySequence_Fast_ITEMS(result);
      Py_ssize_t n = PySequence_Fast_GET_SIZE(result);
      for (Py_ssize_t i = 0; i < n; i++) items[i] = apart_from(items[i], inputs);
      record_primitive(a, inputs, std::move(counts), items, n);
    } else {
      result = apart_from(result, inputs);
      record_primitive(a, inputs, std::move(counts), &result, 1);
    }
  } catch (...) {
    Py_DECREF(result);
    throw;
  }
  return result;
}

bool make_saved_values_type() {
  saved_values_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&saved_spec));
  return saved_values_type != nullptr;
}

}  // namespace flambeau
