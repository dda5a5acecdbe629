// Largest and mean values of sliding windows over the last two dimensions.
#include <algorithm>

#include "dispatch/shape_rules.h"
#include "ops/api.h"
#include "ops/composed_gradient.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

struct PoolWindow {
  int64_t kernel[2], stride[2], padding[2], dilation[2] = {1, 1};
  bool ceil_mode;
};

void spread(const char* op, const char* what, Ints given, int64_t* out) {
  if (given.n != 1 && given.n != 2)
    fail(ErrorKind::Runtime, "%s: %s must either be a single int, or a tuple of two ints, got %s",
         op, what, to_string(given).c_str());
  out[0] = given[0];
  out[1] = given[given.n - 1];
}

// stride: null or empty means that of the kernel.
PoolWindow window_from(const char* op, Ints kernel, Ints stride, Ints padding, Ints dilation,
                       bool ceil_mode) {
  PoolWindow w;
  w.ceil_mode = ceil_mode;
  spread(op, "kernel_size", kernel, w.kernel);
  spread(op, "stride", stride.n ? stride : kernel, w.stride);
  spread(op, "padding", padding, w.padding);
  spread(op, "dilation", dilation, w.dilation);
  for (int i = 0; i < 2; i++) {
    auto number = [](int64_t v) { return static_cast<long long>(v); };
    if (w.stride[i] == 0) fail(ErrorKind::Runtime, "%s: stride should not be zero", op);
    if (w.kernel[i] <= 0 || w.stride[i] < 0)
      fail(ErrorKind::Runtime,
           "%s: kernel size and stride should be greater than zero, but got %lld and %lld", op,
           number(w.kernel[i]), number(w.stride[i]));
    if (w.dilation[i] <= 0)
      fail(ErrorKind::Runtime, "%s: dilation should be greater than zero, but got %lld", op,
           number(w.dilation[i]));
    for (int64_t v : {w.kernel[i], w.stride[i], w.padding[i], w.dilation[i]})
      if (v > INT32_MAX) fail(ErrorKind::Runtime, "%s: window of %lld, too large", op, number(v));
    int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
    if (w.padding[i] < 0)
      fail(ErrorKind::Runtime, "%s: pad must be non-negative, but got pad: %lld", op,
           number(w.padding[i]));
    if (w.padding[i] > reach / 2)
      fail(ErrorKind::Runtime,
           "%s: pad should be at most half of effective kernel size, but got pad=%lld, "
           "kernel_size=%lld and "
           "dilation=%lld",
           op, number(w.padding[i]), number(w.kernel[i]), number(w.dilation[i]));
  }
  return w;
}

// What a kernel has to do, for the choice of threads.
int64_t elements_read(int64_t windows, const PoolWindow& w) {
  return int64_t(std::min(double(windows) * double(w.kernel[0]) * double(w.kernel[1]), 1e18));
}

// The input as [N, C, H, W], contiguous.
Ref image_batch(const char* op, Tensor* x) {
  bool empty = x->ndim() == 3 || x->ndim() == 4;
  for (int i = x->ndim() - 3; empty && i < x->ndim(); i++) empty = x->size(i) > 0;
  if (!empty)
    fail(ErrorKind::Runtime,
         "%s: Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
         "got: %s",
         op, to_string(x->shape()).c_str());
  return contiguous(x->ndim() == 4 ? Ref(x) : unsqueeze(x, 0));
}

Ref like_input(const Ref& y, Tensor* x) { return x->ndim() == 4 ? y : squeeze(y, {0}); }

Dims pooled_shape(const char* op, Tensor* x, const PoolWindow& w) {
  Dims shape(x->shape());
  for (int i = 0; i < 2; i++)
    shape[2 + i] = window_count(x->size(2 + i), w.kernel[i], w.stride[i], w.padding[i],
                                w.padding[i], w.dilation[i], w.ceil_mode);
  if (shape[2] < 1 || shape[3] < 1)
    fail(ErrorKind::Runtime,
         "%s: Given input size: %s. Calculated output size: %s. Output size is too small", op,
         to_string(x->shape()).c_str(), to_string(shape).c_str());
  return shape;
}

// ---- maximum ---------------------------------------------------------------------

struct MaxPooled {
  Ref values, places;
};

