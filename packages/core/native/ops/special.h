// Special functions that gradients of other families are written with.
#pragma once

#include "ops/api.h"

namespace flambeau {

// Hurwitz's zeta function, the sum of (q + k)^-s over k >= 0.
Ref zeta(const Operand& s, const Operand& q);
// The derivative of digamma.
Ref trigamma(const Ref& x);

}  // namespace flambeau
