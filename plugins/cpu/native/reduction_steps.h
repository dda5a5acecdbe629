// The reductions that take elements one at a time: sums, means, products, extremes, any and
// all. reduce.cpp compiles the frequent ones per instruction set, reduce_rare.cpp the others
// once.
#pragma once

#include <type_traits>

#include "entries.h"
#include "extremes.h"
#include "reduce_driver.h"
#include "simd.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// Independent partial results of a loop: four vectors, enough to hide its latency.
template <class Lane>
constexpr int kPartsOf = 4 * FLAMBEAU_VECTOR_BYTES / static_cast<int>(sizeof(Lane));

// A reduction that takes elements one by one with Step: Lane start(), Lane take(Lane, T),
// Total (with a default neutral element) and merge(Total&, Lane). A step with kHasBlock
// takes a whole block in a way of its own.
template <class T, class ResultType, class Step>
struct Stepwise {
  using Stored = T;
  using Result = ResultType;
  using C = Compute<T>;
  using Lane = typename Step::Lane;
  using Accumulator = typename Step::Total;
  static constexpr int kParts = kPartsOf<Lane>;

  static void block(Accumulator& total, const C* x, int64_t n) {
    if constexpr (Step::kHasBlock) {
      Step::merge(total, Step::block(x, n));
      return;
    }
    if (n < kParts) {
      Lane lane = Step::start();
      for (int64_t i = 0; i < n; ++i) lane = Step::take(lane, x[i]);
      Step::merge(total, lane);
      return;
    }
    Lane lanes[kParts];
    for (int l = 0; l < kParts; ++l) lanes[l] = Step::start();
    int64_t i = 0;
    for (; i + kParts <= n; i += kParts)
      for (int l = 0; l < kParts; ++l) lanes[l] = Step::take(lanes[l], x[i + l]);
    for (int l = 0; i < n; ++i, ++l) lanes[l] = Step::take(lanes[l], x[i]);
#pragma GCC unroll 1
    for (int width = kParts / 2; width > 0; width /= 2)
#pragma GCC unroll 1
      for (int l = 0; l < width; ++l) lanes[l] = Step::join(lanes[l], lanes[l + width]);
    Step::merge(total, lanes[0]);
  }

  static void columns(Accumulator* totals, const C* x, int64_t row_stride, int64_t rows,
                      int64_t columns) {
    Lane lanes[kColumnBlock];
    for (int64_t c = 0; c < columns; ++c) lanes[c] = Step::start();
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
      const C* x0 = x + r * row_stride;
      const C* x1 = x0 + row_stride;
      const C* x2 = x1 + row_stride;
      const C* x3 = x2 + row_stride;
      for (int64_t c = 0; c < columns; ++c) {
        const Lane first = Step::take(Step::take(Step::start(), x0[c]), x1[c]);
        const Lane second = Step::take(Step::take(Step::start(), x2[c]), x3[c]);
        lanes[c] = Step::join(lanes[c], Step::join(first, second));
      }
    }
    for (; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) lanes[c] = Step::take(lanes[c], x[r * row_stride + c]);
    for (int64_t c = 0; c < columns; ++c) Step::merge(totals[c], lanes[c]);
  }

  static void combine(Accumulator& total, const Accumulator& other) { Step::combine(total, other); }

  static auto finish(const Accumulator& total, int64_t count, const fb_param*) {
    return Step::finish(total, count);
  }
};

// -- sums and means ---------------------------------------------------------------------------

// In four vectors.
template <class T>
T sum_block(const T* x, int64_t n) {
  using V = typename Vector<T>::Type;
  constexpr int64_t W = kLanes<V>;
  V a = V{}, b = V{}, c = V{}, d = V{};
  int64_t i = 0;
  for (; i + 4 * W <= n; i += 4 * W) {
    a += load(x + i);
    b += load(x + i + W);
    c += load(x + i + 2 * W);
    d += load(x + i + 3 * W);
  }
  for (; i + W <= n; i += W) a += load(x + i);
  T rest = 0;
  for (; i < n; ++i) rest += x[i];
  return n < W ? rest : sum_lanes((a + b) + (c + d)) + rest;
}

// Blocks are summed in the element's type, the blocks' sums in double with the rounding
// errors kept aside (Neumaier 1974).
template <class T>
struct FloatTotal {
  double sum = 0, error = 0;
  void add(double x) {
    const double next = sum + x;
    const bool larger = __builtin_fabs(sum) >= __builtin_fabs(x);
    const double lost = larger ? (sum - next) + x : (x - next) + sum;
    // An infinite sum has no error worth keeping.
    error += next - next == 0 ? lost : 0;
    sum = next;
  }
};

template <class T, bool kMean>
struct FloatSum {
  using Lane = T;
  using Total = FloatTotal<T>;
  static constexpr bool kHasBlock = true;
  static Lane block(const T* x, int64_t n) { return sum_block(x, n); }
  static Lane start() { return 0; }
  static Lane take(Lane lane, T x) { return lane + x; }
  static Lane join(Lane a, Lane b) { return a + b; }
  static void merge(Total& total, Lane lane) { total.add(lane); }
  static void combine(Total& total, const Total& other) {
    total.add(other.sum);
    total.error += other.error;
  }
  static double finish(const Total& total, int64_t count) {
    const double sum = total.sum + total.error;
    return kMean ? sum / static_cast<double>(count) : sum;
  }
};

