// Autograd as Python calls it: backward, grad, hooks, custom functions.
#include "autograd/engine.h"

#include "autograd/arithmetic.h"
#include "bindings/bindings.h"
#include "bindings/tensor_docs.h"
#include "ops/api.h"
#include "ops/interception.h"
#include "ops/op.h"
#include "ops/scalars.h"
#include "ops/view.h"

namespace flambeau {
namespace {

Tensor* self_of(PyObject* o) { return as_tensor(o); }

}  // namespace

std::vector<Ref> tensors_of(const char* what, PyObject* o) {
  std::vector<Ref> out;
  if (!o || o == Py_None) return out;
  if (is_tensor(o)) return {Ref(as_tensor(o))};
  PyObject* items = checked(PySequence_Fast(o, what));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
    PyObject* item = PySequence_Fast_GET_ITEM(items, i);
    if (item != Py_None && !is_tensor(item)) {
      Py_DECREF(items);
      fail(ErrorKind::Type, "%s must be tensors, got %s", what, Py_TYPE(item)->tp_name);
    }
    out.push_back(item == Py_None ? Ref() : Ref(as_tensor(item)));
  }
  Py_DECREF(items);
  return out;
}

namespace {

// The gradients to start from: given ones are checked, scalars start at one.
std::vector<Ref> starting_grads(const std::vector<Ref>& roots, std::vector<Ref> grads) {
  grads.resize(roots.size());
  for (size_t i = 0; i < roots.size(); i++) {
    Tensor* t = roots[i];
    if (!requires_grad(t))
      fail(ErrorKind::Runtime,
           "element %zu of tensors does not require grad and does not have a grad_fn", i);
    if (!grads[i]) {
      if (t->numel() != 1)
        fail(ErrorKind::Runtime,
             "grad can be implicitly created only for scalar outputs, but the output has shape %s",
             to_string(t->shape()).c_str());
      if (is_complex(t->dtype()))
        fail(ErrorKind::Runtime,
             "grad can be implicitly created only for real scalar outputs but got %s",
             info(t->dtype()).legacy_name);
      grads[i] = gradient_arithmetic.ones_like(t);
    } else if (grads[i]->shape() != t->shape()) {
      fail(ErrorKind::Runtime,
           "Mismatch in shape: grad_output[%zu] has a shape of %s and output[%zu] has a shape of "
           "%s.",
           i, to_string(grads[i]->shape()).c_str(), i, to_string(t->shape()).c_str());
    }
  }
  return grads;
}

bool truth(PyObject* o, bool otherwise) {
  if (!o || o == Py_None) return otherwise;
  int v = PyObject_IsTrue(o);
  if (v < 0) throw PythonError{};
  return v;
}

void warn_of_cycle() {
  if (PyErr_WarnEx(
          PyExc_UserWarning,
          "backward() with create_graph=True makes a reference cycle between each leaf and "
          "its gradient, which can leak memory. Use autograd.grad to make the graph, or set "
          "the .grad of the leaves to None after use, to break the cycle.",
          1))
    throw PythonError{};
}

// run_backward(tensors, grads, retain_graph, create_graph, inputs, accumulate, allow_unused)
PyObject* function_run_backward(PyObject*, PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (n != 7) fail(ErrorKind::Type, "run_backward takes 7 arguments");
    auto roots = tensors_of("tensors", args[0]);
    auto grads = starting_grads(roots, tensors_of("grad_tensors", args[1]));
    BackwardOptions o;
    o.create_graph = truth(args[3], false);
    o.keep_graph = truth(args[2], o.create_graph);
    o.inputs = tensors_of("inputs", args[4]);
    o.accumulate = truth(args[5], true);
    bool allow_unused = truth(args[6], false);
    for (size_t i = 0; i < o.inputs.size(); i++)
      if (!o.inputs[i] || !requires_grad(o.inputs[i]))
        fail(ErrorKind::Runtime, "One of the differentiated Tensors does not require grad");
    if (o.accumulate && o.create_graph) warn_of_cycle();
    auto results = run_backward(roots, grads, o);
    if (o.accumulate) Py_RETURN_NONE;
    for (size_t i = 0; i < results.size(); i++)
      if (!results[i] && !allow_unused)
        fail(ErrorKind::Runtime,
             "The differentiated Tensor at index %zu appears to not have been used in the graph. "
             "Set "
             "allow_unused=True if this is the desired behavior.",
             i);
    return tuple_of(std::move(results));
  });
}

// Where inputs are given, which may be edges of the graph too.
PyObject* backward_into(PyObject* o, PyObject* const* given) {
  PyObject* module = checked(PyImport_ImportModule("flambeau_core.autograd.backward"));
  PyObject* f = PyObject_GetAttrString(module, "backward");
  Py_DECREF(module);
  checked(f);
  auto value = [&](int i) { return given[i] ? given[i] : Py_None; };
  PyObject* result =
      PyObject_CallFunctionObjArgs(f, o, value(0), value(1), value(2), Py_None, value(3), nullptr);
  Py_DECREF(f);
  return checked(result);
}