// The gradient goes to the one element that each window chose.
Ref max_pool_gradient(const Ref& g, const Ref& places, Ints input_shape) {
  constexpr int kernel = kernel_id("max_pool2d_backward");
  if (!grad_mode.enabled && has_kernel(g, kernel)) {
    Ref gx = empty_like(g, input_shape);
    launch(kernel, {gx}, {contiguous(g), places});
    return gx;
  }
  Dims planes{input_shape}, windows(g->shape());
  planes.n = windows.n = 3;
  planes[2] = input_shape[2] * input_shape[3];
  windows[2] = g->size(2) * g->size(3);
  Ref gx = scatter_add(zeros(g, planes), 2, reshape(places, windows), reshape(g, windows));
  return reshape(gx, input_shape);
}

MaxPooled max_pool(Tensor* input, const PoolWindow& w) {
  const char* op = "max_pool2d";
  Ref x = image_batch(op, input);
  Dims shape = pooled_shape(op, x, w);
  Ints kernel{w.kernel, 2}, stride{w.stride, 2}, padding{w.padding, 2}, dilation{w.dilation, 2};
  if (x->numel() == 0 || !has_kernel(x, kernel_id("max_pool2d"))) {
    PyObject* pair =
        compose(op, {boxed(x), boxed_ints(kernel), boxed_ints(stride), boxed_ints(padding),
                     boxed_ints(dilation), boxed_bool(w.ceil_mode)});
    MaxPooled m{as_tensor(PyTuple_GET_ITEM(pair, 0)), as_tensor(PyTuple_GET_ITEM(pair, 1))};
    Py_DECREF(pair);
    return {like_input(m.values, input), like_input(m.places, input)};
  }
  Ref y = empty_like(x, shape), places = empty_like(x, shape, FB_INT64);
  launch(kernel_id("max_pool2d"), {y, places}, {x},
         {list_param(kernel), list_param(stride), list_param(padding), list_param(dilation)},
         elements_read(y->numel(), w));
  if (records(x))
    record("MaxPool2DWithIndicesBackward0", {x}, y,
           [places = Saved(places), shape = x->shape().vec()](Backward& b) {
             b.set(0, max_pool_gradient(b.grad(), b.get(places), shape));
           });
  return {like_input(y, input), like_input(places, input)};
}

MaxPooled max_pool(Args& a) {
  return max_pool(a.tensor(0), window_from("max_pool2d", a.ints(1), a.given(2) ? a.ints(2) : Ints(),
                                           a.ints(3), a.ints(4), a.flag(5)));
}

PyObject* run_max_pool(Args& a) { return object(max_pool(a).values); }
PyObject* run_max_pool_with_indices(Args& a) {
  MaxPooled m = max_pool(a);
  return tuple_of({m.values, m.places});
}

// ---- means -----------------------------------------------------------------------
// Both are linear: the gradient of the gradient is the op itself.

struct MeanPool {
  bool adaptive;
  PoolWindow w{};
  bool count_include_pad = true;
  int64_t divisor = 0;     // 0: the window's size
  int64_t output_size[2];  // adaptive only

  const char* op() const { return adaptive ? "adaptive_avg_pool2d" : "avg_pool2d"; }
};

Ref by_definition(const MeanPool& p, Tensor* x) {
  if (p.adaptive)
    return composed("adaptive_avg_pool2d", {boxed(x), boxed_ints({p.output_size, 2})});
  PyObject* divisor = p.divisor ? boxed_int(p.divisor) : boxed(nullptr);
  return composed("avg_pool2d", {boxed(x), boxed_ints({p.w.kernel, 2}), boxed_ints({p.w.stride, 2}),
                                 boxed_ints({p.w.padding, 2}), boxed_bool(p.w.ceil_mode),
                                 boxed_bool(p.count_include_pad), divisor});
}

void launch_mean(const MeanPool& p, int kernel, int adaptive_kernel, Tensor* out, Tensor* in) {
  if (p.adaptive) return launch(adaptive_kernel, {out}, {in});
  launch(kernel, {out}, {in},
         {list_param({p.w.kernel, 2}), list_param({p.w.stride, 2}), list_param({p.w.padding, 2}),
          int_param(p.count_include_pad), int_param(p.divisor)},
         elements_read(std::max(out->numel(), in->numel()), p.w));
}

Ref mean_pool(const MeanPool& p, Tensor* x, Ints shape);

