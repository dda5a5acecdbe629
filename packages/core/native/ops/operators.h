// Python's operators on tensors, as slots of the type.
#pragma once

#include <Python.h>

namespace flambeau::operators {

PyObject* add(PyObject* x, PyObject* y);
PyObject* sub(PyObject* x, PyObject* y);
PyObject* mul(PyObject* x, PyObject* y);
PyObject* div(PyObject* x, PyObject* y);
PyObject* floor_divide(PyObject* x, PyObject* y);
PyObject* remainder(PyObject* x, PyObject* y);
PyObject* power(PyObject* x, PyObject* y, PyObject* modulus);
PyObject* bit_and(PyObject* x, PyObject* y);
PyObject* bit_or(PyObject* x, PyObject* y);
PyObject* bit_xor(PyObject* x, PyObject* y);
PyObject* lshift(PyObject* x, PyObject* y);
PyObject* rshift(PyObject* x, PyObject* y);
PyObject* compare(PyObject* x, PyObject* y, int op);
PyObject* matmul(PyObject* x, PyObject* y);

// x[...], x[...] = v, del, len
PyObject* get_item(PyObject* x, PyObject* index);
int set_item(PyObject* x, PyObject* index, PyObject* value);
Py_ssize_t length(PyObject* x);

}  // namespace flambeau::operators
