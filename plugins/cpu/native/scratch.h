// Scratch memory of the calling thread, kept from call to call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flambeau_cpu {

// Who uses it: a kernel and what it calls must not share a slot.
enum ScratchSlot {
  kScratchPacking,    // inside gemm
  kScratchColumns,    // a convolution's unfolded input
  kScratchConverted,  // operands converted to the type that is computed in
  kScratchKernel,     // a kernel's own rows, keys, histograms
  kScratchSlots
};

// At least `bytes`, 64-byte aligned, valid until the thread's next call with the same slot.
void* scratch_bytes(size_t bytes, ScratchSlot slot);

template <typename T>
static inline T* scratch_values(int64_t count, ScratchSlot slot) {
  return static_cast<T*>(scratch_bytes(static_cast<size_t>(count) * sizeof(T), slot));
}

}  // namespace flambeau_cpu
