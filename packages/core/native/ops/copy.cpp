// Copies, conversions of type and device, filling, single elements.
#include <cstring>

#include "dispatch/call.h"
#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/scalar_range.h"
#include "ops/scalars.h"
#include "ops/view.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

bool on_same_device(Tensor* a, Tensor* b) {
  return a->device == b->device && a->arr.device_index == b->arr.device_index;
}

// Where a tensor's first element lies in its storage, in bytes.
int64_t byte_offset(Tensor* t) {
  return static_cast<char*>(t->arr.data) - static_cast<char*>(t->storage->data);
}

Ref dense(Tensor* t, DType d) {
  if (t->contiguous() && t->dtype() == d) return Ref(t);
  Ref out = empty_like(t, t->shape(), d);
  copy_values(out, t);
  return out;
}

// Bytes travel between devices through host memory.
void transfer(Tensor* to, Tensor* from) {
  int64_t nbytes = from->numel() * itemsize(from->dtype());
  if (nbytes == 0) return;
  Backend* source = from->device->opened();
  Backend* target = to->device->opened();
  if (to->device->host_memory) {
    source->copy_to_host(from->device_index(), from->storage->data, from->storage->buffer,
                         byte_offset(from), to->arr.data, nbytes);
  } else if (from->device->host_memory) {
    target->copy_from_host(to->device_index(), to->storage->data, to->storage->buffer,
                           byte_offset(to), from->arr.data, nbytes);
  } else {
    Ref staged = empty(from->shape(), from->dtype(), Device{cpu_device(), 0});
    transfer(staged, from);
    transfer(to, staged);
  }
}

// A wide unsigned tensor's memory as signed integers.
Ref as_signed(Tensor* t) {
  Ref y = alias(t);
  y->arr.dtype = uint8_t(signed_twin(t->dtype()));
  return y;
}

// No kernel knows the wide unsigned types: they are cast by way of int64.
void copy_unsigned(Tensor* to, Tensor* from) {
  GradModeGuard off(false);
  if (to->dtype() == from->dtype()) return copy_values(as_signed(to), as_signed(from));
  if (!is_wide_unsigned(from->dtype()))
    return copy_values(as_signed(to), cast_values(from, FB_INT64));
  Ref whole = cast_values(as_signed(from), FB_INT64);
  if (from->dtype() != FB_UINT64) {
    const int64_t ones = from->dtype() == FB_UINT16 ? 0xffff : 0xffffffff;
    whole = binary("bitwise_and", whole, Operand(Scalar(ones)));
  } else if (is_differentiable(to->dtype())) {
    Ref wide = cast_values(whole, FB_FLOAT64);
    whole = where(binary("lt", whole, 0), add(wide, Operand(0x1p64)), wide);
  }
  if (is_wide_unsigned(to->dtype())) return copy_values(as_signed(to), whole);
  copy_values(to, whole);
}

// No kernel knows complex32: its parts are copied, and cast by way of complex64.
void copy_by_parts(Tensor* to, Tensor* from) {
  GradModeGuard off(false);
  if (to->dtype() == FB_COMPLEX32 && from->dtype() == FB_COMPLEX32)
    return copy_values(real_view(to), real_view(from));
  if (to->dtype() == FB_COMPLEX32)
    return copy_values(real_view(to), real_view(cast_values(from, FB_COMPLEX64)));
  Ref wide = empty_like(from, from->shape(), FB_COMPLEX64);
  copy_values(real_view(wide), real_view(from));
  copy_values(to, wide);
}

}  // namespace

