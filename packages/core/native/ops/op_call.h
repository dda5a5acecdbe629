// How an op is called, from Python and by transforms.
#pragma once

#include "ops/op.h"

namespace flambeau {

// A schema as users read it: with the out= that is added to all of them alike.
std::string shown(const Op* op, const Schema& schema);

// Op.__call__, as a vectorcall.
PyObject* op_call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames);
// Op._run(overload, args, out): one overload on arguments in the order of its schema,
// past everybody who would like to see the call; the transforms' way down.
PyObject* op_run(PyObject* self, PyObject* const* args, Py_ssize_t n);

// A Python op's implementation: hands the parsed arguments to the overload's function.
PyObject* run_python_op(Args& a);

}  // namespace flambeau
