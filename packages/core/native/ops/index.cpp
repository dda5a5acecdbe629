#include "ops/index.h"

#include <algorithm>

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/op.h"
#include "ops/scalars.h"
#include "ops/view_history.h"

namespace flambeau {

Ref nonzero(Tensor* t) {
  Ref count = empty_like(t, Ints(), FB_INT64);
  fb_array* couts[] = {&count->arr};
  const fb_array* ins[] = {&t->arr};
  int64_t n = 0;
  if (t->numel()) {
    call_kernel(t->device, {kernel_id("count_nonzero"), t->dtype(), couts, 1, ins, 1});
    n = item(count).i;
  }
  Ref y = empty_like(t, {n, t->ndim()}, FB_INT64);
  fb_array* outs[] = {&y->arr};
  if (y->numel()) call_kernel(t->device, {kernel_id("nonzero"), t->dtype(), outs, 1, ins, 1});
  return y;
}

namespace {

// Index tensors made ready: integers of one shape, one for each of the leading
// dimensions of a permuted view of the tensor.
struct Plan {
  Dims order;  // the permutation: indexed dimensions first
  Dims index_shape;
  std::vector<Ref> indices;  // int64, broadcast to index_shape
  int first = 0;             // where the result's index dimensions go
  Dims result_order;         // from [index.., rest..] to the result's order
};

// A mask becomes one index a dimension.
void expand_masks(Tensor* t, const std::vector<Tensor*>& given, std::vector<Ref>& out) {
  for (Tensor* i : given) {
    if (!i) {
      out.push_back(nullptr);
      continue;
    }
    if (i->dtype() != FB_BOOL && i->dtype() != FB_UINT8) {
      if (!is_integral(i->dtype()))
        fail(ErrorKind::Index,
             "tensors used as indices must be long, int, byte or bool tensors, got %s",
             info(i->dtype()).name);
      out.push_back(i->dtype() == FB_INT64 ? Ref(i) : cast_values(i, FB_INT64));
      continue;
    }
    for (int k = 0; k < i->ndim(); k++) {
      int d = int(out.size()) + k;
      if (d >= t->ndim() || t->size(d) != i->size(k))
        fail(ErrorKind::Index,
             "The shape of the mask %s at index %d does not match the shape of the indexed tensor "
             "%s at index %d",
             to_string(i->shape()).c_str(), k, to_string(t->shape()).c_str(), d);
    }
    Ref places = nonzero(i);
    for (int k = 0; k < i->ndim(); k++) out.push_back(select(places, 1, k));
  }
}

Plan make_plan(const char* op, Tensor* t, const std::vector<Tensor*>& given) {
  Plan p;
  std::vector<Ref> all;
  expand_masks(t, given, all);
  if (int(all.size()) > t->ndim())
    fail(ErrorKind::Index, "too many indices for tensor of dimension %d (got %zu)", t->ndim(),
         all.size());
  all.resize(size_t(t->ndim()));
  int last = -1, first = -1;
  bool adjacent = true;
  for (int d = 0; d < t->ndim(); d++) {
    if (!all[size_t(d)]) continue;
    if (first < 0) first = d;
    if (last >= 0 && last != d - 1) adjacent = false;
    last = d;
    p.order.push(d);
    Tensor* i = all[size_t(d)];
    try {
      p.index_shape = broadcast_shapes(op, p.index_shape, i->shape());
    } catch (const Error&) {
      fail(ErrorKind::Index,
           "shape mismatch: indexing tensors could not be broadcast together with shapes %s, %s",
           to_string(p.index_shape).c_str(), to_string(i->shape()).c_str());
    }
    p.indices.push_back(all[size_t(d)]);
  }
  if (p.indices.empty())
    fail(ErrorKind::Runtime, "%s: at least one index must be a tensor of one dimension or more",
         op);
  for (int d = 0; d < t->ndim(); d++)
    if (!all[size_t(d)]) p.order.push(d);
  for (Ref& i : p.indices) {
    if (i->device != t->device) i = to_device(i, Device{t->device, t->device_index()});
    GradModeGuard off(false);
    if (i->shape() != Ints(p.index_shape)) i = expand(i, p.index_shape);
  }
  p.first = adjacent ? first : 0;
  int k = p.index_shape.n, rest = t->ndim() - int(p.indices.size());
  for (int i = 0; i < p.first; i++) p.result_order.push(k + i);
  for (int i = 0; i < k; i++) p.result_order.push(i);
  for (int i = p.first; i < rest; i++) p.result_order.push(k + i);
  return p;
}

// The shape of the kernel's result: index dimensions, then what was not indexed.
Dims gathered_shape(const Plan& p, Tensor* permuted) {
  Dims shape(p.index_shape);
  for (int d = int(p.indices.size()); d < permuted->ndim(); d++) shape.push(permuted->size(d));
  return shape;
}

void check_not_empty(Tensor* permuted, const Plan& p, const Dims& shape) {
  if (numel_of(p.index_shape) == 0) return;
  for (size_t d = 0; d < p.indices.size(); d++)
    if (permuted->size(int(d)) == 0 && numel_of(shape) == 0)
      fail(ErrorKind::Index, "index is out of bounds for dimension with size 0");
}

Ref permuted_raw(Tensor* t, const Dims& order) {
  GradModeGuard off(false);
  return permute(t, order);
}

void put_values(Tensor* t, const Plan& p, Tensor* values, bool accumulate) {
  Ref target = permuted_raw(t, p.order);
  Dims shape = gathered_shape(p, target);
  // Values are shaped like the result of reading; the kernel wants them with the
  // index dimensions first.
  Dims read_shape, back;
  back.n = p.result_order.n;
  for (int i = 0; i < p.result_order.n; i++) {
    read_shape.push(shape[int(p.result_order[i])]);
    back[int(p.result_order[i])] = i;
  }
  Ref source = values->dtype() == t->dtype() ? Ref(values) : cast_values(values, t->dtype());
  if (source->device != t->device) source = to_device(source, Device{t->device, t->device_index()});
  GradModeGuard off(false);
  // Leading dimensions of 1 may be more than the result has.
  while (source->ndim() > read_shape.n && source->size(0) == 1) source = select(source, 0, 0);
  int64_t unused[max_dims];
  if (!broadcast_strides(source->shape(), source->strides(), read_shape, unused))
    fail(ErrorKind::Runtime,
         "shape mismatch: value tensor of shape %s cannot be broadcast to indexing result of shape "
         "%s",
         to_string(values->shape()).c_str(), to_string(read_shape).c_str());
  check_not_empty(target, p, shape);
  if (numel_of(shape) == 0) return;
  Ref spread = permute(expand(apart_from(t, source), read_shape), back);
  std::vector<Ref> places;
  for (const Ref& i : p.indices) places.push_back(apart_from(t, i));
  std::vector<const fb_array*> ins{&spread->arr};
  for (const Ref& i : places) ins.push_back(&i->arr);
  fb_array* outs[] = {&target->arr};
  fb_param params[1];
  params[0].i = accumulate;
  call_kernel(t->device,
              {kernel_id("index_put"), t->dtype(), outs, 1, ins.data(), int(ins.size()), params});
}

std::vector<Saved> saved(const std::vector<Tensor*>& given) {
  std::vector<Saved> out;
  for (Tensor* i : given) out.push_back(Saved(i));
  return out;
}

std::vector<Ref> opened(const Backward& b, const std::vector<Saved>& kept) {
  std::vector<Ref> out;
  for (const Saved& s : kept) out.push_back(b.get(s));
  return out;
}

std::vector<Tensor*> plain(const std::vector<Ref>& refs) {
  std::vector<Tensor*> out;
  for (const Ref& r : refs) out.push_back(r);
  return out;
}

}  // namespace

Ref index(Tensor* t, const std::vector<Tensor*>& given) {
  Plan p = make_plan("index", t, given);
  Ref source = permuted_raw(t, p.order);
  Dims shape = gathered_shape(p, source);
  check_not_empty(source, p, shape);
  Ref y = empty_like(t, shape);
  if (y->numel()) {
    std::vector<const fb_array*> ins{&source->arr};
    for (const Ref& i : p.indices) ins.push_back(&i->arr);
    fb_array* outs[] = {&y->arr};
    call_kernel(t->device, {kernel_id("index"), t->dtype(), outs, 1, ins.data(), int(ins.size())});
  }
  y = permuted_raw(y, p.result_order);
  if (y->flags & kView) y = alias(y);
  if (records(t)) {
    auto kept = saved(given);
    record("IndexBackward0", {t}, y, [kept = std::move(kept), s = Dims(t->shape())](Backward& b) {
      b.set(0, index_put(zeros(b.grad(), s), plain(opened(b, kept)), b.grad(), true));
    });
  }
  return y;
}

Ref index_put(Tensor* t, const std::vector<Tensor*>& given, Tensor* values, bool accumulate) {
  Plan p = make_plan("index_put", t, given);
  Ref y = empty_like(t, t->shape());
  copy_values(y, t);
  put_values(y, p, values, accumulate);
  if (records(t, values)) {
    auto kept = saved(given);
    record("IndexPutBackward0", {t, values}, y,
           [kept = std::move(kept), accumulate, s = Dims(values->shape())](Backward& b) {
             std::vector<Ref> indices = opened(b, kept);
             if (b.needs(0)) {
               Ref zero = zeros(b.grad(), Ints());
               b.set(0, accumulate ? b.grad() : index_put(b.grad(), plain(indices), zero, false));
             }
             if (b.needs(1)) b.set(1, sum_to(index(b.grad(), plain(indices)), s));
           });
  }
  return y;
}

void index_put_(Tensor* t, const std::vector<Tensor*>& given, Tensor* values, bool accumulate) {
  check_inplace("index_put_", t);
  if (records(t, values)) {
    check_followed("index_put_", t);
    Ref result = index_put(stand_in(t), given, values, accumulate);
    copy_values(t, result);
    bump_version(t);
    rebase_history(t, result);
  } else {
    put_values(t, make_plan("index_put_", t, given), values, accumulate);
    bump_version(t);
  }
}

namespace {

// A tuple of index tensors as index_put takes it; what an iterable made on the way is kept.
std::vector<Ref> index_list(PyObject* o) {
  std::vector<Ref> out;
  PyObject* items = PySequence_Fast(o, "index_put: indices must be a tuple of tensors");
  checked(items);
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items); i++) {
    PyObject* item = PySequence_Fast_GET_ITEM(items, i);
    if (item != Py_None && !is_tensor(item)) {
      Py_DECREF(items);
      fail(ErrorKind::Type, "index_put(): indices must be tensors or None");
    }
    out.push_back(item == Py_None ? Ref() : Ref(as_tensor(item)));
  }
  Py_DECREF(items);
  return out;
}

