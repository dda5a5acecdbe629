// Activation functions as C++ functions; they record themselves.
#pragma once

#include "ops/api.h"

namespace flambeau {

Ref relu(Tensor* x);
Ref sigmoid(Tensor* x);
Ref tanh(Tensor* x);

}  // namespace flambeau
