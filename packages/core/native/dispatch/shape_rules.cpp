#include "dispatch/shape_rules.h"

#include <algorithm>

#include "base/error.h"

namespace flambeau {

int wrap_dim(int64_t dim, int ndim) {
  int n = std::max(ndim, 1);
  if (dim < -n || dim >= n)
    fail(ErrorKind::Index,
         "Dimension out of range (expected to be in range of [%d, %d], but got %lld)", -n, n - 1,
         static_cast<long long>(dim));
  return int(dim < 0 ? dim + n : dim);
}

Dims wrap_dims(const char* op, Ints dims, int ndim) {
  Dims out;
  uint64_t seen = 0;
  for (int64_t d : dims) {
    int w = wrap_dim(d, ndim);
    if (seen >> w & 1)
      fail(ErrorKind::Runtime, "%s: dim %d appears multiple times in the list of dims", op, w);
    seen |= uint64_t(1) << w;
    out.push(w);
  }
  return out;
}

Dims broadcast_shapes(const char* op, Ints a, Ints b) {
  Dims out;
  out.n = std::max(a.n, b.n);
  for (int i = 0; i < out.n; i++) {
    int ia = a.n - out.n + i, ib = b.n - out.n + i;
    int64_t x = ia < 0 ? 1 : a[ia], y = ib < 0 ? 1 : b[ib];
    if (x != y && x != 1 && y != 1)
      fail(
          ErrorKind::Runtime,
          "%s: The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton "
          "dimension %d (shapes %s and %s)",
          op, static_cast<long long>(x), static_cast<long long>(y), i, to_string(a).c_str(),
          to_string(b).c_str());
    out[i] = x == 1 ? y : x;
  }
  return out;
}

bool broadcast_strides(Ints shape, Ints strides, Ints target, int64_t* out) {
  int lead = target.n - shape.n;
  if (lead < 0) return false;
  for (int i = 0; i < target.n; i++) {
    if (i < lead || (shape[i - lead] == 1 && target[i] != 1)) {
      out[i] = 0;
    } else if (shape[i - lead] == target[i]) {
      out[i] = strides[i - lead];
    } else {
      return false;
    }
  }
  return true;
}

Dims infer_size(const char* op, Ints shape, int64_t numel) {
  Dims out(shape);
  int unknown = -1;
  int64_t known = 1;
  for (int i = 0; i < shape.n; i++) {
    if (shape[i] == -1) {
      if (unknown >= 0) fail(ErrorKind::Runtime, "%s: only one dimension can be inferred", op);
      unknown = i;
    } else if (shape[i] < 0) {
      fail(ErrorKind::Runtime, "%s: invalid shape dimension %lld", op,
           static_cast<long long>(shape[i]));
    } else if (__builtin_mul_overflow(known, shape[i], &known)) {
      known = INT64_MAX;  // more than any tensor has
    }
  }
  if (unknown >= 0 && known > 0 && numel % known == 0) {
    out[unknown] = numel / known;
    return out;
  }
  if (unknown >= 0 && known == 0 && numel == 0)
    fail(ErrorKind::Runtime,
         "%s: cannot reshape tensor of 0 elements into shape %s because the unspecified dimension "
         "size -1 can be any value and is ambiguous",
         op, to_string(shape).c_str());
  if (unknown >= 0 || known != numel)
    fail(ErrorKind::Runtime, "%s: shape '%s' is invalid for input of size %lld", op,
         to_string(shape).c_str(), static_cast<long long>(numel));
  return out;
}

bool view_strides(Ints shape, Ints strides, Ints target, int64_t* out) {
  if (numel_of(shape) == 0) {
    contiguous_strides(target, out);
    return true;
  }
  if (shape.n == 0) {
    for (int i = 0; i < target.n; i++) out[i] = 1;
    return true;
  }
  // Walk both shapes from the end: a run of old dimensions that lies evenly in
  // memory may be cut into new ones wherever the sizes agree.
  int t = target.n - 1;
  int64_t base = strides[shape.n - 1], run = 1, taken = 1;
  for (int d = shape.n - 1; d >= 0; d--) {
    run *= shape[d];
    bool ends = d == 0 || (shape[d - 1] != 1 && strides[d - 1] != run * base);
    if (!ends) continue;
    while (t >= 0 && (taken < run || target[t] == 1)) {
      out[t] = taken * base;
      taken *= target[t];
      t--;
    }
    if (taken != run) return false;
    if (d > 0) {
      base = strides[d - 1];
      run = taken = 1;
    }
  }
  return t == -1;
}

int64_t window_count(int64_t input, int64_t kernel, int64_t stride, int64_t before, int64_t after,
                     int64_t dilation, bool ceil_mode) {
  // Wide, since any of them may be what somebody typed.
  using Wide = __int128;
  Wide span = Wide(input) + before + after - Wide(dilation) * (Wide(kernel) - 1) - 1;
  Wide n = span + (ceil_mode ? stride - 1 : 0);
  // Division rounds down for negative spans too.
  n = (n >= 0 ? n / stride : -((-n + stride - 1) / stride)) + 1;
  // In ceil mode the last window has to start inside the input or its left padding.
  if (ceil_mode && (n - 1) * stride >= Wide(input) + before) n--;
  constexpr Wide most = int64_t(1) << 58;
  return int64_t(std::max<Wide>(std::min(n, most), -most));
}

}  // namespace flambeau
