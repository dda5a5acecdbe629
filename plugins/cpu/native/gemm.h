// Matrix products C = A B (+ C) (+ bias on the columns) of float, double, int32_t and int64_t.
#pragma once

#include <cstdint>

#include "isa.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// A matrix anywhere in memory; strides count elements.
template <typename T>
struct Matrix {
  const T* data;
  int64_t row_stride;
  int64_t column_stride;

  const T* at(int64_t i, int64_t j) const { return data + i * row_stride + j * column_stride; }
  Matrix block(int64_t i, int64_t j) const { return {at(i, j), row_stride, column_stride}; }
  Matrix transposed() const { return {data, column_stride, row_stride}; }
};

// C is row-major with `ldc` elements between rows. With `accumulate` C's values are added to;
// `bias` [n], where given, is added to each row.
template <typename T>
struct Product {
  int64_t m, n, k;
  Matrix<T> a;
  Matrix<T> b;
  T* c;
  int64_t ldc;
  const T* bias;
  bool accumulate;

  int64_t work() const { return m * n * k; }
};

// The fastest way known for the shape: a small loop, matrix times vector, oneDNN or the packed
// product; on several threads unless the caller runs inside a parallel region already.
template <typename T>
void gemm(const Product<T>& x);

// gemm for the `batch` products whose a, b and c lie the given strides apart.
template <typename T>
void gemm_batch(const Product<T>& first, int64_t batch, int64_t a_stride, int64_t b_stride,
                int64_t c_stride);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
