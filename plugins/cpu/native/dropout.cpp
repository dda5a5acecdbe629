// Dropout: zeroes elements by the float32 uniform stream, scales the others up, and keeps the
// mask.
#include "entries.h"
#include "parallel.h"
#include "philox.h"
#include "row_major.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kChunk = 1024;

template <class T>
struct Dropout {
  static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
    using C = Compute<T>;
    const double p = params[0].f;
    const uint64_t seed = static_cast<uint64_t>(params[1].i);
    const uint64_t offset = static_cast<uint64_t>(params[2].i);
    // u >= p for u a multiple of 2^-24 is u 2^24 >= p 2^24 rounded up.
    const double scaled = p * 0x1p24;
    const int32_t whole = static_cast<int32_t>(scaled);
    const int32_t threshold = whole + (static_cast<double>(whole) < scaled);
    const C scale = p < 1 ? static_cast<C>(1 / (1 - p)) : C(0);
    const fb_array *y = out[0], *mask = out[1], *x = in[0];
    const int64_t numel = x->numel, chunks = (numel + kChunk - 1) / kChunk;
    parallel_for(chunks, 8, [&](int64_t begin, int64_t end) {
      alignas(64) uint32_t words[kChunk];
      alignas(64) C values[kChunk];
      alignas(64) bool kept[kChunk];
      for (int64_t chunk = begin; chunk < end; ++chunk) {
        const int64_t first = chunk * kChunk;
        const int64_t n = numel - first < kChunk ? numel - first : kChunk;
        philox_words(seed, offset + static_cast<uint64_t>(first / 4), (n + 3) / 4, words);
        for (int64_t i = 0; i < n; ++i) kept[i] = static_cast<int32_t>(words[i] >> 8) >= threshold;
        for_range(x, first, n, [&](int64_t at, int64_t stride, int64_t position, int64_t run) {
          C buffer[kChunk];
          const C* source = read_run<T>(x->data, x->dtype, at, stride, run, buffer);
          // A product, so that NaN and infinity are not hidden.
          for (int64_t i = 0; i < run; ++i)
            values[position + i] = source[i] * (kept[position + i] ? scale : C(0));
        });
        for_range(y, first, n, [&](int64_t at, int64_t stride, int64_t position, int64_t run) {
          for (int64_t i = 0; i < run; ++i)
            write_value<T>(y->data, y->dtype, at + i * stride, values[position + i]);
        });
        for_range(mask, first, n, [&](int64_t at, int64_t stride, int64_t position, int64_t run) {
          bool* m = static_cast<bool*>(mask->data) + at;
          for (int64_t i = 0; i < run; ++i) m[i * stride] = kept[position + i];
        });
      }
    });
    return FB_OK;
  }
};

constexpr auto entries = floats<Dropout>("dropout");

}  // namespace

KernelTable dropout_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
