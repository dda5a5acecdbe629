// Writing values by index along one dimension. Work is split over the other dimensions, so that
// values which meet at one place always arrive in the same order.
#include "combine.h"
#include "index_value.h"
#include "parallel.h"
#include "registry.h"
#include "strided.h"

namespace flambeau_cpu::FLAMBEAU_ISA {
namespace {

constexpr int64_t kGrain = 8192;

// The dimensions of `shape` but `dim`, as the operands (out, source, index) move along them.
StridedLoop<3> other_dimensions(const fb_array& shape, int64_t dim, const fb_array& out,
                                const fb_array& source, const int64_t* index_strides) {
  StridedLoop<3> loop;
  for (int d = 0; d < shape.ndim; ++d)
    if (d != dim && shape.shape[d] != 1)
      loop.push(shape.shape[d],
                {out.strides[d], source.strides[d], index_strides ? index_strides[d] : 0});
  loop.collapse();
  return loop;
}

// One operand's strides: along `dim`, and along the innermost other dimension.
struct Steps {
  int64_t dim[3], inner[3];
};

// Calls visit(offsets, count) for runs of the innermost other dimension: a thread sees its
// positions for all of `dim` one after the other.
template <typename F>
void for_each_run(const StridedLoop<3>& loop, int64_t n, const F& visit) {
  const int64_t inner = loop.ndim ? loop.shape[loop.ndim - 1] : 1;
  if (inner == 0 || n == 0) return;
  const int64_t rows = loop.numel() / inner;
  const int64_t* last[3];
  for (int k = 0; k < 3; ++k) last[k] = loop.ndim ? &loop.strides[k][loop.ndim - 1] : nullptr;
  if (rows >= 4 || inner * n <= kGrain) {
    parallel_for(rows, kGrain / (inner * n) + 1, [&](int64_t begin, int64_t end) {
      Cursor<3> cursor(loop, 1, begin);
      for (int64_t row = begin; row < end; ++row, cursor.next()) visit(cursor.offset, inner);
    });
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    const Cursor<3> cursor(loop, 1, row);
    parallel_for(inner, kGrain / n + 1, [&](int64_t begin, int64_t end) {
      int64_t offset[3];
      for (int k = 0; k < 3; ++k) offset[k] = cursor.offset[k] + (last[k] ? begin * *last[k] : 0);
      visit(offset, end - begin);
    });
  }
}

Steps steps_of(const StridedLoop<3>& loop, int64_t dim, const fb_array& out, const fb_array& source,
               int64_t index_step) {
  Steps s = {};
  const bool has_dim = out.ndim > 0;
  s.dim[0] = has_dim ? out.strides[dim] : 0;
  s.dim[1] = has_dim ? source.strides[dim] : 0;
  s.dim[2] = index_step;
  for (int k = 0; k < 3 && loop.ndim; ++k) s.inner[k] = loop.strides[k][loop.ndim - 1];
  return s;
}

template <typename T, typename Combine>
int scatter_with(fb_array* out, const fb_array* index, const fb_array* source, int64_t dim) {
  const int64_t size = out->ndim ? out->shape[dim] : 1, n = index->ndim ? index->shape[dim] : 1;
  const StridedLoop<3> loop = other_dimensions(*index, dim, *out, *source, index->strides);
  const Steps s = steps_of(loop, dim, *out, *source, index->ndim ? index->strides[dim] : 0);
  IndexError error;
  for_each_run(loop, n, [&](const int64_t* offset, int64_t count) {
    T* to = static_cast<T*>(out->data) + offset[0];
    const T* from = static_cast<const T*>(source->data) + offset[1];
    const int64_t* at = static_cast<const int64_t*>(index->data) + offset[2];
    const auto put = [&](int64_t d, int64_t i) {
      const int64_t value = at[d * s.dim[2] + i * s.inner[2]];
      const bool good = in_bounds(value, size);
      if (good)
        Combine::apply(to[value * s.dim[0] + i * s.inner[0]], from[d * s.dim[1] + i * s.inner[1]]);
      else
        error.report(value, dim, size);
      return good;
    };
    // Along memory inside; what meets at one place comes in the order of `dim` either way.
    if (s.dim[0] < s.inner[0]) {
      for (int64_t i = 0; i < count; ++i)
        for (int64_t d = 0; d < n; ++d)
          if (!put(d, i)) return;
    } else {
      for (int64_t d = 0; d < n; ++d)
        for (int64_t i = 0; i < count; ++i)
          if (!put(d, i)) return;
    }
  });
  return error.status();
}

template <typename T>
constexpr bool kOrdered = true;
template <typename T>
constexpr bool kOrdered<ComplexValue<T>> = false;
template <>
constexpr bool kOrdered<bool> = false;

template <typename T>
int scatter_values(fb_array* out, const fb_array* const* in, const fb_param* params) {
  const int64_t dim = params[0].i;
  if (in[0]->numel == 0) return FB_OK;
  switch (params[1].i) {
    case kSet:
      return scatter_with<T, Set>(out, in[0], in[1], dim);
    case kAdd:
      return scatter_with<T, Add>(out, in[0], in[1], dim);
    case kMultiply:
      return scatter_with<T, Multiply>(out, in[0], in[1], dim);
    default:
      break;
  }
  if constexpr (kOrdered<T>) {
    if (params[1].i == kAmax) return scatter_with<T, Amax>(out, in[0], in[1], dim);
    if (params[1].i == kAmin) return scatter_with<T, Amin>(out, in[0], in[1], dim);
  }
  return fail(FB_ERROR, "scatter: no such reduction for this dtype");
}

template <typename T>
int add_slices(fb_array* to, const fb_array* const* in, const fb_param* params) {
  const int64_t dim = params[0].i;
  const fb_array *index = in[0], *source = in[1];
  if (source->numel == 0) return FB_OK;
  const int64_t size = to->ndim ? to->shape[dim] : 1, n = index->numel;
  const StridedLoop<3> loop = other_dimensions(*source, dim, *to, *source, nullptr);
  const Steps s = steps_of(loop, dim, *to, *source, index->ndim ? index->strides[0] : 0);
  const int64_t* at = static_cast<const int64_t*>(index->data);
  IndexError error;
  for_each_run(loop, n, [&](const int64_t* offset, int64_t count) {
    for (int64_t d = 0; d < n; ++d) {
      const int64_t value = at[d * s.dim[2]], row = wrapped(value, size);
      if (row < 0) return error.report(value, dim, size);
      T* sums = static_cast<T*>(to->data) + offset[0] + row * s.dim[0];
      const T* from = static_cast<const T*>(source->data) + offset[1] + d * s.dim[1];
      if (s.inner[0] == 1 && s.inner[1] == 1) {
        for (int64_t i = 0; i < count; ++i) Add::apply(sums[i], from[i]);
      } else {
        for (int64_t i = 0; i < count; ++i) Add::apply(sums[i * s.inner[0]], from[i * s.inner[1]]);
      }
    }
  });
  return error.status();
}

// The first input is an index: the kernels of a dtype are chosen by the output's.
using Routine = int (*)(fb_array*, const fb_array* const*, const fb_param*);

// In the order of fb_dtype.
#define FLAMBEAU_ROUTINES(f) \
  {f<bool>,                  \
   f<uint8_t>,               \
   f<int8_t>,                \
   f<int16_t>,               \
   f<int32_t>,               \
   f<int64_t>,               \
   f<float16>,               \
   f<bfloat16>,              \
   f<float>,                 \
   f<double>,                \
   f<ComplexValue<float>>,   \
   f<ComplexValue<double>>}
constexpr Routine scatter_routines[FB_DTYPE_COUNT] = FLAMBEAU_ROUTINES(scatter_values);
constexpr Routine add_routines[FB_DTYPE_COUNT] = FLAMBEAU_ROUTINES(add_slices);
#undef FLAMBEAU_ROUTINES

int scatter(void*, int, fb_array* const* out, int, const fb_array* const* in,
            const fb_param* params) {
  return scatter_routines[out[0]->dtype](out[0], in, params);
}

int index_add(void*, int, fb_array* const* out, int, const fb_array* const* in,
              const fb_param* params) {
  return add_routines[out[0]->dtype](out[0], in, params);
}

constexpr KernelEntry entries[] = {
    {"scatter", kAll, scatter},
    {"index_add", kAll, index_add},
};

}  // namespace

KernelTable scatter_kernels() { return table_of(entries); }

}  // namespace flambeau_cpu::FLAMBEAU_ISA
