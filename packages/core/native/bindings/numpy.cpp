// Memory shared with NumPy, both ways. NumPy is imported by the first call.
#include <pybind11/numpy.h>

#include "base/error.h"
#include "ops/api.h"
#include "ops/construct.h"
#include "ops/op.h"

namespace py = pybind11;

namespace flambeau {
namespace {

void release_array(void* owner) {
  PyGILState_STATE state = PyGILState_Ensure();
  Py_DECREF(static_cast<PyObject*>(owner));
  PyGILState_Release(state);
}

int dtype_of_array(const py::array& a) {
  py::dtype d = a.dtype();
  int64_t size = d.itemsize();
  switch (d.kind()) {
    case 'b':
      return FB_BOOL;
    case 'u':
      return size == 1 ? FB_UINT8 : size == 2 ? FB_UINT16 : size == 4 ? FB_UINT32 : FB_UINT64;
    case 'i':
      return size == 1 ? FB_INT8 : size == 2 ? FB_INT16 : size == 4 ? FB_INT32 : FB_INT64;
    case 'f':
      if (size == 2) return FB_FLOAT16;
      if (size == 4) return FB_FLOAT32;
      if (size == 8) return FB_FLOAT64;
      break;
    case 'c':
      if (size == 8) return FB_COMPLEX64;
      if (size == 16) return FB_COMPLEX128;
      break;
    case 'V':
      if (py::str(d).cast<std::string>() == "bfloat16") return FB_BFLOAT16;
      break;
    default:
      break;
  }
  fail(ErrorKind::Type,
       "can't convert np.ndarray of type %s. The only supported types are: float64, float32, "
       "float16, complex64, "
       "complex128, int64, int32, int16, int8, uint8, and bool.",
       py::str(d).cast<std::string>().c_str());
}

const py::dtype& array_dtype(int d) {
  static auto* types = [] {
    auto* v = new std::vector<py::dtype>;
    for (int i = 0; i < FB_DTYPE_COUNT; i++)
      v->push_back(i == FB_BFLOAT16    ? py::dtype("u2")
                   : i == FB_COMPLEX32 ? py::dtype("u4")
                                       : py::dtype(std::string(dtype_name(i))));
    return v;
  }();
  return (*types)[size_t(d)];
}

Ref share(py::array a) {
  int d = dtype_of_array(a);
  if (a.dtype().byteorder() == '>')
    fail(ErrorKind::Type,
         "given numpy array has byte order different from the native byte order. Conversion "
         "between byte orders is "
         "currently not supported.");
  Dims shape, strides;
  int64_t reach = 0;
  for (py::ssize_t i = 0; i < a.ndim(); i++) {
    int64_t bytes = a.strides(i);
    if (bytes < 0)
      fail(ErrorKind::Value,
           "At least one stride in the given numpy array is negative, and tensors with negative "
           "strides are not "
           "currently supported. (You can probably work around this by making a copy of your array "
           "with array.copy().)");
    if (bytes % itemsize(d) != 0)
      fail(ErrorKind::Value,
           "given numpy array strides not a multiple of the element byte size. Copy array to fix.");
    shape.push(a.shape(i));
    strides.push(bytes / itemsize(d));
    reach += (a.shape(i) - 1) * (bytes / itemsize(d));
  }
  int64_t nbytes = a.size() ? (reach + 1) * itemsize(d) : 0;
  void* data = const_cast<void*>(a.data());
  Storage* s = borrow_storage(cpu_device(), 0, data, nbytes, a.release().ptr(), release_array);
  return from_storage(s, DType(d), shape, strides, 0);
}

}  // namespace

Ref tensor_from_array(PyObject* o, bool shared) {
  try {
    py::array a = py::array::ensure(py::reinterpret_borrow<py::object>(o));
    if (!a) throw PythonError{};
    if (!shared) {
      // Contiguous and aligned first, whatever the array's layout.
      a = py::array(py::module_::import("numpy").attr("ascontiguousarray")(a).attr("reshape")(
          a.attr("shape")));
      if (a.dtype().byteorder() == '>')
        a = py::array(a.attr("astype")(a.dtype().attr("newbyteorder")("=")));
    } else if (!a.writeable() &&
               PyErr_WarnEx(
                   PyExc_UserWarning,
                   "The given NumPy array is not writable, and tensors do not know of read-only "
                   "memory: "
                   "writing to this tensor is undefined. Copy the array to protect its data.",
                   1)) {
      throw PythonError{};
    }
    Ref t = share(std::move(a));
    if (shared) return t;
    GradModeGuard off(false);
    return clone(t);
  } catch (py::error_already_set& e) {
    e.restore();
    throw PythonError{};
  }
}

PyObject* array_from_tensor(Tensor* t) {
  if (t->dtype() == FB_BFLOAT16 || t->dtype() == FB_COMPLEX32)
    fail(ErrorKind::Type, "Got unsupported ScalarType %s", info(t->dtype()).legacy_name);
  try {
    std::vector<py::ssize_t> shape, strides;
    for (int i = 0; i < t->ndim(); i++) {
      shape.push_back(py::ssize_t(t->size(i)));
      strides.push_back(py::ssize_t(t->stride(i) * itemsize(t->dtype())));
    }
    // The array keeps an alias alive, so that the memory outlives the tensor.
    Ref owner = alias(t);
    py::object base = py::reinterpret_steal<py::object>(owner.object());
    return py::array(array_dtype(t->dtype()), shape, strides, t->arr.data, base).release().ptr();
  } catch (py::error_already_set& e) {
    e.restore();
    throw PythonError{};
  }
}

}  // namespace flambeau
