// Convolutions of one to three spatial dimensions and their gradients. Floats go to oneDNN but
// for the shapes at which the plugin's own ways are faster; the halves are computed as floats.
#include <cstring>

#include "convolution_paths.h"
#include "half.h"
#include "onednn.h"
#include "onednn_convolution.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// `x` and `y` are the larger (input) and smaller (output) side, whatever the pass.
ConvolutionShape shape_of(const fb_array* x, const fb_array* weight, const fb_array* y,
                          const fb_param* params) {
  ConvolutionShape s;
  const int spatial = x->ndim - 2, skipped = kMaxSpatial - spatial;
  s.spatial = spatial;
  s.batch = x->shape[0];
  s.in_channels = x->shape[1];
  s.out_channels = y->shape[1];
  s.groups = params[3].i;
  for (int d = 0; d < kMaxSpatial; ++d) {
    const int from = d - skipped;
    const bool used = from >= 0;
    s.input[d] = used ? x->shape[2 + from] : 1;
    s.kernel[d] = used ? weight->shape[2 + from] : 1;
    s.output[d] = used ? y->shape[2 + from] : 1;
    s.stride[d] = used ? params[0].list.p[from] : 1;
    s.padding[d] = used ? params[1].list.p[from] : 0;
    s.dilation[d] = used ? params[2].list.p[from] : 1;
  }
  return s;
}

bool is_pointwise(const ConvolutionShape& s) {
  for (int d = 0; d < kMaxSpatial; ++d)
    if (s.kernel[d] != 1 || s.stride[d] != 1 || s.padding[d] != 0) return false;
  return s.groups == 1;
}

// oneDNN's blocked layouts are wasted on one to three channels.
bool is_narrow(const ConvolutionShape& s) { return s.group_inputs() <= 3 && s.groups == 1; }

bool is_empty(const ConvolutionShape& s) {
  return s.batch == 0 || s.output_size() == 0 || s.in_channels == 0 || s.out_channels == 0;
}

// -- the three passes on floats ------------------------------------------------------------------

void forward(const ConvolutionShape& s, const float* x, const float* weight, const float* bias,
             float* y) {
  const bool direct = direct_usable(s) && !is_pointwise(s);
  if (direct && is_narrow(s)) return direct_forward(s, x, weight, bias, y);
  if (!is_pointwise(s) && onednn::convolve(s, x, weight, bias, y)) return;
  direct ? direct_forward(s, x, weight, bias, y) : columns_forward(s, x, weight, bias, y);
}

void backward_input(const ConvolutionShape& s, const float* g, const float* weight, float* gx) {
  const bool by_columns = is_pointwise(s) || is_narrow(s);
  if (!by_columns && onednn::convolve_backward_input(s, g, weight, gx)) return;
  !by_columns&& direct_usable(s) ? direct_backward_input(s, g, weight, gx)
                                 : columns_backward_input(s, g, weight, gx);
}

void backward_weight(const ConvolutionShape& s, const float* g, const float* x, float* gw) {
  if (!is_pointwise(s) && onednn::convolve_backward_weight(s, g, x, gw)) return;
  const bool direct = s.group_inputs() <= 3 && direct_backward_weight_usable(s);
  direct ? direct_backward_weight(s, g, x, gw) : columns_backward_weight(s, g, x, gw);
}

// -- on doubles and integers
// -----------------------------------------------------------------------

void forward(const ConvolutionShape& s, const double* x, const double* weight, const double* bias,
             double* y) {
  direct_usable(s) && !is_pointwise(s) ? direct_forward(s, x, weight, bias, y)
                                       : columns_forward(s, x, weight, bias, y);
}

void backward_input(const ConvolutionShape& s, const double* g, const double* weight, double* gx) {
  direct_usable(s) && !is_pointwise(s) && !is_narrow(s) ? direct_backward_input(s, g, weight, gx)
                                                        : columns_backward_input(s, g, weight, gx);
}

void backward_weight(const ConvolutionShape& s, const double* g, const double* x, double* gw) {
  s.group_inputs() <= 3 && direct_backward_weight_usable(s) ? direct_backward_weight(s, g, x, gw)
                                                            : columns_backward_weight(s, g, x, gw);
}

void forward(const ConvolutionShape& s, const int64_t* x, const int64_t* weight,
             const int64_t* bias, int64_t* y) {
  columns_forward(s, x, weight, bias, y);
}

// -- the halves: arrays of floats in between
// -------------------------------------------------------

template <typename T>
const float* widened(const fb_array* from, float** at) {
  if (!from) return nullptr;
  float* out = *at;
  *at += from->numel;
  const T* in = static_cast<const T*>(from->data);
  parallel_for(from->numel, 32768,
               [=](int64_t begin, int64_t end) { widen(out + begin, in + begin, end - begin); });
  return out;
}

