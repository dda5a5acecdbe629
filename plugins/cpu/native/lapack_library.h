// The LAPACK that NumPy's wheel carries, shared with NumPy: nothing of it is in our own wheel.
#pragma once

#include <cstdint>

namespace flambeau_cpu::lapack {

// Integers as the library takes them: only builds with 64-bit ones are used.
using Int = int64_t;

// Names the extension module of NumPy that is linked with LAPACK; null for none. Loads nothing.
void set_module_path(const char* path);

// The address of a routine by LAPACK's name ("dpotrf"), or null. The first call loads the library.
void* find_routine(const char* name);

// Whether every routine in use was found; loads the library.
bool available();

// While one lives, the library uses at most so many threads. The count belongs to the whole
// process, so the first to come keeps NumPy's and the last to go brings it back.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
};

}  // namespace flambeau_cpu::lapack
