// Joining and parting: cat, stack, split, chunk, unbind.
#include <algorithm>

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/op.h"
#include "ops/view.h"

namespace flambeau {
namespace {

// PyTorch's leniency: an empty 1-D tensor joins anything.
bool is_skipped(Tensor* t) { return t->ndim() == 1 && t->size(0) == 0; }

Ref cat_into(const std::vector<Tensor*>& tensors, int64_t dim, Tensor* destination) {
  if (tensors.empty()) fail(ErrorKind::Value, "cat: expected a non-empty list of Tensors");
  Tensor* like = nullptr;
  DType dtype = tensors[0]->dtype();
  for (Tensor* t : tensors) {
    if (t->ndim() == 0)
      fail(ErrorKind::Runtime, "zero-dimensional tensor (at position 0) cannot be concatenated");
    dtype = promote(dtype, t->dtype());
    if (!like || is_skipped(like)) like = t;
  }
  int d = wrap_dim(dim, like->ndim());
  Dims shape(like->shape());
  shape[d] = 0;
  for (size_t k = 0; k < tensors.size(); k++) {
    Tensor* t = tensors[k];
    check_same_device("cat", like, t);
    if (is_skipped(t)) continue;
    if (t->ndim() != like->ndim())
      fail(ErrorKind::Runtime,
           "cat: Tensors must have same number of dimensions: got %d and %d (shapes %s and %s)",
           like->ndim(), t->ndim(), to_string(like->shape()).c_str(),
           to_string(t->shape()).c_str());
    for (int i = 0; i < t->ndim(); i++)
      if (i != d && t->size(i) != like->size(i))
        fail(ErrorKind::Runtime,
             "cat: Sizes of tensors must match except in dimension %d. Expected size %lld but got "
             "size %lld for "
             "tensor number %zu in the list. (shapes %s and %s)",
             d, static_cast<long long>(like->size(i)), static_cast<long long>(t->size(i)), k,
             to_string(like->shape()).c_str(), to_string(t->shape()).c_str());
    shape[d] += t->size(d);
  }
  check_same_device("cat", like, destination);
  for (Tensor* t : tensors)
    if (destination && t->storage == destination->storage) destination = nullptr;
  Ref y = destination && destination->shape() == Ints(shape) && destination->dtype() == dtype
              ? Ref(destination)
              : empty_like(like, shape, dtype);
  bool recorded = false;
  std::vector<int64_t> sizes;
  int64_t at = 0;
  for (Tensor* t : tensors) {
    int64_t n = is_skipped(t) ? 0 : t->size(d);
    sizes.push_back(is_skipped(t) ? -1 : n);
    recorded = recorded || records(t);
    if (n) {
      Ref place = alias(y, t->shape(), y->strides(),
                        static_cast<char*>(y->arr.data) + at * y->stride(d) * itemsize(dtype));
      copy_values(place, t);
    }
    at += n;
  }
  if (recorded && is_differentiable(dtype))
    record_many("CatBackward0", tensors, {y.get()}, [sizes = std::move(sizes), d](Backward& b) {
      int64_t at = 0;
      for (size_t k = 0; k < sizes.size(); k++) {
        bool skipped = sizes[k] < 0;
        if (b.needs(int(k)))
          b.set(int(k), skipped ? zeros(b.grad(), {0}) : narrow(b.grad(), d, at, sizes[k]));
        if (!skipped) at += sizes[k];
      }
    });
  return y;
}

PyObject* run_cat(Args& a) { return object(cat_into(a.tensors(0), a.integer(1), a.destination)); }
PyObject* run_stack(Args& a) { return object(stack(a.tensors(0), a.integer(1))); }

// The gradient of parting a tensor: all parts' gradients in one joining, where
// parts taken one by one would each fill the whole with zeros.
class PartingNode final : public Node {
 public:
  PartingNode(const char* name, Tensor* whole, std::vector<int64_t> sizes, int dim, bool drops_dim)
      : Node(1, int(sizes.size())),
        name_(name),
        shape_(whole->shape()),
        sizes_(std::move(sizes)),
        dim_(dim),
        drops_dim_(drops_dim) {
    edges[0].point_at(whole);
  }
  const char* name() const override { return name_; }
  void apply(Backward& b) override {
    std::vector<Ref> parts;
    Tensor* like = nullptr;
    for (int i = 0; i < n_outputs && !like; i++) like = b.grad(i);
    if (!like) return;
    for (int i = 0; i < n_outputs; i++) {
      const Ref& g = b.grad(i);
      parts.push_back(!g ? nothing(like, sizes_[size_t(i)]) : drops_dim_ ? unsqueeze(g, dim_) : g);
    }
    b.set(0, cat(std::vector<Tensor*>(parts.begin(), parts.end()), dim_));
  }

