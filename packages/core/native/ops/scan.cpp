// Running sums, products and extremes along one dimension.
#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

Ref scanned(int kernel, Tensor* x, int dim) {
  Ref y = empty_like(x, x->shape());
  if (y->numel()) launch(kernel, {at_least_1d(y)}, {at_least_1d(x)}, {int_param(dim)});
  return y;
}

Ref reversed(Tensor* x, int dim) {
  int64_t n = x->size(dim);
  return index_select(x, dim, arange(n - 1, -1, -1, FB_INT64, {x->device, x->device_index()}));
}

// ---- sums -------------------------------------------------------------------

Ref cumsum(Tensor* x, int dim) {
  Ref y = scanned(kernel_id("cumsum"), x, dim);
  if (records(x))
    record("CumsumBackward0", {x}, y, [dim](Backward& b) {
      const Ref& g = b.grad();
      b.set(0,
            g->ndim() == 0 || g->numel() == 0 ? g : reversed(cumsum(reversed(g, dim), dim), dim));
    });
  return y;
}

// The sum of each element and all after it.
Ref sum_from(Tensor* x, int dim) { return reversed(cumsum(reversed(x, dim), dim), dim); }

// ---- products ---------------------------------------------------------------

Ref cumprod(Tensor* x, int dim);

// y_i / x_k does not exist where x_k is 0. Before the first zero the quotient
// serves; at it, products that leave it out; behind it all products vanish.
Ref product_gradient_with_zeros(const Ref& g, const Ref& x, const Ref& y, int dim) {
  Ref is_zero = binary("eq", x, 0);
  Ref zeros_so_far = cumsum(to_dtype(is_zero, FB_INT64), dim);
  Ref before = binary("eq", zeros_so_far, 0);
  Ref first = binary("logical_and", is_zero, binary("eq", zeros_so_far, 1));
  Ref quotient = div(sum_from(mul(g, conjugate(y)), dim), conjugate(where(before, x, Scalar(1.0))));
  Ref without_first = cumprod(masked_fill(x, first, 1), dim);
  Ref from_first = masked_fill(mul(g, conjugate(without_first)), before, 0);
  return where(before, quotient, where(first, sum_from(from_first, dim), Scalar(0.0)));
}

// One element at a time: every product that it is part of, without it. Every
// step is differentiable, zeros or not.
Ref product_gradient_by_element(const Ref& g, const Ref& x, int dim) {
  int64_t n = x->size(dim);
  std::vector<Ref> parts;
  for (int64_t k = 0; k < n; k++) {
    Ref one = zeros_like(narrow(x, dim, k, 1));
    fill_values(one, Scalar(1));
    Ref others = cat({narrow(x, dim, 0, k), one, narrow(x, dim, k + 1, n - k - 1)}, dim);
    Ref terms = mul(g, conjugate(cumprod(others, dim)));
    parts.push_back(sum(narrow(terms, dim, k, n - k), {dim}, true));
  }
  return cat(std::vector<Tensor*>(parts.begin(), parts.end()), dim);
}

Ref product_gradient(const Ref& g, const Ref& x, const Ref& y, int dim) {
  if (x->ndim() == 0 || x->numel() == 0) return g;
  bool has_zero;
  {
    GradModeGuard off(false);
    has_zero = item(any_true(binary("eq", x, 0))).truth();
  }
  if (!has_zero) return div(sum_from(mul(g, conjugate(y)), dim), conjugate(x));
  return grad_mode.enabled ? product_gradient_by_element(g, x, dim)
                           : product_gradient_with_zeros(g, x, y, dim);
}

Ref cumprod(Tensor* x, int dim) {
  Ref y = scanned(kernel_id("cumprod"), x, dim);
  if (records(x))
    record("CumprodBackward0", {x}, y, [dim, x = Saved(x), y = Saved::output(y)](Backward& b) {
      b.set(0, product_gradient(b.grad(), b.get(x), b.get(y), dim));
    });
  return y;
}

struct ScanRow {
  Ref (*scan)(Tensor* x, int dim);
};
constexpr ScanRow cumsum_row{cumsum}, cumprod_row{cumprod};

PyObject* run_accumulation(Args& a) {
  auto scan = static_cast<const ScanRow*>(a.row)->scan;
  Tensor* x = a.tensor(0);
  int dim = wrap_dim(a.integer(1), x->ndim());
  DType usual = is_differentiable(x->dtype()) ? x->dtype() : FB_INT64;
  // In place an integer keeps its type.
  if (a.op->inplace && !a.given(2)) usual = x->dtype() == FB_BOOL ? FB_INT64 : x->dtype();
  DType d = a.dtype(2, usual);
  return object(scan(d == x->dtype() ? Ref(x) : to_dtype(x, d), dim));
}

// ---- extremes ------------------------------------------------------------------

PyObject* run_extreme(Args& a) {
  bool largest = a.op->name == std::string("cummax");
  Tensor* x = a.tensor(0);
  int dim = wrap_dim(a.integer(1), x->ndim());
  if (is_complex(x->dtype()))
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", a.op->name,
         info(x->dtype()).legacy_name);
  Ref values = empty_like(x, x->shape()), indices = empty_like(x, x->shape(), FB_INT64);
  if (x->numel())
    launch(largest ? kernel_id("cummax") : kernel_id("cummin"),
           {at_least_1d(values), at_least_1d(indices)}, {at_least_1d(x)}, {int_param(dim)});
  if (records(x))
    record(largest ? "CummaxBackward0" : "CumminBackward0", {x}, values,
           [dim, at = Saved(indices)](Backward& b) {
             b.set(0, scatter_add(zeros_like(b.grad()), dim, b.get(at), b.grad()));
           });
  return named_result(a.op->name, {values, indices});
}

}  // namespace

void declare_scan() {
  declare("cumsum(Tensor self, int dim, *, dtype? dtype=None)", run_accumulation, kAllForms,
          &cumsum_row);
  declare("cumprod(Tensor self, int dim, *, dtype? dtype=None)", run_accumulation, kAllForms,
          &cumprod_row);
  declare("cummax(Tensor self, int dim)", run_extreme, kBoth | kOut);
  declare("cummin(Tensor self, int dim)", run_extreme, kBoth | kOut);
}

}  // namespace flambeau
