// Indexing the first dimensions with arrays of indices, and writing to what they pick.
#include <cstring>

#include "combine.h"
#include "index_value.h"
#include "parallel.h"
#include "registry.h"
#include "scratch.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 8192;

struct Bytes16 {
  uint64_t low, high;
};

// All dimensions of one array in their own order, merged where they can be.
StridedLoop<1> in_order(const int64_t* shape, const int64_t* strides, int ndim) {
  StridedLoop<1> loop;
  for (int d = 0; d < ndim; ++d)
    if (shape[d] != 1) loop.push(shape[d], {strides[d]});
  loop.collapse();
  return loop;
}

// Adds to offsets[p] where index p of one array points to along its dimension of `size`.
int add_offsets(const fb_array& index, int64_t dim, int64_t size, int64_t step, int64_t* offsets) {
  const StridedLoop<1> loop = in_order(index.shape, index.strides, index.ndim);
  const int64_t inner = loop.ndim ? loop.shape[loop.ndim - 1] : 1;
  const int64_t stride = loop.ndim ? loop.strides[0][loop.ndim - 1] : 0;
  const int64_t* data = static_cast<const int64_t*>(index.data);
  IndexError error;
  // A single long row is split; otherwise whole rows are.
  const bool single = loop.ndim <= 1;
  const int64_t rows = single ? 1 : index.numel / inner;
  const auto run = [&](const int64_t* from, int64_t count, int64_t* to) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = wrapped(from[i * stride], size);
      if (value < 0) return error.report(from[i * stride], dim, size);
      to[i] += value * step;
    }
  };
  if (single) {
    parallel_for(inner, kGrain, [&](int64_t begin, int64_t end) {
      run(data + begin * stride, end - begin, offsets + begin);
    });
  } else {
    parallel_for(rows, kGrain / inner + 1, [&](int64_t begin, int64_t end) {
      Cursor<1> cursor(loop, 1, begin);
      for (int64_t row = begin; row < end; ++row, cursor.next())
        run(data + cursor.offset[0], inner, offsets + row * inner);
    });
  }
  return error.status();
}

// Where each index tuple points to in `x`, in elements; null with `status` set on an error.
int64_t* find_offsets(const fb_array& x, const fb_array* const* indices, int k, int* status) {
  const int64_t positions = indices[0]->numel;
  int64_t* offsets = scratch_values<int64_t>(positions, kScratchKernel);
  for (int64_t p = 0; p < positions; ++p) offsets[p] = 0;
  for (int j = 0; j < k; ++j) {
    *status = add_offsets(*indices[j], j, x.shape[j], x.strides[j], offsets);
    if (*status) return nullptr;
  }
  return offsets;
}

// An indexed array [i0, .., ik-1, R..] beside one of shape [I.., R..].
struct Slices {
  StridedLoop<1> positions;  // the second array's I
  StridedLoop<2> inner;      // both arrays' R
  int64_t count, size;       // of I, of R

  Slices(const fb_array& indexed, const fb_array& other, const fb_array& index, int k)
      : positions(in_order(other.shape, other.strides, index.ndim)), count(index.numel) {
    for (int d = index.ndim; d < other.ndim; ++d) {
      const int at = k + d - index.ndim;
      if (other.shape[d] != 1) inner.push(other.shape[d], {indexed.strides[at], other.strides[d]});
    }
    inner.collapse();
    size = inner.numel();
  }

  bool inner_contiguous() const {
    return inner.ndim == 0 ||
           (inner.ndim == 1 && inner.strides[0][0] == 1 && inner.strides[1][0] == 1);
  }
};

// Calls visit(p, other's offset) for positions [begin, end).
template <typename F>
void for_positions(const Slices& s, int64_t begin, int64_t end, const F& visit) {
  Cursor<1> cursor(s.positions, 0, begin);
  for (int64_t p = begin; p < end; ++p, cursor.next()) visit(p, cursor.offset[0]);
}

