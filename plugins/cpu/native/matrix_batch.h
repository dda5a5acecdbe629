// Batches of matrices for LAPACK: the matrices of a strided array, copies of them by columns and
// back, and the loop over a batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

#include "complex_number.h"
#include "error.h"
#include "lapack_routines.h"
#include "parallel.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

using lapack::Int;
using lapack::kIsComplex;
using lapack::Real;

// The offset of the i-th of the parts that the last `inner` dimensions make.
static inline int64_t part_offset(const fb_array* x, int inner, int64_t i) {
  const int last = x->ndim - inner - 1;
  if (last < 0) return 0;
  int64_t offset = 0;
  for (int d = last; d > 0; --d) {
    offset += i % x->shape[d] * x->strides[d];
    i /= x->shape[d];
  }
  return offset + i * x->strides[0];
}

// How many parts they are.
static inline int64_t part_count(const fb_array* x, int inner) {
  int64_t count = 1;
  for (int d = 0; d < x->ndim - inner; ++d) count *= x->shape[d];
  return count;
}

static inline int64_t row_count(const fb_array* x) { return x->shape[x->ndim - 2]; }
static inline int64_t column_count(const fb_array* x) { return x->shape[x->ndim - 1]; }

template <class T>
struct Matrix {
  T* data;
  int64_t rows, columns, row_stride, column_stride;

  T& operator()(int64_t i, int64_t j) const { return data[i * row_stride + j * column_stride]; }
  Matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

template <class T>
static inline Matrix<T> matrix_at(const fb_array* x, int64_t i) {
  return {static_cast<T*>(x->data) + part_offset(x, 2, i), row_count(x), column_count(x),
          x->strides[x->ndim - 2], x->strides[x->ndim - 1]};
}

template <class T>
static inline T* vector_at(const fb_array* x, int64_t i) {
  return static_cast<T*>(x->data) + part_offset(x, 1, i);
}

template <class T>
static inline Matrix<T> by_columns(T* data, int64_t rows, int64_t columns) {
  return {data, rows, columns, 1, rows};
}

// Copies by small squares, so that both sides' cache lines are used whole.
template <class T>
static inline void copy_matrix(Matrix<T> from, Matrix<T> to) {
  constexpr int64_t kSide = 16;
  for (int64_t i = 0; i < from.rows; i += kSide)
    for (int64_t j = 0; j < from.columns; j += kSide) {
      const int64_t rows = std::min(from.rows, i + kSide);
      const int64_t columns = std::min(from.columns, j + kSide);
      for (int64_t r = i; r < rows; ++r)
        for (int64_t c = j; c < columns; ++c) to(r, c) = from(r, c);
    }
}

template <class T>
static inline void fill_matrix(Matrix<T> to, T value) {
  for (int64_t i = 0; i < to.rows; ++i)
    for (int64_t j = 0; j < to.columns; ++j) to(i, j) = value;
}

template <class T>
static inline void fill_identity(Matrix<T> to) {
  fill_matrix(to, T(0));
  for (int64_t i = 0; i < std::min(to.rows, to.columns); ++i) to(i, i) = T(1);
}

// NaN and infinities make some of LAPACK's iterations wander, so they are found beforehand.
// A finite number times 0 is 0.
template <class T>
static inline bool all_finite(const T* values, int64_t count) {
  const Real<T>* parts = reinterpret_cast<const Real<T>*>(values);
  Real<T> sum = 0;
  for (int64_t i = 0; i < count * (kIsComplex<T> ? 2 : 1); ++i) sum += parts[i] * 0;
  return sum == 0;
}

template <class T>
constexpr Real<T> kNaN = std::numeric_limits<Real<T>>::quiet_NaN();

static inline void set_info(const fb_array* info, int64_t i, Int value) {
  static_cast<int32_t*>(info->data)[i] = static_cast<int32_t>(value);
}

// All is well with matrices that have no elements.
static inline int succeed_on_nothing(const fb_array* info) {
  std::fill_n(static_cast<int32_t*>(info->data), info->numel, 0);
  return FB_OK;
}

// The optimal length of a work array, which LAPACK tells as the array's first element.
template <class T>
static inline Int work_length(T told) {
  return std::max<Int>(1, static_cast<Int>(std::real(told)));
}

// Whether the library may use all threads for one large matrix. They wait for each other at every
// step, which pays only where most of the work is a few large products; elsewhere it gains little,
// and on a busy machine loses two orders of magnitude.
enum class Team { kNever, kIfLarge };

// Runs make()(i) for every i < count, in parallel where there are many; `work` is a matrix's, in
// cheap operations. A worker, with its buffers, serves one thread; it may run out of memory.
template <class Make>
static inline int for_each_matrix(int64_t count, int64_t work, const Make& make,
                                  Team team = Team::kNever) {
  constexpr int64_t kCall = 256, kWorthThread = 1 << 16, kWorthTeam = int64_t{1} << 31;
  const int64_t grain = std::max<int64_t>(1, kWorthThread / (kCall + work));
  const bool by_library = team == Team::kIfLarge && count == 1 && work > kWorthTeam;
  const lapack::ThreadLimit limit(by_library ? usable_threads() : 1);
  std::atomic<bool> exhausted{false};
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    try {
      auto worker = make();
      for (int64_t i = begin; i < end; ++i) worker(i);
    } catch (const std::bad_alloc&) {
      exhausted = true;
    }
  });
  return exhausted ? fail(FB_OUT_OF_MEMORY, "no memory for the factors of a matrix") : FB_OK;
}

// One kernel for the four dtypes.
template <template <class> class Maker>
static constexpr Entries<4> single_double_complex(const char* id) {
  return single_double<Maker>(id) + complexes<Maker>(id);
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
