// Convolutions of floats by oneDNN, on plain row-major arrays.
#pragma once

#include "convolution_shape.h"

namespace flambeau_cpu::onednn {

// Each is false, with nothing done, where there is no oneDNN or it does not know the shape.
// `bias` may be null.
bool convolve(const ConvolutionShape& shape, const float* x, const float* weight, const float* bias,
              float* y);
bool convolve_backward_input(const ConvolutionShape& shape, const float* g, const float* weight,
                             float* gx);
bool convolve_backward_weight(const ConvolutionShape& shape, const float* g, const float* x,
                              float* gw);

}  // namespace flambeau_cpu::onednn
