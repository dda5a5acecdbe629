// Keys for sorting: unsigned integers that order as the values do, NaN largest and all NaNs
// alike, -0.0 like 0.0.
#pragma once

#include <cstdint>
#include <cstring>

#include "half.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

static inline uint32_t sort_key(float x) {
  if (x != x) return ~uint32_t{0};
  x += 0.0f;  // makes 0.0 of -0.0
  uint32_t u;
  std::memcpy(&u, &x, sizeof u);
  return u & 0x80000000u ? ~u : u | 0x80000000u;
}

static inline uint64_t sort_key(double x) {
  if (x != x) return ~uint64_t{0};
  x += 0.0;
  uint64_t u;
  std::memcpy(&u, &x, sizeof u);
  return u >> 63 ? ~u : u | (uint64_t{1} << 63);
}

static inline uint32_t sort_key(float16 x) { return sort_key(to_float(x)); }
static inline uint32_t sort_key(bfloat16 x) { return sort_key(to_float(x)); }
static inline uint32_t sort_key(bool x) { return x; }
static inline uint32_t sort_key(uint8_t x) { return x; }
static inline uint32_t sort_key(int8_t x) { return static_cast<uint32_t>(x + 128); }
static inline uint32_t sort_key(int16_t x) { return static_cast<uint32_t>(x + 32768); }
static inline uint32_t sort_key(int32_t x) { return static_cast<uint32_t>(x) ^ 0x80000000u; }
static inline uint64_t sort_key(int64_t x) {
  return static_cast<uint64_t>(x) ^ (uint64_t{1} << 63);
}

// A key with the place that its value came from; of equal keys the earlier place is less.
struct PackedItem {  // rows of less than 2^32 values with keys of 32 bits
  uint64_t bits;

  void set(uint32_t key, int64_t place) {
    bits = uint64_t{key} << 32 | static_cast<uint32_t>(place);
  }
  uint32_t key() const { return static_cast<uint32_t>(bits >> 32); }
  int64_t place() const { return static_cast<uint32_t>(bits); }
  bool operator<(const PackedItem& other) const { return bits < other.bits; }
};

struct WideItem {
  uint64_t value;
  int64_t from;

  void set(uint64_t key, int64_t place) {
    value = key;
    from = place;
  }
  uint64_t key() const { return value; }
  int64_t place() const { return from; }
  bool operator<(const WideItem& other) const {
    return value < other.value || (value == other.value && from < other.from);
  }
};

template <typename T>
struct ItemOf {
  using Type = PackedItem;
};
template <>
struct ItemOf<double> {
  using Type = WideItem;
};
template <>
struct ItemOf<int64_t> {
  using Type = WideItem;
};
template <typename T>
using Item = typename ItemOf<T>::Type;

// With `reversed` the largest value comes first, and of equals still the earlier.
template <typename T>
static inline Item<T> item_of(T x, int64_t place, bool reversed) {
  const auto key = sort_key(x);
  Item<T> item;
  item.set(reversed ? ~key : key, place);
  return item;
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
