#include "backend.h"

#include <cstdlib>
#include <cstring>

#include "error.h"
#include "families.h"
#include "lapack_library.h"
#include "parallel.h"
#include "registry.h"

namespace flambeau_cpu {

#define DECLARE(family) KernelTable family##_kernels();
namespace baseline {
FLAMBEAU_ISA_FAMILIES(DECLARE)
FLAMBEAU_PLAIN_FAMILIES(DECLARE)
FLAMBEAU_LAPACK_FAMILIES(DECLARE)
}  // namespace baseline
#ifdef FLAMBEAU_X86
namespace avx2 {
FLAMBEAU_ISA_FAMILIES(DECLARE)
}
namespace avx512 {
FLAMBEAU_ISA_FAMILIES(DECLARE)
}
#endif
#undef DECLARE

namespace {

using TableFunction = KernelTable (*)();

struct InstructionSet {
  const char* name;
  const TableFunction* tables;
};

#define BASELINE(family) baseline::family##_kernels,
constexpr TableFunction baseline_tables[] = {FLAMBEAU_ISA_FAMILIES(BASELINE) nullptr};
constexpr TableFunction plain_tables[] = {FLAMBEAU_PLAIN_FAMILIES(BASELINE) nullptr};
constexpr TableFunction lapack_tables[] = {FLAMBEAU_LAPACK_FAMILIES(BASELINE) nullptr};
#undef BASELINE
#ifdef FLAMBEAU_X86
#define AVX2(family) avx2::family##_kernels,
constexpr TableFunction avx2_tables[] = {FLAMBEAU_ISA_FAMILIES(AVX2) nullptr};
#undef AVX2
#define AVX512(family) avx512::family##_kernels,
constexpr TableFunction avx512_tables[] = {FLAMBEAU_ISA_FAMILIES(AVX512) nullptr};
#undef AVX512
#endif

// The best set that the processor has, at most the one that FLAMBEAU_CPU_ISA names.
InstructionSet choose_instruction_set() {
#ifdef FLAMBEAU_X86
  __builtin_cpu_init();
  const char* wanted = std::getenv("FLAMBEAU_CPU_ISA");
  const bool any = !wanted || !*wanted;
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi2");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512cd") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx512 && (any || !std::strcmp(wanted, "avx512"))) return {"avx512", avx512_tables};
  if (has_avx2 && (any || std::strcmp(wanted, "baseline"))) return {"avx2", avx2_tables};
#endif
  return {"baseline", baseline_tables};
}

const InstructionSet& chosen() {
  static const InstructionSet set = choose_instruction_set();
  return set;
}

fb_kernel search(const TableFunction* tables, const char* id, int dtype) {
  for (; *tables; ++tables) {
    const KernelTable table = (*tables)();
    for (int i = 0; i < table.count; ++i) {
      const KernelEntry& entry = table.entries[i];
      if ((entry.dtypes >> dtype & 1u) && !std::strcmp(entry.id, id)) return entry.fn;
    }
  }
  return nullptr;
}

fb_kernel find_kernel(void*, const char* id, int dtype) {
  if (dtype < 0 || dtype >= FB_DTYPE_COUNT) return nullptr;
  if (fb_kernel kernel = search(chosen().tables, id, dtype)) return kernel;
  if (fb_kernel kernel = search(plain_tables, id, dtype)) return kernel;
  // The library is loaded when a kernel that needs it is asked for, never before.
  fb_kernel kernel = search(lapack_tables, id, dtype);
  return kernel && lapack::available() ? kernel : nullptr;
}

fb_backend make_backend() {
  fb_backend table = {};
  table.api_version = FB_API_VERSION;
  table.struct_size = sizeof(fb_backend);
  table.name = "cpu";
  table.device_count = [](void*) { return 1; };
  // allocate, release and copy stay NULL: core's own host memory is used.
  table.synchronize = [](void*, int) -> int { return FB_OK; };
  table.find_kernel = find_kernel;
  table.last_error = [](void*) { return last_error(); };
  table.get_num_threads = [](void*) { return get_num_threads(); };
  table.set_num_threads = [](void*, int n) { set_num_threads(n); };
  table.release_lock_above = 32768;
  return table;
}

}  // namespace

const fb_backend* backend() {
  static const fb_backend table = make_backend();
  return &table;
}

const char* instruction_set() { return chosen().name; }

}  // namespace flambeau_cpu
