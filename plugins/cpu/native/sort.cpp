// Stable sorting along one dimension: by digits for long rows, by comparison for short ones.
#include <algorithm>
#include <type_traits>

#include "ordered_rows.h"
#include "registry.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kShort = 256;
constexpr int kDigitBits = 11;
constexpr int64_t kDigits = 1 << kDigitBits;

inline uint64_t digits_of(PackedItem item) { return item.bits; }
inline uint64_t digits_of(const WideItem& item) { return item.value; }
inline uint64_t digits_of(uint64_t item) { return item; }

// One pass over one digit: items move to `to` in order of the digit, equal ones as they were.
template <typename I>
bool pass(const I* from, I* to, int64_t n, int shift) {
  const auto digit = [=](const I& item) { return digits_of(item) >> shift & (kDigits - 1); };
  int64_t start[kDigits] = {};
  for (int64_t i = 0; i < n; ++i) ++start[digit(from[i])];
  // All items alike in this digit: nothing to do.
  if (start[digit(from[0])] == n) return false;
  int64_t sum = 0;
  for (int64_t& count : start) {
    const int64_t next = sum + count;
    count = sum;
    sum = next;
  }
  for (int64_t i = 0; i < n; ++i) to[start[digit(from[i])]++] = from[i];
  return true;
}

// Sorts by the bits from `low` up; the second n of the 2n items are room to move in.
template <typename I>
I* sort_by_digits(I* items, int64_t n, int low) {
  I *from = items, *to = items + n;
  for (int shift = low; shift < 64; shift += kDigitBits)
    if (pass(from, to, n, shift)) std::swap(from, to);
  return from;
}

int bit_width(uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

// Integers of a narrow range: value and place share one word, half the memory to be moved.
bool sort_within_range(const int64_t* row, int64_t step, int64_t n, bool descending,
                       WideItem* items) {
  int64_t least = row[0], most = row[0];
  for (int64_t i = 1; i < n; ++i) {
    least = row[i * step] < least ? row[i * step] : least;
    most = row[i * step] > most ? row[i * step] : most;
  }
  const auto distance = [](int64_t a, int64_t b) {
    return static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  };
  const int place_bits = bit_width(static_cast<uint64_t>(n));
  if (bit_width(distance(most, least)) + place_bits > 64) return false;
  uint64_t* words = reinterpret_cast<uint64_t*>(items + n);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t x = row[i * step];
    words[i] = (descending ? distance(most, x) : distance(x, least)) << place_bits |
               static_cast<uint64_t>(i);
  }
  const uint64_t* sorted = sort_by_digits(words, n, place_bits);
  const uint64_t mask = (uint64_t{1} << place_bits) - 1;
  for (int64_t i = 0; i < n; ++i) items[i].set(0, static_cast<int64_t>(sorted[i] & mask));
  return true;
}

template <typename T>
const Item<T>* sort_row(const T* row, int64_t step, int64_t n, bool descending, Item<T>* items) {
  if constexpr (std::is_same_v<T, int64_t>) {
    if (n > kShort && sort_within_range(row, step, n, descending, items)) return items;
  }
  for (int64_t i = 0; i < n; ++i) items[i] = item_of(row[i * step], i, descending);
  // The low half of a packed item is its place, which is in order already.
  if (n > kShort) return sort_by_digits(items, n, sizeof(Item<T>) == sizeof(PackedItem) ? 32 : 0);
  std::sort(items, items + n);
  return items;
}

template <typename T>
int sort(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param* params) {
  if (in[0]->numel == 0) return FB_OK;
  const OrderedRows<T> rows(out, in[0], params[0].i);
  const int64_t n = rows.n, step = rows.step[0];
  const bool descending = params[1].i;
  rows.run(2 * n, 20,
           [=](const T* row, Item<T>* items) { return sort_row(row, step, n, descending, items); });
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
