#include "parallel.h"

#include <atomic>
#include <cstdlib>
#include <initializer_list>

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#endif

namespace flambeau_cpu {
namespace {

int configured_threads() {
  for (const char* name : {"FLAMBEAU_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* text = std::getenv(name);
    const int n = text ? std::atoi(text) : 0;
    if (n > 0) return n;
  }
#ifdef _OPENMP
  return omp_get_num_procs();
#else
  return 1;
#endif
}

std::atomic<int> num_threads{configured_threads()};
std::atomic<bool> forked{false};

#ifdef _OPENMP
// OpenMP's worker threads do not survive a fork, and a region that waits for them never
// ends: a forked child computes alone.
void after_fork_in_child() {
  forked.store(true, std::memory_order_relaxed);
  omp_set_num_threads(1);
}
const int at_fork = pthread_atfork(nullptr, nullptr, after_fork_in_child);
#endif

}  // namespace

int get_num_threads() {
  return forked.load(std::memory_order_relaxed) ? 1 : num_threads.load(std::memory_order_relaxed);
}

void set_num_threads(int n) {
  if (n < 1) n = 1;
  num_threads.store(n, std::memory_order_relaxed);
#ifdef _OPENMP
  if (!forked.load(std::memory_order_relaxed)) omp_set_num_threads(n);
#endif
}

int usable_threads() {
#ifdef _OPENMP
  return omp_in_parallel() ? 1 : get_num_threads();
#else
  return 1;
#endif
}

void parallel_run(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* context) {
  if (n <= 0) return;
  if (grain < 1) grain = 1;
  int64_t parts = (n + grain - 1) / grain;
  const int threads = usable_threads();
  if (parts > threads) parts = threads;
  if (parts <= 1) {
    body(context, 0, n);
    return;
  }
#ifdef _OPENMP
  const int64_t share = (n + parts - 1) / parts;
#pragma omp parallel num_threads(static_cast<int>(parts))
  {
    // The runtime may give fewer threads than asked for: each takes every parts-th share.
    const int64_t team = omp_get_num_threads();
    for (int64_t part = omp_get_thread_num(); part < parts; part += team) {
      const int64_t begin = part * share;
      const int64_t end = begin + share < n ? begin + share : n;
      if (begin < end) body(context, begin, end);
    }
  }
#endif
}

}  // namespace flambeau_cpu
