// The gradient of a fused op by way of its Python definition: for higher
// derivatives, and where a backend has the forward kernel only.
#pragma once

#include <functional>
#include <vector>

#include "tensor/tensor.h"

namespace flambeau {

// `definition` computes the op from stand-ins of `inputs` (null ones stay null);
// the gradients of the inputs are returned, null where they get none. They are
// differentiable themselves if gradients are being recorded.
std::vector<Ref> composed_gradient(const Ref& g, const std::vector<Ref>& inputs,
                                   const std::function<Ref(const std::vector<Ref>&)>& definition);

}  // namespace flambeau
