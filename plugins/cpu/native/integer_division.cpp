// Division of integers and integer powers. A zero divisor is an error.
#include <type_traits>

#include "binary_kernel.h"
#include "entries.h"
#include "error.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// The quotient rounded towards zero; the least integer by -1 wraps instead of trapping.
template <class T>
T quotient(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1)) return static_cast<T>(0u - static_cast<std::make_unsigned_t<T>>(a));
  return static_cast<T>(a / b);
}

template <class T>
T rest(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == T(-1)) return 0;
  return static_cast<T>(a % b);
}

struct Truncating : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return quotient(a, b);
  }
};

struct Floor : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    const T q = quotient(a, b), r = rest(a, b);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
  }
};

struct Remainder : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    const T r = rest(a, b);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
};

struct Fmod : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T a, T b) const {
    return rest(a, b);
  }
};

// By repeated squaring. A negative exponent leaves only the powers of 1 and -1.
struct Power : Plain {
  using Plain::Plain;
  template <class T>
  T operator()(T base, T exponent) const {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) {
        if (base == 1) return 1;
        if (base == T(-1)) return exponent & 1 ? T(-1) : T(1);
        return 0;
      }
    }
    uint64_t result = 1, square = static_cast<uint64_t>(base);
    for (uint64_t e = static_cast<uint64_t>(exponent); e; e >>= 1, square *= square)
      if (e & 1) result *= square;
    return static_cast<T>(result);
  }
};

template <class T>
bool has_zero(const fb_array* array) {
  if (array->numel == 0) return false;
  const T* data = static_cast<const T*>(array->data);
  if (is_host_scalar(array)) return *data == 0;
  StridedLoop<1> loop;
  make_loop(loop, {array});
  const int64_t n = loop.ndim ? loop.shape[loop.ndim - 1] : 1;
  const int64_t stride = loop.ndim ? loop.strides[0][loop.ndim - 1] : 1;
  Cursor<1> cursor(loop, 1, 0);
  for (int64_t rows = array->numel / n; rows > 0; --rows, cursor.next()) {
    const T* row = data + cursor.offset[0];
    if (stride == 0) {
      if (*row == 0) return true;
      continue;
    }
    for (int64_t i = 0; i < n; ++i)
      if (row[i * stride] == 0) return true;
  }
  return false;
}

template <class Op>
struct Division {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      if (out[0]->numel && has_zero<T>(in[1])) return fail(FB_ERROR, "ZeroDivisionError");
      return run_binary<T>(dear_binary_block<T, T, Op>, 1, 4, out, in, params);
    }
  };
};

constexpr auto entries =
    integers<Division<Truncating>::Of>("div_trunc") + integers<Division<Floor>::Of>("div_floor") +
    integers<Division<Remainder>::Of>("remainder") + integers<Division<Fmod>::Of>("fmod") +
    integers<DearBinary<Power>::Of>("pow");

}  // namespace

KernelTable integer_division_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
