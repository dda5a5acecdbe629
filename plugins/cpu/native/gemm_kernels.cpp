// The packed product: panels of B and of A are copied into the order in which a register tile of
// C reads them (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, 2008).
// Compiled once for each instruction set.
#include "gemm.h"
#include "scratch.h"
#include "isa.h"

namespace flambeau::cpu::FLAMBEAU_ISA {
namespace {

template <typename T>
struct Vector;
template <>
struct Vector<float> {
  typedef float type __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES), aligned(4), may_alias));
};
template <>
struct Vector<double> {
  typedef double type __attribute__((vector_size(FLAMBEAU_VECTOR_BYTES), aligned(8), may_alias));
};
template <typename T>
using V = typename Vector<T>::type;

template <typename T>
constexpr int64_t kLanes = FLAMBEAU_VECTOR_BYTES / int64_t(sizeof(T));

// The register tile: as many accumulators as the register file holds beside the operands.
#if FLAMBEAU_VECTOR_BYTES == 64
constexpr int kRows = 14, kVectors = 2;
#elif FLAMBEAU_VECTOR_BYTES == 32
constexpr int kRows = 6, kVectors = 2;
#else
constexpr int kRows = 4, kVectors = 2;
#endif

// Cache blocks: a panel of B of kDepth rows stays in L1, a block of A in L2.
constexpr int64_t kDepth = 256;
constexpr int64_t kRowBlock = kRows * (FLAMBEAU_VECTOR_BYTES == 64 ? 12 : 24);
constexpr int64_t kColumnBlock = 2048;

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

template <typename T>
inline V<T> load(const T* p) {
  return *reinterpret_cast<const V<T>*>(p);
}
template <typename T>
inline void store(T* p, V<T> v) {
  *reinterpret_cast<V<T>*>(p) = v;
}

// Where a tile of C starts from and goes to.
template <typename T>
struct Target {
  T* c;
  int64_t ldc;
  const T* bias;    // of this tile's first column, or null
  bool accumulate;
};

template <typename T, int Vectors>
inline void store_rows(const V<T> (*acc)[Vectors], int rows, int64_t columns, const Target<T>& to) {
  constexpr int64_t lanes = kLanes<T>;
  if (columns == Vectors * lanes) {
    for (int i = 0; i < rows; ++i) {
      T* row = to.c + i * to.ldc;
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) {
        V<T> value = acc[i][j];
        if (to.bias) value += load(to.bias + j * lanes);
        if (to.accumulate) value += load(row + j * lanes);
        store(row + j * lanes, value);
      }
    }
    return;
  }
  T tile[Vectors * lanes];
  for (int i = 0; i < rows; ++i) {
    T* row = to.c + i * to.ldc;
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) store(tile + j * lanes, acc[i][j]);
    for (int64_t j = 0; j < columns; ++j) {
      T value = tile[j];
      if (to.bias) value += to.bias[j];
      if (to.accumulate) value += row[j];
      row[j] = value;
    }
  }
}

// One register tile: Rows x Vectors accumulators over depth k. Element (i, p) of A lies at
// a[i * row_stride + p * column_stride]; b advances by ldb a step of depth.
template <typename T, int Rows, int Vectors>
inline void tile(int64_t k, const T* a, int64_t row_stride, int64_t column_stride, const T* b,
                 int64_t ldb, int64_t columns, const Target<T>& to) {
  constexpr int64_t lanes = kLanes<T>;
  V<T> acc[Rows][Vectors] = {};
  for (int64_t p = 0; p < k; ++p) {
    V<T> right[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) right[j] = load(b + j * lanes);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      T left = a[i * row_stride];
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) acc[i][j] += left * right[j];
    }
    a += column_stride;
    b += ldb;
  }
  store_rows<T, Vectors>(acc, Rows, columns, to);
}

// The last rows of a matrix: the largest tile that fits, then the rest.
template <typename T, int Rows, int Vectors>
inline void tile_rows(int64_t rows, int64_t k, const T* a, int64_t row_stride,
                      int64_t column_stride, const T* b, int64_t ldb, int64_t columns,
                      Target<T> to) {
  while (rows >= Rows) {
    tile<T, Rows, Vectors>(k, a, row_stride, column_stride, b, ldb, columns, to);
    a += Rows * row_stride;
    to.c += Rows * to.ldc;
    rows -= Rows;
  }
  if constexpr (Rows > 1) {
    if (rows > 0)
      tile_rows<T, Rows / 2, Vectors>(rows, k, a, row_stride, column_stride, b, ldb, columns, to);
  }
}

// -- small products ---------------------------------------------------------------------------

