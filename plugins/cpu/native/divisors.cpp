// Greatest common divisors and least common multiples of integers.
#include <type_traits>

#include "binary_kernel.h"
#include "entries.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// The magnitude as an unsigned number: the least integer has one too.
template <class T>
std::make_unsigned_t<T> magnitude(T x) {
  using U = std::make_unsigned_t<T>;
  return x < 0 ? static_cast<U>(0u - static_cast<U>(x)) : static_cast<U>(x);
}

// Euclid's algorithm.
template <class U>
U common_divisor(U a, U b) {
  while (b != 0) {
    const U rest = static_cast<U>(a % b);
    a = b;
    b = rest;
  }
  return a;
}

struct Gcd : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(common_divisor(magnitude(a), magnitude(b)));
  }
};

struct Lcm : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    const auto x = magnitude(a), y = magnitude(b);
    if (x == 0 || y == 0) return 0;
    return static_cast<T>(static_cast<uint64_t>(x / common_divisor(x, y)) * y);
  }
};

constexpr auto entries =
    integers<DearBinary<Gcd, 32>::Of>("gcd") + integers<DearBinary<Lcm, 32>::Of>("lcm");

}  // namespace

KernelTable divisors_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
