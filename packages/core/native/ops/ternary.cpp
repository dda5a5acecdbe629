// Elementwise ops of three operands: where, clamp, lerp, addcmul, addcdiv.
#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/scalar_range.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

Operand operand(const Args& a, int i) {
  return a.tensor(i) ? Operand(a.tensor(i)) : Operand(a.scalar(i));
}

void expect(Node* n, int edge, Tensor* t, Tensor* y) {
  if (t && t->shape() != y->shape()) n->edges[edge].expect_shape(t->shape());
}

bool wants(const Operand& o) { return o.t && requires_grad(o.t); }

Ref where_impl(Tensor* condition, const Operand& a, const Operand& b, Tensor* destination) {
  if (condition->dtype() != FB_BOOL && condition->dtype() != FB_UINT8)
    fail(ErrorKind::Runtime,
         "where expected condition to be a boolean tensor, but got a tensor with dtype %s",
         info(condition->dtype()).legacy_name);
  Ref mask = condition->dtype() == FB_BOOL ? Ref(condition) : cast_values(condition, FB_BOOL);
  DType compute = result_type(a, b);
  Operand in[] = {mask, a, b};
  Ref y = elementwise({"where", kernel_id("where"), compute, compute, nullptr, destination, true},
                      in, 3);
  if (grad_mode.enabled && (wants(a) || wants(b)) && is_differentiable(compute)) {
    Node* n = record("WhereBackward0", {a.t, b.t}, y, [m = Saved(mask)](Backward& v) {
      Ref mask = v.get(m);
      if (v.needs(0)) v.set(0, where(mask, v.grad(), Scalar(0.0)));
      if (v.needs(1)) v.set(1, where(mask, Scalar(0.0), v.grad()));
    });
    expect(n, 0, a.t, y);
    expect(n, 1, b.t, y);
  }
  return y;
}

PyObject* run_where(Args& a) {
  return object(where_impl(a.tensor(0), operand(a, 1), operand(a, 2), a.destination));
}
// As a method it reads x.where(condition, other).
PyObject* run_where_method(Args& a) {
  return object(where_impl(a.tensor(1), operand(a, 0), operand(a, 2), a.destination));
}

PyObject* run_masked_fill(Args& a) {
  Tensor *self = a.tensor(0), *mask = a.tensor(1);
  if (mask->dtype() != FB_BOOL)
    fail(ErrorKind::Runtime, "masked_fill only supports boolean masks, but got mask with dtype %s",
         info(mask->dtype()).name);
  if (a.tensor(2) && a.tensor(2)->ndim() > 0)
    fail(ErrorKind::Runtime,
         "masked_fill only supports a 0-dimensional value tensor, but got tensor with %d "
         "dimension(s).",
         a.tensor(2)->ndim());
  return object(masked_fill(self, mask, operand(a, 2)));
}

