// Arithmetic sequences, one-dimensional. Compiled without fused products, so that they are
// the same everywhere.
#include "entries.h"
#include "parallel.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 32768;

template <class T>
T from_double(double x, uint8_t) {
  return static_cast<T>(x);
}
template <>
float16 from_double<float16>(double x, uint8_t dtype) {
  const float f = static_cast<float>(x);
  return {dtype == FB_FLOAT16 ? to_float16(f).bits : to_bfloat16(f).bits};
}

// out[i] = at(i), whatever the stride.
template <class T, class F>
void tabulate(const fb_array* out, F at) {
  T* data = static_cast<T*>(out->data);
  const int64_t stride = out->ndim && out->shape[0] > 1 ? out->strides[0] : 1;
  parallel_for(out->numel, kGrain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) data[i * stride] = at(i);
  });
}

// Floating sequences are computed in double.
template <class T>
struct FloatRange {
  static int run(void*, int, fb_array* const* out, int, const fb_array* const*,
                 const fb_param* params) {
    const double start = params[0].f, step = params[1].f;
    const uint8_t dtype = out[0]->dtype;
    tabulate<T>(out[0], [=](int64_t i) {
      return from_double<T>(start + static_cast<double>(i) * step, dtype);
    });
    return FB_OK;
  }
};

template <class T>
struct IntegerRange {
  static int run(void*, int, fb_array* const* out, int, const fb_array* const*,
                 const fb_param* params) {
    const uint64_t start = static_cast<uint64_t>(params[2].i);
    const uint64_t step = static_cast<uint64_t>(params[3].i);
    tabulate<T>(out[0],
                [=](int64_t i) { return static_cast<T>(start + static_cast<uint64_t>(i) * step); });
    return FB_OK;
  }
};

// The second half counts back from the end, so that both ends are met exactly.
template <class T>
struct Linspace {
  static int run(void*, int, fb_array* const* out, int, const fb_array* const*,
                 const fb_param* params) {
    const double start = params[0].f, end = params[1].f;
    const int64_t n = out[0]->numel;
    const double step = n > 1 ? (end - start) / static_cast<double>(n - 1) : 0;
    const uint8_t dtype = out[0]->dtype;
    tabulate<T>(out[0], [=](int64_t i) {
      const double x = i < n / 2 || n == 1 ? start + step * static_cast<double>(i)
                                           : end - step * static_cast<double>(n - 1 - i);
      return from_double<T>(x, dtype);
    });
    return FB_OK;
  }
};

constexpr auto entries = floats<FloatRange>("arange") + unsigned_integers<IntegerRange>("arange") +
                         floats<Linspace>("linspace") + integers<Linspace>("linspace");

}  // namespace

KernelTable range_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
