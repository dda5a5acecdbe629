// Pooling over the last two dimensions of contiguous [N, C, H, W] arrays.
#include "element.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"

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

// The common 2 x 2 windows side by side: no branches, so that it is vectorised.
template <typename T>
void max_plane_by_two(const Pooling& p, const T* x, T* y, int64_t* index) {
  for (int64_t oh = 0; oh < p.out_height; ++oh) {
    const T *a = x + 2 * oh * p.width, *b = a + p.width;
    const int64_t first = 2 * oh * p.width;
    T* out = y + oh * p.out_width;
    int64_t* at = index + oh * p.out_width;
    for (int64_t ow = 0; ow < p.out_width; ++ow) {
      const T v0 = a[2 * ow], v1 = a[2 * ow + 1], v2 = b[2 * ow], v3 = b[2 * ow + 1];
      T value = v0;
      int64_t best = 0;
      // Not "less or equal": true for NaN, too. Once the value is NaN nothing replaces it.
      const bool one = !(v1 <= value) & (value == value);
      value = one ? v1 : value;
      best = one ? 1 : best;
      const bool two = !(v2 <= value) & (value == value);
      value = two ? v2 : value;
      best = two ? p.width : best;
      const bool three = !(v3 <= value) & (value == value);
      value = three ? v3 : value;
      best = three ? p.width + 1 : best;
      out[ow] = value;
      at[ow] = first + 2 * ow + best;
    }
  }
}

bool is_by_two(const Pooling& p) {
  for (int d = 0; d < 2; ++d)
    if (p.kernel[d] != 2 || p.stride[d] != 2 || p.padding[d] != 0 || p.dilation[d] != 1)
      return false;
  return 2 * p.out_height <= p.height && 2 * p.out_width <= p.width;
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
    if constexpr (!kIsHalf<T>) {
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
// -----------------------------------------------------------------------------------------------

// The inputs of one output and what their sum is divided by.
struct Window {
  int64_t top, bottom, left, right;
  double divisor;
};

Window average_window(const Pooling& p, int64_t oh, int64_t ow, bool count_padding,
                      int64_t divisor) {
  Window w;
  w.top = oh * p.stride[0] - p.padding[0];
  w.left = ow * p.stride[1] - p.padding[1];
  const auto least = [](int64_t a, int64_t b) { return a < b ? a : b; };
  w.bottom = least(w.top + p.kernel[0], p.height + p.padding[0]);
  w.right = least(w.left + p.kernel[1], p.width + p.padding[1]);
  const int64_t padded = (w.bottom - w.top) * (w.right - w.left);
  if (w.top < 0) w.top = 0;
  if (w.left < 0) w.left = 0;
  w.bottom = least(w.bottom, p.height);
  w.right = least(w.right, p.width);
  const int64_t inside = (w.bottom - w.top) * (w.right - w.left);
  w.divisor = static_cast<double>(divisor ? divisor : count_padding ? padded : inside);
  return w;
}

Window adaptive_window(const Pooling& p, int64_t oh, int64_t ow) {
  Window w;
  w.top = oh * p.height / p.out_height;
  w.bottom = ((oh + 1) * p.height + p.out_height - 1) / p.out_height;
  w.left = ow * p.width / p.out_width;
  w.right = ((ow + 1) * p.width + p.out_width - 1) / p.out_width;
  w.divisor = static_cast<double>((w.bottom - w.top) * (w.right - w.left));
  return w;
}

template <typename T, typename Windows>
void average(const Pooling& p, const fb_array* in, const fb_array* out, const Windows& window) {
  using W = Compute<T>;
  const T* x = static_cast<const T*>(in->data);
  T* y = static_cast<T*>(out->data);
  p.for_each_plane(2, [&](int64_t plane) {
    const T* from = x + plane * p.size();
    T* to = y + plane * p.out_size();
    for (int64_t oh = 0; oh < p.out_height; ++oh)
      for (int64_t ow = 0; ow < p.out_width; ++ow) {
        const Window w = window(oh, ow);
        W sum = 0;
        for (int64_t h = w.top; h < w.bottom; ++h)
          for (int64_t i = w.left; i < w.right; ++i) sum += value_of(from[h * p.width + i]);
        assign(*to++, sum / static_cast<W>(w.divisor));
      }
  });
}

template <typename T, typename Windows>
void average_backward(const Pooling& p, const fb_array* in, const fb_array* out,
                      const Windows& window) {
  using W = Compute<T>;
  const T* g = static_cast<const T*>(in->data);
  T* gx = static_cast<T*>(out->data);
  p.for_each_plane(2, [&](int64_t plane) {
    const T* from = g + plane * p.out_size();
    accumulate_plane(p.size(), gx + plane * p.size(), [&](W* sums) {
      for (int64_t oh = 0; oh < p.out_height; ++oh)
        for (int64_t ow = 0; ow < p.out_width; ++ow) {
          const Window w = window(oh, ow);
          const W share = value_of(from[oh * p.out_width + ow]) / static_cast<W>(w.divisor);
          for (int64_t h = w.top; h < w.bottom; ++h)
            for (int64_t i = w.left; i < w.right; ++i) sums[h * p.width + i] += share;
        }
    });
  });
}

template <typename T>
int avg_pool2d(void*, int, fb_array* const* out, int, const fb_array* const* in,
               const fb_param* params) {
  const Pooling p(in[0], out[0], params, false);
  average<T>(p, in[0], out[0], [&](int64_t oh, int64_t ow) {
    return average_window(p, oh, ow, params[3].i, params[4].i);
  });
  return FB_OK;
}

template <typename T>
int avg_pool2d_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                        const fb_param* params) {
  const Pooling p(out[0], in[0], params, false);
  average_backward<T>(p, in[0], out[0], [&](int64_t oh, int64_t ow) {
    return average_window(p, oh, ow, params[3].i, params[4].i);
  });
  return FB_OK;
}

template <typename T>
int adaptive_avg_pool2d(void*, int, fb_array* const* out, int, const fb_array* const* in,
                        const fb_param*) {
  const Pooling p(in[0], out[0]);
  average<T>(p, in[0], out[0], [&](int64_t oh, int64_t ow) { return adaptive_window(p, oh, ow); });
  return FB_OK;
}

template <typename T>
int adaptive_avg_pool2d_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                                 const fb_param*) {
  const Pooling p(out[0], in[0]);
  average_backward<T>(p, in[0], out[0],
                      [&](int64_t oh, int64_t ow) { return adaptive_window(p, oh, ow); });
  return FB_OK;
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