void copy_values(Tensor* to, Tensor* from) {
  if (to->numel() == 0 || to == from) return;
  if (!on_same_device(to, from)) {
    Ref source = dense(from, to->dtype());
    if (to->contiguous()) return transfer(to, source);
    Ref landed = empty_like(to, to->shape());
    transfer(landed, source);
    return copy_values(to, landed);
  }
  if (to->dtype() == FB_COMPLEX32 || from->dtype() == FB_COMPLEX32) return copy_by_parts(to, from);
  if (is_wide_unsigned(to->dtype()) || is_wide_unsigned(from->dtype()))
    return copy_unsigned(to, from);
  fb_array* outs[] = {&to->arr};
  const fb_array* ins[] = {&from->arr};
  fb_array spread;
  int64_t strides[max_dims];
  if (to->shape() != from->shape()) {
    spread = from->arr;
    if (!broadcast_strides(from->shape(), from->strides(), to->shape(), strides))
      fail(ErrorKind::Runtime, "copy_: shape %s does not broadcast to %s",
           to_string(from->shape()).c_str(), to_string(to->shape()).c_str());
    spread.shape = to->arr.shape;
    spread.strides = strides;
    spread.ndim = to->arr.ndim;
    spread.numel = to->numel();
    spread.flags = is_contiguous(to->shape(), {strides, to->ndim()}) ? FB_CONTIGUOUS : 0;
    ins[0] = &spread;
  }
  // Small contiguous copies on the host need no kernel.
  if (to->device->host_memory && to->contiguous() && ins[0]->flags & FB_CONTIGUOUS &&
      to->dtype() == from->dtype() && to->numel() * itemsize(to->dtype()) <= 16384) {
    std::memmove(to->arr.data, from->arr.data, size_t(to->numel() * itemsize(to->dtype())));
    return;
  }
  KernelCall call{kernel_id("copy"), from->dtype(), outs, 1, ins, 1};
  // A cast is between two types, and a device must know both to do it.
  if (!to->device->host_memory && to->dtype() != from->dtype() &&
      !has_kernel(to->device, call.id, to->dtype()))
    return call_on_cpu(to->device, call);
  call_kernel(to->device, call);
}

Ref cast_values(Tensor* t, DType d, MemoryFormat f) {
  Ref out = empty_in(f, t, d, Device{t->device, t->device_index()});
  copy_values(out, t);
  return out;
}

void fill_values(Tensor* t, const Scalar& s) {
  if (t->numel() == 0) return;
  if (t->device->host_memory && t->contiguous() && s.is_zero() && !std::signbit(s.f)) {
    std::memset(t->arr.data, 0, size_t(t->numel() * itemsize(t->dtype())));
    return;
  }
  alignas(16) char value[16];
  store_scalar(value, t->dtype(), s);
  if (t->device->host_memory && t->numel() == 1) {
    std::memcpy(t->arr.data, value, size_t(itemsize(t->dtype())));
    return;
  }
  if (t->dtype() == FB_COMPLEX32) {
    GradModeGuard off(false);
    fill_values(select(real_view(t), -1, 0), Scalar(s.f));
    return fill_values(select(real_view(t), -1, 1), Scalar(s.imag));
  }
  if (is_wide_unsigned(t->dtype())) return fill_values(as_signed(t), s);
  int64_t zeros[max_dims] = {};
  fb_array number{value,        t->arr.shape,   zeros, t->numel(), t->arr.ndim,
                  t->arr.dtype, FB_HOST_SCALAR, 0,     nullptr};
  fb_array* outs[] = {&t->arr};
  const fb_array* ins[] = {&number};
  call_kernel(t->device, {kernel_id("fill"), t->dtype(), outs, 1, ins, 1});
}

Scalar item(Tensor* t) {
  if (t->numel() != 1)
    fail(ErrorKind::Runtime, "a Tensor with %lld elements cannot be converted to Scalar",
         static_cast<long long>(t->numel()));
  if (t->device->host_memory) return load_scalar(t->arr.data, t->dtype());
  alignas(16) char value[16];
  t->device->opened()->copy_to_host(t->device_index(), t->storage->data, t->storage->buffer,
                                    byte_offset(t), value, itemsize(t->dtype()));
  return load_scalar(value, t->dtype());
}

Ref stand_in(Tensor* self) {
  Ref old = empty_like(self, self->shape());
  copy_values(old, self);
  if (requires_grad(self)) {
    old->flags |= kRequiresGrad;
    if (self->grad_fn) {
      retain(self->grad_fn);
      old->grad_fn = self->grad_fn;
      old->output_nr = self->output_nr;
    }
  }
  return old;
}

void resize(Tensor* t, Ints shape) {
  int64_t need = t->offset() + checked_numel(shape);
  Dims strides;
  strides.n = shape.n;
  contiguous_strides(shape, strides.v);
  if (need * itemsize(t->dtype()) > t->storage->nbytes) {
    if (t->storage->release_owner)
      fail(ErrorKind::Runtime,
           "Trying to resize storage that is not resizable: the memory of a tensor of shape %s "
           "belongs to "
           "somebody else, shape %s was asked for",
           to_string(t->shape()).c_str(), to_string(shape).c_str());
    Ref bigger = empty_like(t, shape);
    int64_t old = std::min(t->numel(), bigger->numel());
    if (old > 0 && t->contiguous()) {
      int64_t one[] = {1};
      Ref from = alias(t, Ints(&old, 1), Ints(one, 1), t->arr.data);
      Ref to = alias(bigger, Ints(&old, 1), Ints(one, 1), bigger->arr.data);
      copy_values(to, from);
    }
    replace_contents(t, bigger);
  } else {
    set_sizes(t, shape, strides);
  }
}

