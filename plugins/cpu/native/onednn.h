// oneDNN, where the wheel carries it: its C functions, resolved when first wanted.
#pragma once

#include <cstdint>

#ifdef FLAMBEAU_CPU_WITH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace flambeau::cpu::onednn {

#ifdef FLAMBEAU_CPU_WITH_ONEDNN

// One member for each C function in use, named as the function without its prefix.
struct Library {
#define FLAMBEAU_ONEDNN_FUNCTIONS(X)         \
  X(sgemm)                                   \
  X(engine_create)                           \
  X(stream_create)                           \
  X(memory_desc_create_with_tag)             \
  X(memory_desc_equal)                       \
  X(memory_desc_get_size)                    \
  X(memory_desc_destroy)                     \
  X(memory_create)                           \
  X(memory_set_data_handle)                  \
  X(memory_destroy)                          \
  X(primitive_attr_create)                   \
  X(primitive_attr_set_scratchpad_mode)      \
  X(primitive_desc_query_md)                 \
  X(primitive_desc_destroy)                  \
  X(primitive_create)                        \
  X(primitive_execute)                       \
  X(primitive_destroy)                       \
  X(reorder_primitive_desc_create)           \
  X(convolution_forward_primitive_desc_create)       \
  X(convolution_backward_data_primitive_desc_create) \
  X(convolution_backward_weights_primitive_desc_create)
#define FLAMBEAU_ONEDNN_MEMBER(name) decltype(&::dnnl_##name) name;
  FLAMBEAU_ONEDNN_FUNCTIONS(FLAMBEAU_ONEDNN_MEMBER)
#undef FLAMBEAU_ONEDNN_MEMBER
};

// Loads the library at the first call; nullptr where it is absent or FLAMBEAU_CPU_ONEDNN=0.
const Library* library();

#endif

// C[m, n] = op(A) op(B) + beta C, all row-major. False: no oneDNN, nothing was done.
bool sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k, const float* a,
           int64_t lda, const float* b, int64_t ldb, float beta, float* c, int64_t ldc);

// Whether sgemm() and the convolutions will work.
bool available();

}  // namespace flambeau::cpu::onednn
