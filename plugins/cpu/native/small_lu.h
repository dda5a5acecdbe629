// LU factors of matrices so small that LAPACK's call costs more than the work.
#pragma once

#include <utility>

#include "matrix_batch.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

constexpr int64_t kSmallMatrix = 8;

template <class T>
static inline T times(T a, T b) {
  if constexpr (kIsComplex<T>)
    return product(a, b);
  else
    return a * b;
}

template <class T>
static inline T over(T a, T b) {
  if constexpr (kIsComplex<T>)
    return quotient(a, b);
  else
    return a / b;
}

// LAPACK's cheap magnitude, which the choice of pivots follows.
template <class T>
static inline Real<T> magnitude(T x) {
  return std::abs(std::real(x)) + std::abs(std::imag(x));
}

template <class T>
static inline Int largest_below(Matrix<T> a, Int k) {
  Int best = k;
  for (Int i = k + 1; i < a.rows; ++i)
    if (magnitude(a(i, k)) > magnitude(a(best, k))) best = i;
  return best;
}

// In place; pivots and what is returned as LAPACK's getrf has them.
template <class T>
static inline Int factor_small(Matrix<T> a, Int* pivots) {
  Int info = 0;
  for (Int k = 0; k < std::min(a.rows, a.columns); ++k) {
    const Int best = largest_below(a, k);
    pivots[k] = best + 1;
    if (a(best, k) == T(0)) {
      if (!info) info = k + 1;
      continue;
    }
    if (best != k)
      for (Int j = 0; j < a.columns; ++j) std::swap(a(k, j), a(best, j));
    for (Int i = k + 1; i < a.rows; ++i) a(i, k) = over(a(i, k), a(k, k));
    for (Int j = k + 1; j < a.columns; ++j)
      for (Int i = k + 1; i < a.rows; ++i) a(i, j) -= times(a(i, k), a(k, j));
  }
  return info;
}

// In place on the right sides, given the factors of a square matrix.
template <class T>
static inline void solve_small(Matrix<T> lu, const Int* pivots, Matrix<T> x) {
  for (Int j = 0; j < x.columns; ++j) {
    for (Int k = 0; k < lu.rows; ++k)
      if (pivots[k] != k + 1) std::swap(x(k, j), x(pivots[k] - 1, j));
    for (Int k = 0; k < lu.rows; ++k)
      for (Int i = k + 1; i < lu.rows; ++i) x(i, j) -= times(lu(i, k), x(k, j));
    for (Int k = lu.rows - 1; k >= 0; --k) {
      x(k, j) = over(x(k, j), lu(k, k));
      for (Int i = 0; i < k; ++i) x(i, j) -= times(lu(i, k), x(k, j));
    }
  }
}

}  // namespace flambeau_cpu::FLAMBEAU_ISA
