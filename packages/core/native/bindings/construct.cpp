// Tensors from Python's values, and back.
#include "ops/construct.h"

#include <cmath>
#include <cstring>
#include <memory>

#include "bindings/bindings.h"
#include "dispatch/promotion.h"
#include "ops/api.h"
#include "ops/factory.h"
#include "ops/scalar_range.h"
#include "ops/scalars.h"

namespace flambeau {
namespace {

bool is_list(PyObject* o) {
  return PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o) ||
         (is_foreign_array(o) && PySequence_Check(o) && PySequence_Size(o) >= 0);
}

// The element type that a foreign scalar names, or -1.
int named_dtype(PyObject* o) {
  PyObject* d = PyObject_GetAttrString(o, "dtype");
  PyObject* name = d ? PyObject_GetAttrString(d, "name") : nullptr;
  Py_XDECREF(d);
  if (!name) return PyErr_Clear(), -1;
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : "";
  int found = -1;
  for (int i = 0; i < FB_DTYPE_COUNT; i++)
    if (!std::strcmp(text, dtype_name(i))) found = i;
  Py_DECREF(name);
  return found;
}

// A sequence being read. What its elements do when they are asked for their values may change it:
// they are held meanwhile, and its length has to stay.
class Items {
 public:
  explicit Items(PyObject* sequence)
      : items_(checked(PySequence_Fast(sequence, "expected a sequence"))),
        count_(PySequence_Fast_GET_SIZE(items_)) {}
  Items(const Items&) = delete;
  ~Items() { Py_DECREF(items_); }

  Py_ssize_t count() const { return count_; }

  template <class F>
  void each(const F& visit) const {
    struct Held {
      PyObject* o;
      ~Held() { Py_DECREF(o); }
    };
    for (Py_ssize_t i = 0; i < count_; i++) {
      if (PySequence_Fast_GET_SIZE(items_) != count_)
        fail(ErrorKind::Runtime, "a sequence changed its length while it was read");
      const Held item{Py_NewRef(PySequence_Fast_GET_ITEM(items_, i))};
      visit(item.o, i);
    }
  }

 private:
  PyObject* items_;
  Py_ssize_t count_;
};

// A nested sequence of numbers: its shape first, then its values in order.
class Nested {
 public:
  // `wanted` is the dtype that the values will have, or -1.
  Nested(PyObject* data, int wanted) : wanted_(wanted) { walk(data, 0); }

  Dims shape;
  int dtype() const {
    if (found_ >= 0) return found_;
    return any_ ? category_ == Category::Bool       ? FB_BOOL
                  : category_ == Category::Integer  ? FB_INT64
                  : category_ == Category::Floating ? int(default_dtype())
                                                    : int(complex_dtype(default_dtype()))
                : int(default_dtype());
  }

  void fill(PyObject* data, char* to, int d, int depth = 0) {
    if (depth == shape.n) return store(data, to, d);
    int64_t step = itemsize(d);
    for (int i = depth + 1; i < shape.n; i++) step *= shape[i];
    const Items items(data);
    if (items.count() != shape[depth]) fail_length(items.count(), depth);
    items.each([&](PyObject* item, Py_ssize_t i) { fill(item, to + i * step, d, depth + 1); });
  }

 private:
  // Sees every element: all levels must be of one length, numbers decide the type.
  void walk(PyObject* o, int depth) {
    if (!is_list(o)) {
      if (PyUnicode_Check(o) && depth && deepest_ < 0)  // a sequence of itself
        fail(ErrorKind::Value, "too many dimensions 'str'");
      if (deepest_ >= 0 && depth != deepest_) fail_ragged(depth);
      deepest_ = depth;
      return see(o);
    }
    if (deepest_ >= 0 && depth >= deepest_) fail_ragged(depth);
    if (depth >= max_dims) fail(ErrorKind::Value, "too many dimensions '%s'", Py_TYPE(o)->tp_name);
    const Items items(o);
    if (depth == shape.n) {
      shape.push(items.count());
    } else if (shape[depth] != items.count()) {
      fail_length(items.count(), depth);
    }
    items.each([&](PyObject* item, Py_ssize_t) {
      if (!PyFloat_CheckExact(item) || deepest_ != depth + 1) return walk(item, depth + 1);
      any_ = true;
      category_ = std::max(category_, Category::Floating);
    });
  }

