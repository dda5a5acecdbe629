#include "memory/storage.h"

#include "base/device.h"
#include "memory/allocator.h"
#include "memory/device_memory.h"

namespace flambeau {
namespace {

// Storages come from a free list of their own: one is made for every op.
Storage* free_list = nullptr;

Storage* take() {
  if (Storage* s = free_list) {
    free_list = static_cast<Storage*>(s->owner);
    return s;
  }
  return new Storage;
}

}  // namespace

Storage* new_storage(DeviceType* device, int device_index, int64_t nbytes) {
  void *data, *buffer = nullptr;
  if (device->host_memory) {
    data = host_allocate(nbytes);
  } else {
    device->opened();
    DeviceMemory* memory = device->memory;
    memory->check_index(device->name, device_index);
    memory->allocate(device_index, nbytes, &data, &buffer);
    memory->live_blocks++;
  }
  Storage* s = take();
  *s = Storage{1,      0,       data,   nbytes, device, device_index, 0, inference_memory,
               buffer, nullptr, nullptr};
  return s;
}

Storage* borrow_storage(DeviceType* device, int device_index, void* data, int64_t nbytes,
                        void* owner, void (*release_owner)(void*)) {
  Storage* s = take();
  *s = Storage{1,       0,     data,         nbytes, device, device_index, 0, inference_memory,
               nullptr, owner, release_owner};
  return s;
}

void free_storage(Storage* s) {
  if (s->release_owner) {
    s->release_owner(s->owner);
  } else if (s->device->host_memory) {
    host_release(s->data, s->nbytes);
  } else {
    DeviceMemory* memory = s->device->memory;
    memory->release(s->device_index, s->data, s->nbytes, s->buffer);
    memory->live_blocks--;
  }
  s->owner = free_list;
  free_list = s;
}

}  // namespace flambeau