PyObject* method_backward(PyObject* o, PyObject* const* args, Py_ssize_t n, PyObject* kwnames) {
  return guarded([&]() -> PyObject* {
    PyObject* given[4] = {nullptr, nullptr, nullptr,
                          nullptr};  // gradient, retain_graph, create_graph, inputs
    static const char* names[] = {"gradient", "retain_graph", "create_graph", "inputs"};
    if (n > 4) fail(ErrorKind::Type, "backward() takes at most 4 arguments");
    for (Py_ssize_t i = 0; i < n; i++) given[i] = args[i];
    for (Py_ssize_t k = 0; kwnames && k < PyTuple_GET_SIZE(kwnames); k++) {
      int at = -1;
      for (int i = 0; i < 4; i++)
        if (!PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(kwnames, k), names[i])) at = i;
      if (at < 0)
        fail(ErrorKind::Type, "backward() got an unexpected keyword argument '%s'",
             PyUnicode_AsUTF8(PyTuple_GET_ITEM(kwnames, k)));
      given[at] = args[n + k];
    }
    if (given[3] && given[3] != Py_None) return backward_into(o, given);
    std::vector<Ref> roots{Ref(self_of(o))};
    auto grads = starting_grads(roots, tensors_of("gradient", given[0]));
    BackwardOptions options;
    options.create_graph = truth(given[2], false);
    options.keep_graph = truth(given[1], options.create_graph);
    if (options.create_graph) warn_of_cycle();
    run_backward(roots, grads, options);
    Py_RETURN_NONE;
  });
}

PyObject* method_requires_grad_(PyObject* o, PyObject* const* args, Py_ssize_t n,
                                PyObject* kwnames) {
  PyObject* on = n > 0 ? args[0] : kwnames && PyTuple_GET_SIZE(kwnames) == 1 ? args[n] : Py_True;
  if (PyObject_SetAttrString(o, "requires_grad", on) < 0) return nullptr;
  return boxed(self_of(o));
}

PyObject* method_is_view(PyObject* o, PyObject*) {
  return PyBool_FromLong(self_of(o)->flags & kView);
}
PyObject* method_is_inference(PyObject* o, PyObject*) {
  return PyBool_FromLong(self_of(o)->storage->inference);
}

PyObject* method_detach_(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* {
    Tensor* t = self_of(o);
    if (transformed(flags_now(o)))
      fail(ErrorKind::Runtime, "detach_() inside vmap or forward mode: use detach()");
    if (t->flags & kView)
      fail(
          ErrorKind::Runtime,
          "detach_: a view cannot be detached in place, since its base would not be. Use detach()");
    if (t->grad_fn) release(t->grad_fn);
    t->grad_fn = nullptr;
    t->flags &= ~uint32_t(kRequiresGrad);
    return boxed(t);
  });
}

PyObject* method_retain_grad(PyObject* o, PyObject*) {
  return guarded([&]() -> PyObject* {
    Tensor* t = self_of(o);
    if (!requires_grad(t))
      fail(ErrorKind::Runtime, "can't retain_grad on Tensor that has requires_grad=False");
    if (t->grad_fn && !(t->flags & kRetainsGrad)) {
      PyObject* weak = checked(PyWeakref_NewRef(o, nullptr));
      as_node(t->grad_fn)->more()->retained.push_back({t->output_nr, weak});
      t->flags |= kRetainsGrad;
    }
    Py_RETURN_NONE;
  });
}

PyObject* method_register_hook(PyObject* o, PyObject* hook) {
  return guarded([&]() -> PyObject* {
    Tensor* t = self_of(o);
    if (!requires_grad(t))
      fail(ErrorKind::Runtime, "cannot register a hook on a tensor that doesn't require gradient");
    PyObject** hooks;
    if (t->grad_fn) {
      auto& all = as_node(t->grad_fn)->more()->tensor_hooks;
      if (all.size() <= t->output_nr) all.resize(t->output_nr + 1);
      hooks = &all[t->output_nr];
    } else {
      hooks = &extra_of(t)->hooks;
    }
    if (!*hooks) *hooks = checked(PyDict_New());
    return add_hook(*hooks, hook);
  });
}

PyObject* method_register_post_hook(PyObject* o, PyObject* hook) {
  return guarded([&]() -> PyObject* {
    Tensor* t = self_of(o);
    if (t->grad_fn || !requires_grad(t))
      fail(ErrorKind::Runtime,
           "post accumulate grad hooks cannot be registered on non-leaf tensors or on tensors that "
           "don't require gradient");
    PyObject*& hooks = extra_of(t)->post_accumulate_hooks;
    if (!hooks) hooks = checked(PyDict_New());
    return add_hook(hooks, hook);
  });
}

