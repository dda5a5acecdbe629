// Batch normalization of [N, C, L] arrays (Ioffe and Szegedy, 2015).
#include <cmath>

#include "element.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "vector_run.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 8192;

// The runs of one channel. With L == 1 a channel's values lie a row apart, so whole rows of
// channels are gathered into runs first, a few channels at a time (see `run`).
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
    VectorOf<W> total = {}, drift = {};
    for_vectors<W>(x.length(), [&](int64_t i, int64_t n) {
      const VectorOf<W> d = keep<W>(fetch(values + i, n) - center, n);
      total += d * d;
      drift += d;
    });
    squares += sum_lanes(total);
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

template <typename T>
int batch_norm(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
               const fb_param* params) {
  using W = Compute<T>;
  const Channels<T> x(in[0]), y(out[0]);
  const fb_array *running_mean = out[3], *running_var = out[4];
  const fb_array* weight = n_in > 1 ? in[1] : nullptr;
  const fb_array* bias = n_in > 2 ? in[2] : nullptr;
  const bool training = params[0].i;
  const double momentum = params[1].f, eps = params[2].f;
  const int64_t length = x.length(), count = x.n * x.l;
  if (count == 0) return FB_OK;
  parallel_for(x.c, kGrain / count + 1, [&](int64_t begin, int64_t end) {
    W* buffer = scratch_values<W>(2 * length, kScratchKernel);
    for (int64_t c = begin; c < end; ++c) {
      Statistics found;
      if (training) {
        found = statistics(x, c, buffer);
        const double unbiased =
            found.variance * static_cast<double>(count) / static_cast<double>(count - 1);
        update_running(running_mean, c, momentum, found.mean);
        update_running(running_var, c, momentum, unbiased);
      } else {
        found = {read_value(running_mean, c), read_value(running_var, c)};
      }
      const double rstd = 1 / std::sqrt(found.variance + eps);
      if (out[1]) write_value(out[1], c, found.mean);
      if (out[2]) write_value(out[2], c, rstd);
      const W mean = static_cast<W>(found.mean);
      const W scale = static_cast<W>(rstd * value_or<T>(weight, c, 1));
      const W offset = static_cast<W>(value_or<T>(bias, c, 0));
      for (int64_t run = 0; run < x.runs(); ++run) {
        const W* values = x.read(c, run, buffer);
        W* result = y.result(c, run, buffer + length);
        for (int64_t i = 0; i < length; ++i) result[i] = (values[i] - mean) * scale + offset;
        y.finish(result, c, run);
      }
    }
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

template <typename T>
int batch_norm_backward(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
                        const fb_param* params) {
  using W = Compute<T>;
  const Channels<T> g(in[0]), x(in[1]);
  const fb_array *gx = out[0], *weight = n_in > 4 ? in[4] : nullptr;
  const bool training = params[0].i;
  const int64_t length = x.length(), count = x.n * x.l;
  parallel_for(x.c, kGrain / (count + 1) + 1, [&](int64_t begin, int64_t end) {
    W* buffer = scratch_values<W>(3 * length, kScratchKernel);
    for (int64_t c = begin; c < end; ++c) {
      const W mean = static_cast<W>(read_value(in[2], c));
      const double rstd = read_value(in[3], c);
      const GradientSums sums = gradient_sums(g, x, c, mean, buffer);
      if (out[1]) write_value(out[1], c, sums.g_centered * rstd);
      if (out[2]) write_value(out[2], c, sums.g);
      if (!gx) continue;
      const Channels<T> result(gx);
      const double n = static_cast<double>(count);
      const W scale = static_cast<W>(rstd * value_or<T>(weight, c, 1));
      const W offset = static_cast<W>(training ? sums.g / n : 0);
      const W slope = static_cast<W>(training ? sums.g_centered * rstd * rstd / n : 0);
      for (int64_t run = 0; run < x.runs(); ++run) {
        const W* grad = g.read(c, run, buffer);
        const W* values = x.read(c, run, buffer + length);
        W* to = result.result(c, run, buffer + 2 * length);
        for (int64_t i = 0; i < length; ++i)
          to[i] = (grad[i] - offset - (values[i] - mean) * slope) * scale;
        result.finish(to, c, run);
      }
    }
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
