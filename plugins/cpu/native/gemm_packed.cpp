// The packed product: panels of B and of A are copied into the order in which a register tile of
// C reads them (Goto and van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008).
#include "gemm_paths.h"
#include "gemm_tile.h"
#include "scratch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// A panel of B of this depth stays in L1 with one of A; a block of A in L2.
constexpr int64_t kDepth = 256;
constexpr int64_t kBlockRows = kTileRows * (FLAMBEAU_VECTOR_BYTES == 64 ? 12 : 20);
constexpr int64_t kBlockColumns = 2048;

inline int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

template <typename T>
void pack_b(const Matrix<T>& b, int64_t k, int64_t n, T* packed) {
  for (int64_t j = 0; j < n; j += kTileColumns<T>) {
    pack_columns(b.block(0, j), k, smaller(kTileColumns<T>, n - j), kTileColumns<T>, packed);
    packed += k * kTileColumns<T>;
  }
}

// Panels of kTileRows rows, each as k columns; missing rows are 0.
template <typename T>
void pack_a(const Matrix<T>& a, int64_t m, int64_t k, T* packed) {
  for (int64_t i = 0; i < m; i += kTileRows) {
    pack_columns(a.block(i, 0).transposed(), k, smaller(kTileRows, m - i), kTileRows, packed);
    packed += k * kTileRows;
  }
}

template <typename T>
void multiply_block(int64_t m, int64_t n, int64_t k, const T* a, const T* b,
                    const Target<T>& block) {
  for (int64_t j = 0; j < n; j += kTileColumns<T>) {
    const int64_t columns = smaller(kTileColumns<T>, n - j);
    const T* left = a;
    for (int64_t i = 0; i < m; i += kTileRows) {
      const int64_t rows = smaller(kTileRows, m - i);
      const Matrix<T> panel{left, 1, kTileRows};
      const Target<T> to{block.c + i * block.ldc + j, block.ldc,
                         block.bias ? block.bias + j : nullptr, block.accumulate};
      if (rows == kTileRows) {
        multiply_tile<T, kTileRows, kTileVectors>(k, panel, b, kTileColumns<T>, columns, to);
      } else {
        multiply_rows<T, kTileRows / 2, kTileVectors>(rows, k, panel, b, kTileColumns<T>, columns,
                                                      to);
      }
      left += k * kTileRows;
    }
    b += k * kTileColumns<T>;
  }
}

}  // namespace

template <typename T>
void gemm_packed(const Product<T>& x) {
  const int64_t block_n = smaller(kBlockColumns, round_up(x.n, kTileColumns<T>));
  const int64_t block_m = smaller(kBlockRows, round_up(x.m, kTileRows));
  const int64_t block_k = smaller(kDepth, x.k);
  const int64_t size_a = round_up(block_m * block_k, 16);
  T* packed_a = scratch_values<T>(size_a + block_n * block_k, kScratchPacking);
  T* packed_b = packed_a + size_a;
  for (int64_t j = 0; j < x.n; j += block_n) {
    const int64_t n = smaller(block_n, x.n - j);
    for (int64_t p = 0; p < x.k; p += block_k) {
      const int64_t k = smaller(block_k, x.k - p);
      pack_b(x.b.block(p, j), k, n, packed_b);
      for (int64_t i = 0; i < x.m; i += block_m) {
        const int64_t m = smaller(block_m, x.m - i);
        pack_a(x.a.block(i, p), m, k, packed_a);
        multiply_block(m, n, k, packed_a, packed_b,
                       Target<T>{x.c + i * x.ldc + j, x.ldc,
                                 x.bias && p == 0 ? x.bias + j : nullptr, x.accumulate || p > 0});
      }
    }
  }
}

template void gemm_packed(const Product<float>&);
template void gemm_packed(const Product<double>&);
template void gemm_packed(const Product<int32_t>&);
template void gemm_packed(const Product<int64_t>&);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
