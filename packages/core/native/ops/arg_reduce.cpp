// Positions of extremes, and the extremes themselves along one dimension.
#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

struct ExtremeRow {
  const char* name;      // of the values
  const char* arg_name;  // of the positions
  const char* pairwise;  // of the larger or smaller of two tensors
  int arg_kernel, dim_kernel, all_kernel;
  const char* definition;  // of dim_kernel
};

constexpr ExtremeRow max_row{
    "max",    "argmax", "maximum", kernel_id("argmax"), kernel_id("max_dim"), kernel_id("amax"),
    "max_dim"};
constexpr ExtremeRow min_row{
    "min",    "argmin", "minimum", kernel_id("argmin"), kernel_id("min_dim"), kernel_id("amin"),
    "min_dim"};

void check_dim_not_empty(const char* op, Tensor* t, int dim) {
  if (t->ndim() && t->size(dim) == 0)
    fail(ErrorKind::Index, "%s(): Expected reduction dim %d to have non-zero size, got shape %s",
         op, dim, to_string(t->shape()).c_str());
}

// The shape with one dimension reduced to size 1, or gone.
Dims reduced_shape(Tensor* t, int dim, bool keepdim) {
  Dims out;
  for (int i = 0; i < t->ndim(); i++)
    if (i != dim) {
      out.push(t->size(i));
    } else if (keepdim) {
      out.push(1);
    }
  return out;
}

// ---- positions -------------------------------------------------------------------

Ref arg_extreme(const ExtremeRow& r, Tensor* t, int dim, bool keepdim) {
  check_dim_not_empty(r.arg_name, t, dim);
  Ref x = at_least_1d(t);
  Ref kept = empty_like(t, reduced_shape(x, dim, true), FB_INT64);
  if (kept->numel()) launch(r.arg_kernel, {kept}, {x}, {int_param(dim)});
  return reshaped_alias(kept, reduced_shape(t, dim, keepdim));
}

PyObject* run_arg(Args& a) {
  auto& r = *static_cast<const ExtremeRow*>(a.row);
  Tensor* t = a.tensor(0);
  bool keepdim = a.flag(2);
  if (t->dtype() == FB_BOOL || is_complex(t->dtype()))
    fail(ErrorKind::Runtime, "%s(): does not support %s input", r.arg_name,
         t->dtype() == FB_BOOL ? "bool" : "complex");
  if (a.given(1)) return object(arg_extreme(r, t, wrap_dim(a.integer(1), t->ndim()), keepdim));
  if (t->numel() == 0)
    fail(ErrorKind::Index,
         "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
         "reduction "
         "dim with the 'dim' argument.",
         r.arg_name);
  GradModeGuard off(false);
  Ref position = arg_extreme(r, reshape(t, {-1}), 0, false);
  if (!keepdim) return object(position);
  Dims ones(t->shape());
  for (int i = 0; i < ones.n; i++) ones[i] = 1;
  return object(reshaped_alias(position, ones));
}

// ---- extremes along a dimension -----------------------------------------------------

PyObject* run_along(Args& a) {
  auto& r = *static_cast<const ExtremeRow*>(a.row);
  Tensor* t = a.tensor(0);
  int dim = wrap_dim(a.integer(1), t->ndim());
  bool keepdim = a.flag(2);
  if (is_complex(t->dtype()))
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", r.name,
         info(t->dtype()).legacy_name);
  check_dim_not_empty(r.name, t, dim);
  if (!has_kernel(t, r.dim_kernel)) {
    PyObject* pair = compose(r.definition, {boxed(t), boxed_int(dim), boxed_bool(keepdim)});
    Ref values = as_tensor(PyTuple_GET_ITEM(pair, 0)),
        indices = as_tensor(PyTuple_GET_ITEM(pair, 1));
    Py_DECREF(pair);
    return named_result(r.name, {values, indices});
  }
  Ref x = at_least_1d(t);
  Dims kept = reduced_shape(x, dim, true), shape = reduced_shape(t, dim, keepdim);
  Ref values = empty_like(t, kept), indices = empty_like(t, kept, FB_INT64);
  if (values->numel()) launch(r.dim_kernel, {values, indices}, {x}, {int_param(dim)});
  values = reshaped_alias(values, shape);
  Ref positions = reshaped_alias(indices, shape);
  if (records(t))
    record(r.dim_kernel == kernel_id("max_dim") ? "MaxBackward0" : "MinBackward0", {t}, values,
           [dim, kept = Ints(kept).vec(), full = x->shape().vec(), shape = t->shape().vec(),
            at = Saved(indices)](Backward& b) {
             Ref g = reshape(b.grad(), kept);
             b.set(0, reshape(scatter_add(zeros(g, full), dim, b.get(at), g), shape));
           });
  return named_result(r.name, {values, positions});
}

// ---- the extreme of all elements ------------------------------------------------------

// Elements that tie share the gradient evenly.
Ref tied_gradient(const Ref& g, const Ref& x, const Ref& y) {
  Ref chosen = binary("eq", x, y);
  if (is_floating(x->dtype())) chosen = binary("logical_or", chosen, binary("ne", x, x));
  return where(chosen, div(g, sum(to_dtype(chosen, x->dtype()))), Scalar(0.0));
}

PyObject* run_all(Args& a) {
  auto& r = *static_cast<const ExtremeRow*>(a.row);
  Tensor* t = a.tensor(0);
  if (is_complex(t->dtype()))
    fail(ErrorKind::NotImplemented, "\"%s_all\" not implemented for '%s'", r.name,
         info(t->dtype()).legacy_name);
  if (t->numel() == 0)
    fail(ErrorKind::Runtime,
         "%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
         "reduction "
         "dim with the 'dim' argument.",
         r.name);
  Dims ones(t->shape());
  for (int i = 0; i < ones.n; i++) ones[i] = 1;
  Ref kept = empty_like(t, ones);
  launch(r.all_kernel, {kept}, {t});
  Ref y = reshaped_alias(kept, Ints());
  if (records(t))
    record(r.all_kernel == kernel_id("amax") ? "MaxBackward1" : "MinBackward1", {t}, y,
           [x = Saved(t), y = Saved::output(y)](Backward& b) {
             b.set(0, tied_gradient(b.grad(), b.get(x), b.get(y)));
           });
  return object(y);
}

PyObject* run_pairwise(Args& a) {
  auto& r = *static_cast<const ExtremeRow*>(a.row);
  return object(binary(r.pairwise, a.tensor(0), a.tensor(1)));
}

}  // namespace

void declare_arg_reduce() {
  for (const ExtremeRow* r : {&max_row, &min_row}) {
    std::string name = r->name;
    declare(std::string(r->arg_name) + "(Tensor self, int? dim=None, bool keepdim=False)", run_arg,
            kBoth | kOut, r);
    // The tensor comes before the dimension: a tensor of one integer could be either.
    declare(name + "(Tensor self)", run_all, kBoth | kOut, r);
    declare(name + "(Tensor self, Tensor other)", run_pairwise, kBoth | kOut, r);
    declare(name + "(Tensor self, int dim, bool keepdim=False)", run_along, kBoth | kOut, r);
  }
}

}  // namespace flambeau
