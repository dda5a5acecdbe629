#include "gemm_paths.h"
#include "gemm_tile.h"
#include "scratch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

template <typename T>
inline T total_of(VectorOf<T> v) {
  T total = 0;
  for (int64_t i = 0; i < kWidth<T>; ++i) total += v[i];
  return total;
}

template <typename T>
inline void put(const Product<T>& x, int64_t i, T value) {
  T* c = x.c + i * x.ldc;
  if (x.bias) value += *x.bias;
  *c = x.accumulate ? *c + value : value;
}

// Rows of A lie along memory: some dot products at a time share the vector's loads.
template <typename T, int Rows>
inline void dot_rows(const Product<T>& x, int64_t from, const T* right) {
  constexpr int64_t lanes = kWidth<T>;
  const T* a = x.a.at(from, 0);
  const int64_t lda = x.a.row_stride;
  VectorOf<T> acc[Rows][2] = {};
  int64_t p = 0;
  for (; p + 2 * lanes <= x.k; p += 2 * lanes) {
    const VectorOf<T> low = load(right + p), high = load(right + p + lanes);
#pragma GCC unroll 4
    for (int i = 0; i < Rows; ++i) {
      acc[i][0] += load(a + i * lda + p) * low;
      acc[i][1] += load(a + i * lda + p + lanes) * high;
    }
  }
  for (int i = 0; i < Rows; ++i) {
    T total = total_of<T>(acc[i][0] + acc[i][1]);
    for (int64_t q = p; q < x.k; ++q) total += a[i * lda + q] * right[q];
    put(x, from + i, total);
  }
}

// Columns of A lie along memory: some of them at a time are added to the result.
template <typename T, int Columns>
inline void add_columns(const Product<T>& x, int64_t from, const T* right, T* sums) {
  constexpr int64_t lanes = kWidth<T>;
  const T* a = x.a.at(0, from);
  const int64_t step = x.a.column_stride;
  int64_t i = 0;
  for (; i + lanes <= x.m; i += lanes) {
    VectorOf<T> sum = load(sums + i);
#pragma GCC unroll 8
    for (int j = 0; j < Columns; ++j) sum += load(a + j * step + i) * right[from + j];
    store(sums + i, sum);
  }
  for (; i < x.m; ++i)
    for (int j = 0; j < Columns; ++j) sums[i] += a[j * step + i] * right[from + j];
}

template <typename T>
inline void sum_columns(const Product<T>& x, const T* right, T* sums) {
  for (int64_t i = 0; i < x.m; ++i) sums[i] = 0;
  int64_t p = 0;
  for (; p + 8 <= x.k; p += 8) add_columns<T, 8>(x, p, right, sums);
  for (; p < x.k; ++p) add_columns<T, 1>(x, p, right, sums);
  for (int64_t i = 0; i < x.m; ++i) put(x, i, sums[i]);
}

}  // namespace

template <typename T>
void matrix_vector(const Product<T>& x) {
  const T* right = x.b.data;
  T* gathered = scratch_values<T>(x.k + x.m, kScratchPacking);
  if (x.b.row_stride != 1 && x.k > 1) {
    for (int64_t p = 0; p < x.k; ++p) gathered[p] = *x.b.at(p, 0);
    right = gathered;
  }
  if (x.a.row_stride == 1 && x.a.column_stride != 1) {
    sum_columns(x, right, gathered + x.k);
  } else if (x.a.column_stride == 1 || x.k == 1) {
    int64_t i = 0;
    for (; i + 4 <= x.m; i += 4) dot_rows<T, 4>(x, i, right);
    for (; i < x.m; ++i) dot_rows<T, 1>(x, i, right);
  } else {
    for (int64_t i = 0; i < x.m; ++i) {
      T total = 0;
      for (int64_t p = 0; p < x.k; ++p) total += *x.a.at(i, p) * right[p];
      put(x, i, total);
    }
  }
}

template void matrix_vector(const Product<float>&);
template void matrix_vector(const Product<double>&);
template void matrix_vector(const Product<int32_t>&);
template void matrix_vector(const Product<int64_t>&);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