// Columns [from, from + columns) of B as k rows of `width` values, the missing ones 0.
template <typename T>
void pack_columns(const Matrix<T>& b, int64_t k, int64_t from, int64_t columns, int64_t width,
                  T* packed) {
  for (int64_t p = 0; p < k; ++p) {
    const T* row = b.data + p * b.row_stride + from * b.column_stride;
    T* out = packed + p * width;
    for (int64_t j = 0; j < columns; ++j) out[j] = row[j * b.column_stride];
    for (int64_t j = columns; j < width; ++j) out[j] = 0;
  }
}

constexpr int kSmallRows = FLAMBEAU_VECTOR_BYTES == 64 ? 8 : 4;

template <typename T, int Vectors>
inline void small_panel(const Product<T>& x, int64_t from, int64_t columns, T* scratch) {
  constexpr int64_t width = Vectors * kLanes<T>;
  const T* b = x.b.data + from * x.b.column_stride;
  int64_t ldb = x.b.row_stride;
  if (x.b.column_stride != 1 || columns != width) {
    pack_columns(x.b, x.k, from, columns, width, scratch);
    b = scratch;
    ldb = width;
  }
  Target<T> to{x.c + from, x.ldc, x.bias ? x.bias + from : nullptr, x.accumulate};
  tile_rows<T, kSmallRows, Vectors>(x.m, x.k, x.a.data, x.a.row_stride, x.a.column_stride, b, ldb,
                                    columns, to);
}

template <typename T>
void small(const Product<T>& x) {
  constexpr int64_t lanes = kLanes<T>;
  constexpr int64_t stack = 2048;
  alignas(64) T local[stack];
  T* scratch = x.k * 2 * lanes <= stack ? local : scratch_values<T>(x.k * 2 * lanes);
  int64_t from = 0;
  for (; x.n - from > lanes; from += smaller(2 * lanes, x.n - from))
    small_panel<T, 2>(x, from, smaller(2 * lanes, x.n - from), scratch);
  if (from < x.n) small_panel<T, 1>(x, from, x.n - from, scratch);
}

// -- large products ---------------------------------------------------------------------------

template <typename T>
void pack_b(const Matrix<T>& b, int64_t k, int64_t n, T* packed) {
  constexpr int64_t width = kVectors * kLanes<T>;
  for (int64_t from = 0; from < n; from += width) {
    int64_t columns = smaller(width, n - from);
    if (b.column_stride == 1 || columns != width) {
      pack_columns(b, k, from, columns, width, packed);
    } else {
      // Transposed: read each column along memory, a few rows at a time.
      for (int64_t p = 0; p < k; p += 8) {
        int64_t depth = smaller(8, k - p);
        for (int64_t j = 0; j < width; ++j) {
          const T* column = b.data + (from + j) * b.column_stride + p * b.row_stride;
          for (int64_t q = 0; q < depth; ++q)
            packed[(p + q) * width + j] = column[q * b.row_stride];
        }
      }
    }
    packed += k * width;
  }
}

template <typename T>
void pack_a(const Matrix<T>& a, int64_t m, int64_t k, T* packed) {
  for (int64_t from = 0; from < m; from += kRows) {
    int64_t rows = smaller(kRows, m - from);
    const T* base = a.data + from * a.row_stride;
    for (int64_t p = 0; p < k; ++p)
      for (int64_t i = 0; i < kRows; ++i)
        packed[p * kRows + i] = i < rows ? base[i * a.row_stride + p * a.column_stride] : T(0);
    packed += k * kRows;
  }
}

template <typename T>
void multiply_block(int64_t m, int64_t n, int64_t k, const T* a, const T* b, Target<T> to) {
  constexpr int64_t width = kVectors * kLanes<T>;
  for (int64_t j = 0; j < n; j += width) {
    int64_t columns = smaller(width, n - j);
    const T* left = a;
    for (int64_t i = 0; i < m; i += kRows) {
      int64_t rows = smaller(kRows, m - i);
      Target<T> at{to.c + i * to.ldc + j, to.ldc, to.bias ? to.bias + j : nullptr, to.accumulate};
      if (rows == kRows)
        tile<T, kRows, kVectors>(k, left, 1, kRows, b, width, columns, at);
      else
        tile_rows<T, kRows / 2, kVectors>(rows, k, left, 1, kRows, b, width, columns, at);
      left += k * kRows;
    }
    b += k * width;
  }
}

