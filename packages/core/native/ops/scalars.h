// Between single elements and numbers.
#pragma once

#include "base/scalar.h"
#include "tensor/tensor.h"

namespace flambeau {

// The value of a tensor of one element, wherever it lies.
Scalar item(Tensor* t);

inline PyObject* boxed_integer(const Scalar& s) {
  const bool beyond = s.i < 0 && s.f > 0;
  return beyond ? PyLong_FromUnsignedLongLong(uint64_t(s.i)) : PyLong_FromLongLong(s.i);
}

}  // namespace flambeau
