// The ops as C++ functions, for gradients, operators and one another. Each
// records itself for autograd unless its comment says otherwise.
#pragma once

#include "base/scalar.h"
#include "tensor/memory_format.h"

namespace flambeau {

struct Args;

// A tensor or a number.
struct Operand {
  Tensor* t = nullptr;
  Scalar s;
  Operand(Tensor* t) : t(t) {}
  Operand(const Ref& r) : t(r.get()) {}
  Operand(const Scalar& s) : s(s) {}
  Operand(double v) : s(v) {}
  Operand(int v) : s(int64_t(v)) {}
};

// ---- values and copies (copy.cpp) ----
Ref clone(Tensor* t, MemoryFormat f = MemoryFormat::Contiguous);
Ref contiguous(Tensor* t);  // itself where it is contiguous already
// A copy is laid out as asked for; what need not change is returned itself.
Ref to_dtype(Tensor* t, DType d, MemoryFormat f = MemoryFormat::Contiguous);
Ref to_device(Tensor* t, Device d, MemoryFormat f = MemoryFormat::Contiguous);
Ref copy_(Tensor* self, Tensor* source);  // in place, broadcasts, converts
// Outside the graph:
void copy_values(Tensor* to, Tensor* from);  // same shape; any dtype, device
Ref cast_values(Tensor* t, DType d, MemoryFormat f = MemoryFormat::Contiguous);
void fill_values(Tensor* t, const Scalar& s);
Ref stand_in(Tensor* self);  // another tensor with the same values and history
void resize(Tensor* t, Ints shape);

// ---- factories (factory.cpp): outside the graph ----
Ref full(Ints shape, const Scalar& s, DType d, Device device);
Ref zeros_like(Tensor* t);
Ref zeros(Tensor* like, Ints shape);
Ref scalar_tensor(const Scalar& s, DType d, Device device);
Ref arange(const Scalar& start, const Scalar& end, const Scalar& step, DType d, Device device);

// ---- views (view.cpp) ----
Ref view(Tensor* t, Ints shape);  // RuntimeError where memory does not allow it
Ref reshape(Tensor* t, Ints shape);
Ref as_strided(Tensor* t, Ints shape, Ints strides, int64_t offset);
Ref expand(Tensor* t, Ints shape);
Ref permute(Tensor* t, Ints dims);
Ref transpose(Tensor* t, int64_t a, int64_t b);
Ref squeeze(Tensor* t, Ints dims);
Ref unsqueeze(Tensor* t, int64_t dim);
Ref select(Tensor* t, int64_t dim, int64_t index);
Ref slice(Tensor* t, int64_t dim, int64_t start, int64_t end, int64_t step);
Ref narrow(Tensor* t, int64_t dim, int64_t start, int64_t length);
Ref diagonal(Tensor* t, int64_t offset, int64_t dim1, int64_t dim2);
Ref detach(Tensor* t);
// Sums over what broadcasting repeated, back to `shape`.
Ref sum_to(Tensor* t, Ints shape);

// ---- elementwise ----
Ref add(const Operand& a, const Operand& b);
Ref sub(const Operand& a, const Operand& b);
Ref mul(const Operand& a, const Operand& b);
Ref div(const Operand& a, const Operand& b);
Ref pow(const Operand& a, const Operand& b);
// A binary kernel by name, comparisons included.
Ref binary(const char* name, const Operand& a, const Operand& b);
Ref unary(const char* name, Tensor* x);
Ref neg(Tensor* x);
Ref exp(Tensor* x);
Ref log(Tensor* x);
Ref where(Tensor* condition, const Operand& a, const Operand& b);
Ref masked_fill(Tensor* t, Tensor* mask, const Operand& value);
void add_in_place(Tensor* a, Tensor* b);  // outside the graph

// ---- reductions (reduce.cpp): no dims means all of them ----
Ref sum(Tensor* t);
Ref sum(Tensor* t, Ints dims, bool keepdim);
Ref mean(Tensor* t, Ints dims, bool keepdim);
Ref amax(Tensor* t, Ints dims, bool keepdim);
Ref any_true(Tensor* t);
// Puts reduced dimensions back, so that the result broadcasts against the input.
Ref restore_dims(Tensor* reduced, Ints dims, int ndim, bool keepdim);

// ---- joining (join.cpp) ----
Ref cat(const std::vector<Tensor*>& tensors, int64_t dim);
Ref stack(const std::vector<Tensor*>& tensors, int64_t dim);

// ---- products (matmul.cpp) ----
Ref matmul(Tensor* a, Tensor* b);

// ---- indexing (index.cpp, gather.cpp) ----
Ref index_select(Tensor* t, int64_t dim, Tensor* index);
Ref index_add(Tensor* t, int64_t dim, Tensor* index, Tensor* source);
Ref gather(Tensor* t, int64_t dim, Tensor* index);
Ref scatter_add(Tensor* t, int64_t dim, Tensor* index, Tensor* source);

}  // namespace flambeau