  [[noreturn]] void fail_length(Py_ssize_t count, int depth) {
    fail(ErrorKind::Value, "expected sequence of length %lld at dim %d (got %zd)",
         static_cast<long long>(shape[depth]), depth, count);
  }

  [[noreturn]] void fail_ragged(int depth) {
    fail(ErrorKind::Type,
         "expected sequence of length %lld at dim %d (got a number or another depth)",
         depth < shape.n ? static_cast<long long>(shape[depth]) : 0LL, depth);
  }

  void see(PyObject* o) {
    any_ = true;
    if (is_tensor(o)) {
      if (as_tensor(o)->numel() != 1)
        fail(ErrorKind::Value,
             "only one element tensors can be converted to Python scalars, but got shape %s",
             to_string(as_tensor(o)->shape()).c_str());
      DType d = as_tensor(o)->dtype();
      found_ = found_ < 0 ? d : promote(DType(found_), d);
      return;
    }
    if (PyLong_CheckExact(o)) {
      category_ = std::max(category_, Category::Integer);
      return;
    }
    Slot s;
    if (!number_from(o, s)) {
      if (PyUnicode_Check(o)) fail(ErrorKind::Type, "new(): invalid data type 'str'");
      if (wanted_ >= 0)
        fail(ErrorKind::Type, "must be a number of type %s, not %s", info(wanted_).name,
             Py_TYPE(o)->tp_name);
      fail(ErrorKind::Runtime, "Could not infer dtype of %s", Py_TYPE(o)->tp_name);
    }
    category_ = std::max(category_, s.category);
    if (!PyFloat_CheckExact(o) && !PyLong_CheckExact(o) && !PyBool_Check(o) &&
        !PyComplex_CheckExact(o)) {
      int d = named_dtype(o);
      if (d >= 0) found_ = found_ < 0 ? d : promote(DType(found_), DType(d));
    }
  }

  void store(PyObject* o, char* to, int d) {
    if (is_tensor(o)) return store_scalar(to, d, item(as_tensor(o)));
    if (PyLong_CheckExact(o) && is_differentiable(d)) {  // which may have more than 64 bits
      double v = PyLong_AsDouble(o);
      if (v == -1 && PyErr_Occurred()) throw PythonError{};
      return store_scalar(to, d, Scalar(v));
    }
    Slot slot;
    if (!number_from(o, slot))
      fail(ErrorKind::Type, "must be real number, not %s", Py_TYPE(o)->tp_name);
    Scalar s = number_of(slot);
    if (s.category == Category::Complex && !is_complex(d) && d != FB_BOOL)
      fail(ErrorKind::Type, "can't convert complex to %s", info(d).name);
    if (is_integral(d) && s.category == Category::Floating && !std::isfinite(s.f))
      fail(ErrorKind::Runtime, "cannot convert float %s to integer",
           std::isnan(s.f) ? "NaN" : "infinity");
    if (is_integral(d) && itemsize(d) < 8 && d != FB_UINT8 && s.category <= Category::Integer)
      check_holds(DType(d), s);
    if (d == FB_UINT8 && s.category <= Category::Integer && (s.i < -255 || s.i > 255))
      fail(ErrorKind::Runtime, "value cannot be converted to type uint8_t without overflow");
    store_scalar(to, d, s);
  }

  int wanted_, deepest_ = -1, found_ = -1;
  bool any_ = false;
  Category category_ = Category::Bool;
};

}  // namespace

bool is_foreign_array(PyObject* o) {
  if (PyLong_Check(o) || PyFloat_Check(o) || PyList_Check(o) || PyTuple_Check(o) ||
      PyUnicode_Check(o) || is_tensor(o))
    return false;
  return PyObject_HasAttrString(o, "__array_interface__") && PyObject_HasAttrString(o, "shape");
}

