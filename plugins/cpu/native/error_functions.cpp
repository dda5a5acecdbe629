// The error function's relatives, and entropy.
#include <cmath>

#include "double_function.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRootHalf = 0.70710678118654752440;

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

template <int N>
double polynomial(const double (&coefficients)[N], double x) {
  double result = 0;
  for (int i = N - 1; i >= 0; --i) result = result * x + coefficients[i];
  return result;
}

// The quantile function of the normal distribution by Wichura's algorithm AS 241 (PPND16,
// Applied Statistics 37, 1988): offset is p - 1/2, tail is min(p, 1 - p), each exact where small.
double normal_quantile(double offset, double tail) {
  constexpr double kNear[] = {3.3871328727963666080,    1.3314166789178437745e+2,
                              1.9715909503065514427e+3, 1.3731693765509461125e+4,
                              4.5921953931549871457e+4, 6.7265770927008700853e+4,
                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double kNearBelow[] = {1,
                                   4.2313330701600911252e+1,
                                   6.8718700749205790830e+2,
                                   5.3941960214247511077e+3,
                                   2.1213794301586595867e+4,
                                   3.9307895800092710610e+4,
                                   2.8729085735721942674e+4,
                                   5.2264952788528545610e+3};
  constexpr double kFar[] = {1.42343711074968357734,    4.63033784615654529590,
                             5.76949722146069140550,    3.64784832476320460504,
                             1.27045825245236838258,    2.41780725177450611770e-1,
                             2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kFarBelow[] = {1,
                                  2.05319162663775882187,
                                  1.67638483018380384940,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
  constexpr double kFarthest[] = {6.65790464350110377720,    5.46378491116411436990,
                                  1.78482653991729133580,    2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kFarthestBelow[] = {1,
                                       5.99832206555887937690e-1,
                                       1.36929880922735805310e-1,
                                       1.48753612908506148525e-2,
                                       7.86869131145613259100e-4,
                                       1.84631831751005468180e-5,
                                       1.42151175831644588870e-7,
                                       2.04426310338993978564e-15};
  if (::fabs(offset) <= 0.425) {
    const double r = 0.180625 - offset * offset;
    return offset * polynomial(kNear, r) / polynomial(kNearBelow, r);
  }
  if (tail == 0) return ::copysign(HUGE_VAL, offset);
  const double r = ::sqrt(-::log(tail));
  const double size = r <= 5 ? polynomial(kFar, r - 1.6) / polynomial(kFarBelow, r - 1.6)
                             : polynomial(kFarthest, r - 5) / polynomial(kFarthestBelow, r - 5);
  return ::copysign(size, offset);
}

double erfinv(double x) {
  if (!(::fabs(x) <= 1)) return __builtin_nan("");
  return normal_quantile(x / 2, (1 - ::fabs(x)) / 2) * kRootHalf;
}

double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return __builtin_nan("");
  return normal_quantile(p - 0.5, ::fmin(p, 1 - p));
}

double entr(double x) {
  if (x != x) return x;
  return x > 0 ? -x * ::log(x) : x == 0 ? 0 : -HUGE_VAL;
}

double xlog1py(double a, double b) { return a == 0 && b == b ? 0 : a * ::log1p(b); }

constexpr auto entries = in_double<erfinv, 16>("erfinv") + in_double<erfcx, 32>("erfcx") +
                         in_double<ndtri, 16>("ndtri") + in_double<entr, 8>("entr") +
                         in_double<xlog1py, 16>("xlog1py");

}  // namespace

KernelTable error_functions_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
