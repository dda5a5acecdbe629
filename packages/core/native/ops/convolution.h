// Convolution and its two gradients: each recorded, each a gradient of the
// others, so that derivatives of any order exist.
#pragma once

#include "ops/api.h"

namespace flambeau {

// How a window slides over one to three spatial dimensions.
struct Window {
  int n = 0;
  int64_t stride[3], padding[3], dilation[3];
  int64_t groups = 1;
  Ints strides() const { return {stride, n}; }
  Ints paddings() const { return {padding, n}; }
  Ints dilations() const { return {dilation, n}; }
};

// x [N, C, ..], weight [O, C/groups, ..], bias [O] or null.
Ref convolution(Tensor* x, Tensor* weight, Tensor* bias, const Window& w);
// Linear in both tensors; also transposed convolution.
Ref convolution_backward_input(Tensor* g, Tensor* weight, Ints input_shape, const Window& w);
Ref convolution_backward_weight(Tensor* g, Tensor* x, Ints weight_shape, const Window& w);

}  // namespace flambeau
