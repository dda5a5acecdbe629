// The few operations on gradients that the engine itself needs. The ops floor
// supplies them, so that the engine knows no op.
#pragma once

#include "tensor/tensor.h"

namespace flambeau {

struct GradientArithmetic {
  Ref (*add)(Tensor* a, Tensor* b);
  void (*add_in_place)(Tensor* a, Tensor* b);  // same shape and dtype, outside the graph
  Ref (*sum_to)(Tensor* g, Ints shape);        // undoes broadcasting
  Ref (*cast)(Tensor* g, DType dtype, DeviceType* device);
  Ref (*copy)(Tensor* g);  // contiguous, memory of its own
  Ref (*zeros_like)(Tensor* t);
  Ref (*ones_like)(Tensor* t);
  bool (*has_nan)(Tensor* g);
  Ref (*to_dense)(Tensor* g);  // of a sparse one
};

extern GradientArithmetic gradient_arithmetic;

}  // namespace flambeau
