// Cholesky factors.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// Seen by columns, the rows of the result are L^T, and the upper triangle of A^T gives it.
template <class T>
struct Cholesky {
  const fb_array *out, *info, *in;

  void operator()(int64_t i) const {
    const auto a = matrix_at<T>(in, i), l = matrix_at<T>(out, i);
    const Int n = a.rows, stride = std::max<Int>(1, n);
    copy_matrix(a, l);
    for (Int r = 0; r < n; ++r) std::fill(&l(r, 0) + r + 1, &l(r, 0) + n, T(0));
    Int failed = 0;
    lapack::routines<T>()->potrf("U", &n, l.data, &stride, &failed, 1);
    if (!failed) failed = first_bad(l);
    if (failed) fill_matrix(l, T(kNaN<T>));
    set_info(info, i, failed);
  }

  // The routine does not always notice NaN: it is no positive pivot either.
  static Int first_bad(Matrix<T> l) {
    for (int64_t k = 0; k < l.rows; ++k)
      if (!(std::real(l(k, k)) > 0)) return k + 1;
    return 0;
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param*) {
    const int64_t n = row_count(in[0]);
    return for_each_matrix(part_count(in[0], 2), n * n * n / 3,
                           [&] { return Cholesky{out[0], out[1], in[0]}; });
  }
};

constexpr auto entries = single_double_complex<Cholesky>("cholesky");

}  // namespace

KernelTable cholesky_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
