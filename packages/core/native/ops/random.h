// What other ops need of the random stream.
#pragma once

#include <cstdint>

namespace flambeau {

// A part of the default generator's stream, as kernels take it.
struct Reserved {
  int64_t seed, offset;
};
// For n float32 numbers.
Reserved reserve_uniform(int64_t n);

}  // namespace flambeau