Ref tensor_from(PyObject* data, int dtype, Device device) {
  Ref host;
  if (is_tensor(data)) {
    GradModeGuard off(false);
    Ref source = detach(as_tensor(data));
    Ref copy =
        dtype >= 0 && dtype != source->dtype() ? cast_values(source, DType(dtype)) : clone(source);
    return to_device(copy, device.type ? device : Device{source->device, source->device_index()});
  }
  Slot s;
  if (is_foreign_array(data)) {
    host = tensor_from_array(data, false);
    if (dtype >= 0) host = cast_values(host, DType(dtype));
  } else if ((PyFloat_CheckExact(data) || (PyLong_CheckExact(data) && dtype < 0) ||
              PyBool_Check(data)) &&
             number_from(data, s)) {
    int d = dtype >= 0                        ? dtype
            : s.category == Category::Bool    ? FB_BOOL
            : s.category == Category::Integer ? FB_INT64
                                              : int(default_dtype());
    host = empty(Ints(), DType(d), Device{cpu_device(), 0});
    Nested n(data, d);
    n.fill(data, static_cast<char*>(host->arr.data), d);
  } else {
    Nested n(data, dtype);
    int d = dtype >= 0 ? dtype : n.dtype();
    host = empty(n.shape, DType(d), Device{cpu_device(), 0});
    if (host->numel()) n.fill(data, static_cast<char*>(host->arr.data), d);
  }
  return device.type && device.type != cpu_device() ? to_device(host, device) : host;
}

PyObject* number_from_scalar(Tensor* t) {
  Scalar s = item(t);
  switch (s.category) {
    case Category::Bool:
      return PyBool_FromLong(long(s.i));
    case Category::Integer:
      return boxed_integer(s);
    case Category::Floating:
      return PyFloat_FromDouble(s.f);
    default:
      return PyComplex_FromDoubles(s.f, s.imag);
  }
}

