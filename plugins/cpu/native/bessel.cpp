// Bessel functions of orders 0 and 1. J and Y are the C library's; the modified ones go by
// power series near the origin, I by its asymptotic series far from it, K by its integral.
// The numbers of equations are the DLMF's.
#include <cmath>

#include "double_function.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr double kTwoPi = 6.28318530717958647693;
constexpr double kEuler = 0.57721566490153286061;

// Factors of the series, so that no element divides.
constexpr int kMostTerms = 48;
struct SeriesFactors {
  double power[2][kMostTerms + 1] = {};       // 1 / (k (k + order))
  double asymptotic[2][kMostTerms + 1] = {};  // (4 order^2 - (2 k - 1)^2) / (8 k)
  constexpr SeriesFactors() {
    for (int order = 0; order < 2; ++order) {
      for (int k = 1; k <= kMostTerms; ++k) {
        power[order][k] = 1.0 / (k * (k + order));
        asymptotic[order][k] = (4.0 * order - (2 * k - 1) * (2 * k - 1)) / (8 * k);
      }
    }
  }
};
constexpr SeriesFactors kFactors;

// I by its power series (10.25.2), whose terms have one sign; x <= 20.
template <int kOrder>
double modified_series(double x) {
  const double z = x * x / 4;
  double series = 1;
  for (int k = 10 + static_cast<int>(1.9 * x); k > 0; --k)
    series = 1 + z * kFactors.power[kOrder][k] * series;
  return kOrder ? series * x / 2 : series;
}

// I(x) exp(-x) for x >= 0; far out by 10.40.1.
template <int kOrder>
double i_scaled(double x) {
  if (x <= 20) return modified_series<kOrder>(x) * ::exp(-x);
  const double inverse = 1 / x;
  double series = 1;
  for (int k = 25; k > 0; --k) series = 1 - inverse * kFactors.asymptotic[kOrder][k] * series;
  return series / ::sqrt(kTwoPi * x);
}

double i0e(double x) { return i_scaled<0>(::fabs(x)); }
double i1e(double x) { return ::copysign(i_scaled<1>(::fabs(x)), x); }

// In two factors, since exp(|x|) overflows before I does. NaN at infinity, as in PyTorch.
double grown(double scaled, double x) {
  const double root = ::exp(::fabs(x) / 2);
  return scaled * root * root;
}
double i0(double x) { return grown(i0e(x), x); }
double i1(double x) { return grown(i1e(x), x); }

// K for 0 < x <= 2 (10.31.1, 10.31.2).
template <int kOrder>
double k_series(double x) {
  const double z = x * x / 4;
  double term = 1, harmonic = 0, total = 0;
  for (int k = 0; k < 13; ++k) {
    const double psi = harmonic - kEuler;
    harmonic += 1.0 / (k + 1);
    total += term * (kOrder ? psi + (harmonic - kEuler) : psi);
    term *= z * kFactors.power[kOrder][k + 1];
  }
  const double logarithm = ::log(x / 2) * modified_series<kOrder>(x);
  return kOrder ? 1 / x + logarithm - x / 4 * total : total - logarithm;
}

// K(x) exp(x) for x > 2 by the trapezoidal rule (10.32.9), which converges exponentially.
template <int kOrder>
double k_integral(double x) {
  constexpr int kNodes = 16;
  const double half = ::asinh(::sqrt(20 / x)) / kNodes;  // to exp(-40)
  const double twice_cosh = 2 * ::cosh(half);
  double total = 0.5, before = 0, sinh = ::sinh(half);
  for (int k = 1; k <= kNodes; ++k) {
    const double rise = 2 * sinh * sinh;  // cosh(t) - 1 from the sinh of t / 2
    total += ::exp(-x * rise) * (kOrder ? 1 + rise : 1);
    const double next = twice_cosh * sinh - before;
    before = sinh;
    sinh = next;
  }
  return total * 2 * half;
}

template <int kOrder>
double k_scaled(double x) {
  if (!(x >= 0)) return __builtin_nan("");
  if (x == 0) return HUGE_VAL;
  if (x == HUGE_VAL) return 0;
  return x <= 2 ? k_series<kOrder>(x) * ::exp(x) : k_integral<kOrder>(x);
}

// At infinity and left of 0 the C libraries differ.
double bessel_j0(double x) { return std::isinf(x) ? __builtin_nan("") : ::j0(x); }
double bessel_j1(double x) { return std::isinf(x) ? __builtin_nan("") : ::j1(x); }
template <double (*function)(double)>
double second_kind(double x) {
  if (x == 0) return -HUGE_VAL;
  return x > 0 && x < HUGE_VAL ? function(x) : __builtin_nan("");
}

constexpr auto entries =
    in_double<i0, 64>("i0") + in_double<i0e, 64>("i0e") + in_double<i1, 64>("i1") +
    in_double<i1e, 64>("i1e") + in_double<k_scaled<0>, 256>("scaled_modified_bessel_k0") +
    in_double<k_scaled<1>, 256>("scaled_modified_bessel_k1") +
    in_double<bessel_j0, 64>("bessel_j0") + in_double<bessel_j1, 64>("bessel_j1") +
    in_double<second_kind<::y0>, 64>("bessel_y0") + in_double<second_kind<::y1>, 64>("bessel_y1");

}  // namespace

KernelTable bessel_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
