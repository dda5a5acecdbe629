// The backends that serve device types.
#pragma once

#include <flambeau/backend.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/device.h"
#include "base/dtype.h"
#include "dispatch/kernel_id.h"
#include "memory/device_memory.h"

namespace flambeau {

struct Kernel {
  fb_kernel fn = nullptr;
  void* ctx = nullptr;
  bool asked = false;  // whether the backend was asked for it already
};

// One implementation of a device type: its memory, and a flat kernel table, filled on demand.
class Backend : public DeviceMemory {
 public:
  virtual Kernel resolve(const char* id, int dtype) = 0;
  // Throws what a kernel's status stands for.
  [[noreturn]] virtual void raise(int status, const char* id) = 0;
  virtual int get_num_threads() { return 1; }
  virtual void set_num_threads(int) {}

  const Kernel& kernel(int id, int dtype) {
    Kernel& k = table[id][dtype];
    if (!k.asked) {
      k = only_in_memory(dtype) ? Kernel{} : resolve(fb_kernel_rows[id].id, dtype);
      k.asked = true;
    }
    return k;
  }

  int64_t release_lock_above = INT64_MAX;

 private:
  Kernel table[kernel_count][FB_DTYPE_COUNT];
};

// Adds a backend, which then lives as long as the process, and makes it current;
// refuses a second one of the same name.
void install_backend(const std::string& device_type, std::unique_ptr<Backend> backend);
void use_backend(const std::string& device_type, const std::string& name);
std::unique_ptr<Backend> make_native_backend(const fb_backend* table);

}  // namespace flambeau
