#include "autograd/node.h"

#include "autograd/python.h"

namespace flambeau {
namespace {

// One counter for all threads: a graph may be built by several of them.
uint64_t next_seq = 0;

}  // namespace

void Edge::reset() {
  if (Node* n = node()) {
    release(n);
  } else if (Tensor* t = leaf()) {
    Py_DECREF(reinterpret_cast<PyObject*>(t));
  }
  target_ = 0;
  delete shape;
  shape = nullptr;
}

void Edge::point_at(Tensor* t) {
  reset();
  if (!requires_grad(t)) return;
  dtype = t->arr.dtype;
  device = t->device;
  if (t->grad_fn) {
    retain(t->grad_fn);
    target_ = reinterpret_cast<uintptr_t>(as_node(t->grad_fn));
    nr = t->output_nr;
  } else {
    Py_INCREF(reinterpret_cast<PyObject*>(t));
    target_ = reinterpret_cast<uintptr_t>(t) | 1;
    nr = 0;
  }
}

void Edge::point_at(Node* n, uint32_t output, DType d) {
  reset();
  retain(n);
  target_ = reinterpret_cast<uintptr_t>(n);
  nr = output;
  dtype = uint8_t(d);
}

NodeExtra::~NodeExtra() {
  for (PyObject* h : tensor_hooks) Py_XDECREF(h);
  for (auto& r : retained) Py_XDECREF(r.second);
  Py_XDECREF(pre_hooks);
  Py_XDECREF(hooks);
  Py_XDECREF(traceback);
}

Node::Node(int n_edges, int n_outputs)
    : seq(next_seq++), n_edges(uint16_t(n_edges)), n_outputs(uint16_t(n_outputs)) {
  edges = n_edges <= inline_edges ? inline_edge : new Edge[size_t(n_edges)];
  buffer = n_outputs == 1 ? &inline_buffer : new Tensor*[size_t(n_outputs)]();
}

Node::~Node() {
  if (edges != inline_edge) delete[] edges;
  for (int i = 0; i < n_outputs; i++) Py_XDECREF(reinterpret_cast<PyObject*>(buffer[i]));
  if (buffer != &inline_buffer) delete[] buffer;
  delete extra;
}

Saved::Saved(Tensor* input) : tensor_(input), version_(input ? input->storage->version : 0) {
  if (input && __builtin_expect(input->storage->inference, 0))
    fail(ErrorKind::Runtime,
         "Inference tensors cannot be saved for backward: a tensor of shape %s was made in "
         "inference "
         "mode. Make a clone() of it to get a normal tensor and use that in autograd.",
         to_string(input->shape()).c_str());
}

int Node::traverse(visitproc visit, void* arg) const {
  if (!extra) return 0;
  for (PyObject* h : extra->tensor_hooks) Py_VISIT(h);
  Py_VISIT(extra->pre_hooks);
  Py_VISIT(extra->hooks);
  return 0;
}

Saved Saved::output(Tensor* out, uint32_t nr) {
  Saved s;
  s.tensor_ = alias(out);
  s.version_ = out->storage->version;
  s.output_nr_ = int32_t(nr);
  return s;
}

Ref Backward::get(const Saved& s) const {
  Tensor* t = s.tensor_;
  if (!t) return nullptr;
  if (t->storage->version != s.version_)
    fail(ErrorKind::Runtime,
         "one of the variables needed for gradient computation has been modified by an inplace "
         "operation: [flambeau.%sTensor %s], which is saved for %s, is at version %u; expected "
         "version %u instead. Hint: enable anomaly detection to find the operation that failed to "
         "compute its gradient, with flambeau.autograd.set_detect_anomaly(True).",
         info(t->dtype()).legacy_name, to_string(t->shape()).c_str(), node->name(),
         t->storage->version, s.version_);
  if (s.output_nr_ < 0 || !grad_mode.enabled) return Ref(t);
  // For higher derivatives the alias takes its place in the graph again.
  Ref r = alias(t);
  attach(r, node, uint32_t(s.output_nr_));
  return r;
}

void attach(Tensor* out, Node* node, uint32_t nr) {
  if (out->grad_fn) release(out->grad_fn);
  retain(node);
  out->grad_fn = node;
  out->output_nr = nr;
  out->flags |= kRequiresGrad;
}

void fail_second_backward() {
  fail(ErrorKind::Runtime,
       "Trying to backward through the graph a second time (or directly access saved tensors after "
       "they have already been freed). Saved intermediate values of the graph are freed when you "
       "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
       "through the graph a second time or if you need to access saved tensors after calling "
       "backward.");
}

}  // namespace flambeau
