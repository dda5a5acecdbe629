#include "autograd/saved.h"

#include <vector>

#include "autograd/node.h"
#include "autograd/python.h"

namespace flambeau {
namespace {

struct Hooks {
  PyObject *pack, *unpack;  // owned
};

thread_local std::vector<Hooks> hooks_of_thread;
thread_local PyObject* disabled_message = nullptr;
thread_local PyObject* write_watcher = nullptr;

// What hooks made of a tensor, and where its gradient went.
struct Packed {
  PyObject *value, *unpack;  // owned
  Edge origin;               // of an input that needs a gradient
  ~Packed() {
    Py_XDECREF(value);
    Py_XDECREF(unpack);
  }
};

void free_packed(PyObject* capsule) {
  delete static_cast<Packed*>(PyCapsule_GetPointer(capsule, nullptr));
}

PyObject* call_pack(PyObject* pack, Tensor* t) {
  GradModeGuard off(false);
  const uint32_t before = t->storage->version;
  PyObject* value = checked(PyObject_CallOneArg(pack, reinterpret_cast<PyObject*>(t)));
  if (t->storage->version == before) return value;
  Py_DECREF(value);
  fail(ErrorKind::Runtime,
       "A saved tensor pack hook is modifying its input in place: it may be needed elsewhere, so "
       "a hook must leave it as it is.");
}

[[noreturn]] void fail_inference(Tensor* t) {
  fail(ErrorKind::Runtime,
       "Inference tensors cannot be saved for backward: a tensor of shape %s was made in inference "
       "mode. Make a clone() of it to get a normal tensor and use that in autograd.",
       to_string(t->shape()).c_str());
}

}  // namespace

// Delegating lets the destructor run when a hook throws.
Saved::Saved(Tensor* input) : Saved() {
  if (!input) return;
  if (__builtin_expect(input->storage->inference, 0)) fail_inference(input);
  Py_INCREF(reinterpret_cast<PyObject*>(input));
  held_ = reinterpret_cast<PyObject*>(input);
  version_ = input->storage->version;
  if (__builtin_expect(grad_mode.saved_hooks, 0)) pack(input);
}

Saved Saved::output(Tensor* out, uint32_t nr) {
  Saved s;
  s.held_ = alias(out).object();
  s.version_ = out->storage->version;
  s.output_nr_ = int32_t(nr);
  if (__builtin_expect(grad_mode.saved_hooks, 0)) s.pack(nullptr);
  return s;
}

// `origin`: the tensor whose place in the graph the unpacked one takes.
void Saved::pack(Tensor* origin) {
  const Hooks& hooks = hooks_of_thread.back();
  auto* packed = new Packed{nullptr, hooks.unpack, {}};
  Py_INCREF(packed->unpack);
  PyObject* capsule = checked(PyCapsule_New(packed, nullptr, free_packed));
  try {
    if (origin) packed->origin.point_at(origin);
    packed->value = call_pack(hooks.pack, as_tensor(held_));
  } catch (...) {
    Py_DECREF(capsule);
    throw;
  }
  Py_SETREF(held_, capsule);
  output_nr_ = first_packed - 1 - output_nr_;
}

Ref Saved::unpack(Node* node) const {
  auto* packed = static_cast<Packed*>(PyCapsule_GetPointer(held_, nullptr));
  PyObject* answer = checked(PyObject_CallOneArg(packed->unpack, packed->value));
  if (!is_tensor(answer)) {
    std::string type = Py_TYPE(answer)->tp_name;
    Py_DECREF(answer);
    fail(ErrorKind::Type,
         "Output of saved tensor unpack_hook expected to be a Tensor but got result of type %s",
         type.c_str());
  }
  Ref t = Ref::steal(as_tensor(answer));
  const int nr = first_packed - 1 - output_nr_;
  if (nr < 0 && !packed->origin.wanted()) return t;
  // It takes the place in the graph of the tensor that was packed.
  GradModeGuard on(true);
  Ref placed = alias(t);
  if (nr >= 0) {
    attach(placed, node, uint32_t(nr));
  } else if (Tensor* leaf = packed->origin.leaf()) {
    record("AliasBackward0", {leaf}, placed, [](Backward& b) { b.set(0, b.grad()); });
  } else {
    attach(placed, packed->origin.node(), packed->origin.nr);
  }
  return placed;
}

Ref Saved::open(Node* node) const {
  if (!held_) return nullptr;
  if (is_packed()) return unpack(node);
  Tensor* t = as_tensor(held_);
  if (t->storage->version != version_)
    fail(ErrorKind::Runtime,
         "one of the variables needed for gradient computation has been modified by an inplace "
         "operation: [flambeau.%sTensor %s], which is output %d of %s, is at version %u; expected "
         "version %u instead. Hint: enable anomaly detection to find the operation that failed to "
         "compute its gradient, with flambeau.autograd.set_detect_anomaly(True).",
         info(t->dtype()).legacy_name, to_string(t->shape()).c_str(),
         output_nr_ >= 0 ? output_nr_ : int(t->output_nr),
         output_nr_ >= 0 ? node->name()
         : t->grad_fn    ? as_node(t->grad_fn)->name()
                         : "AccumulateGrad",
         t->storage->version, version_);
  if (output_nr_ < 0 || !grad_mode.enabled) return Ref(t);
  // For higher derivatives the alias takes its place in the graph again.
  Ref r = alias(t);
  attach(r, node, uint32_t(output_nr_));
  return r;
}

void push_saved_tensors_hooks(PyObject* pack, PyObject* unpack) {
  if (disabled_message) fail(ErrorKind::Runtime, "%s", checked_text(disabled_message));
  Py_INCREF(pack);
  Py_INCREF(unpack);
  hooks_of_thread.push_back({pack, unpack});
  grad_mode.saved_hooks = true;
}

void pop_saved_tensors_hooks() {
  if (hooks_of_thread.empty()) fail(ErrorKind::Runtime, "no saved tensor hooks to leave");
  Hooks last = hooks_of_thread.back();
  hooks_of_thread.pop_back();
  grad_mode.saved_hooks = !hooks_of_thread.empty();
  Py_DECREF(last.pack);
  Py_DECREF(last.unpack);
}

PyObject* disable_saved_tensors_hooks(PyObject* message) {
  if (message && !hooks_of_thread.empty()) fail(ErrorKind::Runtime, "%s", checked_text(message));
  Py_XINCREF(message);
  return std::exchange(disabled_message, message);
}

void set_write_watcher(PyObject* watcher) {
  Py_XINCREF(watcher);
  Py_XSETREF(write_watcher, watcher);
  grad_mode.watches_writes = watcher != nullptr;
}

void tell_write_watcher(Tensor* t) {
  Py_DECREF(checked(PyObject_CallOneArg(write_watcher, reinterpret_cast<PyObject*>(t))));
}

}  // namespace flambeau
