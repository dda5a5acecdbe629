// Random numbers. Each draw reserves its blocks of the generator's stream, as
// many on every backend.
#include "ops/random.h"

#include <cmath>

#include "dispatch/shape_rules.h"
#include "ops/elementwise.h"
#include "ops/factory.h"
#include "ops/generator.h"
#include "ops/launch.h"
#include "ops/scalars.h"
#include "ops/view_history.h"

namespace flambeau {
namespace {

// A block holds four words: four numbers up to 32 bits, or two of 64.
uint64_t blocks_of(int64_t n, DType d) {
  return itemsize(d) == 8 ? uint64_t(n + 1) / 2 : uint64_t(n + 3) / 4;
}

// `a` and `b` are the kernel's bounds (uniform), or its mean and deviation.
void draw(int kernel, Tensor* out, double a, double b, GeneratorState& g) {
  if (!is_floating(out->dtype()))
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", fb_kernel_rows[kernel].id,
         info(out->dtype()).legacy_name);
  uint64_t first = g.reserve(blocks_of(out->numel(), out->dtype()));
  if (out->numel() == 0) return;
  launch(kernel, {out}, {},
         {float_param(a), float_param(b), int_param(int64_t(g.seed)), int_param(int64_t(first))});
}

// Complex numbers get two draws each, of half the variance.
Ref drawn(int kernel, Ints shape, DType d, Device device, double a, double b, GeneratorState& g) {
  if (!is_complex(d)) {
    Ref t = empty(shape, d, device);
    draw(kernel, t, a, b, g);
    return t;
  }
  Dims parts_shape(shape);
  parts_shape.push(2);
  Ref parts = empty(parts_shape, real_dtype(d), device);
  bool normal = kernel == kernel_id("normal");
  draw(kernel, parts, a, normal ? b * M_SQRT1_2 : b, g);
  Dims strides;
  strides.n = shape.n;
  contiguous_strides(shape, strides.v);
  return from_storage(retain(parts->storage), d, shape, strides, 0);
}

Ref random_bits(Ints shape, Device device, GeneratorState& g) {
  Ref t = empty(shape, FB_INT64, device);
  uint64_t first = g.reserve(blocks_of(t->numel(), FB_INT64));
  if (t->numel())
    launch(kernel_id("random_bits"), {t}, {},
           {int_param(int64_t(g.seed)), int_param(int64_t(first))});
  return t;
}

// How many of the integers from 0 on a dtype holds exactly; 0 for 2^63.
int64_t integer_count(DType d) {
  switch (d) {
    case FB_BOOL:
      return 2;
    case FB_BFLOAT16:
      return (1 << 8) + 1;
    case FB_FLOAT16:
      return (1 << 11) + 1;
    case FB_FLOAT32:
      return (1 << 24) + 1;
    case FB_FLOAT64:
      return (int64_t(1) << 53) + 1;
    case FB_UINT8:
      return 1 << 8;
    case FB_INT64:
      return 0;
    case FB_COMPLEX64:
    case FB_COMPLEX128:
      fail(ErrorKind::NotImplemented, "\"random_\" not implemented for '%s'", info(d).legacy_name);
    default:
      return int64_t(1) << (8 * itemsize(d) - 1);
  }
}

void check_range(const char* op, int64_t low, int64_t high, DType d) {
  if (low >= high)
    fail(ErrorKind::Runtime,
         "%s: random_ expects 'from' to be less than 'to', but got from=%lld >= to=%lld", op,
         static_cast<long long>(low), static_cast<long long>(high));
  if (is_complex(d))
    fail(ErrorKind::NotImplemented, "\"%s\" not implemented for '%s'", op, info(d).legacy_name);
  int64_t most = integer_count(d);
  if (is_floating(d) || most == 0) return;
  int64_t least = d == FB_BOOL || d == FB_UINT8 ? 0 : -most;
  if (low < least || low >= most)
    fail(ErrorKind::Runtime, "%s: from is out of bounds for %s", op, dtype_name(d));
  if (high > most)
    fail(ErrorKind::Runtime, "%s: to - 1 is out of bounds for %s", op, dtype_name(d));
}

Ref random_integers(const char* op, Ints shape, int64_t low, int64_t high, DType d, Device device,
                    GeneratorState& g) {
  check_range(op, low, high, d);
  int64_t span;
  if (__builtin_sub_overflow(high, low, &span))
    fail(ErrorKind::Runtime, "%s: the range from %lld to %lld holds more than 2^63 numbers", op,
         static_cast<long long>(low), static_cast<long long>(high));
  GradModeGuard off(false);
  Ref t = binary("remainder", random_bits(shape, device, g), Scalar(span));
  if (low != 0) t = add(t, Scalar(low));
  return d == FB_INT64 ? t : cast_values(t, d);
}

// ---- factories -------------------------------------------------------------------
// The options that end every schema: generator, dtype, device, requires_grad.

const std::string options =
    ", *, Generator? generator=None, dtype? dtype=None, device? device=None, bool "
    "requires_grad=False)";

struct Options {
  GeneratorState& generator;
  DType dtype;
  Device device;
  bool requires_grad;
};

Options options_from(Args& a, int first, DType usual, Tensor* like = nullptr) {
  Device device = a.given(first + 2) ? a.device(first + 2)
                  : like             ? Device{like->device, like->device_index()}
                                     : Device{};
  return {generator_of(a.given(first) ? a.object(first) : nullptr), a.dtype(first + 1, usual),
          device, a.flag(first + 3)};
}

struct DistributionRow {
  const char* name;
  int kernel;
};
constexpr DistributionRow rand_row{"rand", kernel_id("uniform")},
    randn_row{"randn", kernel_id("normal")};

PyObject* run_rand(Args& a) {
  Options o = options_from(a, 1, default_dtype());
  int kernel = static_cast<const DistributionRow*>(a.row)->kernel;
  return object(
      with_grad(drawn(kernel, a.ints(0), o.dtype, o.device, 0, 1, o.generator), o.requires_grad));
}

// Numbers drawn row by row, laid out as asked for beside the tensor that they follow.
Ref laid_out(Args& a, Ref values) {
  MemoryFormat f = a.memory_format(MemoryFormat::Preserve);
  Device device{values->device, values->device_index()};
  Ref y = empty_in(f, a.tensor(0), values->dtype(), device);
  if (y->strides() == values->strides()) return values;
  copy_values(y, values);
  y->flags |= values->flags & kRequiresGrad;
  return y;
}

PyObject* run_rand_like(Args& a) {
  Tensor* t = a.tensor(0);
  Options o = options_from(a, 1, t->dtype(), t);
  int kernel = static_cast<const DistributionRow*>(a.row)->kernel;
  return object(
      with_grad(laid_out(a, drawn(kernel, t->shape(), o.dtype, o.device, 0, 1, o.generator)),
                o.requires_grad));
}

Ref randint(int64_t low, int64_t high, Ints shape, const Options& o) {
  return with_grad(random_integers("randint", shape, low, high, o.dtype, o.device, o.generator),
                   o.requires_grad);
}

PyObject* run_randint_below(Args& a) {
  return object(randint(0, a.integer(0), a.ints(1), options_from(a, 2, FB_INT64)));
}
PyObject* run_randint(Args& a) {
  return object(randint(a.integer(0), a.integer(1), a.ints(2), options_from(a, 3, FB_INT64)));
}
PyObject* run_randint_like_below(Args& a) {
  Tensor* t = a.tensor(0);
  return object(
      laid_out(a, randint(0, a.integer(1), t->shape(), options_from(a, 2, t->dtype(), t))));
}
PyObject* run_randint_like(Args& a) {
  Tensor* t = a.tensor(0);
  return object(laid_out(
      a, randint(a.integer(1), a.integer(2), t->shape(), options_from(a, 3, t->dtype(), t))));
}

// The order in which random numbers sort is a random permutation.
PyObject* run_randperm(Args& a) {
  Options o = options_from(a, 1, FB_INT64);
  int64_t n = a.integer(0);
  Ref bits = random_bits({n}, o.device, o.generator);
  Ref sorted = empty_like(bits, bits->shape()), order = empty_like(bits, bits->shape());
  if (n) launch(kernel_id("sort"), {sorted, order}, {bits}, {int_param(0), int_param(0)});
  return object(
      with_grad(o.dtype == FB_INT64 ? order : cast_values(order, o.dtype), o.requires_grad));
}

// normal(mean, std): tensors, numbers, or numbers and a size.
PyObject* run_normal(Args& a) {
  Operand mean = a.tensor(0) ? Operand(a.tensor(0)) : Operand(a.scalar(0));
  Operand std = a.tensor(1) ? Operand(a.tensor(1)) : Operand(a.scalar(1));
  Tensor* like = mean.t ? mean.t : std.t;
  if (!like && !a.given(2))
    fail(ErrorKind::Type,
         "normal() missing 1 required argument: \"size\", where mean and std are numbers");
  Dims shape(a.given(2) ? a.ints(2) : like->shape());
  if (mean.t && std.t) shape = broadcast_shapes("normal", mean.t->shape(), std.t->shape());
  Options o = options_from(a, 3, like ? like->dtype() : default_dtype(), like);
  if (!std.t && std.s.f < 0)
    fail(ErrorKind::Runtime, "normal expects std >= 0.0, but found std %g", std.s.f);
  if (std.t && std.t->numel() && item(any_true(binary("lt", std, 0))).truth())
    fail(ErrorKind::Runtime, "normal expects all elements of std >= 0.0");
  if (!like)
    return object(with_grad(
        drawn(kernel_id("normal"), shape, o.dtype, o.device, mean.s.f, std.s.f, o.generator),
        o.requires_grad));
  return object(
      add(mul(drawn(kernel_id("normal"), shape, o.dtype, o.device, 0, 1, o.generator), std), mean));
}

// ---- in place ----------------------------------------------------------------------

// What was there before has no influence on the result.
Ref with_no_influence(Tensor* self, Ref y) {
  if (records(self))
    record("RandomBackward0", {self}, y, [](Backward& b) { b.set(0, zeros_like(b.grad())); });
  return y;
}

Ref redraw(int kernel, Args& a, double first, double second) {
  Tensor* self = a.tensor(0);
  GeneratorState& g = generator_of(a.given(3) ? a.object(3) : nullptr);
  if (a.destination == self && !is_complex(self->dtype())) {
    draw(kernel, self, first, second, g);
    return Ref(self);
  }
  Device device{self->device, self->device_index()};
  return with_no_influence(self,
                           drawn(kernel, self->shape(), self->dtype(), device, first, second, g));
}

PyObject* run_uniform(Args& a) {
  double low = a.real(1), high = a.real(2);
  if (low > high)
    fail(ErrorKind::Runtime,
         "uniform_ expects to return a [from, to) range, but found from=%g > to=%g", low, high);
  return object(redraw(kernel_id("uniform"), a, low, high));
}

// The function of the same name takes other arguments, so this is no in-place form of it.
PyObject* run_normal_method(Args& a) {
  Tensor* self = a.tensor(0);
  if (a.real(2) < 0)
    fail(ErrorKind::Runtime, "normal_ expects std >= 0.0, but found std %g", a.real(2));
  check_inplace("normal", self);
  bool recording = records(self);
  if (!recording) a.destination = self;
  Ref y = redraw(kernel_id("normal"), a, a.real(1), a.real(2));
  if (y.get() != self) copy_values(self, y);
  bump_version(self);
  if (recording) rebase_history(self, y);
  return boxed(self);
}

Ref random_below(Tensor* self, int64_t low, int64_t high, PyObject* generator) {
  Device device{self->device, self->device_index()};
  return with_no_influence(self, random_integers("random_", self->shape(), low, high, self->dtype(),
                                                 device, generator_of(generator)));
}

PyObject* generator_object(const Args& a, int i) { return a.given(i) ? a.object(i) : nullptr; }

PyObject* run_random(Args& a) {
  Tensor* self = a.tensor(0);
  int64_t count = integer_count(self->dtype());
  if (count) return object(random_below(self, 0, count, generator_object(a, 1)));
  Device device{self->device, self->device_index()};
  return object(random_bits(self->shape(), device, generator_of(generator_object(a, 1))));
}
PyObject* run_random_to(Args& a) {
  return object(random_below(a.tensor(0), 0, a.integer(1), generator_object(a, 2)));
}
PyObject* run_random_from(Args& a) {
  Tensor* self = a.tensor(0);
  int64_t count = integer_count(self->dtype());
  int64_t to = a.given(2) ? a.integer(2) : count ? count : INT64_MAX;
  return object(random_below(self, a.integer(1), to, generator_object(a, 3)));
}

}  // namespace

