// The regularised incomplete gamma functions P and Q: P by its power series, Q by Legendre's
// continued fraction or, near the origin, by a series of its own (DLMF 8.7.1, 8.9.2); above
// a = 10^4 both by Temme's uniform expansion (DLMF 8.12).
#include <cmath>

#include "double_function.h"
#include "gamma_functions.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr double kTwoPi = 6.28318530717958647693;
constexpr double kUniformAbove = 1e4;
constexpr int kMostTerms = 5000;  // some 9 sqrt(a) are needed

// mu - log(1 + mu), without cancellation near 0.
double log_distance(double mu) {
  if (::fabs(mu) >= 0.1) return mu - ::log1p(mu);
  double series = 0;
  for (int k = 18; k > 1; --k) series = 1.0 / k - mu * series;
  return mu * mu * series;
}

// x^a exp(-x) / gamma(a + 1), from Stirling's series where a is large.
double power_ratio(double a, double x) {
  if (a < 10) return ::exp(a * ::log(x) - x - log_gamma(a + 1));
  const double z = 1 / (a * a);
  double correction = 1.0 / 156;
  correction = 691.0 / 360360 - z * correction;
  correction = 1.0 / 1188 - z * correction;
  correction = 1.0 / 1680 - z * correction;
  correction = 1.0 / 1260 - z * correction;
  correction = 1.0 / 360 - z * correction;
  correction = (1.0 / 12 - z * correction) / a;
  return ::exp(-a * log_distance((x - a) / a) - correction) / ::sqrt(kTwoPi * a);
}

// P for x <= max(a, 1).
double lower_series(double a, double x) {
  double term = 1, total = 1;
  for (int k = 1; k < kMostTerms && term > 1e-17 * total; ++k) {
    term *= x / (a + k);
    total += term;
  }
  return power_ratio(a, x) * total;
}

// Q for x >= max(a, 1), by Lentz's method as Thompson and Barnett (1986) gave it.
double upper_fraction(double a, double x) {
  double b = x + 1 - a, d = 1 / b, c = 1e300, fraction = d;
  for (int k = 1; k < kMostTerms; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    fraction *= c * d;
    if (::fabs(c * d - 1) <= 1e-16) break;
  }
  return power_ratio(a, x) * a * fraction;
}

// log gamma(1 + a) for 0 < a <= 1; the first terms of its series where 1 + a loses digits.
double log_gamma_after_one(double a) {
  if (a > 1e-3) return log_gamma(1 + a);
  return a * (-0.57721566490153286 +
              a * (0.82246703342411322 + a * (-0.40068563438653143 +
                                              a * (0.27058080842778455 - a * 0.2073855510286740))));
}

// Q for a <= 1 and x <= 1, accurate also where it is small.
double upper_series(double a, double x) {
  double power = 1, total = 0;
  for (int k = 1; k < 20; ++k) {
    power *= -x / k;
    total += power / (a + k);
  }
  const double exponent = a * ::log(x) - log_gamma_after_one(a);
  return -::expm1(exponent) - ::exp(exponent) * a * total;
}

template <int N>
double polynomial(const double (&coefficients)[N], double x) {
  double result = 0;
  for (int i = N - 1; i >= 0; --i) result = result * x + coefficients[i];
  return result;
}

// P (or Q, for `upper`) for large a: an error function and a small correction.
double uniform(double a, double x, bool upper) {
  // Expansions at 0 of the first two coefficient functions (DLMF 8.12.14).
  constexpr double kFirst[] = {-1. / 3,   1. / 12,        -2. / 135, 1. / 864,
                               1. / 2835, -139. / 777600, 1. / 25515};
  constexpr double kSecond[] = {-1. / 540, -1. / 288, 1. / 378, -77. / 77760};
  const double mu = (x - a) / a, half_square = log_distance(mu);
  const double eta = ::copysign(::sqrt(2 * half_square), mu);
  double first, second;
  if (::fabs(eta) < 0.1) {
    first = polynomial(kFirst, eta);
    second = polynomial(kSecond, eta);
  } else {
    const double e = 1 / eta, m = 1 / mu;
    first = m - e;
    second = e * e * e - m * m * m - m * m - m / 12;
  }
  const double correction = ::exp(-a * half_square) / ::sqrt(kTwoPi * a) * (first + second / a);
  const double middle = eta * ::sqrt(a / 2);
  return upper ? 0.5 * ::erfc(middle) + correction : 0.5 * ::erfc(-middle) - correction;
}

// Each is computed directly where it is the smaller one or easy, else from the other.
double incomplete(double a, double x, bool upper) {
  if (a != a || x != x || a < 0 || x < 0) return __builtin_nan("");
  const bool all_below = x == HUGE_VAL || a == 0, none_below = a == HUGE_VAL || x == 0;
  if (all_below && none_below) return __builtin_nan("");
  if (all_below || none_below) return all_below != upper ? 1 : 0;
  if (a > kUniformAbove) return uniform(a, x, upper);
  if (x > ::fmax(a, 1)) {
    const double q = upper_fraction(a, x);
    return upper ? q : 1 - q;
  }
  if (upper && a <= 1 && x <= 1) return upper_series(a, x);
  const double p = lower_series(a, x);
  return upper ? 1 - p : p;
}

double lower(double a, double x) { return incomplete(a, x, false); }
double upper(double a, double x) { return incomplete(a, x, true); }

constexpr auto entries = in_double<lower, 256>("igamma") + in_double<upper, 256>("igammac");

}  // namespace

KernelTable incomplete_gamma_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