PyObject* run_index(Args& a) {
  const std::vector<Ref> kept = index_list(a.object(1));
  return object(index(a.tensor(0), plain(kept)));
}

PyObject* run_index_put(Args& a) {
  Tensor *t = a.tensor(0), *values = a.tensor(2);
  if (values->dtype() != t->dtype())
    fail(ErrorKind::Runtime,
         "Index put requires the source and destination dtypes match, got %s for the destination "
         "and %s for the source.",
         info(t->dtype()).legacy_name, info(values->dtype()).legacy_name);
  const std::vector<Ref> kept = index_list(a.object(1));
  const std::vector<Tensor*> indices = plain(kept);
  if (!a.destination) return object(index_put(t, indices, values, a.flag(3)));
  put_values(t, make_plan("index_put_", t, indices), values, a.flag(3));
  return boxed(t);
}

PyObject* run_nonzero(Args& a) {
  Ref places = nonzero(a.tensor(0));
  if (!a.flag(1)) return object(std::move(places));
  if (a.tensor(0)->ndim() == 0) {
    Ref row = unsqueeze(a.tensor(0), 0);
    places = nonzero(row);
  }
  std::vector<Ref> columns;
  for (int64_t d = 0; d < places->size(1); d++) columns.push_back(select(places, 1, d));
  return tuple_of(std::move(columns));
}

