// QR factors by Householder reflections.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// One matrix by columns, with room for `width` columns, and its reflections.
template <class T>
struct Reflections {
  Int m, n, k, width, stride;
  std::vector<T> packed, tau, work;

  Reflections(int64_t rows, int64_t columns, int64_t q_columns)
      : m(rows),
        n(columns),
        k(std::min(rows, columns)),
        width(std::max(columns, q_columns)),
        stride(std::max<Int>(1, rows)),
        packed(rows * width),
        tau(std::max<int64_t>(1, k)),
        work(1) {
    Int most = 1, info = 0;
    const Int query = -1;
    lapack::routines<T>()->geqrf(&m, &n, packed.data(), &stride, tau.data(), work.data(), &query,
                                 &info);
    most = std::max(most, work_length(work[0]));
    if (q_columns) {
      lapack::routines<T>()->orgqr(&m, &q_columns, &k, packed.data(), &stride, tau.data(),
                                   work.data(), &query, &info);
      most = std::max(most, work_length(work[0]));
    }
    work.resize(most);
  }

  Matrix<T> matrix(int64_t columns) { return by_columns(packed.data(), m, columns); }

  void factor(Matrix<T> a) {
    copy_matrix(a, matrix(n));
    const Int length = work.size();
    Int info = 0;
    lapack::routines<T>()->geqrf(&m, &n, packed.data(), &stride, tau.data(), work.data(), &length,
                                 &info);
  }

  // Turns the reflections into the first columns of Q.
  void form(Int columns) {
    const Int length = work.size();
    Int info = 0;
    lapack::routines<T>()->orgqr(&m, &columns, &k, packed.data(), &stride, tau.data(), work.data(),
                                 &length, &info);
  }
};

template <class T>
struct Qr {
  const fb_array *q, *r, *in;
  Reflections<T> reflections;

  void operator()(int64_t i) {
    reflections.factor(matrix_at<T>(in, i));
    const auto upper = matrix_at<T>(r, i);
    const auto packed = reflections.matrix(reflections.n);
    for (int64_t row = 0; row < upper.rows; ++row)
      for (int64_t column = 0; column < upper.columns; ++column)
        upper(row, column) = row <= column ? packed(row, column) : T(0);
    if (!q) return;
    const int64_t columns = column_count(q);
    reflections.form(columns);
    copy_matrix(reflections.matrix(columns), matrix_at<T>(q, i));
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param*) {
    const fb_array *q = out[0], *r = out[1], *a = in[0];
    const int64_t m = row_count(a), n = column_count(a), count = part_count(a, 2);
    if (a->numel == 0) {
      for (int64_t i = 0; q && q->numel && i < count; ++i) fill_identity(matrix_at<T>(q, i));
      return FB_OK;
    }
    return for_each_matrix(count, 2 * m * n * std::min(m, n), [&] {
      return Qr{q, r, a, Reflections<T>(m, n, q ? column_count(q) : 0)};
    });
  }
};

template <class T>
struct Geqrf {
  const fb_array *out, *tau, *in;
  Reflections<T> reflections;

  void operator()(int64_t i) {
    reflections.factor(matrix_at<T>(in, i));
    copy_matrix(reflections.matrix(reflections.n), matrix_at<T>(out, i));
    std::copy_n(reflections.tau.begin(), reflections.k, vector_at<T>(tau, i));
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param*) {
    const int64_t m = row_count(in[0]), n = column_count(in[0]);
    if (in[0]->numel == 0) return FB_OK;
    return for_each_matrix(part_count(in[0], 2), 2 * m * n * std::min(m, n),
                           [&] { return Geqrf{out[0], out[1], in[0], Reflections<T>(m, n, 0)}; });
  }
};

constexpr auto entries = single_double_complex<Qr>("qr") + single_double_complex<Geqrf>("geqrf");

}  // namespace

KernelTable qr_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
