// Variances.
#include "reduction_steps.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// -- variance ---------------------------------------------------------------------------------

// Mean and sum of squared differences of a count of values; two such are merged by the
// formula of Chan, Golub and LeVeque (1983). Within a block the mean is taken first.
struct Moments {
  double count = 0, mean = 0, squares = 0;
  void merge(double n, double m, double s) {
    if (n == 0) return;
    const double all = count + n, difference = m - mean;
    mean += difference * (n / all);
    squares += s + difference * difference * (count * n / all);
    count = all;
  }
};

template <class T>
struct Variance {
  using Stored = T;
  using Result = T;
  using C = Compute<T>;
  using Accumulator = Moments;
  static constexpr int kParts = kPartsOf<C>;

  static void block(Moments& total, const C* x, int64_t n) {
    const double count = static_cast<double>(n);
    const C mean = static_cast<C>(sum_block(x, n) / count);
    C squares[kParts] = {}, rest[kParts] = {};
    int64_t i = 0;
    for (; i + kParts <= n; i += kParts)
      for (int l = 0; l < kParts; ++l) {
        const C d = x[i + l] - mean;
        squares[l] += d * d;
        rest[l] += d;
      }
    for (int l = 0; i < n; ++i, ++l) {
      const C d = x[i] - mean;
      squares[l] += d * d;
      rest[l] += d;
    }
    double s = 0, r = 0;
    for (int l = 0; l < kParts; ++l) {
      s += squares[l];
      r += rest[l];
    }
    // The mean was rounded: what is left over corrects both moments.
    total.merge(count, mean + r / count, s - r * r / count);
  }

  static void columns(Moments* totals, const C* x, int64_t row_stride, int64_t rows,
                      int64_t columns) {
    C mean[kColumnBlock], squares[kColumnBlock], rest[kColumnBlock];
    for (int64_t c = 0; c < columns; ++c) mean[c] = squares[c] = rest[c] = 0;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) mean[c] += x[r * row_stride + c];
    const double count = static_cast<double>(rows);
    for (int64_t c = 0; c < columns; ++c) mean[c] /= static_cast<C>(count);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        const C d = x[r * row_stride + c] - mean[c];
        squares[c] += d * d;
        rest[c] += d;
      }
    for (int64_t c = 0; c < columns; ++c) {
      const double r = rest[c];
      totals[c].merge(count, mean[c] + r / count, squares[c] - r * r / count);
    }
  }

  static void combine(Moments& total, const Moments& other) {
    total.merge(other.count, other.mean, other.squares);
  }

  static double finish(const Moments& total, int64_t count, const fb_param* params) {
    const double freedom = static_cast<double>(count) - params[0].f;
    const double squares = count ? total.squares : __builtin_nan("");
    return squares / (freedom > 0 ? freedom : 0);
  }
};

template <class T>
struct Var {
  static constexpr fb_kernel run = run_kernel<Variance<T>>;
};

constexpr auto entries = floats<Var>("var");

}  // namespace

KernelTable variance_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
