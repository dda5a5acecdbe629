// Bessel functions of orders 0 and 1. J and Y are the C library's; the modified ones go by
// power series near the origin, I by its asymptotic series far from it, K by its integral.
// The numbers of equations are the DLMF's.
#include <cmath>

#include "double_function.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr double kTwoPi = 6.28318530717958647693;
constexpr double kEuler = 0.57721566490153286061;

// I by its power series (10.25.2), whose terms have one sign.
template <int kOrder>
double modified_series(double x, int terms) {
  const double z = x * x / 4;
  double series = 1;
  for (int k = terms; k > 0; --k) series = 1 + z * series / (k * (k + kOrder));
  return kOrder ? series * x / 2 : series;
}

// I(x) exp(-x) for x >= 0; far out by 10.40.1.
template <int kOrder>
double i_scaled(double x) {
  if (x <= 20) return modified_series<kOrder>(x, 48) * ::exp(-x);
  double series = 1;
  for (int k = 25; k > 0; --k)
    series = 1 - (4 * kOrder * kOrder - (2 * k - 1) * (2 * k - 1)) / (8 * k * x) * series;
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
  for (int k = 0; k < 20; ++k) {
    if (k) harmonic += 1.0 / k;
    const double psi = harmonic - kEuler;
    total += term * (kOrder ? 2 * psi + 1.0 / (k + 1) : psi);
    term *= z / ((k + 1) * (k + 1 + kOrder));
  }
  const double logarithm = ::log(x / 2) * modified_series<kOrder>(x, 20);
  return kOrder ? 1 / x + logarithm - x / 4 * total : total - logarithm;
}

// K(x) exp(x) for x > 2 by the trapezoidal rule (10.32.9), which converges exponentially.
template <int kOrder>
double k_integral(double x) {
  constexpr int kNodes = 32;
  const double step = 2 * ::asinh(::sqrt(20 / x)) / kNodes;  // to exp(-40)
  double total = 0.5;
  for (int k = 1; k <= kNodes; ++k) {
    const double root = ::sinh(k * step / 2), rise = 2 * root * root;  // cosh(t) - 1
    total += ::exp(-x * rise) * (kOrder ? 1 + rise : 1);
  }
  return total * step;
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
