// Products of matrices and of batches of them.
#include "complex_product.h"
#include "gemm.h"
#include "half.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kComplexGrain = 8192;

// A kernel's operands as one batch of products; strides between the matrices in elements.
template <typename T>
struct Batch {
  Product<T> first;
  int64_t count, a_stride, b_stride, c_stride;
};

template <typename T>
Matrix<T> matrix_of(const fb_array* x) {
  const int d = x->ndim - 2;
  return {static_cast<const T*>(x->data), x->strides[d], x->strides[d + 1]};
}

template <typename T>
Batch<T> matmul_operands(const fb_array* out, const fb_array* a, const fb_array* b) {
  const int64_t m = out->shape[1], n = out->shape[2], k = a->shape[2];
  Batch<T> x{
      {m, n, k, matrix_of<T>(a), matrix_of<T>(b), static_cast<T*>(out->data), n, nullptr, false},
      out->shape[0],
      a->strides[0],
      b->strides[0],
      m * n};
  // One right-hand matrix for the whole batch: the left ones form a single tall matrix.
  if (x.count > 1 && x.b_stride == 0 && x.a_stride == m * x.first.a.row_stride) {
    x.first.m *= x.count;
    x.count = 1;
  }
  return x;
}

// The bias as values side by side.
template <typename T>
const T* bias_row(const fb_array* bias) {
  const T* values = static_cast<const T*>(bias->data);
  const int64_t n = bias->shape[0], stride = bias->strides[0];
  if (stride == 1 || n < 2) return values;
  T* row = scratch_values<T>(n, kScratchKernel);
  for (int64_t j = 0; j < n; ++j) row[j] = values[j * stride];
  return row;
}

template <typename T>
Batch<T> linear_operands(fb_array* const* out, int n_in, const fb_array* const* in) {
  const int64_t m = out[0]->shape[0], n = out[0]->shape[1], k = in[0]->shape[1];
  const T* bias = n_in > 2 && in[2] ? bias_row<T>(in[2]) : nullptr;
  return {{m, n, k, matrix_of<T>(in[0]), matrix_of<T>(in[1]).transposed(),
           static_cast<T*>(out[0]->data), n, bias, false},
          1,
          0,
          0,
          0};
}

// -- types that gemm computes in ---------------------------------------------------------------

template <typename T>
void multiply(const Batch<T>& x) {
  if (x.count == 1) return gemm(x.first);
  gemm_batch(x.first, x.count, x.a_stride, x.b_stride, x.c_stride);
}

// -- narrower types: converted to a wider one, a matrix at a time -------------------------------

inline float widened(float16 x) { return to_float(x); }
inline float widened(bfloat16 x) { return to_float(x); }
template <typename T>
int32_t widened(T x) {
  return x;
}

inline void widen_row(float* out, const float16* in, int64_t n) { widen(out, in, n); }
inline void widen_row(float* out, const bfloat16* in, int64_t n) { widen(out, in, n); }
template <typename T>
void widen_row(int32_t* out, const T* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = in[i];
}

inline void narrow_row(float16* out, const float* in, int64_t n) { narrow(out, in, n); }
inline void narrow_row(bfloat16* out, const float* in, int64_t n) { narrow(out, in, n); }
template <typename T>
void narrow_row(T* out, const int32_t* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(in[i]);
}

// Copies a matrix, along its memory where it has such a direction, and gives the copy's view.
template <typename W, typename T>
Matrix<W> widen_matrix(const Matrix<T>& x, int64_t rows, int64_t columns, W* out) {
  if (x.column_stride != 1 && x.row_stride == 1)
    return widen_matrix<W>(x.transposed(), columns, rows, out).transposed();
  parallel_for(rows, 16384 / (columns + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      W* row = out + i * columns;
      if (x.column_stride == 1)
        widen_row(row, x.at(i, 0), columns);
      else
        for (int64_t j = 0; j < columns; ++j) row[j] = widened(*x.at(i, j));
    }
  });
  return {out, columns, 1};
}

