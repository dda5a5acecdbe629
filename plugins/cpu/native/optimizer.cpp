// One optimizer step over one parameter, in place and in a single pass.
#include <cmath>

#include "element.h"
#include "parallel.h"
#include "registry.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 16384;
constexpr int64_t kBlock = 512;

// At most this many arrays take part: parameter, three states, gradient.
constexpr int kArrays = 5;
constexpr int kGradient = 4;

// Runs of arrays of one shape (absent ones are null) as step(n, values) wants them: in the type
// computed in, without gaps. All but the gradient are written back.
template <typename T>
struct Runs {
  using W = Compute<T>;
  T* data[kArrays];
  int64_t stride[kArrays];

  bool plain(int64_t n) const {
    for (int k = 0; k < kArrays; ++k)
      if (data[k] && !is_plain_run<T>(stride[k], n)) return false;
    return true;
  }

  template <typename Step>
  void apply(int64_t n, const Step& step) const {
    W buffer[kArrays][kBlock];
    const int64_t block = plain(n) ? n : kBlock;
    for (int64_t from = 0; from < n; from += block) {
      const int64_t count = n - from < block ? n - from : block;
      W* values[kArrays] = {};
      for (int k = 0; k < kArrays; ++k)
        if (data[k])
          values[k] =
              const_cast<W*>(read_run(data[k] + from * stride[k], stride[k], count, buffer[k]));
      step(count, values);
      for (int k = 0; k < kGradient; ++k)
        if (data[k]) finish_run(values[k], stride[k], count, data[k] + from * stride[k]);
    }
  }
};

template <typename T, typename Step>
void run_over(const fb_array* const (&arrays)[kArrays], const Step& step) {
  StridedLoop<kArrays> loop;
  make_loop(loop, arrays);
  const int last = loop.ndim - 1;
  const int64_t inner = loop.ndim ? loop.shape[last] : 1, rows = arrays[0]->numel / inner;
  const auto run = [&](const Cursor<kArrays>& cursor, int64_t begin, int64_t end) {
    Runs<T> runs;
    for (int k = 0; k < kArrays; ++k) {
      runs.stride[k] = loop.ndim ? loop.strides[k][last] : 1;
      runs.data[k] =
          arrays[k] ? static_cast<T*>(arrays[k]->data) + cursor.offset[k] + begin * runs.stride[k]
                    : nullptr;
    }
    runs.apply(end - begin, step);
  };
  if (rows == 1) {
    const Cursor<kArrays> cursor(loop, 1, 0);
    parallel_for(inner, kGrain, [&](int64_t begin, int64_t end) { run(cursor, begin, end); });
    return;
  }
  parallel_for(rows, kGrain / inner + 1, [&](int64_t begin, int64_t end) {
    Cursor<kArrays> cursor(loop, 1, begin);
    for (int64_t row = begin; row < end; ++row, cursor.next()) run(cursor, 0, inner);
  });
}

// ---- stochastic gradient descent, as torch.optim.SGD ----

template <typename W>
struct Sgd {
  W lr, momentum, kept, weight_decay, sign;  // kept = 1 - dampening; sign -1 to maximize
  bool nesterov, first;

  W gradient(W p, W g) const { return sign * g + (weight_decay != 0 ? weight_decay * p : W(0)); }

  void plain(int64_t n, W* __restrict p, const W* __restrict g) const {
    for (int64_t i = 0; i < n; ++i) p[i] -= lr * gradient(p[i], g[i]);
  }

  template <bool First, bool Nesterov>
  void with_momentum(int64_t n, W* __restrict p, W* __restrict b, const W* __restrict g) const {
    for (int64_t i = 0; i < n; ++i) {
      const W d = gradient(p[i], g[i]);
      const W velocity = First ? d : momentum * b[i] + kept * d;
      b[i] = velocity;
      p[i] -= lr * (Nesterov ? d + momentum * velocity : velocity);
    }
  }

  void operator()(int64_t n, W* const* x) const {
    if (!x[1]) return plain(n, x[0], x[kGradient]);
    if (first)
      nesterov ? with_momentum<true, true>(n, x[0], x[1], x[kGradient])
               : with_momentum<true, false>(n, x[0], x[1], x[kGradient]);
    else
      nesterov ? with_momentum<false, true>(n, x[0], x[1], x[kGradient])
               : with_momentum<false, false>(n, x[0], x[1], x[kGradient]);
  }
};

