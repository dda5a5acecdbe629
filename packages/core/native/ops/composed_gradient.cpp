#include "ops/composed_gradient.h"

#include "autograd/engine.h"

namespace flambeau {
namespace {

// A boundary for the inner backward pass: it ends here, and neither runs the
// input's hooks nor enters its history.
Ref boundary(const Ref& input) {
  Ref inner = alias(input);
  if (records(input)) {
    record("AliasBackward0", {input}, inner, [](Backward& b) { b.set(0, b.grad()); });
  } else {
    inner->flags |= kRequiresGrad;
  }
  return inner;
}

}  // namespace

std::vector<Ref> composed_gradient(const Ref& g, const std::vector<Ref>& inputs,
                                   const std::function<Ref(const std::vector<Ref>&)>& definition) {
  BackwardOptions options;
  options.create_graph = options.keep_graph = grad_mode.enabled;
  options.accumulate = false;
  std::vector<Ref> inner;
  for (const Ref& input : inputs) {
    inner.push_back(input ? boundary(input) : Ref());
    if (input) options.inputs.push_back(inner.back());
  }
  Ref result;
  {
    GradModeGuard on(true);
    result = definition(inner);
  }
  std::vector<Ref> found = run_backward({result}, {g}, options), out;
  size_t next = 0;
  for (const Ref& input : inputs) out.push_back(input ? std::move(found[next++]) : Ref());
  return out;
}

}  // namespace flambeau
