// The plugin's backend table.
#pragma once

#include "flambeau/backend.h"

namespace flambeau_cpu {

const fb_backend* backend();

// The instruction set whose kernels were chosen: "baseline", "avx2" or "avx512".
const char* instruction_set();

}  // namespace flambeau_cpu
