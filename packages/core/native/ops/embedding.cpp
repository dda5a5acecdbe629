// Embedding: rows of a table by integer indices.
#include "ops/elementwise.h"
#include "ops/index_check.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

struct EmbeddingCall {
  int64_t padding;  // the row that gets no gradient; -1: none
  bool scale_by_frequency;
  bool sparse;  // the gradient holds the rows that were looked up, and no others
};

void check_index(Tensor* index) {
  if (index->dtype() != FB_INT64 && index->dtype() != FB_INT32)
    fail(ErrorKind::Runtime,
         "embedding: Expected tensor for argument #1 'indices' to have one of the following scalar "
         "types: Long, Int; "
         "but got %s instead (while checking arguments for embedding)",
         info(index->dtype()).legacy_name);
}

// Rows of the gradient go back to the table; `index` is a vector, g [.., D].
Ref table_gradient(const EmbeddingCall& c, const Ref& g, const Ref& index, Ints table_shape) {
  Ref rows = reshape(g, {index->numel(), table_shape[1]});
  if (c.padding >= 0)
    rows = masked_fill(rows, unsqueeze(binary("eq", index, Scalar(c.padding)), 1), 0);
  if (c.scale_by_frequency) {
    Ref one = full({index->numel()}, Scalar(1), g->dtype(), {g->device, g->device_index()});
    Ref counts = index_select(index_add(zeros(g, {table_shape[0]}), 0, index, one), 0, index);
    rows = div(rows, unsqueeze(counts, 1));
  }
  return index_add(zeros(g, table_shape), 0, index, rows);
}

Ref sparse_table_gradient(const EmbeddingCall& c, const Ref& g, const Ref& index,
                          Ints table_shape) {
  if (c.scale_by_frequency)
    fail(ErrorKind::Runtime,
         "embedding: scale_grad_by_freq is not supported with sparse gradients");
  PyObject* module = checked(PyImport_ImportModule("flambeau_core.sparse.row_gradient"));
  PyObject* result = PyObject_CallMethod(module, "row_gradient", "OO(LL)L", index.get(), g.get(),
                                         static_cast<long long>(table_shape[0]),
                                         static_cast<long long>(table_shape[1]),
                                         static_cast<long long>(c.padding));
  Py_DECREF(module);
  return Ref::steal(as_tensor(checked(result)));
}

Ref embedding(Tensor* given_index, Tensor* weight, const EmbeddingCall& c) {
  check_index(given_index);
  check_same_device("embedding", weight, given_index);
  if (weight->ndim() != 2)
    fail(ErrorKind::Runtime, "embedding: 'weight' must be 2-D, got shape %s",
         to_string(weight->shape()).c_str());
  Ref index =
      given_index->dtype() == FB_INT64 ? Ref(given_index) : cast_values(given_index, FB_INT64);
  index = reshape(index, {-1});
  refuse_negative("embedding", index);
  Dims shape(given_index->shape());
  shape.push(weight->size(1));
  Ref y = empty_like(weight, shape);
  if (y->numel())
    launch(kernel_id("index_select"), {reshaped_alias(y, {index->numel(), weight->size(1)})},
           {weight, index}, {int_param(0)});
  if (records(weight))
    record("EmbeddingBackward0", {weight}, y,
           [c, index = Saved(index), shape = weight->shape().vec()](Backward& b) {
             auto gradient = c.sparse ? sparse_table_gradient : table_gradient;
             b.set(0, gradient(c, b.grad(), b.get(index), shape));
           });
  return y;
}

// The functional form names the indices first, the bare op the table.
PyObject* run(Args& a) {
  Tensor *index = a.tensor(0), *weight = a.tensor(1);
  bool table_first = is_differentiable(index->dtype()) && !is_differentiable(weight->dtype());
  if (table_first) std::swap(index, weight);
  int64_t padding = a.given(2) ? a.integer(2) : -1, rows = weight->ndim() ? weight->size(0) : 0;
  // Of the bare op -1 means no padding; otherwise negative rows count from the end.
  if (a.given(2) && !table_first) {
    if (padding < -rows || padding >= rows)
      fail(ErrorKind::Runtime,
           "embedding: padding_idx %lld must be within the %lld rows of the table",
           static_cast<long long>(padding), static_cast<long long>(rows));
    if (padding < 0) padding += rows;
  }
  return object(embedding(index, weight, {padding, a.flag(3), a.flag(4)}));
}

}  // namespace

void declare_embedding() {
  const std::string options =
      ", int? padding_idx=None, bool scale_grad_by_freq=False, bool sparse=False)";
  declare("embedding(Tensor input, Tensor weight" + options, run, kFunction | kNeuralToo);
  declare("embedding(Tensor weight, Tensor indices" + options, run, kFunction | kNeuralToo);
}

}  // namespace flambeau
