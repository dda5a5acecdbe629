#include "gemm_paths.h"
#include "gemm_tile.h"
#include "scratch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int kRows = FLAMBEAU_VECTOR_BYTES == 64 ? 8 : kTileRows;
constexpr int64_t kStackBytes = 16384;

template <typename T, int Vectors>
inline void multiply_panel(const Product<T>& x, int64_t from, int64_t columns, T* packed) {
  constexpr int64_t width = Vectors * kWidth<T>;
  const Matrix<T> panel = x.b.block(0, from);
  const T* b = panel.data;
  int64_t ldb = panel.row_stride;
  if (panel.column_stride != 1 || columns != width) {
    pack_columns(panel, x.k, columns, width, packed);
    b = packed;
    ldb = width;
  }
  const Target<T> to{x.c + from, x.ldc, x.bias ? x.bias + from : nullptr, x.accumulate};
  multiply_rows<T, kRows, Vectors>(x.m, x.k, x.a, b, ldb, columns, to);
}

}  // namespace

template <typename T>
void gemm_small(const Product<T>& x) {
  constexpr int64_t width = 2 * kWidth<T>;
  constexpr int64_t stack = kStackBytes / static_cast<int64_t>(sizeof(T));
  alignas(64) T local[stack];
  T* packed = x.k * width <= stack ? local : scratch_values<T>(x.k * width, kScratchPacking);
  int64_t from = 0;
  for (; x.n - from > kWidth<T>; from += width)
    multiply_panel<T, 2>(x, from, smaller(width, x.n - from), packed);
  if (from < x.n) multiply_panel<T, 1>(x, from, x.n - from, packed);
}

template void gemm_small(const Product<float>&);
template void gemm_small(const Product<double>&);
template void gemm_small(const Product<int32_t>&);
template void gemm_small(const Product<int64_t>&);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
