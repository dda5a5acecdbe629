// In which order the dimensions of a tensor lie in memory.
#pragma once

#include "tensor/tensor.h"

namespace flambeau {

// Preserve: as another tensor lies, gaps left out.
enum class MemoryFormat { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };

// RuntimeError where the shape has another rank than the format, and for Preserve.
Dims strides_in(MemoryFormat f, Ints shape);
bool lies_in(const Tensor* t, MemoryFormat f);
// The format that comes nearest to how a tensor lies.
MemoryFormat nearest_format(const Tensor* t);
// Whether each element of memory between the first and the last belongs to one index.
bool is_dense(const Tensor* t);

Ref empty_in(MemoryFormat f, Ints shape, DType dtype, Device device);
// Of the shape of `like`, which Preserve goes by.
Ref empty_in(MemoryFormat f, const Tensor* like, DType dtype, Device device);

}  // namespace flambeau
