// Tensors from Python's own values: numbers, nested lists, arrays of others.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace flambeau {

// `dtype` of -1: found from the values. Always a copy; outside the graph.
Ref tensor_from(PyObject* data, int dtype, Device device);
// Whether the object is an array of another library (it has a buffer or an
// array interface).
bool is_foreign_array(PyObject* o);
// Shares a NumPy array's memory where `share`, else copies.
Ref tensor_from_array(PyObject* array, bool share);
PyObject* array_from_tensor(Tensor* t);
PyObject* list_from_tensor(Tensor* t);
PyObject* number_from_scalar(Tensor* t);

}  // namespace flambeau
