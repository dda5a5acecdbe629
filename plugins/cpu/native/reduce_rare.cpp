// The reductions that are rarely large: products, small integers, the truth of numbers.
#include "reduction_steps.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <template <class> class Maker>
constexpr auto every_real(const char* id) {
  return floats<Maker>(id) + integers<Maker>(id) + boolean<Maker>(id);
}

// A kernel that reduce.cpp has too is never asked for here.
template <template <class> class Maker>
constexpr auto whole(const char* id) {
  return integers<Maker>(id) + boolean<Maker>(id);
}

constexpr auto entries = every_real<Prod>("prod") + integers<Sum>("sum") + whole<Amax>("amax") +
                         whole<Amin>("amin") + floats<Any>("any") + unsigned_integers<Any>("any") +
                         floats<All>("all") + unsigned_integers<All>("all");

}  // namespace

KernelTable reduce_rare_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
