// Stable sorting along one dimension: by digits for long rows, by comparison for short ones.
#include <algorithm>

#include "ordered_rows.h"
#include "registry.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kShort = 256;
constexpr int kDigitBits = 11;
constexpr int64_t kDigits = 1 << kDigitBits;

// One pass over one digit: items move to `to` in order of the digit, equal ones as they were.
template <typename I>
bool pass(const I* from, I* to, int64_t n, int shift) {
  int64_t start[kDigits] = {};
  for (int64_t i = 0; i < n; ++i) ++start[from[i].key() >> shift & (kDigits - 1)];
  // All items alike in this digit: nothing to do.
  if (start[from[0].key() >> shift & (kDigits - 1)] == n) return false;
  int64_t sum = 0;
  for (int64_t& count : start) {
    const int64_t next = sum + count;
    count = sum;
    sum = next;
  }
  for (int64_t i = 0; i < n; ++i) to[start[from[i].key() >> shift & (kDigits - 1)]++] = from[i];
  return true;
}

template <typename I>
const I* sort_by_digits(I* items, int64_t n) {
  I *from = items, *to = items + n;
  const int bits = 8 * static_cast<int>(sizeof(from->key()));
  for (int shift = 0; shift < bits; shift += kDigitBits)
    if (pass(from, to, n, shift)) std::swap(from, to);
  return from;
}

template <typename T>
int sort(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param* params) {
  if (in[0]->numel == 0) return FB_OK;
  const OrderedRows<T> rows(out, in[0], params[0].i);
  const int64_t n = rows.n, step = rows.step[0];
  const bool descending = params[1].i;
  rows.run(2 * n, 20, [=](const T* row, Item<T>* items) -> const Item<T>* {
    for (int64_t i = 0; i < n; ++i) items[i] = item_of(row[i * step], i, descending);
    if (n > kShort) return sort_by_digits(items, n);
    std::sort(items, items + n);
    return items;
  });
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"sort", bit(FB_BOOL), sort<bool>},       {"sort", bit(FB_UINT8), sort<uint8_t>},
    {"sort", bit(FB_INT8), sort<int8_t>},     {"sort", bit(FB_INT16), sort<int16_t>},
    {"sort", bit(FB_INT32), sort<int32_t>},   {"sort", bit(FB_INT64), sort<int64_t>},
    {"sort", bit(FB_FLOAT16), sort<float16>}, {"sort", bit(FB_BFLOAT16), sort<bfloat16>},
    {"sort", bit(FB_FLOAT32), sort<float>},   {"sort", bit(FB_FLOAT64), sort<double>},
};

}  // namespace

KernelTable sort_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