PyObject* function_is_grad_enabled(PyObject*, PyObject*) {
  return PyBool_FromLong(grad_mode.enabled);
}
PyObject* function_is_inference(PyObject*, PyObject*) { return PyBool_FromLong(inference_memory); }
PyObject* function_set_grad(PyObject*, PyObject* on) {
  int v = PyObject_IsTrue(on);
  if (v < 0) return nullptr;
  grad_mode.enabled = v;
  Py_RETURN_NONE;
}
PyObject* function_set_anomaly(PyObject*, PyObject* const* args, Py_ssize_t n) {
  if (n > 0) grad_mode.anomaly = PyObject_IsTrue(args[0]) == 1;
  if (n > 1) grad_mode.anomaly_check_nan = PyObject_IsTrue(args[1]) == 1;
  Py_RETURN_NONE;
}
PyObject* function_is_anomaly(PyObject*, PyObject*) { return PyBool_FromLong(grad_mode.anomaly); }
PyObject* function_is_anomaly_nan(PyObject*, PyObject*) {
  return PyBool_FromLong(grad_mode.anomaly_check_nan);
}

template <class F>
PyCFunction fast(F f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}

Ref ones_like(Tensor* t) {
  return full(t->shape(), 1, t->dtype(), Device{t->device, t->device_index()});
}
Ref cast_gradient(Tensor* g, DType d, DeviceType* device) {
  Ref moved = device && g->device != device ? to_device(g, Device{device, 0}) : Ref(g);
  // A real input of a complex computation takes the real part.
  if (is_complex(moved->dtype()) && !is_complex(d)) moved = select(real_view(moved), -1, 0);
  return to_dtype(moved, d);
}

// Sums with a sparse tensor are its class's to make.
Ref to_dense(Tensor* g) {
  auto o = reinterpret_cast<PyObject*>(g);
  return Ref::steal(as_tensor(checked(PyObject_CallMethod(o, "to_dense", nullptr))));
}
Ref add_gradients(Tensor* a, Tensor* b) {
  if (!((a->flags | b->flags) & kSparse)) return add(a, b);
  auto op = reinterpret_cast<PyObject*>(find_op("add"));
  // What is sparse comes second.
  if (a->flags & kSparse) std::swap(a, b);
  return Ref::steal(as_tensor(checked(PyObject_CallFunctionObjArgs(op, a, b, nullptr))));
}
void add_gradient_in_place(Tensor* a, Tensor* b) {
  if (!(b->flags & kSparse)) return add_in_place(a, b);
  GradModeGuard off(false);
  auto target = reinterpret_cast<PyObject*>(a);
  Py_DECREF(checked(PyObject_CallMethod(target, "add_", "O", b)));
}
Ref copy_gradient(Tensor* g) {
  if (!(g->flags & kSparse)) return clone(g);
  auto o = reinterpret_cast<PyObject*>(g);
  return Ref::steal(as_tensor(checked(PyObject_CallMethod(o, "clone", nullptr))));
}

bool has_nan(Tensor* g) {
  GradModeGuard off(false);
  if (g->flags & kSparse) return has_nan(to_dense(g));
  if (!is_differentiable(g->dtype()) || g->numel() == 0) return false;
  return item(any_true(binary("ne", g, g))).truth();
}

}  // namespace

PyObject* add_hook(PyObject* hooks, PyObject* hook) {
  PyObject* module = checked(PyImport_ImportModule("flambeau_core.hooks"));
  PyObject* h = PyObject_CallMethod(module, "add_hook", "OO", hooks, hook);
  Py_DECREF(module);
  return checked(h);
}

void supply_gradient_arithmetic() {
  gradient_arithmetic = {add_gradients, add_gradient_in_place,
                         sum_to,        cast_gradient,
                         copy_gradient, [](Tensor* t) { return zeros_like(t); },
                         ones_like,     has_nan,
                         to_dense};
}

PyMethodDef tensor_autograd_methods[] = {
    {"backward", fast(method_backward), METH_FASTCALL | METH_KEYWORDS, docs::backward},
    {"requires_grad_", fast(method_requires_grad_), METH_FASTCALL | METH_KEYWORDS,
     docs::requires_grad_},
    {"detach_", method_detach_, METH_NOARGS, docs::detach_},
    {"_is_view", method_is_view, METH_NOARGS, nullptr},
    {"is_inference", method_is_inference, METH_NOARGS, docs::is_inference},
    {"retain_grad", method_retain_grad, METH_NOARGS, docs::retain_grad},
    {"register_hook", method_register_hook, METH_O, docs::register_hook},
    {"register_post_accumulate_grad_hook", method_register_post_hook, METH_O,
     docs::register_post_accumulate_grad_hook},
    {nullptr, nullptr, 0, nullptr}};

PyMethodDef autograd_functions[] = {
    {"run_backward", fast(function_run_backward), METH_FASTCALL, nullptr},
    {"is_grad_enabled", function_is_grad_enabled, METH_NOARGS, docs::is_grad_enabled},
    {"is_inference_mode_enabled", function_is_inference, METH_NOARGS,
     docs::is_inference_mode_enabled},
    {"set_grad_mode", function_set_grad, METH_O, nullptr},
    {"set_anomaly_mode", fast(function_set_anomaly), METH_FASTCALL, nullptr},
    {"is_anomaly_enabled", function_is_anomaly, METH_NOARGS, docs::is_anomaly_enabled},
    {"is_anomaly_check_nan_enabled", function_is_anomaly_nan, METH_NOARGS,
     docs::is_anomaly_check_nan_enabled},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace flambeau
