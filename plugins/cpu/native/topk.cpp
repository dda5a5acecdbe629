// The k largest or smallest values along one dimension, in order.
#include <algorithm>

#include "ordered_rows.h"
#include "registry.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// The k first of n items in order. Candidates collect in front: whatever is not less than the
// worst of the best k so far is passed over, and the front is thinned out when it is full.
template <typename I>
const I* select(I* items, int64_t n, int64_t k) {
  if (k == 0) return items;
  const int64_t room = 2 * k + 64;
  if (room >= n) {
    std::partial_sort(items, items + k, items + n);
    return items;
  }
  std::nth_element(items, items + k - 1, items + room);
  I worst = items[k - 1];
  int64_t held = k;
  for (int64_t i = room; i < n; ++i) {
    if (!(items[i] < worst)) continue;
    items[held++] = items[i];
    if (held < room) continue;
    std::nth_element(items, items + k - 1, items + held);
    worst = items[k - 1];
    held = k;
  }
  std::nth_element(items, items + k - 1, items + held);
  std::sort(items, items + k);
  return items;
}

template <typename T>
int topk(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param* params) {
  if (in[0]->numel == 0) return FB_OK;
  const OrderedRows<T> rows(out, in[0], params[1].i);
  const int64_t n = rows.n, k = rows.kept;
  rows.run(params[2].i, 1, 4, [n, k](Item<T>* items) { return select(items, n, k); });
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"topk", bit(FB_UINT8), topk<uint8_t>},     {"topk", bit(FB_INT8), topk<int8_t>},
    {"topk", bit(FB_INT16), topk<int16_t>},     {"topk", bit(FB_INT32), topk<int32_t>},
    {"topk", bit(FB_INT64), topk<int64_t>},     {"topk", bit(FB_FLOAT16), topk<float16>},
    {"topk", bit(FB_BFLOAT16), topk<bfloat16>}, {"topk", bit(FB_FLOAT32), topk<float>},
    {"topk", bit(FB_FLOAT64), topk<double>},
};

}  // namespace

KernelTable topk_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
