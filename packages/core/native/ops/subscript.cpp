// x[...]: Python's index expressions, read and written.
#include <cstring>

#include "dispatch/shape_rules.h"
#include "ops/construct.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/interception.h"
#include "ops/op.h"
#include "ops/operators.h"
#include "ops/scalar_range.h"
#include "ops/scalars.h"
#include "ops/view.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

// The basic part of an index expression, gathered into one view, and the index
// tensors that remain for its dimensions.
class Reader {
 public:
  explicit Reader(Tensor* t) : t_(t) { contiguous_strides(t->shape(), dense_); }

  void read(PyObject* index) {
    PyObject* one[] = {index};
    PyObject** items = one;
    Py_ssize_t n = 1;
    if (PyTuple_Check(index) || reads_as_tuple(index)) {
      items = PySequence_Fast_ITEMS(index);
      n = PySequence_Fast_GET_SIZE(index);
    }
    int used = 0;
    std::vector<Ref> tensors(static_cast<size_t>(n));
    for (Py_ssize_t i = 0; i < n; i++) used += dims_of(items[i], tensors[size_t(i)]);
    bool ellipsis = false;
    for (Py_ssize_t i = 0; i < n; i++) {
      if (items[i] == Py_Ellipsis) {
        if (ellipsis) fail(ErrorKind::Index, "an index can only have a single ellipsis ('...')");
        ellipsis = true;
        for (int k = used; k < t_->ndim(); k++) take_whole();
      } else {
        take(items[i], tensors[size_t(i)]);
      }
    }
    if (at_ > t_->ndim())
      fail(ErrorKind::Index, "too many indices for tensor of dimension %d", t_->ndim());
    while (at_ < t_->ndim()) take_whole();
  }

  // The view of the basic part; the tensor itself where nothing was cut.
  Ref view() const {
    Ref y = make_view(t_, shape_, strides_, skip_);
    if (records(t_))
      record(node_, {t_}, y,
             [s = Dims(t_->shape()), shape = shape_, dense = dense_out_,
              skip = dense_skip_](Backward& b) {
               Ref whole = zeros(b.grad(), s);
               copy_(as_strided(whole, shape, dense, skip), b.grad());
               b.set(0, whole);
             });
    return y;
  }

  bool has_tensors() const { return has_tensors_; }
  bool is_one_mask() const {
    int tensors = 0, masks = 0;
    for (const Ref& i : indices_)
      if (i) tensors++, masks += is_mask(i);
    return tensors == 1 && masks == 1;
  }
  std::vector<Tensor*> indices() const {
    std::vector<Tensor*> out;
    for (const Ref& r : indices_) out.push_back(r);
    return out;
  }

 private:
  static bool is_mask(Tensor* i) { return i->dtype() == FB_BOOL || i->dtype() == FB_UINT8; }

