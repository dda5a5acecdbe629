// The rows of convolution and transposed convolution in one to three
// dimensions: arguments, their checks, and inputs without a batch.
#include <cstring>

#include "ops/convolution.h"
#include "ops/elementwise.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

struct ConvolutionRow {
  const char* name;
  int n;  // spatial dimensions
  bool transposed;
};

constexpr ConvolutionRow rows[] = {
    {"conv1d", 1, false}, {"conv2d", 2, false}, {"conv3d", 3, false}};
constexpr ConvolutionRow transposed_rows[] = {
    {"conv_transpose1d", 1, true}, {"conv_transpose2d", 2, true}, {"conv_transpose3d", 3, true}};

// One number for all dimensions, or a number for each.
void spread(const ConvolutionRow& r, const char* what, Ints given, int64_t* out) {
  if (given.n != 1 && given.n != r.n)
    fail(ErrorKind::Runtime,
         "%s: expected %s to be a single integer value or a list of %d values to match the "
         "convolution "
         "dimensions, but got %s=%s",
         r.name, what, r.n, what, to_string(given).c_str());
  for (int i = 0; i < r.n; i++) out[i] = given[given.n == 1 ? 0 : i];
}

void check_positive(const ConvolutionRow& r, const char* what, Ints values) {
  for (int64_t v : values)
    if (v <= 0)
      fail(ErrorKind::Runtime, "%s: non-positive %s is not supported, got %s", r.name, what,
           to_string(values).c_str());
}

Window window_from(const ConvolutionRow& r, Ints stride, Ints padding, Ints dilation,
                   int64_t groups) {
  Window w;
  w.n = r.n;
  w.groups = groups;
  spread(r, "stride", stride, w.stride);
  spread(r, "padding", padding, w.padding);
  spread(r, "dilation", dilation, w.dilation);
  check_positive(r, "stride", w.strides());
  check_positive(r, "dilation", w.dilations());
  if (groups <= 0)
    fail(ErrorKind::Runtime, "%s: non-positive groups is not supported, got %lld", r.name,
         static_cast<long long>(groups));
  for (int64_t p : w.paddings())
    if (p < 0)
      fail(ErrorKind::Runtime, "%s: negative padding is not supported, got %s", r.name,
           to_string(w.paddings()).c_str());
  return w;
}

// What of an input's check does not depend on the direction.
void check_types(const ConvolutionRow& r, Tensor* x, Tensor* weight, Tensor* bias) {
  if (weight->ndim() != r.n + 2)
    fail(ErrorKind::Runtime, "%s: expected a weight of %d dimensions, but got weight of size %s",
         r.name, r.n + 2, to_string(weight->shape()).c_str());
  if (x->dtype() != weight->dtype())
    fail(ErrorKind::Runtime, "%s: Input type (%s) and weight type (%s) should be the same", r.name,
         dtype_name(x->dtype()), dtype_name(weight->dtype()));
  if (bias && bias->dtype() != x->dtype())
    fail(ErrorKind::Runtime, "%s: Input type (%s) and bias type (%s) should be the same", r.name,
         dtype_name(x->dtype()), dtype_name(bias->dtype()));
  check_same_device(r.name, x, weight);
  check_same_device(r.name, x, bias);
}

void check_bias(Tensor* weight, Tensor* bias, int64_t channels, const char* transposed) {
  if (bias && (bias->ndim() != 1 || bias->numel() != channels))
    fail(ErrorKind::Runtime,
         "Given %sweight of size %s, expected bias to be 1-dimensional with %lld elements, but got "
         "bias of "
         "size %s instead",
         transposed, to_string(weight->shape()).c_str(), static_cast<long long>(channels),
         to_string(bias->shape()).c_str());
}

