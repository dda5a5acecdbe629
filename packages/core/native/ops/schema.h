// Signatures in PyTorch's notation.
//   "sum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None)"
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "base/scalar.h"
#include "base/shape.h"
#include "tensor/tensor.h"

namespace flambeau {

enum class Kind : uint8_t {
  Tensor,
  Tensors,  // a sequence of tensors
  Operand,  // a tensor or a number
  Scalar,   // a number (or a tensor of one element, read)
  Int,
  Ints,  // a sequence of integers, or one integer
  Float,
  Bool,
  Str,
  DType,
  Device,
  Generator,
  Any,  // handed through as it is
};

// One parsed argument. What it borrows lives as long as the call.
struct Slot {
  enum Tag : uint8_t { None, Tensor_, Number, Ints_, Str_, DType_, Device_, Object } tag;
  Category category;  // of a Number
  int32_t count;      // of Ints_
  union {
    Tensor* tensor;
    int64_t i;
    const int64_t* list;
    const char* text;
    PyObject* object;
    DeviceType* device;
  };
  double f, imag;  // of a Number; `f` also holds a device's index
};

struct Param {
  std::string name;
  PyObject* interned = nullptr;
  Kind kind = Kind::Tensor;
  bool optional = false;
  bool has_default = false;
  bool keyword_only = false;
  bool varargs = false;  // "int[]*": further positional integers join the list
  Slot fallback{};
  std::vector<int64_t> fallback_list;
  std::string fallback_text;
};

struct Schema {
  std::string text;
  std::string name;
  std::vector<Param> params;
  int n_positional = 0;
  int n_required = 0;
  bool takes_out = false;
  bool exact_out = false;  // of the result's dtype
};

Schema parse_schema(const std::string& text);

constexpr int max_params = 20;

}  // namespace flambeau
