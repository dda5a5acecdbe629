// The extension module: types, ops, and the doors for plugins and settings.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "bindings/bindings.h"
#include "dispatch/call.h"
#include "dispatch/promotion.h"
#include "memory/allocator.h"
#include "ops/families.h"
#include "ops/generator.h"
#include "ops/primitive.h"

namespace py = pybind11;
using namespace flambeau;

namespace {

[[noreturn]] void raise_python() { throw py::error_already_set(); }

// What Python hands over as a dtype; TypeError where it is none.
DType checked_dtype(const char* function, py::handle o) {
  if (Py_TYPE(o.ptr()) != dtype_type)
    throw py::type_error(std::string(function) + "(): expected a dtype, got " +
                         Py_TYPE(o.ptr())->tp_name);
  return dtype_of(o.ptr());
}

// Translates both kinds of exception on the way to pybind11.
template <class F>
auto translated(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const PythonError&) {
    raise_python();
  } catch (const Error&) {
    set_python_error(std::current_exception());
    raise_python();
  }
}

void open_device(const std::string& name) {
  PyObject* plugins = checked(PyImport_ImportModule("flambeau_core.plugins"));
  PyObject* result = PyObject_CallMethod(plugins, "open_device", "s", name.c_str());
  Py_DECREF(plugins);
  Py_DECREF(checked(result));
}

bool open_another(const std::string& name) {
  PyObject* plugins = checked(PyImport_ImportModule("flambeau_core.plugins"));
  PyObject* result = PyObject_CallMethod(plugins, "open_another", "s", name.c_str());
  Py_DECREF(plugins);
  bool opened = checked(result) == Py_True;
  Py_DECREF(result);
  return opened;
}

void warn(const char* text) {
  if (PyErr_WarnEx(PyExc_UserWarning, text, 1)) throw PythonError{};
}

void install(const std::string& device_type, const std::string& name, py::object backend) {
  translated([&] {
    std::unique_ptr<Backend> b;
    if (PyCapsule_CheckExact(backend.ptr())) {
      auto* table =
          static_cast<const fb_backend*>(PyCapsule_GetPointer(backend.ptr(), FB_BACKEND_CAPSULE));
      if (!table) throw PythonError{};
      backend.inc_ref();  // the table stays in use as long as the process lives
      b = make_native_backend(table);
    } else {
      b = make_python_backend(backend.ptr());
    }
    b->name = name;
    install_backend(device_type, std::move(b));
  });
}

py::dict installed() {
  py::dict all;
  for (DeviceType* t : device_types()) {
    py::list names;
    for (auto& b : t->backends) names.append(b->name);
    if (t->backend || !t->backends.empty()) all[py::str(t->name)] = names;
  }
  return all;
}

py::object current_backend(const std::string& device_type) {
  DeviceType* t = find_device_type(device_type);
  return t && t->backend ? py::object(py::str(t->backend->name)) : py::none();
}

Backend* opened(const std::string& device_type) {
  return translated([&]() -> Backend* {
    DeviceType* t = find_device_type(device_type);
    if (!t) t = make_device_type(device_type, false);
    return t->opened();
  });
}

int kernel_named(const std::string& id) {
  int k = find_kernel_id(id);
  if (k < 0) throw py::key_error("no kernel named " + id);
  return k;
}

void bind_backends(py::module_& m) {
  m.def("install_backend", install, py::arg("device_type"), py::arg("name"), py::arg("backend"));
  m.def("use_backend",
        [](const std::string& d, const std::string& n) { translated([&] { use_backend(d, n); }); });
  m.def("installed_backends", installed);
  m.def("current_backend", current_backend);
  m.def("device_count",
        [](const std::string& d) { return translated([&] { return opened(d)->device_count(); }); });
  m.def("synchronize",
        [](const std::string& d, int i) { translated([&] { opened(d)->synchronize(i); }); });
  m.def("get_num_threads", [] { return opened("cpu")->get_num_threads(); });
  m.def("set_num_threads", [](int n) {
    if (n < 1) throw py::value_error("set_num_threads expects a positive integer");
    for (auto& b : (opened("cpu"), cpu_device()->backends)) b->set_num_threads(n);
  });
  m.def("set_cpu_fallback", set_cpu_fallback);
  m.def("cpu_fallback", cpu_fallback);
  m.def("has_kernel", [](const std::string& d, const std::string& id, py::handle dtype) {
    int k = kernel_named(id);
    return translated(
        [&] { return opened(d)->kernel(k, checked_dtype("has_kernel", dtype)).fn != nullptr; });
  });
  m.def("borrows_kernel", [](const std::string& d, const std::string& id, py::handle dtype) {
    int k = kernel_named(id);
    return translated([&] {
      Backend* own = opened(d);
      Backend* other = lender(find_device_type(d), k, checked_dtype("borrows_kernel", dtype));
      return other && other != own;
    });
  });
  m.def("kernel_rows", [] {
    py::list rows;
    for (const fb_kernel_row& r : fb_kernel_rows)
      rows.append(py::make_tuple(r.id, r.family, std::string(1, r.level), r.params, r.note));
    return rows;
  });
  m.def("empty_cache", host_empty_cache);
  m.def("cached_bytes", host_cached_bytes);
  m.attr("API_VERSION") = FB_API_VERSION;
}