PyObject* run_where_condition(Args& a) {
  Ref t = a.tensor(0)->ndim() == 0 ? unsqueeze(a.tensor(0), 0) : Ref(a.tensor(0));
  Ref places = nonzero(t);
  std::vector<Ref> columns;
  for (int64_t d = 0; d < places->size(1); d++) columns.push_back(select(places, 1, d));
  return tuple_of(std::move(columns));
}

PyObject* run_masked_select(Args& a) {
  Tensor *t = a.tensor(0), *mask = a.tensor(1);
  if (mask->dtype() != FB_BOOL)
    fail(ErrorKind::Runtime, "masked_select: expected BoolTensor for mask, but got %s",
         info(mask->dtype()).legacy_name);
  Dims shape = broadcast_shapes("masked_select", t->shape(), mask->shape());
  if (shape.n == 0) return object(index(unsqueeze(t, 0), {unsqueeze(mask, 0).get()}));
  Ref m = expand(mask, shape);
  return object(index(expand(t, shape), {m.get()}));
}

PyObject* run_argwhere(Args& a) { return object(nonzero(a.tensor(0))); }

}  // namespace

void declare_index() {
  declare("_index(Tensor self, any indices)", run_index, kFunction);
  declare("index_put(Tensor self, any indices, Tensor values, bool accumulate=False)",
          run_index_put, kBoth | kInPlace);
  declare("nonzero(Tensor self, *, bool as_tuple=False)", run_nonzero, kBoth | kOut | kExactOut);
  declare("argwhere(Tensor self)", run_argwhere, kBoth);
  declare("where(Tensor condition)", run_where_condition, kFunction);
  declare("masked_select(Tensor self, Tensor mask)", run_masked_select, kBoth | kOut);
}

}  // namespace flambeau
