// The Airy function Ai: its power series near the origin (DLMF 9.4.1), else the integral 9.5.8
// with t = s^6, which the trapezoidal rule integrates with an exponentially small error;
// negative arguments are taken from the two rays beside them (9.2.14).
#include <cmath>
#include <complex>

#include "double_function.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr double kPi = 3.14159265358979323846;

double series(double x) {
  const double cube = x * x * x;
  double even = 1, odd = 1;
  for (int k = 14; k > 0; --k) {
    even = 1 + cube * even / (3 * k * (3 * k - 1));
    odd = 1 + cube * odd / (3 * k * (3 * k + 1));
  }
  return 0.355028053887817239 * even - 0.258819403792806798 * x * odd;
}

// That of exp(-t) t^(-1/6) (2 + t / zeta)^(-1/6), with the constant before it.
template <class Number>
Number integral(Number zeta) {
  constexpr int kNodes = 33;
  constexpr double kStep = 1.86 / kNodes;  // exp(-s^6) vanishes at the end
  Number total = 0;
  for (int k = 1; k <= kNodes; ++k) {
    const double s = k * kStep, square = s * s, t = square * square * square;
    total += square * square * ::exp(-t) * std::pow(2.0 + t / zeta, -1.0 / 6);
  }
  const double constant = 6 * kStep / (::sqrt(kPi) * ::pow(48.0, 1.0 / 6) * ::tgamma(5.0 / 6));
  return total * constant;
}

double airy_ai(double x) {
  if (std::isinf(x)) return __builtin_nan("");  // as in PyTorch
  if (!(::fabs(x) > 2)) return series(x);
  const double size = ::fabs(x), zeta = 2.0 / 3 * size * ::sqrt(size);
  const double scale = ::pow(zeta, -1.0 / 6);
  if (x > 0) return ::exp(-zeta) * scale * integral(zeta);
  const std::complex<double> ray = integral(std::complex<double>(0, zeta));
  const double turn = kPi / 4 - zeta;
  return 2 * scale * (::cos(turn) * ray.real() - ::sin(turn) * ray.imag());
}

constexpr auto entries = in_double<airy_ai, 1024>("airy_ai");

}  // namespace

KernelTable airy_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
