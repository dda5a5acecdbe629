// Views beyond those of api.h.
#pragma once

#include "ops/api.h"

namespace flambeau {

// Another shape over a tensor's memory, `skip` elements from its start; known as
// a view of it, but not yet recorded.
Ref make_view(Tensor* t, Ints shape, Ints strides, int64_t skip);

Ref alias_view(Tensor* t);  // the same shape
Ref unfold(Tensor* t, int64_t dim, int64_t size, int64_t step);
Ref view_dtype(Tensor* t, DType d);  // reinterprets bytes
Ref real_view(Tensor* t);            // complex [..] as real [.., 2]
Ref complex_view(Tensor* t);         // real [.., 2] as complex [..]

}  // namespace flambeau
