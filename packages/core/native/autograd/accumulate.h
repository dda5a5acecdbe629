// Sums of gradients: on their way through the graph, and at its ends.
#pragma once

#include "tensor/tensor.h"

namespace flambeau {

// Adds to the sum so far, in place where nobody else holds that.
void accumulate_into(Ref& slot, Ref g, bool create_graph);

// Adds to the .grad of a leaf, with the hooks that the leaf's own node has around it.
void accumulate_leaf(Tensor* leaf, Ref g, bool create_graph);

}  // namespace flambeau
