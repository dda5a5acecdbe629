// Walking several strided arrays of one shape together: size-1 dimensions are dropped,
// dimensions are ordered by the strides of the first operand, and neighbours that are
// contiguous in every operand are merged.
#pragma once

#include <cstdint>

#include "flambeau/backend.h"
#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

constexpr int kMaxDims = 64;

static inline bool is_contiguous(const fb_array* array) { return array->flags & FB_CONTIGUOUS; }
static inline bool is_host_scalar(const fb_array* array) { return array->flags & FB_HOST_SCALAR; }

constexpr int64_t kItemSize[FB_DTYPE_COUNT] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};

// N operands of one shape; strides count elements. With ndim 0 there is one element.
template <int N>
struct StridedLoop {
  int ndim = 0;
  int64_t shape[kMaxDims];
  int64_t strides[N][kMaxDims];

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= shape[d];
    return n;
  }

  // Appends an innermost dimension.
  void push(int64_t size, const int64_t (&step)[N]) {
    shape[ndim] = size;
    for (int k = 0; k < N; ++k) strides[k][ndim] = step[k];
    ++ndim;
  }

  // Merges dimension d + 1 into d where every operand is contiguous across the two.
  void collapse() {
    int last = 0;
    for (int d = 1; d < ndim; ++d) {
      bool mergeable = true;
      for (int k = 0; k < N; ++k) mergeable &= strides[k][last] == strides[k][d] * shape[d];
      if (mergeable) {
        shape[last] *= shape[d];
      } else {
        ++last;
        shape[last] = shape[d];
      }
      for (int k = 0; k < N; ++k) strides[k][last] = strides[k][d];
    }
    if (ndim > 0) ndim = last + 1;
  }

  // Moves the dimension with the larger stride of the first operand outward; ties (and
  // broadcast dimensions) are decided by the next operand. Stable.
  void order() {
    for (int d = 1; d < ndim; ++d)
      for (int e = d; e > 0 && outward(e, e - 1); --e) swap(e, e - 1);
  }

  void swap(int d, int e) {
    int64_t t = shape[d];
    shape[d] = shape[e];
    shape[e] = t;
    for (int k = 0; k < N; ++k) {
      t = strides[k][d];
      strides[k][d] = strides[k][e];
      strides[k][e] = t;
    }
  }

 private:
  bool outward(int d, int e) const {
    for (int k = 0; k < N; ++k) {
      const int64_t a = strides[k][d] < 0 ? -strides[k][d] : strides[k][d];
      const int64_t b = strides[k][e] < 0 ? -strides[k][e] : strides[k][e];
      if (a != b && a != 0 && b != 0) return a > b;
    }
    return false;
  }
};

// The loop over all dimensions of `arrays` (absent or host-scalar operands have stride 0).
template <int N>
static inline void make_loop(StridedLoop<N>& loop, const fb_array* const (&arrays)[N]) {
  loop.ndim = 0;
  const fb_array* first = arrays[0];
  for (int d = 0; d < first->ndim; ++d) {
    if (first->shape[d] == 1) continue;
    int64_t step[N];
    for (int k = 0; k < N; ++k)
      step[k] = !arrays[k] || is_host_scalar(arrays[k]) ? 0 : arrays[k]->strides[d];
    loop.push(first->shape[d], step);
  }
  loop.order();
  loop.collapse();
}

// A position in the outer dimensions (all but the last `inner`) of a loop: the offsets, in
// elements, of every operand.
template <int N>
struct Cursor {
  const StridedLoop<N>& loop;
  int outer;
  int64_t index[kMaxDims];
  int64_t offset[N];

  // Stands on outer position `linear`, counted in row-major order.
  Cursor(const StridedLoop<N>& loop, int inner, int64_t linear)
      : loop(loop), outer(loop.ndim > inner ? loop.ndim - inner : 0) {
    for (int k = 0; k < N; ++k) offset[k] = 0;
    for (int d = outer - 1; d >= 0; --d) {
      index[d] = linear % loop.shape[d];
      linear /= loop.shape[d];
      for (int k = 0; k < N; ++k) offset[k] += index[d] * loop.strides[k][d];
    }
  }

  void next() {
    for (int d = outer - 1; d >= 0; --d) {
      for (int k = 0; k < N; ++k) offset[k] += loop.strides[k][d];
      if (++index[d] < loop.shape[d]) return;
      for (int k = 0; k < N; ++k) offset[k] -= loop.strides[k][d] * loop.shape[d];
      index[d] = 0;
    }
  }
};

}  // namespace flambeau_cpu::FLAMBEAU_ISA
