// One way to split a range of work over threads.
#pragma once

#include <cstdint>

namespace flambeau_cpu {

int get_num_threads();
void set_num_threads(int n);

// How many threads parallel_for would use now: 1 inside a parallel region, in a forked
// child, and when only one is configured.
int usable_threads();

// Calls body(context, begin, end) over disjoint ranges that cover [0, n), each at least
// `grain` long, on at most get_num_threads() threads; returns when all are done.
void parallel_run(int64_t n, int64_t grain, void (*body)(void*, int64_t, int64_t), void* context);

// parallel_run for a callable fn(begin, end). Runs it in place when n <= grain. `fn` must
// not throw.
template <class F>
static inline void parallel_for(int64_t n, int64_t grain, const F& fn) {
  if (n <= 0) return;
  if (n <= grain) {
    fn(static_cast<int64_t>(0), n);
    return;
  }
  parallel_run(
      n, grain,
      [](void* context, int64_t begin, int64_t end) {
        (*static_cast<const F*>(context))(begin, end);
      },
      const_cast<void*>(static_cast<const void*>(&fn)));
}

}  // namespace flambeau_cpu