Ref clone(Tensor* t, MemoryFormat f) {
  Ref y = empty_in(f, t, t->dtype(), Device{t->device, t->device_index()});
  copy_values(y, t);
  if (records(t)) record("CloneBackward0", {t}, y, [](Backward& b) { b.set(0, b.grad()); });
  return y;
}

Ref contiguous(Tensor* t) { return t->contiguous() ? Ref(t) : clone(t); }

Ref to_dtype(Tensor* t, DType d, MemoryFormat f) {
  if (t->dtype() == d) return Ref(t);
  if (is_complex(t->dtype()) && !is_complex(d) && d != FB_BOOL &&
      PyErr_WarnEx(PyExc_UserWarning, "Casting complex values to real discards the imaginary part",
                   1))
    throw PythonError{};
  Ref y = cast_values(t, d, f);
  // The edge converts the gradient back.
  if (records(t) && is_differentiable(d))
    record("ToCopyBackward0", {t}, y, [](Backward& b) { b.set(0, b.grad()); });
  return y;
}

Ref to_device(Tensor* t, Device d, MemoryFormat f) {
  const bool any_index = d.index < 0 || (d.type && d.type->host_memory);
  if (!d.type || (d.type == t->device && (any_index || d.index == t->device_index())))
    return Ref(t);
  Ref y = empty_in(f, t, t->dtype(), d);
  copy_values(y, t);
  if (records(t)) record("ToCopyBackward0", {t}, y, [](Backward& b) { b.set(0, b.grad()); });
  return y;
}

Ref copy_(Tensor* self, Tensor* source) {
  check_inplace("copy_", self);
  if (source->shape() != self->shape()) {
    int64_t strides[max_dims];
    if (!broadcast_strides(source->shape(), source->strides(), self->shape(), strides))
      fail(ErrorKind::Runtime,
           "copy_: The size of the source, %s, does not broadcast to the size of the destination, "
           "%s",
           to_string(source->shape()).c_str(), to_string(self->shape()).c_str());
  }
  bool recorded = records(self, source);
  if (recorded) check_followed("copy_", self);
  // Reading and writing one block of memory needs a copy in between.
  Ref from = source->storage == self->storage && source != self
                 ? Ref::steal(clone(source).release())
                 : Ref(source);
  copy_values(self, from);
  bump_version(self);
  if (recorded) {
    Ref value = alias(self);
    Node* n = record("CopyBackwards", {self, source}, value, [](Backward& b) {
      if (b.needs(0)) b.set(0, zeros_like(b.grad()));
      if (b.needs(1)) b.set(1, b.grad());
    });
    if (source->shape() != self->shape()) n->edges[1].expect_shape(source->shape());
    rebase_history(self, value);
  }
  return Ref(self);
}