template <typename T>
int index(void*, int, fb_array* const* out, int n_in, const fb_array* const* in, const fb_param*) {
  if (out[0]->numel == 0) return FB_OK;
  int status = FB_OK;
  const int64_t* offsets = find_offsets(*in[0], in + 1, n_in - 1, &status);
  if (!offsets) return status;
  const Slices s(*in[0], *out[0], *in[1], n_in - 1);
  const T* x = static_cast<const T*>(in[0]->data);
  T* y = static_cast<T*>(out[0]->data);
  const bool plain = s.inner_contiguous();
  parallel_for(s.count, kGrain / s.size + 1, [&](int64_t begin, int64_t end) {
    for_positions(s, begin, end, [&](int64_t p, int64_t at) {
      const T* from = x + offsets[p];
      if (s.size == 1) {
        y[at] = *from;
      } else if (plain) {
        std::memcpy(y + at, from, static_cast<size_t>(s.size) * sizeof(T));
      } else {
        Cursor<2> cursor(s.inner, 0, 0);
        for (int64_t i = 0; i < s.size; ++i, cursor.next())
          y[at + cursor.offset[1]] = from[cursor.offset[0]];
      }
    });
  });
  return FB_OK;
}

// Positions in order, so that of two values for one place the last one stays and sums are the
// same each time; long slices are split over the threads.
template <typename T, typename Combine>
void put_values(const Slices& s, const int64_t* offsets, const T* value, T* x) {
  if (s.inner_contiguous()) {
    const int64_t grain = kGrain / s.count + 64;
    parallel_for(s.size, grain, [&](int64_t begin, int64_t end) {
      for_positions(s, 0, s.count, [&](int64_t p, int64_t at) {
        T* to = x + offsets[p];
        const T* from = value + at;
        for (int64_t i = begin; i < end; ++i) Combine::apply(to[i], from[i]);
      });
    });
    return;
  }
  for_positions(s, 0, s.count, [&](int64_t p, int64_t at) {
    Cursor<2> cursor(s.inner, 0, 0);
    for (int64_t i = 0; i < s.size; ++i, cursor.next())
      Combine::apply(x[offsets[p] + cursor.offset[0]], value[at + cursor.offset[1]]);
  });
}

template <typename T>
int index_put(void*, int, fb_array* const* out, int n_in, const fb_array* const* in,
              const fb_param* params) {
  if (in[0]->numel == 0) return FB_OK;
  int status = FB_OK;
  const int64_t* offsets = find_offsets(*out[0], in + 1, n_in - 1, &status);
  if (!offsets) return status;
  const Slices s(*out[0], *in[0], *in[1], n_in - 1);
  const T* value = static_cast<const T*>(in[0]->data);
  T* x = static_cast<T*>(out[0]->data);
  params[0].i ? put_values<T, Add>(s, offsets, value, x) : put_values<T, Set>(s, offsets, value, x);
  return FB_OK;
}

constexpr KernelEntry entries[] = {
    {"index", kBool | bit(FB_UINT8) | bit(FB_INT8), index<uint8_t>},
    {"index", bit(FB_INT16) | kHalves, index<uint16_t>},
    {"index", bit(FB_INT32) | bit(FB_FLOAT32), index<uint32_t>},
    {"index", bit(FB_INT64) | bit(FB_FLOAT64) | bit(FB_COMPLEX64), index<uint64_t>},
    {"index", bit(FB_COMPLEX128), index<Bytes16>},
    {"index_put", bit(FB_BOOL), index_put<bool>},
    {"index_put", bit(FB_UINT8), index_put<uint8_t>},
    {"index_put", bit(FB_INT8), index_put<int8_t>},
    {"index_put", bit(FB_INT16), index_put<int16_t>},
    {"index_put", bit(FB_INT32), index_put<int32_t>},
    {"index_put", bit(FB_INT64), index_put<int64_t>},
    {"index_put", bit(FB_FLOAT16), index_put<float16>},
    {"index_put", bit(FB_BFLOAT16), index_put<bfloat16>},
    {"index_put", bit(FB_FLOAT32), index_put<float>},
    {"index_put", bit(FB_FLOAT64), index_put<double>},
    {"index_put", bit(FB_COMPLEX64), index_put<ComplexValue<float>>},
    {"index_put", bit(FB_COMPLEX128), index_put<ComplexValue<double>>},
};

}  // namespace

KernelTable index_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
