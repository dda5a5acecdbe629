// Index values: their bounds, and the first bad one that any thread met.
#pragma once

#include <atomic>
#include <cstdint>

#include "error.h"
#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// Remembers one index out of bounds; threads may report together.
class IndexError {
 public:
  void report(int64_t value, int64_t dim, int64_t size) {
    bool expected = false;
    if (!found_.compare_exchange_strong(expected, true)) return;
    value_ = value;
    dim_ = dim;
    size_ = size;
  }

  // FB_OK, or the failure with PyTorch's message; to be asked after all threads are done.
  int status() const {
    if (!found_.load()) return FB_OK;
    return fail(FB_INDEX_ERROR, "index %lld is out of bounds for dimension %lld with size %lld",
                static_cast<long long>(value_), static_cast<long long>(dim_),
                static_cast<long long>(size_));
  }

 private:
  std::atomic<bool> found_{false};
  int64_t value_ = 0, dim_ = 0, size_ = 0;
};

static inline bool in_bounds(int64_t value, int64_t size) {
  return static_cast<uint64_t>(value) < static_cast<uint64_t>(size);
}

// Negative values count from the end; -1 when out of bounds.
static inline int64_t wrapped(int64_t value, int64_t size) {
  const int64_t positive = value < 0 ? value + size : value;
  return in_bounds(positive, size) ? positive : -1;
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
