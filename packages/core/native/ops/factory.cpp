// Tensors made from nothing: empty, zeros, ones, full, arange, linspace and the
// forms that follow another tensor.
#include <cmath>

#include "dispatch/call.h"
#include "dispatch/promotion.h"
#include "ops/elementwise.h"
#include "ops/factory.h"
#include "ops/op.h"
#include "ops/scalar_range.h"
#include "ops/scalars.h"

namespace flambeau {

Ref full(Ints shape, const Scalar& s, DType d, Device device) {
  Ref t = empty(shape, d, device);
  fill_values(t, s);
  return t;
}

Ref zeros(Tensor* like, Ints shape) {
  Ref t = empty_like(like, shape);
  fill_values(t, Scalar(0.0));
  return t;
}

Ref zeros_like(Tensor* t) { return zeros(t, t->shape()); }

Ref scalar_tensor(const Scalar& s, DType d, Device device) { return full(Ints(), s, d, device); }

Ref arange(const Scalar& start, const Scalar& end, const Scalar& step, DType d, Device device) {
  if (step.is_zero()) fail(ErrorKind::Runtime, "arange: step must be nonzero");
  if (is_complex(d) || d == FB_BOOL)
    fail(ErrorKind::NotImplemented, "arange: not implemented for '%s'", info(d).legacy_name);
  if (!std::isfinite(start.f) || !std::isfinite(end.f))
    fail(ErrorKind::Runtime, "arange: unsupported range: %g -> %g", start.f, end.f);
  if ((step.f > 0 && start.f > end.f) || (step.f < 0 && start.f < end.f))
    fail(ErrorKind::Runtime, "arange: upper bound and lower bound inconsistent with step sign");
  // Counted in the type itself where that is int64, in float64 otherwise.
  int64_t n;
  if (d == FB_INT64) {
    if (step.i == 0) fail(ErrorKind::Value, "arange: step must be nonzero");
    int64_t span, by = step.i;
    if (__builtin_sub_overflow(end.i, start.i, &span) ||
        __builtin_add_overflow(span, by - (by > 0 ? 1 : -1), &n) || n == INT64_MIN)
      fail(ErrorKind::Runtime, "arange: invalid size, possible overflow: %lld -> %lld",
           static_cast<long long>(start.i), static_cast<long long>(end.i));
    n /= by;
  } else {
    n = int64_t(std::ceil((end.f - start.f) / step.f));
  }
  Ref t = empty(Ints(&n, 1), d, device);
  if (n == 0) return t;
  fb_param p[4];
  p[0].f = start.f, p[1].f = step.f, p[2].i = start.i, p[3].i = step.i;
  fb_array* outs[] = {&t->arr};
  call_kernel(t->device, {kernel_id("arange"), d, outs, 1, nullptr, 0, p});
  return t;
}

Ref with_grad(Ref t, bool wanted) {
  if (wanted) {
    if (!is_differentiable(t->dtype()))
      fail(ErrorKind::Runtime,
           "only Tensors of floating point and complex dtype can require gradients");
    t->flags |= kRequiresGrad;
  }
  return t;
}

namespace {

const std::string options =
    ", *, dtype? dtype=None, device? device=None, bool requires_grad=False)";

// Where the options of a factory begin in its argument list.
template <int first>
Ref finish(Args& a, Ref t) {
  return with_grad(std::move(t), a.flag(first + 2));
}

DType number_dtype(const Scalar& s) {
  return s.category == Category::Bool       ? FB_BOOL
         : s.category == Category::Integer  ? FB_INT64
         : s.category == Category::Floating ? default_dtype()
                                            : complex_dtype(default_dtype());
}

// The type asked for, or that of out=, or the usual one.
DType wanted_dtype(Args& a, int i, DType usual) {
  return a.given(i) || !a.destination ? a.dtype(i, usual) : a.destination->dtype();
}

PyObject* run_empty(Args& a) {
  return object(finish<1>(a, empty_in(a.memory_format(MemoryFormat::Contiguous), a.ints(0),
                                      wanted_dtype(a, 1, default_dtype()), a.device(2))));
}
PyObject* run_zeros(Args& a) {
  return object(finish<1>(a, full(a.ints(0), 0, wanted_dtype(a, 1, default_dtype()), a.device(2))));
}
PyObject* run_ones(Args& a) {
  return object(finish<1>(a, full(a.ints(0), 1, wanted_dtype(a, 1, default_dtype()), a.device(2))));
}
// As users fill tensors: with numbers that the type can hold.
Ref filled(Ints shape, const Scalar& s, DType d, Device device) {
  check_holds(d, s);
  return full(shape, s, d, device);
}

PyObject* run_full(Args& a) {
  Scalar s = a.scalar(1);
  DType d = wanted_dtype(a, 2, number_dtype(s));
  return object(finish<2>(a, filled(a.ints(0), s, d, a.device(3))));
}

Device device_like(Args& a, int i, Tensor* t) {
  return a.given(i) ? a.device(i) : Device{t->device, t->device_index()};
}

struct LikeRow {
  const char* name;
  int value;  // -1: unset
};
constexpr LikeRow like_rows[] = {{"empty", -1}, {"zeros", 0}, {"ones", 1}};

// Unset, of a tensor's shape; the options begin at argument `first`.
Ref unset_like(Args& a, int first) {
  Tensor* t = a.tensor(0);
  return empty_in(a.memory_format(MemoryFormat::Preserve), t, a.dtype(first, t->dtype()),
                  device_like(a, first + 1, t));
}

PyObject* run_like(Args& a) {
  auto& r = *static_cast<const LikeRow*>(a.row);
  Ref y = unset_like(a, 1);
  if (r.value >= 0) fill_values(y, r.value);
  return object(finish<1>(a, std::move(y)));
}
PyObject* run_full_like(Args& a) {
  Scalar s = a.scalar(1);
  Ref y = unset_like(a, 2);
  check_holds(y->dtype(), s);
  fill_values(y, s);
  return object(finish<2>(a, std::move(y)));
}
PyObject* run_new(Args& a) {
  auto& r = *static_cast<const LikeRow*>(a.row);
  Tensor* t = a.tensor(0);
  DType d = a.dtype(2, t->dtype());
  Device device = device_like(a, 3, t);
  Ref y = r.value < 0 ? empty(a.ints(1), d, device) : full(a.ints(1), r.value, d, device);
  return object(finish<2>(a, std::move(y)));
}
PyObject* run_new_full(Args& a) {
  Tensor* t = a.tensor(0);
  return object(
      finish<3>(a, filled(a.ints(1), a.scalar(2), a.dtype(3, t->dtype()), device_like(a, 4, t))));
}

DType range_dtype(const Scalar& a, const Scalar& b, const Scalar& c) {
  return a.category <= Category::Integer && b.category <= Category::Integer &&
                 c.category <= Category::Integer
             ? FB_INT64
             : default_dtype();
}
PyObject* run_arange_end(Args& a) {
  Scalar end = a.scalar(0), start(0), step(1);
  return object(finish<1>(
      a, arange(start, end, step, wanted_dtype(a, 1, range_dtype(start, end, step)), a.device(2))));
}
PyObject* run_arange(Args& a) {
  Scalar start = a.scalar(0), end = a.scalar(1), step = a.scalar(2);
  return object(finish<3>(
      a, arange(start, end, step, wanted_dtype(a, 3, range_dtype(start, end, step)), a.device(4))));
}

// An end of a range: a number, or a tensor without dimensions.
Scalar bound(Args& a, int i) {
  Tensor* t = a.tensor(i);
  if (t && t->ndim() > 0)
    fail(ErrorKind::Runtime,
         "%s only supports 0-dimensional start and end tensors, but got a tensor of shape %s",
         a.op->name, to_string(t->shape()).c_str());
  return t ? item(t) : a.scalar(i);
}

PyObject* run_linspace(Args& a) {
  Scalar start = bound(a, 0), end = bound(a, 1);
  int64_t n = a.integer(2);
  if (n < 0) fail(ErrorKind::Runtime, "linspace: number of steps must be non-negative");
  bool complex = start.category == Category::Complex || end.category == Category::Complex;
  DType d = wanted_dtype(a, 3, complex ? complex_dtype(default_dtype()) : default_dtype());
  Device device = a.device(4);
  if (is_complex(d)) {
    // A straight line in the plane, from real weights.
    Ref w = full(Ints(&n, 1), 0, real_dtype(d), device);
    fb_param p[2];
    p[0].f = 0, p[1].f = 1;
    fb_array* outs[] = {&w->arr};
    if (n) call_kernel(w->device, {kernel_id("linspace"), w->dtype(), outs, 1, nullptr, 0, p});
    Ref line =
        add(mul(w, Operand(Scalar(std::complex<double>(end.f - start.f, end.imag - start.imag)))),
            Operand(Scalar(std::complex<double>(start.f, start.imag))));
    return object(finish<3>(a, to_dtype(line, d)));
  }
  Ref t = empty(Ints(&n, 1), d, device);
  if (n > 0) {
    fb_param p[2];
    // A line between whole numbers starts and ends at the whole part.
    p[0].f = is_integral(d) ? double(start.i) : start.f;
    p[1].f = is_integral(d) ? double(end.i) : end.f;
    fb_array* outs[] = {&t->arr};
    call_kernel(t->device, {kernel_id("linspace"), d, outs, 1, nullptr, 0, p});
  }
  return object(finish<3>(a, std::move(t)));
}

PyObject* run_scalar_tensor(Args& a) {
  return object(finish<1>(a, scalar_tensor(a.scalar(0), a.dtype(1, default_dtype()), a.device(2))));
}

PyObject* run_empty_strided(Args& a) {
  Ints shape = a.ints(0), strides = a.ints(1);
  if (shape.n != strides.n)
    fail(ErrorKind::Runtime,
         "empty_strided: dimensionality of sizes %s must match that of strides %s",
         to_string(shape).c_str(), to_string(strides).c_str());
  for (int64_t s : strides)
    if (s < 0)
      fail(ErrorKind::Runtime, "empty_strided: strides must not be negative, got %s",
           to_string(strides).c_str());
  int64_t need = checked_extent(shape, strides);
  Ref block = empty(Ints(&need, 1), a.dtype(2, default_dtype()), a.device(3));
  return object(finish<2>(a, alias(block, shape, strides, block->arr.data)));
}

}  // namespace

void declare_factory() {
  declare("empty(int[]* size" + options, run_empty, kFunction | kOut | kExactOut);
  declare("zeros(int[]* size" + options, run_zeros, kFunction | kOut | kExactOut);
  declare("ones(int[]* size" + options, run_ones, kFunction | kOut | kExactOut);
  declare("full(int[] size, Scalar fill_value" + options, run_full, kFunction | kOut | kExactOut);
  declare("empty_strided(int[] size, int[] stride" + options, run_empty_strided, kFunction);
  declare("scalar_tensor(Scalar s" + options, run_scalar_tensor, kFunction);
  for (const LikeRow& r : like_rows) {
    std::string name = r.name;
    declare(name + "_like(Tensor self" + options, run_like, kFunction, &r);
    declare("new_" + name + "(Tensor self, int[]* size" + options, run_new, kMethod, &r);
  }
  declare("full_like(Tensor self, Scalar fill_value" + options, run_full_like, kFunction);
  declare("new_full(Tensor self, int[] size, Scalar fill_value" + options, run_new_full, kMethod);
  declare("arange(Scalar end" + options, run_arange_end, kFunction | kOut | kExactOut);
  declare("arange(Scalar start, Scalar end, Scalar step=1" + options, run_arange,
          kFunction | kOut | kExactOut);
  declare("linspace(Operand start, Operand end, int steps" + options, run_linspace,
          kFunction | kOut | kExactOut);
}

}  // namespace flambeau
