// Reading and writing along one dimension by an index tensor.
#include <cstring>

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/index_check.h"
#include "ops/launch.h"

namespace flambeau {
namespace {

enum class Mode : int64_t { Set = 0, Add = 1, Multiply = 2 };  // as the kernel numbers them

// ---- checks -------------------------------------------------------------------

Ref index_values(const char* op, Tensor* index) {
  // An empty index may have any type.
  if (index->numel() == 0 && index->dtype() != FB_INT64)
    return empty_like(index, index->shape(), FB_INT64);
  if (index->dtype() == FB_INT64) return Ref(index);
  if (index->dtype() == FB_INT32) return cast_values(index, FB_INT64);
  fail(ErrorKind::Runtime, "%s(): Expected dtype int32/int64 for index, got %s", op,
       info(index->dtype()).legacy_name);
}

// A 0-dimensional tensor counts as having one dimension of size 1.
int dims_of(Tensor* t) { return t->ndim() ? t->ndim() : 1; }
int64_t size_of(Tensor* t, int d) { return t->ndim() ? t->size(d) : 1; }

// Whether `index` fits into `t` everywhere but along `dim` (-1: everywhere).
bool fits(Tensor* index, Tensor* t, int dim) {
  for (int d = 0; d < dims_of(index); d++)
    if (d != dim && size_of(index, d) > size_of(t, d)) return false;
  return true;
}

void check_gather(Tensor* t, Tensor* index, int dim) {
  check_same_device("gather", t, index);
  if (index->numel() == 0) return;
  if (dims_of(t) != dims_of(index))
    fail(
        ErrorKind::Runtime,
        "gather(): Index tensor must have the same number of dimensions as input tensor (index %s, "
        "input %s)",
        to_string(index->shape()).c_str(), to_string(t->shape()).c_str());
  if (!fits(index, t, dim))
    fail(ErrorKind::Runtime,
         "gather(): Size does not match: expected index %s to be no larger than self %s apart from "
         "dimension %d",
         to_string(index->shape()).c_str(), to_string(t->shape()).c_str(), dim);
}

void check_scatter(const char* op, Tensor* t, Tensor* index, Tensor* source, int dim) {
  check_same_device(op, t, index);
  check_same_device(op, t, source);
  if (source && source->dtype() != t->dtype())
    fail(ErrorKind::Runtime, "%s(): Expected self.dtype to be equal to src.dtype, got %s and %s",
         op, info(t->dtype()).legacy_name, info(source->dtype()).legacy_name);
  if (index->numel() == 0) return;
  if (dims_of(t) != dims_of(index) || (source && dims_of(source) != dims_of(index)))
    fail(ErrorKind::Runtime,
         "%s(): Index tensor must have the same number of dimensions as self and src tensor (index "
         "%s, self %s)",
         op, to_string(index->shape()).c_str(), to_string(t->shape()).c_str());
  if (!fits(index, t, dim) || (source && !fits(index, source, -1)))
    fail(
        ErrorKind::Runtime,
        "%s(): Expected index %s to be no larger than self %s apart from dimension %d and to be no "
        "larger size than src %s",
        op, to_string(index->shape()).c_str(), to_string(t->shape()).c_str(), dim,
        source ? to_string(source->shape()).c_str() : "(a number)");
}

// gather and scatter refuse an index value with RuntimeError, not IndexError.
template <class F>
void with_runtime_errors(const char* op, F&& run) {
  try {
    run();
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::Index) throw;
    fail(ErrorKind::Runtime, "%s(): %s", op, e.what());
  } catch (const PythonError&) {
    if (!PyErr_ExceptionMatches(PyExc_IndexError)) throw;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_Format(PyExc_RuntimeError, "%s(): %S", op, value);
    Py_XDECREF(type), Py_XDECREF(value), Py_XDECREF(trace);
    throw;
  }
}

// The values to write into: the destination itself in place, or a copy.
Ref writable(Tensor* self, Tensor* destination) {
  if (destination == self) return Ref(self);
  GradModeGuard off(false);
  return clone(self);
}

// ---- gather and scatter -----------------------------------------------------------

Ref scatter(const char* op, Tensor* self, int64_t dim, Tensor* index, const Operand& source,
            Mode mode, Tensor* destination);

// The gradient of scatter's source: what was read from it, zeros elsewhere.
Ref source_gradient(const Ref& g, int dim, const Ref& index, Ints source_shape) {
  if (index->numel() == 0) return zeros(g, source_shape);
  Ref read = gather(g, dim, index);
  if (source_shape.n != read->ndim()) return reshape(read, source_shape);  // of a 0-dim source
  for (int d = 0; d < source_shape.n; d++) {
    int64_t missing = source_shape[d] - read->size(d);
    if (missing == 0) continue;
    Dims rest(read->shape());
    rest[d] = missing;
    read = cat({read, zeros(read, rest)}, d);
  }
  return read;
}

void record_scatter(Tensor* self, int dim, const Ref& index, const Operand& source, Mode mode,
                    Tensor* y) {
  std::vector<int64_t> shape = (source.t ? source.t->shape() : Ints()).vec();
  record(mode == Mode::Set ? "ScatterBackward0" : "ScatterAddBackward0", {self, source.t}, y,
         [dim, mode, index = Saved(index), shape = std::move(shape)](Backward& b) {
           if (mode == Mode::Multiply)
             fail(ErrorKind::Runtime,
                  "the derivative for scatter with reduce='multiply' is not implemented");
           Ref at = b.get(index);
           const Ref& g = b.grad();
           if (b.needs(0))
             b.set(0, mode == Mode::Add
                          ? g
                          : scatter("scatter", g, dim, at, Scalar(0.0), Mode::Set, nullptr));
           if (b.needs(1)) b.set(1, source_gradient(g, dim, at, shape));
         });
}

Ref scatter(const char* op, Tensor* self, int64_t dim, Tensor* given_index, const Operand& source,
            Mode mode, Tensor* destination) {
  int d = wrap_dim(dim, self->ndim());
  Ref index = index_values(op, given_index);
  check_scatter(op, self, index, source.t, d);
  Ref y = writable(self, destination);
  if (index->numel()) {
    Ref values = source.t;
    if (!values)
      values = expand(scalar_tensor(source.s, self->dtype(), {self->device, self->device_index()}),
                      index->shape());
    values = apart_from(y, values);
    Ref places = apart_from(y, index);
    with_runtime_errors(op, [&] {
      launch(kernel_id("scatter"), {at_least_1d(y)}, {at_least_1d(places), at_least_1d(values)},
             {int_param(d), int_param(int64_t(mode))});
    });
  }
  if (records(self, source.t)) record_scatter(self, d, index, source, mode, y);
  return y;
}

PyObject* run_gather(Args& a) { return object(gather(a.tensor(0), a.integer(1), a.tensor(2))); }

PyObject* run_scatter(Args& a) {
  Mode mode = Mode::Set;
  if (a.given(4)) {
    bool add = !std::strcmp(a.text(4), "add");
    if (!add && std::strcmp(a.text(4), "multiply") != 0)
      fail(ErrorKind::Runtime,
           "scatter(): reduce argument must be either add or multiply, got '%s'", a.text(4));
    mode = add ? Mode::Add : Mode::Multiply;
  }
  Operand source = a.tensor(3) ? Operand(a.tensor(3)) : Operand(a.scalar(3));
  return object(
      scatter("scatter", a.tensor(0), a.integer(1), a.tensor(2), source, mode, a.destination));
}

PyObject* run_scatter_add(Args& a) {
  return object(scatter("scatter_add", a.tensor(0), a.integer(1), a.tensor(2), a.tensor(3),
                        Mode::Add, a.destination));
}

// ---- whole slices -------------------------------------------------------------------

Ref index_vector(const char* op, Tensor* index) {
  if (index->ndim() > 1)
    fail(ErrorKind::Index,
         "%s(): Index is supposed to be a vector, but got dim: %d with type: %s and size: %s", op,
         index->ndim(), info(index->dtype()).legacy_name, to_string(index->shape()).c_str());
  Ref values = index_values(op, index);
  return values->ndim() ? values : reshaped_alias(contiguous(values), {1});
}

Ref index_add(Tensor* self, int64_t dim, Tensor* given_index, Tensor* source, Tensor* destination) {
  int d = wrap_dim(dim, self->ndim());
  const char* op = "index_add";
  Ref index = index_vector(op, given_index);
  check_same_device(op, self, index);
  check_same_device(op, self, source);
  if (self->dtype() != source->dtype())
    fail(ErrorKind::Runtime,
         "index_add(): self (%s) and source (%s) must have the same scalar type",
         info(self->dtype()).legacy_name, info(source->dtype()).legacy_name);
  if (index->numel() != size_of(source, d < source->ndim() ? d : 0))
    fail(source->ndim() ? ErrorKind::Runtime : ErrorKind::Index,
         "index_add(): Number of indices (%lld) should be equal to source.size(dim): (%lld), for "
         "dim: %d",
         static_cast<long long>(index->numel()),
         static_cast<long long>(size_of(source, d < source->ndim() ? d : 0)), d);
  bool same = self->ndim() == source->ndim();
  for (int i = 0; same && i < dims_of(self); i++)
    same = i == d || size_of(self, i) == size_of(source, i);
  if (!same)
    fail(ErrorKind::Runtime,
         "index_add(): source tensor shape must match self tensor shape, excluding the specified "
         "dimension. Got self.shape = %s source.shape = %s",
         to_string(self->shape()).c_str(), to_string(source->shape()).c_str());
  if (self->ndim() && self->size(d) == 0 && source->numel())
    fail(ErrorKind::Index, "index_add(): index is out of bounds for dimension %d with size 0", d);
  Ref y = writable(self, destination);
  if (source->numel() && y->numel())
    launch(kernel_id("index_add"), {at_least_1d(y)},
           {apart_from(y, index), at_least_1d(apart_from(y, source))}, {int_param(d)});
  if (records(self, source))
    record("IndexAddBackward0", {self, source}, y,
           [d, index = Saved(index), scalar = source->ndim() == 0](Backward& b) {
             if (b.needs(0)) b.set(0, b.grad());
             if (!b.needs(1)) return;
             Ref read = index_select(b.grad(), d, b.get(index));
             b.set(1, scalar ? reshape(read, Ints()) : read);
           });
  return y;
}

PyObject* run_index_select(Args& a) {
  if (a.tensor(2)->ndim() > 1)
    fail(ErrorKind::Index, "index_select(): Index is supposed to be a vector, got shape %s",
         to_string(a.tensor(2)->shape()).c_str());
  refuse_negative("index_select", index_values("index_select", a.tensor(2)));
  return object(index_select(a.tensor(0), a.integer(1), a.tensor(2)));
}

PyObject* run_index_add(Args& a) {
  Ref source = a.tensor(3);
  refuse_negative("index_add", index_values("index_add", a.tensor(2)));
  Scalar alpha = a.scalar(4);
  if (is_integral(source->dtype())) alpha = Scalar(alpha.i);  // its fraction is dropped
  if (!alpha.equals(1)) source = to_dtype(mul(source, Operand(alpha)), source->dtype());
  return object(index_add(a.tensor(0), a.integer(1), a.tensor(2), source, a.destination));
}

PyObject* run_take(Args& a) {
  Tensor *self = a.tensor(0), *index = a.tensor(1);
  if (index->dtype() != FB_INT64)
    fail(ErrorKind::Runtime, "take(): Expected a long tensor for index, but got %s",
         info(index->dtype()).legacy_name);
  if (self->numel() == 0 && index->numel())
    fail(ErrorKind::Index, "take(): tried to take from an empty tensor");
  return object(
      reshape(index_select(reshape(self, {-1}), 0, reshape(index, {-1})), index->shape()));
}

}  // namespace

