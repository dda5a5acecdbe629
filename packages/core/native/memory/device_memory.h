// The memory of a device type's devices, as a backend serves it.
#pragma once

#include <cstdint>
#include <string>

namespace flambeau {

class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  virtual int device_count() = 0;
  virtual void allocate(int device, int64_t nbytes, void** data, void** buffer) = 0;
  virtual void release(int device, void* data, int64_t nbytes, void* buffer) = 0;
  // Offsets count bytes from the start of the block.
  virtual void copy_from_host(int device, void* data, void* buffer, int64_t offset,
                              const void* source, int64_t nbytes) = 0;
  virtual void copy_to_host(int device, void* data, void* buffer, int64_t offset, void* target,
                            int64_t nbytes) = 0;
  virtual void synchronize(int device) = 0;

  // Throws for an index beyond the devices there are, which are counted once.
  void check_index(const std::string& device_type, int index);

  std::string name;  // the backend's
  bool host_memory = true;
  int64_t live_blocks = 0;  // of its own memory, allocated and not yet released

 private:
  int count_ = -1;
};

}  // namespace flambeau