namespace {

PyObject* element(const char* p, int d) {
  if (d == FB_FLOAT32) return PyFloat_FromDouble(double(*reinterpret_cast<const float*>(p)));
  Scalar s = load_scalar(p, d);
  switch (s.category) {
    case Category::Bool:
      return PyBool_FromLong(long(s.i));
    case Category::Integer:
      return boxed_integer(s);
    case Category::Floating:
      return PyFloat_FromDouble(s.f);
    default:
      return PyComplex_FromDoubles(s.f, s.imag);
  }
}

PyObject* nested_list(Tensor* t, const char* p, int dim) {
  int64_t n = t->size(dim), step = n > 1 ? t->stride(dim) * itemsize(t->arr.dtype) : 0;
  PyObject* list = checked(PyList_New(Py_ssize_t(n)));
  for (int64_t i = 0; i < n; i++)
    PyList_SET_ITEM(list, Py_ssize_t(i),
                    dim + 1 == t->ndim() ? element(p + i * step, t->arr.dtype)
                                         : nested_list(t, p + i * step, dim + 1));
  return list;
}

// tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)
PyObject* run_tensor(Args& a) {
  PyObject* data = a.object(0);
  if (is_tensor(data) && PyErr_WarnEx(PyExc_UserWarning,
                                      "To copy construct from a tensor, it is recommended to use "
                                      "sourceTensor.detach().clone() or "
                                      "sourceTensor.detach().clone().requires_grad_(True), rather "
                                      "than flambeau.tensor(sourceTensor).",
                                      1))
    throw PythonError{};
  Ref t = tensor_from(data, a.given(1) ? int(a.slot[1].i) : -1, a.device(2));
  return object(with_grad(std::move(t), a.flag(3)));
}

PyObject* run_as_tensor(Args& a) {
  PyObject* data = a.object(0);
  int d = a.given(1) ? int(a.slot[1].i) : -1;
  Device device = a.device(2);
  Ref t;
  if (is_tensor(data)) {
    t = Ref(as_tensor(data));
  } else if (is_foreign_array(data)) {
    t = tensor_from_array(data, true);
  } else {
    return object(tensor_from(data, d, device));
  }
  if (d >= 0) t = to_dtype(t, DType(d));
  return object(to_device(t, device));
}

PyObject* run_from_numpy(Args& a) {
  if (std::strcmp(Py_TYPE(a.object(0))->tp_name, "numpy.ndarray") != 0 &&
      !is_foreign_array(a.object(0)))
    fail(ErrorKind::Type, "expected np.ndarray (got %s)", Py_TYPE(a.object(0))->tp_name);
  return object(tensor_from_array(a.object(0), true));
}

PyObject* run_new_tensor(Args& a) {
  Tensor* like = a.tensor(0);
  Device device = a.given(3) ? a.device(3) : Device{like->device, like->device_index()};
  Ref t = tensor_from(a.object(1), a.dtype(2, like->dtype()), device);
  return object(with_grad(std::move(t), a.flag(4)));
}

PyObject* run_numpy(Args& a) {
  Ref t(a.tensor(0));
  bool force = a.flag(1);
  if (!force && grad_mode.enabled && requires_grad(t))
    fail(ErrorKind::Runtime,
         "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
  if (t->device != cpu_device()) {
    if (!force)
      fail(ErrorKind::Type,
           "can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
           "host memory first.",
           device_name(Device{t->device, t->device_index()}).c_str());
    GradModeGuard off(false);
    t = to_device(t, Device{cpu_device(), 0});
  }
  return array_from_tensor(t);
}

// tensor_from_bytes(buffer, dtype, shape, strides, offset): a tensor of its own
// memory, the whole buffer copied beneath it.
PyObject* run_tensor_from_bytes(Args& a) {
  Py_buffer view;
  if (PyObject_GetBuffer(a.object(0), &view, PyBUF_SIMPLE) < 0) throw PythonError{};
  Storage* s = nullptr;
  try {
    DType d = a.dtype(1, FB_FLOAT32);
    Ints shape = a.ints(2), strides = a.ints(3);
    int64_t offset = a.integer(4), last = offset;
    if (shape.n != strides.n)
      fail(ErrorKind::Value, "tensor_from_bytes: shape and strides differ in length");
    bool any = true;
    for (int i = 0; i < shape.n; i++) {
      if (shape[i] < 0 || strides[i] < 0)
        fail(ErrorKind::Value, "tensor_from_bytes: negative size or stride");
      if (shape[i] == 0) any = false;
      int64_t reach;
      if (shape[i] > 0 && (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach) ||
                           __builtin_add_overflow(last, reach, &last)))
        fail(ErrorKind::Value, "tensor_from_bytes: sizes overflow");
    }
    if (offset < 0 || (any && (last >= (int64_t(1) << 58) || (last + 1) * itemsize(d) > view.len)))
      fail(ErrorKind::Value,
           "tensor_from_bytes: shape %s with strides %s at offset %lld does not fit in %zd bytes",
           to_string(shape).c_str(), to_string(strides).c_str(), static_cast<long long>(offset),
           view.len);
    s = new_storage(cpu_device(), 0, std::max<int64_t>(view.len, 1));
    s->nbytes = std::max<int64_t>(view.len, 1);
    if (view.len) std::memcpy(s->data, view.buf, size_t(view.len));
    PyBuffer_Release(&view);
    return object(from_storage(s, d, shape, strides, offset));
  } catch (...) {
    if (!s) PyBuffer_Release(&view);
    throw;
  }
}

void release_buffer(void* owner) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyBuffer_Release(static_cast<Py_buffer*>(owner));
  delete static_cast<Py_buffer*>(owner);
  PyGILState_Release(state);
}

