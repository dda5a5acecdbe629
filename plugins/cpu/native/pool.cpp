// Pooling over the last two dimensions of contiguous [N, C, H, W] arrays.
#include <cstring>
#include <type_traits>

#include "element.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "vector_run.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 8192;

// The sizes of one pooling; planes are N * C.
struct Pooling {
  int64_t planes, height, width, out_height, out_width;
  int64_t kernel[2], stride[2], padding[2], dilation[2];

  Pooling(const fb_array* x, const fb_array* y)
      : planes(x->shape[0] * x->shape[1]),
        height(x->shape[2]),
        width(x->shape[3]),
        out_height(y->shape[2]),
        out_width(y->shape[3]) {}

  Pooling(const fb_array* x, const fb_array* y, const fb_param* params, bool dilated)
      : Pooling(x, y) {
    for (int d = 0; d < 2; ++d) {
      kernel[d] = params[0].list.p[d];
      stride[d] = params[1].list.p[d];
      padding[d] = params[2].list.p[d];
      dilation[d] = dilated ? params[3].list.p[d] : 1;
    }
  }

  int64_t size() const { return height * width; }
  int64_t out_size() const { return out_height * out_width; }

  template <typename F>
  void for_each_plane(int64_t cost, const F& fn) const {
    parallel_for(planes, kGrain / (cost * (size() + out_size()) + 1) + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t plane = begin; plane < end; ++plane) fn(plane);
                 });
  }
};

inline float number(float x) { return x; }
inline double number(double x) { return x; }
inline float number(float16 x) { return to_float(x); }
inline float number(bfloat16 x) { return to_float(x); }
template <typename T>
T number(T x) {
  return x;
}

template <typename W>
bool is_nan(W x) {
  return x != x;
}

// -- largest values
// ---------------------------------------------------------------------------------

template <typename T>
void max_plane(const Pooling& p, const T* x, T* y, int64_t* index) {
  for (int64_t oh = 0; oh < p.out_height; ++oh) {
    int64_t top = oh * p.stride[0] - p.padding[0];
    const int64_t bottom_limit = top + (p.kernel[0] - 1) * p.dilation[0] + 1;
    const int64_t bottom = bottom_limit < p.height ? bottom_limit : p.height;
    while (top < 0) top += p.dilation[0];
    for (int64_t ow = 0; ow < p.out_width; ++ow) {
      int64_t left = ow * p.stride[1] - p.padding[1];
      const int64_t right_limit = left + (p.kernel[1] - 1) * p.dilation[1] + 1;
      const int64_t right = right_limit < p.width ? right_limit : p.width;
      while (left < 0) left += p.dilation[1];
      int64_t best = top * p.width + left;
      auto value = number(x[best]);
      for (int64_t h = top; h < bottom; h += p.dilation[0])
        for (int64_t w = left; w < right; w += p.dilation[1]) {
          const auto candidate = number(x[h * p.width + w]);
          // A NaN wins and stays; the first of equals stays.
          if (candidate > value || (is_nan(candidate) && !is_nan(value))) {
            value = candidate;
            best = h * p.width + w;
          }
        }
      y[oh * p.out_width + ow] = x[best];
      index[oh * p.out_width + ow] = best;
    }
  }
}

// Every second lane of two vectors, from lane `first` on.
template <typename W>
inline VectorOf<W> every_second(VectorOf<W> low, VectorOf<W> high, int first) {
  using Int = typename Vector<W>::Int;
  Int lanes[Vector<W>::kLanes];
  for (int i = 0; i < Vector<W>::kLanes; ++i) lanes[i] = static_cast<Int>(2 * i + first);
  MaskOf<VectorOf<W>> pick;
  std::memcpy(&pick, lanes, sizeof pick);
  return __builtin_shuffle(low, high, pick);
}

// The running best of a vector of windows. A NaN wins and stays; the first of equals stays.
template <typename W>
struct BestLanes {
  VectorOf<W> value;
  MaskOf<VectorOf<W>> offset = {};

