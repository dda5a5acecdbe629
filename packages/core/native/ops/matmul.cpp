// Matrix products: one kernel call on [B, m, k] x [B, k, n], and the many
// shapes that people write it in.
#include <algorithm>

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/interception.h"
#include "ops/op.h"
#include "ops/operators.h"

namespace flambeau {
namespace {

void check_types(const char* op, Tensor* a, Tensor* b) {
  if (a->dtype() != b->dtype())
    fail(ErrorKind::Runtime, "%s: expected m1 and m2 to have the same dtype, but got: %s != %s", op,
         info(a->dtype()).name, info(b->dtype()).name);
  check_same_device(op, a, b);
}

[[noreturn]] void fail_shapes(Tensor* a, Tensor* b) {
  fail(ErrorKind::Runtime,
       "mm: mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
       static_cast<long long>(a->size(0)), static_cast<long long>(a->size(1)),
       static_cast<long long>(b->size(0)), static_cast<long long>(b->size(1)));
}

// A matrix or a stack of them as the kernel wants it: three dimensions.
struct Stack {
  fb_array array;
  int64_t shape[3], strides[3];
  Stack(Tensor* t) : array(t->arr) {
    int lead = 3 - t->ndim();
    shape[0] = 1;
    strides[0] = 0;
    for (int i = 0; i < t->ndim(); i++) {
      shape[lead + i] = t->size(i);
      strides[lead + i] = t->stride(i);
    }
    array.shape = shape;
    array.strides = strides;
    array.ndim = 3;
  }
};

void multiply(Tensor* y, Tensor* a, Tensor* b) {
  if (y->numel() == 0) return;
  Stack sy(y), sa(a), sb(b);
  int64_t m = sa.shape[1], k = sa.shape[2], n = sb.shape[2];
  if (k == 0) return fill_values(y, Scalar(0.0));
  fb_array* outs[] = {&sy.array};
  const fb_array* ins[] = {&sa.array, &sb.array};
  call_kernel(y->device, {kernel_id("matmul"), y->dtype(), outs, 1, ins, 2, nullptr,
                          sy.shape[0] * m * n * k / 8});
}

// The conjugate transpose of the last two dimensions.
Ref adjoint(Tensor* t) { return conjugate(transpose(t, -2, -1)); }

// Two matrices, or two stacks of equally many.
Ref product(const char* node, Tensor* a, Tensor* b) {
  Dims shape(a->shape());
  shape[shape.n - 1] = b->size(b->ndim() - 1);
  Ref y = empty_like(a, shape);
  multiply(y, a, b);
  if (records(a, b)) {
    bool da = requires_grad(a), db = requires_grad(b);
    record(node, {a, b}, y,
           [node, sa = db ? Saved(a) : Saved(), sb = da ? Saved(b) : Saved()](Backward& v) {
             if (v.needs(0)) v.set(0, product(node, v.grad(), adjoint(v.get(sb))));
             if (v.needs(1)) v.set(1, product(node, adjoint(v.get(sa)), v.grad()));
           });
  }
  return y;
}

Ref mm(Tensor* a, Tensor* b) {
  check_types("mm", a, b);
  if (a->size(1) != b->size(0)) fail_shapes(a, b);
  return product("MmBackward0", a, b);
}

Ref bmm(Tensor* a, Tensor* b) {
  check_types("bmm", a, b);
  if (a->size(0) != b->size(0) || a->size(2) != b->size(1))
    fail(ErrorKind::Runtime,
         "bmm: Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] but "
         "got: [%lld, %lld].",
         static_cast<long long>(a->size(0)), static_cast<long long>(a->size(2)),
         static_cast<long long>(b->size(0)), static_cast<long long>(b->size(1)));
  return product("BmmBackward0", a, b);
}

Ref dot(Tensor* a, Tensor* b) {
  check_types("dot", a, b);
  if (a->size(0) != b->size(0))
    fail(ErrorKind::Runtime,
         "dot: inconsistent tensor size, expected tensor [%lld] and src [%lld] to have the same "
         "number of elements, but got "
         "%lld and %lld elements respectively",
         static_cast<long long>(a->size(0)), static_cast<long long>(b->size(0)),
         static_cast<long long>(a->size(0)), static_cast<long long>(b->size(0)));
  Ref y = empty_like(a, Ints());
  int64_t n = a->size(0), row[3] = {1, 1, n}, column[3] = {1, n, 1}, one[3] = {1, 1, 1};
  int64_t ra[3] = {0, 0, a->stride(0)}, cb[3] = {0, b->stride(0), 0}, none[3] = {1, 1, 1};
  if (n == 0) {
    fill_values(y, Scalar(0.0));
  } else {
    fb_array ay = y->arr, aa = a->arr, ab = b->arr;
    ay.shape = one, ay.strides = none, ay.ndim = 3;
    aa.shape = row, aa.strides = ra, aa.ndim = 3;
    ab.shape = column, ab.strides = cb, ab.ndim = 3;
    fb_array* outs[] = {&ay};
    const fb_array* ins[] = {&aa, &ab};
    call_kernel(a->device, {kernel_id("matmul"), a->dtype(), outs, 1, ins, 2, nullptr, n});
  }
  if (records(a, b))
    record("DotBackward0", {a, b}, y, [sa = Saved(a), sb = Saved(b)](Backward& v) {
      if (v.needs(0)) v.set(0, mul(v.grad(), conjugate(v.get(sb))));
      if (v.needs(1)) v.set(1, mul(v.grad(), conjugate(v.get(sa))));
    });
  return y;
}

void want_dims(const char* op, const char* what, Tensor* t, int n) {
  if (t->ndim() != n)
    fail(ErrorKind::Runtime, "%s: %s must be a %dD tensor, but got %dD with shape %s", op, what, n,
         t->ndim(), to_string(t->shape()).c_str());
}

Ref matmul_batched(Tensor* a, Tensor* b) {
  Ints sa = a->shape(), sb = b->shape();
  int64_t m = sa[sa.n - 2], k = sa[sa.n - 1], kb = sb[sb.n - 2], n = sb[sb.n - 1];
  if (k != kb)
    fail(ErrorKind::Runtime,
         "matmul: mat1 and mat2 shapes cannot be multiplied: expected size for the second "
         "operand's dimension -2 to be %lld, "
         "got %lld (shapes %s and %s)",
         static_cast<long long>(k), static_cast<long long>(kb), to_string(sa).c_str(),
         to_string(sb).c_str());
  Dims batch = broadcast_shapes("matmul", {sa.p, sa.n - 2}, {sb.p, sb.n - 2});
  int64_t count = numel_of(batch);
  auto stacked = [&](Tensor* t, int64_t rows, int64_t columns) {
    Dims full(batch);
    full.push(rows);
    full.push(columns);
    return reshape(expand(t, full), {count, rows, columns});
  };
  Ref y = bmm(stacked(a, m, k), stacked(b, k, n));
  Dims out(batch);
  out.push(m);
  out.push(n);
  return reshape(y, out);
}

}  // namespace

Ref matmul(Tensor* a, Tensor* b) {
  int na = a->ndim(), nb = b->ndim();
  if (na == 0 || nb == 0)
    fail(ErrorKind::Runtime,
         "matmul: both arguments need to be at least 1D, but they are %dD and %dD", na, nb);
  check_types("matmul", a, b);
  if (na == 2 && nb == 2) return mm(a, b);
  if (na == 1 && nb == 1) return dot(a, b);
  if (na == 1 && nb == 2) return squeeze(mm(unsqueeze(a, 0), b), {0});
  if (na == 2 && nb == 1) {
    if (a->size(1) != b->size(0))
      fail(ErrorKind::Runtime, "mv: size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)",
           static_cast<long long>(a->size(0)), static_cast<long long>(a->size(0)),
           static_cast<long long>(a->size(1)), static_cast<long long>(b->size(0)));
    return squeeze(mm(a, unsqueeze(b, 1)), {1});
  }
  if (nb <= 2) {
    // A stack of matrices times one matrix: one product of all their rows.
    Ref matrix = nb == 1 ? unsqueeze(b, 1) : Ref(b);
    Dims out(a->shape());
    int64_t k = a->size(na - 1), rows = 1;
    for (int i = 0; i + 1 < na; i++) rows *= a->size(i);
    Ref y = mm(reshape(a, {rows, k}), matrix);
    out[na - 1] = matrix->size(1);
    if (nb == 1) out.n--;
    return reshape(y, out);
  }
  if (na == 1) {
    Ref y = matmul_batched(unsqueeze(a, 0), b);
    return squeeze(y, {-2});
  }
  return matmul_batched(a, b);
}

namespace {

PyObject* run_matmul(Args& a) { return object(matmul(a.tensor(0), a.tensor(1))); }
PyObject* run_mm(Args& a) {
  want_dims("mm", "self", a.tensor(0), 2);
  want_dims("mm", "mat2", a.tensor(1), 2);
  return object(mm(a.tensor(0), a.tensor(1)));
}
PyObject* run_bmm(Args& a) {
  want_dims("bmm", "batch1", a.tensor(0), 3);
  want_dims("bmm", "batch2", a.tensor(1), 3);
  return object(bmm(a.tensor(0), a.tensor(1)));
}
PyObject* run_mv(Args& a) {
  want_dims("mv", "input", a.tensor(0), 2);
  want_dims("mv", "vec", a.tensor(1), 1);
  return object(matmul(a.tensor(0), a.tensor(1)));
}
PyObject* run_dot(Args& a) {
  if (a.tensor(0)->ndim() != 1 || a.tensor(1)->ndim() != 1)
    fail(ErrorKind::Runtime, "1D tensors expected, but got %dD and %dD tensors",
         a.tensor(0)->ndim(), a.tensor(1)->ndim());
  return object(dot(a.tensor(0), a.tensor(1)));
}

// beta * self + alpha * product; a beta of 0 ignores self, NaN and all.
Ref blend(Tensor* self, Ref y, const Scalar& beta, const Scalar& alpha) {
  DType d = y->dtype();
  if (info(d).category <= Category::Integer &&
      (beta.category > Category::Integer || alpha.category > Category::Integer))
    fail(
        ErrorKind::Runtime,
        "For integral input tensors, arguments beta and alpha must not be floating point numbers.");
  if (!alpha.equals(1)) y = mul(y, Operand(alpha));
  if (beta.is_zero()) {
    (void)broadcast_shapes("addmm", self->shape(), y->shape());
    return y;
  }
  Ref base = beta.equals(1) ? Ref(self) : mul(self, Operand(beta));
  if (base->ndim() > y->ndim() ||
      Ints(broadcast_shapes("addmm", base->shape(), y->shape())) != y->shape())
    fail(ErrorKind::Runtime,
         "addmm: The expanded size of the tensor must match the existing size. Target sizes: %s. "
         "Tensor sizes: %s",
         to_string(y->shape()).c_str(), to_string(self->shape()).c_str());
  return add(base, y);
}

// Sixteen bits are widened on the way, so that the sum alone is rounded.
template <class Product>
Ref blended(Tensor* self, Tensor* a, Tensor* b, const Scalar& beta, const Scalar& alpha,
            Product&& product) {
  DType d = a->dtype();
  if ((d != FB_FLOAT16 && d != FB_BFLOAT16) || b->dtype() != d || self->dtype() != d)
    return blend(self, product(a, b), beta, alpha);
  Ref wide = product(to_dtype(a, FB_FLOAT32), to_dtype(b, FB_FLOAT32));
  return to_dtype(blend(to_dtype(self, FB_FLOAT32), wide, beta, alpha), d);
}

PyObject* run_addmm(Args& a) {
  want_dims("addmm", "mat1", a.tensor(1), 2);
  want_dims("addmm", "mat2", a.tensor(2), 2);
  check_same_device("addmm", a.tensor(1), a.tensor(0));
  if (a.tensor(0)->dtype() != a.tensor(1)->dtype())
    fail(ErrorKind::Runtime, "addmm: self and mat2 must have the same dtype, but got %s and %s",
         info(a.tensor(0)->dtype()).legacy_name, info(a.tensor(1)->dtype()).legacy_name);
  return object(blended(a.tensor(0), a.tensor(1), a.tensor(2), a.scalar(3), a.scalar(4), mm));
}
// A factor of integers loses its fraction, of baddbmm alone: addmm refuses it.
Scalar within(const Scalar& factor, DType d) {
  bool whole = info(d).category <= Category::Integer && factor.category == Category::Floating;
  return whole ? Scalar(factor.i) : factor;
}
PyObject* run_baddbmm(Args& a) {
  want_dims("baddbmm", "batch1", a.tensor(1), 3);
  want_dims("baddbmm", "batch2", a.tensor(2), 3);
  DType d = a.tensor(1)->dtype();
  return object(blended(a.tensor(0), a.tensor(1), a.tensor(2), within(a.scalar(3), d),
                        within(a.scalar(4), d), bmm));
}

// ---- linear: x w^T + b in one kernel ----

Ref linear_2d(Tensor* x, Tensor* w, Tensor* bias) {
  Ref y = empty_like(x, {x->size(0), w->size(0)});
  if (y->numel()) {
    fb_array* outs[] = {&y->arr};
    const fb_array* ins[] = {&x->arr, &w->arr, bias ? &bias->arr : nullptr};
    call_kernel(x->device, {kernel_id("linear"), x->dtype(), outs, 1, ins, 3, nullptr,
                            y->numel() * x->size(1) / 8});
  }
  if (records(x, w, bias)) {
    bool dx = requires_grad(x), dw = requires_grad(w);
    record(bias ? "AddmmBackward0" : "MmBackward0", {x, w, bias}, y,
           [sx = dw ? Saved(x) : Saved(), sw = dx ? Saved(w) : Saved()](Backward& v) {
             const Ref& g = v.grad();
             if (v.needs(0)) v.set(0, product("MmBackward0", g, conjugate(v.get(sw))));
             if (v.needs(1))
               v.set(1, product("MmBackward0", transpose(g, 0, 1), conjugate(v.get(sx))));
             if (v.needs(2)) v.set(2, sum(g, {0}, false));
           });
  }
  return y;
}

PyObject* run_linear(Args& a) {
  Tensor *x = a.tensor(0), *w = a.tensor(1), *bias = a.tensor(2);
  check_types("linear", x, w);
  if (bias) check_types("linear", x, bias);
  if (x->ndim() == 0 || w->ndim() > 2)
    fail(ErrorKind::Runtime,
         "linear: both arguments to linear need to be at least 1D and weight at most 2D, got "
         "shapes %s and %s",
         to_string(x->shape()).c_str(), to_string(w->shape()).c_str());
  int64_t k = x->size(x->ndim() - 1);
  bool plain = w->ndim() == 2 && (!bias || (bias->ndim() == 1 && bias->contiguous()));
  if (plain && (k != w->size(1) || (bias && bias->size(0) != w->size(0)))) {
    int64_t rows = k ? x->numel() / k : 0;
    fail(ErrorKind::Runtime,
         "linear: mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld) (input %s, "
         "weight %s, bias %s)",
         static_cast<long long>(rows), static_cast<long long>(k),
         static_cast<long long>(w->size(1)), static_cast<long long>(w->size(0)),
         to_string(x->shape()).c_str(), to_string(w->shape()).c_str(),
         bias ? to_string(bias->shape()).c_str() : "None");
  }
  if (!plain || !has_kernel(x->device, kernel_id("linear"), x->dtype())) {
    Ref y = matmul(x, w->ndim() == 2 ? transpose(w, 0, 1) : Ref(w));
    return object(bias ? add(y, bias) : y);
  }
  if (x->ndim() == 2) return object(linear_2d(x, w, bias));
  Dims out(x->shape());
  out[out.n - 1] = w->size(0);
  int64_t rows = 1;
  for (int i = 0; i + 1 < x->ndim(); i++) rows *= x->size(i);
  return object(reshape(linear_2d(reshape(x, {rows, k}), w, bias), out));
}

}  // namespace

PyObject* operators::matmul(PyObject* x, PyObject* y) {
  if (!is_tensor(x) || !is_tensor(y))
    return guarded([&]() -> PyObject* { return show_foreign("matmul", x, y); });
  return guarded([&] {
    Ref a(as_tensor(x)), b(as_tensor(y));
    if (__builtin_expect((flags_of(x, y) | attention) != 0, 0)) {
      if (PyObject* shown = show_operator("matmul", x, y)) return shown;
    }
    if (__builtin_expect(attention & kAutocast, 0)) {
      a = autocast_tensor(a, Autocast::Lower);
      b = autocast_tensor(b, Autocast::Lower);
    }
    return object(flambeau::matmul(a, b));
  });
}

void declare_matmul() {
  declare("matmul(Tensor self, Tensor other)", run_matmul, kBoth | kOut);
  declare("mm(Tensor self, Tensor mat2)", run_mm, kBoth | kOut);
  declare("bmm(Tensor self, Tensor mat2)", run_bmm, kBoth | kOut);
  declare("mv(Tensor self, Tensor vec)", run_mv, kBoth | kOut);
  declare("dot(Tensor self, Tensor tensor)", run_dot, kBoth | kOut);
  declare("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1)",
          run_addmm, kAllForms);
  declare("baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1)",
          run_baddbmm, kAllForms);
  declare("linear(Tensor input, Tensor weight, Tensor? bias=None)", run_linear,
          kFunction | kNeural | kOut | kExactOut);
  set_autocast(Autocast::Lower, {"matmul", "mm", "bmm", "mv", "dot", "addmm", "baddbmm", "linear"});
}

}  // namespace flambeau
