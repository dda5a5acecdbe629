// Matrix products of float and double: C = A B (+ C) (+ bias on the columns).
#pragma once

#include <cstdint>

namespace flambeau::cpu {

// A matrix anywhere in memory; strides count elements.
template <typename T>
struct Matrix {
  const T* data;
  int64_t row_stride;
  int64_t column_stride;
};

// One product. C is row-major with `ldc` elements between rows. With `accumulate` C's values are
// added to; `bias`, where given, is added once to each row.
template <typename T>
struct Product {
  int64_t m, n, k;
  Matrix<T> a;
  Matrix<T> b;
  T* c;
  int64_t ldc;
  const T* bias;
  bool accumulate;
};

// The fastest way known for the shape: small loop, matrix-vector, oneDNN or the packed product;
// in parallel unless the caller already is.
void gemm(const Product<float>& product);
void gemm(const Product<double>& product);

// The single-thread kernels of one instruction set.
struct GemmKernels {
  // No packing of A; meant for products that stay in the first cache levels.
  void (*small_f32)(const Product<float>&);
  void (*small_f64)(const Product<double>&);
  // Packs both operands in blocks.
  void (*packed_f32)(const Product<float>&);
  void (*packed_f64)(const Product<double>&);
  // n == 1 (A times a vector); needs one stride of A to be 1.
  void (*vector_f32)(const Product<float>&);
  void (*vector_f64)(const Product<double>&);
};

}  // namespace flambeau::cpu