void bind_types(py::module_& m) {
  m.def("get_default_dtype",
        [] { return py::reinterpret_steal<py::object>(dtype_object(default_dtype())); });
  m.def("set_default_dtype", [](py::handle d) {
    if (Py_TYPE(d.ptr()) != dtype_type || !is_floating(dtype_of(d.ptr())))
      throw py::type_error("only floating-point types are supported as the default type");
    set_default_dtype(dtype_of(d.ptr()));
  });
  m.def("promote_types", [](py::handle a, py::handle b) {
    DType both = promote(checked_dtype("promote_types", a), checked_dtype("promote_types", b));
    return py::reinterpret_steal<py::object>(dtype_object(both));
  });
  m.def("can_cast", [](py::handle a, py::handle b) {
    return can_cast(checked_dtype("can_cast", a), checked_dtype("can_cast", b));
  });
  m.def("autocast_set", [](const std::string& device_type, bool enabled, py::handle dtype) {
    autocast_state().set(device_type, enabled, checked_dtype("autocast", dtype));
  });
  m.def("autocast_get", [](const std::string& device_type) {
    auto e = autocast_state().get(device_type);
    return py::make_tuple(e.enabled, py::reinterpret_steal<py::object>(dtype_object(e.dtype)));
  });
}

void bind_ops(py::module_& m) {
  m.def("declare", [](const std::string& schema, py::object f, bool function, bool method,
                      bool inplace, bool out, bool neural, bool neural_too, bool primitive,
                      bool exact_out) {
    uint32_t flags = (function ? kFunction : 0u) | (method ? kMethod : 0u) |
                     (inplace ? kInPlace : 0u) | (out ? kOut : 0u) | (neural ? kNeural : 0u) |
                     (neural_too ? kNeuralToo : 0u) | (primitive ? kPrimitive : 0u) |
                     (exact_out ? kExactOut : 0u);
    return translated([&] {
      return py::reinterpret_steal<py::object>(declare_python_op(schema.c_str(), f.ptr(), flags));
    });
  });
  m.def("find_op", [](const std::string& name) {
    auto o = reinterpret_cast<PyObject*>(find_op(name));
    if (!o) throw py::key_error("no op named " + name);
    return py::reinterpret_borrow<py::object>(o);
  });
  m.def("keep_full_precision",
        [](const std::string& name) { set_autocast(Autocast::Full, {name.c_str()}); });
  m.def("set_composition",
        [](const std::string& name, py::object f) { set_composition(name.c_str(), f.ptr()); });
}

void add_functions(py::module_& m, PyMethodDef* table) {
  if (PyModule_AddFunctions(m.ptr(), table) < 0) raise_python();
}

}  // namespace

PYBIND11_MODULE(_C, m) {
  open_device_hook = open_device;
  open_another_hook = open_another;
  fallback_warning = warn;
  release_lock = []() -> void* { return PyEval_SaveThread(); };
  acquire_lock = [](void* s) { PyEval_RestoreThread(static_cast<PyThreadState*>(s)); };
  supply_gradient_arithmetic();
  PyObject* o = m.ptr();
  if (!make_size_type(o) || !make_dtype_type(o) || !make_device_type_object(o) || !make_op_type() ||
      !make_tensor_type(o) || !make_grad_context_type(o) || !make_node_type(o) ||
      !make_saved_values_type())
    raise_python();
  auto nn_ops = m.def_submodule("nn_ops", "Neural-network ops.");
  auto optim_ops = m.def_submodule("optim_ops", "Optimizer steps over lists of tensors.");
  translated([&] {
    declare_families();
    publish_ops(o, reinterpret_cast<PyObject*>(tensor_type), nn_ops.ptr(), optim_ops.ptr());
    publish_operator("__add__", "add", false);
    publish_operator("__iadd__", "add", true);
    publish_operator("__sub__", "sub", false);
    publish_operator("__isub__", "sub", true);
  });
  add_functions(m, autograd_functions);
  add_functions(m, function_node_functions);
  add_functions(m, graph_search_functions);
  add_functions(m, interception_functions);
  add_functions(m, autograd_graph_functions);
  add_functions(m, launch_functions);
  bind_backends(m);
  bind_types(m);
  bind_ops(m);
  bind_generator(o);
}
