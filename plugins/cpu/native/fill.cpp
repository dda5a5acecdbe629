// Filling an array with one value.
#include <cstring>

#include "isa.h"
#include "parallel.h"
#include "registry.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 65536;

struct Pair64 {
  uint64_t low, high;
};

template <class T>
void fill_run(T* out, int64_t stride, int64_t n, T value) {
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = value;
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * stride] = value;
  }
}

// T is any type of the element's size: filling only moves bits.
template <class T>
int fill(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param*) {
  T* data = static_cast<T*>(out[0]->data);
  T value;
  std::memcpy(&value, in[0]->data, sizeof(T));
  const int64_t numel = out[0]->numel;
  if (is_contiguous(out[0])) {
    parallel_for(numel, kGrain, [=](int64_t begin, int64_t end) {
      fill_run(data + begin, 1, end - begin, value);
    });
    return FB_OK;
  }
  if (numel == 0) return FB_OK;
  StridedLoop<1> loop;
  make_loop(loop, {out[0]});
  const int64_t inner = loop.ndim ? loop.shape[loop.ndim - 1] : 1;
  const int64_t stride = loop.ndim ? loop.strides[0][loop.ndim - 1] : 1;
  parallel_for(numel / inner, kGrain / inner + 1, [&](int64_t begin, int64_t end) {
    Cursor<1> cursor(loop, 1, begin);
    for (int64_t row = begin; row < end; ++row, cursor.next())
      fill_run(data + cursor.offset[0], stride, inner, value);
  });
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"fill", kBool | bit(FB_UINT8) | bit(FB_INT8), fill<uint8_t>},
    {"fill", bit(FB_INT16) | kHalves, fill<uint16_t>},
    {"fill", bit(FB_INT32) | bit(FB_FLOAT32), fill<uint32_t>},
    {"fill", bit(FB_INT64) | bit(FB_FLOAT64) | bit(FB_COMPLEX64), fill<uint64_t>},
    {"fill", bit(FB_COMPLEX128), fill<Pair64>},
};

}  // namespace

KernelTable fill_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
