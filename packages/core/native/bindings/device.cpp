// flambeau.device: a device type's name and an index.
#include <cstring>

#include "bindings/bindings.h"
#include "bindings/type_docs.h"

namespace flambeau {

PyTypeObject* device_type = nullptr;

namespace {

struct DeviceObject {
  PyObject_HEAD Device device;
};

Device& device_of(PyObject* o) { return reinterpret_cast<DeviceObject*>(o)->device; }

// The name of a device type, opened by its plugin where it is not known yet.
DeviceType* type_named(const std::string& name) {
  if (DeviceType* t = find_device_type(name)) return t;
  // The plugins decide whether such a type exists; they raise where it does not.
  PyObject* plugins = checked(PyImport_ImportModule("flambeau_core.plugins.names"));
  PyObject* answer = PyObject_CallMethod(plugins, "check_device_type", "s", name.c_str());
  Py_DECREF(plugins);
  Py_DECREF(checked(answer));
  return make_device_type(name, false);
}

Device parse(const char* text) {
  const char* colon = std::strchr(text, ':');
  std::string name = colon ? std::string(text, colon) : text;
  int index = -1;
  if (colon) {
    char* end;
    long v = std::strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || v < 0 || v > 65535)
      fail(ErrorKind::Runtime, "Invalid device string: '%s'", text);
    index = int(v);
  }
  if (name.empty()) fail(ErrorKind::Runtime, "Device string must not be empty");
  return {type_named(name), index};
}

PyObject* create(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "index", nullptr};
  PyObject *type = nullptr, *index = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", const_cast<char**>(names), &type, &index))
    return nullptr;
  return guarded([&]() -> PyObject* {
    Device d;
    if (PyLong_Check(type)) {
      d = {type_named("cuda"), int(PyLong_AsLong(type))};
    } else if (!device_from(type, d)) {
      fail(ErrorKind::Type, "device(): argument 'type' must be str, int or device, not %s",
           Py_TYPE(type)->tp_name);
    }
    if (index && index != Py_None) {
      if (d.index >= 0)
        fail(ErrorKind::Runtime,
             "type (string) must not include an index because index was passed explicitly");
      d.index = int(PyLong_AsLong(index));
      if (PyErr_Occurred()) throw PythonError{};
    }
    return device_object(d);
  });
}

PyObject* repr(PyObject* self) {
  Device d = device_of(self);
  return d.index < 0
             ? PyUnicode_FromFormat("device(type='%s')", d.type->name.c_str())
             : PyUnicode_FromFormat("device(type='%s', index=%d)", d.type->name.c_str(), d.index);
}
PyObject* text(PyObject* self) {
  return PyUnicode_FromString(device_name(device_of(self)).c_str());
}
PyObject* get_type(PyObject* self, void*) {
  return PyUnicode_FromString(device_of(self).type->name.c_str());
}
PyObject* get_index(PyObject* self, void*) {
  if (device_of(self).index < 0) Py_RETURN_NONE;
  return PyLong_FromLong(device_of(self).index);
}
Py_hash_t hash(PyObject* self) {
  Device d = device_of(self);
  return Py_hash_t(reinterpret_cast<uintptr_t>(d.type) / 16 * 31 + uintptr_t(d.index + 1));
}
PyObject* compare(PyObject* a, PyObject* b, int op) {
  if (Py_TYPE(b) != device_type || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  bool same = device_of(a).type == device_of(b).type && device_of(a).index == device_of(b).index;
  return PyBool_FromLong(same == (op == Py_EQ));
}
PyObject* reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("(O(s))", device_type, device_name(device_of(self)).c_str());
}

PyGetSetDef attributes[] = {
    {"type", get_type, nullptr, "The type of the device: 'cpu', 'cuda'.", nullptr},
    {"index", get_index, nullptr, "Which device of its type, or None for the current one.",
     nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {{"__reduce__", reduce, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(create)},
                       {Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_str, reinterpret_cast<void*>(text)},
                       {Py_tp_hash, reinterpret_cast<void*>(hash)},
                       {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                       {Py_tp_getset, attributes},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>(docs::device_class)},
                       {0, nullptr}};
PyType_Spec spec = {"flambeau_core.device", sizeof(DeviceObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

std::string device_name(Device d) {
  return d.index < 0 ? d.type->name : d.type->name + ":" + std::to_string(d.index);
}

bool device_from(PyObject* o, Device& d) {
  if (Py_TYPE(o) == device_type) {
    d = device_of(o);
    return true;
  }
  if (!PyUnicode_Check(o)) return false;
  d = parse(PyUnicode_AsUTF8(o));
  return true;
}

PyObject* device_object(Device d) {
  static PyObject* plain_cpu = nullptr;
  bool is_cpu = d.type == cpu_device() && d.index < 0;
  if (is_cpu && plain_cpu) return Py_INCREF(plain_cpu), plain_cpu;
  auto* o = PyObject_New(DeviceObject, device_type);
  if (!o) return nullptr;
  o->device = d;
  if (is_cpu) {
    plain_cpu = reinterpret_cast<PyObject*>(o);
    Py_INCREF(plain_cpu);
  }
  return reinterpret_cast<PyObject*>(o);
}

bool make_device_type_object(PyObject* module) {
  device_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  return device_type &&
         PyObject_SetAttrString(module, "device", reinterpret_cast<PyObject*>(device_type)) == 0;
}

}  // namespace flambeau
