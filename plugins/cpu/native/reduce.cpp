// The frequent reductions.
#include "reduction_steps.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr auto entries = floats<Sum>("sum") + boolean<Sum>("sum") + floats<Mean>("mean") +
                         floats<Amax>("amax") + floats<Amin>("amin") + boolean<Any>("any") +
                         boolean<All>("all") +
                         Entries<3>{{{"sum", bit(FB_INT64), Sum<int64_t>::run},
                                     {"amax", bit(FB_INT64), Amax<int64_t>::run},
                                     {"amin", bit(FB_INT64), Amin<int64_t>::run}}};

}  // namespace

KernelTable reduce_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
