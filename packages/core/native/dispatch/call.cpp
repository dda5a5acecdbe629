#include "dispatch/call.h"

#include <algorithm>

#include "base/dtype.h"
#include "base/error.h"
#include "memory/allocator.h"

namespace flambeau {

void* (*release_lock)() = nullptr;
void (*acquire_lock)(void*) = nullptr;
void (*fallback_warning)(const char* text) = nullptr;
bool (*open_another_hook)(const std::string& device_type) = nullptr;

namespace {

bool fallback_on = false;

int64_t work_of(const KernelCall& c) {
  if (c.work >= 0) return c.work;
  int64_t n = 0;
  for (int i = 0; i < c.n_out; i++)
    if (c.out[i]) n = std::max(n, c.out[i]->numel);
  for (int i = 0; i < c.n_in; i++)
    if (c.in[i]) n = std::max(n, c.in[i]->numel);
  return n * std::max<int64_t>(1, fb_kernel_rows[c.id].cost);
}

// Whether the work could reach the backend's limit, told from the first output
// alone: small calls need not look further.
bool is_small(Backend* backend, const KernelCall& c) {
  return c.work < 0 && c.n_out > 0 && c.out[0] && c.out[0]->numel < 512 && c.n_in > 0 && c.in[0] &&
         c.in[0]->numel < 512 && backend->release_lock_above > 512 * 64;
}

void run(Backend* backend, const Kernel& k, const KernelCall& c) {
  int status;
  if (!is_small(backend, c) && work_of(c) >= backend->release_lock_above && release_lock) {
    void* state = release_lock();
    status = k.fn(k.ctx, c.n_out, c.out, c.n_in, c.in, c.params);
    acquire_lock(state);
  } else {
    status = k.fn(k.ctx, c.n_out, c.out, c.n_in, c.in, c.params);
  }
  if (__builtin_expect(status != FB_OK, 0)) backend->raise(status, fb_kernel_rows[c.id].id);
}

// The bytes that a strided view can touch, staged in host memory. The view
// keeps its strides, so that nothing depends on how it is laid out.
class Staged {
 public:
  Staged(Backend* backend, const fb_array& a) : backend_(backend), device_(a), host_(a) {
    if (a.flags & FB_HOST_SCALAR || a.numel == 0) return;
    int64_t last = 0;
    for (int i = 0; i < a.ndim; i++) last += (a.shape[i] - 1) * a.strides[i];
    nbytes_ = (last + 1) * itemsize(a.dtype);
    host_.data = host_allocate(nbytes_);
    host_.buffer = nullptr;
    backend_->copy_to_host(a.device_index, base(), a.buffer, offset(), host_.data, nbytes_);
  }
  Staged(const Staged&) = delete;
  ~Staged() {
    if (nbytes_) host_release(host_.data, nbytes_);
  }
  void write_back() {
    if (nbytes_)
      backend_->copy_from_host(device_.device_index, base(), device_.buffer, offset(), host_.data,
                               nbytes_);
  }
  fb_array* array() { return &host_; }

 private:
  // An opaque buffer is addressed by offset, other memory by pointer.
  void* base() const { return device_.buffer ? nullptr : device_.data; }
  int64_t offset() const { return device_.buffer ? int64_t(intptr_t(device_.data)) : 0; }

  Backend* backend_;
  fb_array device_, host_;
  int64_t nbytes_ = 0;
};

void run_on_cpu(Backend* backend, DeviceType* device, const KernelCall& c) {
  static bool warned[kernel_count];
  if (!warned[c.id] && fallback_warning) {
    warned[c.id] = true;
    std::string text = std::string("'") + fb_kernel_rows[c.id].id + "' has no kernel on device '" +
                       device->name + "' and runs on the cpu instead, with a copy there and back";
    fallback_warning(text.c_str());
  }
  std::vector<std::unique_ptr<Staged>> staged;
  std::vector<fb_array*> out;
  std::vector<const fb_array*> in;
  auto stage = [&](const fb_array* a) {
    staged.push_back(a ? std::make_unique<Staged>(backend, *a) : nullptr);
    return a ? staged.back()->array() : nullptr;
  };
  for (int i = 0; i < c.n_out; i++) out.push_back(stage(c.out[i]));
  for (int i = 0; i < c.n_in; i++) in.push_back(stage(c.in[i]));
  KernelCall host = c;
  host.out = out.data();
  host.in = in.data();
  call_kernel(cpu_device(), host);
  for (int i = 0; i < c.n_out; i++)
    if (staged[size_t(i)]) staged[size_t(i)]->write_back();
}

}  // namespace

void set_cpu_fallback(bool on) { fallback_on = on; }
bool cpu_fallback() { return fallback_on; }

Backend* lender(DeviceType* device, int id, int dtype) {
  if (!device->opened()->host_memory) return nullptr;
  do {
    for (Backend* b : device->backends)
      if (b->kernel(id, dtype).fn) return b;
  } while (open_another_hook && open_another_hook(device->name));
  return nullptr;
}

bool has_kernel(DeviceType* device, int id, int dtype) {
  return device->opened()->kernel(id, dtype).fn != nullptr;
}

void call_on_cpu(DeviceType* device, const KernelCall& c) {
  run_on_cpu(device->opened(), device, c);
}

void call_kernel(DeviceType* device, const KernelCall& c) {
  Backend* backend = device->opened();
  const Kernel& k = backend->kernel(c.id, c.dtype);
  if (__builtin_expect(k.fn != nullptr, 1)) return run(backend, k, c);
  if (Backend* other = lender(device, c.id, c.dtype))
    return run(other, other->kernel(c.id, c.dtype), c);
  const fb_kernel_row& row = fb_kernel_rows[c.id];
  if (!device->host_memory && (fallback_on || row.level == 'r'))
    if (cpu_device()->opened()->kernel(c.id, c.dtype).fn) return run_on_cpu(backend, device, c);
  const char* advice = device->host_memory ? ""
                                           : "; set_cpu_fallback(True) lets missing kernels run on "
                                             "the cpu";
  fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s' on device '%s' (backend '%s')%s",
       row.id, info(c.dtype).legacy_name, device->name.c_str(), backend->name.c_str(), advice);
}

}  // namespace flambeau
