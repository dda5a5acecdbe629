// Type promotion: one table, Python numbers weak, 0-dimensional tensors lighter
// than dimensioned ones.
#pragma once

#include "base/dtype.h"

namespace flambeau {

DType promote(DType a, DType b);

// Whether a result of one type may be written into a tensor of another in place.
bool can_cast(DType from, DType to);

DType default_dtype();
void set_default_dtype(DType d);

// Collects an op's operands and says the type in which it computes.
class ResultType {
 public:
  void add_tensor(DType d, int ndim) { join(ndim > 0 ? dimensioned_ : scalar_, d); }
  void add_number(Category c) {
    join(number_, c == Category::Bool       ? FB_BOOL
                  : c == Category::Integer  ? FB_INT64
                  : c == Category::Floating ? default_dtype()
                                            : complex_dtype(default_dtype()));
  }
  DType get() const;

 private:
  static void join(int& slot, DType d) { slot = slot < 0 ? d : promote(DType(slot), d); }
  int dimensioned_ = -1, scalar_ = -1, number_ = -1;
};

}  // namespace flambeau