 private:
  Ref nothing(Tensor* like, int64_t size) const {
    Dims shape(shape_);
    shape[dim_] = size;
    return zeros(like, shape);
  }

  const char* name_;
  Dims shape_;
  std::vector<int64_t> sizes_;
  int dim_;
  bool drops_dim_;
};

constexpr size_t most_outputs = 65535;

void record_parting(const char* name, Tensor* t, const std::vector<Ref>& parts,
                    std::vector<int64_t> sizes, int d, bool drops_dim) {
  if (parts.empty()) return;
  auto* node = new PartingNode(name, t, std::move(sizes), d, drops_dim);
  if (__builtin_expect(grad_mode.anomaly, 0)) note_traceback(node);
  for (size_t i = 0; i < parts.size(); i++) attach(parts[i], node, uint32_t(i));
  release(node);
}

std::vector<Ref> split(const char* name, Tensor* t, Ints sizes, int d) {
  bool recorded = records(t), together = recorded && size_t(sizes.n) <= most_outputs;
  std::vector<Ref> parts;
  Dims shape(t->shape());
  int64_t at = 0;
  for (int64_t n : sizes) {
    shape[d] = n;
    parts.push_back(recorded && !together ? narrow(t, d, at, n)
                                          : make_view(t, shape, t->strides(), at * t->stride(d)));
    at += n;
  }
  if (together) record_parting(name, t, parts, {sizes.begin(), sizes.end()}, d, false);
  for (Tensor* part : parts) part->flags |= kOneOfMany;
  return parts;
}

std::vector<Ref> unbind(Tensor* t, int d) {
  int64_t n = t->size(d);
  bool recorded = records(t), together = recorded && size_t(n) <= most_outputs;
  Dims shape, strides;
  for (int k = 0; k < t->ndim(); k++)
    if (k != d) {
      shape.push(t->size(k));
      strides.push(t->stride(k));
    }
  std::vector<Ref> parts;
  for (int64_t i = 0; i < n; i++)
    parts.push_back(recorded && !together ? select(t, d, i)
                                          : make_view(t, shape, strides, i * t->stride(d)));
  if (together)
    record_parting("UnbindBackward0", t, parts, std::vector<int64_t>(size_t(n), 1), d, true);
  for (Tensor* part : parts) part->flags |= kOneOfMany;
  return parts;
}

PyObject* run_split_even(Args& a) {
  Tensor* t = a.tensor(0);
  int64_t each = a.integer(1);
  if (t->ndim() == 0) fail(ErrorKind::Runtime, "split expects at least a 1-dimensional tensor");
  int d = wrap_dim(a.integer(2), t->ndim());
  int64_t n = t->size(d);
  if (each < 0)
    fail(ErrorKind::Runtime, "split expects split_size be non-negative, but got split_size=%lld",
         static_cast<long long>(each));
  if (each == 0 && n != 0)
    fail(ErrorKind::Runtime,
         "split_size can only be 0 if dimension size is 0, but got dimension size of %lld",
         static_cast<long long>(n));
  std::vector<int64_t> sizes;
  for (int64_t at = 0; at < n; at += each) sizes.push_back(std::min(each, n - at));
  if (sizes.empty()) sizes.push_back(0);
  return tuple_of(split("SplitBackward0", t, sizes, d));
}

PyObject* run_split_sizes(Args& a) {
  Tensor* t = a.tensor(0);
  int d = wrap_dim(a.integer(2), t->ndim());
  int64_t total = 0;
  for (int64_t s : a.ints(1)) {
    if (s < 0)
      fail(ErrorKind::Runtime,
           "split_with_sizes expects split_sizes have only non-negative entries, but got "
           "split_sizes=%s",
           to_string(a.ints(1)).c_str());
    total += s;
  }
  if (total != t->size(d))
    fail(ErrorKind::Runtime,
         "split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's size at "
         "dimension %d), but got "
         "split_sizes=%s",
         static_cast<long long>(t->size(d)), d, to_string(a.ints(1)).c_str());
  return tuple_of(split("SplitWithSizesBackward0", t, a.ints(1), d));
}

PyObject* run_chunk(Args& a) {
  Tensor* t = a.tensor(0);
  int64_t chunks = a.integer(1);
  if (t->ndim() == 0) fail(ErrorKind::Runtime, "chunk expects at least a 1-dimensional tensor");
  if (chunks <= 0)
    fail(ErrorKind::Runtime, "chunk expects `chunks` to be greater than 0, got: %lld",
         static_cast<long long>(chunks));
  int d = wrap_dim(a.integer(2), t->ndim());
  int64_t n = t->size(d), each = (n + chunks - 1) / chunks;
  std::vector<int64_t> sizes;
  if (n == 0) sizes.assign(size_t(chunks), 0);
  for (int64_t at = 0; at < n; at += each) sizes.push_back(std::min(each, n - at));
  return tuple_of(split("SplitBackward0", t, sizes, d));
}

PyObject* run_unbind(Args& a) {
  Tensor* t = a.tensor(0);
  if (t->ndim() == 0)
    fail(ErrorKind::Index, "Dimension specified as 0 but tensor has no dimensions");
  int d = wrap_dim(a.integer(1), t->ndim());
  return tuple_of(unbind(t, d));
}

}  // namespace

Ref cat(const std::vector<Tensor*>& tensors, int64_t dim) {
  return cat_into(tensors, dim, nullptr);
}

Ref stack(const std::vector<Tensor*>& tensors, int64_t dim) {
  if (tensors.empty()) fail(ErrorKind::Runtime, "stack expects a non-empty TensorList");
  int d = wrap_dim(dim, tensors[0]->ndim() + 1);
  std::vector<Ref> raised;
  std::vector<Tensor*> plain;
  for (size_t k = 0; k < tensors.size(); k++) {
    if (tensors[k]->shape() != tensors[0]->shape())
      fail(ErrorKind::Runtime,
           "stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %zu",
           to_string(tensors[0]->shape()).c_str(), to_string(tensors[k]->shape()).c_str(), k);
    raised.push_back(unsqueeze(tensors[k], d));
    plain.push_back(raised.back());
  }
  return cat(plain, d);
}

void declare_join() {
  for (const char* name : {"cat", "concat", "concatenate"})
    declare(std::string(name) + "(Tensor[] tensors, int dim=0)", run_cat, kFunction | kOut);
  declare("stack(Tensor[] tensors, int dim=0)", run_stack, kFunction | kOut);
  declare("split(Tensor self, int split_size_or_sections, int dim=0)", run_split_even, kBoth);
  declare("split(Tensor self, int[] split_size_or_sections, int dim=0)", run_split_sizes, kBoth);
  // The older spelling of the parameter.
  declare("split(Tensor self, int split_size, int dim=0)", run_split_even, kBoth);
  declare("split_with_sizes(Tensor self, int[] split_sizes, int dim=0)", run_split_sizes, kBoth);
  declare("chunk(Tensor self, int chunks, int dim=0)", run_chunk, kBoth);
  declare("unbind(Tensor self, int dim=0)", run_unbind, kBoth);
}

}  // namespace flambeau
