// A backend behind the C table of flambeau/backend.h.
#include <cstring>

#include "base/error.h"
#include "dispatch/backend.h"

namespace flambeau {
namespace {

class NativeBackend final : public Backend {
 public:
  explicit NativeBackend(const fb_backend* table) : t_(*table) {
    name = t_.name;
    host_memory = t_.allocate == nullptr;
    release_lock_above = t_.release_lock_above > 0 ? t_.release_lock_above : INT64_MAX;
  }

  int device_count() override { return t_.device_count(t_.ctx); }

  void allocate(int device, int64_t nbytes, void** data, void** buffer) override {
    *buffer = nullptr;
    check(t_.allocate(t_.ctx, device, nbytes, data), "allocate");
  }
  void release(int device, void* data, int64_t nbytes, void*) override {
    t_.release(t_.ctx, device, data, nbytes);
  }
  void copy_from_host(int device, void* data, void*, int64_t offset, const void* source,
                      int64_t nbytes) override {
    check(t_.copy(t_.ctx, static_cast<char*>(data) + offset, device, source, -1, nbytes), "copy");
  }
  void copy_to_host(int device, void* data, void*, int64_t offset, void* target,
                    int64_t nbytes) override {
    check(t_.copy(t_.ctx, target, -1, static_cast<char*>(data) + offset, device, nbytes), "copy");
  }
  void synchronize(int device) override {
    if (t_.synchronize) check(t_.synchronize(t_.ctx, device), "synchronize");
  }
  Kernel resolve(const char* id, int dtype) override {
    return {t_.find_kernel(t_.ctx, id, dtype), t_.ctx, true};
  }
  int get_num_threads() override { return t_.get_num_threads ? t_.get_num_threads(t_.ctx) : 1; }
  void set_num_threads(int n) override {
    if (t_.set_num_threads) t_.set_num_threads(t_.ctx, n);
  }

  [[noreturn]] void raise(int status, const char* id) override {
    const char* text = t_.last_error ? t_.last_error(t_.ctx) : nullptr;
    std::string message = text && *text ? text : std::string(id) + " failed on backend " + name;
    if (message == "ZeroDivisionError") throw Error(ErrorKind::Runtime, message);
    throw Error(status == FB_INDEX_ERROR     ? ErrorKind::Index
                : status == FB_OUT_OF_MEMORY ? ErrorKind::OutOfMemory
                                             : ErrorKind::Runtime,
                message);
  }

 private:
  void check(int status, const char* what) {
    if (status != FB_OK) raise(status, what);
  }
  fb_backend t_;
};

}  // namespace

std::unique_ptr<Backend> make_native_backend(const fb_backend* table) {
  if (table->api_version != FB_API_VERSION)
    fail(ErrorKind::Runtime,
         "the backend '%s' speaks plugin API %u and this flambeau-core speaks %d: upgrade %s",
         table->name, table->api_version, FB_API_VERSION,
         table->api_version < FB_API_VERSION ? "the plugin" : "flambeau-core");
  if (table->struct_size < sizeof(fb_backend))
    fail(ErrorKind::Runtime, "the backend '%s' hands over a truncated table: upgrade the plugin",
         table->name);
  return std::make_unique<NativeBackend>(table);
}

}  // namespace flambeau
