// Indexing by tensors.
#pragma once

#include <vector>

#include "ops/api.h"

namespace flambeau {

// x[i0, :, i1, ...]: an index tensor a dimension, null where it is taken whole.
// Boolean masks stand for the dimensions that they cover.
Ref index(Tensor* t, const std::vector<Tensor*>& indices);
// The same places of a copy of `t` set to (or increased by) values.
Ref index_put(Tensor* t, const std::vector<Tensor*>& indices, Tensor* values, bool accumulate);
// In place; values are converted to the tensor's type.
void index_put_(Tensor* t, const std::vector<Tensor*>& indices, Tensor* values, bool accumulate);
Ref nonzero(Tensor* t);

}  // namespace flambeau
