#include "onednn.h"

#ifdef FLAMBEAU_CPU_WITH_ONEDNN

#include "onednn_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace flambeau_cpu::onednn {
namespace {

bool switched_off() {
  const char* value = std::getenv("FLAMBEAU_CPU_ONEDNN");
  return value && std::strcmp(value, "0") == 0;
}

// The library lies beside this extension, in lib/.
std::string library_path() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&switched_off), &info) || !info.dli_fname) return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string::npos ? 0 : slash + 1) + "lib/libdnnl.so.3";
}

bool load(Library* table) {
  if (switched_off()) return false;
  void* handle = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  bool complete = true;
#define FLAMBEAU_ONEDNN_RESOLVE(name)                                                  \
  table->name = reinterpret_cast<decltype(table->name)>(dlsym(handle, "dnnl_" #name)); \
  complete = complete && table->name;
  FLAMBEAU_ONEDNN_FUNCTIONS(FLAMBEAU_ONEDNN_RESOLVE)
#undef FLAMBEAU_ONEDNN_RESOLVE
  return complete;
}

}  // namespace

const Library* library() {
  static Library table;
  static const bool loaded = load(&table);
  return loaded ? &table : nullptr;
}

// The library asks OpenMP how many threads the calling one may use.
void use_threads(int n) {
#ifdef _OPENMP
  omp_set_num_threads(n);
#else
  (void)n;
#endif
}

bool available() { return library() != nullptr; }

bool sgemm(int threads, bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
           const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* c,
           int64_t ldc) {
  const Library* dnnl = library();
  if (!dnnl) return false;
  use_threads(threads);
  return dnnl->sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0f, a, lda, b,
                     ldb, beta, c, ldc) == dnnl_success;
}

}  // namespace flambeau_cpu::onednn

#else

namespace flambeau_cpu::onednn {

bool available() { return false; }

bool sgemm(int, bool, bool, int64_t, int64_t, int64_t, const float*, int64_t, const float*, int64_t,
           float, float*, int64_t) {
  return false;
}

}  // namespace flambeau_cpu::onednn

#endif
