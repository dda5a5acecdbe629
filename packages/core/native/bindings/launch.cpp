// Kernels as Python calls them, on tensors that it has allocated.
#include "ops/launch.h"

#include "bindings/bindings.h"
#include "ops/elementwise.h"

namespace flambeau {
namespace {

// Tensors, or None where an array is absent.
std::vector<Tensor*> arrays_of(const char* what, PyObject* o) {
  PyObject* items = checked(PySequence_Fast(o, "launch: expected a sequence of tensors"));
  std::vector<Tensor*> tensors;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
    PyObject* item = PySequence_Fast_GET_ITEM(items, i);
    if (item != Py_None && !is_tensor(item)) {
      Py_DECREF(items);
      fail(ErrorKind::Type, "launch: argument '%s' must hold tensors or None, got %s", what,
           Py_TYPE(item)->tp_name);
    }
    tensors.push_back(item == Py_None ? nullptr : as_tensor(item));
  }
  Py_DECREF(items);  // the caller's own sequence keeps the tensors alive
  return tensors;
}

fb_param list_from(PyObject* o, std::vector<int64_t>& room) {
  PyObject* items = checked(PySequence_Fast(o, "launch: expected a list of integers"));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++)
    room.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items, i)));
  Py_DECREF(items);
  if (PyErr_Occurred()) throw PythonError{};
  return list_param({room.data(), int(room.size())});
}

// The values in the order of the kernel's row, as the kinds that it names.
std::vector<fb_param> params_of(int kernel, PyObject* o, std::vector<std::vector<int64_t>>& lists) {
  const fb_kernel_row& row = fb_kernel_rows[kernel];
  std::string kinds;
  for (const char* p = row.params; *p; p++)
    if (p == row.params || p[-1] == ' ') kinds += *p;
  Py_ssize_t n = o ? PySequence_Size(o) : 0;
  if (n < 0) throw PythonError{};
  if (n != Py_ssize_t(kinds.size()))
    fail(ErrorKind::Type, "launch: kernel '%s' takes %zu parameters (%s), got %zd", row.id,
         kinds.size(), row.params, n);
  lists.resize(kinds.size());
  std::vector<fb_param> params;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject* item = checked(PySequence_GetItem(o, i));
    char kind = kinds[size_t(i)];
    params.push_back(kind == 'i'   ? int_param(PyLong_AsLongLong(item))
                     : kind == 'f' ? float_param(PyFloat_AsDouble(item))
                                   : list_from(item, lists[size_t(i)]));
    Py_DECREF(item);
    if (PyErr_Occurred()) throw PythonError{};
  }
  return params;
}

// launch(kernel_id, outs, ins, params=()): outputs are allocated already.
PyObject* function_launch(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n < 3 || n > 4) fail(ErrorKind::Type, "launch takes 3 or 4 arguments, got %zd", n);
    const char* id = PyUnicode_Check(args[0]) ? PyUnicode_AsUTF8(args[0]) : nullptr;
    if (!id) fail(ErrorKind::Type, "launch: argument 'kernel_id' must be a str");
    int kernel = find_kernel_id(id);
    if (kernel < 0) fail(ErrorKind::Value, "launch: no kernel named '%s'", id);
    auto outs = arrays_of("outs", args[1]), ins = arrays_of("ins", args[2]);
    std::vector<std::vector<int64_t>> lists;
    auto params = params_of(kernel, n > 3 ? args[3] : nullptr, lists);
    std::vector<fb_array*> out;
    std::vector<const fb_array*> in;
    Tensor* key = nullptr;
    for (Tensor* t : ins) {
      in.push_back(t ? &t->arr : nullptr);
      if (!key) key = t;
    }
    for (Tensor* t : outs) {
      out.push_back(t ? &t->arr : nullptr);
      if (!key) key = t;
    }
    if (!key) fail(ErrorKind::Value, "launch: kernel '%s' was given no tensor", id);
    for (Tensor* t : outs)
      if (t) check_same_device(id, key, t);
    call_kernel(key->device, {kernel, key->dtype(), out.data(), int(out.size()), in.data(),
                              int(in.size()), params.data()});
    Py_RETURN_NONE;
  });
}

}  // namespace

PyMethodDef launch_functions[] = {
    {"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function_launch)),
     METH_FASTCALL, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace flambeau
