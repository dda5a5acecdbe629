// Random numbers from Philox blocks: element e is a function of the seed, the offset and e.
#include "entries.h"
#include "parallel.h"
#include "philox.h"
#include "row_major.h"
#include "vector_math.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

// Elements made at once: whole groups of 16 blocks of 4 or of 2 elements.
constexpr int64_t kChunk = 1024;
constexpr int64_t kMaxWords = 2 * kChunk;

template <class T, class V>
void write_range(const fb_array* out, int64_t begin, int64_t n, const V* values) {
  for_range(out, begin, n, [&](int64_t offset, int64_t stride, int64_t position, int64_t run) {
    for (int64_t i = 0; i < run; ++i)
      write_value<T>(out->data, out->dtype, offset + i * stride, values[position + i]);
  });
}

// Fills `out` by make(chunk's words, values), with kWords words an element (1 or 2).
template <class T, class V, int kWords, class Make>
int generate(const fb_array* out, const fb_param* seed_and_offset, const Make& make) {
  const uint64_t seed = static_cast<uint64_t>(seed_and_offset[0].i);
  const uint64_t offset = static_cast<uint64_t>(seed_and_offset[1].i);
  const int64_t numel = out->numel;
  const int64_t chunks = (numel + kChunk - 1) / kChunk;
  parallel_for(chunks, 4, [&](int64_t begin, int64_t end) {
    alignas(64) uint32_t words[kMaxWords];
    alignas(64) V values[kChunk];
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t first = chunk * kChunk;
      const int64_t n = numel - first < kChunk ? numel - first : kChunk;
      constexpr int64_t kPerBlock = 4 / kWords;
      philox_words(seed, offset + static_cast<uint64_t>(first / kPerBlock),
                   (n + kPerBlock - 1) / kPerBlock, words);
      make(words, values, n);
      write_range<T>(out, first, n, values);
    }
  });
  return FB_OK;
}

int64_t wide(const uint32_t* words) {
  const uint64_t both = words[0] | static_cast<uint64_t>(words[1]) << 32;
  return static_cast<int64_t>(both & 0x7FFFFFFFFFFFFFFFu);
}

struct RandomBits {
  static int run(void*, int, fb_array* const* out, int, const fb_array* const*,
                 const fb_param* params) {
    return generate<int64_t, int64_t, 2>(out[0], params,
                                         [](const uint32_t* words, int64_t* values, int64_t n) {
                                           for (int64_t i = 0; i < n; ++i)
                                             values[i] = wide(words + 2 * i);
                                         });
  }
};

template <class T>
struct Uniform {
  static int run(void*, int, fb_array* const* out, int, const fb_array* const*,
                 const fb_param* params) {
    const double low = params[0].f, range = params[1].f - params[0].f;
    if constexpr (sizeof(T) == 8) {
      return generate<double, double, 2>(
          out[0], params + 2, [=](const uint32_t* words, double* values, int64_t n) {
            for (int64_t i = 0; i < n; ++i)
              values[i] = low + static_cast<double>(wide(words + 2 * i) >> 10) * 0x1p-53 * range;
          });
    } else {
      // As many bits as the dtype's significand holds.
      const int bits = !kIsHalf<T> ? 24 : out[0]->dtype == FB_FLOAT16 ? 11 : 8;
      const int shift = 32 - bits;
      const double unit = 1.0 / static_cast<double>(1 << bits);
      return generate<T, float, 1>(
          out[0], params + 2, [=](const uint32_t* words, float* values, int64_t n) {
            for (int64_t i = 0; i < n; ++i) {
              const double u = static_cast<double>(static_cast<int32_t>(words[i] >> shift)) * unit;
              values[i] = static_cast<float>(low + u * range);
            }
          });
    }
  }
};

// Box and Muller: radius sqrt(-2 log u), angle 2 pi v, u in (0, 1], v in [0, 1).
void box_muller(vd u, vd v, double mean, double std, vd& first, vd& second) {
  vd radius = vlog(u) * -2.0;
  for (int i = 0; i < kLanes<vd>; ++i) radius[i] = __builtin_sqrt(radius[i]);
  const Quadrant part = quadrant(v * 6.28318530717958647693);
  first = radius * sin_quadrant<vd>(part.r, part.q + 1) * std + mean;
  second = radius * sin_quadrant<vd>(part.r, part.q) * std + mean;
}

// n values (rounded up to whole groups of lanes) from pairs of uniform numbers.
template <class V, class Pair>
void normals(V* values, int64_t n, double mean, double std, const Pair& pair) {
  constexpr int W = kLanes<vd>;
  for (int64_t i = 0; i < n; i += 2 * W) {
    double u[W], v[W];
    for (int l = 0; l < W; ++l) pair(i / 2 + l, u[l], v[l]);
    vd first, second;
    box_muller(load(u), load(v), mean, std, first, second);
    for (int l = 0; l < W; ++l) {
      values[i + 2 * l] = static_cast<V>(first[l]);
      values[i + 2 * l + 1] = static_cast<V>(second[l]);
    }
  }
}

template <class T>
struct Normal {
  static int run(void*, int, fb_array* const* out, int, const fb_array* const*,
                 const fb_param* params) {
    const double mean = params[0].f, std = params[1].f;
    if constexpr (sizeof(T) == 8) {
      return generate<double, double, 2>(
          out[0], params + 2, [=](const uint32_t* words, double* values, int64_t n) {
            normals(values, n, mean, std, [=](int64_t j, double& u, double& v) {
              u = static_cast<double>((wide(words + 4 * j) >> 10) + 1) * 0x1p-53;
              v = static_cast<double>(wide(words + 4 * j + 2) >> 10) * 0x1p-53;
            });
          });
    } else {
      return generate<T, float, 1>(
          out[0], params + 2, [=](const uint32_t* words, float* values, int64_t n) {
            normals(values, n, mean, std, [=](int64_t j, double& u, double& v) {
              u = (static_cast<double>(words[2 * j]) + 1) * 0x1p-32;
              v = static_cast<double>(words[2 * j + 1]) * 0x1p-32;
            });
          });
    }
  }
};

constexpr auto entries = Entries<1>{{{"random_bits", bit(FB_INT64), RandomBits::run}}} +
                         floats<Uniform>("uniform") + floats<Normal>("normal");

}  // namespace

KernelTable random_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
