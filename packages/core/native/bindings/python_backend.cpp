// A backend whose memory and kernels are Python: the bridge from the kernel
// contract to an object's methods.
#include <cstring>

#include "bindings/bindings.h"

namespace flambeau {
namespace {

PyObject* dtype_text(int d) {
  static PyObject* names[FB_DTYPE_COUNT];
  if (!names[d]) names[d] = PyUnicode_InternFromString(dtype_name(d));
  return names[d];
}

PyObject* int_tuple(Ints a, int64_t factor) {
  PyObject* t = PyTuple_New(a.n);
  for (int i = 0; i < a.n; i++) PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(a[i] * factor));
  return t;
}

PyObject* scalar_object(const fb_array& a) {
  Scalar s = load_scalar(a.data, a.dtype);
  switch (s.category) {
    case Category::Bool:
      return PyBool_FromLong(long(s.i));
    case Category::Integer:
      return PyLong_FromLongLong(s.i);
    case Category::Floating:
      return PyFloat_FromDouble(s.f);
    default:
      return PyComplex_FromDoubles(s.f, s.imag);
  }
}

// What a row of the kernel list says about a kernel's parameters.
struct ParamNames {
  std::vector<std::pair<char, PyObject*>> list;
  PyObject* keywords = nullptr;
  explicit ParamNames(const char* spec) {
    for (const char* p = spec; *p;) {
      char kind = *p;
      const char* end = std::strchr(p, ' ');
      std::string name = end ? std::string(p + 2, end) : std::string(p + 2);
      list.push_back({kind, PyUnicode_InternFromString(name.c_str())});
      p = end ? end + 1 : p + std::strlen(p);
    }
    if (list.empty()) return;
    keywords = PyTuple_New(Py_ssize_t(list.size()));
    for (size_t i = 0; i < list.size(); i++) {
      Py_INCREF(list[i].second);
      PyTuple_SET_ITEM(keywords, Py_ssize_t(i), list[i].second);
    }
  }
};

class PythonBackend;

struct PythonKernel {
  PythonBackend* backend;
  PyObject* function;
  ParamNames params;
};

class PythonBackend final : public Backend {
 public:
  explicit PythonBackend(PyObject* o) : object_(o) {
    Py_INCREF(o);
    PyObject* n = checked(PyObject_GetAttrString(o, "name"));
    name = PyUnicode_AsUTF8(n);
    Py_DECREF(n);
    PyObject* host = checked(PyObject_GetAttrString(o, "host_memory"));
    host_memory = PyObject_IsTrue(host) == 1;
    Py_DECREF(host);
  }

  int device_count() override {
    PyObject* n = call("device_count", nullptr);
    int v = int(PyLong_AsLong(n));
    Py_DECREF(n);
    return v;
  }
  void allocate(int device, int64_t nbytes, void** data, void** buffer) override {
    *data = nullptr;  // addresses are offsets within the buffer
    *buffer = call("allocate", "(Li)", static_cast<long long>(nbytes), device);
  }
  void release(int, void*, int64_t, void* buffer) override {
    Py_DECREF(static_cast<PyObject*>(buffer));
  }
  void copy_from_host(int, void* data, void* buffer, int64_t offset, const void* source,
                      int64_t nbytes) override {
    PyObject* view = PyMemoryView_FromMemory(const_cast<char*>(static_cast<const char*>(source)),
                                             nbytes, PyBUF_READ);
    Py_DECREF(call("copy_from_host", "(OLN)", buffer,
                   static_cast<long long>(intptr_t(data) + offset), view));
  }
  void copy_to_host(int, void* data, void* buffer, int64_t offset, void* target,
                    int64_t nbytes) override {
    PyObject* view = PyMemoryView_FromMemory(static_cast<char*>(target), nbytes, PyBUF_WRITE);
    Py_DECREF(call("copy_to_host", "(OLN)", buffer, static_cast<long long>(intptr_t(data) + offset),
                   view));
  }
  void synchronize(int device) override { Py_DECREF(call("synchronize", "(i)", device)); }
  // An index out of bounds reads as on native backends, where core names the op;
  // every other exception travels on as it is.
  [[noreturn]] void raise(int, const char*) override {
    if (!PyErr_ExceptionMatches(PyExc_IndexError)) throw PythonError{};
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject* text = value ? PyObject_Str(value) : nullptr;
    std::string message = text ? PyUnicode_AsUTF8(text) : "index out of bounds";
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    throw Error(ErrorKind::Index, message);
  }

  Kernel resolve(const char* id, int dtype) override {
    PyObject* f = call("kernel", "(sO)", id, dtype_text(dtype));
    if (f == Py_None) {
      Py_DECREF(f);
      return {nullptr, nullptr, true};
    }
    // Kernels live as long as the process, like their backend.
    auto* k = new PythonKernel{this, f, ParamNames(fb_kernel_rows[find_kernel_id(id)].params)};
    return {run, k, true};
  }

 private:
  template <class... T>
  PyObject* call(const char* method, const char* format, T... args) {
    return checked(PyObject_CallMethod(object_, method, format, args...));
  }

  // The backend's own array over what a view covers.
  PyObject* array(const fb_array& a) {
    if (a.flags & FB_HOST_SCALAR) return scalar_object(a);
    int64_t size = itemsize(a.dtype), offset = 0, reach = 0;
    PyObject* buffer;
    if (host_memory) {
      for (int i = 0; i < a.ndim; i++) reach += std::max<int64_t>(a.shape[i] - 1, 0) * a.strides[i];
      buffer = PyMemoryView_FromMemory(static_cast<char*>(a.data), a.numel ? (reach + 1) * size : 0,
                                       PyBUF_WRITE);
    } else {
      buffer = static_cast<PyObject*>(a.buffer);
      Py_INCREF(buffer);
      offset = intptr_t(a.data);
    }
    return call("view", "(NLNNO)", buffer, static_cast<long long>(offset),
                int_tuple({a.shape, a.ndim}, 1), int_tuple({a.strides, a.ndim}, size),
                dtype_text(a.dtype));
  }

  static PyObject* param_object(char kind, const fb_param& p) {
    if (kind == 'i') return PyLong_FromLongLong(p.i);
    if (kind == 'f') return PyFloat_FromDouble(p.f);
    return int_tuple({p.list.p, int(p.list.n)}, 1);
  }

  static int run(void* ctx, int n_out, fb_array* const* out, int n_in, const fb_array* const* in,
                 const fb_param* params) {
    auto* k = static_cast<PythonKernel*>(ctx);
    std::vector<PyObject*> args;
    PyObject* result = nullptr;
    try {
      for (int i = 0; i < n_out; i++)
        args.push_back(out[i] ? k->backend->array(*out[i]) : (Py_INCREF(Py_None), Py_None));
      for (int i = 0; i < n_in; i++)
        args.push_back(in[i] ? k->backend->array(*in[i]) : (Py_INCREF(Py_None), Py_None));
      size_t positional = args.size();
      for (size_t i = 0; i < k->params.list.size(); i++)
        args.push_back(param_object(k->params.list[i].first, params[i]));
      result = PyObject_Vectorcall(k->function, args.data(), positional, k->params.keywords);
    } catch (const PythonError&) {
    }
    for (PyObject* o : args) Py_XDECREF(o);
    Py_XDECREF(result);
    return result ? FB_OK : FB_ERROR;
  }

  PyObject* object_;
};

}  // namespace

std::unique_ptr<Backend> make_python_backend(PyObject* backend) {
  return std::make_unique<PythonBackend>(backend);
}

}  // namespace flambeau