// A bound is missing, a number or a tensor.
PyObject* run_clamp(Args& a) {
  Tensor* x = a.tensor(0);
  if (!a.given(1) && !a.given(2))
    fail(ErrorKind::Runtime, "clamp: At least one of 'min' or 'max' must not be None");
  if (is_complex(x->dtype()))
    fail(ErrorKind::NotImplemented, "clamp is not supported for complex types");
  bool absent[] = {false, !a.given(1), !a.given(2)};
  Operand lo = absent[1] ? Operand(Scalar()) : operand(a, 1);
  Operand hi = absent[2] ? Operand(Scalar()) : operand(a, 2);
  Operand in[] = {x, lo, hi};
  std::vector<Operand> present{Operand(x)};
  if (!absent[1]) present.push_back(lo);
  if (!absent[2]) present.push_back(hi);
  DType compute = result_type(present.data(), int(present.size()));
  if (compute == FB_BOOL) {  // which the kernel does not know
    Ref y = absent[1] ? Ref(x) : binary("maximum", x, lo);
    return object(absent[2] ? y : binary("minimum", y, hi));
  }
  Ref y = elementwise({"clamp", kernel_id("clamp"), compute, compute, nullptr, a.destination}, in,
                      3, absent);
  if (grad_mode.enabled && (requires_grad(x) || wants(lo) || wants(hi)) &&
      is_differentiable(compute)) {
    struct Bound {
      Saved t;
      Scalar s;
      bool absent, tensor;
    };
    Bound l{Saved(lo.t), lo.s, absent[1], lo.t != nullptr},
        h{Saved(hi.t), hi.s, absent[2], hi.t != nullptr};
    Node* n = record("ClampBackward1", {x, lo.t, hi.t}, y, [sx = Saved(x), l, h](Backward& v) {
      Ref x = v.get(sx), lt = v.get(l.t), ht = v.get(h.t);
      Operand lo = l.tensor ? Operand(lt) : Operand(l.s),
              hi = h.tensor ? Operand(ht) : Operand(h.s);
      Ref zero = zeros_like(v.grad());
      if (v.needs(0)) {
        Ref inside = l.absent ? Ref() : binary("ge", x, lo);
        Ref below = h.absent ? Ref() : binary("le", x, hi);
        Ref mask = !inside ? below : !below ? inside : binary("logical_and", inside, below);
        v.set(0, where(mask, v.grad(), zero));
      }
      Ref above_max = h.absent ? Ref() : binary("gt", x, hi);
      if (v.needs(1)) {
        Ref clipped = binary("lt", x, lo);
        if (!h.absent) clipped = binary("logical_and", clipped, binary("lt", lo, hi));
        v.set(1, where(clipped, v.grad(), zero));
      }
      if (v.needs(2)) {
        Ref clipped = above_max;
        if (!l.absent) clipped = binary("logical_or", clipped, binary("gt", lo, hi));
        v.set(2, where(clipped, v.grad(), zero));
      }
    });
    expect(n, 0, x, y);
    expect(n, 1, lo.t, y);
    expect(n, 2, hi.t, y);
  }
  return object(std::move(y));
}

// a + w (b - a)
PyObject* run_lerp(Args& a) {
  Tensor *x = a.tensor(0), *end = a.tensor(1);
  Operand w = operand(a, 2);
  if (x->dtype() != end->dtype())
    fail(ErrorKind::Runtime, "lerp: expected dtype %s for `end` but got dtype %s",
         info(x->dtype()).name, info(end->dtype()).name);
  Dims shape = broadcast_shapes("lerp", x->shape(), end->shape());
  if (w.t) (void)broadcast_shapes("lerp", shape, w.t->shape());
  if (!has_kernel(x->device, kernel_id("lerp"), x->dtype()))
    return object(add(x, mul(w, sub(end, x))));
  Operand in[] = {x, end, w};
  Ref y = elementwise({"lerp", kernel_id("lerp"), x->dtype(), x->dtype(), nullptr, a.destination},
                      in, 3);
  if (grad_mode.enabled && (requires_grad(x) || requires_grad(end) || wants(w))) {
    Node* n = record("LerpBackward0", {x, end, w.t}, y,
                     [sx = Saved(x), se = Saved(end), sw = Saved(w.t),
                      s = w.s.category == Category::Bool ? Scalar(w.s.f) : w.s,
                      t = w.t != nullptr](Backward& v) {
                       Ref wt = v.get(sw);
                       Operand w = t ? Operand(wt) : Operand(s);
                       if (v.needs(0)) v.set(0, mul(v.grad(), sub(1, w)));
                       if (v.needs(1)) v.set(1, mul(v.grad(), w));
                       if (v.needs(2)) v.set(2, mul(v.grad(), sub(v.get(se), v.get(sx))));
                     });
    expect(n, 0, x, y);
    expect(n, 1, end, y);
    expect(n, 2, w.t, y);
  }
  return object(std::move(y));
}

