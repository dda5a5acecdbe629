#include "memory/allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <new>
#include <vector>

#include "base/error.h"

namespace flambeau {
namespace {

constexpr int64_t small_limit = 4096, small_step = 64;
constexpr int64_t huge_page = 2 << 20;

struct FreeBlock {
  FreeBlock* next;
};

struct Cache {
  FreeBlock* small[small_limit / small_step + 1] = {};
  std::map<int64_t, std::vector<void*>> large;  // rounded size -> blocks
  int64_t cached = 0;
  int64_t budget = [] {
    int64_t memory = int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
    return memory > 0 ? memory / 8 : int64_t(1) << 30;
  }();
};

// Never destroyed: tensors may be freed after static destructors have run.
Cache& cache() {
  static Cache* c = new Cache;
  return *c;
}

// Sizes between powers of two fall into eight classes, so that a block is
// reused for nearly equal sizes at a waste of at most an eighth.
int64_t rounded(int64_t n) {
  if (n <= small_limit) return n <= 0 ? small_step : (n + small_step - 1) / small_step * small_step;
  int shift = 63 - __builtin_clzll(uint64_t(n));
  int64_t step = shift > 15 ? int64_t(1) << (shift - 3) : 4096;
  return (n + step - 1) / step * step;
}

void* from_system(int64_t size) {
  void* p = nullptr;
  int64_t alignment = size >= huge_page ? huge_page : 64;
  if (posix_memalign(&p, size_t(alignment), size_t(size)) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  if (size >= huge_page) madvise(p, size_t(size), MADV_HUGEPAGE);
#endif
  return p;
}

// A slab of small blocks, so that the C library's bookkeeping is paid once.
void refill(Cache& c, int slot) {
  int64_t size = int64_t(slot) * small_step, slab = size <= 512 ? 16384 : 65536;
  char* p = static_cast<char*>(from_system(slab));
  if (!p) return;
  for (int64_t at = 0; at + size <= slab; at += size) {
    auto* b = reinterpret_cast<FreeBlock*>(p + at);
    b->next = c.small[slot];
    c.small[slot] = b;
  }
}

}  // namespace

void* host_allocate(int64_t nbytes) {
  Cache& c = cache();
  int64_t size = rounded(nbytes);
  if (size <= small_limit) {
    int slot = int(size / small_step);
    if (!c.small[slot]) refill(c, slot);
    if (FreeBlock* b = c.small[slot]) {
      c.small[slot] = b->next;
      return b;
    }
  } else {
    auto it = c.large.find(size);
    if (it != c.large.end() && !it->second.empty()) {
      void* p = it->second.back();
      it->second.pop_back();
      c.cached -= size;
      return p;
    }
    if (void* p = from_system(size)) return p;
    host_empty_cache();
    if (void* p = from_system(size)) return p;
  }
  fail(ErrorKind::OutOfMemory, "out of memory: tried to allocate %lld bytes on the cpu",
       static_cast<long long>(nbytes));
}

void host_release(void* p, int64_t nbytes) {
  Cache& c = cache();
  int64_t size = rounded(nbytes);
  if (size <= small_limit) {
    auto* b = static_cast<FreeBlock*>(p);
    b->next = c.small[size / small_step];
    c.small[size / small_step] = b;
  } else if (c.cached + size > c.budget) {
    std::free(p);
  } else {
    c.large[size].push_back(p);
    c.cached += size;
  }
}

void host_empty_cache() {
  Cache& c = cache();
  for (auto& [size, blocks] : c.large)
    for (void* p : blocks) std::free(p);
  c.large.clear();
  c.cached = 0;
}

int64_t host_cached_bytes() { return cache().cached; }

}  // namespace flambeau
