// A block of memory shared by a tensor and its views.
#pragma once

#include <cstdint>

namespace flambeau {

struct DeviceType;

// Whether the calling thread makes memory that autograd will never see.
inline thread_local bool inference_memory __attribute__((tls_model("initial-exec"))) = false;

// Counts are plain integers: they live under the interpreter lock.
struct Storage {
  int32_t refs;
  uint32_t version;  // bumped by every in-place write
  void* data;
  int64_t nbytes;
  DeviceType* device;
  int32_t device_index;
  int16_t shared;  // set where other processes see the memory
  bool inference;  // made in inference mode: autograd knows nothing of it
  void* buffer;    // a backend's handle, where its memory is opaque
  void* owner;     // whoever lent the memory; nullptr where it is our own
  void (*release_owner)(void* owner);
};

Storage* new_storage(DeviceType* device, int device_index, int64_t nbytes);
// Memory lent by somebody else; `release_owner(owner)` is called at the end.
Storage* borrow_storage(DeviceType* device, int device_index, void* data, int64_t nbytes,
                        void* owner, void (*release_owner)(void*));
void free_storage(Storage* s);

inline Storage* retain(Storage* s) {
  s->refs++;
  return s;
}
inline void release(Storage* s) {
  if (--s->refs == 0) free_storage(s);
}

}  // namespace flambeau
