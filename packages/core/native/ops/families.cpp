#include "ops/families.h"

namespace flambeau {

void declare_activation();
void declare_arg_reduce();
void declare_binary();
void declare_construct();
void declare_convolution();
void declare_copy();
void declare_dlpack();
void declare_dropout();
void declare_embedding();
void declare_factory();
void declare_gather();
void declare_index();
void declare_join();
void declare_loss();
void declare_matmul();
void declare_norm();
void declare_optimizer();
void declare_pool();
void declare_random();
void declare_reduce();
void declare_scan();
void declare_softmax();
void declare_sort();
void declare_special();
void declare_ternary();
void declare_unary();
void declare_view();

void declare_families() {
  declare_unary();
  declare_binary();
  declare_ternary();
  declare_copy();
  declare_factory();
  declare_construct();
  declare_dlpack();
  declare_random();
  declare_view();
  declare_join();
  declare_index();
  declare_gather();
  declare_reduce();
  declare_arg_reduce();
  declare_scan();
  declare_sort();
  declare_special();
  declare_matmul();
  declare_activation();
  declare_softmax();
  declare_convolution();
  declare_pool();
  declare_norm();
  declare_dropout();
  declare_embedding();
  declare_loss();
  declare_optimizer();
}

}  // namespace flambeau
