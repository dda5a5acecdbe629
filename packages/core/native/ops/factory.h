// What factories share.
#pragma once

#include "tensor/tensor.h"

namespace flambeau {

// Marks a new leaf as requiring a gradient; RuntimeError for integers and bool.
Ref with_grad(Ref t, bool wanted);

}  // namespace flambeau
