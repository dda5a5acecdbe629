// Kernels that treat each run along one dimension by itself (softmax): rows of several arrays,
// in the type computed in and without gaps, whatever their layout.
#pragma once

#include "element.h"
#include "parallel.h"
#include "scratch.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// Calls fn(W* const rows[N]) for each row along `dim`; rows[0] is the output's. One row costs
// about `cost` cheap operations a value.
template <typename T, int N, typename F>
static inline void for_each_row(const fb_array* const (&arrays)[N], int dim, int64_t cost,
                                const F& fn) {
  using W = Compute<T>;
  const fb_array* first = arrays[0];
  const int64_t n = first->ndim ? first->shape[dim] : 1;
  if (first->numel == 0) return;
  StridedLoop<N> outer;
  int64_t stride[N];
  bool plain = true;
  for (int k = 0; k < N; ++k) {
    stride[k] = first->ndim ? arrays[k]->strides[dim] : 1;
    plain = plain && is_plain_run<T>(stride[k], n);
  }
  for (int d = 0; d < first->ndim; ++d) {
    if (d == dim || first->shape[d] == 1) continue;
    int64_t step[N];
    for (int k = 0; k < N; ++k) step[k] = arrays[k]->strides[d];
    outer.push(first->shape[d], step);
  }
  outer.collapse();
  parallel_for(first->numel / n, 32768 / (n * cost) + 1, [&](int64_t begin, int64_t end) {
    W* buffers = plain ? nullptr : scratch_values<W>(N * n, kScratchKernel);
    Cursor<N> cursor(outer, 0, begin);
    for (int64_t row = begin; row < end; ++row, cursor.next()) {
      T* home[N];
      W* values[N];
      for (int k = 0; k < N; ++k) {
        home[k] = static_cast<T*>(arrays[k]->data) + cursor.offset[k];
        values[k] = k == 0 ? result_run(home[k], stride[k], n, buffers)
                           : const_cast<W*>(read_run(home[k], stride[k], n, buffers + k * n));
      }
      fn(values);
      finish_run(values[0], stride[0], n, home[0]);
    }
  });
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