Ref gather(Tensor* t, int64_t dim, Tensor* given_index) {
  int d = wrap_dim(dim, t->ndim());
  Ref index = index_values("gather", given_index);
  check_gather(t, index, d);
  Ref y = empty_like(t, index->shape());
  if (y->numel())
    with_runtime_errors("gather", [&] {
      launch(kernel_id("gather"), {at_least_1d(y)}, {at_least_1d(t), at_least_1d(index)},
             {int_param(d)});
    });
  if (records(t))
    record("GatherBackward0", {t}, y,
           [d, index = Saved(index), shape = t->shape().vec()](Backward& b) {
             b.set(0, scatter_add(zeros(b.grad(), shape), d, b.get(index), b.grad()));
           });
  return y;
}

Ref scatter_add(Tensor* t, int64_t dim, Tensor* index, Tensor* source) {
  return scatter("scatter_add", t, dim, index, source, Mode::Add, nullptr);
}

Ref index_select(Tensor* t, int64_t dim, Tensor* given_index) {
  int d = wrap_dim(dim, t->ndim());
  check_same_device("index_select", t, given_index);
  Ref index = index_vector("index_select", given_index);
  Dims shape(t->shape());
  if (shape.n) {
    shape[d] = index->numel();
  } else if (index->numel() != 1) {
    fail(ErrorKind::Runtime, "index_select(): Index to scalar can have only 1 value, got %lld",
         static_cast<long long>(index->numel()));
  }
  if (t->ndim() && t->size(d) == 0 && index->numel())
    fail(ErrorKind::Runtime, "index_select(): nothing to select from dimension %d of shape %s", d,
         to_string(t->shape()).c_str());
  Ref y = empty_like(t, shape);
  if (y->numel())
    launch(kernel_id("index_select"), {at_least_1d(y)}, {at_least_1d(t), index}, {int_param(d)});
  if (records(t))
    record("IndexSelectBackward0", {t}, y,
           [d, index = Saved(index), shape = t->shape().vec()](Backward& b) {
             b.set(0, index_add(zeros(b.grad(), shape), d, b.get(index), b.grad()));
           });
  return y;
}

Ref index_add(Tensor* t, int64_t dim, Tensor* index, Tensor* source) {
  return index_add(t, dim, index, source, nullptr);
}

void declare_gather() {
  declare("gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False)", run_gather,
          kBoth | kOut | kExactOut);
  declare("scatter(Tensor self, int dim, Tensor index, Operand src, *, str? reduce=None)",
          run_scatter, kAllForms);
  declare("scatter(Tensor self, int dim, Tensor index, Scalar value, *, str? reduce=None)",
          run_scatter, kAllForms);
  declare("scatter_add(Tensor self, int dim, Tensor index, Tensor src)", run_scatter_add,
          kAllForms);
  declare("index_select(Tensor self, int dim, Tensor index)", run_index_select, kBoth | kOut);
  declare("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1)",
          run_index_add, kAllForms);
  declare("take(Tensor self, Tensor index)", run_take, kBoth | kOut);
}

}  // namespace flambeau
