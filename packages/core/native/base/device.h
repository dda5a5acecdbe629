// Device types: the name, and who serves it now. What a backend is, the floors above say.
#pragma once

#include <string>
#include <vector>

namespace flambeau {

class Backend;       // dispatch/backend.h
class DeviceMemory;  // memory/device_memory.h

struct DeviceType {
  std::string name;
  bool host_memory;
  Backend* backend = nullptr;      // the current one
  DeviceMemory* memory = nullptr;  // the same object's memory
  std::vector<Backend*> backends = {};

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

// Set by a floor above: finds, loads and installs a backend for a type.
extern void (*open_device_hook)(const std::string& name);

}  // namespace flambeau
