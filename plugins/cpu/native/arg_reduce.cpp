// The extreme value along a dimension and where it first stands. A NaN wins.
#include <type_traits>

#include "entries.h"
#include "extremes.h"
#include "parallel.h"
#include "stage.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kBlock = 2048;
constexpr int64_t kColumns = 256;
constexpr int64_t kPieceWork = 16384;

// Whether x replaces `best` when it comes later.
template <bool kLargest, class C>
bool wins(C x, C best) {
  const bool better = kLargest ? x > best : x < best;
  return better | ((x != x) & (best == best));
}

template <class C>
struct Best {
  C value = C();
  int64_t index = -1;
};

template <bool kLargest, class C>
void merge(Best<C>& best, C value, int64_t index) {
  if (best.index < 0 || wins<kLargest>(value, best.value)) best = {value, index};
}

// The first place of a value, or of a NaN, that is known to be there. Groups of elements are
// tested together, so that the compiler can use vectors.
template <class C>
int64_t find(const C* x, int64_t n, C value) {
  constexpr int64_t kGroup = 32;
  int64_t k = 0;
  for (; k + kGroup <= n; k += kGroup) {
    int hits = 0;
    for (int64_t l = 0; l < kGroup; ++l) hits |= x[k + l] == value;
    if (hits) break;
  }
  while (k + 1 < n && x[k] != value) ++k;
  return k;
}

template <class C>
int64_t find_nan(const C* x, int64_t n) {
  int64_t k = 0;
  while (k + 1 < n && x[k] == x[k]) ++k;
  return k;
}

// The extreme of a block in vectors first; the place is looked up only where the block
// improves on what was found before.
template <bool kLargest, class C>
void scan_block(Best<C>& best, const C* x, int64_t n, int64_t first) {
  const C extreme = extreme_of_block<kLargest>(x, n);
  if (best.index >= 0 && !wins<kLargest>(extreme, best.value)) return;
  const int64_t k = extreme == extreme ? find(x, n, extreme) : find_nan(x, n);
  best = {x[k], first + k};
}

// Operands of the kept dimensions: input, indices, values (absent for arg kernels).
struct Problem {
  const fb_array* in;
  const fb_array* values;  // or NULL
  const fb_array* indices;
  StridedLoop<3> kept;
  int64_t kept_count = 1;
  int64_t size, stride;  // of the reduced dimension
};

template <class T, class C>
void write_best(const Problem& p, const int64_t (&offset)[3], C value, int64_t index) {
  static_cast<int64_t*>(p.indices->data)[offset[1]] = index;
  if (p.values) write_value<T>(p.values->data, p.values->dtype, offset[2], value);
}

template <class T, bool kLargest>
void scan_range(const Problem& p, Best<Compute<T>>& best, int64_t offset, int64_t begin,
                int64_t end) {
  Compute<T> buffer[kBlock];
  for (int64_t i = begin; i < end; i += kBlock) {
    const int64_t n = end - i < kBlock ? end - i : kBlock;
    scan_block<kLargest>(
        best, read_run<T>(p.in->data, p.in->dtype, offset + i * p.stride, p.stride, n, buffer), n,
        i);
  }
}

template <class T, bool kLargest>
void arg_rows(const Problem& p) {
  using C = Compute<T>;
  constexpr int64_t kMaxPieces = 64;
  if (p.size >= 4 * kPieceWork && p.kept_count < 16) {
    const int64_t wanted = p.size / kPieceWork;
    const int64_t pieces = wanted < kMaxPieces ? wanted : kMaxPieces;
    const int64_t length = (p.size + pieces - 1) / pieces;
    Cursor<3> cursor(p.kept, 0, 0);
    for (int64_t k = 0; k < p.kept_count; ++k, cursor.next()) {
      Best<C> parts[kMaxPieces];
      parallel_for(pieces, kPieceWork / length + 1, [&](int64_t begin, int64_t end) {
        for (int64_t piece = begin; piece < end; ++piece) {
          const int64_t first = piece * length;
          const int64_t last = first + length < p.size ? first + length : p.size;
          if (first < last) scan_range<T, kLargest>(p, parts[piece], cursor.offset[0], first, last);
        }
      });
      for (int64_t piece = 1; piece < pieces; ++piece)
        if (parts[piece].index >= 0)
          merge<kLargest>(parts[0], parts[piece].value, parts[piece].index);
      write_best<T>(p, cursor.offset, parts[0].value, parts[0].index);
    }
    return;
  }
  parallel_for(p.kept_count, kPieceWork / (p.size + 8) + 1, [&](int64_t begin, int64_t end) {
    Cursor<3> cursor(p.kept, 0, begin);
    for (int64_t k = begin; k < end; ++k, cursor.next()) {
      Best<C> best;
      scan_range<T, kLargest>(p, best, cursor.offset[0], 0, p.size);
      write_best<T>(p, cursor.offset, best.value, best.index);
    }
  });
}

