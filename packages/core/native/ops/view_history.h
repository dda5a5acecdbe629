// In-place writes and views: who shares memory with whom, and how a write
// becomes part of the history of all of them.
#pragma once

#include "autograd/node.h"

namespace flambeau {

// Marks `view` as a view of `source` (or of the tensor that it is a view of).
void mark_view(Tensor* view, Tensor* source);

// Refuses an in-place write where autograd cannot follow it: into a leaf that
// requires a gradient, or into memory that several elements share.
void check_inplace(const char* op, Tensor* self);

// Refuses a write into an inference tensor outside of inference mode.
void check_normal(const char* op, Tensor* self);

// Refuses a recorded write into a view that autograd cannot follow to its base.
inline void check_followed(const char* op, Tensor* self);

// After a write into `self` whose value was computed as `result`: the history
// of `self`, and of the tensor it is a view of, becomes that of the result.
void rebase_history(Tensor* self, Tensor* result);

inline void bump_version(Tensor* t) { t->storage->version += !(t->flags & kUnversioned); }

[[noreturn]] void fail_restricted(const char* op, Tensor* view, bool indirect);
inline void check_followed(const char* op, Tensor* self) {
  if (__builtin_expect(self->flags & kRestricted, 0)) fail_restricted(op, self, false);
}

}  // namespace flambeau
