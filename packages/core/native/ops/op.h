// The op: one callable object that is function and method alike, made from a
// row (schema, implementation). Everything that all ops share happens here:
// parsing, modes, in-place and out= forms, errors.
#pragma once

#include <exception>
#include <functional>

#include "autograd/node.h"
#include "autograd/python.h"
#include "ops/arguments.h"
#include "ops/autocast.h"

namespace flambeau {

// Does the work: returns a new reference, throws on error.
using Impl = PyObject* (*)(Args& a);

enum OpFlag : uint32_t {
  kFunction = 1,      // flambeau.name
  kMethod = 2,        // Tensor.name
  kInPlace = 4,       // also Tensor.name_ (and flambeau.name_)
  kOut = 8,           // takes out=
  kNeural = 16,       // lives in nn_ops instead of the main namespace
  kOptimizer = 32,    // lives in optim_ops
  kOnlyInPlace = 64,  // there is no form that makes a new tensor
  kNeuralToo = 256,   // in nn_ops as well as in the main namespace
  kPrimitive = 512,   // a Python function that is not decomposed further; see primitive.h
  kExactOut = 1024,   // out= must have the result's dtype; it is not converted to
  kPointwise = 2048,  // each element of the result depends on the like-placed ones alone
  kBoth = kFunction | kMethod,
  kAllForms = kBoth | kInPlace | kOut,
  kElementwise = kAllForms | kPointwise,
};

struct Overload {
  Schema schema;
  Impl impl;
  const void* row;
};

struct Op {
  PyObject_HEAD vectorcallfunc call;
  const char* name;
  std::vector<Overload>* overloads;
  PyObject* composition;  // the Python definition, or nullptr
  PyObject* documented;   // the Python function that the doc stands at, or nullptr
  PyObject* dict;
  bool inplace;
  bool elementwise;      // transforms may align and broadcast the arguments
  bool is_operator;      // answers NotImplemented to operands that it does not know
  bool asks_transforms;  // shown to an active transform whatever its arguments (random ops)
  Autocast autocast;
};

extern PyTypeObject* op_type;
bool make_op_type();

// One row. Rows of one name are overloads, tried in order.
void declare(const char* schema, Impl impl, uint32_t flags, const void* row = nullptr);
inline void declare(const std::string& schema, Impl impl, uint32_t flags,
                    const void* row = nullptr) {
  declare(schema.c_str(), impl, flags, row);
}
// A method whose arguments stand in another order than the function's.
void declare_method(const char* schema, Impl impl);
// An op as the operator method of a name (__add__): there it takes keywords,
// which the slot does not.
void publish_operator(const char* attribute, const char* name, bool inplace);
void set_autocast(Autocast policy, std::initializer_list<const char*> names);
// Puts every declared op into its namespaces; called once, by the module.
void publish_ops(PyObject* module, PyObject* tensor_type, PyObject* nn_ops, PyObject* optim_ops);
// An op that is a Python function; see flambeau_core.declare.
PyObject* declare_python_op(const char* schema, PyObject* function, uint32_t flags);
// The Python definition of a native op, used where a backend has no kernel.
void set_composition(const char* name, PyObject* function);
Op* find_op(const std::string& name);

// Calls a Python function with the arguments as they now are, as Python objects.
PyObject* call_boxed(PyObject* function, Args& a);
// Calls the op's Python definition with the arguments as they now are.
PyObject* compose(Args& a);
// The same for another op or kernel id, from C++ arguments.
PyObject* compose(const char* name, std::initializer_list<PyObject*> owned_args);

// Runs native code under Python: C++ exceptions become Python's.
void set_python_error(std::exception_ptr e);
template <class F>
auto guarded(F&& f, decltype(f()) failed = {}) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    set_python_error(std::current_exception());
    return failed;
  }
}

inline PyObject* object(Ref r) { return r.object(); }
inline PyObject* boxed(Tensor* t) {
  PyObject* o = t ? reinterpret_cast<PyObject*>(t) : Py_None;
  Py_INCREF(o);
  return o;
}
// A named tuple of flambeau.return_types, or a plain tuple.
PyObject* named_result(const char* type_name, std::initializer_list<Ref> values);
PyObject* tuple_of(std::vector<Ref> values);

}  // namespace flambeau
