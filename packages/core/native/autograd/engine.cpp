#include "autograd/engine.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "autograd/accumulate.h"
#include "autograd/arithmetic.h"
#include "autograd/python.h"

namespace flambeau {

namespace {

uint32_t next_run = 1;

class Run;
thread_local Run* current = nullptr;

class Run {
 public:
  explicit Run(const BackwardOptions& options)
      : o_(options), id_(next_run++), outer_(std::exchange(current, this)) {
    results_.resize(o_.inputs.size());
    for (size_t i = 0; i < o_.inputs.size(); i++) {
      Tensor* t = o_.inputs[i];
      if (t->grad_fn) {
        wanted_nodes_[as_node(t->grad_fn)].push_back({t->output_nr, i});
      } else {
        wanted_leaves_[t].push_back(i);
      }
    }
  }

  ~Run() {
    current = outer_;
    // After an error, buffers that were filled must not leak into a later run.
    for (Node* n : frontier_) {
      if (n->run == id_) {
        for (int i = 0; i < n->n_outputs; i++) Py_CLEAR(reinterpret_cast<PyObject*&>(n->buffer[i]));
        n->run = 0;
      }
      release(n);
    }
  }

  void start(Tensor* root, Ref g) {
    Edge e;
    e.point_at(root);
    if (!o_.inputs.empty()) mark(e.node());
    send(e, std::move(g));
  }

  std::vector<Ref> finish() {
    while (!frontier_.empty()) {
      std::pop_heap(frontier_.begin(), frontier_.end(), earlier);
      Node* n = frontier_.back();
      frontier_.pop_back();
      Running running(*this, n);
      step(n);
    }
    for (size_t i = 0; i < arrived_.size(); i++) complete(arrived_[i]);
    return std::move(results_);
  }

  uint32_t id() const { return id_; }
  bool has_inputs() const { return !o_.inputs.empty(); }

  // Whether a gradient can still come to a node or a leaf, or is there now.
  bool reaches(Node* node, Tensor* leaf) {
    if (node && node == now_) return true;
    if (leaf && waiting_.count(leaf) && waiting_[leaf].sum) return true;
    bool found = false;
    each_edge_to_come(
        [&](const Edge& e) { found = found || (node ? e.node() == node : e.leaf() == leaf); });
    return found ||
           (node && std::find(frontier_.begin(), frontier_.end(), node) != frontier_.end());
  }

 private:
  // The node at work, which leaves the run's hands however that ends.
  struct Running {
    Running(Run& run, Node* n) : run(run), n(n) { run.now_ = n; }
    ~Running() {
      run.now_ = nullptr;
      release(n);
    }
    Run& run;
    Node* n;
  };

  // The edges that this run may still take: those of the node at work and of all
  // that is waiting, and what lies behind.
  template <class F>
  void each_edge_to_come(F&& visit) {
    std::vector<Node*> stack(frontier_);
    if (now_) stack.push_back(now_);
    std::unordered_set<Node*> seen(stack.begin(), stack.end());
    while (!stack.empty()) {
      Node* n = stack.back();
      stack.pop_back();
      for (int i = 0; i < n->n_edges; i++) {
        const Edge& e = n->edges[i];
        if (!follows(e)) continue;
        visit(e);
        if (Node* next = e.node(); next && seen.insert(next).second) stack.push_back(next);
      }
    }
  }

  static bool earlier(Node* a, Node* b) { return a->seq < b->seq; }

  // Which nodes lead to a wanted input: children before parents, iteratively.
  void mark(Node* root) {
    if (!root) return;
    std::vector<std::pair<Node*, int>> stack{{root, 0}};
    while (!stack.empty()) {
      auto& [n, i] = stack.back();
      if (i == 0 && leads_.count(n)) {
        stack.pop_back();
        continue;
      }
      if (i < n->n_edges) {
        Node* next = n->edges[i++].node();
        if (next && !leads_.count(next)) stack.push_back({next, 0});
        continue;
      }
      bool leads = wanted_nodes_.count(n) > 0;
      for (int k = 0; k < n->n_edges && !leads; k++) leads = edge_leads(n->edges[k]);
      leads_[n] = leads;
      stack.pop_back();
    }
  }

  bool edge_leads(const Edge& e) const {
    if (Node* n = e.node()) {
      auto it = leads_.find(n);
      return (it != leads_.end() && it->second) || wanted_nodes_.count(n) > 0;
    }
    return e.leaf() && wanted_leaves_.count(e.leaf()) > 0;
  }

  bool follows(const Edge& e) const { return e.wanted() && (o_.inputs.empty() || edge_leads(e)); }

