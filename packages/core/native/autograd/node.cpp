#include "autograd/node.h"

#include "autograd/python.h"

namespace flambeau {
namespace {

// One counter for all threads: a graph may be built by several of them.
uint64_t next_seq = 0;

}  // namespace

int64_t live_nodes = 0;

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
  Py_XDECREF(metadata);
  Py_XDECREF(traceback);
}

Node::Node(int n_edges, int n_outputs)
    : seq(next_seq++), n_edges(uint16_t(n_edges)), n_outputs(uint16_t(n_outputs)) {
  edges = n_edges <= inline_edges ? inline_edge : new Edge[size_t(n_edges)];
  buffer = n_outputs == 1 ? &inline_buffer : new Tensor*[size_t(n_outputs)]();
  live_nodes++;
}

Node::~Node() {
  if (edges != inline_edge) delete[] edges;
  for (int i = 0; i < n_outputs; i++) Py_XDECREF(reinterpret_cast<PyObject*>(buffer[i]));
  if (buffer != &inline_buffer) delete[] buffer;
  delete extra;
  live_nodes--;
}

int Node::traverse(visitproc visit, void* arg) const {
  if (!extra) return 0;
  for (PyObject* h : extra->tensor_hooks) Py_VISIT(h);
  Py_VISIT(extra->pre_hooks);
  Py_VISIT(extra->hooks);
  Py_VISIT(extra->metadata);
  return 0;
}

Ref Backward::get(const Saved& s) const {
  if (__builtin_expect(!s.is_packed(), 1)) return s.open(node);
  // Hooks unpack a tensor once a pass, however often the gradient reads it.
  for (auto& [key, t] : unpacked_)
    if (key == s.key()) return t;
  unpacked_.emplace_back(s.key(), s.open(node));
  return unpacked_.back().second;
}

namespace {

// After an in-place write the tensor keeps the gradient of its new value.
void move_retained(Tensor* t, Node* from, Node* to, uint32_t nr) {
  auto& all = from->more()->retained;
  for (size_t i = 0; i < all.size(); i++)
    if (PyWeakref_GetObject(all[i].second) == reinterpret_cast<PyObject*>(t)) {
      to->more()->retained.push_back({nr, all[i].second});
      all.erase(all.begin() + long(i));
      return;
    }
}

}  // namespace

void attach(Tensor* out, Node* node, uint32_t nr) {
  if (GraphNode* old = out->grad_fn) {
    if (out->flags & kRetainsGrad) move_retained(out, as_node(old), node, nr);
    retain(node);
    release(old);
  } else {
    retain(node);
  }
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