  void offer(VectorOf<W> candidate, int64_t at) {
    const auto wins = (candidate > value) | ((candidate != candidate) & (value == value));
    const auto place = MaskOf<VectorOf<W>>{} + static_cast<typename Vector<W>::Int>(at);
    value = wins ? candidate : value;
    offset = wins ? place : offset;
  }
};

// The common 2 x 2 windows, a vector of them side by side.
template <typename W>
void max_plane_by_two(const Pooling& p, const W* x, W* y, int64_t* index) {
  constexpr int64_t lanes = Vector<W>::kLanes;
  for (int64_t oh = 0; oh < p.out_height; ++oh)
    for (int64_t ow = 0; ow < p.out_width; ow += lanes) {
      const int64_t left = p.out_width - ow, count = left < lanes ? left : lanes;
      const int64_t low_count = 2 * count < lanes ? 2 * count : lanes;
      const int64_t first = 2 * oh * p.width + 2 * ow;
      VectorOf<W> even[2], odd[2];
      for (int row = 0; row < 2; ++row) {
        const W* from = x + first + row * p.width;
        const VectorOf<W> low = fetch(from, low_count);
        const VectorOf<W> high =
            low_count < 2 * count ? fetch(from + lanes, 2 * count - lanes) : VectorOf<W>{};
        even[row] = every_second<W>(low, high, 0);
        odd[row] = every_second<W>(low, high, 1);
      }
      BestLanes<W> best{even[0]};
      best.offer(odd[0], 1);
      best.offer(even[1], p.width);
      best.offer(odd[1], p.width + 1);
      put(y + oh * p.out_width + ow, best.value, count);
      typename Vector<W>::Int offset[lanes];
      std::memcpy(offset, &best.offset, sizeof offset);
      int64_t* at = index + oh * p.out_width + ow;
      for (int64_t i = 0; i < count; ++i) at[i] = first + 2 * i + offset[i];
    }
}

bool is_by_two(const Pooling& p) {
  for (int d = 0; d < 2; ++d)
    if (p.kernel[d] != 2 || p.stride[d] != 2 || p.padding[d] != 0 || p.dilation[d] != 1)
      return false;
  return 2 * p.out_height <= p.height && 2 * p.out_width <= p.width && p.size() < 1 << 30;
}

template <typename T>
int max_pool2d(void*, int, fb_array* const* out, int, const fb_array* const* in,
               const fb_param* params) {
  const Pooling p(in[0], out[0], params, true);
  const bool by_two = is_by_two(p);
  const T* x = static_cast<const T*>(in[0]->data);
  T* y = static_cast<T*>(out[0]->data);
  int64_t* index = static_cast<int64_t*>(out[1]->data);
  p.for_each_plane(2, [&](int64_t plane) {
    const T* from = x + plane * p.size();
    T* to = y + plane * p.out_size();
    int64_t* at = index + plane * p.out_size();
    if constexpr (std::is_floating_point_v<T>) {
      if (by_two) return max_plane_by_two(p, from, to, at);
    }
    max_plane(p, from, to, at);
  });
  return FB_OK;
}

// Sums one plane's gradient in the type computed in and then stores it.
template <typename T, typename Add>
void accumulate_plane(int64_t size, T* gx, const Add& add) {
  if constexpr (kIsHalf<T>) {
    float* sums = scratch_values<float>(size, kScratchKernel);
    for (int64_t i = 0; i < size; ++i) sums[i] = 0;
    add(sums);
    narrow(gx, sums, size);
  } else {
    for (int64_t i = 0; i < size; ++i) gx[i] = 0;
    add(gx);
  }
}

template <typename T>
int max_pool2d_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                        const fb_param*) {
  const Pooling p(out[0], in[0]);
  const T* g = static_cast<const T*>(in[0]->data);
  const int64_t* index = static_cast<const int64_t*>(in[1]->data);
  T* gx = static_cast<T*>(out[0]->data);
  p.for_each_plane(1, [&](int64_t plane) {
    const T* from = g + plane * p.out_size();
    const int64_t* at = index + plane * p.out_size();
    accumulate_plane(p.size(), gx + plane * p.size(), [&](Compute<T>* sums) {
      for (int64_t i = 0; i < p.out_size(); ++i) sums[at[i]] += value_of(from[i]);
    });
  });
  return FB_OK;
}

