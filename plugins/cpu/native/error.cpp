#include "error.h"

#include <cstdarg>
#include <cstdio>

namespace flambeau_cpu {

static thread_local char message[512] = "";

int fail(fb_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return status;
}

const char* last_error() { return message; }

}  // namespace flambeau_cpu
