// The Tensor: one Python object that holds its metadata, its inline dimensions,
// its storage and its place in the autograd graph.
#pragma once

#include <Python.h>
#include <flambeau/backend.h>

#include "base/dtype.h"
#include "base/shape.h"
#include "dispatch/backend.h"
#include "memory/storage.h"
#include "tensor/graph_node.h"

namespace flambeau {

struct Node;

// Rare attributes, allocated on demand.
struct TensorExtra {
  PyObject* hooks = nullptr;                  // {id: callable}, on a leaf's gradient
  PyObject* post_accumulate_hooks = nullptr;  // {id: callable}, after .grad was updated
  PyObject* node_pre_hooks = nullptr;         // of the node that stands for a leaf
  PyObject* node_hooks = nullptr;
  PyObject* node_object = nullptr;  // borrowed: that node as Python sees it, while it lives
};

enum TensorFlag : uint32_t {
  kRequiresGrad = 1,
  kRetainsGrad = 2,
  kView = 4,          // `base` is set
  kAccumulating = 8,  // a thread is adding to .grad just now
  // Ops on it are shown to Python first (ops/interception.h):
  kOverrides = 16,  // its class says what ops do
  kBatched = 32,    // it stands for one example of a batch (vmap)
  kDual = 64,       // it carries tangents (forward mode)
  kSparse = 4096,   // its elements lie elsewhere: its own memory only stands in for them
  kIntercepted = kOverrides | kBatched | kDual | kSparse,
  // A view whose writes autograd cannot follow to its base, for one of these reasons:
  kOneOfMany = 128,      // an op returned several views at once
  kFromNoGrad = 256,     // it was made while nothing was recorded
  kFromInference = 512,  // likewise, in inference mode
  kFromFunction = 1024,  // a custom function made it
  kRestricted = kOneOfMany | kFromNoGrad | kFromInference | kFromFunction,
  kUnversioned = 2048,  // `.data`: writes to it are not counted
};

constexpr int inline_dims = 5;

struct Tensor {
  PyObject_HEAD fb_array arr;
  Storage* storage;
  DeviceType* device;
  GraphNode* grad_fn;
  uint32_t output_nr;  // which output of grad_fn
  uint32_t flags;
  Tensor* grad;
  Tensor* base;           // of a view: the tensor whose history in-place writes change
  uint32_t rebase_count;  // of a base: how often its history was rewritten
  uint32_t seen_rebase;   // of a view: the base's count when grad_fn was made
  PyObject* shape_cache;
  PyObject* dict;
  PyObject* weakrefs;
  TensorExtra* extra;
  int64_t dims[2 * inline_dims];

  int ndim() const { return arr.ndim; }
  int64_t numel() const { return arr.numel; }
  DType dtype() const { return DType(arr.dtype); }
  int64_t size(int d) const { return arr.shape[d]; }
  int64_t stride(int d) const { return arr.strides[d]; }
  Ints shape() const { return {arr.shape, arr.ndim}; }
  Ints strides() const { return {arr.strides, arr.ndim}; }
  bool contiguous() const { return arr.flags & FB_CONTIGUOUS; }
  int device_index() const { return arr.device_index; }
  int64_t offset() const {
    return (static_cast<char*>(arr.data) - static_cast<char*>(storage->data)) / itemsize(arr.dtype);
  }
};

extern PyTypeObject* tensor_type;

inline bool is_exact_tensor(PyObject* o) { return Py_TYPE(o) == tensor_type; }
inline bool is_tensor(PyObject* o) {
  return is_exact_tensor(o) || PyType_IsSubtype(Py_TYPE(o), tensor_type);
}
inline Tensor* as_tensor(PyObject* o) { return reinterpret_cast<Tensor*>(o); }

// An owning pointer to a tensor.
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  Ref(Tensor* borrowed) : p_(borrowed) { Py_XINCREF(reinterpret_cast<PyObject*>(p_)); }
  Ref(const Ref& o) : Ref(o.p_) {}
  Ref(Ref&& o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  ~Ref() { Py_XDECREF(reinterpret_cast<PyObject*>(p_)); }
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  static Ref steal(Tensor* owned) {
    Ref r;
    r.p_ = owned;
    return r;
  }
  Tensor* get() const { return p_; }
  Tensor* operator->() const { return p_; }
  operator Tensor*() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }
  Tensor* release() {
    Tensor* t = p_;
    p_ = nullptr;
    return t;
  }
  PyObject* object() { return reinterpret_cast<PyObject*>(release()); }
  // Whether nobody else holds the tensor or its memory.
  bool unique() const { return Py_REFCNT(p_) == 1 && p_->storage->refs == 1; }

 private:
  Tensor* p_ = nullptr;
};

// A new contiguous tensor of unset values. RuntimeError for negative sizes.
Ref empty(Ints shape, DType dtype, Device device);
Ref empty_like(const Tensor* t, Ints shape);
// The same shape, type and device as a contiguous tensor: the fast way.
Ref empty_twin(const Tensor* contiguous, DType dtype);
Ref empty_like(const Tensor* t, Ints shape, DType dtype);
// Another tensor over the same storage, outside the autograd graph.
// `data` points at its first element.
Ref alias(Tensor* t, Ints shape, Ints strides, void* data);
Ref alias(Tensor* t);
// A tensor over a storage (whose reference is taken over).
Ref from_storage(Storage* s, DType dtype, Ints shape, Ints strides, int64_t offset);

// Makes `t` another view of memory: `set_`, `resize_`, `.data =`.
void replace_contents(Tensor* t, Tensor* source);
void set_sizes(Tensor* t, Ints shape, Ints strides);

TensorExtra* extra_of(Tensor* t);
// Shape and strides as Python sees them; cached.
PyObject* shape_object(Tensor* t);
extern PyObject* (*make_size)(Ints);

// The life of the Python object; the type's slots.
Tensor* allocate_tensor(PyTypeObject* type, int ndim);
void tensor_dealloc(PyObject* o);
int tensor_traverse(PyObject* o, visitproc visit, void* arg);
int tensor_clear(PyObject* o);

}  // namespace flambeau
