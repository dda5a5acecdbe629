// Singular values and vectors, by divide and conquer.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <class T>
struct Svd {
  using R = Real<T>;
  const fb_array *left, *values, *right, *info, *in;
  Int m, n, k, left_columns, right_rows;
  const char* job;
  std::vector<T> a, u, vh, work;
  std::vector<R> real_work;
  std::vector<Int> int_work;

  Svd(fb_array* const* out, const fb_array* in, bool full)
      : left(out[0]),
        values(out[1]),
        right(out[2]),
        info(out[3]),
        in(in),
        m(row_count(in)),
        n(column_count(in)),
        k(std::min(m, n)),
        left_columns(full ? m : k),
        right_rows(full ? n : k),
        job(!left && !right ? "N"
            : full          ? "A"
                            : "S"),
        a(m * n),
        u(*job == 'N' ? 1 : m * left_columns),
        vh(*job == 'N' ? 1 : right_rows * n),
        work(1),
        real_work(real_work_length()),
        int_work(8 * k) {
    R none;
    call(&none, -1);
    work.resize(work_length(work[0]));
  }

  // As LAPACK's documentation of zgesdd has it, with the longer form for values alone.
  int64_t real_work_length() const {
    if (!kIsComplex<T>) return 1;
    if (*job == 'N') return 7 * k;
    const int64_t larger = std::max(m, n);
    return std::max(5 * k * k + 5 * k, 2 * larger * k + 2 * k * k + k);
  }

  Int call(R* s, Int length) {
    const auto run = lapack::routines<T>()->gesdd;
    Int failed = 0;
    if constexpr (kIsComplex<T>)
      run(job, &m, &n, a.data(), &m, s, u.data(), &m, vh.data(), &right_rows, work.data(), &length,
          real_work.data(), int_work.data(), &failed, 1);
    else
      run(job, &m, &n, a.data(), &m, s, u.data(), &m, vh.data(), &right_rows, work.data(), &length,
          int_work.data(), &failed, 1);
    return failed;
  }

  void operator()(int64_t i) {
    R* s = vector_at<R>(values, i);
    copy_matrix(matrix_at<T>(in, i), by_columns(a.data(), m, n));
    const bool failed = !all_finite(a.data(), m * n) || call(s, work.size()) != 0;
    set_info(info, i, failed);
    if (failed) {
      std::fill_n(s, k, kNaN<T>);
      std::fill(u.begin(), u.end(), T(kNaN<T>));
      std::fill(vh.begin(), vh.end(), T(kNaN<T>));
    }
    if (left) copy_matrix(by_columns(u.data(), m, left_columns), matrix_at<T>(left, i));
    if (right) copy_matrix(by_columns(vh.data(), right_rows, n), matrix_at<T>(right, i));
  }

  // What is left of the unitary factors of an empty matrix is arbitrary.
  static int decompose_nothing(fb_array* const* out, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      for (const fb_array* factor : {out[0], out[2]})
        if (factor && factor->numel) fill_identity(matrix_at<T>(factor, i));
    return succeed_on_nothing(out[3]);
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    const int64_t m = row_count(in[0]), n = column_count(in[0]), count = part_count(in[0], 2);
    if (m == 0 || n == 0) return decompose_nothing(out, count);
    return for_each_matrix(count, 10 * m * n * std::min(m, n),
                           [&] { return Svd(out, in[0], params[0].i != 0); });
  }
};

constexpr auto entries = single_double_complex<Svd>("svd");

}  // namespace

KernelTable svd_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
