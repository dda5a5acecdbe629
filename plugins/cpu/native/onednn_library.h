// oneDNN's C functions, resolved from the copy in the wheel when first wanted.
#pragma once

#include <oneapi/dnnl/dnnl.h>

namespace flambeau_cpu::onednn {

// One member for each function in use, named as the function without its prefix.
struct Library {
#define FLAMBEAU_ONEDNN_FUNCTIONS(X)                 \
  X(sgemm)                                           \
  X(engine_create)                                   \
  X(stream_create)                                   \
  X(memory_desc_create_with_tag)                     \
  X(memory_desc_equal)                               \
  X(memory_desc_get_size)                            \
  X(memory_desc_destroy)                             \
  X(memory_create)                                   \
  X(memory_set_data_handle)                          \
  X(memory_destroy)                                  \
  X(primitive_attr_create)                           \
  X(primitive_attr_set_scratchpad_mode)              \
  X(primitive_desc_query_md)                         \
  X(primitive_desc_destroy)                          \
  X(primitive_create)                                \
  X(primitive_execute)                               \
  X(primitive_destroy)                               \
  X(reorder_primitive_desc_create)                   \
  X(convolution_forward_primitive_desc_create)       \
  X(convolution_backward_data_primitive_desc_create) \
  X(convolution_backward_weights_primitive_desc_create)
#define FLAMBEAU_ONEDNN_MEMBER(name) decltype(&::dnnl_##name) name;
  FLAMBEAU_ONEDNN_FUNCTIONS(FLAMBEAU_ONEDNN_MEMBER)
#undef FLAMBEAU_ONEDNN_MEMBER
};

// Loads the library at the first call; nullptr where it is absent or FLAMBEAU_CPU_ONEDNN=0.
const Library* library();

// Bounds the threads of the calls that follow on this thread.
void use_threads(int n);

}  // namespace flambeau_cpu::onednn
