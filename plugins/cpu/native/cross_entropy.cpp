// Cross entropy of class indices: log-softmax and negative log-likelihood in one pass, without
// storing the probabilities.
#include "loss_target.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "vector_run.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kCost = 12;

template <typename T>
struct Logits {
  const T* data;
  int64_t rows, classes, row_stride, stride;

  explicit Logits(const fb_array* x)
      : data(static_cast<const T*>(x->data)),
        rows(x->shape[0]),
        classes(x->shape[1]),
        row_stride(x->strides[0]),
        stride(x->strides[1]) {}

  const Compute<T>* row(int64_t i, Compute<T>* buffer) const {
    return read_run(data + i * row_stride, stride, classes, buffer);
  }
  int64_t grain() const { return 32768 / (classes * kCost + 1) + 1; }
};

// The class weights as the type computed in, and their sum.
template <typename W>
struct ClassWeights {
  const W* values = nullptr;
  double total;

  ClassWeights(const fb_array* weight, int64_t classes, W* buffer)
      : total(static_cast<double>(classes)) {
    if (!weight) return;
    total = 0;
    for (int64_t c = 0; c < classes; ++c) {
      buffer[c] = static_cast<W>(read_value(weight, c));
      total += buffer[c];
    }
    values = buffer;
  }
};

// The sum over classes of weight times x - lse, for label smoothing.
template <typename W>
W weighted_log_sum(const W* x, const W* weight, W lse, int64_t n) {
  return sum_lanes(sum_vectors<W>(n, [=](int64_t i, int64_t count) {
    const VectorOf<W> v = fetch(x + i, count) - lse;
    return weight ? v * fetch(weight + i, count) : v;
  }));
}

template <typename T>
int cross_entropy(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
                  const fb_param* params) {
  using W = Compute<T>;
  const Logits<T> x(in[0]);
  const fb_array* weight = n_in > 2 ? in[2] : nullptr;
  const ClassTargets target(in[1], weight, x.classes, params[1].i);
  if (int status = target.check()) return status;
  const int64_t reduction = params[0].i;
  const double smoothing = params[2].f, share = smoothing / static_cast<double>(x.classes);
  double* losses = scratch_values<double>(x.rows + x.classes, kScratchKernel);
  const ClassWeights<W> weights(weight, x.classes, reinterpret_cast<W*>(losses + x.rows));
  parallel_for(x.rows, x.grain(), [&](int64_t begin, int64_t end) {
    W* buffer =
        kIsHalf<T> || x.stride != 1 ? scratch_values<W>(x.classes, kScratchConverted) : nullptr;
    for (int64_t i = begin; i < end; ++i) {
      const W* row = x.row(i, buffer);
      const W top = largest(row, x.classes);
      const W lse = top + log_of(exponentials<false>(row, top, x.classes, buffer));
      write_value(out[1], i, lse);
      losses[i] = 0;
      if (target.ignored(i)) continue;
      const int64_t c = target.at(i);
      losses[i] = (1 - smoothing) * target.weight_of(c) * (static_cast<double>(lse) - row[c]);
      if (smoothing != 0)
        losses[i] -= share * weighted_log_sum(row, weights.values, lse, x.classes);
    }
  });
  const double total = target.total_weight();
  if (out[2]) write_value(out[2], 0, total);
  if (reduction == kNone)
    for (int64_t i = 0; i < x.rows; ++i) write_value(out[0], i, losses[i]);
  else
    write_value(out[0], 0, reduce_losses(losses, x.rows, reduction, total));
  return FB_OK;
}

// gx = probability * slope - weight * lift (the target class is lowered by the caller).
template <typename W>
void gradient_row(int64_t n, const W* x, W lse, W slope, W lift, const W* weight, W* gx) {
  for_vectors<W>(n, [&](int64_t i, int64_t count) {
    VectorOf<W> v = vexp_nonpositive(fetch(x + i, count) - lse) * slope;
    if (lift != 0) v -= weight ? fetch(weight + i, count) * lift : splat<VectorOf<W>>(lift);
    put(gx + i, v, count);
  });
}

template <typename T>
int cross_entropy_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                           const fb_param* params) {
  using W = Compute<T>;
  const Logits<T> x(in[1]);
  const ClassTargets target(in[3], in[4], x.classes, params[1].i);
  const int64_t reduction = params[0].i;
  const double smoothing = params[2].f, share = smoothing / static_cast<double>(x.classes);
  const double total = in[5] ? read_value(in[5], 0) : 1.0;
  const ClassWeights<W> weights(in[4], x.classes, scratch_values<W>(x.classes, kScratchKernel));
  const int64_t row_stride = out[0]->strides[0], stride = out[0]->strides[1];
  parallel_for(x.rows, x.grain(), [&](int64_t begin, int64_t end) {
    W* buffer = scratch_values<W>(2 * x.classes, kScratchConverted);
    for (int64_t i = begin; i < end; ++i) {
      T* home = static_cast<T*>(out[0]->data) + i * row_stride;
      W* gx = result_run(home, stride, x.classes, buffer + x.classes);
      if (target.ignored(i)) {
        for (int64_t c = 0; c < x.classes; ++c) gx[c] = 0;
      } else {
        const double g = row_gradient(in[0], i, reduction, total);
        const int64_t c = target.at(i);
        const double own = (1 - smoothing) * target.weight_of(c);
        gradient_row(x.classes, x.row(i, buffer), static_cast<W>(read_value(in[2], i)),
                     static_cast<W>(g * (own + share * weights.total)), static_cast<W>(g * share),
                     weights.values, gx);
        gx[c] -= static_cast<W>(g * own);
      }
      finish_run(gx, stride, x.classes, home);
    }
  });
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"cross_entropy", bit(FB_FLOAT32), cross_entropy<float>},
    {"cross_entropy", bit(FB_FLOAT64), cross_entropy<double>},
    {"cross_entropy", bit(FB_FLOAT16), cross_entropy<float16>},
    {"cross_entropy", bit(FB_BFLOAT16), cross_entropy<bfloat16>},
    {"cross_entropy_backward", bit(FB_FLOAT32), cross_entropy_backward<float>},
    {"cross_entropy_backward", bit(FB_FLOAT64), cross_entropy_backward<double>},
    {"cross_entropy_backward", bit(FB_FLOAT16), cross_entropy_backward<float16>},
    {"cross_entropy_backward", bit(FB_BFLOAT16), cross_entropy_backward<bfloat16>},
};

}  // namespace

KernelTable cross_entropy_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