Reserved reserve_uniform(int64_t n) {
  GeneratorState& g = default_generator();
  return {int64_t(g.seed), int64_t(g.reserve(blocks_of(n, FB_FLOAT32)))};
}

void declare_random() {
  constexpr uint32_t factory = kFunction | kOut;
  for (const DistributionRow* r : {&rand_row, &randn_row}) {
    declare(std::string(r->name) + "(int[]* size" + options, run_rand, factory, r);
    declare(std::string(r->name) + "_like(Tensor self" + options, run_rand_like, kFunction, r);
  }
  declare("randint(int high, int[] size" + options, run_randint_below, factory);
  declare("randint(int low, int high, int[] size" + options, run_randint, factory);
  declare("randint_like(Tensor self, int high" + options, run_randint_like_below, kFunction);
  declare("randint_like(Tensor self, int low, int high" + options, run_randint_like, kFunction);
  declare("randperm(int n" + options, run_randperm, factory);
  declare("normal(Operand mean, Operand std=1.0, int[]? size=None" + options, run_normal, factory);

  constexpr uint32_t in_place = kMethod | kInPlace | kOnlyInPlace;
  const std::string generator = ", *, Generator? generator=None)";
  declare("uniform(Tensor self, float from=0, float to=1" + generator, run_uniform, in_place);
  declare_method("normal_(Tensor self, float mean=0, float std=1, *, Generator? generator=None)",
                 run_normal_method);
  declare("random(Tensor self" + generator, run_random, in_place);
  declare("random(Tensor self, int to" + generator, run_random_to, in_place);
  declare("random(Tensor self, int from, int? to" + generator, run_random_from, in_place);
}

}  // namespace flambeau
