// Ops whose forward and gradient are Python functions; see flambeau_core.declare.
#pragma once

#include "ops/op.h"

namespace flambeau {

// The row of such an op; it lives as long as the process.
struct Primitive {
  PyObject* function;
  PyObject* gradient = nullptr;  // (grad_outputs, inputs, outputs, needs) -> gradients
};

const Primitive* new_primitive(PyObject* function);
void set_gradient(const Primitive* primitive, PyObject* gradient);

// Calls the function with recording off, and records the gradient if an input needs it.
PyObject* run_primitive(Args& a);

bool make_saved_values_type();

}  // namespace flambeau
