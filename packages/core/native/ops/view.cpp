// Views: other shapes over the same memory. They cost no kernel call.
#include <algorithm>

#include "dispatch/shape_rules.h"
#include "ops/op.h"
#include "ops/view.h"
#include "ops/view_history.h"

namespace flambeau {

Ref make_view(Tensor* t, Ints shape, Ints strides, int64_t skip) {
  Ref y = alias(t, shape, strides, static_cast<char*>(t->arr.data) + skip * itemsize(t->dtype()));
  mark_view(y, t);
  return y;
}

namespace {

// A view's gradient: the view's part of zeros that look like the source.
template <class F>
Ref spread(Tensor* g, Ints shape, F&& part) {
  Ref whole = zeros(g, shape);
  copy_(part(whole), g);
  return whole;
}

// How far from its first element a strided shape reaches.
int64_t reach(Ints shape, Ints strides) {
  int64_t last = 0;
  for (int i = 0; i < shape.n; i++) last += (std::max<int64_t>(shape[i], 1) - 1) * strides[i];
  return last;
}

// Gradient of overlapping or scattered elements, added up one by one in a flat
// image of the source's memory; the view begins `skip` elements from the source.
Ref add_into(Tensor* g, Ints source_shape, Ints source_strides, Ints shape, Ints strides,
             int64_t skip) {
  int64_t first = std::min<int64_t>(skip, 0);
  int64_t extent =
      std::max(reach(source_shape, source_strides), skip + reach(shape, strides)) - first + 1;
  Ref flat = zeros(g, Ints(&extent, 1));
  Ref places = arange(0, extent, 1, FB_INT64, Device{g->device, g->device_index()});
  Ref taken = reshape(as_strided(places, shape, strides, skip - first), {-1});
  Ref sums = index_add(flat, 0, taken, reshape(g, {-1}));
  return as_strided(sums, source_shape, source_strides, -first);
}

[[noreturn]] void fail_view(Tensor* t, Ints shape) {
  fail(ErrorKind::Runtime,
       "view: view size is not compatible with input tensor's size and stride (at least one "
       "dimension spans "
       "across two contiguous subspaces). Use .reshape(...) instead. (view from %s with strides %s "
       "to %s)",
       to_string(t->shape()).c_str(), to_string(t->strides()).c_str(), to_string(shape).c_str());
}

bool try_view(Tensor* t, Ints shape, Ref& y) {
  Dims::check(shape.n);
  int64_t strides[max_dims];
  if (t->contiguous()) {
    contiguous_strides(shape, strides);
  } else if (!view_strides(t->shape(), t->strides(), shape, strides)) {
    return false;
  }
  y = make_view(t, shape, {strides, shape.n}, 0);
  if (records(t))
    record("ViewBackward0", {t}, y,
           [s = Dims(t->shape())](Backward& b) { b.set(0, reshape(b.grad(), s)); });
  return true;
}

}  // namespace

Ref view(Tensor* t, Ints requested) {
  Dims shape = infer_size("view", requested, t->numel());
  Ref y;
  if (!try_view(t, shape, y)) fail_view(t, shape);
  return y;
}

Ref reshape(Tensor* t, Ints requested) {
  Dims shape = infer_size("reshape", requested, t->numel());
  Ref y;
  if (try_view(t, shape, y)) return y;
  return view(clone(t), shape);
}

Ref as_strided(Tensor* t, Ints shape, Ints strides, int64_t offset) {
  if (shape.n != strides.n)
    fail(ErrorKind::Runtime, "as_strided: mismatch in length of strides and shape: %s and %s",
         to_string(strides).c_str(), to_string(shape).c_str());
  const int64_t extent = checked_extent(shape, strides);
  for (int i = 0; i < shape.n; i++) {
    if (strides[i] < 0)
      fail(ErrorKind::Runtime,
           "as_strided: Negative strides are not supported at the moment, got strides: %s",
           to_string(strides).c_str());
  }
  const int64_t room = t->storage->nbytes / itemsize(t->dtype());
  if (offset < 0 || (extent > 0 && (offset > room || offset + extent > room)))
    fail(ErrorKind::Runtime,
         "as_strided: setStorage: sizes %s, strides %s, storage offset %lld are out of bounds for "
         "storage "
         "of size %lld",
         to_string(shape).c_str(), to_string(strides).c_str(), static_cast<long long>(offset),
         static_cast<long long>(t->storage->nbytes));
  int64_t skip = offset - t->offset();
  Ref y = make_view(t, shape, strides, skip);
  if (records(t))
    record("AsStridedBackward0", {t}, y,
           [s = Dims(t->shape()), st = Dims(t->strides()), shape = Dims(shape),
            strides = Dims(strides),
            skip](Backward& b) { b.set(0, add_into(b.grad(), s, st, shape, strides, skip)); });
  return y;
}

Ref expand(Tensor* t, Ints requested) {
  Dims shape(requested);
  int lead = shape.n - t->ndim();
  if (lead < 0)
    fail(ErrorKind::Runtime,
         "expand(%s, size=%s): the number of sizes provided (%d) must be greater or equal to the "
         "number of "
         "dimensions in the tensor (%d)",
         to_string(t->shape()).c_str(), to_string(requested).c_str(), shape.n, t->ndim());
  for (int i = 0; i < shape.n; i++)
    if (shape[i] == -1) {
      if (i < lead)
        fail(ErrorKind::Runtime,
             "expand: The expanded size of the tensor (-1) isn't allowed in a leading, "
             "non-existing dimension %d",
             i);
      shape[i] = t->size(i - lead);
    } else if (shape[i] < 0) {
      fail(ErrorKind::Runtime, "expand: invalid size %lld in %s", static_cast<long long>(shape[i]),
           to_string(requested).c_str());
    }
  Dims::check(shape.n);
  int64_t strides[max_dims];
  if (!broadcast_strides(t->shape(), t->strides(), shape, strides))
    fail(ErrorKind::Runtime,
         "expand: The expanded size of the tensor must match the existing size at non-singleton "
         "dimensions. "
         "Target sizes: %s. Tensor sizes: %s",
         to_string(shape).c_str(), to_string(t->shape()).c_str());
  Ref y = make_view(t, shape, {strides, shape.n}, 0);
  if (records(t)) {
    Node* n = record("ExpandBackward0", {t}, y, [](Backward& b) { b.set(0, b.grad()); });
    n->edges[0].expect_shape(t->shape());
  }
  return y;
}

Ref permute(Tensor* t, Ints requested) {
  if (requested.n != t->ndim())
    fail(ErrorKind::Runtime,
         "permute(sparse_coo): number of dimensions in the tensor input does not match the length "
         "of the desired "
         "ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %d",
         t->ndim(), requested.n);
  Dims dims = wrap_dims("permute", requested, t->ndim()), shape, strides, back;
  back.n = dims.n;
  for (int i = 0; i < dims.n; i++) {
    shape.push(t->size(int(dims[i])));
    strides.push(t->stride(int(dims[i])));
    back[int(dims[i])] = i;
  }
  Ref y = make_view(t, shape, strides, 0);
  if (records(t))
    record("PermuteBackward0", {t}, y, [back](Backward& b) { b.set(0, permute(b.grad(), back)); });
  return y;
}

Ref transpose(Tensor* t, int64_t a, int64_t b) {
  int i = wrap_dim(a, t->ndim()), j = wrap_dim(b, t->ndim());
  Dims shape(t->shape()), strides(t->strides());
  if (t->ndim() > 0) {
    std::swap(shape[i], shape[j]);
    std::swap(strides[i], strides[j]);
  }
  Ref y = make_view(t, shape, strides, 0);
  if (records(t))
    record("TransposeBackward0", {t}, y,
           [i, j](Backward& v) { v.set(0, transpose(v.grad(), i, j)); });
  return y;
}

Ref squeeze(Tensor* t, Ints requested) {
  Dims dims = wrap_dims("squeeze", requested, t->ndim()), shape, strides;
  for (int i = 0; i < t->ndim(); i++) {
    bool named = std::find(dims.v, dims.v + dims.n, i) != dims.v + dims.n;
    if (named && t->size(i) == 1) continue;
    shape.push(t->size(i));
    strides.push(t->stride(i));
  }
  Ref y = make_view(t, shape, strides, 0);
  if (records(t))
    record("SqueezeBackward1", {t}, y,
           [s = Dims(t->shape())](Backward& b) { b.set(0, reshape(b.grad(), s)); });
  return y;
}

Ref unsqueeze(Tensor* t, int64_t dim) {
  int d = wrap_dim(dim, t->ndim() + 1);
  Dims shape, strides;
  for (int i = 0; i <= t->ndim(); i++) {
    if (i == d) {
      shape.push(1);
      strides.push(d < t->ndim() ? t->size(d) * t->stride(d) : 1);
    }
    if (i < t->ndim()) {
      shape.push(t->size(i));
      strides.push(t->stride(i));
    }
  }
  Ref y = make_view(t, shape, strides, 0);
  if (records(t))
    record("UnsqueezeBackward0", {t}, y, [d](Backward& b) { b.set(0, squeeze(b.grad(), {d})); });
  return y;
}

Ref select(Tensor* t, int64_t dim, int64_t index) {
  if (t->ndim() == 0) fail(ErrorKind::Index, "select() cannot be applied to a 0-dim tensor.");
  int d = wrap_dim(dim, t->ndim());
  int64_t n = t->size(d);
  if (index < -n || index >= n)
    fail(ErrorKind::Index, "index %lld is out of bounds for dimension %d with size %lld",
         static_cast<long long>(index), d, static_cast<long long>(n));
  int64_t i = index < 0 ? index + n : index;
  Dims shape, strides;
  for (int k = 0; k < t->ndim(); k++)
    if (k != d) {
      shape.push(t->size(k));
      strides.push(t->stride(k));
    }
  Ref y = make_view(t, shape, strides, i * t->stride(d));
  if (records(t))
    record("SelectBackward0", {t}, y, [s = Dims(t->shape()), d, i](Backward& b) {
      b.set(0, spread(b.grad(), s, [&](Tensor* whole) { return select(whole, d, i); }));
    });
  return y;
}

Ref slice(Tensor* t, int64_t dim, int64_t start, int64_t end, int64_t step) {
  if (t->ndim() == 0) fail(ErrorKind::Index, "slice() cannot be applied to a 0-dim tensor.");
  int d = wrap_dim(dim, t->ndim());
  int64_t n = t->size(d);
  if (step <= 0) fail(ErrorKind::Value, "slice step must be greater than zero");
  if (start < 0) start += n;
  if (end < 0) end += n;
  start = std::clamp<int64_t>(start, 0, n);
  end = std::clamp<int64_t>(end, start, n);
  Dims shape(t->shape()), strides(t->strides());
  shape[d] = (end - start + step - 1) / step;
  strides[d] *= step;
  Ref y = make_view(t, shape, strides, start * t->stride(d));
  if (records(t))
    record("SliceBackward0", {t}, y, [s = Dims(t->shape()), d, start, end, step](Backward& b) {
      b.set(0,
            spread(b.grad(), s, [&](Tensor* whole) { return slice(whole, d, start, end, step); }));
    });
  return y;
}

Ref narrow(Tensor* t, int64_t dim, int64_t start, int64_t length) {
  if (t->ndim() == 0) fail(ErrorKind::Runtime, "narrow() cannot be applied to a 0-dim tensor.");
  int d = wrap_dim(dim, t->ndim());
  int64_t n = t->size(d);
  if (length < 0) fail(ErrorKind::Runtime, "narrow(): length must be non-negative.");
  if (start < -n || start > n)
    fail(ErrorKind::Index,
         "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
         static_cast<long long>(-n), static_cast<long long>(n), static_cast<long long>(start));
  if (start < 0) start += n;
  if (length > n - start)
    fail(ErrorKind::Runtime, "narrow: start (%lld) + length (%lld) exceeds dimension size (%lld).",
         static_cast<long long>(start), static_cast<long long>(length), static_cast<long long>(n));
  return slice(t, d, start, start + length, 1);
}

Ref diagonal(Tensor* t, int64_t offset, int64_t dim1, int64_t dim2) {
  int i = wrap_dim(dim1, t->ndim()), j = wrap_dim(dim2, t->ndim());
  if (i == j)
    fail(ErrorKind::Runtime, "diagonal dimensions cannot be identical %lld, %lld",
         static_cast<long long>(dim1), static_cast<long long>(dim2));
  int64_t rows = t->size(i), columns = t->size(j), skip = 0, n;
  if (offset >= 0) {
    n = std::max<int64_t>(std::min(rows, columns - offset), 0);
    skip = n ? offset * t->stride(j) : 0;
  } else {
    n = std::max<int64_t>(std::min(rows + offset, columns), 0);
    skip = n ? -offset * t->stride(i) : 0;
  }
  Dims shape, strides;
  for (int k = 0; k < t->ndim(); k++)
    if (k != i && k != j) {
      shape.push(t->size(k));
      strides.push(t->stride(k));
    }
  shape.push(n);
  strides.push(t->stride(i) + t->stride(j));
  Ref y = make_view(t, shape, strides, skip);
  if (records(t))
    record("DiagonalBackward0", {t}, y, [s = Dims(t->shape()), offset, i, j](Backward& b) {
      b.set(0, spread(b.grad(), s, [&](Tensor* whole) { return diagonal(whole, offset, i, j); }));
    });
  return y;
}

Ref unfold(Tensor* t, int64_t dim, int64_t size, int64_t step) {
  int d = wrap_dim(dim, t->ndim());
  int64_t n = t->ndim() == 0 ? 1 : t->size(d);
  if (step <= 0)
    fail(ErrorKind::Runtime, "step is %lld but must be > 0", static_cast<long long>(step));
  if (size < 0 || size > n)
    fail(ErrorKind::Runtime, "maximum size for tensor at dimension %d is %lld but size is %lld", d,
         static_cast<long long>(n), static_cast<long long>(size));
  Dims shape(t->shape()), strides(t->strides());
  int64_t element = t->ndim() == 0 ? 1 : t->stride(d);
  if (t->ndim() > 0) {
    shape[d] = (n - size) / step + 1;
    strides[d] = stepped(element, step);
  }
  shape.push(size);
  strides.push(element);
  Ref y = make_view(t, shape, strides, 0);
  if (records(t))
    record("UnfoldBackward0", {t}, y, [s = Dims(t->shape()), shape, d, step](Backward& b) {
      // Elements of the source may share memory, being windows themselves: the
      // sums are made in an image where each has a place of its own.
      Dims own, window;
      own.n = s.n;
      contiguous_strides(s, own.v);
      window = own;
      if (s.n) window[d] *= step;
      window.push(s.n ? own[d] : 1);
      b.set(0, add_into(b.grad(), s, own, shape, window, 0));
    });
  return y;
}

Ref detach(Tensor* t) { return alias(t); }

Ref view_dtype(Tensor* t, DType d) {
  int64_t from = itemsize(t->dtype()), to = itemsize(d);
  Dims shape(t->shape()), strides(t->strides());
  if (from != to) {
    if (t->ndim() == 0 || t->stride(t->ndim() - 1) != 1)
      fail(ErrorKind::Runtime,
           "self.stride(-1) must be 1 to view %s as %s (different element sizes), but got a shape "
           "of %s",
           info(t->dtype()).name, info(d).name, to_string(t->shape()).c_str());
    int last = t->ndim() - 1;
    if (shape[last] * from % to != 0)
      fail(ErrorKind::Runtime,
           "self.size(-1) must be divisible by %lld to view %s as %s (different element sizes), "
           "but got %lld",
           static_cast<long long>(to / from), info(t->dtype()).name, info(d).name,
           static_cast<long long>(shape[last]));
    shape[last] = shape[last] * from / to;
    for (int i = 0; i < last; i++) strides[i] = strides[i] * from / to;
  }
  Ref y = alias(t, shape, strides, t->arr.data);
  y->arr.dtype = uint8_t(d);
  return y;
}

Ref real_view(Tensor* t) {
  Dims shape(t->shape()), strides;
  for (int i = 0; i < shape.n; i++) strides.push(2 * t->stride(i));
  shape.push(2);
  strides.push(1);
  Ref y = alias(t, shape, strides, t->arr.data);
  y->arr.dtype = uint8_t(real_dtype(t->dtype()));
  mark_view(y, t);
  if (records(t))
    record("ViewAsRealBackward0", {t}, y,
           [](Backward& b) { b.set(0, complex_view(contiguous(b.grad()))); });
  return y;
}

Ref complex_view(Tensor* t) {
  if (t->ndim() == 0 || t->size(t->ndim() - 1) != 2)
    fail(ErrorKind::Runtime,
         "view_as_complex: Tensor must have a last dimension of size 2, but got shape %s",
         to_string(t->shape()).c_str());
  if (!is_floating(t->dtype()) || t->dtype() == FB_BFLOAT16)
    fail(ErrorKind::Runtime,
         "view_as_complex is only supported for half, float and double tensors, but got %s",
         info(t->dtype()).legacy_name);
  const bool filled = t->numel() > 0;  // no elements: strides say nothing
  if (filled && t->stride(t->ndim() - 1) != 1)
    fail(ErrorKind::Runtime, "view_as_complex: Tensor must have a last dimension with stride 1");
  Dims shape, strides;
  for (int i = 0; i + 1 < t->ndim(); i++) {
    if (filled && t->stride(i) % 2 != 0 && t->size(i) > 1)
      fail(ErrorKind::Runtime,
           "view_as_complex: Tensor must have a stride divisible by 2 for all but last dimension");
    shape.push(t->size(i));
    strides.push(t->stride(i) / 2);
  }
  Ref y = alias(t, shape, strides, t->arr.data);
  y->arr.dtype = uint8_t(t->dtype() == FB_FLOAT16 ? FB_COMPLEX32 : complex_dtype(t->dtype()));
  mark_view(y, t);
  if (records(t))
    record("ViewAsComplexBackward0", {t}, y,
           [](Backward& b) { b.set(0, real_view(contiguous(b.grad()))); });
  return y;
}

}  // namespace flambeau
