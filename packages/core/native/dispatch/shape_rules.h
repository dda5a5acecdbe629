// The shape rules that ops share: pure functions over sizes.
#pragma once

#include "base/shape.h"

namespace flambeau {

// A dimension counted from either end; IndexError out of range.
int wrap_dim(int64_t dim, int ndim);
// The same for a list; refuses a dimension named twice.
Dims wrap_dims(const char* op, Ints dims, int ndim);

// RuntimeError naming the op and both shapes where they do not broadcast.
Dims broadcast_shapes(const char* op, Ints a, Ints b);
// Strides of `shape`/`strides` seen at `target` (0 in broadcast dimensions).
// False where it does not expand to that.
bool broadcast_strides(Ints shape, Ints strides, Ints target, int64_t* out);

// Fills in the one entry of -1.
Dims infer_size(const char* op, Ints shape, int64_t numel);
// Strides under which the same memory has another shape; false where none exist.
bool view_strides(Ints shape, Ints strides, Ints target, int64_t* out);

// Output size of a window that slides over `input` elements.
int64_t window_count(int64_t input, int64_t kernel, int64_t stride, int64_t before, int64_t after,
                     int64_t dilation, bool ceil_mode);

}  // namespace flambeau
