// Solving with triangular matrices.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// In place in the result, which seen by columns is X^T: X^T A^T = B^T. A matrix by rows is A^T
// by columns, one by columns is named transposed; only other strides need a copy.
template <class T>
struct TriangularSolve {
  const fb_array* out;
  const fb_array* const* in;
  bool upper, unit;
  std::vector<T> gathered = {};

  void operator()(int64_t i) {
    const auto x = matrix_at<T>(out, i);
    auto a = matrix_at<T>(in[0], i);
    copy_matrix(matrix_at<T>(in[1], i), x);
    const bool by_rows = a.column_stride == 1 && a.row_stride >= a.columns;
    const bool in_columns = a.row_stride == 1 && a.column_stride >= a.rows;
    if (!by_rows && !in_columns) a = gather(a);
    const Int stride = std::max<Int>(1, by_rows ? a.row_stride : a.column_stride);
    const T one = 1;
    lapack::routines<T>()->trsm("R", upper != by_rows ? "U" : "L", by_rows ? "N" : "T",
                                unit ? "U" : "N", &x.columns, &x.rows, &one, a.data, &stride,
                                x.data, &x.columns, 1, 1, 1, 1);
  }

  Matrix<T> gather(Matrix<T> a) {
    gathered.resize(a.rows * a.columns);
    const auto copy = by_columns(gathered.data(), a.rows, a.columns);
    copy_matrix(a, copy);
    return copy;
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    if (out[0]->numel == 0) return FB_OK;
    const int64_t n = row_count(out[0]), k = column_count(out[0]);
    return for_each_matrix(
        part_count(out[0], 2), n * n * k,
        [&] { return TriangularSolve{out[0], in, params[0].i != 0, params[1].i != 0}; },
        Team::kIfLarge);
  }
};

constexpr auto entries = single_double_complex<TriangularSolve>("triangular_solve");

}  // namespace

KernelTable triangular_solve_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