  // A short list that holds more than numbers stands for a tuple, as in PyTorch
  // and in NumPy of old.
  static bool reads_as_tuple(PyObject* o) {
    constexpr Py_ssize_t most = 32;
    if (!PyList_Check(o) || PyList_GET_SIZE(o) >= most) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); i++) {
      PyObject* item = PyList_GET_ITEM(o, i);
      if (item == Py_None || item == Py_Ellipsis || PySlice_Check(item) || is_tensor(item) ||
          PyList_Check(item) || PyTuple_Check(item))
        return true;
    }
    return false;
  }

  // How many dimensions of the tensor an item uses up; turns array-likes into tensors.
  int dims_of(PyObject* o, Ref& tensor) {
    if (o == Py_None || o == Py_Ellipsis || PyBool_Check(o)) return 0;
    if (PyLong_Check(o) || PySlice_Check(o)) return 1;
    if (is_tensor(o)) {
      tensor = Ref(as_tensor(o));
    } else if (PyList_Check(o) || PyTuple_Check(o) || PyRange_Check(o) || is_foreign_array(o)) {
      tensor = tensor_from(o, -1, Device{cpu_device(), 0});
      if (tensor->numel() == 0 && is_floating(tensor->dtype()))
        tensor = cast_values(tensor, FB_INT64);
    } else if (PyIndex_Check(o)) {
      return 1;
    } else {
      fail(PyUnicode_Check(o) ? ErrorKind::Type : ErrorKind::Index,
           "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
           "valid indices (got %s)",
           Py_TYPE(o)->tp_name);
    }
    return is_mask(tensor) ? tensor->ndim() : 1;
  }

  void take(PyObject* o, const Ref& tensor) {
    if (o == Py_None) {
      push(1, 0, 0);
      indices_.emplace_back();
    } else if (PyBool_Check(o)) {
      take_truth(o == Py_True);
    } else if (tensor) {
      take_tensor(tensor);
    } else if (PySlice_Check(o)) {
      take_slice(o);
    } else {
      take_integer(o);
    }
  }

  void check_room(int n) {
    if (at_ + n > t_->ndim())
      fail(ErrorKind::Index, "too many indices for tensor of dimension %d", t_->ndim());
  }

  void take_whole() {
    push(t_->size(at_), t_->stride(at_), dense_[at_]);
    indices_.emplace_back();
    at_++;
  }

  void take_integer(PyObject* o) {
    Py_ssize_t i = PyNumber_AsSsize_t(o, PyExc_IndexError);
    if (i == -1 && PyErr_Occurred()) throw PythonError{};
    take_index(i);
  }

  void take_index(int64_t i) {
    if (t_->ndim() == 0)
      fail(ErrorKind::Index,
           "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim "
           "tensor to a number");
    check_room(1);
    int64_t n = t_->size(at_);
    if (i < -n || i >= n)
      fail(ErrorKind::Index, "index %lld is out of bounds for dimension %d with size %lld",
           static_cast<long long>(i), at_, static_cast<long long>(n));
    if (i < 0) i += n;
    skip_ += i * t_->stride(at_);
    dense_skip_ += i * dense_[at_];
    node_ = "SelectBackward0";
    at_++;
  }

  void take_slice(PyObject* o) {
    if (t_->ndim() == 0) fail(ErrorKind::Index, "slice() cannot be applied to a 0-dim tensor.");
    check_room(1);
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(o, &start, &stop, &step) < 0) throw PythonError{};
    if (step <= 0) fail(ErrorKind::Value, "step must be greater than zero");
    Py_ssize_t n = PySlice_AdjustIndices(Py_ssize_t(t_->size(at_)), &start, &stop, step);
    if (n > 0) {
      skip_ += start * t_->stride(at_);
      dense_skip_ += start * dense_[at_];
    }
    push(n, stepped(t_->stride(at_), step), stepped(dense_[at_], step));
    indices_.emplace_back();
    at_++;
  }

  // A truth value adds a dimension that is kept or empty.
  void take_truth(bool truth) {
    push(1, 0, 0);
    int64_t n = truth;
    indices_.push_back(full(Ints(&n, 1), 0, FB_INT64, Device{t_->device, t_->device_index()}));
    has_tensors_ = true;
  }

  void take_tensor(const Ref& i) {
    const bool mask = is_mask(i);
    if (i->ndim() == 0 && mask) return take_truth(item(i).truth());
    if (i->ndim() == 0 && is_integral(i->dtype())) return take_index(item(i).i);
    check_room(mask ? i->ndim() : 1);
    indices_.push_back(i);
    has_tensors_ = true;
    // A mask of several dimensions is one index; it takes their place later.
    for (int k = 0; k < (mask ? i->ndim() : 1); k++) {
      push(t_->size(at_), t_->stride(at_), dense_[at_]);
      at_++;
    }
  }

  void push(int64_t size, int64_t stride, int64_t dense) {
    shape_.push(size);
    strides_.push(stride);
    dense_out_.push(dense);
  }

  Tensor* t_;
  int at_ = 0;
  Dims shape_, strides_, dense_out_;
  int64_t dense_[max_dims];
  int64_t skip_ = 0, dense_skip_ = 0;
  std::vector<Ref> indices_;
  bool has_tensors_ = false;
  const char* node_ = "SliceBackward0";
};

