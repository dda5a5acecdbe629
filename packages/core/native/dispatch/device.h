// Device types and the backends that serve them.
#pragma once

#include <flambeau/backend.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dispatch/kernel_id.h"

namespace flambeau {

struct Kernel {
  fb_kernel fn = nullptr;
  void* ctx = nullptr;
  bool asked = false;  // whether the backend was asked for it already
};

// One implementation of a device type: a flat kernel table, filled on demand,
// and the device's memory.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual int device_count() = 0;
  virtual void allocate(int device, int64_t nbytes, void** data, void** buffer) = 0;
  virtual void release(int device, void* data, int64_t nbytes, void* buffer) = 0;
  // Offsets count bytes from the start of the block.
  virtual void copy_from_host(int device, void* data, void* buffer, int64_t offset,
                              const void* source, int64_t nbytes) = 0;
  virtual void copy_to_host(int device, void* data, void* buffer, int64_t offset, void* target,
                            int64_t nbytes) = 0;
  virtual void synchronize(int device) = 0;
  virtual Kernel resolve(const char* id, int dtype) = 0;
  // Throws what a kernel's status stands for.
  [[noreturn]] virtual void raise(int status, const char* id) = 0;
  virtual int get_num_threads() { return 1; }
  virtual void set_num_threads(int) {}

  const Kernel& kernel(int id, int dtype) {
    Kernel& k = table[id][dtype];
    if (!k.asked) {
      k = resolve(fb_kernel_rows[id].id, dtype);
      k.asked = true;
    }
    return k;
  }

  // Throws for an index beyond the devices there are, which are counted once.
  void check_index(const std::string& device_type, int index);

  std::string name;
  bool host_memory = true;
  int64_t live_blocks = 0;  // of its own memory, allocated and not yet released
  int64_t release_lock_above = INT64_MAX;

 private:
  Kernel table[kernel_count][FB_DTYPE_COUNT];
  int count_ = -1;
};

struct DeviceType {
  std::string name;
  bool host_memory;
  Backend* backend = nullptr;  // the current one
  std::vector<std::unique_ptr<Backend>> backends;

  // Opens the device type on first use; throws where no backend serves it.
  Backend* opened() { return __builtin_expect(backend != nullptr, 1) ? backend : open(); }

 private:
  Backend* open();
};

struct Device {
  DeviceType* type = nullptr;
  int index = -1;  // -1: not said, the current device
};

DeviceType* cpu_device();
// nullptr where the type is unknown so far.
DeviceType* find_device_type(const std::string& name);
DeviceType* make_device_type(const std::string& name, bool host_memory);
const std::vector<DeviceType*>& device_types();
// Adds a backend and makes it current; refuses a second one of the same name.
void install_backend(const std::string& device_type, std::unique_ptr<Backend> backend);
void use_backend(const std::string& device_type, const std::string& name);
std::unique_ptr<Backend> make_native_backend(const fb_backend* table);

// Set by the floor above: finds, loads and installs a backend for a type.
extern void (*open_device_hook)(const std::string& name);

}  // namespace flambeau
