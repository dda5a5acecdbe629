// What all elementwise ops share: broadcasting, conversion to the type of the
// computation, numbers as host scalars, the destination of in-place forms.
#pragma once

#include "dispatch/call.h"
#include "dispatch/promotion.h"
#include "ops/api.h"

namespace flambeau {

struct Elementwise {
  const char* op;
  int kernel;
  DType compute;  // inputs are converted to it
  DType out;
  const fb_param* params = nullptr;
  Tensor* destination = nullptr;
  bool keep_first = false;  // the first input keeps its own type (where's condition)
};

// Outside the graph. Absent inputs (a null tensor marked by `absent`) are passed
// to the kernel as NULL.
Ref elementwise(const Elementwise& e, const Operand* in, int n, const bool* absent = nullptr);

// The two commonest cases, without the general machinery: one contiguous tensor,
// or two of one shape, type and device (or a tensor and a number). A null result
// means that the case is another one.
Ref elementwise_plain(int kernel, DType out, Tensor* x, const fb_param* params = nullptr);
Ref elementwise_plain(int kernel, DType compute, DType out, const Operand& a, const Operand& b);

// The device that a set of operands lives on; RuntimeError where they disagree.
// Zero-dimensional tensors of the cpu go along with any device.
Device common_device(const char* op, const Operand* in, int n);
void check_same_device(const char* op, Tensor* a, Tensor* b);

DType result_type(const Operand* in, int n);
inline DType result_type(const Operand& a, const Operand& b) {
  Operand both[] = {a, b};
  return result_type(both, 2);
}
// Integers and bool computed as the default floating type.
inline DType floating_type(DType d) { return is_differentiable(d) ? d : default_dtype(); }

// The conjugate of a complex tensor; any other tensor itself.
Ref conjugate(Tensor* t);
Operand conjugate(const Operand& o, Ref& keep);

}  // namespace flambeau
