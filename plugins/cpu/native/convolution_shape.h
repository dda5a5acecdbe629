// The sizes of one convolution of one to three spatial dimensions.
#pragma once

#include <cstdint>

namespace flambeau_cpu {

constexpr int kMaxSpatial = 3;

// Units of several instruction sets share this type: its functions must be inlined, lest the
// linker keep one set's copy for all.
#define FLAMBEAU_INLINED [[gnu::always_inline]]

// Unused spatial dimensions stand in front, with size 1, stride 1 and no padding, so that every
// convolution may be read as three-dimensional.
struct ConvolutionShape {
  int64_t spatial;
  int64_t batch, in_channels, out_channels, groups;
  int64_t input[kMaxSpatial], kernel[kMaxSpatial], output[kMaxSpatial];
  int64_t stride[kMaxSpatial], padding[kMaxSpatial], dilation[kMaxSpatial];

  FLAMBEAU_INLINED int64_t input_size() const { return input[0] * input[1] * input[2]; }
  FLAMBEAU_INLINED int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
  FLAMBEAU_INLINED int64_t output_size() const { return output[0] * output[1] * output[2]; }
  FLAMBEAU_INLINED int64_t group_inputs() const { return in_channels / groups; }
  FLAMBEAU_INLINED int64_t group_outputs() const { return out_channels / groups; }
};

#undef FLAMBEAU_INLINED

}  // namespace flambeau_cpu
