// Cholesky factors.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// A call of LAPACK costs more than matrices up to this size do.
constexpr int64_t kSmall = 8;

template <class T>
T times_conjugate(T a, T b) {
  if constexpr (kIsComplex<T>)
    return product(a, std::conj(b));
  else
    return a * b;
}

// Row by row, in place in the lower triangle; the order of the first minor that is not positive.
template <class T>
Int factor_small(Matrix<T> l) {
  for (int64_t i = 0; i < l.rows; ++i)
    for (int64_t j = 0; j <= i; ++j) {
      T rest = l(i, j);
      for (int64_t k = 0; k < j; ++k) rest -= times_conjugate(l(i, k), l(j, k));
      if (j < i) {
        l(i, j) = rest / std::real(l(j, j));
        continue;
      }
      if (!(std::real(rest) > 0)) return i + 1;
      l(i, i) = std::sqrt(std::real(rest));
    }
  return 0;
}

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
    if (n <= kSmall)
      failed = factor_small(l);
    else
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
    return for_each_matrix(
        part_count(in[0], 2), n * n * n / 3, [&] { return Cholesky{out[0], out[1], in[0]}; },
        Team::kIfLarge);
  }
};

constexpr auto entries = single_double_complex<Cholesky>("cholesky");

}  // namespace

KernelTable cholesky_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
