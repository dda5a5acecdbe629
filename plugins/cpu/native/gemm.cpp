#include "gemm.h"

#include "gemm_paths.h"
#include "gemm_tile.h"
#include "onednn.h"
#include "parallel.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// Multiplications below which the small loop beats the larger machinery, and below which a
// second thread costs more than it brings.
constexpr int64_t kSmallWork = 1 << 18;
constexpr int64_t kSmallTransposedWork = 1 << 15;
constexpr int64_t kSmallVectorWork = 1 << 15;
constexpr int64_t kParallelWork = 1 << 19;
constexpr int64_t kVectorGrain = 1 << 16;

template <typename T>
void fill_rows(const Product<T>& x) {
  for (int64_t i = 0; i < x.m; ++i)
    for (int64_t j = 0; j < x.n; ++j) x.c[i * x.ldc + j] = x.bias ? x.bias[j] : T(0);
}

template <typename T>
void add_bias(const Product<T>& x) {
  for (int64_t i = 0; i < x.m; ++i)
    for (int64_t j = 0; j < x.n; ++j) x.c[i * x.ldc + j] += x.bias[j];
}

// How BLAS sees a matrix: row-major ('N') or transposed, with one leading dimension.
struct Layout {
  bool usable, transposed;
  int64_t leading;
};

template <typename T>
Layout layout_of(const Matrix<T>& x, int64_t rows, int64_t columns) {
  const bool row_major = x.column_stride == 1 || columns == 1;
  if (row_major && (x.row_stride >= columns || rows == 1))
    return {true, false, rows == 1 ? columns : x.row_stride};
  const bool column_major = x.row_stride == 1 || rows == 1;
  if (column_major && (x.column_stride >= rows || columns == 1))
    return {true, true, columns == 1 ? rows : x.column_stride};
  return {false, false, 0};
}

bool with_onednn(const Product<float>& x) {
  const Layout a = layout_of(x.a, x.m, x.k), b = layout_of(x.b, x.k, x.n);
  if (!a.usable || !b.usable || !onednn::available()) return false;
  Product<float> start = x;
  if (x.bias && !x.accumulate) fill_rows(start);
  if (x.bias && x.accumulate) add_bias(start);
  const float beta = x.bias || x.accumulate ? 1.0f : 0.0f;
  const int threads = x.work() < kParallelWork ? 1 : usable_threads();
  return onednn::sgemm(threads, a.transposed, b.transposed, x.m, x.n, x.k, x.a.data, a.leading,
                       x.b.data, b.leading, beta, x.c, x.ldc);
}

template <typename T>
bool with_onednn(const Product<T>&) {
  return false;
}

// oneDNN need not turn a transposed B first, so it wins earlier.
int64_t small_work(const Product<float>& x) {
  return x.b.column_stride == 1 ? kSmallWork : kSmallTransposedWork;
}

template <typename T>
int64_t small_work(const Product<T>&) {
  return kSmallWork;
}

// C's larger side is split over the threads; each packs what it needs.
template <typename T>
void packed_in_parallel(const Product<T>& x) {
  const int64_t work = x.work();
  const bool by_rows = x.m >= x.n;
  const int64_t step = by_rows ? kTileRows : kTileColumns<T>;
  const int64_t parts = ((by_rows ? x.m : x.n) + step - 1) / step;
  parallel_for(parts, parts * kParallelWork / 2 / work + 1, [&](int64_t begin, int64_t end) {
    Product<T> part = x;
    const int64_t from = begin * step;
    const int64_t to = smaller(end * step, by_rows ? x.m : x.n);
    if (by_rows) {
      part.m = to - from;
      part.a = x.a.block(from, 0);
      part.c = x.c + from * x.ldc;
    } else {
      part.n = to - from;
      part.b = x.b.block(0, from);
      part.c = x.c + from;
      part.bias = x.bias ? x.bias + from : nullptr;
    }
    gemm_packed(part);
  });
}

template <typename T>
void vector_in_parallel(const Product<T>& x) {
  constexpr int64_t step = 8 * kWidth<T>;
  const int64_t parts = (x.m + step - 1) / step;
  parallel_for(parts, kVectorGrain / (step * x.k) + 1, [&](int64_t begin, int64_t end) {
    Product<T> part = x;
    part.m = smaller(end * step, x.m) - begin * step;
    part.a = x.a.block(begin * step, 0);
    part.c = x.c + begin * step * x.ldc;
    matrix_vector(part);
  });
}

template <typename T>
void times_vector(const Product<T>& x) {
  if (x.work() > kSmallVectorWork && with_onednn(x)) return;
  vector_in_parallel(x);
}

// A row times a matrix is the transposed matrix times a column.
template <typename T>
Product<T> transposed_row(const Product<T>& x) {
  Product<T> y{x.n, 1, x.k, x.b.transposed(), x.a.transposed(), x.c, 1, nullptr, x.accumulate};
  if (x.bias) {
    if (x.accumulate)
      add_bias(x);
    else
      fill_rows(x);
    y.accumulate = true;
  }
  return y;
}

}  // namespace

template <typename T>
void gemm(const Product<T>& x) {
  if (x.m == 0 || x.n == 0) return;
  if (x.k == 0) {
    if (!x.accumulate)
      fill_rows(x);
    else if (x.bias)
      add_bias(x);
    return;
  }
  if (x.n == 1) return times_vector(x);
  if (x.m == 1) return times_vector(transposed_row(x));
  if (x.work() <= small_work(x)) return gemm_small(x);
  if (with_onednn(x)) return;
  packed_in_parallel(x);
}

template <typename T>
void gemm_batch(const Product<T>& first, int64_t batch, int64_t a_stride, int64_t b_stride,
                int64_t c_stride) {
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Product<T> x = first;
      x.a.data += i * a_stride;
      x.b.data += i * b_stride;
      x.c += i * c_stride;
      gemm(x);
    }
  };
  // Whole products to each thread, unless there are too few of them.
  if (batch >= usable_threads())
    parallel_for(batch, kParallelWork / 4 / (first.work() + 1) + 1, run);
  else
    run(0, batch);
}

#define FLAMBEAU_GEMM(T)                 \
  template void gemm(const Product<T>&); \
  template void gemm_batch(const Product<T>&, int64_t, int64_t, int64_t, int64_t);
FLAMBEAU_GEMM(float)
FLAMBEAU_GEMM(double)
FLAMBEAU_GEMM(int32_t)
FLAMBEAU_GEMM(int64_t)
#undef FLAMBEAU_GEMM

}  // namespace flambeau_cpu::FLAMBEAU_ISA
