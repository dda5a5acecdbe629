// Dropout: a random part of the elements becomes zero, the rest grows so that
// the expected sum stays.
#include "ops/elementwise.h"
#include "ops/launch.h"
#include "ops/random.h"

namespace flambeau {
namespace {

PyObject* run(Args& a) {
  Ref x = a.tensor(0);
  double p = a.real(1);
  bool training = a.flag(2);
  if (!(p >= 0 && p <= 1))
    fail(ErrorKind::Value, "dropout probability has to be between 0 and 1, but got %g", p);
  if (!training || p == 0) return boxed(x);
  if (!is_differentiable(x->dtype()))
    fail(ErrorKind::Runtime,
         "dropout: result type Float can't be cast to the desired output type %s",
         info(x->dtype()).legacy_name);
  if (p == 1) return object(mul(x, 0.0));
  if (x->numel() == 0 || !has_kernel(x, kernel_id("dropout")))
    return compose("dropout", {boxed(x), boxed_float(p), boxed_bool(training)});
  Ref y = empty_like(x, x->shape()), mask = empty_like(x, x->shape(), FB_BOOL);
  Reserved r = reserve_uniform(x->numel());
  launch(kernel_id("dropout"), {y, mask}, {x},
         {float_param(p), int_param(r.seed), int_param(r.offset)});
  if (records(x))
    record("NativeDropoutBackward0", {x}, y,
           [mask = Saved(mask), scale = 1 / (1 - p)](Backward& b) {
             b.set(0, mul(mul(b.grad(), b.get(mask)), scale));
           });
  return object(y);
}

}  // namespace

void declare_dropout() {
  declare("dropout(Tensor self, float p=0.5, bool train=True)", run,
          kFunction | kInPlace | kNeuralToo);
  // The name that the functional form gives its switch.
  declare("dropout(Tensor self, float p=0.5, *, bool training)", run,
          kFunction | kInPlace | kNeuralToo);
}

}  // namespace flambeau