// The kept dimensions' innermost is contiguous: rows are compared with a row of the best.
template <class T, bool kLargest>
void arg_columns(const Problem& p) {
  using C = Compute<T>;
  using Index = std::conditional_t<sizeof(C) == 8, int64_t, int32_t>;
  const int last = p.kept.ndim - 1;
  const int64_t columns = p.kept.shape[last];
  const int64_t blocks = (columns + kColumns - 1) / kColumns;
  const int64_t units = p.kept_count / columns * blocks;
  parallel_for(units, kPieceWork / (p.size * kColumns) + 1, [&](int64_t begin, int64_t end) {
    C best[kColumns], buffer[kColumns];
    Index index[kColumns];
    for (int64_t unit = begin; unit < end; ++unit) {
      const int64_t first = unit % blocks * kColumns;
      const int64_t n = columns - first < kColumns ? columns - first : kColumns;
      const Cursor<3> cursor(p.kept, 1, unit / blocks);
      for (int64_t r = 0; r < p.size; ++r) {
        const C* x = read_run<T>(p.in->data, p.in->dtype, cursor.offset[0] + first + r * p.stride,
                                 1, n, buffer);
        if (r == 0) {
          for (int64_t c = 0; c < n; ++c) best[c] = x[c];
          for (int64_t c = 0; c < n; ++c) index[c] = 0;
          continue;
        }
        const Index row = static_cast<Index>(r);
        for (int64_t c = 0; c < n; ++c) {
          const bool take = wins<kLargest>(x[c], best[c]);
          best[c] = take ? x[c] : best[c];
          index[c] = take ? row : index[c];
        }
      }
      for (int64_t c = 0; c < n; ++c) {
        const int64_t offset[3] = {0, cursor.offset[1] + (first + c) * p.kept.strides[1][last],
                                   cursor.offset[2] + (first + c) * p.kept.strides[2][last]};
        write_best<T>(p, offset, best[c], index[c]);
      }
    }
  });
}

template <class T, bool kLargest>
int arg_reduce(const fb_array* values, const fb_array* indices, const fb_array* in, int64_t dim) {
  if (indices->numel == 0) return FB_OK;
  Problem p;
  p.in = in;
  p.values = values;
  p.indices = indices;
  if (dim < 0) dim += in->ndim;
  p.size = in->ndim ? in->shape[dim] : 1;
  p.stride = in->ndim ? in->strides[dim] : 1;
  for (int d = 0; d < in->ndim; ++d) {
    if (d == dim || in->shape[d] == 1) continue;
    p.kept.push(in->shape[d],
                {in->strides[d], indices->strides[d], values ? values->strides[d] : 0});
    p.kept_count *= in->shape[d];
  }
  p.kept.order();
  p.kept.collapse();
  const int last = p.kept.ndim - 1;
  const bool columns = p.stride != 1 && last >= 0 && p.kept.strides[0][last] == 1 &&
                       p.kept.shape[last] >= 8 && p.size < (int64_t{1} << 31);
  if (columns)
    arg_columns<T, kLargest>(p);
  else
    arg_rows<T, kLargest>(p);
  return FB_OK;
}

template <bool kLargest>
struct Index {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return arg_reduce<T, kLargest>(nullptr, out[0], in[0], params[0].i);
    }
  };
};

template <bool kLargest>
struct ValueAndIndex {
  template <class T>
  struct Of {
    static int run(void*, int, fb_array* const* out, int, const fb_array* const* in,
                   const fb_param* params) {
      return arg_reduce<T, kLargest>(out[0], out[1], in[0], params[0].i);
    }
  };
};

template <template <class> class Maker>
constexpr auto every_real(const char* id) {
  return floats<Maker>(id) + integers<Maker>(id) + boolean<Maker>(id);
}

constexpr auto entries = every_real<Index<true>::Of>("argmax") +
                         every_real<Index<false>::Of>("argmin") +
                         every_real<ValueAndIndex<true>::Of>("max_dim") +
                         every_real<ValueAndIndex<false>::Of>("min_dim");

}  // namespace

KernelTable arg_reduce_kernels() { return table_of(entries.list); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
