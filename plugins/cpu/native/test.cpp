// Tests of one input: bool out.
#include "entries.h"
#include "unary_kernel.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

struct LogicalNot : Plain {
  using Plain::Plain;
  template <class T>
  bool operator()(T x) const {
    return x == T(0);
  }
};

// Integers are finite numbers.
struct IsNan : Plain {
  using Plain::Plain;
  template <class T>
  bool operator()(T x) const {
    return x != x;
  }
};

struct IsInf : Plain {
  using Plain::Plain;
  bool operator()(float x) const { return __builtin_fabsf(x) == __builtin_inff(); }
  bool operator()(double x) const { return __builtin_fabs(x) == __builtin_inf(); }
  template <class T>
  bool operator()(T) const {
    return false;
  }
};

struct IsFinite : Plain {
  using Plain::Plain;
  bool operator()(float x) const { return __builtin_fabsf(x) < __builtin_inff(); }
  bool operator()(double x) const { return __builtin_fabs(x) < __builtin_inf(); }
  template <class T>
  bool operator()(T) const {
    return true;
  }
};

struct SignBit : Plain {
  using Plain::Plain;
  bool operator()(float x) const {
    int32_t u;
    __builtin_memcpy(&u, &x, 4);
    return u < 0;
  }
  bool operator()(double x) const {
    int64_t u;
    __builtin_memcpy(&u, &x, 8);
    return u < 0;
  }
  template <class T>
  bool operator()(T x) const {
    return x < T(0);
  }
};

template <class Op>
constexpr auto tests(const char* id) {
  return floats<Test<Op>::template Of>(id) + integers<Test<Op>::template Of>(id) +
         boolean<Test<Op>::template Of>(id);
}

constexpr auto entries = tests<LogicalNot>("logical_not") + tests<IsNan>("isnan") +
                         tests<IsInf>("isinf") + tests<IsFinite>("isfinite") +
                         tests<SignBit>("signbit");

}  // namespace

KernelTable test_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
