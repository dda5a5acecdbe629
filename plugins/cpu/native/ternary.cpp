// Elementwise functions of three and four inputs.
#include <type_traits>

#include "elementwise.h"
#include "entries.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <class T>
using Wrapping = std::conditional_t<std::is_integral_v<T>,
                                    std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, T>;

// Bits of `accepts`: no input spread, only the last of three, only the last of four.
constexpr uint16_t kThirdSpread = 1u << 0 | 1u << 4;
constexpr uint16_t kFourthSpread = 1u << 0 | 1u << 8;

template <class T>
struct AddScaled {
  using C = Compute<T>;
  static void block(void* out, const void* const* in, int64_t n, unsigned scalars,
                    const fb_param*) {
    using W = Wrapping<C>;
    C* o = static_cast<C*>(out);
    const C* a = static_cast<const C*>(in[0]);
    const C* b = static_cast<const C*>(in[1]);
    const C* c = static_cast<const C*>(in[2]);
    if (scalars) {
      const W factor = static_cast<W>(*c);
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i)
        o[i] = static_cast<C>(static_cast<W>(a[i]) + static_cast<W>(b[i]) * factor);
    } else {
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i)
        o[i] = static_cast<C>(static_cast<W>(a[i]) + static_cast<W>(b[i]) * static_cast<W>(c[i]));
    }
  }
  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    if (!kIsHalf<T> && is_host_scalar(in[2]) && direct(out[0], in[0], in[1])) {
      const void* data[3] = {in[0]->data, in[1]->data, in[2]->data};
      block(out[0]->data, data, out[0]->numel, 4, params);
      return FB_OK;
    }
    return run_elementwise({block, kThirdSpread, 1, false}, out[0], 3, in, params);
  }
};

// a + value * b * c, or with the quotient of b and c.
template <class T, bool kDivides>
struct AddProduct {
  using C = Compute<T>;
  static C combine(C a, C b, C c, C value) {
    using W = Wrapping<C>;
    if constexpr (kDivides)
      return a + value * (b / c);
    else
      return static_cast<C>(static_cast<W>(a) +
                            static_cast<W>(value) * static_cast<W>(b) * static_cast<W>(c));
  }
  static void block(void* out, const void* const* in, int64_t n, unsigned scalars,
                    const fb_param*) {
    C* o = static_cast<C*>(out);
    const C* a = static_cast<const C*>(in[0]);
    const C* b = static_cast<const C*>(in[1]);
    const C* c = static_cast<const C*>(in[2]);
    const C* value = static_cast<const C*>(in[3]);
    if (scalars) {
      const C factor = *value;
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) o[i] = combine(a[i], b[i], c[i], factor);
    } else {
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) o[i] = combine(a[i], b[i], c[i], value[i]);
    }
  }
  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    return run_elementwise({block, kFourthSpread, 2, false}, out[0], 4, in, params);
  }
};
template <class T>
using AddCMul = AddProduct<T, false>;
template <class T>
using AddCDiv = AddProduct<T, true>;

// Counted from the nearer end, so that weight 1 gives b exactly.
template <class T>
struct Lerp {
  using C = Compute<T>;
  static C between(C a, C b, C w) {
    const C difference = b - a;
    const C from_a = a + w * difference, from_b = b - difference * (C(1) - w);
    return (w < C(0.5)) & (w > C(-0.5)) ? from_a : from_b;
  }
  static void block(void* out, const void* const* in, int64_t n, unsigned scalars,
                    const fb_param*) {
    C* o = static_cast<C*>(out);
    const C* a = static_cast<const C*>(in[0]);
    const C* b = static_cast<const C*>(in[1]);
    const C* w = static_cast<const C*>(in[2]);
    if (scalars) {
      const C weight = *w;
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) o[i] = between(a[i], b[i], weight);
    } else {
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) o[i] = between(a[i], b[i], w[i]);
    }
  }
  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    return run_elementwise({block, kThirdSpread, 1, false}, out[0], 3, in, params);
  }
};

// Either bound may be absent. A NaN among value and bounds gives NaN.
template <class T>
struct Clamp {
  using C = Compute<T>;
  static C raise(C x, C low) { return (x < low) | (low != low) ? low : x; }
  static C lower(C x, C high) { return (x > high) | (high != high) ? high : x; }

  static void block(void* out, const void* const* in, int64_t n, unsigned scalars,
                    const fb_param*) {
    C* o = static_cast<C*>(out);
    const C* a = static_cast<const C*>(in[0]);
    const C* low = static_cast<const C*>(in[1]);
    const C* high = static_cast<const C*>(in[2]);
    if (low && high && scalars == 6) {
      const C l = *low, h = *high;
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) o[i] = lower(raise(a[i], l), h);
      return;
    }
    // One bound at a time; the second reads what the first wrote.
    if (low) bound<raise>(o, a, low, scalars & 2, n);
    if (high) bound<lower>(o, low ? o : a, high, scalars & 4, n);
    if (!low && !high && o != a)
      for (int64_t i = 0; i < n; ++i) o[i] = a[i];
  }

  template <C (*Limit)(C, C)>
  static void bound(C* o, const C* a, const C* limit, bool spread, int64_t n) {
    if (spread) {
      const C l = *limit;
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) o[i] = Limit(a[i], l);
    } else {
      FLAMBEAU_INDEPENDENT
      for (int64_t i = 0; i < n; ++i) o[i] = Limit(a[i], limit[i]);
    }
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    constexpr uint16_t kAccepts = 1u << 0 | 1u << 2 | 1u << 4 | 1u << 6;
    const bool spread = (!in[1] || is_host_scalar(in[1])) && (!in[2] || is_host_scalar(in[2]));
    if (!kIsHalf<T> && spread && direct(out[0], in[0])) {
      const void* data[3] = {in[0]->data, in[1] ? in[1]->data : nullptr,
                             in[2] ? in[2]->data : nullptr};
      block(out[0]->data, data, out[0]->numel, (in[1] ? 2u : 0u) | (in[2] ? 4u : 0u), params);
      return FB_OK;
    }
    return run_elementwise({block, kAccepts, 1, false}, out[0], 3, in, params);
  }
};

constexpr auto entries = floats<AddScaled>("add_scaled") +
                         unsigned_integers<AddScaled>("add_scaled") + floats<AddCMul>("addcmul") +
                         unsigned_integers<AddCMul>("addcmul") + floats<AddCDiv>("addcdiv") +
                         floats<Lerp>("lerp") + floats<Clamp>("clamp") + integers<Clamp>("clamp");

}  // namespace

KernelTable ternary_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
