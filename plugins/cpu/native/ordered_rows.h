// Rows along one dimension whose values are put in order: what sort and topk share.
#pragma once

#include "parallel.h"
#include "scratch.h"
#include "sort_key.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// An input beside its two outputs, the values and where they came from.
template <typename T>
struct OrderedRows {
  const T* x;
  T* values;
  int64_t* places;
  StridedLoop<3> loop;  // x, values, places over the other dimensions
  int64_t n, kept;      // along the dimension: of x, of the outputs
  int64_t step[3];
  int64_t rows;

  OrderedRows(fb_array* const* out, const fb_array* in, int64_t dim)
      : x(static_cast<const T*>(in->data)),
        values(static_cast<T*>(out[0]->data)),
        places(static_cast<int64_t*>(out[1]->data)) {
    const bool has_dim = in->ndim > 0;
    n = has_dim ? in->shape[dim] : 1;
    kept = has_dim ? out[0]->shape[dim] : 1;
    const fb_array* const arrays[] = {in, out[0], out[1]};
    for (int k = 0; k < 3; ++k) step[k] = has_dim ? arrays[k]->strides[dim] : 1;
    for (int d = 0; d < in->ndim; ++d)
      if (d != dim && in->shape[d] != 1)
        loop.push(in->shape[d], {in->strides[d], out[0]->strides[d], out[1]->strides[d]});
    loop.collapse();
    rows = n ? in->numel / n : 0;
  }

  // order(row, items) makes items of a row's values, in memory for `room` of them, puts the first
  // `kept` into order and returns where they are.
  template <typename Order>
  void run(int64_t room, int64_t cost, const Order& order) const {
    parallel_for(rows, 65536 / (n * cost) + 1, [&](int64_t begin, int64_t end) {
      Item<T>* items = scratch_values<Item<T>>(room, kScratchKernel);
      Cursor<3> cursor(loop, 0, begin);
      for (int64_t row = begin; row < end; ++row, cursor.next()) {
        const T* from = x + cursor.offset[0];
        const Item<T>* sorted = order(from, items);
        T* to = values + cursor.offset[1];
        int64_t* place = places + cursor.offset[2];
        for (int64_t i = 0; i < kept; ++i) {
          const int64_t at = sorted[i].place();
          to[i * step[1]] = from[at * step[0]];
          place[i * step[2]] = at;
        }
      }
    });
  }
};

}  // namespace flambeau_cpu::FLAMBEAU_ISA