void check_groups(Tensor* weight, int64_t groups) {
  std::string shape = to_string(weight->shape());
  if (weight->size(0) < groups)
    fail(ErrorKind::Runtime,
         "Given groups=%lld, expected weight to be at least %lld at dimension 0, but got weight of "
         "size %s instead",
         static_cast<long long>(groups), static_cast<long long>(groups), shape.c_str());
  if (weight->size(0) % groups)
    fail(ErrorKind::Runtime,
         "Given groups=%lld, expected weight to be divisible by %lld at dimension 0, but got "
         "weight of size %s instead",
         static_cast<long long>(groups), static_cast<long long>(groups), shape.c_str());
}

void fail_channels(const char* how, int64_t n, Tensor* weight, Tensor* x, int64_t expected) {
  fail(ErrorKind::Runtime,
       "Given %s=%lld, weight of size %s, expected input%s to have %lld channels, but got %lld "
       "channels instead",
       how, static_cast<long long>(n), to_string(weight->shape()).c_str(),
       to_string(x->shape()).c_str(), static_cast<long long>(expected),
       static_cast<long long>(x->size(1)));
}

std::string sizes(const int64_t* v, int n) {
  std::string s;
  for (int i = 0; i < n; i++) s += (i ? " x " : "") + std::to_string(v[i]);
  return s;
}

void check_kernel_fits(Tensor* x, Tensor* weight, const Window& w) {
  int64_t padded[3], kernel[3];
  bool fits = true;
  for (int i = 0; i < w.n; i++) {
    padded[i] = x->size(2 + i) + 2 * w.padding[i];
    kernel[i] = w.dilation[i] * (weight->size(2 + i) - 1) + 1;
    fits = fits && padded[i] >= kernel[i];
  }
  if (!fits)
    fail(ErrorKind::Runtime,
         "Calculated padded input size per channel: (%s). Kernel size: (%s). Kernel size can't be "
         "greater "
         "than actual input size",
         sizes(padded, w.n).c_str(), sizes(kernel, w.n).c_str());
}

// The input with a batch dimension; `batched` says whether it had one.
Ref with_batch(const ConvolutionRow& r, Tensor* x, bool& batched) {
  if (x->ndim() != r.n + 1 && x->ndim() != r.n + 2)
    fail(ErrorKind::Runtime,
         "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: %s",
         r.n + 1, r.n + 2, r.name, to_string(x->shape()).c_str());
  batched = x->ndim() == r.n + 2;
  return batched ? Ref(x) : unsqueeze(x, 0);
}

Ref convolved(const ConvolutionRow& r, Tensor* x, Tensor* weight, Tensor* bias, const Window& w) {
  check_groups(weight, w.groups);
  if (x->size(1) != weight->size(1) * w.groups)
    fail_channels("groups", w.groups, weight, x, weight->size(1) * w.groups);
  check_bias(weight, bias, weight->size(0), "");
  check_kernel_fits(x, weight, w);
  return convolution(x, weight, bias, w);
}

PyObject* run(Args& a) {
  auto& r = *static_cast<const ConvolutionRow*>(a.row);
  bool batched;
  Tensor *weight = a.tensor(1), *bias = a.tensor(2);
  check_types(r, a.tensor(0), weight, bias);
  Ref x = with_batch(r, a.tensor(0), batched);
  Window w = window_from(r, a.ints(3), a.ints(4), a.ints(5), a.integer(6));
  Ref y = convolved(r, x, weight, bias, w);
  return object(batched ? y : squeeze(y, {0}));
}

// Zeros on one side of a dimension, for 'same' padding that is not even.
Ref with_trailing_zeros(const Ref& x, int dim, int64_t count) {
  Dims rest(x->shape());
  rest[dim] = count;
  return cat({x, zeros(x, rest)}, dim);
}

