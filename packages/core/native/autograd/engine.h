// The backward pass: iterative, in the reverse order of recording.
#pragma once

#include <vector>

#include "autograd/node.h"

namespace flambeau {

struct BackwardOptions {
  bool keep_graph = false;
  bool create_graph = false;
  bool accumulate = true;   // into the leaves' .grad
  std::vector<Ref> inputs;  // where given: only gradients of these
};

// Runs from `roots` with their gradients. With `inputs` and without
// `accumulate` the gradients of the inputs are returned, null where unused.
std::vector<Ref> run_backward(const std::vector<Ref>& roots, const std::vector<Ref>& grads,
                              const BackwardOptions& options);

// The number of the pass that this thread is in, or -1.
int64_t current_backward();
// Whether that pass computes the gradients of given tensors only.
bool backward_has_inputs();
// Whether that pass will yet bring a gradient to a node or to a leaf.
bool backward_reaches(Node* node, Tensor* leaf);

}  // namespace flambeau
