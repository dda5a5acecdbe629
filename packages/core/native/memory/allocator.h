// The caching allocator of host memory. Fresh pages cost many times what warm
// ones do, so freed blocks are kept by size class up to a byte budget.
// Called with the interpreter lock held.
#pragma once

#include <cstdint>

namespace flambeau {

// 64-byte aligned; throws Error(OutOfMemory) where the system has no more.
void* host_allocate(int64_t nbytes);
void host_release(void* p, int64_t nbytes);
// Gives every cached block back to the system.
void host_empty_cache();
int64_t host_cached_bytes();

}  // namespace flambeau
