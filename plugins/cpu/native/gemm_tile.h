// One register tile of a matrix product, over vectors of the unit's instruction set.
#pragma once

#include <cstdint>

#include "gemm.h"
#include "simd.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

template <>
struct Vector<int32_t> {
  using Type = vi;
  static constexpr int kLanes = FLAMBEAU_VECTOR_BYTES / 4;
};
template <>
struct Vector<int64_t> {
  using Type = vl;
  static constexpr int kLanes = FLAMBEAU_VECTOR_BYTES / 8;
};

static inline vi load(const int32_t* p) {
  vi v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
static inline vl load(const int64_t* p) {
  vl v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
static inline void store(int32_t* p, vi v) { std::memcpy(p, &v, sizeof v); }
static inline void store(int64_t* p, vl v) { std::memcpy(p, &v, sizeof v); }

template <typename T>
using VectorOf = typename Vector<T>::Type;

template <typename T>
constexpr int64_t kWidth = Vector<T>::kLanes;

// As many accumulators as the register file holds beside the operands.
#if FLAMBEAU_VECTOR_BYTES == 64
constexpr int kTileRows = 14;
#elif FLAMBEAU_VECTOR_BYTES == 32
constexpr int kTileRows = 6;
#else
constexpr int kTileRows = 4;
#endif
constexpr int kTileVectors = 2;

template <typename T>
constexpr int64_t kTileColumns = kTileVectors * kWidth<T>;

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// Where a tile of C goes, and what is added to it.
template <typename T>
struct Target {
  T* c;
  int64_t ldc;
  const T* bias;  // of the tile's first column, or null
  bool accumulate;
};

// The first n lanes of a row of C.
template <typename T>
static inline void put_part(T* c, VectorOf<T> value, const T* bias, bool accumulate, int64_t n) {
  if constexpr (static_cast<T>(0.5) != 0) {
    if (bias) value += load_part<VectorOf<T>>(bias, n);
    if (accumulate) value += load_part<VectorOf<T>>(c, n);
    store_part<VectorOf<T>>(c, value, n);
  } else {
    for (int64_t j = 0; j < n; ++j)
      c[j] = value[j] + (bias ? bias[j] : 0) + (accumulate ? c[j] : 0);
  }
}

template <typename T, int Vectors>
static inline void store_rows(const VectorOf<T> (*acc)[Vectors], int rows, int64_t columns,
                              const Target<T>& to) {
  constexpr int64_t lanes = kWidth<T>;
  for (int i = 0; i < rows; ++i) {
    T* row = to.c + i * to.ldc;
    if (columns == Vectors * lanes) {
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) {
        VectorOf<T> value = acc[i][j];
        if (to.bias) value += load(to.bias + j * lanes);
        if (to.accumulate) value += load(row + j * lanes);
        store(row + j * lanes, value);
      }
      continue;
    }
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) {
      const int64_t n = smaller(columns - j * lanes, lanes);
      if (n > 0)
        put_part<T>(row + j * lanes, acc[i][j], to.bias ? to.bias + j * lanes : nullptr,
                    to.accumulate, n);
    }
  }
}

// Rows x Vectors accumulators over depth k; b advances by ldb a step of depth.
template <typename T, int Rows, int Vectors>
static inline void multiply_tile(int64_t k, Matrix<T> a, const T* b, int64_t ldb, int64_t columns,
                                 const Target<T>& to) {
  VectorOf<T> acc[Rows][Vectors] = {};
  const T* left = a.data;
  for (int64_t p = 0; p < k; ++p) {
    VectorOf<T> right[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) right[j] = load(b + j * kWidth<T>);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const T value = left[i * a.row_stride];
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) acc[i][j] += value * right[j];
    }
    left += a.column_stride;
    b += ldb;
  }
  store_rows<T, Vectors>(acc, Rows, columns, to);
}

// Any number of rows: the largest tile as often as it fits, then tiles of half its height.
template <typename T, int Rows, int Vectors>
static inline void multiply_rows(int64_t rows, int64_t k, Matrix<T> a, const T* b, int64_t ldb,
                                 int64_t columns, Target<T> to) {
  for (; rows >= Rows; rows -= Rows) {
    multiply_tile<T, Rows, Vectors>(k, a, b, ldb, columns, to);
    a.data += Rows * a.row_stride;
    to.c += Rows * to.ldc;
  }
  if constexpr (Rows > 1) {
    if (rows > 0) multiply_rows<T, Rows / 2, Vectors>(rows, k, a, b, ldb, columns, to);
  }
}

// `columns` columns of B as rows of `width` values, the missing ones 0.
template <typename T>
static inline void pack_columns(const Matrix<T>& b, int64_t k, int64_t columns, int64_t width,
                                T* packed) {
  // Eight rows at a time, so that a transposed B is read along its memory.
  for (int64_t from = 0; from < k; from += 8) {
    const int64_t depth = smaller(8, k - from);
    T* out = packed + from * width;
    const T* in = b.at(from, 0);
    if (b.column_stride == 1 && columns == width && width % kWidth<T> == 0) {
      for (int64_t p = 0; p < depth; ++p)
        for (int64_t j = 0; j < width; j += kWidth<T>)
          store(out + p * width + j, load(in + p * b.row_stride + j));
#ifdef __AVX512F__
    } else if (b.column_stride == 1 && columns < kWidth<T> && width == kWidth<T> &&
               static_cast<T>(0.5) != 0) {
      if constexpr (static_cast<T>(0.5) != 0) {
        for (int64_t p = 0; p < depth; ++p)
          store(out + p * width, load_part<VectorOf<T>>(in + p * b.row_stride, columns));
        continue;
      }
#endif
    } else if (b.column_stride == 1) {
      for (int64_t p = 0; p < depth; ++p)
        for (int64_t j = 0; j < columns; ++j) out[p * width + j] = in[p * b.row_stride + j];
    } else {
      for (int64_t j = 0; j < columns; ++j)
        for (int64_t p = 0; p < depth; ++p)
          out[p * width + j] = in[p * b.row_stride + j * b.column_stride];
    }
    for (int64_t p = 0; p < depth; ++p)
      for (int64_t j = columns; j < width; ++j) out[p * width + j] = 0;
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
