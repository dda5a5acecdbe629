// How a family of kernels announces itself: a table of (id, dtypes, function).
#pragma once

#include <cstdint>

#include "flambeau/backend.h"

namespace flambeau_cpu {

struct KernelEntry {
  const char* id;
  uint32_t dtypes;  // bit d is set when the kernel serves fb_dtype d (as find_kernel is asked)
  fb_kernel fn;
};

struct KernelTable {
  const KernelEntry* entries;
  int count;
};

static constexpr uint32_t bit(fb_dtype dtype) { return 1u << dtype; }

constexpr uint32_t kBool = bit(FB_BOOL);
constexpr uint32_t kIntegers =
    bit(FB_UINT8) | bit(FB_INT8) | bit(FB_INT16) | bit(FB_INT32) | bit(FB_INT64);
constexpr uint32_t kHalves = bit(FB_FLOAT16) | bit(FB_BFLOAT16);
constexpr uint32_t kFloats = kHalves | bit(FB_FLOAT32) | bit(FB_FLOAT64);
constexpr uint32_t kComplex = bit(FB_COMPLEX64) | bit(FB_COMPLEX128);
constexpr uint32_t kReal = kBool | kIntegers | kFloats;
constexpr uint32_t kAll = kReal | kComplex;

template <int N>
static constexpr KernelTable table_of(const KernelEntry (&entries)[N]) {
  return {entries, N};
}

}  // namespace flambeau_cpu
