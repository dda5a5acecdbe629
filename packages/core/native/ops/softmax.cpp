// Softmax and its logarithm along one dimension.
#include "ops/softmax.h"

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

struct SoftmaxRow {
  const char* name;
  const char* node;
  int kernel, backward_kernel;
  Ref (*gradient)(const Ref& g, const Ref& y, int64_t dim);
};

Ref softmax_gradient(const Ref& g, const Ref& y, int64_t dim) {
  Ref share = mul(g, y);
  return sub(share, mul(y, sum(share, {dim}, true)));
}

Ref log_softmax_gradient(const Ref& g, const Ref& y, int64_t dim) {
  return sub(g, mul(exp(y), sum(g, {dim}, true)));
}

constexpr SoftmaxRow softmax_row{"softmax", "SoftmaxBackward0", kernel_id("softmax"),
                                 kernel_id("softmax_backward"), softmax_gradient};
constexpr SoftmaxRow log_softmax_row{"log_softmax", "LogSoftmaxBackward0", kernel_id("log_softmax"),
                                     kernel_id("log_softmax_backward"), log_softmax_gradient};

Ref gradient(const SoftmaxRow& r, const Ref& g, const Ref& y, int dim) {
  if (grad_mode.enabled || !has_kernel(y, r.backward_kernel)) return r.gradient(g, y, dim);
  Ref out = empty_like(y, y->shape());
  if (out->numel())
    launch(r.backward_kernel, {at_least_1d(out)}, {at_least_1d(g), at_least_1d(y)},
           {int_param(dim)});
  return out;
}

Ref apply(const SoftmaxRow& r, Tensor* x, int64_t dim) {
  int d = wrap_dim(dim, x->ndim());
  if (!is_floating(x->dtype()))
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", r.name,
         info(x->dtype()).legacy_name);
  if (!has_kernel(x, r.kernel)) return composed(r.name, {boxed(x), boxed_int(d), boxed(nullptr)});
  Ref y = empty_like(x, x->shape());
  if (y->numel()) launch(r.kernel, {at_least_1d(y)}, {at_least_1d(x)}, {int_param(d)});
  if (records(x))
    record(r.node, {x}, y, [&r, d, kept = Saved::output(y)](Backward& b) {
      b.set(0, gradient(r, b.grad(), b.get(kept), d));
    });
  return y;
}

PyObject* run(Args& a) {
  Ref x = a.tensor(0);
  DType want = a.dtype(2, x->dtype());
  if (want != x->dtype()) x = to_dtype(x, want);
  return object(apply(*static_cast<const SoftmaxRow*>(a.row), x, a.integer(1)));
}

}  // namespace

Ref softmax(Tensor* x, int64_t dim) { return apply(softmax_row, x, dim); }
Ref log_softmax(Tensor* x, int64_t dim) { return apply(log_softmax_row, x, dim); }

void declare_softmax() {
  for (const SoftmaxRow* r : {&softmax_row, &log_softmax_row})
    declare(std::string(r->name) + "(Tensor self, int dim, dtype? dtype=None)", run,
            kBoth | kOut | kNeuralToo, r);
}

}  // namespace flambeau