// Integers and bool in wrapping 64 bits.
struct IntegerTotalZero {
  uint64_t value = 0;
};
template <class T>
struct IntegerSum {
  using Lane = uint64_t;
  using Total = IntegerTotalZero;
  static constexpr bool kHasBlock = false;
  static Lane start() { return 0; }
  static Lane take(Lane lane, T x) { return lane + static_cast<uint64_t>(static_cast<int64_t>(x)); }
  static Lane join(Lane a, Lane b) { return a + b; }
  static void merge(Total& total, Lane lane) { total.value += lane; }
  static void combine(Total& total, const Total& other) { total.value += other.value; }
  static int64_t finish(const Total& total, int64_t) { return static_cast<int64_t>(total.value); }
};

// -- products ---------------------------------------------------------------------------------

template <class L>
struct OneTotal {
  L value = 1;
};
// L is the type of the product: the element's, or wrapping 64 bits for integers and bool.
template <class T, class L>
struct Product {
  using Lane = L;
  using Total = OneTotal<L>;
  static constexpr bool kHasBlock = false;
  static Lane start() { return 1; }
  static Lane take(Lane lane, T x) { return lane * static_cast<L>(x); }
  static Lane join(Lane a, Lane b) { return a * b; }
  static void merge(Total& total, Lane lane) { total.value *= lane; }
  static void combine(Total& total, const Total& other) { total.value *= other.value; }
  static L finish(const Total& total, int64_t) { return total.value; }
};

// -- extremes ---------------------------------------------------------------------------------

template <class T, bool kLargest>
constexpr T worst() {
  if constexpr (std::is_floating_point_v<T>) {
    return kLargest ? -__builtin_inf() : __builtin_inf();
  } else if constexpr (std::is_same_v<T, bool>) {
    return !kLargest;
  } else if constexpr (std::is_unsigned_v<T>) {
    return kLargest ? T(0) : static_cast<T>(~T(0));
  } else {
    constexpr T kLow =
        static_cast<T>(static_cast<std::make_unsigned_t<T>>(1) << (8 * sizeof(T) - 1));
    return kLargest ? kLow : static_cast<T>(~kLow);
  }
}

template <class T, bool kLargest>
struct ExtremeTotal {
  T value = worst<T, kLargest>();
};
template <class T, bool kLargest>
struct Extreme {
  using Lane = T;
  using Total = ExtremeTotal<T, kLargest>;
  static constexpr bool kHasBlock = true;
  static Lane start() { return worst<T, kLargest>(); }
  static Lane take(Lane lane, T x) { return extreme_of<kLargest>(lane, x); }
  static Lane join(Lane a, Lane b) { return take(a, b); }
  static Lane block(const T* x, int64_t n) { return extreme_of_block<kLargest>(x, n); }
  static void merge(Total& total, Lane lane) { total.value = take(total.value, lane); }
  static void combine(Total& total, const Total& other) { merge(total, other.value); }
  static T finish(const Total& total, int64_t) { return total.value; }
};

// -- any and all ------------------------------------------------------------------------------

template <bool kAny>
struct TruthTotal {
  bool value = !kAny;
};
template <class T, bool kAny>
struct Truth {
  using Lane = uint8_t;
  using Total = TruthTotal<kAny>;
  static constexpr bool kHasBlock = false;
  static Lane start() { return !kAny; }
  static Lane take(Lane lane, T x) {
    return kAny ? lane | static_cast<Lane>(x != T(0)) : lane & static_cast<Lane>(x != T(0));
  }
  static Lane join(Lane a, Lane b) { return kAny ? a | b : a & b; }
  static void merge(Total& total, Lane lane) { total.value = join(total.value, lane); }
  static void combine(Total& total, const Total& other) { merge(total, other.value); }
  static bool finish(const Total& total, int64_t) { return total.value; }
};

// -- makers for entries.h ---------------------------------------------------------------------

template <class R>
int run_kernel(void*, int, fb_array* const* out, int, const fb_array* const* in,
               const fb_param* params) {
  return run_reduction<R>(out[0], in[0], params);
}

template <class T>
struct Sum {
  using Step =
      std::conditional_t<std::is_integral_v<T>, IntegerSum<T>, FloatSum<Compute<T>, false>>;
  using Result = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  static constexpr fb_kernel run = run_kernel<Stepwise<T, Result, Step>>;
};
template <class T>
struct Mean {
  static constexpr fb_kernel run = run_kernel<Stepwise<T, T, FloatSum<Compute<T>, true>>>;
};
template <class T>
struct Prod {
  using Result = std::conditional_t<std::is_integral_v<T>, int64_t, T>;
  using Lane = std::conditional_t<std::is_integral_v<T>, uint64_t, Compute<T>>;
  static constexpr fb_kernel run = run_kernel<Stepwise<T, Result, Product<Compute<T>, Lane>>>;
};
template <class T>
struct Amax {
  static constexpr fb_kernel run = run_kernel<Stepwise<T, T, Extreme<Compute<T>, true>>>;
};
template <class T>
struct Amin {
  static constexpr fb_kernel run = run_kernel<Stepwise<T, T, Extreme<Compute<T>, false>>>;
};
template <class T>
struct Any {
  static constexpr fb_kernel run = run_kernel<Stepwise<T, bool, Truth<Compute<T>, true>>>;
};
template <class T>
struct All {
  static constexpr fb_kernel run = run_kernel<Stepwise<T, bool, Truth<Compute<T>, false>>>;
};
}  // namespace
}  // namespace flambeau_cpu::FLAMBEAU_ISA