template <typename T>
void narrow_into(const fb_array* to, const float* in) {
  T* out = static_cast<T*>(to->data);
  parallel_for(to->numel, 32768,
               [=](int64_t begin, int64_t end) { narrow(out + begin, in + begin, end - begin); });
}

// Which array of (out, in 0, in 1) is which.
enum class Pass { kForward, kBackwardInput, kBackwardWeight };

template <typename T, Pass P>
void run(const ConvolutionShape& s, const fb_array* out, const fb_array* a, const fb_array* b,
         const fb_array* bias) {
  T* result = static_cast<T*>(out->data);
  const T *left = static_cast<const T*>(a->data), *right = static_cast<const T*>(b->data);
  if constexpr (P == Pass::kForward)
    forward(s, left, right, bias ? static_cast<const T*>(bias->data) : nullptr, result);
  else if constexpr (P == Pass::kBackwardInput)
    backward_input(s, left, right, result);
  else
    backward_weight(s, left, right, result);
}

template <typename T, Pass P>
void run_half(const ConvolutionShape& s, const fb_array* out, const fb_array* a, const fb_array* b,
              const fb_array* bias) {
  const int64_t total = out->numel + a->numel + b->numel + (bias ? bias->numel : 0);
  float* next = scratch_values<float>(total, kScratchConverted);
  float* result = next;
  next += out->numel;
  const float* left = widened<T>(a, &next);
  const float* right = widened<T>(b, &next);
  const float* offset = widened<T>(bias, &next);
  if constexpr (P == Pass::kForward)
    forward(s, left, right, offset, result);
  else if constexpr (P == Pass::kBackwardInput)
    backward_input(s, left, right, result);
  else
    backward_weight(s, left, right, result);
  narrow_into<T>(out, result);
}

template <typename T, Pass P>
int convolution(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
                const fb_param* params) {
  const fb_array* bias = P == Pass::kForward && n_in > 2 ? in[2] : nullptr;
  const ConvolutionShape s = P == Pass::kForward         ? shape_of(in[0], in[1], out[0], params)
                             : P == Pass::kBackwardInput ? shape_of(out[0], in[1], in[0], params)
                                                         : shape_of(in[1], out[0], in[0], params);
  if (out[0]->numel == 0) return FB_OK;
  if (is_empty(s)) {
    // No product contributes; a convolution over no channels is its bias.
    char* bytes = static_cast<char*>(out[0]->data);
    std::memset(bytes, 0, static_cast<size_t>(out[0]->numel) * sizeof(T));
    if (bias && s.in_channels == 0)
      for (int64_t i = 0; i < out[0]->numel; ++i)
        std::memcpy(
            bytes + i * sizeof(T),
            static_cast<const char*>(bias->data) + i / s.output_size() % s.out_channels * sizeof(T),
            sizeof(T));
    return FB_OK;
  }
  if constexpr (sizeof(T) == 2)
    run_half<T, P>(s, out[0], in[0], in[1], bias);
  else
    run<T, P>(s, out[0], in[0], in[1], bias);
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"convolution", bit(FB_FLOAT32), convolution<float, Pass::kForward>},
    {"convolution", bit(FB_FLOAT64), convolution<double, Pass::kForward>},
    {"convolution", bit(FB_FLOAT16), convolution<float16, Pass::kForward>},
    {"convolution", bit(FB_BFLOAT16), convolution<bfloat16, Pass::kForward>},
    {"convolution", bit(FB_INT64), convolution<int64_t, Pass::kForward>},
    {"convolution_backward_input", bit(FB_FLOAT32), convolution<float, Pass::kBackwardInput>},
    {"convolution_backward_input", bit(FB_FLOAT64), convolution<double, Pass::kBackwardInput>},
    {"convolution_backward_input", bit(FB_FLOAT16), convolution<float16, Pass::kBackwardInput>},
    {"convolution_backward_input", bit(FB_BFLOAT16), convolution<bfloat16, Pass::kBackwardInput>},
    {"convolution_backward_weight", bit(FB_FLOAT32), convolution<float, Pass::kBackwardWeight>},
    {"convolution_backward_weight", bit(FB_FLOAT64), convolution<double, Pass::kBackwardWeight>},
    {"convolution_backward_weight", bit(FB_FLOAT16), convolution<float16, Pass::kBackwardWeight>},
    {"convolution_backward_weight", bit(FB_BFLOAT16), convolution<bfloat16, Pass::kBackwardWeight>},
};

}  // namespace

KernelTable convolution_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
