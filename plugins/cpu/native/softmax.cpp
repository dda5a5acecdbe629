// Softmax and its logarithm along one dimension, and their gradients.
#include "registry.h"
#include "rows.h"
#include "vector_run.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <typename W>
inline void softmax_row(int64_t n, const W* x, W* y) {
  const W scale = 1 / exponentials<true>(x, largest(x, n), n, y);
  for (int64_t i = 0; i < n; ++i) y[i] *= scale;
}

template <typename W>
inline void log_softmax_row(int64_t n, const W* x, W* y) {
  const W top = largest(x, n);
  const W log_sum = log_of(exponentials<false>(x, top, n, y));
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] - top - log_sum;
}

template <typename W>
inline void softmax_backward_row(int64_t n, const W* g, const W* y, W* gx) {
  const W dot = sum_lanes(
      sum_vectors<W>(n, [=](int64_t i, int64_t c) { return fetch(g + i, c) * fetch(y + i, c); }));
  for (int64_t i = 0; i < n; ++i) gx[i] = y[i] * (g[i] - dot);
}

template <typename W>
inline void log_softmax_backward_row(int64_t n, const W* g, const W* y, W* gx) {
  const W total = sum_run(g, n);
  for_vectors<W>(n, [&](int64_t i, int64_t c) {
    put(gx + i, fetch(g + i, c) - vexp(fetch(y + i, c)) * total, c);
  });
}

// -- a dimension that is not the last one: neighbouring rows side by side
// --------------------------

// Contiguous arrays of one plain type, seen as [outer, n, inner].
struct Middle {
  int64_t outer, n, inner;
};

template <typename T, int N>
bool middle_of(const fb_array* const (&arrays)[N], int dim, Middle* m) {
  if (kIsHalf<T>) return false;
  for (const fb_array* array : arrays)
    if (!is_contiguous(array)) return false;
  *m = {1, 1, 1};
  for (int d = 0; d < arrays[0]->ndim; ++d)
    (d < dim ? m->outer : d == dim ? m->n : m->inner) *= arrays[0]->shape[d];
  return m->inner >= Vector<Compute<T>>::kLanes;
}

// Calls fn(offset, count) for the first element of each group of `count` neighbouring rows.
template <typename W, typename F>
void for_each_column(const Middle& m, int64_t cost, const F& fn) {
  constexpr int64_t lanes = Vector<W>::kLanes;
  const int64_t groups = (m.inner + lanes - 1) / lanes;
  parallel_for(m.outer * groups, 32768 / (lanes * m.n * cost) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = i % groups * lanes, left = m.inner - at;
      fn(i / groups * m.n * m.inner + at, left < lanes ? left : lanes);
    }
  });
}

template <typename W, bool Log>
void softmax_columns(const Middle& m, const W* x, W* y) {
  for_each_column<W>(m, 10, [=](int64_t offset, int64_t count) {
    const W* in = x + offset;
    W* out = y + offset;
    VectorOf<W> top = fetch(in, count), sum = {};
    for (int64_t i = 1; i < m.n; ++i) {
      const VectorOf<W> v = fetch(in + i * m.inner, count);
      top = v > top ? v : top;
    }
    for (int64_t i = 0; i < m.n; ++i) {
      const VectorOf<W> e = vexp_nonpositive(fetch(in + i * m.inner, count) - top);
      if (!Log) put(out + i * m.inner, e, count);
      sum += e;
    }
    const VectorOf<W> change = Log ? top + vlog(sum) : W(1) / sum;
    for (int64_t i = 0; i < m.n; ++i) {
      const W* from = Log ? in : out;
      const VectorOf<W> v = fetch(from + i * m.inner, count);
      put(out + i * m.inner, Log ? v - change : v * change, count);
    }
  });
}

template <typename W, bool Log>
void softmax_backward_columns(const Middle& m, const W* g, const W* y, W* gx) {
  for_each_column<W>(m, Log ? 10 : 3, [=](int64_t offset, int64_t count) {
    VectorOf<W> sum = {};
    for (int64_t i = 0; i < m.n; ++i) {
      const int64_t at = offset + i * m.inner;
      const VectorOf<W> v = fetch(g + at, count);
      sum += Log ? v : v * fetch(y + at, count);
    }
    for (int64_t i = 0; i < m.n; ++i) {
      const int64_t at = offset + i * m.inner;
      const VectorOf<W> v = fetch(g + at, count), saved = fetch(y + at, count);
      put(gx + at, Log ? v - vexp(saved) * sum : saved * (v - sum), count);
    }
  });
}

// -- kernels
// ---------------------------------------------------------------------------------------

template <typename T, bool Log>
int softmax(void*, int, fb_array* const* out, int, const fb_array* const* in,
            const fb_param* params) {
  using W = Compute<T>;
  const fb_array* const arrays[] = {out[0], in[0]};
  const int dim = static_cast<int>(params[0].i);
  Middle m;
  if (middle_of<T>(arrays, dim, &m)) {
    softmax_columns<W, Log>(m, static_cast<const W*>(in[0]->data), static_cast<W*>(out[0]->data));
    return FB_OK;
  }
  const int64_t n = out[0]->ndim ? out[0]->shape[dim] : 1;
  for_each_row<T>(arrays, dim, 10, [=](W* const* rows) {
    Log ? log_softmax_row(n, rows[1], rows[0]) : softmax_row(n, rows[1], rows[0]);
  });
  return FB_OK;
}

template <typename T, bool Log>
int softmax_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                     const fb_param* params) {
  using W = Compute<T>;
  const fb_array* const arrays[] = {out[0], in[0], in[1]};
  const int dim = static_cast<int>(params[0].i);
  Middle m;
  if (middle_of<T>(arrays, dim, &m)) {
    softmax_backward_columns<W, Log>(m, static_cast<const W*>(in[0]->data),
                                     static_cast<const W*>(in[1]->data),
                                     static_cast<W*>(out[0]->data));
    return FB_OK;
  }
  const int64_t n = out[0]->ndim ? out[0]->shape[dim] : 1;
  for_each_row<T>(arrays, dim, Log ? 10 : 3, [=](W* const* rows) {
    Log ? log_softmax_backward_row(n, rows[1], rows[2], rows[0])
        : softmax_backward_row(n, rows[1], rows[2], rows[0]);
  });
  return FB_OK;
}

#define FLAMBEAU_SOFTMAX(dtype, T)                                                           \
  {"softmax", bit(dtype), softmax<T, false>}, {"log_softmax", bit(dtype), softmax<T, true>}, \
      {"softmax_backward", bit(dtype), softmax_backward<T, false>},                          \
      {"log_softmax_backward", bit(dtype), softmax_backward<T, true>},

constexpr KernelEntry entries[] = {
    FLAMBEAU_SOFTMAX(FB_FLOAT32, float) FLAMBEAU_SOFTMAX(FB_FLOAT64, double)
        FLAMBEAU_SOFTMAX(FB_FLOAT16, float16) FLAMBEAU_SOFTMAX(FB_BFLOAT16, bfloat16)};
#undef FLAMBEAU_SOFTMAX

}  // namespace

KernelTable softmax_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
