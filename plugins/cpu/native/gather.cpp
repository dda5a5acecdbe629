// Reading values by index along one dimension. Values are only moved: T is any type of the
// element's size.
#include <cstring>

#include "index_value.h"
#include "isa.h"
#include "parallel.h"
#include "registry.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 8192;

struct Bytes16 {
  uint64_t low, high;
};

// A view with the strides of `x` but not moving along `dim`.
struct FixedView {
  int64_t strides[kMaxDims];
  fb_array view;

  FixedView(const fb_array& x, const fb_array& shape, int64_t dim) : view(x) {
    for (int d = 0; d < x.ndim; ++d) strides[d] = d == dim ? 0 : x.strides[d];
    view.shape = shape.shape;
    view.strides = strides;
  }
};

// Strides of one run: of the output, of the index, of the input; and of the input along `dim`.
struct Steps {
  int64_t out, index, x, dim;
};

// The bounds are looked at first, some values at a time, so that the copies need no branch.
template <typename T>
void gather_run(T* out, const int64_t* index, const T* x, const Steps& s, int64_t n, int64_t dim,
                int64_t size, IndexError& error) {
  for (int64_t from = 0; from < n; from += 256) {
    const int64_t to = from + 256 < n ? from + 256 : n;
    bool good = true;
    for (int64_t i = from; i < to; ++i) good &= in_bounds(index[i * s.index], size);
    for (int64_t i = from; i < to && !good; ++i)
      if (!in_bounds(index[i * s.index], size)) return error.report(index[i * s.index], dim, size);
    if (s.out == 1 && s.index == 1 && s.x == 0 && s.dim == 1)
      for (int64_t i = from; i < to; ++i) out[i] = x[index[i]];
    else
      for (int64_t i = from; i < to; ++i) out[i * s.out] = x[i * s.x + index[i * s.index] * s.dim];
  }
}

template <typename T>
int gather(void*, int, fb_array* const* out, int, const fb_array* const* in,
           const fb_param* params) {
  const int64_t dim = params[0].i;
  if (out[0]->numel == 0) return FB_OK;
  const int64_t size = in[0]->ndim ? in[0]->shape[dim] : 1;
  const FixedView x(*in[0], *out[0], dim);
  StridedLoop<3> loop;
  make_loop(loop, {out[0], in[1], &x.view});
  const int last = loop.ndim - 1;
  const int64_t inner = loop.ndim ? loop.shape[last] : 1;
  Steps s = {0, 0, 0, in[0]->ndim ? in[0]->strides[dim] : 0};
  if (loop.ndim) s = {loop.strides[0][last], loop.strides[1][last], loop.strides[2][last], s.dim};
  IndexError error;
  // A long row is cut into pieces.
  const int64_t piece = inner > kGrain ? kGrain : inner, pieces = (inner + piece - 1) / piece;
  const auto run = [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const Cursor<3> cursor(loop, 1, at / pieces);
      const int64_t from = at % pieces * piece, left = inner - from;
      gather_run(static_cast<T*>(out[0]->data) + cursor.offset[0] + from * s.out,
                 static_cast<const int64_t*>(in[1]->data) + cursor.offset[1] + from * s.index,
                 static_cast<const T*>(in[0]->data) + cursor.offset[2] + from * s.x, s,
                 left < piece ? left : piece, dim, size, error);
    }
  };
  parallel_for(out[0]->numel / inner * pieces, kGrain / piece + 1, run);
  return error.status();
}

// Whole slices of `inner` values for contiguous arrays.
template <typename T>
void select_slices(const T* x, T* out, int64_t outer, int64_t size, int64_t inner,
                   const int64_t* index, int64_t index_stride, int64_t n, int64_t dim,
                   IndexError& error) {
  parallel_for(outer * n, kGrain / inner + 1, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      const int64_t value = index[at % n * index_stride], from = wrapped(value, size);
      if (from < 0) {
        error.report(value, dim, size);
        return;
      }
      const T* source = x + (at / n * size + from) * inner;
      if (inner == 1)
        out[at] = *source;
      else
        std::memcpy(out + at * inner, source, static_cast<size_t>(inner) * sizeof(T));
    }
  });
}

template <typename T>
int index_select(void*, int, fb_array* const* out, int, const fb_array* const* in,
                 const fb_param* params) {
  const fb_array &x = *in[0], &y = *out[0];
  const int64_t dim = params[0].i;
  if (y.numel == 0) return FB_OK;
  const int64_t* index = static_cast<const int64_t*>(in[1]->data);
  const int64_t index_stride = in[1]->ndim ? in[1]->strides[0] : 1;
  const int64_t size = x.ndim ? x.shape[dim] : 1, n = y.ndim ? y.shape[dim] : 1;
  const T* from = static_cast<const T*>(x.data);
  T* to = static_cast<T*>(y.data);
  IndexError error;
  if (is_contiguous(&x) && is_contiguous(&y)) {
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < y.ndim; ++d)
      if (d != dim) (d < dim ? outer : inner) *= y.shape[d];
    select_slices(from, to, outer, size, inner, index, index_stride, n, dim, error);
    return error.status();
  }
  StridedLoop<2> loop;  // over all other dimensions
  for (int d = 0; d < y.ndim; ++d)
    if (d != dim && y.shape[d] != 1) loop.push(y.shape[d], {y.strides[d], x.strides[d]});
  loop.collapse();
  const int64_t positions = loop.numel();
  parallel_for(n, kGrain / positions + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t value = index[i * index_stride], source = wrapped(value, size);
      if (source < 0) return error.report(value, dim, size);
      Cursor<2> cursor(loop, 0, 0);
      for (int64_t p = 0; p < positions; ++p, cursor.next())
        to[i * y.strides[dim] + cursor.offset[0]] =
            from[source * x.strides[dim] + cursor.offset[1]];
    }
  });
  return error.status();
}

constexpr uint32_t kBytes1 = kBool | bit(FB_UINT8) | bit(FB_INT8);
constexpr uint32_t kBytes2 = bit(FB_INT16) | kHalves;
constexpr uint32_t kBytes4 = bit(FB_INT32) | bit(FB_FLOAT32);
constexpr uint32_t kBytes8 = bit(FB_INT64) | bit(FB_FLOAT64) | bit(FB_COMPLEX64);

constexpr KernelEntry entries[] = {
    {"gather", kBytes1, gather<uint8_t>},
    {"gather", kBytes2, gather<uint16_t>},
    {"gather", kBytes4, gather<uint32_t>},
    {"gather", kBytes8, gather<uint64_t>},
    {"gather", bit(FB_COMPLEX128), gather<Bytes16>},
    {"index_select", kBytes1, index_select<uint8_t>},
    {"index_select", kBytes2, index_select<uint16_t>},
    {"index_select", kBytes4, index_select<uint32_t>},
    {"index_select", kBytes8, index_select<uint64_t>},
    {"index_select", bit(FB_COMPLEX128), index_select<Bytes16>},
};

}  // namespace

KernelTable gather_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
