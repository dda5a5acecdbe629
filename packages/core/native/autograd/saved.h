// Tensors kept for a gradient, and the hooks by which a program keeps them its own way.
#pragma once

#include <Python.h>

#include <utility>

#include "tensor/tensor.h"

namespace flambeau {

struct Node;

// A tensor kept for the gradient, with the version it had. Where hooks packed it,
// what they made of it is kept in its place.
class Saved {
 public:
  Saved() = default;
  // An input: kept by reference.
  explicit Saved(Tensor* input);
  // An output of the node: kept as an alias outside the graph, since the tensor
  // itself would close a cycle.
  static Saved output(Tensor* out, uint32_t nr = 0);
  Saved(const Saved& o) : held_(o.held_), version_(o.version_), output_nr_(o.output_nr_) {
    Py_XINCREF(held_);
  }
  Saved(Saved&& o) noexcept
      : held_(std::exchange(o.held_, nullptr)), version_(o.version_), output_nr_(o.output_nr_) {}
  Saved& operator=(Saved o) noexcept {
    std::swap(held_, o.held_);
    version_ = o.version_;
    output_nr_ = o.output_nr_;
    return *this;
  }
  ~Saved() { Py_XDECREF(held_); }

  explicit operator bool() const { return held_ != nullptr; }
  bool is_packed() const { return output_nr_ <= first_packed; }
  const void* key() const { return held_; }
  // The tensor, for a gradient of `node`; throws if it was modified since.
  Ref open(Node* node) const;

 private:
  // Packed tensors number their output downwards from here; -1 is an input.
  static constexpr int32_t first_packed = -2;

  void pack(Tensor* origin);
  Ref unpack(Node* node) const;

  PyObject* held_ = nullptr;  // the tensor, or a capsule of what the hooks made of it
  uint32_t version_ = 0;
  int32_t output_nr_ = -1;
};

// The hooks of this thread: the innermost pair packs what is saved from now on.
// RuntimeError while hooks are disabled.
void push_saved_tensors_hooks(PyObject* pack, PyObject* unpack);
void pop_saved_tensors_hooks();
// Forbids hooks with this message, or (null) allows them; a new reference to the one
// before, or null. RuntimeError if hooks are active.
PyObject* disable_saved_tensors_hooks(PyObject* message);

// Whom this thread tells of a tensor that is about to be written to; null: nobody.
void set_write_watcher(PyObject* watcher);
void tell_write_watcher(Tensor* t);

}  // namespace flambeau
