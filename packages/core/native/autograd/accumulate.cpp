#include "autograd/accumulate.h"

#include <thread>
#include <utility>

#include "autograd/arithmetic.h"
#include "autograd/python.h"

namespace flambeau {

GradientArithmetic gradient_arithmetic;

void accumulate_into(Ref& slot, Ref g, bool create_graph) {
  if (!slot) {
    slot = std::move(g);
  } else if (!create_graph && slot.unique() && slot->contiguous() && !slot->grad_fn &&
             slot->dtype() == g->dtype() && !((slot->flags | g->flags) & kSparse)) {
    gradient_arithmetic.add_in_place(slot, g);
  } else {
    slot = gradient_arithmetic.add(slot, g);
  }
}

namespace {

// Large sums release the interpreter lock: others wait until .grad is whole again.
class Accumulating {
 public:
  explicit Accumulating(Tensor* leaf) : leaf_(leaf) {
    while (leaf->flags & kAccumulating) {
      PyThreadState* state = PyEval_SaveThread();
      std::this_thread::yield();
      PyEval_RestoreThread(state);
    }
    leaf->flags |= kAccumulating;
  }
  ~Accumulating() { leaf_->flags &= ~uint32_t(kAccumulating); }
  Accumulating(const Accumulating&) = delete;

 private:
  Tensor* leaf_;
};

void add_to_grad(Tensor* leaf, Ref g, bool create_graph) {
  Accumulating alone(leaf);
  if (!leaf->grad) {
    bool take = g.unique() && (g->contiguous() || g->flags & kSparse) &&
                (create_graph || (!g->grad_fn && !(g->flags & kRequiresGrad)));
    leaf->grad = take ? g.release() : gradient_arithmetic.copy(g).release();
  } else if (create_graph || leaf->grad->grad_fn || leaf->grad->flags & kSparse) {
    Ref old = Ref::steal(std::exchange(leaf->grad, nullptr));
    leaf->grad = gradient_arithmetic.add(old, g).release();
  } else {
    gradient_arithmetic.add_in_place(leaf->grad, g);
    leaf->grad->storage->version++;
  }
}

}  // namespace

void accumulate_leaf(Tensor* leaf, Ref g, bool create_graph) {
  TensorExtra* x = leaf->extra;
  if (__builtin_expect(x == nullptr, 1)) return add_to_grad(leaf, std::move(g), create_graph);
  std::vector<Ref> grads{std::move(g)}, none;
  run_pre_hooks(x->node_pre_hooks, grads);
  add_to_grad(leaf, x->node_hooks ? grads[0] : std::move(grads[0]), create_graph);
  run_post_accumulate_hooks(x->post_accumulate_hooks, leaf);
  if (x->node_hooks) run_post_hooks(x->node_hooks, none, grads);
}

}  // namespace flambeau
