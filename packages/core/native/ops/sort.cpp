// Sorting, searching and counting.
#include <cstring>

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

// The gradient of values picked along `dim`: each goes back where it came from.
void record_picked(const char* node, Tensor* x, int dim, const Ref& values, const Ref& indices) {
  if (!records(x)) return;
  record(node, {x}, values, [dim, at = Saved(indices), shape = x->shape().vec()](Backward& b) {
    b.set(0, scatter_add(zeros(b.grad(), shape), dim, b.get(at), b.grad()));
  });
}

struct Sorted {
  Ref values, indices;
};

Sorted sorted(Tensor* x, int dim, bool descending) {
  if (is_complex(x->dtype())) fail(ErrorKind::Runtime, "sort: does not support complex dtypes");
  Sorted s{empty_like(x, x->shape()), empty_like(x, x->shape(), FB_INT64)};
  if (x->numel())
    launch(kernel_id("sort"), {at_least_1d(s.values), at_least_1d(s.indices)}, {at_least_1d(x)},
           {int_param(dim), int_param(descending)});
  return s;
}

PyObject* run_sort(Args& a) {
  Tensor* x = a.tensor(0);
  int dim = wrap_dim(a.integer(1), x->ndim());
  Sorted s = sorted(x, dim, a.flag(2));
  record_picked("SortBackward0", x, dim, s.values, s.indices);
  return named_result("sort", {s.values, s.indices});
}

PyObject* run_argsort(Args& a) {
  Tensor* x = a.tensor(0);
  return object(sorted(x, wrap_dim(a.integer(1), x->ndim()), a.flag(2)).indices);
}

PyObject* run_topk(Args& a) {
  Tensor* x = a.tensor(0);
  int64_t k = a.integer(1);
  int dim = wrap_dim(a.integer(2), x->ndim());
  if (k < 0 || k > (x->ndim() ? x->size(dim) : 1))
    fail(ErrorKind::Runtime,
         "topk: selected index k out of range: k is %lld, dimension %d of shape %s",
         static_cast<long long>(k), dim, to_string(x->shape()).c_str());
  if (x->dtype() == FB_BOOL || is_complex(x->dtype()))
    fail(ErrorKind::Runtime, "topk: does not support %s dtypes",
         x->dtype() == FB_BOOL ? "bool" : "complex");
  if (!has_kernel(x, kernel_id("topk"))) {
    PyObject* pair = compose("topk", {boxed(x), boxed_int(k), boxed_int(dim), boxed_bool(a.flag(3)),
                                      boxed_bool(a.flag(4))});
    Ref values = as_tensor(PyTuple_GET_ITEM(pair, 0)),
        indices = as_tensor(PyTuple_GET_ITEM(pair, 1));
    Py_DECREF(pair);
    return named_result("topk", {values, indices});
  }
  Dims shape(x->shape());
  if (shape.n) shape[dim] = k;
  Ref values = empty_like(x, shape), indices = empty_like(x, shape, FB_INT64);
  if (values->numel())
    launch(kernel_id("topk"), {at_least_1d(values), at_least_1d(indices)}, {at_least_1d(x)},
           {int_param(k), int_param(dim), int_param(a.flag(3))});
  record_picked("TopkBackward0", x, dim, values, indices);
  return named_result("topk", {values, indices});
}

// ---- searching ------------------------------------------------------------------

bool searches_right(const Args& a) {
  bool right = a.flag(3);
  if (!a.given(4)) return right;
  bool left = !std::strcmp(a.text(4), "left");
  if (!left && std::strcmp(a.text(4), "right") != 0)
    fail(ErrorKind::Runtime, "searchsorted(): side can only be 'left' or 'right' but got %s",
         a.text(4));
  if (left && right)
    fail(ErrorKind::Runtime,
         "searchsorted(): side and right can't be set to opposites, got side of left while right "
         "was True");
  return !left;
}

// Whether rows of `values` may be searched in the rows of `boundaries`.
bool rows_match(Tensor* boundaries, Tensor* values) {
  if (boundaries->ndim() == 1) return true;
  if (boundaries->ndim() != values->ndim()) return false;
  for (int i = 0; i + 1 < boundaries->ndim(); i++)
    if (boundaries->size(i) != values->size(i)) return false;
  return true;
}

