// What autograd asks of Python: an error already set there, the lines of a
// forward call, hooks.
#pragma once

#include <Python.h>

#include "autograd/node.h"

namespace flambeau {

// A Python exception is set and travels on.
struct PythonError {};

// A new reference or an exception.
inline PyObject* checked(PyObject* o) {
  if (!o) throw PythonError{};
  return o;
}

inline const char* checked_text(PyObject* o) {
  const char* text = PyUnicode_AsUTF8(o);
  if (!text) throw PythonError{};
  return text;
}

// Calls every hook of {id: callable} on a gradient; a hook may replace it.
Ref run_tensor_hooks(PyObject* hooks, Ref grad);
// Hooks of a node before (grad_outputs) -> grad_outputs, and after
// (grad_inputs, grad_outputs) -> grad_inputs.
void run_pre_hooks(PyObject* hooks, std::vector<Ref>& grads);
void run_post_hooks(PyObject* hooks, std::vector<Ref>& grad_inputs,
                    const std::vector<Ref>& grad_outputs);
void run_post_accumulate_hooks(PyObject* hooks, Tensor* leaf);
// In anomaly mode: tells where the forward call of a failing node was.
void report_traceback(Node* n);

}  // namespace flambeau
