// Where a result goes when it is not a new tensor: the in-place and out= forms, the same for
// every op.
#pragma once

#include "ops/op.h"

namespace flambeau {

PyObject* run_inplace(const Overload& o, Args& a);
PyObject* run_out(const Overload& o, Args& a);

}  // namespace flambeau
