// Rows of elementwise ops of one tensor, and what runs them.
#pragma once

#include "ops/api.h"
#include "ops/op.h"

namespace flambeau {

enum class UnaryType { Same, Floating };
enum class Keep { Nothing, Input, Output };

struct UnaryRow {
  const char* name;  // the op's, and the kernel's
  UnaryType type;
  Keep keep;
  const char* node;
  Ref (*gradient)(const Ref& g, const Ref& saved);  // saved: the input or the output
  const char* alias = nullptr;
  int kernel = 0;
};

Ref unary(const UnaryRow& row, Tensor* x, Tensor* destination = nullptr);
// The implementation of an op whose row is a UnaryRow.
PyObject* run_unary(Args& a);

}  // namespace flambeau
