// Running sums, products and extremes along a dimension.
#include <type_traits>

#include "entries.h"
#include "parallel.h"
#include "stage.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kColumns = 256;
constexpr int64_t kPieceWork = 16384;

// The kept dimensions (operands: input, values, indices or nothing) and the scanned one.
struct Problem {
  const fb_array* in;
  const fb_array* values;
  const fb_array* indices;  // or NULL
  StridedLoop<3> kept;
  int64_t kept_count = 1;
  int64_t size;
  int64_t stride[3];
  bool columns;  // the kept dimensions' innermost is contiguous and the scanned one is not
};

void make_problem(Problem& p, const fb_array* values, const fb_array* indices, const fb_array* in,
                  int64_t dim) {
  const fb_array* arrays[3] = {in, values, indices};
  p.in = in;
  p.values = values;
  p.indices = indices;
  if (dim < 0) dim += in->ndim;
  p.size = in->ndim ? in->shape[dim] : 1;
  for (int k = 0; k < 3; ++k) p.stride[k] = arrays[k] && in->ndim ? arrays[k]->strides[dim] : 0;
  for (int d = 0; d < in->ndim; ++d) {
    if (d == dim || in->shape[d] == 1) continue;
    p.kept.push(in->shape[d],
                {in->strides[d], values->strides[d], indices ? indices->strides[d] : 0});
    p.kept_count *= in->shape[d];
  }
  p.kept.order();
  p.kept.collapse();
  const int last = p.kept.ndim - 1;
  p.columns =
      p.stride[0] != 1 && last >= 0 && p.kept.strides[0][last] == 1 && p.kept.shape[last] >= 8;
}

// Calls each(offsets of the three operands, columns) for every run of up to kColumns
// neighbours of the kept dimensions; one at a time where they are not contiguous.
template <class F>
void for_kept(const Problem& p, const F& each) {
  const int last = p.kept.ndim - 1;
  const int64_t columns = p.columns ? p.kept.shape[last] : 1;
  const int64_t blocks = (columns + kColumns - 1) / kColumns;
  const int64_t width = columns < kColumns ? columns : kColumns;
  const int64_t units = p.kept_count / columns * blocks;
  parallel_for(units, kPieceWork / (p.size * width * 2) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % blocks * kColumns;
      const int64_t n = columns - first < kColumns ? columns - first : kColumns;
      const Cursor<3> cursor(p.kept, p.columns ? 1 : 0, unit / blocks);
      int64_t offset[3];
      for (int k = 0; k < 3; ++k)
        offset[k] = cursor.offset[k] + (p.columns ? first * p.kept.strides[k][last] : 0);
      each(offset, n);
    }
  });
}

// -- sums and products --------------------------------------------------------------------------

template <class C>
using Accumulator = std::conditional_t<std::is_floating_point_v<C>, double, uint64_t>;

template <class T, bool kProduct>
void accumulate_row(const Problem& p, const int64_t* offset) {
  using C = Compute<T>;
  using A = Accumulator<C>;
  C buffer[kBlock];
  A total = kProduct ? 1 : 0;
  for (int64_t begin = 0; begin < p.size; begin += kBlock) {
    const int64_t n = p.size - begin < kBlock ? p.size - begin : kBlock;
    const C* x = read_run<T>(p.in->data, p.in->dtype, offset[0] + begin * p.stride[0], p.stride[0],
                             n, buffer);
    const int64_t out = offset[1] + begin * p.stride[1];
    for (int64_t i = 0; i < n; ++i) {
      total = kProduct ? total * static_cast<A>(x[i]) : total + static_cast<A>(x[i]);
      write_value<T>(p.values->data, p.values->dtype, out + i * p.stride[1], total);
    }
  }
}

