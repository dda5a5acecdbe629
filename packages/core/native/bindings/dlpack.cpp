// DLPack: memory shared with any library that speaks it (dmlc/dlpack, v0.8).
#include <cstring>

#include "bindings/bindings.h"
#include "ops/api.h"

namespace flambeau {
namespace {

// The structures of the standard.
struct DLDevice {
  int32_t type, id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};

constexpr int32_t dl_cpu = 1;
enum Code : uint8_t { Int = 0, UInt = 1, Float = 2, BFloat = 4, Complex = 5, Bool = 6 };

DLDataType dl_type(int d) {
  Code code = d == FB_BOOL       ? Bool
              : is_unsigned(d)   ? UInt
              : is_integral(d)   ? Int
              : d == FB_BFLOAT16 ? BFloat
              : is_floating(d)   ? Float
                                 : Complex;
  return {code, uint8_t(itemsize(d) * 8), 1};
}

int from_dl_type(DLDataType t) {
  for (int d = 0; d < FB_DTYPE_COUNT; d++) {
    DLDataType mine = dl_type(d);
    if (mine.code == t.code && mine.bits == t.bits && t.lanes == 1) return d;
  }
  fail(ErrorKind::Runtime, "from_dlpack: unsupported element type (code %d, %d bits, %d lanes)",
       t.code, t.bits, t.lanes);
}

void delete_exported(DLManagedTensor* m) {
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(m->context));
  PyGILState_Release(state);
  delete m;
}

void capsule_gone(PyObject* capsule) {
  // Nobody took it over: the memory is still ours to let go.
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (m) m->deleter(m);
}

PyObject* run_dlpack(Args& a) {
  Tensor* t = a.tensor(0);
  if (requires_grad(t))
    throw Error(ErrorKind::Runtime,
                "Can't export tensors that require gradient, use tensor.detach()");
  if (t->device != cpu_device())
    fail(ErrorKind::Runtime, "__dlpack__: device %s does not export DLPack",
         t->device->name.c_str());
  auto* m = new DLManagedTensor;
  Ref owner = alias(t);
  m->tensor = {owner->arr.data,
               {dl_cpu, 0},
               owner->arr.ndim,
               dl_type(owner->dtype()),
               owner->arr.shape,
               owner->arr.strides,
               0};
  m->context = owner.object();
  m->deleter = delete_exported;
  PyObject* capsule = PyCapsule_New(m, "dltensor", capsule_gone);
  if (!capsule) delete_exported(m);
  return checked(capsule);
}

PyObject* run_dlpack_device(Args& a) { return Py_BuildValue("(ii)", dl_cpu, 0); }

void release_imported(void* owner) {
  auto* m = static_cast<DLManagedTensor*>(owner);
  if (m->deleter) m->deleter(m);
}

PyObject* run_from_dlpack(Args& a) {
  PyObject* o = a.object(0);
  PyObject* capsule =
      PyCapsule_CheckExact(o) ? (Py_INCREF(o), o) : PyObject_CallMethod(o, "__dlpack__", nullptr);
  checked(capsule);
  auto* m = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  if (!m) {
    Py_DECREF(capsule);
    throw PythonError{};
  }
  try {
    const DLTensor& d = m->tensor;
    if (d.device.type != dl_cpu)
      fail(ErrorKind::Runtime, "from_dlpack: memory on DLPack device type %d is not supported here",
           d.device.type);
    int dtype = from_dl_type(d.dtype);
    Ints shape(d.shape, d.ndim);
    Dims strides;
    strides.n = d.ndim;
    if (d.strides) {
      for (int i = 0; i < d.ndim; i++) strides[i] = d.strides[i];
    } else {
      contiguous_strides(shape, strides.v);
    }
    int64_t reach = 0;
    for (int i = 0; i < d.ndim; i++) {
      if (strides[i] < 0) fail(ErrorKind::Value, "from_dlpack: negative strides are not supported");
      reach += (shape[i] - 1) * strides[i];
    }
    int64_t nbytes = numel_of(shape) ? (reach + 1) * itemsize(dtype) : 0;
    Storage* s = borrow_storage(cpu_device(), 0, static_cast<char*>(d.data) + d.byte_offset, nbytes,
                                m, release_imported);
    PyCapsule_SetName(capsule, "used_dltensor");
    Py_DECREF(capsule);
    return object(from_storage(s, DType(dtype), shape, strides, 0));
  } catch (...) {
    Py_DECREF(capsule);
    throw;
  }
}

}  // namespace

void declare_dlpack() {
  declare(
      "__dlpack__(Tensor self, *, any stream=None, any max_version=None, any dl_device=None, any "
      "copy=None)",
      run_dlpack, kMethod);
  declare("__dlpack_device__(Tensor self)", run_dlpack_device, kMethod);
  declare("from_dlpack(any ext_tensor)", run_from_dlpack, kFunction);
}

}  // namespace flambeau
