// Comparisons and logical operations: bool out.
#include "binary_kernel.h"
#include "entries.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

#define COMPARISON(Name, expression)  \
  struct Name : Plain {               \
    using Plain::Plain;               \
    template <class T>                \
    bool operator()(T a, T b) const { \
      return expression;              \
    }                                 \
  };
COMPARISON(Equal, a == b)
COMPARISON(NotEqual, a != b)
COMPARISON(Less, a < b)
COMPARISON(LessEqual, a <= b)
COMPARISON(Greater, a > b)
COMPARISON(GreaterEqual, a >= b)
COMPARISON(LogicalAnd, (a != T(0)) & (b != T(0)))
COMPARISON(LogicalOr, (a != T(0)) | (b != T(0)))
COMPARISON(LogicalXor, (a != T(0)) ^ (b != T(0)))
#undef COMPARISON

// Whether two integers are equal does not depend on their sign.
template <class Op>
constexpr auto of_bits(const char* id) {
  return floats<Comparison<Op>::template Of>(id) +
         unsigned_integers<Comparison<Op>::template Of>(id) +
         boolean<Comparison<Op>::template Of>(id);
}

template <class Op>
constexpr auto of_order(const char* id) {
  return floats<Comparison<Op>::template Of>(id) + integers<Comparison<Op>::template Of>(id) +
         boolean<Comparison<Op>::template Of>(id);
}

constexpr auto entries = of_bits<Equal>("eq") + of_bits<NotEqual>("ne") + of_order<Less>("lt") +
                         of_order<LessEqual>("le") + of_order<Greater>("gt") +
                         of_order<GreaterEqual>("ge") + of_bits<LogicalAnd>("logical_and") +
                         of_bits<LogicalOr>("logical_or") + of_bits<LogicalXor>("logical_xor");

}  // namespace

KernelTable compare_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
