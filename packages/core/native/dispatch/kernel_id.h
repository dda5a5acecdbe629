// Positions in the kernel list, looked up at compile time:
//   constexpr int add = kernel_id("add");
#pragma once

#include <flambeau/kernels.h>

#include <string_view>

namespace flambeau {

constexpr int kernel_count = int(sizeof(fb_kernel_rows) / sizeof(fb_kernel_rows[0]));

// -1 where there is no such id (used at run time by name look-ups).
constexpr int find_kernel_id(std::string_view id) {
  for (int i = 0; i < kernel_count; i++)
    if (id == fb_kernel_rows[i].id) return i;
  return -1;
}

consteval int kernel_id(std::string_view id) {
  int i = find_kernel_id(id);
  return i >= 0 ? i : throw "no such kernel in flambeau/kernels.h";
}

}  // namespace flambeau
