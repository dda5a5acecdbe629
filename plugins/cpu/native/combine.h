// How a value that arrives at a place already taken is combined with what is there.
#pragma once

#include "element.h"

namespace flambeau_cpu::FLAMBEAU_ISA {

// As kernels.h numbers the modes of scatter.
enum CombineMode : int64_t { kSet = 0, kAdd = 1, kMultiply = 2, kAmax = 3, kAmin = 4 };

template <typename T>
struct ComplexValue {
  T re, im;
};

struct Set {
  template <typename T>
  static void apply(T& to, const T& value) {
    to = value;
  }
};

struct Add {
  static void apply(bool& to, bool value) { to = to || value; }
  static void apply(float16& to, float16 value) { assign(to, to_float(to) + to_float(value)); }
  static void apply(bfloat16& to, bfloat16 value) { assign(to, to_float(to) + to_float(value)); }
  template <typename T>
  static void apply(ComplexValue<T>& to, ComplexValue<T> value) {
    to.re += value.re;
    to.im += value.im;
  }
  template <typename T>
  static void apply(T& to, T value) {
    to = static_cast<T>(to + value);
  }
};

struct Multiply {
  static void apply(bool& to, bool value) { to = to && value; }
  static void apply(float16& to, float16 value) { assign(to, to_float(to) * to_float(value)); }
  static void apply(bfloat16& to, bfloat16 value) { assign(to, to_float(to) * to_float(value)); }
  template <typename T>
  static void apply(ComplexValue<T>& to, ComplexValue<T> value) {
    to = {to.re * value.re - to.im * value.im, to.re * value.im + to.im * value.re};
  }
  template <typename T>
  static void apply(T& to, T value) {
    to = static_cast<T>(to * value);
  }
};

// The larger of the two, or the smaller; NaN wins.
template <bool kLargest>
struct Extreme {
  template <typename T>
  static void apply(T& to, T value) {
    if ((kLargest ? value > to : value < to) || value != value) to = value;
  }
  static void apply(float16& to, float16 value) { through_float(to, value); }
  static void apply(bfloat16& to, bfloat16 value) { through_float(to, value); }

 private:
  template <typename Half>
  static void through_float(Half& to, Half value) {
    float best = to_float(to);
    apply(best, to_float(value));
    assign(to, best);
  }
};
using Amax = Extreme<true>;
using Amin = Extreme<false>;

}  // namespace flambeau_cpu::FLAMBEAU_ISA
