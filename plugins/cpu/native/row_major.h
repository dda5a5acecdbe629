// Ranges of an array counted in row-major order, for kernels whose elements depend on their
// place in that order.
#pragma once

#include "stage.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// The dimensions of an array in their own order.
static inline void make_row_major(StridedLoop<1>& loop, const fb_array* array) {
  loop.ndim = 0;
  for (int d = 0; d < array->ndim; ++d)
    if (array->shape[d] != 1)
      loop.push(array->shape[d], {is_host_scalar(array) ? 0 : array->strides[d]});
  loop.collapse();
}

// Calls each(offset, stride, position, n) for every strided run within elements
// [begin, begin + n) of the array; position counts from 0.
template <class F>
static inline void for_range(const fb_array* array, int64_t begin, int64_t n, const F& each) {
  if (is_contiguous(array)) {
    each(begin, static_cast<int64_t>(1), static_cast<int64_t>(0), n);
    return;
  }
  StridedLoop<1> loop;
  make_row_major(loop, array);
  const int last = loop.ndim - 1;
  const int64_t length = loop.ndim ? loop.shape[last] : 1;
  const int64_t stride = loop.ndim ? loop.strides[0][last] : 1;
  Cursor<1> cursor(loop, 1, begin / length);
  int64_t column = begin % length;
  for (int64_t done = 0; done < n; cursor.next()) {
    const int64_t run = length - column < n - done ? length - column : n - done;
    each(cursor.offset[0] + column * stride, stride, done, run);
    done += run;
    column = 0;
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
