// Layer normalization over the rows of a matrix (Ba, Kiros and Hinton, 2016).
#include <cmath>

#include "element.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "vector_run.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 8192;

// A vector over the columns (weight, bias) as the type computed in; null stays null.
template <typename T>
const Compute<T>* column_values(const fb_array* x, int64_t n, Compute<T>* buffer) {
  return x ? read_run(static_cast<const T*>(x->data), x->strides[0], n, buffer) : nullptr;
}

template <typename W>
struct Moments {
  W mean, variance;
};

// Two passes: the squares are of differences from the mean, so nothing cancels.
template <typename W>
Moments<W> moments(const W* x, int64_t n) {
  const W mean = sum_run(x, n) / static_cast<W>(n);
  const VectorOf<W> sum = sum_vectors<W>(n, [=](int64_t i, int64_t count) {
    const VectorOf<W> d = fetch(x + i, count) - mean;
    return d * d;
  });
  return {mean, sum_lanes(sum) / static_cast<W>(n)};
}

template <typename W>
void normalize(int64_t n, const W* __restrict x, W mean, W rstd, const W* __restrict weight,
               const W* __restrict bias, W* __restrict y) {
  if (weight && bias)
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * weight[i] + bias[i];
  else if (weight)
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * weight[i];
  else if (bias)
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd + bias[i];
  else
    for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd;
}

template <typename T>
int layer_norm(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
               const fb_param* params) {
  using W = Compute<T>;
  const fb_array *x = in[0], *y = out[0];
  const int64_t m = x->shape[0], n = x->shape[1];
  if (n == 0) return FB_OK;
  W* columns = scratch_values<W>(2 * n, kScratchConverted);
  const W* weight = column_values<T>(n_in > 1 ? in[1] : nullptr, n, columns);
  const W* bias = column_values<T>(n_in > 2 ? in[2] : nullptr, n, columns + n);
  parallel_for(m, kGrain / n + 1, [&](int64_t begin, int64_t end) {
    W* buffer = scratch_values<W>(2 * n, kScratchKernel);
    for (int64_t i = begin; i < end; ++i) {
      const W* row =
          read_run(static_cast<const T*>(x->data) + i * x->strides[0], x->strides[1], n, buffer);
      T* home = static_cast<T*>(y->data) + i * y->strides[0];
      W* result = result_run(home, y->strides[1], n, buffer + n);
      const Moments<W> found = moments(row, n);
      const W rstd = 1 / std::sqrt(found.variance + static_cast<W>(params[0].f));
      normalize(n, row, found.mean, rstd, weight, bias, result);
      finish_run(result, y->strides[1], n, home);
      if (out[1]) write_value(out[1], i, found.mean);
      if (out[2]) write_value(out[2], i, rstd);
    }
  });
  return FB_OK;
}

// One row of the gradient: gx, and what the row adds to gw and gb.
template <typename W>
void gradient_row(int64_t n, const W* g, const W* x, W mean, W rstd, const W* weight, W* gx, W* gw,
                  W* gb) {
  VectorOf<W> sum = {}, dot = {};
  for_vectors<W>(n, [&](int64_t i, int64_t count) {
    const VectorOf<W> grad = fetch(g + i, count);
    const VectorOf<W> unit = (fetch(x + i, count) - mean) * rstd;
    const VectorOf<W> scaled = weight ? grad * fetch(weight + i, count) : grad;
    sum += scaled;
    dot += keep<W>(scaled * unit, count);
    if (gw) put(gw + i, fetch(gw + i, count) + grad * unit, count);
    if (gb) put(gb + i, fetch(gb + i, count) + grad, count);
  });
  if (!gx) return;
  const W offset = sum_lanes(sum) / static_cast<W>(n), slope = sum_lanes(dot) / static_cast<W>(n);
  for_vectors<W>(n, [&](int64_t i, int64_t count) {
    const VectorOf<W> grad = fetch(g + i, count);
    const VectorOf<W> unit = (fetch(x + i, count) - mean) * rstd;
    const VectorOf<W> scaled = weight ? grad * fetch(weight + i, count) : grad;
    put(gx + i, (scaled - offset - unit * slope) * rstd, count);
  });
}

template <typename T>
void put_columns(const fb_array* to, const Compute<T>* sums, int64_t n) {
  scatter_run(sums, to->strides[0], n, static_cast<T*>(to->data));
}

template <typename T>
int layer_norm_backward(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
                        const fb_param*) {
  using W = Compute<T>;
  const fb_array *g = in[0], *x = in[1], *gx = out[0];
  const int64_t m = x->shape[0], n = x->shape[1];
  const fb_array *gw = out[1], *gb = out[2];
  // Each part of the rows sums gw and gb for itself; the parts are added in order.
  int64_t parts = m * n / kGrain + 1;
  if (parts > usable_threads()) parts = usable_threads();
  W* sums = scratch_values<W>((2 * parts + 1) * n, kScratchConverted);
  const W* weight = column_values<T>(n_in > 4 ? in[4] : nullptr, n, sums + 2 * parts * n);
  for (int64_t i = 0; i < 2 * parts * n; ++i) sums[i] = 0;
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    W* buffer = scratch_values<W>(3 * n, kScratchKernel);
    for (int64_t part = first; part < last; ++part)
      for (int64_t i = m * part / parts; i < m * (part + 1) / parts; ++i) {
        const W* grad =
            read_run(static_cast<const T*>(g->data) + i * g->strides[0], g->strides[1], n, buffer);
        const W* row = read_run(static_cast<const T*>(x->data) + i * x->strides[0], x->strides[1],
                                n, buffer + n);
        T* home = gx ? static_cast<T*>(gx->data) + i * gx->strides[0] : nullptr;
        W* result = gx ? result_run(home, gx->strides[1], n, buffer + 2 * n) : nullptr;
        gradient_row(n, grad, row, static_cast<W>(read_value(in[2], i)),
                     static_cast<W>(read_value(in[3], i)), weight, result,
                     gw ? sums + 2 * part * n : nullptr, gb ? sums + (2 * part + 1) * n : nullptr);
        if (gx) finish_run(result, gx->strides[1], n, home);
      }
  });
  for (int64_t part = 1; part < parts; ++part)
    for (int64_t i = 0; i < 2 * n; ++i) sums[i] += sums[2 * part * n + i];
  if (gw) put_columns<T>(gw, sums, n);
  if (gb) put_columns<T>(gb, sums + n, n);
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"layer_norm", bit(FB_FLOAT32), layer_norm<float>},
    {"layer_norm", bit(FB_FLOAT64), layer_norm<double>},
    {"layer_norm", bit(FB_FLOAT16), layer_norm<float16>},
    {"layer_norm", bit(FB_BFLOAT16), layer_norm<bfloat16>},
    {"layer_norm_backward", bit(FB_FLOAT32), layer_norm_backward<float>},
    {"layer_norm_backward", bit(FB_FLOAT64), layer_norm_backward<double>},
    {"layer_norm_backward", bit(FB_FLOAT16), layer_norm_backward<float16>},
    {"layer_norm_backward", bit(FB_BFLOAT16), layer_norm_backward<bfloat16>},
};

}  // namespace

KernelTable layer_norm_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
