// Rows of elementwise ops of two operands, and what runs them.
#pragma once

#include "ops/api.h"
#include "ops/op.h"

namespace flambeau {

enum class BinaryType { Arithmetic, Floating, Bits, Comparison };

// A gradient of one operand, from the result's gradient and what was saved.
struct Given {
  const Ref& g;
  Operand a, b;  // present where the row saves them
  const Ref& y;
};
using Gradient = Ref (*)(const Given& v);

struct BinaryRow {
  const char* name;  // the op's, and the kernel's
  BinaryType type;
  const char* node;
  bool save_a, save_b, save_y;
  Gradient grad_a, grad_b;
  int kernel = 0;
};

// Lives as long as the process; nullptr where no row has that name.
const BinaryRow* binary_row(const char* name);
Ref binary(const BinaryRow& row, const Operand& a, const Operand& b);
// The implementation of an op whose row is a BinaryRow; one operand has to be a tensor.
PyObject* run_binary(Args& a);

}  // namespace flambeau
