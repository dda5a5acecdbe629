// Reductions: sum, mean, prod, amax, amin, any, all, var, count_nonzero.
#include <algorithm>

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/view.h"

namespace flambeau {
namespace {

// Which dimensions a reduction takes: none named means all.
Dims reduced_dims(const char* op, Tensor* t, Ints dims) {
  if (dims.n > 0) return wrap_dims(op, dims, t->ndim());
  Dims all;
  for (int i = 0; i < t->ndim(); i++) all.push(i);
  return all;
}

bool contains(const Dims& dims, int d) {
  return std::find(dims.v, dims.v + dims.n, d) != dims.v + dims.n;
}

// Runs a reducing kernel; its output keeps the reduced dimensions as 1, the
// result drops them unless asked otherwise. Outside the graph.
Ref reduce(int kernel, Tensor* t, const Dims& dims, bool keepdim, DType out,
           const fb_param* params = nullptr) {
  if (dims.n == t->ndim() && t->contiguous() && !keepdim) {
    // All of a dense tensor: one run of elements.
    Ref y = empty_like(t, Ints(), out);
    int64_t one[] = {1}, n = t->numel();
    fb_array whole = y->arr, flat = t->arr;
    whole.shape = whole.strides = one;
    flat.shape = &n;
    flat.strides = one;
    whole.ndim = flat.ndim = 1;
    fb_array* outs[] = {&whole};
    const fb_array* ins[] = {&flat};
    call_kernel(t->device, {kernel, t->dtype(), outs, 1, ins, 1, params});
    return y;
  }
  Dims kept(t->shape()), shape, strides;
  for (int i = 0; i < dims.n; i++)
    if (t->ndim() > 0) kept[int(dims[i])] = 1;
  for (int i = 0; i < t->ndim(); i++)
    if (keepdim || !contains(dims, i)) shape.push(kept[i]);
  Ref y = empty_like(t, shape, out);
  if (y->numel() == 0) return y;
  fb_array full = y->arr;
  int64_t dense[max_dims];
  contiguous_strides(kept, dense);
  full.shape = kept.v;
  full.strides = dense;
  full.ndim = kept.n;
  fb_array* outs[] = {&full};
  const fb_array* ins[] = {&t->arr};
  call_kernel(t->device, {kernel, t->dtype(), outs, 1, ins, 1, params});
  return y;
}

Ref restored(Tensor* g, const Dims& dims, int ndim, bool keepdim) {
  return restore_dims(g, dims, ndim, keepdim);
}

// Sums and products: the kernels give int64 for whole numbers, whatever is asked for.
Ref accumulate(int kernel, Tensor* t, const Dims& dims, bool keepdim, DType out) {
  if (info(out).category > Category::Integer || out == FB_INT64)
    return reduce(kernel, t, dims, keepdim, out);
  return cast_values(reduce(kernel, t, dims, keepdim, FB_INT64), out);
}

Ref sum_dims(Tensor* t, const Dims& dims, bool keepdim, DType out) {
  Ref source(t);
  if (out != t->dtype() && !(info(t->dtype()).category <= Category::Integer && out == FB_INT64))
    source = to_dtype(t, out);
  Ref y = accumulate(kernel_id("sum"), source, dims, keepdim, out);
  if (records(source) && is_differentiable(out))
    record("SumBackward0", {source}, y, [s = Dims(t->shape()), dims, keepdim](Backward& b) {
      b.set(0, expand(restored(b.grad(), dims, s.n, keepdim), s));
    });
  return y;
}

DType sum_dtype(Args& a, int i, Tensor* t) {
  return a.dtype(i, info(t->dtype()).category <= Category::Integer ? FB_INT64 : t->dtype());
}

PyObject* run_sum(Args& a) {
  Tensor* t = a.tensor(0);
  return object(sum_dims(t, reduced_dims("sum", t, a.given(1) ? a.ints(1) : Ints()), a.flag(2),
                         sum_dtype(a, 3, t)));
}

Ref mean_dims(Tensor* t, const Dims& dims, bool keepdim) {
  if (!is_differentiable(t->dtype()))
    fail(ErrorKind::Runtime,
         "mean(): could not infer output dtype. Input dtype must be either a floating point or "
         "complex dtype. Got: %s",
         info(t->dtype()).legacy_name);
  int64_t n = 1;
  for (int i = 0; i < dims.n; i++)
    if (t->ndim()) n *= t->size(int(dims[i]));
  if (!has_kernel(t->device, kernel_id("mean"), t->dtype()))
    return div(sum_dims(t, dims, keepdim, t->dtype()), Operand(double(n)));
  Ref y = reduce(kernel_id("mean"), t, dims, keepdim, t->dtype());
  if (records(t))
    record("MeanBackward1", {t}, y, [s = Dims(t->shape()), dims, keepdim, n](Backward& b) {
      b.set(0, expand(restored(div(b.grad(), Operand(double(n))), dims, s.n, keepdim), s));
    });
  return y;
}

PyObject* run_mean(Args& a) {
  Ref t(a.tensor(0));
  if (a.given(3)) t = to_dtype(t, a.dtype(3, t->dtype()));
  return object(mean_dims(t, reduced_dims("mean", t, a.given(1) ? a.ints(1) : Ints()), a.flag(2)));
}

struct ExtremeRow {
  const char* name;
  int kernel;
  const char* node;
};
constexpr ExtremeRow extreme_rows[] = {{"amax", kernel_id("amax"), "AmaxBackward0"},
                                       {"amin", kernel_id("amin"), "AminBackward0"}};

Ref extreme(const ExtremeRow& r, Tensor* t, const Dims& dims, bool keepdim) {
  for (int i = 0; i < dims.n; i++)
    if (t->ndim() && t->size(int(dims[i])) == 0)
      fail(ErrorKind::Index, "%s(): Expected reduction dim %d to have non-zero size.", r.name,
           int(dims[i]));
  if (is_complex(t->dtype()))
    fail(ErrorKind::Runtime, "%s: not implemented for '%s'", r.name, info(t->dtype()).legacy_name);
  Ref y = reduce(r.kernel, t, dims, keepdim, t->dtype());
  if (records(t))
    record(r.node, {t}, y, [sx = Saved(t), sy = Saved::output(y), dims, keepdim](Backward& b) {
      Ref x = b.get(sx), y = b.get(sy);
      int ndim = x->ndim();
      Ref hit = binary("eq", x, restored(y, dims, ndim, keepdim));
      Ref count = sum_dims(hit, dims, true, FB_INT64);
      Ref each = div(restored(b.grad(), dims, ndim, keepdim),
                     ndim ? count : reshape(count, b.grad()->shape()));
      b.set(0, mul(each, to_dtype(hit, b.grad()->dtype())));
    });
  return y;
}

PyObject* run_extreme(Args& a) {
  auto& r = *static_cast<const ExtremeRow*>(a.row);
  Tensor* t = a.tensor(0);
  Ints dims = a.given(1) ? a.ints(1) : Ints();
  if (dims.n == 0 && t->numel() == 0)
    fail(ErrorKind::Runtime, "%s(): Expected reduction dim to be specified for the shape %s",
         r.name, to_string(t->shape()).c_str());
  return object(extreme(r, t, reduced_dims(r.name, t, dims), a.flag(2)));
}

// ---- prod: one dimension, or all ----

Ref prod_dim(Tensor* t, int d, bool keepdim, DType out) {
  Ref source =
      out != t->dtype() && !(info(t->dtype()).category <= Category::Integer && out == FB_INT64)
          ? to_dtype(t, out)
          : Ref(t);
  Dims dims;
  dims.push(d);
  if (source->ndim() == 0) dims.n = 0;
  Ref y = accumulate(kernel_id("prod"), source, dims, keepdim, out);
  if (records(source) && is_differentiable(out))
    record("ProdBackward1", {source}, y, [sx = Saved(source), d, keepdim](Backward& b) {
      Ref x = b.get(sx);
      Dims dims;
      dims.push(d);
      if (x->ndim() == 0) return b.set(0, b.grad());
      Ref g = restored(b.grad(), dims, x->ndim(), keepdim);
      int64_t n = x->size(d);
      // Each element's factor is the product of all others: built from the
      // elements before and after it, so that zeros need no special case.
      std::vector<Ref> before(static_cast<size_t>(n)), after(static_cast<size_t>(n)), factors;
      std::vector<Tensor*> parts;
      for (int64_t i = 0; i < n; i++) {
        Ref own = narrow(x, d, i, 1);
        if (i == 0) {
          before[0] = add(mul(own, 0), 1);
        } else {
          before[size_t(i)] = mul(before[size_t(i) - 1], narrow(x, d, i - 1, 1));
        }
      }
      for (int64_t i = n - 1; i >= 0; i--)
        after[size_t(i)] = i == n - 1   ? Ref()
                           : i == n - 2 ? narrow(x, d, n - 1, 1)
                                        : mul(after[size_t(i) + 1], narrow(x, d, i + 1, 1));
      for (int64_t i = 0; i < n; i++) {
        factors.push_back(after[size_t(i)] ? mul(before[size_t(i)], after[size_t(i)])
                                           : before[size_t(i)]);
        parts.push_back(factors.back());
      }
      if (n)
        b.set(0, mul(g, conjugate(cat(parts, d))));
      else
        b.set(0, zeros_like(x));
    });
  return y;
}

PyObject* run_prod(Args& a) {
  Tensor* t = a.tensor(0);
  Ref flat = reshape(t, {-1});
  return object(prod_dim(flat, 0, false, sum_dtype(a, 1, t)));
}
PyObject* run_prod_dim(Args& a) {
  Tensor* t = a.tensor(0);
  return object(prod_dim(t, wrap_dim(a.integer(1), t->ndim()), a.flag(2), sum_dtype(a, 3, t)));
}

// ---- tests ----

struct TestRow {
  const char* name;
  int kernel;
};
constexpr TestRow test_rows[] = {{"any", kernel_id("any")}, {"all", kernel_id("all")}};

PyObject* run_test(Args& a) {
  auto& r = *static_cast<const TestRow*>(a.row);
  Tensor* t = a.tensor(0);
  DType out = t->dtype() == FB_UINT8 ? FB_UINT8 : FB_BOOL;  // as PyTorch keeps it
  Ref y = reduce(r.kernel, t, reduced_dims(r.name, t, a.given(1) ? a.ints(1) : Ints()), a.flag(2),
                 FB_BOOL);
  return object(out == FB_BOOL ? y : cast_values(y, out));
}

PyObject* run_count_nonzero(Args& a) {
  Tensor* t = a.tensor(0);
  Ref hit = binary("ne", t, 0);
  return object(sum_dims(hit, reduced_dims("count_nonzero", t, a.given(1) ? a.ints(1) : Ints()),
                         false, FB_INT64));
}

// ---- variance ----

Ref variance(Tensor* t, const Dims& dims, double correction, bool keepdim) {
  if (!is_differentiable(t->dtype()))
    fail(ErrorKind::Runtime, "std and var only support floating point and complex dtypes");
  double n = 1;
  for (int i = 0; i < dims.n; i++)
    if (t->ndim()) n *= double(t->size(int(dims[i])));
  double divisor = std::max(0.0, n - correction);
  if (is_complex(t->dtype())) {
    Ref parts = real_view(t);
    return add(variance(select(parts, -1, 0), dims, correction, keepdim),
               variance(select(parts, -1, 1), dims, correction, keepdim));
  }
  if (!has_kernel(t->device, kernel_id("var"), t->dtype()) || t->numel() == 0) {
    Ref centred = sub(t, mean_dims(t, dims, true));
    return div(sum_dims(unary("square", centred), dims, keepdim, t->dtype()), Operand(divisor));
  }
  fb_param p[1];
  p[0].f = correction;
  Ref y = reduce(kernel_id("var"), t, dims, keepdim, t->dtype(), p);
  if (divisor <= 0 && PyErr_WarnEx(PyExc_UserWarning, "var(): degrees of freedom is <= 0.", 1))
    throw PythonError{};
  if (records(t))
    record("VarBackward0", {t}, y, [sx = Saved(t), dims, keepdim, divisor](Backward& b) {
      Ref x = b.get(sx);
      Ref centred = sub(x, mean_dims(x, dims, true));
      b.set(0,
            mul(restored(b.grad(), dims, x->ndim(), keepdim), mul(centred, Operand(2 / divisor))));
    });
  return y;
}

PyObject* run_var(Args& a) {
  Tensor* t = a.tensor(0);
  double correction = a.given(2) ? a.scalar(2).f : 1;
  return object(
      variance(t, reduced_dims("var", t, a.given(1) ? a.ints(1) : Ints()), correction, a.flag(3)));
}
PyObject* run_var_unbiased(Args& a) {
  Tensor* t = a.tensor(0);
  return object(variance(t, reduced_dims("var", t, a.given(1) ? a.ints(1) : Ints()),
                         a.flag(2) ? 1 : 0, a.flag(3)));
}
PyObject* run_var_all(Args& a) {
  Tensor* t = a.tensor(0);
  return object(variance(t, reduced_dims("var", t, Ints()), a.flag(1) ? 1 : 0, false));
}

}  // namespace

Ref restore_dims(Tensor* reduced, Ints dims, int ndim, bool keepdim) {
  if (keepdim || ndim == 0) return Ref(reduced);
  if (dims.n == ndim) {
    Dims ones;
    for (int i = 0; i < ndim; i++) ones.push(1);
    return reshape(reduced, ones);
  }
  Dims shape;
  int at = 0;
  for (int i = 0; i < ndim; i++) {
    bool gone = std::find(dims.begin(), dims.end(), i) != dims.end();
    shape.push(gone ? 1 : reduced->size(at++));
  }
  return reshape(reduced, shape);
}

Ref sum(Tensor* t) { return sum_dims(t, reduced_dims("sum", t, Ints()), false, t->dtype()); }
Ref sum(Tensor* t, Ints dims, bool keepdim) {
  return sum_dims(t, reduced_dims("sum", t, dims), keepdim, t->dtype());
}
Ref mean(Tensor* t, Ints dims, bool keepdim) {
  return mean_dims(t, reduced_dims("mean", t, dims), keepdim);
}
Ref amax(Tensor* t, Ints dims, bool keepdim) {
  return extreme(extreme_rows[0], t, reduced_dims("amax", t, dims), keepdim);
}
Ref any_true(Tensor* t) {
  return reduce(kernel_id("any"), t, reduced_dims("any", t, Ints()), false, FB_BOOL);
}

Ref sum_to(Tensor* t, Ints shape) {
  int lead = t->ndim() - shape.n;
  Dims dims;
  for (int i = 0; i < t->ndim(); i++)
    if (i < lead || (shape[i - lead] == 1 && t->size(i) != 1)) dims.push(i);
  Ref y = dims.n ? sum_dims(t, dims, true, t->dtype()) : Ref(t);
  return lead > 0 || y->shape() != shape ? reshape(y, shape) : y;
}

void declare_reduce() {
  declare("sum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None)", run_sum,
          kBoth | kOut);
  declare("mean(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None)", run_mean,
          kBoth | kOut);
  declare("prod(Tensor self, *, dtype? dtype=None)", run_prod, kBoth | kOut);
  declare("prod(Tensor self, int dim, bool keepdim=False, *, dtype? dtype=None)", run_prod_dim,
          kBoth | kOut);
  set_autocast(Autocast::Full, {"prod"});
  for (const ExtremeRow& r : extreme_rows)
    declare(std::string(r.name) + "(Tensor self, int[] dim=[], bool keepdim=False)", run_extreme,
            kBoth | kOut, &r);
  for (const TestRow& r : test_rows)
    declare(std::string(r.name) + "(Tensor self, int[]? dim=None, bool keepdim=False)", run_test,
            kBoth | kOut, &r);
  declare("count_nonzero(Tensor self, int[]? dim=None)", run_count_nonzero, kBoth);
  declare("var(Tensor self, bool unbiased)", run_var_all, kBoth | kOut);
  declare("var(Tensor self, int[]? dim, bool unbiased, bool keepdim=False)", run_var_unbiased,
          kBoth | kOut);
  declare("var(Tensor self, int[]? dim=None, *, Scalar? correction=None, bool keepdim=False)",
          run_var, kBoth | kOut);
}

}  // namespace flambeau