// -- means
// -----------------------------------------------------------------------------------------

// What one output covers along one axis; `padded` counts padding, too.
struct Span {
  int64_t begin, end, padded;
};

Span window_span(int64_t at, int64_t size, int64_t kernel, int64_t stride, int64_t padding) {
  const int64_t begin = at * stride - padding;
  const int64_t limit = begin + kernel < size + padding ? begin + kernel : size + padding;
  return {begin < 0 ? 0 : begin, limit < size ? limit : size, limit - begin};
}

Span adaptive_span(int64_t at, int64_t size, int64_t outputs) {
  const int64_t begin = at * size / outputs, end = ((at + 1) * size + outputs - 1) / outputs;
  return {begin, end, end - begin};
}

// The spans of all outputs along both axes, and how their sums are divided.
struct Windows {
  Span *rows, *columns;
  bool count_padding;
  int64_t divisor;

  Windows(const Pooling& p, bool count_padding, int64_t divisor)
      : rows(scratch_values<Span>(p.out_height + p.out_width, kScratchPacking)),
        columns(rows + p.out_height),
        count_padding(count_padding),
        divisor(divisor) {}

  double size(const Span& row, const Span& column) const {
    if (divisor) return static_cast<double>(divisor);
    if (count_padding) return static_cast<double>(row.padded * column.padded);
    return static_cast<double>((row.end - row.begin) * (column.end - column.begin));
  }
};

Windows given_windows(const Pooling& p, const fb_param* params) {
  Windows w(p, params[3].i, params[4].i);
  for (int64_t i = 0; i < p.out_height; ++i)
    w.rows[i] = window_span(i, p.height, p.kernel[0], p.stride[0], p.padding[0]);
  for (int64_t i = 0; i < p.out_width; ++i)
    w.columns[i] = window_span(i, p.width, p.kernel[1], p.stride[1], p.padding[1]);
  return w;
}

Windows adaptive_windows(const Pooling& p) {
  Windows w(p, false, 0);
  for (int64_t i = 0; i < p.out_height; ++i) w.rows[i] = adaptive_span(i, p.height, p.out_height);
  for (int64_t i = 0; i < p.out_width; ++i) w.columns[i] = adaptive_span(i, p.width, p.out_width);
  return w;
}

// Rows are added up first, along memory; each output is then a short sum along that line.
template <typename T>
void average_plane(const Pooling& p, const Windows& windows, const T* x, Compute<T>* line, T* y) {
  using W = Compute<T>;
  for (int64_t oh = 0; oh < p.out_height; ++oh) {
    const Span row = windows.rows[oh];
    for (int64_t w = 0; w < p.width; ++w) line[w] = 0;
    for (int64_t h = row.begin; h < row.end; ++h)
      for (int64_t w = 0; w < p.width; ++w) line[w] += value_of(x[h * p.width + w]);
    for (int64_t ow = 0; ow < p.out_width; ++ow) {
      const Span column = windows.columns[ow];
      W sum = 0;
      for (int64_t w = column.begin; w < column.end; ++w) sum += line[w];
      assign(*y++, sum / static_cast<W>(windows.size(row, column)));
    }
  }
}

template <typename T>
int average(const Pooling& p, const Windows& windows, const fb_array* in, const fb_array* out) {
  using W = Compute<T>;
  const T* x = static_cast<const T*>(in->data);
  T* y = static_cast<T*>(out->data);
  const bool whole = p.out_size() == 1 && windows.rows[0].end - windows.rows[0].begin == p.height &&
                     windows.columns[0].end - windows.columns[0].begin == p.width;
  p.for_each_plane(2, [&](int64_t plane) {
    const T* from = x + plane * p.size();
    T* to = y + plane * p.out_size();
    if constexpr (!kIsHalf<T>) {
      const double size = windows.size(windows.rows[0], windows.columns[0]);
      if (whole) return assign(*to, sum_run(from, p.size()) / static_cast<W>(size));
    }
    average_plane(p, windows, from, scratch_values<W>(p.width, kScratchKernel), to);
  });
  return FB_OK;
}

