// Nodes of the autograd graph, and the ways to make one: an op records its
// gradient as a lambda beside its forward.
#pragma once

#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/grad_mode.h"
#include "autograd/saved.h"
#include "base/error.h"
#include "memory/allocator.h"
#include "tensor/tensor.h"

namespace flambeau {

struct Node;

// Where a gradient goes: a node's output, or a leaf tensor itself. It knows what
// the input looked like, so that broadcasting and promotion are undone once, on
// the way.
class Edge {
 public:
  Edge() = default;
  Edge(const Edge&) = delete;
  Edge(Edge&& o) noexcept
      : nr(o.nr), dtype(o.dtype), device(o.device), shape(o.shape), target_(o.target_) {
    o.target_ = 0;
    o.shape = nullptr;
  }
  ~Edge() { reset(); }
  // The edge of a tensor's gradient; empty where it needs none.
  void point_at(Tensor* t);
  void point_at(Node* n, uint32_t output, DType dtype);
  // Remembers the input's shape, since the op broadcasts it.
  void expect_shape(Ints s) {
    if (target_ && !shape) shape = new Dims(s);
  }
  void reset();

  bool wanted() const { return target_ != 0; }
  Node* node() const { return target_ & 1 ? nullptr : reinterpret_cast<Node*>(target_); }
  Tensor* leaf() const {
    return target_ & 1 ? reinterpret_cast<Tensor*>(target_ & ~uintptr_t(1)) : nullptr;
  }

  uint32_t nr = 0;
  uint8_t dtype = 0;
  DeviceType* device = nullptr;
  Dims* shape = nullptr;

 private:
  uintptr_t target_ = 0;
};

class Backward;

// What few nodes have.
struct NodeExtra {
  PyObject* python_object = nullptr;    // borrowed: the grad_fn object, while it lives
  std::vector<PyObject*> tensor_hooks;  // per output: {id: callable} or nullptr
  PyObject* pre_hooks = nullptr;        // {id: callable} on the node
  PyObject* hooks = nullptr;            // {id: callable} after the node
  PyObject* metadata = nullptr;         // a dict for the user's notes
  PyObject* traceback = nullptr;        // lines of the forward call, in anomaly mode
  std::vector<std::pair<uint32_t, PyObject*>> retained;  // outputs that keep their gradient (weak)
  std::vector<Ref> undefined;  // per output of many: an empty tensor that knows shape and dtype
  ~NodeExtra();
};

constexpr int inline_edges = 3;

// How many nodes exist, whoever holds them.
extern int64_t live_nodes;

struct Node : GraphNode {
  uint64_t seq;
  uint16_t n_edges, n_outputs;
  uint16_t in_use = 0;  // threads that compute its gradient just now
  bool freed = false;   // what was saved is to go, once none does
  uint32_t run = 0;     // which backward run owns `buffer`
  Tensor** buffer;      // gradients on their way in, one an output
  Edge* edges;
  NodeExtra* extra = nullptr;
  Tensor* inline_buffer = nullptr;
  Edge inline_edge[inline_edges];

  Node(int n_edges, int n_outputs);
  ~Node() override;
  Node(const Node&) = delete;

  virtual const char* name() const = 0;
  virtual void apply(Backward& b) = 0;
  // Of a Python function's node: its context, borrowed.
  virtual PyObject* context() const { return nullptr; }
  // Lets go of what was saved for the gradient.
  virtual void release_saved() {}
  int traverse(visitproc visit, void* arg) const override;

  NodeExtra* more() {
    if (!extra) extra = new NodeExtra;
    return extra;
  }

  static void* operator new(size_t n) { return host_allocate(int64_t(n)); }
  static void operator delete(void* p, size_t n) { host_release(p, int64_t(n)); }
};

inline Node* as_node(GraphNode* n) { return static_cast<Node*>(n); }

// One application of a node: gradients in, gradients out.
class Backward {
 public:
  Backward(Node* node, Ref* in, Ref* out) : node(node), in_(in), out_(out) {}
  Node* const node;
  bool needs(int i) const { return i < node->n_edges && node->edges[i].wanted(); }
  // The gradient of an output; undefined ones are zeros for nodes of one output.
  const Ref& grad(int i = 0) const { return in_[i]; }
  void set(int i, Ref g) { out_[i] = std::move(g); }
  // Throws if the tensor was modified since it was saved.
  Ref get(const Saved& s) const;

 private:
  Ref* in_;
  Ref* out_;
  mutable std::vector<std::pair<const void*, Ref>> unpacked_;
};

// True when an op on these inputs has to record itself.
inline bool requires_grad(Tensor* t);
template <class... T>
inline bool records(const T&... inputs) {
  return grad_mode.enabled && ((inputs && requires_grad(inputs)) || ...);
}

void refresh_view(Tensor* t);
inline bool requires_grad(Tensor* t) {
  if (__builtin_expect((t->flags & kView) && t->base->rebase_count != t->seen_rebase, 0))
    refresh_view(t);
  return t->flags & kRequiresGrad;
}

[[noreturn]] void fail_second_backward();
void note_traceback(Node* n);

template <class F>
class LambdaNode final : public Node {
 public:
  LambdaNode(const char* name, int n_edges, int n_outputs, F&& f)
      : Node(n_edges, n_outputs), name_(name), live_(true) {
    new (&f_) F(std::move(f));
  }
  ~LambdaNode() override { release_saved(); }
  const char* name() const override { return name_; }
  void apply(Backward& b) override {
    if (!live_) fail_second_backward();
    (*std::launder(reinterpret_cast<F*>(&f_)))(b);
  }
  void release_saved() override {
    // A gradient that saved nothing can be taken again, as often as one likes.
    if (std::is_trivially_destructible_v<F> || !live_) return;
    live_ = false;
    std::launder(reinterpret_cast<F*>(&f_))->~F();
  }

 private:
  const char* name_;
  std::aligned_storage_t<sizeof(F), alignof(F)> f_;
  bool live_;
};

void attach(Tensor* out, Node* node, uint32_t nr = 0);

// Records `backward` as the gradient of `out` with respect to `inputs` (null
// ones are skipped); the node is returned, still owned by `out`.
template <class F>
Node* record(const char* name, std::initializer_list<Tensor*> inputs, Tensor* out, F&& backward) {
  auto* node =
      new LambdaNode<std::decay_t<F>>(name, int(inputs.size()), 1, std::forward<F>(backward));
  int i = 0;
  for (Tensor* t : inputs) {
    if (t) node->edges[i].point_at(t);
    i++;
  }
  if (__builtin_expect(grad_mode.anomaly, 0)) note_traceback(node);
  attach(out, node);
  release(node);
  return node;
}

// The same for any number of inputs and outputs.
template <class F>
Node* record_many(const char* name, const std::vector<Tensor*>& inputs,
                  const std::vector<Tensor*>& outputs, F&& backward) {
  auto* node = new LambdaNode<std::decay_t<F>>(name, int(inputs.size()), int(outputs.size()),
                                               std::forward<F>(backward));
  for (size_t i = 0; i < inputs.size(); i++)
    if (inputs[i]) node->edges[i].point_at(inputs[i]);
  if (__builtin_expect(grad_mode.anomaly, 0)) note_traceback(node);
  for (size_t i = 0; i < outputs.size(); i++)
    if (outputs[i]) attach(outputs[i], node, uint32_t(i));
  release(node);
  return node;
}

}  // namespace flambeau
