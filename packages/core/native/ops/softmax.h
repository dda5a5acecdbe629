// Softmax and its logarithm as C++ functions; they record themselves.
#pragma once

#include "ops/api.h"

namespace flambeau {

Ref softmax(Tensor* x, int64_t dim);
Ref log_softmax(Tensor* x, int64_t dim);

}  // namespace flambeau
