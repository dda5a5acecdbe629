#include "ops/convolution.h"

#include <algorithm>

#include "ops/composed_gradient.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

Ref launched(int kernel, Ints shape, Tensor* a, Tensor* b, Tensor* bias, const Window& w,
             int64_t multiply_adds) {
  Ref y = empty_like(a, shape);
  Ref ca = contiguous(a), cb = contiguous(b), cbias = bias ? contiguous(bias) : Ref();
  fb_param stride = list_param(w.strides()), padding = list_param(w.paddings()),
           dilation = list_param(w.dilations()), groups = int_param(w.groups);
  if (kernel == kernel_id("convolution")) {
    launch(kernel, {y}, {ca, cb, cbias}, {stride, padding, dilation, groups}, multiply_adds);
  } else {
    launch(kernel, {y}, {ca, cb}, {stride, padding, dilation, groups}, multiply_adds);
  }
  return y;
}

// Every output element takes one multiplication a weight of its group.
int64_t work_of(Tensor* outputs, Ints weight_shape) {
  return outputs->numel() * (numel_of(weight_shape) / std::max<int64_t>(weight_shape[0], 1));
}

bool any_empty(Tensor* a, Tensor* b, Ints shape) {
  return a->numel() == 0 || b->numel() == 0 || numel_of(shape) == 0;
}

Dims output_shape(Tensor* x, Tensor* weight, const Window& w) {
  Dims shape;
  shape.push(x->size(0));
  shape.push(weight->size(0));
  for (int i = 0; i < w.n; i++) {
    int64_t span =
        x->size(2 + i) + 2 * w.padding[i] - w.dilation[i] * (weight->size(2 + i) - 1) - 1;
    shape.push(span / w.stride[i] + 1);
  }
  return shape;
}

Ref by_definition(Tensor* x, Tensor* weight, Tensor* bias, const Window& w) {
  return composed("convolution",
                  {boxed(x), boxed(weight), boxed(bias), boxed_ints(w.strides()),
                   boxed_ints(w.paddings()), boxed_ints(w.dilations()), boxed_int(w.groups)});
}

// All dimensions but that of the channels.
Dims batch_and_space(Tensor* g) {
  Dims dims;
  for (int i = 0; i < g->ndim(); i++)
    if (i != 1) dims.push(i);
  return dims;
}

// The convolution at the first places only: output_padding beyond the stride leaves the rest out.
Ref convolution_of_size(Tensor* x, Tensor* weight, const Window& w, Ints shape) {
  Ref y = convolution(x, weight, nullptr, w);
  for (int i = 2; i < shape.n; i++)
    if (y->size(i) > shape[i]) y = narrow(y, i, 0, shape[i]);
  return y;
}

}  // namespace

Ref convolution(Tensor* x, Tensor* weight, Tensor* bias, const Window& w) {
  Dims shape = output_shape(x, weight, w);
  if (any_empty(x, weight, shape) || !has_kernel(x, kernel_id("convolution")))
    return by_definition(x, weight, bias, w);
  Ref y;
  {
    GradModeGuard off(false);
    y = launched(kernel_id("convolution"), shape, x, weight, bias, w,
                 numel_of(shape) * (weight->numel() / weight->size(0)));
  }
  if (!records(x, weight, bias)) return y;
  record("ConvolutionBackward0", {x, weight, bias}, y,
         [w, sx = Saved(requires_grad(weight) ? x : nullptr),
          sw = Saved(requires_grad(x) ? weight : nullptr), x_shape = x->shape().vec(),
          w_shape = weight->shape().vec()](Backward& b) {
           const Ref& g = b.grad();
           if (b.needs(0)) b.set(0, convolution_backward_input(g, b.get(sw), x_shape, w));
           if (b.needs(1)) b.set(1, convolution_backward_weight(g, b.get(sx), w_shape, w));
           if (b.needs(2)) b.set(2, sum(g, batch_and_space(g), false));
         });
  return y;
}

Ref convolution_backward_input(Tensor* g, Tensor* weight, Ints input_shape, const Window& w) {
  constexpr int kernel = kernel_id("convolution_backward_input");
  if (any_empty(g, weight, input_shape) || !has_kernel(g, kernel))
    return composed("convolution_backward_input",
                    {boxed(g), boxed(weight), boxed_ints(input_shape), boxed_ints(w.strides()),
                     boxed_ints(w.paddings()), boxed_ints(w.dilations()), boxed_int(w.groups)});
  Ref y;
  {
    GradModeGuard off(false);
    y = launched(kernel, input_shape, g, weight, nullptr, w, work_of(g, weight->shape()));
  }
  if (!records(g, weight)) return y;
  record("ConvolutionBackward0", {g, weight}, y,
         [w, sg = Saved(requires_grad(weight) ? g : nullptr),
          sw = Saved(requires_grad(g) ? weight : nullptr), g_shape = g->shape().vec(),
          w_shape = weight->shape().vec()](Backward& b) {
           if (b.needs(0)) b.set(0, convolution_of_size(b.grad(), b.get(sw), w, g_shape));
           if (b.needs(1)) b.set(1, convolution_backward_weight(b.get(sg), b.grad(), w_shape, w));
         });
  return y;
}

Ref convolution_backward_weight(Tensor* g, Tensor* x, Ints weight_shape, const Window& w) {
  constexpr int kernel = kernel_id("convolution_backward_weight");
  if (any_empty(g, x, weight_shape)) return zeros(g, weight_shape);
  if (!has_kernel(g, kernel))
    // Linear in the weight: its gradient is the same at any weight.
    return composed_gradient(Ref(g), {zeros(g, weight_shape)}, [&](const std::vector<Ref>& in) {
      return by_definition(x, in[0], nullptr, w);
    })[0];
  Ref y;
  {
    GradModeGuard off(false);
    y = launched(kernel, weight_shape, g, x, nullptr, w, work_of(g, weight_shape));
  }
  if (!records(g, x)) return y;
  record("ConvolutionBackward0", {g, x}, y,
         [w, sg = Saved(requires_grad(x) ? g : nullptr), sx = Saved(requires_grad(g) ? x : nullptr),
          g_shape = g->shape().vec(), x_shape = x->shape().vec()](Backward& b) {
           if (b.needs(0)) b.set(0, convolution_of_size(b.get(sx), b.grad(), w, g_shape));
           if (b.needs(1)) b.set(1, convolution_backward_input(b.get(sg), b.grad(), x_shape, w));
         });
  return y;
}

}  // namespace flambeau
