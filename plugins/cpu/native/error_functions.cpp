// The error function's relatives, and entropy.
#include <cmath>

#include "double_function.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRootTwo = 1.41421356237309504880;

// exp(sign x^2) for x >= 0, from a short head whose square is exact.
double exp_square(double x, double sign) {
  const double head = ::floor(x * 65536) / 65536;
  return ::exp(sign * head * head) * ::exp(sign * (x - head) * (x + head));
}

// exp(x^2) erfc(x) for x >= 0. Far out, where erfc is nearly subnormal, its asymptotic
// series (Abramowitz and Stegun 7.1.23).
double erfcx_positive(double x) {
  if (x < 20) return exp_square(x, 1) * ::erfc(x);
  const double z = 0.5 / (x * x);
  double series = 1;
  for (int k = 7; k > 0; --k) series = 1 - (2 * k - 1) * z * series;
  return series / (x * ::sqrt(kPi));
}

double erfcx(double x) {
  if (x >= 0 || x != x) return erfcx_positive(x);
  return x < -30 ? HUGE_VAL : 2 * exp_square(-x, 1) - erfcx_positive(-x);
}

// The y >= 0 with erf(y) = magnitude and erfc(y) = complement, each exact where it is small:
// Halley's iteration from Winitzki's approximation (2008).
double erf_inverse(double magnitude, double complement) {
  if (complement == 0) return HUGE_VAL;
  constexpr double kHalfRootPi = 0.88622692545275801365;
  constexpr double kW = 0.147;
  const double log_term = ::log(complement * (1 + magnitude));
  const double t = 2 / (kPi * kW) + log_term / 2;
  double y = ::sqrt(::fmax(::sqrt(t * t - log_term / kW) - t, 0));
  for (int step = 0; step < 5; ++step) {
    const double error = magnitude < 0.5 ? ::erf(y) - magnitude : complement - ::erfc(y);
    const double newton = error * kHalfRootPi * ::exp(y * y);
    y -= newton / (1 + y * newton);
  }
  return y;
}

double erfinv(double x) {
  const double magnitude = ::fabs(x);
  if (!(magnitude <= 1)) return __builtin_nan("");
  return x == 0 ? x : ::copysign(erf_inverse(magnitude, 1 - magnitude), x);
}

double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return __builtin_nan("");
  if (p == 0.5) return 0;
  const double x = kRootTwo * erf_inverse(::fabs(2 * p - 1), 2 * ::fmin(p, 1 - p));
  return p < 0.5 ? -x : x;
}

double entr(double x) {
  if (x != x) return x;
  return x > 0 ? -x * ::log(x) : x == 0 ? 0 : -HUGE_VAL;
}

double xlog1py(double a, double b) { return a == 0 && b == b ? 0 : a * ::log1p(b); }

constexpr auto entries = in_double<erfinv, 32>("erfinv") + in_double<erfcx, 32>("erfcx") +
                         in_double<ndtri, 64>("ndtri") + in_double<entr, 8>("entr") +
                         in_double<xlog1py, 16>("xlog1py");

}  // namespace

KernelTable error_functions_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
