// Mixed precision: which ops compute in which dtype while autocast is on.
#pragma once

#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace flambeau {

struct Args;

// What autocast does to an op's floating-point tensors.
enum class Autocast : uint8_t { None, Lower, Full, Widest };

// The state of the calling thread, a device type at a time.
struct AutocastState {
  struct Entry {
    std::string device_type;
    bool enabled;
    DType dtype;
  };
  std::vector<Entry> entries;

  Entry get(const std::string& device_type) const;
  void set(const std::string& device_type, bool enabled, DType dtype);
};
AutocastState& autocast_state();
Ref autocast_tensor(Tensor* t, Autocast policy);
// The same for all of a call's tensors.
void apply_autocast(Autocast policy, Args& a);

}  // namespace flambeau
