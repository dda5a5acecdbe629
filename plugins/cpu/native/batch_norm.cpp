// Batch normalization of [N, C, L] arrays (Ioffe and Szegedy, 2015).
#include <cmath>

#include "column_sums.h"
#include "element.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "vector_run.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 8192;

// The runs of one channel. With L == 1 a channel is a single run over the batch.
template <typename T>
struct Channels {
  using W = Compute<T>;
  T* data;
  int64_t n, c, l, strides[3];

  explicit Channels(const fb_array* x) : data(static_cast<T*>(x->data)) {
    n = x->shape[0];
    c = x->shape[1];
    l = x->shape[2];
    for (int d = 0; d < 3; ++d) strides[d] = x->strides[d];
  }

  // A channel is `runs()` runs of `length()` values.
  bool along_batch() const { return l == 1; }
  int64_t runs() const { return along_batch() ? 1 : n; }
  int64_t length() const { return along_batch() ? n : l; }
  int64_t stride() const { return along_batch() ? strides[0] : strides[2]; }
  T* at(int64_t channel, int64_t run) const {
    return data + channel * strides[1] + (along_batch() ? 0 : run * strides[0]);
  }
  const W* read(int64_t channel, int64_t run, W* buffer) const {
    return read_run<T>(at(channel, run), stride(), length(), buffer);
  }
  W* result(int64_t channel, int64_t run, W* buffer) const {
    return result_run(at(channel, run), stride(), length(), buffer);
  }
  void finish(const W* values, int64_t channel, int64_t run) const {
    finish_run(values, stride(), length(), at(channel, run));
  }
};

template <typename T>
double value_or(const fb_array* x, int64_t i, double otherwise) {
  return x ? read_value(x, i) : otherwise;
}

struct Statistics {
  double mean, variance;
};

template <typename T>
Statistics statistics(const Channels<T>& x, int64_t channel, Compute<T>* buffer) {
  using W = Compute<T>;
  const double count = static_cast<double>(x.n * x.l);
  double sum = 0, squares = 0;
  for (int64_t run = 0; run < x.runs(); ++run)
    sum += sum_run(x.read(channel, run, buffer), x.length());
  const double mean = sum / count;
  const W center = static_cast<W>(mean);
  double shift = 0;
  for (int64_t run = 0; run < x.runs(); ++run) {
    const W* values = x.read(channel, run, buffer);
    VectorOf<W> drift = {};
    squares += sum_lanes(sum_vectors<W>(x.length(), [&](int64_t i, int64_t n) {
      const VectorOf<W> d = fetch(values + i, n) - center;
      drift += keep<W>(d, n);
      return d * d;
    }));
    shift += sum_lanes(drift);
  }
  // What rounding the mean, and its float sums, left over.
  const double rest = shift / count;
  const double variance = squares / count - rest * rest;
  return {static_cast<double>(center) + rest, variance > 0 ? variance : variance * 0};
}

void update_running(const fb_array* running, int64_t channel, double momentum, double value) {
  if (running)
    write_value(running, channel, (1 - momentum) * read_value(running, channel) + momentum * value);
}

// Where statistics come from and go to, and what the channels are scaled with.
struct Settings {
  const fb_array *mean, *rstd, *running_mean, *running_var, *weight, *bias;
  bool training;
  double momentum, eps;
};

// y = (x - mean) * scale + offset.
template <typename W>
struct Scaling {
  W mean, scale, offset;
};

// Stores one channel's statistics and says how it is scaled.
template <typename T>
Scaling<Compute<T>> settle(const Settings& s, int64_t c, int64_t count, Statistics found) {
  using W = Compute<T>;
  if (s.training) {
    const double n = static_cast<double>(count);
    update_running(s.running_mean, c, s.momentum, found.mean);
    update_running(s.running_var, c, s.momentum, found.variance * n / (n - 1));
  } else {
    found = {read_value(s.running_mean, c), read_value(s.running_var, c)};
  }
  const double rstd = 1 / std::sqrt(found.variance + s.eps);
  if (s.mean) write_value(s.mean, c, found.mean);
  if (s.rstd) write_value(s.rstd, c, rstd);
  return {static_cast<W>(found.mean), static_cast<W>(rstd * value_or<T>(s.weight, c, 1)),
          static_cast<W>(value_or<T>(s.bias, c, 0))};
}

