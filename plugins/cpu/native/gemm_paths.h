// The single-thread ways to compute one product; gemm.cpp chooses between them.
#pragma once

#include "gemm.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// A is read where it lies, B too unless it is transposed: for what stays in the first caches.
template <typename T>
void gemm_small(const Product<T>& x);

// Both operands are packed block by block.
template <typename T>
void gemm_packed(const Product<T>& x);

// n == 1.
template <typename T>
void matrix_vector(const Product<T>& x);

}  // namespace flambeau_cpu::FLAMBEAU_ISA