// The factor in the operands' own type: among whole numbers its fraction is dropped.
Scalar whole_factor(Args& a) {
  Scalar value = a.scalar(3);
  bool any = false, truths = true;
  for (int i = 0; i < 3; i++) {
    any |= is_differentiable(a.tensor(i)->dtype());
    truths &= a.tensor(i)->dtype() == FB_BOOL;
  }
  if (truths) fail(ErrorKind::NotImplemented, "\"addcmul\" not implemented for 'Bool'");
  if (any || value.category <= Category::Integer) return value;
  if (value.category == Category::Complex)
    fail(ErrorKind::Runtime, "addcmul: value cannot be converted to an integer without overflow");
  return value.i;
}

// Tensor i in the type that the three have in common: the product is made in it, too.
Ref in_common_type(Args& a, int i) {
  ResultType common;
  for (int k = 0; k < 3; k++) common.add_tensor(a.tensor(k)->dtype(), a.tensor(k)->ndim());
  return to_dtype(a.tensor(i), common.get());
}

// self + value * (b * c), self + value * (b / c)
PyObject* run_addcmul(Args& a) {
  Scalar value = whole_factor(a);
  Ref product = mul(in_common_type(a, 1), in_common_type(a, 2));
  return object(add(a.tensor(0), value.equals(1) ? product : mul(product, Operand(value))));
}
PyObject* run_addcdiv(Args& a) {
  if (!is_differentiable(a.tensor(1)->dtype()) && !is_differentiable(a.tensor(2)->dtype()))
    fail(ErrorKind::Runtime, "addcdiv: integer division with addcdiv is not supported");
  Ref ratio = div(in_common_type(a, 1), in_common_type(a, 2));
  Scalar value = a.scalar(3);
  return object(add(a.tensor(0), value.equals(1) ? ratio : mul(ratio, Operand(value))));
}

}  // namespace

Ref where(Tensor* condition, const Operand& a, const Operand& b) {
  return where_impl(condition, a, b, nullptr);
}

Ref masked_fill(Tensor* self, Tensor* mask, const Operand& value) {
  if (value.t && is_complex(value.t->dtype()) && !is_complex(self->dtype()))
    fail(ErrorKind::Runtime, "masked_fill: value cannot be converted to type %s without overflow",
         info(self->dtype()).legacy_name);
  if (!value.t) check_holds(self->dtype(), value.s);
  if (value.t && value.t->device->host_memory && is_integral(self->dtype()))
    check_holds(self->dtype(), item(value.t));
  if (!value.t) {
    Operand in[] = {mask, value, Operand(self)};
    Ref y = elementwise(
        {"masked_fill", kernel_id("where"), self->dtype(), self->dtype(), nullptr, nullptr, true},
        in, 3);
    if (records(self)) {
      Node* n = record("MaskedFillBackward0", {self}, y, [m = Saved(mask)](Backward& b) {
        b.set(0, masked_fill(b.grad(), b.get(m), Operand(0)));
      });
      if (self->shape() != y->shape()) n->edges[0].expect_shape(self->shape());
    }
    return y;
  }
  // The tensor's own type wins over the value's.
  return where(mask, to_dtype(value.t, self->dtype()), self);
}

void declare_ternary() {
  declare("where(Tensor condition, Operand self, Operand other)", run_where, kFunction | kOut);
  declare_method("where(Tensor self, Tensor condition, Operand other)", run_where_method);
  declare("masked_fill(Tensor self, Tensor mask, Operand value)", run_masked_fill,
          kBoth | kInPlace | kPointwise);
  for (const char* name : {"clamp", "clip"})
    declare(std::string(name) + "(Tensor self, Operand? min=None, Operand? max=None)", run_clamp,
            kElementwise);
  declare("lerp(Tensor self, Tensor end, Operand weight)", run_lerp, kElementwise);
  declare("addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1)", run_addcmul,
          kElementwise);
  declare("addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1)", run_addcdiv,
          kElementwise);
}

}  // namespace flambeau
