// Negative log-likelihood of class indices.
#include <cstring>

#include "loss_target.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <typename T>
int nll_loss(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
             const fb_param* params) {
  const fb_array* x = in[0];
  const ClassTargets target(in[1], n_in > 2 ? in[2] : nullptr, x->shape[1], params[1].i);
  if (int status = target.check()) return status;
  const T* data = static_cast<const T*>(x->data);
  double* losses = scratch_values<double>(target.count, kScratchKernel);
  for (int64_t i = 0; i < target.count; ++i) {
    losses[i] = 0;
    if (target.ignored(i)) continue;
    const int64_t c = target.at(i);
    losses[i] = -target.weight_of(c) *
                static_cast<double>(value_of(data[i * x->strides[0] + c * x->strides[1]]));
  }
  const double total = target.total_weight();
  if (out[1]) write_value(out[1], 0, total);
  if (params[0].i == kNone)
    for (int64_t i = 0; i < target.count; ++i) write_value(out[0], i, losses[i]);
  else
    write_value(out[0], 0, reduce_losses(losses, target.count, params[0].i, total));
  return FB_OK;
}

template <typename T>
int nll_loss_backward(void*, int, fb_array* const* out, int, const fb_array* const* in,
                      const fb_param* params) {
  const fb_array* gx = out[0];
  const ClassTargets target(in[1], in[2], gx->shape[1], params[1].i);
  const double total = in[3] ? read_value(in[3], 0) : 1.0;
  const int64_t classes = gx->shape[1], stride = gx->strides[1];
  parallel_for(target.count, 32768 / (classes + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* row = static_cast<T*>(gx->data) + i * gx->strides[0];
      if (stride == 1)
        std::memset(row, 0, static_cast<size_t>(classes) * sizeof(T));
      else
        for (int64_t c = 0; c < classes; ++c) assign(row[c * stride], 0);
      if (target.ignored(i)) continue;
      const int64_t c = target.at(i);
      const double g = row_gradient(in[0], i, params[0].i, total);
      assign(row[c * stride], static_cast<Compute<T>>(-target.weight_of(c) * g));
    }
  });
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"nll_loss", bit(FB_FLOAT32), nll_loss<float>},
    {"nll_loss", bit(FB_FLOAT64), nll_loss<double>},
    {"nll_loss", bit(FB_FLOAT16), nll_loss<float16>},
    {"nll_loss", bit(FB_BFLOAT16), nll_loss<bfloat16>},
    {"nll_loss_backward", bit(FB_FLOAT32), nll_loss_backward<float>},
    {"nll_loss_backward", bit(FB_FLOAT64), nll_loss_backward<double>},
    {"nll_loss_backward", bit(FB_FLOAT16), nll_loss_backward<float16>},
    {"nll_loss_backward", bit(FB_BFLOAT16), nll_loss_backward<bfloat16>},
};

}  // namespace

KernelTable nll_loss_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