namespace {

PyObject* run_clone(Args& a) {
  return object(clone(a.tensor(0), a.memory_format(MemoryFormat::Preserve)));
}
PyObject* run_contiguous(Args& a) {
  Tensor* t = a.tensor(0);
  MemoryFormat f = a.memory_format(MemoryFormat::Contiguous);
  if (f == MemoryFormat::Preserve && !t->contiguous())
    fail(ErrorKind::Runtime,
         "preserve memory format is unsupported by the contiguous operator (input of shape %s)",
         to_string(t->shape()).c_str());
  return object(f == MemoryFormat::Preserve || lies_in(t, f) ? Ref(t) : clone(t, f));
}
PyObject* run_copy(Args& a) { return object(copy_(a.tensor(0), a.tensor(1))); }

Operand operand(const Args& a, int i) {
  return a.tensor(i) ? Operand(a.tensor(i)) : Operand(a.scalar(i));
}

PyObject* run_fill(Args& a) {
  Tensor* self = a.tensor(0);
  Operand v = operand(a, 1);
  if (v.t && v.t->ndim() > 0)
    fail(ErrorKind::Runtime,
         "fill only supports 0-dimension value tensor but got tensor with %d dimensions.",
         v.t->ndim());
  if (!v.t) check_holds(self->dtype(), v.s);
  if (a.destination) {
    fill_values(self, v.t ? item(v.t) : v.s);
    return boxed(self);
  }
  Ref y = empty_like(self, self->shape());
  fill_values(y, v.t ? item(v.t) : v.s);
  if (records(self, v.t))
    record("FillBackward0", {self, v.t}, y, [](Backward& b) {
      if (b.needs(0)) b.set(0, zeros_like(b.grad()));
      if (b.needs(1)) b.set(1, sum(b.grad()));
    });
  return object(std::move(y));
}

PyObject* run_zero(Args& a) {
  Tensor* self = a.tensor(0);
  if (a.destination) {
    fill_values(self, Scalar(0.0));
    return boxed(self);
  }
  Ref y = zeros_like(self);
  if (records(self))
    record("ZeroBackward0", {self}, y, [](Backward& b) { b.set(0, zeros_like(b.grad())); });
  return object(std::move(y));
}

Ref convert(Args& a, Device device, DType dtype, bool copy = false) {
  Tensor* t = a.tensor(0);
  MemoryFormat f = a.memory_format(MemoryFormat::Preserve);
  Ref y = to_dtype(to_device(t, device, f), dtype, f);
  return y.get() == t && (copy || !(f == MemoryFormat::Preserve || nearest_format(t) == f))
             ? clone(t, f)
             : y;
}

PyObject* run_to_dtype(Args& a) {
  return object(convert(a, Device{}, a.dtype(1, a.tensor(0)->dtype()), a.flag(3)));
}
PyObject* run_to_device(Args& a) {
  return object(convert(a, a.device(1), a.dtype(2, a.tensor(0)->dtype()), a.flag(4)));
}
PyObject* run_to_other(Args& a) {
  Tensor* o = a.tensor(1);
  return object(convert(a, Device{o->device, o->device_index()}, o->dtype(), a.flag(3)));
}

struct TypeRow {
  const char* name;
  DType dtype;
};
constexpr TypeRow type_rows[] = {
    {"bool", FB_BOOL},       {"byte", FB_UINT8},        {"char", FB_INT8},
    {"short", FB_INT16},     {"int", FB_INT32},         {"long", FB_INT64},
    {"half", FB_FLOAT16},    {"bfloat16", FB_BFLOAT16}, {"float", FB_FLOAT32},
    {"double", FB_FLOAT64},  {"cfloat", FB_COMPLEX64},  {"cdouble", FB_COMPLEX128},
    {"chalf", FB_COMPLEX32},
};

PyObject* run_type(Args& a) {
  return object(convert(a, Device{}, static_cast<const TypeRow*>(a.row)->dtype));
}
PyObject* run_type_as(Args& a) {
  Tensor* o = a.tensor(1);
  return object(convert(a, Device{o->device, o->device_index()}, o->dtype()));
}
PyObject* run_cpu(Args& a) {
  return object(convert(a, Device{cpu_device(), 0}, a.tensor(0)->dtype()));
}

PyObject* run_resize(Args& a) {
  Tensor* t = a.tensor(0);
  if (requires_grad(t)) fail(ErrorKind::Runtime, "cannot resize variables that require grad");
  resize(t, a.ints(1));
  return boxed(t);
}
PyObject* run_resize_as(Args& a) {
  if (requires_grad(a.tensor(0)))
    fail(ErrorKind::Runtime, "resize_as_: cannot resize variables that require grad");
  resize(a.tensor(0), a.tensor(1)->shape());
  return boxed(a.tensor(0));
}

}  // namespace

void declare_copy() {
  declare("clone(Tensor self)", run_clone, kBoth);
  declare("contiguous(Tensor self)", run_contiguous, kMethod);
  declare("copy_(Tensor self, Tensor src, bool non_blocking=False)", run_copy, kMethod);
  declare("fill(Tensor self, Operand value)", run_fill, kBoth | kInPlace);
  declare("zero(Tensor self)", run_zero, kBoth | kInPlace | kOnlyInPlace);
  declare("to(Tensor self, dtype dtype, bool non_blocking=False, bool copy=False)", run_to_dtype,
          kMethod);
  declare(
      "to(Tensor self, device? device=None, dtype? dtype=None, bool non_blocking=False, bool "
      "copy=False)",
      run_to_device, kMethod);
  declare("to(Tensor self, Tensor other, bool non_blocking=False, bool copy=False)", run_to_other,
          kMethod);
  for (const TypeRow& r : type_rows)
    declare(std::string(r.name) + "(Tensor self)", run_type, kMethod, &r);
  declare("type_as(Tensor self, Tensor other)", run_type_as, kMethod);
  declare("cpu(Tensor self)", run_cpu, kMethod);
  declare("resize_(Tensor self, int[]* size)", run_resize, kMethod);
  declare("resize_as_(Tensor self, Tensor the_template)", run_resize_as, kBoth);
}

}  // namespace flambeau
