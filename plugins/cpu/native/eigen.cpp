// Eigenvalues and eigenvectors.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// Of Hermitian matrices, by divide and conquer. The vectors replace the matrix.
template <class T>
struct Hermitian {
  using R = Real<T>;
  const fb_array *values, *vectors, *info, *in;
  bool upper;
  Int n, stride;
  std::vector<T> a, work;
  std::vector<R> real_work;
  std::vector<Int> int_work;

  Hermitian(fb_array* const* out, const fb_array* in, bool upper)
      : values(out[0]),
        vectors(out[1]),
        info(out[2]),
        in(in),
        upper(upper),
        n(row_count(in)),
        stride(std::max<Int>(1, n)),
        a(n * n),
        work(1),
        real_work(1),
        int_work(1) {
    R none;
    call(&none, -1, -1, -1);
    work.resize(work_length(work[0]));
    real_work.resize(work_length(real_work[0]));
    int_work.resize(std::max<Int>(1, int_work[0]));
  }

  Int call(R* w, Int length, Int real_length, Int int_length) {
    const auto run = lapack::routines<T>()->eigh;
    const char *job = vectors ? "V" : "N", *triangle = upper ? "U" : "L";
    Int failed = 0;
    if constexpr (kIsComplex<T>)
      run(job, triangle, &n, a.data(), &stride, w, work.data(), &length, real_work.data(),
          &real_length, int_work.data(), &int_length, &failed, 1, 1);
    else
      run(job, triangle, &n, a.data(), &stride, w, work.data(), &length, int_work.data(),
          &int_length, &failed, 1, 1);
    return failed;
  }

  // The one triangle that is read; zeros elsewhere.
  void read_triangle(Matrix<T> from) {
    for (Int j = 0; j < n; ++j)
      for (Int i = 0; i < n; ++i) a[j * n + i] = (upper ? i <= j : i >= j) ? from(i, j) : T(0);
  }

  void operator()(int64_t i) {
    R* w = vector_at<R>(values, i);
    read_triangle(matrix_at<T>(in, i));
    Int failed = 1;
    if (all_finite(a.data(), n * n))
      failed = call(w, work.size(), real_work.size(), int_work.size()) ? 1 : 0;
    set_info(info, i, failed);
    if (failed) {
      std::fill_n(w, n, kNaN<T>);
      std::fill(a.begin(), a.end(), T(kNaN<T>));
    }
    if (vectors) copy_matrix(by_columns(a.data(), n, n), matrix_at<T>(vectors, i));
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    if (in[0]->numel == 0) return succeed_on_nothing(out[2]);
    const int64_t n = row_count(in[0]);
    return for_each_matrix(part_count(in[0], 2), 9 * n * n * n,
                           [&] { return Hermitian(out, in[0], params[0].i != 0); });
  }
};

// Of any square matrix. A real one has pairs of conjugate values, whose vectors come as the real
// and the imaginary part of the first.
template <class T>
struct General {
  using R = Real<T>;
  using C = std::complex<R>;
  const fb_array *values, *vectors, *info, *in;
  Int n, stride;
  std::vector<T> a, v, work;
  std::vector<R> parts;  // of real matrices' values, or the workspace of complex ones

  General(fb_array* const* out, const fb_array* in)
      : values(out[0]),
        vectors(out[1]),
        info(out[2]),
        in(in),
        n(row_count(in)),
        stride(std::max<Int>(1, n)),
        a(n * n),
        v(vectors ? n * n : 1),
        work(1),
        parts(2 * n) {
    C none;
    call(&none, -1);
    work.resize(work_length(work[0]));
  }

  Int call(C* w, Int length) {
    const auto run = lapack::routines<T>()->geev;
    const char* job = vectors ? "V" : "N";
    const Int unused = 1;
    T nothing;
    Int failed = 0;
    if constexpr (kIsComplex<T>)
      run("N", job, &n, a.data(), &stride, w, &nothing, &unused, v.data(), &stride, work.data(),
          &length, parts.data(), &failed, 1, 1);
    else
      run("N", job, &n, a.data(), &stride, parts.data(), parts.data() + n, &nothing, &unused,
          v.data(), &stride, work.data(), &length, &failed, 1, 1);
    return failed;
  }

  void operator()(int64_t i) {
    C* w = vector_at<C>(values, i);
    const auto x = vectors ? matrix_at<C>(vectors, i) : Matrix<C>{};
    copy_matrix(matrix_at<T>(in, i), by_columns(a.data(), n, n));
    const bool failed = !all_finite(a.data(), n * n) || call(w, work.size()) != 0;
    set_info(info, i, failed);
    if (failed) {
      std::fill_n(w, n, C(kNaN<T>, kNaN<T>));
      return fill_matrix(x, C(kNaN<T>, kNaN<T>));
    }
    if constexpr (kIsComplex<T>) {
      if (vectors) copy_matrix(by_columns(v.data(), n, n), x);
    } else {
      for (Int j = 0; j < n; ++j) w[j] = C(parts[j], parts[n + j]);
      if (vectors) join_pairs(w, x);
    }
  }

  void join_pairs(const C* w, Matrix<C> x) {
    for (Int j = 0; j < n; ++j) {
      const bool paired = w[j].imag() != 0 && j + 1 < n;
      for (Int r = 0; r < n; ++r) {
        const R real = std::real(v[j * n + r]);
        const R imaginary = paired ? std::real(v[(j + 1) * n + r]) : R(0);
        x(r, j) = C(real, imaginary);
        if (paired) x(r, j + 1) = C(real, -imaginary);
      }
      if (paired) ++j;
    }
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param*) {
    if (in[0]->numel == 0) return succeed_on_nothing(out[2]);
    const int64_t n = row_count(in[0]);
    return for_each_matrix(part_count(in[0], 2), 25 * n * n * n,
                           [&] { return General(out, in[0]); });
  }
};

constexpr auto entries =
    single_double_complex<Hermitian>("eigh") + single_double_complex<General>("eig");

}  // namespace

KernelTable eigen_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