  // A gradient arrives at an edge: undo broadcasting and promotion, then it
  // waits at the node, or ends in the leaf.
  void send(const Edge& e, Ref g) {
    if (!g || !follows(e)) return;
    // Only leaves take sparse gradients.
    if (__builtin_expect(g->flags & kSparse, 0) &&
        (e.node() || g->arr.dtype != e.dtype || (e.shape && g->shape() != Ints(*e.shape))))
      g = gradient_arithmetic.to_dense(g);
    if (e.shape && g->shape() != Ints(*e.shape)) g = gradient_arithmetic.sum_to(g, *e.shape);
    if ((g->arr.dtype != e.dtype || (e.device && g->device != e.device)) &&
        is_differentiable(e.dtype))
      g = gradient_arithmetic.cast(g, DType(e.dtype), e.device);
    if (Node* n = e.node()) {
      deliver(n, e.nr, std::move(g));
    } else {
      end_at(e.leaf(), std::move(g));
    }
  }

  void deliver(Node* n, uint32_t nr, Ref g) {
    // Another run may be passing through the same node just now, or was when the
    // first gradient of this one arrived.
    if (__builtin_expect((n->run != 0 && n->run != id_) || (!side_.empty() && side_.count(n)), 0)) {
      auto& side = side_[n];
      if (side.empty()) {
        side.resize(n->n_outputs);
        enqueue(n);
      }
      accumulate_into(side[nr], std::move(g), o_.create_graph);
      return;
    }
    if (n->run == 0) {
      n->run = id_;
      enqueue(n);
    }
    Ref slot = Ref::steal(std::exchange(n->buffer[nr], nullptr));
    accumulate_into(slot, std::move(g), o_.create_graph);
    n->buffer[nr] = slot.release();
  }

  void enqueue(Node* n) {
    retain(n);
    frontier_.push_back(n);
    std::push_heap(frontier_.begin(), frontier_.end(), earlier);
  }

  // Hooks of a leaf see the whole gradient of the pass: they wait for the last
  // part that can still arrive.
  void end_at(Tensor* leaf, Ref g) {
    if (__builtin_expect(leaf->extra == nullptr, 1)) return store(leaf, std::move(g));
    Waiting& w = waiting_[leaf];
    if (!w.sum && !w.done) arrived_.push_back(Ref(leaf));
    accumulate_into(w.sum, std::move(g), o_.create_graph);
    if (--w.missing == 0) complete(leaf);
  }

  void complete(Tensor* leaf) {
    Waiting& w = waiting_[leaf];
    Ref g = std::move(w.sum);
    w.sum = nullptr;
    if (!g) return;
    w.done = true;
    if (leaf->extra->hooks) g = run_tensor_hooks(leaf->extra->hooks, std::move(g));
    store(leaf, std::move(g));
  }

  // Counts the edges to leaves with hooks among the nodes still to come.
  void count_arrivals() {
    counted_ = true;
    each_edge_to_come([this](const Edge& e) {
      if (e.leaf() && e.leaf()->extra) waiting_[e.leaf()].missing++;
    });
  }

  // Nothing comes along an edge.
  void skip(const Edge& e) {
    if (!e.leaf() || !e.leaf()->extra || !follows(e)) return;
    auto w = waiting_.find(e.leaf());
    if (w != waiting_.end() && --w->second.missing == 0) complete(e.leaf());
  }

  void store(Tensor* leaf, Ref g) {
    if (!o_.inputs.empty()) {
      auto it = wanted_leaves_.find(leaf);
      if (it == wanted_leaves_.end()) return;
      if (!o_.accumulate) {
        for (size_t i : it->second) accumulate_into(results_[i], g, true);
        return;
      }
    }
    accumulate_leaf(leaf, std::move(g), o_.create_graph);
  }

  void step(Node* n) {
    constexpr int usual = 4;
    Ref in_fixed[usual], out_fixed[usual];
    std::unique_ptr<Ref[]> in_many, out_many;
    Ref *in = in_fixed, *out = out_fixed;
    if (n->n_outputs > usual) in_many.reset(in = new Ref[n->n_outputs]);
    if (n->n_edges > usual) out_many.reset(out = new Ref[n->n_edges]);
    auto side = side_.find(n);
    if (side != side_.end()) {
      for (int i = 0; i < n->n_outputs; i++) in[i] = std::move(side->second[size_t(i)]);
      side_.erase(side);
    } else {
      for (int i = 0; i < n->n_outputs; i++)
        in[i] = Ref::steal(std::exchange(n->buffer[i], nullptr));
      n->run = 0;
    }
    const bool needed = o_.inputs.empty() || edges_lead(n);
    // What is asked for is seen before the hooks of a node that is applied too.
    if (!wanted_nodes_.empty() && needed) capture(n, in);
    if (__builtin_expect(n->extra != nullptr, 0)) run_hooks_of_outputs(*n->extra, in);
    if (!needed) return capture(n, in);
    if (__builtin_expect(n->extra && n->extra->pre_hooks, 0)) run_hooks_before(n, in);
    Backward b(n, in, out);
    apply(n, b);
    if (__builtin_expect(n->extra && n->extra->hooks, 0)) run_hooks_after(n, in, out);
    if (__builtin_expect(grad_mode.anomaly && grad_mode.anomaly_check_nan, 0)) check_nan(n, out);
    for (int i = 0; i < n->n_outputs; i++) in[i] = nullptr;
    for (int i = 0; i < n->n_edges && !counted_; i++)
      if (n->edges[i].leaf() && n->edges[i].leaf()->extra) count_arrivals();
    for (int i = 0; i < n->n_edges; i++) {
      if (out[i]) {
        send(n->edges[i], std::move(out[i]));
      } else {
        skip(n->edges[i]);
      }
    }
  }