template <class T, bool kProduct>
void accumulate_columns(const Problem& p, const int64_t* offset, int64_t n) {
  using C = Compute<T>;
  using A = Accumulator<C>;
  const int64_t out_step = p.kept.strides[1][p.kept.ndim - 1];
  C buffer[kColumns];
  A total[kColumns];
  for (int64_t c = 0; c < n; ++c) total[c] = kProduct ? 1 : 0;
  for (int64_t r = 0; r < p.size; ++r) {
    const C* x = read_run<T>(p.in->data, p.in->dtype, offset[0] + r * p.stride[0], 1, n, buffer);
    for (int64_t c = 0; c < n; ++c)
      total[c] = kProduct ? total[c] * static_cast<A>(x[c]) : total[c] + static_cast<A>(x[c]);
    const int64_t out = offset[1] + r * p.stride[1];
    if (out_step == 1) {
      for (int64_t c = 0; c < n; ++c)
        write_value<T>(p.values->data, p.values->dtype, out + c, total[c]);
    } else {
      for (int64_t c = 0; c < n; ++c)
        write_value<T>(p.values->data, p.values->dtype, out + c * out_step, total[c]);
    }
  }
}

template <bool kProduct>
struct Accumulate {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      if (in[0]->numel == 0) return FB_OK;
      Problem p;
      make_problem(p, out[0], nullptr, in[0], params[0].i);
      for_kept(p, [&](const int64_t* offset, int64_t n) {
        if (p.columns)
          accumulate_columns<T, kProduct>(p, offset, n);
        else
          accumulate_row<T, kProduct>(p, offset);
      });
      return FB_OK;
    }
  };
};

// -- extremes: the last of equals; a NaN stays -----------------------------------------------

template <class T, bool kLargest>
void extreme_run(const Problem& p, const int64_t* offset, int64_t n) {
  using C = Compute<T>;
  int64_t step[3] = {};
  for (int k = 0; k < 3 && p.columns; ++k) step[k] = p.kept.strides[k][p.kept.ndim - 1];
  C buffer[kColumns], best[kColumns];
  int64_t index[kColumns];
  int64_t* indices = static_cast<int64_t*>(p.indices->data);
  for (int64_t r = 0; r < p.size; ++r) {
    const C* x = read_run<T>(p.in->data, p.in->dtype, offset[0] + r * p.stride[0], 1, n, buffer);
    for (int64_t c = 0; c < n; ++c) {
      const bool better = r == 0 || (kLargest ? x[c] >= best[c] : x[c] <= best[c]);
      const bool take = better | (x[c] != x[c]);
      best[c] = take ? x[c] : best[c];
      index[c] = take ? r : index[c];
    }
    for (int64_t c = 0; c < n; ++c)
      write_value<T>(p.values->data, p.values->dtype, offset[1] + r * p.stride[1] + c * step[1],
                     best[c]);
    for (int64_t c = 0; c < n; ++c) indices[offset[2] + r * p.stride[2] + c * step[2]] = index[c];
  }
}

template <bool kLargest>
struct RunningExtreme {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      if (in[0]->numel == 0) return FB_OK;
      Problem p;
      make_problem(p, out[0], out[1], in[0], params[0].i);
      for_kept(p,
               [&](const int64_t* offset, int64_t n) { extreme_run<T, kLargest>(p, offset, n); });
      return FB_OK;
    }
  };
};

template <bool kLargest>
constexpr auto extremes(const char* id) {
  return floats<RunningExtreme<kLargest>::template Of>(id) +
         integers<RunningExtreme<kLargest>::template Of>(id) +
         boolean<RunningExtreme<kLargest>::template Of>(id);
}

constexpr auto entries =
    floats<Accumulate<false>::Of>("cumsum") + unsigned_integers<Accumulate<false>::Of>("cumsum") +
    floats<Accumulate<true>::Of>("cumprod") + unsigned_integers<Accumulate<true>::Of>("cumprod") +
    extremes<true>("cummax") + extremes<false>("cummin");

}  // namespace

KernelTable scan_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
