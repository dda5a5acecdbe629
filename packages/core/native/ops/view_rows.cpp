// The rows of the view ops: how Python calls them.
#include <algorithm>

#include "dispatch/shape_rules.h"
#include "ops/op.h"
#include "ops/scalars.h"
#include "ops/view.h"

namespace flambeau {
namespace {

PyObject* run_view(Args& a) { return object(view(a.tensor(0), a.ints(1))); }
PyObject* run_view_dtype(Args& a) {
  return object(view_dtype(a.tensor(0), a.dtype(1, FB_FLOAT32)));
}
PyObject* run_reshape(Args& a) { return object(reshape(a.tensor(0), a.ints(1))); }
PyObject* run_view_as(Args& a) { return object(view(a.tensor(0), a.tensor(1)->shape())); }
PyObject* run_reshape_as(Args& a) { return object(reshape(a.tensor(0), a.tensor(1)->shape())); }
PyObject* run_expand(Args& a) { return object(expand(a.tensor(0), a.ints(1))); }
PyObject* run_expand_as(Args& a) { return object(expand(a.tensor(0), a.tensor(1)->shape())); }
PyObject* run_permute(Args& a) { return object(permute(a.tensor(0), a.ints(1))); }
PyObject* run_transpose(Args& a) {
  return object(transpose(a.tensor(0), a.integer(1), a.integer(2)));
}
PyObject* run_select(Args& a) { return object(select(a.tensor(0), a.integer(1), a.integer(2))); }
PyObject* run_unsqueeze(Args& a) { return object(unsqueeze(a.tensor(0), a.integer(1))); }
PyObject* run_detach(Args& a) { return object(detach(a.tensor(0))); }
PyObject* run_unfold(Args& a) {
  return object(unfold(a.tensor(0), a.integer(1), a.integer(2), a.integer(3)));
}
PyObject* run_diagonal(Args& a) {
  return object(diagonal(a.tensor(0), a.integer(1), a.integer(2), a.integer(3)));
}

PyObject* run_narrow_from(Args& a) {
  Tensor* start = a.tensor(2);
  if (start->ndim() != 0 || !is_integral(start->dtype()))
    fail(ErrorKind::Runtime,
         "narrow: start must be an 0-dim integral Tensor, but got %s of shape %s",
         info(start->dtype()).name, to_string(start->shape()).c_str());
  return object(narrow(a.tensor(0), a.integer(1), item(start).i, a.integer(3)));
}
PyObject* run_narrow(Args& a) {
  return object(narrow(a.tensor(0), a.integer(1), a.integer(2), a.integer(3)));
}

PyObject* run_slice(Args& a) {
  return object(slice(a.tensor(0), a.integer(1), a.integer(2), a.integer(3), a.integer(4)));
}

PyObject* run_as_strided(Args& a) {
  Tensor* t = a.tensor(0);
  return object(as_strided(t, a.ints(1), a.ints(2), a.given(3) ? a.integer(3) : t->offset()));
}

PyObject* run_t(Args& a) {
  Tensor* t = a.tensor(0);
  if (t->ndim() > 2)
    fail(ErrorKind::Runtime, "t() expects a tensor with <= 2 dimensions, but self is %dD",
         t->ndim());
  return object(t->ndim() < 2 ? alias_view(t) : transpose(t, 0, 1));
}

PyObject* run_squeeze_all(Args& a) {
  Dims dims;
  for (int i = 0; i < a.tensor(0)->ndim(); i++) dims.push(i);
  return object(squeeze(a.tensor(0), dims));
}
PyObject* run_squeeze(Args& a) { return object(squeeze(a.tensor(0), a.ints(1))); }

Ref flatten(Tensor* t, int64_t from, int64_t to) {
  int first = wrap_dim(from, t->ndim()), last = wrap_dim(to, t->ndim());
  if (first > last)
    fail(ErrorKind::Runtime, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (t->ndim() == 0) return reshape(t, {1});
  if (first == last) return Ref(t);
  Dims shape;
  int64_t run = 1;
  for (int i = 0; i < t->ndim(); i++) {
    if (i < first || i > last) {
      shape.push(t->size(i));
    } else {
      run *= t->size(i);
      if (i == last) shape.push(run);
    }
  }
  return reshape(t, shape);
}
PyObject* run_flatten(Args& a) { return object(flatten(a.tensor(0), a.integer(1), a.integer(2))); }
PyObject* run_ravel(Args& a) { return object(flatten(a.tensor(0), 0, -1)); }

PyObject* run_unflatten(Args& a) {
  Tensor* t = a.tensor(0);
  int d = wrap_dim(a.integer(1), t->ndim());
  Ints sizes = a.ints(2);
  if (sizes.n == 0) fail(ErrorKind::Runtime, "unflatten: sizes must be non-empty");
  int64_t known = 1;
  bool overflows = false;
  for (int64_t s : sizes) overflows |= __builtin_mul_overflow(known, s == -1 ? 1 : s, &known);
  bool infers = std::find(sizes.begin(), sizes.end(), -1) != sizes.end();
  if (overflows ||
      (known == 0 ? t->size(d) != 0 : (infers ? t->size(d) % known : t->size(d) != known)))
    fail(ErrorKind::Runtime,
         "unflatten: Provided sizes %s don't multiply up to the size of dim %d (%lld) in the input "
         "tensor",
         to_string(sizes).c_str(), d, static_cast<long long>(t->size(d)));
  Dims inner = infer_size("unflatten", sizes, t->size(d)), shape;
  for (int i = 0; i < t->ndim(); i++) {
    if (i != d) {
      shape.push(t->size(i));
    } else {
      for (int k = 0; k < inner.n; k++) shape.push(inner[k]);
    }
  }
  return object(view(t, shape));
}

PyObject* run_movedim(Args& a) {
  Tensor* t = a.tensor(0);
  if (a.ints(1).n != a.ints(2).n)
    fail(ErrorKind::Runtime,
         "movedim: Invalid source or destination dims: source (%s dims) should contain the same "
         "number of dims as "
         "destination (%s dims)",
         to_string(a.ints(1)).c_str(), to_string(a.ints(2)).c_str());
  Dims from = wrap_dims("movedim", a.ints(1), t->ndim()),
       to = wrap_dims("movedim", a.ints(2), t->ndim());
  Dims order;
  order.n = t->ndim();
  std::fill(order.v, order.v + order.n, -1);
  for (int i = 0; i < from.n; i++) order[int(to[i])] = from[i];
  int next = 0;
  for (int i = 0; i < order.n; i++) {
    if (order[i] >= 0) continue;
    while (std::find(from.v, from.v + from.n, next) != from.v + from.n) next++;
    order[i] = next++;
  }
  return object(permute(t, order));
}

PyObject* run_view_as_real(Args& a) {
  if (!is_complex(a.tensor(0)->dtype()))
    fail(ErrorKind::Runtime, "view_as_real is only supported for complex tensors");
  return object(real_view(a.tensor(0)));
}
PyObject* run_view_as_complex(Args& a) { return object(complex_view(a.tensor(0))); }

// The in-place forms change the tensor's own shape over the same memory.
template <PyObject* (*view)(Args&)>
PyObject* in_place(Args& a) {
  Ref self(a.tensor(0));
  if (grad_mode.enabled && requires_grad(self) && !self->grad_fn)
    fail(ErrorKind::Runtime,
         "%s: a leaf Variable that requires grad is being used in an in-place operation.",
         a.op->name);
  Ref old = alias(self);
  if (requires_grad(self)) attach(old, as_node(self->grad_fn), self->output_nr);
  a.slot[0].tensor = old;
  Ref shaped = Ref::steal(as_tensor(view(a)));
  a.slot[0].tensor = self;
  set_sizes(self, shaped->shape(), shaped->strides());
  self->arr.data = shaped->arr.data;
  if (requires_grad(shaped)) attach(self, as_node(shaped->grad_fn), shaped->output_nr);
  return self.object();
}

}  // namespace

Ref alias_view(Tensor* t) {
  Ref y = make_view(t, t->shape(), t->strides(), 0);
  if (records(t)) record("AliasBackward0", {t}, y, [](Backward& b) { b.set(0, b.grad()); });
  return y;
}

void declare_view() {
  declare("view(Tensor self, int[]* size)", run_view, kMethod);
  declare("view(Tensor self, dtype dtype)", run_view_dtype, kMethod);
  declare("reshape(Tensor self, int[]* shape)", run_reshape, kBoth);
  declare("view_as(Tensor self, Tensor other)", run_view_as, kMethod);
  declare("reshape_as(Tensor self, Tensor other)", run_reshape_as, kMethod);
  declare("expand(Tensor self, int[]* size, *, bool implicit=False)", run_expand, kMethod);
  declare("expand_as(Tensor self, Tensor other)", run_expand_as, kMethod);
  declare("permute(Tensor self, int[]* dims)", run_permute, kBoth);
  for (const char* name : {"transpose", "swapaxes", "swapdims"})
    declare(std::string(name) + "(Tensor self, int dim0, int dim1)", run_transpose, kBoth);
  for (const char* name : {"transpose_", "swapaxes_", "swapdims_"})
    declare(std::string(name) + "(Tensor self, int dim0, int dim1)", in_place<run_transpose>,
            kMethod);
  declare("t_(Tensor self)", in_place<run_t>, kMethod);
  declare("squeeze_(Tensor self)", in_place<run_squeeze_all>, kMethod);
  declare("squeeze_(Tensor self, int[] dim)", in_place<run_squeeze>, kMethod);
  declare("unsqueeze_(Tensor self, int dim)", in_place<run_unsqueeze>, kMethod);
  declare("as_strided_(Tensor self, int[] size, int[] stride, int? storage_offset=None)",
          in_place<run_as_strided>, kBoth);
  declare("t(Tensor self)", run_t, kBoth);
  declare("squeeze(Tensor self)", run_squeeze_all, kBoth);
  declare("squeeze(Tensor self, int[] dim)", run_squeeze, kBoth);
  declare("unsqueeze(Tensor self, int dim)", run_unsqueeze, kBoth);
  declare("select(Tensor self, int dim, int index)", run_select, kBoth);
  declare("narrow(Tensor self, int dim, Tensor start, int length)", run_narrow_from, kBoth);
  declare("narrow(Tensor self, int dim, int start, int length)", run_narrow, kBoth);
  declare("_slice(Tensor self, int dim, int start, int end, int step)", run_slice, kFunction);
  declare("diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1)", run_diagonal, kBoth);
  declare("as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None)",
          run_as_strided, kBoth);
  declare("unfold(Tensor self, int dimension, int size, int step)", run_unfold, kMethod);
  declare("flatten(Tensor self, int start_dim=0, int end_dim=-1)", run_flatten, kBoth);
  declare("ravel(Tensor self)", run_ravel, kBoth);
  declare("unflatten(Tensor self, int dim, int[] sizes)", run_unflatten, kBoth);
  for (const char* name : {"movedim", "moveaxis"})
    declare(std::string(name) + "(Tensor self, int[] source, int[] destination)", run_movedim,
            kBoth);
  declare("detach(Tensor self)", run_detach, kBoth);
  declare("view_as_real(Tensor self)", run_view_as_real, kFunction);
  declare("view_as_complex(Tensor self)", run_view_as_complex, kFunction);
}

}  // namespace flambeau