template <typename T>
int average_backward(const Pooling& p, const Windows& windows, const fb_array* in,
                     const fb_array* out) {
  using W = Compute<T>;
  const T* g = static_cast<const T*>(in->data);
  T* gx = static_cast<T*>(out->data);
  p.for_each_plane(2, [&](int64_t plane) {
    const T* from = g + plane * p.out_size();
    W* line = scratch_values<W>(p.width, kScratchColumns);
    accumulate_plane(p.size(), gx + plane * p.size(), [&](W* sums) {
      for (int64_t oh = 0; oh < p.out_height; ++oh) {
        const Span row = windows.rows[oh];
        for (int64_t w = 0; w < p.width; ++w) line[w] = 0;
        for (int64_t ow = 0; ow < p.out_width; ++ow) {
          const Span column = windows.columns[ow];
          const W share = value_of(*from++) / static_cast<W>(windows.size(row, column));
          for (int64_t w = column.begin; w < column.end; ++w) line[w] += share;
        }
        for (int64_t h = row.begin; h < row.end; ++h)
          for (int64_t w = 0; w < p.width; ++w) sums[h * p.width + w] += line[w];
      }
    });
  });
  return FB_OK;
}

template <typename T>
int avg_pool2d(void*, int, fb_array* const* out, int, const fb_array* const* in,
               const fb_param* params) {
  const Pooling p(in[0], out[0], params, false);
  return out[0]->numel ? average<T>(p, given_windows(p, params), in[0], out[0]) : FB_OK;
}

template <typename T>
int avg_pool2d_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                        const fb_param* params) {
  const Pooling p(out[0], in[0], params, false);
  return average_backward<T>(p, given_windows(p, params), in[0], out[0]);
}

template <typename T>
int adaptive_avg_pool2d(void*, int, fb_array* const* out, int, const fb_array* const* in,
                        const fb_param*) {
  const Pooling p(in[0], out[0]);
  return out[0]->numel ? average<T>(p, adaptive_windows(p), in[0], out[0]) : FB_OK;
}

template <typename T>
int adaptive_avg_pool2d_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                                 const fb_param*) {
  const Pooling p(out[0], in[0]);
  return average_backward<T>(p, adaptive_windows(p), in[0], out[0]);
}

#define FLAMBEAU_POOL(dtype, T)                                    \
  {"max_pool2d", bit(dtype), max_pool2d<T>},                       \
      {"max_pool2d_backward", bit(dtype), max_pool2d_backward<T>}, \
      {"avg_pool2d", bit(dtype), avg_pool2d<T>},                   \
      {"avg_pool2d_backward", bit(dtype), avg_pool2d_backward<T>}, \
      {"adaptive_avg_pool2d", bit(dtype), adaptive_avg_pool2d<T>}, \
      {"adaptive_avg_pool2d_backward", bit(dtype), adaptive_avg_pool2d_backward<T>},

constexpr KernelEntry entries[] = {
    FLAMBEAU_POOL(FB_FLOAT32, float) FLAMBEAU_POOL(FB_FLOAT64, double)
        FLAMBEAU_POOL(FB_FLOAT16, float16)
            FLAMBEAU_POOL(FB_BFLOAT16, bfloat16){"max_pool2d", bit(FB_INT64), max_pool2d<int64_t>},
    {"max_pool2d", bit(FB_INT32), max_pool2d<int32_t>},
    {"max_pool2d", bit(FB_UINT8), max_pool2d<uint8_t>},
};
#undef FLAMBEAU_POOL

}  // namespace

KernelTable pool_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
