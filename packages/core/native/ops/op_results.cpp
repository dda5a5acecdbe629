// What comes out of an op: results as Python has them, errors as Python's exceptions.
#include <Python.h>

#include <map>
#include <string_view>

#include "ops/op.h"

namespace flambeau {

void set_python_error(std::exception_ptr e) {
  try {
    std::rethrow_exception(e);
  } catch (const PythonError&) {
  } catch (const Error& error) {
    PyObject* type = PyExc_RuntimeError;
    switch (error.kind()) {
      case ErrorKind::Type:
        type = PyExc_TypeError;
        break;
      case ErrorKind::Value:
        type = PyExc_ValueError;
        break;
      case ErrorKind::Index:
        type = PyExc_IndexError;
        break;
      case ErrorKind::NotImplemented:
        type = PyExc_NotImplementedError;
        break;
      case ErrorKind::ZeroDivision:
        type = PyExc_ZeroDivisionError;
        break;
      default:
        break;
    }
    PyErr_SetString(type, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

PyObject* tuple_of(std::vector<Ref> values) {
  PyObject* t = checked(PyTuple_New(Py_ssize_t(values.size())));
  for (size_t i = 0; i < values.size(); i++) {
    PyObject* o = values[i] ? values[i].object() : (Py_INCREF(Py_None), Py_None);
    PyTuple_SET_ITEM(t, Py_ssize_t(i), o);
  }
  return t;
}

PyObject* named_result(const char* type_name, std::initializer_list<Ref> values) {
  static std::map<std::string_view, PyObject*> types;  // the names are literals
  PyObject*& type = types[type_name];
  if (!type) {
    PyObject* module = checked(PyImport_ImportModule("flambeau_core.return_types"));
    type = PyObject_GetAttrString(module, type_name);
    Py_DECREF(module);
    checked(type);
  }
  // The types are subclasses of tuple without a constructor of their own.
  auto subclass = reinterpret_cast<PyTypeObject*>(type);
  PyObject* named = checked(subclass->tp_alloc(subclass, Py_ssize_t(values.size())));
  Py_ssize_t i = 0;
  for (const Ref& v : values) PyTuple_SET_ITEM(named, i++, boxed(v));
  return named;
}

}  // namespace flambeau