template <typename T>
void packed(const Product<T>& x) {
  constexpr int64_t width = kVectors * kLanes<T>;
  int64_t column_block = smaller(kColumnBlock, (x.n + width - 1) / width * width);
  int64_t row_block = smaller(kRowBlock, (x.m + kRows - 1) / kRows * kRows);
  int64_t depth_block = smaller(kDepth, x.k);
  T* packed_a = scratch_values<T>((row_block + column_block) * depth_block + 16);
  T* packed_b = packed_a + (row_block * depth_block + 15) / 16 * 16;
  for (int64_t j = 0; j < x.n; j += column_block) {
    int64_t n = smaller(column_block, x.n - j);
    for (int64_t p = 0; p < x.k; p += depth_block) {
      int64_t k = smaller(depth_block, x.k - p);
      Matrix<T> b = x.b;
      b.data += p * b.row_stride + j * b.column_stride;
      pack_b(b, k, n, packed_b);
      for (int64_t i = 0; i < x.m; i += row_block) {
        int64_t m = smaller(row_block, x.m - i);
        Matrix<T> a = x.a;
        a.data += i * a.row_stride + p * a.column_stride;
        pack_a(a, m, k, packed_a);
        multiply_block(m, n, k, packed_a, packed_b,
                       Target<T>{x.c + i * x.ldc + j, x.ldc,
                                 x.bias && p == 0 ? x.bias + j : nullptr,
                                 x.accumulate || p > 0});
      }
    }
  }
}

// -- matrix times vector ------------------------------------------------------------------------

template <typename T>
inline T sum_lanes(V<T> v) {
  T total = 0;
  for (int64_t i = 0; i < kLanes<T>; ++i) total += v[i];
  return total;
}

template <typename T>
inline void finish(const Product<T>& x, int64_t i, T value) {
  T* c = x.c + i * x.ldc;
  if (x.bias) value += *x.bias;
  *c = x.accumulate ? *c + value : value;
}

// Rows of A along memory: `Rows` dot products at a time share the vector's loads.
template <typename T, int Rows>
inline void dot_rows(const Product<T>& x, int64_t from, const T* right) {
  constexpr int64_t lanes = kLanes<T>;
  const T* a = x.a.data + from * x.a.row_stride;
  V<T> acc[Rows][2] = {};
  int64_t p = 0;
  for (; p + 2 * lanes <= x.k; p += 2 * lanes) {
    V<T> b0 = load(right + p), b1 = load(right + p + lanes);
#pragma GCC unroll 4
    for (int i = 0; i < Rows; ++i) {
      acc[i][0] += load(a + i * x.a.row_stride + p) * b0;
      acc[i][1] += load(a + i * x.a.row_stride + p + lanes) * b1;
    }
  }
  for (int i = 0; i < Rows; ++i) {
    T total = sum_lanes<T>(acc[i][0] + acc[i][1]);
    for (int64_t q = p; q < x.k; ++q) total += a[i * x.a.row_stride + q] * right[q];
    finish(x, from + i, total);
  }
}

// Columns of A along memory: a stretch of the result stays in registers.
template <typename T>
inline void sum_columns(const Product<T>& x, const T* right) {
  constexpr int64_t lanes = kLanes<T>;
  constexpr int width = 4;
  int64_t i = 0;
  for (; i + width * lanes <= x.m; i += width * lanes) {
    V<T> acc[width] = {};
    const T* a = x.a.data + i;
    for (int64_t p = 0; p < x.k; ++p, a += x.a.column_stride) {
      T scale = right[p];
#pragma GCC unroll 4
      for (int j = 0; j < width; ++j) acc[j] += load(a + j * lanes) * scale;
    }
    T values[width * lanes];
    for (int j = 0; j < width; ++j) store(values + j * lanes, acc[j]);
    for (int64_t j = 0; j < width * lanes; ++j) finish(x, i + j, values[j]);
  }
  for (; i < x.m; ++i) {
    T total = 0;
    for (int64_t p = 0; p < x.k; ++p) total += x.a.data[i + p * x.a.column_stride] * right[p];
    finish(x, i, total);
  }
}

template <typename T>
void times_vector(const Product<T>& x) {
  const T* right = x.b.data;
  if (x.b.row_stride != 1 && x.k > 1) {
    T* gathered = scratch_values<T>(x.k);
    for (int64_t p = 0; p < x.k; ++p) gathered[p] = right[p * x.b.row_stride];
    right = gathered;
  }
  if (x.a.column_stride != 1) return sum_columns(x, right);
  int64_t i = 0;
  for (; i + 4 <= x.m; i += 4) dot_rows<T, 4>(x, i, right);
  for (; i < x.m; ++i) dot_rows<T, 1>(x, i, right);
}

}  // namespace

extern const GemmKernels gemm_kernels;
const GemmKernels gemm_kernels = {&small<float>,  &small<double>,        &packed<float>,
                                  &packed<double>, &times_vector<float>, &times_vector<double>};

}  // namespace flambeau::cpu::FLAMBEAU_ISA
