// What may see a call before the op does: function modes and classes that
// override ops (flambeau_core.overrides), and the transforms whose tensors carry
// a flag (flambeau_core.transforms). Where none is active, all of it is one test
// of two words.
#pragma once

#include <Python.h>

#include "tensor/tensor.h"

namespace flambeau {

struct Op;
class Args;

// The state of the calling thread that ops look at before they run.
enum Attention : uint32_t {
  kAutocast = 1,        // on for some device type
  kFunctionModes = 2,   // a mode is shown every op
  kTransforms = 4,      // a transform is shown the ops that ask for it (random ones)
  kOverridesOff = 8,    // classes that override ops are passed over
  kTransformsOff = 16,  // tensors of transforms are seen as what they show
};
extern thread_local uint32_t attention __attribute__((tls_model("initial-exec")));

// Changes some bits of it for a while.
class AttentionGuard {
 public:
  AttentionGuard(uint32_t on, uint32_t off) : before_(attention) {
    attention = (attention | on) & ~off;
  }
  ~AttentionGuard() { attention = before_; }
  AttentionGuard(const AttentionGuard&) = delete;

 private:
  uint32_t before_;
};

inline uint32_t flags_of(PyObject* o) {
  return is_tensor(o) ? as_tensor(o)->flags & kIntercepted : 0;
}
inline uint32_t flags_of(PyObject* x, PyObject* y) { return flags_of(x) | flags_of(y); }

// The flags that count at this moment: the base of a view may have got its tangent later.
inline bool shows_dual(const Tensor* t) { return t->base && t->base->flags & kDual; }
inline uint32_t flags_now(PyObject* o) {
  bool late = attention & kTransforms && is_tensor(o) && shows_dual(as_tensor(o));
  return flags_of(o) | (late ? uint32_t(kDual) : 0);
}
// The same of all arguments of a call.
uint32_t flags_now(const Args& a);

// Whether tensors of these flags are to be shown to Python now, and to whom.
// Nobody may take a sparse tensor for what its own memory shows.
inline bool overridden(uint32_t seen) {
  return attention & kFunctionModes || seen & kSparse ||
         (seen & kOverrides && !(attention & kOverridesOff));
}
inline bool transformed(uint32_t seen) {
  return seen & (kBatched | kDual) && !(attention & kTransformsOff);
}

// The call as the user made it, handed to the modes and classes that override ops.
PyObject* call_overrides(PyObject* function, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* kwnames);
// The parsed call, handed to the transforms.
PyObject* call_transforms(const Op* op, size_t overload, Args& a);

// An operator's op, called through the front door where somebody wants to see it; null if nobody.
PyObject* show_operator(const char* op, PyObject* x, PyObject* y);
PyObject* show_operator(const char* op, PyObject* x);
// Arguments that are no tensors may still say what ops do with them, those in lists too.
bool has_override(PyObject* o, int depth);
// The op, if one of its arguments says what it does; NotImplemented otherwise.
PyObject* show_foreign(const char* op, PyObject* x, PyObject* y);
// The same for x[index] and x[index] = value.
PyObject* show_get_item(PyObject* x, PyObject* index);
PyObject* show_set_item(PyObject* x, PyObject* index, PyObject* value);

// Gives a tensor the tangents of another one of the same memory.
void share_tangents(PyObject* from, PyObject* to);

// RuntimeError where a tensor has no one value to be read: an example of a batch.
void check_readable(Tensor* t);

}  // namespace flambeau
