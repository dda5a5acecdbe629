// Sizes and strides as borrowed or owned lists of int64.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/error.h"

namespace flambeau {

constexpr int max_dims = 64;

// A borrowed list; never outlives what it points into.
struct Ints {
  const int64_t* p = nullptr;
  int n = 0;

  constexpr Ints() = default;
  constexpr Ints(const int64_t* p, int n) : p(p), n(n) {}
  constexpr Ints(std::initializer_list<int64_t> l) : p(l.begin()), n(int(l.size())) {}
  Ints(const std::vector<int64_t>& v) : p(v.data()), n(int(v.size())) {}

  int64_t operator[](int i) const { return p[i]; }
  const int64_t* begin() const { return p; }
  const int64_t* end() const { return p + n; }
  bool operator==(Ints o) const {
    return n == o.n && (n == 0 || std::memcmp(p, o.p, size_t(n) * sizeof(int64_t)) == 0);
  }
  bool operator!=(Ints o) const { return !(*this == o); }
  std::vector<int64_t> vec() const { return {begin(), end()}; }
};

// An owned list of at most max_dims entries, on the stack.
struct Dims {
  int n = 0;
  int64_t v[max_dims];

  Dims() = default;
  Dims(Ints o) : n(o.n) {
    check(n);
    if (n) std::memcpy(v, o.p, size_t(n) * sizeof(int64_t));
  }
  Dims(const Dims& o) : Dims(Ints(o)) {}
  Dims& operator=(const Dims& o) {
    n = o.n;
    if (n) std::memmove(v, o.v, size_t(n) * sizeof(int64_t));
    return *this;
  }
  operator Ints() const { return {v, n}; }
  int64_t& operator[](int i) { return v[i]; }
  int64_t operator[](int i) const { return v[i]; }
  void push(int64_t x) {
    check(n + 1);
    v[n++] = x;
  }
  static void check(int count) {
    if (__builtin_expect(count > max_dims, 0))
      fail(ErrorKind::Runtime, "too many dimensions: %d, at most %d are supported", count,
           max_dims);
  }
};

// "[2, 3]"
inline std::string to_string(Ints a) {
  std::string s = "[";
  for (int i = 0; i < a.n; i++) s += (i ? ", " : "") + std::to_string(a[i]);
  return s + "]";
}

inline int64_t numel_of(Ints shape) {
  int64_t n = 1;
  for (int64_t s : shape) {
    if (s == 0) return 0;
    n *= s;
  }
  return n;
}

// The number of elements of a shape that somebody asks for; RuntimeError for
// negative sizes and for more elements than can be counted.
inline int64_t checked_numel(Ints shape) {
  Dims::check(shape.n);
  int64_t n = 1;
  bool too_many = false;
  for (int64_t s : shape) {
    if (s < 0)
      fail(ErrorKind::Runtime, "Trying to create tensor with negative dimension %lld: %s",
           static_cast<long long>(s), to_string(shape).c_str());
    too_many = too_many || __builtin_mul_overflow(n, s, &n);
  }
  if (too_many || n > (int64_t(1) << 58))
    fail(ErrorKind::Runtime, "Storage size calculation overflowed with sizes=%s",
         to_string(shape).c_str());
  return n;
}

// How many elements of memory such a view reaches over.
inline int64_t checked_extent(Ints shape, Ints strides) {
  if (checked_numel(shape) == 0) return 0;
  int64_t last = 0;
  for (int i = 0; i < shape.n; i++) {
    int64_t reach;
    if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last) || last > (int64_t(1) << 58))
      fail(ErrorKind::Runtime, "Storage size calculation overflowed: strides reach too far");
  }
  return last + 1;
}

// Where a size is zero the others may be as large as they like, and strides mean nothing.
inline void contiguous_strides(Ints shape, int64_t* strides) {
  uint64_t step = 1;
  for (int i = shape.n - 1; i >= 0; i--) {
    strides[i] = int64_t(step);
    if (shape[i] > 1) step *= uint64_t(shape[i]);
  }
}

// The stride of every `step`-th element. A step that reaches beyond all memory meets one
// element at most, whose stride means nothing.
inline int64_t stepped(int64_t stride, int64_t step) {
  int64_t product;
  return __builtin_mul_overflow(stride, step, &product) ? stride : product;
}

inline bool is_contiguous(Ints shape, Ints strides) {
  uint64_t expected = 1;
  for (int i = shape.n - 1; i >= 0; i--) {
    if (shape[i] != 1) {
      // Without elements any strides will do: NumPy writes zeros.
      if (uint64_t(strides[i]) != expected) return numel_of(shape) == 0;
      expected *= uint64_t(shape[i]);
    }
  }
  return true;
}

}  // namespace flambeau
