// Finding places in sorted rows, and counting integers.
#include "element.h"
#include "error.h"
#include "parallel.h"
#include "registry.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

inline int64_t plain(bool x) { return x; }
template <typename T>
T plain(T x) {
  return x;
}
inline float plain(float16 x) { return to_float(x); }
inline float plain(bfloat16 x) { return to_float(x); }

// The number of leading values that are less than `value` (or equal, with Right). A NaN goes to
// the end.
template <bool Right, typename T, typename V>
int64_t find_place(const T* sorted, int64_t step, int64_t n, V value) {
  // The halving always takes the same number of steps and no branch that must be guessed.
  int64_t first = 0, left = n;
  while (left > 1) {
    const int64_t half = left / 2;
    const V here = plain(sorted[(first + half - 1) * step]);
    const bool beyond = Right ? here > value : here >= value;
    first += beyond ? 0 : half;
    left -= half;
  }
  if (left == 0) return 0;
  const V here = plain(sorted[first * step]);
  const bool beyond = Right ? here > value : here >= value;
  return first + (beyond ? 0 : 1);
}

template <typename T>
int searchsorted(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
  const fb_array &sorted = *in[0], &values = *in[1];
  if (values.numel == 0) return FB_OK;
  const int last = sorted.ndim - 1;
  const int64_t n = sorted.shape[last], step = sorted.strides[last];
  StridedLoop<3> loop;  // out, values, sorted: one sorted row serves a row of values
  for (int d = 0; d < values.ndim; ++d) {
    const bool shared = sorted.ndim == 1 || d == values.ndim - 1;
    loop.push(values.shape[d],
              {out[0]->strides[d], values.strides[d], shared ? 0 : sorted.strides[d]});
  }
  loop.collapse();
  const bool right = params[0].i;
  parallel_for(values.numel, 2048, [&](int64_t begin, int64_t end) {
    Cursor<3> cursor(loop, 0, begin);
    for (int64_t i = begin; i < end; ++i, cursor.next()) {
      const T* row = static_cast<const T*>(sorted.data) + cursor.offset[2];
      const auto value = plain(static_cast<const T*>(values.data)[cursor.offset[1]]);
      static_cast<int64_t*>(out[0]->data)[cursor.offset[0]] =
          right ? find_place<true>(row, step, n, value) : find_place<false>(row, step, n, value);
    }
  });
  return FB_OK;
}

int check_bins(const int64_t* x, int64_t step, int64_t n, int64_t bins) {
  for (int64_t i = 0; i < n; ++i)
    if (x[i * step] < 0 || x[i * step] >= bins)
      return fail(FB_ERROR, "bincount: value %lld is outside of [0, %lld)",
                  static_cast<long long>(x[i * step]), static_cast<long long>(bins));
  return FB_OK;
}

template <typename T>
void add_to_bins(const int64_t* x, int64_t step, int64_t n, const fb_array& weights, T* out) {
  for (int64_t i = 0; i < n; ++i) out[x[i * step]] += static_cast<T>(read_value(&weights, i));
}

int bincount(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
             const fb_param*) {
  const int64_t* x = static_cast<const int64_t*>(in[0]->data);
  const int64_t n = in[0]->numel, step = n ? in[0]->strides[0] : 1;
  if (int status = check_bins(x, step, n, out[0]->numel)) return status;
  const fb_array* weights = n_in > 1 ? in[1] : nullptr;
  if (!weights) {
    int64_t* counts = static_cast<int64_t*>(out[0]->data);
    for (int64_t i = 0; i < n; ++i) ++counts[x[i * step]];
  } else if (out[0]->dtype == FB_FLOAT32) {
    add_to_bins(x, step, n, *weights, static_cast<float*>(out[0]->data));
  } else if (out[0]->dtype == FB_FLOAT64) {
    add_to_bins(x, step, n, *weights, static_cast<double*>(out[0]->data));
  } else {
    return fail(FB_ERROR, "bincount: weights must be float32 or float64");
  }
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"searchsorted", bit(FB_BOOL), searchsorted<bool>},
    {"searchsorted", bit(FB_UINT8), searchsorted<uint8_t>},
    {"searchsorted", bit(FB_INT8), searchsorted<int8_t>},
    {"searchsorted", bit(FB_INT16), searchsorted<int16_t>},
    {"searchsorted", bit(FB_INT32), searchsorted<int32_t>},
    {"searchsorted", bit(FB_INT64), searchsorted<int64_t>},
    {"searchsorted", bit(FB_FLOAT16), searchsorted<float16>},
    {"searchsorted", bit(FB_BFLOAT16), searchsorted<bfloat16>},
    {"searchsorted", bit(FB_FLOAT32), searchsorted<float>},
    {"searchsorted", bit(FB_FLOAT64), searchsorted<double>},
    {"bincount", bit(FB_INT64), bincount},
};

}  // namespace

KernelTable search_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