Ref read_item(Tensor* t, PyObject* o) {
  Reader r(t);
  r.read(o);
  Ref v = r.view();
  return r.has_tensors() ? index(v, r.indices()) : v;
}

// A value to be assigned, as a tensor of the target's type.
Ref value_tensor(PyObject* o, Tensor* target) {
  if (is_tensor(o)) return Ref(as_tensor(o));
  Slot s;
  if (number_from(o, s)) {
    return scalar_tensor(number_of(s), target->dtype(),
                         Device{target->device, target->device_index()});
  }
  fail(ErrorKind::Type, "can't assign a %s to a tensor of type %s", Py_TYPE(o)->tp_name,
       info(target->dtype()).name);
}

void write_item(Tensor* t, PyObject* o, PyObject* value) {
  if (o == Py_False) return;
  if (o == Py_True) o = Py_None;  // the same elements, without an index tensor
  Reader r(t);
  r.read(o);
  Slot s;
  if (!r.has_tensors() && !is_tensor(value) && number_from(value, s)) {
    check_inplace("setitem", t);
    GradModeGuard keep(grad_mode.enabled && requires_grad(t));
    Ref v = r.view();
    if (grad_mode.enabled && requires_grad(v)) {
      copy_(v, scalar_tensor(number_of(s), t->dtype(), Device{t->device, t->device_index()}));
    } else {
      check_holds(t->dtype(), number_of(s));
      fill_values(v, number_of(s));
      bump_version(t);
    }
    return;
  }
  Ref source = value_tensor(value, t);
  Ref v = r.view();
  if (r.has_tensors()) {
    // One value under one mask is filled in, which converts it.
    if (source->dtype() != t->dtype() && !(source->numel() == 1 && r.is_one_mask()))
      fail(ErrorKind::Runtime,
           "setitem: index put requires the source and destination dtypes match, got %s for the "
           "destination and %s for the source",
           info(t->dtype()).name, info(source->dtype()).name);
    return index_put_(v, r.indices(), source, false);
  }
  // Leading dimensions of 1 may be more than the target has.
  while (source->ndim() > v->ndim() && source->size(0) == 1) source = select(source, 0, 0);
  copy_(v, source);
}

// The flags of the tensors in an index expression.
uint32_t index_flags(PyObject* o) {
  if (!PyTuple_Check(o)) return flags_of(o);
  uint32_t seen = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); i++) seen |= flags_of(PyTuple_GET_ITEM(o, i));
  return seen;
}
bool is_shown(uint32_t seen) { return overridden(seen) || transformed(seen); }

}  // namespace

PyObject* operators::get_item(PyObject* x, PyObject* o) {
  return guarded([&]() -> PyObject* {
    if (__builtin_expect((flags_of(x) | index_flags(o) | attention) != 0, 0))
      if (is_shown(flags_now(x) | index_flags(o))) return show_get_item(x, o);
    return object(read_item(as_tensor(x), o));
  });
}

int operators::set_item(PyObject* x, PyObject* o, PyObject* value) {
  return guarded(
      [&]() -> int {
        if (!value) fail(ErrorKind::Type, "Tensor does not support deleting items");
        uint32_t seen = flags_of(x) | index_flags(o) | flags_of(value);
        if (__builtin_expect((seen | attention) != 0, 0) &&
            is_shown(seen | flags_now(x) | flags_now(value))) {
          Py_DECREF(show_set_item(x, o, value));
          return 0;
        }
        write_item(as_tensor(x), o, value);
        return 0;
      },
      -1);
}

Py_ssize_t operators::length(PyObject* x) {
  return guarded(
      [&]() -> Py_ssize_t {
        if (as_tensor(x)->ndim() == 0) fail(ErrorKind::Type, "len() of a 0-d tensor");
        return Py_ssize_t(as_tensor(x)->size(0));
      },
      Py_ssize_t(-1));
}

}  // namespace flambeau
