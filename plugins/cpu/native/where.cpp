// Choosing between two arrays by a condition. Only bits move: one block an element size.
#include "elementwise.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

struct Pair64 {
  uint64_t low, high;
};

template <class T, bool kSpreadA, bool kSpreadB>
void choose(T* out, const uint8_t* condition, const T* a, const T* b, int64_t n) {
  const T first_a = a[0], first_b = b[0];
  FLAMBEAU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) {
    const T x = kSpreadA ? first_a : a[i];
    const T y = kSpreadB ? first_b : b[i];
    out[i] = condition[i] ? x : y;
  }
}

template <class T>
void where_block(void* out, const void* const* in, int64_t n, unsigned scalars, const fb_param*) {
  if (n == 0) return;
  T* o = static_cast<T*>(out);
  const uint8_t* condition = static_cast<const uint8_t*>(in[0]);
  const T* a = static_cast<const T*>(in[1]);
  const T* b = static_cast<const T*>(in[2]);
  switch (scalars >> 1) {
    case 0:
      return choose<T, false, false>(o, condition, a, b, n);
    case 1:
      return choose<T, true, false>(o, condition, a, b, n);
    case 2:
      return choose<T, false, true>(o, condition, a, b, n);
    default:
      return choose<T, true, true>(o, condition, a, b, n);
  }
}

Block block_of(int64_t item) {
  switch (item) {
    case 1:
      return where_block<uint8_t>;
    case 2:
      return where_block<uint16_t>;
    case 4:
      return where_block<uint32_t>;
    case 8:
      return where_block<uint64_t>;
    default:
      return where_block<Pair64>;
  }
}

// The condition is the first input, so the kernel is asked for as one of bool.
int where(void*, int, fb_array* const* out, int, const fb_array* const* in,
          const fb_param* params) {
  const Block block = block_of(kItemSize[out[0]->dtype]);
  constexpr uint16_t kAccepts = 1u << 0 | 1u << 2 | 1u << 4 | 1u << 6;
  return run_elementwise({block, kAccepts, 1, true}, out[0], 3, in, params);
}

constexpr KernelEntry entries[] = {{"where", kBool, where}};

}  // namespace

KernelTable where_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
