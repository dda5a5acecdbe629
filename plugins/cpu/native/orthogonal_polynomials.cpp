// The classical orthogonal polynomials by their three-term recurrences (DLMF 18.9).
#include <cmath>

#include "double_function.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr double kHighestDegree = 1e6;

// From p(0) = 1, p(1) and p(k + 1) = following(k, p(k), p(k - 1)). Degrees count by their whole
// part; negative ones, NaN and those beyond int64 give 0, as in PyTorch, those too high NaN.
template <class Following>
double recurrence(double degree, double first, const Following& following) {
  if (!(degree > -1 && degree < 0x1p63)) return 0;
  if (degree > kHighestDegree) return __builtin_nan("");
  const int n = static_cast<int>(degree);
  double before = 1, p = first;
  if (n == 0) return before;
  for (int k = 1; k < n; ++k) {
    const double next = following(k, p, before);
    before = p;
    p = next;
  }
  return p;
}

// The four kinds differ in p(1) = 2 x + c, or x for the first kind.
double chebyshev(double x, double n, double first) {
  return recurrence(n, first, [x](int, double p, double before) { return 2 * x * p - before; });
}
double chebyshev_t(double x, double n) { return chebyshev(x, n, x); }
double chebyshev_u(double x, double n) { return chebyshev(x, n, 2 * x); }
double chebyshev_v(double x, double n) { return chebyshev(x, n, 2 * x - 1); }
double chebyshev_w(double x, double n) { return chebyshev(x, n, 2 * x + 1); }

double hermite_h(double x, double n) {
  return recurrence(n, 2 * x,
                    [x](int k, double p, double before) { return 2 * x * p - 2 * k * before; });
}
double hermite_he(double x, double n) {
  return recurrence(n, x, [x](int k, double p, double before) { return x * p - k * before; });
}
double laguerre(double x, double n) {
  return recurrence(n, 1 - x, [x](int k, double p, double before) {
    return ((2.0 * k + 1 - x) * p - k * before) / (k + 1);
  });
}
double legendre(double x, double n) {
  return recurrence(n, x, [x](int k, double p, double before) {
    return ((2.0 * k + 1) * x * p - k * before) / (k + 1);
  });
}

constexpr auto entries = in_double<chebyshev_t, 32>("chebyshev_polynomial_t") +
                         in_double<chebyshev_u, 32>("chebyshev_polynomial_u") +
                         in_double<chebyshev_v, 32>("chebyshev_polynomial_v") +
                         in_double<chebyshev_w, 32>("chebyshev_polynomial_w") +
                         in_double<hermite_h, 32>("hermite_polynomial_h") +
                         in_double<hermite_he, 32>("hermite_polynomial_he") +
                         in_double<laguerre, 64>("laguerre_polynomial_l") +
                         in_double<legendre, 64>("legendre_polynomial_p");

}  // namespace

KernelTable orthogonal_polynomials_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
