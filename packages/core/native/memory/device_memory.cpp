#include "memory/device_memory.h"

#include "base/error.h"

namespace flambeau {

void DeviceMemory::check_index(const std::string& device_type, int index) {
  if (count_ < 0) count_ = device_count();
  if (index >= count_)
    fail(ErrorKind::Runtime, "invalid device ordinal: no device '%s:%d', the backend '%s' has %d",
         device_type.c_str(), index, name.c_str(), count_);
}

}  // namespace flambeau
