// Refusing negative indices where only the kernels of indexing itself count them
// from the end.
#pragma once

#include "base/error.h"
#include "ops/api.h"

namespace flambeau {

// `index`: int64. On a device with memory of its own the check would have to wait
// for the device, and is left out.
inline void refuse_negative(const char* op, Tensor* index) {
  if (!index->device->host_memory) return;
  Ref flat = index->contiguous() ? Ref(index) : clone(index);
  auto values = static_cast<const int64_t*>(flat->arr.data);
  int64_t lowest = 0;
  for (int64_t i = 0; i < flat->numel(); i++) lowest = values[i] < lowest ? values[i] : lowest;
  if (lowest < 0)
    fail(ErrorKind::Index, "%s(): index out of range in self: negative index %lld", op,
         static_cast<long long>(lowest));
}

}  // namespace flambeau
