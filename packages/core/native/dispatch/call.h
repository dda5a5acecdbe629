// Calling a kernel: table look-up, lock release, fallback, errors.
#pragma once

#include "dispatch/backend.h"

namespace flambeau {

// Set by the floor above; the floors without Python know no interpreter lock.
extern void* (*release_lock)();
extern void (*acquire_lock)(void*);

struct KernelCall {
  int id;
  int dtype;  // of the first input, or of the first output where there is none
  fb_array* const* out;
  int n_out;
  const fb_array* const* in;
  int n_in;
  const fb_param* params = nullptr;
  int64_t work = -1;  // in cheap elementwise operations; -1: from sizes and the row's cost
};

// Set by a floor above: installs a further backend of a device type beside the
// current one; false where there is none left.
extern bool (*open_another_hook)(const std::string& device_type);

// Whether the device has a kernel of its own (or may fall back) for this.
bool has_kernel(DeviceType* device, int id, int dtype);
// Kernels that the current backend lacks are borrowed from another that serves the
// same host memory, which is opened for it if need be; nullptr where none has it.
Backend* lender(DeviceType* device, int id, int dtype);
void call_kernel(DeviceType* device, const KernelCall& call);

// Kernels that a device lacks run on the cpu instead, with a warning a kernel,
// once a user has allowed it.
void call_on_cpu(DeviceType* device, const KernelCall& call);
void set_cpu_fallback(bool on);
bool cpu_fallback();
extern void (*fallback_warning)(const char* text);

}  // namespace flambeau
