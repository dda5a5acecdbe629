// Between single elements and numbers.
#pragma once

#include "base/scalar.h"
#include "tensor/tensor.h"

namespace flambeau {

// The value of a tensor of one element, wherever it lies.
Scalar item(Tensor* t);

}  // namespace flambeau
