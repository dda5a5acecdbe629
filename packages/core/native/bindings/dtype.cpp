// flambeau.dtype: one object for each element type.
#include "bindings/bindings.h"
#include "bindings/type_docs.h"

namespace flambeau {

PyTypeObject* dtype_type = nullptr;

namespace {

struct DTypeObject {
  PyObject_HEAD int code;
};

PyObject* objects[FB_DTYPE_COUNT];

int code_of(PyObject* o) { return reinterpret_cast<DTypeObject*>(o)->code; }

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("flambeau.%s", dtype_name(code_of(self)));
}
PyObject* get_name(PyObject* self, void*) {
  return PyUnicode_FromString(dtype_name(code_of(self)));
}
PyObject* get_itemsize(PyObject* self, void*) {
  return PyLong_FromLongLong(itemsize(code_of(self)));
}
PyObject* get_floating(PyObject* self, void*) {
  return PyBool_FromLong(is_floating(code_of(self)));
}
PyObject* get_complex(PyObject* self, void*) { return PyBool_FromLong(is_complex(code_of(self))); }
PyObject* get_signed(PyObject* self, void*) {
  return PyBool_FromLong(code_of(self) != FB_BOOL && !is_unsigned(code_of(self)));
}
PyObject* to_real(PyObject* self, PyObject*) {
  return dtype_object(real_dtype(DType(code_of(self))));
}
PyObject* to_complex(PyObject* self, PyObject*) {
  int d = code_of(self);
  return dtype_object(is_complex(d) ? d : d == FB_FLOAT16 ? FB_COMPLEX32 : complex_dtype(DType(d)));
}
// Pickled by its name, which is the same in every process.
PyObject* reduce(PyObject* self, PyObject*) {
  PyObject* module = PyImport_ImportModule("flambeau_core.pickling");
  PyObject* find = module ? PyObject_GetAttrString(module, "dtype_by_name") : nullptr;
  Py_XDECREF(module);
  return find ? Py_BuildValue("(N(s))", find, dtype_name(code_of(self))) : nullptr;
}

PyGetSetDef attributes[] = {
    {"name", get_name, nullptr, "The name: 'float32'.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"is_floating_point", get_floating, nullptr,
     "Whether elements are real numbers with a fraction.", nullptr},
    {"is_complex", get_complex, nullptr, "Whether elements are complex numbers.", nullptr},
    {"is_signed", get_signed, nullptr, "Whether there are negative numbers.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef methods[] = {
    {"to_real", to_real, METH_NOARGS,
     "to_real($self, /)\n--\n\nThe dtype of a complex one's parts; itself otherwise."},
    {"to_complex", to_complex, METH_NOARGS,
     "to_complex($self, /)\n--\n\nThe complex dtype of such parts; itself if it is complex."},
    {"__reduce__", reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_repr, reinterpret_cast<void*>(repr)},
                       {Py_tp_getset, attributes},
                       {Py_tp_methods, methods},
                       {Py_tp_doc, const_cast<char*>(docs::dtype_class)},
                       {0, nullptr}};
PyType_Spec spec = {"flambeau_core.dtype", sizeof(DTypeObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

}  // namespace

DType dtype_of(PyObject* o) { return DType(code_of(o)); }

PyObject* dtype_object(int d) {
  Py_INCREF(objects[d]);
  return objects[d];
}

bool make_dtype_type(PyObject* module) {
  dtype_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!dtype_type) return false;
  for (int d = 0; d < FB_DTYPE_COUNT; d++) {
    auto* o = PyObject_New(DTypeObject, dtype_type);
    if (!o) return false;
    o->code = d;
    objects[d] = reinterpret_cast<PyObject*>(o);
    if (PyObject_SetAttrString(module, dtype_name(d), objects[d]) < 0) return false;
  }
  static constexpr struct {
    const char* name;
    int d;
  } aliases[] = {{"half", FB_FLOAT16},     {"float", FB_FLOAT32},      {"double", FB_FLOAT64},
                 {"short", FB_INT16},      {"int", FB_INT32},          {"long", FB_INT64},
                 {"cfloat", FB_COMPLEX64}, {"cdouble", FB_COMPLEX128}, {"chalf", FB_COMPLEX32}};
  for (auto& a : aliases)
    if (PyObject_SetAttrString(module, a.name, objects[a.d]) < 0) return false;
  return PyObject_SetAttrString(module, "dtype", reinterpret_cast<PyObject*>(dtype_type)) == 0;
}

}  // namespace flambeau