template <typename T>
void normalize_channel(const Settings& s, const Channels<T>& x, const Channels<T>& y, int64_t c,
                       Compute<T>* buffer) {
  using W = Compute<T>;
  const int64_t length = x.length();
  const Statistics found = s.training ? statistics(x, c, buffer) : Statistics{};
  const Scaling<W> k = settle<T>(s, c, x.n * x.l, found);
  for (int64_t run = 0; run < x.runs(); ++run) {
    const W* values = x.read(c, run, buffer);
    W* result = y.result(c, run, buffer + length);
    for (int64_t i = 0; i < length; ++i) result[i] = (values[i] - k.mean) * k.scale + k.offset;
    y.finish(result, c, run);
  }
}

// Channels side by side: [N, C] with the channels along memory.
template <typename W>
void normalize_columns(const Settings& s, const Channels<W>& x, const Channels<W>& y) {
  const double rows = static_cast<double>(x.n);
  for_column_groups<W>(x.c, [&](int64_t c, int64_t count) {
    const auto at = [&](int64_t i) { return fetch(x.data + i * x.strides[0] + c, count); };
    Scaling<W> lane[Vector<W>::kLanes] = {};
    W mean[Vector<W>::kLanes] = {}, scale[Vector<W>::kLanes] = {}, offset[Vector<W>::kLanes] = {};
    ColumnSums<W> sums, squares;
    if (s.training) {
      sums.add(x.n, [&](int64_t i, auto& sum, auto&) { sum += at(i); });
      for (int64_t j = 0; j < count; ++j) mean[j] = static_cast<W>(sums.first[j] / rows);
      const auto center = load(mean);
      squares.add(x.n, [&](int64_t i, auto& drift, auto& square) {
        const auto d = at(i) - center;
        drift += d;
        square += d * d;
      });
    }
    for (int64_t j = 0; j < count; ++j) {
      const double rest = squares.first[j] / rows;
      const double variance = squares.second[j] / rows - rest * rest;
      lane[j] = settle<W>(s, c + j, x.n, {mean[j] + rest, variance > 0 ? variance : variance * 0});
      mean[j] = lane[j].mean;
      scale[j] = lane[j].scale;
      offset[j] = lane[j].offset;
    }
    for (int64_t i = 0; i < x.n; ++i)
      put(y.data + i * y.strides[0] + c, (at(i) - load(mean)) * load(scale) + load(offset), count);
  });
}

template <typename T>
bool side_by_side(const Channels<T>& x) {
  return !kIsHalf<T> && x.l == 1 && x.strides[1] == 1;
}

template <typename T>
int batch_norm(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
               const fb_param* params) {
  using W = Compute<T>;
  const Channels<T> x(in[0]), y(out[0]);
  const Settings s{out[1],
                   out[2],
                   out[3],
                   out[4],
                   n_in > 1 ? in[1] : nullptr,
                   n_in > 2 ? in[2] : nullptr,
                   params[0].i != 0,
                   params[1].f,
                   params[2].f};
  const int64_t count = x.n * x.l;
  if (count == 0) return FB_OK;
  if constexpr (!kIsHalf<T>) {
    if (side_by_side(x) && side_by_side(y)) {
      normalize_columns(s, x, y);
      return FB_OK;
    }
  }
  parallel_for(x.c, kGrain / count + 1, [&](int64_t begin, int64_t end) {
    W* buffer = scratch_values<W>(2 * x.length(), kScratchKernel);
    for (int64_t c = begin; c < end; ++c) normalize_channel(s, x, y, c, buffer);
  });
  return FB_OK;
}

// The sums of g and of g (x - mean) over one channel.
struct GradientSums {
  double g, g_centered;
};

template <typename T>
GradientSums gradient_sums(const Channels<T>& g, const Channels<T>& x, int64_t channel,
                           Compute<T> mean, Compute<T>* buffer) {
  using W = Compute<T>;
  GradientSums sums = {0, 0};
  for (int64_t run = 0; run < x.runs(); ++run) {
    const W* grad = g.read(channel, run, buffer);
    const W* values = x.read(channel, run, buffer + x.length());
    VectorOf<W> sum = {}, dot = {};
    for_vectors<W>(x.length(), [&](int64_t i, int64_t n) {
      const VectorOf<W> left = fetch(grad + i, n);
      sum += left;
      dot += keep<W>(left * (fetch(values + i, n) - mean), n);
    });
    sums.g += sum_lanes(sum);
    sums.g_centered += sum_lanes(dot);
  }
  return sums;
}

// The arrays of the backward pass.
struct Gradients {
  const fb_array *gx, *gw, *gb, *mean, *rstd, *weight;
  bool training;
};

// gx = (g - offset - (x - mean) * slope) * scale.
template <typename W>
struct Slope {
  W mean, scale, offset, slope;
};

