#include "lapack_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <string>

#include "lapack_routines.h"

namespace flambeau_cpu::lapack {
namespace {

std::string& module_path() {
  static std::string path;
  return path;
}

// How wheels of NumPy name the routines, since 2.0 and before.
constexpr const char* kSpellings[] = {"scipy_%s_64_", "%s_64_"};
constexpr const char* kThreadSpellings[] = {"scipy_openblas_%s_num_threads64_",
                                            "openblas_%s_num_threads64_"};

// The extension module is opened, not imported: a look-up in it covers what it is linked with.
void* open_module() {
  return module_path().empty() ? nullptr : dlopen(module_path().c_str(), RTLD_LAZY | RTLD_LOCAL);
}

void* find_symbol(const char* const (&spellings)[2], const char* name) {
  static void* const handle = open_module();
  if (!handle) return nullptr;
  for (const char* spelling : spellings) {
    char symbol[64];
    std::snprintf(symbol, sizeof symbol, spelling, name);
    if (void* found = dlsym(handle, symbol)) return found;
  }
  return nullptr;
}

struct ThreadCount {
  int (*get)();
  void (*set)(int);
  std::mutex mutex;
  int users = 0;
  int kept = 1;

  ThreadCount()
      : get(reinterpret_cast<int (*)()>(find_symbol(kThreadSpellings, "get"))),
        set(reinterpret_cast<void (*)(int)>(find_symbol(kThreadSpellings, "set"))) {}
};

ThreadCount& thread_count() {
  static ThreadCount* count = new ThreadCount;  // outlives the threads that may compute at exit
  return *count;
}

}  // namespace

void set_module_path(const char* path) { module_path() = path ? path : ""; }

void* find_routine(const char* name) { return find_symbol(kSpellings, name); }

bool available() {
  static const bool complete = thread_count().get && thread_count().set && routines<float>() &&
                               routines<double>() && routines<std::complex<float>>() &&
                               routines<std::complex<double>>();
  return complete;
}

ThreadLimit::ThreadLimit(int threads) {
  ThreadCount& count = thread_count();
  const std::lock_guard<std::mutex> lock(count.mutex);
  if (count.users++ == 0) count.kept = count.get();
  count.set(threads < count.kept ? threads : count.kept);
}

ThreadLimit::~ThreadLimit() {
  ThreadCount& count = thread_count();
  const std::lock_guard<std::mutex> lock(count.mutex);
  if (--count.users == 0) count.set(count.kept);
}

}  // namespace flambeau_cpu::lapack
