#include "ops/elementwise.h"

#include "base/error.h"
#include "dispatch/shape_rules.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

constexpr int max_inputs = 4;

std::string device_text(Tensor* t) {
  return t->device == cpu_device() ? "cpu"
                                   : t->device->name + ":" + std::to_string(t->device_index());
}

[[noreturn]] void fail_devices(const char* op, Tensor* a, Tensor* b) {
  fail(ErrorKind::Runtime,
       "%s: Expected all tensors to be on the same device, but found at least two devices, %s and "
       "%s! (shapes %s and %s)",
       op, device_text(a).c_str(), device_text(b).c_str(), to_string(a->shape()).c_str(),
       to_string(b->shape()).c_str());
}

bool same_device(Tensor* a, Tensor* b) {
  return a->device == b->device && a->arr.device_index == b->arr.device_index;
}

// A number in host memory, shaped like the output.
struct HostScalar {
  alignas(16) char value[16];
  int64_t zeros[max_dims];
};

// Whether the kernel may write straight into the destination: it has the
// result's shape and type, and overlaps an input not at all or entirely.
bool can_write_into(Tensor* d, Ints shape, DType dtype, const Operand* in, int n) {
  if (!d || d->dtype() != dtype || d->shape() != shape) return false;
  for (int i = 0; i < d->ndim(); i++)
    if (d->stride(i) == 0 && d->size(i) > 1) return false;
  for (int i = 0; i < n; i++) {
    Tensor* t = in[i].t;
    if (!t || t->storage != d->storage) continue;
    if (t->arr.data != d->arr.data || t->shape() != d->shape() || t->strides() != d->strides() ||
        t->dtype() != d->dtype())
      return false;
  }
  return true;
}

}  // namespace

Device common_device(const char* op, const Operand* in, int n) {
  Tensor* first = nullptr;
  for (int i = 0; i < n; i++) {
    Tensor* t = in[i].t;
    if (!t) continue;
    if (!first) {
      first = t;
    } else if (!same_device(first, t)) {
      bool first_light = first->ndim() == 0 && first->device == cpu_device();
      bool t_light = t->ndim() == 0 && t->device == cpu_device();
      if (!first_light && !t_light) fail_devices(op, first, t);
      if (first_light) first = t;
    }
  }
  return first ? Device{first->device, first->device_index()} : Device{cpu_device(), 0};
}

void check_same_device(const char* op, Tensor* a, Tensor* b) {
  if (b && !same_device(a, b)) fail_devices(op, a, b);
}

DType result_type(const Operand* in, int n) {
  ResultType r;
  for (int i = 0; i < n; i++) {
    if (in[i].t) {
      r.add_tensor(in[i].t->dtype(), in[i].t->ndim());
    } else {
      r.add_number(in[i].s.category);
    }
  }
  return r.get();
}