// tensor_over(buffer, dtype, shape, offset=0): a tensor over a writable
// buffer's own memory.
Ref over_buffer(PyObject* buffer, DType d, Ints shape, int64_t offset, bool writable) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(buffer, view.get(), writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
    throw PythonError{};
  Py_buffer* b = view.release();
  Storage* s = borrow_storage(cpu_device(), 0, b->buf, b->len, b, release_buffer);
  int64_t n = 1;
  bool fits = offset >= 0;
  for (int64_t size : shape) fits = fits && size >= 0 && !__builtin_mul_overflow(n, size, &n);
  if (!fits || n > (b->len - offset) / itemsize(d)) {
    int64_t have = b->len;
    release(s);
    fail(ErrorKind::Value,
         "a tensor of shape %s and dtype %s at byte %lld does not fit in a buffer of %lld bytes",
         to_string(shape).c_str(), info(d).name, static_cast<long long>(offset),
         static_cast<long long>(have));
  }
  int64_t strides[max_dims];
  contiguous_strides(shape, strides);
  Ref t = from_storage(s, d, shape, {strides, shape.n}, 0);
  t->arr.data = static_cast<char*>(b->buf) + offset;
  return t;
}

PyObject* run_tensor_over(Args& a) {
  return object(over_buffer(a.object(0), a.dtype(1, FB_FLOAT32), a.ints(2), a.integer(3), true));
}

// frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False)
PyObject* run_frombuffer(Args& a) {
  DType d = a.dtype(1, FB_FLOAT32);
  int64_t count = a.integer(2), offset = a.integer(3);
  Py_buffer view;
  if (PyObject_GetBuffer(a.object(0), &view, PyBUF_SIMPLE) < 0) throw PythonError{};
  int64_t length = view.len;
  bool readonly = view.readonly;
  PyBuffer_Release(&view);
  if (offset < 0 || offset >= length)
    fail(ErrorKind::Value,
         "frombuffer: offset (%lld bytes) must be non-negative and no greater than buffer length "
         "(%lld bytes) minus 1",
         static_cast<long long>(offset), static_cast<long long>(length));
  if (count < 0) {
    if ((length - offset) % itemsize(d))
      fail(ErrorKind::Value,
           "frombuffer: buffer length (%lld bytes) after offset (%lld bytes) must be a multiple of "
           "element size (%lld)",
           static_cast<long long>(length), static_cast<long long>(offset),
           static_cast<long long>(itemsize(d)));
    count = (length - offset) / itemsize(d);
  }
  if (readonly &&
      PyErr_WarnEx(PyExc_UserWarning,
                   "The given buffer is not writable, and tensors do not know of read-only memory.",
                   1))
    throw PythonError{};
  return object(with_grad(over_buffer(a.object(0), d, Ints(&count, 1), offset, false), a.flag(4)));
}

}  // namespace

PyObject* list_from_tensor(Tensor* t) {
  if (t->ndim() == 0) return number_from_scalar(t);
  GradModeGuard off(false);
  Ref host = to_device(t, Device{cpu_device(), 0});
  return nested_list(host, static_cast<const char*>(host->arr.data), 0);
}

void declare_construct() {
  const std::string options =
      ", *, dtype? dtype=None, device? device=None, bool requires_grad=False)";
  declare("tensor(any data" + options, run_tensor, kFunction);
  declare("as_tensor(any data, dtype? dtype=None, device? device=None)", run_as_tensor, kFunction);
  declare("asarray(any obj, dtype? dtype=None, device? device=None)", run_as_tensor, kFunction);
  declare("from_numpy(any ndarray)", run_from_numpy, kFunction);
  declare("new_tensor(Tensor self, any data" + options, run_new_tensor, kMethod);
  declare("numpy(Tensor self, *, bool force=False)", run_numpy, kMethod);
  declare("tensor_from_bytes(any buffer, dtype dtype, int[] shape, int[] strides, int offset)",
          run_tensor_from_bytes, kFunction);
  declare("tensor_over(any buffer, dtype dtype, int[] shape, int offset=0)", run_tensor_over,
          kFunction);
  declare(
      "frombuffer(any buffer, *, dtype dtype, int count=-1, int offset=0, bool "
      "requires_grad=False)",
      run_frombuffer, kFunction);
}

}  // namespace flambeau
