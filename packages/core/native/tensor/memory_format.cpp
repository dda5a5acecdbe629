#include "tensor/memory_format.h"

#include <algorithm>

#include "base/error.h"

namespace flambeau {
namespace {

Ref empty_strided(Ints shape, Ints strides, DType dtype, Device device) {
  Ref t = empty(shape, dtype, device);
  set_sizes(t, shape, strides);
  return t;
}

// Strides without gaps whose dimensions nest as given ones do. A repeated dimension (stride 0)
// says nothing of its place and stays where the row-major order has it.
Dims without_gaps(Ints shape, Ints strides) {
  Dims order(shape);  // from the innermost out
  for (int i = 0; i < shape.n; i++) order[i] = shape.n - 1 - i;
  auto lies_inside = [&](int64_t a, int64_t b) {
    int64_t x = strides[int(a)], y = strides[int(b)];
    return x && y && (x < y || (x == y && shape[int(a)] < shape[int(b)]));
  };
  for (int i = 1; i < shape.n; i++)
    for (int at = i, k = i - 1; k >= 0; k--) {
      if (lies_inside(order[at], order[k])) {
        std::swap(order[at], order[k]);
        at = k;
      } else if (strides[int(order[k])] && strides[int(order[at])] &&
                 strides[int(order[k])] < strides[int(order[at])]) {
        break;
      }
    }
  Dims out(shape);
  int64_t step = 1;
  for (int64_t d : Ints(order)) {
    out[int(d)] = step;
    step *= std::max<int64_t>(shape[int(d)], 1);
  }
  return out;
}

// Whether strides rise from the channels outwards. Stricter than lies_in() about sizes of 1, so
// that what could be either counts as contiguous.
bool rises_from_channels(const Tensor* t, std::initializer_list<int> order) {
  if (t->ndim() != int(order.size()) || t->numel() == 0 || t->stride(1) == 0) return false;
  int64_t least = 0;
  for (int d : order) {
    if (t->stride(d) < least || (d == 0 && least == t->stride(1))) return false;
    least = t->stride(d) * t->size(d);
  }
  return true;
}

}  // namespace

Dims strides_in(MemoryFormat f, Ints shape) {
  if (f == MemoryFormat::Preserve)
    fail(ErrorKind::Runtime,
         "unsupported memory format option: preserve_format needs a tensor whose layout it keeps, "
         "shape %s alone has none",
         to_string(shape).c_str());
  Dims strides(shape);
  if (f == MemoryFormat::Contiguous) {
    contiguous_strides(shape, strides.v);
    return strides;
  }
  const bool flat = f == MemoryFormat::ChannelsLast;
  const int rank = flat ? 4 : 5;
  if (shape.n != rank)
    fail(ErrorKind::Runtime, "required rank %d tensor to use %s format, got shape %s", rank,
         flat ? "channels_last" : "channels_last_3d", to_string(shape).c_str());
  int64_t step = 1;
  auto place = [&](int d) {
    strides[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
  };
  place(1);
  for (int d = rank - 1; d > 1; d--) place(d);
  strides[0] = step;
  return strides;
}

bool lies_in(const Tensor* t, MemoryFormat f) {
  if (f == MemoryFormat::Contiguous) return t->contiguous();
  if (t->ndim() != (f == MemoryFormat::ChannelsLast ? 4 : 5)) return false;
  Dims strides = strides_in(f, t->shape());
  for (int d = 0; d < t->ndim(); d++)
    if (t->size(d) != 1 && t->stride(d) != strides[d]) return false;
  return true;
}

MemoryFormat nearest_format(const Tensor* t) {
  if (rises_from_channels(t, {1, 3, 2, 0})) return MemoryFormat::ChannelsLast;
  if (rises_from_channels(t, {1, 4, 3, 2, 0})) return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Contiguous;
}

bool is_dense(const Tensor* t) {
  if (t->contiguous()) return true;
  Dims order;
  for (int d = 0; d < t->ndim(); d++)
    if (t->size(d) != 1) order.push(d);
  std::sort(order.v, order.v + order.n,
            [&](int64_t a, int64_t b) { return t->stride(int(a)) < t->stride(int(b)); });
  int64_t expected = 1;
  for (int64_t d : Ints(order)) {
    if (t->stride(int(d)) != expected) return false;
    expected *= t->size(int(d));
  }
  return true;
}

Ref empty_in(MemoryFormat f, Ints shape, DType dtype, Device device) {
  if (f == MemoryFormat::Contiguous) return empty(shape, dtype, device);
  return empty_strided(shape, strides_in(f, shape), dtype, device);
}

Ref empty_in(MemoryFormat f, const Tensor* like, DType dtype, Device device) {
  if (f != MemoryFormat::Preserve) return empty_in(f, like->shape(), dtype, device);
  if (!is_dense(like))
    return empty_strided(like->shape(), without_gaps(like->shape(), like->strides()), dtype,
                         device);
  Ref y = empty(like->shape(), dtype, device);
  if (y->strides() != like->strides()) set_sizes(y, like->shape(), like->strides());
  return y;
}

}  // namespace flambeau