Ref mean_pool_backward(const MeanPool& p, const Ref& given, Ints input_shape) {
  int kernel =
      p.adaptive ? kernel_id("adaptive_avg_pool2d_backward") : kernel_id("avg_pool2d_backward");
  if (!has_kernel(given, kernel))
    return composed_gradient(given, {zeros(given, input_shape)}, [&](const std::vector<Ref>& in) {
      return by_definition(p, in[0]);
    })[0];
  Ref g = contiguous(given), gx = empty_like(g, input_shape);
  launch_mean(p, kernel_id("avg_pool2d_backward"), kernel_id("adaptive_avg_pool2d_backward"), gx,
              g);
  if (records(g))
    record(p.adaptive ? "AdaptiveAvgPool2DBackwardBackward0" : "AvgPool2DBackwardBackward0", {g},
           gx, [p, shape = g->shape().vec()](Backward& b) {
             b.set(0, mean_pool(p, contiguous(b.grad()), shape));
           });
  return gx;
}

// x: contiguous [N, C, H, W]
Ref mean_pool(const MeanPool& p, Tensor* x, Ints shape) {
  int kernel = p.adaptive ? kernel_id("adaptive_avg_pool2d") : kernel_id("avg_pool2d");
  if (x->numel() == 0 || numel_of(shape) == 0 || !has_kernel(x, kernel)) return by_definition(p, x);
  Ref y = empty_like(x, shape);
  launch_mean(p, kernel_id("avg_pool2d"), kernel_id("adaptive_avg_pool2d"), y, x);
  if (records(x))
    record(p.adaptive ? "AdaptiveAvgPool2DBackward0" : "AvgPool2DBackward0", {x}, y,
           [p, shape = x->shape().vec()](Backward& b) {
             b.set(0, mean_pool_backward(p, b.grad(), shape));
           });
  return y;
}

PyObject* run_avg_pool(Args& a) {
  MeanPool p{false};
  p.w = window_from(p.op(), a.ints(1), a.given(2) ? a.ints(2) : Ints(), a.ints(3), {1}, a.flag(4));
  p.count_include_pad = a.flag(5);
  if (a.given(6) && a.integer(6) == 0)
    fail(ErrorKind::Runtime, "avg_pool2d: divisor must be not zero");
  p.divisor = a.given(6) ? a.integer(6) : 0;
  Ref x = image_batch(p.op(), a.tensor(0));
  return object(like_input(mean_pool(p, x, pooled_shape(p.op(), x, p.w)), a.tensor(0)));
}

// output_size: one number or two, of which None keeps the input's size.
void read_output_size(PyObject* given, Tensor* x, int64_t* out) {
  bool pair = PyTuple_Check(given) || PyList_Check(given);
  if (pair && PySequence_Fast_GET_SIZE(given) != 2)
    fail(ErrorKind::Runtime, "adaptive_avg_pool2d: output_size must be 2");
  for (int i = 0; i < 2; i++) {
    PyObject* o = pair ? PySequence_Fast_GET_ITEM(given, i) : given;
    out[i] = o == Py_None ? x->size(x->ndim() - 2 + i) : PyLong_AsLongLong(o);
    if (out[i] == -1 && PyErr_Occurred()) throw PythonError{};
    if (out[i] < 0)
      fail(ErrorKind::Runtime,
           "adaptive_avg_pool2d: elements of output_size must be greater than or equal to 0 but "
           "received %lld",
           static_cast<long long>(out[i]));
  }
}

PyObject* run_adaptive_avg_pool(Args& a) {
  MeanPool p{true};
  if (!PyLong_Check(a.object(1)) && a.tensor(0)->ndim() <= 2)
    fail(ErrorKind::Value, "adaptive_avg_pool2d: Input dimension should be at least 3, got %d",
         a.tensor(0)->ndim());
  Ref x = image_batch(p.op(), a.tensor(0));
  if (!is_floating(x->dtype()))
    fail(ErrorKind::NotImplemented, "\"adaptive_avg_pool2d\" not implemented for '%s'",
         info(x->dtype()).legacy_name);
  read_output_size(a.object(1), x, p.output_size);
  return object(like_input(
      mean_pool(p, x, {x->size(0), x->size(1), p.output_size[0], p.output_size[1]}), a.tensor(0)));
}

}  // namespace

void declare_pool() {
  const std::string max_arguments =
      "(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] dilation=1, "
      "bool ceil_mode=False)";
  declare("max_pool2d" + max_arguments, run_max_pool, kFunction | kNeuralToo);
  declare("max_pool2d_with_indices" + max_arguments, run_max_pool_with_indices,
          kFunction | kNeural);
  declare(
      "avg_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, bool "
      "ceil_mode=False, "
      "bool count_include_pad=True, int? divisor_override=None)",
      run_avg_pool, kFunction | kNeural | kOut);
  declare("adaptive_avg_pool2d(Tensor input, any output_size)", run_adaptive_avg_pool,
          kFunction | kNeural | kOut);
}

}  // namespace flambeau
