// The gamma family and Hurwitz's zeta function.
#include "gamma_functions.h"

#include <cmath>

#include "double_function.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

double log_gamma(double x) {
  int sign;  // lgamma itself would write a global
  return ::lgamma_r(x, &sign);
}

namespace {

constexpr double kPi = 3.14159265358979323846;

// The logarithmic derivative of gamma: recurrence up to 10, then the asymptotic series;
// reflection for negative numbers. (Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.)
double digamma(double x) {
  if (x == 0) return ::copysign(HUGE_VAL, -x);
  double result = 0;
  if (x < 0) {
    if (x == ::floor(x)) return __builtin_nan("");
    // The whole part is taken off first: tan loses it.
    const double fraction = x - ::floor(x);
    result = -kPi / ::tan(kPi * fraction);
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  const double z = 1 / (x * x);
  double series = 1.0 / 12;
  series = 691.0 / 32760 - z * series;
  series = 1.0 / 132 - z * series;
  series = 1.0 / 240 - z * series;
  series = 1.0 / 252 - z * series;
  series = 1.0 / 120 - z * series;
  series = 1.0 / 12 - z * series;
  return result + ::log(x) - 0.5 / x - z * series;
}

// x^-s, without logarithms for the small whole s of the polygamma functions.
double inverse_power(double x, double s) {
  if (!(s <= 8 && s == ::floor(s))) return ::pow(x, -s);
  double power = 1;
  for (int k = static_cast<int>(s); k > 0; --k) power *= x;
  return 1 / power;
}

// For s > 1 and q > 0 by Euler's and Maclaurin's formula, after ten terms one by one.
double zeta_positive(double s, double q) {
  // B(2j) / (2j)!
  constexpr double kBernoulli[] = {1. / 12,
                                   -1. / 720,
                                   1. / 30240,
                                   -1. / 1209600,
                                   1. / 47900160,
                                   -691. / 1307674368000,
                                   1. / 74724249600,
                                   -3617. / 10670622842880000,
                                   43867. / 5109094217170944000,
                                   -174611. / 802857662698291200000.};
  double head = 0;
  for (int k = 0; k < 10; ++k) head += inverse_power(q + k, s);
  const double end = q + 10;
  // Where the series is of no use, the rest is negligible.
  if (s > 2 * kPi * end) return head;
  const double power = inverse_power(end, s);
  double tail = power * end / (s - 1) + 0.5 * power, rising = s * power / end;
  int j = 0;
  for (double c : kBernoulli) {
    tail += c * rising;
    rising *= (s + 2 * j + 1) * (s + 2 * j + 2) / (end * end);
    ++j;
  }
  return head + tail;
}

// Below 0 for whole s only: the poles left of 0 are seen from their other side.
double zeta(double s, double q) {
  if (s == 1) return HUGE_VAL;
  if (s < 1) return __builtin_nan("");
  if (!(q <= 0)) return zeta_positive(s, q);
  const double floor = ::floor(q);
  if (q == floor) return HUGE_VAL;
  if (s != ::floor(s)) return __builtin_nan("");
  // -q less its whole part, which is exact also for small q.
  const double below = -q - (-floor - 1);
  const double left = zeta_positive(s, below) - zeta_positive(s, below - floor);
  return zeta_positive(s, q - floor) + (::fmod(s, 2) == 0 ? left : -left);
}

struct LogGamma : Plain {
  using Plain::Plain;
  double operator()(double x) const { return log_gamma(x); }
  float operator()(float x) const {
    int sign;
    return ::lgammaf_r(x, &sign);
  }
};

constexpr auto entries = floats<Unary<LogGamma, 32>::Of>("lgamma") +
                         in_double<digamma, 32>("digamma") + in_double<zeta, 128>("zeta");

}  // namespace

KernelTable gamma_functions_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
