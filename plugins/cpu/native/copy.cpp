// Copies between arrays of one shape, any layouts and any two dtypes.
#include <cstring>
#include <type_traits>

#include "elementwise.h"
#include "move.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <class T>
struct Complex {
  T real, imag;
};
using Complex64 = Complex<float>;
using Complex128 = Complex<double>;

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

template <class To, class From>
To convert(From x) {
  if constexpr (kIsComplex<From> && kIsComplex<To>) {
    using Part = decltype(To::real);
    return {static_cast<Part>(x.real), static_cast<Part>(x.imag)};
  } else if constexpr (kIsComplex<To>) {
    using Part = decltype(To::real);
    return {static_cast<Part>(x), Part(0)};
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (kIsComplex<From>)
      return (x.real != 0) | (x.imag != 0);
    else
      return x != From(0);
  } else if constexpr (kIsComplex<From>) {
    return convert<To>(x.real);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) < 4) {
    // By way of int32, whose low bits are taken: out-of-range values wrap.
    return static_cast<To>(static_cast<int32_t>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class To, class From>
void convert_block(void* out, const void* const* in, int64_t n, unsigned, const fb_param*) {
  To* o = static_cast<To*>(out);
  const From* a = static_cast<const From*>(in[0]);
  FLAMBEAU_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) o[i] = convert<To>(a[i]);
}

// One row of the table of conversions; the halves are floats on either side.
template <class From>
Block conversion_from(int to) {
  switch (to) {
    case FB_BOOL:
      return convert_block<bool, From>;
    case FB_UINT8:
      return convert_block<uint8_t, From>;
    case FB_INT8:
      return convert_block<int8_t, From>;
    case FB_INT16:
      return convert_block<int16_t, From>;
    case FB_INT32:
      return convert_block<int32_t, From>;
    case FB_INT64:
      return convert_block<int64_t, From>;
    case FB_FLOAT16:
    case FB_BFLOAT16:
    case FB_FLOAT32:
      return convert_block<float, From>;
    case FB_FLOAT64:
      return convert_block<double, From>;
    case FB_COMPLEX64:
      return convert_block<Complex64, From>;
    default:
      return convert_block<Complex128, From>;
  }
}

Block conversion(int from, int to) {
  switch (from) {
    case FB_BOOL:
      return conversion_from<bool>(to);
    case FB_UINT8:
      return conversion_from<uint8_t>(to);
    case FB_INT8:
      return conversion_from<int8_t>(to);
    case FB_INT16:
      return conversion_from<int16_t>(to);
    case FB_INT32:
      return conversion_from<int32_t>(to);
    case FB_INT64:
      return conversion_from<int64_t>(to);
    case FB_FLOAT16:
    case FB_BFLOAT16:
    case FB_FLOAT32:
      return conversion_from<float>(to);
    case FB_FLOAT64:
      return conversion_from<double>(to);
    case FB_COMPLEX64:
      return conversion_from<Complex64>(to);
    default:
      return conversion_from<Complex128>(to);
  }
}

int copy(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param* params) {
  const int to = out[0]->dtype, from = in[0]->dtype;
  if (to == from) {
    if (direct(out[0], in[0])) {
      if (out[0]->data != in[0]->data)
        std::memcpy(out[0]->data, in[0]->data, static_cast<size_t>(out[0]->numel * kItemSize[to]));
      return FB_OK;
    }
    move_array(out[0], in[0]);
    return FB_OK;
  }
  return run_elementwise({conversion(from, to), 1, 1, false}, out[0], 1, in, params);
}

constexpr KernelEntry entries[] = {{"copy", kAll, copy}};

}  // namespace

KernelTable copy_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
