// What the plugin takes from oneDNN, where the wheel carries it: products of float matrices
// (convolutions are in onednn_convolution.h).
#pragma once

#include <cstdint>

namespace flambeau_cpu::onednn {

// Whether there is a oneDNN to be used; the first call loads it.
bool available();

// C[m, n] = op(A) op(B) + beta C, all row-major, on at most `threads` threads. False: nothing
// was done.
bool sgemm(int threads, bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
           const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c,
           int64_t ldc);

}  // namespace flambeau_cpu::onednn
