// Counting and listing the elements that are not zero.
#include "element.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 32768;

template <typename T>
struct Complex {
  T re, im;
};

template <typename T>
inline bool is_set(T x) {
  return x != 0;
}
inline bool is_set(float16 x) { return (x.bits & 0x7FFF) != 0; }
inline bool is_set(bfloat16 x) { return (x.bits & 0x7FFF) != 0; }
template <typename T>
inline bool is_set(Complex<T> x) {
  return (x.re != 0) | (x.im != 0);
}

// The array as rows of its last dimension, in row-major order.
template <typename T>
struct Rows {
  const T* data;
  StridedLoop<1> loop;
  int64_t width, stride, count;

  explicit Rows(const fb_array& x) : data(static_cast<const T*>(x.data)) {
    const int last = x.ndim - 1;
    width = x.ndim ? x.shape[last] : 1;
    stride = x.ndim ? x.strides[last] : 0;
    for (int d = 0; d < x.ndim; ++d) loop.push(x.shape[d], {x.strides[d]});
    count = width ? x.numel / width : 0;
  }

  int64_t count_set(int64_t begin, int64_t end) const {
    if (begin == end) return 0;  // with a dimension of no elements there is no place to stand on
    int64_t found = 0;
    Cursor<1> cursor(loop, 1, begin);
    for (int64_t row = begin; row < end; ++row, cursor.next()) {
      const T* x = data + cursor.offset[0];
      // Counted in narrow pieces, which the compiler turns into vectors.
      for (int64_t from = 0; from < width; from += 4096) {
        const int64_t to = from + 4096 < width ? from + 4096 : width;
        int32_t piece = 0;
        if (stride == 1)
          for (int64_t i = from; i < to; ++i) piece += is_set(x[i]);
        else
          for (int64_t i = from; i < to; ++i) piece += is_set(x[i * stride]);
        found += piece;
      }
    }
    return found;
  }
};

// Long rows are cut into pieces only where the whole array is one row.
template <typename T>
int64_t count_all(const fb_array& x) {
  Rows<T> rows(x);
  int64_t counts[64] = {};
  int64_t parts = x.numel / kGrain + 1;
  if (parts > usable_threads()) parts = usable_threads();
  if (parts > 64) parts = 64;
  if (is_contiguous(&x) && x.numel) {
    // Any cut will do: a single row.
    fb_array flat = x;
    int64_t shape[] = {x.numel}, strides[] = {1};
    flat.shape = shape;
    flat.strides = strides;
    flat.ndim = 1;
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part) {
        int64_t size[] = {x.numel * (part + 1) / parts - x.numel * part / parts};
        fb_array piece = flat;
        piece.data = const_cast<T*>(rows.data + x.numel * part / parts);
        piece.shape = size;
        piece.numel = size[0];
        if (size[0]) counts[part] = Rows<T>(piece).count_set(0, 1);
      }
    });
  } else {
    parallel_for(parts, 1, [&](int64_t first, int64_t last) {
      for (int64_t part = first; part < last; ++part)
        counts[part] = rows.count_set(rows.count * part / parts, rows.count * (part + 1) / parts);
    });
  }
  int64_t total = 0;
  for (int64_t part = 0; part < parts; ++part) total += counts[part];
  return total;
}

template <typename T>
int count_nonzero(void*, int, fb_array* const* out, int, const fb_array* const* in,
                  const fb_param*) {
  *static_cast<int64_t*>(out[0]->data) = count_all<T>(*in[0]);
  return FB_OK;
}

// Writes the coordinates of what is set in rows [begin, end), at most `limit` of them.
template <typename T>
void list_rows(const Rows<T>& rows, int ndim, int64_t begin, int64_t end, int64_t limit,
               int64_t* out) {
  Cursor<1> cursor(rows.loop, 1, begin);
  int64_t found = 0;
  for (int64_t row = begin; row < end && found < limit; ++row, cursor.next()) {
    const T* x = rows.data + cursor.offset[0];
    // Each column is written and kept only if set: no branch to be guessed.
    for (int64_t i = 0; i < rows.width && found < limit; ++i) {
      int64_t* at = out + found * ndim;
      for (int d = 0; d < ndim - 1; ++d) at[d] = cursor.index[d];
      if (ndim) at[ndim - 1] = i;
      found += is_set(x[i * rows.stride]);
    }
  }
}

template <typename T>
int nonzero(void*, int, fb_array* const* out, int, const fb_array* const* in, const fb_param*) {
  const fb_array& x = *in[0];
  const int64_t total = out[0]->shape[0];
  const int ndim = x.ndim;
  if (total == 0 || ndim == 0) return FB_OK;
  const Rows<T> rows(x);
  int64_t* to = static_cast<int64_t*>(out[0]->data);
  int64_t parts = rows.count > 1 ? x.numel / kGrain + 1 : 1;
  if (parts > usable_threads()) parts = usable_threads();
  int64_t* starts = scratch_values<int64_t>(parts + 1, kScratchKernel);
  const auto first_row = [&](int64_t part) { return rows.count * part / parts; };
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part)
      starts[part + 1] = parts == 1 ? total : rows.count_set(first_row(part), first_row(part + 1));
  });
  starts[0] = 0;
  for (int64_t part = 0; part < parts; ++part) starts[part + 1] += starts[part];
  parallel_for(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part)
      list_rows(rows, ndim, first_row(part), first_row(part + 1), starts[part + 1] - starts[part],
                to + starts[part] * ndim);
  });
  return FB_OK;
}

#define FLAMBEAU_NONZERO(dtype, T) \
  {"count_nonzero", bit(dtype), count_nonzero<T>}, { "nonzero", bit(dtype), nonzero<T> }

constexpr KernelEntry entries[] = {
    FLAMBEAU_NONZERO(FB_BOOL, uint8_t),
    FLAMBEAU_NONZERO(FB_UINT8, uint8_t),
    FLAMBEAU_NONZERO(FB_INT8, int8_t),
    FLAMBEAU_NONZERO(FB_INT16, int16_t),
    FLAMBEAU_NONZERO(FB_INT32, int32_t),
    FLAMBEAU_NONZERO(FB_INT64, int64_t),
    FLAMBEAU_NONZERO(FB_FLOAT16, float16),
    FLAMBEAU_NONZERO(FB_BFLOAT16, bfloat16),
    FLAMBEAU_NONZERO(FB_FLOAT32, float),
    FLAMBEAU_NONZERO(FB_FLOAT64, double),
    FLAMBEAU_NONZERO(FB_COMPLEX64, Complex<float>),
    FLAMBEAU_NONZERO(FB_COMPLEX128, Complex<double>),
};
#undef FLAMBEAU_NONZERO

}  // namespace

KernelTable nonzero_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
