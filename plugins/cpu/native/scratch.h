// Scratch memory of the calling thread, kept from call to call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flambeau::cpu {

// At least `bytes`, 64-byte aligned, valid until the thread's next call with the same slot.
void* scratch_bytes(size_t bytes, int slot);

template <typename T>
inline T* scratch_values(int64_t count, int slot = 0) {
  return static_cast<T*>(scratch_bytes(static_cast<size_t>(count) * sizeof(T), slot));
}

}  // namespace flambeau::cpu