// Stores one channel's gw and gb and says how its gx is found.
template <typename T>
Slope<Compute<T>> settle(const Gradients& s, int64_t c, int64_t count, const GradientSums& sums) {
  using W = Compute<T>;
  const double rstd = read_value(s.rstd, c), n = static_cast<double>(count);
  if (s.gw) write_value(s.gw, c, sums.g_centered * rstd);
  if (s.gb) write_value(s.gb, c, sums.g);
  return {static_cast<W>(read_value(s.mean, c)), static_cast<W>(rstd * value_or<T>(s.weight, c, 1)),
          static_cast<W>(s.training ? sums.g / n : 0),
          static_cast<W>(s.training ? sums.g_centered * rstd * rstd / n : 0)};
}

template <typename T>
void channel_gradient(const Gradients& s, const Channels<T>& g, const Channels<T>& x, int64_t c,
                      Compute<T>* buffer) {
  using W = Compute<T>;
  const int64_t length = x.length();
  const W mean = static_cast<W>(read_value(s.mean, c));
  const Slope<W> k = settle<T>(s, c, x.n * x.l, gradient_sums(g, x, c, mean, buffer));
  if (!s.gx) return;
  const Channels<T> result(s.gx);
  for (int64_t run = 0; run < x.runs(); ++run) {
    const W* grad = g.read(c, run, buffer);
    const W* values = x.read(c, run, buffer + length);
    W* to = result.result(c, run, buffer + 2 * length);
    for (int64_t i = 0; i < length; ++i)
      to[i] = (grad[i] - k.offset - (values[i] - k.mean) * k.slope) * k.scale;
    result.finish(to, c, run);
  }
}

template <typename W>
void column_gradients(const Gradients& s, const Channels<W>& g, const Channels<W>& x) {
  for_column_groups<W>(x.c, [&](int64_t c, int64_t count) {
    const auto grad = [&](int64_t i) { return fetch(g.data + i * g.strides[0] + c, count); };
    const auto value = [&](int64_t i) { return fetch(x.data + i * x.strides[0] + c, count); };
    W mean[Vector<W>::kLanes] = {}, scale[Vector<W>::kLanes] = {}, offset[Vector<W>::kLanes] = {},
      slope[Vector<W>::kLanes] = {};
    for (int64_t j = 0; j < count; ++j) mean[j] = static_cast<W>(read_value(s.mean, c + j));
    const auto center = load(mean);
    ColumnSums<W> sums;
    sums.add(x.n, [&](int64_t i, auto& sum, auto& dot) {
      sum += grad(i);
      dot += grad(i) * (value(i) - center);
    });
    for (int64_t j = 0; j < count; ++j) {
      const Slope<W> k = settle<W>(s, c + j, x.n, {sums.first[j], sums.second[j]});
      scale[j] = k.scale;
      offset[j] = k.offset;
      slope[j] = k.slope;
    }
    if (!s.gx) return;
    const Channels<W> result(s.gx);
    for (int64_t i = 0; i < x.n; ++i)
      put(result.data + i * result.strides[0] + c,
          (grad(i) - load(offset) - (value(i) - center) * load(slope)) * load(scale), count);
  });
}

template <typename T>
int batch_norm_backward(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
                        const fb_param* params) {
  using W = Compute<T>;
  const Channels<T> g(in[0]), x(in[1]);
  const Gradients s{out[0],          out[1], out[2], in[2], in[3], n_in > 4 ? in[4] : nullptr,
                    params[0].i != 0};
  if constexpr (!kIsHalf<T>) {
    if (side_by_side(g) && side_by_side(x) && (!s.gx || side_by_side(Channels<T>(s.gx)))) {
      column_gradients(s, g, x);
      return FB_OK;
    }
  }
  parallel_for(x.c, kGrain / (x.n * x.l + 1) + 1, [&](int64_t begin, int64_t end) {
    W* buffer = scratch_values<W>(3 * x.length(), kScratchKernel);
    for (int64_t c = begin; c < end; ++c) channel_gradient(s, g, x, c, buffer);
  });
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"batch_norm", bit(FB_FLOAT32), batch_norm<float>},
    {"batch_norm", bit(FB_FLOAT64), batch_norm<double>},
    {"batch_norm", bit(FB_FLOAT16), batch_norm<float16>},
    {"batch_norm", bit(FB_BFLOAT16), batch_norm<bfloat16>},
    {"batch_norm_backward", bit(FB_FLOAT32), batch_norm_backward<float>},
    {"batch_norm_backward", bit(FB_FLOAT64), batch_norm_backward<double>},
    {"batch_norm_backward", bit(FB_FLOAT16), batch_norm_backward<float16>},
    {"batch_norm_backward", bit(FB_BFLOAT16), batch_norm_backward<bfloat16>},
};

}  // namespace

KernelTable batch_norm_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
