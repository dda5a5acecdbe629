// Solutions of least norm of the least squares problem.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <class T>
struct LeastSquares {
  using R = Real<T>;
  const fb_array *out, *ranks, *values;
  const fb_array* const* in;
  R rcond;
  std::atomic<bool>& failed;
  Int m, n, right_sides, larger;
  std::vector<T> a, b, work;
  std::vector<R> real_work;
  std::vector<Int> int_work;

  LeastSquares(fb_array* const* out, const fb_array* const* in, double rcond,
               std::atomic<bool>& failed)
      : out(out[0]),
        ranks(out[1]),
        values(out[2]),
        in(in),
        // a negative bound means the dtype's epsilon to LAPACK, and nothing to us
        rcond(static_cast<R>(std::max(rcond, 0.0))),
        failed(failed),
        m(row_count(in[0])),
        n(column_count(in[0])),
        // the routine refuses to have none
        right_sides(std::max<Int>(1, column_count(in[1]))),
        larger(std::max(m, n)),
        a(m * n),
        b(larger * right_sides),
        work(1),
        real_work(1),
        int_work(1) {
    R none;
    Int rank = 0;
    call(&none, &rank, -1);
    work.resize(work_length(work[0]));
    real_work.resize(work_length(real_work[0]));
    int_work.resize(std::max<Int>(1, int_work[0]));
  }

  Int call(R* s, Int* rank, Int length) {
    const auto run = lapack::routines<T>()->gelsd;
    Int info = 0;
    if constexpr (kIsComplex<T>)
      run(&m, &n, &right_sides, a.data(), &m, b.data(), &larger, s, &rcond, rank, work.data(),
          &length, real_work.data(), int_work.data(), &info);
    else
      run(&m, &n, &right_sides, a.data(), &m, b.data(), &larger, s, &rcond, rank, work.data(),
          &length, int_work.data(), &info);
    return info;
  }

  Matrix<T> right_side(int64_t rows) { return {b.data(), rows, column_count(in[1]), 1, larger}; }

  void operator()(int64_t i) {
    copy_matrix(matrix_at<T>(in[0], i), by_columns(a.data(), m, n));
    copy_matrix(matrix_at<T>(in[1], i), right_side(m));
    Int rank = 0;
    if (!all_finite(a.data(), m * n) || call(vector_at<R>(values, i), &rank, work.size()) != 0) {
      failed = true;
      return;
    }
    static_cast<int64_t*>(ranks->data)[i] = rank;
    copy_matrix(right_side(n), matrix_at<T>(out, i));
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    const int64_t m = row_count(in[0]), n = column_count(in[0]), count = part_count(in[0], 2);
    if (m == 0 || n == 0) {
      std::fill_n(static_cast<T*>(out[0]->data), out[0]->numel, T(0));
      std::fill_n(static_cast<int64_t*>(out[1]->data), out[1]->numel, 0);
      return FB_OK;
    }
    std::atomic<bool> failed{false};
    const int status = for_each_matrix(count, 10 * m * n * std::min(m, n),
                                       [&] { return LeastSquares(out, in, params[0].f, failed); });
    if (status != FB_OK || !failed) return status;
    return fail(FB_ERROR,
                "lstsq: the singular values of a matrix of shape (%lld, %lld) "
                "did not converge, or it has infinities or NaN",
                static_cast<long long>(m), static_cast<long long>(n));
  }
};

constexpr auto entries = single_double_complex<LeastSquares>("lstsq");

}  // namespace

KernelTable least_squares_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
