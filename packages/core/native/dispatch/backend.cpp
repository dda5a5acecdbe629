#include "dispatch/backend.h"

#include "base/error.h"

namespace flambeau {
namespace {

// Memory belongs to the backend that allocated it: while some is in use, another
// backend cannot take its place.
void check_switch(const DeviceType& type, const Backend* next) {
  const Backend* now = type.backend;
  if (now && now != next && !now->host_memory && now->live_blocks > 0)
    fail(ErrorKind::Runtime,
         "device type '%s' cannot change its backend while %lld blocks of memory of backend '%s' "
         "are in use: delete the tensors first",
         type.name.c_str(), static_cast<long long>(now->live_blocks), now->name.c_str());
}

void make_current(DeviceType& type, Backend* backend) {
  type.backend = backend;
  type.memory = backend;
}

}  // namespace

void install_backend(const std::string& device_type, std::unique_ptr<Backend> backend) {
  DeviceType* type = make_device_type(device_type, backend->host_memory);
  for (Backend* b : type->backends)
    if (b->name == backend->name)
      fail(ErrorKind::Runtime, "device type '%s' has a backend named '%s' already",
           device_type.c_str(), backend->name.c_str());
  if (type->host_memory != backend->host_memory)
    fail(ErrorKind::Runtime,
         "backend '%s' keeps its memory elsewhere than the other backends of '%s'",
         backend->name.c_str(), device_type.c_str());
  check_switch(*type, backend.get());
  type->backends.push_back(backend.release());
  make_current(*type, type->backends.back());
}

void use_backend(const std::string& device_type, const std::string& name) {
  if (DeviceType* type = find_device_type(device_type))
    for (Backend* b : type->backends)
      if (b->name == name) {
        check_switch(*type, b);
        make_current(*type, b);
        return;
      }
  fail(ErrorKind::Runtime, "device type '%s' has no installed backend named '%s'",
       device_type.c_str(), name.c_str());
}

}  // namespace flambeau