PyObject* run_searchsorted(Args& a) {
  GradModeGuard off(false);
  Ref boundaries = a.tensor(0);
  bool right = searches_right(a);
  if (boundaries->ndim() == 0)
    fail(ErrorKind::Runtime,
         "searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
  Operand given = a.tensor(1) ? Operand(a.tensor(1)) : Operand(a.scalar(1));
  DType compute = result_type(boundaries, given);
  Ref values =
      given.t ? Ref(given.t)
              : scalar_tensor(given.s, compute, {boundaries->device, boundaries->device_index()});
  check_same_device("searchsorted", boundaries, values);
  if (!rows_match(boundaries, values))
    fail(ErrorKind::Runtime,
         "searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
         "boundaries tensor and input value tensor must match, but we got boundaries tensor %s and "
         "input value tensor %s",
         to_string(boundaries->shape()).c_str(), to_string(values->shape()).c_str());
  if (Tensor* sorter = a.tensor(5)) {
    if (sorter->dtype() != FB_INT64 || sorter->shape() != boundaries->shape())
      fail(ErrorKind::Runtime,
           "searchsorted(): sorter must be a tensor of long dtype and of the boundaries' shape %s, "
           "but "
           "got %s %s",
           to_string(boundaries->shape()).c_str(), info(sorter->dtype()).legacy_name,
           to_string(sorter->shape()).c_str());
    boundaries = gather(boundaries, -1, sorter);
  }
  if (boundaries->dtype() != compute) boundaries = cast_values(boundaries, compute);
  if (values->dtype() != compute) values = cast_values(values, compute);
  Ref out = empty_like(values, values->shape(), FB_INT64);
  if (out->numel())
    launch(kernel_id("searchsorted"), {at_least_1d(out)}, {boundaries, at_least_1d(values)},
           {int_param(right)});
  return object(a.flag(2) ? cast_values(out, FB_INT32) : out);
}

// ---- counting ---------------------------------------------------------------------

PyObject* run_bincount(Args& a) {
  GradModeGuard off(false);
  Tensor *x = a.tensor(0), *weights = a.tensor(1);
  int64_t minlength = a.integer(2);
  if (is_differentiable(x->dtype()) || x->dtype() == FB_BOOL)
    fail(ErrorKind::NotImplemented, "\"bincount\" not implemented for '%s'",
         info(x->dtype()).legacy_name);
  if (minlength < 0) fail(ErrorKind::Runtime, "bincount: minlength should be >= 0");
  if (x->ndim() != 1 || (x->numel() && item(any_true(binary("lt", x, 0))).truth()))
    fail(ErrorKind::Runtime,
         "bincount: only supports 1-d non-negative integral inputs, got shape %s",
         to_string(x->shape()).c_str());
  if (weights && (weights->ndim() != 1 || weights->numel() != x->numel()))
    fail(ErrorKind::Runtime,
         "bincount: weights should be 1-d and have the same length as input, got shapes %s and %s",
         to_string(weights->shape()).c_str(), to_string(x->shape()).c_str());
  Ref index = x->dtype() == FB_INT64 ? Ref(x) : cast_values(x, FB_INT64);
  if (!has_kernel(index, kernel_id("bincount")))
    return compose("bincount", {boxed(index), boxed(weights), boxed_int(minlength)});
  DType d = !weights ? FB_INT64 : weights->dtype() == FB_FLOAT32 ? FB_FLOAT32 : FB_FLOAT64;
  Ref addends = weights && weights->dtype() != d ? cast_values(weights, d) : Ref(weights);
  int64_t length = x->numel() ? item(amax(index, Ints(), false)).i + 1 : 0;
  Ref out = full({std::max(length, minlength)}, Scalar(0), d, {x->device, x->device_index()});
  if (x->numel()) launch(kernel_id("bincount"), {out}, {index, addends});
  return object(out);
}

}  // namespace

void declare_sort() {
  declare("sort(Tensor self, int dim=-1, bool descending=False, *, bool? stable=None)", run_sort,
          kBoth | kOut);
  declare("argsort(Tensor self, int dim=-1, bool descending=False, *, bool stable=False)",
          run_argsort, kBoth | kOut);
  declare("topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True)", run_topk,
          kBoth | kOut);
  declare(
      "searchsorted(Tensor sorted_sequence, Operand self, *, bool out_int32=False, bool "
      "right=False, "
      "str? side=None, Tensor? sorter=None)",
      run_searchsorted, kFunction | kOut);
  declare("bincount(Tensor self, Tensor? weights=None, int minlength=0)", run_bincount, kBoth);
}

}  // namespace flambeau