template <typename T>
int sgd_step(void*, int n_out, fb_array* const* out, int, const fb_array* const* in,
             const fb_param* params) {
  using W = Compute<T>;
  if (out[0]->numel == 0) return FB_OK;
  Sgd<W> step;
  step.lr = static_cast<W>(params[0].f);
  step.momentum = static_cast<W>(params[1].f);
  step.kept = static_cast<W>(1.0 - params[2].f);
  step.weight_decay = static_cast<W>(params[3].f);
  step.nesterov = params[4].i;
  step.sign = params[5].i ? W(-1) : W(1);
  step.first = params[6].i;
  const fb_array* const arrays[] = {out[0], n_out > 1 ? out[1] : nullptr, nullptr, nullptr, in[0]};
  run_over<T>(arrays, step);
  return FB_OK;
}

// ---- Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), as torch.optim has them

template <typename W>
struct Adam {
  // rest = 1 - beta, rounded once: of a rounded 0.999 five digits would be left.
  W step_size, beta2, rest1, rest2, eps, weight_decay, shrink, root2, sign;

  template <bool Decay, bool Max>
  void run(int64_t n, W* __restrict p, W* __restrict m, W* __restrict v, W* __restrict top,
           const W* __restrict g) const {
    for (int64_t i = 0; i < n; ++i) {
      const W start = Decay ? p[i] * shrink : p[i];
      const W d = Decay ? sign * g[i] + weight_decay * p[i] : sign * g[i];
      const W first = m[i] + rest1 * (d - m[i]);
      const W second = beta2 * v[i] + rest2 * d * d;
      m[i] = first;
      v[i] = second;
      W scale = second;
      if (Max) {
        scale = top[i] > second ? top[i] : second;
        top[i] = scale;
      }
      p[i] = start - step_size * first / (std::sqrt(scale) / root2 + eps);
    }
  }

  void operator()(int64_t n, W* const* x) const {
    const bool decay = weight_decay != 0 || shrink != 1;
    if (x[3])
      decay ? run<true, true>(n, x[0], x[1], x[2], x[3], x[kGradient])
            : run<false, true>(n, x[0], x[1], x[2], x[3], x[kGradient]);
    else
      decay ? run<true, false>(n, x[0], x[1], x[2], x[3], x[kGradient])
            : run<false, false>(n, x[0], x[1], x[2], x[3], x[kGradient]);
  }
};

template <typename T>
int adam_step(void*, int n_out, fb_array* const* out, int, const fb_array* const* in,
              const fb_param* params) {
  using W = Compute<T>;
  if (out[0]->numel == 0) return FB_OK;
  const double lr = params[0].f, decay = params[4].f;
  const bool decoupled = params[7].i;
  Adam<W> step;
  step.step_size = static_cast<W>(lr / params[5].f);
  step.beta2 = static_cast<W>(params[2].f);
  step.rest1 = static_cast<W>(1.0 - params[1].f);
  step.rest2 = static_cast<W>(1.0 - params[2].f);
  step.eps = static_cast<W>(params[3].f);
  step.weight_decay = static_cast<W>(decoupled ? 0.0 : decay);
  step.shrink = static_cast<W>(decoupled ? 1.0 - lr * decay : 1.0);
  step.root2 = static_cast<W>(std::sqrt(params[6].f));
  step.sign = params[8].i ? W(-1) : W(1);
  const fb_array* const arrays[] = {out[0], out[1], out[2], n_out > 3 ? out[3] : nullptr, in[0]};
  run_over<T>(arrays, step);
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"sgd_step", bit(FB_FLOAT32), sgd_step<float>},
    {"sgd_step", bit(FB_FLOAT64), sgd_step<double>},
    {"sgd_step", bit(FB_FLOAT16), sgd_step<float16>},
    {"sgd_step", bit(FB_BFLOAT16), sgd_step<bfloat16>},
    {"adam_step", bit(FB_FLOAT32), adam_step<float>},
    {"adam_step", bit(FB_FLOAT64), adam_step<double>},
    {"adam_step", bit(FB_FLOAT16), adam_step<float16>},
    {"adam_step", bit(FB_BFLOAT16), adam_step<bfloat16>},
};

}  // namespace

KernelTable optimizer_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
