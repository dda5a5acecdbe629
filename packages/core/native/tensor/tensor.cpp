#include "tensor/tensor.h"

#include <utility>

#include "base/error.h"

namespace flambeau {

PyTypeObject* tensor_type = nullptr;
PyObject* (*make_size)(Ints) = nullptr;

namespace {

// Dead tensors wait here to be revived: it saves the allocator on every op.
constexpr int free_list_limit = 256;
Tensor* free_list[free_list_limit];
int free_count = 0;

void attach_dims(Tensor* t, int ndim) {
  t->arr.ndim = ndim;
  if (ndim <= inline_dims) {
    t->arr.shape = t->dims;
    t->arr.strides = t->dims + inline_dims;
  } else {
    t->arr.shape = new int64_t[size_t(2 * ndim)];
    t->arr.strides = t->arr.shape + ndim;
  }
}

void detach_dims(Tensor* t) {
  if (t->arr.shape != t->dims) delete[] t->arr.shape;
}

void refresh_flags(Tensor* t) {
  t->arr.numel = numel_of(t->shape());
  t->arr.flags = is_contiguous(t->shape(), t->strides()) ? FB_CONTIGUOUS : 0;
}

void drop_references(Tensor* t) {
  Py_CLEAR(t->dict);
  Py_CLEAR(t->shape_cache);
  if (Tensor* g = std::exchange(t->grad, nullptr)) Py_DECREF(reinterpret_cast<PyObject*>(g));
  if (Tensor* b = std::exchange(t->base, nullptr)) Py_DECREF(reinterpret_cast<PyObject*>(b));
  if (GraphNode* n = std::exchange(t->grad_fn, nullptr)) release(n);
  if (TensorExtra* e = std::exchange(t->extra, nullptr)) {
    Py_XDECREF(e->hooks);
    Py_XDECREF(e->post_accumulate_hooks);
    Py_XDECREF(e->node_pre_hooks);
    Py_XDECREF(e->node_hooks);
    delete e;
  }
}

}  // namespace

Tensor* allocate_tensor(PyTypeObject* type, int ndim) {
  Tensor* t;
  if (type == tensor_type && free_count > 0) {
    t = free_list[--free_count];
    PyObject_Init(reinterpret_cast<PyObject*>(t), type);
  } else if (type == tensor_type) {
    t = PyObject_GC_New(Tensor, type);
  } else {
    t = reinterpret_cast<Tensor*>(type->tp_alloc(type, 0));
  }
  if (!t) throw Error(ErrorKind::OutOfMemory, "out of memory: no room for a tensor object");
  std::memset(reinterpret_cast<char*>(t) + offsetof(Tensor, arr), 0,
              offsetof(Tensor, dims) - offsetof(Tensor, arr));
  attach_dims(t, ndim);
  // tp_alloc has tracked the object already.
  if (type == tensor_type) PyObject_GC_Track(t);
  return t;
}

void tensor_dealloc(PyObject* o) {
  auto t = reinterpret_cast<Tensor*>(o);
  PyTypeObject* type = Py_TYPE(o);
  PyObject_GC_UnTrack(o);
  if (t->weakrefs) PyObject_ClearWeakRefs(o);
  if (t->dict || t->grad || t->base || t->grad_fn || t->extra || t->shape_cache) drop_references(t);
  if (t->storage) release(t->storage);
  detach_dims(t);
  if (type == tensor_type && free_count < free_list_limit) {
    free_list[free_count++] = t;
  } else {
    type->tp_free(o);
  }
  Py_DECREF(type);
}

int tensor_traverse(PyObject* o, visitproc visit, void* arg) {
  auto t = reinterpret_cast<Tensor*>(o);
  Py_VISIT(Py_TYPE(o));
  Py_VISIT(t->dict);
  Py_VISIT(reinterpret_cast<PyObject*>(t->grad));
  Py_VISIT(reinterpret_cast<PyObject*>(t->base));
  // A node that nobody else knows is part of the tensor.
  if (t->grad_fn && t->grad_fn->refs == 1)
    if (int stop = t->grad_fn->traverse(visit, arg)) return stop;
  if (t->extra) {
    Py_VISIT(t->extra->hooks);
    Py_VISIT(t->extra->post_accumulate_hooks);
    Py_VISIT(t->extra->node_pre_hooks);
    Py_VISIT(t->extra->node_hooks);
  }
  return 0;
}

int tensor_clear(PyObject* o) {
  drop_references(reinterpret_cast<Tensor*>(o));
  return 0;
}

Ref empty(Ints shape, DType dtype, Device device) {
  const int64_t n = checked_numel(shape);
  DeviceType* type = device.type ? device.type : cpu_device();
  // There is one host memory, whatever index the device names.
  int index = device.index < 0 || type->host_memory ? 0 : device.index;
  Storage* storage = new_storage(type, index, n * itemsize(dtype));
  Tensor* t = allocate_tensor(tensor_type, shape.n);
  for (int i = 0; i < shape.n; i++) t->arr.shape[i] = shape[i];
  contiguous_strides(shape, t->arr.strides);
  t->arr.numel = n;
  t->arr.flags = FB_CONTIGUOUS;
  t->arr.dtype = uint8_t(dtype);
  t->arr.device_index = uint16_t(index);
  t->arr.data = storage->data;
  t->arr.buffer = storage->buffer;
  t->storage = storage;
  t->device = type;
  return Ref::steal(t);
}

Ref empty_like(const Tensor* t, Ints shape, DType dtype) {
  return empty(shape, dtype, Device{t->device, t->arr.device_index});
}
Ref empty_like(const Tensor* t, Ints shape) { return empty_like(t, shape, t->dtype()); }

Ref empty_twin(const Tensor* source, DType dtype) {
  const int n = source->arr.ndim;
  Storage* storage =
      new_storage(source->device, source->arr.device_index, source->arr.numel * itemsize(dtype));
  Tensor* t = allocate_tensor(tensor_type, n);
  for (int i = 0; i < n; i++) {
    t->arr.shape[i] = source->arr.shape[i];
    t->arr.strides[i] = source->arr.strides[i];
  }
  t->arr.numel = source->arr.numel;
  t->arr.flags = FB_CONTIGUOUS;
  t->arr.dtype = uint8_t(dtype);
  t->arr.device_index = source->arr.device_index;
  t->arr.data = storage->data;
  t->arr.buffer = storage->buffer;
  t->storage = storage;
  t->device = source->device;
  return Ref::steal(t);
}

Ref alias(Tensor* source, Ints shape, Ints strides, void* data) {
  (void)checked_numel(shape);
  Tensor* t = allocate_tensor(tensor_type, shape.n);
  for (int i = 0; i < shape.n; i++) {
    t->arr.shape[i] = shape[i];
    t->arr.strides[i] = strides[i];
  }
  refresh_flags(t);
  t->arr.dtype = source->arr.dtype;
  t->arr.device_index = source->arr.device_index;
  t->arr.data = data;
  t->arr.buffer = source->arr.buffer;
  t->storage = retain(source->storage);
  t->device = source->device;
  return Ref::steal(t);
}

Ref alias(Tensor* t) { return alias(t, t->shape(), t->strides(), t->arr.data); }

Ref from_storage(Storage* s, DType dtype, Ints shape, Ints strides, int64_t offset) {
  (void)checked_numel(shape);
  Tensor* t = allocate_tensor(tensor_type, shape.n);
  for (int i = 0; i < shape.n; i++) {
    t->arr.shape[i] = shape[i];
    t->arr.strides[i] = strides[i];
  }
  refresh_flags(t);
  t->arr.dtype = uint8_t(dtype);
  t->arr.device_index = uint16_t(s->device_index);
  t->arr.data = static_cast<char*>(s->data) + offset * itemsize(dtype);
  t->arr.buffer = s->buffer;
  t->storage = s;
  t->device = s->device;
  return Ref::steal(t);
}

void set_sizes(Tensor* t, Ints shape, Ints strides) {
  Dims new_shape(shape), new_strides(strides);
  detach_dims(t);
  attach_dims(t, new_shape.n);
  for (int i = 0; i < new_shape.n; i++) {
    t->arr.shape[i] = new_shape[i];
    t->arr.strides[i] = new_strides[i];
  }
  refresh_flags(t);
  Py_CLEAR(t->shape_cache);
}

void replace_contents(Tensor* t, Tensor* source) {
  if (source->flags & kSparse)
    fail(ErrorKind::Runtime, "a sparse tensor has no memory that another tensor could take over");
  Storage* old = t->storage;
  t->storage = retain(source->storage);
  set_sizes(t, source->shape(), source->strides());
  t->arr.dtype = source->arr.dtype;
  t->arr.device_index = source->arr.device_index;
  t->arr.data = source->arr.data;
  t->arr.buffer = source->arr.buffer;
  t->device = source->device;
  if (old) release(old);
}

TensorExtra* extra_of(Tensor* t) {
  if (!t->extra) t->extra = new TensorExtra;
  return t->extra;
}

PyObject* shape_object(Tensor* t) {
  if (!t->shape_cache) t->shape_cache = make_size(t->shape());
  Py_XINCREF(t->shape_cache);
  return t->shape_cache;
}

}  // namespace flambeau
