// Factors of symmetric and Hermitian indefinite matrices, and what they solve.
#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <class T>
struct LdlFactor {
  const fb_array *out, *pivots, *info, *in;
  lapack::Sytrf<T> routine;
  Int n;
  std::vector<T> a, work;
  std::vector<Int> order;

  LdlFactor(fb_array* const* out, const fb_array* in, bool hermitian)
      : out(out[0]),
        pivots(out[1]),
        info(out[2]),
        in(in),
        routine(hermitian ? lapack::routines<T>()->hetrf : lapack::routines<T>()->sytrf),
        n(row_count(in)),
        a(n * n),
        work(1),
        order(n) {
    call(-1);
    work.resize(work_length(work[0]));
  }

  Int call(Int length) {
    Int failed = 0;
    routine("L", &n, a.data(), &n, order.data(), work.data(), &length, &failed, 1);
    return failed;
  }

  void operator()(int64_t i) {
    const auto from = matrix_at<T>(in, i);
    for (Int column = 0; column < n; ++column)
      for (Int row = 0; row < n; ++row)
        a[column * n + row] = row >= column ? from(row, column) : T(0);
    set_info(info, i, call(work.size()));
    copy_matrix(by_columns(a.data(), n, n), matrix_at<T>(out, i));
    std::copy(order.begin(), order.end(), vector_at<int32_t>(pivots, i));
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    if (in[0]->numel == 0) return succeed_on_nothing(out[2]);
    const int64_t n = row_count(in[0]);
    return for_each_matrix(part_count(in[0], 2), n * n * n,
                           [&] { return LdlFactor(out, in[0], params[0].i != 0); });
  }
};

// Pivots come from outside, and the routine trusts them: rows within the matrix, blocks of two
// whole.
bool are_pivots(const std::vector<Int>& order) {
  const Int n = order.size();
  for (Int k = 0; k < n; ++k) {
    const Int row = order[k] < 0 ? -order[k] : order[k];
    if (row < 1 || row > n) return false;
    if (order[k] > 0) continue;
    if (++k == n || order[k] >= 0 || -order[k] > n) return false;
  }
  return true;
}

template <class T>
struct LdlSolve {
  const fb_array* out;
  const fb_array* const* in;
  lapack::Sytrs<T> routine;
  std::atomic<bool>& refused;
  Int n, right_sides;
  std::vector<T> ld, x;
  std::vector<Int> order;

  void read_pivots(int64_t i) {
    const fb_array* pivots = in[1];
    const int64_t offset = part_offset(pivots, 1, i), step = pivots->strides[pivots->ndim - 1];
    for (Int k = 0; k < n; ++k) {
      const int64_t at = offset + k * step;
      order[k] = pivots->dtype == FB_INT64 ? static_cast<const int64_t*>(pivots->data)[at]
                                           : static_cast<const int32_t*>(pivots->data)[at];
    }
  }

  void operator()(int64_t i) {
    read_pivots(i);
    if (!are_pivots(order)) {
      refused = true;
      return;
    }
    const auto columns = by_columns(x.data(), n, right_sides);
    copy_matrix(matrix_at<T>(in[0], i), by_columns(ld.data(), n, n));
    copy_matrix(matrix_at<T>(in[2], i), columns);
    Int info = 0;
    routine("L", &n, &right_sides, ld.data(), &n, order.data(), x.data(), &n, &info, 1);
    copy_matrix(columns, matrix_at<T>(out, i));
  }

  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    if (out[0]->numel == 0) return FB_OK;
    const auto* table = lapack::routines<T>();
    const auto routine = params[0].i ? table->hetrs : table->sytrs;
    const int64_t n = row_count(out[0]), k = column_count(out[0]);
    std::atomic<bool> refused{false};
    const int status = for_each_matrix(part_count(out[0], 2), n * n * k, [&] {
      return LdlSolve{out[0],
                      in,
                      routine,
                      refused,
                      n,
                      k,
                      std::vector<T>(n * n),
                      std::vector<T>(n * k),
                      std::vector<Int>(n)};
    });
    if (status != FB_OK || !refused) return status;
    return fail(FB_ERROR, "ldl_solve: pivots are not those of ldl_factor for %lld rows",
                static_cast<long long>(n));
  }
};

constexpr auto entries =
    single_double_complex<LdlFactor>("ldl_factor") + single_double_complex<LdlSolve>("ldl_solve");

}  // namespace

KernelTable ldl_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