  // Saved tensors are freed after use, by the last of the threads that use them.
  void apply(Node* n, Backward& b) {
    n->in_use++;
    try {
      n->apply(b);
    } catch (...) {
      n->in_use--;
      report_traceback(n);
      throw;
    }
    if (!o_.keep_graph) n->freed = true;
    if (--n->in_use == 0 && n->freed) {
      n->freed = false;
      n->release_saved();
    }
  }

  bool edges_lead(Node* n) const {
    for (int i = 0; i < n->n_edges; i++)
      if (edge_leads(n->edges[i])) return true;
    return false;
  }

  void run_hooks_of_outputs(NodeExtra& x, Ref* in) {
    for (size_t i = 0; i < x.tensor_hooks.size(); i++)
      if (in[i] && x.tensor_hooks[i]) in[i] = run_tensor_hooks(x.tensor_hooks[i], in[i]);
    for (auto& [nr, weak] : x.retained) {
      PyObject* o = PyWeakref_GetObject(weak);
      if (o == Py_None || !in[nr]) continue;
      Tensor* t = as_tensor(o);
      Ref before = Ref::steal(std::exchange(t->grad, nullptr));
      Ref sum = before ? gradient_arithmetic.add(before, in[nr]) : gradient_arithmetic.copy(in[nr]);
      t->grad = sum.release();
    }
  }

  void run_hooks_before(Node* n, Ref* in) {
    std::vector<Ref> grads(in, in + n->n_outputs);
    run_pre_hooks(n->extra->pre_hooks, grads);
    std::copy(grads.begin(), grads.end(), in);
  }

  void run_hooks_after(Node* n, Ref* in, Ref* out) {
    std::vector<Ref> grad_in(out, out + n->n_edges), grad_out(in, in + n->n_outputs);
    run_post_hooks(n->extra->hooks, grad_in, grad_out);
    std::copy(grad_in.begin(), grad_in.end(), out);
  }

  void capture(Node* n, Ref* in) {
    auto it = wanted_nodes_.find(n);
    if (it == wanted_nodes_.end()) return;
    for (auto& [nr, index] : it->second) {
      if (!in[nr]) continue;
      if (o_.accumulate) {
        accumulate_leaf(o_.inputs[index], in[nr], true);
      } else {
        accumulate_into(results_[index], in[nr], true);
      }
    }
  }

  void check_nan(Node* n, Ref* out) {
    for (int i = 0; i < n->n_edges; i++)
      if (out[i] && gradient_arithmetic.has_nan(out[i])) {
        report_traceback(n);
        fail(ErrorKind::Runtime, "Function '%s' returned nan values in its %dth output.", n->name(),
             i);
      }
  }

  struct Waiting {
    Ref sum;
    int64_t missing = 0;
    bool done = false;
  };

  const BackwardOptions& o_;
  uint32_t id_;
  Run* outer_;  // a gradient may be computed by a backward pass of its own
  Node* now_ = nullptr;
  std::vector<Node*> frontier_;
  std::vector<Ref> results_;
  std::unordered_map<Node*, std::vector<std::pair<uint32_t, size_t>>> wanted_nodes_;
  std::unordered_map<Tensor*, std::vector<size_t>> wanted_leaves_;
  std::unordered_map<Node*, bool> leads_;
  std::unordered_map<Node*, std::vector<Ref>> side_;
  std::unordered_map<Tensor*, Waiting> waiting_;  // leaves with hooks
  std::vector<Ref> arrived_;                      // the same, in order
  bool counted_ = false;
};

}  // namespace

std::vector<Ref> run_backward(const std::vector<Ref>& roots, const std::vector<Ref>& grads,
                              const BackwardOptions& options) {
  GradModeGuard mode(options.create_graph);
  Run run(options);
  for (size_t i = 0; i < roots.size(); i++) run.start(roots[i], grads[i]);
  return run.finish();
}

int64_t current_backward() { return current ? int64_t(current->id()) : -1; }
bool backward_has_inputs() { return current && current->has_inputs(); }
bool backward_reaches(Node* node, Tensor* leaf) { return current && current->reaches(node, leaf); }

}  // namespace flambeau
