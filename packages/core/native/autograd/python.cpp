#include "autograd/python.h"

namespace flambeau {
namespace {

PyObject* object_or_none(const Ref& r) {
  return r ? reinterpret_cast<PyObject*>(r.get()) : Py_None;
}

PyObject* tuple_of(const std::vector<Ref>& grads) {
  PyObject* t = checked(PyTuple_New(Py_ssize_t(grads.size())));
  for (size_t i = 0; i < grads.size(); i++) {
    PyObject* o = object_or_none(grads[i]);
    Py_INCREF(o);
    PyTuple_SET_ITEM(t, Py_ssize_t(i), o);
  }
  return t;
}

// A hook's answer of one tensor or a sequence of them replaces the gradients.
void take_answer(PyObject* answer, std::vector<Ref>& grads) {
  if (answer == Py_None) return;
  if (is_tensor(answer) && grads.size() == 1) {
    grads[0] = Ref(as_tensor(answer));
    return;
  }
  PyObject* items = PySequence_Fast(answer, "a hook must return None, a tensor or a tuple of them");
  checked(items);
  bool fits = size_t(PySequence_Fast_GET_SIZE(items)) == grads.size();
  for (size_t i = 0; fits && i < grads.size(); i++) {
    PyObject* item = PySequence_Fast_GET_ITEM(items, Py_ssize_t(i));
    grads[i] = item == Py_None ? Ref() : Ref(as_tensor(item));
  }
  Py_DECREF(items);
  if (!fits)
    fail(ErrorKind::Runtime, "a hook returned the wrong number of gradients, expected %zu",
         grads.size());
}

// A hook may change the values of a gradient, never its kind.
void check_answer(Tensor* before, Tensor* after) {
  if (before->shape() != after->shape())
    fail(ErrorKind::Runtime, "a hook has changed the size of a gradient from %s to %s",
         to_string(before->shape()).c_str(), to_string(after->shape()).c_str());
  if (before->dtype() != after->dtype() || before->device != after->device)
    fail(ErrorKind::Runtime, "a hook has changed the type of a gradient from %s on %s to %s on %s",
         info(before->dtype()).name, before->device->name.c_str(), info(after->dtype()).name,
         after->device->name.c_str());
}

// Hooks may be removed while they run, so a copy of the values is walked.
template <class F>
void each_hook(PyObject* hooks, F&& f) {
  if (!hooks || PyDict_Size(hooks) == 0) return;
  PyObject* list = checked(PyDict_Values(hooks));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
    PyObject* answer = f(PyList_GET_ITEM(list, i));
    if (!answer) {
      Py_DECREF(list);
      throw PythonError{};
    }
    Py_DECREF(answer);
  }
  Py_DECREF(list);
}

}  // namespace

Ref run_tensor_hooks(PyObject* hooks, Ref grad) {
  each_hook(hooks, [&](PyObject* hook) {
    PyObject* answer = PyObject_CallOneArg(hook, object_or_none(grad));
    if (answer && answer != Py_None) {
      if (!is_tensor(answer)) {
        PyErr_Format(PyExc_TypeError, "hook must return a Tensor or None, not %.100s",
                     Py_TYPE(answer)->tp_name);
        Py_DECREF(answer);
        return static_cast<PyObject*>(nullptr);
      }
      check_answer(grad, as_tensor(answer));
      grad = Ref(as_tensor(answer));
    }
    return answer;
  });
  return grad;
}

void run_pre_hooks(PyObject* hooks, std::vector<Ref>& grads) {
  each_hook(hooks, [&](PyObject* hook) {
    PyObject* args = tuple_of(grads);
    PyObject* answer = PyObject_CallOneArg(hook, args);
    Py_DECREF(args);
    if (answer) take_answer(answer, grads);
    return answer;
  });
}

void run_post_hooks(PyObject* hooks, std::vector<Ref>& grad_inputs,
                    const std::vector<Ref>& grad_outputs) {
  each_hook(hooks, [&](PyObject* hook) {
    PyObject *in = tuple_of(grad_inputs), *out = tuple_of(grad_outputs);
    PyObject* answer = PyObject_CallFunctionObjArgs(hook, in, out, nullptr);
    Py_DECREF(in);
    Py_DECREF(out);
    if (answer) take_answer(answer, grad_inputs);
    return answer;
  });
}

void run_post_accumulate_hooks(PyObject* hooks, Tensor* leaf) {
  each_hook(hooks, [&](PyObject* hook) {
    return PyObject_CallOneArg(hook, reinterpret_cast<PyObject*>(leaf));
  });
}

void note_traceback(Node* n) {
  PyObject* module = checked(PyImport_ImportModule("traceback"));
  PyObject* lines = PyObject_CallMethod(module, "format_stack", nullptr);
  Py_DECREF(module);
  n->more()->traceback = checked(lines);
}

void report_traceback(Node* n) {
  if (!n->extra || !n->extra->traceback) return;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* empty = PyUnicode_FromString("");
  PyObject* lines = PyUnicode_Join(empty, n->extra->traceback);
  Py_XDECREF(empty);
  if (lines)
    PyErr_WarnFormat(PyExc_UserWarning, 1,
                     "Error detected in %s. Traceback of forward call that caused the error:\n%U",
                     n->name(), lines);
  Py_XDECREF(lines);
  if (type) {
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
  }
}

}  // namespace flambeau
