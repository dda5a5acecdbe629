#include "ops/view_history.h"

#include <cstring>

#include "ops/api.h"
#include "ops/view.h"

namespace flambeau {
namespace {

// Where a view lies within its base, in elements of the base's own layout. Where
// one is complex and the other shows its parts, both are measured in parts.
struct Region {
  Dims base_shape, base_strides, shape, strides;
  int64_t offset;
  bool base_in_parts, view_in_parts;
};

bool in_parts(Tensor* t, Tensor* other) {
  return is_complex(t->dtype()) && !is_complex(other->dtype());
}

void measure(Tensor* t, bool parts, Dims& shape, Dims& strides) {
  shape = Dims(t->shape());
  for (int i = 0; i < shape.n; i++) strides.push(t->stride(i) * (parts ? 2 : 1));
  if (parts) shape.push(2), strides.push(1);
}

Region region_of(Tensor* view, Tensor* base) {
  Region r;
  r.base_in_parts = in_parts(base, view);
  r.view_in_parts = in_parts(view, base);
  measure(base, r.base_in_parts, r.base_shape, r.base_strides);
  measure(view, r.view_in_parts, r.shape, r.strides);
  int64_t bytes = static_cast<char*>(view->arr.data) - static_cast<char*>(base->arr.data);
  r.offset = bytes / itemsize(real_dtype(base->dtype()));
  if (is_complex(base->dtype()) && !r.base_in_parts) r.offset /= 2;
  return r;
}

Ref to_parts(const Ref& t, bool parts) { return parts ? real_view(t) : t; }
Ref from_parts(const Ref& t, bool parts) { return parts ? complex_view(contiguous(t)) : t; }

// A gradient of the base, laid out in memory as the base itself is.
Ref in_layout(Tensor* g, const Region& r) {
  if (g->strides() == Ints(r.base_strides) && is_dense(g)) return clone(g, MemoryFormat::Preserve);
  int64_t extent = 1;
  for (int i = 0; i < r.base_shape.n; i++) extent += (r.base_shape[i] - 1) * r.base_strides[i];
  Ref block = zeros(g, Ints(&extent, 1));
  Ref shaped = as_strided(block, r.base_shape, r.base_strides, 0);
  copy_(shaped, g);
  return shaped;
}

Ref cut(Tensor* laid_out, const Region& r) {
  return as_strided(laid_out, r.shape, r.strides, laid_out->offset() + r.offset);
}

// The gradient of "base with a region replaced": the region's part belongs to
// the new values, the rest to the base as it was.
void record_replacement(Tensor* base, Tensor* value, const Region& r) {
  Ref renewed = alias(base);
  record("CopySlices", {base, value}, renewed, [r](Backward& b) {
    Ref laid_out = in_layout(to_parts(b.grad(), r.base_in_parts), r);
    if (b.needs(1)) b.set(1, from_parts(clone(cut(laid_out, r)), r.view_in_parts));
    if (b.needs(0)) {
      Ref region = cut(laid_out, r);
      copy_(region, zeros_like(region));
      b.set(0, from_parts(laid_out, r.base_in_parts));
    }
  });
  attach(base, as_node(renewed->grad_fn), renewed->output_nr);
}

}  // namespace

void mark_view(Tensor* view, Tensor* source) {
  Tensor* base = source->flags & kView ? source->base : source;
  // Bits seen as another type are not followed; the parts of complex numbers are.
  if (real_dtype(view->dtype()) != real_dtype(base->dtype())) return;
  Py_INCREF(reinterpret_cast<PyObject*>(base));
  view->base = base;
  view->flags |= kView | (source->flags & (kRestricted | kUnversioned));
  if (__builtin_expect(!grad_mode.enabled, 0))
    view->flags |= inference_memory ? kFromInference : kFromNoGrad;
  view->seen_rebase = base->rebase_count;
}

namespace {

// Filling writes one value everywhere, so shared elements do no harm; and some
// ops leave numbers of this type as they are.
bool may_share_elements(const char* op, Tensor* self) {
  if (self->numel() == 0 || !std::strcmp(op, "fill") || !std::strcmp(op, "zero")) return true;
  if (!std::strcmp(op, "conj_physical")) return !is_complex(self->dtype());
  return !std::strcmp(op, "nan_to_num") && !is_differentiable(self->dtype());
}

}  // namespace

void check_normal(const char* op, Tensor* self) {
  if (__builtin_expect(self->storage->inference && !inference_memory, 0))
    fail(
        ErrorKind::Runtime,
        "%s: in-place update of an inference tensor outside of inference mode is not allowed. Make "
        "a clone() of it to get a normal tensor first.",
        op);
}

void check_inplace(const char* op, Tensor* self) {
  for (int i = 0; i < self->ndim(); i++)
    if (self->stride(i) == 0 && self->size(i) > 1 && !may_share_elements(op, self))
      fail(ErrorKind::Runtime,
           "%s: unsupported operation: more than one element of the written-to tensor refers to a "
           "single "
           "memory location. Please clone() the tensor before performing the operation.",
           op);
  check_normal(op, self);
  if (__builtin_expect(grad_mode.watches_writes, 0)) tell_write_watcher(self);
  if (!grad_mode.enabled) return;
  if ((self->flags & kRestricted) && (requires_grad(self) || requires_grad(self->base)))
    fail_restricted(op, self, false);
  if (requires_grad(self) && !self->grad_fn)
    fail(ErrorKind::Runtime,
         "%s: a leaf Variable that requires grad is being used in an in-place operation.", op);
  if ((self->flags & kView) && requires_grad(self->base) && !self->base->grad_fn)
    fail(ErrorKind::Runtime,
         "%s: a view of a leaf Variable that requires grad is being used in an in-place operation.",
         op);
}

void fail_restricted(const char* op, Tensor* view, bool indirect) {
  const char* why =
      view->flags & kFromInference
          ? "It was created in inference mode; clone it, or do both in inference mode."
      : view->flags & kOneOfMany
          ? "This view is the output of a function that returns multiple views. Such functions do "
            "not allow the output views to be modified inplace. You should replace the inplace "
            "operation by an out-of-place one."
      : view->flags & kFromFunction
          ? "This view was created inside a custom Function (or because an input was returned "
            "as-is), and the gradient of that would be overridden. Clone the output of the "
            "Function."
          : "A view was created in no_grad mode and is being modified inplace with grad mode "
            "enabled. Move both the view and the write inside the no_grad block, or both outside.";
  std::string node = view->grad_fn ? as_node(view->grad_fn)->name() : "an op";
  fail(ErrorKind::Runtime, "%s: output %d of %s is a view and %s modified inplace. %s", op,
       int(view->output_nr), node.c_str(),
       indirect ? "its base or another view of its base has been" : "is being", why);
}

void rebase_history(Tensor* self, Tensor* result) {
  if (!requires_grad(result)) return;
  if (!(self->flags & kView)) {
    attach(self, as_node(result->grad_fn), result->output_nr);
    self->rebase_count++;
    return;
  }
  Tensor* base = self->base;
  record_replacement(base, result, region_of(self, base));
  base->rebase_count++;
  refresh_view(self);
}

void refresh_view(Tensor* view) {
  Tensor* base = view->base;
  if (!requires_grad(base)) {
    view->seen_rebase = base->rebase_count;
    return;
  }
  if (view->flags & kRestricted) fail_restricted("backward", view, true);
  view->seen_rebase = base->rebase_count;
  Region r = region_of(view, base);
  Ref renewed = alias(view);
  GradModeGuard on(true);
  record("AsStridedBackward0", {base}, renewed, [r](Backward& b) {
    Ref g = to_parts(b.grad(), r.view_in_parts);
    Ref laid_out = in_layout(zeros(g, r.base_shape), r);
    copy_(cut(laid_out, r), g);
    b.set(0, from_parts(laid_out, r.base_in_parts));
  });
  attach(view, as_node(renewed->grad_fn), renewed->output_nr);
}

}  // namespace flambeau
