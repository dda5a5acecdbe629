// Binary ops by their rows, for callers that cannot look a name up each time.
#pragma once

#include "ops/api.h"

namespace flambeau {

struct BinaryRow;

// Lives as long as the process; nullptr where no row has that name.
const BinaryRow* binary_row(const char* name);
Ref binary(const BinaryRow& row, const Operand& a, const Operand& b);

}  // namespace flambeau
