// LU factors with row exchanges; what they solve, and determinants.
#include "small_lu.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// A copy of one matrix by columns, factored in place.
template <class T>
struct Factors {
  Int m, n, stride;
  std::vector<T> lu;
  std::vector<Int> pivots;

  Factors(int64_t rows, int64_t columns)
      : m(rows),
        n(columns),
        stride(std::max<Int>(1, m)),
        lu(rows * columns),
        pivots(std::min(rows, columns)) {}

  Matrix<T> matrix() { return by_columns(lu.data(), m, n); }

  // k where U[k, k] is the first zero, counted from 1; 0 where none is.
  Int factor(Matrix<T> a) {
    copy_matrix(a, matrix());
    if (is_small()) return factor_small(matrix(), pivots.data());
    Int info = 0;
    if (!lu.empty()) lapack::routines<T>()->getrf(&m, &n, lu.data(), &stride, pivots.data(), &info);
    return info;
  }

  bool is_small() const { return std::max(m, n) <= kSmallMatrix; }

  // In place on the right sides of a square matrix, by columns.
  void solve(Matrix<T> x) {
    if (is_small()) return solve_small(matrix(), pivots.data(), x);
    Int info = 0;
    const Int right_sides = x.columns;
    lapack::routines<T>()->getrs("N", &n, &right_sides, lu.data(), &stride, pivots.data(), x.data,
                                 &stride, &info, 1);
  }
};

// By rows and without exchanges, which LAPACK has no routine for.
template <class T>
Int factor_in_order(Matrix<T> a) {
  Int info = 0;
  for (int64_t k = 0; k < std::min(a.rows, a.columns); ++k) {
    const T pivot = a(k, k);
    if (pivot == T(0)) {
      if (!info) info = k + 1;
    }
    const T* upper = &a(k, 0);
    for (int64_t r = k + 1; r < a.rows; ++r) {
      T* row = &a(r, 0);
      if (pivot != T(0)) row[k] /= pivot;
      for (int64_t c = k + 1; c < a.columns; ++c) {
        if constexpr (kIsComplex<T>)
          row[c] -= product(row[k], upper[c]);
        else
          row[c] -= row[k] * upper[c];
      }
    }
  }
  return info;
}

template <class T>
struct LuFactor {
  const fb_array *out, *pivots, *info, *in;
  bool exchange;
  Factors<T> factors;

  void operator()(int64_t i) {
    const auto a = matrix_at<T>(in, i), lu = matrix_at<T>(out, i);
    int32_t* order = vector_at<int32_t>(pivots, i);
    if (!exchange) {
      copy_matrix(a, lu);
      set_info(info, i, factor_in_order(lu));
      for (int32_t k = 0; k < column_count(pivots); ++k) order[k] = k + 1;
      return;
    }
    set_info(info, i, factors.factor(a));
    copy_matrix(factors.matrix(), lu);
    std::copy(factors.pivots.begin(), factors.pivots.end(), order);
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    const int64_t m = row_count(in[0]), n = column_count(in[0]);
    return for_each_matrix(
        part_count(in[0], 2), m * n * std::min(m, n),
        [&] { return LuFactor{out[0], out[1], out[2], in[0], params[0].i != 0, Factors<T>(m, n)}; },
        Team::kIfLarge);
  }
};

template <class T>
struct Solve {
  const fb_array *out, *info;
  const fb_array* const* in;
  Factors<T> factors;
  std::vector<T> solution;

  void operator()(int64_t i) {
    const auto x = matrix_at<T>(out, i);
    const Int failed = factors.factor(matrix_at<T>(in[0], i));
    set_info(info, i, failed);
    if (failed) return fill_matrix(x, T(kNaN<T>));
    if (solution.empty()) return;
    const auto columns = by_columns(solution.data(), x.rows, x.columns);
    copy_matrix(matrix_at<T>(in[1], i), columns);
    factors.solve(columns);
    copy_matrix(columns, x);
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param*) {
    const int64_t n = row_count(in[0]), k = column_count(in[1]);
    return for_each_matrix(
        part_count(in[0], 2), n * n * (n + k),
        [&] { return Solve{out[0], out[1], in, Factors<T>(n, n), std::vector<T>(n * k)}; },
        Team::kIfLarge);
  }
};

template <class T>
struct LogarithmOfDeterminant {
  const fb_array *sign, *logarithm, *in;
  Factors<T> factors;

  void operator()(int64_t i) {
    T& unit = static_cast<T*>(sign->data)[i];
    Real<T>& total = static_cast<Real<T>*>(logarithm->data)[i];
    if (factors.factor(matrix_at<T>(in, i))) {
      unit = 0;
      total = -std::numeric_limits<Real<T>>::infinity();
      return;
    }
    unit = 1;
    total = 0;
    for (Int k = 0; k < factors.n; ++k) {
      const T pivot = factors.lu[k * factors.n + k];
      total += std::log(std::abs(pivot));
      turn(unit, pivot);
      if (factors.pivots[k] != k + 1) unit = -unit;
    }
  }

  static void turn(T& unit, T pivot) {
    if constexpr (kIsComplex<T>)
      unit = product(unit, pivot / std::abs(pivot));
    else if (pivot < 0)
      unit = -unit;
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param*) {
    const int64_t n = row_count(in[0]);
    return for_each_matrix(
        part_count(in[0], 2), n * n * n,
        [&] { return LogarithmOfDeterminant{out[0], out[1], in[0], Factors<T>(n, n)}; },
        Team::kIfLarge);
  }
};

constexpr auto entries = single_double_complex<LuFactor>("lu_factor") +
                         single_double_complex<Solve>("solve") +
                         single_double_complex<LogarithmOfDeterminant>("slogdet");

}  // namespace

KernelTable lu_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