template <typename W, typename T>
void multiply_widened(const Batch<T>& x) {
  const int64_t m = x.first.m, n = x.first.n, k = x.first.k;
  W* a = scratch_values<W>(m * k + k * n + m * n + n, kScratchConverted);
  W *b = a + m * k, *c = b + k * n, *bias = c + m * n;
  if (x.first.bias) widen_row(bias, x.first.bias, n);
  Product<W> wide{m, n, k, {}, {}, c, n, x.first.bias ? bias : nullptr, false};
  for (int64_t i = 0; i < x.count; ++i) {
    Matrix<T> left = x.first.a, right = x.first.b;
    left.data += i * x.a_stride;
    right.data += i * x.b_stride;
    if (i == 0 || x.a_stride != 0) wide.a = widen_matrix<W>(left, m, k, a);
    if (i == 0 || x.b_stride != 0) wide.b = widen_matrix<W>(right, k, n, b);
    gemm(wide);
    T* out = x.first.c + i * x.c_stride;
    parallel_for(m * n, 16384, [=](int64_t begin, int64_t end) {
      narrow_row(out + begin, c + begin, end - begin);
    });
  }
}

void multiply(const Batch<float16>& x) { multiply_widened<float>(x); }
void multiply(const Batch<bfloat16>& x) { multiply_widened<float>(x); }
void multiply(const Batch<uint8_t>& x) { multiply_widened<int32_t>(x); }
void multiply(const Batch<int8_t>& x) { multiply_widened<int32_t>(x); }
void multiply(const Batch<int16_t>& x) { multiply_widened<int32_t>(x); }

// -- complex numbers -----------------------------------------------------------------------------

template <typename T>
void multiply(const Batch<Complex<T>>& x) {
  const int64_t m = x.first.m, row_work = x.first.n * x.first.k + 1;
  parallel_for(x.count * m, kComplexGrain / row_work + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      Product<Complex<T>> one = x.first;
      one.a.data += row / m * x.a_stride;
      one.b.data += row / m * x.b_stride;
      one.c += row / m * x.c_stride;
      complex_rows(one, row % m, row % m + 1);
    }
  });
}

template <typename T>
int matmul(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param*) {
  if (out[0]->numel) multiply(matmul_operands<T>(out[0], in[0], in[1]));
  return FB_OK;
}

template <typename T>
int linear(void*, int, fb_array* const* out, int n_in, const fb_array* const* in, const fb_param*) {
  if (out[0]->numel == 0) return FB_OK;
  const Batch<T> x = linear_operands<T>(out, n_in, in);
  multiply(x);
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"matmul", bit(FB_FLOAT32), matmul<float>},
    {"matmul", bit(FB_FLOAT64), matmul<double>},
    {"matmul", bit(FB_FLOAT16), matmul<float16>},
    {"matmul", bit(FB_BFLOAT16), matmul<bfloat16>},
    {"matmul", bit(FB_INT64), matmul<int64_t>},
    {"matmul", bit(FB_INT32), matmul<int32_t>},
    {"matmul", bit(FB_INT16), matmul<int16_t>},
    {"matmul", bit(FB_INT8), matmul<int8_t>},
    {"matmul", bit(FB_UINT8), matmul<uint8_t>},
    {"matmul", bit(FB_COMPLEX64), matmul<Complex<float>>},
    {"matmul", bit(FB_COMPLEX128), matmul<Complex<double>>},
    {"linear", bit(FB_FLOAT32), linear<float>},
    {"linear", bit(FB_FLOAT64), linear<double>},
    {"linear", bit(FB_FLOAT16), linear<float16>},
    {"linear", bit(FB_BFLOAT16), linear<bfloat16>},
    {"linear", bit(FB_INT64), linear<int64_t>},
    {"linear", bit(FB_INT32), linear<int32_t>},
    {"linear", bit(FB_COMPLEX64), linear<Complex<float>>},
    {"linear", bit(FB_COMPLEX128), linear<Complex<double>>},
};

}  // namespace

KernelTable matmul_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
