#include "dispatch/device.h"

#include "base/error.h"

namespace flambeau {

void (*open_device_hook)(const std::string& name) = nullptr;

namespace {

std::vector<DeviceType*>& registry() {
  static auto* types = new std::vector<DeviceType*>{new DeviceType{"cpu", true, nullptr, {}}};
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
  registry().push_back(new DeviceType{name, host_memory, nullptr, {}});
  return registry().back();
}

void Backend::check_index(const std::string& device_type, int index) {
  if (count_ < 0) count_ = device_count();
  if (index >= count_)
    fail(ErrorKind::Runtime, "invalid device ordinal: no device '%s:%d', the backend '%s' has %d",
         device_type.c_str(), index, name.c_str(), count_);
}

Backend* DeviceType::open() {
  if (open_device_hook) open_device_hook(name);
  if (!backend) fail(ErrorKind::Runtime, "no backend serves the device type '%s'", name.c_str());
  return backend;
}

namespace {

// Memory belongs to the backend that allocated it: while some is in use, another
// backend cannot take its place.
void check_switch(const DeviceType& type, const Backend* next) {
  const Backend* now = type.backend;
  if (now && now != next && !now->host_memory && now->live_blocks > 0)
    fail(ErrorKind::Runtime,
         "device type '%s' cannot change its backend while %lld blocks of memory of backend '%s' "
         "are in use: "
         "delete the tensors first",
         type.name.c_str(), static_cast<long long>(now->live_blocks), now->name.c_str());
}

}  // namespace

void install_backend(const std::string& device_type, std::unique_ptr<Backend> backend) {
  DeviceType* type = make_device_type(device_type, backend->host_memory);
  for (auto& b : type->backends)
    if (b->name == backend->name)
      fail(ErrorKind::Runtime, "device type '%s' has a backend named '%s' already",
           device_type.c_str(), backend->name.c_str());
  if (type->host_memory != backend->host_memory)
    fail(ErrorKind::Runtime,
         "backend '%s' keeps its memory elsewhere than the other backends of '%s'",
         backend->name.c_str(), device_type.c_str());
  check_switch(*type, backend.get());
  type->backends.push_back(std::move(backend));
  type->backend = type->backends.back().get();
}

void use_backend(const std::string& device_type, const std::string& name) {
  if (DeviceType* type = find_device_type(device_type))
    for (auto& b : type->backends)
      if (b->name == name) {
        check_switch(*type, b.get());
        type->backend = b.get();
        return;
      }
  fail(ErrorKind::Runtime, "device type '%s' has no installed backend named '%s'",
       device_type.c_str(), name.c_str());
}

}  // namespace flambeau
