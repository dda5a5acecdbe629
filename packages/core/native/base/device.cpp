#include "base/device.h"

#include "base/error.h"

namespace flambeau {

void (*open_device_hook)(const std::string& name) = nullptr;

namespace {

// Device types live as long as the process.
std::vector<DeviceType*>& registry() {
  static auto* types = new std::vector<DeviceType*>{new DeviceType{"cpu", true}};
  return *types;
}

}  // namespace

DeviceType* cpu_device() {
  static DeviceType* cpu = registry()[0];
  return cpu;
}

const std::vector<DeviceType*>& device_types() { return registry(); }

DeviceType* find_device_type(const std::string& name) {
  for (DeviceType* t : registry())
    if (t->name == name) return t;
  return nullptr;
}

DeviceType* make_device_type(const std::string& name, bool host_memory) {
  if (DeviceType* t = find_device_type(name)) return t;
  registry().push_back(new DeviceType{name, host_memory});
  return registry().back();
}

Backend* DeviceType::open() {
  if (open_device_hook) open_device_hook(name);
  if (!backend) fail(ErrorKind::Runtime, "no backend serves the device type '%s'", name.c_str());
  return backend;
}

}  // namespace flambeau
