// The k largest or smallest values along one dimension, in order.
#include <algorithm>

#include "ordered_rows.h"
#include "registry.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kBlock = 64;

// Whether any of a block of values would come before `worst`; no branch inside.
template <typename T>
bool any_before(const T* row, int64_t step, bool reversed, const Item<T>& worst) {
  using Key = decltype(sort_key(*row));
  const Key flip = reversed ? static_cast<Key>(~Key{0}) : Key{0}, limit = worst.key();
  Key found = 0;
  for (int64_t i = 0; i < kBlock; ++i) found |= (sort_key(row[i * step]) ^ flip) < limit;
  return found;
}

// The k first of n values in order. Candidates collect in front: what does not come before the
// worst of the best k so far is passed over, and the front is thinned out when it is full.
template <typename T>
const Item<T>* select(const T* row, int64_t step, int64_t n, int64_t k, bool reversed,
                      Item<T>* items, int64_t room) {
  if (k == 0) return items;
  int64_t held = room < n ? room : n;
  for (int64_t i = 0; i < held; ++i) items[i] = item_of(row[i * step], i, reversed);
  Item<T> worst = {};
  const auto thin_out = [&] {
    std::nth_element(items, items + k - 1, items + held);
    worst = items[k - 1];
    held = k;
  };
  if (held > k) thin_out();
  for (int64_t i = room; i < n;) {
    const bool whole = i + kBlock <= n;
    const int64_t end = whole ? i + kBlock : n;
    if (whole && !any_before(row + i * step, step, reversed, worst)) {
      i = end;
      continue;
    }
    for (; i < end; ++i) {
      const Item<T> item = item_of(row[i * step], i, reversed);
      if (!(item < worst)) continue;
      items[held++] = item;
      if (held == room) thin_out();
    }
  }
  if (held > k) thin_out();
  std::sort(items, items + k);
  return items;
}

template <typename T>
int topk(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param* params) {
  if (in[0]->numel == 0) return FB_OK;
  const OrderedRows<T> rows(out, in[0], params[1].i);
  const int64_t n = rows.n, k = rows.kept, step = rows.step[0], room = 2 * k + kBlock;
  const bool largest = params[2].i;
  rows.run(room, 4, [=](const T* row, Item<T>* items) {
    return select(row, step, n, k, largest, items, room);
  });
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