Ref elementwise(const Elementwise& e, const Operand* in, int n, const bool* absent) {
  // The common case: tensors of one shape and type, without gaps.
  Tensor* first = nullptr;
  bool plain = true, reshaped = false;
  for (int i = 0; i < n; i++) {
    if (absent && absent[i]) continue;
    Tensor* t = in[i].t;
    if (!t) continue;
    if (!first) first = t;
    plain = plain && t->contiguous() && (t->dtype() == e.compute || (e.keep_first && i == 0)) &&
            same_device(first, t);
    if (t != first && t->shape() != first->shape()) plain = false, reshaped = true;
  }
  Dims shape(first ? first->shape() : Ints());
  if (reshaped)
    for (int i = 0; i < n; i++)
      if ((!absent || !absent[i]) && in[i].t)
        shape = broadcast_shapes(e.op, shape, in[i].t->shape());
  Device device =
      plain && first ? Device{first->device, first->device_index()} : common_device(e.op, in, n);

  const fb_array* arrays[max_inputs];
  fb_array local[max_inputs];
  int64_t strides[max_inputs][max_dims];
  HostScalar scalars[max_inputs];
  Ref converted[max_inputs];
  for (int i = 0; i < n; i++) {
    if (absent && absent[i]) {
      arrays[i] = nullptr;
      continue;
    }
    Tensor* t = in[i].t;
    if (t && plain) {
      arrays[i] = &t->arr;
      continue;
    }
    DType want = e.keep_first && i == 0 ? (t ? t->dtype() : FB_BOOL) : e.compute;
    if (!t || t->device != device.type) {  // a number, or a cpu scalar beside another device
      HostScalar& h = scalars[i];
      store_scalar(h.value, want, t ? item(t) : in[i].s);
      std::memset(h.zeros, 0, sizeof(int64_t) * size_t(shape.n));
      local[i] = fb_array{h.value,       shape.v,        h.zeros, numel_of(shape), shape.n,
                          uint8_t(want), FB_HOST_SCALAR, 0,       nullptr};
      arrays[i] = &local[i];
      continue;
    }
    if (t->dtype() != want) {
      converted[i] = cast_values(t, want);
      t = converted[i];
    }
    if (t->shape() == Ints(shape)) {
      arrays[i] = &t->arr;
      continue;
    }
    local[i] = t->arr;
    if (!broadcast_strides(t->shape(), t->strides(), shape, strides[i]))
      fail(ErrorKind::Runtime, "%s: shape %s does not broadcast to %s", e.op,
           to_string(t->shape()).c_str(), to_string(shape).c_str());
    local[i].shape = shape.v;
    local[i].strides = strides[i];
    local[i].ndim = shape.n;
    local[i].numel = numel_of(shape);
    local[i].flags = is_contiguous(shape, {strides[i], shape.n}) ? FB_CONTIGUOUS : 0;
    arrays[i] = &local[i];
  }
  Ref out = can_write_into(e.destination, shape, e.out, in, n) ? Ref(e.destination)
                                                               : empty(shape, e.out, device);
  if (out->numel() == 0) return out;
  fb_array* outs[] = {&out->arr};
  DType key = n > 0 && arrays[0] ? DType(arrays[0]->dtype) : e.compute;
  call_kernel(device.type, {e.kernel, key, outs, 1, arrays, n, e.params});
  return out;
}

Ref elementwise_plain(int kernel, DType out, Tensor* x, const fb_param* params) {
  if (!x->contiguous() || x->numel() == 0) return nullptr;
  Ref y = empty_twin(x, out);
  fb_array* outs[] = {&y->arr};
  const fb_array* ins[] = {&x->arr};
  call_kernel(x->device, {kernel, x->dtype(), outs, 1, ins, 1, params});
  return y;
}

Ref elementwise_plain(int kernel, DType compute, DType out, const Operand& a, const Operand& b) {
  Tensor* x = a.t ? a.t : b.t;
  if (!x || !x->contiguous() || x->numel() == 0 || x->dtype() != compute) return nullptr;
  if (a.t && b.t) {
    if (!b.t->contiguous() || b.t->dtype() != compute || !same_device(x, b.t) ||
        x->shape() != b.t->shape())
      return nullptr;
    Ref y = empty_twin(x, out);
    fb_array* outs[] = {&y->arr};
    const fb_array* ins[] = {&x->arr, &b.t->arr};
    call_kernel(x->device, {kernel, compute, outs, 1, ins, 2});
    return y;
  }
  alignas(16) char value[16];
  int64_t zeros[max_dims];
  std::memset(zeros, 0, sizeof(int64_t) * size_t(x->ndim()));
  store_scalar(value, compute, a.t ? b.s : a.s);
  fb_array number{value,     x->arr.shape,     zeros,          x->numel(),
                  x->ndim(), uint8_t(compute), FB_HOST_SCALAR, 0,
                  nullptr};
  Ref y = empty_twin(x, out);
  fb_array* outs[] = {&y->arr};
  const fb_array* ins[] = {a.t ? &x->arr : &number, a.t ? &number : &x->arr};
  call_kernel(x->device, {kernel, compute, outs, 1, ins, 2});
  return y;
}

Ref conjugate(Tensor* t) { return is_complex(t->dtype()) ? unary("conj_physical", t) : Ref(t); }

Operand conjugate(const Operand& o, Ref& keep) {
  if (!o.t) {
    if (o.s.category != Category::Complex) return o;
    return Operand(Scalar(std::complex<double>(o.s.f, -o.s.imag)));
  }
  keep = conjugate(o.t);
  return Operand(keep);
}

}  // namespace flambeau
