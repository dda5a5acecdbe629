// The calling thread's last error message, which core asks for after a kernel fails.
#pragma once

#include "flambeau/backend.h"

namespace flambeau_cpu {

// Keeps the formatted message and returns `status`, so that a kernel can write
// `return fail(FB_INDEX_ERROR, "index %lld is out of bounds", i)`.
__attribute__((format(printf, 2, 3))) int fail(fb_status status, const char* format, ...);

const char* last_error();

}  // namespace flambeau_cpu