PyObject* run_named_padding(Args& a) {
  auto& r = *static_cast<const ConvolutionRow*>(a.row);
  bool batched, same = !std::strcmp(a.text(4), "same");
  if (!same && std::strcmp(a.text(4), "valid") != 0)
    fail(ErrorKind::Runtime, "%s: Invalid padding string: '%s'", r.name, a.text(4));
  Tensor *weight = a.tensor(1), *bias = a.tensor(2);
  check_types(r, a.tensor(0), weight, bias);
  Ref x = with_batch(r, a.tensor(0), batched);
  Window w = window_from(r, a.ints(3), {0}, a.ints(5), a.integer(6));
  for (int i = 0; same && i < r.n; i++) {
    if (w.stride[i] != 1)
      fail(ErrorKind::Runtime, "%s: padding='same' is not supported for strided convolutions",
           r.name);
    int64_t total = w.dilation[i] * (weight->size(2 + i) - 1);
    w.padding[i] = total / 2;
    if (total % 2) x = with_trailing_zeros(x, 2 + i, 1);
  }
  Ref y = convolved(r, x, weight, bias, w);
  return object(batched ? y : squeeze(y, {0}));
}

Dims transposed_shape(const ConvolutionRow& r, Tensor* x, Tensor* weight, const Window& w,
                      Ints given_extra) {
  int64_t extra[3];
  spread(r, "output_padding", given_extra, extra);
  Dims shape;
  shape.push(x->size(0));
  shape.push(weight->size(1) * w.groups);
  for (int i = 0; i < w.n; i++) {
    if (extra[i] < 0 || (extra[i] >= w.stride[i] && extra[i] >= w.dilation[i]))
      fail(ErrorKind::Runtime,
           "%s: output padding must be smaller than either stride or dilation, but got "
           "output_padding: %s "
           "stride: %s dilation: %s",
           r.name, to_string(given_extra).c_str(), to_string(w.strides()).c_str(),
           to_string(w.dilations()).c_str());
    shape.push((x->size(2 + i) - 1) * w.stride[i] - 2 * w.padding[i] +
               w.dilation[i] * (weight->size(2 + i) - 1) + extra[i] + 1);
  }
  for (int i = 2; i < shape.n; i++)
    if (shape[i] <= 0)
      fail(ErrorKind::Runtime,
           "%s: Given input size per channel: (%s). Calculated output size per channel: (%s). "
           "Output size is too small",
           r.name, sizes(x->arr.shape + 2, w.n).c_str(), sizes(shape.v + 2, w.n).c_str());
  return shape;
}

PyObject* run_transposed(Args& a) {
  auto& r = *static_cast<const ConvolutionRow*>(a.row);
  bool batched;
  Tensor *weight = a.tensor(1), *bias = a.tensor(2);
  check_types(r, a.tensor(0), weight, bias);
  Ref x = with_batch(r, a.tensor(0), batched);
  Window w = window_from(r, a.ints(3), a.ints(4), a.ints(7), a.integer(6));
  check_groups(weight, w.groups);
  if (x->size(1) != weight->size(0)) fail_channels("transposed", 1, weight, x, weight->size(0));
  check_bias(weight, bias, weight->size(1) * w.groups, "transposed=1, ");
  Ref y = convolution_backward_input(x, weight, transposed_shape(r, x, weight, w, a.ints(5)), w);
  if (bias) {
    Dims channels;
    for (int i = 0; i < r.n + 1; i++) channels.push(i == 0 ? bias->numel() : 1);
    y = add(y, reshape(bias, channels));
  }
  return object(batched ? y : squeeze(y, {0}));
}

}  // namespace

void declare_convolution() {
  const std::string tensors = "(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, ";
  for (const ConvolutionRow& r : rows) {
    declare(r.name + tensors + "int[] padding=0, int[] dilation=1, int groups=1)", run,
            kFunction | kNeuralToo, &r);
    declare(r.name + tensors + "str padding, int[] dilation=1, int groups=1)", run_named_padding,
            kFunction | kNeuralToo, &r);
  }
  for (const ConvolutionRow& r : transposed_rows)
    declare(r.name + tensors +
                "int[] padding=0, int[] output_padding=0, int groups=1, int[] dilation=1)",
            run_transposed, kFunction | kNeuralToo, &r);
  set_autocast(Autocast::Lower, {"conv1d", "conv2d", "conv3d", "conv_transpose1d",
                                 "conv_transpose2d", "conv_transpose3d"});
}

}  // namespace flambeau
